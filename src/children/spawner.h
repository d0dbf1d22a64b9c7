/* SPDX-License-Identifier: MIT
 * Programs are executed by a process that does nothing else and knows two: uncored-http, and
 * uncored itself, which checks a configuration.
 *
 * Owns:  which files these are, opened once, so that all are of this build; how they are started.
 * Never: when, and with which data.
 * Main thread.
 *
 * The spawner waits for a request. Then it makes a younger spawner and becomes the program itself.
 * So both are children of uncored, and uncored-http, which is started first, stays the eldest. An
 * attacker who controls uncored cannot make it execute anything (confine_execution()).
 */
#ifndef CHILDREN_SPAWNER_H
#define CHILDREN_SPAWNER_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

enum program {
	PROGRAM_HTTP, PROGRAM_HTTPS,    /* uncored-http without TLS, with it */
	PROGRAM_CHECK, PROGRAMS
};
/* With which the check is told from other starts of uncored: so its first argument begins, and ends
 * with the engine. */
#define CHECK_OPTION "--check-reload="

enum { SPAWN_FDS = 4, SPAWN_ENGINE = 128 };

/* Forks the spawner; after that this process executes nothing. args: of uncored, without its
 * name. */
int spawner_begin(char **args, unsigned n_args, struct err *err);
/* False: the spawner has ended, which is logged once, with what that prevents. Another one cannot
 * be made: what this process forks may not execute anything, either. True also before the first. */
bool spawner_up(void);
/*
 * spawner_start - a child of this process that executes one of both programs
 *
 * engine  of the check: the one that counts, as --engine takes it, or "", while none does; else ""
 * fds     n descriptors that it gets, copied, and no others: standard input, output and error;
 *         of uncored-http also WIRE_FD
 *
 * Without a spawner (a start, a check) by a fork of this process; then only uncored-http. Waits a
 * second at most. 0, or -errno with a sentence; -ENOTRECOVERABLE: the spawner has ended. A program
 * that cannot be executed logs why and ends with EXIT_TEMPFAIL.
 */
int spawner_start(enum program program, const char *engine, const int *fds, unsigned n, pid_t *ret,
		  struct err *err);

#endif
