/* doctor_json.c - an examination as JSON. What could not be told is null; a finding says why. */
#include "config.h"

#include "ctl/doctor.h"

#include <unistd.h>

/* What a file or a configuration said need not be UTF-8. */
static json_t *text_json(const char *text)
{
	json_t *j = json_string(text);
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

static json_t *word_json(const struct host_word *w)
{
	return w->r < 0 ? json_null() : json_string(w->v);
}

static json_t *processor_json(const struct doctor *d)
{
	return JS_OBJECT(
		{ "name", js_text(d->m.processor ? d->m.processor->name : "other") },
		{ "register_family", json_boolean(d->m.processor != NULL) },
		{ "model_name", js_text(d->host->model_name) },
		{ "vendor", js_text(d->m.topo->vendor) },
		{ "family", json_integer(d->m.topo->family) },
		{ "model", json_integer(d->m.topo->model) },
		{ "stepping", json_integer(d->m.topo->stepping) },
		{ "hypervisor", json_boolean(d->host->hypervisor) });
}

static json_t *sockets_json(const struct doctor *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < d->m.topo->n_sockets; i++) {
		const struct topo_socket *s = &d->m.topo->sockets[i];
		int cpu = topo_reader(s);

		json_array_append_new(list,
				      json_pack("{s:i, s:i, s:o}", "socket", s->id, "cpus",
						s->n_cpus, "reader",
						      cpu < 0 ? json_null() : json_integer(cpu)));
	}
	return list;
}

static json_t *engine_json(const struct doctor *d)
{
	static const char *const names[] = {
		[CONF_REGISTERS] = "registers", [CONF_PERF] = "perf", [CONF_MODEL] = "model",
	};

	return json_pack("{s:s, s:s, s:o}", "engine", names[d->engine], "auto",
			 d->m.engine == CONF_REGISTERS ? "registers" : "perf",
			 "why", text_json(d->m.why.text));
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
		{ "perf_allowed", json_boolean(d->perf_allowed) });
}

static json_t *pmus_json(const struct doctor *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; d->m.pmus && i < d->m.pmus->n; i++) {
		struct doctor_pmus p;
		json_t *cpus;

		if (!doctor_pmus_at(d, i, &p))
			continue;
		cpus = json_array();
		for (unsigned k = 0; k < p.first->n_cpumask; k++)
			json_array_append_new(cpus, json_integer(p.first->cpumask[k]));
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:i, s:b, s:i, s:o, s:i}", "box", p.box,
						"first", p.first->name,
						      "instances", p.n, "uncore", p.uncore,
						      "events", p.first->n_events,
						      "cpumask", p.first->cpumask ? cpus :
						      json_null(), "odd_files", p.n_bad_terms));
		if (!p.first->cpumask)
			json_decref(cpus);
	}
	return list;
}

static json_t *users_json(const struct doctor *d)
{
	const struct host *h = d->host;
	json_t *list = json_array();

	for (unsigned i = 0; i < h->n_users; i++)
		json_array_append_new(list,
				      json_pack("{s:i, s:s, s:i, s:s?}", "pid", h->users[i].pid,
						"name", h->users[i].name,
						      "perf_events", h->users[i].perf_fds, "tool",
						      h->users[i].tool));
	return JS_OBJECT(
		{ "uncored", number_json(&h->lock) },
		{ "likwid_lock", h->likwid_r == 0 ? json_integer(h->likwid_uid) : json_null() },
		{ "processes", list }, { "unseen", json_integer(h->unseen) },
		{ "complete", json_boolean(!h->unseen && !h->hidden && !h->cut) });
}

static json_t *configuration_json(const struct doctor *d)
{
	json_t *mistakes = json_array();

	for (size_t i = 0; i < d->mistakes.n; i++)
		json_array_append_new(mistakes, text_json(d->mistakes.v[i]));
	return JS_OBJECT(
		{ "file", text_json(d->config) }, { "present", json_boolean(!d->config_absent) },
		{ "mistakes", mistakes },
		{ "series", json_integer(d->plan ? d->plan->n_series : 0) });
}

static json_t *findings_json(const struct doctor *d)
{
	static const char *const levels[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_PROBLEM] = "problem",
		[DOCTOR_UNSEEN] = "unseen",
	};
	json_t *list = json_array();

	for (unsigned i = 0; i < d->n; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:o}", "level",
						levels[d->v[i].level], "topic", d->v[i].topic,
						      "text", text_json(d->v[i].text), "todo",
						      d->v[i].todo ? text_json(d->v[i].todo) :
						      json_null()));
	return list;
}

json_t *doctor_json(const struct doctor *d)
{
	json_t *j = json_object();

	js_put(j, "counts", json_boolean(!d->verdict.text[0]));
	js_put(j, "why_not", d->verdict.text[0] ? text_json(d->verdict.text) : json_null());
	if (d->m.topo) {
		JS_ADD(j,
			{ "processor", processor_json(d) }, { "sockets", sockets_json(d) },
			{ "engine", engine_json(d) },
			{ "device", d->m.device_r < 0 ? text_json(d->m.device.text) : json_null() },
			{ "pci", doctor_pci_json(d) });
	}
	return JS_ADD(j,
		{ "configuration", configuration_json(d) }, { "kernel", kernel_json(d) },
		{ "privileges", privileges_json(d) }, { "pmus", pmus_json(d) },
		{ "users", users_json(d) }, { "findings", findings_json(d) });
}
