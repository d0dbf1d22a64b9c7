/* options.c - see options.h. */
#include "config.h"

#include "daemon/options.h"

#include "catalog/catalog.h"
#include "daemon/revision.h"
#include "expo/expo.h"
#include "process/log.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
"Usage: uncored [OPTION]...\n"
"Count uncore performance events of every CPU socket and serve them to Prometheus.\n"
"\n"
"Runs in the foreground (systemd: Type=notify). Without options it reads " UNCORED_DEFAULT_CONFIG ",\n"
"counts on the best engine that the machine has, and listens on 127.0.0.1:10062.\n"
"\n"
"  -c, --config FILE        configuration (default " UNCORED_DEFAULT_CONFIG "; without the file: built-in groups)\n"
"      --engine ENGINE      auto, registers, perf, or model[:PROCESSOR[:WORKLOAD]] (simulated hardware;\n"
"                           workloads idle, stream, remote, bursty)\n"
"      --processor NAME     do not detect the processor (see: uncorectl list processors)\n"
"      --listen ADDR:PORT   instead of the configured addresses; may be given several times\n"
"      --check-config       read the configuration, report its mistakes, and exit: 0 good, 78 not\n"
"      --once               count for one interval (each round once), print, restore, and exit\n"
"      --format FORMAT      of --once: prometheus (default), openmetrics, json\n"
"      --restore            put back registers that a crashed uncored left changed, and exit\n"
"      --path-sysfs DIR     instead of /sys        --path-procfs DIR  instead of /proc\n"
"      --path-dev DIR       instead of /dev        --path-run DIR     instead of /run/uncored\n"
"      --log-level LEVEL    err, warning, notice, info (default), debug (also every register access, named)\n"
"      --version            version and libraries\n"
"  -h, --help               this text\n"
"\n"
"Signals: HUP reads the configuration again (a bad one is reported and the old one keeps counting),\n"
"TERM, INT and QUIT restore all registers and exit.\n"
"Exit codes: 0, 64 usage, 69 nothing to count or taken by somebody else, 70 internal, 75 try again,\n"
"77 permission, 78 configuration. See uncored(8), uncored.conf(5), uncorectl(1).\n";

static void print_version(void)
{
	printf("uncored %s%s%s%s\n", PACKAGE_VERSION, *UNCORED_REVISION ? " (" : "", UNCORED_REVISION, *UNCORED_REVISION ? ")" : "");
	printf("%s, %s, %s\n", UNCORED_LIBMICROHTTPD, expo_library(), conf_library());
	printf("processors:");
	for (unsigned i = 0; i < cat_n_processors; i++)
		printf(" %s", cat_processors[i]->name);
	printf("\n");
}

static int usage(const char *what, const char *value)
{
	if (what)
		fprintf(stderr, "uncored: %s%s%s\n", what, value ? ": " : "", value ? value : "");
	fputs("Try 'uncored --help'.\n", stderr);
	return EXIT_USAGE;
}

enum {
	OPT_ENGINE = 256, OPT_PROCESSOR, OPT_LISTEN, OPT_SYSFS, OPT_PROCFS, OPT_DEV, OPT_RUN, OPT_CHECK, OPT_RESTORE,
	OPT_ONCE, OPT_FORMAT, OPT_LEVEL, OPT_VERSION,
};

static const struct option long_options[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "engine", required_argument, NULL, OPT_ENGINE },
	{ "processor", required_argument, NULL, OPT_PROCESSOR },
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "path-sysfs", required_argument, NULL, OPT_SYSFS },
	{ "path-procfs", required_argument, NULL, OPT_PROCFS },
	{ "path-dev", required_argument, NULL, OPT_DEV },
	{ "path-run", required_argument, NULL, OPT_RUN },
	{ "check-config", no_argument, NULL, OPT_CHECK },
	{ "restore", no_argument, NULL, OPT_RESTORE },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "log-level", required_argument, NULL, OPT_LEVEL },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int take_format(const char *name, enum options_once *ret)
{
	static const char *const names[] = { "prometheus", "openmetrics", "json" };

	for (unsigned i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i], name) == 0) {
			*ret = (enum options_once)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int take_mode(struct options *o, enum options_mode mode)
{
	if (o->mode != MODE_RUN && o->mode != mode)
		return usage("--check-config, --once and --restore are three things: name one of them", NULL);
	o->mode = mode;
	return -1;
}

static int take(int c, struct options *o)
{
	char host[64];
	uint16_t port;

	switch (c) {
	case 'c': o->config = optarg; break;
	case OPT_ENGINE:
		if (conf_engine_parse(optarg, &o->engine) < 0)
			return usage("--engine is auto, registers, perf or model[:PROCESSOR[:WORKLOAD]], not", optarg);
		o->engine_given = true;
		break;
	case OPT_PROCESSOR:
		if (!cat_processor_by_name(optarg))
			return usage("unknown processor (see: uncorectl list processors)", optarg);
		o->processor = optarg;
		break;
	case OPT_LISTEN:
		if (conf_listen_parse(optarg, host, &port) < 0)
			return usage("--listen wants ADDR:PORT with a literal address, not", optarg);
		if (o->n_listen == WIRE_LISTENERS_MAX)
			return usage("too many --listen", NULL);
		o->listen[o->n_listen++] = optarg;
		break;
	case OPT_SYSFS: o->sysfs = optarg; o->sysfs_given = true; break;
	case OPT_PROCFS: o->procfs = optarg; break;
	case OPT_DEV: o->dev = optarg; o->dev_given = true; break;
	case OPT_RUN: o->run = optarg; break;
	case OPT_CHECK: return take_mode(o, MODE_CHECK);
	case OPT_RESTORE: return take_mode(o, MODE_RESTORE);
	case OPT_ONCE: return take_mode(o, MODE_ONCE);
	case OPT_FORMAT:
		if (take_format(optarg, &o->format) < 0)
			return usage("--format is prometheus, openmetrics or json, not", optarg);
		o->format_given = true;
		break;
	case OPT_LEVEL:
		if (log_set_level(optarg) < 0)
			return usage("--log-level is err, warning, notice, info or debug, not", optarg);
		break;
	case OPT_VERSION: print_version(); return 0;
	case 'h': fputs(help, stdout); return 0;
	default: return usage(NULL, NULL);
	}
	return -1;
}

/* --engine model:A --processor B: one of them would be ignored without a word. */
static bool two_processors(const struct options *o)
{
	const struct cat_processor *of_engine = cat_processor_by_name(o->engine.processor);

	return o->processor && o->engine.kind == CONF_MODEL && of_engine && of_engine != cat_processor_by_name(o->processor);
}

int options_parse(int argc, char **argv, struct options *ret)
{
	struct options o = { .sysfs = "/sys", .procfs = "/proc", .dev = "/dev", .run = "/run/uncored", .args = argv + 1, .n_args = (unsigned)argc - 1 };
	int c, r;

	argv[0] = (char *)"uncored";            /* getopt's mistakes begin as ours do, not with a path */
	while ((c = getopt_long(argc, argv, "c:h", long_options, NULL)) != -1) {
		r = take(c, &o);
		if (r >= 0)
			return r;
	}
	if (optind < argc)
		return usage("unexpected argument", argv[optind]);
	if (o.format_given && o.mode != MODE_ONCE)
		return usage("--format is of --once; without it, clients ask for a format", NULL);
	if (two_processors(&o))
		return usage("--engine model names another processor than --processor", o.processor);
	*ret = o;
	return -1;
}
