/* SPDX-License-Identifier: MIT
 * uncored --once: program, wait or run a command, print, restore; no http process.
 *
 * Main thread.
 */
#ifndef DAEMON_ONCE_H
#define DAEMON_ONCE_H

#include "daemon/generation.h"

/* g: opened, not started; borrowed. Returns an exit code: the command's, if there is one and it was
 * counted. */
int once_run(const struct options *o, struct machine *m, struct generation *g, bool state_file);

#endif
