/* SPDX-License-Identifier: MIT
 * To how many binary digits a value is exported.
 *
 * A derived value is no more exact than the skew of two reads in one window, and its last digits
 * are noise that Prometheus cannot compress: each bit of a mantissa that moves is stored. So gauges
 * of derived values and of durations have 20 significant binary digits (1e-6 of the value), and
 * moments and totals of seconds are multiples of 2^-20 s, rounded down: a total never falls. Event
 * totals, bytes and sums of distributions are exact.
 *
 * Pure; any thread.
 */
#ifndef EXPO_EXPORTED_H
#define EXPO_EXPORTED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
	EXPORTED_DIGITS = 20,           /* of a gauge, significant and binary */
	EXPORTED_SECOND = 1 << 20,      /* parts of a second that moments and totals have */
	DOUBLE_DIGITS = 53,
	SECOND_NS = 1000000000,
};

/* exported_gauge - v to the nearest value of 20 significant binary digits; of two that are as near,
 * the larger one in size. Finite stays finite. */
static inline double exported_gauge(double v)
{
	const uint64_t one = UINT64_C(1) << (DOUBLE_DIGITS - EXPORTED_DIGITS);
	uint64_t bits;
	double rounded;

	memcpy(&bits, &v, sizeof(bits));
	/* a carry out of the mantissa makes the next power of two, as it should */
	bits = (bits + one / 2) & -one;
	memcpy(&rounded, &bits, sizeof(rounded));
	return isfinite(rounded) ? rounded : v;
}

/* exported_seconds - nanoseconds as seconds, rounded down to 2^-20 s; exact below 2^63 ns. */
static inline double exported_seconds(uint64_t ns)
{
	uint64_t whole = ns / SECOND_NS, part = ns % SECOND_NS * EXPORTED_SECOND / SECOND_NS;

	return (double)(whole * EXPORTED_SECOND + part) / EXPORTED_SECOND;
}

/* exported_duration - nanoseconds as seconds, a gauge. */
static inline double exported_duration(uint64_t ns)
{
	return exported_gauge((double)ns / SECOND_NS);
}

#endif
