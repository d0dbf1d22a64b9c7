/* SPDX-License-Identifier: MIT
 * uncorectl verify: does a running uncored count what is moved here?
 * Owns:  the order of the loads, what is taken of uncored's samples, what is printed.
 * Never: how traffic is made or judged (verify/).
 */
#include "ctl/ctl.h"

#include "ctl/verify_rows.h"
#include "verify/load.h"
#include "verify/verdict.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = COUNT(verify_rows), CELLS = LOAD_SOCKETS * ROWS, JOBS = VERIFY_SAMPLES_MAX };
#define REST  0.04              /* seconds from the end of a load to uncored's sample */
#define ABOVE 1.1               /* a metric of latency may be so much above the chase's */

/* One sample of every socket, as uncored serves it. A cell is a row of a socket, and those of a
 * socket follow each other. */
struct reading {
	struct { unsigned n; double sum; } series[CELLS];
	double oldest;                  /* time of the sample that was taken first */
};

struct verify {
	const struct ctl *c;
	struct load *load;
	struct load_job jobs[JOBS];
	unsigned n_jobs, n_cells;
	double sample_length, interval;
	struct reading last;
	struct cell {
		struct verify_sample samples[JOBS];
		unsigned n;
		bool outside;           /* of the row's range */
	} cells[CELLS];
	double fastest[TRAFFIC_KINDS];  /* bytes a second */
	json_t *about;                  /* the last snapshot */
};

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	signalled = number;
}

static void take_series(struct verify *v, const char *name, json_t *s, struct reading *ret)
{
	const char *id = ctl_text(json_object_get(s, "labels"), "socket");
	double value = ctl_number(s);

	if (!name || !id)
		return;
	for (unsigned k = 0; k < v->n_cells; k++) {
		const struct verify_row *row = &verify_rows[k % ROWS];

		if (strtoul(id, NULL, 10) != v->load->sockets[k / ROWS].id ||
		    fnmatch(row->name, name, FNM_EXTMATCH) != 0)
			continue;
		ret->series[k].n++;
		ret->series[k].sum += value;
		v->cells[k].outside |= value < row->least || value > row->most;
		if (k % ROWS == ROW_TIME)
			ret->oldest = fmin(ret->oldest, value);
	}
}

static int read_snapshot(struct verify *v, struct reading *ret, struct err *err)
{
	json_t *family, *s;
	size_t i, j;

	json_decref(v->about);
	v->about = ctl_snapshot(&v->c->server, err);
	*ret = (struct reading){ .oldest = INFINITY };
	json_array_foreach(json_object_get(v->about, "metrics"), i, family)
		json_array_foreach(json_object_get(family, "series"), j, s)
			take_series(v, ctl_text(family, "name"), s, ret);
	return v->about ? 0 : -1;
}

/* What a row of the socket of cell k counted in a sample; of a gauge, over all that time. NAN: not
 * the same series count, and all of them, at its end as at its beginning. */
static double counted(const struct verify *v, const struct reading *now, unsigned k, unsigned row,
		      double seconds)
{
	const char *name = verify_rows[row].name;
	unsigned at = k - k % ROWS + row, n = now->series[at].n;
	double sum = now->series[at].sum;

	if (!n || n != v->last.series[at].n)
		return NAN;
	if (strstr(name, "_total"))
		return sum - v->last.series[at].sum;
	if (strstr(name, "_entries"))
		return sum * seconds;
	return sum / n * seconds;
}

/* What a row should have counted by another row, times a third one's value where it names one. */
static double expected(const struct verify *v, const struct reading *now, unsigned k,
		       double seconds)
{
	const struct verify_row *r = &verify_rows[k % ROWS];
	double than = counted(v, now, k, r->than, seconds);

	if (!r->times)
		return than;
	if (seconds > 1.5 * v->interval)        /* gauges are of one interval */
		return NAN;
	return than * counted(v, now, k, r->times, 1);
}

static void take_sample(struct verify *v, const struct load_job *job, const double *moved,
			const struct reading *now, unsigned k)
{
	const struct verify_row *r = &verify_rows[k % ROWS];
	unsigned of = k - k % ROWS, writes = now->series[of + ROW_WRITE].n;
	bool is_sum = writes && writes < now->series[of + ROW_SUM].n;   /* and reads are counted */
	double seconds = now->series[of + ROW_ACTIVE].sum -
		v->last.series[of + ROW_ACTIVE].sum;
	double same = r->read * moved[TRAFFIC_READ] + r->written * moved[TRAFFIC_WRITTEN];
	struct verify_sample x = { seconds, { 0 }, counted(v, now, k, k % ROWS, seconds) };

	if (r->than)
		x.moved[VERIFY_EXPECTED] = expected(v, now, k, seconds);
	else if (job->memory != k / ROWS)
		x.moved[VERIFY_OTHER_SOCKETS] = same;
	else if (same > 0)
		x.moved[VERIFY_EXPECTED] = same;
	else
		x.moved[VERIFY_OTHER_DIRECTION] = moved[TRAFFIC_READ] + moved[TRAFFIC_WRITTEN];
	if (seconds > 0 && !isnan(x.count + x.moved[VERIFY_EXPECTED]) &&
	    !(r->alone && moved[TRAFFIC_WRITTEN] > 0) && (r->than != ROW_SUM || is_sum))
		v->cells[k].samples[v->cells[k].n++] = x;
}

