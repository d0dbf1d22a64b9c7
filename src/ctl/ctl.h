/* SPDX-License-Identifier: MIT
 * uncorectl: ask the catalog and the planner; writes no register.
 *
 * Owns:  commands, their text for people and JSON for programs.
 * Never: sampling.
 */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include "base/command.h"
#include "expo/json.h"
#include "http/client.h"
#include "machine/machine.h"
#include "planner/defaults.h"
#include "planner/plan_build.h"

enum { CTL_WRONG = 1, CTL_USAGE = 64, CTL_UNAVAILABLE = 69, CTL_INTERNAL = 70,
       CTL_TEMPORARY = 75, CTL_PERMISSION = 77, CTL_CONFIG = 78 };

/* What an option was given, each time. */
#define CTL_TEXTS 64
struct ctl_texts {
	const char *v[CTL_TEXTS];
	unsigned n;
};

struct ctl {
	const struct cat_processor *processor;  /* --processor, else this machine's; NULL:
	                                         * unknown */
	struct err unread;                      /* why this machine could not be read; "": it
	                                         * could, or --processor names another */
	int unread_code;                        /* the exit code that this is */
	bool processor_given, json, verbose, help;
	const char *machine;                    /* --machine, or --processor with the name of a
	                                         * machine, whose the roots are then; NULL: not
	                                         * given */
	struct err unnamed;                     /* why --processor names nothing; "": it names
	                                         * something, or is not given */
	const char *named;                      /* --processor, where it names no processor of the
	                                         * catalog */
	const char *config;
	struct host_roots roots;                /* --path-..., never NULL */
	int counter;                            /* --counter, -1 */
	unsigned sockets;                       /* --sockets, 0: not given */
	struct http_server server;              /* --url, --cacert, --cert, --key */
	bool url_given;
	bool quick, batch, curve;               /* --quick, --batch, --curve */
	const char *groups, *engine, *output;   /* of stat; NULL: not given */
	struct ctl_texts events, metrics;       /* of stat */
	int repeat, interval;                   /* 0: not given; of stat, in ms */
	const char *separator;                  /* of stat; NULL: not given */
	bool all_cpus;                          /* of stat: which it always counts */
	char **args;
	int n_args;
};

int ctl_list(const struct ctl *c);
/* "events" of "events" and of "event"; NULL: there is no such list. */
const char *ctl_list_name(const char *word);
/* What to try where somebody takes the word for a command, as he would type it. false: nothing is
 * meant by it. */
bool ctl_guess(const char *word, char *ret, size_t size);
int ctl_capture(const struct ctl *c);
/* Adds the text of this machine, as capture writes it. 0, or an exit code after a sentence. */
int ctl_capture_text(const struct ctl *c, struct strb *ret);
int ctl_describe(const struct ctl *c);
int ctl_encode(const struct ctl *c);
int ctl_plan(const struct ctl *c);
int ctl_decode(const struct ctl *c);
int ctl_doctor(const struct ctl *c);
int ctl_search(const struct ctl *c);
int ctl_verify(const struct ctl *c);
int ctl_stat(const struct ctl *c);
int ctl_pause(const struct ctl *c);
int ctl_top(const struct ctl *c);

#define CTL_NAME_TEXT 128                   /* box, event and unit mask */

/* ---- running.c */

/* What a running uncored says of all its series. NULL, with a sentence: it cannot be had. */
json_t *ctl_snapshot(const struct http_server *s, struct err *err);
/* Why it counts nothing at all, into ret; "": it counts. Asks only where the snapshot says that
 * there is a reason. */
void ctl_why_nothing(const struct http_server *s, json_t *snapshot, struct err *ret);
/* The list of series of a family; NULL: it has none. */
json_t *ctl_series(json_t *snapshot, const char *family);
/* -EAGAIN with a sentence where nothing counts because it is paused; else 0. */
int ctl_check_paused(const struct http_server *s, json_t *snapshot, struct err *err);
/* NAN: it is not valid. */
double ctl_number(json_t *series);
/* For how long a total was counted; 0: it is no total of the hardware. */
double ctl_active_seconds(json_t *series);

/* ---- human.c */

/* "38.2 GB/s", "84 ns", "60.1 %", "12.5 M/s"; "-" of NAN. unit: as ctl_human_unit() has it. */
struct ctl_word { char s[32]; };
struct ctl_word ctl_human(double v, const char *unit);
/* What people call the unit of a metric, "bytes", or of its total each second. */
const char *ctl_human_unit(const char *unit, bool each_second);

/* ---- search.c */

/* Prints what has these words; of_describe: because nothing is called so, which is CTL_CONFIG
 * whatever is found. CTL_CONFIG and a sentence with the nearest names where nothing is found. */
