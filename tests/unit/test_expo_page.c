/* SPDX-License-Identifier: MIT
 * The front page of a big server: eight sockets of the Xeon 7500, as they are counted without a
 * configuration. Which names it has for what is invalid, and that it stays small.
 */
#include "expo/expo.h"

#include "../plan/plan_test.h"
#include "expo_scene.h"

#include "base/bits.h"

enum { SOCKETS = 8, SIZE_MAX_OF_PAGE = 94000 };

struct big {
	struct made made;
	struct layout at[SOCKETS];
	struct scene s;
};

/* Everything is valid. The widest a value can be is 1.23 and a prefix with a long unit. */
static void big_open(struct big *b, const char *conf)
{
	double value = 123.4e-6;

	b->made = make(conf, "nehalem-ex", SOCKETS, NULL, false);
	assert_int_equal(b->made.r, 0);
	scene_open(&b->s, b->made.p, NULL);
	assert_int_equal(b->s.n, SOCKETS);
	b->s.daemon_values[D_CONFIG_OK] = 1;
	for (unsigned i = 0; i < SOCKETS; i++) {
		const struct layout l = b->at[i] = layout_of(&b->made.p->sockets[i]);

		b->s.words[i][W_UP] = 1;
		b->s.words[i][W_NOW_WALL] = 1790000000250000000;
		for (unsigned k = 0; k < b->made.p->sockets[i].n_metric_series; k++) {
			b->s.words[i][l.metric_reason + k] = REASON_NONE;
			memcpy(&b->s.words[i][l.metric_value + k], &value, sizeof(value));
		}
	}
	scene_publish(&b->s);
}

static void big_close(struct big *b)
{
	scene_close(&b->s);
	plan_free(b->made.p);
	diags_done(&b->made.d);
}

static char *page(struct big *b)
{
	char *text;

	scene_publish(&b->s);
	text = body_text(&b->s, EXPO_PAGE);
	print_message("%zu bytes\n", strlen(text));
	assert_true(strlen(text) < SIZE_MAX_OF_PAGE);
	return text;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void test_all_valid(void **state)
{
	struct big b;
	char *text;

	(void)state;
	big_open(&b, NULL);
	text = page(&b);
	assert_non_null(strstr(text, "Nothing: every counter is valid."));
	assert_null(strstr(text, "what to do"));
	free(text);
	big_close(&b);
}

/* With one reason, and with as many as there are. What is not named is counted. */
static void test_all_invalid(void **state)
{
	struct big b;
	char *text, more[64];
	unsigned slots, metrics;

	(void)state;
	big_open(&b, NULL);
	slots = b.made.p->sockets[0].n_series;
	metrics = b.made.p->sockets[0].n_metric_series;
	assert_true(slots > 20 && metrics > 10);
	for (unsigned i = 0; i < SOCKETS; i++) {
		for (unsigned k = 0; k < slots; k++)
			b.s.words[i][b.at[i].slot_reason + k] = REASON_FOREIGN;
		for (unsigned k = 0; k < metrics; k++)
			b.s.words[i][b.at[i].metric_reason + k] = REASON_REFUSED;
	}
	text = page(&b);
	assert_int_equal(count(text, "<td class=\"bad\">foreign</td><td>Another program"), 1);
	assert_int_equal(count(text, "<td class=\"bad\">refused</td><td>The hardware did not "
			       "accept"), 1);
	/* 10 / 8 + 1 names of each socket and reason */
	assert_int_equal(count(text, "</code><br>"), 2 * 2 * SOCKETS);
	snprintf(more, sizeof(more), "and %u more<br>", slots - 2);
	assert_int_equal(count(text, more), SOCKETS);
	snprintf(more, sizeof(more), "and %u more<br>", metrics - 2);
	assert_int_equal(count(text, more), SOCKETS);
	assert_null(strstr(text, "every counter is valid"));
	free(text);
	for (unsigned i = 0; i < SOCKETS; i++)
		for (unsigned k = 0; k < slots; k++)
			b.s.words[i][b.at[i].slot_reason + k] = 1 + k % (REASON_COUNT - 1);
	text = page(&b);
	for (unsigned reason = 1; reason < REASON_COUNT; reason++)
		assert_non_null(strstr(text, reason_name((enum reason)reason)));
	free(text);
	big_close(&b);
}

/* A metric is listed with whatever reason it has, though each event is valid. */
static void test_metrics_alone(void **state)
{
	static const struct { uint64_t state; const char *wanted; } rows[] = {
		{ REASON_CONFLICT, ">conflict</td><td>The formula does not hold" },
		{ REASON_NO_DATA, ">no_data</td><td>Nothing was counted" },
		{ REASON_HIDDEN, ">hidden</td><td>" },
	};
	struct big b;
	char *text;

	(void)state;
	big_open(&b, NULL);
	for (size_t i = 0; i < COUNT(rows); i++) {
		b.s.words[5][b.at[5].metric_reason] = rows[i].state;
		text = page(&b);
		if (!strstr(text, rows[i].wanted))
			fail_msg("no %s", rows[i].wanted);
		assert_non_null(strstr(text, "socket 5<br><code>uncore_"));
		assert_int_equal(count(text, "</code><br>"), 1);
		free(text);
	}
	big_close(&b);
}

/* A group has a heading where a value is below it: not if it counts events alone, or its values are
 * below another's. */
static void test_headings(void **state)
{
	static const struct { const char *conf; unsigned memory, other; bool none; } rows[] = {
		{ "groups = ( { name = \"raw\"; events = [ \"bbox/IMT_INSERTS_ALL\" ]; } );", 0, 0,
		  true },
		{ "groups = ( \"memory\", { name = \"raw\"; events = [ \"cbox/LLC_HITS:ALL\" ]; } "
		  ");", SOCKETS, 0, false },
		{ "groups = ( \"memory\", { name = \"raw\"; events = [ \"wbox/CLOCKTICKS\" ]; } );",
		  SOCKETS, 0, false },
		{ "groups = ( \"memory\", { name = \"raw\"; metrics = [ \"imt_full_ratio\" ]; } "
		  ");", SOCKETS, SOCKETS, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct big b;
		char *text;

		big_open(&b, rows[i].conf);
		text = page(&b);
		assert_int_equal(count(text, "<h3>memory <small>"), rows[i].memory);
		assert_int_equal(count(text, "<h3>raw <small>"), rows[i].other);
		assert_int_equal(count(text, "None: these groups count events alone."),
				 rows[i].none);
		free(text);
		big_close(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_valid), cmocka_unit_test(test_all_invalid),
		cmocka_unit_test(test_metrics_alone), cmocka_unit_test(test_headings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
