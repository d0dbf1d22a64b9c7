/* test_verify_load.c - the load counts what it moves on this machine, and leaves nothing. */
#include "base/bits.h"
#include "verify/load.h"

#include <sched.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static struct load *made(void)
{
	struct load *l = NULL;
	struct err err = { "" };

	if (load_new("/sys", "/proc", &l, &err) < 0) {
		print_message("%s\n", err.text);
		skip();
	}
	return l;
}

static uint64_t moved(const struct load *l, unsigned kind)
{
	return l ? load_traffic(l)->moved[load_socket_id(l, 0)][kind] : 0;
}

static void run(struct load *l, enum load_kind kind, double duty)
{
	const struct load_job job = { .kind = kind, .duty = duty };
	struct err err = { "" };

	assert_int_equal(load_start(l, &job, &err), 0);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	load_stop(l);
}

/* Each kernel counts in the directions that it moves, and only there. */
static void test_kernels(void **unused)
{
	static const struct { enum load_kind kind; bool reads, writes; } rows[] = {
		{ LOAD_IDLE, false, false }, { LOAD_READ, true, false },
		{ LOAD_STREAM, false, true }, { LOAD_WRITE, true, true },
		{ LOAD_CHASE, true, false },
	};
	struct load *l = made();

	(void)unused;
	assert_true(load_sockets(l) > 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t reads = moved(l, TRAFFIC_READ), writes = moved(l, TRAFFIC_WRITTEN);

		run(l, rows[i].kind, 1);
		assert_int_equal(moved(l, TRAFFIC_READ) > reads, rows[i].reads);
		assert_int_equal(moved(l, TRAFFIC_WRITTEN) > writes, rows[i].writes);
		assert_int_equal(load_latency_seconds(l) > 0, rows[i].kind == LOAD_CHASE);
	}
	load_free(l);
}

/* Entries of /proc/self/task, and lines of /proc/self/maps that nobody names. */
static unsigned count_tasks(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/task", &st), 0);
	return (unsigned)st.st_nlink - 2;
}

static long resident_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all = 0, resident = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld %ld", &all, &resident), 2);
	fclose(f);
	return resident;
}

static void test_nothing_left(void **unused)
{
	cpu_set_t before, after;
	unsigned tasks = count_tasks();
	long pages = resident_pages();
	struct load *l = made();

	(void)unused;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	run(l, LOAD_READ, 0.5);
	assert_int_equal(count_tasks(), tasks);
	load_free(l);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	assert_true(resident_pages() < pages + 1024);
}

/* What TRAFFIC_FILE names holds the same numbers, for whoever else maps it. */
static void test_shared(void **unused)
{
	char dir[] = "/tmp/uncored-verify-XXXXXX", path[64];
	struct traffic *seen = NULL;
	struct err err = { "" };
	struct load *l;

	(void)unused;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/traffic", dir);
	setenv(TRAFFIC_FILE, path, 1);
	l = made();
	assert_int_equal(traffic_map(&seen, &err), 0);
	run(l, LOAD_STREAM, 1);
	assert_true(moved(l, TRAFFIC_WRITTEN) > 0);
	assert_int_equal(seen->moved[load_socket_id(l, 0)][TRAFFIC_WRITTEN],
			 moved(l, TRAFFIC_WRITTEN));
	load_free(l);
	traffic_free(seen);
	unlink(path);
	setenv(TRAFFIC_FILE, dir, 1);
	assert_true(traffic_map(&seen, &err) < 0);
	assert_non_null(strstr(err.text, dir));
	unsetenv(TRAFFIC_FILE);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels), cmocka_unit_test(test_nothing_left),
		cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
