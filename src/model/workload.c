/* SPDX-License-Identifier: MIT
 * What the modelled machine does, and how many cycles pass the filter of a control.
 * Owns:  the named workloads, their phases over time, threshold/invert/edge arithmetic.
 * Never: registers.
 * Pure; any thread.
 */
#include "model/model_internal.h"

#include <string.h>

/* Chosen so that derived numbers are those of a plausible machine: 64 bytes x inserts x 2 B-Boxes x
 * 2.4 GHz is the memory bandwidth of a socket; inserts x imt_cycles stays below the 32 entries of
 * the IMT. */
#define STREAM \
	.activity = 0.50, .lookups = 0.040, .miss = 0.40, .remote = 0.20, \
	.inserts = 0.070, .imt_cycles = 160, .conflicts = 0.012, .link = 0.25
#define BUSY \
	.activity = 0.70, .lookups = 0.045, .miss = 0.45, .remote = 0.30, .inserts = 0.080, \
	.link = 0.40
/* The guard of a latency is at 0.05 conflicts per insert. */
#define STORM BUSY, .imt_cycles = 300, .conflicts = 0.120

static const struct stretch always[] = { { 1, { { 0, NSEC_PER_SEC } } } };

/* bursty: every 50 ms a burst of 25 ms; in one second of four a storm of conflicts. */
enum { BURSTY_BUSY, BURSTY_CALM, BURSTY_STORM };
static const struct stretch bursty[] = {
	{ 60, { { BURSTY_BUSY, 25 * NSEC_PER_MSEC }, { BURSTY_CALM, 25 * NSEC_PER_MSEC } } },
	{ 20, { { BURSTY_STORM, 25 * NSEC_PER_MSEC }, { BURSTY_CALM, 25 * NSEC_PER_MSEC } } },
};

/* day: in the first minute something changes at least every 8 s; the rest of the 10 minutes has
 * longer phases, and bursts that are shorter than a second. */
enum { READS, WRITES, BURST, NIGHT, EVEN_SOCKETS, ODD_SOCKETS, REMOTE, CONFLICTS, DAY_PHASES };
#define SECONDS(phase, seconds) { 1, { { phase, seconds * NSEC_PER_SEC } } }
#define BURSTS(times, length) { times, { { BURST, length }, { NIGHT, length } } }
static const struct stretch day[] = {
	SECONDS(READS, 8), SECONDS(WRITES, 7), BURSTS(2, 2 * NSEC_PER_SEC),
	SECONDS(EVEN_SOCKETS, 8), SECONDS(REMOTE, 8), SECONDS(CONFLICTS, 8), SECONDS(NIGHT, 6),
	SECONDS(ODD_SOCKETS, 7),
	SECONDS(READS, 90), SECONDS(REMOTE, 60), BURSTS(120, 250 * NSEC_PER_MSEC),
	SECONDS(WRITES, 60), SECONDS(CONFLICTS, 15), SECONDS(EVEN_SOCKETS, 75), SECONDS(NIGHT, 60),
	SECONDS(REMOTE, 45), SECONDS(CONFLICTS, 15), SECONDS(READS, 60),
};

/* Groups that take turns of one second in a fixed order see either the even or the odd seconds. */
static const struct stretch rotation[] = {
	{ 1, { { 0, NSEC_PER_SEC }, { 1, NSEC_PER_SEC } } },
};

