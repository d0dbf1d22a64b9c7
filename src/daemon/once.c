/* SPDX-License-Identifier: MIT */
#include "daemon/once.h"

#include "base/bits.h"
#include "base/command.h"
#include "daemon/health.h"
#include "daemon/restore.h"
#include "daemon/proc.h"
#include "process/log.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FOREVER (100LL * 365 * 86400 * NSEC_PER_SEC)

/* Blocks the signals that ask for an end: they are seen between two ticks, and registers go back
 * first. What is ignored at start, by nohup or for a job in the background, stays ignored. */
static void block_ends(sigset_t *ret)
{
	static const int ends[] = { SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGCHLD };
	struct sigaction was;

	sigemptyset(ret);
	for (unsigned i = 0; i < COUNT(ends); i++)
		if (sigaction(ends[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaddset(ret, ends[i]);
	sigprocmask(SIG_BLOCK, ret, NULL);
}

/* The signal that came first, or 0: it is time. */
static int sleep_until(const sigset_t *ends, nsec t, siginfo_t *info)
{
	int r;

	do {
		nsec left = t - generation_clock.mono(NULL);
		struct timespec ts = { left > 0 ? left / NSEC_PER_SEC : 0,
				       left > 0 ? left % NSEC_PER_SEC : 0 };

		r = sigtimedwait(ends, info, &ts);
	} while (r < 0 && errno == EINTR);
	return r > 0 ? r : 0;
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

/* A command whose time is counted, and what a shell would exit with. */
struct command {
	pid_t pid;                      /* 0: there is none, or it has ended */
	int code;
};

/* 0, or an exit code. */
static int start(char *const *argv, struct command *ret)
{
	int r = command_start((const char *const *)argv, NULL, 0, &ret->pid);

	if (!r)
		return 0;
	log_msg(LOG_ERR, "'%s' cannot be run: %s", argv[0], strerror(-r));
	return command_code_of(r);
}

/* A signal came while the command ran: has the command ended? Signals that other processes send to
 * us are passed on to it; those of a terminal it gets itself. */
static bool has_ended(struct command *c, const siginfo_t *info)
{
	if (info->si_signo != SIGCHLD && info->si_signo != SIGPIPE && info->si_code != SI_KERNEL)
		kill(c->pid, info->si_signo);
	if (!command_ended(c->pid, false, &c->code))
		return false;
	c->pid = 0;
	return true;
}

static bool is_done(const struct sampler *s, const struct command *command)
{
	return !command->pid && sampler_all_rounds(s);
}

/* Ticks until every round has had an interval, or the command has ended. Returns the signal that
 * ended it before, or 0. */
static int once_wait(struct generation *g, const sigset_t *ends, struct command *command)
{
	nsec now = generation_clock.mono(NULL), end = now, due[SHARED_SOCKETS_MAX];
	const struct plan *p = g->plan;
	siginfo_t info;
	int ended = 0;

	/* At the latest it ends after twice the time that all rounds take. */
	for (unsigned i = 0; i < p->n_sockets; i++) {
		nsec latest = now + 2 * (p->sockets[i].n_rounds * (p->rotation + p->interval));

		due[i] = now + sampler_period(g->sockets[i].sampler);
		end = latest > end ? latest : end;
	}
	for (;;) {
		nsec next = INT64_MAX;

		for (unsigned i = 0; i < p->n_sockets; i++) {
			struct sampler *s = g->sockets[i].sampler;

			if (!is_done(s, command) && next_due(s, due[i]) <= now) {
				sampler_tick(s);
				due[i] = due[i] <= now ? now + sampler_period(s) : due[i];
			}
			if (!is_done(s, command) && next_due(s, due[i]) < next)
				next = next_due(s, due[i]);
		}
		if (next == INT64_MAX || ended || (now >= end && !command->pid))
			return ended;
		ended = sleep_until(ends, next, &info);
		if (ended && command->pid) {
			if (has_ended(command, &info))
				return 0;
			ended = 0;
		}
		now = generation_clock.mono(NULL);
	}
}

static int once_print(const struct options *o, const struct generation *g)
{
	uint64_t values[D_VALUES] = { [D_CONFIG_OK] = 1, [D_SPAWNER_UP] = 1 };
	struct expo_renderer *renderer;
	struct err err = { "" };
	struct expo_body *body;
	bool ok;
	int r, why;

	health_measure_cost(values, 0);
	values[D_START_WALL_NSEC] = proc_start_wall(generation_clock.wall(NULL));
	values[D_HTTP_BEGAN] = values[D_START_WALL_NSEC];
	ring_write(&g->shared->daemon, values);
	r = expo_renderer_new(g->shared->desc, g->shared->desc_len, g->shared->rings,
			      &g->shared->daemon, &renderer, &err);
	if (r < 0)
		return log_exit(r, &err);
	body = expo_render(renderer, o->format, 0);
	ok = body && fwrite(body->bytes, 1, body->n, stdout) == body->n && fflush(stdout) == 0;
	why = errno;
	if (!ok && !reader_gone())
		log_msg(LOG_ERR, "the values cannot be printed: %s",
			body ? strerror(why) : "out of memory");
	if (body)
		expo_body_unref(body);
	expo_renderer_free(renderer);
	if (!body)
		return EXIT_TEMPFAIL;
	return ok ? 0 : EXIT_INTERNAL;
}

static void stop_all(struct generation *g)
{
	for (unsigned i = 0; i < g->plan->n_sockets; i++)
		if (g->sockets[i].sampler)
			sampler_stop(g->sockets[i].sampler);
}

int once_run(const struct options *o, struct machine *m, struct generation *g, bool state_file)
{
	struct err err = { "" };
	int r = generation_share_from(g, m, NULL, &err), code = 0, ended = 0;
	struct command command = { 0 };
	bool turns = false;
	sigset_t ends;

	block_ends(&ends);
	if (!r && state_file)
		r = restore_save(o, m, g, NULL, &err);
	for (unsigned i = 0; i < g->plan->n_sockets && o->command; i++)
		turns |= g->plan->sockets[i].n_rounds > 1;
	if (o->command && !turns)       /* one window: what is derived is of all that time */
		g->plan->interval = FOREVER;
	for (unsigned i = 0; i < g->plan->n_sockets && !r; i++) {
		r = generation_sampler(g, i, NULL, &err);
		if (!r)
			r = sampler_start(g->sockets[i].sampler, &err);
	}
	if (!r && o->command)
		code = start(o->command, &command);
	if (!r && !code) {
		ended = once_wait(g, &ends, &command);
		if (o->command)
			stop_all(g);
		code = ended ? 0 : once_print(o, g);
		code = code ? code : command.code;
		ended = ended ? ended : reader_gone();
	} else if (r < 0) {
		code = log_exit(r, &err);
	}
	stop_all(g);
	machine_check_driver(m);
	if (!generation_restore(g, NULL))
		code = EXIT_INTERNAL;
	else if (state_file)
		restore_remove_file(o);
	if (ended) {                    /* the sender expects an end by this signal */
		sigprocmask(SIG_UNBLOCK, &ends, NULL);
		raise(ended);
	}
	return code;
}
