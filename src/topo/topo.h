/* SPDX-License-Identifier: MIT
 * Which CPUs, sockets and perf PMUs exist; the reader CPU of each socket.
 *
 * Owns:  reading sysfs and procfs below injectable roots.
 * Never: events, configuration, registers.
 * Main thread (start, reload, once a second); allocates.
 */
#ifndef TOPO_TOPO_H
#define TOPO_TOPO_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/reg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOPO_MODEL_NAME 96      /* CPUID has 48 bytes */
#define TOPO_CPUS_MAX 8192      /* CPU numbers at or above are refused */
#define TOPO_PMUS_MAX 1024      /* a machine with more has none that can be read */
#define TOPO_TERMS_MAX 4096     /* files in one format/ or events/; a PMU with more is left out */

struct topo_cpu {
	unsigned cpu, socket;       /* socket: its id */
	unsigned core, thread;      /* thread: rank among the CPUs of its core, with offline ones */
	bool online;
	unsigned die;               /* die of the package; 0 if the kernel does not say */
	/* A CPU that shares its last-level cache, the same for all of these; 0 likewise, and then
	 * has_llc is false. */
	unsigned llc;
	bool has_llc;
	int node;                   /* NUMA node; -1: the kernel does not say */
};

struct topo_socket {
	unsigned id;                /* physical package id: the label `socket` */
	struct topo_cpu *cpus;      /* its part of the topology's CPUs, in the order in which
	                             * readers are tried: all threads 0 by core, then all threads
	                             * 1 ... */
	unsigned n_cpus;
	/* the dies, and the last-level caches, that they say they have: 1 and 0 if the kernel says
	 * nothing */
	unsigned n_dies, n_caches;
	unsigned n_nodes;           /* NUMA nodes that have CPUs of it; 0: a kernel without nodes */
};

struct topo {
	unsigned family, model, stepping;   /* of CPUID, from procfs cpuinfo; 0 if unknown */
	char vendor[16];
	unsigned implementer, part;         /* of an Arm core's MIDR, likewise; 0: no Arm core */
	char model_name[TOPO_MODEL_NAME];   /* as cpuinfo has it, in UTF-8 that is seen, of other
	                                     * bytes a '?'; "": it has none, as on Arm */
	bool nvdimm;                        /* Linux lists a module of non-volatile memory */
	bool hypervisor;                    /* a virtual machine, says cpuinfo */
	char release[65];                   /* the kernel's, from procfs; "": unknown */
	struct topo_socket *sockets;        /* ascending id */
	unsigned n_sockets;
	struct topo_cpu *cpus;              /* of all sockets, one socket after the other */
	unsigned n_cpus;
	/* the CPU of each number below n_numbers; NULL: there is none */
	const struct topo_cpu **by_number;
	unsigned n_numbers;
	unsigned n_memory_nodes;    /* NUMA nodes that have no CPU online */
	unsigned n_unseen;          /* CPUs that are there, and offline since before anybody looked:
	                             * they may be of one more socket */
};

/* By what tables tell processors apart: family and model of CPUID; an Arm core has no CPUID, and
 * implementer and part take their places. 0 if unknown. */
static inline unsigned topo_family(const struct topo *t)
{
	return t->implementer ? t->implementer : t->family;
}

static inline unsigned topo_part(const struct topo *t)
{
	return t->implementer ? t->part : t->model;
}

/*
 * topo_read - the machine below `sysfs` (devices/system/cpu) and `procfs` (cpuinfo,
 * sys/kernel/osrelease).
 *
 * old  an earlier reading, or NULL. A CPU that it knows keeps its socket and core: an offline CPU
 *      has no files to read them from
 *
 * A package id of -1 is taken as socket 0.
 * Returns 0, or -errno with a sentence that names the file.
 */
int topo_read(const char *sysfs, const char *procfs, const struct topo *old, struct topo **ret,
	      struct err *err);
void topo_free(struct topo *t);
CLEANUP_POINTER(topo_free, struct topo);
#define TOPO_CPUID 64
/* What the processor says it is: "GenuineIntel family 6 model 46", "Arm core, implementer 0x41 part
 * 0xd0c"; "no CPUID" where neither is known. Returns ret. */
