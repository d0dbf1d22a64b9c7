/* SPDX-License-Identifier: MIT
 * Where units are, on the trees of machines (src/topo/machines): the NUMA node that is proved, the
 * root bus and the devices of an I/O stack, and of what there is room among the series of a socket.
 *
 * The trees say which CPUs a socket has; the nodes are put here, in three ways. Expected values are
 * counted by hand from the trees.
 */
#include "plan_test.h"
#include "sysfs_tree.h"

#include "base/bits.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const trees[] = { SYSFS_TREES };

static struct sysfs_tree tree;

enum nodes { NO_NODES, ONE_NODE, TWO_NODES, OF_THE_TEXT };     /* of each socket */

static void remove_nodes(void)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s/devices/system/node'", tree.root);
	assert_int_equal(system(command), 0);
}

/* The nodes of socket i begin with node i, or 2 i; the second one has the upper half of its CPUs.
 */
static void put_nodes(enum nodes nodes)
{
	struct topo *t;

	if (nodes == OF_THE_TEXT)
		return;
	remove_nodes();
	if (nodes == NO_NODES)
		return;
	t = tree_topo(&tree);
	for (unsigned i = 0; i < t->n_sockets; i++)
		for (unsigned half = 0; half < (unsigned)nodes; half++) {
			char file[64], list[4096] = "";
			unsigned n = t->sockets[i].n_cpus / (unsigned)nodes, seen = 0;

			for (unsigned cpu = 0; cpu < t->n_numbers; cpu++)
				if (topo_cpu_of(t, &t->sockets[i], cpu) && seen++ / n == half)
					snprintf(list + strlen(list), sizeof(list) - strlen(list),
						 "%s%u", *list ? "," : "", cpu);
			snprintf(file, sizeof(file), "devices/system/node/node%u/cpulist",
				 i * (unsigned)nodes + half);
			tree_put(&tree, file, list);
		}
	topo_free(t);
}

/* The plan of the tree as it is now. */
static struct made plan_of_tree(const char *text)
{
	struct topo *topo = tree_topo(&tree);
	struct topo_pmus *pmus = tree_pmus(&tree);
	struct topo_devices *devices = NULL;
	struct made m;

	assert_int_equal(topo_devices_read(tree.root, pmus, &devices, NULL), 0);
	m = make_with(text, (struct plan_input){ .topo = topo, .pmus = pmus, .devices = devices,
						 .perf_engine = true });
	if (m.r < 0)
		fail_msg("%s", m.d.n ? m.d.v[0] : "no plan");
	topo_devices_free(devices);
	topo_pmus_free(pmus);
	topo_free(topo);
	return m;
}

static const struct plan_unit *unit_of(const struct plan_socket *s, const char *box, unsigned unit)
{
	for (unsigned i = 0; i < s->n_units; i++)
		if (strcmp(s->units[i].box_name, box) == 0 && s->units[i].unit == unit)
			return &s->units[i];
	return NULL;
}

/* ------------------------------------------------------------------ nodes, by hand */

