/* SPDX-License-Identifier: MIT
 * The register model of Ivytown, Nehalem and Westmere: enables, freezes,
 * resets, halves, overflow.
 * Addresses and bits: 329468-002 (UBox p 21, R3QPI p 173, boxes p 8, 18, 133), kernel
 * uncore_snbep.c; SDM 3B 18.17.2.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_test.h"

#include <errno.h>

#define EN22 BIT(22)

static struct reg pci(unsigned dev, unsigned fn, unsigned off, unsigned bytes)
{
	return (struct reg){ .space = SPACE_PCI, .bytes = (uint8_t)bytes, .dev = (uint8_t)dev,
			     .fn = (uint8_t)fn, .off = off };
}

static struct model *new_of(const char *processor)
{
	const struct model_options o = { .processor = processor, .workload = "stream",
					 .n_sockets = 1, .cores = 15, .seed = 1 };
	struct model *m = NULL;

	assert_int_equal(model_new(&o, &m, NULL), 0);
	return m;
}

static uint64_t get(struct model *m, struct reg r)
{
	uint64_t v = 0;

	assert_int_equal(model_read(m, 0, r, &v), 0);
	return v;
}

static void set(struct model *m, struct reg r, uint64_t v)
{
	assert_int_equal(model_write(m, 0, r, v), 0);
}

/* What a counter does in a second. */
static uint64_t moves(struct model *m, struct reg ctr)
{
	uint64_t before = get(m, ctr);

	model_advance(m, NSEC_PER_SEC);
	return get(m, ctr) - before;
}

/* ------------------------------------------------------------------ Ivytown */

/* A counter of each kind of box that counts clocks: control and its event, counter, box control (0:
 * none). */
static const struct { int line; struct reg ctl, ctr, box; uint64_t event; } clocks[] = {
#define P(dev_, fn_, off_, bytes_) { .space = SPACE_PCI, .bytes = (bytes_), .dev = (dev_), \
				     .fn = (fn_), .off = (off_) }
#define M(off_) { .space = SPACE_MSR, .bytes = 8, .off = (off_) }
	{ __LINE__, M(0xc10), M(0xc16), M(0), 0 },                                              /* UBox: no box control */
	{ __LINE__, M(0xd51), M(0xd57), M(0xd44), 0 },                                          /* C-Box 2, counter 1 */
	{ __LINE__, M(0xc33), M(0xc39), M(0xc24), 0 },                                          /* PCU, counter 3 */
	{ __LINE__, P(28, 1, 0xe0, 4), P(28, 1, 0xb0, 8), P(28, 1, 0xf4, 4), 0 },               /* HA 1, counter 2 */
	{ __LINE__, P(30, 4, 0xe4, 4), P(30, 4, 0xb8, 8), P(30, 4, 0xf4, 4), 0 },               /* channel 4, counter 3 */
	{ __LINE__, P(5, 6, 0xdc, 4), P(5, 6, 0xb0, 8), P(5, 6, 0xf4, 4), 0 },                  /* IRP, counter 1 */
	{ __LINE__, P(9, 2, 0xd8, 4), P(9, 2, 0xa0, 8), P(9, 2, 0xf4, 4), 0x14 },               /* QPI 1, counter 0 */
	{ __LINE__, P(19, 1, 0xdc, 4), P(19, 1, 0xa8, 8), P(19, 1, 0xf4, 4), 1 },               /* R2PCIe, counter 1 */
	{ __LINE__, P(19, 6, 0xdc, 4), P(19, 6, 0xa8, 8), P(19, 6, 0xf4, 4), 1 },               /* R3QPI 1, counter 1 */
};

/* en counts; frz of the box (8) stops it and no other; frz_all (31) and unfrz_all (29) of C00 stop
 * and start all and do not read back; rst of the control (17) and rst_ctrs (1) of the box set it to
 * 0; rst_ctrl (0) clears the control. */
