/* SPDX-License-Identifier: MIT
 * Is what counts on a socket the whole of it? Between metric/ and planner/.
 *
 * Pure; main thread.
 */
#ifndef METRIC_WHOLE_H
#define METRIC_WHOLE_H

#include "metric/metric_rows.h"
#include "plan/socket.h"

/* Does every instance that this machine has on the socket count for each input of a row? The inputs
 * have found their slots. */
bool whole_covers(const struct schedule *sc, const struct plan_socket *s, const struct row *r);
/* Why metrics of the socket with these inputs have no value although all of them count: the kernel
 * or the topology contradicts itself. NULL: it does not. Notes the reason. A new contradiction of
 * the kernel's PMUs belongs into perf_odd() (spec/perf_odd.c). */
const char *whole_hidden(struct schedule *sc, const struct plan_socket *s, const struct row *r);
/* Notes that an instance of a perf event's PMU cannot be counted, whatever is derived of it. */
void whole_note_left_out(struct schedule *sc, const struct spec_perf *p);
/* " of units 0 to 3", for the HELP of a row that names the units of which it is a sum; "": it names
 * none. */
const char *whole_units(const struct schedule *sc, const struct row *r);

#endif
