/* SPDX-License-Identifier: MIT
 *
 * Owns:  the fields of struct supervisor but those that its header calls borrowed: failures in a
 *        row, silence, the timer of the next start.
 */
#include "children/supervisor.h"

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
#define NO_LIBRARY 127                  /* exit code of the loader, which says what is missing */
#define GAP    (SECOND + SECOND / 2)    /* beyond it this process stood still itself */

static int restart_process(struct supervisor *r, struct err *err);

/* At once, then after 1, 2, 4, 4 ... s. */
static unsigned restart_delay(const struct supervisor *r)
{
	return r->fails ? 1u << (r->fails < 3 ? r->fails - 1 : 2) : 0;
}

/* After three failures in a row: once a minute. */
static bool worth_logging(const struct supervisor *r)
{
	return r->fails < 3 || r->fails % 15 == 0;
}

/* The timer is there already: where no memory is left there must be a next time. */
static int schedule_restart(struct supervisor *r)
{
	uint64_t now = 0;

	sd_event_now(r->event, CLOCK_MONOTONIC, &now);
	sd_event_source_set_time(r->restart_timer, now + restart_delay(r) * SECOND);
	r->fails++;
	return sd_event_source_set_enabled(r->restart_timer, SD_EVENT_ONESHOT);
}

static int on_restart_time(sd_event_source *s, uint64_t usec, void *p)
{
	struct supervisor *r = p;
	struct err err = { "" };
	int k;

	(void)s, (void)usec;
	sd_event_now(r->event, CLOCK_MONOTONIC, &r->started);
	k = restart_process(r, &err);
	if (k >= 0)
		return 0;
	if (worth_logging(r) || k == -ENOTRECOVERABLE)
		log_msg(LOG_ERR, "%s", err.text);
	return k == -ENOTRECOVERABLE ? sd_event_exit(r->event, EXIT_TEMPFAIL) : schedule_restart(r);
}

/* After a minute of life the row of failures begins anew. */
static void note_failure(struct supervisor *r)
{
	uint64_t now = 0;

	sd_event_now(r->event, CLOCK_MONOTONIC, &now);
	if (now - r->started > MINUTE)
		r->fails = 0;
}

static void log_end(struct supervisor *r, const siginfo_t *si)
{
	char row[32] = "", when[16] = "at once";

	note_failure(r);
	if (r->fails)
		snprintf(row, sizeof(row), ", %u in a row", r->fails + 1);
	if (restart_delay(r))
		snprintf(when, sizeof(when), "in %u s", restart_delay(r));
	if (worth_logging(r))
		log_msg(LOG_WARNING, "the http process ended (%s %d%s); counting continues, and it "
			"restarts %s", si->si_code == CLD_EXITED ? "exit code" : "signal",
			si->si_status, row, when);
}

static bool beats(struct supervisor *r)
{
	bool beat = http_process_beats(&r->child);

	r->heard |= beat;
	return beat;
}

static int on_end(sd_event_source *s, const siginfo_t *si, void *p)
{
	struct supervisor *r = p;

	(void)s;
	beats(r);                               /* it may have served since the last look */
	http_log_close(&r->child.log);
	if (!r->heard && si->si_code == CLD_EXITED && si->si_status) {
		log_msg(LOG_ERR, "the http process could not start (exit code %d); uncored exits",
			si->si_status);
		return sd_event_exit(r->event, si->si_status == NO_LIBRARY ? EXIT_UNAVAILABLE :
				     si->si_status);
	}
	log_end(r, si);
	close(r->child.sock);
	r->child = HTTP_PROCESS_NONE;
	r->child_end = sd_event_source_unref(r->child_end);
	return schedule_restart(r);
}

static int watch_end(struct supervisor *r, struct err *err)
{
	int k = sd_event_add_child(r->event, &r->child_end, r->child.pid, WEXITED, on_end, r);

	return k < 0 ? err_set(err, k, "cannot watch the http process: %s", strerror(-k)) : 0;
}

/* Watches it, and sends it all that it needs to serve. */
static int equip_process(struct supervisor *r, struct err *err)
{
	int k = watch_end(r, err);

	if (k < 0)
		return k;
	k = http_process_send_listeners(&r->child, r->tls.fd, r->listeners->fds, r->listeners->n,
					err);
	return k < 0 ? k : supervisor_send_plan(r, r->plan, err);
}

static int restart_process(struct supervisor *r, struct err *err)
{
	int k = listeners_reopen(r->listeners, err);

	if (k < 0)
		return k;
	if (k > 0)
		log_msg(LOG_WARNING, "the http process had closed or changed its listening "
			"sockets; reopening them");
	k = http_process_start(r->tls.used, &r->child, err);
	if (k < 0)
		return k;
	r->silent_for = 0;
	r->killed = false;
	k = equip_process(r, err);
	if (k < 0) {                            /* it would wait for its plan for ever */
		r->child_end = sd_event_source_unref(r->child_end);
		http_process_end(&r->child);
	}
	return k;
}

