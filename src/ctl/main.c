/* main.c - uncorectl: the command line. */
#include "config.h"

#include "ctl/ctl.h"

#include "base/num.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
"Usage: uncorectl COMMAND [ARGUMENT]... [OPTION]...\n"
"Ask what can be counted, where it would be counted and what would be written. Writes no register.\n"
"\n"
"  list processors|boxes|events|metrics   what the catalog knows; events: and this machine's kernel\n"
"  describe EVENT|METRIC                  meaning, unit masks, counters, filters, what is disputed; a formula\n"
"  encode SPEC                            the register writes of one event, or its numbers for perf_event_open\n"
"  plan                                   counters, rounds and every register write of a configuration\n"
"  decode ADDRESS VALUE [ADDRESS VALUE]...  what register contents mean (PCI: 19:5+0xd8)\n"
"  doctor                                 what uncored would do on this machine, why, and what is in the way\n"
"\n"
"  -p, --processor NAME   instead of this machine's\n"
"  -c, --config FILE      of plan and doctor (default " UNCORED_DEFAULT_CONFIG ", without it the built-in groups)\n"
"      --sockets N        of plan: sockets to plan for\n"
"      --counter N        of encode: on this counter\n"
"      --json             for programs\n"
"      --path-sysfs DIR   instead of /sys         --path-procfs DIR  instead of /proc\n"
"      --path-dev DIR     instead of /dev         --path-run DIR     instead of /run/uncored\n"
"      --version          version\n"
"  -h, --help             this text\n"
"\n"
"An event specification is box[unit]/EVENT[:UMASK]...[,key[=value]]..., for example\n"
"  uncorectl encode cbox0/LLC_HITS:ALL --processor nehalem-ex\n"
"  uncorectl describe bbox/IMT_FULL --processor nehalem-ex\n"
"  uncorectl decode 0xd10 0x400f15 --processor nehalem-ex\n"
"Exit codes: 0, 64 usage, 69 doctor, plan: uncored would count nothing, 78 configuration (also an unknown event).\n"
"See uncorectl(1).\n";

static const struct command {
	const char *name;
	int (*run)(const struct ctl *c);
	int min, max;
	const char *args;
} commands[] = {
	{ "list", ctl_list, 1, 1, " processors|boxes|events|metrics" },
	{ "describe", ctl_describe, 1, 1, " EVENT|METRIC" },
	{ "encode", ctl_encode, 1, 1, " SPEC" },
	{ "plan", ctl_plan, 0, 0, "" },
	{ "decode", ctl_decode, 2, 64, " ADDRESS VALUE [ADDRESS VALUE]..." },
	{ "doctor", ctl_doctor, 0, 0, "" },
};

int ctl_fail(int code, const char *fmt, ...)
{
	va_list ap;

	fputs("uncorectl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (code == CTL_USAGE)
		fputs("Try 'uncorectl --help'.\n", stderr);
	return code;
}

static int take_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	if (num_parse_u64(text, ret) < 0 || *ret < min || *ret > max)
		return ctl_fail(CTL_USAGE, "%s wants a number from %llu to %llu, not '%s'", name, (unsigned long long)min,
				(unsigned long long)max, text);
	return 0;
}

enum { OPT_SYSFS = 256, OPT_PROCFS, OPT_DEV, OPT_RUN };

static int parse(int argc, char **argv, struct ctl *c)
{
	static const struct option options[] = {
		{ "processor", required_argument, NULL, 'p' }, { "config", required_argument, NULL, 'c' },
		{ "sockets", required_argument, NULL, 's' }, { "counter", required_argument, NULL, 'n' },
		{ "path-sysfs", required_argument, NULL, OPT_SYSFS }, { "path-procfs", required_argument, NULL, OPT_PROCFS },
		{ "path-dev", required_argument, NULL, OPT_DEV }, { "path-run", required_argument, NULL, OPT_RUN },
		{ "json", no_argument, NULL, 'j' }, { "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' }, { 0 },
	};
	uint64_t n;
	int o;

	argv[0] = (char *)"uncorectl";          /* getopt's mistakes begin as ours do, not with a path */
	while ((o = getopt_long(argc, argv, "p:c:h", options, NULL)) != -1) {
		switch (o) {
		case 'p':
			c->processor = cat_processor_by_name(optarg);
			c->processor_given = true;
			if (!c->processor)
				return ctl_fail(CTL_USAGE, "no processor '%s'; see: uncorectl list processors", optarg);
			break;
		case 'c': c->config = optarg; break;
		case 's':
			if (take_number("--sockets", optarg, 1, 64, &n))
				return CTL_USAGE;
			c->sockets = (unsigned)n;
			break;
		case 'n':
			if (take_number("--counter", optarg, 0, 31, &n))
				return CTL_USAGE;
			c->counter = (int)n;
			break;
		case OPT_SYSFS: c->roots.sysfs = optarg; break;
		case OPT_PROCFS: c->roots.procfs = optarg; break;
		case OPT_DEV: c->roots.dev = optarg; break;
		case OPT_RUN: c->roots.run = optarg; break;
		case 'j': c->json = true; break;
		case 'V': printf("uncorectl %s\n", PACKAGE_VERSION); return 0;
		case 'h': fputs(help, stdout); return 0;
		default: fputs("Try 'uncorectl --help'.\n", stderr); return CTL_USAGE;
		}
	}
	c->args = argv + optind;
	c->n_args = argc - optind;
	return -1;
}

/* What the command has no use for would be left out without a word. */
static int check_options(const struct ctl *c, const struct command *k)
{
	if (c->sockets && k->run != ctl_plan)
		return ctl_fail(CTL_USAGE, "--sockets is an option of plan, not of %s", k->name);
	if (c->counter >= 0 && k->run != ctl_encode)
		return ctl_fail(CTL_USAGE, "--counter is an option of encode, not of %s", k->name);
	if (c->config && k->run != ctl_plan && k->run != ctl_doctor)
		return ctl_fail(CTL_USAGE, "--config is an option of plan and doctor, not of %s", k->name);
	return 0;
}

/* What was printed may still be in the buffer, and a write of it may have failed before. */
static int finish(int r)
{
	bool flushed = fflush(stdout) == 0;

	if (flushed && !ferror(stdout))
		return r;
	return ctl_fail(CTL_INTERNAL, "the output could not be written%s%s", flushed ? "" : ": ", flushed ? "" : strerror(errno));
}

static int run(struct ctl *c, const struct command *k)
{
	int r = check_options(c, k);

	if (r)
		return r;
	c->args++;
	c->n_args--;
	if (c->n_args < k->min || c->n_args > k->max)
		return ctl_fail(CTL_USAGE, "wrong number of arguments; usage: uncorectl %s%s", k->name, k->args);
	return finish(k->run(c));
}

int main(int argc, char **argv)
{
	struct ctl c = { .counter = -1, .roots = { .sysfs = "/sys", .procfs = "/proc", .dev = "/dev", .run = "/run/uncored",
						   .locks = "/var/run" } };
	int r = parse(argc, argv, &c);

	if (r >= 0)
		return finish(r);
	if (!c.n_args) {
		fputs(help, stderr);
		return CTL_USAGE;
	}
	if (!c.processor_given)
		c.processor = machine_processor(&c.roots);
	for (size_t i = 0; i < COUNT(commands); i++)
		if (strcmp(commands[i].name, c.args[0]) == 0)
			return run(&c, &commands[i]);
	return ctl_fail(CTL_USAGE, "no command '%s'; there are list, describe, encode, plan, decode and doctor", c.args[0]);
}
