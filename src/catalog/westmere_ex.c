/* westmere_ex.c - Intel Xeon E7-2800/4800/8800 (Westmere-EX): the Xeon 7500's uncore with ten
 * C-Boxes.
 *
 * Owns:  what holds for the whole processor.
 * Never: a box: what differs from the Xeon 7500's stands beside it in nehalem_ex_*box.c.
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

static const struct cat_box *const boxes[] = {
	&westmere_ex_ubox, &westmere_ex_cbox, &westmere_ex_bbox, &westmere_ex_sbox,
	&nehalem_ex_rbox, &westmere_ex_mbox, &nehalem_ex_wbox,
};

/* Ten C-Boxes leave no room for the links of the Xeon 7500's groups below 100 series. */
static const struct cat_group groups[] = {
	G("memory", TEXTS("wbox/CLOCKTICKS", "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL", "bbox/CONFLICTS")),
	G("llc", TEXTS("cbox/LLC_HITS:ALL", "cbox/LLC_MISSES:ALL")),
};

static const struct cat_id ids[] = { { 6, 0x2f } };

const struct cat_processor cat_westmere_ex = {
	.name = "westmere-ex",
	.title = "Intel Xeon E7-2800, 4800, 8800 (Westmere-EX)",
	.ids = ids, .n_ids = COUNT(ids),
	.cores = 10,
	.global = &nehalem_ex_global,
	.boxes = boxes, .n_boxes = COUNT(boxes),
	.metrics = &nehalem_ex_metrics,
	.overflows = &nehalem_ex_overflows,
	.groups = groups, .n_groups = COUNT(groups),
	.source = "323535-001, Linux uncore_nhmex.c, likwid",
};
