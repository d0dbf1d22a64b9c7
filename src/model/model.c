/* SPDX-License-Identifier: MIT
 * The model itself; see model.h.
 * Owns:  its life and lock, time, how counters advance and overflow, what a read or write does.
 * Never: what a register of a family means (model_nehalem_ex.c and its siblings), how often an
 *        event happens (workload.c).
 */
#include "model/model_internal.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define MODEL_MAX ((size_t)64 << 20)

static const struct family *const families[] = {
	&family_nehalem_ex, &family_westmere_ex, &family_nehalem, &family_westmere, &family_ivytown,
};

static const struct family *family_find(const char *processor)
{
	for (size_t i = 0; i < COUNT(families); i++)
		if (strcmp(families[i]->processor, processor) == 0)
			return families[i];
	return NULL;
}

static int check_options(const struct model_options *o, struct err *err)
{
	if (!family_find(o->processor))
		return err_set(err, -EINVAL, "the model knows no processor \"%s\"; "
			       "`uncorectl list processors` names them", o->processor);
	if (o->workload && !workload_find(o->workload))
		return err_set(err, -EINVAL, "the model knows no workload \"%s\"; the choices are "
			       "idle, stream, bursty, day, rotation and verify",
			       o->workload);
	if (o->n_sockets < 1 || o->n_sockets > 64 || o->cores < 1 || o->cores > 64)
		return err_set(err, -EINVAL,
			       "the model has 1 to 64 sockets of 1 to 64 cores, not %u of %u",
			       o->n_sockets, o->cores);
	return 0;
}

void map_put(struct register_map *map, unsigned regno, struct reg_def d)
{
	assert(map->def[regno].kind == KIND_NONE);
	map->def[regno] = d;
}

void map_rows(struct register_map *map, const struct reg_row *rows, size_t n)
{
	for (const struct reg_row *r = rows; r < rows + n; r++)
		for (uint8_t u = 0; u < r->units; u++)
			for (uint8_t i = 0; i < (r->n ? r->n : 1); i++) {
				struct reg_def d = r->def;

				d.unit = u;
				d.index = (uint8_t)(d.index + i);
				d.bits |= map->family->westmere ? r->westmere : 0;
				map_put(map, r->regno + u * r->unit_step + i * r->step, d);
			}
}

void map_pair(struct register_map *map, unsigned ctl, unsigned ctr, struct reg_def d, uint64_t mask)
{
	d.counter = map->n_counters++;
	d.kind = KIND_CTL;
	map_put(map, ctl, d);
	d.kind = KIND_CTR;
	d.bits = mask;
	d.rsv = 0;
	map_put(map, ctr, d);
}

/* What the registers hold at first; tells each counter which registers it has. */
static void socket_init(const struct model *m, struct socket *s)
{
	for (unsigned regno = 0; regno < m->family->n_regs; regno++) {
		const struct reg_def *d = &m->def[regno];
		struct counter *c = &s->ctr[d->counter];

		s->reg[regno] = d->value;
		if (d->kind != KIND_CTL && d->kind != KIND_CTR)
			continue;
		c->box = d->box;
		c->unit = d->unit;
		c->index = d->index;
		c->fixed = d->fixed;
		*(d->kind == KIND_CTL ? &c->ctl : &c->ctr) = regno;
		if (d->kind == KIND_CTR)
			c->mask = d->bits;
	}
}

/* Inside arena_try(): no allocation fails here. */
static void allocate(void *p)
{
	struct model *m = p;
	const struct family *f = m->family;
	struct register_map map = { .family = f };

	m->sockets = arena_alloc(m->arena, m->n_sockets, sizeof(*m->sockets));
	m->def = map.def = arena_alloc(m->arena, f->n_regs, sizeof(*m->def));
	f->map(&map);
	for (unsigned i = 0; i < m->n_sockets; i++) {
		m->sockets[i] = (struct socket){
			.number = i, .online = bits_mask(m->cores - 1, 0), .freeze_at = -1,
			.n_counters = map.n_counters,
			.reg = arena_alloc(m->arena, f->n_regs, sizeof(uint64_t)),
			.fault = arena_alloc(m->arena, f->n_regs, sizeof(uint8_t)),
			.ctr = arena_alloc(m->arena, map.n_counters, sizeof(struct counter)),
		};
		socket_init(m, &m->sockets[i]);
	}
}

