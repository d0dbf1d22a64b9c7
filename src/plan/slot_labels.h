/* SPDX-License-Identifier: MIT
 * Family names and label texts of slots, as the README promises them.
 *
 * Owns:  the spelling of everything that a scrape shows about a slot.
 * Never: values; which group or socket (added when rendered).
 * Pure; any thread.
 */
#ifndef PLAN_SLOT_LABELS_H
#define PLAN_SLOT_LABELS_H

#include "base/labels.h"

struct cat_selection;

/* The exported family of an event, "uncore_bbox_imt_full_total"; a new string, NULL: out of
 * memory. */
char *labels_family(const char *box, const char *event);
char *labels_umask(const struct cat_selection *c);
/* umask: labels_umask() */
struct labels labels_of(struct arena *a, const struct cat_selection *c, const char *umask);
char *labels_help(struct arena *a, const char *what);
const char *labels_link(const struct cat_selection *c);

#endif
