/* SPDX-License-Identifier: MIT
 * uncorectl describe: one event, for a person who meets it for the first time; a box, with its
 * units, counters and events.
 * Owns:  which of the things that can be described a name is; the sheet of an event and of a box.
 * Never: metrics, groups, the kernel's events (list_metrics.c, list_groups.c, list_kernel.c).
 */
#include "ctl/ctl.h"

#include "base/name.h"
#include "expo/catalog_json.h"
#include "spec/resolve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Does a metric's addend name this event? */
static bool term_names(const struct cat_processor *p, const char *spec, const struct cat_box *b,
		       const struct cat_event *e)
{
	struct arena *a = arena_new(CTL_SPEC_MAX, NULL);
	struct spec_box s;
	bool same = spec && a && spec_row(a, p, spec, &s, NULL) == 0 && s.selection.box == b &&
		    s.selection.event == e;

	arena_free(a);
	return same;
}

static bool metric_uses(const struct cat_processor *p, const struct cat_metric *m,
			const struct cat_box *b, const struct cat_event *e)
{
	const struct cat_term *sums[] = { m->num, m->den, m->guard ? m->guard->num : NULL,
					  m->guard ? m->guard->den : NULL };

	for (size_t i = 0; i < COUNT(sums); i++)
		for (const struct cat_term *t = sums[i]; t && t->spec; t++)
			if (term_names(p, t->spec, b, e))
				return true;
	return term_names(p, m->cycles_of, b, e);
}

static void print_counters(const struct cat_box *b, const struct cat_event *e)
{
	const char *before = e->counters & (e->counters - 1) ? "only on counters " :
			     "only on counter ";

	if (e->fixed) {
		printf("on the fixed counter");
		return;
	}
	if (!e->counters)
		printf(b->n_counters > 1 ? "on any of the counters 0-%u" : "on counter %u",
		       b->n_counters - 1);
	for (unsigned i = 0; i < b->n_counters; i++)
		if (e->counters & BIT(i)) {
			printf("%s%u", before, i);
			before = ", ";
		}
}

static void print_ports(const struct cat_box *b)
{
	const char *before = ": ";

	printf("  %s=0..%u (required)", b->port_key, b->n_ports - 1u);
	for (unsigned i = 0; i < b->n_ports; i++) {
		if (!b->ports[i].name)
			continue;
		printf("%s%u %s%s%s", before, i, b->ports[i].name, b->ports[i].link ? " = " : "",
		       b->ports[i].link ?: "");
		before = "; ";
	}
	putchar('\n');
}

static void print_keys(const struct cat_box *b, const struct cat_event *e)
{
	printf("keys:\n");
	if (b->port_key)
		print_ports(b);
	for (unsigned i = 0; e->selector && i < e->selector->n_keys; i++) {
		const struct cat_key *k = &e->selector->keys[i];

		printf("  %s=...%s  %s", k->name, k->required ? " (required)" : "", k->help ?: "");
		if (k->needs)
			printf("; needs %s", k->needs);
		putchar('\n');
	}
	if (e->selector && e->selector->pin)
		printf("  %s=N  pins the %s; else the planner chooses\n", e->selector->pin,
		       e->selector->name);
	printf("  counter=N  pins the counter%s%s%s\n",
	       cat_has(b->threshold) ? "; threshold=N" : "",
		       cat_has(cat_invert(b, e)) ? ", invert" : "",
		       cat_has(b->edge) ? ", edge" : "");
}

/* Does the row use the event, and none of its name before it? Rows of one name differ by link, and
 * may count different events. */
static bool first_to_use(const struct cat_processor *p, unsigned index, const struct cat_box *b,
			 const struct cat_event *e)
{
	const struct cat_metric *v = p->metrics->v;
	bool first = metric_uses(p, &v[index], b, e);

	for (unsigned i = 0; i < index && first; i++)
		first = strcmp(v[i].name, v[index].name) != 0 || !metric_uses(p, &v[i], b, e);
	return first;
}