int ctl_search_for(const struct ctl *c, const char *words, bool of_describe);
/* `list WHAT WORD` has nothing with the word: what else has it, or is called nearly so, or WHAT is
 * the list to see, list_name. CTL_CONFIG. */
int ctl_search_none(const struct ctl *c, const char *list_name);
/* A result as a line, cut to the terminal. elsewhere: with the processors that have it. */
void ctl_result_print(json_t *j, bool elsewhere);

/* ---- verify_curve.c */

/* verify --curve. */
int ctl_verify_curve(const struct ctl *c);

/* ---- of_series.c */

/* What describe takes instead of a series of /metrics, with or without "uncore_" and labels: a
 * metric's name, an event's specification, or `text` where it is none. Of the arena. *ret_help: of
 * a series of uncored itself what it says, else NULL. */
const char *ctl_of_series(const struct ctl *c, struct arena *a, const char *text,
			  const char **ret_help);

/* ---- list_filter.c */

/* Removes the rows that have neither the words of `list WHAT WORD` nor are of a box of that
 * name. Metrics that use an event of such a box are left alone, if there are any. */
void ctl_filter(const struct ctl *c, json_t *list);

/* ---- list_metrics.c */

int ctl_list_metrics(const struct ctl *c);
/* Is the argument a metric's name? Then it is described, and *ret is the exit code. */
bool ctl_describe_metric(const struct ctl *c, int *ret);

/* ---- stat_conf.c */

/* The file of a configuration of --groups, --event and --metric, one of which is given. 0, or an
 * exit code after the mistakes. Of no engine that there is not: uncored says so when it starts. */
int ctl_stat_conf(const struct ctl *c, int *ret_fd);

/* ---- rests.c */

/* What the value of a metric that this machine counts rests on, a sentence each. t: the table of
 * the kernel's PMUs that has it; NULL: it is counted through registers. formula: what that rests
 * on. */
json_t *ctl_rests_on(const struct ctl *c, const struct cat_perf *t, const char *metric,
		     const char *formula);
/* Prints and releases. */
void ctl_print_rests(json_t *list);

/* ---- list_groups.c */

int ctl_list_groups(const struct ctl *c);
/* The same of a ready-made group's name. */
bool ctl_describe_group(const struct ctl *c, int *ret);

/* ---- list_kernel.c: perf/PMU/TERMS/, and as plans print it, always of this machine */

/* Is it an event of the kernel's, by its maker's name, too? -EINVAL, -ENODEV: by that or by its box
 * it would be one, but nothing is called so, or this machine has no such PMU; -EEXIST: several
 * boxes have it; ctl_perf_show() says which. */
int ctl_perf_names(const struct ctl *c, const char *spec);
/* The kernel's and libpfm4's events: a list. */
json_t *ctl_perf_list(const struct ctl *c);
/* The boxes that the kernel's PMUs on this machine are: those of cores and of software are none. */
json_t *ctl_perf_boxes(const struct ctl *c);
/* Is the argument one of them, or its PMU, where the kernel counts? Then it is described, and *ret
 * is the exit code. */
bool ctl_perf_describe_box(const struct ctl *c, int *ret);
/* One of them as a line. */
void ctl_perf_print(json_t *e);
/* What the specification of the command line means here; describe: in full. */
int ctl_perf_show(const struct ctl *c, bool describe);
/* A note on stderr about a PMU or event of the kernel that cannot be used, unless --processor asks
 * for another processor; text "": there is none. */
void ctl_note_unusable(const struct ctl *c, const struct err *why);

/* ---- describe_row.c */

/* What the catalog's tables say of an event of the kernel's on this machine: members to add to it,
 * none where no table has it. */
json_t *ctl_row_json(const struct machine *m, const struct plan_perf *event);
/* The same as lines; releases it. */
void ctl_row_print(json_t *row);
/* Does a table for any machine know an event of this name? Then it is described, and *ret is the
 * exit code. */
bool ctl_describe_row(const struct ctl *c, int *ret);

/* ---- child.c: the command that stat and pause run */

/* Can it be run? 0, or an exit code after a sentence. */
int ctl_child_find(const char *program);
/* The same, of starting it. From here on it ends by the signals of a terminal, and what another
 * process sends us is handed on to it. */
int ctl_child_start(const char *const *argv, const struct command_file *files, unsigned n);
/* In its place: from here on a signal is noted, and ends what waits for a command. */
void ctl_child_none(void);
/* Was it started, and not waited for? */
bool ctl_child_runs(void);
/* Has it not ended yet, or has no signal come yet? */
bool ctl_child_goes_on(void);
/* Tells it to end. */
void ctl_child_end(void);
/* Waits. Its exit code as a shell has it, 0 where there is none. *seconds: grows by the time that
 * it took. */
