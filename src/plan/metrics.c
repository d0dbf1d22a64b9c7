/* metrics.c - metric rows of the catalog and of the configuration, bound to the slots of a group.
 *
 * Owns:  which slots are a row's inputs; which groups yield a row, which lack one event.
 * Never: values (derive/).
 * Pure; main thread.
 *
 * A row's inputs must be in one group. Per unit, a row is bound once for each unit (and port) that all
 * inputs share; an input that a socket has only once, like the clock, serves all of them. Per socket, the
 * inputs of all units are summed, and only if all units are there.
 */
#include "config.h"

#include "plan/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum role { ROLE_NUM, ROLE_DEN, ROLE_GUARD_NUM, ROLE_GUARD_DEN, ROLE_CYCLES };

struct term {
	uint8_t role;
	bool seconds;               /* the word: no slot */
	const struct cat_constant *constant;    /* with `seconds`: what a unit's register says, a second */
	bool perf;
	double weight;
	const char *text;           /* as written; borrowed from catalog or configuration */
	struct build_spec s;
	char *box, *rest;           /* perf */
	bool one_pmu;               /* perf: a single instance, of this type */
	uint32_t pmu_type;
};

struct row {
	const char *name, *help, *link, *group;
	const struct conf_metric *conf;     /* NULL: the catalog's */
	struct term *terms;
	unsigned n_terms, bound;
	bool per_socket, complement, clamp, counter;
	double scale, guard_max;
};

struct build_metrics {
	const struct plan_input *in;
	struct row *rows;
	unsigned n_rows;
};

/* ------------------------------------------------------------------ rows */

static struct term *row_add_term(struct row *r, enum role role, double weight, const char *text)
{
	struct term *t;

	r->terms = plan_grow(r->terms, r->n_terms, sizeof(*r->terms));
	t = &r->terms[r->n_terms++];
	t->role = (uint8_t)role;
	t->weight = weight;
	t->text = text;
	return t;
}

static int term_resolve(const struct build *b, struct term *t, const struct conf_spec *s, struct err *err)
{
	struct build_perf p;

	if (!s->perf) {
		if (!b->in->processor)
			return err_set(err, -EINVAL, "%s: the events of this machine's processor are unknown, only "
				       "perf/PMU/TERMS/ counts here; --processor NAME checks a configuration for another one",
				       s->text);
		return spec_resolve(b->in->processor, s, SPEC_PORT_OPEN, &t->s, err);
	}
	if (perf_resolve(b->in->pmus, s, &p, err) < 0)
		return -EINVAL;
	t->perf = true;
	t->rest = plan_text("%s", p.rest);
	t->box = plan_text("%s", p.box);
	t->one_pmu = p.n == 1;
	t->pmu_type = p.v[0].type;
	perf_done(&p);
	return 0;
}

static const struct cat_constant *find_constant(const struct cat_processor *p, const char *name)
{
	for (unsigned i = 0; i < p->n_constants; i++)
		if (strcmp(p->constants[i].name, name) == 0)
			return &p->constants[i];
	return NULL;
}

/* A term of the catalog: a specification, `seconds`, or a constant, which counts for each second. */
static bool add_cat_term(const struct build *b, struct row *r, enum role role, const struct cat_term *c)
{
	struct term *t = row_add_term(r, role, c->weight != 0 ? c->weight : 1, c->spec);
	struct conf_spec s = { 0 };
	struct err err;
	bool ok;

	if (!strchr(c->spec, '/')) {
		t->constant = find_constant(b->in->processor, c->spec);
		t->seconds = t->constant || strcmp(c->spec, "seconds") == 0;
		return t->seconds;
	}
	ok = conf_spec_parse(c->spec, &s, &err) == 0 && term_resolve(b, t, &s, &err) == 0;
	if (!ok)
		diags_add(b->d, (struct where){ b->in->processor->name, 0 }, "metric %s: %s", r->name, err.text);
	conf_spec_done(&s);
	return ok;
}

static bool add_cat_sum(const struct build *b, struct row *r, enum role role, const struct cat_term *v, unsigned most)
{
	bool ok = true;

	for (unsigned i = 0; i < most && v[i].spec; i++)
		ok &= add_cat_term(b, r, role, &v[i]);
	return ok;
}

