// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * counting_pmus.c - PMUs that count, in a guest without the hardware: described by text, registered
 * with the kernel's perf core.
 *
 * Owns:  /proc/counting_pmus. A line written to it is a command (the table at the end of this file
 *        says which); reading it shows what every event has counted, open or closed.
 * Never: names of events or processors: what an encoding counts is told by `rate`.
 *
 * A counter stands at hertz x time, modulo 2^width, and hertz is that of the encoding in `rate`,
 * raised by a part that depends on encoding, instance and domain (hertz_of(), which live.py has as
 * well). An encoding without a rate counts at an odd rate of its own: a wrong code is a wrong
 * number, not 0. Time is the real one; or stands until `advance` moves it; or is each event's own
 * running time, as the perf core has it, so that counts and the times of a read are of one moment.
 *
 * A domain is a set of CPUs that share the counters of an instance: a package, a die, an L3 cache.
 * Events go to its first CPU, or to the next one when that goes offline, as in the kernel's
 * drivers.
 *
 * Loads in a guest of qemu only.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/ctype.h>
#include <linux/dmi.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define MAX_DOMAINS 32
#define MAX_RULES 96
#define MAX_RATES 160
#define MAX_FILES 512
#define MAX_COUNTERS 64
#define MAX_EVENTS 64		/* of one domain of an instance at the same time */
#define MAX_LINE 4096

struct rule {			/* for events from first to last, by the bits of config in mask */
	u64 first, last, mask, value;
};

struct rate {
	u64 config[3], hertz;
};

struct family {			/* PMUs with the same files and counters */
	struct list_head node;
	unsigned int counters, width;
	bool known, fixed, free, filtered, any_cpu;
	struct rule counter[MAX_RULES], filter[MAX_RULES];
	struct rate rate[MAX_RATES];
	unsigned int n_counter, n_filter, n_rate, n_format, n_event, n_domains;
	struct attribute *format[MAX_FILES + 1], *event[MAX_FILES + 1];
	struct cpumask domain[MAX_DOMAINS];
	int reader[MAX_DOMAINS];	/* the CPU that counts for it, or -1 */
	struct attribute_group format_group, event_group;
};

struct box {			/* one instance: a PMU of the kernel */
	struct list_head node;
	struct pmu pmu;
	struct family *family;
	unsigned int index, stolen, width;
	int refused;
	u64 jumped;
	struct perf_event *on[MAX_DOMAINS][MAX_EVENTS];
	struct attribute *file[3];
	struct attribute_group file_group;
	const struct attribute_group *groups[4];
};

struct text_file {
	struct device_attribute attr;
	char *text;
};

struct record {			/* of an event, also when it is closed */
	struct list_head node;
	char name[64];
	unsigned int domain;
	u64 config[3], hertz, count;
	bool open;
};

static LIST_HEAD(families);
static LIST_HEAD(boxes);
static LIST_HEAD(records);
static struct family *current_family;
static DEFINE_MUTEX(configuration);	/* families, boxes, the line that is being written */
static DEFINE_RAW_SPINLOCK(lock);	/* time, counters, records */
static atomic_t open_events = ATOMIC_INIT(0);

/* ------------------------------------------------------------------ time */

static enum { REAL, MANUAL, RUNNING } clock;
static u64 stands_at, began;
/* Time that moves by itself a while after the first event was added: what was added after that, and
 * what was read. */
static struct hrtimer mover;
static u64 move_after, move_by;
static bool moving, moved;
static unsigned int late_adds, reads;

static u64 now(void)
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

/* ------------------------------------------------------------------ what a counter shows */

static u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 29);
}

/* The bits of config1 that the driver hands to the hardware for this event; others are dropped
 * without a word. */
static u64 heard(const struct family *f, u64 config, u64 config1)
{
	u64 bits = 0;

	if (!f->filtered)
		return config1;
	for (unsigned int i = 0; i < f->n_filter; i++)
		if ((config & f->filter[i].mask) == f->filter[i].first)
			bits |= f->filter[i].value;
	return config1 & bits;
}

static u64 hertz_of(const struct box *b, unsigned int domain, const u64 *c)
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

