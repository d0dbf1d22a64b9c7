/* SPDX-License-Identifier: MIT
 * From resolved groups to the plan of every socket.
 * Owns:  the order of the steps; slots and their bounds; what a plan's memory is.
 * Never: how a specification is read, placed, named or lowered: the other files of this room.
 * Pure; main thread.
 */
#include "planner/planning.h"

#include "metric/whole.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define PLAN_MAX     ((size_t)1 << 30)      /* of each arena; a plan has some MB */
#define SAFE_MAX     (3650 * 86400 * NSEC_PER_SEC)

static void slot_bounds(struct plan_slot *s)
{
	double safe;

	slot_set_max_rate(s, cat_max_inc(s->selection), s->box->max_hz);
	if (s->max_rate <= 0)
		return;
	safe = ldexp(1, s->width) / s->max_rate * (double)NSEC_PER_SEC;
	s->safe_interval = safe < (double)SAFE_MAX ? (nsec)safe : SAFE_MAX;
}

/* before: the slot of the event before, mostly the same one on another unit; NULL: none. */
static void slot_init(struct arena *keep, struct plan_slot *s, const struct sched_event *p,
		      const struct plan_slot *before)
{
	const struct cat_selection *c = &p->s.selection;
	const struct cat_box *b = c->box;
	bool same_event = before && cat_event_same(before->selection->event, c->event),
		same = same_event && spec_equal(before->selection, c);

	*s = (struct plan_slot){
		.engine = PLAN_REGISTERS, .box = b, .selection = arena_copy(keep, c, 1, sizeof(*c)),
		.encoding = p->encoding, .counter = p->counter, .unit = c->unit,
		.width = (uint8_t)cat_width(b, c->event->fixed), .erratum = b->erratum,
		.always_runs = c->event->always_runs && !c->threshold && !c->edge,
		.cas = c->event->cas && !c->threshold && !c->edge,
		.port = b->port_key ? (int)c->port : -1, .box_name = b->name,
		.event_name = c->event->name, .link = labels_link(c), .clock_slot = -1,
	};
	slot_bounds(s);
	s->identity = arena_text(keep, p->identity);
	s->family = same_event ? before->family
		: arena_take(keep, labels_family(b->name, c->event->name));
	s->help = same_event ? before->help
		: labels_help(keep, c->event->help ?: c->event->name);
	s->umask = same ? before->umask : arena_take(keep, labels_umask(c));
	s->labels = same && !b->links ? before->labels : labels_of(keep, c, s->umask);
}

/* The slot of an event: as another socket has it, if one does. */
static void add_reg_slot(struct build *b, struct sched_round *br, unsigned event,
			 struct plan_round *r)
{
	struct sched_event *e = &br->events[event];
	struct plan_slot *s = ARENA_ADD(b->s.work, r->slots, r->n_slots);

	if (e->made)
		*s = *e->made;
	else
		slot_init(b->s.keep, s, e, event ? br->events[event - 1].made : NULL);
	e->made = s;
	s->shown = false;
	s->engine_slot = r->n_reg++;
}

/* event: of the item. numbers: of each register event, its slot's number + 1; 0: it has none yet.
 * slots: of the group in this round. */
static void add_reg_item(struct build *b, struct sched_round *br,
			 const struct sched_item *item, unsigned event, struct plan_round *r,
			 struct lower_slots *slots, unsigned *numbers)
{
	unsigned *number = &numbers[event];

	if (!*number) {
		add_reg_slot(b, br, event, r);
		*number = r->n_slots;
	}
	r->slots[*number - 1].shown |= !item->metrics_only;
	*ARENA_ADD(b->s.keep, slots->v, slots->n) = *number - 1;
}

/* Of each slot the clock of its own unit, where it is counted in the same round: the first one. A
 * clock that stops says nothing of other units, even if they are clocked alike: their zeros are
 * values. */
