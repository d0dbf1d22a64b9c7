/* SPDX-License-Identifier: MIT
 * uncorectl top: what the front page shows first, in a terminal.
 * Owns:  the terminal, which is put back however it ends; lines of the last minute.
 * Never: which quantities there are (expo/overview.h); counting.
 */
#include "ctl/ctl.h"

#include "base/bits.h"
#include "expo/overview.h"
#include "verify/load.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* LOOKS: in an interval */
enum { POINTS = 60, SOCKETS = 64, TITLE = 32, NAME_TEXT = 128, INVALID_MAX = 8, LOOKS = 4,
       LOOKED_AT = 1000, TERMS = 2, STACKS = 32, STACK_TEXT = 96 };

#define QUANTITY(title, unit, how, limit, of) { title, unit, how, limit, of },
static const struct quantity { const char *title, *unit, *how, *limit, *of; } quantities[] =
	{ OVERVIEW(QUANTITY) };

struct top {
	const struct ctl *c;
	json_t *before, *now;           /* snapshots */
	struct socket {
		char id[24];
		double at;              /* of the last sample, seconds since 1970; 0: none yet */
		const char *down;       /* " stalled": why it has no values; "": it has */
		unsigned looks;         /* while it has none */
		struct line {
			double v[POINTS];       /* the latest last; NAN: a gap */
			double terms[TERMS];    /* the latest value of each metric of a sum */
			bool known;             /* has ever been counted */
			double limit;           /* the latest; NAN: none is known */
		} lines[COUNT(quantities)];
		/* I/O stacks with devices */
		struct stack {
			char unit[24], devices[STACK_TEXT];
			double read, wrote;     /* bytes a second; NAN: not known */
		} stacks[STACKS];
		unsigned n_stacks;
	} sockets[SOCKETS];
	unsigned n, points, looks;
	struct err nothing;             /* why it counts nothing at all; "": it counts */
	struct winsize size;            /* of the terminal */
};

/* ---- the terminal */

static struct termios as_found;
static volatile sig_atomic_t taken;

static void give_back(void)
{
	static const char text[] = "\033[?25h\033[?1049l";      /* the cursor, the other screen */

	if (!taken)
		return;
	taken = 0;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) > 0)   /* else nobody sees it */
		tcsetattr(STDIN_FILENO, TCSANOW, &as_found);
}

static void take_terminal(void)
{
	struct termios raw = as_found;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	taken = 1;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	if (write(STDOUT_FILENO, "\033[?1049h\033[?25l", 14) < 0)
		give_back();
}

/* Gives the terminal back until somebody continues us, or for ever. */
static void on_signal(int number)
{
	give_back();
	signal(number, number == SIGTSTP ? on_signal : SIG_DFL);
	raise(number == SIGTSTP ? SIGSTOP : number);
	if (number == SIGTSTP)
		take_terminal();
}

/* ---- values */

/* The series with just these labels, which it takes; at: its likely place in the list. NULL: there
 * is none, or it is not found in LOOKED_AT places: a server may mix them up. */
static json_t *series_of(json_t *snapshot, const char *family, size_t at, json_t *labels)
{
	json_t *list = ctl_series(snapshot, family), *found = NULL;
	size_t n = json_array_size(list), looked = n < LOOKED_AT ? n : LOOKED_AT;

	for (size_t i = 0; i < looked && !found; i++) {
		json_t *j = json_array_get(list, (at + i) % n);

		if (json_equal(json_object_get(j, "labels"), labels))
			found = j;
	}
	json_decref(labels);
	return found;
}

/* What a metric is on a socket now; unchanged while another group has its turn: then there is a
 * moment of its time at the most. false: it has no series there. */
static bool value_on(const struct top *t, const struct quantity *q, const char *name,
		     const char *socket, double *ret)
{
	bool rest = *name == '-', total = strstr(name, "_total");
	double sum = 0, most = 0, interval;
	char family[NAME_TEXT];
	unsigned n = 0;
	json_t *j, *was;
	size_t i;

	interval = json_number_value(json_object_get(t->now, "interval_seconds"));
	snprintf(family, sizeof(family), "uncore_%s", name + rest);
	json_array_foreach(ctl_series(t->now, family), i, j) {
		json_t *labels = json_object_get(j, "labels");
		double v = ctl_number(j), seconds;

		if (strcmp(ctl_text(labels, "socket") ?: "", socket) != 0)
			continue;
		was = total ? series_of(t->before, family, i, json_incref(labels)) : NULL;
		seconds = ctl_active_seconds(j) - ctl_active_seconds(was);
		if (was && !isnan(v) && seconds < interval / 10)
			return true;
		if (total)
			v = (v - ctl_number(was)) / seconds;
		v = rest ? 1 - v : v;
		sum += v;
		most = v > most ? v : most;
		n++;
	}
	if (!n)
		return false;
	if (strcmp(q->how, "avg") == 0)
		*ret = sum / n;
	else if (strcmp(q->how, "max") == 0 && !isnan(sum))
		*ret = most;
	else
		*ret = sum;
	return true;
}

