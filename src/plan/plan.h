/* plan.h - conf x catalog x topo: slots, rounds, labels, safe intervals; lowering.
 *
 * Owns:  the join of what is wanted, what exists and what fits; all names and label texts.
 * Never: fds, clocks, HTTP.
 * Pure; main thread; allocates. A plan is immutable once built.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/arena.h"
#include "catalog/catalog.h"
#include "conf/conf.h"
#include "plan/program.h"
#include "topo/topo.h"

enum plan_engine { PLAN_REGISTERS, PLAN_PERF };

/* One event on one counter of one unit of one socket, in one round. */
struct plan_slot {
	/* What every tick looks at stands first, in one cache line or two. */
	uint8_t engine;             /* enum plan_engine */
	uint8_t width;              /* 64: perf, no bound */
	bool always_runs;
	unsigned engine_slot;       /* index among the round's slots of that engine: position in raw[] */
	unsigned max_inc;
	int clock;                  /* slot (same round) of the clock it runs under, -1: none counted */
	bool far_clock;             /* that is another PMU's or instance's, and the clock's own `clock` is the next such one */
	double max_rate;            /* counts per second, most: max_inc x highest clock x 1.25; 0: no bound */
	nsec safe_interval;         /* 2^width / max_rate; 0: no bound */
	struct cat_erratum erratum;

	const struct cat_box *box;  /* NULL: perf */
	struct cat_choice choice;   /* registers only */
	unsigned place;
	int counter;                /* -1: the fixed counter, or perf */
	unsigned unit;
	/* Texts are the catalog's or the plan's; slots of one event share them. */
	const char *identity;       /* "bbox0/IMT_INSERTS_ALL", canonical, with unit */
	const char *box_name;       /* label `box` */
	const char *event_name;     /* label `event`: upper case, as in the manual */
	const char *family;         /* "uncore_bbox_imt_inserts_all_total" */
	const char *help;           /* of the family */
	const char *tail;           /* more labels, each with a comma before: ",umask=\"ALL\",port=\"0\"" or "" */
	const char *umask;          /* names joined by ':' or "" */
	const char *link;           /* or NULL */
	int port;                   /* or -1 */
	uint32_t pmu_type;          /* perf: of the PMU instance */
	double scale;               /* perf .scale with .unit: 0 none */
	const char *scaled_family, *scaled_help;
};

/* A group on a socket. */
struct plan_group {
	const char *name;
	unsigned round;
	unsigned *slots;            /* indexes into the round's slots, in the order written */
	unsigned n_slots;
	nsec resolution;            /* one sample each; the interval is a multiple of it */
	bool quiet;                 /* its events are no series of their own, only inputs of metrics */
};

struct plan_addend {
	int slot;                   /* index in the round; -1: the word `seconds`; -2: constant (in weight) */
	double weight;
};

/* A metric row bound to the slots of one group on one socket (and one unit or port). */
struct plan_metric {
	const char *name;           /* "imt_latency_seconds"; this and all texts are the plan's, and shared */
	const char *family;         /* "uncore_imt_latency_seconds" */
	const char *help;
	const char *labels;         /* after socket: ",unit=\"0\",port=\"1\",link=\"qpi0\"" or "" */
	const char *unit_label;     /* "0" or "" : label unit of uncored_metric_invalid */
	unsigned group;             /* index into plan_socket.groups */
	bool counter;               /* no denominator: an exact integer total */
	bool sum;                   /* over the units of a socket: one that the hardware does not have is left out */
	double scale;
	struct plan_addend *num, *den, *guard_num, *guard_den;
	unsigned n_num, n_den, n_guard_num, n_guard_den;
	double guard_max;
	int cycles_of;              /* slot or -1 */
	bool complement, clamp;
};

/* The shape of a distribution: classic buckets with chosen bounds, and native ones beside them (sample/layout.h). */
#define PLAN_BOUNDS CONF_BOUNDS
struct plan_histogram {
	unsigned n_bounds;          /* above the last one there is one bucket more */
	double bounds[PLAN_BOUNDS]; /* rising; a bound belongs to the bucket below it */
	double zero;                /* native: values in -zero .. zero are in the bucket of zero */
	uint8_t negative;           /* 1: values below 0 are possible */
};

/* A metric, or the rate of a counter, whose every sample is looked at, not only what a whole window comes to. */
struct plan_watch {
	int metric;                 /* index into plan_socket.metrics, of a counter row the rate, per second; -1: it is `rate` */
	struct plan_metric rate;    /* counts of one slot, in its base unit if it has one, per second */
	bool distribution;          /* false: its peak alone */
	struct plan_histogram histogram;
	const char *peak_family, *peak_help;
	const char *family, *help;  /* of the distribution */
	const char *key;            /* family, labels and group of what it looks at */
};

/* A group whose counters stand still when one of them has counted so often: its derived values are of such windows. */
struct plan_window {
	unsigned group;             /* index into plan_socket.groups */
	unsigned slot, clock;       /* indexes of the round's slots: whose counts end it, what tells its time */
	uint64_t count;             /* 0: the round has no window */
};

struct plan_round {
	nsec tick;                  /* how often it is read: the finest resolution of its groups */
	struct plan_slot *slots;
	unsigned n_slots, n_reg, n_perf;
	unsigned *groups;           /* indexes into plan_socket.groups */
	unsigned n_groups;
	struct plan_window window;
};

struct plan_lacking {               /* a metric row that lacks exactly one event */
	const char *group, *metric, *event;
};

