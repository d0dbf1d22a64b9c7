/* SPDX-License-Identifier: MIT
 * Names as people type them: same but for case, or nearly the same.
 *
 * Pure; any thread. ASCII only, whatever the locale.
 */
#ifndef BASE_NAME_H
#define BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Upper case to lower case. */
static inline char name_fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Case-insensitive. In a table of names nearly all differ at once. */
static inline bool name_same(const char *a, const char *b)
{
	for (; *a && name_fold(*a) == name_fold(*b); a++, b++)
		;
	return *a == *b;
}

/* The same but for case, '-' and '_': "nehalem-ex", "Nehalem_EX". */
bool name_same_unmarked(const char *a, const char *b);
/* The same, and '.', ':' and '_' are one letter: "CAS_COUNT.RD", "cas_count_rd". */
bool name_same_marked(const char *a, const char *b);
/* What comes after `prefix`, whatever its case; NULL: the name does not begin so. */
const char *name_after(const char *name, const char *prefix);

/* Of n structs of `size` bytes, each of which begins with its name, or of n names alone, the one of
 * exactly this name; NULL: none. */
void *name_find(const void *v, size_t n, size_t size, const char *name);
#define NAME_FIND(v, n, name) ((__typeof__(&*(v)))name_find(v, n, sizeof(*(v)), name))

/* Is the name of n characters one of the words in list? Case-insensitive; words are separated
 * by blanks and commas. */
bool name_listed(const char *list, const char *name, size_t n);

/* A letter of a metric's name: lower case, everything but letters and digits is '_'. */
static inline char name_metric_char(char c)
{
	c = name_fold(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
}

/* How far s is letters, digits, '_' and what is in `also`. */
size_t name_span(const char *s, const char *also);

/* How many letters were left out, added, replaced, or exchanged with their neighbour, at least.
 * Case-insensitive; what is beyond 63 characters of b does not count. */
unsigned name_distance(const char *a, const char *b);

/* Is `typed` so close to `name` that it may be mistyped: at a distance of 1, and of 2 in names of
 * six letters and more? In short names as much is left over from another word: "port" is no
 * "host". Names of two letters are never alike. */
bool name_is_typo(const char *typed, const char *name);

#endif
