/* SPDX-License-Identifier: MIT
 * Events put into a group, and default groups.
 * Owns:  how an item of a group and a default group begin.
 * Never: which events a group has (groups.c, named.c, defaults.c).
 * Pure; main thread.
 */
#include "plan/planning.h"

static struct sched_item *item_add(struct build *b, struct sched_group *g, const struct spec *s)
{
	struct sched_item *item = ARENA_ADD(b->s.work, g->items, g->n_items);

	item->spec = s;
	item->metrics_only = g->metrics_only;
	return item;
}

struct sched_item *item_add_box(struct build *b, struct sched_group *g, const struct spec *s,
				const struct spec_box *box, unsigned unit)
{
	struct sched_item *item = item_add(b, g, s);

	item->s = *box;
	item->s.selection.unit = unit;
	item->identity = arena_take(b->s.work, spec_text(&item->s.selection, true));
	return item;
}

struct sched_item *item_add_perf(struct build *b, struct sched_group *g, const struct spec *s,
				 const struct spec_perf *p)
{
	struct sched_item *item = item_add(b, g, s);

	item->perf = true;
	item->p = *p;
	item->row = perf_row(&b->s.rows, &p->v[0]);
	return item;
}

struct default_group *default_group_add(struct build *b, const char *origin, const char *name)
{
	struct default_group *o;

	o = ARENA_ADD(b->s.work, b->defaults, b->n_defaults);
	o->g.name = arena_text(b->s.work, name);
	o->g.where = (struct where){ origin, 0 };
	o->g.resolution = b->in->conf->resolution;
	return o;
}

void default_group_add_spec(struct build *b, const char *text)
{
	struct conf_group *g = &b->defaults[b->n_defaults - 1].g;
	struct spec *s;
	struct err err;

	s = ARENA_ADD(b->s.work, g->specs, g->n_specs);
	if (spec_parse(b->s.work, text, s, &err) < 0)
		diags_add(b->s.d, g->where, "group '%s': %s", g->name, err.text);
	s->where = g->where;
}
