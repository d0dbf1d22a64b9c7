/* text.c - memory and small texts for the other files of plan/.
 *
 * Owns:  "a, b and c", the nearest name.
 * Never: what the names mean.
 * Pure; any thread.
 */
#include "config.h"

#include "plan/build.h"

#include "base/name.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

void *plan_alloc(size_t n, size_t size)
{
	return must(calloc(n ? n : 1, size));
}

void *plan_grow(void *v, unsigned n, size_t size)
{
	/* Doubles at every power of two: the capacity needs no field of its own. */
	if (n == 0 || (n & (n - 1)) == 0)
		v = must(realloc(v, (n ? n * (size_t)2 : 1) * size));
	memset((char *)v + n * size, 0, size);
	return v;
}

void *plan_fit(void *v, unsigned n, size_t size)
{
	return n ? must(realloc(v, n * size)) : v;
}

char *plan_text(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return must(s);
}

char *plan_copy(const char *text)
{
	return must(strdup(text));
}

const char *plan_keep(struct plan *p, char *text)
{
	p->texts = plan_grow(p->texts, p->n_texts, sizeof(*p->texts));
	p->texts[p->n_texts++] = text;
	return text;
}

char *plan_join(const char *const *names, unsigned n)
{
	char *s = plan_text("%s", n ? names[0] : "");

	for (unsigned i = 1; i < n; i++) {
		char *longer = plan_text("%s%s%s", s, i + 1 < n ? ", " : " and ", names[i]);

		free(s);
		s = longer;
	}
	return s;
}

const char *plan_nearest(const char *name, const char *const *names, unsigned n)
{
	const char *best = NULL;
	unsigned least = ~0U;

	for (unsigned i = 0; i < n; i++) {
		unsigned d = name_distance(name, names[i]);

		if (d < least) {
			least = d;
			best = names[i];
		}
	}
	return best;
}

char *plan_nearest_text(const char *name, const char *const *names, unsigned n)
{
	const char *nearest = plan_nearest(name, names, n);
	char *list, *text;

	if (nearest && name_is_slip(name, nearest))
		return plan_text("the nearest is '%s'", nearest);
	list = plan_join(names, n);
	text = plan_text(n == 1 ? "there is only %s" : "there are %s", list);
	free(list);
	return text;
}

char *plan_counters_text(uint32_t counters)
{
	unsigned n = 0, first = 0, last = 0;
	const char *names[32];
	char digits[32][4], *list, *text;

	for (unsigned i = 0; i < 32; i++)
		if (counters & BIT(i)) {
			if (!n)
				first = i;
			last = i;
			snprintf(digits[n], sizeof(digits[n]), "%u", i);
			names[n] = digits[n];
			n++;
		}
	if (n > 2 && last - first + 1 == n)
		return plan_text("counters %u to %u", first, last);
	list = plan_join(names, n);
	text = plan_text("counter%s %s", n > 1 ? "s" : "", list);
	free(list);
	return text;
}
