/* lower_perf.c - perf/PMU/TERMS/: from a specification to perf_event_attr numbers and the CPUs that serve.
 *
 * Owns:  the join of PMUs, terms and sockets: units, identities, which events the kernel counts together.
 * Never: files, perf_event_open itself (access/); how names and terms are read (perf_pmus.c, perf_terms.c).
 * Pure; main thread.
 */
#include "config.h"

#include "plan/build.h"

#include "base/strb.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ a specification */

static int check_name(const char *name, struct err *err)
{
	bool letter = false;

	for (const char *s = name; *s; s++) {
		letter |= (*s | 0x20) >= 'a' && (*s | 0x20) <= 'z';
		if (!((*s | 0x20) >= 'a' && (*s | 0x20) <= 'z') && !(*s >= '0' && *s <= '9') && !strchr("_-.:", *s))
			return err_set(err, -EINVAL, "name=%s: a name has letters, digits, '_', '-', '.' and ':'", name);
	}
	return letter ? 0 : err_set(err, -EINVAL, "name=%s: a name has at least one letter", name);
}

/* What one count is, for an event that has .unit, the same on all instances; without .scale it is one of them. */
static int take_scale(const struct build_pmu *v, const struct topo_term *alias, struct build_perf *p, struct err *err)
{
	const char *unit = alias ? alias->unit : NULL;
	double scale = unit ? 1 : 0;

	if (unit && alias->scale && perf_scale_parse(alias->scale, &scale) < 0)
		return err_set(err, -EINVAL, "PMU '%s' cannot count '%s': the kernel's file %s/events/%s.scale says \"%.40s\", "
			       "which is no number from 1e-30 to 1e30", v->name, alias->name, v->pmu->dir ? v->pmu->dir : v->name,
			       alias->name, alias->scale);
	if (v > p->v && (scale < p->scale || scale > p->scale || (unit && strcmp(unit, p->unit) != 0)))
		return err_set(err, -EINVAL, "one count of %s is not the same on PMU '%s' as on '%s' (events/%s.scale and .unit): "
			       "write a specification for each instance", p->event, v->name, p->v[0].name, alias ? alias->name : p->event);
	p->scale = scale;
	p->scale_given = unit && alias->scale;
	p->unit = unit;
	return 0;
}

static int resolve_instance(struct arena *a, const struct conf_spec *s, struct build_pmu *v, struct build_perf *p, struct err *err)
{
	struct perf_terms t;
	const char *known;
	int r = perf_terms_resolve(a, v, s->terms, &t, err);

	known = r < 0 ? NULL : t.name ? t.name : t.alias ? t.alias->name : t.software;
	if (r == 0 && !p->event && !known)
		r = err_set(err, -EINVAL, "%s: an event that is given by numbers needs a name: perf/%s/%s,name=.../", s->text,
			    s->box, s->terms);
	if (r == 0 && !p->event)
		p->event = arena_text(a, known);
	if (r == 0)
		r = take_scale(v, t.alias, p, err);
	memcpy(v->config, t.config, sizeof(v->config));
	return r < 0 ? r : check_name(p->event, err);
}

/* Bits of config, config1 or config2 that the kernel describes; 0: it describes none. */
static uint64_t described(const struct topo_pmu *pmu, unsigned which)
{
	uint64_t mask = 0;

	for (unsigned i = 0; pmu && i < pmu->n_format; i++)
		mask |= perf_format_mask(&pmu->format[i], which);
	return mask;
}

/* "skx_unc_imc0::UNC_M_CAS_COUNT:RD", the names of libpfm4. */
static int resolve_pfm(struct arena *a, const struct topo_pmus *pmus, const struct conf_spec *s, struct build_perf *p,
		       struct err *err)
{
	static const char *const words[] = { "config", "config1", "config2" };
	struct pfm_event e;

	if (pfm_resolve(s->box, &e, err) < 0 || perf_find_pmus(a, pmus, e.pmu, p, err) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < p->n; i++) {
		for (unsigned which = 0; which < 3; which++) {
			uint64_t odd = e.config[which] & ~described(p->v[i].pmu, which);

			if (odd)
				return err_set(err, -EINVAL, "%s: libpfm4 sets bits 0x%llx of %s, which the kernel's PMU '%s' does not have",
					       s->text, (unsigned long long)odd, words[which], p->v[i].name);
		}
		memcpy(p->v[i].config, e.config, sizeof(e.config));
	}
	if (!p->event)
		p->event = arena_text(a, strstr(s->box, "::") + 2);
	return 0;
}

