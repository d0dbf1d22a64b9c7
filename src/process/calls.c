/* SPDX-License-Identifier: MIT */
#include "process/calls.h"

#include "base/bits.h"
#include "process/wire.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Younger than Debian 12's headers; one number on every architecture. */
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

#define CALL(call, ...) { SYS_##call, #call, { __VA_ARGS__ } }
#define IS(n, value)      { n, ARGUMENT_IS, value }
#define WITHOUT(n, bits)  { n, ARGUMENT_WITHOUT, bits }
#define ONLY(n, bits)     { n, ARGUMENT_WITHOUT, ~(uint32_t)(bits) }
#define NULL_AT(n)        { n, ARGUMENT_NULL, 0 }
#define OWN_PROCESS(n)    { n, ARGUMENT_OWN_PROCESS, 0 }
#define OWN_DESCRIPTOR(n) { n, ARGUMENT_OWN_DESCRIPTOR, 0 }

/*
 * Descriptors that others have as well (the log, the socket pair, the listening sockets) can be
 * read, written to, polled and accepted from; nothing can be set on them, for whoever has them
 * next. There is no way to get such a one under another number: no dup, no F_DUPFD, messages with
 * descriptors come from uncored alone and go to nobody. None is closed, so that its number stays
 * its.
 */
static const struct call http[] = {
	/* each turn of the loop, each request */
#ifdef __x86_64__
	CALL(epoll_wait), CALL(poll),
#endif
	CALL(epoll_pwait), CALL(ppoll), CALL(recvfrom), CALL(read), CALL(writev),
	/* to nobody but the peer; MSG_FASTOPEN would connect */
	CALL(sendto, NULL_AT(4), ONLY(3, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE)),
	CALL(setsockopt, OWN_DESCRIPTOR(0), IS(1, IPPROTO_TCP), IS(2, TCP_NODELAY)),
	CALL(setsockopt, OWN_DESCRIPTOR(0), IS(1, IPPROTO_TCP), IS(2, TCP_CORK)),
	CALL(setsockopt, OWN_DESCRIPTOR(0), IS(1, SOL_SOCKET), IS(2, SO_LINGER)),
	CALL(setsockopt, OWN_DESCRIPTOR(0), IS(1, SOL_SOCKET), IS(2, SO_SNDBUF)),
	/* SO_PEERPIDFD would be a handle of uncored */
	CALL(getsockopt, IS(1, IPPROTO_TCP), IS(2, TCP_INFO)),
	CALL(getsockopt, IS(1, SOL_SOCKET), IS(2, SO_DOMAIN)),          /* libmicrohttpd 1.0 */
	CALL(clock_gettime),
	/* each connection, each plan. F_SETOWN and O_ASYNC would signal any process. */
	CALL(accept4), CALL(epoll_ctl), CALL(getsockname),
	CALL(shutdown, OWN_DESCRIPTOR(0)), CALL(close, OWN_DESCRIPTOR(0)),
	CALL(fcntl, OWN_DESCRIPTOR(0), IS(1, F_GETFL)),
	CALL(fcntl, OWN_DESCRIPTOR(0), IS(1, F_SETFL), ONLY(2, O_ACCMODE | O_NONBLOCK)),
	CALL(fcntl, OWN_DESCRIPTOR(0), IS(1, F_GETFD)),
	CALL(fcntl, OWN_DESCRIPTOR(0), IS(1, F_SETFD)),
	CALL(recvmsg, IS(0, WIRE_FD)),
	CALL(write),
	/* how libmicrohttpd starts */
	CALL(epoll_create1), CALL(eventfd2), CALL(pipe2, ONLY(1, O_CLOEXEC | O_NONBLOCK)),
	/* memory: what can be executed was there before */
	CALL(munmap), CALL(mremap), CALL(brk), CALL(fstat),
	CALL(mmap, WITHOUT(2, PROT_EXEC)), CALL(mprotect, WITHOUT(2, PROT_EXEC)),
	CALL(madvise, IS(2, MADV_DONTNEED)),
	/* clocks and the C library */
	CALL(clock_nanosleep), CALL(gettimeofday),
#ifdef __x86_64__
	CALL(time),
#endif
	CALL(futex, IS(1, FUTEX_WAIT_PRIVATE)), CALL(futex, IS(1, FUTEX_WAKE_PRIVATE)),
	CALL(futex, IS(1, FUTEX_WAIT_BITSET_PRIVATE)),
	CALL(futex, IS(1, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME)),
	CALL(getrandom), CALL(sched_yield), CALL(restart_syscall), CALL(rt_sigreturn),
	CALL(rt_sigprocmask), CALL(rt_sigaction), CALL(getpid), CALL(gettid), CALL(exit),
	CALL(exit_group),
	CALL(tgkill, OWN_PROCESS(0)),                   /* abort() */
	CALL(prlimit64, IS(0, 0), NULL_AT(2)),          /* of itself, to read */
};