static void find_clocks(struct arena *work, struct plan_round *r)
{
	unsigned *clocks = arena_alloc(work, r->n_slots, sizeof(*clocks)), n = 0;

	for (unsigned i = 0; i < r->n_slots; i++)
		if (r->slots[i].always_runs)
			clocks[n++] = i;
	for (unsigned i = 0; i < r->n_slots; i++) {
		struct plan_slot *s = &r->slots[i];

		if (s->always_runs)
			continue;
		for (unsigned k = 0; s->clock_slot < 0 && k < n; k++) {
			const struct plan_slot *o = &r->slots[clocks[k]];

			if (o->unit == s->unit && o->engine == s->engine &&
			    strcmp(o->box_name, s->box_name) == 0)
				s->clock_slot = (int)clocks[k];
		}
	}
}

/* The window of the round's group, if one has one. */
static void bind_window(const struct build *b, unsigned round, const struct plan_socket *s,
			struct plan_round *r)
{
	const struct sched_round *br = &b->s.rounds[round];

	/* A group with a window has register events only: its slots are in the order of its
	 * items. */
	for ROUND_EACH_GROUP(g, br, &b->s)
		if (g->window)
			r->overflow_window = (struct plan_overflow_window){
				.group = *at, .slot = s->groups[*at].slots[round][g->window_item],
				.clock = s->groups[*at].slots[round][g->clock_item],
				.count = g->window->count };
}

static void build_round_of(struct build *b, unsigned round, struct plan_socket *s,
			   struct lower_masks *masks)
{
	const struct topo_socket *real = topo_socket(b->s.machine.perf_topo, s->id);
	struct sched_round *br = &b->s.rounds[round];
	unsigned *numbers = arena_alloc(b->s.work, br->n_events, sizeof(*numbers));
	struct plan_perf_round *perf = &s->perf->rounds[round];
	struct plan_round *r = &s->rounds[round];
	const unsigned *event = br->item_events;
	struct texts identities = { 0 };

	for (unsigned i = 0; i < br->n_groups; i++) {
		struct sched_group *bg = &b->s.groups[br->groups[i]];
		struct plan_group *g = &s->groups[br->groups[i]];
		struct lower_slots slots = { NULL, 0 };

		*ARENA_ADD(b->s.keep, r->groups, r->n_groups) = br->groups[i];
		if (!r->tick || g->resolution < r->tick)
			r->tick = g->resolution;
		for (unsigned k = 0; k < bg->n_items; k++) {
			if (bg->items[k].perf && real) {
				lower_perf(&(struct lower_into){ &b->s, real, &bg->items[k],
					s->perf, masks, r, perf, &identities, &slots });
				whole_note_left_out(&b->s, &bg->items[k].p);
			} else if (!bg->items[k].perf)
				add_reg_item(b, br, &bg->items[k], *event++, r, &slots, numbers);
		}
		if (!g->n_rounds++)
			g->round = round;
		g->slots[round] = slots.v;
		g->n_slots = slots.n;
	}
	r->slots = arena_copy(b->s.keep, r->slots, r->n_slots, sizeof(*r->slots));
	perf->events = arena_copy(b->s.keep, perf->events, perf->n_events, sizeof(*perf->events));
	find_clocks(b->s.work, r);
	bind_window(b, round, s, r);
	lower_perf_together(b->s.work, perf, r, s->groups, round);
	s->has_reg |= r->n_reg > 0;
	s->has_perf |= r->n_perf > 0;
}

/* Its CPUs in trying order; t NULL: none. */
static unsigned *socket_cpus(const struct build *b, const struct topo_socket *t, unsigned *ret_n)
{
	unsigned n = t ? t->n_cpus : 0, *cpus = arena_alloc(b->s.keep, n, sizeof(*cpus));

	for (unsigned i = 0; i < n; i++)
		cpus[i] = t->cpus[i].cpu;
	*ret_n = n;
	return cpus;
}

