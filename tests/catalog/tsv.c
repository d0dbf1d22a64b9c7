/* SPDX-License-Identifier: MIT */
#include "tsv.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t cap = 0;

	if (!f || getdelim(&text, &cap, '\0', f) < 0)
		fail_msg("cannot read %s", path);
	fclose(f);
	return text;
}

void tsv_read(struct tsv *t, const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[4096], *rest, *line;
	unsigned number = 0, cap = 1;
	bool header = true;

	snprintf(path, sizeof(path), "%s/tests/catalog/%s", top ? top : ".", name);
	*t = (struct tsv){ .name = name, .text = read_all(path) };
	for (const char *s = t->text; *s; s++)
		cap += *s == '\n';
	t->rows = calloc(cap, sizeof(*t->rows));
	assert_non_null(t->rows);
	rest = t->text;
	while ((line = strsep(&rest, "\n"))) {
		struct tsv_row *r = &t->rows[t->n];

		number++;
		if (!*line || *line == '#')
			continue;
		if (header) {
			header = false;
			continue;
		}
		r->line = number;
		for (unsigned i = 0; i < TSV_COLUMNS; i++) {
			r->col[i] = strsep(&line, "\t");
			if (!r->col[i])
				r->col[i] = t->text + strlen(t->text);
		}
		t->n++;
	}
}

void tsv_done(struct tsv *t)
{
	free(t->rows);
	free(t->text);
}

uint64_t tsv_number(const struct tsv *t, const struct tsv_row *r, const char *text)
{
	uint64_t v = 0;

	if (num_parse_u64(text, &v) < 0)
		fail_msg("%s:%u: %s is no number", t->name, r->line, text);
	return v;
}

unsigned tsv_wrong(const struct tsv *t, const struct tsv_row *r, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_error("tests/catalog/%s:%u: %s %s %s: %s\n", t->name, r->line, r->col[0], r->col[1],
		    r->col[2], text);
	return 1;
}
