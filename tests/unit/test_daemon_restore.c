/* SPDX-License-Identifier: MIT
 * What an earlier run left is put back, or not touched: another boot,
 * another device, a file that is not whole, registers that uncored never writes.
 * The device is a file per CPU: a register's 8 bytes stand at its number, as /dev/cpu/N/msr has
 * them. Numbers are those of the Xeon 7500 (323535-001): C-Box 0 counter 0 is controlled by 0xd10,
 * where bit 22 enables and bits 7:0 select the event; S-Box 0's is 0xc50.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "capture.h"
#include "daemon/restore.h"
#include "temp_dir.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { C_CTL = 0xd10, C_BOX = 0xd00, S_CTL = 0xc50, U_GLOBAL = 0xc00, TSC = 0x10 };
#define EN_ALL (UINT64_C(1) << 28)      /* of the U-Box: all boxes count (Table 2-3) */
#define OURS 0x400f15                   /* LLC_HITS:ALL, enabled (Table 2-15) */
#define FOUND 0x77

static struct options o;
static const struct cat_processor *p;
static struct saved_reg regs[2];
static struct state_socket socket_of = { .socket = 0, .cpus = (unsigned[]){ 1 }, .n_cpus = 1,
					 .regs = regs, .n_regs = 2 };
static struct state st;

static void set(uint32_t reg, uint64_t value)
{
	int fd = open(temp_path("dev/cpu/1/msr"), O_WRONLY);

	assert_true(fd >= 0 && pwrite(fd, &value, 8, reg) == 8);
	close(fd);
}

static uint64_t get(uint32_t reg)
{
	int fd = open(temp_path("dev/cpu/1/msr"), O_RDONLY);
	uint64_t value = 0;

	assert_true(fd >= 0 && pread(fd, &value, 8, reg) == 8);
	close(fd);
	return value;
}

static void control(struct saved_reg *r, uint32_t off)
{
	*r = (struct saved_reg){
		.r = { .reg = { .space = SPACE_MSR, .bytes = 8, .off = off }, .kind = REG_CONTROL,
		       .counter = PLAN_NONE, .mask = 0x40ffff, .check = 0x40ffff },
		.ours = { OURS, OURS & ~BIT(22) }, .n_ours = 2, .found = FOUND,
	};
}

static bool left(void)
{
	return access(temp_path("run/uncored.state"), F_OK) == 0;
}

static int set_up(void **state)
{
	static char run[64], dev[64], sysfs[64];
	FILE *f;

	(void)state;
	if (temp_make("restore") < 0)
		return -1;
	temp_parents("run/x");
	put("dev/cpu/1/msr", "");
	put("sysfs/bus/event_source/devices/none", "");
	snprintf(run, sizeof(run), "%s/run", root);
	snprintf(dev, sizeof(dev), "%s/dev", root);
	snprintf(sysfs, sizeof(sysfs), "%s/sysfs", root);
	o = (struct options){ .run = run, .dev = dev, .sysfs = sysfs, .procfs = "/proc" };
	p = cat_processor_by_name("nehalem-ex");
	control(&regs[0], C_CTL);
	control(&regs[1], S_CTL);
	st = (struct state){ .device = dev, .sockets = &socket_of, .n_sockets = 1 };
	f = fopen("/proc/sys/kernel/random/boot_id", "r");
	if (!f || fread(st.boot_id, 1, 36, f) != 36)
		return -1;
	fclose(f);
	set(0x2000, 0);                         /* long enough for every register */
	set(C_CTL, OURS);
	set(S_CTL, OURS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return drop("");
}

/* restore_lock() returns r (0: a lock), says this in the log and this in err; then the registers
 * hold these, and the file is there or not. */
static void take(int line, int r, const char *logged, const char *words, uint64_t c, uint64_t s,
		 bool there)
{
	struct err err = { "" };
	const char *text;
	int fd;

	capture_begin(STDERR_FILENO);
	fd = restore_lock(&o, p, &err);
	text = capture_end();
	if (r < 0 ? fd != r : fd < 0)
		fail_msg("line %d: %d, \"%s\"", line, fd, err.text);
	if (*logged ? !strstr(text, logged) : *text)
		fail_msg("line %d: logged \"%s\"", line, text);
	if (*words && !strstr(err.text, words))
		fail_msg("line %d: \"%s\"", line, err.text);
	if (get(C_CTL) != c || get(S_CTL) != s || left() != there)
		fail_msg("line %d: 0x%llx, 0x%llx, %d", line, (unsigned long long)get(C_CTL),
			 (unsigned long long)get(S_CTL), left());
	if (fd >= 0)
		close(fd);
}

static void test_nothing_left(void **state)
{
	(void)state;
	take(__LINE__, 0, "", "", OURS, OURS, false);
}

static void test_puts_back(void **state)
{
	(void)state;
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	assert_true(left());
	take(__LINE__, 0, "uncored did not exit cleanly last time; restoring its registers", "",
	     FOUND, FOUND, false);
}

/* What somebody else has written since is his. */
static void test_another_owner(void **state)
{
	(void)state;
	set(S_CTL, 0x400109);
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, 0, "restoring its registers", "", FOUND, 0x400109, false);
}

