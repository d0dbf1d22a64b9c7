/* SPDX-License-Identifier: MIT
 * At a reload, a separate process reads the configuration first.
 *
 * Owns:  that process: its start, its answer, its life without privileges.
 * Never: the reload.
 *
 * libconfig ends a process that gets no memory, and a parser may have mistakes. Neither may end the
 * process that has set registers. The separate one runs this program with the same arguments, the
 * engine that counts, and the same bytes of configuration.
 */
#ifndef DAEMON_CHECK_PROCESS_H
#define DAEMON_CHECK_PROCESS_H

#include "daemon/engine.h"

#include <signal.h>
#include <sys/types.h>

struct check {
	pid_t pid;                  /* 0: none */
	int output;                   /* its standard output and error */
};

/* Starts it. text: the file's bytes, NULL: there is no file. */
int check_start(const struct machine *m, const char *text, size_t len, struct check *ret,
		struct err *err);
/* After its end (si): logs its output and why it ended. 0: the configuration is good; or -errno. */
int check_result(struct check *c, const siginfo_t *si);
/* Its main: argv is { "uncored-check", CHECK_OPTION, our arguments, the engine }, standard input
 * the bytes. Returns its exit code. */
int check_main(const struct options *o);

#endif
