/* SPDX-License-Identifier: MIT
 * Opening perf events: together, on the right CPU, or the reason why not.
 * Owns:  perf_event_open and its errors in words; where events go when their CPU is gone.
 * Never: what a config means; reading.
 * open: main thread; reopen: the socket's sampler thread, allocates nothing.
 */
#include "access/perf_engine.h"

#include "base/bits.h"
#include "base/cleanup.h"
#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MASK_TEXT 4096              /* a sysfs file is at most a page */
#define MASK_HIGHEST 8191

struct perf_event_attr perf_attr_of(const struct plan_perf *e, bool leads)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr), .type = e->type, .disabled = leads,
		.config = e->config, .config1 = e->config1, .config2 = e->config2,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static int linux_open(const struct perf_sys *sys, const struct plan_perf *e, int cpu, int leader)
{
	struct perf_event_attr attr = perf_attr_of(e, leader < 0);
	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	(void)sys;
	return fd < 0 ? -errno : (int)fd;
}

/* Not read(): that is a cancellation point, which costs more than the rest of a tick's own code. */
static ssize_t linux_read(const struct perf_sys *sys, int fd, void *buf, size_t n)
{
	long r = TEMP_FAILURE_RETRY(syscall(SYS_read, fd, buf, n));

	(void)sys;
	return r < 0 ? -errno : r;
}

static int linux_enable(const struct perf_sys *sys, int fd, bool on)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	(void)sys;
	return ioctl(fd, request, 0) < 0 ? -errno : 0;
}

static int linux_close(const struct perf_sys *sys, int fd)
{
	(void)sys;
	return close(fd) < 0 ? -errno : 0;
}

const struct perf_sys perf_sys_linux = {
	.open = linux_open, .read = linux_read, .enable = linux_enable, .close = linux_close,
};

/* todo NULL: what to do goes into err, too. */
static int permission_error(const struct plan_perf *e, int cpu, int r, struct err *err,
			    struct err *todo)
{
	struct perf_rights rights = perf_rights_read();
	struct perf_refusal refusal;

	perf_refusal_explain(&rights, r, &refusal);
	if (todo)
		*todo = refusal.todo;
	return err_set(err, r, "PMU %s, event %s, CPU %d: %s: %s%s%s", e->pmu, e->text, cpu,
		       strerror(-r), refusal.why.text, todo ? "" : ": ",
		       todo ? "" : refusal.todo.text);
}

static const struct { int r; const char *advice; } reasons[] = {
	{ ENOENT, "the kernel has no such event: its driver was removed, or does not know this "
	 "number" },
	{ EOPNOTSUPP,
	  "the PMU cannot do this here: the hardware or the hypervisor lacks the feature" },
	{ ENODEV, "the PMU does not count on this CPU, or the CPU is offline" },
	{ ENXIO, "the PMU's driver is not ready" },
	{ EINVAL,
	  "the PMU does not accept these terms together: see its format directory in sysfs" },
	{ EMFILE, "too many open files (one per event): raise LimitNOFILE= in the unit" },
	{ ENFILE, "the system has reached its limit of open files: raise fs.file-max" },
	{ EBUSY, "another program has exclusive use of the PMU: stop that program" },
	{ ENOSPC, "no counter of this kind is free: stop other tools, or count fewer events" },
	{ E2BIG, "the kernel is too old for these terms" },
	{ ENOMEM, "the kernel is out of memory" },
	{ ENOSYS, "the kernel was built without perf events, or a seccomp filter hides them" },
};

/* What is wrong with the event itself stands where the configuration names it; of a ready-made
 * group it is no mistake. */
static int mistake(const struct plan_perf *e, int r, struct err *err)
{
	return e->where && !e->may_lack ? err_prefix(err, r, "%s: ", e->where) : r;
}

int perf_open_error(const struct perf_sys *sys, const struct plan_perf *e, int cpu, int r,
		    struct err *err, struct err *todo)
{
	const char *advice = "perf_event_open failed";

