/* SPDX-License-Identifier: MIT
 * What the commands share: processor and kernel, specifications, JSON shapes.
 *
 * Owns:  what more than one command says or asks.
 * Never: a command; it calls no other file of the room but fail.c.
 */
#include "ctl/ctl.h"

#include "machine/curve.h"
#include "spec/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct cat_processor *ctl_processor(const struct ctl *c)
{
	if (!c->processor && !c->unread.text[0])
		ctl_fail(CTL_USAGE, "uncored does not know this processor's registers; name "
			 "another with --processor (see: uncorectl list processors)");
	return c->processor;
}

const struct cat_processor *ctl_registers(const struct ctl *c)
{
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = c->roots };

	if (!c->processor || c->processor_given)
		return c->processor;
	return machine_read(&m, NULL) == 0 && m.driver ? NULL : c->processor;
}

void ctl_note_registers(const struct ctl *c, const char *list_name)
{
	if (c->processor && !c->json && !ctl_registers(c))
		fprintf(stderr, "uncorectl: the kernel's driver counts here; what is counted "
			"through registers without it: uncorectl list %s -p %s\n", list_name,
			c->processor->name);
}

const char *ctl_processor_name(const struct ctl *c)
{
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = c->roots };

	if (c->processor)
		return c->processor->name;
	return machine_read(&m, NULL) < 0 ? "other" : machine_cpu(&m).name;
}

json_t *ctl_model_json(const struct machine *m)
{
	char text[MACHINE_MODEL];

	return js_text(machine_model_text(m, text));
}

void ctl_each_predefined(const struct ctl *c,
			 void (*each)(void *p, const struct plan_predefined *r), void *p)
{
	struct machine m = { .asked.roots = c->roots };

	if (!c->processor_given && machine_read(&m, NULL) == 0 && m.pmus) {
		AUTO_FREE(curve_knees_free) struct curve_knees *knees =
			curve_knees_new(&m, time(NULL));

		plan_predefined_each(m.topo, m.pmus, curve_knees_of(knees), each, p);
	}
	machine_close(&m);
}

const char *ctl_text(json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

void ctl_add_once(json_t *list, const char *text)
{
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
		if (strcmp(json_string_value(j), text) == 0)
			return;
	json_array_append_new(list, js_text(text));
}

int ctl_json(json_t *j)
{
	size_t n = 0;
	AUTO_FREE(free) char *text = js_body(j, 2, &n);

	if (!text)
		return ctl_fail(CTL_TEMPORARY, "out of memory");
	return fwrite(text, 1, n, stdout) == n ? 0 : CTL_INTERNAL;
}

const char *ctl_bound(const struct cat_box *b, unsigned max_inc)
{
	return cat_bound_of_box(b, max_inc) ? " per cycle (the box's maximum)" : " per cycle";
}

/* Does the write own only a part of its register? */
static bool is_shared(const struct plan_write *w)
{
	return (w->mask & UINT32_MAX) != UINT32_MAX;
}

json_t *ctl_umasks(const struct cat_selection *c)
{
	return JS_LIST(i, c->event->n_umasks,
		       c->umasks & BIT(i) ? js_text(c->event->umasks[i].name) : NULL);
}

json_t *ctl_reg_json(struct reg r, const char *name)
{
	bool pci = r.space == SPACE_PCI;

	return JS_OBJECT(
		{ "space", js_text(pci ? "pci" : "msr") },
		{ "device", pci ? json_integer(r.dev) : NULL },
		{ "function", pci ? json_integer(r.fn) : NULL },
		{ pci ? "offset" : "address", js_hex(r.off) }, { "register", js_text(name) });
}

json_t *ctl_write_json(const struct plan_program *p, const struct plan_write *w, bool with_phase)
{
	return JS_ADD(ctl_reg_json(p->regs[w->reg].reg, p->regs[w->reg].name),
		{ "value", w->found != w->mask ? js_hex(w->value) : NULL },
		{ "mask", is_shared(w) || w->found ? js_hex(w->mask) : NULL },
		{ "found", w->found && w->found != w->mask ? js_hex(w->found) : NULL },
		{ "phase", with_phase ? js_text(plan_phase_name(w->phase)) : NULL });
}

json_t *ctl_perf_json(const struct plan_perf *e)
{
	return JS_OBJECT(
		{ "pmu", js_text(e->pmu) }, { "type", json_integer(e->type) },
		{ "config", js_hex(e->config) }, { "config1", js_hex(e->config1) },
		{ "config2", js_hex(e->config2) }, { "cpu", json_integer(e->cpu) });
}

void ctl_print_write(const struct plan_program *p, const struct plan_write *w, const char *indent,
		     int width)
{
	printf("%s%-10s %-*s ", indent, reg_text(p->regs[w->reg].reg).s, width,
	       p->regs[w->reg].name);
	if (w->found == w->mask)
		printf("what was found");
	else
		printf("0x%" PRIx64, w->value);
	if (is_shared(w) && p->regs[w->reg].kind != REG_ACKNOWLEDGE)
		printf(" in bits 0x%" PRIx64, w->mask);
	if (w->found && w->found != w->mask)
		printf(", of which 0x%" PRIx64 " get what was found", w->found);
	putchar('\n');
}

void ctl_print_diags(struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		fprintf(stderr, "uncorectl: %s\n", d->v[i]);
	diags_done(d);
}

json_t *ctl_metric_names(const struct plan_socket *s, int round)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < s->n_metrics; i++) {
		bool known = round >= 0 && s->metrics[i].round != (unsigned)round;

		for (unsigned k = 0; k < json_array_size(list) && !known; k++)
			known = strcmp(json_string_value(json_array_get(list, k)),
				       s->metrics[i].name) == 0;
		if (!known)
			json_array_append_new(list, json_string(s->metrics[i].name));
	}
	return list;
}

