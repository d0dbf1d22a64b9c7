/* SPDX-License-Identifier: MIT
 * Workloads that change with time: day and rotation.
 * The expectations are written down from the description of the workloads: which second has which
 * phase, and by how much the phases differ.
 */
#include "rig.h"

#include "derive/derive.h"

#include <math.h>

/* What is measured: a control register of the Xeon 7500 with its event, enabled. */
struct event {
	unsigned ctl, value;
	unsigned global, enable;    /* of the box */
};
/* B-Box 0: IMT_INSERTS_ALL, IMT_INSERTS_RD, IMT_INSERTS_WR on counter 1, CONFLICTS on 3 */
static const struct event inserts = { 0xc32, 0x07 << 1 | 1, 0xc20, 0xf };
static const struct event reads = { 0xc32, 0x1d << 1 | 1, 0xc20, 0xf };
static const struct event writes = { 0xc32, 0x0c << 1 | 1, 0xc20, 0xf };
static const struct event conflicts = { 0xc36, 0x17 << 1 | 1, 0xc20, 0xf };
/* M-Box 0, FVC_EV0 on counter 0: commands of the B-Box that read; so does PCM */
static const struct event commands = { 0xcb0, 0x1a41, 0xca0, 0x3f };
/* R-Box counter 0: IPERF0 of port 0, which is a QPI port: new packets of every class */
static const struct event packets = { 0xe10, 1, 0xe00, 0xff };

static struct model *programmed(const char *workload, const struct event *e)
{
	struct model_options o = { .processor = "nehalem-ex", .workload = workload,
				   .n_sockets = 2, .cores = 1, .seed = 1 };
	struct model *m = NULL;
	struct err err;

	if (model_new(&o, &m, &err) < 0)
		fail_msg("%s", err.text);
	for (unsigned s = 0; s < 2; s++) {
		model_write(m, s, msr(0xe04), 0xff);
		model_write(m, s, msr(0xcab), 5 << 11);
		model_write(m, s, msr(e->ctl), e->value);
		model_write(m, s, msr(e->global), e->enable);
		model_write(m, s, msr(0xc00), BIT(28));
	}
	assert_int_equal(model_violations(m, NULL, 0), 0);
	return m;
}

/* Counts per second between two seconds. */
static double mean(const char *workload, const struct event *e, unsigned socket, unsigned from,
		   unsigned to)
{
	struct model *m = programmed(workload, e);
	uint64_t before;
	double n;

	model_advance(m, from * NSEC_PER_SEC);
	before = model_truth(m, socket, msr(e->ctl + 1));
	model_advance(m, (to - from) * NSEC_PER_SEC);
	n = (double)(model_truth(m, socket, msr(e->ctl + 1)) - before);
	model_free(m);
	return n / (to - from);
}

struct ratio {
	int line;
	const struct event *event;
	unsigned socket, from, to;      /* seconds */
	unsigned base_from, base_to;    /* compared with the same event and socket then */
	double least, most;
};

static void check_ratios(const char *workload, const struct ratio *rows, size_t n)
{
	for (const struct ratio *r = rows; r < rows + n; r++) {
		double is = mean(workload, r->event, r->socket, r->from, r->to) /
			mean(workload, r->event, r->socket, r->base_from, r->base_to);

		if (is < r->least || is > r->most)
			fail_msg("row of line %d: %f, not %f to %f", r->line, is, r->least,
				 r->most);
	}
}

