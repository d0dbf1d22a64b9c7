/* SPDX-License-Identifier: MIT
 * A socket that does not tick any more: no format shows a value of it, and
 * none is kept from before. */
#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>

#include "base/bits.h"
#include "expo_scene.h"

#define TICKED (77 * NSEC_PER_SEC)      /* both sockets, see hand_words() */
#define LIMIT  (3 * NSEC_PER_SEC)       /* the plan's interval is a second */

/* Three intervals, and three seconds at least. */
static void test_when(void **state)
{
	static const nsec hour = 3600 * NSEC_PER_SEC, year = 31536000 * NSEC_PER_SEC;
	const struct { int line; nsec interval, age; bool stalled; } rows[] = {
		{ __LINE__, NSEC_PER_MSEC, LIMIT - 1, false },
		{ __LINE__, NSEC_PER_MSEC, LIMIT + 1, true },
		{ __LINE__, NSEC_PER_SEC, LIMIT - 1, false },
		{ __LINE__, NSEC_PER_SEC, LIMIT + 1, true },
		{ __LINE__, 2 * NSEC_PER_SEC, 2 * LIMIT - 1, false },
		{ __LINE__, 2 * NSEC_PER_SEC, 2 * LIMIT + 1, true },
		{ __LINE__, hour, 3 * hour - 1, false },
		{ __LINE__, hour, 3 * hour + 1, true },
		{ __LINE__, year, 3 * year - 1, false },
		{ __LINE__, year, 3 * year + 1, true },
		{ __LINE__, NSEC_PER_SEC, -NSEC_PER_SEC, false },       /* published after `now` was looked at */
		{ __LINE__, NSEC_PER_SEC, -TICKED, false },             /* now 0: nobody asks */
	};
	uint64_t words[W_FIRST] = { [W_TICK_MONO] = TICKED };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (layout_stalled(words, rows[i].interval, TICKED + rows[i].age) !=
		    rows[i].stalled)
			fail_msg("row at line %d", rows[i].line);
}

/* --------------------------------------------------------- a scene with peaks and distributions */

static struct plan_distribution distributions[] = {
	{ .metric = 2, .has_histogram = true, .histogram = { .n_bounds = 1, .bounds = { 1e9 } },
	  .peak_family = "uncore_clock_peak_hertz", .peak_help = "Peak.",
	  .family = "uncore_clock_distribution_hertz", .help = "All.", .unit = "hertz",
	  .key = "clock" },
};

struct stage {
	struct plan plan;
	struct plan_socket sockets[2];
	struct scene s;
};

/* Everything of socket 0 is valid, and there is something of each kind. */
static void stage_open(struct stage *t)
{
	const struct layout *l;
	struct layout at;
	double hertz = 2.5e9;

	t->plan = hand_plan;
	t->sockets[0] = plan_sockets[0];
	t->sockets[1] = plan_sockets[1];
	t->sockets[0].distributions = distributions;
	t->sockets[0].n_distributions = COUNT(distributions);
	t->sockets[0].n_distribution_series = COUNT(distributions);
	t->plan.sockets = t->sockets;
	scene_open(&t->s, &t->plan, NULL);
	hand_words(t->s.words[0], t->s.words[1], t->s.daemon_values);
	at = layout_of(&t->sockets[0]);
	l = &at;
	t->s.words[0][l->slot_reason + 1] = REASON_NONE;
	t->s.words[0][l->metric_reason] = REASON_NONE;
	t->s.words[0][l->peak_valid] = 1;
	memcpy(&t->s.words[0][l->peak_value], &hertz, sizeof(hertz));
	t->s.words[0][layout_histogram(&t->sockets[0], 0) + H_CREATED] = NSEC_PER_SEC;
	t->s.words[0][layout_histogram(&t->sockets[0], 0) + H_CLASSIC] = 4;
	scene_publish(&t->s);
}

static void stage_tick(struct stage *t, unsigned socket, nsec at)
{
	t->s.words[socket][W_TICK_MONO] = (uint64_t)at;
	ring_write(&t->s.rings[socket], t->s.words[socket]);
}

/* Socket 0 has stalled, the other one has not. */
static void stage_stall(struct stage *t)
{
	stage_open(t);
	t->s.now = TICKED + LIMIT + 1;
	stage_tick(t, 1, t->s.now - NSEC_PER_SEC);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* Lines of values of what is counted on a socket. */
static unsigned count_values(const char *text, const char *socket)
{
	unsigned n = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *label = strstr(line, socket);

		n += strncmp(line, "uncore_", 7) == 0 && label && label < strchr(line, '\n');
	}
	return n;
}