static int resolve(struct arena *a, const struct topo_pmus *pmus, const struct conf_spec *s, struct build_perf *p, struct err *err)
{
	for (unsigned i = 0; i < s->n_keys; i++) {
		if (strcmp(s->keys[i].name, "name") != 0 || !s->keys[i].value)
			return err_set(err, -EINVAL, "%s: the only key after the last slash is 'name='; the others are "
				       "terms and stand between the slashes", s->text);
		p->event = arena_text(a, s->keys[i].value);
	}
	if (strstr(s->box, "::"))
		return resolve_pfm(a, pmus, s, p, err);
	if (perf_find_pmus(a, pmus, s->box, p, err) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < p->n; i++)
		if (resolve_instance(a, s, &p->v[i], p, err) < 0)
			return -EINVAL;
	return 0;
}

int perf_resolve(struct arena *a, const struct topo_pmus *pmus, const struct conf_spec *s, struct build_perf *ret,
		 struct err *err)
{
	struct build_perf p = { 0 };
	char box[PERF_NAME];
	struct strb b;
	int number;

	if (resolve(a, pmus, s, &p, err) < 0)
		return -EINVAL;
	perf_pmu_box(p.v[0].name, box, sizeof(box), &number);
	p.box = arena_text(a, box);
	p.terms = arena_text(a, s->terms);
	strb_init(&b, 1024);
	strb_addf(&b, "%s,config=0x%llx", p.event, (unsigned long long)p.v[0].config[0]);
	for (unsigned i = 1; i < 3; i++)
		if (p.v[0].config[i])
			strb_addf(&b, ",config%u=0x%llx", i, (unsigned long long)p.v[0].config[i]);
	p.rest = arena_take(a, strb_take(&b));
	*ret = p;
	return 0;
}

/* ------------------------------------------------------------------ slots */

const struct topo *perf_topo(const struct build *b)
{
	return b->in->perf_topo ? b->in->perf_topo : b->in->topo;
}

const struct topo_socket *perf_socket(const struct build *b, unsigned id)
{
	const struct topo *t = perf_topo(b);

	for (unsigned i = 0; i < t->n_sockets; i++)
		if (t->sockets[i].id == id)
			return &t->sockets[i];
	return NULL;
}

static bool cpu_of_socket(const struct topo_socket *t, unsigned cpu)
{
	for (unsigned i = 0; i < t->n_cpus; i++)
		if (t->cpus[i].cpu == cpu)
			return true;
	return false;
}

/* What a family counts; the same sentence on every socket. */
static char *perf_help(const struct build *b, const struct build_perf *p)
{
	int family = (int)perf_pmu_family(p->v[0].name);
	const char *pmu = p->v[0].name;
	const struct topo *topo = perf_topo(b);
	const char **cpus, *what;
	unsigned n = 0;

	if (p->v[0].pmu && p->v[0].pmu->cpumask) {
		what = arena_printf(b->work, "perf event %s of the PMU %.*s", p->event, family, pmu);
	} else {
		cpus = arena_alloc(b->work, topo->n_sockets, sizeof(*cpus));
		for (unsigned i = 0; i < topo->n_sockets; i++)
			if (topo_reader(&topo->sockets[i]) >= 0)
				cpus[n++] = arena_printf(b->work, "%d", topo_reader(&topo->sockets[i]));
		what = arena_printf(b->work, "perf event %s of the PMU %.*s, counted on CPU%s %s alone", p->event, family, pmu,
				    n > 1 ? "s" : "", plan_list(b->work, cpus, n));
	}
	return labels_help(b->keep, what);
}

/* The kernel gives 4 bytes as "3.814697266e-6" MiB: what is nearly a whole number was one. */
static double unrounded(double scale)
{
	double whole = round(scale);

	return whole >= 1 && fabs(scale - whole) < 1e-8 * whole ? whole : scale;
}

double perf_base_scale(struct arena *a, const struct build_perf *p, const char **ret_unit)
{
	double factor = 0;
	const char *unit = p->unit && p->scale > 0 ? labels_base_unit(a, p->unit, &factor) : NULL;

	if (ret_unit)
		*ret_unit = unit;
	return unit ? unrounded(p->scale * factor) : 0;
}

static void add_scaled(const struct build *b, struct plan_slot *s, const struct build_perf *p)
{
	const char *unit;

	s->scale = perf_base_scale(b->work, p, &unit);
	if (!unit)
		return;
	s->scaled_family = arena_printf(b->keep, "%.*s_%s_total", (int)(strlen(s->family) - strlen("_total")), s->family, unit);
	s->scaled_help = arena_printf(b->keep, "The same events in %s: the raw count times %.17g", unit, s->scale);
}

