/* SPDX-License-Identifier: MIT
 * Events put into a group.
 * Owns:  how an item of a group begins.
 * Never: which events a group has (groups.c, named.c).
 * Pure; main thread.
 */
#include "planner/planning.h"

static struct sched_item *item_add(struct build *b, struct sched_group *g, const struct spec *s)
{
	struct sched_item *item = ARENA_ADD(b->s.work, g->items, g->n_items);

	item->spec = s;
	item->metrics_only = g->metrics_only || s->input_only;
	item->may_lack = g->ready_made;
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
