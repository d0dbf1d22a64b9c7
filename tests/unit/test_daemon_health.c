/* SPDX-License-Identifier: MIT
 * Which samplers have stalled, and what the journal and the service manager
 * are told of it. Ticks lie an hour ahead or behind, so that no test depends on its own speed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "capture.h"
#include "daemon/health.h"
#include "expo_plan.h"
#include "temp_dir.h"

#include <sys/socket.h>
#include <sys/un.h>

#define HOUR (3600 * NSEC_PER_SEC)

static struct conf conf = { .hash = 47 };
static struct generation g;
static struct generation_socket counting[2];
static struct health h;
static uint64_t *words[2];
static struct layout lay[2];
static int manager;

static int set_up(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	unsigned sizes[2];

	(void)state;
	if (temp_make("health") < 0)
		return -1;
	for (unsigned i = 0; i < 2; i++) {
		lay[i] = layout_of(&plan_sockets[i]);
		sizes[i] = lay[i].n_words;
		words[i] = calloc(sizes[i], sizeof(uint64_t));
	}
	h = (struct health){ .values[D_CONFIG_OK] = 1 };
	g = (struct generation){ .conf = &conf, .plan = (struct plan *)(uintptr_t)&hand_plan,
				 .sockets = counting };
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", temp_path("notify"));
	manager = socket(AF_UNIX, SOCK_DGRAM, 0);
	setenv("NOTIFY_SOCKET", a.sun_path, 1);
	return shared_new(sizes, 2, D_VALUES, &g.shared, NULL) < 0 ||
	       health_reserve(&h, g.plan, NULL) < 0 ||
	       bind(manager, (struct sockaddr *)&a, sizeof(a)) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	unsetenv("NOTIFY_SOCKET");
	close(manager);
	free(words[0]);
	free(words[1]);
	health_done(&h);
	shared_free(g.shared);
	return drop("");
}

/* Socket number i has ticked, `ago` ns before now; below 0: after. */
static void tick(unsigned i, nsec ago)
{
	words[i][W_TICK_MONO] = (uint64_t)(generation_clock.mono(NULL) - ago);
	ring_write(&g.shared->rings[i], words[i]);
}

/* health_check() returns `alive` and logs this: "" nothing. */
static void look(int line, bool alive, const char *said)
{
	const char *text;
	bool got;

	capture_begin(STDERR_FILENO);
	got = health_check(&h, &g);
	text = capture_end();
	if (got != alive || (*said ? !strstr(text, said) : *text))
		fail_msg("line %d: %d, \"%s\"", line, got, text);
}

