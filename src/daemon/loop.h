/* SPDX-License-Identifier: MIT
 * What the parts of uncored's life share: how it starts (start.h), how it takes another
 * configuration (reload.h), how it goes on and ends (run.h), what it is under --once (once.h).
 *
 * Owns:  the struct of all that; what more than one of these parts does.
 * Never: the order of things.
 * Main thread.
 */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

#include "daemon/front.h"
#include "daemon/generation.h"
#include "daemon/health.h"
#include "daemon/life.h"
#include "daemon/once.h"
#include "daemon/reload_check.h"
#include "daemon/waiting.h"

#include <systemd/sd-event.h>

enum { PAUSE_HOLDERS = 16 };            /* at a time */

/* A configuration that is on its way to be used. Written by reload.c alone. */
struct reload {
	bool runs;                      /* waits for `check` */
	bool again;                     /* another SIGHUP came meanwhile */
	bool due;                       /* checked while counting was paused: it is for the end of
	                                 * that */
	uint64_t hash;                  /* of the bytes that it checks */
	struct reload_check check;
	sd_event_source *check_end, *check_late;
	struct generation *failed;      /* neither it nor the old one could start: both are to be
	                                 * restored */
};

/* Who asked for a pause, and what is left of one. Written by pause.c alone. */
struct pause {
	sd_event_source *asked;         /* somebody connects; NULL: nobody can */
	struct pause_holder {
		int fd;
		sd_event_source *ends;  /* NULL: a free place */
	} holders[PAUSE_HOLDERS];
	struct err why;                 /* the pause cannot end yet; "": it can, or is wanted */
	unsigned left;                  /* after one: counters that others still have enabled */
};

struct loop {
	const struct options *o;
	struct front *front;            /* what serves; NULL under --once */
	const struct life_row *now;         /* what it does */
	struct machine machine;
	struct generation *g;           /* counts; while nothing can be counted it is empty: the
	                                 * machine's sockets. NULL before the first one */
	struct err why;                 /* nothing is or was counted; "": it has never waited */
	struct waiting_tries tries;
	int lock;                       /* of the run directory; -1: none */
	bool state_file;                /* the registers engine keeps one */
	bool owes;                      /* what only that says: registers of an earlier
	                                 * configuration could not be restored */
	bool pin;                       /* samplers are bound to the CPU that they read from */
	struct conf_engine_choice engine;       /* configured when counting began */
	sd_event *event;                /* NULL before it runs */
	uint64_t period;                /* of the tick, microseconds */
	struct health health;
	bool ready_unsent;              /* the manager's queue was full, or nobody served yet */
	struct reload reload;
	struct pause pause;
	struct once once;
};

/* Goes to the state that follows. What the table refuses is a mistake of ours: -EPERM, logged. */
int loop_enter(struct loop *l, enum life_event event);
/* Writes the daemon's own values for the http process, and tells the service manager how it is. */
void loop_publish(struct loop *l);
void loop_status(struct loop *l);
/* Can its samplers be stopped, to do so? -EBUSY with a sentence: one hangs in a read. 0 also where
 * there are none. */
int loop_check_samplers(struct loop *l, const char *to_do, struct err *err);
/* After samplers and shared memory were made anew, whichever configuration is used. */
void loop_publish_new_samplers(struct loop *l);
/* Ends a start or a reload for the manager. A message that did not fit is sent again at a tick. */
void loop_send_ready(struct loop *l);
/* Tells the service manager that a reload begins. */
void loop_notify_reloading(void);
/* Says what of a configuration that a reload takes only a restart gives: other sockets. */
void loop_log_listeners(const struct loop *l, const struct conf *conf);
void loop_log_needs_restart(int priority, struct where at, const char *key);
/* Has the kernel's driver been loaded? Once a second while registers count, and before they go
 * back. */
void loop_check_driver(struct loop *l);
/* The state file, before a write: of the registers that a and b (NULL: none) write. */
int loop_save(const struct loop *l, const struct generation *a, const struct generation *b,
	      struct err *err);

#endif