static void row_done(struct row *r)
{
	for (unsigned i = 0; i < r->n_terms; i++) {
		free(r->terms[i].box);
		free(r->terms[i].rest);
	}
	free(r->terms);
}

static void row_keep(struct build_metrics *m, struct row *r, bool ok)
{
	if (!ok) {
		row_done(r);
		return;
	}
	m->rows = plan_grow(m->rows, m->n_rows, sizeof(*m->rows));
	m->rows[m->n_rows++] = *r;
}

static void add_cat_row(const struct build *b, struct build_metrics *m, const struct cat_metric *c)
{
	struct row r = { .name = c->name, .help = c->help, .link = c->link, .per_socket = c->per == CAT_PER_SOCKET,
			 .complement = c->complement, .clamp = c->clamp, .counter = !c->den[0].spec,
			 .scale = c->scale != 0 ? c->scale : 1, .guard_max = c->guard.max };
	bool ok = add_cat_sum(b, &r, ROLE_NUM, c->num, CAT_TERMS);

	ok &= add_cat_sum(b, &r, ROLE_DEN, c->den, CAT_TERMS);
	ok &= add_cat_sum(b, &r, ROLE_GUARD_NUM, c->guard.num, COUNT(c->guard.num));
	ok &= add_cat_sum(b, &r, ROLE_GUARD_DEN, c->guard.den, COUNT(c->guard.den));
	if (c->cycles_of)
		ok &= add_cat_term(b, &r, ROLE_CYCLES, &(struct cat_term){ c->cycles_of, 1 });
	row_keep(m, &r, ok);
}

static bool add_conf_sum(const struct build *b, struct row *r, enum role role, const struct conf_term *v, unsigned n)
{
	bool ok = true;

	for (unsigned i = 0; i < n; i++) {
		struct term *t = row_add_term(r, role, v[i].weight, v[i].spec.text);
		struct err err;

		if (v[i].word) {
			t->seconds = strcmp(v[i].spec.text, "seconds") == 0;
			if (!t->seconds)
				diags_add(b->d, v[i].spec.where, "metric '%s': '%s' is neither an event (box/EVENT) nor the "
					  "word 'seconds'", r->name, v[i].spec.text);
			ok &= t->seconds;
		} else if (term_resolve(b, t, &v[i].spec, &err) < 0) {
			diags_add(b->d, v[i].spec.where, "metric '%s': %s", r->name, err.text);
			ok = false;
		}
	}
	return ok;
}

static bool is_box_word(const struct build *b, const char *word)
{
	/* Boxes of the contract, and PMUs that are not named after a box. */
	static const char *const words[] = { "ubox", "cbox", "bbox", "sbox", "rbox", "mbox", "wbox", "uncore", "pcu", "ha",
					     "imc", "irp", "qpi", "r2pcie", "r3qpi", "msr", "software", "power" };
	const struct topo_pmus *pmus = b->in->pmus;

	for (unsigned i = 0; i < COUNT(words); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	for (unsigned i = 0; pmus && i < pmus->n; i++) {
		char box[64];
		int number;

		perf_pmu_box(pmus->v[i].name, box, sizeof(box), &number);
		box[strcspn(box, "_")] = '\0';
		if (strcmp(word, box) == 0)
			return true;
	}
	return false;
}

/* Names that would be taken for something else's. */
static bool check_conf_name(const struct build *b, const struct conf_metric *c)
{
	char word[128];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(c->name, "_"), c->name);
	if (!is_box_word(b, word))
		return true;
	diags_add(b->d, c->where, "metric '%s': its first word '%s' is the name of a box or PMU and would look like a "
		  "count of it", c->name, word);
	return false;
}

static bool check_conf_group(const struct build *b, const struct conf_metric *c)
{
	const char **names, *nearest;

	if (!c->group || !b->n_groups)
		return true;
	for (unsigned i = 0; i < b->n_groups; i++)
		if (strcmp(b->groups[i].name, c->group) == 0)
			return true;
	names = plan_alloc(b->n_groups, sizeof(*names));
	for (unsigned i = 0; i < b->n_groups; i++)
		names[i] = b->groups[i].name;
	nearest = plan_nearest(c->group, names, b->n_groups);
	diags_add(b->d, c->where, "metric '%s': there is no group '%s'%s%s%s", c->name, c->group,
		  nearest ? "; the nearest is '" : "", nearest ? nearest : "", nearest ? "'" : "");
	free(names);
	return false;
}

