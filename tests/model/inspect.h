/* SPDX-License-Identifier: MIT
 * What a test may know and do to the register model that no program on the machine can:
 * the ground truth of its counters, its rates, virtual time, access through one CPU or without
 * rules, faults, broken rules.
 */
#ifndef MODEL_INSPECT_H
#define MODEL_INSPECT_H

#include "model/model.h"

/* Ground truth: the events that the counter with the data register `ctr` has counted since the
 * model began. The number neither wraps nor is reset. 0 if there is no such counter. */
uint64_t model_truth(struct model *m, unsigned socket, struct reg ctr);
/* The mean count per second of the event that is programmed now, over all phases. */
double model_rate(struct model *m, unsigned socket, struct reg ctr);

/* True if the counter counts now: all its enables are set and the clock runs. */
bool model_counting(struct model *m, unsigned socket, struct reg ctr);
/* Writes up to n data registers of a socket to v. Returns how many there are. */
size_t model_counters(struct model *m, struct reg *v, size_t n);

/* A function of PCI configuration space. */
struct model_function {
	uint8_t bus, dev, fn;
	uint16_t id;                /* device ID; the vendor ID is 8086 */
};

/* Writes up to n PCI functions of a socket to v, without those that MODEL_HIDDEN hides. Returns how
 * many there are. */
size_t model_functions(struct model *m, unsigned socket, struct model_function *v, size_t n);

/* Write and read a register without the access rules. */
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
/* Returns how often software broke a rule: it wrote a reserved bit or a read-only register, read a
 * write-only register, or wrote S-Box match or mask while they were enabled. `last`: NULL, or n
 * bytes for the text of the last violation. */
unsigned model_violations(struct model *m, char *last, size_t n);

/* The name of the i-th workload; NULL: there are only i. */
const char *model_workload(unsigned i);

/* Moves virtual time. Has no effect in real time. */
void model_advance(struct model *m, nsec by);
nsec model_now(struct model *m);

/* Access through one CPU. -ENXIO if that CPU is offline. */
int model_cpu_read(struct model *m, unsigned cpu, struct reg r, uint64_t *ret);
int model_cpu_write(struct model *m, unsigned cpu, struct reg r, uint64_t value);
void model_cpu_online(struct model *m, unsigned cpu, bool on);
bool model_cpu_is_online(struct model *m, unsigned cpu);

#endif
