/* SPDX-License-Identifier: MIT
 * A configuration file the whole way: file, conf, plan, register program or perf
 * attributes, description, text.
 * Each input is planned for every processor of the catalog, with the PMUs of one of three machines
 * beside its registers, and for each of these machines through perf alone. What is refused has a
 * reason; what is accepted can be executed and shown.
 */
#include "fuzz.h"

#include "../plan/sysfs_tree.h"
#include "../unit/conf_parse.h"

#include "base/bits.h"
#include "derive/derive.h"
#include "expo/expo.h"
#include "planner/plan_build.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const trees[] = { "ivt.txt", "skx.txt", "zen4.txt" };
static struct {
	struct topo *topo;
	struct topo_pmus *pmus;
} machines[COUNT(trees)];

static void require(int ok)
{
	if (!ok)
		abort();
}

static void open_machines(void)
{
	struct sysfs_tree t;

	for (size_t i = 0; i < COUNT(trees) && !machines[i].topo; i++) {
		tree_make(&t, trees[i]);
		machines[i].topo = tree_topo(&t);
		machines[i].pmus = tree_pmus(&t);
		tree_drop(&t);
	}
}

/* ------------------------------------------------------------------ what is executed */

/* A list writes what the table owns, and within the register. */
static void check_list(const struct plan_program *p, const struct plan_list *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		const struct plan_write *w = &l->v[i];
		const struct plan_reg *r = &p->regs[w->reg];

		require(w->reg < p->n_regs && r->name && r->kind < REG_OTHERS &&
			!(w->mask & ~r->mask));
		require(!((w->value | w->found) & ~w->mask) && !(w->value & w->found));
		require(r->reg.bytes == 8 || (r->reg.bytes == 4 && !(w->value >> 32)));
	}
}

static void check_writes(const struct plan_program *p, const struct plan_reg_round *r)
{
	check_list(p, &r->start);
	for (unsigned i = 0; i < r->start.n; i++) {
		const struct plan_write *w = &r->start.v[i];

		require(!i || w->phase >= w[-1].phase);
		if (w->phase == PHASE_ENABLE_COUNTER)
			require(p->regs[w->reg].counter < p->n_counters &&
				p->counters[p->regs[w->reg].counter].ctl == w->reg);
		for (unsigned k = 0; k < i; k++)
			require(r->start.v[k].phase != w->phase || r->start.v[k].reg != w->reg);
	}
	check_list(p, &r->freeze);
	check_list(p, &r->overflow.freeze);
	check_list(p, &r->stop);
	check_list(p, &r->overflow.between);
	check_list(p, &r->overflow.leave);
}

static void check_registers(const struct plan_program *p, const struct plan_round *round,
			    const struct plan_reg_round *r)
{
	require(r->n_slots == round->n_reg);
	check_writes(p, r);
	for (unsigned i = 0; i < r->n_slots; i++) {
		const struct plan_reg_slot *s = &r->slots[i];

		require(s->counter < p->n_counters &&
			reg_equal(p->counters[s->counter].data, s->data) && s->n_dep > 0);
		for (unsigned k = 0; k < s->n_dep; k++)
			require(s->dep[k].write < r->start.n &&
				!(s->dep[k].bits & ~r->start.v[s->dep[k].write].mask));
		for (unsigned k = 0; k < i; k++)
			require(!reg_equal(r->slots[k].data, s->data));
	}
	require(!r->overflow.n_status == !round->overflow_window.count &&
		(!r->overflow.n_status || r->overflow.slot < r->n_slots));
}

static void check_events(const struct plan_perf_program *p, const struct plan_round *round,
			 const struct plan_perf_round *r)
{
	require(r->n_events == round->n_perf);
	for (unsigned i = 0; i < r->n_events; i++) {
		const struct plan_perf *e = &r->events[i];
		bool here = false;

		for (unsigned k = 0; k < p->n_cpus; k++)
			here |= (int)p->cpus[k] == e->cpu;
		require(here && e->mask < (int)p->n_masks && e->perf_group <= i && e->pmu[0]);
		require(r->events[e->perf_group].type == e->type &&
			r->events[e->perf_group].cpu == e->cpu);
	}
}

/* ------------------------------------------------------------------ what is shown */

static void check_sum(const struct plan_round *r, const struct plan_addend *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		require(v[i].slot >= -2 && v[i].slot < (int)r->n_slots && isfinite(v[i].weight));
}

static void check_metric(const struct plan_socket *s, const struct plan_metric *m)
{
	const struct plan_round *r = &s->rounds[m->round];

	require(m->n_groups > 0 && m->groups[0] < s->n_groups && m->round < s->n_rounds);
	require(m->name && m->family && m->help && m->unit &&
		isfinite(m->scale));
	require(m->num.n > 0 && m->counter == !m->den.n && m->clock.n <= 1);
	for (unsigned i = 0; i < COUNT(m->sums); i++)
		check_sum(r, m->sums[i].v, m->sums[i].n);
	require(!m->clock.n || m->clock.v->slot >= 0);
}

