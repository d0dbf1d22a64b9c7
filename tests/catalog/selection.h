/* SPDX-License-Identifier: MIT
 * A selection that the planner would accept, made straight from a row. */
#ifndef TESTS_SELECTION_H
#define TESTS_SELECTION_H

#include "catalog/catalog.h"

#include <string.h>

static inline void give_key(struct cat_selection *c, unsigned i);

/* The keys that a word of this key needs. */
static inline void give_needed_keys(struct cat_selection *c, const struct cat_word *w)
{
	const struct cat_selector *r = c->event->selector;

	for (unsigned n = 0; n < 2; n++)
		for (unsigned k = 0; w->needs[n] && k < r->n_keys; k++)
			if (strcmp(r->keys[k].name, w->needs[n]) == 0)
				give_key(c, k);
}

/* A value that is not the default. */
static inline void give_key(struct cat_selection *c, unsigned i)
{
	const struct cat_key *k = &c->event->selector->keys[i];

	if (c->key_given & BIT(i))
		return;
	c->key_given |= (uint8_t)BIT(i);
	c->keys.has |= k->owns;
	cat_key_put(k, k->n_words ? k->words[0].value : (k->min | UINT64_C(3)) << k->shift,
		    &c->keys);
	if (k->n_words)
		give_needed_keys(c, &k->words[0]);
}

/* The keys that a selection cannot do without; the others are not given. */
static inline void give_required_keys(struct cat_selection *c)
{
	const struct cat_selector *r = c->event->selector;

	c->keys = (struct cat_values){ 0 };
	c->key_given = 0;
	for (unsigned i = 0; r && i < r->n_keys; i++)
		if (r->keys[i].required && cat_key_applies(c, &r->keys[i]))
			give_key(c, i);
}

/* The selection with one more key, at this value. */
static inline struct cat_selection give(struct cat_selection c, const char *key, uint64_t value)
{
	const struct cat_selector *r = c.event->selector;

	for (unsigned i = 0; r && i < r->n_keys; i++)
		if (!strcmp(r->keys[i].name, key)) {
			c.key_given |= (uint8_t)BIT(i);
			cat_key_put(&r->keys[i], value, &c.keys);
			assert_int_equal(cat_key_get(&r->keys[i], &c.keys), value);
			return c;
		}
	fail_msg("no key %s", key);
	return c;
}

/* Bits of a control word that need not read back (pulse fields). */
static inline uint64_t cat_pulse_bits(const struct cat_reg *r)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < r->n_fields; i++)
		if (r->fields[i].kind == CAT_FIELD_PULSE)
			bits |= bits_mask(r->fields[i].hi, r->fields[i].lo);
	return bits;
}

#endif
