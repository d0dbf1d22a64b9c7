/* metric_bind.c - metric rows bound to the slots of a group.
 *
 * Owns:  which slots are a row's inputs; which groups yield a row, which lack one event.
 * Never: values (derive/).
 * Pure; main thread.
 *
 * A row's inputs must be in one group. Per unit, a row is bound once for each unit (and port) that
 * all inputs share; an input that a socket has only once, like the clock, serves all of them. Per
 * socket, the inputs of all units are summed, and only if all units are there.
 */
#include "config.h"

#include "metric/metric_rows.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ matching */

struct group_view {
	struct metric_socket *s;
	const struct plan_group *g;
	const struct plan_slot *slots;      /* of the group's round */
	unsigned index;                     /* of the group */
	const struct metric_rows *rows;
};

/* Is the slot one of the input's? Called for each pair of them; for most the events differ. */
static inline bool input_matches(const struct input *in, const struct plan_slot *s)
{
	if (in->p.n)
		return s->config && spec_perf_is(&in->p, s->box_name, s->event_name, s->config) &&
		       (in->p.n > 1 || in->p.v[0].type == s->pmu_type);
	return s->selection && s->selection->event == in->s.selection.event &&
	       s->box == in->s.selection.box &&
	       (in->s.every_unit || s->unit == in->s.selection.unit) &&
	       spec_means(&in->s, s->selection);
}

/* Finds the slots of the group for which the input stands. */
static void input_find_slots(const struct group_view *v, struct input *in)
{
	in->n_slots = 0;
	if (in->room < v->g->n_slots) {
		in->room = v->g->n_slots;
		in->slots = arena_alloc(v->rows->sc->work, in->room, sizeof(*in->slots));
	}
	for (unsigned i = 0; in->counted && i < v->g->n_slots; i++)
		if (input_matches(in, &v->slots[v->g->slots[i]]))
			in->slots[in->n_slots++] = v->g->slots[i];
}

/* Do two slots match that differ in a free key only? Then the input means neither of them. */
static bool input_is_ambiguous(const struct group_view *v, const struct input *in)
{
	for (unsigned i = 0; i < in->n_slots && !in->p.n; i++)
		for (unsigned k = 0; k < i; k++) {
			const struct plan_slot *a = &v->slots[in->slots[i]],
				*b = &v->slots[in->slots[k]];

			if (a->unit == b->unit && a->port == b->port)
				return true;
		}
	return false;
}

/* Does the input stand for one slot in each unit, or for one that serves all? */
static bool by_unit(const struct input *in)
{
	if (in->p.n)
		return in->n_slots > 1;
	return in->s.every_unit && in->s.selection.box->n_units > 1;
}

static bool by_port(const struct input *in)
{
	return !in->p.n && in->s.any_port;
}

/* The slot of an input that belongs to the same unit and port as `lead`; -1: none. */
static int input_slot(const struct group_view *v, const struct input *in,
		      const struct plan_slot *lead)
{
	bool unit = by_unit(in), port = by_port(in);

	for (unsigned i = 0; i < in->n_slots; i++) {
		const struct plan_slot *s = &v->slots[in->slots[i]];

		if ((!unit || s->unit == lead->unit) && (!port || s->port == lead->port))
			return (int)in->slots[i];
	}
	return -1;
}

/* ------------------------------------------------------------------ binding */

static void add_addend(struct arena *keep, struct plan_metric *m, const struct term *t, int slot,
		       double weight)
{
	struct plan_addend **v[] = { &m->num, &m->den, &m->guard_num, &m->guard_den };
	unsigned *n[] = { &m->n_num, &m->n_den, &m->n_guard_num, &m->n_guard_den };

	if (t->role == ROLE_CYCLES) {
		m->cycles_of = slot;
		return;
	}
	*v[t->role] = arena_grow(keep, *v[t->role], *n[t->role], sizeof(struct plan_addend));
	(*v[t->role])[(*n[t->role])++] = (struct plan_addend){ slot, weight };
}

/* lead: of the unit and port that the metric is for; NULL: for the socket. */
static struct labels metric_labels(struct arena *keep, const struct plan_slot *lead,
				   const char *link)
{
	struct label *l = arena_alloc(keep, 3, sizeof(*l));
	unsigned n = 0;

	if (lead)
		l[n++] = (struct label){ "unit", arena_printf(keep, "%u", lead->unit) };
	if (lead && lead->port >= 0)
		l[n++] = (struct label){ "port", arena_printf(keep, "%d", lead->port) };
	if (link)
		l[n++] = (struct label){ "link", link };
	return (struct labels){ l, n };
}