struct conf *ctl_conf_of(struct conf_group *group)
{
	struct conf *conf = conf_default();

	if (!conf)
		return NULL;
	group->resolution = conf->resolution;
	conf->groups = group;
	conf->n_groups = 1;
	conf->groups_given = true;
	return conf;
}

struct meant {
	struct arena *a;
	const struct plan_input *on;
	const char *text;
	struct spec *ret;
	struct err *err;
	int r;
};

static void find_meant(void *p)
{
	struct meant *q = p;
	const struct plan_input *on = q->on;
	struct spec_machine m = spec_machine(on->processor, on->topo, on->topo, on->pmus);
	struct spec s;

	m.perf_engine = on->perf_engine;
	q->r = spec_parse_name(q->a, q->text, &s, q->err);
	if (q->r == 0)
		q->r = spec_of_name(q->a, &m, &s, q->ret, q->err);
}

int ctl_spec_meant(struct arena *a, const struct plan_input *on, const char *text,
		   struct spec *ret, struct err *err)
{
	struct meant q = { a, on, text, ret, err, 0 };

	return arena_try(a, find_meant, &q) ? q.r : err_set(err, -ENOMEM, "out of memory");
}

struct plan *ctl_plan_spec(const struct plan_input *on, const char *spec)
{
	struct spec s;
	struct conf_group group = { .name = (char *)"encode", .specs = &s, .n_specs = 1 };
	struct conf *conf = ctl_conf_of(&group);
	struct plan_input in = *on;
	struct plan *plan = NULL;
	struct diags d = { 0 };
	struct err err = { "out of memory" };

	if (!conf || ctl_spec_meant(conf->arena, on, spec, &s, &err) < 0) {
		fprintf(stderr, "uncorectl: %s\n", err.text);
	} else {
		if (s.unit < 0 && !s.perf)
			s.unit = s.last = 0;    /* encode: no unit number means unit 0 */
		in.conf = conf;
		plan_build(&in, &plan, &d);
		if (plan && !s.perf && s.last > s.unit) {       /* all are right: the first */
			plan_free(plan);
			plan = NULL;
			s.last = s.unit;
			plan_build(&in, &plan, &d);
		}
		ctl_print_diags(&d);
	}
	conf_free(conf);
	return plan;
}

int ctl_conf_read(const struct ctl *c, struct conf **ret, struct diags *d)
{
	const char *path = c->config ? c->config : UNCORED_DEFAULT_CONFIG;
	struct err err = { "" };
	char *text;
	size_t n;
	int r = conf_file_read(path, &text, &n, &err);

	*ret = NULL;
	if (r == -ENOENT && !c->config) {
		*ret = conf_default();
		return 0;
	}
	if (r < 0) {
		diags_add(d, (struct where){ NULL, 0 }, "%s", err.text);
		return r;
	}
	r = conf_parse_apart(path, text, n, ret, d);
	free(text);
	return r == -EINVAL ? 0 : r;
}

/* A name without its box may mean several events. */
static void note_others(const struct cat_processor *p, const struct cat_box *found,
			const char *event)
{
	for (unsigned i = 0; i < p->n_boxes; i++)
		if (p->boxes[i] != found && cat_event_by_name(p->boxes[i], event))
			fprintf(stderr, "uncorectl: note: there is %s/%s too\n", p->boxes[i]->name,
				cat_event_by_name(p->boxes[i], event)->name);
}

/* 0, or CTL_CONFIG after a sentence. */
static int check_names(const struct cat_box *b, const struct cat_event *e, const struct spec *s)
{
	if (s->last >= b->n_units)
		return ctl_fail(CTL_CONFIG, "%s has no unit %d: 0 to %u", b->name, s->last,
				b->n_units - 1);
	for (unsigned i = 0; i < s->n_umasks; i++)
		if (cat_umask_by_name(e, s->umasks[i]) < 0)
			return ctl_fail(CTL_CONFIG, "%s/%s has no unit mask '%s'; see: uncorectl "
					"describe %s/%s", b->name, e->name, s->umasks[i], b->name,
					e->name);
	return 0;
}

int ctl_find_event(const struct cat_processor *p, const char *text, const struct cat_box **ret_box,
		   const struct cat_event **ret_event)
{
	struct arena *a = arena_new(CTL_SPEC_MAX, NULL);
	const struct cat_event *e = NULL;
	const struct cat_box *b = NULL;
	struct spec s;
	int r = -ENOENT;

	if (a && spec_parse_name(a, text, &s, NULL) == 0)
		while (!e && (b = cat_box_next(p, b)))
			if (!s.box || cat_box_by_name(p, s.box) == b)
				e = cat_event_by_name(b, s.event);
	if (e) {
		*ret_box = b;
		*ret_event = e;
		if (!s.box)
			note_others(p, b, s.event);
		r = check_names(b, e, &s);
	}
	arena_free(a);
	return r;
}
