/* SPDX-License-Identifier: MIT
 * uncorectl top: what its files tell each other.
 * Owns:  the shape of what is known of each socket.
 * Never: how it is come by, how it is drawn.
 */
#ifndef CTL_TOP_H
#define CTL_TOP_H

#include "ctl/ctl.h"
#include "expo/overview.h"

#include <stdio.h>
#include <sys/ioctl.h>

/* LOOKS: in an interval */
enum { POINTS = 60, SOCKETS = 64, LOOKS = 4, TERMS = 2, STACKS = 32, STACK_TEXT = 96 };

/* What is shown first, as expo/overview.h has it. */
#define TOP_ONE(...) + 1
enum { QUANTITIES = 0 OVERVIEW(TOP_ONE) };
struct quantity { const char *title, *unit, *how, *limit, *of; };

struct top {
	const struct ctl *c;
	json_t *before, *now;           /* snapshots */
	struct socket {
		char id[24];
		double at;              /* of the last sample, seconds since 1970; 0: none yet */
		const char *down;       /* " stalled": why it has no values now; "": it has */
		unsigned looks;         /* while it has none */
		struct line {
			double v[POINTS];       /* the latest last; NAN: a gap */
			double terms[TERMS];    /* the latest value of each metric of a sum */
			bool known;             /* has ever been counted */
			double limit;           /* the latest; NAN: none is known */
		} lines[QUANTITIES];
		/* I/O stacks with devices */
		struct stack {
			char unit[24], devices[STACK_TEXT];
			double read, wrote;     /* bytes a second; NAN: not known */
		} stacks[STACKS];
		unsigned n_stacks;
		json_t *totals;         /* at its last sample, by stat_by_name(); NULL: none yet */
		json_t *units;          /* of stat_gains(), between its last two; NULL: not yet */
	} sockets[SOCKETS];
	unsigned n, points, looks;
	struct err nothing;             /* why it counts nothing at all; "": it counts */
	bool paused;                    /* the counters are left to other tools */
	bool reload_failed;             /* the configuration in use is an old one */
	bool other_head;                /* one of the two is not as it was a look before */
	struct winsize size;            /* of the terminal */
	bool utf8;                      /* the terminal shows block elements */
	bool on_screen;                 /* of a terminal that was taken; else lines for programs */
	bool show_units;
	int only;                       /* index of the one socket that is shown; -1: all */
	int first;                      /* of the lines that scroll, the first that is shown */
};

/* ---- top_screen.c */

extern const struct quantity top_quantities[QUANTITIES];
/* As many lines as the terminal has, of which some scroll: t->first is made one of them. */
void top_print_screen(struct top *t);
/* A line a socket: time, socket, then the quantities in base units, or why there are none. */
void top_print_batch(const struct top *t);

/* ---- top_terminal.c */

/* Takes the terminal, which is put back however this ends. false: there is none, or it cannot place
 * text (TERM is "dumb", or not set). */
bool top_terminal_take(void);
/* Does it take UTF-8, as the locale of its user says? That locale need not be installed here. */
bool top_terminal_is_utf8(void);
void top_terminal_give_back(void);
struct winsize top_terminal_size(void);
/* What was pressed within so many milliseconds; TOP_RESIZED: the size is another. */
enum top_key { TOP_NOTHING, TOP_QUIT, TOP_RESIZED, TOP_UP, TOP_DOWN, TOP_PAGE_UP, TOP_PAGE_DOWN,
	       TOP_HOME, TOP_END, TOP_SOCKET, TOP_UNITS, TOP_OTHER };
enum top_key top_terminal_key(int ms);

/* ---- top_units.c */

/* A sample of the socket is new. */
void top_take_units(struct socket *s, json_t *now);
/* title: how wide the names are. */
void top_print_units(FILE *f, const struct socket *s, int title);

#endif
