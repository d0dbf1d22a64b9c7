/* SPDX-License-Identifier: MIT
 * Perf events of a socket: their slots, the CPUs where they are opened, which the
 * kernel counts together.
 * Owns:  the join of PMUs and sockets: units, identities, which CPU replaces one that goes offline.
 * Never: files, perf_event_open itself (access/); how names and terms are read (spec/).
 * Pure; main thread.
 */
#include "lower/lower.h"

#include "base/words.h"
#include "plan/slot_labels.h"

#include <stdio.h>
#include <string.h>

/* What a family counts; the same sentence on every socket. */
static char *perf_help(const struct schedule *sc, const struct spec_perf *p)
{
	const struct perf_family family = perf_family(p->v[0].name);
	const struct topo *topo = sc->machine.perf_topo;
	const char **cpus, *what;
	unsigned n = 0;

	if (p->v[0].pmu && !p->v[0].pmu->of_cpus) {
		what = arena_printf(sc->work, "perf event %s of the PMU %s", p->event, family.s);
	} else {
		cpus = arena_alloc(sc->work, topo->n_sockets, sizeof(*cpus));
		for (unsigned i = 0; i < topo->n_sockets; i++)
			if (topo_reader_cpu(&topo->sockets[i]) >= 0)
				cpus[n++] = arena_printf(sc->work, "%d",
							 topo_reader_cpu(&topo->sockets[i]));
		what = arena_printf(sc->work, "perf event %s of the PMU %s, counted on CPU%s %s "
				    "alone", p->event, family.s, n > 1 ? "s" : "",
				    words_list(sc->work, cpus, n));
	}
	return labels_help(sc->keep, what);
}

static void add_scaled(const struct schedule *sc, struct plan_slot *s, const struct spec_perf *p)
{
	const char *unit;

	s->scale = perf_base_scale(sc->keep, p, &unit);
	if (!unit)
		return;
	s->scaled_family = arena_printf(sc->keep, "%.*s_%s_total",
					(int)(strlen(s->family) - strlen("_total")), s->family,
					unit);
	s->scaled_unit = unit;
	s->scaled_help = arena_printf(sc->keep, "The same events in %s: the raw count times %.17g",
				      unit, s->scale);
}

/* The first slot of an item; the others are like it but for their unit. */
static void slot_init(const struct schedule *sc, struct plan_slot *s,
		      const struct sched_item *item)
{
	const struct spec_perf *p = &item->p;

	*s = (struct plan_slot){ .engine = PLAN_PERF, .counter = -1, .width = 64, .clock_slot = -1,
				 .port = -1, .umask = "" };
	perf_facts(sc, item->row, &p->v[0], s);
	s->config = arena_copy(sc->keep, p->v[0].config, 3, sizeof(p->v[0].config[0]));
	s->box_name = arena_text(sc->keep, p->box);
	s->event_name = arena_text(sc->keep, p->event);
	s->family = arena_take(sc->keep, labels_family(p->box, p->event));
	s->help = perf_help(sc, p);
	add_scaled(sc, s, p);
}

/* Parts that a socket may have, one in another. PMUs count for one kind of them, which their
 * cpumask does not name. */
enum part { PART_SOCKET, PART_DIE, PART_LLC, PART_CORE, PART_CPU };

static bool same_part(const struct topo_cpu *a, const struct topo_cpu *b, enum part part)
{
	return (part < PART_DIE || a->die == b->die) && (part < PART_LLC || a->llc == b->llc) &&
	       (part < PART_CORE || a->core == b->core) && (part < PART_CPU || a->cpu == b->cpu);
}

/* The CPUs of the socket that the mask names; *ret_n of them. */
static const struct topo_cpu **mask_cpus(const struct schedule *sc, const struct topo_socket *t,
					 const struct topo_pmu *pmu, unsigned *ret_n)
{
	const struct topo_cpu **v = arena_alloc(sc->work, pmu->n_cpumask, sizeof(*v));

	*ret_n = 0;
	for (unsigned i = 0; i < pmu->n_cpumask; i++) {
		v[*ret_n] = topo_cpu_of(sc->machine.perf_topo, t, pmu->cpumask[i]);
		*ret_n += v[*ret_n] != NULL;
	}
	return v;
}

/* For each CPU of the socket the one of the cpumask that counts for it. The socket is divided into
 * the largest parts (dies, caches, cores) of which none has more than one CPU of the mask. */
