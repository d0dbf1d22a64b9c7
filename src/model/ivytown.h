/* ivytown.h - what the files of the Ivytown model share.
 *
 * Nobody outside model/ includes this.
 */
#ifndef MODEL_IVYTOWN_H
#define MODEL_IVYTOWN_H

#include "model/model_internal.h"

enum ivt_box { IVT_U, IVT_C, IVT_P, IVT_H, IVT_M, IVT_I, IVT_Q, IVT_R2, IVT_R3, IVT_BOXES };

/* The slot of a filter register of the counter's unit: C-Box 0, 1; PCU 0; HA address 0, 1, opcode 2; QPI match 0, 1,
 * mask 2, 3. */
unsigned ivt_filter(const struct counter *c, unsigned which);
double ivt_events_per_cycle(const struct model *m, const struct socket *s, const struct counter *c, const struct load *l);

#endif
