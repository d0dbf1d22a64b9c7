/* SPDX-License-Identifier: MIT
 * The table of options, and what they mean together; see options.h.
 * Owns:  the text of --help, which options exclude each other.
 * Never: what is done with them.
 * Main thread.
 */
#include "daemon/options.h"

#include "base/address.h"
#include "base/cmdline.h"
#include "base/name.h"
#include "base/own_dir.h"
#include "base/state_dir.h"
#include "catalog/catalog.h"
#include "daemon/revision.h"
#include "machine/name_given.h"
#include "process/log.h"
#include "topo/machine_find.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define EVERY_MIN (10 * NSEC_PER_MSEC)
#define EVERY_MAX (24 * 3600 * NSEC_PER_SEC)

static const char before[] =
"Usage: uncored [OPTION]... [--once -- COMMAND [ARGUMENT]...]\n"
"Count uncore performance events of every CPU socket and serve them to Prometheus.\n"
"\n"
"Runs in the foreground (systemd: Type=notify). Without options it reads "
UNCORED_DEFAULT_CONFIG ",\n"
"counts on the best engine that the machine has, and listens on 127.0.0.1:10062.\n"
"\n";
static const char after[] =
"\n"
"Signals: HUP reloads the configuration (a bad one is reported, and the old one stays in use).\n"
"TERM, INT and QUIT restore all registers and exit.\n"
"Exit codes: 0 success, 64 usage, 69 nothing to count, or counters in use, 70 internal error,\n"
"75 try again, 77 permission, 78 configuration. See uncored(8), uncored.conf(5), uncorectl(1).\n";

static int take_version(void *into, const char *arg)
{
	(void)into, (void)arg;
	printf("uncored %s%s%s%s\n", PACKAGE_VERSION, *UNCORED_REVISION ? " (" : "",
	       UNCORED_REVISION, *UNCORED_REVISION ? ")" : "");
	printf("%s, %s, %s\n", UNCORED_LIBMICROHTTPD, expo_library(), conf_library());
	printf("processors:");
	for (unsigned i = 0; i < cat_n_processors; i++)
		printf(" %s", cat_processors[i]->name);
	printf("\n");
	return 0;
}

static int usage(const char *what, const char *value)
{
	if (what)
		fprintf(stderr, "uncored: %s%s%s\n", what, value ? ": " : "", value ? value : "");
	fputs("Try 'uncored --help'.\n", stderr);
	return EXIT_USAGE;
}

/* The command line: the options, and what is still text. */
struct line {
	struct options o;
	const char *engine, *format;
	bool check, once, restore;
};

static int take_listen(void *into, const char *arg)
{
	struct options *o = &((struct line *)into)->o;
	char host[64];
	uint16_t port;

	if (address_parse(arg, host, &port) < 0)
		return usage("--listen needs ADDR:PORT with a literal address, or unix:/PATH, not",
			     arg);
	if (o->n_listen == WIRE_LISTENERS_MAX)
		return usage("too many --listen options", NULL);
	o->listen[o->n_listen++] = arg;
	return -1;
}

static int take_every(void *into, const char *arg)
{
	struct options *o = &((struct line *)into)->o;

	if (nsec_parse(arg, &o->every) < 0 || o->every < EVERY_MIN || o->every > EVERY_MAX)
		return usage("--every needs a duration from 10ms to 24h, such as 1s, not", arg);
	return -1;
}

static int take_level(void *into, const char *arg)
{
	(void)into;
	if (log_set_level(arg) < 0)
		return usage("--log-level must be err, warning, notice, info or debug, not", arg);
	return -1;
}

static int take_help(void *into, const char *arg);

