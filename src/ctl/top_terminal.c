/* SPDX-License-Identifier: MIT
 * The terminal of uncorectl top: taken, put back however it ends, its keys and its size.
 * Owns:  what was found in it; what each key is called.
 * Never: what is shown.
 */
#include "ctl/top.h"

#include "base/bits.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* poll() returns. */
static void on_resize(int number)
{
	(void)number;
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

static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || strcmp(term, "dumb") == 0;
}

/* The first of these that is set is the one that counts: locale(7). */
bool top_terminal_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (unsigned i = 0; i < COUNT(names); i++) {
		const char *locale = getenv(names[i]);

		if (locale && *locale)
			return strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8");
	}
	return false;
}

bool top_terminal_take(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT,
				       SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE,
				       SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGTSTP };

	if (is_dumb() || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &as_found) < 0)
		return false;
	for (unsigned i = 0; i < COUNT(signals); i++)
		signal(signals[i], on_signal);
	signal(SIGWINCH, on_resize);
	atexit(give_back);
	take();
	return true;
}

void top_terminal_give_back(void)
{
	give_back();
}

struct winsize top_terminal_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	return size;
}

/* What terminals send. */
static const struct { const char *bytes; enum top_key key; } keys[] = {
	{ "q", TOP_QUIT }, { "s", TOP_SOCKET }, { "u", TOP_UNITS },
	{ "k", TOP_UP }, { "\033[A", TOP_UP }, { "\033OA", TOP_UP },
	{ "j", TOP_DOWN }, { "\033[B", TOP_DOWN }, { "\033OB", TOP_DOWN }, { "\n", TOP_DOWN },
	{ "b", TOP_PAGE_UP }, { "\033[5~", TOP_PAGE_UP },
	{ " ", TOP_PAGE_DOWN }, { "\033[6~", TOP_PAGE_DOWN },
	{ "g", TOP_HOME }, { "\033[H", TOP_HOME }, { "\033OH", TOP_HOME }, { "\033[1~", TOP_HOME },
	{ "G", TOP_END }, { "\033[F", TOP_END }, { "\033OF", TOP_END }, { "\033[4~", TOP_END },
};

/* How many bytes the key takes that begins here, and which it is. */
static size_t key_of(const char *bytes, size_t n, enum top_key *ret)
{
	for (unsigned i = 0; i < COUNT(keys); i++) {
		size_t length = strlen(keys[i].bytes);

		if (length <= n && strncmp(bytes, keys[i].bytes, length) == 0) {
			*ret = keys[i].key;
			return length;
		}
	}
	*ret = TOP_OTHER;                       /* a key that has no use here */
	if (n < 3 || bytes[0] != '\033' || (bytes[1] != '[' && bytes[1] != 'O'))
		return 1;
	for (size_t i = 2; i < n; i++)          /* digits and semicolons, and a last one */
		if (bytes[i] >= '@')
			return i + 1;
	return n;
}

enum top_key top_terminal_key(int ms)
{
	static char bytes[64];          /* what was read and not used yet */
	static size_t n;
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	enum top_key key;
	size_t used;

	if (!n) {
		int r = poll(&p, 1, ms);
		ssize_t got;

		if (r < 0)
			return errno == EINTR ? TOP_RESIZED : TOP_QUIT;
		if (!r)
			return TOP_NOTHING;
		got = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (got <= 0)
			return TOP_QUIT;
		n = (size_t)got;
	}
	used = key_of(bytes, n, &key);
	n -= used;
	memmove(bytes, bytes + used, n);
	return key;
}