static struct box *box_of(const struct perf_event *e)
{
	return container_of(e->pmu, struct box, pmu);
}

static struct record *record_of(const struct perf_event *e)
{
	return e->pmu_private;
}

static u64 shown(const struct perf_event *e)
{
	const struct box *b = box_of(e);
	u64 t = clock == RUNNING ? e->total_time_running : now();
	u64 v = mul_u64_u64_div_u64(record_of(e)->hertz, t, NSEC_PER_SEC);

	return (v + b->jumped) & mask_of(b);
}

static void take(struct perf_event *e)
{
	u64 v = shown(e), delta = (v - local64_read(&e->hw.prev_count)) & mask_of(box_of(e));

	local64_set(&e->hw.prev_count, v);
	local64_add(delta, &e->count);
	record_of(e)->count += delta;
}

/* ------------------------------------------------------------------ counters */

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
	return !f->known || f->free || (f->fixed && e->attr.config == 0xff);
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

/* ------------------------------------------------------------------ the PMU's side of perf */

static void box_read(struct perf_event *e)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	if (!(e->hw.state & PERF_HES_STOPPED))
		take(e);
	reads += moved;
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void box_start(struct perf_event *e, int how)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	if (clock != RUNNING)	/* it has not run since prev_count */
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
	late_adds += moved;
	if (move_after && !moving && !moved) {
		moving = true;
		hrtimer_start(&mover, ns_to_ktime(move_after), HRTIMER_MODE_REL_HARD);
	}
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

static int domain_of(const struct family *f, int cpu)
{
	for (unsigned int d = 0; d < f->n_domains; d++)
		if (cpumask_test_cpu(cpu, &f->domain[d]))
			return d;
	return -1;
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
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	strscpy(r->name, b->pmu.name, sizeof(r->name));
	r->domain = domain;
	r->config[0] = e->attr.config;
	r->config[1] = heard(f, e->attr.config, e->attr.config1);
	r->config[2] = e->attr.config2;
	r->hertz = hertz_of(b, domain, r->config);
	r->open = true;
	raw_spin_lock_irqsave(&lock, flags);
	list_add_tail(&r->node, &records);
	raw_spin_unlock_irqrestore(&lock, flags);
	e->pmu_private = r;
	e->destroy = box_destroy;
	atomic_inc(&open_events);
	return 0;
}

/* ------------------------------------------------------------------ files of sysfs */

static ssize_t show_text(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", container_of(attr, struct text_file, attr)->text);
}

static ssize_t show_cpumask(struct device *dev, struct device_attribute *attr, char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);
	const struct family *f = container_of(pmu, struct box, pmu)->family;
	cpumask_var_t mask;
	ssize_t n;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	for (unsigned int d = 0; d < f->n_domains; d++)
		if (f->reader[d] >= 0)
			cpumask_set_cpu(f->reader[d], mask);
	n = cpumap_print_to_pagebuf(true, page, mask);
	free_cpumask_var(mask);
	return n;
}

static DEVICE_ATTR(cpumask, 0444, show_cpumask, NULL);

static struct attribute *text_file(const char *name, const char *text)
{
	struct text_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return NULL;
	sysfs_attr_init(&f->attr.attr);
	f->attr.attr.name = kstrdup(name, GFP_KERNEL);
	f->attr.attr.mode = 0444;
	f->attr.show = show_text;
	f->text = kstrdup(text, GFP_KERNEL);
	return &f->attr.attr;
}

static void text_file_free(struct attribute *a)
{
	struct text_file *f;

	if (!a || a == &dev_attr_cpumask.attr)
		return;
	f = container_of(a, struct text_file, attr.attr);
	kfree(a->name);
	kfree(f->text);
	kfree(f);
}

/* ------------------------------------------------------------------ CPUs that come and go */

