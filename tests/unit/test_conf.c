/* SPDX-License-Identifier: MIT
 * The configuration file: what is read, also from the one that is installed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "conf_test.h"

/* ---- what is read */

static void check_defaults(const struct conf *c)
{
	assert_int_equal(c->interval, 1000000000);
	assert_int_equal(c->rotation, 1000000000);
	assert_false(c->freeze);
	assert_false(c->takeover);
	assert_int_equal(c->engine.kind, CONF_AUTO);
	assert_int_equal(c->n_listen, 1);
	assert_string_equal(c->listen[0], "127.0.0.1:10062");
	assert_false(c->listen_given);
	assert_null(c->hosts);
	assert_false(c->groups_given);
	assert_int_equal(c->n_groups, 0);
	assert_int_equal(c->n_metrics, 0);
}

static void test_defaults(void **state)
{
	static const char *const texts[] = { "# nothing", "// nothing", "/* nothing */",
					     "\r\n\t \f#", "\xef\xbb\xbf#" };
	struct conf *c = conf_default();

	(void)state;
	check_defaults(c);
	conf_free(c);
	conf_free(NULL);
	for (size_t i = 0; i < COUNT(texts); i++) {
		c = parse_good(__LINE__, texts[i]);
		check_defaults(c);
		assert_string_equal(c->file, FILE_NAME);
		conf_free(c);
	}
}

static const char whole[] =
	"interval = \"250ms\";\n"
	"rotation : \"1.1s\"\n"                         /* ':' is '=', the ';' may be missing */
	"freeze = TRUE; takeover = true;\n"
	"listen = [ \"127.0.0.1:0\",\n"
	"           \"[::1]:10062\"\n"
	"]; hosts = [ \"box.example.org.\", \"Counters_1\" ];\n"
	"engine = \"model:nehalem-ex:stream\";\n"
	"groups = (\n"
	"  { name = \"memory\"; events = [ \"bbox/IMT_VALID_OCCUPANCY\",\n"
	"      \"cbox3/LLC_HITS:M:E,threshold=2\"\n"
	"    ]; },\n"
	"  { name = \"Links-0.1_x\"; events = ( \"perf/msr/tsc/\" ); }\n"
	");\n"
	"metrics = (\n"
	"  { name = \"imt_latency_seconds\"; unit = \"seconds\"; per = \"unit\"; "
	"scale = 32.0;\n"
	"    numerator = ( \"bbox/IMT_VALID_OCCUPANCY\" );\n"
	"    denominator = ( { event = \"bbox/IMT_INSERTS_ALL\"; weight = 1; }, { event = "
	"\"seconds\"; weight = -2.5; },\n"
	"                    \"link_bytes\" );\n"
	"    cycles_of = \"wbox/CLOCKTICKS\"; complement = true; clamp = true; help = \"a "
	"\\\"b\\\" \" \"\\\\ c\";\n"
	"    guard = { numerator = ( \"bbox/CONFLICTS\" ); denominator = ( "
	"\"bbox/IMT_INSERTS_ALL\" ); max = 0.05; }; },\n"
	"  { name = \"sent_flits_total\"; per = \"socket\"; scale = 0x10; numerator = ( "
	"\"rbox/FLITS_SENT,port=0\" ); }\n"
	");\n";

static void test_whole(void **state)
{
	struct conf *c = parse_good(__LINE__, whole);

	(void)state;
	assert_int_equal(c->interval, 250000000);
	assert_int_equal(c->interval_where.line, 1);
	assert_int_equal(c->rotation, 1250000000);      /* 1.1 s rounded up to five intervals */
	assert_true(c->freeze);
	assert_true(c->takeover);
	assert_true(c->listen_given);
	assert_int_equal(c->n_listen, 2);
	assert_string_equal(c->listen[1], "[::1]:10062");
	assert_int_equal(c->listen_where.line, 4);
	assert_string_equal(c->hosts, " box.example.org Counters_1");
	assert_int_equal(c->engine.kind, CONF_MODEL);
	assert_string_equal(c->engine.processor, "nehalem-ex");
	assert_string_equal(c->engine.workload, "stream");
	assert_int_equal(c->engine_where.line, 7);
	conf_free(c);
}

