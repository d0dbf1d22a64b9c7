/* SPDX-License-Identifier: MIT */
#include "ctl/verify_witness.h"

#include "base/bits.h"
#include "base/command.h"
#include "plan/plan.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PERF        "perf"
#define TEXT_MAX    ((size_t)1 << 20)   /* of the list of events, and of what perf prints */
#define PATIENCE_MS 20000               /* for perf to begin: it reads all PMUs of the machine */
#define ALL_OF_IT   99.0                /* per cent of the time; below: too few counters */

/* An event of a metric, on a socket. */
struct witness_term {
	const struct plan_metric *metric;
	unsigned socket;            /* as perf calls it: the package's number */
	unsigned event;             /* index into witness.events */
	double weight;              /* of a count in the metric; 1: perf says the bytes itself */
	double count;               /* NAN: none yet */
};

struct witness {
	struct machine machine;
	struct plan *plan;
	const struct plan_perf **events;        /* of the plan */
	struct witness_term *terms;
	unsigned n_events, n_terms;
	char *list;                 /* what perf's -e takes: event i is called uncoredIx */
	pid_t pid;                  /* 0: perf does not run */
	int talk, said;             /* its standard input and output; its standard error */
};

/* ---- what perf has to count */

/* A plan of these metrics alone. 0, or -errno with a sentence. */
static int plan_metrics(struct witness *w, const struct ctl *c, const char *const *metrics,
			unsigned n, struct err *err)
{
	const struct machine_options asked = { .roots = c->roots, .plan_only = true };
	const struct conf_engine_choice engine = { .kind = CONF_PERF };
	AUTO_DONE(strb_done) struct strb text = { .max = TEXT_MAX };
	AUTO_FREE(conf_free) struct conf *conf = NULL;
	AUTO_DONE(diags_done) struct diags d = { 0 };
	int r = machine_open(&asked, &engine, &w->machine, err);

	if (r < 0)
		return r;
	strb_add(&text, "groups = ( ");
	for (unsigned i = 0; i < n; i++)
		strb_addf(&text, "%s{ name = \"w%u\"; metrics = [ \"%s\" ]; }", i ? ", " : "", i,
			  metrics[i]);
	strb_add(&text, " );");
	r = text.failed ? -ENOMEM : conf_parse_apart(PERF, text.s, text.n, &conf, &d);
	if (r == 0)
		r = machine_plan(&w->machine, conf, 0, &w->plan, &d);
	if (r < 0)
		err_set(err, r, "%s", d.n ? d.v[0] : "out of memory");
	return r;
}

static bool same_event(const struct plan_perf *a, const struct plan_perf *b)
{
	return strcmp(a->pmu, b->pmu) == 0 && a->config == b->config &&
	       a->config1 == b->config1 && a->config2 == b->config2;
}

/* Returns its index. There is room for it. */
static unsigned add_event(struct witness *w, const struct plan_perf *e)
{
	unsigned i = 0;

	while (i < w->n_events && !same_event(w->events[i], e))
		i++;
	if (i == w->n_events)
		w->events[w->n_events++] = e;
	return i;
}

/* The events of a total; one that is not the kernel's alone is left out as a whole. */
static void add_metric(struct witness *w, const struct plan_socket *s, const struct plan_metric *m)
{
	const struct plan_round *round = &s->rounds[m->round];

	if (!m->counter || m->hidden)
		return;
	for SUM_EACH_ADDEND(a, &m->num)
		if (a->slot < 0 || round->slots[a->slot].engine != PLAN_PERF)
			return;
	for SUM_EACH_ADDEND(a, &m->num) {
		const struct plan_slot *slot = &round->slots[a->slot];
		const struct plan_perf *e = &s->perf->rounds[m->round].events[slot->engine_slot];

		w->terms[w->n_terms++] = (struct witness_term){
			.metric = m, .socket = s->id, .event = add_event(w, e),
			.weight = a->weight * m->scale, .count = NAN };
	}
}

/* Metrics of one name and label set may come in several rounds: the first one is enough. */
static bool is_first(const struct plan_socket *s, unsigned metric)
{
	for (unsigned i = 0; i < metric; i++)
		if (s->metrics[i].series == s->metrics[metric].series)
			return false;
	return true;
}

