/* SPDX-License-Identifier: MIT
 * Metric rows of the catalog and of the configuration, their inputs resolved.
 * Owns:  which event, word or constant each addend of a row is; which rows there are, and which
 *        cannot be.
 * Never: which groups and slots a row is of (metric_bind.c).
 * Pure; main thread.
 */
#include "metric/metric_rows.h"

#include "base/name.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Does any group count this event? Other inputs, which are most, are not compared with slots. */
static bool may_be_counted(const struct schedule *sc, const struct input *in)
{
	for SCHED_EACH_ITEM(item, g, sc)
		if (item->perf ? in->p.n > 0 :
		    cat_event_same(in->s.selection.event, item->s.selection.event))
			return true;
	return false;
}

static int input_resolve(const struct schedule *sc, const char *text, bool ready_made,
			 struct input *ret, struct err *err)
{
	const struct spec_machine *on = &sc->machine;

	struct spec written;

	if (spec_parse(sc->work, text, &written, err) < 0)
		return -EINVAL;
	written.ready_made = ready_made;
	if (spec_of_name(sc->work, on, &written, &ret->spec, err) < 0)
		return -EINVAL;
	if (ret->spec.last > ret->spec.unit)
		return err_set(err, -EINVAL, "\"%s\": an input of a metric is one unit or all of "
			       "them", text);
	if (!ret->spec.perf)
		return !on->processor ? spec_no_box(NULL, on->topo, &ret->spec, err) :
		       spec_resolve(sc->work, on->processor, &ret->spec, SPEC_PORT_OPTIONAL,
				    &ret->s, err);
	if (perf_resolve_here(sc->work, on, &ret->spec, &ret->p, err) < 0)
		return -EINVAL;
	ret->per_count = ret->p.scale_given ? perf_base_scale(sc->work, &ret->p, NULL) : 0;
	return 0;
}

static struct input *input_of(struct metric_rows *m, const char *text, bool ready_made,
			      struct err *err)
{
	unsigned *number = texts_number(m->sc->work, &m->input_texts, text);
	struct input in = { .text = text };

	if (*number)
		return m->inputs[*number - 1];
	if (input_resolve(m->sc, text, ready_made, &in, err) < 0)
		return NULL;
	*ARENA_ADD(m->sc->work, m->inputs, m->n_inputs) =
		arena_copy(m->sc->work, &in, 1, sizeof(in));
	*number = m->n_inputs;
	return m->inputs[m->n_inputs - 1];
}

/* The word `seconds`, or of the catalog a constant, which counts for each second. */
static int word_resolve(const struct schedule *sc, const struct row *r, struct term *t,
			struct err *err)
{
	const struct cat_processor *p = r->conf ? NULL : sc->machine.processor;

	t->constant = p ? NAME_FIND(p->constants, p->n_constants, t->text) : NULL;
	if (t->constant || strcmp(t->text, "seconds") == 0)
		return 0;
	return err_set(err, -EINVAL, "'%s' is neither an event (box/EVENT) nor the word 'seconds'",
		       t->text);
}

/* Each count times what the kernel says that it is; where it says nothing, what the row does. */
static int term_scale(const struct row *r, struct term *t, struct err *err)
{
	double per_count = t->in->p.scale_file ? t->in->per_count : r->m->unscaled;

	t->weight *= per_count;
	if (!(per_count > 0))
		return err_set(err, -EINVAL,
			       "the kernel gives no .scale and .unit for %s", t->text);
	if (!r->m->den && t->weight != rint(t->weight))
		return err_set(err, -EINVAL,
			       "a count of %s is %g and no whole number by the kernel's .scale",
			       t->text, t->weight);
	return 0;
}

/* cycles_of must name a clock. Events of the kernel are accepted, which does not say what they
 * are. */
static int check_clock(const struct term *t, struct err *err)
{
	const struct cat_selection *c = &t->in->s.selection;

	if (t->in->p.n || c->event->always_runs)
		return 0;
	return err_set(err, -EINVAL,
		       "%s is not a clock that always runs, which cycles_of needs%s%s", t->text,
		       c->box->clock ? "; the clock of its box is " : "",
		       c->box->clock ? c->box->clock : "");
}