const char *topo_cpuid(const struct topo *t, char ret[TOPO_CPUID]);
/* The socket of this id; NULL: there is none. */
const struct topo_socket *topo_socket(const struct topo *t, unsigned id);
/* The CPU of this number, if it is one of the socket's; else NULL. */
const struct topo_cpu *topo_cpu_of(const struct topo *t, const struct topo_socket *s, unsigned cpu);

/* The CPU to read the socket's registers from: the first one that is online, or -1. */
int topo_reader_cpu(const struct topo_socket *s);
/* A machine that does not exist: n_sockets with so many cores each; CPU numbers ascend socket by
 * socket. Returns NULL without memory, without cores, or above TOPO_CPUS_MAX CPUs. */
struct topo *topo_model(unsigned family, unsigned model, unsigned n_sockets, unsigned cores);

/*
 * topo_die_cpus - the first CPU of each die of the machine, as the kernel counts the dies in the
 * names of files: by APIC id, and before Linux 6.9 in the order in which their first CPUs were
 * brought up.
 *
 * ret  has room for topo_dies()
 * Returns how many; 0: both orders are not known to be the same.
 */
unsigned topo_die_cpus(const struct topo *t, const struct topo_cpu **ret);
/* How many dies CPUs are known of. */
unsigned topo_dies(const struct topo *t);

/* ---- memory and caches: devices/system/cpu, meminfo */

#define TOPO_NODES_MAX 64               /* nodes at or above are not seen */

struct topo_memory {
	unsigned long nodes;            /* a bit each; 0: a kernel without nodes, or none */
	bool none;                      /* its CPUs' nodes have no memory */
	size_t unused;                  /* bytes that are free: in these nodes, or everywhere */
	size_t caches;                  /* bytes of all caches of level 3; 64 MiB if none is
	                                 * listed */
};

/* topo_memory - of the CPUs that are online. What cannot be read is not there. */
struct topo_memory topo_memory(const char *sysfs, const char *procfs, const struct topo_socket *s);

/* ---- PCI: bus/pci/devices */

struct topo_function {              /* a PCI function of the anchor's vendor */
	uint16_t segment, id;       /* id: of the device */
	uint8_t bus, dev, fn;
	int socket;                 /* physical package id, -1: not known */
	bool on_uncore_bus;         /* on the same bus as the socket's anchor */
};

struct topo_pci {
	unsigned n;
	struct topo_function v[];   /* by segment, bus, device, function */
};

/*
 * topo_pci_read - which PCI functions belong to which socket, by the configuration space of the
 * anchors.
 *
 * A bus without an anchor belongs to the socket of the next higher bus that has one, or to none if
 * that anchor does not say its socket. Functions that cannot be read are left out.
 *
 * Returns 0; err holds a sentence if no anchor was found or one was of no use, else it is emptied.
 * Or -errno with a sentence if no function can be assigned; -EACCES: the privilege to read the
 * anchors is missing.
 */
int topo_pci_read(const char *sysfs, const struct pci_anchor *anchor, struct topo_pci **ret,
		  struct err *err);
void topo_pci_free(struct topo_pci *p);
CLEANUP_POINTER(topo_pci_free, struct topo_pci);
/* The function with this PCI id, at dev:fn or, if it is not there, elsewhere on the socket. With id
 * 0: any function at dev:fn of the uncore bus. NULL: there is none (the firmware hides it, or this
 * part lacks it). */
const struct topo_function *topo_pci_find(const struct topo_pci *p, unsigned socket, uint8_t dev,
					  uint8_t fn, uint16_t id);
/* Its configuration space, for reading and writing beyond the first 64 bytes; the caller closes it.
 * -errno with a sentence: -EACCES the privilege is missing, -ENOENT it has gone. */
int topo_pci_open(const char *sysfs, const struct topo_function *f, struct err *err);

/*
 * topo_pci_bridge_words - reads the 32-bit word at `off` of every host bridge at dev:fn of a bus
 * other than 0, in the order of names.
 *
 * each  called with the word and r 0, or with r -EACCES: only the first 64 bytes can be read
 *
 * If bus/pci/devices cannot be read, `each` is not called.
 */
