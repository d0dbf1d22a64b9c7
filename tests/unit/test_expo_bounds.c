/* SPDX-License-Identifier: MIT
 * A body is made in memory of a size that was added up before its values were known. Here each
 * value is as long as it can be: what writes beyond that memory, or its assert(), ends this
 * program in a build with sanitizers, and most of it in any other.
 */
#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>

#include "base/bits.h"
#include "expo_scene.h"

#include <stdio.h>

#define LONGEST (-2.2250738585072014e-308)      /* 24 characters: no double needs more */
#define LARGEST UINT64_MAX                      /* 20 digits, in JSON in quotes */
/* So many distributions that what the rest has to spare does not suffice for them. */
enum { LABEL = 3000, MANY = 256, NAME = 48 };

/* 17 digits each */
static const struct plan_distribution distribution =
	{ .metric = 2, .has_histogram = true,
	  .histogram = { .n_bounds = PLAN_BOUNDS, .negative = 1, .bounds = {
		-1.2345678901234567e+300, -1.2345678901234567e+299, -1.2345678901234568e-300,
		1.2345678901234568e-307, 1.2345678901234567e-306, 1.2345678901234568e-305,
		1.2345678901234567e-304, 1.2345678901234567e-303, 1.2345678901234568e-302,
		1.2345678901234567e-301, 1.2345678901234568e-300 } },
	  .peak_help = "Peak.", .help = "All.", .unit = "hertz" };

struct stage {
	struct plan plan;
	struct plan_socket sockets[2];
	struct plan_slot slots[COUNT(a_round0)];
	struct plan_round rounds[2];
	struct plan_distribution distributions[MANY];
	char peaks[MANY][NAME], families[MANY][NAME];
	char text[LABEL + 1];
	struct label label;
	struct scene s;
};

static void put_double(uint64_t *word, double v)
{
	memcpy(word, &v, sizeof(v));
}

static void fill_distribution(uint64_t *words, unsigned n)
{
	words[H_CREATED] = LARGEST;
	put_double(&words[H_SUM], LONGEST);
	for (unsigned i = 0; i <= n; i++)
		words[H_CLASSIC + i] = LARGEST / (n + 1);
}

/* All values of socket i, which are valid but for `reason`. */
static void fill_socket(struct stage *t, unsigned i, enum reason reason)
{
	const struct plan_socket *s = &t->sockets[i];
	struct layout l = layout_of(s);
	uint64_t *w = t->s.words[i];

	for (unsigned k = 0; k < l.n_words; k++)
		w[k] = LARGEST;
	w[W_UP] = 1;
	w[W_CPU] = UINT32_MAX - 1;
	for (unsigned k = 0; k < s->n_series; k++) {
		w[l.slot_reason + k] = reason;
		w[l.slot_active_shown + k] = 1;
	}
	for (unsigned k = 0; k < s->n_metric_series; k++) {
		w[l.metric_reason + k] = reason;
		w[l.metric_active_shown + k] = 1;
	}
	for (unsigned k = 0; k < s->n_metrics; k++)
		if (!s->metrics[k].counter)
			put_double(&w[l.metric_value + s->metrics[k].series], LONGEST);
	for (unsigned k = 0; k < s->n_distribution_series; k++) {
		put_double(&w[l.peak_value + k], LONGEST);
		w[l.peak_valid + k] = 1;
		fill_distribution(&w[layout_histogram(s, k)], PLAN_BOUNDS);
	}
	fill_distribution(&w[l.lateness], layout_lateness.n_bounds);
}

static void add_distributions(struct stage *t)
{
	for (unsigned i = 0; i < MANY; i++) {
		struct plan_distribution *d = &t->distributions[i];

		snprintf(t->peaks[i], NAME, "uncore_clock%u_peak_hertz", i);
		snprintf(t->families[i], NAME, "uncore_clock%u_distribution_hertz", i);
		*d = distribution;
		d->series = i;
		d->peak_family = t->peaks[i];
		d->family = d->key = t->families[i];
	}
	t->sockets[0].distributions = t->distributions;
	t->sockets[0].n_distributions = t->sockets[0].n_distribution_series = MANY;
}

