/* SPDX-License-Identifier: MIT */
#include "serve/stream_poll.h"

#define POLLS_PER_INTERVAL 20
#define POLL_MIN (10 * NSEC_PER_MSEC)   /* publications are 100 ms apart at least */
#define POLL_MAX (50 * NSEC_PER_MSEC)
#define WAIT_MAX (250 * NSEC_PER_MSEC)  /* for late sockets; also half an interval at most */

static bool somebody_listens(const struct serve *s)
{
	return s->renderer && http_stream_count(s->http).listeners;
}

nsec stream_poll_timeout(const struct stream_poll *p, const struct serve *s, nsec now)
{
	if (!somebody_listens(s))
		return -1;
	return p->poll_at > now ? p->poll_at - now : 0;
}

/* All sockets publish at about the same time, and one message carries all of them. */
void stream_poll_run(struct stream_poll *p, struct serve *s, nsec now)
{
	nsec interval, pause, wait;
	unsigned of, unsent;

	if (!somebody_listens(s) || now < p->poll_at)
		return;
	interval = expo_interval(s->renderer);
	pause = interval / POLLS_PER_INTERVAL;
	if (pause > POLL_MAX)
		pause = POLL_MAX;
	if (pause < POLL_MIN)
		pause = POLL_MIN;
	p->poll_at = now + pause;
	wait = interval / 2 < WAIT_MAX ? interval / 2 : WAIT_MAX;
	unsent = expo_unsent(s->renderer, now, &of);
	if (unsent && unsent < of && (!p->since || now - p->since < wait)) {
		p->since = p->since ? p->since : now;
		return;
	}
	p->since = 0;
	if (unsent)
		serve_publish(s);
}
