/* SPDX-License-Identifier: MIT
 * uncorectl verify --curve: at which traffic does the latency of this machine's memory rise?
 * Owns:  which rates are tried, what is taken of uncored's samples, when the host is too busy.
 * Never: how traffic is made (verify/pace.h), the file that is written (machine/curve.h).
 */
#include "ctl/ctl.h"

#include "base/state_dir.h"
#include "base/traffic.h"
#include "catalog/metric_row.h"
#include "machine/curve.h"
#include "verify/cpu_time.h"
#include "verify/pace.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SETTLE 0.1              /* seconds until a new rate has taken hold */
#define POLL 0.02               /* seconds between two looks at what uncored serves */
#define QUIET 0.02              /* share of the most traffic that others may move */
#define OWN_MOST 1.15           /* counted for each byte that the load moved, at most */
#define OWN_LEAST 0.6           /* and at least: some is still in caches, a half is wrong */
#define ENOUGH 0.1              /* share of the most traffic from which on that is looked at */
#define OTHERS_CPU 0.1          /* share of the CPUs that others may use */
#define CLOCK_SET 1             /* seconds by which a clock that nobody sets does not move */
#define HBM_READ "uncore_high_bandwidth_memory_read_bytes_total"

enum { SAMPLES = 64 };          /* of a window */
enum { NAME_MOST = 64 };        /* of a family, at most */
enum { STEPS = PACE_MIXES * (CURVE_RATES + 1) + 1 };    /* and a rest around each mix */

/* What uncored counted of a socket up to a sample. */
struct seen {
	double at, read, written;       /* the sample's time; bytes; NAN: not counted */
	double latency;                 /* of the last interval; NAN: none */
	double channels;
};
/* Within a time in which the load did not change. */
struct window {
	double bytes_per_second, reads, latency;        /* reads: share; medians of its samples */
	double mean;                                    /* bytes a second */
};

struct curve_run {
	const struct ctl *c;
	struct load *load;
	struct pace *pace;
	char latency[NAME_MOST];        /* family of the metric */
	double interval, length;        /* seconds: of uncored, of a window */
	double clock;                   /* of the wall, less that which nobody sets */
	bool simulated;
	unsigned step;
	double most[LOAD_SOCKETS];      /* bytes a second, so far */
	struct window idle[LOAD_SOCKETS];
	struct curve curve;
};

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	signalled = number;
}

/* ------------------------------------------------------------------ what uncored says */

/* The series of a family on a socket; state: of that label alone, or NULL. */
struct total {
	double sum;                     /* NAN: there is none, or one is not valid */
	unsigned n;
};

static struct total of_socket(json_t *snapshot, const char *family, unsigned id, const char *state)
{
	json_t *series = ctl_series(snapshot, family), *s;
	struct total t = { 0, 0 };
	size_t i;

	json_array_foreach(series, i, s) {
		json_t *labels = json_object_get(s, "labels");
		const char *socket = ctl_text(labels, "socket");

		if (!socket || strtoul(socket, NULL, 10) != id)
			continue;
		if (state && strcmp(ctl_text(labels, "state") ?: "", state) != 0)
			continue;
		t.sum += ctl_number(s);
		t.n++;
	}
	if (!t.n)
		t.sum = NAN;
	return t;
}

static struct seen see_socket(const struct curve_run *v, json_t *snapshot, unsigned id)
{
	struct total latency = of_socket(snapshot, v->latency, id, NULL);

	return (struct seen){
		.at = of_socket(snapshot, "uncored_last_sample_timestamp_seconds", id, NULL).sum,
		.read = of_socket(snapshot, "uncore_memory_read_bytes_total", id, NULL).sum,
		.written = of_socket(snapshot, "uncore_memory_write_bytes_total", id, NULL).sum,
		.latency = latency.sum / latency.n,
		.channels = of_socket(snapshot, "uncored_channels", id, "with_memory").sum,
	};
}

/* 0, or -errno with a sentence. */
static int see(const struct curve_run *v, struct seen *ret, struct err *err)
{
	json_auto_t *snapshot = ctl_snapshot(&v->c->server, err);

	for (unsigned i = 0; snapshot && i < v->load->n_sockets; i++)
		ret[i] = see_socket(v, snapshot, v->load->sockets[i].id);
	return snapshot ? ctl_check_paused(&v->c->server, snapshot, err) : -EHOSTDOWN;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* NAN of none. */
static double median(double *v, unsigned n)
{
	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), by_value);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

