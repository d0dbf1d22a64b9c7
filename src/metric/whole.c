/* SPDX-License-Identifier: MIT
 * Is what counts on a socket the whole of it?
 * Owns:  whether a metric of a socket has every instance that this machine has there; what makes
 *        the whole unsure although every instance counts; which units a row names.
 * Never: values.
 * Pure; main thread.
 *
 * A part of a sum looks like the sum. So a metric of a socket is whole, or it has no value: where
 * groups leave out an instance, it is not there at all; where the machine contradicts itself, it is
 * `hidden`, and a note says what is odd.
 */
#include "metric/whole.h"

#include "base/words.h"

#include <string.h>

/* ------------------------------------------------------------------ what groups count */

/* The slots that an input has on a socket if all its instances count. */
static unsigned perf_slots(const struct spec_machine *m, const struct topo_socket *t,
			   const struct spec_perf *p)
{
	unsigned n = 0;

	if (p->first_unit >= 0)         /* it names one unit */
		return 1;
	for (unsigned i = 0; t && i < p->n; i++)
		n += perf_places(m, t, p->v[i].pmu, NULL);
	return n;
}

static unsigned box_slots(const struct spec_box *s)
{
	const struct cat_box *box = s->selection.box;

	return (s->every_unit ? box->n_units : 1) * (s->any_port ? box->n_ports : 1);
}

bool whole_covers(const struct schedule *sc, const struct plan_socket *s, const struct row *r)
{
	const struct topo_socket *t = topo_socket(sc->machine.perf_topo, s->id);

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct input *in = r->terms[i].in;

		if (in && in->n_slots != (in->p.n ? perf_slots(&sc->machine, t, &in->p) :
					    box_slots(&in->s)))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ contradictions */

/* The note is the same for all metrics of the socket that it concerns: those that are made from the
 * events of a box, or NULL, all. */
static const char *note(struct schedule *sc, const struct topo_socket *t, const char *box,
			const char *odd)
{
	if (odd)
		schedule_note_once(sc, "Metrics of socket %u%s%s are left out (reason hidden): %s.",
				   t->id, box ? " that are made from " : "", box ?: "", odd);
	return odd;
}

/* t: of the machine where the events of a row count. */
static const char *note_topo(struct schedule *sc, const struct topo *topo,
			     const struct topo_socket *t)
{
	const struct cat_processor *p = cat_processor_by_id(topo->vendor, topo->family,
							    topo->model);

	if (!p || !p->caches || t->n_caches <= p->caches)
		return NULL;
	return note(sc, t, NULL,
		    arena_printf(sc->keep, "its CPUs have %u last-level caches, but a "
				 "package of %s has %u: the firmware gives several packages "
				 "one number (physical_package_id), and only one of them "
				 "is read; a newer firmware may help", t->n_caches, p->title,
				 p->caches));
}

/* why: NULL: nothing is left out. */
static const char *note_left_out(struct schedule *sc, const struct spec_perf *p, const char *why)
{
	if (why)
		schedule_note_once(sc, "Metrics of a socket that are made from %s are left out "
				   "(reason hidden), because one instance is not counted: %s",
				   p->box, why);
	return why;
}

void whole_note_left_out(struct schedule *sc, const struct spec_perf *p)
{
	note_left_out(sc, p, p->left_out);
}

static const char *note_perf(struct schedule *sc, const struct topo_socket *t,
			     const struct spec_perf *p)
{
	return note_left_out(sc, p, p->left_out ?: p->other_events) ?:
	       note_topo(sc, sc->machine.perf_topo, t) ?:
	       note(sc, t, p->box, perf_odd(sc->keep, &sc->machine, t, p));
}

const char *whole_hidden(struct schedule *sc, const struct plan_socket *s, const struct row *r)
{
	const struct topo_socket *t = topo_socket(sc->machine.perf_topo, s->id);
	const char *why = NULL;

	for (unsigned i = 0; !why && i < r->n_terms; i++) {
		const struct input *in = r->terms[i].in;

		if (in && in->p.n)
			why = note_perf(sc, t, &in->p);
		else if (in)
			why = note_topo(sc, sc->machine.topo, topo_socket(sc->machine.topo, s->id));
	}
	return why;
}

/* ------------------------------------------------------------------ units that a row names */

/* Units of one box, as a row names them. */
struct named_units {
	const char *box;
	bool *has;                      /* of each number below n */
	unsigned n;
};

static void name_unit(const struct schedule *sc, struct named_units *u, unsigned unit)
{
	while (u->n <= unit)
		*ARENA_ADD(sc->work, u->has, u->n) = false;
	u->has[unit] = true;
}

/* The units of an input that names one of several; none if it means all. */
static void name_units(const struct schedule *sc, struct named_units *u, const struct input *in)
{
	const struct spec_pmu *v = in->p.v;
	unsigned units;                 /* of an instance */

	if (!in->p.n) {
		if (!in->s.every_unit && in->s.selection.box->n_units > 1)
			name_unit(sc, u, in->s.selection.unit);
		return;
	}
	if (in->p.first_unit >= 0) {
		name_unit(sc, u, (unsigned)in->p.first_unit);
		return;
	}
	if (in->p.n > 1 || v->number < 0 || !v->pmu)
		return;
	units = perf_units(&sc->machine, v->name);
	for (unsigned i = 0; i < units; i++)
		name_unit(sc, u, (unsigned)v->number * units + i);
}

static const char *input_box(const struct input *in)
{
	return in->p.n ? in->p.box : in->s.selection.box->name;
}

/* "units 0 to 3 and 6", "unit 2" */
static const char *units_text(const struct schedule *sc, const struct named_units *u)
{
	const char **ranges = arena_alloc(sc->work, u->n, sizeof(*ranges));
	unsigned n = 0, units = 0;

	for (unsigned i = 0; i < u->n; i++) {
		unsigned first = i;

		if (!u->has[i])
			continue;
		while (i + 1 < u->n && u->has[i + 1])
			i++;
		units += i + 1 - first;
		if (i > first + 1) {
			ranges[n++] = arena_printf(sc->work, "%u to %u", first, i);
			continue;
		}
		ranges[n++] = arena_printf(sc->work, "%u", first);
		if (i > first)
			ranges[n++] = arena_printf(sc->work, "%u", i);
	}
	return arena_printf(sc->work, "unit%s %s", units == 1 ? "" : "s",
			    words_list(sc->work, ranges, n));
}

const char *whole_units(const struct schedule *sc, const struct row *r)
{
	struct named_units *boxes = NULL;
	const char **texts;
	unsigned n = 0, named = 0;

	for (unsigned i = 0; i < r->n_terms; i++) {
		const struct input *in = r->terms[i].in;
		unsigned k = 0;

		if (!in || r->terms[i].role > ROLE_DEN)
			continue;
		while (k < n && strcmp(boxes[k].box, input_box(in)) != 0)
			k++;
		if (k == n)
			*ARENA_ADD(sc->work, boxes, n) = (struct named_units){ input_box(in), NULL,
									       0 };
		name_units(sc, &boxes[k], in);
	}
	texts = arena_alloc(sc->work, n, sizeof(*texts));
	for (unsigned k = 0; k < n; k++)
		if (boxes[k].n)
			texts[named++] = n == 1 ? units_text(sc, &boxes[k]) :
				arena_printf(sc->work, "%s of %s", units_text(sc, &boxes[k]),
					     boxes[k].box);
	return !named ? "" : arena_printf(sc->work, " of %s",
					  words_list(sc->work, texts, named));
}
