/* SPDX-License-Identifier: MIT
 * Events by their names alone, or by a box and the name that their maker gives them:
 * UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE, cha3/TOR_INSERTS.IA_MISS_DRD_REMOTE,
 * perf/amd_umc/umc_cas_cmd.rd/.
 * Owns:  which event of the catalog's boxes, or of the tables of the kernel's PMUs, a name means.
 * Never: codes; whether the machine's kernel has the PMU (perf_resolve.c).
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include "base/name.h"
#include "base/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct named {                      /* a name that is looked for, and what has it */
	struct arena *a;
	const struct spec_machine *m;
	const struct spec *s;
	const char *name;           /* of the event with its unit masks, "TOR_INSERTS.IA_MISS" */
	const struct cat_box *box;          /* the first of those with registers; NULL: none */
	const struct cat_perf_event *row;   /* the first of the kernel's PMUs; NULL: none */
	bool there;                         /* this machine has that PMU */
	int port;                           /* of it alone; -1: the row as it is */
	const char **found;         /* box and event of each, as they can be typed */
	unsigned n_found;
	const char *whole;          /* the box with the digits that may be of its name, "amd_l3" of
				     * box amd_l, unit 3; NULL: it has none */
	bool is_whole;              /* they are */
	bool box_known;             /* any box has the name that was given, or none was given */
	const char *near;           /* like what was given, as it can be typed; NULL: nothing is */
	unsigned distance;
};

static void add_found(struct named *n, const char *text)
{
	for (unsigned i = 0; i < n->n_found; i++)
		if (strcmp(n->found[i], text) == 0)
			return;
	*ARENA_ADD(n->a, n->found, n->n_found) = text;
}

/* asked: what was given, without the prefix of the box. */
static void offer_near(struct named *n, const char *asked, const char *name, const char *box)
{
	unsigned d = name_distance(asked, name);

	if ((n->near && d >= n->distance) || !name_is_typo(asked, name))
		return;
	n->near = arena_printf(n->a, "%s/%s", box, name);
	n->distance = d;
}

/* ---- boxes with registers */

static void find_in_boxes(struct named *n)
{
	const struct cat_processor *p = n->m->processor;

	for (unsigned i = 0; p && i < p->n_boxes && !n->s->box; i++) {
		const struct cat_box *b = p->boxes[i];
		const struct cat_event *e = cat_event_by_name(b, n->s->event);
		const char *near = e ? NULL : cat_nearest_event(b, n->s->event);

		if (e && !n->box)
			n->box = b;
		if (e)
			add_found(n, arena_printf(n->a, "%s/%s", b->name, e->name));
		if (near)
			offer_near(n, n->s->event, near, b->name);
	}
}

/* ---- rows of the kernel's PMUs */

/* The name of a row's PMU without the number of an instance: "uncore_cha" of "uncore_cha_0/...". */
static char *family_of(struct arena *a, const struct cat_perf_event *e)
{
	const char *pmu = e->spec + strlen("perf/");

	return arena_text(a, perf_family(arena_text_n(a, pmu, strcspn(pmu, "/"))).s);
}

/* Is the PMU the one that was given: "cha", "uncore_cha"; or was none given? */
static bool is_asked_pmu(struct named *n, const char *family, const char *box)
{
	const struct spec *s = n->s;

	if (!s->box || name_same(s->box, family) || name_same(s->box, box))
		return true;
	if (!n->whole || !(name_same(n->whole, family) || name_same(n->whole, box)))
		return false;
	n->is_whole = true;
	return true;
}

/* text: of this event, as it can be typed. What a PMU of this machine counts comes before what one
 * of its like has: the processor's with high-bandwidth memory. */
static void take_found(struct named *n, const struct cat_perf_event *e, int port, const char *text)
{
	bool there = perf_has_pmu(n->m->pmus, family_of(n->a, e));

	if (n->row && n->there && !there)
		return;
	if (!n->row || there > n->there) {
		n->row = e;
		n->port = port;
		n->there = there;
		n->n_found = 0;
	}
	add_found(n, text);
}

/* One port of an event of all ports? asked: the name without the prefix of the box. */
static void find_port(struct named *n, const struct cat_perf_event *e, const char *asked,
		      const char *box)
{
	uint32_t ports = cat_perf_ports(e);

	for (unsigned port = 0; ports >> port; port++) {
		char own[CAT_PERF_NAME], name[CAT_PERF_NAME];

		if (!(ports >> port & 1))
			continue;
		cat_perf_port_name(e, port, name);
		if (cat_perf_is_published(name, asked))
			take_found(n, e, (int)port,
				   arena_printf(n->a, "%s/%s_part%u", box,
						cat_perf_event_name(e, own), port));
		else
			offer_near(n, asked, name, box);
	}
}

