/* SPDX-License-Identifier: MIT
 * The last ten minutes of what the front page draws, for who opens it.
 *
 * Owns:  the points: of each series at most one a second, a float; what follows which at a reload.
 * Never: which series these are (expo_drawn_new()), who gets them (routes.h), how they are drawn.
 * The http child's one thread.
 *
 * A total is kept as its rate, what it gained divided by the time in which it was counted. 240,000
 * points are the most, 1 MB: ten minutes of 400 series; of more series they are fewer, and of more
 * than 4000 the last ones have none. It ends with the process.
 */
#ifndef SERVE_HISTORY_H
#define SERVE_HISTORY_H

#include "expo/expo.h"

enum { HISTORY_POINTS = 600, HISTORY_SERIES = 4000, HISTORY_VALUES = 240000 };

struct history {
	unsigned n;                 /* series; 0: none, or there is no memory for them */
	unsigned room;              /* points of each, at most */
	unsigned points, next;      /* that there are; where the next one goes */
	float *values;              /* [room][n]; what is no number: see history.c */
	nsec *at;                   /* [room], on the samplers' clock */
	struct expo_drawn *last, *now;  /* per series: at the last point; while one is taken */
	nsec due;
};

/* history_swap - from now on the series of another renderer. One that the old one had, too, keeps
 * its points. Either may be NULL: there is none. */
void history_swap(struct history *h, const struct expo_renderer *old, struct expo_renderer *r);
/* ns until history_run() must be called; -1: never. */
nsec history_timeout(const struct history *h, nsec now);
/* history_run - takes a point, if it is time and there is something new. */
void history_run(struct history *h, struct expo_renderer *r, nsec now);
/*
 * history_event - the points as a server-sent event, malloc'ed; NULL: out of memory
 *
 * now, wall  this moment on both clocks. Points are told by the wall clock as it stands now,
 *            whatever it was set to in between.
 */
char *history_event(const struct history *h, const struct expo_renderer *r, nsec now, nsec wall,
		    size_t *ret_n);

#endif
