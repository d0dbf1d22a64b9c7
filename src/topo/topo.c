/* SPDX-License-Identifier: MIT
 * CPUs and sockets.
 * Owns:  which CPU belongs to which socket, the order in which reader CPUs are tried.
 * Never: events, registers, PMUs (pmu.c).
 * Main thread; allocates.
 */
#include "topo/topo.h"

#include "base/bits.h"
#include "topo/cpuinfo.h"
#include "topo/sysfile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	const char *sysfs;
	const struct topo *old;
	struct topo_cpu cpus[TOPO_CPUS_MAX];    /* by number, before sockets exist */
	bool known[TOPO_CPUS_MAX];
	struct told { bool socket, die; } told[TOPO_CPUS_MAX];  /* by a CPU that shares it */
};

/* What an earlier reading knew: topology stays, and an offline CPU has no files to read. */
static void copy_known(struct reading *rd)
{
	for (unsigned i = 0; rd->old && i < rd->old->n_cpus; i++) {
		const struct topo_cpu *c = &rd->old->cpus[i];

		rd->cpus[c->cpu] = *c;
		rd->cpus[c->cpu].online = false;
		rd->known[c->cpu] = true;
	}
}

/* A file of a CPU, below devices/system/cpu. */
static struct sysfile_path file_of(unsigned cpu, const char *file)
{
	return sysfile_path("cpu%u/%s", cpu, file);
}

/* Some platforms and virtual machines have no numbers and say -1: taken as 0. */
static int read_id(const struct sysfile_dir *cpus, unsigned cpu, const char *file, unsigned *ret,
		   struct err *err)
{
	long long v;
	int r = sysfile_number_in(cpus, file_of(cpu, file).s, -1, INT_MAX, &v, err);

	if (r < 0)
		return r;
	*ret = v < 0 ? 0 : (unsigned)v;
	return 0;
}

/* The CPUs of a package, of a die, of a cache have the same list of them. It is read once: a server
 * has hundreds of CPUs. Returns 0 if this one has no such list. */
static unsigned read_shared(const struct sysfile_dir *cpus, unsigned cpu, const char *file,
			    unsigned **ret)
{
	unsigned n;

	return sysfile_cpulist_in(cpus, file_of(cpu, file).s, ret, &n, NULL) < 0 ? 0 : n;
}

/* Of all CPUs of its package: what Linux promises of the list is that those "share the same
 * physical_package_id" (Documentation/ABI/stable/sysfs-devices-system-cpu). */
static int read_socket(struct reading *rd, const struct sysfile_dir *cpus, unsigned cpu,
		       struct err *err)
{
	AUTO_FREE(free) unsigned *shared = NULL;
	unsigned id, n;
	int r = read_id(cpus, cpu, "topology/physical_package_id", &id, err);

	if (r < 0)
		return r;
	rd->cpus[cpu].socket = id;
	n = read_shared(cpus, cpu, "topology/package_cpus_list", &shared);
	for (unsigned i = 0; i < n; i++) {
		rd->told[shared[i]].socket = true;
		if (!rd->known[shared[i]])
			rd->cpus[shared[i]].socket = id;
	}
	return 0;
}

/* Parts of a package, if the kernel reports them: old ones and virtual machines do not. Of all CPUs
 * "within the same die", likewise. */
static void read_die(struct reading *rd, const struct sysfile_dir *cpus, unsigned cpu)
{
	AUTO_FREE(free) unsigned *shared = NULL;
	unsigned id, n;

	if (read_id(cpus, cpu, "topology/die_id", &id, NULL) < 0)
		return;
	rd->cpus[cpu].die = id;
	n = read_shared(cpus, cpu, "topology/die_cpus_list", &shared);
	for (unsigned i = 0; i < n; i++) {
		rd->told[shared[i]].die = true;
		if (!rd->known[shared[i]])
			rd->cpus[shared[i]].die = id;
	}
}

