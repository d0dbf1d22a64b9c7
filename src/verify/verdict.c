/* verdict.c - see verdict.h. */
#include "verify/verdict.h"

#include "base/bits.h"
#include "verify/fit.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* A line that is prefetched and thrown away, page tables, the kernel's own work: a counter that
 * counts as it should may differ by so much from what the load moved. */
#define TOLERANCE  0.03
#define BACKGROUND 0.05         /* of the most that was moved: more, and nothing can be compared */
#define WIDEST     0.10         /* half an interval; beyond it one in ten is as likely as all */
#define IDLE_NOISE 0.1          /* of the most: an idle window is as noisy as that much traffic */
#define LOST_MIN   0.50         /* less than that, and "a part is lost" says nothing */

static const struct {
	const char *name, *text;        /* text: gets the number of number_of() */
} causes[VERIFY_CAUSES] = {
	[VERIFY_RIGHT] = { "right", "right" },
	[VERIFY_TWICE] = { "twice", "counted twice, or each line is read once more,"
			   " for ownership" },
	[VERIFY_HALF] = { "half", "half of the channels, or 32 bytes taken for a line of 64" },
	[VERIFY_COPIES] = { "copies", "%.0f copies of one counter are added up" },
	[VERIFY_DIRECTION] = { "direction", "reads and writes are exchanged" },
	[VERIFY_BOTH] = { "both", "the other direction is counted too: reads for "
			  "ownership, or a sum" },
	[VERIFY_SOCKETS] = { "sockets", "the sockets are exchanged" },
	[VERIFY_DEAD] = { "dead_channel", "one of %.0f channels is not counted" },
	[VERIFY_LOST] = { "lost", "%.0f %% is lost" },
	[VERIFY_STUCK] = { "stuck", "the counter stands still" },
	[VERIFY_WRAP] = { "wrap", "the counter wraps, and what it held is lost" },
	[VERIFY_BACKGROUND] = { "background", "others move %.1f GB/s: stop what uses memory, "
				"and try again" },
	[VERIFY_NOISY] = { "noisy", "too uncertain: the machine is not quiet; stop what uses "
			   "memory, and try again" },
	[VERIFY_UNKNOWN] = { "unknown", "wrong, by no cause known here" },
};

const char *verify_cause_name(enum verify_cause c)
{
	return causes[c].name;
}

/* How many channels there are if one is missing. */
static double channels(double slope)
{
	return slope < 0.95 ? round(1 / (1 - slope)) : 20;
}

static double number_of(const struct verify_verdict *v, enum verify_cause c)
{
	switch (c) {
	case VERIFY_COPIES: return round(v->slope);
	case VERIFY_DEAD: return channels(v->slope);
	case VERIFY_LOST: return 100 * (1 - v->slope);
	default: return v->background / 1e9;
	}
}

char *verify_cause_say(const struct verify_verdict *v, enum verify_cause c, char *buf, size_t n)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(buf, n, causes[c].text, number_of(v, c));
#pragma GCC diagnostic pop
	return buf;
}

/* Nothing at all was counted in the last windows, although there was traffic of each kind that the
 * counter might take for its own. */
static bool is_stuck(const struct verify_sample *v, unsigned n)
{
	unsigned busy = 0, foreign = 0, possible = 0;

	for (unsigned i = 0; i < n; i++)
		possible += v[i].other + v[i].elsewhere > 0;
	for (; n && v[n - 1].count <= 0; n--) {
		busy += v[n - 1].truth > 0;
		foreign += v[n - 1].other + v[n - 1].elsewhere > 0;
	}
	return busy >= 2 && (foreign || !possible || !n);
}

/* What is missing is, but for one window in five, a multiple of what a counter of some width holds.
 * most: the largest truth. */
static bool is_wrapping(const struct verify_sample *v, unsigned n, double most)
{
	for (unsigned width = 16; width < 48; width++) {
		double holds = ldexp(64, (int)width);
		unsigned wraps = 0, odd = 0, busy = 0, odd_busy = 0;

		if (holds > most || holds < 0.2 * most)
			continue;
		for (unsigned i = 0; i < n; i++) {
			double missing = v[i].truth - v[i].count, times = round(missing / holds);
			bool is_odd = times < 0 || fabs(missing - times * holds) >
				TOLERANCE * v[i].truth + BACKGROUND * most;

			busy += v[i].truth > 0;
			odd += is_odd;
			odd_busy += is_odd && v[i].truth > 0;
			wraps += times > 0;
		}
		if (odd * 5 <= n && odd_busy * 5 <= busy && wraps >= 2)
			return true;
	}
	return false;
}

/* How far the coefficients are from what the cause leads to: 1 is as far as they may be. */
static double distance(const struct fit *f, double truth, double other, double elsewhere)
{
	const double should[FIT_COLUMNS] = { 0, truth, other, elsewhere };
	double far = 0;

	for (unsigned i = FIT_TRUTH; i < FIT_COLUMNS; i++)
		far = fmax(far, fabs(f->k[i] - should[i]) /
			   (TOLERANCE * fmax(1, should[i]) + f->half[i]));
	return far;
}

