/* SPDX-License-Identifier: MIT
 * What each thing that was seen means, and what to do about it.
 * Owns:  the sentences of uncorectl doctor.
 * Never: looking; how it is printed.
 */
#include "ctl/doctor.h"

#include "catalog/perf.h"

#include "base/address.h"
#include "base/bits.h"
#include "base/strb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TAINT_OUT_OF_SPEC = 2 };     /* bit of /proc/sys/kernel/tainted: flag S */

/* For a file that is there and cannot be read. */
static void find_unread(struct doctor *d, const char *topic, int r)
{
	doctor_unseen(d, topic, "could not be read: %s", strerror(-r));
	if (r == -EACCES || r == -EPERM)
		doctor_todo(d, "run it as root: sudo uncorectl doctor");
}

/* Would registers be used, or could they be if nothing stood in the way? */
static bool wants_registers(const struct doctor *d)
{
	return d->m.engine == CONF_REGISTERS ||
	       (d->m.processor && d->m.engine == CONF_PERF && d->conf &&
		d->m.automatic && !choose_kernel_driver(d->m.pmus));
}

bool doctor_plan_has(const struct doctor *d, enum plan_engine engine)
{
	for (unsigned i = 0; d->plan && i < d->plan->n_sockets; i++)
		if (engine == PLAN_PERF ? d->plan->sockets[i].has_perf :
		    d->plan->sockets[i].has_reg)
			return true;
	return false;
}

static void find_processor(struct doctor *d)
{
	const struct topo *t = d->m.topo;
	const struct machine_cpu cpu = machine_cpu(&d->m);
	char text[MACHINE_TEXT], cpuid[TOPO_CPUID], stepping[24] = "";
	bool titled = cpu.title[0] && cpu.model[0];             /* else `text` has it */

	if (t->family)
		snprintf(stepping, sizeof(stepping), " stepping %u", t->stepping);
	doctor_ok(d, "processor", "%s: %s%s%s%s, %s", machine_text(&d->m, text),
		  titled ? cpu.title : "", titled ? ", " : "", topo_cpuid(t, cpuid), stepping,
		  d->m.processor ? "whose registers uncored knows" :
				   "counted through the kernel (perf)");
	if (!cpu.title[0])
		doctor_todo(d, "uncored has no table for this processor: it takes what the "
			    "kernel's drivers offer");
}

static void find_sockets(struct doctor *d)
{
	for (unsigned i = 0; i < d->m.topo->n_sockets; i++) {
		const struct topo_socket *s = &d->m.topo->sockets[i];
		int cpu = topo_reader_cpu(s);
		unsigned online = 0;

		for (unsigned k = 0; k < s->n_cpus; k++)
			online += s->cpus[k].online;
		if (cpu >= 0)
			doctor_ok(d, "socket", "%u: %u CPU%s online, read from CPU %d", s->id,
				  online, online == 1 ? "" : "s", cpu);
		else
			doctor_note(d, "socket", "%u: no CPU is online, so it is not counted",
				    s->id);
	}
}

/* "imc, iio (8 of 12)": the boxes of a socket of whose units nothing proves the node, and of how
 * many where it is of some. */
static void add_boxes(struct strb *to, const struct plan_socket *s)
{
	for (unsigned i = 0; i < s->n_units; i++) {
		const char *box = s->units[i].box_name;
		unsigned all = 0, without = 0;
		bool first = true;

		for (unsigned k = 0; k < s->n_units; k++) {
			if (strcmp(s->units[k].box_name, box) != 0)
				continue;
			first &= k >= i;
			all++;
			without += s->units[k].node < 0;
		}
		if (!first || !without)
			continue;
		strb_addf(to, "%s%s", to->n ? ", " : "", box);
		if (without < all)
			strb_addf(to, " (%u of %u)", without, all);
	}
}

/* Sub-NUMA clusters (SNC) and NPS: which node a unit is in, the kernel mostly does not say. */
static void find_nodes(struct doctor *d)
{
	for (unsigned i = 0; d->plan && i < d->plan->n_sockets; i++) {
		const struct plan_socket *s = &d->plan->sockets[i];
		struct strb boxes;

		strb_init(&boxes, 512);
		if (s->n_nodes > 1)
			add_boxes(&boxes, s);
		if (boxes.n)
			doctor_note(d, "NUMA nodes", "socket %u has %u: nothing proves in which "
				    "of them its units of %s are, so uncored_unit_node_info leaves "
				    "them out; their series are by socket", s->id,
				    s->n_nodes, boxes.s);
		strb_done(&boxes);
	}
}

