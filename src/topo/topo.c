/* topo.c - CPUs and sockets.
 *
 * Owns:  which CPU belongs to which socket, the order in which reader CPUs are tried.
 * Never: events, registers, PMUs (pmu.c).
 * Main thread; allocates.
 */
#include "config.h"

#include "topo/topo.h"

#include "base/bits.h"
#include "topo/cpuinfo.h"
#include "topo/sysfile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A CPU while the machine is being read: by number, before sockets exist. */
struct cpu_found {
	bool known, online;
	unsigned socket, core, die, llc;
};

struct reading {
	const char *sysfs;
	const struct topo *old;
	struct cpu_found cpus[TOPO_CPUS_MAX];
};

/* What an earlier reading knew: topology stays, and an offline CPU has no files to read. */
static void copy_known(struct reading *rd)
{
	for (unsigned i = 0; rd->old && i < rd->old->n_sockets; i++) {
		const struct topo_socket *s = &rd->old->sockets[i];

		for (unsigned j = 0; j < s->n_cpus; j++)
			rd->cpus[s->cpus[j].cpu] = (struct cpu_found){
				.known = true, .socket = s->id, .core = s->cpus[j].core,
				.die = s->cpus[j].die, .llc = s->cpus[j].llc };
	}
}

#define CPU "%s/devices/system/cpu/cpu%u"       /* sysfs, number */

/* Some platforms and virtual machines have no numbers and say -1: taken as 0. */
static int read_id(const struct reading *rd, unsigned cpu, const char *file, unsigned *ret,
		   struct err *err)
{
	long long v;
	int r = sysfile_number(sysfile_path(CPU "/topology/%s", rd->sysfs, cpu, file).s, -1,
			       INT_MAX, &v, err);

	if (r == 0)
		*ret = v < 0 ? 0 : (unsigned)v;
	return r;
}

/* cpuN/online says 0 or 1; a CPU that cannot be switched off has no such file. */
static int read_online(const struct reading *rd, unsigned cpu, bool *ret, struct err *err)
{
	long long v = 1;
	int r = sysfile_number(sysfile_path(CPU "/online", rd->sysfs, cpu).s, 0, 1, &v, err);

	if (r < 0 && r != -ENOENT)
		return r;
	*ret = v;
	return 0;
}

/* Parts of a package, where the kernel tells: old ones and virtual machines do not. */
static void read_parts(const struct reading *rd, unsigned cpu, struct cpu_found *c)
{
	const struct sysfile_path llc = sysfile_path(CPU "/cache/index3/shared_cpu_list",
						     rd->sysfs, cpu);
	unsigned *shared, n;

	if (read_id(rd, cpu, "die_id", &c->die, NULL) < 0)
		c->die = 0;
	if (sysfile_cpulist(llc.s, &shared, &n, NULL) < 0)
		return;
	c->llc = shared[0];
	free(shared);
}

static int read_cpu(struct reading *rd, unsigned cpu, struct err *err)
{
	struct cpu_found *c = &rd->cpus[cpu];
	int r = read_online(rd, cpu, &c->online, err);

	if (r < 0 || c->known || !c->online)
		return r;
	r = read_id(rd, cpu, "physical_package_id", &c->socket, err);
	if (r == 0)
		r = read_id(rd, cpu, "core_id", &c->core, err);
	c->known = r == 0;
	if (r == 0)
		read_parts(rd, cpu, c);
	return r;
}

static int read_cpus(struct reading *rd, struct err *err)
{
	unsigned *online, n;
	int r;

	memset(rd->cpus, 0, sizeof(rd->cpus));
	copy_known(rd);
	r = sysfile_cpulist(sysfile_path("%s/devices/system/cpu/online", rd->sysfs).s, &online, &n,
			    err);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < n && r == 0; i++)
		r = read_cpu(rd, online[i], err);
	free(online);
	return r;
}

static int read_cpuinfo(const char *procfs, struct topo *t, struct err *err)
{
	char text[CPUINFO_MAX];
	int r = sysfile_head(sysfile_path("%s/cpuinfo", procfs).s, text, sizeof(text), err);

	if (r < 0)
		return r;
	cpuinfo_parse(text, (size_t)r, t);
	return 0;
}

/* ---- sockets */

static int order_socket(const void *a, const void *b)
{
	const struct topo_socket *x = a, *y = b;

	return ORDER(x->id, y->id);
}

