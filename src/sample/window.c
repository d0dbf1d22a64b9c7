/* window.c - exact windows: counts of one, the time it lasted, the beginning of the next; see state.h.
 *
 * Owns:  what belongs to a window. A window ends by an overflow between two ticks; how long it lasted is told by a clock
 *        that stopped with it, whose rate was seen while it ran.
 * Never: how the counters are stopped and let go (access/).
 * The sampler thread; allocates nothing.
 */
#include "config.h"

#include "sample/state.h"

#define LOOK_LEAST  (20 * 1000)     /* ns: sooner after the beginning nothing can be seen */
#define GOOD        50              /* a rate seen for so many times the duration of a read is good enough, */
#define FAIR        16              /* ... for fewer than this it is none */

void window_begin(struct sampler *s, nsec at, nsec vague)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	struct window *w = &s->window;

	if (w->round != s->round) {
		w->hz = 0;
		w->owed = 0;
		w->owed_span = 0;
		w->round = s->round;
	}
	w->over = w->broken = w->sampled = false;
	w->begun = at;
	w->vague = vague;
	w->look_at = w->look ? at + w->look : 0;
	w->told += w->active;
	w->active = 0;
	w->quality *= 0.75;             /* a clock may change */
	for (unsigned i = 0; i < round->n_slots; i++) {
		w->counts[i] = 0;
		w->whole[i] = !st[i].reason && st[i].based && !st[i].pending;
	}
}

/* The clock ran from the beginning of the window until `at`, known to within `took`, and counted so much; the beginning is
 * known to within `vague`. */
static void saw_clock(struct window *w, uint64_t counts, nsec at, nsec took)
{
	nsec span = at - w->begun;
	double quality = (double)span / ((double)(took + w->vague) + 1);

	if (quality < FAIR || !counts || (quality < GOOD && quality < w->quality))
		return;
	w->hz = (double)counts / (double)span;
	w->quality = quality;
}

/* Time of windows that nobody could tell when they ended. */
static nsec settle(struct sampler *s)
{
	struct window *w = &s->window;
	nsec active;

	if (!w->owed || w->hz <= 0)
		return 0;
	active = (nsec)((double)w->owed / w->hz + 0.5);
	active = active < w->owed_span ? active : w->owed_span;
	s->words[W_FROZEN] += (uint64_t)(w->owed_span - active);
	w->owed = 0;
	w->owed_span = 0;
	w->told += active;
	return active;
}

/* It was over at the latest so long after it began. */
static void look_sooner(struct window *w, nsec since)
{
	nsec look = since / 8 > LOOK_LEAST ? since / 8 : LOOK_LEAST;

	w->look = w->look && w->look < look ? w->look : look;
}

nsec window_account(struct sampler *s, nsec span, nsec *ret_late)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	struct window *w = &s->window;
	uint64_t clock, before = w->counts[round->window.clock];
	nsec since = s->sample_at - w->begun, active;

	for (unsigned i = 0; i < round->n_slots; i++) {
		w->counts[i] += st[i].committed;
		w->whole[i] &= st[i].whole && !st[i].reason && !st[i].doubtful;
	}
	clock = w->counts[round->window.clock];
	if (!w->over)
		saw_clock(w, clock, s->sample_at, (nsec)s->words[W_DURATION]);
	else if (w->hz <= 0) {
		w->owed += clock - before;
		w->owed_span += span;
		look_sooner(w, since);
		return 0;
	} else if (w->whole[round->window.clock])
		since = (nsec)((double)clock / w->hz + 0.5);
	active = since - w->active;
	active = active < 0 ? 0 : active > span ? span : active;
	w->active += active;
	if (w->over)
		w->look = w->active / 2 > LOOK_LEAST ? w->active / 2 : LOOK_LEAST;
	s->words[W_FROZEN] += (uint64_t)(span - active);
	*ret_late = settle(s);
	return active;
}

void window_look(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct plan_slot *slot = &round->slots[round->window.clock];
	const struct slot_state *clock = &states_of(s)[round->window.clock];
	struct counting *c = s->engine[PLAN_REGISTERS];
	struct window *w = &s->window;
	nsec before = mono(s), after;
	uint64_t raw;
	bool runs = c->ops->look(c, slot->engine_slot, &raw);

	after = mono(s);
	w->look_at = 0;
	if (!runs)
		look_sooner(w, after - w->begun);
	else if (!clock->reason && clock->based)
		saw_clock(w, w->counts[round->window.clock] + clock->pending + wrap_delta(clock->prev, raw, slot->width),
			  before + (after - before) / 2, after - before);
}

bool window_unfrozen(const struct sampler *s, nsec *ret)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *clock = &states_of(s)[round->window.clock];
	const struct window *w = &s->window;

	*ret = s->sample_at;
	if (!round->window.count)
		return true;
	*ret = w->told + s->sample_at - w->begun;
	if (w->over && w->hz > 0)
		*ret = w->told + (nsec)((double)(w->counts[round->window.clock] + clock->pending) / w->hz);
	/* Time owed is not told yet, but its counts are in the totals. */
	return !w->owed && (!w->over || w->hz > 0);
}

bool window_usable(const struct sampler *s, const struct plan_metric *m, bool *ret_fresh)
{
	const struct plan_group *g = &s->socket->groups[m->group];
	const struct slot_state *st = states_of(s);

	*ret_fresh = s->window.over;
	for (unsigned i = 0; i < g->n_slots; i++)
		if (st[g->slots[i]].reason && st[g->slots[i]].reason != REASON_HIDDEN)
			return false;
	return !s->window.over || (s->window.hz > 0 && !s->window.broken);
}

void window_next(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct counting *c = s->engine[PLAN_REGISTERS];
	struct slot_state *st = &states_of(s)[round->window.slot];
	uint8_t reason = REASON_NONE;
	nsec before, after;
	uint64_t base;

	if (!s->window.over)
		return;
	before = mono(s);
	base = st->prev;
	if (c->ops->again(c, &base, &reason) < 0)
		return;                         /* all stands still: at a later tick */
	after = mono(s);
	st->prev = base;
	if (reason)
		st->reason = reason;
	window_begin(s, before + (after - before) / 2, (after - before) / 2);
}
