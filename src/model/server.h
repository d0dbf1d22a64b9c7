/* SPDX-License-Identifier: MIT
 * What a server of today does under a workload: bytes, misses, links, devices, power.
 *
 * Owns:  the words of a machine's text for what an event counts, and how often that happens; its
 *        memory's curve.
 * Never: PMUs, groups, encodings.
 * Pure; any thread. Nobody outside model/ includes this, but for tests.
 */
#ifndef MODEL_SERVER_H
#define MODEL_SERVER_H

#include "model/model_internal.h"
#include "topo/machine_text.h"

/* What happens on a socket in a phase, per ns. */
struct server_flow {
	double read, write;         /* bytes of its memory, whoever asks for them */
	double asked;               /* bytes that its CPUs read, of whichever memory */
	double remote_read;         /* of those, of another socket's memory */
	double remote_write;        /* bytes that its CPUs write to another socket's memory */
	double guest_read;          /* of its memory, bytes that CPUs of other sockets read */
	double guest_write;         /* and write */
	double latency;             /* ns: how long a miss of the last-level cache waits */
	double miss_ratio;          /* of look-ups in the last-level cache */
	double activity;            /* 0..1 */
	double guest_activity;      /* of the other sockets, their mean */
};

/*
 * server_flows - flows[socket * PHASES + phase], for every phase of the workload.
 *
 * links  of a socket to others; 0: no CPU uses another socket's memory
 */
void server_flows(const struct workload *w, const struct machine_text *m, unsigned n_sockets,
		  unsigned links, struct server_flow *flows);

/* What a load moves that is told by its bytes, read and written within `length` (ns, > 0); no more
 * than the curve has. There is no other socket in it. */
struct server_flow server_flow_of(const struct machine_text *m, double read, double written,
				  nsec length);

/* A word of a text: a quantity. */
struct server_word {
	const char *name;
	double (*rate)(const struct server_flow *f);    /* per ns of a socket */
	bool each;                  /* every counter of it counts all of it, as one of a clock
	                             * does; else they have it in parts */
};

/* The quantity that an event counts, by its first word, and how much of it one count is: "llc_miss
 * llc_read", "link_sent*64/9". NULL: there is no such quantity. */
const struct server_word *server_word(const char *words, double *ret_each);
/* Is it a word of `words` after the first, too? Not where it is taken off ("page_empty*-1"): then
 * what the first counts is in its own event. */
bool server_also(const char *words, const struct server_word *w);

#endif
