/* SPDX-License-Identifier: MIT */
#include "sample/ring.h"

enum { RING_HEAD = 8 };             /* words; the number is alone on its cache line */

static unsigned ring_stride(unsigned n_words)
{
	return (n_words + 7u) & ~7u;
}

static uint64_t *ring_buffer(const struct ring *r, uint64_t number)
{
	return r->mem + RING_HEAD + (size_t)(number % RING_BUFFERS) * ring_stride(r->n_words);
}

size_t ring_bytes(unsigned n_words)
{
	return sizeof(uint64_t) * (RING_HEAD + (size_t)RING_BUFFERS * ring_stride(n_words));
}

void ring_init(struct ring *r, void *mem, unsigned n_words)
{
	r->mem = mem;
	r->n_words = n_words;
}

void ring_write(struct ring *r, const uint64_t *words)
{
	uint64_t next = __atomic_load_n(&r->mem[0], __ATOMIC_RELAXED) + 1;
	uint64_t *to = ring_buffer(r, next);

	for (unsigned i = 0; i < r->n_words; i++)
		__atomic_store_n(&to[i], words[i], __ATOMIC_RELEASE);
	__atomic_store_n(&r->mem[0], next, __ATOMIC_RELEASE);
}

uint64_t ring_published(const struct ring *r)
{
	return __atomic_load_n(&r->mem[0], __ATOMIC_ACQUIRE);
}

uint64_t ring_read(const struct ring *r, uint64_t *words)
{
	unsigned n = r->n_words;        /* loaded once, as an acquire load orders all that come
	                                 * behind it */

	for (;;) {
		uint64_t number = ring_published(r);
		const uint64_t *from = ring_buffer(r, number);

		if (!number)
			return 0;
		/* one load a word, however many: counting them would take longer */
#pragma GCC unroll 8
		for (unsigned i = 0; i < n; i++)
			words[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
		/* The writer may be filling the buffer after the published one; ours is that one
		 * only if it has moved on by three. */
		if (ring_published(r) - number < RING_BUFFERS - 1)
			return number;
	}
}
