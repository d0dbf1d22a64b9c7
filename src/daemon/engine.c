/* engine.c - see engine.h. */
#include "config.h"

#include "daemon/engine.h"

#include "daemon/way.h"
#include "plan/choose.h"
#include "plan/ready.h"
#include "process/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL_SOCKETS = 2 };

static void choose_auto(struct machine *m)
{
	struct err device = { "" }, why = { "" };
	struct plan_seen seen = { .processor = m->processor, .topo = m->topo, .pmus = m->pmus, .dev = m->asked.roots.dev };

	if (host_device(&m->asked.roots, m->topo, &device) < 0)
		seen.device = device.text;
	m->engine = plan_choose_engine(&seen, &why) == PLAN_REGISTERS ? CONF_REGISTERS : CONF_PERF;
	snprintf(m->why, sizeof(m->why), "%.*s", (int)sizeof(m->why) - 1, why.text);
}

/* Real registers of a processor are written only if CPUID agrees. */
static int judge_processor(struct machine *m, struct err *err)
{
	const struct machine_options *o = &m->asked;
	const struct cat_processor *found = cat_processor_by_id(m->topo->family, m->topo->model);

	m->processor = found;
	if (!o->processor)
		return 0;
	m->processor = cat_processor_by_name(o->processor);
	if (m->engine == CONF_REGISTERS && !o->dev_given && found != m->processor)
		return err_set(err, -ENODEV,
			       "--processor %s: this machine's CPUID says family %u model %u%s%s; its registers are not "
			       "written under another name (use --engine model:%s to try things out)", o->processor,
			       m->topo->family, m->topo->model, found ? ", " : "", found ? found->name : "",
			       o->processor);
	return 0;
}

static int open_model(const struct conf_engine_choice *engine, struct machine *m, struct err *err)
{
	const char *name = engine->processor[0] ? engine->processor : m->asked.processor ? m->asked.processor :
			   cat_processors[0]->name;
	const struct cat_id *id;
	struct model_options mo = { .processor = name, .n_sockets = MODEL_SOCKETS, .real_time = true, .seed = 1 };

	m->processor = cat_processor_by_name(name);
	if (!m->processor)
		return err_set(err, -EINVAL, "no processor '%s' (see: uncorectl list processors)", name);
	if (engine->workload[0])
		mo.workload = engine->workload;
	snprintf(m->workload, sizeof(m->workload), "%s", engine->workload[0] ? engine->workload : "stream");
	mo.cores = m->processor->cores;
	id = &m->processor->ids[0];
	m->topo = topo_model(id->family, id->model, MODEL_SOCKETS, m->processor->cores);
	if (!m->topo)
		return err_set(err, -ENOMEM, "out of memory");
	snprintf(m->why, sizeof(m->why), "SIMULATED hardware: register model of %s, workload %s; no number is real.",
		 m->processor->name, m->workload);
	return model_new(&mo, &m->model, err);
}

/* What was there stays if none can be read now. One odd file of sysfs costs no more than what it describes. */
static void read_pmus(struct machine *m)
{
	struct topo_pmus *pmus = NULL;

	m->odd.text[0] = '\0';
	topo_pmus_read(m->asked.roots.sysfs, &pmus, &m->odd);
	if (!pmus)
		return;
	topo_pmus_free(m->pmus);
	m->pmus = pmus;
}

/* Does it name events of the kernel's PMUs, or metrics, which may be made of such? */
static bool names_perf(const struct conf *c)
{
	bool found = c->n_metrics > 0;

	for (unsigned g = 0; g < c->n_groups; g++)
		for (unsigned i = 0; i < c->groups[g].n_specs; i++)
			found |= c->groups[g].specs[i].perf;
	return found;
}

int machine_open(const struct machine_options *asked, const struct conf *conf, const struct conf_engine_choice *engine,
		 struct machine *ret, struct err *err)
{
	const struct host_roots *roots = &asked->roots;
	struct machine m = { .asked = *asked, .engine = engine->kind, .automatic = engine->kind == CONF_AUTO };
	struct err odd = { "" };
	int r;

	if (m.engine == CONF_MODEL) {
		r = open_model(engine, &m, err);
		if (!r)
			read_pmus(&m);
		if (!r && (!conf || names_perf(conf)))  /* real perf events may be counted beside it */
			topo_read(roots->sysfs, roots->procfs, NULL, &m.real, &odd);
		goto out;
	}
	r = topo_read(roots->sysfs, roots->procfs, NULL, &m.topo, err);
	if (r < 0)
		goto out;
	read_pmus(&m);
	m.driver = plan_kernel_driver(m.pmus);
	r = judge_processor(&m, err);
	if (r < 0)
		goto out;
	if (m.engine == CONF_AUTO) {
		choose_auto(&m);
		r = m.engine == CONF_REGISTERS ? judge_processor(&m, err) : 0;
	} else if (m.engine == CONF_REGISTERS && !m.processor) {
		r = err_set(err, -ENODEV, "uncored knows no registers of this processor (family %u model %u) and "
			    "writes none; use --engine perf", m.topo->family, m.topo->model);
	} else {
		snprintf(m.why, sizeof(m.why), "engine %s as configured", machine_engine_name(&m));
	}
out:
	if (r < 0) {
		struct err odd_pmus = m.odd;

		machine_close(&m);
		m.odd = odd_pmus;
	}
	*ret = m;
	return r;
}

