/* SPDX-License-Identifier: MIT
 * A machine as a text: its CPUs, its kernel's PMUs, and what its counters can do.
 *
 * Owns:  the little language of these texts.
 *     cpuinfo GenuineIntel 6 85 4                  vendor, family, model, stepping;
 *                                                  "cpuinfo arm 0x41 0xd0c" on Arm
 *     model Intel(R) Xeon(R) Gold 6148             cpuinfo's model name
 *     flags hypervisor                             some of cpuinfo's flags; may come again
 *     cpu 0-3,8-11 socket 0 [die 1] [core 0-3] [node 1] [llc [0-11] [33792K]]
 *                                                  CPUs. core: their core ids in the order of the
 *                                                  CPUs ("0,4,1,5"), which begin again when they
 *                                                  are through; without, each is a core of its own.
 *                                                  llc: they share a last-level cache,
 *                                                  or these CPUs do, and how large it is
 *     offline 12-15                                CPUs that are there and not online
 *     release 5.15.0                               the kernel's
 *     like skx                                     everything of that installed machine, but for
 *                                                  what this text says itself of cpuinfo, CPUs,
 *                                                  release and curve
 *     msr                                          the registers of its CPUs can be written
 *     pci 0000:7f:08.2 0x0=0x0e808086 0x40=0x1     a PCI function, words of its configuration space
 *     pci 0000:17:00.0 root 0000:16 class 0x020000 driver ice net eth0 [vendor 0x8086] [node 0]
 *                                                  one behind a root bus, as its other files have
 *                                                  it; also infiniband, nvme, drm, accel, dsa
 *     PMU uncore_imc_{0-1,4} type=12 cpumask=0,4   instances take the next types; "cpumask=-": no
 *                                                  such file
 *       device ARMHD620:{} node 1                  the device that an instance counts for, and its
 *                                                  NUMA node; before other files of the PMU
 *       die 0 0000:16 0000:30 -                    the root buses of I/O stacks on this die, one
 *                                                  for each instance; "-": it has no such file
 *       format event=config:0-7 umask=config:8-15  files of format/, of all PMUs of the line above
 *       events e=event=1,umask=2 f=event=3         files of events/
 *       events/e.scale: 1.5                        one of them
 *       alias: uncore_type_6_{}                    any other file; {} in it is the number of the
 *                                                  instance, \xHH a byte
 *       counters 4 fixed 0x83-0x85:0x3 0x80/0x80:0xe
 *                                                  what the driver has: general counters, a fixed
 *                                                  one for event 0xff ("fixed=0x100000000": for
 *                                                  this config), and which events (of these
 *                                                  bits) go to which counters only
 *       counters 0 free                            event 0xff with a unit mask: each has a counter
 *                                                  of its own
 *       filters 0x35/0xff:0xff00                   the bits of config1 that count for these
 *                                                  events; none for others
 *       counts 0xcf05 memory_read*1/64             what an event counts: config (and config1,
 *                                                  config2 after commas), and words of quantities
 *                                                  as tests/vm/events.tsv has them
 *     curve 75 180.5 210                           memory: at 75 % reads and 180.5 GB/s a read
 *                                                  takes 210 ns; may come again
 *     curve like spr                               that machine's curve
 *     # a comment
 * Never: whether anything can be counted; expected values. Nothing in a text is run.
 * Pure, but for the function that finds a machine; any thread.
 *
 * A new machine: such a text in machines/, from the kernel's driver, and a row in
 * tests/plan/test_plan_platforms.c with its boxes and units from the processor's guide. `counters`
 * and `filters` say what everything that is ready has to fit. A driver drops a filter without a
 * word if the event is not one that it filters: on Skylake-SP filter_state holds for six codes of
 * LLC_LOOKUP alone.
 */
#ifndef TOPO_MACHINE_TEXT_H
#define TOPO_MACHINE_TEXT_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_TEXT_MAX   ((size_t)1 << 20)    /* bytes of a text */
#define MACHINE_MEMORY_MAX ((size_t)32 << 20)   /* bytes of what is read from it */
/* Bytes of its files, names and some for each file with them. A file that instances share counts
 * for each: so often it is read. Half of it is a machine with TOPO_CPUS_MAX CPUs. */
#define MACHINE_FILES_MAX  ((size_t)16 << 20)
#define MACHINE_COUNTERS_MAX 63                 /* general counters of a PMU */
#define MACHINE_NODES_MAX  1024                 /* NUMA nodes, from 0 on */

struct machine_rule {		/* of events from first to last, by the bits of config in mask */
	uint64_t first, last, mask, value;
};

struct machine_count {          /* what an event counts */
	uint64_t config, config1, config2;
	char *words;                /* "memory_read*1/64", or several with a blank between them */
};

/* What the PMUs of a line have: `counters`, `filters` and `counts` below it. */
struct machine_family {
	char *name;                 /* "uncore_imc" */
	bool known;                 /* `counters` or `filters` says something */
	unsigned counters;          /* general ones of each PMU */
	bool fixed, free, filtered;
	uint64_t fixed_event;       /* the config that the fixed counter counts */
	struct machine_rule *counter, *filter;
	unsigned n_counter, n_filter;
	struct machine_count *counts;
	unsigned n_counts;
};

/* Does the fixed counter count this config? */
static inline bool machine_is_fixed(const struct machine_family *f, uint64_t config)
{
	return f->fixed && config == f->fixed_event;
}

struct machine_pmu {
	char *name;                 /* "uncore_imc_3" */
	unsigned family;            /* its index */
};

struct machine_point {          /* of a memory curve */
	double read_percent, gbps, ns;
};

struct machine_file {           /* of sysfs, or of procfs */
	char *path;                 /* below the directory, never out of it */
	char *bytes;                /* of a link: where it leads to */
	size_t n;
	bool link;
};

struct machine_text {
	struct arena *arena;        /* owns it and all of it */
	char *name;                 /* as its reader was told, printable */
	struct machine_file *files; /* in this order; of two with one path the later one holds */
	unsigned n_files;
	struct machine_family *families;
	unsigned n_families;
	struct machine_pmu *pmus;
	unsigned n_pmus;
	struct machine_point *curve;        /* in the order of the text */
	unsigned n_curve;                   /* 0: it says nothing of its memory */
	char *curve_of;                     /* the machine whose curve this is; NULL: its own */
};

/*
 * A machine's text by the name that `like` gives: bytes of the arena, *ret_n of them; NULL with a
 * sentence: there is none. Called in a run of the arena.
 */
typedef const char *machine_find_fn(void *p, struct arena *a, const char *name, size_t *ret_n,
				    struct err *err);

/*
 * machine_text_read - a text of n bytes, of any kind.
 *
 * name  of the text in mistakes: "host17.txt"
 * d     gets every mistake: "host17.txt:3:7: what, why, what to do"
 * Returns 0, -EINVAL after mistakes, or -ENOMEM (with a mistake, too); *ret is untouched then.
 */
int machine_text_read(const char *name, const char *text, size_t n, machine_find_fn *find, void *p,
		      struct machine_text **ret, struct diags *d);
void machine_text_free(struct machine_text *m);
CLEANUP_POINTER(machine_text_free, struct machine_text);
/* What a PMU of this name has; NULL: the text has no such PMU. */
const struct machine_family *machine_family_of(const struct machine_text *m, const char *pmu);

#endif
