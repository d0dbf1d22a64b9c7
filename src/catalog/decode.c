/* SPDX-License-Identifier: MIT
 * The events that register contents select.
 * Owns:  the inverse of encode.c: every candidate is encoded again and compared, so that the two
 *        cannot drift apart.
 * Never: which of several candidates was meant.
 * Pure; any thread.
 */
#include "catalog/catalog.h"

#include <string.h>

struct input {
	const struct reg *regs;
	const uint64_t *values;
	unsigned n;
	const struct cat_box *box;
	unsigned unit, counter;
	bool fixed;
	uint64_t ctl;
	uint64_t selects;       /* control-word bits that tell events apart */
	uint64_t says;          /* all that change what is counted */
};

struct output {
	struct cat_selection *v;
	unsigned n, max;
	uint64_t unsaid;
};

static uint64_t field(uint64_t word, struct cat_bits f)
{
	return cat_has(f) ? bits_get(word, (unsigned)f.hi, (unsigned)f.lo) : 0;
}

/* A list of writes may name a register twice (MM_CFG: 0, then bit 63): it holds the last value. */
static uint64_t value_of(const struct input *in, struct reg r)
{
	for (unsigned i = in->n; i-- > 0;)
		if (reg_equal(in->regs[i], r))
			return in->values[i];
	return 0;
}

/* What each register field of an encoding holds now. */
static void observe(const struct input *in, const struct cat_encoding *encoding, unsigned index,
		    struct cat_values *seen)
{
	const struct cat_box *b = in->box;

	for (unsigned k = 0; k < CAT_REG_FIELDS; k++) {
		const struct cat_reg_field *t = &encoding->fields[k];

		if (!t->id)
			continue;
		for (unsigned i = 0; i < b->n_regs; i++) {
			const struct cat_reg *r = &b->regs[i];
			struct reg at = cat_reg_address(b, r, in->unit, index);

			if (r->id == t->id && cat_reg_covers(r, index))
				seen->v[k] = bits_get(value_of(in, at), t->hi, t->lo);
		}
	}
}

/* Fills c->keys from the register fields. False: a value that the key does not allow. */
static bool recover_keys(const struct input *in, struct cat_selection *c,
			 const struct cat_values *now)
{
	const struct cat_selector *r = c->event->selector;
	const struct cat_values base = cat_values_of(c);

	c->keys = (struct cat_values){ 0 };
	c->key_given = 0;
	for (unsigned i = 0; i < r->n_keys; i++) {
		const struct cat_key *k = &r->keys[i];
		uint64_t fixed = cat_key_get(k, &base), value = cat_key_get(k, now) & ~fixed;
		bool word = k->word &&
			(now->v[k->field] & ~base.v[k->field] & k->word_bits) == k->word_bits;

		if (!cat_key_applies(c, k))
			continue;
		if (k->ctl || k->also) {
			/* Given although it is the default? The bits that it sets show that. */
			if ((in->ctl & k->ctl) != k->ctl ||
			    (k->also && (now->v[k->also_field] & k->also_value) != k->also_value))
				continue;
		} else if (!k->required && !word && cat_key_get(k, now) == (fixed | k->dflt)) {
			continue;
		}
		if (!word && (value < k->min || (k->n_words && !cat_key_word(k, value)))) {
			if (k->required)
				continue; /* nobody gave it: what encoding the bare row writes */
			return false;
		}
		c->key_given |= (uint8_t)BIT(i);
		c->keys.has |= k->owns;
		cat_key_put(k, value, &c->keys);
		if (word)
			c->keys.v[k->field] |= k->word_bits;
		cat_key_also(k, &c->keys);
	}
	return true;
}

/* A key that a word needs was given, even if at its default: "match=opcode" needs an opcode. */
static void give_needed(struct cat_selection *c)
{
	const struct cat_selector *r = c->event->selector;

	for (unsigned i = 0; i < r->n_keys; i++) {
		const struct cat_word *word = c->key_given & BIT(i)
			? cat_key_word(&r->keys[i], cat_key_get(&r->keys[i], &c->keys)) : NULL;

		for (unsigned k = 0; word && k < r->n_keys; k++)
			if (cat_word_needs(word, r->keys[k].name)) {
				c->key_given |= (uint8_t)BIT(k);
				c->keys.has |= (uint8_t)(BIT(r->keys[k].field) | r->keys[k].owns);
			}
	}
}