static double mean(const double *v, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / n : NAN;
}

/* What the samples of a window say, one after the other: one that something held up is no part of a
 * median. */
struct samples {
	double latency[SAMPLES], traffic[SAMPLES], reads[SAMPLES];
	unsigned n_latency, n_traffic;
};

static void add_sample(struct samples *s, const struct seen *before, const struct seen *now)
{
	double read = now->read - before->read;
	double bytes = read + now->written - before->written;

	if (!isnan(now->latency) && s->n_latency < SAMPLES)
		s->latency[s->n_latency++] = now->latency;
	if (isnan(bytes) || s->n_traffic == SAMPLES)
		return;
	s->reads[s->n_traffic] = bytes > 0 ? read / bytes : 1;
	s->traffic[s->n_traffic++] = bytes / (now->at - before->at);
}

static double clock_offset(void)
{
	return load_wall() - load_seconds();
}

/* Until every socket has a sample of this time or later. samples: of each socket, or NULL. -EINTR:
 * a signal has come. */
static int see_until(const struct curve_run *v, double until, struct seen *ret,
		     struct samples *samples, struct err *err)
{
	double patience = load_wall() + fmax(0, until - load_wall()) + 10 * v->interval + 10;
	struct seen before[LOAD_SOCKETS];
	bool all = false;

	while (!all) {
		int r;

		if (signalled)
			return -EINTR;
		memcpy(before, ret, sizeof(before));
		r = see(v, ret, err);
		if (r < 0)
			return r;
		if (fabs(clock_offset() - v->clock) > CLOCK_SET)
			return err_set(err, -EAGAIN, "the clock of this machine was set "
				       "meanwhile, and uncored's samples have its time: try again; "
				       "nothing was kept");
		all = true;
		for (unsigned i = 0; i < v->load->n_sockets; i++) {
			all &= ret[i].at >= until;
			if (samples && ret[i].at > before[i].at)
				add_sample(&samples[i], &before[i], &ret[i]);
		}
		if (load_wall() > patience)
			return err_set(err, -ETIME, "%s has stopped sampling; run uncorectl doctor",
				       v->c->server.url);
		if (!all)
			usleep((useconds_t)(1e6 * POLL));
	}
	return 0;
}

/* ------------------------------------------------------------------ is the host quiet? */

static int busy(struct err *err, const char *what)
{
	return err_set(err, -EAGAIN, "%s: stop what runs here, and try again; nothing was kept",
		       what);
}

/* Since `then`. A model does not feel what this machine does. */
static int check_cpus(const struct curve_run *v, const struct cpu_time *then, struct err *err)
{
	struct cpu_time now = cpu_time_read(v->c->roots.procfs);
	double all = now.all - then->all;
	double others = now.busy - then->busy - (now.own - then->own);
	char text[128];

	if (v->simulated || !v->load->real || !(all > 0) || others <= OTHERS_CPU * all)
		return 0;
	snprintf(text, sizeof(text), "other processes use %.0f %% of the CPUs",
		 100 * others / all);
	return busy(err, text);
}

static bool is_much(const struct curve_run *v, unsigned socket, double bytes_per_second)
{
	return bytes_per_second > QUIET * v->most[socket];
}

/* bytes_per_second: of others; of a model, those of its workload. */
static int others_move(const struct curve_run *v, unsigned socket, double bytes_per_second,
		       struct err *err)
{
	unsigned id = v->load->sockets[socket].id;
	char text[128];

	if (v->simulated)
		return err_set(err, -EAGAIN, "beside this load the simulation moves %.1f GB/s of "
			       "socket %u's memory: start uncored with the workload verify "
			       "(--engine model:MACHINE:verify), and with the same " TRAFFIC_FILE
			       "=FILE as this command; nothing was kept",
			       bytes_per_second / 1e9, id);
	snprintf(text, sizeof(text), "others move %.1f GB/s of socket %u's memory",
		 bytes_per_second / 1e9, id);
	return busy(err, text);
}

/* What else than the load explains how much was counted: others, or a wrong count. moved: bytes a
 * second by the load itself, which was to move `rate`. */
