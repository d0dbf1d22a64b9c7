/* SPDX-License-Identifier: MIT
 * Metric rows bound to the slots of a round.
 * Owns:  which slots are a row's inputs; which rounds yield a row, which lack one event; which
 *        groups a metric is of.
 * Never: values (derive/).
 * Pure; main thread.
 *
 * A row's inputs must run in one round, whichever groups name them. Per unit, a row is bound once
 * for each unit (and port) that all inputs share; an input that a socket has only once, like the
 * clock, serves all of them. Per socket, the inputs of all units are summed, and only if all units
 * are there (whole.c).
 */
#include "metric/metric_rows.h"

#include "metric/whole.h"

#include <stdio.h>
#include <string.h>

struct round_view {
	struct plan_socket *s;
	unsigned round;
	const struct plan_slot *slots;      /* of the round */
	unsigned n_slots;
	unsigned first;                     /* of the socket's metrics: the round's first */
	const struct metric_rows *rows;
	const bool *held;                   /* for each group of the round: is each slot its? */
};

/* Is the slot one of the input's? Called for each pair of them; for most the events differ. */
static inline bool input_matches(const struct input *in, const struct plan_slot *s)
{
	if (in->p.n)
		return s->config && spec_perf_is(&in->p, s->box_name, s->event_name, s->config) &&
		       (in->p.first_unit >= 0 ? (int)s->unit == in->p.first_unit :
			in->p.n > 1 || strcmp(in->p.v[0].name, s->pmu) == 0);
	return s->selection && cat_event_same(s->selection->event, in->s.selection.event) &&
	       s->box == in->s.selection.box &&
	       (in->s.every_unit || s->unit == in->s.selection.unit) &&
	       spec_matches(&in->s, s->selection);
}

/* Finds the slots of the round, or of one of its groups only, that the input means. */
static void input_find(const struct round_view *v, struct input *in, const struct plan_group *only)
{
	in->n_slots = 0;
	if (!in->counted)
		return;
	for (unsigned i = 0; i < v->n_slots; i++)
		if (input_matches(in, &v->slots[i]) &&
		    (!only || group_holds(only, v->round, i)))
			*ARENA_ADD(v->rows->sc->work, in->slots, in->n_slots) = i;
}

/* Two events that fit the input and differ in a filter that it leaves free: it means neither.
 * Returns whether there are such, and both of them. */
static bool input_is_ambiguous(const struct round_view *v, const struct input *in,
			  const struct plan_slot *ret[2])
{
	if (in->p.n)            /* of perf */
		return false;
	for (unsigned i = 0; i < in->n_slots; i++)
		for (unsigned k = 0; k < i; k++) {
			ret[0] = &v->slots[in->slots[k]];
			ret[1] = &v->slots[in->slots[i]];
			if (ret[0]->unit == ret[1]->unit && ret[0]->port == ret[1]->port)
				return true;
		}
	return false;
}

