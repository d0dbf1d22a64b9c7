/* SPDX-License-Identifier: MIT
 * What is ready-made stays within a hundred series of a socket: groups that are left out, events
 * that are inputs only, and which events of a PMU without a table are chosen.
 */
#include "defaults_fixture.h"

/* Events of many instances are inputs and no series; a clock of one instance serves the sum over
 * all. */
static void test_quiet(void **state)
{
	const struct plan_metric *x;
	const struct plan_group *g;
	unsigned series = 0;
	struct made m;

	(void)state;
	make_skx("GenuineIntel", 6, 85);
	m = make_plan(NULL);
	g = group_of(m.p, "llc");
	assert_non_null(g);
	assert_true(g->metrics_only && !group_of(m.p, "memory")->metrics_only);
	x = metric_of(m.p, "llc_data_read_miss_latency_seconds");
	assert_non_null(x);
	assert_int_equal(x->num.n, 28);
	assert_int_equal(x->den.n, 28);
	assert_string_equal(m.p->sockets[0].rounds[0].slots[x->clock.v->slot].identity,
			    "cha0/clockticks,config=0x0");
	for (unsigned s = 0; s < m.p->n_sockets; s++) {
		const struct plan_socket *p = &m.p->sockets[s];

		series += p->n_metrics;
		for (unsigned i = 0; i < p->n_groups; i++)
			for (unsigned k = 0;
			     !p->groups[i].metrics_only && k < p->groups[i].n_slots; k++)
				series += p->rounds[0].slots[p->groups[i].slots[0][k]].scaled_family
					? 2 : 1;
	}
	assert_int_equal(m.p->n_series, series);
	drop(&m);
}

/* A group that would make more than a hundred series of a socket is left out, and says so. */
static void test_room(void **state)
{
	struct made m;

	(void)state;
	make_skx("GenuineIntel", 6, 85);
	for (unsigned i = 6; i < 30; i++) {
		static const char *const files[][2] = {
			{ "cpumask", "0,4" }, { "format/event", "config:0-7" },
			{ "format/umask", "config:8-15" },
			{ "events/cas_count_read", "event=0x04,umask=0x03" },
			{ "events/cas_count_read.scale", "6.103515625e-5" },
			{ "events/cas_count_read.unit", "MiB" },
			{ "events/cas_count_write", "event=0x04,umask=0x0c" },
			{ "events/cas_count_write.scale", "6.103515625e-5" },
			{ "events/cas_count_write.unit", "MiB" },
		};
		char file[128], type[16];

		snprintf(file, sizeof(file), "bus/event_source/devices/uncore_imc_%u/type", i);
		snprintf(type, sizeof(type), "%u", 900 + i);
		tree_put(&tree, file, type);
		for (unsigned k = 0; k < COUNT(files); k++) {
			snprintf(file, sizeof(file), "bus/event_source/devices/uncore_imc_%u/%s",
				 i, files[k][0]);
			tree_put(&tree, file, files[k][1]);
		}
	}
	m = make_plan(NULL);
	assert_null(group_of(m.p, "memory"));
	assert_non_null(group_of(m.p, "llc"));
	assert_int_equal(m.p->n_notes, 1);
	/* two raw counts, two in bytes for each of 30, two metrics */
	assert_string_equal(m.p->notes[0], "The ready-made group 'memory' is left out: with its "
					   "122 series a socket would have more than 100. It "
					   "counts where the configuration's groups name it.");
	drop(&m);
}

/* Two dies a socket. By hand: memory has 6 channels on 2 dies, 2 events, total and bytes, and 2
 * metrics of the socket, 50; llc 4 metrics and 2 clocks, 6; links 4 metrics of 3 links on 2 dies,
 * 24; power 2 energies of 2 dies, total and joules, and 2 metrics of 2 dies, which have no second
 * series, 12; cstates 4 metrics of 2 dies, 8. That is 100. The use of memory would be one more. */
static void test_room_to_the_last(void **state)
{
	static const char *const notes[] = {
		"'pcie' is left out: with its 24 series",
		"'memory_use' is left out: with its 1 series",
	};
	struct made m;

	(void)state;
	tree_make(&tree, "clxap.txt");
	m = make_plan(NULL);
	assert_int_equal(m.p->n_series, 2 * 100);
	assert_non_null(group_of(m.p, "cstates"));
	assert_int_equal(m.p->n_notes, COUNT(notes));
	for (unsigned i = 0; i < COUNT(notes); i++)
		if (!strstr(m.p->notes[i], notes[i]))
			fail_msg("%s", m.p->notes[i]);
	drop(&m);
}

