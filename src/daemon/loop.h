/* loop.h - uncored running: the sd-event loop.
 *
 * Owns:  signals, reload, watchdog, the order in which a run begins and ends.
 * Never: whether a sampler is well (health.h), how the http process is kept (supervisor.h).
 * Main thread.
 */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

#include "daemon/generation.h"
#include "daemon/supervisor.h"

struct loop_options {
	const struct options *o;
	struct machine *machine;
	struct generation *g;           /* counting; taken */
	struct supervisor *http;        /* its process is started; ended with the loop */
	bool state_file;                /* the registers engine keeps one */
	bool pin;
};

/* Serves until SIGTERM or SIGINT, then stops and restores. The child ends with it. Returns an exit
 * code. */
int loop_run(const struct loop_options *lo);

#endif
