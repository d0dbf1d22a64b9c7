/* SPDX-License-Identifier: MIT */
#include "base/query.h"

#include "base/bits.h"
#include "base/name.h"

#include <string.h>

/* One more letter of a word. What American and British English spell in two ways becomes one:
 * utilization and utilisation, behavior and behaviour, canceled and cancelled. */
static char *add_letter(char *end, char c)
{
	c = c == 'z' ? 's' : c;
	if (c == 'l' && end[-1] == 'l')
		return end;
	if (c == 'r' && end[-1] == 'u' && end[-2] == 'o')
		end--;
	*end++ = c;
	return end;
}

/* The end of "I/O", which is one word? */
static bool is_lone_o(const char *text)
{
	char after = text[0] ? name_fold(text[1]) : '\0';

	return name_fold(text[0]) == 'o' && !(after >= 'a' && after <= 'z') &&
	       !(after >= '0' && after <= '9');
}

/* The words of `text` in the form of struct query; `at` is where they begin in ret. */
static void fold(char ret[QUERY_TEXT], size_t at, const char *text)
{
	char *end = ret + at, *last = ret + QUERY_TEXT - 3;     /* a letter, a blank, the end */

	if (!at)
		*end++ = ' ';
	for (; *text && end < last; text++) {
		char c = name_fold(*text);

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			end = add_letter(end, c);
		else if (c == '/' && end[-1] == 'i' && end[-2] == ' ' && is_lone_o(text + 1))
			continue;
		else if (end[-1] != ' ')
			*end++ = ' ';
	}
	if (end[-1] != ' ')
		*end++ = ' ';
	*end = '\0';
}

void query_add(struct query *q, const char *text)
{
	fold(q->text, strlen(q->text), text);
	q->n = 0;
	for (const char *s = q->text; s[1] && q->n < QUERY_WORDS; s = strchr(s + 1, ' '))
		q->words[q->n++] = s;
}

/* A word of the query with the blank before it, and the one after it if it is a single letter. */
static size_t length(const char *word)
{
	size_t n = strcspn(word + 1, " ") + 1;

	return n == 2 ? 3 : n;
}

uint32_t query_found(const struct query *q, const char *text)
{
	char words[QUERY_TEXT];
	uint32_t found = 0;

	fold(words, 0, text ? text : "");
	for (unsigned i = 0; i < q->n; i++)
		if (memmem(words, strlen(words), q->words[i], length(q->words[i])))
			found |= (uint32_t)BIT(i);
	return found;
}

bool query_same_word(const struct query *a, unsigned of_a, const struct query *b, unsigned of_b)
{
	size_t n = strcspn(a->words[of_a] + 1, " ") + 2;

	return strncmp(a->words[of_a], b->words[of_b], n) == 0;
}

uint32_t query_all(const struct query *q)
{
	return (uint32_t)(BIT(q->n) - 1);
}

bool query_is(const struct query *q, const char *text)
{
	char words[QUERY_TEXT];

	fold(words, 0, text);
	return strcmp(words, q->text) == 0;
}
