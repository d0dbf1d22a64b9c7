/* counting_perf.c - the perf_event engine: groups of events, one read a group.
 *
 * Owns:  the perf file descriptors, which events share a group.
 * Never: what a config means, scaling of shared counters.
 * new/free: main thread; the rest: the socket's sampler thread. read and check allocate nothing.
 */
#include "config.h"

#include "access/counting.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What read() of a group returns: the members' values follow in the order in which they were opened. */
struct group_read {
	uint64_t n, enabled, running;
	uint64_t value[];
};

struct perf_group {
	uint32_t type;
	int cpu;
	unsigned n;                 /* members */
	int fd;                     /* of the leader */
	uint64_t enabled, running;              /* last read, since the group was opened */
	uint64_t enabled_base, running_base;    /* at start */
};

struct perf_slot {
	int fd;
	unsigned group, member;
};

struct perf_round {
	struct perf_group *groups;
	struct perf_slot *slots;
	unsigned n_groups, n_slots;
};

struct counting_perf {
	struct counting base;
	const struct plan_perfprogram *program;
	struct perf_round *rounds;
	int round;                  /* last started, -1 none */
	bool running;
	struct group_read *buf;     /* room for the largest group */
	size_t buf_size;
};

static const struct counting_ops perf_ops;

static struct counting_perf *perf_of(const struct counting *c)
{
	assert(c->ops == &perf_ops);
	return (struct counting_perf *)c;
}

static struct perf_round *now_running(struct counting_perf *c)
{
	return c->round < 0 ? NULL : &c->rounds[c->round];
}

/* ------------------------------------------------------------------ opening */

static int event_open(const struct plan_perf *e, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = e->type, .config = e->config, .config1 = e->config1, .config2 = e->config2,
		.disabled = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, e->cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int open_error(const struct plan_perf *e, int r, struct err *err)
{
	const char *todo;

	switch (r) {
	case -EACCES:
	case -EPERM:
		todo = "counting a whole CPU takes CAP_PERFMON or kernel.perf_event_paranoid <= 0; above 2, Debian's "
		       "default, it takes CAP_SYS_ADMIN; a system call filter must let perf_event_open pass";
		break;
	case -ENOENT:
	case -EOPNOTSUPP:
		todo = "this machine's kernel does not count that event";
		break;
	case -ENODEV:
	case -ENXIO:
		todo = "the PMU or the CPU is not there, or the CPU is offline";
		break;
	case -EINVAL:
		todo = "the PMU does not accept this combination of terms: see its format directory in sysfs";
		break;
	case -EMFILE:
	case -ENFILE:
		todo = "too many open files, one is needed for each event: raise LimitNOFILE= of the unit";
		break;
	case -EBUSY:
		todo = "somebody else uses the PMU exclusively: stop that tool";
		break;
	case -ENOSPC:
		todo = "no hardware resource of this kind is left: stop other tools, or take events out of the group";
		break;
	default:
		todo = "perf_event_open failed";
	}
	return err_set(err, r, "PMU %s, event %s, CPU %d: %s: %s", e->pmu, e->text, e->cpu, strerror(-r), todo);
}

/* The newest group of the event's PMU and CPU: an older one had no room for an event any more. */
static struct perf_group *group_for(struct perf_round *rd, const struct plan_perf *e)
{
	for (unsigned g = rd->n_groups; g > 0; g--)
		if (rd->groups[g - 1].type == e->type && rd->groups[g - 1].cpu == e->cpu)
			return &rd->groups[g - 1];
	return NULL;
}

static int open_slot(struct perf_round *rd, const struct plan_perf *e, struct err *err)
{
	struct perf_group *g = group_for(rd, e);
	struct perf_slot *s = &rd->slots[rd->n_slots];
	int fd = g ? event_open(e, g->fd) : -EINVAL;

	/* EINVAL: the PMU cannot count so many at once; E2BIG: nor can one read return them. */
	if (fd == -EINVAL || fd == -E2BIG) {
		fd = event_open(e, -1);
		if (fd >= 0) {
			g = &rd->groups[rd->n_groups++];
			*g = (struct perf_group){ .type = e->type, .cpu = e->cpu, .fd = fd };
		}
	}
	if (fd < 0)
		return open_error(e, fd, err);
	*s = (struct perf_slot){ .fd = fd, .group = (unsigned)(g - rd->groups), .member = g->n++ };
	rd->n_slots++;
	return 0;
}

static int open_round(struct counting_perf *c, struct perf_round *rd, const struct plan_perfround *plan, struct err *err)
{
	int r = 0;

	rd->groups = calloc(plan->n_events + 1UL, sizeof(*rd->groups));
	rd->slots = calloc(plan->n_events + 1UL, sizeof(*rd->slots));
	if (!rd->groups || !rd->slots)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; r == 0 && i < plan->n_events; i++)
		r = open_slot(rd, &plan->events[i], err);
	for (unsigned g = 0; g < rd->n_groups; g++) {
		size_t need = sizeof(*c->buf) + rd->groups[g].n * sizeof(c->buf->value[0]);

		c->buf_size = need > c->buf_size ? need : c->buf_size;
	}
	return r;
}

static void perf_free(struct counting *base)
{
	struct counting_perf *c = perf_of(base);

	for (unsigned i = 0; c->rounds && i < c->program->n_rounds; i++) {
		/* Members before their leader, who would otherwise make leaders of them. */
		for (unsigned s = c->rounds[i].n_slots; s > 0; s--)
			close(c->rounds[i].slots[s - 1].fd);
		free(c->rounds[i].slots);
		free(c->rounds[i].groups);
	}
	free(c->rounds);
	free(c->buf);
	free(c);
}

