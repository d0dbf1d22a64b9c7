/* SPDX-License-Identifier: MIT
 * The uncore registers of Xeon E5 v2 and E7 v2 (329468-002): freeze of boxes and
 * of the socket, overflow.
 * Owns:  what a read or write does.
 * Never: where the registers are (ivytown_map.c), how often events happen (ivytown_events.c), the
 *        catalog, time (model.c).
 * Called with the model's lock held.
 */
#include "model/model_ivytown.h"

static unsigned box_ctl(const struct counter *c)
{
	if (c->box == IVT_C)
		return MSR(0xd04u + 0x20u * c->unit);
	if (c->box == IVT_P)
		return MSR(0xc24u);
	return PCI_REGNO(function_of(c->ctl), 0xf4);
}

/* The box's status register, if it is known and has a bit for this counter. */
static unsigned status_of(const struct counter *c)
{
	if (c->fixed || c->box == IVT_C)
		return NO_STATUS;
	if (c->box == IVT_U)
		return MSR(0xc15u);
	if (c->box == IVT_P)
		return MSR(0xc35u);
	return PCI_REGNO(function_of(c->ctl), 0xf8);
}

static uint64_t global_bit(const struct counter *c)
{
	if (c->box == IVT_U)
		return c->fixed ? BIT(0) : BIT(1);
	if (c->box == IVT_P)
		return BIT(2);
	return c->box == IVT_C ? BIT(3 + c->unit) :
	       BIT(ivt_functions[function_of(c->ctl)].global_bit) & bits_mask(26, 0);
}

/* An overflow freezes the socket if ov_en is set and its status bit is clear (2.2.2.1). */
static bool overflow_freezes(const struct socket *s, const struct counter *c)
{
	unsigned status = status_of(c);

	return c->active && s->reg[c->ctl] & CTL_OV_EN &&
		(status == NO_STATUS || !(s->reg[status] & BIT(c->index)));
}

static bool enabled(const struct socket *s, const struct counter *c)
{
	return !s->frozen && s->reg[c->ctl] & CTL_EN &&
		(c->box == IVT_U || !(s->reg[box_ctl(c)] & FRZ));
}

static void overflow(struct socket *s, const struct counter *c)
{
	unsigned status = status_of(c);

	if (!(s->reg[c->ctl] & CTL_OV_EN))
		return;
	if (status != NO_STATUS)
		s->reg[status] |= BIT(c->index);
	s->reg[MSR(0xc01)] |= global_bit(c);
}

static void freeze(struct socket *s)
{
	s->frozen = true;
}

static uint64_t do_read(struct model *m, struct socket *s, unsigned regno)
{
	const struct reg_def *d = &m->def[regno];

	switch (d->kind) {
	case K_HIGH:
		return counter_read(m, s, &s->ctr[d->counter]) >> 32;
	case K_FREE:                            /* core cycles at 2.7 GHz, part of the time */
		return (uint64_t)((__int128)m->now * (regno == FREE_C3 ? 27 : 81) / 100);
	case K_NODE:                            /* see NODES */
		return NODES >> 3 * (s->number % 8) & 7;
	default:
		return register_read(m, s, regno);
	}
}

static const double ghz[IVT_BOXES] = {
	[IVT_U] = UNCORE_GHZ, [IVT_C] = UNCORE_GHZ, [IVT_P] = 0.8,
	[IVT_H] = UNCORE_GHZ, [IVT_M] = 0.933, [IVT_I] = UNCORE_GHZ,
	[IVT_Q] = 1.0, [IVT_R2] = UNCORE_GHZ, [IVT_R3] = UNCORE_GHZ,
};

/* rst_ctrl and rst_ctrs of a box control. */
static void reset_box(struct model *m, struct socket *s, unsigned regno, uint64_t value)
{
	for (unsigned i = 0; i < s->n_counters; i++) {
		struct counter *c = &s->ctr[i];

		if (c->box == IVT_U || box_ctl(c) != regno)
			continue;
		if (value & RST_CTRS)
			c->value = 0;
		if (value & RST_CTRL)
			register_store(m, s, c->ctl, 0);
	}
}

static bool do_write(struct model *m, struct socket *s, unsigned regno, uint64_t value)
{
	const struct reg_def *d = &m->def[regno];
	struct counter *c = &s->ctr[d->counter];

	switch (d->kind) {
	case K_HIGH:
		c->value = (value << 32 | (uint32_t)c->value) & c->mask;
		return true;
	case K_GLOBAL:
		if (value & (FRZ_ALL | UNFRZ_ALL))
			s->frozen = value & FRZ_ALL;
		value &= ~(FRZ_ALL | UNFRZ_ALL);
		break;
	case K_GLOBAL_STATUS:
	case K_STATUS:
		value = s->reg[regno] & ~value;
		break;
	case K_BOX_CTL:
		reset_box(m, s, regno, value);
		value &= ~(RST_CTRS | RST_CTRL);
		break;
	case KIND_CTL:
		if (value & (d->fixed ? BIT(19) : CTL_RST))
			c->value = 0;
		value &= ~(d->fixed ? BIT(19) : CTL_RST);
		break;
	default:
		break;
	}
	register_store(m, s, regno, value);
	return true;
}

static const struct msr_range msrs[] = { { MSR_FIRST, FREE_C3 }, { 0x3fc, 2 } };

const struct family family_ivytown = {
	.processor = "ivytown", .n_regs = N_REGS,
	.filter_first = K_FILTER, .filter_last = K_FILTER, .ghz = ghz,
	.msrs = msrs, .n_msrs = COUNT(msrs),
	.functions = ivt_functions, .n_functions = IVT_FUNCTIONS, .map = ivt_map,
	.read = do_read, .write = do_write, .store = register_store,
	.events_per_cycle = ivt_events_per_cycle, .enabled = enabled,
	.overflow_freezes = overflow_freezes, .overflow = overflow, .freeze = freeze,
};
