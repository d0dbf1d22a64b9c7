/* SPDX-License-Identifier: MIT
 * What list, describe and encode say of the kernel's events on this machine: perf/PMU/TERMS/.
 * Owns:  the kernel's PMUs as a person and a program read them.
 * Never: how terms become numbers (planner/).
 */
#include "ctl/ctl.h"

#include "base/name.h"
#include "expo/catalog_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void ctl_note_unusable(const struct ctl *c, const struct err *why)
{
	if (why->text[0] && !c->processor_given)
		fprintf(stderr, "uncorectl: note: some of the kernel's PMUs or events cannot be "
			"used: %s\n", why->text);
}

int ctl_perf_names(const struct ctl *c, const char *spec)
{
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = c->roots };
	AUTO_FREE(arena_free) struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	struct spec s = { .text = NULL };
	int r;

	if (strncasecmp(spec, "perf/", 5) == 0)
		return 1;
	if (!a || spec_parse_name(a, spec, &s, NULL) < 0 || s.perf)
		return s.perf;
	if (c->processor_given || machine_read(&m, NULL) < 0 || !m.pmus)
		return 0;
	r = ctl_spec_meant(a, &(struct plan_input){ .processor = c->processor, .topo = m.topo,
						    .pmus = m.pmus }, spec, &s, NULL);
	if (r == -EINVAL && !s.box && !name_after(spec, "UNC_"))
		return 0;
	if (r < 0)
		return r == -EEXIST ? r : -EINVAL;
	return s.row && !perf_has_pmu(m.pmus, s.box) ? -ENODEV : s.perf;
}

static void list_pfm(void *p, const char *spec, const char *help)
{
	json_array_append_new(p, JS_OBJECT({ "spec", js_text(spec) }, { "help", js_text(help) }));
}

struct row_list {
	struct arena *a;
	const struct machine *m;
	json_t *events;
	const char **names;         /* that are in events */
	unsigned n_names;
};

/* name: as it can be typed. */
static void list_row(struct row_list *l, const char *name, const char *event, const char *help)
{
	if (NAME_FIND(l->names, l->n_names, name))
		return;
	*ARENA_ADD(l->a, l->names, l->n_names) = name;
	json_array_append_new(l->events, JS_OBJECT({ "spec", js_text(name) },
		{ "event", js_text(event) }, { "help", js_text(help) }));
}

static void list_port(struct row_list *l, const char *box, const char *of_all, unsigned port,
		      const char *source)
{
	const char *event = arena_printf(l->a, "%s_part%u", of_all, port);

	list_row(l, arena_printf(l->a, "%s/%s", box, event), event,
		 arena_printf(l->a, "%s, of port %u alone", source, port));
}

/* box/EVENT, unless the box of that name is one whose registers the processor's own rows are of. */
static const char *row_name(const struct row_list *l, const char *box,
			    const struct cat_perf_event *e, const char *event)
{
	const struct cat_processor *p = l->m->processor;

	if (p && cat_box_by_name(p, box))
		return e->spec;
	return arena_printf(l->a, "%s/%s", box, event);
}

/* What the catalog's tables count by numbers, by the names that they give it, and single ports of
 * what they count of all. The kernel's own names are listed as the kernel's. */
static void list_rows(void *p)
{
	struct row_list *l = p;
	const struct spec_machine on = spec_machine(NULL, l->m->topo, l->m->topo, l->m->pmus);
	struct perf_rows rows = { .n = 0 };

	perf_rows_resolve(l->a, &on, &rows);
	for (unsigned i = 0; i < rows.n; i++) {
		const struct cat_perf_event *e = rows.v[i].row;
		uint32_t ports = cat_perf_ports(e);
		char box[PERF_NAME], own[CAT_PERF_NAME];

		perf_pmu_box(rows.v[i].v.name, box, sizeof(box), NULL);
		if (!strstr(e->spec, "name="))
			continue;
		cat_perf_event_name(e, own);
		list_row(l, row_name(l, box, e, own), own, e->source);
		for (unsigned port = 0; ports >> port; port++)
			if (ports >> port & 1)
				list_port(l, box, own, port, e->source);
	}
}

