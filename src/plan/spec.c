/* spec.c - one event specification against the catalog.
 *
 * Owns:  which unit masks and keys an event accepts, and the canonical text of what was chosen.
 * Never: whether it fits beside other events (assign.c, rounds.c).
 * Pure; any thread.
 */
#include "config.h"

#include "plan/build.h"

#include "base/name.h"

#include "base/num.h"
#include "base/strb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 4096

/* ------------------------------------------------------------------ unit masks */

/* A unit mask that stands for several, where the result of several is undefined. */
static bool umask_is_undefined(const struct cat_event *e, const struct cat_umask *u)
{
	return e->one_umask && __builtin_popcount(u->value) > 1;
}

static char *umask_list(const struct cat_event *e)
{
	const char **names = plan_alloc(e->n_umasks, sizeof(*names));
	unsigned n = 0;
	char *list;

	for (unsigned i = 0; i < e->n_umasks; i++)
		if (!umask_is_undefined(e, &e->umasks[i]))
			names[n++] = e->umasks[i].name;
	list = plan_join(names, n);
	free(names);
	return list;
}

static const char *umask_nearest(const struct cat_event *e, const char *name)
{
	const char *names[64];
	unsigned n = e->n_umasks < COUNT(names) ? e->n_umasks : COUNT(names);

	for (unsigned i = 0; i < n; i++)
		names[i] = e->umasks[i].name;
	return plan_nearest(name, names, n);
}

/* Unit masks in a field that is a number, or has a number among its bits, cannot simply be OR-ed. */
static int umasks_combine(const struct cat_box *b, const struct cat_event *e, uint64_t umasks, struct err *err)
{
	const struct cat_umask *first = &e->umasks[__builtin_ctzll(umasks)];
	bool several = (umasks & (umasks - 1)) != 0;

	if ((e->one_umask && several) || umask_is_undefined(e, first))
		return err_set(err, -EINVAL, "%s/%s takes exactly one unit mask that names one source: the manual calls "
			       "the result of a combination undefined", b->name, e->name);
	if (!several)
		return 0;
	if (e->combine == CAT_UMASK_ONE)
		return err_set(err, -EINVAL, "%s/%s takes one unit mask: its unit masks are the values of one number, "
			       "not bits that add up", b->name, e->name);
	for (unsigned i = 0; i < e->n_umasks; i++) {
		const struct cat_umask *u = &e->umasks[i];

		if ((umasks & BIT(i)) && ((u->value ^ first->value) & e->enum_bits))
			return err_set(err, -EINVAL, "%s/%s: unit masks %s and %s are two values of one number and do "
				       "not combine", b->name, e->name, first->name, u->name);
	}
	return 0;
}

static int resolve_umasks(const struct conf_spec *s, struct cat_choice *c, struct err *err)
{
	const struct cat_box *b = c->box;
	const struct cat_event *e = c->event;

	if (s->n_umasks && !e->n_umasks)
		return err_set(err, -EINVAL, "%s/%s has no unit masks", b->name, e->name);
	for (unsigned i = 0; i < s->n_umasks; i++) {
		int u = cat_umask_by_name(e, s->umasks[i]);

		if (u < 0)
			return err_set(err, -EINVAL, "%s/%s has no unit mask '%s'; the nearest is %s", b->name, e->name,
				       s->umasks[i], umask_nearest(e, s->umasks[i]));
		c->umasks |= BIT(u);
	}
	if (!e->n_umasks)
		return 0;
	if (!c->umasks && e->dflt == CAT_OPTIONAL)
		return 0;
	if (!c->umasks && e->dflt < 0) {
		char *list = umask_list(e);

		err_set(err, -EINVAL, "%s/%s needs a unit mask: %s", b->name, e->name, list);
		free(list);
		return -EINVAL;
	}
	if (!c->umasks)
		c->umasks = BIT(e->dflt);
	return umasks_combine(b, e, c->umasks, err);
}

/* ------------------------------------------------------------------ keys */

struct keys {                       /* state of one specification's keys */
	struct build_spec *ret;
	bool port;
	uint8_t written;            /* route keys that were written, whatever their value */
};

