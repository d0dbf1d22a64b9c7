/* SPDX-License-Identifier: MIT */
#include "daemon/loop.h"

#include "daemon/keepalive.h"
#include "daemon/listening.h"
#include "daemon/notify.h"
#include "daemon/restore.h"
#include "process/log.h"

#include <inttypes.h>

int loop_enter(struct loop *l, enum life_event event)
{
	int next = l->now->next[event];

	if (next < 0) {
		log_msg(LOG_CRIT, "event %d cannot happen while uncored is %s: please report "
			"this", (int)event, l->now->name);
		return next;
	}
	l->now = life_of((enum life_state)next);
	l->health.values[D_PAUSED] = l->now->paused;
	if (!l->now->paused)
		l->health.values[D_WITHOUT] = l->now->waits;
	return 0;
}

void loop_publish(struct loop *l)
{
	health_publish(&l->health, l->g, l->front->http.child.pid);
}

void loop_status(struct loop *l)
{
	if (l->now->paused)
		notify_send("STATUS=Paused: %s", l->pause.why.text[0] ? l->pause.why.text :
			    "the counters are left to another tool");
	else if (l->now->waits)
		notify_send("STATUS=Nothing is counted: %s%s", l->why.text,
			    l->health.values[D_CONFIG_OK] ? "" : "; the last reload failed");
	else
		health_status(&l->health, l->g);
}

int loop_check_samplers(struct loop *l, const char *to_do, struct err *err)
{
	nsec until = generation_clock.mono(NULL) + generation_clock.offset + GENERATION_PATIENCE;

	if (l->now->paused)
		return 0;
	health_check(&l->health, l->g);
	for (unsigned i = 0; generation_counts(l->g) && i < l->g->plan->n_sockets; i++)
		if (l->health.sockets[i].stalled ||
		    !sampler_thread_answers(l->g->sockets[i].thread, until))
			return err_set(err, -EBUSY, "socket %u is stalled and cannot %s; restart "
				       "uncored", l->g->plan->sockets[i].id, to_do);
	return 0;
}

void loop_publish_new_samplers(struct loop *l)
{
	health_reset(&l->health);
	health_check(&l->health, l->g);
	loop_publish(l);                        /* before anybody can look at it */
	supervisor_renew_plan(&l->front->http, l->g->shared);
}

void loop_send_ready(struct loop *l)
{
	l->ready_unsent = !notify_send("READY=1");
}

void loop_notify_reloading(void)
{
	/* The true time: systemd ignores a message that seems older than its signal. */
	notify_send("RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		    (generation_clock.mono(NULL) + generation_clock.offset) / NSEC_PER_USEC);
}

void loop_log_needs_restart(int priority, struct where at, const char *key)
{
	struct diags d = { 0 };

	diags_add(&d, at, "a change of `%s` needs a restart: systemctl restart uncored", key);
	log_diags(priority, &d);
	diags_done(&d);
}

void loop_log_listeners(const struct loop *l, const struct conf *conf)
{
	const struct listen_wanted wanted = listening_wanted(l->o, conf);
	struct where at;
	const char *key = listeners_differ(&l->front->listeners, &wanted, &at);

	if (key)
		loop_log_needs_restart(LOG_WARNING, at, key);
	if (pause_socket_differs(&l->front->pause, &conf->pause))
		loop_log_needs_restart(LOG_WARNING, conf->pause.where, "pause");
}

void loop_check_driver(struct loop *l)
{
	struct machine *m = &l->machine;

	if (machine_check_driver(m) && l->o->mode == MODE_RUN)
		log_msg(LOG_WARNING, "the kernel's uncore driver was loaded while uncored counts "
			"through registers. Both program the same counters; uncored leaves out "
			"those that the driver takes, and leaves enabled what the driver needs. "
			"Restart uncored to count through the driver, or unload it: modprobe -r "
			"intel-uncore");
	l->health.values[D_DRIVER] = m->driver || m->late_driver;
}

int loop_save(const struct loop *l, const struct generation *a, const struct generation *b,
	      struct err *err)
{
	int r;

	if (!l->state_file)
		return 0;
	keepalive_begin(l->g);
	r = restore_save(l->o, &l->machine, a, b, err);
	keepalive_end();
	return r;
}
