/* SPDX-License-Identifier: MIT
 * One configuration in use: its plan, engines, samplers and shared memory.
 *
 * Owns:  the order in which these are made and freed. A reload makes a second generation beside the
 *        first.
 * Main thread.
 */
#ifndef DAEMON_GENERATION_H
#define DAEMON_GENERATION_H

#include "base/cleanup.h"
#include "daemon/engine.h"
#include "expo/expo.h"
#include "expo/verified.h"
#include "process/shared.h"
#include "sample/sampler.h"

/* What counts on a socket. */
struct generation_socket {
	struct engines engines;
	struct sampler_options options;
	struct sampler *sampler;
	struct sampler_thread *thread;
};

struct generation {
	struct conf *conf;
	struct plan *plan;
	struct generation_socket *sockets;  /* as the plan's; NULL: not open */
	bool hangs;                         /* a thread did not end */
	bool owes;                          /* registers could not be restored, and no engine of the
	                                     * next generation knows them: its own still does */
	unsigned said_restored, said_of;    /* registers, as last logged since it counted */
	struct shared *shared;
	bool pins_logged;
	const char *no_counters_reason;     /* why nothing can be counted, borrowed; or NULL */
	bool empty;                         /* nothing of it is there to be counted: empty_why */
	struct err empty_why;
	nsec began;                         /* CLOCK_REALTIME when its counters stood at 0 */
	uint64_t seed;                      /* of the order of turns */
	bool has_verified;                  /* verify left something of this machine */
	struct verified verified;
};

/* The file's bytes, to be freed; NULL: there is none, and none was asked for. 0 or -errno,
 * logged. */
int generation_read(const struct options *o, char **ret, size_t *ret_len);
/* Parses them; text NULL: the built-in groups. Every mistake is logged. 0 or -errno. On failure
 * *ret is NULL or a faulty configuration, in which generation_plan() may find more mistakes. */
int generation_conf(const struct options *o, const char *text, size_t len, struct conf **ret);
/* The two steps of it: what libconfig reads in the text, which is to be freed; and what that says
 * (NULL: the built-in groups). known: its mistakes were logged already. */
int generation_conf_tree(const struct options *o, const char *text, size_t len,
			 struct conf_tree **ret, size_t *ret_size);
int generation_conf_read(const struct options *o, const struct conf_tree *tree, size_t size,
			 bool known, struct conf **ret);
/* Makes the plan and the generation, which takes conf on success. Every mistake goes to d. */
int generation_try_plan(struct conf *conf, const struct options *o, const struct machine *m,
			struct generation **ret, struct diags *d);
/* Logs the mistakes that it found, which are forgotten then, and what the plan has to say. g: NULL
 * if it returned an error r. */
void generation_log(const struct generation *g, struct diags *d, int r);
/* Both. */
int generation_plan(struct conf *conf, const struct options *o, const struct machine *m,
		    struct generation **ret);
/* For a start: looks whether counters that cannot stand still do, where there are no others. That
 * takes a second. */
void generation_look(struct generation *g, const struct machine *m);
/* Is there nothing of it to count? Then with a sentence. */
bool generation_empty(const struct generation *g, struct err *err);
/* -ENODEV with a sentence: there are too many sockets to serve. */
int generation_check_sockets(const struct generation *g, struct err *err);
/* Before the first file is opened: may so many be, beside those that are? -EMFILE with a sentence;
 * -errno: none can be opened any more. */
int generation_check_files(const struct generation *g, const struct machine *m, struct err *err);
/* The same before a reload of what counts, for reading and checking the configuration. */
int generation_check_reload(const struct generation *g, struct err *err);
/* Opens the engines: reads registers and writes none. old: the generation that counts now, NULL at
 * start. */
int generation_open(struct generation *g, const struct machine *m,
		    const struct generation *old, struct err *err);
/* Is it open? Else it stands for sockets of which nothing is counted: no function below starts or
 * restores anything of it. */
bool generation_counts(const struct generation *g);
/* Does it count through registers, on any socket? */
bool generation_has_registers(const struct generation *g);
/* The register engine of the socket with this id; NULL: it has none, there is no such socket, or g
 * is NULL. */
struct counting *generation_regs(const struct generation *g, unsigned id);
/*
 * The memory that the http process reads: rings, and the description of their values. A start makes
 * the rings, starts the samplers, and makes the description while they begin. A swap makes both.
 */
int generation_new_rings(struct generation *g, struct err *err);
/* offsets: NULL at start. */
int generation_describe(struct generation *g, const struct machine *m,
			const struct expo_offsets *offsets, struct err *err);
/* Makes the sampler of socket number i, without a thread. before: as for generation_launch(). */
int generation_sampler(struct generation *g, unsigned i, const struct generation *before,
		       struct err *err);
/* Makes samplers and starts their threads, which program their sockets in parallel. Distributions
 * continue from `before`, which was stopped and may be g itself; NULL at start. A failure stops
 * what was started. */
int generation_launch(struct generation *g, const struct generation *before, bool pin,
		      struct err *err);
/* Returns 0 once every socket has its first sample. A failure stops what was started.
 * heed_signals: -EINTR if SIGTERM or SIGINT, which are blocked, is pending before that. */
int generation_wait(struct generation *g, bool heed_signals, struct err *err);
/* generation_launch(), then generation_wait(). */
int generation_start(struct generation *g, const struct generation *before, bool pin,
		     struct err *err);
/* One line, once, if a sampler cannot be bound to its CPU. */
void generation_log_pins(struct generation *g);
/* Takes the last samples and ends counting. Registers keep their values until generation_restore().
 * patience: ns, 0: as long as it takes. A sampler that hangs in a read for longer is left behind;
 * then its registers are not restored, and generation_free() frees nothing. */
void generation_stop(struct generation *g, nsec patience);
#define GENERATION_PATIENCE (3 * NSEC_PER_SEC)
/*
 * A pause, of a generation that counts: generation_give_back() stops counting, restores the
 * registers and closes the engines. generation_reopen() opens them again; counters that others have
 * enabled meanwhile are left to them: generation_left() says of how many that is still true.
 * generation_restart() goes on counting, with totals as they stood. Where that fails and a register
 * cannot be put back either, the engines stay open, for what was found in it is known to them:
 * generation_settle() tries it again, and closes them. Reopening settles first.
 *
 * -errno with a sentence; after generation_give_back() it counts on then, unless *ret_ended: then
 * nothing counts any more.
 */
int generation_give_back(struct generation *g, const struct machine *m, bool pin, bool *ret_ended,
			 struct err *err);
int generation_settle(struct generation *g, struct err *err);
int generation_reopen(struct generation *g, const struct machine *m, struct err *err);
int generation_restart(struct generation *g, const struct machine *m, bool pin, struct err *err);
unsigned generation_left(const struct generation *g);
/* Restores the registers. next: the generation that counts after a reload, NULL at the end. False:
 * something could not be restored, which is logged; `next` restores it when it ends, or g owes
 * it. */
bool generation_restore(struct generation *g, const struct generation *next);
/*
 * A reload: `next`, which was opened beside `old`, replaces it. If it cannot start, its registers
 * are restored and old starts again.
 * Returns 0, or -errno, which is logged. Then *ret_old is 0 if old keeps running. If that is
 * -errno, too, nothing counts, and the caller restores both, next first.
 */
int generation_swap(struct generation *old, struct generation *next, const struct machine *m,
		    bool pin, int *ret_old);
void generation_free(struct generation *g);
CLEANUP_POINTER(generation_free, struct generation);

extern const struct sampler_clock generation_clock;

#endif