static void find_virtual(struct doctor *d)
{
	if (d->host->hypervisor)
		doctor_note(d, "virtual", "this is a virtual machine: uncore counters belong to "
			    "the host and are usually hidden");
}

static void find_engine(struct doctor *d)
{
	if (d->m.automatic)
		doctor_ok(d, "engine", "%s", d->m.why.text);
	else
		doctor_add(d, d->m.engine == CONF_MODEL ? DOCTOR_PROBLEM : DOCTOR_OK, "engine",
			   "%s, set in %s; auto would choose: %s", conf_engine_names[d->m.engine],
			   d->config, d->m.why.text);
	if (d->m.engine != CONF_MODEL)
		return;
	doctor_todo(d, "set engine = \"auto\" in %s to count for real", d->config);
	if (d->model_r < 0)
		doctor_problem(d, "model", "%s", d->model.text);
	else
		doctor_note(d, "model", "%s It has %u series.", d->model.text, d->model_series);
}

static void find_configuration(struct doctor *d)
{
	if (d->config_absent) {
		doctor_ok(d, "configuration", "%s does not exist; the ready-made groups are used",
			  d->config);
	} else if (d->mistakes.n == 0) {
		doctor_ok(d, "configuration", "%s is valid%s", d->config, d->conf &&
			  d->conf->groups_given ? "" :
			  " and names no groups; the ready-made groups are used");
	} else if (d->conf_r < 0) {
		doctor_problem(d, "configuration", "%s", d->mistakes.v[0]);
	} else {
		size_t n = d->mistakes.n + d->mistakes.dropped;

		doctor_problem(d, "configuration", "%zu mistake%s for this machine%s: %s", n,
			       n == 1 ? "" : "s", n == 1 ? "" : ", the first", d->mistakes.v[0]);
		doctor_todo(d, "uncored --check-config -c %s", d->config);
	}
}

/* loopback.conf, beside a `listen` for others. */
static void find_closed(struct doctor *d)
{
	char host[64];
	uint16_t port;

	if (!d->host->closed_by[0] || !d->conf)
		return;
	for (unsigned i = 0; i < d->conf->n_listen; i++) {
		if (address_parse(d->conf->listen[i], host, &port) == ADDRESS_FILE ||
		    strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0)
			continue;
		doctor_note(d, "listen", "no other machine reaches %s: %s drops its packets "
			    "(IPAddressDeny=any)", d->conf->listen[i], d->host->closed_by);
		doctor_todo(d, "remove that file, then: systemctl daemon-reload; systemctl restart "
			    "uncored; or listen on 127.0.0.1 only");
	}
}

static void find_counted(struct doctor *d)
{
	const struct plan_socket *s = d->plan && d->plan->n_sockets ? &d->plan->sockets[0] : NULL;
	struct strb names;

	strb_init(&names, 512);
	for (unsigned g = 0; s && g < s->n_groups && g < DOCTOR_NAMED; g++)
		strb_addf(&names, "%s%.48s", g ? ", " : "", s->groups[g].name);
	if (s && s->n_groups > DOCTOR_NAMED)
		strb_addf(&names, " and %u more", s->n_groups - DOCTOR_NAMED);
	if (d->n_slots > 0 && !d->nothing)
		doctor_ok(d, "groups", "%s: %u events in %u round%s", names.n ? names.s : "",
			  d->n_slots, s->n_rounds, s->n_rounds == 1 ? "" : "s");
	strb_done(&names);
	for (unsigned i = 0; d->plan && i < d->plan->n_notes && i < DOCTOR_NAMED; i++)
		doctor_note(d, "groups", "%s", d->plan->notes[i]);
}

/* How many it may open is the unit's to say, not this shell's. */
static void find_files(struct doctor *d)
{
	unsigned n = d->plan ? plan_files(d->plan) : 0;
	bool fit = n && plan_files_most(d->plan) <= UNCORED_UNIT_FILES;

	if (!n)
		return;
	doctor_add(d, fit ? DOCTOR_OK : DOCTOR_NOTE, "open files", "%u while it counts, twice as "
		   "many during a reload; the unit allows %u", n, UNCORED_UNIT_FILES);
	if (!fit)
		doctor_todo(d, "systemctl edit uncored: [Service] LimitNOFILE=%u",
			    plan_files_most(d->plan));
}

