/* load.c - see load.h. */
#include "verify/load.h"

#include "base/nsec.h"
#include "topo/sysfile.h"
#include "topo/topo.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { THREADS_MAX = 16, NODES_MAX = 64, LINE = 64, BIND = 2,  /* MPOL_BIND */
       CHUNK = 256 << 10, CHASE_STEPS = 4096 };

typedef uint64_t vec __attribute__((vector_size(16), may_alias));

struct home {                           /* a socket with memory */
	unsigned id, cpus[THREADS_MAX], n_cpus;
	unsigned long nodes;
	char *memory;                   /* one half is read, the other written */
};

struct worker {
	struct load *load;
	pthread_t thread;
	unsigned cpu;
	char *from;
	size_t size;
};

struct load {
	struct topo *topo;
	struct home *homes;
	unsigned n_homes;
	size_t half;
	bool real;                      /* this machine's own CPUs and nodes */
	struct traffic *traffic;
	struct load_job job;
	atomic_bool stop;
	struct worker workers[THREADS_MAX];
	unsigned n_workers;
	_Atomic uint64_t steps, step_ns;        /* of the chase */
};

static nsec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static void read_lines(const char *p, size_t n)
{
	vec sum = { 0 };

	for (const vec *v = (const vec *)p, *end = (const vec *)(p + n); v < end; v += 4)
		sum ^= v[0] ^ v[1] ^ v[2] ^ v[3];
	__asm__ volatile("" :: "r"(sum[0] ^ sum[1]));
}

/* The barrier keeps the compiler from making a memset() of it, which may stream. */
static void write_lines(char *p, size_t n)
{
	const vec value = { n, n };

	for (vec *v = (vec *)p, *end = (vec *)(p + n); v < end; v += 4) {
		v[0] = v[1] = v[2] = v[3] = value;
		__asm__ volatile("" ::: "memory");
	}
}

static void stream_lines(char *p, size_t n)
{
#if defined __SSE2__
	const __m128i value = _mm_set1_epi64x((long long)n);

	for (__m128i *v = (__m128i *)(void *)p, *end = v + n / sizeof(*v); v < end; v++)
		_mm_stream_si128(v, value);
	_mm_sfence();
#elif defined __aarch64__
	for (char *end = p + n; p < end; p += 16)
		__asm__ volatile("stnp %0, %0, [%1]" :: "r"(n), "r"(p) : "memory");
#else
	write_lines(p, n);
#endif
}

/* Each line holds the address of the next. */
static void *chase(void *at)
{
	for (unsigned i = 0; i < CHASE_STEPS; i++)
		at = *(void **)at;
	return at;
}

/* One cycle through all lines, in random order (Sattolo). */
static void lay_chain(char *p, size_t n)
{
	uint64_t state = n;

	for (size_t i = 0; i < n; i++)
		*(void **)(void *)(p + i * LINE) = p + i * LINE;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = (size_t)((state = state * UINT64_C(6364136223846793005) + 1) >> 33) % i;
		void **a = (void **)(void *)(p + i * LINE), **b = (void **)(void *)(p + j * LINE);
		void *t = *a;

		*a = *b;
		*b = t;
	}
}

static void count(struct load *l, unsigned kind, size_t bytes)
{
	atomic_fetch_add_explicit(&l->traffic->moved[l->homes[l->job.memory].id][kind], bytes,
				  memory_order_relaxed);
}

/* Moves the chunk at `at`. */
static void *move(struct load *l, void *at)
{
	switch (l->job.kind) {
	case LOAD_READ: read_lines(at, CHUNK); break;
	case LOAD_STREAM: stream_lines(at, CHUNK); break;
	case LOAD_WRITE: write_lines(at, CHUNK); break;
	case LOAD_CHASE: at = chase(at); break;
	case LOAD_IDLE: break;
	}
	if (l->job.kind == LOAD_READ || l->job.kind == LOAD_WRITE)
		count(l, TRAFFIC_READ, CHUNK);
	if (l->job.kind == LOAD_STREAM || l->job.kind == LOAD_WRITE)
		count(l, TRAFFIC_WRITTEN, CHUNK);
	if (l->job.kind == LOAD_CHASE)
		count(l, TRAFFIC_READ, CHASE_STEPS * LINE);
	return at;
}

