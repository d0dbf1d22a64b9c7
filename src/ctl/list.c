/* list.c - uncorectl list: what the catalog knows. */
#include "config.h"

#include "ctl/ctl.h"

#include <stdio.h>
#include <string.h>

static int list_processors(const struct ctl *c)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i}", "name", p->name, "title", p->title, "family",
						      p->ids[0].family, "model", p->ids[0].model));
		if (!c->json)
			printf("%-12s %s (family %u model %u)\n", p->name, p->title, p->ids[0].family, p->ids[0].model);
	}
	if (c->json)
		return ctl_json(json_pack("{s:o}", "processors", list));
	json_decref(list);
	return 0;
}

static int list_boxes(const struct ctl *c, const struct cat_processor *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < p->n_boxes; i++) {
		const struct cat_box *b = &p->boxes[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:b, s:i, s:i}", "name", b->name, "title", b->title,
						      "units", b->n_units, "counters", b->n_counters, "fixed", b->has_fixed,
						      "width", b->width, "events", cat_event_count(b)));
		if (!c->json)
			printf("%-6s %2u units, %2u counters%s of %u bits, %3u events: %s\n", b->name, b->n_units, b->n_counters,
			       b->has_fixed ? " and a fixed one" : "", b->width, cat_event_count(b), b->title);
	}
	if (c->json)
		return ctl_json(json_pack("{s:s, s:o}", "processor", p->name, "boxes", list));
	json_decref(list);
	return 0;
}

static json_t *event_json(const struct cat_box *b, const struct cat_event *e)
{
	json_t *umasks = json_array(), *j = json_object();

	for (unsigned k = 0; k < e->n_umasks; k++) {
		json_t *u = json_object();

		json_object_set_new(u, "name", json_string(e->umasks[k].name));
		if (e->umasks[k].help)
			json_object_set_new(u, "help", json_string(e->umasks[k].help));
		if (e->umasks[k].disputed)
			json_object_set_new(u, "disputed", json_string(e->umasks[k].disputed));
		json_array_append_new(umasks, u);
	}
	json_object_set_new(j, "box", json_string(b->name));
	json_object_set_new(j, "event", json_string(e->name));
	json_object_set_new(j, "umasks", umasks);
	json_object_set_new(j, "max_increment", json_integer(e->max_inc));
	json_object_set_new(j, "help", json_string(e->help));
	json_object_set_new(j, "source", json_string(e->source));
	if (e->disputed)
		json_object_set_new(j, "disputed", json_string(e->disputed));
	return j;
}

/* The processor's events and the kernel's; p NULL: only those. --processor asks for one that may be elsewhere. */
static int list_events(const struct ctl *c, const struct cat_processor *p)
{
	json_t *list = json_array(), *perf = json_array();
	unsigned n;

	for (unsigned i = 0; p && i < p->n_boxes; i++) {
		const struct cat_box *b = &p->boxes[i];

		for (const struct cat_event *e = cat_event_next(b, NULL); e; e = cat_event_next(b, e)) {

			if (c->json)
				json_array_append_new(list, event_json(&p->boxes[i], e));
			else
				printf("%s/%-34s %s\n", p->boxes[i].name, e->name, e->help);
		}
	}
	n = c->processor_given ? 0 : ctl_perf_list(c, c->json ? perf : NULL);
	if (c->json && (p || n))
		return ctl_json(json_pack("{s:s, s:o, s:o}", "processor", p ? p->name : "other", "events", list, "perf", perf));
	json_decref(list);
	json_decref(perf);
	return p || n || ctl_processor(c) ? 0 : CTL_USAGE;
}

static json_t *terms_json(const struct cat_term *t, unsigned most)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < most && t[i].spec; i++)
		json_array_append_new(list, json_pack("{s:s, s:f}", "event", t[i].spec, "weight", t[i].weight ? t[i].weight : 1.0));
	return list;
}

static json_t *metric_json(const struct cat_metric *m)
{
	json_t *j = json_object();

	json_object_set_new(j, "name", json_string(m->name));
	json_object_set_new(j, "per", json_string(m->per == CAT_PER_SOCKET ? "socket" : "unit"));
	json_object_set_new(j, "scale", json_real(m->scale != 0 ? m->scale : 1));
	json_object_set_new(j, "numerator", terms_json(m->num, CAT_TERMS));
	json_object_set_new(j, "denominator", terms_json(m->den, CAT_TERMS));
	if (m->cycles_of)
		json_object_set_new(j, "cycles_of", json_string(m->cycles_of));
	if (m->complement)
		json_object_set_new(j, "complement", json_true());
	if (m->clamp)
		json_object_set_new(j, "clamp", json_true());
	if (m->guard.num[0].spec)
		json_object_set_new(j, "guard", json_pack("{s:o, s:o, s:f}", "numerator",
							  terms_json(m->guard.num, COUNT(m->guard.num)), "denominator",
							  terms_json(m->guard.den, COUNT(m->guard.den)), "max", m->guard.max));
	if (m->link)
		json_object_set_new(j, "link", json_string(m->link));
	json_object_set_new(j, "help", json_string(m->help));
	json_object_set_new(j, "source", json_string(m->source));
	return j;
}

static int list_metrics(const struct ctl *c, const struct cat_processor *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < p->n_metrics; i++) {
		const struct cat_metric *m = &p->metrics[i];

		if (c->json)
			json_array_append_new(list, metric_json(m));
		else
			printf("%-36s %-4s %s\n", m->name, m->link ? m->link : "", m->help);
	}
	if (c->json)
		return ctl_json(json_pack("{s:s, s:o}", "processor", p->name, "metrics", list));
	json_decref(list);
	return 0;
}

int ctl_list(const struct ctl *c)
{
	const struct cat_processor *p;

	if (strcmp(c->args[0], "processors") == 0)
		return list_processors(c);
	if (strcmp(c->args[0], "boxes") != 0 && strcmp(c->args[0], "events") != 0 && strcmp(c->args[0], "metrics") != 0)
		return ctl_fail(CTL_USAGE, "list what? processors, boxes, events or metrics, not '%s'", c->args[0]);
	if (c->args[0][0] == 'e')
		return list_events(c, c->processor);
	p = ctl_processor(c);
	if (!p)
		return CTL_USAGE;
	return c->args[0][0] == 'b' ? list_boxes(c, p) : list_metrics(c, p);
}
