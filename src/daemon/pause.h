/* SPDX-License-Identifier: MIT
 * Room for other tools: whoever connects to RUN/uncored.pause has the counters to himself until the
 * connection ends.
 *
 * Owns:  who is connected; the way into the state paused and out of it.
 * Never: the socket (pause_socket.h); which counters these are, how they are given back
 *        (generation.h).
 * Main thread.
 *
 * uncored says one line when it has given everything back: PAUSE_BEGAN, or PAUSE_REFUSED and why.
 * What a client sends is not read. With several at once the last end counts.
 */
#ifndef DAEMON_PAUSE_H
#define DAEMON_PAUSE_H

struct loop;

/* Watches the socket in the loop's events. */
int pause_watch(struct loop *l);
/* Once a second: a pause that could not end is tried again, and counters that were left to others
 * are looked at. */
void pause_tick(struct loop *l);
/* Ends every connection. */
void pause_stop(struct loop *l);

#endif
