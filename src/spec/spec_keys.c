/* SPDX-License-Identifier: MIT
 * The keys of an event specification against the catalog.
 * Owns:  which keys an event accepts with which values, which it needs, which need each other.
 * Never: unit masks (spec_resolve.c); whether the event fits beside others.
 * Pure; any thread.
 */
#include "spec/resolve.h"

#include "base/name.h"
#include "base/num.h"
#include "base/words.h"
#include "spec/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct keys {                       /* of one specification, as far as they were read */
	struct spec_box *ret;
	bool port;                  /* the port was given */
	uint8_t written;            /* selector keys that were written, whatever their value */
};

static int number(const struct cat_selection *c, const struct spec_key *k, uint64_t *ret,
		  struct err *err)
{
	if (!k->value)
		return refuse(c, err, ": '%s' needs a value", k->name);
	if (num_parse_u64(k->value, ret) < 0)
		return refuse(c, err, ": %s=%s is not a number (decimal or 0x hex, up to 64 bits)",
			      k->name, k->value);
	return 0;
}

static int does_not_fit(const struct cat_selection *c, const struct spec_key *k, uint64_t least,
			unsigned bits, struct err *err)
{
	uint64_t most = bits_mask(bits - 1, 0);

	return err_set(err, -EINVAL, bits > 16 ? "%s/%s: %s=%s does not fit: %#llx to %#llx" :
		       "%s/%s: %s=%s does not fit: %llu to %llu", c->box->name, c->event->name,
		       k->name, k->value, (unsigned long long)least, (unsigned long long)most);
}

static int key_counter(struct keys *ks, const struct spec_key *k, struct err *err)
{
	const struct cat_selection *c = &ks->ret->selection;
	uint64_t v;
	int r;

	if (k->value && name_same(k->value, "fixed")) {
		if (!c->event->fixed)
			return refuse(c, err, " does not count on the fixed counter");
		return 0;
	}
	r = number(c, k, &v, err);
	if (r < 0)
		return r;
	if (c->event->fixed)
		return refuse(c, err, " counts only on the fixed counter, not on counter %s",
			      k->value);
	if (v >= c->box->n_counters)
		return err_set(err, -EINVAL, "%s has no counter %s: 0 to %u", c->box->name,
			       k->value, c->box->n_counters - 1);
	ks->ret->pin = (int)v;
	return 0;
}

static int key_encoding(struct keys *ks, const struct spec_key *k, struct err *err)
{
	const struct cat_selection *c = &ks->ret->selection;
	const struct cat_selector *r = c->event->selector;
	uint64_t v;

	if (number(c, k, &v, err) < 0)
		return -EINVAL;
	if (v < r->pin_base || v - r->pin_base >= r->n_encodings)
		return refuse(c, err, ": %s=%s does not exist: %u to %u", k->name, k->value,
			      r->pin_base, r->pin_base + r->n_encodings - 1u);
	ks->ret->encoding = (int)(v - r->pin_base);
	return 0;
}

static int key_port(struct keys *ks, const struct spec_key *k, struct err *err)
{
	struct cat_selection *c = &ks->ret->selection;
	uint64_t v;

	if (number(c, k, &v, err) < 0)
		return -EINVAL;
	if (v >= c->box->n_ports)
		return err_set(err, -EINVAL, "%s has no port %s: 0 to %u", c->box->name, k->value,
			       c->box->n_ports - 1);
	c->port = (unsigned)v;
	ks->port = true;
	return 0;
}

static int key_threshold(struct keys *ks, const struct spec_key *k, struct err *err)
{
	struct cat_selection *c = &ks->ret->selection;
	struct cat_bits f = c->box->threshold;

	if (number(c, k, &c->threshold, err) < 0)
		return -EINVAL;
	if (!bits_fit(c->threshold, (unsigned)f.hi, (unsigned)f.lo))
		return does_not_fit(c, k, 0, (unsigned)(f.hi - f.lo + 1), err);
	return 0;
}

