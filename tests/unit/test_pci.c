/* PCI configuration space below a made-up sysfs: whose bus it is, which function is meant, halves of a counter. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "access/regio.h"
#include "plan/program.h"
#include "topo/topo.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ivytown's UBox: Linux uncore_snbep.c, 8086:0e1e, node id in bits 2:0 of 0x40, map at 0x54. */
static const struct pci_anchor anchor = { .vendor = 0x8086, .device = 0x0e1e, .node = 0x40, .map = 0x54 };

static char root[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int setup(void **state)
{
	char path[256];

	(void)state;
	strcpy(root, "/tmp/uncored-pci-XXXXXX");
	assert_non_null(mkdtemp(root));
	for (const char *const *p = (const char *const[]){ "/bus", "/bus/pci", "/bus/pci/devices", NULL }; *p; p++) {
		snprintf(path, sizeof(path), "%s%s", root, *p);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void word(const char *name, unsigned off, uint32_t value)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/config", root, name);
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &value, 4, off), 4);
	close(fd);
}

static uint32_t peek(const char *name, unsigned off)
{
	char path[256];
	uint32_t v = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/config", root, name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &v, 4, off), 4);
	close(fd);
	return v;
}

static void shorten(const char *name, off_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/config", root, name);
	assert_int_equal(truncate(path, size), 0);
}

static void device(const char *name, uint32_t id, off_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s", root, name);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/config", root, name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
	word(name, 0, id);
}

/* Two sockets whose node ids are 2 (socket 0) and 1 (socket 1): entry i of the map is the node of socket i. */
#define NODE_MAP (2 << 0 | 1 << 3 | 7 << 6 | 7 << 9 | 7 << 12 | 7 << 15 | 7 << 18 | 7 << 21)
static void two_sockets(void)
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

static struct topo_pci *read_good(const char *sentence)
{
	struct topo_pci *p = NULL;
	struct err err = { "old" };

	assert_int_equal(topo_pci_read(root, &anchor, &p, &err), 0);
	if (sentence ? !strstr(err.text, sentence) : err.text[0])
		fail_msg("\"%s\"", err.text);
	return p;
}

static const struct topo_function *at(const struct topo_pci *p, unsigned bus, unsigned dev, unsigned fn)
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

		if (f->socket != rows[i].socket || f->home != rows[i].home)
			fail_msg("line %u: socket %d home %d", rows[i].line, f->socket, f->home);
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

/* ------------------------------------------------------------------ registers */

static const struct plan_device devices[] = {
	{ 16, 4, 0x0eb4 }, { 5, 6, 0x0e39 }, { 24, 2, 0x0e3a }, { 19, 1, 0 },
};

static struct reg reg(unsigned dev, unsigned fn, unsigned off, unsigned bytes)
{
	return (struct reg){ .space = SPACE_PCI, .dev = (uint8_t)dev, .fn = (uint8_t)fn, .off = off, .bytes = (uint8_t)bytes };
}

static struct regio *open_socket(unsigned socket, char **hidden)
{
	struct topo_pci *p = read_good(NULL);
	struct regio *io = NULL;
	struct err err = { "" };

	if (regio_pci_new(root, p, socket, devices, 4, hidden, &io, &err) < 0)
		fail_msg("%s", err.text);
	topo_pci_free(p);
	return io;
}

static void each_socket_has_its_own(void **state)
{
	char *hidden;
	struct regio *io;
	uint64_t v;

	(void)state;
	two_sockets();
	io = open_socket(1, &hidden);
	assert_string_equal(hidden, "24:2 (8086:0e3a), 19:1 (8086:0000)");
	free(hidden);
	assert_int_equal(regio_write(io, reg(16, 4, 0xd8, 4), 0x400304), 0);
	assert_int_equal(peek("0000:7f:10.4", 0xd8), 0x400304);
	assert_int_equal(peek("0000:3f:10.4", 0xd8), 0);
	assert_int_equal(peek("0000:40:10.4", 0xd8), 0);    /* it has another id */
	assert_int_equal(regio_read(io, reg(16, 4, 0xd8, 4), &v), 0);
	assert_int_equal(v, 0x400304);
	/* The IRP is not on the uncore bus. */
	assert_int_equal(regio_write(io, reg(5, 6, 0xf4, 4), 0x30000), 0);
	assert_int_equal(peek("0000:40:05.6", 0xf4), 0x30000);
	assert_int_equal(peek("0000:00:05.6", 0xf4), 0);
	/* What is hidden answers as a register that is not there, not as a CPU that is gone. */
	assert_int_equal(regio_read(io, reg(24, 2, 0xd8, 4), &v), -EIO);
	assert_int_equal(regio_write(io, reg(24, 2, 0xd8, 4), 1), -EIO);
	assert_int_equal(regio_read(io, reg(1, 1, 0xd8, 4), &v), -EIO);
	assert_int_equal(regio_cpu(io), -1);
	assert_int_equal(regio_move(io), -ENXIO);
	regio_free(io);
}