static void read_llc(struct reading *rd, const struct sysfile_dir *cpus, unsigned cpu)
{
	AUTO_FREE(free) unsigned *shared = NULL;
	unsigned n = read_shared(cpus, cpu, "cache/index3/shared_cpu_list", &shared);
	unsigned llc = n ? shared[0] : 0;

	/* The lowest one may have been offline when another one was read. */
	for (unsigned i = 0; i < n; i++)
		if (rd->cpus[shared[i]].has_llc) {
			llc = rd->cpus[shared[i]].llc;
			break;
		}
	for (unsigned i = 0; i < n; i++) {
		rd->cpus[shared[i]].has_llc = true;
		rd->cpus[shared[i]].llc = llc;
	}
}

/* The list of CPUs that are online says of each that it is; only its place is read. */
static int read_cpu(struct reading *rd, const struct sysfile_dir *cpus, unsigned cpu,
		    struct err *err)
{
	struct topo_cpu *c = &rd->cpus[cpu];
	int r = 0;

	c->online = true;
	if (rd->known[cpu])
		return 0;
	c->cpu = cpu;
	c->node = -1;
	if (!rd->told[cpu].socket)
		r = read_socket(rd, cpus, cpu, err);
	if (r < 0)
		return r;
	r = read_id(cpus, cpu, "topology/core_id", &c->core, err);
	if (r < 0)
		return r;
	if (!rd->told[cpu].die)
		read_die(rd, cpus, cpu);
	if (!c->has_llc)
		read_llc(rd, cpus, cpu);
	rd->known[cpu] = true;
	return 0;
}