static int number(const struct cat_choice *c, const struct conf_key *k, uint64_t *ret, struct err *err)
{
	if (!k->value)
		return err_set(err, -EINVAL, "%s/%s: '%s' needs a value", c->box->name, c->event->name, k->name);
	if (num_parse_u64(k->value, ret) < 0)
		return err_set(err, -EINVAL, "%s/%s: %s=%s is not a number (decimal or 0x hex, up to 64 bits)",
			       c->box->name, c->event->name, k->name, k->value);
	return 0;
}

static int does_not_fit(const struct cat_choice *c, const struct conf_key *k, uint64_t least, unsigned bits,
			struct err *err)
{
	uint64_t most = bits_mask(bits - 1, 0);

	return err_set(err, -EINVAL, bits > 16 ? "%s/%s: %s=%s does not fit: %#llx to %#llx" :
		       "%s/%s: %s=%s does not fit: %llu to %llu", c->box->name, c->event->name, k->name, k->value,
		       (unsigned long long)least, (unsigned long long)most);
}

static int key_counter(struct keys *ks, const struct conf_key *k, struct err *err)
{
	const struct cat_choice *c = &ks->ret->choice;
	uint64_t v;
	int r;

	if (k->value && name_same(k->value, "fixed")) {
		if (!c->event->fixed)
			return err_set(err, -EINVAL, "%s/%s does not count on the fixed counter", c->box->name,
				       c->event->name);
		return 0;
	}
	r = number(c, k, &v, err);
	if (r < 0)
		return r;
	if (c->event->fixed)
		return err_set(err, -EINVAL, "%s/%s counts only on the fixed counter, not on counter %s", c->box->name,
			       c->event->name, k->value);
	if (v >= c->box->n_counters)
		return err_set(err, -EINVAL, "%s has no counter %s: 0 to %u", c->box->name, k->value,
			       c->box->n_counters - 1);
	ks->ret->pin = (int)v;
	return 0;
}

static int key_place(struct keys *ks, const struct conf_key *k, struct err *err)
{
	const struct cat_choice *c = &ks->ret->choice;
	const struct cat_route *r = c->event->route;
	uint64_t v;

	if (number(c, k, &v, err) < 0)
		return -EINVAL;
	if (v < r->pin_base || v - r->pin_base >= r->n_places)
		return err_set(err, -EINVAL, "%s/%s: %s=%s does not exist: %u to %u", c->box->name, c->event->name,
			       k->name, k->value, r->pin_base, r->pin_base + r->n_places - 1u);
	ks->ret->place = (int)(v - r->pin_base);
	return 0;
}

static int key_port(struct keys *ks, const struct conf_key *k, struct err *err)
{
	struct cat_choice *c = &ks->ret->choice;
	uint64_t v;

	if (number(c, k, &v, err) < 0)
		return -EINVAL;
	if (v >= c->box->n_ports)
		return err_set(err, -EINVAL, "%s has no port %s: 0 to %u", c->box->name, k->value, c->box->n_ports - 1);
	c->port = (unsigned)v;
	ks->port = true;
	return 0;
}

static int key_threshold(struct keys *ks, const struct conf_key *k, struct err *err)
{
	struct cat_choice *c = &ks->ret->choice;
	struct cat_bits f = c->box->threshold;

	if (number(c, k, &c->threshold, err) < 0)
		return -EINVAL;
	if (!bits_fit(c->threshold, (unsigned)f.hi, (unsigned)f.lo))
		return does_not_fit(c, k, 0, (unsigned)(f.hi - f.lo + 1), err);
	return 0;
}

static int key_flag(const struct cat_choice *c, const struct conf_key *k, bool *ret, struct err *err)
{
	if (k->value && strcmp(k->value, "0") != 0 && strcmp(k->value, "1") != 0)
		return err_set(err, -EINVAL, "%s/%s: '%s' is a flag: bare, =0 or =1", c->box->name, c->event->name,
			       k->name);
	*ret = !k->value || k->value[0] == '1';
	return 0;
}

