/* SPDX-License-Identifier: MIT
 * The machine as the command line names it, and the counting objects of each socket.
 *
 * Owns:  what of a machine is put together for counting.
 * Main thread.
 */
#ifndef DAEMON_ENGINE_H
#define DAEMON_ENGINE_H

#include "access/counting.h"
#include "conf/conf.h"
#include "daemon/options.h"
#include "machine/machine.h"
#include "planner/plan_build.h"

/* Does it name events of the kernel's PMUs, or metrics, which may be made of such? NULL: it may. */
bool engine_names_perf(const struct conf *c);
/* What the command line says, else the configuration. */
const struct conf_engine_choice *engine_chosen(const struct options *o, const struct conf *conf);
/* machine_open() with these options. -errno with a sentence: exit_code_of() says how to end. */
int engine_machine(const struct options *o, const struct conf *conf,
		   const struct conf_engine_choice *engine, bool plan_only,
		   struct machine *ret, struct err *err);
/* The same with the engine that is chosen; a wrong name in the file's `engine` gets its line. */
int engine_open(const struct options *o, const struct conf *conf, bool plan_only,
		struct machine *ret, struct err *err);
/* Logs what is odd about the kernel's PMUs, after engine_machine() or machine_refresh(). */
void engine_log_unusable(const struct machine *m);

/* What counting on it takes, for privileges_reduce(), whatever a reload configures. */
unsigned engine_caps(const struct machine *m);

/* One socket's counting objects; NULL where the socket has no slots of that engine. */
struct engines {
	struct counting *regs, *perf;
	char *hidden;                               /* PCI functions that the socket lacks: text,
	                                             * NULL: none */
};
/* leave: see counting_regs_options. */
int engines_open(const struct machine *m, const struct conf *conf, const struct plan_socket *s,
		 struct counting *old_regs, bool leave, struct engines *ret, struct err *err);
void engines_close(struct engines *e);

#endif
