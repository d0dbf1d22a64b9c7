/* perf.c - what list, describe and encode say of the kernel's events on this machine: perf/PMU/TERMS/.
 *
 * Owns:  the kernel's PMUs as a person and a program read them.
 * Never: how terms become numbers (plan/).
 */
#include "config.h"

#include "ctl/ctl.h"

#include "expo/catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct topo_pmus *ctl_pmus(const struct ctl *c)
{
	struct topo_pmus *pmus = NULL;
	struct err odd = { "" };

	topo_pmus_read(c->sysfs, &pmus, &odd);
	if (odd.text[0] && !c->processor_given)
		fprintf(stderr, "uncorectl: note: not all PMUs and events of the kernel can be used: %s\n", odd.text);
	return pmus;
}

bool ctl_perf_names(const char *spec)
{
	return strncasecmp(spec, "perf/", 5) == 0;
}

/* ------------------------------------------------------------------ list */

static void print_event(void *p, const struct plan_kernel_event *e)
{
	const struct topo_term *t = e->term;
	bool scaled = t->unit && t->scale;

	++*(unsigned *)p;
	printf("%-52s %s%s%s%s%s\n", e->spec, t->text, scaled ? ", one count is " : "", scaled ? t->scale : "", scaled ? " " : "",
	       scaled ? t->unit : "");
}

static void print_pfm(void *p, const char *spec, const char *help)
{
	++*(unsigned *)p;
	printf("%-52s %s\n", spec, help);
}

static void list_pfm(void *p, const char *spec, const char *help)
{
	json_array_append_new(p, json_pack("{s:s, s:s}", "spec", spec, "help", help));
}

unsigned ctl_perf_list(const struct ctl *c, json_t *events)
{
	bool here = strcmp(c->sysfs, "/sys") == 0;      /* libpfm4 looks at the processor that it runs on */
	struct topo_pmus *pmus = ctl_pmus(c);
	unsigned n = 0;

	if (!pmus)
		return 0;
	if (events) {
		catalog_add_kernel_events(events, pmus);
		if (here)
			plan_pfm_events(pmus, list_pfm, events);
		n = (unsigned)json_array_size(events);
	} else {
		plan_kernel_events(pmus, print_event, &n);
		if (here)
			plan_pfm_events(pmus, print_pfm, &n);
	}
	topo_pmus_free(pmus);
	return n;
}

/* ------------------------------------------------------------------ one specification on this machine */

struct machine {
	struct topo *topo;
	struct topo_pmus *pmus;
	struct plan *plan;
};

static void machine_done(struct machine *m)
{
	plan_free(m->plan);
	topo_pmus_free(m->pmus);
	topo_free(m->topo);
}

static int plan_on(const struct ctl *c, struct conf *conf, const char *spec, struct machine *m)
{
	struct plan_input in = { .conf = conf, .processor = c->processor, .topo = m->topo, .pmus = m->pmus };
	struct conf_spec s;
	struct conf_group group = { .name = (char *)"encode", .specs = &s, .n_specs = 1, .resolution = conf->resolution };
	struct diags d = { 0 };
	struct err err;
	int r;

	if (conf_spec_parse(conf->arena, spec, &s, &err) < 0)
		return ctl_fail(CTL_CONFIG, "%s", err.text);
	conf->groups = &group;
	conf->n_groups = 1;
	conf->groups_given = true;
	r = plan_build(&in, &m->plan, &d);
	for (size_t i = 0; r < 0 && i < d.n; i++)
		ctl_fail(CTL_CONFIG, "%s", d.v[i]);
	diags_done(&d);
	return r < 0 ? CTL_CONFIG : 0;
}

/* 0, or an exit code after a sentence. */
static int resolve(const struct ctl *c, const char *spec, struct machine *m)
{
	struct conf *conf;
	struct err err = { "" };
	int r;

	*m = (struct machine){ 0 };
	r = topo_read(c->sysfs, c->procfs, NULL, &m->topo, &err);
	if (r == 0)
		r = topo_pmus_read(c->sysfs, &m->pmus, &err);
	if (r < 0)
		return ctl_fail(CTL_INTERNAL, "%s", err.text);
	conf = conf_default();
	r = conf ? plan_on(c, conf, spec, m) : ctl_fail(CTL_INTERNAL, "out of memory");
	conf_free(conf);
	return r;
}

