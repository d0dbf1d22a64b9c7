/* catalog_event.c - an event as JSON: what it means, where it can count, and every bit that selects it.
 *
 * Owns:  the keys of an event; see catalog_json.h.
 */
#include "config.h"

#include "expo/catalog_json.h"

#include "schedule/slot_labels.h"

#include <stdlib.h>

/* Values of targets: only those that are wanted. */
static json_t *set(const struct cat_set *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; s && i < CAT_TARGETS; i++)
		if (s->has & BIT(i)) {
			json_t *o = json_object();

			catalog_put_number(o, "target", i);
			catalog_put_hex(o, "value", s->v[i]);
			json_array_append_new(list, o);
		}
	return list;
}

static json_t *bit_list(uint64_t mask)
{
	json_t *list = json_array();

	for (; mask; mask &= mask - 1)
		json_array_append_new(list, json_integer(__builtin_ctzll(mask)));
	return list;
}

static json_t *texts(const char *const *t)
{
	json_t *list = json_array();

	for (; t && *t; t++)
		json_array_append_new(list, json_string(*t));
	return list;
}

static json_t *umask(const struct cat_umask *u)
{
	json_t *o = json_object();

	catalog_put_text(o, "name", u->name);
	json_object_set_new(o, "aliases", texts((const char *const[]){ u->alias, NULL }));
	catalog_put_hex(o, "value", u->value);
	catalog_put_hex(o, "control", u->ctl);
	json_object_set_new(o, "set", set(u->set));
	json_object_set_new(o, "ports", u->ports ? bit_list(u->ports) : json_null());
	catalog_put_text(o, "help", u->help);
	catalog_put_text(o, "disputed", u->disputed);
	return o;
}

/* ------------------------------------------------------------------ keys */

static json_t *word(const struct cat_word *w)
{
	json_t *o = json_object();

	catalog_put_text(o, "name", w->name);
	catalog_put_hex(o, "value", w->value);
	json_object_set_new(o, "needs", texts((const char *const[]){ w->needs[0], w->needs[1], NULL }));
	return o;
}

/* Rarer properties stand there only where a key has them. */
static void key_extras(json_t *o, const struct cat_key *k)
{
	if (k->split) {
		json_t *split = json_object();

		catalog_put_number(split, "at", k->split);
		catalog_put_number(split, "target", k->split_target);
		json_object_set_new(o, "split", split);
	}
	if (k->word) {
		json_t *other = json_object();

		catalog_put_text(other, "name", k->word);
		catalog_put_hex(other, "set", k->word_set);
		json_object_set_new(o, "word", other);
	}
	if (k->also) {
		json_t *also = json_object();

		catalog_put_number(also, "target", k->also_target);
		catalog_put_hex(also, "value", k->also_value);
		json_object_set_new(o, "also", also);
	}
	if (k->owns)
		json_object_set_new(o, "owns", bit_list(k->owns));
	if (k->shift)
		catalog_put_number(o, "shift", k->shift);
	if (k->umask_bits)
		catalog_put_hex(o, "umask_bits", k->umask_bits);
	if (k->ctl)
		catalog_put_hex(o, "control", k->ctl);
	if (k->needs)
		catalog_put_text(o, "needs", k->needs);
}

static json_t *key(const struct cat_key *k)
{
	json_t *o = json_object(), *words = json_array();

	for (unsigned i = 0; i < k->n_words; i++)
		json_array_append_new(words, word(&k->words[i]));
	catalog_put_text(o, "name", k->name);
	catalog_put_text(o, "help", k->help);
	catalog_put_number(o, "target", k->target);
	json_object_set_new(o, "bits", json_pack("[i, i]", k->hi, k->lo));
	catalog_put_number(o, "min", k->min);
	catalog_put_hex(o, "default", k->dflt);
	catalog_put_text(o, "form", k->n_words ? "word" : k->hex ? "hex" : "decimal");
	json_object_set_new(o, "words", words);
	json_object_set_new(o, "required", json_boolean(k->required));
	json_object_set_new(o, "free", json_boolean(k->free));
	key_extras(o, k);
	return o;
}

/* ------------------------------------------------------------------ places */