static void test_whole_groups(void **state)
{
	struct conf *c = parse_good(__LINE__, whole);
	const struct conf_group *g = c->groups;

	(void)state;
	assert_true(c->groups_given);
	assert_int_equal(c->n_groups, 2);
	assert_string_equal(g[0].name, "memory");
	assert_int_equal(g[0].where.line, 9);
	assert_ptr_equal(g[0].where.file, c->file);
	assert_int_equal(g[0].n_specs, 2);
	assert_int_equal(g[0].specs[0].where.line, 9);
	assert_string_equal(g[0].specs[1].text, "cbox3/LLC_HITS:M:E,threshold=2");
	assert_int_equal(g[0].specs[1].unit, 3);
	assert_int_equal(g[0].specs[1].where.line, 10); /* libconfig says 11, the line of the "]" */
	assert_string_equal(g[1].name, "Links-0.1_x");
	assert_true(g[1].specs[0].perf);
	conf_free(c);
}

static unsigned terms(const struct cat_term *t)
{
	unsigned n = 0;

	for (; t->spec; t++, n++)
		assert_false(t->faulty);
	return n;
}

static void test_whole_metrics(void **state)
{
	struct conf *c = parse_good(__LINE__, whole);
	const struct conf_metric *m = c->metrics;

	(void)state;
	assert_int_equal(c->n_metrics, 2);
	assert_string_equal(m->row.name, "imt_latency_seconds");
	assert_string_equal(m->row.unit, "seconds");
	assert_string_equal(m->row.help, "a \"b\" \\ c");
	assert_int_equal(m->where.line, 15);
	assert_int_equal(m->row.per, CAT_PER_UNIT);
	assert_true(m->row.scale == 32);
	assert_int_equal(terms(m->row.num), 1);
	assert_string_equal(m->row.num[0].spec, "bbox/IMT_VALID_OCCUPANCY");
	assert_true(m->row.num[0].weight == 1);
	assert_int_equal(terms(m->row.den), 3);
	assert_string_equal(m->row.den[0].spec, "bbox/IMT_INSERTS_ALL");
	assert_string_equal(m->row.den[1].spec, "seconds");
	assert_true(m->row.den[1].weight == -2.5);
	assert_string_equal(m->row.den[2].spec, "link_bytes");
	assert_int_equal(m->row.den[2].line, 18);
	assert_string_equal(m->row.cycles_of, "wbox/CLOCKTICKS");
	assert_true(m->row.complement && m->row.clamp);
	assert_int_equal(terms(m->row.guard->num), 1);
	assert_int_equal(terms(m->row.guard->den), 1);
	assert_true(m->row.guard->max == 0.05);

	m++;
	assert_string_equal(m->row.unit, "flits");	/* left out: the last word before _total */
	assert_null(m->row.help);
	assert_int_equal(m->row.per, CAT_PER_SOCKET);
	assert_true(m->row.scale == 16);
	assert_null(m->row.den);
	assert_false(m->row.cycles_of || m->row.complement || m->row.clamp || m->row.guard);
	conf_free(c);
}

