/* respawn.c - see respawn.h. */
#include "config.h"

#include "daemon/respawn.h"

#include "base/nsec.h"
#include "daemon/log.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int child_spawn(struct respawn *r, struct err *err);
static int on_respawn(sd_event_source *s, uint64_t usec, void *p);

/* After 1, 2, 4, 4 ... s. */
static unsigned child_wait(const struct respawn *r)
{
	return 1u << (r->fails < 2 ? r->fails : 2);
}

static int child_later(struct respawn *r)
{
	uint64_t usec = child_wait(r) * (uint64_t)(NSEC_PER_SEC / NSEC_PER_USEC);

	r->fails++;
	r->later = sd_event_source_unref(r->later);
	return sd_event_add_time_relative(r->event, &r->later, CLOCK_MONOTONIC, usec, 0, on_respawn, r);
}

static int on_respawn(sd_event_source *s, uint64_t usec, void *p)
{
	struct respawn *r = p;
	struct err err = { "" };

	(void)s;
	(void)usec;
	if (child_spawn(r, &err) >= 0)
		return 0;
	log_msg(LOG_ERR, "%s", err.text);
	return r->child.pid ? 0 : child_later(r);
}

static int on_child(sd_event_source *s, const siginfo_t *si, void *p)
{
	struct respawn *r = p;

	(void)s;
	log_msg(LOG_WARNING, "the http process ended (%s %d); counting goes on, it is started again in %u s",
		si->si_code == CLD_EXITED ? "exit code" : "signal", si->si_status, child_wait(r));
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
	int k = child_start(&r->child, err);

	if (!k)
		k = child_watch(r, err);
	if (!k)
		k = child_listen(&r->child, r->listeners->fds, r->listeners->n, err);
	return k < 0 ? k : respawn_give(r, r->plan, err);
}

int respawn_give(struct respawn *r, const struct shared *plan, struct err *err)
{
	int k = shared_send(plan, r->child.sock);

	r->plan = plan;
	if (k < 0 && k != -EPIPE && k != -ECONNRESET)
		return err_set(err, k, "the http process does not take the plan: %s", strerror(-k));
	return 0;
}

int respawn_watch(struct respawn *r, sd_event *event, struct err *err)
{
	r->event = event;
	return child_watch(r, err);
}

void respawn_renew(struct respawn *r, const struct shared *plan)
{
	r->plan = plan;
	if (r->child.sock >= 0 && shared_send(plan, r->child.sock) < 0) {
		log_msg(LOG_ERR, "the http process does not take the new plan and is started anew");
		kill(r->child.pid, SIGKILL);        /* it would show values that stand still */
	}
}

void respawn_end(struct respawn *r)
{
	if (r->event) {                         /* else libsystemd may not be loaded */
		sd_event_source_unref(r->watch);
		sd_event_source_unref(r->later);
	}
	child_end(&r->child);
}