/* Does each unit have a slot of its own for the input, or is there one that all units use? */
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
static int input_slot(const struct round_view *v, const struct input *in,
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

static void add_addend(struct arena *keep, struct plan_sum *sum, int slot, double weight)
{
	*ARENA_ADD(keep, sum->v, sum->n) = (struct plan_addend){ slot, weight };
}

/* lead: of the unit and port that the metric is for; NULL: for the socket. */
static struct labels metric_labels(struct arena *keep, const struct plan_slot *lead,
				   const char *link)
{
	struct label *l = arena_alloc(keep, 4, sizeof(*l));
	unsigned n = 0;

	if (lead)
		l[n++] = (struct label){ "unit", arena_printf(keep, "%u", lead->unit) };
	if (lead && lead->part.name)
		l[n++] = lead->part;
	if (lead && lead->port >= 0)
		l[n++] = (struct label){ "port", arena_printf(keep, "%d", lead->port) };
	if (link)
		l[n++] = (struct label){ "link", link };
	return (struct labels){ l, n };
}

/* The plan's. */
static const char *row_rests(struct arena *keep, const struct metric_rows *rows,
			     const struct row *r)
{
	char executed[CAT_RESTS];

	if (r->conf)
		return "the formula of the configuration";
	return arena_printf(keep, "%s; %s", r->m->knee ? plan_knee_rests(rows->knees) :
			    CAT_RESTS_FORMULA, cat_rests_on(r->table, executed));
}

/* A metric that counts only once metric_done() says so. */
static struct plan_metric *metric_begin(const struct round_view *v, struct row *r,
					const struct plan_slot *lead)
{
	const struct schedule *sc = v->rows->sc;
	struct plan_socket *s = v->s;
	const struct cat_metric *c = r->m;
	const char *link = c->link;
	struct plan_metric *m;

	s->metrics = arena_grow(sc->work, s->metrics, s->n_metrics, sizeof(*s->metrics));
	m = &s->metrics[s->n_metrics];
	*m = (struct plan_metric){ .row = (unsigned)(r - v->rows->rows), .round = v->round,
				   .counter = !c->den && !c->knee,
				   .of_knee = c->knee, .headroom = c->knee == CAT_HEADROOM,
				   .scale = c->scale != 0 ? c->scale : 1,
				   .guard_max = c->guard ? c->guard->max : 0,
				   .complement = c->complement, .clamp = c->clamp,
				   .bounded = c->bounded, .clock_most = c->clock_most,
				   .with_memory = c->with_memory };
	if (!r->bound++) {
		r->family = arena_printf(sc->keep, "uncore_%s", c->name);
		r->help = arena_printf(sc->keep, "%s%s", c->help ?: "Defined in the configuration",
				       lead ? "" : whole_units(sc, r));
		r->rests = row_rests(sc->keep, v->rows, r);
		r->unit = arena_text(sc->keep, c->unit);
	}
	m->family = r->family;
	m->name = m->family + strlen("uncore_");
	m->help = r->help;
	m->rests = r->rests;
	m->unit = r->unit;
	if (!link && lead)
		link = lead->link;
	m->labels = metric_labels(sc->keep, lead, link);
	return m;
}

static bool same_inputs(const struct plan_metric *a, const struct plan_metric *b)
{
	for (unsigned k = 0; k < METRIC_SUMS; k++) {
		const struct plan_sum *x = &a->sums[k], *y = &b->sums[k];

		if (x->n != y->n)
			return false;
		for (unsigned i = 0; i < x->n; i++)
			if (x->v[i].slot != y->v[i].slot || x->v[i].weight != y->v[i].weight)
				return false;
	}
	return true;
}

/* Does the group, the nth of the round, hold an input of the metric, clocks apart unless `clocks`?
 * All of them? */
static bool group_holds_any(const struct round_view *v, unsigned nth, const struct plan_metric *m,
			    bool clocks, bool *ret_all)
{
	const bool *held = v->held + nth * v->n_slots;
	bool any = false;

	*ret_all = true;
	for METRIC_EACH_ADDEND(a, m) {
		bool holds = a->slot >= 0 && held[a->slot];

		any |= holds && (clocks || !v->slots[a->slot].always_runs);
		*ret_all &= a->slot < 0 || holds;
	}
	return any;
}

/* A metric that no group names is of the groups that hold its inputs. Where one of them counts in
 * overflow windows and holds them all, it is of those windows. */
static void find_groups(const struct round_view *v, struct plan_metric *m)
{
	const struct plan_round *r = &v->s->rounds[v->round];
	bool all;

	for (unsigned clocks = 0; !m->n_groups && clocks < 2; clocks++)
		for (unsigned i = 0; i < r->n_groups; i++)
			if (group_holds_any(v, i, m, clocks, &all))
				metric_add_group(v->rows, v->s, m, r->groups[i]);
	for (unsigned i = 0; r->overflow_window.count && i < r->n_groups; i++)
		if (r->groups[i] == r->overflow_window.group) {
			group_holds_any(v, i, m, true, &all);
			m->overflow_windows |= all;
		}
}

/* Keeps the metric just bound, unless it is a double. by: the group that names it; NULL: none. */
static void metric_done(const struct round_view *v, const struct row *r,
			const struct sched_named *by, unsigned group)
{
	struct plan_socket *s = v->s;
	struct plan_metric *m = &s->metrics[s->n_metrics];

	for (unsigned i = v->first; i < s->n_metrics; i++) {
		struct plan_metric *o = &s->metrics[i];

		if (o->row != m->row || !labels_same(o->labels, m->labels))
			continue;
		if (by && same_inputs(o, m))
			metric_add_group(v->rows, s, o, group);
		else if (by)
			diags_add(v->rows->sc->d, by->where, "groups '%s' and '%s' both name "
				  "'%s' and count different events for it; name it in one of them",
				  s->groups[o->groups[0]].name, s->groups[group].name, r->m->name);
		return;
	}
	if (by)
		metric_add_group(v->rows, s, m, group);
	else
		find_groups(v, m);
	s->n_metrics++;
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

/* What a constant is on one unit; 0: the register does not say. Where nobody can read it, as with
 * `uncorectl plan`, the row is shown all the same. */
static double constant_of_unit(const struct round_view *v, const struct cat_constant *c,
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
static double constant_value(const struct round_view *v, const struct cat_constant *c,
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

/* The row for the unit and port of `lead`; lead NULL: for the socket. Where an input is missing,
 * nothing is bound. by: of group `group`, which names it; NULL: nobody does. */
static void bind(const struct round_view *v, struct row *r, const struct plan_slot *lead,
		 const struct sched_named *by, unsigned group)
{
	struct arena *keep = v->rows->sc->keep;
	struct plan_metric *m;

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];

		if (t->constant ? !(constant_value(v, t->constant, lead) > 0) :
		    lead && t->in && input_slot(v, t->in, lead) < 0)
			return;
	}
	m = metric_begin(v, r, lead);
	m->sum = !lead;
	m->hidden = lead ? NULL : whole_hidden(v->rows->sc, v->s, r);
	if (r->m->knee && !m->hidden)
		m->hidden = knee_bind(v->rows, v->s->id, &m->knee);
	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct term *t = &r->terms[i];
		struct plan_sum *sum = &m->sums[t->role];

		if (!t->in)
			add_addend(keep, sum, -1, t->constant ?
				   t->weight * constant_value(v, t->constant, lead) : t->weight);
		else if (lead)
			add_addend(keep, sum, input_slot(v, t->in, lead), t->weight);
		for (unsigned k = 0; t->in && !lead && k < t->in->n_slots; k++)
			if (t->role != ROLE_CYCLES || !sum->n)
				add_addend(keep, sum, (int)t->in->slots[k], t->weight);
	}
	metric_done(v, r, by, group);
}

/* Are all inputs counted? If only one is not, *ret_lacks is its text, else NULL; also NULL if the
 * others are clocks alone, which many rows divide by. *ret_has: a slot of an input that is
 * counted. */
static bool row_complete(const struct row *r, const char **ret_lacks, unsigned *ret_has)
{
	const struct term *lacks = NULL;
	bool any = false, more = false;

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct input *in = r->terms[i].in;

		if (!in)
			continue;
		if (in->n_slots && (in->p.n || !in->s.selection.event->always_runs)) {
			any = true;
			*ret_has = in->slots[0];
		}
		if (in->n_slots)
			continue;
		more |= lacks && lacks->in != in;
		lacks = &r->terms[i];
	}
	*ret_lacks = any && lacks && !more ? lacks->text : NULL;
	return !lacks;
}

