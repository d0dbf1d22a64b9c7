/* SPDX-License-Identifier: MIT
 * On which sockets the instances of a PMU count, and on which CPUs they are opened there.
 * Owns:  whether a cpumask says so, or the NUMA node of a device; unit numbers.
 * Never: what an event counts.
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum place {
	PLACE_EVERY_SOCKET,
	PLACE_BY_MASK,
	PLACE_BY_DEVICE,
	PLACE_ONE_SOCKET,           /* the machine has no other */
	PLACE_UNKNOWN,
};

/* Is the PMU's cpumask the CPU that happens to serve it? */
static bool is_served_anywhere(const struct spec_machine *m, const struct topo_pmu *pmu)
{
	for PERF_EACH_TABLE(t, m)
		if (t->served_anywhere && perf_table_of(m, pmu->name, NULL) == t)
			return true;
	return false;
}

static enum place place_of(const struct spec_machine *m, const struct topo_pmu *pmu)
{
	if (!pmu || pmu->of_cpus)
		return PLACE_EVERY_SOCKET;
	if (pmu->cpumask && pmu->n_cpumask != 1)        /* one counts nowhere now, or on several */
		return PLACE_BY_MASK;
	if (pmu->has_home)
		return PLACE_BY_DEVICE;
	if (pmu->cpumask && !is_served_anywhere(m, pmu))
		return PLACE_BY_MASK;
	return m->perf_topo->n_sockets == 1 && !m->perf_topo->n_unseen ? PLACE_ONE_SOCKET :
	       PLACE_UNKNOWN;
}

/* Is the PMU one of the socket, where no cpumask says so? */
static bool is_near(const struct spec_machine *m, const struct topo_socket *t,
		    const struct topo_pmu *pmu, enum place place)
{
	return place != PLACE_UNKNOWN &&
	       (place != PLACE_BY_DEVICE || topo_cpu_of(m->perf_topo, t, pmu->home));
}

unsigned perf_places(const struct spec_machine *m, const struct topo_socket *t,
		     const struct topo_pmu *pmu, unsigned *ret_cpus)
{
	enum place place = place_of(m, pmu);
	int cpu = topo_reader_cpu(t);
	unsigned n = 0;

	for (unsigned i = 0; place == PLACE_BY_MASK && i < pmu->n_cpumask; i++) {
		if (!topo_cpu_of(m->perf_topo, t, pmu->cpumask[i]))
			continue;
		if (ret_cpus)
			ret_cpus[n] = pmu->cpumask[i];
		n++;
	}
	if (place == PLACE_BY_MASK || !is_near(m, t, pmu, place))
		return n;
	if (pmu && pmu->n_cpumask)
		cpu = (int)pmu->cpumask[0];
	if (ret_cpus)
		ret_cpus[0] = cpu >= 0 ? (unsigned)cpu : 0;
	return 1;
}

unsigned perf_places_most(const struct topo_pmu *pmu)
{
	return pmu && pmu->n_cpumask > 1 ? pmu->n_cpumask : 1;
}

bool perf_by_mask(const struct spec_machine *m, const struct topo_pmu *pmu)
{
	return place_of(m, pmu) == PLACE_BY_MASK;
}

bool perf_is_unplaced(const struct spec_machine *m, const struct topo_pmu *pmu)
{
	return place_of(m, pmu) == PLACE_UNKNOWN;
}

static const char *which_socket(struct arena *a, const struct topo *t)
{
	if (t->n_sockets > 1)
		return arena_printf(a, "of the %u sockets", t->n_sockets);
	return arena_printf(a, "socket, as %u CPU%s offline and may be of another one,",
			    t->n_unseen, t->n_unseen == 1 ? " is" : "s are");
}

const char *perf_unplaced(struct arena *a, const struct spec_machine *m, const struct spec_perf *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (perf_is_unplaced(m, p->v[i].pmu))
			return arena_printf(a, "nothing says on which %s the device of the "
					    "kernel's PMU %s is: newer kernels show its NUMA node, "
					    "if the firmware gives it one (%s/../numa_node)",
					    which_socket(a, m->perf_topo), p->v[i].name,
					    spec_pmu_dir(&p->v[i]));
	return NULL;
}

