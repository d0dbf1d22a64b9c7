/* SPDX-License-Identifier: MIT
 * What all ways to a register have in common.
 * Owns:  going on through another CPU.
 * Never: how a register is reached, what it means.
 * One thread at a time.
 */
#include "access/regio.h"

#include <stdlib.h>

int regio_move(struct regio *io)
{
	if (io->ops->move)
		return io->ops->move(io);
	return io->inner ? regio_move(io->inner) : -ENXIO;
}

int regio_cpu(const struct regio *io)
{
	if (io->ops->cpu)
		return io->ops->cpu(io);
	return io->inner ? regio_cpu(io->inner) : -1;
}

void regio_free(struct regio *io)
{
	if (!io)
		return;
	regio_free(io->inner);
	if (io->ops->free)
		io->ops->free(io);
	else
		free(io);
}

int regio_read_any(struct regio *io, struct reg r, uint64_t *ret)
{
	int e = regio_read(io, r, ret);

	if (regio_gone(e) && regio_move(io) == 0)
		e = regio_read(io, r, ret);
	return e;
}

int regio_write_any(struct regio *io, struct reg r, uint64_t value)
{
	int e = regio_write(io, r, value);

	if (regio_gone(e) && regio_move(io) == 0)
		e = regio_write(io, r, value);
	return e;
}
