/* check_metric.c - self-check of derived metrics and ready-made groups.
 *
 * Owns:  a minimal reader of event specifications: only what rows of tables may say. The real one,
 *        with file and line, is conf/ and plan/.
 * Pure; one thread at a time.
 */
#include "config.h"

#include "catalog/check.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789_"

/* ------------------------------------------------------------------ event specifications */

static const struct cat_box *spec_box(struct check *k, char *name, bool whole)
{
	const struct cat_box *b = cat_box_by_name(k->p, name);
	size_t n = strlen(name);

	while (!b && whole && n > 1 && name[n - 1] >= '0' && name[n - 1] <= '9') {
		name[--n] = '\0';
		b = cat_box_by_name(k->p, name);
	}
	if (!b)
		check_complain(k, "there is no box %s", name);
	return b;
}

static bool spec_umask(struct check *k, const struct cat_event *e, const char *name, uint64_t *umasks)
{
	int u = cat_umask_by_name(e, name);

	if (u < 0) {
		check_complain(k, "%s has no unit mask %s", e->name, name);
		return false;
	}
	if (*umasks && (e->combine != CAT_UMASK_BITS || e->one_umask)) {
		check_complain(k, "the unit masks of %s do not combine", e->name);
		return false;
	}
	*umasks |= BIT(u);
	return true;
}

static bool fits_bits(uint64_t v, struct cat_bits f)
{
	return cat_has(f) && bits_fit(v, (unsigned)f.hi, (unsigned)f.lo);
}

static bool key_fits(const struct cat_box *b, const struct cat_event *e, const char *name,
		     const char *text, uint64_t v, bool number)
{
	if (!strcmp(name, "threshold"))
		return number && fits_bits(v, b->threshold);
	if (!strcmp(name, "edge"))
		return (!text || number) && fits_bits(v, b->edge);
	if (!strcmp(name, "invert"))
		return (!text || number) && fits_bits(v, cat_invert(b, e));
	if (b->port_key && !strcmp(name, b->port_key))
		return number && v < b->n_ports;
	for (unsigned i = 0; e->route && i < e->route->n_keys; i++) {
		const struct cat_key *y = &e->route->keys[i];

		if (strcmp(y->name, name))
			continue;
		if (y->word && text && !strcmp(y->word, text))
			return true;
		for (unsigned w = 0; w < y->n_words; w++)
			if (text && !strcmp(y->words[w].name, text))
				return true;
		return number && !y->n_words && v >= y->min && !(v & (BIT(y->shift) - 1)) &&
		       bits_fit(v >> y->shift, y->hi, y->lo);
	}
	return false;
}

static bool spec_key(struct check *k, const struct cat_box *b, const struct cat_event *e, char *key,
		     bool *port)
{
	char *text = strchr(key, '=');
	uint64_t v = 1;
	bool number;

	if (text)
		*text++ = '\0';
	number = text && num_parse_u64(text, &v) == 0;
	if (!key_fits(b, e, key, text, v, number)) {
		check_complain(k, "%s takes no %s%s%s", e->name, key, text ? "=" : "", text ? text : "");
		return false;
	}
	if (b->port_key && !strcmp(key, b->port_key))
		*port = true;
	return true;
}

const struct cat_event *check_spec(struct check *k, const char *text, bool whole)
{
	char copy[160], *rest = copy, *name, *key, *umask;
	const struct cat_box *b;
	const struct cat_event *e;
	uint64_t umasks = 0;
	bool port = false;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy) || !strchr(copy, '/')) {
		check_complain(k, "\"%s\" is no event", text);
		return NULL;
	}
	name = strsep(&rest, "/");
	b = spec_box(k, name, whole);
	if (!b)
		return NULL;
	umask = strsep(&rest, ",");
	name = strsep(&umask, ":");
	e = cat_event_by_name(b, name);
	if (!e) {
		const char *nearest = cat_nearest_event(b, name);

		check_complain(k, "%s has no event %s (nearest: %s)", b->name, name, nearest ? nearest : "none");
		return NULL;
	}
	while ((name = strsep(&umask, ":")))
		if (!spec_umask(k, e, name, &umasks))
			return NULL;
	if (!umasks && e->n_umasks && e->dflt == -1) {
		check_complain(k, "%s needs a unit mask", e->name);
		return NULL;
	}
	while ((key = strsep(&rest, ",")))
		if (!spec_key(k, b, e, key, &port))
			return NULL;
	if (whole && b->port_key && !port) {
		check_complain(k, "%s needs a %s", e->name, b->port_key);
		return NULL;
	}
	return e;
}

/* ------------------------------------------------------------------ metrics */

/* A metric's first word must not be a box's or PMU's: then it could be an event of it. */
static bool is_unit_word(const struct cat_processor *p, const char *name)
{
	static const char *const words[] = {
		"cbox", "bbox", "sbox", "rbox", "mbox", "ubox", "wbox", "uncore", "pcu", "ha", "imc",
		"irp", "qpi", "r2pcie", "r3qpi", "cha", "upi", "iio", "m2m", "edc", "cstate", "power", "msr", "amd",
		"arm",
	};
	size_t n = strcspn(name, "_");

	for (unsigned i = 0; i < COUNT(words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], name, n))
			return true;
	for (unsigned i = 0; i < p->n_boxes; i++)
		if (strlen(p->boxes[i]->name) == n && !strncmp(p->boxes[i]->name, name, n))
			return true;
	return false;
}

static bool ends_in(const char *name, const char *tail)
{
	size_t n = strlen(name), t = strlen(tail);

	return n > t && !strcmp(name + n - t, tail);
}