static void find_device(struct doctor *d)
{
	bool wanted = wants_registers(d);

	if (!d->m.processor) {
		doctor_ok(d, "msr device", "not needed: on this processor the kernel's drivers "
			  "count");
		return;
	}
	if (d->m.device_error == 0) {
		doctor_ok(d, "msr device", "%s can be opened for writing",
			  sysfile_shown(sysfile_path("%s/cpu/N/msr", d->roots.dev).s).s);
		return;
	}
	if (d->m.device_error == -ENOENT && d->roots.of_text) {
		if (!wanted)                /* of what it does not tell nothing is said */
			return;
		doctor_problem(d, "msr device", "%s", d->m.device.text);
		doctor_todo(d, "capture it where the msr module is loaded (modprobe msr), or write "
			    "the line into it");
		return;
	}
	doctor_add(d, wanted ? DOCTOR_PROBLEM : DOCTOR_NOTE, "msr device", "%s", d->m.device.text);
	switch (d->m.device_error) {
	case -ENOENT:
		if (d->host->msr_module)
			doctor_todo(d, "in a container, pass /dev/cpu through; otherwise let udev "
				    "create it: udevadm trigger --subsystem-match=msr");
		else
			doctor_todo(d, "modprobe msr; for every boot: echo msr > "
				    "/etc/modules-load.d/msr.conf");
		break;
	case -EACCES:
		doctor_todo(d, "start the service, which may open it (systemctl start uncored), or "
			    "run as root");
		break;
	case -EPERM:                /* lockdown and allow_writes have findings of their own */
		if (strcmp(d->host->lockdown.v, "integrity") != 0 &&
		    strcmp(d->host->lockdown.v, "confidentiality") != 0 &&
		    strcmp(d->host->allow_writes.v, "off") != 0)
			doctor_todo(d, "run with CAP_SYS_RAWIO; under systemd also "
				    "DeviceAllow=char-202 rw");
		break;
	default:
		doctor_todo(d, "engine = \"perf\" does not need it");
	}
}

static void find_lockdown(struct doctor *d)
{
	const struct host_text *w = &d->host->lockdown;

	if (w->r == -ENOENT) {
		doctor_ok(d, "lockdown", "none: this kernel reports no lockdown");
	} else if (w->r < 0) {
		find_unread(d, "lockdown", w->r);
	} else if (strcmp(w->v, "none") == 0) {
		doctor_ok(d, "lockdown", "none");
	} else {
		doctor_add(d, wants_registers(d) ? DOCTOR_PROBLEM : DOCTOR_OK, "lockdown",
			   "%s: the kernel refuses register writes%s", w->v,
			   d->m.processor ? "" : ", which are not needed here");
		if (wants_registers(d))
			doctor_todo(d, "switch off Secure Boot in the firmware, or boot without "
				    "lockdown=; or load the kernel's uncore driver and count with "
				    "engine = \"perf\"");
	}
}

static void find_allow_writes(struct doctor *d)
{
	const struct host_text *w = &d->host->allow_writes;

	if (w->r == -ENOENT) {
		doctor_ok(d, "allow_writes", d->host->msr_module ? "the msr module has no such "
			  "parameter and permits writes" : "the msr module is not loaded");
	} else if (w->r < 0) {
		find_unread(d, "allow_writes", w->r);
	} else if (strcmp(w->v, "off") == 0) {
		doctor_add(d, wants_registers(d) ? DOCTOR_PROBLEM : DOCTOR_OK, "allow_writes",
			   "off: the msr driver refuses register writes");
		if (wants_registers(d))
			doctor_todo(d, "echo on > /sys/module/msr/parameters/allow_writes, or boot "
				    "with msr.allow_writes=on");
	} else {
		doctor_ok(d, "allow_writes", "%s: the msr driver permits register writes%s", w->v,
			  strcmp(w->v, "on") == 0 ? "" : " and logs them");
	}
}

static void find_taint(struct doctor *d)
{
	const struct host_number *t = &d->host->tainted;

	if (t->r < 0)
		find_unread(d, "kernel taint", t->r);
	else if (t->v & (long long)BIT(TAINT_OUT_OF_SPEC))
		doctor_note(d, "kernel taint", "flag S is set (tainted = %lld): a program wrote an "
			    "MSR, or the hardware is out of specification; this does not affect "
			    "counting", t->v);
	else if (d->m.engine == CONF_REGISTERS && d->m.processor)
		doctor_note(d, "kernel taint", "flag S is not set; the first register write sets "
			    "it until the next boot; harmless, but a support contract may object");
	else
		doctor_ok(d, "kernel taint", "flag S is not set, and perf does not set it");
}

