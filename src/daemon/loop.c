/* loop.c - see loop.h. */
#include "config.h"

#include "daemon/loop.h"

#include "daemon/child.h"
#include "daemon/keeper.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/proc.h"
#include "daemon/sd.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECOND = 1000000 };              /* sd-event counts microseconds */

struct loop {
	const struct loop_options *lo;
	struct generation *g;
	struct conf_engine_choice engine;       /* configured at start */
	sd_event *event;
	sd_event_source *tick, *child_source, *respawn;
	uint64_t period;                /* of the tick, microseconds */
	uint64_t board[B_WORDS];
	struct child child;
	unsigned child_fails;
	uint64_t ticks[SHARED_SOCKETS_MAX];     /* of each sampler when last seen to move */
	nsec moved[SHARED_SOCKETS_MAX];
	uint64_t told[SHARED_SOCKETS_MAX];      /* faults already logged ... */
	unsigned told_invalid[SHARED_SOCKETS_MAX];      /* ... and slots that were invalid then */
	nsec told_at[SHARED_SOCKETS_MAX];
	uint64_t *words;                /* of a ring, for a look */
	unsigned n_words;
	bool ready_owed;                /* the manager's queue was full */
};

static nsec now_mono(void)
{
	return generation_clock.mono(NULL);
}

/* ------------------------------------------------------------------ the http child */

static int child_spawn(struct loop *l, struct err *err);
static int on_respawn(sd_event_source *s, uint64_t usec, void *p);

/* After 1, 2, 4, 4 ... s. */
static unsigned child_wait(const struct loop *l)
{
	return 1u << (l->child_fails < 2 ? l->child_fails : 2);
}

static int child_later(struct loop *l)
{
	unsigned wait = child_wait(l);

	l->child_fails++;
	l->respawn = sd_event_source_unref(l->respawn);
	return sd_event_add_time_relative(l->event, &l->respawn, CLOCK_MONOTONIC, wait * (uint64_t)SECOND, 0, on_respawn, l);
}

static int on_respawn(sd_event_source *s, uint64_t usec, void *p)
{
	struct loop *l = p;
	struct err err = { "" };

	(void)s;
	(void)usec;
	if (child_spawn(l, &err) >= 0)
		return 0;
	log_msg(LOG_ERR, "%s", err.text);
	return l->child.pid ? 0 : child_later(l);
}

static int on_child(sd_event_source *s, const siginfo_t *si, void *p)
{
	struct loop *l = p;

	(void)s;
	log_msg(LOG_WARNING, "the http process ended (%s %d); counting goes on, it is started again in %u s",
		si->si_code == CLD_EXITED ? "exit code" : "signal", si->si_status, child_wait(l));
	close(l->child.sock);
	l->child = CHILD_NONE;
	l->child_source = sd_event_source_unref(l->child_source);
	return child_later(l);
}

static int child_watch(struct loop *l, struct err *err)
{
	int r = sd_event_add_child(l->event, &l->child_source, l->child.pid, WEXITED, on_child, l);

	return r < 0 ? err_set(err, r, "cannot watch the http process: %s", strerror(-r)) : 0;
}

/* Hands it the plan. One that has ended meanwhile takes none: the watch tells. */
static int child_give(struct loop *l, struct err *err)
{
	int r = shared_send(l->g->shared, l->child.sock);

	if (r < 0 && r != -EPIPE && r != -ECONNRESET)
		return err_set(err, r, "the http process does not take the plan: %s", strerror(-r));
	return 0;
}

static int child_spawn(struct loop *l, struct err *err)
{
	int r = child_start(l->lo->listeners->fds, l->lo->listeners->n, &l->child, err);

	if (!r)
		r = child_watch(l, err);
	return r < 0 ? r : child_give(l, err);
}

/* ------------------------------------------------------------------ the board, the watchdog, faults */

static void board_write(struct loop *l)
{
	struct proc_cost cost = { 0 };

	proc_add(getpid(), &cost);
	if (l->child.pid)
		proc_add(l->child.pid, &cost);
	/* A child that ended takes its CPU time along; a counter must not fall. */
	if (cost.cpu_nsec > l->board[B_CPU_NSEC])
		l->board[B_CPU_NSEC] = cost.cpu_nsec;
	l->board[B_RSS_BYTES] = cost.rss_bytes;
	l->board[B_FDS] = cost.fds;
	ring_write(&l->g->shared->board, l->board);
}

