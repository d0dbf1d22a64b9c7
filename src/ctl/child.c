/* SPDX-License-Identifier: MIT
 * The command of `uncorectl stat` and `pause`: started, waited for, and who gets a signal.
 * Owns:  which child runs; that signals of a terminal are the command's.
 * Never: what is done meanwhile.
 */
#include "ctl/ctl.h"

#include "base/clock.h"

#include <limits.h>
#include <signal.h>
#include <string.h>

static volatile pid_t child;            /* 0: none runs */
static nsec began;

/* A terminal sends its signals to the command as well: it ends, and so do we, in order. While none
 * runs, there is only us to end. */
static void on_signal(int number)
{
	if (child <= 0) {
		signal(number, SIG_DFL);
		raise(number);
	} else if (number == SIGTERM) {
		kill(child, number);
	}
}

static int cannot_run(const char *program, int r)
{
	return ctl_fail(command_code_of(r), "'%s' cannot be run: %s", program, strerror(-r));
}

int ctl_child_find(const char *program)
{
	char path[PATH_MAX];
	int r = command_find(program, path);

	return r < 0 ? cannot_run(program, r) : 0;
}

int ctl_child_start(const char *const *argv, const struct command_file *files, unsigned n)
{
	pid_t pid;
	int r;

	signal(SIGINT, on_signal);
	signal(SIGQUIT, on_signal);
	signal(SIGTERM, on_signal);
	r = command_start(argv, files, n, &pid);
	child = r < 0 ? 0 : pid;
	began = clock_read(CLOCK_MONOTONIC);
	return r < 0 ? cannot_run(argv[0], r) : 0;
}

bool ctl_child_runs(void)
{
	return child > 0;
}

int ctl_child_wait(double *seconds)
{
	int code;

	command_ended(child, true, &code);
	child = 0;
	*seconds += (double)(clock_read(CLOCK_MONOTONIC) - began) / NSEC_PER_SEC;
	return code;
}
