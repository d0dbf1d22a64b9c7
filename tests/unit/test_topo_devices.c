/* SPDX-License-Identifier: MIT
 * The PCI devices behind root buses, as made-up trees in a temporary directory tell of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "base/bits.h"
#include "topo/devices.h"

#define PMU  "bus/event_source/devices/"
#define LIST "bus/pci/devices/"

static int setup(void **state)
{
	(void)state;
	assert_int_equal(temp_make("devices"), 0);
	put(PMU "uncore_iio_0/type", "13\n");
	put(PMU "uncore_iio_0/die0", "0000:16\n");
	put(PMU "uncore_iio_0/die1", "0000:97\n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return drop("");
}

/* A file of the function in `dir`, the last part of which is its address. */
static void put_of(const char *dir, const char *file, const char *text)
{
	char name[256];

	snprintf(name, sizeof(name), "devices/%s/%s", dir, file);
	put(name, text);
}

/* A function with class and driver; driver NULL: none. */
static void put_function(const char *dir, const char *class, const char *driver)
{
	const char *address = strrchr(dir, '/') + 1;
	char name[256], to[256];

	put_of(dir, "class", class);
	snprintf(name, sizeof(name), LIST "%s", address);
	snprintf(to, sizeof(to), "../../../devices/%s", dir);
	assert_int_equal(symlink(to, temp_parents(name)), 0);
	if (!driver)
		return;
	snprintf(name, sizeof(name), "devices/%s/driver", dir);
	snprintf(to, sizeof(to), "../../../bus/pci/drivers/%s", driver);
	assert_int_equal(symlink(to, temp_path(name)), 0);
}

static struct topo_devices *read_devices(void)
{
	struct topo_pmus *pmus = NULL;
	struct topo_devices *d = NULL;

	assert_int_equal(topo_pmus_read(root, &pmus, NULL), 0);
	assert_int_equal(topo_devices_read(root, pmus, &d, NULL), 0);
	topo_pmus_free(pmus);
	return d;
}

/* "0000:17:00.0 net ice eth0" of each, with a line feed behind it; "-": another kind. */
static const char *list(const struct topo_devices *d)
{
	static char text[4096];
	size_t n = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < d->n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s %s %s\n", d->v[i].pci,
				      d->v[i].kind ? d->v[i].kind : "-", d->v[i].driver,
				      d->v[i].name);
	return text;
}

static void check(const char *want)
{
	struct topo_devices *d = read_devices();

	assert_string_equal(list(d), want);
	topo_devices_free(d);
}

#define ROOT "pci0000:16/"
#define PORT ROOT "0000:16:02.0/"

/* By the class codes of PCI: who is named, who only shares, and who moves nothing. */
static void test_kinds(void **state)
{
	static const struct { const char *dir, *class, *driver, *want; } rows[] = {
		{ ROOT "0000:16:02.0", "0x060400\n", "pcieport", "" },
		{ PORT "0000:17:00.0", "0x020000\n", "ice",
		  "0000:17:00.0 net ice \n" },
		{ PORT "0000:18:00.0", "0x020700\n", "mlx5_core",
		  "0000:18:00.0 infiniband mlx5_core \n" },
		{ PORT "0000:19:00.0", "0x010802\n", "nvme", "0000:19:00.0 nvme nvme \n" },
		{ PORT "0000:1a:00.0", "0x120000\n", NULL, "0000:1a:00.0 accelerator  \n" },
		{ PORT "0000:1b:00.0", "0x030200\n", "nvidia",
		  "0000:1b:00.0 accelerator nvidia \n" },
		{ PORT "0000:1c:00.0", "0x0b4000\n", "4xxx", "0000:1c:00.0 accelerator 4xxx \n" },
		{ ROOT "0000:16:01.0", "0x088000\n", "idxd",
		  "0000:16:01.0 accelerator idxd \n" },
		{ ROOT "0000:16:01.1", "0x088000\n", "ioatdma", "0000:16:01.1 - ioatdma \n" },
		{ ROOT "0000:16:00.0", "0x088000\n", NULL, "" },
		{ ROOT "0000:16:1d.0", "0x110100\n", "skx_uncore", "" },
		{ PORT "0000:1d:00.0", "0x010601\n", "ahci", "0000:1d:00.0 - ahci \n" },
		{ PORT "0000:1e:00.0", "odd\n", "ahci", "" },
		{ PORT "0000:1f:00.0", "0x1000000\n", "ahci", "" },
		{ "pci0000:30/0000:31:00.0", "0x020000\n", "ice", "" },      /* of no stack */
	};
	char want[2048] = "", *at = want;

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++)
		put_function(rows[i].dir, rows[i].class, rows[i].driver);
	put_function(PORT "0000:20:00.0", "0x030000\n", "ast");
	put_of(PORT "0000:20:00.0", "vendor", "0x1a03\n");
	/* by address */
	for (unsigned first = 0; first < 2; first++)
		for (unsigned i = 0; i < COUNT(rows); i++)
			if ((strncmp(rows[i].want, "0000:16", 7) == 0) == !first)
				at = stpcpy(at, rows[i].want);
	stpcpy(at, "0000:20:00.0 - ast \n");
	check(want);
}

