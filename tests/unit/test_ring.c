/* SPDX-License-Identifier: MIT
 * No reader ever sees a torn buffer, however the writer runs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample/ring.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 67, WRITES = 20000 };    /* a number of words that fills no cache line evenly */

static void test_empty(void **state)
{
	uint64_t words[WORDS] = { 7 };
	struct ring r;
	void *mem = calloc(1, ring_bytes(WORDS));

	(void)state;
	ring_init(&r, mem, WORDS);
	assert_int_equal(ring_read(&r, words), 0);
	assert_int_equal(words[0], 7);
	assert_int_equal(ring_bytes(WORDS) % 64, 0);
	free(mem);
}

static void test_order(void **state)
{
	uint64_t in[WORDS], out[WORDS];
	struct ring r;
	void *mem = calloc(1, ring_bytes(WORDS));

	(void)state;
	ring_init(&r, mem, WORDS);
	for (uint64_t n = 1; n <= 9; n++) {
		for (unsigned i = 0; i < WORDS; i++)
			in[i] = n * 1000 + i;
		ring_write(&r, in);
		assert_int_equal(ring_read(&r, out), n);
		assert_memory_equal(in, out, sizeof(in));
	}
	free(mem);
}

/* Every word of generation n is n: a reader that sees two different words has a torn buffer. */
static void *writer(void *p)
{
	struct ring *r = p;
	uint64_t words[WORDS];

	for (uint64_t n = 1; n <= WRITES; n++) {
		for (unsigned i = 0; i < WORDS; i++)
			words[i] = n;
		ring_write(r, words);
	}
	return NULL;
}

static void test_torn(void **state)
{
	uint64_t words[WORDS], last = 0, number;
	pthread_t t;
	struct ring r;
	void *mem = calloc(1, ring_bytes(WORDS));

	(void)state;
	ring_init(&r, mem, WORDS);
	assert_int_equal(pthread_create(&t, NULL, writer, &r), 0);
	do {
		number = ring_read(&r, words);
		for (unsigned i = 0; number && i < WORDS; i++)
			assert_int_equal(words[i], number);
		assert_true(number >= last);
		last = number;
	} while (last < WRITES);
	pthread_join(t, NULL);
	free(mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
