/* SPDX-License-Identifier: MIT
 * The file of a memory's curve: what is written is read, and what is no such file is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "base/bits.h"
#include "base/state_dir.h"
#include "machine/curve.h"
#include "machine/machine.h"
#include "topo/stale.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static int set_up(void **state)
{
	(void)state;
	return temp_make("curve");
}

static int tear_down(void **state)
{
	(void)state;
	return drop("");
}

#define AT(bytes, seconds) { .bytes_per_second = (bytes), .latency = (seconds) }
/* 100 ns at rest: 150 ns are reached three quarters of the way from 60 to 80. */
static const struct curve_mix rising = {
	.asked = 0.67, .reads = 0.66, .n = 5,
	.points = { AT(80e9, 160e-9), AT(0, 100e-9), AT(60e9, 120e-9), AT(100e9, 400e-9),
		    AT(90e9, 190e-9) },
};
/* That at 40 was held up: without it 150 are reached at 60 + 20 x 40/50. */
static const struct curve_mix held_up = {
	.n = 4,
	.points = { AT(0, 100e-9), AT(40e9, 180e-9), AT(60e9, 110e-9), AT(80e9, 160e-9) },
};
/* Noise: 148 and 144 are both 146, and 150 are reached at 60 + 20 x 4/14. */
static const struct curve_mix noisy = {
	.n = 4,
	.points = { AT(0, 100e-9), AT(40e9, 148e-9), AT(60e9, 144e-9), AT(80e9, 160e-9) },
};
/* Hardly anything moves at three: their median is 100, whatever one of them is. */
static const struct curve_mix at_rest = {
	.n = 5,
	.points = { AT(1e9, 30e-9), AT(2e9, 101e-9), AT(4e9, 100e-9), AT(60e9, 120e-9),
		    AT(100e9, 160e-9) },
};

static void the_first_crossing_is_the_knee(void **state)
{
	struct curve_mix m = rising;

	(void)state;
	curve_find_knee(&m);
	assert_true(m.least == 100e-9 && m.most == 100e9);
	assert_true(fabs(m.knee - 75e9) < 1);
	assert_true(m.points[0].bytes_per_second == 0 && m.points[4].latency == 400e-9);
	m = held_up;
	curve_find_knee(&m);
	assert_true(fabs(m.knee - 76e9) < 1);
	m = noisy;
	curve_find_knee(&m);
	assert_true(fabs(m.knee - (60e9 + 20e9 * 4 / 14)) < 1);
	m = at_rest;
	curve_find_knee(&m);
	assert_true(fabs(m.least - 100e-9) < 1e-15 && fabs(m.knee - 90e9) < 1);
	m = held_up;
	/* It rises to 1.4 times. */
	m.points[1] = (struct curve_point){ .bytes_per_second = 90e9, .latency = 140e-9 };
	m.n = 2;
	curve_find_knee(&m);
	assert_true(m.knee == 0 && m.most == 90e9);
	m.n = 0;
	curve_find_knee(&m);
	assert_true(m.knee == 0 && m.most == 0);
}

/* A latency that a busy memory does not have says nothing of a knee, nor of the most traffic. */
static void without_a_full_burst_nothing_is_looked_for(void **state)
{
	struct curve_mix m = { .n = 0 };
	unsigned step = 0;

	(void)state;
	while (isinf(curve_rate(&m, step)))
		step++;
	assert_int_equal(step, 3);
	assert_true(isnan(curve_rate(&m, step)));
	m.points[m.n++] = (struct curve_point){ .bytes_per_second = 80e9, .latency = 100e-9,
						.full = true };
	assert_true(curve_rate(&m, step) == 0.8e9);
}

/* ------------------------------------------------------------------ measured memories */

struct memory {
	double gbps[32], ns[32];
	unsigned n;
};

/* The share of reads that is nearest, in percent; tests/curves has the source. */
static struct memory memory_of(const char *machine, int wanted)
{
	char path[512], line[256];
	struct memory m = { .n = 0 };
	double nearest = INFINITY, share = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/curves/%s.tsv", getenv("top_srcdir"), machine);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		double percent, gbps, ns, far;

		if (sscanf(line, "%lf %lf %lf", &percent, &gbps, &ns) != 3)
			continue;
		far = fabs(percent - wanted);
		if (far < nearest) {
			nearest = far;
			share = percent;
			m.n = 0;
		}
		if (percent != share)
			continue;
		assert_true(m.n < COUNT(m.ns));
		m.gbps[m.n] = gbps;
		m.ns[m.n++] = ns;
	}
	fclose(f);
	return m;
}

