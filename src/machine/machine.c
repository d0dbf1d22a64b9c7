/* SPDX-License-Identifier: MIT
 * From roots and options to what this machine is and which engine counts on it.
 * Owns:  the order in which processor, topology, PMUs and engine are found out; what stands in the
 *        way; the plan for this machine.
 * Never: which events are configured; how an engine counts.
 * Main thread; logs nothing.
 */
#include "machine/machine.h"

#include "base/cleanup.h"
#include "machine/choose.h"
#include "machine/cpu_of.h"
#include "machine/name_given.h"
#include "machine/simulated.h"
#include "model/model.h"
#include "planner/defaults.h"
#include "spec/kernel.h"
#include "topo/machine_find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL_SOCKETS = 2 };

static const struct cat_processor *processor_of(const struct topo *t)
{
	return cat_processor_by_id(t->vendor, t->family, t->model);
}

int machine_processor(const struct host_roots *roots, const struct cat_processor **ret,
		      struct err *err)
{
	struct err why = { "" };        /* files that may be absent leave a sentence in it, too */
	struct topo *t;
	int r = topo_read(roots->sysfs, roots->procfs, NULL, &t, &why);

	if (r < 0) {
		*err = why;
		return r;
	}
	*ret = processor_of(t);
	topo_free(t);
	return 0;
}

void machine_choose(struct machine *m, enum conf_engine wanted)
{
	struct choose_input seen = { .processor = m->processor, .topo = m->topo, .pmus = m->pmus,
				    .dev = m->asked.roots.dev };

	m->device_error = host_device(&m->asked.roots, m->topo, &m->device);
	if (m->device_error < 0)
		seen.device = m->device.text;
	m->by_itself = choose_engine(&seen, &m->why) == PLAN_REGISTERS ? CONF_REGISTERS : CONF_PERF;
	m->automatic = wanted == CONF_AUTO;
	m->engine = m->automatic ? m->by_itself : wanted;
}

/* Where the devices are this machine's, CPUID has to agree with --processor. */
static int check_processor(struct machine *m, struct err *err)
{
	const struct machine_options *o = &m->asked;
	const struct cat_processor *found = processor_of(m->topo);
	char cpuid[TOPO_CPUID];

	if (!o->processor)
		return 0;
	m->processor = cat_processor_by_name(o->processor);
	if (!o->dev_given && found != m->processor)
		return err_set(err, -ENODEV, "--processor %s: this machine's CPUID says %s%s%s; "
			       "uncored neither counts nor writes registers under another "
			       "processor's name; leave the option out (to try things out: "
			       "--engine model:%s)", o->processor,
			       topo_cpuid(m->topo, cpuid), found ? ", " : "",
			       found ? found->name : "", o->processor);
	return 0;
}

struct topo *machine_model_topo(const struct cat_processor *p, unsigned sockets)
{
	return p ? topo_model(p->ids[0].family, p->ids[0].model, sockets, p->cores) :
	       topo_model(0, 0, sockets, 1);
}

