/* SPDX-License-Identifier: MIT
 * Registers as they were found, with what earlier users left in them. After rig.h. */
#ifndef TESTS_MODEL_RESTORED_H
#define TESTS_MODEL_RESTORED_H

#include "rig.h"

#define RST_ALL BIT(29)
#define PRELOADED 0xc73         /* counter that a window of bbox1 preloads */

static uint64_t before[RIG_SOCKETS][RIG_REGS], after[RIG_REGS], count_before[RIG_SOCKETS];

static inline void remember(struct rig *r)
{
	for (unsigned i = 0; i < r->n_sockets; i++) {
		rig_peek_all(r, i, before[i]);
		count_before[i] = model_peek(r->m, i, msr(PRELOADED));
	}
}

static inline void values_as_remembered(struct rig *r, int line)
{
	for (unsigned i = 0; i < r->n_sockets; i++) {
		rig_peek_all(r, i, after);
		rig_same(before[i], after, line);
	}
}

static inline void as_remembered(struct rig *r, int line)
{
	values_as_remembered(r, line);
	rig_no_violation(r);
}

/* Left-overs of earlier users in every register that has any: controls, filters, box enables,
 * counts. Nothing counts: en_all is 0. */
static inline void litter(struct rig *r, uint64_t seed)
{
	static const uint16_t bases[] = { 0xc00, 0xd00, 0xd80, 0xd40, 0xdc0, 0xd20, 0xda0, 0xd60,
					  0xde0, 0xc20, 0xc60,
					  0xc40, 0xcc0, 0xe00, 0xe20, 0xca0, 0xce0, 0xc80 };

	for (unsigned i = 0; i < r->n_sockets; i++)
		for (uint32_t off = 0xc00; off <= 0xea1; off++) {
			uint32_t at = off < 0xea0 ? off : off - 0xea0 + 0x394;
			uint64_t v = rig_random(&seed) & (TOP48 / 2 - 1);
			bool status = false;

			for (size_t b = 0; b < COUNT(bases); b++)
				status |= at == bases[b] + 1u || at == bases[b] + 2u;
			if (at == 0xc00)
				v &= RST_ALL | bits_mask(8, 0);
			/* S control: reset_occ_cnt is a pulse, no hardware shows it */
			if ((at & ~0x86u) == 0xc50)
				v &= ~BIT(17);
			if (!status)
				model_poke(r->m, i, msr(at), v);
		}
}

#endif