static int find_terms(struct witness *w, struct err *err)
{
	size_t most = 1;

	for (unsigned i = 0; i < w->plan->n_sockets; i++)
		for (unsigned k = 0; k < w->plan->sockets[i].n_metrics; k++)
			most += w->plan->sockets[i].metrics[k].num.n;
	w->terms = calloc(most, sizeof(*w->terms));
	w->events = calloc(most, sizeof(*w->events));
	if (!w->terms || !w->events)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < w->plan->n_sockets; i++) {
		const struct plan_socket *s = &w->plan->sockets[i];

		for (unsigned k = 0; k < s->n_metrics; k++)
			if (is_first(s, k))
				add_metric(w, s, &s->metrics[k]);
	}
	return w->n_terms ? 0 : err_set(err, -ENOENT, "it counts none of these metrics: they are "
					"not of the kernel's PMUs");
}

/* "perf/uncore_imc_0/cas_count_read/": an event that the kernel names, of which perf finds the
 * encoding, scale and unit by itself. Returns the length of its name, which begins at *ret; 0: it
 * is given by numbers. */
static size_t named_event(const char *text, const char **ret)
{
	const char *end = strrchr(text, '/'), *begin = end;

	while (begin && begin > text && begin[-1] != '/')
		begin--;
	if (!begin || begin == text || memchr(begin, '=', (size_t)(end - begin)) ||
	    memchr(begin, ',', (size_t)(end - begin)))
		return 0;
	*ret = begin;
	return (size_t)(end - begin);
}

static int list_events(struct witness *w, struct err *err)
{
	struct strb t;

	strb_init(&t, TEXT_MAX);
	for (unsigned i = 0; i < w->n_events; i++) {
		const struct plan_perf *e = w->events[i];
		const char *name = "";
		size_t n = named_event(e->text, &name);

		if (n) {
			strb_addf(&t, "%s%s/%.*s,name=uncored%ux/", i ? "," : "", e->pmu, (int)n,
				  name, i);
			continue;
		}
		strb_addf(&t, "%s%s/config=0x%" PRIx64, i ? "," : "", e->pmu, e->config);
		if (e->config1)
			strb_addf(&t, ",config1=0x%" PRIx64, e->config1);
		if (e->config2)
			strb_addf(&t, ",config2=0x%" PRIx64, e->config2);
		strb_addf(&t, ",name=uncored%ux/", i);
	}
	w->list = strb_take(&t);
	return w->list ? 0 : err_set(err, -ENOMEM, "out of memory");
}

int witness_new(const struct ctl *c, const char *const *metrics, unsigned n, struct witness **ret,
		struct err *err)
{
	AUTO_FREE(free) char *path = malloc(PATH_MAX);
	struct witness *w = calloc(1, sizeof(*w));
	int r;

	if (!w || !path) {
		free(w);
		return err_set(err, -ENOMEM, "out of memory");
	}
	w->talk = w->said = -1;
	r = command_find(PERF, path);
	if (r < 0)
		err_set(err, r, "it is not installed");
	if (r == 0)
		r = plan_metrics(w, c, metrics, n, err);
	if (r == 0)
		r = find_terms(w, err);
	if (r == 0)
		r = list_events(w, err);
	if (r < 0)
		witness_free(w);
	else
		*ret = w;
	return r;
}

/* ---- its process */

