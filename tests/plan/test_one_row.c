/* SPDX-License-Identifier: MIT
 * One row is enough for an event, and one for a metric: a processor gets one row more of each, and
 * both are there from a specification to the exposition. */
#include "plan_test.h"

#include "../unit/expo_scene.h"
#include "spec/resolve.h"

/* A B-Box control: enable bit 0, event 5:1 (323535-001, Table 2-25). */
#define CODE    0x1f
#define CTL     (CODE << 1 | 1)

static struct cat_event events[128];
static struct cat_metric metrics[256];
static struct cat_box box;
static const struct cat_box *boxes[16];
static struct cat_processor processor;

/* The linker hands us every question for a processor. */
const struct cat_processor *__real_cat_processor_by_name(const char *name);
const struct cat_processor *__wrap_cat_processor_by_name(const char *name);
const struct cat_processor *__wrap_cat_processor_by_name(const char *name)
{
	return strcmp(name, "one-row") == 0 ? &processor : __real_cat_processor_by_name(name);
}

/* The Xeon 7500 with the two rows. */
static int set_up(void **state)
{
	static const struct cat_term num[] = { { .spec = "bbox/ONE_ROW_MORE" }, { .spec = NULL } },
		den[] = { { .spec = "bbox/IMT_INSERTS_ALL" }, { .spec = NULL } };
	static struct cat_metrics list;
	const struct cat_processor *p = __real_cat_processor_by_name("nehalem-ex");
	const struct cat_box *from = cat_box_by_name(p, "bbox");

	(void)state;
	assert_true(from->n_events < COUNT(events) && p->metrics->n < COUNT(metrics) &&
		    p->n_boxes <= COUNT(boxes));
	memcpy(events, from->events, from->n_events * sizeof(*events));
	box = *from;
	box.events = events;
	events[box.n_events++] = (struct cat_event){ .name = "ONE_ROW_MORE", .code = CODE,
		.counters = BIT(2), .max_inc = 1, .dflt = -1, .help = "One more thing happened",
		.source = "invented" };
	memcpy(metrics, p->metrics->v, p->metrics->n * sizeof(*metrics));
	list = *p->metrics;
	list.v = metrics;
	metrics[list.n++] = (struct cat_metric){ .name = "one_row_more_ratio", .unit = "ratio",
		.num = num, .den = den, .help = "One more per request", .source = "invented" };
	processor = *p;
	processor.name = "one-row";
	processor.metrics = &list;
	processor.boxes = boxes;
	for (unsigned i = 0; i < p->n_boxes; i++)
		boxes[i] = p->boxes[i] == from ? &box : p->boxes[i];
	return 0;
}

static void is_resolved_and_encoded(void **state)
{
	struct arena *a = arena_new(1 << 16, NULL);
	struct cat_field_value values[CAT_FIELD_VALUES];
	struct spec_box r;
	struct spec s;
	struct err err;
	uint64_t ctl;

	(void)state;
	assert_int_equal(spec_parse(a, "bbox1/ONE_ROW_MORE", &s, &err), 0);
	assert_int_equal(spec_resolve(a, &processor, &s, 0, &r, &err), 0);
	assert_string_equal(r.selection.event->name, "ONE_ROW_MORE");
	assert_int_equal(cat_encode(&r.selection, 0, 2, &ctl, values), 0);
	assert_int_equal(ctl, CTL);
	arena_free(a);
}

/* The metric alone is named: it brings both events along, on either B-Box. Controls and counters 2
 * of the B-Boxes: Tables 2-21 and 2-22. */
static struct made plan(void)
{
	struct made m = make("groups = ( { name = \"g\"; metrics = [ \"one_row_more_ratio\" ]; "
			     "events = [ \"bbox/ONE_ROW_MORE\" ]; } );", "one-row", 1, NULL, false);

	for (size_t i = 0; i < m.d.n; i++)
		print_message("%s\n", m.d.v[i]);
	assert_int_equal(m.r, 0);
	return m;
}

static void is_planned(void **state)
{
	struct made m = plan();
	const struct reg_write *w = write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xc34);

	(void)state;
	assert_non_null(w);
	assert_int_equal(w->value, CTL);
	w = write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xc74);
	assert_non_null(w);
	assert_int_equal(w->value, CTL);
	slot_of(m.p, 0, "bbox1/ONE_ROW_MORE");
	slot_of(m.p, 0, "bbox1/IMT_INSERTS_ALL");
	assert_int_equal(m.p->sockets[0].n_metrics, 2);
	assert_string_equal(m.p->sockets[0].metrics[0].name, "one_row_more_ratio");
	made_done(&m);
}

static void has(const char *body, const char *text)
{
	if (!strstr(body, text))
		fail_msg("not there: %s", text);
}

/* Counts are 1000, 1001 ... by series, the metric is 0.25 in unit 0 and 0.5 in unit 1. */
static void is_served(void **state)
{
	struct made m = plan();
	const struct plan_socket *s = &m.p->sockets[0];
	const struct layout l = layout_of(s);
	const struct expo_identity id = { .version = "0", .revision = "", .engine = "registers",
		.engine_note = "", .processor = "one-row", .workload = "" };
	struct scene c;
	char *body, line[128];

	(void)state;
	scene_open_as(&c, m.p, &id, NULL);
	c.words[0][W_UP] = 1;
	for (unsigned i = 0; i < s->n_series; i++)
		c.words[0][l.slot_total + i] = 1000 + i;
	for (unsigned i = 0; i < 2; i++) {
		double v = 0.25 * (i + 1);

		memcpy(&c.words[0][l.metric_value + i], &v, sizeof(v));
		c.words[0][l.metric_reason + i] = REASON_NONE;
	}
	scene_publish(&c);
	body = body_text(&c, EXPO_TEXT);
	has(body, "# HELP uncore_bbox_one_row_more_total One more thing happened.");
	snprintf(line, sizeof(line), "uncore_bbox_one_row_more_total{socket=\"0\",unit=\"1\"} %u\n",
		 1000 + slot_of(m.p, 0, "bbox1/ONE_ROW_MORE")->series);
	has(body, line);
	has(body, "uncore_one_row_more_ratio{socket=\"0\",unit=\"0\"} 0.25\n");
	has(body, "uncore_one_row_more_ratio{socket=\"0\",unit=\"1\"} 0.5\n");
	free(body);
	body = body_text(&c, EXPO_CATALOG);
	has(body, "{\"box\":\"bbox\",\"event\":\"ONE_ROW_MORE\",");
	has(body, "{\"name\":\"one_row_more_ratio\",");
	free(body);
	scene_close(&c);
	made_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_resolved_and_encoded),
		cmocka_unit_test(is_planned),
		cmocka_unit_test(is_served),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
