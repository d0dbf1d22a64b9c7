/* SPDX-License-Identifier: MIT
 * The check of a processor's tables: see catalog_check() in check_tables.h.
 * Owns:  the order of the checks, the wording of what they share.
 * Never: whether the tables are true; only whether they are whole and do not contradict themselves.
 * Pure; one thread at a time.
 */
#include "check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool check_wrong(struct check *k, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diags_add(k->d, (struct where){ NULL, 0 }, "%s%s%s%s%s%s%s: %s",
		  k->p->name ? k->p->name : "",
		  k->box ? " " : "", k->box && k->box->name ? k->box->name : "",
		  k->event ? "/" : "", k->event ? k->event->name : "",
		  k->row ? " " : "", k->row ? k->row : "", text);
	k->bad++;
	return true;
}

void check_text(struct check *k, const char *what, const char *text, size_t least)
{
	static const char *const unfinished[] = { "TBD", "TODO", "FIXME", "XXX" };
	size_t n = text ? strlen(text) : 0;

	if (WRONG_IF(k, !n, "no %s", what))
		return;
	WRONG_IF(k, n < least, "the %s is too short to explain anything: \"%s\"", what, text);
	WRONG_IF(k, text[n - 1] == '.', "the %s ends in a full stop", what);
	for (size_t i = 0; i < COUNT(unfinished); i++)
		WRONG_IF(k, strstr(text, unfinished[i]), "the %s says %s", what, unfinished[i]);
}

void check_source(struct check *k, const char *source)
{
	WRONG_IF(k, !source || !*source, "no source");
}

bool check_name(struct check *k, const char *what, const char *name, const char *set)
{
	if (name && *name && !name[strspn(name, set)])
		return true;
	check_wrong(k, "%s \"%s\" is not a name", what, name ? name : "");
	return false;
}

/* Everything that the look-ups and the encoding take for granted. */
static void check_structure(struct check *k)
{
	const struct cat_processor *p = k->p;

	check_name(k, "processor", p->name, "abcdefghijklmnopqrstuvwxyz0123456789-");
	WRONG_IF(k, !p->n_boxes, "no boxes");
	for (unsigned i = 0; i < p->n_boxes; i++) {
		k->box = p->boxes[i];
		check_name(k, "box", k->box->name, "abcdefghijklmnopqrstuvwxyz0123456789");
		for (unsigned j = 0; k->box->name && j < i; j++)
			if (!strcasecmp(p->boxes[j]->name, k->box->name))
				check_wrong(k, "two boxes have this name");
		check_geometry(k);
	}
	k->box = NULL;
}

static void check_boxes(struct check *k)
{
	for (unsigned i = 0; i < k->p->n_boxes; i++) {
		k->box = k->p->boxes[i];
		check_box(k);
		check_events(k);
	}
	k->box = NULL;
}

static const struct cat_box *global_status_box(const struct cat_processor *p)
{
	for (unsigned i = 0; i < p->n_boxes; i++)
		if (cat_reg_find(p->boxes[i], CAT_GLOBAL_STATUS, 0, 0))
			return p->boxes[i];
	return NULL;
}

/* Something clears the status: its overflow control, or a write to itself. */
static bool clearable(const struct cat_box *b, const struct cat_reg *status, enum cat_role ovf,
		      unsigned index)
{
	return status->access == CAT_W1C || cat_reg_find(b, ovf, 0, index);
}

/* A counter whose overflow is summarised there, and can be sent there. */
static void check_overflow(struct check *k, const struct cat_overflow *o)
{
	const struct cat_box *b = cat_box_by_name(k->p, o->box);
	const struct cat_box *summary = o->summary_box ? cat_box_by_name(k->p, o->summary_box) :
							 NULL;
	const struct cat_reg *own = b && o->count ? cat_reg_find(b, CAT_STATUS, 0, o->first) : NULL;

	check_source(k, o->source);
	if (!b || o->unit >= b->n_units || o->first + o->count > b->n_counters ||
	    (!o->count && !b->has_fixed)) {
		check_wrong(k, "an overflow is told of %s%u, which has no such counters", o->box,
			    o->unit);
		return;
	}
	WRONG_IF(k, !(o->count ? b->ctl_overflow : b->fixed_overflow) || !o->global,
		 "nothing says how an overflow of %s%u is sent on", o->box, o->unit);
	if (own && !clearable(b, own, CAT_OVF_CTL, o->first))
		check_wrong(k, "an overflow of %s%u cannot be cleared", o->box, o->unit);
	if (o->summary_box && (!summary || !o->summary || o->summary_unit >= summary->n_units ||
			       !cat_reg_find(summary, CAT_SUMMARY, 0, 0)))
		check_wrong(k, "an overflow of %s%u is summarised in no register", o->box, o->unit);
}

static void check_overflows(struct check *k)
{
	const struct cat_box *top = global_status_box(k->p);

	if (!k->p->overflows)
		return;
	if (!top ||
	    !clearable(top, cat_reg_find(top, CAT_GLOBAL_STATUS, 0, 0), CAT_GLOBAL_OVF, 0)) {
		check_wrong(k, "overflows are told of, but no socket-wide status shows and clears "
			    "them");
		return;
	}
	for (unsigned i = 0; i < k->p->overflows->n; i++)
		check_overflow(k, &k->p->overflows->v[i]);
}

int catalog_check(const struct cat_processor *p, struct diags *d)
{
	struct check k = { .p = p, .d = d };

	check_structure(&k);
	if (k.bad)
		return -EINVAL;
	check_text(&k, "title", p->title, 8);
	check_source(&k, p->source);
	WRONG_IF(&k, !p->vendor, "no vendor");
	WRONG_IF(&k, !p->n_ids, "no CPU family and model");
	WRONG_IF(&k, !p->cores, "no number of cores");
	for (unsigned i = 0; i < p->n_boxes; i++)
		if (p->boxes[i]->space == SPACE_PCI && !p->anchor.device)
			check_wrong(&k, "%s is in PCI space, but nothing says how to find the bus",
				    p->boxes[i]->name);
	WRONG_IF(&k, p->global->name && !p->global->enable, "no socket-wide enable");
	check_boxes(&k);
	check_constants(&k);
	check_metrics(&k);
	check_groups(&k);
	check_overflows(&k);
	return k.bad ? -EINVAL : 0;
}