static void add_conf_row(const struct build *b, struct build_metrics *m, const struct conf_metric *c)
{
	struct row r = { .name = c->name, .help = c->help ? c->help : "Defined in the configuration", .group = c->group,
			 .conf = c, .per_socket = c->per_socket, .complement = c->complement, .clamp = c->clamp,
			 .counter = !c->n_den, .scale = c->scale, .guard_max = c->guard_max };
	bool ok = check_conf_name(b, c);
	struct err err;

	ok &= check_conf_group(b, c);
	ok &= add_conf_sum(b, &r, ROLE_NUM, c->num, c->n_num);
	ok &= add_conf_sum(b, &r, ROLE_DEN, c->den, c->n_den);
	ok &= add_conf_sum(b, &r, ROLE_GUARD_NUM, c->guard_num, c->n_guard_num);
	ok &= add_conf_sum(b, &r, ROLE_GUARD_DEN, c->guard_den, c->n_guard_den);
	if (c->has_cycles_of &&
	    term_resolve(b, row_add_term(&r, ROLE_CYCLES, 1, c->cycles_of.text), &c->cycles_of, &err) < 0) {
		diags_add(b->d, c->where, "metric '%s': %s", c->name, err.text);
		ok = false;
	}
	row_keep(m, &r, ok);
}

/* A row of the configuration stands in for the processor's rows of the same name. */
static bool is_replaced(const struct build *b, const char *name)
{
	for (unsigned i = 0; i < b->in->conf->n_metrics; i++)
		if (strcmp(b->in->conf->metrics[i].name, name) == 0)
			return true;
	return false;
}

struct build_metrics *metrics_new(struct build *b)
{
	struct build_metrics *m = plan_alloc(1, sizeof(*m));
	const struct cat_processor *p = b->in->processor;

	m->in = b->in;
	for (unsigned i = 0; p && i < p->n_metrics; i++)
		if (!is_replaced(b, p->metrics[i].name))
			add_cat_row(b, m, &p->metrics[i]);
	for (unsigned i = 0; i < b->in->conf->n_metrics; i++)
		add_conf_row(b, m, &b->in->conf->metrics[i]);
	return m;
}

void metrics_free(struct build_metrics *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n_rows; i++)
		row_done(&m->rows[i]);
	free(m->rows);
	free(m);
}

/* ------------------------------------------------------------------ matching */

struct group_view {
	struct plan_socket *s;
	const struct plan_group *g;
	const struct plan_slot *slots;      /* of the group's round */
	unsigned index;                     /* of the group */
	const struct plan_input *in;
};

static bool term_matches(const struct term *t, const struct plan_slot *s)
{
	if (t->seconds)
		return false;
	if (t->perf)
		return s->engine == PLAN_PERF && strcmp(t->box, s->box_name) == 0 &&
		       strcmp(t->rest, strchr(s->identity, '/') + 1) == 0 &&
		       (!t->one_pmu || t->pmu_type == s->pmu_type);
	return s->engine == PLAN_REGISTERS && s->box == t->s.choice.box &&
	       (t->s.every_unit || s->unit == t->s.choice.unit) && spec_equal(&t->s.choice, &s->choice, t->s.any_port);
}

static unsigned term_count(const struct group_view *v, const struct term *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->g->n_slots; i++)
		n += term_matches(t, &v->slots[v->g->slots[i]]);
	return n;
}

/* Does the term stand for one slot in each unit, or for one that serves all? */
static bool by_unit(const struct group_view *v, const struct term *t)
{
	if (t->perf)
		return term_count(v, t) > 1;
	return t->s.every_unit && t->s.choice.box->n_units > 1;
}

static bool by_port(const struct term *t)
{
	return !t->perf && t->s.any_port;
}

/* The slot of a term that belongs to the same unit and port as `lead`; -1: none. */
static int term_slot(const struct group_view *v, const struct term *t, const struct plan_slot *lead)
{
	bool unit = by_unit(v, t);

	for (unsigned i = 0; i < v->g->n_slots; i++) {
		const struct plan_slot *s = &v->slots[v->g->slots[i]];

		if (term_matches(t, s) && (!unit || s->unit == lead->unit) && (!by_port(t) || s->port == lead->port))
			return (int)v->g->slots[i];
	}
	return -1;
}

