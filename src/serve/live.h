/* live.h - while somebody listens to the stream: has a window been published?
 *
 * Owns:  when to look. A ring cannot wake another process, so that this asks; without listeners it never does.
 * Never: what a message says (expo/), who listens (http/).
 * The http child's one thread.
 */
#ifndef SERVE_LIVE_H
#define SERVE_LIVE_H

#include "serve/routes.h"

struct live {
	nsec look_at;
	nsec since;                 /* when some sockets had published and others not; 0: all or none */
};

/* ns until live_run() must be called, -1: nobody listens. */
nsec live_timeout(const struct live *l, const struct serve *s, nsec now);
void live_run(struct live *l, struct serve *s, nsec now);

#endif
