/* SPDX-License-Identifier: MIT
 * The register engine puts back what it found, and only that; and goes on across a reload. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "regs_fixture.h"

static void restore_is_complete(void **state)
{
	uint64_t before[COUNT(prog_written)];
	struct diags left = { 0 };

	(void)state;
	for (unsigned i = 0; i < COUNT(prog_written); i++)
		fake_set(&f, prog_written[i], 0x100 + i);
	fake_set(&f, 0xe48, BIT(63) | 5);               /* a match of somebody's, switched on */
	fake_set(&f, 0xc00, RST_ALL | 0x1e);
	for (unsigned i = 0; i < COUNT(prog_written); i++)
		before[i] = fake_get(&f, prog_written[i]);
	begin(&prog_both);
	assert_int_equal(c->ops->start(c, 1, base, reason, &err), 0);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(counting_regs_restore(c, NULL, &left), 0);
	for (unsigned i = 0; i < COUNT(prog_written); i++)
		if (fake_get(&f, prog_written[i]) != before[i])
			fail_msg("0x%x not restored", prog_written[i]);
	assert_int_equal(left.n, 0);
	/* once */
	fake_set(&f, 0xd10, 0x0f15);
	f.n_log = 0;
	assert_int_equal(counting_regs_restore(c, NULL, &left), 0);
	assert_int_equal(fake_writes(&f), 0);
	diags_done(&left);
}

/* A reload whose new program could not be started: ours was put back, is started again, and ends in
 * the end. */
static void started_again_is_restored_again(void **state)
{
	uint64_t before[COUNT(prog_written)];

	(void)state;
	for (unsigned i = 0; i < COUNT(prog_written); i++)
		before[i] = fake_get(&f, prog_written[i]);
	begin(&prog);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_true(fake_get(&f, 0xc00) & EN_ALL);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	for (unsigned i = 0; i < COUNT(prog_written); i++)
		if (fake_get(&f, prog_written[i]) != before[i])
			fail_msg("0x%x not restored", prog_written[i]);
}

static void restore_order(void **state)
{
	(void)state;
	begin(&prog);
	f.n_log = 0;
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(f.log[log_find('W', 0xd10, 0)].value, 0x0f15);        /* off */
	assert_true(log_find('W', 0xd10, 0) < log_find('W', 0xe48, 0));
	/* write enable off, then filters */
	assert_true(log_find('W', 0xe48, 0) < log_find('W', 0xe49, 0));
	assert_true(log_find('W', 0xe49, 0) < log_find('W', 0xd00, 0));         /* then boxes */
	assert_int_equal(f.log[f.n_log - 1].off, 0xc00);                        /* global last */
	assert_int_equal(f.log[f.n_log - 1].op, 'W');
}

static void restore_leaves_what_we_did_not_write(void **state)
{
	struct diags left = { 0 };

	(void)state;
	begin(&prog);
	fake_set(&f, 0xd10, EN22 | 0x99);               /* somebody counts with it now */
	fake_set(&f, 0xe0c, 0x2299);                    /* and with half of our sub-control */
	assert_int_equal(counting_regs_restore(c, NULL, &left), 0);
	assert_int_equal(fake_get(&f, 0xd10), EN22 | 0x99);
	assert_int_equal(fake_get(&f, 0xe0c), 0x2299);
	assert_int_equal(fake_get(&f, 0xd00), 1);       /* his box bit stays, */
	/* and what enables him; the U-Box bit goes */
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL);
	assert_int_equal(fake_get(&f, 0xd12), 0);
	assert_int_equal(left.n, 2);
	assert_non_null(strstr(left.v[0], "0xe0c"));
	assert_non_null(strstr(left.v[1], "0xd10 (cbox0 counter 0)"));
	assert_non_null(strstr(left.v[1], "0x400099"));
	diags_done(&left);
}

