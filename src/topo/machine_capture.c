/* SPDX-License-Identifier: MIT
 *
 * Owns:  what of a machine is written, and what is left out because it identifies somebody; how
 *        CPUs and PMUs that are alike become one line. The language is machine_text.h's.
 */
#include "topo/machine_capture.h"

#include "base/bits.h"
#include "base/name.h"
#include "base/num.h"
#include "topo/cpuinfo.h"
#include "topo/devices.h"
#include "topo/machine_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100, TRIES = 5, NODES = 1024 };
enum { BRIDGE = 0x060400 };         /* the class of a PCI bridge */

static const struct where nowhere = { NULL, 0 };

/* ------------------------------------------------------------------ lines */

/* A line of words that goes on in another one that begins the same. */
struct wrapped {
	struct strb *to;
	const char *begin;          /* "  format" */
	size_t column;              /* 0: no line is begun */
};

static void add_word(struct wrapped *w, const char *word)
{
	size_t n = strlen(word);

	if (w->column && w->column + 1 + n > COLUMNS) {
		strb_add_char(w->to, '\n');
		w->column = 0;
	}
	if (!w->column) {
		strb_add(w->to, w->begin);
		w->column = strlen(w->begin);
	}
	strb_add_char(w->to, ' ');
	strb_add(w->to, word);
	w->column += 1 + n;
}

static void end_words(struct wrapped *w)
{
	if (w->column)
		strb_add_char(w->to, '\n');
	w->column = 0;
}

/* A text of a file: what would mean something else, or end a word or the line, as \xHH. */
static void add_escaped(struct strb *to, const char *text, bool word)
{
	for (const char *s = text; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < ' ' || c > '~' || strchr("\\{", c) || (c == ' ' && (word || s == text)))
			strb_addf(to, "\\x%02x", c);
		else
			strb_add_char(to, *s);
	}
}

/* Numbers in ascending order: "0-3,8". */
static void add_list(struct strb *to, const unsigned *v, unsigned n)
{
	for (unsigned i = 0, last; i < n; i = last + 1) {
		last = i;
		while (last + 1 < n && v[last + 1] == v[last] + 1)
			last++;
		strb_addf(to, last > i ? "%s%u-%u" : "%s%u", i ? "," : "", v[i], v[last]);
	}
}

/* ------------------------------------------------------------------ the processor */

static int add_processor(const struct host_roots *roots, const struct topo *t, struct strb *to,
			 struct err *err)
{
	struct wrapped flags = { .to = to, .begin = "flags" };
	char text[CPUINFO_MAX], list[CPUINFO_MAX], *save = NULL;
	int n = sysfile_head(sysfile_path("%s/cpuinfo", roots->procfs).s, text, sizeof(text), err);

	if (n < 0)
		return n;
	if (t->implementer)
		strb_addf(to, "cpuinfo arm 0x%x 0x%x\n", t->implementer, t->part);
	else if (t->vendor[0] && !strpbrk(t->vendor, " \t"))
		strb_addf(to, "cpuinfo %s %u %u %u\n", t->vendor, t->family, t->model,
			  t->stepping);
	if (t->model_name[0]) {
		strb_add(to, "model ");
		for (const char *s = t->model_name; *s; s++)
			strb_add_char(to, *s >= ' ' && *s <= '~' ? *s : '?');
		strb_add_char(to, '\n');
	}
	if (cpuinfo_text(text, (size_t)n, "flags", list, sizeof(list)) == 0)
		return 0;
	for (char *w = strtok_r(list, " ", &save); w; w = strtok_r(NULL, " ", &save))
		add_word(&flags, w);
	end_words(&flags);
	return 0;
}

/* ------------------------------------------------------------------ CPUs */

/* What a line of CPUs says of all of them. */
struct kind {
	unsigned socket, die, thread;
	int node;                   /* -1: none is known */
	char *llc, *size;           /* as sysfs has them; NULL: nothing is said */
};

struct cpus {
	const struct topo *t;
	struct kind *kinds;         /* of t->cpus */
	unsigned *order;            /* indices of t->cpus, by number */
};

