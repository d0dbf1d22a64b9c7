/* SPDX-License-Identifier: MIT */
#include "daemon/loop.h"

#include "base/bits.h"
#include "daemon/check_process.h"
#include "daemon/health.h"
#include "daemon/keepalive.h"
#include "daemon/listening.h"
#include "daemon/restore.h"
#include "daemon/notify.h"
#include "daemon/proc.h"
#include "process/log.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum { SECOND = 1000000 };              /* sd-event counts microseconds */
#define CHECK_PATIENCE (10 * UINT64_C(1000000))
#define PERIOD_LEAST UINT64_C(1000)     /* a shorter watchdog cannot be kept, but is no busy loop */

struct loop {
	const struct loop_options *lo;
	struct generation *g;
	struct conf_engine_choice engine;       /* configured at start */
	sd_event *event;
	uint64_t period;                /* of the tick, microseconds */
	struct health health;
	struct check check;             /* of the text that is to be read */
	sd_event_source *check_end, *check_late;
	char *text;
	size_t len;
	bool reloading;                 /* waits for `check` */
	bool hup_pending;               /* another SIGHUP came meanwhile */
	bool ready_unsent;              /* the manager's queue was full, or nobody served yet */
	struct generation *failed;      /* neither it nor g could start: both are to be restored */
};

/* Ends a start or a reload for the manager: on_tick() sends it again if it did not fit. */
static void send_ready(struct loop *l)
{
	l->ready_unsent = !notify_send("READY=1");
}

/* Once a second, and before registers go back. */
static void check_driver(struct loop *l)
{
	struct machine *m = l->lo->machine;

	if (machine_check_driver(m))
		log_msg(LOG_WARNING, "the kernel's uncore driver was loaded while uncored counts "
			"through registers. Both program the same counters; uncored leaves out "
			"those that the driver takes, and leaves enabled what the driver needs. "
			"Restart uncored to count through the driver, or unload it: modprobe -r "
			"intel-uncore");
	l->health.values[D_DRIVER] = m->driver || m->late_driver;
}

