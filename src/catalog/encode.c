/* SPDX-License-Identifier: MIT
 * A selection as register contents.
 * Owns:  the control word and the sub-control fields of an event on one encoding and counter.
 * Never: whether the selection is allowed, which encoding or counter to take (planner/).
 * Pure; any thread.
 */
#include "catalog/catalog.h"

#include <assert.h>
#include <string.h>

static uint64_t put(struct cat_bits f, uint64_t v)
{
	return cat_has(f) ? bits_put(v, (unsigned)f.hi, (unsigned)f.lo) : 0;
}

unsigned cat_encodings(const struct cat_event *e)
{
	return e->selector ? e->selector->n_encodings : 1;
}

uint32_t cat_counters(const struct cat_selection *c)
{
	const struct cat_box *b = c->box;
	uint32_t counters = (uint32_t)(BIT(b->n_counters) - 1);

	if (c->event->fixed)
		return 0;
	if (c->event->counters)
		counters &= c->event->counters;
	if (b->n_ports)
		counters &= b->ports[c->port].counters;
	return counters;
}

uint64_t cat_ctl_enable(const struct cat_box *b, bool fixed)
{
	return fixed ? b->fixed_enable : put(b->enable, 1);
}

unsigned cat_width(const struct cat_box *b, bool fixed)
{
	return fixed && b->fixed_width ? b->fixed_width : b->width;
}

unsigned cat_event_code(const struct cat_selection *c, unsigned encoding)
{
	const struct cat_event *e = c->event;

	return (e->selector ? e->selector->encodings[encoding].code : e->code) +
	       (c->box->n_ports ? c->box->ports[c->port].event_add : 0);
}

uint64_t cat_umask_value(const struct cat_selection *c)
{
	uint64_t value = 0;

	for (uint64_t left = c->umasks; left; left &= left - 1)
		value |= c->event->umasks[__builtin_ctzll(left)].value;
	return value;
}

bool cat_key_applies(const struct cat_selection *c, const struct cat_key *k)
{
	return !k->umask_bits || (cat_umask_value(c) & k->umask_bits);
}

const struct cat_word *cat_key_word(const struct cat_key *k, uint64_t value)
{
	for (unsigned i = 0; i < k->n_words; i++)
		if (k->words[i].value == value)
			return &k->words[i];
	return NULL;
}

bool cat_word_needs(const struct cat_word *w, const char *key)
{
	for (unsigned i = 0; i < COUNT(w->needs); i++)
		if (w->needs[i] && strcmp(w->needs[i], key) == 0)
			return true;
	return false;
}

void cat_key_also(const struct cat_key *k, struct cat_values *s)
{
	if (k->also) {
		s->has |= (uint8_t)BIT(k->also_field);
		s->v[k->also_field] |= k->also_value;
	}
}

/* The highest bit of the key in its own register field. */
static unsigned key_top(const struct cat_key *k)
{
	return k->split ? k->lo + k->split - 1u : k->hi;
}

void cat_key_put(const struct cat_key *k, uint64_t value, struct cat_values *s)
{
	value >>= k->shift;
	s->has |= (uint8_t)BIT(k->field);
	s->v[k->field] |= bits_put(k->split ? value & (BIT(k->split) - 1) : value, key_top(k),
				    k->lo);
	if (k->split) {
		s->has |= (uint8_t)BIT(k->split_field);
		s->v[k->split_field] |= value >> k->split;
	}
}

uint64_t cat_key_get(const struct cat_key *k, const struct cat_values *s)
{
	uint64_t v = bits_get(s->v[k->field], key_top(k), k->lo);

	if (k->split)
		v |= bits_get(s->v[k->split_field], k->hi - k->lo - k->split, 0) << k->split;
	return v << k->shift;
}

