/* SPDX-License-Identifier: MIT
 * A variable that owns something releases it where its scope ends, so that a function can return
 * at the call that fails.
 *
 * Owns:  the attributes, and those of descriptors and of what the C library hands out.
 * Never: what is released. Each room says it for its own types, below the function that frees.
 * Pure; any thread. Not in a run of arena_try(): where that ends early no scope ends.
 *
 *	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
 *	AUTO_FREE(free) char *text = malloc(size);
 *	AUTO_DONE(diags_done) struct diags mistakes = { 0 };
 *
 *	if (fd < 0)
 *		return -errno;
 *	...
 *	*ret_text = TAKE(text);         (now the caller's)
 *	return TAKE_FD(fd);
 *
 * Each such variable has its value from its declaration on: -1, NULL or { 0 } if it owns nothing
 * yet. They are released in the opposite order of their declarations, after the value of `return`
 * was computed: that may use errno, and them.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A descriptor; negative: none. */
#define AUTO_FD __attribute__((cleanup(cleanup_fd)))
/* A pointer for which CLEANUP_POINTER(function, type) stands somewhere; NULL: none. */
#define AUTO_FREE(function) __attribute__((cleanup(function##_of)))
/* A struct, whose address the function takes, such as diags_done(). */
#define AUTO_DONE(function) __attribute__((cleanup(function)))

/* The value of the variable, which owns nothing any more. */
#define TAKE(pointer) \
	({ __typeof__(pointer) taken_ = (pointer); (pointer) = NULL; taken_; })
#define TAKE_FD(fd) \
	({ int taken_ = (fd); (fd) = -1; taken_; })

/* Makes AUTO_FREE(function) of a function that takes a `type *`. */
#define CLEANUP_POINTER(function, type) \
	static inline void function##_of(type **p) \
	{ \
		if (*p) \
			function(*p); \
	} \
	struct cleanup_needs_a_semicolon

CLEANUP_POINTER(fclose, FILE);
CLEANUP_POINTER(closedir, DIR);

/* Of any type: memory of malloc(). */
static inline void free_of(const void *p)
{
	void *memory;

	memcpy(&memory, p, sizeof(memory));
	free(memory);
}

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#endif
