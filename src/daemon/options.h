/* SPDX-License-Identifier: MIT
 * The command line of uncored.
 *
 * Owns:  the options, --help, --version.
 * Main thread, before anything else.
 */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "base/err.h"
#include "conf/conf.h"
#include "expo/expo.h"
#include "process/exit_code.h"
#include "process/wire.h"

#include <stdbool.h>

enum options_mode { MODE_RUN, MODE_CHECK, MODE_ONCE, MODE_RESTORE };

struct options {
	enum options_mode mode;
	const char *config;         /* -c; NULL: the default file if it exists */
	bool engine_given;
	struct conf_engine_choice engine;
	const char *processor;      /* NULL: detected */
	const char *machine;        /* a text or an installed machine instead of this one; NULL:
	                             * this one */
	const char *listen[WIRE_LISTENERS_MAX];
	unsigned n_listen;
	const char *sysfs, *procfs, *dev, *run, *state;
	bool sysfs_given, dev_given;
	char **args;                /* all of the command line but the program's name */
	unsigned n_args;
	bool checks_reload;         /* see reload_check.h */
	enum expo_format format;    /* of --once */
	bool format_given;
	nsec every;                 /* of --once: how often it prints; 0: at the end alone */
	char **command;             /* of --once: what to run meanwhile, ended by NULL; NULL:
	                             * nothing */
};

/* Returns -1 to continue, or an exit code: 0 after --help and --version, EXIT_USAGE after a
 * sentence on stderr. */
int options_parse(int argc, char **argv, struct options *ret);

#endif
