/* SPDX-License-Identifier: MIT
 * Owns:  what verify says of its run, to people and programs, and its exit code.
 * Never: how it was made (cmd_verify.c), how samples are judged (verify/).
 */
#include "ctl/verify_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ABOVE 1.1               /* a metric of latency may be so much above the chase's */

/* Says what a cell is, and adds it to the list. Returns the exit code. */
static int report_one(const struct verify *v, unsigned k, json_t *list)
{
	const struct verify_row *r = &verify_rows[k % ROWS];
	const struct cell *cell = &v->cells[k];
	const char *name = r->label ? r->label : r->name + strlen("uncore_");
	unsigned id = v->load->sockets[k / ROWS].id;
	bool measured = !r->than && !r->chase && r->most <= 0;      /* beside what the load moved */
	struct verify_verdict d;
	char text[VERIFY_TEXT];
	json_t *causes = json_array();

	verify_judge(cell->samples, cell->n, &d);
	if (r->most > 0) {
		d = (struct verify_verdict){ .n_causes = 1 };
		d.slope = d.low = d.high = !cell->outside;
		d.causes[0] = cell->outside ? VERIFY_RANGE : VERIFY_RIGHT;
	} else if (r->chase) {          /* from the latency at rest to that at full load */
		d.high = (d.background + d.slope * v->fastest[TRAFFIC_READ]) / v->load->latency;
		d.slope = d.low = d.background / v->load->latency;
		d.causes[0] = VERIFY_RIGHT;
		if (d.low > ABOVE)
			d.causes[0] = VERIFY_ABOVE_CHASE;
		else if (d.high * ABOVE < d.low)
			d.causes[0] = VERIFY_FALLS;
		d.n_causes = 1;
		d.background = 0;
	}
	if (!v->c->json && r->most > 0)
		printf("%s on socket %u, %s: ", name, id, r->of);
	else if (!v->c->json)
		printf("%s on socket %u: %.3f [%.3f..%.3f] of %s: ", name, id, d.slope, d.low,
		       d.high, r->of);
	for (unsigned i = 0; i < d.n_causes; i++) {
		json_array_append_new(causes, js_text(verify_cause_names[d.causes[i]]));
		if (!v->c->json)
			printf("%s%s", verify_cause_say(&d, d.causes[i], text, sizeof(text)),
			       i + 1 < d.n_causes ? "; or " : "\n");
	}
	json_array_append_new(list, JS_OBJECT(
		{ "metric", js_text(name) }, { "socket", json_integer(id) },
		{ "of", js_text(r->of) }, { "slope", json_real(d.slope) },
		{ "low", json_real(d.low) }, { "high", json_real(d.high) },
		{ "background_bytes_per_second", json_real(d.background) },
		{ "moved_bytes", measured ? json_real(d.moved) : NULL },
		{ "counted_bytes", measured ? json_real(d.counted) : NULL },
		{ "error", measured ? json_real(d.slope - 1) : NULL },
		{ "error_low", measured ? json_real(d.low - 1) : NULL },
		{ "error_high", measured ? json_real(d.high - 1) : NULL },
		{ "causes", causes }));
	if (d.causes[0] == VERIFY_RIGHT)
		return 0;
	if (d.causes[0] == VERIFY_BACKGROUND || d.causes[0] == VERIFY_NOISY)
		return CTL_TEMPORARY;
	return CTL_WRONG;
}

int verify_report(const struct verify *v)
{
	json_t *list = json_array(), *about = v->about;
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = v->c->roots };
	size_t sockets = json_array_size(json_object_get(about, "sockets"));
	struct host_versions versions;
	int code = CTL_UNAVAILABLE;

	host_versions_read(&v->c->roots, &versions);
	for (unsigned k = 0; k < v->n_cells; k++)
		if (verify_rows[k % ROWS].of && v->cells[k].n >= VERIFY_SAMPLES_MIN) {
			int one = report_one(v, k, list);

			code = code == CTL_WRONG || (code == CTL_TEMPORARY && !one) ? code : one;
		}
	if (v->c->json)
		ctl_json(JS_OBJECT(
			{ "format", js_text("uncored-verify-1") },
			{ "processor", machine_read(&m, NULL) < 0 ? js_text("") :
							       ctl_model_json(&m) },
			{ "microcode", js_text(versions.microcode) },
			{ "kernel", js_text(versions.kernel) },
			{ "bios_version", js_text(versions.bios_version) },
			{ "bios_date", js_text(versions.bios_date) },
			{ "version", json_incref(json_object_get(about, "version")) },
			{ "revision", json_incref(json_object_get(about, "revision")) },
			{ "simulated", json_incref(json_object_get(about, "simulated")) },
			{ "read_bytes_per_second", json_real(v->fastest[TRAFFIC_READ]) },
			{ "written_bytes_per_second", json_real(v->fastest[TRAFFIC_WRITTEN]) },
			{ "latency_seconds", json_real(v->load->latency) },
			{ "compared", json_incref(list) }));
	else
		printf("%sthe load itself: %.1f GB/s read, %.1f GB/s written, %.0f ns latency\n",
		       json_is_true(json_object_get(about, "simulated")) ?
		       "SIMULATED: this uncored counts on a model\n" : "",
		       v->fastest[TRAFFIC_READ] / 1e9, v->fastest[TRAFFIC_WRITTEN] / 1e9,
		       v->load->latency * 1e9);
	json_decref(list);
	if (sockets > v->load->n_sockets)
		ctl_fail(0, "uncored counts %zu sockets but this machine has %u; the others were "
			 "not compared", sockets, v->load->n_sockets);
	return code != CTL_UNAVAILABLE ? code :
		ctl_fail(code, "nothing was compared: this uncored counts no memory traffic here; "
			 "see uncorectl doctor");
}
