/* SPDX-License-Identifier: MIT
 *
 * Owns:  which PCI functions are written, and that nothing of them tells whose machine it is.
 */
#include "topo/capture_lines.h"

#include "base/bits.h"
#include "topo/devices.h"
#include "topo/machine_text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BRIDGE = 0x060400 };         /* the class of a PCI bridge */

/* ------------------------------------------------------------------ PCI functions */

static void add_config_word(struct strb *to, int fd, unsigned off)
{
	uint32_t word;

	if (pread(fd, &word, sizeof(word), (off_t)off) == (ssize_t)sizeof(word))
		strb_addf(to, " 0x%x=0x%" PRIx32, off, word);
}

static void add_function(const char *sysfs, const struct capture_pci *pci,
			 const struct topo_function *f, struct strb *to)
{
	bool anchor = f->id == pci->anchor.device, known = anchor;
	AUTO_FD int fd = -1;

	for (unsigned i = 0; i < pci->n; i++)
		known |= pci->v[i].id == f->id;
	if (known)
		fd = sysfile_open(sysfile_path("%s/bus/pci/devices/%04x:%02x:%02x.%x/config", sysfs,
					       f->segment, f->bus, f->dev, f->fn).s, O_RDONLY,
				  NULL);
	if (fd < 0)
		return;
	strb_addf(to, "pci %04x:%02x:%02x.%x", f->segment, f->bus, f->dev, f->fn);
	add_config_word(to, fd, 0);
	if (anchor) {
		add_config_word(to, fd, pci->anchor.node);
		add_config_word(to, fd, pci->anchor.map);
	}
	for (unsigned i = 0; i < pci->n; i++)
		if (pci->v[i].id == f->id && pci->v[i].off)
			add_config_word(to, fd, pci->v[i].off);
	strb_add_char(to, '\n');
}

void capture_functions(const char *sysfs, const struct capture_pci *pci, struct strb *to,
		       struct diags *left_out)
{
	AUTO_FREE(topo_pci_free) struct topo_pci *found = NULL;
	struct err err = { "" };

	if (!pci->anchor.device)
		return;
	topo_pci_read(sysfs, &pci->anchor, &found, &err);
	if (err.text[0])
		diags_add(left_out, (struct where){ NULL, 0 }, "%s", err.text);
	for (unsigned i = 0; found && i < found->n; i++)
		add_function(sysfs, pci, &found->v[i], to);
}

/* ------------------------------------------------------------------ devices */

/* Is the name of an interface made of its address? So systemd calls one for which it knows no
 * place, in systemd.net-naming-scheme(7): "enx0c42a1b2c3d4". */
static bool is_address(const char *name)
{
	enum { DIGITS = 12 };
	size_t n = strlen(name);

	return n > DIGITS && name[n - DIGITS - 1] == 'x' &&
	       strspn(name + n - DIGITS, "0123456789abcdef") == DIGITS;
}

/* The subsystem in whose directory the name is; the name says nothing of whose machine it is, or is
 * left out. */
static void add_device_name(const struct topo_device *d, struct strb *to)
{
	static const struct { const char *prefix, *in; } places[] = {
		{ "nvme", "nvme" }, { "accel", "accel" }, { "card", "drm" }, { "dsa", "dsa" },
		{ "iax", "dsa" },
	};
	bool net = strcmp(d->kind, "net") == 0 || strcmp(d->kind, "infiniband") == 0;
	const char *in = net ? d->kind : NULL;

	for (unsigned i = 0; i < COUNT(places) && !in; i++)
		if (strncmp(d->name, places[i].prefix, strlen(places[i].prefix)) == 0)
			in = places[i].in;
	if (!in || !*d->name || (net && is_address(d->name)))
		return;
	strb_addf(to, " %s ", in);
	capture_escaped(to, d->name, true);
}

static void begin_device(struct strb *to, const char *pci, unsigned root, unsigned class)
{
	strb_addf(to, "pci %s root %04x:%02x class 0x%06x", pci, root >> 8, root & 0xff, class);
}

static void end_device(struct strb *to, int node)
{
	if (node >= 0 && node < MACHINE_NODES_MAX)
		strb_addf(to, " node %d", node);
	strb_add_char(to, '\n');
}

static bool has_devices(const struct topo_devices *d, unsigned root)
{
	for (unsigned i = 0; i < d->n; i++)
		if (d->v[i].root == root)
			return true;
	return false;
}

/* A root bus with no device still says its node: by a bridge on it. */
static void add_bridges(const struct topo_devices *found, struct strb *to)
{
	for (unsigned i = 0; i < found->n_roots; i++) {
		const struct topo_root *r = &found->roots[i];

		if (r->node < 0 || has_devices(found, r->root))
			continue;
		begin_device(to, r->pci, r->root, BRIDGE);
		end_device(to, r->node);
	}
}

int capture_devices(const char *sysfs, const struct topo_pmus *pmus, struct strb *to,
		    struct err *err)
{
	AUTO_FREE(topo_devices_free) struct topo_devices *found = NULL;
	int r = topo_devices_read(sysfs, pmus, &found, err);

	for (unsigned i = 0; r == 0 && i < found->n; i++) {
		const struct topo_device *d = &found->v[i];

		begin_device(to, d->pci, d->root, d->class);
		if (d->vendor)
			strb_addf(to, " vendor 0x%04x", d->vendor);
		if (*d->driver) {
			strb_add(to, " driver ");
			capture_escaped(to, d->driver, true);
		}
		if (d->kind)
			add_device_name(d, to);
		end_device(to, topo_root_node(found, d->root));
	}
	if (r == 0)
		add_bridges(found, to);
	return r;
}
