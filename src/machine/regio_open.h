/* SPDX-License-Identifier: MIT
 * The path to a socket's registers: device files of its CPUs, and sysfs for those in
 * PCI space.
 *
 * Owns:  which of the two are needed, and putting them together.
 * Main thread.
 */
#ifndef MACHINE_REGIO_OPEN_H
#define MACHINE_REGIO_OPEN_H

#include "access/regio.h"
#include "topo/host.h"

struct plan_device;

struct register_path {
	unsigned socket;            /* physical package id */
	const unsigned *cpus;       /* in trying order */
	unsigned n_cpus;
	struct pci_anchor anchor;   /* device 0: the processor has no registers in PCI space */
	const struct plan_device *devices;
	unsigned n_devices;         /* 0: they are not needed, and answer -EIO */
};

/* regio_open - ret_hidden: PCI functions that the socket lacks, or why none could be found, for one
 * log line, to be freed; NULL: all are there. */
int regio_open(const struct host_roots *roots, const struct register_path *path, char **ret_hidden,
	       struct regio **ret, struct err *err);

#endif