static void find_in_table(struct named *n, const struct cat_perf *t)
{
	for (unsigned i = 0; i < t->n_events; i++) {
		const struct cat_perf_event *e = &t->events[i];
		const char *family = family_of(n->a, e);
		const char *asked = cat_perf_without_prefix(family, n->name);
		char box[PERF_NAME], own[CAT_PERF_NAME];

		perf_pmu_box(family, box, sizeof(box), NULL);
		if (!is_asked_pmu(n, family, box))
			continue;
		n->box_known = true;
		cat_perf_event_name(e, own);
		if (cat_perf_event_is_called(e, n->name)) {
			take_found(n, e, -1, arena_printf(n->a, "%s/%s", box, own));
			continue;
		}
		find_port(n, e, asked, box);
		offer_near(n, asked, own, box);
		if (e->published)
			offer_near(n, asked, e->published, box);
	}
}

/* A box that neither the processor nor the kernel has is somebody else's, whatever tables know. */
static void find_in_tables(struct named *n)
{
	bool registers = n->m->processor && !n->m->perf_engine;
	struct spec_perf p = { 0 };

	n->box_known |= perf_find_pmus(n->a, n->m->pmus, n->s->box ?: "", &p, NULL) == 0;
	if (registers && !n->box_known)
		return;
	for PERF_EACH_TABLE(t, n->m)
		find_in_table(n, t);
}

/* ---- what was found */

/* The keys of s beside name=, as terms that follow those of the row; "": there are none. */
static const char *more_terms(struct arena *a, const struct spec *s, const char **ret_name)
{
	const char *terms = "";

	for (unsigned i = 0; i < s->n_keys; i++) {
		const struct spec_key *k = &s->keys[i];

		if (strcmp(k->name, "name") == 0 && k->value)
			*ret_name = k->value;
		else
			terms = arena_printf(a, "%s,%s%s%s", terms, k->name, k->value ? "=" : "",
					     k->value ?: "");
	}
	return terms;
}

/* The terms of the row, or of one of its ports alone, whose name is one of its own. */
static const char *terms_of(const struct named *n)
{
	const char *terms = strchr(n->row->spec + strlen("perf/"), '/') + 1, *mask;
	const char *all = arena_printf(n->a, "%.*s", (int)strcspn(terms, "/"), terms);

	if (n->port < 0)
		return all;
	mask = strstr(all, "ch_mask=");
	return arena_printf(n->a, "%.*sch_mask=0x%x%s_part%d", (int)(mask - all), all,
			    1U << n->port, mask + strcspn(mask, ","), n->port);
}

/* The row's event on all instances of its PMU, or on the units that were given. */
static int take_row(const struct named *n, struct spec *ret, struct err *err)
{
	const char *family = family_of(n->a, n->row), *name = NULL;
	const char *more = more_terms(n->a, n->s, &name);
	struct spec row;

	if (*more && !name)
		return err_set(err, -EINVAL, "\"%s\": with %s it is another event than %s and "
			       "needs a name of its own: add ,name=...", n->s->text, more + 1,
			       n->found[0]);
	if (spec_parse(n->a, arena_printf(n->a, "perf/%s/%s%s/%s%s", family, terms_of(n), more,
					  name ? ",name=" : "", name ?: ""), &row, err) < 0)
		return -EINVAL;
	row.where = n->s->where;
	row.typed = n->s->text;
	row.input_only = n->s->input_only;
	row.unit = n->is_whole ? -1 : n->s->unit;
	row.last = n->is_whole ? -1 : n->s->last;
	row.ready_made = true;
	row.row = n->row;
	*ret = row;
	return 0;
}

/* perf/PMU/NAME/ with a name that none of the kernel's PMUs has: the PMU without the number of an
 * instance; NULL: it is something else. */
static const char *unnamed_of(struct arena *a, const struct spec_machine *m, const struct spec *s)
{
	struct spec_perf p = { 0 };

	if (s->ready_made || s->identity || !*s->terms || strpbrk(s->terms, "=,") ||
	    perf_find_pmus(a, m->pmus, s->box, &p, NULL) < 0)
		return NULL;
	for (unsigned i = 0; i < p.n; i++) {
		const struct topo_pmu *pmu = p.v[i].pmu;

		for (unsigned k = 0; pmu && k < pmu->n_events; k++)
			if (name_same(pmu->events[k].name, s->terms))
				return NULL;
	}
	return arena_text(a, perf_family(p.v[0].name).s);
}

