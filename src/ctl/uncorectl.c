/* SPDX-License-Identifier: MIT
 * uncorectl: the command line.
 * Owns:  options and which command takes them, help, main().
 * Never: what a command does.
 */
#include "ctl/ctl.h"

#include "base/bits.h"
#include "base/cmdline.h"
#include "base/name.h"
#include "base/own_dir.h"
#include "base/state_dir.h"
#include "base/words.h"
#include "machine/name_given.h"
#include "topo/machine_dir.h"
#include "topo/machine_find.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUESS_TEXT = 128 };

static const char before[] =
"Usage: uncorectl COMMAND [ARGUMENT]... [OPTION]...\n"
"Show what uncored can count, which counters it would use and what it would write. Writes no\n"
"register. uncorectl COMMAND --help shows what a command takes.\n"
"\n";
static const char after[] =
"\n"
"An event specification is box[unit]/EVENT[:UMASK]...[,key[=value]]..., for example\n"
"    uncorectl encode cha/TOR_INSERTS:IA_MISS_DRD_REMOTE -p spr\n"
"or, as perf stat -e takes it, perf/PMU/TERMS/:\n"
"    uncorectl describe perf/uncore_imc/cas_count_read/ -p spr\n"
"Exit codes: 0 success, 1 verify found a difference, 64 usage, 69 nothing would be counted,\n"
"or nothing answers, 70 internal error, 75 try again, 77 permission, 78 configuration or unknown\n"
"event.\n"
"See uncorectl(1).\n";

static int help(const struct ctl *c);

static const struct command {
	const char *name;
	int (*run)(const struct ctl *c);
	int min, max;
	const char *args, *help;
	const char *lacks;                      /* what is missing if there are fewer than min */
} commands[] = {
	{ "list", ctl_list, 1, 2, " boxes|events|keys|metrics|groups|processors|machines [WORD]",
	  "list what can be counted; events also lists those of this kernel",
	  "name what to list, as in: uncorectl list groups -p spr" },
	{ "search", ctl_search, 1, 64, " WORD...",
	  "find entries with all these words in name or description",
	  "name what to look for, as in: uncorectl search memory latency" },
	{ "describe", ctl_describe, 1, 1, " EVENT|METRIC|GROUP|BOX",
	  "explain an entry: meaning, unit masks, counters, filters, formula",
	  "name what to explain, as in: uncorectl describe memory -p spr" },
	{ "encode", ctl_encode, 1, 1, " SPEC",
	  "show the register writes of one event, or its perf_event_open numbers",
	  "name an event, as in: uncorectl encode perf/uncore_imc/cas_count_read/ -p spr" },
	{ "plan", ctl_plan, 0, 0, "",
	  "show the counters and rounds of a configuration; -v: all writes", NULL },
	{ "decode", ctl_decode, 2, 64, " ADDRESS VALUE [ADDRESS VALUE]...",
	  "explain register contents (PCI: 19:5+0xd8)",
	  "give a register and what is in it, as in: "
	  "uncorectl decode 0xd10 0x400f15 -p nehalem-ex" },
	{ "doctor", ctl_doctor, 0, 0, "",
	  "show what uncored would do on this machine, and what prevents it", NULL },
	{ "capture", ctl_capture, 0, 1, " [FILE]",
	  "write this machine, with names of network interfaces and drives, as text for "
	  "--machine", NULL },
	{ "top", ctl_top, 0, 0, "",
	  "show live what a running uncored counts, in the terminal", NULL },
	{ "stat", ctl_stat, 0, INT_MAX, " [OPTION]... [-- COMMAND [ARGUMENT]...]",
	  "count while a command runs, or until Ctrl-C; -I: each interval", NULL },
	{ "pause", ctl_pause, 1, INT_MAX, " DURATION | -- COMMAND [ARGUMENT]...",
	  "leave the counters to another tool while a command runs, or for a time (10m)",
	  "say how long, as in: uncorectl pause 10s, "
	  "or while what runs, as in: uncorectl pause -- sleep 10" },
	{ "verify", ctl_verify, 0, 0, "",
	  "load the memory of every socket, up to a quarter of what is free, and check the counts",
	  NULL },
	{ "help", help, 0, 1, " [COMMAND]", "show what a command takes, or all commands", NULL },
};

