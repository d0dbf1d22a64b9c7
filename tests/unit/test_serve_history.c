/* SPDX-License-Identifier: MIT
 * The past of what the front page draws, of series that are made up here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/strb.h"
#include "serve/history.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND NSEC_PER_SEC
#define BEGIN  (1000 * SECOND)          /* of the samplers' clock */
#define WALL   (INT64_C(1700000000) * SECOND)
enum { SERIES = 5000 };

/* In the place of the renderer's. */
struct expo_renderer {
	unsigned n;
	char key[SERIES][24];
	struct expo_drawn now[SERIES];
	nsec interval;
};

bool expo_drawn_new(struct expo_renderer *r)
{
	return r->n;
}

unsigned expo_drawn_count(const struct expo_renderer *r)
{
	return r->n;
}

const char *expo_drawn_key(const struct expo_renderer *r, unsigned i)
{
	return r->key[i];
}

void expo_drawn_names(const struct expo_renderer *r, unsigned i, struct strb *t)
{
	strb_addf(t, "\"name\":\"%s\"", r->key[i]);
}

void expo_drawn_read(struct expo_renderer *r, nsec now, struct expo_drawn *ret)
{
	(void)now;
	memcpy(ret, r->now, r->n * sizeof(*ret));
}

nsec expo_interval(const struct expo_renderer *r)
{
	return r->interval;
}

/* Gauges with these names, of one socket that takes no turns. */
static struct expo_renderer *renderer(unsigned n, const char *const *names)
{
	struct expo_renderer *r = calloc(1, sizeof(*r));

	*r = (struct expo_renderer){ .n = n, .interval = SECOND };
	for (unsigned i = 0; i < n; i++) {
		if (names)
			snprintf(r->key[i], sizeof(r->key[i]), "%s", names[i]);
		else
			snprintf(r->key[i], sizeof(r->key[i]), "s%u", i);
		r->now[i] = (struct expo_drawn){ .counted = NAN, .turns = NAN };
	}
	return r;
}

/* The second t is sampled, and looked at a little later. */
static void pass(struct history *h, struct expo_renderer *r, unsigned t)
{
	for (unsigned i = 0; i < r->n; i++)
		r->now[i].at = BEGIN + t * SECOND;
	history_run(h, r, BEGIN + t * SECOND + 6 * NSEC_PER_MSEC);
}

/* What is told at the second t, from `times` on. */
static char *told(const struct history *h, const struct expo_renderer *r, unsigned t)
{
	static const char head[] = "event: history\ndata: {\"format\":\"uncored-history-1\",";
	size_t n;
	char *text = history_event(h, r, BEGIN + t * SECOND, WALL + t * SECOND, &n), *rest;

	assert_non_null(text);
	assert_int_equal(n, strlen(text));
	assert_memory_equal(text, head, strlen(head));
	assert_string_equal(text + n - 2, "\n\n");
	text[n - 2] = '\0';
	rest = strdup(text + strlen(head));
	free(text);
	return rest;
}

static void expect(unsigned line, const struct history *h, const struct expo_renderer *r,
		   unsigned t, const char *text)
{
	char *got = told(h, r, t);

	if (strcmp(got, text) != 0)
		fail_msg("line %u: %s", line, got);
	free(got);
}

static void end(struct history *h, struct expo_renderer *r)
{
	history_swap(h, r, NULL);
	free(r);
}

static void test_gauge_with_gaps(void **state)
{
	struct expo_renderer *r = renderer(1, (const char *[]){ "g" });
	struct history h = { 0 };

	(void)state;
	history_swap(&h, NULL, r);
	r->now[0].reason = REASON_NO_DATA;      /* nobody has ticked */
	history_run(&h, r, BEGIN - SECOND);
	expect(__LINE__, &h, r, 0, "\"times\":[],\"series\":[{\"name\":\"g\",\"values\":[]}]}");
	pass(&h, r, 0);                         /* a window has just begun */
	r->now[0].reason = REASON_NONE;
	r->now[0].value = 0.25;
	pass(&h, r, 1);
	r->now[0].reason = REASON_FOREIGN;
	pass(&h, r, 2);
	r->now[0].reason = REASON_NONE;
	r->now[0].value = 12345678;
	pass(&h, r, 3);
	/* nothing was published at the fourth second */
	history_run(&h, r, BEGIN + 4 * SECOND + 6 * NSEC_PER_MSEC);
	r->now[0].reason = REASON_NO_DATA;
	pass(&h, r, 5);
	expect(__LINE__, &h, r, 6, "\"times\":[1700000000.000,1700000001.000,1700000002.000,"
	       "1700000003.000,1700000005.000],\"series\":[{\"name\":\"g\",\"values\":[null,0.25,"
	       "\"foreign\",1.235e+07,\"no_data\"]}]}");
	end(&h, r);
}

