/* SPDX-License-Identifier: MIT
 * The modelled kernel: its events, and which of them have counters when. See perf_kernel.h.
 *
 * Linux 6.1: groups of a PMU on a CPU get counters in their order; the first that finds too few,
 * and all behind it, wait. Each perf_event_mux_interval_ms the first that counts goes to the end.
 * (ctx_sched_in and perf_rotate_context, of its kernel/events/.)
 */
#include "model/perf_kernel_internal.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TURN (4 * NSEC_PER_MSEC)        /* perf_event_mux_interval_ms */
#define TRAFFIC_LEAST (20 * NSEC_PER_MSEC)
#define READ_MAX (16 * 1024)            /* bytes that perf lets one read return */
enum { EVENTS_AT_ONCE = 256 };

static struct perf_kernel *lock(struct perf_kernel *k)
{
	pthread_mutex_lock(&k->lock);
	return k;
}

static void unlock(struct perf_kernel **k)
{
	pthread_mutex_unlock(&(*k)->lock);
}

#define LOCK(k) struct perf_kernel *locked __attribute__((cleanup(unlock), unused)) = lock(k)

nsec kernel_now(const struct perf_kernel *k)
{
	return (k->o.clock ? k->o.clock(k->o.of) : clock_read(CLOCK_MONOTONIC)) - k->start;
}

static uint64_t count_at(const struct kernel_event *e, const nsec elapsed[PHASES])
{
	unsigned __int128 sum = 0;

	for (unsigned p = 0; p < PHASES; p++)
		sum += (unsigned __int128)e->rate[p] * (uint64_t)elapsed[p];
	return (uint64_t)(sum >> 32);
}

/* The time in each phase up to t. What a load in another process moves is all in phase 0, whose
 * rates change with it: up to t from where they hold. */
static void elapsed_at(const struct perf_kernel *k, nsec from, nsec t, nsec ret[PHASES])
{
	workload_elapsed(k->workload, t, ret);
	if (k->traffic)
		ret[0] = t - from;
}

uint64_t kernel_truth(const struct perf_kernel *k, const struct kernel_event *e, nsec t)
{
	nsec elapsed[PHASES];

	elapsed_at(k, t, t, elapsed);
	return count_at(e, elapsed);
}

/* ------------------------------------------------------------------ counters of a box */

/* Which event has a counter. */
struct placing {
	int owner[COUNTERS_MAX];
};

/* A counter for the event, if others can make room for it. */
static bool place(const struct perf_kernel *k, struct placing *p, int event, uint64_t *tried)
{
	for (unsigned c = 0; c < COUNTERS_MAX; c++) {
		if (!(k->events[event].counters & BIT(c)) || *tried & BIT(c))
			continue;
		*tried |= BIT(c);
		if (p->owner[c] == NO_EVENT || place(k, p, p->owner[c], tried)) {
			p->owner[c] = event;
			return true;
		}
	}
	return false;
}

/* Two values of a filter that the box has once? */
static bool disagree(const struct kernel_event *a, const struct kernel_event *b)
{
	return (a->filter ^ b->filter) & a->filtered & b->filtered;
}

/* Adds an event to those that have counters. False: there are too few; *p is of no use then. */
static bool place_event(const struct perf_kernel *k, struct placing *p, int e)
{
	uint64_t tried = 0;

	if (!k->events[e].counters)
		return true;
	for (unsigned c = 0; c < COUNTERS_MAX; c++)
		if (p->owner[c] != NO_EVENT && disagree(&k->events[p->owner[c]], &k->events[e]))
			return false;
	return place(k, p, e, &tried);
}

/* The same of a group: of its leader, and of the members that are on. */
static bool place_group(const struct perf_kernel *k, struct placing *p, int leader)
{
	for (int e = leader; e != NO_EVENT; e = k->events[e].next)
		if ((e == leader || k->events[e].on) && !place_event(k, p, e))
			return false;
	return true;
}

static void placing_clear(struct placing *p)
{
	for (unsigned c = 0; c < COUNTERS_MAX; c++)
		p->owner[c] = NO_EVENT;
}

/* ------------------------------------------------------------------ who counts when */

/* Counts up to t, during which nothing changes. */
static void count_box(struct perf_kernel *k, struct kernel_box *b, nsec t)
{
	uint64_t passed = (uint64_t)(t - b->counted_to);
	nsec elapsed[PHASES];

	elapsed_at(k, b->counted_to, t, elapsed);
	for (int g = b->first; g != NO_EVENT; g = k->events[g].next_group) {
		const struct kernel_event *leader = &k->events[g];

		for (int i = g; i != NO_EVENT; i = k->events[i].next) {
			struct kernel_event *e = &k->events[i];
			uint64_t truth = count_at(e, elapsed);
			bool counts = e->on && leader->active;

			e->enabled += e->on && leader->on ? passed : 0;
			e->running += counts ? passed : 0;
			e->count += counts ? truth - e->seen : 0;
			e->seen = k->traffic ? 0 : truth;
		}
	}
	b->counted_to = t;
}

