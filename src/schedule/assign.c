/* SPDX-License-Identifier: MIT
 * Which encoding and which counter for each event of one unit.
 * Owns:  the search. Complete: if any assignment exists, one is found.
 * Never: boxes, events, what a register is for: only sets of counters and wanted bits.
 * Pure; any thread; allocates nothing, keeps its work on the stack.
 *
 * An event counts on the same counters whatever its encoding, so the two are found one after the
 * other. Counters need no search: they are a bipartite matching. Encodings are searched with
 * backtracking: the event with the fewest possible encodings goes next, and a selection that leaves
 * another event without an encoding is undone at once.
 */
#include "schedule/assign.h"

#include <string.h>

#define OPTIONS_MAX 64              /* encodings of one event */

struct search {
	const struct assign_event *events;
	unsigned n;
	uint64_t open[ASSIGN_MAX];  /* encodings not yet ruled out, bit per option */
	bool chosen[ASSIGN_MAX];    /* then `open` has one bit */
};

/* An augmenting path from event e; owner[c] is the event on counter c, or -1. */
static bool augment(const uint32_t *sets, unsigned e, uint32_t *seen, int8_t *owner)
{
	for (uint32_t left = sets[e] & ~*seen; left; left = sets[e] & ~*seen) {
		unsigned c = (unsigned)__builtin_ctz(left);

		*seen |= (uint32_t)BIT(c);
		if (owner[c] < 0 || augment(sets, (unsigned)owner[c], seen, owner)) {
			owner[c] = (int8_t)e;
			return true;
		}
	}
	return false;
}

bool assign_counters(const uint32_t *sets, unsigned n)
{
	int8_t owner[ASSIGN_MAX];

	if (n > ASSIGN_MAX)
		return false;
	memset(owner, -1, sizeof(owner));
	for (unsigned e = 0; e < n; e++) {
		uint32_t seen = 0;

		if (!augment(sets, e, &seen, owner))
			return false;
	}
	return true;
}

/* The lowest counter for the first event that leaves the others a matching, then the next event. */
static void lowest_matching(uint32_t *sets, unsigned n, struct assign_result *ret)
{
	for (unsigned e = 0; e < n; e++) {
		uint32_t all = sets[e];

		for (; all; all &= all - 1) {
			sets[e] = all & -all;
			if (assign_counters(sets, n))
				break;
		}
		ret[e].counter = (uint8_t)__builtin_ctz(sets[e]);
	}
}

static bool values_agree(const struct assign_option *a, const struct assign_option *b)
{
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			if (assign_clash(&a->values[i], &b->values[k]))
				return false;
	return true;
}

/* Takes encoding o for event e; false: another event has no encoding left. */
static bool choose(struct search *s, unsigned e, unsigned o)
{
	const struct assign_option *option = &s->events[e].options[o];

	s->open[e] = BIT(o);
	s->chosen[e] = true;
	for (unsigned x = 0; x < s->n; x++) {
		if (s->chosen[x])
			continue;
		for (uint64_t left = s->open[x]; left; left &= left - 1) {
			unsigned k = (unsigned)__builtin_ctzll(left);

			if (!values_agree(option, &s->events[x].options[k]))
				s->open[x] &= ~BIT(k);
		}
		if (!s->open[x])
			return false;
	}
	return true;
}

static bool search(struct search *s)
{
	unsigned best = s->n, fewest = OPTIONS_MAX + 1;

	for (unsigned e = 0; e < s->n; e++) {
		unsigned n = (unsigned)__builtin_popcountll(s->open[e]);

		if (!s->chosen[e] && n < fewest) {
			best = e;
			fewest = n;
		}
	}
	if (best == s->n)
		return true;
	for (uint64_t left = s->open[best]; left; left &= left - 1) {
		struct search next = *s;

		if (choose(&next, best, (unsigned)__builtin_ctzll(left)) && search(&next)) {
			*s = next;
			return true;
		}
	}
	return false;
}

bool assign(const struct assign_event *events, unsigned n, struct assign_result *ret)
{
	struct search s = { .events = events, .n = n };
	uint32_t sets[ASSIGN_MAX];

	for (unsigned e = 0; e < n && n <= ASSIGN_MAX; e++) {
		sets[e] = events[e].counters;
		for (unsigned o = 0; o < events[e].n_options && o < OPTIONS_MAX; o++)
			s.open[e] |= BIT(o);
	}
	if (!assign_counters(sets, n) || !search(&s))
		return false;
	lowest_matching(sets, n, ret);
	for (unsigned e = 0; e < n; e++)
		ret[e].option = (uint8_t)__builtin_ctzll(s.open[e]);
	return true;
}
