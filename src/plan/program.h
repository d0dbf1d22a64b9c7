/* SPDX-License-Identifier: MIT
 * Lowered work for the counting engines: plain addresses, values and masks, no names to
 * interpret.
 *
 * Owns:  the shape of what lower/ hands to access/.
 * Never: events, boxes, processors: what is here is executed, not understood.
 * Immutable once built; any thread.
 */
#ifndef PLAN_PROGRAM_H
#define PLAN_PROGRAM_H

#include "base/reg.h"

#include <stdbool.h>

enum plan_phase {
	PHASE_STOP, PHASE_SELECT, PHASE_PRELOAD, PHASE_ENABLE_COUNTER, PHASE_ENABLE_BOX,
	PHASE_ENABLE_GLOBAL,
};
const char *plan_phase_name(enum plan_phase p);    /* "stop" ... */

/* What a register is. Where rounds use one for two purposes, the later kind holds. The state file
 * has these numbers. */
enum reg_kind {
	REG_FILTER,                 /* sub-control, filter */
	REG_CONTROL,                /* a counter's control */
	REG_BOX, REG_GLOBAL,        /* one enable bit a counter; the enable of the socket */
	REG_WRITE_ENABLE,           /* switch of filters: its bits are 0 while these are written */
	REG_COUNT,                  /* data register that overflow windows preload */
	REG_ACKNOWLEDGE,            /* clears overflows when written (mask): never read, never
	                             * compared */
	REG_OTHERS,                 /* no list writes it (mask 0): shows what others count */
	REG_HIDDEN,                 /* not in the file: cannot be read here, and is never accessed
	                             * again */
};

#define PLAN_NONE UINT16_MAX
/* A row of the program's table: a register that some list writes, or that enables a counter. */
struct plan_reg {
	struct reg reg;
	uint8_t kind;               /* enum reg_kind */
	uint16_t counter;           /* whose control or count it is: index into counters;
	                             * PLAN_NONE */
	uint16_t write_enable;      /* REG_FILTER: row of the switch that must be off while it is
	                             * written; PLAN_NONE: none, or it is not known which */
	uint64_t mask;              /* bits that the rounds write: ours */
	uint64_t check;             /* those of them that read back as written */
	uint64_t resume;            /* REG_GLOBAL: what an overflow may have cleared, or lets go
	                             * after it; 0: no overflow windows */
	const char *name;           /* the manual's, for transcripts and messages; NULL: no list
	                             * writes it */
};

/* One write: new = (old & ~mask) | value | (what was found & found). */
struct plan_write {
	uint16_t reg;               /* row of the program's table */
	uint8_t phase;              /* enum plan_phase; lists other than the start have PHASE_STOP
	                             * where something is switched off */
	uint64_t mask;              /* ~0: whole register */
	uint64_t value;             /* within mask */
	uint64_t found;             /* bits of mask that get what was found in them before
	                             * uncored */
};
/* In the order in which they are made. */
struct plan_list {
	struct plan_write *v;
	unsigned n;
};

/* Any counter of the socket, ours or not: enabled = all enable bits set and box_freeze clear. */
struct plan_counter {
	uint16_t ctl, box, global;  /* rows of the program's table; PLAN_NONE: it needs none */
	uint64_t ctl_enable;
	uint64_t box_enable;        /* this counter's bit; 0: it is part of global_enable, or there
	                             * is none */
	uint64_t global_enable;     /* 0: no such bit, or it does not read back */
	uint64_t box_freeze;        /* bits of box that stop all its counters while set; 0: none */
	char name[24];              /* "bbox0 counter 3" */
	struct reg data;
};

/* A mismatch in these bits of a write of the start makes the slot invalid. */
struct plan_dep {
	uint16_t write;             /* index into start */
	uint64_t bits;
};
#define PLAN_DEPS 16
/* What the register engine needs of one slot. */
struct plan_reg_slot {
	struct reg data;
	uint16_t clear;             /* index into the round's clear; PLAN_NONE: there is no overflow
	                             * bit, or it ends a window and is needed until the restart */
	uint64_t ovf_clear;         /* its bit of that write */
	uint16_t counter;           /* index into counters[] */
	uint8_t n_dep;
	struct plan_dep dep[PLAN_DEPS];
};

/* Bits of one register, with its name in the manual. */
struct plan_bits {
	struct reg reg;
	uint64_t bits;
	char name[64];
};

