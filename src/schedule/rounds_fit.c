/* SPDX-License-Identifier: MIT
 * Whether groups fit together, and on which counters; and why not.
 * Owns:  the use of one counter by several groups, the sentences that say what does not fit.
 * Never: which groups are tried together (rounds.c), registers' addresses.
 * Pure; main thread.
 */
#include "schedule/schedule.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>

#define WHY_TEXT 600                /* of a refusal, which ends in what to do: diags_add() cuts */

struct unit_set {                   /* the events of one unit */
	struct arena *work;
	struct sched_event **v;
	unsigned n;
};

/* The registers' bits of each encoding of the event, encoded once. */
static void encode_all(struct arena *work, struct sched_event *p)
{
	struct assign_event *to = &p->possible;
	bool pinned = p->s.encoding >= 0;
	unsigned first = pinned ? (unsigned)p->s.encoding : 0;
	uint64_t ctl;

	to->n_options = pinned ? 1 : cat_encodings(p->s.selection.event);
	to->options = arena_alloc(work, to->n_options, sizeof(*to->options));
	for (unsigned i = 0; i < to->n_options; i++)
		to->options[i].n = cat_encode(&p->s.selection, first + i, 0, &ctl,
					      to->options[i].values);
}

/* Do these events fit onto their unit? With `keep`, each one's encoding and counter are stored. */
static bool unit_fits(const struct unit_set *u, bool keep)
{
	struct assign_event events[ASSIGN_MAX];
	struct assign_result ret[ASSIGN_MAX];

	if (u->n > ASSIGN_MAX)
		return false;
	for (unsigned i = 0; i < u->n; i++) {
		if (!u->v[i]->possible.options)
			encode_all(u->work, u->v[i]);
		events[i] = u->v[i]->possible;
	}
	if (!assign(events, u->n, ret))
		return false;
	for (unsigned i = 0; keep && i < u->n; i++) {
		struct sched_event *p = u->v[i];

		p->encoding = ret[i].option + (p->s.encoding >= 0 ? (unsigned)p->s.encoding : 0);
		p->counter = ret[i].counter == FIXED_COUNTER_BIT ? -1 : ret[i].counter;
	}
	return true;
}

/* Could each event have a counter of its own, if it were not for their encodings? */
static bool unit_has_counters(const struct unit_set *u)
{
	uint32_t sets[ASSIGN_MAX];

	for (unsigned i = 0; i < u->n && i < ASSIGN_MAX; i++)
		sets[i] = u->v[i]->possible.counters;
	return assign_counters(sets, u->n);
}

/* Mostly a box's units count the same events: encodings and counters of a unit that has them
 * already; false: it has others. */
static bool unit_like(struct unit_set *u, const struct unit_set *other)
{
	if (u->n != other->n)
		return false;
	for (unsigned i = 0; i < u->n; i++) {
		const struct sched_event *a = u->v[i], *b = other->v[i];

		if (a->possible.counters != b->possible.counters ||
		    a->s.encoding != b->s.encoding ||
		    !spec_equal(&a->s.selection, &b->s.selection))
			return false;
	}
	for (unsigned i = 0; i < u->n; i++) {
		u->v[i]->encoding = other->v[i]->encoding;
		u->v[i]->counter = other->v[i]->counter;
	}
	return true;
}

/* Leaves a smallest set of events that do not fit together: without any one of them the rest
 * would. */
static void unit_minimise(struct unit_set *u)
{
	for (unsigned i = 0; i < u->n;) {
		struct sched_event *out = u->v[i];

		memmove(&u->v[i], &u->v[i + 1], (u->n - i - 1) * sizeof(u->v[0]));
		u->n--;
		if (unit_fits(u, false)) {
			memmove(&u->v[i + 1], &u->v[i], (u->n - i) * sizeof(u->v[0]));
			u->v[i++] = out;
			u->n++;
		}
	}
}