/* A clock is in most of them: then a few say enough. */
static void print_metrics(const struct cat_processor *p, const struct cat_box *b,
			  const struct cat_event *e)
{
	enum { MOST = 6 };
	unsigned n = 0;

	for (unsigned i = 0; i < p->metrics->n; i++)
		if (first_to_use(p, i, b, e) && n++ < MOST)
			printf("used by uncore_%s\n", p->metrics->v[i].name);
	if (n > MOST)
		printf("and by %u more (see: uncorectl list metrics -p %s)\n", n - MOST, p->name);
}

static int print_text(const struct cat_processor *p, const struct cat_box *b,
		      const struct cat_event *e)
{
	bool one = e->combine == CAT_UMASK_ONE || e->one_umask;

	printf("%s/%s (%s, %s)\n\n  %s.\n\ncounts ", b->name, e->name, p->title, b->title, e->help);
	print_counters(b, e);
	printf(", at most %u%s", e->max_inc, ctl_bound(b, e->max_inc));
	if (e->per > 1)
		printf("; one count stands for %u", e->per);
	if (e->always_runs)
		printf("; a clock: it always runs");
	printf("\n");
	if (e->note)
		printf("note: %s\n", e->note);
	if (e->disputed)
		printf("disputed: %s\n", e->disputed);
	for (const char *const *a = e->alias; a && *a; a++)
		printf("also known as %s\n", *a);
	if (e->n_umasks)
		printf("unit masks (%s%s%s):\n", one ? "one of" : "one or several of",
		       e->dflt >= 0 ? "; default " : "",
		       e->dflt >= 0 ? e->umasks[e->dflt].name : "");
	for (unsigned i = 0; i < e->n_umasks; i++)
		printf("  %-24s %s%s%s\n", e->umasks[i].name, e->umasks[i].help ?: "",
		       e->umasks[i].disputed ? "; disputed: " : "",
		       e->umasks[i].disputed ?: "");
	if (!e->fixed)
		print_keys(b, e);
	print_metrics(p, b, e);
	printf("source: %s\n", e->source);
	return 0;
}

/* The event as the catalog has it, and what it is used for. */
static int print_json(const struct cat_processor *p, const struct cat_box *b,
		      const struct cat_event *e)
{
	return ctl_json(JS_ADD(catalog_event_json(b, e), { "processor", js_text(p->name) },
		{ "metrics", JS_LIST(i, p->metrics->n, first_to_use(p, i, b, e) ?
				     js_text(p->metrics->v[i].name) : NULL) }));
}

static void print_units(const struct cat_box *b)
{
	printf("units: %u on each socket", b->n_units);
	for (unsigned i = 0; b->links && i < b->n_units; i++)
		printf("%s%s%u = link %s", i ? ", " : ": ", b->name, i, b->links[i]);
	putchar('\n');
	if (b->n_ports)
		printf("ports: an event of it names one, %s=0..%u\n", b->port_key, b->n_ports - 1u);
}

static void print_width(const struct cat_box *b)
{
	printf("counters of each unit: %u of %u bits", b->n_counters, b->width);
	if (b->has_fixed)
		printf(", and a fixed one of %u", cat_width(b, true));
	printf("\nregisters: %s\n", b->space == SPACE_PCI ? "PCI configuration space" : "MSRs");
	if (b->clock)
		printf("clock: %s\n", b->clock);
}

static json_t *box_json(const struct cat_processor *p, const struct cat_box *b)
{
	json_t *events = json_array();

	cat_each_event(e, b)
		json_array_append_new(events, js_text(e->name));
	return JS_ADD(catalog_box_json(b), { "processor", js_text(p->name) }, { "events", events });
}

static int describe_box(const struct ctl *c, const struct cat_processor *p, const struct cat_box *b)
{
	if (c->json)
		return ctl_json(box_json(p, b));
	printf("%s (%s)\n\n  %s.\n\n", b->name, p->title, b->title);
	print_units(b);
	print_width(b);
	printf("events:\n");
	cat_each_event(e, b)
		printf("  %-34s %s\n", e->name, e->help);
	printf("source: %s\n", b->source);
	return 0;
}

