/* SPDX-License-Identifier: MIT
 * Whether perf events count anything here: by reading them twice.
 *
 * Owns:  that all are read at one time, a second apart, and that none stays open.
 * Never: which events may stand still.
 * Main thread; waits.
 */
#include "access/perf_engine.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define APART NSEC_PER_SEC

static void wait_linux(nsec span)
{
	nsec until = clock_read(CLOCK_MONOTONIC) + span;
	const struct timespec at = { until / NSEC_PER_SEC, until % NSEC_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

/* An event that counts alone. fd below 0: it is not open, and that is why. */
struct lone {
	int fd;
	uint64_t first;
};

static int read_value(const struct perf_sys *sys, int fd, uint64_t *ret)
{
	uint64_t buf[sizeof(struct group_read) / sizeof(uint64_t) + 1];
	const struct group_read *got = (const struct group_read *)buf;
	ssize_t n = sys->read(sys, fd, buf, sizeof(buf));

	if (n < (ssize_t)sizeof(buf))
		return n < 0 ? (int)n : -EIO;
	*ret = got->value[0];
	return 0;
}

static int begin_lone(const struct perf_sys *sys, struct lone *l)
{
	int r = sys->enable(sys, l->fd, true);

	return r < 0 ? r : read_value(sys, l->fd, &l->first);
}

static void open_lone(const struct perf_sys *sys, const struct plan_perf *e, struct lone *ret)
{
	int r;

	ret->fd = sys->open(sys, e, e->cpu, -1);
	if (ret->fd < 0)
		return;
	r = begin_lone(sys, ret);
	if (r < 0) {
		sys->close(sys, ret->fd);
		ret->fd = r;
	}
}

static unsigned open_program(const struct perf_sys *sys, const struct plan_perf_program *p,
			     struct lone *v)
{
	unsigned n = 0;

	for (unsigned r = 0; r < p->n_rounds; r++)
		for (unsigned i = 0; i < p->rounds[r].n_events; i++)
			open_lone(sys, &p->rounds[r].events[i], &v[n++]);
	return n;
}

/* Closes all. */
static int judge(const struct perf_sys *sys, struct lone *v, unsigned n)
{
	int why_not = -ENODATA;
	bool risen = false, read = false;

	for (unsigned i = 0; i < n; i++) {
		uint64_t now = 0;

		if (v[i].fd < 0) {
			why_not = why_not == -ENODATA ? v[i].fd : why_not;
			continue;
		}
		if (read_value(sys, v[i].fd, &now) == 0) {
			read = true;
			risen |= now != v[i].first;
		}
		sys->close(sys, v[i].fd);
	}
	if (risen)
		return 1;
	return read ? 0 : why_not;
}

int counting_perf_rise_with(const struct perf_sys *sys, void (*wait)(nsec span),
			    const struct plan_perf_program *const *programs, unsigned n_programs)
{
	unsigned n = 0, opened = 0;
	bool any = false;
	struct lone *v;
	int r;

	for (unsigned i = 0; i < n_programs; i++)
		for (unsigned k = 0; k < programs[i]->n_rounds; k++)
			n += programs[i]->rounds[k].n_events;
	v = calloc(n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (unsigned i = 0; i < n_programs; i++)
		opened += open_program(sys, programs[i], &v[opened]);
	for (unsigned i = 0; i < n; i++)
		any |= v[i].fd >= 0;
	if (any)
		wait(APART);
	r = judge(sys, v, n);
	free(v);
	return r;
}

int counting_perf_rise(const struct perf_sys *sys,
		       const struct plan_perf_program *const *programs, unsigned n)
{
	return counting_perf_rise_with(sys ?: &perf_sys_linux, wait_linux, programs, n);
}