static int on_tick(sd_event_source *s, uint64_t usec, void *p)
{
	struct loop *l = p;
	uint64_t now = usec;

	if (health_check(&l->health, l->g))
		notify_send("WATCHDOG=1");
	log_report_lost();
	check_driver(l);
	health_publish(&l->health, l->g, l->lo->front->http.child.pid);
	health_log(&l->health, l->g);
	health_status(&l->health, l->g);
	keepalive_begin(l->g);                  /* looks at the files of certificate and key */
	front_check(l->lo->front, l->g->conf);
	keepalive_end();
	generation_log_pins(l->g);
	if (l->ready_unsent && l->lo->front->http.announced)
		send_ready(l);
	sd_event_now(l->event, CLOCK_MONOTONIC, &now);
	sd_event_source_set_time(s, (usec + l->period > now ? usec : now) + l->period);
	return sd_event_source_set_enabled(s, SD_EVENT_ON);
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

static void log_needs_restart(int priority, struct where at, const char *key)
{
	struct diags d = { 0 };

	diags_add(&d, at, "a change of `%s` needs a restart: systemctl restart uncored", key);
	log_diags(priority, &d);
	diags_done(&d);
}

void loop_log_listeners(const struct front *f, const struct options *o, const struct conf *conf)
{
	const struct listen_wanted wanted = listening_wanted(o, conf);
	struct where at;
	const char *key = listeners_differ(&f->listeners, &wanted, &at);

	if (key)
		log_needs_restart(LOG_WARNING, at, key);
}

static int check_samplers(struct loop *l)
{
	nsec until = generation_clock.mono(NULL) + generation_clock.offset + GENERATION_PATIENCE;

	health_check(&l->health, l->g);
	for (unsigned i = 0; i < l->g->plan->n_sockets; i++) {
		if (!l->health.sockets[i].stalled &&
		    sampler_thread_answers(l->g->sockets[i].thread, until))
			continue;
		log_msg(LOG_ERR, "socket %u is stalled and cannot switch to the new configuration; "
			"restart uncored", l->g->plan->sockets[i].id);
		return -EBUSY;
	}
	return 0;
}

static int reload_allowed(const struct loop *l, const struct conf *conf, struct certs *ret_certs)
{
	int r;

	keepalive_begin(l->g);
	r = certs_open(&conf->tls, ret_certs);
	keepalive_end();
	if (!l->lo->o->engine_given && !engine_stays(l, &conf->engine)) {
		log_needs_restart(LOG_ERR, conf->engine_where, "engine");
		r = -EINVAL;
	}
	return r;
}

static int save_registers(const struct loop *l, const struct generation *a,
			  const struct generation *b, struct err *err)
{
	int r;

	if (!l->lo->state_file)
		return 0;
	keepalive_begin(l->g);
	r = restore_save(l->lo->o, l->lo->machine, a, b, err);
	keepalive_end();
	return r;
}

/* Everything that can be wrong is found here, before any write. faulty: the check has found
 * mistakes; it could not look at the files that are named. */
static int reload_prepare(struct loop *l, bool faulty, struct generation **ret,
			  struct certs *ret_certs)
{
	const struct loop_options *lo = l->lo;
	struct generation *next = NULL;
	struct err err = { "" };
	struct conf *conf;
	int r = generation_conf(lo->o, l->text, l->len, faulty, &conf);

	if (conf && (reload_allowed(l, conf, ret_certs) < 0 || faulty))
		r = -EINVAL;
	if (!r)
		r = check_samplers(l);
	if (!r) {
		r = machine_refresh(lo->machine, &err);
		engine_log_unusable(lo->machine);
	}
	if (!r)
		r = generation_plan(conf, lo->o, lo->machine, &next);
	if (!next)
		conf_free(conf);
	if (!r)
		r = generation_open(next, lo->machine, l->g, &err);
	if (!r)
		r = health_reserve(&l->health, next->plan, &err);
	if (!r)
		r = save_registers(l, next, l->g, &err);
	if (r < 0 && err.text[0])
		log_msg(LOG_ERR, "%s", err.text);
	if (r < 0)
		generation_free(next);
	else
		*ret = next;
	return r;
}

static int reload_swap(struct loop *l, struct generation *next)
{
	struct generation *old = l->g;
	struct err err = { "" };
	int back = 0, r;

	check_driver(l);
	r = generation_swap(old, next, l->lo->machine, l->lo->pin, &back);
	if (r < 0 && back < 0) {
		l->failed = next;
		sd_event_exit(l->event, EXIT_TEMPFAIL);         /* it did count before */
		return -ENOTRECOVERABLE;
	}
	if (r < 0) {
		generation_free(next);
		return r;
	}
	l->g = next;
	loop_log_listeners(l->lo->front, l->lo->o, next->conf);
	if (save_registers(l, next, NULL, &err) < 0)
		log_msg(LOG_WARNING, "%s", err.text);
	generation_free(old);
	malloc_trim(0);                         /* two generations stood side by side */
	return 0;
}

/* Samplers and shared memory are new ones, whichever configuration is used. */
static void publish_new_samplers(struct loop *l)
{
	health_reset(&l->health);
	health_check(&l->health, l->g);
	/* before anybody can look at it */
	health_publish(&l->health, l->g, l->lo->front->http.child.pid);
	supervisor_renew_plan(&l->lo->front->http, l->g->shared);
}

static void reload_begin(struct loop *l);

static void reload_end(struct loop *l, int r)
{
	if (r < 0)
		log_msg(LOG_ERR, "reload failed; the old configuration stays in use");
	else
		log_msg(LOG_INFO, "configuration read again: %u series", l->g->plan->n_series);
	l->health.values[D_CONFIG_OK] = !r;
	health_publish(&l->health, l->g, l->lo->front->http.child.pid);
	health_status(&l->health, l->g);
	send_ready(l);
	free(l->text);
	l->text = NULL;
	l->reloading = false;
	if (l->hup_pending && !l->check.pid)
		reload_begin(l);
}

static void reload_checked(struct loop *l, bool faulty)
{
	struct certs certs = CERTS_NONE;
	struct generation *next;
	int r = reload_prepare(l, faulty, &next, &certs);

	if (!r) {
		r = reload_swap(l, next);
		if (r == -ENOTRECOVERABLE)
			return;
		publish_new_samplers(l);
	}
	if (!r)
		front_take_certs(l->lo->front, &certs);
	else
		certs_close(&certs);
	reload_end(l, r);
}

static void check_unwatch(struct loop *l)
{
	l->check_end = sd_event_source_unref(l->check_end);
	l->check_late = sd_event_source_unref(l->check_late);
}

/* Does not wait for its end: it may hang in a read. */
static void check_kill(struct loop *l)
{
	check_unwatch(l);
	if (!l->check.pid)
		return;
	kill(l->check.pid, SIGKILL);
	waitpid(l->check.pid, NULL, WNOHANG);
	close(l->check.output);
	l->check.pid = 0;
}

static int on_check_end(sd_event_source *s, const siginfo_t *si, void *p)
{
	struct loop *l = p;
	int r;

	(void)s;
	check_unwatch(l);
	if (!l->reloading) {                    /* it was late */
		check_kill(l);
		if (l->hup_pending)
			reload_begin(l);
		return 0;
	}
	r = check_result(&l->check, si);
	if (r < 0 && (si->si_code != CLD_EXITED || si->si_status != EXIT_CONFIG))
		reload_end(l, r);
	else
		reload_checked(l, r < 0);
	return 0;
}

static int on_check_late(sd_event_source *s, uint64_t usec, void *p)
{
	struct loop *l = p;

	(void)s, (void)usec;
	log_msg(LOG_ERR, "the check of the configuration did not finish within 10 s");
	kill(l->check.pid, SIGKILL);
	reload_end(l, -ETIMEDOUT);
	return 0;
}

void loop_notify_reloading(void)
{
	/* The true time: systemd ignores a message that seems older than its signal. */
	notify_send("RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		    (generation_clock.mono(NULL) + generation_clock.offset) / NSEC_PER_USEC);
}

/* The loop turns while a process checks the bytes that are read later. */
static void reload_begin(struct loop *l)
{
	struct err err = { "" };
	int r;

	l->hup_pending = false;
	l->reloading = true;
	loop_notify_reloading();
	r = check_samplers(l);
	if (!r) {
		keepalive_begin(l->g);
		r = generation_read(l->lo->o, &l->text, &l->len);
		keepalive_end();
	}
	if (r < 0) {
		reload_end(l, r);
		return;
	}
	r = check_start(l->lo->machine, l->text, l->len, &l->check, &err);
	if (r >= 0)
		r = sd_event_add_child(l->event, &l->check_end, l->check.pid, WEXITED, on_check_end,
				       l);
	if (r >= 0)
		r = sd_event_add_time_relative(l->event, &l->check_late, CLOCK_MONOTONIC,
					       CHECK_PATIENCE, 0, on_check_late, l);
	if (r >= 0)
		return;
	log_msg(LOG_ERR, "%s", *err.text ? err.text : strerror(-r));
	check_kill(l);
	reload_end(l, r);
}

static int on_reload(sd_event_source *s, const struct signalfd_siginfo *si, void *p)
{
	struct loop *l = p;

	(void)s, (void)si;
	if (l->check.pid)
		l->hup_pending = true;
	else
		reload_begin(l);
	return 0;
}

static const int ending[] = { SIGTERM, SIGINT, SIGQUIT };

void loop_block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	for (unsigned i = 0; i < COUNT(ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int loop_new(sd_event **ret, uint64_t *ret_period, sd_event_time_handler_t tick,
	     sd_event_signal_handler_t on_hup, void *p, struct err *err)
{
	uint64_t watchdog = 0, period = SECOND;
	int r = sd_event_new(ret);

	if (sd_watchdog_enabled(0, &watchdog) > 0 && watchdog / 2 < SECOND)
		period = watchdog / 2 > PERIOD_LEAST ? watchdog / 2 : PERIOD_LEAST;
	*ret_period = period;
	if (r >= 0)
		r = sd_event_add_signal(*ret, NULL, SIGHUP, on_hup, p);
	for (unsigned i = 0; i < COUNT(ending) && r >= 0; i++)          /* each ends it with 0 */
		r = sd_event_add_signal(*ret, NULL, ending[i], NULL, NULL);
	if (r >= 0)
		r = sd_event_add_time_relative(*ret, NULL, CLOCK_MONOTONIC, period, period / 10,
					       tick, p);
	return r < 0 ? err_set(err, r, "cannot set up the event loop: %s", strerror(-r)) : 0;
}

int loop_turn(sd_event *event)
{
	int r = sd_event_loop(event);

	if (r < 0)
		log_msg(LOG_CRIT, "the event loop failed: %s; uncored exits", strerror(-r));
	if (r >= 0)
		return r;
	/* it knows no configuration and no device */
	return exit_code_of(r) == EXIT_TEMPFAIL ? EXIT_TEMPFAIL : EXIT_INTERNAL;
}

int loop_run(const struct loop_options *lo)
{
	struct loop l = { .lo = lo, .g = lo->g, .engine = lo->g->conf->engine,
			  .health.simulated = lo->machine->model };
	struct err err = { "" };
	bool all;
	int r, code;

	loop_block_signals();
	l.health.values[D_CONFIG_OK] = !lo->config_failed;
	l.health.values[D_DRIVER] = lo->machine->driver;
	l.health.values[D_START_WALL_NSEC] = proc_start_wall(generation_clock.wall(NULL));
	r = keepalive_start(&l.health, &err);
	if (!r)
		r = health_reserve(&l.health, l.g->plan, &err);
	if (!r)
		r = generation_new_rings(l.g, &err);
	if (!r)
		r = save_registers(&l, l.g, NULL, &err);
	if (!r)
		r = generation_launch(l.g, NULL, lo->pin, &err);
	if (!r)
		r = generation_describe(l.g, lo->machine, NULL, &err);
	if (!r && lo->front->http.announced)          /* somebody may look at it at once */
		health_publish(&l.health, l.g, lo->front->http.child.pid);
	if (!r)
		r = supervisor_send_plan(&lo->front->http, l.g->shared, &err);
	if (!r)
		r = loop_new(&l.event, &l.period, on_tick, on_reload, &l, &err);
	if (!r)
		r = supervisor_watch(&lo->front->http, l.event, &err);
	if (!r)
		r = generation_wait(l.g, true, &err);
	if (r < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		code = r == -EINTR ? 0 : exit_code_of(r);
		goto out;
	}
	health_check(&l.health, l.g);
	health_publish(&l.health, l.g, lo->front->http.child.pid);
	l.ready_unsent = !supervisor_serves(&lo->front->http);
	malloc_trim(0);                         /* what planning needed */
	health_status(&l.health, l.g);
	if (!l.ready_unsent)
		send_ready(&l);
	code = loop_turn(l.event);
	notify_send("STOPPING=1");
out:
	kill(getpid(), SIGTERM);                /* for keepalive_main() */
	generation_stop(l.g, GENERATION_PATIENCE);
	check_driver(&l);
	all = !l.failed || generation_restore(l.failed, NULL);
	all &= generation_restore(l.g, NULL);
	if (!all)
		code = EXIT_INTERNAL;           /* the file stays, for uncored --restore */
	else if (lo->state_file)
		restore_remove_file(lo->o);
	supervisor_end(&lo->front->http);
	check_kill(&l);
	free(l.text);
	sd_event_unref(l.event);
	health_done(&l.health);
	generation_free(l.failed);
	generation_free(l.g);
	return code;
}
