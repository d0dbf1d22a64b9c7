/* SPDX-License-Identifier: MIT
 * What becomes of the lines that an http process writes. The first test takes all that may be said
 * at once, so that those after it wait for their lines. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "capture.h"
#include "children/http_log.h"
#include "process/log.h"

static struct http_log l;
static int writer;

static void writes(const char *text)
{
	assert_int_equal(write(writer, text, strlen(text)), (ssize_t)strlen(text));
}

static void begins(void)
{
	struct err err;

	assert_int_equal(http_log_open(&l, &writer, &err), 0);
}

/* What is logged of it. */
static const char *relayed(const char *text)
{
	writes(text);
	capture_begin(STDERR_FILENO);
	http_log_relay(&l);
	return capture_end();
}

static const char *closed(void)
{
	capture_begin(STDERR_FILENO);
	close(writer);
	http_log_close(&l);
	return capture_end();
}

static unsigned lines_of(const char *text)
{
	unsigned n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

static void test_lines(void **state)
{
	char longest[HTTP_LOG_LINE + 10];

	(void)state;
	begins();
	assert_string_equal(relayed("<3>one\ntwo\n"),
			    "uncored: uncored-http: one\nuncored: uncored-http: two\n");
	/* of a message that is not wanted, nothing */
	assert_string_equal(relayed("<7>a detail\n"), "");
	/* not as others write theirs, and nothing that a terminal would follow */
	assert_string_equal(relayed("uncored: \x1b[2J\r\x9b\t<0>\n<0>x\n"),
			    "uncored: uncored-http: uncored: ?[2J??" "?" "<0>\n"
			    "uncored: uncored-http: <0>x\n");
	assert_string_equal(relayed("\n\n"), "");
	/* in its own time */
	assert_string_equal(relayed("a be"), "");
	assert_string_equal(relayed("ginning\n"), "uncored: uncored-http: a beginning\n");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(lines_of(relayed(longest)), 1);
	writes("the end");
	assert_non_null(strstr(closed(), "xthe end\n"));
	assert_int_equal(l.fd, -1);
	http_log_relay(&l);                     /* there is none */
	http_log_close(&l);
}

static void test_too_many(void **state)
{
	const char *said;
	unsigned n;

	(void)state;
	begins();
	for (unsigned i = 0; i < 2 * HTTP_LOG_LINES; i++)
		writes("junk\n");
	n = lines_of(relayed("more\n"));
	assert_in_range(n, HTTP_LOG_LINES - 20, HTTP_LOG_LINES);
	/* of the next process, too, and said once in a row */
	assert_in_range(lines_of(relayed("more\n")), 0, 2);
	said = closed();
	assert_non_null(strstr(said, "uncored-http: more was left out"));
	begins();
	for (unsigned i = 0; i < HTTP_LOG_LINES; i++)
		writes("junk\n");
	assert_in_range(lines_of(relayed("more\n")), 0, 3);
	closed();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines),
					    cmocka_unit_test(test_too_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
