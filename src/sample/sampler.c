/* sampler.c - one socket: from raw reads to published totals; see sampler.h.
 *
 * A tick is: read, then check, then commit. What was read since the last check that passed is `pending`; it enters
 * totals and derived values only when a check made after its last read passes.
 */
#include "config.h"

#include "sample/sampler.h"

#include "derive/derive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_EVERY     (100 * NSEC_PER_MSEC)   /* at shorter intervals not every tick checks */
#define STOPPED_AFTER   (10 * NSEC_PER_SEC)     /* a clock without a count for this long ... */
#define STOPPED_WINDOWS 2                       /* ... and this many checked windows */
#define REARMS          3                       /* after 1, 2, 4 s, then left alone */
#define REARM_FORGET    (600 * NSEC_PER_SEC)    /* quiet for so long: the count of attempts starts anew */

enum { ENGINES = 2 };               /* index is enum plan_engine */

struct slot_state {
	/* What every tick touches stands first. */
	uint64_t prev;              /* raw, at the base or the last read that was accepted */
	nsec prev_at;               /* just before that read */
	uint64_t pending;           /* read, not yet vouched for ... */
	unsigned unvouched;         /* ... at so many ticks */
	uint8_t reason;             /* enum reason, now */
	bool based;                 /* prev holds */
	bool whole;                 /* prev was read with the sample that began the window */
	bool doubtful;              /* the last check could not tell: pending waits for the next */
	uint64_t total;
	uint64_t window;            /* committed last: the counts of the window */
	uint8_t rearms;
	nsec rearm_at;              /* 0: none planned */
	nsec armed_at;
	nsec moved_at;              /* clocks: last time it had counted */
	unsigned still;             /* clocks: checked windows without a count */
	uint64_t enabled, running;  /* perf: ns since the round began, at the last commit */
	nsec active;                /* perf: part of the last window in which the event had a counter */
};

struct sampler {
	struct sampler_options o;
	const struct plan_socket *socket;
	nsec interval, rotation;
	struct layout layout;
	struct counting *engine[ENGINES];
	struct slot_state *slots;   /* of all rounds, numbered through */
	uint64_t *words;            /* what is published */
	/* scratch of a tick, for the largest round */
	uint64_t *raw[ENGINES];
	uint8_t *reason[ENGINES];
	uint64_t *delta;
	bool *usable, *absent;
	uint8_t *rearm[ENGINES];

	unsigned round;
	bool running;               /* the round could be started */
	nsec window_start;          /* sample time at the last commit, or when counting was enabled */
	nsec sample_at, read_before;
	nsec checked_at, round_until, next;
	unsigned rounds_done;       /* a whole window of rounds 0 .. rounds_done-1 was published */
};

static nsec mono(const struct sampler *s)
{
	return s->o.clock.mono(s->o.clock.p);
}

static const struct plan_round *round_of(const struct sampler *s)
{
	return &s->socket->rounds[s->round];
}

static struct slot_state *states_of(const struct sampler *s)
{
	return &s->slots[layout_slot(s->socket, s->round, 0)];
}

/* ------------------------------------------------------------------ life */

