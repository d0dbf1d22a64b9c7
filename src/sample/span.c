/* SPDX-License-Identifier: MIT
 * The clock of a socket: since when counts wait for a commit, and the window of derived values;
 * see state.h.
 * Owns:  struct span, which is made once at each commit; the window; how long registers counted
 *        and were frozen.
 * Never: how long a slot counted (slot_time.c), when an overflow stopped the counters
 *        (overflow_time.c).
 * The sampler thread; allocates nothing.
 */
#include "sample/state.h"

void span_begin(struct sampler *s, nsec before, nsec after)
{
	s->window = (struct window){ .start = after, .end = s->window.end };
	/* The kernel says how long perf events ran since they were enabled; registers run from the
	 * last write on. */
	s->clock.since = round_of(s)->n_reg ? after : before;
}

struct span span_take(struct sampler *s)
{
	struct span span = { .since = s->clock.since, .until = s->read.at };

	s->ops->account(s, &span);
	s->window.counted += span.counted;
	s->clock.counted += span_counted(&span);
	s->clock.since = span.until;
	span_frozen(s, span.frozen);
	return span;
}

void span_frozen(struct sampler *s, nsec frozen)
{
	s->words[W_FROZEN] += (uint64_t)frozen;
}

void window_next(struct sampler *s)
{
	s->window = (struct window){
		.start = s->read.at,
		.read_duration = s->read.took,
		.read_held = s->read.held,
		.end = (s->read.at / s->interval + 1) * s->interval,
	};
}

void window_set_end(struct sampler *s, nsec end)
{
	s->window.end = end;
}
