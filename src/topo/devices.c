/* SPDX-License-Identifier: MIT
 * PCI functions and the root buses that they are behind.
 *
 * Owns:  what kind of device a class code is, where its driver's subsystem puts its name.
 * Never: configuration space: all of it is text that everybody can read.
 * Main thread; allocates.
 */
#include "topo/devices.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/printable.h"
#include "topo/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS "%s/bus/pci/devices"          /* sysfs */
#define MEMORY_MAX ((size_t)16 << 20)
enum { NAME_BYTES = 64 };           /* of a driver or a device, as shown */
enum { CLASS_MAX = 0xffffff };      /* base class, class, programming interface: 8 bits each */

static bool is_stack(const struct topo_pmus *pmus, unsigned root)
{
	for (unsigned i = 0; i < pmus->n; i++)
		for (unsigned k = 0; k < pmus->v[i].n_stacks; k++)
			if (pmus->v[i].stacks[k].root == root)
				return true;
	return false;
}

static unsigned count_stacks(const struct topo_pmus *pmus)
{
	unsigned n = 0;

	for (unsigned i = 0; pmus && i < pmus->n; i++)
		n += pmus->v[i].n_stacks;
	return n;
}

/*
 * Where the function hangs, by the link from bus/pci/devices: "../../../devices/pci0000:5d/
 * 0000:5d:02.0/0000:5e:00.0". A drive behind a VMD has two host bridges on its way: the first one
 * counts. *ret_on_root: nothing is between them. A link to anywhere else says nothing.
 */
static bool read_root(const struct sysfile_dir *functions, const char *name, unsigned *ret,
		      bool *ret_on_root)
{
	static const char up[] = "../../../devices/pci";
	char to[PATH_MAX];
	ssize_t n = readlinkat(functions->fd, name, to, sizeof(to) - 1);
	unsigned segment, bus;
	int end = 0;

	if (n <= 0)
		return false;
	to[n] = '\0';
	if (strncmp(to, up, strlen(up)) != 0 || strstr(to + strlen(up), "..") ||
	    sscanf(to + strlen(up), "%4x:%2x%n", &segment, &bus, &end) != 2 ||
	    to[strlen(up) + (size_t)end] != '/')
		return false;
	*ret = segment << 8 | bus;
	*ret_on_root = strcmp(to + strlen(up) + end + 1, name) == 0;
	return true;
}

/* ---- what it is */

/* Graphics of a management controller: it draws a console, and is no accelerator. */
static bool is_console(unsigned vendor)
{
	enum { MATROX = 0x102b, ASPEED = 0x1a03, HISILICON = 0x19e5 };

	return vendor == MATROX || vendor == ASPEED || vendor == HISILICON;
}

/* A number as sysfs has it here: "0x020000". -1: there is none. */
static long long read_hex(const struct sysfile_dir *dir, const char *file)
{
	char text[SYSFILE_MAX + 1], *end;
	unsigned long v;

	if (sysfile_read_in(dir, file, text, NULL) < 0)
		return -1;
	v = strtoul(text, &end, 16);
	return end > text && !*end && v <= CLASS_MAX ? (long long)v : -1;
}

static bool is_graphics(unsigned class)
{
	return class >> 8 == 0x03;
}

/* By the class codes of PCI. NULL: another kind. vendor: of graphics */
static const char *kind_of(unsigned class, unsigned vendor, const char *driver)
{
	static const struct { unsigned first, last; const char *kind; } kinds[] = {
		{ 0x0207, 0x0207, "infiniband" },
		{ 0x0200, 0x02ff, "net" },
		{ 0x0108, 0x0108, "nvme" },
		{ 0x0300, 0x03ff, "accelerator" },      /* graphics */
		{ 0x0b40, 0x0b40, "accelerator" },      /* co-processors, such as QAT */
		{ 0x1200, 0x12ff, "accelerator" },
	};
	enum { PERIPHERAL = 0x0880 };

	/* DSA and IAA call themselves a peripheral of the system. */
	if (class == PERIPHERAL && strcmp(driver, "idxd") == 0)
		return "accelerator";
	if (is_graphics(class) && is_console(vendor))
		return NULL;
	for (unsigned i = 0; i < COUNT(kinds); i++)
		if (class >= kinds[i].first && class <= kinds[i].last)
			return kinds[i].kind;
	return NULL;
}

/* Does it move bytes of its stack? The functions of the uncore itself have drivers, too. */
static bool moves_bytes(unsigned class, const char *kind, const char *driver)
{
	enum { BRIDGES = 0x06 };
	static const char uncore[] = "_uncore";
	size_t n = strlen(driver);

	if (class >> 8 == BRIDGES)
		return false;
	if (n >= strlen(uncore) && strcmp(driver + n - strlen(uncore), uncore) == 0)
		return false;
	return kind || n;
}

/* ---- names; NULL where there is no memory: topo_devices_read() asks once, at the end */

static char *shown(struct arena *a, const char *text)
{
	char safe[NAME_BYTES];

	printable_escape(text, safe, sizeof(safe));
	return arena_text(a, safe);
}

/* The last part of where the link `driver` leads. */
static char *read_driver(struct arena *a, const struct sysfile_dir *dir)
{
	char to[PATH_MAX], *slash;
	ssize_t n = readlinkat(dir->fd, "driver", to, sizeof(to) - 1);

	if (n <= 0)
		return arena_text(a, "");
	to[n] = '\0';
	slash = strrchr(to, '/');
	return shown(a, slash ? slash + 1 : to);
}

/* The first name of a directory that begins with `prefix`; of network interfaces the one that came
 * first: those of its virtual functions come later. NULL: there is none. */
