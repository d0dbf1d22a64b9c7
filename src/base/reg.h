/* SPDX-License-Identifier: MIT
 * The address of a register, and the reasons why a count is not valid.
 *
 * Space is not access: MSR or PCI is a fact of the hardware; how it is reached
 * (device file, model, trace) is the operator's choice and lives in access/.
 */
#ifndef BASE_REG_H
#define BASE_REG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum space { SPACE_MSR, SPACE_PCI };

/* One register of one socket. MSR: off is the register number. PCI: device, function and byte
 * offset in configuration space; the bus belongs to the socket and is known to regio_pci. */
struct reg {
	uint8_t space;          /* enum space */
	uint8_t bytes;          /* 4 or 8 */
	uint8_t dev, fn;
	uint32_t off;
};

static inline bool reg_equal(struct reg a, struct reg b)
{
	return a.off == b.off && a.space == b.space && a.dev == b.dev && a.fn == b.fn;
}

/* The PCI device by which the buses of a socket are found: it is on the socket's uncore bus, bits
 * 2:0 of the word at `node` are the socket's node id, and the eight 3-bit entries at `map` say
 * which node each socket is. */
struct pci_anchor {
	uint16_t vendor, device;    /* device 0: no registers in PCI space */
	uint16_t node, map;
};

/* "0xd10" or "19:5+0xd8" */
struct reg_text { char s[24]; };
struct reg_text reg_text(struct reg r);

/* Why a slot's count is not valid now: a closed list, exported from 0. */
enum reason {
	REASON_NONE,
	REASON_FOREIGN, REASON_RESET, REASON_LATE, REASON_READ_ERROR, REASON_REFUSED,
	REASON_STOPPED, REASON_STALLED, REASON_OFFLINE, REASON_HIDDEN, REASON_CONFLICT,
	REASON_NO_DATA, REASON_PAUSED, REASON_COUNT,
};

const char *reason_name(enum reason r);   /* "foreign" ...; "" for REASON_NONE */

/* Raw values that software must correct (W-Box, 323535-001 p 2-128). */
struct reg_erratum {
	uint64_t mask;              /* low bits looked at; 0: no erratum */
	uint64_t max;               /* raw & mask <= max: the value is too high ... */
	uint64_t sub;               /* ... by this */
};

/* Can it be too high? A right value may look the same. */
static inline bool reg_doubtful(const struct reg_erratum *e, uint64_t raw)
{
	return e->mask && (raw & e->mask) <= e->max && raw >= e->sub;
}

#endif
