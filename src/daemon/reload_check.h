/* SPDX-License-Identifier: MIT
 * At a reload, a separate process reads the configuration first.
 *
 * Owns:  that process: its start, its answer, its life without privileges.
 * Never: the reload.
 * Main thread.
 *
 * libconfig ends a process that gets no memory, and a parser may have mistakes. Neither may end, or
 * spoil, the process that has set registers or waits to do so, which runs no libconfig. The
 * separate one runs this program with the same arguments, the engine that counts, and the bytes of
 * the file, has them parsed, and leaves the tree. So what was checked is what counts. While nothing
 * counts there is no engine yet, and it plans nothing.
 *
 * Both hold the memory in which it leaves the tree, and once it has ended the other copies that.
 * Sealed memory could be read in place, but whether it is sealed would have to be asked first; of a
 * copy nothing has to be believed.
 */
#ifndef DAEMON_RELOAD_CHECK_H
#define DAEMON_RELOAD_CHECK_H

#include "daemon/engine.h"

#include <signal.h>
#include <sys/types.h>

struct reload_check {
	pid_t pid;                  /* 0: none */
	int output;                 /* its standard output and error */
	int tree;                   /* memory in which it leaves what it has read (conf/tree.h) */
	bool of_file;               /* there is a file */
};

/* Starts it. m: the machine that counts, NULL: none does. text: the file's bytes, NULL: there is no
 * file. */
int reload_check_start(const struct machine *m, const char *text, size_t len,
		       struct reload_check *ret, struct err *err);
/* After its end (si): logs its output and why it ended, and closes it. 0: the configuration is
 * good; or -errno. *ret: what it has read, of *ret_size bytes, which nobody has looked at, to be
 * freed; NULL: there is no file, or it could not be read. */
int reload_check_result(struct reload_check *c, const siginfo_t *si, struct conf_tree **ret,
			size_t *ret_size);
/* Without its result. It has ended, or is killed. */
void reload_check_close(struct reload_check *c);
/* Its main: argv is { "uncored-check", CHECK_OPTION with the engine, our arguments }, standard
 * input the bytes. Returns its exit code. */
int reload_check_main(const struct options *o, const char *engine);

#endif
