/* SPDX-License-Identifier: MIT
 * The events that a metric needs, for a group that names it.
 * Owns:  which inputs the name of a metric needs: those of all its rows, clock and guard included.
 * Never: units, ports and counters (planner/, schedule/).
 * Pure; main thread.
 */
#include "metric/metric_rows.h"

#include "base/name.h"
#include "base/words.h"

#include <errno.h>
#include <string.h>

bool metric_named(const struct row *r, const struct sched_named *by)
{
	return strcmp(r->m->name, by->name) == 0 &&
	       (!by->link || !r->m->link || strcmp(by->link, r->m->link) == 0);
}

/* Does the row count through perf events? One of the two alone is possible for a row. */
static bool by_perf(const struct row *r)
{
	for (unsigned i = 0; i < r->n_terms; i++)
		if (r->terms[i].in)
			return r->terms[i].in->p.n > 0;
	return false;
}

/* Of PMUs with many instances, as the ready-made groups say, only metrics are shown. */
static bool shows_metrics_only(const struct schedule *sc, const struct cat_metric *m)
{
	for PERF_EACH_TABLE(t, &sc->machine)
		for (unsigned i = 0; i < t->n_groups; i++)
			if (t->groups[i].metrics_only && cat_perf_yields(&t->groups[i], m))
				return true;
	return false;
}

static void add_inputs(const struct metric_rows *m, const struct row *r, struct metric_inputs *ret)
{
	struct arena *work = m->sc->work;

	ret->of_socket |= r->m->per == CAT_PER_SOCKET;
	ret->of_link |= r->m->link != NULL;
	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct input *in = r->terms[i].in;
		unsigned k = 0;

		while (k < ret->n && ret->v[k].spec != (in ? &in->spec : NULL))
			k++;
		if (!in || k < ret->n)
			continue;
		*ARENA_ADD(work, ret->v, ret->n) = (struct metric_input){
			.spec = &in->spec, .box = in->p.n ? NULL : &in->s,
			.perf = in->p.n ? &in->p : NULL,
			.metrics_only = in->p.n && !r->conf && shows_metrics_only(m->sc, r->m) };
	}
}

/* Why the metric cannot be counted here, where a table has it; else the one that may be meant. */
static int refuse(const struct metric_rows *m, const char *name, struct err *err)
{
	struct nearest near = { .wanted = name };

	for (unsigned i = 0; i < m->n_others; i++)
		if (m->others[i].absent && strcmp(m->others[i].m->name, name) == 0)
			return err_set(err, -ENODATA, "%s", m->others[i].absent);
	for (unsigned i = 0; i < m->n_rows; i++)
		nearest_offer(&near, m->rows[i].m->name);
	return err_set(err, -ENOENT, "there is no metric '%s' here%s%s%s (uncorectl list metrics "
		       "has all)", name, near.name ? "; the nearest is '" : "", near.name ?: "",
		       near.name ? "'" : "");
}

const char *metric_of_series(const struct metric_rows *m, const char *series)
{
	for (unsigned i = 0; i < m->n_rows; i++)
		if (cat_metric_is(m->rows[i].m, series))
			return m->rows[i].m->name;
	return NULL;
}

int metric_inputs(const struct metric_rows *m, const struct sched_named *by, bool perf,
		  struct metric_inputs *ret, struct err *err)
{
	bool other = false, registers = false;

	*ret = (struct metric_inputs){ 0 };
	/* through registers where they count, else, or without registers, through the kernel */
	for (unsigned pass = perf; pass < 2 && !ret->n; pass++)
		for (unsigned i = 0; i < m->n_rows; i++) {
			const struct row *r = &m->rows[i];

			if (!metric_named(r, by))
				other |= strcmp(r->m->name, by->name) == 0;
			else if (by_perf(r) == (pass > 0))
				add_inputs(m, r, ret);
			else
				registers |= perf;
		}
	if (ret->n)
		return 0;
	if (registers)
		return err_set(err, -ENODATA, "metric '%s' counts through registers, which the "
			       "perf engine does not use; uncorectl doctor says what prevents it",
			       by->name);
	return other ? err_set(err, -ENOENT, "metric '%s' has no link '%s'", by->name, by->link) :
	       refuse(m, by->name, err);
}
