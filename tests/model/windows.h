/* SPDX-License-Identifier: MIT
 * What the tests of overflow windows share: a configuration, and what is seen of its
 * windows from outside. */
#ifndef TESTS_MODEL_WINDOWS_H
#define TESTS_MODEL_WINDOWS_H

#include "rig.h"

#define SECOND "interval = \"1s\"; "
#define EVENTS "\"wbox/CLOCKTICKS\", \"bbox/IMT_INSERTS_ALL\", \"bbox/IMT_VALID_OCCUPANCY\", " \
	       "\"cbox/LLC_HITS:ALL\""
#define GROUP(event, n, events) \
	"groups = ( { name = \"w\"; window = { event = \"" event "\"; count = \"" #n \
	"\"; }; events = [ " events " ]; } );"

/* The same with samples: each window is one of the two metrics of RATIO. more: of the group. */
#define SAMPLED(more, n) \
	"groups = ( { name = \"w\"; distribution = true; " more "window = { event = " \
	"\"bbox1/IMT_INSERTS_ALL\"; count = " #n "; }; events = [ " EVENTS " ]; } );" RATIO

/* Two metrics of those events, whose denominators are a clock and seconds. */
#define RATIO \
	"metrics = ( { name = \"imt_inserts_per_clock_ratio\"; per = \"socket\"; " \
	"numerator = ( \"bbox/IMT_INSERTS_ALL\" );" \
	" denominator = ( \"wbox/CLOCKTICKS\" ); }, { name = \"imt_rate_hertz\"; " \
	"per = \"socket\";" \
	" numerator = ( \"bbox/IMT_INSERTS_ALL\" ); denominator = ( \"seconds\" ); } );"

/* What is seen of the windows of a run from outside, at the moment when uncored preloads a
 * counter. */
struct watch {
	struct run *u;
	unsigned socket;
	const struct slot *slot;    /* its counter ends the windows */
	uint64_t count;             /* N */
	uint64_t truth;             /* of the counter, when the window began */
	unsigned windows;           /* that ended */
	uint64_t rests;             /* what came after their Nth event */
};

static inline void watch_begin(struct watch *w, struct run *u, unsigned socket,
			       const char *identity, uint64_t count)
{
	*w = (struct watch){ .u = u, .socket = socket, .slot = run_slot(u, socket, identity),
			     .count = count };
	w->truth = model_truth(u->rig->m, socket, w->slot->data);
}

/* The register holds what came after the overflow: that and N is all that was counted, and nothing
 * moves any more. */
static inline void window_ends(struct rig *r, struct watch *w)
{
	uint64_t truth = model_truth(r->m, w->socket, w->slot->data),
		rest = model_peek(r->m, w->socket, w->slot->data);
	const struct plan_counter *counter =
		&w->u->plan->sockets[w->socket].program->counters[w->slot->regs->counter];

	if (!(model_peek(r->m, w->socket, w->slot->ctl) & counter->ctl_enable)) {
		w->truth = truth; /* it does not end here: its round begins, or it is armed again */
		return;
	}
	for (unsigned k = 0; k < w->u->s[w->socket].n_slots; k++)
		assert_false(model_counting(r->m, w->socket, w->u->s[w->socket].slots[k].data));
	if (truth == w->truth)
		return;                 /* once more, after a failure */
	same_u64(truth - w->truth, w->count + rest, w->slot->plan->identity, __LINE__);
	w->truth = truth;
	w->windows++;
	w->rests += rest;
}

static inline void watch_writes(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	struct watch *w = r->hook_arg;

	if (write && socket == w->socket && reg_equal(reg, w->slot->data))
		window_ends(r, w);
}

/* n samples of each socket, each sampler at its own deadlines: between two samples it may look at a
 * clock. */
static inline void grid_ticks(struct run *u, unsigned n)
{
	nsec end = (model_now(u->rig->m) / u->plan->interval + n) * u->plan->interval;

	for (;;) {
		nsec next = INT64_MAX, now;

		for (unsigned i = 0; i < u->rig->n_sockets; i++)
			if (sampler_next(u->s[i].sampler) < next)
				next = sampler_next(u->s[i].sampler);
		if (next > end)
			break;
		now = model_now(u->rig->m);
		rig_advance(u->rig, next > now ? next - now : 0);
		for (unsigned i = 0; i < u->rig->n_sockets; i++)
			if (sampler_next(u->s[i].sampler) <= model_now(u->rig->m))
				sampler_tick(u->s[i].sampler);
	}
	run_read_words(u);
}

/* The words of a distribution: how many samples there are in all its classic buckets. */
static inline uint64_t samples_of(const struct run *u, const char *metric)
{
	const struct plan_socket *p = &u->plan->sockets[0];

	for (unsigned i = 0; i < p->n_distributions; i++) {
		const uint64_t *h = &u->s[0].words[layout_histogram(p, i)];
		uint64_t n = 0;

		if (strcmp(plan_distribution_metric(p, &p->distributions[i])->name, metric) != 0)
			continue;
		for (unsigned k = 0; k <= p->distributions[i].histogram.n_bounds; k++)
			n += h[H_CLASSIC + k];
		return n;
	}
	fail();
	return 0;
}

#endif
