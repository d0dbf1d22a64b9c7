/* SPDX-License-Identifier: MIT
 * uncorectl(1), "EXIT STATUS": 77 of permissions, 75 of memory and descriptors.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "ctl/ctl.h"

#include "base/bits.h"

#include <errno.h>

static void test_codes(void **state)
{
	static const struct { int line, r, code; } rows[] = {
		{ __LINE__, -EACCES, 77 }, { __LINE__, -EPERM, 77 },
		{ __LINE__, -ENOMEM, 75 }, { __LINE__, -EMFILE, 75 }, { __LINE__, -ENFILE, 75 },
		{ __LINE__, -EAGAIN, 75 },
		/* what the caller says */
		{ __LINE__, -ENOENT, CTL_USAGE }, { __LINE__, -EINVAL, CTL_USAGE },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		int code = ctl_code(rows[i].r, CTL_USAGE);

		if (code != rows[i].code)
			fail_msg("row at line %d: %d", rows[i].line, code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_codes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
