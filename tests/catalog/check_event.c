/* SPDX-License-Identifier: MIT
 * Self-check of events, unit masks, selectors and keys.
 * Pure; one thread at a time.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define ANY_CASE UPPER "abcdefghijklmnopqrstuvwxyz."
#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789_"

static bool fits(uint64_t v, struct cat_bits f)
{
	return cat_has(f) ? bits_fit(v, (unsigned)f.hi, (unsigned)f.lo) : v == 0;
}

/* ------------------------------------------------------------------ selectors */

/* A register field of one encoding: is it there, for every port, and inside its register? */
static void check_field(struct check *k, const struct cat_reg_field *t, unsigned encoding,
			unsigned i)
{
	const struct cat_box *b = k->box;
	unsigned indexes = b->n_ports ? b->n_ports : 1;

	if (WRONG_IF(k, t->hi < t->lo || t->hi > 63,
		     "target %u of place %u is no field: %u:%u", i, encoding, t->hi, t->lo))
		return;
	for (unsigned x = 0; x < indexes; x++) {
		const struct cat_reg *r = cat_reg_find(b, CAT_SUB, t->id, x);

		r = r ? r : cat_reg_find(b, CAT_FILTER, t->id, x);
		if (WRONG_IF(k, !r, "target %u of place %u has no register row for index %u", i,
			     encoding, x))
			return;
		WRONG_IF(k, t->hi >= r->bytes * 8,
			 "target %u of place %u leaves register %s", i, encoding, r->name);
	}
}

static void check_encodings(struct check *k, const struct cat_selector *r)
{
	const struct cat_box *b = k->box;

	WRONG_IF(k, !r->n_encodings, "its route has no place");
	for (unsigned p = 0; p < r->n_encodings; p++) {
		unsigned most = 0;

		for (unsigned i = 0; i < b->n_ports; i++)
			if (b->ports[i].event_add > most)
				most = b->ports[i].event_add;
		if (!fits(r->encodings[p].code + most, b->event))
			check_wrong(k, "the code of place %u does not fit the event field", p);
		for (unsigned i = 0; i < CAT_REG_FIELDS; i++)
			if (r->encodings[p].fields[i].id)
				check_field(k, &r->encodings[p].fields[i], p, i);
	}
}

/* Is the register field there on every encoding? */
static bool field_used(const struct cat_selector *r, unsigned field)
{
	if (field >= CAT_REG_FIELDS)
		return false;
	for (unsigned p = 0; p < r->n_encodings; p++)
		if (!r->encodings[p].fields[field].id)
			return false;
	return r->n_encodings > 0;
}

static bool field_fits(const struct cat_selector *r, unsigned field, uint64_t v)
{
	for (unsigned p = 0; p < r->n_encodings; p++) {
		const struct cat_reg_field *t = &r->encodings[p].fields[field];

		if (t->hi < t->lo || t->hi > 63 || !bits_fit(v, t->hi, t->lo))
			return false;
	}
	return true;
}

static void check_set(struct check *k, const char *what, const struct cat_values *s)
{
	const struct cat_selector *r = k->event->selector;

	WRONG_IF(k, s && !s->has, "%s has a set without targets", what);
	for (unsigned i = 0; s && i < CAT_REG_FIELDS; i++) {
		bool has = s->has & BIT(i);

		WRONG_IF(k, !has && s->v[i],
			 "%s gives target %u a value but does not own it", what, i);
		if (!has)
			continue;
		if (!r || !field_used(r, i))
			check_wrong(k, "%s wants target %u, which its route does not have", what,
				    i);
		else if (!field_fits(r, i, s->v[i]))
			check_wrong(k, "%s: 0x%llx does not fit target %u", what,
				       (unsigned long long)s->v[i], i);
	}
}

static bool is_common_key(const struct cat_box *b, const char *name)
{
	return !strcmp(name, "counter") || !strcmp(name, "threshold") || !strcmp(name, "edge") ||
	       !strcmp(name, "invert") || (b->port_key && !strcmp(name, b->port_key));
}

