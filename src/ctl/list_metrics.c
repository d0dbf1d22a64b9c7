/* SPDX-License-Identifier: MIT
 * What list and describe say of derived metrics: the processor's, and those
 * that are ready for the kernel's PMUs.
 * Owns:  metric rows as a person and a program read them.
 * Never: which of them a configuration yields (uncorectl plan).
 */
#include "ctl/ctl.h"

#include "base/state_dir.h"
#include "expo/catalog_json.h"
#include "machine/curve.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ rows of this machine's
 * kernel */

static json_t *row_json(const struct cat_perf *t, const struct cat_metric *m, const char *absent)
{
	return JS_ADD(catalog_metric_json(m), { "table", js_text(t->name) },
		      { "absent", js_text(absent) });
}

static void list_predefined(void *p, const struct plan_predefined *r)
{
	json_array_append_new(p, row_json(r->table, r->metric, r->absent));
}

/* Prints those that can be counted, or all; returns the number of those that cannot. */
static unsigned print_metrics(json_t *list, bool all)
{
	unsigned n_absent = 0;
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j) {
		const char *link = ctl_text(j, "link"), *absent = ctl_text(j, "absent");

		n_absent += absent != NULL;
		if (all || !absent)
			printf("%-36s %-4s %s%s%s\n", ctl_text(j, "name"), link ?: "",
			       ctl_text(j, "help"), absent ? "; absent: " : "",
			       absent ?: "");
	}
	return n_absent;
}

/* How many rows are absent for this reason? */
static unsigned count_like(json_t *list, const char *absent)
{
	unsigned n = 0;
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
		n += ctl_text(j, "absent") && strcmp(ctl_text(j, "absent"), absent) == 0;
	return n;
}

/* What most of the n_absent rows lack is said at once: a kernel that is too old. */
static void print_absent(const struct ctl *c, json_t *list, unsigned n_absent)
{
	json_t *j;
	size_t i;

	fprintf(stderr, "uncorectl: %u ready-made metric%s absent from this machine", n_absent,
		n_absent == 1 ? " is" : "s are");
	json_array_foreach(list, i, j) {
		const char *absent = ctl_text(j, "absent");
		unsigned n = absent ? count_like(list, absent) : 0;

		if (2 * n > n_absent) {
			if (n < n_absent)
				fprintf(stderr, ", %u of them", n);
			fprintf(stderr, " because %s", absent);
			break;
		}
	}
	fprintf(stderr, "; uncorectl doctor%s%s says what to do\n", c->machine ? " --machine " : "",
		c->machine ?: "");
}

/* With -v: the tables of all machines, as far as they have the word. */
static json_t *tables_json(const struct ctl *c)
{
	json_t *list = json_array();

	if (!c->verbose)
		return list;
	for (unsigned i = 0; i < cat_n_perfs; i++) {
		const struct cat_perf *t = cat_perfs[i];
		json_auto_t *rows = JS_LIST(k, t->n_metrics,
			row_json(t, &t->metrics[k], t->metrics[k].absent));

		ctl_filter(c, rows);
		if (json_array_size(rows))
			json_array_append_new(list, JS_OBJECT(
				{ "name", js_text(t->name) }, { "title", js_text(t->title) },
				{ "sets", json_boolean(t->sets) },
				{ "metrics", json_incref(rows) }));
	}
	return list;
}

static void print_tables(json_t *tables)
{
	json_t *t;
	size_t i;

	json_array_foreach(tables, i, t) {
		printf("\n%s:\n", ctl_text(t, "title"));
		print_metrics(json_object_get(t, "metrics"), true);
	}
}

int ctl_list_metrics(const struct ctl *c)
{
	const struct cat_processor *p = ctl_registers(c);
	json_auto_t *list = JS_LIST(i, p ? p->metrics->n : 0,
				    catalog_metric_json(&p->metrics->v[i]));
	json_auto_t *ready = json_array(), *tables = tables_json(c);
	unsigned n_absent;
	size_t n;

	ctl_each_predefined(c, list_predefined, ready);
	if (!c->processor && !json_array_size(ready) && !c->verbose) {
		json_auto_t *pmus = ctl_perf_boxes(c);

		if (json_array_size(pmus))
			return ctl_fail(CTL_UNAVAILABLE, "there are no ready-made metrics for "
					"this machine; for an example: uncorectl list metrics "
					"--machine spr");
		ctl_processor(c);
		return CTL_USAGE;
	}
	ctl_filter(c, list);
	ctl_filter(c, ready);
	n = json_array_size(list) + json_array_size(ready) + json_array_size(tables);
	if (c->json && n)
		return ctl_json(JS_OBJECT({ "processor", js_text(ctl_processor_name(c)) },
					  { "metrics", json_incref(list) },
					  { "ready", json_incref(ready) },
					  { "tables", c->verbose ? json_incref(tables) : NULL }));
	print_metrics(list, false);
	n_absent = print_metrics(ready, false);
	print_tables(tables);
	if (n_absent)
		print_absent(c, ready, n_absent);
	ctl_note_registers(c, "metrics");
	return n ? 0 : ctl_search_none(c, "metrics");
}

