/* cmd_verify.c - uncorectl verify: does a running uncored count what is moved here?
 *
 * Owns:  the order of the loads, the alignment with uncored's samples, what is printed.
 * Never: how traffic is made or judged (verify/).
 */
#include "ctl/ctl.h"

#include "base/strb.h"
#include "topo/cpuinfo.h"
#include "topo/sysfile.h"
#include "verify/client.h"
#include "verify/fit.h"
#include "verify/load.h"
#include "verify/verdict.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { SOCKETS = 16, JOBS = 256, MOMENTS = 1 << 16, RATES = 5, RATES_LEAST = 3 };
#define STEP      0.005         /* seconds between two looks at what was moved */
#define WINDOW    1.0           /* seconds at least; --quick: */
#define QUICK     0.4
#define TIME      55.0          /* seconds for all windows; --quick: */
#define QUICK_TIME 13.0

enum { METRICS = 4 };
static const struct { const char *name; unsigned kind; } metrics[METRICS] = {
	{ "memory_read_bytes_total", TRAFFIC_READ },
	{ "memory_write_bytes_total", TRAFFIC_WRITTEN },
	{ "memory_command_read_bytes_total", TRAFFIC_READ },
	{ "memory_command_write_bytes_total", TRAFFIC_WRITTEN },
};
static const char *const done[TRAFFIC_KINDS] = { "read", "written" };

/* One sample of every socket, as uncored serves it. */
struct reading {
	double interval, time[SOCKETS], count[SOCKETS][METRICS];
	unsigned series[SOCKETS][METRICS];      /* that are counted; 0: the metric is not */
	bool turns;                     /* some groups do not count all the time */
};

struct moment {
	double time, moved[SOCKETS][TRAFFIC_KINDS];
};

struct verify {
	const struct ctl *c;
	struct load *load;
	unsigned n_sockets, ids[SOCKETS];
	struct load_job jobs[JOBS];
	unsigned n_jobs;
	double window;
	struct moment *moments;
	unsigned n_moments;
	struct reading last;
	struct verify_sample samples[SOCKETS][METRICS][JOBS];
	unsigned n_samples;
	double ownership[SOCKETS][METRICS], latency, fastest[TRAFFIC_KINDS];
	json_t *about;                  /* what uncored says of itself */
};

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	signalled = number;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int socket_index(const struct verify *v, long long id)
{
	for (unsigned i = 0; i < v->n_sockets; i++)
		if (v->ids[i] == id)
			return (int)i;
	return -1;
}

static void take_family(const struct verify *v, json_t *family, struct reading *ret)
{
	const char *name = json_string_value(json_object_get(family, "name"));
	unsigned m = 0;
	size_t i;
	json_t *s;

	while (m < METRICS && (!name || strncmp(name, "uncore_", 7) != 0 ||
			       strcmp(name + 7, metrics[m].name) != 0))
		m++;
	json_array_foreach(json_object_get(family, "series"), i, s) {
		const char *id = json_string_value(json_object_get(json_object_get(s, "labels"),
								   "socket"));
		json_t *value = json_object_get(s, "value");
		int at = id ? socket_index(v, atoll(id)) : -1;

		ret->turns |= name && strcmp(name, "uncored_rounds") == 0 &&
			json_integer_value(value) > 1;
		if (m == METRICS || at < 0 || !value)
			continue;
		ret->count[at][m] += json_is_string(value) ?
			strtod(json_string_value(value), NULL) : json_number_value(value);
		ret->series[at][m]++;
	}
}

static int read_snapshot(struct verify *v, struct reading *ret, struct err *err)
{
	char *text = NULL;
	int r = client_get(v->c->url, "/api/v1/snapshot", &text, err);
	json_t *root = r < 0 ? NULL : json_loads(text, 0, NULL), *row;
	const char *format = json_string_value(json_object_get(root, "format"));
	size_t i;

	free(text);
	if (r < 0)
		return r;
	if (!format || strcmp(format, "uncored-snapshot-1") != 0) {
		json_decref(root);
		return err_set(err, -EPROTO, "%s is no uncored that this uncorectl understands; "
			       "name uncored's address with --url", v->c->url);
	}
	*ret = (struct reading){
		.interval = json_number_value(json_object_get(root, "interval_seconds")) };
	for (unsigned s = 0; s < v->n_sockets; s++)     /* that is not counted: now */
		ret->time[s] = seconds();
	json_array_foreach(json_object_get(root, "sockets"), i, row) {
		int at = socket_index(v, json_integer_value(json_object_get(row, "socket")));
		json_t *time = json_object_get(row, "timestamp_seconds");

		if (at >= 0 && json_is_number(time))
			ret->time[at] = json_number_value(time);
	}
	json_array_foreach(json_object_get(root, "metrics"), i, row)
		take_family(v, row, ret);
	json_object_del(root, "metrics");
	json_decref(v->about);
	v->about = root;
	return 0;
}

