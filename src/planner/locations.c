/* SPDX-License-Identifier: MIT
 * Where units are: the NUMA node that they are provably in, the root bus and the devices of an I/O
 * stack.
 *
 * Owns:  what proves it, and that what is not proved is not said; of what there are series where
 *        not all have room.
 * Never: files (topo/); on which socket a unit counts (spec/perf_places.c).
 * Pure; main thread.
 */
#include "planner/planning.h"

#include "base/bits.h"
#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 8 };             /* devices in a text for people */
enum { NOT_PROVED = -1, CONTRADICTED = -2 };

/* ---- nodes */

/* One more proof of the node: two that differ prove nothing. node -1: it says nothing. */
static int also(int proved, int node)
{
	if (node < 0 || proved == CONTRADICTED)
		return proved;
	return proved == NOT_PROVED || proved == node ? node : CONTRADICTED;
}

/* Both of one part of a socket? */
typedef bool same_fn(const struct topo_cpu *a, const struct topo_cpu *b);

static bool same_socket(const struct topo_cpu *a, const struct topo_cpu *b)
{
	return a->socket == b->socket;
}

static bool same_die(const struct topo_cpu *a, const struct topo_cpu *b)
{
	return a->socket == b->socket && a->die == b->die;
}

static bool same_cache(const struct topo_cpu *a, const struct topo_cpu *b)
{
	return a->has_llc && b->has_llc && a->llc == b->llc;
}

/* The node of all CPUs that are of one part with `cpu`. One of which the kernel says no node is
 * offline. */
static int node_of_part(const struct topo *t, unsigned cpu, same_fn *same)
{
	const struct topo_cpu *of = cpu < t->n_numbers ? t->by_number[cpu] : NULL;
	int node = NOT_PROVED;

	for (unsigned i = 0; of && i < t->n_cpus; i++)
		if (same(of, &t->cpus[i]))
			node = also(node, t->cpus[i].node);
	return node < 0 ? -1 : node;
}

static int node_of_list(const struct topo *t, const unsigned *cpus, unsigned n)
{
	int node = NOT_PROVED;

	for (unsigned i = 0; i < n; i++)
		if (cpus[i] < t->n_numbers && t->by_number[cpus[i]])
			node = also(node, t->by_number[cpus[i]]->node);
	return node < 0 ? -1 : node;
}

/* Its memory may be a node of its own, and the socket has one with CPUs all the same. */
static bool has_own_node(const struct topo *t, const struct plan_slot *slot)
{
	return t->n_memory_nodes && strcmp(slot->box_name, "hbm") == 0;
}

/* What a PMU's cpumask says: for which part of the socket an instance counts, if it names a CPU in
 * each of them. */
static int node_by_mask(const struct build *b, const struct topo_socket *socket,
			const struct topo_pmu *pmu, unsigned cpu)
{
	const struct cat_perf *table = perf_table_of(&b->s.machine, pmu->name, NULL);
	const struct topo *t = b->s.machine.perf_topo;
	unsigned places = perf_places(&b->s.machine, socket, pmu, NULL);

	if (!table || !perf_by_mask(&b->s.machine, pmu))
		return -1;
	switch (table->part) {
	case CAT_PART_DIE:
		return places == socket->n_dies ? node_of_part(t, cpu, same_die) : -1;
	case CAT_PART_CACHE:
		return places == socket->n_caches ? node_of_part(t, cpu, same_cache) : -1;
	case CAT_PART_SOCKET:
	case CAT_PART_UNKNOWN:
		break;
	}
	return -1;
}

/* The node of the root bus, of a unit that is an I/O stack. */
static int node_of_stack(const struct build *b, const struct plan_socket *s,
			 const struct plan_slot *slot)
{
	for (unsigned i = 0; i < s->n_stacks; i++) {
		unsigned segment, bus;

		if (s->stacks[i].unit == slot->unit &&
		    strcmp(s->stacks[i].box_name, slot->box_name) == 0 &&
		    sscanf(s->stacks[i].pci_bus, "%x:%x", &segment, &bus) == 2)
			return topo_root_node(b->in->devices, segment << 8 | bus);
	}
	return -1;
}

/* Does the kernel show units of a PMU on every socket? Where a driver serves all its devices from
 * one CPU (amd_iommu), they are on that CPU's socket only as far as it tells. */