#define OF_UNITS "each unit and each socket has its series, and sums are beside them"
#define OF_TASKS "uncore counters do not know which program causes what they count: count while " \
		 "one runs, and compare it with an idle machine"
/* Options of perf stat that mean nothing for counters of a socket. */
static const struct { char letter; const char *name, *sentence; } of_perf[] = {
	{ 'A', "no-aggr", "units are never added up without a word: each has its series, and sums "
	  "say sum()" },
	{ 'C', "cpu", "uncore counters belong to a socket, not to a CPU: all sockets are counted, "
	  "and each series has its socket" },
	{ 'd', "detailed", "name what to count: -M METRIC, -e SPEC or -g GROUP" },
	{ 'j', "json-output", "write -o json" },
	{ 'p', "pid", OF_TASKS },
	{ 't', "tid", OF_TASKS },
	{ 0, "per-die", OF_UNITS },
	{ 0, "per-node", OF_UNITS },
	{ 0, "per-socket", OF_UNITS },
	{ 0, "timeout", "count what takes so long, as in: uncorectl stat -- sleep 10" },
};

/* Without --processor they speak of this machine; so do others, which read it themselves. What is
 * described or searched may be of any processor. */
static const char of_machine[] = "encode, decode";

static int take_processor(void *into, const char *arg)
{
	struct ctl *c = into;

	if (name_given_find(arg, &c->processor, &c->unnamed) < 0)
		return -1;              /* is said where the command has the option */
	c->processor_given = c->processor;
	c->named = c->processor ? NULL : arg;
	return -1;
}

static int take_text(struct ctl_texts *into, const char *option, const char *arg)
{
	if (into->n == CTL_TEXTS)
		return ctl_fail(CTL_USAGE, "--%s may be given %d times; write a configuration for "
				"more, and name it with --config", option, CTL_TEXTS);
	into->v[into->n++] = arg;
	return -1;
}

/* As if it had been given once, with all names. */
static int take_groups(void *into, const char *arg)
{
	static char *all;
	struct ctl *c = into;
	char *earlier = all;

	if (asprintf(&all, "%s%s%s", earlier ?: "", earlier ? "," : "", arg) < 0)
		return ctl_fail(CTL_TEMPORARY, "out of memory");
	free(earlier);
	c->groups = all;
	return -1;
}

static int take_event(void *into, const char *arg)
{
	return take_text(&((struct ctl *)into)->events, "event", arg);
}

static int take_metric(void *into, const char *arg)
{
	return take_text(&((struct ctl *)into)->metrics, "metric", arg);
}

static int take_version(void *into, const char *arg)
{
	(void)into, (void)arg;
	printf("uncorectl %s\n", PACKAGE_VERSION);
	return 0;
}