static void phases_of_the_day(void **state)
{
	static const struct ratio rows[] = {
		/* 8 to 15 s: 1.8 of the usual writes after 0.3, 0.6 of the reads after 1.35 */
		{ __LINE__, &writes, 0, 8, 15, 0, 8, 5.99, 6.01 },
		{ __LINE__, &reads, 0, 8, 15, 0, 8, 0.444, 0.445 },
		/* those and the reads for ownership, 0.60 x 0.6 + 0.04 x 1.8 after
		 * 0.60 x 1.35 + 0.04 x 0.3 */
		{ __LINE__, &commands, 0, 8, 15, 0, 8, 0.525, 0.526 },
		{ __LINE__, &inserts, 0, 8, 15, 0, 8, 0.999, 1.001 },
		/* two bursts of 2 s, each before 2 s of quiet: 0.080 and 0.0015 a cycle */
		{ __LINE__, &inserts, 0, 15, 17, 17, 19, 53, 54 },
		{ __LINE__, &inserts, 1, 19, 21, 21, 23, 53, 54 },
		/* the even socket has 0.080, not 0.070; the odd one a fifth of it */
		{ __LINE__, &inserts, 0, 23, 31, 0, 8, 1.142, 1.144 },
		{ __LINE__, &inserts, 1, 23, 31, 0, 8, 0.228, 0.229 },
		/* remote: the links carry 0.75, not 0.25 */
		{ __LINE__, &packets, 0, 31, 39, 0, 8, 2.99, 3.01 },
		{ __LINE__, &packets, 1, 31, 39, 0, 8, 2.99, 3.01 },
		/* conflicts: 0.120 x 0.080, not 0.012 x 0.070 */
		{ __LINE__, &conflicts, 0, 39, 47, 0, 8, 11.4, 11.5 },
		{ __LINE__, &inserts, 0, 47, 53, 0, 8, 0.0214, 0.0215 },
		/* the odd socket is the busy one */
		{ __LINE__, &inserts, 0, 53, 60, 0, 8, 0.228, 0.229 },
		{ __LINE__, &inserts, 1, 53, 60, 0, 8, 1.142, 1.144 },
		/* after the first minute */
		{ __LINE__, &reads, 0, 60, 150, 0, 8, 0.999, 1.001 },
		{ __LINE__, &packets, 0, 150, 210, 0, 8, 2.99, 3.01 },
		/* bursts of a quarter of a second are no different from one second to the next */
		{ __LINE__, &inserts, 0, 210, 211, 269, 270, 0.999, 1.001 },
		{ __LINE__, &inserts, 0, 210, 270, 0, 8, 0.582, 0.583 },
		{ __LINE__, &writes, 0, 270, 330, 8, 15, 0.999, 1.001 },
		{ __LINE__, &conflicts, 0, 330, 345, 39, 47, 0.999, 1.001 },
		{ __LINE__, &inserts, 1, 345, 420, 23, 31, 0.999, 1.001 },
		{ __LINE__, &inserts, 0, 420, 480, 47, 53, 0.999, 1.001 },
		{ __LINE__, &packets, 0, 480, 525, 31, 39, 0.999, 1.001 },
		{ __LINE__, &conflicts, 0, 525, 540, 39, 47, 0.999, 1.001 },
		{ __LINE__, &reads, 0, 540, 600, 0, 8, 0.999, 1.001 },
		/* and again */
		{ __LINE__, &writes, 0, 600, 608, 608, 615, 0.166, 0.167 },
		{ __LINE__, &inserts, 1, 86400 + 23, 86400 + 31, 23, 31, 0.999, 1.001 },
	};

	(void)state;
	check_ratios("day", rows, COUNT(rows));
}

/* Whoever looks for any 10 s of the first minute sees something change by a tenth at least. */
static void something_happens_every_ten_seconds(void **state)
{
	static const struct event *const events[] = { &inserts, &writes, &packets };

	(void)state;
	for (unsigned from = 0; from <= 50; from++) {
		bool changes = false;

		for (unsigned i = 0; i < COUNT(events); i++)
			for (unsigned t = from + 1; t < from + 10; t++) {
				double a = mean("day", events[i], 0, t - 1, t);
				double b = mean("day", events[i], 0, t, t + 1);

				changes = changes || b > 1.1 * a || a > 1.1 * b;
			}
		if (!changes)
			fail_msg("nothing changes between %u s and %u s", from, from + 10);
	}
}

