/* check_process.h - at a reload, a process of its own reads the configuration first.
 *
 * Owns:  that process: its start, its answer, its life without privileges.
 * Never: the reload.
 *
 * libconfig ends a process that gets no memory, and a parser may have mistakes;
 * none of that may end the process that has set registers. It is this program again, with its
 * arguments, the engine that counts, and the same bytes.
 */
#ifndef DAEMON_CHECK_PROCESS_H
#define DAEMON_CHECK_PROCESS_H

#include "daemon/engine.h"

#include <signal.h>
#include <sys/types.h>

#define CHECK_OPTION "--check-reload"

struct check {
	pid_t pid;                  /* 0: none */
	int said;                   /* its standard output and error */
};

/* Starts it. text: the file's bytes, NULL: there is no file. */
int check_start(const struct options *o, const struct machine *m, const char *text, size_t len,
		struct check *ret, struct err *err);
/* After its end (si): logs what it said and what ended it. 0: a good configuration; or -errno. */
int check_result(struct check *c, const siginfo_t *si);
/* Its main: argv is { "uncored: check", CHECK_OPTION, our arguments, the engine }, standard input
 * the bytes. Returns its exit code. */
int check_main(const struct options *o);

#endif