static int key_flag(const struct cat_selection *c, const struct spec_key *k, bool *ret,
		    struct err *err)
{
	if (k->value && strcmp(k->value, "0") != 0 && strcmp(k->value, "1") != 0)
		return refuse(c, err, ": '%s' is a flag: bare, =0 or =1", k->name);
	*ret = !k->value || k->value[0] == '1';
	return 0;
}

/* A default says nothing, unless the key is required or switches something on by being given. */
static bool key_is_default(const struct cat_key *k, uint64_t v)
{
	return v == k->dflt && !k->required && !k->also && !k->owns && !k->ctl;
}

static int word_value(const struct cat_selection *c, const struct cat_key *row,
		      const struct spec_key *k, uint64_t *ret, struct err *err)
{
	const char *names[64];
	char list[WORDS_TEXT];

	for (unsigned i = 0; i < row->n_words; i++) {
		if (k->value && name_same(k->value, row->words[i].name)) {
			*ret = row->words[i].value;
			return 0;
		}
		if (i < COUNT(names))
			names[i] = row->words[i].name;
	}
	words_join(list, sizeof(list), names,
		   row->n_words < COUNT(names) ? row->n_words : COUNT(names));
	return refuse(c, err, ": '%s' is one of %s", k->name, list);
}

/* A number that fits into the key; a key of one bit is a flag and needs no value. */
static int key_number(const struct cat_selection *c, const struct cat_key *row,
		      const struct spec_key *k, uint64_t *ret, struct err *err)
{
	if (!k->value && row->hi == 0) {
		*ret = 1;
		return 0;
	}
	if (number(c, k, ret, err) < 0)
		return -EINVAL;
	if (row->shift && *ret & (BIT(row->shift) - 1))
		return refuse(c, err, ": %s=%s is not a multiple of %llu", k->name, k->value,
			      (unsigned long long)BIT(row->shift));
	if (*ret < row->min || !bits_fit(*ret >> row->shift, row->hi, row->lo))
		return does_not_fit(c, k, row->min, row->hi - row->lo + 1u + row->shift, err);
	return 0;
}

static int key_selector(struct keys *ks, const struct spec_key *k, unsigned i, struct err *err)
{
	struct cat_selection *c = &ks->ret->selection;
	const struct cat_key *row = &c->event->selector->keys[i];
	uint64_t v = 0;

	ks->written |= (uint8_t)BIT(i);
	if (row->word && k->value && name_same(k->value, row->word)) {
		c->keys.v[row->field] |= row->word_bits;
	} else {
		if ((row->n_words ? word_value(c, row, k, &v, err)
		     : key_number(c, row, k, &v, err)) < 0)
			return -EINVAL;
		if (key_is_default(row, v))
			return 0;
		cat_key_put(row, v, &c->keys);
	}
	c->keys.has |= (uint8_t)BIT(row->field);
	c->key_given |= (uint8_t)BIT(i);
	cat_key_also(row, &c->keys);
	return 0;
}

/* Is the key "invert", and do only some events of the box have it? */
static bool is_own_invert(const struct cat_box *b, const char *key)
{
	cat_each_event(e, b)
		if (e->invert_bit && strcmp(key, "invert") == 0)
			return true;
	return false;
}

/* Says of "threshold", "edge" and "invert" that this box has none, of others what is near. */
static int key_unknown(const struct cat_selection *c, const struct spec_key *k, struct err *err)
{
	static const char *const general[] = { "threshold", "edge", "invert" };
	/* as perf and the kernel's drivers call them */
	static const struct { const char *name, *meant; } others[] = {
		{ "inv", "invert" }, { "thresh", "threshold" },
	};
	const struct cat_box *b = c->box;
	const struct cat_selector *r = c->event->selector;
	const char *names[16];
	char text[WORDS_TEXT];
	unsigned n = 0;

	if (NAME_FIND(general, COUNT(general), k->name))
		return err_set(err, -EINVAL, "%s has no '%s': the control registers of this box "
			       "have no such field%s", b->name, k->name,
			       is_own_invert(b, k->name) ? " for this event" : "");
	names[n++] = "counter";
	if (b->port_key)
		names[n++] = b->port_key;
	if (cat_has(b->threshold))
		names[n++] = "threshold";
	if (cat_has(b->edge))
		names[n++] = "edge";
	if (cat_has(cat_invert(b, c->event)))
		names[n++] = "invert";
	if (r && r->pin)
		names[n++] = r->pin;
	for (unsigned i = 0; r && i < r->n_keys && n < COUNT(names); i++)
		names[n++] = r->keys[i].name;
	for (unsigned i = 0; i < COUNT(others); i++)
		if (strcmp(others[i].name, k->name) == 0 && NAME_FIND(names, n, others[i].meant))
			return refuse(c, err, " has no key '%s'; the nearest is '%s'", k->name,
				      others[i].meant);
	return refuse(c, err, " has no key '%s'; %s", k->name,
		      words_nearest(text, k->name, names, n));
}