/* Full load in even seconds, an eighth of it in odd ones, on every socket. */
static void rotation_has_two_seconds(void **state)
{
	static const struct ratio rows[] = {
		{ __LINE__, &inserts, 0, 0, 1, 1, 2, 7.999, 8.001 },
		{ __LINE__, &inserts, 1, 0, 1, 1, 2, 7.999, 8.001 },
		{ __LINE__, &packets, 0, 3600, 3601, 3601, 3602, 7.999, 8.001 },
		{ __LINE__, &reads, 1, 3601, 3602, 1, 2, 0.999, 1.001 },
		{ __LINE__, &writes, 0, 2, 3, 0, 1, 0.999, 1.001 },
	};

	(void)state;
	check_ratios("rotation", rows, COUNT(rows));
	/* the full load is that of stream */
	assert_true(mean("rotation", &inserts, 0, 0, 1) == mean("stream", &inserts, 0, 0, 1));
}

/* With too many conflicts the latency is omitted for that reason, and comes back. */
static void conflicts_omit_the_latency(void **state)
{
	unsigned found = 0, omitted = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "day", 1);
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"m\"; events = [ "
		 "\"bbox/IMT_VALID_OCCUPANCY\", \"bbox/IMT_INSERTS_ALL\", "
		 "\"bbox/CONFLICTS\" ]; } );", NULL);
	run_start(&u);
	for (unsigned second = 1; second <= 120; second++) {
		bool storm = second > 39 && second <= 47;

		run_ticks(&u, 1, NSEC_PER_SEC);
		run_read_words(&u);
		for (unsigned i = 0; i < u.plan->sockets[1].n_metrics; i++) {
			uint64_t is = u.s[1].words[u.s[1].layout.metric_reason + i];

			if (strcmp(u.plan->sockets[1].metrics[i].name, "imt_latency_cycles") != 0)
				continue;
			same_u64(is, storm ? REASON_CONFLICT : REASON_NONE, "state", __LINE__);
			found++;
			omitted += storm;
		}
	}
	assert_true(omitted > 0 && found > omitted);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* ------------------------------------------------------------------ links */

#define BOTH(port) "\"rbox/FLITS_SENT,port=" #port "\", \"rbox/NULL_IDLE,port=" #port "\""
#define PORTS "interval = \"1s\"; groups = ( { name = \"l\"; events = [ " BOTH(0) ", " \
	BOTH(1) ", " BOTH(2) ", " BOTH(3) ", " BOTH(4) ", " BOTH(5) ", " BOTH(6) ", " BOTH(7) \
	" ]; } );"

static bool is_of_port(const struct plan_metric *m, unsigned port)
{
	for (unsigned i = 0; i < m->labels.n; i++)
		if (strcmp(m->labels.v[i].name, "port") == 0)
			return (unsigned)atoi(m->labels.v[i].value) == port;
	return false;
}

/* Of the last window: the value of a port's metric, and its state. */
static double port_metric(const struct run *u, const char *name, unsigned port, uint64_t *ret_state)
{
	const struct plan_socket *s = &u->plan->sockets[0];

	for (unsigned i = 0; i < s->n_metrics; i++) {
		const struct plan_metric *m = &s->metrics[i];
		double v;

		if (strcmp(m->name, name) != 0 || !is_of_port(m, port))
			continue;
		*ret_state = u->s[0].words[u->s[0].layout.metric_reason + i];
		memcpy(&v, &u->s[0].words[u->s[0].layout.metric_value + i], sizeof(v));
		return v;
	}
	fail_msg("no %s of port %u", name, port);
	return 0;
}

/* A link of 6.4 GT/s sends 1.6e9 flits a second beside an uncore clock of 2.4e9; the ports to S-
 * and B-Boxes send one in each cycle. Whichever clock a port has, its share is of its own flits:
 * of the load, a quarter on port 0 and 4 % less from each port to the next; the right half of the
 * R-Box has 1 % less to do. */
