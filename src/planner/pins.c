/* SPDX-License-Identifier: MIT
 * The CPUs that the configuration names for the samplers.
 * Owns:  whether they are one of each socket; the topology in which they are tried first.
 * Never: whether a thread can run there.
 * Pure; main thread.
 */
#include "planner/planning.h"

#include <string.h>

/* The socket of a CPU and its place there; NULL: there is no such CPU. */
static struct topo_socket *find_cpu(const struct topo *t, unsigned cpu, unsigned *ret_at)
{
	for (unsigned i = 0; i < t->n_sockets; i++)
		for (unsigned k = 0; k < t->sockets[i].n_cpus; k++)
			if (t->sockets[i].cpus[k].cpu == cpu) {
				*ret_at = k;
				return &t->sockets[i];
			}
	return NULL;
}

/* Puts a CPU before the others of its socket, which keep their order. */
static void try_first(struct topo_socket *s, unsigned at)
{
	struct topo_cpu cpu = s->cpus[at];

	memmove(s->cpus + 1, s->cpus, at * sizeof(*s->cpus));
	s->cpus[0] = cpu;
}

static struct topo *copy_topo(const struct build *b, const struct topo *from)
{
	struct topo *t = arena_copy(b->s.work, from, 1, sizeof(*t));

	t->sockets = arena_copy(b->s.work, from->sockets, from->n_sockets, sizeof(*t->sockets));
	for (unsigned i = 0; i < t->n_sockets; i++)
		t->sockets[i].cpus = arena_copy(b->s.work, from->sockets[i].cpus,
						from->sockets[i].n_cpus, sizeof(struct topo_cpu));
	return t;
}

void pins_apply(struct build *b)
{
	const struct conf *conf = b->in->conf;
	const struct topo *from = b->in->topo;
	const unsigned **named;         /* per socket: the CPU that is named for it, or NULL */
	struct topo *t;

	if (conf->n_cpus && b->in->elsewhere)
		schedule_note(&b->s, "The CPUs that the key `cpus` names are not checked: this "
			      "plan is not of the machine that it is made on.");
	if (!conf->n_cpus || b->in->elsewhere)
		return;
	t = copy_topo(b, from);
	named = arena_alloc(b->s.work, t->n_sockets, sizeof(*named));
	for (const unsigned *cpu = conf->cpus; cpu < conf->cpus + conf->n_cpus; cpu++) {
		unsigned at, i;
		struct topo_socket *s = find_cpu(t, *cpu, &at);

		if (!s) {
			diags_add(b->s.d, conf->cpus_where, "cpus: CPU %u does not exist or is "
				  "offline", *cpu);
			continue;
		}
		i = (unsigned)(s - t->sockets);
		if (named[i])
			diags_add(b->s.d, conf->cpus_where, "cpus: CPU %u and CPU %u are both on "
				  "socket %u; name only one", *named[i], *cpu, s->id);
		else
			try_first(s, at);
		named[i] = cpu;
	}
	for (unsigned i = 0; i < t->n_sockets; i++)
		if (!named[i])
			diags_add(b->s.d, conf->cpus_where, "cpus: no CPU of socket %u is named; "
				  "add one, for example CPU %u", t->sockets[i].id,
				  t->sockets[i].cpus[0].cpu);
	b->s.machine.topo = t;
	if (!b->in->perf_topo)
		b->s.machine.perf_topo = t;
}
