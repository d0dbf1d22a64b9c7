/* constants.h - what registers say once: the speed of a link.
 *
 * Owns:  reading such registers before a plan is built.
 * Never: a write.
 * Main thread; allocates.
 */
#ifndef MACHINE_CONSTANTS_H
#define MACHINE_CONSTANTS_H

#include "machine/machine.h"
#include "plan/plan_build.h"

/* constants_read - what the registers of every socket say; what is not there or says nothing is
 * left out. Returns 0 or -ENOMEM; ret->v is the caller's to free. */
int constants_read(const struct machine *m, struct plan_constants *ret);

#endif
