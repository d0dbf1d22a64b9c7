/* machine.h - what this machine is: processor, topology, the kernel's PMUs, and which engine counts
 * on it.
 *
 * Owns:  the one answer that daemon and uncorectl give.
 * Never: which events are configured; what counts them.
 * Main thread; logs nothing.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "catalog/catalog.h"
#include "conf/conf.h"
#include "topo/host.h"

struct model;

struct machine_options {
	struct host_roots roots;
	const char *processor;                      /* --processor; NULL: CPUID decides */
	bool dev_given;                             /* roots.dev need not be of this machine */
	bool perf;                                  /* events of the kernel's PMUs may be counted
	                                             * beside a model */
	bool plan_only;                             /* nothing will count: `processor` may be
	                                             * elsewhere, a model is a processor */
	unsigned sockets;                           /* plan_only: so many instead of the machine's
	                                             * own; 0: its own */
};

/* The machine as seen at start, and what counts on it. Stays over reloads. */
struct machine {
	struct machine_options asked;
	enum conf_engine engine;                    /* never CONF_AUTO */
	bool automatic;                             /* nobody chose the engine */
	struct err why;                             /* one sentence for the log */
	const struct cat_processor *processor;      /* NULL: unknown family */
	struct topo *topo;
	struct topo *real;                          /* where perf events count, if topo is made up;
	                                             * or NULL */
	struct topo_pmus *pmus;                     /* NULL: none can be read */
	struct err odd;                             /* why not all PMUs and events can be used, or
	                                             * nothing */
	int device_r;                               /* 0: registers can be written; else see
	                                             * `device`. Of machine_choose() */
	struct err device;
	struct model *model;                        /* CONF_MODEL only */
	bool driver;                                /* the kernel's own driver had bound when we
	                                             * came ... */
	bool driver_came;                           /* ... or since then, as machine_look() saw
	                                             * last; CONF_REGISTERS only */
	char workload[32];
};

/* So many sockets of a processor, NULL: of an unknown one. NULL: out of memory. */
struct topo *machine_made_up(const struct cat_processor *p, unsigned sockets);
/* Reads the machine and settles the engine. -errno with a sentence: all that *ret holds then is
 * `odd`. The paths of `asked` are borrowed. */
int machine_open(const struct machine_options *asked, const struct conf_engine_choice *engine,
		 struct machine *ret, struct err *err);
/* By CPUID; NULL: none whose registers uncored knows. */
const struct cat_processor *machine_processor(const struct host_roots *roots);
/* The parts of it that hold for every engine, in this order, `asked` being filled: topology, PMUs
 * and the processor by CPUID (-errno with a sentence: `topo` is NULL), and what `auto` means:
 * engine, why, device. */
int machine_read(struct machine *m, struct err *err);
void machine_choose(struct machine *m);
/* Reads the topology and the PMUs again: CPUs and drivers come and go. -errno with a sentence: all
 * is as it was. */
int machine_refresh(struct machine *m, struct err *err);
/* What keeps from counting where nothing else counts: -EAGAIN, a module that may only not be loaded
 * yet; or, where nobody chose an engine, why the registers of this processor cannot be written
 * (-EACCES, -EPERM: not by this user or kernel). With a sentence. 0: nothing. perf: events of the
 * kernel's PMUs are wanted. */
int machine_obstacle(const struct machine *m, bool perf, struct err *err);
/* Has the kernel's own driver bound since we came? To be asked once a second, and before registers
 * go back. True: the first time that it has. */
bool machine_look(struct machine *m);
void machine_close(struct machine *m);
const char *machine_engine_name(const struct machine *m);    /* "registers", "perf", "model" */

#endif
