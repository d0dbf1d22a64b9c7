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
	{ .name = "ubox", .letter = "U", .title = "U-Box: system configuration controller", PIECES(ubox), UNCLK,
	  .n_counters = 1, .global_also = true,
	  .event = { 7, 0 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = { 18, 18 }, .invert = CAT_NONE,
	  .enable = { 22, 22 }, .occ_reset = CAT_NONE, .source = "323535-001 2.2, Table 2-6" },
	{ .name = "cbox", .letter = "C", .title = "C-Box: slice of the last-level cache", PIECES(cbox), UNCLK,
	  .n_counters = 6,
	  .event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 },
	  .enable = { 22, 22 }, .occ_reset = CAT_NONE, .source = "323535-001 2.3, Table 2-13" },
	{ .name = "bbox", .letter = "B", .title = "B-Box: home agent of one memory controller", PIECES(bbox), UNCLK,
	  .n_counters = 4,
	  .event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE,
	  .enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.4, Table 2-20" },
	{ .name = "sbox", .letter = "S", .title = "S-Box: interface between the ring and the rest of the system",
	  PIECES(sbox), UNCLK, .n_counters = 4,
	  .event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 },
	  .enable = { 22, 22 }, .occ_reset = { 17, 17 }, .source = "323535-001 2.5, Table 2-30" },
	{ .name = "rbox", .letter = "R", .title = "R-Box: router between QPI links, S-Boxes and B-Boxes",
	  PIECES(rbox), UNCLK, .n_counters = 16,
	  .port_key = "port", .ports = nehalem_ex_rbox_ports, .n_ports = COUNT(nehalem_ex_rbox_ports),
	  .event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE,
	  .enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.6, Table 2-44" },
	{ .name = "mbox", .letter = "M", .title = "M-Box: memory controller", PIECES(mbox),
	  .clock = "mbox/CYCLES", .max_hz = MAX_HZ, .n_counters = 6,
	  .ctl_always = BIT(6), /* wrap_mode: PCM and likwid always set it, the kernel leaves it to the user */
	  .event = { 13, 9 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE,
	  .enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.7, Table 2-67" },
	{ .name = "wbox", .letter = "W", .title = "W-Box: power controller and uncore clock", PIECES(wbox), UNCLK,
	  .n_counters = 4, .has_fixed = true, .fixed_box_bit = 31, .fixed_enable = BIT(0),
	  .event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 },
	  .enable = { 22, 22 }, .occ_reset = CAT_NONE,
	  .erratum = { 0xffffff, 1, 0x1000000 },        /* p 2-128 */
	  .source = "323535-001 2.8, Table 2-98" },
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
	.global = {
		.ctl = { .space = SPACE_MSR, .bytes = 8, .off = 0xc00 },
		.name = "U_MSR_PMON_GLOBAL_CTL",
		.enable = BIT(28), .reset = BIT(29), .box_enable = BIT(0),
		.fields = nehalem_ex_global_fields, .n_fields = COUNT(nehalem_ex_global_fields),
	},
	.boxes = boxes, .n_boxes = COUNT(boxes),
	.metrics = nehalem_ex_metrics, .n_metrics = COUNT(nehalem_ex_metrics),
	.groups = groups, .n_groups = COUNT(groups),
	.source = "323535-001",
};
