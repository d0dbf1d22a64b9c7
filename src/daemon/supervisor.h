/* supervisor.h - keeps the http process there: handed each plan, watched, started again at once,
 * then after 1, 2, 4, 4 ... s.
 *
 * Owns:  its life as the event loop sees it.
 * Never: what is in a plan, how a process is started (http_process.h).
 * Main thread.
 */
#ifndef DAEMON_SUPERVISOR_H
#define DAEMON_SUPERVISOR_H

#include "daemon/http_process.h"
#include "daemon/listen.h"
#include "process/shared.h"

#include <systemd/sd-event.h>

struct supervisor {
	struct http_process child;                     /* now; started by the caller at first,
	                                                * HTTP_PROCESS_NONE between two */
	const struct listeners *listeners;      /* borrowed */
	const struct shared *plan;              /* the last one given, for the next process;
	                                         * borrowed until another is given */
	sd_event *event;                        /* borrowed; NULL until watched */
	sd_event_source *watch, *later;
	unsigned fails;                         /* in a row */
	uint64_t looked, silent;                /* when we last looked for its beat, for how long
	                                         * there was none; microseconds */
	bool killed;                            /* as it hung; it has not ended yet */
	uint64_t started;                       /* when the process was started again, microseconds;
	                                         * 0: it is the first one */
};

/* Its first plan. A process that has ended meanwhile takes none, which is no error: the watch
 * tells. */
int supervisor_send_plan(struct supervisor *r, const struct shared *plan, struct err *err);
/* From now on it is started again when it ends. Only a first one that ends with an error, because
 * it is refused what it needs or a library is missing, ends the loop with its exit code: no other
 * would fare better. */
int supervisor_watch(struct supervisor *r, sd_event *event, struct err *err);
/* Waits until the first process serves, or hangs. False: it could not begin, and the loop will end
 * for that. */
bool supervisor_serves(const struct supervisor *r);
/* Once a second or more often: one that hangs is killed, and the watch tells. */
void supervisor_check_beat(struct supervisor *r);
/* Another plan; who does not take it is ended, and the next process gets it. */
void supervisor_renew_plan(struct supervisor *r, const struct shared *plan);
/* No longer watched; ends the process. Also where it never was watched. */
void supervisor_end(struct supervisor *r);

#endif
