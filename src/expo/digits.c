/* digits.c - see digits.h. */
#include "config.h"

#include "expo/digits.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSEC_DIGITS 9

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

char *digits_seconds(char *p, uint64_t ns)
{
	uint64_t rest = ns % 1000000000;
	char d[NSEC_DIGITS];
	int n = NSEC_DIGITS;

	p = digits_u64(p, ns / 1000000000);
	if (!rest)
		return p;
	for (int i = NSEC_DIGITS - 1; i >= 0; i--, rest /= 10)
		d[i] = (char)('0' + rest % 10);
	while (d[n - 1] == '0')
		n--;
	*p++ = '.';
	memcpy(p, d, (size_t)n);
	return p + n;
}

char *digits_double(char *p, double v)
{
	char text[64];
	bool point = false;

	assert(isfinite(v));
	if (v >= 0 && v < 0x1p53 && v == floor(v))
		return digits_u64(p, (uint64_t)v);
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, v);
		if (precision == 17 || strtod(text, NULL) == v)
			break;
	}
	/* Whatever the locale calls its decimal point, of however many bytes, is one here. */
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

char *digits_scaled(char *p, uint64_t v, double scale)
{
	uint64_t product;

	if (scale >= 0 && scale < 0x1p53 && scale == floor(scale) &&
	    !__builtin_mul_overflow(v, (uint64_t)scale, &product))
		return digits_u64(p, product);
	return digits_double(p, (double)v * scale);
}
