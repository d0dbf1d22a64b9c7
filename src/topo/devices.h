/* SPDX-License-Identifier: MIT
 * The PCI devices behind root buses: what moves the bytes of an I/O stack.
 *
 * Owns:  reading bus/pci/devices: where a function hangs, its class, driver, NUMA node and the name
 *        that people know it by.
 * Never: which stack counts which root bus; what is counted.
 * Main thread (start, reload); allocates.
 */
#ifndef TOPO_DEVICES_H
#define TOPO_DEVICES_H

#include "topo/topo.h"

/* A PCI function that can read and write memory: no bridge, no virtual function (its bytes are
 * those of its physical one), and none without a driver but of the classes below. */
struct topo_device {
	char *pci;                  /* "0000:5e:00.0" */
	unsigned root;              /* the root bus that it is behind: segment << 8 | bus */
	unsigned class;             /* as sysfs has it: base class, class, programming interface */
	unsigned vendor;            /* of graphics; 0: of others it does not matter */
	const char *kind;           /* "net", "infiniband", "nvme", "accelerator"; NULL: another
				     * one, which is never named */
	char *driver;               /* "ice"; "": it has none */
	char *name;                 /* the kernel's: "eth0", "mlx5_0", "nvme0"; "": it has none, or
				     * not in this network namespace */
};

/* What all functions on a root bus say, bridges too. */
struct topo_root {
	unsigned root;
	char *pci;                  /* the first of them */
	int node;                   /* their NUMA node; -1: none, or not all the same */
};

struct topo_devices {
	struct arena *arena;        /* owns it and all of it */
	struct topo_device *v;      /* by address */
	unsigned n;
	struct topo_root *roots;
	unsigned n_roots;
};

/*
 * topo_devices_read - those behind root buses that a PMU of I/O stacks names; nothing is read where
 * none does.
 *
 * Driver and name are texts that a terminal may show: other bytes are \xHH. What cannot be read, or
 * goes away meanwhile, is left out. Returns 0, or -ENOMEM with a sentence; *ret is untouched then.
 */
int topo_devices_read(const char *sysfs, const struct topo_pmus *pmus, struct topo_devices **ret,
		      struct err *err);
void topo_devices_free(struct topo_devices *d);
CLEANUP_POINTER(topo_devices_free, struct topo_devices);
/* The NUMA node of a root bus, -1: not known. d NULL: no devices. */
int topo_root_node(const struct topo_devices *d, unsigned root);

#endif
