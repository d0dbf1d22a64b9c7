/* SPDX-License-Identifier: MIT
 * Owns:  what verify says of its run, to people and programs, and its exit code.
 * Never: how it was made (cmd_verify.c), how samples are judged (verify/).
 */
#include "ctl/verify_run.h"

#include "base/state_dir.h"
#include "expo/verified.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABOVE 1.1               /* a metric of latency may be so much above the chase's */
#define PERF_ALIKE 0.05         /* of what both count over the same seconds, at most */
#define CAPTURED_MAX ((size_t)100 << 10)        /* of the machine's text, in a file below 200 kB */

static const char *metric_name(const struct verify_row *r)
{
	return r->label ? r->label : r->name + strlen("uncore_");
}

/* Says what a cell is, and adds it to the list. Returns the exit code. */
static int report_one(const struct verify *v, unsigned k, json_t *list)
{
	const struct verify_row *r = &verify_rows[k % ROWS];
	const struct cell *cell = &v->cells[k];
	const char *name = metric_name(r);
	unsigned id = v->load->sockets[k / ROWS].id;
	bool measured = verify_row_measured(r);
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

/* The exit code of two things that were compared, where the one before has `code`. */
static int worse(int code, int one)
{
	if (code == CTL_WRONG || (code == CTL_TEMPORARY && !one))
		return code;
	return one;
}

/* What perf and uncored counted of a cell over the same seconds, added to the list. Nobody moves
 * anything for a second around them, but others may. */
static int report_witness_one(const struct verify *v, unsigned k, json_t *list)
{
	const struct verify_row *r = &verify_rows[k % ROWS];
	const struct cell *cell = &v->cells[k];
	double counted = cell->witness.counted, perf = cell->witness.perf;
	unsigned id = v->load->sockets[k / ROWS].id;
	struct verify_verdict d;
	bool agrees;

	if (!verify_row_measured(r) || cell->n < VERIFY_SAMPLES_MIN || isnan(perf))
		return 0;
	verify_judge(cell->samples, cell->n, &d);
	agrees = fabs(perf - counted) <= PERF_ALIKE * fmax(cell->witness.moved, counted) +
		 2 * v->sample_length * fmax(0, d.background);
	if (!v->c->json)
		printf("%s on socket %u: perf stat counts %.3f and uncored %.3f of %s in the same "
		       "seconds: %s\n", metric_name(r), id, perf / cell->witness.moved,
		       counted / cell->witness.moved, r->of,
		       agrees ? "they agree" : "perf disagrees");
	json_array_append_new(list, JS_OBJECT(
		{ "metric", js_text(metric_name(r)) }, { "socket", json_integer(id) },
		{ "moved_bytes", json_real(cell->witness.moved) },
		{ "counted_bytes", json_real(counted) }, { "perf_bytes", json_real(perf) },
		{ "agrees", json_boolean(agrees) }));
	return agrees ? 0 : CTL_WRONG;
}

/* What the second witness says, as the member `perf`. Returns its exit code; 0 where there is
 * none. */
static int report_witness(const struct verify *v, json_t **ret)
{
	json_t *list = json_array();
	int code = 0;

	for (unsigned k = 0; v->witness_seconds > 0 && k < v->n_cells; k++)
		code = worse(code, report_witness_one(v, k, list));
	if (!json_array_size(list)) {
		const char *why = v->no_witness.text[0] ? v->no_witness.text :
				  "uncored had no counter for what perf counted beside it";

		if (!v->c->json)
			printf("no second witness: perf stat: %s\n", why);
		*ret = JS_OBJECT({ "why_not", js_text(why) }, { "compared", list });
		return 0;
	}
	*ret = JS_OBJECT({ "why_not", v->no_witness.text[0] ? js_text(v->no_witness.text) : NULL },
			 { "seconds", json_real(v->witness_seconds) }, { "compared", list });
	return code;
}

/* All that the run says; takes `compared` and `perf`. */
static json_t *document(const struct verify *v, json_t *compared, json_t *perf)
{
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = v->c->roots };
	AUTO_DONE(strb_done) struct strb machine = { .max = CAPTURED_MAX };
	struct host_versions versions;
	bool captured = ctl_capture_text(v->c, &machine) == 0;
	const char *revision = ctl_text(v->about, "revision") ?: "";

	host_versions_read(&v->c->roots, &versions);
	return JS_OBJECT(
		{ "format", js_text(VERIFIED_FORMAT) },
		{ "timestamp_seconds", json_integer((json_int_t)load_wall()) },
		{ "processor", machine_read(&m, NULL) < 0 ? js_text("") : ctl_model_json(&m) },
		{ "microcode", js_text(versions.microcode) },
		{ "kernel", js_text(versions.kernel) },
		{ "bios_version", js_text(versions.bios_version) },
		{ "bios_date", js_text(versions.bios_date) },
		{ "version", json_incref(json_object_get(v->about, "version")) },
		{ "revision", revision[0] ? js_text(revision) : NULL },
		{ "simulated", json_incref(json_object_get(v->about, "simulated")) },
		{ "read_bytes_per_second", json_real(v->fastest[TRAFFIC_READ]) },
		{ "written_bytes_per_second", json_real(v->fastest[TRAFFIC_WRITTEN]) },
		{ "latency_seconds", json_real(v->load->latency) },
		{ "compared", compared }, { "perf", perf },
		{ "machine", captured ? js_text(machine.s) : NULL });
}

