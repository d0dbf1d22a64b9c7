/* SPDX-License-Identifier: MIT
 * What uncorectl top shows: a screen, or lines for programs.
 * Owns:  how each quantity is drawn.
 * Never: the terminal's state, where values come from.
 */
#include "ctl/top.h"

#include "base/bits.h"
#include "base/cleanup.h"
#include "verify/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 32, VALUE = 14, INVALID_MAX = 200 };

#define QUANTITY(title, unit, how, limit, of) { title, unit, how, limit, of },
const struct quantity top_quantities[QUANTITIES] = { OVERVIEW(QUANTITY) };

/* How wide the titles are: a value is beside them in a narrow terminal, too. */
static int title_width(const struct top *t)
{
	int room = t->size.ws_col - VALUE;

	return room < TITLE ? room : TITLE;
}

/* The last intervals as far as there is room, from 0 to its highest. */
static void print_line(FILE *f, const struct top *t, const struct quantity *q, const struct line *l)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { ".", ":", "-", "=", "+", "*", "#", "@" };
	const char *const *bars = t->utf8 ? blocks : ascii;
	int title = title_width(t), room = t->size.ws_col - TITLE - 36;
	int n = room < (int)t->points ? room : (int)t->points;
	double high = NAN, low = NAN;

	for (unsigned i = POINTS - t->points; i < POINTS; i++) {
		high = fmax(high, l->v[i]);
		low = fmin(low, l->v[i]);
	}
	fprintf(f, "  %-*.*s %10s  ", title, title, q->title,
		ctl_human(l->v[POINTS - 1], q->unit).s);
	for (int i = POINTS - n; n > 0 && i < POINTS; i++) {
		int bar = high > 0 ? (int)(7.99 * fmax(l->v[i], 0) / high) : 0;

		fputs(isnan(l->v[i]) ? " " : bars[bar], f);
	}
	fprintf(f, "  %s to %s\n", ctl_human(low, q->unit).s, ctl_human(high, q->unit).s);
}

