/* SPDX-License-Identifier: MIT
 * uncored running: the sd-event loop.
 *
 * Owns:  signals, reload, watchdog, the order in which a run begins and ends.
 * Never: whether a sampler is well (health.h), how the http process is kept (supervisor.h).
 * Main thread.
 */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

#include "daemon/front.h"
#include "daemon/generation.h"

struct loop_options {
	const struct options *o;
	struct machine *machine;
	struct generation *g;           /* counting; taken */
	struct front *front;            /* its http process is started; ended with the loop */
	bool state_file;                /* the registers engine keeps one */
	bool pin;
	bool config_failed;             /* the last reload was refused, before counting began */
};

/* Serves until SIGTERM or SIGINT, then stops and restores. The child ends with it. Returns an exit
 * code. */
int loop_run(const struct loop_options *lo);

/* What another loop of this process does alike. Before any thread starts: */
void loop_block_signals(void);
/* which the loop takes then. Those that end it end it with 0. Its period is microseconds between
 * two ticks: a second, or as often as the service manager's watchdog wants. */
int loop_new(sd_event **ret, uint64_t *ret_period, sd_event_time_handler_t tick,
	     sd_event_signal_handler_t on_hup, void *p, struct err *err);
/* Runs it to its end. Returns an exit code. */
int loop_turn(sd_event *event);
/* Tells the service manager that a reload begins. */
void loop_notify_reloading(void);
/* Says what of a configuration that a reload takes only a restart gives: other sockets. */
void loop_log_listeners(const struct front *f, const struct options *o, const struct conf *conf);

#endif
