/* SPDX-License-Identifier: MIT
 * The tables of keys: a row is all that the reader needs, and it is
 * documented. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "conf/read.h"

#include "conf_test.h"

/* Where a key of each block stands: on line 2. In the order of conf_blocks. */
static const struct { const char *before, *after; } places[] = {
	{ "\n", "" },
	{ "groups = ( {\n", " } );" },
	{ "groups = ( { window = {\n", " }; } );" },
	{ "groups = ( { distribution = {\n", " }; } );" },
	{ "metrics = ( {\n", " } );" },
	{ "metrics = ( { numerator = ( {\n", " } ); } );" },
	{ "metrics = ( { guard = {\n", " }; } );" },
	{ "metrics = ( { distribution = {\n", " }; } );" },
	{ "listen_socket = {\n", "};" },
	{ "tls_server_config = {\n", "};" },
};

/* Does a message about line 2 say `words` if `key = value;` stands there, without the words
 * `but`? */
static bool complains(unsigned block, const char *key, const char *value, const char *words,
		      const char *but)
{
	struct diags d = { 0 };
	struct conf *c = NULL;
	char text[400];
	bool found = false;

	snprintf(text, sizeof(text), "%s%s = %s;%s", places[block].before, key, value,
		 places[block].after);
	if (conf_parse(FILE_NAME, text, strlen(text), &c, &d) == 0)
		conf_free(c);
	for (size_t i = 0; i < d.n; i++)
		found |= strstr(d.v[i], FILE_NAME ":2: ") && strstr(d.v[i], words) &&
			 !strstr(d.v[i], but);
	diags_done(&d);
	return found;
}

/* A row is refused when it is misspelt, and read when it is not. */
static void test_rows_are_read(void **state)
{
	char wrong[100], want[200];

	(void)state;
	assert_int_equal(conf_n_blocks, COUNT(places));
	for (unsigned b = 0; b < conf_n_blocks; b++) {
		for (unsigned i = 0; i < conf_blocks[b]->n_keys; i++) {
			const char *name = conf_blocks[b]->keys[i].name;

			snprintf(wrong, sizeof(wrong), "%sx", name);
			snprintf(want, sizeof(want),
				 "%s has no key \"%s\"; the nearest known one is \"%s\"",
				 conf_blocks[b]->name, wrong, name);
			if (!complains(b, wrong, "1", want, "\n"))
				fail_msg("%s: %s", conf_blocks[b]->name, wrong);
			if (!complains(b, name, "1", name, "has no key") &&
			    !complains(b, name, "{ }", name, "has no key"))
				fail_msg("%s: %s takes anything", conf_blocks[b]->name, name);
		}
	}
}

/* ---- a block that is nothing but rows */

struct lamp { double watts; bool on; nsec every; struct where every_where; uint64_t n; };
static const struct key lamp_keys[] = {
	{ "watts", read_number, AT(lamp, watts), .def = "2.5", .not_negative = "a lamp takes 0 or more" },
	{ "on", read_bool, AT(lamp, on), .def = "true", .wrong_name = "burns" },
	{ "every", read_duration, AT(lamp, every), "every = \"5s\"", "5s", .least = NSEC_PER_SEC,
	  .where_at = AT(lamp, every_where) },
	{ "number", read_count, AT(lamp, n), "number = 7", .required = true },
};
static const struct block lamp = { BLOCK("a lamp", lamp_keys), .what = "this lamp" };

static struct lamp read_lamp(const char *text, struct diags *d)
{
	struct conf c = { .file = FILE_NAME };
	struct scan scan = { 0 };
	struct reader r = { .conf = &c, .d = d, .scan = &scan };
	struct lamp ret = { 0 };
	config_t cfg;

	config_init(&cfg);
	assert_true(config_read_string(&cfg, text));
	read_block(&r, &lamp, config_root_setting(&cfg), &ret);
	config_destroy(&cfg);
	return ret;
}