static int row_add_term(struct metric_rows *m, struct row *r, enum role role,
			const struct cat_term *c, struct err *err)
{
	struct term *t = ARENA_ADD(m->sc->work, r->terms, r->n_terms);

	*t = (struct term){ .role = (uint8_t)role, .text = c->spec,
			    .weight = c->weight != 0 ? c->weight : 1 };
	if (!cat_is_event(c->spec))
		return word_resolve(m->sc, r, t, err);
	t->in = input_of(m, c->spec, !r->conf, err);
	if (!t->in)
		return -EINVAL;
	if (role == ROLE_CYCLES)
		return check_clock(t, err);
	return r->m->scaled && role <= ROLE_DEN ? term_scale(r, t, err) : 0;
}

/* The first mistake ends a row of the catalog. Of a row of the configuration, all are reported. */
static int row_add_sum(struct metric_rows *m, struct row *r, enum role role,
		       const struct cat_term *c, struct err *err)
{
	int ret = 0;

	for (; c && c->spec && (ret == 0 || r->conf); c++) {
		int one = c->faulty ? -EINVAL : row_add_term(m, r, role, c, err);

		if (one < 0 && r->conf && !c->faulty)
			diags_add(m->mistakes, (struct where){ r->conf->where.file, c->line },
				  "metric '%s': %s", r->m->name, err->text);
		ret = one < 0 ? one : ret;
	}
	return ret;
}

/* Why the row does not hold on this machine although its table does; NULL: it does. */
static const char *row_excepted(const struct metric_rows *m, const struct row *r)
{
	const struct spec_machine *on = &m->sc->machine;
	const struct cat_metrics *own = on->processor ? on->processor->metrics : NULL;
	bool registers = own && r->m >= own->v && r->m < own->v + own->n;
	const struct topo *t = registers ? on->topo : on->perf_topo;

	return t ? cat_metric_excepted(r->m, t->model, t->model_name) : NULL;
}

static int row_resolve(struct metric_rows *m, struct row *r, struct err *err)
{
	const struct cat_metric *c = r->m;
	const struct cat_term clock[] = {
		{ .spec = c->cycles_of, .line = r->conf ? r->conf->where.line : 0 },
		{ .spec = NULL },
	};
	const struct cat_term *sums[] = {
		[ROLE_NUM] = c->num, [ROLE_DEN] = c->den,
		[ROLE_GUARD_NUM] = c->guard ? c->guard->num : NULL,
		[ROLE_GUARD_DEN] = c->guard ? c->guard->den : NULL, [ROLE_CYCLES] = clock,
	};
	int ret = 0;

	if (c->absent)
		return err_set(err, -ENODATA, "%s", c->absent);
	if (row_excepted(m, r))
		return err_set(err, -ENODATA, "%s", row_excepted(m, r));
	for (unsigned i = 0; i < COUNT(sums) && (ret == 0 || r->conf); i++) {
		int one = row_add_sum(m, r, i, sums[i], err);

		ret = one < 0 ? one : ret;
	}
	return ret;
}

/* Does the name of its events begin with this word? */
static bool is_pmu_word(const char *pmu, const char *word)
{
	char box[64];

	perf_pmu_box(pmu, box, sizeof(box), NULL);
	box[strcspn(box, "_")] = '\0';
	return strcmp(word, box) == 0;
}