	if (!err)               /* a tick needs no text, and has no time for one */
		return r;
	if (r == -EACCES || r == -EPERM)
		return permission_error(e, cpu, r, err, todo);
	for (unsigned i = 0; i < COUNT(reasons); i++)
		if (reasons[i].r == -r)
			advice = reasons[i].advice;
	if (sys->unknown && (r == -ENOENT || r == -EINVAL)) {
		err_set(err, 0, "PMU %s, event %s: %s", e->pmu, e->text, sys->unknown);
		return mistake(e, -EINVAL, err);
	}
	err_set(err, r, "PMU %s, event %s, CPU %d: %s: %s", e->pmu, e->text, cpu, strerror(-r),
		advice);
	return r == -ENOENT || r == -EINVAL ? mistake(e, r, err) : r;
}

/* The event counts alone, but not beside the members that are open already. */
static int together_error(const struct perf_group *g, const struct plan_perf *e, struct err *err)
{
	char others[400] = "";
	size_t n = 0;

	if (!err)
		return -EINVAL;
	for (unsigned i = 0; i < g->n && n < sizeof(others) - 1; i++) {
		int k = snprintf(others + n, sizeof(others) - n, "%s%s", i ? ", " : "",
				 g->members[i].event->text);

		n += k > 0 ? (size_t)k : 0;
	}
	err_set(err, 0, "PMU %s cannot count %s together with %s: it has too few counters, or "
		"these events exclude each other. Move one to another group; groups that share an "
		"event count as one group", e->pmu, e->text, others);
	return mistake(e, -EINVAL, err);
}

/* The next member of a group: members[n]. */
static int member_open(struct counting_perf *c, struct perf_group *g, int cpu, struct err *err)
{
	struct perf_member *m = &g->members[g->n];
	const struct plan_perf *e = m->event;
	int leader = g->n ? g->members->fd : -1, alone;

	m->fd = c->sys->open(c->sys, e, cpu, leader);
	if (m->fd >= 0) {
		g->n++;
		return 0;
	}
	/* E2BIG: one read cannot return so many. */
	if (leader < 0 || (m->fd != -EINVAL && m->fd != -E2BIG && m->fd != -ENOSPC))
		return perf_open_error(c->sys, e, cpu, m->fd, err, NULL);
	alone = c->sys->open(c->sys, e, cpu, -1);
	if (alone < 0)
		return perf_open_error(c->sys, e, cpu, alone, err, NULL);
	c->sys->close(c->sys, alone);
	return together_error(g, e, err);
}

/* Members before their leader, who would otherwise make leaders of them. */
static void members_close(struct counting_perf *c, struct perf_group *g)
{
	for (unsigned i = g->n; i > 0; i--)
		c->sys->close(c->sys, g->members[i - 1].fd);
}

void perf_group_close(struct counting_perf *c, struct perf_group *g)
{
	if (!g->offline)
		members_close(c, g);
	g->offline = true;
}

/* All members of a group that has none open, on this CPU; or none. */
static int members_open(struct counting_perf *c, struct perf_group *g, int cpu)
{
	unsigned n = g->n;
	int r = 0;

	for (g->n = 0; r == 0 && g->n < n;)
		r = member_open(c, g, cpu, NULL);
	if (r < 0)
		members_close(c, g);
	else
		g->cpu = cpu;
	g->n = n;
	return r;
}

/* The CPU that a PMU's cpumask names now for the part of the socket that `serving_cpu` served;
 * -ENODEV: none. */