static void *work(void *p)
{
	struct worker *w = p;
	struct load *l = w->load;
	char *at = w->from;
	double rest_ns = 0;
	cpu_set_t *set = CPU_ALLOC(TOPO_CPUS_MAX);

	if (l->real && set) {
		CPU_ZERO_S(CPU_ALLOC_SIZE(TOPO_CPUS_MAX), set);
		CPU_SET_S(w->cpu, CPU_ALLOC_SIZE(TOPO_CPUS_MAX), set);
		pthread_setaffinity_np(pthread_self(), CPU_ALLOC_SIZE(TOPO_CPUS_MAX), set);
	}
	CPU_FREE(set);
	while (!atomic_load_explicit(&l->stop, memory_order_relaxed)) {
		nsec began = now();

		at = move(l, at);
		if (l->job.kind != LOAD_CHASE && (at += CHUNK) + CHUNK > w->from + w->size)
			at = w->from;
		if (l->job.kind == LOAD_CHASE) {
			atomic_fetch_add(&l->steps, CHASE_STEPS);
			atomic_fetch_add(&l->step_ns, (uint64_t)(now() - began));
		}
		rest_ns += (double)(now() - began) * (1 / l->job.duty - 1);
		if (rest_ns > NSEC_PER_MSEC) {
			struct timespec rest = {
				.tv_nsec = rest_ns < 1e8 ? (long)rest_ns : 100000000 };

			clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
			rest_ns = 0;
		}
	}
	return NULL;
}

int load_start(struct load *l, const struct load_job *job, struct err *err)
{
	const struct home *cpus = &l->homes[job->cpus];
	unsigned n = job->kind == LOAD_IDLE ? 0 : job->kind == LOAD_CHASE ? 1 : cpus->n_cpus;
	bool reads = job->kind == LOAD_READ || job->kind == LOAD_CHASE;
	int r = 0;

	l->job = *job;
	l->stop = false;
	l->steps = l->step_ns = 0;
	for (unsigned i = 0; i < n && !r; i++) {
		struct worker *w = &l->workers[i];

		w->load = l;
		w->cpu = cpus->cpus[i];
		w->size = l->half / n / CHUNK * CHUNK;
		w->from = l->homes[job->memory].memory + (reads ? 0 : l->half) + i * w->size;
		r = pthread_create(&w->thread, NULL, work, w);
		l->n_workers += r == 0;
	}
	if (!r)
		return 0;
	load_stop(l);
	return err_set(err, -r, "no thread can be started: %s; raise the limit of processes",
		       strerror(r));
}

void load_stop(struct load *l)
{
	l->stop = true;
	while (l->n_workers)
		pthread_join(l->workers[--l->n_workers].thread, NULL);
}

/* Of a CPU's caches the largest. */
static size_t cache_size(const char *sysfs, unsigned cpu)
{
	size_t most = 0;

	for (unsigned i = 0; i < 8; i++) {
		struct sysfile_path path = sysfile_path("%s/devices/system/cpu/cpu%u/cache/index%u/"
							"size", sysfs, cpu, i);
		char text[SYSFILE_MAX + 1];
		size_t size;

		if (sysfile_read(path.s, text, NULL) < 0)
			break;
		size = strtoul(text, NULL, 10) << (strchr(text, 'M') ? 20 : 10);
		most = size > most ? size : most;
	}
	return most ? most : 32 << 20;
}

static size_t node_free(const char *sysfs, unsigned node)
{
	struct sysfile_path path = sysfile_path("%s/devices/system/node/node%u/meminfo", sysfs,
						node);
	char text[SYSFILE_MAX + 1];
	const char *at = sysfile_read(path.s, text, NULL) < 0 ? NULL : strstr(text, "MemFree:");

	return at ? strtoul(at + 8, NULL, 10) << 10 : 0;
}