static int cpu_comes(unsigned int cpu)
{
	struct family *f;

	mutex_lock(&configuration);
	list_for_each_entry(f, &families, node) {
		int d = domain_of(f, cpu);

		if (d >= 0 && f->reader[d] < 0)
			f->reader[d] = cpu;
	}
	mutex_unlock(&configuration);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	struct family *f;
	struct box *b;

	mutex_lock(&configuration);
	list_for_each_entry(f, &families, node) {
		int d = domain_of(f, cpu), next = -1, other;

		if (d < 0 || f->reader[d] != cpu || f->any_cpu)
			continue;
		for_each_cpu_and(other, &f->domain[d], cpu_online_mask)
			if (other != cpu && next < 0)
				next = other;
		f->reader[d] = next;
		list_for_each_entry(b, &boxes, node)
			if (b->family == f && next >= 0)
				perf_pmu_migrate_context(&b->pmu, cpu, next);
	}
	mutex_unlock(&configuration);
	return 0;
}

/* ------------------------------------------------------------------ commands */

/* COUNTERS WORD...: what follows is of this family. "any" cpu: there is no cpumask; "-": nothing is
 * said of counters, each event has one. */
static int do_family(char *words)
{
	struct family *f = kzalloc(sizeof(*f), GFP_KERNEL);
	char *w;

	if (!f)
		return -ENOMEM;
	f->width = 48;
	f->format_group.name = "format";
	f->format_group.attrs = f->format;
	f->event_group.name = "events";
	f->event_group.attrs = f->event;
	while ((w = strsep(&words, " "))) {
		if (isdigit(*w)) {
			f->known = true;
			if (kstrtouint(w, 0, &f->counters) || f->counters > MAX_COUNTERS)
				return -EINVAL;
		}
		f->fixed |= !strcmp(w, "fixed");
		f->free |= !strcmp(w, "free");
		f->filtered |= !strcmp(w, "filtered");
		f->any_cpu |= !strcmp(w, "any");
	}
	list_add_tail(&f->node, &families);
	current_family = f;
	return 0;
}

static int do_domain(char *words)
{
	struct family *f = current_family;
	struct cpumask *m;
	unsigned int d;

	if (!f || f->n_domains == MAX_DOMAINS)
		return -EINVAL;
	d = f->n_domains++;
	m = &f->domain[d];
	if (cpulist_parse(words, m))
		return -EINVAL;
	f->reader[d] = cpumask_first_and(m, cpu_online_mask);
	if (f->reader[d] >= nr_cpu_ids)
		f->reader[d] = -1;
	return 0;
}

static int add_file(struct attribute **files, unsigned int *n, char *words)
{
	char *name = strsep(&words, " ");

	if (!words || *n == MAX_FILES)
		return -EINVAL;
	files[*n] = text_file(name, words);
	return files[*n] ? (++*n, 0) : -ENOMEM;
}

static int do_format(char *words)
{
	struct family *f = current_family;

	return f ? add_file(f->format, &f->n_format, words) : -EINVAL;
}

static int do_event(char *words)
{
	struct family *f = current_family;

	return f ? add_file(f->event, &f->n_event, words) : -EINVAL;
}

static int add_rule(struct rule *rules, unsigned int *n, const char *words)
{
	struct rule *r = &rules[*n];

	if (*n == MAX_RULES || sscanf(words, "%lli %lli %lli %lli", &r->first, &r->last, &r->mask,
				      &r->value) != 4)
		return -EINVAL;
	++*n;
	return 0;
}

static int do_counter(char *words)
{
	struct family *f = current_family;

	return f ? add_rule(f->counter, &f->n_counter, words) : -EINVAL;
}

static int do_filter(char *words)
{
	struct family *f = current_family;

	return f ? add_rule(f->filter, &f->n_filter, words) : -EINVAL;
}

static int do_rate(char *words)
{
	struct family *f = current_family;
	struct rate *r;

	if (!f || f->n_rate == MAX_RATES)
		return -EINVAL;
	r = &f->rate[f->n_rate];
	if (sscanf(words, "%lli %lli %lli %lli", &r->config[0], &r->config[1], &r->config[2],
		   &r->hertz) != 4)
		return -EINVAL;
	f->n_rate++;
	return 0;
}

static void box_free(struct box *b)
{
	text_file_free(b->file[0]);
	text_file_free(b->file[1]);
	kfree(b->pmu.name);
	kfree(b);
}

