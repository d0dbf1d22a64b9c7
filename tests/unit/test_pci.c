/* SPDX-License-Identifier: MIT
 * PCI functions of a made-up sysfs: whose bus it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "pci_tree.h"

#include <errno.h>

static const struct topo_function *at(const struct topo_pci *p, unsigned bus,
				      unsigned dev, unsigned fn)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->v[i].bus == bus && p->v[i].dev == dev && p->v[i].fn == fn)
			return &p->v[i];
	fail_msg("%02x:%02x.%u is not there", bus, dev, fn);
	return NULL;
}

static void buses_by_the_ubox(void **state)
{
	static const struct { unsigned line, bus, dev, fn; int socket; bool home; } rows[] = {
		{ __LINE__, 0x3f, 11, 0, 0, true },
		{ __LINE__, 0x7f, 11, 0, 1, true },
		{ __LINE__, 0x3f, 16, 4, 0, true },
		{ __LINE__, 0x7f, 16, 4, 1, true },
		{ __LINE__, 0x00, 5, 6, 0, false },      /* below 3f: its socket */
		{ __LINE__, 0x40, 5, 6, 1, false },      /* above 3f: the next one's */
	};
	struct topo_pci *p;

	(void)state;
	two_sockets();
	p = read_good(NULL);
	assert_int_equal(p->n, 7);                      /* Intel's only */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct topo_function *f = at(p, rows[i].bus, rows[i].dev, rows[i].fn);

		if (f->socket != rows[i].socket || f->on_uncore_bus != rows[i].home)
			fail_msg("line %u: socket %d home %d", rows[i].line, f->socket,
				 f->on_uncore_bus);
	}
	topo_pci_free(p);
}

/* A bus above the last UBox is nobody's; segments do not share buses. */
static void nobodys_bus(void **state)
{
	struct topo_pci *p;

	(void)state;
	two_sockets();
	device("0000:80:10.4", 0x0eb48086, 4096);
	device("0001:10:10.4", 0x0eb48086, 4096);
	p = read_good(NULL);
	assert_int_equal(at(p, 0x80, 16, 4)->socket, -1);
	assert_int_equal(at(p, 0x10, 16, 4)->socket, -1);
	topo_pci_free(p);
	device("0001:1f:0b.0", 0x0e1e8086, 4096);       /* a UBox there, of node 1 */
	word("0001:1f:0b.0", 0x40, 1);
	word("0001:1f:0b.0", 0x54, NODE_MAP);
	p = read_good(NULL);
	assert_int_equal(at(p, 0x80, 16, 4)->socket, -1);
	assert_int_equal(at(p, 0x10, 16, 4)->socket, 1);
	topo_pci_free(p);
}

static void anchors_that_say_nothing(void **state)
{
	struct topo_pci *p;
	struct err err;

	(void)state;
	device("0000:3f:10.4", 0x0eb48086, 4096);
	p = read_good("no device 8086:0e1e");
	assert_int_equal(at(p, 0x3f, 16, 4)->socket, -1);
	topo_pci_free(p);
	device("0000:3f:0b.0", 0x0e1e8086, 64);             /* what is seen without privilege */
	assert_int_equal(topo_pci_read(root, &anchor, &p, &err), -EACCES);
	assert_non_null(strstr(err.text, "CAP_SYS_ADMIN"));
	word("0000:3f:0b.0", 0x54, 0xffffff);
	word("0000:3f:0b.0", 0x40, 3);
	p = read_good("not in its own map");
	topo_pci_free(p);
}

/* A UBox that says nothing, beside one that does: its own buses are not the neighbour's. */
static void a_mute_anchor_among_others(void **state)
{
	struct topo_pci *p;

	(void)state;
	for (unsigned privileged = 0; privileged < 2; privileged++) {
		setup(NULL);
		two_sockets();
		if (privileged)
			word("0000:3f:0b.0", 0x40, 5);          /* a node that no socket has */
		else
			shorten("0000:3f:0b.0", 64);
		p = read_good(privileged ? "not in its own map" : "CAP_SYS_ADMIN");
		assert_int_equal(at(p, 0x3f, 16, 4)->socket, -1);
		assert_int_equal(at(p, 0x00, 5, 6)->socket, -1);
		assert_int_equal(at(p, 0x7f, 16, 4)->socket, 1);
		assert_int_equal(at(p, 0x40, 5, 6)->socket, 1);
		topo_pci_free(p);
		teardown(NULL);
	}
}

/* Eight sockets, whose UBoxes are in another order than their buses. */
static void eight_sockets(void **state)
{
	struct topo_pci *p;
	uint32_t map = 0;
	char name[16];

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		map |= (7 - i) << 3 * i;                        /* socket i is node 7 - i */
	for (unsigned bus = 0; bus < 8; bus++) {
		snprintf(name, sizeof(name), "0000:%02x:0b.0", 0x20 * bus + 0x1f);
		device(name, 0x0e1e8086, 4096);
		word(name, 0x40, (3 * bus + 1) % 8);
		word(name, 0x54, map);
	}
	p = read_good(NULL);
	for (unsigned bus = 0; bus < 8; bus++)
		assert_int_equal(at(p, 0x20 * bus + 0x1f, 11, 0)->socket, 7 - (3 * bus + 1) % 8);
	topo_pci_free(p);
}

static void no_pci_at_all(void **state)
{
	struct topo_pci *p = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(topo_pci_read("/nonexistent", &anchor, &p, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/bus/pci/devices"));
	assert_null(p);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(buses_by_the_ubox), T(nobodys_bus), T(anchors_that_say_nothing),
		cmocka_unit_test(a_mute_anchor_among_others),
		T(eight_sockets), T(no_pci_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
