/* load.h - traffic between CPUs and memory whose bytes are known.
 *
 * Owns:  the threads, their pinning, the memory and its binding to nodes.
 * Never: what is counted.
 * One thread calls; the threads that move bytes live from load_start() to load_stop().
 */
#ifndef VERIFY_LOAD_H
#define VERIFY_LOAD_H

#include "base/traffic.h"

#include <stdbool.h>

/* Ordinary writes count as written and as read: each line is read for ownership. Steps of the
 * chase count as read. */
enum load_kind { LOAD_IDLE, LOAD_READ, LOAD_STREAM, LOAD_WRITE, LOAD_CHASE };

struct load_job {
	enum load_kind kind;
	double duty;                    /* share of the time that the threads work, above 0 */
	unsigned memory, cpus;          /* index of the socket with the memory, with the threads */
};

struct load;

/* load_new - finds the sockets with memory and a CPU, and takes memory of each: for reading and for
 * writing four times the last-level cache, a quarter of what is free at most. With another root
 * than /sys no memory is bound and no thread pinned: that machine does not exist. Returns 0, or
 * -errno with a sentence. */
int load_new(const char *sysfs, const char *procfs, struct load **ret, struct err *err);
void load_free(struct load *l);
unsigned load_sockets(const struct load *l);
/* Its id, as the label `socket` has it. */
unsigned load_socket_id(const struct load *l, unsigned socket);
/* Returns 0, or -errno with a sentence and no thread left. */
int load_start(struct load *l, const struct load_job *job, struct err *err);
void load_stop(struct load *l);
const struct traffic *load_traffic(const struct load *l);
/* Of a step of the last chase. */
double load_latency_seconds(const struct load *l);

#endif