static int resolve_key(struct keys *ks, const struct spec_key *k, struct err *err)
{
	struct cat_selection *c = &ks->ret->selection;
	const struct cat_box *b = c->box;
	const struct cat_selector *r = c->event->selector;

	if (strcmp(k->name, "counter") == 0)
		return key_counter(ks, k, err);
	if (b->port_key && strcmp(k->name, b->port_key) == 0)
		return key_port(ks, k, err);
	if (strcmp(k->name, "threshold") == 0 && cat_has(b->threshold) && !c->event->fixed)
		return key_threshold(ks, k, err);
	if (strcmp(k->name, "edge") == 0 && cat_has(b->edge) && !c->event->fixed)
		return key_flag(c, k, &c->edge, err);
	if (strcmp(k->name, "invert") == 0 && cat_has(cat_invert(b, c->event)) && !c->event->fixed)
		return key_flag(c, k, &c->invert, err);
	if (r && r->pin && strcmp(k->name, r->pin) == 0)
		return key_encoding(ks, k, err);
	for (unsigned i = 0; r && i < r->n_keys; i++)
		if (strcmp(k->name, r->keys[i].name) == 0)
			return key_selector(ks, k, i, err);
	if (c->event->fixed)
		return refuse(c, err, " has no key '%s': the fixed counter only counts", k->name);
	return key_unknown(c, k, err);
}

static int key_needs(const struct keys *ks, const char *what, const char *needed, struct err *err)
{
	const struct cat_selection *c = &ks->ret->selection;
	const struct cat_selector *r = c->event->selector;

	for (unsigned k = 0; needed && k < r->n_keys; k++)
		if (strcmp(r->keys[k].name, needed) == 0 && !(ks->written & BIT(k)))
			return refuse(c, err, ": '%s' needs '%s' too", what, needed);
	return 0;
}

/* A key that belongs to some words of another key: was one of these words given? */
static int key_of_word(const struct keys *ks, const struct cat_key *k, struct err *err)
{
	const struct cat_selection *c = &ks->ret->selection;
	const struct cat_selector *r = c->event->selector;

	for (unsigned i = 0; k->needs && i < r->n_keys; i++) {
		const struct cat_word *w = cat_key_word(&r->keys[i],
							cat_key_get(&r->keys[i], &c->keys));

		if (w && !cat_word_needs(w, k->name) && strcmp(r->keys[i].name, k->needs) == 0)
			return refuse(c, err, ": '%s' has no effect with %s=%s", k->name,
				      r->keys[i].name, w->name);
	}
	return 0;
}

/* A key that was not given: is it one that must be? */
static int check_missing(const struct keys *ks, const struct cat_key *k, unsigned optional,
			 struct err *err)
{
	const struct cat_selection *c = &ks->ret->selection;

	if (!k->required || optional & SPEC_FILTERS_OPTIONAL || !cat_key_applies(c, k))
		return 0;
	return refuse(c, err, ": '%s' is required%s; %s=...: %s", k->name,
		      k->umask_bits ? " with this unit mask" : "", k->name, k->help);
}

