/* SPDX-License-Identifier: MIT
 * uncorectl plan: counters, rounds and every register write of a configuration.
 * Owns:  a plan as text and JSON.
 * Never: how a plan is made (planner/); one event's writes (cmd_encode.c).
 */
#include "ctl/ctl.h"

#include "machine/there.h"
#include "spec/resolve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct plan_perf *perf_of(const struct plan_socket *s, unsigned round,
				       const struct plan_slot *slot)
{
	return &s->perf->rounds[round].events[slot->engine_slot];
}

static json_t *slot_json(const struct plan_socket *s, unsigned round, const struct plan_group *g,
			 unsigned index)
{
	const struct plan_slot *slot = &s->rounds[round].slots[index];
	json_t *j = JS_OBJECT(
		{ "group", js_text(g->name) }, { "event", js_text(slot->event_name) },
		{ "umask", slot->box ? ctl_umasks(slot->selection) : json_array() },
		{ "box", js_text(slot->box_name) }, { "unit", json_integer(slot->unit) },
		{ "identity", js_text(slot->identity) },
		{ "exported", g->metrics_only ? json_false() : NULL },
		{ "port", slot->port >= 0 ? json_integer(slot->port) : NULL });

	if (slot->engine == PLAN_PERF)
		return JS_ADD(j,
			{ "perf", ctl_perf_json(perf_of(s, round, slot)) },
			{ "width", json_integer(slot->width) });
	const struct plan_reg_slot *r = &s->program->rounds[round].slots[slot->engine_slot];
	const struct plan_counter *c = &s->program->counters[r->counter];

	return JS_ADD(j,
		{ "counter", slot->counter < 0 ? js_text("fixed") : json_integer(slot->counter) },
		{ "control", js_hex(s->program->regs[c->ctl].reg.off) },
		{ "data", js_hex(r->data.off) }, { "width", json_integer(slot->width) },
		{ "max_increment", json_integer(slot->max_inc) },
		{ "max_increment_of",
		  js_text(cat_bound_of_box(slot->box, slot->max_inc) ? "box" : "event") },
		{ "safe_interval_seconds", json_real((double)slot->safe_interval / NSEC_PER_SEC) });
}

static json_t *lacking_json(const struct plan_socket *s, unsigned round)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < s->n_lacking; i++)
		for (unsigned g = 0; g < s->rounds[round].n_groups; g++)
			if (strcmp(s->groups[s->rounds[round].groups[g]].name,
				   s->lacking[i].group) == 0)
				json_array_append_new(list, JS_OBJECT(
					{ "metric", js_text(s->lacking[i].metric) },
					{ "event", js_text(s->lacking[i].event) },
					{ "group", js_text(s->lacking[i].group) }));
	return list;
}

/* Prints a metric once, even if it has a series for each of many units and ports. */
static void print_metric(const struct plan_socket *s, unsigned metric)
{
	const struct plan_metric *m = &s->metrics[metric];

	for (unsigned i = 0; i < metric; i++)
		if (s->metrics[i].row == m->row && s->metrics[i].round == m->round)
			return;
	printf("  metric %s from group%s", m->family, m->n_groups > 1 ? "s" : "");
	for (unsigned g = 0; g < m->n_groups; g++)
		printf("%s %s", g ? "," : "", s->groups[m->groups[g]].name);
	printf("\n");
}

static json_t *list_json(const struct plan_program *p, const struct plan_list *l, bool with_phase)
{
	return JS_LIST(i, l->n, ctl_write_json(p, &l->v[i], with_phase));
}

/* What is written after the start, and `then` (NULL: nothing) after it; a list that is empty is not
 * there. */
static json_t *list_if_any(const struct plan_program *p, const struct plan_list *l,
			   const struct plan_list *then)
{
	json_t *list = l->n || (then && then->n) ? list_json(p, l, false) : NULL;

	for (unsigned i = 0; then && i < then->n; i++)
		json_array_append_new(list, ctl_write_json(p, &then->v[i], false));
	return list;
}

static json_t *bits_json(const struct plan_bits *b, unsigned n)
{
	return JS_LIST(i, n, JS_ADD(ctl_reg_json(b[i].reg, b[i].name),
		{ "value", js_hex(b[i].bits) }, { "mask", js_hex(b[i].bits) }));
}

