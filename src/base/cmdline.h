/* cmdline.h - the options of a program, each a row of a table.
 *
 * Owns:  how options are found on a command line and shown by --help.
 * Never: what one means.
 * Main thread: getopt_long() keeps its place in globals, and says on stderr what is no option.
 */
#ifndef BASE_CMDLINE_H
#define BASE_CMDLINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All that is known of an option: what is parsed, what --help shows, what the manual page names. */
struct cmdline_option {
	const char *name;           /* without "--" */
	char letter;                /* "-c", too; 0: none */
	const char *arg;            /* what it takes; NULL: nothing */
	const char *help;           /* lines, '\n' between them */
	size_t at;                  /* without `take`: where its text, number (an int) or true
	                             * goes */
	int min, max;               /* of a number; 0: it is a text */
	int (*take)(void *into, const char *arg);       /* -1: go on; otherwise the exit code */
	const char *of;             /* "plan and doctor": the commands that take it; NULL: all do */
};

/*
 * cmdline_parse - take every option of argv into a struct.
 *
 * program  as messages call it
 * given    a bit for each row that was there
 *
 * Returns -1 to go on, the arguments from argv[optind] on; or the exit code of a `take`; or
 * CMDLINE_WRONG after a sentence on stderr.
 */
#define CMDLINE_MAX   64
#define CMDLINE_WRONG (-2)
int cmdline_parse(const struct cmdline_option *v, unsigned n, const char *program, int argc,
		  char **argv, void *into, uint64_t *given);

/* The lines of --help; what an option means begins in column `width`. */
void cmdline_help(FILE *f, const struct cmdline_option *v, unsigned n, int width);

#endif
