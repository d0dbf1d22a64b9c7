/* stream_poll.h - while somebody listens to the stream: has a window been published?
 *
 * Owns:  when to poll. A ring cannot wake another process. Without listeners nothing is polled.
 * Never: what a message says (expo/), who listens (http/).
 * The http child's one thread.
 */
#ifndef SERVE_STREAM_POLL_H
#define SERVE_STREAM_POLL_H

#include "serve/routes.h"

struct stream_poll {
	nsec poll_at;               /* not before */
	nsec since;                 /* some sockets have published, others not; 0: all or none */
};

/* ns until stream_poll_run() must be called, -1: nobody listens. */
nsec stream_poll_timeout(const struct stream_poll *l, const struct serve *s, nsec now);
void stream_poll_run(struct stream_poll *l, struct serve *s, nsec now);

#endif