static void build_socket(struct build *b, const struct topo_socket *t, struct plan_socket *s)
{
	unsigned n_pmus = b->in->pmus ? b->in->pmus->n : 0;
	struct lower_masks masks = { arena_alloc(b->s.work, n_pmus, sizeof(*masks.of_pmu)), NULL };

	s->id = t->id;
	s->n_nodes = t->n_nodes;
	s->cpus = socket_cpus(b, t, &s->n_cpus);
	s->n_groups = b->s.n_groups;
	s->groups = arena_alloc(b->s.keep, b->s.n_groups, sizeof(*s->groups));
	for (unsigned i = 0; i < s->n_groups; i++)
		s->groups[i] = (struct plan_group){
			.name = b->s.groups[i].plan_name,
			.metrics_only = b->s.groups[i].metrics_only,
			.resolution = b->s.groups[i].resolution,
			.slots = arena_alloc(b->s.keep, b->s.n_rounds, sizeof(unsigned *)),
		};
	s->n_rounds = b->s.n_rounds;
	s->rounds = arena_alloc(b->s.keep, b->s.n_rounds, sizeof(*s->rounds));
	s->perf = arena_alloc(b->s.keep, 1, sizeof(*s->perf));
	*s->perf = (struct plan_perf_program){
		.socket = t->id, .is_default = !b->in->conf->groups_given, .n_rounds = s->n_rounds,
		.rounds = arena_alloc(b->s.keep, s->n_rounds, sizeof(*s->perf->rounds)),
	};
	s->perf->cpus = socket_cpus(b, topo_socket(b->s.machine.perf_topo, t->id),
				    &s->perf->n_cpus);
	for (unsigned i = 0; i < b->s.n_rounds; i++)
		build_round_of(b, i, s, &masks);
	series_build(b, s);
	channels_build(b, s);
	s->program = arena_alloc(b->s.keep, 1, sizeof(*s->program));
	if (s == b->plan->sockets)
		lower_regs(&b->s, b->in->processor, s->rounds, s->n_rounds, b->in->conf->freeze,
			   s->program);
	else    /* every socket has the same boxes and the same rounds */
		*s->program = *b->plan->sockets[0].program;
	s->program->socket = s->id;
}

static unsigned count_series(const struct plan_socket *s)
{
	/* a distribution has a peak, and with a histogram buckets, sum and count */
	unsigned n = s->n_metric_series + s->n_distribution_series, series = 0;

	for (unsigned w = 0; w < s->n_distributions; w++)
		if (s->distributions[w].series == series) {
			const struct plan_distribution *d = &s->distributions[w];

			n += d->has_histogram ? d->histogram.n_bounds + 3 : 0;
			series++;
		}
	for (unsigned i = 0; i < s->n_series; i++)
		n += s->series[i].shown ? 1 + !!s->series[i].slot->scaled_family : 0;
	return n;
}

/* Is each register event read twice before it can wrap? One message names the most urgent event. */
static void check_interval(const struct build *b)
{
	const struct sched_group *group = NULL;
	struct plan_slot worst = { .safe_interval = 0 };
	const char *identity = NULL, *key = "interval";
	struct where at;
	nsec half;

	for SCHED_EACH_ITEM(item, g, &b->s) {
		const struct conf_resolution *r = &g->conf->resolution;
		struct plan_slot s = { .box = item->s.selection.box,
				       .selection = &item->s.selection };

		if (item->perf || r->unread)
			continue;
		s.width = (uint8_t)cat_width(s.box, s.selection->event->fixed);
		slot_bounds(&s);
		if (!s.safe_interval || r->every <= s.safe_interval / 2 ||
		    (group && worst.safe_interval <= s.safe_interval))
			continue;
		group = g;
		worst = s;
		identity = item->identity;
	}
	if (!group)
		return;
	at = b->in->conf->interval_where;
	if (group->conf->resolution.where.line) {
		at = group->conf->resolution.where;
		key = "resolution";
	}
	half = worst.safe_interval / 2;
	half -= half % (half >= NSEC_PER_SEC ? NSEC_PER_SEC : NSEC_PER_MSEC);
	diags_add(b->s.d, at, "%s %s is too long for %s: its %u-bit counter can rise by %u per "
		  "cycle and must be read at least twice before it wraps; the largest %s allowed "
		  "is %s", key, nsec_text(group->conf->resolution.every).s, identity, worst.width,
		  worst.max_inc, key, nsec_text(half).s);
}

