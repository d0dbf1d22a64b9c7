/* SPDX-License-Identifier: MIT */
#include "machine/constants.h"

#include "machine/regio_open.h"
#include "plan/program.h"

#include <errno.h>
#include <stdlib.h>

static int open_device(const struct machine *m, unsigned socket, const struct plan_device *device,
		       struct regio **ret)
{
	const struct topo_socket *s = &m->topo->sockets[socket];
	unsigned cpus[TOPO_CPUS_MAX];
	struct register_path path = { .socket = s->id, .cpus = cpus,
				      .anchor = m->processor->anchor, .devices = device,
				      .n_devices = 1 };
	struct err err = { "" };
	char *hidden = NULL;
	int r;

	if (m->model)
		return regio_model_new(m->model, socket, ret);
	for (unsigned i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].online)
			cpus[path.n_cpus++] = s->cpus[i].cpu;
	r = regio_open(&m->asked.roots, &path, &hidden, ret, &err);
	free(hidden);
	return r;
}

/* 0: the register is absent or holds no value. */
static double read_one(const struct machine *m, unsigned socket, const struct cat_constant *c,
		       const struct cat_box *b, unsigned unit)
{
	const struct cat_reg *row = cat_reg_find(b, CAT_OTHER, c->id, 0);
	struct reg reg = cat_reg_address(b, row, unit, 0);
	const struct plan_device device = { reg.dev, reg.fn, b->units[unit].id[row->bank] };
	uint64_t v, field = c->unknown;
	struct regio *io = NULL;

	if (open_device(m, socket, &device, &io) < 0)
		return 0;
	if (regio_read_any(io, reg, &v) == 0)
		field = bits_get(v, c->hi, c->lo);
	regio_free(io);
	return field == c->unknown ? 0 : c->base + c->step * (double)field;
}

int constants_read(const struct machine *m, struct plan_constants *ret)
{
	unsigned n = m->processor && !machine_counts_perf(m) && !m->elsewhere ?
		     m->processor->n_constants : 0;

	*ret = (struct plan_constants){ 0 };
	if (n && !m->model && host_device(&m->asked.roots, m->topo, NULL) < 0)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		const struct cat_constant *c = &m->processor->constants[i];
		const struct cat_box *b = cat_box_by_name(m->processor, c->box);
		unsigned n_all = ret->n + m->topo->n_sockets * b->n_units;
		struct plan_constant *v = realloc(ret->v, n_all * sizeof(*v));

		if (!v)
			return -ENOMEM;
		ret->v = v;
		for (unsigned s = 0; s < m->topo->n_sockets; s++)
			for (unsigned u = 0; u < b->n_units; u++)
				v[ret->n++] = (struct plan_constant){ c, m->topo->sockets[s].id, u,
								      read_one(m, s, c, b, u) };
	}
	return 0;
}
