/* SPDX-License-Identifier: MIT
 * The walls around both processes, for their tests. */
#ifndef TESTS_CONFINE_TEST_H
#define TESTS_CONFINE_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "process/calls.h"
#include "process/confine.h"

#include <unistd.h>

enum { SHARED = STDERR_FILENO };        /* the last descriptor that others have, too */

static inline void skip_sanitized(void)
{
#ifdef UNCORED_SANITIZED
	print_message("a build with sanitizers makes calls that the walls refuse\n");
	skip();
#endif
}

static inline int confine_as_http(struct err *err)
{
	return confine_http(SHARED, err);
}

/* With a spawner: what both walls leave, but no program. Where one is executed, it ends with 0. */
static inline int confine_both(struct err *err)
{
	int r = confine_counting(err);

	return r < 0 ? r : confine_execution(err);
}

#endif