/* A key at its default says nothing, unless it must be given, or giving it at all switches something on. */
static bool key_is_default(const struct cat_key *k, uint64_t v)
{
	return v == k->dflt && !k->required && !k->also && !k->owns && !k->ctl;
}

/* One of the words of a key that has words instead of numbers; NULL: none of that value. */
static const struct cat_word *word_of(const struct cat_key *k, uint64_t v)
{
	for (unsigned i = 0; i < k->n_words; i++)
		if (k->words[i].value == v)
			return &k->words[i];
	return NULL;
}

static int word_value(const struct cat_choice *c, const struct cat_key *row, const struct conf_key *k, uint64_t *ret,
		      struct err *err)
{
	const char *names[64];
	char *list;

	for (unsigned i = 0; i < row->n_words; i++) {
		if (k->value && name_same(k->value, row->words[i].name)) {
			*ret = row->words[i].value;
			return 0;
		}
		if (i < COUNT(names))
			names[i] = row->words[i].name;
	}
	list = plan_join(names, row->n_words < COUNT(names) ? row->n_words : COUNT(names));
	err_set(err, -EINVAL, "%s/%s: '%s' is one of %s", c->box->name, c->event->name, k->name, list);
	free(list);
	return -EINVAL;
}

/* A number that the key can hold; a key of one bit is a flag and may stand bare. */
static int key_number(const struct cat_choice *c, const struct cat_key *row, const struct conf_key *k, uint64_t *ret,
		      struct err *err)
{
	if (!k->value && row->hi == 0) {
		*ret = 1;
		return 0;
	}
	if (number(c, k, ret, err) < 0)
		return -EINVAL;
	if (row->shift && *ret & (BIT(row->shift) - 1))
		return err_set(err, -EINVAL, "%s/%s: %s=%s is not a multiple of %llu", c->box->name, c->event->name,
			       k->name, k->value, (unsigned long long)BIT(row->shift));
	if (*ret < row->min || !bits_fit(*ret >> row->shift, row->hi, row->lo))
		return does_not_fit(c, k, row->min, row->hi - row->lo + 1u + row->shift, err);
	return 0;
}

static int key_route(struct keys *ks, const struct conf_key *k, unsigned i, struct err *err)
{
	struct cat_choice *c = &ks->ret->choice;
	const struct cat_key *row = &c->event->route->keys[i];
	uint64_t v = 0;

	ks->written |= (uint8_t)BIT(i);
	if (row->word && k->value && name_same(k->value, row->word)) {
		c->keys.v[row->target] |= row->word_set;
	} else {
		if ((row->n_words ? word_value(c, row, k, &v, err) : key_number(c, row, k, &v, err)) < 0)
			return -EINVAL;
		if (key_is_default(row, v))
			return 0;
		cat_key_put(row, v, &c->keys);
	}
	c->keys.has |= (uint8_t)BIT(row->target);
	c->key_given |= (uint8_t)BIT(i);
	if (row->also) {
		c->keys.has |= (uint8_t)BIT(row->also_target);
		c->keys.v[row->also_target] |= row->also_value;
	}
	return 0;
}

/* "threshold" on a box whose control register has none deserves a better answer than "unknown key". */
static int key_unknown(const struct cat_choice *c, const struct conf_key *k, struct err *err)
{
	static const char *const general[] = { "threshold", "edge", "invert" };
	const struct cat_box *b = c->box;
	const struct cat_route *r = c->event->route;
	const char *names[16];
	unsigned n = 0;

	for (unsigned i = 0; i < COUNT(general); i++)
		if (strcmp(k->name, general[i]) == 0)
			return err_set(err, -EINVAL, "%s has no '%s': the control registers of this box have no such field",
				       b->name, k->name);
	names[n++] = "counter";
	if (b->port_key)
		names[n++] = b->port_key;
	if (cat_has(b->threshold))
		names[n++] = "threshold";
	if (cat_has(b->edge))
		names[n++] = "edge";
	if (cat_has(b->invert))
		names[n++] = "invert";
	if (r && r->pin)
		names[n++] = r->pin;
	for (unsigned i = 0; r && i < r->n_keys && n < COUNT(names); i++)
		names[n++] = r->keys[i].name;
	return err_set(err, -EINVAL, "%s/%s has no key '%s'; the nearest is '%s'", b->name, c->event->name, k->name,
		       plan_nearest(k->name, names, n));
}

