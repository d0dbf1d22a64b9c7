/* SPDX-License-Identifier: MIT
 *
 * Owns:  struct pause of the loop.
 *
 *	on_asked()      somebody connects and is still there: begin() unless it is paused already; a
 *	                line to him
 *	on_end()        his connection ends: the last one's ends the pause
 *	go_on()         engines are opened as at a start; then it counts
 *	pause_tick()    go_on() where that failed; what others had enabled is free: all again
 */
#include "daemon/pause.h"

#include "base/pausing.h"
#include "daemon/keepalive.h"
#include "daemon/loop.h"
#include "daemon/reload.h"
#include "daemon/restore.h"
#include "process/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the way in */

/* Nothing of ours is in a register or open as an event afterwards, unless it fails: then it counts
 * as before. -ENOTRECOVERABLE: nothing counts any more, and the loop ends. */
static int give_back(struct loop *l, struct err *err)
{
	bool ended = false;
	int r = loop_check_samplers(l, "stop counting", err);

	if (r < 0 || !l->now->counts)
		return r;
	loop_check_driver(l);
	r = generation_give_back(l->g, &l->machine, l->pin, &ended, err);
	if (ended) {
		sd_event_exit(l->event, EXIT_TEMPFAIL);
		return -ENOTRECOVERABLE;
	}
	if (r < 0)
		loop_publish_new_samplers(l);
	else if (l->state_file && !l->owes)
		restore_remove_file(l->o);
	return r;
}

static int let_go(struct loop *l, struct err *err)
{
	int r = give_back(l, err);

	if (r < 0)
		return r;
	r = loop_enter(l, LIFE_PAUSES);
	return r < 0 ? err_set(err, r, "uncored cannot pause while it ends") : 0;
}

static int begin(struct loop *l, struct err *err)
{
	int r = let_go(l, err);

	if (r < 0)
		return r;
	log_msg(LOG_NOTICE, "paused: the counters are left to another tool, and nothing is counted "
		"until it ends");
	loop_publish(l);
	loop_status(l);
	return 0;
}

/* ---- the way out */

/* What others have enabled meanwhile is left to them. */
static int take_again(struct loop *l, struct err *err)
{
	int r = generation_reopen(l->g, &l->machine, err);

	if (r < 0)
		return r;
	l->pause.left = generation_left(l->g);
	r = loop_save(l, l->g, NULL, err);
	return r < 0 ? r : generation_restart(l->g, &l->machine, l->pin, err);
}

#define ENDED "the pause has ended: counting goes on"
#define FREE  "what another program had left enabled is free, and is counted again"

/* ended: what is said where nothing is left to others. */
static void log_end(const struct loop *l, const char *ended)
{
	if (l->pause.left)
		log_msg(LOG_NOTICE, "the pause has ended; what another program has left enabled "
			"is not counted (foreign) until it is free: %u counter%s", l->pause.left,
			l->pause.left == 1 ? "" : "s");
	else
		log_msg(LOG_NOTICE, "%s", ended);
}

static void go_on(struct loop *l, const char *ended)
{
	bool counts = generation_counts(l->g);
	struct err err = { "" };
	int r = counts ? take_again(l, &err) : 0;

	if (r < 0) {
		if (strcmp(err.text, l->pause.why.text) != 0)
			log_msg(LOG_ERR, "the pause has ended, but counting cannot go on: %s; "
				"uncored tries again each second", err.text);
		l->pause.why = err;
		loop_status(l);
		return;
	}
	l->pause.why.text[0] = '\0';
	if (loop_enter(l, counts ? LIFE_COUNTS : LIFE_FINDS_NOTHING) < 0)
		return;
	log_end(l, ended);
	if (counts)
		loop_publish_new_samplers(l);
	else
		loop_publish(l);
	loop_status(l);
	if (l->reload.due)
		reload_begin(l);
}

/* ---- who asks */

static struct pause_holder *free_holder(struct pause *p)
{
	for (unsigned i = 0; i < PAUSE_HOLDERS; i++)
		if (!p->holders[i].ends)
			return &p->holders[i];
	return NULL;
}

