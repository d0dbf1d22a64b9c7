/* SPDX-License-Identifier: MIT
 * Keeps the http process running: sends it each plan, watches it, and restarts it at
 * once, then after 1, 2, 4, 4 ... s.
 *
 * Owns:  when it is restarted or killed.
 * Never: what is in a plan, how a process is started (http_process.h).
 * Main thread.
 */
#ifndef CHILDREN_SUPERVISOR_H
#define CHILDREN_SUPERVISOR_H

#include "children/http_process.h"
#include "children/listen.h"
#include "process/shared.h"

#include <systemd/sd-event.h>

struct supervisor {
	struct http_process child;              /* the caller starts the first one;
	                                         * HTTP_PROCESS_NONE until a restart */
	struct listeners *listeners;            /* borrowed */
	struct http_tls tls;                    /* borrowed until others are taken */
	const struct shared *plan;              /* the last one sent, for the next process;
	                                         * borrowed until another is sent */
	sd_event *event;                        /* borrowed; NULL until watched */
	sd_event_source *child_end, *restart_timer;
	unsigned fails;                         /* in a row */
	uint64_t checked_at, silent_for;        /* when its beat was last checked, and for how long
	                                         * there was none; microseconds */
	bool killed;                            /* because it hung; it has not ended yet */
	bool announced;                         /* where it serves has been logged */
	bool heard;                             /* a beat, of any of them: it began to serve */
	uint64_t started;                       /* when it was restarted, microseconds; 0: it is the
	                                         * first one */
};

/* Sends a plan, before supervisor_watch(). It is no error if the process has ended: then it is
 * restarted and gets the plan. */
int supervisor_send_plan(struct supervisor *r, const struct shared *plan, struct err *err);
/* From now on the process is restarted when it ends, and at once if it has ended. Only if one ends
 * with an error before any has served, for instance because a library is missing, does the loop end
 * with its exit code: a restart would not help. */
int supervisor_watch(struct supervisor *r, sd_event *event, struct err *err);
/* Waits until a process serves, or hangs, and logs once where. False: it ended before it served;
 * supervisor_check_beat() sees, and logs, when the next one serves: `announced` is true then. */
bool supervisor_serves(struct supervisor *r);
/* To be called once a second or more often: kills a process that hangs, which restarts it. */
void supervisor_check_beat(struct supervisor *r);
/* Sends another plan. A process that does not take it is killed, and the next one gets it. */
void supervisor_renew_plan(struct supervisor *r, const struct shared *plan);
/* Takes other certificates, and warns if TLS is used now or is not any more. Unless they are the
 * same, the process is replaced: connections that were allowed by those before end, and others wait
 * for the new one. */
void supervisor_take_tls(struct supervisor *r, const struct http_tls *tls, bool same);
/* Ends the process and stops watching it, if it was watched. */
void supervisor_end(struct supervisor *r);

#endif