/* A box of any processor, not only of this one: a configuration is for a whole fleet. */
static bool is_box_word(const struct metric_rows *m, const char *word)
{
	/* PMUs of every machine, those that are not named after a box, and those of Linux 6.12
	 * (arch/x86/events/intel/uncore_*.c) that no table has. */
	static const char words[] = "breakpoint cpu kprobe software tracepoint uprobe msr power "
				    "arb b2cmi b2cxl b2hot b2upi cbo cxlcm cxldp edc iio m2m "
				    "m2pcie m3upi mdf upi";
	const struct topo_pmus *pmus = m->sc->machine.pmus;

	if (name_listed(words, word, strlen(word)))
		return true;
	for (unsigned i = 0; i < cat_n_processors; i++)
		if (cat_box_by_name(cat_processors[i], word))
			return true;
	for (unsigned i = 0; i < cat_n_perfs; i++)
		for (unsigned k = 0; k < cat_perfs[i]->n_pmus; k++)
			if (is_pmu_word(cat_perfs[i]->pmus[k].name, word))
				return true;
	for (unsigned i = 0; pmus && i < pmus->n; i++)
		if (is_pmu_word(pmus->v[i].name, word))
			return true;
	return false;
}

/* Is it a metric of the catalog? A row of the configuration may replace it, even clock_hertz,
 * although there is a PMU uncore_clock. */
static bool is_ready_name(const char *name)
{
	for (unsigned i = 0; i < cat_n_processors; i++)
		if (NAME_FIND(cat_processors[i]->metrics->v, cat_processors[i]->metrics->n, name))
			return true;
	for (unsigned i = 0; i < cat_n_perfs; i++)
		if (NAME_FIND(cat_perfs[i]->metrics, cat_perfs[i]->n_metrics, name))
			return true;
	return false;
}

/* OpenMetrics calls the family of a counter without its _total: no other metric may be called so,
 * of any machine, as above. Of two rows of the configuration the counter is told of it. */
static bool check_conf_family(const struct metric_rows *m, const struct conf_metric *c)
{
	const char *name = c->row.name, *end = strrchr(name, '_');
	bool counter = end && strcmp(end, "_total") == 0;
	const char *other = counter ? arena_text_n(m->sc->work, name, (size_t)(end - name)) :
			    arena_printf(m->sc->work, "%s_total", name);

	if (!is_ready_name(other) && !(counter && metric_conf_row(m, other)))
		return true;
	diags_add(m->mistakes, c->where, "metric '%s': OpenMetrics calls a counter without its "
		  "_total, so it and the metric '%s' would be one; choose another name",
		  name, other);
	return false;
}

/* A metric must not be named like the counts of a box or PMU. */
static bool check_conf_name(const struct metric_rows *m, const struct conf_metric *c)
{
	char word[128];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(c->row.name, "_"), c->row.name);
	if (!is_box_word(m, word) || is_ready_name(c->row.name))
		return check_conf_family(m, c);
	diags_add(m->mistakes, c->where, "metric '%s': its first word '%s' is the name of a box or "
		  "PMU and would look like a count of it", c->row.name, word);
	return false;
}

/* Units of two boxes are a pair only if there are as many of both: B-Box 1 and M-Box 1, but no
 * B-Box and C-Box. */
static bool check_conf_units(const struct metric_rows *m, const struct row *r)
{
	const struct cat_box *first = NULL;

	for (unsigned i = 0; i < r->n_terms && r->m->per == CAT_PER_UNIT; i++) {
		const struct input *in = r->terms[i].in;
		const struct cat_box *box = in && !in->p.n && in->s.every_unit ? in->s.selection.box
			: NULL;

		if (!box || box->n_units < 2)
			continue;
		if (first && first->n_units != box->n_units) {
			diags_add(m->mistakes, r->conf->where, "metric '%s': a value for each "
				  "unit, but a socket has %u units of %s and %u of %s; name one of "
				  "them (%s0/...), or sum up: per = \"socket\"", r->m->name,
				  first->n_units, first->name, box->n_units, box->name, box->name);
			return false;
		}
		first = box;
	}
	return true;
}

static void add_conf_row(struct metric_rows *m, const struct conf_metric *c)
{
	struct row r = { .m = &c->row, .conf = c };
	bool ok = !c->faulty && check_conf_name(m, c);
	struct err err;

	ok &= row_resolve(m, &r, &err) == 0;
	if (ok && check_conf_units(m, &r))
		*ARENA_ADD(m->sc->work, m->rows, m->n_rows) = r;
}