static int read_cpus(struct reading *rd, struct err *err)
{
	AUTO_DONE(sysfile_dir_close) struct sysfile_dir cpus = { .fd = -1 };
	AUTO_FREE(free) unsigned *online = NULL;
	unsigned n;
	int r;

	copy_known(rd);
	r = sysfile_dir_open(NULL, sysfile_path("%s/devices/system/cpu", rd->sysfs).s, &cpus, err);
	if (r < 0)
		return r;
	r = sysfile_cpulist_in(&cpus, "online", &online, &n, err);
	if (r < 0)
		return r == -ENODATA ? -EUCLEAN : r;
	for (unsigned i = 0; i < n; i++) {
		r = read_cpu(rd, &cpus, online[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Of CPUs that are there; 0 where the kernel has no list of them. */
static unsigned count_unseen(const struct reading *rd)
{
	AUTO_FREE(free) unsigned *present = NULL;
	unsigned n, unseen = 0;

	if (sysfile_cpulist(sysfile_path("%s/devices/system/cpu/present", rd->sysfs).s, &present,
			    &n, NULL) < 0)
		return 0;
	for (unsigned i = 0; i < n; i++)
		unseen += !rd->known[present[i]];
	return unseen;
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

static void read_release(const char *procfs, struct topo *t)
{
	char text[SYSFILE_MAX + 1];

	if (sysfile_read(sysfile_path("%s/sys/kernel/osrelease", procfs).s, text, NULL) >= 0)
		snprintf(t->release, sizeof(t->release), "%.64s", text);
}

/* ---- sockets */

static int order_core(const void *a, const void *b)
{
	const struct topo_cpu *x = a, *y = b;

	return ORDER(x->socket, y->socket) ?: ORDER(x->core, y->core) ?: ORDER(x->cpu, y->cpu);
}

static int order_trying(const void *a, const void *b)
{
	const struct topo_cpu *x = a, *y = b;

	return ORDER(x->socket, y->socket) ?: ORDER(x->thread, y->thread) ?: order_core(a, b);
}

/* Counts the dies and last-level caches of a socket's CPUs. */
static void count_parts(struct topo_socket *s)
{
	for (unsigned i = 0; i < s->n_cpus; i++) {
		const struct topo_cpu *c = &s->cpus[i];
		bool die = true, llc = c->has_llc;

		/* The CPUs of a part mostly follow each other. */
		for (unsigned k = i; k-- > 0 && (die || llc);) {
			die &= s->cpus[k].die != c->die;
			llc &= !s->cpus[k].has_llc || s->cpus[k].llc != c->llc;
		}
		s->n_dies += die;
		s->n_caches += llc;
	}
}

/* Threads are ranked among all known CPUs: a CPU keeps its place while another is offline. */
static void build_sockets(struct topo *t)
{
	qsort(t->cpus, t->n_cpus, sizeof(*t->cpus), order_core);
	for (struct topo_cpu *c = t->cpus; c < t->cpus + t->n_cpus; c++)
		c->thread = c > t->cpus && c->socket == c[-1].socket && c->core == c[-1].core ?
			    c[-1].thread + 1 : 0;
	qsort(t->cpus, t->n_cpus, sizeof(*t->cpus), order_trying);
	for (struct topo_cpu *c = t->cpus; c < t->cpus + t->n_cpus; c++) {
		if (c == t->cpus || c->socket != c[-1].socket)
			t->sockets[t->n_sockets++] = (struct topo_socket){ .id = c->socket,
								       .cpus = c };
		t->sockets[t->n_sockets - 1].n_cpus++;
		t->by_number[c->cpu] = c;
		if (c->cpu >= t->n_numbers)
			t->n_numbers = c->cpu + 1;
	}
	for (unsigned i = 0; i < t->n_sockets; i++)
		count_parts(&t->sockets[i]);
}

/* Room for CPUs with numbers below n, and for as many sockets; NULL: there is no memory. */
static struct topo *topo_new(unsigned n)
{
	struct topo *t = calloc(1, sizeof(*t) + n * (sizeof(*t->sockets) + sizeof(*t->cpus) +
						     sizeof(const struct topo_cpu *)));

	if (!t)
		return NULL;
	t->sockets = (void *)(t + 1);
	t->by_number = (void *)(t->sockets + n);
	t->cpus = (void *)(t->by_number + n);
	return t;
}

/* One node of a socket is counted once: the next of its CPUs that has it is not the first. */
static void read_node(const char *sysfs, int node, struct topo *t)
{
	AUTO_FREE(free) unsigned *cpus = NULL;
	unsigned n;
	int r = sysfile_cpulist(sysfile_path("%s/devices/system/node/node%d/cpulist", sysfs,
					     node).s, &cpus, &n, NULL);

	t->n_memory_nodes += r == -ENODATA;     /* an empty list */
	if (r < 0)
		return;
	for (unsigned i = 0; i < n; i++)
		if (cpus[i] < t->n_numbers && t->by_number[cpus[i]])
			t->cpus[t->by_number[cpus[i]] - t->cpus].node = node;
	for (unsigned i = 0; i < t->n_sockets; i++) {
		struct topo_socket *s = &t->sockets[i];
		bool any = false;

		for (unsigned k = 0; k < s->n_cpus; k++)
			any |= s->cpus[k].node == node;
		s->n_nodes += any;
	}
}

static void read_nodes(const char *sysfs, struct topo *t)
{
	DIR *d = sysfile_opendir(sysfile_path("%s/devices/system/node", sysfs).s);
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		int node, end = 0;

		if (sscanf(e->d_name, "node%9d%n", &node, &end) == 1 && !e->d_name[end])
			read_node(sysfs, node, t);
	}
	if (d)
		closedir(d);
}

/* Optane and its like: nmem0, ... */
static bool lists_nvdimm(const char *sysfs)
{
	DIR *d = sysfile_opendir(sysfile_path("%s/bus/nd/devices", sysfs).s);
	const struct dirent *e;
	bool any = false;

	while (d && !any && (e = readdir(d)))
		any = strncmp(e->d_name, "nmem", 4) == 0;
	if (d)
		closedir(d);
	return any;
}

int topo_read(const char *sysfs, const char *procfs, const struct topo *old, struct topo **ret,
	      struct err *err)
{
	/* zeroed by the kernel: of its many pages few are touched */
	AUTO_FREE(free) struct reading *rd = calloc(1, sizeof(*rd));
	AUTO_FREE(topo_free) struct topo *t = topo_new(TOPO_CPUS_MAX);
	int r;

	if (!rd || !t)
		return err_set(err, -ENOMEM, "out of memory");
	rd->sysfs = sysfs;
	rd->old = old;
	r = read_cpus(rd, err);
	if (r == -ENOENT) {                     /* a CPU went offline meanwhile: once more */
		memset(rd->cpus, 0, sizeof(rd->cpus));
		memset(rd->known, 0, sizeof(rd->known));
		memset(rd->told, 0, sizeof(rd->told));
		r = read_cpus(rd, err);
	}
	if (r < 0)
		return r;
	r = read_cpuinfo(procfs, t, err);
	if (r < 0)
		return r;
	read_release(procfs, t);
	t->nvdimm = lists_nvdimm(sysfs);
	t->n_unseen = count_unseen(rd);
	for (unsigned i = 0; i < TOPO_CPUS_MAX; i++)
		if (rd->known[i])
			t->cpus[t->n_cpus++] = rd->cpus[i];
	build_sockets(t);
	read_nodes(sysfs, t);
	*ret = TAKE(t);
	return 0;
}

void topo_free(struct topo *t)
{
	free(t);
}

const struct topo_socket *topo_socket(const struct topo *t, unsigned id)
{
	for (unsigned i = 0; i < t->n_sockets; i++)
		if (t->sockets[i].id == id)
			return &t->sockets[i];
	return NULL;
}

const struct topo_cpu *topo_cpu_of(const struct topo *t, const struct topo_socket *s, unsigned cpu)
{
	const struct topo_cpu *c = cpu < t->n_numbers ? t->by_number[cpu] : NULL;

	return c && c->socket == s->id ? c : NULL;
}

unsigned topo_dies(const struct topo *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->n_sockets; i++)
		n += t->sockets[i].n_dies;
	return n;
}

static bool has_die_of(const struct topo_cpu *const *v, unsigned n, const struct topo_cpu *c)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i]->socket == c->socket && v[i]->die == c->die)
			return true;
	return false;
}

