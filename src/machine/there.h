/* SPDX-License-Identifier: MIT
 * Is there anything to count?
 *
 * Owns:  the one answer of the daemon's start, of `uncorectl doctor` (which ./bootstrap run asks)
 *        and of `uncorectl plan`.
 * Never: whether this process may count it; which counters may stand still (catalog/).
 * Main thread.
 */
#ifndef MACHINE_THERE_H
#define MACHINE_THERE_H

#include "machine/machine.h"

/*
 * there_is_nothing - true with a sentence if this machine has nothing of what is planned for it.
 *
 * That is so if the plan has no event; if it was made without a configuration's groups, in a
 * virtual machine, of energy and sleep states alone, which its kernel also lists where nothing is
 * behind them; and if it is of counters alone that cannot stand still, and all did for a second.
 *
 * may_wait  for that second, where it has to be known; false: they are taken to count. Nothing else
 *           waits
 */
bool there_is_nothing(const struct machine *m, const struct plan *p, bool may_wait,
		      struct err *ret_why);

#endif
