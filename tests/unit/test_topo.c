/* SPDX-License-Identifier: MIT
 * CPUs and sockets of made-up trees in a temporary directory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "base/bits.h"
#include "topo/topo.h"

#include <errno.h>

#define CPU "devices/system/cpu/"

/* ---- the tree: sysfs and procfs are the same directory here */

static void put_cpu(unsigned cpu, int package, int core)
{
	char name[128], text[32];

	snprintf(name, sizeof(name), CPU "cpu%u/topology/physical_package_id", cpu);
	snprintf(text, sizeof(text), "%d\n", package);
	put(name, text);
	snprintf(name, sizeof(name), CPU "cpu%u/topology/core_id", cpu);
	snprintf(text, sizeof(text), "%d\n", core);
	put(name, text);
}

/* What a kernel shows of a Nehalem-EX: 2 sockets, 2 cores. */
static const char cpuinfo[] =
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 46\n"
	"model name\t: Intel Core i7 9xx (Nehalem Class Core i7)\nstepping\t: 6\n\n"
	"processor\t: 1\nvendor_id\t: Other\ncpu family\t: 7\nmodel\t\t: 1\nstepping\t: 1\n\n";

static int setup(void **state)
{
	(void)state;
	assert_int_equal(temp_make("topo"), 0);
	put("cpuinfo", cpuinfo);
	put(CPU "online", "0-3\n");
	for (unsigned i = 0; i < 4; i++)
		put_cpu(i, (int)i / 2, (int)i % 2);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return drop("");
}

static struct topo *read_good(const struct topo *old)
{
	struct topo *t = NULL;
	struct err err = { "" };
	int r = topo_read(root, root, old, &t, &err);

	if (r < 0)
		fail_msg("%s", err.text);
	return t;
}

/* The reading fails, and the sentence names the file. */
static void read_bad(int line, int r, const char *file)
{
	struct topo *t = NULL;
	struct err err = { "" };
	int got = topo_read(root, root, NULL, &t, &err);

	if (got != r || !strstr(err.text, file) || t)
		fail_msg("line %d: %d \"%s\", expected %d and %s", line, got, err.text, r, file);
}

/* "0 4 1": the CPUs of a socket in the order in which they are tried, an offline one in
 * brackets. */
static void check_order(const struct topo_socket *s, const char *want)
{
	char text[256] = "";

	for (unsigned i = 0; i < s->n_cpus; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 s->cpus[i].online ? "%s%u" : "%s(%u)",
			 i ? " " : "", s->cpus[i].cpu);
	assert_string_equal(text, want);
}

/* ---- CPUs and sockets */

static void test_two_sockets(void **state)
{
	struct topo *t = read_good(NULL);

	(void)state;
	assert_int_equal(t->family, 6);
	assert_int_equal(t->model, 46);
	assert_int_equal(t->stepping, 6);
	assert_string_equal(t->vendor, "GenuineIntel");
	assert_int_equal(t->n_sockets, 2);
	check_order(&t->sockets[0], "0 1");
	check_order(&t->sockets[1], "2 3");
	assert_int_equal(topo_reader_cpu(&t->sockets[1]), 2);
	topo_free(t);
}

/* Sparse CPU numbers, package ids not 0..n and not in the order of the CPUs, hyper-threads. */
static void test_sparse(void **state)
{
	struct topo *t;

	(void)state;
	put(CPU "online", "3,8-9,64,1000-1001\n");
	put_cpu(3, 7, 9);
	put_cpu(8, 7, 2);
	put_cpu(9, 2, 0);
	put_cpu(64, 7, 2);
	put_cpu(1000, 7, 9);
	put_cpu(1001, 2, 0);
	t = read_good(NULL);
	assert_int_equal(t->n_sockets, 2);
	assert_int_equal(t->sockets[0].id, 2);
	assert_int_equal(t->sockets[1].id, 7);
	check_order(&t->sockets[0], "9 1001");
	check_order(&t->sockets[1], "8 3 64 1000");
	assert_int_equal(t->sockets[1].cpus[0].thread, 0);
	assert_int_equal(t->sockets[1].cpus[2].thread, 1);
	assert_int_equal(t->sockets[1].cpus[3].core, 9);
	topo_free(t);
}