static int make_model_topo(struct machine *m, unsigned sockets, struct err *err)
{
	m->topo = machine_model_topo(m->processor, sockets);
	m->elsewhere = m->asked.plan_only;
	return m->topo ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* Takes the processor that the engine names, else that of --processor, else the first. */
static int select_processor(const struct conf_engine_choice *engine, struct machine *m,
			  struct err *err)
{
	const char *name = cat_processors[0]->name;

	if (engine->processor[0])
		name = engine->processor;
	else if (m->asked.processor)
		name = m->asked.processor;
	m->processor = cat_processor_by_name(name);
	return m->processor ? 0 : name_given_nothing(name, err);
}

static int open_model(const struct conf_engine_choice *engine, struct machine *m, struct err *err)
{
	struct model_options mo = { .n_sockets = MODEL_SOCKETS, .real_time = true, .seed = 1 };
	int r = select_processor(engine, m, err);

	if (r < 0)
		return r;
	snprintf(m->workload, sizeof(m->workload), "%s",
		 engine->workload[0] ? engine->workload : "stream");
	mo.workload = m->workload;
	mo.processor = m->processor->name;
	mo.cores = m->processor->cores;
	r = make_model_topo(m, MODEL_SOCKETS, err);
	if (r < 0)
		return r;
	err_set(&m->why, 0, "SIMULATED hardware: register model of %s, workload %s; no number is "
		"real.", m->processor->name, m->workload);
	return model_new(&mo, &m->model, err);
}

/* Keeps the PMUs of before if none can be read now. 0; -EMFILE, -ENFILE: with more descriptors
 * they can, and what they lack would be taken for what the machine lacks. */
static int read_pmus(struct machine *m, struct err *err)
{
	struct topo_pmus *pmus = NULL;
	struct err ignored = { "" };
	int r;

	m->pmus_err.text[0] = '\0';
	r = topo_pmus_read(m->asked.roots.sysfs, &pmus, &m->pmus_err);
	if (r == -EMFILE || r == -ENFILE)
		return err_set(err, r, "%s", m->pmus_err.text);
	if (!pmus)
		return 0;
	topo_pmus_free(m->pmus);
	m->pmus = pmus;
	topo_devices_free(m->devices);
	m->devices = NULL;
	topo_devices_read(m->asked.roots.sysfs, pmus, &m->devices, &ignored);
	return 0;
}

/* Opens a machine that may be another than this; if it has this machine's processor, it has its
 * topology. */
static int open_elsewhere(const struct conf_engine_choice *engine, struct machine *m,
			  struct err *err)
{
	const struct machine_options *o = &m->asked;
	struct err ignored = { "" };
	int r = o->processor && machine_is_installed(engine->processor) ? 0 :
		select_processor(engine, m, err);

	if (r < 0)
		return r;
	if (o->processor)
		m->processor = cat_processor_by_name(o->processor);
	m->engine = engine->kind == CONF_PERF ? CONF_PERF : CONF_REGISTERS;
	topo_read(o->roots.sysfs, o->roots.procfs, NULL, &m->real, &ignored);
	r = read_pmus(m, err);
	if (r < 0)
		return r;
	if (!o->sockets && m->real && processor_of(m->real) == m->processor) {
		m->topo = m->real;
		m->real = NULL;
		return 0;
	}
	return make_model_topo(m, o->sockets ? o->sockets : 1, err);
}

int machine_read(struct machine *m, struct err *err)
{
	int r = read_pmus(m, err);

	if (r < 0)
		return r;
	m->driver = choose_kernel_driver(m->pmus);
	r = topo_read(m->asked.roots.sysfs, m->asked.roots.procfs, NULL, &m->topo, err);
	if (r < 0)
		return r;
	m->processor = processor_of(m->topo);
	return 0;
}

/* A machine that is a text, on which a modelled kernel counts. */
static int open_text(const char *what, const struct conf_engine_choice *engine, struct machine *m,
		     struct err *err)
{
	const char *workload = engine->workload[0] ? engine->workload : "day";
	int r = simulated_open(what, workload, m->asked.roots.run, &m->simulated, err);

	if (r == -ENOENT && engine->processor[0])       /* it may name a processor, too */
		return name_given_nothing(what, err);
	if (r < 0)
		return r;
	snprintf(m->name, sizeof(m->name), "%s", engine->processor);
	snprintf(m->workload, sizeof(m->workload), "%s", workload);
	m->kernel = simulated_kernel(m->simulated);
	m->asked.roots.sysfs = simulated_root(m->simulated);
	m->asked.roots.procfs = m->asked.roots.sysfs;
	m->asked.roots.dev = m->asked.roots.sysfs;
	r = machine_read(m, err);
	m->driver = false;
	err_set(&m->why, 0, "SIMULATED hardware: a model of the server %s, workload %s; no "
		"number is real.", simulated_name(m->simulated), m->workload);
	return r;
}

/* The machine that engine model is of, if it is no processor of the register model; NULL: it is. */
static const char *text_named(const struct machine_options *asked,
			      const struct conf_engine_choice *engine)
{
	const char *name = engine->processor[0] ? engine->processor : asked->machine;

	if (engine->kind != CONF_MODEL || !name || cat_processor_by_name(engine->processor))
		return NULL;
	if (asked->plan_only && asked->processor)       /* another one than the engine's */
		return NULL;
	return name;
}

/* The register model, and beside it, where perf events are asked for, the real machine. */
static int open_simulated(const struct conf_engine_choice *engine, struct machine *m,
			  struct err *err)
{
	const struct host_roots *roots = &m->asked.roots;
	struct err odd = { "" };
	int r = open_model(engine, m, err);

	if (r < 0)
		return r;
	r = read_pmus(m, err);
	if (r < 0)
		return r;
	if (m->asked.perf)
		topo_read(roots->sysfs, roots->procfs, NULL, &m->real, &odd);
	return 0;
}

static int open_real(struct machine *m, struct err *err)
{
	char cpuid[TOPO_CPUID];
	int r = machine_read(m, err);

	if (r < 0)
		return r;
	r = check_processor(m, err);
	if (r < 0)
		return r;
	if (m->engine == CONF_REGISTERS && !m->processor)
		return err_set(err, -ENODEV, "uncored does not know this processor's registers "
			       "(%s), so it writes none; use --engine perf",
			       topo_cpuid(m->topo, cpuid));
	if (m->engine != CONF_AUTO) {
		err_set(&m->why, 0, "engine %s, as configured", machine_engine_name(m));
	} else {
		machine_choose(m, CONF_AUTO);
	}
	if (!m->asked.sockets)
		return 0;
	m->real = m->topo;
	return make_model_topo(m, m->asked.sockets, err);
}

int machine_open(const struct machine_options *asked, const struct conf_engine_choice *engine,
		 struct machine *ret, struct err *err)
{
	struct machine m = { .asked = *asked, .engine = engine->kind,
			     .automatic = engine->kind == CONF_AUTO };
	const char *text = text_named(asked, engine);
	struct err odd;
	int r;

	if (text)
		r = open_text(text, engine, &m, err);
	else if (asked->plan_only && (asked->processor || m.engine == CONF_MODEL))
		r = open_elsewhere(engine, &m, err);
	else if (m.engine == CONF_MODEL)
		r = open_simulated(engine, &m, err);
	else
		r = open_real(&m, err);
	if (r < 0) {
		odd = m.pmus_err;
		machine_close(&m);
		m.pmus_err = odd;
	}
	*ret = m;
	return r;
}

int machine_refresh(struct machine *m, struct err *err)
{
	struct topo **at = m->model ? &m->real : &m->topo, *topo;
	char cpuid[TOPO_CPUID];
	int r = topo_read(m->asked.roots.sysfs, m->asked.roots.procfs, *at, &topo, err);

	m->pmus_err.text[0] = '\0';
	if (r < 0)
		return m->model ? 0 : r;
	if (!m->model && processor_of(topo) != processor_of(*at)) {
		r = err_set(err, -ENODEV, "the processor has changed (now %s); restart uncored: "
			    "systemctl restart uncored", topo_cpuid(topo, cpuid));
		topo_free(topo);
		return r;
	}
	topo_free(*at);
	*at = topo;
	read_pmus(m, NULL);
	return 0;
}

/* The sockets of --sockets are made up, and have the name of the machine's own. */
static const struct topo *named(const struct machine *m)
{
	if (m->asked.sockets && m->real && m->processor == processor_of(m->real))
		return m->real;
	return m->topo;
}

struct machine_cpu machine_cpu(const struct machine *m)
{
	const struct topo *t = named(m);
	const struct cat_cpu *cpu = cpu_of(t, m->pmus);
	struct machine_cpu ret = { "other", "", "" };

	if (m->processor == processor_of(t))
		ret.model = t->model_name;
	if (m->processor) {
		ret.name = m->processor->name;
		ret.title = m->processor->title;
	}
	if (cpu && (!m->processor || strcmp(cpu->name, ret.name) == 0)) {
		ret.name = cpu->name;           /* --processor may name another */
		ret.title = cpu->title;
	}
	return ret;
}

const char *machine_model_text(const struct machine *m, char ret[MACHINE_MODEL])
{
	const struct machine_cpu cpu = machine_cpu(m);
	const struct topo *t = named(m);

	if (t->implementer)
		snprintf(ret, MACHINE_MODEL, "%s, implementer 0x%02x part 0x%03x",
			 cpu.title[0] ? cpu.title : "Arm core", t->implementer, t->part);
	else
		snprintf(ret, MACHINE_MODEL, "%s", cpu.model);
	return ret;
}

const char *machine_text(const struct machine *m, char ret[MACHINE_TEXT])
{
	const struct machine_cpu cpu = machine_cpu(m);
	const char *said = "processor without a name";
	unsigned n = m->topo->n_sockets;
	char known[64] = "";

	if (cpu.title[0]) {
		snprintf(known, sizeof(known), " (%s)", cpu.name);
		said = cpu.title;
	}
	if (cpu.model[0])
		said = cpu.model;
	snprintf(ret, MACHINE_TEXT, "%s%s, %u socket%s", said, known, n, n == 1 ? "" : "s");
	return ret;
}

static int not_loaded(struct err *err, const char *module)
{
	return err_set(err, -EAGAIN, "%s is not loaded (yet); try again, or load it", module);
}

int machine_obstacle(const struct machine *m, bool perf, struct err *err)
{
	bool guest = !m->model && m->topo->hypervisor;          /* without hardware for modules */
	struct err device = { "" };
	int r = 0;

	if (!m->model && m->processor && (m->automatic || m->engine == CONF_REGISTERS))
		r = host_device(&m->asked.roots, m->topo, &device);
	if (r == -ENOENT || r == -ENXIO || r == -ENODEV)
		return guest ? 0 : not_loaded(err, "the msr module");
	if (r && m->automatic && !m->driver)
		return err_set(err, r, "cannot access the registers of %s: %s; uncorectl doctor "
			       "says what to do", m->processor->name, device.text);
	if (m->model || guest || m->engine != CONF_PERF || !perf)
		return 0;
	if (perf_too_old(m->topo, m->pmus, &device))
		return err_set(err, -ENODEV, "%s", device.text);
	if (plan_predefined_missing_pmu(m->topo, m->pmus))
		return not_loaded(err, "the kernel's uncore driver");
	return 0;
}

bool machine_check_driver(struct machine *m)
{
	bool was = m->late_driver;

	m->late_driver |= m->engine == CONF_REGISTERS && !m->driver &&
			  topo_pmu_count(m->asked.roots.sysfs, CHOOSE_DRIVER_PMUS) > 0;
	return m->late_driver && !was;
}

unsigned machine_fingerprint(const struct machine *m)
{
	struct err why = { "" };

	return 2 * topo_pmu_count(m->asked.roots.sysfs, "") +
	       (host_device(&m->asked.roots, m->topo, &why) == 0);
}

void machine_close(struct machine *m)
{
	topo_free(m->topo);
	topo_free(m->real);
	topo_pmus_free(m->pmus);
	topo_devices_free(m->devices);
	model_free(m->model);
	simulated_close(m->simulated);
	memset(m, 0, sizeof(*m));
}

const char *machine_engine_name(const struct machine *m)
{
	if (m->engine == CONF_MODEL)
		return "model";
	return m->engine == CONF_REGISTERS ? "registers" : "perf";
}
