/* SPDX-License-Identifier: MIT */
#include "daemon/health.h"

#include "daemon/notify.h"
#include "daemon/proc.h"
#include "children/spawner.h"
#include "process/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Nobody needs what this process costs each second, and asking costs more than all else here. */
#define COST_PERIOD (10 * NSEC_PER_SEC)

int health_reserve(struct health *h, const struct plan *plan, struct err *err)
{
	unsigned most = h->n_words;
	uint64_t *w;

	for (unsigned i = 0; i < plan->n_sockets; i++)
		if (layout_of(&plan->sockets[i]).n_words > most)
			most = layout_of(&plan->sockets[i]).n_words;
	w = realloc(h->words, most * sizeof(*w));
	if (!w)
		return err_set(err, -ENOMEM, "out of memory");
	h->words = w;
	h->n_words = most;
	return 0;
}

/* Did the last tick find no CPU to read from? */
static bool was_offline(const struct plan_socket *s, const uint64_t *words)
{
	const struct layout lay = layout_of(s);
	unsigned n = 0;

	while (n < s->n_series && words[lay.slot_reason + n] == REASON_OFFLINE)
		n++;
	return n == s->n_series;
}

bool health_check(struct health *h, const struct generation *g)
{
	nsec now = generation_clock.mono(NULL);
	bool alive = !generation_counts(g);     /* then there is no sampler to stall */

	if (h->values[D_PAUSED])                /* neither then */
		return true;
	for (unsigned i = 0; i < g->plan->n_sockets; i++) {
		const struct plan_socket *s = &g->plan->sockets[i];
		bool was = h->sockets[i].stalled, *stalled = &h->sockets[i].stalled;

		if (!ring_read(&g->shared->rings[i], h->words))
			continue;
		*stalled = layout_stalled(h->words, g->plan->interval, now);
		if (*stalled && !was)
			log_socket(LOG_ERR, (int)s->id, "not sampled for %lld s: a read hangs, or "
				   "uncored was stopped; its values are left out (stalled) until "
				   "sampling resumes",
				   (long long)((now - (nsec)h->words[W_TICK_MONO]) / NSEC_PER_SEC));
		else if (was && !*stalled)
			log_socket(LOG_NOTICE, (int)s->id, "sampled again");
		alive |= !*stalled || was_offline(s, h->words);
	}
	return alive;
}

void health_reset(struct health *h)
{
	memset(h->sockets, 0, sizeof(h->sockets));
}

void health_measure_cost(uint64_t values[D_VALUES], pid_t child)
{
	struct proc_cost cost = { 0 };

	proc_add_cost(getpid(), &cost);
	if (child)
		proc_add_cost(child, &cost);
	/* The CPU time of a child that ended is no longer seen; a counter must not fall. */
	if (cost.cpu_nsec > values[D_CPU_NSEC])
		values[D_CPU_NSEC] = cost.cpu_nsec;
	values[D_RSS_BYTES] = cost.rss_bytes;
	values[D_FDS] = cost.fds;
}

void health_note_config(struct health *h)
{
	h->values[D_CONFIG_WALL_NSEC] = (uint64_t)generation_clock.wall(NULL);
}

void health_publish(struct health *h, const struct generation *g, pid_t child)
{
	nsec now = generation_clock.mono(NULL);

	if (!h->measured_at || child != h->measured_child ||
	    now - h->measured_at >= COST_PERIOD) {
		health_measure_cost(h->values, child);
		h->measured_at = now;
		h->measured_child = child;
	}
	h->values[D_LOG_LOST] = log_lost();
	h->values[D_SPAWNER_UP] = spawner_up();
	h->values[D_CONFIG_HASH] = g->conf->hash;
	ring_write(&g->shared->daemon, h->values);
}

/* The first slot that is not counted now, or NULL; ret_n: how many there are. */
static const struct plan_slot *first_invalid(const struct plan_socket *s, const uint64_t *words,
					     unsigned *ret_n, enum reason *ret_why)
{
	const struct layout lay = layout_of(s);
	const struct plan_slot *first = NULL;

	*ret_n = 0;
	for (unsigned k = s->n_series; k-- > 0;)
		if (words[lay.slot_reason + k]) {
			first = s->series[k].slot;
			*ret_why = (enum reason)words[lay.slot_reason + k];
			++*ret_n;
		}
	return first;
}

void health_log(struct health *h, const struct generation *g)
{
	nsec now = generation_clock.mono(NULL);

	if (h->values[D_PAUSED])
		return;
	for (unsigned i = 0; i < g->plan->n_sockets; i++) {
		const struct plan_socket *s = &g->plan->sockets[i];
		struct health_socket *k = &h->sockets[i];
		const struct plan_slot *first;
		enum reason why = REASON_NONE;
		char more[32] = "";
		uint64_t faults;
		unsigned n;

		if (k->stalled || !ring_read(&g->shared->rings[i], h->words))
			continue;
		faults = h->words[W_FOREIGN] + h->words[W_RESETS] + h->words[W_READ_ERRORS];
		first = first_invalid(s, h->words, &n, &why);
		if ((faults == k->logged_faults && n == k->logged_invalid) ||
		    (k->logged_at && now - k->logged_at < 60 * NSEC_PER_SEC))
			continue;
		if (n > 1)
			snprintf(more, sizeof(more), " (and %u more)", n - 1);
		if (first)
			log_socket(LOG_WARNING, (int)s->id, "%s%s is not being counted: %s "
				   "(foreign writes %" PRIu64 ", resets %" PRIu64 ", read errors %"
				   PRIu64 " so far)", first->identity, more, reason_name(why),
				   h->words[W_FOREIGN], h->words[W_RESETS],
				   h->words[W_READ_ERRORS]);
		else if (k->logged_invalid)
			log_socket(LOG_NOTICE, (int)s->id, "every event is counted again");
		k->logged_faults = faults;
		k->logged_invalid = n;
		k->logged_at = now;
	}
}

void health_status(struct health *h, const struct generation *g)
{
	unsigned slots = 0, invalid = 0, stalled = 0, n;
	char more[48] = "";
	enum reason why;

	for (unsigned i = 0; i < g->plan->n_sockets; i++) {
		const struct plan_socket *s = &g->plan->sockets[i];

		n = h->sockets[i].stalled ? s->n_series : 0;
		if (!h->sockets[i].stalled && ring_read(&g->shared->rings[i], h->words))
			first_invalid(s, h->words, &n, &why);
		slots += s->n_series;
		invalid += n;
		stalled += h->sockets[i].stalled;
	}
	if (stalled)
		snprintf(more, sizeof(more), ", %u of the sockets stalled", stalled);
	notify_send("STATUS=%s%u events on %u sockets, %u invalid%s%s",
		    h->simulated ? "SIMULATED: " : "", slots, g->plan->n_sockets, invalid, more,
		    h->values[D_CONFIG_OK] ? "" : "; the last reload failed, the old "
		    "configuration is in use");
}

void health_done(struct health *h)
{
	free(h->words);
}
