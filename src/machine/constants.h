/* SPDX-License-Identifier: MIT
 * Values that registers hold and that do not change: the speed of a link.
 *
 * Owns:  reading such registers before a plan is built.
 * Never: a write.
 * Main thread; allocates.
 */
#ifndef MACHINE_CONSTANTS_H
#define MACHINE_CONSTANTS_H

#include "machine/machine.h"
#include "plan/constant.h"

/* constants_read - the constants of every socket; 0 for a register that is absent or holds no
 * value. None where registers do not count, or this process cannot get at them. Returns 0 or
 * -ENOMEM; the caller frees ret->v. */
int constants_read(const struct machine *m, struct plan_constants *ret);

#endif
