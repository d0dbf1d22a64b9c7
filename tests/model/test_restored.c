/* SPDX-License-Identifier: MIT
 * No trace is left, others count on undisturbed, totals go on over a reload. */
#include "restored.h"

#include "daemon/restore.h"
#include "planner/restoring.h"

#include <unistd.h>

#define SECOND "interval = \"1s\"; "
#define TAKES_OVER SECOND "takeover = true; "
#define EN_ALL BIT(28)

#define TURNS \
	"interval = \"1s\"; groups = (" \
	"{ name = \"a\"; events = [ \"bbox/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\", " \
	"\"rbox/FLITS_SENT,port=1\" ]; }," \
	"{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\", " \
	"\"sbox/TO_R_PROG_EV,match=0x80000000000\" ]; } );"

/* The counter of the window is preloaded, so that its count goes back too. */
#define WINDOWS \
	"interval = \"1s\"; groups = (" \
	"{ name = \"a\"; window = { event = \"bbox1/IMT_INSERTS_ALL\"; count = 1000000; };" \
	"  events = [ \"bbox/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\", " \
	"\"rbox/FLITS_SENT,port=1\" ]; }," \
	"{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\", " \
	"\"sbox/TO_R_PROG_EV,match=0x80000000000\" ]; } );"

static void count_as_remembered(struct rig *r, const char *conf, int line)
{
	for (unsigned i = 0; i < r->n_sockets && strcmp(conf, WINDOWS) == 0; i++)
		same_u64(model_peek(r->m, i, msr(PRELOADED)), count_before[i],
			 "the preloaded counter", line);
}

/* ------------------------------------------------------------------ a clean end */

static void registers_as_found(void **state)
{
	static const char *const confs[] = { RIG_ALL(SECOND), TURNS,
					     RIG_ALL("interval = \"1s\"; freeze = true; "),
					    WINDOWS };

	(void)state;
	for (unsigned k = 0; k < 4 * COUNT(confs); k += rig_long() ? 1 : 3) {
		struct rig r;
		struct run u;

		rig_open(&r, 2, "stream", k);
		if (k % 4)
			litter(&r, k);
		remember(&r);
		run_open(&u, &r, confs[k / 4], NULL);
		as_remembered(&r, __LINE__);            /* looking changes nothing */
		run_start(&u);
		run_ticks(&u, 6, 0);
		run_stop(&u);
		run_restore(&u, NULL);
		as_remembered(&r, __LINE__);
		count_as_remembered(&r, confs[k / 4], __LINE__);
		run_close(&u);
		rig_close(&r);
	}
}

/* Counters that we need were counting for somebody: with takeover we use them, and at the end he
 * has them again. */
static void taken_over_and_given_back(void **state)
{
	struct err err = { "" };
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 3);
	litter(&r, 99);
	model_poke(r.m, 0, msr(0xd10), 0x400f15);
	model_poke(r.m, 0, msr(0xd00), 0x3f);
	model_poke(r.m, 0, msr(0xc00), EN_ALL);
	assert_true(model_counting(r.m, 0, msr(0xd11)));
	remember(&r);
	assert_int_equal(run_try_open(&u, &r, RIG_ALL(SECOND), NULL, &err), -EBUSY);
	assert_non_null(strstr(err.text, "counter"));
	as_remembered(&r, __LINE__);
	run_close(&u);
	run_open(&u, &r, RIG_ALL(TAKES_OVER), NULL);
	run_start(&u);
	run_ticks(&u, 5, 0);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		assert_int_equal(slot_reason(&u, 0, &u.s[0].slots[k]), REASON_NONE);
	run_stop(&u);
	run_restore(&u, NULL);
	as_remembered(&r, __LINE__);
	assert_true(model_counting(r.m, 0, msr(0xd11)));
	run_close(&u);
	rig_close(&r);
}