struct wanted {
	const struct ctl *c;
	const char *name;           /* without "uncore_" */
	unsigned n;
	int r;
	const struct cat_perf *counts;      /* the last table of which something is counted here */
	/* Of other machines: the first row, and the titles of all. */
	const struct cat_metric *first;
	const char *first_table, *title;
	bool absent;                /* no other machine counts it either */
	char elsewhere[2048];
};

/* A factor before what it multiplies; nothing where it is 1, which may be written as 0. */
static void print_factor(double factor)
{
	if (factor != 0 && factor != 1)
		printf("%.10g x ", factor);
}

static void print_sum(const char *word, const struct cat_term *t)
{
	for (; t && t->spec; t++, word = "          +") {
		printf("%s ", word);
		print_factor(t->weight);
		printf("%s\n", t->spec);
	}
}

/* "a + 2 x b", or "(a + 2 x b)" as an operand. */
static void print_inline(const struct cat_term *t, bool operand)
{
	bool several = operand && t[1].spec;

	printf("%s", several ? "(" : "");
	for (; t->spec; t++) {
		print_factor(t->weight);
		printf("%s%s", t->spec, t[1].spec ? " + " : "");
	}
	printf("%s", several ? ")" : "");
}

/* What a word is that the processor's registers say. */
static void print_constants(const struct cat_processor *p, const struct cat_term *t)
{
	for (; t && t->spec; t++)
		for (unsigned k = 0; p && k < p->n_constants; k++)
			if (strcmp(p->constants[k].name, t->spec) == 0)
				printf("%s: %s, x seconds of the window\n", t->spec,
				       p->constants[k].help);
}

/* p: whose row it is; NULL: a table's of the kernel's PMUs */
static void print_metric(const struct cat_processor *p, const struct cat_metric *m)
{
	printf("uncore_%s%s%s\n\n  %s.\n\n", m->name, m->link ? ", link " : "",
	       m->link ?: "", m->help);
	if (m->scale != 0 && m->scale != 1)
		printf("scale       %.10g\n", m->scale);
	print_sum(m->knee ? "reads      " : "sum of     ", m->num);
	print_sum(m->knee ? "writes     " : "divided by ", m->den);
	if (m->knee)
		printf("%s at the knee of this mix, from " STATE_DIR "/" CURVE_FILE "\n",
		       m->knee == CAT_HEADROOM ? "1 less their traffic / the traffic" :
		       "the traffic");
	if (m->scaled)
		printf("each count in the kernel's .scale and .unit\n");
	if (m->unscaled > 0)
		printf("%.10g for each count where a kernel has no .scale\n", m->unscaled);
	if (m->cycles_of)
		printf("cycles of   %s, converted to seconds\n", m->cycles_of);
	if (m->complement)
		printf("taken from 1\n");
	if (m->clamp)
		printf("kept within 0 and 1\n");
	if (m->clock_most > 0)
		printf("holds up to %g counts %sa second; above: left out (conflict)\n",
		       m->clock_most, m->den ? "of the divisor " : "");
	if (m->with_memory)
		printf("only of channels that have moved data since uncored began to count "
		       "them%s\n", m->per == CAT_PER_SOCKET ? ", after a minute" : "");
	if (m->bounded)
		printf("at most 1; above it by more than its counters were read apart: left out "
		       "(conflict)\n");
	print_constants(p, m->num);
	print_constants(p, m->den);
	if (m->guard) {
		printf("left out while ");
		print_inline(m->guard->num, false);
		printf(" / ");
		print_inline(m->guard->den, false);
		printf(" is above %.10g\n", m->guard->max);
	}
	printf("one value for each %s\nsource: %s\n", m->per == CAT_PER_SOCKET ? "socket" : "unit",
	       m->source);
	if (m->disputed)
		printf("disputed: %s\n", m->disputed);
}

/* A metric that this machine does not have, in a few lines. The last line is made of label, why and
 * of. */
static void print_short(const struct cat_metric *m, const char *label, const char *why,
			const char *of)
{
	printf("uncore_%s (%s)\n\n  %s.\n\n", m->name, m->unit, m->help);
	if (m->num && m->num->spec) {
		printf("formula: %s", m->complement ? "1 - " : "");
		print_factor(m->scale);
		print_inline(m->num, true);
		if (m->den) {
			printf(m->knee ? " (read) with " : " / ");
			print_inline(m->den, true);
		}
		if (m->knee)
			printf(" (written): %s the knee of this mix", m->knee == CAT_HEADROOM ?
			       "1 less traffic /" : "traffic at");
		if (m->cycles_of)
			printf(", cycles of %s as seconds", m->cycles_of);
		putchar('\n');
	}
	printf("source: %s\n", m->source);
	if (m->disputed)
		printf("disputed: %s\n", m->disputed);
	printf("%s%s%s\n", label, why, of);
}

