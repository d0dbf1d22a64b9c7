/* SPDX-License-Identifier: MIT
 * A configuration without mistakes, or none. */
#ifndef TESTS_CONF_PARSE_H
#define TESTS_CONF_PARSE_H

#include "base/cleanup.h"
#include "conf/conf.h"

/* What is read of a file with mistakes, too; in this process. */
static inline int conf_parse_keep(const char *name, const char *text, size_t len,
				  struct conf **ret, struct diags *d)
{
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	size_t size;
	int r;

	*ret = NULL;
	r = conf_tree_parse(name, text, len, false, &tree, &size, d);
	return r < 0 ? r : conf_read(name, tree, size, ret, d);
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
