/* SPDX-License-Identifier: MIT
 * Registers in the PCI space of a made-up sysfs: which function is meant, halves
 * of a counter. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "pci_tree.h"

#include "access/regio.h"
#include "plan/program.h"

#include <errno.h>
#include <sys/mman.h>

static uint32_t peek(const char *name, unsigned off)
{
	uint32_t v = 0;
	int fd = open(config_of(name), O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &v, 4, off), 4);
	close(fd);
	return v;
}

static const struct plan_device devices[] = {
	{ 16, 4, 0x0eb4 }, { 5, 6, 0x0e39 }, { 24, 2, 0x0e3a }, { 19, 1, 0 },
};

static struct reg reg(unsigned dev, unsigned fn, unsigned off, unsigned bytes)
{
	return (struct reg){ .space = SPACE_PCI, .dev = (uint8_t)dev, .fn = (uint8_t)fn, .off = off,
			     .bytes = (uint8_t)bytes };
}

static struct regio *open_msr(void)
{
	struct regio *io;

	put("cpu/3/msr", "");
	assert_int_equal(truncate(temp_path("cpu/3/msr"), 0x1000), 0);
	assert_int_equal(regio_msr_new(root, &(unsigned){ 3 }, 1, &io, NULL), 0);
	return io;
}

/* Takes msr. */
static struct regio *open_beside(struct regio *msr, unsigned socket, char **hidden)
{
	struct topo_pci *p = read_good(NULL);
	struct regio *io = NULL;
	struct err err = { "" };

	if (regio_pci_new(msr, root, p, socket, devices, 4, hidden, &io, &err) < 0)
		fail_msg("%s", err.text);
	topo_pci_free(p);
	return io;
}

static struct regio *open_socket(unsigned socket, char **hidden)
{
	return open_beside(NULL, socket, hidden);
}

static void each_socket_has_its_own(void **state)
{
	char *hidden;
	struct regio *io;
	uint64_t v;

	(void)state;
	two_sockets();
	io = open_beside(open_msr(), 1, &hidden);
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
	assert_int_equal(unlink(temp_path("cpu/3/msr")), 0);
	assert_int_equal(regio_move(io), -ENXIO);
	regio_free(io);
}

/* Found by its id elsewhere on the socket (329468-002 and likwid disagree about the place of QPI
 * port 2). */
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

/* The same thing stands at the same place of two buses of a socket: the one on the UBox's bus is
 * meant, in any order. */
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
	char *hidden = NULL;

	(void)state;
	two_sockets();
	p = read_good(NULL);
	assert_int_equal(unlink(config_of("0000:3f:10.4")), 0);
	assert_int_equal(regio_pci_new(NULL, root, p, 0, devices, 4, &hidden, &io, NULL),
			 0);
	assert_string_equal(hidden, "16:4 (8086:0eb4), 24:2 (8086:0e3a), 19:1 (8086:0000)");
	free(hidden);
	regio_free(io);
	topo_pci_free(p);
}

/* Half a word is no word: the device answers no more. What lockdown refuses is no fault of the
 * register. */
static void words_that_are_cut_and_writes_that_are_refused(void **state)
{
	int memory = memfd_create("config", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct regio *io;
	char to[64];
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
	snprintf(to, sizeof(to), "/proc/self/fd/%d", memory);
	assert_int_equal(unlink(config_of("0000:3f:10.4")), 0);
	assert_int_equal(symlink(to, config_of("0000:3f:10.4")), 0);
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

	(void)state;
	two_sockets();
	p = read_good(NULL);
	shorten("0000:3f:10.4", 64);
	assert_int_equal(regio_pci_new(NULL, root, p, 0, devices, 4, NULL, &io, &err),
			 -EACCES);
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
			if (v < from || v > r.value)	/* something that it held while we read */
				fail_msg("from 0x%llx step %llu: 0x%llx", (unsigned long long)from,
					 (unsigned long long)step,
					 (unsigned long long)v);
			assert_true(r.reads <= 5);
		}
	/* One that carries at each read tells nothing. */
	assert_int_equal(regio_pci_halves(run_read, &(struct running){ .step = UINT64_C(1) << 32 },
					  0xa0, &v), -EIO);
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
	struct regio *io;
	uint64_t v;

	(void)state;
	two_sockets();
	io = open_beside(open_msr(), 0, NULL);
	assert_int_equal(regio_write(io, msr, 0x20000000), 0);
	assert_int_equal(regio_write(io, reg(16, 4, 0xf4, 4), 0x30100), 0);
	assert_int_equal(regio_read(io, msr, &v), 0);
	assert_int_equal(v, 0x20000000);
	assert_int_equal(peek("0000:3f:10.4", 0xf4), 0x30100);
	assert_int_equal(regio_cpu(io), 3);
	regio_free(io);
	/* Without PCI its registers are not there; MSRs are. */
	assert_int_equal(regio_pci_new(open_msr(), root, NULL, 0, NULL, 0, NULL, &io, NULL), 0);
	assert_int_equal(regio_read(io, reg(16, 4, 0xf4, 4), &v), -EIO);
	assert_int_equal(regio_read(io, msr, &v), 0);
	regio_free(io);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(each_socket_has_its_own), T(found_by_id), T(the_uncore_bus_comes_first),
		T(gone_before_it_is_opened),
		T(words_that_are_cut_and_writes_that_are_refused), T(counters_have_two_halves),
		T(unprivileged),
		T(no_carry_between_the_halves), T(errors_of_a_half), T(msr_and_pci_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