/* Notes what has been moved until now. */
static void look(struct verify *v)
{
	struct moment *m = &v->moments[v->n_moments];

	m->time = seconds();
	for (unsigned s = 0; s < v->n_sockets; s++)
		for (unsigned k = 0; k < TRAFFIC_KINDS; k++)
			m->moved[s][k] = (double)load_traffic(v->load)->moved[v->ids[s]][k];
	v->n_moments++;
}

/* What had been moved at a time, between two looks in proportion. */
static double moved_until(const struct verify *v, double t, unsigned s, unsigned k)
{
	const struct moment *b = &v->moments[v->n_moments - 1], *a = b;

	while (a > v->moments && a->time > t)
		b = a--;
	return b->time <= a->time || t <= a->time ? a->moved[s][k] :
		a->moved[s][k] + (b->moved[s][k] - a->moved[s][k]) *
		fmin(1, (t - a->time) / (b->time - a->time));
}

static void take_window(struct verify *v, const struct load_job *job, const struct reading *now)
{
	double sum[TRAFFIC_KINDS] = { 0 }, moved[SOCKETS][TRAFFIC_KINDS];

	for (unsigned s = 0; s < v->n_sockets; s++)
		for (unsigned k = 0; k < TRAFFIC_KINDS; k++) {
			moved[s][k] = moved_until(v, now->time[s], s, k) -
				moved_until(v, v->last.time[s], s, k);
			sum[k] += moved[s][k];
		}
	for (unsigned s = 0; s < v->n_sockets; s++)
		for (unsigned m = 0; m < METRICS; m++) {
			double took = now->time[s] - v->last.time[s];
			double counted = now->count[s][m] - v->last.count[s][m];
			unsigned k = metrics[m].kind;

			v->samples[s][m][v->n_samples] = (struct verify_sample){
				took, moved[s][k], moved[s][!k], sum[k] - moved[s][k], counted };
			v->fastest[k] = fmax(v->fastest[k], took > 0 ? moved[s][k] / took : 0);
			if (job->kind == LOAD_WRITE && job->memory == s && k == TRAFFIC_READ)
				v->ownership[s][m] = counted / moved[s][TRAFFIC_WRITTEN];
		}
	v->n_samples += job->kind != LOAD_WRITE;
	if (job->kind == LOAD_CHASE)
		v->latency = load_latency_seconds(v->load);
}

/* Has every socket that is counted a sample that is at least a window younger than the last? */
static bool is_over(const struct verify *v, const struct reading *now)
{
	for (unsigned s = 0; s < v->n_sockets; s++)
		if (v->last.time[s] > 0 && now->time[s] <
		    v->last.time[s] + v->window - v->last.interval / 2)
			return false;
	return true;
}

/* One job until uncored has sampled it. */
static int run_window(struct verify *v, const struct load_job *job, struct err *err)
{
	struct reading now = v->last;
	double began = seconds(), poll = v->last.time[0] + v->window;
	int r = load_start(v->load, job, err);

	while (r == 0 && !signalled && !is_over(v, &now)) {
		nanosleep(&(struct timespec){ .tv_nsec = (long)(STEP * 1e9) }, NULL);
		look(v);
		if (v->n_moments == MOMENTS || seconds() > began + 10 * v->window + 10)
			r = err_set(err, -ETIME, "%s takes no samples; ask uncorectl doctor",
				    v->c->url);
		else if (seconds() >= poll) {
			r = read_snapshot(v, &now, err);
			poll = seconds() + fmin(v->last.interval / 10, 0.1);
		}
	}
	look(v);
	load_stop(v->load);
	if (r == 0 && !signalled &&             /* a sum without a unit that is not valid is none */
	    memcmp(now.series, v->last.series, sizeof(now.series)) == 0)
		take_window(v, job, &now);
	v->last = now;
	return r;
}

