/* SPDX-License-Identifier: MIT
 * One event specification against the catalog.
 * Owns:  which unit masks an event accepts, when two specifications mean the same, canonical text.
 * Never: keys (spec_keys.c); whether it fits beside other events (assign.c, rounds.c).
 * Pure; any thread.
 */
#include "spec/resolve.h"

#include "base/name.h"
#include "base/strb.h"
#include "base/words.h"
#include "spec/refuse.h"
#include "topo/topo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 4096

/* Does the unit mask set several bits, for an event that is only defined with one? */
static bool umask_is_undefined(const struct cat_event *e, const struct cat_umask *u)
{
	return e->one_umask && __builtin_popcount(u->value) > 1;
}

/* Refuses an event that has no unit mask of this name, or (name NULL) that needs one: the message
 * lists those that are defined. */
static int umask_wanted(const struct cat_selection *c, const char *name, struct err *err)
{
	const struct cat_event *e = c->event;
	char text[WORDS_TEXT];
	const char *names[64];
	unsigned n = 0;

	for (unsigned i = 0; i < e->n_umasks && n < COUNT(names); i++)
		if (name || !umask_is_undefined(e, &e->umasks[i]))
			names[n++] = e->umasks[i].name;
	if (name)
		return refuse(c, err, " has no unit mask '%s'; %s", name,
			      words_nearest(text, name, names, n));
	return refuse(c, err, " needs a unit mask out of %s",
		      words_join(text, sizeof(text), names, n));
}

/* Values of one number, unlike bits, cannot be OR-ed. */
static int umasks_combine(const struct cat_selection *c, struct err *err)
{
	const struct cat_event *e = c->event;
	const struct cat_umask *first = &e->umasks[__builtin_ctzll(c->umasks)];
	bool several = (c->umasks & (c->umasks - 1)) != 0;

	if ((e->one_umask && several) || umask_is_undefined(e, first))
		return refuse(c, err, " takes exactly one unit mask that names one source: the "
			      "manual calls the result of a combination undefined");
	if (!several)
		return 0;
	if (e->combine == CAT_UMASK_ONE)
		return refuse(c, err, " takes one unit mask: its unit masks are the values of one "
			      "number, not bits that add up");
	for (unsigned i = 0; i < e->n_umasks; i++) {
		const struct cat_umask *u = &e->umasks[i];

		if ((c->umasks & BIT(i)) && ((u->value ^ first->value) & e->enum_bits))
			return refuse(c, err, ": unit masks %s and %s are two values of one number "
				      "and do not combine", first->name, u->name);
	}
	return 0;
}

static int resolve_umasks(const struct spec *s, struct cat_selection *c, struct err *err)
{
	const struct cat_event *e = c->event;

	if (s->n_umasks && !e->n_umasks)
		return refuse(c, err, " has no unit masks");
	for (unsigned i = 0; i < s->n_umasks; i++) {
		int u = cat_umask_by_name(e, s->umasks[i]);

		if (u < 0)
			return umask_wanted(c, s->umasks[i], err);
		c->umasks |= BIT(u);
	}
	if (!e->n_umasks || (!c->umasks && e->dflt == CAT_OPTIONAL))
		return 0;
	if (!c->umasks && e->dflt < 0)
		return umask_wanted(c, NULL, err);
	if (!c->umasks)
		c->umasks = BIT(e->dflt);
	return umasks_combine(c, err);
}

/* The processors with such a box: "nehalem-ex and westmere-ex". Returns the first, or NULL. */
static const char *box_owners(const char *box, char ret[WORDS_TEXT])
{
	const char *names[64] = { NULL };
	unsigned n = 0;

	for (unsigned i = 0; i < cat_n_processors && n < COUNT(names); i++)
		if (cat_box_by_name(cat_processors[i], box))
			names[n++] = cat_processors[i]->name;
	words_join(ret, WORDS_TEXT, names, n);
	return names[0];
}

/* "; the nearest is 'ubox'", or, if other processors have it, " (only ubox, cbox and pcu)". */
static void box_others(const struct cat_processor *p, const char *box, bool foreign,
		       char ret[WORDS_TEXT])
{
	const char *names[256] = { NULL };
	char text[WORDS_TEXT];

	for (unsigned i = 0; i < p->n_boxes; i++)
		names[i] = p->boxes[i]->name;
	if (foreign)
		snprintf(ret, WORDS_TEXT, " (only %s)",
			 words_join(text, sizeof(text), names, p->n_boxes));
	else
		snprintf(ret, WORDS_TEXT, "; %s", words_nearest(text, box, names, p->n_boxes));
}

int spec_no_box(const struct cat_processor *p, const struct topo *t, const struct spec *s,
		struct err *err)
{
	char owners[WORDS_TEXT], others[WORDS_TEXT] = "";
	const char *first = box_owners(s->box, owners);
	char who[128] = "this machine's processor", cpuid[TOPO_CPUID];

	if (p) {
		box_others(p, s->box, first, others);
		snprintf(who, sizeof(who), "%s", p->name);
	} else if (t->family) {
		snprintf(who, sizeof(who), "this machine's processor (%s)",
			 topo_cpuid(t, cpuid));
	}
	if (first)
		return err_set(err, -EINVAL, "%s has no box '%s'%s: it is a box of %s; uncorectl "
			       "doctor says what counts here, and --engine model:%s simulates it",
			       who, s->box, others, owners, first);
	return err_set(err, -EINVAL, "%s has no box '%s'%s", who, s->box,
		       p ? others : ", and no other; the kernel's events are "
		       "written perf/PMU/TERMS/: uncorectl doctor says what counts here");
}