/* Groups of one round are read together: at the finest resolution, of which the others must be
 * multiples. */
static void check_resolutions(struct build *b)
{
	for (unsigned r = 0; r < b->s.n_rounds; r++) {
		const struct sched_group *finest = NULL;

		for ROUND_EACH_GROUP(g, &b->s.rounds[r], &b->s)
			if (!finest || g->conf->resolution.every < finest->conf->resolution.every)
				finest = g;
		for ROUND_EACH_GROUP(g, &b->s.rounds[r], &b->s) {
			nsec fine = finest->conf->resolution.every,
				every = g->conf->resolution.every;

			if (every % fine && !finest->conf->resolution.unread &&
			    !g->conf->resolution.unread)
				diags_add(b->s.d, g->conf->resolution.where,
					  "group '%s' is counted at the same time as group '%s', "
					  "which is read every %s; its resolution of %s must be a "
					  "multiple of that", g->name, finest->name,
					  nsec_text(fine).s, nsec_text(every).s);
		}
	}
}

/* The first group that names the event of a series. */
static const struct sched_group *group_of(const struct build *b, const struct plan_socket *s,
					  const struct plan_series *series)
{
	for (unsigned g = 0; g < s->n_groups; g++)
		if (plan_group_counts(s, &s->groups[g], (unsigned)(series - s->series)))
			return &b->s.groups[g];
	return &b->s.groups[0];
}

/* Is the series the first of this name? taken: the number + 1 of the first one of each. */
static bool check_name(struct build *b, const struct plan_socket *s, unsigned series,
		       const char *name, struct texts *taken)
{
	unsigned *number = texts_number(b->s.work, taken, name);
	const struct plan_slot *slot = s->series[series].slot;

	if (*number) {
		const struct sched_group *g = group_of(b, s, &s->series[series]);

		diags_add(b->s.d, g->where, "group '%s': %s and %s would both be %s%s", g->name,
			  s->series[*number - 1].slot->identity, slot->identity, name,
			  slot->engine == PLAN_PERF ? "; give one of them another name=" : "");
		return false;
	}
	*number = series + 1;
	return true;
}

/* Two different events must not end up as one series, the raw or the scaled one of either. */
static bool check_series(struct build *b, const struct plan_socket *s)
{
	struct texts taken = { 0 };

	for (unsigned i = 0; i < s->n_series; i++) {
		const struct plan_slot *slot = s->series[i].slot;
		const char *labels = labels_text(b->s.work, slot->labels);
		const char *families[] = { slot->family, slot->scaled_family };

		for (unsigned k = 0; k < COUNT(families) && families[k]; k++)
			if (!check_name(b, s, i, arena_printf(b->s.work, "%s{unit=\"%u\"%s}",
							      families[k], slot->unit, labels),
					&taken))
				return false;
	}
	return true;
}

static void check_perf_used(struct build *b)
{
	for SCHED_EACH_ITEM(item, g, &b->s)
		if (item->perf && !item->n_slots)
			diags_add(b->s.d, item->spec->where,
				  "%s: the cpumask of this PMU names no CPU of this machine's "
				  "sockets (%s/cpumask)", item->spec->text,
				  spec_pmu_dir(&item->p.v[0]));
}

/* What the ready-made groups leave of the series that a socket may have without a configuration;
 * with one there is no limit. */
