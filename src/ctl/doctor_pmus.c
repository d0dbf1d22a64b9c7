/* SPDX-License-Identifier: MIT
 * What uncorectl doctor says of the kernel's PMUs, and of the ready-made metrics:
 * which can be counted here, and why not the others.
 * Owns:  which PMUs are one box, which count for whole sockets, which are odd; one finding for each
 *        table of metrics and each reason.
 * Never: what a reason says (planner/defaults.c); everything else (doctor_find.c).
 */
#include "ctl/doctor.h"

#include "base/name.h"
#include "base/strb.h"
#include "machine/curve.h"
#include "planner/defaults.h"
#include "spec/kernel.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Files of format/ and events/ that cannot be used; *ret_first: the sentence about one of them, if
 * there is any. */
static unsigned bad_terms(const struct topo_pmu *p, const char **ret_first)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < p->n_format + p->n_events; i++) {
		const struct topo_term *t = i < p->n_format ? &p->format[i] :
					    &p->events[i - p->n_format];

		if (t->bad && bad++ == 0)
			*ret_first = t->bad;
	}
	return bad;
}

/* What the PMUs of this machine are resolved against. */
static struct spec_machine doctor_machine(const struct doctor *d)
{
	return spec_machine(NULL, d->m.topo, d->m.topo, d->m.pmus);
}

static void add_cpu(struct doctor_pmus *p, unsigned cpu)
{
	unsigned *v, i = p->n_cpus;

	while (i && p->cpus[i - 1] > cpu)
		i--;
	if (i && p->cpus[i - 1] == cpu)
		return;
	v = realloc(p->cpus, (p->n_cpus + 1) * sizeof(*v));
	if (!v)
		errx(CTL_TEMPORARY, DOCTOR_NO_MEMORY);
	memmove(v + i + 1, v + i, (p->n_cpus - i) * sizeof(*v));
	v[i] = cpu;
	p->cpus = v;
	p->n_cpus++;
}

bool doctor_pmus_at(const struct doctor *d, unsigned i, struct doctor_pmus *ret)
{
	const struct topo_pmu *first = &d->m.pmus->v[i];
	const struct spec_machine m = doctor_machine(d);
	bool beside = cat_perf_is_beside(first->name);
	int number;

	*ret = (struct doctor_pmus){ .first = first, .beside = beside && first->cpumask };
	ret->uncore = !beside &&
		      (first->cpumask || strncmp(first->name, "uncore", 6) == 0 ||
		       (!first->of_cpus && perf_table_of(&m, first->name, NULL)));
	perf_pmu_box(first->name, ret->box, sizeof(ret->box), &number);
	for (unsigned k = 0; k < d->m.pmus->n; k++) {
		const struct topo_pmu *p = &d->m.pmus->v[k];
		const char *first_bad;
		char box[136];

		perf_pmu_box(p->name, box, sizeof(box), &number);
		if (strcmp(box, ret->box) != 0)
			continue;
		if (k < i)
			return false;
		ret->n++;
		for (unsigned c = 0; c < p->n_cpumask; c++)
			add_cpu(ret, p->cpumask[c]);
		ret->n_bad_terms += bad_terms(p, &first_bad);
	}
	return true;
}

bool doctor_without_counters(const struct doctor *d)
{
	struct doctor_pmus p;

	if (!d->nothing || !d->m.automatic || (d->m.processor && !d->host->hypervisor))
		return false;
	for (unsigned i = 0; d->m.pmus && i < d->m.pmus->n; i++) {
		if (!doctor_pmus_at(d, i, &p))
			continue;
		free(p.cpus);
		if (p.uncore)
			return false;
	}
	return true;
}

/* "0,28", "0,1,2,3,4,5,6,7 and 8 more". */
static void list_cpus(const unsigned *cpus, unsigned n, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < n && i < DOCTOR_NAMED && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%u", i ? "," : "", cpus[i]);
	if (n > DOCTOR_NAMED && used < size)
		snprintf(buf + used, size - used, " and %u more", n - DOCTOR_NAMED);
}

static const char *driver_advice(const struct topo *t, const struct host *h)
{
	if (h->hypervisor)
		return "run uncored on the host";
	if (strcmp(t->vendor, "GenuineIntel") == 0)
		return "load the kernel's driver, if it has one for this processor: modprobe "
			"intel-uncore";
	if (strcmp(t->vendor, "AuthenticAMD") == 0 || strcmp(t->vendor, "HygonGenuine") == 0)
		return "load the kernel's driver, if it has one for this processor: modprobe "
			"amd-uncore";
	if (t->implementer)
		return "load the kernel's drivers, if the machine has what they count: modprobe "
			"arm-cmn (the mesh), arm_dmc620_pmu (memory controllers; Debian 12 builds "
			"none), nvidia_cspmu (NVIDIA Grace)";
	return "load the kernel's driver for the processor's interconnect and memory controllers, "
		"if it has one";
}

/* ---- a kernel that is too old */

