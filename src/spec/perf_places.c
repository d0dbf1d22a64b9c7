/* SPDX-License-Identifier: MIT
 * On which sockets the instances of a PMU count, and on which CPUs they are opened there.
 * Owns:  whether a cpumask says so, or the NUMA node of a device; unit numbers.
 * Never: what an event counts.
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include <errno.h>

/* Is the CPU one of the socket? */
static bool is_of_socket(const struct topo_socket *t, unsigned cpu)
{
	for (unsigned i = 0; i < t->n_cpus; i++)
		if (t->cpus[i].cpu == cpu)
			return true;
	return false;
}

enum place {
	PLACE_EVERY_SOCKET,
	PLACE_BY_MASK,
	PLACE_BY_DEVICE,
	PLACE_ONE_SOCKET,           /* the machine has no other */
	PLACE_UNKNOWN,
};

static enum place place_of(const struct spec_machine *m, const struct topo_pmu *pmu)
{
	const struct cat_perf *table;

	if (!pmu || pmu->of_cpus)
		return PLACE_EVERY_SOCKET;
	if (pmu->cpumask && pmu->n_cpumask != 1)        /* one counts nowhere now, or on several */
		return PLACE_BY_MASK;
	if (pmu->has_home)
		return PLACE_BY_DEVICE;
	table = perf_table_of(m, pmu->name);
	if (pmu->cpumask && !(table && table->served_anywhere))
		return PLACE_BY_MASK;
	return m->perf_topo->n_sockets == 1 && !m->perf_topo->n_unseen ? PLACE_ONE_SOCKET :
	       PLACE_UNKNOWN;
}

/* The nth CPU of the mask that is one of the socket's; -1: it names no more. */
static int nth_of_mask(const struct topo_socket *t, const struct topo_pmu *pmu, unsigned nth)
{
	for (unsigned i = 0; i < pmu->n_cpumask; i++)
		if (is_of_socket(t, pmu->cpumask[i]) && nth-- == 0)
			return (int)pmu->cpumask[i];
	return -1;
}

int perf_place(const struct spec_machine *m, const struct topo_socket *t,
	       const struct topo_pmu *pmu, unsigned nth)
{
	enum place place = place_of(m, pmu);
	int reader = topo_reader_cpu(t);

	if (place == PLACE_BY_MASK)
		return nth_of_mask(t, pmu, nth);
	if (nth || place == PLACE_UNKNOWN ||
	    (place == PLACE_BY_DEVICE && !is_of_socket(t, pmu->home)))
		return -1;
	if (pmu && pmu->n_cpumask)
		return (int)pmu->cpumask[0];
	return reader >= 0 ? reader : 0;
}

unsigned perf_n_places(const struct spec_machine *m, const struct topo_socket *t,
		       const struct topo_pmu *pmu)
{
	unsigned n = 0;

	while (perf_place(m, t, pmu, n) >= 0)
		n++;
	return n;
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
	unsigned most = 0;

	for (unsigned i = 0; m->pmus && i < m->pmus->n; i++) {
		unsigned dies = perf_n_places(m, t, &m->pmus->v[i]);

		if (dies > most && perf_same_family(m->pmus->v[i].name, pmu))
			most = dies;
	}
	return most;
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

int perf_resolve_here(struct arena *a, const struct spec_machine *m, const struct spec *s,
		      struct spec_perf *ret, struct err *err)
{
	unsigned n = 0;
	int r = perf_resolve(a, m->pmus, s, ret, err);

	if (r < 0)
		return r;
	r = check_places(a, m, ret, err);
	if (r < 0 || ret->first_unit < 0)
		return r;
	for (unsigned i = 0; i < ret->n; i++)
		if (has_unit(m, ret, &ret->v[i]))
			ret->v[n++] = ret->v[i];
	if (!n)
		return err_set(err, -EINVAL, "%s: this machine has no such unit of %s", s->text,
			       ret->box);
	ret->n = n;
	return 0;
}
