/* SPDX-License-Identifier: MIT
 * Preloaded (LD_PRELOAD): the Nth call of a function fails; once, or from then on.
 * FAIL_NTH=FILE of 8192 bytes, mapped by every process of the program, says which and when, and
 * tells how many calls there were; fail_nth.py reads and writes it. Calls that the libraries make
 * count, too: they reach the same functions.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

/* What ferror() tells afterwards: glibc's own flag. */
#define STREAM_FAILED(f, bad) ((f)->_flags |= 0x20, (bad))

/*
 * CALL(result, name, parameters, arguments, what it returns then, errno)
 * CALL_IF(can it fail, the same): what cannot is not counted either
 *
 * Those that take a variable number of arguments take the most that anybody gives them.
 */
#define CALL(...) CALL_IF(1, __VA_ARGS__)
#define FAILING_CALLS \
	CALL(int, __open_2, (const char *p, int f), (p, f), -1, EMFILE) \
	CALL(int, __openat_2, (int d, const char *p, int f), (d, p, f), -1, EMFILE) \
	CALL(int, __poll_chk, (struct pollfd *p, nfds_t n, int t, size_t z), (p, n, t, z), -1, \
	     EINTR) \
	CALL(int, accept4, (int s, struct sockaddr *a, socklen_t *n, int f), (s, a, n, f), -1, \
	     EMFILE) \
	CALL(int, access, (const char *p, int m), (p, m), -1, EIO) \
	CALL(int, bind, (int s, const struct sockaddr *a, socklen_t n), (s, a, n), -1, EADDRINUSE) \
	CALL(int, chroot, (const char *p), (p), -1, EPERM) \
	CALL(int, connect, (int s, const struct sockaddr *a, socklen_t n), (s, a, n), -1, ENOENT) \
	CALL(int, dup, (int fd), (fd), -1, EMFILE) \
	CALL(int, dup2, (int fd, int to), (fd, to), -1, EMFILE) \
	CALL(int, dup3, (int fd, int to, int f), (fd, to, f), -1, EMFILE) \
	CALL(int, epoll_create1, (int f), (f), -1, EMFILE) \
	CALL(int, faccessat, (int d, const char *p, int m, int f), (d, p, m, f), -1, EIO) \
	CALL(int, fchdir, (int fd), (fd), -1, EACCES) \
	CALL(int, fchmod, (int fd, mode_t m), (fd, m), -1, EROFS) \
	CALL(int, fchown, (int fd, uid_t u, gid_t g), (fd, u, g), -1, EPERM) \
	CALL(int, fchownat, (int d, const char *p, uid_t u, gid_t g, int f), (d, p, u, g, f), -1, \
	     EPERM) \
	CALL(FILE *, fdopen, (int fd, const char *m), (fd, m), NULL, ENOMEM) \
	CALL(int, fflush, (FILE *f), (f), STREAM_FAILED(f, EOF), ENOSPC) \
	CALL(char *, fgets, (char *p, int n, FILE *f), (p, n, f), STREAM_FAILED(f, NULL), EIO) \
	CALL(FILE *, fopen, (const char *p, const char *m), (p, m), NULL, EMFILE) \
	CALL(int, execveat, (int fd, const char *p, char *const *v, char *const *e, int f), \
	     (fd, p, v, e, f), -1, ENOMEM) \
	CALL(int, flock, (int fd, int op), (fd, op), -1, ENOLCK) \
	CALL(pid_t, fork, (void), (), -1, EAGAIN) \
	CALL(int, fstat, (int fd, struct stat *s), (fd, s), -1, EIO) \
	CALL(int, fsync, (int fd), (fd), -1, EIO) \
	CALL(size_t, fread, (void *p, size_t z, size_t n, FILE *f), (p, z, n, f), \
	     STREAM_FAILED(f, 0), EIO) \
	CALL(int, fsmount, (int fd, unsigned f, unsigned a), (fd, f, a), -1, EPERM) \
	CALL(int, fsopen, (const char *p, unsigned f), (p, f), -1, EPERM) \
	CALL(int, ftruncate, (int fd, off_t n), (fd, n), -1, ENOSPC) \
	CALL(int, gethostname, (char *p, size_t n), (p, n), -1, ENAMETOOLONG) \
	CALL(ssize_t, getrandom, (void *p, size_t n, unsigned f), (p, n, f), -1, EINTR) \
	CALL(int, getsockname, (int s, struct sockaddr *a, socklen_t *n), (s, a, n), -1, ENOBUFS) \
	CALL(int, getsockopt, (int s, int l, int o, void *p, socklen_t *n), (s, l, o, p, n), -1, \
	     ENOBUFS) \
	CALL(int, getrlimit, (__rlimit_resource_t r, struct rlimit *l), (r, l), -1, EPERM) \
	CALL(int, glob, (const char *p, int f, int (*e)(const char *, int), glob_t *g), \
	     (p, f, e, g), GLOB_NOSPACE, ENOMEM) \
	CALL(int, listen, (int s, int n), (s, n), -1, EADDRINUSE) \
	CALL(int, lstat, (const char *p, struct stat *s), (p, s), -1, EIO) \
	CALL(int, memfd_create, (const char *p, unsigned f), (p, f), -1, EMFILE) \
	CALL(int, mkdir, (const char *p, mode_t m), (p, m), -1, ENOSPC) \
	CALL(int, mkdirat, (int d, const char *p, mode_t m), (d, p, m), -1, ENOSPC) \
	CALL(char *, mkdtemp, (char *p), (p), NULL, EROFS) \
	CALL(int, madvise, (void *p, size_t n, int a), (p, n, a), -1, ENOMEM) \
	CALL(void *, mmap, (void *p, size_t n, int q, int f, int fd, off_t o), \
	     (p, n, q, f, fd, o), MAP_FAILED, ENOMEM) \
	CALL(int, nftw, (const char *p, __nftw_func_t e, int n, int f), (p, e, n, f), -1, EMFILE) \
	CALL(DIR *, opendir, (const char *p), (p), NULL, EMFILE) \
	CALL(int, pipe2, (int fd[2], int f), (fd, f), -1, EMFILE) \
	CALL(int, poll, (struct pollfd *p, nfds_t n, int t), (p, n, t), -1, EINTR) \
	CALL(ssize_t, pread, (int fd, void *p, size_t n, off_t o), (fd, p, n, o), -1, EIO) \
	CALL(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t o), (fd, p, n, o), -1, EPERM) \
	CALL(int, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), \
	     void *p), (t, a, f, p), EAGAIN, EAGAIN) \
	CALL_IF(is_file(fd), ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), -1, EIO) \
	CALL(struct dirent *, readdir, (DIR *d), (d), NULL, EIO) \
	CALL(ssize_t, readlink, (const char *p, char *b, size_t n), (p, b, n), -1, EACCES) \
	CALL(ssize_t, readlinkat, (int d, const char *p, char *b, size_t n), (d, p, b, n), -1, \
	     EACCES) \
	CALL(ssize_t, recv, (int s, void *p, size_t n, int f), (s, p, n, f), -1, ECONNRESET) \
	CALL(ssize_t, recvmsg, (int s, struct msghdr *m, int f), (s, m, f), -1, ENOBUFS) \
	CALL(int, remove, (const char *p), (p), -1, EROFS) \
	CALL(int, renameat, (int d, const char *p, int e, const char *q), (d, p, e, q), -1, ENOSPC) \
	CALL(int, scandir, (const char *p, struct dirent ***l, int (*f)(const struct dirent *), \
	     int (*c)(const struct dirent **, const struct dirent **)), (p, l, f, c), -1, ENOMEM) \
	CALL(int, scandirat, (int d, const char *p, struct dirent ***l, \
	     int (*f)(const struct dirent *), \
	     int (*c)(const struct dirent **, const struct dirent **)), (d, p, l, f, c), -1, \
	     ENOMEM) \
	CALL(int, sched_getaffinity, (pid_t t, size_t n, cpu_set_t *c), (t, n, c), -1, EINVAL) \
	CALL(int, sched_setaffinity, (pid_t t, size_t n, const cpu_set_t *c), (t, n, c), -1, \
	     EINVAL) \
	CALL(ssize_t, send, (int s, const void *p, size_t n, int f), (s, p, n, f), -1, ENOBUFS) \
	CALL(ssize_t, sendmsg, (int s, const struct msghdr *m, int f), (s, m, f), -1, ENOBUFS) \
	CALL(ssize_t, sendto, (int s, const void *p, size_t n, int f, const struct sockaddr *a, \
	     socklen_t z), (s, p, n, f, a, z), -1, ENOBUFS) \
	CALL(int, setrlimit, (__rlimit_resource_t r, const struct rlimit *l), (r, l), -1, EPERM) \
	CALL(int, setsockopt, (int s, int l, int o, const void *p, socklen_t n), (s, l, o, p, n), \
	     -1, ENOMEM) \
	CALL(int, signalfd, (int fd, const sigset_t *s, int f), (fd, s, f), -1, EMFILE) \
	CALL(int, socket, (int d, int t, int p), (d, t, p), -1, EMFILE) \
	CALL(int, socketpair, (int d, int t, int p, int fd[2]), (d, t, p, fd), -1, EMFILE) \
	CALL(int, stat, (const char *p, struct stat *s), (p, s), -1, EIO) \
	CALL(int, symlinkat, (const char *t, int d, const char *p), (t, d, p), -1, ENOSPC) \
	CALL(int, unlink, (const char *p), (p), -1, EROFS) \
	CALL(int, unlinkat, (int d, const char *p, int f), (d, p, f), -1, EROFS) \
	CALL(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), -1, ENOSPC) \
	CALL(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), -1, ENOBUFS) \
	CALL(int, sd_event_new, (sd_event **e), (e), -ENOMEM, ENOMEM) \
	CALL(int, sd_event_loop, (sd_event *e), (e), -EIO, EIO) \
	CALL(int, sd_event_add_io, (sd_event *e, sd_event_source **s, int n, uint32_t v, void *f, \
	     void *p), (e, s, n, v, f, p), -ENOMEM, ENOMEM) \
	CALL(int, sd_event_add_signal, (sd_event *e, sd_event_source **s, int n, void *f, \
	     void *p), (e, s, n, f, p), -ENOMEM, ENOMEM) \
	CALL(int, sd_event_add_time, (sd_event *e, sd_event_source **s, int c, unsigned long t, \
	     unsigned long a, void *f, void *p), (e, s, c, t, a, f, p), -ENOMEM, ENOMEM) \
	CALL(int, sd_event_add_time_relative, (sd_event *e, sd_event_source **s, int c, \
	     unsigned long t, unsigned long a, void *f, void *p), (e, s, c, t, a, f, p), -ENOMEM, \
	     ENOMEM) \
	CALL(int, sd_event_add_child, (sd_event *e, sd_event_source **s, pid_t n, int o, void *f, \
	     void *p), (e, s, n, o, f, p), -ENOMEM, ENOMEM) \
	CALL(int, capng_apply, (int s), (s), -1, EPERM) \
	CALL(int, capng_change_id, (int u, int g, int f), (u, g, f), -1, EPERM) \
	CALL(int, capng_get_caps_process, (void), (), -1, EPERM) \
	CALL(int, sd_is_socket, (int fd, int d, int t, int l), (fd, d, t, l), -EBADF, EBADF) \
	CALL(int, sd_listen_fds, (int u), (u), -EINVAL, EINVAL) \
	CALL(int, sd_watchdog_enabled, (int u, uint64_t *t), (u, t), -EINVAL, EINVAL) \
	VARIADIC(int, ioctl, (int fd, unsigned long c, ...), c, (fd, c, v[0]), EIO) \
	VARIADIC(int, prctl, (int c, ...), c, (c, v[0], v[1], v[2], v[3]), EINVAL) \
	VARIADIC(int, open, (const char *p, int f, ...), f, (p, f, v[0]), EMFILE) \
	VARIADIC(int, openat, (int d, const char *p, int f, ...), f, (d, p, f, v[0]), EMFILE) \
	VARIADIC(int, fcntl, (int fd, int c, ...), c, (fd, c, v[0]), EINVAL)

