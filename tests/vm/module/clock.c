// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * clock.c - the time that counters run by, what a counter shows then, and what each has counted.
 *
 * Owns:  the clock and its commands, the records.
 * Never: PMUs of the kernel.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "counting.h"

static LIST_HEAD(records);
DEFINE_RAW_SPINLOCK(lock);
atomic_t open_events = ATOMIC_INIT(0);

static enum { REAL, MANUAL, RUNNING } clock;
static u64 stands_at, began;
/* Time that moves by itself a while after the first event was added: what was added after that, and
 * what was read. */
static struct hrtimer mover;
static u64 move_after, move_by;
static bool moving, moved;
static unsigned int late_adds, reads;

u64 now(void)
{
	return clock == MANUAL ? stands_at : ktime_get_ns() - began;
}

static enum hrtimer_restart move(struct hrtimer *t)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	stands_at += move_by;
	moved = true;
	moving = false;
	raw_spin_unlock_irqrestore(&lock, flags);
	return HRTIMER_NORESTART;
}

static u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 29);
}

/* The bits of config1 that the driver hands to the hardware for this event; others are dropped
 * without a word. */
u64 heard(const struct family *f, u64 config, u64 config1)
{
	u64 bits = 0;

	if (!f->filtered)
		return config1;
	for (unsigned int i = 0; i < f->n_filter; i++)
		if ((config & f->filter[i].mask) == f->filter[i].first)
			bits |= f->filter[i].value;
	return config1 & bits;
}

u64 hertz_of(const struct box *b, unsigned int domain, const u64 *c)
{
	u64 base = 0, h = 1;

	for (unsigned int i = 0; i < 3; i++)
		h = mix(h, c[i]);
	for (unsigned int i = 0; i < b->family->n_rate && !base; i++)
		if (!memcmp(b->family->rate[i].config, c, sizeof(b->family->rate[i].config)))
			base = b->family->rate[i].hertz;
	if (!base)
		base = 1000003 + (h >> 40);
	h = mix(mix(h, b->index), domain);
	return base + (base >> 12) * (h >> 54);
}

static u64 mask_of(const struct box *b)
{
	return b->width >= 64 ? ~0ULL : (1ULL << b->width) - 1;
}

u64 shown(const struct perf_event *e)
{
	const struct box *b = box_of(e);
	const struct record *r = record_of(e);
	u64 t = clock == RUNNING ? e->total_time_running : now();
	u64 v = r->flow ? flown(r->flow, b, r->domain) :
		mul_u64_u64_div_u64(r->hertz, t, NSEC_PER_SEC);

	return (v + b->jumped) & mask_of(b);
}

void take(struct perf_event *e)
{
	u64 v = shown(e), delta = (v - local64_read(&e->hw.prev_count)) & mask_of(box_of(e));

	local64_set(&e->hw.prev_count, v);
	local64_add(delta, &e->count);
	record_of(e)->count += delta;
}

int do_clock(char *words)
{
	int next = !strcmp(words, "running") ? RUNNING : REAL;
	unsigned long flags;
	u64 t;

	if (!strcmp(words, "manual"))
		next = MANUAL;
	if (atomic_read(&open_events) && (clock == RUNNING || next == RUNNING))
		return -EBUSY;
	raw_spin_lock_irqsave(&lock, flags);
	t = now();
	clock = next;
	stands_at = t;
	began = ktime_get_ns() - t;
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

int do_advance(char *words)
{
	unsigned long flags;
	u64 ns;

	if (clock != MANUAL || kstrtou64(words, 0, &ns))
		return -EINVAL;
	raw_spin_lock_irqsave(&lock, flags);
	stands_at += ns;
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

void clock_init(void)
{
	hrtimer_init(&mover, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	mover.function = move;
	began = ktime_get_ns();
}

void clock_exit(void)
{
	hrtimer_cancel(&mover);
}

void clock_added(void)
{
	late_adds += moved;
	if (move_after && !moving && !moved) {
		moving = true;
		hrtimer_start(&mover, ns_to_ktime(move_after), HRTIMER_MODE_REL_HARD);
	}
}

void clock_read(void)
{
	reads += moved;
}

bool clock_runs_with_events(void)
{
	return clock == RUNNING;
}

struct record *record_new(const struct box *b, unsigned int domain, u64 config, u64 config1,
			  u64 config2)
{
	struct record *r = kzalloc(sizeof(*r), GFP_ATOMIC);

	if (!r)
		return NULL;
	strscpy(r->name, b->pmu.name, sizeof(r->name));
	r->domain = domain;
	r->config[0] = config;
	r->config[1] = heard(b->family, config, config1);
	r->config[2] = config2;
	r->hertz = hertz_of(b, domain, r->config);
	r->flow = flow_of(b->family, r->config);
	r->open = true;
	list_add_tail(&r->node, &records);
	return r;
}

/* The one that was closed while the event moves from one counter to another, or a new one. */
struct record *record_again(const struct box *b, unsigned int domain, u64 config, u64 config1,
			    u64 config2)
{
	u64 want[3] = { config, heard(b->family, config, config1), config2 };
	struct record *r;

	list_for_each_entry(r, &records, node) {
		if (r->open || r->domain != domain || strcmp(r->name, b->pmu.name) ||
		    memcmp(r->config, want, sizeof(want)))
			continue;
		r->open = true;
		return r;
	}
	return record_new(b, domain, config, config1, config2);
}

void records_show(struct seq_file *s)
{
	struct record *r;

	seq_printf(s, "time %llu moved %d late %u reads %u open %d\n", now(), moved, late_adds,
		   reads, atomic_read(&open_events));
	list_for_each_entry(r, &records, node)
		seq_printf(s, "%s %u 0x%llx 0x%llx 0x%llx %llu %llu %s\n", r->name, r->domain,
			   r->config[0], r->config[1], r->config[2], r->hertz, r->count,
			   r->open ? "open" : "closed");
}

/* AFTER NS: once, that many nanoseconds after the next event is added. */
int do_arm(char *words)
{
	unsigned long flags;
	u64 after, ns;

	if (clock != MANUAL || sscanf(words, "%lli %lli", &after, &ns) != 2)
		return -EINVAL;
	clock_exit();
	raw_spin_lock_irqsave(&lock, flags);
	move_after = after;
	move_by = ns;
	moving = moved = false;
	late_adds = reads = 0;
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

int do_forget(char *words)
{
	struct record *r, *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	list_for_each_entry_safe(r, next, &records, node) {
		if (r->open)
			continue;
		list_del(&r->node);
		kfree(r);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}