#define UNPROVED (-1)
/* Nodes of a box's units from first to last on the first two sockets. */
static const struct known {
	const char *tree;
	enum nodes nodes;
	const char *box;
	unsigned first, last;
	int node[2];
} known[] = {
	/* a server of today without and with sub-NUMA clustering; its I/O stacks by their PCI
	 * functions, which say node 0 behind 0000:15 */
	{ "spr", ONE_NODE, "imc", 0, 7, { 0, 1 } },
	{ "spr", ONE_NODE, "iio", 0, 11, { 0, 1 } },
	{ "spr", ONE_NODE, "upi", 0, 3, { 0, 1 } },
	{ "spr", TWO_NODES, "iio", 0, 1, { 0, UNPROVED } },
	{ "spr", TWO_NODES, "iio", 2, 4, { UNPROVED, UNPROVED } },
	{ "spr", TWO_NODES, "iio", 5, 6, { 0, UNPROVED } },
	{ "spr", TWO_NODES, "iio", 7, 11, { UNPROVED, UNPROVED } },
	{ "spr", TWO_NODES, "imc", 0, 7, { UNPROVED, UNPROVED } },
	{ "spr", TWO_NODES, "upi", 0, 3, { UNPROVED, UNPROVED } },
	{ "icx", ONE_NODE, "imc", 0, 7, { 0, 1 } },
	{ "icx", TWO_NODES, "imc", 0, 7, { UNPROVED, UNPROVED } },
	{ "skx", ONE_NODE, "imc", 0, 5, { 0, 1 } },
	{ "skx", TWO_NODES, "imc", 0, 5, { UNPROVED, UNPROVED } },
	/* two dies in a package, a node each: unit = instance x 2 + die */
	{ "clxap", TWO_NODES, "imc", 0, 0, { 0, 2 } },
	{ "clxap", TWO_NODES, "imc", 1, 1, { 1, 3 } },
	{ "clxap", TWO_NODES, "imc", 10, 10, { 0, 2 } },
	{ "clxap", TWO_NODES, "imc", 11, 11, { 1, 3 } },
	{ "clxap", ONE_NODE, "imc", 0, 11, { 0, 1 } },
	/* four dies, two of them in a node; unit = die */
	{ "zen1", TWO_NODES, "amd_df", 0, 1, { 0, 2 } },
	{ "zen1", TWO_NODES, "amd_df", 2, 3, { 1, 3 } },
	/* its energy is of the package, and the package has four dies */
	{ "zen1", TWO_NODES, "power", 0, 0, { UNPROVED, UNPROVED } },
	/* twelve channels for the socket; the kernel says no more */
	{ "zen4", ONE_NODE, "amd_umc", 0, 11, { 0, UNPROVED } },
	{ "zen4", ONE_NODE, "amd_umc", 12, 23, { UNPROVED, 1 } },
	{ "zen4", TWO_NODES, "amd_umc", 0, 11, { UNPROVED, UNPROVED } },
	/* nor with four nodes of three channels each (NPS4) */
	{ "zen4_nps4", OF_THE_TEXT, "amd_umc", 0, 23, { UNPROVED, UNPROVED } },
	{ "zen4_nps4", OF_THE_TEXT, "amd_df", 0, 0, { UNPROVED, UNPROVED } },
	{ "zen4_nps4", OF_THE_TEXT, "power", 0, 0, { UNPROVED, UNPROVED } },
	/* one CPU serves the IOMMUs of both sockets */
	{ "zen4", ONE_NODE, "amd_iommu", 0, 3, { UNPROVED, UNPROVED } },
	/* the drivers give the devices' nodes, whatever the sockets have */
	{ "altra2", ONE_NODE, "arm_dmc620", 0, 1, { 0, UNPROVED } },
	{ "altra2", ONE_NODE, "arm_dmc620", 2, 3, { UNPROVED, 1 } },
	{ "altra2", NO_NODES, "arm_cmn", 0, 0, { 0, UNPROVED } },
	{ "hsx", ONE_NODE, "imc", 0, 1, { 0, 1 } },
	{ "hsx", ONE_NODE, "imc", 4, 5, { 0, 1 } },
	{ "cmn600", ONE_NODE, "arm_dmc620", 0, 3, { 0, UNPROVED } },
	{ "cmn600", TWO_NODES, "arm_dmc620", 0, 3, { UNPROVED, UNPROVED } },
};

static void test_known(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(known); i++) {
		const struct known *k = &known[i];
		char text[64];
		struct made m;

		snprintf(text, sizeof(text), "%s.txt", k->tree);
		tree_make(&tree, text);
		put_nodes(k->nodes);
		m = plan_of_tree(NULL);
		for (unsigned s = 0; s < m.p->n_sockets && s < 2; s++)
			for (unsigned unit = k->first; unit <= k->last; unit++) {
				const struct plan_unit *u = unit_of(&m.p->sockets[s], k->box, unit);
				int node = u ? u->node : UNPROVED;

				if (node != k->node[s])
					fail_msg("%s, %d nodes: socket %u %s %u: node %d, not %d",
						 k->tree, k->nodes, s, k->box, unit, node,
						 k->node[s]);
			}
		made_done(&m);
		tree_drop(&tree);
	}
}