static void test_rotation(void **state)
{
	static const struct { int line; const char *text; nsec interval, rotation; } rows[] = {
		{ __LINE__, "interval = \"1ms\";", 1000000, 1000000000 },
		{ __LINE__, "interval = \"1h\";", 3600000000000, 3600000000000 },
		/* less than half of what the B-Box allows: 2^48 / (2.67 GHz x 1.25) / 2 = 42169
		 * s */
		{ __LINE__, "interval = \"11h\";", 39600000000000, 39600000000000 },
		{ __LINE__, "interval = \"2s\";", 2000000000, 2000000000 },
		{ __LINE__, "interval = \"300ms\"; rotation = \"1s\";", 300000000, 1200000000 },
		{ __LINE__, "rotation = \"1ms\";", 1000000000, 1000000000 },
		{ __LINE__, "rotation = \"24h\";", 1000000000, 86400000000000 },
		{ __LINE__, "rotation = \"3s\";", 1000000000, 3000000000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct conf *c = parse_good(rows[i].line, rows[i].text);

		if (c->interval != rows[i].interval || c->rotation != rows[i].rotation)
			fail_msg("line %d: %lld %lld", rows[i].line, (long long)c->interval,
				 (long long)c->rotation);
		conf_free(c);
	}
}

#define METRIC(row) \
	"metrics = ( { name = \"x_ratio\"; numerator = ( \"a/B\" ); denominator = ( \"a/C\" );\n" \
	row " } );"
#define GROUP(more) "groups = ( { name = \"a\"; events = [ \"b/C\" ];\n" more " } );"

static void test_resolution(void **state)
{
	struct conf *c;

	(void)state;
	c = parse_good(__LINE__, "interval = \"30ms\"; peak_window = \"5min\";" GROUP(""));
	assert_int_equal(c->resolution.every, 30000000);
	assert_int_equal(c->groups[0].resolution.every, 30000000);
	assert_int_equal(c->groups[0].resolution.where.line, 0);
	assert_int_equal(c->peak_window, 300000000000);
	conf_free(c);
	c = parse_good(__LINE__, "resolution = \"250ms\";" GROUP("") "\n");
	assert_int_equal(c->groups[0].resolution.every, 250000000);
	assert_int_equal(c->groups[0].resolution.where.line, 1);
	assert_int_equal(c->peak_window, 60000000000);
	conf_free(c);
	c = parse_good(__LINE__, "resolution = \"250ms\";" GROUP("resolution = \"1ms\";"));
	assert_int_equal(c->groups[0].resolution.every, 1000000);
	assert_int_equal(c->groups[0].resolution.where.line, 2);
	conf_free(c);
	BAD(GROUP("resolution = \"30ms\";"),
	    "2: resolution = \"30ms\": the interval of 1s must be a whole multiple of it");
	BAD(GROUP("resolution = \"2s\";"),
	    "2: resolution = \"2s\": the interval of 1s must be a whole multiple of it");
	BAD("resolution = \"999us\";", "1: resolution = \"999us\" is not between 1ms and ");
	BAD("resolution = 10;",
	    "1: resolution is a number but must be text in quotes: resolution = \"10ms\"");
	BAD("peak_window = \"999ms\";", "1: peak_window = \"999ms\" is not between 1s and ");
	BAD("interval = \"500us\";", "1: interval = \"500us\" is not between 1ms and ");
}

static void test_distribution(void **state)
{
	struct conf *c;

	(void)state;
	c = parse_good(__LINE__, GROUP(""));
	assert_int_equal(c->groups[0].distribution.wanted, CONF_BY_DEFAULT);
	conf_free(c);
	c = parse_good(__LINE__, GROUP("distribution = false;") METRIC("distribution = true;"));
	assert_int_equal(c->groups[0].distribution.wanted, CONF_OFF);
	assert_int_equal(c->metrics[0].distribution.wanted, CONF_ON);
	assert_int_equal(c->metrics[0].distribution.metric.n, 0);
	assert_false(c->groups[0].distribution.counters || c->metrics[0].distribution.counters);
	conf_free(c);
	c = parse_good(__LINE__, GROUP("distribution = true;"));
	assert_true(c->groups[0].distribution.wanted == CONF_ON &&
		    c->groups[0].distribution.counters);
	conf_free(c);
	c = parse_good(__LINE__, GROUP("distribution = { counters = false; };"));
	assert_true(c->groups[0].distribution.wanted == CONF_ON &&
		    !c->groups[0].distribution.counters);
	conf_free(c);
	c = parse_good(__LINE__, GROUP("distribution = { counters = ( 1e6, 2e6 ); };"));
	assert_true(c->groups[0].distribution.counters && c->groups[0].distribution.metric.n == 0);
	assert_int_equal(c->groups[0].distribution.counter.n, 2);
	assert_true(c->groups[0].distribution.counter.at[0] == 1e6 &&
		    c->groups[0].distribution.counter.at[1] == 2e6);
	conf_free(c);
	c = parse_good(__LINE__, GROUP("distribution = { buckets = ( 0, 0.5, 2, 1e9 ); };"));
	assert_int_equal(c->groups[0].distribution.wanted, CONF_ON);
	assert_int_equal(c->groups[0].distribution.metric.n, 4);
	assert_true(c->groups[0].distribution.metric.at[0] == 0 &&
		    c->groups[0].distribution.metric.at[1] == 0.5 &&
		    c->groups[0].distribution.metric.at[3] == 1e9);
	assert_true(c->groups[0].distribution.counters && c->groups[0].distribution.counter.n == 0);
	conf_free(c);
	BAD(GROUP("distribution = \"on\";"), "2: distribution must be true, false or a block");
	BAD(GROUP("distribution = { bucket = [ 1 ]; };"),
	    "2: has no key \"bucket\"; the nearest known one is \"buckets\"");
	BAD(GROUP("distribution = { buckets = [ ]; };"), "2: buckets is an empty list");
	BAD(GROUP("distribution = { buckets = 1; };"),
	    "2: buckets is a number but must be a list");
	BAD(GROUP("distribution = { buckets = [ 1, 2, 2 ]; };"),
	    "2: buckets: bounds must rise, but 2 follows 2");
	BAD(GROUP("distribution = { buckets = [ -1, 2 ]; };"),
	    "2: buckets: a bound cannot be negative");
	BAD(GROUP("distribution = { buckets = [ \"1\" ]; };"),
	    "2: a bound of buckets is text in quotes but must be a number");
	BAD(GROUP("distribution = { buckets = [ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ]; };"),
	    "2: buckets has more than 11 bounds");
	BAD(METRIC("distribution = { buckets = [ 3, 2 ]; };"), "2: buckets: bounds must rise");
	BAD(GROUP("distribution = { counters = \"all\"; };"),
	    "2: counters is text in quotes but must be a list");
	BAD(GROUP("distribution = { counters = [ 3, 2 ]; };"), "2: counters: bounds must rise");
	BAD(METRIC("distribution = { counters = true; };"),
	    "2: a distribution has no key \"counters\"");
}

/* What is left of a file with mistakes, for those who look for more; nothing of a malformed one. */
static void test_keep(void **state)
{
	static const char text[] =
		"interval = 1;\nrotation = \"3s\";\nbogus = 1;\n"
		"groups = ( { name = \"a b\"; events = [ \"a/B\", \"a/\", \"a/C\" ]; }, { name = "
		"\"h\"; events = [ \"a/D\" ]; } );\n"
		"metrics = ( { name = \"x\"; }, { name = \"x_ratio\"; numerator = ( \"a/B\" ); "
		"denominator = ( \"a/C\" ); } );\n";
	struct diags d = { 0 };
	struct conf *c = NULL;

	(void)state;
	assert_int_equal(conf_parse_keep(FILE_NAME, text, strlen(text), &c, &d), -EINVAL);
	/* interval, bogus, "a b", "a/", and of x: unit, numerator, _total */
	assert_int_equal(d.n, 7);
	assert_non_null(c);
	assert_true(c->faulty);
	assert_int_equal(c->interval, 1000000000);
	assert_int_equal(c->rotation, 3000000000);
	assert_int_equal(c->n_groups, 2);
	assert_string_equal(c->groups[0].name, "?");
	assert_int_equal(c->groups[0].n_specs, 2);
	assert_string_equal(c->groups[0].specs[1].event, "C");
	assert_string_equal(c->groups[1].name, "h");
	assert_true(c->groups[0].faulty && !c->groups[1].faulty && c->group_name_unread);
	assert_true(c->resolution.unread && c->groups[1].resolution.unread);
	assert_int_equal(c->n_metrics, 2);
	assert_true(c->metrics[0].faulty && !c->metrics[1].faulty);
	assert_string_equal(c->metrics[1].row.name, "x_ratio");
	conf_free(c);
	diags_done(&d);

	/* for another engine, everything after this would be wrong */
	assert_int_equal(conf_parse_keep(FILE_NAME, "engine = 5;\nrotation = 1;", 25, &c, &d),
			 -EINVAL);
	assert_int_equal(d.n, 2);
	assert_null(c);
	diags_done(&d);
	assert_int_equal(conf_parse_keep(FILE_NAME, "engine = \"modell\";", 18, &c, &d), -EINVAL);
	assert_null(c);
	diags_done(&d);

	assert_int_equal(conf_parse_keep(FILE_NAME, "groups = (", 10, &c, &d), -EINVAL);
	assert_null(c);
	diags_done(&d);
	assert_int_equal(conf_parse_keep(FILE_NAME, "#", 1, &c, &d), 0);
	assert_false(c->faulty);
	conf_free(c);
}

/* Editors of Windows put it there; it is no part of the text. */
static void test_byte_order_mark(void **state)
{
	struct conf *c = parse_good(__LINE__, "\xef\xbb\xbf" "rotation = \"2s\";");

	(void)state;
	assert_int_equal(c->rotation, 2 * NSEC_PER_SEC);
	conf_free(c);
	conf_free(parse_good(__LINE__, "\xef\xbb\xbf#"));
	BAD("\n\xef\xbb\xbf", "2: the byte 0xef is only allowed in a string");
	BAD("\xef\xbb", "1: the byte 0xef is only allowed in a string");
}

/* An element of groups that is no block is left out: what is left has its defaults, and may be
 * planned. */
static void test_groups_that_are_no_blocks(void **state)
{
	static const char *const rows[] = { "[ 1, 2 ]", "[ 1.5 ]", "[ true ]", "( 1 )", "( () )",
					    "( [] )",
					    "( ( { name = \"m\"; } ) )",
					    "( [ \"m\" ], 2.5, false )" };
	static const char mixed[] = "resolution = \"10ms\";\ngroups = ( 1, { name = \"m\"; "
				    "events = [ \"a/B\" ]; },\n[ \"n\" ] );\n"
				    "metrics = ( { name = \"x_ratio\"; numerator = "
				    "( \"a/B\" ); denominator = ( \"a/C\" ); } );\n";
	struct diags d = { 0 };
	struct conf *c = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[100];
		int n = snprintf(text, sizeof(text), "\ngroups = %s;\n", rows[i]);

		assert_int_equal(conf_parse_keep(FILE_NAME, text, (size_t)n, &c, &d), -EINVAL);
		if (!c || !c->faulty || !c->groups_given || c->n_groups || !d.n)
			fail_msg("%s", rows[i]);
		for (size_t k = 0; k < d.n; k++)
			if (!strstr(d.v[k], "t.conf:2: a group must be a block: groups = ( { name "
					    "= \"memory\"; events = [ "))
				fail_msg("%s: %s", rows[i], d.v[k]);
		conf_free(c);
		diags_done(&d);
	}
	assert_int_equal(conf_parse_keep(FILE_NAME, mixed, strlen(mixed), &c, &d), -EINVAL);
	assert_int_equal(d.n, 2);
	assert_true(strstr(d.v[0], "t.conf:2: a group must be a block") &&
		    strstr(d.v[1], "t.conf:3: a group must be a block"));
	assert_int_equal(c->n_groups, 1);
	assert_string_equal(c->groups[0].name, "m");
	assert_int_equal(c->groups[0].resolution.every, 10 * NSEC_PER_MSEC);
	conf_free(c);
	diags_done(&d);
}