static unsigned locations_room(const struct build *b, const struct plan_socket *s)
{
	if (b->in->conf->groups_given)
		return UINT_MAX;
	return s->n_exported < READY_SERIES ? READY_SERIES - s->n_exported : 0;
}

static void build_sockets(struct build *b)
{
	struct metric_rows *m = b->rows;
	const struct topo *t = b->s.machine.topo;
	struct plan *p = b->plan;
	bool distinct = true;

	p->n_sockets = t->n_sockets;
	p->sockets = arena_alloc(b->s.keep, t->n_sockets, sizeof(*p->sockets));
	for (unsigned i = 0; i < b->s.n_groups; i++)
		b->s.groups[i].plan_name = arena_text(b->s.keep, b->s.groups[i].name);
	for (unsigned i = 0; i < t->n_sockets; i++) {
		build_socket(b, &t->sockets[i], &p->sockets[i]);
		metric_bind(m, &p->sockets[i]);
		distinct = distinct && distribution_check_names(m, &p->sockets[i]);
		if (!i || p->sockets[i].has_perf) /* register slots are the same on every socket */
			distinct = distinct && check_series(b, &p->sockets[i]);
		p->sockets[i].n_exported = count_series(&p->sockets[i]);
		locations_build(b, &p->sockets[i], locations_room(b, &p->sockets[i]));
		p->sockets[i].n_exported += p->sockets[i].n_locations;
		p->n_series += p->sockets[i].n_exported;
	}
	locations_note(b);
	check_perf_used(b);
	metric_check_used(m);
}

static void build_plan(void *p)
{
	struct build *b = p;
	const struct conf *conf = b->in->conf;
	size_t before = diags_count(b->s.d);

	b->plan = arena_alloc(b->s.keep, 1, sizeof(*b->plan));
	*b->plan = (struct plan){ .arena = b->s.keep, .processor = b->in->processor,
				  .interval = conf->interval,
				  .rotation = conf->rotation, .peak_window = conf->peak_window };
	pins_apply(b);
	perf_rows_resolve(b->s.work, &b->s.machine, &b->s.rows);
	b->rows = metric_rows_new(&b->s, conf, b->in->constants, b->in->knees,
				  &b->deferred);
	groups_build(b);
	metric_rows_with_groups(b->rows);
	check_interval(b);
	if (rounds_build(&b->s) == 0) {
		windows_check_rounds(b);
		check_resolutions(b);
	}
	if (b->n_defaults)
		defaults_note_beside(b);
	if (diags_count(b->s.d) == before && !conf->faulty)
		build_sockets(b);
	b->plan->uncounted = defaults_uncounted(b);
	b->plan->curve_stale = b->in->knees ? b->in->knees->stale : 0;
	b->plan->notes = b->s.notes;
	b->plan->n_notes = b->s.n_notes;
	b->refused = conf->faulty || diags_count(b->s.d) != before;
}

int plan_build(const struct plan_input *in, struct plan **ret, struct diags *d)
{
	struct build b = { .in = in, .s = { .d = d, .keep = arena_new(PLAN_MAX, NULL),
					    .machine = spec_machine(in->processor, in->topo,
						in->perf_topo ?: in->topo, in->pmus) } };
	bool built;

	b.s.machine.perf_engine = in->perf_engine;
	if (!ready_may_mean_sets(in->conf, &b.s.machine))
		spec_machine_without_sets(&b.s.machine);
	b.s.work = b.s.keep ? arena_new(PLAN_MAX, b.s.keep) : NULL;
	built = b.s.work && arena_try(b.s.keep, build_plan, &b);
	diags_done(&b.deferred);
	arena_free(b.s.work);
	if (built && !b.refused) {
		*ret = b.plan;
		return 0;
	}
	arena_free(b.s.keep);
	if (built)
		return -EINVAL;
	diags_add(d, (struct where){ NULL, 0 }, "out of memory while planning this configuration");
	return -ENOMEM;
}
