/* SPDX-License-Identifier: MIT
 * What an event is to the modelled kernel: whether a PMU takes it, on which box, which counters may
 * count it, and at what rates.
 *
 * Owns:  what drivers look at in perf_event_attr.
 * Never: which events are open.
 */
#include "model/perf_kernel_internal.h"

#include "base/bits.h"

#include <errno.h>
#include <string.h>

/* What a row counts on a socket, without what others of its family have of it: "llc_read" are hits
 * beside a row "llc_miss llc_read". Rows of one quantity share it. -E2BIG: too many have. */
static int counted_of(const struct machine_family *f, const struct machine_count *c,
		      struct kernel_counted *ret)
{
	double each;

	*ret = (struct kernel_counted){ .n = 0 };
	ret->word = server_word(c->words, &ret->each);
	for (unsigned i = 0; i < f->n_counts; i++) {
		const char *words = f->counts[i].words;
		const struct server_word *other = server_word(words, &each);

		ret->n += other == ret->word;
		if (other == ret->word || !server_also(words, ret->word))
			continue;
		if (ret->n_less == KERNEL_LESS_MAX)
			return -E2BIG;
		ret->less[ret->n_less++] = other;
	}
	return 0;
}

static double rate_of(const struct kernel_counted *c, const struct server_flow *flow)
{
	double rate = c->word->rate(flow);

	for (unsigned i = 0; i < c->n_less; i++)
		rate -= c->less[i]->rate(flow);
	return rate / (c->word->each ? 1 : c->n) / c->each;
}

void kernel_take_rates(const struct perf_kernel *k, struct kernel_event *e)
{
	const struct kernel_box *b = &k->boxes[e->box];
	double part = e->counted.word->each ? 1 : b->part;

	for (unsigned p = 0; p < k->workload->n_phases; p++) {
		double rate = rate_of(&e->counted, &k->flows[b->socket * PHASES + p]);

		e->rate[p] = (uint64_t)(rate * part * 0x1p32);
	}
}

static const struct kernel_pmu *pmu_of(const struct perf_kernel *k, uint32_t type)
{
	for (unsigned i = 0; i < k->n_pmus; i++)
		if (k->pmus[i].pmu->type == type)
			return &k->pmus[i];
	return NULL;
}

bool kernel_validates(const struct kernel_pmu *p)
{
	return p->family->known && strncmp(p->family->name, "amd_", 4) != 0;
}

/* Drivers move an event to the CPU that serves its part of the socket. -1: none does. */
static int box_for(const struct perf_kernel *k, const struct kernel_pmu *p, int cpu)
{
	const struct topo *t = k->o.topo;
	int found = -1;

	for (unsigned i = p->first_box; i < p->first_box + p->n_boxes; i++) {
		const struct kernel_box *b = &k->boxes[i];

		if (b->cpu < 0 || b->cpu == cpu)
			return (int)i;
		if (!p->pmu->n_cpumask ||
		    t->by_number[b->cpu]->socket != t->by_number[cpu]->socket)
			continue;
		if (found < 0 || (b->cpu < cpu && b->cpu > k->boxes[found].cpu))
			found = (int)i;
	}
	return found;
}

/* The bits of config1 that count for these events. */
static uint64_t filtered_by(const struct machine_family *f, uint64_t config)
{
	uint64_t bits = 0;

	for (const struct machine_rule *r = f->filter; r < f->filter + f->n_filter; r++)
		if ((config & r->mask) >= r->first && (config & r->mask) <= r->last)
			bits |= r->value;
	return bits;
}

/* What its driver drops without a word does not matter. */
static const struct machine_count *counts_of(const struct kernel_pmu *p,
					     const struct perf_event_attr *a)
{
	const struct machine_family *f = p->family;
	uint64_t mask1 = p->format[1];

	if (f->filtered)
		mask1 &= filtered_by(f, a->config);
	for (const struct machine_count *c = f->counts; c < f->counts + f->n_counts; c++)
		if (!((c->config ^ a->config) & p->format[0]) &&
		    !((c->config1 ^ a->config1) & mask1) &&
		    !((c->config2 ^ a->config2) & p->format[2]))
			return c;
	return NULL;
}

/* Drivers of energy, C-states and MSRs answer EINVAL, as Intel's uncore does where there is no
 * fixed or free-running counter of that number. */
static int refusal(const struct machine_family *f, const struct perf_event_attr *a)
{
	bool fixed = (a->config & 0xff) == 0xff;

	return !f->known || f->free || (fixed && !f->fixed) ? -EINVAL : -ENOENT;
}

static uint64_t counters_of(const struct machine_family *f, uint64_t config)
{
	uint64_t all = f->counters ? bits_mask(f->counters - 1, 0) : 0;

	if (!f->known || f->free)
		return 0;
	if (machine_is_fixed(f, config))
		return BIT(f->counters);
	for (const struct machine_rule *r = f->counter; r < f->counter + f->n_counter; r++)
		if ((config & r->mask) >= r->first && (config & r->mask) <= r->last)
			all &= r->value;
	return all;
}

int kernel_refuses_all(const struct kernel_pmu *p, const struct perf_event_attr *a, pid_t pid)
{
	const uint64_t known = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING;

	if (pid >= 0)
		return p->pmu->of_cpus ? -EOPNOTSUPP : -EINVAL;
	if (a->sample_period || a->exclude_user || a->exclude_kernel || a->exclude_hv ||
	    a->exclude_idle || a->exclude_host || a->exclude_guest)
		return -EINVAL;
	if (a->pinned || a->exclusive || a->sample_type || (a->read_format & ~known))
		return -EOPNOTSUPP;
	return 0;
}

int kernel_event_init(const struct perf_kernel *k, const struct perf_event_attr *attr, int cpu,
		      struct kernel_event *ret)
{
	const struct kernel_pmu *p = pmu_of(k, attr->type);
	const struct topo *t = k->o.topo;
	const struct machine_count *counts;
	struct kernel_counted counted;
	int box, r;

	if (!p)
		return -ENOENT;
	if (cpu < 0 || (unsigned)cpu >= t->n_numbers)
		return -EINVAL;
	if (!t->by_number[cpu] || !t->by_number[cpu]->online)
		return -ENODEV;
	box = box_for(k, p, cpu);
	if (box < 0)
		return kernel_validates(p) ? -EINVAL : -ENODEV;
	counts = counts_of(p, attr);
	if (!counts)
		return refusal(p->family, attr);
	r = counted_of(p->family, counts, &counted);
	if (r < 0)
		return r;
	*ret = (struct kernel_event){
		.open = true, .box = (unsigned)box, .counted = counted, .next = NO_EVENT,
		.next_group = NO_EVENT,
		.counters = counters_of(p->family, attr->config),
		.filter = attr->config1, .filtered = filtered_by(p->family, attr->config),
		.on = !attr->disabled, .read_format = attr->read_format,
	};
	kernel_take_rates(k, ret);
	return 0;
}
