/* privileges.h - a process that needs no power any more gives it up.
 *
 * Owns:  which user it becomes.
 * Main thread.
 */
#ifndef PROCESS_PRIVILEGES_H
#define PROCESS_PRIVILEGES_H

#include "base/err.h"

/* Root becomes somebody else; everybody loses every capability, and gets none again. -EPERM with a
 * sentence. */
int privileges_drop(struct err *err);

#endif