static void set_word(const char *config, unsigned off, uint32_t value)
{
	int fd = open(temp_path(config), O_WRONLY);

	assert_true(fd >= 0 && pwrite(fd, &value, 4, off) == 4);
	close(fd);
}

/* Ivytown: the first channel's first control (Linux uncore_snbep.c, SNBEP_PCI_PMON_CTL0) is in the
 * configuration space of 16:4, on the bus of the UBox, whose words 0x40 and 0x54 say that it is
 * socket 0. */
static void test_puts_back_pci(void **state)
{
	static const char ubox[] = "sysfs/bus/pci/devices/0000:3f:0b.0/config",
		imc[] = "sysfs/bus/pci/devices/0000:3f:10.4/config";
	uint32_t is = 0;
	int fd;

	(void)state;
	p = cat_processor_by_name("ivytown");
	put(ubox, "");
	set_word(ubox, 0, 0x0e1e8086);
	set_word(ubox, 0x40, 0);
	set_word(ubox, 0x54, 0);
	put(imc, "");
	set_word(imc, 0, 0x0eb48086);
	set_word(imc, 0xd8, OURS);
	set_word(imc, 0xffc, 0);                /* what root sees: all of it */
	control(&regs[1], 0xd8);
	regs[1].r.reg = (struct reg){ .space = SPACE_PCI, .bytes = 4, .dev = 16, .fn = 4,
				      .off = 0xd8 };
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, 0, "restoring its registers", "", FOUND, OURS, false);
	fd = open(temp_path(imc), O_RDONLY);
	assert_true(fd >= 0 && pread(fd, &is, 4, 0xd8) == 4);
	close(fd);
	assert_int_equal(is, FOUND);
}

/* The kernel's driver sets the global enable once, when it is loaded: if that was after the file
 * was written, the enable stays on for it. */
static void test_driver_came_later(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		bool has_driver = i > 0, later = i == 2;

		control(&regs[1], U_GLOBAL);
		regs[1].r.kind = REG_GLOBAL;
		regs[1].r.mask = regs[1].r.check = EN_ALL;
		regs[1].found = 0;
		st.driver = has_driver && !later;
		if (has_driver)
			put("sysfs/bus/event_source/devices/uncore_cbox_0/type", "14\n");
		set(C_CTL, OURS);
		set(U_GLOBAL, EN_ALL);
		assert_int_equal(state_write(o.run, &st, NULL), 0);
		take(__LINE__, 0, "restoring its registers", "", FOUND, OURS, false);
		assert_int_equal(get(U_GLOBAL), later ? EN_ALL : 0);
	}
}

/* Since then the machine has been reset: nothing there is ours. */
static void test_another_boot(void **state)
{
	(void)state;
	st.boot_id[0] = st.boot_id[0] == '0' ? '1' : '0';
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, 0, "was written before a reboot or for another device", "", OURS, OURS,
	     false);
}

static bool boot_id_fails;

/* For all of the program. */
ssize_t read(int fd, void *to, size_t n)
{
	char link[32], path[64] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (boot_id_fails && readlink(link, path, sizeof(path) - 1) > 0 &&
	    strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_read, fd, to, n);
}

/* That is no other boot: what is owed stays owed. */
static void test_unknown_boot(void **state)
{
	(void)state;
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	boot_id_fails = true;
	take(__LINE__, -EIO, "", "boot_id", OURS, OURS, true);
	boot_id_fails = false;
	take(__LINE__, 0, "restoring its registers", "", FOUND, FOUND, false);
}

