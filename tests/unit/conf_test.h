/* SPDX-License-Identifier: MIT
 * Texts of configurations that must be read, or refused with these sentences. Include cmocka's
 * headers first. */
#ifndef TESTS_CONF_TEST_H
#define TESTS_CONF_TEST_H

#include "base/bits.h"
#include "conf_parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "t.conf"

static inline struct conf *parse_good_n(int line, const char *text, size_t n)
{
	struct diags d = { 0 };
	struct conf *c = NULL;

	if (conf_parse(FILE_NAME, text, n, &c, &d) < 0)
		fail_msg("line %d: %s", line, d.v[0]);
	assert_int_equal(d.n, 0);
	assert_non_null(c);
	return c;
}

static inline struct conf *parse_good(int line, const char *text)
{
	return parse_good_n(line, text, strlen(text));
}

/*
 * The mistakes of a text, exactly these, in this order: each `want` is "LINE: words" and must be
 * the line of the message and part of its sentence.
 */
static inline void parse_bad_n(int line, const char *text, size_t n, const char *const *want)
{
	struct diags d = { 0 };
	struct conf *c = (void *)&d;
	unsigned i = 0;

	if (conf_parse(FILE_NAME, text, n, &c, &d) != -EINVAL || c != (void *)&d)
		fail_msg("line %d: accepted", line);
	for (; want[i]; i++) {
		const char *words = strchr(want[i], ' ') + 1;
		char place[64];

		snprintf(place, sizeof(place), FILE_NAME ":%.*s", (int)(words - want[i]), want[i]);
		if (i >= d.n || strncmp(d.v[i], place, strlen(place)) != 0 ||
		    !strstr(d.v[i], words))
			fail_msg("line %d: \"%s\", expected \"%s\"", line,
				 i < d.n ? d.v[i] : "no more mistakes", want[i]);
	}
	if (d.n != i)
		fail_msg("line %d: one too many: %s", line, d.v[i]);
	diags_done(&d);
}

#define BAD(text, ...) \
	parse_bad_n(__LINE__, text, strlen(text), (const char *const[]){ __VA_ARGS__, NULL })

#endif
