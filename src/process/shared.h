/* SPDX-License-Identifier: MIT
 * What parent and http child share: the description (sealed) and the rings (written by
 * the parent alone).
 *
 * Owns:  the memfds, their mapping, handing them over.
 * Never: what is inside.
 * Main thread of either process.
 */
#ifndef PROCESS_SHARED_H
#define PROCESS_SHARED_H

#include "base/err.h"
#include "sample/ring.h"

#include <stddef.h>

#define SHARED_SOCKETS_MAX 64

struct shared {
	int desc_fd, ring_fd;
	void *desc, *mem;
	size_t desc_len, mem_len;
	const char *names;                  /* behind the description: two lists of words, each with
	                                     * its end; see daemon/host_names.h */
	size_t names_len;
	unsigned n_rings;
	struct ring rings[SHARED_SOCKETS_MAX];
	struct ring daemon;
};

/* Parent: rings, which begin empty; words[i]: of ring i. */
int shared_new(const unsigned *words, unsigned n, unsigned daemon_values, struct shared **ret,
	       struct err *err);
/* Parent: the description that belongs to them and whom requests may be for, copied. Once; without
 * it they cannot be handed on. */
int shared_describe(struct shared *s, const void *desc, size_t len, const char *names,
		    size_t names_len, struct err *err);
/* Parent: hand it to the child; as wire_send(). */
int shared_send(const struct shared *s, int sock);
/* Child: the next one, mapped read-only. 0; -EPIPE: the parent is gone; -EAGAIN: nothing yet. */
int shared_receive(int sock, unsigned (*words)(const void *desc, unsigned ring),
		   unsigned (*count)(const void *desc),
		   unsigned daemon_values, struct shared **ret);
void shared_free(struct shared *s);

#endif