/* Does this machine have a metric that is one of these? */
static bool has_one_of(const struct metric_rows *m, const char *names)
{
	for (unsigned i = 0; i < m->n_rows; i++)
		if (name_listed(names, m->rows[i].m->name, strlen(m->rows[i].m->name)))
			return true;
	return false;
}

/* Has this machine memory beside DDR, the high-bandwidth memory of a Xeon Max? */
static bool has_other_memory(const struct metric_rows *m)
{
	const struct topo_pmus *pmus = m->sc->machine.pmus;
	char type[32];

	for PERF_EACH_TABLE(t, &m->sc->machine) {
		snprintf(type, sizeof(type), "uncore_type_%u", t->unnamed);
		if (t->few && (perf_has_any(pmus, t) || perf_has_pmu(pmus, type)))
			return true;
	}
	return false;
}

const char *knee_missing(const struct metric_rows *m)
{
	/* a row of the knee itself has all the traffic in it */
	bool traffic = has_one_of(m, "memory_knee_bytes_per_second memory_read_bytes_total "
				  "memory_bytes_total");

	if (has_other_memory(m))
		return "the latency by which its knee would be found is of two kinds of memory, "
		       "high-bandwidth memory and DDR";
	if (has_one_of(m, CAT_MEMORY_LATENCY))
		return traffic ? NULL : "uncored counts no bytes of all the memory of a socket on "
			"this machine, of which its knee would be so many a second";
	if (traffic)
		return "uncored knows no memory latency in seconds on this machine, by which its "
		       "knee would be found";
	return "uncored knows no memory latency in seconds on this machine, by which its knee "
	       "would be found, and counts no bytes of all the memory of a socket";
}

const char *knee_unmeasured(const struct metric_rows *m)
{
	const char *missing = knee_missing(m);

	if (missing)
		return missing;
	if (!m->knees)
		return "nobody has looked where the memory of this machine saturates";
	return m->knees->unmeasured;
}

/* Does any mix have one? */
static bool has_knee(const struct plan_knee *k)
{
	for (unsigned i = 0; i < k->n; i++)
		if (k->mix[i].bytes_per_second > 0)
			return true;
	return false;
}

const char *knee_bind(const struct metric_rows *m, unsigned socket, const struct plan_knee **ret)
{
	const char *why = knee_unmeasured(m);
	unsigned i = 0;

	if (!why)
		why = m->knees->refused;
	while (!why && i < m->knees->n && m->knees->v[i].socket != socket)
		i++;
	if (!why && i < m->knees->n && has_knee(&m->knees->v[i])) {
		*ret = arena_copy(m->sc->keep, &m->knees->v[i], 1, sizeof(**ret));
		return NULL;
	}
	if (!why && i == m->knees->n)
		why = arena_printf(m->sc->keep, "the memory of socket %u was not measured: sudo "
				   "uncorectl verify --curve", socket);
	else if (!why)
		why = arena_printf(m->sc->keep, "when the memory of socket %u was measured, no "
				   "traffic made its latency 1.5 times the least", socket);
	why = arena_text(m->sc->keep, why);
	schedule_note_once(m->sc, "Metrics of the memory's knee are left out (reason hidden): %s.",
			   why);
	return why;
}

const char *knee_refused(const struct metric_rows *m)
{
	return m->knees ? m->knees->refused : NULL;
}

const char *knee_in_part(const struct metric_rows *m)
{
	const struct plan_knees *all = m->knees;
	const char *text = NULL;

	for (unsigned i = 0; all && i < all->n; i++)
		for (unsigned k = 0; has_knee(&all->v[i]) && k < all->v[i].n; k++) {
			const struct plan_knee_mix *mix = &all->v[i].mix[k];

			if (!(mix->bytes_per_second > 0))
				text = arena_printf(m->sc->work, "%s%ssocket %u, %.0f %% reads",
						    text ?: "", text ? "; " : "",
						    all->v[i].socket, 100 * mix->reads);
		}
	if (!text)
		return NULL;
	return arena_printf(m->sc->work, "while its mix is one at which no traffic made the "
			    "latency 1.5 times the least, or beyond it: %s (conflict)", text);
}

