/* constants.h - what registers say once: the speed of a link.
 *
 * Owns:  reading such a register while a plan is built, remembering what it said.
 * Never: a write.
 * Main thread.
 */
#ifndef MACHINE_CONSTANTS_H
#define MACHINE_CONSTANTS_H

#include "machine/machine.h"

enum { CONSTANTS_MAX = 256 };

struct constants {
	const struct machine *machine;
	struct {
		const struct cat_constant *c;
		unsigned socket, unit;
		double value;
	} known[CONSTANTS_MAX];
	unsigned n_known;
};

/* constants_read - plan_input.constant; p is a struct constants. 0: the register is not there or says nothing. */
double constants_read(void *p, unsigned socket, const struct cat_constant *c, unsigned unit);

#endif
