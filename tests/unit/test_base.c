/* SPDX-License-Identifier: MIT
 * Errors, buffers, bit fields, durations, numbers, texts with numbers, register addresses. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/nsec.h"
#include "base/num.h"
#include "base/reg.h"
#include "base/strb.h"
#include "base/texts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- cleanup */

static unsigned n_released;

struct owned { int id; };
static void owned_free(struct owned *o)
{
	n_released += (unsigned)o->id;
}
CLEANUP_POINTER(owned_free, struct owned);

/* Descriptors that this process has open. */
static unsigned n_open(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 64; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int make(bool early, struct owned *one, struct owned *two, int *ret_fd)
{
	AUTO_FD int fd = -1;
	AUTO_FREE(owned_free) struct owned *first = one;
	AUTO_FREE(owned_free) struct owned *second = NULL;
	AUTO_DONE(diags_done) struct diags d = { 0 };

	diags_add(&d, (struct where){ NULL, 0 }, "freed, else a sanitizer says so");
	if (early)
		return -EINVAL;
	second = two;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_ptr_equal(TAKE(first), one);
	assert_null(first);
	*ret_fd = TAKE_FD(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return 0;
}

/* What is owned at a return is released, what was handed over is not, and nothing is no error. */
static void test_cleanup(void **state)
{
	struct owned one = { 1 }, two = { 10 };
	unsigned before = n_open();
	int fd = -1;

	(void)state;
	assert_int_equal(make(true, &one, &two, &fd), -EINVAL);
	assert_int_equal(n_released, 1);
	assert_int_equal(fd, -1);
	assert_int_equal(make(false, &one, &two, &fd), 0);
	assert_int_equal(n_released, 11);
	assert_int_equal(n_open(), before + 1);
	assert_int_equal(close(fd), 0);
}

/* ---- err */

static void test_err(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, -EIO, "register %s: %d", "0xd10", 5), -EIO);
	assert_string_equal(e.text, "register 0xd10: 5");
	assert_int_equal(err_prefix(&e, -EIO, "socket %u: ", 1), -EIO);
	assert_string_equal(e.text, "socket 1: register 0xd10: 5");
	assert_int_equal(err_set(NULL, -EPERM, "nobody asks"), -EPERM);
	assert_int_equal(err_prefix(NULL, -EPERM, "nobody asks"), -EPERM);
}

/* Too much text is cut, never more than the buffer. */
static void test_err_long(void **state)
{
	static char big[2000];
	struct err e;

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	err_set(&e, -EIO, "%s", big);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	err_prefix(&e, -EIO, "ab");
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_memory_equal(e.text, "abxx", 4);
	err_prefix(&e, -EIO, "%s", big);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}

static void test_diags(void **state)
{
	struct diags d = { 0 };

	(void)state;
	assert_int_equal(diags_add(&d, (struct where){ "a.conf", 7 }, "no key \"%s\"", "x"),
			 -EINVAL);
	diags_add(&d, (struct where){ "a.conf", 0 }, "too large");
	diags_add(&d, (struct where){ NULL, 7 }, "from nowhere");
	assert_int_equal(d.n, 3);
	assert_string_equal(d.v[0], "a.conf:7: no key \"x\"");
	assert_string_equal(d.v[1], "a.conf: too large");
	assert_string_equal(d.v[2], "from nowhere");
	for (unsigned i = 3; i < DIAGS_MAX + 10; i++)
		diags_add(&d, (struct where){ NULL, 0 }, "%u", i);
	assert_int_equal(d.n, DIAGS_MAX);
	assert_int_equal(d.dropped, 10);
	assert_string_equal(d.v[DIAGS_MAX - 1], "255");
	diags_done(&d);
	assert_int_equal(d.n, 0);
	diags_done(&d);
}

/* ---- strb */

static void test_strb(void **state)
{
	struct strb b;
	char *s;

	(void)state;
	strb_init(&b, 1000);
	strb_add(&b, "a");
	strb_add_char(&b, '\n');
	strb_add_mem(&b, "bc\0d", 4);
	assert_int_equal(b.n, 6);
	assert_memory_equal(b.s, "a\nbc\0d", 7);
	strb_clear(&b);
	assert_string_equal(b.s, "");
	strb_addf(&b, "0 %" PRIu64, UINT64_MAX);
	strb_addf(&b, " %s %d", "x", -1);
	assert_string_equal(b.s, "0 18446744073709551615 x -1");
	s = strb_take(&b);
	assert_string_equal(s, "0 18446744073709551615 x -1");
	free(s);
	s = strb_take(&b);
	assert_string_equal(s, "");             /* nothing was added: an empty text, not NULL */
	free(s);
	strb_done(&b);
	strb_done(&b);
}