static struct plan_metric *metric_new(const struct group_view *v, struct row *r,
				      const struct plan_slot *lead)
{
	const struct schedule *sc = v->rows->sc;
	struct metric_socket *s = v->s;
	const struct cat_metric *c = r->m;
	struct plan_metric *m;

	s->metrics = arena_grow(sc->work, s->metrics, s->n_metrics, sizeof(*s->metrics));
	m = &s->metrics[s->n_metrics++];
	*m = (struct plan_metric){ .group = v->index, .counter = !c->den,
				   .scale = c->scale != 0 ? c->scale : 1,
				   .guard_max = c->guard ? c->guard->max : 0,
				   .cycles_of = -1, .complement = c->complement,
				   .clamp = c->clamp };
	if (!r->bound++) {
		r->family = arena_printf(sc->keep, "uncore_%s", c->name);
		r->help = arena_text(sc->keep,
					  c->help ? c->help : "Defined in the configuration");
		r->unit = arena_text(sc->keep, c->unit);
	}
	m->family = r->family;
	m->name = m->family + strlen("uncore_");
	m->help = r->help;
	m->unit = r->unit;
	m->labels = metric_labels(sc->keep, lead, c->link ? c->link : lead ? lead->link : NULL);
	return m;
}

/* The input that says which units and ports there are: the one that differs in most respects. */
static const struct input *lead_input(const struct row *r)
{
	const struct input *lead = NULL;
	int most = -1;

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];
		int n = t->in ? by_unit(t->in) + 2 * by_port(t->in) : -1;

		if (t->role <= ROLE_DEN && n > most) {
			lead = t->in;
			most = n;
		}
	}
	return lead;
}

/* A sum over the socket needs every unit, and all inputs from the same ports. */
static bool covers_socket(const struct group_view *v, const struct row *r)
{
	const struct input *lead = lead_input(r);

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct input *in = r->terms[i].in;

		if (!in || in->p.n)
			continue;
		for (unsigned u = 0; by_unit(in) && u < in->s.selection.box->n_units; u++) {
			bool found = false;

			for (unsigned k = 0; k < in->n_slots; k++)
				found |= v->slots[in->slots[k]].unit == u;
			if (!found)
				return false;
		}
		if (by_port(in) && lead && by_port(lead) && in->n_slots != lead->n_slots)
			return false;
	}
	return true;
}

/* What a constant is on one unit; 0: the register does not say. Where nobody can read it, as with
 * `uncorectl plan`, the row is shown all the same. */
static double constant_of_unit(const struct group_view *v, const struct cat_constant *c,
			       unsigned unit)
{
	const struct plan_constants *known = v->rows->constants;

	for (unsigned i = 0; known && i < known->n; i++)
		if (known->v[i].c == c && known->v[i].socket == v->s->id &&
		    known->v[i].unit == unit)
			return known->v[i].value;
	return known ? 0 : 1;
}

/* Of the unit of `lead`; lead NULL: of all units together. 0: one of them does not say. */
static double constant_value(const struct group_view *v, const struct cat_constant *c,
			     const struct plan_slot *lead)
{
	const struct cat_box *b = cat_box_by_name(v->rows->sc->machine.processor, c->box);
	unsigned first = lead ? lead->unit : 0, end = lead ? first + 1 : b->n_units;
	double sum = 0;

	for (unsigned unit = first; unit < end; unit++) {
		double value = constant_of_unit(v, c, unit);

		if (!(value > 0))
			return 0;
		sum += value;
	}
	return sum;
}

/* The row for the unit and port of `lead`; lead NULL: for the socket. Where an input is
 * missing, nothing is bound. */
