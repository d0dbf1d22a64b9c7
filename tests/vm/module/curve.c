// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * curve.c - how long a read of memory waits at which traffic, as it was measured of a machine.
 *
 * Owns:  the points, by the share of reads.
 * Never: what is moved (traffic.c).
 */
#include <linux/math64.h>

#include "counting.h"

#define MAX_POINTS 64

static struct point {
	unsigned int percent;		/* of the traffic that is read */
	u64 by_second, ps;		/* bytes, picoseconds */
} points[MAX_POINTS];
static unsigned int n_points;

/* Points of one share of reads. */
struct run {
	unsigned int first, end;
};

void curve_forget(void)
{
	n_points = 0;
}

bool curve_is_there(void)
{
	return n_points;
}

/* PERCENT BYTES PICOSECONDS: a point, bytes by second, after those with less reads and, of as many,
 * less traffic. */
int do_curve(char *words)
{
	struct point *p = &points[n_points];

	if (n_points == MAX_POINTS || sscanf(words, "%u %lli %lli", &p->percent, &p->by_second,
					     &p->ps) != 3)
		return -EINVAL;
	n_points++;
	return 0;
}

static u64 between(u64 a, u64 b, u64 part, u64 whole)
{
	if (!whole)
		return a;
	return b < a ? a - mul_u64_u64_div_u64(a - b, part, whole) :
		       a + mul_u64_u64_div_u64(b - a, part, whole);
}

/* The runs around a share of reads, both the same beyond either end. Returns how far from the first
 * to the second it is, of *whole. */
static unsigned int around(unsigned int permille, struct run *low, struct run *high,
			   unsigned int *whole)
{
	unsigned int from, to;

	*low = *high = (struct run){ 0, 0 };
	while (high->end < n_points) {
		*low = high->end ? *high : *low;
		high->first = high->end;
		while (high->end < n_points &&
		       points[high->end].percent == points[high->first].percent)
			high->end++;
		if (10 * points[high->first].percent >= permille)
			break;
	}
	from = 10 * points[low->first].percent;
	to = 10 * points[high->first].percent;
	if (!low->end || permille >= to) {
		*low = *high;
		from = to;
	}
	*whole = to - from;
	return *whole ? permille - from : 0;
}

/* Bytes by second. */
u64 curve_most(unsigned int permille)
{
	struct run low, high;
	unsigned int whole, part = around(permille, &low, &high, &whole);

	return between(points[low.end - 1].by_second, points[high.end - 1].by_second, part, whole);
}

static u64 latency_of(const struct run *r, u64 by_second)
{
	const struct point *p = &points[r->first];

	while (p < &points[r->end - 1] && p->by_second < by_second)
		p++;
	if (p == &points[r->first] || p->by_second <= by_second)
		return p->ps;
	return between(p[-1].ps, p->ps, by_second - p[-1].by_second,
		       p->by_second - p[-1].by_second);
}

/* Picoseconds, at a share of what the memory moves at most: each run's at that share of its own. */
u64 curve_latency(unsigned int permille, u64 by_second)
{
	struct run low, high;
	unsigned int whole, part = around(permille, &low, &high, &whole);
	u64 most = curve_most(permille), a = points[low.end - 1].by_second,
	    b = points[high.end - 1].by_second;

	return between(latency_of(&low, mul_u64_u64_div_u64(by_second, a, most)),
		       latency_of(&high, mul_u64_u64_div_u64(by_second, b, most)), part, whole);
}
