/* SPDX-License-Identifier: MIT
 * Preloaded (LD_PRELOAD): the Nth call of a function fails; once, or from then on.
 * FAIL_NTH=FILE of 8192 bytes, mapped by every process of the program, says which and when, and
 * tells how many calls there were; anomalies.py reads and writes it. Calls that the libraries make
 * count, too: they reach the same functions.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>


typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;

/*
 * CALL(result, name, parameters, arguments, what it returns then, errno)
 *
 * Those that take a variable number of arguments take the most that anybody gives them.
 */
#define FAILING_CALLS \
	CALL(int, __open_2, (const char *p, int f), (p, f), -1, EMFILE) \
	CALL(int, access, (const char *p, int m), (p, m), -1, EIO) \
	CALL(int, bind, (int s, const struct sockaddr *a, socklen_t n), (s, a, n), -1, EADDRINUSE) \
	CALL(int, connect, (int s, const struct sockaddr *a, socklen_t n), (s, a, n), -1, ENOENT) \
	CALL(int, dup, (int fd), (fd), -1, EMFILE) \
	CALL(FILE *, fdopen, (int fd, const char *m), (fd, m), NULL, ENOMEM) \
	CALL(FILE *, fopen, (const char *p, const char *m), (p, m), NULL, EMFILE) \
	CALL(int, execveat, (int fd, const char *p, char *const *v, char *const *e, int f), \
	     (fd, p, v, e, f), -1, ENOMEM) \
	CALL(int, flock, (int fd, int op), (fd, op), -1, ENOLCK) \
	CALL(pid_t, fork, (void), (), -1, EAGAIN) \
	CALL(int, fstat, (int fd, struct stat *s), (fd, s), -1, EIO) \
	CALL(int, fsync, (int fd), (fd), -1, EIO) \
	CALL(int, ftruncate, (int fd, off_t n), (fd, n), -1, ENOSPC) \
	CALL(ssize_t, getrandom, (void *p, size_t n, unsigned f), (p, n, f), -1, EINTR) \
	CALL(int, getsockname, (int s, struct sockaddr *a, socklen_t *n), (s, a, n), -1, ENOBUFS) \
	CALL(int, getsockopt, (int s, int l, int o, void *p, socklen_t *n), (s, l, o, p, n), -1, \
	     ENOBUFS) \
	CALL(int, listen, (int s, int n), (s, n), -1, EADDRINUSE) \
	CALL(int, memfd_create, (const char *p, unsigned f), (p, f), -1, EMFILE) \
	CALL(int, mkdir, (const char *p, mode_t m), (p, m), -1, ENOSPC) \
	CALL(void *, mmap, (void *p, size_t n, int q, int f, int fd, off_t o), \
	     (p, n, q, f, fd, o), MAP_FAILED, ENOMEM) \
	CALL(DIR *, opendir, (const char *p), (p), NULL, EMFILE) \
	CALL(int, pipe2, (int fd[2], int f), (fd, f), -1, EMFILE) \
	CALL(ssize_t, pread, (int fd, void *p, size_t n, off_t o), (fd, p, n, o), -1, EIO) \
	CALL(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t o), (fd, p, n, o), -1, EPERM) \
	CALL(int, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), \
	     void *p), (t, a, f, p), EAGAIN, EAGAIN) \
	CALL(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), -1, EIO) \
	CALL(ssize_t, readlinkat, (int d, const char *p, char *b, size_t n), (d, p, b, n), -1, \
	     EACCES) \
	CALL(ssize_t, recvmsg, (int s, struct msghdr *m, int f), (s, m, f), -1, ENOBUFS) \
	CALL(int, renameat, (int d, const char *p, int e, const char *q), (d, p, e, q), -1, ENOSPC) \
	CALL(int, scandir, (const char *p, struct dirent ***l, int (*f)(const struct dirent *), \
	     int (*c)(const struct dirent **, const struct dirent **)), (p, l, f, c), -1, ENOMEM) \
	CALL(int, sched_setaffinity, (pid_t t, size_t n, const cpu_set_t *c), (t, n, c), -1, \
	     EINVAL) \
	CALL(ssize_t, send, (int s, const void *p, size_t n, int f), (s, p, n, f), -1, ENOBUFS) \
	CALL(ssize_t, sendmsg, (int s, const struct msghdr *m, int f), (s, m, f), -1, ENOBUFS) \
	CALL(int, setrlimit, (__rlimit_resource_t r, const struct rlimit *l), (r, l), -1, EPERM) \
	CALL(int, setsockopt, (int s, int l, int o, const void *p, socklen_t n), (s, l, o, p, n), \
	     -1, ENOMEM) \
	CALL(int, socket, (int d, int t, int p), (d, t, p), -1, EMFILE) \
	CALL(int, socketpair, (int d, int t, int p, int fd[2]), (d, t, p, fd), -1, EMFILE) \
	CALL(int, stat, (const char *p, struct stat *s), (p, s), -1, EIO) \
	CALL(int, unlinkat, (int d, const char *p, int f), (d, p, f), -1, EROFS) \
	CALL(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), -1, ENOSPC) \
	CALL(int, sd_event_default, (sd_event **e), (e), -ENOMEM, ENOMEM) \
	CALL(int, sd_event_loop, (sd_event *e), (e), -EIO, EIO) \
	CALL(int, sd_event_add_signal, (sd_event *e, sd_event_source **s, int n, void *f, \
	     void *p), (e, s, n, f, p), -ENOMEM, ENOMEM) \
	CALL(int, sd_event_add_time_relative, (sd_event *e, sd_event_source **s, int c, \
	     unsigned long t, unsigned long a, void *f, void *p), (e, s, c, t, a, f, p), -ENOMEM, \
	     ENOMEM) \
	CALL(int, sd_event_add_child, (sd_event *e, sd_event_source **s, pid_t n, int o, void *f, \
	     void *p), (e, s, n, o, f, p), -ENOMEM, ENOMEM) \
	CALL(int, capng_apply, (int s), (s), -1, EPERM) \
	CALL(int, capng_change_id, (int u, int g, int f), (u, g, f), -1, EPERM) \
	VARIADIC(int, open, (const char *p, int f, ...), f, (p, f, v), EMFILE) \
	VARIADIC(int, openat, (int d, const char *p, int f, ...), f, (d, p, f, v), EMFILE) \
	VARIADIC(int, fcntl, (int fd, int c, ...), c, (fd, c, v), EINVAL)