static void restore_shared_bits_only(void **state)
{
	(void)state;
	fake_set(&f, 0xd00, 0x20);
	begin(&prog);
	fake_set(&f, 0xd00, 0x13);                      /* meanwhile: bit 5 off, bit 4 on */
	fake_set(&f, 0xe0c, 0xaa2211);
	fake_set(&f, 0xc00, EN_ALL | 0x1f);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xd00), 0x10);
	assert_int_equal(fake_get(&f, 0xe0c), 0xaa0000);
	assert_int_equal(fake_get(&f, 0xc00), 0x1e);
}

static void en_all_stays_for_a_counter_enabled_since(void **state)
{
	(void)state;
	fake_set(&f, 0xc00, RST_ALL);
	begin(&prog);
	fake_set(&f, 0xc32, 1);
	fake_set(&f, 0xc20, 2);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL);  /* and no reset under his counters */
	assert_int_equal(fake_get(&f, 0xc32), 1);
	assert_int_equal(fake_get(&f, 0xc20), 2);
}

static void en_all_goes_for_a_left_over_that_we_woke(void **state)
{
	(void)state;
	fake_set(&f, 0xc32, 1);
	fake_set(&f, 0xc20, 2);
	begin(&prog);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xc00), 0);
	assert_int_equal(fake_get(&f, 0xc32), 1);
}

static void en_all_stays_for_a_left_over_in_use_again(void **state)
{
	(void)state;
	fake_set(&f, 0xc32, 1);
	fake_set(&f, 0xc20, 2);
	begin(&prog);
	fake_set(&f, 0xc32, 1 | 4 << 1);                /* its owner is back, with another event */
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL);
}

static void en_all_stays_where_it_was_found(void **state)
{
	(void)state;
	fake_set(&f, 0xc00, EN_ALL);
	begin(&prog);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL);
}

static void restore_knows_the_value_that_was_refused(void **state)
{
	struct diags left = { 0 };

	(void)state;
	fake_at(&f, 0xd10)->zero = 0x0100;              /* the hardware lacks a bit */
	begin(&prog);
	assert_reasons(BIT(CBOX0_0), REASON_REFUSED, __LINE__);
	assert_int_equal(counting_regs_restore(c, NULL, &left), 0);
	assert_int_equal(left.n, 0);
	assert_int_equal(fake_get(&f, 0xd10), 0);
}

/* The kernel's driver sets the global enable when it is loaded, and never again; it may be counting
 * nothing just now. */
static void leaves_on_what_the_kernels_driver_needs(void **state)
{
	bool came = false;
	struct counting_regs_options o = { .late_driver = &came };

	(void)state;
	for (unsigned loaded = 0; loaded < 2; loaded++) {
		fake_init(&f);
		came = false;
		assert_int_equal(counting_regs_new(&prog, &f.base, &o, NULL, &c, &err), 0);
		assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
		assert_true(fake_get(&f, 0xc00) & EN_ALL);
		if (loaded)
			fake_set(&f, 0xc00, EN_ALL);    /* as its init does */
		came = loaded;
		assert_int_equal(c->ops->stop(c), 0);
		if (loaded)
			fake_set(&f, 0xd00, 0x3f);      /* as it enables a box: all six counters */
		assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
		assert_int_equal(fake_get(&f, 0xc00), loaded ? EN_ALL : 0);
		assert_int_equal(fake_get(&f, 0xd00), loaded ? 0x3f : 0);
		assert_int_equal(fake_get(&f, 0xd10), 0); /* its events are not ours to keep */
		if (loaded == 0)
			c->ops->free(c);
	}
}