static char *read_text(const char *path)
{
	char text[SYSFILE_MAX + 1];

	return sysfile_read(path, text, NULL) < 0 ? NULL : strdup(text);
}

static bool is_size(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n && n < 10 && (s[n] == 'K' || s[n] == 'M') && !s[n + 1];
}

static void read_kind(const char *sysfs, const struct topo_cpu *c, struct kind *ret)
{
	const char *const cache = "%s/devices/system/cpu/cpu%u/cache/index3/%s";

	ret->socket = c->socket;
	ret->die = c->die;
	ret->thread = c->thread;
	ret->node = -1;
	if (c->has_llc)
		ret->llc = read_text(sysfile_path(cache, sysfs, c->cpu, "shared_cpu_list").s);
	if (ret->llc)
		ret->size = read_text(sysfile_path(cache, sysfs, c->cpu, "size").s);
	if (ret->size && !is_size(ret->size)) {
		free(ret->size);
		ret->size = NULL;
	}
}

static void read_nodes(const char *sysfs, struct cpus *c)
{
	struct dirent **v;
	int n = sysfile_names(NULL, sysfile_path("%s/devices/system/node", sysfs).s, &v, NULL);

	for (int i = 0; i < n; i++) {
		const char *digits = v[i]->d_name + 4;
		AUTO_FREE(free) unsigned *list = NULL;
		unsigned n_list;
		uint64_t node;

		if (strncmp(v[i]->d_name, "node", 4) == 0 && num_parse_u64(digits, &node) == 0 &&
		    node < 1024 &&
		    sysfile_cpulist(sysfile_path("%s/devices/system/node/%s/cpulist", sysfs,
						 v[i]->d_name).s, &list, &n_list, NULL) == 0)
			for (unsigned k = 0; k < n_list; k++)
				if (list[k] < c->t->n_numbers && c->t->by_number[list[k]])
					c->kinds[c->t->by_number[list[k]] - c->t->cpus].node =
						(int)node;
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_kind(const struct kind *a, const struct kind *b)
{
	return a->socket == b->socket && a->die == b->die && a->thread == b->thread &&
	       a->node == b->node && same_text(a->llc, b->llc) && same_text(a->size, b->size);
}

/* Several threads of a core may be one line, if it is the cores of the first ones again. */
static bool same_but_thread(const struct kind *a, const struct kind *b)
{
	struct kind other = *b;

	other.thread = a->thread;
	return same_kind(a, &other);
}

/* CPUs of a line: numbers, and their cores, which ascend, and may begin again. */
struct line {
	unsigned cpu[TOPO_CPUS_MAX], core[TOPO_CPUS_MAX];
	unsigned n;
};

/* After how many the cores begin again; 0: they do not ascend. */
static unsigned period_of(const struct line *l)
{
	unsigned period = 1;

	while (period < l->n && l->core[period] > l->core[period - 1])
		period++;
	for (unsigned i = period; i < l->n; i++)
		if (l->core[i] != l->core[i - period])
			return 0;
	return period;
}

static void add_cpus(struct strb *to, const struct kind *k, const struct line *l, unsigned period)
{
	size_t at;

	strb_add(to, "cpu ");
	at = to->n;
	add_list(to, l->cpu, l->n);
	if (to->failed)
		return;
	char *list = strndup(to->s + at, to->n - at);

	strb_addf(to, " socket %u core ", k->socket);
	add_list(to, l->core, period);
	if (k->die)
		strb_addf(to, " die %u", k->die);
	if (k->node >= 0)
		strb_addf(to, " node %d", k->node);
	if (k->llc) {
		strb_add(to, " llc");
		if (!list || strcmp(list, k->llc) != 0)
			strb_addf(to, " %s", k->llc);
		if (k->size)
			strb_addf(to, " %s", k->size);
	}
	strb_add_char(to, '\n');
	free(list);
}

/* The CPUs, from `first` on, that are like it. taken: those that have a line. */
static void collect(const struct cpus *c, unsigned first, bool threads, const bool *taken,
		    struct line *ret)
{
	const struct kind *k = &c->kinds[c->order[first]];

	ret->n = 0;
	for (unsigned i = first; i < c->t->n_cpus; i++) {
		const struct kind *other = &c->kinds[c->order[i]];

		if (taken[i] || !(threads ? same_but_thread(k, other) : same_kind(k, other)))
			continue;
		ret->cpu[ret->n] = c->t->cpus[c->order[i]].cpu;
		ret->core[ret->n++] = c->t->cpus[c->order[i]].core;
	}
}

static void add_lines(const struct cpus *c, struct line *l, bool *taken, struct strb *to)
{
	for (unsigned i = 0; i < c->t->n_cpus; i++) {
		unsigned period;

		if (taken[i])
			continue;
		collect(c, i, true, taken, l);
		period = period_of(l);
		if (!period) {
			collect(c, i, false, taken, l);
			period = period_of(l);
		}
		if (!period) {                  /* as far as they ascend */
			unsigned n = 1;

			while (n < l->n && l->core[n] > l->core[n - 1])
				n++;
			l->n = period = n;
		}
		add_cpus(to, &c->kinds[c->order[i]], l, period);
		for (unsigned k = i, at = 0; at < l->n; k++)
			if (c->t->cpus[c->order[k]].cpu == l->cpu[at]) {
				taken[k] = true;
				at++;
			}
	}
}

static void add_offline(const char *sysfs, const struct topo *t, struct strb *to)
{
	AUTO_FREE(free) unsigned *present = NULL;
	unsigned n, kept = 0;

	if (!t->n_unseen ||
	    sysfile_cpulist(sysfile_path("%s/devices/system/cpu/present", sysfs).s, &present, &n,
			    NULL) < 0)
		return;
	for (unsigned i = 0; i < n; i++)
		if (present[i] >= t->n_numbers || !t->by_number[present[i]])
			present[kept++] = present[i];
	if (!kept)
		return;
	strb_add(to, "offline ");
	add_list(to, present, kept);
	strb_add_char(to, '\n');
}

static int add_topology(const char *sysfs, const struct topo *t, struct strb *to, struct err *err)
{
	AUTO_FREE(free) struct kind *kinds = calloc(t->n_cpus, sizeof(*kinds));
	AUTO_FREE(free) unsigned *order = calloc(t->n_cpus, sizeof(*order));
	AUTO_FREE(free) bool *taken = calloc(t->n_cpus, sizeof(*taken));
	AUTO_FREE(free) struct line *line = malloc(sizeof(*line));
	struct cpus c = { t, kinds, order };
	unsigned n = 0;

	if (!kinds || !order || !taken || !line)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < t->n_numbers; i++)
		if (t->by_number[i])
			order[n++] = (unsigned)(t->by_number[i] - t->cpus);
	for (unsigned i = 0; i < t->n_cpus; i++)
		read_kind(sysfs, &t->cpus[i], &kinds[i]);
	read_nodes(sysfs, &c);
	add_lines(&c, line, taken, to);
	add_offline(sysfs, t, to);
	for (unsigned i = 0; i < t->n_cpus; i++) {
		free(kinds[i].llc);
		free(kinds[i].size);
	}
	return 0;
}

/* ------------------------------------------------------------------ PMUs */

/* A PMU, and the lines below it, with {} for the number of the instance. */
struct one {
	const struct topo_pmu *pmu;
	size_t base;                /* letters of the name before the instance */
	struct strb body;
};

/* "uncore_imc_3", "arm_dmc620_10008c000": how many letters there are before the instance; all of
 * them: it has none. */
static size_t base_of(const char *name)
{
	const char *bar = strrchr(name, '_');
	size_t n = strlen(name);

	if (bar && bar[1] && strspn(bar + 1, "0123456789abcdef") == strlen(bar + 1) &&
	    strpbrk(bar + 1, "0123456789"))
		return (size_t)(bar + 1 - name);
	while (n > 1 && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n;
}

/* A text that may end in the number of the instance. */
static void add_holed(struct one *o, const char *text)
{
	const char *instance = o->pmu->name + o->base;
	size_t n = strlen(text), m = strlen(instance);

	if (m && n > m && strcmp(text + n - m, instance) == 0) {
		char *head = strndup(text, n - m);

		add_escaped(&o->body, head ?: "", false);
		strb_add(&o->body, "{}");
		free(head);
	} else {
		add_escaped(&o->body, text, false);
	}
}

/* The device's directory is above the PMU's, where links lead. */
static void add_device(struct one *o)
{
	const struct sysfile_path parent = sysfile_path("%s/..", o->pmu->dir);
	char path[PATH_MAX];
	const char *name;

	if (o->pmu->node < 0 || o->pmu->node >= NODES || !realpath(parent.s, path))
		return;
	name = strrchr(path, '/') + 1;
	if (!*name || *name == '.' || name_span(name, ":.-") != strlen(name))
		name = "device";
	strb_add(&o->body, "  device ");
	add_holed(o, name);
	strb_addf(&o->body, " node %d\n", o->pmu->node);
}

static void add_term(struct wrapped *w, const char *name, const char *suffix, const char *text)
{
	struct strb word;

	if (!text || !*text)
		return;
	strb_init(&word, MACHINE_TEXT_MAX);
	strb_addf(&word, "%s%s=", name, suffix);
	add_escaped(&word, text, true);
	if (!word.failed)
		add_word(w, word.s);
	w->to->failed |= word.failed;
	strb_done(&word);
}

static void add_terms(struct one *o, const char *begin, const struct topo_term *v, unsigned n,
		      struct diags *left_out)
{
	struct wrapped w = { .to = &o->body, .begin = begin };

	for (unsigned i = 0; i < n; i++) {
		if (v[i].bad) {
			diags_add(left_out, nowhere, "%s", v[i].bad);
			continue;
		}
		add_term(&w, v[i].name, "", v[i].text);
		add_term(&w, v[i].name, ".scale", v[i].scale);
		add_term(&w, v[i].name, ".unit", v[i].unit);
		add_term(&w, v[i].name, ".snapshot", v[i].snapshot ? "1" : NULL);
	}
	end_words(&w);
}

static void make_body(struct one *o, struct diags *left_out)
{
	static const char *const files[] = { "cpus", "associated_cpus", "identifier", "alias" };
	char text[SYSFILE_MAX + 1];

	add_device(o);
	for (unsigned i = 0; i < COUNT(files); i++)
		if (sysfile_read(sysfile_path("%s/%s", o->pmu->dir, files[i]).s, text, NULL) >= 0) {
			strb_addf(&o->body, "  %s: ", files[i]);
			add_holed(o, text);
			strb_add_char(&o->body, '\n');
		}
	add_terms(o, "  format", o->pmu->format, o->pmu->n_format, left_out);
	add_terms(o, "  events", o->pmu->events, o->pmu->n_events, left_out);
	strb_add(&o->body, "");
}

/* Instances by type: that is how the lines of a text number them. */
static int order_one(const void *a, const void *b)
{
	const struct one *x = a, *y = b;
	size_t n = x->base < y->base ? x->base : y->base;
	int r = memcmp(x->pmu->name, y->pmu->name, n);

	if (r)
		return r;
	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return x->pmu->type < y->pmu->type ? -1 : x->pmu->type > y->pmu->type;
}

static bool same_mask(const struct topo_pmu *a, const struct topo_pmu *b)
{
	if (!a->cpumask || !b->cpumask)
		return !a->cpumask && !b->cpumask;
	return a->n_cpumask == b->n_cpumask &&
	       memcmp(a->cpumask, b->cpumask, a->n_cpumask * sizeof(*a->cpumask)) == 0;
}

/* Is b the next instance of what a is? */
static bool follows(const struct one *a, const struct one *b)
{
	return a->base == b->base && memcmp(a->pmu->name, b->pmu->name, a->base) == 0 &&
	       a->pmu->name[a->base] && b->pmu->name[b->base] &&
	       b->pmu->type == a->pmu->type + 1 && same_mask(a->pmu, b->pmu) &&
	       a->body.n == b->body.n && memcmp(a->body.s ?: "", b->body.s ?: "", a->body.n) == 0;
}

/* A number as %u prints it. */
static bool is_number(const char *s, unsigned *ret)
{
	uint64_t v;
	size_t n = strlen(s);

	if (n > 9 || strspn(s, "0123456789") != n || (n > 1 && *s == '0') ||
	    num_parse_u64(s, &v) < 0)
		return false;
	*ret = (unsigned)v;
	return true;
}

/* "0-3,8,10008c000" */
static void add_instances(struct strb *to, const struct one *v, unsigned n)
{
	for (unsigned i = 0, last; i < n; i = last + 1) {
		const char *first = v[i].pmu->name + v[i].base;
		unsigned from, to_number, next;

		last = i;
		if (is_number(first, &from))
			for (to_number = from; last + 1 < n; last++, to_number = next)
				if (!is_number(v[last + 1].pmu->name + v[last + 1].base, &next) ||
				    next != to_number + 1)
					break;
		strb_addf(to, "%s%s", i ? "," : "", first);
		if (last > i)
			strb_addf(to, "-%s", v[last].pmu->name + v[last].base);
	}
}

/* The root bus of the stack that a PMU counts on a die; NULL: it says none. */
static const struct topo_stack *stack_of(const struct topo_pmu *p, unsigned die)
{
	for (unsigned i = 0; i < p->n_stacks; i++)
		if (p->stacks[i].die == die)
			return &p->stacks[i];
	return NULL;
}

/* The least die at or above `die` that one of the instances says something of; false: none. */
static bool next_die(const struct one *v, unsigned n, unsigned *die)
{
	bool any = false;
	unsigned least = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < v[i].pmu->n_stacks; k++) {
			unsigned at = v[i].pmu->stacks[k].die;

			if (at >= *die && (!any || at < least)) {
				least = at;
				any = true;
			}
		}
	*die = least;
	return any;
}

/* What the instances do not have in common. */
static void add_stacks(struct strb *to, const struct one *v, unsigned n)
{
	for (unsigned die = 0; next_die(v, n, &die); die++) {
		strb_addf(to, "  die %u", die);
		for (unsigned i = 0; i < n; i++) {
			const struct topo_stack *s = stack_of(v[i].pmu, die);

			if (s)
				strb_addf(to, " %04x:%02x", s->root >> 8, s->root & 0xff);
			else
				strb_add(to, " -");
		}
		strb_add_char(to, '\n');
	}
}

static void add_pmus(struct strb *to, const struct one *v, unsigned n)
{
	const struct topo_pmu *p = v->pmu;
	bool holes = v->body.s && strstr(v->body.s, "{}");

	if (n > 1 || holes) {
		strb_addf(to, "PMU %.*s{", (int)v->base, p->name);
		add_instances(to, v, n);
		strb_add_char(to, '}');
	} else {
		strb_addf(to, "PMU %s", p->name);
	}
	strb_addf(to, " type=%" PRIu32 " cpumask=", p->type);
	if (p->cpumask)
		add_list(to, p->cpumask, p->n_cpumask);
	else
		strb_add_char(to, '-');
	strb_add_char(to, '\n');
	strb_add_mem(to, v->body.s ?: "", v->body.n);
	add_stacks(to, v, n);
}

static int add_all_pmus(const struct topo_pmus *pmus, struct strb *to, struct diags *left_out,
			struct err *err)
{
	AUTO_FREE(free) struct one *v = NULL;

	for (unsigned i = 0; i < pmus->n_bad; i++)
		diags_add(left_out, nowhere, "%s", pmus->bad[i].why);
	v = calloc(pmus->n + 1, sizeof(*v));
	if (!v)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < pmus->n; i++) {
		v[i] = (struct one){ .pmu = &pmus->v[i], .base = base_of(pmus->v[i].name) };
		strb_init(&v[i].body, MACHINE_TEXT_MAX);
		make_body(&v[i], left_out);
		to->failed |= v[i].body.failed;
	}
	qsort(v, pmus->n, sizeof(*v), order_one);
	for (unsigned i = 0, n; i < pmus->n; i += n) {
		n = 1;
		while (i + n < pmus->n && follows(&v[i + n - 1], &v[i + n]))
			n++;
		add_pmus(to, &v[i], n);
	}
	for (unsigned i = 0; i < pmus->n; i++)
		strb_done(&v[i].body);
	return 0;
}

