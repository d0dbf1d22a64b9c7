/* SPDX-License-Identifier: MIT
 * The series that the front page draws; inside expo/ only. See expo_drawn_new().
 *
 * Owns:  their list.
 * Never: their past.
 * The http child's one thread.
 */
#ifndef EXPO_DRAWN_H
#define EXPO_DRAWN_H

#include "expo/description.h"

struct drawn;
/* NULL: out of memory. */
struct drawn *drawn_new(const struct desc *d);
void drawn_free(struct drawn *w);
/* As expo_drawn_count() and the others that begin so. */
unsigned drawn_count(const struct drawn *w);
const char *drawn_key(const struct drawn *w, const struct desc *d, unsigned i);
void drawn_names(const struct drawn *w, const struct desc *d, unsigned i, struct strb *t);
void drawn_read(struct drawn *w, const struct expo_view *v, struct expo_drawn *ret);

#endif