/* In a line of its own: a narrow terminal has no room for it behind the others. */
static void print_limit(FILE *f, const struct top *t, const struct quantity *q,
			const struct line *l)
{
	int title = title_width(t);
	char text[64];

	if (!(l->limit > 0) || isnan(l->v[POINTS - 1]))
		return;
	snprintf(text, sizeof(text), "  of the limit %s", ctl_human(l->limit, q->unit).s);
	fprintf(f, "  %-*.*s %8.0f %%\n", title, title, text, 100 * l->v[POINTS - 1] / l->limit);
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

/* The events or metrics that are left out, but those of sockets that are left out as a whole.
 * Returns how many. */
static size_t print_left_out(FILE *f, const struct top *t, const char *family)
{
	static const char *const more[] = { "unit", "umask", "port", "link" };
	size_t i, n = 0;
	json_t *j;

	json_array_foreach(ctl_series(t->now, family), i, j) {
		json_t *l = json_object_get(j, "labels");
		const char *box = ctl_text(l, "box"), *reason = ctl_text(l, "reason") ?: "", *v;

		if (strcmp(reason, "stalled") == 0 || strcmp(reason, "paused") == 0 ||
		    n++ >= INVALID_MAX)
			continue;
		if (box)
			fprintf(f, "  socket %s %s%s/%s", ctl_text(l, "socket"), box,
				ctl_text(l, "unit"), ctl_text(l, "event"));
		else
			fprintf(f, "  socket %s %s", ctl_text(l, "socket"), ctl_text(l, "metric"));
		for (unsigned k = box ? 1 : 0; k < COUNT(more); k++)
			if ((v = ctl_text(l, more[k])) && *v)
				fprintf(f, " %s=%s", more[k], v);
		fprintf(f, ": \033[1m%s\033[0m\n", reason);
	}
	if (n > INVALID_MAX)
		fprintf(f, "  and %zu more\n", n - INVALID_MAX);
	return n;
}

/* What does not scroll: who it is, and what is to be known before any number is read. */
static void print_head(FILE *f, const struct top *t)
{
	fprintf(f, "uncored at %s, engine %s; press q to quit\n", t->c->server.url,
		ctl_text(t->now, "engine"));
	if (json_is_true(json_object_get(t->now, "simulated")))
		fputs("\033[7mSIMULATED: a model counts; no number is real.\033[0m\n", f);
	if (t->paused)
		fputs("\033[7mPAUSED: uncorectl pause has the counters; nothing is counted."
		      "\033[0m\n", f);
	if (t->reload_failed)
		fputs("\033[7mThe last reload failed; the old configuration is still in use."
		      "\033[0m\n", f);
}

static void print_socket(FILE *f, const struct top *t, const struct socket *s)
{
	fprintf(f, "\nsocket %s%s\n", s->id, s->down);
	for (unsigned k = 0; k < QUANTITIES; k++) {
		if (!s->lines[k].known)
			continue;
		print_line(f, t, &top_quantities[k], &s->lines[k]);
		print_limit(f, t, &top_quantities[k], &s->lines[k]);
	}
	print_stacks(f, s);
	if (t->show_units && !*s->down)
		top_print_units(f, s, title_width(t));
}

static void print_body(FILE *f, const struct top *t)
{
	const char *host = ctl_text(t->now, "host"), *machine = ctl_text(t->now, "machine");
	size_t n = 0;

	if (host)
		fprintf(f, "%s: ", host);
	fprintf(f, "%s\n", machine ?: ctl_text(t->now, "processor"));
	if (t->nothing.text[0])
		fprintf(f, "\033[1mNothing is counted:\033[0m %s\n", t->nothing.text);
	for (unsigned i = 0; i < t->n; i++)
		if (t->only < 0 || t->only == (int)i)
			print_socket(f, t, &t->sockets[i]);
	fputs("\nInvalid now (see uncored(8), VALIDITY):\n", f);
	for (unsigned i = 0; i < t->n; i++)
		if (*t->sockets[i].down)
			n += fprintf(f, "  socket %s, all of it:\033[1m%s\033[0m\n",
				    t->sockets[i].id, t->sockets[i].down) > 0;
	n += print_left_out(f, t, "uncored_slot_invalid");
	n += print_left_out(f, t, "uncored_metric_invalid");
	fprintf(f, n ? "" : "  nothing\n");
}

/* The line as far as the terminal is wide; what switches its attributes takes no room, and all of
 * that is written. */
static void put_cut(const char *line, int columns)
{
	for (int at = 0; *line; line++) {
		if (*line == '\033') {
			size_t n = strcspn(line, "m");

			printf("%.*s", (int)n + 1, line);
			line += n;
			continue;
		}
		at += (*line & 0xc0) != 0x80;           /* the first byte of a character */
		if (at <= columns)
			putchar(*line);
	}
}

/* Writes the lines of a text from the one with the number `first` on, at most `most`. Returns how
 * many the text has. */
static int put_lines(const char *text, int first, int most, int columns)
{
	int n = 0;

	for (const char *line = text; *line; n++) {
		size_t length = strcspn(line, "\n");
		char *one = strndup(line, length);

		if (one && n >= first && n < first + most) {
			put_cut(one, columns);
			fputs("\033[K\n", stdout);
		}
		free(one);
		line += length + (line[length] == '\n');
	}
	return n;
}

/* The last line: which lines these are, and what the keys do. */
static void put_status(const struct top *t, int shown, int all)
{
	char text[160], place[64] = "";
	int last = t->first + shown < all ? t->first + shown : all;

	if (all > shown)
		snprintf(place, sizeof(place), "lines %d to %d of %d; arrows scroll; ",
			 t->first + 1, last, all);
	snprintf(text, sizeof(text), "%sq quits, s: %s, u: %s units and links", place,
		 t->only < 0 ? "one socket" : "another socket", t->show_units ? "no" : "with");
	printf("\033[7m");
	put_cut(text, t->size.ws_col);
	printf("\033[0m\033[K");
}

/* What print writes, to be freed; NULL: there is no memory. */
static char *text_of(void (*print)(FILE *f, const struct top *t), const struct top *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	print(f, t);
	fclose(f);
	return text;
}

/* A line more than the terminal has would push the first ones out. */
void top_print_screen(struct top *t)
{
	AUTO_FREE(free) char *head = text_of(print_head, t);
	AUTO_FREE(free) char *body = text_of(print_body, t);
	int room, all = 0, fixed = 0;

	if (!head || !body)
		return;
	for (const char *s = body; *s; s++)
		all += *s == '\n';
	for (const char *s = head; *s; s++)
		fixed += *s == '\n';
	room = t->size.ws_row - fixed - 1;
	if (room < 1)
		room = 1;
	if (t->first > all - room)
		t->first = all - room;
	if (t->first < 0)
		t->first = 0;
	printf("\033[H");
	put_lines(head, 0, t->size.ws_row - 2, t->size.ws_col);
	put_lines(body, t->first, room, t->size.ws_col);
	put_status(t, room, all);
	printf("\033[J");
	fflush(stdout);
}

static void print_quantity(const char *what, double v, const char *unit)
{
	printf(" \"%s\"=%.6g %s", what, v, strcmp(unit, "%") == 0 ? "ratio" : unit);
}

/* And its share of the most that it can be, where that is known. */
static void print_batch_line(const struct quantity *q, const struct line *l)
{
	double v = l->v[POINTS - 1];
	char what[128];

	if (!l->known || isnan(v))
		return;
	print_quantity(q->title, v, q->unit);
	snprintf(what, sizeof(what), "%s, of the limit", q->title);
	if (l->limit > 0)
		print_quantity(what, v / l->limit, "%");
}

static void print_batch_stack(const struct stack *k)
{
	char what[STACK_TEXT + 32];

	snprintf(what, sizeof(what), "%s read from memory", k->devices);
	if (!isnan(k->read))
		print_quantity(what, k->read, "B/s");
	snprintf(what, sizeof(what), "%s wrote to memory", k->devices);
	if (!isnan(k->wrote))
		print_quantity(what, k->wrote, "B/s");
}

void top_print_batch(const struct top *t)
{
	const char *note = json_is_true(json_object_get(t->now, "simulated")) ? " SIMULATED" : "";

	for (unsigned i = 0; i < t->n; i++) {
		const struct socket *s = &t->sockets[i];

		printf("%.3f socket=%s%s%s%s%s", *s->down ? load_wall() : s->at, s->id, note,
		       s->down, t->nothing.text[0] ? ": " : "", t->nothing.text);
		for (unsigned k = 0; !*s->down && k < QUANTITIES; k++)
			print_batch_line(&top_quantities[k], &s->lines[k]);
		for (unsigned k = 0; !*s->down && k < s->n_stacks; k++)
			print_batch_stack(&s->stacks[k]);
		putchar('\n');
	}
	fflush(stdout);
}