int model_new(const struct model_options *o, struct model **ret, struct err *err)
{
	int r = check_options(o, err);
	struct arena *arena;
	struct model *m;

	if (r < 0)
		return r;
	arena = arena_new(MODEL_MAX, NULL);
	m = arena ? arena_alloc(arena, 1, sizeof(*m)) : NULL;
	if (m)
		*m = (struct model){
			.arena = arena, .family = family_find(o->processor),
			.workload = workload_find(o->workload ? o->workload : "stream"),
			.n_sockets = o->n_sockets, .cores = o->cores, .seed = o->seed,
			.real_time = o->real_time,
			.start = o->real_time ? clock_read(CLOCK_MONOTONIC) : 0,
		};
	if (!m || !arena_try(arena, allocate, m)) {
		arena_free(arena);
		return err_set(err, -ENOMEM, "no memory for the register model");
	}
	pthread_mutex_init(&m->lock, NULL);
	r = m->workload->traffic ? traffic_map(&m->traffic, err) : 0;
	if (r < 0)
		model_free(m);
	else
		*ret = m;
	return r;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	pthread_mutex_destroy(&m->lock);
	traffic_free(m->traffic);
	arena_free(m->arena);
}

struct model *model_lock(struct model *m)
{
	pthread_mutex_lock(&m->lock);
	if (m->real_time)
		m->now = clock_read(CLOCK_MONOTONIC) - m->start;
	for (unsigned i = 0; m->traffic && i < m->n_sockets; i++)
		for (unsigned k = 0; k < TRAFFIC_KINDS; k++)
			m->sockets[i].moved[k] = (nsec)((double)m->traffic->moved[i][k] /
							TRAFFIC_BYTES_PER_NS);
	return m;
}

void model_unlock(struct model **m)
{
	pthread_mutex_unlock(&(*m)->lock);
}

/* The time in each phase from counted_to until t. What is moved between two accesses is moved
 * evenly. */
static void phase_times(const struct model *m, const struct socket *s, const struct counter *c,
			nsec t, nsec ret[PHASES])
{
	nsec from[PHASES];

	workload_elapsed(m->workload, c->counted_to, from);
	workload_elapsed(m->workload, t, ret);
	for (unsigned p = 0; p < m->workload->n_phases; p++)
		ret[p] -= from[p];
	if (!m->traffic || m->now <= c->counted_to)
		return;
	for (unsigned k = 0; k < TRAFFIC_KINDS; k++)
		ret[1 + k] = (nsec)((double)(s->moved[k] - c->moved[k]) *
				    ((double)(t - c->counted_to) /
				     (double)(m->now - c->counted_to)));
}

/* What the counter counts from counted_to until t, in 1/EVENT, with the fraction before. The result
 * does not depend on how often the counter is read. */
static unsigned __int128 counter_events(const struct model *m, const struct socket *s,
					const struct counter *c, nsec t)
{
	unsigned __int128 sum = c->fraction;
	nsec times[PHASES];

	phase_times(m, s, c, t, times);
	for (unsigned p = 0; p < m->workload->n_phases; p++)
		sum += (unsigned __int128)c->rate[p] * (uint64_t)times[p];
	return sum;
}

void socket_update_enables(struct model *m, struct socket *s)
{
	s->may_freeze = false;
	for (unsigned i = 0; i < s->n_counters; i++) {
		struct counter *c = &s->ctr[i];

		c->active = !s->stop_clock && m->family->enabled(s, c);
		s->may_freeze = s->may_freeze || m->family->overflow_freezes(s, c);
	}
}

static void counter_overflow(struct model *m, struct socket *s, const struct counter *c, nsec at)
{
	if (m->family->overflow_freezes(s, c) && s->freeze_at < 0)
		s->freeze_at = at + FREEZE_LATENCY;
	m->family->overflow(s, c);
	if (s->may_freeze)
		socket_update_enables(m, s);
}

static void counter_pass(const struct model *m, const struct socket *s, struct counter *c, nsec to)
{
	nsec times[PHASES];

	if (m->traffic) {
		phase_times(m, s, c, to, times);
		for (unsigned k = 0; k < TRAFFIC_KINDS; k++)
			c->moved[k] += times[1 + k];
	}
	c->counted_to = to;
}

