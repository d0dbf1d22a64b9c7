/* workload.c - what the modelled machine does, and how often a cycle passes a filter.
 *
 * Owns:  the named workloads, their phases over time, threshold/invert/edge arithmetic.
 * Never: registers.
 * Pure; any thread.
 */
#include "config.h"

#include "model/model_internal.h"

#include <string.h>

/* Chosen so that derived numbers are those of a plausible machine: 64 bytes x inserts x 2 B-Boxes x
 * 2.4 GHz is the memory bandwidth of a socket; inserts x imt_cycles stays below the 32 entries of
 * the IMT. */
static const struct workload workloads[] = {
	{ "idle", .load = {
		{ .activity = 0.01, .lookups = 0.002, .miss = 0.30, .remote = 0.10,
		  .inserts = 0.0008, .imt_cycles = 95, .conflicts = 0.004, .link = 0.005 } } },
	{ "stream", .load = {
		{ .activity = 0.50, .lookups = 0.040, .miss = 0.40, .remote = 0.20,
		  .inserts = 0.070, .imt_cycles = 160, .conflicts = 0.012, .link = 0.25 } } },
	{ "remote", .load = {
		{ .activity = 0.40, .lookups = 0.030, .miss = 0.40, .remote = 0.70,
		  .inserts = 0.055, .imt_cycles = 190, .conflicts = 0.020, .link = 0.60 } } },
	/* busy, calm, and busy with so many conflicts that a latency must not be computed */
	{ "bursty", .bursty = true, .load = {
		{ .activity = 0.70, .lookups = 0.045, .miss = 0.45, .remote = 0.30,
		  .inserts = 0.080, .imt_cycles = 220, .conflicts = 0.020, .link = 0.40 },
		{ .activity = 0.03, .lookups = 0.004, .miss = 0.30, .remote = 0.10,
		  .inserts = 0.002, .imt_cycles = 100, .conflicts = 0.004, .link = 0.01 },
		{ .activity = 0.70, .lookups = 0.045, .miss = 0.45, .remote = 0.30,
		  .inserts = 0.080, .imt_cycles = 300, .conflicts = 0.120, .link = 0.40 } } },
};
static const char *const names[] = { "idle", "stream", "remote", "bursty", NULL };

/* bursty: every 50 ms a burst of 25 ms; in one second of four a storm of conflicts. */
#define BURST_PERIOD (50 * NSEC_PER_MSEC)
#define BURST        (25 * NSEC_PER_MSEC)
#define BURSTS_CALM  60
#define BURSTS_ALL   80

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; i < COUNT(workloads); i++)
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	return NULL;
}

const char *const *workload_names(void)
{
	return names;
}

/* How long each phase has lasted since the beginning. A closed form: a count is the same in one
 * step of a month and in a million steps. */
void workload_elapsed(const struct workload *w, nsec t, nsec ret[PHASES])
{
	nsec all = BURST_PERIOD * BURSTS_ALL, turns = t / all, bursts = t % all / BURST_PERIOD;
	nsec rest = t % BURST_PERIOD, part = rest < BURST ? rest : BURST;
	nsec storms = bursts > BURSTS_CALM ? bursts - BURSTS_CALM : 0;

	ret[0] = t;
	ret[1] = ret[2] = 0;
	if (!w->bursty)
		return;
	ret[2] = (turns * (BURSTS_ALL - BURSTS_CALM) + storms) * BURST +
		(bursts >= BURSTS_CALM ? part : 0);
	ret[0] = (turns * BURSTS_CALM + bursts - storms) * BURST +
		(bursts < BURSTS_CALM ? part : 0);
	ret[1] = t - ret[0] - ret[2];
}

/* The load of one unit: sockets and units differ a little, so that a mixed-up label shows. */
struct load workload_load(const struct model *m, unsigned socket, unsigned unit, unsigned phase)
{
	struct load l = m->workload->load[phase];
	double f = (1 - 0.03 * (socket % 8) - 0.02 * workload_hash(m, socket)) * (1 - 0.01 * unit);

	l.activity *= f;
	l.lookups *= f;
	l.inserts *= f;
	l.link *= f;
	return l;
}

/* workload_hash - a number in 0..1 that depends on the seed and `what` only (splitmix64). */
double workload_hash(const struct model *m, uint64_t what)
{
	uint64_t z = (what + 1) * UINT64_C(0x9e3779b97f4a7c15) +
		m->seed * UINT64_C(0xd1342543de82ef95);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return (double)(z >> 11) / 9007199254740992.0;
}

/* The chance that a cycle's increment is at least `at_least`. */
static double dist_reaches(struct dist d, unsigned at_least)
{
	double p = d.mean / d.max, pmf = 1, below = 0;

	if (at_least == 0)
		return 1;
	if (at_least > d.max || p <= 0)
		return 0;
	if (p >= 1)
		return 1;
	for (unsigned i = 0; i < d.max; i++)
		pmf *= 1 - p;
	for (unsigned k = 0; k < at_least; k++) {
		below += pmf;
		pmf *= (d.max - k) * p / ((k + 1) * (1 - p));
	}
	return below < 1 ? 1 - below : 0;
}

/*
 * workload_filter - mean count per cycle behind the filters of a control register.
 *
 * A threshold above 0 turns the increment into one bit: increment >= threshold, or below it with
 * invert (323535-001 2.3.3.2; with threshold 0 nothing is compared and invert has no effect). Edge
 * counts the 0 -> 1 changes of that bit; cycles are independent here, so these are q (1 - q) per
 * cycle.
 */
double workload_filter(struct dist d, unsigned threshold, bool invert, bool edge)
{
	double q;

	if (threshold == 0 && !edge)
		return d.mean;
	q = dist_reaches(d, threshold ? threshold : 1);
	if (threshold && invert)
		q = 1 - q;
	return edge ? q * (1 - q) : q;
}