static int resolve_key(struct keys *ks, const struct conf_key *k, struct err *err)
{
	struct cat_choice *c = &ks->ret->choice;
	const struct cat_box *b = c->box;
	const struct cat_route *r = c->event->route;

	if (strcmp(k->name, "counter") == 0)
		return key_counter(ks, k, err);
	if (b->port_key && strcmp(k->name, b->port_key) == 0)
		return key_port(ks, k, err);
	if (strcmp(k->name, "threshold") == 0 && cat_has(b->threshold) && !c->event->fixed)
		return key_threshold(ks, k, err);
	if (strcmp(k->name, "edge") == 0 && cat_has(b->edge) && !c->event->fixed)
		return key_flag(c, k, &c->edge, err);
	if (strcmp(k->name, "invert") == 0 && cat_has(b->invert) && !c->event->fixed)
		return key_flag(c, k, &c->invert, err);
	if (r && r->pin && strcmp(k->name, r->pin) == 0)
		return key_place(ks, k, err);
	for (unsigned i = 0; r && i < r->n_keys; i++)
		if (strcmp(k->name, r->keys[i].name) == 0)
			return key_route(ks, k, i, err);
	if (c->event->fixed)
		return err_set(err, -EINVAL, "%s/%s has no key '%s': the fixed counter only counts", b->name,
			       c->event->name, k->name);
	return key_unknown(c, k, err);
}

static int key_needs(const struct keys *ks, const char *what, const char *needed, struct err *err)
{
	const struct cat_choice *c = &ks->ret->choice;
	const struct cat_route *r = c->event->route;

	for (unsigned k = 0; needed && k < r->n_keys; k++)
		if (strcmp(r->keys[k].name, needed) == 0 && !(ks->written & BIT(k)))
			return err_set(err, -EINVAL, "%s/%s: '%s' needs '%s' too", c->box->name, c->event->name, what, needed);
	return 0;
}

/* A key that belongs to some words of another one: is the word given one of them? */
static int key_of_word(const struct keys *ks, const struct cat_key *k, struct err *err)
{
	const struct cat_choice *c = &ks->ret->choice;
	const struct cat_route *r = c->event->route;

	for (unsigned i = 0; k->needs && i < r->n_keys; i++) {
		const struct cat_word *w = r->keys[i].n_words ? word_of(&r->keys[i], cat_key_get(&r->keys[i], &c->keys)) : NULL;
		bool named = false;

		for (unsigned n = 0; w && n < COUNT(w->needs); n++)
			named |= w->needs[n] && strcmp(w->needs[n], k->name) == 0;
		if (w && !named && strcmp(r->keys[i].name, k->needs) == 0)
			return err_set(err, -EINVAL, "%s/%s: '%s' has no effect with %s=%s", c->box->name, c->event->name, k->name,
				       r->keys[i].name, w->name);
	}
	return 0;
}

/* One key of the route, written or not: is it right that it is, or is not, there? */
static int check_key(const struct keys *ks, unsigned i, unsigned open, struct err *err)
{
	const struct cat_choice *c = &ks->ret->choice;
	const struct cat_key *k = &c->event->route->keys[i];
	const struct cat_word *w = k->n_words && c->key_given & BIT(i) ? word_of(k, cat_key_get(k, &c->keys)) : NULL;
	char text[96];

	if (!(ks->written & BIT(i)))
		return k->required && !(open & SPEC_FILTERS_OPEN) && cat_key_applies(c, k) ?
			err_set(err, -EINVAL, "%s/%s: '%s' is required%s; %s=...: %s", c->box->name, c->event->name, k->name,
				k->umask_bits ? " with this unit mask" : "", k->name, k->help) : 0;
	if (!cat_key_applies(c, k))
		return err_set(err, -EINVAL, "%s/%s: '%s' has no effect with this unit mask", c->box->name, c->event->name,
			       k->name);
	if (key_needs(ks, k->name, k->needs, err) < 0 || key_of_word(ks, k, err) < 0)
		return -EINVAL;
	for (unsigned n = 0; w && n < COUNT(w->needs); n++) {
		snprintf(text, sizeof(text), "%s=%s", k->name, w->name);
		if (key_needs(ks, text, w->needs[n], err) < 0)
			return -EINVAL;
	}
	return 0;
}