/* Its nodes by their CPUs; half becomes what may be taken here. A kernel without nodes has none. */
static void find_nodes(struct load *l, const char *sysfs, struct home *h)
{
	size_t wanted = 4 * cache_size(sysfs, h->cpus[0]), free_bytes = 0;

	for (unsigned node = 0; node < NODES_MAX; node++) {
		struct sysfile_path path = sysfile_path("%s/devices/system/node/node%u/cpulist",
							sysfs, node);
		unsigned *cpus = NULL, n = 0;

		if (sysfile_cpulist(path.s, &cpus, &n, NULL) < 0)
			continue;
		for (unsigned i = 0; i < n; i++)
			if (cpus[i] == h->cpus[0]) {
				h->nodes |= 1ul << node;
				free_bytes += node_free(sysfs, node);
			}
		free(cpus);
	}
	if (free_bytes && wanted > free_bytes / 8)
		wanted = free_bytes / 8;
	if (wanted < l->half || !l->half)
		l->half = wanted / CHUNK * CHUNK;
}

static int take_memory(struct load *l, struct home *h, struct err *err)
{
	char *p = mmap(NULL, 2 * l->half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED || l->half < (size_t)THREADS_MAX * CHUNK)
		return err_set(err, -ENOMEM, "socket %u has not enough free memory; stop what uses "
			       "it, and try again", h->id);
	h->memory = p;
#ifdef SYS_mbind
	if (l->real && h->nodes &&
	    syscall(SYS_mbind, p, 2 * l->half, BIND, &h->nodes, (unsigned long)NODES_MAX + 1, 0) &&
	    errno != ENOSYS)
		return err_set(err, -errno, "memory cannot be bound to socket %u: %s; allow its "
			       "nodes to this process (cpuset.mems)", h->id, strerror(errno));
#endif
	lay_chain(p, l->half / LINE);
	memset(p + l->half, 1, l->half);
	return 0;
}

int load_new(const char *sysfs, const char *procfs, struct load **ret, struct err *err)
{
	struct load *l = calloc(1, sizeof(*l));
	int r = l ? 0 : err_set(err, -ENOMEM, "no memory for the load");

	if (r == 0)
		r = topo_read(sysfs, procfs, NULL, &l->topo, err);
	if (r == 0)
		r = traffic_map(&l->traffic, err);
	if (r == 0 && !(l->homes = calloc(l->topo->n_sockets, sizeof(*l->homes))))
		r = err_set(err, -ENOMEM, "no memory for the load");
	for (unsigned i = 0; r == 0 && i < l->topo->n_sockets; i++) {
		const struct topo_socket *s = &l->topo->sockets[i];
		struct home *h = &l->homes[l->n_homes];

		h->id = s->id;
		for (unsigned c = 0; c < s->n_cpus && h->n_cpus < THREADS_MAX; c++)
			if (s->cpus[c].online)
				h->cpus[h->n_cpus++] = s->cpus[c].cpu;
		if (h->n_cpus && h->id < TRAFFIC_SOCKETS) {
			find_nodes(l, sysfs, h);
			l->n_homes++;
		}
	}
	if (l)
		l->real = strcmp(sysfs, "/sys") == 0;
	for (unsigned i = 0; r == 0 && i < l->n_homes; i++)
		r = take_memory(l, &l->homes[i], err);
	if (r < 0)
		load_free(l);
	else
		*ret = l;
	return r;
}

void load_free(struct load *l)
{
	if (!l)
		return;
	load_stop(l);
	for (unsigned i = 0; i < l->n_homes; i++)
		if (l->homes[i].memory)
			munmap(l->homes[i].memory, 2 * l->half);
	free(l->homes);
	topo_free(l->topo);
	traffic_free(l->traffic);
	free(l);
}

unsigned load_sockets(const struct load *l)
{
	return l->n_homes;
}

unsigned load_socket_id(const struct load *l, unsigned socket)
{
	return l->homes[socket].id;
}

const struct traffic *load_traffic(const struct load *l)
{
	return l->traffic;
}

double load_latency_seconds(const struct load *l)
{
	return l->steps ? (double)l->step_ns / (double)l->steps / NSEC_PER_SEC : 0;
}