int sampler_new(const struct sampler_options *o, struct sampler **ret, struct err *err)
{
	struct sampler *s = calloc(1, sizeof(*s));
	unsigned most = 1;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->o = *o;
	s->socket = &o->plan->sockets[o->socket];
	s->interval = o->plan->interval;
	s->rotation = o->plan->rotation;
	s->layout = layout_of(s->socket);
	s->engine[PLAN_REGISTERS] = o->regs;
	s->engine[PLAN_PERF] = o->perf;
	for (unsigned r = 0; r < s->socket->n_rounds; r++)
		if (s->socket->rounds[r].n_slots > most)
			most = s->socket->rounds[r].n_slots;
	s->slots = calloc(s->layout.n_slots + 1, sizeof(*s->slots));
	s->words = calloc(s->layout.n_words, sizeof(*s->words));
	s->delta = calloc(most, sizeof(*s->delta));
	s->usable = calloc(most, sizeof(*s->usable));
	s->absent = calloc(most, sizeof(*s->absent));
	for (unsigned e = 0; e < ENGINES; e++) {
		s->raw[e] = calloc(most, sizeof(**s->raw));
		s->reason[e] = calloc(most, sizeof(**s->reason));
		s->rearm[e] = calloc(most, sizeof(**s->rearm));
		if (!s->raw[e] || !s->reason[e] || !s->rearm[e])
			goto oom;
	}
	if (!s->slots || !s->words || !s->delta || !s->usable || !s->absent)
		goto oom;
	*ret = s;
	return 0;
oom:
	sampler_free(s);
	return err_set(err, -ENOMEM, "out of memory");
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	for (unsigned e = 0; e < ENGINES; e++) {
		free(s->raw[e]);
		free(s->reason[e]);
		free(s->rearm[e]);
	}
	free(s->slots);
	free(s->words);
	free(s->delta);
	free(s->usable);
	free(s->absent);
	free(s);
}

/* ------------------------------------------------------------------ reading */

static void slot_base(struct slot_state *st, uint64_t raw, nsec before)
{
	st->prev = raw;
	st->prev_at = before;
	st->based = true;
	st->whole = false;
	st->still = 0;
}

/* What the counter may have done at most since `from`, with the granularity of one more cycle. */
static bool slot_plausible(const struct plan_slot *slot, uint64_t delta, nsec elapsed)
{
	return slot->max_rate <= 0 ||
	       (double)delta <= slot->max_rate * ((double)elapsed / (double)NSEC_PER_SEC) + slot->max_inc;
}

/* A wrong reading of the counter itself, mended where the mended value is possible (323535-001 p 2-128). */
static uint64_t slot_mend(const struct plan_slot *slot, const struct slot_state *st, uint64_t raw, nsec elapsed)
{
	const struct cat_erratum *e = &slot->erratum;

	if (e->mask && (raw & e->mask) <= e->max && raw >= e->sub &&
	    slot_plausible(slot, wrap_delta(st->prev, raw - e->sub, slot->width), elapsed))
		return raw - e->sub;
	return raw;
}

static bool reason_sticks(uint8_t reason)
{
	return reason == REASON_FOREIGN || reason == REASON_REFUSED;
}

/* One slot's read into pending. before, after: around the read. */
static void slot_accept(struct sampler *s, const struct plan_slot *slot, struct slot_state *st, uint64_t raw,
			uint8_t failed, nsec before, nsec after)
{
	nsec elapsed;
	uint64_t delta;

	if (failed) {
		if (failed == REASON_READ_ERROR || failed == REASON_OFFLINE)
			s->words[W_READ_ERRORS]++;
		if (!reason_sticks(st->reason))
			st->reason = failed;
		return;
	}
	if (reason_sticks(st->reason))
		return;
	if (st->reason != REASON_STOPPED && st->reason != REASON_NO_DATA)       /* these go at a commit */
		st->reason = REASON_NONE;
	if (!st->based) {
		slot_base(st, raw, before);
		return;
	}
	elapsed = after - st->prev_at;
	if (slot->safe_interval && elapsed >= slot->safe_interval) {
		slot_base(st, raw, before);
		st->reason = REASON_LATE;
		return;
	}
	raw = slot_mend(slot, st, raw, elapsed);
	delta = wrap_delta(st->prev, raw, slot->width);
	if (!slot_plausible(slot, delta, elapsed)) {
		s->words[W_RESETS]++;
		slot_base(st, raw, before);
		st->reason = REASON_RESET;
		return;
	}
	if (raw < st->prev)
		s->words[W_WRAPS]++;
	st->pending += delta;
	st->prev = raw;
	st->prev_at = before;
}

