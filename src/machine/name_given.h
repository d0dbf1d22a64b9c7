/* SPDX-License-Identifier: MIT
 * What --processor NAME and engine = "model:NAME" mean.
 *
 * Owns:  that a name is of a processor whose registers uncored knows, or of an installed machine;
 *        the sentence where it is neither.
 * Never: the names themselves (catalog.h, cpu.h, machine_find.h); whether that can be counted.
 * Main thread.
 */
#ifndef MACHINE_NAME_GIVEN_H
#define MACHINE_NAME_GIVEN_H

#include "base/err.h"
#include "catalog/catalog.h"

/*
 * name_given_find - *ret is the processor of this name, or NULL: it is one of an installed machine.
 *
 * A name that is like a processor's and not the same is no machine: what was meant would be
 * planned for the kernel's PMUs without a word. Returns 0, or -EINVAL with a sentence that names
 * the nearest.
 */
int name_given_find(const char *name, const struct cat_processor **ret, struct err *err);
/* The sentence, where there is neither. Returns -EINVAL. */
int name_given_nothing(const char *name, struct err *err);

#endif
