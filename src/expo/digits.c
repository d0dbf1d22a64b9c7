/* digits.c - see digits.h. */
#include "config.h"

#include "expo/digits.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *digits_u64(char *p, uint64_t v)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char d[20];
	size_t i = sizeof(d);

	while (v >= 100) {
		i -= 2;
		memcpy(d + i, pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		i -= 2;
		memcpy(d + i, pairs + 2 * v, 2);
	} else {
		d[--i] = (char)('0' + v);
	}
	memcpy(p, d + i, sizeof(d) - i);
	return p + sizeof(d) - i;
}

/* `digits` of a fraction: leading zeros up to `places`, trailing ones dropped; nothing at all for 0. */
static char *put_fraction(char *p, uint64_t digits, int places)
{
	char *end;

	if (!digits)
		return p;
	*p++ = '.';
	end = p + places;
	for (char *d = end; d-- > p; digits /= 10)
		*d = (char)('0' + digits % 10);
	while (end[-1] == '0')
		end--;
	return end;
}

char *digits_seconds(char *p, uint64_t ns)
{
	return put_fraction(digits_u64(p, ns / 1000000000), ns % 1000000000, 9);
}

#define QUICK_MIN    1e-11
#define QUICK_MAX    0x1p53

static const double tens[] = { 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3,
			       1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16 };
enum { TENS_ONE = 11 };         /* where 1 stands */

/*
 * round_to_places - v to that many decimal places, if that reads back as v.
 *
 * v = m 2^e; v 10^places = m 5^places 2^(e + places), which fits 128 bits (places <= 27). A decimal reads back as v if it
 * is nearer than half the distance to v's neighbours, which is 5^places / 2 in the same measure.
 */
static bool round_to_places(double v, int places, uint64_t *ret)
{
	int e;
	uint64_t m = (uint64_t)ldexp(frexp(v, &e), 53), five = 1;
	unsigned __int128 product, rounded, error;
	int shift = 53 - e - places;

	for (int i = 0; i < places; i++)
		five *= 5;
	product = (unsigned __int128)m * five;
	if (shift <= 0) {
		*ret = (uint64_t)(product << -shift);
		return true;
	}
	rounded = (product + ((unsigned __int128)1 << (shift - 1))) >> shift;
	*ret = (uint64_t)rounded;
	if (rounded << shift >= product)
		return 2 * ((rounded << shift) - product) < five;
	error = product - (rounded << shift);   /* below a power of two the neighbour is half as far */
	return (m == UINT64_C(1) << 52 ? 4 : 2) * error < five;
}

/* The usual sizes, without the C library: v from QUICK_MIN to QUICK_MAX. */
static char *put_quick(char *p, double v)
{
	uint64_t digits = 0, one = 1;
	int ten = TENS_ONE, places = 0;

	while (v >= tens[ten + 1])
		ten++;
	while (v < tens[ten])
		ten--;
	for (int precision = 15; precision <= 17; precision++) {
		places = precision - 1 - (ten - TENS_ONE);
		if (places >= 0 && round_to_places(v, places, &digits))
			break;
	}
	if (places > 19)                /* 10^places is beyond 64 bits, and v below 0.001 */
		return put_fraction(digits_u64(p, 0), digits, places);
	for (int i = 0; i < places; i++)
		one *= 10;
	return put_fraction(digits_u64(p, digits / one), digits % one, places);
}

/* The C library's digits; whatever the locale calls its decimal point, of however many bytes, is one here. */
static char *put_library(char *p, double v)
{
	char text[64];
	bool point = false;

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, v);
		if (precision == 17 || strtod(text, NULL) == v)
			break;
	}
	for (const char *s = text; *s; s++) {
		bool own = (*s >= '0' && *s <= '9') || *s == '-' || *s == '+' || *s == 'e';

		if (own)
			*p++ = *s;
		else if (!point)
			*p++ = '.';
		point = !own;
	}
	return p;
}

char *digits_double(char *p, double v)
{
	assert(isfinite(v));
	if (v < 0 && v > -QUICK_MAX) {
		*p++ = '-';
		v = -v;
	}
	if (v >= 0 && v < QUICK_MAX && v == floor(v))
		return digits_u64(p, (uint64_t)v);
	return v >= QUICK_MIN && v < QUICK_MAX ? put_quick(p, v) : put_library(p, v);
}

char *digits_scaled(char *p, uint64_t v, double scale)
{
	uint64_t product;

	if (scale >= 0 && scale < 0x1p53 && scale == floor(scale) &&
	    !__builtin_mul_overflow(v, (uint64_t)scale, &product))
		return digits_u64(p, product);
	return digits_double(p, (double)v * scale);
}
