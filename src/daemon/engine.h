/* engine.h - which engine counts, and the counting objects of each socket.
 *
 * Owns:  the choice registers / perf / model; what the machine is taken for.
 * Main thread.
 */
#ifndef DAEMON_ENGINE_H
#define DAEMON_ENGINE_H

#include "access/counting.h"
#include "catalog/catalog.h"
#include "conf/conf.h"
#include "daemon/options.h"
#include "model/model.h"
#include "plan/plan.h"
#include "topo/host.h"

struct machine_options {
	struct host_roots roots;
	const char *processor;                      /* --processor; NULL: CPUID decides */
	bool dev_given;                             /* roots.dev need not be of this machine */
};

/* The machine as seen at start, and what counts on it. Stays over reloads. */
struct machine {
	struct machine_options asked;
	enum conf_engine engine;                    /* never CONF_AUTO */
	bool automatic;                             /* nobody chose the engine */
	char why[256];                              /* one sentence for the log */
	const struct cat_processor *processor;      /* NULL: unknown family */
	struct topo *topo;
	struct topo *real;                          /* where perf events count, if not on topo: beside a model; or NULL */
	struct topo_pmus *pmus;                     /* NULL: none can be read */
	struct err odd;                             /* why not all PMUs and events can be used, or nothing */
	struct model *model;                        /* CONF_MODEL only */
	bool driver;                                /* the kernel's own driver had bound when we came ... */
	bool driver_came;                           /* ... or since then, as machine_look() saw last; CONF_REGISTERS only */
	char workload[32];
};

/* Reads the machine, as far as the configuration needs it (NULL: wholly), and settles the engine. -errno with a sentence: all
 * that *ret holds then is `odd`. The paths of `asked` are borrowed. */
int machine_open(const struct machine_options *asked, const struct conf *conf, const struct conf_engine_choice *engine,
		 struct machine *ret, struct err *err);
/* Reads the topology and the PMUs again: CPUs and drivers come and go. -errno with a sentence: all is as it was. */
int machine_refresh(struct machine *m, struct err *err);
/* What this processor is counted through and that may only not be loaded yet: a sentence, NULL: nothing is to come. conf: what
 * cannot be planned meanwhile, NULL: it is planned. */
const char *machine_awaits(const struct machine *m, const struct conf *conf);
/* Has the kernel's own driver bound since we came? To be asked once a second, and before registers go back. True: the first
 * time that it has. */
bool machine_look(struct machine *m);
void machine_close(struct machine *m);
const char *machine_engine_name(const struct machine *m);    /* "registers", "perf", "model" */

/* machine_open() with these options; what is odd goes to the log, as it does after machine_refresh(). -errno with a sentence:
 * exit_code_of() says how to end. */
int engine_machine(const struct options *o, const struct conf *conf, const struct conf_engine_choice *engine, struct machine *ret,
		   struct err *err);
void engine_tell_odd(const struct machine *m);

/* One socket's counting objects; NULL where the socket has no slots of that engine. */
struct engines {
	struct counting *regs, *perf;
	char *hidden;                               /* PCI functions that the socket lacks: text, NULL: none */
};
int engines_open(const struct machine *m, const struct conf *conf, const struct plan_socket *s,
		 struct counting *old_regs, struct engines *ret, struct err *err);
void engines_close(struct engines *e);

#endif
