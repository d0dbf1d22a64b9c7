/* SPDX-License-Identifier: MIT
 * uncored --once: what bounds the loop, and what it prints.
 *
 * Owns:  the ticks of samplers without threads, until each round has had an interval, a command has
 *        ended or, with --every, a signal came; the page on standard output.
 * Never: what is before and after: plan, lock, state file, registers (run.h).
 * Main thread.
 */
#ifndef DAEMON_ONCE_H
#define DAEMON_ONCE_H

#include "daemon/generation.h"

#include <signal.h>
#include <systemd/sd-event.h>

struct once {
	const struct options *o;        /* NULL: it has not begun */
	struct generation *g;
	sd_event *event;
	nsec due[SHARED_SOCKETS_MAX];   /* the next tick of each socket */
	nsec end;                       /* no later, unless a command runs or --every prints */
	nsec began, line;               /* when all sockets counted; when --every prints next, 0:
	                                 * not any more */
	nsec sampled;                   /* what is printed was read just before */
	struct expo_renderer *renderer; /* NULL: nothing was printed yet */
	pid_t command;                  /* that runs; 0: there is none, or it has ended */
	int command_code;               /* its exit code as a shell has it */
	bool unfit;                     /* it could not be run: nothing is printed */
	sigset_t signals;               /* that are blocked: registers go back first */
	int ended;                      /* the signal that ended it; 0: none */
};

/* What is ignored at start, by nohup or for a job in the background, stays ignored. */
void once_block_signals(struct once *x);
/* 0 or -errno of sd-event. */
int once_add_signals(struct once *x, sd_event *event);
/* Programs the sockets and runs the command of the options. g has its rings and its description.
 * It ends the loop. */
int once_begin(struct once *x, const struct options *o, struct generation *g, sd_event *event,
	       struct err *err);
/* After the loop, which ended with `code`: prints. Returns an exit code: the command's, if there is
 * one and it was counted. */
int once_result(struct once *x, int code);
/* Stops the samplers: their last samples, and no count any more. Registers keep their values. */
void once_stop(struct once *x);
/* Ends this process by the signal that ended the loop, if one did: its sender expects that. */
void once_raise(struct once *x);

#endif
