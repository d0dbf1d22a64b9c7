/* SPDX-License-Identifier: MIT
 * What uncorectl verify left in the state directory, and whether it holds of this machine.
 *
 * Owns:  reading that file, and the line of the log where it does not hold.
 * Never: what it says (expo/verified.h).
 * Main thread; at the start and at a reload.
 */
#ifndef DAEMON_MEASURED_H
#define DAEMON_MEASURED_H

#include "expo/verified.h"

struct machine;

/* Is there one? Then *ret is it, stale where it is refused. */
bool measured_read(const struct machine *m, struct verified *ret);

#endif