static void status(int line, const char *want)
{
	char text[512];
	ssize_t n;

	health_status(&h, &g);
	n = recv(manager, text, sizeof(text) - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = '\0';
	if (strcmp(text, want) != 0)
		fail_msg("line %d: \"%s\"", line, text);
}

/* Ids of the sockets: 0 and 2. Each is said once, and its end, too. */
static void test_stalled(void **state)
{
	(void)state;
	look(__LINE__, false, "");              /* none has published: nothing is known */
	tick(0, -HOUR);
	tick(1, -HOUR);
	look(__LINE__, true, "");
	tick(1, HOUR);
	look(__LINE__, true, "socket 2: not sampled for 3600 s");
	look(__LINE__, true, "");
	assert_false(h.sockets[0].stalled);
	assert_true(h.sockets[1].stalled);
	tick(0, HOUR);
	look(__LINE__, false, "socket 0: not sampled for");
	look(__LINE__, false, "");
	tick(1, -HOUR);
	look(__LINE__, true, "socket 2: sampled again");
	health_reset(&h);
	assert_false(h.sockets[0].stalled);
	look(__LINE__, true, "socket 0: not sampled for");
}

/* Where nothing is counted no sampler can stall, and the watchdog is fed. */
static void test_empty(void **state)
{
	(void)state;
	g.sockets = NULL;
	look(__LINE__, true, "");
	capture_begin(STDERR_FILENO);
	health_log(&h, &g);
	assert_string_equal(capture_end(), "");
}

/* A socket whose CPUs are all offline has a reason not to tick: the service manager need not see to
 * it. One slot that is invalid for another reason: it hangs. */
static void test_offline(void **state)
{
	(void)state;
	for (unsigned k = 0; k < plan_sockets[0].n_series; k++)
		words[0][lay[0].slot_reason + k] = REASON_OFFLINE;
	words[1][lay[1].slot_reason] = REASON_LATE;
	tick(0, HOUR);
	tick(1, HOUR);
	look(__LINE__, true, "socket 2: not sampled for");
	words[0][lay[0].slot_reason + 3] = REASON_NONE;
	tick(0, HOUR);
	look(__LINE__, false, "");
}

/* Four slots on the first socket, one on the second, by hand from expo_plan.h. */
static void test_status(void **state)
{
	(void)state;
	status(__LINE__, "STATUS=5 events on 2 sockets, 0 invalid");
	words[0][lay[0].slot_reason + 1] = REASON_FOREIGN;
	tick(0, -HOUR);
	tick(1, -HOUR);
	status(__LINE__, "STATUS=5 events on 2 sockets, 1 invalid");
	h.simulated = true;
	status(__LINE__, "STATUS=SIMULATED: 5 events on 2 sockets, 1 invalid");
	h.sockets[0].stalled = true;
	h.simulated = false;
	h.values[D_CONFIG_OK] = 0;
	status(__LINE__, "STATUS=5 events on 2 sockets, 4 invalid, 1 of the sockets stalled; "
	       "the last reload failed, the old configuration is in use");
}

/* health_log() logs this of the first socket. */
static void logs(int line, const char *said)
{
	const char *text;

	tick(0, -HOUR);
	capture_begin(STDERR_FILENO);
	health_log(&h, &g);
	text = capture_end();
	if (*said ? !strstr(text, said) : *text)
		fail_msg("line %d: \"%s\"", line, text);
}

/* One line when something went wrong, not another within a minute, one when all is well again. */
static void test_log(void **state)
{
	(void)state;
	logs(__LINE__, "");
	words[0][lay[0].slot_reason + 1] = REASON_FOREIGN;
	words[0][lay[0].slot_reason + 3] = REASON_LATE;
	words[0][W_FOREIGN] = 3;
	words[0][W_RESETS] = 2;
	words[0][W_READ_ERRORS] = 1;
	logs(__LINE__, "socket 0: cbox3/LLC_HITS:M:E (and 1 more) is not being counted: foreign "
	     "(foreign "
	     "writes 3, resets 2, read errors 1 so far)\n");
	logs(__LINE__, "");                     /* the same */
	words[0][W_FOREIGN] = 4;
	logs(__LINE__, "");                     /* within the minute */
	h.sockets[0].logged_at -= 61 * NSEC_PER_SEC;
	words[0][lay[0].slot_reason + 1] = REASON_NONE;
	logs(__LINE__, "socket 0: perf/uncore_imc_1/cas_count_read/ is not being counted: late "
	     "(foreign "
	     "writes 4, ");
	words[0][lay[0].slot_reason + 3] = REASON_NONE;
	h.sockets[0].logged_at -= 61 * NSEC_PER_SEC;
	logs(__LINE__, "socket 0: every event is counted again\n");
	h.sockets[0].logged_at -= 61 * NSEC_PER_SEC;
	logs(__LINE__, "");
	/* of one that has stalled the other line says all */
	words[0][W_FOREIGN] = 9;
	h.sockets[0].logged_at -= 61 * NSEC_PER_SEC;
	words[0][lay[0].slot_reason + 0] = REASON_RESET;
	h.sockets[0].stalled = true;
	logs(__LINE__, "");
	health_reset(&h);
	logs(__LINE__, "socket 0: bbox0/IMT_INSERTS_ALL is not being counted: reset (foreign "
		       "writes 9");
}

/* What the http process sees; a counter of CPU time does not fall when a process that had much of
 * it has ended. */
static void test_publish(void **state)
{
	uint64_t seen[D_VALUES];

	(void)state;
	h.values[D_CPU_NSEC] = 1000000 * (uint64_t)NSEC_PER_SEC;
	h.values[D_DRIVER] = 7;
	health_publish(&h, &g, 0);
	assert_int_equal(ring_read(&g.shared->daemon, seen), 1);
	assert_int_equal(seen[D_CPU_NSEC], 1000000 * (uint64_t)NSEC_PER_SEC);
	assert_int_equal(seen[D_DRIVER], 7);
	assert_int_equal(seen[D_CONFIG_OK], 1);
	assert_true(seen[D_FDS] > 0 && seen[D_RSS_BYTES] > 0);
}

/* What it costs is asked for every ten seconds, all of it at once, and when there is another http
 * process; the other values are those of now. */
static void test_cost(void **state)
{
	uint64_t seen[D_VALUES], fds;
	int fd;

	(void)state;
	health_publish(&h, &g, 0);
	ring_read(&g.shared->daemon, seen);
	fds = seen[D_FDS];
	fd = dup(STDERR_FILENO);
	assert_true(fd >= 0);
	h.measured_at -= 9 * NSEC_PER_SEC;
	h.values[D_DRIVER] = 8;
	health_publish(&h, &g, 0);
	ring_read(&g.shared->daemon, seen);
	assert_true(seen[D_FDS] == fds && seen[D_DRIVER] == 8);
	h.measured_at -= NSEC_PER_SEC;
	health_publish(&h, &g, 0);
	ring_read(&g.shared->daemon, seen);
	assert_int_equal(seen[D_FDS], fds + 1);
	close(fd);
	health_publish(&h, &g, 0);
	ring_read(&g.shared->daemon, seen);
	assert_int_equal(seen[D_FDS], fds + 1);
	health_publish(&h, &g, getppid());
	ring_read(&g.shared->daemon, seen);
	assert_true(seen[D_FDS] >= fds && h.measured_child == getppid());
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_stalled), T(test_empty), T(test_offline), T(test_status), T(test_log),
		T(test_publish), T(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