/* An overflow window: the overflow of one counter stops all of them. */
#define PLAN_CHAIN 3
struct plan_overflow {
	unsigned slot;              /* of the round's register slots: whose counter it is */
	struct plan_bits status[PLAN_CHAIN];    /* all set: it overflowed; from the socket's status
	                                         * down to the counter */
	unsigned n_status;          /* 0: the round has no overflow windows */
	struct plan_list acknowledge;   /* before the start: clears overflow bits that are still
	                                 * set, from the counter's box up */
	struct plan_list freeze;    /* once a window has ended: one write, where the hardware has
	                             * not stopped all counters itself */
	struct plan_list between;   /* the next window begins: acknowledge, then preload, then
	                             * resume */
	unsigned preload, resume;   /* indexes into between */
	struct plan_list leave;     /* after the stop: acknowledge, then the shared control as it
	                             * was found, but with counting enabled */
	unsigned go_on;             /* index into leave: the write of the shared control */
	unsigned shared;            /* index into start: the last write of the shared control, that
	                             * freeze, resume and go_on write, too */
};

static inline const struct plan_write *plan_preload(const struct plan_overflow *o)
{
	return &o->between.v[o->preload];
}

/* The writes of plan_reg_round.freeze, where there are any. */
enum { FREEZE_STOP, FREEZE_RESUME };

struct plan_reg_round {
	struct plan_list start;     /* a shared register once per phase */
	struct plan_list freeze;    /* around each read: stop, resume; or empty */
	struct plan_list stop;      /* local enables off, then those of the boxes */
	struct plan_bits *clear;    /* at a check: the bits of those counters that wrapped; nothing
	                             * else of the register is written */
	unsigned n_clear;
	struct plan_reg_slot *slots;        /* in the order of plan_round's slots with engine
	                                     * registers */
	unsigned n_slots;
	struct plan_overflow overflow;
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
	struct plan_reg_round *rounds;
	unsigned n_rounds;
	struct plan_reg *regs;      /* in the order of their first writes, then those that enable
	                             * the other counters */
	unsigned n_regs;
	struct plan_counter *counters;   /* every counter of the socket */
	unsigned n_counters;
	struct plan_list restore;   /* at the end: every register that some list has written, as it
	                             * was found */
	bool freezes;               /* all counters of the socket are stopped at each read */
	bool overflows;             /* some round has overflow windows */
	struct pci_anchor anchor;               /* how the socket's PCI buses are found */
	struct plan_device *devices;            /* that have PCI registers of the counters */
	unsigned n_devices;
};

/*
 * plan_restore_list - how the registers of a table go back: what counts is off and write enables
 * are open before a filter is written; enables come last.
 *
 * list  room for 2 * n writes. Returns their number.
 */
unsigned plan_restore_list(const struct plan_reg *regs, unsigned n,
			   const struct plan_counter *counters, struct plan_write *list);

/* One perf event. */
struct plan_perf {
	uint32_t type;
	uint64_t config, config1, config2;
	int cpu;                    /* where to open it: from the cpumask */
	bool alone;                 /* never in a perf group with others */
	bool may_lack;              /* of ready-made groups alone: left out where it cannot be
				     * counted */
	unsigned perf_group;        /* the events of a round with the same type, cpu and number are
	                             * counted together, and read at once; it is the place of the
	                             * first of them */
	int mask;                   /* index into masks, cpu is a serving_cpu there; -1: the PMU
	                             * counts on any CPU */
	const char *pmu, *text;     /* for messages */
	const char *where;          /* likewise, the place of the configuration that names it,
	                             * "uncored.conf:12"; NULL: none does */
};

/* A cpumask file of sysfs: where a PMU counts now. */
struct plan_cpumask {
	char *path;
	unsigned *serving_cpu;      /* for each of the program's cpus: the one that served its part
	                             * of the socket when the plan was made, so that events of that
	                             * one may go there; ~0: none */
};

struct plan_perf_round {
	struct plan_perf *events;   /* same order as plan_round's slots with engine perf */
	unsigned n_events;
};

struct plan_perf_program {
	bool is_default;            /* the configuration names no groups */
	unsigned socket;
	unsigned *cpus;             /* of the socket, in trying order */
	unsigned n_cpus;
	struct plan_cpumask *masks;
	unsigned n_masks;
	struct plan_perf_round *rounds;
	unsigned n_rounds;
};

#endif