/* ------------------------------------------------------------------ what each format says */

static void test_text(void **state)
{
	static const enum expo_format formats[] = { EXPO_TEXT, EXPO_OPENMETRICS };
	/* what is known of the past is no value that stands still */
	static const char *const stand[] = {
		"uncored_samples_total{socket=\"0\"} 10\n",
		"uncored_last_sample_timestamp_seconds{socket=\"0\"} 1790000000.25\n",
		"uncored_samples_invalid_total{socket=\"0\",reason=\"stalled\"} 0\n",
		"uncored_group_active_seconds_total{socket=\"0\",group=\"memory\"} 5\n",
		"uncored_up{socket=\"0\"} 0\n", "uncored_up{socket=\"2\"} 1\n",
	};
	struct stage t;

	(void)state;
	stage_stall(&t);
	for (size_t i = 0; i < COUNT(formats); i++) {
		char *text;

		t.s.now = TICKED + LIMIT - 1;
		text = body_text(&t.s, formats[i]);
		assert_true(count_values(text, "socket=\"0\"") > 10);
		free(text);
		t.s.now = TICKED + LIMIT + 1;
		text = body_text(&t.s, formats[i]);
		assert_int_equal(count_values(text, "socket=\"0\""), 0);
		assert_int_equal(count_values(text, "socket=\"2\""), 1);
		for (size_t k = 0; k < COUNT(stand); k++)
			if (!strstr(text, stand[k]))
				fail_msg("no %s in\n%s", stand[k], text);
		/* Four slots, one of them named by two groups, and three metrics. */
		assert_int_equal(count(text, "uncored_slot_invalid{"), 4);
		assert_int_equal(count(text, "uncored_metric_invalid{"), 3);
		assert_int_equal(count(text, ",reason=\"stalled\"} 1\n"), 7);
		free(text);
		stage_tick(&t, 0, TICKED);
	}
	scene_close(&t.s);
}

static void test_protobuf(void **state)
{
	static const char *const families[] = { "uncore_bbox_imt_inserts_all_total",
						"uncore_imc_cas_count_read_bytes_total",
		"uncore_imt_latency_cycles", "uncore_memory_read_bytes_total",
		"uncore_clock_peak_hertz", "uncore_clock_distribution_hertz" };
	static const char label[] = "\x0a\x06" "reason" "\x12\x07" "stalled" "\x12\x09\x09"
		"\0\0\0\0\0\0\xf0\x3f";
	struct expo_body *body;
	struct stage t;
	unsigned n = 0;

	(void)state;
	stage_open(&t);
	body = expo_render(t.s.r, EXPO_PROTOBUF, TICKED + LIMIT - 1);
	for (size_t i = 0; i < COUNT(families); i++)
		assert_non_null(memmem(body->bytes, body->n, families[i], strlen(families[i])));
	expo_body_unref(body);
	body = expo_render(t.s.r, EXPO_PROTOBUF, TICKED + LIMIT + 1);
	for (size_t i = 0; i < COUNT(families); i++)
		assert_null(memmem(body->bytes, body->n, families[i], strlen(families[i])));
	for (const char *at = body->bytes;
	     (at = memmem(at, body->n - (size_t)(at - body->bytes), label, sizeof(label) - 1));
	     at++)
		n++;
	/* five slots and three metrics of both sockets: nobody has ticked */
	assert_int_equal(n, 8);
	expo_body_unref(body);
	scene_close(&t.s);
}

/* Of a filter, too: that is no body that was kept. */
static void test_filter(void **state)
{
	struct expo_filter *filter;
	struct expo_body *body;
	struct stage t;

	(void)state;
	stage_open(&t);
	filter = expo_filter_new(t.s.r);
	assert_int_equal(expo_filter_add(filter, "group[]", "memory", NULL), 0);
	body = expo_render_filtered(t.s.r, EXPO_TEXT, filter, TICKED + LIMIT + 1);
	assert_null(memmem(body->bytes, body->n, "\nuncore_", 8));
	assert_non_null(memmem(body->bytes, body->n, "reason=\"stalled\"} 1\n", 20));
	expo_body_unref(body);
	expo_filter_free(filter);
	scene_close(&t.s);
}

