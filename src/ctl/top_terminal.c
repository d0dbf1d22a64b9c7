/* SPDX-License-Identifier: MIT
 * The terminal of uncorectl top: taken, put back however it ends, its keys and its size.
 * Owns:  what was found in it; what each key is called.
 * Never: what is shown.
 */
#include "ctl/top.h"

#include "base/bits.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios as_found;
static volatile sig_atomic_t taken;

static void give_back(void)
{
	static const char text[] = "\033[?25h\033[?1049l";      /* the cursor, the other screen */

	if (!taken)
		return;
	taken = 0;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) > 0)   /* else nobody sees it */
		tcsetattr(STDIN_FILENO, TCSANOW, &as_found);
}

static void take(void)
{
	struct termios raw = as_found;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	taken = 1;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	if (write(STDOUT_FILENO, "\033[?1049h\033[?25l", 14) < 0)
		give_back();
}

/* Gives the terminal back until somebody continues us, or for ever. */
static void on_signal(int number)
{
	give_back();
	signal(number, number == SIGTSTP ? on_signal : SIG_DFL);
	raise(number == SIGTSTP ? SIGSTOP : number);
	if (number == SIGTSTP)
		take();
}

bool top_terminal_take(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT,
				       SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE,
				       SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGTSTP };

	if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &as_found) < 0)
		return false;
	for (unsigned i = 0; i < COUNT(signals); i++)
		signal(signals[i], on_signal);
	atexit(give_back);
	take();
	return true;
}

void top_terminal_give_back(void)
{
	give_back();
}
