/* SPDX-License-Identifier: MIT
 * Why perf_event_open refused a process, and what helps.
 *
 * Owns:  the kernel's rule, its variant on Debian and Ubuntu, and what else refuses: a seccomp
 *        filter, a security module, a user namespace.
 * Never: whether something is refused: only perf_event_open knows that, and a setting is named only
 *        where it did refuse.
 * Any thread; reads small files of the real /proc: never on a tick.
 */
#include "access/perf_engine.h"

#include "base/bits.h"
#include "topo/sysfile.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The level above which distributions' kernels want more than the kernel of its authors does. */
enum { LEVEL_OF_DISTRIBUTIONS = 2 };

static int read_level(void)
{
	long long v;

	return sysfile_number("/proc/sys/kernel/perf_event_paranoid", INT_MIN, INT_MAX, &v,
			      NULL) < 0 ? PERF_LEVEL_UNKNOWN : (int)v;
}

/* In the first user namespace all ids are what they are. */
static bool is_contained(void)
{
	char text[SYSFILE_MAX + 1];
	unsigned long inside, outside, n;

	if (sysfile_read("/proc/self/uid_map", text, NULL) < 0 ||
	    sscanf(text, "%lu %lu %lu", &inside, &outside, &n) != 3)
		return false;
	return inside != 0 || outside != 0 || n < UINT32_MAX;
}

static bool is_filtered(void)
{
	char text[SYSFILE_MAX + 1];
	const char *line;
	int n = sysfile_head("/proc/self/status", text, SYSFILE_MAX, NULL);

	if (n < 0)
		return false;
	text[n] = '\0';
	line = strstr(text, "\nSeccomp:");
	return line && strspn(line + strlen("\nSeccomp:"), " \t0") <
	       strcspn(line + strlen("\nSeccomp:"), "\n");
}

struct perf_rights perf_rights_read(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	syscall(SYS_capget, &header, sets);
	return (struct perf_rights){
		.level = read_level(), .contained = is_contained(), .filtered = is_filtered(),
		.perfmon = sets[CAP_TO_INDEX(CAP_PERFMON)].effective & CAP_TO_MASK(CAP_PERFMON),
		.admin = sets[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN),
	};
}

/* The kernel itself answers EACCES where a level refuses. EPERM comes from what is asked before it:
 * the filters of container engines and of systemd answer so. */
static void explain_eperm(const struct perf_rights *rights, struct perf_refusal *ret)
{
	if (rights->filtered) {
		err_set(&ret->why, 0, "a seccomp filter refuses the system call perf_event_open");
		err_set(&ret->todo, 0, "allow it there: the seccomp profile of the container "
			"(those of Docker and containerd allow it with CAP_PERFMON), or "
			"SystemCallFilter= of the unit");
	} else {
		err_set(&ret->why, 0, "a security module of the kernel refuses the system call "
			"perf_event_open");
		err_set(&ret->todo, 0, "look for the refusal: dmesg, journalctl -k, ausearch -m "
			"AVC");
	}
}

/* What neither level nor capabilities explain. */
static void explain_policy(const struct perf_rights *rights, const char *here,
			   struct perf_refusal *ret)
{
	err_set(&ret->why, 0, "this process has the privileges for it%s, so that a security "
		"module, such as SELinux,%s refuses it", here,
		rights->filtered ? " or a seccomp filter" : "");
	err_set(&ret->todo, 0, "look for the refusal: ausearch -m AVC -ts recent; an SELinux "
		"policy allows it with class perf_event: open, cpu, kernel, read, write");
}

static void explain_eacces(const struct perf_rights *rights, struct perf_refusal *ret)
{
	bool privileged = rights->perfmon || rights->admin;
	bool high = rights->level > LEVEL_OF_DISTRIBUTIONS;
	char here[64] = "";

	if (rights->level != PERF_LEVEL_UNKNOWN)
		snprintf(here, sizeof(here), " (here it is %d)", rights->level);
	if (rights->level != PERF_LEVEL_UNKNOWN && rights->level <= 0) {
		snprintf(here, sizeof(here), " (kernel.perf_event_paranoid is %d)", rights->level);
		explain_policy(rights, here, ret);
	} else if (privileged && rights->contained) {
		err_set(&ret->why, 0, "counting whole CPUs needs CAP_PERFMON outside of a user "
			"namespace, or kernel.perf_event_paranoid at 0 or below%s; this process "
			"has it inside of one, as in a rootless container, where it does not count",
			here);
		err_set(&ret->todo, 0, "run it outside of a user namespace; or sysctl "
			"kernel.perf_event_paranoid=0");
	} else if (!privileged) {
		err_set(&ret->why, 0, "counting whole CPUs needs CAP_PERFMON, or "
			"kernel.perf_event_paranoid at 0 or below%s", here);
		err_set(&ret->todo, 0, high ? "run it with CAP_PERFMON, as the systemd unit does, "
			"and with sysctl kernel.perf_event_paranoid=2: above 2, the default of "
			"Debian and Ubuntu, some kernels ask for CAP_SYS_ADMIN; or run it as root" :
			"run it with CAP_PERFMON, as the systemd unit does, or as root; or sysctl "
			"kernel.perf_event_paranoid=0");
	} else if (high && !rights->admin) {
		err_set(&ret->why, 0, "kernel.perf_event_paranoid is above 2%s, where this kernel "
			"asks for CAP_SYS_ADMIN: CAP_PERFMON is not enough", here);
		err_set(&ret->todo, 0, "sysctl kernel.perf_event_paranoid=2, for every boot in "
			"/etc/sysctl.d; or give the unit CAP_SYS_ADMIN");
	} else {
		explain_policy(rights, "", ret);
	}
}

void perf_refusal_explain(const struct perf_rights *rights, int r, struct perf_refusal *ret)
{
	*ret = (struct perf_refusal){ 0 };
	if (r == -EPERM)
		explain_eperm(rights, ret);
	else
		explain_eacces(rights, ret);
}
