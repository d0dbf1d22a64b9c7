/* SPDX-License-Identifier: MIT
 * What stands in the way of counting, in made-up trees in a temporary directory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "base/bits.h"
#include "topo/host.h"

#include <errno.h>

#define LOCKDOWN "kernel/security/lockdown"
#define WRITES   "module/msr/parameters/allow_writes"

/* ---- the tree: every root is the same directory here */

static struct host_roots roots = { root, root, root, root, root, root, root, .of_text = false };

static void put_fd(unsigned pid, unsigned fd, const char *target)
{
	char name[64];

	snprintf(name, sizeof(name), "%u/fd/%u", pid, fd);
	assert_int_equal(symlink(target, temp_parents(name)), 0);
}

static void put_process(unsigned pid, const char *comm)
{
	char name[64];

	snprintf(name, sizeof(name), "%u/comm", pid);
	put(name, comm);
	snprintf(name, sizeof(name), "%u/fd/", pid);
	temp_parents(name);
}

static int setup(void **state)
{
	(void)state;
	return temp_make("host");
}

static int teardown(void **state)
{
	(void)state;
	return drop("");
}

static struct host *look(void)
{
	struct host *h = NULL;
	struct err err = { "" };

	if (host_read(&roots, &h, &err) < 0)
		fail_msg("%s", err.text);
	return h;
}

/* ---- settings */

static void test_empty_tree(void **state)
{
	struct host *h = look();

	(void)state;
	assert_false(h->hypervisor || h->msr_module);
	assert_int_equal(h->lockdown.r, -ENOENT);
	assert_int_equal(h->allow_writes.r, -ENOENT);
	assert_int_equal(h->tainted.r, -ENOENT);
	assert_int_equal(h->paranoid.r, -ENOENT);
	assert_int_equal(h->nmi_watchdog.r, -ENOENT);
	assert_int_equal(h->caps_r, -ENOENT);
	assert_int_equal(h->lock.r, -ENOENT);
	assert_int_equal(h->likwid_r, -ENOENT);
	assert_int_equal(h->n_users, 0);
	assert_true(h->hidden);             /* not even process 1 can be seen */
	host_free(h);
}

#define ALTRA "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"

static void test_cpuinfo(void **state)
{
	static const struct { int line; const char *text, *microcode; bool virtual; } rows[] = {
		{ __LINE__, "microcode\t: 0xd000404\nflags\t\t: fpu vme hypervisor lahf_lm\n\n",
		  "0xd000404", true },
		{ __LINE__, "flags\t\t: hypervisor\n", "", true },
		{ __LINE__, "flags\t\t: fpu no_hypervisor hypervisors\nmodel\t: 46\n", "", false },
		{ __LINE__, "microcode\t: 0x1\n\nmicrocode\t: 0x2\nflags\t: hypervisor\n",
		  "0x1", false },                               /* of the first CPU */
		{ __LINE__, "microcode\t: cut", "", false },
		{ __LINE__, ALTRA, "", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host_versions versions;
		struct host *h;

		put("cpuinfo", rows[i].text);
		h = look();
		host_versions_read(&roots, &versions);
		if (strcmp(versions.microcode, rows[i].microcode) != 0 ||
		    h->hypervisor != rows[i].virtual)
			fail_msg("line %d: \"%s\" %d", rows[i].line, versions.microcode,
				 h->hypervisor);
		host_free(h);
	}
}

static void test_versions(void **state)
{
	struct host_versions v;

	(void)state;
	host_versions_read(&roots, &v);
	assert_string_equal(v.kernel, "");
	assert_string_equal(v.bios_version, "");
	assert_string_equal(v.bios_date, "");
	put("sys/kernel/osrelease", "6.1.0-42-amd64\n");
	put("class/dmi/id/bios_version", "EGS2 v2.1 (beta)\n");        /* has blanks */
	put("class/dmi/id/bios_date", "03/28/2024\n");
	host_versions_read(&roots, &v);
	assert_string_equal(v.kernel, "6.1.0-42-amd64");
	assert_string_equal(v.bios_version, "EGS2 v2.1 (beta)");
	assert_string_equal(v.bios_date, "03/28/2024");
}

/* arm64 has no CPUID that names the hypervisor: the firmware's names do, or the device tree. */
static void test_arm_guests(void **state)
{
	static const struct {
		int line;
		const char *vendor, *product, *tree;
		bool guest;
	} rows[] = {
		{ __LINE__, "QEMU\n", "KVM Virtual Machine\n", NULL, true },
		{ __LINE__, "Amazon EC2\n", "m6g.large\n", NULL, true },
		{ __LINE__, "Amazon EC2\n", "m6g.metal\n", NULL, false },
		{ __LINE__, "GIGABYTE\n", "R272-P30-JG\n", NULL, false },
		{ __LINE__, NULL, NULL, "linux,dummy-virt", true },
		{ __LINE__, NULL, NULL, "marvell,armada8040", false },
		{ __LINE__, NULL, NULL, NULL, false },
	};

	(void)state;
	put("cpuinfo", ALTRA);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host *h;

		drop("class");
		drop("device-tree");
		if (rows[i].vendor) {
			put("class/dmi/id/sys_vendor", rows[i].vendor);
			put("class/dmi/id/product_name", rows[i].product);
		}
		if (rows[i].tree)
			put_bytes("device-tree/compatible", rows[i].tree,
				  strlen(rows[i].tree) + 1);
		h = look();
		if (h->hypervisor != rows[i].guest)
			fail_msg("line %d: %d", rows[i].line, h->hypervisor);
		host_free(h);
	}
}

