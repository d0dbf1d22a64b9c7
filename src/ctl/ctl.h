/* ctl.h - uncorectl: ask the catalog and the planner; writes no register.
 *
 * Owns:  commands, their text for people and JSON for programs.
 * Never: sampling.
 */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include "expo/json.h"
#include "machine/machine.h"
#include "plan/plan_build.h"


enum { CTL_USAGE = 64, CTL_UNAVAILABLE = 69, CTL_INTERNAL = 70, CTL_CONFIG = 78 };

struct ctl {
	const struct cat_processor *processor;  /* --processor, else this machine's; NULL:
	                                         * unknown */
	bool processor_given, json;
	const char *config;
	struct host_roots roots;                /* --path-..., never NULL */
	int counter;                            /* --counter, -1 */
	unsigned sockets;                       /* --sockets, 0: not given */
	char **args;
	int n_args;
};

int ctl_list(const struct ctl *c);
int ctl_describe(const struct ctl *c);
int ctl_encode(const struct ctl *c);
int ctl_plan(const struct ctl *c);
int ctl_decode(const struct ctl *c);
int ctl_doctor(const struct ctl *c);

/* ---- list_metrics.c */

int ctl_list_metrics(const struct ctl *c);
/* Is the argument a metric's name? Then it is described, and *ret is the exit code. */
bool ctl_describe_metric(const struct ctl *c, int *ret);

/* ---- list_groups.c */

int ctl_list_groups(const struct ctl *c);
/* The same of a ready-made group's name. */
bool ctl_describe_group(const struct ctl *c, int *ret);

/* ---- list_kernel.c: perf/PMU/TERMS/, always of this machine */

bool ctl_perf_names(const char *spec);
/* The kernel's and libpfm4's events, to `events` or, if that is NULL, to stdout; returns their
 * number. */
unsigned ctl_perf_list(const struct ctl *c, json_t *events);
int ctl_perf_describe(const struct ctl *c);
int ctl_perf_encode(const struct ctl *c);
/* The numbers of perf_event_attr, PMU and CPU. */
json_t *ctl_perf_json(const struct plan_perf *e);
/* A note on stderr about a PMU or event of the kernel that cannot be used, unless --processor asks
 * for another processor; text "": there is none. */
void ctl_note_unusable(const struct ctl *c, const struct err *why);

/* One sentence on stderr; returns code. */
int ctl_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The processor, or NULL after a sentence. */
const struct cat_processor *ctl_processor(const struct ctl *c);
/* The mistakes on stderr; releases them. */
void ctl_print_diags(struct diags *d);
/* Prints and releases. */
int ctl_json(json_t *j);
/* The names of the unit masks of a selection: a list. */
json_t *ctl_umasks(const struct cat_selection *c);
/* One register write of a plan as JSON; with_phase: plan, without: encode. */
json_t *ctl_write_json(const struct plan_program *p, const struct plan_write *w, bool with_phase);
/* Where a register is, and its name. */
json_t *ctl_reg_json(struct reg r, const char *name);
/* One register write of a plan as a line; width: of the name. */
void ctl_print_write(const struct plan_program *p, const struct plan_write *w, const char *indent,
		     int width);
/* What follows the number in "at most 255 per cycle (the box's maximum)". */
const char *ctl_bound(const struct cat_box *b, unsigned max_inc);
/* A plan of one group of one specification, of a box without a number its unit 0, on the machine of
 * `in`. NULL after messages. */
struct plan *ctl_plan_spec(const struct plan_input *in, const char *spec);
/* Reads the file of --config, or the default one. If it has mistakes, ctl_conf() prints them,
 * ctl_conf_read() adds them to d, and both return NULL or a configuration with `faulty` set. */
struct conf *ctl_conf(const struct ctl *c);
struct conf *ctl_conf_read(const struct ctl *c, struct diags *d);
#define CTL_SPEC_MAX ((size_t)1 << 16)      /* memory to read one specification */
/* box/EVENT or EVENT alone, unit masks and keys allowed: the event and its box. False after a
 * sentence. */
bool ctl_find_event(const struct cat_processor *p, const char *text, const struct cat_box **ret_box,
		    const struct cat_event **ret_event);

#endif