/* An offline CPU has no topology directory; its place is remembered. */
static void test_offline(void **state)
{
	struct topo *t = read_good(NULL), *u, *v;

	(void)state;
	put(CPU "online", "0-1,3\n");
	drop(CPU "cpu2");
	u = read_good(t);
	check_order(&u->sockets[1], "(2) 3");
	assert_int_equal(topo_reader_cpu(&u->sockets[1]), 3);

	put(CPU "online", "0-1\n");
	v = read_good(u);
	check_order(&v->sockets[1], "(2) (3)");
	assert_int_equal(topo_reader_cpu(&v->sockets[1]), -1);
	topo_free(t);

	put(CPU "online", "0-3\n");
	t = read_good(v);
	check_order(&t->sockets[1], "2 3");
	assert_int_equal(t->sockets[1].cpus[1].core, 1);
	topo_free(t);
	topo_free(u);
	topo_free(v);
}

/* A thread keeps its rank while its sibling is away: CPU 4 is still tried after the other core. */
static void test_offline_sibling(void **state)
{
	struct topo *t, *u;

	(void)state;
	put(CPU "online", "0-1,4-5\n");
	put_cpu(0, 0, 0);
	put_cpu(1, 0, 1);
	put_cpu(4, 0, 0);
	put_cpu(5, 0, 1);
	t = read_good(NULL);
	check_order(&t->sockets[0], "0 1 4 5");
	put(CPU "online", "1,4-5\n");
	u = read_good(t);
	check_order(&u->sockets[0], "(0) 1 4 5");
	assert_int_equal(topo_reader_cpu(&u->sockets[0]), 1);
	topo_free(t);
	topo_free(u);
}

/* One CPU of a package, and of a die, says for all of them what the others then need no file for;
 * a list that cannot be read, or that has itself alone, says nothing of others. */
static void test_told_by_another(void **state)
{
	static const unsigned packages[] = { 7, 2, 7, 7 }, dies[] = { 1, 0, 1, 3 };
	struct topo *t, *u;

	(void)state;
	put_cpu(0, 7, 0);
	put_cpu(1, 2, 0);
	put(CPU "cpu0/topology/package_cpus_list", "0,2-3\n");
	put(CPU "cpu0/topology/die_id", "1\n");
	put(CPU "cpu0/topology/die_cpus_list", "0,2\n");
	put(CPU "cpu1/topology/package_cpus_list", "1\n");
	put(CPU "cpu1/topology/die_cpus_list", "3\n");         /* of no die */
	put(CPU "cpu3/topology/die_id", "3\n");
	put(CPU "cpu3/topology/die_cpus_list", "-\n");
	drop(CPU "cpu2/topology/physical_package_id");
	drop(CPU "cpu3/topology/physical_package_id");
	t = read_good(NULL);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(t->by_number[i]->socket, packages[i]);
		assert_int_equal(t->by_number[i]->die, dies[i]);
	}
	assert_int_equal(t->n_sockets, 2);
	check_order(&t->sockets[1], "0 3 2");
	/* what is known stays, whatever another says later */
	put(CPU "online", "0-4\n");
	put_cpu(4, 5, 0);
	put(CPU "cpu4/topology/package_cpus_list", "0-4\n");
	put(CPU "cpu4/topology/die_id", "6\n");
	put(CPU "cpu4/topology/die_cpus_list", "0-4\n");
	u = read_good(t);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(u->by_number[i]->socket, packages[i]);
		assert_int_equal(u->by_number[i]->die, dies[i]);
	}
	assert_int_equal(u->by_number[4]->socket, 5);
	assert_int_equal(u->by_number[4]->die, 6);
	topo_free(t);
	topo_free(u);
}

static void test_no_package(void **state)
{
	struct topo *t;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		put_cpu(i, -1, -1);
	t = read_good(NULL);
	assert_int_equal(t->n_sockets, 1);
	assert_int_equal(t->sockets[0].id, 0);
	check_order(&t->sockets[0], "0 1 2 3");
	topo_free(t);
}

static void test_hostile_lists(void **state)
{
	static const struct { int line; const char *text; } rows[] = {
		{ __LINE__, "" }, { __LINE__, "\n" }, { __LINE__, "0-4294967295\n" },
		{ __LINE__, "0-8192\n" },
		{ __LINE__, "8192" }, { __LINE__, "18446744073709551616" }, { __LINE__, "0-" },
		{ __LINE__, "-1" },
		{ __LINE__, "3-1" }, { __LINE__, "0-3,2" }, { __LINE__, "0 1" },
		{ __LINE__, "0\n1\n" }, { __LINE__, "0x0" },
		{ __LINE__, "0,\x80" }, { __LINE__, "all" },
	};
	static char big[1 << 20];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		put(CPU "online", rows[i].text);
		read_bad(rows[i].line, -EUCLEAN, CPU "online");
	}
	memset(big, '1', sizeof(big));
	put_bytes(CPU "online", big, sizeof(big));
	read_bad(__LINE__, -EUCLEAN, CPU "online");
	put_bytes(CPU "online", "0-3\0001", 5);
	read_bad(__LINE__, -EUCLEAN, CPU "online");
	drop(CPU "online");
	read_bad(__LINE__, -ENOENT, CPU "online");
	mkdir(temp_path(CPU "online"), 0755);
	read_bad(__LINE__, -EISDIR, CPU "online");
	drop(CPU "online");
	mkfifo(temp_path(CPU "online"), 0644);
	read_bad(__LINE__, -EUCLEAN, CPU "online");      /* and does not wait for a writer */
}