static bool is_everywhere(const struct build *b, const struct topo_pmu *pmu)
{
	const struct topo *t = b->s.machine.perf_topo;

	for (unsigned i = 0; i < t->n_sockets; i++)
		if (!perf_dies(&b->s.machine, &t->sockets[i], pmu->name))
			return false;
	return true;
}

/* The answer for the family of PMUs that was asked about last: units come one family after the
 * other. */
struct everywhere {
	const struct topo_pmu *of;              /* NULL: none yet */
	bool yes;
};

static bool is_family_everywhere(const struct build *b, const struct topo_pmu *pmu,
				 struct everywhere *last)
{
	if (!last->of || !perf_same_family(last->of->name, pmu->name))
		*last = (struct everywhere){ pmu, is_everywhere(b, pmu) };
	return last->yes;
}

/* The node that the unit of a slot is in; negative: it is not proved. */
static int node_of(const struct build *b, const struct plan_socket *s, const struct plan_round *r,
		   const struct plan_slot *slot, struct everywhere *last)
{
	bool perf = slot->engine == PLAN_PERF;
	const struct topo *t = perf ? b->s.machine.perf_topo : b->s.machine.topo;
	const struct topo_socket *socket = topo_socket(t, s->id);
	const struct plan_perf_round *events = &s->perf->rounds[r - s->rounds];
	const struct topo_pmu *pmu = perf ? topo_pmu_find(b->in->pmus, slot->pmu) : NULL;
	bool with_cpus = socket && !has_own_node(t, slot);
	int node = NOT_PROVED;

	if (with_cpus && socket->n_nodes == 1 && (!pmu || is_family_everywhere(b, pmu, last)))
		node = also(node, node_of_part(t, socket->cpus[0].cpu, same_socket));
	if (!pmu)
		return node;
	node = also(node, pmu->node);
	node = also(node, node_of_list(t, pmu->near_cpus, pmu->n_near_cpus));
	if (with_cpus)
		node = also(node, node_by_mask(b, socket, pmu, (unsigned)
					       events->events[slot->engine_slot].cpu));
	return also(node, node_of_stack(b, s, slot));
}

/* The unit gets an entry, if it has none. */
static void add_unit(struct build *b, struct plan_socket *s, const struct plan_round *r,
		     const struct plan_slot *slot, struct everywhere *last)
{
	int node;

	for (unsigned i = 0; i < s->n_units; i++)
		if (s->units[i].unit == slot->unit &&
		    strcmp(s->units[i].box_name, slot->box_name) == 0)
			return;
	node = node_of(b, s, r, slot, last);
	*ARENA_ADD(b->s.keep, s->units, s->n_units) = (struct plan_unit){
		.box_name = slot->box_name, .unit = slot->unit, .node = node < 0 ? -1 : node };
}

/* The slot whose unit a metric is of; NULL: it is of the socket. */
static const struct plan_slot *slot_of_unit(const struct plan_socket *s,
					    const struct plan_metric *m)
{
	for (unsigned i = 0; i < m->labels.n; i++)
		if (strcmp(m->labels.v[i].name, "unit") == 0)
			for SUM_EACH_ADDEND(a, &m->num)
				if (a->slot >= 0)
					return &s->rounds[m->round].slots[a->slot];
	return NULL;
}

/* In the order in which the groups name them. */
static void add_units(struct build *b, struct plan_socket *s)
{
	struct everywhere last = { NULL, false };

	for PLAN_EACH_SLOT(slot, r, s)
		if (slot->shown)
			add_unit(b, s, r, slot, &last);
	for (unsigned i = 0; i < s->n_metrics; i++) {
		const struct plan_slot *slot = slot_of_unit(s, &s->metrics[i]);

		if (slot)
			add_unit(b, s, &s->rounds[s->metrics[i].round], slot, &last);
	}
}

/* ---- stacks */

/* Is the unit counted on the socket, whatever is shown of it? */
static const struct plan_slot *counted_unit(const struct plan_socket *s, const char *box,
					    unsigned unit)
{
	for PLAN_EACH_SLOT(slot, r, s)
		if (slot->unit == unit && strcmp(slot->box_name, box) == 0)
			return slot;
	return NULL;
}

/* Is the root bus near CPUs of another socket than the die's? */
static bool is_elsewhere(const struct build *b, unsigned socket, unsigned root)
{
	const struct topo *t = b->s.machine.perf_topo;
	int node = topo_root_node(b->in->devices, root);
	bool here = false, there = false;

	for (unsigned i = 0; node >= 0 && i < t->n_cpus; i++)
		if (t->cpus[i].node == node) {
			here |= t->cpus[i].socket == socket;
			there |= t->cpus[i].socket != socket;
		}
	return there && !here;
}