/* ------------------------------------------------------------------ PCI functions */

static void add_config_word(struct strb *to, int fd, unsigned off)
{
	uint32_t word;

	if (pread(fd, &word, sizeof(word), (off_t)off) == (ssize_t)sizeof(word))
		strb_addf(to, " 0x%x=0x%" PRIx32, off, word);
}

static void add_function(const char *sysfs, const struct capture_pci *pci,
			 const struct topo_function *f, struct strb *to)
{
	bool anchor = f->id == pci->anchor.device, known = anchor;
	AUTO_FD int fd = -1;

	for (unsigned i = 0; i < pci->n; i++)
		known |= pci->v[i].id == f->id;
	if (known)
		fd = sysfile_open(sysfile_path("%s/bus/pci/devices/%04x:%02x:%02x.%x/config", sysfs,
					       f->segment, f->bus, f->dev, f->fn).s, O_RDONLY,
				  NULL);
	if (fd < 0)
		return;
	strb_addf(to, "pci %04x:%02x:%02x.%x", f->segment, f->bus, f->dev, f->fn);
	add_config_word(to, fd, 0);
	if (anchor) {
		add_config_word(to, fd, pci->anchor.node);
		add_config_word(to, fd, pci->anchor.map);
	}
	for (unsigned i = 0; i < pci->n; i++)
		if (pci->v[i].id == f->id && pci->v[i].off)
			add_config_word(to, fd, pci->v[i].off);
	strb_add_char(to, '\n');
}

