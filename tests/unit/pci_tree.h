/* SPDX-License-Identifier: MIT
 * PCI functions of a made-up sysfs, each a directory with a config file. After
 * cmocka.h. */
#ifndef PCI_TREE_H
#define PCI_TREE_H

#include "temp_dir.h"

#include "topo/topo.h"

/* Ivytown's UBox: Linux uncore_snbep.c, 8086:0e1e, node id in bits 2:0 of 0x40, map at 0x54. */
static const struct pci_anchor anchor = { .vendor = 0x8086, .device = 0x0e1e, .node = 0x40,
					  .map = 0x54 };

static inline int setup(void **state)
{
	(void)state;
	if (temp_make("pci") < 0)
		return -1;
	temp_parents("bus/pci/devices/");
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	return drop("");
}

/* name: "0000:3f:0b.0" */
static inline char *config_of(const char *name)
{
	char config[64];

	snprintf(config, sizeof(config), "bus/pci/devices/%s/config", name);
	return temp_path(config);
}

static inline void word(const char *name, unsigned off, uint32_t value)
{
	int fd = open(config_of(name), O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &value, 4, off), 4);
	close(fd);
}

static inline void shorten(const char *name, off_t size)
{
	assert_int_equal(truncate(config_of(name), size), 0);
}

/* id: device << 16 | vendor; size: of its config file. */
static inline void device(const char *name, uint32_t id, off_t size)
{
	char config[64];

	snprintf(config, sizeof(config), "bus/pci/devices/%s/config", name);
	put(config, "");
	shorten(name, size);
	word(name, 0, id);
}

/* Two sockets whose node ids are 2 (socket 0) and 1 (socket 1): entry i of the map is the node of
 * socket i. */
#define NODE_MAP (2 << 0 | 1 << 3 | 7 << 6 | 7 << 9 | 7 << 12 | 7 << 15 | 7 << 18 | 7 << 21)
static inline void two_sockets(void)
{
	device("0000:3f:0b.0", 0x0e1e8086, 4096);
	word("0000:3f:0b.0", 0x40, 0xfff8 | 2);
	word("0000:3f:0b.0", 0x54, NODE_MAP);
	device("0000:7f:0b.0", 0x0e1e8086, 4096);
	word("0000:7f:0b.0", 0x40, 1);
	word("0000:7f:0b.0", 0x54, NODE_MAP);
	device("0000:3f:10.4", 0x0eb48086, 4096);            /* iMC channel 0: 16:4 */
	device("0000:7f:10.4", 0x0eb48086, 4096);
	device("0000:00:05.6", 0x0e398086, 4096);            /* IRP, on the I/O bus of socket 0 */
	device("0000:40:05.6", 0x0e398086, 4096);            /* ... of socket 1 */
	device("0000:02:00.0", 0x15211af4, 4096);            /* another vendor's card */
	device("0000:40:10.4", 0x99998086, 4096);            /* same place, but another thing */
	device("0000:ff:1f.7", 0xffffffff, 4096);            /* answers nothing */
}

/* sentence: part of what it has to say although it succeeds, or NULL. */
static inline struct topo_pci *read_good(const char *sentence)
{
	struct topo_pci *p = NULL;
	struct err err = { "old" };

	assert_int_equal(topo_pci_read(root, &anchor, &p, &err), 0);
	if (sentence ? !strstr(err.text, sentence) : err.text[0])
		fail_msg("\"%s\"", err.text);
	return p;
}

#endif
