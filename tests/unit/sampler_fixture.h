/* SPDX-License-Identifier: MIT
 * A sampler on a counting engine made by hand and a clock that stands until it
 * is moved.
 *
 * One socket; each round is one group of two slots, a clock and an event under it, and a metric is
 * the event's rate in the first. After cmocka.h.
 */
#ifndef SAMPLER_FIXTURE_H
#define SAMPLER_FIXTURE_H

#include "derive/derive.h"
#include "sample/sampler.h"
#include "hand_series.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, ROUNDS = 2, CLOCK = 0, EVENT = 1 };

/* The engine: counters that the test sets; reads fail, checks fail and starts fail on command. */
struct hand {
	struct counting base;
	uint64_t raw[SLOTS];
	uint8_t read_reason[SLOTS], check_reason[SLOTS], start_reason[SLOTS];
	uint64_t at_stop;               /* counts that happen between the last read and the stop */
	uint64_t again;                 /* what an EVENT that is read again shows; 0: as before */
	uint64_t at_start;              /* and between the base and the first read */
	nsec slow;                      /* how long a read takes */
	int start_result, check_result, starts, stops, reads, reads_again, checks;
	unsigned round;
	bool counting;
};

static nsec now;

static inline int hand_start(struct counting *c, unsigned round, uint64_t *base, uint8_t *reason,
			     struct err *err)
{
	struct hand *h = (struct hand *)c;

	(void)err;
	h->starts++;
	if (h->start_result < 0)
		return h->start_result;
	h->round = round;
	h->counting = true;
	memcpy(base, h->raw, sizeof(h->raw));
	h->raw[EVENT] += h->at_start;
	memcpy(reason, h->start_reason, sizeof(h->start_reason));
	return 0;
}

static inline int hand_read(struct counting *c, uint64_t *raw, uint8_t *reason)
{
	struct hand *h = (struct hand *)c;

	h->reads++;
	now += h->slow;
	memcpy(raw, h->raw, sizeof(h->raw));
	memcpy(reason, h->read_reason, sizeof(h->read_reason));
	return 0;
}

static inline int hand_read_again(struct counting *c, unsigned slot, uint64_t *raw)
{
	struct hand *h = (struct hand *)c;

	h->reads_again++;
	if (slot == EVENT && h->again)
		h->raw[EVENT] = h->again;
	*raw = h->raw[slot];
	return 0;
}

static inline int hand_check(struct counting *c, uint8_t *reason)
{
	struct hand *h = (struct hand *)c;

	h->checks++;
	memcpy(reason, h->check_reason, sizeof(h->check_reason));
	return h->check_result;
}

static inline int hand_stop(struct counting *c)
{
	struct hand *h = (struct hand *)c;

	h->stops++;
	h->raw[EVENT] += h->at_stop;
	h->raw[CLOCK] += h->at_stop > 0;
	now += NSEC_PER_USEC;
	h->counting = false;
	return 0;
}

static const struct counting_ops hand_ops = {
	.start = hand_start, .read = hand_read, .read_again = hand_read_again,
	.check = hand_check, .stop = hand_stop,
};

static inline nsec hand_mono(void *p)
{
	(void)p;
	return now;
}

static inline nsec hand_wall(void *p)
{
	(void)p;
	return now + 1000 * NSEC_PER_SEC;
}

struct fixture {
	struct hand hand;
	struct sampler_options options;
	struct plan plan;
	struct plan_socket socket;
	struct plan_round rounds[ROUNDS];
	struct plan_slot slots[ROUNDS][SLOTS];
	struct plan_group groups[ROUNDS];
	unsigned group_index[ROUNDS], slot_index[SLOTS], *slots_of[ROUNDS];
	struct plan_metric metric;
	struct plan_addend num, den;
	struct layout layout;
	struct ring ring;
	void *mem;
	uint64_t words[512];
	struct sampler *s;
};

static struct fixture f;