static void sampler_read(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec before, after;

	before = mono(s);
	for (unsigned e = 0; e < ENGINES; e++) {
		unsigned n = e == PLAN_REGISTERS ? round->n_reg : round->n_perf;

		if (!s->engine[e] || !n)
			continue;
		memset(s->reason[e], 0, n);
		s->engine[e]->ops->read(s->engine[e], s->raw[e], s->reason[e]);
	}
	after = mono(s);
	for (unsigned i = 0; i < round->n_slots; i++) {
		const struct plan_slot *slot = &round->slots[i];

		slot_accept(s, slot, &st[i], s->raw[slot->engine][slot->engine_slot],
			    s->reason[slot->engine][slot->engine_slot], before, after);
	}
	s->read_before = before;
	s->sample_at = before + (after - before) / 2;
	s->words[W_DURATION] = (uint64_t)(after - before);
	if (s->o.freeze && s->engine[PLAN_REGISTERS])
		s->words[W_FROZEN] += (uint64_t)(after - before);
}

/* ------------------------------------------------------------------ checking */

static void slot_foreign(struct sampler *s, struct slot_state *st, nsec now)
{
	st->pending = 0;
	st->based = st->whole = false;
	if (st->reason == REASON_FOREIGN)
		return;
	s->words[W_FOREIGN]++;
	s->words[W_INVALID + REASON_FOREIGN] += st->unvouched;
	st->unvouched = 0;
	st->reason = REASON_FOREIGN;
	if (now - st->armed_at > REARM_FORGET)
		st->rearms = 0;
	st->rearm_at = st->rearms < REARMS ? now + (NSEC_PER_SEC << st->rearms) : 0;
}

/* Ownership, enables, overflow. False: the registers could not be read, so nothing is known yet. */
static bool sampler_check(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec now = mono(s);
	bool known = true;

	for (unsigned e = 0; e < ENGINES; e++) {
		unsigned n = e == PLAN_REGISTERS ? round->n_reg : round->n_perf;

		if (!s->engine[e] || !n)
			continue;
		memset(s->reason[e], 0, n);
		if (s->engine[e]->ops->check(s->engine[e], s->reason[e]) < 0) {
			memset(s->reason[e], REASON_READ_ERROR, n);
			known = false;
		}
	}
	s->checked_at = now;
	for (unsigned i = 0; i < round->n_slots; i++) {
		uint8_t reason = s->reason[round->slots[i].engine][round->slots[i].engine_slot];

		st[i].doubtful = reason == REASON_READ_ERROR;
		if (reason == REASON_FOREIGN)
			slot_foreign(s, &st[i], now);
		else if (!st[i].reason)
			st[i].reason = reason;
	}
	return known;
}

/* Write again what was taken from us, when its time has come. */
static void sampler_rearm(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec now = mono(s);
	bool any = false;
	int r;

	for (unsigned i = 0; i < round->n_slots; i++) {
		bool due = st[i].reason == REASON_FOREIGN && st[i].rearm_at && now >= st[i].rearm_at &&
			   round->slots[i].engine == PLAN_REGISTERS;

		if (round->slots[i].engine == PLAN_REGISTERS)
			s->rearm[PLAN_REGISTERS][round->slots[i].engine_slot] = due;
		any |= due;
	}
	if (!any)
		return;
	sampler_check(s);                       /* what else was changed is seen before our writes mend it */
	memset(s->reason[PLAN_REGISTERS], 0, round->n_reg);
	r = s->engine[PLAN_REGISTERS]->ops->rearm(s->engine[PLAN_REGISTERS], s->rearm[PLAN_REGISTERS],
						  s->raw[PLAN_REGISTERS], s->reason[PLAN_REGISTERS]);
	if (r == -ENXIO)
		return;                         /* nobody answers: at a later tick */
	for (unsigned i = 0; i < round->n_slots; i++) {
		unsigned k = round->slots[i].engine_slot;

		if (round->slots[i].engine != PLAN_REGISTERS || !s->rearm[PLAN_REGISTERS][k])
			continue;
		st[i].rearms++;
		st[i].rearm_at = 0;
		st[i].armed_at = now;
		st[i].reason = r < 0 ? REASON_FOREIGN : s->reason[PLAN_REGISTERS][k];
		if (!st[i].reason)
			slot_base(&st[i], s->raw[PLAN_REGISTERS][k], now);
		else if (st[i].rearms < REARMS) {
			st[i].reason = REASON_FOREIGN;
			st[i].rearm_at = now + (NSEC_PER_SEC << st[i].rearms);
		}
	}
}

