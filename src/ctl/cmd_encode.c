/* SPDX-License-Identifier: MIT
 * uncorectl encode: the register writes of one event; for perf events see list_kernel.c. */
#include "ctl/ctl.h"

#include <stdio.h>
#include <string.h>

/* Box and global enables belong to the plan of a whole configuration. */
static bool of_event(const struct plan_write *w)
{
	return w->phase <= PHASE_ENABLE_COUNTER;
}

static int print_text(const struct plan_slot *s, const struct plan_reg_slot *r,
		      const struct plan_counter *c, const struct plan_program *p)
{
	const struct plan_list *start = &p->rounds[0].start;

	printf("%s\n  counter %s, control %s, data %s, %u bits, at most %u%s\n", s->identity,
	       c->name, reg_text(p->regs[c->ctl].reg).s, reg_text(r->data).s, s->width, s->max_inc,
	       ctl_bound(s->box, s->max_inc));
	for (unsigned i = 0; i < start->n; i++)
		if (of_event(&start->v[i]))
			ctl_print_write(p, &start->v[i], "  write ", 34);
	return 0;
}

static int print_json(const struct cat_processor *cpu, const struct plan_slot *s,
		      const struct plan_reg_slot *r,
		      const struct plan_counter *c, const struct plan_program *p)
{
	const struct plan_write *w = p->rounds[0].start.v;
	json_t *writes = JS_LIST(i, p->rounds[0].start.n,
				 of_event(&w[i]) ? ctl_write_json(p, &w[i], false) : NULL);

	return ctl_json(JS_OBJECT(
		{ "processor", js_text(cpu->name) }, { "box", js_text(s->box->name) },
		{ "unit", json_integer(s->unit) },
		{ "counter", s->counter < 0 ? js_text("fixed") : json_integer(s->counter) },
		{ "event", js_text(s->event_name) }, { "umask", ctl_umasks(s->selection) },
		{ "control", js_hex(p->regs[c->ctl].reg.off) }, { "data", js_hex(r->data.off) },
		{ "width", json_integer(s->width) }, { "writes", writes }));
}

/* The row alone has an encoding, but no configuration may use it so. */
static void note_open_filters(const struct cat_selection *c)
{
	const struct cat_selector *r = c->event->selector;

	for (unsigned i = 0; r && i < r->n_keys; i++)
		if (r->keys[i].required && !(c->key_given & BIT(i)) &&
		    cat_key_applies(c, &r->keys[i]))
			fprintf(stderr, "uncorectl: note: a configuration must give '%s', "
				"which is 0 here; %s=...: %s\n",
				r->keys[i].name, r->keys[i].name, r->keys[i].help);
}

/* The specification of a series of /metrics, of the arena; else what was typed. */
static const char *spec_of(const struct ctl *c, struct arena *a)
{
	const char *text = c->args[0], *instead, *help;

	if (strchr(text, '/'))
		return text;
	instead = ctl_of_series(c, a, text, &help);
	return strchr(instead, '/') ? instead : text;
}

/* Does it read as an event of a box? */
static bool is_of_box(const char *text)
{
	AUTO_FREE(arena_free) struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	struct spec s = { .text = NULL };

	return a && spec_parse_name(a, text, &s, NULL) == 0 && s.box;
}

static int encode(const struct ctl *c)
{
	const struct cat_processor *p;
	const struct plan_slot *s;
	const struct plan_program *program;
	const struct plan_reg_slot *r;
	const struct plan_counter *counter;
	char spec[640];
	struct plan *plan;
	struct topo *topo;
	int by_numbers, rc;

	/* without registers a word alone can be nothing else, and what is amiss is said there */
	if (ctl_perf_names(c, c->args[0]) || (!c->processor && !is_of_box(c->args[0])))
		return ctl_perf_show(c, false);
	p = ctl_processor(c);
	if (!p)
		return CTL_USAGE;
	if (snprintf(spec, sizeof(spec), "%s", c->args[0]) >= 512)
		return ctl_fail(CTL_USAGE, "that is too long for a specification");
	by_numbers = *spec && spec[strlen(spec) - 1] == '/';    /* keys are before the slash */
	if (c->counter >= 0)
		snprintf(spec, sizeof(spec), "%.*s,counter=%d%s", (int)strlen(spec) - by_numbers,
			 c->args[0], c->counter, by_numbers ? "/" : "");
	topo = machine_model_topo(p, 1);
	if (!topo)
		return ctl_fail(CTL_TEMPORARY, "out of memory");
	plan = ctl_plan_spec(&(struct plan_input){ .processor = p, .topo = topo,
						   .filters_optional = true }, spec);
	topo_free(topo);
	if (!plan)
		return CTL_CONFIG;
	s = &plan->sockets[0].rounds[0].slots[0];
	note_open_filters(s->selection);
	program = plan->sockets[0].program;
	r = &program->rounds[0].slots[s->engine_slot];
	counter = &program->counters[r->counter];
	rc = c->json ? print_json(p, s, r, counter, program) : print_text(s, r, counter, program);
	plan_free(plan);
	return rc;
}

int ctl_encode(const struct ctl *c)
{
	struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	struct ctl of = *c;
	int r;

	of.args = (char *[]){ (char *)(a ? spec_of(c, a) : c->args[0]) };
	r = encode(&of);
	arena_free(a);
	return r;
}
