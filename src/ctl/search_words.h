/* SPDX-License-Identifier: MIT
 * What people mean by the words that they search for.
 *
 * Owns:  the words that mean the same, and what answers a question of one or two of them.
 * Never: what a machine has, how results are found and printed (search.c).
 * Pure; any thread.
 */
#ifndef CTL_SEARCH_WORDS_H
#define CTL_SEARCH_WORDS_H

#include "base/query.h"

#define SEARCH_ANSWERS 15                       /* names that answer a question, at most */

struct search_question {
	const char *words;                      /* each, or a word that means the same, and no
	                                         * others */
	const char *names[SEARCH_ANSWERS];      /* of groups, metrics, events, the best first;
	                                         * "umc NAME": of this table alone */
	const char *instead[2];                 /* what comes next to it where a machine has none
	                                         * of them */
	const char *lacks;                      /* what nothing of uncored does then:
	                                         * "counts ..." */
};

/* What the kernel counts by numbers of an event, where nothing of uncored answers a question. */
struct search_numbers {
	const char *lacks;                      /* search_question.lacks */
	const char *table, *box;                /* of the kernel's PMUs, and one of these, which
	                                         * the machine has to have */
	const char *counts;                     /* "perf/... counts ..." */
};

/* Why nothing of uncored answers a question, which is no fault of the machine's kernel. */
struct search_reason {
	const char *lacks;                      /* search_question.lacks */
	const char *tables;                     /* of the kernel's PMUs, one of them */
	const char *why;                        /* what follows "... that LACKS: " */
};

/* A query, and all words that mean the same as one of its. */
struct search_words {
	struct query all;
	uint32_t of[QUERY_WORDS];               /* the words of the query that it stands for */
};

/* The words of what was typed that say what is searched: "and", "of" and their like are none, and
 * one thing is several of it. ret begins as {}. */
void search_words_meant(const char *asked, struct query *ret);
/* ret begins as {}. */
void search_words_of(const struct query *q, struct search_words *ret);
/* The words of the query that the text has, they or what means the same; bit per word. */
uint32_t search_words_found(const struct search_words *w, const char *text);
/* Calls near(p, word) for each word that has others of its meaning and that may have been meant by
 * what was typed; the word is lent for the call. */
void search_words_near(const char *typed, void (*near)(void *p, const char *word), void *p);
/* NULL: it is none of the questions that are asked often. */
const struct search_question *search_question_of(const struct query *q);
/* NULL: none is known. */
const struct search_numbers *search_numbers_of(const struct search_question *q, const char *table);
/* NULL: none is known. before: what other tables of the machine have said; of two the one that the
 * list has first. */
const struct search_reason *search_reason_of(const struct search_question *q, const char *table,
					     const struct search_reason *before);
/* The box of the kernel's PMUs that a machine has to have for it; NULL: it holds without, or r is
 * NULL. */
const char *search_reason_box(const struct search_reason *r);

#endif
