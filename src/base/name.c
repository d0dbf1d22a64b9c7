/* SPDX-License-Identifier: MIT */
#include "base/name.h"

#include "base/bits.h"

#include <stdint.h>
#include <string.h>

void *name_find(const void *v, size_t n, size_t size, const char *name)
{
	for (const char *at = v; n--; at += size)
		if (strcmp(*(const char *const *)(const void *)at, name) == 0)
			return (void *)(uintptr_t)at;
	return NULL;
}

static char mark_fold(char c)
{
	return c == '.' || c == ':' ? '_' : name_fold(c);
}

bool name_same_marked(const char *a, const char *b)
{
	for (; *a && mark_fold(*a) == mark_fold(*b); a++, b++)
		;
	return *a == *b;
}

static const char *skip_marks(const char *s)
{
	return s + strspn(s, "-_");
}

bool name_same_unmarked(const char *a, const char *b)
{
	for (a = skip_marks(a), b = skip_marks(b); *a && name_fold(*a) == name_fold(*b);
	     a = skip_marks(a + 1), b = skip_marks(b + 1))
		;
	return *a == *b;
}

const char *name_after(const char *name, const char *prefix)
{
	for (; *prefix; prefix++, name++)
		if (name_fold(*name) != name_fold(*prefix))
			return NULL;
	return name;
}

bool name_listed(const char *list, const char *name, size_t n)
{
	for (list += strspn(list, " \t,"); *list; list += strspn(list, " \t,")) {
		size_t word = strcspn(list, " \t,"), i = 0;

		while (i < n && i < word && name_fold(list[i]) == name_fold(name[i]))
			i++;
		if (i == n && i == word)
			return true;
		list += word;
	}
	return false;
}

/* strspn() would tabulate the set at each call. */
size_t name_span(const char *s, const char *also)
{
	size_t n = 0;

	for (char c = s[n]; c; c = s[++n])
		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && !strchr(also, c))
			break;
	return n;
}

unsigned name_distance(const char *a, const char *b)
{
	/* of a's letters so far to each beginning of b; and the same one and two letters before */
	unsigned rows[3][64], n = (unsigned)strnlen(b, COUNT(rows[0]) - 1);
	unsigned *row = rows[0], *before = rows[1], *earlier = rows[2];

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; a[i]; i++) {
		unsigned *free = earlier;

		earlier = before;
		before = row;
		row = free;
		row[0] = i + 1;
		for (unsigned j = 1; j <= n; j++) {
			char x = name_fold(a[i]), y = name_fold(b[j - 1]);
			unsigned d = before[j - 1] + (x != y);

			if (before[j] + 1 < d)
				d = before[j] + 1;
			if (row[j - 1] + 1 < d)
				d = row[j - 1] + 1;
			if (i > 0 && j > 1 && x == name_fold(b[j - 2]) &&
			    y == name_fold(a[i - 1]) && earlier[j - 2] + 1 < d)
				d = earlier[j - 2] + 1;
			row[j] = d;
		}
	}
	return row[n];
}

bool name_is_typo(const char *typed, const char *name)
{
	size_t n = strlen(typed), longer = strlen(name) > n ? strlen(name) : n;
	unsigned most = (longer >= 3) + (longer >= 6);

	return name_distance(typed, name) <= most;
}