/* ------------------------------------------------------------------ nodes of all trees */

/* How many units have a node on the first two sockets when each has two nodes: those of dies and
 * caches that lie in one, and those whose device says one. Where a socket has one node, all have
 * but amd_iommu's. */
static const struct { const char *tree; unsigned n[2]; } proved[] = {
	{ "nehalem", { 0, 0 } }, { "westmere", { 0, 0 } }, { "nehalem_ex", { 0, 0 } },
	{ "snbep", { 0, 0 } },
	{ "ivt", { 0, 0 } }, { "hsx", { 0, 0 } }, { "bdx", { 0, 0 } }, { "bdxde", { 0, 0 } },
	{ "skx", { 0, 0 } }, { "clx", { 0, 0 } }, { "cpx", { 0, 0 } },
	/* 6 memory channels, 3 links, energy and a cha (the clock) of 2 dies */
	{ "clxap", { 22, 22 } },
	/* stacks with a PCI function that says node 0: 0000:16, 30, 4a, 00; 0000:15, 26, 00, 6a.
	 * Those of socket 1 say node 1, which is one of socket 0 here: a contradiction */
	{ "icx", { 4, 0 } }, { "spr", { 4, 0 } }, { "sprhbm", { 4, 0 } },
	{ "emr", { 0, 0 } }, { "gnr", { 0, 0 } }, { "srf", { 0, 0 } }, { "cwf", { 0, 0 } },
	{ "skl", { 0, 0 } }, { "tgl", { 0, 0 } }, { "adl", { 0, 0 } }, { "mtl", { 0, 0 } },
	{ "lnl", { 0, 0 } },
	{ "zen1", { 4, 4 } },                   /* a fabric of each die */
	{ "ryzen", { 0, 0 } }, { "raphael", { 0, 0 } },         /* one die each */
	{ "zen2", { 0, 0 } }, { "zen3", { 0, 0 } }, { "zen4", { 0, 0 } }, { "zen5", { 0, 0 } },
	{ "zen6", { 0, 0 } },
	{ "cmn600", { 0, 0 } }, { "cmn700", { 0, 0 } },
	{ "altra2", { 6, 0 } },                 /* 2 meshes, 4 controllers: nodes 0 and 1 */
	{ "altra2_lts", { 0, 0 } },
	{ "cmns3", { 2, 0 } },                  /* the DRAM of 2 CXL devices: node 0 */
	{ "kunpeng920", { 0, 0 } }, { "kunpeng930", { 0, 0 } }, { "ampereone", { 0, 0 } },
	{ "yitian710", { 8, 0 } },              /* 4 channels of each of nodes 0 and 1 */
	{ "grace", { 0, 0 } }, { "vera", { 0, 0 } },
};

static unsigned n_proved(const struct plan_socket *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_units; i++)
		n += s->units[i].node >= 0;
	return n;
}

static void check_one_node(const char *name, const struct plan *p)
{
	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned k = 0; k < p->sockets[i].n_units; k++) {
			const struct plan_unit *u = &p->sockets[i].units[k];
			bool none = strcmp(u->box_name, "amd_iommu") == 0;

			/* the text's devices say that these are of a second node */
			none |= strcmp(u->box_name, "ali_drw") == 0 && u->unit >= 4;
			if (u->node != (none ? UNPROVED : (int)i))
				fail_msg("%s: socket %u %s %u: node %d", name, i, u->box_name,
					 u->unit, u->node);
		}
}

/* And the boxes of which a unit has no node: what proves one, its device, its CPUs or its root bus,
 * says none there, or two. */