static bool key_fits_fields(const struct cat_selector *r, const struct cat_key *y)
{
	unsigned width = y->hi - y->lo + 1u;

	if (y->hi < y->lo || y->hi > 63)
		return false;
	if (!y->split)
		return field_fits(r, y->field, bits_mask(y->hi, y->lo));
	return y->split < width && field_used(r, y->split_field) &&
	       field_fits(r, y->field, bits_mask(y->lo + y->split - 1u, y->lo)) &&
	       field_fits(r, y->split_field, bits_mask(width - y->split - 1, 0));
}

static void check_words(struct check *k, const struct cat_key *y)
{
	for (unsigned i = 0; i < y->n_words; i++) {
		if (!check_name(k, "word", y->words[i].name, LOWER))
			continue;
		WRONG_IF(k, !bits_fit(y->words[i].value >> y->shift, y->hi, y->lo),
			 "the word %s of key %s does not fit", y->words[i].name, y->name);
		for (unsigned j = 0; j < i; j++)
			WRONG_IF(k, !strcmp(y->words[j].name, y->words[i].name) ||
				 y->words[j].value == y->words[i].value,
				 "two words of key %s have one name or value", y->name);
	}
	WRONG_IF(k, y->n_words && y->word, "key %s has words and a word", y->name);
}

static void check_key(struct check *k, const struct cat_selector *r, unsigned at)
{
	const struct cat_key *y = &r->keys[at];
	bool found = !y->needs;

	if (!check_name(k, "key", y->name, LOWER))
		return;
	check_text(k, "help of a key", y->help, 8);
	if (is_common_key(k->box, y->name) || (r->pin && !strcmp(y->name, r->pin)))
		check_wrong(k, "key %s has a meaning of its own", y->name);
	for (unsigned i = 0; i < r->n_keys; i++) {
		if (i < at && !strcmp(r->keys[i].name, y->name))
			check_wrong(k, "key %s is there twice", y->name);
		if (y->needs && i != at && !strcmp(r->keys[i].name, y->needs))
			found = true;
	}
	WRONG_IF(k, !found, "key %s needs key %s, which does not exist", y->name, y->needs);
	if (WRONG_IF(k, !field_used(r, y->field),
		     "key %s uses target %u, which its route does not have", y->name, y->field))
		return;
	if (WRONG_IF(k, !key_fits_fields(r, y), "key %s does not fit its target", y->name))
		return;
	if (!bits_fit(y->dflt >> y->shift, y->hi, y->lo) || !bits_fit(y->min, y->hi, y->lo))
		check_wrong(k, "the default or the minimum of key %s does not fit", y->name);
	check_words(k, y);
	if (y->word && (!y->word_bits || !field_fits(r, y->field, y->word_bits)))
		check_wrong(k, "the word %s of key %s does not fit", y->word, y->name);
	if (y->also && (!field_used(r, y->also_field) || !y->also_value ||
			!field_fits(r, y->also_field, y->also_value)))
		check_wrong(k, "what key %s sets as well does not fit", y->name);
	for (unsigned i = 0; i < 8; i++)
		WRONG_IF(k, (y->owns & BIT(i)) && !field_used(r, i),
			 "key %s owns target %u, which its route does not have", y->name, i);
}

/* ------------------------------------------------------------------ unit masks */

static void check_umask_names(struct check *k, unsigned at)
{
	const struct cat_umask *v = k->event->umasks, *u = &v[at];

	for (unsigned i = 0; i < at; i++) {
		WRONG_IF(k, cat_umask_is_called(&v[i], u->name) ||
			 (u->alias && cat_umask_is_called(&v[i], u->alias)),
			 "two unit masks are called %s", u->name);
		WRONG_IF(k, u->help && v[i].help && !strcmp(u->help, v[i].help),
			 "unit masks %s and %s have the same help", v[i].name, u->name);
	}
}