#define AT(member) offsetof(struct line, member)
static const struct cmdline_option options[] = {
	{ "config", 'c', "FILE", "configuration (default " UNCORED_DEFAULT_CONFIG ",\n"
	  "or the built-in groups if it does not exist)", .at = AT(o.config) },
	{ "engine", 0, "ENGINE",
	  "auto, registers, perf, or model[:PROCESSOR[:WORKLOAD]] (simulated\n"
	  "hardware, also model:MACHINE, see: uncorectl list machines; workloads\n"
	  "idle, stream, bursty, day, rotation, verify)",
	  .at = AT(engine) },
	{ "processor", 'p', "NAME", "use this processor instead of detecting it (see: uncorectl\n"
	  "list processors); the name of a machine is taken as --machine",
	  .at = AT(o.processor) },
	{ "listen", 0, "ADDR:PORT",
	  "listen here instead of at the configured addresses; may be repeated",
	  .take = take_listen },
	{ "machine", 0, "FILE", "for --check-config: check it for this machine; simulate it\n"
	  "with --engine model. A file of uncorectl capture, or a name (see:\n"
	  "uncorectl list machines)", .at = AT(o.machine) },
	{ "check-config", 0, NULL,
	  "check the configuration, report mistakes, and exit with 0 (good) or 78",
	  .at = AT(check) },
	{ "once", 0, NULL, "count for one interval (each round once) or while a COMMAND runs,\n"
	  "print the metrics, restore the registers, and exit", .at = AT(once) },
	{ "format", 0, "FORMAT", "for --once: prometheus (default), openmetrics or json",
	  .at = AT(format) },
	{ "every", 0, "DURATION", "for --once: print each DURATION, too, until COMMAND ends, or\n"
	  "without one SIGINT comes",
	  .take = take_every },
	{ "restore", 0, NULL, "restore the registers that a crashed uncored left changed, and exit",
	  .at = AT(restore) },
	{ "path-sysfs", 0, "DIR", "read this directory instead of /sys", .at = AT(o.sysfs) },
	{ "path-procfs", 0, "DIR", "read this directory instead of /proc", .at = AT(o.procfs) },
	{ "path-dev", 0, "DIR", "use this directory instead of /dev", .at = AT(o.dev) },
	{ "path-run", 0, "DIR", "use this directory instead of /run/uncored", .at = AT(o.run) },
	{ "path-state", 0, "DIR", "read this directory instead of " STATE_DIR,
	  .at = AT(o.state) },
	{ "log-level", 0, "LEVEL",
	  "least severe messages to log: err, warning, notice, info (default) or\n"
	  "debug (also logs every register access)", .take = take_level },
	{ "version", 'V', NULL, "print the versions of uncored and its libraries",
	  .take = take_version },
	{ "help", 'h', NULL, "print this text", .take = take_help },
};

static int take_help(void *into, const char *arg)
{
	(void)into, (void)arg;
	fputs(before, stdout);
	cmdline_help(stdout, options, COUNT(options), 27, NULL);
	fputs(after, stdout);
	return 0;
}

static int take_format(const char *name, enum expo_format *ret)
{
	static const struct { const char *name; enum expo_format format; } formats[] = {
		{ "prometheus", EXPO_TEXT }, { "openmetrics", EXPO_OPENMETRICS },
		{ "json", EXPO_JSON },
	};
	const __typeof__(*formats) *k = NAME_FIND(formats, COUNT(formats), name);

	if (!k)
		return usage("--format must be prometheus, openmetrics or json, not", name);
	*ret = k->format;
	return -1;
}

/* One that names a processor or a machine alone means its model. */
static int wrong_engine(const char *engine)
{
	const struct cat_processor *of_engine;
	struct err err;

	if (name_given_find(engine, &of_engine, &err) < 0)
		return usage("--engine must be auto, registers, perf or "
			     "model[:PROCESSOR[:WORKLOAD]], not", engine);
	err_set(&err, 0, "--engine %s is no engine; for simulated hardware write --engine model:%s",
		engine, engine);
	return usage(err.text, NULL);
}

static int needs_check(const char *option, const char *machine)
{
	struct err err;

	err_set(&err, 0, "%s %s needs --check-config, or --engine model: what is a text cannot be "
		"counted", option, machine);
	return usage(err.text, NULL);
}