/* The hand-made plan with distributions and a long label full of what an escape makes longer. */
static void stage_open(struct stage *t, enum reason reason)
{
	t->plan = hand_plan;
	memcpy(t->sockets, plan_sockets, sizeof(t->sockets));
	memcpy(t->rounds, a_rounds, sizeof(t->rounds));
	memcpy(t->slots, a_round0, sizeof(t->slots));
	memset(t->text, '"', LABEL);
	t->text[LABEL] = '\0';
	t->label = (struct label){ "umask", t->text };
	for (size_t i = 0; i < COUNT(t->slots); i++) {
		t->slots[i].labels.v = &t->label;
		t->slots[i].labels.n = 1;
	}
	t->rounds[0].slots = t->slots;
	t->sockets[0].rounds = t->rounds;
	hand_series(&t->sockets[0]);
	add_distributions(t);
	t->plan.sockets = t->sockets;
	scene_open(&t->s, &t->plan, NULL);
	for (unsigned i = 0; i < t->s.n; i++)
		fill_socket(t, i, reason);
	for (unsigned i = 0; i < D_VALUES; i++)
		t->s.daemon_values[i] = LARGEST;
	t->s.daemon_values[D_PAUSED] = 0;
	scene_publish(&t->s);
}

static void stage_close(struct stage *t)
{
	scene_close(&t->s);
	free(t->sockets[0].series);
}

/* In every format that has values. */
static void render_all(struct scene *s)
{
	static const enum expo_format formats[] = { EXPO_TEXT, EXPO_OPENMETRICS, EXPO_PROTOBUF,
						    EXPO_JSON, EXPO_STATUS, EXPO_EVENT };

	for (size_t i = 0; i < COUNT(formats); i++) {
		struct expo_body *body = expo_render(s->r, formats[i], s->now);

		assert_non_null(body);
		expo_body_unref(body);
	}
}

static json_t *snapshot(struct scene *s)
{
	char *text = body_text(s, EXPO_JSON);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(root);
	free(text);
	return root;
}

static json_t *series_of(json_t *root, const char *name)
{
	json_t *family;
	size_t i;

	json_array_foreach(json_object_get(root, "metrics"), i, family)
		if (strcmp(json_string_value(json_object_get(family, "name")), name) == 0)
			return json_array_get(json_object_get(family, "series"), 0);
	fail_msg("no %s", name);
	return NULL;
}

static const char *text_of(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void test_longest_values(void **state)
{
	struct stage t;
	json_t *root, *one, *buckets;

	(void)state;
	stage_open(&t, REASON_NONE);
	render_all(&t.s);
	root = snapshot(&t.s);
	one = series_of(root, "uncore_bbox_imt_inserts_all_total");
	assert_string_equal(text_of(one, "value"), "18446744073709551615");
	assert_string_equal(text_of(json_object_get(one, "labels"), "umask"), t.text);
	assert_true(json_real_value(json_object_get(series_of(root, "uncore_clock_hertz"),
						    "value")) == LONGEST);
	one = json_object_get(series_of(root, "uncore_clock255_distribution_hertz"), "value");
	buckets = json_object_get(one, "buckets");
	assert_int_equal(json_array_size(buckets), PLAN_BOUNDS + 1);
	assert_string_equal(text_of(json_array_get(buckets, 2), "le"), "-1.2345678901234568e-300");
	/* twelve times LARGEST / 12 */
	assert_string_equal(text_of(one, "count"), "18446744073709551612");
	assert_string_equal(text_of(json_object_get(series_of(root, "uncored_socket_info"),
						    "labels"), "cpu"), "4294967294");
	json_decref(root);
	stage_close(&t);
}

/* Whatever the reason: the longest name is one of them. */
static void test_reasons(void **state)
{
	(void)state;
	for (enum reason reason = REASON_NONE + 1; reason < REASON_COUNT; reason++) {
		struct stage t;
		json_t *root, *one;

		stage_open(&t, reason);
		render_all(&t.s);
		root = snapshot(&t.s);
		one = series_of(root, "uncore_bbox_imt_inserts_all_total");
		assert_true(json_is_false(json_object_get(one, "valid")));
		assert_string_equal(text_of(one, "reason"), reason_name(reason));
		json_decref(root);
		stage_close(&t);
	}
}

static void test_no_socket(void **state)
{
	struct plan p = hand_plan;
	struct scene s;
	json_t *root;

	(void)state;
	p.sockets = NULL;
	p.n_sockets = 0;
	scene_open(&s, &p, NULL);
	for (unsigned i = 0; i < D_VALUES; i++)
		s.daemon_values[i] = LARGEST;
	scene_publish(&s);
	render_all(&s);
	root = snapshot(&s);
	assert_int_equal(json_array_size(json_object_get(root, "sockets")), 0);
	json_decref(root);
	scene_close(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_longest_values), cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_no_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