/* A rate is of the time in which it was counted. */
static void test_total(void **state)
{
	static const struct { double value, counted; enum reason reason; } rows[] = {
		{ 100, 1, 0 }, { 400, 1.5, 0 }, { 400, 2.5, 0 },
		{ 0, 0, REASON_READ_ERROR },
		{ 900, 3, 0 },                  /* since when is not known */
		{ 1000, 4, 0 },
		{ 7, 0.5, 0 },                  /* it began anew */
		{ 57, 1.5, 0 },
		{ 1e39, 2.5, 0 },               /* more than a float holds; "inf" is no JSON */
	};
	struct expo_renderer *r = renderer(1, (const char *[]){ "t_total" });
	struct history h = { 0 };

	(void)state;
	history_swap(&h, NULL, r);
	for (unsigned t = 0; t < sizeof(rows) / sizeof(rows[0]); t++) {
		r->now[0].value = rows[t].value;
		r->now[0].counted = rows[t].counted;
		r->now[0].reason = rows[t].reason;
		pass(&h, r, t);
	}
	expect(__LINE__, &h, r, 9, "\"times\":[1700000000.000,1700000001.000,1700000002.000,"
	       "1700000003.000,1700000004.000,1700000005.000,1700000006.000,1700000007.000,"
	       "1700000008.000],\"series\":[{\"name\":\"t_total\",\"values\":[null,600,0,"
	       "\"read_error\",null,100,null,50,\"no_data\"]}]}");
	end(&h, r);
}

/* While other groups have their turn the value stands. */
static void test_turns(void **state)
{
	static const double turns[] = { 1, 2, 2, 2.05, 3 };
	struct expo_renderer *r = renderer(1, (const char *[]){ "g" });
	struct history h = { 0 };
	char *text;

	(void)state;
	history_swap(&h, NULL, r);
	for (unsigned t = 0; t < sizeof(turns) / sizeof(turns[0]); t++) {
		r->now[0].value = t + 1;
		r->now[0].turns = turns[t];
		pass(&h, r, t);
	}
	text = told(&h, r, 5);
	assert_non_null(strstr(text, "\"values\":[1,2,\"held\",\"held\",5]"));
	free(text);
	end(&h, r);
}

/* At most one point a second; a socket that stalls is a point, once. */
static void test_when(void **state)
{
	struct expo_renderer *r = renderer(1, (const char *[]){ "g" });
	struct history h = { 0 };
	char *text;

	(void)state;
	assert_int_equal(history_timeout(&h, BEGIN), -1);
	history_swap(&h, NULL, r);
	assert_int_equal(history_timeout(&h, BEGIN), 0);
	for (unsigned i = 0; i < 30; i++) {     /* ten times a second, for three */
		nsec now = BEGIN + i * SECOND / 10 + 6 * NSEC_PER_MSEC;

		r->now[0].value = i;
		r->now[0].at = BEGIN + i * SECOND / 10;
		history_run(&h, r, now);
		assert_in_range(history_timeout(&h, now), 1, SECOND);
	}
	/* in the phase in which all others wake up */
	assert_int_equal(history_timeout(&h, BEGIN + 2900 * NSEC_PER_MSEC), 105 * NSEC_PER_MSEC);
	r->now[0].reason = REASON_STALLED;
	for (unsigned t = 6; t < 9; t++)
		history_run(&h, r, BEGIN + t * SECOND + 6 * NSEC_PER_MSEC);
	text = told(&h, r, 9);
	assert_non_null(strstr(text, "\"values\":[0,10,20,\"stalled\"]"));
	/* it has ticked once more, and not been looked at */
	assert_non_null(strstr(text, ",1700000002.000,1700000002.900]"));
	free(text);
	end(&h, r);
}

/* Who publishes late is waited for, but not for ever. */
static void test_late(void **state)
{
	struct expo_renderer *r = renderer(1, (const char *[]){ "g" });
	struct history h = { 0 };
	nsec now = BEGIN + SECOND + 6 * NSEC_PER_MSEC;

	(void)state;
	history_swap(&h, NULL, r);
	pass(&h, r, 0);
	history_run(&h, r, now);
	assert_int_equal(history_timeout(&h, now), 50 * NSEC_PER_MSEC);
	now += SECOND / 2;
	history_run(&h, r, now);
	assert_true(history_timeout(&h, now) > 400 * NSEC_PER_MSEC);
	end(&h, r);
}

