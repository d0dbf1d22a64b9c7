/* SPDX-License-Identifier: MIT
 * The command of `uncorectl stat` and `pause`: started, waited for, and who gets a signal.
 * Owns:  which child runs; that signals of a terminal are the command's, and others handed on; that
 *        without a command a signal is what is waited for.
 * Never: what is done meanwhile.
 */
#include "ctl/ctl.h"

#include "base/bits.h"
#include "base/clock.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile pid_t child;            /* 0: none runs */
static volatile sig_atomic_t told;      /* without a command: it is to end */
static bool none;                       /* there is no command */
static int code_of_child;
static nsec began;

/* A terminal sends its signals to the command as well: it ends, and so do we, in order. What
 * another process sends comes to us alone. While no command runs, there is only us to end. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (child > 0) {
		if (info->si_code != SI_KERNEL)
			kill(child, number);
		return;
	}
	signal(number, SIG_DFL);
	if (!none)
		raise(number);
	told = 1;
}

static void take_signals(void)
{
	static const int numbers[] = { SIGINT, SIGQUIT, SIGTERM };
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	for (unsigned i = 0; i < COUNT(numbers); i++)
		sigaction(numbers[i], &action, NULL);
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

	take_signals();
	r = command_start(argv, files, n, &pid);
	child = r < 0 ? 0 : pid;
	began = clock_read(CLOCK_MONOTONIC);
	return r < 0 ? cannot_run(argv[0], r) : 0;
}

void ctl_child_none(void)
{
	none = true;
	take_signals();
	began = clock_read(CLOCK_MONOTONIC);
}

bool ctl_child_runs(void)
{
	return child > 0;
}

bool ctl_child_goes_on(void)
{
	if (none)
		return !told;
	if (child > 0 && command_ended(child, false, &code_of_child))
		child = 0;
	return child > 0;
}

void ctl_child_end(void)
{
	if (child > 0)
		kill(child, SIGTERM);
	told = 1;
}

int ctl_child_wait(double *seconds)
{
	if (child > 0)
		command_ended(child, true, &code_of_child);
	child = 0;
	while (none && !told)
		usleep(20000);                  /* or until a signal comes */
	*seconds += (double)(clock_read(CLOCK_MONOTONIC) - began) / NSEC_PER_SEC;
	return code_of_child;
}