static bool is_ready_made(const struct schedule *sc, const char *group)
{
	for (unsigned i = 0; i < sc->n_groups; i++)
		if (strcmp(sc->groups[i].name, group) == 0)
			return sc->groups[i].conf->n_specs &&
			       sc->groups[i].conf->specs[0].ready_made;
	return false;
}

/* Does the same group lack the same event in another of its rounds? */
static bool is_said(const struct plan_socket *s, const char *group, unsigned row, const char *event)
{
	for (unsigned i = 0; i < s->n_lacking; i++)
		if (s->lacking[i].row == row && s->lacking[i].group == group &&
		    strcmp(s->lacking[i].event, event) == 0)
			return true;
	return false;
}

/* Notes a metric that one more event would yield, and the group to which that should be added. */
static void row_lacks(const struct round_view *v, const struct row *r, const char *event,
		      unsigned slot)
{
	const struct schedule *sc = v->rows->sc;
	const struct plan_round *round = &v->s->rounds[v->round];
	struct plan_socket *s = v->s;
	unsigned i = 0, row = (unsigned)(r - v->rows->rows);

	while (i + 1 < round->n_groups &&
	       !group_holds(&s->groups[round->groups[i]], v->round, slot))
		i++;
	if (is_said(s, s->groups[round->groups[i]].name, row, event))
		return;
	*ARENA_ADD(sc->work, s->lacking, s->n_lacking) = (struct plan_lacking){
		.group = s->groups[round->groups[i]].name, .row = row,
		.metric = arena_text(sc->keep, r->m->name), .event = arena_text(sc->keep, event),
		.ready_made = is_ready_made(sc, s->groups[round->groups[i]].name),
	};
}

