/* SPDX-License-Identifier: MIT
 * Polls for new samples while the stream has listeners.
 *
 * Owns:  when to poll. A ring cannot wake another process, so the rings are polled.
 * Never: what a message says (expo/), who listens (http/).
 * The http child's one thread.
 */
#ifndef SERVE_STREAM_POLL_H
#define SERVE_STREAM_POLL_H

#include "serve/routes.h"

struct stream_poll {
	nsec poll_at;               /* not before */
	nsec since;                 /* some sockets have published, others have not; 0: neither */
};

/* ns until stream_poll_run() must be called; -1: the stream has no listener. */
nsec stream_poll_timeout(const struct stream_poll *p, const struct serve *s, nsec now);
void stream_poll_run(struct stream_poll *p, struct serve *s, nsec now);

#endif
