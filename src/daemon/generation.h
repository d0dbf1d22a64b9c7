/* generation.h - one configuration at work: its plan, its engines, its samplers, its shared memory.
 *
 * Owns:  the order in which these come and go; a reload is a second generation made beside the
 *        first.
 * Main thread.
 */
#ifndef DAEMON_GENERATION_H
#define DAEMON_GENERATION_H

#include "daemon/engine.h"
#include "expo/expo.h"
#include "process/shared.h"
#include "sample/sampler.h"

struct generation {
	struct conf *conf;
	struct plan *plan;
	struct engines *engines;            /* per socket of the plan */
	struct sampler_options *options;
	struct sampler **samplers;
	struct sampler_thread **threads;
	bool hangs;                         /* one of them did not end */
	struct shared *shared;
	struct expo_identity identity;
	bool pins_logged;
};

/* The file's bytes, to be freed; NULL: there is none, and none was asked for. 0 or -errno,
 * logged. */
int generation_read(const struct options *o, char **ret, size_t *ret_len);
/* Parses them (NULL: the built-in groups); every mistake is logged. 0 or -errno; then *ret is NULL,
 * or faulty: generation_plan() finds more. */
int generation_conf(const struct options *o, const char *text, size_t len, struct conf **ret);
/* conf is taken on success. Every mistake is logged. */
int generation_plan(struct conf *conf, const struct options *o, const struct machine *m,
		    struct generation **ret);
/* Opens the engines: looks at registers, writes none. old: the generation now counting, NULL at
 * start. */
int generation_open(struct generation *g, const struct machine *m,
		    const struct generation *old, struct err *err);
/* The register engine of the socket with this id; NULL: it has none, there is no such socket, or g
 * is NULL. */
struct counting *generation_regs(const struct generation *g, unsigned id);
/*
 * What the http process sees: rings, and the description of what is in them. A start makes the
 * rings, lets the samplers begin, and makes the description meanwhile; a reload makes both with
 * generation_share() before it touches what counts, and totals go on from `old` (whose samplers
 * have stopped).
 */
int generation_rings(struct generation *g, struct err *err);
/* offsets: NULL at start. */
int generation_describe(struct generation *g, const struct machine *m,
			const struct expo_offsets *offsets, struct err *err);
int generation_share(struct generation *g, const struct machine *m, const struct generation *old,
		     struct err *err);
/* The sampler of socket number i, without a thread. `before` as below. */
int generation_sampler(struct generation *g, unsigned i, const struct generation *before,
		       struct err *err);
/* Samplers and their threads, which program their sockets at the same time. Distributions go on
 * from `before`, which was stopped and may be g itself; NULL at start. On failure what was started
 * is stopped. */
int generation_launch(struct generation *g, const struct generation *before, bool pin,
		      struct err *err);
/* Returns once every socket has its first sample, or stops what was started. heed: -EINTR where
 * SIGTERM or SIGINT, which are blocked, comes before that. */
int generation_wait(struct generation *g, bool heed, struct err *err);
/* One after the other. */
int generation_start(struct generation *g, const struct generation *before, bool pin,
		     struct err *err);
/* One line, once, if a sampler cannot be bound to its CPU. */
void generation_log_pins(struct generation *g);
/* Last samples; counting ends; registers keep what they hold until generation_restore(). patience:
 * ns, 0: as long as it takes.
 * A sampler that hangs in a read for longer is left behind: so are its registers, and
 * generation_free() frees nothing. */
void generation_stop(struct generation *g, nsec patience);
#define GENERATION_PATIENCE (3 * NSEC_PER_SEC)
/* keep: the generation that goes on (reload), NULL at the end. False: something could not be put
 * back (logged); where `keep` was opened beside g, it puts that back when it ends. */
bool generation_restore(struct generation *g, const struct generation *keep);
/*
 * A reload: `next`, opened beside `old`, begins in its place; if it cannot, its registers go back,
 * and old begins again.
 * Returns 0, or -errno (logged); then *ret_old is 0 where old goes on, or -errno (logged): nothing
 * counts, and both are to be restored, next first.
 */
int generation_swap(struct generation *old, struct generation *next, const struct machine *m,
		    bool pin, int *ret_old);
void generation_free(struct generation *g);

extern const struct sampler_clock generation_clock;

#endif
