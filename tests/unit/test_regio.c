/* SPDX-License-Identifier: MIT
 * The ways to a register: the msr files of a directory, and the transcript around another way. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_regio.h"
#include "temp_dir.h"

#include <sys/syscall.h>

/* Registers of these tests lie 8 apart: in a plain file, unlike in the device, neighbours would
 * overlap. */
#define REG_A MSR(0x100)
#define REG_B MSR(0x108)

static int set_up(void **state)
{
	(void)state;
	return temp_make("regio");
}

static int tear_down(void **state)
{
	(void)state;
	return drop("");
}

static void path_of(unsigned cpu, const char *what, char path[128])
{
	snprintf(path, 128, "%s/cpu/%u%s", root, cpu, what);
}

/* A CPU whose registers hold `value` at REG_A; the file has `size` bytes. */
static void add_cpu(unsigned cpu, uint64_t value, off_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/cpu", root);
	mkdir(path, 0755);
	path_of(cpu, "", path);
	assert_int_equal(mkdir(path, 0755), 0);
	path_of(cpu, "/msr", path);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	if (size >= 0x108)
		assert_int_equal(pwrite(fd, &value, 8, 0x100), 8);
	close(fd);
}

static void del_cpu(unsigned cpu)
{
	char path[128];

	path_of(cpu, "/msr", path);
	assert_int_equal(unlink(path), 0);
	path_of(cpu, "", path);
	assert_int_equal(rmdir(path), 0);
}

static int open_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void reads_and_writes_eight_bytes_at_the_number(void **state)
{
	static const unsigned cpus[] = { 3 };
	struct regio *io;
	uint64_t v = 0;
	char path[128];
	int fd;

	(void)state;
	add_cpu(3, UINT64_C(0x1122334455667788), 0x200);
	assert_int_equal(regio_msr_new(root, cpus, 1, &io, NULL), 0);
	assert_int_equal(regio_cpu(io), 3);
	assert_int_equal(regio_read(io, REG_A, &v), 0);
	assert_true(v == UINT64_C(0x1122334455667788));
	assert_int_equal(regio_write(io, REG_B, UINT64_C(0xfedcba9876543210)), 0);
	path_of(3, "/msr", path);
	fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, &v, 8, 0x108), 8);
	close(fd);
	assert_true(v == UINT64_C(0xfedcba9876543210));
	assert_int_equal(regio_read(io, (struct reg){ .space = SPACE_PCI, .off = 0x100 }, &v),
			 -EOPNOTSUPP);
	assert_int_equal(regio_write(io, (struct reg){ .space = SPACE_PCI, .off = 0x100 }, 1),
			 -EOPNOTSUPP);
	regio_free(io);
	regio_free(NULL);
}

static void half_a_value_is_none(void **state)
{
	static const unsigned cpus[] = { 0 };
	struct regio *io;
	uint64_t v = 42;

	(void)state;
	add_cpu(0, 0, 0x104);           /* REG_A: 4 of 8 bytes; REG_B: none */
	assert_int_equal(regio_msr_new(root, cpus, 1, &io, NULL), 0);
	assert_int_equal(regio_read(io, REG_A, &v), -EIO);
	assert_int_equal(regio_read(io, REG_B, &v), -EIO);
	assert_int_equal(v, 42);
	regio_free(io);
}

static void first_cpu_that_opens(void **state)
{
	static const unsigned cpus[] = { 4, 2, 6 };
	struct regio *io;
	uint64_t v = 0;

	(void)state;
	add_cpu(2, 22, 0x200);
	add_cpu(6, 66, 0x200);
	assert_int_equal(regio_msr_new(root, cpus, 3, &io, NULL), 0);
	assert_int_equal(regio_cpu(io), 2);
	/* again in trying order from the start, without the present one */
	add_cpu(4, 44, 0x200);
	assert_int_equal(regio_move(io), 0);
	assert_int_equal(regio_cpu(io), 4);
	del_cpu(2);
	assert_int_equal(regio_move(io), 0);
	assert_int_equal(regio_cpu(io), 6);
	assert_int_equal(regio_read(io, REG_A, &v), 0);
	assert_int_equal(v, 66);
	regio_free(io);
}

