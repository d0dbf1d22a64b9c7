/* SPDX-License-Identifier: MIT
 * The addresses of Xeon E5 v2 and E7 v2 (329468-002): MSRs and PCI configuration space.
 * Owns:  which address is which register, which bits exist, where the PCI functions are.
 * Never: what a read or write does (model_ivytown.c).
 */
#include "model/model_ivytown.h"

const struct pci_function ivt_functions[IVT_FUNCTIONS] = {
	{ IVT_H, 0, 14, 1, 0x0e30, 4, 18 }, { IVT_H, 1, 28, 1, 0x0e38, 4, 19 },
	{ IVT_M, 0, 16, 4, 0x0eb4, 4, 20 }, { IVT_M, 1, 16, 5, 0x0eb5, 4, 20 },
	{ IVT_M, 2, 16, 0, 0x0eb0, 4, 20 }, { IVT_M, 3, 16, 1, 0x0eb1, 4, 20 },
	{ IVT_M, 4, 30, 4, 0x0ef4, 4, 21 }, { IVT_M, 5, 30, 5, 0x0ef5, 4, 21 },
	{ IVT_M, 6, 30, 0, 0x0ef0, 4, 21 }, { IVT_M, 7, 30, 1, 0x0ef1, 4, 21 },
	{ IVT_I, 0, 5, 6, 0x0e39, 4, 32 },
	{ IVT_Q, 0, 8, 2, 0x0e32, 4, 22 }, { IVT_Q, 1, 9, 2, 0x0e33, 4, 23 },
	{ IVT_Q, 2, 24, 2, 0x0e3a, 4, 32 },
	{ IVT_R2, 0, 19, 1, 0x0e34, 4, 26 },
	{ IVT_R3, 0, 19, 5, 0x0e36, 3, 24 }, { IVT_R3, 1, 19, 6, 0x0e37, 3, 25 },
	{ IVT_R3, 2, 18, 5, 0x0e3e, 3, 32 },
	{ IVT_Q, 0, 8, 6, 0x0e86, 0, 32 }, { IVT_Q, 1, 9, 6, 0x0e96, 0, 32 },
	{ IVT_Q, 2, 24, 6, 0x0ec6, 0, 32 },
	{ IVT_Q, 0, 8, 0, 0x0e80, 0, 32 }, { IVT_Q, 2, 24, 0, 0x0ec0, 0, 32 },
	{ IVT_U, 0, 11, 0, 0x0e1e, 0, 32 },          /* UBox: node id and map of the nodes */
};

/* Of these, from where on: home agents, packet match of QPI, rates of QPI, UBox. */
enum { HOME_AGENTS = 0, QPI_MATCH = 18, QPI_RATES = 21, UBOX_NODES = 23 };

unsigned ivt_filter(const struct counter *c, unsigned which)
{
	static const uint16_t match[] = { 0x228, 0x22c, 0x238, 0x23c };

	switch (c->box) {
	case IVT_C: return MSR(0xd14u + 0x20u * c->unit + (which ? 6 : 0));
	case IVT_P: return MSR(0xc34u);
	case IVT_H: return PCI_REGNO(HOME_AGENTS + c->unit, 0x40 + 4 * which);
	default: return PCI_REGNO(QPI_MATCH + c->unit, match[which]);
	}
}

static uint64_t ctl_bits(uint8_t box)
{
	static const uint64_t more[IVT_BOXES] = {
		[IVT_C] = BIT(19), [IVT_P] = BIT(31) | BIT(30) | BIT(21),
		[IVT_Q] = BIT(21),
	};

	return bits_mask(box == IVT_U || box == IVT_P ? 28 : 31, 24) | CTL_EN | CTL_OV_EN |
		BIT(18) | CTL_RST | bits_mask(15, 0) | more[box];
}

static uint64_t width_mask(uint8_t box)
{
	return box == IVT_U || box == IVT_C || box == IVT_R2 || box == IVT_R3 ? MASK44 : MASK48;
}

enum { FIXED = 32 };                    /* the index of a fixed counter */

/* A control and its counter. */
static void put_pair(struct register_map *map, uint8_t box, uint8_t unit, uint8_t index,
		     unsigned ctl, unsigned ctr)
{
	struct reg_def d = { .box = box, .unit = unit, .index = index, .fixed = index == FIXED };

	d.bits = d.fixed ? CTL_EN | CTL_OV_EN | BIT(19) : ctl_bits(box);
	d.rsv = box == IVT_R3 ? BIT(23) : 0;
	map_pair(map, ctl, ctr, d, d.fixed ? MASK48 : width_mask(box));
	if (ctr >= PCI_FIRST) {
		d = map->def[ctr];
		d.kind = K_HIGH;
		map_put(map, ctr + 1, d);
	}
}

/* 4.0 + 0.8 x 5 = 8.0 GT/s */
#define RATE_8_0_GT  5
#define BOX_CTL_BITS (BIT(17) | BIT(16) | FRZ | RST_CTRS | RST_CTRL)
/* QPI packet match: the low word and the high word of a pair. */
#define HA_FILTER(b) { K_FILTER, IVT_H, .bits = b }
#define PACKET_LOW  { K_FILTER, IVT_Q, .bits = 0x8003fff8, .rsv = 0x7ffc0007 }
#define PACKET_HIGH { K_FILTER, IVT_Q, .bits = 0x000f000f, .rsv = 0xfff0fff0 }

