/* SPDX-License-Identifier: MIT
 * Lets a plain file stand in for the msr device: a register that is 8 bytes wide gets
 * 8 bytes of it.
 * The msr device has a register of 8 bytes at each offset; in a plain file neighbours would
 * overlap, and what was written would not read back. Preloaded (LD_PRELOAD) before uncored, this
 * moves each access of 8 bytes to 8 times its offset and makes the same system call: uncored stays
 * the program as it is shipped, and pays for the kernel's plain file.
 *
 * WIDE_MSR_TICK=REGISTER,INTERVAL_US,FILE: each read of that register (the first that a tick reads)
 * notes how late it is, behind the first tick of uncored's grid after the one before: uint32_t ns
 * each in FILE, which is mapped; the first word of it counts them.
 */
#include "bench.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGISTER_BYTES 8

static struct {
	off_t reg;
	int64_t interval;
	uint32_t *log;
	size_t room;
} tick;
static __thread int64_t tick_next;      /* each socket has a thread */

/* Called by the dynamic linker before main(). */
__attribute__((constructor)) static void tick_init(void)
{
	const char *s = getenv("WIDE_MSR_TICK");
	char file[512];
	unsigned us, reg;
	struct stat st;
	int fd;

	if (!s || sscanf(s, "%x,%u,%511s", &reg, &us, file) != 3)
		return;
	fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	tick.log = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (tick.log == MAP_FAILED)
		return;
	/* that many threads may see the last place free */
	tick.room = (size_t)st.st_size / sizeof(*tick.log) - 65;
	tick.interval = us * INT64_C(1000);
	tick.reg = (off_t)reg;
}

static void tick_note(void)
{
	int64_t now = bench_clock(CLOCK_MONOTONIC);

	if (tick_next && now >= tick_next) {
		uint32_t n = __atomic_load_n(&tick.log[0], __ATOMIC_RELAXED);

		if (n < tick.room) {
			n = __atomic_fetch_add(&tick.log[0], 1, __ATOMIC_RELAXED);
			tick.log[1 + n] = (uint32_t)(now - tick_next);
		}
	}
	tick_next = ((now - BENCH_GRID) / tick.interval + 1) * tick.interval + BENCH_GRID;
}

static off_t wide(size_t n, off_t at)
{
	return n == REGISTER_BYTES ? REGISTER_BYTES * at : at;
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	if (tick.interval && at == tick.reg && n == REGISTER_BYTES)
		tick_note();
	return syscall(SYS_pread64, fd, buf, n, wide(n, at));
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return syscall(SYS_pwrite64, fd, buf, n, wide(n, at));
}

ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
	return pread(fd, buf, n, at);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
	return pwrite(fd, buf, n, at);
}
