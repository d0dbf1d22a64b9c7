/* SPDX-License-Identifier: MIT
 * Where the kernel's PMUs contradict the socket that they count.
 * Owns:  which instances of a PMU cannot be all of a socket, or are more than that.
 * Never: metrics (metric/whole.c leaves out those that are made of such instances).
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include <string.h>

/* On how many sockets does an instance count? */
static unsigned n_sockets(const struct spec_machine *m, const struct topo_pmu *pmu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->perf_topo->n_sockets; i++)
		n += perf_places(m, &m->perf_topo->sockets[i], pmu, NULL) > 0;
	return n;
}

/* Does an instance of the family count on several sockets? Else each instance may have a socket of
 * its own, as AMD's memory controllers have. */
static bool is_on_each_socket(const struct spec_machine *m, const struct topo_pmu *pmu)
{
	for (unsigned i = 0; i < m->pmus->n; i++)
		if (perf_same_family(m->pmus->v[i].name, pmu->name) &&
		    n_sockets(m, &m->pmus->v[i]) > 1)
			return true;
	return false;
}

/* What the instances of a PMU have in common. */
struct siblings {
	unsigned dies;                  /* of the socket, as many as any of them counts on */
	bool on_each_socket;
	unsigned parts;                 /* into which the PMU divides the socket; 0: not known */
};

/* The instance does not count on the socket, and its siblings do. */
static const char *lacks_socket(struct arena *a, const struct spec_machine *m,
				const struct topo_socket *t, const struct topo_pmu *pmu,
				const struct siblings *all)
{
	if (!all->dies)
		return NULL;
	if (!n_sockets(m, pmu))
		return arena_printf(a, "%s counts nowhere, while other instances of it count on "
				    "socket %u (%s/cpumask names no CPU of this machine's "
				    "sockets)", pmu->name, t->id, pmu->shown ?: pmu->name);
	if (!all->on_each_socket)
		return NULL;
	return arena_printf(a, "%s does not count on socket %u, where other instances of it count "
			    "(%s/cpumask)", pmu->name, t->id, pmu->shown ?: pmu->name);
}

/* Into how many parts a PMU divides the socket, at most; 0: not known. */
static unsigned parts_of(const struct spec_machine *m, const struct topo_socket *t,
			 const struct topo_pmu *pmu)
{
	const struct cat_perf *table = perf_table_of(m, pmu->name, NULL);
	enum cat_part part = CAT_PART_UNKNOWN;

	if (table)
		part = table->part;
	else if (strncmp(pmu->name, "uncore", strlen("uncore")) == 0)
		part = CAT_PART_DIE;
	switch (part) {
	case CAT_PART_DIE:
		return t->n_dies;
	case CAT_PART_SOCKET:
		return 1;
	case CAT_PART_CACHE:
		return t->n_caches;
	case CAT_PART_UNKNOWN:
		break;
	}
	return 0;
}

/* The mask lists several CPUs of the socket. */
static const char *counts_twice(struct arena *a, const struct topo_socket *t,
				const struct topo_pmu *pmu, unsigned cpus, unsigned parts)
{
	if (!parts || cpus <= parts)
		return NULL;
	return arena_printf(a, "%s lists %u CPUs of socket %u, which has %u of what %s counts, so "
			    "that the same would be counted more than once (%s/cpumask; a newer "
			    "kernel may help)", pmu->name, cpus, t->id, parts, pmu->name,
			    pmu->shown ?: pmu->name);
}

const char *perf_odd(struct arena *a, const struct spec_machine *m, const struct topo_socket *t,
		     const struct spec_perf *p)
{
	const char *odd = perf_unplaced(a, m, p);
	struct siblings all;
	bool known = false;

	for (unsigned i = 0; !odd && i < p->n; i++) {
		const struct topo_pmu *pmu = p->v[i].pmu;
		unsigned places = pmu && perf_by_mask(m, pmu) ? perf_places(m, t, pmu, NULL) : 1;

		if (places == 1)
			continue;
		if (!known)
			all = (struct siblings){ perf_dies(m, t, pmu->name),
						 is_on_each_socket(m, pmu), parts_of(m, t, pmu) };
		known = true;
		odd = !places ? lacks_socket(a, m, t, pmu, &all) :
				counts_twice(a, t, pmu, places, all.parts);
	}
	return odd;
}
