/* SPDX-License-Identifier: MIT
 * Single samples: a distribution holds every valid one, in its bucket, and no
 * other.
 * What a sample is worth is computed here from the model's account of what each counter counted,
 * and which samples are valid from what was done to the registers.
 */
#include "samples.h"

#include <math.h>

#define SLOTS 98
#define WATCHES 256

/* ------------------------------------------------------------------ what a metric is, once more */

struct moment {
	nsec at;
	uint64_t truth[SLOTS];
	bool read[SLOTS];           /* the read of the counter worked */
	nsec ours_since[SLOTS];	/* counting without a foreign write since; INT64_MAX: not ours */
};

static double weigh(const struct plan_addend *a, unsigned n, const struct moment *from,
		    const struct moment *to)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += a[i].slot >= 0
			? a[i].weight * (double)(to->truth[a[i].slot] - from->truth[a[i].slot]) :
		       a[i].weight * (a[i].slot == -1 ? (double)(to->at - from->at) / 1e9 : 1);
	return sum;
}

/* No sample, a value, or a guard that does not hold. */
static enum { NOTHING, VALUE, GUARDED } worth(const struct plan_metric *m,
					      const struct moment *from, const struct moment *to,
					      double *ret)
{
	double seconds = (double)(to->at - from->at) / 1e9, den;

	if (m->counter) {
		*ret = m->scale * weigh(m->num.v, m->num.n, from, to) / seconds;
		return VALUE;
	}
	den = weigh(m->den.v, m->den.n, from, to);
	if (den <= 0)
		return NOTHING;
	if (m->guard_num.n) {
		double guard = weigh(m->guard_den.v, m->guard_den.n, from, to);

		if (guard <= 0)
			return NOTHING;
		if (weigh(m->guard_num.v, m->guard_num.n, from, to) / guard > m->guard_max)
			return GUARDED;
	}
	*ret = m->scale * weigh(m->num.v, m->num.n, from, to) / den;
	if (m->clock.n)
		*ret *= seconds / weigh(m->clock.v, 1, from, to);
	if (m->complement)
		*ret = 1 - *ret;
	if (m->clamp)
		*ret = fmin(fmax(*ret, 0), 1);
	return VALUE;
}

static bool side_is(const struct plan_addend *a, unsigned n, const struct moment *from,
		    const struct moment *to)
{
	for (unsigned i = 0; i < n; i++) {
		int k = a[i].slot;

		if (k >= 0 && (!from->read[k] || !to->read[k] || to->ours_since[k] > from->at))
			return false;
	}
	return true;
}

static bool inputs_hold(const struct plan_metric *m, const struct moment *from,
			const struct moment *to)
{
	for (unsigned k = 0; k < COUNT(m->sums); k++)
		if (!side_is(m->sums[k].v, m->sums[k].n, from, to))
			return false;
	return true;
}

static bool uses(const struct plan_metric *m, int slot)
{
	for METRIC_EACH_ADDEND(a, m)
		if (a->slot == slot)
			return true;
	return false;
}

/* -------------------------------------------------- what was expected of a watch, and what came */

struct expected {
	uint64_t bucket[PLAN_BOUNDS + 1], native[2000], zero, n, invalid;
	double sum, most;
	double waiting[512];
	unsigned n_waiting;
};

static struct expected expected[WATCHES];
static struct moment last, now;

static void expect_sample(struct expected *e, const struct plan_histogram *h, double v)
{
	unsigned b = 0;

	while (b < h->n_bounds && v > h->bounds[b])
		b++;
	e->bucket[b]++;
	if (v > h->zero)
		e->native[(int)ceil(log2(v) * 8) + 1000]++;
	else
		e->zero++;
	e->n++;
	e->sum += v;
	e->most = e->n == 1 || v > e->most ? v : e->most;
}

static void expect_all(void)
{
	for (unsigned w = 0; w < socket0()->n_distributions; w++) {
		struct expected *e = &expected[w];

		for (unsigned i = 0; i < e->n_waiting; i++)
			expect_sample(e, &socket0()->distributions[w].histogram, e->waiting[i]);
		e->n_waiting = 0;
	}
}

/* Between `last` and `now` every watch takes a sample. */
static void expect_tick(void)
{
	for (unsigned w = 0; w < socket0()->n_distributions; w++) {
		const struct plan_metric *m =
			plan_distribution_metric(socket0(), &socket0()->distributions[w]);
		struct expected *e = &expected[w];
		double v;

		if (!inputs_hold(m, &last, &now)) {
			e->invalid++;
			continue;
		}
		switch (worth(m, &last, &now, &v)) {
		case VALUE:
			assert_true(e->n_waiting < COUNT(e->waiting));
			e->waiting[e->n_waiting++] = v;
			break;
		case GUARDED:
			e->invalid++;
			break;
		default:
			break;
		}
	}
}

static void expect_foreign(int slot)
{
	now.ours_since[slot] = INT64_MAX;
	for (unsigned w = 0; w < socket0()->n_distributions; w++)
		if (uses(plan_distribution_metric(socket0(), &socket0()->distributions[w]), slot)) {
			expected[w].invalid += expected[w].n_waiting;
			expected[w].n_waiting = 0;
		}
}

