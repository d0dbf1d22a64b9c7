/* SPDX-License-Identifier: MIT
 * The register engine between start and end: re-arming one of several slots, stopping, taking
 * turns. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "regs_fixture.h"

/* ------------------------------------------------------------------ re-arm */

static void rearm_leaves_the_others_counting(void **state)
{
	uint8_t slots[N_SLOTS] = { [CBOX0_0] = 1 };

	(void)state;
	begin(&prog);
	fake_set(&f, 0xd10, EN22 | 0x99);               /* somebody's event, counting */
	fake_set(&f, 0xd11, 555);
	assert_int_equal(check(), 1);
	f.n_log = 0;
	memset(reason, 0, sizeof(reason));
	memset(base, 0xee, sizeof(base));
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(base[CBOX0_0], 555);
	assert_true(base[CBOX0_1] == UINT64_C(0xeeeeeeeeeeeeeeee));
	/* off, then on: nothing else was written, the base lies between */
	assert_int_equal(fake_writes(&f), 2);
	assert_int_equal(f.log[log_find('W', 0xd10, 0)].value, 0x99);
	assert_true(log_find('R', 0xd11, 0) > log_find('W', 0xd10, 0));
	assert_true(log_find('R', 0xd11, 0) < log_find('W', 0xd10, log_find('W', 0xd10, 0) + 1));
	assert_int_equal(fake_get(&f, 0xd10), 0x400f15);
	assert_int_equal(check(), 0);
	assert_reasons(0, 0, __LINE__);
}

static void rearm_sets_its_own_enables_only(void **state)
{
	uint8_t slots[N_SLOTS] = { [CBOX0_1] = 1 };

	(void)state;
	begin(&prog);
	fake_set(&f, 0xd00, 4);                         /* both of ours off, somebody's on */
	assert_int_equal(check(), 2);
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_int_equal(fake_get(&f, 0xd00), 6);
	/* the other one is still as it was found: foreign */
	assert_int_equal(check(), 1);
	assert_reasons(BIT(CBOX0_0), REASON_FOREIGN, __LINE__);
}

static void rearm_sets_the_global_enable(void **state)
{
	uint8_t slots[N_SLOTS] = { 1, 1, 1, 1, 1, 1 };

	(void)state;
	begin(&prog);
	fake_set(&f, 0xc00, RST_ALL | 0x1e);            /* another tool begins a session */
	assert_int_equal(check(), N_SLOTS);
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL | 0x1f);
	assert_int_equal(check(), 0);
}

static void rearm_through_a_gate(void **state)
{
	uint8_t slots[N_SLOTS] = { [SBOX0_0] = 1 };

	(void)state;
	begin(&prog);
	fake_set(&f, 0xe4a, 0x1);                       /* while MM_CFG[63] stays 1 */
	assert_int_equal(check(), 1);
	f.n_log = 0;
	memset(reason, 0, sizeof(reason));
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(fake_get(&f, 0xe4a), 0x5678);
	assert_int_equal(fake_get(&f, 0xe48), BIT(63));
	assert_int_equal(writes_to(0xe0c), 0);          /* the R-Box's filter is not its own */
	assert_int_equal(check(), 0);
}

/* Two slots see through one sub-control: what is right in it is not written while the other
 * counts. */
static void rearm_spares_a_shared_sub_control(void **state)
{
	uint8_t slots[N_SLOTS] = { [RBOX_0] = 1 };

	(void)state;
	begin(&prog);
	fake_set(&f, 0xe10, 1 | 9 << 1);
	assert_int_equal(check(), 1);
	f.n_log = 0;
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_int_equal(writes_to(0xe0c), 0);
	assert_int_equal(fake_get(&f, 0xe10), 5);
	assert_int_equal(check(), 0);
	fake_set(&f, 0xe0c, 0x2210);
	assert_int_equal(check(), 2);
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_int_equal(fake_get(&f, 0xe0c), 0x2211);
	assert_int_equal(check(), 0);
}

/* Each of two slots has its own bits of one sub-control: who changes one's has not touched the
 * other, which counts on, and neither arming it again nor a refusal goes beyond its own bits. */
