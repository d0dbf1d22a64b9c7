/* SPDX-License-Identifier: MIT
 *
 * Other system calls fail with EPERM: nothing can be opened, connected, executed or signalled.
 * Connections come from accept4() on inherited sockets, plans as descriptors from recvmsg().
 */
#include "process/confine.h"

#include "base/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef UNCORED_SANITIZED

/* With any arguments: since Linux 5.11 a bitmap allows these without running the filter. */
static const int allowed[] = {
	/* the loop and its connections */
	SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_ctl), SCMP_SYS(poll),
	SCMP_SYS(ppoll), SCMP_SYS(accept4), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg),
	SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(shutdown), SCMP_SYS(getsockopt),
	SCMP_SYS(setsockopt), SCMP_SYS(getsockname), SCMP_SYS(read), SCMP_SYS(write),
	SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(close), SCMP_SYS(fcntl),
	SCMP_SYS(timerfd_settime),
	/* memory */
	SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(fstat),
	/* clocks and the C library */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	SCMP_SYS(futex), SCMP_SYS(getrandom), SCMP_SYS(sched_yield), SCMP_SYS(restart_syscall),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(getpid),
	SCMP_SYS(gettid), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

/* The filter's rules; 0 or -errno. No executable memory, stat by descriptor only, signals to this
 * process only (abort). */
static int add_rules(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp no_exec = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	const struct scmp_arg_cmp by_fd = SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH);
	const struct scmp_arg_cmp own_pid = { .arg = 0, .op = SCMP_CMP_EQ,
					      .datum_a = (scmp_datum_t)getpid() };
	int r = 0;

	for (size_t i = 0; i < COUNT(allowed) && r == 0; i++) {
		r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
		if (r == -EDOM)         /* this architecture has no such call */
			r = 0;
	}
	if (r == 0)
		r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, no_exec);
	if (r == 0)
		r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, no_exec);
	if (r == 0)
		r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1, by_fd);
	if (r == 0)
		r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, own_pid);
	return r;
}

static int filter_load(struct err *err)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r;

	if (!ctx)
		return err_set(err, -ENOMEM, "out of memory for the system call filter");
	r = add_rules(ctx);
	if (r == 0)
		r = seccomp_load(ctx);
	seccomp_release(ctx);
	if (r < 0)
		return err_set(err, r, "cannot load the system call filter: %s", strerror(-r));
	return 0;
}

#else

/* Sanitizers need calls that the filter would refuse. */
static int filter_load(struct err *err)
{
	(void)err;
	return 0;
}

#endif

int confine_http(struct err *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set(err, -errno, "cannot give up new privileges: %s", strerror(errno));
	return filter_load(err);
}
