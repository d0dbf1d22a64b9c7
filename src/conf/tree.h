/* SPDX-License-Identifier: MIT
 * What libconfig read, as bytes that go from one process to another.
 *
 * Owns:  the shape of these bytes, and whether bytes have it.
 * Never: what a key means.
 * Pure; any thread.
 *
 * libconfig may end its process, or spoil the memory of it. So it runs in one that is made for it,
 * and what it read comes as one piece of memory without a pointer:
 *
 *	n | setting 0 (the file) | setting 1 | ... | setting n-1 | texts, each with its NUL
 *
 * The elements of a setting stand together, in order, behind those of all settings before it: those
 * of the file first, then those of its first block, and so on. The texts are in the same order, of
 * each setting its name and then its value. So there is one sequence of bytes for each tree, and
 * conf_tree_check() finds every other one: nothing has two owners, nothing is its own element,
 * nothing lies outside.
 */
#ifndef CONF_TREE_H
#define CONF_TREE_H

#include "conf/scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_type {
	SETTING_BLOCK = 1,          /* { }; its elements have names */
	SETTING_LIST,               /* ( ) or [ ] */
	SETTING_TEXT,
	SETTING_BOOL,
	SETTING_INTEGER,
	SETTING_WIDE,               /* an integer that lacks its L, as text: see scan_wide */
	SETTING_FLOAT,
};

struct setting {
	uint32_t type;
	uint32_t line;
	/* In bytes from this setting on; 0: none. Both are UTF-8 or not, as they were written. */
	uint32_t name, text;
	/* Of a block or list: how many settings behind this one its first element is, and how many
	 * there are. */
	uint32_t first, n;
	union {
		int64_t integer;    /* 0, 1: of SETTING_BOOL */
		double number;
	} v;
};

struct conf_tree {
	uint64_t n;                 /* settings, at least the file */
	struct setting settings[];
};

/*
 * conf_tree_make - the tree of a text, by libconfig.
 *
 * Returns it, to be freed, and its size; NULL: out of memory. Where libconfig refuses the text, the
 * first setting is no block but a text, which says why. Only for a process in which nothing can
 * be lost.
 */
struct conf_tree *conf_tree_make(const struct scan *scan, size_t *ret_size);

/* conf_tree_check - is this a tree, by what is said above? Anybody may have written it, at an
 * address that is a multiple of 8. */
bool conf_tree_check(const void *bytes, size_t size);

/* The rest is for trees that were checked. Element i, which is below s->n; */
static inline const struct setting *setting_element(const struct setting *s, unsigned i)
{
	return s + s->first + i;
}
/* the name of an element of a block; */
static inline const char *setting_name(const struct setting *s)
{
	return (const char *)s + s->name;
}
/* the text of SETTING_TEXT and SETTING_WIDE; */
static inline const char *setting_text(const struct setting *s)
{
	return (const char *)s + s->text;
}
/* the element of a block that has this name; NULL: none, or there is no block. */
const struct setting *setting_find(const struct setting *block, const char *name);

#endif
