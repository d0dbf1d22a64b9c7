/* SPDX-License-Identifier: MIT
 * The ticks of --once, the command that runs meanwhile, and the page at the end; see once.h.
 * Owns:  struct once: when each socket ticks, which signal or command ends it.
 * Never: what is before and after (run.c).
 * Main thread.
 */
#include "daemon/once.h"

#include "base/bits.h"
#include "base/command.h"
#include "daemon/health.h"
#include "daemon/proc.h"
#include "process/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FOREVER (100LL * 365 * 86400 * NSEC_PER_SEC)

static const int ends[] = { SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGPIPE };

static bool is_ignored(int signal)
{
	struct sigaction was;

	return sigaction(signal, NULL, &was) < 0 || was.sa_handler == SIG_IGN;
}

void once_block_signals(struct once *x)
{
	sigemptyset(&x->signals);
	sigaddset(&x->signals, SIGCHLD);
	for (unsigned i = 0; i < COUNT(ends); i++)
		if (!is_ignored(ends[i]))
			sigaddset(&x->signals, ends[i]);
	sigprocmask(SIG_BLOCK, &x->signals, NULL);
}

/* Signals that other processes send to us are passed on to a command that runs; those of a terminal
 * it gets itself. */
static int on_signal(sd_event_source *s, const struct signalfd_siginfo *si, void *p)
{
	struct once *x = p;
	int number = (int)si->ssi_signo;

	(void)s;
	if (!x->command) {
		if (!x->o->every || number == SIGPIPE)
			x->ended = number;      /* else that is how it is meant to end */
		return sd_event_exit(x->event, 0);
	}
	if (number != SIGPIPE && si->ssi_code != SI_KERNEL)
		kill(x->command, number);
	return 0;
}

int once_add_signals(struct once *x, sd_event *event)
{
	for (unsigned i = 0; i < COUNT(ends); i++) {
		int r;

		if (!sigismember(&x->signals, ends[i]))
			continue;
		r = sd_event_add_signal(event, NULL, ends[i], on_signal, x);
		if (r < 0)
			return r;
	}
	return 0;
}

/* SIGPIPE if nobody reads what is printed, as in `uncored --once | head -1`; else 0. */
static int reader_gone(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) ? SIGPIPE : 0;
}

/* Its next tick, or before that the time to see whether its overflow window has ended. */
static nsec next_due(const struct sampler *s, nsec due)
{
	nsec peek = sampler_next_peek(s);

	return peek && peek < due ? peek : due;
}

/* Until a command or a signal ends it. */
static bool goes_on(const struct once *x)
{
	return x->command || x->o->every;
}

static bool is_done(const struct once *x, const struct sampler *s)
{
	return !goes_on(x) && sampler_all_rounds(s);
}

/* Ticks what is due. Returns when the next is; INT64_MAX: all of them are done. */
static nsec tick(struct once *x, nsec now)
{
	nsec next = INT64_MAX;

	for (unsigned i = 0; i < x->g->plan->n_sockets; i++) {
		struct sampler *s = x->g->sockets[i].sampler;
		nsec *due = &x->due[i];

		if (!is_done(x, s) && next_due(s, *due) <= now) {
			sampler_tick(s);
			if (*due <= now)
				*due = now + sampler_period(s);
		}
		if (!is_done(x, s) && next_due(s, *due) < next)
			next = next_due(s, *due);
	}
	return next;
}

/* ---- what is printed */

/* "{", the member that only --every has, and the rest: how long all sockets have counted is in no
 * snapshot of a server. */
static bool write_body(const struct once *x, const struct expo_body *body)
{
	size_t skip = 0;

	if (x->o->every && x->o->format == EXPO_JSON) {
		printf("{\"elapsed_seconds\":%.6f,",
		       (double)(x->sampled - x->began) / NSEC_PER_SEC);
		skip = 1;
	}
	return fwrite(body->bytes + skip, 1, body->n - skip, stdout) == body->n - skip &&
	       fflush(stdout) == 0;
}

static void set_values(const struct once *x)
{
	uint64_t values[D_VALUES] = { [D_CONFIG_OK] = 1, [D_SPAWNER_UP] = 1,
				      [D_CONFIG_HASH] = x->g->conf->hash };

	health_measure_cost(values, 0);
	values[D_START_WALL_NSEC] = proc_start_wall(generation_clock.wall(NULL));
	values[D_CONFIG_WALL_NSEC] = (uint64_t)generation_clock.wall(NULL);
	values[D_HTTP_BEGAN] = values[D_START_WALL_NSEC];
	ring_write(&x->g->shared->daemon, values);
}

/* 0, or an exit code. */
static int once_print(struct once *x)
{
	const struct shared *shared = x->g->shared;
	struct err err = { "" };
	struct expo_body *body;
	int r = 0;

	set_values(x);
	if (!x->renderer)
		r = expo_renderer_new(shared->desc, shared->desc_len, shared->rings,
				      &shared->daemon, NULL, &x->renderer, &err);
	if (r < 0)
		return log_exit(r, &err);
	body = expo_render(x->renderer, x->o->format, 0);
	if (!body) {
		log_msg(LOG_ERR, "the values cannot be printed: out of memory");
		return EXIT_TEMPFAIL;
	}
	if (!write_body(x, body)) {
		r = EXIT_INTERNAL;
		if (!reader_gone())
			log_msg(LOG_ERR, "the values cannot be printed: %m");
	}
	expo_body_unref(body);
	return r;
}