static unsigned *mask_serving_cpus(const struct schedule *sc, const struct topo_socket *t,
				   const struct topo_pmu *pmu)
{
	unsigned *serving_cpu = arena_alloc(sc->keep, t->n_cpus, sizeof(*serving_cpu)), n;
	const struct topo_cpu **v = mask_cpus(sc, t, pmu, &n);
	enum part part = PART_SOCKET;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			while (part < PART_CPU && same_part(v[i], v[k], part))
				part++;
	for (unsigned i = 0; i < t->n_cpus; i++) {
		serving_cpu[i] = ~0U;
		for (unsigned k = 0; k < n; k++)
			if (same_part(&t->cpus[i], v[k], part))
				serving_cpu[i] = v[k]->cpu;
	}
	return serving_cpu;
}

/* The same for a PMU whose cpumask is that of the one before: instances mostly have one. */
static unsigned *serving_cpus(const struct lower_into *to, const struct topo_pmu *pmu)
{
	const struct topo_pmu *before = to->masks->newest;

	if (before && before->n_cpumask == pmu->n_cpumask &&
	    memcmp(before->cpumask, pmu->cpumask, pmu->n_cpumask * sizeof(*pmu->cpumask)) == 0)
		return to->prog->masks[to->prog->n_masks - 1].serving_cpu;
	return mask_serving_cpus(to->sc, to->t, pmu);
}

/* The place of a cpumask file in the socket's list. */
static int mask_index(const struct lower_into *to, const struct topo_pmu *pmu)
{
	struct plan_perf_program *prog = to->prog;
	unsigned *number, *cpus;

	if (!pmu || !pmu->dir || !perf_by_mask(&to->sc->machine, pmu))
		return -1;
	number = &to->masks->of_pmu[pmu - to->sc->machine.pmus->v];
	if (!*number) {
		cpus = serving_cpus(to, pmu);
		*ARENA_ADD(to->sc->keep, prog->masks, prog->n_masks) = (struct plan_cpumask){
			arena_printf(to->sc->keep, "%s/cpumask", pmu->dir), cpus };
		to->masks->newest = pmu;
		*number = prog->n_masks;
	}
	return (int)*number - 1;
}

/* The die or the device of an instance. */
static struct label part_of(const struct lower_into *to, const struct spec_pmu *v)
{
	struct perf_part part = perf_part(v->name);

	return (struct label){ part.label, arena_printf(to->sc->keep, "%u", part.number) };
}

/* "hisi_sccl_ddrc4/flux_rd,config=0x1,die=3" */
static char *identity_of(const struct lower_into *to, unsigned unit, const struct label *part)
{
	const struct spec_perf *p = &to->item->p;
	const char *box = spec_unit_text(to->sc->work, p->box, unit);

	if (!part->name)
		return arena_printf(to->sc->keep, "%s/%s", box, p->rest);
	return arena_printf(to->sc->keep, "%s/%s,%s=%s", box, p->rest, part->name, part->value);
}

static const char *where_text(const struct lower_into *to, struct where at)
{
	return at.line ? arena_printf(to->sc->keep, "%s:%u", at.file, at.line) : NULL;
}

/* where: of the plan, one text for all slots of the item; NULL: no configuration names it */
static void add_slot(const struct lower_into *to, const char *where, const struct spec_pmu *v,
		     unsigned unit, int cpu, struct label part)
{
	const struct spec_perf *p = &to->item->p;
	struct plan_round *round = to->round;
	char *identity = identity_of(to, unit, &part);
	unsigned *number = texts_number(to->sc->work, to->identities, identity);
	const struct cat_perf *table;
	struct plan_perf *e;
	struct plan_slot *s;

	to->item->n_slots++;
	if (*number) {
		s = &round->slots[*number - 1];
		*ARENA_ADD(to->sc->keep, to->slots->v, to->slots->n) = *number - 1;
		s->shown |= !to->item->metrics_only;
		to->perf->events[s->engine_slot].may_lack &= to->item->may_lack;
		return;
	}
	table = perf_table_of(&to->sc->machine, v->name, NULL);
	e = ARENA_ADD(to->sc->work, to->perf->events, to->perf->n_events);
	*e = (struct plan_perf){ .type = v->type, .config = v->config[0], .config1 = v->config[1],
				 .config2 = v->config[2], .cpu = cpu,
				 .alone = table && table->each_alone,
				 .may_lack = to->item->may_lack,
				 .mask = mask_index(to, v->pmu),
				 .pmu = arena_text(to->sc->keep, v->name),
				 .text = arena_printf(to->sc->keep, "perf/%s/%s/",
						      strstr(to->item->spec->box, "::") ?
						      to->item->spec->box : v->name, p->terms),
				 .where = where };

	*ARENA_ADD(to->sc->keep, to->slots->v, to->slots->n) = round->n_slots;
	s = ARENA_ADD(to->sc->work, round->slots, round->n_slots);
	*number = round->n_slots;
	if (to->item->made)
		*s = *to->item->made;
	else
		slot_init(to->sc, s, to->item);
	to->item->made = s;
	s->engine_slot = round->n_perf++;
	s->unit = unit;
	s->identity = identity;
	s->pmu = e->pmu;
	s->part = part;
	s->labels = (struct labels){ .v = NULL };
	if (part.name)
		s->labels = (struct labels){ arena_copy(to->sc->keep, &part, 1, sizeof(part)), 1 };
	s->shown = !to->item->metrics_only;
}

