/* SPDX-License-Identifier: MIT
 * The user that the service runs as.
 *
 * Owns:  its name.
 * Never: becoming it.
 */
#ifndef BASE_USER_H
#define BASE_USER_H

#include <stdbool.h>
#include <sys/types.h>

/* The user `uncored`, or nobody, from the file: the name service may wait for a network. false: the
 * machine has no user `uncored`. */
bool user_find(uid_t *uid, gid_t *gid);

#endif
