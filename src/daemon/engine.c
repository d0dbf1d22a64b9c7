/* SPDX-License-Identifier: MIT */
#include "daemon/engine.h"

#include "base/cleanup.h"
#include "machine/perf_try.h"
#include "machine/regio_open.h"
#include "process/log.h"
#include "process/privileges.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool engine_names_perf(const struct conf *c)
{
	bool found = !c || c->n_metrics > 0;

	for (unsigned g = 0; c && g < c->n_groups; g++)
		for (unsigned i = 0; i < c->groups[g].n_specs; i++)
			found |= c->groups[g].specs[i].perf;
	return found;
}

const struct conf_engine_choice *engine_chosen(const struct options *o, const struct conf *conf)
{
	return o->engine_given ? &o->engine : &conf->engine;
}

void engine_log_unusable(const struct machine *m)
{
	if (m->pmus_err.text[0])
		log_msg(LOG_WARNING, "some of the kernel's PMUs or events cannot be used: %s",
			m->pmus_err.text);
}

int engine_machine(const struct options *o, const struct conf *conf,
		   const struct conf_engine_choice *engine, bool plan_only,
		   struct machine *ret, struct err *err)
{
	const struct machine_options asked = { .roots = { .sysfs = o->sysfs, .procfs = o->procfs,
							  .dev = o->dev, .run = o->run,
							  .state = o->state,
							  .of_text = o->machine },
					       .processor = o->processor, .machine = o->machine,
					       .dev_given = o->dev_given,
					       .perf = engine_names_perf(conf),
					       .plan_only = plan_only, .sockets = plan_only };

	return machine_open(&asked, engine, ret, err);
}

int engine_open(const struct options *o, const struct conf *conf, bool plan_only,
		struct machine *ret, struct err *err)
{
	const struct conf_engine_choice *engine = engine_chosen(o, conf);
	int r = engine_machine(o, conf, engine, plan_only, ret, err);

	if (r == -EINVAL && !o->engine_given && engine->kind == CONF_MODEL)
		err_prefix(err, r, "%s:%u: engine: ", conf->engine_where.file,
			   conf->engine_where.line);
	return r;
}

unsigned engine_caps(const struct machine *m)
{
	bool registers = m->engine == CONF_REGISTERS;
	struct perf_try alone, all;
	bool refused = perf_try_as_unit(m, NULL, &alone) < 0 && perf_try(m, NULL, &all) == 0;

	return (registers ? CAPS_REGISTERS : 0) |
	       (refused || (registers && m->processor->anchor.device) ? CAPS_ADMIN : 0);
}

/* A plan that counts nothing in PCI space needs no access to it. */
static bool uses_pci(const struct plan_program *p)
{
	for (unsigned i = 0; i < p->n_regs; i++)
		if (p->regs[i].kind != REG_OTHERS && p->regs[i].reg.space == SPACE_PCI)
			return true;
	return false;
}

/* --log-level debug: every register access as a line on stderr, named. */
static int trace(struct regio **io, const struct plan_socket *s)
{
	FILE *out = log_shows(LOG_DEBUG) ? log_trace() : NULL;

	return out ? regio_trace_new(*io, out, s->id, s->program, io) : 0;
}

/* The registers of the socket: of the model, or of this machine. */
static int open_registers(const struct machine *m, const struct plan_socket *s, char **ret_hidden,
			  struct regio **ret, struct err *err)
{
	const struct register_path path = {
		.socket = s->id, .cpus = s->cpus, .n_cpus = s->n_cpus,
		.anchor = s->program->anchor, .devices = s->program->devices,
		.n_devices = uses_pci(s->program) ? s->program->n_devices : 0,
	};
	unsigned index = 0;

	if (!m->model)
		return regio_open(&m->asked.roots, &path, ret_hidden, ret, err);
	while (index < m->topo->n_sockets && m->topo->sockets[index].id != s->id)
		index++;
	return regio_model_new(m->model, index, ret);
}

static int open_regs(const struct machine *m, const struct conf *conf, const struct plan_socket *s,
		     struct counting *old, bool leave, struct engines *e, struct err *err)
{
	struct counting_regs_options co = { .takeover = conf->takeover, .leave = leave,
					    .late_driver = &m->late_driver };
	struct regio *io = NULL;
	int r = open_registers(m, s, &e->hidden, &io, err);

	if (r < 0)
		return err_prefix(err, r, "socket %u: ", s->id);
	r = trace(&io, s);
	if (r < 0)
		return err_set(err, r, "out of memory");
	return counting_regs_new(s->program, io, &co, old, &e->regs, err);
}

int engines_open(const struct machine *m, const struct conf *conf, const struct plan_socket *s,
		 struct counting *old_regs, bool leave, struct engines *ret, struct err *err)
{
	AUTO_DONE(engines_close) struct engines e = { 0 };
	int r;

	if (s->has_reg) {
		r = open_regs(m, conf, s, old_regs, leave, &e, err);
		if (r < 0)
			return r;
	}
	if (s->has_perf) {
		r = counting_perf_new(m->kernel, s->perf, &e.perf, err);
		if (r < 0)
			return r;
	}
	*ret = e;
	e = (struct engines){ 0 };              /* they are in *ret */
	return 0;
}

void engines_close(struct engines *e)
{
	if (e->regs)
		e->regs->ops->free(e->regs);
	if (e->perf)
		e->perf->ops->free(e->perf);
	free(e->hidden);
	memset(e, 0, sizeof(*e));
}
