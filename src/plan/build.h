/* build.h - what the files of plan/ share while a plan is being built.
 *
 * Owns:  the intermediate forms between a configuration and a plan; small text helpers.
 * Never: anything that another room may use.
 * Pure; main thread.
 *
 * Memory is of two arenas, and nothing is freed by itself: `keep`, the plan's own, has all that the plan points to; `work` ends
 * with plan_build(). All runs inside one arena_try(), so that an allocation never fails where it is made.
 */
#ifndef PLAN_BUILD_H
#define PLAN_BUILD_H

#include "base/arena.h"
#include "catalog/perf.h"
#include "plan/plan.h"

/* ---- text.c */

#define PLAN_TEXT sizeof(struct err)        /* of what goes into an error: more of it would be cut there */
/* "a", "a and b", "a, b and c", as far as there is room. Returns ret. */
char *plan_join(char *ret, size_t size, const char *const *names, unsigned n);
/* The same, whole. */
char *plan_list(struct arena *a, const char *const *names, unsigned n);
/* Of all names that are offered, the first of those that look most like the one that is wanted. */
struct nearest {
	const char *wanted;
	const char *name;           /* NULL: none was offered */
	unsigned distance;
};
void nearest_offer(struct nearest *n, const char *name);
/* "the nearest is 'threshold'", or if none is near "there are counter, edge and threshold". Returns ret. */
char *plan_nearest_text(char ret[PLAN_TEXT], const char *name, const char *const *names, unsigned n);
/* "counter 3", "counters 0 and 1", "counters 0 to 7". Returns ret. */
char *plan_counters_text(char ret[PLAN_TEXT], uint32_t counters);

/* ---- spec.c */

struct build_spec {                 /* a box specification, resolved */
	struct cat_choice choice;   /* unit 0 if every_unit */
	bool every_unit;
	bool any_port;              /* the box has ports and none was given */
	int pin, place;             /* pinned counter and place, -1: none */
};
enum spec_open { SPEC_PORT_OPEN = 1, SPEC_FILTERS_OPEN = 2 };    /* required keys that may be left out */
int spec_resolve(const struct cat_processor *p, const struct conf_spec *s, unsigned open, struct build_spec *ret,
		 struct err *err);
/* -EINVAL and why the box of s cannot be counted: p (NULL: the processor of machine t, whose registers nobody knows) has none. */
int spec_no_box(const struct cat_processor *p, const struct topo *t, const struct conf_spec *s, struct err *err);
/* The same event with the same unit masks and keys; the unit does not matter. */
bool spec_equal(const struct cat_choice *a, const struct cat_choice *b);
/* Is it what a metric's row means? The row leaves out the port and free keys where it holds for any. */
bool spec_means(const struct build_spec *row, const struct cat_choice *c);

/* ---- spec_keys.c */

/* The keys of a specification whose event and unit masks stand in *ret already. */
int spec_keys(const struct conf_spec *s, unsigned open, struct build_spec *ret, struct err *err);
/* The value of route key i: true and *ret, or false if it is the default (and says nothing). */
bool spec_key_value(const struct cat_choice *c, unsigned i, uint64_t *ret, const char **ret_word);

/* ---- perf_pmus.c */

struct build_pmu {                  /* one instance of a PMU with the event's encoding */
	const struct topo_pmu *pmu; /* NULL: the software PMU of a kernel that does not list it */
	const char *name;
	uint32_t type;
	int number;                 /* 3 of "uncore_imc_3"; place by address of "arm_dmc620_10008c000"; -1: none */
	uint64_t config[3];
};
struct build_perf {                 /* a perf specification, resolved */
	struct build_pmu *v;
	unsigned n;
	char *box, *event, *terms;
	char *rest;                 /* identity after the unit: "cas_count_read,config=0x304" */
	double scale;               /* sysfs .scale; 1 if there is a unit alone, 0 without one */
	bool scale_given;           /* by the kernel, in words */
	const char *unit;           /* sysfs .unit, borrowed from the PMUs, or NULL */
	const char *left_out;       /* why an instance of the PMU is not counted, borrowed; NULL: none */
};
#define PERF_NAME 136
/* Length of the name without what tells instances apart: 10 of "uncore_imc_3". */
size_t perf_pmu_family(const char *pmu);
/* Is the PMU one of the family of this name? */
bool perf_is_family(const char *name, const char *pmu);
/* The PMUs that `name` stands for, in the order of their numbers: that one, or every instance of a family; "uncore_" may
 * be left out. Fills v, n and left_out. */