static void print_proved(const char *name, const char *nodes, const struct plan *p)
{
	unsigned n = 0, all = 0;
	const char *last = "";

	for (unsigned i = 0; i < p->n_sockets; i++) {
		n += n_proved(&p->sockets[i]);
		all += p->sockets[i].n_units;
	}
	print_message("# %s, %s: %u of %u units%s", name, nodes, n, all,
		      n < all ? "; nothing says which node of" : "");
	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned k = 0; k < p->sockets[i].n_units; k++) {
			const struct plan_unit *u = &p->sockets[i].units[k];

			if (u->node >= 0 || strcmp(u->box_name, last) == 0)
				continue;
			last = u->box_name;
			print_message(" %u/%s", i, last);
		}
	print_message("\n");
}

static void test_all_trees(void **state)
{
	(void)state;
	assert_int_equal(COUNT(proved), COUNT(trees));
	for (unsigned i = 0; i < COUNT(proved); i++) {
		char text[64];
		struct made m;

		snprintf(text, sizeof(text), "%s.txt", proved[i].tree);
		tree_make(&tree, text);
		put_nodes(ONE_NODE);
		m = plan_of_tree(NULL);
		check_one_node(proved[i].tree, m.p);
		print_proved(proved[i].tree, "a node each socket", m.p);
		made_done(&m);
		put_nodes(TWO_NODES);
		m = plan_of_tree(NULL);
		for (unsigned s = 0; s < m.p->n_sockets; s++)
			if (n_proved(&m.p->sockets[s]) != proved[i].n[s])
				fail_msg("%s: socket %u: %u units with a node, not %u",
					 proved[i].tree, s, n_proved(&m.p->sockets[s]),
					 proved[i].n[s]);
		print_proved(proved[i].tree, "two nodes", m.p);
		made_done(&m);
		tree_drop(&tree);
	}
}

/* A cache lies in one node although the socket has two (NPS2); the CPUs that a PMU says it is near
 * do; a node of memory alone leaves open where HBM is. */
static void test_proofs(void **state)
{
	static const char l3[] = "groups = ({ name = \"g\"; events = [ "
				 "\"perf/amd_l3/event=0x04,umask=0xff,name=x/\" ]; });";
	struct made m;

	(void)state;
	tree_make(&tree, "zen3.txt");           /* four caches of two CPUs on each socket */
	put_nodes(TWO_NODES);
	m = plan_of_tree(l3);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(unit_of(&m.p->sockets[0], "amd_l3", i)->node, i / 2);
		assert_int_equal(unit_of(&m.p->sockets[1], "amd_l3", i)->node, 2 + i / 2);
	}
	made_done(&m);
	tree_drop(&tree);

	tree_make(&tree, "zen4_nps4.txt");      /* four caches and nodes on each socket */
	m = plan_of_tree(l3);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(unit_of(&m.p->sockets[0], "amd_l3", i)->node, i);
		assert_int_equal(unit_of(&m.p->sockets[1], "amd_l3", i)->node, 4 + i);
	}
	assert_int_equal(m.p->sockets[0].n_nodes, 4);
	assert_int_equal(m.p->sockets[1].n_nodes, 4);
	made_done(&m);
	tree_drop(&tree);

	tree_make(&tree, "cmn600.txt");         /* one socket with CPUs 0 to 7 */
	put_nodes(TWO_NODES);
	tree_put(&tree, "bus/event_source/devices/arm_dsu_1/associated_cpus", "4-6");
	tree_put(&tree, "bus/event_source/devices/arm_dsu_2/associated_cpus", "3-4");
	m = plan_of_tree(NULL);
	assert_int_equal(unit_of(&m.p->sockets[0], "arm_dsu", 1)->node, 1);
	assert_int_equal(unit_of(&m.p->sockets[0], "arm_dsu", 2)->node, UNPROVED);
	made_done(&m);
	tree_drop(&tree);

	tree_make(&tree, "sprhbm.txt");
	put_nodes(ONE_NODE);
	tree_put(&tree, "devices/system/node/node2/cpulist", "");
	m = plan_of_tree("groups = ({ name = \"g\"; events = [ "
			 "\"perf/uncore_hbm/event=0x05,umask=0xcf,name=x/\", "
			 "\"perf/uncore_imc/cas_count_read/\" ]; });");
	assert_int_equal(unit_of(&m.p->sockets[0], "hbm", 0)->node, UNPROVED);
	assert_int_equal(unit_of(&m.p->sockets[0], "imc", 0)->node, 0);
	made_done(&m);
	tree_drop(&tree);
}

