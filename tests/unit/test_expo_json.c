/* SPDX-License-Identifier: MIT
 * The snapshot, its stream, the status and the front page. */
#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>

#include "base/bits.h"
#include "expo/json.h"
#include "expo_scene.h"

/* ------------------------------------------------------------------ JSON and the page */

static json_t *find_series(json_t *root, const char *name, size_t index)
{
	json_t *family;
	size_t i;

	json_array_foreach(json_object_get(root, "metrics"), i, family)
		if (strcmp(json_string_value(json_object_get(family, "name")), name) == 0)
			return json_array_get(json_object_get(family, "series"), index);
	return NULL;
}

static void test_json(void **state)
{
	struct scene s;
	char *text;
	json_t *root, *one;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	text = body_text(&s, EXPO_JSON);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_true(json_is_true(json_object_get(root, "simulated")));
	one = find_series(root, "uncore_bbox_imt_inserts_all_total", 0);
	assert_string_equal(json_string_value(json_object_get(one, "value")),
			    "18446744073709551615");
	assert_true(json_is_true(json_object_get(one, "valid")));
	one = find_series(root, "uncore_imc_cas_count_read_total", 0);      /* 2^53 + 1 */
	assert_string_equal(json_string_value(json_object_get(one, "value")), "9007199254740993");
	one = find_series(root, "uncore_cbox_llc_hits_total", 0);
	assert_true(json_is_false(json_object_get(one, "valid")));
	assert_null(json_object_get(one, "value"));
	assert_string_equal(json_string_value(json_object_get(one, "reason")), "foreign");
	assert_null(json_object_get(json_object_get(one, "labels"), "group"));
	one = find_series(root, "uncored_group_active_seconds_total", 1);
	assert_string_equal(json_string_value(json_object_get(json_object_get(one, "labels"),
		"group")), "we\"ird\\");
	one = find_series(root, "uncore_imt_latency_cycles", 0);
	assert_string_equal(json_string_value(json_object_get(one, "reason")), "conflict");
	one = find_series(root, "uncore_clock_hertz", 0);
	assert_int_equal(json_integer_value(json_object_get(one, "value")), 2261000192);
	one = find_series(root, "uncored_socket_info", 0);
	assert_string_equal(json_string_value(json_object_get(json_object_get(one, "labels"),
		"cpu")), "4");
	assert_string_equal(json_string_value(json_object_get(json_object_get(one, "labels"),
		"model")), HAND_MODEL);
	assert_string_equal(json_string_value(json_object_get(root, "model")), HAND_MODEL);
	assert_string_equal(json_string_value(json_object_get(root, "machine")),
			    HAND_MODEL " (nehalem-ex), 2 sockets");
	assert_string_equal(json_string_value(json_object_get(root, "host")), "web&17");
	one = find_series(root, "process_open_fds", 0);
	assert_int_equal(json_integer_value(json_object_get(one, "value")), 12);
	json_decref(root);
	free(text);
	scene_close(&s);
}

/* Each series that is not shown has the reason of its own metric. */
static void test_reasons(void **state)
{
	struct scene s;
	char *text;
	json_t *root, *one;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	s.words[0][layout_of(&plan_sockets[0]).metric_reason + 2] = REASON_NO_DATA;
	scene_publish(&s);
	text = body_text(&s, EXPO_JSON);
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	one = find_series(root, "uncore_imt_latency_cycles", 0);
	assert_string_equal(json_string_value(json_object_get(one, "reason")), "conflict");
	one = find_series(root, "uncore_clock_hertz", 0);
	assert_string_equal(json_string_value(json_object_get(one, "reason")), "no_data");
	json_decref(root);
	free(text);
	scene_close(&s);
}

/* The stream: which sockets have something new, and the snapshot as one event on lines of their
 * own. */
