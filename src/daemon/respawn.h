/* respawn.h - the http process is there: handed each plan, watched, started again at once, then after 1, 2, 4, 4 ... s.
 *
 * Owns:  its life as the event loop sees it.
 * Never: what is in a plan, how a process is started (child.h).
 * Main thread.
 */
#ifndef DAEMON_RESPAWN_H
#define DAEMON_RESPAWN_H

#include "daemon/child.h"
#include "daemon/listen.h"
#include "process/shared.h"

#include <systemd/sd-event.h>

struct respawn {
	struct child child;                     /* now; started by the caller at first, CHILD_NONE between two */
	const struct listeners *listeners;      /* borrowed */
	const struct shared *plan;              /* the last one given, for the next process; borrowed until another is given */
	sd_event *event;                        /* borrowed; NULL until watched */
	sd_event_source *watch, *later;
	unsigned fails;                         /* in a row */
	uint64_t looked, silent;                /* when we last looked for its beat, for how long there was none; microseconds */
	bool killed;                            /* as it hung; it has not ended yet */
	uint64_t started;                       /* when the process was started again, microseconds; 0: it is the first one */
};

/* Its first plan. A process that has ended meanwhile takes none, which is no error: the watch tells. */
int respawn_give(struct respawn *r, const struct shared *plan, struct err *err);
/* From now on it is started again when it ends. Only a first one that ends with an error, because it is refused what it needs
 * or a library is missing, ends the loop with its exit code: no other would fare better. */
int respawn_watch(struct respawn *r, sd_event *event, struct err *err);
/* Waits until the first process serves, or hangs. False: it could not begin, and the loop will end for that. */
bool respawn_begins(const struct respawn *r);
/* Once a second or more often: one that hangs is killed, and the watch tells. */
void respawn_look(struct respawn *r);
/* Another plan; who does not take it is ended, and the next process gets it. */
void respawn_renew(struct respawn *r, const struct shared *plan);
/* No longer watched; ends the process. Also where it never was watched. */
void respawn_end(struct respawn *r);

#endif
