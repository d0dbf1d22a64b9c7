/* SPDX-License-Identifier: MIT
 * The sampling tick allocates nothing, takes no lock, formats and writes no text:
 * rotation, faults, re-arming and publication included.
 * What forbidden.h watches counts while it is told to. The shipped program is watched in the same
 * way by tests/e2e/sampling_path.py.
 */
#include "rig.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS \
	"interval = \"1s\"; rotation = \"4s\"; groups = (" \
	"{ name = \"a\"; events = [ " RIG_ALL_EVENTS " ]; }," \
	"{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\", " \
	"\"sbox/TO_R_PROG_EV,match=0x80000000000\", \"wbox/CLOCKTICKS\" ]; }," \
	"{ name = \"c\"; events = [ \"bbox/IMT_INSERTS_WR\", \"rbox/XBAR_MM:NCB.ANYINT,port=1\" " \
	"]; } );"

#if defined(UNCORED_SANITIZED) || !defined(__GLIBC__)

int main(void)
{
	puts("skipped: this build's allocator belongs to the sanitizers");
	return 77;
}

#else

static atomic_bool counting;
static atomic_uint calls;

static void note(const char *name)
{
	(void)name;
	if (counting)
		calls++;
}

/* The model's own lock stands for no call of the sampler's: on a machine there is hardware in its
 * place. */
static pthread_mutex_t *hardware;
static bool meeting_hardware;

static void note_lock(pthread_mutex_t *m)
{
	if (meeting_hardware)
		hardware = m;
	else if (m != hardware)
		note("pthread_mutex_lock");
}

#include "forbidden.h"

static void meet(struct model *m)
{
	meeting_hardware = true;
	model_now(m);
	meeting_hardware = false;
}

/* Everything that must not happen in a tick is seen here. */
static void what_is_noted(void **state)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	unsigned n[6] = { 0 }, seen = 0;
	struct err err = { "" };
	void *volatile p;

	(void)state;
	calls = 0;
	counting = true;
	p = malloc(1);
	free(p);
	n[seen++] = calls;
	pthread_mutex_lock(&lock);
	n[seen++] = calls;
	pthread_mutex_unlock(&lock);
	err_set(&err, -EIO, "%s", "a sentence");
	n[seen++] = calls;
	nsec_text(1500);
	n[seen++] = calls;
	fprintf(stdout, "# a line\n");
	n[seen++] = calls;
	n[seen] = calls + (write(STDOUT_FILENO, "", 0) < 0);
	n[seen] = calls;
	counting = false;
	assert_int_equal(n[0], 2);
	assert_int_equal(n[1], 3);
	for (unsigned i = 2; i < COUNT(n); i++)
		assert_true(n[i] > n[i - 1]);
}

static void disturb(struct rig *r, struct run *u, unsigned tick)
{
	const struct slot *s = &u->s[0].slots[tick * 7 % u->s[0].n_slots];

	if (tick % 10 == 1)
		model_poke(r->m, 0, s->ctl, model_peek(r->m, 0, s->ctl) ^ 1);
	model_fault(r->m, 0, MODEL_EIO, s->data, tick % 13 == 1);
	/* rounds that cannot be started */
	model_fault(r->m, 0, MODEL_WRITE_EPERM, msr(0), tick % 50 > 44);
	model_fault(r->m, 1, MODEL_OFFLINE, msr(0), tick % 31 > 25);
	model_fault(r->m, 1, MODEL_STOP_CLOCK, msr(0), tick % 200 > 170);
}

/* 1000 samples a second of everything, in turns. */
#define FAST \
	"interval = \"50ms\"; rotation = \"500ms\"; groups = (" \
	"{ name = \"a\"; resolution = \"1ms\"; distribution = true; events = [ " RIG_ALL_EVENTS \
	" ]; }," \
	"{ name = \"b\"; resolution = \"5ms\"; distribution = true; events = [ " \
	"\"bbox/IMT_INSERTS_RD\", \"wbox/CLOCKTICKS\" ]; } );"

static void samples_call_nothing(void **state)
{
	const struct plan_socket *s;
	uint64_t samples = 0, invalid = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "bursty", 9);
	run_open(&u, &r, FAST, NULL);
	s = &u.plan->sockets[0];
	meet(r.m);
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
	for (unsigned w = 0; w < s->n_distributions; w++) {
		invalid += u.s[0].words[u.s[0].layout.samples_invalid + w];
		for (unsigned b = 0; b <= s->distributions[w].histogram.n_bounds; b++)
			samples += u.s[0].words[layout_histogram(s, w) + H_CLASSIC + b];
	}
	assert_true(samples > 10000 && invalid > 1000);
	run_stop(&u);
	run_close(&u);
	rig_close(&r);
}

static void ticks_call_nothing(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "bursty", 9);
	run_open(&u, &r, ROUNDS, NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 3);
	meet(r.m);
	run_start(&u);
	calls = 0;
	counting = true;
	for (unsigned tick = 0; tick < 1000; tick++) {
		disturb(&r, &u, tick);
		run_ticks(&u, 1, 0);
	}
	counting = false;
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
static void windows_call_nothing(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "bursty", 9);
	run_open(&u, &r, "interval = \"50ms\"; rotation = \"500ms\"; groups = ( { name = \"a\"; "
		 "distribution = true; "
		 "window = { event = \"mbox0/CYCLES\"; count = 5000000; }; events = [ "
		 RIG_ALL_EVENTS " ]; },"
		 "{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\", \"wbox/CLOCKTICKS\" ]; } );",
		 NULL);
	meet(r.m);
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

/* The CPU went offline: its registers are reached through another one's file. */
static void moves_call_nothing(void **state)
{
	static const unsigned cpus[] = { 3, 2147483647 };
	char dev[] = "/tmp/test_noalloc.XXXXXX", path[64];
	struct err err = { "" };
	struct regio *io;

	(void)state;
	assert_non_null(mkdtemp(dev));
	snprintf(path, sizeof(path), "%s/cpu", dev);
	mkdir(path, 0700);
	for (unsigned i = 0; i < COUNT(cpus); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/cpu/%u", dev, cpus[i]);
		mkdir(path, 0700);
		strcat(path, "/msr");
		f = fopen(path, "w");
		assert_true(f && fputs("12345678", f) >= 0 && fclose(f) == 0);
	}
	assert_int_equal(regio_msr_new(dev, cpus, COUNT(cpus), &io, &err), 0);
	calls = 0;
	counting = true;
	regio_move(io);
	counting = false;
	assert_int_equal(calls, 0);
	assert_int_equal(regio_cpu(io), cpus[1]);
	regio_free(io);
	for (unsigned i = 0; i < COUNT(cpus); i++) {
		snprintf(path, sizeof(path), "%s/cpu/%u/msr", dev, cpus[i]);
		unlink(path);
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_noted),
					    cmocka_unit_test(moves_call_nothing),
					    cmocka_unit_test(ticks_call_nothing),
					    cmocka_unit_test(samples_call_nothing),
					    cmocka_unit_test(windows_call_nothing) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