unsigned cat_max_inc(const struct cat_selection *c)
{
	const struct cat_event *e = c->event;
	unsigned n = (unsigned)__builtin_popcountll(c->umasks);

	if (c->threshold || c->edge)
		return 1;
	if (e->adds != CAT_ADDS)
		return e->max_inc;
	/* "AD" is two sub-events: in a mask field the bits are counted, not the names. */
	if (cat_umask_in_ctl(c->box, e))
		n = (unsigned)__builtin_popcountll(cat_umask_value(c) & (uint64_t)~e->enum_bits);
	return n > e->max_inc ? n : e->max_inc;
}

static void set_add(struct cat_values *to, const struct cat_values *s)
{
	to->has |= s ? s->has : 0;
	for (unsigned i = 0; s && i < CAT_REG_FIELDS; i++)
		to->v[i] |= s->v[i];
}

struct cat_values cat_values_of(const struct cat_selection *c)
{
	struct cat_values s = { 0 };

	set_add(&s, c->event->values);
	for (uint64_t left = c->umasks; left; left &= left - 1)
		set_add(&s, c->event->umasks[__builtin_ctzll(left)].values);
	return s;
}

/* What event, unit masks and keys put into the selector's register fields. The default of a key
 * that was not given fills only a field that something else claims. */
static struct cat_values fields(const struct cat_selection *c)
{
	const struct cat_selector *r = c->event->selector;
	struct cat_values s = cat_values_of(c);

	set_add(&s, &c->keys);
	for (unsigned i = 0; i < r->n_keys; i++) {
		const struct cat_key *k = &r->keys[i];

		if (!(c->key_given & BIT(i))) {
			uint8_t has = s.has;

			if (k->dflt && cat_key_applies(c, k))
				cat_key_put(k, k->dflt, &s);
			s.has = has;
			continue;
		}
		s.has |= k->owns;
		cat_key_also(k, &s);
	}
	return s;
}

static uint64_t control(const struct cat_selection *c, unsigned encoding)
{
	const struct cat_box *b = c->box;
	const struct cat_event *e = c->event;
	uint64_t ctl = e->ctl | b->ctl_always | cat_ctl_enable(b, false);

	for (uint64_t left = c->umasks; left; left &= left - 1)
		ctl |= e->umasks[__builtin_ctzll(left)].ctl;
	if (cat_umask_in_ctl(b, e))
		ctl |= put(b->umask, cat_umask_value(c));
	for (unsigned i = 0; e->selector && i < e->selector->n_keys; i++)
		if (c->key_given & BIT(i))
			ctl |= e->selector->keys[i].ctl;
	return ctl | put(b->event, cat_event_code(c, encoding)) | put(b->threshold, c->threshold) |
	       put(b->edge, c->edge) | put(cat_invert(b, e), c->invert) |
	       put(b->occ_reset, e->occupancy);
}

unsigned cat_encode(const struct cat_selection *c, unsigned encoding, unsigned counter,
		    uint64_t *ret_ctl, struct cat_field_value values[CAT_FIELD_VALUES])
{
	const struct cat_box *b = c->box;
	const struct cat_selector *selector = c->event->selector;
	unsigned index = b->n_ports ? c->port : 0, n = 0;
	struct cat_values s;

	assert(encoding < cat_encodings(c->event));
	assert(c->event->fixed || counter < b->n_counters);
	*ret_ctl = c->event->fixed ? b->fixed_enable : control(c, encoding);
	if (!selector)
		return 0;
	s = fields(c);
	for (unsigned i = 0; i < b->n_regs; i++) {
		const struct cat_reg *r = &b->regs[i];
		struct cat_field_value w = { .row = r, .index = (uint8_t)index };

		if (!r->id || !cat_reg_covers(r, index))
			continue;
		for (unsigned k = 0; k < CAT_REG_FIELDS; k++) {
			const struct cat_reg_field *t = &selector->encodings[encoding].fields[k];

			if ((s.has & BIT(k)) && t->id == r->id) {
				w.mask |= bits_mask(t->hi, t->lo);
				w.value |= bits_put(s.v[k], t->hi, t->lo);
			}
		}
		if (w.mask) {
			assert(n < CAT_FIELD_VALUES);
			w.reg = cat_reg_address(b, r, c->unit, index);
			values[n++] = w;
		}
	}
	return n;
}
