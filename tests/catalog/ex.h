/* ex.h - short ways to name things of the Xeon 7500's catalog in tests. */
#ifndef TESTS_EX_H
#define TESTS_EX_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/catalog.h"

static inline const struct cat_processor *ex(void)
{
	const struct cat_processor *p = cat_processor_by_name("nehalem-ex");

	assert_non_null(p);
	return p;
}

static inline const struct cat_box *box(const char *name)
{
	const struct cat_box *b = cat_box_by_name(ex(), name);

	if (!b)
		fail_msg("no box %s", name);
	return b;
}

/* A choice without keys; umask NULL: none. */
static inline struct cat_choice choose(const char *boxname, const char *event, const char *umask)
{
	struct cat_choice c = { .box = box(boxname) };
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

static inline struct reg msr(uint32_t off)
{
	return (struct reg){ .space = SPACE_MSR, .bytes = 8, .off = off };
}

static inline struct reg ctl_reg(const struct cat_box *b, unsigned unit, unsigned counter)
{
	const struct cat_reg *r = cat_reg_find(b, CAT_CTL, 0, counter);

	assert_non_null(r);
	return cat_reg_address(b, r, unit, counter);
}

#endif
