/* model.h - the hardware, at register level: register files of N sockets that count.
 *
 * Owns:  register contents, the enable hierarchy, reset, freeze, overflow chain, wrap, access
 *        rules, scripted faults, event rates of named workloads, the ground truth of every counter.
 * Never: the catalog, the planner: it decodes raw control bits by its own tables, so that an
 *        encoding bug cannot cancel itself out. Includes base only.
 * Thread-safe: one lock per model (samplers of several sockets, tests and the FUSE server use one).
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/err.h"
#include "base/nsec.h"
#include "base/reg.h"

struct model;

struct model_options {
	const char *processor;      /* "nehalem-ex" */
	const char *workload;       /* one of model_workloads(); NULL: "stream" */
	unsigned n_sockets, cores;  /* CPUs are dealt out socket by socket: cpu = socket * cores +
				     * core */
	bool real_time;             /* time = CLOCK_MONOTONIC; else only model_advance() moves it */
	uint64_t seed;
};

int model_new(const struct model_options *o, struct model **ret, struct err *err);
void model_free(struct model *m);
/* NULL-terminated lists. */
const char *const *model_processors(void);
/* idle, stream, remote; bursty: bursts of 25 ms and storms of conflicts; day: phases of seconds to
 * minutes, repeated every 10 minutes; rotation: full load in even seconds, an eighth of it in odd
 * ones. */
const char *const *model_workloads(void);

/* What an rdmsr/wrmsr (or config access) on a CPU of `socket` does. 0, or -EIO for #GP, -ENXIO with
 * the CPU offline. A write with a reserved bit set is carried out and recorded as a violation. */
int model_read(struct model *m, unsigned socket, struct reg r, uint64_t *ret);
int model_write(struct model *m, unsigned socket, struct reg r, uint64_t value);

/* Virtual time; no effect on a model in real time. */
void model_advance(struct model *m, nsec by);
nsec model_now(struct model *m);

/* Ground truth: what the counter whose data register is `ctr` has counted since the model began, as
 * an exact 64-bit number that neither wraps nor is reset; only while enabled. */
uint64_t model_truth(struct model *m, unsigned socket, struct reg ctr);
/* mean counts per second now programmed */
double model_rate(struct model *m, unsigned socket, struct reg ctr);

/* Does it count now (every enable above it set, clock running)? */
bool model_counting(struct model *m, unsigned socket, struct reg ctr);
/* The data registers that a socket has: fills up to n of v, returns how many there are. */
size_t model_counters(struct model *m, struct reg *v, size_t n);

/* The PCI functions of a socket, those of MODEL_HIDDEN left out: fills up to n of v, returns how
 * many there are. */
struct model_function {
	uint8_t bus, dev, fn;
	uint16_t id;                /* of the device; the vendor is 8086 */
};
size_t model_functions(struct model *m, unsigned socket, struct model_function *v, size_t n);

/* Preload and inspection without the access rules. */
void model_poke(struct model *m, unsigned socket, struct reg r, uint64_t value);
uint64_t model_peek(struct model *m, unsigned socket, struct reg r);

enum model_fault {
	MODEL_EIO,                  /* reads and writes of `reg` fail with EIO; off = 0: of every
				     * register */
	MODEL_STOP_CLOCK,           /* nothing counts on the socket */
	MODEL_OFFLINE,              /* every CPU of the socket: -ENXIO */
	MODEL_WRITE_EPERM,          /* every write fails (lockdown) */
	MODEL_STUCK,                /* writes to `reg` are ignored; off = 0: to every register */
	MODEL_ERRATUM,		/* W-Box fixed and general counters show the low-24-bit erratum */
	MODEL_HIDDEN,		/* the PCI function of `reg` does not exist: hidden by the BIOS */
};
void model_fault(struct model *m, unsigned socket, enum model_fault f, struct reg reg, bool on);
/* Per-CPU access, for msrfs: -ENXIO if that CPU is offline. */
int model_cpu_read(struct model *m, unsigned cpu, struct reg r, uint64_t *ret);
int model_cpu_write(struct model *m, unsigned cpu, struct reg r, uint64_t value);
void model_cpu_online(struct model *m, unsigned cpu, bool on);
bool model_cpu_is_online(struct model *m, unsigned cpu);

/* How often software did what it must not: reserved bits written, read-only registers written,
 * write-only ones read, S-Box match or mask written while enabled. `last` takes the text of the
 * last. */
unsigned model_violations(struct model *m, char *last, size_t n);

#endif