static int event_unknown(const struct cat_processor *p, const struct cat_box *b, const char *name,
			 struct err *err)
{
	const char *nearest = cat_nearest_event(b, name);
	const struct cat_mention *m = cat_mention_by_name(p, b->name, name);

	if (m)
		return err_set(err, -EINVAL, "%s has no event '%s': the manual uses the name "
			       "without defining it; write %s (see: uncorectl describe %s)",
			       b->name, m->name, m->spec, m->name);
	return nearest ? err_set(err, -EINVAL, "%s has no event '%s'; the nearest is %s", b->name,
				 name, nearest) :
	       err_set(err, -EINVAL, "%s has no event '%s'; see: uncorectl list events "
				     "--processor %s", b->name, name, p->name);
}

/* Sentences name the event as the manual does. Where it was given by numbers or by another name,
 * they begin with what was typed. e: NULL if by numbers. */
static int say_typed(const struct spec *s, const struct cat_event *e, struct err *err)
{
	if (!err || (e && name_same(s->event, e->name)) || strstr(err->text, s->text))
		return -EINVAL;
	return err_prefix(err, -EINVAL, "%s: ", s->text);
}

int spec_resolve(struct arena *a, const struct cat_processor *p, const struct spec *s,
		 unsigned optional, struct spec_box *ret, struct err *err)
{
	const struct cat_box *b = cat_box_by_name(p, s->box);
	struct spec_box spec = { .selection.box = b, .pin = -1, .encoding = -1,
				 .every_unit = s->unit < 0 };

	if (!b)
		return spec_no_box(p, NULL, s, err);
	if (s->last >= b->n_units)
		return b->n_units == 1
			? err_set(err, -EINVAL, "a socket has one %s: unit 0", b->name) :
		       err_set(err, -EINVAL, "%s has no unit %d: 0 to %u", b->name, s->last,
			       b->n_units - 1);
	spec.selection.unit = s->unit < 0 ? 0 : (unsigned)s->unit;
	if (s->raw) {
		if (spec_raw(a, s, &spec, err) < 0)
			return say_typed(s, NULL, err);
		*ret = spec;
		return 0;
	}
	spec.selection.event = cat_event_by_name(b, s->event);
	if (!spec.selection.event)
		return event_unknown(p, b, s->event, err);
	if (resolve_umasks(s, &spec.selection, err) < 0 || spec_keys(s, optional, &spec, err) < 0)
		return say_typed(s, spec.selection.event, err);
	*ret = spec;
	return 0;
}

int spec_row(struct arena *a, const struct cat_processor *p, const char *text, struct spec_box *ret,
	     struct err *err)
{
	struct spec s;

	if (spec_parse(a, text, &s, err) < 0)
		return -EINVAL;
	if (!s.box)
		return err_set(err, -EINVAL, "\"%s\"" SPEC_NO_EVENT, text);
	if (s.perf)
		return err_set(err, -EINVAL, "\"%s\" is an event of the kernel's", text);
	if (s.unit >= 0)
		return err_set(err, -EINVAL,
			       "\"%s\" names one unit, and a row is of them all", text);
	return spec_resolve(a, p, &s, SPEC_PORT_OPTIONAL, ret, err);
}

/* any_port, free_keys: a may leave out the port, or free keys. */
static bool same_but(const struct cat_selection *a, const struct cat_selection *b, bool any_port,
		     bool free_keys)
{
	if (!cat_event_same(a->event, b->event) || a->umasks != b->umasks ||
	    a->threshold != b->threshold || a->edge != b->edge ||
	    a->invert != b->invert || (!any_port && a->port != b->port))
		return false;
	for (unsigned i = 0; a->event->selector && i < a->event->selector->n_keys; i++) {
		const char *aw, *bw;
		uint64_t av, bv;
		bool as = spec_key_value(a, i, &av, &aw), bs = spec_key_value(b, i, &bv, &bw);

		if (free_keys && !as && a->event->selector->keys[i].free)
			continue;
		if (as != bs || av != bv || aw != bw)
			return false;
	}
	return true;
}

bool spec_equal(const struct cat_selection *a, const struct cat_selection *b)
{
	return same_but(a, b, false, false);
}

bool spec_matches(const struct spec_box *row, const struct cat_selection *c)
{
	return same_but(&row->selection, c, row->any_port, true);
}

char *spec_text(const struct cat_selection *c, bool with_unit)
{
	const struct cat_event *e = c->event;
	struct strb b;

	strb_init(&b, TEXT_MAX);
	strb_addf(&b, with_unit ? "%s%u/" : "%s/", c->box->name, c->unit);
	if (e->raw)
		spec_raw_terms(c, &b);
	else
		strb_add(&b, e->name);
	for (unsigned i = 0; i < e->n_umasks; i++)
		if (c->umasks & BIT(i))
			strb_addf(&b, ":%s", e->umasks[i].name);
	if (c->box->port_key)
		strb_addf(&b, ",%s=%u", c->box->port_key, c->port);
	if (c->threshold)
		strb_addf(&b, ",threshold=%llu", (unsigned long long)c->threshold);
	if (c->edge)
		strb_add(&b, ",edge");
	if (c->invert)
		strb_add(&b, ",invert");
	for (unsigned i = 0; e->selector && i < e->selector->n_keys; i++) {
		const char *word;
		uint64_t v;

		if (!spec_key_value(c, i, &v, &word))
			continue;
		if (word)
			strb_addf(&b, ",%s=%s", e->selector->keys[i].name, word);
		else
			strb_addf(&b, e->selector->keys[i].hex ? ",%s=0x%llx" : ",%s=%llu",
				  e->selector->keys[i].name, (unsigned long long)v);
	}
	if (e->raw)
		strb_addf(&b, ",name=%s/", e->name);
	return strb_take(&b);
}