static void check_umask(struct check *k, unsigned at)
{
	const struct cat_event *e = k->event;
	const struct cat_umask *u = &e->umasks[at];

	if (!check_name(k, "unit mask", u->name, ANY_CASE))
		return;
	check_umask_names(k, at);
	if (u->help)
		check_text(k, "help of a unit mask", u->help, 8);
	if (u->disputed)
		check_text(k, "dispute of a unit mask", u->disputed, 8);
	WRONG_IF(k, cat_umask_in_ctl(k->box, e) && !fits(u->value, k->box->umask),
		 "unit mask %s: value 0x%x does not fit the field", u->name, u->value);
	if (cat_umask_in_ctl(k->box, e) && !u->value && !u->ctl)
		check_wrong(k, "unit mask %s selects nothing", u->name);
	if (!cat_umask_in_ctl(k->box, e) && !u->values && !u->ctl && !u->disputed)
		check_wrong(k, "unit mask %s sets no target", u->name);
	if (u->ports >> k->box->n_ports)
		check_wrong(k, "unit mask %s: a port that the box does not have", u->name);
	check_set(k, u->name, u->values);
}

static void check_combine(struct check *k)
{
	const struct cat_event *e = k->event;
	uint64_t numbers = 0;

	if (WRONG_IF(k, (e->combine == CAT_NO_UMASK) != (e->n_umasks == 0),
		     "how unit masks combine is said without unit masks, or not said"))
		return;
	if (!e->n_umasks)
		return;
	WRONG_IF(k, e->n_umasks > 64, "%u unit masks; a choice holds 64", e->n_umasks);
	if (e->dflt == CAT_OPTIONAL ? !e->bare && (!e->selector || !e->selector->n_keys) :
	    e->dflt < -1 || e->dflt >= e->n_umasks)
		check_wrong(k, "default unit mask %d does not exist", e->dflt);
	if (e->combine == CAT_UMASK_ONE && (e->enum_bits || e->adds == CAT_ADDS || e->one_umask))
		check_wrong(k, "a number cannot add up or have bits that must agree");
	for (unsigned i = 0; i < e->n_umasks; i++)
		numbers |= e->umasks[i].value;
	if (e->combine == CAT_UMASK_BITS && (e->enum_bits & numbers) == numbers)
		check_wrong(k, "no bits are left to combine");
}

/* ------------------------------------------------------------------ events */

static void check_event_names(struct check *k)
{
	const struct cat_event *e = k->event;

	for (const char *const *a = e->alias; a && *a; a++)
		check_name(k, "alias", *a, UPPER);
	for (const struct cat_event *o = cat_event_next(k->box, NULL); o && o != e;
	     o = cat_event_next(k->box, o)) {
		bool twice = cat_event_is_called(o, e->name);

		for (const char *const *a = e->alias; a && *a; a++)
			twice |= cat_event_is_called(o, *a);
		WRONG_IF(k, twice, "a name or alias is also %s's", o->name);
		if (e->help && o->help && !strcmp(e->help, o->help))
			check_wrong(k, "the help is the same as %s's", o->name);
	}
}

static void check_event_counters(struct check *k)
{
	const struct cat_box *b = k->box;
	const struct cat_event *e = k->event;

	WRONG_IF(k, e->fixed && (!b->has_fixed || e->counters || e->n_umasks || e->selector),
		 "a fixed event has the box's fixed counter and nothing to choose");
	WRONG_IF(k, !e->fixed && !b->n_counters, "the box has no counter for it");
	WRONG_IF(k, (uint64_t)e->counters >> b->n_counters, "counts on a counter outside the box");
	WRONG_IF(k, !e->max_inc, "no maximum increment");
	WRONG_IF(k, b->max_inc && e->max_inc > b->max_inc, "increments above the box's maximum");
	if (e->occupancy && !cat_has(b->occ_reset))
		check_wrong(k, "an occupancy event, but the box has no occupancy reset bit");
}