static void test_row_is_enough(void **state)
{
	static const struct { const char *text, *want; } bad[] = {
		{ "number = 1; on = 1;", ":1: on is a number; write on = true or on = false, without quotes" },
		{ "number = 1; watts = -1;", ":1: a lamp takes 0 or more" },
		{ "number = 1; every = \"1ms\";", ":1: every = \"1ms\" is not between 1s and 8760h" },
		{ "number = 1; every = 3;", ":1: every is a number but must be text in quotes: "
		  "every = \"5s\"" },
		{ "number = 0;", ":1: number must be a whole number of at least 1" },
		{ "number = 1;\nnumbers = 2;", ":2: a lamp has no key \"numbers\"; the nearest known one is \"number\"" },
		{ "number = 1; burns = 2;", ":1: a lamp has no key \"burns\"; the nearest known one is \"on\"" },
		{ "watts = 1;", ": key \"number\" is missing in this lamp: number = 7" },
	};
	struct diags d = { 0 };
	struct lamp l = read_lamp("number = 3;", &d);

	(void)state;
	assert_int_equal(d.n, 0);
	assert_true(l.watts == 2.5 && l.on && l.every == 5 * NSEC_PER_SEC && l.n == 3);
	assert_int_equal(l.every_where.line, 0);
	l = read_lamp("on = false;\nnumber = 9;\nevery = \"1h\"; watts = 60;", &d);
	assert_int_equal(d.n, 0);
	assert_true(l.watts == 60 && !l.on && l.every == 3600 * NSEC_PER_SEC && l.n == 9);
	assert_int_equal(l.every_where.line, 3);
	for (size_t i = 0; i < COUNT(bad); i++) {
		l = read_lamp(bad[i].text, &d);
		if (d.n != 1 || !strstr(d.v[0], bad[i].want))
			fail_msg("%s: %s", bad[i].text, d.n ? d.v[0] : "accepted");
		diags_done(&d);
		d = (struct diags){ 0 };
	}
}

/* ---- documents */

static char *slurp(const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[512], *text = calloc(1, CONF_MAX);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top ? top : ".", name);
	f = fopen(path, "r");
	if (!f || !text || fread(text, 1, CONF_MAX - 1, f) == 0)
		fail_msg("%s: cannot be read", path);
	fclose(f);
	return text;
}

/* The first key of this name. */
static const struct key *find_key(const char *word, size_t n)
{
	for (unsigned b = 0; b < conf_n_blocks; b++)
		for (unsigned i = 0; i < conf_blocks[b]->n_keys; i++)
			if (strlen(conf_blocks[b]->keys[i].name) == n &&
			    memcmp(conf_blocks[b]->keys[i].name, word, n) == 0)
				return &conf_blocks[b]->keys[i];
	return NULL;
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += n)
		if ((p == text || strchr(" \t\n#\"`(", p[-1])) && strchr(" ,.:\n\"`", p[n]))
			return true;
	return false;
}

/* ".It Ic scale Pq 1" is an entry with a default. Every key has one, and there are no others. */
static void test_manual_page(void **state)
{
	char *text = slurp("man/uncored.conf.5"), all[4096] = " ", *line;
	size_t used = 1, n;

	(void)state;
	for (char *p = text; (p = strstr(p, "\n.It Ic ")); ) {
		p += strlen("\n.It Ic ");
		line = strndup(p, strcspn(p, "\n"));
		for (char *w = line; *w && *w != 'P'; w += n, w += strspn(w, " ,")) {
			const struct key *k;

			n = strcspn(w, " ");
			k = find_key(w, n);
			if (!k)
				fail_msg("uncored.conf.5 has %.*s", (int)n, w);
			if (strstr(line, " Pq ") && !strstr(line, " Pq Ic ") &&
			    !(k->def && strstr(line, k->def)))
				fail_msg("uncored.conf.5, default: %s", line);
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s ", k->name);
		}
		free(line);
	}
	for (unsigned b = 0; b < conf_n_blocks; b++)
		for (unsigned i = 0; i < conf_blocks[b]->n_keys; i++)
			if (!has_word(all, conf_blocks[b]->keys[i].name))
				fail_msg("uncored.conf.5 lacks %s", conf_blocks[b]->keys[i].name);
	free(text);
}

/* The installed file names every key; one of the file itself as "#key = default;". */
static void test_installed_file(void **state)
{
	char *text = slurp("conf/uncored.conf");

	(void)state;
	for (unsigned b = 0; b < conf_n_blocks; b++)
		for (unsigned i = 0; i < conf_blocks[b]->n_keys; i++)
			if (!has_word(text, conf_blocks[b]->keys[i].name))
				fail_msg("uncored.conf lacks %s", conf_blocks[b]->keys[i].name);
	for (unsigned i = 0; i < conf_blocks[0]->n_keys; i++) {
		const struct key *k = &conf_blocks[0]->keys[i];
		char head[100];
		const char *p;

		snprintf(head, sizeof(head), "\n#%s = ", k->name);
		p = strstr(text, head);
		if (!p)
			fail_msg("uncored.conf does not set %s", k->name);
		p += strlen(head);
		p += strspn(p, " [\"");
		if (k->def && *k->def && (strncmp(p, k->def, strlen(k->def)) != 0 ||
					  !strchr("\";", p[strlen(k->def)])))
			fail_msg("uncored.conf: the default of %s is %s", k->name, k->def);
	}
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_read), cmocka_unit_test(test_row_is_enough),
		cmocka_unit_test(test_manual_page), cmocka_unit_test(test_installed_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
