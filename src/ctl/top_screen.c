/* SPDX-License-Identifier: MIT
 * What uncorectl top shows: a screen, or lines for programs.
 * Owns:  how each quantity is drawn.
 * Never: the terminal's state, where values come from.
 */
#include "ctl/top.h"

#include "base/bits.h"
#include "verify/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 32, INVALID_MAX = 8 };

#define QUANTITY(title, unit, how, limit, of) { title, unit, how, limit, of },
const struct quantity top_quantities[QUANTITIES] = { OVERVIEW(QUANTITY) };

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
		for (unsigned k = 0; k < QUANTITIES; k++)
			if (t->sockets[i].lines[k].known)
				print_line(f, t, &top_quantities[k], &t->sockets[i].lines[k]);
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

/* One line more than the terminal has would push the first ones out. */
void top_print_screen(const struct top *t)
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

void top_print_batch(const struct top *t)
{
	const char *note = json_is_true(json_object_get(t->now, "simulated")) ? " SIMULATED" : "";

	for (unsigned i = 0; i < t->n; i++) {
		const struct socket *s = &t->sockets[i];

		printf("%.3f socket=%s%s%s%s%s", *s->down ? load_wall() : s->at, s->id, note,
		       s->down, t->nothing.text[0] ? ": " : "", t->nothing.text);
		for (unsigned k = 0; !*s->down && k < QUANTITIES; k++)
			if (s->lines[k].known && !isnan(s->lines[k].v[POINTS - 1]))
				printf(" \"%s\"=%.6g", top_quantities[k].title,
				       s->lines[k].v[POINTS - 1]);
		for (unsigned k = 0; !*s->down && k < s->n_stacks; k++)
			print_batch_stack(&s->stacks[k]);
		putchar('\n');
	}
	fflush(stdout);
}
