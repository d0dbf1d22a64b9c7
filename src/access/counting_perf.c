/* SPDX-License-Identifier: MIT
 * The perf_event engine: groups of events, one read a group.
 * Owns:  reading and switching what counting_perf_open.c opened; counts and times across CPUs that
 *        come and go.
 * Never: what a config means, scaling of shared counters.
 * new/free: main thread; the rest: the socket's sampler thread. read and check allocate nothing.
 *
 * When a CPU goes offline its events are lost: a read of their group returns fewer members, or its
 * time no longer advances. The group and its slots are offline then, and every check tries to open
 * it where its PMU counts now. Counts continue from the last read; what happened in between is lost
 * and flagged.
 */
#include "access/perf_engine.h"

#include <assert.h>
#include <errno.h>

#define PERF_MAX ((size_t)16 << 20)

static const struct counting_ops perf_ops;

static struct counting_perf *perf_of(const struct counting *c)
{
	assert(c->ops == &perf_ops);
	return (struct counting_perf *)c;
}

static void perf_free(struct counting *base)
{
	struct counting_perf *c = perf_of(base);

	for (struct perf_round *rd = c->rounds; rd && rd < c->rounds + c->program->n_rounds; rd++)
		for (unsigned g = 0; g < rd->n_groups; g++)
			perf_group_close(c, &rd->groups[g]);
	arena_free(c->arena);
}

/* Memory for everything. Inside arena_try(). */
static void allocate(void *p)
{
	struct counting_perf *c = p;
	unsigned most = 0;

	c->rounds = arena_alloc(c->arena, c->program->n_rounds, sizeof(*c->rounds));
	for (unsigned i = 0; i < c->program->n_rounds; i++) {
		const struct plan_perf_round *plan = &c->program->rounds[i];
		unsigned n = plan->n_events;

		c->rounds[i] = (struct perf_round){
			.plan = plan, .groups = arena_alloc(c->arena, n, sizeof(struct perf_group)),
			.members = arena_alloc(c->arena, n, sizeof(struct perf_member)),
			.group_of = arena_alloc(c->arena, n, sizeof(unsigned)),
		};
		most = n > most ? n : most;
	}
	c->buf_size = sizeof(*c->buf) + most * sizeof(c->buf->value[0]);
	c->buf = arena_alloc(c->arena, 1, c->buf_size);
}

/* A program of ready-made groups (may_lack) of which nothing could be opened. */
static bool is_empty(const struct counting_perf *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->program->n_rounds; i++)
		n += c->rounds[i].n_groups;
	return n == 0 && c->left_out.text[0];
}

static int open_rounds(struct counting_perf *c, struct err *err)
{
	for (unsigned i = 0; i < c->program->n_rounds; i++) {
		int r = perf_round_open(c, &c->rounds[i], err);

		if (r < 0)
			return r;
	}
	if (!is_empty(c))
		return 0;
	if (err)
		*err = c->left_out;
	return c->left_out_errno;
}

int counting_perf_new(const struct perf_sys *sys, const struct plan_perf_program *program,
		      struct counting **ret, struct err *err)
{
	struct arena *arena = arena_new(PERF_MAX, NULL);
	struct counting_perf *c = arena ? arena_alloc(arena, 1, sizeof(*c)) : NULL;
	int r;

	if (c)
		*c = (struct counting_perf){ .base.ops = &perf_ops, .arena = arena,
					     .sys = sys ?: &perf_sys_linux, .program = program };
	if (!c || !arena_try(arena, allocate, c)) {
		arena_free(arena);
		return err_set(err, -ENOMEM, "out of memory");
	}
	r = open_rounds(c, err);
	if (r < 0) {
		perf_free(&c->base);
		return r;
	}
	*ret = &c->base;
	return 0;
}

const char *counting_perf_left_out(const struct counting *base)
{
	const struct counting_perf *c = perf_of(base);

	return c->left_out.text[0] ? c->left_out.text : NULL;
}

/* Counts of a descriptor never fall: a member that went with its CPU reads as 0. */
static bool has_fallen(const struct counting_perf *c, const struct perf_group *g)
{
	for (unsigned i = 0; i < g->n; i++)
		if (g->members[i].before + c->buf->value[i] < g->members[i].last)
			return true;
	return false;
}

/*
 * One group into c->buf and its times; REASON_NONE, or why nothing was read. A group whose time
 * does not advance while it is enabled is offline, like one that lost its members.
 */
