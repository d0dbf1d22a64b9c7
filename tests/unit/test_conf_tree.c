/* SPDX-License-Identifier: MIT
 * The tree that goes from the process with libconfig to another: what is in it, and that nothing
 * else is taken for one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "conf/tree.h"
#include "conf_test.h"

#include <sys/mman.h>

static struct conf_tree *tree_of(const char *text, size_t *ret_size)
{
	struct conf_tree *tree = NULL;
	struct diags d = { 0 };

	assert_int_equal(conf_tree_parse(FILE_NAME, text, strlen(text), false, &tree, ret_size, &d),
			 0);
	assert_true(conf_tree_check(tree, *ret_size));
	return tree;
}

static void assert_setting(const struct setting *s, unsigned type, unsigned line, const char *name)
{
	assert_int_equal(s->type, type);
	assert_int_equal(s->line, line);
	if (name)
		assert_string_equal(setting_name(s), name);
	else
		assert_int_equal(s->name, 0);
}

#define TEXT \
	"a = 7;\n" \
	"b = { c = \"text\"; d = ( 1.5, [ true, false ],\n" \
	"  { e = 5000000000; } ); };\n" \
	"f = 5000000000L; g = \"\"; h = ( );\n"

static void test_values(void **state)
{
	const struct setting *root, *b, *d, *s;
	size_t size;
	struct conf_tree *t = tree_of(TEXT, &size);

	(void)state;
	root = &t->settings[0];
	assert_int_equal(root->type, SETTING_BLOCK);
	assert_int_equal(root->n, 5);
	assert_setting(setting_element(root, 0), SETTING_INTEGER, 1, "a");
	assert_int_equal(setting_element(root, 0)->v.integer, 7);
	b = setting_find(root, "b");
	assert_setting(b, SETTING_BLOCK, 2, "b");
	s = setting_find(b, "c");
	assert_setting(s, SETTING_TEXT, 2, "c");
	assert_string_equal(setting_text(s), "text");
	d = setting_find(b, "d");
	assert_setting(d, SETTING_LIST, 2, "d");
	assert_int_equal(d->n, 3);
	assert_setting(setting_element(d, 0), SETTING_FLOAT, 2, NULL);
	assert_true(setting_element(d, 0)->v.number == 1.5);
	assert_int_equal(setting_element(d, 1)->type, SETTING_LIST);
	assert_int_equal(setting_element(setting_element(d, 1), 0)->v.integer, 1);
	assert_int_equal(setting_element(setting_element(d, 1), 1)->v.integer, 0);
	s = setting_find(setting_element(d, 2), "e");
	assert_setting(s, SETTING_WIDE, 3, "e");                /* it lacks its L */
	assert_string_equal(setting_text(s), "5000000000");
	s = setting_find(root, "f");
	assert_setting(s, SETTING_INTEGER, 4, "f");
	assert_int_equal(s->v.integer, 5000000000);
	assert_string_equal(setting_text(setting_find(root, "g")), "");
	assert_int_equal(setting_find(root, "h")->n, 0);
	assert_null(setting_find(root, "x"));
	assert_null(setting_find(NULL, "a"));
	free(t);
}

/* A text that the scan lets pass and libconfig does not is none; what libconfig says is. */
static void test_refused(void **state)
{
	const struct scan scan = { .text = "a = ;\n" };
	size_t size;
	struct conf_tree *t = conf_tree_make(&scan, &size);
	struct diags d = { 0 };
	struct conf *c;

	(void)state;
	assert_true(conf_tree_check(t, size));
	assert_int_equal(t->settings[0].type, SETTING_TEXT);
	assert_int_equal(t->settings[0].line, 1);
	assert_string_equal(setting_text(&t->settings[0]), "syntax error");
	assert_int_equal(conf_read(FILE_NAME, t, size, &c, &d), -EINVAL);
	assert_null(c);
	assert_int_equal(d.n, 1);
	diags_done(&d);
	free(t);
}

/* A copy behind which no byte can be read, until the next one. What is between its end and the next
 * multiple of 8, where it has to begin, is no 0: a text that goes on there ends the test. */
static struct conf_tree *fenced(const void *bytes, size_t n)
{
	enum { SIZE = 1 << 16 };
	static char *memory;
	char *to;

	if (!memory) {
		memory = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
		assert_ptr_not_equal(memory, MAP_FAILED);
		assert_int_equal(mprotect(memory + SIZE, SIZE, PROT_NONE), 0);
	}
	assert_true(n <= SIZE);
	memset(memory, 0xff, SIZE);
	to = memory + (SIZE - n) / 8 * 8;
	memcpy(to, bytes, n);
	return (struct conf_tree *)to;
}