static void print_bits(const struct plan_bits *b, unsigned n, const char *title)
{
	if (n)
		fputs(title, stdout);
	for (unsigned i = 0; i < n; i++)
		printf("      %-10s %-36s 0x%" PRIx64 "\n", reg_text(b[i].reg).s, b[i].name,
		       b[i].bits);
}

/* title: a line before the list, unless that is empty. */
static void print_list(const struct plan_program *p, const struct plan_list *l, const char *title)
{
	if (l->n)
		fputs(title, stdout);
	for (unsigned i = 0; i < l->n; i++)
		ctl_print_write(p, &l->v[i], "      ", 36);
}

static json_t *window_json(const struct plan_socket *s, unsigned round)
{
	const struct plan_overflow_window *p = &s->rounds[round].overflow_window;
	const struct plan_reg_round *r = &s->program->rounds[round];

	return JS_OBJECT(
		{ "group", js_text(s->groups[p->group].name) },
		{ "event", js_text(s->rounds[round].slots[p->slot].identity) },
		{ "count", json_sprintf("%" PRIu64, p->count) },
		{ "clock", js_text(s->rounds[round].slots[p->clock].identity) },
		{ "status", bits_json(r->overflow.status, r->overflow.n_status) });
}

static void print_window(const struct plan_socket *s, unsigned round)
{
	const struct plan_overflow_window *p = &s->rounds[round].overflow_window;
	const struct plan_reg_round *r = &s->program->rounds[round];

	printf("    window of group %s: over after %" PRIu64 " counts of %s, when these bits are "
	       "set:\n", s->groups[p->group].name,
	       p->count, s->rounds[round].slots[p->slot].identity);
	print_bits(r->overflow.status, r->overflow.n_status, "");
	printf("    then all counters stand still; if they do not by themselves, by this write:\n");
	print_list(s->program, &r->overflow.freeze, "");
	printf("    they are read, %s tells how long the window was, and the next begins with:\n",
	       s->rounds[round].slots[p->clock].identity);
	print_list(s->program, &r->overflow.between, "");
	printf("    the overflow is also cleared before the first window and after the last one\n");
}

static json_t *round_json(const struct plan_socket *s, unsigned round)
{
	json_t *groups = json_array(), *slots = json_array();
	const struct plan_reg_round *r = &s->program->rounds[round];
	const struct plan_overflow *o = &r->overflow;

	for (unsigned i = 0; i < s->rounds[round].n_groups; i++) {
		const struct plan_group *g = &s->groups[s->rounds[round].groups[i]];

		json_array_append_new(groups, json_string(g->name));
		for (unsigned k = 0; k < g->n_slots; k++)
			json_array_append_new(slots, slot_json(s, round, g, g->slots[round][k]));
	}
	return JS_OBJECT(
		{ "groups", groups }, { "writes", list_json(s->program, &r->start, true) },
		{ "slots", slots }, { "metrics", ctl_metric_names(s, (int)round) },
		{ "metrics_lacking", lacking_json(s, round) },
		{ "window", s->rounds[round].overflow_window.count ? window_json(s, round) : NULL },
		{ "acknowledge", list_if_any(s->program, &o->acknowledge, NULL) },
		{ "between", list_if_any(s->program, &o->between, NULL) },
		{ "freeze", list_if_any(s->program, &r->freeze, &o->freeze) },
		{ "clear", r->n_clear ? bits_json(r->clear, r->n_clear) : NULL },
		{ "stop", list_if_any(s->program, &r->stop, &o->leave) },
		{ "restore", list_if_any(s->program, &s->program->restore, NULL) });
}

static json_t *socket_json(const struct plan_socket *s)
{
	return JS_OBJECT(
		{ "socket", json_integer(s->id) },
		{ "cpu", json_integer(s->n_cpus ? (json_int_t)s->cpus[0] : -1) },
		{ "rounds", JS_LIST(i, s->n_rounds, round_json(s, i)) });
}

/* why: the engine is not what the processor would allow; or NULL */
static int print_json(const struct plan *p, const struct machine_cpu *cpu, const char *why)
{
	json_t *notes = JS_LIST(i, p->n_notes, json_string(p->notes[i]));

	if (why)
		json_array_insert_new(notes, 0, json_string(why));
	return ctl_json(JS_OBJECT(
		{ "processor", js_text(cpu->name) },
		{ "model", cpu->model[0] ? js_text(cpu->model) : NULL },
		{ "sockets", JS_LIST(i, p->n_sockets, socket_json(&p->sockets[i])) },
		{ "notes", notes },
		{ "series", json_integer(p->n_series) }));
}