struct plan_socket {
	unsigned id;                /* physical package id */
	unsigned *cpus;             /* reader CPUs in trying order */
	unsigned n_cpus;
	struct plan_round *rounds;
	unsigned n_rounds;
	struct plan_group *groups;
	unsigned n_groups;
	struct plan_metric *metrics;
	unsigned n_metrics;
	struct plan_watch *watches;
	unsigned n_watches;
	struct plan_lacking *lacking;
	unsigned n_lacking;
	struct plan_program program;          /* n_rounds equals the socket's; empty rounds allowed; the arrays are the first socket's */
	struct plan_perfprogram perf;
	bool has_reg, has_perf;
};

static inline const struct plan_metric *plan_watched(const struct plan_socket *s, const struct plan_watch *w)
{
	return w->metric < 0 ? &w->rate : &s->metrics[w->metric];
}

/*
 * plan_watch_same - do two watches, of a socket's plan and of the one before a reload, look at the same thing?
 *
 * True: the same series by the same formula, so that samples of one may stand beside those of the other.
 */
bool plan_watch_same(const struct plan_socket *s, const struct plan_watch *a, const struct plan_socket *t,
		     const struct plan_watch *b);

struct plan {
	struct arena *arena;        /* owns the plan, and all that it points to but for the catalog */
	const struct cat_processor *processor;   /* NULL: perf only, unknown family */
	nsec interval, rotation, peak_window;
	struct plan_socket *sockets;
	unsigned n_sockets;
	char **notes;               /* why groups were put into rounds, warnings: whole sentences */
	unsigned n_notes;
	unsigned n_series;          /* series that the plan yields, all sockets */
};

/* What registers say once, read before a plan is built. One that is not listed, or is 0, says nothing. */
struct plan_constants {
	struct plan_constant {
		const struct cat_constant *c;
		unsigned socket, unit;           /* physical package id; index in its box */
		double value;                    /* a second */
	} *v;
	unsigned n;
};

struct plan_input {
	const struct conf *conf;
	const struct cat_processor *processor;   /* NULL: only perf specs are possible */
	const struct topo *topo;
	const struct topo_pmus *pmus;            /* NULL: none */
	bool perf_engine;           /* engine = perf: box specs are an error */
	bool filters_open;          /* encode: filter values that an event needs may still be missing */
	const struct topo *perf_topo;   /* where perf events count: the machine beside a register model; NULL: topo */
	const struct plan_constants *constants; /* NULL: nobody can tell, and each counts as 1 */
};

/*
 * plan_build - the whole plan, or every reason why not.
 *
 * Returns 0 and *ret (release with plan_free), or -EINVAL with d filled and *ret untouched; always the
 * latter for a faulty conf. -ENOMEM: there is no memory, and some mistakes may not have been found. The plan copies what it keeps: conf, topo and pmus may be freed.
 */
int plan_build(const struct plan_input *in, struct plan **ret, struct diags *d);
void plan_free(struct plan *p);

/* ---- what a processor alone says of every program: to put registers back by a file, without a plan */

/* A program without rounds: counters, devices, enables. 0, or -ENOMEM; release with plan_program_done() in both cases. */
int plan_program_begin(const struct cat_processor *p, struct plan_program *ret);
void plan_program_done(struct plan_program *p);
/* The bits of a register that some plan for this processor could own; 0: none, uncored never writes to it. */
uint64_t plan_owned(const struct cat_processor *p, struct reg r);

/*
 * plan_spec_resolve - one box specification against the catalog.
 *
 * unit      of the choice: the spec's, or 0
 * ret_pin   counter=N or -1; ret_place: pinned place or -1
 * Returns 0 or -EINVAL with a whole sentence.
 */
int plan_spec_resolve(const struct cat_processor *p, const struct conf_spec *s, struct cat_choice *ret,
		      int *ret_pin, int *ret_place, struct err *err);
/* "cbox3/LLC_HITS:M:E,threshold=2", canonical: unit masks in catalog order, defaults dropped. free() it. */
char *plan_choice_text(const struct cat_choice *c, bool with_unit);

/* The box name of a PMU: "uncore_imc_3" -> "imc", 3. *ret_number -1: it has none; -2: an address tells instances apart. */
void perf_pmu_box(const char *pmu, char *box, size_t n, int *ret_number);

/* plan_kernel_events - the events that these PMUs name and that can be counted, one row for all instances of a PMU. */
struct plan_kernel_event {
	const char *spec, *pmu;     /* "perf/uncore_imc/cas_count_read/", "uncore_imc" */
	unsigned instances;
	const struct topo_term *term;
};
void plan_kernel_events(const struct topo_pmus *pmus, void (*each)(void *p, const struct plan_kernel_event *e), void *p);

/* plan_pfm_events - the events that libpfm4 knows of these PMUs, a specification and a sentence each; none in a build
 * without libpfm4. */
void plan_pfm_events(const struct topo_pmus *pmus, void (*each)(void *p, const char *spec, const char *help), void *p);

/* The exported family of an event, "uncore_bbox_imt_full_total"; a new string, NULL: out of memory. plan/labels.c */
char *labels_family(const char *box, const char *event);

/* ---- assignment (plan/assign.c): complete search, no box knowledge; exposed for its test */

struct assign_want { uint32_t reg; uint64_t mask, value; };   /* reg: any number that names a register */
struct assign_option {              /* one place of one event */
	uint32_t counters;          /* bit per counter */
	const struct assign_want *wants;
	unsigned n_wants;
};
struct assign_event {
	const struct assign_option *options;
	unsigned n_options;
};
struct assign_result { uint8_t option, counter; };
/*
 * assign - choose an option and a counter for each event: counters distinct, no bit of a register wanted
 * with two values. If any assignment exists it is found; lower options and counters are preferred.
 * Returns true and ret[n], or false.
 */
bool assign(const struct assign_event *events, unsigned n, struct assign_result *ret);

#endif
