/* SPDX-License-Identifier: MIT
 * Events of a box that are given by numbers: cbox/event=0x14,umask=0x3,name=x/.
 * Owns:  which fields of the control register, and which registers beside it, such an event may
 *        set; how it is printed.
 * Never: what it counts: nobody says, or the catalog would have it.
 * Pure; any thread.
 *
 * A specification by numbers sets no bit that is reserved, enables a counter or sends an overflow
 * on, and no register of another box.
 */
#include "spec/resolve.h"

#include "base/name.h"
#include "base/num.h"
#include "base/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct raw {                        /* a specification as far as it was read */
	struct arena *a;
	const struct spec *s;
	const struct cat_box *box;
	const struct cat_reg *ctl;          /* the control register */
	struct cat_event *event;
	struct cat_encoding *encoding;
	struct cat_values *values;
	unsigned n_fields;                  /* of the encoding */
	struct spec rest;                   /* with the keys that every event has */
	bool has_code;
	struct err *err;
};

#define refuse(w, fmt, ...) err_set((w)->err, -EINVAL, "%s: " fmt, (w)->s->text, ##__VA_ARGS__)

/* ------------------------------------------------------------------ the control register */

static bool is_of(struct cat_bits b, const struct cat_field *f)
{
	return cat_has(b) && b.hi == f->hi && b.lo == f->lo;
}

/* Bits that are uncored's to set. */
static uint64_t own_bits(const struct cat_box *b)
{
	return cat_ctl_enable(b, false) | b->ctl_overflow | b->ctl_always;
}

/* May such an event set the field? */
static bool is_free(const struct cat_box *b, const struct cat_field *f)
{
	uint64_t mask = bits_mask(f->hi, f->lo);

	return !(mask & own_bits(b)) && (f->kind == CAT_FIELD || is_of(b->occ_reset, f));
}

static const struct cat_reg *control_of(const struct cat_box *b)
{
	return cat_reg_find(b, CAT_CTL, 0, 0);
}

static const struct cat_field *find_field(const struct raw *w, const char *name)
{
	unsigned n;
	const struct cat_field *f = cat_reg_fields(w->box, w->ctl, &n);

	for (unsigned i = 0; i < n; i++)
		if (f[i].kind != CAT_FIELD_RSV && name_same(f[i].name, name))
			return &f[i];
	return NULL;
}

/* The only register beside the control register whose name ends in "_NAME": "dsp" of
 * MB0_CR_M_MSR_PMU_DSP. NULL: none does, or more than one. */
static const struct cat_reg *find_reg(const struct raw *w, const char *name)
{
	const struct cat_reg *found = NULL;
	size_t n = strlen(name);

	for (unsigned i = 0; i < w->box->n_regs; i++) {
		const struct cat_reg *r = &w->box->regs[i];
		size_t all = strlen(r->name);

		if (!r->id || (r->role != CAT_SUB && r->role != CAT_FILTER) || all <= n ||
		    r->name[all - n - 1] != '_' || !name_same(r->name + all - n, name))
			continue;
		if (found && found->id != r->id)
			return NULL;
		found = found ?: r;
	}
	return found;
}

static int read_number(const struct raw *w, const struct spec_key *k, uint64_t *ret)
{
	if (!k->value) {
		*ret = 1;
		return 0;
	}
	if (num_parse_u64(k->value, ret) < 0)
		return refuse(w, "%s=%s is not a number (decimal or 0x hex, up to 64 bits)",
			      k->name, k->value);
	return 0;
}

static int put_bits(struct raw *w, const struct spec_key *k, struct cat_bits b, uint64_t *to)
{
	uint64_t v;

	if (read_number(w, k, &v) < 0)
		return -EINVAL;
	if (!bits_fit(v, (unsigned)b.hi, (unsigned)b.lo))
		return refuse(w, "%s=%s does not fit: 0 to %#llx", k->name, k->value ?: "1",
			      (unsigned long long)bits_mask((unsigned)(b.hi - b.lo), 0));
	*to |= bits_put(v, (unsigned)b.hi, (unsigned)b.lo);
	return 0;
}