static struct box *box_new(struct family *f, const char *name, unsigned int index,
			   const char *file, const char *text)
{
	struct box *b = kzalloc(sizeof(*b), GFP_KERNEL);
	unsigned int n = 0, g = 0;

	if (!b)
		return NULL;
	b->family = f;
	b->index = index;
	b->width = f->width;
	if (!f->any_cpu)
		b->file[n++] = &dev_attr_cpumask.attr;
	if (*file)
		b->file[n++] = text_file(file, text);
	b->file_group.attrs = b->file;
	if (n)
		b->groups[g++] = &b->file_group;
	b->groups[g++] = &f->format_group;
	if (f->n_event)
		b->groups[g++] = &f->event_group;
	b->pmu = (struct pmu){
		.module = THIS_MODULE, .attr_groups = b->groups,
		.name = kstrdup(name, GFP_KERNEL),
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
		.event_init = box_event_init, .add = box_add, .del = box_del,
		.start = box_start, .stop = box_stop, .read = box_read,
	};
	return b;
}

static int do_pmu(char *words)
{
	char name[64], file[64] = "", text[64] = "";
	unsigned int index;
	struct box *b;
	int r;

	if (!current_family || sscanf(words, "%63s %u %63s %63s", name, &index, file, text) < 2)
		return -EINVAL;
	b = box_new(current_family, name, index, file, text);
	if (!b)
		return -ENOMEM;
	r = perf_pmu_register(&b->pmu, b->pmu.name, -1);
	if (r)
		box_free(b);
	else
		list_add_tail(&b->node, &boxes);
	return r;
}

/* A box by its name; words are left behind it. */
static struct box *named(char **words)
{
	char *name = strsep(words, " ");
	struct box *b;

	list_for_each_entry(b, &boxes, node)
		if (name && !strcmp(b->pmu.name, name))
			return b;
	return NULL;
}

static int do_refuse(char *words)
{
	struct box *b = named(&words);

	return b && words ? kstrtoint(words, 0, &b->refused) : -EINVAL;
}

static int do_steal(char *words)
{
	struct box *b = named(&words);

	return b && words ? kstrtouint(words, 0, &b->stolen) : -EINVAL;
}

static int do_width(char *words)
{
	struct box *b = named(&words);

	return b && words ? kstrtouint(words, 0, &b->width) : -EINVAL;
}

