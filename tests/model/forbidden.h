/* SPDX-License-Identifier: MIT
 * What a tick of a sampler must not call: the allocator, and what libc has of locks,
 * formats and output, as far as a program can call it.
 *
 * Included once in a program or a library that is preloaded, of glibc; each of these functions is
 * then first seen here:
 *   note(name)      it was called
 *   note_lock(m)    a mutex is locked
 * Both are the includer's, stand before this line, and call none of them.
 */
#ifndef TESTS_FORBIDDEN_H
#define TESTS_FORBIDDEN_H

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* glibc has some of them as inline functions for clang, and the includer's note() is static */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);

void *malloc(size_t n)
{
	note("malloc");
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	note("calloc");
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	note("realloc");
	return __libc_realloc(p, n);
}

void free(void *p)
{
	if (p)
		note("free");
	__libc_free(p);
}

/* The same function of libc. */
#define REAL(name, ...) (((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))(__VA_ARGS__))
#define NOTED(type, name, parameters, ...) \
	type name parameters \
	{ \
		note(#name); \
		return REAL(name, __VA_ARGS__); \
	}
/* One with "..." goes on as its sibling with a va_list. */
#define NOTED_FORMAT(name, parameters, sibling, ...) \
	int name parameters; \
	int name parameters \
	{ \
		va_list ap; \
		int r; \
		va_start(ap, fmt); \
		r = sibling(__VA_ARGS__, fmt, ap); \
		va_end(ap); \
		return r; \
	}
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wunused-parameter"

int pthread_mutex_lock(pthread_mutex_t *m)
{
	note_lock(m);
	return REAL(pthread_mutex_lock, m);
}

NOTED(int, pthread_mutex_trylock, (pthread_mutex_t *m), m)
NOTED(int, pthread_rwlock_rdlock, (pthread_rwlock_t *l), l)
NOTED(int, pthread_rwlock_wrlock, (pthread_rwlock_t *l), l)
NOTED(int, pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), c, m)
NOTED(int, sem_wait, (sem_t *s), s)
NOTED(ssize_t, write, (int fd, const void *p, size_t n), fd, p, n)
NOTED(ssize_t, writev, (int fd, const struct iovec *v, int n), fd, v, n)
NOTED(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m, flags)
NOTED(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), p, size, n, f)
NOTED(int, fputs, (const char *s, FILE *f), s, f)
NOTED(size_t, strftime, (char *s, size_t n, const char *fmt, const struct tm *t), s, n, fmt, t)
NOTED(int, vsnprintf, (char *s, size_t n, const char *fmt, va_list ap), s, n, fmt, ap)
NOTED(int, vfprintf, (FILE *f, const char *fmt, va_list ap), f, fmt, ap)
#undef snprintf                 /* clang fortifies by macros */
#undef fprintf
NOTED_FORMAT(snprintf, (char *s, size_t n, const char *fmt, ...), vsnprintf, s, n)
NOTED_FORMAT(fprintf, (FILE *f, const char *fmt, ...), vfprintf, f)
/* What _FORTIFY_SOURCE makes of them. */
NOTED_FORMAT(__snprintf_chk, (char *s, size_t n, int flag, size_t most, const char *fmt, ...),
	     vsnprintf, s, n)
NOTED_FORMAT(__fprintf_chk, (FILE *f, int flag, const char *fmt, ...), vfprintf, f)
int __vsnprintf_chk(char *s, size_t n, int flag, size_t most, const char *fmt, va_list ap);
int __vsnprintf_chk(char *s, size_t n, int flag, size_t most, const char *fmt, va_list ap)
{
	return vsnprintf(s, n, fmt, ap);
}

#endif
