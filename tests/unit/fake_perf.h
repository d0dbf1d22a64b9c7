/* SPDX-License-Identifier: MIT
 * A made-up kernel under the perf engine.
 *
 * It knows which CPUs are online and how many counters a PMU has; an event counts 1000 a
 * millisecond on the CPU where it was opened. A CPU that goes offline takes its groups apart, as
 * Linux does: the leader answers alone, with its last count.
 */
#ifndef FAKE_PERF_H
#define FAKE_PERF_H

#include "access/perf_engine.h"
#include "base/bits.h"

#include <errno.h>
#include <string.h>

#ifndef FDS
#define FDS 512
#endif

static struct event {
	bool open, on, alive, stuck;    /* stuck: it counts nothing */
	int leader, cpu;
	uint32_t type;
	uint64_t config, config1, value, enabled, running;
} events[FDS];

static struct {
	bool online[256];
	unsigned counters;          /* of any PMU; events of one group beyond them: EINVAL */
	int refuse_config, refuse;  /* an event with this config fails so */
	unsigned opened, open_now;
	unsigned percent;           /* of its time a group has its counters */
	uint32_t busy_type;         /* but those of this PMU: */
	unsigned busy_percent;
	unsigned late;	/* ms that pass before the next read of a running group is answered */
	unsigned log_n;
	int log_cpu[64];            /* CPUs of the successful leaders */
} k;

static void fake_reset(void)
{
	memset(events, 0, sizeof(events));
	memset(&k, 0, sizeof(k));
	k.counters = 4;
	k.percent = 100;
}

static int fake_open(const struct perf_sys *sys, const struct plan_perf *e, int cpu, int leader)
{
	unsigned members = 1;

	(void)sys;
	if (!k.online[cpu])
		return -ENODEV;
	if (k.refuse && (int)e->config == k.refuse_config)
		return -k.refuse;
	for (int fd = 0; fd < FDS; fd++)
		members += leader >= 0 && events[fd].open &&
			(fd == leader || events[fd].leader == leader);
	if (members > k.counters)
		return -EINVAL;
	for (int fd = 1; fd < FDS; fd++)
		if (!events[fd].open) {
			events[fd] = (struct event){ .open = true, .alive = true,
						     .leader = leader, .cpu = cpu,
						     .type = e->type, .config = e->config,
						     .config1 = e->config1 };
			k.opened++;
			k.open_now++;
			if (leader < 0)
				k.log_cpu[k.log_n++ % COUNT(k.log_cpu)] = cpu;
			return fd;
		}
	return -EMFILE;
}

static void step(unsigned n);

static ssize_t fake_read(const struct perf_sys *sys, int fd, void *buf, size_t n)
{
	struct group_read *r = buf;

	(void)sys;
	assert_true(fd > 0 && events[fd].open && events[fd].leader < 0);
	if (k.late && events[fd].on) {
		step(k.late);
		k.late = 0;
	}
	*r = (struct group_read){ .enabled = events[fd].enabled, .running = events[fd].running };
	r->value[r->n++] = events[fd].value;
	for (int m = 0; m < FDS; m++)
		if (events[m].open && events[m].leader == fd && events[m].alive)
			r->value[r->n++] = events[m].value;
	assert_true(sizeof(*r) + r->n * 8 <= n);
	return (ssize_t)(sizeof(*r) + r->n * 8);
}

static int fake_enable(const struct perf_sys *sys, int fd, bool on)
{
	(void)sys;
	assert_true(events[fd].open && events[fd].leader < 0);
	events[fd].on = on;
	return 0;
}

static int fake_close(const struct perf_sys *sys, int fd)
{
	(void)sys;
	assert_true(fd > 0 && events[fd].open);
	for (int m = 0; m < FDS; m++)
		assert_false(events[m].open && events[m].leader == fd);	/* members go first */
	events[fd].open = false;
	k.open_now--;
	return 0;
}

static const struct perf_sys fake = {
	.open = fake_open, .read = fake_read, .enable = fake_enable, .close = fake_close,
};

/* n milliseconds. */
static void step(unsigned n)
{
	for (int fd = 0; fd < FDS; fd++) {
		struct event *e = &events[fd], *leader = e->leader < 0 ? e : &events[e->leader];
		unsigned percent;

		if (!e->open || !leader->on || !e->alive || !k.online[e->cpu])
			continue;
		percent = k.busy_type && e->type == k.busy_type ? k.busy_percent : k.percent;
		e->enabled += n * 1000000;
		e->running += n * 10000 * percent;
		if (!e->stuck)
			e->value += n * 10 * percent;
	}
}

static inline void offline(int cpu)
{
	k.online[cpu] = false;
	for (int fd = 0; fd < FDS; fd++)
		if (events[fd].open && events[fd].cpu == cpu)
			events[fd].alive = false;
}

#endif
