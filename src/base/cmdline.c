/* SPDX-License-Identifier: MIT */
#include "base/cmdline.h"

#include "base/name.h"
#include "base/num.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#define LINE 100                    /* of --help */
#define LONG 256                    /* getopt_long() answers a letter, or this + the row */

static int take(const struct cmdline_option *o, const char *program, void *into)
{
	void *at = (char *)into + o->at;
	uint64_t n;

	if (o->take)
		return o->take(into, optarg);
	if (!o->arg) {
		*(bool *)at = true;
	} else if (!o->max) {
		*(const char **)at = optarg;
	} else if (num_parse_u64(optarg, &n) < 0 || n < (unsigned)o->min || n > (unsigned)o->max) {
		fprintf(stderr, "%s: --%s needs a number%s%s from %d to %d, not '%s'\n",
			program, o->name, o->unit ? " of " : "", o->unit ?: "", o->min, o->max,
			optarg);
		return CMDLINE_WRONG;
	} else {
		*(int *)at = (int)n;
	}
	return -1;
}

void cmdline_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) < 0)
			return;
}

bool cmdline_written(const char *program)
{
	const char *why = "its disk may be full";       /* an earlier write failed; why, is lost */

	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	if (errno)
		why = strerror(errno);
	fprintf(stderr, "%s: the output could not be written: %s\n", program, why);
	return false;
}

/* The command of the line: the first word that has options of its own. NULL: there is none. */
static const char *command_of(const struct cmdline_option *v, unsigned n, char **argv)
{
	for (char **word = argv + 1; *word; word++)
		for (unsigned i = 0; i < n; i++)
			if (v[i].commands && name_listed(v[i].commands, *word, strlen(*word)))
				return *word;
	return NULL;
}

static bool is_of(const struct cmdline_option *o, const char *command)
{
	return !command || !o->commands || name_listed(o->commands, command, strlen(command));
}

/* After getopt's own message: the option of the same command that may have been meant. */
static int wrong(const struct cmdline_option *v, unsigned n, const char *program, const char *text,
		 char **argv)
{
	const char *command = command_of(v, n, argv);
	char word[64];
	struct nearest near = { .wanted = word };

	if (strncmp(text, "--", 2) != 0)
		return CMDLINE_WRONG;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text + 2, "="), text + 2);
	for (unsigned i = 0; i < n; i++)
		if (is_of(&v[i], command))
			nearest_offer(&near, v[i].name);
	if (near.name && near.distance > 0)
		fprintf(stderr, "%s: the nearest is '--%s'\n", program, near.name);
	return CMDLINE_WRONG;
}

/* The word that getopt_long() just took for a long option: the one before its argument, if that is
 * a word of its own. */
static const char *taken_word(const struct cmdline_option *o, char **argv)
{
	const char *word = argv[optind - 1];
	size_t n = strcspn(word, "=");

	if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, n - 2) == 0 &&
	    (!o->arg || word[n]))
		return word;
	return argv[optind - 2];
}

/* getopt_long() takes the beginning of a name for the name: --socket for --sockets. What such a
 * word means changes with every option that is added, so that it is refused. */
static bool is_abbreviated(const struct cmdline_option *o, const char *word)
{
	return strcspn(word, "=") != 2 + strlen(o->name);
}

int cmdline_parse(const struct cmdline_option *v, unsigned n, const char *program, int argc,
		  char **argv, void *into, uint64_t *given)
{
	struct option longs[CMDLINE_MAX + 1] = { 0 };
	char shorts[2 * CMDLINE_MAX + 1] = "", *s = shorts;
	int c, r = -1;

	assert(n <= CMDLINE_MAX);
	for (unsigned i = 0; i < n; i++) {
		longs[i] = (struct option){ v[i].name, v[i].arg ? required_argument : no_argument,
					    NULL, LONG + (int)i };
		if (v[i].letter)
			s = stpcpy(stpcpy(s, (char []){ v[i].letter, 0 }), v[i].arg ? ":" : "");
	}
	*given = 0;
	argv[0] = (char *)program;              /* getopt's messages begin with it */
	while (r == -1 && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		unsigned i = (unsigned)c - LONG;

		for (unsigned k = 0; c < LONG && k < n; k++)
			i = v[k].letter == c ? k : i;
		if (i >= n)
			return wrong(v, n, program, argv[optind - 1], argv);
		if (c >= LONG && is_abbreviated(&v[i], taken_word(&v[i], argv))) {
			fprintf(stderr, "%s: unrecognized option '%s'\n", program,
				taken_word(&v[i], argv));
			return wrong(v, n, program, taken_word(&v[i], argv), argv);
		}
		*given |= UINT64_C(1) << i;
		r = take(&v[i], program, into);
	}
	return r;
}

/* Before its help; where there is no room for both, that begins below. */
static void print_commands(FILE *f, const struct cmdline_option *o, int width)
{
	int at = width + fprintf(f, "for %s:", o->commands);

	if (at + 1 + (int)strcspn(o->help, "\n") > LINE)
		fprintf(f, "\n%*s", width, "");
	else
		fputc(' ', f);
}

void cmdline_help(FILE *f, const struct cmdline_option *v, unsigned n, int width,
		  const char *command)
{
	for (const struct cmdline_option *o = v; o < v + n; o++) {
		char left[100], letter[] = { '-', o->letter, ',', 0 };

		if (!is_of(o, command))
			continue;
		snprintf(left, sizeof(left), "  %3s --%s%s%s", o->letter ? letter : "", o->name,
			 o->arg ? " " : "", o->arg ? o->arg : "");
		fprintf(f, "%-*s  ", width - 2, left);
		if (o->commands && !command)
			print_commands(f, o, width);
		for (const char *p = o->help; *p; p += strcspn(p, "\n"), p += *p == '\n')
			fprintf(f, "%*s%.*s\n", p == o->help ? 0 : width, "", (int)strcspn(p, "\n"),
				p);
	}
}
