/* SPDX-License-Identifier: MIT
 *
 * Owns:  one generation in the place of another, and the way back where that fails; a pause, which
 *        is the same with itself.
 */
#include "daemon/generation.h"

#include "process/log.h"

#include <errno.h>
#include <sys/mman.h>

#define SAMPLER_MEMORY ((size_t)1 << 20)  /* memory of a sampler and its thread */

/* Rings and description after the samplers of `old` have stopped: totals go on from theirs. */
static int share_from(struct generation *g, const struct machine *m, const struct generation *old,
		      struct err *err)
{
	AUTO_FREE(expo_offsets_free) struct expo_offsets *offsets =
		expo_offsets_new(old->shared->desc, old->shared->desc_len, old->shared->rings);
	int r;

	if (!offsets)                           /* totals would begin at 0 */
		return err_set(err, -ENOMEM, "out of memory");
	r = generation_new_rings(g, err);       /* old may be g itself: its rings have been read */
	return r < 0 ? r : generation_describe(g, m, offsets, err);
}

/* A counter that cannot be stopped keeps its event, so that nothing else can be configured. */
static int check_stopped(const struct generation *g, struct err *err)
{
	for (unsigned i = 0; i < g->plan->n_sockets; i++)
		if (sampler_runs(g->sockets[i].sampler))
			return err_set(err, -EPERM, "socket %u: the kernel now refuses register "
				       "writes (kernel lockdown, or msr.allow_writes=off)",
				       g->plan->sockets[i].id);
	return 0;
}

/* Restores all registers of next (NULL: none was written), which knows old's values, too. */
static int start_old_again(struct generation *old, struct generation *next,
			   const struct machine *m, bool pin, struct err *err)
{
	int r;

	if (next && !generation_restore(next, NULL))
		return err_set(err, -EIO,
			       "could not restore the registers of the new configuration");
	r = share_from(old, m, old, err);
	if (r == 0)
		r = generation_start(old, old, pin, err);
	if (r == 0)
		old->said_restored = old->said_of = 0;
	return r;
}

static int swap_back(struct generation *old, struct generation *next, const struct machine *m,
		     bool pin)
{
	struct err err = { "" };
	int r = start_old_again(old, next, m, pin, &err);

	if (r < 0)
		log_msg(LOG_CRIT, "the old configuration cannot be started again either: %s; "
			"uncored exits", err.text);
	return r;
}

/* What `g` needs to begin again, so that it is there if the next one fails: rings and description,
 * which is built of pieces and copied, and samplers. NULL: there is too little. */
static void *reserve_new(const struct generation *g, size_t *ret_size)
{
	void *reserve;

	*ret_size = 2 * g->shared->mem_len + 6 * g->shared->desc_len +
		    g->plan->n_sockets * SAMPLER_MEMORY;
	reserve = mmap(NULL, *ret_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return reserve == MAP_FAILED ? NULL : reserve;
}

/* *ret_began: registers of next may have been written. */
static int swap_in(struct generation *old, struct generation *next, const struct machine *m,
		   bool pin, bool *ret_began, struct err *err)
{
	int r;

	generation_stop(old, 0);
	r = check_stopped(old, err);
	if (r < 0)
		return r;
	r = share_from(next, m, old, err);
	if (r < 0)
		return r;
	*ret_began = true;
	generation_restore(old, next);
	return generation_start(next, old, pin, err);
}

static void close_engines(struct generation *g)
{
	for (unsigned i = 0; i < g->plan->n_sockets; i++)
		engines_close(&g->sockets[i].engines);
}

int generation_give_back(struct generation *g, const struct machine *m, bool pin, bool *ret_ended,
			 struct err *err)
{
	struct err other;
	int r;

	generation_stop(g, 0);
	r = check_stopped(g, err);
	if (r == 0 && !generation_restore(g, NULL))
		r = err_set(err, -EIO, "not every register could be put back; the log of uncored "
			    "names them");
	if (r == 0) {
		close_engines(g);
		return 0;
	}
	*ret_ended = start_old_again(g, NULL, m, pin, &other) < 0;
	if (*ret_ended)
		log_msg(LOG_CRIT, "counting cannot be started again: %s; uncored exits",
			other.text);
	return r;
}

int generation_settle(struct generation *g, struct err *err)
{
	if (!g->owes)
		return 0;
	g->owes = false;
	for (unsigned i = 0; i < g->plan->n_sockets; i++)
		if (g->sockets[i].engines.regs)
			g->owes |= counting_regs_restore(g->sockets[i].engines.regs, NULL,
							 NULL) < 0;
	if (g->owes)
		return err_set(err, -EIO, "not every register could be put back when counting "
			       "could not begin");
	close_engines(g);
	return 0;
}

int generation_reopen(struct generation *g, const struct machine *m, struct err *err)
{
	int r = generation_settle(g, err);

	if (r < 0)
		return r;
	r = generation_check_files(g, m, err);
	for (unsigned i = 0; r >= 0 && i < g->plan->n_sockets; i++)
		r = engines_open(m, g->conf, &g->plan->sockets[i], NULL, true,
				 &g->sockets[i].engines, err);
	if (r < 0)
		close_engines(g);
	return r;
}

int generation_restart(struct generation *g, const struct machine *m, bool pin, struct err *err)
{
	int r = start_old_again(g, NULL, m, pin, err);

	if (r < 0 && generation_restore(g, NULL))
		close_engines(g);
	return r;
}

unsigned generation_left(const struct generation *g)
{
	unsigned still = 0;

	for (unsigned i = 0; i < g->plan->n_sockets; i++)
		if (g->sockets[i].engines.regs)
			still += counting_regs_left(g->sockets[i].engines.regs);
	return still;
}

int generation_swap(struct generation *old, struct generation *next, const struct machine *m,
		    bool pin, int *ret_old)
{
	struct err err = { "" };
	bool began = false;
	size_t size;
	void *reserve = reserve_new(old, &size);
	int r;

	if (!reserve) {
		log_msg(LOG_ERR,
			"not enough memory to go back if the reload fails; nothing was changed");
		return -ENOMEM;
	}
	r = swap_in(old, next, m, pin, &began, &err);
	munmap(reserve, size);
	if (r < 0) {
		log_msg(LOG_ERR, "%s; going back to the old configuration", err.text);
		*ret_old = swap_back(old, began ? next : NULL, m, pin);
	}
	return r;
}
