/* SPDX-License-Identifier: MIT
 * Traffic between CPUs and memory whose bytes are known.
 *
 * Owns:  the threads, their pinning, the memory and its binding to nodes.
 * Never: what is counted.
 * One thread calls; the threads that move bytes live from load_start() to load_stop().
 */
#ifndef VERIFY_LOAD_H
#define VERIFY_LOAD_H

#include "base/cleanup.h"
#include "base/traffic.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { LOAD_SOCKETS = 16, LOAD_THREADS = 16, LOAD_CHUNK = 256 << 10, LOAD_LINE = 64 };
enum { LOAD_CPUS = 256 };               /* of a socket; a job takes LOAD_THREADS of them */

/* Bit TRAFFIC_READ: it counts as read, bit TRAFFIC_WRITTEN: as written. An ordinary write counts as
 * both: each line is read for ownership. */
enum load_kind {
	LOAD_IDLE = 0, LOAD_READ = 1 << TRAFFIC_READ, LOAD_STREAM = 1 << TRAFFIC_WRITTEN,
	LOAD_WRITE = LOAD_READ | LOAD_STREAM, LOAD_CHASE = LOAD_READ | 1 << TRAFFIC_KINDS
};

struct load_job {
	enum load_kind kind;
	double duty;                    /* share of the time that the threads work, above 0 */
	unsigned memory, cpus;          /* index of the socket with the memory, with the threads */
};

struct load_socket {
	unsigned id;                    /* as the label `socket` has it */
	unsigned cpus[LOAD_CPUS], n_cpus;
	unsigned long nodes;            /* a bit each */
	_Atomic uint64_t *moved;        /* bytes, of its memory, by TRAFFIC_KINDS */
	char *memory;                   /* one half is read, the other written */
};

struct load_worker {
	struct load *load;
	pthread_t thread;
	unsigned cpu;
	char *from, *end;
};

/* Callers read the first members, and write none. */
struct load {
	struct load_socket sockets[LOAD_SOCKETS];
	unsigned n_sockets;
	size_t read_bytes;              /* bytes of memory that are read; a power of two */
	struct traffic *traffic;
	double latency;                 /* seconds of a step, in the fastest chunk of all chases */

	bool real;                      /* this machine's own CPUs and nodes */
	struct load_job job;
	atomic_bool stop;
	struct load_worker workers[LOAD_THREADS];
	unsigned n_workers;
};

/* load_new - finds the sockets with a CPU. Returns 0, or -errno with a sentence. */
int load_new(const char *sysfs, const char *procfs, struct load **ret, struct err *err);
/* After load_stop(). */
void load_free(struct load *l);
CLEANUP_POINTER(load_free, struct load);
/* load_start - the first one takes memory of each socket: for reading and for writing four times
 * the last-level caches or more, together a quarter of what is free at most. With another root than
 * /sys no memory is bound and no thread pinned: that machine does not exist. Returns 0, or -errno
 * with a sentence and no thread left. */
int load_start(struct load *l, const struct load_job *job, struct err *err);
void load_stop(struct load *l);

/* Seconds since some moment, which no step of the clock moves: for durations. */
double load_seconds(void);
/* Seconds since 1970, as samples are stamped. */
double load_wall(void);

/* How mbind() has memory on these nodes, a bit each. Bound to several, all of it would lie on that
 * of the CPU that touches it first, and no other node's channels would move any: it is spread over
 * them. */
int load_policy(unsigned long nodes);
/* The memory that load_start() takes. 0, or -errno with a sentence. */
int load_take_memory(struct load *l, struct err *err);
/* load_chunk - moves the n bytes at `at`, whole lines; a chase takes as many lines of its chain.
 * Adds what it read to *seen, a word at a time, exclusively. Returns where the next chunk is. */
char *load_chunk(enum load_kind kind, char *at, size_t n, uint64_t *seen);
/* The calling thread stays on the CPU from now on, if it is one of this machine. */
void load_pin(const struct load *l, unsigned cpu);

#endif
