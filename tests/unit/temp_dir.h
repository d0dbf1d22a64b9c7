/* SPDX-License-Identifier: MIT
 * A directory of its own for a test, with the files that it puts there. After
 * cmocka.h.
 *
 * Names are relative to `root`.
 */
#ifndef TEMP_DIR_H
#define TEMP_DIR_H

#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

/* For a setup: 0 or -1. */
static inline int temp_make(const char *what)
{
	snprintf(root, sizeof(root), "/tmp/uncored-%s-XXXXXX", what);
	return mkdtemp(root) ? 0 : -1;
}

/* The path of a name; good for three more calls. */
static inline char *temp_path(const char *name)
{
	static char path[4][512];
	static unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", root, name);
	return path[turn];
}

/* The same, and the directories above it exist. */
static inline char *temp_parents(const char *name)
{
	char *path = temp_path(name);

	for (char *s = path + strlen(root) + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		mkdir(path, 0755);
	}
	return path;
}

static inline int temp_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* What is there with all that is in it; "" is the directory itself. 0, or -1: there was nothing. */
static inline int drop(const char *name)
{
	return nftw(temp_path(name), temp_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void put_bytes(const char *name, const void *p, size_t n)
{
	FILE *f = fopen(temp_parents(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

static inline void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* The whole file, which must be shorter than size; its length. */
static inline size_t get_bytes(const char *name, void *buf, size_t size)
{
	FILE *f = fopen(temp_path(name), "r");
	size_t n;

	assert_non_null(f);
	n = fread(buf, 1, size, f);
	fclose(f);
	assert_true(n < size);
	return n;
}

#endif
