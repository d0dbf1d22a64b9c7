/* SPDX-License-Identifier: MIT
 * The command line of uncored: what is taken, what is refused with 64 and
 * one sentence (uncored(8)), and which exit code an errno means. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "capture.h"
#include "daemon/options.h"

#include <errno.h>
#include <getopt.h>

static struct options o;
static const char *said;

/* words: separated by single blanks. What goes to fd is kept. */
static int parse(const char *words, int fd)
{
	static char text[1024], *argv[64];
	int argc = 1, r;

	snprintf(text, sizeof(text), "%s", words);
	argv[0] = (char *)"/some/where/uncored";
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	optind = 0;                             /* getopt begins anew */
	o = (struct options){ .run = "untouched" };
	capture_begin(fd);
	r = options_parse(argc, argv, &o);
	said = capture_end();
	return r;
}

static void test_defaults(void **state)
{
	(void)state;
	assert_int_equal(parse("", STDERR_FILENO), -1);
	assert_int_equal(o.mode, MODE_RUN);
	assert_null(o.config);
	assert_null(o.processor);
	assert_false(o.engine_given || o.format_given || o.sysfs_given || o.dev_given);
	assert_int_equal(o.n_listen, 0);
	assert_int_equal(o.n_args, 0);
	assert_string_equal(o.sysfs, "/sys");
	assert_string_equal(o.procfs, "/proc");
	assert_string_equal(o.dev, "/dev");
	assert_string_equal(o.run, "/run/uncored");
	assert_string_equal(o.state, "/var/lib/uncored");
}

static void test_all(void **state)
{
	(void)state;
	assert_int_equal(parse("-c a.conf --engine model:ivytown:bursty --processor ivytown "
			       "--listen 127.0.0.1:1 --listen [::1]:2 --path-sysfs /s "
			       "--path-procfs /p "
			       "--path-dev /d --path-run /r --path-state /st "
			       "--log-level info --once --format json",
			       STDERR_FILENO), -1);
	assert_string_equal(o.config, "a.conf");
	assert_true(o.engine_given && o.sysfs_given && o.dev_given && o.format_given);
	assert_int_equal(o.engine.kind, CONF_MODEL);
	assert_string_equal(o.engine.processor, "ivytown");
	assert_string_equal(o.engine.workload, "bursty");
	assert_string_equal(o.processor, "ivytown");
	assert_int_equal(o.n_listen, 2);
	assert_string_equal(o.listen[0], "127.0.0.1:1");
	assert_string_equal(o.listen[1], "[::1]:2");
	assert_string_equal(o.sysfs, "/s");
	assert_string_equal(o.procfs, "/p");
	assert_string_equal(o.dev, "/d");
	assert_string_equal(o.run, "/r");
	assert_string_equal(o.state, "/st");
	assert_int_equal(o.mode, MODE_ONCE);
	assert_int_equal(o.format, EXPO_JSON);
	assert_int_equal(o.n_args, 25);
	assert_string_equal(o.args[0], "-c");
	assert_string_equal(o.args[24], "json");
	assert_int_equal(parse("--config=b --check-config --check-config", STDERR_FILENO), -1);
	assert_int_equal(o.mode, MODE_CHECK);
	assert_string_equal(o.config, "b");
	assert_int_equal(parse("--restore", STDERR_FILENO), -1);
	assert_int_equal(o.mode, MODE_RESTORE);
	assert_int_equal(parse("--once --format openmetrics", STDERR_FILENO), -1);
	assert_int_equal(o.format, EXPO_OPENMETRICS);
}

