/* constants.c - see constants.h. */
#include "config.h"

#include "machine/constants.h"

#include "machine/way.h"
#include "plan/program.h"

#include <stdlib.h>

static const struct topo_socket *find_socket(const struct machine *m, unsigned id, unsigned *ret_index)
{
	for (unsigned i = 0; i < m->topo->n_sockets; i++)
		if (m->topo->sockets[i].id == id) {
			*ret_index = i;
			return &m->topo->sockets[i];
		}
	return NULL;
}

static int open_device(const struct constants *k, const struct topo_socket *s, unsigned index,
		       const struct plan_device *device, struct regio **ret)
{
	unsigned *cpus = calloc(s->n_cpus + 1UL, sizeof(*cpus)), n = 0;
	const struct machine *m = k->machine;
	struct err err = { "" };
	char *hidden = NULL;
	int r;

	if (m->model) {
		free(cpus);
		return regio_model_new(m->model, index, ret);
	}
	if (!cpus)
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].online)
			cpus[n++] = s->cpus[i].cpu;
	r = way_open(&m->asked.roots, &(struct way){ .socket = s->id, .cpus = cpus, .n_cpus = n, .anchor = m->processor->anchor,
						.devices = device, .n_devices = 1 }, &hidden, ret, &err);
	free(hidden);
	free(cpus);
	return r;
}

static double read_now(const struct constants *k, unsigned socket, const struct cat_constant *c, unsigned unit)
{
	const struct cat_box *b = cat_box_by_name(k->machine->processor, c->box);
	const struct cat_reg *row = cat_reg_find(b, CAT_OTHER, c->id, 0);
	struct reg reg = cat_reg_address(b, row, unit, 0);
	const struct plan_device device = { reg.dev, reg.fn, b->units[unit].id[row->bank] };
	const struct topo_socket *s;
	uint64_t v, field = c->unknown;
	struct regio *io = NULL;
	unsigned index = 0;

	s = find_socket(k->machine, socket, &index);
	if (!s || open_device(k, s, index, &device, &io) < 0)
		return 0;
	if (regio_read_any(io, reg, &v) == 0)
		field = bits_get(v, c->hi, c->lo);
	regio_free(io);
	return field == c->unknown ? 0 : c->base + c->step * (double)field;
}

double constants_read(void *p, unsigned socket, const struct cat_constant *c, unsigned unit)
{
	struct constants *k = p;
	double value;

	if (k->machine->engine == CONF_PERF)
		return 0;
	for (unsigned i = 0; i < k->n_known; i++)
		if (k->known[i].c == c && k->known[i].socket == socket && k->known[i].unit == unit)
			return k->known[i].value;
	value = read_now(k, socket, c, unit);
	if (k->n_known < CONSTANTS_MAX) {
		k->known[k->n_known].c = c;
		k->known[k->n_known].socket = socket;
		k->known[k->n_known].unit = unit;
		k->known[k->n_known++].value = value;
	}
	return value;
}