/* In a straight line between two points. */
static struct curve_point at_rate(const struct memory *m, double bytes)
{
	double gbps = fmin(bytes / 1e9, m->gbps[m->n - 1]);
	unsigned i = 1;

	while (m->gbps[i] < gbps)
		i++;
	return (struct curve_point){
		.bytes_per_second = 1e9 * gbps,
		.latency = 1e-9 * (m->ns[i - 1] +
			(m->ns[i] - m->ns[i - 1]) * (gbps - m->gbps[i - 1]) /
				(m->gbps[i] - m->gbps[i - 1])),
	};
}

/* 0: it never waits 1.5 times the least. */
static double knee_of(const struct memory *m)
{
	double limit = 1.5 * m->ns[0];

	for (unsigned i = 1; i < m->n; i++)
		if (m->ns[i] >= limit)
			return 1e9 * (m->gbps[i - 1] + (m->gbps[i] - m->gbps[i - 1]) *
				      (limit - m->ns[i - 1]) / (m->ns[i] - m->ns[i - 1]));
	return 0;
}

/* What happens to one burst of a measurement. */
enum wrong {
	LATENCY,        /* something holds the reads up that are timed */
	COUNT_ALONE,    /* bytes are counted that the load did not move, or are missed */
	HELD_UP,        /* less is moved, and waits as it does then */
	WRONGS
};
enum { NOWHERE = CURVE_RATES, SHARE = 67 };

/* As uncorectl verify --curve measures it; at one step something is `factor` times what it is, and
 * as many times more of the traffic is written. */
static struct curve_mix measured(const struct memory *memory, unsigned spoilt, enum wrong wrong,
				 double factor)
{
	struct curve_mix m = { .n = 0 };

	for (unsigned step = 0; step < CURVE_RATES; step++) {
		double rate = curve_rate(&m, step), by = step == spoilt ? factor : 1;
		double most = 1e9 * memory->gbps[memory->n - 1];
		struct curve_point p = at_rate(memory, fmin(rate, most) *
					       (wrong == HELD_UP ? by : 1));

		p.latency *= wrong == LATENCY ? by : 1;
		p.bytes_per_second *= wrong == COUNT_ALONE ? by : 1;
		p.reads = 1 - (1 - SHARE / 100.0) * by;
		p.full = !isfinite(rate);
		m.points[m.n++] = p;
	}
	curve_find_knee(&m);
	return m;
}

/* How far a value is from what it has to be; 1: there is one of two. */
static double off_by(double found, double right)
{
	if (!(right > 0))
		return found > 0;
	return fabs(found / right - 1);
}

static double knee_off(const struct memory *m, unsigned spoilt, enum wrong wrong, double factor)
{
	struct curve_mix found = measured(m, spoilt, wrong, factor);

	assert_true(off_by(found.most, 1e9 * m->gbps[m->n - 1]) < 0.001);
	assert_true(off_by(found.reads, SHARE / 100.0) < 0.001);
	return off_by(found.knee, knee_of(m));
}

/* Each mix of four machines, those that have no knee, too; each step, and none, by each factor. A
 * tenth too much or too little can look like the curve of another memory. */
static void one_wrong_burst_moves_no_knee(void **state)
{
	static const char *const machines[] = { "epyc7742", "grace", "spr8480", "xeon5218" };
	static const int mixes[] = { 100, 67, 50 };
	static const double factors[] = { 0.3, 0.6, 0.8, 0.9, 1.1, 1.25, 1.6, 3 };
	unsigned tried = 0, off = 0, without = 0;
	double worst = 0, gross = 0;

	(void)state;
	for (unsigned i = 0; i < COUNT(machines) * COUNT(mixes); i++) {
		struct memory m = memory_of(machines[i / COUNT(mixes)], mixes[i % COUNT(mixes)]);

		assert_true(m.n > 3);
		assert_true(knee_off(&m, NOWHERE, LATENCY, 1) < 0.02);
		without += !(knee_of(&m) > 0);
		for (unsigned k = 0; k < CURVE_RATES * COUNT(factors) * WRONGS; k++) {
			double factor = factors[k % COUNT(factors)];
			enum wrong what = k / COUNT(factors) % WRONGS;
			double wrong = knee_off(&m, k / COUNT(factors) / WRONGS, what, factor);

			tried++;
			off += wrong > 0.05;
			worst = fmax(worst, wrong);
			if (fabs(factor - 1) > 0.15)
				gross = fmax(gross, wrong);
		}
	}
	print_message("# %u measurements with a wrong burst, %u memories without a knee: %u are "
		      "off by more than 0.05, %.3f at worst; by 0.8 and 1.25 times or more: %.3f "
		      "at worst\n", tried, without, off, worst, gross);
	assert_true(tried > 4000 && without > 0);
	assert_true(off * 100 < tried && worst < 0.12 && gross < 0.06);
}