static int put_field(struct raw *w, const struct spec_key *k, const struct cat_field *f)
{
	if (!is_free(w->box, f))
		return refuse(w, "'%s' is not an event's to set: %s", k->name,
			      f->help ?: "reserved");
	if (is_of(w->box->occ_reset, f)) {
		w->event->occupancy = !k->value || strcmp(k->value, "0") != 0;
		return 0;
	}
	return put_bits(w, k, (struct cat_bits){ (int8_t)f->hi, (int8_t)f->lo }, &w->event->ctl);
}

/* ------------------------------------------------------------------ registers beside it */

/* What of the register is known to have a meaning. */
static uint64_t reg_mask(const struct cat_box *b, const struct cat_reg *r)
{
	unsigned n;
	const struct cat_field *f = cat_reg_fields(b, r, &n);

	return cat_fields_mask(f, n, BIT(CAT_FIELD));
}

static int put_reg(struct raw *w, const struct spec_key *k, const struct cat_reg *r)
{
	uint64_t mask = reg_mask(w->box, r), v;
	unsigned lo = (unsigned)__builtin_ctzll(mask), hi = 63 - (unsigned)__builtin_clzll(mask);

	if (read_number(w, k, &v) < 0)
		return -EINVAL;
	if (v & ~mask)
		return refuse(w, "%s=%s sets bits 0x%llx, which the register %s does not have",
			      k->name, k->value ?: "1", (unsigned long long)(v & ~mask), r->name);
	if (w->n_fields == CAT_REG_FIELDS)
		return refuse(w, "more than %d registers beside the control register",
			      CAT_REG_FIELDS);
	w->encoding->fields[w->n_fields] = (struct cat_reg_field){ r->id, (uint8_t)hi,
								   (uint8_t)lo };
	w->values->has |= (uint8_t)BIT(w->n_fields);
	w->values->v[w->n_fields] = v >> lo;
	w->n_fields++;
	return 0;
}

/* ------------------------------------------------------------------ keys */

/* What every event of the box has, as spec_keys() calls it; NULL: the key is none of these. */
static const char *general(const struct raw *w, const char *name, const struct cat_field *f)
{
	const struct cat_box *b = w->box;

	if (strcmp(name, "counter") == 0 || (b->port_key && strcmp(name, b->port_key) == 0))
		return name;
	if (strcmp(name, "threshold") == 0 || strcmp(name, "thresh") == 0 ||
	    (f && is_of(b->threshold, f)))
		return "threshold";
	if (strcmp(name, "edge") == 0 || (f && is_of(b->edge, f)))
		return "edge";
	if (strcmp(name, "invert") == 0 || strcmp(name, "inv") == 0 || (f && is_of(b->invert, f)))
		return "invert";
	return NULL;
}

static int unknown(const struct raw *w, const struct spec_key *k)
{
	const char *names[64] = { "event", "counter" };
	char list[WORDS_TEXT];
	unsigned n_fields, n = 2;
	const struct cat_field *f = cat_reg_fields(w->box, w->ctl, &n_fields);

	if (cat_has(w->box->umask))
		names[n++] = "umask";
	for (unsigned i = 0; i < n_fields && n < COUNT(names); i++)
		if (is_free(w->box, &f[i]) && !is_of(w->box->event, &f[i]) &&
		    !is_of(w->box->umask, &f[i]))
			names[n++] = f[i].name;
	return refuse(w, "the control register of %s has no field '%s', and none of its registers "
		      "alone ends in that; %s", w->box->name, k->name,
		      words_nearest(list, k->name, names, n));
}

static int read_key(struct raw *w, const struct spec_key *k)
{
	const struct cat_field *f = find_field(w, k->name);
	const struct cat_reg *r = f ? NULL : find_reg(w, k->name);
	const char *name = general(w, k->name, f);
	uint64_t code = 0;

	if (name) {
		struct spec_key *to = ARENA_ADD(w->a, w->rest.keys, w->rest.n_keys);

		*to = (struct spec_key){ arena_text(w->a, name), k->value };
		return 0;
	}
	if (strcmp(k->name, "event") == 0 || (f && is_of(w->box->event, f))) {
		w->has_code = true;
		if (put_bits(w, k, w->box->event, &code) < 0)
			return -EINVAL;
		w->event->code = (uint16_t)bits_get(code, (unsigned)w->box->event.hi,
						    (unsigned)w->box->event.lo);
		return 0;
	}
	if (strcmp(k->name, "umask") == 0 && cat_has(w->box->umask))
		return put_bits(w, k, w->box->umask, &w->event->ctl);
	if (f)
		return put_field(w, k, f);
	return r ? put_reg(w, k, r) : unknown(w, k);
}