/* ------------------------------------------------------------------ binding */

static void add_addend(struct plan_metric *m, const struct term *t, int slot, double weight)
{
	struct plan_addend **v[] = { &m->num, &m->den, &m->guard_num, &m->guard_den };
	unsigned *n[] = { &m->n_num, &m->n_den, &m->n_guard_num, &m->n_guard_den };

	if (t->role == ROLE_CYCLES) {
		m->cycles_of = slot;
		return;
	}
	*v[t->role] = plan_grow(*v[t->role], *n[t->role], sizeof(struct plan_addend));
	(*v[t->role])[(*n[t->role])++] = (struct plan_addend){ slot, weight };
}

static struct plan_metric *metric_new(const struct group_view *v, struct row *r, const struct plan_slot *lead)
{
	struct plan_socket *s = v->s;
	const char *link = r->link ? r->link : lead ? lead->link : NULL;
	char unit[32] = "", port[32] = "";
	struct plan_metric *m;

	s->metrics = plan_grow(s->metrics, s->n_metrics, sizeof(*s->metrics));
	m = &s->metrics[s->n_metrics++];
	*m = (struct plan_metric){ .group = v->index, .counter = r->counter, .scale = r->scale, .guard_max = r->guard_max,
				   .cycles_of = -1, .complement = r->complement, .clamp = r->clamp };
	m->family = plan_text("uncore_%s", r->name);
	m->name = m->family + strlen("uncore_");
	m->help = plan_text("%s", r->help);
	m->unit_label = lead ? plan_text("%u", lead->unit) : plan_text("%s", "");
	if (lead)
		snprintf(unit, sizeof(unit), ",unit=\"%u\"", lead->unit);
	if (lead && lead->port >= 0)
		snprintf(port, sizeof(port), ",port=\"%d\"", lead->port);
	m->labels = plan_text("%s%s%s%s%s", unit, port, link ? ",link=\"" : "", link ? link : "", link ? "\"" : "");
	r->bound++;
	return m;
}

/* What a constant is on one unit; 0: the register does not say. Where nobody can read it, as with `uncorectl plan`, the
 * row is shown all the same. */
static double constant_value(const struct group_view *v, const struct cat_constant *c, unsigned unit)
{
	return v->in->constant ? v->in->constant(v->in->constant_p, v->s->id, c, unit) : 1;
}

/* One unit and port; nothing if an input is missing there. */
static void bind_unit(const struct group_view *v, struct row *r, const struct plan_slot *lead)
{
	struct plan_metric *m;

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];

		if (t->constant ? !(constant_value(v, t->constant, lead->unit) > 0) : !t->seconds && term_slot(v, t, lead) < 0)
			return;
	}
	m = metric_new(v, r, lead);
	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];

		add_addend(m, t, t->seconds ? -1 : term_slot(v, t, lead),
			   t->constant ? t->weight * constant_value(v, t->constant, lead->unit) : t->weight);
	}
}

/* The input that says which units and ports there are: the one that differs in most respects. */
static const struct term *lead_term(const struct group_view *v, const struct row *r)
{
	const struct term *lead = NULL;
	int most = -1;

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];
		int n = by_unit(v, t) + 2 * by_port(t);

		if (!t->seconds && t->role <= ROLE_DEN && n > most) {
			lead = t;
			most = n;
		}
	}
	return lead;
}

/* A sum over the socket needs every unit, and all inputs from the same ports. */
static bool covers_socket(const struct group_view *v, const struct row *r)
{
	const struct term *lead = lead_term(v, r);

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];

		if (t->seconds || t->perf)
			continue;
		for (unsigned u = 0; by_unit(v, t) && u < t->s.choice.box->n_units; u++) {
			bool found = false;

			for (unsigned k = 0; k < v->g->n_slots; k++)
				found |= term_matches(t, &v->slots[v->g->slots[k]]) && v->slots[v->g->slots[k]].unit == u;
			if (!found)
				return false;
		}
		if (by_port(t) && lead && by_port(lead) && term_count(v, t) != term_count(v, lead))
			return false;
	}
	return true;
}