static void add_job(struct verify *v, enum load_kind kind, double duty, unsigned memory,
		    unsigned cpus)
{
	if (v->n_jobs < JOBS)
		v->jobs[v->n_jobs++] = (struct load_job){ kind, duty, memory, cpus };
}

/* As many windows as there is time for, in random order. Each second pass has the threads on
 * another socket. */
static void plan_jobs(struct verify *v)
{
	double time = v->c->quick ? QUICK_TIME : TIME;
	unsigned n = v->n_sockets, rates = RATES, passes, counted = 0;

	for (unsigned s = 0; s < n; s++)
		for (unsigned m = 0; m < METRICS; m++)
			counted += v->last.series[s][m];
	if (!counted)
		n = rates = 1;
	v->window = fmax(v->last.interval, v->c->quick ? QUICK : WINDOW);
	while (v->c->quick && rates > RATES_LEAST && (2 * n * rates + n + 3) * v->window > time)
		rates--;
	passes = (unsigned)fmax(1, fmin(counted ? 3 : 1, time / v->window /
					(2 * n * rates + n + 3)));
	for (unsigned p = 0; p < passes; p++) {
		for (unsigned i = 0; i < 2 * n * rates; i++)
			add_job(v, i % 2 ? LOAD_READ : LOAD_STREAM,
				(1.0 + i / 2 % rates) / rates, i / 2 / rates,
				(i / 2 / rates + p) % n);
		add_job(v, LOAD_IDLE, 1, 0, 0);
		add_job(v, LOAD_IDLE, 1, 0, 0);
		add_job(v, LOAD_CHASE, 1, 0, 0);
		for (unsigned s = 0; s < n; s++)
			add_job(v, LOAD_WRITE, 1, s, s);
	}
	srandom((unsigned)getpid());
	for (unsigned i = v->n_jobs; i-- > 1;) {
		unsigned j = (unsigned)random() % (i + 1);
		struct load_job other = v->jobs[j];

		v->jobs[j] = v->jobs[i];
		v->jobs[i] = other;
	}
}

/* Adds a sentence, or with --json an object. Returns the exit code. */
static int report_one(struct verify *v, unsigned s, unsigned m, json_t *list)
{
	struct verify_verdict d;
	char text[VERIFY_TEXT];
	json_t *causes = json_array();
	int code;

	verify_judge(v->samples[s][m], v->n_samples, &d);
	code = d.causes[0] == VERIFY_RIGHT ? 0 : d.causes[0] == VERIFY_BACKGROUND ||
		d.causes[0] == VERIFY_NOISY ? CTL_TEMPORARY : CTL_WRONG;
	for (unsigned i = 0; i < d.n_causes; i++)
		json_array_append_new(causes, js_text(verify_cause_name(d.causes[i])));
	if (!v->c->json) {
		printf("%s on socket %u: %.3f [%.3f..%.3f] of what was %s: ",
		       metrics[m].name, v->ids[s], d.slope, d.low, d.high,
		       done[metrics[m].kind]);
		for (unsigned i = 0; i < d.n_causes; i++)
			printf("%s%s", i ? "; or " : "",
			       verify_cause_say(&d, d.causes[i], text, sizeof(text)));
		putchar('\n');
		if (v->ownership[s][m] > 0)
			printf("  ordinary writes read %.2f bytes for each byte written; 1 is "
			       "expected: the line is read for ownership\n",
			       v->ownership[s][m]);
	}
	json_array_append_new(list, JS_OBJECT(
		{ "metric", js_text(metrics[m].name) }, { "socket", json_integer(v->ids[s]) },
		{ "slope", json_real(d.slope) }, { "low", json_real(d.low) },
		{ "high", json_real(d.high) },
		{ "background_bytes_per_second", json_real(d.background) },
		{ "causes", causes }));
	return code;
}

/* A value of /proc/cpuinfo, as JSON text. */
static json_t *cpu_says(const struct verify *v, const char *key)
{
	struct sysfile_path path = sysfile_path("%s/cpuinfo", v->c->roots.procfs);
	char text[CPUINFO_MAX];
	int n = sysfile_head(path.s, text, sizeof(text), NULL);
	size_t len = 0;
	const char *value = n > 0 ? cpuinfo_value(text, (size_t)n, key, &len) : NULL;

	return value ? json_stringn(value, len) : js_text("");
}

