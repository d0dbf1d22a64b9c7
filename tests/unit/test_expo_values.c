/* SPDX-License-Identifier: MIT
 * What is shown of values: validity, moments, totals over a reload, quiet
 * groups, damage. */
#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "base/bits.h"
#include "expo/description.h"
#include "expo_scene.h"

/* ------------------------------------------------------------------ validity and moments */

static void test_before_first_sample(void **state)
{
	struct scene s;
	char *text;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	assert_false(expo_ready(s.r, 0));
	text = body_text(&s, EXPO_TEXT);
	assert_non_null(strstr(text, "\nuncored_up{socket=\"0\"} 0\n"));
	assert_non_null(strstr(text, "\nuncored_samples_total{socket=\"0\"} 0\n"));
	assert_non_null(strstr(text, "event=\"TSC\",reason=\"no_data\"} 1\n"));
	assert_non_null(strstr(text, "engine=\"model\",cpu=\"\"} 1\n"));
	assert_null(strstr(text, "uncored_last_sample_timestamp_seconds"));
	assert_null(strstr(text, "\nuncore_"));
	assert_null(strstr(text, "process_"));
	free(text);
	s.words[0][W_UP] = s.words[1][W_UP] = 1;
	ring_write(&s.rings[0], s.words[0]);
	assert_false(expo_ready(s.r, 0));
	ring_write(&s.rings[1], s.words[1]);
	assert_true(expo_ready(s.r, 0));
	scene_close(&s);
}

/* OpenMetrics names base units and rates of them, as Prometheus does; what else is counted is none,
 * whatever the name ends in. */
static void test_units(void **state)
{
	struct plan_metric metrics[3];
	struct plan_socket socket = plan_sockets[0];
	struct plan plan = hand_plan;
	struct scene s;
	char *text;

	(void)state;
	memcpy(metrics, a_metrics, sizeof(metrics));
	metrics[2].family = "uncore_queue_entries";
	metrics[2].unit = "entries";
	socket.metrics = metrics;
	plan.sockets = &socket;
	plan.n_sockets = 1;
	scene_open(&s, &plan, NULL);
	s.words[0][W_UP] = 1;
	s.words[0][layout_of(&socket).metric_reason + 1] = REASON_NONE;
	s.words[0][layout_of(&socket).metric_reason + 2] = REASON_NONE;
	scene_publish(&s);
	text = body_text(&s, EXPO_OPENMETRICS);
	assert_non_null(strstr(text, "\n# UNIT uncore_memory_read_bytes bytes\n"));
	assert_non_null(strstr(text, "\n# TYPE uncore_queue_entries gauge\n"));
	assert_null(strstr(text, "# UNIT uncore_queue_entries"));
	free(text);
	scene_close(&s);
}

/* A double that is no number is left out whatever the state says. */
static void test_no_nan(void **state)
{
	static const uint64_t bits[] = { 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
					 0xfff8000000000000 };
	struct scene s;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	for (size_t i = 0; i < COUNT(bits); i++) {
		char *text;

		s.words[0][layout_of(&plan_sockets[0]).metric_value + 2] = bits[i];
		scene_publish(&s);
		text = body_text(&s, EXPO_TEXT);
		assert_null(strstr(text, "uncore_clock_hertz"));
		free(text);
	}
	scene_close(&s);
}

