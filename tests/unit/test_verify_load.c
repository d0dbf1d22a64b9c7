/* SPDX-License-Identifier: MIT
 * The load counts what it moves on this machine, and leaves nothing. */
#include "base/bits.h"
#include "verify/load.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum { GUARD = 65536 };                 /* bytes; no page is larger */

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
	return l->sockets[0].moved[kind];
}

/* For 50 ms, and on a machine that is busy until something was moved. */
static void run(struct load *l, enum load_kind kind, double duty)
{
	const struct load_job job = { .kind = kind, .duty = duty };
	uint64_t before = moved(l, TRAFFIC_READ) + moved(l, TRAFFIC_WRITTEN);
	struct err err = { "" };
	unsigned waits = 0;

	assert_int_equal(load_start(l, &job, &err), 0);
	do
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	while (kind != LOAD_IDLE && ++waits < 200 &&
	       moved(l, TRAFFIC_READ) + moved(l, TRAFFIC_WRITTEN) == before);
	load_stop(l);
}

/* Each kernel counts in the directions that it moves, and only there. */
static void test_kinds(void **unused)
{
	static const struct { enum load_kind kind; bool reads, writes; } rows[] = {
		{ LOAD_IDLE, false, false }, { LOAD_READ, true, false },
		{ LOAD_STREAM, false, true }, { LOAD_WRITE, true, true },
		{ LOAD_CHASE, true, false },
	};
	struct load *l = made();

	(void)unused;
	assert_true(l->n_sockets > 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t reads = moved(l, TRAFFIC_READ), writes = moved(l, TRAFFIC_WRITTEN);

		run(l, rows[i].kind, 1);
		assert_int_equal(moved(l, TRAFFIC_READ) > reads, rows[i].reads);
		assert_int_equal(moved(l, TRAFFIC_WRITTEN) > writes, rows[i].writes);
		assert_int_equal(isfinite(l->latency), rows[i].kind == LOAD_CHASE);
	}
	load_free(l);
}

