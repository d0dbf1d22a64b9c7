/* SPDX-License-Identifier: MIT
 * uncorectl doctor: what uncored would do on this machine, why, and what is in the way.
 * Owns:  looking, the verdict, the text for people.
 * Never: what a single finding says (doctor_find.c).
 */
#include "ctl/doctor.h"

#include "machine/there.h"
#include "spec/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TOPIC_AT = 7, TEXT_AT = 22, TEXT_WIDTH = 88 };

static void read_config(const struct ctl *c, struct doctor *d)
{
	d->config = c->config ?: UNCORED_DEFAULT_CONFIG;
	d->config_absent = !c->config && access(d->config, F_OK) < 0 && errno == ENOENT;
	d->conf_r = ctl_conf_read(c, &d->conf, &d->mistakes);
}

/* Is there nothing to count without a configuration? */
static bool nothing_ready_made(const struct machine *m)
{
	AUTO_FREE(conf_free) struct conf *conf = conf_default();
	AUTO_FREE(plan_free) struct plan *plan = NULL;
	AUTO_DONE(diags_done) struct diags mistakes = { 0 };
	struct err why;

	return conf && machine_plan(m, conf, time(NULL), &plan, &mistakes) >= 0 &&
	       there_is_nothing(m, plan, true, &why);
}

static void make_plan(struct doctor *d)
{
	if (d->m.engine == CONF_MODEL || (d->m.engine == CONF_REGISTERS && !d->m.processor))
		return;
	if (d->conf && machine_plan(&d->m, d->conf, time(NULL), &d->plan, &d->mistakes) < 0)
		d->plan = NULL;
	for (unsigned i = 0; d->plan && i < d->plan->n_sockets; i++)
		d->n_slots += d->plan->sockets[i].n_series;
	if (d->plan)
		d->nothing = there_is_nothing(&d->m, d->plan, true, &d->nothing_why);
	else                            /* its mistakes do not hide what the machine is */
		d->nothing = nothing_ready_made(&d->m);
}

/* A model as uncored would open it, with the series that it would have. */
static void try_model(const struct ctl *c, struct doctor *d)
{
	const struct machine_options asked = { .roots = d->roots, .machine = c->machine };
	AUTO_DONE(machine_close) struct machine m = { 0 };
	AUTO_FREE(plan_free) struct plan *plan = NULL;

	if (!d->conf || d->conf->engine.kind != CONF_MODEL)
		return;
	d->model_r = machine_open(&asked, &d->conf->engine, &m, &d->model);
	if (d->model_r < 0)
		return;
	d->model = m.why;
	if (machine_plan(&m, d->conf, 0, &plan, &d->mistakes) >= 0)
		d->model_series = plan->n_series;
}

/* Opens and closes events as uncored would. Those of another machine's files are not this kernel's:
 * a refusal says as much of them, any other failure nothing. */
static void try_perf(struct doctor *d)
{
	struct perf_try alone;

	perf_try(&d->m, d->plan, &d->perf);
	d->perf_elsewhere = strcmp(d->roots.sysfs, "/sys") != 0 && d->perf.r < 0 &&
			    d->perf.r != -EACCES && d->perf.r != -EPERM;
	if (d->perf_elsewhere)
		perf_try(&d->m, NULL, &d->perf);
	if (d->perf.r == 0 &&
	    (perf_try_as_unit(&d->m, NULL, &alone) == -EACCES || alone.r == -EPERM))
		d->perf_unit = alone;
}

/* Why nothing would be counted, or nothing. */
static void decide_verdict(struct doctor *d)
{
	struct err *e = &d->verdict;

	if (!d->m.topo)
		*e = d->unread;
	else if (d->conf_r < 0 && d->mistakes.n > 0)
		err_set(e, 0, "%s", d->mistakes.v[0]);
	else if (!d->conf || d->mistakes.n > 0)
		err_set(e, 0, "%s has mistakes", d->config);
	else if (d->model_r < 0)
		err_set(e, 0, "the model that %s selects cannot be opened: %s", d->config,
			d->model.text);
	else if (d->m.engine == CONF_MODEL)
		err_set(e, 0, "%s selects a model, which measures nothing", d->config);
	else if (d->m.engine == CONF_REGISTERS && !d->m.processor)
		err_set(e, 0, "%s sets engine = \"registers\", but uncored does not know this "
			"processor's registers", d->config);
	else if (d->n_slots == 0 && d->m.processor && d->m.device_error < 0 && d->m.automatic)
		err_set(e, 0, "uncored cannot access the registers of %s (%s), and the kernel has "
			"no uncore PMU to use instead", d->m.processor->name, d->m.device.text);
	else if (d->n_slots == 0 && perf_too_old(d->m.topo, d->m.pmus, e))
		return;
	else if (d->n_slots == 0)
		err_set(e, 0, "no group is configured, and the kernel has no uncore PMU for the "
			"ready-made ones");
	else if (d->nothing)
		*e = d->nothing_why;
	else if (doctor_plan_has(d, PLAN_REGISTERS) && d->m.device_error < 0)
		*e = d->m.device;
	else if (d->pci.r < 0)
		*e = d->pci.err;
	else if (doctor_plan_has(d, PLAN_PERF) && d->perf.r < 0 && !d->roots.of_text)
		*e = d->perf.why;
}