static void test_one_body_per_moment(void **state)
{
	struct scene s;
	struct expo_body *a, *b, *c, *om;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	a = expo_render(s.r, EXPO_TEXT, 0);
	b = expo_render(s.r, EXPO_TEXT, 0);
	om = expo_render(s.r, EXPO_OPENMETRICS, 0);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, om);
	s.words[1][layout_of(&plan_sockets[1]).slot_total] = 8;
	ring_write(&s.rings[1], s.words[1]);
	c = expo_render(s.r, EXPO_TEXT, 0);
	assert_ptr_not_equal(a, c);
	/* what is out stays as it was */
	assert_non_null(memmem(a->bytes, a->n, "unit=\"0\"} 7\n", 12));
	assert_non_null(memmem(c->bytes, c->n, "unit=\"0\"} 8\n", 12));
	expo_body_unref(a);
	expo_body_unref(b);
	expo_body_unref(om);
	a = expo_render(s.r, EXPO_TEXT, 0);
	assert_ptr_equal(a, c);
	ring_write(&s.daemon, s.daemon_values);
	b = expo_render(s.r, EXPO_TEXT, 0);
	assert_ptr_not_equal(a, b);
	expo_body_unref(a);
	expo_body_unref(b);
	scene_close(&s);
	/* outlives its renderer */
	assert_non_null(memmem(c->bytes, c->n, "unit=\"0\"} 8\n", 12));
	expo_body_unref(c);
}

/* ------------------------------------------------------------------ carrying over */

static void expect_in(struct scene *s, enum expo_format f, int line, const char *want)
{
	char *text = body_text(s, f);

	if (!strstr(text, want))
		fail_msg("row at line %d: no \"%s\" in\n%s", line, want, text);
	free(text);
}

static void expect_line(struct scene *s, int line, const char *want)
{
	expect_in(s, EXPO_TEXT, line, want);
}

/* When a counter of socket 0 began. labels: without the socket. */
static void expect_created(struct scene *s, int line, const char *name, const char *labels,
			   const char *want)
{
	char text[200];

	snprintf(text, sizeof(text), "\n%s_created{socket=\"0\"%s} %s\n", name, labels, want);
	expect_in(s, EXPO_OPENMETRICS, line, text);
}