/* What "a" or "a+b" is on a socket now, from what each metric was before. false: one of them has no
 * series there. */
static bool sum_on(const struct top *t, const struct quantity *q, const char *names,
		   const char *socket, double terms[TERMS], double *ret)
{
	char text[2 * NAME_TEXT], *rest = text;
	double now[TERMS], sum = 0;
	unsigned n = 0;

	snprintf(text, sizeof(text), "%s", names);
	memcpy(now, terms, sizeof(now));
	for (const char *name; n < TERMS && (name = strsep(&rest, "+")); n++) {
		if (!value_on(t, q, name, socket, &now[n]))
			return false;
		sum += now[n];
	}
	memcpy(terms, now, sizeof(now));
	*ret = sum;
	return true;
}

/* ---- I/O stacks */

/* The bytes a second of a stack's total; *ret is as before if it was not counted since. */
static void rate_of_stack(const struct top *t, const char *family, const char *socket,
			  const char *unit, double *ret)
{
	json_t *now = series_of(t->now, family, 0, JS_OBJECT(
		{ "socket", js_text(socket) }, { "unit", js_text(unit) }));
	json_t *was = series_of(t->before, family, 0, JS_OBJECT(
		{ "socket", js_text(socket) }, { "unit", js_text(unit) }));
	double seconds = ctl_active_seconds(now) - ctl_active_seconds(was);

	if (!now || !was)
		*ret = NAN;
	else if (seconds > 0)
		*ret = (ctl_number(now) - ctl_number(was)) / seconds;
}

static void take_stacks(const struct top *t, struct socket *s)
{
	for (unsigned i = 0; i < s->n_stacks; i++) {
		struct stack *k = &s->stacks[i];

		rate_of_stack(t, "uncore_pcie_read_bytes_total", s->id, k->unit, &k->read);
		rate_of_stack(t, "uncore_pcie_write_bytes_total", s->id, k->unit, &k->wrote);
	}
}

/* What the status says of a socket's stacks: those that have devices. */
static void name_stacks(struct socket *s, json_t *stacks)
{
	size_t i;
	json_t *j;

	s->n_stacks = 0;
	json_array_foreach(stacks, i, j) {
		const char *devices = ctl_text(j, "devices");
		struct stack *k = &s->stacks[s->n_stacks];

		if (!devices || !*devices || s->n_stacks == STACKS)
			continue;
		*k = (struct stack){ .read = NAN, .wrote = NAN };
		snprintf(k->unit, sizeof(k->unit), "%lld",
			 json_integer_value(json_object_get(j, "unit")));
		snprintf(k->devices, sizeof(k->devices), "%s", devices);
		s->n_stacks++;
	}
}

/* Devices are read at start and at a reload, so it is asked once a minute which there are. */
static void ask_for_stacks(struct top *t)
{
	struct err ignored = { "" };
	char *text = NULL;
	json_t *status = NULL, *j;
	size_t i;

	if (http_get(&t->c->server, "/api/v1/status", &text, &ignored) >= 0)
		status = json_loads(text, 0, NULL);
	free(text);
	json_array_foreach(json_object_get(status, "sockets"), i, j)
		for (unsigned k = 0; k < t->n; k++)
			if (strtoll(t->sockets[k].id, NULL, 10) ==
			    json_integer_value(json_object_get(j, "socket")))
				name_stacks(&t->sockets[k], json_object_get(j, "io_stacks"));
	json_decref(status);
}

static void take_point(struct top *t, const struct quantity *q, struct line *l, const char *socket)
{
	char names[512], *rest = names;
	double v = NAN;
	bool found = false;

	snprintf(names, sizeof(names), "%s", q->of);
	for (const char *name; !found && (name = strsep(&rest, " "));)
		found = sum_on(t, q, name, socket, l->terms, &v);
	memmove(l->v, l->v + 1, sizeof(l->v) - sizeof(*l->v));
	l->v[POINTS - 1] = found && isfinite(v) ? v : NAN;
	l->known |= found;
	if (!*q->limit || !value_on(t, q, q->limit, socket, &l->limit))
		l->limit = NAN;
}

/* ---- what is shown */