/* What people call it; of a device without a name its driver and address. */
static const char *device_name(struct arena *a, const struct topo_device *d)
{
	if (*d->name)
		return d->name;
	return arena_printf(a, "%s%s%s", d->driver, *d->driver ? " " : "", d->pci);
}

/* "eth0, nvme0 and 1 other" */
static const char *joined(struct arena *a, const struct topo_devices *d, unsigned root)
{
	const char *text = "";
	unsigned named = 0, others = 0;

	for (unsigned i = 0; i < d->n; i++) {
		if (d->v[i].root != root)
			continue;
		if (!d->v[i].kind || named == NAMED_MAX) {
			others++;
			continue;
		}
		text = arena_printf(a, "%s%s%s", text, named ? ", " : "",
				    device_name(a, &d->v[i]));
		named++;
	}
	if (!named || !others)
		return text;
	return arena_printf(a, "%s and %u other%s", text, others, others == 1 ? "" : "s");
}

static void add_devices(struct build *b, struct plan_stack *to, unsigned root)
{
	const struct topo_devices *d = b->in->devices;
	struct arena *a = b->s.keep;

	to->names = "";
	if (!d)
		return;
	for (unsigned i = 0; i < d->n; i++) {
		const struct topo_device *v = &d->v[i];

		if (v->root != root)
			continue;
		to->n_sharing++;
		if (v->kind)
			*ARENA_ADD(a, to->devices, to->n_devices) = (struct plan_io_device){
				.pci = arena_text(a, v->pci), .driver = arena_text(a, v->driver),
				.name = arena_text(a, v->name), .kind = v->kind };
	}
	to->names = joined(a, d, root);
}

/* The stack that a PMU counts on a die of this socket, which has CPU `die`. */
static void add_stack(struct build *b, const struct topo_socket *t, const struct topo_pmu *pmu,
		      const struct topo_stack *stack, const struct topo_cpu *die,
		      struct plan_socket *s)
{
	const struct topo *topo = b->s.machine.perf_topo;
	unsigned *cpus = arena_alloc(b->s.work, perf_places_most(pmu), sizeof(*cpus));
	unsigned n = perf_places(&b->s.machine, t, pmu, cpus), unit, at = 0;
	const struct plan_slot *slot;
	char box[PERF_NAME];
	int number;

	if (is_elsewhere(b, t->id, stack->root))
		return;
	while (at < n && !same_die(topo->by_number[cpus[at]], die))
		at++;
	perf_pmu_box(pmu->name, box, sizeof(box), &number);
	if (at == n || number < 0)
		return;
	unit = (unsigned)number * perf_dies(&b->s.machine, t, pmu->name) + at;
	slot = counted_unit(s, box, unit);
	if (!slot)
		return;
	struct plan_stack *to = ARENA_ADD(b->s.keep, s->stacks, s->n_stacks);

	to->box_name = slot->box_name;
	to->unit = unit;
	to->pci_bus = arena_printf(b->s.keep, "%04x:%02x", stack->root >> 8, stack->root & 0xff);
	add_devices(b, to, stack->root);
}

/* Does a file name a die beyond those of which CPUs are known? Then the others may be numbered
 * otherwise, too. */
static bool knows_dies(const struct build *b)
{
	const struct topo_pmus *pmus = b->in->pmus;
	unsigned n = topo_dies(b->s.machine.perf_topo);

	for (unsigned i = 0; i < pmus->n; i++)
		for (unsigned k = 0; k < pmus->v[i].n_stacks; k++)
			if (pmus->v[i].stacks[k].die >= n)
				return false;
	return true;
}

static int order_unit(const void *a, const void *b)
{
	const struct plan_stack *x = a, *y = b;

	return ORDER(x->unit, y->unit);
}

static void add_stacks(struct build *b, struct plan_socket *s)
{
	const struct topo *topo = b->s.machine.perf_topo;
	const struct topo_socket *t = topo_socket(topo, s->id);
	const struct topo_pmus *pmus = b->in->pmus;
	const struct topo_cpu **dies = arena_alloc(b->s.work, topo_dies(topo), sizeof(*dies));

	if (!t || !pmus || !topo_die_cpus(topo, dies) || !knows_dies(b))
		return;
	for (unsigned i = 0; i < pmus->n; i++)
		for (unsigned k = 0; k < pmus->v[i].n_stacks; k++) {
			const struct topo_stack *stack = &pmus->v[i].stacks[k];

			if (dies[stack->die]->socket == t->id)
				add_stack(b, t, &pmus->v[i], stack, dies[stack->die], s);
		}
	if (s->n_stacks)
		qsort(s->stacks, s->n_stacks, sizeof(*s->stacks), order_unit);
}