static void find_driver(struct doctor *d)
{
	const char *pmu = choose_kernel_driver(d->m.pmus);

	if (!d->m.processor)
		return;
	if (!pmu) {
		doctor_ok(d, "kernel driver", "the kernel's uncore driver is not in use");
		return;
	}
	if (d->host->lock.r == 0)
		doctor_problem(d, "kernel driver", "the kernel's uncore driver was loaded (%s "
			       "...) while uncored (process %lld) counts through registers; both "
			       "program the same counters. Restart uncored, or unload the driver",
			       pmu, d->host->lock.v);
	else
		doctor_note(d, "kernel driver", "the kernel's uncore driver is loaded (%s ...) and "
			    "may program the same registers at any time; uncored leaves them to "
			    "it", pmu);
	doctor_todo(d, "to count every event that uncored knows, unload the driver: modprobe -r "
		    "intel-uncore; for every boot modprobe.blacklist=intel_uncore");
}

static void find_privileges(struct doctor *d)
{
	static const struct { unsigned cap; const char *name; } caps[] = {
		{ DOCTOR_CAP_SYS_ADMIN, "CAP_SYS_ADMIN" }, { DOCTOR_CAP_PERFMON, "CAP_PERFMON" },
		{ DOCTOR_CAP_SYS_RAWIO, "CAP_SYS_RAWIO" },
	};
	char has[64] = "", lacks[64] = "";

	if (d->host->caps_r < 0) {
		find_unread(d, "privileges", d->host->caps_r);
		return;
	}
	for (unsigned i = 0; i < COUNT(caps); i++) {
		char *list = doctor_has_cap(d, caps[i].cap) ? has : lacks;
		size_t used = strlen(list);

		snprintf(list + used, sizeof(has) - used, "%s%s", used ? ", " : "", caps[i].name);
	}
	if (!lacks[0]) {
		doctor_ok(d, "privileges", "this process (user id %u) has %s", (unsigned)geteuid(),
			  has);
		return;
	}
	doctor_note(d, "privileges", "this process (user id %u) has %s%s%s; the findings below are "
		    "for these privileges", (unsigned)geteuid(), has,
		    has[0] ? " but not " : "none of ", lacks);
	doctor_todo(d, "the systemd unit has all it needs; sudo uncorectl doctor shows what root "
		    "may do");
}

/* What happened, and only then what may be the cause. */
static void find_perf(struct doctor *d)
{
	bool wanted = d->m.engine == CONF_PERF || doctor_plan_has(d, PLAN_PERF);

	if (d->perf.r < 0) {
		doctor_add(d, wanted ? DOCTOR_PROBLEM : DOCTOR_NOTE, "perf", "%s",
			   d->perf.why.text);
		if (d->perf.todo.text[0])
			doctor_todo(d, "%s", d->perf.todo.text);
		return;
	}
	doctor_ok(d, "perf", "this process may open events of whole CPUs: tried with %s on CPU "
		  "%d%s", d->perf.event, d->perf.cpu, d->perf_elsewhere ? ", because the PMUs of "
		  "these files are not those of the running kernel" : "");
	if (d->perf_unit.r == 0)
		return;
	doctor_note(d, "perf", "with CAP_PERFMON alone, which is what the systemd unit has, it is "
		    "refused: %s", d->perf_unit.why.text);
	doctor_todo(d, "%s", d->perf_unit.todo.text);
}

static void find_locks(struct doctor *d, unsigned *n)
{
	if (d->host->lock.r == 0) {
		doctor_note(d, "other users", "uncored is already running (process %lld) and "
			    "holds %s/uncored.lock", d->host->lock.v, d->roots.run);
		doctor_todo(d, "look at what it counts, or stop it: systemctl stop uncored");
	} else if (d->host->lock.r != -ENOENT) {
		find_unread(d, "other users", d->host->lock.r);
	}
	if (d->host->likwid_r == 0) {
		doctor_note(d, "other users", "LIKWID's lock %s/likwid.lock reserves the counters "
			    "for user id %u", d->roots.locks, (unsigned)d->host->likwid_uid);
		doctor_todo(d, "ask that user; uncored ignores this lock and would disturb that "
			    "user's measurements");
	}
	*n += (d->host->lock.r != -ENOENT) + (d->host->likwid_r == 0);
}

