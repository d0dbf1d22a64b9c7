/* engine.c - see engine.h. */
#include "config.h"

#include "daemon/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODEL_SOCKETS = 2 };

static bool device_usable(const struct options *o, const struct topo *t)
{
	int cpu = t->n_sockets ? topo_reader(&t->sockets[0]) : -1, fd;
	char path[512];

	if (cpu < 0)
		return false;
	snprintf(path, sizeof(path), "%s/cpu/%d/msr", o->dev, cpu);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The kernel's own uncore driver has bound: it may program the same registers at any time. */
static const char *kernel_driver(const struct topo_pmus *pmus)
{
	for (unsigned i = 0; pmus && i < pmus->n; i++)
		if (strncmp(pmus->v[i].name, "uncore", 6) == 0)
			return pmus->v[i].name;
	return NULL;
}

static void choose_auto(const struct options *o, struct machine *m)
{
	const char *pmu = kernel_driver(m->pmus);

	if (m->processor && !pmu && device_usable(o, m->topo)) {
		m->engine = CONF_REGISTERS;
		snprintf(m->why, sizeof(m->why), "%s: registers through %s/cpu/N/msr", m->processor->name, o->dev);
		return;
	}
	m->engine = CONF_PERF;
	if (!m->processor)
		snprintf(m->why, sizeof(m->why), "family %u model %u is no register family of uncored: perf",
			 m->topo->family, m->topo->model);
	else if (pmu)
		snprintf(m->why, sizeof(m->why), "the kernel's driver owns the counters (%s): perf", pmu);
	else
		snprintf(m->why, sizeof(m->why), "%s/cpu/N/msr cannot be opened: perf", o->dev);
}

/* Real registers of a processor are written only if CPUID agrees. */
static int judge_processor(const struct options *o, struct machine *m, struct err *err)
{
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

static int open_model(const struct options *o, const struct conf_engine_choice *engine, struct machine *m,
		      struct err *err)
{
	const char *name = engine->processor[0] ? engine->processor : o->processor ? o->processor : "nehalem-ex";
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
	snprintf(m->why, sizeof(m->why), "SIMULATED hardware: register model of %s, workload %s; no number is real",
		 m->processor->name, m->workload);
	return model_new(&mo, &m->model, err);
}

int machine_open(const struct options *o, const struct conf_engine_choice *engine, struct machine *ret, struct err *err)
{
	struct machine m = { .engine = engine->kind };
	struct err odd = { "" };
	int r;

	if (m.engine == CONF_MODEL) {
		r = open_model(o, engine, &m, err);
		if (!r)
			topo_pmus_read(o->sysfs, &m.pmus, &odd);    /* real perf events may be counted beside it */
		goto out;
	}
	r = topo_read(o->sysfs, o->procfs, NULL, &m.topo, err);
	if (r < 0)
		goto out;
	r = topo_pmus_read(o->sysfs, &m.pmus, &odd);
	if (r < 0)
		m.pmus = NULL;
	r = judge_processor(o, &m, err);
	if (r < 0)
		goto out;
	if (m.engine == CONF_AUTO) {
		choose_auto(o, &m);
		r = m.engine == CONF_REGISTERS ? judge_processor(o, &m, err) : 0;
	} else if (m.engine == CONF_REGISTERS && !m.processor) {
		r = err_set(err, -ENODEV, "family %u model %u is no register family of uncored, so no register is "
			    "written; use --engine perf", m.topo->family, m.topo->model);
	} else {
		snprintf(m.why, sizeof(m.why), "engine %s as configured", machine_engine_name(&m));
	}
out:
	if (r < 0)
		machine_close(&m);
	else
		*ret = m;
	return r;
}

void machine_close(struct machine *m)
{
	topo_free(m->topo);
	topo_pmus_free(m->pmus);
	model_free(m->model);
	memset(m, 0, sizeof(*m));
}

const char *machine_engine_name(const struct machine *m)
{
	return m->engine == CONF_MODEL ? "model" : m->engine == CONF_REGISTERS ? "registers" : "perf";
}

int engines_open(const struct machine *m, const struct options *o, const struct conf *conf, const struct plan_socket *s,
		 struct counting *old_regs, struct engines *ret, struct err *err)
{
	struct counting_regs_options co = { .takeover = conf->takeover, .freeze = conf->freeze };
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
			r = regio_msr_new(o->dev, s->cpus, s->n_cpus, &io, err);
		}
		if (r < 0)
			return err_prefix(err, r, "socket %u: ", s->id);
		r = counting_regs_new(&s->program, io, &co, old_regs, &e.regs, err);
		if (r < 0)
			return r;
	}
	if (s->has_perf)
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
	memset(e, 0, sizeof(*e));
}