/* A chunk between two pages that must not be touched. */
static char *chunk(void)
{
	char *p = mmap(NULL, LOAD_CHUNK + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	assert_int_equal(mprotect(p + GUARD, LOAD_CHUNK, PROT_READ | PROT_WRITE), 0);
	return p + GUARD;
}

/* Every word of a chunk is read, once and alone: what was seen is the exclusive or of all. */
static void test_every_byte_is_read(void **unused)
{
	uint64_t *at = (uint64_t *)(void *)chunk(), all = 0, seen = 0;

	(void)unused;
	for (size_t i = 0; i < LOAD_CHUNK / sizeof(*at); i++)
		all ^= at[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
	assert_ptr_equal(load_chunk(LOAD_READ, (char *)at, LOAD_CHUNK, &seen),
			 (char *)at + LOAD_CHUNK);
	assert_int_equal(seen, all);
	for (size_t i = 0; i < LOAD_CHUNK / sizeof(*at); i++)
		assert_int_equal(at[i], (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
	munmap((char *)at - GUARD, LOAD_CHUNK + 2 * GUARD);
}

static void test_every_byte_is_written(void **unused)
{
	static const enum load_kind kinds[] = { LOAD_STREAM, LOAD_WRITE };
	char *at = chunk();
	uint64_t seen = 0;

	(void)unused;
	for (size_t k = 0; k < COUNT(kinds); k++) {
		memset(at, 0x55, LOAD_CHUNK);
		assert_ptr_equal(load_chunk(kinds[k], at, LOAD_CHUNK, &seen), at + LOAD_CHUNK);
		for (size_t i = 0; i < LOAD_CHUNK; i++)
			assert_int_not_equal(at[i], 0x55);
		assert_int_equal(seen, 0);
	}
	munmap(at - GUARD, LOAD_CHUNK + 2 * GUARD);
}

/* The chase goes through all lines of the memory that is read before it is back, a chunk's count of
 * lines at a time. */
static void test_chase(void **unused)
{
	struct load *l = made();
	size_t lines;
	uint64_t seen = 0;
	char *at, *been;

	(void)unused;
	run(l, LOAD_IDLE, 1);                   /* takes the memory */
	at = l->sockets[0].memory;
	lines = l->read_bytes / LOAD_LINE;
	been = calloc(lines, 1);
	assert_non_null(been);
	for (size_t i = 0; i < lines; i++) {
		size_t line = (size_t)(at - l->sockets[0].memory) / LOAD_LINE;

		assert_true(line < lines && !been[line]);
		been[line] = 1;
		at = *(char **)(void *)at;
	}
	assert_ptr_equal(at, l->sockets[0].memory);
	for (unsigned i = 0; i < LOAD_CHUNK / LOAD_LINE; i++)
		at = *(char **)(void *)at;
	assert_ptr_equal(load_chunk(LOAD_CHASE, l->sockets[0].memory, LOAD_CHUNK, &seen), at);
	free(been);
	load_free(l);
}

/* So few chunks are written that none is written twice: the bytes that changed are those that were
 * counted, and what is read did not change. */
static void test_count_is_exact(void **unused)
{
	static const enum load_kind kinds[] = { LOAD_STREAM, LOAD_WRITE };
	struct load *l = made();

	(void)unused;
	run(l, LOAD_IDLE, 1);
	for (size_t k = 0; k < COUNT(kinds); k++) {
		char *memory = l->sockets[0].memory, *chain = malloc(l->read_bytes);
		uint64_t writes = moved(l, TRAFFIC_WRITTEN), reads = moved(l, TRAFFIC_READ);
		uint64_t changed = 0;

		assert_non_null(chain);
		memcpy(chain, memory, l->read_bytes);
		memset(memory + l->read_bytes, 0x55, l->read_bytes);
		run(l, kinds[k], 0.002);
		for (size_t i = 0; i < l->read_bytes; i++)
			changed += memory[l->read_bytes + i] != 0x55;
		assert_true(changed > 0 && changed < l->read_bytes);
		assert_int_equal(moved(l, TRAFFIC_WRITTEN) - writes, changed);
		assert_int_equal(moved(l, TRAFFIC_READ) - reads,
				 kinds[k] == LOAD_WRITE ? changed : 0);
		assert_memory_equal(memory, chain, l->read_bytes);
		free(chain);
	}
	load_free(l);
}

/* Entries of /proc/self/task. */
static unsigned count_tasks(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/task", &st), 0);
	return (unsigned)st.st_nlink - 2;
}

/* The kernel takes a thread out of the list after it woke whoever joined it. */
static void expect_tasks(unsigned want)
{
	for (unsigned waits = 0; count_tasks() != want && waits < 500; waits++)
		usleep(10000);
	assert_int_equal(count_tasks(), want);
}

/* Of the pages of p, as the page tables have it: the numbers of /proc are late. */
static size_t resident_pages(void *p, size_t size)
{
	size_t n = size / (size_t)sysconf(_SC_PAGESIZE), resident = 0;
	unsigned char *in = calloc(n, 1);

	assert_non_null(in);
	if (mincore(p, size, in) < 0)
		assert_int_equal(errno, ENOMEM);        /* nothing is mapped there */
	for (size_t i = 0; i < n; i++)
		resident += in[i] & 1;
	free(in);
	return resident;
}

static void test_nothing_left(void **unused)
{
	cpu_set_t before, after;
	unsigned tasks = count_tasks();
	struct load *l = made();
	size_t size = 2 * l->read_bytes;
	char *memory;

	(void)unused;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	run(l, LOAD_READ, 0.5);
	expect_tasks(tasks);
	memory = l->sockets[0].memory;
	assert_int_equal(resident_pages(memory, size), size / (size_t)sysconf(_SC_PAGESIZE));
	load_free(l);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(resident_pages(memory, size), 0);
}

/* A limit on memory stops the load before it begins. */
static void test_no_memory(void **unused)
{
	const struct load_job job = { .kind = LOAD_READ, .duty = 1 };
	struct rlimit before, none;
	struct err err = { "" };
	struct load *l = made();
	unsigned tasks = count_tasks();
	int r;

	(void)unused;
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	none = (struct rlimit){ 1 << 20, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	r = load_start(l, &job, &err);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(r, -ENOMEM);
	assert_non_null(strstr(err.text, "has not enough free memory; stop what uses it"));
	expect_tasks(tasks);
	load_free(l);
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
	assert_int_equal(seen->moved[0][TRAFFIC_WRITTEN],
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

/* Sub-NUMA clusters, NPS: a socket has several nodes, and channels in each. */
static void test_policy(void **unused)
{
	(void)unused;
	assert_int_equal(load_policy(1), MPOL_BIND);
	assert_int_equal(load_policy(1ul << 63), MPOL_BIND);
	assert_int_equal(load_policy(3), MPOL_INTERLEAVE);
	assert_int_equal(load_policy(0xf0), MPOL_INTERLEAVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_every_byte_is_read),
		cmocka_unit_test(test_every_byte_is_written), cmocka_unit_test(test_chase),
		cmocka_unit_test(test_count_is_exact), cmocka_unit_test(test_nothing_left),
		cmocka_unit_test(test_no_memory), cmocka_unit_test(test_shared),
		cmocka_unit_test(test_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