/* Every series of socket 0 that has a value otherwise says why it has none. */
static void test_snapshot(void **state)
{
	struct stage t;
	unsigned stalled = 0, valid = 0;
	json_t *root, *family, *series;
	char *text;
	size_t i, k;

	(void)state;
	stage_stall(&t);
	text = body_text(&t.s, EXPO_JSON);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	json_array_foreach(json_object_get(root, "metrics"), i, family) {
		if (strncmp(json_string_value(json_object_get(family, "name")), "uncore_", 7) != 0)
			continue;
		json_array_foreach(json_object_get(family, "series"), k, series) {
			const char *reason = json_string_value(json_object_get(series, "reason"));
			bool first =
				strcmp(json_string_value(json_object_get(json_object_get(series,
				"labels"), "socket")), "0") == 0;

			assert_int_equal(json_is_false(json_object_get(series, "valid")), first);
			valid += !first;
			stalled += first && strcmp(reason, "stalled") == 0;
		}
	}
	assert_int_equal(valid, 1);
	assert_int_equal(stalled, 4 + 1 + 3); /* totals, one of them scaled as well, and metrics */
	json_decref(root);
	free(text);
	scene_close(&t.s);
}

static void test_status(void **state)
{
	json_t *root, *socket, *row;
	struct stage t;
	char *text;
	size_t i;

	(void)state;
	stage_stall(&t);
	assert_false(expo_ready(t.s.r, t.s.now));
	text = body_text(&t.s, EXPO_STATUS);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_true(json_is_false(json_object_get(root, "ready")));
	socket = json_array_get(json_object_get(root, "sockets"), 1);
	assert_true(json_is_true(json_object_get(socket, "up")) &&
		    json_is_true(json_object_get(socket, "ready")));
	socket = json_array_get(json_object_get(root, "sockets"), 0);
	assert_true(json_is_false(json_object_get(socket, "up")) &&
		    json_is_false(json_object_get(socket, "ready")));
	assert_int_equal(json_array_size(json_object_get(socket, "invalid_slots")), 4);
	json_array_foreach(json_object_get(socket, "invalid_slots"), i, row)
		assert_string_equal(json_string_value(json_object_get(row, "reason")), "stalled");
	assert_int_equal(json_array_size(json_object_get(socket, "invalid_metrics")), 3);
	json_array_foreach(json_object_get(socket, "invalid_metrics"), i, row)
		assert_string_equal(json_string_value(json_object_get(row, "reason")), "stalled");
	json_array_foreach(json_object_get(socket, "groups"), i, row)
		assert_int_equal(json_integer_value(json_object_get(row, "slots_valid")), 0);
	json_decref(root);
	free(text);
	stage_tick(&t, 0, t.s.now);
	assert_true(expo_ready(t.s.r, t.s.now));
	scene_close(&t.s);
}

static void test_page(void **state)
{
	struct stage t;
	char *text;

	(void)state;
	stage_stall(&t);
	text = body_text(&t.s, EXPO_PAGE);
	assert_non_null(strstr(text, "socket 0</b> <span class=\"bad\">stalled<"));
	assert_non_null(strstr(text, "socket 2</b> <span class=\"ok\">counting<"));
	assert_non_null(strstr(text, "4 invalid</span>"));
	assert_non_null(strstr(text, "1 of 2 sockets not sampled"));
	/* one row: four slots and three metrics */
	assert_int_equal(count(text, "<td class=\"bad\">stalled</td><td>The socket is not sampled"),
			 1);
	assert_non_null(strstr(text, "socket 0<br><code>bbox0/IMT_INSERTS_ALL</code><br>"));
	assert_int_equal(count(text, "</code><br>"), 6);
	assert_non_null(strstr(text, "</code><br>and 1 more<br></td></tr>"));
	assert_int_equal(count(text, "<i>stalled</i>"), 3);
	assert_null(strstr(text, "2.26 GHz"));
	free(text);
	scene_close(&t.s);
}

/* ------------------------------------------------------------------ moments */

/* One body until it stalls, one until it ticks again; then everything is as it was. */
static void test_no_body_from_before(void **state)
{
	static const enum expo_format formats[] = { EXPO_TEXT, EXPO_OPENMETRICS, EXPO_PROTOBUF,
						    EXPO_JSON, EXPO_STATUS, EXPO_EVENT, EXPO_PAGE };

	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		struct expo_body *body[5];
		struct stage t;

		stage_open(&t);
		body[0] = expo_render(t.s.r, formats[i], TICKED);
		body[1] = expo_render(t.s.r, formats[i], TICKED + LIMIT - 1);
		assert_ptr_equal(body[0], body[1]);
		body[2] = expo_render(t.s.r, formats[i], TICKED + LIMIT + 1);
		assert_ptr_not_equal(body[1], body[2]);
		body[3] = expo_render(t.s.r, formats[i], TICKED + 100 * LIMIT);
		assert_ptr_equal(body[2], body[3]);
		stage_tick(&t, 0, TICKED + 100 * LIMIT);
		stage_tick(&t, 1, TICKED + 100 * LIMIT);
		body[4] = expo_render(t.s.r, formats[i], TICKED + 101 * LIMIT);
		/* these say which publication it is */
		if (formats[i] != EXPO_JSON && formats[i] != EXPO_EVENT) {
			assert_int_equal(body[4]->n, body[0]->n);
			assert_memory_equal(body[4]->bytes, body[0]->bytes, body[0]->n);
		}
		for (unsigned k = 0; k < 5; k++)
			expo_body_unref(body[k]);
		scene_close(&t.s);
	}
}

