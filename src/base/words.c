/* SPDX-License-Identifier: MIT */
#include "base/words.h"

#include "base/bits.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

char *words_join(char *ret, size_t size, const char *const *names, unsigned n)
{
	size_t at = 0;

	*ret = '\0';
	for (unsigned i = 0; i < n && at < size; i++) {
		const char *before = i + 1 < n ? ", " : " and ";

		at += (size_t)snprintf(ret + at, size - at, "%s%s", i ? before : "", names[i]);
	}
	return ret;
}

char *words_list(struct arena *a, const char *const *names, unsigned n)
{
	size_t size = 1;

	for (unsigned i = 0; i < n; i++)
		size += strlen(" and ") + strlen(names[i]);
	return words_join(arena_alloc(a, size, 1), size, names, n);
}

void nearest_offer(struct nearest *n, const char *name)
{
	unsigned distance = name_distance(n->wanted, name);

	if ((n->name && distance >= n->distance) || !name_is_typo(n->wanted, name))
		return;
	n->name = name;
	n->distance = distance;
}

void words_add_nearest(struct err *e, const char *name)
{
	size_t n = e ? strlen(e->text) : 0;

	if (e && name)
		snprintf(e->text + n, sizeof(e->text) - n, "; the nearest is '%s'", name);
}

char *words_nearest(char ret[WORDS_TEXT], const char *name, const char *const *names, unsigned n)
{
	struct nearest near = { .wanted = name };
	char list[WORDS_TEXT];

	for (unsigned i = 0; i < n; i++)
		nearest_offer(&near, names[i]);
	if (near.name)
		snprintf(ret, WORDS_TEXT, "the nearest is '%s'", near.name);
	else
		snprintf(ret, WORDS_TEXT, n == 1 ? "the only choice is %s" : "the choices are %s",
			 words_join(list, sizeof(list), names, n));
	return ret;
}

char *words_counters(char ret[WORDS_TEXT], uint32_t counters)
{
	unsigned n = 0;
	const char *names[32];
	char digits[32][4], list[WORDS_TEXT];

	for (unsigned i = 0; i < 32; i++)
		if (counters & BIT(i)) {
			snprintf(digits[n], sizeof(digits[n]), "%u", i);
			names[n] = digits[n];
			n++;
		}
	if (n > 2 && counters >> __builtin_ctz(counters) == BIT(n) - 1)
		snprintf(ret, WORDS_TEXT, "counters %s to %s", names[0], names[n - 1]);
	else
		snprintf(ret, WORDS_TEXT, "counter%s %s", n > 1 ? "s" : "",
			 words_join(list, sizeof(list), names, n));
	return ret;
}