/* Keeps the causes in the order of their distances; far has room for one more than are named. */
static void name_cause(struct verify_verdict *v, double *far, enum verify_cause c, double d)
{
	unsigned i = v->n_causes;

	for (; i > 0 && far[i - 1] > d; i--) {
		far[i] = far[i - 1];
		if (i < VERIFY_NAMED)
			v->causes[i] = v->causes[i - 1];
	}
	far[i] = d;
	if (i < VERIFY_NAMED)
		v->causes[i] = c;
	v->n_causes += v->n_causes < VERIFY_NAMED;
}

static void name_slopes(const struct fit *f, struct verify_verdict *ret)
{
	double b = f->k[FIT_TRUTH], k = channels(b), far[VERIFY_NAMED + 1];
	const struct { enum verify_cause cause; double truth, other, elsewhere; } rows[] = {
		{ VERIFY_RIGHT, 1, 0, 0 }, { VERIFY_TWICE, 2, 0, 0 }, { VERIFY_HALF, 0.5, 0, 0 },
		{ VERIFY_COPIES, fmax(2, round(b)), 0, 0 }, { VERIFY_DIRECTION, 0, 1, 0 },
		{ VERIFY_BOTH, 1, 1, 0 }, { VERIFY_SOCKETS, 0, 0, 1 },
		{ VERIFY_DEAD, k >= 3 ? 1 - 1 / k : -1, 0, 0 },
		{ VERIFY_LOST, b > LOST_MIN && b < 1 - TOLERANCE ? b : -1, 0, 0 },
	};

	for (unsigned i = 0; i < COUNT(rows); i++) {
		double d = distance(f, rows[i].truth, rows[i].other, rows[i].elsewhere);

		if (rows[i].cause == VERIFY_LOST)       /* fits whatever is missing: the last */
			d = fmax(d, 1);
		if (d <= 1)
			name_cause(ret, far, rows[i].cause, d);
		if (d <= 1 && rows[i].cause == VERIFY_RIGHT)
			break;
	}
}

static void add_last(struct verify_verdict *v, enum verify_cause c)
{
	v->n_causes -= v->n_causes == VERIFY_NAMED;
	v->causes[v->n_causes++] = c;
}

void verify_judge(const struct verify_sample *v, unsigned n, struct verify_verdict *ret)
{
	struct fit_row rows[FIT_ROWS_MAX];
	struct fit f;
	double most = 0, truth = 0, seconds = 0;
	bool wraps;

	assert(n >= VERIFY_SAMPLES_MIN && n <= FIT_ROWS_MAX);
	for (unsigned i = 0; i < n; i++) {
		truth = fmax(truth, v[i].truth);
		most = fmax(most, fmax(v[i].truth, fmax(v[i].other, v[i].elsewhere)));
		seconds += v[i].seconds / n;
	}
	assert(truth > 0);
	for (unsigned i = 0; i < n; i++) {
		double moved = fmax(v[i].truth, fmax(v[i].other, v[i].elsewhere));
		double per = 1 / (moved + IDLE_NOISE * most);  /* noise grows with what is moved */

		rows[i] = (struct fit_row){ .x = { v[i].seconds / seconds * most * per,
						   v[i].truth * per, v[i].other * per,
						   v[i].elsewhere * per },
					    .y = v[i].count * per };
	}
	fit_robust(rows, n, &f);
	*ret = (struct verify_verdict){
		.slope = f.k[FIT_TRUTH], .low = f.k[FIT_TRUTH] - f.half[FIT_TRUTH],
		.high = f.k[FIT_TRUTH] + f.half[FIT_TRUTH],
		.background = f.k[FIT_SECONDS] * most / seconds,
		.background_share = f.k[FIT_SECONDS] * most / truth, .n_causes = 1 };
	wraps = is_wrapping(v, n, truth);
	if (is_stuck(v, n)) {
		ret->causes[0] = VERIFY_STUCK;
	} else if (wraps && (f.half[FIT_TRUTH] > TOLERANCE || ret->slope > 1 - 2 * TOLERANCE)) {
		/* no one slope explains the samples, or the fit left out those that wrapped */
		ret->causes[0] = VERIFY_WRAP;
	} else {
		ret->n_causes = 0;
		if (ret->background_share > BACKGROUND)
			ret->causes[ret->n_causes++] = VERIFY_BACKGROUND;
		if (f.half[FIT_TRUTH] > WIDEST * fmax(1, ret->slope))
			ret->causes[ret->n_causes++] = VERIFY_NOISY;
		if (!ret->n_causes) {
			name_slopes(&f, ret);
			if (wraps)              /* rates so alike that each lost as much */
				add_last(ret, VERIFY_WRAP);
		}
		if (!ret->n_causes)
			ret->causes[ret->n_causes++] = VERIFY_UNKNOWN;
	}
}