static void test_words(void **state)
{
	static const struct { int line; const char *file, *text; int r; const char *v; } rows[] = {
		{ __LINE__, LOCKDOWN, "[none] integrity confidentiality\n", 0, "none" },
		{ __LINE__, LOCKDOWN, "none [integrity] confidentiality\n", 0, "integrity" },
		{ __LINE__, LOCKDOWN, "none integrity [confidentiality]\n", 0, "confidentiality" },
		{ __LINE__, LOCKDOWN, "none integrity\n", -EINVAL, "" },
		{ __LINE__, LOCKDOWN, "", -ENODATA, "" },
		{ __LINE__, LOCKDOWN, "[\x01]\n", -EUCLEAN, "" },
		{ __LINE__, WRITES, "default\n", 0, "default" },
		{ __LINE__, WRITES, "off\n", 0, "off" },
		{ __LINE__, WRITES, "\n", -ENODATA, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct host_text *w;
		struct host *h;

		put(rows[i].file, rows[i].text);
		h = look();
		w = strcmp(rows[i].file, LOCKDOWN) == 0 ? &h->lockdown : &h->allow_writes;
		if (w->r != rows[i].r || (w->r == 0 && strcmp(w->v, rows[i].v) != 0))
			fail_msg("line %d: %d \"%s\"", rows[i].line, w->r, w->v);
		host_free(h);
	}
	drop(LOCKDOWN);
	temp_parents(LOCKDOWN "/");
	struct host *h = look();

	assert_int_equal(h->lockdown.r, -EISDIR);
	assert_true(h->msr_module);
	host_free(h);
}

static void test_numbers(void **state)
{
	struct host *h;

	(void)state;
	put("sys/kernel/tainted", "4612\n");
	put("sys/kernel/perf_event_paranoid", "-1\n");
	put("sys/kernel/nmi_watchdog", "one\n");
	h = look();
	assert_int_equal(h->tainted.r, 0);
	assert_int_equal(h->tainted.v, 4612);
	assert_int_equal(h->paranoid.r, 0);
	assert_int_equal(h->paranoid.v, -1);
	assert_int_equal(h->nmi_watchdog.r, -EUCLEAN);
	host_free(h);
}

static void test_caps(void **state)
{
	static const struct { int line; const char *text; int r; uint64_t caps; } rows[] = {
		{ __LINE__, "Name:\tuncorectl\nCapPrm:\t0000000000000000\nCapEff:\t0000004000220000\n", 0, 0x4000220000 },
		{ __LINE__, "Name:\tCapEff:\t0000000000000001\nCapEff:\t0000000000000002\n", 0, 2 },
		{ __LINE__, "Name:\tuncorectl\nCapEff:\t0000\n", -EINVAL, 0 },
		{ __LINE__, "Name:\tuncorectl\nCapEff:\tzzzzzzzzzzzzzzzz\n", -EINVAL, 0 },
		{ __LINE__, "Name:\tuncorectl\n", -EINVAL, 0 },
		{ __LINE__, "", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host *h;

		put("self/status", rows[i].text);
		h = look();
		if (h->caps_r != rows[i].r || (h->caps_r == 0 && h->caps != rows[i].caps))
			fail_msg("line %d: %d %llx", rows[i].line, h->caps_r,
				 (unsigned long long)h->caps);
		host_free(h);
	}
}

/* ---- other users */

static void test_users(void **state)
{
	static const struct { unsigned pid, perf_fds; const char *name, *tool; } want[] = {
		{ 7, 2, "java", NULL },
		{ 30, 0, "pcm-sensor-serv", "Intel PCM" },
		{ 31, 1, "perf", "perf" },
		{ 200, 0, "likwid-perfctr", "LIKWID" },
		{ 201, 0, "vtune", "Intel VTune" },
	};
	struct host *h;

	(void)state;
	put_process(1, "init\n");
	put_process(200, "likwid-perfctr\n");
	put_process(31, "perf\n");
	put_fd(31, 3, "anon_inode:[perf_event]");
	put_process(7, "java\n");
	put_fd(7, 0, "/dev/null");
	put_fd(7, 4, "anon_inode:[perf_event]");
	put_fd(7, 5, "anon_inode:[eventpoll]");
	put_fd(7, 6, "anon_inode:[perf_event]");
	put_fd(7, 8, "anon_inode:[perf_event]s");
	put_process(30, "pcm-sensor-serv\n");
	put_process(201, "vtune\n");
	put_process(300, "performanced\n");
	put_process(301, "pcmcia\n");
	put("302x/comm", "perf\n");
	put("self/comm", "perf\n");
	put("40/comm", "secret\n");
	put("40/fd", ""); /* no directory: its descriptors cannot be seen, for whoever runs this */
	temp_parents("41/");                   /* it just ended */
	h = look();
	assert_int_equal(h->n_users, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		const struct host_user *u = &h->users[i];

		assert_int_equal(u->pid, want[i].pid);
		assert_int_equal(u->perf_fds, want[i].perf_fds);
		assert_string_equal(u->name, want[i].name);
		if (want[i].tool)
			assert_string_equal(u->tool, want[i].tool);
		else
			assert_null(u->tool);
	}
	assert_int_equal(h->unseen, 1);
	assert_false(h->hidden || h->cut);
	host_free(h);
}

static void test_odd_name(void **state)
{
	struct host *h;

	(void)state;
	put_process(9, "\x1b[2J\n");
	put_fd(9, 1, "anon_inode:[perf_event]");
	h = look();
	assert_int_equal(h->n_users, 1);
	assert_string_equal(h->users[0].name, "?");
	host_free(h);
}

static void test_locks(void **state)
{
	static const struct { int line; const char *text; int r; long long pid; } rows[] = {
		{ __LINE__, "77\n", 0, 77 },
		{ __LINE__, "78\n", -ENOENT, 0 },   /* the number went to somebody else */
		{ __LINE__, "79\n", -ENOENT, 0 },   /* nobody */
		{ __LINE__, "", -ENOENT, 0 },
		{ __LINE__, "x\n", -ENOENT, 0 },
	};

	(void)state;
	put_process(77, "uncored\n");
	put_process(78, "bash\n");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host *h;

		put("uncored.lock", rows[i].text);
		h = look();
		if (h->lock.r != rows[i].r || (h->lock.r == 0 && h->lock.v != rows[i].pid))
			fail_msg("line %d: %d %lld", rows[i].line, h->lock.r, h->lock.v);
		assert_int_equal(h->likwid_r, -ENOENT);
		host_free(h);
	}
	put("likwid.lock", "");
	struct host *h = look();

	assert_int_equal(h->likwid_r, 0);
	assert_int_equal(h->likwid_uid, geteuid());
	host_free(h);
}

/* ---- the register device */

static void device(int line, const struct topo *t, int r, const char *words)
{
	struct err err = { "" };
	int got = host_device(&roots, t, &err);

	if (got != r || !strstr(err.text, words))
		fail_msg("line %d: %d \"%s\", expected %d and \"%s\"", line, got,
			 err.text, r, words);
}

static void test_device(void **state)
{
	struct topo *t = topo_model(6, 46, 2, 4);

	(void)state;
	assert_non_null(t);
	device(__LINE__, t, -ENOENT, "cpu/0/msr cannot be opened: the msr module is not loaded");
	put(WRITES, "default\n");
	device(__LINE__, t, -ENOENT, "though the msr module is loaded");
	put("cpu/0/msr", "");
	device(__LINE__, t, 0, "");
	put(LOCKDOWN, "[none] integrity confidentiality\n");
	device(__LINE__, t, 0, "");
	put(LOCKDOWN, "none [integrity] confidentiality\n");
	device(__LINE__, t, -EPERM, "lockdown (integrity)");
	put(LOCKDOWN, "[none] integrity confidentiality\n");
	put(WRITES, "off\n");
	device(__LINE__, t, -EPERM, "msr.allow_writes=off");
	put(WRITES, "on\n");
	t->sockets[0].cpus[0].online = false;	/* the next CPU of the socket is the one to open */
	device(__LINE__, t, -ENOENT, "cpu/1/msr");
	drop("cpu/0/msr");
	temp_parents("cpu/1/msr/");
	device(__LINE__, t, -EISDIR, "cpu/1/msr cannot be opened");
	for (unsigned i = 0; i < t->sockets[0].n_cpus; i++)
		t->sockets[0].cpus[i].online = false;
	device(__LINE__, t, -ENXIO, "online");
	topo_free(t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty_tree), TEST(test_cpuinfo), TEST(test_versions),
		TEST(test_arm_guests),
		TEST(test_words), TEST(test_numbers),
		TEST(test_caps), TEST(test_users),
		TEST(test_odd_name), TEST(test_locks), TEST(test_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