/* rounds: 1 or 2; interval: ns; width: bits of both counters; max_rate: counts per second that they
 * can reach, 0: no bound. */
static inline void setup(unsigned rounds, nsec interval, unsigned width, double max_rate)
{
	memset(&f, 0, sizeof(f));
	now = 5 * NSEC_PER_SEC;
	f.hand.base.ops = &hand_ops;
	f.plan.interval = interval;
	f.plan.rotation = 2 * NSEC_PER_SEC;
	f.plan.sockets = &f.socket;
	f.plan.n_sockets = 1;
	f.socket.rounds = f.rounds;
	f.socket.n_rounds = rounds;
	f.socket.groups = f.groups;
	f.socket.n_groups = rounds;
	for (unsigned r = 0; r < rounds; r++) {
		f.group_index[r] = r;
		f.groups[r].round = r;
		f.groups[r].n_rounds = 1;
		f.groups[r].slots = f.slots_of;
		f.slots_of[r] = f.slot_index;
		f.groups[r].n_slots = SLOTS;
		f.rounds[r] = (struct plan_round){ .tick = interval, .slots = f.slots[r],
						   .n_slots = SLOTS, .n_perf = SLOTS,
						   .groups = &f.group_index[r], .n_groups = 1 };
		for (unsigned i = 0; i < SLOTS; i++) {
			f.slot_index[i] = i;
			f.slots[r][i] = (struct plan_slot){ .engine = PLAN_PERF, .engine_slot = i,
				.width = (uint8_t)width,
							    .max_inc = 1, .max_rate = max_rate,
							    .clock_slot = i == EVENT ? CLOCK : -1,
							    .always_runs = i == CLOCK };
		}
		if (max_rate > 0)
			f.slots[r][EVENT].safe_interval = f.slots[r][CLOCK].safe_interval =
				(nsec)(281474976710656.0 / max_rate * 1e9);
	}
	f.num = (struct plan_addend){ EVENT, 1 };
	f.den = (struct plan_addend){ -1, 1 };
	hand_series(&f.socket);
	f.metric = (struct plan_metric){ .scale = 1, .num = { &f.num, 1 },
					 .den = { &f.den, 1 } };
	f.socket.metrics = &f.metric;
	f.socket.n_metrics = f.socket.n_metric_series = 1;
	f.layout = layout_of(&f.socket);
	f.mem = calloc(1, ring_bytes(f.layout.n_words));
	ring_init(&f.ring, f.mem, f.layout.n_words);
	f.options = (struct sampler_options){ .plan = &f.plan, .perf = &f.hand.base,
					      .ring = &f.ring,
				      .clock = { .mono = hand_mono, .wall = hand_wall } };
	assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
}

static inline int teardown(void **state)
{
	(void)state;
	sampler_free(f.s);
	free(f.mem);
	free(f.socket.series);
	f.s = NULL;
	f.mem = NULL;
	f.socket.series = NULL;
	return 0;
}

static inline void count(uint64_t clock, uint64_t event)
{
	f.hand.raw[CLOCK] += clock;
	f.hand.raw[EVENT] += event;
}

static inline void tick(void)
{
	now = sampler_next(f.s);
	sampler_tick(f.s);
	assert_true(ring_read(&f.ring, f.words) > 0);
}

static inline uint64_t total(unsigned slot) { return f.words[f.layout.slot_total + slot]; }
static inline uint64_t reason(unsigned slot) { return f.words[f.layout.slot_reason + slot]; }

static inline double metric(void)
{
	double v;

	assert_int_equal(f.words[f.layout.metric_reason], REASON_NONE);
	memcpy(&v, &f.words[f.layout.metric_value], sizeof(v));
	return v;
}

/* A sampler for slots that were changed since setup(), and its start. */
static inline void again(void)
{
	sampler_free(f.s);
	assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
	sampler_start(f.s, NULL);
}

#endif
