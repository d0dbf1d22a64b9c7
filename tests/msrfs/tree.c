/* SPDX-License-Identifier: MIT
 * Which files there are.
 * Owns:  the paths, below /dev and /sys/bus/pci those of device files, and who may open them.
 * Never: what is in a file (files.c).
 */
#include "msrfs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The tree; %u stands for a CPU. */
enum { ALWAYS, ONLINE_CPU, NOT_CPU0 };
static const struct entry {
	const char *path;
	enum kind kind;
	int when;
} entries[] = {
	{ "/", DIR_NODE, ALWAYS },
	{ "/control", CONTROL, ALWAYS },
	{ "/truth", TRUTH, ALWAYS },
	{ "/writes", WRITES, ALWAYS },
	{ "/violations", VIOLATIONS, ALWAYS },
	{ "/proc", DIR_NODE, ALWAYS },
	{ "/proc/cpuinfo", CPUINFO, ALWAYS },
	{ "/dev", DIR_NODE, ALWAYS },
	{ "/dev/cpu", DIR_NODE, ALWAYS },
	{ "/dev/cpu/%u", DIR_NODE, ONLINE_CPU },
	{ "/dev/cpu/%u/msr", MSR, ONLINE_CPU },
	{ "/sys", DIR_NODE, ALWAYS },
	{ "/sys/bus", DIR_NODE, ALWAYS },
	{ "/sys/bus/event_source", DIR_NODE, ALWAYS },
	{ "/sys/bus/event_source/devices", DIR_NODE, ALWAYS },
	{ "/sys/bus/pci", DIR_NODE, ALWAYS },
	{ "/sys/bus/pci/devices", DIR_NODE, ALWAYS },
	{ "/sys/devices", DIR_NODE, ALWAYS },
	{ "/sys/devices/system", DIR_NODE, ALWAYS },
	{ "/sys/devices/system/cpu", DIR_NODE, ALWAYS },
	{ "/sys/devices/system/cpu/online", CPUS_ONLINE, ALWAYS },
	{ "/sys/devices/system/cpu/possible", CPUS_ALL, ALWAYS },
	{ "/sys/devices/system/cpu/present", CPUS_ALL, ALWAYS },
	{ "/sys/devices/system/cpu/cpu%u", DIR_NODE, ALWAYS },
	{ "/sys/devices/system/cpu/cpu%u/online", CPU_ONLINE, NOT_CPU0 },
	{ "/sys/devices/system/cpu/cpu%u/topology", DIR_NODE, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", PACKAGE_ID, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/core_id", CORE_ID, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/die_id", DIE_ID, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", SIBLINGS, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/core_cpus_list", SIBLINGS, ONLINE_CPU },
};

static bool entry_exists(const struct entry *e, unsigned cpu)
{
	return e->when == ALWAYS || (e->when == ONLINE_CPU && model_cpu_is_online(fs.model, cpu)) ||
	       (e->when == NOT_CPU0 && cpu != 0);
}

/* The path of an entry for one CPU; the template comes from the table above only. */
static void entry_path(const struct entry *e, unsigned cpu, char *buf, size_t n)
{
	const char *hole = strstr(e->path, "%u");

	if (hole)
		snprintf(buf, n, "%.*s%u%s", (int)(hole - e->path), e->path, cpu, hole + 2);
	else
		snprintf(buf, n, "%s", e->path);
}

static bool entry_find(const char *path, struct node *ret)
{
	char here[128];

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		unsigned n = strstr(entries[i].path, "%u") ? fs.cpus : 1;

		for (unsigned cpu = 0; cpu < n; cpu++) {
			entry_path(&entries[i], cpu, here, sizeof(here));
			if (strcmp(here, path) == 0) {
				if (!entry_exists(&entries[i], cpu))
					return false;
				*ret = (struct node){ .kind = entries[i].kind, .cpu = cpu };
				return true;
			}
		}
	}
	return false;
}

/* --- PCI functions: sys/bus/pci/devices/0000:BB:DD.F with three files --- */

#define PCI_DIR "/sys/bus/pci/devices/"
static const struct { const char *name; enum kind kind; } pci_files[] = {
	{ "", DIR_NODE }, { "/config", PCI_CONFIG }, { "/vendor", PCI_VENDOR },
	{ "/device", PCI_DEVICE },
};

static void pci_name(const struct model_function *f, char *buf, size_t n)
{
	snprintf(buf, n, "0000:%02x:%02x.%x", f->bus, f->dev, f->fn);
}

static bool pci_find(const char *path, struct node *ret)
{
	struct model_function v[64];
	char here[64];

	if (strncmp(path, PCI_DIR, strlen(PCI_DIR)) != 0)
		return false;
	path += strlen(PCI_DIR);
	for (unsigned s = 0; s < fs.sockets; s++) {
		size_t n = model_functions(fs.model, s, v, sizeof(v) / sizeof(v[0]));

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < sizeof(pci_files) / sizeof(pci_files[0]); k++) {
				pci_name(&v[i], here, sizeof(here));
				if (strncmp(path, here, strlen(here)) == 0 &&
				    strcmp(path + strlen(here), pci_files[k].name) == 0) {
					*ret = (struct node){ .kind = pci_files[k].kind,
						.socket = s, .fn = v[i] };
					return true;
				}
			}
	}
	return false;
}

static void pci_list(const char *path, void (*fill)(void *p, const char *name), void *p)
{
	struct model_function v[64];
	struct node n;
	char here[64];

	if (strcmp(path, "/sys/bus/pci/devices") == 0)
		for (unsigned s = 0; s < fs.sockets; s++) {
			size_t n_functions = model_functions(fs.model, s, v,
				sizeof(v) / sizeof(v[0]));

			for (size_t i = 0; i < n_functions; i++) {
				pci_name(&v[i], here, sizeof(here));
				fill(p, here);
			}
		}
	else if (pci_find(path, &n) && n.kind == DIR_NODE)
		for (size_t k = 1; k < sizeof(pci_files) / sizeof(pci_files[0]); k++)
			fill(p, pci_files[k].name + 1);
}

/* --- the whole --- */

bool tree_find(const char *path, struct node *ret)
{
	return entry_find(path, ret) || pci_find(path, ret);
}

mode_t tree_mode(enum kind kind)
{
	switch (kind) {
	case DIR_NODE: return S_IFDIR | 0755;
	case MSR: case PCI_CONFIG: return S_IFREG | 0600;
	case CONTROL: return S_IFREG | 0200;
	default: return S_IFREG | 0444;
	}
}

void tree_list(const char *path, void (*fill)(void *p, const char *name), void *p)
{
	size_t len = strcmp(path, "/") == 0 ? 0 : strlen(path);
	char here[128];

	for (size_t i = 1; i < sizeof(entries) / sizeof(entries[0]); i++) {
		unsigned n = strstr(entries[i].path, "%u") ? fs.cpus : 1;

		for (unsigned cpu = 0; cpu < n; cpu++) {
			entry_path(&entries[i], cpu, here, sizeof(here));
			if (strncmp(here, path, len) == 0 && here[len] == '/' &&
			    !strchr(here + len + 1, '/') &&
			    entry_exists(&entries[i], cpu))
				fill(p, here + len + 1);
		}
	}
	pci_list(path, fill, p);
}