static void describe_predefined(void *p, const struct plan_predefined *r)
{
	struct wanted *w = p;

	if (strcmp(r->metric->name, w->name) != 0)
		return;
	w->n++;
	if (w->c->json) {
		w->r = ctl_json(JS_ADD(row_json(r->table, r->metric, r->absent),
			{ "left_out", r->in_part ? js_text(r->in_part) : NULL },
			{ "rests_on", r->absent ? NULL :
				      ctl_rests_on(w->c, r->table, w->name, r->rests) }));
		return;
	}
	if (r->absent && !w->c->verbose) {
		print_short(r->metric, "absent on this machine: ", r->absent, "");
		return;
	}
	print_metric(NULL, r->metric);
	printf("ready for: %s\n", r->table->title);
	if (r->absent)
		printf("absent on this machine: %s\n", r->absent);
	if (r->in_part)
		printf("left out on this machine %s\n", r->in_part);
	if (!r->absent)
		ctl_print_rests(ctl_rests_on(w->c, r->table, w->name, r->rests));
	if (!r->absent && !r->by_default)
		printf("counted if a group of the configuration %s\n", r->metric->on_request ?
		       "names it, or the ready-made group channels" : "has these events");
}

/* What is absent of another memory of the socket, which counts, and whose metrics have its name
 * before this one's. */
static void print_other_memory(void *p, const struct plan_predefined *r)
{
	struct wanted *w = p;
	size_t n = strlen(r->metric->name), tail = strlen(w->name);

	if (!r->absent)
		w->counts = r->table;
	else if (w->counts == r->table && r->table->few && n > tail &&
		 r->metric->name[n - tail - 1] == '_' &&
		 strcmp(r->metric->name + n - tail, w->name) == 0)
		printf("beside it, uncore_%s is absent on this machine: %s\n", r->metric->name,
		       r->absent);
}

/* "Intel Xeon 7500 and E7 (Nehalem-EX, Westmere-EX)": is each code name in brackets in the text? */
static bool is_named(const char *text, const char *title)
{
	const char *p = strchr(title, '(');
	char name[64];

	while (p && *p != ')') {
		size_t n = strcspn(++p, ",)");

		snprintf(name, sizeof(name), "%.*s", (int)n, p + (*p == ' '));
		name[strcspn(name, ",)")] = '\0';
		if (!strstr(text, name))
			return false;
		p += n;
	}
	return p != NULL;
}

static const char *where(const struct wanted *w)
{
	return w->absent ? "absent, as on: " : "available only on: ";
}

/* A row of another machine: nobody has to own it to read the formula. The first one is enough
 * unless all is asked for. p: whose row it is; NULL: a table's of the kernel's PMUs. */
static void row_elsewhere(struct wanted *w, const struct cat_processor *p,
			  const struct cat_metric *m, const char *table, const char *title)
{
	size_t at = strlen(w->elsewhere);

	if (!!m->absent != w->absent || strcmp(m->name, w->name) != 0)
		return;
	if (!w->n) {
		w->first = m;
		w->first_table = table;
	}
	if (w->c->verbose && !w->c->json) {
		if (w->n)
			putchar('\n');
		print_metric(p, m);
		printf("%s%s\n", where(w), title);
	}
	w->n++;
	/* rows of one name may differ by link; a processor is known by two tables, of which that of
	 * its registers comes first */
	if (title != w->title && !is_named(w->elsewhere, title))
		snprintf(w->elsewhere + at, sizeof(w->elsewhere) - at, "%s%s", at ? "; " : "",
			 title);
	w->title = title;
}

static void rows_elsewhere(struct wanted *w)
{
	for (unsigned i = 0; i < cat_n_processors; i++)
		for (unsigned k = 0; k < cat_processors[i]->metrics->n; k++)
			row_elsewhere(w, cat_processors[i], &cat_processors[i]->metrics->v[k],
				      cat_processors[i]->name, cat_processors[i]->title);
	for (unsigned t = 0; t < cat_n_perfs; t++)
		for (unsigned i = 0; i < cat_perfs[t]->n_metrics; i++)
			row_elsewhere(w, NULL, &cat_perfs[t]->metrics[i], cat_perfs[t]->name,
				      cat_perfs[t]->title);
}