static void check_slot(const struct plan_round *r, const struct plan_slot *s)
{
	require(s->width >= 1 && s->width <= 64 && isfinite(s->max_rate) && s->max_rate >= 0 &&
		s->safe_interval >= 0);
	require(s->engine_slot < (s->engine == PLAN_PERF ? r->n_perf : r->n_reg) &&
		s->clock_slot < (int)r->n_slots);
	require(s->identity && s->box_name && s->event_name && s->family && s->help && s->umask);
	require(s->scale >= 0 && isfinite(s->scale) && (!(s->scale > 0) || s->scaled_family));
}

/* It is in the rounds in which it has slots, each once, from its first one on. */
static void check_group(const struct plan_socket *s, const struct plan_group *g)
{
	unsigned n_rounds = 0;

	require(g->round < s->n_rounds && g->resolution > 0);
	for (unsigned r = 0; r < s->n_rounds; r++) {
		unsigned in = 0;

		for (unsigned i = 0; i < s->rounds[r].n_groups; i++)
			in += &s->groups[s->rounds[r].groups[i]] == g;
		require(in <= 1 && (in && g->n_slots) == (g->slots[r] != NULL));
		for (unsigned i = 0; in && i < g->n_slots; i++)
			require(g->slots[r][i] < s->rounds[r].n_slots);
		n_rounds += in;
		require(!in || r >= g->round);
	}
	require(n_rounds == g->n_rounds);
}

static void check_socket(const struct plan *p, const struct plan_socket *s)
{
	for (unsigned i = 0; i < s->n_rounds; i++) {
		const struct plan_round *r = &s->rounds[i];

		require(r->n_reg + r->n_perf == r->n_slots && r->n_groups > 0 && r->tick > 0 &&
			p->interval % r->tick == 0);
		for (unsigned k = 0; k < r->n_slots; k++)
			check_slot(r, &r->slots[k]);
		if (r->n_reg)
			check_registers(s->program, r, &s->program->rounds[i]);
		check_events(s->perf, r, &s->perf->rounds[i]);
	}
	for (unsigned g = 0; g < s->n_groups; g++)
		check_group(s, &s->groups[g]);
	for (unsigned i = 0; i < s->n_metrics; i++)
		check_metric(s, &s->metrics[i]);
	for (unsigned i = 0; i < s->n_distributions; i++)
		check_metric(s, plan_distribution_metric(s, &s->distributions[i]));
}

/* ------------------------------------------------------------------ text */

/* A name of Prometheus, labels, a number; no line but of metadata that is like the one before
 * it. */
static void check_line(const char *line, const char *end)
{
	const char *name = line + strspn(line, "abcdefghijklmnopqrstuvwxyz_0123456789"),
		*value = memrchr(line, ' ', (size_t)(end - line));
	char *rest;

	if (*line == '#')
		return;
	require(name > line && value && value > line &&
		(*name == '{' ? value[-1] == '}' : name == value));
	strtod(value + 1, &rest);
	require(rest == end && rest > value + 1);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every line is well-formed, and none is there twice, whatever its value. */
static void check_text(const struct expo_body *body, bool openmetrics)
{
	char *text = strndup(body->bytes, body->n), **lines;
	size_t n = 0;

	require(text && strlen(text) == body->n && body->n > 0 && text[body->n - 1] == '\n');
	lines = calloc(body->n, sizeof(*lines));
	require(lines != NULL);
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		check_line(line, end);
		*end = '\0';
		if (*line != '#')
			*strrchr(line, ' ') = '\0';
		lines[n++] = line;
	}
	require(!openmetrics || strcmp(lines[n - 1], "# EOF") == 0);
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 1; i < n; i++)
		require(strcmp(lines[i], lines[i - 1]) != 0);
	free(lines);
	free(text);
}

static void check_json(const struct expo_body *body)
{
	json_t *j = json_loadb(body->bytes, body->n, 0, NULL);

	require(j != NULL);
	json_decref(j);
}

/* Every number that can be there, is. */
static void fill(const struct plan_socket *s, uint64_t *w)
{
	const struct layout l = layout_of(s);
	double v = 1.5;

	w[W_UP] = w[W_NOW_WALL] = 1;
	for (unsigned i = 0; i < s->n_series; i++)
		w[l.slot_total + i] = UINT64_MAX - i;
	for (unsigned i = 0; i < s->n_metrics; i++) {
		memcpy(&w[l.metric_value + i], &v, sizeof(v));
		w[l.metric_reason + i] = i % 5 ? REASON_NONE : REASON_CONFLICT;
	}
	for (unsigned i = 0; i < s->n_distributions; i++) {
		memcpy(&w[l.peak_value + i], &v, sizeof(v));
		w[l.peak_valid + i] = 1;
	}
}

