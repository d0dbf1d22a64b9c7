/* SPDX-License-Identifier: MIT
 * Putting registers back by a file, where no plan is known that wrote to them.
 *
 * Owns:  what every plan for a processor has in common, without a configuration.
 * Never: what is in the file, how a register is written (access/).
 * Pure; main thread; allocates.
 */
#ifndef PLANNER_RESTORING_H
#define PLANNER_RESTORING_H

#include "plan/program.h"

#include <stdint.h>

struct cat_processor;

/* A program without rounds: counters, devices, enables. 0, or -ENOMEM; release with
 * plan_program_done() in both cases. */
int plan_program_begin(const struct cat_processor *p, struct plan_program *ret);
void plan_program_done(struct plan_program *p);
/* The bits of a register that some plan for this processor could own; 0: none, uncored never writes
 * to it. */
uint64_t plan_owned(const struct cat_processor *p, struct reg r);

#endif
