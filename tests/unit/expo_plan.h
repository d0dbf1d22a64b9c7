/* SPDX-License-Identifier: MIT
 * A plan made by hand, and rings to go with it: two sockets, rotation, one slot in two groups, perf
 * with a scale. */
#ifndef TESTS_EXPO_PLAN_H
#define TESTS_EXPO_PLAN_H

#include "derive/derive.h"
#include "expo/expo.h"
#include "plan/plan.h"
#include "hand_series.h"

#include <stdlib.h>
#include <string.h>

#define OVERLAP "Series of one unit differ by umask and filter and overlap: select, do not sum."

/* One label. */
#define LABELS(...) { (const struct label[]){ __VA_ARGS__ }, 1 }

static struct plan_slot a_round0[] = {
	{ .engine = PLAN_REGISTERS, .unit = 0, .width = 48,
	  .identity = (char *)"bbox0/IMT_INSERTS_ALL",
	  .box_name = (char *)"bbox", .event_name = (char *)"IMT_INSERTS_ALL", .umask = (char *)"",
	  .family = (char *)"uncore_bbox_imt_inserts_all_total",
	  .help = (char *)"Requests that entered the IMT. " OVERLAP },
	{ .engine = PLAN_REGISTERS, .unit = 3, .width = 48,
	  .identity = (char *)"cbox3/LLC_HITS:M:E", .port = -1,
	  .box_name = (char *)"cbox", .event_name = (char *)"LLC_HITS",
	  .labels = LABELS({ "umask", "M:E" }), .umask = (char *)"M:E",
	  .family = (char *)"uncore_cbox_llc_hits_total",
	  .help = (char *)"Say \"hit\" \\ or\nmiss. " OVERLAP },
	{ .engine = PLAN_REGISTERS, .unit = 0, .width = 48, .identity = (char *)"wbox0/CLOCKTICKS",
	  .always_runs = true,
	  .box_name = (char *)"wbox", .event_name = (char *)"CLOCKTICKS", .umask = (char *)"",
	  .family = (char *)"uncore_wbox_clockticks_total",
	  .help = (char *)"Uncore clock. " OVERLAP },
};
static struct plan_slot a_round1[] = {
	{ .engine = PLAN_PERF, .unit = 1, .width = 64,
	  .identity = (char *)"perf/uncore_imc_1/cas_count_read/",
	  .box_name = (char *)"imc", .event_name = (char *)"CAS_COUNT_READ", .umask = (char *)"",
	  .family = (char *)"uncore_imc_cas_count_read_total", .help = (char *)"Reads. " OVERLAP,
	  .scale = 64,
	  .scaled_family = (char *)"uncore_imc_cas_count_read_bytes_total", .scaled_unit = "bytes",
	  .scaled_help = (char *)"Bytes read." },
};
static struct plan_slot b_round0[] = {
	{ .engine = PLAN_PERF, .unit = 0, .width = 64, .identity = (char *)"perf/msr/tsc/",
	  .box_name = (char *)"msr",
	  .event_name = (char *)"TSC", .umask = (char *)"",
	  .family = (char *)"uncore_msr_tsc_total",
	  .help = (char *)"Time stamp counter of the reader CPU alone. " OVERLAP },
};
static struct plan_round a_rounds[] = {
	{ .tick = NSEC_PER_SEC / 10, .slots = a_round0, .n_slots = 3, .n_reg = 3,
	  .groups = (unsigned[]){ 0, 1 }, .n_groups = 2 },
	{ .tick = NSEC_PER_SEC, .slots = a_round1, .n_slots = 1, .n_perf = 1,
	  .groups = (unsigned[]){ 2 }, .n_groups = 1 },
};
static struct plan_round b_rounds[] =
	{ { .tick = NSEC_PER_SEC, .slots = b_round0, .n_slots = 1, .n_perf = 1,
	    .groups = (unsigned[]){ 0 }, .n_groups = 1 } };