static void test_strb_max(void **state)
{
	struct strb b;

	(void)state;
	strb_init(&b, 10);
	strb_add(&b, "0123456789");
	assert_false(b.failed);
	strb_add(&b, "");
	assert_false(b.failed);
	strb_add_char(&b, 'x');
	assert_true(b.failed);
	assert_string_equal(b.s, "0123456789");
	strb_addf(&b, "%d", 1);
	assert_int_equal(b.n, 10);
	assert_null(strb_take(&b));
	assert_int_equal(b.n, 0);
	assert_false(b.failed);
	strb_addf(&b, "%s", "01234567890");
	assert_true(b.failed);
	strb_clear(&b);
	strb_add(&b, "01234567");
	strb_addf(&b, "%s", "89x");             /* what had been written of it is taken back */
	assert_true(b.failed);
	assert_string_equal(b.s, "01234567");
	strb_done(&b);
}

static void test_strb_grows(void **state)
{
	struct strb b;

	(void)state;
	strb_init(&b, 100000);
	for (unsigned i = 0; i < 20000; i++)
		strb_addf(&b, "%05u", i);
	assert_false(b.failed);
	assert_int_equal(b.n, 100000);
	assert_memory_equal(b.s + 5 * 12345, "12345", 5);
	assert_int_equal(strlen(b.s), b.n);
	strb_done(&b);
}

/* ---- bits */

static void test_bits(void **state)
{
	(void)state;
	assert_true(bits_mask(0, 0) == 1);
	assert_true(bits_mask(63, 63) == UINT64_C(0x8000000000000000));
	assert_true(bits_mask(63, 0) == UINT64_MAX);
	assert_true(bits_mask(31, 24) == 0xff000000);
	assert_true(bits_get(UINT64_C(0x8000000000400f15), 15, 8) == 0x0f);
	assert_true(bits_get(UINT64_C(0x8000000000400f15), 63, 63) == 1);
	assert_true(bits_get(UINT64_C(0x8000000000400f15), 63, 0) == UINT64_C(0x8000000000400f15));
	assert_true(bits_put(0x0f, 15, 8) == 0x0f00);
	assert_true(bits_put(0x1ff, 15, 8) == 0xff00);  /* what does not fit is cut off */
	assert_true(bits_put(UINT64_MAX, 63, 0) == UINT64_MAX);
	assert_true(bits_fit(0xff, 15, 8));
	assert_false(bits_fit(0x100, 15, 8));
	assert_true(bits_fit(1, 63, 63));
	assert_false(bits_fit(2, 63, 63));
	assert_true(bits_fit(UINT64_MAX, 63, 0));
	assert_true(BIT(63) == UINT64_C(0x8000000000000000));
}

/* ---- nsec */