#define AT(member) offsetof(struct ctl, member)
static const struct cmdline_option options[] = {
	{ "processor", 'p', "NAME", "use this processor instead of this machine's;\n"
	  "also the name of a machine",
	  .take = take_processor,
	  .commands = "list, search, describe, encode, decode and plan" },
	{ "machine", 0, "FILE", "use this machine instead of this one: a file of\n"
	  "uncorectl capture, or a name (see: list machines)", .at = AT(machine),
	  .commands = "list, search, describe, encode, decode, plan, doctor, capture, stat" },
	{ "config", 'c', "FILE", "configuration (default " UNCORED_DEFAULT_CONFIG ",\n"
	  "or the built-in groups if it does not exist)", .at = AT(config),
	  .commands = "plan, doctor and stat" },
	{ "sockets", 0, "N", "number of sockets", .at = AT(sockets), .min = 1, .max = 64,
	  .commands = "plan" },
	{ "counter", 0, "N", "use this counter", .at = AT(counter), .max = 31,
	  .commands = "encode" },
	{ "url", 0, "URL", "address of the running uncored: HOST:PORT,\n"
	  "https://HOST:PORT or unix:PATH (default 127.0.0.1:10062)", .at = AT(server.url),
	  .commands = "top, stat and verify" },
	{ "cacert", 0, "FILE", "with https: authorities to trust\n(default: the system's)",
	  .at = AT(server.cacert), .commands = "top, stat and verify" },
	{ "cert", 0, "FILE", "with https: certificate to show\nif uncored asks for one",
	  .at = AT(server.cert), .commands = "top, stat and verify" },
	{ "key", 0, "FILE", "with https: its key\n(default: in the file of --cert)",
	  .at = AT(server.key), .commands = "top, stat and verify" },
	{ "groups", 'g', "NAMES", "ready-made groups to count, for example memory,links;\n"
	  "may be repeated", .take = take_groups, .commands = "stat" },
	{ "event", 'e', "SPEC", "an event to count; may be repeated", .take = take_event,
	  .commands = "stat" },
	{ "metric", 'M', "NAME", "a metric to count, with the events that it needs;\n"
	  "may be repeated", .take = take_metric, .commands = "stat" },
	{ "engine", 0, "ENGINE", "the engine that counts; see uncored --help", .at = AT(engine),
	  .commands = "stat" },
	{ "interval", 'I', "MS", "a line for each value and interval, in milliseconds",
	  .at = AT(interval), .min = 10, .max = 86400000, .unit = "milliseconds",
	  .commands = "stat" },
	{ "all-cpus", 'a', NULL, "count every socket, which it always does", .at = AT(all_cpus),
	  .commands = "stat" },
	{ "field-separator", 'x', "SEP", "write csv, with this between two fields",
	  .at = AT(separator), .commands = "stat" },
	{ "repeat", 'r', "N", "number of runs, or of updates", .at = AT(repeat), .min = 1,
	  .max = 100000, .commands = "stat and top" },
	{ "batch", 0, NULL, "write lines instead of a screen", .at = AT(batch), .commands = "top" },
	{ "output", 'o', "FORMAT", "write json or csv to standard output", .at = AT(output),
	  .commands = "stat" },
	{ "quick", 0, NULL, "take 15 seconds instead of a minute", .at = AT(quick),
	  .commands = "verify" },
	{ "curve", 0, NULL, "measure at which traffic the memory's latency rises,\n"
	  "and keep that for uncored (about three minutes)", .at = AT(curve),
	  .commands = "verify" },
	{ "json", 0, NULL, "write JSON for programs", .at = AT(json),
	  .commands = "list, search, describe, encode, plan, decode, doctor and verify" },
	{ "verbose", 'v', NULL, "show every unit and register write,\n"
	  "a metric's whole row, or the metrics of all machines", .at = AT(verbose),
	  .commands = "plan, describe and list" },
	{ "path-sysfs", 0, "DIR", "read this directory instead of /sys", .at = AT(roots.sysfs) },
	{ "path-procfs", 0, "DIR", "read this directory instead of /proc", .at = AT(roots.procfs) },
	{ "path-dev", 0, "DIR", "read this directory instead of /dev", .at = AT(roots.dev) },
	{ "path-run", 0, "DIR", "read this directory instead of /run/uncored",
	  .at = AT(roots.run) },
	{ "path-state", 0, "DIR", "use this directory instead of " STATE_DIR,
	  .at = AT(roots.state) },
	{ "path-systemd", 0, "DIR", "read this directory instead of /etc/systemd and /run/systemd",
	  .at = AT(roots.systemd) },
	{ "version", 'V', NULL, "print the version", .take = take_version },
	{ "help", 'h', NULL, "print this text", .at = AT(help) },
};

/* Everything, or what concerns one command. */
static void print_help(FILE *f, const struct command *of)
{
	if (of) {
		fprintf(f, "Usage: uncorectl %s%s%s\n\n  %s\n\n", of->name, of->args,
			strstr(of->args, "[OPTION]") ? "" : " [OPTION]...", of->help);
		cmdline_help(f, options, COUNT(options), 26, of->name);
		return;
	}
	fputs(before, f);
	for (size_t i = 0; i < COUNT(commands); i++)
		fprintf(f, "  %-9s %s\n", commands[i].name, commands[i].help);
	fputc('\n', f);
	cmdline_help(f, options, COUNT(options), 26, NULL);
	fputs(after, f);
}

