/* SPDX-License-Identifier: MIT
 *
 * Of uncored-http: other system calls fail with EPERM. Connections come from accept4() on inherited
 * sockets, plans as descriptors from recvmsg().
 *
 * The filters are programs of the kernel's classic BPF, made without allocation: a
 * start that runs out of memory ends with a sentence.
 */
#include "process/confine.h"

#include "base/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define FOREIGN 0x40000000              /* calls of the x32 ABI begin here */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define FOREIGN UINT32_MAX
#else
#error "the system calls of this architecture are not known here"
#endif

/* With any arguments: since Linux 5.11 a bitmap allows these without running the filter. */
static const int allowed[] = {
	/* the loop and its connections */
	SYS_epoll_pwait, SYS_epoll_ctl, SYS_ppoll, SYS_accept4, SYS_recvfrom, SYS_recvmsg,
	SYS_sendto, SYS_sendmsg, SYS_shutdown, SYS_getsockopt, SYS_setsockopt, SYS_getsockname,
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_fcntl, SYS_timerfd_settime,
	/* how libmicrohttpd starts */
	SYS_dup, SYS_epoll_create1, SYS_eventfd2, SYS_pipe2,
	/* memory */
	SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_fstat,
	/* clocks and the C library */
	SYS_clock_gettime, SYS_clock_nanosleep, SYS_gettimeofday, SYS_futex, SYS_getrandom,
	SYS_sched_yield, SYS_restart_syscall, SYS_rt_sigreturn, SYS_rt_sigprocmask,
	SYS_rt_sigaction, SYS_getpid, SYS_gettid, SYS_exit, SYS_exit_group,
#ifdef __x86_64__
	SYS_epoll_wait, SYS_poll, SYS_time,
#endif
};

/* Refused to the process that counts: calls that reach into other processes or into the kernel, and
 * io_uring, whose calls pass the filter. The programs that it executes inherit the filter. */
static const int refused[] = {
	SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp,
	SYS_userfaultfd, SYS_mount, SYS_umount2, SYS_move_mount, SYS_open_tree, SYS_fspick,
	SYS_mount_setattr, SYS_pivot_root, SYS_unshare, SYS_setns, SYS_swapon, SYS_swapoff,
	SYS_open_by_handle_at, SYS_quotactl, SYS_init_module, SYS_finit_module, SYS_delete_module,
	SYS_kexec_load, SYS_kexec_file_load, SYS_bpf, SYS_reboot, SYS_add_key, SYS_request_key,
	SYS_keyctl, SYS_syslog, SYS_acct, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime,
	SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_io_uring_setup, SYS_io_uring_enter,
	SYS_io_uring_register,
#ifdef __x86_64__
	SYS_iopl, SYS_ioperm,
#endif
};

/* Refused to it alone. Its spawner executes; uncored-http makes its empty root directory. */
static const int of_others[] = { SYS_execve, SYS_execveat, SYS_fsopen, SYS_fsconfig, SYS_fsmount,
				 SYS_chroot };

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
		    CLONE_NEWPID | CLONE_NEWNET)

/* What becomes of a call depends on one argument, of which the kernel looks at 32 bits. */
struct condition {
	int call;
	unsigned argument;
	uint16_t test;                  /* BPF_JEQ: it is the value, BPF_JSET: it has one of its
					 * bits */
	uint32_t value;
	bool passes;                    /* `passes` of the filter if the test says this, else
					 * `otherwise` */
};

struct filter {
	struct sock_filter ins[2 * COUNT(allowed) + 2 * COUNT(refused) + 32];
	unsigned short n;
	uint32_t match, otherwise;      /* what the calls of its lists get, and all others */
};

static void add(struct filter *f, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	f->ins[f->n++] = (struct sock_filter){ code, jt, jf, k };
}

static void add_return(struct filter *f, uint32_t action)
{
	add(f, BPF_RET | BPF_K, action, 0, 0);
}

/* Calls of another ABI, then the list. */
static void add_begin(struct filter *f, const int *calls, size_t n)
{
	add(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 2);
	add(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	add(f, BPF_JMP | BPF_JGE | BPF_K, FOREIGN, 0, 1);
	add_return(f, SECCOMP_RET_ERRNO | EPERM);
	for (size_t i = 0; i < n; i++) {
		add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], 0, 1);
		add_return(f, f->match);
	}
}

static void add_condition(struct filter *f, const struct condition *c)
{
	/* the low half of the argument, both architectures being little-endian */
	const size_t at = offsetof(struct seccomp_data, args) + 8UL * c->argument;

	add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->call, 0, 4);
	add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
	add(f, BPF_JMP | c->test | BPF_K, c->value, !c->passes, c->passes);
	add_return(f, f->match);
	add_return(f, f->otherwise);
}

/* Nothing is allocated: the filter is on the stack, the kernel copies it. */
static int filter_load(struct filter *f, struct err *err)
{
	struct sock_fprog program = { .filter = f->ins };

	add_return(f, f->otherwise);
	program.len = f->n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set(err, -errno, "cannot set no_new_privs: %s", strerror(errno));
#ifdef UNCORED_SANITIZED
	return 0;                       /* sanitizers need calls that the filters would refuse */
#endif
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return err_set(err, -errno, "cannot load the system call filter: %s",
			       strerror(errno));
	return 0;
}

/* No executable memory, stat by descriptor only, signals (abort) and limits of itself only. */
int confine_http(struct err *err)
{
	const struct condition conditions[] = {
		{ SYS_mmap, 2, BPF_JSET, PROT_EXEC, false },
		{ SYS_mprotect, 2, BPF_JSET, PROT_EXEC, false },
		{ SYS_newfstatat, 3, BPF_JSET, AT_EMPTY_PATH, true },
		{ SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid(), true },
		{ SYS_prlimit64, 0, BPF_JEQ, 0, true },
	};
	struct filter f = { .match = SECCOMP_RET_ALLOW, .otherwise = SECCOMP_RET_ERRNO | EPERM };

	add_begin(&f, allowed, COUNT(allowed));
	for (size_t i = 0; i < COUNT(conditions); i++)
		add_condition(&f, &conditions[i]);
	return filter_load(&f, err);
}

/* Local sockets alone: the log's and the service manager's. What clone3 shall make is in memory,
 * where no filter sees it: without that call the C library takes clone. */
int confine_counting(struct err *err)
{
	const struct condition remote = { SYS_socket, 0, BPF_JEQ, AF_UNIX, false },
			       apart = { SYS_clone, 0, BPF_JSET, NAMESPACES, true };
	struct filter f = { .match = SECCOMP_RET_ERRNO | EPERM, .otherwise = SECCOMP_RET_ALLOW };

	add_begin(&f, refused, COUNT(refused));
	add_condition(&f, &remote);
	add_condition(&f, &apart);
	add(&f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
	add_return(&f, SECCOMP_RET_ERRNO | ENOSYS);
	return filter_load(&f, err);
}

int confine_execution(struct err *err)
{
	struct filter f = { .match = SECCOMP_RET_ERRNO | EPERM, .otherwise = SECCOMP_RET_ALLOW };

	add_begin(&f, of_others, COUNT(of_others));
	return filter_load(&f, err);
}