/* Up while the sampler ticks: at least one tick in three intervals, and three seconds. */
static void look_at_samplers(struct loop *l)
{
	nsec now = now_mono(), patience = 3 * l->g->plan->interval;

	if (patience < 3 * NSEC_PER_SEC)
		patience = 3 * NSEC_PER_SEC;
	for (unsigned i = 0; i < l->g->plan->n_sockets; i++) {
		uint64_t ticks = sampler_thread_ticks(l->g->threads[i]);
		uint64_t up;

		if (ticks != l->ticks[i] || !l->moved[i]) {
			l->ticks[i] = ticks;
			l->moved[i] = now;
		}
		up = now - l->moved[i] <= patience;
		if (l->board[B_UP + i] && !up)
			log_socket(LOG_ERR, (int)l->g->plan->sockets[i].id, "socket %u: the sampler has not ticked for %lld s; "
				   "declared down", l->g->plan->sockets[i].id, (long long)((now - l->moved[i]) / NSEC_PER_SEC));
		l->board[B_UP + i] = up;
	}
}

/* The first slot that is not counted now, or NULL; ret_n: how many there are. */
static const struct plan_slot *first_invalid(const struct plan_socket *s, const uint64_t *words, unsigned *ret_n,
					     enum reason *ret_why)
{
	const struct layout lay = layout_of(s);
	const struct plan_slot *first = NULL;

	*ret_n = 0;
	for (unsigned r = 0, k = 0; r < s->n_rounds; r++) {
		for (unsigned n = 0; n < s->rounds[r].n_slots; n++, k++) {
			if (!words[lay.slot_reason + k])
				continue;
			if (!first) {
				first = &s->rounds[r].slots[n];
				*ret_why = (enum reason)words[lay.slot_reason + k];
			}
			++*ret_n;
		}
	}
	return first;
}

/* One line per socket and minute when something went wrong since, or all is well again. */
static void tell_faults(struct loop *l)
{
	nsec now = now_mono();

	for (unsigned i = 0; i < l->g->plan->n_sockets; i++) {
		const struct plan_socket *s = &l->g->plan->sockets[i];
		const struct plan_slot *first;
		enum reason why = REASON_NONE;
		char more[32] = "";
		uint64_t faults;
		unsigned n;

		if (!ring_read(&l->g->shared->rings[i], l->words))
			continue;
		faults = l->words[W_FOREIGN] + l->words[W_RESETS] + l->words[W_READ_ERRORS];
		first = first_invalid(s, l->words, &n, &why);
		if ((faults == l->told[i] && n == l->told_invalid[i]) ||
		    (l->told_at[i] && now - l->told_at[i] < 60 * NSEC_PER_SEC))
			continue;
		if (n > 1)
			snprintf(more, sizeof(more), " (and %u more)", n - 1);
		if (first)
			log_socket(LOG_WARNING, (int)s->id, "socket %u: %s%s is not counted now: %s (foreign writes %" PRIu64
				   ", resets %" PRIu64 ", read errors %" PRIu64 " so far)", s->id, first->identity, more,
				   reason_name(why), l->words[W_FOREIGN], l->words[W_RESETS], l->words[W_READ_ERRORS]);
		else if (l->told_invalid[i])
			log_socket(LOG_NOTICE, (int)s->id, "socket %u: every event is counted again", s->id);
		l->told[i] = faults;
		l->told_invalid[i] = n;
		l->told_at[i] = now;
	}
}

static void say_status(struct loop *l, const char *more)
{
	unsigned slots = 0, invalid = 0, n;
	enum reason why;

	for (unsigned i = 0; i < l->g->plan->n_sockets; i++) {
		slots += layout_of(&l->g->plan->sockets[i]).n_slots;
		if (!ring_read(&l->g->shared->rings[i], l->words))
			continue;
		first_invalid(&l->g->plan->sockets[i], l->words, &n, &why);
		invalid += n;
	}
	notify_send("STATUS=%s%u events on %u sockets, %u invalid%s%s", l->lo->machine->model ? "SIMULATED: " : "", slots,
		    l->g->plan->n_sockets, invalid, more ? "; " : "", more ? more : "");
}

/* Start and reload end with it: it must not get lost. */
static void say_ready(struct loop *l)
{
	l->ready_owed = !notify_send("READY=1");
}

static int on_tick(sd_event_source *s, uint64_t usec, void *p)
{
	struct loop *l = p;
	uint64_t now = usec;

	look_at_samplers(l);
	board_write(l);
	tell_faults(l);
	say_status(l, l->board[B_CONFIG_OK] ? NULL : "the last reload failed, the configuration before it is counting");
	notify_send("WATCHDOG=1");
	if (l->ready_owed)
		say_ready(l);
	sd_event_now(l->event, CLOCK_MONOTONIC, &now);
	sd_event_source_set_time(s, (usec + l->period > now ? usec : now) + l->period);
	return sd_event_source_set_enabled(s, SD_EVENT_ON);
}

/* ------------------------------------------------------------------ reload */

