/* SPDX-License-Identifier: MIT
 * Registers go back by the state file alone, by the same rules as the engine
 * has. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_regio.h"
#include "temp_dir.h"

static struct fake f;

static int set_up(void **state)
{
	(void)state;
	fake_init(&f);
	return temp_make("restore");
}

static int tear_down(void **state)
{
	(void)state;
	return drop("");
}

/* What the engine would keep in the state file, as read back from it. */
static struct state *kept(const struct counting *c)
{
	struct state_socket k = { .socket = 1, .cpus = &(unsigned){ 1 }, .n_cpus = 1 };
	struct state *ret = NULL, s = {
		.boot_id = "6f1c0ca7-4b7a-4c0e-8d0f-111122223333",
		.device = (char *)(uintptr_t)"/dev",
		.sockets = &k, .n_sockets = 1,
	};

	k.regs = counting_regs_saved(c, &k.n_regs);
	assert_int_equal(state_write(root, &s, NULL), 0);
	assert_int_equal(state_read(root, &ret, NULL), 0);
	return ret;
}

static struct counting *engine(const struct plan_program *p, struct counting *old)
{
	struct counting *c = NULL;

	assert_int_equal(counting_regs_new(p, &f.base,
					   &(struct counting_regs_options){ .takeover = true }, old,
					   &c, NULL),
			 0);
	return c;
}

/* An engine starts, runs `turns` rounds in turn, and dies without a word; the file must be
 * enough. */
static struct state *crashed(const struct plan_program *p, unsigned turns)
{
	uint64_t base[N_SLOTS];
	uint8_t reason[N_SLOTS];
	struct counting *c = engine(p, NULL);
	struct state *s = kept(c);

	for (unsigned i = 0; i < turns; i++)
		assert_int_equal(c->ops->start(c, i % p->n_rounds, base, reason, NULL), 0);
	c->ops->free(c);
	return s;
}

static void restores_after_a_crash(void **state)
{
	uint64_t before[COUNT(prog_written)];
	struct diags left = { 0 };

	for (unsigned turns = 0; turns < 5; turns++) {
		fake_init(&f);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			fake_set(&f, prog_written[i], 0x200 + i);
		fake_set(&f, 0xe48, BIT(63));
		fake_set(&f, 0xd12, EN22 | 3);          /* taken over */
		fake_set(&f, 0xd00, 0x22);
		fake_set(&f, 0xc00, EN_ALL | RST_ALL | 0x1e);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			before[i] = fake_get(&f, prog_written[i]);
		struct state *s = crashed(&prog_both, turns);

		assert_int_equal(state_restore_socket(s, 0, &prog, &f.base, &left), 0);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			if (fake_get(&f, prog_written[i]) != before[i])
				fail_msg("%u turns: 0x%x is 0x%llx", turns, prog_written[i],
					 (unsigned long long)fake_get(&f, prog_written[i]));
		assert_int_equal(left.n, 0);
		/* twice does no harm */
		f.n_log = 0;
		assert_int_equal(state_restore_socket(s, 0, &prog, &f.base, &left), 0);
		assert_int_equal(fake_writes(&f), 0);
		state_free(s);
	}
	(void)state;
}

/* The file of a reload is written while the old plan still runs: it serves before, during and after
 * the swap. */
static void restores_after_a_crash_in_a_reload(void **state)
{
	(void)state;
	for (unsigned step = 0; step < 4; step++) {
		uint64_t before[COUNT(prog_written)], base[N_SLOTS];
		uint8_t reason[N_SLOTS];
		struct diags left = { 0 };
		struct counting *old, *new;
		struct state *s;

		fake_init(&f);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			fake_set(&f, prog_written[i], before[i] = 0x200 + i);
		old = engine(&prog, NULL);
		assert_int_equal(old->ops->start(old, 0, base, reason, NULL), 0);
		new = engine(&prog_second, old);
		s = kept(new);
		if (step >= 1)
			assert_int_equal(old->ops->stop(old), 0);
		if (step >= 2)
			assert_int_equal(new->ops->start(new, 0, base, reason, NULL), 0);
		if (step >= 3)
			assert_int_equal(counting_regs_restore(old, new, NULL), 0);
		old->ops->free(old);
		new->ops->free(new);
		assert_int_equal(state_restore_socket(s, 0, &prog, &f.base, &left), 0);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			if (fake_get(&f, prog_written[i]) != before[i])
				fail_msg("step %u: 0x%x is 0x%llx", step, prog_written[i],
					 (unsigned long long)fake_get(&f, prog_written[i]));
		assert_int_equal(left.n, 0);
		state_free(s);
	}
}

/* Killed after any write of the start: every half-made state is known as ours. */
static void restores_after_any_write(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 17; n++) {
		static struct fake untouched, found;
		struct diags left = { 0 };
		struct state *s;

		fake_init(&f);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			fake_set(&f, prog_written[i], 0);
		fake_set(&f, 0xd10, EN22 | 0x77);
		fake_set(&f, 0xe48, 5);
		fake_set(&f, 0xe49, 0x99);
		found = untouched = f;
		s = crashed(&prog, 1);
		/* replay the first n writes of it only */
		for (unsigned i = 0, w = 0; i < f.n_log && w < n; i++)
			if (f.log[i].op == 'W') {
				fake_set(&untouched, f.log[i].off, f.log[i].value);
				w++;
			}
		assert_int_equal(state_restore_socket(s, 0, &prog, &untouched.base, &left), 0);
		for (unsigned i = 0; i < COUNT(prog_written); i++) {
			uint32_t r = prog_written[i];

			if (fake_get(&untouched, r) != fake_get(&found, r))
				fail_msg("after %u writes: 0x%x", n, r);
		}
		assert_int_equal(left.n, 0);
		state_free(s);
		diags_done(&left);
	}
}

static void restores_by_the_same_rules(void **state)
{
	struct diags left = { 0 };
	struct state *s;

	(void)state;
	fake_set(&f, 0xd14, EN22 | 1);                  /* woken by us */
	fake_set(&f, 0xd00, 4);
	s = crashed(&prog, 1);
	fake_set(&f, 0xd10, EN22 | 0x99);               /* taken since */
	fake_set(&f, 0xe0c, 0x12345);                   /* not ours any more */
	assert_int_equal(state_restore_socket(s, 0, &prog, &f.base, &left), 0);
	assert_int_equal(fake_get(&f, 0xd10), EN22 | 0x99);
	assert_int_equal(fake_get(&f, 0xe0c), 0x12345);
	assert_int_equal(fake_get(&f, 0xd00), 5);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL);
	assert_int_equal(left.n, 2);
	assert_non_null(strstr(left.v[1], "cbox0 counter 0"));
	state_free(s);
	diags_done(&left);
	/* the woken one alone does not keep the socket enabled */
	fake_init(&f);
	fake_set(&f, 0xd14, EN22 | 1);
	fake_set(&f, 0xd00, 4);
	s = crashed(&prog, 1);
	assert_int_equal(state_restore_socket(s, 0, &prog, &f.base, NULL), 0);
	assert_int_equal(fake_get(&f, 0xc00), 0);
	assert_int_equal(fake_get(&f, 0xd00), 4);
	state_free(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(restores_after_a_crash), T(restores_after_a_crash_in_a_reload),
		T(restores_after_any_write), T(restores_by_the_same_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