/* Needs, and what makes sense only together. */
static int check_keys(const struct keys *ks, unsigned open, struct err *err)
{
	const struct build_spec *s = ks->ret;
	const struct cat_choice *c = &s->choice;
	const struct cat_box *b = c->box;
	const struct cat_route *r = c->event->route;
	struct cat_choice plain = *c;

	if (b->port_key && !ks->port && !(open & SPEC_PORT_OPEN))
		return err_set(err, -EINVAL, "%s/%s: '%s' is required: %s=0 to %s=%u", b->name, c->event->name,
			       b->port_key, b->port_key, b->port_key, b->n_ports - 1);
	for (unsigned i = 0; r && i < r->n_keys; i++)
		if (check_key(ks, i, open, err) < 0)
			return -EINVAL;
	for (unsigned i = 0; r && c->umasks && c->event->dflt == CAT_OPTIONAL && i < r->n_keys; i++)
		if ((ks->written & BIT(i)) &&
		    (c->event->umasks[__builtin_ctzll(c->umasks)].set.has & BIT(r->keys[i].target)))
			return err_set(err, -EINVAL, "%s/%s: a unit mask already says what '%s' would say: give one of "
				       "the two", b->name, c->event->name, r->keys[i].name);
	if (c->invert && !c->threshold)
		return err_set(err, -EINVAL, "%s/%s: 'invert' turns a threshold round and needs 'threshold' too",
			       b->name, c->event->name);
	plain.edge = false;
	if (c->edge && !c->threshold && cat_max_inc(&plain) > 1)
		return err_set(err, -EINVAL, "%s/%s: 'edge' needs 'threshold' too, because the event can count up to %u "
			       "in one cycle", b->name, c->event->name, cat_max_inc(&plain));
	if (s->pin >= 0 && !s->any_port && !(cat_counters(c) & BIT(s->pin))) {
		char *list = plan_counters_text(cat_counters(c));

		err_set(err, -EINVAL, "%s/%s counts only on %s, not on counter %d", b->name, c->event->name, list, s->pin);
		free(list);
		return -EINVAL;
	}
	return 0;
}

static int resolve_keys(const struct conf_spec *s, unsigned open, struct build_spec *ret, struct err *err)
{
	struct keys ks = { .ret = ret };

	for (unsigned i = 0; i < s->n_keys; i++) {
		for (unsigned k = 0; k < i; k++)
			if (strcmp(s->keys[i].name, s->keys[k].name) == 0)
				return err_set(err, -EINVAL, "%s: key '%s' is given twice", s->text, s->keys[i].name);
		if (resolve_key(&ks, &s->keys[i], err) < 0)
			return -EINVAL;
	}
	ret->any_port = ret->choice.box->port_key && !ks.port;
	return check_keys(&ks, open, err);
}

/* ------------------------------------------------------------------ the whole */

static const struct cat_box *resolve_box(const struct cat_processor *p, const struct conf_spec *s, struct err *err)
{
	const struct cat_box *b = cat_box_by_name(p, s->box);
	const char *names[256];

	if (b)
		return b;
	for (unsigned i = 0; i < p->n_boxes; i++)
		names[i] = p->boxes[i].name;
	err_set(err, -EINVAL, "%s has no box '%s'; the nearest is '%s'", p->name, s->box,
		plan_nearest(s->box, names, p->n_boxes));
	return NULL;
}

int spec_resolve(const struct cat_processor *p, const struct conf_spec *s, unsigned open, struct build_spec *ret,
		 struct err *err)
{
	const struct cat_box *b = resolve_box(p, s, err);
	struct build_spec spec = { .choice.box = b, .pin = -1, .place = -1, .every_unit = s->unit < 0 };