static json_t *targets(const struct cat_target *t)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < CAT_TARGETS; i++) {
		json_t *o;

		if (!t[i].id)
			continue;
		o = json_object();
		catalog_put_number(o, "target", i);
		catalog_put_number(o, "register_id", t[i].id);
		json_object_set_new(o, "bits", json_pack("[i, i]", t[i].hi, t[i].lo));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *place(unsigned code, json_t *to)
{
	json_t *o = json_object();

	catalog_put_hex(o, "code", code);
	json_object_set_new(o, "targets", to);
	return o;
}

static json_t *places(const struct cat_event *e)
{
	json_t *list = json_array();

	for (unsigned i = 0; e->route && i < e->route->n_places; i++)
		json_array_append_new(list, place(e->route->places[i].code, targets(e->route->places[i].t)));
	if (!e->route && !e->fixed)
		json_array_append_new(list, place(e->code, json_array()));
	return list;
}

static json_t *pin(const struct cat_route *r)
{
	json_t *o;

	if (!r || !r->pin)
		return json_null();
	o = json_object();
	catalog_put_text(o, "key", r->pin);
	catalog_put_number(o, "first", r->pin_base);
	catalog_put_text(o, "what", r->name);
	return o;
}

static json_t *encoding(const struct cat_box *b, const struct cat_event *e)
{
	json_t *o = json_object();

	json_object_set_new(o, "places", places(e));
	json_object_set_new(o, "pin", pin(e->route));
	catalog_put_hex(o, "control", e->ctl);
	json_object_set_new(o, "set", set(e->set));
	json_object_set_new(o, "umask_in_control", json_boolean(cat_umask_in_ctl(b, e)));
	json_object_set_new(o, "occupancy_reset", json_boolean(e->occupancy));
	catalog_put_bits(o, "invert", e->invert_bit ? cat_invert(b, e) : (struct cat_bits)CAT_NONE);
	return o;
}

/* ------------------------------------------------------------------ the event */

static json_t *counters(const struct cat_box *b, const struct cat_event *e)
{
	uint32_t all = (uint32_t)(BIT(b->n_counters) - 1);

	if (e->fixed)
		return json_string("fixed");
	return bit_list(e->counters ? e->counters & all : all);
}

static void put_umasks(json_t *o, const struct cat_event *e)
{
	json_t *list = json_array();
	bool one = e->combine == CAT_UMASK_ONE || e->one_umask;

	for (unsigned i = 0; i < e->n_umasks; i++)
		json_array_append_new(list, umask(&e->umasks[i]));
	json_object_set_new(o, "umasks", list);
	catalog_put_text(o, "umasks_combine", !e->n_umasks ? "none" : one ? "one" : "several");
	catalog_put_hex(o, "umasks_agree", e->enum_bits);
	catalog_put_text(o, "default_umask", e->dflt >= 0 && e->n_umasks ? e->umasks[e->dflt].name : NULL);
	json_object_set_new(o, "umask_required", json_boolean(e->n_umasks && e->dflt == -1));
}

json_t *catalog_event(const struct cat_box *b, const struct cat_event *e)
{
	json_t *o = json_object(), *keys = json_array();
	char *family = labels_family(b->name, e->name);

	for (unsigned i = 0; e->route && i < e->route->n_keys; i++)
		json_array_append_new(keys, key(&e->route->keys[i]));
	catalog_put_text(o, "box", b->name);
	catalog_put_text(o, "event", e->name);
	json_object_set_new(o, "aliases", texts(e->alias));
	catalog_put_text(o, "family", family);
	free(family);
	catalog_put_text(o, "help", e->help);
	catalog_put_text(o, "note", e->note);
	catalog_put_text(o, "disputed", e->disputed);
	catalog_put_text(o, "source", e->source);
	json_object_set_new(o, "code", e->route || e->fixed ? json_null() : json_sprintf("0x%x", e->code));
	json_object_set_new(o, "counters", counters(b, e));
	catalog_put_number(o, "max_increment", e->max_inc);
	catalog_put_text(o, "increments", e->adds == CAT_ADDS ? "add" : "or");
	catalog_put_number(o, "count_stands_for", e->per ? e->per : 1);
	json_object_set_new(o, "always_runs", json_boolean(e->always_runs));
	put_umasks(o, e);
	json_object_set_new(o, "keys", keys);
	json_object_set_new(o, "encoding", encoding(b, e));
	return o;
}