/* Calls that reach into other processes, into the kernel or to other machines, and io_uring, whose
 * calls pass the filter. The programs that uncored executes inherit the filter. */
static const struct call refused[] = {
	CALL(ptrace), CALL(process_vm_readv), CALL(process_vm_writev), CALL(process_madvise),
	CALL(process_mrelease), CALL(pidfd_getfd), CALL(kcmp), CALL(move_pages),
	CALL(migrate_pages), CALL(userfaultfd),
	CALL(mount), CALL(umount2), CALL(move_mount), CALL(open_tree), CALL(open_tree_attr),
	CALL(fspick), CALL(mount_setattr), CALL(pivot_root), CALL(unshare), CALL(setns),
	CALL(swapon), CALL(swapoff), CALL(open_by_handle_at), CALL(quotactl), CALL(quotactl_fd),
	CALL(init_module), CALL(finit_module), CALL(delete_module), CALL(kexec_load),
	CALL(kexec_file_load), CALL(bpf), CALL(reboot), CALL(add_key), CALL(request_key),
	CALL(keyctl), CALL(syslog), CALL(acct), CALL(settimeofday), CALL(clock_settime),
	CALL(clock_adjtime), CALL(adjtimex), CALL(sethostname), CALL(setdomainname),
	CALL(io_uring_setup), CALL(io_uring_enter), CALL(io_uring_register),
	CALL(connect),
#ifdef __x86_64__
	CALL(iopl), CALL(ioperm), CALL(modify_ldt),
#endif
};

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
		    CLONE_NEWPID | CLONE_NEWNET)
#define TCP_ALONE ONLY(1, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK), IS(2, 0)

/* A TCP socket is to listen again, and nothing connects one: MSG_FASTOPEN would. */
static const struct call limited[] = {
	CALL(socket, IS(0, AF_UNIX)),
	CALL(socket, IS(0, AF_INET), TCP_ALONE), CALL(socket, IS(0, AF_INET6), TCP_ALONE),
	CALL(socketpair, IS(0, AF_UNIX)),
	CALL(sendto, WITHOUT(3, MSG_FASTOPEN)), CALL(sendmsg, WITHOUT(2, MSG_FASTOPEN)),
	CALL(sendmmsg, WITHOUT(3, MSG_FASTOPEN)),
	CALL(clone, WITHOUT(0, NAMESPACES)),
	CALL(prlimit64, IS(0, 0)),
};

/* Its spawner executes; uncored-http makes its empty root directory. */
static const struct call of_spawner[] = {
	CALL(execve), CALL(execveat), CALL(fsopen), CALL(fsconfig), CALL(fsmount), CALL(chroot),
};

const struct calls calls_of_http = { http, COUNT(http) };
const struct calls calls_refused = { refused, COUNT(refused) };
const struct calls calls_limited = { limited, COUNT(limited) };
const struct calls calls_of_spawner = { of_spawner, COUNT(of_spawner) };