/* Found by its id elsewhere on the socket (329468-002 and likwid disagree about the place of QPI port 2). */
static void found_by_id(void **state)
{
	struct regio *io;
	char *hidden;

	(void)state;
	two_sockets();
	device("0000:3f:0a.2", 0x0e3a8086, 4096);
	io = open_socket(0, &hidden);
	assert_string_equal(hidden, "19:1 (8086:0000)");
	free(hidden);
	assert_int_equal(regio_write(io, reg(24, 2, 0xd8, 4), 5), 0);
	assert_int_equal(peek("0000:3f:0a.2", 0xd8), 5);
	regio_free(io);
}

/* The same thing stands at the same place of two buses of a socket: the one on the UBox's bus is meant, in any order. */
static void the_uncore_bus_comes_first(void **state)
{
	struct regio *io;

	(void)state;
	two_sockets();
	device("0000:10:10.4", 0x0eb48086, 4096);
	io = open_socket(0, NULL);
	assert_int_equal(regio_write(io, reg(16, 4, 0xd8, 4), 5), 0);
	assert_int_equal(peek("0000:3f:10.4", 0xd8), 5);
	assert_int_equal(peek("0000:10:10.4", 0xd8), 0);
	regio_free(io);
}

/* Gone since its bus was looked at: as if it were hidden. */
static void gone_before_it_is_opened(void **state)
{
	struct regio *io = NULL;
	struct topo_pci *p;
	char path[256], *hidden = NULL;

	(void)state;
	two_sockets();
	p = read_good(NULL);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/0000:3f:10.4/config", root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(regio_pci_new(root, p, 0, devices, 4, &hidden, &io, NULL), 0);
	assert_string_equal(hidden, "16:4 (8086:0eb4), 24:2 (8086:0e3a), 19:1 (8086:0000)");
	free(hidden);
	regio_free(io);
	topo_pci_free(p);
}

/* Half a word is no word: the device answers no more. What lockdown refuses is no fault of the register. */
static void words_that_are_cut_and_writes_that_are_refused(void **state)
{
	int memory = memfd_create("config", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct regio *io;
	char path[256], to[64];
	uint64_t v = 77;

	(void)state;
	two_sockets();
	io = open_socket(0, NULL);
	shorten("0000:3f:10.4", 0xa6);
	assert_int_equal(regio_read(io, reg(16, 4, 0xa0, 8), &v), -EIO);
	assert_int_equal(regio_read(io, reg(16, 4, 0xa4, 4), &v), -EIO);
	assert_int_equal(v, 77);
	regio_free(io);

	assert_int_equal(ftruncate(memory, 4096), 0);
	assert_int_equal(pwrite(memory, &(uint32_t){ 0x0eb48086 }, 4, 0), 4);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/0000:3f:10.4/config", root);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", memory);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(to, path), 0);
	io = open_socket(0, NULL);
	assert_int_equal(regio_write(io, reg(16, 4, 0xd8, 4), 5), 0);
	assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE), 0);
	assert_int_equal(regio_write(io, reg(16, 4, 0xd8, 4), 6), -EPERM);
	assert_int_equal(regio_write(io, reg(16, 4, 0xa0, 8), 6), -EPERM);
	assert_int_equal(regio_read(io, reg(16, 4, 0xd8, 4), &v), 0);
	assert_int_equal(v, 5);
	regio_free(io);
	close(memory);
}

static void counters_have_two_halves(void **state)
{
	struct regio *io;
	uint64_t v;

	(void)state;
	two_sockets();
	io = open_socket(0, NULL);
	word("0000:3f:10.4", 0xa0, 0xfffffff0);
	word("0000:3f:10.4", 0xa4, 0x0123);
	assert_int_equal(regio_read(io, reg(16, 4, 0xa0, 8), &v), 0);
	assert_int_equal(v, UINT64_C(0x0123fffffff0));
	assert_int_equal(regio_write(io, reg(16, 4, 0xa8, 8), UINT64_C(0xabc12345678)), 0);
	assert_int_equal(peek("0000:3f:10.4", 0xa8), 0x12345678);
	assert_int_equal(peek("0000:3f:10.4", 0xac), 0xabc);
	assert_int_equal(regio_write(io, reg(16, 4, 0x228, 4), 0x1c00), 0);     /* extended space */
	assert_int_equal(peek("0000:3f:10.4", 0x228), 0x1c00);
	regio_free(io);
}

