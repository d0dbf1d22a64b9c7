/* SPDX-License-Identifier: MIT
 *
 * Owns:  l->event and what wakes it; l->now on the way to the end.
 *
 *	run()            start_open(): machine, plan, lock, engines       registers are read
 *	run_opened()     set_up(): signals, event loop, keepalive
 *	                 start_begin(): samplers, http process, READY=1   registers are written
 *	                 turn(): on_tick(), on_hup(), ...
 *	                 end(): samplers stop, registers are restored
 */
#include "daemon/run.h"

#include "base/bits.h"
#include "daemon/keepalive.h"
#include "daemon/notify.h"
#include "daemon/pause.h"
#include "daemon/reload.h"
#include "daemon/restore.h"
#include "daemon/start.h"
#include "process/log.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum { SECOND = 1000000 };              /* sd-event counts microseconds */
#define PERIOD_LEAST UINT64_C(1000)     /* a shorter watchdog cannot be kept, but is no busy loop */

/* Samplers tick at the multiples of a second or of what divides it, and so does this: then a CPU is
 * woken once for all. After them, so that what they found is told at once; microseconds. */
#define TICK_BEHIND UINT64_C(2000)
#define TICK_ACCURACY 1000

/* now: microseconds of CLOCK_MONOTONIC. Of ticks that were missed none is made up for. */
static uint64_t next_tick(uint64_t now, uint64_t period)
{
	return ((now - TICK_BEHIND) / period + 1) * period + TICK_BEHIND;
}

static int on_tick(sd_event_source *s, uint64_t usec, void *p)
{
	struct loop *l = p;
	uint64_t now = usec;
	int r;

	if (health_check(&l->health, l->g))
		notify_send("WATCHDOG=1");
	log_report_lost();
	if (l->now->counts)
		loop_check_driver(l);
	loop_publish(l);
	health_log(&l->health, l->g);
	loop_status(l);
	keepalive_begin(l->g);                  /* looks at the files of certificate and key */
	front_check(l->front, l->g->conf);
	keepalive_end();
	generation_log_pins(l->g);
	if (l->ready_unsent && l->front->http.announced)
		loop_send_ready(l);
	sd_event_now(l->event, CLOCK_MONOTONIC, &now);
	sd_event_source_set_time(s, next_tick(now, l->period));
	r = sd_event_source_set_enabled(s, SD_EVENT_ON);
	pause_tick(l);
	if (l->now->waits && !l->reload.runs)
		start_again(l, usec);
	return r;
}

static int on_hup(sd_event_source *s, const struct signalfd_siginfo *si, void *p)
{
	struct loop *l = p;

	(void)s, (void)si;
	reload_begin(l);
	return 0;
}

/* What a loop that serves heeds. */
static const struct {
	int number;
	sd_event_signal_handler_t does;         /* NULL: it ends with 0 */
} signals[] = {
	{ SIGHUP, on_hup },
	{ SIGTERM, NULL }, { SIGINT, NULL }, { SIGQUIT, NULL },
};

static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (unsigned i = 0; i < COUNT(signals); i++)
		sigaddset(&set, signals[i].number);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* A second, or as often as the service manager's watchdog wants. */
static uint64_t tick_period(void)
{
	uint64_t watchdog = 0;

	if (sd_watchdog_enabled(0, &watchdog) <= 0 || watchdog / 2 >= SECOND)
		return SECOND;
	return watchdog / 2 > PERIOD_LEAST ? watchdog / 2 : PERIOD_LEAST;
}

/* What wakes a loop that serves. */
static int add_sources(struct loop *l)
{
	uint64_t now = 0;
	int r;

	for (unsigned i = 0; i < COUNT(signals); i++) {
		void *with = signals[i].does ? l : NULL;        /* else it is the exit code */

		r = sd_event_add_signal(l->event, NULL, signals[i].number, signals[i].does, with);
		if (r < 0)
			return r;
	}
	r = pause_watch(l);
	if (r < 0)
		return r;
	l->period = tick_period();
	sd_event_now(l->event, CLOCK_MONOTONIC, &now);
	return sd_event_add_time(l->event, NULL, CLOCK_MONOTONIC, next_tick(now, l->period),
				 TICK_ACCURACY, on_tick, l);
}

