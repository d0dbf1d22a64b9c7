/* SPDX-License-Identifier: MIT */
#include "daemon/waiting.h"

#include "daemon/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define MINUTE (60 * UINT64_C(1000000))
#define MARK "uncored.waiting"

static bool somebody_waits(const struct options *o)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" MARK, o->run);
	return access(path, F_OK) == 0;
}

void waiting_mark(const struct options *o, bool waits)
{
	struct err ignored;
	char path[PATH_MAX];
	int fd;

	if (waits) {
		fd = rundir_file(o->run, MARK, O_RDONLY | O_CREAT, &ignored);
		if (fd >= 0)
			close(fd);
		return;
	}
	snprintf(path, sizeof(path), "%s/" MARK, o->run);
	unlink(path);
}

/* Does this configuration serve a machine on which nothing can be counted? */
static bool serves_without(const struct options *o, const struct conf *conf)
{
	bool expected = false;

	switch (o->mode) {
	case MODE_RUN:
		expected = notify_expected();
		break;
	case MODE_CHECK:                        /* what whoever waits does with a reload */
		if (o->processor || !somebody_waits(o))
			return false;
		expected = true;
		break;
	case MODE_ONCE:
	case MODE_RESTORE:
		return false;
	}
	return conf->without_counters == CONF_NO_COUNTERS_SERVE ||
	       (conf->without_counters == CONF_NO_COUNTERS_DEFAULT && expected);
}

bool waiting_due_unopened(const struct options *o, const struct conf *conf, int r)
{
	return r == -ENODEV && !o->processor &&
	       engine_chosen(o, conf)->kind == CONF_REGISTERS && serves_without(o, conf);
}

bool waiting_due(const struct options *o, const struct conf *conf, const struct machine *m,
		 const struct generation *g, struct err *ret_why)
{
	bool empty = g && generation_empty(g, ret_why),
		needs_device = g && g->plan->n_sockets && g->plan->sockets[0].has_reg;
	int r;

	if (m->engine == CONF_MODEL || !serves_without(o, conf))
		return false;
	r = machine_obstacle(m, g || engine_names_perf(conf), ret_why);
	if (empty && !r)
		return generation_empty(g, ret_why);
	return r == -EAGAIN && (!g || empty || needs_device);
}

bool waiting_worth_a_try(struct waiting_tries *t, unsigned fingerprint, uint64_t now)
{
	bool settled = fingerprint == t->seen, changed = fingerprint != t->tried;

	t->seen = fingerprint;
	if (!(settled && changed) && now - t->tried_at < MINUTE)
		return false;
	t->tried = fingerprint;
	t->tried_at = now;
	return true;
}