/* One of them would be ignored. */
static int two_machines(const char *option, const char *machine, const char *of_engine)
{
	struct err err;

	err_set(&err, 0, "%s %s and --engine model:%s name two machines: leave one of them out",
		option, machine, of_engine);
	return usage(err.text, NULL);
}

/* Which processor or machine is named, and whether that can be. -1, or an exit code. */
static int check_machine(const struct line *l, struct options *o,
			 const struct cat_processor **ret)
{
	const char *option = "--machine";       /* that names the machine */
	struct err err;

	if (o->processor && name_given_find(o->processor, ret, &err) < 0)
		return usage(err.text, NULL);
	if (o->machine && o->processor)
		return usage("--machine and --processor exclude each other: a machine has its "
			     "processor", NULL);
	if (o->processor && !*ret) {
		option = "--processor";
		o->machine = o->processor;
		o->processor = NULL;
	}
	if (!o->machine)
		return -1;
	if (o->sysfs || strcmp(o->procfs, "/proc") != 0)
		return usage("a machine that is a text has its own files; leave out --path-sysfs "
			     "and --path-procfs", NULL);
	if (!l->check && o->engine.kind != CONF_MODEL)
		return needs_check(option, o->machine);
	if (!o->engine.processor[0])
		return -1;
	if (!machine_names_same(o->machine, o->engine.processor))
		return two_machines(option, o->machine, o->engine.processor);
	o->machine = NULL;              /* the engine names the same */
	return -1;
}

/* --processor beside the engine that names one: the engine's is used, so they have to agree. */
static int check_model(struct options *o, const struct cat_processor *processor)
{
	const char *of_engine = o->engine.processor;

	if (o->engine.kind != CONF_MODEL || !of_engine[0] || !o->processor)
		return -1;
	if (cat_processor_by_name(of_engine) == processor)
		return -1;
	if (!machine_names_same(o->processor, of_engine))
		return two_machines("--processor", o->processor, of_engine);
	o->processor = NULL;
	return -1;
}

/* What the texts mean, and whether the options go together. */
static int check(struct line *l)
{
	const struct cat_processor *processor = NULL;
	struct options *o = &l->o;
	int r;

	if (l->check + l->once + l->restore > 1)
		return usage("--check-config, --once and --restore exclude each other: "
			     "use only one", NULL);
	o->mode = MODE_RUN;
	if (l->check)
		o->mode = MODE_CHECK;
	else if (l->once)
		o->mode = MODE_ONCE;
	else if (l->restore)
		o->mode = MODE_RESTORE;
	o->engine_given = l->engine;
	o->format_given = l->format;
	if (l->engine && conf_engine_parse(l->engine, &o->engine) < 0)
		return wrong_engine(l->engine);
	r = check_machine(l, o, &processor);
	if (r >= 0)
		return r;
	if (l->format && !l->once)
		return usage("--format needs --once; otherwise each client chooses its own", NULL);
	if (o->every && !l->once)
		return usage("--every needs --once; else each client asks when it likes", NULL);
	r = check_model(o, processor);
	if (r >= 0)
		return r;
	return l->format ? take_format(l->format, &o->format) : -1;
}

int options_parse(int argc, char **argv, struct options *ret)
{
	struct line l = { .o = { .procfs = "/proc", .run = OWN_RUN_DIR, .state = STATE_DIR,
				 .args = argv + 1, .n_args = (unsigned)argc - 1 } };
	uint64_t given;
	int r = cmdline_parse(options, COUNT(options), "uncored", argc, argv, &l, &given);

	if (r == CMDLINE_WRONG)
		return usage(NULL, NULL);
	if (r < 0 && optind < argc && !l.once)
		return usage("unexpected argument", argv[optind]);
	l.o.command = optind < argc ? argv + optind : NULL;
	r = r < 0 ? check(&l) : r;
	if (r >= 0)
		return r;
	l.o.sysfs_given = l.o.sysfs;
	l.o.dev_given = l.o.dev;
	l.o.sysfs = l.o.sysfs ? l.o.sysfs : "/sys";
	l.o.dev = l.o.dev ? l.o.dev : "/dev";
	*ret = l.o;
	return -1;
}