/* What all slots of an item have in common. */
static void common_init(const struct build *b, struct plan_slot *s, const struct build_item *item)
{
	const struct build_perf *p = &item->p;

	*s = (struct plan_slot){ .engine = PLAN_PERF, .counter = -1, .width = 64, .clock = -1, .port = -1, .tail = "", .umask = "" };
	perf_facts(b, item->spec->text, &p->v[0], s);
	s->box_name = arena_text(b->keep, p->box);
	s->event_name = arena_text(b->keep, p->event);
	s->family = arena_take(b->keep, labels_family(p->box, p->event));
	s->help = perf_help(b, p);
	add_scaled(b, s, p);
}

/* Parts that a socket may have, one in another. PMUs count for one kind of them, which their cpumask does not name. */
enum part { PART_SOCKET, PART_DIE, PART_LLC, PART_CORE, PART_CPU };

static bool same_part(const struct topo_cpu *a, const struct topo_cpu *b, enum part part)
{
	return (part < PART_DIE || a->die == b->die) && (part < PART_LLC || a->llc == b->llc) &&
	       (part < PART_CORE || a->core == b->core) && (part < PART_CPU || a->cpu == b->cpu);
}

/* The CPUs of the socket that the mask names; *ret_n of them. */
static const struct topo_cpu **mask_cpus(const struct build *b, const struct topo_socket *t, const struct topo_pmu *pmu, unsigned *ret_n)
{
	const struct topo_cpu **v = arena_alloc(b->work, t->n_cpus, sizeof(*v));

	*ret_n = 0;
	for (unsigned i = 0; i < t->n_cpus; i++)
		for (unsigned c = 0; c < pmu->n_cpumask; c++)
			if (pmu->cpumask[c] == t->cpus[i].cpu)
				v[(*ret_n)++] = &t->cpus[i];
	return v;
}

/* Which CPUs stand in for which: those in the largest parts of which each holds one CPU of the mask at most. */
static unsigned *mask_homes(const struct build *b, const struct topo_socket *t, const struct topo_pmu *pmu)
{
	unsigned *home = arena_alloc(b->keep, t->n_cpus, sizeof(*home)), n;
	const struct topo_cpu **v = mask_cpus(b, t, pmu, &n);
	enum part part = PART_SOCKET;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			while (part < PART_CPU && same_part(v[i], v[k], part))
				part++;
	for (unsigned i = 0; i < t->n_cpus; i++) {
		home[i] = ~0U;
		for (unsigned k = 0; k < n; k++)
			if (same_part(&t->cpus[i], v[k], part))
				home[i] = v[k]->cpu;
	}
	return home;
}

/* The place of a cpumask file in the socket's list. */
static int mask_index(const struct build *b, struct plan_perfprogram *prog, const struct topo_socket *t, const struct topo_pmu *pmu)
{
	char *path;

	if (!pmu || !pmu->cpumask || !pmu->dir)
		return -1;
	path = arena_printf(b->work, "%s/cpumask", pmu->dir);
	for (unsigned i = 0; i < prog->n_masks; i++)
		if (strcmp(prog->masks[i].path, path) == 0)
			return (int)i;
	prog->masks = arena_grow(b->keep, prog->masks, prog->n_masks, sizeof(*prog->masks));
	prog->masks[prog->n_masks] = (struct plan_mask){ arena_text(b->keep, path), mask_homes(b, t, pmu) };
	return (int)prog->n_masks++;
}

/* Where an event goes: a socket's program and one round and group of it. */
struct target {
	struct build *b;
	const struct topo_socket *t;
	struct build_item *item;
	struct plan_perfprogram *prog;
	struct plan_round *round;
	struct plan_perfround *perf;
	struct plan_group *group;
};