/* By `date -u -d`. */
#define DATE "2023-01-02T12:00:00Z"
#define NOW 1672660800

static void what_is_written_is_read(void **state)
{
	struct curve c = { .processor = "spr", .model = "Xeon of a test", .version = "0.1.0",
			   .date = DATE, .n_sockets = 2,
			   .versions = { "6.1.0", "0xd", "2.1", "03/28/2024" } };
	AUTO_FREE(free) struct curve *got = NULL;
	struct err err = { "" };

	(void)state;
	c.sockets[0] = (struct curve_socket){ .id = 0, .channels = 8, .n = 1, .mix = { rising } };
	c.sockets[1] = (struct curve_socket){ .id = 3, .channels = 0, .n = 2,
					      .mix = { rising, rising } };
	curve_find_knee(&c.sockets[0].mix[0]);
	c.sockets[1].mix[1].n = 0;
	assert_int_equal(curve_write(root, &c, &err), 0);
	assert_int_equal(curve_read(root, &got, &err), 0);
	assert_non_null(got);
	assert_string_equal(got->model, "Xeon of a test");
	assert_string_equal(got->date, DATE);
	assert_false(got->simulated);
	assert_int_equal(stale_versions(&got->versions, &c.versions), 0);
	assert_string_equal(got->versions.kernel, "6.1.0");
	assert_string_equal(got->versions.bios_date, "03/28/2024");
	assert_int_equal(got->n_sockets, 2);
	assert_int_equal(got->sockets[1].id, 3);
	assert_int_equal(got->sockets[0].channels, 8);
	assert_true(got->sockets[0].mix[0].reads == 0.66);
	assert_true(got->sockets[0].mix[0].asked == 0.67);
	assert_true(got->sockets[0].mix[0].knee == 75e9);
	assert_int_equal(got->sockets[0].mix[0].n, 5);
	assert_true(got->sockets[0].mix[0].points[2].latency == 160e-9);
	assert_true(got->sockets[1].mix[0].knee == 0);
	assert_int_equal(got->sockets[1].mix[1].n, 0);
}

static unsigned before_none;    /* of jansson's allocations, the one behind so many fails */

static void *all_but_one(size_t n)
{
	return before_none-- ? malloc(n) : NULL;
}

/* A file of which a part found no memory is not written: without its knee a mix would have none. */
static void a_part_is_not_written(void **state)
{
	struct curve c = { .date = DATE, .n_sockets = 1,
			   .sockets = { { .n = 2, .mix = { rising, rising } } } };
	AUTO_FREE(free) char *all = NULL;
	struct err err = { "" };
	size_t n;
	int r;

	(void)state;
	curve_find_knee(&c.sockets[0].mix[0]);
	assert_int_equal(curve_write(root, &c, &err), 0);
	assert_int_equal(state_dir_read(root, CURVE_FILE, &all, &n, &err), 0);
	for (unsigned i = 0; i < 500; i++) {
		AUTO_FREE(free) char *now = NULL;

		before_none = i;
		json_set_alloc_funcs(all_but_one, free);
		r = curve_write(root, &c, &err);
		json_set_alloc_funcs(malloc, free);
		assert_true(r == 0 || (before_none > i && r == -ENOMEM));
		assert_int_equal(state_dir_read(root, CURVE_FILE, &now, &n, &err), 0);
		assert_string_equal(now, all);
	}
	assert_int_equal(r, 0);
}

/* As a person or the test's own hand writes it; %s is a socket's mixes. */
#define FILE_OF(date, simulated, processor, mixes) \
	"{\"format\":\"uncored-curve-1\",\"version\":\"1\",\"date\":\"" date "\"," \
	"\"simulated\":" simulated ",\"processor\":\"" processor "\",\"model\":\"\"," \
	"\"sockets\":[{\"socket\":1,\"channels_with_memory\":4,\"mixes\":[" mixes "]}]}"