static int check_load(const struct curve_run *v, unsigned socket, enum pace_mix mix, double rate,
		      const struct window *w, double moved, struct err *err)
{
	/* A thread that was held up catches up: in a sample as much as it should have. */
	double own = isfinite(rate) ? fmax(moved, rate) : moved;
	double others = w->bytes_per_second - OWN_MOST * own;
	unsigned id = v->load->sockets[socket].id;

	if (is_much(v, socket, others)) {
		if (is_much(v, socket, v->idle[socket].bytes_per_second))
			return others_move(v, socket, others, err);
		return err_set(err, -EAGAIN, "uncored counts %.2g times what this load moves of "
			       "socket %u's memory, and hardly anything before it: either others "
			       "use that since, or uncorectl verify says which count is wrong; "
			       "nothing was kept", w->bytes_per_second / own, id);
	}
	/* What is written may be read before, or not: processors differ. The mean, because a load
	 * that is held up moves nothing in one sample and twice as much in the next. */
	if (mix == PACE_READS && isfinite(rate) && rate > ENOUGH * v->most[socket] &&
	    w->mean < OWN_LEAST * moved)
		return err_set(err, -ENODATA, "uncored counts %.2g times what this load reads of "
			       "socket %u's memory: uncorectl verify says what is not counted; "
			       "nothing was kept", w->mean / moved, id);
	return 0;
}

/* ------------------------------------------------------------------ one rate */

static void show_step(struct curve_run *v)
{
	v->step++;
	fprintf(stderr, "step %u of %u%s", v->step, STEPS,
		isatty(STDERR_FILENO) && v->step < STEPS ? "\r" : "\n");
}

/* What the window says, once the load has settled. */
static int watch(struct curve_run *v, struct samples *ret, struct err *err)
{
	struct seen seen[LOAD_SOCKETS];
	int r = see(v, seen, err);

	if (r < 0)
		return r;
	r = see_until(v, load_wall() + SETTLE, seen, NULL, err);
	return r < 0 ? r : see_until(v, seen[0].at + v->length, seen, ret, err);
}

/* rate NULL: nothing is moved. */
static int measure(struct curve_run *v, enum pace_mix mix, const double *rate, struct window *ret,
		   struct err *err)
{
	static struct samples samples[LOAD_SOCKETS];
	double moved[LOAD_SOCKETS], began, ended;
	struct cpu_time then = cpu_time_read(v->c->roots.procfs);
	int r = rate ? pace_start(v->pace, mix, rate, err) : 0;