int machine_refresh(struct machine *m, struct err *err)
{
	struct topo **at = m->model ? &m->real : &m->topo, *topo;
	int r = topo_read(m->asked.roots.sysfs, m->asked.roots.procfs, *at, &topo, err);

	m->odd.text[0] = '\0';
	if (r < 0)
		return m->model ? 0 : r;
	topo_free(*at);
	*at = topo;
	read_pmus(m);
	return 0;
}

const char *machine_awaits(const struct machine *m, const struct conf *conf)
{
	int r = 0;

	if (m->model || m->topo->hypervisor)    /* a guest has neither module's hardware */
		return NULL;
	if (m->processor && (m->automatic || m->engine == CONF_REGISTERS))
		r = host_device(&m->asked.roots, m->topo, NULL);
	if (r == -ENOENT || r == -ENXIO || r == -ENODEV)
		return "the module msr is not loaded, or not yet";
	if (m->engine == CONF_PERF && (!conf || names_perf(conf)) && plan_ready_awaits(m->topo, m->pmus))
		return "the kernel's uncore driver is not loaded, or not yet";
	return NULL;
}

bool machine_look(struct machine *m)
{
	bool was = m->driver_came;

	m->driver_came |= m->engine == CONF_REGISTERS && !m->driver && topo_pmu_any(m->asked.roots.sysfs, PLAN_DRIVER_PMUS);
	return m->driver_came && !was;
}

void machine_close(struct machine *m)
{
	topo_free(m->topo);
	topo_free(m->real);
	topo_pmus_free(m->pmus);
	model_free(m->model);
	memset(m, 0, sizeof(*m));
}

const char *machine_engine_name(const struct machine *m)
{
	return m->engine == CONF_MODEL ? "model" : m->engine == CONF_REGISTERS ? "registers" : "perf";
}

void engine_tell_odd(const struct machine *m)
{
	if (m->odd.text[0])
		log_msg(LOG_WARNING, "not all PMUs and events of the kernel can be used: %s", m->odd.text);
}

int engine_machine(const struct options *o, const struct conf *conf, const struct conf_engine_choice *engine, struct machine *ret,
		   struct err *err)
{
	const struct machine_options asked = { .roots = { .sysfs = o->sysfs, .procfs = o->procfs, .dev = o->dev },
					       .processor = o->processor, .dev_given = o->dev_given };
	int r = machine_open(&asked, conf, engine, ret, err);

	engine_tell_odd(ret);
	return r;
}

/* A plan that counts nothing in PCI space needs no access to it. */
static bool uses_pci(const struct plan_program *p)
{
	for (unsigned r = 0; r < p->n_rounds; r++)
		for (unsigned i = 0; i < p->rounds[r].n_writes; i++)
			if (p->rounds[r].writes[i].reg.space == SPACE_PCI)
				return true;
	return false;
}

/* --log-level debug: every register access as a line on stderr, named. */
static int trace(struct regio **io, const struct plan_socket *s)
{
	FILE *out = log_shows(LOG_DEBUG) ? log_trace() : NULL;
	int r = 0;

	if (out) {
		r = regio_trace_new(*io, out, s->id, io);
		if (!r)
			regio_trace_names(*io, &s->program);
	}
	return r;
}

int engines_open(const struct machine *m, const struct conf *conf, const struct plan_socket *s,
		 struct counting *old_regs, struct engines *ret, struct err *err)
{
	struct counting_regs_options co = { .takeover = conf->takeover, .freeze = conf->freeze, .driver_came = &m->driver_came };
	struct engines e = { 0 };
	struct regio *io = NULL;
	int r = 0;

	if (s->has_reg) {
		if (m->model) {
			unsigned index = 0;

			while (index < m->topo->n_sockets && m->topo->sockets[index].id != s->id)
				index++;
			r = regio_model_new(m->model, index, &io);
		} else {
			const struct way w = {
				.socket = s->id, .cpus = s->cpus, .n_cpus = s->n_cpus, .anchor = s->program.anchor,
				.devices = s->program.devices, .n_devices = uses_pci(&s->program) ? s->program.n_devices : 0,
			};

			r = way_open(&m->asked.roots, &w, &e.hidden, &io, err);
		}
		if (r < 0)
			return err_prefix(err, r, "socket %u: ", s->id);
		r = trace(&io, s);
		if (r < 0)
			err_set(err, r, "out of memory");
		else
			r = counting_regs_new(&s->program, io, &co, old_regs, &e.regs, err);
	}
	if (r == 0 && s->has_perf)
		r = counting_perf_new(&s->perf, &e.perf, err);
	if (r < 0) {
		engines_close(&e);
		return r;
	}
	*ret = e;
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