static void test_carry(void **state)
{
	struct plan_slot only_clock[] = { a_round0[2] }, other_perf[] = { a_round1[0] };
	struct plan_round rounds[] = {
		{ .slots = only_clock, .n_slots = 1, .groups = (unsigned[]){ 0, 1 }, .n_groups = 2 },
		{ .slots = other_perf, .n_slots = 1, .groups = (unsigned[]){ 2 }, .n_groups = 1 },
	};
	struct plan_group groups[] = {
		HAND_GROUP("memory", 0, 0),
		HAND_GROUP("new", 0, 0),
		HAND_GROUP("dram", 1, 0),
	};
	struct plan_addend its_clock = { 0, 1 };
	struct plan_metric bytes = a_metrics[1];
	struct plan_socket socket = { .id = 0, .rounds = rounds, .n_rounds = 2, .groups = groups,
				      .n_groups = 3,
				      .metrics = &bytes, .n_metrics = 1, .n_metric_series = 1,
				      .has_reg = true };
	struct plan next = { .interval = NSEC_PER_SEC, .sockets = &socket, .n_sockets = 1 };
	struct expo_identity id = hand_identity;
	const char *first = "1789999991.0000003";
	struct layout l;
	struct expo_offsets *carry;
	struct scene s, t;

	(void)state;
	/* same name, another event */
	other_perf[0].identity = (char *)"perf/uncore_imc_1/event=0x5/";
	id.with_created = true;
	bytes.series = 0;
	bytes.num = (struct plan_sum){ &its_clock, 1 };
	hand_series(&socket);
	l = layout_of(&socket);
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	s.words[0][layout_of(&plan_sockets[0]).slot_total + 2] = 100;
	scene_publish(&s);
	carry = expo_offsets_new(s.desc, s.len, s.rings);
	scene_close(&s);                        /* the carry stands alone */
	assert_non_null(carry);
	id.began = 1790000005 * NSEC_PER_SEC;
	scene_open_as(&t, &next, &id, carry);
	expo_offsets_free(carry);
	/* before the new sampler's first sample */
	expect_line(&t, __LINE__, "\nuncored_samples_total{socket=\"0\"} 10\n");
	t.words[0][W_TICKS] = 5;
	t.words[0][W_NOW_WALL] = 3;
	t.words[0][l.slot_total + 0] = 11;
	t.words[0][l.slot_total + 1] = 6;
	t.words[0][l.group_active + 0] = 500000000;
	t.words[0][l.metric_value] = 1;
	t.words[0][l.metric_reason] = REASON_NONE;
	scene_publish(&t);
	expect_line(&t, __LINE__, "\nuncore_wbox_clockticks_total{socket=\"0\",unit=\"0\"} 111\n");
	expect_line(&t, __LINE__, "\nuncore_imc_cas_count_read_total{socket=\"0\",unit=\"1\"} 6\n");
	expect_line(&t, __LINE__, "\nuncore_imc_cas_count_read_bytes_total{socket=\"0\","
				  "unit=\"1\"} 384\n");
	expect_line(&t, __LINE__,
		    "\nuncored_group_active_seconds_total{socket=\"0\",group=\"memory\"} 5.5\n");
	expect_line(&t, __LINE__,
		    "\nuncored_group_active_seconds_total{socket=\"0\",group=\"new\"} 0\n");
	expect_line(&t, __LINE__, "\nuncored_samples_total{socket=\"0\"} 15\n");
	expect_line(&t, __LINE__,
		    "\nuncored_samples_invalid_total{socket=\"0\",reason=\"foreign\"} 3\n");
	expect_line(&t, __LINE__,
		    "\nuncore_memory_read_bytes_total{socket=\"0\"} 641\n");
	/* what goes on began with the first, what is new with this one */
	expect_created(&t, __LINE__, "uncore_wbox_clockticks", ",unit=\"0\"", first);
	expect_created(&t, __LINE__, "uncore_imc_cas_count_read", ",unit=\"1\"", "1790000005");
	expect_created(&t, __LINE__, "uncored_group_active_seconds", ",group=\"memory\"", first);
	expect_created(&t, __LINE__, "uncored_group_active_seconds", ",group=\"new\"",
		       "1790000005");
	expect_created(&t, __LINE__, "uncored_samples", "", first);
	expect_created(&t, __LINE__, "uncore_memory_read_bytes", "", first);
	/* and once more: what was carried is carried on */
	carry = expo_offsets_new(t.desc, t.len, t.rings);
	scene_close(&t);
	id.began = 1790000010 * NSEC_PER_SEC;
	scene_open_as(&t, &next, &id, carry);
	expo_offsets_free(carry);
	t.words[0][l.slot_total + 0] = 1;
	scene_publish(&t);
	expect_created(&t, __LINE__, "uncore_wbox_clockticks", ",unit=\"0\"", first);
	expect_created(&t, __LINE__, "uncore_imc_cas_count_read", ",unit=\"1\"", "1790000005");
	expect_line(&t, __LINE__, "\nuncore_wbox_clockticks_total{socket=\"0\",unit=\"0\"} 112\n");
	scene_close(&t);
	free(socket.series);
}

/* ------------------------------------------------------------------ damage */

/* Lines of the text that hold all of these words. */
static unsigned lines_with(const char *text, const char *one, const char *other)
{
	unsigned n = 0;

	for (; *text; text += strcspn(text, "\n") + 1) {
		size_t len = strcspn(text, "\n");

		n += memmem(text, len, one, strlen(one)) && memmem(text, len, other, strlen(other));
	}
	return n;
}

/* Events that are only inputs of metrics are no series, but what keeps their metrics away is
 * told. */