/* Without privilege the file ends after 64 bytes: said, instead of reading nothing. */
static void unprivileged(void **state)
{
	struct topo_pci *p;
	struct regio *io = NULL;
	struct err err = { "" };
	char path[256];

	(void)state;
	two_sockets();
	p = read_good(NULL);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/0000:3f:10.4/config", root);
	assert_int_equal(truncate(path, 64), 0);
	assert_int_equal(regio_pci_new(root, p, 0, devices, 4, NULL, &io, &err), -EACCES);
	assert_non_null(strstr(err.text, "CAP_SYS_ADMIN"));
	assert_null(io);
	topo_pci_free(p);
}

/* A counter that counts while it is read. */
struct running {
	uint64_t value, step;
	unsigned reads;
};

static int run_read(void *p, uint32_t off, uint32_t *ret)
{
	struct running *r = p;

	*ret = (uint32_t)(off == 0xa4 ? r->value >> 32 : r->value);
	r->value += r->step;
	r->reads++;
	return 0;
}

static void no_carry_between_the_halves(void **state)
{
	uint64_t v = 0;

	(void)state;
	for (uint64_t from = UINT64_C(0x12fffffff0); from < UINT64_C(0x1300000010); from++)
		for (uint64_t step = 0; step < 9; step++) {
			struct running r = { .value = from, .step = step };

			assert_int_equal(regio_pci_halves(run_read, &r, 0xa0, &v), 0);
			if (v < from || v > r.value)        /* something that it held while we read */
				fail_msg("from 0x%llx step %llu: 0x%llx", (unsigned long long)from, (unsigned long long)step,
					 (unsigned long long)v);
			assert_true(r.reads <= 5);
		}
	/* One that carries at each read tells nothing. */
	assert_int_equal(regio_pci_halves(run_read, &(struct running){ .step = UINT64_C(1) << 32 }, 0xa0, &v), -EIO);
}

static int fail_read(void *p, uint32_t off, uint32_t *ret)
{
	(void)off, (void)ret;
	return --*(int *)p < 0 ? -EPERM : 0;
}

static void errors_of_a_half(void **state)
{
	uint64_t v = 77;

	(void)state;
	for (int good = 0; good < 3; good++)
		assert_int_equal(regio_pci_halves(fail_read, &(int){ good }, 0xa0, &v), -EPERM);
	assert_int_equal(v, 77);
}

/* ------------------------------------------------------------------ both ways */

static void msr_and_pci_side_by_side(void **state)
{
	struct reg msr = { .space = SPACE_MSR, .bytes = 8, .off = 0xc00 };
	struct regio *a, *b, *io;
	char path[256];
	uint64_t v;
	int fd;

	(void)state;
	two_sockets();
	for (const char *const *p = (const char *const[]){ "/cpu", "/cpu/3", NULL }; *p; p++) {
		snprintf(path, sizeof(path), "%s%s", root, *p);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	snprintf(path, sizeof(path), "%s/cpu/3/msr", root);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, 0x1000), 0);
	close(fd);
	assert_int_equal(regio_msr_new(root, &(unsigned){ 3 }, 1, &a, NULL), 0);
	b = open_socket(0, NULL);
	assert_int_equal(regio_both_new(a, b, &io), 0);
	assert_int_equal(regio_write(io, msr, 0x20000000), 0);
	assert_int_equal(regio_write(io, reg(16, 4, 0xf4, 4), 0x30100), 0);
	assert_int_equal(regio_read(io, msr, &v), 0);
	assert_int_equal(v, 0x20000000);
	assert_int_equal(peek("0000:3f:10.4", 0xf4), 0x30100);
	assert_int_equal(regio_cpu(io), 3);
	regio_free(io);
	/* Without PCI its registers are not there; MSRs are. */
	assert_int_equal(regio_msr_new(root, &(unsigned){ 3 }, 1, &a, NULL), 0);
	assert_int_equal(regio_both_new(a, NULL, &io), 0);
	assert_int_equal(regio_read(io, reg(16, 4, 0xf4, 4), &v), -EIO);
	assert_int_equal(regio_read(io, msr, &v), 0);
	regio_free(io);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(buses_by_the_ubox), T(nobodys_bus), T(anchors_that_say_nothing), cmocka_unit_test(a_mute_anchor_among_others),
		T(eight_sockets), T(no_pci_at_all), T(each_socket_has_its_own), T(found_by_id), T(the_uncore_bus_comes_first),
		T(gone_before_it_is_opened), T(words_that_are_cut_and_writes_that_are_refused), T(counters_have_two_halves), T(unprivileged),
		T(no_carry_between_the_halves), T(errors_of_a_half), T(msr_and_pci_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
