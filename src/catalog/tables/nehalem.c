/* SPDX-License-Identifier: MIT
 * Intel Core i7 and Xeon 3400 to 5600 of the first generation (Nehalem, Westmere): the processors.
 * Owns:  what holds for the whole processor.
 * Never: the box (nehalem_uncore.c); Nehalem-EX, which has other registers.
 * Pure data; any thread.
 */
#include "catalog/tables/nehalem.h"

/* Seven counters and the clock: one round. */
static const struct cat_group groups[] = {
	G("memory", TEXTS("uncore/CLK_UNHALTED", "uncore/QMC_NORMAL_READS:ANY", "uncore/QMC_WRITES:FULL_ANY",
	  "uncore/QHL_REQUESTS:LOCAL_READS", "uncore/QHL_REQUESTS:LOCAL_WRITES", "uncore/QHL_OCCUPANCY:LOCAL"),
	  .help = "Bytes read from memory and written to it, and the latency of local requests"),
	G("llc", TEXTS("uncore/LLC_HITS:ANY", "uncore/LLC_MISS:ANY"),
	  .help = "Hit ratio of the L3 cache"),
	G("remote", TEXTS("uncore/CLK_UNHALTED", "uncore/QHL_REQUESTS:REMOTE_READS",
	  "uncore/QHL_REQUESTS:REMOTE_WRITES", "uncore/QHL_REQUESTS:LOCAL_READS", "uncore/QHL_REQUESTS:LOCAL_WRITES"),
	  .help = "Memory of this socket that the other one reads and writes",
	  .on_request = true),
};

/* What both have. */
#define PROCESSOR \
	.ratio = { .device = 0, .function = 0, .off = 0xc0 },      /* SDM 3B 18.17.2, p 18-81 */ \
	.global = &cat_no_global, \
	.groups = groups, .n_groups = COUNT(groups), \
	.source = "SDM 3B 18.17.2, Table 35-14"

const struct cat_processor cat_nehalem = {
	.name = "nehalem",
	.title = "Intel Core i7, Xeon 3400, 3500, 5500 (Nehalem)",
	.vendor = INTEL, CPUIDS({ 6, 0x1a }, { 6, 0x1e }, { 6, 0x1f }),
	.cores = 4, .caches = 1,
	.boxes = (const struct cat_box *const[]){ &nehalem_uncore }, .n_boxes = 1,
	.metrics = &nehalem_metrics,
	PROCESSOR,
};

const struct cat_processor cat_westmere = {
	.name = "westmere",
	.title = "Intel Core i3, i5, i7 and Xeon 3600, 5600 (Westmere)",
	.vendor = INTEL, CPUIDS({ 6, 0x25 }, { 6, 0x2c }),
	.cores = 6, .caches = 1,
	.boxes = (const struct cat_box *const[]){ &westmere_uncore }, .n_boxes = 1,
	.metrics = &westmere_metrics,
	PROCESSOR,
};