static uint8_t read_group(struct counting_perf *c, struct perf_group *g)
{
	size_t want = sizeof(*c->buf) + g->n * sizeof(c->buf->value[0]);
	uint64_t enabled, running;
	ssize_t n;

	if (g->offline)
		return REASON_OFFLINE;
	n = c->sys->read(c->sys, g->members->fd, c->buf, c->buf_size);
	if (n < 0 && n != -ENODEV && n != -ENXIO)
		return REASON_READ_ERROR;
	if (n != (ssize_t)want || c->buf->n != g->n || has_fallen(c, g))
		goto offline;
	enabled = g->enabled_before + c->buf->enabled;
	running = g->running_before + c->buf->running;
	if (c->running && !g->just_enabled && enabled == g->enabled)
		goto offline;
	g->just_enabled = false;
	g->enabled = enabled;
	g->running = running;
	return REASON_NONE;
offline:
	perf_group_close(c, g);
	return REASON_OFFLINE;
}

static int perf_read(struct counting *base, uint64_t *raw, uint8_t *reason)
{
	struct counting_perf *c = perf_of(base);
	struct perf_round *rd = c->current;
	unsigned good = 0;

	for (unsigned k = 0; rd && k < rd->n_groups; k++) {
		struct perf_group *g = &rd->groups[k];
		uint8_t why = read_group(c, g);

		good += !why;
		for (unsigned i = 0; i < g->n; i++) {
			struct perf_member *m = &g->members[i];

			if (!why)
				m->last = m->before + c->buf->value[i];
			raw[m->slot] = m->last;
			if (why)
				reason[m->slot] = why;
		}
	}
	return good || !rd || rd->n_groups == 0 ? 0 : -ENXIO;
}

static void switch_round(struct counting_perf *c, struct perf_round *rd, bool on)
{
	for (unsigned k = 0; k < rd->n_groups; k++) {
		struct perf_group *g = &rd->groups[k];

		if (!g->offline && c->sys->enable(c->sys, g->members->fd, on) < 0)
			perf_group_close(c, g);
		g->just_enabled = on;
	}
}

static int perf_stop(struct counting *base)
{
	struct counting_perf *c = perf_of(base);

	if (c->running)
		switch_round(c, c->current, false);
	c->running = false;
	return 0;
}

static int perf_start(struct counting *base, unsigned round, uint64_t *values, uint8_t *reason,
		      struct err *err)
{
	struct counting_perf *c = perf_of(base);
	struct perf_round *rd;

	assert(round < c->program->n_rounds);
	(void)err;
	perf_stop(base);
	c->current = rd = &c->rounds[round];
	for (unsigned k = 0; k < rd->n_groups; k++)
		if (rd->groups[k].offline)
			perf_group_reopen(c, &rd->groups[k]);
	perf_read(base, values, reason);        /* disabled: no count changes */
	for (unsigned i = 0; i < rd->plan->n_events; i++)
		if (rd->group_of[i] == GROUP_NONE)
			reason[i] = REASON_REFUSED;
	for (unsigned k = 0; k < rd->n_groups; k++) {
		rd->groups[k].enabled_base = rd->groups[k].enabled;
		rd->groups[k].running_base = rd->groups[k].running;
	}
	switch_round(c, rd, true);
	c->running = true;
	return 0;
}

/* The kernel arbitrates: nobody else can change our events. Groups that are offline are opened
 * again where that is possible. */
static int perf_check(struct counting *base, uint8_t *reason)
{
	struct counting_perf *c = perf_of(base);
	struct perf_round *rd = c->current;

	(void)reason;
	for (unsigned k = 0; rd && c->running && k < rd->n_groups; k++) {
		struct perf_group *g = &rd->groups[k];

		if (!g->offline || perf_group_reopen(c, g) < 0)
			continue;
		if (c->sys->enable(c->sys, g->members->fd, true) < 0)
			perf_group_close(c, g);
		g->just_enabled = true;
	}
	return 0;
}

static void perf_times(const struct counting *base, unsigned slot, uint64_t *ret_enabled,
		       uint64_t *ret_running)
{
	struct counting_perf *c = perf_of(base);
	const struct perf_round *rd = c->current;
	unsigned k = rd && slot < rd->plan->n_events ? rd->group_of[slot] : GROUP_NONE;
	const struct perf_group *g = k != GROUP_NONE ? &rd->groups[k] : NULL;

	*ret_enabled = g ? g->enabled - g->enabled_base : 0;
	*ret_running = g ? g->running - g->running_base : 0;
}

static int perf_cpu(const struct counting *base)
{
	const struct perf_round *rd = perf_of(base)->current;

	for (unsigned k = 0; rd && k < rd->n_groups; k++)
		if (!rd->groups[k].offline)
			return rd->groups[k].cpu;
	return rd && rd->n_groups ? rd->groups[0].cpu : -1;
}

static const struct counting_ops perf_ops = {
	.start = perf_start, .read = perf_read, .check = perf_check, .stop = perf_stop,
	.times = perf_times, .cpu = perf_cpu, .free = perf_free,
};
