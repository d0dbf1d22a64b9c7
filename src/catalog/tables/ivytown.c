/* SPDX-License-Identifier: MIT
 * Intel Xeon E5 v2 and E7 v2 (Ivytown): the processor, the order of its boxes and its
 * ready-made groups.
 * Owns:  what holds for the whole processor.
 * Never: a box (ivytown_*.c).
 * Pure data; any thread.
 *
 * There is no enable of a box or of the socket, only stops: freeze bits in a box control, and one
 * write to the UBox that stops or starts all. Overflows are not reported while ov_en is 0, which
 * polling needs: with it the first 44-bit counter that wraps would stop the whole socket.
 */
#include "catalog/tables/ivytown.h"

const char *const ivytown_links[] = { "qpi0", "qpi1", "qpi2" };

static const struct cat_box *const boxes[] = {
	&ivytown_ubox, &ivytown_cbox, &ivytown_pcu, &ivytown_ha, &ivytown_imc, &ivytown_irp,
	&ivytown_qpi, &ivytown_r2pcie, &ivytown_r3qpi,
};

static const struct cat_constant constants[] = {
	{ .name = "link_bytes", .box = "qpi", .id = IVYTOWN_QPI_RATE, .hi = 2, .lo = 0,
	  .base = 8e9, .step = 1.6e9, .unknown = 0,
	  .help = "Bytes of flits that the QPI link can carry in one direction: 2 per transfer",
	  .source = "329468-002 Table 2-138, pcm" },
};

/* One round, and with everything that the daemon says about a socket under 100 series, where all 8
 * channels and all 3 links exist: of channels and C-Boxes only what is derived is shown. */
#define CLOCK_ALONE TEXTS("ubox/UCLK") /* clock_hertz shows it */
static const struct cat_group groups[] = {
	G("memory", TEXTS("imc/CAS_COUNT:RD", "imc/CAS_COUNT:WR"),
	  .help = "Bytes read from memory and written to it",
	  .metrics_only = true),
	G("latency", TEXTS("ubox/UCLK", "ha/REQUESTS:READS_LOCAL", "ha/BT_OCCUPANCY:READS_LOCAL"),
	  .help = "Time that reads of this socket take in the home agent", .inputs = CLOCK_ALONE),
	G("links", TEXTS("ubox/UCLK", "qpi/TXL_FLITS_G0:DATA", "qpi/TXL_FLITS_G0:NON_DATA"),
	  .help = "Bytes that the QPI links sent, and their utilisation", .inputs = CLOCK_ALONE),
	G("llc", TEXTS("ubox/UCLK", "cbox/TOR_INSERTS:OPCODE,opc=0x182", "cbox/TOR_INSERTS:MISS_OPCODE,opc=0x182"),
	  .help = "Data reads that missed the last-level cache, and their latency",
	  .metrics_only = true),
	G("channels", TEXTS("imc/CAS_COUNT:RD", "imc/CAS_COUNT:WR", "imc/DCLK"),
	  .help = CHANNELS_HELP, .metrics_only = true, .on_request = true, .metrics = CHANNEL_NAMES),
};

const struct cat_processor cat_ivytown = {
	.name = "ivytown",
	.title = "Intel Xeon E5 v2, E7 v2 (Ivytown)",
	.vendor = INTEL, CPUIDS({ 6, 0x3e }),
	.cores = 15, .caches = 1,
	/* kernel uncore_snbep */
	.anchor = { .vendor = 0x8086, .device = 0x0e1e, .node = 0x40, .map = 0x54 },
	.global = &ivytown_global,
	.boxes = boxes, .n_boxes = COUNT(boxes),
	.metrics = &ivytown_metrics,
	.constants = constants, .n_constants = COUNT(constants),
	.overflows = &ivytown_overflows,
	.groups = groups, .n_groups = COUNT(groups),
	.source = "329468-002, Intel ivytown_uncore event file V24, kernel uncore_snbep, likwid, "
		  "pcm, libpfm4",
};