/* Names of ready-made groups and of metrics, with their keys. */
static void test_names(void **state)
{
	static const char text[] =
		"groups = ( \"llc\",\n  { name = \"m\"; metrics = [ \"imt_latency_seconds\",\n"
		"\"link_utilization_ratio,port=0\" ]; } );\n";
	struct conf *c = parse_good(__LINE__, text);
	const struct conf_group *g = c->groups;

	(void)state;
	assert_int_equal(c->n_groups, 2);
	assert_string_equal(g->name, "llc");
	assert_true(g->ready_made && !g->n_specs && !g->n_metrics);
	assert_int_equal(g->where.line, 1);
	g++;
	assert_true(!g->ready_made && !g->n_specs);
	assert_int_equal(g->n_metrics, 2);
	assert_string_equal(g->metrics[0].event, "imt_latency_seconds");
	assert_int_equal(g->metrics[0].n_keys, 0);
	assert_string_equal(g->metrics[1].event, "link_utilization_ratio");
	assert_string_equal(g->metrics[1].keys[0].name, "port");
	assert_string_equal(g->metrics[1].keys[0].value, "0");
	assert_int_equal(g->metrics[1].where.line, 3);
	conf_free(c);

	c = parse_good(__LINE__, "groups = [ \"llc\", \"traffic\" ];\n");
	assert_int_equal(c->n_groups, 2);
	assert_true(c->groups[0].ready_made && c->groups[1].ready_made);
	conf_free(c);
}

