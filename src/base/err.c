/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int err_set(struct err *e, int r, const char *fmt, ...)
{
	if (e) {
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
	}
	return r;
}

int err_prefix(struct err *e, int r, const char *fmt, ...)
{
	if (e) {
		struct err old = *e;
		size_t n;
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
		n = strlen(e->text);
		snprintf(e->text + n, sizeof(e->text) - n, "%s", old.text);
	}
	return r;
}

int diags_add(struct diags *d, struct where at, const char *fmt, ...)
{
	char text[1024];
	int n = 0;
	va_list ap;

	if (at.file)
		n = snprintf(text, sizeof(text), at.line ? "%s:%u: " : "%s: ", at.file, at.line);
	if (n < 0 || (size_t)n >= sizeof(text))
		n = 0;
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	if (d->n < DIAGS_MAX && (d->v[d->n] = strdup(text)))
		d->n++;
	else
		d->dropped++;
	return -EINVAL;
}

void diags_move(struct diags *d, struct diags *from)
{
	for (size_t i = 0; i < from->n; i++)
		diags_add(d, (struct where){ NULL, 0 }, "%s", from->v[i]);
	d->dropped += from->dropped;
	diags_done(from);
}

void diags_done(struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->v[i]);
	memset(d, 0, sizeof(*d));
}