static void test_hostile_ids(void **state)
{
	static const struct { int line; const char *text; } rows[] = {
		{ __LINE__, "" }, { __LINE__, "-2\n" }, { __LINE__, "x\n" }, { __LINE__, "1 2\n" },
		{ __LINE__, "4294967296\n" },
		{ __LINE__, "99999999999999999999\n" }, { __LINE__, " 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		put(CPU "cpu3/topology/physical_package_id", rows[i].text);
		read_bad(rows[i].line, -EUCLEAN, "cpu3/topology/physical_package_id");
	}
	drop(CPU "cpu3/topology");
	read_bad(__LINE__, -ENOENT, "cpu3/topology/physical_package_id");
	put_cpu(3, 1, 1);
	drop(CPU "cpu1/topology/core_id");
	read_bad(__LINE__, -ENOENT, "cpu1/topology/core_id");
}

static void test_cpuinfo(void **state)
{
	static const struct { int line; const char *text; unsigned family, model, stepping;
			      const char *vendor; } rows[] = {
		{ __LINE__, "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n", 0, 0, 0, "" },
		{ __LINE__, "", 0, 0, 0, "" },
		{ __LINE__, "vendor_id\t: AVeryLongVendorNameIndeed\ncpu family\t: 6\n", 6, 0, 0, "AVeryLongVendor" },
		{ __LINE__, "model name\t: model : 7\nmodel\t\t: 62\nstepping\t: unknown\ncpu family : 6\n", 6, 62, 0, "" },
		{ __LINE__, "model\t: 99999999999\ncpu family\t: -6\nstepping\t: 3x\n", 0, 0, 0, "" },
		{ __LINE__, "model: 26", 0, 0, 0, "" },         /* cut off: it may be 265 */
		{ __LINE__, "model: 26\n\nstepping: 5\n", 0, 26, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct topo *t;

		put("cpuinfo", rows[i].text);
		t = read_good(NULL);
		if (t->family != rows[i].family || t->model != rows[i].model ||
		    t->stepping != rows[i].stepping ||
		    strcmp(t->vendor, rows[i].vendor) != 0)
			fail_msg("line %d: %u %u %u \"%s\"", rows[i].line, t->family, t->model,
				 t->stepping, t->vendor);
		topo_free(t);
	}
	drop("cpuinfo");
	read_bad(__LINE__, -ENOENT, "/cpuinfo");
}

#define X8  "xxxxxxxx"
#define X80 X8 X8 X8 X8 X8 X8 X8 X8 X8 X8

/* Whatever bytes it has, what comes of it is UTF-8 that is seen. */
static void test_model_name(void **state)
{
	static const struct {
		int line;
		const char *text, *name;
		unsigned implementer, part;
	} rows[] = {
		{ __LINE__, "model name\t: Intel(R) Xeon(R) CPU           X7560  @ 2.27GHz\n",
		  "Intel(R) Xeon(R) CPU           X7560  @ 2.27GHz", 0, 0 },
		{ __LINE__, "model name\t: AMD EPYC 9654 96-Core Processor                \n",
		  "AMD EPYC 9654 96-Core Processor", 0, 0 },
		{ __LINE__, "vendor_id\t: GenuineIntel\n", "", 0, 0 },
		{ __LINE__, "model name\t:\n", "", 0, 0 },
		{ __LINE__, "model name\t: unknown\n", "", 0, 0 },      /* CPUID has none */
		{ __LINE__, "model name\t: a \"b\" \\n c\n", "a \"b\" \\n c", 0, 0 },
		{ __LINE__, "model name\t: caf\xc3\xa9 \xff\xc3 \xe2\x80\xae x\x1b[m\tz\n",
		  "caf\xc3\xa9 ?? ??? x?[m?z", 0, 0 },
		{ __LINE__, "model name\t: end \xc3\n", "end ?", 0, 0 },
		{ __LINE__, "model name\t: " X80 X8 "xxxxx\xc3\xa9\xc3\xa9\n",
		  X80 X8 "xxxxx\xc3\xa9", 0, 0 },
		{ __LINE__, "model name\t: " X80 X8 "xxxxxx\xc3\xa9\xc3\xa9\n", X80 X8 "xxxxxx", 0, 0 },
		{ __LINE__, "CPU implementer\t: 0xc0\nCPU part\t: 0xac3\n", "", 0xc0, 0xac3 },
		/* as for a program of 32 bits */
		{ __LINE__, "model name\t: ARMv8 Processor rev 1 (v8l)\nCPU implementer\t: 0x41\n"
		  "CPU part\t: 0xd0c\n", "", 0x41, 0xd0c },
		{ __LINE__, "CPU implementer\t: 41\nCPU part\t: 0xd0cz\n", "", 0, 0 },
		{ __LINE__, "CPU implementer\t: 0x\nCPU part\t: 0x123456789\n", "", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct topo *t;

		put("cpuinfo", rows[i].text);
		t = read_good(NULL);
		if (strcmp(t->model_name, rows[i].name) != 0 || t->part != rows[i].part ||
		    t->implementer != rows[i].implementer)
			fail_msg("line %d: \"%s\" 0x%x 0x%x", rows[i].line, t->model_name,
				 t->implementer, t->part);
		topo_free(t);
	}
}

/* Parts of a package; what says nothing is part 0. */
static void test_parts(void **state)
{
	struct topo *t, *u;

	(void)state;
	put(CPU "cpu2/topology/die_id", "0\n");
	put(CPU "cpu3/topology/die_id", "1\n");
	put(CPU "cpu1/topology/die_id", "-1\n");
	put(CPU "cpu2/cache/index3/shared_cpu_list", "2,6\n");
	put(CPU "cpu3/cache/index3/shared_cpu_list", "3-5\n");
	put(CPU "cpu1/cache/index3/shared_cpu_list", "all\n");
	t = read_good(NULL);
	assert_int_equal(t->sockets[1].cpus[0].die, 0);
	assert_int_equal(t->sockets[1].cpus[1].die, 1);
	assert_int_equal(t->sockets[1].cpus[0].llc, 2);
	assert_int_equal(t->sockets[1].cpus[1].llc, 3);
	assert_true(t->sockets[0].cpus[1].die == 0 && t->sockets[0].cpus[1].llc == 0);
	drop(CPU "cpu3");
	put(CPU "online", "0-2\n");
	u = read_good(t);                       /* remembered while offline */
	assert_true(u->sockets[1].cpus[1].die == 1 && u->sockets[1].cpus[1].llc == 3);
	topo_free(t);
	topo_free(u);
}

static int node_of(const struct topo *t, unsigned cpu)
{
	return t->by_number[cpu]->node;
}

/* A node of memory alone, one that a kernel names oddly, and one that both sockets have (NPS0). */
static void test_nodes(void **state)
{
	struct topo *t;

	(void)state;
	t = read_good(NULL);
	assert_int_equal(node_of(t, 0), -1);            /* a kernel without nodes */
	assert_int_equal(t->sockets[0].n_nodes, 0);
	topo_free(t);
	put("devices/system/node/node0/cpulist", "0\n");
	put("devices/system/node/node1/cpulist", "1,7000\n");
	put("devices/system/node/node2/cpulist", "2-3\n");
	put("devices/system/node/node3/cpulist", "\n");
	put("devices/system/node/node4x/cpulist", "0\n");
	put("devices/system/node/nodes/cpulist", "0\n");
	t = read_good(NULL);
	assert_int_equal(node_of(t, 0), 0);
	assert_int_equal(node_of(t, 1), 1);
	assert_int_equal(node_of(t, 3), 2);
	assert_int_equal(t->sockets[0].n_nodes, 2);
	assert_int_equal(t->sockets[1].n_nodes, 1);
	assert_int_equal(t->n_memory_nodes, 1);
	topo_free(t);
	drop("devices/system/node");
	put("devices/system/node/node0/cpulist", "0-3\n");
	t = read_good(NULL);
	assert_int_equal(t->sockets[0].n_nodes, 1);
	assert_int_equal(t->sockets[1].n_nodes, 1);
	assert_int_equal(node_of(t, 2), 0);
	topo_free(t);
}

/* Dies by the numbers that the kernel has for all of the machine. */
static void test_dies(void **state)
{
	struct topo *t = read_good(NULL);
	const struct topo_cpu *dies[4];

	(void)state;
	assert_int_equal(topo_dies(t), 2);
	assert_int_equal(topo_die_cpus(t, dies), 2);
	assert_int_equal(dies[0]->cpu, 0);
	assert_int_equal(dies[1]->cpu, 2);
	topo_free(t);
	put(CPU "cpu1/topology/die_id", "1\n");
	put(CPU "cpu3/topology/die_id", "1\n");
	t = read_good(NULL);
	assert_int_equal(topo_dies(t), 4);
	assert_int_equal(topo_die_cpus(t, dies), 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(dies[i]->cpu, i);
	topo_free(t);
	/* CPU 0 is in the package of the higher number: old and new kernels count differently */
	put_cpu(0, 1, 1);
	put_cpu(2, 0, 0);
	t = read_good(NULL);
	assert_int_equal(topo_die_cpus(t, dies), 0);
	topo_free(t);
}

static size_t caches(unsigned socket)
{
	struct topo *t = read_good(NULL);
	size_t r = topo_memory(root, root, &t->sockets[socket]).caches;

	topo_free(t);
	return r;
}

/* A cache that several CPUs share is there once. One of level 2 is none behind which memory begins:
 * a mesh has a system-level cache, which is listed nowhere (AmpereOne: 64 MB). */
static void test_caches(void **state)
{
	static const char *const shared[] = { "0-1\n", "0-1\n", "2\n", "3\n" };
	char name[64];

	(void)state;
	assert_int_equal(caches(0), 64 << 20);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		snprintf(name, sizeof(name), CPU "cpu%u/cache/index2/size", cpu);
		put(name, "2048K\n");
	}
	assert_int_equal(caches(0), 64 << 20);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		snprintf(name, sizeof(name), CPU "cpu%u/cache/index3/size", cpu);
		put(name, "12288K\n");
		snprintf(name, sizeof(name), CPU "cpu%u/cache/index3/shared_cpu_list", cpu);
		put(name, shared[cpu]);
	}
	assert_int_equal(caches(0), 12 << 20);
	assert_int_equal(caches(1), 24 << 20);
}

/* As the kernel says it of a node: one that is full has memory, one that is there for its CPUs has
 * not. A kernel without nodes says nothing: free is then what is free everywhere. A socket of both
 * kinds of nodes has memory. */
static void test_no_memory(void **state)
{
	static const struct { const char *meminfo; unsigned long nodes, kib; bool none; } of[] = {
		{ NULL, 0, 7, false },
		{ "Node 1 MemFree: 0 kB\n", 0, 7, false },
		{ "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB\n", 0, 0, true },
		{ "Node 1 MemTotal: 9 kB\nNode 1 MemFree: 0 kB\n", 0, 7, false },
		{ "Node 1 MemTotal: 9 kB\nNode 1 MemFree: 4 kB\n", 2, 4, false },
	};
	struct topo *t = read_good(NULL);
	struct topo_memory m;

	(void)state;
	put("meminfo", "MemFree: 7 kB\n");
	for (unsigned i = 0; i < COUNT(of); i++) {
		if (of[i].meminfo)
			put(CPU "cpu2/node1/meminfo", of[i].meminfo);
		m = topo_memory(root, root, &t->sockets[1]);
		assert_int_equal(m.nodes, of[i].nodes);
		assert_int_equal(m.none, of[i].none);
		assert_int_equal(m.unused, of[i].kib << 10);
	}
	put(CPU "cpu2/node2/meminfo", "Node 2 MemTotal: 0 kB\nNode 2 MemFree: 0 kB\n");
	m = topo_memory(root, root, &t->sockets[1]);
	assert_true(m.nodes == 2 && !m.none && m.unused == 4 << 10);
	topo_free(t);
}

static void test_model(void **state)
{
	struct topo *t = topo_model(6, 46, 8, 8);

	(void)state;
	assert_int_equal(t->family, 6);
	assert_int_equal(t->model, 46);
	assert_int_equal(t->n_sockets, 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(t->sockets[i].id, i);
		assert_int_equal(t->sockets[i].n_cpus, 8);
		assert_int_equal(topo_reader_cpu(&t->sockets[i]), 8 * i);
		assert_int_equal(t->sockets[i].cpus[7].cpu, 8 * i + 7);
	}
	topo_free(t);
	assert_null(topo_model(6, 46, TOPO_CPUS_MAX, 2));
	assert_null(topo_model(6, 46, 1, 0));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_two_sockets), TEST(test_sparse), TEST(test_offline),
		TEST(test_offline_sibling),
		TEST(test_told_by_another), TEST(test_no_package), TEST(test_hostile_lists),
		TEST(test_hostile_ids),
		TEST(test_cpuinfo), TEST(test_model_name),
		TEST(test_parts), TEST(test_nodes), TEST(test_dies),
		TEST(test_caches), TEST(test_no_memory), TEST(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
