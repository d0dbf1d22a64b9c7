/* SPDX-License-Identifier: MIT
 * What the files of the Ivytown model share.
 *
 * Nobody outside model/ includes this. With the model's lock held.
 */
#ifndef MODEL_IVYTOWN_H
#define MODEL_IVYTOWN_H

#include "model/model_internal.h"

/* Kinds of registers of this family. */
enum {
	K_GLOBAL = KIND_FAMILY,
	K_GLOBAL_STATUS,
	K_CONFIG,
	K_BOX_CTL,
	K_STATUS,
	K_FILTER,
	K_FREE,
	K_HIGH,
	K_CONSTANT,
	K_NODE,
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
/* The node ID of each socket, an octal digit each, socket 0 last. They are not in the order of the
 * sockets, so that software which confuses the two fails. */
#define NODES     UINT64_C(063052741)

/* Register numbers: the MSRs 0xc00-0xeff, the two free-running counters, then 128 words of each PCI
 * function: its first 256 bytes and 0x200-0x2ff. */
#define MSR_FIRST 0xc00u
#define MSR_LAST  0xeffu
#define MSR(addr) ((addr) - MSR_FIRST)
#define FREE_C3   (MSR_LAST - MSR_FIRST + 1)
#define FREE_C6   (FREE_C3 + 1)
#define PCI_FIRST (FREE_C6 + 1)

enum ivt_box { IVT_U, IVT_C, IVT_P, IVT_H, IVT_M, IVT_I, IVT_Q, IVT_R2, IVT_R3, IVT_BOXES };

enum { IVT_FUNCTIONS = 24 };
extern const struct pci_function ivt_functions[IVT_FUNCTIONS];
#define N_REGS    (PCI_FIRST + IVT_FUNCTIONS * FUNCTION_REGS)

#define PCI_REGNO(function, off) \
	(PCI_FIRST + (function) * FUNCTION_REGS + FUNCTION_WORD(off))

static inline unsigned function_of(unsigned regno)
{
	return (regno - PCI_FIRST) / FUNCTION_REGS;
}

/* ivytown_map.c: which address is which register. */
void ivt_map(struct register_map *map);
/* The number of a filter register of the counter's unit: C-Box 0, 1; PCU 0; HA address 0, 1, opcode
 * 2; QPI match 0, 1, mask 2, 3. */
unsigned ivt_filter(const struct counter *c, unsigned which);
double ivt_events_per_cycle(const struct model *m, const struct socket *s, const struct counter *c,
			    const struct load *l);

#endif