/* letter: 0 or '?' where the word is a long option. */
static void explain_of_perf(int letter, const char *word)
{
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (size_t i = 0; i < COUNT(of_perf); i++)
		if (of_perf[i].letter && letter == of_perf[i].letter)
			fprintf(stderr, "uncorectl: -%c: %s\n", letter, of_perf[i].sentence);
		else if (strncmp(name, "--", 2) == 0 && strcmp(name + 2, of_perf[i].name) == 0)
			fprintf(stderr, "uncorectl: %s: %s\n", name, of_perf[i].sentence);
}

/* What the command has no use for would be left out without a word. */
static int check_options(uint64_t given, const struct command *k)
{
	for (size_t i = 0; i < COUNT(options); i++) {
		const char *of = options[i].commands;

		if (!(given >> i & 1) || !of || name_listed(of, k->name, strlen(k->name)))
			continue;
		if (k->run == ctl_stat)
			explain_of_perf(options[i].letter, "");
		return ctl_fail(CTL_USAGE, "--%s is an option of %s, not of %s",
				options[i].name, of, k->name);
	}
	return 0;
}

/* The command of a line that was not understood: its first word that is one. NULL: none is. */
static const struct command *command_in(int argc, char **argv)
{
	const struct command *k = NULL;

	for (int i = 1; i < argc && !k && strcmp(argv[i], "--") != 0; i++)
		k = NAME_FIND(commands, COUNT(commands), argv[i]);
	return k;
}

/* pause perf stat -a: the option is one of perf, and was read as ours. */
static void explain_dashes(int argc, char **argv)
{
	const struct command *k = command_in(argc, argv);
	unsigned words = 0;

	if (!k || (k->run != ctl_stat && k->run != ctl_pause))
		return;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			return;
		words += argv[i][0] != '-';
	}
	if (words > 1)
		fprintf(stderr, "uncorectl: options of the command that runs follow --, as in: "
			"uncorectl %s -- COMMAND -x\n", k->name);
}

static int run(struct ctl *c, const struct command *k)
{
	c->args++;
	c->n_args--;
	ctl_fail_in(k->name);
	if (c->n_args < k->min)
		return ctl_fail(CTL_USAGE, "an argument is missing: %s; usage: uncorectl %s%s",
				k->lacks, k->name, k->args);
	if (c->n_args > k->max && k->run == ctl_top)
		return ctl_fail(CTL_USAGE, "'%s' is one argument too many; an address follows "
				"--url, and -r N ends after N updates", c->args[k->max]);
	if (c->n_args > k->max)
		return ctl_fail(CTL_USAGE, "'%s' is one argument too many; usage: uncorectl %s%s",
				c->args[k->max], k->name, k->args);
	if (c->unread.text[0] && name_listed(of_machine, k->name, strlen(k->name)))
		return ctl_fail(c->unread_code, "%s", c->unread.text);
	return k->run(c);
}

static int no_command(const char *name)
{
	const char *names[COUNT(commands)];
	struct nearest near = { .wanted = name };
	char guess[GUESS_TEXT], list[WORDS_TEXT];

	if (ctl_guess(name, guess, sizeof(guess)))
		return ctl_fail(CTL_USAGE, "there is no command '%s'; try %s", name, guess);
	for (size_t i = 0; i < COUNT(commands); i++) {
		names[i] = commands[i].name;
		nearest_offer(&near, names[i]);
	}
	if (near.name)
		return ctl_fail(CTL_USAGE, "there is no command '%s'; the nearest is %s", name,
				near.name);
	return ctl_fail(CTL_USAGE, "there is no command '%s'; the commands are %s; what can be "
			"counted: uncorectl search WORD", name,
			words_join(list, sizeof(list), names, COUNT(names)));
}