/* Of which stack each metric is. */
static void bind_metrics(struct plan_socket *s)
{
	for (unsigned i = 0; i < s->n_metrics; i++) {
		const struct plan_slot *slot = slot_of_unit(s, &s->metrics[i]);

		for (unsigned k = 0; slot && k < s->n_stacks; k++)
			if (s->stacks[k].unit == slot->unit &&
			    strcmp(s->stacks[k].box_name, slot->box_name) == 0)
				s->metrics[i].stack = &s->stacks[k];
	}
}

/* ---- what has room */

static bool take(unsigned *room, unsigned n)
{
	if (n > *room)
		return false;
	*room -= n;
	return true;
}

/* A stack with its devices, those with few devices first: who has a network card wants its name
 * more than that of the 24th drive. A part of a stack's devices would look like all of them. */
static void show_devices(struct plan_socket *s, unsigned *room)
{
	for (unsigned n = 1, most = 1; n <= most; n++)
		for (unsigned i = 0; i < s->n_stacks; i++) {
			struct plan_stack *k = &s->stacks[i];

			most = k->n_devices > most ? k->n_devices : most;
			if (k->n_devices == n && take(room, 1 + n))
				k->shown = k->devices_shown = true;
		}
}

static void show_stacks(struct plan_socket *s, unsigned *room)
{
	for (unsigned i = 0; i < s->n_stacks; i++)
		s->stacks[i].shown = s->stacks[i].shown || take(room, 1);
}

/* All of a box, or none. */
static void show_nodes(struct plan_socket *s, unsigned *room)
{
	for (unsigned i = 0; i < s->n_units; i++) {
		unsigned n = 0;
		bool before = false;

		for (unsigned k = 0; k < s->n_units; k++) {
			bool same = strcmp(s->units[k].box_name, s->units[i].box_name) == 0;

			before |= same && k < i;
			n += same && s->units[k].node >= 0;
		}
		if (before || !n || !take(room, n))
			continue;
		for (unsigned k = i; k < s->n_units; k++)
			s->units[k].node_shown |= s->units[k].node >= 0 &&
				strcmp(s->units[k].box_name, s->units[i].box_name) == 0;
	}
}

void locations_build(struct build *b, struct plan_socket *s, unsigned room)
{
	unsigned left = room;

	add_stacks(b, s);
	bind_metrics(s);
	add_units(b, s);
	show_devices(s, &left);
	show_stacks(s, &left);
	show_nodes(s, &left);
	s->n_locations = room - left;
}

/* "2 devices" for a list, if there are any. */
static void add_count(struct arena *a, const char **list, unsigned *n_list, unsigned n,
		      const char *what)
{
	if (n)
		list[(*n_list)++] = arena_printf(a, "%u %s%s", n, what, n == 1 ? "" : "s");
}

void locations_note(struct build *b)
{
	const struct plan *p = b->plan;
	unsigned stacks = 0, devices = 0, nodes = 0, n_list = 0;
	const char *list[3];

	for (unsigned i = 0; i < p->n_sockets; i++) {
		const struct plan_socket *s = &p->sockets[i];

		for (unsigned k = 0; k < s->n_stacks; k++) {
			stacks += !s->stacks[k].shown;
			devices += s->stacks[k].devices_shown ? 0 : s->stacks[k].n_devices;
		}
		for (unsigned k = 0; k < s->n_units; k++)
			nodes += s->units[k].node >= 0 && !s->units[k].node_shown;
	}
	add_count(b->s.work, list, &n_list, stacks, "I/O stack");
	add_count(b->s.work, list, &n_list, devices, "device");
	add_count(b->s.work, list, &n_list, nodes, "unit");
	if (n_list)
		schedule_note(&b->s, "The series that say where %s are (root bus, PCI address, "
			      "NUMA node) are left out: with them a socket would have more than "
			      "%u. A configuration that names its groups has them.",
			      words_list(b->s.work, list, n_list), READY_SERIES);
	if (b->in->pmus && !knows_dies(b))
		schedule_note(&b->s, "No series says which root buses the I/O stacks have: the "
			      "kernel names a die of which no CPU is online.");
}