json_t *ctl_perf_list(const struct ctl *c)
{
	AUTO_FREE(arena_free) struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	bool here = strcmp(c->roots.sysfs, "/sys") == 0;      /* libpfm4 looks at the processor that
	                                                       * it runs on */
	struct machine m = { .asked.roots = c->roots };
	json_t *events = json_array();

	machine_read(&m, NULL);
	ctl_note_unusable(c, &m.pmus_err);
	if (m.pmus) {
		catalog_add_kernel_events(events, m.pmus);
		if (a)
			arena_try(a, list_rows, &(struct row_list){ .a = a, .m = &m,
				.events = events });
		if (here)
			spec_pfm_events(m.pmus, list_pfm, events);
	}
	machine_close(&m);
	return events;
}

void ctl_perf_print(json_t *e)
{
	const char *unit = ctl_text(e, "unit"), *scale = ctl_text(e, "scale");
	const char *help = ctl_text(e, "help");

	printf("%-52s %s", ctl_text(e, "spec"), help ?: ctl_text(e, "terms"));
	if (unit && scale)
		printf(", one count is %s %s", scale, unit);
	putchar('\n');
}

/* The box of an event that ctl_perf_list() has: "imc" of imc/NAME, perf/uncore_imc/NAME/. */
static bool is_of_box(json_t *event, const char *box, const char *pmu)
{
	const char *spec = ctl_text(event, "spec");
	bool perf = strncmp(spec, "perf/", strlen("perf/")) == 0;
	char name[PERF_NAME];

	spec += perf ? strlen("perf/") : 0;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(spec, "/"), spec);
	return strcmp(perf ? perf_family(name).s : name, perf ? pmu : box) == 0;
}

/* Prints and releases. */
static int show_box(const struct ctl *c, json_t *j)
{
	const char *name = ctl_text(j, "name"), *pmu = ctl_text(j, "pmu");
	json_t *counters = json_object_get(j, "counters");
	json_auto_t *events = ctl_perf_list(c);
	json_t *e;
	size_t i = 0;

	while ((e = json_array_get(events, i)))
		if (is_of_box(e, name, pmu))
			i++;
		else
			json_array_remove(events, i);
	if (c->json)
		return ctl_json(JS_ADD(j, { "processor", js_text(ctl_processor_name(c)) },
				       { "events", json_incref(events) }));
	printf("%s (the kernel's PMU %s)\n\nunits: %lld on each socket\n", name, pmu,
	       (long long)json_integer_value(json_object_get(j, "units")));
	if (counters)
		printf("counters of each unit: %lld\n", (long long)json_integer_value(counters));
	printf("events:\n");
	json_array_foreach(events, i, e)
		ctl_perf_print(e);
	json_decref(j);
	return 0;
}

static bool has_pmu(const struct ctl *c, const char *name)
{
	struct machine m = { .asked.roots = c->roots };
	bool has = false;

	machine_read(&m, NULL);
	for (unsigned i = 0; m.pmus && i < m.pmus->n; i++)
		has |= name_same(m.pmus->v[i].name, name);
	machine_close(&m);
	return has;
}

/* By its own name, that of its PMUs, or that of one of them as messages have it: "imc",
 * "uncore_imc", "uncore_imc_3". */
static bool is_box(const struct ctl *c, json_t *box, const char *name)
{
	const char *pmu = ctl_text(box, "pmu");

	return name_same(name, ctl_text(box, "name")) || name_same(name, pmu) ||
	       (perf_is_family(pmu, name) && has_pmu(c, name));
}

bool ctl_perf_describe_box(const struct ctl *c, int *ret)
{
	json_auto_t *boxes = c->processor_given || ctl_registers(c) ? NULL : ctl_perf_boxes(c);
	json_t *j;
	size_t i;

	json_array_foreach(boxes, i, j)
		if (is_box(c, j, c->args[0])) {
			*ret = show_box(c, json_incref(j));
			ctl_note_registers(c, "boxes");
			return true;
		}
	return false;
}