/* Does the item mean this unit? */
static bool is_meant(const struct spec_perf *p, unsigned unit)
{
	return p->first_unit < 0 ||
	       ((int)unit >= p->first_unit && (int)unit <= p->last_unit);
}

void lower_perf(const struct lower_into *to)
{
	const struct spec_perf *p = &to->item->p;
	unsigned dies = p->v->pmu ? perf_dies(&to->sc->machine, to->t, p->v->name) : 1;
	bool parts = p->v->pmu && perf_parts_differ(&to->sc->machine, p->v->pmu);
	const char *where = where_text(to, to->item->spec->where);

	for (unsigned i = 0; i < p->n; i++) {
		const struct spec_pmu *v = &p->v[i];
		unsigned first = v->number < 0 ? 0 : (unsigned)v->number * dies;
		unsigned *cpus = arena_alloc(to->sc->work, perf_places_most(v->pmu),
					     sizeof(*cpus));
		unsigned n = perf_places(&to->sc->machine, to->t, v->pmu, cpus);
		struct label part = parts ? part_of(to, v) : (struct label){ .name = NULL };

		for (unsigned nth = 0; nth < n; nth++)
			if (is_meant(p, first + nth))
				add_slot(to, where, v, first + nth, (int)cpus[nth], part);
	}
}

static bool same_pmu(const struct plan_perf *a, const struct plan_perf *b)
{
	return a->cpu == b->cpu && a->type == b->type && !a->alone;
}

/* While groups of the kernel's grow, perf_group is an earlier event of the same one, or for the
 * first its own number. */
static unsigned first_of_group(const struct plan_perf_round *perf, unsigned event)
{
	while (perf->events[event].perf_group != event)
		event = perf->events[event].perf_group;
	return event;
}

/* From now on two events are in one group of the kernel's. */
static void join_perf_groups(struct plan_perf_round *perf, unsigned one, unsigned other)
{
	unsigned a = first_of_group(perf, one), b = first_of_group(perf, other);

	perf->events[a > b ? a : b].perf_group = a < b ? a : b;
}

/* Events of one PMU instance count together if they are in one group, or in groups that share an
 * event; where its driver takes them each alone, they do not. */
void lower_perf_together(struct arena *work, struct plan_perf_round *perf,
			 const struct plan_round *r, const struct plan_group *groups,
			 unsigned round)
{
	unsigned *of_group = arena_alloc(work, perf->n_events, sizeof(*of_group));

	for (unsigned i = 0; i < perf->n_events; i++)
		perf->events[i].perf_group = i;
	for (unsigned g = 0; g < r->n_groups; g++) {
		const struct plan_group *group = &groups[r->groups[g]];
		unsigned n = 0, at = 0;

		/* of_group: one event of each instance that the group has had; after one instance
		 * mostly comes the next */
		for (unsigned i = 0; i < group->n_slots; i++) {
			const struct plan_slot *s = &r->slots[group->slots[round][i]];
			unsigned tried = 0;

			if (s->engine != PLAN_PERF)
				continue;
			for (; tried < n; tried++, at++) {
				at = at < n ? at : 0;
				if (same_pmu(&perf->events[of_group[at]],
					     &perf->events[s->engine_slot]))
					break;
			}
			if (tried == n)
				of_group[n++] = s->engine_slot;
			else
				join_perf_groups(perf, of_group[at++], s->engine_slot);
		}
	}
	for (unsigned i = 0; i < perf->n_events; i++)
		perf->events[i].perf_group = first_of_group(perf, i);
}