static void add_pci(const char *sysfs, const struct capture_pci *pci, struct strb *to,
		    struct diags *left_out)
{
	AUTO_FREE(topo_pci_free) struct topo_pci *found = NULL;
	struct err err = { "" };

	if (!pci->anchor.device)
		return;
	topo_pci_read(sysfs, &pci->anchor, &found, &err);
	if (err.text[0])
		diags_add(left_out, nowhere, "%s", err.text);
	for (unsigned i = 0; found && i < found->n; i++)
		add_function(sysfs, pci, &found->v[i], to);
}

/* ------------------------------------------------------------------ devices */

/* The subsystem in whose directory the name is; the name says nothing of whose machine it is. */
static void add_device_name(const struct topo_device *d, struct strb *to)
{
	static const struct { const char *prefix, *in; } places[] = {
		{ "nvme", "nvme" }, { "accel", "accel" }, { "card", "drm" }, { "dsa", "dsa" },
		{ "iax", "dsa" },
	};
	bool net = strcmp(d->kind, "net") == 0 || strcmp(d->kind, "infiniband") == 0;
	const char *in = net ? d->kind : NULL;

	for (unsigned i = 0; i < COUNT(places) && !in; i++)
		if (strncmp(d->name, places[i].prefix, strlen(places[i].prefix)) == 0)
			in = places[i].in;
	if (!in || !*d->name)
		return;
	strb_addf(to, " %s ", in);
	add_escaped(to, d->name, true);
}