/* Through syscall(): NUMBERED(name, errno) */
#define FAILING_NUMBERS \
	NUMBERED(clone, EAGAIN) NUMBERED(mbind, EPERM) NUMBERED(perf_event_open, EMFILE) \
	NUMBERED(sched_setscheduler, EPERM)

enum { ALLOCATION,
#define CALL_IF(can, result, name, ...) CALL_##name,
#define VARIADIC CALL
#define NUMBERED(name, code) CALL_##name,
FAILING_CALLS FAILING_NUMBERS
#undef CALL_IF
#undef VARIADIC
#undef NUMBERED
N_CALLS, MOST = 128 };

/* What the file holds. */
static struct plan {
	_Atomic uint64_t which, at, for_ever;   /* call, number; 0: never */
	_Atomic uint64_t failed;
	uint64_t n_calls;
	_Atomic uint64_t seen[MOST];
	char name[MOST][32];
} nowhere, *plan = &nowhere;

static _Bool fails(unsigned call)
{
	uint64_t n = ++plan->seen[call], at = plan->at;
	_Bool now = plan->which == call && at && (n == at || (n > at && plan->for_ever));

	plan->failed += now;
	return now;
}

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

void *malloc(size_t n)
{
	return fails(ALLOCATION) ? no_memory() : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails(ALLOCATION) ? no_memory() : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails(ALLOCATION) ? no_memory() : __libc_realloc(p, n);
}