/* "IMT_FULL and CONFLICTS"; unit masks and keys only where the events' names are the same. The
 * slash is of the text that was just made: the box stands before the list already. */
static const char *unit_names(const struct unit_set *u)
{
	const char **names = arena_alloc(u->work, u->n, sizeof(*names));

	for (unsigned i = 0; i < u->n; i++) {
		const struct cat_selection *c = &u->v[i]->s.selection;
		bool unique = true;

		for (unsigned k = 0; k < u->n; k++)
			unique &= k == i || !cat_event_same(u->v[k]->s.selection.event, c->event);
		names[i] = unique ? c->event->name
			: strchr(arena_take(u->work, spec_text(c, false)), '/') + 1;
	}
	return words_list(u->work, names, u->n);
}

/* " (IMT_FULL by counter=3)": those whose counter the user chose. */
static const char *pins_text(const struct unit_set *u)
{
	const char *text = "";

	for (unsigned i = 0; i < u->n; i++) {
		const struct sched_event *p = u->v[i];

		if (p->s.pin >= 0)
			text = arena_printf(u->work, "%s%s%s by counter=%d", text,
					    *text ? ", " : " (", p->s.selection.event->name,
					    p->s.pin);
	}
	return *text ? arena_printf(u->work, "%s)", text) : text;
}

/* "IMT_FULL and CONFLICTS are needed by imt_full_ratio": the events that this metric added; NULL:
 * those of them before the first one were said already. */
static const char *need_text(const struct unit_set *u, unsigned first)
{
	const char **names = arena_alloc(u->work, u->n, sizeof(*names));
	const char *metric = u->v[first]->metric;
	unsigned n = 0;

	for (unsigned i = 0; i < u->n; i++) {
		if (!u->v[i]->metric || strcmp(u->v[i]->metric, metric) != 0)
			continue;
		if (i < first)
			return NULL;
		names[n++] = u->v[i]->s.selection.event->name;
	}
	if (n == u->n && n > 1)
		return arena_printf(u->work, "all are needed by %s", metric);
	return arena_printf(u->work, "%s %s needed by %s", words_list(u->work, names, n),
			    n > 1 ? "are" : "is", metric);
}

/* " (IMT_FULL is needed by imt_full_ratio)": those that metrics added. */
static const char *needs_text(const struct unit_set *u)
{
	const char *text = "", *need;

	for (unsigned i = 0; i < u->n; i++) {
		need = u->v[i]->metric ? need_text(u, i) : NULL;
		if (need)
			text = arena_printf(u->work, "%s%s%s", text, *text ? ", " : " (", need);
	}
	return *text ? arena_printf(u->work, "%s)", text) : text;
}

static const char *explain_counters(const struct unit_set *u, const char *names)
{
	const struct cat_box *b = u->v[0]->s.selection.box;
	uint32_t counters = 0;
	bool all_pinned = true;
	char list[WORDS_TEXT];
	const char *pins;

	if (u->n == 1)
		return arena_printf(u->work,
				    "%s is pinned to different places by different groups", names);
	for (unsigned i = 0; i < u->n; i++) {
		counters |= u->v[i]->possible.counters;
		all_pinned &= u->v[i]->s.pin >= 0;
	}
	words_counters(list, counters);
	pins = pins_text(u);
	if (all_pinned && u->n == 2)
		return arena_printf(u->work, "%s are both pinned to %s", names, list);
	if (counters == (uint32_t)(BIT(b->n_counters) - 1))
		return arena_printf(u->work,
				    "%s are %u events%s, but the unit has only %u counter%s", names,
				    u->n, pins, b->n_counters, b->n_counters > 1 ? "s" : "");
	return arena_printf(u->work, "%s %s count only on %s%s", names,
			    u->n == 2 ? "both" : "all", list, pins);
}