/* The values of --every. Where nobody reads them any more it ends, and so does the command. */
static int print_line(struct once *x, nsec now)
{
	int code;

	x->line = x->began + ((now - x->began) / x->o->every + 1) * x->o->every;
	for (unsigned i = 0; i < x->g->plan->n_sockets; i++)
		sampler_end_window(x->g->sockets[i].sampler);
	x->sampled = generation_clock.mono(NULL);
	code = once_print(x);
	if (!code)
		return 0;
	x->line = 0;
	if (!x->command)
		return sd_event_exit(x->event, code);
	if (reader_gone())
		kill(x->command, SIGTERM);
	return 0;
}

/* ---- the loop */

/* Of sd-event, which counts microseconds of CLOCK_MONOTONIC. */
static uint64_t usec_of(nsec t)
{
	return (uint64_t)(t + generation_clock.offset + NSEC_PER_USEC - 1) / NSEC_PER_USEC;
}

static int on_due(sd_event_source *s, uint64_t usec, void *p)
{
	struct once *x = p;
	nsec now = generation_clock.mono(NULL), next = tick(x, now);

	(void)usec;
	if (next == INT64_MAX || (now >= x->end && !goes_on(x)))
		return sd_event_exit(x->event, 0);
	if (x->line && now >= x->line) {
		int r = print_line(x, now);

		if (r < 0)
			return r;
	}
	if (x->line && x->line < next)
		next = x->line;
	sd_event_source_set_time(s, usec_of(next));
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

static int on_command_end(sd_event_source *s, const siginfo_t *si, void *p)
{
	struct once *x = p;

	(void)s, (void)si;
	command_ended(x->command, false, &x->command_code);
	x->command = 0;
	return sd_event_exit(x->event, 0);
}

static int start_samplers(struct once *x, struct err *err)
{
	for (unsigned i = 0; i < x->g->plan->n_sockets; i++) {
		int r = generation_sampler(x->g, i, NULL, err);

		if (r < 0)
			return r;
		r = sampler_start(x->g->sockets[i].sampler, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The first ticks, and at the latest the end: twice the time that all rounds take. */
static int schedule(struct once *x)
{
	nsec now = generation_clock.mono(NULL), first = INT64_MAX;
	const struct plan *p = x->g->plan;

	x->began = x->end = now;
	x->line = x->o->every ? now + x->o->every : 0;
	for (unsigned i = 0; i < p->n_sockets; i++) {
		const struct sampler *s = x->g->sockets[i].sampler;
		nsec latest = now + 2 * (p->sockets[i].n_rounds * (p->rotation + p->interval));

		x->due[i] = now + sampler_period(s);
		if (latest > x->end)
			x->end = latest;
		if (next_due(s, x->due[i]) < first)
			first = next_due(s, x->due[i]);
	}
	if (x->line && x->line < first)
		first = x->line;
	return sd_event_add_time(x->event, NULL, CLOCK_MONOTONIC, usec_of(first), 1, on_due, x);
}

/* A command that cannot be run is logged, and its exit code is ours. */
static int start_command(struct once *x)
{
	char *const *argv = x->o->command;
	int r = command_start((const char *const *)argv, NULL, 0, &x->command);

	if (r < 0) {
		log_msg(LOG_ERR, "'%s' cannot be run: %s", argv[0], strerror(-r));
		x->command = 0;
		x->command_code = command_code_of(r);
		x->unfit = true;
		return sd_event_exit(x->event, 0);
	}
	return sd_event_add_child(x->event, NULL, x->command, WEXITED, on_command_end, x);
}

static bool takes_turns(const struct plan *p)
{
	for (unsigned i = 0; i < p->n_sockets; i++)
		if (p->sockets[i].n_rounds > 1)
			return true;
	return false;
}

static int add_ends(struct once *x)
{
	int r = schedule(x);

	return r < 0 || !x->o->command ? r : start_command(x);
}

int once_begin(struct once *x, const struct options *o, struct generation *g, sd_event *event,
	       struct err *err)
{
	int r;

	x->o = o;
	x->g = g;
	x->event = event;
	/* one window, or one a line: what is derived is of all that time */
	if ((o->command || o->every) && !takes_turns(g->plan))
		g->plan->interval = FOREVER;
	r = start_samplers(x, err);
	if (r < 0)
		return r;
	r = add_ends(x);
	return r < 0 ? err_set(err, r, "cannot set up the event loop: %s", strerror(-r)) : 0;
}

static int print_last(struct once *x, int code)
{
	if (x->o->command || x->o->every)
		once_stop(x);
	x->sampled = generation_clock.mono(NULL);
	if (!code && !x->unfit)
		code = once_print(x);
	if (!code)
		code = x->command_code;
	x->ended = reader_gone();
	return code;
}

int once_result(struct once *x, int code)
{
	if (!x->ended)
		code = print_last(x, code);
	expo_renderer_free(x->renderer);
	x->renderer = NULL;
	return code;
}

void once_stop(struct once *x)
{
	for (unsigned i = 0; x->g && i < x->g->plan->n_sockets; i++)
		if (x->g->sockets[i].sampler)
			sampler_stop(x->g->sockets[i].sampler);
}

void once_raise(struct once *x)
{
	if (!x->ended)
		return;
	sigprocmask(SIG_UNBLOCK, &x->signals, NULL);
	raise(x->ended);
}
