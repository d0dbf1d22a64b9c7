/* stream_poll.h - while somebody listens to the stream: has a window been published?
 *
 * Owns:  when to look. A ring cannot wake another process, so that this asks; without listeners it
 *        never does.
 * Never: what a message says (expo/), who listens (http/).
 * The http child's one thread.
 */
#ifndef SERVE_STREAM_POLL_H
#define SERVE_STREAM_POLL_H

#include "serve/routes.h"

struct stream_poll {
	nsec look_at;
	/* when some sockets had published and others not; 0: all or none */
	nsec since;
};

/* ns until stream_poll_run() must be called, -1: nobody listens. */
nsec stream_poll_timeout(const struct stream_poll *l, const struct serve *s, nsec now);
void stream_poll_run(struct stream_poll *l, struct serve *s, nsec now);

#endif
