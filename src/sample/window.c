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
#define PATIENCE    (10 * NSEC_PER_SEC)     /* so long a window that is over waits for what could not be read of it */

/* Did this sample read the clock, and everything that it counted in this window? */
static bool clock_told(const struct sampler *s)
{
	const struct slot_state *clock = &states_of(s)[round_of(s)->window.clock];

	return clock->prev_at == s->read_before && !clock->doubtful && clock->bases == s->window.bases;
}

static bool is_unread(const struct slot_state *st)
{
	return st->doubtful || st->reason == REASON_READ_ERROR || st->reason == REASON_OFFLINE;
}

/* A window that is over waits: nothing moves meanwhile. The next one would take the count along that ended this one, or the
 * time that it lasted. */
static bool window_waits(const struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);

	return s->window.over && s->sample_at - s->window.over_at < PATIENCE &&
	       (is_unread(&st[round->window.slot]) || is_unread(&st[round->window.clock]));
}

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
	w->over_at = 0;
	s->words[W_FROZEN] += (uint64_t)w->unsure;
	w->unsure = 0;
	w->bases = st[round->window.clock].bases;
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
	w->look = since / 8 > LOOK_LEAST ? since / 8 : LOOK_LEAST;
}

/* What was just committed. Returns the clock's. */
static uint64_t add_counts(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	struct window *w = &s->window;

	for (unsigned i = 0; i < round->n_slots; i++) {
		w->counts[i] += st[i].committed;
		w->whole[i] &= st[i].whole && !st[i].reason && !st[i].doubtful;
	}
	return st[round->window.clock].committed;
}

nsec window_account(struct sampler *s, nsec span, nsec *ret_late)
{
	unsigned k = round_of(s)->window.clock;
	struct window *w = &s->window;
	uint64_t fresh = add_counts(s);
	bool told = clock_told(s);
	nsec since = s->sample_at - w->begun, all = span + w->unsure, active;    /* `all`: what is to be told of */

	if (w->over && !w->over_at)
		w->over_at = s->sample_at;
	if (!w->unsure)
		w->unsure_from = s->committed_at;
	w->blurred |= w->unsure_from < s->window_start;
	if (!told && is_unread(&states_of(s)[k]) && all < PATIENCE) {
		w->unsure = all;
		return 0;
	}
	w->unsure = 0;
	if (!w->over && told) {
		saw_clock(w, w->counts[k], s->sample_at, (nsec)s->words[W_DURATION]);
	} else if (w->over && w->hz <= 0) {
		w->owed += fresh;
		w->owed_span += all;
		w->blurred = true;
		if (!w->look || w->look >= since)       /* else it is looked at within the windows, and moves by what was seen there */
			look_sooner(w, since);
		return 0;
	} else if (w->over) {
		since = told ? (nsec)((double)w->counts[k] / w->hz + 0.5) : w->over_at - w->begun;
	}
	active = since - w->active;
	active = active < 0 ? 0 : active > all ? all : active;
	w->active += active;
	if (w->over)
		w->look = w->active / 2 > LOOK_LEAST ? w->active / 2 : LOOK_LEAST;
	s->words[W_FROZEN] += (uint64_t)(all - active);
	*ret_late = settle(s);
	return active;
}

bool window_blurred(const struct sampler *s)
{
	return round_of(s)->window.count && (s->window.blurred || s->window.unsure);
}

void window_look(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct plan_slot *slot = &round->slots[round->window.clock];
	const struct slot_state *clock = &states_of(s)[round->window.clock];
	struct window *w = &s->window;
	nsec before = mono(s), after;
	uint64_t raw;
	bool runs = overflow_windows_peek(&s->overflow, slot->engine_slot, &raw);

	after = mono(s);
	w->look_at = 0;
	if (!runs)
		look_sooner(w, after - w->begun);
	else if (!clock->reason && clock->based && clock->bases == w->bases)
		saw_clock(w, w->counts[round->window.clock] + clock->pending + wrap_delta(clock->prev, raw, slot->width),
			  before + (after - before) / 2, after - before);
	if (runs && w->hz <= 0)
		w->look += w->look / 2;         /* too soon to tell how fast it runs */
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
	return !w->owed && (!w->over || (w->hz > 0 && clock_told(s)));
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
	struct slot_state *st = &states_of(s)[round->window.slot];
	uint8_t reason = REASON_NONE;
	nsec before, after;
	uint64_t base;

	if (!s->window.over || window_waits(s))
		return;
	before = mono(s);
	base = st->prev;
	if (overflow_windows_restart(&s->overflow, &base, &reason) < 0) {
		st->based = false;              /* all stands still: at a later tick, from where it stands then */
		return;
	}
	after = mono(s);
	st->prev = base;
	if (reason)
		st->reason = reason;
	window_begin(s, before + (after - before) / 2, (after - before) / 2);
}
