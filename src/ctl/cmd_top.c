/* SPDX-License-Identifier: MIT
 * uncorectl top: what the front page shows first, in a terminal.
 * Owns:  when it is asked for; lines of the last intervals.
 * Never: which quantities there are (expo/overview.h); counting; how they are drawn.
 */
#include "ctl/top.h"

#include "base/clock.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_TEXT = 128, LOOKED_AT = 1000 };

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

/* The bytes a second of a stack's total; *ret is as before if it is valid but was not counted
 * since: another group has its turn. */
static void rate_of_stack(const struct top *t, const char *family, const char *socket,
			  const char *unit, double *ret)
{
	json_t *now = series_of(t->now, family, 0, JS_OBJECT(
		{ "socket", js_text(socket) }, { "unit", js_text(unit) }));
	json_t *was = series_of(t->before, family, 0, JS_OBJECT(
		{ "socket", js_text(socket) }, { "unit", js_text(unit) }));
	double seconds = ctl_active_seconds(now) - ctl_active_seconds(was);

	if (isnan(ctl_number(now)) || isnan(ctl_number(was)))
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

/* Devices are read at start and at a reload, so it is asked now and then which there are. */
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

/* ---- keys */

static void scroll(struct top *t, enum top_key key)
{
	const int page = t->size.ws_row > 5 ? t->size.ws_row - 4 : 1;

	switch (key) {
	case TOP_UP:
		t->first -= 1;
		break;
	case TOP_DOWN:
		t->first += 1;
		break;
	case TOP_PAGE_UP:
		t->first -= page;
		break;
	case TOP_PAGE_DOWN:
		t->first += page;
		break;
	case TOP_HOME:
		t->first = 0;
		break;
	case TOP_END:
		t->first = INT_MAX / 2;
		break;
	case TOP_NOTHING:
	case TOP_QUIT:
	case TOP_RESIZED:
	case TOP_SOCKET:
	case TOP_UNITS:
	case TOP_OTHER:
		break;
	}
}

/* All sockets, then one after the other. */
static void next_socket(struct top *t)
{
	t->only++;
	if (t->only >= (int)t->n)
		t->only = -1;
	t->first = 0;
}

static void show(struct top *t)
{
	t->size = top_terminal_size();
	top_print_screen(t);
}

/* In seconds: uncored publishes each interval, but no more often than this. */
#define PUBLISHED 0.1

/* Until the next look, or until somebody wants to quit: then true. */
static bool wait_or_quit(struct top *t)
{
	const double interval = json_number_value(json_object_get(t->now, "interval_seconds"));
	const nsec end = clock_read(CLOCK_MONOTONIC) +
			 (nsec)(fmax(interval, PUBLISHED) / LOOKS * NSEC_PER_SEC);

	for (;;) {
		nsec left = end - clock_read(CLOCK_MONOTONIC);
		enum top_key key;

		if (left <= 0)
			return false;
		if (!t->on_screen) {
			usleep((useconds_t)(left / NSEC_PER_USEC));
			continue;
		}
		key = top_terminal_key((int)(left / NSEC_PER_MSEC) + 1);
		if (key == TOP_QUIT)
			return true;
		if (key == TOP_NOTHING)
			continue;
		if (key == TOP_SOCKET)
			next_socket(t);
		if (key == TOP_UNITS)
			t->show_units = !t->show_units;
		scroll(t, key);
		show(t);
	}
}

/* ---- looks */

/* A value of the daemon itself; NAN: this server has none of that name. */
static double value_of_daemon(const struct top *t, const char *family)
{
	return ctl_number(json_array_get(ctl_series(t->now, family), 0));
}

/* `j`: what a snapshot says of it. Has it a new sample, or for another interval none? */
static bool is_due(const struct top *t, struct socket *s, json_t *j)
{
	double was = s->at;
	bool up = !t->paused &&
		  ctl_number(series_of(t->now, "uncored_up", (size_t)(s - t->sockets), JS_OBJECT(
			{ "socket", js_text(s->id) }))) > 0;

	s->at = json_number_value(json_object_get(j, "timestamp_seconds"));
	s->looks = up ? 0 : s->looks + 1;
	s->down = "";
	if (up)
		return s->at > was;
	if (t->nothing.text[0])
		s->down = " nothing is counted";
	else if (t->paused)
		s->down = " paused";
	else
		s->down = s->at > 0 ? " stalled" : " no sample yet";
	return s->looks % LOOKS == 1;
}

/* 1: a socket is due; 0: none; -1 with a sentence. */
static int refresh(struct top *t, struct err *err)
{
	int any = 0;
	bool paused, failed;
	json_t *next = ctl_snapshot(&t->c->server, err), *j;

	if (!next)
		return -1;
	json_decref(t->before);
	t->before = t->now;
	t->now = next;
	ctl_why_nothing(&t->c->server, next, &t->nothing);
	paused = value_of_daemon(t, "uncored_paused") > 0;
	failed = value_of_daemon(t, "uncored_config_last_reload_successful") <= 0;
	t->other_head = paused != t->paused || failed != t->reload_failed;
	t->paused = paused;
	t->reload_failed = failed;
	json_array_foreach(json_object_get(next, "sockets"), t->n, j) {
		struct socket *s = &t->sockets[t->n];

		if (t->n == SOCKETS)
			break;
		snprintf(s->id, sizeof(s->id), "%lld",
			 json_integer_value(json_object_get(j, "socket")));
		if (!is_due(t, s, j))
			continue;
		any = 1;
		for (unsigned k = 0; k < QUANTITIES; k++)
			take_point(t, &top_quantities[k], &s->lines[k], s->id);
		take_stacks(t, s);
		if (!t->c->batch)
			top_take_units(s, next);
	}
	if (t->looks++ % (POINTS * LOOKS) == 0)
		ask_for_stacks(t);
	t->points += any && t->before && t->points < POINTS;
	return any;
}

/* Returns 1: that many were printed. */
static int print(struct top *t)
{
	if (t->on_screen)
		show(t);
	else
		top_print_batch(t);
	return 1;
}

int ctl_top(const struct ctl *c)
{
	static struct top t = { .only = -1 };
	struct err err = { "" };
	int n = 0, r;

	t.c = c;
	r = refresh(&t, &err);
	if (r >= 0 && !c->batch)
		t.on_screen = top_terminal_take();
	t.utf8 = top_terminal_is_utf8();
	if (r >= 0 && t.paused)                 /* there is nothing to wait for */
		n += print(&t);
	else if (t.on_screen)
		show(&t);
	while (r >= 0 && (!c->repeat || n < c->repeat) && !wait_or_quit(&t)) {
		r = refresh(&t, &err);
		if (r > 0)
			n += print(&t);
		else if (r == 0 && t.on_screen && t.other_head)
			show(&t);
	}
	top_terminal_give_back();
	for (unsigned i = 0; i < t.n; i++) {
		json_decref(t.sockets[i].totals);
		json_decref(t.sockets[i].units);
	}
	json_decref(t.before);
	json_decref(t.now);
	return r < 0 ? ctl_fail(CTL_UNAVAILABLE, "%s", err.text) : 0;
}
