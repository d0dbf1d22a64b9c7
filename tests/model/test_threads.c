/* SPDX-License-Identifier: MIT
 * Sampler threads in real time, read by several readers meanwhile; made for
 * ThreadSanitizer too. */
#include "rig.h"

#include <pthread.h>
#include <time.h>

enum { READERS = 3, SOCKETS = 2, LOG = 4096, WORDS = 1024 };

/* Both groups need B-Box counter 1: rounds of 20 ms each. */
#define CONF \
	"interval = \"1ms\"; rotation = \"20ms\"; groups = (" \
	"{ name = \"all\"; events = [ " RIG_ALL_EVENTS " ]; }," \
	"{ name = \"reads\"; events = [ \"bbox/IMT_INSERTS_RD\", \"wbox/CLOCKTICKS\" ]; } );"

struct reading {
	uint64_t number, hash;
};

struct reader {
	const struct run *u;
	pthread_t thread;
	uint64_t words[WORDS], last[SOCKETS][WORDS];
	struct reading log[SOCKETS][LOG];
	unsigned n[SOCKETS];
	unsigned fell;              /* what may only rise fell */
};

static bool ended;

static uint64_t hash(const uint64_t *words, unsigned n)
{
	uint64_t h = 0;

	for (unsigned i = 0; i < n; i++)
		h = (h ^ words[i]) * UINT64_C(0x100000001b3) + i;
	return h;
}

static unsigned falls(const uint64_t *now, const uint64_t *before, unsigned from, unsigned n)
{
	unsigned fell = 0;

	for (unsigned i = from; i < from + n; i++)
		fell += now[i] < before[i];
	return fell;
}

static void read_socket(struct reader *r, unsigned socket)
{
	const struct run_socket *s = &r->u->s[socket];
	const struct layout *l = &s->layout;
	uint64_t number = ring_read(&s->ring, r->words), *last = r->last[socket];
	unsigned n = r->n[socket];

	if (!number || (n && r->log[socket][n - 1].number == number))
		return;
	if (n < LOG)
		r->log[socket][r->n[socket]++] = (struct reading){ number,
			hash(r->words, l->n_words) };
	r->fell += n && r->log[socket][n - 1].number > number;
	r->fell += falls(r->words, last, W_TICK_MONO, 1) + falls(r->words, last, W_TICKS, 2);
	r->fell += falls(r->words, last, W_INVALID, REASON_COUNT);
	r->fell += falls(r->words, last, l->group_active, r->u->plan->sockets[socket].n_groups);
	r->fell += falls(r->words, last, l->slot_total, r->u->plan->sockets[socket].n_series);
	memcpy(last, r->words, l->n_words * sizeof(*last));
}

static void *read_until_end(void *p)
{
	struct reader *r = p;

	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
		for (unsigned i = 0; i < SOCKETS; i++)
			read_socket(r, i);
		nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
	}
	return NULL;
}

/* Two readers that saw the same generation saw the same words. */
static unsigned agreed(const struct reader *a, const struct reader *b, unsigned socket)
{
	unsigned same = 0;

	for (unsigned i = 0, k = 0; i < a->n[socket]; i++) {
		while (k < b->n[socket] && b->log[socket][k].number < a->log[socket][i].number)
			k++;
		if (k == b->n[socket] || b->log[socket][k].number != a->log[socket][i].number)
			continue;
		assert_int_equal(a->log[socket][i].hash, b->log[socket][k].hash);
		same++;
	}
	return same;
}

static void readers_beside_samplers(void **state)
{
	struct sampler_thread *thread[SOCKETS] = { NULL };
	static struct reader readers[READERS];
	struct rig r;
	struct run u;

	(void)state;
	rig_open_real(&r, SOCKETS);
	run_open(&u, &r, CONF, NULL);
	run_begin_truth(&u);
	for (unsigned i = 0; i < SOCKETS; i++) {
		struct sampler_options o = run_options(&u, i);

		assert_true(u.s[i].layout.n_words <= WORDS);
		assert_int_equal(sampler_new(&o, &u.s[i].sampler, NULL), 0);
	}
	for (unsigned k = 0; k < READERS; k++) {
		readers[k].u = &u;
		assert_int_equal(pthread_create(&readers[k].thread, NULL, read_until_end,
						&readers[k]), 0);
	}
	for (unsigned i = 0; i < SOCKETS; i++) {
		struct sampler_options o = run_options(&u, i);

		assert_int_equal(sampler_thread_start(u.s[i].sampler, &o, false, &thread[i], NULL),
				 0);
		assert_int_equal(sampler_thread_wait(thread[i], 0, NULL), 0);
		assert_true(ring_published(&u.s[i].ring) > 0);
	}
	nanosleep(&(struct timespec){ .tv_nsec = 500 * NSEC_PER_MSEC }, NULL);
	for (unsigned i = 0; i < SOCKETS; i++) {
		assert_true(ring_published(&u.s[i].ring) > 5);
		assert_true(sampler_thread_answers(thread[i], 0));
		assert_true(sampler_thread_stop(thread[i], 0));
	}
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	for (unsigned k = 0; k < READERS; k++)
		pthread_join(readers[k].thread, NULL);

	for (unsigned k = 0; k < READERS; k++)
		assert_int_equal(readers[k].fell, 0);
	for (unsigned i = 0; i < SOCKETS; i++)
		assert_true(agreed(&readers[0], &readers[1], i) +
			    agreed(&readers[1], &readers[2], i) > 2);
	/* Whatever the scheduler did: what was counted while a round ran is in its totals. */
	run_read_words(&u);
	for (unsigned i = 0; i < SOCKETS; i++)
		for (unsigned k = 0; k < u.s[i].n_slots; k++) {
			const struct slot *s = &u.s[i].slots[k];

			assert_int_equal(slot_reason(&u, i, s), REASON_NONE);
			same_u64(counter_total(&u, i, s), slot_truth(&u, i, s), s->plan->identity,
				 __LINE__);
		}
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(readers_beside_samplers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