/* rst_all found set holds every counter at 0; it is cleared for the run and set again. */
static void reset_bit_found_set(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 3);
	model_poke(r.m, 0, msr(0xc00), RST_ALL);
	remember(&r);
	run_open(&u, &r, RIG_ALL(SECOND), NULL);
	run_start(&u);
	assert_int_equal(model_peek(r.m, 0, msr(0xc00)) & (EN_ALL | RST_ALL), EN_ALL);
	run_ticks(&u, 5, 0);
	run_exact(&u, __LINE__, NULL);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	as_remembered(&r, __LINE__);
	run_close(&u);
	rig_close(&r);
}

/* ------------------------------------------------------------------ others */

static void set_up_others(struct rig *r)
{
	model_poke(r->m, 0, msr(0xdfa), 0x400714);      /* C-Box 7 counter 5 */
	model_poke(r->m, 0, msr(0xde0), BIT(5));
	/* B-Box 0 counter 3, a box of which we use other counters */
	model_poke(r->m, 0, msr(0xc36), 0x2f);
	model_poke(r->m, 0, msr(0xc20), BIT(3));
	model_poke(r->m, 0, msr(0xe06), BIT(31));       /* R-Box counter 4 on port 2 */
	model_poke(r->m, 0, msr(0xe18), 0x19);
	model_poke(r->m, 0, msr(0xe00), BIT(4));
	model_poke(r->m, 0, msr(0xc00), EN_ALL);
}

/* Beside an equal machine on which uncored does not run, at every moment: the others' counters show
 * the same. */
static void others_count_on(void **state)
{
	static const uint32_t theirs[] = { 0xdfb, 0xc37, 0xe19 };
	struct rig r, twin;
	struct run u;

	(void)state;
	rig_open(&r, 1, "bursty", 4);
	rig_open(&twin, 1, "bursty", 4);
	r.latency = 1300;
	set_up_others(&r);
	set_up_others(&twin);
	remember(&r);
	run_open(&u, &r, TURNS, NULL);
	run_start(&u);
	for (unsigned tick = 0; tick <= 31; tick++) {
		if (tick == 30)
			run_stop(&u);
		else if (tick == 31)
			run_restore(&u, NULL);
		else
			run_ticks(&u, 1, 0);
		rig_advance(&r, 1000);
		rig_advance(&twin, model_now(r.m) - model_now(twin.m));
		for (size_t k = 0; k < COUNT(theirs); k++) {
			assert_true(model_counting(r.m, 0, msr(theirs[k])));
			same_u64(model_peek(r.m, 0, msr(theirs[k])),
				 model_peek(twin.m, 0, msr(theirs[k])), "count", __LINE__);
			assert_true(model_truth(r.m, 0, msr(theirs[k])) > 0);
		}
	}
	as_remembered(&r, __LINE__);
	run_close(&u);
	rig_close(&r);
	rig_close(&twin);
}

/* Somebody began to count while we ran, under our en_all: it stays on for him. */
static void who_came_later_keeps_counting(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 4);
	remember(&r);
	run_open(&u, &r, TURNS, NULL);
	run_start(&u);
	run_ticks(&u, 3, 0);
	assert_int_equal(model_write(r.m, 0, msr(0xdfa), 0x400714), 0);
	assert_int_equal(model_write(r.m, 0, msr(0xde0), BIT(5)), 0);
	run_ticks(&u, 3, 0);
	run_stop(&u);
	run_restore(&u, NULL);
	assert_true(model_counting(r.m, 0, msr(0xdfb)));
	assert_int_equal(model_write(r.m, 0, msr(0xdfa), 0), 0);
	assert_int_equal(model_write(r.m, 0, msr(0xde0), 0), 0);
	assert_int_equal(model_write(r.m, 0, msr(0xc00), 0), 0);
	as_remembered(&r, __LINE__);
	run_close(&u);
	rig_close(&r);
}

/* ------------------------------------------------------------------ kill -9 */

static char dir[64];

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "%s/uncored-test-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void save_state(struct run *u)
{
	struct options o = { .run = dir, .dev = "/dev" };
	struct generation_socket s[RIG_SOCKETS] = { 0 };
	struct generation g = { .plan = u->plan, .sockets = s };

	for (unsigned i = 0; i < u->rig->n_sockets; i++)
		s[i].engines.regs = u->s[i].engine;
	assert_int_equal(restore_save(&o, &(struct machine){ 0 }, &g, NULL, NULL), 0);
}

