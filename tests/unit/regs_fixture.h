/* SPDX-License-Identifier: MIT
 * An engine on the register file of fake_regio.h, for the tests of the register
 * engine. */
#ifndef REGS_FIXTURE_H
#define REGS_FIXTURE_H

#include "fake_regio.h"

static struct fake f;
static struct counting *c;
static struct err err;
static uint64_t base[N_SLOTS], raw[N_SLOTS];
static uint8_t reason[N_SLOTS];

static inline int set_up(void **state)
{
	(void)state;
	fake_init(&f);
	set_freeze(&assembled_one, false);
	c = NULL;
	memset(&err, 0, sizeof(err));
	memset(base, 0xee, sizeof(base));
	memset(raw, 0xee, sizeof(raw));
	memset(reason, 0, sizeof(reason));
	/* What the counters stand at. */
	for (unsigned i = 0; i < N_SLOTS; i++)
		fake_set(&f, prog_slots[i].data.off, 1000 + i);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	if (c)
		c->ops->free(c);
	return 0;
}

static inline int new_with(const struct plan_program *p, bool takeover, bool freeze)
{
	set_freeze((struct assembled *)(uintptr_t)p, freeze);           /* its first member */
	return counting_regs_new(p, &f.base,
				 &(struct counting_regs_options){ .takeover = takeover }, NULL, &c,
				 &err);
}

static inline void begin(const struct plan_program *p)
{
	assert_int_equal(new_with(p, false, false), 0);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
}

static inline unsigned log_find(char op, uint32_t off, unsigned from)
{
	for (unsigned i = from; i < f.n_log; i++)
		if (f.log[i].op == op && f.log[i].off == off)
			return i;
	return FAKE_LOG;
}

static inline unsigned writes_to(uint32_t off)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f.n_log; i++)
		n += f.log[i].op == 'W' && f.log[i].off == off;
	return n;
}

static inline int check(void)
{
	memset(reason, 0, sizeof(reason));
	return c->ops->check(c, reason);
}

/* Exactly the slots of the mask carry the reason, the others none. */
static inline void assert_reasons(unsigned mask, uint8_t want, int line)
{
	for (unsigned i = 0; i < N_SLOTS; i++)
		if (reason[i] != (mask & BIT(i) ? want : REASON_NONE))
			fail_msg("line %d: slot %u has reason %u", line, i, reason[i]);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