#define FILE_WITH(...) FILE_OF(DATE, __VA_ARGS__)
#define MIX(reads, rest) \
	"{\"asked_read_ratio\":1,\"read_ratio\":" reads ",\"least_latency_seconds\":1e-7," \
	"\"most_bytes_per_second\":2e11," rest "\"points\":[]}"
#define KNEE(bytes) "\"knee_bytes_per_second\":" bytes ","

static void what_is_no_curve_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "{", "[]", "null", "{}",
		"{\"format\":\"uncored-curve-2\"}",
		FILE_WITH("0", "spr", ""),
		FILE_OF("", "false", "spr", ""),
		FILE_OF("2023-01-02", "false", "spr", ""),
		FILE_OF("2023-01-02T12:00:00+01:00", "false", "spr", ""),
		FILE_OF("2023-13-02T12:00:00Z", "false", "spr", ""),
		FILE_OF("yesterday", "false", "spr", ""),
		FILE_WITH("false", "spr", "7"),
		FILE_WITH("false", "spr", MIX("1.5", "")),
		FILE_WITH("false", "spr", MIX("-0.1", "")),
		FILE_WITH("false", "spr", MIX("\"1\"", "")),
		FILE_WITH("false", "spr", MIX("1", KNEE("0"))),
		FILE_WITH("false", "spr", MIX("1", KNEE("-5"))),
		FILE_WITH("false", "spr", MIX("1", KNEE("1e300"))),
		FILE_WITH("false", "spr", MIX("1", KNEE("null"))),
		FILE_WITH("false", "spr", MIX("1", "\"read_ratio\":1,")),
		FILE_WITH("false", "spr", MIX("1", "") "," MIX("1", "") "," MIX("1", "") ","
			  MIX("1", "")),
		FILE_WITH("false", "a name that is longer than any name that a processor has in "
			  "any table of uncored", ""),
	};
	struct curve *c = NULL;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < COUNT(bad); i++) {
		err.text[0] = '\0';
		put(CURVE_FILE, bad[i]);
		assert_int_equal(curve_read(root, &c, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "/curve.json: it is no curve"));
		assert_non_null(strstr(err.text, "sudo uncorectl verify --curve"));
		assert_null(c);
	}
}

/* Versions are read below `root`, too, where none are until a test puts some. */
static const struct plan_knees *knees_of(struct machine *m, struct curve_knees **k)
{
	m->asked.roots = (struct host_roots){ .state = root, .procfs = root, .sysfs = root };
	*k = curve_knees_new(m, NOW);
	assert_non_null(*k);
	return curve_knees_of(*k);
}

/* The machine: one of no family that anybody knows, so "other" without a model. */
static void knees_are_of_this_machine(void **state)
{
	struct topo topo = { .n_sockets = 1 };
	struct machine m = { .topo = &topo, .engine = CONF_PERF };
	AUTO_FREE(curve_knees_free) struct curve_knees *none = NULL, *right = NULL, *other = NULL,
		*model = NULL, *faulty = NULL;
	const struct plan_knees *k = knees_of(&m, &none);

	(void)state;
	assert_non_null(strstr(k->unmeasured, "was not measured: sudo uncorectl verify --curve"));
	assert_null(k->refused);
	put(CURVE_FILE, FILE_WITH("false", "other", MIX("1", KNEE("9e10")) ","
				  MIX("0.5", KNEE("6e10")) "," MIX("0.7", "")));
	k = knees_of(&m, &right);
	assert_null(k->unmeasured);
	assert_null(k->refused);
	assert_int_equal(k->stale, 0);
	assert_int_equal(k->n, 1);
	assert_int_equal(k->v[0].socket, 1);
	assert_int_equal(k->v[0].channels, 4);
	assert_int_equal(k->v[0].n, 3);         /* by rising share; one has none */
	assert_true(k->v[0].mix[0].reads == 0.5 && k->v[0].mix[0].bytes_per_second == 6e10);
	assert_true(k->v[0].mix[1].reads == 0.7 && k->v[0].mix[1].bytes_per_second == 0);
	assert_true(k->v[0].mix[2].reads == 1 && k->v[0].mix[2].bytes_per_second == 9e10);
	m.engine = CONF_MODEL;
	k = knees_of(&m, &model);
	assert_non_null(strstr(k->refused, "is of a real machine, and this one is simulated"));
	assert_int_equal(k->stale, BIT(STALE_SIMULATED));
	m.engine = CONF_PERF;
	put(CURVE_FILE, FILE_WITH("false", "spr", MIX("1", KNEE("9e10"))));
	k = knees_of(&m, &other);
	assert_non_null(strstr(k->refused, "is of another machine"));
	assert_int_equal(k->stale, BIT(STALE_PROCESSOR));
	assert_int_equal(k->n, 0);
	put(CURVE_FILE, "nothing");
	k = knees_of(&m, &faulty);
	assert_non_null(strstr(k->refused, "it is no curve"));
	assert_int_equal(k->stale, BIT(STALE_UNREADABLE));
}