/* ------------------------------------------------------------------ stacks */

static const struct plan_stack *stack_of(const struct plan_socket *s, unsigned unit)
{
	for (unsigned i = 0; i < s->n_stacks; i++)
		if (s->stacks[i].unit == unit)
			return &s->stacks[i];
	return NULL;
}

/* Ice Lake by the listing of Linux' commit 10337e95e04c, and the devices of its tree. */
static void test_stacks(void **state)
{
	static const char *const buses[2][6] = {
		{ "0000:16", "0000:30", NULL, "0000:4a", "0000:64", "0000:00" },
		{ "0000:97", "0000:b0", NULL, "0000:c9", "0000:e2", "0000:80" },
	};
	static const char *const names[2][6] = {
		{ "ens1f0, ens1f1", "nvme0", NULL, "nvme1", "", "" },
		{ "mlx5_0", "", NULL, "nvidia 0000:ca:00.0", "", "" },
	};
	struct made m;

	(void)state;
	tree_make(&tree, "icx.txt");
	m = plan_of_tree(NULL);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned unit = 0; unit < 6; unit++) {
			const struct plan_stack *k = stack_of(&m.p->sockets[s], unit);

			assert_int_equal(!k, !buses[s][unit]);
			if (!k)
				continue;
			assert_string_equal(k->pci_bus, buses[s][unit]);
			assert_string_equal(k->names, names[s][unit]);
		}
	assert_int_equal(stack_of(&m.p->sockets[0], 0)->n_sharing, 2);
	assert_int_equal(stack_of(&m.p->sockets[0], 1)->n_sharing, 1);
	/* a SATA controller and the graphics of a management controller: not named, but there */
	assert_int_equal(stack_of(&m.p->sockets[0], 5)->n_sharing, 2);
	assert_int_equal(stack_of(&m.p->sockets[0], 5)->n_devices, 0);
	made_done(&m);
	/* without the events of stacks nothing says where these are */
	m = plan_of_tree("groups = ({ name = \"g\"; events = [ "
			 "\"perf/uncore_imc/cas_count_read/\" ]; });");
	assert_int_equal(m.p->sockets[0].n_stacks, 0);
	made_done(&m);
	/* two of a package: unit = instance x 2 + die */
	tree_drop(&tree);
	tree_make(&tree, "clxap.txt");
	for (unsigned die = 0; die < 4; die++) {
		char file[64], bus[16];

		snprintf(file, sizeof(file), "bus/event_source/devices/uncore_iio_2/die%u", die);
		snprintf(bus, sizeof(bus), "0000:%u0", die + 1);
		tree_put(&tree, file, bus);
	}
	m = plan_of_tree("groups = ({ name = \"g\"; events = [ "
			 "\"perf/uncore_iio/event=0x83,umask=0x4,ch_mask=1,fc_mask=7,name=x/\" "
			 "]; });");
	for (unsigned die = 0; die < 4; die++)
		assert_true(stack_of(&m.p->sockets[die / 2], 4 + die % 2)->pci_bus[5] ==
			    (char)('1' + die));
	assert_int_equal(m.p->sockets[0].n_stacks, 2);
	made_done(&m);
	tree_drop(&tree);
}

static bool has_note(const struct plan *p, const char *text)
{
	for (unsigned i = 0; i < p->n_notes; i++)
		if (strstr(p->notes[i], text))
			return true;
	return false;
}

/* What is not sure is left out: a die that nobody sees shifts the numbers of the others; a root bus
 * near the CPUs of another socket. */