static char *first_of(struct arena *a, const struct sysfile_dir *dir, const char *in,
		      const char *prefix)
{
	struct dirent **v;
	long long least = LLONG_MAX;
	char *best = NULL;
	int n = sysfile_names(dir, in, &v, NULL);

	for (int i = 0; i < n; i++) {
		long long order = i;

		if (strcmp(in, "net") == 0) {
			char file[sizeof("net/") + sizeof(v[i]->d_name) + sizeof("/ifindex")];

			snprintf(file, sizeof(file), "net/%s/ifindex", v[i]->d_name);
			if (sysfile_number_in(dir, file, 0, INT_MAX, &order, NULL) < 0)
				order = LLONG_MAX - 1;
		}
		if (strncmp(v[i]->d_name, prefix, strlen(prefix)) == 0 && order < least) {
			least = order;
			best = shown(a, v[i]->d_name);
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	return best;
}

/* "": it has none. */
static char *read_name(struct arena *a, const struct sysfile_dir *dir, const char *kind)
{
	static const struct { const char *kind, *in, *prefix; } places[] = {
		{ "infiniband", "infiniband", "" }, { "infiniband", "net", "" },
		{ "net", "net", "" }, { "nvme", "nvme", "nvme" },
		{ "accelerator", "accel", "accel" }, { "accelerator", "drm", "card" },
		{ "accelerator", ".", "dsa" }, { "accelerator", ".", "iax" },     /* idxd's */
	};
	char *name = NULL;

	for (unsigned i = 0; i < COUNT(places) && !name; i++)
		if (strcmp(places[i].kind, kind) == 0)
			name = first_of(a, dir, places[i].in, places[i].prefix);
	return name ?: arena_text(a, "");
}

/* ---- all of them */

/* All functions on a root bus have to say the same. */
static void note_node(struct topo_devices *d, unsigned root, int node, const char *pci)
{
	struct topo_root *r = d->roots;

	while (r < d->roots + d->n_roots && r->root != root)
		r++;
	if (r < d->roots + d->n_roots) {
		r->node = r->node == node ? node : -1;
		return;
	}
	d->roots[d->n_roots++] = (struct topo_root){ root, shown(d->arena, pci), node };
}

static void read_function(struct topo_devices *found, const char *name,
			  const struct sysfile_dir *dir, unsigned root, bool on_root)
{
	struct arena *a = found->arena;
	long long class = read_hex(dir, "class"), node, vendor;
	struct topo_device d = { .root = root };

	if (class < 0)                  /* it has gone */
		return;
	if (sysfile_number_in(dir, "numa_node", 0, INT_MAX, &node, NULL) < 0)
		node = -1;
	if (on_root)
		note_node(found, root, (int)node, name);
	if (faccessat(dir->fd, "physfn", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return;
	d.driver = read_driver(a, dir);
	if (!d.driver)
		return;
	d.class = (unsigned)class;
	vendor = is_graphics(d.class >> 8) ? read_hex(dir, "vendor") : 0;
	d.vendor = vendor > 0 ? (unsigned)vendor : 0;
	d.kind = kind_of(d.class >> 8, d.vendor, d.driver);
	if (!moves_bytes(d.class >> 8, d.kind, d.driver))
		return;
	d.pci = shown(a, name);
	d.name = d.kind ? read_name(a, dir, d.kind) : arena_text(a, "");
	found->v[found->n++] = d;
}

static void read_functions(struct topo_devices *found, const struct topo_pmus *pmus,
			   const struct sysfile_dir *functions, struct dirent *const *names, int n)
{
	for (int i = 0; i < n; i++) {
		AUTO_DONE(sysfile_dir_close) struct sysfile_dir dir = { .fd = -1 };
		const char *name = names[i]->d_name;
		unsigned root;
		bool on_root;

		if (read_root(functions, name, &root, &on_root) && is_stack(pmus, root) &&
		    sysfile_dir_open(functions, name, &dir, NULL) == 0)
			read_function(found, name, &dir, root, on_root);
	}
}

static int read_all(const char *sysfs, const struct topo_pmus *pmus, struct topo_devices *found)
{
	AUTO_DONE(sysfile_dir_close) struct sysfile_dir functions = { .fd = -1 };
	unsigned n_stacks = count_stacks(pmus);
	struct dirent **names;
	int n;

	if (!n_stacks ||
	    sysfile_dir_open(NULL, sysfile_path(FUNCTIONS, sysfs).s, &functions, NULL) < 0)
		return 0;
	n = sysfile_names(NULL, functions.path.s, &names, NULL);
	if (n < 0)
		return 0;
	found->v = arena_alloc(found->arena, (size_t)n, sizeof(*found->v));
	found->roots = arena_alloc(found->arena, n_stacks, sizeof(*found->roots));
	if (found->v && found->roots)
		read_functions(found, pmus, &functions, names, n);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return arena_alloc(found->arena, 1, 1) ? 0 : -ENOMEM;
}

int topo_devices_read(const char *sysfs, const struct topo_pmus *pmus, struct topo_devices **ret,
		      struct err *err)
{
	struct arena *a = arena_new(MEMORY_MAX, NULL);
	struct topo_devices *d = a ? arena_alloc(a, 1, sizeof(*d)) : NULL;

	if (d)
		d->arena = a;
	if (!d || read_all(sysfs, pmus, d) < 0) {
		arena_free(a);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*ret = d;
	return 0;
}

void topo_devices_free(struct topo_devices *d)
{
	if (d)
		arena_free(d->arena);
}

int topo_root_node(const struct topo_devices *d, unsigned root)
{
	for (unsigned i = 0; d && i < d->n_roots; i++)
		if (d->roots[i].root == root)
			return d->roots[i].node;
	return -1;
}