static bool is_held(const struct pause *p)
{
	for (unsigned i = 0; i < PAUSE_HOLDERS; i++)
		if (p->holders[i].ends)
			return true;
	return false;
}

static void release(struct pause_holder *h)
{
	h->ends = sd_event_source_unref(h->ends);
	close(h->fd);
}

/* Closed, reset, or shut down: whatever was sent before is thrown away. */
static int on_end(sd_event_source *s, int fd, uint32_t events, void *p)
{
	struct loop *l = p;
	char ignored[256];
	ssize_t n = recv(fd, ignored, sizeof(ignored), MSG_DONTWAIT);

	(void)events;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return 0;
	for (unsigned i = 0; i < PAUSE_HOLDERS; i++)
		if (l->pause.holders[i].ends == s)
			release(&l->pause.holders[i]);
	if (!is_held(&l->pause) && l->now->paused)
		go_on(l, ENDED);
	return 0;
}

/* Has he ended before he was heard? He waits for nothing, and who comes next waits for less. */
static bool has_ended(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

/* 0: he holds the pause. */
static int admit(struct loop *l, int fd, struct err *err)
{
	struct pause_holder *h = free_holder(&l->pause);
	int r;

	if (!h)
		return err_set(err, -EBUSY, "%d pauses run already", PAUSE_HOLDERS);
	r = l->now->paused ? generation_settle(l->g, err) : begin(l, err);
	if (r < 0)
		return r;
	r = sd_event_add_io(l->event, &h->ends, fd, EPOLLIN, on_end, l);
	if (r < 0) {
		h->ends = NULL;
		err_set(err, r, "cannot watch the connection: %s", strerror(-r));
	}
	h->fd = fd;
	return r;
}

static int on_asked(sd_event_source *s, int from, uint32_t events, void *p)
{
	int fd = accept4(from, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct loop *l = p;
	struct err err = { "" };
	char line[sizeof(err.text) + 32];
	int r;

	(void)events;
	if (fd < 0) {                   /* no descriptor or memory: again at the next tick */
		sd_event_source_set_enabled(s, SD_EVENT_OFF);
		return 0;
	}
	if (has_ended(fd)) {
		close(fd);
		return 0;
	}
	r = admit(l, fd, &err);
	if (r < 0)
		snprintf(line, sizeof(line), PAUSE_REFUSED "%s\n", err.text);
	send(fd, r < 0 ? line : PAUSE_BEGAN "\n",
	     strlen(r < 0 ? line : PAUSE_BEGAN "\n"), MSG_NOSIGNAL | MSG_DONTWAIT);
	if (r < 0) {
		close(fd);
		if (l->now->paused && !is_held(&l->pause))
			go_on(l, ENDED);
	}
	return 0;
}

int pause_watch(struct loop *l)
{
	int fd = l->front->pause.fd;

	return fd < 0 ? 0 : sd_event_add_io(l->event, &l->pause.asked, fd, EPOLLIN, on_asked, l);
}

/* Those that were left to others: are some free now? */
static bool some_are_free(struct loop *l)
{
	unsigned still;

	keepalive_begin(l->g);
	still = generation_left(l->g);
	keepalive_end();
	return still < l->pause.left;
}

void pause_tick(struct loop *l)
{
	struct err err = { "" };

	if (l->pause.asked)
		sd_event_source_set_enabled(l->pause.asked, SD_EVENT_ON);
	if (l->now->paused && !is_held(&l->pause)) {
		go_on(l, ENDED);
		return;
	}
	if (!l->now->counts || !l->pause.left || l->reload.runs || !some_are_free(l))
		return;
	if (let_go(l, &err) < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		return;
	}
	go_on(l, FREE);
	if (l->now->paused)                     /* it could not: that is tried each second */
		loop_publish(l);
}

void pause_stop(struct loop *l)
{
	l->pause.asked = sd_event_source_unref(l->pause.asked);
	for (unsigned i = 0; i < PAUSE_HOLDERS; i++)
		if (l->pause.holders[i].ends)
			release(&l->pause.holders[i]);
}