int ctl_child_wait(double *seconds);

/* ---- fail.c */

/* Which command runs: wrong usage is told to ask for its --help. Borrowed, for ever. */
void ctl_fail_in(const char *name);
/* One sentence on stderr; returns code. */
int ctl_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The exit code of a negative errno: of permissions, of what may pass, or otherwise this one. */
int ctl_code(int r, int otherwise);

/* ---- out.c */

/* The processor, or NULL after a sentence. */
const struct cat_processor *ctl_processor(const struct ctl *c);
/* The one whose registers would count here: the processor, unless it is this machine's, and the
 * kernel's driver has its counters. NULL: none, without a sentence. */
const struct cat_processor *ctl_registers(const struct ctl *c);
/* A line on stderr that names the list of what the registers could count, where they do not. */
void ctl_note_registers(const struct ctl *c, const char *list_name);
/* What it is called, or this machine's; "other" if nothing is known of that. */
const char *ctl_processor_name(const struct ctl *c);
/* Its model as cpuinfo has it, "" where it has none; on Arm by its numbers. */
json_t *ctl_model_json(const struct machine *m);
/* Calls for each ready-made metric of this machine's kernel; for none with --processor. */
void ctl_each_predefined(const struct ctl *c,
			 void (*each)(void *p, const struct plan_predefined *r), void *p);
/* What of the ready-made groups and sets of this machine's PMUs counts here, by their names. */
json_t *ctl_group_parts(const struct ctl *c);
/* The metrics of a group that are absent here: a list. */
json_t *ctl_group_lacks(const json_t *parts, const char *name);
/* What a group or a set answers here; of one that lacks something, what is left of it. free() it;
 * NULL: there is no memory. */
char *ctl_group_help(const json_t *parts, const char *name, const char *help);
/* The mistakes on stderr; releases them. */
void ctl_print_diags(struct diags *d);
/* A member that is a text; NULL: it is not there, or null. */
const char *ctl_text(json_t *j, const char *key);
/* Appends a text to a list of texts, unless it is there. */
void ctl_add_once(json_t *list, const char *text);
/* Prints and releases. */
int ctl_json(json_t *j);
/* The names of the unit masks of a selection: a list. */
json_t *ctl_umasks(const struct cat_selection *c);
/* One register write of a plan as JSON; with_phase: plan, without: encode. */
json_t *ctl_write_json(const struct plan_program *p, const struct plan_write *w, bool with_phase);
/* The numbers of perf_event_attr, PMU and CPU. */
json_t *ctl_perf_json(const struct plan_perf *e);
/* Where a register is, and its name. */
json_t *ctl_reg_json(struct reg r, const char *name);
/* One register write of a plan as a line; width: of the name. */
void ctl_print_write(const struct plan_program *p, const struct plan_write *w, const char *indent,
		     int width);
/* What follows the number in "at most 255 per cycle (the box's maximum)". */
const char *ctl_bound(const struct cat_box *b, unsigned max_inc);
/* The default configuration, but of `group` alone, which is borrowed. NULL: there is no memory. */
struct conf *ctl_conf_of(struct conf_group *group);
/* The names of the socket's metrics, each once; round: of this one only, -1: of all. */
json_t *ctl_metric_names(const struct plan_socket *s, int round);
/* What a specification of the command line means on the machine of `on`: as spec_of_name(), and any
 * event needs no box where one alone has it. 0, or a negative errno and a sentence. */
int ctl_spec_meant(struct arena *a, const struct plan_input *on, const char *text,
		   struct spec *ret, struct err *err);
/* A plan of one group of one specification, of a box without a number its unit 0, of several units
 * the first, on the machine of `in`. NULL after messages. */
struct plan *ctl_plan_spec(const struct plan_input *in, const char *spec);
/* Reads the file of --config, or the default one. Its mistakes are added to d: then *ret is NULL or
 * a configuration with `faulty` set. 0, or -errno of a file that cannot be read, or not now, which
 * d says. */
int ctl_conf_read(const struct ctl *c, struct conf **ret, struct diags *d);
#define CTL_SPEC_MAX ((size_t)1 << 16)      /* memory to read one specification */
#define CTL_SERIES_MAX ((size_t)64 << 20)   /* memory to look for the event of a series */
/* box/EVENT or EVENT alone, unit masks and keys allowed: the event and its box. -ENOENT: there is
 * none; CTL_CONFIG after a sentence: it has no such unit or unit mask. */
int ctl_find_event(const struct cat_processor *p, const char *text, const struct cat_box **ret_box,
		   const struct cat_event **ret_event);

#endif
