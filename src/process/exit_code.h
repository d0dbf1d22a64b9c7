/* SPDX-License-Identifier: MIT
 * How the programs end; the contract of uncored(8).
 *
 * Pure; any thread.
 */
#ifndef PROCESS_EXIT_CODE_H
#define PROCESS_EXIT_CODE_H

enum {
	EXIT_USAGE = 64,
	EXIT_UNAVAILABLE = 69,      /* takes a person: nothing to count, counters taken, no program
	                             * to serve */
	EXIT_INTERNAL = 70,
	EXIT_TEMPFAIL = 75,         /* may pass: memory, threads, descriptors, lock held, address in
	                             * use, a module to come */
	EXIT_PERMISSION = 77,       /* permission, kernel lockdown */
	EXIT_CONFIG = 78,
};

/* The exit code that a negative errno from the rooms means. */
int exit_code_of(int r);

#endif
