/* SPDX-License-Identifier: MIT
 * Labels of a series, in the order in which they are shown.
 *
 * Owns:  nothing; names and values are somebody else's.
 * Pure; any thread.
 */
#ifndef BASE_LABELS_H
#define BASE_LABELS_H

#include "base/arena.h"

struct label { const char *name, *value; };
struct labels { const struct label *v; unsigned n; };

/* Names and values, in the same order. */
bool labels_same(struct labels a, struct labels b);
/* As messages print them: ",umask=\"ALL\",port=\"0\"" or "". */
const char *labels_text(struct arena *a, struct labels l);

#endif
