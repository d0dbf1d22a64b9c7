/* SPDX-License-Identifier: MIT
 * The threads that move bytes, and the memory in which they do; see load.h.
 * Owns:  struct load; which worker has which part, where memory is bound to a node.
 * Never: what is counted meanwhile.
 * One thread calls; the threads that move bytes live from load_start() to load_stop().
 */
#include "verify/load.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "topo/topo.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BIND = 2, INTERLEAVE = 3 };      /* MPOL_BIND, MPOL_INTERLEAVE */
#define REST_LEAST 0.001                /* seconds; a thread that rests longer stops late */
#define REST_MOST  0.1

typedef uint64_t vec __attribute__((vector_size(16), may_alias));

double load_seconds(void)
{
	return (double)clock_read(CLOCK_MONOTONIC) / NSEC_PER_SEC;
}

double load_wall(void)
{
	return (double)clock_read(CLOCK_REALTIME) / NSEC_PER_SEC;
}

/* A store past the caches, where the processor can. */
#if defined __x86_64__
#define STREAM(p, v) __asm__ volatile("movntdq %0, (%1)" :: "x"(v), "r"(p) : "memory")
#elif defined __aarch64__
#define STREAM(p, v) __asm__ volatile("stnp %0, %0, [%1]" :: "r"((v)[0]), "r"(p) : "memory")
#else
#define STREAM(p, v) (*(p) = (v))
#endif

char *load_chunk(enum load_kind kind, char *at, size_t n, uint64_t *seen)
{
	vec *v = (vec *)(void *)at, *end = v + n / sizeof(*v), sum = { 0 };
	const vec value = ~sum;

	if (kind == LOAD_CHASE) {               /* each line holds the address of the next */
		for (size_t i = 0; i < n / LOAD_LINE; i++)
			at = *(char **)(void *)at;
		return at;
	}
	for (; v < end; v += 4)
		if (kind == LOAD_READ) {
			sum ^= v[0] ^ v[1] ^ v[2] ^ v[3];
		} else if (kind == LOAD_WRITE) {
			v[0] = v[1] = v[2] = v[3] = value;
			__asm__ volatile("" ::: "memory");      /* no memset(), which may stream */
		} else {
			for (unsigned i = 0; i < 4; i++)
				STREAM(&v[i], value);
		}
	*seen ^= sum[0] ^ sum[1];
	return at + n;
}