static int current_cpu(const struct counting_perf *c, int mask, unsigned serving_cpu)
{
	const struct plan_perf_program *p = c->program;
	char text[MASK_TEXT];
	struct cpu_range range = { text, 0, 0 };
	AUTO_FD int fd = open(p->masks[mask].path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = read(fd, text, sizeof(text) - 1);           /* fails if it is -1 */
	int found = -ENODEV, r;

	if (n <= 0)
		return -ENODEV;
	text[n] = '\0';
	while ((r = num_next_range(&range, MASK_HIGHEST)) > 0)
		for (unsigned i = 0; i < p->n_cpus; i++)
			if (p->cpus[i] >= range.first && p->cpus[i] < range.end &&
			    p->masks[mask].serving_cpu[i] == serving_cpu &&
			    (found < 0 || p->cpus[i] < (unsigned)found))
				found = (int)p->cpus[i];
	return r < 0 ? r : found;
}

static int open_elsewhere(struct counting_perf *c, struct perf_group *g)
{
	const struct plan_perf *e = g->members->event;
	int r = -ENODEV, cpu;

	if (e->mask >= 0) {
		cpu = current_cpu(c, e->mask, (unsigned)e->cpu);
		return cpu < 0 ? cpu : members_open(c, g, cpu);
	}
	for (unsigned i = 0; i < c->program->n_cpus && r == -ENODEV; i++)
		r = members_open(c, g, (int)c->program->cpus[i]);
	return r;
}

int perf_group_reopen(struct counting_perf *c, struct perf_group *g)
{
	int r = open_elsewhere(c, g);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < g->n; i++)
		g->members[i].before = g->members[i].last;
	g->enabled_before = g->enabled;
	g->running_before = g->running;
	g->offline = false;
	return 0;
}

/*
 * Opens the group's `count` members one by one. Of ready-made groups (may_lack) what does not fit
 * is left out, any other event fails. A CPU that went offline since the plan was made: the next.
 */
static int group_open(struct counting_perf *c, struct perf_round *rd, struct perf_group *g,
		      unsigned count, struct err *err)
{
	struct err why = { "" };
	int r = 0;

	while (g->n < count) {
		r = member_open(c, g, g->cpu, &why);
		if (r == -ENODEV && !g->n) {
			g->n = count;
			if (open_elsewhere(c, g) == 0)
				return 0;
			g->n = 0;
		}
		if (r == 0)
			continue;
		/* A shortage says nothing of the event. */
		if (!g->members[g->n].event->may_lack || r == -EMFILE || r == -ENFILE ||
		    r == -ENOMEM)
			break;
		rd->group_of[g->members[g->n].slot] = GROUP_NONE;
		count--;
		memmove(&g->members[g->n], &g->members[g->n + 1],
			(count - g->n) * sizeof(*g->members));
		if (!c->left_out.text[0]) {
			c->left_out = why;
			c->left_out_errno = r;
		}
		r = 0;
	}
	if (r < 0 && err)
		*err = why;
	return r;
}

static bool are_together(const struct plan_perf *a, const struct plan_perf *b)
{
	return a->perf_group == b->perf_group && a->type == b->type && a->cpu == b->cpu;
}

int perf_round_open(struct counting_perf *c, struct perf_round *rd, struct err *err)
{
	const struct plan_perf *events = rd->plan->events, *end = events + rd->plan->n_events;
	struct perf_member *members = rd->members;

	for (const struct plan_perf *e = events; e < end; e++) {
		struct perf_group *g = &rd->groups[rd->n_groups];
		const struct plan_perf *other = events;
		unsigned n = 0;
		int r;

		while (!are_together(other, e))
			other++;
		if (other < e)
			continue;               /* opened with that one */
		for (; other < end; other++)
			if (are_together(other, e)) {
				members[n++] = (struct perf_member){
					.event = other, .slot = (unsigned)(other - events), .fd = -1
				};
				rd->group_of[other - events] = rd->n_groups;
			}
		*g = (struct perf_group){ .members = members, .cpu = e->cpu };
		rd->n_groups++;
		r = group_open(c, rd, g, n, err);
		if (r < 0)
			return r;
		members += n;
		if (!g->n)
			rd->n_groups--;         /* all of it left out */
	}
	return 0;
}
