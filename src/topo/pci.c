/* SPDX-License-Identifier: MIT
 * PCI functions, and the socket that each belongs to.
 * Owns:  reading bus/pci/devices and the anchors' configuration space; opening that of the others.
 * Never: registers that count; which functions anybody wants.
 * Main thread; allocates.
 */
#include "topo/sysfile.h"
#include "topo/topo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES "%s/bus/pci/devices"    /* sysfs */
enum { SOCKETS = 8 };
enum { CONFIG_CLASS = 8, HOST_BRIDGE = 0x0600 };        /* class: bits 31:16 of that word */
enum { CONFIG_OPEN_TO_ALL = 64 };       /* bytes that can be read without privilege */

struct scan {
	const char *sysfs;
	const struct pci_anchor *anchor;
	struct topo_pci *pci;
	unsigned anchors;           /* found */
	bool denied;                /* one could not be read */
	struct err *unusable;       /* why an anchor was of no use */
};

/* "0000:7f:13.5" */
static bool parse_name(const char *s, struct topo_function *f)
{
	unsigned segment, bus, dev, fn;
	int end = 0;

	if (sscanf(s, "%4x:%2x:%2x.%1x%n", &segment, &bus, &dev, &fn, &end) != 4 || s[end] ||
	    dev > 31 || fn > 7)
		return false;
	*f = (struct topo_function){ .segment = (uint16_t)segment, .bus = (uint8_t)bus,
				     .dev = (uint8_t)dev, .fn = (uint8_t)fn, .socket = -1 };
	return true;
}

/* For sentences. */
static struct sysfile_path devices_shown(const char *sysfs)
{
	return sysfile_shown(sysfile_path(DEVICES, sysfs).s);
}

static int open_config(const char *sysfs, const char *name, int flags, struct err *err)
{
	return sysfile_open(sysfile_path(DEVICES "/%s/config", sysfs, name).s, flags, err);
}

/* A 32-bit word of configuration space. */
static bool read_word(int fd, unsigned off, uint32_t *ret)
{
	return pread(fd, ret, sizeof(*ret), (off_t)off) == (ssize_t)sizeof(*ret);
}

/* The anchor's socket is the entry of the map that holds its node id. Without it, its buses belong
 * to no socket: the next anchor does not tell theirs. */
static void read_anchor(struct scan *s, int fd, const char *name, struct topo_function *f)
{
	uint32_t node, map;

	s->anchors++;
	f->on_uncore_bus = true;
	if (!read_word(fd, s->anchor->node, &node) || !read_word(fd, s->anchor->map, &map)) {
		err_set(s->unusable, -EACCES, "%s/%s/config: the words that tell the socket "
			"cannot be read: beyond 64 bytes that takes root and CAP_SYS_ADMIN; or "
			"use engine = \"perf\"", devices_shown(s->sysfs).s, name);
		s->denied = true;
		return;
	}
	for (int i = 0; i < SOCKETS; i++)
		if ((map >> 3 * i & 7) == (node & 7)) {
			f->socket = i;
			return;
		}
	err_set(s->unusable, -ENODEV, "%s/%s: node %u is not in its own map of "
		"nodes", devices_shown(s->sysfs).s, name, node & 7);
}

/* Functions of other vendors, and those that read as all ones, are left out. */
static void add_function(struct scan *s, const char *name)
{
	struct topo_function f;
	uint32_t id;
	AUTO_FD int fd = parse_name(name, &f) ? open_config(s->sysfs, name, O_RDONLY, NULL) : -1;

	if (fd < 0 || !read_word(fd, 0, &id) || (id & 0xffff) != s->anchor->vendor)
		return;
	f.id = (uint16_t)(id >> 16);
	if (f.id == s->anchor->device)
		read_anchor(s, fd, name, &f);
	s->pci->v[s->pci->n++] = f;
}

static bool same_bus(const struct topo_function *a, const struct topo_function *b)
{
	return a->segment == b->segment && a->bus == b->bus;
}

/* From the highest bus of a segment down, each gets the socket of its own anchor, or, if it has
 * none, of the bus above. Returns how many anchors say their socket. */
static unsigned assign_buses(struct topo_pci *p)
{
	unsigned found = 0;
	int socket = -1;

	for (unsigned end = p->n, first; end > 0; end = first) {
		bool has_anchor = false;

		if (end < p->n && p->v[end].segment != p->v[end - 1].segment)
			socket = -1;
		for (first = end; first > 0 && same_bus(&p->v[first - 1], &p->v[end - 1]); first--)
			has_anchor |= p->v[first - 1].on_uncore_bus;
		for (unsigned i = first; i < end; i++)
			if (p->v[i].on_uncore_bus) {
				socket = p->v[i].socket;
				found += socket >= 0;
			}
		for (unsigned i = first; i < end; i++) {
			p->v[i].socket = socket;
			p->v[i].on_uncore_bus = has_anchor;
		}
	}
	return found;
}