static void compare(unsigned w)
{
	const struct plan_histogram *h = &socket0()->distributions[w].histogram;
	const struct plan_metric *m =
		plan_distribution_metric(socket0(), &socket0()->distributions[w]);
	const struct layout *l = &u.s[0].layout;
	const struct expected *e = &expected[w];
	const uint64_t *words = words_of(w);
	uint64_t native[160] = { 0 }, n = 0;
	int64_t by = HISTOGRAM_SCHEMA - (int64_t)words[H_SCHEMA];

	for (unsigned b = 0; b <= h->n_bounds; b++) {
		same_u64(words[H_CLASSIC + b], e->bucket[b], m->name, __LINE__);
		n += words[H_CLASSIC + b];
	}
	same_u64(n, e->n, m->name, __LINE__);
	same_u64(words[H_ZERO], e->zero, m->name, __LINE__);
	same_u64(u.s[0].words[l->samples_invalid + w], e->invalid, m->name, __LINE__);
	for (int i = 0; i < 2000; i++)
		if (e->native[i])
			native[(int64_t)ceil((i - 1000) / exp2((double)by)) - (int64_t)
			       words[H_POSITIVE]] += e->native[i];
	for (unsigned i = 0; i < HISTOGRAM_NATIVE; i++)
		same_u64(words[histogram_native(h, false) + i], native[i], m->name, __LINE__);
	assert_true(fabs(real(words[H_SUM]) - e->sum) <= 1e-9 * fabs(e->sum));
	assert_int_equal(u.s[0].words[l->peak_valid + w], e->n > 0);
	if (e->n)
		assert_true(fabs(real(u.s[0].words[l->peak_value + w]) - e->most) <=
			    1e-12 * fabs(e->most));
}

static void check_samples(void)
{
	now.at = model_now(r.m);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		now.truth[k] = model_truth(r.m, 0, u.s[0].slots[k].data);
}

/* --------------------------------------------- every box, 1000 times a second, and disturbances */

static void every_valid_sample_is_in_it(void **state)
{
	enum { TICKS = 1400 };
	uint64_t missed = 0, late = 0, valid = 0, invalid = 0;
	unsigned written, unread, doubtful;
	struct slot *slots;
	nsec detected = 0;

	(void)state;
	memset(expected, 0, sizeof(expected));
	memset(&now, 0, sizeof(now));
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"all\"; resolution = \"1ms\"; "
			 "distribution = true; events = [ "
		 RIG_ALL_EVENTS " ]; } );", NULL);
	slots = u.s[0].slots;
	written = run_slot(&u, 0, "bbox0/IMT_INSERTS_ALL")->word;
	unread = run_slot(&u, 0, "wbox0/CLOCKTICKS")->word;
	doubtful = run_slot(&u, 0, "bbox1/IMT_NE_CYCLES")->word;
	assert_int_equal(u.s[0].n_slots, SLOTS);
	/* the rate of every counter is one */
	assert_in_range(socket0()->n_distributions, SLOTS + 40, WATCHES);
	run_start(&u);
	check_samples();
	memset(now.read, true, sizeof(now.read));
	for (unsigned tick = 1; tick <= TICKS; tick++) {
		nsec by = sampler_next(u.s[0].sampler) - model_now(r.m);
		bool check;

		/* Late by 0.4 ms: the next one has 0.6 ms. Late by a quarter of a second: so many
		 * are missed. */
		by += tick % 97 == 0 ? 400000 : 0;
		by += tick == 700 ? 250 * MSEC + 100000 : 0;
		missed += tick == 700 ? 250 : 0;
		late += tick % 97 == 0 || tick == 700;
		if (tick == 250)                /* somebody disables a counter */
			model_poke(r.m, 0, slots[written].ctl,
				   model_peek(r.m, 0, slots[written].ctl) ^ 1);
		rig_advance(&r, by);
		last = now;
		check_samples();
		memset(now.read, true, sizeof(now.read));
		now.read[unread] = tick != 400 && tick != 402 && tick != 403;
		model_fault(r.m, 0, MODEL_EIO, slots[unread].data, !now.read[unread]);
		check = now.at / (100 * MSEC) > last.at / (100 * MSEC);
		/* one check cannot tell */
		model_fault(r.m, 0, MODEL_EIO, slots[doubtful].ctl, tick > 500 && tick <= 600);
		run_tick(&u);
		expect_tick();
		if (check && tick >= 250 && !detected) {
			detected = now.at;
			expect_foreign((int)written);
		}
		if (check && detected && now.ours_since[written] == INT64_MAX &&
		    now.at >= detected + NSEC_PER_SEC)
			now.ours_since[written] = now.at;       /* re-armed, then read */
		if (check && !(tick > 500 && tick <= 600))
			expect_all();
	}
	assert_true(now.ours_since[written] > 0 && now.ours_since[written] < now.at);
	run_stop(&u);
	expect_all();
	for (unsigned w = 0; w < socket0()->n_distributions; w++) {
		compare(w);
		valid += expected[w].n;
		invalid += expected[w].invalid;
	}
	assert_true(valid > 40 * TICKS && invalid > 1500);
	assert_int_equal(u.s[0].words[W_MISSED], missed);
	assert_int_equal(u.s[0].words[u.s[0].layout.lateness + H_CLASSIC], TICKS - late);
	/* 0.2 .. 0.5 ms */
	assert_int_equal(u.s[0].words[u.s[0].layout.lateness + H_CLASSIC + 5], late - 1);
	/* above 0.1 s */
	assert_int_equal(u.s[0].words[u.s[0].layout.lateness + H_CLASSIC + 11], 1);
	run_exact(&u, __LINE__, (const char *const[]){ slots[written].plan->identity, NULL });
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_valid_sample_is_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
