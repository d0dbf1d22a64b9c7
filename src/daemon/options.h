/* options.h - the command line of uncored.
 *
 * Owns:  the options, --help, --version; exit codes.
 */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "base/err.h"
#include "conf/conf.h"

#include <stdbool.h>

/* Exit codes of the contract; see uncored(8). */
enum {
	EXIT_USAGE = 64,
	EXIT_UNAVAILABLE = 69,      /* takes a person: nothing to count, counters taken, no library */
	EXIT_INTERNAL = 70,
	EXIT_TEMPFAIL = 75,         /* may pass: memory, threads, descriptors, lock held, address in use, a module to come */
	EXIT_PERMISSION = 77,       /* permission, kernel lockdown */
	EXIT_CONFIG = 78,
};

/* The exit code that a negative errno from the rooms means. */
int exit_code_of(int r);

#define OPTIONS_LISTEN_MAX 16
enum options_mode { MODE_RUN, MODE_CHECK, MODE_ONCE, MODE_RESTORE };
enum options_once { ONCE_PROMETHEUS, ONCE_OPENMETRICS, ONCE_JSON };

struct options {
	enum options_mode mode;
	const char *config;         /* -c; NULL: the default file if it exists */
	bool engine_given;
	struct conf_engine_choice engine;
	const char *processor;      /* NULL: detected */
	const char *listen[OPTIONS_LISTEN_MAX];
	unsigned n_listen;
	const char *sysfs, *procfs, *dev, *run;
	bool sysfs_given, dev_given;
	char **args;                /* all of the command line but the program's name */
	unsigned n_args;
	bool checks_reload;         /* see check.h */
	enum options_once format;
	bool format_given;
};

/* Returns -1 to go on, or an exit code: 0 after --help and --version, EXIT_USAGE after a sentence on stderr. */
int options_parse(int argc, char **argv, struct options *ret);

#endif