/* Diagnostics that came before are kept and do not count. */
static void test_earlier_diags(void **state)
{
	struct diags d = { 0 };
	struct conf *c = NULL;

	(void)state;
	diags_add(&d, (struct where){ 0 }, "before");
	assert_int_equal(conf_parse(FILE_NAME, "#", 1, &c, &d), 0);
	assert_int_equal(d.n, 1);
	conf_free(c);
	diags_done(&d);
}

/* ---- the file that is installed */

static char *read_shipped(size_t *n)
{
	const char *top = getenv("top_srcdir");
	char path[512], *text = malloc(CONF_MAX);
	FILE *f;

	snprintf(path, sizeof(path), "%s/conf/uncored.conf", top ? top : ".");
	f = fopen(path, "r");
	if (!f || !text)
		fail_msg("%s: cannot be read", path);
	*n = fread(text, 1, CONF_MAX, f);
	fclose(f);
	return text;
}

static void test_shipped(void **state)
{
	size_t n;
	char *text = read_shipped(&n);
	struct conf *c = parse_good_n(__LINE__, text, n);

	(void)state;
	check_defaults(c);
	conf_free(c);
	free(text);
}

/* Every "#" at the start of a line with no blank after it hides a setting; all of them together are
 * one configuration that says what the defaults are, and shows groups and metrics. */
