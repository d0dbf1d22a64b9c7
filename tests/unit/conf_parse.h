/* SPDX-License-Identifier: MIT
 * A configuration without mistakes, or none. */
#ifndef TESTS_CONF_PARSE_H
#define TESTS_CONF_PARSE_H

#include "conf/conf.h"

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
