/* SPDX-License-Identifier: MIT
 * Where counted units are: the NUMA node, and behind an I/O stack its devices.
 *
 * Owns:  their shape.
 * Never: how that is found out (planner/), values.
 * Immutable once built; any thread. Texts are the plan's, and a terminal may show them.
 */
#ifndef PLAN_LOCATION_H
#define PLAN_LOCATION_H

#include <stdbool.h>

struct plan_io_device {                /* a network card, drive or accelerator */
	const char *pci;            /* "0000:5e:00.0" */
	const char *driver, *name;  /* "ice", "eth0"; "": it has none */
	const char *kind;           /* "net", "infiniband", "nvme", "accelerator" */
};

/* An I/O stack whose unit is counted. */
struct plan_stack {
	const char *box_name;       /* "iio" */
	unsigned unit;
	const char *pci_bus;        /* its root bus: "0000:5e" */
	struct plan_io_device *devices;
	unsigned n_devices;
	unsigned n_sharing;         /* devices that may move its bytes: these, and of other kinds */
	const char *names;          /* of all of these for people, "eth0, nvme0 and 1 other"; "":
				     * there is none */
	bool shown, devices_shown;  /* there are series of it, of its devices */
};

/* A unit of which series are shown. */
struct plan_unit {
	const char *box_name;
	unsigned unit;
	int node;                   /* that it is provably in; -1: nothing proves one */
	bool node_shown;            /* there is a series of it */
};

#endif