static void bind(const struct group_view *v, struct row *r, const struct plan_slot *lead)
{
	struct arena *keep = v->rows->sc->keep;
	struct plan_metric *m;

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];

		if (t->constant ? !(constant_value(v, t->constant, lead) > 0) :
		    lead && t->in && input_slot(v, t->in, lead) < 0)
			return;
	}
	m = metric_new(v, r, lead);
	m->sum = !lead;
	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];

		if (!t->in)
			add_addend(keep, m, t, -1, t->constant ?
				   t->weight * constant_value(v, t->constant, lead) : t->weight);
		else if (lead)
			add_addend(keep, m, t, input_slot(v, t->in, lead), t->weight);
		for (unsigned k = 0; t->in && !lead && k < t->in->n_slots; k++)
			if (t->role != ROLE_CYCLES || m->cycles_of < 0)
				add_addend(keep, m, t, (int)t->in->slots[k], t->weight);
	}
}

/* The one event that a row lacks in a group, if it has another one; NULL: more, or none. A clock
 * alone is no reason to name all the rows that divide by it. */
static const char *row_lacks(const struct row *r, bool *ret_complete)
{
	const struct term *lacks = NULL;
	bool any = false, more = false;

	*ret_complete = true;
	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct input *in = r->terms[i].in;

		if (!in)
			continue;
		if (in->n_slots) {
			any |= in->p.n || !in->s.selection.event->always_runs;
			continue;
		}
		*ret_complete = false;
		more |= lacks && lacks->in != in;
		lacks = &r->terms[i];
	}
	return any && lacks && !more ? lacks->text : NULL;
}

static void bind_row(const struct group_view *v, struct row *r)
{
	const struct schedule *sc = v->rows->sc;
	struct metric_socket *s = v->s;
	unsigned first = s->n_metrics;
	const struct input *lead;
	const char *lacks;
	bool complete;

	if (r->conf && r->conf->group && strcmp(r->conf->group, v->g->name) != 0)
		return;
	lacks = row_lacks(r, &complete);
	if (lacks) {
		s->lacking = arena_grow(sc->work, s->lacking, s->n_lacking, sizeof(*s->lacking));
		s->lacking[s->n_lacking++] = (struct plan_lacking){
			v->g->name, arena_text(sc->keep, r->m->name), arena_text(sc->keep, lacks) };
	}
	for (unsigned i = 0; complete && i < r->n_terms; i++)
		complete = !r->terms[i].in || !input_is_ambiguous(v, r->terms[i].in);
	if (!complete)
		return;
	lead = r->m->per == CAT_PER_SOCKET ? NULL : lead_input(r);
	/* units of another box than the ports' are no match */
	for (unsigned i = 0; lead && i < r->n_terms; i++)
		if (r->terms[i].in && by_unit(r->terms[i].in) && !by_unit(lead))
			lead = NULL;
	for (unsigned i = 0; lead && i < lead->n_slots; i++)
		bind(v, r, &v->slots[lead->slots[i]]);
	if (r->m->per == CAT_PER_SOCKET && covers_socket(v, r))
		bind(v, r, NULL);
	for (unsigned i = first; i < s->n_metrics; i++)
		distribution_add(v->rows, s, i, r->conf);
}

void metric_bind(struct metric_rows *m, struct metric_socket *s)
{
	const struct schedule *sc = m->sc;

	for (unsigned g = 0; g < s->n_groups; g++) {
		struct group_view v = { s, &s->groups[g],
					s->rounds[s->groups[g].round].slots, g, m };

		for (unsigned i = 0; i < COUNT(m->inputs); i++)
			for (struct input *in = m->inputs[i]; in; in = in->next)
				input_find_slots(&v, in);
		for (unsigned i = 0; i < m->n_rows; i++)
			bind_row(&v, &m->rows[i]);
	}
	s->metrics = arena_copy(sc->keep, s->metrics, s->n_metrics, sizeof(*s->metrics));
	s->lacking = arena_copy(sc->keep, s->lacking, s->n_lacking, sizeof(*s->lacking));
	distribution_add_counters(m, s);
}

void metric_check_used(const struct metric_rows *m)
{
	for (unsigned i = 0; i < m->n_rows; i++) {
		const struct conf_metric *c = m->rows[i].conf;

		if (c && !m->rows[i].bound)
			diags_add(m->sc->d, c->where,
				  "metric '%s': %s%s%s all its events%s", c->row.name,
				  c->group ? "group '" : "no group", c->group ? c->group : "",
				  c->group ? "' does not hold" : " holds",
				  c->row.per == CAT_PER_SOCKET
				  ? " (of every unit, for per = \"socket\")" :
				  " (of the same unit)");
	}
}