/* Six hundred points, and no older ones than ten minutes. */
static void test_wrap(void **state)
{
	struct expo_renderer *r = renderer(2, NULL);
	struct history h = { 0 };
	char *text, *last;

	(void)state;
	history_swap(&h, NULL, r);
	for (unsigned t = 0; t < 1500; t++) {
		r->now[0].value = t;
		r->now[1].value = -1.0 * t;
		pass(&h, r, t);
	}
	/* nothing was published: what had been the oldest is untouched */
	history_run(&h, r, BEGIN + 1500 * SECOND + 6 * NSEC_PER_MSEC);
	text = told(&h, r, 1500);
	assert_non_null(strstr(text, "\"times\":[1700000900.000,1700000901.000,"));
	assert_non_null(strstr(text, "\"values\":[900,901,"));
	assert_non_null(strstr(text, "\"values\":[-900,-901,"));
	last = strstr(text, ",1499]");
	assert_non_null(last);
	assert_non_null(strstr(last, ",-1499]"));
	free(text);
	text = told(&h, r, 2000);
	assert_non_null(strstr(text, "\"times\":[1700001400.000,"));
	free(text);
	text = told(&h, r, 3000);
	assert_non_null(strstr(text, "\"times\":[],"));
	free(text);
	end(&h, r);
}

/* A clock that was set: all points are told by what it says now. */
static void test_clock_step(void **state)
{
	struct expo_renderer *r = renderer(1, (const char *[]){ "g" });
	struct history h = { 0 };
	size_t n;
	char *text;

	(void)state;
	history_swap(&h, NULL, r);
	pass(&h, r, 0);
	pass(&h, r, 1);
	text = history_event(&h, r, BEGIN + 2 * SECOND, 5000 * SECOND, &n);
	assert_non_null(strstr(text, "\"times\":[4998.000,4999.000]"));
	free(text);
	end(&h, r);
}

/* Series come and go at a reload; one that stays keeps what it had, and a total its rate. */
static void test_reload(void **state)
{
	struct expo_renderer *old = renderer(3, (const char *[]){ "gone", "stays", "t_total" });
	struct expo_renderer *new = renderer(3, (const char *[]){ "t_total", "comes", "stays" });
	struct expo_renderer *none = renderer(0, NULL);
	struct history h = { 0 };

	(void)state;
	history_swap(&h, NULL, old);
	for (unsigned t = 0; t < 2; t++) {
		old->now[0].value = 1;
		old->now[1].value = 2 + t;
		old->now[2].value = 10 * t;
		old->now[2].counted = 1 + t;
		pass(&h, old, t);
	}
	history_swap(&h, old, new);
	free(old);
	new->now[0].value = 40;
	new->now[0].counted = 3;
	new->now[1].value = 8;
	new->now[2].value = 9;
	pass(&h, new, 2);
	expect(__LINE__, &h, new, 3, "\"times\":[1700000000.000,1700000001.000,1700000002.000],"
	       "\"series\":[{\"name\":\"t_total\",\"values\":[null,10,30]},"
	       "{\"name\":\"comes\",\"values\":[null,null,8]},"
	       "{\"name\":\"stays\",\"values\":[2,3,9]}]}");
	/* nothing is counted any more, and then there is no past */
	history_swap(&h, new, none);
	free(new);
	assert_int_equal(history_timeout(&h, BEGIN), -1);
	expect(__LINE__, &h, none, 3, "\"times\":[],\"series\":[]}");
	end(&h, none);
}

/* A reload keeps as many points as there is room for, the last ones. */
static void test_reload_with_less_room(void **state)
{
	struct expo_renderer *old = renderer(1, NULL), *new = renderer(4000, NULL);
	struct history h = { 0 };

	(void)state;
	history_swap(&h, NULL, old);
	for (unsigned t = 0; t < 700; t++) {
		old->now[0].value = t;
		pass(&h, old, t);
	}
	history_swap(&h, old, new);
	free(old);
	assert_int_equal(h.room, 60);
	assert_int_equal(h.points, 60);
	assert_int_equal(h.at[h.next], BEGIN + 640 * SECOND);
	assert_true(h.values[(size_t)h.next * h.n] == 640);
	end(&h, new);
}

/* What it takes of memory: 1 MB at 400 series, and at any number. */
static void test_memory(void **state)
{
	static const struct { unsigned n, series, points; } rows[] = {
		{ 1, 1, 600 }, { 400, 400, 600 }, { 401, 401, 598 }, { 800, 800, 300 },
		{ 4000, 4000, 60 }, { 5000, 4000, 60 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct expo_renderer *r = renderer(rows[i].n, NULL);
		struct history h = { 0 };
		size_t bytes;

		history_swap(&h, NULL, r);
		assert_int_equal(h.n, rows[i].series);
		assert_int_equal(h.room, rows[i].points);
		bytes = malloc_usable_size(h.values) + malloc_usable_size(h.at) +
			malloc_usable_size(h.last) + malloc_usable_size(h.now);
		assert_true(bytes <= (rows[i].n <= 400 ? 1000000 : 1500000));
		for (unsigned t = 0; t < 700; t++)
			pass(&h, r, t);
		assert_int_equal(h.points, rows[i].points);
		end(&h, r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gauge_with_gaps), cmocka_unit_test(test_total),
		cmocka_unit_test(test_turns), cmocka_unit_test(test_when),
		cmocka_unit_test(test_late), cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_clock_step), cmocka_unit_test(test_reload),
		cmocka_unit_test(test_reload_with_less_room), cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
