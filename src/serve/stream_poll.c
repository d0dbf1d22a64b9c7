/* stream_poll.c - see stream_poll.h. */
#include "config.h"

#include "serve/stream_poll.h"

#define LOOKS_PER_WINDOW 20
#define LOOK_MIN (10 * NSEC_PER_MSEC)   /* publications are 100 ms apart at least */
#define LOOK_MAX (50 * NSEC_PER_MSEC)
#define WAIT_MAX (250 * NSEC_PER_MSEC)  /* and half a window: for sockets that are late */

static bool somebody_listens(const struct serve *s)
{
	return s->renderer && http_stream_count(s->http).listeners;
}

nsec stream_poll_timeout(const struct stream_poll *l, const struct serve *s, nsec now)
{
	if (!somebody_listens(s))
		return -1;
	return l->look_at > now ? l->look_at - now : 0;
}

/* Sockets publish the same window a little apart, and one message is for all of them. */
void stream_poll_run(struct stream_poll *l, struct serve *s, nsec now)
{
	nsec pause, wait;
	unsigned of, unsent;

	if (!somebody_listens(s) || now < l->look_at)
		return;
	pause = expo_interval(s->renderer) / LOOKS_PER_WINDOW;
	l->look_at = now + (pause < LOOK_MIN ? LOOK_MIN : pause > LOOK_MAX ? LOOK_MAX : pause);
	unsent = expo_unsent(s->renderer, now, &of);
	wait = expo_interval(s->renderer) / 2 < WAIT_MAX ? expo_interval(s->renderer) / 2 :
	       WAIT_MAX;
	if (unsent && unsent < of && (!l->since || now - l->since < wait)) {
		l->since = l->since ? l->since : now;
		return;
	}
	l->since = 0;
	if (unsent)
		serve_publish(s);
}
