/* SPDX-License-Identifier: MIT
 * The registers of one processor's catalog against a list, both ways. */
#ifndef TESTS_REGISTERS_H
#define TESTS_REGISTERS_H

#include "names.h"
#include "tsv.h"

/* As the lists call them. */
static const char *const roles[] = {
	[CAT_GLOBAL_CTL] = "global_ctl", [CAT_GLOBAL_STATUS] = "global_status",
	[CAT_BOX_CTL] = "box_ctl",
	[CAT_GLOBAL_OVF] = "global_ovf", [CAT_STATUS] = "status", [CAT_OVF_CTL] = "ovf_ctl",
	[CAT_SUMMARY] = "summary",
	[CAT_CTL] = "ctl", [CAT_CTR] = "ctr", [CAT_FIXED_CTL] = "fixed_ctl",
	[CAT_FIXED_CTR] = "fixed_ctr",
	[CAT_SUB] = "sub", [CAT_FILTER] = "filter", [CAT_OTHER] = "other",
};

/* Each row of the list holds, and no register stands in the catalog alone. */
static inline void every_register(const char *list,
				  unsigned (*compare)(const struct tsv *, const struct tsv_row *))
{
	const struct cat_processor *p = cpu();
	unsigned bad = 0, n = 0;
	struct tsv t;

	tsv_read(&t, list);
	for (unsigned i = 0; i < t.n; i++)
		bad += compare(&t, &t.rows[i]);
	for (const struct cat_box *b = cat_box_next(p, NULL); b; b = cat_box_next(p, b))
		for (unsigned i = 0; i < b->n_regs; i++)
			n += b->n_units * (b->regs[i].step ? b->regs[i].count : 1);
	assert_int_equal(n, t.n);
	assert_int_equal(bad, 0);
	tsv_done(&t);
}

#endif