/* Two clocks may be a day apart. */
static void a_curve_of_the_future_is_refused(void **state)
{
	static const struct { time_t now; bool holds; } rows[] = {
		{ NOW, true }, { NOW + 1000000, true }, { NOW - 86400, true },
		{ NOW - 86401, false }, { 1, false },
	};
	struct topo topo = { .n_sockets = 1 };
	struct machine m = { .topo = &topo, .engine = CONF_PERF,
			     .asked.roots = { .state = root, .procfs = root, .sysfs = root } };

	(void)state;
	put(CURVE_FILE, FILE_WITH("false", "other", MIX("1", KNEE("9e10"))));
	for (unsigned i = 0; i < COUNT(rows); i++) {
		AUTO_FREE(curve_knees_free) struct curve_knees *knees =
			curve_knees_new(&m, rows[i].now);
		const struct plan_knees *k = curve_knees_of(knees);

		assert_int_equal(k->stale, rows[i].holds ? 0 : BIT(STALE_UNREADABLE));
		assert_int_equal(k->n, rows[i].holds);
		if (!rows[i].holds)
			assert_non_null(strstr(k->refused, "/curve.json was measured in the "
					       "future, " DATE ": set the clock, or measure "
					       "again: sudo uncorectl verify --curve"));
	}
}

/* Microcode or a BIOS that has changed since may make another curve; a kernel does not. */
static void a_curve_of_another_bios_is_refused(void **state)
{
	static const struct { const char *name, *text, *says; unsigned stale; } rows[] = {
		{ "sys/kernel/osrelease", "6.1.0\n", NULL, 0 },
		{ "sys/kernel/osrelease", "6.1.1\n", NULL, 0 },
		{ "cpuinfo", "microcode\t: 0xe\n", "has changed, microcode: measure again: sudo "
		  "uncorectl verify --curve", BIT(STALE_MICROCODE) },
		{ "cpuinfo", "microcode\t: 0xd\n", NULL, 0 },
		{ "class/dmi/id/bios_date", "03/29/2024\n", "has changed, bios: ",
		  BIT(STALE_BIOS) },
	};
	struct curve c = { .processor = "other", .date = DATE, .n_sockets = 1,
			   .versions = { "6.1.0", "0xd", "2.1", "03/28/2024" } };
	struct topo topo = { .n_sockets = 1 };
	struct machine m = { .topo = &topo, .engine = CONF_PERF };
	struct err err = { "" };

	(void)state;
	c.sockets[0] = (struct curve_socket){ .n = 1, .mix = { rising } };
	assert_int_equal(curve_write(root, &c, &err), 0);
	put("cpuinfo", "microcode\t: 0xd\n");
	put("class/dmi/id/bios_version", "2.1\n");
	put("class/dmi/id/bios_date", "03/28/2024\n");
	for (unsigned i = 0; i < COUNT(rows); i++) {
		AUTO_FREE(curve_knees_free) struct curve_knees *knees = NULL;
		const struct plan_knees *k;

		put(rows[i].name, rows[i].text);
		k = knees_of(&m, &knees);
		assert_int_equal(k->stale, rows[i].stale);
		assert_int_equal(k->n, !rows[i].stale);
		assert_true(!k->refused == !rows[i].says);
		if (rows[i].says)
			assert_non_null(strstr(k->refused, rows[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_crossing_is_the_knee),
		cmocka_unit_test(without_a_full_burst_nothing_is_looked_for),
		cmocka_unit_test(one_wrong_burst_moves_no_knee),
		cmocka_unit_test_setup_teardown(what_is_written_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_part_is_not_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_curve_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(knees_are_of_this_machine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_curve_of_the_future_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_curve_of_another_bios_is_refused, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
