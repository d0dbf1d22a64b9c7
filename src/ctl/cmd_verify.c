/* SPDX-License-Identifier: MIT
 * uncorectl verify: does a running uncored count what is moved here?
 * Owns:  the order of the loads, what is taken of uncored's samples.
 * Never: how traffic is made or judged (verify/), what is said of it (verify_report.c).
 */
#include "ctl/verify_run.h"
#include "ctl/verify_witness.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REST  0.04              /* seconds from the end of a load to uncored's sample */

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
	return v->about ? ctl_check_paused(&v->c->server, v->about, err) : -EHOSTDOWN;
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

/* Until uncored has sampled all that was moved until `stamp`. -EINTR: a signal has come. */
static int see_until(struct verify *v, double stamp, struct reading *ret, struct err *err)
{
	double patience = load_seconds() + 10 * v->interval + 10;

	while (ret->oldest < stamp) {
		int r;

		if (signalled)
			return -EINTR;
		usleep((useconds_t)(1e6 * REST / 4));
		r = read_snapshot(v, ret, err);
		if (r < 0)
			return r;
		if (load_seconds() > patience)
			return err_set(err, -ETIME, "%s has stopped sampling; run uncorectl doctor",
				       v->c->server.url);
	}
	return 0;
}

/* One job, until uncored has sampled all of it and before the next begins. */
static int run_job(struct verify *v, const struct load_job *job, struct err *err)
{
	_Atomic uint64_t *bytes = v->load->sockets[job->memory].moved;
	double moved[TRAFFIC_KINDS] = { -(double)bytes[0], -(double)bytes[1] };
	double began = load_seconds(), ended;
	struct reading now = { .oldest = 0 };
	int r = load_start(v->load, job, err);

	if (r < 0)
		return r;
	if (!signalled)                 /* ends with a signal */
		usleep((useconds_t)(1e6 * fmax(0.01, v->sample_length - REST -
					       fmod(began, v->interval))));
	load_stop(v->load);
	ended = load_seconds();
	r = see_until(v, load_wall(), &now, err);
	if (r < 0)
		return r;
	for (unsigned k = 0; k < TRAFFIC_KINDS; k++) {
		moved[k] += (double)bytes[k];
		v->fastest[k] = fmax(v->fastest[k], moved[k] / (ended - began));
	}
	for (unsigned k = 0; !v->beside && k < v->n_cells; k++)
		take_sample(v, job, moved, &now, k);
	v->last = now;
	return 0;
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

/* What all sockets counted and moved before perf began; lost: uncored left the cell out since. */
struct before {
	struct reading reading;
	uint64_t moved[LOAD_SOCKETS][TRAFFIC_KINDS];
	bool lost[LOAD_SOCKETS];
};

static double moved_since(const struct verify *v, const struct before *b, unsigned socket,
			  unsigned kind)
{
	return (double)(v->load->sockets[socket].moved[kind] - b->moved[socket][kind]);
}

/* Sets what was moved, counted and counted by perf since `before`, of a row on each socket. What
 * uncored left out meanwhile, because perf took its counters, counted something else. */
static void take_witness(struct verify *v, const struct witness *w, unsigned row,
			 const struct before *b)
{
	const struct verify_row *r = &verify_rows[row];

	for (unsigned i = 0; i < v->load->n_sockets; i++) {
		unsigned k = i * ROWS + row;
		struct cell *cell = &v->cells[k];

		if (!b->reading.series[k].n || b->lost[i])
			continue;
		cell->witness.perf = witness_total(w, r->name, v->load->sockets[i].id);
		cell->witness.counted = v->last.series[k].sum - b->reading.series[k].sum;
		cell->witness.moved = (r->read ? moved_since(v, b, i, TRAFFIC_READ) : 0) +
			(r->written ? moved_since(v, b, i, TRAFFIC_WRITTEN) : 0);
	}
}

/* Loads of the row's kind on each socket, twice, beside perf. A failure of perf is no_witness. */
static int run_witness(struct verify *v, struct witness *w, unsigned row, struct err *err)
{
	const enum load_kind kind = verify_rows[row].written ? LOAD_STREAM : LOAD_READ;
	const enum load_kind other = verify_rows[row].read ? LOAD_READ : LOAD_STREAM;
	unsigned n = v->load->n_sockets;
	static struct before b;
	double began = load_seconds();
	int r;

	if (witness_start(w, &v->no_witness) < 0)
		return 0;
	b = (struct before){ .lost = { false } };
	r = read_snapshot(v, &b.reading, err);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < TRAFFIC_KINDS; k++)
			b.moved[i][k] = v->load->sockets[i].moved[k];
	for (unsigned i = 0; r >= 0 && i < 2 * n; i++) {
		r = run_job(v, &(struct load_job){ i < n ? kind : other, 1, i % n, i % n }, err);
		for (unsigned k = 0; k < n; k++)
			b.lost[k] |= v->last.series[k * ROWS + row].n !=
				     b.reading.series[k * ROWS + row].n;
	}
	if (witness_stop(w, &v->no_witness) < 0 || r < 0)
		return r;
	v->witness_seconds += load_seconds() - began;
	take_witness(v, w, row, &b);
	return 0;
}