static void test_nsec_parse(void **state)
{
	static const struct { int line; const char *text; int r; nsec t; } rows[] = {
		{ __LINE__, "1s", 0, 1000000000 }, { __LINE__, "250ms", 0, 250000000 },
		{ __LINE__, "1.5s", 0, 1500000000 },
		{ __LINE__, "2min", 0, 120000000000 }, { __LINE__, "1h", 0, 3600000000000 },
		{ __LINE__, "100us", 0, 100000 },
		{ __LINE__, "7ns", 0, 7 }, { __LINE__, "1d", 0, 86400000000000 },
		{ __LINE__, "0s", 0, 0 },
		{ __LINE__, "0.000000001s", 0, 1 }, { __LINE__, "0.5min", 0, 30000000000 },
		{ __LINE__, "010ms", 0, 10000000 },
		{ __LINE__, "3650d", 0, 315360000000000000 }, { __LINE__, "3651d", -ERANGE, -7 },
		{ __LINE__, "18446744073709551616ns", -ERANGE, -7 },
		{ __LINE__, "99999999999999999999999999s", -ERANGE, -7 },
		{ __LINE__, "10000000000000000d", -ERANGE, -7 },
		{ __LINE__, "", -EINVAL, -7 }, { __LINE__, "1", -EINVAL, -7 },
		{ __LINE__, "s", -EINVAL, -7 },
		{ __LINE__, "-1s", -EINVAL, -7 }, { __LINE__, "+1s", -EINVAL, -7 },
		{ __LINE__, " 1s", -EINVAL, -7 },
		{ __LINE__, "1 s", -EINVAL, -7 }, { __LINE__, "1s ", -EINVAL, -7 },
		{ __LINE__, "1S", -EINVAL, -7 },
		{ __LINE__, "1m", -EINVAL, -7 }, { __LINE__, ".5s", -EINVAL, -7 },
		{ __LINE__, "1.s", -EINVAL, -7 },
		{ __LINE__, "1.5ns", -EINVAL, -7 }, { __LINE__, "1e3s", -EINVAL, -7 },
		{ __LINE__, "0x1s", -EINVAL, -7 },
		{ __LINE__, "1.0000000000s", -EINVAL, -7 }, { __LINE__, "1,5s", -EINVAL, -7 },
		{ __LINE__, "1s1s", -EINVAL, -7 },
		{ __LINE__, "nans", -EINVAL, -7 }, { __LINE__, "1h30min", -EINVAL, -7 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		nsec t = -7;
		int r = nsec_parse(rows[i].text, &t);

		if (r != rows[i].r || t != rows[i].t)
			fail_msg("line %d: %d %lld", rows[i].line, r, (long long)t);
	}
}

static void test_nsec_text(void **state)
{
	static const struct { int line; nsec t; const char *text; } rows[] = {
		{ __LINE__, 0, "0s" }, { __LINE__, 1, "1ns" }, { __LINE__, 1500, "1500ns" },
		{ __LINE__, 100000, "100us" },
		{ __LINE__, 250000000, "250ms" }, { __LINE__, 1000000000, "1s" },
		{ __LINE__, 90000000000, "90s" },
		{ __LINE__, 1000000001, "1000000001ns" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(nsec_text(rows[i].t).s, rows[i].text) != 0)
			fail_msg("line %d: %s", rows[i].line, nsec_text(rows[i].t).s);
}

/* What is printed is read back as the same time: random times of every size. */
static void test_nsec_round_trip(void **state)
{
	unsigned seed = (unsigned)getpid();

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < 2000; i++) {
		nsec t = (nsec)(((uint64_t)random() << 31 | (uint64_t)
				 random()) >> (5 + random() % 57)), back = -1;

		if (t > 3650 * INT64_C(86400000000000))
			continue;
		if (nsec_parse(nsec_text(t).s, &back) != 0 || back != t)
			fail_msg("%lld %s %lld", (long long)t, nsec_text(t).s, (long long)back);
	}
}

/* ---- num */

static void test_num_u64(void **state)
{
	static const struct { int line; const char *text; int r; uint64_t v; } rows[] = {
		{ __LINE__, "0", 0, 0 }, { __LINE__, "10", 0, 10 }, { __LINE__, "010", 0, 10 },
		{ __LINE__, "0x10", 0, 16 }, { __LINE__, "0XfF", 0, 255 },
		{ __LINE__, "0x0", 0, 0 },
		{ __LINE__, "18446744073709551615", 0, UINT64_MAX },
		{ __LINE__, "0xffffffffffffffff", 0, UINT64_MAX },
		{ __LINE__, "18446744073709551616", -ERANGE, 7 },
		{ __LINE__, "0x10000000000000000", -ERANGE, 7 },
		{ __LINE__, "", -EINVAL, 7 }, { __LINE__, "0x", -EINVAL, 7 },
		{ __LINE__, "x1", -EINVAL, 7 },
		{ __LINE__, "-1", -EINVAL, 7 }, { __LINE__, "+1", -EINVAL, 7 },
		{ __LINE__, " 1", -EINVAL, 7 },
		{ __LINE__, "1 ", -EINVAL, 7 }, { __LINE__, "1\n", -EINVAL, 7 },
		{ __LINE__, "1.0", -EINVAL, 7 },
		{ __LINE__, "1e3", -EINVAL, 7 }, { __LINE__, "ff", -EINVAL, 7 },
		{ __LINE__, "0b1", -EINVAL, 7 },
		{ __LINE__, "0x0x1", -EINVAL, 7 }, { __LINE__, "1L", -EINVAL, 7 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t v = 7;
		int r = num_parse_u64(rows[i].text, &v);

		if (r != rows[i].r || v != rows[i].v)
			fail_msg("line %d: %d %llu", rows[i].line, r, (unsigned long long)v);
	}
}

static void test_num_ranges(void **state)
{
	static const struct { int line; const char *text; unsigned max; int r;
			      const char *cpus; } rows[] = {
		{ __LINE__, "0-3,8,10-11\n", 63, 0, " 0 1 2 3 8 10 11" },
		{ __LINE__, "5", 63, 0, " 5" },
		{ __LINE__, "", 63, 0, "" }, { __LINE__, "\n", 63, 0, "" },
		{ __LINE__, "7-7", 7, 0, " 7" },
		{ __LINE__, "8", 7, -EINVAL, "" }, { __LINE__, "0-8", 7, -EINVAL, "" },
		{ __LINE__, "0-4294967295", 63, -EINVAL, "" },
		{ __LINE__, "4294967296", 63, -EINVAL, "" },
		{ __LINE__, "18446744073709551616", 63, -EINVAL, "" },
		{ __LINE__, "3-1", 63, -EINVAL, "" },
		{ __LINE__, "1,", 63, -EINVAL, NULL }, { __LINE__, "1,\n", 63, -EINVAL, NULL },
		{ __LINE__, "1,1", 63, -EINVAL, NULL }, { __LINE__, "4,1", 63, -EINVAL, NULL },
		{ __LINE__, "0-2,2-3", 63, -EINVAL, NULL }, { __LINE__, "1-", 63, -EINVAL, "" },
		{ __LINE__, "-1", 63, -EINVAL, "" }, { __LINE__, ",1", 63, -EINVAL, "" },
		{ __LINE__, "1;2", 63, -EINVAL, NULL },
		{ __LINE__, "1\n2", 63, -EINVAL, NULL }, { __LINE__, "1 ", 63, -EINVAL, NULL },
		{ __LINE__, "0x1", 63, -EINVAL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpu_range range = { rows[i].text, 0, 0 };
		struct strb b;
		int r;

		strb_init(&b, 1000);
		strb_add(&b, "");
		while ((r = num_next_range(&range, rows[i].max)) > 0)
			for (unsigned cpu = range.first; cpu < range.end; cpu++)
				strb_addf(&b, " %u", cpu);
		if (r != rows[i].r || (rows[i].cpus && strcmp(b.s, rows[i].cpus) != 0))
			fail_msg("line %d: %d%s", rows[i].line, r, b.s);
		strb_done(&b);
	}
}

/* ---- reg */

static void test_reg(void **state)
{
	const struct reg msr = { .space = SPACE_MSR, .bytes = 8, .off = 0xd10 };
	const struct reg pci = { .space = SPACE_PCI, .bytes = 4, .dev = 19, .fn = 5, .off = 0xd8 };
	struct reg other = pci;

	(void)state;
	assert_string_equal(reg_text(msr).s, "0xd10");
	assert_string_equal(reg_text(pci).s, "19:5+0xd8");
	assert_true(reg_equal(pci, other));
	other.fn = 6;
	assert_false(reg_equal(pci, other));
	assert_false(reg_equal(pci, msr));
}

/* The closed list of reasons: each has a name, and no two the same. */
static void test_reasons(void **state)
{
	static const char *const names[] = {
		"", "foreign", "reset", "late", "read_error", "refused", "stopped", "stalled",
		"offline", "hidden", "conflict", "no_data", "paused",
	};

	(void)state;
	assert_int_equal(COUNT(names), REASON_COUNT);
	for (unsigned i = 0; i < REASON_COUNT; i++)
		assert_string_equal(reason_name(i), names[i]);
	assert_string_equal(reason_name(REASON_COUNT), "");
	assert_string_equal(reason_name(REASON_NO_DATA), "no_data");
}

/* ---- texts */

/* Many, each asked for twice, by another copy of it: also when the table has grown between. */
static void test_texts(void **state)
{
	AUTO_FREE(arena_free) struct arena *a = arena_new(1 << 20, NULL);
	struct texts t = { 0 };

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		unsigned *number = texts_number(a, &t, arena_printf(a, "cha%u/e", i));

		assert_int_equal(*number, 0);
		*number = i + 1;
	}
	for (unsigned i = 5000; i--;)
		assert_int_equal(*texts_number(a, &t, arena_printf(a, "cha%u/e", i)), i + 1);
	assert_int_equal(*texts_number(a, &t, ""), 0);
	assert_int_equal(*texts_number(a, &t, "cha5000/e"), 0);
	/* FNV-1a of both is 0x5e4daa9d: they are two all the same */
	*texts_number(a, &t, "costarring") = 1;
	assert_int_equal(*texts_number(a, &t, "liquid"), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cleanup),
		cmocka_unit_test(test_err), cmocka_unit_test(test_err_long),
		cmocka_unit_test(test_diags),
		cmocka_unit_test(test_strb), cmocka_unit_test(test_strb_max),
		cmocka_unit_test(test_strb_grows),
		cmocka_unit_test(test_bits), cmocka_unit_test(test_nsec_parse),
		cmocka_unit_test(test_nsec_text),
		cmocka_unit_test(test_nsec_round_trip), cmocka_unit_test(test_num_u64),
		cmocka_unit_test(test_num_ranges),
		cmocka_unit_test(test_reg), cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