static void test_another_device(void **state)
{
	(void)state;
	st.device = (char *)"/somewhere/dev";
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, 0, "was written before a reboot or for another device (/somewhere/dev); it "
	     "is ignored", "", OURS, OURS, false);
}

static void test_not_whole(void **state)
{
	char bytes[4096];
	size_t n;

	(void)state;
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	n = get_bytes("run/uncored.state", bytes, sizeof(bytes));
	bytes[n - 9] ^= 1;
	put_bytes("run/uncored.state", bytes, n);
	take(__LINE__, 0, "it is ignored", "", OURS, OURS, false);
}

/* One bit beside the six counters' of a C-Box, or another register, and nothing at all is
 * written. */
static void test_never_ours(void **state)
{
	(void)state;
	control(&regs[1], C_BOX);
	regs[1].r.mask = 0x7f;
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, -EBUSY, "",
	     "asks for a write to register 0xd00, in bits that belong to no counter",
	     OURS, OURS, true);
	control(&regs[1], TSC);
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, -EBUSY, "", "asks for a write to register 0x10, which belongs to no counter",
	     OURS, OURS, true);
	/* of another processor's registers, likewise: the box of Ivytown at 0xc50 is none */
	control(&regs[1], S_CTL);
	p = cat_processor_by_name("ivytown");
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, -EBUSY, "", "uncored never writes that", OURS, OURS, true);
}

/* The device is not there: the file stays for the next time, and no lock is held meanwhile. */
static void test_no_device(void **state)
{
	char dev[64];
	struct err err = { "" };
	int fd;

	(void)state;
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	assert_int_equal(rename(temp_path("dev/cpu"), temp_path("dev/away")), 0);
	snprintf(dev, sizeof(dev), "%s", o.dev);
	capture_begin(STDERR_FILENO);
	assert_true(restore_lock(&o, p, &err) < 0);
	capture_end();
	assert_true(left());
	fd = lock_take(o.run, &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(rename(temp_path("dev/away"), temp_path("dev/cpu")), 0);
	take(__LINE__, 0, "restoring its registers", "", FOUND, FOUND, false);
}

/* One socket cannot be reached: the other one is put back all the same, and the file stays for the
 * next time. */
static void test_one_socket_fails(void **state)
{
	struct saved_reg away[2];
	struct state_socket both[2] = { { .socket = 0, .cpus = (unsigned[]){ 0 }, .n_cpus = 1,
					  .regs = away, .n_regs = 2 }, socket_of };

	(void)state;
	memcpy(away, regs, sizeof(away));
	both[1].socket = 1;
	st.sockets = both;
	st.n_sockets = 2;
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, -ENOENT, "restoring its registers", "dev/cpu/0/msr", FOUND, FOUND, true);
	both[0].cpus[0] = 1;
	set(C_CTL, OURS);
	set(S_CTL, OURS);
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	take(__LINE__, 0, "restoring its registers", "", FOUND, FOUND, false);
}

/* Another uncored holds the lock, so that what is written is its business. */
static void test_locked(void **state)
{
	struct err err = { "" };
	char byte;
	int said[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(said), 0);
	pid = fork();
	if (!pid) {
		byte = lock_take(o.run, NULL) >= 0;
		if (write(said[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(said[0], &byte, 1), 1);
	assert_int_equal(byte, 1);
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	assert_int_equal(restore_lock(&o, p, &err), -EWOULDBLOCK);
	assert_int_equal(get(C_CTL), OURS);
	assert_true(left());
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(said[0]);
	close(said[1]);
	take(__LINE__, 0, "restoring its registers", "", FOUND, FOUND, false);
}

static void test_forget(void **state)
{
	(void)state;
	assert_int_equal(state_write(o.run, &st, NULL), 0);
	restore_remove_file(&o);
	assert_false(left());
	restore_remove_file(&o);                      /* there is none: no word */
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_nothing_left), T(test_puts_back), T(test_another_owner),
		T(test_puts_back_pci), T(test_driver_came_later), T(test_another_boot),
		T(test_unknown_boot), T(test_another_device), T(test_not_whole), T(test_never_ours),
		T(test_no_device), T(test_one_socket_fails), T(test_locked), T(test_forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
