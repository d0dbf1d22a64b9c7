/* SPDX-License-Identifier: MIT
 * Numbers as text: every digit, whatever the locale.
 *
 * A branch that no CPU can predict costs more than both its ways: digits_double() makes 15, 16 and
 * 17 digits, and then chooses.
 *
 * Each function writes at p, where DIGITS_MAX bytes fit, adds no NUL and returns the end.
 * Pure; any thread.
 */
#ifndef EXPO_DIGITS_H
#define EXPO_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 32               /* the most bytes that any of them writes */

/* n bytes of text. */
static inline char *digits_text(char *p, const void *text, size_t n)
{
	memcpy(p, text, n);
	return p + n;
}

/* In decimal, up to 20 characters at p and no NUL; returns the place behind them, as all of these
 * do. */
char *digits_u64(char *p, uint64_t v);
/* Nanoseconds as exact decimal seconds: 1500000000 -> "1.5". */
char *digits_seconds(char *p, uint64_t ns);
/* The shortest of 15 to 17 significant digits that reads back as v. v is finite. */
char *digits_double(char *p, double v);
/* v x scale: exact digits where the product is a whole number below 2^64. scale is finite. */
char *digits_scaled(char *p, uint64_t v, double scale);

#endif
