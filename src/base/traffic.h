/* SPDX-License-Identifier: MIT
 * How many bytes a load has moved, in memory that processes may share.
 *
 * Owns:  the layout of that memory.
 * Never: who moves them.
 * Any thread.
 */
#ifndef BASE_TRAFFIC_H
#define BASE_TRAFFIC_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdint.h>

enum { TRAFFIC_READ, TRAFFIC_WRITTEN, TRAFFIC_KINDS, TRAFFIC_SOCKETS = 64 };
/* The environment variable that names the file to share. */
#define TRAFFIC_FILE "UNCORED_VERIFY_TRAFFIC"

/* Bytes, of the memory of each socket: by the socket's rank, because an id may be any number. */
struct traffic {
	_Atomic uint64_t moved[TRAFFIC_SOCKETS][TRAFFIC_KINDS];
	/* Not 0: who counts has no memory, and believes what is said. A load at a rate then adds
	 * what it would have moved, and moves nothing: where threads get a part of a CPU, as in a
	 * guest, no rate can be kept. Set by who counts, before the load begins. */
	_Atomic uint64_t told;
};

/* traffic_map - the file that TRAFFIC_FILE names, created where it is missing; without that
 * variable, memory of this process alone. Returns 0, or -errno with a sentence. */
int traffic_map(struct traffic **ret, struct err *err);
void traffic_free(struct traffic *t);

#endif
