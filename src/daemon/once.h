/* once.h - uncored --once: program, wait, print, restore; no child, no listening.
 *
 * Main thread.
 */
#ifndef DAEMON_ONCE_H
#define DAEMON_ONCE_H

#include "daemon/generation.h"

/* g: opened, not started; borrowed. Returns an exit code. */
int once_run(const struct options *o, struct machine *m, struct generation *g, bool state_file);

#endif
