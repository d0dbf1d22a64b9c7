/* SPDX-License-Identifier: MIT
 * One rig and one run on it, and a look at what became of its samples.
 *
 * Never: what is expected of them.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "rig.h"

#include "sample/histogram.h"

#define MSEC NSEC_PER_MSEC

static struct rig r;
static struct run u;

static inline const struct plan_socket *socket0(void)
{
	return &u.plan->sockets[0];
}

/* The distribution of a watch: the first of its words. */
static inline const uint64_t *words_of(unsigned w)
{
	return &u.s[0].words[layout_histogram(socket0(), w)];
}

/* A double that stands in a word. */
static inline double real(uint64_t word)
{
	double v;

	memcpy(&v, &word, sizeof(v));
	return v;
}

#endif