static void test_inputs_of_metrics(void **state)
{
	struct scene s;
	char *text;

	(void)state;
	for (unsigned hidden = 0; hidden < 2; hidden++) {
		plan_sockets[0].series[1].shown = !hidden;
		scene_open(&s, &hand_plan, NULL);
		hand_words(s.words[0], s.words[1], s.daemon_values);
		scene_publish(&s);
		text = body_text(&s, EXPO_TEXT);
		assert_int_equal(lines_with(text, "uncored_slot_valid", "box=\"cbox\""),
				 hidden ? 0 : 1);
		assert_int_equal(lines_with(text, "uncored_slot_valid", "box=\"wbox\""), 1);
		assert_int_equal(lines_with(text, "uncored_slot_invalid", "box=\"cbox\""), 1);
		free(text);
		scene_close(&s);
	}
	plan_sockets[0].series[1].shown = true;
}

/* The time of a total is shown once counting has paused, and then for ever: over reloads, too. */
static void test_time_stays(void **state)
{
	static const char line[] = "\nuncored_slot_active_seconds_total{socket=\"0\",box=\"imc\","
				   "unit=\"1\",event=\"CAS_COUNT_READ\"} 4.999999046325684\n";
	struct expo_offsets *carry;
	struct scene s, t;
	char *text;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	carry = expo_offsets_new(s.desc, s.len, s.rings);
	scene_close(&s);
	scene_open(&t, &hand_plan, carry);
	expo_offsets_free(carry);
	t.words[0][W_NOW_WALL] = 3;
	scene_publish(&t);              /* nothing has paused since */
	expect_line(&t, __LINE__, line);
	text = body_text(&t, EXPO_TEXT);
	assert_int_equal(lines_with(text, "uncored_slot_active_seconds_total{", ""), 1);
	free(text);
	scene_close(&t);
}

/* No damaged description gets further than the check, and none crashes it. */
static void test_damaged_desc(void **state)
{
	struct expo_renderer *r;
	struct scene s;
	unsigned char *copy;
	struct desc *d;
	size_t accepted = 0, cut, i = 0;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	copy = malloc(s.len);
	d = (struct desc *)(void *)copy;
	memcpy(copy, s.desc, s.len);
	cut = s.len / 1000 | 1;                 /* odd, so that every byte of a word has its turn */
	for (size_t n = 0; n < s.len; n += cut)
		assert_int_equal(expo_renderer_new(s.desc, n, s.rings, &s.daemon, NULL, &r, NULL),
				 -EBADMSG);
	for (size_t at = 0; at < s.len; at += s.len / 1500 | 1, i++) {
		copy[at] ^= 0xff;
		if (expo_renderer_new(copy, s.len, s.rings, &s.daemon, &expo_protobuf, &r,
				      NULL) == 0) {
			for (int f = 0; f < EXPO_FORMATS; f += i % 15 == 0 ? 1 : EXPO_FORMATS)
				expo_body_unref(expo_render(r, (enum expo_format)f, 0));
			expo_renderer_free(r);
			accepted++;
		}
		copy[at] ^= 0xff;
	}
	assert_true(accepted > 0);              /* damage to a text is no damage to the structure */
	/* a series that is of no family, and one that is of two */
	d->series.n++;
	assert_int_equal(expo_renderer_new(copy, s.len, s.rings, &s.daemon, NULL, &r, NULL),
			 -EBADMSG);
	d->series.n--;
	((struct desc_family *)(void *)(copy + d->families.off))[1].first--;
	assert_int_equal(expo_renderer_new(copy, s.len, s.rings, &s.daemon, NULL, &r, NULL),
			 -EBADMSG);
	free(copy);
	s.rings[0].n_words++;
	assert_int_equal(expo_renderer_new(s.desc, s.len, s.rings, &s.daemon, NULL, &r, NULL),
			 -EBADMSG);
	s.rings[0].n_words--;
	scene_close(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_first_sample), cmocka_unit_test(test_units),
		cmocka_unit_test(test_no_nan),
		cmocka_unit_test(test_one_body_per_moment), cmocka_unit_test(test_carry),
		cmocka_unit_test(test_inputs_of_metrics),
		cmocka_unit_test(test_time_stays), cmocka_unit_test(test_damaged_desc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