static int make_event(struct loop *l)
{
	int r = sd_event_new(&l->event);

	if (r < 0)
		return r;
	return l->o->mode == MODE_ONCE ? once_add_signals(&l->once, l->event) : add_sources(l);
}

/* Signals are blocked before any thread starts. */
static int set_up(struct loop *l, struct err *err)
{
	bool once = l->o->mode == MODE_ONCE;
	int r;

	if (once)
		once_block_signals(&l->once);
	else
		block_signals();
	r = make_event(l);
	if (r < 0)
		return err_set(err, r, "cannot set up the event loop: %s", strerror(-r));
	return once ? 0 : keepalive_start(&l->health, err);
}

/* Runs it to its end. Returns an exit code. */
static int turn(sd_event *event)
{
	int r = sd_event_loop(event);

	if (r >= 0)
		return r;
	log_msg(LOG_CRIT, "the event loop failed: %s; uncored exits", strerror(-r));
	/* it knows no configuration and no device */
	return exit_code_of(r) == EXIT_TEMPFAIL ? EXIT_TEMPFAIL : EXIT_INTERNAL;
}

/* Registers hold again what was found in them. False: not all of them, which is logged. */
static bool restore(struct loop *l)
{
	bool all = true;

	if (l->reload.failed)
		all = generation_restore(l->reload.failed, NULL);
	if (l->g)
		all &= generation_restore(l->g, NULL);
	all &= !l->owes;
	if (all && l->state_file)
		restore_remove_file(l->o);
	return all;                             /* else it stays, for uncored --restore */
}

static int end(struct loop *l, int code)
{
	bool once = l->o->mode == MODE_ONCE, counted = l->now->counts;

	if (l->now->waits && !once)
		waiting_mark(l->o, false);
	loop_enter(l, LIFE_ENDS);
	if (once)
		once_stop(&l->once);
	else
		kill(getpid(), SIGTERM);        /* for keepalive_main() */
	if (l->g)
		generation_stop(l->g, GENERATION_PATIENCE);
	if (counted)
		loop_check_driver(l);
	if (!restore(l))
		code = EXIT_INTERNAL;
	else if (counted && code == 0 && !once && !generation_has_registers(l->g))
		log_msg(LOG_INFO, "counting has ended; no register %s", l->state_file ?
			"is left changed" : "was written");
	if (!once)
		supervisor_end(&l->front->http);
	reload_stop(l);
	pause_stop(l);
	sd_event_unref(l->event);
	health_done(&l->health);
	generation_free(l->reload.failed);
	return code;
}

/* From what is open to values for everybody. */
static int begin(struct loop *l, struct err *err)
{
	int r = set_up(l, err);

	l->health.values[D_CONFIG_OK] = 1;
	health_note_config(&l->health);
	return r < 0 ? r : start_begin(l, err);
}

int run_opened(struct loop *l)
{
	struct err err = { "" };
	int code, r = begin(l, &err);

	if (r < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		return end(l, r == -EINTR ? 0 : exit_code_of(r));
	}
	code = turn(l->event);
	if (l->o->mode == MODE_ONCE)
		code = once_result(&l->once, code);
	else
		notify_send("STOPPING=1");
	return end(l, code);
}

int run(const struct options *o, struct conf *conf, struct front *front)
{
	struct loop l = { .o = o, .front = front, .now = life_of(LIFE_WAITING), .lock = -1 };
	int code = start_open(&l, conf);

	if (code < 0)
		code = run_opened(&l);
	generation_free(l.g);
	machine_close(&l.machine);
	if (l.lock >= 0)
		close(l.lock);
	once_raise(&l.once);
	return code;
}
