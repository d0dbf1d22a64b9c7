/* SPDX-License-Identifier: MIT
 * An examination as JSON. What could not be found out is null; a finding says why. */
#include "ctl/doctor.h"

#include <stdlib.h>
#include <unistd.h>

/* What a file or a configuration said need not be UTF-8. NULL: null. */
static json_t *text_json(const char *text)
{
	json_t *j = js_text(text);
	char plain[1024];
	size_t i = 0;

	if (j)
		return j;
	for (; i < sizeof(plain) - 1 && text[i]; i++)
		plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	plain[i] = '\0';
	return json_string(plain);
}

static json_t *number_json(const struct host_number *n)
{
	return n->r < 0 ? json_null() : json_integer(n->v);
}

static json_t *word_json(const struct host_text *w)
{
	return w->r < 0 ? json_null() : json_string(w->v);
}

static json_t *processor_json(const struct doctor *d)
{
	return JS_OBJECT(
		{ "name", js_text(machine_cpu(&d->m).name) },
		{ "register_family", json_boolean(d->m.processor != NULL) },
		{ "model_name", ctl_model_json(&d->m) },
		{ "vendor", js_text(d->m.topo->vendor) },
		{ "family", json_integer(d->m.topo->family) },
		{ "model", json_integer(d->m.topo->model) },
		{ "stepping", json_integer(d->m.topo->stepping) },
		{ "hypervisor", json_boolean(d->host->hypervisor) });
}

static json_t *sockets_json(const struct doctor *d)
{
	const struct topo_socket *s = d->m.topo->sockets;

	return JS_LIST(i, d->m.topo->n_sockets, JS_OBJECT(
		{ "socket", json_integer(s[i].id) }, { "cpus", json_integer(s[i].n_cpus) },
		{ "reader", topo_reader_cpu(&s[i]) < 0 ? json_null() :
			    json_integer(topo_reader_cpu(&s[i])) }));
}

static json_t *engine_json(const struct doctor *d)
{
	return JS_OBJECT(
		{ "engine", js_text(conf_engine_names[d->m.engine]) },
		{ "auto", js_text(conf_engine_names[d->m.by_itself]) },
		{ "why", text_json(d->m.why.text) });
}

static json_t *kernel_json(const struct doctor *d)
{
	const struct host *h = d->host;

	return JS_OBJECT(
		{ "msr_module", json_boolean(h->msr_module) },
		{ "lockdown", word_json(&h->lockdown) },
		{ "msr_allow_writes", word_json(&h->allow_writes) },
		{ "tainted", number_json(&h->tainted) },
		{ "perf_event_paranoid", number_json(&h->paranoid) },
		{ "nmi_watchdog", number_json(&h->nmi_watchdog) });
}

static json_t *privileges_json(const struct doctor *d)
{
	return JS_OBJECT(
		{ "uid", json_integer(geteuid()) },
		{ "cap_sys_admin", json_boolean(doctor_has_cap(d, DOCTOR_CAP_SYS_ADMIN)) },
		{ "cap_perfmon", json_boolean(doctor_has_cap(d, DOCTOR_CAP_PERFMON)) },
		{ "cap_sys_rawio", json_boolean(doctor_has_cap(d, DOCTOR_CAP_SYS_RAWIO)) },
		{ "perf_allowed", json_boolean(d->perf.r == 0) });
}

static json_t *pmus_json(const struct doctor *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; d->m.pmus && i < d->m.pmus->n; i++) {
		const struct topo_pmu *first = &d->m.pmus->v[i];
		struct doctor_pmus p;

		if (!doctor_pmus_at(d, i, &p))
			continue;
		json_array_append_new(list, JS_OBJECT(
			{ "box", js_text(p.box) }, { "first", js_text(first->name) },
			{ "instances", json_integer(p.n) }, { "uncore", json_boolean(p.uncore) },
			{ "events", json_integer(first->n_events) },
			{ "cpumask", !first->cpumask ? json_null() :
				JS_LIST(k, p.n_cpus, json_integer(p.cpus[k])) },
			{ "odd_files", json_integer(p.n_bad_terms) }));
		free(p.cpus);
	}
	return list;
}

static json_t *users_json(const struct doctor *d)
{
	const struct host *h = d->host;
	const struct host_user *u = h->users;

	return JS_OBJECT(
		{ "uncored", number_json(&h->lock) },
		{ "likwid_lock", h->likwid_r == 0 ? json_integer(h->likwid_uid) : json_null() },
		{ "processes", JS_LIST(i, h->n_users, JS_OBJECT(
			{ "pid", json_integer(u[i].pid) }, { "name", js_text(u[i].name) },
			{ "perf_events", json_integer(u[i].perf_fds) },
			{ "tool", js_text(u[i].tool) })) },
		{ "unseen", json_integer(h->unseen) },
		{ "complete", json_boolean(!h->unseen && !h->hidden && !h->cut) });
}

static json_t *configuration_json(const struct doctor *d)
{
	return JS_OBJECT(
		{ "file", text_json(d->config) }, { "present", json_boolean(!d->config_absent) },
		{ "mistakes", JS_LIST(i, (unsigned)d->mistakes.n, text_json(d->mistakes.v[i])) },
		{ "series", json_integer(d->plan ? d->plan->n_series : 0) });
}

static json_t *findings_json(const struct doctor *d)
{
	static const char *const levels[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_PROBLEM] = "problem",
		[DOCTOR_UNSEEN] = "unseen",
	};
	const struct doctor_finding *f = d->v;

	return JS_LIST(i, d->n, JS_OBJECT(
		{ "level", js_text(levels[f[i].level]) }, { "topic", js_text(f[i].topic) },
		{ "text", text_json(f[i].text) }, { "todo", text_json(f[i].todo) }));
}

json_t *doctor_json(const struct doctor *d)
{
	const char *why_not = d->verdict.text[0] ? d->verdict.text : NULL;
	json_t *j = JS_OBJECT({ "counts", json_boolean(!why_not) },
			      { "why_not", text_json(why_not) },
			      { "without_counters", json_boolean(doctor_without_counters(d)) });

	if (d->m.topo) {
		JS_ADD(j,
			{ "processor", processor_json(d) }, { "sockets", sockets_json(d) },
			{ "engine", engine_json(d) },
			{ "device", text_json(d->m.device_error < 0 ? d->m.device.text : NULL) },
			{ "pci", doctor_pci_json(d) });
	}
	return JS_ADD(j,
		{ "configuration", configuration_json(d) }, { "kernel", kernel_json(d) },
		{ "privileges", privileges_json(d) }, { "pmus", pmus_json(d) },
		{ "users", users_json(d) }, { "findings", findings_json(d) });
}
