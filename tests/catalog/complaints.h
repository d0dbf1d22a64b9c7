/* SPDX-License-Identifier: MIT
 * What the self-checks of the catalog say of a table. */
#ifndef TESTS_COMPLAINTS_H
#define TESTS_COMPLAINTS_H

#include "base/err.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* r and d: of a check. It must have refused the table, with `expected` in a complaint; NULL: it
 * must have had none. Empties d. */
static inline void expect_complaint(int r, struct diags *d, unsigned line, const char *expected)
{
	bool found = expected ? false : d->n == 0;

	for (size_t i = 0; expected && i < d->n; i++)
		found |= strstr(d->v[i], expected) != NULL;
	if (!found || r != (expected ? -EINVAL : 0)) {
		for (size_t i = 0; i < d->n; i++)
			print_error("  %s\n", d->v[i]);
		fail_msg("line %u: returned %d, expected %s", line, r,
			 expected ? expected : "no complaint");
	}
	diags_done(d);
	*d = (struct diags){ 0 };
}

#endif
