/* err.c - see err.h. */
#include "config.h"

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
		va_list ap;
		int n;

		va_start(ap, fmt);
		n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
		if (n >= 0 && (size_t)n < sizeof(e->text))
			snprintf(e->text + n, sizeof(e->text) - (size_t)n, "%.*s",
				 (int)sizeof(old.text) - 1, old.text);
	}
	return r;
}

int diags_add(struct diags *d, struct where at, const char *fmt, ...)
{
	char text[1024];
	int n = 0;
	va_list ap;
	char **v;

	if (d->n == DIAGS_MAX) {
		d->dropped++;
		return -EINVAL;
	}
	if (at.file && at.line)
		n = snprintf(text, sizeof(text), "%s:%u: ", at.file, at.line);
	else if (at.file)
		n = snprintf(text, sizeof(text), "%s: ", at.file);
	if (n < 0 || (size_t)n >= sizeof(text))
		n = 0;
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);

	v = realloc(d->v, (d->n + 1) * sizeof(*v));
	if (!v) {
		d->dropped++;
		return -EINVAL;
	}
	d->v = v;
	v[d->n] = strdup(text);
	*(v[d->n] ? &d->n : &d->dropped) += 1;
	return -EINVAL;
}

void diags_done(struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->v[i]);
	free(d->v);
	memset(d, 0, sizeof(*d));
}