/* Gives counters to the groups that are enabled, at counted_to. */
static void schedule(struct perf_kernel *k, struct kernel_box *b)
{
	struct placing placed;
	bool crowded = false;

	placing_clear(&placed);
	for (int g = b->first; g != NO_EVENT; g = k->events[g].next_group) {
		struct placing with = placed;

		k->events[g].active = k->events[g].on && !crowded && place_group(k, &with, g);
		if (k->events[g].active)
			placed = with;
		else
			crowded |= k->events[g].on;
	}
	if (crowded && !b->crowded)
		b->turn = b->counted_to + TURN;
	b->crowded = crowded;
}

static void append(struct perf_kernel *k, struct kernel_box *b, int group)
{
	int *at = &b->first;

	while (*at != NO_EVENT)
		at = &k->events[*at].next_group;
	*at = group;
	k->events[group].next_group = NO_EVENT;
}

static void take_out(struct perf_kernel *k, struct kernel_box *b, int group)
{
	int *at = &b->first;

	while (*at != group)
		at = &k->events[*at].next_group;
	*at = k->events[group].next_group;
}

/* The first group that counts, else the first, goes to the end. */
static void rotate(struct perf_kernel *k, struct kernel_box *b)
{
	int g = b->first;

	while (g != NO_EVENT && !k->events[g].active)
		g = k->events[g].next_group;
	if (g == NO_EVENT)
		g = b->first;
	take_out(k, b, g);
	append(k, b, g);
	schedule(k, b);
}

/* What was moved since the last time is taken as moved evenly, and counted by every box. Not within
 * a few milliseconds, in which a load has only begun to move what it says. */
static void take_traffic(struct perf_kernel *k, nsec now)
{
	nsec length = now - k->taken;

	if (!k->traffic || length < TRAFFIC_LEAST)
		return;
	for (unsigned s = 0; s < k->o.topo->n_sockets && s < TRAFFIC_SOCKETS; s++) {
		double moved[TRAFFIC_KINDS];

		for (unsigned i = 0; i < TRAFFIC_KINDS; i++) {
			uint64_t all = k->traffic->moved[s][i];

			moved[i] = (double)(all - k->moved[s][i]);
			k->moved[s][i] = all;
		}
		k->flows[s * PHASES] = server_flow_of(k->o.text, moved[TRAFFIC_READ],
						      moved[TRAFFIC_WRITTEN], length);
	}
	k->taken = now;
	for (unsigned i = 0; i < k->n_events; i++)
		if (k->events[i].open)
			kernel_take_rates(k, &k->events[i]);
	for (unsigned i = 0; i < k->n_boxes; i++)
		count_box(k, &k->boxes[i], now);
}

static struct kernel_box *box_now(struct perf_kernel *k, int fd)
{
	struct kernel_box *b = &k->boxes[k->events[fd].box];
	nsec now = kernel_now(k);

	take_traffic(k, now);
	for (; b->crowded && b->turn <= now; b->turn += TURN) {
		count_box(k, b, b->turn);
		rotate(k, b);
	}
	count_box(k, b, now);
	return b;
}

/* ------------------------------------------------------------------ opening */

/* -1: there is no memory. */
static int new_number(struct perf_kernel *k)
{
	unsigned i = 0;
	void *v;

	while (i < k->n_events && k->events[i].open)
		i++;
	if (i < k->n_events)
		return (int)i;
	v = realloc(k->events, (k->n_events + EVENTS_AT_ONCE) * sizeof(*k->events));
	if (!v)
		return -1;
	k->events = v;
	memset(&k->events[k->n_events], 0, EVENTS_AT_ONCE * sizeof(*k->events));
	k->n_events += EVENTS_AT_ONCE;
	return (int)i;
}

static bool is_open(const struct perf_kernel *k, int fd)
{
	return fd >= 0 && (unsigned)fd < k->n_events && k->events[fd].open;
}

/* Could the group count with this one more, if it were alone? */
static bool fits_alone(const struct perf_kernel *k, int leader, int fd)
{
	struct placing p;

	placing_clear(&p);
	return place_group(k, &p, leader) && place_event(k, &p, fd);
}