static void find_users(struct doctor *d)
{
	const struct host *h = d->host;
	unsigned n = 0;

	find_locks(d, &n);
	for (unsigned i = 0; i < h->n_users; i++, n++) {
		const struct host_user *u = &h->users[i];
		bool own = strcmp(u->name, "uncored") == 0;

		if (i == DOCTOR_NAMED * 2) {
			doctor_note(d, "other users", "%u more processes", h->n_users - i);
			break;
		}
		if (u->perf_fds)
			doctor_note(d, "other users", "process %u (%s%s%s) has %u perf event%s "
				    "open", u->pid, u->name, u->tool ? ", part of " : "", u->tool ?
				    u->tool : "", u->perf_fds, u->perf_fds == 1 ? "" : "s");
		else
			doctor_note(d, "other users", "process %u (%s, part of %s) is running",
				    u->pid, u->name, u->tool);
		if (!own)
			doctor_todo(d, u->perf_fds || !d->m.processor ? "if both use the same "
				    "PMUs, the kernel alternates between them or refuses one; stop "
				    "one of the two" : "it may program the same registers; uncored "
				    "then leaves those counters out; stop one of the two");
	}
	if (n == 0)
		doctor_ok(d, "other users", "none found: no lock, no known tool, no process with "
			  "perf events");
	if (h->unseen)
		doctor_unseen(d, "other users", "could not look at the open files of %u "
			      "process%s", h->unseen, h->unseen == 1 ? "" : "es");
	else if (h->hidden)
		doctor_unseen(d, "other users", "other users' processes are hidden");
	else if (h->cut)
		doctor_unseen(d, "other users", "there are too many processes to look at all of "
			      "them");
	if (h->unseen || h->hidden)
		doctor_todo(d, "run it as root: sudo uncorectl doctor");
}

/* The NMI watchdog takes a counter of each core: of no interest to the uncore. */
static void find_watchdog(struct doctor *d)
{
	bool core = false;

	for (unsigned i = 0; d->plan && i < d->plan->n_sockets; i++)
		for (unsigned r = 0; r < d->plan->sockets[i].perf->n_rounds; r++)
			for (unsigned k = 0; k < d->plan->sockets[i].perf->rounds[r].n_events; k++)
				core |= strncmp(d->plan->sockets[i].perf->rounds[r].events[k].pmu,
						"cpu", 3) == 0;
	if (!core || d->host->nmi_watchdog.r < 0 || d->host->nmi_watchdog.v == 0)
		return;
	doctor_note(d, "NMI watchdog", "takes one counter of each core, and the configuration "
		    "counts core events");
	doctor_todo(d, "if one does not fit: sysctl kernel.nmi_watchdog=0");
}

static void find_uncounted(struct doctor *d)
{
	const struct plan_socket *s = d->plan && d->plan->n_sockets ? &d->plan->sockets[0] : NULL;

	if (d->m.processor && d->m.engine == CONF_PERF)
		doctor_note(d, "not counted", "uncored's own events for %s, which need engine = "
			    "\"registers\"", d->m.processor->name);
	for (unsigned i = 0; s && i < s->n_lacking; i++) {
		if (i == DOCTOR_NAMED) {
			doctor_note(d, "not counted", "%u more metrics that need one more event; "
				    "see: uncorectl plan", s->n_lacking - i);
			break;
		}
		doctor_note(d, "not counted", "%s in group %s needs %s too", s->lacking[i].metric,
			    s->lacking[i].group, s->lacking[i].event);
	}
}

void doctor_find(struct doctor *d)
{
	if (!d->m.topo) {
		doctor_problem(d, "processor", "%s", d->unread.text);
		find_configuration(d);
		return;
	}
	find_processor(d);
	find_sockets(d);
	find_virtual(d);
	if (!d->roots.of_text)
		find_privileges(d);
	find_engine(d);
	find_configuration(d);
	if (!d->roots.of_text)
		find_closed(d);
	find_counted(d);
	find_nodes(d);
	find_uncounted(d);
	find_files(d);
	find_device(d);
	doctor_find_clock(d);
	doctor_find_pci(d);
	if (!d->roots.of_text) {
		find_lockdown(d);
		find_allow_writes(d);
		find_taint(d);
	}
	find_driver(d);
	if (!d->roots.of_text)
		find_perf(d);
	doctor_find_pmus(d);
	if (!d->roots.of_text)
		find_users(d);
	find_watchdog(d);
}