static int report(struct verify *v)
{
	json_t *list = json_array(), *out;
	struct utsname kernel = { .release = "" };
	int code = 0;

	uname(&kernel);
	for (unsigned s = 0; s < v->n_sockets; s++)
		for (unsigned m = 0; m < METRICS; m++)
			if (v->last.series[s][m] && v->n_samples >= VERIFY_SAMPLES_MIN) {
				int one = report_one(v, s, m, list);

				code = one && code != CTL_WRONG ? one : code;
			}
	if (json_array_size(list) == 0)
		code = CTL_UNAVAILABLE;
	if (!v->c->json) {
		if (json_is_true(json_object_get(v->about, "simulated")))
			puts("SIMULATED: this uncored counts on a register model");
		printf("the load itself: %.1f GB/s read, %.1f GB/s written, %.0f ns latency\n",
		       v->fastest[TRAFFIC_READ] / 1e9, v->fastest[TRAFFIC_WRITTEN] / 1e9,
		       v->latency * 1e9);
		if (code == CTL_UNAVAILABLE)
			printf("nothing was compared: this uncored counts no traffic of memory on "
			       "a socket of this machine; see uncorectl doctor\n");
		json_decref(list);
		return code;
	}
	out = JS_OBJECT(
		{ "format", js_text("uncored-verify-1") },
		{ "processor", cpu_says(v, "model name") },
		{ "microcode", cpu_says(v, "microcode") },
		{ "kernel", js_text(kernel.release) },
		{ "version", json_incref(json_object_get(v->about, "version")) },
		{ "revision", json_incref(json_object_get(v->about, "revision")) },
		{ "simulated", json_incref(json_object_get(v->about, "simulated")) },
		{ "read_bytes_per_second", json_real(v->fastest[TRAFFIC_READ]) },
		{ "written_bytes_per_second", json_real(v->fastest[TRAFFIC_WRITTEN]) },
		{ "latency_seconds", json_real(v->latency) }, { "compared", list });
	json_dumpf(out, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(out);
	return code;
}

static int run_all(struct verify *v, struct err *err)
{
	int r = read_snapshot(v, &v->last, err);

	if (r < 0)
		return r;
	if (v->last.turns)
		return err_set(err, -EBUSY, "%s counts groups in turns, each for a part of the "
			       "time; give it a configuration with the memory traffic alone",
			       v->c->url);
	plan_jobs(v);
	look(v);
	fprintf(stderr, "uncorectl: %u windows of %.1f s\n", v->n_jobs, v->window);
	for (unsigned i = 0; r == 0 && !signalled && i < v->n_jobs; i++) {
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\r%u of %u", i + 1, v->n_jobs);
		r = run_window(v, &v->jobs[i], err);
	}
	if (isatty(STDERR_FILENO))
		fputs("\r            \r", stderr);
	return r;
}

int ctl_verify(const struct ctl *c)
{
	struct verify *v = calloc(1, sizeof(*v));
	struct sigaction action = { .sa_handler = on_signal }, old[2];
	struct err err = { "no memory" };
	int r = v && (v->moments = calloc(MOMENTS + 1, sizeof(*v->moments))) ? 0 : -ENOMEM;

	sigaction(SIGINT, &action, &old[0]);
	sigaction(SIGTERM, &action, &old[1]);
	if (r == 0) {
		v->c = c;
		r = read_snapshot(v, &v->last, &err);
	}
	if (r == 0)
		r = load_new(c->roots.sysfs, c->roots.procfs, &v->load, &err);
	if (r == 0) {
		for (unsigned i = 0; i < load_sockets(v->load) && i < SOCKETS; i++)
			v->ids[v->n_sockets++] = load_socket_id(v->load, i);
		r = run_all(v, &err);
	}
	sigaction(SIGINT, &old[0], NULL);
	sigaction(SIGTERM, &old[1], NULL);
	r = r < 0 ? ctl_fail(CTL_UNAVAILABLE, "%s", err.text) : signalled ? 0 : report(v);
	if (v) {
		load_free(v->load);
		json_decref(v->about);
		free(v->moments);
	}
	free(v);
	if (signalled)
		raise(signalled);
	return r;
}