/* Behind the last member of its group. */
static int join(struct perf_kernel *k, int fd, int leader)
{
	const struct kernel_event *e = &k->events[fd];
	size_t words = 5;               /* how many, two times, the leader, the new one */
	int *at = &k->events[leader].next;

	if (k->events[leader].leader != leader || k->events[leader].box != e->box)
		return -EINVAL;
	if (kernel_validates(k->boxes[e->box].pmu) && !fits_alone(k, leader, fd))
		return -EINVAL;
	for (; *at != NO_EVENT; at = &k->events[*at].next)
		words++;
	if (words * sizeof(uint64_t) > READ_MAX)
		return -E2BIG;
	*at = fd;
	return 0;
}

int perf_kernel_open(struct perf_kernel *k, const struct perf_event_attr *attr, pid_t pid, int cpu,
		     int leader)
{
	LOCK(k);
	struct kernel_event e;
	struct kernel_box *b;
	int r, fd;

	if (leader >= 0 && !is_open(k, leader))
		return -EBADF;
	r = kernel_event_init(k, attr, cpu, &e);
	if (r == 0)
		r = kernel_refuses_all(k->boxes[e.box].pmu, attr, pid);
	if (r < 0)
		return r;
	fd = new_number(k);
	if (fd < 0)
		return -ENOMEM;
	e.leader = leader < 0 ? fd : leader;
	k->events[fd] = e;
	b = box_now(k, fd);
	k->events[fd].seen = kernel_truth(k, &e, b->counted_to);
	if (leader < 0)
		append(k, b, fd);
	else
		r = join(k, fd, leader);
	if (r < 0) {
		k->events[fd].open = false;
		return r;
	}
	if (e.on && k->events[e.leader].on)
		schedule(k, b);
	return fd;
}

/* ------------------------------------------------------------------ what is open */

static unsigned members(const struct perf_kernel *k, int leader)
{
	unsigned n = 0;

	for (int i = leader; i != NO_EVENT; i = k->events[i].next)
		n++;
	return n;
}

/* What its read format says: its group, or it alone. */
ssize_t perf_kernel_read(struct perf_kernel *k, int fd, void *buf, size_t size)
{
	LOCK(k);
	uint64_t *v = buf, format;
	bool grouped;
	size_t words;
	int first;

	if (!is_open(k, fd))
		return -EBADF;
	box_now(k, fd);
	format = k->events[fd].read_format;
	grouped = format & PERF_FORMAT_GROUP;
	first = grouped ? k->events[fd].leader : fd;
	words = (grouped ? 1 + members(k, first) : 1) +
		!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (words * sizeof(*v) > size)
		return -ENOSPC;
	*v++ = grouped ? members(k, first) : k->events[fd].count;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*v++ = k->events[first].enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*v++ = k->events[first].running;
	for (int i = first; grouped && i != NO_EVENT; i = k->events[i].next)
		*v++ = k->events[i].count;
	return (ssize_t)(words * sizeof(*v));
}

int perf_kernel_enable(struct perf_kernel *k, int fd, bool on)
{
	LOCK(k);
	struct kernel_box *b;

	if (!is_open(k, fd))
		return -EBADF;
	b = box_now(k, fd);
	k->events[fd].on = on;
	if (on)
		schedule(k, b);
	else
		k->events[fd].active = false;
	return 0;
}

/* The members that a leader leaves are on their own. Those that counted go on; others begin when
 * counters are given again. */
static void disband(struct perf_kernel *k, struct kernel_box *b, int leader)
{
	const struct kernel_event *l = &k->events[leader];

	for (int i = l->next, next; i != NO_EVENT; i = next) {
		struct kernel_event *e = &k->events[i];

		next = e->next;
		e->leader = i;
		e->next = NO_EVENT;
		e->active = e->on && l->active;
		append(k, b, i);
	}
	take_out(k, b, leader);
}

int perf_kernel_close(struct perf_kernel *k, int fd)
{
	LOCK(k);
	struct kernel_box *b;
	struct kernel_event *e;

	if (!is_open(k, fd))
		return -EBADF;
	b = box_now(k, fd);
	e = &k->events[fd];
	if (e->leader == fd) {
		disband(k, b, fd);
	} else {
		int *at = &k->events[e->leader].next;

		while (*at != fd)
			at = &k->events[*at].next;
		*at = e->next;
	}
	e->open = false;
	return 0;
}

void perf_kernel_free(struct perf_kernel *k)
{
	if (!k)
		return;
	pthread_mutex_destroy(&k->lock);
	traffic_free(k->traffic);
	free(k->events);
	arena_free(k->arena);
}
