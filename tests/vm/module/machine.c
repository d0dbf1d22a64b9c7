// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * machine.c - PMUs as commands describe them: files, rules and rates of a family, its instances.
 *
 * Owns:  families and boxes; their files in sysfs; which CPU counts for a domain.
 */
#include <linux/ctype.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "counting.h"

static LIST_HEAD(families);
static LIST_HEAD(boxes);
static struct family *current_family;
DEFINE_MUTEX(configuration);

int domain_of(const struct family *f, int cpu)
{
	for (unsigned int d = 0; d < f->n_domains; d++)
		if (cpumask_test_cpu(cpu, &f->domain[d]))
			return d;
	return -1;
}

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

int cpu_comes(unsigned int cpu)
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

int cpu_goes(unsigned int cpu)
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

/* COUNTERS WORD...: what follows is of this family. "any" cpu: there is no cpumask; "-": nothing is
 * said of counters, each event has one. */
int do_family(char *words)
{
	struct family *f = kzalloc(sizeof(*f), GFP_KERNEL);
	char *w;

	if (!f)
		return -ENOMEM;
	f->width = 48;
	f->fixed_event = 0xff;
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
		f->fixed |= !strncmp(w, "fixed", 5);
		if (!strncmp(w, "fixed=", 6) && kstrtou64(w + 6, 0, &f->fixed_event))
			return -EINVAL;
		f->free |= !strcmp(w, "free");
		f->filtered |= !strcmp(w, "filtered");
		f->any_cpu |= !strcmp(w, "any");
	}
	list_add_tail(&f->node, &families);
	current_family = f;
	return 0;
}

int do_domain(char *words)
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

int do_format(char *words)
{
	struct family *f = current_family;

	return f ? add_file(f->format, &f->n_format, words) : -EINVAL;
}

int do_event(char *words)
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

int do_counter(char *words)
{
	struct family *f = current_family;

	return f ? add_rule(f->counter, &f->n_counter, words) : -EINVAL;
}

int do_filter(char *words)
{
	struct family *f = current_family;

	return f ? add_rule(f->filter, &f->n_filter, words) : -EINVAL;
}

int do_rate(char *words)
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
	platform_device_unregister(b->parent);
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
	b->pmu = counting_pmu;
	b->pmu.attr_groups = b->groups;
	b->pmu.name = kstrdup(name, GFP_KERNEL);
	return b;
}

/* The one that the next commands are about, or NULL. */
struct family *family_described(void)
{
	return current_family;
}

/* NAME INDEX [FILE TEXT], of the family; or an error */
struct box *box_described(const char *words)
{
	char name[64], file[64] = "", text[64] = "";
	unsigned int index;

	if (!current_family || sscanf(words, "%63s %u %63s %63s", name, &index, file, text) < 2)
		return ERR_PTR(-EINVAL);
	return box_new(current_family, name, index, file, text) ? : ERR_PTR(-ENOMEM);
}

int do_pmu(char *words)
{
	struct box *b = box_described(words);
	int r;

	if (IS_ERR(b))
		return PTR_ERR(b);
	r = perf_pmu_register(&b->pmu, b->pmu.name, -1);
	if (r) {
		box_free(b);
		return r;
	}
	list_add_tail(&b->node, &boxes);
	b->family->n_boxes++;
	return 0;
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

/* The perf core of Linux 6.1 does not know a PMU's parent: the device of the PMU moves there. */
int do_device(char *words)
{
	struct box *b = named(&words);
	struct platform_device *parent;
	char name[32];
	int node, r;

	if (!b || b->parent || !words || sscanf(words, "%31s %d", name, &node) != 2)
		return -EINVAL;
	parent = platform_device_alloc(name, PLATFORM_DEVID_NONE);
	if (!parent)
		return -ENOMEM;
	set_dev_node(&parent->dev, node);
	r = platform_device_add(parent);
	if (r) {
		platform_device_put(parent);
		return r;
	}
	b->parent = parent;
	return device_move(b->pmu.dev, &parent->dev, DPM_ORDER_NONE);
}

int do_refuse(char *words)
{
	struct box *b = named(&words);

	return b && words ? kstrtoint(words, 0, &b->refused) : -EINVAL;
}

int do_steal(char *words)
{
	struct box *b = named(&words);

	return b && words ? kstrtouint(words, 0, &b->stolen) : -EINVAL;
}

int do_width(char *words)
{
	struct box *b = named(&words);

	return b && words ? kstrtouint(words, 0, &b->width) : -EINVAL;
}

int do_jump(char *words)
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

/* All PMUs go; refused while somebody counts, and while the driver may. */
int do_reset(char *words)
{
	struct family *f, *next_family;
	struct box *b, *next;

	if (atomic_read(&open_events) || made_any())
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
	traffic_forget();
	return do_forget(words);
}
