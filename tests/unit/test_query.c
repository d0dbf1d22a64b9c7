/* SPDX-License-Identifier: MIT
 * Words that a text has, in either spelling. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/query.h"

#include <string.h>

/* The words of the query that are in the text. */
static uint32_t found(const char *words, const char *text)
{
	struct query q = { .n = 0 };

	query_add(&q, words);
	return query_found(&q, text);
}

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(found("imt", "bbox/IMT_FULL"), 1);
	assert_int_equal(found("imt latency", "Latency of the IMT"), 3);
	assert_int_equal(found("llc_hit", "cbox/LLC_HITS"), 3);         /* beginning of a word */
	assert_int_equal(found("imit hits", "FREQ_MAX_LIMIT hit"), 0);  /* neither is one */
	assert_int_equal(found("a b c", "C, B-Box"), 6);
	assert_int_equal(found("b", "bbox"), 0);                        /* a letter is a word */
	assert_int_equal(found("2", "QPI 2"), 1);
	assert_int_equal(found("word", NULL), 0);
	assert_int_equal(found("", "text"), 0);
}

/* "I/O" is a word, but not other words of one letter. */
static void test_io(void **state)
{
	struct query a = { .n = 0 }, b = { .n = 0 };

	(void)state;
	assert_int_equal(found("io", "Reads of an I/O hub"), 1);
	assert_int_equal(found("i/o", "io_read_bytes_total"), 1);
	assert_int_equal(found("I/O", "bytes of I/O"), 1);
	assert_int_equal(found("io", "phi/o"), 0);
	assert_int_equal(found("io", "i/other"), 0);
	query_add(&a, "hits of pages");
	query_add(&b, "page hit hits");
	assert_true(query_same_word(&a, 0, &b, 2));
	assert_false(query_same_word(&a, 0, &b, 1));
	assert_false(query_same_word(&b, 1, &a, 0));
}

/* Pairs of the Oxford English Dictionary: -ise and -ize, -our and -or, -ll- and -l-. */
static void test_spelling(void **state)
{
	static const char *const pairs[][2] = {
		{ "utilisation", "utilization" }, { "behaviour", "behavior" },
		{ "neighbouring", "neighboring" }, { "cancelled", "canceled" },
		{ "signalling", "signaling" }, { "prioritised", "prioritized" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_int_equal(found(pairs[i][0], pairs[i][1]), 1);
		assert_int_equal(found(pairs[i][1], pairs[i][0]), 1);
	}
	assert_int_equal(found("hour", "your"), 0);
}

static void test_same(void **state)
{
	struct query q = { .n = 0 };

	(void)state;
	assert_false(query_all(&q));
	query_add(&q, "Link");
	query_add(&q, "utilisation_ratio");
	assert_int_equal(q.n, 3);
	assert_int_equal(query_all(&q), 7);
	assert_true(query_is(&q, "link_utilization_ratio"));
	assert_false(query_is(&q, "link_utilization_ratios"));
	assert_false(query_is(&q, "utilization_link_ratio"));
}

/* What is longer than the buffers is cut; more words than there are bits are not asked for. */
static void test_long(void **state)
{
	char text[4 * QUERY_TEXT];
	struct query q = { .n = 0 };

	(void)state;
	for (unsigned i = 0; i + 1 < sizeof(text); i++)
		text[i] = i % 8 == 7 ? ' ' : 'a';
	text[sizeof(text) - 1] = '\0';
	query_add(&q, text);
	query_add(&q, text);
	assert_int_equal(q.n, QUERY_WORDS);
	assert_int_equal(query_all(&q), UINT32_MAX);
	assert_int_equal(query_found(&q, text), UINT32_MAX);
	memset(text, 'b', sizeof(text) - 1);
	assert_int_equal(query_found(&q, text), 0);
	q = (struct query){ .n = 0 };
	query_add(&q, text);
	assert_int_equal(q.n, 1);
	assert_int_equal(query_found(&q, text), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_io),
		cmocka_unit_test(test_spelling),
		cmocka_unit_test(test_same), cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
