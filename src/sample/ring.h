/* SPDX-License-Identifier: MIT
 * Four buffers of 64-bit words, one writer, any readers in any process; nobody waits.
 *
 * Owns:  publication order.
 * Never: what the words mean (sample/layout.h).
 * Writer: one thread. Readers: any thread of any process that maps it.
 *
 * The writer fills the next buffer and publishes its number with a release store; a reader loads
 * the number, copies, loads again and repeats only if it moved by three or more. Words are release
 * stores and acquire loads.
 */
#ifndef SAMPLE_RING_H
#define SAMPLE_RING_H

#include <stddef.h>
#include <stdint.h>

#define RING_BUFFERS 4

struct ring {                       /* a view of the shared memory */
	uint64_t *mem;              /* [0] published number, 0 = nothing yet; [8 ...] the buffers */
	unsigned n_words;
};

/* Bytes that a ring of n_words needs, a multiple of 64. */
size_t ring_bytes(unsigned n_words);
void ring_init(struct ring *r, void *mem, unsigned n_words);     /* mem zeroed, 64-byte aligned */
/* ring_write - publish a copy of words[n_words]. */
void ring_write(struct ring *r, const uint64_t *words);
/* ring_read - the newest complete buffer into words[n_words]; returns its number, 0 if none was
 * published. */
uint64_t ring_read(const struct ring *r, uint64_t *words);
uint64_t ring_published(const struct ring *r);

#endif