/* The file of a CPU that has just gone opens, and no register answers. A plain file cannot do that:
 * this stands before libc's. */
static ino_t gone;

ssize_t pread(int fd, void *buf, size_t n, off_t off)
{
	struct stat st;

	if (gone && fstat(fd, &st) == 0 && st.st_ino == gone) {
		errno = ENXIO;
		return -1;
	}
	return syscall(SYS_pread64, fd, buf, n, off);
}

static void a_file_without_a_cpu_is_no_way(void **state)
{
	static const unsigned cpus[] = { 4, 2, 6 };
	struct regio *io;
	char path[128];
	struct stat st;
	uint64_t v;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		add_cpu(cpus[i], 11 * cpus[i], 0x200);
	assert_int_equal(regio_msr_new(root, cpus, 3, &io, NULL), 0);
	path_of(2, "/msr", path);
	assert_int_equal(stat(path, &st), 0);
	gone = st.st_ino;
	assert_int_equal(regio_move(io), 0);
	assert_int_equal(regio_cpu(io), 6);
	assert_int_equal(regio_read(io, REG_A, &v), 0);
	assert_int_equal(v, 66);
	gone = 0;
	regio_free(io);
}

static void nowhere_to_move(void **state)
{
	static const unsigned cpus[] = { 0, 1 };
	struct regio *io;
	int fds;

	(void)state;
	add_cpu(0, 1, 0x200);
	add_cpu(1, 2, 0x200);
	assert_int_equal(regio_msr_new(root, cpus, 2, &io, NULL), 0);
	fds = open_fds();
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(regio_move(io), 0);
	del_cpu(0);
	del_cpu(1);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(regio_move(io), -ENXIO);
	assert_int_equal(open_fds(), fds);
	add_cpu(0, 3, 0x200);           /* back again */
	assert_int_equal(regio_move(io), 0);
	assert_int_equal(regio_cpu(io), 0);
	regio_free(io);
	assert_int_equal(open_fds(), fds - 1);
}

static void missing_module(void **state)
{
	static const unsigned cpus[] = { 0, 1 };
	struct regio *io = NULL;
	struct err err;

	(void)state;
	assert_int_equal(regio_msr_new(root, cpus, 2, &io, &err), -ENOENT);
	assert_null(io);
	assert_non_null(strstr(err.text, "/cpu/0/msr"));
	assert_non_null(strstr(err.text, "modprobe msr"));
	assert_int_equal(regio_msr_new(root, cpus, 0, &io, &err), -ENXIO);
	add_cpu(7, 1, 0);               /* of another socket: the module is loaded */
	assert_int_equal(regio_msr_new(root, cpus, 2, &io, &err), -ENOENT);
	assert_null(strstr(err.text, "modprobe"));
	assert_non_null(strstr(err.text, "offline"));
}

static void no_permission(void **state)
{
	static const unsigned cpus[] = { 0 };
	struct regio *io = NULL;
	struct err err;
	char path[128];

	(void)state;
	add_cpu(0, 1, 0x200);
	path_of(0, "/msr", path);
	assert_int_equal(chmod(path, 0), 0);
	if (geteuid() == 0 && seteuid(65534) < 0)
		skip();
	int r = regio_msr_new(root, cpus, 1, &io, &err);

	assert_int_equal(seteuid(getuid()), 0);
	assert_int_equal(r, -EACCES);
	assert_non_null(strstr(err.text, "CAP_SYS_RAWIO"));
	assert_non_null(strstr(err.text, "lockdown"));
	assert_non_null(strstr(err.text, "msr.allow_writes=on"));
}