/* What the tables of this machine have of that name; else it stays as it is, and is refused. */
static void take_published(struct arena *a, const struct spec_machine *m, const struct spec *s,
			   struct spec *ret)
{
	const char *family = unnamed_of(a, m, s);
	struct spec asked = { .text = s->text, .box = (char *)family, .unit = -1, .last = -1 };
	struct named n = { .a = a, .m = m, .s = &asked, .name = s->terms, .port = -1 };
	size_t before = strlen("perf/");
	struct spec row;

	if (!family)
		return;
	for PERF_EACH_TABLE(t, m)
		find_in_table(&n, t);
	before += strcspn(s->text + before, "/");
	if (n.n_found != 1 ||
	    spec_parse(a, arena_printf(a, "%.*s/%s%s", (int)before, s->text, terms_of(&n),
				       s->text + before + 1 + strlen(s->terms)), &row, NULL) < 0)
		return;
	row.where = s->where;
	row.typed = s->text;
	row.input_only = s->input_only;
	row.row = n.row;
	*ret = row;
}

/* libpfm4 knows events of which uncored has no row: their names become its own. */
static int take_pfm(const struct named *n, struct spec *ret, const char **why)
{
	char *name = n->m->perf_topo ? pfm_of_name(n->a, n->m->perf_topo, n->s, why) : NULL;
	struct spec row;

	if (!name || n->s->n_keys ||
	    spec_parse(n->a, arena_printf(n->a, "perf/%s/", name), &row, NULL) < 0)
		return -ENOENT;
	row.where = n->s->where;
	row.typed = n->s->text;
	row.unit = n->s->unit;
	row.last = n->s->last;
	*ret = row;
	return 0;
}

/* why: how the sentence ends that names nothing like it. */
static int not_found(const struct named *n, const char *why, struct err *err)
{
	const char *of = n->s->box ? " of " : "", *box = n->s->box ?: "", *pmu = "PMU";
	const char *near = "uncorectl search finds events by words";
	struct spec_perf p = { 0 };

	if (!*box && !n->near && !name_after(n->name, "UNC_"))
		return err_set(err, -EINVAL, "\"%s\"" SPEC_NO_EVENT, n->s->text);

	if (n->is_whole)
		box = n->whole;
	if (*box && perf_find_pmus(n->a, n->m->pmus, box, &p, NULL) == 0)
		pmu = arena_text(n->a, perf_family(p.v[0].name).s);
	if (n->near)
		near = arena_printf(n->a, "the nearest is '%s'", n->near);
	return err_set(err, -EINVAL, "uncored knows no event '%s'%s%s here; %s, and one that is "
		       "not listed is given by numbers: perf/%s/event=...,umask=...,name=.../%s",
		       n->name, of, box, near, pmu, why);
}

static int several(const struct named *n, struct err *err)
{
	return err_set(err, -EEXIST, "\"%s\" may be %s; name the box, too", n->s->text,
		       words_list(n->a, n->found, n->n_found));
}

/* The event's name with its unit masks, as one. */
static const char *whole_name(struct arena *a, const struct spec *s)
{
	const char *name = s->event;

	for (unsigned i = 0; i < s->n_umasks; i++)
		name = arena_printf(a, "%s.%s", name, s->umasks[i]);
	return name;
}

int spec_of_name(struct arena *a, const struct spec_machine *m, const struct spec *s,
		 struct spec *ret, struct err *err)
{
	struct named n = { .a = a, .m = m, .s = s, .port = -1, .box_known = !s->box };
	const char *why = "";

	*ret = *s;
	if (s->perf && !strstr(s->box, "::"))
		take_published(a, m, s, ret);
	if (s->perf || s->raw || (s->box && m->processor && cat_box_by_name(m->processor, s->box)))
		return 0;
	n.name = whole_name(a, s);
	if (s->ambiguous && s->unit == s->last)
		n.whole = arena_printf(a, "%s%d", s->box, s->unit);
	if (m->perf_engine) {
		find_in_tables(&n);
		if (!n.n_found)
			find_in_boxes(&n);
	} else {
		find_in_boxes(&n);
		if (!n.n_found)
			find_in_tables(&n);
	}
	if (!n.box_known)
		return 0;
	if (!n.n_found)
		return take_pfm(&n, ret, &why) == 0 ? 0 : not_found(&n, why, err);
	if (n.n_found > 1)
		return several(&n, err);
	if (n.row)
		return take_row(&n, ret, err);
	ret->box = arena_text(a, n.box->name);
	return 0;
}