static void check_metric_name(struct check *k, const struct cat_metric *m)
{
	char tail[32];
	bool counter = cat_metric_is_total(m);

	if (!check_name(k, "metric", m->name, LOWER))
		return;
	if (is_unit_word(k->p, m->name))
		check_complain(k, "the name begins like an event's of a box");
	if (!m->unit) {
		check_complain(k, "it has no unit");
		return;
	}
	snprintf(tail, sizeof(tail), "_%s%s", m->unit, counter ? "_total" : "");
	if (!ends_in(m->name, tail))
		check_complain(k, "the name does not end in %s", tail);
	if (counter && (!strcmp(m->unit, "ratio") || !strcmp(m->unit, "hertz")))
		check_complain(k, "a ratio or frequency needs a denominator");
	if (!counter && ends_in(m->name, "_total"))
		check_complain(k, "a count has no denominator");
}

static bool is_constant(const struct cat_processor *p, const char *word)
{
	for (unsigned i = 0; i < p->n_constants; i++)
		if (!strcmp(p->constants[i].name, word))
			return true;
	return !strcmp(word, "seconds");
}

/* `seconds` and constants of the socket are words without a box. */
static void check_sum(struct check *k, const struct cat_term *t)
{
	if (t && !t->spec)
		check_complain(k, "a sum of nothing");
	for (; t && t->spec; t++) {
		if (!strchr(t->spec, '/')) {
			if (!is_constant(k->p, t->spec))
				check_complain(k, "there is no constant %s", t->spec);
		} else if (!k->perf) {
			check_spec(k, t->spec, false);
		} else if (!check_perf_event(k->perf, t->spec)) {
			check_complain(k, "there is no event %s", t->spec);
		}
	}
}

static void check_guard(struct check *k, const struct cat_guard *g)
{
	check_sum(k, g->num);
	check_sum(k, g->den);
	if (!g->num || !g->den || !(g->max > 0))
		check_complain(k, "the guard is not whole");
}

/* True also after a complaint. */
static bool is_clock(struct check *k, const char *spec)
{
	const struct cat_perf_event *perf = k->perf ? check_perf_event(k->perf, spec) : NULL;
	const struct cat_event *clock = k->perf ? NULL : check_spec(k, spec, false);

	return k->perf ? perf && perf->clock : !clock || clock->always_runs;
}

static void check_metric(struct check *k, unsigned at)
{
	const struct cat_metric *v = k->p->metrics->v, *m = &v[at];

	check_metric_name(k, m);
	check_text(k, "help", m->help, 12);
	check_source(k, m->source);
	check_sum(k, m->num);
	check_sum(k, m->den);
	if (m->absent) {
		check_text(k, "reason", m->absent, 30);
		if (m->num || m->den || !k->perf)
			check_complain(k, "it is absent and has inputs");
	} else if (!m->num) {
		check_complain(k, "no numerator");
	}
	if (m->guard)
		check_guard(k, m->guard);
	if (m->cycles_of && !is_clock(k, m->cycles_of))
		check_complain(k, "%s is no clock that always runs", m->cycles_of);
	if (m->scaled && !k->perf)
		check_complain(k, "only the kernel's events have a scale of their own");
	for (unsigned i = 0; i < at; i++) {
		const char *a = v[i].link ? v[i].link : "", *b = m->link ? m->link : "";

		if (!v[i].name || !m->name || strcmp(v[i].name, m->name))
			continue;
		if (!strcmp(a, b))
			check_complain(k, "two metrics have this name and link");
		if (v[i].help && m->help && strcmp(v[i].help, m->help))
			check_complain(k, "one family has two help texts");
	}
}

void check_metrics(struct check *k)
{
	for (unsigned i = 0; i < k->p->metrics->n; i++) {
		k->row = k->p->metrics->v[i].name ? k->p->metrics->v[i].name : "a metric without name";
		check_metric(k, i);
	}
	k->row = NULL;
}

void check_constants(struct check *k)
{
	for (unsigned i = 0; i < k->p->n_constants; i++) {
		const struct cat_constant *c = &k->p->constants[i];
		const struct cat_box *b = c->box ? cat_box_by_name(k->p, c->box) : NULL;
		const struct cat_reg *r = b ? cat_reg_find(b, CAT_OTHER, c->id, 0) : NULL;

		k->row = c->name ? c->name : "a constant without name";
		check_name(k, "constant", c->name, LOWER);
		check_text(k, "help", c->help, 12);
		check_source(k, c->source);
		if (!r)
			check_complain(k, "no register holds it");
		else if (c->hi < c->lo || c->hi >= r->bytes * 8)
			check_complain(k, "its field leaves the register");
		if (!(c->base >= 0) || !(c->step >= 0) || !(c->base + c->step > 0))
			check_complain(k, "it is not a positive number");
	}
	k->row = NULL;
}

void check_groups(struct check *k)
{
	for (unsigned i = 0; i < k->p->n_groups; i++) {
		const struct cat_group *g = &k->p->groups[i];

		k->row = g->name ? g->name : "a group without name";
		check_name(k, "group", g->name, LOWER "-");
		for (unsigned j = 0; j < i; j++)
			if (g->name && k->p->groups[j].name && !strcmp(k->p->groups[j].name, g->name))
				check_complain(k, "two groups have this name");
		if (!g->specs[0])
			check_complain(k, "no events");
		for (unsigned s = 0; g->specs[s]; s++) {
			check_spec(k, g->specs[s], true);
			for (unsigned j = 0; j < s; j++)
				if (!strcmp(g->specs[s], g->specs[j]))
					check_complain(k, "%s is there twice", g->specs[s]);
		}
	}
	k->row = NULL;
}