/* Is a code of the box another event on another counter? */
static bool is_by_counter(const struct cat_box *b)
{
	cat_each_event(e, b)
		cat_each_event(o, b)
			if (e->code == o->code && e->counters && o->counters &&
			    !(e->counters & o->counters))
				return true;
	return false;
}

/* The most that any event of the box adds in a cycle. */
static uint16_t most_of(const struct cat_box *b)
{
	unsigned most = b->max_inc;

	cat_each_event(e, b) {
		uint64_t bits = 0;

		for (unsigned i = 0; i < e->n_umasks && e->adds == CAT_ADDS; i++)
			bits |= e->umasks[i].value & (uint64_t)~e->enum_bits;
		if (e->max_inc > most)
			most = e->max_inc;
		if ((unsigned)__builtin_popcountll(bits) > most)
			most = (unsigned)__builtin_popcountll(bits);
	}
	return (uint16_t)most;
}

static struct raw new_raw(struct arena *a, const struct cat_box *b, const char *name)
{
	struct raw w = { .a = a, .box = b, .ctl = control_of(b) };

	w.event = arena_alloc(a, 1, sizeof(*w.event));
	w.encoding = arena_alloc(a, 1, sizeof(*w.encoding));
	w.values = arena_alloc(a, 1, sizeof(*w.values));
	*w.event = (struct cat_event){
		.name = name, .raw = true, .dflt = -1, .max_inc = most_of(b), .source = b->source,
		.help = arena_printf(a, "An event of the %s that is given by numbers", b->name),
	};
	return w;
}

/* With registers beside the control register, or none. */
static void add_selector(struct raw *w)
{
	struct cat_selector *selector;

	w->encoding->code = (uint8_t)w->event->code;
	if (!w->n_fields)
		return;
	selector = arena_alloc(w->a, 1, sizeof(*selector));
	*selector = (struct cat_selector){ .encodings = w->encoding, .n_encodings = 1,
					   .name = "registers beside the control register" };
	w->event->selector = selector;
	w->event->values = w->values;
}

/* A code of a box with ports has the port in it. */
static int take_port(struct raw *w, struct spec_box *ret)
{
	const struct cat_box *b = w->box;
	unsigned add = b->n_ports ? b->ports[ret->selection.port].event_add : 0;
	unsigned step = b->n_ports > 1 ? b->ports[1].event_add : 0;

	if (!b->n_ports)
		return 0;
	if (w->event->code < add || w->event->code >= add + step)
		return refuse(w, "event=%u is not of %s=%u, whose codes are %u to %u",
			      w->event->code, b->port_key, ret->selection.port, add,
			      add + step - 1);
	w->event->code = (uint16_t)(w->event->code - add);
	w->encoding->code = (uint8_t)w->event->code;
	return 0;
}

int spec_raw(struct arena *a, const struct spec *s, struct spec_box *ret, struct err *err)
{
	const struct cat_box *b = ret->selection.box;
	struct raw w = new_raw(a, b, s->event);

	w.s = s;
	w.err = err;
	w.rest = (struct spec){ .text = s->text };
	if (cat_event_by_name(b, s->event))
		return refuse(&w, "%s/%s is an event of the manual; choose another name", b->name,
			      cat_event_by_name(b, s->event)->name);
	for (unsigned i = 0; i < s->n_keys; i++)
		if (read_key(&w, &s->keys[i]) < 0)
			return -EINVAL;
	if (!w.has_code)
		return refuse(&w, "event= is missing: the value of %s's event field", b->name);
	add_selector(&w);
	ret->selection.event = w.event;
	if (spec_keys(&w.rest, 0, ret, err) < 0)
		return -EINVAL;
	if (is_by_counter(b) && ret->pin < 0)
		return refuse(&w, "counter= is missing: one code is another event on each counter "
			      "of %s", b->name);
	if (is_by_counter(b))
		w.event->counters = (uint32_t)BIT(ret->pin);
	return take_port(&w, ret);
}

/* ------------------------------------------------------------------ and back */

