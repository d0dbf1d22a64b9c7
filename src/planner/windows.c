/* SPDX-License-Identifier: MIT
 * Overflow windows: which counter's overflow ends one, and which clock times it.
 * Owns:  which counters can end a window, and what a window of a group must have.
 * Never: values of the writes that every counter needs (lower_regs.c).
 * Pure; main thread.
 */
#include "planner/planning.h"

#include "base/words.h"

#include <inttypes.h>

/* -EINVAL and the group, followed by what is wrong with its window. */
#define bad_window(b, g, where, fmt, ...) \
	diags_add((b)->s.d, where, "window of group '%s': " fmt, (g)->name, ##__VA_ARGS__)

/* Counters of the unit whose overflow can end a window. */
static uint32_t able_counters(const struct cat_processor *p, const struct cat_box *b, unsigned unit,
			      uint32_t counters)
{
	uint32_t able = 0;

	for (unsigned i = 0; i < b->n_counters; i++)
		if ((counters & BIT(i)) && b->ctl_overflow && lower_overflow(p, b, unit, (int)i))
			able |= (uint32_t)BIT(i);
	return able;
}

static bool item_able(const struct cat_processor *p, const struct sched_item *item)
{
	const struct cat_selection *c = &item->s.selection;
	uint32_t counters = item->s.pin >= 0 ? (uint32_t)BIT(item->s.pin) : cat_counters(c);

	if (c->event->fixed)
		return c->box->fixed_overflow && lower_overflow(p, c->box, c->unit, -1);
	return able_counters(p, c->box, c->unit, counters) == counters;
}

/* "nehalem-ex, westmere-ex and ivytown" */
static const char *able_processors(const struct build *b)
{
	const char **names = arena_alloc(b->s.work, cat_n_processors, sizeof(*names));
	unsigned n = 0;

	for (unsigned i = 0; i < cat_n_processors; i++)
		if (cat_processors[i]->overflows)
			names[n++] = cat_processors[i]->name;
	return words_list(b->s.work, names, n);
}

/* The event of the window among those of the group; it must be one counter. */
static int find_event(struct build *b, struct sched_group *g)
{
	const struct spec *written = &g->window->event;
	const struct cat_selection *c;
	struct spec_box want;
	unsigned found = 0;
	struct spec named, *s = &named;
	struct err err;

	if (spec_of_name(b->s.work, &b->s.machine, written, s, &err) < 0)
		return diags_add(b->s.d, written->where, "%s", err.text);
	if (s->perf)
		return bad_window(b, g, s->where,
				  "%s counts through perf_event, where an overflow cannot stop the "
				  "counters; name an event that counts through registers", s->text);
	if (spec_resolve(b->s.work, b->in->processor, s, true, &want, &err) < 0)
		return diags_add(b->s.d, s->where, "%s", err.text);
	if (!g->complete)
		return -1;                      /* it may be one of those that are missing */
	for (unsigned i = 0; i < g->n_items; i++) {
		c = &g->items[i].s.selection;
		if (g->items[i].perf || c->box != want.selection.box ||
		    !spec_equal(c, &want.selection) ||
		    (!want.every_unit && c->unit != want.selection.unit))
			continue;
		if (!found++)
			g->window_item = i;
	}
	if (!found)
		return bad_window(b, g, s->where,
				  "%s is not among the group's events; add it", s->text);
	c = &g->items[g->window_item].s.selection;
	if (found > 1)
		return bad_window(b, g, s->where,
				  "%s is counted by %u units, but only one counter can end a "
				  "window; name one unit: %s", s->text, found,
				  g->items[g->window_item].identity);
	if (!item_able(b->in->processor, &g->items[g->window_item]))
		return bad_window(b, g, s->where,
				  "no manual says how an overflow of %s of %s%u stops the "
				  "counters; choose an event of another counter to end the window",
				  c->event->fixed ? "the fixed counter" :
				  "a counter", c->box->name, c->unit);
	return 0;
}

static int find_clock(struct build *b, struct sched_group *g)
{
	const struct sched_item *event = &g->items[g->window_item];
	const char *clock = event->s.selection.box->clock;

	for (unsigned i = 0; i < g->n_items; i++) {
		const struct cat_selection *c = &g->items[i].s.selection;

		if (c->event->always_runs && !c->threshold && !c->edge) {
			g->clock_item = i;
			return 0;
		}
	}
	return bad_window(b, g, g->window->where,
			  "the group must also count a clock to time each window; add %s to its "
			  "events", clock ? clock : "one");
}

/* Half of what the counter holds, so that it is read in time; and no value that the hardware
 * misreads. */
static int check_count(struct build *b, struct sched_group *g)
{
	const struct cat_selection *c = &g->items[g->window_item].s.selection;
	const struct reg_erratum *e = &c->box->erratum;
	unsigned width = cat_width(c->box, c->event->fixed);
	uint64_t preload = window_preload(width, g->window->count);

	if (g->window->count > BIT(width - 1))
		return bad_window(b, g, g->window->count_where, "count %" PRIu64
				  " is too large for the %u-bit counter of %s, which must be read "
				  "before it can wrap; the largest count allowed is %" PRIu64,
				  g->window->count, width, g->items[g->window_item].identity,
				  BIT(width - 1));
	if (e->mask && ((preload + e->max + 1) & e->mask) <= 2 * e->max + 1)
		return bad_window(b, g, g->window->count_where, "count %"
				  PRIu64 " needs a start value of %s that its hardware misreads; "
					 "add 4 to it", g->window->count,
				  g->items[g->window_item].identity);
	return 0;
}

/* Can this processor, with this engine, end a window of the group at an overflow? */
static int check_possible(struct build *b, const struct sched_group *g)
{
	const struct cat_processor *p = b->in->processor;

	if (b->in->perf_engine || !p)
		return bad_window(b, g, g->window->where,
				  "the perf engine cannot stop counters at an overflow; windows "
				  "need engine = \"registers\"");
	if (!p->overflows)
		return bad_window(b, g, g->window->where,
				  "on %s an overflow cannot stop the counters without an "
				  "interrupt; windows work only on %s", p->name,
				  able_processors(b));
	if (b->in->conf->freeze)
		return bad_window(b, g, g->window->where,
				  "freeze = true stops the counters at each sample, but a window "
				  "must run on; use only one of the two");
	for (unsigned i = 0; i < g->n_items; i++)
		if (g->items[i].perf)
			return bad_window(b, g, g->items[i].spec->where,
					  "%s counts through perf_event and would not stop with "
					  "the window; move it to another group",
					  g->items[i].spec->text);
	return 0;
}

static void build_window(struct build *b, struct sched_group *g)
{
	if (check_possible(b, g) == 0 && find_event(b, g) == 0 && find_clock(b, g) == 0 &&
	    check_count(b, g) == 0)
		schedule_note(&b->s, "Group '%s' counts in windows that end when %s has counted %"
			      PRIu64 ": then all uncore counters of the socket stand still until "
			      "the next sample.", g->name, g->items[g->window_item].identity,
			      g->window->count);
}

void windows_build(struct build *b)
{
	for (unsigned i = 0; i < b->s.n_groups; i++)
		if (b->s.groups[i].window && b->s.groups[i].n_items)
			build_window(b, &b->s.groups[i]);
}

void windows_check_rounds(struct build *b)
{
	for (unsigned r = 0; r < b->s.n_rounds; r++) {
		const struct sched_group *first = NULL;

		for ROUND_EACH_GROUP(g, &b->s.rounds[r], &b->s) {
			if (g->window && first)
				diags_add(b->s.d, g->window->where,
					  "groups '%s' and '%s' run at the same time and both have "
					  "a window; the end of a window stops the counters of "
					  "both groups, so only one of them can have one",
					  first->name, g->name);
			else if (g->window)
				first = g;
		}
	}
}
