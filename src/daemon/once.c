/* once.c - see once.h. */
#include "config.h"

#include "daemon/once.h"

#include "daemon/keeper.h"
#include "daemon/log.h"
#include "daemon/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void sleep_until(nsec t)
{
	struct timespec ts = { t / NSEC_PER_SEC, t % NSEC_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* Its next tick, or its look at a clock before that. */
static nsec due_or_look(const struct sampler *s, nsec due)
{
	nsec look = sampler_look(s);

	return look && look < due ? look : due;
}

/* One interval after the start of each round, in steps of its tick; the next round begins with it. */
static void once_wait(struct generation *g)
{
	nsec now = generation_clock.mono(NULL), end = now, due[SHARED_SOCKETS_MAX];
	const struct plan *p = g->plan;
	bool all;

	/* Rounds last `rotation`, ticks come each interval: twice what that takes ends the wait whatever happens. */
	for (unsigned i = 0; i < p->n_sockets; i++) {
		due[i] = now + sampler_every(g->samplers[i]);
		if (now + 2 * (p->sockets[i].n_rounds * (p->rotation + p->interval)) > end)
			end = now + 2 * (p->sockets[i].n_rounds * (p->rotation + p->interval));
	}
	do {
		nsec next = INT64_MAX;

		for (unsigned i = 0; i < p->n_sockets; i++)
			if (!sampler_all_rounds(g->samplers[i]) && due_or_look(g->samplers[i], due[i]) < next)
				next = due_or_look(g->samplers[i], due[i]);
		sleep_until(next);
		now = generation_clock.mono(NULL);
		all = true;
		for (unsigned i = 0; i < p->n_sockets; i++) {
			if (!sampler_all_rounds(g->samplers[i]) && due_or_look(g->samplers[i], due[i]) <= now) {
				sampler_tick(g->samplers[i]);
				if (due[i] <= now)
					due[i] = now + sampler_every(g->samplers[i]);
			}
			all &= sampler_all_rounds(g->samplers[i]);
		}
	} while (!all && now < end);
}

static int once_print(const struct options *o, const struct generation *g)
{
	static const enum expo_format formats[] = { [ONCE_PROMETHEUS] = EXPO_TEXT, [ONCE_OPENMETRICS] = EXPO_OPENMETRICS,
						    [ONCE_JSON] = EXPO_JSON };
	uint64_t board[B_WORDS] = { [B_CONFIG_OK] = 1 };
	struct expo_renderer *renderer;
	struct proc_cost cost = { 0 };
	struct expo_body *body;
	bool ok;

	proc_add(getpid(), &cost);
	board[B_CPU_NSEC] = cost.cpu_nsec;
	board[B_RSS_BYTES] = cost.rss_bytes;
	board[B_FDS] = cost.fds;
	board[B_START_WALL_NSEC] = proc_start_wall(generation_clock.wall(NULL));
	for (unsigned i = 0; i < g->plan->n_sockets && i < B_SOCKETS_MAX; i++)
		board[B_UP + i] = 1;
	ring_write(&g->shared->board, board);
	if (expo_renderer_new(g->shared->blob, g->shared->blob_len, g->shared->rings, &g->shared->board, &renderer, NULL) < 0)
		return EXIT_INTERNAL;
	body = expo_render(renderer, formats[o->format]);
	ok = body && fwrite(body->bytes, 1, body->n, stdout) == body->n && fflush(stdout) == 0;
	if (body)
		expo_body_unref(body);
	expo_renderer_free(renderer);
	return ok ? 0 : EXIT_INTERNAL;
}

int once_run(const struct options *o, const struct machine *m, struct generation *g, bool keep)
{
	struct err err = { "" };
	int r = generation_share(g, m, NULL, &err), code = 0;

	if (!r && keep)
		r = keeper_save(o, g, NULL, &err);
	for (unsigned i = 0; i < g->plan->n_sockets && !r; i++) {
		g->options[i] = (struct sampler_options){ .plan = g->plan, .socket = i, .regs = g->engines[i].regs,
							  .perf = g->engines[i].perf, .ring = &g->shared->rings[i],
							  .clock = generation_clock, .freeze = g->conf->freeze };
		r = sampler_new(&g->options[i], &g->samplers[i], &err);
		if (!r)
			r = sampler_start(g->samplers[i], &err);
	}
	if (!r) {
		once_wait(g);
		code = once_print(o, g);
	} else {
		log_msg(LOG_ERR, "%s", err.text);
		code = exit_code_of(r);
	}
	for (unsigned i = 0; i < g->plan->n_sockets; i++)
		if (g->samplers[i])
			sampler_stop(g->samplers[i]);
	if (generation_restore(g, NULL) && keep)
		keeper_forget(o);
	return code;
}
