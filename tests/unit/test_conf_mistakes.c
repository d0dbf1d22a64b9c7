/* SPDX-License-Identifier: MIT
 * The configuration file: every mistake with its line, what libconfig would
 * misread among them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "conf_test.h"

#define METRIC(row) \
	"metrics = ( { name = \"x_ratio\"; numerator = ( \"a/B\" ); denominator = ( \"a/C\" );\n" \
	row " } );"

/* ---- the traps of libconfig 1.5 */

/* Integers are cut to 32 bits without a word; a lookup of the wrong type succeeds with 0. */
static void test_trap_integers(void **state)
{
	(void)state;
	BAD("interval = 1;",
	    "1: interval is a number but must be text in quotes: interval = \"1s\"");
	BAD("interval = 4294967297;",
	    "1: interval is a number but must be text in quotes: interval = \"1s\"");
	BAD("interval = 1000000000L;", "1: interval is a number but must be text in quotes");
	BAD("interval = 1.0;", "1: interval is a number but must be text in quotes");
	BAD("engine = 0;", "1: engine is a number");
	BAD("groups = ( { name = \"g\"; events = [ 0x1FFFFFFFF ]; } );",
	    "1: an event is a number but must be text in quotes");
	BAD("groups = ( { name = 7; events = ( 0x10 ); } );", "1: name is a number",
	    "1: an event is a number");
}