static void begin_device(struct strb *to, const char *pci, unsigned root, unsigned class)
{
	strb_addf(to, "pci %s root %04x:%02x class 0x%06x", pci, root >> 8, root & 0xff, class);
}

static void end_device(struct strb *to, int node)
{
	if (node >= 0 && node < NODES)
		strb_addf(to, " node %d", node);
	strb_add_char(to, '\n');
}

static bool has_devices(const struct topo_devices *d, unsigned root)
{
	for (unsigned i = 0; i < d->n; i++)
		if (d->v[i].root == root)
			return true;
	return false;
}

/* A root bus with no device still says its node: by a bridge on it. */
static void add_bridges(const struct topo_devices *found, struct strb *to)
{
	for (unsigned i = 0; i < found->n_roots; i++) {
		const struct topo_root *r = &found->roots[i];

		if (r->node < 0 || has_devices(found, r->root))
			continue;
		begin_device(to, r->pci, r->root, BRIDGE);
		end_device(to, r->node);
	}
}

/* Those behind the root buses of I/O stacks, by what is read of them: their class, driver and name,
 * and the node of the bus. */
static int add_devices(const char *sysfs, const struct topo_pmus *pmus, struct strb *to,
		       struct err *err)
{
	AUTO_FREE(topo_devices_free) struct topo_devices *found = NULL;
	int r = topo_devices_read(sysfs, pmus, &found, err);