/* All that it wrote to standard error, with a 0 behind it; NULL: nothing. */
static char *read_said(int fd)
{
	char *text = malloc(TEXT_MAX + 1);
	ssize_t n = text ? pread(fd, text, TEXT_MAX, 0) : -1;

	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/* It did not begin, or ended badly: what it said. */
static int perf_failed(const struct witness *w, struct err *err)
{
	AUTO_FREE(free) char *said = read_said(w->said);
	const char *first = said ?: "";

	first += strspn(first, "\n ");
	return err_set(err, -EIO, "it failed: %.*s", (int)strcspn(first, "\n"), *first ? first :
		       "without a word");
}

static int end_perf(struct witness *w)
{
	int code;

	close(w->talk);
	w->talk = -1;
	command_ended(w->pid, true, &code);
	w->pid = 0;
	return code;
}

/* Until cat answers, which perf starts once all events are open and count. */
static bool has_begun(int talk)
{
	struct pollfd p = { .fd = talk, .events = POLLIN };
	char c = '\n';

	return send(talk, &c, 1, MSG_NOSIGNAL) == 1 && poll(&p, 1, PATIENCE_MS) == 1 &&
	       read(talk, &c, 1) == 1;
}

int witness_start(struct witness *w, struct err *err)
{
	const char *const argv[] = { PERF, "stat", "-a", "--per-socket", "-x", ";", "-e", w->list,
				     "--", "cat", NULL };
	int ends[2], r;

	w->said = memfd_create("perf", MFD_CLOEXEC);
	if (w->said < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, -errno, "no descriptor for it: %s", strerror(errno));
	setenv("LC_ALL", "C", 1);               /* it prints 100.00, not 100,00 */
	r = command_start(argv, (const struct command_file[]){ { ends[1], STDIN_FILENO },
		{ ends[1], STDOUT_FILENO }, { w->said, STDERR_FILENO } }, 3, &w->pid);
	close(ends[1]);
	w->talk = ends[0];
	if (r < 0) {
		w->pid = 0;
		return err_set(err, r, "it cannot be run: %s", strerror(-r));
	}
	if (has_begun(w->talk))
		return 0;
	end_perf(w);
	return perf_failed(w, err);
}

/* "S0;8;12345;;uncored3x;2000000;100.00;;": socket, CPUs, count, unit, name, for how long it was
 * counted, which share of the time that is. A count that is no number: it was not counted. */
enum { AT_SOCKET, AT_COUNT = 2, AT_UNIT, AT_NAME, AT_PERCENT = 6, FIELDS };

/* How many bytes perf's unit is; 0: it is none of bytes, and what it printed is a count. */
static double unit_bytes(const char *unit)
{
	static const char *const units[] = { "Bytes", "KiB", "MiB", "GiB", "TiB" };

	for (unsigned i = 0; i < COUNT(units); i++)
		if (strcmp(units[i], unit) == 0)
			return ldexp(1, 10 * (int)i);
	return 0;
}

static int take_count(struct witness *w, struct witness_term *t, char *const field[FIELDS],
		      struct err *err)
{
	char *end;

	t->count = strtod(field[AT_COUNT], &end);
	if (!*end && end > field[AT_COUNT] && strtod(field[AT_PERCENT], NULL) >= ALL_OF_IT) {
		double bytes = unit_bytes(field[AT_UNIT]);

		if (bytes > 0) {
			t->count *= bytes;
			t->weight = 1;
		}
		return 0;
	}
	t->count = NAN;
	return err_set(err, -EBUSY, "it had no counter for %s all the time, beside those that "
		       "uncored uses: %s, %s %%", w->events[t->event]->text, field[AT_COUNT],
		       field[AT_PERCENT]);
}

static int take_line(struct witness *w, char *line, struct err *err)
{
	char *field[FIELDS];
	unsigned socket, event;

	for (unsigned i = 0; i < FIELDS; i++) {
		field[i] = strsep(&line, ";");
		if (!field[i])
			return 0;
	}
	if (sscanf(field[AT_SOCKET], "S%u", &socket) != 1 ||
	    sscanf(field[AT_NAME], "uncored%ux", &event) != 1)
		return 0;
	for (unsigned i = 0; i < w->n_terms; i++) {
		struct witness_term *t = &w->terms[i];
		int r;

		if (t->socket != socket || t->event != event)
			continue;
		r = take_count(w, t, field, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int witness_stop(struct witness *w, struct err *err)
{
	AUTO_FREE(free) char *said = NULL;
	char *save = NULL;

	if (end_perf(w) != 0)
		return perf_failed(w, err);
	said = read_said(w->said);
	if (!said)
		return err_set(err, -ENOMEM, "out of memory");
	for (char *l = strtok_r(said, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		int r = take_line(w, l, err);

		if (r < 0)
			return r;
	}
	return 0;
}

double witness_total(const struct witness *w, const char *family, unsigned socket)
{
	double sum = 0;
	bool any = false;

	for (unsigned i = 0; i < w->n_terms; i++) {
		const struct witness_term *t = &w->terms[i];

		if (t->socket != socket || fnmatch(family, t->metric->family, FNM_EXTMATCH) != 0)
			continue;
		sum += t->weight * t->count;
		any = true;
	}
	return any ? sum : NAN;
}

void witness_free(struct witness *w)
{
	if (!w)
		return;
	if (w->pid)
		end_perf(w);
	if (w->said >= 0)
		close(w->said);
	plan_free(w->plan);
	machine_close(&w->machine);
	free(w->terms);
	free(w->events);
	free(w->list);
	free(w);
}
