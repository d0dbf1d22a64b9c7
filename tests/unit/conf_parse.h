/* SPDX-License-Identifier: MIT
 * A configuration without mistakes, or none. */
#ifndef TESTS_CONF_PARSE_H
#define TESTS_CONF_PARSE_H

#include "base/arena.h"
#include "conf/conf.h"

/* What is read of a file with mistakes, too; in this process. */
static inline int conf_parse_keep(const char *name, const char *text, size_t len,
				  struct conf **ret, struct diags *d)
{
	struct arena *keep = arena_new((size_t)256 << 20, NULL);
	int r = conf_parse_into(keep, name, text, len, ret, d);

	if (!*ret)
		arena_free(keep);
	return r;
}

/* *ret is untouched where there are mistakes. */
static inline int conf_parse(const char *name, const char *text, size_t len, struct conf **ret,
			     struct diags *d)
{
	struct conf *c;
	int r = conf_parse_keep(name, text, len, &c, d);

	if (r == 0)
		*ret = c;
	else
		conf_free(c);
	return r;
}

#endif