/* Its units on the socket that has the most of them. */
static unsigned units_of(const struct spec_machine *on, const struct topo_pmu *first)
{
	const struct topo *t = on->perf_topo;
	unsigned most = 0;

	for (unsigned s = 0; s < t->n_sockets; s++) {
		unsigned n = 0;

		for (unsigned i = 0; i < on->pmus->n; i++)
			if (perf_same_family(on->pmus->v[i].name, first->name))
				n += perf_places(on, &t->sockets[s], &on->pmus->v[i], NULL);
		most = n > most ? n : most;
	}
	return most;
}

json_t *ctl_perf_boxes(const struct ctl *c)
{
	struct machine m = { .asked.roots = c->roots };
	json_t *list = json_array();

	machine_read(&m, NULL);
	for (unsigned i = 0; m.pmus && i < m.pmus->n; i++) {
		const struct spec_machine on = spec_machine(NULL, m.topo, m.topo, m.pmus);
		const struct topo_pmu *pmu = &m.pmus->v[i];
		const struct cat_perf_pmu *row = NULL;
		const struct cat_perf *t = perf_table_of(&on, pmu->name, &row);
		unsigned n_counters = row && row->counters != CAT_COUNTERS_UNKNOWN ?
				      row->counters : 0;
		char box[PERF_NAME];

		if (!perf_is_first(m.pmus, pmu) || pmu->of_cpus)
			continue;
		perf_pmu_box(pmu->name, box, sizeof(box), NULL);
		json_array_append_new(list, JS_OBJECT(
			{ "name", js_text(box) }, { "pmu", js_text(perf_family(pmu->name).s) },
			{ "units", json_integer(units_of(&on, pmu)) },
			{ "counters", n_counters ? json_integer(n_counters) : NULL },
			{ "events", json_integer(pmu->n_events) },
			{ "title", t ? js_text(t->title) : NULL }));
	}
	machine_close(&m);
	return list;
}

/* ------------------------------------------------------------------ one specification on this
 * machine */

/* The machine, which is to be closed in any case, and a plan of the specification alone. 0, or an
 * exit code after a sentence. */
static int resolve(const struct ctl *c, struct machine *m, struct plan **ret)
{
	struct err err = { "" };
	int r = machine_read(m, &err);

	if (r < 0)
		return ctl_fail(ctl_code(r, CTL_UNAVAILABLE), "%s", err.text);
	if (!m->pmus)
		return ctl_fail(CTL_UNAVAILABLE, "%s", m->pmus_err.text);
	*ret = ctl_plan_spec(&(struct plan_input){ .processor = c->processor, .topo = m->topo,
						   .pmus = m->pmus }, c->args[0]);
	return *ret ? 0 : CTL_CONFIG;
}

static const struct plan_perf *event_of(const struct plan_socket *s, unsigned slot)
{
	return &s->perf->rounds[0].events[s->rounds[0].slots[slot].engine_slot];
}

static json_t *places_json(const struct plan *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned k = 0; k < p->sockets[i].rounds[0].n_slots; k++)
			json_array_append_new(list, JS_ADD(
				ctl_perf_json(event_of(&p->sockets[i], k)),
				{ "socket", json_integer(p->sockets[i].id) },
				{ "unit", json_integer(p->sockets[i].rounds[0].slots[k].unit) }));
	return list;
}

static void places_text(const struct plan *p)
{
	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned k = 0; k < p->sockets[i].rounds[0].n_slots; k++) {
			const struct plan_perf *e = event_of(&p->sockets[i], k);

			printf("  socket %u unit %u: PMU %s type %u on CPU %d, "
			       "config 0x%" PRIx64 " config1 0x%" PRIx64 " config2 0x%" PRIx64 "\n",
			       p->sockets[i].id, p->sockets[i].rounds[0].slots[k].unit, e->pmu,
			       e->type, e->cpu, e->config, e->config1, e->config2);
		}
}