static void test_event(void **state)
{
	static const char head[] =
		"retry: 2000\nevent: snapshot\ndata: {\"format\":\"uncored-snapshot-1\",";
	uint64_t http[D_VALUES] = { 0 };
	struct scene s;
	char *event, *snapshot;
	unsigned of = 0;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	assert_int_equal(expo_unsent(s.r, 0, &of), 0);
	assert_int_equal(of, 2);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	assert_int_equal(expo_unsent(s.r, 0, &of), 2);
	event = body_text(&s, EXPO_EVENT);
	snapshot = body_text(&s, EXPO_JSON);
	assert_memory_equal(event, head, sizeof(head) - 1);
	assert_string_equal(event + strlen(event) - 2, "\n\n");
	assert_memory_equal(strchr(event, '{'), snapshot, strlen(snapshot));
	/* a line feed would end the event */
	assert_ptr_equal(strchr(snapshot, '\n'), snapshot + strlen(snapshot) - 1);
	expo_mark_sent(s.r);
	assert_int_equal(expo_unsent(s.r, 0, &of), 0);
	ring_write(&s.rings[1], s.words[1]);
	assert_int_equal(expo_unsent(s.r, 0, &of), 1);
	free(event);
	free(snapshot);
	http[D_LISTENERS] = 3;
	http[D_DROPPED] = 7;
	expo_note_http(s.r, http);
	event = body_text(&s, EXPO_TEXT);
	assert_non_null(strstr(event, "\nuncored_stream_listeners 3\n"));
	assert_non_null(strstr(event, "\nuncored_stream_dropped_total 7\n"));
	free(event);
	scene_close(&s);
}

static void test_status(void **state)
{
	struct scene s;
	char *text;
	json_t *root, *socket, *group, *slot;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	text = body_text(&s, EXPO_STATUS);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_true(json_is_false(json_object_get(root, "ready")));
	json_decref(root);
	free(text);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	s.words[1][W_TICKS] = 3;
	scene_publish(&s);
	text = body_text(&s, EXPO_STATUS);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_true(json_is_true(json_object_get(root, "ready")));
	assert_string_equal(json_string_value(json_object_get(root, "engine")), "model");
	assert_int_equal(json_array_size(json_object_get(root, "sockets")), 2);
	socket = json_array_get(json_object_get(root, "sockets"), 0);
	assert_int_equal(json_integer_value(json_object_get(socket, "cpu")), 4);
	assert_true(json_is_true(json_object_get(socket, "up")));
	assert_int_equal(json_integer_value(json_object_get(socket, "rounds")), 2);
	assert_int_equal(json_integer_value(json_object_get(socket, "samples")), 10);
	group = json_array_get(json_object_get(socket, "groups"), 1);
	assert_int_equal(json_integer_value(json_object_get(group, "slots")), 2);
	assert_int_equal(json_integer_value(json_object_get(group, "slots_valid")), 1);
	assert_true(json_is_true(json_object_get(group, "running")));
	assert_int_equal(json_array_size(json_object_get(socket, "invalid_slots")), 1);
	slot = json_array_get(json_object_get(socket, "invalid_slots"), 0);
	assert_string_equal(json_string_value(json_object_get(slot, "slot")), "cbox3/LLC_HITS:M:E");
	assert_string_equal(json_string_value(json_object_get(slot, "reason")), "foreign");
	assert_int_equal(json_array_size(json_object_get(socket, "invalid_metrics")), 1);
	socket = json_array_get(json_object_get(root, "sockets"), 1);
	assert_true(json_is_null(json_object_get(socket, "cpu")));
	assert_int_equal(json_integer_value(json_object_get(socket, "samples")), 3);
	assert_true(json_is_true(json_object_get(socket, "up")));
	json_decref(root);
	free(text);
	scene_close(&s);
}

/* After a reload the status and the page go on from what the totals were: 10 samples and 1, the
 * first group's 5 s and 2. */