/* ------------------------------------------------------------------ committing */

/* A clock that shows no count for long takes every slot under it along. */
static void sampler_stopped_clocks(struct sampler *s, nsec window)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round->n_slots; i++) {
		if (!round->slots[i].always_runs)
			continue;
		if (st[i].window || st[i].pending) {
			st[i].moved_at = s->sample_at;
			st[i].still = 0;
		} else if (st[i].whole && window > 0) {
			st[i].still++;
		}
	}
	for (unsigned i = 0; i < round->n_slots; i++) {
		int c = round->slots[i].always_runs ? (int)i : round->slots[i].clock;

		if (c < 0 || (st[i].reason && st[i].reason != REASON_STOPPED))
			continue;
		if (st[c].reason && st[c].reason != REASON_STOPPED)
			continue;                       /* a clock that cannot be read tells nothing */
		st[i].reason = st[c].still >= STOPPED_WINDOWS && s->sample_at - st[c].moved_at >= STOPPED_AFTER ?
			       REASON_STOPPED : st[i].doubtful ? REASON_READ_ERROR : REASON_NONE;
	}
}

/* What a slot would have counted in the window at the rate of the time in which it had a counter. */
static uint64_t slot_spread(const struct plan_slot *slot, const struct slot_state *st, nsec window)
{
	if (slot->engine != PLAN_PERF || st->active <= 0 || st->active >= window)
		return st->window;
	return (uint64_t)((double)st->window * ((double)window / (double)st->active) + 0.5);
}

static void sampler_derive(struct sampler *s, nsec window)
{
	const struct plan_socket *socket = s->socket;
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	uint64_t *value = &s->words[s->layout.metric_value], *state = &s->words[s->layout.metric_state];

	for (unsigned i = 0; i < socket->n_metrics; i++) {
		const struct plan_metric *m = &socket->metrics[i];
		double v;

		if (socket->groups[m->group].round != s->round)
			continue;
		for (unsigned k = 0; k < round->n_slots; k++) {
			s->delta[k] = m->counter ? st[k].total : slot_spread(&round->slots[k], &st[k], window);
			s->usable[k] = !st[k].reason && (m->counter || st[k].whole);
			s->absent[k] = st[k].reason == REASON_HIDDEN;
		}
		if (m->counter) {
			state[i] = derive_total(m, s->delta, s->usable, s->absent, &value[i]);
		} else {
			state[i] = derive_eval(m, s->delta, s->usable, s->absent, window, &v);
			if (state[i] == DERIVE_VALID)
				memcpy(&value[i], &v, sizeof(v));
		}
	}
}

/*
 * How long the kernel had a counter for each perf event: less than the window if it multiplexes. `whole`: the window is
 * long enough to say that an event had none.
 */
static void sampler_times(struct sampler *s, nsec window, bool whole)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round->n_slots; i++) {
		const struct counting *c = s->engine[round->slots[i].engine];
		uint64_t enabled, running, ran, was;

		st[i].active = window;
		if (!c || !c->ops->times)
			continue;
		c->ops->times(c, round->slots[i].engine_slot, &enabled, &running);
		was = enabled - st[i].enabled;
		ran = running - st[i].running;
		st[i].enabled = enabled;
		st[i].running = running;
		/* Clocks differ a little; only what is missing is the kernel's to tell. */
		st[i].active = (ran == was && was >= (uint64_t)(window - window / 8)) || ran > (uint64_t)window ? window :
			       (nsec)ran;
		if (st[i].reason == REASON_NO_DATA && ran)
			st[i].reason = REASON_NONE;
		else if (!st[i].reason && whole && was && !ran)
			st[i].reason = REASON_NO_DATA;
	}
}

