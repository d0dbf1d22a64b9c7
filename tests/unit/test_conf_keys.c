/* SPDX-License-Identifier: MIT
 * The tables of keys: a row is all that the reader needs, and it is
 * documented. */
#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "conf/read.h"

#include "conf_test.h"

/* Does a message about line 2 say `words` if `key = value;` stands there, in `before` and `after`,
 * without the words `but`? */
static bool complains(const char *before, const char *after, const char *key, const char *value,
		      const char *words, const char *but)
{
	struct diags d = { 0 };
	struct conf *c = NULL;
	char text[400];
	bool found = false;

	snprintf(text, sizeof(text), "%s\n%s = %s;%s", before, key, value, after);
	if (conf_parse(FILE_NAME, text, strlen(text), &c, &d) == 0)
		conf_free(c);
	for (size_t i = 0; i < d.n; i++)
		found |= strstr(d.v[i], FILE_NAME ":2: ") && strstr(d.v[i], words) &&
			 !strstr(d.v[i], but);
	diags_done(&d);
	return found;
}

/* What of `1` and `{ }` each type of values is not, and what is said then. */
static const struct { const char *type, *value, *words; } types[] = {
	{ "duration", "1", "must be text in quotes" },
	{ "text", "1", "must be text in quotes" },
	{ "path", "1", "must be text in quotes" },
	{ "event", "1", "must be text in quotes" },
	{ "true or false", "1", "write" },
	{ "true, false or text", "1", "true, false or the name of a group" },
	{ "true, false or block", "1", "true, false or a block" },
	{ "number", "{ }", "must be a number" },
	{ "whole number", "{ }", "must be a whole number" },
	{ "list", "1", "must be a list" },
	{ "true, false or list", "1", "must be a list" },
	{ "block", "1", "must be a block" },
};

static void check_type(const char *before, const char *after, const struct key *k)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (strcmp(k->type, types[i].type) == 0 ||
		    (*k->choices && strcmp(types[i].type, "text") == 0)) {
			if (!complains(before, after, k->name, types[i].value, types[i].words,
				       "has no key"))
				fail_msg("%s%s is no %s", before, k->name, k->type);
			return;
		}
	fail_msg("%s%s is of an unknown type, %s", before, k->name, k->type);
}

/* In the list or block of a key; before: of those around it. */
static void check_rows(const struct block *b, const char *before, const char *after)
{
	char wrong[100], want[200], inner[200], outer[200];

	for (const struct key *k = b->keys; k < b->keys + b->n_keys; k++) {
		bool list = strcmp(k->type, "list") == 0;

		snprintf(wrong, sizeof(wrong), "%sx", k->name);
		snprintf(want, sizeof(want),
			 "%s has no key \"%s\"; the nearest known one is \"%s\"",
			 b->name, wrong, k->name);
		if (!complains(before, after, wrong, "1", want, "\n"))
			fail_msg("%s: %s", b->name, wrong);
		check_type(before, after, k);
		if (!k->help || !isupper((unsigned char)*k->help) || strlen(k->help) > 80 ||
		    strpbrk(k->help, ".\n"))
			fail_msg("%s: the help of %s", b->name, k->name);
		snprintf(inner, sizeof(inner), "%s%s = %s", before, k->name, list ? "( {" : "{");
		snprintf(outer, sizeof(outer), "%s%s", list ? "} );" : "};", after);
		if (k->block)
			check_rows(k->block, inner, outer);
	}
}

/* A row of any block is refused when it is misspelt, and read when it is not, as a value of the
 * type that it says. */
static void test_rows_are_read(void **state)
{
	(void)state;
	check_rows(&conf_root, "", "");
}

/* ---- a block that is nothing but rows */

struct lamp { double watts; bool on; nsec every; struct where every_where; uint64_t n; };
static const struct key lamp_keys[] = {
	{ "watts", "number", "What it takes", read_number, NULL, AT(lamp, watts), .def = "2.5",
	  .not_negative = "a lamp takes 0 or more" },
	{ "on", "true or false", "Whether it burns", read_bool, NULL, AT(lamp, on), .def = "true",
	  .wrong_name = "burns" },
	{ "every", "duration", "How often", read_duration, "every = \"5s\"", WHERE(lamp, every),
	  .def = "5s", .least = NSEC_PER_SEC },
	{ "number", "whole number", "Which one", read_count, "number = 7", AT(lamp, n),
	  .required = true },
};
static const struct block lamp = { BLOCK("a lamp", lamp_keys), .what = "this lamp" };

static struct lamp read_lamp(const char *text, struct diags *d)
{
	struct conf c = { .file = FILE_NAME };
	struct reader r = { .conf = &c, .d = d };
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	struct lamp ret = { 0 };
	size_t size;

	assert_int_equal(conf_tree_parse(FILE_NAME, text, strlen(text), false, &tree, &size, d), 0);
	read_block(&r, &lamp, &tree->settings[0], &ret);
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

/* The first key of block b and those in it that has this name. */
static const struct key *find_key(const struct block *b, const char *word, size_t n)
{
	const struct key *found = NULL;

	for (const struct key *k = b->keys; k < b->keys + b->n_keys && !found; k++) {
		if (strlen(k->name) == n && memcmp(k->name, word, n) == 0)
			found = k;
		else if (k->block)
			found = find_key(k->block, word, n);
	}
	return found;
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += n)
		if ((p == text || strchr(" \t\n#\"`(", p[-1])) && strchr(" ,.:\n\"`", p[n]))
			return true;
	return false;
}

