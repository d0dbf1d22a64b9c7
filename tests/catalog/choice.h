/* choice.h - a choice that the planner would accept, made straight from a row. */
#ifndef TESTS_CHOICE_H
#define TESTS_CHOICE_H

#include "catalog/catalog.h"

/* The keys that a choice cannot do without, at a value that is not their default; the others are not given. */
static inline void give_required_keys(struct cat_choice *c)
{
	const struct cat_route *r = c->event->route;

	c->keys = (struct cat_set){ 0 };
	c->key_given = 0;
	for (unsigned i = 0; r && i < r->n_keys; i++) {
		const struct cat_key *k = &r->keys[i];

		if (!k->required || !cat_key_applies(c, k))
			continue;
		c->key_given |= (uint8_t)BIT(i);
		c->keys.has |= k->owns;
		cat_key_put(k, k->n_words ? k->words[0].value : (k->min | UINT64_C(3)) << k->shift, &c->keys);
	}
}

#endif
