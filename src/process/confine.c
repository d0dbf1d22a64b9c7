/* SPDX-License-Identifier: MIT
 *
 * Of uncored-http: other system calls fail with EPERM. Connections come from accept4() on inherited
 * sockets, plans as descriptors from recvmsg().
 */
#include "process/confine.h"

#include "base/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* Refused to the process that counts: all that reaches into other processes or into the kernel, and
 * the ring that makes calls past a filter. What it executes inherits that. */
static const int refused[] = {
	SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
	SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp), SCMP_SYS(userfaultfd),
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
	SCMP_SYS(fspick), SCMP_SYS(mount_setattr), SCMP_SYS(pivot_root), SCMP_SYS(unshare),
	SCMP_SYS(setns),
	SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(open_by_handle_at), SCMP_SYS(quotactl),
	SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(bpf), SCMP_SYS(reboot),
	SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl),
	SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(syslog), SCMP_SYS(acct),
	SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime),
	SCMP_SYS(adjtimex), SCMP_SYS(sethostname), SCMP_SYS(setdomainname),
	SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
};

/* `action` for each call, with any arguments. */
static int add_each(scmp_filter_ctx ctx, uint32_t action, const int *calls, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = seccomp_rule_add(ctx, action, calls[i], 0);
		if (r == -EDOM)         /* this architecture has no such call */
			r = 0;
	}
	return r;
}

/* Local sockets alone: the log's and the service manager's. */
static int refuse_rules(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp remote = { .arg = 0, .op = SCMP_CMP_NE, .datum_a = AF_UNIX };
	int r = add_each(ctx, SCMP_ACT_ERRNO(EPERM), refused, COUNT(refused));

	return r < 0 ? r :
	       seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1, remote);
}

/* The filter's rules; 0 or -errno. No executable memory, stat by descriptor only, signals to this
 * process only (abort). */
static int allow_rules(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp no_exec = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	const struct scmp_arg_cmp by_fd = SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH);
	const struct scmp_arg_cmp own_pid = { .arg = 0, .op = SCMP_CMP_EQ,
					      .datum_a = (scmp_datum_t)getpid() };
	int r = add_each(ctx, SCMP_ACT_ALLOW, allowed, COUNT(allowed));

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

static int filter_load(uint32_t otherwise, int (*add_rules)(scmp_filter_ctx), struct err *err)
{
	scmp_filter_ctx ctx;
	int r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set(err, -errno, "cannot give up new privileges: %s", strerror(errno));
#ifdef UNCORED_SANITIZED
	return 0;                       /* sanitizers need calls that the filters would refuse */
#endif
	ctx = seccomp_init(otherwise);
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

int confine_http(struct err *err)
{
	return filter_load(SCMP_ACT_ERRNO(EPERM), allow_rules, err);
}

int confine_counting(struct err *err)
{
	return filter_load(SCMP_ACT_ALLOW, refuse_rules, err);
}
