/* SPDX-License-Identifier: MIT
 * Which system calls each process may make, as tables that the filters and their tests read.
 *
 * Owns:  the calls, and what their arguments have to be.
 * Never: how a filter is made of them (confine.c).
 * Pure; any thread.
 */
#ifndef PROCESS_CALLS_H
#define PROCESS_CALLS_H

#include <stddef.h>
#include <stdint.h>

enum { CALL_ARGUMENTS = 6, CALL_CONDITIONS = 3 };

/* What holds of an argument. The kernel looks at 32 bits of it, where this does not say more. */
enum argument_test {
	ARGUMENT_ANY,               /* ends the conditions of a row */
	ARGUMENT_IS,                /* it is the value */
	ARGUMENT_WITHOUT,           /* it has none of the value's bits */
	ARGUMENT_NULL,              /* all its 64 bits are 0 */
	ARGUMENT_OWN_PROCESS,       /* it is the id of the process that has the filter */
	ARGUMENT_OWN_DESCRIPTOR,    /* it is above those that are shared with other processes */
};

struct argument_condition {
	uint8_t argument;           /* 0 .. CALL_ARGUMENTS - 1 */
	uint8_t test;               /* enum argument_test */
	uint32_t value;
};

/* A row: the call, if all conditions hold. Rows of one call follow each other, and each is another
 * way to make it. */
struct call {
	int number;
	const char *name;           /* of the kernel's documentation */
	struct argument_condition when[CALL_CONDITIONS];
};

struct calls {
	const struct call *rows;
	size_t n;
};

/* uncored-http: these, and no others. The order is that of the filter: what each request takes is
 * at the beginning. */
extern const struct calls calls_of_http;
/* uncored: not these, however they are made; */
extern const struct calls calls_refused;
/* these only as the rows say; and not these once it has a spawner. */
extern const struct calls calls_limited, calls_of_spawner;

#endif