/* Before the first tick there is no age. */
static void test_before_the_first_tick(void **state)
{
	struct stage t;
	char *text;

	(void)state;
	memset(&t, 0, sizeof(t));
	scene_open(&t.s, &hand_plan, NULL);
	t.s.now = 1000 * LIMIT;
	text = body_text(&t.s, EXPO_TEXT);
	assert_null(strstr(text, "reason=\"stalled\"} 1\n"));
	assert_int_equal(count(text, "reason=\"no_data\"} 1\n"), 5 + 3);
	assert_false(expo_ready(t.s.r, t.s.now));
	free(text);
	scene_close(&t.s);
}

/* That a socket has stalled is news for the stream, once; and nobody waits for a window of it. */
static void test_stream(void **state)
{
	struct stage t;
	unsigned of = 0;

	(void)state;
	stage_open(&t);
	free(body_text(&t.s, EXPO_EVENT));
	expo_mark_sent(t.s.r);
	assert_int_equal(expo_unsent(t.s.r, TICKED + LIMIT - 1, &of), 0);
	assert_int_equal(of, 2);
	stage_tick(&t, 1, TICKED + LIMIT);
	assert_int_equal(expo_unsent(t.s.r, TICKED + LIMIT + 1, &of), 2);
	assert_int_equal(of, 1);
	t.s.now = TICKED + LIMIT + 1;
	free(body_text(&t.s, EXPO_EVENT));
	expo_mark_sent(t.s.r);
	assert_int_equal(expo_unsent(t.s.r, TICKED + LIMIT + 2, &of), 0);
	/* the other one as well */
	assert_int_equal(expo_unsent(t.s.r, TICKED + 3 * LIMIT, &of), 1);
	assert_int_equal(of, 0);
	stage_tick(&t, 0, TICKED + 3 * LIMIT);
	assert_int_equal(expo_unsent(t.s.r, TICKED + 3 * LIMIT, &of), 2);
	assert_int_equal(of, 1);
	scene_close(&t.s);
}

/* A pause is wanted: nothing is shown, and nothing is wrong, however long it lasts. */
static void test_paused(void **state)
{
	struct stage t;
	unsigned of = 0;
	char *text;

	(void)state;
	stage_open(&t);
	free(body_text(&t.s, EXPO_EVENT));
	expo_mark_sent(t.s.r);
	t.s.daemon_values[D_PAUSED] = 1;
	scene_publish(&t.s);
	t.s.now = TICKED + 1000 * LIMIT;
	expo_unsent(t.s.r, t.s.now, &of);
	assert_int_equal(of, 2);
	text = body_text(&t.s, EXPO_TEXT);
	/* a histogram is of the past, and stands: two buckets, sum and count */
	assert_int_equal(count_values(text, "socket=\"0\""), 4);
	assert_int_equal(count(text, "\nuncore_clock_distribution_hertz_"), 4);
	assert_int_equal(count_values(text, "socket=\"2\""), 0);
	assert_non_null(strstr(text, "\nuncored_paused 1\n"));
	assert_non_null(strstr(text, "\nuncored_up{socket=\"0\"} 1\n"));
	assert_int_equal(count(text, ",reason=\"paused\"} 1\n"), 5 + 3);
	assert_null(strstr(text, "reason=\"stalled\"} 1\n"));
	assert_true(expo_ready(t.s.r, t.s.now));
	free(text);
	expo_mark_sent(t.s.r);
	assert_int_equal(expo_unsent(t.s.r, t.s.now + LIMIT, &of), 0);
	scene_close(&t.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_when), cmocka_unit_test(test_text),
		cmocka_unit_test(test_protobuf),
		cmocka_unit_test(test_filter), cmocka_unit_test(test_snapshot),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_page), cmocka_unit_test(test_no_body_from_before),
		cmocka_unit_test(test_before_the_first_tick), cmocka_unit_test(test_stream),
		cmocka_unit_test(test_paused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