/* Room for the rings of this generation too: the one before it may have to go on. */
static int words_for(struct loop *l, const struct generation *g)
{
	unsigned most = l->n_words;
	uint64_t *w;

	for (unsigned i = 0; i < g->plan->n_sockets; i++)
		if (layout_of(&g->plan->sockets[i]).n_words > most)
			most = layout_of(&g->plan->sockets[i]).n_words;
	w = realloc(l->words, most * sizeof(*w));
	if (!w)
		return -ENOMEM;
	l->words = w;
	l->n_words = most;
	return 0;
}

/* What only a restart changes. */
static bool engine_stays(const struct loop *l, const struct conf_engine_choice *now)
{
	const struct conf_engine_choice *was = &l->engine;

	if (now->kind == CONF_MODEL)
		return was->kind == CONF_MODEL && strcmp(now->processor, was->processor) == 0 &&
		       strcmp(now->workload, was->workload) == 0;
	return now->kind == was->kind || now->kind == l->lo->machine->engine;
}

static void needs_restart(int priority, struct where at, const char *what)
{
	struct diags d = { 0 };

	diags_add(&d, at, "%s needs a restart: systemctl restart uncored", what);
	log_diags(priority, &d);
	diags_done(&d);
}

static int reload_allowed(const struct loop *l, const struct conf *conf)
{
	for (unsigned i = 0; i < l->g->plan->n_sockets; i++) {
		if (l->board[B_UP + i])
			continue;
		log_msg(LOG_ERR, "socket %u: its sampler does not tick and cannot be stopped for the new configuration",
			l->g->plan->sockets[i].id);
		return -EBUSY;
	}
	if (!l->lo->o->engine_given && !engine_stays(l, &conf->engine)) {
		needs_restart(LOG_ERR, conf->engine_where, "another engine");
		return -EINVAL;
	}
	if (!listeners_match(l->lo->listeners, conf))
		needs_restart(LOG_WARNING, conf->listen_where, "another `listen`");
	return 0;
}

/* Everything that can be wrong is found here, before any write. */
static int reload_prepare(struct loop *l, struct generation **ret)
{
	const struct loop_options *lo = l->lo;
	struct generation *next = NULL;
	struct err err = { "" };
	struct conf *conf;
	int r = generation_conf(lo->o, &conf);

	if (r < 0) {
		if (conf)
			generation_plan(conf, lo->o, lo->machine, &next);       /* names what else is wrong */
		conf_free(conf);
		return r;
	}
	r = reload_allowed(l, conf);
	if (!r) {
		r = machine_refresh(lo->machine, lo->o, &err);
		if (r < 0)
			log_msg(LOG_ERR, "%s", err.text);
	}
	if (!r)
		r = generation_plan(conf, lo->o, lo->machine, &next);
	if (r < 0) {
		conf_free(conf);
		return r;
	}
	r = generation_open(next, lo->o, lo->machine, l->g, &err);
	if (!r)
		r = words_for(l, next);
	if (!r && lo->keep)
		r = keeper_save(lo->o, next, l->g, &err);
	if (r < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		generation_free(next);
		return r;
	}
	*ret = next;
	return 0;
}

/* The swap. If the new one cannot be started, the old one is written again and goes on. */
static int reload_swap(struct loop *l, struct generation *next)
{
	struct generation *old = l->g;
	struct err err = { "" }, again = { "" };
	int r;

	generation_stop(old);
	r = generation_share(next, l->lo->machine, old, &err);
	if (!r) {
		generation_restore(old, next);
		r = generation_start(next, old, l->lo->pin, &err);
	}
	if (r < 0) {
		log_msg(LOG_ERR, "%s; the configuration before it goes on", err.text);
		generation_restore(next, old);
		r = generation_share(old, l->lo->machine, old, &again);
		if (!r)
			r = generation_start(old, old, l->lo->pin, &again);
		generation_free(next);
		if (r < 0) {
			log_msg(LOG_CRIT, "that cannot be started again either: %s; uncored ends", again.text);
			sd_event_exit(l->event, exit_code_of(r));
			return -ENOTRECOVERABLE;
		}
		return -EIO;
	}
	l->g = next;
	if (l->lo->keep && keeper_save(l->lo->o, next, NULL, &err) < 0)
		log_msg(LOG_WARNING, "%s", err.text);
	generation_free(old);
	malloc_trim(0);                         /* two generations stood side by side */
	return 0;
}

/* Samplers and shared memory are new ones, whichever configuration goes on. */
static void look_anew(struct loop *l)
{
	memset(l->moved, 0, sizeof(l->moved));
	memset(l->told, 0, sizeof(l->told));
	memset(l->told_invalid, 0, sizeof(l->told_invalid));
	memset(l->told_at, 0, sizeof(l->told_at));
	memset(&l->board[B_UP], 0, sizeof(uint64_t) * B_SOCKETS_MAX);
	look_at_samplers(l);
	board_write(l);                         /* before anybody can look at it */
	if (l->child.sock >= 0 && shared_send(l->g->shared, l->child.sock) < 0) {
		log_msg(LOG_ERR, "the http process does not take the new plan and is started anew");
		kill(l->child.pid, SIGKILL);        /* it would show values that stand still */
	}
}