/* One sentence, then where help is. */
static void test_refused(void **state)
{
	static const struct { int line; const char *words, *said; } rows[] = {
		{ __LINE__, "extra", "uncored: unexpected argument: extra\n" },
		{ __LINE__, "--nonsense", "uncored: unrecognized option '--nonsense'\n" },
		{ __LINE__, "-c", "uncored: option requires an argument -- 'c'\n" },
		{ __LINE__, "--engine magic", "uncored: --engine must be auto, registers, perf or "
		  "model[:PROCESSOR[:WORKLOAD]], not: magic\n" },
		{ __LINE__, "--engine ivytown", "uncored: --engine ivytown is no engine; for "
		  "simulated hardware write --engine model:ivytown\n" },
		{ __LINE__, "--processor pentium",
		  "uncored: there is no processor 'pentium' and no machine of this name (see: "
		  "uncorectl list processors, and list machines)\n" },
		{ __LINE__, "--processor westmere-ep", "; the nearest is 'westmere-ex'\n" },
		{ __LINE__, "--listen localhost:1",
		  "uncored: --listen needs ADDR:PORT with a literal "
		  "address, or unix:/PATH, not: localhost:1\n" },
		{ __LINE__, "--format xml --once",
		  "uncored: --format must be prometheus, openmetrics or "
		  "json, not: xml\n" },
		{ __LINE__, "--format json", "uncored: --format needs --once; " },
		{ __LINE__, "--log-level loud",
		  "uncored: --log-level must be err, warning, notice, info or "
		  "debug, not: loud\n" },
		{ __LINE__, "--once --restore", "uncored: --check-config, --once and --restore "
		  "exclude each other" },
		{ __LINE__, "--check-config --once", "exclude each other" },
		{ __LINE__, "--restore --check-config", "exclude each other" },
		{ __LINE__, "--engine model:ivytown --processor nehalem-ex",
		  "uncored: --processor nehalem-ex and --engine model:ivytown name two machines: "
		  "leave one of them out\n" },
		{ __LINE__, "--engine model:spr --machine icelake",
		  "uncored: --machine icelake and --engine model:spr name two machines: " },
		{ __LINE__, "--engine model:ivt --processor nehalem-ex",
		  "uncored: --processor nehalem-ex and --engine model:ivt name two machines: " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int r = parse(rows[i].words, STDERR_FILENO);

		if (r != 64 || !strstr(said, rows[i].said) ||
		    !strstr(said, "\nTry 'uncored --help'.\n") || strcmp(o.run, "untouched") != 0)
			fail_msg("row at line %d: %d, \"%s\"", rows[i].line, r, said);
	}
	/* one machine twice is no contradiction */
	assert_int_equal(parse("--engine model:spr --machine sapphirerapids", STDERR_FILENO), -1);
	assert_null(o.machine);
	assert_int_equal(parse("--engine model:ivt --processor ivytown", STDERR_FILENO), -1);
	assert_null(o.processor);               /* it is of the kernel's PMUs: the engine's */
	assert_int_equal(parse("--engine model:ivytown --processor ivytown", STDERR_FILENO), -1);
	assert_int_equal(parse("--engine perf --processor ivytown", STDERR_FILENO), -1);
}

/* As many as the http process takes. */
static void test_many_listen(void **state)
{
	char words[1024] = "";
	size_t n = 0;

	(void)state;
	for (unsigned i = 0; i < WIRE_LISTENERS_MAX; i++)
		n += (size_t)snprintf(words + n, sizeof(words) - n,
				      "--listen 127.0.0.1:%u ", i + 1);
	assert_int_equal(parse(words, STDERR_FILENO), -1);
	assert_int_equal(o.n_listen, WIRE_LISTENERS_MAX);
	snprintf(words + n, sizeof(words) - n, "--listen 127.0.0.1:99");
	assert_int_equal(parse(words, STDERR_FILENO), 64);
	assert_non_null(strstr(said, "too many --listen"));
}

static void test_help(void **state)
{
	(void)state;
	assert_int_equal(parse("--help", STDOUT_FILENO), 0);
	assert_memory_equal(said, "Usage: uncored ", 15);
	assert_int_equal(parse("-h --nonsense", STDOUT_FILENO), 0);
	assert_int_equal(parse("--version", STDOUT_FILENO), 0);
	assert_memory_equal(said, "uncored " PACKAGE_VERSION, 8 + strlen(PACKAGE_VERSION));
	assert_non_null(strstr(said, "\nprocessors: "));
	assert_non_null(strstr(said, " ivytown"));
	assert_string_equal(o.run, "untouched");
}

/* uncored(8), "EXIT STATUS": what may pass by itself is 75, what takes a person 69. */
static void test_exit_codes(void **state)
{
	static const struct { int line, r, code; } rows[] = {
		{ __LINE__, 0, 0 },
		{ __LINE__, -EACCES, 77 }, { __LINE__, -EPERM, 77 },
		{ __LINE__, -EINVAL, 78 },
		{ __LINE__, -ENOMEM, 75 }, { __LINE__, -EADDRINUSE, 75 }, { __LINE__, -EMFILE, 75 },
		{ __LINE__, -EAGAIN, 75 },
		{ __LINE__, -EWOULDBLOCK, 75 },
		{ __LINE__, -ENODEV, 69 }, { __LINE__, -EBUSY, 69 }, { __LINE__, -EOPNOTSUPP, 69 },
		{ __LINE__, -ENOENT, 69 }, { __LINE__, -ENXIO, 69 }, { __LINE__, -EROFS, 69 },
		{ __LINE__, -ENOTDIR, 69 }, { __LINE__, -ELOOP, 69 }, { __LINE__, -EFBIG, 69 },
		/* a full disk, an interrupted wait, a device that answers too late or not */
		{ __LINE__, -ENOSPC, 75 }, { __LINE__, -EDQUOT, 75 }, { __LINE__, -EINTR, 75 },
		{ __LINE__, -EIO, 75 }, { __LINE__, -ETIMEDOUT, 75 }, { __LINE__, -ENFILE, 75 },
		{ __LINE__, -EADDRNOTAVAIL, 75 }, { __LINE__, -ENOBUFS, 75 },
		{ __LINE__, -EDOM, 70 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (exit_code_of(rows[i].r) != rows[i].code)
			fail_msg("row at line %d: %d", rows[i].line, exit_code_of(rows[i].r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_all),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_many_listen),
		cmocka_unit_test(test_help), cmocka_unit_test(test_exit_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