int topo_pci_read(const char *sysfs, const struct pci_anchor *anchor, struct topo_pci **ret,
		  struct err *err)
{
	AUTO_FREE(topo_pci_free) struct topo_pci *pci = NULL;
	struct scan s = { .sysfs = sysfs, .anchor = anchor, .unusable = err };
	struct dirent **names;
	unsigned found;
	int n = sysfile_names(NULL, sysfile_path(DEVICES, sysfs).s, &names, err);

	if (n < 0)
		return n;
	err_set(err, 0, "%s", "");
	s.pci = pci = calloc(1, sizeof(*pci) + (size_t)n * sizeof(pci->v[0]));
	for (int i = 0; i < n; i++) {           /* their names order them */
		if (pci)
			add_function(&s, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (!pci)
		return err_set(err, -ENOMEM, "out of memory");
	found = assign_buses(pci);
	if (!found && s.denied)
		return -EACCES;
	if (!found && !s.anchors)
		err_set(err, -ENODEV, "%s: no device %04x:%04x, by which the uncore's PCI "
			"buses are found", devices_shown(sysfs).s, anchor->vendor, anchor->device);
	*ret = TAKE(pci);
	return 0;
}

/* How well a function of the socket fits: its place on the uncore bus, then on another bus of the
 * socket, then its id alone; 0: it does not. */
static unsigned rank_of(const struct topo_function *f, bool place, uint16_t id)
{
	if (place && f->on_uncore_bus)
		return 3;
	if (!id)
		return 0;
	return place ? 2 : 1;
}

const struct topo_function *topo_pci_find(const struct topo_pci *p, unsigned socket, uint8_t dev,
					  uint8_t fn, uint16_t id)
{
	const struct topo_function *best = NULL;
	unsigned rank = 0;

	for (unsigned i = 0; i < p->n; i++) {
		const struct topo_function *f = &p->v[i];
		unsigned now;

		if (f->socket != (int)socket || (id && f->id != id))
			continue;
		now = rank_of(f, f->dev == dev && f->fn == fn, id);
		if (now > rank) {
			best = f;
			rank = now;
		}
	}
	return best;
}

void topo_pci_bridge_words(const char *sysfs, uint8_t dev, uint8_t fn, uint16_t off,
			   void (*each)(void *p, const char *name, int r, uint32_t word), void *p)
{
	struct dirent **v;
	int n = sysfile_names(NULL, sysfile_path(DEVICES, sysfs).s, &v, NULL);

	for (int i = 0; i < n; i++) {
		struct topo_function f;
		uint32_t class, word = 0;
		AUTO_FD int fd = -1;

		if (parse_name(v[i]->d_name, &f) && f.bus && f.dev == dev && f.fn == fn)
			fd = open_config(sysfs, v[i]->d_name, O_RDONLY, NULL);
		if (fd >= 0 && read_word(fd, CONFIG_CLASS, &class) && class >> 16 == HOST_BRIDGE) {
			int r = read_word(fd, off, &word) ? 0 : -EACCES;

			each(p, v[i]->d_name, r, word);
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

int topo_pci_open(const char *sysfs, const struct topo_function *f, struct err *err)
{
	AUTO_FD int fd = -1;
	char name[16];
	uint32_t v;
	int r;

	snprintf(name, sizeof(name), "%04x:%02x:%02x.%x", f->segment, f->bus, f->dev, f->fn);
	fd = open_config(sysfs, name, O_RDWR, err);
	if (fd >= 0 && read_word(fd, CONFIG_OPEN_TO_ALL, &v))
		return TAKE_FD(fd);
	r = fd < 0 ? fd : -EACCES;
	if (r == -ENAMETOOLONG)
		return r;
	return err_set(err, r, "%s/%s/config: %s%s", devices_shown(sysfs).s, name, strerror(-r),
		       r == -EACCES || r == -EPERM || r == -EROFS ?
		       ": writing PCI configuration space takes root, CAP_SYS_ADMIN, a writable "
		       "sysfs and no kernel lockdown (Secure Boot); or use engine = \"perf\"" : "");
}

void topo_pci_free(struct topo_pci *p)
{
	free(p);
}