/* A group of one round, with these slots there. */
#define HAND_GROUP(group, in, ...) \
	{ .name = group, .round = in, .n_rounds = 1, .resolution = NSEC_PER_SEC, \
	  .slots = (unsigned *[2]){ [in] = (unsigned[]){ __VA_ARGS__ } }, \
	  .n_slots = sizeof((unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned) }
static struct plan_group a_groups[] = {
	HAND_GROUP("memory", 0, 0, 2),
	HAND_GROUP("we\"ird\\", 0, 1, 2),
	HAND_GROUP("dram", 1, 0),
};
static struct plan_group b_groups[] = { HAND_GROUP("time", 0, 0) };
static unsigned one_group[] = { 0 }, other_group[] = { 1 };
static struct plan_addend no_slot[] = { { -1, 1 } }, the_clock[] = { { 2, 1 } };
static struct plan_metric a_metrics[] = {
	{ .name = "imt_latency_cycles", .family = (char *)"uncore_imt_latency_cycles",
	  .help = (char *)"Mean time in the IMT.",
	  .unit = "cycles", .labels = LABELS({ "unit", "0" }), .groups = one_group,
	  .n_groups = 1, .guard_num = { no_slot, 1 }, .guard_den = { no_slot, 1 } },
	{ .name = "memory_read_bytes", .family = (char *)"uncore_memory_read_bytes_total",
	  .help = (char *)"Bytes read.",
	  .unit = "bytes", .groups = one_group, .n_groups = 1, .series = 1, .counter = true,
	  .num = { the_clock, 1 } },
	{ .name = "uncore_clock_hertz", .family = (char *)"uncore_clock_hertz",
	  .help = (char *)"Clock.",
	  .unit = "hertz", .groups = other_group, .n_groups = 1, .series = 2 },
};
static struct plan_socket plan_sockets[] = {
	{ .id = 0, .rounds = a_rounds, .n_rounds = 2, .groups = a_groups, .n_groups = 3,
	  .metrics = a_metrics, .n_metrics = 3, .n_metric_series = 3,
	  .has_reg = true, .has_perf = true },
	{ .id = 2, .rounds = b_rounds, .n_rounds = 1, .groups = b_groups, .n_groups = 1, .has_perf = true },
};
__attribute__((constructor)) static inline void number_hand_plan(void)
{
	for (size_t i = 0; i < sizeof(plan_sockets) / sizeof(plan_sockets[0]); i++)
		hand_series(&plan_sockets[i]);
}
static const struct plan hand_plan = { .interval = NSEC_PER_SEC, .rotation = NSEC_PER_SEC,
				       .sockets = plan_sockets, .n_sockets = 2 };
#define HAND_MODEL "a \"Xeon\" \\ <i>'X7560'</i> & caf\xc3\xa9"
static const struct expo_identity hand_identity = {
	.version = "0.1.0", .revision = "abc123", .host = "web&17", .engine = "model",
	.engine_note = "SIMULATED: no hardware is counted.",
	.processor = "nehalem-ex", .model = HAND_MODEL, .workload = "stream",
	.machine = HAND_MODEL " (nehalem-ex), 2 sockets",
	.began = 1789999991 * NSEC_PER_SEC + 300,
};

/* A zeroed ring; free() its mem. */
static inline struct ring ring_new(unsigned n_words)
{
	struct ring r;
	void *mem = aligned_alloc(64, ring_bytes(n_words));

	memset(mem, 0, ring_bytes(n_words));
	ring_init(&r, mem, n_words);
	return r;
}

/* What both sockets and the daemon say in most tests: round 0 of socket 0 runs, its second slot is
 * foreign, the guard of its first metric has failed. */
static inline void hand_words(uint64_t *a, uint64_t *b, uint64_t *daemon)
{
	struct layout la = layout_of(&plan_sockets[0]), lb = layout_of(&plan_sockets[1]);
	double hertz = 2261000000.5, late = 0.000125;

	memset(a, 0, la.n_words * sizeof(*a));
	memset(b, 0, lb.n_words * sizeof(*b));
	memset(daemon, 0, D_VALUES * sizeof(*daemon));
	a[W_UP] = b[W_UP] = 1;
	a[W_TICK_MONO] = b[W_TICK_MONO] = 77 * NSEC_PER_SEC;
	a[W_NOW_WALL] = 1790000000250000000;
	a[W_DURATION] = 41500;
	a[W_TICKS] = 10;
	a[W_MISSED] = 1;
	a[W_WRAPS] = 2;
	a[W_FOREIGN] = 1;
	a[W_CPU] = 4;
	a[W_REALTIME] = 1;
	a[W_FALLBACKS] = 2;
	a[W_INVALID + REASON_FOREIGN] = 3;
	a[la.group_active + 0] = 5 * NSEC_PER_SEC;
	a[la.group_active + 1] = 5 * NSEC_PER_SEC;
	a[la.group_active + 2] = 4999999999;
	a[W_ACTIVE] = 9999999999;
	a[la.slot_active + 3] = 4999999999;
	a[la.slot_active_shown + 3] = 1;
	a[la.metric_active + 1] = 2500000000;
	a[la.metric_active_shown + 1] = 1;
	b[W_ACTIVE] = 1;
	a[la.slot_total + 0] = UINT64_MAX;
	a[la.slot_total + 1] = 1234;
	a[la.slot_reason + 1] = REASON_FOREIGN;
	a[la.slot_total + 2] = 0;
	a[la.slot_total + 3] = 9007199254740993;
	a[la.metric_reason + 0] = REASON_CONFLICT;
	a[la.metric_value + 1] = 640;
	a[la.metric_reason + 1] = REASON_NONE;
	memcpy(&a[la.metric_value + 2], &hertz, sizeof(hertz));
	a[la.metric_reason + 2] = REASON_NONE;

	a[la.lateness + H_CREATED] = 1789999991500000000;
	memcpy(&a[la.lateness + H_SUM], &late, sizeof(late));
	a[la.lateness + H_CLASSIC + 0] = 7;             /* up to 10 us */
	a[la.lateness + H_CLASSIC + 3] = 2;             /* up to 100 us */
	a[la.lateness + H_CLASSIC + 11] = 1;            /* above 100 ms */

	b[W_NOW_WALL] = 1790000000000000001;
	b[W_CPU] = UINT64_MAX;
	b[lb.group_active] = 1;
	b[lb.slot_total] = 7;

	daemon[D_CONFIG_OK] = 1;
	daemon[D_CPU_NSEC] = 30000000;
	daemon[D_RSS_BYTES] = 4194304;
	daemon[D_FDS] = 12;
	daemon[D_START_WALL_NSEC] = 1789999990 * (uint64_t)NSEC_PER_SEC;
}

#endif