/* What a line shows once for several units. */
static const char *behind_unit(const struct plan_slot *slot)
{
	return strchrnul(slot->identity, '/');
}

/* Is b what a is, but of the next unit? Registers differ by unit; of perf, the line ends with the
 * die or device. */
static bool is_next_unit(const struct plan_socket *s, unsigned round, const struct plan_slot *a,
			 const struct plan_slot *b)
{
	if (strcmp(a->box_name, b->box_name) != 0 || a->engine != b->engine ||
	    strcmp(a->event_name, b->event_name) != 0 || b->unit != a->unit + 1)
		return false;
	if (a->engine == PLAN_PERF)
		return strcmp(behind_unit(a), behind_unit(b)) == 0 &&
		       memcmp(a->config, b->config, 3 * sizeof(*a->config)) == 0 &&
		       perf_of(s, round, a)->config == perf_of(s, round, b)->config &&
		       perf_of(s, round, a)->cpu == perf_of(s, round, b)->cpu;
	return spec_equal(a->selection, b->selection) && a->counter == b->counter;
}

/* Units first to last, which count the same, as one line: "cbox0-7/LLC_HITS:ALL". */
static void print_units(const struct plan_socket *s, unsigned round, const struct plan_slot *first,
			const struct plan_slot *last, bool verbose)
{
	struct arena *a = arena_new(CTL_SPEC_MAX, NULL);
	const char *units = a ? spec_units_text(a, first->box_name, first->unit, last->unit) : "";
	int left = verbose ? 52 : 44;

	left -= (int)strlen(units);
	printf("    %s%-*s ", units, left > 0 ? left : 0, behind_unit(first));
	arena_free(a);
	if (first->engine == PLAN_PERF) {
		const struct plan_perf *e = perf_of(s, round, first);

		printf("perf ");
		if (verbose)
			printf("type %u ", e->type);
		printf("config 0x%" PRIx64 " on CPU %d\n", e->config, e->cpu);
		return;
	}
	const struct plan_reg_slot *k = &s->program->rounds[round].slots[first->engine_slot];

	if (verbose)
		printf("%-20s data %-10s ", s->program->counters[k->counter].name,
		       reg_text(k->data).s);
	else if (first->counter < 0)
		printf("fixed counter  ");
	else
		printf("counter %-6d ", first->counter);
	printf("read at least every %lld s, at most %u%s\n",
	       (long long)(first->safe_interval / 2 / NSEC_PER_SEC), first->max_inc,
	       ctl_bound(first->box, first->max_inc));
}

static void print_slots(const struct plan_socket *s, unsigned round, bool verbose)
{
	const struct plan_slot *v = s->rounds[round].slots;
	unsigned n = s->rounds[round].n_slots;

	for (unsigned i = 0, last; i < n; i = last + 1) {
		last = i;
		while (!verbose && last + 1 < n && is_next_unit(s, round, &v[last], &v[last + 1]))
			last++;
		print_units(s, round, &v[i], &v[last], verbose);
	}
}

/* What is written: the start, an overflow window or a frozen read, the stop. */
static void print_writes(const struct plan_socket *s, unsigned round)
{
	const struct plan_reg_round *r = &s->program->rounds[round];
	const char *phase = "";

	for (unsigned i = 0; i < r->start.n; i++) {
		const struct plan_write *w = &r->start.v[i];

		if (strcmp(phase, plan_phase_name(w->phase)) != 0)
			printf("    %s:\n", phase = plan_phase_name(w->phase));
		ctl_print_write(s->program, w, "      ", 36);
	}
	if (s->rounds[round].overflow_window.count)
		print_window(s, round);
	else
		print_list(s->program, &r->freeze, "    around each read:\n");
	print_bits(r->clear, r->n_clear, "    at a check, the bits of counters that wrapped:\n");
	print_list(s->program, &r->stop, "    when it stops:\n");
	print_list(s->program, &r->overflow.leave, "");
}

static void print_round(const struct plan_socket *s, unsigned round, bool verbose)
{
	printf("  round %u:", round + 1);
	for (unsigned i = 0; i < s->rounds[round].n_groups; i++) {
		const struct plan_group *g = &s->groups[s->rounds[round].groups[i]];

		printf(" %s%s", g->name, g->metrics_only ? " (its metrics only)" : "");
	}
	putchar('\n');
	print_slots(s, round, verbose);
	if (verbose)
		print_writes(s, round);
}

