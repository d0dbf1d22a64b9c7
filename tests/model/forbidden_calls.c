/* SPDX-License-Identifier: MIT
 * Preloaded (LD_PRELOAD) before the shipped uncored: what its samplers call of
 * forbidden.h.
 * FORBIDDEN_CALLS=FILE, which is mapped by both processes. A sampler is a thread whose name begins
 * with "sampler-". What anybody else calls is counted too, so that who reads the file sees that
 * calls are seen.
 */
#include <stdatomic.h>
#include <string.h>

/* What the file holds. */
static struct report {
	atomic_ulong samplers;          /* calls of forbidden functions */
	atomic_ulong others;
	atomic_ulong waits;             /* of samplers, for their next tick */
	char name[40];                  /* of the first function that a sampler called */
} nowhere, *report = &nowhere;

static _Bool is_sampler(void);

static void note(const char *name)
{
	if (!is_sampler())
		report->others++;
	else if (report->samplers++ == 0)
		strncpy(report->name, name, sizeof(report->name) - 1);
}

#define note_lock(m) note("pthread_mutex_lock")

#include "forbidden.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static _Bool is_sampler(void)
{
	char name[16] = "";

	return prctl(PR_GET_NAME, name) == 0 && strncmp(name, "sampler-", 8) == 0;
}

/* Called by the dynamic linker before main(). */
__attribute__((constructor)) static void report_open(void)
{
	const char *file = getenv("FORBIDDEN_CALLS");
	int fd = file ? open(file, O_RDWR | O_CLOEXEC) : -1;
	void *p = fd >= 0 ? mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		: MAP_FAILED;

	if (p != MAP_FAILED)
		report = p;
}

/* A sampler waits for its tick by syscall(SYS_futex, ...). */
long syscall(long number, ...)
{
	va_list ap;
	long v[6];

	va_start(ap, number);
	for (unsigned i = 0; i < 6; i++)
		v[i] = va_arg(ap, long);
	va_end(ap);
	report->waits += number == SYS_futex && is_sampler();
	return REAL(syscall, number, v[0], v[1], v[2], v[3], v[4], v[5]);
}
