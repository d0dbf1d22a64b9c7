/* SPDX-License-Identifier: MIT
 * What this machine is: processor, topology, the kernel's PMUs, and which engine counts
 * on it.
 *
 * Owns:  the one answer that daemon and uncorectl give.
 * Never: which events are configured; what counts them.
 * Main thread; logs nothing.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "catalog/catalog.h"
#include "planner/plan_build.h"
#include "topo/host.h"

#include <time.h>

struct model;
struct perf_sys;
struct simulated;

struct machine_options {
	struct host_roots roots;
	const char *processor;                      /* --processor; NULL: CPUID decides */
	const char *machine;                        /* --machine: engine model is of this one;
	                                             * NULL: the engine may name one */
	bool dev_given;                             /* roots.dev need not be of this machine */
	bool perf;                                  /* events of the kernel's PMUs may be counted
	                                             * beside a model */
	bool plan_only;                             /* nothing will count: `processor` need not be
	                                             * this machine's, and of a model engine only
	                                             * the processor matters */
	unsigned sockets;                           /* plan_only: how many; 0: as many as the
	                                             * machine has */
};

/* The machine as seen at start, and what counts on it. Stays over reloads. */
struct machine {
	struct machine_options asked;
	enum conf_engine engine;                    /* never CONF_AUTO */
	enum conf_engine by_itself;                 /* what `auto` means. Of machine_choose() */
	bool automatic;                             /* nobody chose the engine */
	struct err why;                             /* one sentence for the log */
	const struct cat_processor *processor;      /* NULL: unknown family */
	struct topo *topo;
	struct topo *real;                          /* where perf events count, if topo is made up;
	                                             * or NULL */
	bool elsewhere;                             /* topo is of another machine than this */
	struct topo_pmus *pmus;                     /* NULL: none can be read */
	struct topo_devices *devices;               /* behind their I/O stacks; NULL: none */
	struct err pmus_err;                        /* why not all PMUs and events can be used;
	                                             * "": all can */
	int device_error;                           /* 0: registers can be written; else -errno,
	                                             * and `device` says why. Of
	                                             * machine_choose() */
	struct err device;
	/* CONF_MODEL only, one of them: of a processor whose registers uncored knows, or of a
	 * machine that is a text */
	struct model *model;
	struct simulated *simulated;
	char name[64];                              /* of that machine, as the engine names it;
	                                             * "": it does not */
	const struct perf_sys *kernel;              /* that counts perf events; NULL: this
	                                             * machine's */
	bool driver;                                /* the kernel's own driver had bound when
	                                             * uncored started ... */
	bool late_driver;                           /* ... or since then, as machine_check_driver()
	                                             * last saw; CONF_REGISTERS only */
	char workload[32];
};

/* The topology of a machine with so many sockets of a processor (NULL: of an unknown one). Returns
 * NULL if there is no memory. */
struct topo *machine_model_topo(const struct cat_processor *p, unsigned sockets);
/* Reads the machine and chooses the engine. The paths of `asked` are borrowed. Returns 0, or -errno
 * with a sentence: *ret holds nothing but `pmus_err` then. */
int machine_open(const struct machine_options *asked, const struct conf_engine_choice *engine,
		 struct machine *ret, struct err *err);
/* By CPUID; *ret NULL: none whose registers uncored knows. 0, or -errno with a sentence if the
 * machine could not be read. */
int machine_processor(const struct host_roots *roots, const struct cat_processor **ret,
		      struct err *err);
/* The two steps of machine_open() for a real machine; `asked` is filled. The first reads topology,
 * PMUs and the processor by CPUID: -errno with a sentence leaves `topo` NULL. The second chooses
 * the engine, for a configuration that wants this one; device, and `why` of what `auto` means. */
int machine_read(struct machine *m, struct err *err);
void machine_choose(struct machine *m, enum conf_engine wanted);
/* Reads the topology and the PMUs again: CPUs and drivers come and go. -errno with a sentence: all
 * is as it was. */
int machine_refresh(struct machine *m, struct err *err);
/*
 * machine_obstacle - why a machine on which there is nothing to count cannot count.
 *
 * perf  events of the kernel's PMUs are wanted
 * Returns 0 if nothing is in the way, or with a sentence: -EAGAIN for a module that is not loaded,
 * perhaps not yet; -errno where nobody chose an engine and the registers of this processor cannot
 * be written (-EACCES, -EPERM: not by this user or kernel).
 */
int machine_obstacle(const struct machine *m, bool perf, struct err *err);

/* What its processor is called. Borrowed; never NULL. */
struct machine_cpu {
	const char *name;                           /* the label `processor`: "spr"; "other" if
	                                             * nothing is known */
	const char *model;                          /* as cpuinfo has it; "": none, or a model or
	                                             * --processor says that it is another one */
	const char *title;                          /* "Sapphire Rapids"; "": nothing is known */
};

/* Its texts are borrowed from m, or live for ever. */
struct machine_cpu machine_cpu(const struct machine *m);
/* Its model as cpuinfo has it, "" where it has none; on Arm by its numbers. Returns ret. */
#define MACHINE_MODEL (TOPO_MODEL_NAME + 64)
const char *machine_model_text(const struct machine *m, char ret[MACHINE_MODEL]);
#define MACHINE_TEXT (TOPO_MODEL_NAME + 128)
/* "Intel(R) Xeon(R) Platinum 8480+ (spr), 2 sockets". Returns ret. */
const char *machine_text(const struct machine *m, char ret[MACHINE_TEXT]);
/* plan_build() for this machine. Constants are read from its registers, if that is possible, and
 * its curve from the state directory, which must not be of a later time than `now`, in seconds
 * since 1970; 0: neither is read, and constants are taken as 1. */
int machine_plan(const struct machine *m, const struct conf *conf, time_t now, struct plan **ret,
		 struct diags *d);
/* Looks whether the kernel's own driver has bound since uncored started. Call it once a second, and
 * before registers are restored. Returns true the first time that it has. */
bool machine_check_driver(struct machine *m);
/* A number that changes when a PMU or the registers' device appears. May be asked each second. */
unsigned machine_fingerprint(const struct machine *m);
void machine_close(struct machine *m);
/* What it counts, and the ready-made groups, are the kernel's: engine perf, or a model of it. */
static inline bool machine_counts_perf(const struct machine *m)
{
	return m->engine == CONF_PERF || m->simulated;
}

const char *machine_engine_name(const struct machine *m);    /* "registers", "perf", "model" */

#endif
