/* SPDX-License-Identifier: MIT
 * What uncorectl doctor makes of what was seen: findings by topic, how bad,
 * what helps. The machines are made up here; who looks at real ones is tested elsewhere. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "ctl/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Rules of files of their own. */
void doctor_find_clock(struct doctor *d) { (void)d; }
void doctor_find_pci(struct doctor *d) { (void)d; }
void doctor_find_pmus(struct doctor *d) { (void)d; }

#define ALL_CAPS (BIT(DOCTOR_CAP_SYS_ADMIN) | BIT(DOCTOR_CAP_SYS_RAWIO) | BIT(DOCTOR_CAP_PERFMON))

static struct topo_pmus pmus;
static struct host host;
static struct conf conf;
static struct plan plan;
static struct doctor d;

/* A Xeon 7500 of two sockets where nothing is in the way: family 6 model 46. */
static int set_up(void **state)
{
	(void)state;
	conf = (struct conf){ .n_groups = 0 };
	pmus = (struct topo_pmus){ .n = 0 };
	plan = (struct plan){ .n_sockets = 0 };
	host = (struct host){ .msr_module = true, .caps = ALL_CAPS,
			      .lockdown = { 0, "none" }, .allow_writes = { 0, "on" },
			      .tainted = { 0, 4 }, .paranoid = { 0, 2 }, .lock = { -ENOENT, 0 },
			      .likwid_r = -ENOENT };
	d = (struct doctor){
		.config = "/etc/uncored.conf", .config_absent = true, .host = &host, .conf = &conf,
		.plan = &plan, .perf = { .event = "perf/uncore_imc/x/", .cpu = 3 },
		.roots = { .dev = "/dev", .run = "/run/uncored", .locks = "/var/run",
			   .systemd = "/nowhere" },
		.m = { .engine = CONF_REGISTERS, .automatic = true, .pmus = &pmus,
		       .processor = cat_processor_by_name("nehalem-ex"),
		       .topo = topo_model(6, 46, 2, 4), .why = { "nehalem-ex: registers" } },
	};
	if (!d.m.topo)
		return -1;
	snprintf(d.m.topo->model_name, sizeof(d.m.topo->model_name), "X7560");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < d.n; i++) {
		free(d.v[i].text);
		free(d.v[i].todo);
	}
	free(d.v);
	diags_done(&d.mistakes);
	topo_free(d.m.topo);
	return 0;
}

/* There is a finding of this topic with these words; todo: words of what helps, NULL: nothing
 * does. */
static void finds(int line, enum doctor_level level, const char *topic, const char *words,
		  const char *todo)
{
	const char *near = "";

	for (unsigned i = 0; i < d.n; i++) {
		const struct doctor_finding *v = &d.v[i];

		if (strcmp(v->topic, topic) != 0)
			continue;
		near = v->text;
		if (v->level == level && strstr(v->text, words) &&
		    (todo ? v->todo && strstr(v->todo, todo) : !v->todo))
			return;
	}
	fail_msg("line %d: %s: \"%s\"", line, topic, near);
}

static void finds_none(int line, const char *topic)
{
	for (unsigned i = 0; i < d.n; i++)
		if (strcmp(d.v[i].topic, topic) == 0)
			fail_msg("line %d: %s: \"%s\"", line, topic, d.v[i].text);
}

/* Looked at anew. */
static void look(void)
{
	for (unsigned i = 0; i < d.n; i++) {
		free(d.v[i].text);
		free(d.v[i].todo);
	}
	d.n = 0;
	doctor_find(&d);
}

static void test_all_is_well(void **state)
{
	(void)state;
	look();
	for (unsigned i = 0; i < d.n; i++)
		if (d.v[i].level > DOCTOR_NOTE)
			fail_msg("%s: %s", d.v[i].topic, d.v[i].text);
	finds(__LINE__, DOCTOR_OK, "processor", "X7560 (nehalem-ex), 2 sockets: ", NULL);
	finds(__LINE__, DOCTOR_OK, "processor", "GenuineIntel family 6 model 46 stepping 0, whose "
	      "registers uncored knows", NULL);
	finds(__LINE__, DOCTOR_OK, "socket", "0: 4 CPUs online, read from CPU 0", NULL);
	finds(__LINE__, DOCTOR_OK, "socket", "1: 4 CPUs online, read from CPU 4", NULL);
	finds(__LINE__, DOCTOR_OK, "engine", "nehalem-ex: registers", NULL);
	finds(__LINE__, DOCTOR_OK, "configuration", "/etc/uncored.conf does not exist", NULL);
	finds(__LINE__, DOCTOR_OK, "msr device", "/dev/cpu/N/msr can be opened", NULL);
	finds(__LINE__, DOCTOR_OK, "privileges", "CAP_SYS_ADMIN, CAP_PERFMON, CAP_SYS_RAWIO", NULL);
	finds(__LINE__, DOCTOR_OK, "other users", "none found", NULL);
	finds(__LINE__, DOCTOR_OK, "kernel driver", "is not in use", NULL);
	finds_none(__LINE__, "virtual");
	finds_none(__LINE__, "NMI watchdog");
}