static void check_event(struct check *k)
{
	const struct cat_box *b = k->box;
	const struct cat_event *e = k->event;
	const struct cat_selector *r = e->selector;
	uint64_t named = cat_mask(b->event) | cat_mask(b->umask) | cat_mask(b->threshold) |
		cat_mask(b->edge) | cat_mask(cat_invert(b, e)) | cat_mask(b->enable) |
		cat_mask(b->occ_reset);

	if (!check_name(k, "event", e->name, UPPER))
		return;
	check_event_names(k);
	check_text(k, "help", e->help, 12);
	check_source(k, e->source);
	if (e->note)
		check_text(k, "note", e->note, 8);
	if (e->disputed)
		check_text(k, "dispute", e->disputed, 8);
	check_event_counters(k);
	if (!r && !e->fixed && !fits(e->code, b->event))
		check_wrong(k, "code 0x%x does not fit the event field", e->code);
	if (!e->n_umasks)
		named &= ~cat_mask(b->umask);         /* a fixed unit mask without a name */
	WRONG_IF(k, e->ctl & named, "its other control bits cover a named field");
	check_combine(k);
	check_set(k, "the event", e->values);
	for (unsigned i = 0; i < e->n_umasks; i++)
		check_umask(k, i);
	if (!r)
		return;
	check_encodings(k, r);
	for (unsigned i = 0; i < r->n_keys; i++)
		check_key(k, r, i);
}

/* ------------------------------------------------------------------ doubled encodings */

struct encoding {
	const struct cat_event *event;
	const struct cat_umask *umask;
	uint32_t counters;
	uint64_t ctl;
	unsigned n;
	struct cat_field_value values[CAT_FIELD_VALUES];
};

static bool same_encoding(const struct encoding *a, const struct encoding *b)
{
	if (a->ctl != b->ctl || !(a->counters & b->counters) || a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (!reg_equal(a->values[i].reg, b->values[i].reg) ||
		    a->values[i].mask != b->values[i].mask ||
		    a->values[i].value != b->values[i].value)
			return false;
	return true;
}

static bool is_disputed(const struct encoding *x)
{
	return x->event->disputed || (x->umask && x->umask->disputed);
}

static void encode_row(const struct cat_selection *c, const struct cat_umask *u, struct encoding *x)
{
	x->event = c->event;
	x->umask = u;
	x->counters = cat_counters(c);
	x->n = cat_encode(c, 0, 0, &x->ctl, x->values);
}

/* The first encoding of each row, on unit 0 and port 0: later ones may be another event's first. */
static unsigned encodings(const struct cat_box *b, struct encoding *v)
{
	unsigned n = 0;

	cat_each_event(e, b) {
		struct cat_selection c = { .box = b, .event = e };

		if (e->fixed)
			continue;
		if (!e->n_umasks || e->dflt == CAT_OPTIONAL)
			encode_row(&c, NULL, &v[n++]);
		for (unsigned u = 0; u < e->n_umasks; u++) {
			c.umasks = BIT(u);
			encode_row(&c, &e->umasks[u], &v[n++]);
		}
	}
	return n;
}

static void check_codes(struct check *k)
{
	struct encoding *v;
	unsigned n = 0;

	cat_each_event(e, k->box)
		n += e->n_umasks + 1u;
	v = calloc(n, sizeof(*v));
	if (WRONG_IF(k, !v, "no memory to compare its codes"))
		return;
	n = encodings(k->box, v);
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < i; j++) {
			const struct encoding *a = &v[j], *b = &v[i];

			if ((a->event == b->event && a->umask == b->umask) ||
			    !same_encoding(a, b) || is_disputed(a) || is_disputed(b))
				continue;
			k->event = b->event;
			check_wrong(k, "%s has the code of %s%s%s on the same counter, and neither "
				    "is disputed", b->umask ? b->umask->name : "it", a->event->name,
				    a->umask ? ":" : "", a->umask ? a->umask->name : "");
			k->event = NULL;
		}
	free(v);
}

void check_events(struct check *k)
{
	const struct cat_box *b = k->box;
	unsigned before = k->bad;

	for (k->event = cat_event_next(b, NULL); k->event; k->event = cat_event_next(b, k->event))
		check_event(k);
	k->event = NULL;
	if (k->bad == before)
		check_codes(k);
}