/* Every element, name and text that can be reached lies in the tree. */
static void walk(const struct setting *s, const char *begin, const char *end)
{
	assert_true((const char *)s >= begin && (const char *)(s + 1) <= end);
	if (s->name)
		assert_true(setting_name(s) + strlen(setting_name(s)) < end);
	if (s->text)
		assert_true(setting_text(s) + strlen(setting_text(s)) < end);
	for (uint32_t i = 0; i < s->n; i++)
		walk(setting_element(s, i), begin, end);
}

/* Whatever changes in it: it is no tree any more, or one that is read like any other. */
static void test_changed(void **state)
{
	static const uint32_t values[] = { 0, 1, 2, 7, 8, 31, 32, 0x7fffffff, 0x80000000,
					   0xffffffff };
	unsigned refused = 0, read = 0;
	size_t size;
	struct conf_tree *t = tree_of(TEXT, &size);
	size_t end = sizeof(*t) + t->n * sizeof(t->settings[0]);

	(void)state;
	for (size_t at = 0; at < end; at += sizeof(uint32_t)) {
		for (unsigned i = 0; i < 2 * COUNT(values); i++) {
			struct conf_tree *bad = fenced(t, size);
			AUTO_DONE(diags_done) struct diags d = { 0 };
			AUTO_FREE(conf_free) struct conf *c = NULL;
			uint32_t word;

			memcpy(&word, (char *)bad + at, sizeof(word));
			word = i < COUNT(values) ? values[i] : word + values[i - COUNT(values)];
			memcpy((char *)bad + at, &word, sizeof(word));
			if (!conf_tree_check(bad, size)) {
				assert_int_equal(conf_read(FILE_NAME, bad, size, &c, &d),
						 -EINVAL);
				assert_null(c);
				assert_int_equal(d.n, 1);
				refused++;
				continue;
			}
			walk(&bad->settings[0], (const char *)bad, (const char *)bad + size);
			conf_read(FILE_NAME, bad, size, &c, &d);
			read++;
		}
	}
	assert_true(refused > read && read > 100);
	free(t);
}

static void test_cut(void **state)
{
	size_t size;
	struct conf_tree *t = tree_of(TEXT, &size);

	(void)state;
	for (size_t n = 0; n < size; n++)
		assert_false(conf_tree_check(fenced(t, n), n));
	free(t);
}

/* What is written by hand after the description in tree.h: with one setting too many, or with
 * elements that belong to two. */
static void test_by_hand(void **state)
{
	struct {
		uint64_t n;
		struct setting v[3];
		char text[8];
	} t = { .n = 3 };
	struct {
		uint64_t n;
		struct setting v[1];
	} alone = { .n = 1 };
	size_t size = sizeof(t);

	(void)state;
	t.v[0] = (struct setting){ .type = SETTING_BLOCK, .first = 1, .n = 1 };
	t.v[1] = (struct setting){ .type = SETTING_LIST, .line = 1, .name = 64, .first = 1,
				   .n = 1 };
	t.v[2] = (struct setting){ .type = SETTING_INTEGER, .line = 1, .v.integer = 5 };
	memcpy(t.text, "a-b_*xy", 8);
	assert_true(conf_tree_check(&t, size));
	t.text[1] = ' ';                        /* no name */
	assert_false(conf_tree_check(&t, size));
	t.text[1] = '\0';                       /* one text too many */
	assert_false(conf_tree_check(&t, size));
	t.text[1] = '-';
	t.text[7] = 'z';                        /* it does not end */
	assert_false(conf_tree_check(&t, size));
	t.text[7] = '\0';
	t.v[0].n = 2;                           /* the last one would have two owners */
	assert_false(conf_tree_check(&t, size));
	t.v[0].n = 1;
	t.v[1].n = 0;                           /* and now none */
	assert_false(conf_tree_check(&t, size));
	t.v[0].n = 0;                           /* nor has the next; its own are nowhere */
	t.v[1].n = 1;
	t.v[1].first = 0x10000000;
	assert_false(conf_tree_check(&t, size));
	t.v[0].n = 1;
	t.v[1].first = 0;                       /* its own element */
	assert_false(conf_tree_check(&t, size));
	t.v[1].first = 1;
	t.v[2].type = SETTING_FLOAT + 1;
	assert_false(conf_tree_check(&t, size));
	t.v[2].type = SETTING_BOOL;
	assert_true(conf_tree_check(&t, size));

	/* an element that would lie behind the end, where no text is either */
	alone.v[0] = (struct setting){ .type = SETTING_LIST, .first = 1, .n = 1 };
	assert_false(conf_tree_check(fenced(&alone, sizeof(alone)), sizeof(alone)));
	alone.v[0].n = 0;
	assert_true(conf_tree_check(fenced(&alone, sizeof(alone)), sizeof(alone)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_changed), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
