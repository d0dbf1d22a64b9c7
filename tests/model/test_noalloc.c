/* test_noalloc.c - the sampling tick allocates nothing: rotation, faults, re-arming and publication included.
 *
 * The allocator of the whole program is ours here; it counts while it is told to.
 */
#include "config.h"

#include "rig.h"

#include <stdatomic.h>

#define ROUNDS \
	"interval = \"1s\"; rotation = \"4s\"; groups = (" \
	"{ name = \"a\"; events = [ " RIG_ALL_EVENTS " ]; }," \
	"{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\", \"sbox/TO_R_PROG_EV,match=0x80000000000\", \"wbox/CLOCKTICKS\" ]; }," \
	"{ name = \"c\"; events = [ \"bbox/IMT_INSERTS_WR\", \"rbox/XBAR_MM:NCB.ANYINT,port=1\" ]; } );"

#if defined(UNCORED_SANITIZED) || !defined(__GLIBC__)

int main(void)
{
	puts("skipped: this build's allocator belongs to the sanitizers");
	return 77;
}

#else

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);

static atomic_bool counting;
static atomic_uint calls;

static void note(void)
{
	if (counting)
		calls++;
}

void *malloc(size_t n)
{
	note();
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	note();
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	note();
	return __libc_realloc(p, n);
}

void free(void *p)
{
	if (p)
		note();
	__libc_free(p);
}

static void disturb(struct rig *r, struct run *u, unsigned tick)
{
	const struct slot *s = &u->s[0].slots[tick * 7 % u->s[0].n_slots];

	if (tick % 10 == 1)
		model_poke(r->m, 0, s->ctl, model_peek(r->m, 0, s->ctl) ^ 1);
	model_fault(r->m, 0, MODEL_EIO, s->data, tick % 13 == 1);
	model_fault(r->m, 0, MODEL_WRITE_EPERM, msr(0), tick % 50 > 44);      /* rounds that cannot be started */
	model_fault(r->m, 1, MODEL_OFFLINE, msr(0), tick % 31 > 25);
	model_fault(r->m, 1, MODEL_STOP_CLOCK, msr(0), tick % 200 > 170);
}

/* 1000 samples a second of everything, in turns. */
#define FAST \
	"interval = \"50ms\"; rotation = \"500ms\"; groups = (" \
	"{ name = \"a\"; resolution = \"1ms\"; distribution = true; events = [ " RIG_ALL_EVENTS " ]; }," \
	"{ name = \"b\"; resolution = \"5ms\"; distribution = true; events = [ \"bbox/IMT_INSERTS_RD\", \"wbox/CLOCKTICKS\" ]; } );"

static void samples_allocate_nothing(void **state)
{
	const struct plan_socket *s;
	uint64_t samples = 0, invalid = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "bursty", 9);
	run_open(&u, &r, FAST, NULL);
	s = &u.plan->sockets[0];
	run_start(&u);
	calls = 0;
	counting = true;
	for (unsigned tick = 0; tick < 1000; tick++) {
		if (tick % 20 == 0)
			disturb(&r, &u, tick / 20);
		run_ticks(&u, 1, 0);
	}
	counting = false;
	assert_int_equal(calls, 0);
	for (unsigned w = 0; w < s->n_watches; w++) {
		invalid += u.s[0].words[u.s[0].layout.watch_invalid + w];
		for (unsigned b = 0; b <= s->watches[w].histogram.n_bounds; b++)
			samples += u.s[0].words[layout_histogram(s, w) + H_CLASSIC + b];
	}
	assert_true(samples > 10000 && invalid > 1000);
	run_stop(&u);
	run_close(&u);
	rig_close(&r);
}

static void ticks_allocate_nothing(void **state)
{
	void *volatile p;
	unsigned noted;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "bursty", 9);
	run_open(&u, &r, ROUNDS, NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 3);
	run_start(&u);
	counting = true;
	p = malloc(1);                  /* it does count */
	free(p);
	noted = calls;
	calls = 0;
	for (unsigned tick = 0; tick < 1000; tick++) {
		disturb(&r, &u, tick);
		run_ticks(&u, 1, 0);
	}
	counting = false;
	assert_int_equal(noted, 2);
	assert_int_equal(calls, 0);
	/* And it all happened. */
	for (unsigned i = 0; i < 2; i++)
		assert_true(u.s[i].words[i ? W_INVALID + REASON_OFFLINE : W_FOREIGN] > 20);
	assert_true(u.s[1].words[W_INVALID + REASON_STOPPED] > 20);
	run_stop(&u);
	run_close(&u);
	rig_close(&r);
}

/* Windows that end, rounds that begin, and everything that can go wrong with them. */
static void windows_allocate_nothing(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "bursty", 9);
	run_open(&u, &r, "interval = \"50ms\"; rotation = \"500ms\"; groups = ( { name = \"a\"; distribution = true; "
		 "window = { event = \"mbox0/CYCLES\"; count = 5000000; }; events = [ " RIG_ALL_EVENTS " ]; },"
		 "{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\", \"wbox/CLOCKTICKS\" ]; } );", NULL);
	run_start(&u);
	calls = 0;
	counting = true;
	for (unsigned tick = 0; tick < 1000; tick++) {
		if (tick % 20 == 0)
			disturb(&r, &u, tick / 20);
		run_ticks(&u, 1, 0);
	}
	counting = false;
	assert_int_equal(calls, 0);
	assert_true(u.s[0].words[W_FROZEN] > NSEC_PER_SEC && u.s[0].words[W_FOREIGN] > 1);
	run_stop(&u);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ticks_allocate_nothing), cmocka_unit_test(samples_allocate_nothing),
					    cmocka_unit_test(windows_allocate_nothing) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
