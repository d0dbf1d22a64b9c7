/* SPDX-License-Identifier: MIT */
#include "base/name.h"

#include <stdint.h>
#include <string.h>

void *name_find(const void *v, size_t n, size_t size, const char *name)
{
	for (const char *at = v; n--; at += size)
		if (strcmp(*(const char *const *)(const void *)at, name) == 0)
			return (void *)(uintptr_t)at;
	return NULL;
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
	unsigned row[64], n = (unsigned)strnlen(b, sizeof(row) / sizeof(row[0]) - 1);

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; a[i]; i++) {
		unsigned diagonal = row[0];

		row[0] = i + 1;
		for (unsigned j = 1; j <= n; j++) {
			unsigned d = diagonal + (name_fold(a[i]) != name_fold(b[j - 1]));

			diagonal = row[j];
			if (row[j] + 1 < d)
				d = row[j] + 1;
			if (row[j - 1] + 1 < d)
				d = row[j - 1] + 1;
			row[j] = d;
		}
	}
	return row[n];
}

bool name_is_typo(const char *typed, const char *name)
{
	size_t n = 0;

	while (typed[n] && name_fold(typed[n]) == name_fold(name[n]))
		n++;
	return !typed[n] || name_distance(typed, name) <= strlen(typed) / 2;
}
