/* SPDX-License-Identifier: MIT
 * The beginning of each sentence that refuses an event of a box; between the files of
 * spec/ only.
 *
 * Pure; any thread.
 */
#ifndef SPEC_REFUSE_H
#define SPEC_REFUSE_H

#include "base/err.h"

#include <errno.h>

/* -EINVAL and "box/EVENT", followed by what is wrong with it. c: the selection of the event. */
#define refuse(c, err, fmt, ...) \
	err_set(err, -EINVAL, "%s/%s" fmt, (c)->box->name, (c)->event->name, ##__VA_ARGS__)

#endif