/* Names of the metrics of a row, as uncored serves them; of the snapshot. Returns how many. */
static unsigned metrics_of(const struct verify *v, const struct verify_row *r, const char **ret,
			   unsigned most)
{
	json_t *family;
	unsigned n = 0;
	size_t i;

	json_array_foreach(json_object_get(v->about, "metrics"), i, family) {
		const char *name = ctl_text(family, "name") ?: "";

		if (n < most && fnmatch(r->name, name, FNM_EXTMATCH) == 0)
			ret[n++] = name + strlen("uncore_");
	}
	return n;
}

/* perf stat over the same seconds as uncored, where it is there: a row at a time, because there are
 * only so many counters, of which uncored has some. */
static int ask_witness(struct verify *v, struct err *err)
{
	enum { MOST = 8 };

	for (unsigned k = 0; k < v->n_cells; k++)
		v->cells[k].witness.perf = NAN;
	if (json_is_true(json_object_get(v->about, "simulated"))) {
		err_set(&v->no_witness, 0, "what is simulated it cannot count");
		return 0;
	}
	v->beside = true;
	for (unsigned row = 0; row < ROWS; row++) {
		AUTO_FREE(witness_free) struct witness *w = NULL;
		const char *names[MOST];
		unsigned n = metrics_of(v, &verify_rows[row], names, MOST);
		int r;

		if (!n || !verify_row_measured(&verify_rows[row]) ||
		    witness_new(v->c, names, n, &w, &v->no_witness) < 0)
			continue;
		fprintf(stderr, "%u more windows, beside perf stat\n", 2 * v->load->n_sockets);
		r = run_witness(v, w, row, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Are there turns? And is there anything to compare? */
static int look(struct verify *v, bool *ret_compares, struct err *err)
{
	int r = read_snapshot(v, &v->last, err);

	if (r < 0)
		return r;
	for (unsigned k = 0; k < v->n_cells; k++) {
		*ret_compares |= verify_rows[k % ROWS].of && v->last.series[k].n;
		if (k % ROWS == ROW_ROUNDS && v->last.series[k].sum > 1)
			return err_set(err, -EBUSY, "%s takes turns between groups; for verify, "
				       "configure memory traffic alone", v->c->server.url);
	}
	return 0;
}

/* -EINTR: a signal has come. */
static int run(struct verify *v, struct err *err)
{
	bool compares = false;
	int r = load_new(v->c->roots.sysfs, v->c->roots.procfs, &v->load, err);

	if (r < 0)
		return r;
	v->n_cells = v->load->n_sockets * ROWS;
	r = look(v, &compares, err);
	if (r < 0)
		return r;
	plan_jobs(v, compares);
	for (unsigned i = 0; i < v->n_jobs; i++) {
		fprintf(stderr, "%u of %u windows of %.1f s%s", i + 1, v->n_jobs, v->sample_length,
			isatty(STDERR_FILENO) && i + 1 < v->n_jobs ? "\r" : "\n");
		r = run_job(v, &v->jobs[i], err);
		if (r < 0)
			return r;
	}
	return ask_witness(v, err);
}

int ctl_verify(const struct ctl *c)
{
	static struct verify v;
	struct err err;
	int r;

	if (c->curve)
		return ctl_verify_curve(c);
	v.c = c;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	srandom((unsigned)getpid());
	r = run(&v, &err);
	if (!signalled)
		r = r < 0 ? ctl_fail(ctl_code(r, CTL_UNAVAILABLE), "%s", err.text) :
		    verify_report(&v);
	load_free(v.load);
	json_decref(v.about);
	if (signalled) {
		signal(signalled, SIG_DFL);
		raise(signalled);
	}
	return r;
}
