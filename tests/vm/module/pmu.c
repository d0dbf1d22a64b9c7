// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * pmu.c - what a PMU answers the kernel's perf core: which events it takes, on how many counters.
 *
 * Owns:  the counters of each domain of an instance.
 * Never: what a counter shows (clock.c), how it is described (machine.c).
 */
#include <linux/slab.h>

#include "counting.h"

/* The general counters that may count it, of those that others have left. */
static u64 counters_for(const struct family *f, unsigned int stolen, const struct perf_event *e)
{
	unsigned int n = f->counters - min(f->counters, stolen);
	u64 config = e->attr.config, all = n ? ~0ULL >> (64 - n) : 0;

	for (unsigned int i = 0; i < f->n_counter; i++) {
		const struct rule *r = &f->counter[i];

		if ((config & r->mask) >= r->first && (config & r->mask) <= r->last)
			all &= r->value;
	}
	return all;
}

static bool has_its_own(const struct family *f, const struct perf_event *e)
{
	return !f->known || f->free || (f->fixed && e->attr.config == f->fixed_event);
}

/* A counter for each event of a matching: owner[counter] is an event. */
struct matching {
	u64 mask[MAX_EVENTS], tried;
	int owner[MAX_COUNTERS];
	unsigned int n, stolen;
};

static bool place(struct matching *m, int event)
{
	for (unsigned int k = 0; k < MAX_COUNTERS; k++) {
		if (!(m->mask[event] >> k & 1) || (m->tried >> k & 1))
			continue;
		m->tried |= 1ULL << k;
		if (m->owner[k] < 0 || place(m, m->owner[k])) {
			m->owner[k] = event;
			return true;
		}
	}
	return false;
}

static bool fits(struct matching *m, const struct family *f, const struct perf_event *e)
{
	if (has_its_own(f, e))
		return true;
	if (m->n == MAX_EVENTS)
		return false;
	m->mask[m->n] = counters_for(f, m->stolen, e);
	m->tried = 0;
	return place(m, m->n++);
}

static void matching_clear(struct matching *m, unsigned int stolen)
{
	m->n = 0;
	m->stolen = stolen;
	memset(m->owner, -1, sizeof(m->owner));
}

static void box_read(struct perf_event *e)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	if (!(e->hw.state & PERF_HES_STOPPED))
		take(e);
	clock_read();
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void box_start(struct perf_event *e, int how)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	if (!clock_runs_with_events())	/* it has not run since prev_count */
		local64_set(&e->hw.prev_count, shown(e));
	e->hw.state = 0;
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void box_stop(struct perf_event *e, int how)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	if (!(e->hw.state & PERF_HES_STOPPED))
		take(e);
	e->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	raw_spin_unlock_irqrestore(&lock, flags);
}

static bool add_locked(struct box *b, struct perf_event *e, struct perf_event **on)
{
	static struct matching m;
	int place_of = -1;

	matching_clear(&m, b->stolen);
	for (unsigned int i = 0; i < MAX_EVENTS; i++) {
		if (on[i])
			fits(&m, b->family, on[i]);
		else
			place_of = i;
	}
	if (place_of < 0 || !fits(&m, b->family, e))
		return false;
	on[place_of] = e;
	clock_added();
	return true;
}

static int box_add(struct perf_event *e, int how)
{
	struct box *b = box_of(e);
	unsigned long flags;
	bool added;

	raw_spin_lock_irqsave(&lock, flags);
	added = add_locked(b, e, b->on[record_of(e)->domain]);
	raw_spin_unlock_irqrestore(&lock, flags);
	if (!added)
		return -EAGAIN;
	e->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (how & PERF_EF_START)
		box_start(e, PERF_EF_RELOAD);
	return 0;
}

static void box_del(struct perf_event *e, int how)
{
	struct perf_event **on = box_of(e)->on[record_of(e)->domain];
	unsigned long flags;

	box_stop(e, PERF_EF_UPDATE);
	raw_spin_lock_irqsave(&lock, flags);
	for (unsigned int i = 0; i < MAX_EVENTS; i++)
		if (on[i] == e)
			on[i] = NULL;
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* May the events of its group count at the same time? That others have counters is not known
 * before it is added. */
static bool group_fits(const struct family *f, const struct perf_event *e)
{
	struct matching *m = kmalloc(sizeof(*m), GFP_KERNEL);
	struct perf_event *other;
	bool ok = m != NULL;

	if (!ok)
		return false;
	matching_clear(m, 0);
	if (e->group_leader->pmu == e->pmu)
		ok = fits(m, f, e->group_leader);
	for_each_sibling_event(other, e->group_leader)
		if (other->pmu == e->pmu)
			ok = ok && fits(m, f, other);
	if (e->group_leader != e)
		ok = ok && fits(m, f, e);
	kfree(m);
	return ok;
}

static void box_destroy(struct perf_event *e)
{
	record_of(e)->open = false;
	atomic_dec(&open_events);
}

static int box_event_init(struct perf_event *e)
{
	struct box *b = box_of(e);
	struct family *f = b->family;
	struct record *r;
	unsigned long flags;
	int domain;

	if (e->attr.type != e->pmu->type)
		return -ENOENT;
	if (b->refused)
		return -b->refused;
	if (is_sampling_event(e) || e->cpu < 0)
		return -EINVAL;
	domain = domain_of(f, e->cpu);
	if (domain < 0 || (!f->any_cpu && f->reader[domain] < 0))
		return -ENODEV;
	if (!f->any_cpu)
		e->cpu = f->reader[domain];
	if (!has_its_own(f, e) && !counters_for(f, 0, e))
		return -EINVAL;
	if (e->group_leader != e && !group_fits(f, e))
		return -EINVAL;
	raw_spin_lock_irqsave(&lock, flags);
	r = record_new(b, domain, e->attr.config, e->attr.config1, e->attr.config2);
	raw_spin_unlock_irqrestore(&lock, flags);
	if (!r)
		return -ENOMEM;
	e->pmu_private = r;
	e->destroy = box_destroy;
	atomic_inc(&open_events);
	return 0;
}

/* What the perf core calls. */
const struct pmu counting_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
	.event_init = box_event_init, .add = box_add, .del = box_del,
	.start = box_start, .stop = box_stop, .read = box_read,
};
