/* ivytown_map.c - the addresses of Xeon E5 v2 and E7 v2 (329468-002): MSRs and PCI configuration
 * space.
 *
 * Owns:  which address is which register, which bits exist, where the PCI functions are.
 * Never: what a read or write does (model_ivytown.c).
 */
#include "config.h"

#include "model/model_ivytown.h"

#include <assert.h>
#include <stdio.h>

const struct ivt_function ivt_functions[IVT_FUNCTIONS] = {
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

/* The first function of a unit that counts, or that has its filters. */
static unsigned function_find(uint8_t box, uint8_t unit, uint8_t fn)
{
	unsigned i = 0;

	while (ivt_functions[i].box != box || ivt_functions[i].unit != unit ||
	       ivt_functions[i].fn != fn)
		i++;
	return i;
}

unsigned ivt_filter(const struct counter *c, unsigned which)
{
	static const uint16_t match[] = { 0x228, 0x22c, 0x238, 0x23c };

	switch (c->box) {
	case IVT_C: return MSR(0xd14u + 0x20u * c->unit + (which ? 6 : 0));
	case IVT_P: return MSR(0xc34u);
	case IVT_H: return pci_slot(c->unit, 0x40 + 4 * which);
	default: return pci_slot(function_find(IVT_Q, c->unit, 6), match[which]);
	}
}

/* ------------------------------------------------------------------ map */

static void put(struct regdef *def, unsigned slot, struct regdef d)
{
	assert(slot < N_SLOTS && def[slot].kind == KIND_NONE);
	def[slot] = d;
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
static void put_pair(struct regdef *def, uint8_t *n, uint8_t box, uint8_t unit, uint8_t index,
		     unsigned ctl, unsigned ctr)
{
	struct regdef d = { .kind = KIND_CTL, .box = box, .unit = unit, .index = index,
			    .counter = (*n)++, .fixed = index == FIXED };

	d.keep = d.fixed ? CTL_EN | CTL_OV_EN | BIT(19) : ctl_bits(box);
	d.rsv = box == IVT_R3 ? BIT(23) : 0;
	put(def, ctl, d);
	d.kind = KIND_CTR;
	d.keep = d.fixed ? MASK48 : width_mask(box);
	d.rsv = 0;
	put(def, ctr, d);
	if (ctr >= PCI_FIRST) {
		d.kind = K_HIGH;
		put(def, ctr + 1, d);
	}
}

static void map_msrs(struct regdef *def, uint8_t *n)
{
	const struct regdef box = { .kind = K_BOX_CTL,
				    .keep = bits_mask(17, 16) | FRZ | RST_CTRS | RST_CTRL };

	put(def, MSR(0xc00), (struct regdef){ .kind = K_GLOBAL,
					      .keep = FRZ_ALL | BIT(30) | UNFRZ_ALL |
					      bits_mask(14, 0),
					      .rsv = BIT(28) | BIT(27) });
	put(def, MSR(0xc01), (struct regdef){ .kind = K_GLOBAL_STATUS, .keep = bits_mask(26, 0) });
	put(def, MSR(0xc06), (struct regdef){ .kind = K_CONFIG, .access = ACCESS_RO, .keep = 0xf });
	put_pair(def, n, IVT_U, 0, FIXED, MSR(0xc08), MSR(0xc09));
	for (uint8_t i = 0; i < 2; i++)
		put_pair(def, n, IVT_U, 0, i, MSR(0xc10u + i), MSR(0xc16u + i));
	put(def, MSR(0xc15), (struct regdef){ .kind = K_STATUS, .box = IVT_U, .keep = 3 });
	put(def, MSR(0xc24), box);
	def[MSR(0xc24)].box = IVT_P;
	put(def, MSR(0xc34), (struct regdef){ .kind = K_FILTER, .box = IVT_P, .keep = UINT32_MAX });
	put(def, MSR(0xc35), (struct regdef){ .kind = K_STATUS, .box = IVT_P, .keep = 15 });
	for (uint8_t i = 0; i < 4; i++)
		put_pair(def, n, IVT_P, 0, i, MSR(0xc30u + i), MSR(0xc36u + i));
	put(def, FREE_C3, (struct regdef){ .kind = K_FREE, .box = IVT_P, .access = ACCESS_RO,
					   .keep = UINT64_MAX });
	put(def, FREE_C6, (struct regdef){ .kind = K_FREE, .box = IVT_P, .access = ACCESS_RO,
					   .keep = UINT64_MAX });
	for (uint8_t u = 0; u < 15; u++) {
		unsigned at = MSR(0xd00u + 0x20u * u);

		put(def, at + 0x04, box);
		def[at + 0x04].box = IVT_C;
		def[at + 0x04].unit = u;
		put(def, at + 0x14, (struct regdef){ .kind = K_FILTER, .box = IVT_C, .unit = u,
						     .keep = bits_mask(22, 17) | bits_mask(8, 0) });
		put(def, at + 0x1a, (struct regdef){ .kind = K_FILTER, .box = IVT_C, .unit = u,
			.keep = bits_mask(31, 20) | bits_mask(15, 0) });
		for (uint8_t i = 0; i < 4; i++)
			put_pair(def, n, IVT_C, u, i, at + 0x10 + i, at + 0x16 + i);
	}
}

/* The IRP keeps its counters elsewhere than all others. */
static unsigned pci_counter(const struct ivt_function *f, unsigned index)
{
	static const uint8_t irp[] = { 0xa0, 0xb0, 0xb8, 0xc0 };

	return f->box == IVT_I ? irp[index] : 0xa0 + 8 * index;
}

static void map_function(struct regdef *def, unsigned i, uint8_t *n)
{
	const struct ivt_function *f = &ivt_functions[i];
	struct regdef d = { .box = f->box, .unit = f->unit };

	d.kind = K_ID;
	d.access = ACCESS_RO;
	d.keep = UINT32_MAX;
	put(def, pci_slot(i, 0), d);
	d.access = ACCESS_RW;
	if (!f->counters)
		return;
	for (uint8_t c = 0; c < f->counters; c++)
		put_pair(def, n, f->box, f->unit, c, pci_slot(i, 0xd8 + 4u * c),
			 pci_slot(i, pci_counter(f, c)));
	if (f->box == IVT_M)
		put_pair(def, n, f->box, f->unit, FIXED, pci_slot(i, 0xf0), pci_slot(i, 0xd0));
	d.kind = K_BOX_CTL;
	d.keep = bits_mask(17, 16) | FRZ | RST_CTRS | RST_CTRL;
	put(def, pci_slot(i, 0xf4), d);
	d.kind = K_STATUS;
	d.keep = bits_mask(f->counters - 1u, 0);
	put(def, pci_slot(i, 0xf8), d);
}

static void map_pci(struct regdef *def, uint8_t *n)
{
	static const uint16_t match[] = { 0x228, 0x22c, 0x238, 0x23c };
	const struct regdef filter = { .kind = K_FILTER, .box = IVT_Q };

	for (unsigned i = 0; i < IVT_FUNCTIONS; i++)
		map_function(def, i, n);
	for (uint8_t u = 0; u < 2; u++) {
		struct regdef d = { .kind = K_FILTER, .box = IVT_H, .unit = u };

		d.keep = bits_mask(31, 6);
		put(def, pci_slot(u, 0x40), d);
		d.keep = bits_mask(13, 0);
		put(def, pci_slot(u, 0x44), d);
		d.keep = bits_mask(5, 0);
		put(def, pci_slot(u, 0x48), d);
	}
	for (uint8_t u = 0; u < 3; u++)
		for (unsigned k = 0; k < COUNT(match); k++) {
			struct regdef d = filter;

			d.unit = u;
			d.keep = k % 2 ? bits_mask(19, 16) | bits_mask(3, 0) :
					 BIT(31) | bits_mask(17, 3);
			d.rsv = UINT32_MAX & ~d.keep;
			put(def, pci_slot(function_find(IVT_Q, u, 6), match[k]), d);
		}
	for (unsigned i = 0; i < IVT_FUNCTIONS; i++)
		if (ivt_functions[i].box == IVT_Q && ivt_functions[i].fn == 0)
			put(def, pci_slot(i, 0xd4), (struct regdef){ .kind = K_RATE, .box = IVT_Q,
				.access = ACCESS_RO, .keep = 7 });
	put(def, pci_slot(IVT_FUNCTIONS - 1, 0x40),
	    (struct regdef){ .kind = K_NODE, .access = ACCESS_RO, .keep = 7 });
	put(def, pci_slot(IVT_FUNCTIONS - 1, 0x54),
	    (struct regdef){ .kind = K_MAP, .access = ACCESS_RO, .keep = 0xffffff });
}

void ivt_map(const struct family *f, struct regdef *def)
{
	uint8_t n = 0;

	map_msrs(def, &n);
	map_pci(def, &n);
	assert(n == f->n_counters);
}

int ivt_slot(struct reg r)
{
	if (r.space == SPACE_MSR)
		return r.off == 0x3fc ? (int)FREE_C3 : r.off == 0x3fd ? (int)FREE_C6 :
		       r.off >= MSR_FIRST && r.off <= MSR_LAST ? (int)MSR(r.off) : -1;
	if (r.off % 4 || (r.off >= 0x100 && (r.off < 0x200 || r.off >= 0x300)))
		return -1;
	for (unsigned i = 0; i < IVT_FUNCTIONS; i++)
		if (ivt_functions[i].dev == r.dev && ivt_functions[i].fn == r.fn)
			return (int)pci_slot(i, r.off);
	return -1;
}

struct reg ivt_address(unsigned slot)
{
	unsigned word = (slot - PCI_FIRST) % PER_FN;

	if (slot < PCI_FIRST)
		return (struct reg){ .space = SPACE_MSR, .bytes = 8,
				     .off = slot == FREE_C3 ? 0x3fc : slot == FREE_C6 ? 0x3fd :
					    slot + MSR_FIRST };
	return (struct reg){ .space = SPACE_PCI, .bytes = 8,
			     .dev = ivt_functions[function_of(slot)].dev,
			     .fn = ivt_functions[function_of(slot)].fn,
			     .off = word < 64 ? 4 * word : 0x200 + 4 * (word - 64) };
}

void ivt_name(const struct regdef *d, char *buf, size_t n)
{
	static const char *const boxes[] = { "U", "C", "P", "HA", "M", "IRP", "Q", "R2", "R3" };
	static const char *const kinds[] = {
		"global_ctl", "global_status", "global_config", "box_ctl", "box_status", "filter",
		"free_ctr", "ctr_high", "id", "rate", "node_id", "node_map",
	};

	if (d->kind >= K_GLOBAL)
		snprintf(buf, n, "%s%u.%s", boxes[d->box], d->unit, kinds[d->kind - K_GLOBAL]);
	else
		snprintf(buf, n, "%s%u.%s%u", boxes[d->box], d->unit,
			 d->kind == KIND_CTL ? "ctl" : "ctr", d->index);
}

/* Socket i: uncore bus 0x3f + 0x40 i, above four sockets 0x1f + 0x20 i; IRP: its first bus. */
size_t ivt_list(const struct model *m, unsigned socket, struct model_function *v, size_t n)
{
	unsigned step = m->n_sockets > 4 ? 0x20 : 0x40;

	for (size_t i = 0; i < IVT_FUNCTIONS && i < n; i++)
		v[i] = (struct model_function){
			.bus = (uint8_t)(ivt_functions[i].box == IVT_I ? step * socket
					 : step * socket + step - 1),
			.dev = ivt_functions[i].dev, .fn = ivt_functions[i].fn,
			.id = ivt_functions[i].id,
		};
	return IVT_FUNCTIONS;
}
