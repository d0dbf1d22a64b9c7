/* SPDX-License-Identifier: MIT
 * A table of options: a row is parsed, shown and refused when it is misspelt. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "base/cmdline.h"
#include "base/name.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct oven {
	const char *dish;
	int degrees, plates;
	bool fan, light;
};

static int take_plate(void *into, const char *arg)
{
	struct oven *o = into;

	o->plates++;
	return strcmp(arg, "hot") == 0 ? -1 : 70;
}

#define AT(member) offsetof(struct oven, member)
static const struct cmdline_option rows[] = {
	{ "dish", 'd', "NAME", "what is in it", .at = AT(dish) },
	{ "fan", 'f', NULL, "air moves;\nfor two plates", .at = AT(fan), .commands = "bake and dry" },
	{ "degrees", 0, "N", "how hot", .at = AT(degrees), .min = 50, .max = 300 },
	{ "plate", 0, "KIND", "one more", .take = take_plate },
	{ "light", 0, NULL, "it can be seen while it is hot", .at = AT(light),
	  .commands = "bake, dry, roast, warm and whatever takes longer" },
};

/* The words of a command line, which getopt_long() may sort; stderr into said. */
static int parse(const char *words, struct oven *ret, uint64_t *given, char said[500])
{
	static char line[200], path[] = "/a/path/of/oven";
	char *argv[20] = { path }, *save = NULL, name[] = "/tmp/test_cmdline.XXXXXX";
	int argc = 1, r, fd = mkstemp(name), old = dup(STDERR_FILENO);
	ssize_t n;

	assert_true(fd >= 0 && old >= 0);
	unlink(name);
	snprintf(line, sizeof(line), "%s", words);
	for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	*ret = (struct oven){ 0 };
	optind = 0;                             /* glibc: from the beginning */
	dup2(fd, STDERR_FILENO);
	r = cmdline_parse(rows, COUNT(rows), "oven", argc, argv, ret, given);
	dup2(old, STDERR_FILENO);
	n = pread(fd, said, 499, 0);
	said[n > 0 ? n : 0] = '\0';
	close(old);
	close(fd);
	return r;
}

static void test_row_is_parsed(void **state)
{
	struct oven o;
	uint64_t given;
	char said[500];

	(void)state;
	assert_int_equal(parse("--dish=cake --fan --degrees 180 --plate hot --plate hot", &o,
			       &given, said), -1);
	assert_string_equal(o.dish, "cake");
	assert_true(o.fan && o.degrees == 180 && o.plates == 2);
	assert_int_equal(given, 0xf);
	assert_int_equal(parse("pie -f -d", &o, &given, said), CMDLINE_WRONG);
	assert_string_equal(said, "oven: option requires an argument -- 'd'\n");
	assert_int_equal(parse("pie -fdx", &o, &given, said), -1);
	assert_true(o.fan && given == 0x3 && optind == 2); /* the pie is an argument, behind them */
	assert_string_equal(o.dish, "x");
	assert_int_equal(parse("", &o, &given, said), -1);
	assert_int_equal(given, 0);
	assert_int_equal(parse("--dish --fan=1 --degrees=60", &o, &given, said), -1);
	assert_true(strcmp(o.dish, "--fan=1") == 0 && !o.fan && o.degrees == 60);
	assert_int_equal(parse("--plate cold --bogus", &o, &given, said), 70);
}

