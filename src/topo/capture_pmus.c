/* SPDX-License-Identifier: MIT
 *
 * Owns:  how PMUs that are alike become one line, and what of their files is written below it.
 */
#include "topo/capture_lines.h"

#include "base/bits.h"
#include "base/name.h"
#include "base/num.h"
#include "topo/machine_text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct where nowhere = { NULL, 0 };

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

		capture_escaped(&o->body, head ?: "", false);
		strb_add(&o->body, "{}");
		free(head);
	} else {
		capture_escaped(&o->body, text, false);
	}
}

/* The device's directory is above the PMU's, where links lead. */
static void add_device(struct one *o)
{
	const struct sysfile_path parent = sysfile_path("%s/..", o->pmu->dir);
	char path[PATH_MAX];
	const char *name;

	if (o->pmu->node < 0 || o->pmu->node >= MACHINE_NODES_MAX || !realpath(parent.s, path))
		return;
	name = strrchr(path, '/') + 1;
	if (!*name || *name == '.' || name_span(name, ":.-") != strlen(name))
		name = "device";
	strb_add(&o->body, "  device ");
	add_holed(o, name);
	strb_addf(&o->body, " node %d\n", o->pmu->node);
}

static void add_term(struct capture_words *w, const char *name, const char *suffix,
		     const char *text)
{
	struct strb word;

	if (!text || !*text)
		return;
	strb_init(&word, MACHINE_TEXT_MAX);
	strb_addf(&word, "%s%s=", name, suffix);
	capture_escaped(&word, text, true);
	if (!word.failed)
		capture_word(w, word.s);
	w->to->failed |= word.failed;
	strb_done(&word);
}

static void add_terms(struct one *o, const char *begin, const struct topo_term *v, unsigned n,
		      struct diags *left_out)
{
	struct capture_words w = { .to = &o->body, .begin = begin };

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
	capture_words_end(&w);
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
		capture_list(to, p->cpumask, p->n_cpumask);
	else
		strb_add_char(to, '-');
	strb_add_char(to, '\n');
	strb_add_mem(to, v->body.s ?: "", v->body.n);
	add_stacks(to, v, n);
}

int capture_pmus(const struct topo_pmus *pmus, struct strb *to, struct diags *left_out,
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