/* One job, until uncored has sampled all of it and before the next begins. */
static int run_job(struct verify *v, const struct load_job *job, struct err *err)
{
	_Atomic uint64_t *bytes = v->load->sockets[job->memory].moved;
	double moved[TRAFFIC_KINDS] = { -(double)bytes[0], -(double)bytes[1] };
	double began = load_seconds(), ended, stamp;
	struct reading now = { .oldest = 0 };
	int r = load_start(v->load, job, err);

	if (r == 0 && !signalled)       /* ends with a signal */
		usleep((useconds_t)(1e6 * fmax(0.01, v->sample_length - REST -
					       fmod(began, v->interval))));
	load_stop(v->load);
	ended = load_seconds();
	stamp = load_wall();
	while (r == 0 && !signalled && now.oldest < stamp) {
		usleep((useconds_t)(1e6 * REST / 4));
		r = read_snapshot(v, &now, err);
		if (r == 0 && load_seconds() > ended + 10 * v->interval + 10)
			r = err_set(err, -ETIME, "%s has stopped sampling; run uncorectl doctor",
				    v->c->server.url);
	}
	for (unsigned k = 0; k < TRAFFIC_KINDS; k++) {
		moved[k] += (double)bytes[k];
		v->fastest[k] = fmax(v->fastest[k], moved[k] / (ended - began));
	}
	for (unsigned k = 0; r == 0 && !signalled && k < v->n_cells; k++)
		take_sample(v, job, moved, &now, k);
	v->last = now;
	return r;
}

/* At a random place. */
static void add_job(struct verify *v, struct load_job job)
{
	unsigned at = (unsigned)random() % (v->n_jobs + 1);

	v->jobs[v->n_jobs++] = v->jobs[at];
	v->jobs[at] = job;
}

/* As many samples as there is time for, and five rates on each socket; each second round of two has
 * the threads on another socket than the memory. Where nothing is counted few are enough. */
static void plan_jobs(struct verify *v, bool compares)
{
	static const enum load_kind once[] = { LOAD_CHASE, LOAD_WRITE };
	static const double duties[] = { 1, 0.2, 0.6, 0.4, 0.8 };
	unsigned n = compares ? v->load->n_sockets : 1;
	double loads, time = v->c->quick ? 13 : 55;

	if (!compares)
		time = 0;
	add_job(v, (struct load_job){ LOAD_IDLE, 1, 0, 0 });
	for (unsigned i = 0; i < n * COUNT(once); i++)
		add_job(v, (struct load_job){ once[i / n], 1, i % n, i % n });
	v->interval = json_number_value(json_object_get(v->about, "interval_seconds"));
	v->sample_length = fmax(v->interval, v->c->quick ? 0.4 : 1);
	loads = fmax(COUNT(duties) * n, time / v->sample_length - v->n_jobs);
	for (unsigned i = 0; i < loads && v->n_jobs < JOBS; i++)
		add_job(v, (struct load_job){ i / n % 2 ? LOAD_READ : LOAD_STREAM,
					      duties[i / n % COUNT(duties)], i % n,
					      (i + i / n / 2) % n });
}

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

static int report(struct verify *v)
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

int ctl_verify(const struct ctl *c)
{
	static struct verify v;
	struct err err;
	bool compares = false;
	int r;

	v.c = c;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	srandom((unsigned)getpid());
	r = load_new(c->roots.sysfs, c->roots.procfs, &v.load, &err);
	v.n_cells = r == 0 ? v.load->n_sockets * ROWS : 0;
	if (r == 0)
		r = read_snapshot(&v, &v.last, &err);
	for (unsigned k = 0; k < v.n_cells; k++) {
		compares |= verify_rows[k % ROWS].of && v.last.series[k].n;
		if (k % ROWS == ROW_ROUNDS && v.last.series[k].sum > 1)
			r = err_set(&err, -EBUSY, "%s takes turns between groups; for verify, "
				    "configure memory traffic alone", c->server.url);
	}
	if (r == 0)
		plan_jobs(&v, compares);
	for (unsigned i = 0; r == 0 && !signalled && i < v.n_jobs; i++) {
		fprintf(stderr, "%u of %u windows of %.1f s%s", i + 1, v.n_jobs, v.sample_length,
			isatty(STDERR_FILENO) && i + 1 < v.n_jobs ? "\r" : "\n");
		r = run_job(&v, &v.jobs[i], &err);
	}
	if (!signalled)
		r = r < 0 ? ctl_fail(CTL_UNAVAILABLE, "%s", err.text) : report(&v);
	load_free(v.load);
	json_decref(v.about);
	if (signalled) {
		signal(signalled, SIG_DFL);
		raise(signalled);
	}
	return r;
}