/* The part of the window in which everything valid in the group counted. */
static nsec group_time(const struct sampler *s, const struct plan_group *g, nsec window)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = &s->slots[layout_slot(s->socket, s->round, 0)];
	bool perf = false, counts = false;
	nsec least = window;

	for (unsigned i = 0; round->n_perf && i < g->n_slots; i++) {
		unsigned k = g->slots[i];

		if (round->slots[k].engine != PLAN_PERF) {
			counts = true;
			continue;
		}
		perf = true;
		counts |= !st[k].reason;
		if (!st[k].reason && st[k].active < least)
			least = st[k].active;
	}
	return perf && !counts ? 0 : least;
}

/* Pending becomes total. `derived`: this ends a window that is worth a derived value. */
static void sampler_commit(struct sampler *s, bool derived)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec window = s->sample_at - s->window_start;

	for (unsigned i = 0; i < round->n_slots; i++) {
		st[i].window = st[i].doubtful ? 0 : st[i].pending;
		st[i].total += st[i].window;
		st[i].pending -= st[i].window;
	}
	sampler_times(s, window, derived);
	if (window > 0)
		for (unsigned g = 0; g < round->n_groups; g++)
			s->words[s->layout.group_active + round->groups[g]] +=
				(uint64_t)group_time(s, &s->socket->groups[round->groups[g]], window);
	s->window_start = s->sample_at;
	sampler_stopped_clocks(s, window);
	if (derived)
		sampler_derive(s, window);
	for (unsigned i = 0; i < round->n_slots; i++)
		st[i].whole = st[i].based && st[i].prev_at == s->read_before;
	if (derived && s->rounds_done == s->round)
		s->rounds_done++;
}

/* The CPU that the socket is read from; engines without one (model, perf) stand for the first of the socket. */
static uint64_t sampler_cpu(const struct sampler *s)
{
	int cpu = s->engine[PLAN_REGISTERS] ? regio_cpu(counting_regs_io(s->engine[PLAN_REGISTERS])) : -1;

	return cpu >= 0 ? (uint64_t)cpu : s->socket->n_cpus ? s->socket->cpus[0] : ~UINT64_C(0);
}

static void sampler_publish(struct sampler *s)
{
	for (unsigned i = 0; i < s->layout.n_slots; i++) {
		s->words[s->layout.slot_total + i] = s->slots[i].total;
		s->words[s->layout.slot_reason + i] = s->slots[i].reason;
	}
	s->words[W_NOW_MONO] = (uint64_t)s->sample_at;
	s->words[W_NOW_WALL] = (uint64_t)(s->o.clock.wall(s->o.clock.p) - (mono(s) - s->sample_at));
	s->words[W_ROUND] = s->round;
	s->words[W_CPU] = sampler_cpu(s);
	ring_write(s->o.ring, s->words);
}

/* ------------------------------------------------------------------ rounds */

static int round_start(struct sampler *s, unsigned round, struct err *err)
{
	struct slot_state *st;
	const struct plan_round *r;
	nsec before = mono(s);

	s->round = round;
	s->running = false;
	r = round_of(s);
	st = states_of(s);
	for (unsigned e = 0; e < ENGINES; e++) {
		unsigned n = e == PLAN_REGISTERS ? r->n_reg : r->n_perf;
		int rc;

		if (!s->engine[e] || !n)
			continue;
		memset(s->reason[e], 0, n);
		rc = s->engine[e]->ops->start(s->engine[e], round, s->raw[e], s->reason[e], err);
		if (rc < 0) {
			for (unsigned i = 0; i < r->n_slots; i++)
				st[i].reason = rc == -ENXIO ? REASON_OFFLINE : REASON_REFUSED;
			if (e == PLAN_PERF && s->engine[PLAN_REGISTERS] && r->n_reg)
				s->engine[PLAN_REGISTERS]->ops->stop(s->engine[PLAN_REGISTERS]);
			return rc;
		}
	}
	for (unsigned i = 0; i < r->n_slots; i++) {
		uint8_t reason = s->reason[r->slots[i].engine][r->slots[i].engine_slot];

		st[i].pending = st[i].enabled = st[i].running = 0;
		if (reason == REASON_FOREIGN)   /* taken while another round ran */
			slot_foreign(s, &st[i], before);
		st[i].reason = reason;
		if (!st[i].reason)
			slot_base(&st[i], s->raw[r->slots[i].engine][r->slots[i].engine_slot], before);
		else
			st[i].based = st[i].whole = false;
	}
	s->running = true;
	s->window_start = mono(s);
	for (unsigned i = 0; i < r->n_slots; i++) {
		st[i].still = 0;
		if (!st[i].moved_at)
			st[i].moved_at = st[i].armed_at = s->window_start;
	}
	/* The first sample at once: from here on windows lie between two reads of the same kind. */
	sampler_read(s);
	if (sampler_check(s))
		sampler_commit(s, false);
	return 0;
}