/* ------------------------------------------------------------------ PMUs without a table */

/* A processor that no table knows, with 16 memory controllers of each socket that have these
 * events. */
static void make_unnamed(const char *events)
{
	static const char dir[] = "bus/event_source/devices/uncore_imc_0/events";
	char text[512], *save = NULL;
	unsigned n = 0;

	tree_make(&tree, "unnamed.txt");
	snprintf(text, sizeof(text), "%s", events);
	for (char *e = strtok_r(text, " ", &save); e; e = strtok_r(NULL, " ", &save)) {
		char file[192], code[32];

		snprintf(file, sizeof(file), "%s/%s", dir, e);
		snprintf(code, sizeof(code), "event=0x%02x", ++n);
		tree_put(&tree, file, code);
		if (strncmp(e, "cas_", 4) != 0)
			continue;
		snprintf(file, sizeof(file), "%s/%s.scale", dir, e);
		tree_put(&tree, file, "6.103515625e-5");
		snprintf(file, sizeof(file), "%s/%s.unit", dir, e);
		tree_put(&tree, file, "MiB");
	}
}

/* Bytes before names, names before the rest, clocks last; one of each kind before a second one; on
 * every socket the same, and no socket with more than a hundred series. */
static void test_made(void **state)
{
	static const struct { int line; const char *events, *chosen; unsigned series; } rows[] = {
		/* 32 + 32 for the bytes, 16 for each of two others */
		{ __LINE__, "act_cmd cas_count_read cas_count_write clockticks pre_cmd", "cas_count_read cas_count_write act_cmd pre_cmd ", 96 },
		/* 6 x 16 would be 96, but a PMU has four counters */
		{ __LINE__, "act clockticks miss_a rd_a rd_b wr_data", "rd_a wr_data miss_a rd_b ", 64 },
		/* as of Grace: read and write, of each the one with bytes */
		{ __LINE__, "bus_cycles cmem_rd_access cmem_rd_data cmem_rd_out cmem_wr_access cmem_wr_total_bytes cycles", "cmem_rd_data cmem_wr_total_bytes cmem_rd_access cmem_wr_access ", 64 },
		{ __LINE__, "clockticks", "clockticks ", 16 },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct plan_socket *s;
		char names[512] = "";
		struct made m, named;

		make_unnamed(rows[i].events);
		m = make_plan(NULL);
		s = &m.p->sockets[0];
		for (unsigned k = 0; k < s->rounds[0].n_slots; k++)
			if (s->rounds[0].slots[k].unit == 0)
				snprintf(names + strlen(names), sizeof(names) - strlen(names),
					 "%s ", s->rounds[0].slots[k].event_name);
		if (strcmp(names, rows[i].chosen) != 0)
			fail_msg("line %d: %s", rows[i].line, names);
		assert_int_equal(m.p->n_sockets, 2);
		assert_int_equal(m.p->sockets[0].n_exported, rows[i].series);
		assert_int_equal(m.p->sockets[1].n_exported, rows[i].series);
		/* by its name it is the same group */
		named = make_plan("groups = ( \"imc\" );");
		assert_int_equal(named.p->n_series, m.p->n_series);
		assert_int_equal(group_of(named.p, "imc")->n_slots, group_of(m.p, "imc")->n_slots);
		made_done(&named);
		drop(&m);
	}
}

/* What is left out is said, with a specification that counts it. */
static void test_made_left(void **state)
{
	struct made m, own;

	(void)state;
	make_unnamed("act_cmd cas_count_read cas_count_write clockticks pre_cmd");
	m = make_plan(NULL);
	assert_int_equal(m.p->n_notes, 1);
	assert_string_equal(m.p->notes[0], "The ready-made group 'imc' counts 4 of the 5 events of "
			    "the kernel's PMU uncore_imc; a group of your own counts others, such "
			    "as perf/uncore_imc/clockticks/ (uncorectl list events imc).");
	own = make_plan("groups = ( { name = \"own\"; events = [ "
			"\"perf/uncore_imc/clockticks/\" ]; } );");
	made_done(&own);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet), cmocka_unit_test(test_room),
		cmocka_unit_test(test_room_to_the_last),
		cmocka_unit_test(test_made), cmocka_unit_test(test_made_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