/* One sentence for each table, in place of one for each of its PMUs. */
static bool find_too_old(struct doctor *d, enum doctor_level level)
{
	struct err why;
	bool any = false;

	for (unsigned i = 0; i < cat_n_perfs; i++) {
		if (cat_perfs[i]->sets || !perf_unnamed(d->m.topo, d->m.pmus, cat_perfs[i], &why))
			continue;
		doctor_add(d, level, "uncore PMU", "%s", why.text);
		doctor_todo(d, "boot that kernel or a later one, or one of the distribution's "
			    "that has its driver%s", perf_has_types(d->m.pmus) ? "; until then "
			    "give events by numbers: perf/uncore_type_N/event=0x1,name=x/" : "");
		any = true;
	}
	return any;
}

static void find_uncore_pmus(struct doctor *d)
{
	const struct spec_machine m = doctor_machine(d);
	bool alone = d->m.engine == CONF_PERF && d->conf && !d->conf->groups_given;
	enum doctor_level level = alone && d->verdict.text[0] ? DOCTOR_PROBLEM : DOCTOR_NOTE;
	char others[512] = "";
	unsigned uncore = 0;
	bool by_numbers = false, too_old = false;

	for (unsigned i = 0; d->m.pmus && i < d->m.pmus->n; i++) {
		struct doctor_pmus p;
		bool counts, unplaced;
		const char *more = "";
		char cpus[128];
		size_t used = strlen(others);

		if (!doctor_pmus_at(d, i, &p))
			continue;
		if (!p.uncore && !p.beside) {
			free(p.cpus);
			snprintf(others + used, sizeof(others) - used, "%s%.40s", used ? ", " : "",
				 p.first->name);
			continue;
		}
		uncore += p.uncore;
		list_cpus(p.cpus, p.n_cpus, cpus, sizeof(cpus));
		free(p.cpus);
		counts = cpus[0] || !p.first->cpumask;
		if (!cpus[0])
			snprintf(cpus, sizeof(cpus), "%s", counts ? "any" : "none");
		unplaced = perf_is_unplaced(&m, p.first);
		if (unplaced)
			more = "; not counted: nothing says on which socket it is";
		else if (p.beside)
			more = "; energy or sleep states, not the uncore";
		doctor_add(d, counts && !unplaced ? DOCTOR_OK : DOCTOR_NOTE,
			   p.uncore ? "uncore PMU" : "other PMU",
			   "%s: %u instance%s, CPU %s, %u named event%s%s",
			   p.box, p.n, p.n == 1 ? "" : "s", cpus,
			   p.first->n_events, p.first->n_events == 1 ? "" : "s", more);
		if (!counts)
			doctor_todo(d, "it cannot count until %s/cpumask lists a CPU",
				    p.first->shown);
		else if (unplaced)
			doctor_todo(d, "a newer kernel shows the NUMA node of its device, if the "
				    "firmware gives it one: %s/../numa_node", p.first->shown);
		if (p.first->n_events == 0 && counts && !by_numbers) {
			doctor_todo(d, "it names no events; give the number and a name: "
				    "perf/%s/event=0x1,name=x/", p.first->name);
			by_numbers = true;
		}
	}
	if (d->m.engine == CONF_PERF)
		too_old = find_too_old(d, uncore ? DOCTOR_NOTE : level);
	if (uncore == 0 && !too_old) {
		doctor_add(d, level, "uncore PMU",
			   "the kernel has none, so perf cannot count uncore events");
		if (!d->m.processor)
			doctor_todo(d, "%s", driver_advice(d->m.topo, d->host));
	}
	if (others[0]) {
		doctor_ok(d, "other PMUs", "%s: not uncore PMUs; no ready-made group uses them",
			  others);
		doctor_todo(d, "a configuration may name their events: uncored.conf(5), "
			    "perf/PMU/TERMS/");
	}
}

static void find_odd_pmus(struct doctor *d)
{
	unsigned n = 0;

	if (!d->m.pmus) {
		doctor_problem(d, "odd PMU", "%s", d->m.pmus_err.text);
		return;
	}
	for (unsigned i = 0; i < d->m.pmus->n_bad && n < DOCTOR_NAMED; i++, n++)
		doctor_note(d, "odd PMU", "%s is left out: %s", d->m.pmus->bad[i].name,
			    d->m.pmus->bad[i].why);
	for (unsigned i = 0; i < d->m.pmus->n && n < DOCTOR_NAMED; i++) {
		const struct topo_pmu *p = &d->m.pmus->v[i];
		const char *first = "";
		unsigned bad = bad_terms(p, &first);

		if (bad) {
			doctor_note(d, "odd PMU", "%s: %u file%s of its format or events cannot be "
				    "used%s: %s", p->name, bad, bad == 1 ? "" : "s", bad == 1 ? "" :
				    ", the first", first);
			n++;
		}
	}
	if (n == 0 && d->m.pmus_err.text[0])
		doctor_note(d, "odd PMU", "%s", d->m.pmus_err.text);
}

enum { LIST_MAX = 4096 };

