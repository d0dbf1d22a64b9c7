/* SPDX-License-Identifier: MIT
 * The register engine on the register model, through the planner: exact to the last count, and no
 * trace left.
 * The model decodes control words by its own tables and keeps the truth of every counter.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "access/counting.h"
#include "../model/inspect.h"
#include "conf_parse.h"
#include "planner/plan_build.h"

#include <stdlib.h>
#include <string.h>

/* Every box, a write enable, shared sub-controls; two groups that must take turns (B-Box counter 1,
 * S-Box match). */
static const char conf_text[] =
	"groups = ("
	" { name = \"a\"; events = [ \"bbox/IMT_VALID_OCCUPANCY\", \"bbox/IMT_INSERTS_ALL\", "
	"\"cbox/LLC_HITS:ALL\","
	"     \"sbox/TO_R_PROG_EV,match=0x200000000000,mask=0x7fffffffff\", "
	"\"rbox/FLITS_SENT,port=0\","
	"     \"rbox/NULL_IDLE,port=0\", \"wbox/CLOCKTICKS\", \"ubox/CORRECTED_ERR\", "
	"\"mbox/CYCLES\" ]; },"
	" { name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\","
	"     \"sbox/TO_R_PROG_EV,match=0x100000000000,mask=0x7fffffffff\" ]; } );";

#define SOCKET 1
#define SLOTS 64

static struct conf *conf;
static struct topo *topo;
static struct plan *plan;
static struct model *model;
static struct counting *c;
static const struct plan_program *prog;

static int set_up(void **state)
{
	struct model_options o = { .processor = "nehalem-ex", .n_sockets = 2,
				   .cores = 8, .seed = 1 };
	struct plan_input in = { .processor = cat_processor_by_name("nehalem-ex") };
	struct counting_regs_options co = { .takeover = false };
	struct diags d = { 0 };
	struct regio *io;
	struct err err;

	(void)state;
	assert_int_equal(conf_parse("test", conf_text, strlen(conf_text), &conf, &d), 0);
	topo = topo_model(6, 46, 2, 8);
	in.conf = conf;
	in.topo = topo;
	assert_int_equal(plan_build(&in, &plan, &d), 0);
	prog = plan->sockets[SOCKET].program;
	assert_int_equal(prog->n_rounds, 2);
	assert_int_equal(prog->n_counters, 98);         /* 784 on 8 sockets */
	assert_int_equal(model_new(&o, &model, &err), 0);
	assert_int_equal(regio_model_new(model, SOCKET, &io), 0);
	assert_int_equal(regio_cpu(io), -1);
	assert_int_equal(regio_move(io), -ENXIO);
	assert_int_equal(counting_regs_new(prog, io, &co, NULL, &c, &err), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	c->ops->free(c);
	model_free(model);
	plan_free(plan);
	topo_free(topo);
	conf_free(conf);
	return 0;
}

/* Events counted between the base and the read after the stop, against the truth. */
static void turn(unsigned round, unsigned *ret_moved)
{
	const struct plan_reg_round *rd = &prog->rounds[round];
	uint64_t base[SLOTS], raw[SLOTS], truth[SLOTS];
	uint8_t reason[SLOTS] = { 0 };
	struct err err;

	assert_true(rd->n_slots <= SLOTS);
	for (unsigned i = 0; i < rd->n_slots; i++)
		truth[i] = model_truth(model, SOCKET, rd->slots[i].data);
	assert_int_equal(c->ops->start(c, round, base, reason, &err), 0);
	model_advance(model, NSEC_PER_SEC / 7);
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_int_equal(c->ops->check(c, reason), 0);
	model_advance(model, NSEC_PER_SEC / 7);
	assert_int_equal(c->ops->stop(c), 0);
	model_advance(model, NSEC_PER_SEC / 7);         /* nothing counts any more */
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_int_equal(c->ops->check(c, reason), 0);
	for (unsigned i = 0; i < rd->n_slots; i++) {
		uint64_t delta = (raw[i] - base[i]) & (BIT(48) - 1);

		assert_int_equal(reason[i], REASON_NONE);
		assert_true(delta == model_truth(model, SOCKET, rd->slots[i].data) - truth[i]);
		*ret_moved += delta > 0;
	}
}

static void exact_over_turns_and_wraps(void **state)
{
	char text[256] = "";
	unsigned moved = 0;

	(void)state;
	/* a wrap in the first turn of each */
	for (unsigned r = 0; r < 2; r++)
		for (unsigned i = 0; i < prog->rounds[r].n_slots; i++)
			model_poke(model, SOCKET, prog->rounds[r].slots[i].data, BIT(48) - 100);
	for (unsigned i = 0; i < 6; i++)
		turn(i % 2, &moved);
	assert_true(moved > 3 * 20);
	if (model_violations(model, text, sizeof(text)) != 0)
		fail_msg("%s", text);
}

static void leaves_no_trace(void **state)
{
	struct diags left = { 0 };
	const struct saved_reg *s;
	uint64_t before[512];
	unsigned n, moved = 0;

	(void)state;
	s = counting_regs_saved(c, &n);
	assert_true(n <= 512);
	for (unsigned i = 0; i < n; i++)
		before[i] = model_peek(model, SOCKET, s[i].r.reg);
	turn(0, &moved);
	turn(1, &moved);
	assert_int_equal(counting_regs_restore(c, NULL, &left), 0);
	assert_int_equal(left.n, 0);
	for (unsigned i = 0; i < n; i++)
		if (model_peek(model, SOCKET, s[i].r.reg) != before[i])
			fail_msg("0x%x", s[i].r.reg.off);
	/* and not one register of the other socket was touched */
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(model_peek(model, 0, s[i].r.reg), before[i]);
}

static void lockdown(void **state)
{
	uint64_t base[SLOTS];
	uint8_t reason[SLOTS] = { 0 };
	struct err err;

	(void)state;
	model_fault(model, SOCKET, MODEL_WRITE_EPERM, (struct reg){ 0 }, true);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), -EPERM);
	assert_non_null(strstr(err.text, "lockdown"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(exact_over_turns_and_wraps), T(leaves_no_trace), T(lockdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