/* What is neither a counter nor the same in every PCI function. */
static const struct reg_row rows[] = {
	{ MSR(0xc00), 1, .def = { K_GLOBAL, .bits = FRZ_ALL | BIT(30) | UNFRZ_ALL | 0x7fff,
				  .rsv = BIT(28) | BIT(27) } },
	{ MSR(0xc01), 1, .def = { K_GLOBAL_STATUS, .bits = 0x7ffffff } },
	{ MSR(0xc06), 1, .def = { K_CONFIG, .access = ACCESS_RO, .bits = 0xf } },
	{ MSR(0xc15), 1, .def = { K_STATUS, IVT_U, .bits = 3 } },
	{ MSR(0xc24), 1, .def = { K_BOX_CTL, IVT_P, .bits = BOX_CTL_BITS } },
	{ MSR(0xc34), 1, .def = { K_FILTER, IVT_P, .bits = UINT32_MAX } },
	{ MSR(0xc35), 1, .def = { K_STATUS, IVT_P, .bits = 15 } },
	{ FREE_C3, 1, 0, 2, 1, .def = { K_FREE, IVT_P, .access = ACCESS_RO, .bits = UINT64_MAX } },
	{ MSR(0xd04), 15, 0x20, .def = { K_BOX_CTL, IVT_C, .bits = BOX_CTL_BITS } },
	{ MSR(0xd14), 15, 0x20, .def = { K_FILTER, IVT_C, .bits = 0x7e01ff } },
	{ MSR(0xd1a), 15, 0x20, .def = { K_FILTER, IVT_C, .bits = 0xfff0ffff } },
	{ PCI_REGNO(HOME_AGENTS, 0x40), 2, FUNCTION_REGS, .def = HA_FILTER(0xffffffc0) },
	{ PCI_REGNO(HOME_AGENTS, 0x44), 2, FUNCTION_REGS, .def = HA_FILTER(0x3fff) },
	{ PCI_REGNO(HOME_AGENTS, 0x48), 2, FUNCTION_REGS, .def = HA_FILTER(0x3f) },
	{ PCI_REGNO(QPI_MATCH, 0x228), 3, FUNCTION_REGS, .def = PACKET_LOW },
	{ PCI_REGNO(QPI_MATCH, 0x22c), 3, FUNCTION_REGS, .def = PACKET_HIGH },
	{ PCI_REGNO(QPI_MATCH, 0x238), 3, FUNCTION_REGS, .def = PACKET_LOW },
	{ PCI_REGNO(QPI_MATCH, 0x23c), 3, FUNCTION_REGS, .def = PACKET_HIGH },
	{ PCI_REGNO(QPI_RATES, 0xd4), 1, 0, 2, FUNCTION_REGS,
	  .def = { K_CONSTANT, IVT_Q, .access = ACCESS_RO, .bits = 7, .value = RATE_8_0_GT } },
	{ PCI_REGNO(UBOX_NODES, 0x40), 1, .def = { K_NODE, .access = ACCESS_RO, .bits = 7 } },
	{ PCI_REGNO(UBOX_NODES, 0x54), 1,
	  .def = { K_CONSTANT, .access = ACCESS_RO, .bits = 0xffffff, .value = NODES } },
};

static void map_msrs(struct register_map *map)
{
	put_pair(map, IVT_U, 0, FIXED, MSR(0xc08), MSR(0xc09));
	for (uint8_t i = 0; i < 2; i++)
		put_pair(map, IVT_U, 0, i, MSR(0xc10u + i), MSR(0xc16u + i));
	for (uint8_t i = 0; i < 4; i++)
		put_pair(map, IVT_P, 0, i, MSR(0xc30u + i), MSR(0xc36u + i));
	for (uint8_t u = 0; u < 15; u++)
		for (uint8_t i = 0; i < 4; i++)
			put_pair(map, IVT_C, u, i, MSR(0xd10u + 0x20u * u + i),
				 MSR(0xd16u + 0x20u * u + i));
}

/* The counters of the IRP have offsets of their own. */
static unsigned pci_counter(const struct pci_function *f, unsigned index)
{
	static const uint8_t irp[] = { 0xa0, 0xb0, 0xb8, 0xc0 };

	return f->box == IVT_I ? irp[index] : 0xa0 + 8 * index;
}

static void map_function(struct register_map *map, unsigned i)
{
	const struct pci_function *f = &ivt_functions[i];
	struct reg_def d = { .box = f->box, .unit = f->unit };

	map_put(map, PCI_REGNO(i, 0), (struct reg_def){
		.kind = K_CONSTANT, .access = ACCESS_RO, .bits = UINT32_MAX,
		.value = (uint64_t)f->id << 16 | 0x8086 });
	if (!f->counters)
		return;
	for (uint8_t c = 0; c < f->counters; c++)
		put_pair(map, f->box, f->unit, c, PCI_REGNO(i, 0xd8 + 4u * c),
			 PCI_REGNO(i, pci_counter(f, c)));
	if (f->box == IVT_M)
		put_pair(map, f->box, f->unit, FIXED, PCI_REGNO(i, 0xf0), PCI_REGNO(i, 0xd0));
	d.kind = K_BOX_CTL;
	d.bits = BOX_CTL_BITS;
	map_put(map, PCI_REGNO(i, 0xf4), d);
	d.kind = K_STATUS;
	d.bits = bits_mask(f->counters - 1u, 0);
	map_put(map, PCI_REGNO(i, 0xf8), d);
}

void ivt_map(struct register_map *map)
{
	map_rows(map, rows, COUNT(rows));
	map_msrs(map);
	for (unsigned i = 0; i < IVT_FUNCTIONS; i++)
		map_function(map, i);
}