const struct conf_metric *metric_conf_row(const struct metric_rows *m, const char *name)
{
	return NAME_FIND(m->conf->metrics, m->conf->n_metrics, name);
}

/* What this processor, or this machine's kernel, does not have is absent; `uncorectl doctor` says
 * why. */
static void add_cat_rows(struct metric_rows *m, const struct cat_perf *t,
			 const struct cat_metric *v, unsigned n)
{
	const struct spec_machine *on = &m->sc->machine;
	struct err unnamed = { "" };

	if (t)
		perf_unnamed(on->perf_topo, on->pmus, t, &unnamed);
	for (unsigned i = 0; i < n; i++) {
		struct row r = { .m = &v[i], .table = t };
		struct err err;

		if (row_resolve(m, &r, &err) < 0)
			r.absent = arena_text(m->sc->work, unnamed.text[0] && !v[i].absent ?
					      unnamed.text : err.text);
		if (r.absent || metric_conf_row(m, v[i].name))
			*ARENA_ADD(m->sc->work, m->others, m->n_others) = r;
		else
			*ARENA_ADD(m->sc->work, m->rows, m->n_rows) = r;
	}
}

struct metric_rows *metric_rows_new(struct schedule *sc, const struct conf *conf,
				    const struct plan_constants *constants,
				    const struct plan_knees *knees, struct diags *mistakes)
{
	struct metric_rows *m = arena_alloc(sc->work, 1, sizeof(*m));
	const struct cat_processor *p = sc->machine.processor;

	*m = (struct metric_rows){ .sc = sc, .conf = conf, .constants = constants,
				   .knees = knees, .mistakes = mistakes };
	if (p)
		add_cat_rows(m, NULL, p->metrics->v, p->metrics->n);
	for PERF_EACH_TABLE(t, &sc->machine)
		add_cat_rows(m, t, t->metrics, t->n_metrics);
	for (unsigned i = 0; i < conf->n_metrics; i++)
		add_conf_row(m, &conf->metrics[i]);
	return m;
}

const char *metric_row_absent(const struct metric_rows *m, const struct cat_metric *c,
			      const struct spec_perf **ret_first)
{
	const struct row *r = NULL;

	for (unsigned i = 0; !r || r->m != c; i++)
		r = i < m->n_rows ? &m->rows[i] : &m->others[i - m->n_rows];
	*ret_first = !r->absent && r->terms[0].in ? &r->terms[0].in->p : NULL;
	return r->absent || !c->knee ? r->absent : knee_unmeasured(m);
}

void metric_rows_with_groups(struct metric_rows *m)
{
	for (unsigned i = 0; i < m->n_inputs; i++)
		m->inputs[i]->counted = may_be_counted(m->sc, m->inputs[i]);
	for (unsigned i = 0; i < m->n_rows; i++) {
		const struct conf_metric *c = m->rows[i].conf;

		if (c && c->row.cycles_of && strcmp(c->row.unit, "seconds") != 0)
			schedule_note(m->sc, "%s:%u: metric '%s' is in seconds, as cycles_of makes "
				      "it, but its name says %s.", c->where.file, c->where.line,
				      c->row.name, c->row.unit);
	}
	diags_move(m->sc->d, m->mistakes);
}

bool group_holds(const struct plan_group *g, unsigned round, unsigned slot)
{
	for (unsigned i = 0; i < g->n_slots; i++)
		if (g->slots[round][i] == slot)
			return true;
	return false;
}

void metric_add_group(const struct metric_rows *rows, const struct plan_socket *s,
		      struct plan_metric *m, unsigned group)
{
	const struct plan_overflow_window *w = &s->rounds[m->round].overflow_window;
	nsec resolution = s->groups[group].resolution;

	*ARENA_ADD(rows->sc->keep, m->groups, m->n_groups) = group;
	if (!m->resolution || resolution < m->resolution)
		m->resolution = resolution;
	m->overflow_windows = w->count && m->n_groups == 1 && m->groups[0] == w->group;
}
