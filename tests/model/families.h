/* SPDX-License-Identifier: MIT
 * A configuration that fills all counters of a family's boxes, and its registers as
 * they were found.
 */
#ifndef TESTS_MODEL_FAMILIES_H
#define TESTS_MODEL_FAMILIES_H

#include "rig.h"

struct family {
	const char *name;
	unsigned counters;          /* of a socket */
	const char *events;         /* fill them all */
	const char *clock;          /* identity of a slot that always counts */
};

#define NEHALEM_EVENTS \
	"\"uncore/CLK_UNHALTED\", \"uncore/LLC_MISS:ANY\", \"uncore/LLC_HITS:ANY,threshold=1\", " \
	"\"uncore/QHL_OCCUPANCY:LOCAL\", \"uncore/QMC_WRITES:FULL_ANY\", " \
	"\"uncore/QMC_NORMAL_READS:ANY\", " \
	"\"uncore/GQ_ALLOC:READ_TRACKER\", \"uncore/QMC_BUSY:READ_CH0,threshold=1,edge\", "
/* IRP: its events are listed for counters 0 and 1 only. */
#define IVYTOWN_EVENTS \
	"\"ubox/UCLK\", \"ubox/LOCK_CYCLES\", \"ubox/CLOCKTICKS\", " \
	"\"cbox/TOR_OCCUPANCY:ALL\", \"cbox/LLC_LOOKUP:ANY,state=0x3e\", " \
	"\"cbox/RING_AD_USED:CW\", \"cbox/RING_BL_USED:CCW\", " \
	"\"pcu/CLOCKTICKS\", \"pcu/FREQ_BAND0_CYCLES,band=20\", " \
	"\"pcu/POWER_STATE_OCCUPANCY:CORES_C0\", " \
	"\"pcu/FREQ_TRANS_CYCLES\", " \
	"\"ha/CLOCKTICKS\", \"ha/REQUESTS:READS\", \"ha/REQUESTS:WRITES\", " \
	"\"ha/IMC_READS:NORMAL\", " \
	"\"imc/DCLK\", \"imc/CAS_COUNT:RD\", \"imc/CAS_COUNT:WR\", \"imc/ACT_COUNT:RD\", " \
	"\"imc/PRE_COUNT:PAGE_MISS\", " \
	"\"irp/CLOCKTICKS\", \"irp/RXR_AK_INSERTS\", " \
	"\"qpi/CLOCKTICKS\", \"qpi/TXL_FLITS_G0:DATA\", \"qpi/TXL_FLITS_G1:SNP\", " \
	"\"qpi/CTO_COUNT,match0=0x1c00,mask0=0x1f80\", " \
	"\"r2pcie/CLOCKTICKS\", \"r2pcie/RXR_OCCUPANCY:DRS\", \"r2pcie/RING_AD_USED:CW\", " \
	"\"r2pcie/RXR_INSERTS:NCB\", " \
	"\"r3qpi/RXR_OCCUPANCY:DRS\", \"r3qpi/RXR_INSERTS:DRS\", \"r3qpi/RING_BL_USED:CW\""
static const struct family families[] = {
	{ "ivytown", 142, IVYTOWN_EVENTS, "ubox0/UCLK" },
	{ "nehalem-ex", 98, RIG_ALL_EVENTS, "wbox0/CLOCKTICKS" },
	{ "westmere-ex", 110, RIG_ALL_EVENTS, "wbox0/CLOCKTICKS" },
	{ "nehalem", 9, NEHALEM_EVENTS "\"uncore/QMC_NORMAL_FULL:READ_CH0\"", "uncore0/CLK_UNHALTED" },
	{ "westmere", 9, NEHALEM_EVENTS
	  "\"uncore/ADDR_OPCODE_MATCH:LOCAL,match=both,address=0x12340,opc=0x1a\"",
	  "uncore0/CLK_UNHALTED" },
};

static inline char *all(const struct family *f, const char *settings)
{
	static char text[16384];

	snprintf(text, sizeof(text), "%s groups = ( { name = \"all\"; events = [ %s ]; } );",
		 settings, f->events);
	return text;
}

/* Everything that the catalog says is there, but counts and what only tells of overflows. */
static inline unsigned peek(struct rig *r, unsigned socket, uint64_t *v, unsigned most)
{
	unsigned n = 0;

	for (const struct cat_box *b = cat_box_next(r->cpu, NULL); b; b = cat_box_next(r->cpu, b))
		for (const struct cat_reg *row = b->regs; row < b->regs + b->n_regs; row++)
			for (unsigned u = 0; u < b->n_units; u++)
				for (unsigned i = row->first;
				     i < (unsigned)row->first + row->count; i++) {
					bool control = row->role == CAT_GLOBAL_CTL ||
						row->role == CAT_BOX_CTL || row->role == CAT_CTL ||
						     row->role == CAT_FIXED_CTL ||
						     row->role == CAT_SUB ||
						     row->role == CAT_FILTER;

					assert_true(n < most);
					v[n++] = control ? model_peek(r->m, socket,
						cat_reg_address(b, row, u, i)) : 0;
				}
	return n;
}

#define REGS 4000
static uint64_t before[REGS], after[REGS];

static inline void same_as_before(struct rig *r, const char *name)
{
	unsigned n = peek(r, 0, after, REGS);

	for (unsigned i = 0; i < n; i++)
		if (before[i] != after[i])
			fail_msg("%s: register %u of the tables was 0x%" PRIx64 ", is 0x%" PRIx64,
				 name, i, before[i], after[i]);
}

#endif