static void a_link_is_measured_by_its_own_clock(void **state)
{
	struct rig r;
	struct run u;
	double first;
	uint64_t is;

	(void)state;
	rig_open(&r, 1, "stream", 1);
	run_open(&u, &r, PORTS, NULL);
	run_start(&u);
	run_ticks(&u, 10, NSEC_PER_SEC);
	run_read_words(&u);
	first = port_metric(&u, "link_utilization_ratio", 0, &is);
	assert_true(first > 0.24 && first <= 0.25);
	for (unsigned port = 0; port < 8; port++) {
		char slot[40];
		double used = port_metric(&u, "link_utilization_ratio", port, &is);
		bool qpi = port % 4 < 2;

		same_u64(is, REASON_NONE, "state", __LINE__);
		snprintf(slot, sizeof(slot), "rbox0/FLITS_SENT,port=%u", port);
		same_u64(slot_total(&u, 0, run_slot(&u, 0, slot)),
			 qpi ? 16000000000 : 24000000000, slot, __LINE__);
		if (qpi)
			assert_true(fabs(used / first - (1 - 0.04 * port) *
					 (port < 4 ? 1 : 0.99)) < 1e-6);
		else
			assert_true(used > 0 && used < 1);
	}
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* More idle flits than flits refute that they are among them: no value, least of all 0. */
static void more_idle_flits_than_flits_is_a_conflict(void **state)
{
	struct reg idle;
	struct rig r;
	struct run u;
	uint64_t is;

	(void)state;
	rig_open(&r, 1, "stream", 1);
	run_open(&u, &r, PORTS, NULL);
	run_start(&u);
	idle = run_slot(&u, 0, "rbox0/NULL_IDLE,port=1")->data;
	run_ticks(&u, 1, NSEC_PER_SEC);
	/* within what the counter can count in a second, so it is no reset */
	model_poke(r.m, 0, idle, model_peek(r.m, 0, idle) + 900000000);
	run_ticks(&u, 1, NSEC_PER_SEC);
	run_read_words(&u);
	port_metric(&u, "link_utilization_ratio", 1, &is);
	same_u64(is, REASON_CONFLICT, "state", __LINE__);
	port_metric(&u, "link_utilization_ratio", 0, &is);
	same_u64(is, REASON_NONE, "state of another port", __LINE__);
	run_ticks(&u, 1, NSEC_PER_SEC);
	run_read_words(&u);
	port_metric(&u, "link_utilization_ratio", 1, &is);
	same_u64(is, REASON_NONE, "state of the next window", __LINE__);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* The phases leave no nanosecond out and have none in common: the fixed counter runs at 2.4 GHz in
 * every phase, so it has counted 12 in 5 ns whenever it is read. */
static void phases_are_gapless(void **state)
{
	static const struct event clock = { 0x395, 1, 0xc80, 1u << 31 };
	struct model *m = programmed("day", &clock);
	uint64_t random = 3;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		model_advance(m, (nsec)(rig_random(&random) % (9 * NSEC_PER_SEC)));
		same_u64(model_truth(m, 0, msr(0x394)), (uint64_t)model_now(m) * 12 / 5, "clock",
			 __LINE__);
	}
	model_free(m);
}

/* Hours of the day, with ticks at any time and wraps: each total is the truth. */
static void day_is_exact(void **state)
{
	uint64_t random = 6, wraps = 0;
	nsec hours = (rig_long() ? 240 : 6) * 3600 * NSEC_PER_SEC;
	unsigned ticks = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "day", 6);
	run_open(&u, &r, RIG_ALL("interval = \"1s\"; "), NULL);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < u.s[i].n_slots; k++)
			model_poke(r.m, i, u.s[i].slots[k].data,
				   TOP48 - rig_random(&random) % BIT(40));
	run_start(&u);
	while (model_now(r.m) < hours) {
		run_ticks(&u, 1, (nsec)(rig_random(&random) % (60 * NSEC_PER_SEC)));
		if (++ticks % 50 == 0)
			run_exact(&u, __LINE__, NULL);
	}
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	for (unsigned i = 0; i < 2; i++)
		wraps += u.s[i].words[W_WRAPS];
	assert_true(wraps > 98);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_of_the_day),
		cmocka_unit_test(something_happens_every_ten_seconds),
		cmocka_unit_test(rotation_has_two_seconds),
		cmocka_unit_test(conflicts_omit_the_latency),
		cmocka_unit_test(a_link_is_measured_by_its_own_clock),
		cmocka_unit_test(more_idle_flits_than_flits_is_a_conflict),
		cmocka_unit_test(phases_are_gapless),
		cmocka_unit_test(day_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