/* May the file of this run take the place of the one that is there? Else why says why not. What is
 * simulated stays where somebody asked for it: no uncored that measures looks there. */
static bool is_worth_keeping(const struct verify *v, int code, struct err *why)
{
	const char *dir = v->c->roots.state;
	AUTO_FREE(free) char *text = NULL;
	struct verified before;
	size_t n;

	if (code != 0 && code != CTL_WRONG) {
		err_set(why, 0, "others moved memory meanwhile");
		return false;
	}
	if (!json_is_true(json_object_get(v->about, "simulated")))
		return true;
	if (strcmp(dir, STATE_DIR) == 0) {
		err_set(why, 0, "it is simulated");
		return false;
	}
	if (state_dir_read(dir, VERIFIED_FILE, &text, &n, NULL) == 0 && text &&
	    verified_parse(text, n, time(NULL), &before, NULL) == 0 && !before.simulated) {
		err_set(why, 0, "it is simulated, and %s/" VERIFIED_FILE " is measured", dir);
		return false;
	}
	return true;
}

/* Leaves the run in the state directory, from where uncored serves it. */
static void keep(const struct verify *v, const json_t *j, int code)
{
	const char *dir = v->c->roots.state;
	AUTO_FREE(free) char *text = NULL;
	struct err err = { "" };
	size_t n = 0;

	if (!is_worth_keeping(v, code, &err)) {
		ctl_fail(0, "not kept: %s", err.text);
		return;
	}
	text = js_body(json_deep_copy(j), 2, &n);
	if (!text || state_dir_write(dir, VERIFIED_FILE, text, n, &err) < 0)
		ctl_fail(0, "not kept: %s", text ? err.text : "out of memory");
	else
		ctl_fail(0, "kept in %s/" VERIFIED_FILE "; uncored serves it from its next start "
			 "or reload on", dir);
}

int verify_report(const struct verify *v)
{
	json_t *list = json_array(), *perf = NULL, *j;
	size_t sockets = json_array_size(json_object_get(v->about, "sockets"));
	int code = CTL_UNAVAILABLE;

	for (unsigned k = 0; k < v->n_cells; k++)
		if (verify_rows[k % ROWS].of && v->cells[k].n >= VERIFY_SAMPLES_MIN)
			code = worse(code, report_one(v, k, list));
	if (code != CTL_UNAVAILABLE)
		code = worse(code, report_witness(v, &perf));
	j = document(v, list, perf);
	if (code != CTL_UNAVAILABLE)
		keep(v, j, code);
	if (v->c->json)
		ctl_json(json_incref(j));
	else
		printf("%sthe load itself: %.1f GB/s read, %.1f GB/s written, %.0f ns latency\n",
		       json_is_true(json_object_get(v->about, "simulated")) ?
		       "SIMULATED: this uncored counts on a model\n" : "",
		       v->fastest[TRAFFIC_READ] / 1e9, v->fastest[TRAFFIC_WRITTEN] / 1e9,
		       v->load->latency * 1e9);
	json_decref(j);
	if (sockets > v->load->n_sockets)
		ctl_fail(0, "uncored counts %zu sockets but this machine has %u; the others were "
			 "not compared", sockets, v->load->n_sockets);
	return code != CTL_UNAVAILABLE ? code :
		ctl_fail(code, "nothing was compared: this uncored counts no memory traffic here; "
			 "see uncorectl doctor");
}