/* uncorectl help COMMAND is COMMAND --help. */
static int help(const struct ctl *c)
{
	const struct command *k = NULL;

	if (c->n_args) {
		k = NAME_FIND(commands, COUNT(commands), c->args[0]);
		if (!k)
			return no_command(c->args[0]);
	}
	print_help(stdout, k);
	return 0;
}

static const char state_of_this[] = STATE_DIR;

/* --machine, or the machine that --processor names: its files instead of this machine's. 0, or an
 * exit code after a sentence. */
static int open_machine(struct ctl *c, struct machine_dir **ret)
{
	AUTO_FREE(machine_text_free) struct machine_text *text = NULL;
	AUTO_DONE(ctl_print_diags) struct diags mistakes = { 0 };
	struct err err = { "" };
	int r;

	if (c->machine && (c->processor_given || c->named))
		return ctl_fail(CTL_USAGE, "--machine and --processor exclude each other: a "
				"machine has its processor");
	c->machine = c->machine ?: c->named;
	if (!c->machine)
		return 0;
	if (strcmp(c->roots.sysfs, "/sys") != 0 || strcmp(c->roots.procfs, "/proc") != 0)
		return ctl_fail(CTL_USAGE, "a machine that is a text has its own files; leave out "
				"--path-sysfs and --path-procfs");
	r = machine_find(c->machine, &text, &mistakes);
	if (r < 0)
		return r == -EINVAL ? CTL_CONFIG : ctl_code(r, CTL_USAGE);
	r = machine_dir_make(text, c->roots.run, ret, &err);
	if (r < 0)
		return ctl_fail(CTL_TEMPORARY, "%s", err.text);
	c->roots.sysfs = c->roots.procfs = c->roots.dev = machine_dir_path(*ret);
	c->roots.of_text = true;
	if (c->roots.state == state_of_this)
		c->roots.state = NULL;          /* nothing was measured of that one */
	return 0;
}

static int command_line(int argc, char **argv)
{
	AUTO_FREE(machine_dir_free) struct machine_dir *machine = NULL;
	static const char url[] = "http://127.0.0.1:10062";
	struct ctl c = { .counter = -1, .server = { url, NULL, NULL, NULL },
			 .roots = { .sysfs = "/sys", .procfs = "/proc", .dev = "/dev",
				    .run = OWN_RUN_DIR, .state = state_of_this,
				    .locks = "/var/run",
				    .systemd = "{/etc,/run}/systemd" } };
	const struct command *k;
	uint64_t given;
	int r;

	cmdline_standard_files();
	r = cmdline_parse(options, COUNT(options), "uncorectl", argc, argv, &c, &given);
	if (r == CMDLINE_WRONG) {
		explain_of_perf(optopt, argv[optind - 1]);
		explain_dashes(argc, argv);
		k = command_in(argc, argv);
		fprintf(stderr, "Try 'uncorectl%s%s --help'.\n", k ? " " : "", k ? k->name : "");
		return CTL_USAGE;
	}
	if (r >= 0)
		return r;
	c.url_given = c.server.url != url;
	c.args = argv + optind;
	c.n_args = argc - optind;
	k = c.n_args ? NAME_FIND(commands, COUNT(commands), c.args[0]) : NULL;
	if (c.help || !c.n_args) {
		print_help(c.help ? stdout : stderr, k);
		return c.help ? 0 : CTL_USAGE;
	}
	if (!k)
		return no_command(c.args[0]);
	r = check_options(given, k);
	if (r) {
		explain_dashes(argc, argv);
		return r;
	}
	if (c.unnamed.text[0])
		return ctl_fail(CTL_USAGE, "%s", c.unnamed.text);
	r = k->run == ctl_stat ? 0 : open_machine(&c, &machine);        /* its uncored does it */
	if (r)
		return r;
	if (!c.processor_given) {
		r = machine_processor(&c.roots, &c.processor, &c.unread);
		c.unread_code = ctl_code(r, CTL_UNAVAILABLE);
	}
	return run(&c, k);
}

int main(int argc, char **argv)
{
	int r = command_line(argc, argv);

	return cmdline_written("uncorectl") ? r : CTL_INTERNAL;
}
