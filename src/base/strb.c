/* SPDX-License-Identifier: MIT */
#include "base/strb.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void strb_init(struct strb *b, size_t max)
{
	*b = (struct strb){ .max = max };
}

void strb_done(struct strb *b)
{
	free(b->s);
	*b = (struct strb){ .max = b->max };
}

void strb_clear(struct strb *b)
{
	b->n = 0;
	b->failed = false;
	if (b->s)
		b->s[0] = '\0';
}

/* Room for n more bytes and the NUL. */
static bool strb_grow(struct strb *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	char *s = b->s;

	b->failed |= n > b->max || b->n > b->max - n;
	while (!b->failed && cap < b->n + n + 1)
		cap *= 2;
	if (!b->failed && cap != b->cap)
		s = realloc(b->s, cap);
	b->failed |= !s;
	if (b->failed)
		return false;
	b->s = s;
	b->cap = cap;
	return true;
}

char *strb_room(struct strb *b, size_t n)
{
	if (!strb_grow(b, n))
		return NULL;
	b->n += n;
	b->s[b->n] = '\0';
	return b->s + b->n - n;
}

void strb_add_mem(struct strb *b, const void *p, size_t n)
{
	char *to = strb_room(b, n);

	if (to)
		memcpy(to, p, n);
}

void strb_add(struct strb *b, const char *s)
{
	strb_add_mem(b, s, strlen(s));
}

void strb_add_char(struct strb *b, char c)
{
	strb_add_mem(b, &c, 1);
}

void strb_addf(struct strb *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !strb_grow(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(b->s + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

char *strb_take(struct strb *b)
{
	char *s = NULL, *fit;

	if (!b->failed && strb_grow(b, 0)) {
		b->s[b->n] = '\0';
		fit = realloc(b->s, b->n + 1);  /* gives back the room to grow */
		s = fit ? fit : b->s;
		*b = (struct strb){ .max = b->max };
	}
	strb_done(b);
	return s;
}
