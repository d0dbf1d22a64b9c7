/* ivytown.c - the uncore registers of Xeon E5 v2 and E7 v2 (329468-002): MSRs and PCI configuration space, freeze of
 * boxes and of the socket, overflow.
 *
 * Owns:  which address is which register, which bits exist, what a read or write does; where the PCI functions are.
 * Never: how often events happen (ivytown_events.c), the catalog, time (model.c).
 * Called with the model's lock held.
 */
#include "config.h"

#include "model/ivytown.h"

#include <assert.h>
#include <stdio.h>

enum {
	K_GLOBAL = KIND_TSC + 1, K_GLOBAL_STATUS, K_CONFIG, K_BOX_CTL, K_STATUS, K_FILTER, K_FREE, K_HIGH, K_ID, K_RATE,
	K_NODE, K_MAP,
};

#define FRZ_ALL   BIT(31)
#define UNFRZ_ALL BIT(29)
#define CTL_EN    BIT(22)
#define CTL_OV_EN BIT(20)
#define CTL_RST   BIT(17)
#define FRZ       BIT(8)
#define RST_CTRS  BIT(1)
#define RST_CTRL  BIT(0)
#define NO_STATUS 0xffffffffu

/* Slots: the MSRs 0xc00-0xeff, the two free-running counters, then 128 words of each PCI function: its first 256 bytes
 * and 0x200-0x2ff. */
#define MSR_FIRST 0xc00u
#define MSR_LAST  0xeffu
#define MSR(addr) ((addr) - MSR_FIRST)
#define FREE_C3   (MSR_LAST - MSR_FIRST + 1)
#define FREE_C6   (FREE_C3 + 1)
#define PCI_FIRST (FREE_C3 + 2)
#define PER_FN    128u

static const struct function {
	uint8_t box, unit, dev, fn;
	uint16_t id;
	uint8_t counters;        /* 0: no counters here */
	uint8_t global_bit;      /* of U_MSR_PMON_GLOBAL_STATUS, likwid's map; 32: none known */
} functions[] = {
	{ IVT_H, 0, 14, 1, 0x0e30, 4, 18 }, { IVT_H, 1, 28, 1, 0x0e38, 4, 19 },
	{ IVT_M, 0, 16, 4, 0x0eb4, 4, 20 }, { IVT_M, 1, 16, 5, 0x0eb5, 4, 20 },
	{ IVT_M, 2, 16, 0, 0x0eb0, 4, 20 }, { IVT_M, 3, 16, 1, 0x0eb1, 4, 20 },
	{ IVT_M, 4, 30, 4, 0x0ef4, 4, 21 }, { IVT_M, 5, 30, 5, 0x0ef5, 4, 21 },
	{ IVT_M, 6, 30, 0, 0x0ef0, 4, 21 }, { IVT_M, 7, 30, 1, 0x0ef1, 4, 21 },
	{ IVT_I, 0, 5, 6, 0x0e39, 4, 32 },
	{ IVT_Q, 0, 8, 2, 0x0e32, 4, 22 }, { IVT_Q, 1, 9, 2, 0x0e33, 4, 23 }, { IVT_Q, 2, 24, 2, 0x0e3a, 4, 32 },
	{ IVT_R2, 0, 19, 1, 0x0e34, 4, 26 },
	{ IVT_R3, 0, 19, 5, 0x0e36, 3, 24 }, { IVT_R3, 1, 19, 6, 0x0e37, 3, 25 }, { IVT_R3, 2, 18, 5, 0x0e3e, 3, 32 },
	{ IVT_Q, 0, 8, 6, 0x0e86, 0, 32 }, { IVT_Q, 1, 9, 6, 0x0e96, 0, 32 }, { IVT_Q, 2, 24, 6, 0x0ec6, 0, 32 },
	{ IVT_Q, 0, 8, 0, 0x0e80, 0, 32 }, { IVT_Q, 2, 24, 0, 0x0ec0, 0, 32 },
	{ IVT_U, 0, 11, 0, 0x0e1e, 0, 32 },          /* UBox: node id and map of the nodes */
};
#define N_SLOTS    (PCI_FIRST + COUNT(functions) * PER_FN)
#define N_COUNTERS 144       /* U 2 + 1, C 15 x 4, P 4, H 2 x 4, M 8 x 5, I 4, Q 3 x 4, R2 4, R3 3 x 3 */