/* Is the row bound in this round already, by a group that names it? */
static bool is_bound(const struct round_view *v, const struct row *r)
{
	unsigned i = v->first, row = (unsigned)(r - v->rows->rows);

	while (i < v->s->n_metrics && v->s->metrics[i].row != row)
		i++;
	return i < v->s->n_metrics;
}

/* A row whose inputs are ambiguous is left out, with a note that says what to change in the
 * configuration. by: the group that names it and has both events; NULL: none. */
static bool row_doubled(const struct round_view *v, struct row *r, const struct sched_named *by)
{
	struct schedule *sc = v->rows->sc;
	const struct plan_slot *two[2];

	for (unsigned i = 0; i < r->n_terms; i++) {
		if (!r->terms[i].in || !input_is_ambiguous(v, r->terms[i].in, two))
			continue;
		if (!r->ambiguous && !is_bound(v, r)) {
			schedule_note_once(sc, "%s is not derived: %s and %s both fit its event "
					   "%s; %s.", r->m->name, two[0]->identity,
					   two[1]->identity, r->terms[i].text, by ?
					   "put one of them into another group" : "name it in the "
					   "metrics of the group whose event is meant");
			r->ambiguous = true;
		}
		return true;
	}
	return false;
}

/* Does the name that a group gives include the metric on this unit and port? */
static bool named_at(const struct sched_named *by, const struct plan_slot *lead)
{
	return !by || ((by->unit < 0 || (unsigned)by->unit == lead->unit) &&
		       (by->port < 0 || by->port == lead->port) &&
		       (!by->link || (lead->link && strcmp(by->link, lead->link) == 0)));
}

/* by: of group `group`, whose slots alone are the inputs; NULL: all slots of the round are. */
static void bind_row(const struct round_view *v, struct row *r, const struct sched_named *by,
		     unsigned group)
{
	const struct input *lead;
	const char *lacks;
	unsigned has = 0;

	if (!row_complete(r, &lacks, &has)) {
		if (lacks && !by)
			row_lacks(v, r, lacks, has);
		return;
	}
	if (row_doubled(v, r, by))
		return;
	if (r->m->per == CAT_PER_SOCKET) {
		if (whole_covers(v->rows->sc, v->s, r))
			bind(v, r, NULL, by, group);
		return;
	}
	lead = lead_input(r);
	/* units of another box than the ports' are no match */
	for (unsigned i = 0; lead && i < r->n_terms; i++)
		if (r->terms[i].in && by_unit(r->terms[i].in) && !by_unit(lead))
			lead = NULL;
	for (unsigned i = 0; lead && i < lead->n_slots; i++)
		if (named_at(by, &v->slots[lead->slots[i]]))
			bind(v, r, &v->slots[lead->slots[i]], by, group);
}

