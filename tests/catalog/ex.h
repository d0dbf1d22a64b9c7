/* SPDX-License-Identifier: MIT
 * Short ways to name things of the Xeon 7500's catalog in tests. */
#ifndef TESTS_EX_H
#define TESTS_EX_H

#define CATALOG_OF "nehalem-ex"
#include "names.h"

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