/* What the next start does. */
static void restore_from_state(struct rig *r)
{
	struct diags left = { 0 };
	struct plan_program of;
	struct state *st = NULL;

	assert_int_equal(plan_program_begin(r->cpu, &of), 0);
	assert_int_equal(state_read(dir, &st, NULL), 0);
	assert_non_null(st);
	assert_int_equal(st->n_sockets, r->n_sockets);
	for (unsigned i = 0; i < st->n_sockets; i++) {
		struct regio *io = rig_io_new(r, st->sockets[i].socket, NULL);

		assert_int_equal(state_restore_socket(st, i, &of, io, &left), 0);
		regio_free(io);
	}
	assert_int_equal(left.n, 0);
	diags_done(&left);
	plan_program_done(&of);
	state_free(st);
	assert_int_equal(state_remove(dir), 0);
}

static void die_at_nth_write(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	unsigned *left = r->hook_arg;

	(void)socket;
	(void)reg;
	if (!write)
		return;
	if (*left == 0)
		r->dead = true;
	else
		*left -= 1;
}

/* Killed before any write that the run makes, first to last. */
static void killed_at_any_write(const char *conf, unsigned step, uint64_t seed)
{
	unsigned deaths = 0;
	bool survived = false;

	for (unsigned n = 0; !survived; n += step) {
		struct err err = { "" };
		unsigned left = n;
		struct rig r;
		struct run u;

		rig_open(&r, 2, "stream", 1);
		if (seed)
			litter(&r, seed + n);
		remember(&r);
		run_open(&u, &r, conf, NULL);
		save_state(&u);
		r.hook = die_at_nth_write;
		r.hook_arg = &left;
		if (run_try_start(&u, &err) == 0) {
			run_ticks(&u, 3, 0);
			run_stop(&u);
		}
		r.hook = NULL;
		survived = !r.dead;
		deaths += r.dead;
		run_close(&u);
		r.dead = false;
		restore_from_state(&r);
		as_remembered(&r, __LINE__);
		count_as_remembered(&r, conf, __LINE__);
		rig_close(&r);
	}
	assert_true(deaths >= 3);
}

static void killed(void **state)
{
	(void)state;
	killed_at_any_write(RIG_ALL(SECOND), rig_long() ? 1 : 89, 0);
	killed_at_any_write(RIG_ALL(SECOND), rig_long() ? 1 : 97, 1000);
	killed_at_any_write(TURNS, rig_long() ? 1 : 5, 0);
	killed_at_any_write(TURNS, rig_long() ? 1 : 7, 2000);
	killed_at_any_write(WINDOWS, rig_long() ? 1 : 3, 0);
	killed_at_any_write(WINDOWS, rig_long() ? 1 : 4, 3000);
}

/* ------------------------------------------------------------------ reload */

static struct ring rings_of[2][RIG_SOCKETS];

static void gather_rings(const struct run *u, struct ring to[RIG_SOCKETS])
{
	for (unsigned i = 0; i < u->rig->n_sockets; i++)
		to[i] = u->s[i].ring;
}

static void *desc_new(const struct run *u, const struct expo_offsets *carry, size_t *ret_len)
{
	static const struct expo_identity id = { .version = "1", .revision = "", .engine = "model",
						 .engine_note = "",
						 .processor = "nehalem-ex", .workload = "stream" };
	void *desc;

	assert_int_equal(expo_describe(u->plan, &id, carry, &desc, ret_len, NULL), 0);
	return desc;
}

/* The number after `series` in the page; fails if it is not there. */
static uint64_t exposed(const void *desc, size_t len, const struct ring *rings, const char *series)
{
	static uint64_t daemon_mem[8 + 4 * (D_VALUES + 8)];
	struct expo_renderer *renderer;
	struct expo_body *body;
	struct ring daemon;
	const char *at;
	uint64_t v;

	memset(daemon_mem, 0, sizeof(daemon_mem));
	ring_init(&daemon, daemon_mem, D_VALUES);
	assert_int_equal(expo_renderer_new(desc, len, rings, &daemon, NULL, &renderer, NULL), 0);
	body = expo_render(renderer, EXPO_TEXT, 0);
	assert_non_null(body);
	at = memmem(body->bytes, body->n, series, strlen(series));
	if (!at)
		print_error("no %s\n", series);
	assert_non_null(at);
	v = strtoull(at + strlen(series), NULL, 10);
	expo_body_unref(body);
	expo_renderer_free(renderer);
	return v;
}

