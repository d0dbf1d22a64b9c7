/* respawn.c - see respawn.h. */
#include "config.h"

#include "daemon/respawn.h"

#include "process/exit_code.h"
#include "process/log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000)        /* sd-event counts microseconds */
#define MINUTE (60 * SECOND)
#define SILENCE (5 * SECOND)            /* then it hangs */
#define NO_LIBRARY 127                  /* exit code of the loader, which has said what is missing */
#define GAP    (SECOND + SECOND / 2)    /* between two looks; what is beyond is time in which we stood still ourselves */

static int child_spawn(struct respawn *r, struct err *err);
static int on_respawn(sd_event_source *s, uint64_t usec, void *p);

/* At once, then after 1, 2, 4, 4 ... s. */
static unsigned child_wait(const struct respawn *r)
{
	return r->fails ? 1u << (r->fails < 3 ? r->fails - 1 : 2) : 0;
}

/* What fails again and again: once a minute. */
static bool child_worth_telling(const struct respawn *r)
{
	return r->fails < 3 || r->fails % 15 == 0;
}

static int child_later(struct respawn *r)
{
	uint64_t usec = child_wait(r) * SECOND;

	r->fails++;
	r->later = sd_event_source_unref(r->later);
	return sd_event_add_time_relative(r->event, &r->later, CLOCK_MONOTONIC, usec, 1, on_respawn, r);
}

static int on_respawn(sd_event_source *s, uint64_t usec, void *p)
{
	struct respawn *r = p;
	struct err err = { "" };

	(void)s;
	r->started = usec;
	if (child_spawn(r, &err) >= 0)
		return 0;
	if (child_worth_telling(r))
		log_msg(LOG_ERR, "%s", err.text);
	return child_later(r);
}

/* One that lived for a minute begins a new row. */
static void child_row(struct respawn *r)
{
	uint64_t now = 0;

	sd_event_now(r->event, CLOCK_MONOTONIC, &now);
	if (now - r->started > MINUTE)
		r->fails = 0;
}

static void child_tell(struct respawn *r, const siginfo_t *si)
{
	char row[32] = "", when[16] = "at once";

	child_row(r);
	if (r->fails)
		snprintf(row, sizeof(row), ", %u in a row", r->fails + 1);
	if (child_wait(r))
		snprintf(when, sizeof(when), "in %u s", child_wait(r));
	if (child_worth_telling(r))
		log_msg(LOG_WARNING, "the http process ended (%s %d%s); counting goes on, it is started again %s",
			si->si_code == CLD_EXITED ? "exit code" : "signal", si->si_status, row, when);
}

static int on_child(sd_event_source *s, const siginfo_t *si, void *p)
{
	struct respawn *r = p;

	(void)s;
	if (!r->started && si->si_code == CLD_EXITED && si->si_status) {
		log_msg(LOG_ERR, "the http process could not begin (exit code %d); uncored ends", si->si_status);
		return sd_event_exit(r->event, si->si_status == NO_LIBRARY ? EXIT_UNAVAILABLE : si->si_status);
	}
	child_tell(r, si);
	close(r->child.sock);
	r->child = CHILD_NONE;
	r->watch = sd_event_source_unref(r->watch);
	return child_later(r);
}

static int child_watch(struct respawn *r, struct err *err)
{
	int k = sd_event_add_child(r->event, &r->watch, r->child.pid, WEXITED, on_child, r);

	return k < 0 ? err_set(err, k, "cannot watch the http process: %s", strerror(-k)) : 0;
}

static int child_spawn(struct respawn *r, struct err *err)
{
	int k = listeners_revive(r->listeners, err);

	if (k > 0)
		log_msg(LOG_WARNING, "the http process had shut down what it listened on; it is opened again");
	if (k >= 0)
		k = child_start(&r->child, err);
	if (k < 0)
		return k;
	r->silent = 0;
	r->killed = false;
	k = child_watch(r, err);
	if (!k)
		k = child_listen(&r->child, r->listeners->fds, r->listeners->n, err);
	if (!k)
		k = respawn_give(r, r->plan, err);
	if (k < 0) {                            /* it would wait for its plan for ever */
		r->watch = sd_event_source_unref(r->watch);
		child_end(&r->child);
	}
	return k;
}

int respawn_give(struct respawn *r, const struct shared *plan, struct err *err)
{
	int k = shared_send(plan, r->child.sock);

	r->plan = plan;
	return k < 0 ? err_set(err, k, "the http process does not take the plan: %s", strerror(-k)) : 0;
}

int respawn_watch(struct respawn *r, sd_event *event, struct err *err)
{
	r->event = event;
	return child_watch(r, err);
}

bool respawn_begins(const struct respawn *r)
{
	struct pollfd beat = { .fd = r->child.sock, .events = POLLIN };

	poll(&beat, 1, SILENCE / 1000);
	return child_beats(&r->child) || !(beat.revents & POLLHUP);
}

/* Stopped or suspended together with it, or busy with a reload, we learn nothing of it: such time does not count. Who holds it
 * in a debugger holds us as well, or has it killed. */
void respawn_look(struct respawn *r)
{
	uint64_t now = 0, gap;

	sd_event_now(r->event, CLOCK_MONOTONIC, &now);
	gap = now - r->looked < GAP ? now - r->looked : GAP;
	r->looked = now;
	if (r->child.sock < 0 || r->killed)
		return;
	r->silent = child_beats(&r->child) ? 0 : r->silent + gap;
	if (r->silent < SILENCE && listeners_alive(r->listeners))
		return;
	child_row(r);
	if (child_worth_telling(r) && r->silent < SILENCE)
		log_msg(LOG_WARNING, "the http process has shut down what it listens on; it is killed");
	else if (child_worth_telling(r))
		log_msg(LOG_WARNING, "the http process hangs: its loop has not turned for %u s; it is killed",
			(unsigned)(SILENCE / SECOND));
	r->killed = true;
	kill(r->child.pid, SIGKILL);
}

void respawn_renew(struct respawn *r, const struct shared *plan)
{
	struct err err = { "" };

	r->plan = plan;
	if (r->child.sock >= 0 && respawn_give(r, plan, &err) < 0) {
		log_msg(LOG_ERR, "%s; it is started anew", err.text);
		kill(r->child.pid, SIGKILL);        /* it would show values that stand still */
	}
}

void respawn_end(struct respawn *r)
{
	sd_event_source_unref(r->watch);
	sd_event_source_unref(r->later);
	child_end(&r->child);
}
