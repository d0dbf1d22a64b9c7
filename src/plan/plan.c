/* SPDX-License-Identifier: MIT
 * A plan that is there: how many files counting by it needs, and its end.
 * Pure; any thread.
 */
#include "plan/plan.h"

#include "base/arena.h"
#include "plan/program.h"

#define FILES_BESIDE 64             /* of uncored itself, at most */

unsigned plan_files_most(const struct plan *p)
{
	return 2 * plan_files(p) + FILES_BESIDE;
}

unsigned plan_files(const struct plan *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n_sockets; i++) {
		const struct plan_socket *s = &p->sockets[i];

		for (unsigned r = 0; s->has_perf && r < s->perf->n_rounds; r++)
			n += s->perf->rounds[r].n_events;
		if (s->has_reg)
			n += 1 + s->program->n_devices;
	}
	return n;
}

void plan_free(struct plan *p)
{
	if (p)
		arena_free(p->arena);
}
