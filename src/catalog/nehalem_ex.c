/* nehalem_ex.c - Intel Xeon 7500 (Nehalem-EX): the processor, its boxes and its ready-made groups.
 *
 * Owns:  what holds for a whole box or the whole socket.
 * Never: single registers and events (nehalem_ex_*.c).
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

/* The uncore runs at up to 2.67 GHz. No source gives the M-Box's own clock: the same bound stands for it. */
#define MAX_HZ  2670000000
#define UNCLK   .clock = "wbox/CLOCKTICKS", .max_hz = MAX_HZ
#define PIECES(box) \
	.units = nehalem_ex_##box##_units, .n_units = COUNT(nehalem_ex_##box##_units), \
	.regs = nehalem_ex_##box##_regs, .n_regs = COUNT(nehalem_ex_##box##_regs), \
	.events = nehalem_ex_##box##_events, .n_events = COUNT(nehalem_ex_##box##_events), \
	.space = SPACE_MSR, .width = 48

static const struct cat_box boxes[] = {
	{ NEHALEM_EX_UBOX, PIECES(ubox), UNCLK },
	{ NEHALEM_EX_CBOX, PIECES(cbox), UNCLK },
	{ NEHALEM_EX_BBOX, PIECES(bbox), UNCLK },
	{ NEHALEM_EX_SBOX, PIECES(sbox), UNCLK },
	{ NEHALEM_EX_RBOX, PIECES(rbox), UNCLK },
	{ NEHALEM_EX_MBOX, PIECES(mbox), .clock = "mbox/CYCLES", .max_hz = MAX_HZ },
	{ NEHALEM_EX_WBOX, PIECES(wbox), UNCLK },
};

/* One round, and with everything that the daemon says about a socket under 100 series: 27 counts, a
 * validity each, 20 derived values. One group for both clocked subjects, because each group that names
 * the clock has series of its own for it. */
static const struct cat_group groups[] = {
	{ "traffic", (const char *const[]){
		"wbox/CLOCKTICKS",
		"bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL", "bbox/CONFLICTS",
		"rbox/NULL_IDLE,port=0", "rbox/NULL_IDLE,port=1", "rbox/NULL_IDLE,port=4", "rbox/NULL_IDLE,port=5",
		NULL } },
	{ "llc", (const char *const[]){
		"cbox/LLC_HITS:ALL", "cbox/LLC_MISSES:ALL",
		NULL } },
};

static const struct cat_id ids[] = {
	{ 6, 0x2e },
};

const struct cat_processor cat_nehalem_ex = {
	.name = "nehalem-ex",
	.title = "Intel Xeon 7500 (Nehalem-EX)",
	.ids = ids, .n_ids = COUNT(ids),
	.cores = 8,
	.global = NEHALEM_EX_GLOBAL,
	.boxes = boxes, .n_boxes = COUNT(boxes),
	.metrics = nehalem_ex_metrics, .n_metrics = COUNT(nehalem_ex_metrics),
	.overflows = nehalem_ex_overflows, .n_overflows = COUNT(nehalem_ex_overflows),
	.groups = groups, .n_groups = COUNT(groups),
	.source = "323535-001",
};