/* As the kernel names them; interfaces by the order in which they came. */
static void test_names(void **state)
{
	(void)state;
	put_function(PORT "0000:17:00.0", "0x020000\n", "ice");
	put_of(PORT "0000:17:00.0", "net/eth9/ifindex", "3\n");
	put_of(PORT "0000:17:00.0", "net/pf0vf0/ifindex", "30\n");
	put_of(PORT "0000:17:00.0", "net/a0/ifindex", "31\n");
	put_function(PORT "0000:17:00.1", "0x020000\n", "ice");
	put_of(PORT "0000:17:00.1", "net/a\033[1m\nb/ifindex", "4\n");
	put_function(PORT "0000:18:00.0", "0x020700\n", "mlx5_core");
	put_of(PORT "0000:18:00.0", "infiniband/mlx5_0/node_type", "1: CA\n");
	put_of(PORT "0000:18:00.0", "net/ib0/ifindex", "5\n");
	/* behind a VMD, which is a function of the stack and has a bus of its own */
	put_function(ROOT "0000:16:05.5", "0x010400\n", "vmd");
	put_function(ROOT "0000:16:05.5/pci10000:00/10000:00:02.0/10000:01:00.0", "0x010802\n",
		     "nvme");
	put_of(ROOT "0000:16:05.5/pci10000:00/10000:00:02.0/10000:01:00.0", "nvme/nvme0/x", "");
	put_function("pci0000:97/0000:98:00.0", "0x030200\n", "amdgpu");
	put_of("pci0000:97/0000:98:00.0", "drm/card1/x", "");
	put_of("pci0000:97/0000:98:00.0", "drm/renderD128/x", "");
	check("0000:16:05.5 - vmd \n"
	      "0000:17:00.0 net ice eth9\n"
	      "0000:17:00.1 net ice a\\x1b[1m\\x0ab\n"
	      "0000:18:00.0 infiniband mlx5_core mlx5_0\n"
	      "0000:98:00.0 accelerator amdgpu card1\n"
	      "10000:01:00.0 nvme nvme nvme0\n");
}

/* A virtual function is not listed: what it moves is its physical one's. */
static void test_virtual(void **state)
{
	(void)state;
	put_function(PORT "0000:17:00.0", "0x020000\n", "ice");
	put_function(PORT "0000:17:01.0", "0x020000\n", "iavf");
	assert_int_equal(symlink("../0000:17:00.0",
				 temp_path("devices/" PORT "0000:17:01.0/physfn")), 0);
	check("0000:17:00.0 net ice \n");
}

/* Links that lead elsewhere, to nothing, or are none. */
static void test_hostile(void **state)
{
	static const char *const links[][2] = {
		{ LIST "0000:01:00.0", "/etc" },
		{ LIST "0000:02:00.0", "../../../devices/pci0000:16/../../../../etc" },
		{ LIST "0000:03:00.0", "../../../devices/pci0000:16/0000:03:00.0" },    /* gone */
		{ LIST "0000:04:00.0", "../../../devices/pci0000:16" },
		{ LIST "0000:05:00.0", "../../../devices/pci0000:16x/0000:05:00.0" },
		{ LIST "0000:06:00.0", "../../devices/pci0000:16/0000:17:00.0" },
	};
	char driver[200], want[128];

	(void)state;
	put_function(PORT "0000:17:00.0", "0x020000\n", NULL);
	put_of(PORT "0000:17:00.0", "net", "a file\n");
	memset(driver, 'x', sizeof(driver) - 1);
	driver[sizeof(driver) - 1] = '\0';
	assert_int_equal(symlink(driver, temp_path("devices/" PORT "0000:17:00.0/driver")), 0);
	for (unsigned i = 0; i < COUNT(links); i++)
		assert_int_equal(symlink(links[i][1], temp_path(links[i][0])), 0);
	put(LIST "0000:07:00.0/class", "0x020000\n");
	snprintf(want, sizeof(want), "0000:17:00.0 net %.63s \n", driver);     /* it is cut */
	check(want);
	drop(LIST);
	check("");
}

/* Of a root bus: what all that is on it says. */
static void test_nodes(void **state)
{
	struct topo_devices *d;

	(void)state;
	put_function(ROOT "0000:16:00.0", "0x088000\n", NULL);
	put_of(ROOT "0000:16:00.0", "numa_node", "2\n");
	put_function(ROOT "0000:16:02.0", "0x060400\n", "pcieport");
	put_of(ROOT "0000:16:02.0", "numa_node", "2\n");
	put_function(PORT "0000:17:00.0", "0x020000\n", "ice");
	put_of(PORT "0000:17:00.0", "numa_node", "5\n");
	put_function("pci0000:97/0000:97:00.0", "0x088000\n", NULL);
	put_of("pci0000:97/0000:97:00.0", "numa_node", "-1\n");
	d = read_devices();
	assert_int_equal(topo_root_node(d, 0x16), 2);
	assert_int_equal(topo_root_node(d, 0x97), -1);
	assert_int_equal(topo_root_node(d, 0x30), -1);
	assert_int_equal(topo_root_node(NULL, 0x16), -1);
	topo_devices_free(d);
	put_function(ROOT "0000:16:03.0", "0x060400\n", "pcieport");
	put_of(ROOT "0000:16:03.0", "numa_node", "3\n");
	d = read_devices();
	assert_int_equal(topo_root_node(d, 0x16), -1);
	topo_devices_free(d);
}

/* Where no PMU counts stacks, nothing is looked at. */
static void test_no_stacks(void **state)
{
	struct topo_devices *d = NULL;

	(void)state;
	put_function(PORT "0000:17:00.0", "0x020000\n", "ice");
	drop(PMU "uncore_iio_0");
	check("");
	assert_int_equal(topo_devices_read(root, NULL, &d, NULL), 0);
	assert_int_equal(d->n, 0);
	topo_devices_free(d);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_kinds), TEST(test_names), TEST(test_virtual), TEST(test_hostile),
		TEST(test_nodes), TEST(test_no_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