static unsigned pci_slot(unsigned function, unsigned off)
{
	return PCI_FIRST + function * PER_FN + (off < 0x100 ? off / 4 : 64 + (off - 0x200) / 4);
}

static unsigned function_of(unsigned slot)
{
	return (slot - PCI_FIRST) / PER_FN;
}

/* The first function of a unit that counts, or that has its filters. */
static unsigned function_find(uint8_t box, uint8_t unit, uint8_t fn)
{
	unsigned i = 0;

	while (functions[i].box != box || functions[i].unit != unit || functions[i].fn != fn)
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
		[IVT_C] = BIT(19), [IVT_P] = BIT(31) | BIT(30) | BIT(21), [IVT_H] = BIT(16), [IVT_Q] = BIT(21),
	};

	return bits_mask(box == IVT_U || box == IVT_P ? 28 : 31, 24) | CTL_EN | CTL_OV_EN | BIT(18) | CTL_RST |
	       bits_mask(15, 0) | more[box];
}

static uint64_t width_mask(uint8_t box)
{
	return box == IVT_U || box == IVT_C || box == IVT_R2 || box == IVT_R3 ? MASK44 : MASK48;
}

/* A control and its counter. */
static void put_pair(struct regdef *def, uint8_t *n, uint8_t box, uint8_t unit, uint8_t index, unsigned ctl, unsigned ctr)
{
	struct regdef d = { .box = box, .unit = unit, .index = index, .counter = (*n)++ };

	d.kind = KIND_CTL;
	d.keep = ctl_bits(box);
	d.rsv = box == IVT_R3 ? BIT(23) : 0;
	put(def, ctl, d);
	d.kind = KIND_CTR;
	d.keep = width_mask(box);
	d.rsv = 0;
	put(def, ctr, d);
	if (ctr >= PCI_FIRST) {
		d.kind = K_HIGH;
		put(def, ctr + 1, d);
	}
}

static void put_fixed(struct regdef *def, uint8_t *n, uint8_t box, uint8_t unit, unsigned ctl, unsigned ctr)
{
	struct regdef d = { .box = box, .unit = unit, .index = 32, .counter = (*n)++, .fixed = true };

	d.kind = KIND_CTL;
	d.keep = CTL_EN | CTL_OV_EN | BIT(19);
	put(def, ctl, d);
	d.kind = KIND_CTR;
	d.keep = MASK48;
	put(def, ctr, d);
	if (ctr >= PCI_FIRST) {
		d.kind = K_HIGH;
		put(def, ctr + 1, d);
	}
}