int supervisor_send_plan(struct supervisor *r, const struct shared *plan, struct err *err)
{
	int k = r->child.sock < 0 ? 0 : shared_send(plan, r->child.sock);

	r->plan = plan;
	return k < 0 ? err_set(err, k, "the http process did not accept the plan: %s",
			       strerror(-k)) : 0;
}

/* 0 or -errno of sd-event. */
static int add_restart_timer(struct supervisor *r)
{
	int k = sd_event_add_time(r->event, &r->restart_timer, CLOCK_MONOTONIC, UINT64_MAX, 1,
				  on_restart_time, r);

	return k < 0 ? k : sd_event_source_set_enabled(r->restart_timer, SD_EVENT_OFF);
}

int supervisor_watch(struct supervisor *r, sd_event *event, struct err *err)
{
	int k;

	r->event = event;
	k = add_restart_timer(r);
	if (k < 0)
		return err_set(err, k, "cannot watch the http process: %s", strerror(-k));
	return r->child.pid ? watch_end(r, err) : on_restart_time(NULL, 0, r);
}

static void announce(struct supervisor *r)
{
	for (unsigned i = 0; !r->announced && i < r->listeners->n; i++)
		log_msg(LOG_INFO, "serving %s", r->listeners->urls[i]);
	r->announced = true;
}

bool supervisor_serves(struct supervisor *r)
{
	struct pollfd beat = { .fd = r->child.sock, .events = POLLIN };

	if (r->announced || r->child.sock < 0)
		return r->announced;
	poll(&beat, 1, SILENCE / 1000);
	if (beats(r) || !(beat.revents & POLLHUP))
		announce(r);
	return r->announced;
}

/* Without TLS everybody may read, which must not begin in silence. Socket files never have it. */
static void switch_tls(struct listeners *l, bool tls)
{
	listeners_urls(l, tls);
	for (unsigned i = 0; i < l->n; i++)
		if (l->at[i].ss_family != AF_UNIX)
			log_msg(LOG_WARNING, tls ?
				"tls_server_config was added: %s is served with TLS now" :
				"tls_server_config was removed: %s is served without TLS now",
				l->urls[i]);
}

void supervisor_take_tls(struct supervisor *r, const struct http_tls *tls, bool same)
{
	const struct http_tls was = r->tls;

	r->tls = *tls;
	if (tls->used != was.used)
		switch_tls(r->listeners, tls->used);
	else if (tls->asks != was.asks)
		log_msg(LOG_WARNING, tls->asks ?
			"client_auth_type was added: clients need a certificate now" :
			"client_auth_type was removed: clients need no certificate any more");
	if (same || r->child.sock < 0)
		return;
	r->child_end = sd_event_source_unref(r->child_end);
	http_process_end(&r->child);
	on_restart_time(NULL, 0, r);
}

/* Time in which this process was stopped, suspended or busy with a reload does not count. */
void supervisor_check_beat(struct supervisor *r)
{
	uint64_t now = 0, gap;

	sd_event_now(r->event, CLOCK_MONOTONIC, &now);
	gap = now - r->checked_at < GAP ? now - r->checked_at : GAP;
	r->checked_at = now;
	http_log_relay(&r->child.log);
	if (r->child.sock < 0 || r->killed)
		return;
	r->silent_for += gap;
	if (beats(r)) {
		r->silent_for = 0;
		announce(r);
	}
	if (r->silent_for < SILENCE && listeners_alive(r->listeners))
		return;
	note_failure(r);
	if (worth_logging(r) && r->silent_for < SILENCE)
		log_msg(LOG_WARNING, "the http process closed its listening sockets; killing it");
	else if (worth_logging(r))
		log_msg(LOG_WARNING, "the http process has not responded for %u s; killing it",
			(unsigned)(SILENCE / SECOND));
	r->killed = true;
	if (kill(r->child.pid, SIGKILL) < 0)
		log_msg(LOG_ERR, "cannot kill the http process: %s; give uncored CAP_KILL",
			strerror(errno));
}

void supervisor_renew_plan(struct supervisor *r, const struct shared *plan)
{
	struct err err = { "" };

	if (supervisor_send_plan(r, plan, &err) < 0) {
		log_msg(LOG_ERR, "%s; restarting it", err.text);
		kill(r->child.pid, SIGKILL);        /* else it would show old values for ever */
	}
}

void supervisor_end(struct supervisor *r)
{
	r->child_end = sd_event_source_unref(r->child_end);
	r->restart_timer = sd_event_source_unref(r->restart_timer);
	http_process_end(&r->child);
}