static void add_fields(const struct cat_selection *c, struct strb *b)
{
	const struct cat_box *box = c->box;
	unsigned n;
	const struct cat_field *f = cat_reg_fields(box, control_of(box), &n);

	for (unsigned i = 0; i < n; i++) {
		uint64_t v = bits_get(c->event->ctl, f[i].hi, f[i].lo);
		bool reset = is_of(box->occ_reset, &f[i]) && c->event->occupancy;

		if (!(v || reset) || f[i].kind == CAT_FIELD_RSV)
			continue;
		strb_add_char(b, ',');
		for (const char *p = f[i].name; *p && !is_of(box->umask, &f[i]); p++)
			strb_add_char(b, name_fold(*p));
		if (is_of(box->umask, &f[i]))
			strb_add(b, "umask");
		strb_addf(b, "=0x%llx", reset ? 1ULL : (unsigned long long)v);
	}
}

/* The last words of a register's name that no other register of the box ends in. */
static const char *reg_key(const struct cat_box *b, const struct cat_reg *r)
{
	struct raw w = { .box = b };
	const char *key = strrchr(r->name, '_') + 1;

	while (!find_reg(&w, key) && key > r->name + 1)
		for (key -= 2; key > r->name && key[-1] != '_'; key--)
			;
	return key;
}

static void add_regs(const struct cat_selection *c, struct strb *b)
{
	const struct cat_selector *s = c->event->selector;

	for (unsigned k = 0; s && k < CAT_REG_FIELDS; k++) {
		const struct cat_reg_field *f = &s->encodings[0].fields[k];

		for (unsigned i = 0; i < c->box->n_regs && c->event->values->has & BIT(k); i++) {
			const struct cat_reg *r = &c->box->regs[i];

			if (r->id != f->id)
				continue;
			strb_add_char(b, ',');
			for (const char *p = reg_key(c->box, r); *p; p++)
				strb_add_char(b, name_fold(*p));
			strb_addf(b, "=0x%llx",
				  (unsigned long long)c->event->values->v[k] << f->lo);
			break;
		}
	}
}

void spec_raw_terms(const struct cat_selection *c, struct strb *b)
{
	strb_addf(b, "event=0x%x", cat_event_code(c, 0));
	add_fields(c, b);
	add_regs(c, b);
	if (c->event->counters)
		strb_addf(b, ",counter=%d", __builtin_ctz(c->event->counters));
}

/* Does a register beside the control register decide what the code is on this counter? */
static bool is_refined(const struct cat_box *b, unsigned code, unsigned counter)
{
	cat_each_event(e, b) {
		if (!e->selector || (e->counters && !(e->counters & BIT(counter))))
			continue;
		for (unsigned i = 0; i < e->selector->n_encodings; i++)
			if (e->selector->encodings[i].code == code)
				return true;
	}
	return false;
}

bool spec_raw_of(struct arena *a, const struct cat_location *at, uint64_t ctl,
		 struct cat_selection *ret)
{
	const struct cat_box *b = at->box;
	struct raw w = new_raw(a, b, NULL);
	unsigned code = (unsigned)bits_get(ctl, (unsigned)b->event.hi, (unsigned)b->event.lo);
	unsigned n;
	const struct cat_field *f = cat_reg_fields(b, w.ctl, &n);
	uint64_t general = cat_mask(b->event) | cat_mask(b->threshold) | cat_mask(b->edge) |
			   cat_mask(b->invert);
	uint64_t fields = 0;

	for (unsigned i = 0; i < n; i++)
		if (is_free(b, &f[i]))
			fields |= bits_mask(f[i].hi, f[i].lo);
	if (b->n_ports || is_refined(b, code, at->index) || ctl & b->ctl_overflow ||
	    ctl & ~(fields | general | own_bits(b)))
		return false;
	w.event->name = arena_printf(a, "event_0x%x", code);
	w.event->code = (uint16_t)code;
	if (is_by_counter(b))
		w.event->counters = (uint32_t)BIT(at->index);
	w.event->occupancy = ctl & cat_mask(b->occ_reset);
	w.event->ctl = ctl & fields & ~(general | cat_mask(b->occ_reset));
	*ret = (struct cat_selection){
		.box = b, .event = w.event, .unit = at->unit,
		.threshold = cat_has(b->threshold) ?
			bits_get(ctl, (unsigned)b->threshold.hi, (unsigned)b->threshold.lo) : 0,
		.edge = ctl & cat_mask(b->edge), .invert = ctl & cat_mask(b->invert),
	};
	return true;
}