/* Does this selection encode to what was found? *unsaid gets the bits that no key can express. */
static bool agrees(const struct input *in, const struct cat_selection *c, unsigned encoding,
		   uint64_t *unsaid)
{
	struct cat_field_value values[CAT_FIELD_VALUES];
	uint64_t ctl;
	unsigned n = cat_encode(c, encoding, in->counter, &ctl, values);

	if ((ctl ^ in->ctl) & in->selects)
		return false;
	for (unsigned i = 0; i < n; i++)
		if ((value_of(in, values[i].reg) ^ values[i].value) & values[i].mask)
			return false;
	*unsaid |= (ctl ^ in->ctl) & in->says;
	if (c->invert && !c->threshold)
		*unsaid |= cat_mask(cat_invert(c->box, c->event));
	return !*unsaid;
}

/* Several unit masks are worse than one, keys are worse than none. */
static unsigned cost(const struct cat_selection *c)
{
	return (c->umasks & (c->umasks - 1) ? 16 : 0) + (unsigned)__builtin_popcount(c->key_given);
}

/* Keeps the candidates ordered by cost, and of one event only the cheapest. */
static void add(struct output *out, const struct cat_selection *c)
{
	unsigned kept = 0, at;

	for (unsigned i = 0; i < out->n; i++)
		if (out->v[i].event == c->event && cost(&out->v[i]) < cost(c))
			return;
	for (unsigned i = 0; i < out->n; i++)
		if (out->v[i].event != c->event || cost(&out->v[i]) == cost(c))
			out->v[kept++] = out->v[i];
	out->n = kept;
	for (at = out->n; at > 0 && cost(&out->v[at - 1]) > cost(c); at--)
		;
	if (at == out->max)
		return;
	if (out->n == out->max)
		out->n--;
	memmove(&out->v[at + 1], &out->v[at], (out->n - at) * sizeof(out->v[0]));
	out->v[at] = *c;
	out->n++;
}

static void try_umasks(const struct input *in, struct cat_selection *c, unsigned encoding,
		       uint64_t umasks, const struct cat_values *seen, struct output *out)
{
	uint64_t unsaid = 0;

	c->umasks = umasks;
	if (c->event->selector) {
		if (!recover_keys(in, c, seen))
			return;
		give_needed(c);
	}
	if (agrees(in, c, encoding, &unsaid))
		add(out, c);
	out->unsaid |= unsaid;
}

/* All bits of the unit mask are set in the registers. */
static bool is_set(const struct input *in, const struct cat_event *e, const struct cat_umask *u,
		   const struct cat_values *seen)
{
	if (u->ctl & ~in->ctl)
		return false;
	if (cat_umask_in_ctl(in->box, e) && u->value & ~field(in->ctl, in->box->umask))
		return false;
	if (!e->selector || !u->values)
		return true;
	for (unsigned k = 0; k < CAT_REG_FIELDS; k++)
		if (u->values->v[k] & ~seen->v[k])
			return false;
	return true;
}

/* A unit mask that is one bit, beside the bits that are a number. */
static bool is_one_bit(const struct cat_event *e, const struct cat_umask *u)
{
	uint64_t bits = u->value & (uint64_t)~e->enum_bits;

	return bits && !(bits & (bits - 1));
}

/* All the single-bit masks that are set and agree in their number part. */
static void try_combinations(const struct input *in, struct cat_selection *c, unsigned encoding,
			     const struct cat_values *seen, struct output *out)
{
	const struct cat_event *e = c->event;
	uint64_t done = 0;

	for (unsigned i = 0; i < e->n_umasks; i++) {
		uint64_t umasks = 0;

		if (done & BIT(i) || !is_one_bit(e, &e->umasks[i]) ||
		    !is_set(in, e, &e->umasks[i], seen))
			continue;
		for (unsigned k = i; k < e->n_umasks; k++)
			if (((e->umasks[i].value ^ e->umasks[k].value) & e->enum_bits) == 0 &&
			    is_one_bit(e, &e->umasks[k]) && is_set(in, e, &e->umasks[k], seen))
				umasks |= BIT(k);
		done |= umasks;
		if (umasks & (umasks - 1))
			try_umasks(in, c, encoding, umasks, seen, out);
	}
}

static void try_encoding(const struct input *in, struct cat_selection *c, unsigned encoding,
		      struct output *out)
{
	const struct cat_event *e = c->event;
	struct cat_values seen = { 0 };