const struct workload workloads[] = {
	{ "idle", 1, .load = {
		{ .activity = 0.01, .lookups = 0.002, .miss = 0.30, .remote = 0.10,
		  .inserts = 0.0008, .imt_cycles = 95, .conflicts = 0.004, .link = 0.005 } },
	  always, COUNT(always) },
	{ "stream", 1, .load = { { STREAM } }, always, COUNT(always) },
	{ "bursty", 3, .load = {
		[BURSTY_BUSY] = { BUSY, .imt_cycles = 220, .conflicts = 0.020 },
		[BURSTY_CALM] = {
			.activity = 0.03, .lookups = 0.004, .miss = 0.30, .remote = 0.10,
			.inserts = 0.002, .imt_cycles = 100, .conflicts = 0.004, .link = 0.01 },
		[BURSTY_STORM] = { STORM } },
	  bursty, COUNT(bursty) },
	{ "day", DAY_PHASES, .load = {
		[READS] = { STREAM, .writes = -0.7 },
		[WRITES] = { STREAM, .writes = 0.8 },
		[BURST] = { BUSY, .imt_cycles = 230, .conflicts = 0.020 },
		[NIGHT] = {
			.activity = 0.02, .lookups = 0.003, .miss = 0.30, .remote = 0.10,
			.inserts = 0.0015, .imt_cycles = 95, .conflicts = 0.004, .link = 0.008 },
		[EVEN_SOCKETS] = { BUSY, .imt_cycles = 200, .conflicts = 0.015,
				   .reduction = { 0, 0.8 } },
		[ODD_SOCKETS] = { BUSY, .imt_cycles = 200, .conflicts = 0.015,
				  .reduction = { 0.8, 0 } },
		[REMOTE] = {
			.activity = 0.40, .lookups = 0.030, .miss = 0.40, .remote = 0.80,
			.inserts = 0.055, .imt_cycles = 200, .conflicts = 0.020, .link = 0.75 },
		[CONFLICTS] = { STORM } },
	  day, COUNT(day) },
	{ "rotation", 2, .load = { { STREAM }, { STREAM, .reduction = { 0.875, 0.875 } } },
	  rotation, COUNT(rotation) },
	/* 64 bytes x 2 B-Boxes x 2.4 GHz x inserts x (0.60 x 1.5 that read, or 0.32 x 3 that write)
	 * are TRAFFIC_BYTES_PER_NS, beside the 0.0001 x 0.60 and x 0.32 of phase 0. */
	{ "verify", 3, .load = {
		{ .activity = 0.01, .lookups = 0.002, .miss = 0.30, .remote = 0.10,
		  .inserts = 0.0001, .imt_cycles = 95, .conflicts = 0.004, .link = 0.005 },
		[1 + TRAFFIC_READ] = {
			.inserts = 1.0 / 12 + 0.0002 / 3, .writes = -1, .imt_cycles = 95 },
		[1 + TRAFFIC_WRITTEN] = {
			.inserts = 5.0 / 64 + 0.0001 / 3, .writes = 2, .imt_cycles = 95 } },
	  always, COUNT(always), .traffic = true },
	{ .name = NULL },
};

const struct workload *workload_find(const char *name)
{
	for (const struct workload *w = workloads; w->name; w++)
		if (strcmp(w->name, name) == 0)
			return w;
	return NULL;
}

static nsec pair_length(const struct stretch *s)
{
	return s->part[0].length + s->part[1].length;
}

/* The time spent in a part, t after the stretch began. */
static nsec part_elapsed(const struct stretch *s, unsigned part, nsec t)
{
	nsec length = s->part[part].length, turn = pair_length(s);
	nsec since = t % turn - (part ? s->part[0].length : 0);

	if (since < 0)
		since = 0;
	if (since > length)
		since = length;
	return t / turn * length + since;
}

/* The time spent in each phase from 0 to t. It is a closed form, so one step of a month gives the
 * same counts as a million short steps. */
void workload_elapsed(const struct workload *w, nsec t, nsec ret[PHASES])
{
	const struct stretch *end = w->stretches + w->n_stretches;
	nsec period = 0, rest;

	memset(ret, 0, PHASES * sizeof(*ret));
	for (const struct stretch *s = w->stretches; s < end; s++)
		period += s->times * pair_length(s);
	rest = t % period;
	for (const struct stretch *s = w->stretches; s < end; s++) {
		nsec all = s->times * pair_length(s), now = rest < all ? rest : all;

		for (unsigned i = 0; i < COUNT(s->part); i++)
			ret[s->part[i].phase] += t / period * part_elapsed(s, i, all) +
				part_elapsed(s, i, now);
		rest -= now;
	}
}

/* The load of one unit. Sockets and units differ a little, so that a wrong label shows. */
struct load workload_load(const struct model *m, unsigned socket, unsigned unit, unsigned phase)
{
	struct load l = m->workload->load[phase];
	double f = (1 - 0.03 * (socket % 8) - 0.02 * workload_hash(m, socket)) * (1 - 0.01 * unit);

	f = m->traffic ? 1 : f * (1 - l.reduction[socket % 2]);
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

/* The probability that the increment of a cycle is at least `at_least`. */
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