/* A constant of every unit together; 0: one of them does not say. */
static double constant_sum(const struct group_view *v, const struct cat_constant *c)
{
	const struct cat_box *b = cat_box_by_name(v->in->processor, c->box);
	double sum = 0;

	for (unsigned u = 0; u < b->n_units; u++) {
		double value = constant_value(v, c, u);

		if (!(value > 0))
			return 0;
		sum += value;
	}
	return sum;
}

static void bind_socket(const struct group_view *v, struct row *r)
{
	struct plan_metric *m;

	if (!covers_socket(v, r))
		return;
	for (unsigned i = 0; i < r->n_terms; i++)
		if (r->terms[i].constant && !(constant_sum(v, r->terms[i].constant) > 0))
			return;
	m = metric_new(v, r, NULL);
	m->sum = true;
	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];

		if (t->seconds)
			add_addend(m, t, -1, t->constant ? t->weight * constant_sum(v, t->constant) : t->weight);
		for (unsigned k = 0; k < v->g->n_slots; k++)
			if (term_matches(t, &v->slots[v->g->slots[k]]) && (t->role != ROLE_CYCLES || m->cycles_of < 0))
				add_addend(m, t, (int)v->g->slots[k], t->weight);
	}
}

/* The one event that a row lacks in a group, if it has another one; NULL: more, or none. A clock alone is no
 * reason to name all the rows that divide by it. */
static const char *row_lacks(const struct group_view *v, const struct row *r, bool *ret_whole)
{
	const char *lacks = NULL;
	bool any = false, more = false;

	*ret_whole = true;
	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];

		if (t->seconds)
			continue;
		if (term_count(v, t)) {
			any |= t->perf || !t->s.choice.event->always_runs;
			continue;
		}
		*ret_whole = false;
		more |= lacks && strcmp(lacks, t->text) != 0;
		lacks = t->text;
	}
	return any && !more ? lacks : NULL;
}

static void bind_row(const struct build *b, const struct group_view *v, struct row *r)
{
	struct plan_socket *s = v->s;
	unsigned first = s->n_metrics;
	const struct term *lead;
	const char *lacks;
	bool whole;

	if (r->group && strcmp(r->group, v->g->name) != 0)
		return;
	lacks = row_lacks(v, r, &whole);
	if (lacks) {
		s->lacking = plan_grow(s->lacking, s->n_lacking, sizeof(*s->lacking));
		s->lacking[s->n_lacking++] = (struct plan_lacking){ plan_text("%s", v->g->name), plan_text("%s", r->name),
								    plan_text("%s", lacks) };
	}
	if (!whole)
		return;
	lead = r->per_socket ? NULL : lead_term(v, r);
	for (unsigned i = 0; lead && i < r->n_terms; i++)       /* units of another box than the ports' are no match */
		if (!r->terms[i].seconds && by_unit(v, &r->terms[i]) && !by_unit(v, lead))
			lead = NULL;
	for (unsigned i = 0; lead && i < v->g->n_slots; i++)
		if (term_matches(lead, &v->slots[v->g->slots[i]]))
			bind_unit(v, r, &v->slots[v->g->slots[i]]);
	if (r->per_socket)
		bind_socket(v, r);
	for (unsigned i = first; i < s->n_metrics; i++)
		watch_add(b, s, i, r->conf);
}

void metrics_bind(const struct build *b, struct build_metrics *m, struct plan_socket *s)
{
	for (unsigned g = 0; g < s->n_groups; g++) {
		struct group_view v = { s, &s->groups[g], s->rounds[s->groups[g].round].slots, g, m->in };

		for (unsigned i = 0; i < m->n_rows; i++)
			bind_row(b, &v, &m->rows[i]);
	}
}

void metrics_check_used(const struct build *b, const struct build_metrics *m)
{
	for (unsigned i = 0; i < m->n_rows; i++) {
		const struct row *r = &m->rows[i];

		if (r->conf && !r->bound)
			diags_add(b->d, r->conf->where, "metric '%s': %s%s%s all its events%s", r->name,
				  r->group ? "group '" : "no group", r->group ? r->group : "",
				  r->group ? "' does not hold" : " holds", r->per_socket ? " (of every unit, for per = \"socket\")" : " (of the same unit)");
	}
}
