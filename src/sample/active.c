/* SPDX-License-Identifier: MIT
 * Active seconds: the times that are published for totals; see state.h.
 * Owns:  the words of the socket, of groups and of slots; which series counted for less time than
 *        the socket.
 * Never: how long anything counted (span.c, slot_time.c).
 * The sampler thread; allocates only when the sampler is made.
 */
#include "sample/state.h"

#include <string.h>

/* Time that no series can miss: a turn of the kernel's between perf events, and a thousandth by
 * which clocks may differ. */
#define LAG_SLACK (20 * NSEC_PER_MSEC)
#define LAG_SHARE 1000

/* Of each series: how much less than the socket it had counted (lag_publish()) at lag_at, a value
 * of W_ACTIVE. */
struct active {
	nsec *slot_lag, *metric_lag;
	nsec lag_at;
};

void active_new(struct sampler *s)
{
	struct active *a = s->active = arena_alloc(s->arena, 1, sizeof(*a));

	a->slot_lag = arena_alloc(s->arena, s->socket->n_series, sizeof(*a->slot_lag));
	a->metric_lag = arena_alloc(s->arena, s->socket->n_metric_series, sizeof(*a->metric_lag));
}

void active_span(struct sampler *s, const struct span *span)
{
	const struct plan_round *round = round_of(s);
	nsec counted = span_counted(span);

	s->words[W_ACTIVE] += (uint64_t)(round->n_reg ? counted : span_length(span));
	for (unsigned g = 0; g < round->n_groups; g++) {
		unsigned group = round->groups[g];

		if (round->n_perf)
			counted = slot_times_group(s, group);
		s->words[s->layout.group_active + group] += (uint64_t)counted;
	}
}

/* Has one of n series missed time that the socket counted? Once it has, it is shown for ever. */
static void lag_publish(const struct sampler *s, const uint64_t *active, uint64_t *shown, nsec *lag,
			unsigned n)
{
	nsec all = (nsec)s->words[W_ACTIVE], allowed = (all - s->active->lag_at) / LAG_SHARE;

	for (unsigned i = 0; i < n; i++) {
		nsec now = all - (nsec)active[i];

		if (now > lag[i] + allowed + LAG_SLACK)
			shown[i] = 1;
		lag[i] = now < lag[i] + allowed ? now : lag[i] + allowed;
	}
}

void active_publish(struct sampler *s)
{
	const struct plan_socket *p = s->socket;
	uint64_t *words = s->words, *slot_active = &words[s->layout.slot_active];

	memset(slot_active, 0, p->n_series * sizeof(*slot_active));
	for (unsigned r = 0; r < p->n_rounds; r++) {
		const struct slot_time *t = slot_times(s, r);

		for (unsigned i = 0; i < p->rounds[r].n_slots; i++)
			slot_active[p->rounds[r].slots[i].series] += (uint64_t)t[i].counted;
	}
	lag_publish(s, slot_active, &words[s->layout.slot_active_shown], s->active->slot_lag,
		    p->n_series);
	lag_publish(s, &words[s->layout.metric_active], &words[s->layout.metric_active_shown],
		    s->active->metric_lag, p->n_metric_series);
	s->active->lag_at = (nsec)words[W_ACTIVE];
}