static void ivytown_freezes_and_resets(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		const bool boxed = clocks[i].box.off;
		const uint64_t on = EN22 | clocks[i].event;
		const struct reg ctl = clocks[i].ctl, ctr = clocks[i].ctr, box = clocks[i].box;
		struct model *m = new_of("ivytown");

		set(m, msr(0xc08), EN22);
		set(m, ctl, clocks[i].event);
		check(&clocks[i], moves(m, ctr) == 0);
		set(m, ctl, on);
		check(&clocks[i], moves(m, ctr) > 100000000);
		if (boxed) {
			set(m, box, 0x30100);
			check(&clocks[i], get(m, box) == 0x30100);
			check(&clocks[i], moves(m, ctr) == 0 && moves(m, msr(0xc09)) > 0);
			set(m, box, 0x30000);
			check(&clocks[i], moves(m, ctr) > 100000000);
		}
		set(m, msr(0xc00), BIT(31));
		check(&clocks[i], moves(m, ctr) == 0 && moves(m, msr(0xc09)) == 0 &&
		      rd(m, 0xc00) == 0);
		set(m, msr(0xc00), 0);
		check(&clocks[i], moves(m, ctr) == 0);          /* only unfrz_all does it */
		set(m, msr(0xc00), BIT(29));
		check(&clocks[i], moves(m, ctr) > 100000000 && rd(m, 0xc00) == 0);
		set(m, ctl, on | BIT(17));
		check(&clocks[i], get(m, ctr) == 0 && get(m, ctl) == on &&
		      moves(m, ctr) > 100000000);
		if (boxed) {
			set(m, box, 0x30002);
			check(&clocks[i], get(m, ctr) == 0 && get(m, box) == 0x30000 &&
			      get(m, ctl) == on);
			check(&clocks[i], moves(m, ctr) > 100000000);
			set(m, box, 0x30001);
			check(&clocks[i], get(m, ctl) == 0 && moves(m, ctr) == 0);
		}
		no_violation(m);
		model_free(m);
	}
}

/* Two halves of 32 bits; what the width lacks reads 0. 44 bits: UBox, C-Box, R2PCIe, R3QPI. */
static void ivytown_halves_and_widths(void **state)
{
	static const unsigned width[] = { 44, 44, 48, 48, 48, 48, 48, 44, 44 };

	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		const uint64_t most = BIT(width[i]) - 1;
		struct model *m = new_of("ivytown");
		struct reg low = clocks[i].ctr, high = clocks[i].ctr;

		set(m, clocks[i].ctr, UINT64_MAX);
		check(&clocks[i], get(m, clocks[i].ctr) == most);
		set(m, clocks[i].ctl, EN22 | clocks[i].event);
		check(&clocks[i], moves(m, clocks[i].ctr) + most < BIT(40) - 1); /* over the top */
		if (clocks[i].ctr.space == SPACE_PCI) {
			low.bytes = high.bytes = 4;
			high.off += 4;
			set(m, clocks[i].ctl, 0);
			set(m, clocks[i].ctr, UINT64_C(0x0123456789ab));
			check(&clocks[i], get(m, low) == 0x456789ab && get(m, high) == 0x0123);
			set(m, high, 0x0fed);
			check(&clocks[i], get(m, clocks[i].ctr) == UINT64_C(0x0fed456789ab));
			set(m, low, 0x11111111);
			check(&clocks[i], get(m, clocks[i].ctr) == UINT64_C(0x0fed11111111));
			set(m, high, UINT32_MAX);
			check(&clocks[i], get(m, high) == most >> 32);
		}
		model_free(m);
	}
}

/* A function that the BIOS has hidden answers no access, is in no list, and its neighbours are as
 * ever. */
static void ivytown_hidden_function(void **state)
{
	struct model_function v[64];
	struct model *m = new_of("ivytown");
	size_t n = model_functions(m, 0, v, 64);
	uint64_t value;

	(void)state;
	model_fault(m, 0, MODEL_HIDDEN, pci(16, 5, 0, 4), true);
	assert_int_equal(model_functions(m, 0, v, 64), n - 1);
	for (size_t i = 0; i < n - 1; i++)
		assert_false(v[i].dev == 16 && v[i].fn == 5);
	assert_int_equal(model_read(m, 0, pci(16, 5, 0, 4), &value), -EIO);
	assert_int_equal(model_read(m, 0, pci(16, 5, 0xa4, 4), &value), -EIO);
	assert_int_equal(model_write(m, 0, pci(16, 5, 0xd8, 4), 0), -EIO);
	assert_int_equal(get(m, pci(16, 4, 0, 4)), 0x0eb48086);
	model_fault(m, 0, MODEL_HIDDEN, pci(16, 5, 0, 4), false);
	assert_int_equal(get(m, pci(16, 5, 0, 4)), 0x0eb58086);
	model_free(m);
}

/* 329468-002 2.2.2.1, 2.10.2.1: with ov_en an overflow sets the box's bit and the socket's and
 * freezes all; both are cleared by writing 1, and without that there is no new freeze. Without
 * ov_en nothing is set. */