/* Only the switch of a filter that changes goes off on the way back. */
static void restore_leaves_the_switch_of_what_stays(void **state)
{
	static const struct raw_write writes[] = {
		W(PHASE_STOP, 0xe48, 0, BIT(63), 0, "S0_MSR_MM_CFG"),
		W(PHASE_STOP, 0xe58, 0, BIT(63), 0, "S1_MSR_MM_CFG"),
		W(PHASE_SELECT, 0xe49, 0x1234, ALL, ALL, "S0_MSR_MATCH"),
		W(PHASE_SELECT, 0xe59, 0x77, ALL, ALL, "S1_MSR_MATCH"),
		W(PHASE_SELECT, 0xe48, BIT(63), BIT(63), BIT(63), "S0_MSR_MM_CFG"),
		W(PHASE_SELECT, 0xe58, BIT(63), BIT(63), BIT(63), "S1_MSR_MM_CFG"),
	};
	static struct assembled a;

	(void)state;
	assemble(&a, &(struct raw_round){ .writes = writes, .n_writes = COUNT(writes) }, 1);
	fake_set(&f, 0xe48, BIT(63));
	fake_set(&f, 0xe58, BIT(63));
	fake_set(&f, 0xe49, 0x99);
	fake_set(&f, 0xe59, 0x77);
	begin(&a.p);
	f.n_log = 0;
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xe49), 0x99);
	assert_true(fake_get(&f, 0xe48) == BIT(63) && writes_to(0xe48) == 2);
	assert_int_equal(writes_to(0xe58), 0);
}

static void restore_goes_on_after_an_error(void **state)
{
	(void)state;
	begin(&prog);
	fake_at(&f, 0xd12)->write_error = -EIO;
	assert_int_equal(counting_regs_restore(c, NULL, NULL), -EIO);
	assert_int_equal(fake_get(&f, 0xd10), 0);
	assert_int_equal(fake_get(&f, 0xc00), 0);
}

static void restore_without_start_writes_nothing(void **state)
{
	(void)state;
	fake_set(&f, 0xd10, 0x1);
	assert_int_equal(new_with(&prog_both, false, false), 0);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_writes(&f), 0);
}

/* ------------------------------------------------------------------ reload */

static void reload_keeps_originals(void **state)
{
	static struct fake g;       /* a second way to the same registers */
	struct counting *new = NULL;
	struct counting_regs_options o = { .takeover = false };

	(void)state;
	fake_set(&f, 0xd10, 0x11);
	fake_set(&f, 0xd12, 0x12);
	fake_set(&f, 0xe0c, 0x40000044);
	fake_set(&f, 0xc00, 0x1e);
	begin(&prog);
	g = f;
	/* our own counters, running, are no reason to refuse */
	assert_int_equal(counting_regs_new(&prog_second, &g.base, &o, c, &new, &err), 0);
	assert_int_equal(counting_regs_others_started(new, NULL, 0), 0);
	assert_int_equal(c->ops->stop(c), 0);
	memcpy(g.r, f.r, sizeof(f.r));
	g.n = f.n;
	assert_int_equal(new->ops->start(new, 0, base, reason, &err), 0);
	assert_int_equal(fake_get(&g, 0xd10), EN22 | 0x0f22);
	memcpy(f.r, g.r, sizeof(f.r));
	f.n = g.n;
	assert_int_equal(counting_regs_restore(c, new, NULL), 0);
	assert_int_equal(fake_get(&f, 0xd12), 0x12);            /* the old plan's only */
	assert_int_equal(fake_get(&f, 0xc50), 0);
	assert_int_equal(fake_get(&f, 0xd10), EN22 | 0x0f22);   /* the new one's */
	assert_int_equal(fake_get(&f, 0xd00), 1);
	assert_int_equal(fake_get(&f, 0xc00) & EN_ALL, EN_ALL);
	memcpy(g.r, f.r, sizeof(f.r));
	g.n = f.n;
	memset(reason, 0, sizeof(reason));
	assert_int_equal(new->ops->check(new, reason), 0);
	assert_int_equal(counting_regs_restore(new, NULL, NULL), 0);
	assert_int_equal(fake_get(&g, 0xd10), 0x11);
	assert_int_equal(fake_get(&g, 0xd00), 0);
	assert_int_equal(fake_get(&g, 0xe0c), 0x40000044); /* also the bits of the first plan */
	assert_int_equal(fake_get(&g, 0xc00), 0x1e);
	new->ops->free(new);
}

/* A left-over counts only because we set the global enable: a reload of the same file must not fail
 * over it. */
