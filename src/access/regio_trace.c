/* SPDX-License-Identifier: MIT
 * A transcript of every access, around any other way to the registers.
 * Owns:  the form of a line.
 * Never: the value that passes through: it is not changed.
 * One thread at a time; several traces may share one FILE, a line is one call of stdio.
 */
#include "access/regio.h"

#include "plan/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct regio_trace {
	struct regio base;
	FILE *out;
	unsigned socket;
	const struct plan_program *program;
};

static const char *trace_name(const struct regio_trace *t, struct reg r)
{
	const struct plan_program *p = t->program;

	for (unsigned i = 0; p && i < p->n_regs; i++)
		if (p->regs[i].name && reg_equal(p->regs[i].reg, r))
			return p->regs[i].name;
	for (unsigned i = 0; p && i < p->n_rounds; i++)
		for (unsigned k = 0; k < p->rounds[i].overflow.n_status; k++)
			if (reg_equal(p->rounds[i].overflow.status[k].reg, r))
				return p->rounds[i].overflow.status[k].name;
	return "";
}

static void trace_line(const struct regio_trace *t, char what, struct reg r, uint64_t value, int e)
{
	const char *name = trace_name(t, r), *code = e < 0 ? strerrorname_np(-e) : "";
	char hex[24] = "";

	if (e == 0 || what == 'W')
		snprintf(hex, sizeof(hex), " 0x%" PRIx64, value);
	fprintf(t->out, "socket %u: %c %s%s%s%s%s%s\n", t->socket, what,
		reg_text(r).s, hex, e < 0 ? " " : "", code ? code : "error",
		*name ? " " : "", name);
}

static int trace_read(struct regio *io, struct reg r, uint64_t *ret)
{
	struct regio_trace *t = (struct regio_trace *)io;
	uint64_t v = 0;
	int e = regio_read(io->inner, r, &v);

	trace_line(t, 'R', r, v, e);
	if (e == 0)
		*ret = v;
	return e;
}

static int trace_write(struct regio *io, struct reg r, uint64_t value)
{
	struct regio_trace *t = (struct regio_trace *)io;
	int e = regio_write(io->inner, r, value);

	trace_line(t, 'W', r, value, e);
	return e;
}

static int trace_move(struct regio *io)
{
	struct regio_trace *t = (struct regio_trace *)io;
	int e = regio_move(io->inner);

	if (e == 0)
		fprintf(t->out, "socket %u: now through CPU %d\n", t->socket, regio_cpu(io->inner));
	return e;
}

static const struct regio_ops trace_ops = {
	.read = trace_read, .write = trace_write, .move = trace_move,
};

int regio_trace_new(struct regio *inner, FILE *out, unsigned socket,
		    const struct plan_program *program, struct regio **ret)
{
	struct regio_trace *t = calloc(1, sizeof(*t));

	if (!t) {
		regio_free(inner);
		return -ENOMEM;
	}
	*t = (struct regio_trace){ .base = { &trace_ops, inner }, .out = out, .socket = socket,
				   .program = program };
	*ret = &t->base;
	return 0;
}