static void test_doubtful_stacks(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "icx.txt");
	tree_put(&tree, "devices/pci0000:16/0000:17:00.0/numa_node", "1");
	tree_put(&tree, "devices/pci0000:16/0000:17:00.1/numa_node", "1");
	m = plan_of_tree(NULL);
	assert_null(stack_of(&m.p->sockets[0], 0));
	assert_non_null(stack_of(&m.p->sockets[0], 1));
	made_done(&m);
	tree_put(&tree, "bus/event_source/devices/uncore_iio_1/die2", "0000:d0");
	m = plan_of_tree(NULL);
	assert_int_equal(m.p->sockets[0].n_stacks + m.p->sockets[1].n_stacks, 0);
	assert_true(has_note(m.p, "a die of which no CPU is online"));
	made_done(&m);
	tree_drop(&tree);
}

/* ------------------------------------------------------------------ room */

static void put_drive(unsigned i)
{
	char path[96], file[160], to[128];

	snprintf(path, sizeof(path), "devices/pci0000:30/0000:%02x:00.0", 0x32 + i);
	snprintf(file, sizeof(file), "%s/class", path);
	tree_put(&tree, file, "0x010802");
	snprintf(file, sizeof(file), "%s/nvme/nvme%u/x", path, 10 + i);
	tree_put(&tree, file, "");
	snprintf(file, sizeof(file), "%s/bus/pci/devices/0000:%02x:00.0", tree.root, 0x32 + i);
	snprintf(to, sizeof(to), "../../../%s", path);
	assert_int_equal(symlink(to, file), 0);
}

static unsigned n_shown(const struct plan_socket *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_stacks; i++)
		n += s->stacks[i].shown + (s->stacks[i].devices_shown ? s->stacks[i].n_devices : 0);
	for (unsigned i = 0; i < s->n_units; i++)
		n += s->units[i].node_shown;
	return n;
}

/* No more than 100 series of a socket, on every machine with one node for each socket; what there
 * is of nodes is all of a box or nothing. */
static void test_room(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(trees); i++) {
		char text[64];
		struct made m;

		snprintf(text, sizeof(text), "%s.txt", trees[i]);
		tree_make(&tree, text);
		put_nodes(ONE_NODE);
		m = plan_of_tree(NULL);
		for (unsigned s = 0; s < m.p->n_sockets; s++) {
			assert_true(m.p->sockets[s].n_exported <= 100);
			assert_int_equal(m.p->sockets[s].n_locations, n_shown(&m.p->sockets[s]));
		}
		made_done(&m);
		tree_drop(&tree);
	}
}

/* 24 drives on one stack: the others' devices are there, and none of these. */
static void test_many_drives(void **state)
{
	const struct plan_socket *s;
	struct made m;

	(void)state;
	tree_make(&tree, "icx.txt");
	for (unsigned i = 0; i < 23; i++)
		put_drive(i);
	m = plan_of_tree(NULL);
	s = &m.p->sockets[0];
	/* 88 series are counted: 12 are left. A stack of one device and one of two, the root buses
	 * of the other three, and the nodes of the boxes of one unit (energy, a cha for the clock,
	 * sleep states): 2 + 3 + 3 + 3. All three links would be one too many */
	assert_int_equal(s->n_exported, 99);
	assert_true(stack_of(s, 0)->devices_shown && stack_of(s, 3)->devices_shown);
	assert_false(stack_of(s, 1)->devices_shown);
	assert_true(stack_of(s, 1)->shown);
	assert_int_equal(stack_of(s, 1)->n_sharing, 24);
	assert_string_equal(stack_of(s, 1)->names, "nvme0, nvme10, nvme11, nvme12, nvme13, nvme14, "
			    "nvme15, nvme16 and 16 others");
	assert_true(has_note(m.p, "24 devices"));
	made_done(&m);
	/* with groups of one's own there is no limit */
	m = plan_of_tree("groups = [ \"memory\", \"links\", \"pcie\" ];");
	assert_true(stack_of(&m.p->sockets[0], 1)->devices_shown);
	assert_int_equal(m.p->sockets[0].n_locations, n_shown(&m.p->sockets[0]));
	made_done(&m);
	tree_drop(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known), cmocka_unit_test(test_all_trees),
		cmocka_unit_test(test_proofs), cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_doubtful_stacks), cmocka_unit_test(test_room),
		cmocka_unit_test(test_many_drives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