int perf_find_pmus(struct arena *a, const struct topo_pmus *pmus, const char *name, struct build_perf *p, struct err *err);

/* ---- perf_terms.c */

struct perf_terms {                 /* what the terms of one PMU instance come to */
	uint64_t config[3];
	const struct topo_term *alias;      /* the event of events/ that was named, or NULL */
	const char *software;       /* the event of the software PMU, or NULL */
	char *name;                 /* of name=; NULL: none */
};
int perf_terms_resolve(struct arena *a, const struct build_pmu *pmu, const char *text, struct perf_terms *ret, struct err *err);
/* Bits of config (0), config1 or config2 that a format file names; 0 if it is not understood. */
uint64_t perf_format_mask(const struct topo_term *format, unsigned which);
/* A number of a .scale file: its product with any factor of a base unit, and with any count, is finite and not 0. */
#define PERF_SCALE_MIN 1e-30
#define PERF_SCALE_MAX 1e30
int perf_scale_parse(const char *text, double *ret);

/* ---- lower_pfm.c, or lower_pfm_disabled.c without libpfm4 */

struct pfm_event {                  /* "skx_unc_imc0::UNC_M_CAS_COUNT:RD" */
	char pmu[PERF_NAME];        /* the kernel's name, or of all its instances: "uncore_imc_0", "uncore_imc" */
	uint64_t config[3];
};
/* The instance number may be left out: "skx_unc_imc::UNC_M_CAS_COUNT:RD" is all of them. */
int pfm_resolve(const char *text, struct pfm_event *ret, struct err *err);

/* ---- lower_perf.c */

int perf_resolve(struct arena *a, const struct topo_pmus *pmus, const struct conf_spec *s, struct build_perf *ret, struct err *err);
/* What one count is in base units by .scale and .unit; 0: they are absent or say nothing. ret_unit may be NULL. */
double perf_base_scale(struct arena *a, const struct build_perf *p, const char **ret_unit);

/* ---- groups, resolved; rounds.c */

struct build_item {                 /* one event of a group, on one unit (registers) or where its PMUs serve (perf) */
	const struct conf_spec *spec;
	bool perf;
	struct build_spec s;        /* registers */
	char *identity;
	unsigned placed;            /* registers: index of its event among those of the round */
	struct build_perf p;
	struct plan_slot common;    /* perf: what its slots have in common, once there is one */
	unsigned n_slots;           /* perf: slots that it yielded, all sockets */
};
struct build_own {                  /* a default group, parsed */
	struct conf_group g;
	bool quiet;
};
struct build_group {
	const struct conf_group *conf;
	struct where where;
	const char *name, *kept;    /* kept: the plan's copy */
	bool quiet;                 /* see plan_group */
	bool whole;                 /* nothing is missing in items: all was read, and resolved */
	struct build_item *items;
	unsigned n_items;
	const struct conf_window *window;       /* NULL: none */
	unsigned window_item, clock_item;       /* of items: its event, the clock that tells its time */
};
struct build_placed {               /* a register event with its place in a round */
	struct build_spec s;
	const char *identity;       /* borrowed from the first item */
	uint32_t counters;          /* allowed, after pins; PLACED_FIXED: the fixed counter */
	unsigned place;
	int counter;
};
#define PLACED_FIXED 31
struct build_round {
	unsigned *groups;
	unsigned n_groups;
	struct build_placed *placed;
	unsigned n_placed;
	struct plan_slot *slots;    /* of each placed event, as every socket has it */
};
struct build {
	struct arena *work, *keep;
	const struct plan_input *in;
	struct diags *d;
	struct build_own *own;      /* default groups, of the processor or of PMUs; NULL: the configuration's */
	unsigned n_own;
	struct build_group *groups;
	unsigned n_groups;
	struct build_round *rounds;
	unsigned n_rounds;
	struct plan *plan;
	bool refused;               /* there were mistakes */
};
/* Resolves every group of the configuration, or the default ones; mistakes go to the diagnostics. groups.c */
void groups_build(struct build *b);

/* Finds the event and the clock of every group's window; mistakes go to the diagnostics. windows.c */
void windows_build(struct build *b);
/* Complains about windows that would have to end in the same round. */
void windows_check_rounds(struct build *b);
/* The window of a round whose slots are there, lowered. */
void window_lower(const struct cat_processor *cpu, const struct plan_round *r, struct plan_reground *round);
/* The value from which a counter overflows after so many counts. */
static inline uint64_t window_preload(unsigned width, uint64_t count)
{
	return (UINT64_C(0) - count) & bits_mask(width - 1, 0);
}