/* Without cpuinfo nothing else can be said but of the configuration. */
static void test_no_machine(void **state)
{
	struct topo *t = d.m.topo;

	(void)state;
	d.m.topo = NULL;
	err_set(&d.unread, -ENOENT, "/proc/cpuinfo: No such file");
	look();
	assert_int_equal(d.n, 2);
	finds(__LINE__, DOCTOR_PROBLEM, "processor", "/proc/cpuinfo: No such file", NULL);
	d.m.topo = t;
}

static void test_unknown_processor(void **state)
{
	(void)state;
	d.m.processor = NULL;
	d.m.engine = CONF_PERF;
	d.m.topo->model = 143;
	host.hypervisor = true;
	look();
	finds(__LINE__, DOCTOR_OK, "processor", "X7560 (spr), 2 sockets: Sapphire Rapids, "
	      "GenuineIntel family 6 model 143 stepping 0, counted through the kernel (perf)",
	      NULL);
	finds(__LINE__, DOCTOR_OK, "msr device", "not needed: on this processor the kernel's "
	      "drivers count", NULL);
	finds(__LINE__, DOCTOR_NOTE, "virtual", "virtual machine", NULL);
	finds_none(__LINE__, "kernel driver");
	d.m.topo->model = 99;
	look();
	finds(__LINE__, DOCTOR_OK, "processor", "X7560, 2 sockets: GenuineIntel family 6 model 99 "
	      "stepping 0, counted through the kernel (perf)", "no table for this processor");
	d.m.topo->model_name[0] = '\0';
	look();
	finds(__LINE__, DOCTOR_OK, "processor", "processor without a name, 2 sockets: Genuine",
	      "no table for this processor");
}

static void test_offline_socket(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		d.m.topo->sockets[0].cpus[i].online = false;
	for (unsigned i = 0; i < 4; i++)
		d.m.topo->sockets[1].cpus[i].online = false;
	look();
	finds(__LINE__, DOCTOR_OK, "socket", "0: 1 CPU online, read from CPU 3", NULL);
	finds(__LINE__, DOCTOR_NOTE, "socket", "1: no CPU is online", NULL);
}