	if (!b)
		return -EINVAL;
	if (s->unit >= b->n_units)
		return b->n_units == 1 ? err_set(err, -EINVAL, "a socket has one %s: unit 0", b->name) :
		       err_set(err, -EINVAL, "%s has no unit %d: 0 to %u", b->name, s->unit, b->n_units - 1);
	spec.choice.unit = s->unit < 0 ? 0 : (unsigned)s->unit;
	spec.choice.event = cat_event_by_name(b, s->event);
	if (!spec.choice.event)
		return err_set(err, -EINVAL, "%s has no event '%s'; the nearest is %s", b->name, s->event,
			       cat_nearest_event(b, s->event));
	if (resolve_umasks(s, &spec.choice, err) < 0 || resolve_keys(s, open, &spec, err) < 0)
		return -EINVAL;
	*ret = spec;
	return 0;
}

int plan_spec_resolve(const struct cat_processor *p, const struct conf_spec *s, struct cat_choice *ret,
		      int *ret_pin, int *ret_place, struct err *err)
{
	struct build_spec spec;

	if (s->perf)
		return err_set(err, -EINVAL, "%s counts through perf_event and has no register encoding", s->text);
	if (spec_resolve(p, s, 0, &spec, err) < 0)
		return -EINVAL;
	*ret = spec.choice;
	*ret_pin = spec.pin;
	*ret_place = spec.place;
	return 0;
}

bool spec_key_value(const struct cat_choice *c, unsigned i, uint64_t *ret, const char **ret_word)
{
	const struct cat_key *k = &c->event->route->keys[i];
	uint64_t v = c->keys.v[k->target];

	*ret_word = NULL;
	*ret = k->dflt;
	if (!(c->key_given & BIT(i)))
		return false;
	if (k->word && (v & k->word_set) == k->word_set)
		*ret_word = k->word;
	*ret = cat_key_get(k, &c->keys);
	if (k->n_words && word_of(k, *ret))
		*ret_word = word_of(k, *ret)->name;
	return *ret_word || !key_is_default(k, *ret);
}

/* a may leave out the port, and free keys. */
static bool same_but(const struct cat_choice *a, const struct cat_choice *b, bool any_port, bool free_keys)
{
	if (a->event != b->event || a->umasks != b->umasks || a->threshold != b->threshold || a->edge != b->edge ||
	    a->invert != b->invert || (!any_port && a->port != b->port))
		return false;
	for (unsigned i = 0; a->event->route && i < a->event->route->n_keys; i++) {
		const char *aw, *bw;
		uint64_t av, bv;
		bool as = spec_key_value(a, i, &av, &aw), bs = spec_key_value(b, i, &bv, &bw);

		if (free_keys && !as && a->event->route->keys[i].free)
			continue;
		if (as != bs || av != bv || aw != bw)
			return false;
	}
	return true;
}

bool spec_equal(const struct cat_choice *a, const struct cat_choice *b)
{
	return same_but(a, b, false, false);
}

bool spec_means(const struct build_spec *row, const struct cat_choice *c)
{
	return same_but(&row->choice, c, row->any_port, true);
}

char *plan_choice_text(const struct cat_choice *c, bool with_unit)
{
	const struct cat_event *e = c->event;
	struct strb b;

	strb_init(&b, TEXT_MAX);
	strb_add(&b, c->box->name);
	if (with_unit)
		strb_add_u64(&b, c->unit);
	strb_addf(&b, "/%s", e->name);
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
	for (unsigned i = 0; e->route && i < e->route->n_keys; i++) {
		const char *word;
		uint64_t v;

		if (!spec_key_value(c, i, &v, &word))
			continue;
		if (word)
			strb_addf(&b, ",%s=%s", e->route->keys[i].name, word);
		else
			strb_addf(&b, e->route->keys[i].hex ? ",%s=0x%llx" : ",%s=%llu", e->route->keys[i].name,
				  (unsigned long long)v);
	}
	return strb_take(&b);
}