#define KEPT_GROUP \
	"{ name = \"kept\"; events = [ \"bbox/IMT_INSERTS_ALL\", \"rbox/FLITS_SENT,port=1\" ]; }"

/* One group stays, one goes, one comes; thrice, so that what was carried is carried on. */
static void totals_go_on_over_reloads(void **state)
{
	static const char *const confs[] = {
		SECOND "groups = ( " KEPT_GROUP
		", { name = \"gone\"; events = [ \"cbox0/MAF_ACK\" ]; } );",
		SECOND "groups = ( { name = \"new\"; events = [ \"cbox0/LLC_HITS:M\" ]; }, "
		KEPT_GROUP " );",
		"interval = \"500ms\"; groups = ( " KEPT_GROUP " );",
		SECOND "groups = ( " KEPT_GROUP
		", { name = \"gone\"; events = [ \"cbox0/MAF_ACK\" ]; } );",
	};
	static const char inserts[] =
		"uncore_bbox_imt_inserts_all_total{socket=\"1\",unit=\"0\"} ";
	static const char maf[] =
		"uncore_cbox_maf_ack_total{socket=\"1\",unit=\"0\"} ";
	uint64_t kept0, gone0;
	void *desc = NULL;
	size_t len = 0;
	struct run u[2];
	struct rig r;

	(void)state;
	rig_open(&r, 2, "bursty", 8);
	litter(&r, 5);
	r.latency = 1000;
	remember(&r);
	kept0 = model_truth(r.m, 1, msr(0xc33));
	for (unsigned k = 0; k < COUNT(confs); k++) {
		struct run *now = &u[k % 2], *old = k ? &u[(k + 1) % 2] : NULL;
		struct ring *rings = rings_of[k % 2];
		struct expo_offsets *carry = NULL;

		/* As the daemon does: look, stop the old, carry over, restore what is no longer
		 * used, start. */
		run_open(now, &r, confs[k], old);
		if (old) {
			rig_advance(&r, NSEC_PER_SEC / 3);
			run_stop(old);
			carry = expo_offsets_new(desc, len, rings_of[(k + 1) % 2]);
			assert_non_null(carry);
			free(desc);
		}
		gather_rings(now, rings);
		desc = desc_new(now, carry, &len);
		expo_offsets_free(carry);
		if (old)
			run_restore(old, now);
		gone0 = model_truth(r.m, 1, msr(0xd11));
		run_start(now);
		if (old)
			run_close(old);
		/* a published total and the truth can be compared at one moment only if it
		 * stands */
		r.latency = 0;
		run_ticks(now, 5, 0);
		same_u64(exposed(desc, len, rings, inserts),
			 model_truth(r.m, 1, msr(0xc33)) - kept0, "kept", __LINE__);
		same_u64(exposed(desc, len, rings, "uncored_samples_total{socket=\"0\"} "),
			 (k + 1) * (1 + 5), "ticks", __LINE__);
		if (k % 3 == 0)         /* it was gone for a time: it begins again at 0 */
			same_u64(exposed(desc, len, rings, maf),
				 model_truth(r.m, 1, msr(0xd11)) - gone0, "gone", __LINE__);
		r.latency = 1000;
	}
	run_stop(&u[1]);
	run_restore(&u[1], NULL);
	as_remembered(&r, __LINE__);
	run_close(&u[1]);
	free(desc);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_as_found),
		cmocka_unit_test(taken_over_and_given_back),
		cmocka_unit_test(reset_bit_found_set),
		cmocka_unit_test(others_count_on),
		cmocka_unit_test(who_came_later_keeps_counting),
		cmocka_unit_test(killed),
		cmocka_unit_test(totals_go_on_over_reloads),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