static void check_bodies(struct expo_renderer *r, nsec now)
{
	for (unsigned f = 0; f < EXPO_FORMATS; f++) {
		struct expo_body *body = f == EXPO_CATALOG ? NULL : expo_render(r, f, now);

		require(f == EXPO_CATALOG || body);
		if (f == EXPO_TEXT || f == EXPO_OPENMETRICS)
			check_text(body, f == EXPO_OPENMETRICS);
		else if (f == EXPO_JSON)
			check_json(body);
		if (body)
			expo_body_unref(body);
	}
}

static struct ring new_ring(unsigned n_words)
{
	struct ring r;
	void *mem = aligned_alloc(64, ring_bytes(n_words));

	require(mem != NULL);
	memset(mem, 0, ring_bytes(n_words));
	ring_init(&r, mem, n_words);
	return r;
}

static void check_shown(const struct plan *p)
{
	static const struct expo_identity id = { .version = "0", .revision = "", .engine = "model",
						 .engine_note = "SIMULATED",
						 .processor = "other", .workload = "" };
	struct ring rings[EXPO_SOCKETS_MAX];
	struct expo_renderer *r;
	struct err err;
	size_t len;
	void *desc;

	require(expo_describe(p, &id, NULL, &desc, &len, &err) == 0);
	for (unsigned i = 0; i < p->n_sockets; i++)
		rings[i] = new_ring(expo_desc_values(desc, i));
	require(expo_renderer_new(desc, len, rings, NULL, &expo_protobuf, &r, &err) == 0);
	for (unsigned i = 0; i < p->n_sockets; i++) {
		uint64_t *words = calloc(rings[i].n_words, sizeof(*words));

		require(words != NULL);
		fill(&p->sockets[i], words);
		ring_write(&rings[i], words);
		free(words);
	}
	check_bodies(r, 0);
	check_bodies(r, INT64_MAX);             /* all of them stalled */
	expo_renderer_free(r);
	for (unsigned i = 0; i < p->n_sockets; i++)
		free(rings[i].mem);
	free(desc);
}

/* ------------------------------------------------------------------ one machine */

static void check_sentence(const char *s)
{
	require(*s != '\0');
	for (; *s; s++)
		require((unsigned char)*s >= ' ' && *s != 0x7f);
}

/* Once more, as the plan outlives the configuration that it was made of. */
static void check_machine(const uint8_t *data, size_t n, struct plan_input in)
{
	struct diags d = { 0 };
	struct conf *c = NULL;
	struct plan *p = NULL;
	bool good = conf_parse_keep("f", (const char *)data, n, &c, &d) == 0;
	int r;

	if (!c)
		return diags_done(&d);
	in.conf = c;
	r = plan_build(&in, &p, &d);
	require((r == 0) == (p != NULL) && (r == 0) == (d.n == 0) && (good || r < 0) &&
		good == !c->faulty);
	conf_free(c);
	for (size_t i = 0; i < d.n; i++)
		check_sentence(d.v[i]);
	diags_done(&d);
	if (!p)
		return;
	for (unsigned i = 0; i < p->n_notes; i++)
		check_sentence(p->notes[i]);
	for (unsigned i = 0; i < p->n_sockets; i++)
		check_socket(p, &p->sockets[i]);
	check_shown(p);
	plan_free(p);
}

static void check_everywhere(const uint8_t *data, size_t n)
{
	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];
		struct topo *t = topo_model(p->ids[0].family, p->ids[0].model, 2, p->cores);
		unsigned k = i % COUNT(trees);

		require(t != NULL);
		check_machine(data, n, (struct plan_input){ .processor = p, .topo = t,
			.pmus = machines[k].pmus,
							    .perf_topo = machines[k].topo });
		topo_free(t);
	}
	for (unsigned k = 0; k < COUNT(trees); k++)
		check_machine(data, n, (struct plan_input){
			.processor = cat_processor_by_id(machines[k].topo->vendor,
				machines[k].topo->family, machines[k].topo->model),
			.topo = machines[k].topo, .pmus = machines[k].pmus, .perf_engine = true });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct diags d = { 0 };
	struct conf *c = NULL;
	bool readable;

	open_machines();
	conf_parse_keep("f", (const char *)data, n, &c, &d);
	for (size_t i = 0; i < d.n; i++)
		check_sentence(d.v[i]);
	readable = c;
	conf_free(c);
	diags_done(&d);
	if (readable)
		check_everywhere(data, n);
	return 0;
}
