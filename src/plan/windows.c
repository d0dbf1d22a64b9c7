/* windows.c - exact windows: whose overflow ends one, what tells its time, and the registers that tell of it.
 *
 * Owns:  which counters can end a window, and what a window of a group must have.
 * Never: values of the writes that every counter needs (lower_regs.c).
 * Pure; main thread.
 */
#include "config.h"

#include "plan/build.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ what the processor can do */

/* How an overflow of the counter is summarised above its box; NULL: unknown. */
static const struct cat_overflow *window_overflow(const struct cat_processor *p, const struct cat_box *b, unsigned unit,
						  int counter)
{
	for (unsigned i = 0; p->overflows && i < p->overflows->n; i++) {
		const struct cat_overflow *o = &p->overflows->v[i];
		bool covers = counter < 0 ? !o->count : counter >= o->first && counter - o->first < o->count;

		if (covers && o->unit == unit && strcmp(o->box, b->name) == 0)
			return o;
	}
	return NULL;
}

/* Counters of the unit whose overflow can end a window. */
static uint32_t able_counters(const struct cat_processor *p, const struct cat_box *b, unsigned unit, uint32_t counters)
{
	uint32_t able = 0;

	for (unsigned i = 0; i < b->n_counters; i++)
		if ((counters & BIT(i)) && b->ctl_overflow && window_overflow(p, b, unit, (int)i))
			able |= (uint32_t)BIT(i);
	return able;
}

static bool item_able(const struct cat_processor *p, const struct build_item *item)
{
	const struct cat_choice *c = &item->s.choice;
	uint32_t counters = item->s.pin >= 0 ? (uint32_t)BIT(item->s.pin) : cat_counters(c);

	if (c->event->fixed)
		return c->box->fixed_overflow && window_overflow(p, c->box, c->unit, -1);
	return able_counters(p, c->box, c->unit, counters) == counters;
}

/* "nehalem-ex, westmere-ex and ivytown" */
static const char *able_processors(const struct build *b)
{
	const char **names = arena_alloc(b->work, cat_n_processors, sizeof(*names));
	unsigned n = 0;

	for (unsigned i = 0; i < cat_n_processors; i++)
		if (cat_processors[i]->overflows)
			names[n++] = cat_processors[i]->name;
	return plan_list(b->work, names, n);
}

/* ------------------------------------------------------------------ one group */