static void reload_is_not_refused_for_what_we_woke(void **state)
{
	struct counting *new = NULL;
	struct counting_regs_options o = { .takeover = false };

	(void)state;
	fake_set(&f, 0xc32, 1);
	fake_set(&f, 0xc20, 2);
	assert_int_equal(new_with(&prog, false, true), 0);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_int_equal(counting_regs_new(&prog, &f.base, &o, c, &new, &err), 0);
	assert_int_equal(counting_regs_others_started(new, NULL, 0), 0);        /* named once */
	new->ops->free(new);
	fake_set(&f, 0xd14, EN22);                      /* but this one somebody switched on */
	fake_set(&f, 0xd00, 7);
	assert_int_equal(counting_regs_new(&prog, &f.base, &o, c, &new, &err), -EBUSY);
	assert_non_null(strstr(err.text, "cbox0 counter 2"));
}

/* Enabled while the first plan ran: to the second it is no left-over that was merely woken. */
static void enabled_since_outlives_a_reload(void **state)
{
	struct counting *new = NULL;
	struct counting_regs_options o = { .takeover = false };

	(void)state;
	begin(&prog);
	fake_set(&f, 0xc32, 1);
	fake_set(&f, 0xc20, 2);
	assert_int_equal(counting_regs_new(&prog_second, &f.base, &o, c, &new, &err), 0);
	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(new->ops->start(new, 0, base, reason, &err), 0);
	assert_int_equal(counting_regs_restore(c, new, NULL), 0);
	/* given back; somebody's by now, though it looks like ours */
	fake_set(&f, 0xd12, 0x400114);
	assert_int_equal(counting_regs_restore(new, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL);
	assert_int_equal(fake_get(&f, 0xd12), 0x400114);
	new->ops->free(new);
}

static const struct saved_reg *saved_at(const struct counting *x, uint32_t off)
{
	unsigned n;
	const struct saved_reg *s = counting_regs_saved(x, &n);

	for (unsigned i = 0; i < n; i++)
		if (s[i].r.reg.off == off)
			return &s[i];
	return NULL;
}

static void saved_tells_all(void **state)
{
	struct counting *new = NULL;
	struct counting_regs_options o = { .takeover = false };
	const struct saved_reg *s;

	(void)state;
	fake_set(&f, 0xd12, 0x12);
	begin(&prog_both);
	s = saved_at(c, 0xd10);
	assert_int_equal(s->r.kind, REG_CONTROL);
	assert_int_equal(s->n_ours, 2);
	assert_int_equal(s->ours[0], 0x400f15);
	assert_int_equal(s->ours[1], 0x400f22);
	assert_int_equal(saved_at(c, 0xd00)->r.mask, 3);
	assert_int_equal(saved_at(c, 0xc00)->r.mask, EN_ALL | RST_ALL | 1);
	assert_int_equal(saved_at(c, 0xc00)->r.kind, REG_GLOBAL);
	assert_int_equal(saved_at(c, 0xe48)->r.kind, REG_WRITE_ENABLE);
	assert_int_equal(saved_at(c, 0xe0c)->r.mask, 0xffffff);
	assert_int_equal(saved_at(c, 0xc32)->r.kind, REG_OTHERS);
	assert_int_equal(saved_at(c, 0xc32)->r.mask, 0);
	assert_null(saved_at(c, 0xd02));
	/* the state file of the reload knows the old plan's registers, though the new one does not
	 * write them */
	assert_int_equal(counting_regs_new(&prog_second, &f.base, &o, c, &new, &err), 0);
	s = saved_at(new, 0xd12);
	assert_int_equal(s->r.kind, REG_CONTROL);
	assert_int_equal(s->found, 0x12);
	assert_int_equal(s->ours[0], 0x400114);
	new->ops->free(new);
}

static void reload_refused_swap_is_taken_back(void **state)
{
	struct counting *new = NULL;
	struct counting_regs_options o = { .takeover = false };

	(void)state;
	begin(&prog);
	assert_int_equal(counting_regs_new(&prog_second, &f.base, &o, c, &new, &err), 0);
	assert_int_equal(c->ops->stop(c), 0);
	f.fail_write_at = 3;
	f.fail_with = -EPERM;
	assert_int_equal(new->ops->start(new, 0, base, reason, &err), -EPERM);
	new->ops->free(new);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(check(), 0);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	for (unsigned i = 0; i < COUNT(prog_written); i++)
		assert_int_equal(fake_get(&f, prog_written[i]), 0);
}

/* Reads fail from the n-th of a reload on, `failing_n` of them. */
static unsigned failing_from, failing_n, reads;

static void fail_reads(struct fake *x, char op, uint32_t off)
{
	(void)off;
	if (op == 'R')
		reads++;
	x->gone = op == 'R' && reads >= failing_from && reads - failing_from < failing_n ? -EIO : 0;
}

/* As a daemon does it. The engine that counts then, for nothing is lost if a start fails. */
static struct counting *reload_to(struct counting *old, const struct plan_program *p)
{
	const struct counting_regs_options o = { .takeover = false };
	struct counting *new = NULL;

	if (counting_regs_new(p, &f.base, &o, old, &new, &err) < 0)
		return old;
	old->ops->stop(old);
	counting_regs_restore(old, new, NULL);
	memset(reason, 0, sizeof(reason));
	if (new->ops->start(new, 0, base, reason, &err) == 0) {
		old->ops->free(old);
		return new;
	}
	f.before = NULL;                        /* else it would end */
	f.gone = 0;
	assert_int_equal(counting_regs_restore(new, NULL, NULL), 0);
	new->ops->free(new);
	assert_int_equal(old->ops->start(old, 0, base, reason, &err), 0);
	return old;
}

/* Whichever reads of a reload fail, and how many: what was found before the first of all goes back
 * after the last. */
static void reload_with_failing_reads_keeps_originals(void **state)
{
	static const unsigned lengths[] = { 1, 2, 7, 1000 };
	const struct plan_program *next[] = { &prog_second, &prog, &prog_both };
	unsigned tried = 0;

	(void)state;
	for (unsigned k = 0; k < COUNT(next) * COUNT(lengths); k++) {
		failing_n = lengths[k / COUNT(next)];
		reads = failing_from = 0;
		for (unsigned n = 1; n == 1 || reads >= failing_from; n++, tried++) {
			set_up(NULL);
			fake_set(&f, 0xd12, 0x12);
			fake_set(&f, 0xe0c, 0x40000044);
			begin(k % 2 ? &prog_both : &prog);
			failing_from = n;
			reads = 0;
			f.before = fail_reads;
			c = reload_to(c, next[k % COUNT(next)]);
			f.before = NULL;
			f.gone = 0;
			c = reload_to(c, &prog);
			assert_int_equal(c->ops->stop(c), 0);
			assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
			for (unsigned i = 0; i < COUNT(prog_written); i++) {
				uint32_t r = prog_written[i];
				uint64_t was = r == 0xd12 ? 0x12 : 0;

				if (r == 0xe0c)
					was = 0x40000044;
				if (fake_get(&f, r) != was)
					fail_msg("program %u, %u reads from the %u. on fail: 0x%x "
						 "holds 0x%llx", k % 3, failing_n, n, r,
						 (unsigned long long)fake_get(&f, r));
			}
			c->ops->free(c);
			c = NULL;
		}
	}
	assert_true(tried > 500);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(restore_is_complete), T(restore_order), T(restore_leaves_what_we_did_not_write),
		T(restore_shared_bits_only), T(en_all_stays_for_a_counter_enabled_since),
		T(started_again_is_restored_again), T(en_all_goes_for_a_left_over_that_we_woke),
		T(en_all_stays_for_a_left_over_in_use_again),
		T(en_all_stays_where_it_was_found),
		T(restore_knows_the_value_that_was_refused), T(restore_goes_on_after_an_error),
		T(restore_leaves_the_switch_of_what_stays),
		T(leaves_on_what_the_kernels_driver_needs),
		T(restore_without_start_writes_nothing),
		T(reload_keeps_originals), T(reload_is_not_refused_for_what_we_woke),
		T(enabled_since_outlives_a_reload),
		T(saved_tells_all), T(reload_refused_swap_is_taken_back),
		T(reload_with_failing_reads_keeps_originals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