int counting_perf_new(const struct plan_perfprogram *program, struct counting **ret, struct err *err)
{
	struct counting_perf *c = calloc(1, sizeof(*c));
	int r = 0;

	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	*c = (struct counting_perf){ .base.ops = &perf_ops, .program = program, .round = -1 };
	c->buf_size = sizeof(*c->buf);
	c->rounds = calloc(program->n_rounds + 1UL, sizeof(*c->rounds));
	if (!c->rounds)
		r = err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; r == 0 && i < program->n_rounds; i++)
		r = open_round(c, &c->rounds[i], &program->rounds[i], err);
	if (r == 0) {
		c->buf = calloc(1, c->buf_size);
		if (!c->buf)
			r = err_set(err, -ENOMEM, "out of memory");
	}
	if (r < 0) {
		perf_free(&c->base);
		return r;
	}
	*ret = &c->base;
	return 0;
}

/* ------------------------------------------------------------------ counting */

static int read_group(struct counting_perf *c, struct perf_group *g)
{
	size_t want = sizeof(*c->buf) + g->n * sizeof(c->buf->value[0]);
	ssize_t n;

	do
		n = read(g->fd, c->buf, c->buf_size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == want && c->buf->n == g->n ? 0 : -EIO;
}

/* Members of the group in c->buf into raw[], or a reason for all of them. */
static void share_out(const struct counting_perf *c, const struct perf_round *rd, unsigned group, uint8_t why,
		      uint64_t *raw, uint8_t *reason)
{
	for (unsigned i = 0; i < rd->n_slots; i++) {
		if (rd->slots[i].group != group)
			continue;
		if (why)
			reason[i] = why;
		if (why != REASON_READ_ERROR)
			raw[i] = c->buf->value[rd->slots[i].member];
	}
}

static int perf_read(struct counting *base, uint64_t *raw, uint8_t *reason)
{
	struct counting_perf *c = perf_of(base);
	struct perf_round *rd = now_running(c);
	unsigned good = 0;
	int first = 0;

	for (unsigned k = 0; rd && k < rd->n_groups; k++) {
		struct perf_group *g = &rd->groups[k];
		uint8_t why = REASON_NONE;
		int r = read_group(c, g);

		if (r < 0) {
			why = REASON_READ_ERROR;
			first = first ? first : r;
		} else {
			if (c->buf->enabled > g->enabled && c->buf->running == g->running)
				why = REASON_NO_DATA;
			g->enabled = c->buf->enabled;
			g->running = c->buf->running;
			good++;
		}
		share_out(c, rd, k, why, raw, reason);
	}
	return good || !rd || rd->n_groups == 0 ? 0 : first;
}

static int switch_round(struct perf_round *rd, unsigned long how)
{
	int first = 0;

	for (unsigned k = 0; k < rd->n_groups; k++)
		if (ioctl(rd->groups[k].fd, how, PERF_IOC_FLAG_GROUP) < 0 && first == 0)
			first = -errno;
	return first;
}

static int perf_stop(struct counting *base)
{
	struct counting_perf *c = perf_of(base);

	if (!c->running)
		return 0;
	c->running = false;
	return switch_round(now_running(c), PERF_EVENT_IOC_DISABLE);
}

static int perf_start(struct counting *base, unsigned round, uint64_t *values, uint8_t *reason, struct err *err)
{
	struct counting_perf *c = perf_of(base);
	struct perf_round *rd;
	int r;

	assert(round < c->program->n_rounds);
	perf_stop(base);
	c->round = (int)round;
	rd = now_running(c);
	r = perf_read(base, values, reason);    /* disabled: it stands still */
	if (r == 0)
		r = switch_round(rd, PERF_EVENT_IOC_ENABLE);
	if (r < 0) {
		switch_round(rd, PERF_EVENT_IOC_DISABLE);
		return err_set(err, r, "socket %u: perf events could not be started: %s", c->program->socket, strerror(-r));
	}
	for (unsigned k = 0; k < rd->n_groups; k++) {
		rd->groups[k].enabled_base = rd->groups[k].enabled;
		rd->groups[k].running_base = rd->groups[k].running;
	}
	c->running = true;
	return 0;
}

/* The kernel arbitrates: nobody else can change our events. */
static int perf_check(struct counting *base, uint8_t *reason)
{
	(void)base;
	(void)reason;
	return 0;
}

static int perf_rearm(struct counting *base, const uint8_t *slots, uint64_t *values, uint8_t *reason)
{
	struct counting_perf *c = perf_of(base);
	struct perf_round *rd = now_running(c);

	for (unsigned i = 0; rd && i < rd->n_slots; i++) {
		const struct perf_slot *s = &rd->slots[i];
		int r = slots[i] ? read_group(c, &rd->groups[s->group]) : -EAGAIN;

		if (r == 0)
			values[i] = c->buf->value[s->member];
		else if (slots[i])
			reason[i] = REASON_READ_ERROR;
	}
	return 0;
}

void counting_perf_times(const struct counting *base, unsigned slot, uint64_t *ret_enabled, uint64_t *ret_running)
{
	struct counting_perf *c = perf_of(base);
	const struct perf_round *rd = now_running(c);
	const struct perf_group *g = rd && slot < rd->n_slots ? &rd->groups[rd->slots[slot].group] : NULL;

	*ret_enabled = g ? g->enabled - g->enabled_base : 0;
	*ret_running = g ? g->running - g->running_base : 0;
}

static const struct counting_ops perf_ops = {
	.start = perf_start, .read = perf_read, .check = perf_check, .rearm = perf_rearm, .stop = perf_stop,
	.free = perf_free,
};