	show_step(v);
	if (r < 0)
		return r;
	began = load_seconds();
	for (unsigned i = 0; i < v->load->n_sockets; i++)
		moved[i] = -(double)pace_moved(v->pace, i);
	memset(samples, 0, sizeof(samples));
	r = watch(v, samples, err);
	ended = load_seconds();
	pace_stop(v->pace);
	if (r < 0)
		return r;
	r = check_cpus(v, &then, err);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < v->load->n_sockets; i++) {
		struct samples *s = &samples[i];

		moved[i] = (moved[i] + (double)pace_moved(v->pace, i)) / (ended - began);
		ret[i] = (struct window){ median(s->traffic, s->n_traffic),
					  median(s->reads, s->n_traffic),
					  median(s->latency, s->n_latency),
					  mean(s->traffic, s->n_traffic) };
		v->most[i] = fmax(v->most[i], ret[i].bytes_per_second);
		if (rate)
			r = check_load(v, i, mix, rate[i], &ret[i], moved[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int rest(struct curve_run *v, struct err *err)
{
	int r = measure(v, PACE_READS, NULL, v->idle, err);

	if (r < 0 || v->step == 1)      /* at first nobody knows yet how much is much */
		return r;
	for (unsigned i = 0; i < v->load->n_sockets; i++) {
		if (is_much(v, i, v->idle[i].bytes_per_second))
			return others_move(v, i, v->idle[i].bytes_per_second, err);
	}
	return 0;
}

/* ------------------------------------------------------------------ one mix */

/* The rates of a step; what came of it is a point of each socket. */
static int add_points(struct curve_run *v, enum pace_mix mix, const double *rate, struct err *err)
{
	struct window w[LOAD_SOCKETS];
	int r = measure(v, mix, rate, w, err);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < v->load->n_sockets; i++) {
		struct curve_mix *m = &v->curve.sockets[i].mix[mix];

		if (isnan(w[i].bytes_per_second + w[i].latency) || m->n == CURVE_POINTS)
			continue;
		m->points[m->n++] = (struct curve_point){
			.bytes_per_second = w[i].bytes_per_second, .latency = w[i].latency,
			.reads = w[i].reads, .full = !isfinite(rate[i]),
		};
	}
	return 0;
}

static int measure_mix(struct curve_run *v, enum pace_mix mix, struct err *err)
{
	double rate[LOAD_SOCKETS];
	struct curve_socket *sockets = v->curve.sockets;
	unsigned n = v->load->n_sockets;

	for (unsigned step = 0; step < CURVE_RATES; step++) {
		int r;

		for (unsigned i = 0; i < n; i++) {
			rate[i] = curve_rate(&sockets[i].mix[mix], step);
			if (isnan(rate[i]))
				return err_set(err, -ENODATA, "uncored had no latency of socket "
					       "%u's memory while as much was moved as goes: run "
					       "uncorectl doctor", sockets[i].id);
		}
		r = add_points(v, mix, rate, err);
		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < n; i++) {
		struct curve_mix *m = &sockets[i].mix[mix];

		curve_find_knee(m);
		m->asked = pace_shares[mix];
		sockets[i].n = mix + 1;
		if (m->n < CURVE_RATES / 3)
			return err_set(err, -ENODATA, "uncored had a latency of socket %u's memory "
				       "at %u rates only: run uncorectl doctor", sockets[i].id,
				       m->n);
	}
	return 0;
}

/* ------------------------------------------------------------------ all of it */

static void take_text(char *to, size_t n, const char *text)
{
	snprintf(to, n, "%s", text ?: "");
}

/* The metric of latency that a socket has, into ret; false: none. */
static bool latency_of(json_t *snapshot, char ret[NAME_MOST])
{
	for (const char *p = CAT_MEMORY_LATENCY; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		snprintf(ret, NAME_MOST, "uncore_%.*s", (int)n, p);
		if (json_array_size(ctl_series(snapshot, ret)))
			return true;
		p += n;
	}
	return false;
}

/* What uncored says of itself, and whether it counts what a curve is made of. */
static int take_about(struct curve_run *v, json_t *snapshot, struct err *err)
{
	json_t *info = json_object_get(json_array_get(ctl_series(snapshot, "uncored_socket_info"),
						      0), "labels");
	time_t now = time(NULL);
	struct tm utc;
	bool counted;

	v->simulated = v->curve.simulated = json_is_true(json_object_get(snapshot, "simulated"));
	v->interval = json_number_value(json_object_get(snapshot, "interval_seconds"));
	v->length = fmax(3 * v->interval, v->c->quick ? 0 : 2);
	take_text(v->curve.processor, sizeof(v->curve.processor), ctl_text(info, "processor"));
	take_text(v->curve.model, sizeof(v->curve.model), ctl_text(info, "model"));
	take_text(v->curve.version, sizeof(v->curve.version), ctl_text(snapshot, "version"));
	host_versions_read(&v->c->roots, &v->curve.versions);
	strftime(v->curve.date, sizeof(v->curve.date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	counted = latency_of(snapshot, v->latency);
	if (!counted || !ctl_series(snapshot, "uncore_memory_read_bytes_total") ||
	    !ctl_series(snapshot, "uncore_memory_write_bytes_total"))
		return err_set(err, -ENODATA, "uncored counts no %s here, so there is no curve of "
			       "it; see: uncorectl describe memory_headroom_ratio",
			       counted ? "reads beside writes of memory" : "memory latency");
	if (json_array_size(ctl_series(snapshot, HBM_READ)))
		return err_set(err, -ENODATA, "the latency that uncored counts here is of two "
			       "kinds of memory, high-bandwidth memory and DDR, so there is no "
			       "curve of it; see: uncorectl describe memory_headroom_ratio");
	for (unsigned i = 0; i < v->load->n_sockets; i++) {
		unsigned id = v->load->sockets[i].id;

		v->curve.sockets[v->curve.n_sockets++].id = id;
		if (of_socket(snapshot, "uncored_rounds", id, NULL).sum > 1)
			return err_set(err, -EBUSY, "%s takes turns between groups; for verify, "
				       "configure memory traffic and latency alone",
				       v->c->server.url);
	}
	return 0;
}

static int prepare(struct curve_run *v, struct err *err)
{
	json_auto_t *snapshot = NULL;
	int r = load_new(v->c->roots.sysfs, v->c->roots.procfs, &v->load, err);

	if (r < 0)
		return r;
	snapshot = ctl_snapshot(&v->c->server, err);
	if (!snapshot)
		return -EHOSTDOWN;
	r = ctl_check_paused(&v->c->server, snapshot, err);
	r = r < 0 ? r : take_about(v, snapshot, err);
	if (r < 0)
		return r;
	r = state_dir_make(v->c->roots.state, err);
	if (r < 0)
		return r;
	v->pace = pace_new(v->load, v->simulated || v->load->traffic->told);
	return v->pace ? 0 : err_set(err, -ENOMEM, "no memory for the load");
}

static int measure_all(struct curve_run *v, struct err *err)
{
	struct seen end[LOAD_SOCKETS];
	int r;

	v->clock = clock_offset();
	r = rest(v, err);
	if (r < 0)
		return r;
	for (unsigned mix = 0; mix < PACE_MIXES; mix++) {
		r = measure_mix(v, mix, err);
		if (r < 0)
			return r;
		r = rest(v, err);
		if (r < 0)
			return r;
	}
	r = see(v, end, err);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < v->load->n_sockets; i++)
		v->curve.sockets[i].channels = end[i].channels > 0 ? (unsigned)end[i].channels : 0;
	return signalled ? -EINTR : 0;
}

static void print_curve(const struct curve_run *v)
{
	static const char *const names[] = { "reads alone", "2 reads a write", "1 read a write" };

	if (v->simulated)
		printf("SIMULATED: this uncored counts on a model, which was told of a load\n");
	for (unsigned i = 0; i < v->curve.n_sockets; i++)
		for (unsigned k = 0; k < v->curve.sockets[i].n; k++) {
			const struct curve_mix *m = &v->curve.sockets[i].mix[k];

			printf("socket %u, %s (%.0f %% reads): least latency %.0f ns, most "
			       "%.1f GB/s, ", v->curve.sockets[i].id, names[k], 100 * m->reads,
			       1e9 * m->least, m->most / 1e9);
			if (m->knee > 0)
				printf("knee %.1f GB/s\n", m->knee / 1e9);
			else
				printf("no knee: latency stays below %.1f times the least\n",
				       CURVE_KNEE);
		}
	printf("kept in %s/" CURVE_FILE "; uncored reads it at its next start or reload\n",
	       v->c->roots.state);
}

static void say_what_comes(const struct curve_run *v)
{
	/* A sample that a new rate has settled in comes with the next, or half of one later. */
	double each = v->length + fmax(v->interval, SETTLE + v->interval / 2);

	fprintf(stderr, "For about %.0f seconds this moves as much memory on each of %u socket%s "
		"as it can: reads alone, 2 reads a write, 1 read a write, at rising rates. Whoever "
		"uses memory meanwhile is slowed down, and spoils the measurement.\n",
		ceil(STEPS * each / 10) * 10, v->load->n_sockets,
		v->load->n_sockets == 1 ? "" : "s");
}

static int finish(const struct curve_run *v, struct err *err)
{
	AUTO_FREE(free) char *text = NULL;
	size_t n;
	int r = curve_write(v->c->roots.state, &v->curve, err);

	if (r < 0)
		return r;
	if (!v->c->json) {
		print_curve(v);
		return 0;
	}
	r = state_dir_read(v->c->roots.state, CURVE_FILE, &text, &n, err);
	if (r < 0)
		return r;
	puts(text);
	return 0;
}

/* -EINTR: a signal has come, and nothing was written. */
static int run(struct curve_run *v, struct err *err)
{
	int r = prepare(v, err);

	if (r < 0)
		return r;
	say_what_comes(v);
	r = measure_all(v, err);
	return r < 0 ? r : finish(v, err);
}

int ctl_verify_curve(const struct ctl *c)
{
	static struct curve_run v;
	struct err err = { "" };
	int r;

	v.c = c;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	r = run(&v, &err);
	pace_free(v.pace);
	load_free(v.load);
	if (signalled) {
		signal(signalled, SIG_DFL);
		raise(signalled);
	}
	return r < 0 ? ctl_fail(ctl_code(r, CTL_UNAVAILABLE), "%s", err.text) : 0;
}