void topo_pci_bridge_words(const char *sysfs, uint8_t dev, uint8_t fn, uint16_t off,
			   void (*each)(void *p, const char *name, int r, uint32_t word), void *p);

/* ---- perf PMUs: bus/event_source/devices */

struct topo_term {                  /* one file of format/ or events/ */
	/* "event" -> "config:0-7"; "cas_count_read" -> "event=0x04,umask=0x03" */
	char *name, *text;
	char *scale, *unit;         /* events only: .scale and .unit, NULL if absent */
	bool snapshot;              /* events only: .snapshot says that reads give a level, not a
	                             * count */
	char *bad;                  /* why it cannot be used, a sentence that names the file; NULL:
	                             * it can */
};

/* What a PMU of I/O stacks counts on a die: the stack behind this root bus. */
struct topo_stack {
	unsigned die;               /* of the machine, in the kernel's order: see
				     * topo_die_cpus() */
	unsigned root;              /* segment << 8 | bus */
};

struct topo_pmu {
	char *name;                 /* "uncore_imc_3", "msr" */
	char *dir;                  /* its directory in sysfs */
	char *shown;                /* what sentences call that; NULL as dir is, where nobody read
				     * files */
	uint32_t type;
	unsigned *cpumask;          /* NULL: no cpumask file; an empty one names no CPU */
	unsigned n_cpumask;
	/* counts on whatever CPU it is opened: a core's PMU, software; the others without a cpumask
	 * count for a device, whichever CPU they are opened on */
	bool of_cpus;
	/* the device that it counts for is near this CPU: the first of the NUMA node that the
	 * kernel gives for it */
	bool has_home;
	unsigned home;
	int node;                   /* that NUMA node; -1: the kernel gives none */
	unsigned *near_cpus;        /* of its file associated_cpus; NULL: there is none */
	unsigned n_near_cpus;
	struct topo_stack *stacks;  /* of a PMU of I/O stacks, by die; none where the kernel does
				     * not say */
	unsigned n_stacks;
	struct topo_term *format, *events;      /* one array each for PMUs that have the same */
	unsigned n_format, n_events;
};

struct topo_pmu_bad {
	char *name, *why;           /* why: a sentence that names the file */
};

struct topo_pmus {
	struct arena *arena;        /* owns it and all of it */
	struct topo_pmu *v;
	unsigned n;
	struct topo_pmu_bad *bad;   /* those left out, in the same order */
	unsigned n_bad;
};

/*
 * topo_pmus_read - every PMU of bus/event_source/devices, by name in byte order.
 *
 * A PMU that cannot be read goes into bad[]. A bad file of format/ or events/ costs its own term
 * only, which gets a sentence in `bad`. Both are no failure: err holds the first of these sentences
 * then, and is emptied if there is none. A tree without that directory has no PMUs.
 * Returns 0, or -errno with a sentence if no PMU can be read, or there is no descriptor to read one
 * (-EMFILE, -ENFILE); *ret is untouched then.
 */
int topo_pmus_read(const char *sysfs, struct topo_pmus **ret, struct err *err);
void topo_pmus_free(struct topo_pmus *p);
CLEANUP_POINTER(topo_pmus_free, struct topo_pmus);
/* How many PMUs have names that begin with `prefix`. Reads names only: may be asked each second. */
unsigned topo_pmu_count(const char *sysfs, const char *prefix);
const struct topo_pmu *topo_pmu_find(const struct topo_pmus *p, const char *name);

/* Those whose names begin with these n letters follow each other: from the first to before the end.
 * Where there is none, both are the same. p NULL: no PMUs. */
const struct topo_pmu *topo_pmu_first(const struct topo_pmus *p, const char *prefix, size_t n);
const struct topo_pmu *topo_pmu_end(const struct topo_pmus *p, const char *prefix, size_t n);
/* Each of them: `const struct topo_pmu *pmu`. */
#define TOPO_EACH_PMU(pmu, pmus, prefix, length) \
	(const struct topo_pmu *pmu = topo_pmu_first(pmus, prefix, length), \
	 *pmu##_end = topo_pmu_end(pmus, prefix, length); pmu < pmu##_end; pmu++)

#endif