static int do_jump(char *words)
{
	struct box *b = named(&words);
	unsigned long flags;
	u64 n;

	if (!b || !words || kstrtou64(words, 0, &n))
		return -EINVAL;
	raw_spin_lock_irqsave(&lock, flags);
	b->jumped += n;
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static int do_clock(char *words)
{
	int next = !strcmp(words, "manual") ? MANUAL : !strcmp(words, "running") ? RUNNING : REAL;
	unsigned long flags;
	u64 t;

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

static int do_advance(char *words)
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

/* AFTER NS: once, that many nanoseconds after the next event is added. */
static int do_arm(char *words)
{
	unsigned long flags;
	u64 after, ns;

	if (clock != MANUAL || sscanf(words, "%lli %lli", &after, &ns) != 2)
		return -EINVAL;
	hrtimer_cancel(&mover);
	raw_spin_lock_irqsave(&lock, flags);
	move_after = after;
	move_by = ns;
	moving = moved = false;
	late_adds = reads = 0;
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static int do_forget(char *words)
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

/* All PMUs go; refused while somebody counts. */
static int do_reset(char *words)
{
	struct family *f, *next_family;
	struct box *b, *next;

	if (atomic_read(&open_events))
		return -EBUSY;
	list_for_each_entry_safe(b, next, &boxes, node) {
		perf_pmu_unregister(&b->pmu);
		list_del(&b->node);
		box_free(b);
	}
	list_for_each_entry_safe(f, next_family, &families, node) {
		for (unsigned int i = 0; i < f->n_format; i++)
			text_file_free(f->format[i]);
		for (unsigned int i = 0; i < f->n_event; i++)
			text_file_free(f->event[i]);
		list_del(&f->node);
		kfree(f);
	}
	current_family = NULL;
	return do_forget(words);
}

static const struct { const char *name; int (*run)(char *words); } commands[] = {
	{ "family", do_family },	/* COUNTERS or -, fixed, free, filtered, any */
	{ "domain", do_domain },	/* CPUs */
	{ "format", do_format },	/* FILE TEXT */
	{ "event", do_event },		/* FILE TEXT */
	{ "counter", do_counter },	/* FIRST LAST MASK COUNTERS */
	{ "filter", do_filter },	/* FIRST LAST MASK BITS of config1 */
	{ "rate", do_rate },		/* CONFIG CONFIG1 CONFIG2 HERTZ */
	{ "pmu", do_pmu },		/* NAME INDEX [FILE TEXT]: registers it */
	{ "refuse", do_refuse },	/* NAME ERRNO, 0: no longer */
	{ "steal", do_steal },		/* NAME COUNTERS that others use */
	{ "width", do_width },		/* NAME BITS */
	{ "jump", do_jump },		/* NAME COUNTS */
	{ "clock", do_clock },		/* real, manual or running */
	{ "advance", do_advance },	/* NS */
	{ "arm", do_arm },		/* AFTER NS */
	{ "forget", do_forget },	/* closed events */
	{ "reset", do_reset },
};

static int run(char *line)
{
	char *name = strsep(&line, " ");
	static char none[1];
	int r = -EINVAL;

	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			r = commands[i].run(line ? line : none);
	if (r)
		pr_err("'%s %s' is refused: %d\n", name, line ? line : "", r);
	return r;
}

/* A command may come in two pieces. */
static ssize_t proc_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	static char line[MAX_LINE];
	static size_t n;
	char *bytes = memdup_user_nul(from, size);
	int r = 0;

	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	mutex_lock(&configuration);
	for (size_t i = 0; i < size && !r; i++) {
		if (n == MAX_LINE - 1)
			r = -E2BIG;
		line[n++] = bytes[i];
		if (bytes[i] != '\n')
			continue;
		line[n - 1] = '\0';
		n = 0;
		if (*line)
			r = run(line);
	}
	n = r ? 0 : n;
	mutex_unlock(&configuration);
	kfree(bytes);
	return r ? r : size;
}

/* ------------------------------------------------------------------ the truth */

static int show(struct seq_file *s, void *p)
{
	struct record *r;

	mutex_lock(&configuration);
	seq_printf(s, "time %llu moved %d late %u reads %u open %d\n", now(), moved, late_adds,
		   reads, atomic_read(&open_events));
	list_for_each_entry(r, &records, node)
		seq_printf(s, "%s %u 0x%llx 0x%llx 0x%llx %llu %llu %s\n", r->name, r->domain,
			   r->config[0], r->config[1], r->config[2], r->hertz, r->count,
			   r->open ? "open" : "closed");
	mutex_unlock(&configuration);
	return 0;
}

static int proc_open(struct inode *inode, struct file *file)
{
	return single_open(file, show, NULL);
}

static const struct proc_ops proc = {
	.proc_open = proc_open, .proc_read = seq_read, .proc_lseek = seq_lseek,
	.proc_release = single_release, .proc_write = proc_write,
};

/* ------------------------------------------------------------------ life */

static int hotplug;

static int __init counting_pmus_init(void)
{
	const char *vendor = dmi_get_system_info(DMI_SYS_VENDOR);

	if (!vendor || strcmp(vendor, "QEMU")) {
		pr_err("this is no guest of qemu; it invents counts, and is not loaded\n");
		return -ENODEV;
	}
	hrtimer_init(&mover, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	mover.function = move;
	began = ktime_get_ns();
	hotplug = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perf/counting_pmus:online",
					    cpu_comes, cpu_goes);
	if (hotplug < 0)
		return hotplug;
	if (!proc_create("counting_pmus", 0600, NULL, &proc)) {
		cpuhp_remove_state_nocalls(hotplug);
		return -ENOMEM;
	}
	return 0;
}

static void __exit counting_pmus_exit(void)
{
	static char none[1];

	remove_proc_entry("counting_pmus", NULL);
	cpuhp_remove_state_nocalls(hotplug);
	hrtimer_cancel(&mover);
	mutex_lock(&configuration);
	do_reset(none);
	mutex_unlock(&configuration);
}

module_init(counting_pmus_init);
module_exit(counting_pmus_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("PMUs that count as they are told, in a guest of qemu");