/* The register in which the first encoding of each wants different bits; false: none. */
static bool unit_clash(const struct unit_set *u, char name[CAT_NAME_TEXT])
{
	const struct assign_option *a = u->v[0]->possible.options, *b = u->v[1]->possible.options;

	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++) {
			const struct cat_field_value *x = &a->values[i];

			if (!assign_clash(x, &b->values[k]))
				continue;
			cat_reg_name(x->row, u->v[0]->s.selection.unit, x->index, name,
				     CAT_NAME_TEXT);
			return true;
		}
	return false;
}

static const char *explain_values(const struct unit_set *u, const char *names)
{
	static const char *const words[] = { "none", "one", "two", "three", "four", "five", "six",
					     "seven", "eight" };
	const struct cat_selector *r = u->v[0]->s.selection.event->selector;
	char reg[CAT_NAME_TEXT];
	bool same = r && r->name, pinned = false;

	for (unsigned i = 0; i < u->n; i++) {
		const struct cat_selector *other = u->v[i]->s.selection.event->selector;

		same = same && other && other->name && strcmp(other->name, r->name) == 0;
		pinned |= u->v[i]->s.encoding >= 0;
	}
	if (same && pinned && u->n <= r->n_encodings)
		return arena_printf(u->work, "%s are pinned to the same %s", names, r->name);
	/* The name of a selector may contain the rule, in brackets. */
	if (same && r->n_encodings > 1 && u->n == r->n_encodings + 1u)
		return arena_printf(u->work, strchr(r->name, '(') ? "%s all need the %s"
				    : "%s all need the %s, which has room for %s", names, r->name,
				    words[r->n_encodings]);
	if (u->n == 2 && unit_clash(u, reg))
		return arena_printf(u->work,
				    "%s need different values in %s, which they share", names, reg);
	return arena_printf(u->work,
			    "%s cannot share the sub-control registers that all of them need",
			    names);
}

/* "bbox: IMT_FULL and CONFLICTS both count only on counter 3" */
static const char *unit_explain(struct unit_set *u)
{
	const struct cat_selection *c;
	const char *names, *why;
	char unit[16] = "", port[32] = "";
	bool every = true, one_port = true;

	unit_minimise(u);
	c = &u->v[0]->s.selection;
	for (unsigned i = 0; i < u->n; i++) {
		every &= u->v[i]->s.every_unit;
		one_port &= u->v[i]->s.selection.port == c->port;
	}
	if (!every && c->box->n_units > 1)
		snprintf(unit, sizeof(unit), "%u", c->unit);
	if (c->box->port_key && one_port)
		snprintf(port, sizeof(port), " %s %u", c->box->port_key, c->port);
	names = unit_names(u);
	why = unit_has_counters(u) ? explain_values(u, names) : explain_counters(u, names);
	return arena_printf(u->work, "%s%s%s: %s%s", c->box->name, unit, port, why,
			    needs_text(u));
}

static void round_add_event(const struct schedule *sc, struct sched_round *r,
			    const struct sched_item *item)
{
	const struct cat_selection *c = &item->s.selection;
	uint32_t counters = c->event->fixed ? (uint32_t)BIT(FIXED_COUNTER_BIT) : cat_counters(c);
	struct sched_event *p;

	if (item->s.pin >= 0)
		counters &= (uint32_t)BIT(item->s.pin);
	for (unsigned i = 0; i < r->n_events; i++) {
		p = &r->events[i];
		if (p->s.selection.box != c->box || p->s.selection.unit != c->unit ||
		    !spec_equal(&p->s.selection, c))
			continue;
		/* Counted once for all groups that name it; a pin of one of them is for all. */
		p->possible.counters &= counters;
		if (p->s.pin < 0)
			p->s.pin = item->s.pin;
		if (p->s.encoding < 0)
			p->s.encoding = item->s.encoding;
		else if (item->s.encoding >= 0 && item->s.encoding != p->s.encoding)
			p->possible.counters = 0;
		*ARENA_ADD(sc->work, r->item_events, r->n_item_events) = i;
		return;
	}
	*ARENA_ADD(sc->work, r->item_events, r->n_item_events) = r->n_events;
	*ARENA_ADD(sc->work, r->events, r->n_events) = (struct sched_event){
		.s = item->s, .identity = item->identity, .metric = item->metric,
		.possible.counters = counters, .counter = -1,
	};
}

