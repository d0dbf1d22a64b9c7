/* SPDX-License-Identifier: MIT
 * An event as JSON: its meaning, its counters, every bit that selects it.
 * Owns:  the keys of an event; see catalog_json.h.
 */
#include "expo/catalog_json.h"

#include "plan/slot_labels.h"

#include <stdlib.h>

/* The register fields that are set, and their values. */
static json_t *set(const struct cat_values *s)
{
	return JS_LIST(i, s ? CAT_REG_FIELDS : 0, !(s->has & BIT(i)) ? NULL : JS_OBJECT(
		{ "target", js_number(i) }, { "value", js_hex(s->v[i]) }));
}

static json_t *umask(const struct cat_umask *u)
{
	return JS_OBJECT(
		{ "name", js_text(u->name) },
		{ "aliases", js_texts((const char *const[]){ u->alias, NULL }) },
		{ "value", js_hex(u->value) }, { "control", js_hex(u->ctl) },
		{ "set", set(u->values) }, { "ports", u->ports ? js_bits(u->ports) : json_null() },
		{ "help", js_text(u->help) }, { "disputed", js_text(u->disputed) });
}

static json_t *word(const struct cat_word *w)
{
	return JS_OBJECT(
		{ "name", js_text(w->name) }, { "value", js_hex(w->value) },
		{ "needs", js_texts((const char *const[]){ w->needs[0], w->needs[1], NULL }) });
}

/* Rarer properties are members only where a key has them. */
static json_t *key(const struct cat_key *k)
{
	const char *form = k->hex ? "hex" : "decimal";

	return JS_OBJECT(
		{ "name", js_text(k->name) }, { "help", js_text(k->help) },
		{ "target", js_number(k->field) }, { "bits", js_pair(k->hi, k->lo) },
		{ "min", js_number(k->min) }, { "default", js_hex(k->dflt) },
		{ "form", js_text(k->n_words ? "word" : form) },
		{ "words", JS_LIST(i, k->n_words, word(&k->words[i])) },
		{ "required", json_boolean(k->required) },
		{ "free", json_boolean(k->free) },
		{ "split", !k->split ? NULL : JS_OBJECT(
			{ "at", js_number(k->split) }, { "target", js_number(k->split_field) }) },
		{ "word", !k->word ? NULL : JS_OBJECT(
			{ "name", js_text(k->word) }, { "set", js_hex(k->word_bits) }) },
		{ "also", !k->also ? NULL : JS_OBJECT(
			{ "target", js_number(k->also_field) },
			{ "value", js_hex(k->also_value) }) },
		{ "owns", k->owns ? js_bits(k->owns) : NULL },
		{ "shift", k->shift ? js_number(k->shift) : NULL },
		{ "umask_bits", k->umask_bits ? js_hex(k->umask_bits) : NULL },
		{ "control", k->ctl ? js_hex(k->ctl) : NULL },
		{ "needs", k->needs ? js_text(k->needs) : NULL });
}

static json_t *fields(const struct cat_reg_field *t)
{
	return JS_LIST(i, CAT_REG_FIELDS, !t[i].id ? NULL : JS_OBJECT(
		{ "target", js_number(i) }, { "register_id", js_number(t[i].id) },
		{ "bits", js_pair(t[i].hi, t[i].lo) }));
}

static json_t *one_encoding(unsigned code, json_t *to)
{
	return JS_OBJECT({ "code", js_hex(code) }, { "targets", to });
}

static json_t *encodings(const struct cat_event *e)
{
	const struct cat_selector *s = e->selector;

	if (!s)
		return JS_LIST(i, !e->fixed, one_encoding(e->code, json_array()));
	return JS_LIST(i, s->n_encodings,
		       one_encoding(s->encodings[i].code, fields(s->encodings[i].fields)));
}

static json_t *pin(const struct cat_selector *r)
{
	return !r || !r->pin ? json_null() : JS_OBJECT(
		{ "key", js_text(r->pin) }, { "first", js_number(r->pin_base) },
		{ "what", js_text(r->name) });
}

static json_t *encoding(const struct cat_box *b, const struct cat_event *e)
{
	return JS_OBJECT(
		{ "places", encodings(e) }, { "pin", pin(e->selector) },
		{ "control", js_hex(e->ctl) }, { "set", set(e->values) },
		{ "umask_in_control", json_boolean(cat_umask_in_ctl(b, e)) },
		{ "occupancy_reset", json_boolean(e->occupancy) },
		{ "invert", e->invert_bit ? catalog_bits_json(cat_invert(b, e)) : json_null() });
}

static json_t *counters(const struct cat_box *b, const struct cat_event *e)
{
	uint32_t all = (uint32_t)(BIT(b->n_counters) - 1);

	if (e->fixed)
		return json_string("fixed");
	return js_bits(e->counters ? e->counters & all : all);
}

json_t *catalog_event_json(const struct cat_box *b, const struct cat_event *e)
{
	bool one = e->combine == CAT_UMASK_ONE || e->one_umask;
	const char *combine = one ? "one" : "several";
	const char *umask_dflt = e->dflt >= 0 && e->n_umasks ? e->umasks[e->dflt].name : NULL;
	char *family = labels_family(b->name, e->name);
	json_t *o;

	o = JS_OBJECT(
		{ "box", js_text(b->name) }, { "event", js_text(e->name) },
		{ "aliases", js_texts(e->alias) }, { "family", js_text(family) },
		{ "help", js_text(e->help) }, { "note", js_text(e->note) },
		{ "disputed", js_text(e->disputed) }, { "source", js_text(e->source) },
		{ "code", e->selector || e->fixed ? json_null() : js_hex(e->code) },
		{ "counters", counters(b, e) }, { "max_increment", js_number(e->max_inc) },
		{ "increments", js_text(e->adds == CAT_ADDS ? "add" : "or") },
		{ "count_stands_for", js_number(e->per ? e->per : 1) },
		{ "always_runs", json_boolean(e->always_runs) },
		{ "umasks", JS_LIST(i, e->n_umasks, umask(&e->umasks[i])) },
		{ "umasks_combine", js_text(e->n_umasks ? combine : "none") },
		{ "umasks_agree", js_hex(e->enum_bits) }, { "default_umask", js_text(umask_dflt) },
		{ "umask_required", json_boolean(e->n_umasks && e->dflt == -1) },
		{ "keys", JS_LIST(i, e->selector ? e->selector->n_keys : 0,
				  key(&e->selector->keys[i])) },
		{ "encoding", encoding(b, e) });
	free(family);
	return o;
}
