/* SPDX-License-Identifier: MIT */
#include "machine/there.h"

#include "access/counting.h"
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 8 };             /* a sentence names at most so many */

#define INSTEAD "Add events of this kernel to the configuration (uncorectl list events), or try " \
		"simulated counters: --engine model:spr"

/* Of how many slots of the plan is is() true, and how many are there? */
static unsigned count_slots(const struct plan *p, bool (*is)(const struct plan_slot *slot),
			    unsigned *ret_all)
{
	unsigned n = 0;

	*ret_all = 0;
	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned r = 0; r < p->sockets[i].n_rounds; r++) {
			const struct plan_round *round = &p->sockets[i].rounds[r];

			*ret_all += round->n_slots;
			for (unsigned k = 0; k < round->n_slots; k++)
				n += is(&round->slots[k]);
		}
	return n;
}

static bool is_beside(const struct plan_slot *slot)
{
	return slot->beside;
}

static bool cannot_stand_still(const struct plan_slot *slot)
{
	return slot->never_still;
}

static const char *pmu_of(const struct plan_perf *e)
{
	return e->pmu;
}

static const char *event_of(const struct plan_perf *e)
{
	return e->text;
}

/* Names of the plan's events, each once; more than there is room for are cut. */
static char *list_events(const struct plan *p, const char *(*name)(const struct plan_perf *e),
			 char *ret, size_t size)
{
	const char *names[NAMED];
	unsigned n = 0;

	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned r = 0; r < p->sockets[i].n_rounds; r++) {
			const struct plan_perf_round *round = &p->sockets[i].perf->rounds[r];

			for (unsigned k = 0; k < round->n_events && n < NAMED; k++) {
				const char *one = name(&round->events[k]);
				unsigned same = 0;

				while (same < n && strcmp(names[same], one) != 0)
					same++;
				if (same == n)
					names[n++] = one;
			}
		}
	return words_join(ret, size, names, n);
}

/* Has none of the plan's events counted in a second? False where that cannot be found out: the
 * start says why. */
static bool all_stand(const struct machine *m, const struct plan *p)
{
	const struct plan_perf_program **programs = calloc(p->n_sockets, sizeof(*programs));
	bool stand;

	if (!programs)
		return false;
	for (unsigned i = 0; i < p->n_sockets; i++)
		programs[i] = p->sockets[i].perf;
	stand = counting_perf_rise(m->kernel, programs, p->n_sockets) == 0;
	free(programs);
	return stand;
}

bool there_is_nothing(const struct machine *m, const struct plan *p, bool may_wait,
		      struct err *ret_why)
{
	unsigned n, still = count_slots(p, cannot_stand_still, &n),
		beside = count_slots(p, is_beside, &n);
	char list[256];

	if (n == 0) {
		err_set(ret_why, 0, "this machine has no counters for the ready-made groups "
			"(uncorectl doctor says why), and the configuration names no other "
			"events. " INSTEAD);
		return true;
	}
	if (m->elsewhere || m->engine == CONF_MODEL)
		return false;
	if (m->topo->hypervisor && p->sockets[0].perf->is_default && beside == n) {
		err_set(ret_why, 0, "this is a virtual machine, whose kernel lists energy and "
			"sleep states alone (%s); these are the host's, and there is no PMU of "
			"the uncore. Run uncored on the host. " INSTEAD,
			list_events(p, pmu_of, list, sizeof(list)));
		return true;
	}
	if (may_wait && still == n && all_stand(m, p)) {
		err_set(ret_why, 0, "%s stood still for a second, which what they count cannot: "
			"nothing is behind them here, and no other event is to be counted. "
			INSTEAD, list_events(p, event_of, list, sizeof(list)));
		return true;
	}
	return false;
}