static void map_msrs(struct regdef *def, uint8_t *n)
{
	const struct regdef box = { .kind = K_BOX_CTL, .keep = bits_mask(17, 16) | FRZ | RST_CTRS | RST_CTRL };

	put(def, MSR(0xc00), (struct regdef){ .kind = K_GLOBAL, .keep = FRZ_ALL | BIT(30) | UNFRZ_ALL | bits_mask(14, 0),
					      .rsv = BIT(28) | BIT(27) });
	put(def, MSR(0xc01), (struct regdef){ .kind = K_GLOBAL_STATUS, .keep = bits_mask(26, 0) });
	put(def, MSR(0xc06), (struct regdef){ .kind = K_CONFIG, .access = ACCESS_RO, .keep = 0xf });
	put_fixed(def, n, IVT_U, 0, MSR(0xc08), MSR(0xc09));
	for (uint8_t i = 0; i < 2; i++)
		put_pair(def, n, IVT_U, 0, i, MSR(0xc10u + i), MSR(0xc16u + i));
	put(def, MSR(0xc15), (struct regdef){ .kind = K_STATUS, .box = IVT_U, .keep = 3 });
	put(def, MSR(0xc24), box);
	def[MSR(0xc24)].box = IVT_P;
	put(def, MSR(0xc34), (struct regdef){ .kind = K_FILTER, .box = IVT_P, .keep = UINT32_MAX });
	put(def, MSR(0xc35), (struct regdef){ .kind = K_STATUS, .box = IVT_P, .keep = 15 });
	for (uint8_t i = 0; i < 4; i++)
		put_pair(def, n, IVT_P, 0, i, MSR(0xc30u + i), MSR(0xc36u + i));
	put(def, FREE_C3, (struct regdef){ .kind = K_FREE, .box = IVT_P, .access = ACCESS_RO, .keep = UINT64_MAX });
	put(def, FREE_C6, (struct regdef){ .kind = K_FREE, .box = IVT_P, .access = ACCESS_RO, .keep = UINT64_MAX });
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
static unsigned pci_counter(const struct function *f, unsigned index)
{
	static const uint8_t irp[] = { 0xa0, 0xb0, 0xb8, 0xc0 };

	return f->box == IVT_I ? irp[index] : 0xa0 + 8 * index;
}

static void map_function(struct regdef *def, unsigned i, uint8_t *n)
{
	const struct function *f = &functions[i];
	struct regdef d = { .box = f->box, .unit = f->unit };

	d.kind = K_ID;
	d.access = ACCESS_RO;
	d.keep = UINT32_MAX;
	put(def, pci_slot(i, 0), d);
	d.access = ACCESS_RW;
	if (!f->counters)
		return;
	for (uint8_t c = 0; c < f->counters; c++)
		put_pair(def, n, f->box, f->unit, c, pci_slot(i, 0xd8 + 4u * c), pci_slot(i, pci_counter(f, c)));
	if (f->box == IVT_M)
		put_fixed(def, n, f->box, f->unit, pci_slot(i, 0xf0), pci_slot(i, 0xd0));
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

	for (unsigned i = 0; i < COUNT(functions); i++)
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
			d.keep = k % 2 ? bits_mask(19, 16) | bits_mask(3, 0) : BIT(31) | bits_mask(17, 3);
			d.rsv = UINT32_MAX & ~d.keep;
			put(def, pci_slot(function_find(IVT_Q, u, 6), match[k]), d);
		}
	for (unsigned i = 0; i < COUNT(functions); i++)
		if (functions[i].box == IVT_Q && functions[i].fn == 0)
			put(def, pci_slot(i, 0xd4), (struct regdef){ .kind = K_RATE, .box = IVT_Q, .access = ACCESS_RO, .keep = 7 });
	put(def, pci_slot(COUNT(functions) - 1, 0x40), (struct regdef){ .kind = K_NODE, .access = ACCESS_RO, .keep = 7 });
	put(def, pci_slot(COUNT(functions) - 1, 0x54), (struct regdef){ .kind = K_MAP, .access = ACCESS_RO, .keep = 0xffffff });
}

static void map(const struct family *f, struct regdef *def)
{
	uint8_t n = 0;

	map_msrs(def, &n);
	map_pci(def, &n);
	assert(n == f->n_counters);
}

static int slot_of(struct reg r)
{
	if (r.space == SPACE_MSR)
		return r.off == 0x3fc ? (int)FREE_C3 : r.off == 0x3fd ? (int)FREE_C6 :
		       r.off >= MSR_FIRST && r.off <= MSR_LAST ? (int)MSR(r.off) : -1;
	if (r.off % 4 || (r.off >= 0x100 && (r.off < 0x200 || r.off >= 0x300)))
		return -1;
	for (unsigned i = 0; i < COUNT(functions); i++)
		if (functions[i].dev == r.dev && functions[i].fn == r.fn)
			return (int)pci_slot(i, r.off);
	return -1;
}

static struct reg address(unsigned slot)
{
	unsigned word = (slot - PCI_FIRST) % PER_FN;

	if (slot < PCI_FIRST)
		return (struct reg){ .space = SPACE_MSR, .bytes = 8,
				     .off = slot == FREE_C3 ? 0x3fc : slot == FREE_C6 ? 0x3fd : slot + MSR_FIRST };
	return (struct reg){ .space = SPACE_PCI, .bytes = 8, .dev = functions[function_of(slot)].dev,
			     .fn = functions[function_of(slot)].fn, .off = word < 64 ? 4 * word : 0x200 + 4 * (word - 64) };
}

static void name(const struct regdef *d, char *buf, size_t n)
{
	static const char *const boxes[IVT_BOXES] = { "U", "C", "P", "HA", "M", "IRP", "Q", "R2", "R3" };
	static const char *const kinds[] = {
		"global_ctl", "global_status", "global_config", "box_ctl", "box_status", "filter", "free_ctr", "ctr_high", "id",
		"rate", "node_id", "node_map",
	};

	if (d->kind >= K_GLOBAL)
		snprintf(buf, n, "%s%u.%s", boxes[d->box], d->unit, kinds[d->kind - K_GLOBAL]);
	else
		snprintf(buf, n, "%s%u.%s%u", boxes[d->box], d->unit, d->kind == KIND_CTL ? "ctl" : "ctr", d->index);
}

/* ------------------------------------------------------------------ enables, overflow */