	for (unsigned i = 0; r == 0 && i < found->n; i++) {
		const struct topo_device *d = &found->v[i];

		begin_device(to, d->pci, d->root, d->class);
		if (d->vendor)
			strb_addf(to, " vendor 0x%04x", d->vendor);
		if (*d->driver) {
			strb_add(to, " driver ");
			add_escaped(to, d->driver, true);
		}
		if (d->kind)
			add_device_name(d, to);
		end_device(to, topo_root_node(found, d->root));
	}
	if (r == 0)
		add_bridges(found, to);
	return r;
}

/* ------------------------------------------------------------------ all of it */

static int capture_once(const struct host_roots *roots, const struct capture_pci *pci,
			struct strb *to, struct diags *left_out, struct err *err)
{
	AUTO_FREE(topo_free) struct topo *t = NULL;
	AUTO_FREE(topo_pmus_free) struct topo_pmus *pmus = NULL;
	struct err odd = { "" };
	int r = topo_read(roots->sysfs, roots->procfs, NULL, &t, err);

	if (r < 0)
		return r;
	r = add_processor(roots, t, to, err);
	if (r < 0)
		return r;
	if (t->release[0] && !strpbrk(t->release, " \t\n"))
		strb_addf(to, "release %s\n", t->release);
	r = add_topology(roots->sysfs, t, to, err);
	if (r < 0)
		return r;
	if (host_device(roots, t, &odd) == 0)
		strb_add(to, "msr\n");
	add_pci(roots->sysfs, pci, to, left_out);
	r = topo_pmus_read(roots->sysfs, &pmus, &odd);
	if (r < 0) {
		*err = odd;
		return r;
	}
	r = add_devices(roots->sysfs, pmus, to, err);
	if (r < 0)
		return r;
	r = add_all_pmus(pmus, to, left_out, err);
	if (r < 0)
		return r;
	return to->failed ? err_set(err, -EFBIG, "the text of this machine would have more than "
				    "%zu bytes", MACHINE_TEXT_MAX) : 0;
}

/* What was read twice alike did not change meanwhile. */
int machine_capture(const struct host_roots *roots, const struct capture_pci *pci,
		    struct strb *ret, struct diags *left_out, struct err *err)
{
	AUTO_DONE(strb_done) struct strb before = { .max = MACHINE_TEXT_MAX };
	AUTO_DONE(strb_done) struct strb now = { .max = MACHINE_TEXT_MAX };

	for (unsigned i = 0; i < TRIES; i++) {
		int r;

		diags_done(left_out);
		strb_clear(&now);
		r = capture_once(roots, pci, &now, left_out, err);
		if (r < 0 && r != -ENOENT)      /* a file went meanwhile */
			return r;
		if (r < 0 && i + 1 == TRIES)
			return r;
		if (i && r == 0 && before.n == now.n && memcmp(before.s, now.s, now.n) == 0) {
			strb_add_mem(ret, now.s, now.n);
			return 0;
		}
		strb_clear(&before);
		if (r == 0)
			strb_add_mem(&before, now.s, now.n);
	}
	return err_set(err, -EAGAIN, "this machine changes while it is read: CPUs or drivers come "
		       "and go; try again when it is still");
}
