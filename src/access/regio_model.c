/* SPDX-License-Identifier: MIT
 * Registers of the register model.
 * Owns:  which socket of the model is meant.
 * Never: the model itself, which others use too.
 * One thread at a time.
 */
#include "access/regio.h"

#include "model/model.h"

#include <stdlib.h>

struct regio_model {
	struct regio base;
	struct model *model;        /* borrowed */
	unsigned socket;
};

static int mdl_read(struct regio *io, struct reg r, uint64_t *ret)
{
	struct regio_model *m = (struct regio_model *)io;

	return model_read(m->model, m->socket, r, ret);
}

static int mdl_write(struct regio *io, struct reg r, uint64_t value)
{
	struct regio_model *m = (struct regio_model *)io;

	return model_write(m->model, m->socket, r, value);
}

static const struct regio_ops mdl_ops = {
	.read = mdl_read, .write = mdl_write,
};

int regio_model_new(struct model *m, unsigned socket, struct regio **ret)
{
	struct regio_model *io = calloc(1, sizeof(*io));

	if (!io)
		return -ENOMEM;
	*io = (struct regio_model){ .base.ops = &mdl_ops, .model = m, .socket = socket };
	*ret = &io->base;
	return 0;
}
