/* SPDX-License-Identifier: MIT
 * Short ways to name things of one processor's catalog in tests: CATALOG_OF, defined
 * before. */
#ifndef TESTS_NAMES_H
#define TESTS_NAMES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/catalog.h"

static inline const struct cat_processor *cpu(void)
{
	const struct cat_processor *p = cat_processor_by_name(CATALOG_OF);

	assert_non_null(p);
	return p;
}

static inline const struct cat_box *box(const char *name)
{
	const struct cat_box *b = cat_box_by_name(cpu(), name);

	if (!b)
		fail_msg("no box %s", name);
	return b;
}

/* A selection without keys; umask NULL: none. */
static inline struct cat_selection choose(const char *boxname, const char *event, const char *umask)
{
	struct cat_selection c = { .box = box(boxname) };
	int u;

	c.event = cat_event_by_name(c.box, event);
	if (!c.event)
		fail_msg("no event %s/%s", boxname, event);
	if (umask) {
		u = cat_umask_by_name(c.event, umask);
		if (u < 0)
			fail_msg("no unit mask %s/%s:%s", boxname, event, umask);
		c.umasks = BIT(u);
	}
	return c;
}

#endif