static void ivytown_overflow(void **state)
{
	const struct reg ctl = pci(14, 1, 0xd8, 4), ctr = pci(14, 1, 0xa0, 8),
		status = pci(14, 1, 0xf8, 4);
	struct model *m = new_of("ivytown");
	uint64_t clock, v;

	(void)state;
	model_write(m, 0, ctl, BIT(22));                            /* HA 0 counter 0: its clock */
	wr(m, 0xc08, BIT(22));
	model_write(m, 0, ctr, TOP - 1000);
	model_advance(m, NSEC_PER_SEC);
	assert_int_equal(rd(m, 0xc01), 0);		/* no ov_en: a wrap is told of nowhere */
	for (unsigned turn = 0; turn < 3; turn++) {
		uint64_t before = model_truth(m, 0, ctr);

		model_write(m, 0, ctl, BIT(22) | BIT(20));
		model_write(m, 0, ctr, TOP - 1000);
		wr(m, 0xc00, BIT(29));
		model_advance(m, NSEC_PER_SEC);
		clock = rd(m, 0xc09);
		model_advance(m, NSEC_PER_SEC);
		model_read(m, 0, ctr, &v);
		if (turn == 1) {		/* what stood from the first one was not cleared */
			assert_true(rd(m, 0xc09) > clock);
			model_write(m, 0, status, BIT(0));
			wr(m, 0xc01, BIT(18));
			continue;
		}
		assert_int_equal(rd(m, 0xc09), clock);
		assert_int_equal(model_truth(m, 0, ctr) - before, 1000 + v);
		assert_in_range(v, 90, 100);                        /* 40 ns of 2.4 GHz */
		assert_int_equal(rd(m, 0xc01), BIT(18));
		model_read(m, 0, status, &v);
		assert_int_equal(v, BIT(0));
	}
	no_violation(m);
	model_free(m);
}

/* ------------------------------------------------------------------ Nehalem, Westmere */

/* Two levels: bit 22 of the control (the fixed one: bit 0), and the counter's own bit of 0x391 (the
 * fixed one: 32). */
static void nehalem_enables(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 9; k++) {
		const bool fixed = k == 8;
		const struct reg ctr = msr(fixed ? 0x394 : 0x3b0 + k),
			ctl = msr(fixed ? 0x395 : 0x3c0 + k);
		/* LLC_MISS:READ */
		const uint64_t own = fixed ? BIT(32) : BIT(k), on = fixed ? 1 : EN22 | 0x0109;
		struct model *m = new_of(k % 2 ? "westmere" : "nehalem");

		set(m, ctl, on);
		assert_int_equal(moves(m, ctr), 0);
		set(m, msr(0x391), (bits_mask(7, 0) | BIT(32)) & ~own);
		assert_int_equal(moves(m, ctr), 0);
		set(m, msr(0x391), own);
		assert_true(moves(m, ctr) > 0);
		set(m, ctl, 0);
		assert_int_equal(moves(m, ctr), 0);
		no_violation(m);
		model_free(m);
	}
}

/* An overflow is told of in 0x392 and cleared through 0x393; PMI_FRZ (63) stops all with a PMI (bit
 * 20 of the control and some EN_PMI_COREn) only, and software has to set the enables again. */
static void nehalem_overflow(void **state)
{
	static const struct { int line; uint64_t control, global; bool stops; } rows[] = {
		{ __LINE__, 0, BIT(63) | BIT(48), false },
		{ __LINE__, BIT(20), BIT(48), false },
		{ __LINE__, BIT(20), BIT(63), false },
		{ __LINE__, BIT(20), BIT(63) | BIT(50), true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct model *m = new_of("nehalem");

		set(m, msr(0x3b3), TOP - 1000);
		set(m, msr(0x395), 1);
		set(m, msr(0x3c3), EN22 | 0x0109 | rows[i].control);
		set(m, msr(0x391), BIT(3) | BIT(32) | rows[i].global);
		model_advance(m, NSEC_PER_SEC);
		check(&rows[i], (rd(m, 0x392) & BIT(3)) && (rd(m, 0x392) & BIT(63)) &&
		      !(rd(m, 0x392) & BIT(32)));
		check(&rows[i], (moves(m, msr(0x394)) == 0) == rows[i].stops);
		check(&rows[i], rd(m, 0x391) ==
		      (rows[i].stops ? rows[i].global : BIT(3) | BIT(32) | rows[i].global));
		set(m, msr(0x393), BIT(3));
		check(&rows[i], !(rd(m, 0x392) & BIT(3)));
		set(m, msr(0x391), BIT(3) | BIT(32));
		check(&rows[i], moves(m, msr(0x394)) > 0);
		no_violation(m);
		model_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ivytown_freezes_and_resets),
		cmocka_unit_test(ivytown_halves_and_widths),
		cmocka_unit_test(ivytown_hidden_function),
		cmocka_unit_test(ivytown_overflow),
		cmocka_unit_test(nehalem_enables),
		cmocka_unit_test(nehalem_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
