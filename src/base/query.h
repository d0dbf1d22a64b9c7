/* SPDX-License-Identifier: MIT
 * Words that a person searches for, and whether a text has them.
 *
 * Owns:  what counts as the same word: case, punctuation, American and British spelling.
 * Never: what is searched, which result is the best.
 * Pure; any thread. ASCII only, whatever the locale.
 */
#ifndef BASE_QUERY_H
#define BASE_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#define QUERY_TEXT  1024        /* a text is read as far as this */
#define QUERY_WORDS 32

struct query {
	char text[QUERY_TEXT];      /* a blank before each word and one at the end */
	const char *words[QUERY_WORDS];
	unsigned n;
};

/* Adds the words of a text to a query, which begins as {}. Letters and digits are words, everything
 * else separates them: "link_utilisation" is two. "I/O" is one, like IO. */
void query_add(struct query *q, const char *text);
/* The words of the query that the text has, bit per word; text may be NULL. A word of the query may
 * be the beginning of a word of the text; one of a single letter is a whole word. */
uint32_t query_found(const struct query *q, const char *text);
/* Is this word of one query that word of the other? */
bool query_same_word(const struct query *a, unsigned of_a, const struct query *b, unsigned of_b);
/* All of its words; 0 for a query without words. */
uint32_t query_all(const struct query *q);
/* Has the text the same words in the same order, and no others? */
bool query_is(const struct query *q, const char *text);

#endif
