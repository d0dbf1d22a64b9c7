/* SPDX-License-Identifier: MIT
 * What a server says that it counts: bytes to a snapshot that can be believed so far as it is used.
 *
 * Owns:  bounds of size, number and range; which kind a member is; that every text can be printed.
 * Never: where the bytes come from, whether the numbers are true.
 * Any thread.
 */
#ifndef CTL_SNAPSHOT_READ_H
#define CTL_SNAPSHOT_READ_H

#include "expo/json.h"

/* Values of all kinds; JSON of less than 64 MB takes at most 200 MB of memory then. */
#define SNAPSHOT_VALUES_MAX 2000000
#define SNAPSHOT_INTERVAL_MAX (24 * 3600)       /* seconds */

/*
 * snapshot_read - what bytes of uncored-snapshot-1 say; NULL: they are none.
 *
 * In what is returned format, name, version and the like are texts; interval_seconds is above 0 and
 * at most SNAPSHOT_INTERVAL_MAX; sockets and metrics are lists of objects; a socket has a number
 * and, once there is a sample, its time; a metric has name, type, unit and series; a series has
 * labels, which are texts, and a value that is a number, a text of digits or, if the metric is
 * neither counter nor gauge, an object. Members of other names may be anything. In every text and
 * every name of a member, what a terminal would not show is written as \xHH.
 */
json_t *snapshot_read(const char *text);

#endif