static void add_slot(const struct target *to, const struct build_pmu *v, unsigned unit, int cpu)
{
	const struct build_perf *p = &to->item->p;
	struct plan_round *round = to->round;
	char *identity = arena_printf(to->b->keep, "%s%u/%s", p->box, unit, p->rest);
	struct plan_perf *e;
	struct plan_slot *s;

	if (!to->item->n_slots++)
		common_init(to->b, &to->item->common, to->item);
	for (unsigned i = 0; i < round->n_slots; i++)
		if (strcmp(round->slots[i].identity, identity) == 0) {
			plan_group_add(to->b, to->group, i);
			return;
		}
	to->perf->events = arena_grow(to->b->work, to->perf->events, to->perf->n_events, sizeof(*e));
	e = &to->perf->events[to->perf->n_events++];
	*e = (struct plan_perf){ .type = v->type, .config = v->config[0], .config1 = v->config[1],
				 .config2 = v->config[2], .cpu = cpu, .mask = mask_index(to->b, to->prog, to->t, v->pmu) };
	snprintf(e->pmu, sizeof(e->pmu), "%s", v->name);
	snprintf(e->text, sizeof(e->text), "perf/%s/%s/", strstr(to->item->spec->box, "::") ? to->item->spec->box : v->name,
		 p->terms);

	round->slots = arena_grow(to->b->work, round->slots, round->n_slots, sizeof(*round->slots));
	s = &round->slots[round->n_slots];
	*s = to->item->common;
	s->engine_slot = round->n_perf++;
	s->unit = unit;
	s->identity = identity;
	s->pmu_type = v->type;
	plan_group_add(to->b, to->group, round->n_slots++);
}

unsigned perf_cpus_serving(const struct topo_socket *t, const struct topo_pmu *pmu)
{
	unsigned n = 0;

	for (unsigned c = 0; c < pmu->n_cpumask; c++)
		n += cpu_of_socket(t, pmu->cpumask[c]);
	return n;
}

/* The most dies that any instance of the PMU has on the socket: no two units get one number. */
static unsigned family_dies(const struct build *b, const struct topo_socket *t, const struct topo_pmu *pmu)
{
	size_t n = perf_pmu_family(pmu->name);
	unsigned most = 0;

	for (unsigned i = 0; i < b->in->pmus->n; i++) {
		const struct topo_pmu *o = &b->in->pmus->v[i];
		unsigned dies = perf_cpus_serving(t, o);

		if (perf_pmu_family(o->name) == n && strncmp(o->name, pmu->name, n) == 0 && dies > most)
			most = dies;
	}
	return most;
}

void lower_perf(struct build *b, const struct topo_socket *t, struct build_item *item, unsigned n, struct plan_socket *s)
{
	struct plan_group *group = &s->groups[n];
	const struct target to = { b, t, item, &s->perf, &s->rounds[group->round], &s->perf.rounds[group->round], group };

	for (unsigned i = 0; i < item->p.n; i++) {
		const struct build_pmu *v = &item->p.v[i];
		unsigned number = v->number < 0 ? 0 : (unsigned)v->number, dies, index = 0;

		if (!v->pmu || !v->pmu->cpumask) {
			int reader = topo_reader(t);

			add_slot(&to, v, number, reader >= 0 ? reader : 0);
			continue;
		}
		dies = family_dies(b, t, v->pmu);
		for (unsigned c = 0; c < v->pmu->n_cpumask; c++)
			if (cpu_of_socket(t, v->pmu->cpumask[c]))
				add_slot(&to, v, number * dies + index++, (int)v->pmu->cpumask[c]);
	}
}

static bool same_pmu(const struct plan_perf *a, const struct plan_perf *b)
{
	return a->type == b->type && a->cpu == b->cpu;
}

/* Events of one PMU instance that stand in one group, or in groups that share one of them, count together. */
void lower_perf_together(const struct plan_socket *s, unsigned round)
{
	struct plan_perfround *perf = &s->perf.rounds[round];
	const struct plan_slot *slots = s->rounds[round].slots;

	if (!perf->n_events)
		return;
	for (unsigned i = 0; i < perf->n_events; i++)
		perf->events[i].together = i;
	for (unsigned g = 0; g < s->n_groups; g++) {
		const struct plan_group *group = &s->groups[g];

		for (unsigned i = 0; group->round == round && i < group->n_slots; i++)
			for (unsigned k = 0; k < i; k++) {
				const struct plan_slot *x = &slots[group->slots[k]], *y = &slots[group->slots[i]];
				unsigned one, other;

				if (x->engine != PLAN_PERF || y->engine != PLAN_PERF ||
				    !same_pmu(&perf->events[x->engine_slot], &perf->events[y->engine_slot]))
					continue;
				one = perf->events[x->engine_slot].together;
				other = perf->events[y->engine_slot].together;
				for (unsigned e = 0; one != other && e < perf->n_events; e++)
					if (perf->events[e].together == one || perf->events[e].together == other)
						perf->events[e].together = one < other ? one : other;
			}
	}
}