static int on_reload(sd_event_source *s, const struct signalfd_siginfo *si, void *p)
{
	struct loop *l = p;
	struct generation *next;
	int r;

	(void)s;
	(void)si;
	notify_send("RELOADING=1\nMONOTONIC_USEC=%" PRId64, now_mono() / NSEC_PER_USEC);
	r = reload_prepare(l, &next);
	if (!r) {
		r = reload_swap(l, next);
		if (r == -ENOTRECOVERABLE)
			return 0;
		l->board[B_CONFIG_OK] = !r;
		look_anew(l);
	} else {
		l->board[B_CONFIG_OK] = 0;
		board_write(l);
	}
	if (r < 0)
		log_msg(LOG_ERR, "reload failed; the configuration before it keeps counting");
	else
		log_msg(LOG_INFO, "configuration read again: %u series", l->g->plan->n_series);
	say_status(l, r < 0 ? "the last reload failed, the configuration before it is counting" : NULL);
	say_ready(l);
	return 0;
}

/* ------------------------------------------------------------------ running */

static int on_end(sd_event_source *s, const struct signalfd_siginfo *si, void *p)
{
	(void)si;
	(void)p;
	return sd_event_exit(sd_event_source_get_event(s), 0);
}

/* Before any thread starts; the loop takes them. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int loop_setup(struct loop *l, struct err *err)
{
	uint64_t watchdog = 0;
	int r = sd_load(err);

	if (r < 0)
		return r;
	l->period = SECOND;
	if (sd_watchdog_enabled(0, &watchdog) > 0 && watchdog / 2 < l->period)
		l->period = watchdog / 2;
	r = sd_event_default(&l->event);
	if (r >= 0)
		r = sd_event_add_signal(l->event, NULL, SIGHUP, on_reload, l);
	if (r >= 0)
		r = sd_event_add_signal(l->event, NULL, SIGTERM, on_end, l);
	if (r >= 0)
		r = sd_event_add_signal(l->event, NULL, SIGINT, on_end, l);
	if (r >= 0)
		r = sd_event_add_time_relative(l->event, &l->tick, CLOCK_MONOTONIC, l->period, l->period / 10, on_tick, l);
	if (r < 0)
		return err_set(err, r, "cannot set up the event loop: %s", strerror(-r));
	return 0;
}

/* It may never have begun: then its library is not loaded either. */
static void loop_end(struct loop *l)
{
	if (!l->event)
		return;
	sd_event_source_unref(l->child_source);
	sd_event_source_unref(l->tick);
	sd_event_source_unref(l->respawn);
	sd_event_unref(l->event);
}

int loop_run(const struct loop_options *lo)
{
	struct loop l = { .lo = lo, .g = lo->g, .engine = lo->g->conf->engine, .child = *lo->child };
	struct err err = { "" };
	int r, code = 0;

	block_signals();
	l.board[B_CONFIG_OK] = 1;
	l.board[B_START_WALL_NSEC] = proc_start_wall(generation_clock.wall(NULL));
	r = words_for(&l, l.g);
	if (r < 0)
		err_set(&err, r, "out of memory");
	else
		r = generation_rings(l.g, &err);
	if (!r && lo->keep)
		r = keeper_save(lo->o, l.g, NULL, &err);
	if (!r)
		r = generation_launch(l.g, NULL, lo->pin, &err);
	if (!r)
		r = generation_describe(l.g, lo->machine, &err);
	if (!r)
		r = child_give(&l, &err);
	if (!r)
		r = loop_setup(&l, &err);       /* its library is loaded while the first samples and the first page are made */
	if (!r)
		r = child_watch(&l, &err);
	if (!r)
		r = generation_wait(l.g, &err);
	if (r < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		code = exit_code_of(r);
		goto out;
	}
	look_at_samplers(&l);
	board_write(&l);
	for (unsigned i = 0; i < lo->listeners->n; i++)
		log_msg(LOG_INFO, "serving %s", lo->listeners->urls[i]);
	malloc_trim(0);                         /* what planning needed */
	say_status(&l, NULL);
	say_ready(&l);
	r = sd_event_loop(l.event);
	notify_send("STOPPING=1");
	code = r < 0 ? EXIT_INTERNAL : r;
out:
	generation_stop(l.g);
	if (generation_restore(l.g, NULL) && lo->keep)
		keeper_forget(lo->o);           /* else the file stays, for uncored --restore */
	loop_end(&l);
	child_end(&l.child);
	*lo->child = l.child;
	free(l.words);
	generation_free(l.g);
	return code;
}