static void set_without(struct unit_set *u, const struct sched_event *e)
{
	unsigned n = 0;

	for (unsigned i = 0; i < u->n; i++)
		if (u->v[i] != e)
			u->v[n++] = u->v[i];
	u->n = n;
}

/* Adds a conflict to *why, unless it is there. What the sentence has no room for is not begun. */
static void why_add(const struct schedule *sc, const char **why, const char *text)
{
	static const char others[] = "; and others";

	if (!*why)
		*why = text;
	else if (strstr(*why, text) || strstr(*why, others))
		return;
	else if (strlen(*why) + strlen(text) > WHY_TEXT)
		*why = arena_printf(sc->work, "%s%s", *why, others);
	else
		*why = arena_printf(sc->work, "%s; %s", *why, text);
}

/* Adds to *why the smallest conflict of a unit; all: every one, where an event of each is moved
 * away, but none twice. */
static void explain_unit(const struct schedule *sc, const struct unit_set *unit, bool all,
			 const char **why)
{
	struct unit_set left = { .work = sc->work, .n = unit->n,
				 .v = arena_copy(sc->work, unit->v, unit->n, sizeof(*unit->v)) };

	do {
		struct unit_set u = { .work = sc->work, .n = left.n,
				      .v = arena_copy(sc->work, left.v, left.n, sizeof(*left.v)) };
		const char *text = unit_explain(&u);

		why_add(sc, why, text);
		set_without(&left, u.v[u.n - 1]);
	} while (all && left.n && !unit_fits(&left, true));
}

/*
 * Places the events of one box; false: *why (if wanted) names a smallest conflict, of the first
 * unit that has one; of a group alone every conflict of every unit.
 *
 * room  for two units that hold all events
 */
static bool box_fits(const struct schedule *sc, const struct sched_round *r,
		     const struct cat_box *box, struct sched_event **room, const char **why)
{
	struct unit_set before = { .v = room }, bad = { .n = 0 };
	bool fits = true;

	for (unsigned unit = 0; unit < box->n_units; unit++) {
		struct unit_set u = { .work = sc->work,
				      .v = before.v == room ? room + r->n_events : room };

		for (unsigned i = 0; i < r->n_events; i++)
			if (r->events[i].s.selection.box == box &&
			    r->events[i].s.selection.unit == unit)
				u.v[u.n++] = &r->events[i];
		if (!u.n)
			continue;
		if (unit_like(&u, &before) || unit_fits(&u, true)) {
			before = u;
			continue;
		}
		if (why && !unit_like(&u, &bad))
			explain_unit(sc, &u, r->n_groups == 1, why);
		if (!why || r->n_groups > 1)
			return false;
		bad = (struct unit_set){ .work = sc->work, .n = u.n,
			.v = arena_copy(sc->work, u.v, u.n, sizeof(*u.v)) };
		fits = false;
	}
	return fits;
}

bool rounds_fit(const struct schedule *sc, struct sched_round *r, const char **why)
{
	const struct cat_processor *p = sc->machine.processor;
	const char *crowded = rounds_perf_crowded(sc, r);
	struct sched_event **room;
	bool ok = !crowded;

	if (crowded && why)
		*why = crowded;
	r->events = NULL;
	r->item_events = NULL;
	r->n_events = r->n_item_events = 0;
	for ROUND_EACH_ITEM(item, r, sc)
		if (!item->perf)
			round_add_event(sc, r, item);
	if (!r->n_events)
		return ok;
	room = arena_alloc(sc->work, 2UL * r->n_events, sizeof(*room));
	for (unsigned x = 0; x < p->n_boxes; x++)
		ok &= box_fits(sc, r, p->boxes[x], room, why);
	return ok;
}