/* What helps depends on why; where perf was asked for it is in nobody's way. */
static void test_device(void **state)
{
	static const struct { int line, r; bool module; const char *lockdown, *writes,
			      *todo; } rows[] = {
		{ __LINE__, -ENOENT, false, "none", "on", "modprobe msr" },
		{ __LINE__, -ENOENT, true, "none", "on", "pass /dev/cpu through" },
		{ __LINE__, -EACCES, true, "none", "on", "run as root" },
		{ __LINE__, -EPERM, true, "none", "on", "CAP_SYS_RAWIO" },
		{ __LINE__, -EPERM, true, "integrity", "on", NULL },
		{ __LINE__, -EPERM, true, "confidentiality", "on", NULL },
		{ __LINE__, -EPERM, true, "none", "off", NULL },
		{ __LINE__, -EIO, true, "none", "on", "engine = \"perf\" does not need it" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		err_set(&d.m.device, rows[i].r, "it is in the way");
		d.m.device_error = rows[i].r;
		host.msr_module = rows[i].module;
		snprintf(host.lockdown.v, sizeof(host.lockdown.v), "%s", rows[i].lockdown);
		snprintf(host.allow_writes.v, sizeof(host.allow_writes.v), "%s", rows[i].writes);
		d.m.engine = CONF_REGISTERS;
		look();
		finds(rows[i].line, DOCTOR_PROBLEM, "msr device", "it is in the way", rows[i].todo);
		d.m.engine = CONF_PERF;
		d.m.automatic = false;
		look();
		finds(rows[i].line, DOCTOR_NOTE, "msr device", "it is in the way", rows[i].todo);
		d.m.automatic = true;
	}
	/* auto took perf because of it, and no driver of the kernel owns the counters */
	d.m.engine = CONF_PERF;
	look();
	finds(__LINE__, DOCTOR_PROBLEM, "msr device", "it is in the way", "perf");
}

static void test_lockdown(void **state)
{
	(void)state;
	strcpy(host.lockdown.v, "integrity");
	strcpy(host.allow_writes.v, "off");
	look();
	finds(__LINE__, DOCTOR_PROBLEM, "lockdown", "integrity: the kernel refuses", "Secure Boot");
	finds(__LINE__, DOCTOR_PROBLEM, "allow_writes", "off: the msr driver refuses",
	      "msr.allow_writes=on");
	d.m.processor = NULL;
	d.m.engine = CONF_PERF;
	look();
	finds(__LINE__, DOCTOR_OK, "lockdown", "which are not needed here", NULL);
	finds(__LINE__, DOCTOR_OK, "allow_writes", "off", NULL);
	host.lockdown = (struct host_text){ .r = -EACCES };
	host.allow_writes = (struct host_text){ .r = -EIO };
	look();
	finds(__LINE__, DOCTOR_UNSEEN, "lockdown", "Permission denied", "as root");
	finds(__LINE__, DOCTOR_UNSEEN, "allow_writes", "Input/output error", NULL);
	host.lockdown.r = host.allow_writes.r = -ENOENT;
	host.msr_module = false;
	look();
	finds(__LINE__, DOCTOR_OK, "lockdown", "reports no lockdown", NULL);
	finds(__LINE__, DOCTOR_OK, "allow_writes", "the msr module is not loaded", NULL);
	host.allow_writes = (struct host_text){ 0, "default" };
	look();
	finds(__LINE__, DOCTOR_OK, "allow_writes", "permits register writes and logs them", NULL);
}

/* Flag S is bit 2 (Documentation/admin-guide/tainted-kernels.rst). */
static void test_taint(void **state)
{
	(void)state;
	look();
	finds(__LINE__, DOCTOR_NOTE, "kernel taint", "flag S is set (tainted = 4)", NULL);
	host.tainted.v = 1 | 2 | 8;
	look();
	finds(__LINE__, DOCTOR_NOTE, "kernel taint", "the first register write sets it", NULL);
	d.m.engine = CONF_PERF;
	look();
	finds(__LINE__, DOCTOR_OK, "kernel taint", "perf does not set it", NULL);
}

/* What happened is said; a setting only by the sentence about a refusal. */
static void test_perf(void **state)
{
	(void)state;
	d.m.engine = CONF_PERF;
	for (host.paranoid.v = -1; host.paranoid.v <= 4; host.paranoid.v++) {
		look();
		finds(__LINE__, DOCTOR_OK, "perf", "tried with perf/uncore_imc/x/ on CPU 3", NULL);
	}
	d.perf_elsewhere = true;
	look();
	finds(__LINE__, DOCTOR_OK, "perf", "not those of the running kernel", NULL);
	d.perf_unit = (struct perf_try){ .r = -EACCES, .why = { "a reason" }, .todo = { "a way" } };
	look();
	finds(__LINE__, DOCTOR_OK, "perf", "tried with", NULL);
	finds(__LINE__, DOCTOR_NOTE, "perf", "CAP_PERFMON alone, which is what the systemd unit "
	      "has, it is refused: a reason", "a way");
	d.perf = (struct perf_try){ .r = -EPERM, .why = { "PMU x: filtered" },
				    .todo = { "allow" } };
	look();
	finds(__LINE__, DOCTOR_PROBLEM, "perf", "PMU x: filtered", "allow");
	d.m.engine = CONF_REGISTERS;
	look();
	finds(__LINE__, DOCTOR_NOTE, "perf", "PMU x: filtered", "allow");
	d.perf = (struct perf_try){ .r = -ENOSYS, .why = { "no perf events" } };
	look();
	finds(__LINE__, DOCTOR_NOTE, "perf", "no perf events", NULL);
}

static void test_privileges(void **state)
{
	(void)state;
	host.caps = BIT(DOCTOR_CAP_PERFMON);
	look();
	finds(__LINE__, DOCTOR_NOTE, "privileges",
	      "has CAP_PERFMON but not CAP_SYS_ADMIN, CAP_SYS_RAWIO",
	      "sudo uncorectl doctor");
	host.caps = 0;
	look();
	finds(__LINE__, DOCTOR_NOTE, "privileges", "none of CAP_SYS_ADMIN, CAP_PERFMON", "sudo");
	host.caps_r = -EACCES;
	look();
	finds(__LINE__, DOCTOR_UNSEEN, "privileges", "Permission denied", "as root");
}

static void test_other_users(void **state)
{
	struct host_user users[] = {
		{ .pid = 50, .name = "pcm-sensor", .tool = "Intel PCM" },
		{ .pid = 51, .name = "java", .perf_fds = 3 },
		{ .pid = 52, .name = "uncored", .perf_fds = 1 },
	};

	(void)state;
	host.users = users;
	host.n_users = 3;
	host.lock = (struct host_number){ 0, 52 };
	host.likwid_r = 0;
	host.likwid_uid = 1000;
	host.unseen = 1;
	look();
	finds(__LINE__, DOCTOR_NOTE, "other users", "uncored is already running (process 52)",
	      "stop");
	finds(__LINE__, DOCTOR_NOTE, "other users",
	      "/var/run/likwid.lock reserves the counters for "
	      "user id 1000", "ask that user");
	finds(__LINE__, DOCTOR_NOTE, "other users",
	      "process 50 (pcm-sensor, part of Intel PCM) is running",
	      "it may program the same registers");
	finds(__LINE__, DOCTOR_NOTE, "other users", "process 51 (java) has 3 perf events open",
	      "the kernel alternates");
	finds(__LINE__, DOCTOR_NOTE, "other users",
	      "process 52 (uncored) has 1 perf event open", NULL);
	finds(__LINE__, DOCTOR_UNSEEN, "other users", "the open files of 1 process", "as root");
}

static void test_configuration(void **state)
{
	(void)state;
	d.config_absent = false;
	look();
	finds(__LINE__, DOCTOR_OK, "configuration", "is valid and names no groups", NULL);
	diags_add(&d.mistakes, (struct where){ "u.conf", 3 }, "a first one");
	look();
	finds(__LINE__, DOCTOR_PROBLEM, "configuration",
	      "1 mistake for this machine: u.conf:3: a first",
	      "uncored --check-config -c /etc/uncored.conf");
	diags_add(&d.mistakes, (struct where){ "u.conf", 4 }, "a second");
	look();
	finds(__LINE__, DOCTOR_PROBLEM, "configuration",
	      "2 mistakes for this machine, the first: u.conf:3",
	      "uncored --check-config");
	/* the model counts nothing real */
	d.m.engine = CONF_MODEL;
	d.m.automatic = false;
	look();
	finds(__LINE__, DOCTOR_PROBLEM, "engine",
	      "model, set in /etc/uncored.conf; auto would choose: "
	      "nehalem-ex: registers", "set engine = \"auto\"");
}

/* The kernel's driver, which owns the counters. */
static void test_driver(void **state)
{
	struct topo_pmu pmu = { .name = (char *)"uncore_cbox_0" };

	(void)state;
	pmus.v = &pmu;
	pmus.n = 1;
	d.m.engine = CONF_PERF;
	look();
	finds(__LINE__, DOCTOR_NOTE, "kernel driver", "is loaded (uncore_cbox_0 ...)",
	      "modprobe -r");
	finds(__LINE__, DOCTOR_NOTE, "not counted", "uncored's own events for nehalem-ex", NULL);
	host.lock = (struct host_number){ 0, 4711 };
	look();
	finds(__LINE__, DOCTOR_PROBLEM, "kernel driver", "while uncored (process 4711) counts",
	      "modprobe -r");
}

/* The linker hands the findings' memory to us (--wrap). */
static bool no_memory;
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	return no_memory ? NULL : __real_realloc(p, n);
}

/* It says so and exits with 75 (EX_TEMPFAIL), and does not dump a core. */
static void test_no_memory(void **state)
{
	char said[256] = "";
	int ends[2], status;
	size_t all = 0;
	pid_t child;
	ssize_t n;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		no_memory = true;
		look();
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], said + all, sizeof(said) - 1 - all)) > 0)
		all += (size_t)n;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 75);
	assert_non_null(strstr(said, "not enough memory"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_all_is_well), T(test_no_machine), T(test_unknown_processor),
		T(test_offline_socket), T(test_device), T(test_lockdown), T(test_taint),
		T(test_perf), T(test_privileges), T(test_other_users), T(test_configuration),
		T(test_driver), T(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