/* A default group and, into the last one, a specification. */
struct build_own *groups_own_add(struct build *b, const char *origin, const char *name);
void groups_own_spec(struct build *b, const char *text);
void groups_own_drop(struct build *b);              /* the last one */

/* ---- ready.c: default groups of the kernel's PMUs */

void ready_groups(struct build *b);
/* Notes what a ready-made table says of the events of a group. */
void ready_note_caveats(struct build *b, const struct build_group *g);
/* The next table, after t or the first, that holds for the machine on which perf events count; NULL: no more. */
const struct cat_perf *ready_table(const struct build *b, const struct cat_perf *t);

/* Puts every group into a round and every register event onto a counter; explains itself in the plan's notes. */
int rounds_build(struct build *b);
/* Why the perf events of a round with several groups do not fit onto their PMUs' counters; NULL: they do, as far as
 * the catalog's tables know. rounds_perf.c */
const char *rounds_perf_crowded(const struct build *b, const struct build_round *r);
void plan_note(struct build *b, char *text);        /* a text of keep */
void plan_note_once(struct build *b, char *text);   /* the same, unless it stands there already */

/* ---- labels.c */

char *labels_umask(const struct cat_choice *c);
char *labels_tail(const struct cat_choice *c, const char *umask);      /* umask: labels_umask() */
char *labels_help(struct arena *a, const char *what);
const char *labels_link(const struct cat_choice *c);
/* "Joules" -> "joules" and factor 1; NULL: nothing usable. */
const char *labels_base_unit(struct arena *a, const char *unit, double *ret_factor);

/* ---- lowering */

void lower_regs(const struct build *b, const struct cat_processor *p, struct plan_socket *s);
/* Adds the slots of a perf event of group `n` on a socket. */
void lower_perf(struct build *b, const struct topo_socket *t, struct build_item *item, unsigned n, struct plan_socket *s);
/* CPUs of the socket that count for a PMU with a cpumask. */
unsigned perf_cpus_serving(const struct topo_socket *t, const struct topo_pmu *pmu);
/* Which events of a finished round the kernel is to count together. */
void lower_perf_together(const struct plan_socket *s, unsigned round);
/* The machine that perf events count on, and its socket of that id, or NULL. */
const struct topo *perf_topo(const struct build *b);
const struct topo_socket *perf_socket(const struct build *b, unsigned id);
void plan_group_add(struct build *b, struct plan_group *g, unsigned slot);
/* The most that a slot counts; max_inc, max_hz 0: nobody knows. */
void plan_bound(struct plan_slot *s, unsigned max_inc, uint64_t max_hz);

/* ---- metrics.c */

struct build_metrics;
/* Resolves every row once; mistakes of the configuration's rows go to the diagnostics. */
struct build_metrics *metrics_new(struct build *b);
/* Can the inputs of a ready-made row be counted here? 0, or -errno and why not. */
int metrics_check_row(const struct build *b, const struct cat_metric *c, struct err *err);
/* Binds the rows to the groups of a finished socket. */
void metrics_bind(const struct build *b, struct build_metrics *m, struct plan_socket *s);
/* Complains about rows of the configuration that no group of any socket serves. */
void metrics_check_used(const struct build *b, const struct build_metrics *m);

/* ---- watch.c */

/* Decides for metric `metric` of s, just bound, whether its samples are looked at. conf: its row of the configuration, or
 * NULL. */
void watch_add(const struct build *b, struct plan_socket *s, unsigned metric, const struct conf_metric *conf);
/* The same for the counters of every group of s. */
void watch_counters(const struct build *b, struct plan_socket *s);
/* The samples of a counter X_bytes_total are a rate, which a metric X_bytes_per_second may be too: complains about the first two
 * metrics whose samples would have one name. */
bool watch_check_names(const struct build *b, const struct plan_socket *s);

/* ---- perf_facts.c */

/* Is the event a clock, and how fast can it count? spec: as it was written; event: as resolved on one instance. */
void perf_facts(const struct build *b, const char *spec, const struct build_pmu *event, struct plan_slot *s);
/* The clock that each perf slot of the round runs under, where one is counted. */
void perf_find_clocks(const struct build *b, struct plan_round *r, const struct plan_perfround *perf);

#endif