static void test_trap_large_numbers(void **state)
{
	static const struct { int line; const char *text; double scale; } rows[] = {
		{ __LINE__, METRIC("scale = 2147483647;"), 2147483647 },
		{ __LINE__, METRIC("scale = -2147483647;"), -2147483647 },
		{ __LINE__, METRIC("scale = 2147483648L;"), 2147483648 },
		{ __LINE__, METRIC("scale = 0x7FFFFFFF;"), 2147483647 },
		{ __LINE__, METRIC("scale = 0xFFFFFFFFL;"), 4294967295 },
		{ __LINE__, METRIC("scale = 0x80000000L;"), 2147483648 },
		{ __LINE__, METRIC("scale = -5LL;"), -5 },
		{ __LINE__, METRIC("scale = 0X1f;"), 31 },
		{ __LINE__, METRIC("scale = 1e12;"), 1e12 },
		{ __LINE__, METRIC("scale = +.5;"), 0.5 },
		{ __LINE__, METRIC("scale = 2.;"), 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct conf *c = parse_good(rows[i].line, rows[i].text);

		if (c->metrics[0].row.scale != rows[i].scale)
			fail_msg("line %d: %g", rows[i].line, c->metrics[0].row.scale);
		conf_free(c);
	}
	BAD(METRIC("scale = 2147483648;"),
	    "2: scale: a number this large needs an L after it: write 2147483648L");
	BAD(METRIC("scale = 4294967296;"), "2: scale: a number this large needs an L");
	BAD(METRIC("scale = 0x80000000;"), "2: scale: a number this large needs an L");
	BAD(METRIC("scale = -99999999999;"),
	    "2: scale: a number this large needs an L after it: write -99999999999L");
	BAD(METRIC("scale = 9223372036854775808L;"),
	    "2: 9223372036854775808L is too large: the largest whole number is "
	    "9223372036854775807");
	BAD(METRIC("scale = 99999999999999999999L;"), "2: 99999999999999999999L is too large");
	BAD(METRIC("scale = 0x8000000000000000L;"), "2: 0x8000000000000000L is too large");
	BAD(METRIC("scale = 0xFFFFFFFFFFFFFFFFFFL;"), "2: 0xFFFFFFFFFFFFFFFFFFL is too large");
	BAD(METRIC("scale = 010;"), "2: 010 begins with 0");
	BAD(METRIC("scale = -08;"), "2: -08 begins with 0");
	BAD(METRIC("scale = 55555555555555555555-1;"), "2: 55555555555555555555-1 is not a number");
	BAD(METRIC("scale = 1e999;"), "2: scale is too large");
	BAD(METRIC("distribution = { buckets = [ 1, 4294967296 ]; };"),
	    "2: a bound of buckets: a number this large needs an L");
	BAD(METRIC("scale = nan;"), "2: nan has no quotes");
	BAD(METRIC("scale = \"32\";"),
	    "2: scale is text in quotes but must be a number without quotes");
	BAD(METRIC("scale = 0;"), "2: a scale of 0");
	BAD(METRIC("scale = 0.0;"), "2: a scale of 0");
	BAD(METRIC("scale = 5LLL;"), "2: 5LLL is not a number");
	BAD(METRIC("scale = 0b11;"), "2: 0b11 is not a number");
	BAD(METRIC("scale = .;"), "2: . is not a number");
	BAD(METRIC("scale = 1e;"), "2: 1e is not a number");
	BAD(METRIC("scale = 0x;"), "2: 0x is not a number");
	BAD(METRIC("scale = -;"), "2: - is not a number");
}

/* It gives a string in a list the line of what follows: here a comma, a bracket, a comment. */
static void test_trap_lines(void **state)
{
	(void)state;
	BAD("listen = [ \"a\"\n,\n\"b\" /* c\n */ , # d\n\"c\" , \"d\"\n\n];",
	    "1: listen: \"a\"", "3: listen: \"b\"", "5: listen: \"c\"", "5: listen: \"d\"");
	BAD("listen = ( \"a\"# e\n, 1\n, \"b\"//\n)\nhosts\n= ( 1\n, true, 5000000000 );",
	    "1: listen: \"a\"", "2: an address of listen is a number", "3: listen: \"b\"",
	    "6: a name of hosts is a number", "7: a name of hosts is true or false",
	    "7: a name of hosts is a number");
	BAD("engine = \"a\"\n\"b\"\n;rotation = \"c\"\nfreeze\n=\n1",
	    "3: rotation = \"c\"", "6: freeze is a number", "1: engine = \"ab\"");
	BAD("metrics = ( { name = \"x_ratio\"; denominator = ( \"a/B\" ); numerator = (\n"
	    "{ event = \"x y\"\n; weight = 0\n; },\n\"b c\"\n, {\nevent=\"c d\"; } );\n} );",
	    "2: \"x y\" is not an event", "3: a weight of 0", "5: \"b c\" is not an event",
	    "7: \"c d\" is not an event");
}

/* It never says that it does not know a key. */
static void test_trap_unknown_keys(void **state)
{
	(void)state;
	BAD("intervall = \"1s\";",
	    "1: has no key \"intervall\"; the nearest known one is \"interval\"");
	BAD("Interval = \"1s\";",
	    "1: has no key \"Interval\"; the nearest known one is \"interval\"");
	/* not even spelled alike */
	BAD("log_level = 3;", "1: has no key \"log_level\"; see: uncorectl list keys");
	BAD("port = 10062;", "1: has no key \"port\"; see: uncorectl list keys");
	BAD("listen* = \"1s\";", "1: has no key \"listen*\"; the nearest known one is \"listen\"");
	BAD("group = ( );\nmetric = 1;", "1: nearest known one is \"groups\"",
	    "2: nearest known one is \"metrics\"");
	BAD("groups = ( { name = \"g\";\n event = [ \"a/B\" ];\n events = [ \"a/B\" ]; } );",
	    "2: a group has no key \"event\"; the nearest known one is \"events\"");
	BAD(METRIC("numarator = ( \"a/B\" );"),
	    "2: a metric has no key \"numarator\"; the nearest known one is \"numerator\"");
	BAD(METRIC("guard = { numerator = ( \"a/B\" ); denominator = ( \"a/B\" ); maximum = 1; "
	    "max = 1; };"),
	    "2: a guard has no key \"maximum\"; the nearest known one is \"max\"");
	BAD("metrics = ( { name = \"x_ratio\"; denominator = ( \"a/C\" );\n"
	    "numerator = ( { event = \"a/B\"; wieght = 2; } ); } );",
	    "2: an addend has no key \"wieght\"; the nearest known one is \"weight\"");
	/* what is meant, not what is spelled alike */
	BAD("groups = ( { name = \"g\";\n interval = \"1s\"; events = [ \"a/B\" ]; } );",
	    "2: a group has no key \"interval\"; the nearest known one is \"resolution\"");
	BAD(METRIC("value = 1;"),
	    "2: a metric has no key \"value\"; the nearest known one is \"numerator\"");
}

/* @include opens any file; the include functions of later versions are a syntax error here. */
static void test_trap_include(void **state)
{
	(void)state;
	BAD("\n@include \"/etc/passwd\"\n", "2: @include is not supported");
	BAD("@include_dir \"/etc\"\n", "1: @include is not supported");
	BAD("  @include \"a\"\n@include \"b\"\ninterval = x;", "1: @include", "2: @include",
	    "3: x has no quotes");
}

/* An unclosed comment swallows the rest, a comment on the last line without newline is a syntax
 * error, a missing comma glues two strings together. */
static void test_trap_silence(void **state)
{
	(void)state;
	BAD("interval = \"1s\";\n/* half\nrotation = \"1s\";\n",
	    "2: the comment that begins here with /* is never closed");
	conf_free(parse_good(__LINE__, "interval = \"1s\"; // no newline"));
	conf_free(parse_good(__LINE__, "/* a\n * b */ interval = \"1s\"; # no newline"));
	BAD("listen = [ \":1\" \":2\" ];", "1: a comma is missing");
	BAD("listen = (\n\":1\"\n\":2\",\n\":3\" );", "3: a comma is missing");
	BAD("groups = ( { name = \"g\"; events = [ \"a/B\" ]; }\n{ name = \"h\"; events = [ "
	    "\"a/B\" ]; } );",
	    "2: a comma is missing");
	BAD("listen = [ \":1\", ];", "1: one too many");
	BAD("engine = \"au\\x00to\";", "1: \\x00");
}

/* Errors have a line and the words "syntax error"; the first ends the reading. */
static void test_trap_syntax(void **state)
{
	(void)state;
	BAD("interval = 1s;\nrotation = 500ms;\nfreeze = yes;\ntakeover = On;\nengine = auto;",
	    "1: 1s is not a number; if it is meant as text, write it in quotes: \"1s\"",
	    "2: \"500ms\"",
	    "3: yes: write true or false", "4: On: write true or false",
	    "5: auto has no quotes");
	BAD("interval \"1s\";", "1: this value has no key");
	BAD("interval = ;", "1: a value is missing");
	BAD("interval = \"1s\";;", "1: two of these in a row");
	BAD("interval\n", "1: before its last key gets a value");
	BAD("interval =\n\n", "1: before its last key gets a value");
	BAD("interval rotation = \"1s\";", "1: the key before this has no value");
	BAD("= \"1s\";", "1: no key before this");
	BAD("True = \"1s\";", "1: this value has no key", "1: no key before this");
	BAD("interval = \"1s;\nrotation = \"1s\";", "1: the string that begins here");
	BAD("interval = \xe2\x80\x9c" "1s\xe2\x80\x9d;", "1: the byte 0xe2");
	BAD("interval = '1s';", "1: \"'\" is not allowed here; write text in double quotes");
	BAD("\n{ \"interval\": \"1s\",\n \"groups\": [] }",
	    "2: this looks like JSON");
	BAD("interval = \"1s\";\n{ }", "2: this value has no key");
	BAD("_interval = \"1s\";", "1: \"_\" is not allowed here");
	BAD("groups = (\n{ name = \"g\";\n", "2: the \"{\" on this line is never closed");
	BAD("groups = (\n}", "2: \"}\" does not close the \"(\" on line 1");
	BAD("interval = \"1s\";\n)", "2: there is no opening bracket for this \")\"");
	BAD("groups = ( name = \"g\"; );", "1: name has no quotes",
	    "1: put keys into blocks", "1: separate its elements with commas");
	BAD("listen = [ \":1\", 1 ];", "1: values of one kind");
	BAD("listen = [ [ \":1\" ] ];", "1: holds only plain values");
}

static void test_trap_duplicates(void **state)
{
	(void)state;
	BAD("interval = \"1s\";\nfreeze = true;\ninterval = \"2s\";\nfreeze = false;",
	    "3: \"interval\" is set twice; the first time is on line 1",
	    "4: \"freeze\" is set twice; the first time is on line 2");
	BAD("groups = ( { name = \"g\"; name = \"h\"; } );", "1: \"name\" is set twice");
	conf_free(parse_good(__LINE__, "groups = ( { name = \"g\"; events = [ \"a/B\" ]; }, { name "
				       "= \"h\"; events = [ \"a/B\" ]; } );"));
	BAD("groups = (\n{ name = \"g\"; events = [ \"a/B\" ]; },\n{ name = \"g\"; events = [ "
	    "\"a/C\" ]; } );",
	    "3: there are two groups \"g\"; the first is on line 2");
	BAD("metrics = (\n{ name = \"x_bytes_total\"; unit = \"bytes\"; numerator = ( \"a/B\" "
	    "); },\n"
	    "{ name = \"x_bytes_total\"; unit = \"bytes\"; numerator = ( \"a/B\" ); } );",
	    "3: there are two metrics \"x_bytes_total\"; the first is on line 2");
	BAD("listen = [ \":1\",\n\":1\" ];", "2: listen: \":1\" is given twice");
	BAD("listen = [ \"127.0.0.1:1\", \"[::1]:1\", \"127.0.0.2:1\", \":2\",\n\"*:1\" ];",
	    "2: listen: \"*:1\" and \"127.0.0.1:1\": one covers the other; remove one");
	BAD("listen = [ \"[::1]:1\",\n\"0.0.0.0:1\",\n\"[::]:1\" ];",
	    "3: listen: \"[::]:1\" and \"[::1]:1\": one covers the other; remove one");
	BAD("listen = [ \"[::]:1\",\n\"0.0.0.0:1\", \":0\", \":0\", \"127.0.0.1:0\" ];",
	    "2: listen: \"0.0.0.0:1\" and \"[::]:1\": one covers the other; remove one");
	/* two ports that the kernel chooses */
	conf_free(parse_good(__LINE__, "listen = [ \":0\", \":0\" ];"));
}

/* Strings are not checked; a broken one would break the exposition. */
static void test_trap_strings(void **state)
{
	static const struct { int line; const char *bytes; bool good; } rows[] = {
		{ __LINE__, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf \xed\x9f\xbf",
			true },
		{ __LINE__, "\xff", false }, { __LINE__, "\x80", false },
		{ __LINE__, "a\xc3", false },
		{ __LINE__, "\xe2\x82", false }, { __LINE__, "\xc3(", false },
		{ __LINE__, "\xc0\x80", false }, { __LINE__, "\xc1\xbf", false },
		{ __LINE__, "\xe0\x80\x80", false },
		{ __LINE__, "\xf0\x80\x80\x80", false }, { __LINE__, "\xed\xa0\x80", false },
		{ __LINE__, "\xf4\x90\x80\x80", false },
		{ __LINE__, "\xf8\x88\x80\x80\x80", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[256];

		snprintf(text, sizeof(text), METRIC("help = \"%s\";"), rows[i].bytes);
		if (rows[i].good)
			conf_free(parse_good(rows[i].line, text));
		else
			parse_bad_n(rows[i].line, text, strlen(text),
				    (const char *const[]){ "2: help is not valid UTF-8", NULL });
	}
	BAD(METRIC("help = \"a\\nb\";"), "2: help contains the control character 0x0a");
	BAD(METRIC("help = \"a\tb\";"), "2: help contains the control character 0x09");
	BAD(METRIC("help = \"a\\x7Fb\";"), "2: help contains the control character 0x7f");
	BAD("engine = \"\";", "1: engine is empty");
	conf_free(parse_good(__LINE__, "# Latin-1 in a comment: \xe9\n"));
}

/* ---- our own rules */

static void test_windows(void **state)
{
#define WINDOW(w) "groups = ( { name = \"g\";\n window = " w ";\n events = [ \"a/B\" ]; } );"
	static const struct { int line; const char *text; uint64_t count; } rows[] = {
		{ __LINE__, WINDOW("{ event = \"a/B:C,d=1\"; count = 1; }"), 1 },
		{ __LINE__, WINDOW("{ event = \"a/B:C,d=1\"; count = 2147483647; }"), 2147483647 },
		{ __LINE__, WINDOW("{ event = \"a/B:C,d=1\"; count = 5000000000L; }"),
			UINT64_C(5000000000) },
		{ __LINE__, WINDOW("{ event = \"a/B:C,d=1\"; count = \"5000000000\"; }"),
			UINT64_C(5000000000) },
		{ __LINE__, WINDOW("{ event = \"a/B:C,d=1\"; count = \"0x10\"; }"), 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct conf *c = parse_good(rows[i].line, rows[i].text);

		assert_true(c->groups[0].has_overflow_window);
		assert_string_equal(c->groups[0].overflow_window.event.text, "a/B:C,d=1");
		assert_int_equal(c->groups[0].overflow_window.count, rows[i].count);
		assert_int_equal(c->groups[0].overflow_window.where.line, 2);
		conf_free(c);
	}
	BAD(WINDOW("5"), "2: window must be a block: window = {");
	BAD(WINDOW("{ }"), "2: key \"event\" is missing", "2: key \"count\" is missing");
	BAD(WINDOW("{ event = \"a/B\"; }"),
	    "2: key \"count\" is missing in this block: count = 1000000");
	BAD(WINDOW("{ event = \"a/B\"; counts = 5; }"),
	    "2: window has no key \"counts\"; the nearest known one is \"count\"",
	    "2: key \"count\" is missing");
	BAD(WINDOW("{ event = \"a/B\"; count = 0; }"), "2: count must be a whole number");
	BAD(WINDOW("{ event = \"a/B\"; count = -1; }"), "2: count must be a whole number");
	BAD(WINDOW("{ event = \"a/B\"; count = 1.5; }"), "2: count must be a whole number");
	BAD(WINDOW("{ event = \"a/B\"; count = \"1e6\"; }"),
	    "2: count must be a whole number");
	BAD(WINDOW("{ event = \"a/B\"; count = true; }"), "2: count must be a whole number");
	BAD(WINDOW("{ event = \"3\"; count = 5; }"), "2: \"3\" is not an event");
	BAD(WINDOW("{ event = 5; count = 5; }"), "2: event is a number");
}

static void test_wrong_types(void **state)
{
	(void)state;
	BAD("freeze = \"true\";",
	    "1: freeze is text in quotes; write freeze = true or freeze = false, without quotes");
	BAD("freeze = 1;\ntakeover = ( );", "1: freeze is a number", "2: takeover is a list");
	BAD("interval = true;", "1: interval is true or false");
	BAD("interval = { };", "1: interval is a block");
	BAD("listen = \":1\";", "1: listen is text in quotes but must be a list");
	BAD("listen = [ ];", "1: listen is an empty list; leave it out or write, for example: "
			     "listen = ");
	BAD("listen = [ 10062 ];", "1: an address of listen is a number");
	BAD("hosts = \"box\";",
	    "1: hosts is text in quotes but must be a list: hosts = [ \"box.example.org\" ]");
	BAD("hosts = [ ];", "1: hosts is an empty list");
	BAD("groups = { name = \"g\"; };", "1: groups is a block { } but must be a list");
	BAD("groups = ( );\nmetrics = [ ];", "1: groups is an empty list",
	    "2: metrics is an empty list");
	BAD("groups = ( 1 );\nmetrics = [ 1 ];", "1: a group must be a block",
	    "2: a metric must be a block");
	BAD("groups = ( \"a\",\n\"a\" );", "2: there are two groups \"a\"; the first is on line 1");
	BAD("groups = ( \"a\",\n{ name = \"a\"; metrics = [ \"x_ratio\" ]; } );",
	    "2: there are two groups \"a\"; the first is on line 1");
	BAD("groups = ( { name = \"a\"; metrics = [ \"a/B\" ]; } );",
	    "1: \"a/B\" is an event; metrics are named here");
	BAD("groups = ( { name = \"a\"; metrics = \"x\"; } );", "1: metrics is text in quotes "
		  "but must be a list");
	BAD("groups = ( { name = \"a\"; metrics = [ 1 ]; } );", "1: a metric is a number");
	BAD("groups = ( { } );", "1: key \"name\" is missing", "1: key \"events\" is missing");
	BAD("groups = ( { name = \"g\";\n events = \"a/B\"; } );",
	    "2: events is text in quotes but must be a list");
	/* what cannot be left out is not to be left out */
	BAD("groups = ( { name = \"g\"; events = [ ]; } );",
	    "1: events is an empty list; leave it out or write, for example: events = [ ");
	BAD(METRIC("guard = { numerator = ( ); denominator = ( \"a/C\" ); max = 1; };"),
	    "2: numerator is an empty list; write, for example: numerator = ( ");
}

static void test_bounds(void **state)
{
	(void)state;
	BAD("interval = \"999us\";", "1: interval = \"999us\" is not between 1ms and 8760h");
	BAD("interval = \"8761h\";", "1: is not between");
	BAD("interval = \"0s\";\nrotation = \"0s\";", "1: is not between", "2: is not between");
	BAD("interval = \"1000000d\";", "1: is not between");
	BAD("rotation = \"8761h\";", "1: is not between");
	BAD("interval = \"1\";", "1: interval = \"1\" is not a duration; write a number with its "
				 "unit (ms, s, min, h), for example: interval = \"1s\"");
	BAD("interval = \"-1s\";", "1: is not a duration");
	BAD("interval = \"1 s\";", "1: is not a duration");
	BAD("interval = \"1S\";", "1: is not a duration");
	BAD("engine = \"msr\";", "1: engine = \"msr\": expected auto, registers, perf");
	BAD("listen = [ \"localhost:10062\" ];", "1: listen: \"localhost:10062\" is not ADDR:PORT");
	BAD("listen = [ \"unix:/a\",\n\"unix:/a\",\n\"unix:b\" ];",
	    "2: listen: \"unix:/a\" is given twice", "3: listen: \"unix:b\" is not ADDR:PORT");
	BAD("listen_socket = {\nmode = \"660\"; group = 5; };\n",
	    "2: group is a number", "2: mode = \"660\": it must be four octal digits");
	BAD("listen_socket = { mode = \"0680\"; };", "1: mode = \"0680\": it must be");
	BAD("listen_socket = { mode = \"01777\"; };", "1: mode = \"01777\": it must be");
	BAD("listen_socket = \"0660\";", "1: listen_socket must be a block: listen_socket = {");
	BAD("hosts = [ \"box\",\n\"box:10062\",\n\"http://box/\",\n\"*.box\",\n\"-box\",\n"
	    "\"box..org\",\n\".box\",\n\"b x\" ];",
	    "2: hosts: \"box:10062\" is not a host name", "3: hosts: \"http://box/\"",
	    "4: hosts: \"*.box\"", "5: hosts: \"-box\"",
	    "6: hosts: \"box..org\"", "7: hosts: \".box\"", "8: hosts: \"b x\"");
	BAD("hosts = [ \"127.0.0.1\", \"[::1]\" ];",
	    "1: \"127.0.0.1\" is not a host name, such as \"box.example.org\": no port, no \"*\"; "
	    "addresses need not be given", "1: hosts: \"[::1]\"");
	BAD("hosts = [ \"b\xc3\xb6x.example\" ];", "1: hosts: ");
	BAD("groups = ( { name = \"a b\"; events = [ \"a/B\" ]; } );", "1: group name \"a b\"");
	BAD("groups = ( { name = \"g\"; events = [\n\"bbox/X,\",\n\"3\" ]; } );",
	    "2: a key (key or key=value) is missing after a comma", "3: \"3\" is not an event");
}

static void test_metric_rules(void **state)
{
#define ROW(row) "metrics = ( {\n" row " } );"
#define ND "numerator = ( \"a/B\" ); denominator = ( \"a/C\" ); "
	(void)state;
	BAD(ROW(ND), "1: key \"name\" is missing");
	BAD(ROW("name = \"x_ratio\"; denominator = ( \"a/C\" );"),
	    "1: key \"numerator\" is missing");
	BAD(ROW("name = \"X_ratio\"; " ND), "2: metric name \"X_ratio\"");
	BAD(ROW("name = \"ratio\"; " ND), "1: the name must end in its unit");
	BAD(ROW("name = \"x_cycles\"; unit = \"seconds\"; " ND),
	    "2: the name must end in its unit");
	BAD(ROW("name = \"x_cycles\"; unit = \"ycles\"; " ND), "2: the name must end in its unit");
	BAD(ROW("name = \"x_cycles\"; unit = \"Cycles\"; " ND), "2: the name must end in its unit");
	/* what promtool refuses: abbreviated and derived units, types, endings of other types */
	BAD(ROW("name = \"x_ms\"; " ND), "2: metric name \"x_ms\": \"ms\" is an abbreviated unit");
	BAD(ROW("name = \"b_to_s_ratio\"; " ND), "2: \"s\" is an abbreviated unit",
	    "2: \"b\" is an abbreviated unit");
	BAD(ROW("name = \"x_minutes\"; " ND),
	    "2: \"minutes\" is not a base unit; count in seconds");
	BAD(ROW("name = \"kilobytes_ratio\"; " ND),
	    "2: \"kilobytes\" is not a base unit; count in bytes");
	BAD(ROW("name = \"x_gauge_ratio\"; " ND), "2: \"gauge\" is a type");
	BAD(ROW("name = \"x_count\"; " ND), "2: \"count\" is an ending");
	BAD(ROW("name = \"x_sum_total\"; numerator = ( \"a/B\" );"), "2: \"sum\" is an ending");
	BAD(ROW("name = \"x_peak_ratio\"; " ND),
	    "2: \"peak\" is a word that uncored itself puts before the unit");
	conf_free(parse_good(__LINE__, ROW("name = \"count_of_peaks__ratio\"; " ND)));
	conf_free(parse_good(__LINE__, ROW("name = \"peak_to_mean_ratio\"; " ND)));
	BAD(ROW("name = \"x_ratio\"; per = \"core\"; " ND),
	    "2: per = \"core\": it must be \"unit\" or \"socket\"");
	BAD(ROW("name = \"x_bytes_total\"; " ND), "1: its name must not end in _total");
	BAD(ROW("name = \"x_bytes\"; numerator = ( \"a/B\" );"), "1: its name must end in _total");
	BAD(ROW("name = \"x_bytes_total\"; scale = 1.5; numerator = ( \"a/B\" );"),
	    "1: whole numbers above 0");
	BAD(ROW("name = \"x_bytes_total\"; scale = -1; numerator = ( \"a/B\" );"),
	    "1: whole numbers above 0");
	BAD(ROW("name = \"x_bytes_total\"; numerator = ( { event = \"a/B\"; weight = -1; } );"),
	    "1: whole numbers above 0");
	/* 2^64 / 2^53 = 2048 counts would fill such a total, and what a double holds of 1e30 is no
	 * whole number of bytes. */
	BAD(ROW("name = \"x_bytes_total\"; scale = 9007199254740992.0; numerator = ( \"a/B\" );"),
	    "1: must not exceed 1048576");
	BAD(ROW("name = \"x_bytes_total\"; scale = 1e30; numerator = ( \"a/B\" );"),
	    "1: must not exceed 1048576");
	BAD(ROW("name = \"x_bytes_total\"; scale = 1024; numerator = ( { event = \"a/B\"; weight = "
		"1025; } );"), "1: must not exceed 1048576");
	conf_free(parse_good(__LINE__, ROW("name = \"x_bytes_total\"; scale = 1024; numerator = ( "
					   "{ event = \"a/B\"; weight = 1024; } );")));
	BAD(ROW("name = \"x_bytes_total\"; numerator = ( \"seconds\" );"),
	    "2: which can only add events");
	BAD(ROW("name = \"x_bytes_total\"; numerator = ( \"a/B\" ); clamp = true; complement "
	    "= true;"),
	    "2: complement needs a denominator", "2: clamp needs a denominator");
	BAD(ROW(ND "name = \"x_ratio\"; numerator = ( \"a/B\" );"),
	    "2: \"numerator\" is set twice");
	BAD(ROW("name = \"x_ratio\"; numerator = ( 1, true, { weight = 1; } ); denominator = ( "
	    "\"Seconds\", \"a b\" );"),
	    "2: numerator is a number", "2: numerator is true or false",
	    "2: key \"event\" is missing",
	    "2: \"Seconds\" is not an event", "2: \"a b\" is not an event");
	BAD(ROW("name = \"x_ratio\"; numerator = ( { event = \"a/B\"; weight = 0; } ); denominator "
	    "= ( \"a/\" );"),
	    "2: a weight of 0", "2: an event name is missing");
	BAD(ROW("name = \"x_ratio\"; numerator = ( { event = \"a/B\"; weight = \"2\"; } ); "
	    "denominator = [ ];"),
	    "2: weight is text in quotes but must be a number", "2: denominator is an empty list");
	BAD(ROW("name = \"x_ratio\"; numerator = ( \"Minutes\" ); denominator = ( \"a/B\" );"),
	    "2: \"Minutes\" is not an event (box/EVENT) or the word \"seconds\"");
	BAD(ROW("name = \"x_ratio\"; cycles_of = \"seconds\"; " ND),
	    "2: \"seconds\" is no clock with its box, which cycles_of needs: box/EVENT");
	BAD(ROW("name = \"x_ratio\"; cycles_of = \"umc_clk\"; " ND),
	    "2: \"umc_clk\" is no clock with its box, which cycles_of needs: box/EVENT");
	conf_free(parse_good(__LINE__, ROW("name = \"x_seconds\"; cycles_of = \"a/C\"; " ND)));
	BAD(ROW("name = \"x_ratio\"; numerator = ( \"seconds\" ); denominator = ( \"seconds\" );"),
	    "1: the numerator or the denominator must name an event");
	conf_free(parse_good(__LINE__, ROW("name = \"x_ratio\"; numerator = ( \"seconds\" ); "
					   "denominator = ( \"a/B\" );")));
	BAD(ROW("name = \"x_ratio\"; guard = 1; " ND), "2: guard must be a block");
	BAD(ROW("name = \"x_ratio\"; guard = { }; " ND), "2: a guard needs \"numerator\"",
	    "2: a guard needs \"denominator\"",
	    "2: a guard needs \"max\"");
	BAD(ROW("name = \"x_ratio\"; guard = { numerator = ( \"a/B\" ); denominator = ( \"a/C\" ); "
	    "max = -1; }; " ND),
	    "2: max of a guard must be 0 or more");
	BAD(ROW("group = \"memory\"; name = \"x_ratio\"; " ND),
	    "2: a metric has no key \"group\" any more: it is evaluated wherever its events are "
	    "counted at the same time; to tie it to a group, name it there: { name = \"memory\"; "
	    "metrics = ");
}

/* All the mistakes of a file come at once, in its order within each part. */
static void test_all_at_once(void **state)
{
	(void)state;
	BAD("interval = 1;\n"
	    "rotatoin = \"1s\";\n"
	    "freeze = \"no\";\n"
	    "listen = [ \"x\",\n \"y\"\n];\n"
	    "engine = \"x\";\n"
	    "groups = ( { name = \"g!\"; events = [ \"3\",\n\"4\"\n]; } );\n"
	    "metrics = (\n{ } );\n",
	    "2: rotatoin", "1: interval", "3: freeze", "4: listen: \"x\"", "5: listen: \"y\"",
	    "7: engine",
	    "8: group name", "8: \"3\" is not an event", "9: \"4\" is not an event",
	    "12: key \"name\" is missing", "12: key \"numerator\" is missing", NULL);
}

/* text repeated n times between head and tail */
static char *repeat(const char *head, const char *text, unsigned n, const char *tail)
{
	char *s = malloc(strlen(head) + n * strlen(text) + strlen(tail) + 1), *p = s;

	assert_non_null(s);
	p = stpcpy(p, head);
	while (n--)
		p = stpcpy(p, text);
	strcpy(p, tail);
	return s;
}

static void test_sizes(void **state)
{
	static const struct { int line; const char *head, *text; unsigned n; const char *tail,
			      *want; } rows[] = {
		{ __LINE__, "metrics = (", "{},", 256, "{} );", "1: more than 256 metrics; remove 1" },
		{ __LINE__, "groups = (", "{},", 300, "{} );", "1: more than 256 groups; remove 45" },
		{ __LINE__, "groups = ( { name = \"g\"; events = [", "\"a/B\",", 1024, "\"a/B\" ]; "
			  "} );", "1: more than 1024 events; remove 1" },
		{ __LINE__, "listen = [", "\":1\",", 64, "\":1\" ];", "1: listen has more than 64 addresses; remove 1" },
		{ __LINE__, "hosts = [", "\"a\",", 64, "\"a\" ];", "1: hosts has more than 64 names; remove 1" },
		{ __LINE__, "hosts = [ \"", "a", 255, "\" ];", "1: hosts: \"aaa" },
		{ __LINE__, "metrics = ( { name = \"x_ratio\"; denominator = ( \"a/B\" );\n"
		  "numerator = (", "\"a/B\",", 64,
		  "\"a/B\" ); } );", "2: numerator has more than 64 addends; remove 1" },
		{ __LINE__, "interval = ", "(", 17, "", "1: more than 16 levels" },
		{ __LINE__, "interval = ", "(", 100000, "", "1: more than 16 levels" },
		{ __LINE__, "interval = (", "1,", 65536, "1 );", "1: more than 65536 values" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *s = repeat(rows[i].head, rows[i].text, rows[i].n, rows[i].tail);

		parse_bad_n(rows[i].line, s, strlen(s),
			    (const char *const[]){ rows[i].want, NULL });
		free(s);
	}
}

static void test_file_size(void **state)
{
	char *s = repeat("#", " ", CONF_MAX - 1, " ");
	struct diags d = { 0 };
	struct conf *c = NULL;

	(void)state;
	conf_free(parse_good_n(__LINE__, s, CONF_MAX));
	assert_int_equal(conf_parse(FILE_NAME, s, CONF_MAX + 1, &c, &d), -EINVAL);
	assert_string_equal(d.v[0], FILE_NAME ": the file is larger than 1048576 bytes");
	diags_done(&d);
	free(s);
	parse_bad_n(__LINE__, "interval = \"1s\";\n\0freeze = x", 28,
		    (const char *const[]){ "2: a NUL byte", NULL });
}

/* As a full disk, or a program that writes in place, leaves it; a comment is a configuration. */
static void test_empty(void **state)
{
	static const char *const texts[] = { "", "\n", " ", "\r\n\t \f\v\n", "\xef\xbb\xbf",
					     "\xef\xbb\xbf\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		parse_bad_n(__LINE__, texts[i], strlen(texts[i]),
			    (const char *const[]){ "1: the file is empty", NULL });
}

static void test_too_many_specs(void **state)
{
	char *events = repeat("", "\"a/B\",", 1023, "\"a/B\""), *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	assert_non_null(f);
	fprintf(f, "groups = (\n");
	for (int i = 0; i < 4; i++)
		fprintf(f, "{ name = \"g%d\"; events = [ %s ]; },\n", i, events);
	fprintf(f, "{ name = \"last\"; events = [ \"a/B\", \"a/C\" ]; } );");
	fclose(f);
	parse_bad_n(__LINE__, text, n, (const char *const[]){ "6: more than 4096 events", NULL });
	free(text);
	free(events);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trap_integers), cmocka_unit_test(test_trap_large_numbers),
		cmocka_unit_test(test_trap_lines),
		cmocka_unit_test(test_trap_unknown_keys), cmocka_unit_test(test_trap_include),
		cmocka_unit_test(test_trap_silence), cmocka_unit_test(test_trap_syntax),
		cmocka_unit_test(test_trap_duplicates), cmocka_unit_test(test_trap_strings),
		cmocka_unit_test(test_windows), cmocka_unit_test(test_wrong_types),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_metric_rules), cmocka_unit_test(test_all_at_once),
		cmocka_unit_test(test_sizes), cmocka_unit_test(test_file_size),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_too_many_specs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
