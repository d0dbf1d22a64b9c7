/* SPDX-License-Identifier: MIT
 * How a program begins: its standard files, and its options, each a row of a table.
 *
 * Owns:  how options are found on a command line and shown by --help.
 * Never: what an option means.
 * Main thread: getopt_long() keeps its position in globals, and reports unknown options on stderr.
 */
#ifndef BASE_CMDLINE_H
#define BASE_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One option: how it is parsed and what --help shows. */
struct cmdline_option {
	const char *name;           /* without "--" */
	char letter;                /* "-c", too; 0: none */
	const char *arg;            /* what it takes; NULL: nothing */
	const char *help;           /* lines, '\n' between them */
	size_t at;                  /* without `take`: offset in the struct of its text, its number
	                             * (an int), or a bool that becomes true */
	int min, max;               /* of a number; 0: it is a text */
	const char *unit;           /* of the number: "milliseconds"; NULL: it has none */
	/* Takes the argument. Returns -1 to continue, otherwise the exit code. */
	int (*take)(void *into, const char *arg);
	const char *commands;       /* that take it, "plan and doctor"; NULL: all do */
};

/*
 * cmdline_parse - take every option of argv into a struct.
 *
 * program  its name in messages
 * given    gets a bit for each row that was on the command line
 *
 * Returns -1 to continue, the arguments from argv[optind] on; or the exit code of a `take`; or
 * CMDLINE_WRONG after a sentence on stderr.
 */
#define CMDLINE_MAX   64
#define CMDLINE_WRONG (-2)
int cmdline_parse(const struct cmdline_option *v, unsigned n, const char *program, int argc,
		  char **argv, void *into, uint64_t *given);

/* If a standard file is closed, the next file that is opened gets its number, and messages would be
 * written to registers, or to the descriptor of somebody else. This fills the numbers with files
 * that cannot be written. */
void cmdline_standard_files(void);

/* At the end, with a message: was all of standard output written? It may still be in the buffer,
 * and a write of it may have failed before. */
bool cmdline_written(const char *program);

/* Prints the lines of --help; the help texts begin in column `width`. command: only the options
 * that it takes; NULL: all, with the commands that take them. */
void cmdline_help(FILE *f, const struct cmdline_option *v, unsigned n, int width,
		  const char *command);

#endif
