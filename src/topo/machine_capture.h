/* SPDX-License-Identifier: MIT
 * The text of a machine from its files: what topo/machine_text.h reads.
 *
 * Owns:  what of a machine goes into its text, and that it is short: CPUs and PMUs that are alike
 *        are one line. Nothing in it tells whose machine it is: no serial number, UUID, name of a
 *        host, address of a network card.
 * Never: what is counted there.
 * Main thread; allocates.
 */
#ifndef TOPO_MACHINE_CAPTURE_H
#define TOPO_MACHINE_CAPTURE_H

#include "base/strb.h"
#include "topo/host.h"

struct capture_function {           /* a PCI function that matters */
	uint16_t id;
	uint16_t off;               /* of a word of its configuration space that does; 0: none */
};

struct capture_pci {
	struct pci_anchor anchor;   /* device 0: none matters */
	const struct capture_function *v;
	unsigned n;
};

/*
 * machine_capture - adds the lines of the machine below the roots.
 *
 * left_out  gets a sentence about each thing that a text cannot say, or that cannot be read
 * Returns 0, or -errno with a sentence; -EAGAIN: the machine changes all the time.
 */
int machine_capture(const struct host_roots *roots, const struct capture_pci *pci,
		    struct strb *ret, struct diags *left_out, struct err *err);

#endif
