/* SPDX-License-Identifier: MIT
 * Self-check of derived metrics and ready-made groups.
 * Owns:  their names, texts and parts.
 * Never: what their event specifications say: spec_check().
 * Pure; one thread at a time.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789_"

/* ------------------------------------------------------------------ metrics */

/* A metric's first word must not be a box's or PMU's: then it could be an event of it. */
static bool is_unit_word(const struct cat_processor *p, const char *name)
{
	static const char *const words[] = {
		"cbox", "bbox", "sbox", "rbox", "mbox", "ubox", "wbox", "uncore", "pcu", "ha",
		"imc", "irp", "qpi", "r2pcie", "r3qpi", "cha", "upi", "iio", "m2m", "edc",
		"cstate", "power", "msr", "amd",
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
	WRONG_IF(k, is_unit_word(k->p, m->name), "the name begins like an event's of a box");
	if (WRONG_IF(k, !m->unit, "it has no unit"))
		return;
	snprintf(tail, sizeof(tail), "_%s%s", m->unit, counter ? "_total" : "");
	WRONG_IF(k, !ends_in(m->name, tail), "the name does not end in %s", tail);
	if (counter && (!strcmp(m->unit, "ratio") || !strcmp(m->unit, "hertz")))
		check_wrong(k, "a ratio or frequency needs a denominator");
	WRONG_IF(k, !counter && ends_in(m->name, "_total"), "a count has no denominator");
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
	WRONG_IF(k, t && !t->spec, "a sum of nothing");
	for (; t && t->spec; t++) {
		if (!strchr(t->spec, '/')) {
			if (!is_constant(k->p, t->spec))
				check_wrong(k, "there is no constant %s", t->spec);
		} else if (k->perf && !check_perf_event(k->perf, t->spec)) {
			check_wrong(k, "there is no event %s", t->spec);
		}
	}
}

static void check_guard(struct check *k, const struct cat_guard *g)
{
	check_sum(k, g->num);
	check_sum(k, g->den);
	WRONG_IF(k, !g->num || !g->den || !(g->max > 0), "the guard is not whole");
}

static bool is_perf_clock(const struct cat_perf *t, const char *spec)
{
	const struct cat_perf_event *e = check_perf_event(t, spec);

	return e && e->clock;
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
		WRONG_IF(k, m->num || m->den || !k->perf, "it is absent and has inputs");
	} else if (!m->num) {
		check_wrong(k, "no numerator");
	}
	if (m->disputed)
		check_text(k, "dispute", m->disputed, 30);
	if (m->guard)
		check_guard(k, m->guard);
	if (m->cycles_of && k->perf && !is_perf_clock(k->perf, m->cycles_of))
		check_wrong(k, "%s is no clock that always runs", m->cycles_of);
	WRONG_IF(k, m->scaled && !k->perf, "only the kernel's events have a scale of their own");
	WRONG_IF(k, m->unscaled > 0 && !m->scaled, "without .scaled nothing is unscaled");
	for (unsigned i = 0; i < at; i++) {
		const char *a = v[i].link ? v[i].link : "", *b = m->link ? m->link : "";

		if (!v[i].name || !m->name || strcmp(v[i].name, m->name))
			continue;
		WRONG_IF(k, !strcmp(a, b), "two metrics have this name and link");
		if (v[i].help && m->help && strcmp(v[i].help, m->help))
			check_wrong(k, "one family has two help texts");
	}
}

void check_metrics(struct check *k)
{
	for (unsigned i = 0; i < k->p->metrics->n; i++) {
		k->row = k->p->metrics->v[i].name ? k->p->metrics->v[i].name :
						    "a metric without name";
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
			check_wrong(k, "no register holds it");
		else if (c->hi < c->lo || c->hi >= r->bytes * 8)
			check_wrong(k, "its field leaves the register");
		if (!(c->base >= 0) || !(c->step >= 0) || !(c->base + c->step > 0))
			check_wrong(k, "it is not a positive number");
	}
	k->row = NULL;
}

static bool is_among(const char *const *specs, const char *spec)
{
	for (; *specs; specs++)
		if (!strcmp(*specs, spec))
			return true;
	return false;
}

void check_groups(struct check *k)
{
	for (unsigned i = 0; i < k->p->n_groups; i++) {
		const struct cat_group *g = &k->p->groups[i];

		k->row = g->name ? g->name : "a group without name";
		check_name(k, "group", g->name, LOWER "-");
		for (unsigned j = 0; j < i; j++)
			if (g->name && k->p->groups[j].name &&
			    !strcmp(k->p->groups[j].name, g->name))
				check_wrong(k, "two groups have this name");
		WRONG_IF(k, !g->specs[0], "no events");
		for (unsigned s = 0; g->specs[s]; s++)
			for (unsigned j = 0; j < s; j++)
				if (!strcmp(g->specs[s], g->specs[j]))
					check_wrong(k, "%s is there twice", g->specs[s]);
		for (const char *const *in = g->inputs; in && *in; in++)
			if (!is_among(g->specs, *in))
				check_wrong(k, "%s is an input, but none of its events", *in);
	}
	k->row = NULL;
}