static void test_shipped_examples(void **state)
{
	size_t n;
	char *text = read_shipped(&n);
	struct conf *c;

	(void)state;
	for (size_t i = 0; i + 1 < n; i++) {
		if (text[i] == '#' && (i == 0 || text[i - 1] == '\n') && text[i + 1] != ' ' &&
		    text[i + 1] != '\n')
			text[i] = ' ';
	}
	c = parse_good_n(__LINE__, text, n);
	assert_true(c->interval_where.line && c->engine_where.line && c->listen_where.line);
	assert_int_equal(c->interval, 1000000000);
	assert_int_equal(c->rotation, 1000000000);
	assert_false(c->freeze || c->takeover);
	assert_int_equal(c->engine.kind, CONF_AUTO);
	assert_int_equal(c->n_listen, 1);
	assert_string_equal(c->listen[0], "127.0.0.1:10062");
	assert_int_equal(c->n_groups, 3);
	assert_int_equal(c->n_metrics, 4);
	for (unsigned i = 0; i < c->n_metrics; i++)
		assert_non_null(c->metrics[i].row.help);
	conf_free(c);
	free(text);
}

/* Of the vectors of draft-eastlake-fnv, folded by hand. */
static void test_hash(void **state)
{
	(void)state;
	assert_int_equal(conf_hash(NULL, 0), UINT64_C(0x9ce484222325) ^ 0xcbf2);
	assert_int_equal(conf_hash("a", 1), UINT64_C(0xdc4c8601ec8c) ^ 0xaf63);
	/* 0x85944171f73967e8 */
	assert_int_equal(conf_hash("foobar", 6), UINT64_C(0x4171f73967e8) ^ 0x8594);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_whole),
		cmocka_unit_test(test_whole_groups),
		cmocka_unit_test(test_whole_metrics), cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_resolution), cmocka_unit_test(test_distribution),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_groups_that_are_no_blocks),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_byte_order_mark),
		cmocka_unit_test(test_earlier_diags), cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_shipped_examples), cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