/* Words from column TEXT_AT on, the first line already begun there. */
static void print_wrapped(const char *text)
{
	size_t used = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (used > 0 && used + 1 + n > TEXT_WIDTH) {
			printf("\n%*s", TEXT_AT, "");
			used = 0;
		}
		printf("%s%.*s", used ? " " : "", (int)n, text);
		used += n + (used > 0);
		text += n + strspn(text + n, " ");
	}
	putchar('\n');
}

static void print_findings(const struct doctor *d, enum doctor_level level, const char *mark)
{
	bool any = false;

	for (unsigned i = 0; i < d->n; i++) {
		const struct doctor_finding *f = &d->v[i];

		if (f->level != level)
			continue;
		any = true;
		printf("%-*s%-*s", TOPIC_AT, mark, TEXT_AT - TOPIC_AT, f->topic);
		print_wrapped(f->text);
		if (f->todo) {
			printf("%*s-> ", TEXT_AT - 3, "");
			print_wrapped(f->todo);
		}
	}
	if (any && level == DOCTOR_PROBLEM)
		putchar('\n');
}

/* Series of locations are no group's: what `list groups` says of each is the others. */
static void print_good(const struct doctor *d)
{
	unsigned where = 0;

	for (unsigned i = 0; i < d->plan->n_sockets; i++)
		where += d->plan->sockets[i].n_locations;
	printf("uncored would count here: %s engine, %u series", conf_engine_names[d->m.engine],
	       d->plan->n_series);
	if (where)
		printf(", %u of which say where units and devices are", where);
	puts("\n");
}

/* What is in the way comes first. */
static void print_text(const struct doctor *d)
{
	if (d->verdict.text[0])
		printf("uncored would count nothing here: %s\n\n", d->verdict.text);
	else
		print_good(d);
	print_findings(d, DOCTOR_PROBLEM, "STOP");
	print_findings(d, DOCTOR_UNSEEN, "unseen");
	print_findings(d, DOCTOR_NOTE, "note");
	print_findings(d, DOCTOR_OK, "ok");
}

static void done(struct doctor *d)
{
	for (unsigned i = 0; i < d->n; i++) {
		free(d->v[i].text);
		free(d->v[i].todo);
	}
	free(d->v);
	json_decref(d->pci.sockets);
	plan_free(d->plan);
	diags_done(&d->mistakes);
	conf_free(d->conf);
	host_free(d->host);
	machine_close(&d->m);
}

int ctl_doctor(const struct ctl *c)
{
	struct doctor d = { .roots = c->roots };
	struct err err = { "" };
	int r;

	if (c->processor_given)
		return ctl_fail(CTL_USAGE, "doctor examines this machine; leave out --processor");
	if (host_read(&d.roots, &d.host, &err) < 0)
		return ctl_fail(CTL_TEMPORARY, "%s", err.text);
	read_config(c, &d);
	d.m.asked.roots = d.roots;
	if (machine_read(&d.m, &d.unread) == 0) {
		machine_choose(&d.m, d.conf ? d.conf->engine.kind : CONF_AUTO);
		make_plan(&d);
		doctor_probe_pci(&d);
	}
	try_model(c, &d);
	try_perf(&d);
	decide_verdict(&d);
	doctor_find(&d);
	r = 0;
	if (c->json)
		r = ctl_json(doctor_json(&d));
	else
		print_text(&d);
	if (r == 0 && d.verdict.text[0])
		r = ctl_code(d.conf_r, CTL_UNAVAILABLE);
	done(&d);
	return r;
}