/* A directory cannot be opened for writing: an errno that has no sentence of its own. */
static void other_errors_name_the_file(void **state)
{
	static const unsigned cpus[] = { 0 };
	struct regio *io = NULL;
	struct err err;
	char path[128];

	(void)state;
	add_cpu(0, 1, 0x200);
	path_of(0, "/msr", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(regio_msr_new(root, cpus, 1, &io, &err), -EISDIR);
	assert_non_null(strstr(err.text, path));
}

/* ------------------------------------------------------------------ any CPU */

static void any_moves_once(void **state)
{
	struct fake f;
	uint64_t v = 0;

	(void)state;
	fake_init(&f);
	fake_set(&f, 0x100, 7);
	f.can_move = true;
	f.gone = -ENXIO;
	assert_int_equal(regio_read_any(&f.base, REG_A, &v), 0);
	assert_int_equal(v, 7);
	f.gone = -ENOENT;
	assert_int_equal(regio_write_any(&f.base, REG_A, 8), 0);
	assert_int_equal(f.cpu, 2);
	f.can_move = false;
	f.gone = -ENODEV;
	assert_int_equal(regio_read_any(&f.base, REG_A, &v), -ENODEV);
	assert_int_equal(regio_write_any(&f.base, REG_A, 8), -ENODEV);
	f.gone = 0;
	f.can_move = true;
	fake_at(&f, 0x100)->read_error = -EIO;          /* the register, not the CPU */
	assert_int_equal(regio_read_any(&f.base, REG_A, &v), -EIO);
	assert_int_equal(f.cpu, 2);
}

/* ------------------------------------------------------------------ trace */

static void trace_is_a_line_each(void **state)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	struct regio *io;
	struct fake f;
	uint64_t v = 0;

	(void)state;
	fake_init(&f);
	fake_set(&f, 0xd11, 0x2a);
	assert_int_equal(regio_trace_new(&f.base, out, 1, &prog, &io), 0);
	assert_int_equal(regio_write(io, MSR(0xc00), 0x10000000), 0);
	assert_int_equal(regio_read(io, MSR(0xd11), &v), 0);
	assert_int_equal(v, 0x2a);
	fake_at(&f, 0xd11)->read_error = -EIO;
	assert_int_equal(regio_read(io, MSR(0xd11), &v), -EIO);
	fake_at(&f, 0xd10)->write_error = -EPERM;
	assert_int_equal(regio_write(io, MSR(0xd10), 5), -EPERM);
	assert_int_equal(regio_move(io), -ENXIO);
	f.can_move = true;
	f.cpu = 6;
	assert_int_equal(regio_move(io), 0);
	assert_int_equal(regio_cpu(io), 7);
	assert_int_equal(regio_trace_new(io, out, 2, NULL, &io), 0);    /* around the first */
	assert_int_equal(regio_write(io, MSR(0xc00), 0), 0);
	regio_free(io);
	assert_int_equal(f.freed, 1);
	fclose(out);
	assert_string_equal(text,
			    "socket 1: W 0xc00 0x10000000 U_MSR_PMON_GLOBAL_CTL\n"
			    "socket 1: R 0xd11 0x2a\n"
			    "socket 1: R 0xd11 EIO\n"
			    "socket 1: W 0xd10 0x5 EPERM CB0_CR_C_MSR_PMON_EVT_SEL_0\n"
			    "socket 1: now through CPU 7\n"
			    "socket 1: W 0xc00 0x0 U_MSR_PMON_GLOBAL_CTL\n"
			    "socket 2: W 0xc00 0x0\n");
	free(text);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(reads_and_writes_eight_bytes_at_the_number), T(half_a_value_is_none),
		T(first_cpu_that_opens),
		T(a_file_without_a_cpu_is_no_way), T(nowhere_to_move), T(missing_module),
		T(no_permission), T(other_errors_name_the_file),
		T(any_moves_once), T(trace_is_a_line_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
