/* program.h - lowered work for the counting engines: plain addresses, values and masks, no names to interpret.
 *
 * Owns:  the shape of what lower/ hands to access/.
 * Never: events, boxes, processors: what is here is executed, not understood.
 * Immutable once built; any thread.
 */
#ifndef LOWER_PROGRAM_H
#define LOWER_PROGRAM_H

#include "base/reg.h"

#include <stdbool.h>

enum plan_phase {
	PHASE_STOP, PHASE_SELECT, PHASE_PRELOAD, PHASE_ENABLE_COUNTER, PHASE_ENABLE_BOX, PHASE_ENABLE_GLOBAL,
};
const char *plan_phase_name(enum plan_phase p);    /* "stop" ... */

struct plan_write {
	struct reg reg;
	uint64_t value, mask;       /* new = (old & ~mask) | value; mask ~0: whole register, no read before */
	uint64_t check;             /* bits compared by the check: mask without pulse and write-only bits */
	uint64_t enable;            /* enable_counter: the local enable bit, part of value */
	uint8_t phase;
	char name[64];              /* manual's register name, for transcripts and messages */
};

/* Any counter of the socket, ours or not: enabled = all enable bits set and box_freeze clear. */
struct plan_counter {
	struct reg ctl, box, global;
	uint64_t ctl_enable;
	uint64_t box_enable;        /* this counter's bit; 0: it is part of global_enable, or there is none */
	uint64_t global_enable;     /* 0: no such bit, or it does not read back */
	char name[24];              /* "bbox0 counter 3" */
	uint64_t box_freeze;        /* bits of box that stop all its counters while set; 0: none */
	struct reg data;
};

#define PLAN_DEPS 16
/* What the register engine needs of one slot. */
struct plan_regslot {
	struct reg data;
	uint64_t ovf_clear;         /* bit to write to ovf_ctl to clear our overflow; 0: none */
	struct reg ovf_ctl;
	uint16_t counter;           /* index into counters[] */
	uint16_t dep[PLAN_DEPS];    /* indexes into the round's writes: a mismatch there makes the slot invalid */
	uint8_t n_dep;
	uint64_t bits[PLAN_DEPS];   /* of each: which bits of that write are the slot's; 0: all, or of shared enables its counter's */
};

/* Stopping all counters of ours at once: now -> (now & ~mask) | stop, and back: | go. */
struct plan_freeze {
	struct reg reg;
	uint64_t mask, stop, go;    /* mask 0: not possible */
	uint64_t seen;              /* bits of mask that read back: where they differ from go, nothing counts */
};

/* Bits of one register, with its name in the manual. */
struct plan_bits {
	struct reg reg;
	uint64_t bits;
	char name[64];
};

/* An exact window: the overflow of one counter stops all of them. */
#define PLAN_CHAIN 3
struct plan_regwindow {
	unsigned slot;              /* of the round's register slots: whose counter it is */
	uint64_t preload;           /* its value when a window begins */
	struct plan_bits seen[PLAN_CHAIN];      /* all set: it overflowed; from the socket's status down to the counter */
	unsigned n_seen;                        /* 0: the round has no window */
	struct plan_bits clear[2];  /* written as 1 before the next window, from the counter's box up */
	unsigned n_clear;
};

struct plan_reground {
	struct plan_write *writes;  /* in the order in which they are made; a shared register once per phase */
	unsigned n_writes;
	struct plan_regslot *slots; /* same order as plan_round's slots with engine registers */
	unsigned n_slots;
	struct plan_freeze freeze;
	struct plan_regwindow window;
};

/* A function with PCI registers, by the device and function number that struct reg uses. */
struct plan_device {
	uint8_t dev, fn;
	uint16_t id;                /* what it must be (vendor 8086); 0: anything */
};

/* One socket, register engine. */
struct plan_program {
	struct arena *arena;        /* owns what it points to; NULL: the plan does */
	unsigned socket;            /* physical package id, for messages */
	struct plan_reground *rounds;
	unsigned n_rounds;
	struct plan_counter *counters;   /* every counter of the socket */
	unsigned n_counters;
	uint64_t global_enable, global_reset;   /* of the socket-wide control, 0: there is none */
	uint64_t global_window;                 /* bits of it that a round with a window writes besides */
	bool windows;                           /* some round has one */
	struct pci_anchor anchor;               /* how the socket's PCI buses are found */
	struct plan_device *devices;            /* that have PCI registers of the counters */
	unsigned n_devices;
};

/* One perf event. */
struct plan_perf {
	uint32_t type;
	uint64_t config, config1, config2;
	int cpu;                    /* where to open it: from the cpumask */
	unsigned together;          /* the events of a round with the same type, cpu and number are counted together, and
	                             * read at once; it is the place of the first of them */
	int mask;                   /* index into masks, cpu is a home there; -1: the PMU counts on any CPU */
	char pmu[64];               /* for messages */
	char text[160];
};

/* A cpumask file of sysfs: where a PMU counts now. */
struct plan_mask {
	char *path;
	unsigned *home;             /* for each of the program's cpus: the one that served its part of the socket when the
	                             * plan was made, so that events of that one may go there; ~0: none */
};

struct plan_perfround {
	struct plan_perf *events;   /* same order as plan_round's slots with engine perf */
	unsigned n_events;
};

struct plan_perfprogram {
	unsigned socket;
	unsigned *cpus;             /* of the socket, in trying order */
	unsigned n_cpus;
	struct plan_mask *masks;
	unsigned n_masks;
	bool made_up;               /* default groups: what cannot be counted here is left out */
	struct plan_perfround *rounds;
	unsigned n_rounds;
};

#endif