static void test_totals_over_a_reload(void **state)
{
	struct expo_offsets *carry;
	struct scene s, t;
	char *text;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	carry = expo_offsets_new(s.desc, s.len, s.rings);
	scene_open(&t, &hand_plan, carry);
	expo_offsets_free(carry);
	t.words[0][W_UP] = t.words[1][W_UP] = t.words[0][W_TICKS] = 1;
	t.words[0][layout_of(&plan_sockets[0]).group_active] = 2 * NSEC_PER_SEC;
	scene_publish(&t);
	text = body_text(&t, EXPO_STATUS);
	assert_non_null(strstr(text, "\"samples\": 11,\n"));
	assert_non_null(strstr(text, "\"active_seconds\": 7,\n"));
	free(text);
	text = body_text(&t, EXPO_PAGE);
	assert_non_null(strstr(text, "<h3>memory <small>socket 0, 2 events, round 1 of 2, running, "
			       "counted for 7 s<"));
	free(text);
	scene_close(&t);
	scene_close(&s);
}

/* What the first look at the page has to tell: each state in its turn, of a socket 0 with
 * everything valid before. */
static void test_page_says_what_is_wrong(void **state)
{
	static const char good[] = "Nothing: every counter is valid.",
		refused[] = "The last reload failed";
	struct scene s;
	char *text;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	s.daemon_values[D_CONFIG_OK] = 1;
	text = body_text(&s, EXPO_PAGE);
	/* nothing was published at all */
	assert_non_null(strstr(text, "socket 0</b> <span class=\"bad\">no sample yet<"));
	assert_null(strstr(text, good));
	free(text);
	s.words[0][W_UP] = s.words[1][W_UP] = 1;
	for (unsigned k = 0; k < 3; k++)
		s.words[0][layout_of(&hand_plan.sockets[0]).metric_reason + k] = REASON_NONE;
	scene_publish(&s);
	text = body_text(&s, EXPO_PAGE);
	assert_non_null(strstr(text, good));
	assert_non_null(strstr(text, "socket 0</b> <span class=\"ok\">counting<"));
	assert_null(strstr(text, refused));
	/* three intervals of a second, for page.js */
	assert_non_null(strstr(text, "data-wait=\"3000\""));
	free(text);

	struct layout at = layout_of(&hand_plan.sockets[0]);

	for (unsigned k = at.slot_reason; k < at.slot_reason + 4; k++)
		s.words[0][k] = REASON_OFFLINE;
	s.daemon_values[D_CONFIG_OK] = 0;
	scene_publish(&s);
	text = body_text(&s, EXPO_PAGE);
	assert_non_null(strstr(text, "socket 0</b> <span class=\"bad\">not counting<"));
	assert_non_null(strstr(text, refused));
	assert_null(strstr(text, good));
	free(text);
	scene_close(&s);
}

static void test_page(void **state)
{
	static const char *const wants[] = {
		"<h1>web&amp;17 <small>uncored 0.1.0 (abc123)</small>",
		"SIMULATED: no hardware is counted.",
		"href=\"/metrics\"",
		"href=\"/api/v1/status\"", "href=\"/-/healthy\"", "href=\"/api/v1/stream\"",
		"data-k='uncore_imt_latency_cycles{socket=\"0\",unit=\"0\"}'", "href=\"/-/ready\"",
		"socket 0", "socket 2", "nehalem-ex",
		"cbox3/LLC_HITS:M:E", "foreign", "reprogrammed", "2.26 GHz",
		"imt_latency_cycles", "conflict",
		"2026-09-21 14:13:20.250 UTC", "41.5 µs", "</html>\n",
		"<title>SIMULATED - web&amp;17 - nehalem-ex - uncored</title>",
		("<p>a \"Xeon\" \\ &lt;i&gt;&#39;X7560&#39;&lt;/i&gt; &amp; caf\xc3\xa9 "
		 "(nehalem-ex), 2 sockets</p>"),
		"<dt>model</dt><dd>a \"Xeon\" \\ &lt;i&gt;&#39;X7560&#39;&lt;/i&gt; &amp; ",
	};
	const double even = 2e9;
	struct scene s;
	char *text;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	text = body_text(&s, EXPO_PAGE);
	for (size_t i = 0; i < COUNT(wants); i++)
		if (!strstr(text, wants[i]))
			fail_msg("no \"%s\" in the page", wants[i]);
	/* in text a double quote is itself; attributes that come from outside have single ones */
	assert_non_null(strstr(text, "<h3>we\"ird\\ <small>"));
	assert_null(strstr(strstr(text, "<script>") + 1, "<script"));   /* its own, and no other */
	assert_null(strstr(text, "http://"));
	assert_null(strstr(text, "https://"));
	assert_non_null(strstr(text, "socket 0</b> <span class=\"bad\">counting in part<"));
	assert_non_null(strstr(text, "socket 2</b> <span class=\"ok\">counting<"));
	assert_null(strstr(text, "not sampled"));
	assert_null(strstr(text, "reload failed"));
	free(text);
	memcpy(&s.words[0][layout_of(&hand_plan.sockets[0]).metric_value + 2], &even, sizeof(even));
	scene_publish(&s);
	text = body_text(&s, EXPO_PAGE);
	/* three digits, so that a value does not change its width */
	assert_non_null(strstr(text, "2.00 GHz"));
	free(text);
	scene_close(&s);
}