static const struct plan_perf *event_of(const struct plan_socket *s, unsigned slot)
{
	return &s->perf.rounds[0].events[s->rounds[0].slots[slot].engine_slot];
}

static json_t *places_json(const struct plan *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned k = 0; k < p->sockets[i].rounds[0].n_slots; k++) {
			json_t *j = ctl_perf_json(event_of(&p->sockets[i], k));

			json_object_set_new(j, "socket", json_integer(p->sockets[i].id));
			json_object_set_new(j, "unit", json_integer(p->sockets[i].rounds[0].slots[k].unit));
			json_array_append_new(list, j);
		}
	return list;
}

static void places_text(const struct plan *p)
{
	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned k = 0; k < p->sockets[i].rounds[0].n_slots; k++) {
			const struct plan_perf *e = event_of(&p->sockets[i], k);

			printf("  socket %u unit %u: PMU %s type %u on CPU %d, config 0x%" PRIx64 " config1 0x%" PRIx64 " config2 0x%"
			       PRIx64 "\n", p->sockets[i].id, p->sockets[i].rounds[0].slots[k].unit, e->pmu, e->type, e->cpu,
			       e->config, e->config1, e->config2);
		}
}

/* The first slot of any socket; every specification that a plan accepts has one. */
static const struct plan_slot *first_slot(const struct plan *p)
{
	for (unsigned i = 0; i < p->n_sockets; i++)
		if (p->sockets[i].rounds[0].n_slots)
			return &p->sockets[i].rounds[0].slots[0];
	return NULL;
}

int ctl_perf_encode(const struct ctl *c)
{
	struct machine m;
	int r = resolve(c, c->args[0], &m);
	const struct plan_slot *s = r ? NULL : first_slot(m.plan);

	if (s && c->json) {
		r = ctl_json(json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "processor", c->processor ? c->processor->name : "other",
				       "box", s->box_name, "event", s->event_name, "spec", c->args[0], "family", s->family,
				       "perf", places_json(m.plan)));
	} else if (s) {
		printf("%s, as %s\n", c->args[0], s->family);
		places_text(m.plan);
	}
	machine_done(&m);
	return r;
}

/* ------------------------------------------------------------------ describe */

static const struct topo_term *alias_of(const struct topo_pmu *p, const char *name)
{
	for (unsigned i = 0; i < p->n_events; i++)
		if (strcasecmp(p->events[i].name, name) == 0)
			return &p->events[i];
	return NULL;
}

static json_t *describe_json(const char *spec, const struct plan_slot *s, const struct topo_pmu *p, const struct topo_term *alias,
			     json_t *places)
{
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s*, s:o}", "spec", spec, "box", s->box_name, "event", s->event_name, "family",
			      s->family, "scaled_family", s->scaled_family, "perf", places), *format = json_object();

	for (unsigned i = 0; p && i < p->n_format; i++)
		json_object_set_new(format, p->format[i].name, json_string(p->format[i].text));
	if (alias)
		json_object_set_new(j, "terms", json_string(alias->text));
	if (s->scaled_family)
		json_object_set_new(j, "scale", json_real(s->scale));
	json_object_set_new(j, "format", format);
	json_object_set_new(j, "help", json_string(s->help));
	return j;
}

static void describe_text(const char *spec, const struct plan_slot *s, const struct topo_pmu *p, const struct topo_term *alias)
{
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

int ctl_perf_describe(const struct ctl *c)
{
	const char *spec = c->args[0];
	struct machine m;
	int r = resolve(c, spec, &m);
	const struct plan_slot *s = r ? NULL : first_slot(m.plan);
	const struct topo_pmu *p = NULL;

	for (unsigned i = 0; s && i < m.pmus->n; i++)
		if (m.pmus->v[i].type == s->pmu_type)
			p = &m.pmus->v[i];
	if (s && c->json) {
		r = ctl_json(describe_json(spec, s, p, p ? alias_of(p, s->event_name) : NULL, places_json(m.plan)));
	} else if (s) {
		describe_text(spec, s, p, p ? alias_of(p, s->event_name) : NULL);
		places_text(m.plan);
	}
	machine_done(&m);
	return r;
}