static void test_row_is_refused(void **state)
{
	static const struct { const char *words, *said; } bad[] = {
		{ "--dishx=1", "oven: unrecognized option '--dishx=1'\n"
		  "oven: the nearest is '--dish'\n" },
		{ "--window", "oven: unrecognized option '--window'\n" },
		{ "--fanx", "oven: unrecognized option '--fanx'\n"
		  "oven: the nearest is '--fan'\n" },
		/* no beginning of a name: what it means would change with the next option */
		{ "--fa", "oven: unrecognized option '--fa'\n"
		  "oven: the nearest is '--fan'\n" },
		{ "--degree 180", "oven: unrecognized option '--degree'\n"
		  "oven: the nearest is '--degrees'\n" },
		{ "--degree=180", "oven: unrecognized option '--degree=180'\n"
		  "oven: the nearest is '--degrees'\n" },
		/* of the same command alone */
		{ "boil --fanx", "oven: unrecognized option '--fanx'\n"
		  "oven: the nearest is '--fan'\n" },
		{ "dry --fanx", "oven: unrecognized option '--fanx'\n"
		  "oven: the nearest is '--fan'\n" },
		{ "roast --fanx", "oven: unrecognized option '--fanx'\n" },
		{ "--fa roast", "oven: unrecognized option '--fa'\n" },
		{ "roast --ligth", "oven: unrecognized option '--ligth'\n"
		  "oven: the nearest is '--light'\n" },
		{ "roast --dihs", "oven: unrecognized option '--dihs'\n"
		  "oven: the nearest is '--dish'\n" },
		{ "-x", "oven: invalid option -- 'x'\n" },
		{ "--fan=1", "oven: option '--fan' doesn't allow an argument\n" },
		{ "--degrees", "oven: option '--degrees' requires an argument\n" },
		{ "--degrees 49", "oven: --degrees needs a number from 50 to 300, not '49'\n" },
		{ "--degrees 301", "oven: --degrees needs a number from 50 to 300, not '301'\n" },
		{ "--degrees 4294967396",
		  "oven: --degrees needs a number from 50 to 300, not '4294967396'\n" },
		{ "--degrees hot", "oven: --degrees needs a number from 50 to 300, not 'hot'\n" },
	};
	struct oven o;
	uint64_t given;
	char said[500];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (parse(bad[i].words, &o, &given, said) != CMDLINE_WRONG ||
		    strcmp(said, bad[i].said) != 0)
			fail_msg("%s: %s", bad[i].words, said);
		assert_int_equal(o.degrees, 0);
	}
}

static void expect_help(const char *command, const char *want)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	cmdline_help(f, rows, COUNT(rows), 22, command);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

static void test_row_is_shown(void **state)
{
	(void)state;
	expect_help(NULL,
			    "  -d, --dish NAME     what is in it\n"
			    "  -f, --fan           for bake and dry: air moves;\n"
			    "                      for two plates\n"
			    "      --degrees N     how hot\n"
			    "      --plate KIND    one more\n"
			    "      --light         for bake, dry, roast, warm and whatever takes "
			    "longer:\n"
			    "                      it can be seen while it is hot\n");
	expect_help("dry", "  -d, --dish NAME     what is in it\n"
			   "  -f, --fan           air moves;\n"
			   "                      for two plates\n"
			   "      --degrees N     how hot\n"
			   "      --plate KIND    one more\n"
			   "      --light         it can be seen while it is hot\n");
	expect_help("boil", "  -d, --dish NAME     what is in it\n"
			    "      --degrees N     how hot\n"
			    "      --plate KIND    one more\n");
}

/* One letter wrong in a short name, two in a long one, and never three. */
static void test_typos(void **state)
{
	static const struct { int line; const char *typed, *name; bool is; } typos[] = {
		{ __LINE__, "ab", "ac", false }, { __LINE__, "imv", "imc", true },
		{ __LINE__, "ixv", "imc", false }, { __LINE__, "cboxx", "cboy", false },
		{ __LINE__, "memroy", "memory", true },
		{ __LINE__, "imc_fre_runing", "imc_free_running", true },
		{ __LINE__, "imc_fre_runin", "imc_free_running", false },
		{ __LINE__, "memory_raed_byte_totl", "memory_read_bytes_total", false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(typos) / sizeof(typos[0]); i++)
		if (name_is_typo(typos[i].typed, typos[i].name) != typos[i].is)
			fail_msg("line %d", typos[i].line);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_is_parsed), cmocka_unit_test(test_row_is_refused),
		cmocka_unit_test(test_row_is_shown), cmocka_unit_test(test_typos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