void load_pin(const struct load *l, unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (l->real)
		pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *work(void *p)
{
	struct load_worker *w = p;
	struct load *l = w->load;
	enum load_kind kind = l->job.kind;
	_Atomic uint64_t *moved = l->sockets[l->job.memory].moved;
	char *at = w->from;
	double rest = 0;
	uint64_t seen = 0;

	load_pin(l, w->cpu);
	while (!l->stop) {
		double began = load_seconds(), took;

		at = load_chunk(kind, at == w->end ? w->from : at, LOAD_CHUNK, &seen);
		for (unsigned k = 0; k < TRAFFIC_KINDS; k++)
			moved[k] += kind >> k & 1 ? LOAD_CHUNK : 0;
		took = load_seconds() - began;
		if (kind == LOAD_CHASE)
			l->latency = fmin(l->latency, took * LOAD_LINE / LOAD_CHUNK);
		rest += took * (1 / l->job.duty - 1);
		if (rest > REST_LEAST) {
			usleep((useconds_t)(fmin(rest, REST_MOST) * 1e6));
			rest = 0;
		}
	}
	__asm__ volatile("" :: "r"(seen));      /* what was read is of use */
	return NULL;
}

int load_policy(unsigned long nodes)
{
	return nodes & (nodes - 1) ? INTERLEAVE : BIND;
}

static int take_memory(struct load *l, struct load_socket *s, struct err *err)
{
	char *p = s->memory ? s->memory : mmap(NULL, 2 * l->read_bytes, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == s->memory)
		return 0;
	if (p == MAP_FAILED || l->read_bytes < (size_t)LOAD_THREADS * LOAD_CHUNK)
		return err_set(err, -ENOMEM, "socket %u has not enough free memory; stop what uses "
			       "it, and try again", s->id);
	s->memory = p;
	if (l->real && s->nodes && syscall(SYS_mbind, p, 2 * l->read_bytes, load_policy(s->nodes),
					   &s->nodes, TOPO_NODES_MAX + 1ul, 0) && errno != ENOSYS)
		return err_set(err, -errno, "memory cannot be bound to socket %u: %s; allow its "
			       "nodes to this process (cpuset.mems)", s->id, strerror(errno));
	/* One cycle through all lines, in a random order: a linear congruential generator modulo a
	 * power of two meets each number once (Hull, Dobell). */
	for (size_t i = 0, n = l->read_bytes / LOAD_LINE; i < n; i++)
		*(char **)(void *)(p + i * LOAD_LINE) =
			p + (i * UINT64_C(6364136223846793005) + 1) % n * LOAD_LINE;
	memset(p + l->read_bytes, 1, l->read_bytes);
	return 0;
}

int load_take_memory(struct load *l, struct err *err)
{
	for (unsigned i = 0; i < l->n_sockets; i++) {
		int r = take_memory(l, &l->sockets[i], err);

		if (r < 0)
			return r;
	}
	return 0;
}

static unsigned threads_of(const struct load *l, const struct load_job *job)
{
	unsigned n = l->sockets[job->cpus].n_cpus;

	if (job->kind == LOAD_IDLE)
		return 0;
	if (job->kind == LOAD_CHASE)
		return 1;
	return n < LOAD_THREADS ? n : LOAD_THREADS;
}

int load_start(struct load *l, const struct load_job *job, struct err *err)
{
	const struct load_socket *cpus = &l->sockets[job->cpus];
	unsigned n = threads_of(l, job);
	int r = load_take_memory(l, err);

	if (r < 0)
		return r;
	l->job = *job;
	l->stop = false;
	for (unsigned i = 0; i < n; i++) {
		struct load_worker *w = &l->workers[i];
		size_t size = l->read_bytes / n / LOAD_CHUNK * LOAD_CHUNK;

		*w = (struct load_worker){ .load = l, .cpu = cpus->cpus[i] };
		w->from = l->sockets[job->memory].memory + i * size +
			(job->kind >> TRAFFIC_WRITTEN & 1) * l->read_bytes;
		w->end = w->from + size;
		r = pthread_create(&w->thread, NULL, work, w);
		if (r) {
			load_stop(l);
			return err_set(err, -r, "no thread can be started: %s; raise the limit of "
				       "processes", strerror(r));
		}
		l->n_workers++;
	}
	return 0;
}

void load_stop(struct load *l)
{
	l->stop = true;
	while (l->n_workers)
		pthread_join(l->workers[--l->n_workers].thread, NULL);
}

/* One whose CPUs are all offline is left out, as is one without memory: its CPUs would move another
 * one's. */
static void add_socket(struct load *l, const char *sysfs, const char *procfs,
		       const struct topo_socket *t)
{
	struct load_socket *s = &l->sockets[l->n_sockets];
	struct topo_memory m = topo_memory(sysfs, procfs, t);
	size_t half = LOAD_LINE;

	*s = (struct load_socket){ .id = t->id, .nodes = m.nodes,
				   .moved = l->traffic->moved[l->n_sockets] };
	for (unsigned c = 0; c < t->n_cpus && s->n_cpus < LOAD_CPUS; c++)
		if (t->cpus[c].online)
			s->cpus[s->n_cpus++] = t->cpus[c].cpu;
	while (half < 4 * m.caches && half <= m.unused / 16)
		half *= 2;
	if (!s->n_cpus || m.none)
		return;
	if (!l->n_sockets || half < l->read_bytes)
		l->read_bytes = half;
	l->n_sockets++;
}

int load_new(const char *sysfs, const char *procfs, struct load **ret, struct err *err)
{
	AUTO_FREE(load_free) struct load *l = calloc(1, sizeof(*l));
	AUTO_FREE(topo_free) struct topo *topo = NULL;
	int r;

	if (!l)
		return err_set(err, -ENOMEM, "no memory for the load");
	r = topo_read(sysfs, procfs, NULL, &topo, err);
	if (r < 0)
		return r;
	r = traffic_map(&l->traffic, err);
	if (r < 0)
		return r;
	l->real = strcmp(sysfs, "/sys") == 0;
	l->latency = INFINITY;
	for (unsigned i = 0; i < topo->n_sockets && l->n_sockets < LOAD_SOCKETS; i++)
		add_socket(l, sysfs, procfs, &topo->sockets[i]);
	if (!l->n_sockets)
		return err_set(err, -ENODATA, "no socket of this machine has memory of its own");
	*ret = TAKE(l);
	return 0;
}

void load_free(struct load *l)
{
	for (unsigned i = 0; l && i < l->n_sockets; i++)
		if (l->sockets[i].memory)
			munmap(l->sockets[i].memory, 2 * l->read_bytes);
	traffic_free(l ? l->traffic : NULL);
	free(l);
}