static int order_core(const void *a, const void *b)
{
	const struct topo_cpu *x = a, *y = b;

	return ORDER(x->core, y->core) ?: ORDER(x->cpu, y->cpu);
}

static int order_trying(const void *a, const void *b)
{
	const struct topo_cpu *x = a, *y = b;

	return ORDER(x->thread, y->thread) ?: order_core(a, b);
}

/* Threads are ranked among all known CPUs: a CPU keeps its place while another is offline. */
static void sort_cpus(struct topo_socket *s)
{
	qsort(s->cpus, s->n_cpus, sizeof(*s->cpus), order_core);
	for (unsigned i = 1; i < s->n_cpus; i++)
		s->cpus[i].thread = s->cpus[i].core == s->cpus[i - 1].core ?
				    s->cpus[i - 1].thread + 1 : 0;
	qsort(s->cpus, s->n_cpus, sizeof(*s->cpus), order_trying);
}

static struct topo_socket *find_or_add_socket(struct topo *t, unsigned id)
{
	struct topo_socket *v;

	for (unsigned i = 0; i < t->n_sockets; i++) {
		if (t->sockets[i].id == id)
			return &t->sockets[i];
	}
	v = realloc(t->sockets, (t->n_sockets + 1) * sizeof(*v));
	if (!v)
		return NULL;
	t->sockets = v;
	v += t->n_sockets++;
	*v = (struct topo_socket){ .id = id };
	return v;
}

static int add_cpu(struct topo *t, unsigned cpu, const struct cpu_found *c)
{
	struct topo_socket *s = find_or_add_socket(t, c->socket);
	struct topo_cpu *v = s ? realloc(s->cpus, (s->n_cpus + 1) * sizeof(*v)) : NULL;

	if (!v)
		return -ENOMEM;
	s->cpus = v;
	v[s->n_cpus++] = (struct topo_cpu){ .cpu = cpu, .core = c->core, .online = c->online,
					    .die = c->die, .llc = c->llc };
	return 0;
}

static int build_sockets(const struct cpu_found *cpus, unsigned n, struct topo *t)
{
	for (unsigned i = 0; i < n; i++) {
		if (cpus[i].known && add_cpu(t, i, &cpus[i]) < 0)
			return -ENOMEM;
	}
	qsort(t->sockets, t->n_sockets, sizeof(*t->sockets), order_socket);
	for (unsigned i = 0; i < t->n_sockets; i++)
		sort_cpus(&t->sockets[i]);
	return 0;
}

int topo_read(const char *sysfs, const char *procfs, const struct topo *old, struct topo **ret,
	      struct err *err)
{
	struct reading *rd = malloc(sizeof(*rd));
	struct topo *t = calloc(1, sizeof(*t));
	int r;

	if (!rd || !t) {
		r = err_set(err, -ENOMEM, "out of memory");
	} else {
		rd->sysfs = sysfs;
		rd->old = old;
		r = read_cpus(rd, err);
		if (r == -ENOENT)               /* a CPU went offline meanwhile: once more */
			r = read_cpus(rd, err);
		if (r == 0)
			r = read_cpuinfo(procfs, t, err);
		if (r == 0 && build_sockets(rd->cpus, TOPO_CPUS_MAX, t) < 0)
			r = err_set(err, -ENOMEM, "out of memory");
	}
	free(rd);
	if (r < 0) {
		topo_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

void topo_free(struct topo *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->n_sockets; i++)
		free(t->sockets[i].cpus);
	free(t->sockets);
	free(t);
}

int topo_reader_cpu(const struct topo_socket *s)
{
	for (unsigned i = 0; i < s->n_cpus; i++) {
		if (s->cpus[i].online)
			return (int)s->cpus[i].cpu;
	}
	return -1;
}

struct topo *topo_model(unsigned family, unsigned model, unsigned n_sockets, unsigned cores)
{
	struct topo *t = cores > 0 && n_sockets <= TOPO_CPUS_MAX / cores ? calloc(1, sizeof(*t)) :
			 NULL;
	int r = t ? 0 : -ENOMEM;

	for (unsigned i = 0; r == 0 && i < n_sockets * cores; i++) {
		const struct cpu_found c = { .known = true, .online = true, .socket = i / cores,
					.core = i % cores };

		r = add_cpu(t, i, &c);
	}
	if (r < 0) {
		topo_free(t);
		return NULL;
	}
	t->family = family;
	t->model = model;
	memcpy(t->vendor, "GenuineIntel", sizeof("GenuineIntel"));
	return t;
}