/* The last minute as far as there is room, from 0 to its highest. */
static void print_line(FILE *f, const struct top *t, const struct quantity *q, const struct line *l)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	int room = t->size.ws_col - TITLE - 36, n = room < (int)t->points ? room : (int)t->points;
	double high = 0, low = NAN;

	for (unsigned i = POINTS - t->points; i < POINTS; i++) {
		high = fmax(high, l->v[i]);
		low = fmin(low, l->v[i]);
	}
	fprintf(f, "  %-*s %10s  ", TITLE, q->title, ctl_human(l->v[POINTS - 1], q->unit).s);
	for (int i = POINTS - n; n > 0 && i < POINTS; i++) {
		int bar = high > 0 ? (int)(7.99 * fmax(l->v[i], 0) / high) : 0;

		fputs(isnan(l->v[i]) ? " " : bars[bar], f);
	}
	fprintf(f, "  %s to %s", ctl_human(low, q->unit).s, ctl_human(high, q->unit).s);
	if (l->limit > 0 && !isnan(l->v[POINTS - 1]))
		fprintf(f, ", %.0f %% of %s", 100 * l->v[POINTS - 1] / l->limit,
			ctl_human(l->limit, q->unit).s);
	fputc('\n', f);
}

static void print_stacks(FILE *f, const struct socket *s)
{
	if (s->n_stacks)
		fprintf(f, "  %-*s %10s %10s\n", TITLE + 16, "I/O stacks, by their devices", "read",
			"wrote");
	for (unsigned i = 0; i < s->n_stacks; i++)
		fprintf(f, "    %-*s %10s %10s\n", TITLE + 14, s->stacks[i].devices,
			ctl_human(s->stacks[i].read, "B/s").s,
			ctl_human(s->stacks[i].wrote, "B/s").s);
}

/* The events or metrics that are left out, but those of stalled sockets. Returns how many. */
static size_t print_left_out(FILE *f, const struct top *t, const char *family)
{
	static const char *const more[] = { "unit", "umask", "port", "link" };
	size_t i, n = 0;
	json_t *j;

	json_array_foreach(ctl_series(t->now, family), i, j) {
		json_t *l = json_object_get(j, "labels");
		const char *box = ctl_text(l, "box"), *v;

		if (strcmp(ctl_text(l, "reason") ?: "", "stalled") == 0 || n++ >= INVALID_MAX)
			continue;
		fprintf(f, "  socket %s %s%s%s%s", ctl_text(l, "socket"), box ?: "",
		       box ? ctl_text(l, "unit") : "", box ? "/" : "",
		       ctl_text(l, box ? "event" : "metric"));
		for (unsigned k = box ? 1 : 0; k < COUNT(more); k++)
			if ((v = ctl_text(l, more[k])) && *v)
				fprintf(f, " %s=%s", more[k], v);
		fprintf(f, ": \033[1m%s\033[0m\n", ctl_text(l, "reason"));
	}
	if (n > INVALID_MAX)
		fprintf(f, "  and %zu more\n", n - INVALID_MAX);
	return n;
}

static void print_all(FILE *f, const struct top *t)
{
	size_t n = 0;

	const char *host = ctl_text(t->now, "host"), *machine = ctl_text(t->now, "machine");

	fprintf(f, "uncored at %s, engine %s; press q to quit\n", t->c->server.url,
		ctl_text(t->now, "engine"));
	if (json_is_true(json_object_get(t->now, "simulated")))
		fputs("\033[7mSIMULATED: a model counts; no number is real.\033[0m\n", f);
	fprintf(f, "%s%s%s\n", host ?: "", host ? ": " : "",
		machine ?: ctl_text(t->now, "processor"));
	if (t->nothing.text[0])
		fprintf(f, "\033[1mNothing is counted:\033[0m %s\n", t->nothing.text);
	for (unsigned i = 0; i < t->n; i++) {
		fprintf(f, "\nsocket %s%s\n", t->sockets[i].id, t->sockets[i].down);
		for (unsigned k = 0; k < COUNT(quantities); k++)
			if (t->sockets[i].lines[k].known)
				print_line(f, t, &quantities[k], &t->sockets[i].lines[k]);
		print_stacks(f, &t->sockets[i]);
	}
	fputs("\nInvalid now (see uncored(8), VALIDITY):\n", f);
	for (unsigned i = 0; i < t->n; i++)
		if (*t->sockets[i].down)
			n += fprintf(f, "  socket %s, all of it:\033[1m%s\033[0m\n",
				    t->sockets[i].id, t->sockets[i].down) > 0;
	n += print_left_out(f, t, "uncored_slot_invalid");
	n += print_left_out(f, t, "uncored_metric_invalid");
	fprintf(f, n ? "" : "  nothing\n");
}

/* As many lines as the terminal has: one more would push the first ones out. */
static void print_screen(const struct top *t)
{
	char *text = NULL, *rest, *line;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	print_all(f, t);
	fclose(f);
	rest = text;
	printf("\033[H");
	for (int row = 1; row <= t->size.ws_row && (line = strsep(&rest, "\n")) && rest; row++)
		printf("%s%s\033[K", row > 1 ? "\n" : "", row < t->size.ws_row || !*rest ? line :
		       "\033[7mThere is more: enlarge the window\033[0m");
	printf("\033[J");
	fflush(stdout);
	free(text);
}