static void bits_of_a_shared_sub_control(void **state)
{
	static struct plan_reg_slot slots[N_SLOTS];
	static struct assembled a;
	struct raw_round round = prog_rounds[0];
	uint8_t again[N_SLOTS] = { [RBOX_0] = 1 };

	memcpy(slots, prog_slots, sizeof(slots));
	slots[RBOX_0].dep[0].bits = 0x00ff;
	slots[RBOX_1].dep[0].bits = 0xff00;
	round.slots = slots;
	assemble(&a, &round, 1);
	begin(&a.p);
	fake_set(&f, 0xe0c, 0x2210);
	assert_int_equal(check(), 1);
	assert_reasons(BIT(RBOX_0), REASON_FOREIGN, __LINE__);
	fake_set(&f, 0xe0c, 0x3310);	/* and the other one's, before the first is armed again */
	memset(reason, 0, sizeof(reason));
	assert_int_equal(counting_regs_rearm(c, again, base, reason), 0);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(fake_get(&f, 0xe0c), 0x3311);
	assert_int_equal(check(), 1);		/* what was not written is still somebody's */
	assert_reasons(BIT(RBOX_1), REASON_FOREIGN, __LINE__);
	tear_down(state);

	set_up(state);
	fake_at(&f, 0xe0c)->zero = 0x2000;
	begin(&a.p);
	assert_reasons(BIT(RBOX_1), REASON_REFUSED, __LINE__);
}

/* Taken before we ever ran; its filters hold by chance what we want: nothing to write, but a
 * reference. */
static void rearm_of_a_slot_never_started(void **state)
{
	uint8_t slots[N_SLOTS] = { [SBOX0_0] = 1 };

	(void)state;
	fake_set(&f, 0xe48, BIT(63));
	fake_set(&f, 0xe49, 0x1234);
	fake_set(&f, 0xe4a, 0x5678);
	assert_int_equal(new_with(&prog, false, false), 0);
	fake_set(&f, 0xc50, EN22 | 1);
	fake_set(&f, 0xc40, 1);
	fake_set(&f, 0xc00, EN_ALL);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_reasons(BIT(SBOX0_0), REASON_FOREIGN, __LINE__);
	memset(reason, 0, sizeof(reason));
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(writes_to(0xe49), 0);
	assert_int_equal(check(), 0);
	assert_reasons(0, 0, __LINE__);
}

static void rearm_may_be_refused(void **state)
{
	uint8_t slots[N_SLOTS] = { [CBOX0_0] = 1 };

	(void)state;
	begin(&prog);
	fake_set(&f, 0xd10, 0x99);
	fake_at(&f, 0xd10)->stuck = true;
	assert_int_equal(check(), 1);
	memset(reason, 0, sizeof(reason));
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_reasons(BIT(CBOX0_0), REASON_REFUSED, __LINE__);
	fake_at(&f, 0xd10)->stuck = false;
	f.fail_write_at = 1;
	f.fail_with = -EPERM;
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), -EPERM);
	assert_int_equal(fake_get(&f, 0xd10), 0x99);
}

/* ------------------------------------------------------------------ stop, rotation */

static void stop_leaves_bystanders(void **state)
{
	(void)state;
	fake_set(&f, 0xd14, EN22 | 1);
	fake_set(&f, 0xd00, 4);
	begin(&prog);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(fake_get(&f, 0xd10), 0x0f15);
	assert_int_equal(fake_get(&f, 0xc50) & EN22, 0);
	assert_int_equal(fake_get(&f, 0xe12), 6);
	assert_int_equal(fake_get(&f, 0xd00), 4);
	assert_int_equal(fake_get(&f, 0xe00), 0);
	assert_int_equal(fake_get(&f, 0xd14), EN22 | 1);
	assert_int_equal(fake_get(&f, 0xc00) & EN_ALL, EN_ALL);
	/* what they came to can still be read, and vouched for */
	fake_set(&f, 0xd11, 4711);
	memset(reason, 0, sizeof(reason));
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_int_equal(raw[CBOX0_0], 4711);
	assert_int_equal(check(), 0);
	assert_reasons(0, 0, __LINE__);
}

/* One error that passes is none; a register that refuses each write keeps the round running. */
static void stop_tries_again(void **state)
{
	(void)state;
	begin(&prog);
	f.fail_write_at = 1;
	f.fail_with = -EPERM;
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(fake_get(&f, 0xd10), 0x0f15);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	for (unsigned i = 0; i < f.n; i++)
		f.r[i].write_error = -EPERM;
	/* somebody's for a moment: what stop saw of it is not kept */
	fake_set(&f, 0xd10, EN22 | 0x99);
	assert_int_equal(c->ops->stop(c), -EPERM);
	fake_set(&f, 0xd10, EN22 | 0x0f15);
	assert_int_equal(check(), 0);
	assert_reasons(0, 0, __LINE__);
}

static void check_after_stop_tells_what_was_before(void **state)
{
	(void)state;
	begin(&prog);
	fake_set(&f, 0xd10, 0x0f15);                    /* stopped by somebody */
	fake_set(&f, 0xe00, 2);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(check(), 2);
	assert_reasons(BIT(CBOX0_0) | BIT(RBOX_0), REASON_FOREIGN, __LINE__);
}