struct found {
	struct doctor *d;
	const struct cat_perf *table;
	struct strb ready, asked;   /* of the table: counted, and what only a configuration's groups
	                             * count */
	json_t *absent;             /* of the table: names of metrics, by what they lack */
};

static void list_add(struct strb *s, const char *name)
{
	strb_addf(s, "%s%s", s->n ? ", " : "", name);
}

static void list_add_once(struct strb *s, const char *name)
{
	if (!s->n || !name_listed(s->s, name, strlen(name)))
		list_add(s, name);
}

/* Does find_too_old() say why there is no PMU of the table, or none of this processor? */
static bool is_said(const struct doctor *d, const struct cat_perf *t)
{
	struct err why;

	for (unsigned i = 0; i < cat_n_perfs; i++)
		if ((cat_perfs[i] == t || !cat_perfs[i]->unnamed) &&
		    perf_unnamed(d->m.topo, d->m.pmus, cat_perfs[i], &why))
			return true;
	return false;
}

/* Is it worth a note that something of the table cannot be counted here? Not where few machines
 * have it: rows of a table for every processor, PMUs that few of its processors have. */
static bool is_missed(const struct found *f)
{
	if (!f->table->vendor)
		return false;
	if (f->table->sets)
		return false;
	return !f->table->few || perf_has_pmu(f->d->m.pmus, f->table->pmus[0].name);
}

static void add_asked(struct found *f)
{
	const char *title = f->table->title;

	if (f->table->sets)
		doctor_ok(f->d, "ready metrics", "%s: on request, by the groups %s; uncorectl "
			  "list groups says what each costs", title, f->asked.s);
	else
		doctor_note(f->d, "ready metrics", "%s: counted on request only: %s; a "
			    "configuration names the group, or their events in a group of your own "
			    "(uncorectl describe METRIC lists them)", title, f->asked.s);
}

/* The table is done. What not every machine has is one line, of no weight; of sets, whose other
 * metrics are there on request, each says why it is not. */
static void add_table(struct found *f)
{
	struct strb rare;
	const char *why;
	json_t *names;

	if (f->table->n_ids && is_said(f->d, f->table))
		json_object_clear(f->absent);

	if (f->ready.n)
		doctor_ok(f->d, "ready metrics", "%s: %s", f->table->title, f->ready.s);
	if (f->asked.n)
		add_asked(f);
	strb_init(&rare, LIST_MAX);
	json_object_foreach(f->absent, why, names) {
		if (f->table->sets)
			doctor_ok(f->d, "ready metrics", "%s: not available: %s",
				  json_string_value(names), why);
		else if (is_missed(f))
			doctor_note(f->d, "ready metrics", "%s: not available: %s",
				    json_string_value(names), why);
		else
			list_add(&rare, json_string_value(names));
	}
	if (rare.n)
		doctor_ok(f->d, "ready metrics", "%s: not on this machine, which is no fault; "
			  "uncorectl describe METRIC says what each of them needs", rare.s);
	strb_done(&rare);
	json_object_clear(f->absent);
	strb_clear(&f->ready);
	strb_clear(&f->asked);
}

/* With the ready-made group that yields it, if one does alone; of sets the group is enough. */
static void list_asked(struct found *f, const struct cat_metric *m)
{
	const struct cat_perf *t = f->table;

	if (!t->sets)
		list_add(&f->asked, m->name);
	for (unsigned i = 0; i < t->n_groups; i++) {
		if (!cat_perf_yields(&t->groups[i], m))
			continue;
		if (t->sets)
			list_add_once(&f->asked, t->groups[i].name);
		else
			strb_addf(&f->asked, " (group %s)", t->groups[i].name);
		return;
	}
}

static void add_predefined(void *p, const struct plan_predefined *r)
{
	struct found *f = p;
	const char *name = r->metric->name, *before;

	if (f->table && f->table != r->table)
		add_table(f);
	f->table = r->table;
	if (!r->absent && r->by_default) {
		list_add(&f->ready, name);
		return;
	}
	if (!r->absent) {
		list_asked(f, r->metric);
		return;
	}
	before = ctl_text(f->absent, r->absent);
	json_object_set_new_nocheck(f->absent, r->absent, before ?
				    json_sprintf("%s, %s", before, name) : json_string(name));
}

static void find_predefined(struct doctor *d)
{
	AUTO_FREE(curve_knees_free) struct curve_knees *knees =
		curve_knees_new(&d->m, time(NULL));
	struct found f = { .d = d, .absent = json_object() };

	strb_init(&f.ready, LIST_MAX);
	strb_init(&f.asked, LIST_MAX);
	if (d->m.pmus)
		plan_predefined_each(d->m.topo, d->m.pmus, curve_knees_of(knees),
				     add_predefined, &f);
	if (f.table)
		add_table(&f);
	strb_done(&f.ready);
	strb_done(&f.asked);
	json_decref(f.absent);
}

void doctor_find_pmus(struct doctor *d)
{
	find_uncore_pmus(d);
	find_odd_pmus(d);
	if (d->m.engine == CONF_PERF)
		find_predefined(d);
}