static unsigned box_ctl(const struct counter *c)
{
	return c->box == IVT_C ? MSR(0xd04u + 0x20u * c->unit) : c->box == IVT_P ? MSR(0xc24u) :
	       pci_slot(function_of(c->ctl), 0xf4);
}

/* The box's status register, if it is known and has a bit for this counter. */
static unsigned status_of(const struct counter *c)
{
	if (c->fixed || c->box == IVT_C)
		return NO_STATUS;
	return c->box == IVT_U ? MSR(0xc15u) : c->box == IVT_P ? MSR(0xc35u) : pci_slot(function_of(c->ctl), 0xf8);
}

static uint64_t global_bit(const struct counter *c)
{
	if (c->box == IVT_U)
		return c->fixed ? BIT(0) : BIT(1);
	if (c->box == IVT_P)
		return BIT(2);
	return c->box == IVT_C ? BIT(3 + c->unit) : BIT(functions[function_of(c->ctl)].global_bit) & bits_mask(26, 0);
}

/* An overflow freezes the socket if ov_en is set and its bit does not stand from the last time (2.2.2.1). */
static bool pmi_arms(const struct socket *s, const struct counter *c)
{
	unsigned status = status_of(c);

	return c->active && s->reg[c->ctl] & CTL_OV_EN && (status == NO_STATUS || !(s->reg[status] & BIT(c->index)));
}

static void enables(struct socket *s)
{
	s->armed = false;
	for (unsigned i = 0; i < s->n_counters; i++) {
		struct counter *c = &s->ctr[i];

		c->active = !s->stop_clock && !s->frozen && s->reg[c->ctl] & CTL_EN &&
			    (c->box == IVT_U || !(s->reg[box_ctl(c)] & FRZ));
		s->armed = s->armed || pmi_arms(s, c);
	}
}

static void overflow(struct socket *s, const struct counter *c, nsec at)
{
	unsigned status = status_of(c);

	if (!(s->reg[c->ctl] & CTL_OV_EN))
		return;
	if (pmi_arms(s, c) && s->freeze_at < 0)
		s->freeze_at = at + FREEZE_LATENCY;
	if (status != NO_STATUS)
		s->reg[status] |= BIT(c->index);
	s->reg[MSR(0xc01)] |= global_bit(c);
	enables(s);
}

static void freeze(struct socket *s)
{
	s->frozen = true;
	s->freeze_at = -1;
	enables(s);
}

static bool wraps(const struct socket *s, const struct counter *c)
{
	(void)s;
	(void)c;
	return true;
}

/* ------------------------------------------------------------------ access */

/* Node ids are not in the order of the sockets: who takes one for the other is found out. */
static unsigned node_of(unsigned socket)
{
	return (3 * socket + 1) % 8;
}

static uint64_t node_map(void)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)node_of(i) << 3 * i;
	return v;
}

static int do_read(struct model *m, struct socket *s, unsigned slot, unsigned bytes, uint64_t *ret)
{
	const struct regdef *d = &m->def[slot];
	bool half = slot >= PCI_FIRST && bytes == 4;

	switch (d->kind) {
	case KIND_CTR:
		*ret = counter_read(m, s, &s->ctr[d->counter]);
		if (half)
			*ret = (uint32_t)*ret;
		return 0;
	case K_HIGH:
		*ret = counter_read(m, s, &s->ctr[d->counter]) >> 32;
		return 0;
	case K_FREE:                                         /* core cycles at 2.7 GHz, part of the time */
		*ret = (uint64_t)((__int128)m->now * (slot == FREE_C3 ? 27 : 81) / 100);
		return 0;
	case K_ID:
		*ret = (uint64_t)functions[function_of(slot)].id << 16 | 0x8086;
		return 0;
	case K_RATE:                                         /* 4.0 + 0.8 x 5 = 8.0 GT/s */
		*ret = 5;
		return 0;
	case K_NODE:
		*ret = node_of(s->number);
		return 0;
	case K_MAP:
		*ret = node_map();
		return 0;
	default:
		socket_sync(m, s);
		*ret = s->reg[slot];
		return 0;
	}
}

static double box_ghz(const struct counter *c)
{
	static const double ghz[IVT_BOXES] = {
		[IVT_U] = UNCORE_GHZ, [IVT_C] = UNCORE_GHZ, [IVT_P] = 0.8, [IVT_H] = UNCORE_GHZ, [IVT_M] = 0.933, [IVT_I] = UNCORE_GHZ,
		[IVT_Q] = 1.0, [IVT_R2] = UNCORE_GHZ, [IVT_R3] = UNCORE_GHZ,
	};

	return ghz[c->box];
}