static void stop_leaves_a_counter_that_somebody_took(void **state)
{
	(void)state;
	begin(&prog);
	fake_set(&f, 0xd10, EN22 | 0x99);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(fake_get(&f, 0xd10), EN22 | 0x99);
	assert_int_equal(fake_get(&f, 0xd00), 1);       /* his bit stays, ours went */
}

static void rounds_take_turns(void **state)
{
	(void)state;
	begin(&prog_both);
	/* stops the first by itself */
	assert_int_equal(c->ops->start(c, 1, base, reason, &err), 0);
	assert_int_equal(fake_get(&f, 0xd10), EN22 | 0x0f22);
	assert_int_equal(fake_get(&f, 0xd12), 0x0114);
	assert_int_equal(fake_get(&f, 0xd00), 1);
	assert_int_equal(fake_get(&f, 0xe00), 2);
	assert_int_equal(fake_get(&f, 0xe0c), 0x334411);
	assert_int_equal(check(), 0);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_int_equal(fake_get(&f, 0xe0c), 0x332211);
	assert_int_equal(fake_get(&f, 0xd10), 0x400f15);
	assert_int_equal(check(), 0);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	for (unsigned i = 0; i < COUNT(prog_written); i++)
		assert_int_equal(fake_get(&f, prog_written[i]), 0);
}

/* Taken while another round ran: left to him; free again: ours again. */
static void counter_taken_between_turns(void **state)
{
	(void)state;
	begin(&prog_both);
	assert_int_equal(c->ops->start(c, 1, base, reason, &err), 0);
	fake_set(&f, 0xd12, EN22 | 0x55);
	fake_set(&f, 0xd00, fake_get(&f, 0xd00) | 2);
	memset(reason, 0, sizeof(reason));
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_reasons(BIT(CBOX0_1), REASON_FOREIGN, __LINE__);
	assert_int_equal(fake_get(&f, 0xd12), EN22 | 0x55);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(fake_get(&f, 0xd12), EN22 | 0x55);
	assert_int_equal(fake_get(&f, 0xd00), 2);
}

/* After back-off is exhausted nobody calls rearm(): later turns must not fight on. */
static void foreign_slot_stays_alone_across_turns(void **state)
{
	uint8_t slots[N_SLOTS] = { [CBOX0_1] = 1 };

	(void)state;
	begin(&prog_both);
	fake_set(&f, 0xd12, 0);                         /* as the kernel's driver closes an event */
	assert_int_equal(check(), 1);
	assert_int_equal(c->ops->start(c, 1, base, reason, &err), 0);
	memset(reason, 0, sizeof(reason));
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_reasons(BIT(CBOX0_1), REASON_FOREIGN, __LINE__);
	assert_int_equal(fake_get(&f, 0xd12), 0);
	assert_int_equal(fake_get(&f, 0xd00), 1);
	memset(reason, 0, sizeof(reason));
	assert_int_equal(counting_regs_rearm(c, slots, base, reason), 0);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(fake_get(&f, 0xd12), 0x400114);
	assert_int_equal(fake_get(&f, 0xd00), 3);
	assert_int_equal(check(), 0);
}

/* A write that no slot names is a write of the program all the same. */
static void write_without_a_slot(void **state)
{
	static const struct raw_write one[] =
		{ W(PHASE_SELECT, 0xe46, 9, 0xf, 0xf, "B0_MSR_MASK") };
	static struct assembled a;

	(void)state;
	assemble(&a, &(struct raw_round){ .writes = one, .n_writes = 1 }, 1);
	fake_set(&f, 0xe46, 0xf0);
	begin(&a.p);
	assert_int_equal(fake_get(&f, 0xe46), 0xf9);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xe46), 0xf0);
}

static void empty_round(void **state)
{
	static struct assembled a;

	(void)state;
	assemble(&a, &(struct raw_round){ .n_writes = 0 }, 1);
	assert_int_equal(new_with(&a.p, false, false), 0);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_int_equal(check(), 0);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_writes(&f), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(rearm_leaves_the_others_counting), T(rearm_sets_its_own_enables_only),
		T(rearm_sets_the_global_enable),
		T(rearm_through_a_gate), T(rearm_spares_a_shared_sub_control),
		T(bits_of_a_shared_sub_control),
		T(rearm_of_a_slot_never_started), T(rearm_may_be_refused),
		T(stop_leaves_bystanders), T(stop_tries_again),
		T(check_after_stop_tells_what_was_before),
		T(stop_leaves_a_counter_that_somebody_took), T(rounds_take_turns),
		T(counter_taken_between_turns),
		T(foreign_slot_stays_alone_across_turns),
		T(write_without_a_slot), T(empty_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