/* ------------------------------------------------------------------ documents made of objects */

/* A number has the digits of its decimal, wherever it stands. */
static void test_shortest_numbers(void **state)
{
	static const struct { int line; double v; const char *want; } rows[] = {
		{ __LINE__, 0.1, "0.1" }, { __LINE__, 0.05, "0.05" }, { __LINE__, -2.5, "-2.5" },
		{ __LINE__, 1, "1" }, { __LINE__, 32, "32" }, { __LINE__, 1e300, "1e+300" },
		{ __LINE__, 6.103515625e-05, "0.00006103515625" },     /* 2^-14 */
		{ __LINE__, 0.1 + 0.2, "0.30000000000000004" },
		{ __LINE__, 1790000000.25, "1790000000.25" },
	};
	struct scene s;
	char *text;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		text = js_dump(json_real(rows[i].v), 0);
		if (strcmp(text, rows[i].want) != 0)
			fail_msg("row at line %d: %s", rows[i].line, text);
		free(text);
	}
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	s.words[0][W_DURATION] = 100000;
	s.words[0][W_LATENESS] = 50000000;
	scene_publish(&s);
	text = body_text(&s, EXPO_STATUS);
	assert_non_null(strstr(text, "\n \"interval_seconds\": 1,\n"));
	assert_non_null(strstr(text, "\"sample_duration_seconds\": 0.0001,\n"));
	assert_non_null(strstr(text, "\"lateness_seconds\": 0.05,\n"));
	assert_non_null(strstr(text, "\"last_sample_timestamp_seconds\": 1790000000.25,\n"));
	free(text);
	text = body_text(&s, EXPO_CATALOG);
	assert_non_null(strstr(text, "\"max\":0.05"));
	assert_null(strstr(text, "0.0500"));
	free(text);
	scene_close(&s);
}

/* Everything but a number's digits is as jansson writes it. */
static void test_as_jansson(void **state)
{
	static const char document[] =
		"{\"none\": {}, \"empty\": [], \"text\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001"
		"\\u001f\\u007f\\u00e9\\u20ac\", \"k\\n\": [1, -9007199254740993, [[], "
		"{\"a\": null}], true, false, \"\"], \"last\": {\"b\": {\"c\": [\"d\"]}}}";
	static const size_t flags[] = { JSON_COMPACT, JSON_INDENT(1), JSON_INDENT(2) };

	(void)state;
	for (unsigned indent = 0; indent < COUNT(flags); indent++) {
		json_t *o = json_loads(document, 0, NULL);
		char *want = json_dumps(o, flags[indent]), *got = js_dump(o, indent);

		assert_non_null(want);
		assert_string_equal(got, want);
		free(want);
		free(got);
	}
	assert_null(js_dump(NULL, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json), cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_status), cmocka_unit_test(test_totals_over_a_reload),
		cmocka_unit_test(test_shortest_numbers), cmocka_unit_test(test_as_jansson),
		cmocka_unit_test(test_page), cmocka_unit_test(test_page_says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
