/* SPDX-License-Identifier: MIT
 * Pieces, their limits, and what happens to who builds when there is no more
 * memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define MAX (1u << 20)

static bool is_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static void test_pieces(void **state)
{
	struct arena *a = arena_new(MAX, NULL);
	char *all[200];

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		all[i] = arena_alloc(a, i, 7);
		assert_non_null(all[i]);
		assert_int_equal((uintptr_t)all[i] % _Alignof(max_align_t), 0);
		assert_true(is_zero((unsigned char *)all[i], i * 7));
		memset(all[i], (int)i, i * 7);
	}
	for (unsigned i = 0; i < 200; i++)              /* nobody wrote into another's */
		for (unsigned k = 0; k < i * 7; k++)
			assert_int_equal((unsigned char)all[i][k], i);
	assert_non_null(arena_alloc(a, 1, 100000));     /* more than a chunk */
	assert_string_equal(arena_text(a, "abc"), "abc");
	assert_string_equal(arena_text_n(a, "abc", 2), "ab");
	assert_string_equal(arena_text_n(a, "abc", 9), "abc");
	assert_string_equal(arena_printf(a, "%d-%s", 7, "x"), "7-x");
	for (int i = 250; i < 260; i++)
		assert_int_equal(strlen(arena_printf(a, "%*d", i, 7)), i);
	assert_string_equal(arena_take(a, strdup("taken")), "taken");
	assert_memory_equal(arena_copy(a, "\1\2\3\4", 2, 2), "\1\2\3\4", 4);
	arena_free(a);
	arena_free(NULL);
}

static void test_grow(void **state)
{
	struct arena *a = arena_new(MAX, NULL);
	unsigned *v = NULL, *w = NULL;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		v = arena_grow(a, v, i, sizeof(*v));
		assert_int_equal(v[i], 0);
		v[i] = i;
		if (i % 3 == 0) {                       /* sometimes something stands behind it */
			w = arena_grow(a, w, i / 3, sizeof(*w));
			assert_int_equal(w[i / 3], 0);
			w[i / 3] = ~i;
		}
	}
	for (unsigned i = 0; i < 5000; i++) {
		assert_int_equal(v[i], i);
		assert_int_equal(w[i / 3], ~(i / 3 * 3));
	}
	v[10] = 1;
	assert_ptr_equal(arena_grow(a, v, 10, sizeof(*v)), v);
	assert_int_equal(v[10], 0);                     /* also where something stood already */
	arena_free(a);
}

static void test_release(void **state)
{
	struct arena *a = arena_new(200000, NULL);
	struct arena_mark empty = arena_mark(a), m;
	char *kept = arena_text(a, "kept"), *first = NULL;

	(void)state;
	m = arena_mark(a);
	for (unsigned i = 0; i < 1000; i++) {	/* more than the maximum, but never at once */
		char *p = arena_alloc(a, 1, 100), *q = arena_alloc(a, 1, 50000);

		assert_non_null(q);
		assert_true(is_zero((unsigned char *)p, 100));
		memset(p, 1, 100);
		first = first ? first : p;
		assert_ptr_equal(p, first);
		arena_release(a, m);
	}
	assert_string_equal(kept, "kept");
	arena_release(a, empty);
	assert_non_null(arena_alloc(a, 1, 150000));
	arena_free(a);
}

/* Small pieces go on where they were, whatever large ones come between. */
static void test_large_between_small(void **state)
{
	enum { LARGE = 33000, N = 20 };
	struct arena *a = arena_new(N * (LARGE + 100) + 40000, NULL);
	char *before = arena_alloc(a, 1, 16);

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		char *large = arena_alloc(a, 1, LARGE), *small = arena_alloc(a, 1, 16);

		assert_non_null(large);
		assert_true(is_zero((unsigned char *)large, LARGE));
		memset(large, 1, LARGE);
		assert_ptr_equal(small, before + 16 * (i + 1));
		assert_true(is_zero((unsigned char *)small, 16));
	}
	arena_free(a);
}

struct builder {
	struct arena *a, *other;
	unsigned built, inner;
};

static void build(void *p)
{
	struct builder *b = p;

	for (;;) {
		memset(arena_alloc(b->a, 1, 1000), 1, 1000);
		b->built++;
		if (b->other)
			memset(arena_alloc(b->other, 1, 10), 1, 10);
	}
}

static void build_some(void *p)
{
	struct builder *b = p;

	for (unsigned i = 0; i < 10; i++)
		b->built += arena_alloc(b->a, 1, 1000) != NULL;
}

static void build_nested(void *p)
{
	struct builder *b = p;

	assert_true(arena_try(b->a, build_some, b));
	b->inner = b->built;
	arena_try(b->a, build, b);
	fail_msg("the outer run goes on after a failure of the inner one");
}

static void test_maximum(void **state)
{
	struct builder b = { .a = arena_new(100000, NULL) };

	(void)state;
	assert_true(arena_try(b.a, build_some, &b));
	assert_int_equal(b.built, 10);
	assert_false(arena_try(b.a, build, &b));
	assert_in_range(b.built, 60, 100);              /* the rest of the last chunk is lost */
	b.built = 0;
	assert_false(arena_try(b.a, build_some, &b));   /* failed for good: nothing runs */
	assert_int_equal(b.built, 0);
	assert_null(arena_alloc(b.a, 1, 1));
	assert_null(arena_grow(b.a, NULL, 0, 1));
	assert_null(arena_text(b.a, ""));
	assert_null(arena_text_n(b.a, "", 1));
	assert_null(arena_printf(b.a, "%d", 1));
	assert_null(arena_take(b.a, strdup("freed")));
	arena_free(b.a);
}

static void test_nested(void **state)
{
	struct builder b = { .a = arena_new(100000, NULL) };

	(void)state;
	assert_false(arena_try(b.a, build_nested, &b));
	assert_int_equal(b.inner, 10);
	assert_true(b.built > 10);
	arena_free(b.a);
}

/* A child fails by its own maximum, and with it its parent, in whose run it was used. */
static void test_parent(void **state)
{
	struct builder b = { .a = arena_new(MAX, NULL) };

	(void)state;
	b.other = arena_new(0, b.a);
	assert_false(arena_try(b.a, build, &b));
	assert_int_equal(b.built, 1);
	assert_null(arena_alloc(b.a, 1, 1));
	arena_free(b.other);
	arena_free(b.a);

	b = (struct builder){ .a = arena_new(0, NULL) };
	b.other = arena_new(MAX, b.a);
	assert_false(arena_try(b.a, build, &b));
	assert_null(arena_alloc(b.other, 1, 1));        /* nor does the child go on */
	arena_free(b.other);
	arena_free(b.a);
}

static void test_too_large(void **state)
{
	static const struct { size_t n, size; } rows[] = {
		{ SIZE_MAX, 1 }, { SIZE_MAX, SIZE_MAX }, { SIZE_MAX / 2 + 1, 2 },
		{ 1, SIZE_MAX - 8 }, { 1, MAX + 1 },
	};

	struct arena *a;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		a = arena_new(MAX, NULL);

		assert_null(arena_alloc(a, rows[i].n, rows[i].size));
		assert_null(arena_alloc(a, 1, 1));
		arena_free(a);
	}
	a = arena_new(MAX, NULL);
	assert_null(arena_take(a, NULL));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_grow),
		cmocka_unit_test(test_release), cmocka_unit_test(test_large_between_small),
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_parent),
		cmocka_unit_test(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