/* Stop the running round without losing a count: the last delta is read while the counters stand still, and counts if
 * the round was ours until it was stopped. */
static void round_stop(struct sampler *s)
{
	const struct plan_round *r = round_of(s);

	if (!s->running)
		return;
	for (unsigned e = 0; e < ENGINES; e++)
		if (s->engine[e] && (e == PLAN_REGISTERS ? r->n_reg : r->n_perf))
			s->engine[e]->ops->stop(s->engine[e]);
	sampler_read(s);
	if (sampler_check(s))
		sampler_commit(s, false);
	s->running = false;
}

/* Slots x ticks, by reason; `vouched`: a check has passed at this tick. */
static void sampler_count_invalid(struct sampler *s, bool vouched)
{
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round_of(s)->n_slots; i++) {
		if (st[i].reason)
			s->words[W_INVALID + st[i].reason]++;
		st[i].unvouched = vouched || st[i].reason ? 0 : st[i].unvouched + 1;
	}
}

int sampler_start(struct sampler *s, struct err *err)
{
	nsec now;
	int r;

	s->words[W_TICKS]++;
	r = round_start(s, 0, err);
	if (r < 0)
		return r;
	sampler_count_invalid(s, true);
	sampler_publish(s);
	now = mono(s);
	s->next = (now / s->interval + 1) * s->interval;
	if (s->next - now < s->interval / 4)
		s->next += s->interval;         /* a window too short to be worth a value */
	s->round_until = s->next - s->interval + s->rotation;
	return 0;
}

void sampler_tick(struct sampler *s)
{
	nsec now = mono(s);
	bool check = s->interval >= CHECK_EVERY || now - s->checked_at >= CHECK_EVERY || now >= s->round_until;
	bool vouched = false;

	s->words[W_LATENESS] = now > s->next ? (uint64_t)(now - s->next) : 0;
	if (now >= s->next + s->interval)
		s->words[W_MISSED] += (uint64_t)((now - s->next) / s->interval);
	s->words[W_TICKS]++;
	if (s->running) {
		if (check)
			sampler_rearm(s);
		sampler_read(s);
		vouched = check && sampler_check(s);
		if (vouched)
			sampler_commit(s, true);
	}
	sampler_count_invalid(s, vouched);
	if (check)
		sampler_publish(s);
	if (s->socket->n_rounds > 1 && now >= s->round_until) {
		round_stop(s);
		round_start(s, (s->round + 1) % s->socket->n_rounds, NULL);     /* failed: its slots are refused */
		sampler_publish(s);
		s->round_until = (now / s->interval) * s->interval + s->rotation;
	}
	s->next = (now / s->interval + 1) * s->interval;
}

nsec sampler_next(const struct sampler *s)
{
	return s->next;
}

void sampler_stop(struct sampler *s)
{
	if (!s->running)
		return;
	sampler_read(s);
	if (sampler_check(s))
		sampler_commit(s, true);
	round_stop(s);
	sampler_publish(s);
}

bool sampler_all_rounds(const struct sampler *s)
{
	return s->rounds_done >= s->socket->n_rounds;
}