/* Timers and signals, which a program reads when they come, are of no type of file (inode(7)), and
 * the kernel has no error for them. */
static _Bool is_file(int fd)
{
	struct stat s;

	return syscall(SYS_fstat, fd, &s) < 0 || (s.st_mode & S_IFMT);
}

#define REAL(name) \
	static __typeof__(name) *real; \
	if (!real) \
		real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define CALL_IF(can, result, name, parameters, arguments, bad, code) \
	result name parameters; \
	result name parameters \
	{ \
		REAL(name); \
		if ((can) && fails(CALL_##name)) { \
			errno = code; \
			return bad; \
		} \
		return real arguments; \
	}
#define VARIADIC(result, name, parameters, last, arguments, code) \
	result name parameters \
	{ \
		va_list ap; \
		long v[4]; \
		REAL(name); \
		va_start(ap, last); \
		for (unsigned i = 0; i < 4; i++) \
			v[i] = va_arg(ap, long); \
		va_end(ap); \
		if (fails(CALL_##name)) { \
			errno = code; \
			return -1; \
		} \
		return real arguments; \
	}
FAILING_CALLS
#undef CALL_IF
#undef VARIADIC

long syscall(long number, ...)
{
	va_list ap;
	long v[6];
	REAL(syscall);

	va_start(ap, number);
	for (unsigned i = 0; i < 6; i++)
		v[i] = va_arg(ap, long);
	va_end(ap);
	switch (number) {
#define NUMBERED(name, code) \
	case SYS_##name: \
		if (fails(CALL_##name)) { \
			errno = code; \
			return -1; \
		} \
		break;
	FAILING_NUMBERS
#undef NUMBERED
	}
	return real(number, v[0], v[1], v[2], v[3], v[4], v[5]);
}

/* Called by the dynamic linker before main(). */
__attribute__((constructor)) static void plan_open(void)
{
	static const char *const names[] = { "allocation",
#define CALL_IF(can, result, name, ...) #name,
#define VARIADIC CALL
#define NUMBERED(name, code) #name,
	FAILING_CALLS FAILING_NUMBERS
	};
	const char *file = getenv("FAIL_NTH");
	int fd = file ? open(file, O_RDWR | O_CLOEXEC) : -1;
	void *p = fd >= 0 ? mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		: MAP_FAILED;

	_Static_assert(N_CALLS <= MOST && sizeof(*plan) <= 8192, "the file has room");
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED)
		return;
	plan = p;
	plan->n_calls = N_CALLS;
	for (unsigned i = 0; i < N_CALLS; i++)
		strcpy(plan->name[i], names[i]);
}
