/* digits.h - numbers as text: own digits, every digit, whatever the locale.
 *
 * The branch that no CPU can foretell costs more than both its ways: digits_double() makes 15, 16
 * and 17 digits, and then chooses. Protobuf's doubles are those of the text's digits, so
 * nanoseconds become seconds by way of their digits too, not by a division.
 *
 * Each function writes at p, which has room for DIGITS_MAX bytes whatever the number, adds no NUL
 * and returns the end.
 * Pure; any thread.
 */
#ifndef EXPO_DIGITS_H
#define EXPO_DIGITS_H

#include <stddef.h>
#include <stdint.h>

#define DIGITS_MAX 32               /* the most bytes that any of them writes */

char *digits_u64(char *p, uint64_t v);
/* Nanoseconds as exact decimal seconds: 1500000000 -> "1.5". */
char *digits_seconds(char *p, uint64_t ns);
/* The shortest of 15 to 17 significant digits that reads back as v. v is finite. */
char *digits_double(char *p, double v);
/* v x scale: exact digits where the product is a whole number below 2^64. scale is finite. */
char *digits_scaled(char *p, uint64_t v, double scale);

#endif
