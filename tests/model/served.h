/* SPDX-License-Identifier: MIT
 * uncored of a plan as a whole, on a kernel and a clock of the test: counting, samplers, rings and
 * what it would serve of them.
 *
 * Owns the plan that it is given, and all that it makes of it. What fails fails the test. Include
 * after cmocka.h.
 */
#ifndef TESTS_SERVED_H
#define TESTS_SERVED_H

#include "access/perf_engine.h"
#include "expo/expo.h"
#include "sample/sampler.h"

#include <stdlib.h>
#include <string.h>

enum { SERVED_SOCKETS = 2 };

struct served {
	struct plan *plan;
	struct counting *perf[SERVED_SOCKETS];
	struct sampler *samplers[SERVED_SOCKETS];
	struct ring rings[SERVED_SOCKETS];
	void *mem[SERVED_SOCKETS];
	void *desc;
	size_t desc_len;
	struct expo_renderer *renderer;
};

/* A ring of so many words, all 0. free() what is returned. */
static inline void *served_ring(struct ring *ring, unsigned n_words)
{
	void *mem = aligned_alloc(64, ring_bytes(n_words));

	assert_non_null(mem);
	memset(mem, 0, ring_bytes(n_words));
	ring_init(ring, mem, n_words);
	return mem;
}

/* Perf events of `plan`, opened; nothing counts yet. */
static inline void served_open(struct served *v, struct plan *plan, const struct perf_sys *sys,
			       struct sampler_clock clock)
{
	struct err err;

	v->plan = plan;
	assert_int_equal(plan->n_sockets, SERVED_SOCKETS);
	for (unsigned i = 0; i < SERVED_SOCKETS; i++) {
		struct sampler_options o = { .plan = plan, .socket = i, .ring = &v->rings[i],
					     .clock = clock };

		if (counting_perf_new(sys, plan->sockets[i].perf, &v->perf[i], &err) < 0)
			fail_msg("%s", err.text);
		v->mem[i] = served_ring(&v->rings[i], layout_of(&plan->sockets[i]).n_words);
		o.perf = v->perf[i];
		if (sampler_new(&o, &v->samplers[i], &err) < 0)
			fail_msg("%s", err.text);
	}
}

/* What is served of the rings, as they are by now; offsets: of the generation before, or NULL. */
static inline void served_show(struct served *v, const char *engine, const char *processor,
			       const struct ring *daemon, const struct expo_offsets *offsets)
{
	const struct expo_identity identity = {
		.version = "0", .revision = "0", .engine = engine, .engine_note = "",
		.processor = processor, .workload = "",
	};
	struct err err;

	if (expo_describe(v->plan, &identity, offsets, &v->desc, &v->desc_len, &err) < 0 ||
	    expo_renderer_new(v->desc, v->desc_len, v->rings, daemon, NULL, &v->renderer,
			      &err) < 0)
		fail_msg("%s", err.text);
}

static inline void served_start(struct served *v)
{
	struct err err;

	for (unsigned i = 0; i < SERVED_SOCKETS; i++)
		if (sampler_start(v->samplers[i], &err) < 0)
			fail_msg("%s", err.text);
}

static inline void served_stop(struct served *v)
{
	for (unsigned i = 0; i < SERVED_SOCKETS; i++)
		sampler_stop(v->samplers[i]);
}

/* When the first of the samplers is due, on their clock. */
static inline nsec served_next(const struct served *v)
{
	nsec due = INT64_MAX;

	for (unsigned i = 0; i < SERVED_SOCKETS; i++) {
		nsec next = sampler_next(v->samplers[i]);

		due = next < due ? next : due;
	}
	return due;
}

static inline void served_tick(struct served *v, nsec now)
{
	for (unsigned i = 0; i < SERVED_SOCKETS; i++)
		if (sampler_next(v->samplers[i]) <= now)
			sampler_tick(v->samplers[i]);
}

static inline void served_unshow(struct served *v)
{
	expo_renderer_free(v->renderer);
	free(v->desc);
}

/* After served_stop(). */
static inline void served_close(struct served *v)
{
	served_unshow(v);
	for (unsigned i = 0; i < SERVED_SOCKETS; i++) {
		sampler_free(v->samplers[i]);
		v->perf[i]->ops->free(v->perf[i]);
		free(v->mem[i]);
	}
	plan_free(v->plan);
	*v = (struct served){ 0 };
}

#endif
