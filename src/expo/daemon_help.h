/* SPDX-License-Identifier: MIT
 * What a series of uncored itself says, by its name.
 *
 * Pure; any thread.
 */
#ifndef EXPO_DAEMON_HELP_H
#define EXPO_DAEMON_HELP_H

/* Its HELP; NULL: it is no series of uncored itself. */
const char *daemon_help(const char *name);

#endif
