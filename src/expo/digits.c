/* SPDX-License-Identifier: MIT
 * The digits of a number, as fast as a scrape of thousands needs them.
 * Owns:  the shortest text that reads back as the same double; whole numbers, seconds, scaled ones.
 * Never: which number it is; the locale.
 * Pure; any thread.
 */
#include "expo/digits.h"

#include <assert.h>
#include <endian.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 100000000u        /* of eight digits */

static const uint64_t whole_tens[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
	100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
	10000000000000000,
};

/* Eight digits of v < BLOCK, the first in the lowest byte: halves are split, all at a time. */
static inline uint64_t eight_digits(uint32_t v)
{
	uint64_t fours = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t hundreds = (fours * 10486 >> 20) & 0x7f0000007f;               /* of each / 100 */
	uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
	uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;                /* of each / 10 */

	return tens | (twos - 10 * tens) << 8;
}

/* The last n of eight digits; writes eight bytes. */
static inline char *put_last(char *p, uint64_t digits, unsigned n)
{
	digits = htole64((digits | 0x3030303030303030) >> 8 * (8 - n));
	memcpy(p, &digits, 8);
	return p + n;
}

/* As many digits as v < BLOCK has. */
static inline char *put_first(char *p, uint32_t v)
{
	uint64_t digits = eight_digits(v);

	return put_last(p, digits, v ? 8 - (unsigned)__builtin_ctzll(digits) / 8 : 1);
}

char *digits_u64(char *p, uint64_t v)
{
	uint64_t blocks = v / BLOCK;

	if (v < 10) {                   /* many counters are 0 */
		*p = (char)('0' + v);
		return p + 1;
	}
	if (!blocks)
		return put_first(p, (uint32_t)v);
	if (blocks < BLOCK) {
		p = put_first(p, (uint32_t)blocks);
	} else {
		p = put_first(p, (uint32_t)(blocks / BLOCK));
		p = put_last(p, eight_digits((uint32_t)(blocks % BLOCK)), 8);
	}
	return put_last(p, eight_digits((uint32_t)(v % BLOCK)), 8);
}

/* A fraction, "" for 0: `places` <= 27 digits, of which `digits` < 10^17 are the last; trailing
 * zeros dropped. */
static char *put_fraction(char *p, uint64_t digits, unsigned places)
{
	uint64_t last;

	if (!digits)
		return p;
	*p++ = '.';
	if (places > 16) {
		memcpy(p, "0000000000", 10);
		p += places - 16;
		p[-1] = (char)('0' + digits / whole_tens[16]);
		digits %= whole_tens[16];
		places = 16;
	}
	if (places > 8) {
		p = put_last(p, eight_digits((uint32_t)(digits / BLOCK)), places - 8);
		digits %= BLOCK;
		places = 8;
	}
	last = eight_digits((uint32_t)digits);
	p = put_last(p, last, places);
	if (last)
		return p - __builtin_clzll(last) / 8;
	for (p -= places; p[-1] == '0';)
		p--;
	return p;
}

char *digits_seconds(char *p, uint64_t ns)
{
	return put_fraction(digits_u64(p, ns / 1000000000), ns % 1000000000, 9);
}

#define SHORTEST_MIN    1e-11
#define SHORTEST_MAX    0x1p53

static const double tens[] = { 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1,
			       1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
			       1e13, 1e14, 1e15, 1e16 };
enum { TENS_ONE = 11 };         /* the place of 1 */

static const uint64_t fives[] = {
	1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625,
	1220703125, 6103515625, 30517578125, 152587890625, 762939453125, 3814697265625,
	19073486328125, 95367431640625, 476837158203125, 2384185791015625, 11920928955078125,
	59604644775390625, 298023223876953125, 1490116119384765625, 7450580596923828125,
};

/*
 * put_shortest - the usual sizes, without the C library: v from SHORTEST_MIN to SHORTEST_MAX, not
 * whole.
 *
 * v = m 2^(exponent - 52) has 17 significant digits at so many places that v 10^places = m 5^places
 * / 2^shift. As places <= 27 and, v not being whole, shift = 52 - exponent - places is 0 .. 62,
 * that times 2^64 is a product of two words: `exact`, with the digits above and what is left of
 * them below. Reads back as v: whatever is nearer to it than half the distance to its neighbours;
 * below a power of two that neighbour is half as far. Of the nearest multiples of 100, 10 and 1 the
 * first one that does is taken, and its zeros dropped. All three are made, as no branch could be
 * foretold.
 */
static char *put_shortest(char *p, double v)
{
	uint64_t bits, m, five, digits, low, high, up, c, by_10, by_100;
	unsigned __int128 exact, half;
	unsigned places, twos, room;
	int exponent, ten;

	memcpy(&bits, &v, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	/* of 2^exponent, by 1233 / 4096 = log10(2) */
	ten = exponent * 1233 >> 12;
	ten += v >= tens[TENS_ONE + ten + 1];           /* v may have one digit more */
	places = (unsigned)(16 - ten);
	twos = 12 + (unsigned)exponent + places;        /* 64 - shift */
	/* m has 53 bits: so many of them fit there */
	room = twos < 11 ? twos : 11;
	five = fives[places] << (twos - room);
	exact = (unsigned __int128)(m << room) * five;
	half = (unsigned __int128)five << (room - 1);
	low = (uint64_t)((exact - (m == UINT64_C(1) << 52 ? half / 2 : half)) >> 64);
	high = (uint64_t)((exact + half - 1) >> 64);
	/* rounded up: what ends in 5 is less than half */
	up = (uint64_t)exact >> 63;
	digits = (uint64_t)(exact >> 64) + up;
	by_10 = (digits + 5 - up) / 10 * 10;
	by_100 = (digits + 50 - up) / 100 * 100;
	c = low < by_10 && by_10 <= high ? by_10 : digits;
	c = low < by_100 && by_100 <= high ? by_100 : c;
	if (ten < 0)
		return put_fraction(digits_u64(p, 0), c, places);
	return put_fraction(digits_u64(p, (uint64_t)v), c - (uint64_t)v * whole_tens[places],
			    places);
}

/* The C library's digits; the locale's decimal point, of however many bytes, becomes ".". */
static char *put_printf(char *p, double v)
{
	char text[64];
	bool point = false;

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, v);
		if (precision == 17 || strtod(text, NULL) == v)
			break;
	}
	for (const char *s = text; *s; s++) {
		bool plain = (*s >= '0' && *s <= '9') || *s == '-' || *s == '+' || *s == 'e';

		if (plain || !point)
			*p++ = plain ? *s : '.';
		point = !plain;
	}
	return p;
}

char *digits_double(char *p, double v)
{
	assert(isfinite(v));
	if (v < 0 && v > -SHORTEST_MAX) {
		*p++ = '-';
		v = -v;
	}
	if (v >= 0 && v < SHORTEST_MAX && v == floor(v))
		return digits_u64(p, (uint64_t)v);
	return v >= SHORTEST_MIN && v < SHORTEST_MAX ? put_shortest(p, v) : put_printf(p, v);
}

char *digits_scaled(char *p, uint64_t v, double scale)
{
	uint64_t product;

	if (scale >= 0 && scale < 0x1p53 && scale == floor(scale) &&
	    !__builtin_mul_overflow(v, (uint64_t)scale, &product))
		return digits_u64(p, product);
	return digits_double(p, (double)v * scale);
}
