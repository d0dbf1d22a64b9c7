/* SPDX-License-Identifier: MIT
 * Why perf_event_open refuses: which cause is named for which rights, and that what is advised is
 * not refused by the same kernel. The rule is that of perf_event_open(2); level 3 and 4 are
 * Debian's and Ubuntu's, of which some ask for CAP_SYS_ADMIN and others for CAP_PERFMON. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "access/perf_engine.h"
#include "base/bits.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static void test_cause(void **state)
{
	static const struct {
		int line, r;
		struct perf_rights rights;
		const char *why, *todo, *never; /* never: in neither of them */
	} rows[] = {
		{ __LINE__, -EACCES, { .level = 2 }, "needs CAP_PERFMON, or "
		  "kernel.perf_event_paranoid at 0 or below (here it is 2)",
		  "kernel.perf_event_paranoid=0", "SELinux" },
		{ __LINE__, -EACCES, { .level = 1 }, "(here it is 1)", "as root", "CAP_SYS_ADMIN" },
		/* CAP_PERFMON alone is advised nowhere where the next run may be refused */
		{ __LINE__, -EACCES, { .level = 4 }, "(here it is 4)", "and with sysctl "
		  "kernel.perf_event_paranoid=2", "SELinux" },
		{ __LINE__, -EACCES, { .level = 3, .perfmon = true }, "CAP_PERFMON is not enough",
		  "kernel.perf_event_paranoid=2", "SELinux" },
		/* no level explains these */
		{ __LINE__, -EACCES, { .level = 2, .perfmon = true }, "SELinux", "perf_event",
		  "paranoid" },
		{ __LINE__, -EACCES, { .level = 4, .admin = true }, "SELinux", "ausearch",
		  "paranoid" },
		{ __LINE__, -EACCES, { .level = 3, .perfmon = true, .admin = true }, "SELinux",
		  "ausearch", "paranoid" },
		{ __LINE__, -EACCES, { .level = -1 }, "SELinux", "ausearch", "CAP_" },
		{ __LINE__, -EACCES, { .level = 2, .perfmon = true, .filtered = true },
		  "seccomp filter", "ausearch", "paranoid" },
		{ __LINE__, -EACCES, { .level = 2, .perfmon = true, .contained = true },
		  "outside of a user namespace", "kernel.perf_event_paranoid=0", "SELinux" },
		{ __LINE__, -EACCES, { .level = PERF_LEVEL_UNKNOWN }, "needs CAP_PERFMON",
		  "as root", "here it is" },
		{ __LINE__, -EPERM, { .level = 3, .filtered = true }, "a seccomp filter",
		  "SystemCallFilter=", "paranoid" },
		{ __LINE__, -EPERM, { .level = 3 }, "a security module", "dmesg", "paranoid" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct perf_refusal said;

		perf_refusal_explain(&rows[i].rights, rows[i].r, &said);
		if (!strstr(said.why.text, rows[i].why) ||
		    !strstr(said.todo.text, rows[i].todo) ||
		    strstr(said.why.text, rows[i].never) ||
		    strstr(said.todo.text, rows[i].never))
			fail_msg("line %d: %s -> %s", rows[i].line, said.why.text, said.todo.text);
	}
}

/* The line of /proc/self/status, which the kernel writes. */
static unsigned long long status(const char *key)
{
	char line[256];
	unsigned long long v = 0;
	FILE *f = fopen("/proc/self/status", "re");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			v = strtoull(line + strlen(key), NULL, 16);
	fclose(f);
	return v;
}

/* Of this process: its capabilities; without a filter, and with one. */
static void test_rights(void **state)
{
	struct perf_rights rights = perf_rights_read();
	unsigned long long caps = status("CapEff:");
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &all };

	(void)state;
	assert_int_equal(rights.perfmon, caps >> CAP_PERFMON & 1);
	assert_int_equal(rights.admin, caps >> CAP_SYS_ADMIN & 1);
	assert_int_equal(rights.filtered, status("Seccomp:") != 0);
	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		skip();
	assert_true(perf_rights_read().filtered);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cause), cmocka_unit_test(test_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