/* before, between: of the key and its default, as this file has them. */
static void has_keys(const char *file, const char *text, const struct block *b, const char *before,
		     const char *between)
{
	for (const struct key *k = b->keys; k < b->keys + b->n_keys; k++) {
		bool has = k->def && *k->def;

		if (!has_word(text, k->name))
			fail_msg("%s: add, where the keys of %s are, %s%s%s%s: %s", file, b->name,
				 before, k->name, has ? between : "", has ? k->def : "", k->help);
		if (k->block)
			has_keys(file, text, k->block, before, between);
	}
}

/* The number of the line in which p is. */
static unsigned line_of(const char *text, const char *p)
{
	unsigned n = 1;

	for (; text < p; text++)
		n += *text == '\n';
	return n;
}

#define MANUAL "man/uncored.conf.5"
/* The entry that begins at p names the least duration, and each word that can be chosen. */
static void check_bounds(const char *text, const char *p, const struct key *k)
{
	const unsigned at = line_of(text, p);
	const char *end = strstr(p, "\n.It ");
	char *entry = strndup(p, end ? (size_t)(end - p) : strlen(p)), least[40];

	snprintf(least, sizeof(least), "from %s", nsec_text(k->least).s);
	if (k->least && !strstr(entry, least))
		fail_msg(MANUAL ":%u: %s: add \"%s\"", at, k->name, least);
	for (const char *const *c = k->choices; *c; c++)
		if (!strstr(entry, *c))
			fail_msg(MANUAL ":%u: %s can be %s", at, k->name, *c);
	free(entry);
}

static void check_default(const char *line, unsigned at, const struct key *k)
{
	const char *says = strstr(line, " Pq "), *def = k->def ? k->def : "";

	if (says && strncmp(says, " Pq Ic ", 7) == 0)           /* that of another key */
		return;
	if (says ? !*def || !strstr(says, def) : *def != '\0')
		fail_msg(MANUAL ":%u: the default of %s is%s%s: .It Ic %s%s%s", at, k->name,
			 *def ? " " : " none", def, k->name, *def ? " Pq " : "", def);
}

/* ".It Ic scale Pq 1" is an entry with a default. Every key has one, and there are no others. */
static void test_manual_page(void **state)
{
	char *text = slurp(MANUAL), all[4096] = " ", *line;
	size_t used = 1, n;

	(void)state;
	for (char *p = text; (p = strstr(p, "\n.It Ic ")); ) {
		p += strlen("\n.It Ic ");
		line = strndup(p, strcspn(p, "\n"));
		for (char *w = line; *w && *w != 'P'; w += n, w += strspn(w, " ,")) {
			const struct key *k;

			n = strcspn(w, " ");
			k = find_key(&conf_root, w, n);
			if (!k)
				fail_msg(MANUAL ":%u: there is no key %.*s", line_of(text, p),
					 (int)n, w);
			check_default(line, line_of(text, p), k);
			if (!has_word(all, k->name))    /* another block's says the same */
				check_bounds(text, p, k);
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s ", k->name);
		}
		free(line);
	}
	has_keys(MANUAL, all, &conf_root, ".It Ic ", " Pq ");
	free(text);
}

/* The installed file names every key; one of the file itself as "#key = default;". */
static void test_installed_file(void **state)
{
#define INSTALLED "conf/uncored.conf"
	char *text = slurp(INSTALLED);

	(void)state;
	has_keys(INSTALLED, text, &conf_root, "#", " = ");
	for (const struct key *k = conf_root.keys; k < conf_root.keys + conf_root.n_keys; k++) {
		char head[100];
		const char *p;

		snprintf(head, sizeof(head), "\n#%s = ", k->name);
		p = strstr(text, head);
		if (!p)
			fail_msg(INSTALLED ": add a line: #%s = %s;", k->name, k->def);
		p += strlen(head);
		p += strspn(p, " [\"");
		if (k->def && *k->def && (strncmp(p, k->def, strlen(k->def)) != 0 ||
					  !strchr("\";", p[strlen(k->def)])))
			fail_msg(INSTALLED ":%u: the default of %s is %s", line_of(text, p),
				 k->name, k->def);
	}
	free(text);
}

/* A type gives its default where the key is absent, used so by a key of today or not. */
static void test_defaults_of_numbers(void **state)
{
	static const struct key count = { .name = "count", .def = "5000000000" };
	static const struct key number = { .name = "scale", .def = "-1.5" };
	uint64_t whole = 0;
	double real = 0;

	(void)state;
	read_count(NULL, &count, NULL, &whole);
	assert_true(whole == 5000000000);
	read_number(NULL, &number, NULL, &real);
	assert_true(real == -1.5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_read), cmocka_unit_test(test_row_is_enough),
		cmocka_unit_test(test_manual_page), cmocka_unit_test(test_installed_file),
		cmocka_unit_test(test_defaults_of_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
