/* SPDX-License-Identifier: MIT
 * What list, describe and encode say of the kernel's events on this machine: perf/PMU/TERMS/.
 * Owns:  the kernel's PMUs as a person and a program read them.
 * Never: how terms become numbers (planner/).
 */
#include "ctl/ctl.h"

#include "expo/catalog_json.h"

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

bool ctl_perf_names(const char *spec)
{
	struct arena *a = arena_new(CTL_SPEC_MAX, NULL);
	struct spec s;
	bool is = strncasecmp(spec, "perf/", 5) == 0 ||
		  (a && spec_parse(a, spec, &s, NULL) == 0 && s.perf);

	arena_free(a);
	return is;
}

static void list_pfm(void *p, const char *spec, const char *help)
{
	json_array_append_new(p, JS_OBJECT({ "spec", js_text(spec) }, { "help", js_text(help) }));
}

json_t *ctl_perf_list(const struct ctl *c)
{
	bool here = strcmp(c->roots.sysfs, "/sys") == 0;      /* libpfm4 looks at the processor that
	                                                       * it runs on */
	struct machine m = { .asked.roots = c->roots };
	json_t *events = json_array();

	machine_read(&m, NULL);
	ctl_note_unusable(c, &m.pmus_err);
	if (m.pmus) {
		catalog_add_kernel_events(events, m.pmus);
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
	bool scaled = unit && scale;

	printf("%-52s %s%s%s%s%s\n", ctl_text(e, "spec"), help ? help : ctl_text(e, "terms"),
	       scaled ? ", one count is " : "", scaled ? scale : "", scaled ? " " : "",
	       scaled ? unit : "");
}

/* ------------------------------------------------------------------ one specification on this
 * machine */

/* The machine, which is to be closed in any case, and a plan of the specification alone. 0, or an
 * exit code after a sentence. */
static int resolve(const struct ctl *c, struct machine *m, struct plan **ret)
{
	struct err err = { "" };

	if (machine_read(m, &err) < 0)
		return ctl_fail(CTL_UNAVAILABLE, "%s", err.text);
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

/* The first slot of any socket; every specification that a plan accepts has one. */
static const struct plan_slot *first_slot(const struct plan *p)
{
	const struct plan_socket *s = p->sockets;

	while (!s->rounds[0].n_slots)
		s++;
	return s->rounds[0].slots;
}

static json_t *encode_json(const struct ctl *c, const struct plan_slot *s, json_t *places)
{
	return JS_OBJECT(
		{ "processor", js_text(ctl_processor_name(c)) },
		{ "box", js_text(s->box_name) }, { "event", js_text(s->event_name) },
		{ "spec", js_text(c->args[0]) }, { "family", js_text(s->family) },
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
			     json_t *places)
{
	const struct topo_term *alias = alias_of(p, s->event_name);
	json_t *format = json_object();

	for (unsigned i = 0; p && i < p->n_format; i++)
		json_object_set_new(format, p->format[i].name, js_text(p->format[i].text));
	return JS_OBJECT(
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

static int show(const struct ctl *c, const struct plan *plan, const struct topo_pmus *pmus,
		bool describe)
{
	const struct plan_slot *s = first_slot(plan);
	const struct topo_pmu *p = NULL;

	for (unsigned i = 0; i < pmus->n; i++)
		if (strcmp(pmus->v[i].name, s->pmu) == 0)
			p = &pmus->v[i];
	if (c->json)
		return ctl_json(describe ? describe_json(c->args[0], s, p, places_json(plan)) :
				encode_json(c, s, places_json(plan)));
	if (describe)
		describe_text(c->args[0], s, p);
	else
		printf("%s, as %s\n", c->args[0], s->family);
	places_text(plan);
	return 0;
}

int ctl_perf_show(const struct ctl *c, bool describe)
{
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = c->roots };
	AUTO_FREE(plan_free) struct plan *plan = NULL;
	int r = resolve(c, &m, &plan);

	return r ? r : show(c, plan, m.pmus, describe);
}