/* A name that the manual uses without defining it: what for, and what to count. */
static bool describe_mention(const struct ctl *c, const struct cat_processor *p, int *ret)
{
	const char *text = c->args[0], *slash = strchr(text, '/');
	char box[CTL_NAME_TEXT];
	const struct cat_mention *m;

	snprintf(box, sizeof(box), "%.*s", slash ? (int)(slash - text) : 0, text);
	m = cat_mention_by_name(p, slash ? box : NULL, slash ? slash + 1 : text);
	if (!m)
		return false;
	*ret = 0;
	if (c->json)
		*ret = ctl_json(JS_OBJECT(
			{ "name", js_text(m->name) }, { "box", js_text(m->box) },
			{ "help", js_text(m->help) }, { "instead", js_text(m->spec) },
			{ "source", js_text(m->source) }, { "processor", js_text(p->name) }));
	else
		printf("%s (%s, %s): a name that the manual uses and does not define\n\n  %s.\n\n"
		       "to count it: %s\nsource: %s\n", m->name, p->title, m->box, m->help,
		       m->spec, m->source);
	return true;
}

/* A box or an event of this processor? Then it is described, or what is wrong with its unit or unit
 * masks, and *ret is the exit code. */
static bool describe_of(const struct ctl *c, const struct cat_processor *p, int *ret)
{
	const char *name = c->args[0];
	const struct cat_box *b = cat_box_by_name(p, name);
	const struct cat_event *e;

	if (b) {
		*ret = describe_box(c, p, b);
		return true;
	}
	if (describe_mention(c, p, ret))
		return true;
	*ret = ctl_find_event(p, name, &b, &e);
	if (!*ret)
		*ret = c->json ? print_json(p, b, e) : print_text(p, b, e);
	return *ret != -ENOENT;
}

/* Where this machine has no box: the first processor that has what is asked for. */
static bool describe_elsewhere(const struct ctl *c, int *ret)
{
	for (unsigned i = 0; i < cat_n_processors; i++)
		if (describe_of(c, cat_processors[i], ret)) {
			fprintf(stderr, "uncorectl: note: this entry is for %s, not for this "
				"machine\n", cat_processors[i]->name);
			return true;
		}
	return false;
}

/* A name alone that several of this machine's PMUs have: which they are. */
static bool describe_several(const struct ctl *c, int *ret)
{
	if (ctl_perf_names(c, c->args[0]) != -EEXIST)
		return false;
	*ret = ctl_perf_show(c, true);
	return true;
}

/* Is there something of exactly this name? Then *ret is the exit code. */
static bool describe_exact(const struct ctl *c, int *ret)
{
	if (ctl_perf_names(c, c->args[0]) > 0) {
		*ret = ctl_perf_show(c, true);
		return true;
	}
	return ctl_describe_metric(c, ret) || ctl_describe_group(c, ret) ||
	       ctl_perf_describe_box(c, ret) ||
	       (c->processor ? describe_of(c, c->processor, ret) :
		describe_several(c, ret) || describe_elsewhere(c, ret)) ||
	       (!c->processor_given && ctl_describe_row(c, ret));
}

static int describe_own(const struct ctl *c, const char *help)
{
	if (c->json)
		return ctl_json(JS_OBJECT({ "name", js_text(c->args[0]) },
					  { "help", js_text(help) }));
	printf("%s\n\n  %s\n\na series of uncored itself; see uncored(8)\n", c->args[0], help);
	return 0;
}

/* A name of Intel's that is like one of an event: the sentence that says so. */
static bool is_misspelt(const struct ctl *c)
{
	return name_after(c->args[0], "UNC_") && ctl_perf_names(c, c->args[0]) == -EINVAL;
}

int ctl_describe(const struct ctl *c)
{
	struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	const char *help = NULL, *instead = NULL;
	struct ctl of_series = *c;
	int r;

	if (!describe_exact(c, &r)) {
		instead = a ? ctl_of_series(c, a, c->args[0], &help) : c->args[0];
		of_series.args = (char *[]){ (char *)instead };
		if (help)
			r = describe_own(c, help);
		else if (instead != c->args[0] && describe_exact(&of_series, &r))
			;
		else if (is_misspelt(c))
			r = ctl_perf_show(c, true);
		else
			r = ctl_search_for(c, c->args[0], true);
	}
	arena_free(a);
	return r;
}
