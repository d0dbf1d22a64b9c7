/* SPDX-License-Identifier: MIT
 * Tables of expectations: tab-separated, comment lines, one header line. */
#ifndef TESTS_TSV_H
#define TESTS_TSV_H

#include <stdint.h>

#define TSV_COLUMNS 16
struct tsv_row {
	unsigned line;                  /* in the file, for messages */
	char *col[TSV_COLUMNS];         /* "" where the row is shorter */
};
struct tsv {
	const char *name;
	struct tsv_row *rows;
	unsigned n;
	char *text;
};

/* Reads tests/catalog/NAME of the source tree; fails the test if it cannot. */
void tsv_read(struct tsv *t, const char *name);
void tsv_done(struct tsv *t);
/* "0x1f" or decimal; fails the test on anything else. */
uint64_t tsv_number(const struct tsv *t, const struct tsv_row *r, const char *text);
/* Prints what is wrong about a row, with file and line; returns 1. */
unsigned tsv_wrong(const struct tsv *t, const struct tsv_row *r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