__attribute__((format(printf, 4, 5)))
static int bad_window(struct build *b, const struct build_group *g, struct where where, const char *fmt, ...)
{
	char why[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return diags_add(b->d, where, "window of group '%s': %s", g->name, why);
}

/* The event of the window among those of the group; it must be one counter. */
static int find_event(struct build *b, struct build_group *g)
{
	const struct conf_spec *s = &g->window->event;
	const struct cat_choice *c;
	struct build_spec want;
	unsigned found = 0;
	struct err err;

	if (s->perf)
		return bad_window(b, g, s->where, "%s counts through perf_event, where no overflow can stop the "
				  "counters; name an event that counts through registers", s->text);
	if (spec_resolve(b->in->processor, s, true, &want, &err) < 0)
		return diags_add(b->d, s->where, "%s", err.text);
	if (!g->whole)
		return -1;                      /* it may be one of those that are missing */
	for (unsigned i = 0; i < g->n_items; i++) {
		c = &g->items[i].s.choice;
		if (g->items[i].perf || c->box != want.choice.box || !spec_equal(c, &want.choice) ||
		    (!want.every_unit && c->unit != want.choice.unit))
			continue;
		if (!found++)
			g->window_item = i;
	}
	if (!found)
		return bad_window(b, g, s->where, "%s is not among its events; add it to them", s->text);
	c = &g->items[g->window_item].s.choice;
	if (found > 1)
		return bad_window(b, g, s->where, "%s is counted by %u units, and one counter ends a window; name one of "
				  "them: %s", s->text, found, g->items[g->window_item].identity);
	if (!item_able(b->in->processor, &g->items[g->window_item]))
		return bad_window(b, g, s->where,
				  "no source says how an overflow of %s of %s%u stops the counters; let an event of "
				  "another counter end the window", c->event->fixed ? "the fixed counter" :
				  "a counter", c->box->name, c->unit);
	return 0;
}

static int find_clock(struct build *b, struct build_group *g)
{
	const struct build_item *event = &g->items[g->window_item];
	const char *clock = event->s.choice.box->clock;

	for (unsigned i = 0; i < g->n_items; i++) {
		const struct cat_choice *c = &g->items[i].s.choice;

		if (c->event->always_runs && !c->threshold && !c->edge) {
			g->clock_item = i;
			return 0;
		}
	}
	return bad_window(b, g, g->window->where, "a clock must be counted with it, which tells how long a window "
			  "lasted; add %s to the events", clock ? clock : "one");
}

/* Half of what the counter holds, so that it is read in time; and no value that the hardware misreads. */
static int check_count(struct build *b, struct build_group *g)
{
	const struct cat_choice *c = &g->items[g->window_item].s.choice;
	const struct cat_erratum *e = &c->box->erratum;
	unsigned width = cat_width(c->box, c->event->fixed);
	uint64_t preload = window_preload(width, g->window->count);

	if (g->window->count > BIT(width - 1))
		return bad_window(b, g, g->window->count_where,
				  "count %" PRIu64 " is too large for the %u-bit counter of %s, which must be read "
				  "before it could wrap; at most %" PRIu64, g->window->count, width,
				  g->items[g->window_item].identity, BIT(width - 1));
	if (e->mask && ((preload + e->max + 1) & e->mask) <= 2 * e->max + 1)
		return bad_window(b, g, g->window->count_where,
				  "count %" PRIu64 " needs a start value of %s that its hardware misreads; add 4 to it",
				  g->window->count, g->items[g->window_item].identity);
	return 0;
}

static void build_window(struct build *b, struct build_group *g)
{
	const struct cat_processor *p = b->in->processor;

	if (b->in->perf_engine || !p) {
		bad_window(b, g, g->window->where, "the perf engine cannot stop counters at an overflow; windows need "
			   "engine = \"registers\"");
		return;
	}
	if (!p->overflows) {
		bad_window(b, g, g->window->where, "an overflow cannot stop the counters of %s without an interrupt; "
			   "windows are for %s", p->name, able_processors(b));
		return;
	}
	if (b->in->conf->freeze) {
		bad_window(b, g, g->window->where, "freeze = true stops the counters at each sample, where a window must "
			   "go on; use one of the two");
		return;
	}
	for (unsigned i = 0; i < g->n_items; i++)
		if (g->items[i].perf) {
			bad_window(b, g, g->items[i].spec->where,
				   "%s counts through perf_event and would go on when the window ends; put it into "
				   "another group", g->items[i].spec->text);
			return;
		}
	if (find_event(b, g) == 0 && find_clock(b, g) == 0 && check_count(b, g) == 0)
		plan_note(b, arena_printf(b->keep, "Group '%s' counts in windows that end when %s has counted %" PRIu64 ": then all "
				       "uncore counters of the socket stand still until the next sample.", g->name,
				       g->items[g->window_item].identity, g->window->count));
}

void windows_build(struct build *b)
{
	for (unsigned i = 0; i < b->n_groups; i++)
		if (b->groups[i].window && b->groups[i].n_items)
			build_window(b, &b->groups[i]);
}

void windows_check_rounds(struct build *b)
{
	for (unsigned r = 0; r < b->n_rounds; r++) {
		const struct build_group *first = NULL;

		for (unsigned i = 0; i < b->rounds[r].n_groups; i++) {
			const struct build_group *g = &b->groups[b->rounds[r].groups[i]];

			if (g->window && first)
				diags_add(b->d, g->window->where, "groups '%s' and '%s' run at the same time and both have a "
					  "window: its end stops the counters of both, so only one of them can have one",
					  first->name, g->name);
			else if (g->window)
				first = g;
		}
	}
}

/* ------------------------------------------------------------------ lowering */

static struct plan_bits bits_of(const struct cat_box *b, const struct cat_reg *row, unsigned unit, uint64_t bits)
{
	struct plan_bits ret = { .reg = cat_reg_address(b, row, unit, row->first), .bits = bits };

	cat_reg_name(row, unit, row->first, ret.name, sizeof(ret.name));
	return ret;
}

/* The box with the socket's own registers; catalog_check() knows that there is one. */
static const struct cat_box *global_box(const struct cat_processor *p)
{
	unsigned i = 0;

	while (!cat_reg_find(p->boxes[i], CAT_GLOBAL_STATUS, 0, 0))
		i++;
	return p->boxes[i];
}

/* Where a status is cleared: its overflow control, or itself. */
static const struct cat_reg *clears(const struct cat_reg *status, const struct cat_reg *ovf)
{
	return ovf ? ovf : status->access == CAT_W1C ? status : NULL;
}

static void lower_chain(const struct cat_processor *cpu, const struct plan_slot *s, struct plan_regwindow *w)
{
	const struct cat_overflow *o = window_overflow(cpu, s->box, s->unit, s->counter);
	const struct cat_box *b = s->box, *top = global_box(cpu);
	const struct cat_reg *row = cat_reg_find(top, CAT_GLOBAL_STATUS, 0, 0), *ovf = cat_reg_find(top, CAT_GLOBAL_OVF, 0, 0);
	unsigned counter = s->counter < 0 ? 0 : (unsigned)s->counter;
	const struct cat_reg *own = cat_reg_find(b, CAT_STATUS, 0, counter);
	uint64_t bit;

	w->seen[w->n_seen++] = bits_of(top, row, 0, o->global | cpu->global->overflow_told);
	if (o->summary_box) {
		const struct cat_box *sb = cat_box_by_name(cpu, o->summary_box);

		w->seen[w->n_seen++] = bits_of(sb, cat_reg_find(sb, CAT_SUMMARY, 0, 0), o->summary_unit, o->summary);
	}
	if (own && s->counter >= 0) {
		bit = BIT(counter - own->first);
		w->seen[w->n_seen++] = bits_of(b, own, s->unit, bit);
		w->clear[w->n_clear++] = bits_of(b, clears(own, cat_reg_find(b, CAT_OVF_CTL, 0, counter)), s->unit, bit);
	}
	w->clear[w->n_clear++] = bits_of(top, clears(row, ovf), 0, o->global | cpu->global->overflow_told |
					 cpu->global->overflow_changed);
}

void window_lower(const struct cat_processor *cpu, const struct plan_round *r, struct plan_reground *round)
{
	const struct plan_slot *s = &r->slots[r->window.slot];

	if (!r->window.count)
		return;
	round->window.slot = s->engine_slot;
	round->window.preload = window_preload(s->width, r->window.count);
	lower_chain(cpu, s, &round->window);
}
