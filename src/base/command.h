/* SPDX-License-Identifier: MIT
 * Another program: the file that its name means, a process of its own, and how that ended.
 *
 * Owns:  what a shell makes of a name, of a script without #! and of an end; where uncored's own
 *        programs are.
 * Never: what is run, and what for.
 * Any thread.
 */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Exit codes as a shell has them; the last one plus the number of the signal. */
enum { COMMAND_NOT_EXECUTABLE = 126, COMMAND_NOT_FOUND = 127, COMMAND_SIGNALLED = 128 };

/* command_find - the file that a name means: itself if there is a slash in it, else the first that
 * may be run in a directory of PATH. Returns 0, or -EACCES (there is one, which may not be run),
 * -ENOENT and the like. ret has room for PATH_MAX bytes. */
int command_find(const char *name, char *ret);

/* command_find_ours - `name`, a program of uncored: beside the program that runs, as in a build
 * tree, if it may be run there; else in `installed`, a directory. ret has room for PATH_MAX. */
void command_find_ours(const char *name, const char *installed, char *ret);

/* What a command gets as its descriptor `there`; here -1: nothing. */
struct command_file { int here, there; };

/*
 * command_start - argv[0] as command_find() finds it, in a process of its own.
 *
 * A file that the kernel does not know is a script of /bin/sh. The command begins with no signal
 * blocked and none ignored, but for SIGHUP (nohup). From here on the end of a child is told:
 * whoever started us may have left SIGCHLD ignored, and then there is none.
 * Returns 0, or -errno: command_code_of() says which exit code that is.
 */
int command_start(const char *const *argv, const struct command_file *files, unsigned n_files,
		  pid_t *ret);
int command_code_of(int r);

/* command_ended - whether the child has ended, which is waited for if `wait`. *ret: its exit code
 * as a shell has it. A child that is not there (any more) has ended, and its code is unknown:
 * COMMAND_NOT_FOUND. */
bool command_ended(pid_t pid, bool wait, int *ret);

#endif