/* counter_advance - count up to `to`. An overflow has the time `to`. */
static void counter_advance(struct model *m, struct socket *s, struct counter *c, nsec to)
{
	unsigned __int128 sum;
	uint64_t n;

	if (to <= c->counted_to)
		return;
	if (!c->active || c->stopped) {
		counter_pass(m, s, c, to);
		return;
	}
	sum = counter_events(m, s, c, to);
	counter_pass(m, s, c, to);
	n = (uint64_t)(sum / EVENT);
	c->fraction = (uint64_t)(sum % EVENT);
	if (n > c->mask - c->value) {
		if (m->family->wraps && !m->family->wraps(s, c)) {
			n = c->mask - c->value + 1;
			c->stopped = true;
		}
		counter_overflow(m, s, c, to);
	}
	c->truth += n;
	c->value = (c->value + n) & c->mask;
}

/* The time at which the counter overflows, or INT64_MAX if that is after `until`. */
static nsec counter_overflow_time(const struct model *m, const struct socket *s,
				  const struct counter *c, nsec until)
{
	uint64_t need = c->mask - c->value + 1;
	nsec lo = c->counted_to, hi = until;

	if (c->stopped || counter_events(m, s, c, until) / EVENT < need)
		return INT64_MAX;
	while (hi - lo > 1) {
		nsec mid = lo + (hi - lo) / 2;

		if (counter_events(m, s, c, mid) / EVENT >= need)
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

static void socket_advance(struct model *m, struct socket *s, nsec to)
{
	for (unsigned i = 0; i < s->n_counters; i++)
		counter_advance(m, s, &s->ctr[i], to);
}

void socket_sync(struct model *m, struct socket *s)
{
	while (s->may_freeze || s->freeze_at >= 0) {
		nsec next = s->freeze_at >= 0 ? s->freeze_at : INT64_MAX;

		if (s->freeze_at < 0)
			for (unsigned i = 0; i < s->n_counters; i++) {
				nsec t = m->family->overflow_freezes(s, &s->ctr[i]) ?
					counter_overflow_time(m, s, &s->ctr[i], m->now) : INT64_MAX;

				next = t < next ? t : next;
			}
		if (next > m->now)
			break;
		socket_advance(m, s, next);
		if (s->freeze_at == next) {
			m->family->freeze(s);
			s->freeze_at = -1;
			socket_update_enables(m, s);
		}
	}
	socket_advance(m, s, m->now);
}

uint64_t counter_read(struct model *m, struct socket *s, struct counter *c)
{
	if (s->may_freeze || s->freeze_at >= 0)
		socket_sync(m, s);
	else
		counter_advance(m, s, c, m->now);
	return c->value;
}

/* Does what a counter counts depend on this register? */
static bool selects(const struct family *f, const struct reg_def *d)
{
	return d->kind == KIND_CTL || (d->kind >= f->filter_first && d->kind <= f->filter_last);
}

uint64_t register_read(struct model *m, struct socket *s, unsigned regno)
{
	const struct reg_def *d = &m->def[regno];

	if (d->kind == KIND_CTR)
		return counter_read(m, s, &s->ctr[d->counter]);
	if (!selects(m->family, d))             /* an overflow may have changed it */
		socket_sync(m, s);
	return s->reg[regno];
}

static void counter_set_rates(const struct model *m, const struct socket *s, struct counter *c)
{
	double ghz = m->family->ghz[c->box];

	for (unsigned p = 0; p < m->workload->n_phases; p++) {
		struct load l = workload_load(m, s->number, c->unit, p);
		double per_cycle = m->family->events_per_cycle(m, s, c, &l);

		c->rate[p] = (uint64_t)(per_cycle * ghz * (double)EVENT + 0.5);
		if (m->traffic && p > 0)        /* beside what is counted all the time */
			c->rate[p] -= c->rate[p] < c->rate[0] ? c->rate[p] : c->rate[0];
	}
}

/* The counters of which a register says what they count take its new value. */
static void select_anew(struct model *m, struct socket *s, unsigned regno)
{
	const struct reg_def *d = &m->def[regno];

	for (unsigned i = 0; i < s->n_counters; i++) {
		struct counter *c = &s->ctr[i];
		bool of_box = c->box == d->box && c->unit == d->unit;

		if (d->kind == KIND_CTL ? c->ctl != regno : !of_box)
			continue;
		c->stopped = c->stopped && d->kind != KIND_CTL;
		counter_set_rates(m, s, c);
	}
}

void register_store(struct model *m, struct socket *s, unsigned regno, uint64_t value)
{
	const struct reg_def *d = &m->def[regno];

	if (d->kind == KIND_CTR) {
		s->ctr[d->counter].value = value & d->bits;
		s->ctr[d->counter].stopped = false;
		return;
	}
	s->reg[regno] = value;
	if (selects(m->family, d))
		select_anew(m, s, regno);
	socket_update_enables(m, s);
}

/* Records a broken rule, in a socket that exists. */
static void violate(struct model *m, unsigned socket, struct reg r, enum rule rule, uint64_t bits)
{
	m->violation = (struct violation){ socket, r, rule, bits };
	m->violations++;
}

int register_number(const struct family *f, struct reg r)
{
	unsigned at = 0;

	for (const struct msr_range *k = f->msrs; k < f->msrs + f->n_msrs; k++) {
		if (r.space == SPACE_MSR && r.off >= k->first && r.off - k->first < k->n)
			return (int)(at + r.off - k->first);
		at += k->n;
	}
	if (r.space == SPACE_MSR || r.off % 4 || r.off >= 0x300 || (r.off & 0xf00) == 0x100)
		return -1;
	for (unsigned i = 0; i < f->n_functions; i++)
		if (f->functions[i].dev == r.dev && f->functions[i].fn == r.fn)
			return (int)(at + i * FUNCTION_REGS + FUNCTION_WORD(r.off));
	return -1;
}

/* The number of the register if the access is allowed, else a negative errno. */
static int access_regno(const struct model *m, unsigned socket, struct reg r, bool write)
{
	const struct socket *s;
	int regno = register_number(m->family, r);

	if (socket >= m->n_sockets)
		return -ENXIO;
	s = &m->sockets[socket];
	if (s->offline || !s->online)
		return -ENXIO;
	if (write && s->write_eperm)
		return -EPERM;
	if (regno < 0 || (m->def[regno].kind == KIND_NONE && r.space != SPACE_PCI) ||
	    s->fault[regno] & (FAULT_EIO | FAULT_HIDDEN))
		return -EIO;
	return regno;
}

/* A counter in configuration space is also read and written in two halves. */
static bool is_half(struct reg r)
{
	return r.space == SPACE_PCI && r.bytes == 4;
}

int model_read(struct model *m, unsigned socket, struct reg r, uint64_t *ret)
{
	LOCKED(m);
	int regno = access_regno(m, socket, r, false);

	if (regno < 0)
		return regno;
	if (m->def[regno].access == ACCESS_WO) {
		violate(m, socket, r, RULE_WRITE_ONLY, 0);
		return -EIO;
	}
	*ret = m->family->read(m, &m->sockets[socket], (unsigned)regno);
	if (is_half(r))
		*ret = (uint32_t)*ret;
	return 0;
}

int model_write(struct model *m, unsigned socket, struct reg r, uint64_t value)
{
	LOCKED(m);
	int found = access_regno(m, socket, r, true);
	unsigned regno = (unsigned)found;
	const struct reg_def *d;
	struct socket *s;

	if (found < 0)
		return found;
	d = &m->def[regno];
	s = &m->sockets[socket];
	if (d->access == ACCESS_RO) {
		violate(m, socket, r, RULE_READ_ONLY, 0);
		return -EIO;
	}
	if (s->fault[regno] & FAULT_STUCK || d->kind == KIND_NONE)
		return 0;           /* a word of configuration space without a register reads 0 */
	if (value & d->rsv)
		violate(m, socket, r, RULE_RESERVED, value & d->rsv);
	socket_sync(m, s);
	if (is_half(r) && d->kind == KIND_CTR)
		value = s->ctr[d->counter].value >> 32 << 32 | (uint32_t)value;
	if (m->family->write(m, s, regno, value & d->bits))
		return 0;
	violate(m, socket, r, RULE_LOCKED, 0);
	return -EIO;
}