	if (e->selector)
		observe(in, &e->selector->encodings[encoding], in->box->n_ports ? c->port : 0,
			&seen);
	if (!e->n_umasks || e->dflt == CAT_OPTIONAL)
		try_umasks(in, c, encoding, 0, &seen, out);
	for (unsigned i = 0; i < e->n_umasks; i++)
		if (is_set(in, e, &e->umasks[i], &seen))
			try_umasks(in, c, encoding, BIT(i), &seen, out);
	if (e->combine == CAT_UMASK_BITS && !e->one_umask)
		try_combinations(in, c, encoding, &seen, out);
}

static void try_event(const struct input *in, const struct cat_event *e, unsigned encoding,
		      struct output *out)
{
	const struct cat_box *b = in->box;
	unsigned ports = b->n_ports ? b->n_ports : 1;

	if (e->fixed != in->fixed || encoding >= cat_encodings(e))
		return;
	for (unsigned port = 0; port < ports; port++) {
		struct cat_selection c = {
			.box = b, .event = e, .unit = in->unit, .port = port,
			.threshold = field(in->ctl, b->threshold),
			.edge = field(in->ctl, b->edge),
			.invert = field(in->ctl, cat_invert(b, e)),
		};

		if (e->fixed || (cat_event_code(&c, encoding) == field(in->ctl, b->event) &&
				 cat_counters(&c) & BIT(in->counter)))
			try_encoding(in, &c, encoding, out);
	}
}

/* An event's first encoding is its own: events found there come before those that moved. */
static void try_events(const struct input *in, struct output *out)
{
	unsigned encodings = 1;

	cat_each_event(e, in->box)
		if (cat_encodings(e) > encodings)
			encodings = cat_encodings(e);
	for (unsigned encoding = 0; encoding < encodings; encoding++)
		cat_each_event(e, in->box)
			try_event(in, e, encoding, out);
}

/* Control-word bits beside the event field that the event, its unit masks or its keys can set. */
static uint64_t event_bits(const struct cat_event *e)
{
	uint64_t bits = e->ctl;

	for (unsigned u = 0; u < e->n_umasks; u++)
		bits |= e->umasks[u].ctl;
	for (unsigned i = 0; e->selector && i < e->selector->n_keys; i++)
		bits |= e->selector->keys[i].ctl;
	return bits;
}

/* The fields of a control register that change what is counted: not enables, not overflow. */
static uint64_t saying_bits(const struct cat_box *b, const struct cat_reg *row)
{
	unsigned n;
	const struct cat_field *f = cat_reg_fields(b, row, &n);

	return cat_fields_mask(f, n, BIT(CAT_FIELD)) &
		~(cat_ctl_enable(b, false) | cat_mask(b->occ_reset) | b->ctl_always |
			b->ctl_overflow);
}

/* Finds the control register among the registers and what tells its events apart. */
static bool find_control(const struct cat_processor *p, struct input *in)
{
	for (unsigned i = 0; i < in->n; i++) {
		struct cat_location at;

		if (!cat_locate(p, in->regs[i], &at) || !at.box ||
		    (at.row->role != CAT_CTL && at.row->role != CAT_FIXED_CTL))
			continue;
		in->box = at.box;
		in->unit = at.unit;
		in->fixed = at.row->role == CAT_FIXED_CTL;
		in->counter = in->fixed ? at.box->n_counters : at.index;
		in->ctl = in->values[i];
		if (in->fixed)
			return true;
		in->selects = cat_mask(at.box->event) | cat_mask(at.box->umask);
		cat_each_event(e, at.box)
			in->selects |= event_bits(e);
		in->says = saying_bits(at.box, at.row);
		return true;
	}
	return false;
}

unsigned cat_decode(const struct cat_processor *p, const struct reg *regs, const uint64_t *values,
		    unsigned n, struct cat_selection *ret_selections, unsigned max,
		    unsigned *ret_counter, uint64_t *ret_unsaid)
{
	struct input in = { .regs = regs, .values = values, .n = n };
	struct output out = { .v = ret_selections, .max = max };

	*ret_unsaid = 0;
	if (!max || !find_control(p, &in))
		return 0;
	try_events(&in, &out);
	*ret_unsaid = out.n ? 0 : out.unsaid;
	if (out.n)
		*ret_counter = in.counter;
	return out.n;
}