static int print_text(const struct plan *p, const struct machine_cpu *cpu, const char *why,
		      bool verbose)
{
	printf("processor %s", cpu->name);
	if (cpu->model[0])
		printf(" (%s)", cpu->model);
	printf(", %u socket%s, %u series\n", p->n_sockets, p->n_sockets == 1 ? "" : "s",
	       p->n_series);
	if (why)
		printf("note: %s\n", why);
	for (unsigned i = 0; i < p->n_notes; i++)
		printf("note: %s\n", p->notes[i]);
	for (unsigned i = 0; i < p->n_sockets; i++) {
		const struct plan_socket *s = &p->sockets[i];

		printf("socket %u, read from CPU %u\n", s->id, s->n_cpus ? s->cpus[0] : 0);
		for (unsigned r = 0; r < s->n_rounds; r++)
			print_round(s, r, verbose);
		if (verbose)
			print_list(s->program, &s->program->restore,
				   "  at the end, where a register does not hold it:\n");
		for (unsigned m = 0; m < s->n_metrics; m++)
			print_metric(s, m);
		for (unsigned m = 0; m < s->n_lacking; m++)
			printf("  group %s would yield %s if it also counted %s\n",
			       s->lacking[m].group, s->lacking[m].metric, s->lacking[m].event);
	}
	return 0;
}

/* The machine as the daemon takes it; --processor asks for one that may be elsewhere. 0, or an exit
 * code after a sentence. */
static int open_machine(const struct ctl *c, const struct conf *conf, struct machine *m)
{
	const struct machine_options asked = { .roots = c->roots, .plan_only = true,
		.processor = c->processor_given ? c->processor->name : NULL,
		.sockets = c->sockets };
	struct err err = { "" };
	int r = machine_open(&asked, &conf->engine, m, &err);

	ctl_note_unusable(c, &m->pmus_err);
	if (r == -EINVAL && conf->engine.kind == CONF_MODEL)
		return ctl_fail(CTL_CONFIG, "%s:%u: engine: %s", conf->engine_where.file,
				conf->engine_where.line, err.text);
	if (r < 0)
		return ctl_fail(ctl_code(r, CTL_UNAVAILABLE), "%s", err.text);
	return 0;
}

/* No group is configured, and none is ready-made here. why: the registers are not used; or NULL */
static int count_nothing(const struct ctl *c, const char *why)
{
	char doctor[200] = "uncorectl doctor";
	struct err err;

	if (c->machine)
		snprintf(doctor, sizeof(doctor), "uncorectl doctor --machine %s", c->machine);
	err_set(&err, 0, "no group is configured, and this machine has no counters for the "
		"ready-made groups; %s says why", doctor);
	if (why)
		err_prefix(&err, 0, "%s; ", why);
	return ctl_fail(CTL_UNAVAILABLE, "uncored would count nothing here: %s", err.text);
}

static int show(const struct ctl *c, const struct conf *conf, const struct machine *m,
		const struct plan *plan)
{
	struct err nothing = { "" };
	const struct machine_cpu cpu = machine_cpu(m);
	const char *why = NULL;

	/* why the registers are not used although they are known: a user who may open the device
	 * gets another plan */
	if (m->automatic && m->processor && m->engine == CONF_PERF)
		why = m->why.text;
	if (!plan->n_series)
		return count_nothing(c, why);
	if (there_is_nothing(m, plan, !conf->groups_given && !c->machine, &nothing))
		return ctl_fail(CTL_UNAVAILABLE, "uncored would count nothing here: %s",
				nothing.text);
	if (c->json)
		return print_json(plan, &cpu, why);
	return print_text(plan, &cpu, why, c->verbose);
}

int ctl_plan(const struct ctl *c)
{
	AUTO_DONE(ctl_print_diags) struct diags d = { 0 };
	AUTO_FREE(conf_free) struct conf *conf = NULL;
	AUTO_DONE(machine_close) struct machine m = { 0 };
	AUTO_FREE(plan_free) struct plan *plan = NULL;
	int r = ctl_conf_read(c, &conf, &d);

	if (r < 0 || !conf)
		return ctl_code(r, CTL_CONFIG);
	ctl_print_diags(&d);
	r = open_machine(c, conf, &m);
	if (r)
		return r;
	r = machine_plan(&m, conf, time(NULL), &plan, &d);
	if (r < 0)
		return ctl_code(r, CTL_CONFIG);
	return show(c, conf, &m, plan);
}