/* -ENODEV with a sentence if none of the instances has a place. */
static int check_places(struct arena *a, const struct spec_machine *m, const struct spec_perf *p,
			struct err *err)
{
	for (unsigned i = 0; i < p->n; i++)
		if (!perf_is_unplaced(m, p->v[i].pmu))
			return 0;
	return err_set(err, -ENODEV, "%s", perf_unplaced(a, m, p));
}

unsigned perf_dies(const struct spec_machine *m, const struct topo_socket *t, const char *pmu)
{
	const struct perf_family family = perf_family(pmu);
	unsigned most = 0;

	for PERF_EACH_NEAR(v, m->pmus, family.s) {
		unsigned dies = perf_is_family(family.s, v->name) ? perf_places(m, t, v, NULL) : 0;

		if (dies > most)
			most = dies;
	}
	return most;
}

unsigned perf_units(const struct spec_machine *m, const char *pmu)
{
	unsigned most = 1;

	for (unsigned i = 0; i < m->perf_topo->n_sockets; i++) {
		unsigned dies = perf_dies(m, &m->perf_topo->sockets[i], pmu);

		most = dies > most ? dies : most;
	}
	return most;
}

/* Do instances that count on this socket differ in their part? */
static bool differ_on(const struct spec_machine *m, const struct topo_socket *t,
		      const char *family)
{
	struct perf_part first = { .label = NULL };

	for PERF_EACH_NEAR(v, m->pmus, family) {
		struct perf_part part;

		if (!perf_is_family(family, v->name) || !perf_places(m, t, v, NULL))
			continue;
		part = perf_part(v->name);
		if (first.label && part.label && part.number != first.number)
			return true;
		first = part;
	}
	return false;
}

bool perf_parts_differ(const struct spec_machine *m, const struct topo_pmu *pmu)
{
	const struct perf_family family = perf_family(pmu->name);

	if (!perf_part(pmu->name).label)
		return false;
	for (unsigned i = 0; i < m->perf_topo->n_sockets; i++)
		if (differ_on(m, &m->perf_topo->sockets[i], family.s))
			return true;
	return false;
}

/* Has an instance one of the units that are meant, on any socket? */
static bool has_unit(const struct spec_machine *m, const struct spec_perf *p,
		     const struct spec_pmu *v)
{
	int number = v->number < 0 ? 0 : v->number;

	if (!v->pmu)
		return number >= p->first_unit && number <= p->last_unit;
	for (unsigned s = 0; s < m->perf_topo->n_sockets; s++) {
		int dies = (int)perf_dies(m, &m->perf_topo->sockets[s], v->name);

		if (number * dies <= p->last_unit && (number + 1) * dies > p->first_unit)
			return true;
	}
	return false;
}

/* Is the instance of the die or device that an identity gives? */
static bool is_of_part(const struct spec *s, const struct spec_pmu *v)
{
	struct perf_part part = perf_part(v->name);
	char number[16];

	if (!s->part.name)
		return true;
	snprintf(number, sizeof(number), "%u", part.number);
	return part.label && strcmp(part.label, s->part.name) == 0 &&
	       strcmp(number, s->part.value) == 0;
}

static int resolve_here(struct arena *a, const struct spec_machine *m, const struct spec *s,
			struct spec_perf *ret, struct err *err)
{
	struct spec unnamed;
	unsigned n = 0;
	int r;

	if (perf_unnamed_spec(a, m, s, &unnamed))
		s = &unnamed;
	r = perf_resolve(a, m->pmus, s, ret, err);
	if (r < 0) {
		perf_add_since(m, s->box, err);
		return r;
	}
	r = check_places(a, m, ret, err);
	if (r < 0 || ret->first_unit < 0)
		return r;
	for (unsigned i = 0; i < ret->n; i++)
		if (has_unit(m, ret, &ret->v[i]) && is_of_part(s, &ret->v[i]))
			ret->v[n++] = ret->v[i];
	if (!n)
		return err_set(err, -EINVAL, "%s%sthis machine has no such unit of %s",
			       s->typed ? "" : s->text, s->typed ? "" : ": ", ret->box);
	ret->n = n;
	return 0;
}

int perf_resolve_here(struct arena *a, const struct spec_machine *m, const struct spec *s,
		      struct spec_perf *ret, struct err *err)
{
	int r = resolve_here(a, m, s, ret, err);

	return r < 0 && s->typed ? err_prefix(err, r, "%s: ", s->typed) : r;
}