/* What the groups of the round name, on their own events. */
static void bind_named(const struct round_view *v, struct metric_rows *m)
{
	const struct plan_round *round = &v->s->rounds[v->round];

	for (unsigned i = 0; i < round->n_groups; i++) {
		const struct sched_group *g = &m->sc->groups[round->groups[i]];

		for (unsigned k = 0; k < g->n_named; k++)
			for (struct row *r = m->rows; r < m->rows + m->n_rows; r++) {
				if (!metric_named(r, &g->named[k]))
					continue;
				for (unsigned t = 0; t < r->n_terms; t++)
					if (r->terms[t].in)
						input_find(v, r->terms[t].in,
							   &v->s->groups[round->groups[i]]);
				bind_row(v, r, &g->named[k], round->groups[i]);
			}
	}
}

static const bool *held_slots(struct arena *work, const struct plan_socket *s, unsigned round)
{
	const struct plan_round *r = &s->rounds[round];
	bool *held = arena_alloc(work, (size_t)r->n_groups * r->n_slots, sizeof(*held));

	for (unsigned i = 0; i < r->n_groups; i++) {
		const struct plan_group *g = &s->groups[r->groups[i]];

		for (unsigned k = 0; k < g->n_slots; k++)
			held[i * r->n_slots + g->slots[round][k]] = true;
	}
	return held;
}

static void bind_round(struct metric_rows *m, struct plan_socket *s, unsigned round)
{
	const struct plan_round *r = &s->rounds[round];
	const struct round_view v = { s, round, r->slots, r->n_slots, s->n_metrics, m,
				      held_slots(m->sc->work, s, round) };

	bind_named(&v, m);
	for (unsigned i = 0; i < m->n_inputs; i++)
		input_find(&v, m->inputs[i], NULL);
	for (unsigned i = 0; i < m->n_rows; i++)
		if (!m->rows[i].m->on_request && !(m->rows[i].m->knee && knee_unmeasured(m)))
			bind_row(&v, &m->rows[i], NULL, 0);
}

/* Has the group the metric in another of its rounds, where another group counts the event? */
static bool is_yielded(const struct plan_socket *s, const struct plan_lacking *l)
{
	for (unsigned i = 0; i < s->n_metrics; i++) {
		const struct plan_round *r = &s->rounds[s->metrics[i].round];

		for (unsigned g = 0; s->metrics[i].row == l->row && g < r->n_groups; g++)
			if (s->groups[r->groups[g]].name == l->group)
				return true;
	}
	return false;
}

/* Leaves what is lacking in all rounds of a group. */
static void lacking_everywhere(struct plan_socket *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_lacking; i++)
		if (s->n_rounds < 2 || !is_yielded(s, &s->lacking[i]))
			s->lacking[n++] = s->lacking[i];
	s->n_lacking = n;
}

/* The same metric of two rounds is one series. */
static void number_series(struct plan_socket *s)
{
	for (unsigned i = 0; i < s->n_metrics; i++) {
		struct plan_metric *m = &s->metrics[i];
		unsigned k = 0;

		while (k < i && (s->metrics[k].row != m->row ||
				 !labels_same(s->metrics[k].labels, m->labels)))
			k += s->metrics[k].round == m->round ? i - k : 1;
		m->series = k < i ? s->metrics[k].series : s->n_metric_series++;
	}
}

void metric_bind(struct metric_rows *m, struct plan_socket *s)
{
	const struct schedule *sc = m->sc;

	for (unsigned r = 0; r < s->n_rounds; r++)
		bind_round(m, s, r);
	lacking_everywhere(s);
	number_series(s);
	s->metrics = arena_copy(sc->keep, s->metrics, s->n_metrics, sizeof(*s->metrics));
	s->lacking = arena_copy(sc->keep, s->lacking, s->n_lacking, sizeof(*s->lacking));
	distributions_add(m, s);
}

void metric_check_used(const struct metric_rows *m)
{
	for (unsigned i = 0; i < m->n_rows; i++) {
		const struct conf_metric *c = m->rows[i].conf;

		if (c && !m->rows[i].bound && !m->rows[i].ambiguous)
			diags_add(m->sc->d, c->where,
				  "metric '%s': no round counts all its events%s; name it in the "
				  "metrics of a group", c->row.name,
				  c->row.per == CAT_PER_SOCKET
				  ? " (of every unit, for per = \"socket\")" :
				  " (of the same unit)");
	}
}
