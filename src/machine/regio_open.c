/* SPDX-License-Identifier: MIT */
#include "machine/regio_open.h"

#include <stdlib.h>
#include <string.h>

/* Searches the buses each time: a socket's functions can vanish and come back (hotplug, reset).
 * Takes `msr`. */
static int open_pci(const struct host_roots *roots, const struct register_path *path,
		    struct regio *msr, char **ret_hidden, struct regio **ret, struct err *err)
{
	struct topo_pci *pci = NULL;
	struct err odd = { "" };
	int r = path->n_devices ? topo_pci_read(roots->sysfs, &path->anchor, &pci, &odd) : 0;

	if (r < 0) {
		regio_free(msr);
		return err_set(err, r, "%s", odd.text);
	}
	r = regio_pci_new(msr, roots->sysfs, pci, path->socket, path->devices, path->n_devices,
			  ret_hidden, ret, err);
	topo_pci_free(pci);
	if (r == 0 && odd.text[0] && *ret_hidden) {     /* a reason instead of the list */
		free(*ret_hidden);
		*ret_hidden = strdup(odd.text);
	}
	return r;
}

int regio_open(const struct host_roots *roots, const struct register_path *path, char **ret_hidden,
	       struct regio **ret, struct err *err)
{
	struct regio *msr;
	int r = regio_msr_new(roots->dev, path->cpus, path->n_cpus, &msr, err);

	*ret_hidden = NULL;
	if (r < 0)
		return r;
	if (path->anchor.device)
		return open_pci(roots, path, msr, ret_hidden, ret, err);
	*ret = msr;
	return 0;
}
