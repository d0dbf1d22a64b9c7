/* SPDX-License-Identifier: MIT
 * What a series of /metrics is of.
 *
 * Pure; main thread.
 */
#ifndef PLANNER_SERIES_NAME_H
#define PLANNER_SERIES_NAME_H

#include "catalog/catalog.h"
#include "spec/kernel.h"

/*
 * series_event - the specification of the event that a series counts: its labels are unit, unit
 * masks and keys. The label `socket` is none of them.
 *
 * m  its processor's boxes are looked through, and its PMUs; either may be NULL
 * s  the series, of spec_parse_name()
 *
 * Returns NULL if no event has that family. Inside of a run of the arena.
 */
char *series_event(struct arena *a, const struct spec_machine *m, const struct spec *s);

#endif