static void set_rates(struct model *m, struct socket *s, struct counter *c)
{
	for (unsigned p = 0; p < (m->workload->bursty ? PHASES : 1); p++) {
		struct load l = workload_load(m, s->number, c->unit, p);

		c->rate[p] = (uint64_t)(ivt_events_per_cycle(m, s, c, &l) * box_ghz(c) * (double)EVENT + 0.5);
	}
}

static void store(struct model *m, struct socket *s, unsigned slot, uint64_t value)
{
	const struct regdef *d = &m->def[slot];

	if (d->kind == KIND_CTR) {
		s->ctr[d->counter].value = value & d->keep;
		return;
	}
	s->reg[slot] = value;
	for (unsigned i = 0; i < s->n_counters; i++) {
		struct counter *c = &s->ctr[i];

		if (c->ctl == slot || (d->kind == K_FILTER && c->box == d->box && c->unit == d->unit))
			set_rates(m, s, c);
	}
	enables(s);
}

/* rst_ctrl and rst_ctrs of a box control. */
static void reset_box(struct model *m, struct socket *s, unsigned slot, uint64_t value)
{
	for (unsigned i = 0; i < s->n_counters; i++) {
		struct counter *c = &s->ctr[i];

		if (c->box == IVT_U || box_ctl(c) != slot)
			continue;
		if (value & RST_CTRS)
			c->value = 0;
		if (value & RST_CTRL)
			store(m, s, c->ctl, 0);
	}
}

static void write_half(struct socket *s, const struct regdef *d, uint64_t value)
{
	struct counter *c = &s->ctr[d->counter];

	c->value = (d->kind == K_HIGH ? (value << 32 | (uint32_t)c->value) : (c->value >> 32 << 32 | (uint32_t)value)) & c->mask;
}

static int do_write(struct model *m, struct socket *s, unsigned slot, unsigned bytes, uint64_t value)
{
	const struct regdef *d = &m->def[slot];

	socket_sync(m, s);
	if (value & d->rsv)
		model_violation(m, s, slot, "reserved bits 0x%llx written", (unsigned long long)(value & d->rsv));
	if (d->kind == K_HIGH || (d->kind == KIND_CTR && slot >= PCI_FIRST && bytes == 4)) {
		write_half(s, d, value);
		return 0;
	}
	value &= d->keep;
	switch (d->kind) {
	case K_GLOBAL:
		if (value & (FRZ_ALL | UNFRZ_ALL))
			s->frozen = value & FRZ_ALL;
		value &= ~(FRZ_ALL | UNFRZ_ALL);
		break;
	case K_GLOBAL_STATUS:
	case K_STATUS:
		value = s->reg[slot] & ~value;
		break;
	case K_BOX_CTL:
		reset_box(m, s, slot, value);
		value &= ~(RST_CTRS | RST_CTRL);
		break;
	case KIND_CTL:
		if (value & (d->fixed ? BIT(19) : CTL_RST))
			s->ctr[d->counter].value = 0;
		value &= ~(d->fixed ? BIT(19) : CTL_RST | (d->box == IVT_H ? BIT(16) : 0));
		break;
	default:
		break;
	}
	store(m, s, slot, value);
	return 0;
}

/* Socket i: uncore bus 0x3f + 0x40 i, above four sockets 0x1f + 0x20 i; the IRP is on the first bus of the socket. */
static size_t list_functions(const struct model *m, unsigned socket, struct model_function *v, size_t n)
{
	unsigned step = m->n_sockets > 4 ? 0x20 : 0x40;

	for (size_t i = 0; i < COUNT(functions) && i < n; i++)
		v[i] = (struct model_function){
			.bus = (uint8_t)(functions[i].box == IVT_I ? step * socket : step * socket + step - 1),
			.dev = functions[i].dev, .fn = functions[i].fn, .id = functions[i].id,
		};
	return COUNT(functions);
}

const struct family family_ivytown = {
	.processor = "ivytown", .n_slots = N_SLOTS, .n_counters = N_COUNTERS, .map = map, .slot = slot_of, .address = address,
	.name = name, .read = do_read, .write = do_write, .store = store, .enables = enables, .pmi_arms = pmi_arms,
	.overflow = overflow, .freeze = freeze, .wraps = wraps, .functions = list_functions,
};
