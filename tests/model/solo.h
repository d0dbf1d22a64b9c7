/* SPDX-License-Identifier: MIT
 * One rig of one socket and one run on it, and what tests of disturbances say about them.
 *
 * Time stands still during a tick here, so each expectation is an equation between a published
 * total and what the model says that the counter counted at the moments of the ticks.
 */
#ifndef TESTS_MODEL_SOLO_H
#define TESTS_MODEL_SOLO_H

#include "rig.h"

#define SECOND "interval = \"1s\"; "
#define EN_ALL BIT(28)
#define RST_ALL BIT(29)

static struct rig r;
static struct run u;

static inline void begin(const char *conf)
{
	rig_open(&r, 1, "stream", 21);
	run_open(&u, &r, conf, NULL);
	/* High up, so that a counter set to 0 is seen to be: not every one could have come there by
	 * counting. */
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		model_poke(r.m, 0, u.s[0].slots[k].data, TOP48 / 2 + k * 12345);
	run_start(&u);
	run_ticks(&u, 3, 0);
	run_exact(&u, __LINE__, NULL);
}

static inline void end(void)
{
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
}

static inline void write_foreign(uint32_t off, uint64_t value)
{
	assert_int_equal(model_write(r.m, 0, msr(off), value), 0);
}

static inline uint64_t peek(uint32_t off)
{
	return model_peek(r.m, 0, msr(off));
}

static inline void has_reason(const struct slot *s, enum reason want, int line)
{
	if (slot_reason(&u, 0, s) != want)
		print_error("line %d: %s is \"%s\", not \"%s\"\n", line, s->plan->identity,
			    reason_name(slot_reason(&u, 0, s)), reason_name(want));
	assert_int_equal(slot_reason(&u, 0, s), want);
}

static inline void has_total(const struct slot *s, uint64_t want, int line)
{
	same_u64(slot_total(&u, 0, s), want, s->plan->identity, line);
}

#endif