/* Is a key of the selector missing, or given where it has no effect? */
static int check_key(const struct keys *ks, unsigned i, unsigned optional, struct err *err)
{
	const struct cat_selection *c = &ks->ret->selection;
	const struct cat_key *k = &c->event->selector->keys[i];
	const struct cat_word *w = c->key_given & BIT(i)
		? cat_key_word(k, cat_key_get(k, &c->keys)) : NULL;
	char text[96];

	if (!(ks->written & BIT(i)))
		return check_missing(ks, k, optional, err);
	if (!cat_key_applies(c, k))
		return refuse(c, err, ": '%s' has no effect with this unit mask", k->name);
	if (key_needs(ks, k->name, k->needs, err) < 0 || key_of_word(ks, k, err) < 0)
		return -EINVAL;
	for (unsigned n = 0; w && n < COUNT(w->needs); n++) {
		snprintf(text, sizeof(text), "%s=%s", k->name, w->name);
		if (key_needs(ks, text, w->needs[n], err) < 0)
			return -EINVAL;
	}
	return 0;
}

/* Are all keys there that the event and its other keys need, and do they go together? */
static int check_keys(const struct keys *ks, unsigned optional, struct err *err)
{
	const struct spec_box *s = ks->ret;
	const struct cat_selection *c = &s->selection;
	const struct cat_box *b = c->box;
	const struct cat_selector *r = c->event->selector;
	const struct cat_values *set = c->umasks
		? c->event->umasks[__builtin_ctzll(c->umasks)].values : NULL;
	struct cat_selection plain = *c;
	char list[WORDS_TEXT];

	if (b->port_key && !ks->port && !(optional & SPEC_PORT_OPTIONAL))
		return refuse(c, err, ": '%s' is required: %s=0 to %s=%u", b->port_key, b->port_key,
			      b->port_key, b->n_ports - 1);
	for (unsigned i = 0; r && i < r->n_keys; i++)
		if (check_key(ks, i, optional, err) < 0)
			return -EINVAL;
	if (r && set && c->event->dflt == CAT_OPTIONAL)
		for (unsigned i = 0; i < r->n_keys; i++)
			if ((ks->written & BIT(i)) && (set->has & BIT(r->keys[i].field)))
				return refuse(c, err, ": a unit mask already says what '%s' would "
					      "say: give one of the two", r->keys[i].name);
	if (c->invert && !c->threshold)
		return refuse(c, err, ": 'invert' reverses a threshold and needs 'threshold' too");
	plain.edge = false;
	if (c->edge && !c->threshold && cat_max_inc(&plain) > 1)
		return refuse(c, err, ": 'edge' needs 'threshold' too, because the event can count "
			      "up to %u in one cycle", cat_max_inc(&plain));
	if (s->pin >= 0 && !s->any_port && !(cat_counters(c) & BIT(s->pin)))
		return refuse(c, err, " counts only on %s, not on counter %d",
			      words_counters(list, cat_counters(c)), s->pin);
	return 0;
}

int spec_keys(const struct spec *s, unsigned optional, struct spec_box *ret, struct err *err)
{
	struct keys ks = { .ret = ret };

	for (unsigned i = 0; i < s->n_keys; i++) {
		if (NAME_FIND(s->keys, i, s->keys[i].name))
			return err_set(err, -EINVAL, "%s: key '%s' is given twice", s->text,
				       s->keys[i].name);
		if (resolve_key(&ks, &s->keys[i], err) < 0)
			return -EINVAL;
	}
	ret->any_port = ret->selection.box->port_key && !ks.port;
	return check_keys(&ks, optional, err);
}

bool spec_key_value(const struct cat_selection *c, unsigned i, uint64_t *ret, const char **ret_word)
{
	const struct cat_key *k = &c->event->selector->keys[i];
	uint64_t v = c->keys.v[k->field];

	*ret_word = NULL;
	*ret = k->dflt;
	if (!(c->key_given & BIT(i)))
		return false;
	if (k->word && (v & k->word_bits) == k->word_bits)
		*ret_word = k->word;
	*ret = cat_key_get(k, &c->keys);
	if (cat_key_word(k, *ret))
		*ret_word = cat_key_word(k, *ret)->name;
	return *ret_word || !key_is_default(k, *ret);
}