static void print_batch_stack(const struct stack *k)
{
	if (!isnan(k->read))
		printf(" \"%s read from memory\"=%.6g", k->devices, k->read);
	if (!isnan(k->wrote))
		printf(" \"%s wrote to memory\"=%.6g", k->devices, k->wrote);
}

/* A line a socket: time, socket, then the quantities in base units, or why there are none. */
static void print_batch(const struct top *t)
{
	const char *note = json_is_true(json_object_get(t->now, "simulated")) ? " SIMULATED" : "";

	for (unsigned i = 0; i < t->n; i++) {
		const struct socket *s = &t->sockets[i];

		printf("%.3f socket=%s%s%s%s%s", *s->down ? load_wall() : s->at, s->id, note,
		       s->down, t->nothing.text[0] ? ": " : "", t->nothing.text);
		for (unsigned k = 0; !*s->down && k < COUNT(quantities); k++)
			if (s->lines[k].known && !isnan(s->lines[k].v[POINTS - 1]))
				printf(" \"%s\"=%.6g", quantities[k].title,
				       s->lines[k].v[POINTS - 1]);
		for (unsigned k = 0; !*s->down && k < s->n_stacks; k++)
			print_batch_stack(&s->stacks[k]);
		putchar('\n');
	}
	fflush(stdout);
}

/* Waits until the next look. true: somebody pressed q. */
static bool wait_or_quit(const struct top *t)
{
	double interval = json_number_value(json_object_get(t->now, "interval_seconds"));
	struct pollfd p = { .fd = taken ? STDIN_FILENO : -1, .events = POLLIN };
	char key = 0;

	return poll(&p, 1, (int)(1000 * fmax(interval, 1) / LOOKS)) > 0 &&
	       (read(STDIN_FILENO, &key, 1) <= 0 || key == 'q');
}

/* `j`: what a snapshot says of it. Has it a new sample, or for another interval none? */
static bool is_due(const struct top *t, struct socket *s, json_t *j)
{
	double was = s->at;
	bool up = ctl_number(series_of(t->now, "uncored_up", (size_t)(s - t->sockets), JS_OBJECT(
		{ "socket", js_text(s->id) }))) > 0;

	s->at = json_number_value(json_object_get(j, "timestamp_seconds"));
	s->looks = up ? 0 : s->looks + 1;
	s->down = "";
	if (up)
		return s->at > was;
	if (t->nothing.text[0])
		s->down = " nothing is counted";
	else
		s->down = s->at > 0 ? " stalled" : " no sample yet";
	return s->looks % LOOKS == 1;
}

/* 1: a socket is due; 0: none; -1 with a sentence. */
static int refresh(struct top *t, struct err *err)
{
	int any = 0;
	json_t *next = ctl_snapshot(&t->c->server, err), *j;

	if (!next)
		return -1;
	json_decref(t->before);
	t->before = t->now;
	t->now = next;
	ctl_why_nothing(&t->c->server, next, &t->nothing);
	json_array_foreach(json_object_get(next, "sockets"), t->n, j) {
		struct socket *s = &t->sockets[t->n];

		if (t->n == SOCKETS)
			break;
		snprintf(s->id, sizeof(s->id), "%lld",
			 json_integer_value(json_object_get(j, "socket")));
		if (!is_due(t, s, j))
			continue;
		any = 1;
		for (unsigned k = 0; k < COUNT(quantities); k++)
			take_point(t, &quantities[k], &s->lines[k], s->id);
		take_stacks(t, s);
	}
	if (t->looks++ % (POINTS * LOOKS) == 0)
		ask_for_stacks(t);
	t->points += any && t->before && t->points < POINTS;
	return any;
}

int ctl_top(const struct ctl *c)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT,
				       SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE,
				       SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGTSTP };
	static struct top t;
	struct err err = { "" };
	int r;

	t.c = c;
	r = refresh(&t, &err);
	if (r >= 0 && !c->batch && isatty(STDOUT_FILENO) &&
	    tcgetattr(STDIN_FILENO, &as_found) == 0) {
		for (unsigned i = 0; i < COUNT(signals); i++)
			signal(signals[i], on_signal);
		atexit(give_back);
		take_terminal();
	}
	for (int n = 0; r >= 0 && (!c->repeat || n < c->repeat) && !wait_or_quit(&t);) {
		r = refresh(&t, &err);
		n += r;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &t.size) < 0 || !t.size.ws_row)
			t.size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
		if (r > 0)
			(taken ? print_screen : print_batch)(&t);
	}
	give_back();
	json_decref(t.before);
	json_decref(t.now);
	return r < 0 ? ctl_fail(CTL_UNAVAILABLE, "%s", err.text) : 0;
}