static void describe_elsewhere(struct wanted *w)
{
	rows_elsewhere(w);
	w->absent = !w->n;
	if (w->absent)
		rows_elsewhere(w);
	if (w->n && w->c->json)
		w->r = ctl_json(JS_ADD(catalog_metric_json(w->first),
			{ "table", js_text(w->first_table) },
			{ "absent", json_sprintf("%s%s", where(w), w->elsewhere) }));
	else if (w->n && !w->c->verbose)
		print_short(w->first, "", where(w), w->elsewhere);
}

/* Why a row of this machine's registers has no value on it; "": it has. *rests: what its formula
 * rests on. */
static void say_absent(const struct ctl *c, const struct cat_metric *m, struct err *ret,
		       struct err *rests)
{
	AUTO_DONE(machine_close) struct machine machine = { .asked.roots = c->roots };
	AUTO_FREE(curve_knees_free) struct curve_knees *knees = NULL;
	const struct plan_knees *k;
	const char *why;

	ret->text[0] = '\0';
	err_set(rests, 0, "%s", m->knee ? plan_knee_rests(NULL) : CAT_RESTS_FORMULA);
	if (c->processor_given || machine_read(&machine, NULL) < 0)
		return;
	knees = m->knee ? curve_knees_new(&machine, time(NULL)) : NULL;
	k = curve_knees_of(knees);
	if (k)
		err_set(rests, 0, "%s", plan_knee_rests(k));
	why = k ? k->unmeasured ?: k->refused :
	      cat_metric_excepted(m, machine.topo->model, machine.topo->model_name);
	if (why)
		err_set(ret, 0, "%s", why);
}

static void describe_registers(struct wanted *w, const struct cat_metric *m)
{
	const struct ctl *c = w->c;
	struct err why, rests;
	bool absent;

	say_absent(c, m, &why, &rests);
	absent = why.text[0] != '\0';
	w->n++;
	if (c->json) {
		w->r = ctl_json(JS_ADD(catalog_metric_json(m),
			{ "absent", absent ? js_text(why.text) : NULL },
			{ "rests_on", absent ? NULL :
				      ctl_rests_on(c, NULL, w->name, rests.text) }));
		return;
	}
	print_metric(c->processor, m);
	if (absent)
		printf("absent on this machine: %s\n", why.text);
	else
		ctl_print_rests(ctl_rests_on(c, NULL, w->name, rests.text));
}

/* Any row of a memory's knee by that name; NULL: it is no such metric. */
static const struct cat_metric *knee_row(const char *name)
{
	for (unsigned t = 0; t < cat_n_perfs; t++)
		for (unsigned i = 0; i < cat_perfs[t]->n_metrics; i++) {
			const struct cat_metric *m = &cat_perfs[t]->metrics[i];

			if (m->knee && strcmp(m->name, name) == 0)
				return m;
		}
	return NULL;
}

/* Why this machine has no row of a knee. */
static void say_no_knee(const struct ctl *c, struct err *err)
{
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = c->roots };

	if (c->processor)
		err_set(err, 0, "by the registers uncored has no latency of this processor's "
			"memory that counts beside its reads and writes, by which the knee would "
			"be found");
	else if (machine_read(&m, err) == 0)
		err_set(err, 0, "%s", plan_knee_missing(m.topo, m.pmus) ?:
			"uncored has no row of it for this machine");
}

/* A metric of a memory's knee that this machine does not have. What others count for it is of no
 * use here. */
static void describe_without_knee(struct wanted *w)
{
	const struct cat_metric *row = knee_row(w->name);
	struct err why = { "" };
	struct cat_metric m;

	if (!row)
		return;
	m = (struct cat_metric){ .name = row->name, .unit = row->unit, .per = row->per,
				 .knee = row->knee, .help = row->help, .source = row->source };
	say_no_knee(w->c, &why);
	w->n++;
	if (w->c->json)
		w->r = ctl_json(JS_ADD(catalog_metric_json(&m), { "absent", js_text(why.text) }));
	else
		print_short(&m, w->c->processor_given ? "absent: " : "absent on this machine: ",
			    why.text, "");
}

bool ctl_describe_metric(const struct ctl *c, int *ret)
{
	const char *name = c->args[0];
	struct wanted w = { .c = c, .name = strncmp(name, "uncore_", 7) == 0 ? name + 7 : name };

	for (unsigned i = 0; c->processor && i < c->processor->metrics->n; i++) {
		const struct cat_metric *m = &c->processor->metrics->v[i];

		if (strcmp(m->name, w.name) == 0 && !(c->json && w.n))
			describe_registers(&w, m);
	}
	if (!w.n) {
		ctl_each_predefined(c, describe_predefined, &w);
		if (w.n && !c->json)
			ctl_each_predefined(c, print_other_memory, &w);
	}
	if (!w.n)
		describe_without_knee(&w);
	if (!w.n && !c->processor_given)
		describe_elsewhere(&w);
	*ret = w.r;
	return w.n > 0;
}