/* The first socket that has a slot; every specification that a plan accepts has one. */
static const struct plan_socket *first_socket(const struct plan *p)
{
	const struct plan_socket *s = p->sockets;

	while (!s->rounds[0].n_slots)
		s++;
	return s;
}

static json_t *encode_json(const struct ctl *c, const char *spec, const struct plan_slot *s,
			   json_t *places)
{
	return JS_OBJECT(
		{ "processor", js_text(ctl_processor_name(c)) },
		{ "box", js_text(s->box_name) }, { "event", js_text(s->event_name) },
		{ "spec", js_text(spec) }, { "family", js_text(s->family) },
		{ "perf", places });
}

static const struct topo_term *alias_of(const struct topo_pmu *p, const char *name)
{
	for (unsigned i = 0; p && i < p->n_events; i++)
		if (strcasecmp(p->events[i].name, name) == 0)
			return &p->events[i];
	return NULL;
}

static json_t *describe_json(const char *spec, const struct plan_slot *s, const struct topo_pmu *p,
			     json_t *row, json_t *places)
{
	const struct topo_term *alias = alias_of(p, s->event_name);
	json_t *format = json_object();

	for (unsigned i = 0; p && i < p->n_format; i++)
		json_object_set_new(format, p->format[i].name, js_text(p->format[i].text));
	return JS_ADD(row,
		{ "spec", js_text(spec) }, { "box", js_text(s->box_name) },
		{ "event", js_text(s->event_name) }, { "family", js_text(s->family) },
		{ "scaled_family", s->scaled_family ? js_text(s->scaled_family) : NULL },
		{ "perf", places }, { "terms", alias ? js_text(alias->text) : NULL },
		{ "scale", s->scaled_family ? json_real(s->scale) : NULL },
		{ "format", format }, { "help", js_text(s->help) });
}

static void describe_text(const char *spec, const struct plan_slot *s, const struct topo_pmu *p)
{
	const struct topo_term *alias = alias_of(p, s->event_name);

	printf("%s\n\n  %s\n\nexported as %s\n", spec, s->help, s->family);
	if (s->scaled_family)
		printf("and, times %.17g, as %s\n", s->scale, s->scaled_family);
	if (alias)
		printf("the kernel's terms: %s\n", alias->text);
	printf("terms of the PMU, and where their bits go:\n");
	for (unsigned i = 0; p && i < p->n_format; i++)
		printf("  %-20s %s\n", p->format[i].name, p->format[i].text);
	printf("counted by:\n");
}

static int show(const struct ctl *c, const char *spec, const struct plan *plan,
		const struct machine *m, bool describe)
{
	const struct plan_socket *socket = first_socket(plan);
	const struct plan_slot *s = socket->rounds[0].slots;
	const struct topo_pmu *p = topo_pmu_find(m->pmus, s->pmu);
	json_t *row = describe ? ctl_row_json(m, event_of(socket, 0)) : NULL;

	if (c->json)
		return ctl_json(describe ? describe_json(spec, s, p, row, places_json(plan)) :
				encode_json(c, spec, s, places_json(plan)));
	if (describe) {
		describe_text(spec, s, p);
		places_text(plan);
		ctl_row_print(row);
		return 0;
	}
	printf("%s, as %s\n", spec, s->family);
	places_text(plan);
	return 0;
}

int ctl_perf_show(const struct ctl *c, bool describe)
{
	AUTO_FREE(arena_free) struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = c->roots };
	AUTO_FREE(plan_free) struct plan *plan = NULL;
	const char *spec = c->args[0];
	int r = resolve(c, &m, &plan);
	struct spec meant;

	if (r == CTL_CONFIG && !c->machine && ctl_perf_names(c, spec) == -ENODEV)
		ctl_fail(0, "--machine NAME shows the event of another machine; see: uncorectl "
			 "list machines");
	if (r)
		return r;
	if (a && ctl_spec_meant(a, &(struct plan_input){ .processor = c->processor,
							 .topo = m.topo, .pmus = m.pmus },
				spec, &meant, NULL) == 0)
		spec = meant.text;
	return show(c, spec, plan, &m, describe);
}
