/* SPDX-License-Identifier: MIT
 * The list of findings while it grows, and what this process may do. */
#include "ctl/doctor.h"

#include "base/bits.h"

#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void doctor_add(struct doctor *d, enum doctor_level level, const char *topic, const char *fmt, ...)
{
	struct doctor_finding *v = realloc(d->v, (d->n + 1) * sizeof(*v));
	va_list ap;

	if (!v)
		errx(CTL_TEMPORARY, DOCTOR_NO_MEMORY);
	d->v = v;
	v += d->n++;
	*v = (struct doctor_finding){ .level = level, .topic = topic };
	va_start(ap, fmt);
	if (vasprintf(&v->text, fmt, ap) < 0)
		errx(CTL_TEMPORARY, DOCTOR_NO_MEMORY);
	va_end(ap);
}

void doctor_todo(struct doctor *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&d->v[d->n - 1].todo, fmt, ap) < 0)
		errx(CTL_TEMPORARY, DOCTOR_NO_MEMORY);
	va_end(ap);
}

bool doctor_has_cap(const struct doctor *d, unsigned cap)
{
	return d->host->caps_r == 0 && (d->host->caps & BIT(cap));
}