/* A socket's number and a die's are bits of the APIC id, so that dies by these are dies by APIC
 * id. */
unsigned topo_die_cpus(const struct topo *t, const struct topo_cpu **ret)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->n_numbers; i++) {
		const struct topo_cpu *c = t->by_number[i], *last = n ? ret[n - 1] : NULL;

		if (!c || has_die_of(ret, n, c))
			continue;
		if (last && (ORDER(last->socket, c->socket) ?: ORDER(last->die, c->die)) > 0)
			return 0;
		ret[n++] = c;
	}
	return n;
}

int topo_reader_cpu(const struct topo_socket *s)
{
	for (unsigned i = 0; i < s->n_cpus; i++) {
		if (s->cpus[i].online)
			return (int)s->cpus[i].cpu;
	}
	return -1;
}

const char *topo_cpuid(const struct topo *t, char ret[TOPO_CPUID])
{
	if (t->family)
		snprintf(ret, TOPO_CPUID, "%s%sfamily %u model %u", t->vendor,
			 t->vendor[0] ? " " : "", t->family, t->model);
	else if (t->implementer)
		snprintf(ret, TOPO_CPUID, "Arm core, implementer 0x%02x part 0x%03x",
			 t->implementer, t->part);
	else
		snprintf(ret, TOPO_CPUID, "no CPUID");
	return ret;
}

struct topo *topo_model(unsigned family, unsigned model, unsigned n_sockets, unsigned cores)
{
	struct topo *t = cores > 0 && n_sockets <= TOPO_CPUS_MAX / cores ?
			 topo_new(n_sockets * cores) : NULL;

	if (!t)
		return NULL;
	for (unsigned i = 0; i < n_sockets * cores; i++)
		t->cpus[t->n_cpus++] = (struct topo_cpu){ .cpu = i, .socket = i / cores,
							  .core = i % cores, .online = true,
							  .node = -1 };
	build_sockets(t);
	t->family = family;
	t->model = model;
	memcpy(t->vendor, "GenuineIntel", sizeof("GenuineIntel"));
	return t;
}
