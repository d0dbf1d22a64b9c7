/* SPDX-License-Identifier: MIT
 * Does what was measured on a machine hold of the machine as it is now?
 *
 * Owns:  what may have changed since, and its words.
 * Never: what was measured, where that is kept (expo/verified.h, machine/curve.h).
 * Pure; any thread.
 */
#ifndef TOPO_STALE_H
#define TOPO_STALE_H

#include "topo/host.h"

/* Why it does not hold: its name as the label `reason` has it. */
#define STALE_LIST(X) \
	X(PROCESSOR, "processor") X(KERNEL, "kernel") X(MICROCODE, "microcode") X(BIOS, "bios") \
	X(SIMULATED, "simulated") X(UNREADABLE, "unreadable")
enum stale {
#define STALE_ENUM(id, name) STALE_##id,
	STALE_LIST(STALE_ENUM)
	STALE_REASONS
};
extern const char *const stale_names[STALE_REASONS];

/* Which versions differ: a bit for each enum stale. */
unsigned stale_versions(const struct host_versions *then, const struct host_versions *now);
/* "kernel, microcode". Returns ret. */
#define STALE_TEXT 96
const char *stale_text(unsigned bits, char ret[STALE_TEXT]);

#endif
