/* SPDX-License-Identifier: MIT
 * Numbers for people, each by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "ctl/ctl.h"

#include "base/bits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_words(void **state)
{
	static const struct {
		int line;
		double v;
		const char *unit;
		bool rate;
		const char *is;
	} rows[] = {
		{ __LINE__, 38.2e9, "bytes", true, "38.2 GB/s" },
		{ __LINE__, 999.4e6, "bytes", true, "999 MB/s" },
		{ __LINE__, 999.9e6, "bytes", true, "1 GB/s" },
		{ __LINE__, 84e-9, "seconds", false, "84 ns" },
		{ __LINE__, 0, "seconds", false, "0 s" },
		{ __LINE__, 2.4e9, "hertz", false, "2.4 GHz" },
		{ __LINE__, 0.601, "ratio", false, "60.1 %" },
		{ __LINE__, -0.25, "ratio", false, "-25.0 %" },
		{ __LINE__, 205.25, "watts", false, "205 W" },
		{ __LINE__, 205.25, "joules", true, "205 W" },
		{ __LINE__, 160, "cycles", false, "160 cycles" },
		{ __LINE__, 1600, "cycles", false, "1600 cycles" },
		{ __LINE__, 1.25e7, "", true, "12.5 M/s" },
		{ __LINE__, 3.5, "", false, "3.5" },
		{ __LINE__, 62e9, "bytes_per_second", false, "62 GB/s" },
		{ __LINE__, -2e9, "bytes_per_second", false, "-2 GB/s" },
		{ __LINE__, NAN, "bytes", true, "-" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct ctl_word w = ctl_human(rows[i].v,
					      ctl_human_unit(rows[i].unit, rows[i].rate));

		if (strcmp(w.s, rows[i].is) != 0)
			fail_msg("line %d: '%s', expected '%s'", rows[i].line, w.s, rows[i].is);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