enum { ALLOCATION,
#define CALL(result, name, ...) CALL_##name,
#define VARIADIC CALL
FAILING_CALLS
#undef CALL
#undef VARIADIC
N_CALLS };

/* What the file holds. */
static struct plan {
	_Atomic uint64_t which, at, for_ever;   /* call, number; 0: never */
	_Atomic uint64_t failed;
	uint64_t n_calls;
	_Atomic uint64_t seen[64];
	char name[64][32];
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

#define REAL(name) \
	static __typeof__(name) *real; \
	if (!real) \
		real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define CALL(result, name, parameters, arguments, bad, code) \
	result name parameters; \
	result name parameters \
	{ \
		REAL(name); \
		if (fails(CALL_##name)) { \
			errno = code; \
			return bad; \
		} \
		return real arguments; \
	}
#define VARIADIC(result, name, parameters, last, arguments, code) \
	result name parameters \
	{ \
		va_list ap; \
		long v; \
		REAL(name); \
		va_start(ap, last); \
		v = va_arg(ap, long); \
		va_end(ap); \
		if (fails(CALL_##name)) { \
			errno = code; \
			return -1; \
		} \
		return real arguments; \
	}
FAILING_CALLS
#undef CALL
#undef VARIADIC

/* Called by the dynamic linker before main(). */
__attribute__((constructor)) static void plan_open(void)
{
	static const char *const names[] = { "allocation",
#define CALL(result, name, ...) #name,
#define VARIADIC CALL
	FAILING_CALLS
	};
	const char *file = getenv("FAIL_NTH");
	int fd = file ? open(file, O_RDWR | O_CLOEXEC) : -1;
	void *p = fd >= 0 ? mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		: MAP_FAILED;

	_Static_assert(N_CALLS <= 64 && sizeof(*plan) <= 8192, "the file has room");
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED)
		return;
	plan = p;
	plan->n_calls = N_CALLS;
	for (unsigned i = 0; i < N_CALLS; i++)
		strcpy(plan->name[i], names[i]);
}
