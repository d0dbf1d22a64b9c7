/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include "../unit/conf_parse.h"
#include "daemon/generation.h"
#include "planner/restoring.h"
#include "topo/topo.h"

enum { CORES = 8 };

bool rig_long(void)
{
	return getenv("UNCORED_TEST_LONG") != NULL;
}

uint64_t rig_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void same_u64(uint64_t is, uint64_t want, const char *what, int line)
{
	if (is == want)
		return;
	print_error("line %d: %s: is %" PRIu64 ", truth %" PRIu64 ", difference %" PRId64 "\n",
		    line, what, is, want,
		    (int64_t)(is - want));
	fail();
}

/* ------------------------------------------------------------------ the machine */

static nsec clock_mono(void *p)
{
	return model_now(((struct rig *)p)->m);
}

static nsec clock_wall(void *p)
{
	return model_now(((struct rig *)p)->m) + 1000000 * NSEC_PER_SEC;
}

struct reg msr(uint32_t off)
{
	return (struct reg){ .space = SPACE_MSR, .bytes = 8, .off = off };
}

static void machine_make(struct rig *r, const struct model_options *o)
{
	*r = (struct rig){ .n_sockets = o->n_sockets, .cpu = cat_processor_by_name(o->processor),
			   .clock = { .mono = clock_mono, .wall = clock_wall, .p = r } };
	assert_non_null(r->cpu);
	r->topo = topo_model(r->cpu->ids[0].family, r->cpu->ids[0].model, o->n_sockets, o->cores);
	assert_non_null(r->topo);
	assert_int_equal(model_new(o, &r->m, NULL), 0);
}

void rig_open_as(struct rig *r, const char *processor, unsigned n_sockets, const char *workload,
		 uint64_t seed)
{
	machine_make(r, &(struct model_options){ .processor = processor, .workload = workload,
						 .n_sockets = n_sockets,
						 .cores = CORES, .seed = seed });
}

void rig_open(struct rig *r, unsigned n_sockets, const char *workload, uint64_t seed)
{
	rig_open_as(r, "nehalem-ex", n_sockets, workload, seed);
}

void rig_open_real(struct rig *r, unsigned n_sockets)
{
	machine_make(r, &(struct model_options){ .processor = "nehalem-ex", .n_sockets = n_sockets,
						 .cores = CORES,
						 .real_time = true });
	r->clock = generation_clock;
}

void rig_close(struct rig *r)
{
	model_free(r->m);
	topo_free(r->topo);
}

void rig_advance(struct rig *r, nsec by)
{
	model_advance(r->m, by);
}

void rig_no_violation(struct rig *r)
{
	char last[128] = "";

	if (model_violations(r->m, last, sizeof(last))) {
		print_error("the model saw a violation: %s\n", last);
		fail();
	}
}

static struct reg nth_register(unsigned i)
{
	return msr(i < 0x2a0 ? 0xc00 + i : 0x394 + (i - 0x2a0));
}

static bool is_count_or_stamp(struct rig *r, struct reg reg)
{
	struct reg v[128];
	size_t n = model_counters(r->m, v, COUNT(v));

	for (size_t i = 0; i < n; i++)
		if (reg_equal(v[i], reg))
			return true;
	return reg.off == 0xca4 || reg.off == 0xce4;            /* M-Box timestamps run */
}

void rig_peek_all(struct rig *r, unsigned socket, uint64_t values[RIG_REGS])
{
	for (unsigned i = 0; i < RIG_REGS; i++)
		values[i] = is_count_or_stamp(r, nth_register(i)) ? 0
			: model_peek(r->m, socket, nth_register(i));
}

void rig_same(const uint64_t a[RIG_REGS], const uint64_t b[RIG_REGS], int line)
{
	bool good = true;

	for (unsigned i = 0; i < RIG_REGS; i++)
		if (a[i] != b[i]) {
			print_error("line %d: register 0x%x was 0x%" PRIx64 ", is 0x%"
				    PRIx64 "\n", line,
				    nth_register(i).off, a[i], b[i]);
			good = false;
		}
	assert_true(good);
}

/* ------------------------------------------------------- its registers, as uncored reaches them */

struct rig_io {
	struct regio base;
	struct rig *rig;
	unsigned socket;
};

static bool reaches(struct rig_io *io, struct reg reg, bool write)
{
	if (io->rig->latency)
		model_advance(io->rig->m, io->rig->latency);
	if (io->rig->hook)
		io->rig->hook(io->rig, io->socket, reg, write);
	return !io->rig->dead;
}

static int io_read(struct regio *base, struct reg reg, uint64_t *ret)
{
	struct rig_io *io = (struct rig_io *)base;

	int r = io->rig->fails ? io->rig->fails(io->rig, false) : 0;

	if (r < 0)
		return r;
	return reaches(io, reg, false) ? model_read(io->rig->m, io->socket, reg, ret) : -ENXIO;
}

static int io_write(struct regio *base, struct reg reg, uint64_t value)
{
	struct rig_io *io = (struct rig_io *)base;

	int r = io->rig->fails ? io->rig->fails(io->rig, true) : 0;

	if (r < 0)
		return r;
	return reaches(io, reg, true) ? model_write(io->rig->m, io->socket, reg, value) : -ENXIO;
}

static int io_move(struct regio *base)
{
	(void)base;
	return -ENXIO;
}

static int io_cpu(const struct regio *base)
{
	(void)base;
	return -1;
}

static void io_free(struct regio *base)
{
	free((struct rig_io *)base);
}

static const struct regio_ops io_ops = { io_read, io_write, io_move, io_cpu, io_free };

struct regio *rig_io_new(struct rig *r, unsigned socket, const struct plan_program *names)
{
	struct rig_io *io = calloc(1, sizeof(*io));
	struct regio *trace;

	assert_non_null(io);
	*io = (struct rig_io){ .base.ops = &io_ops, .rig = r, .socket = socket };
	if (!r->trace)
		return &io->base;
	assert_int_equal(regio_trace_new(&io->base, r->trace, socket, names, &trace), 0);
	return trace;
}

/* ------------------------------------------------------------------ a run */

static void show(struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		print_error("%s\n", d->v[i]);
	diags_done(d);
}

static void find_slots(struct run *u, unsigned socket)
{
	const struct plan_socket *p = &u->plan->sockets[socket];
	struct run_socket *s = &u->s[socket];

	for (unsigned r = 0; r < p->n_rounds; r++)
		s->n_slots += p->rounds[r].n_slots;
	s->slots = calloc(s->n_slots, sizeof(*s->slots));
	assert_non_null(s->slots);
	for (unsigned r = 0, k = 0; r < p->n_rounds; r++)
		for (unsigned i = 0; i < p->rounds[r].n_slots; i++) {
			struct slot *slot = &s->slots[k++];

			slot->word = p->rounds[r].slots[i].series;
			slot->round = r;
			slot->plan = &p->rounds[r].slots[i];
			slot->regs = &p->program->rounds[r].slots[slot->plan->engine_slot];
			slot->data = slot->regs->data;
			slot->ctl =
				p->program->regs[p->program->counters[slot->regs->counter].ctl].reg;
		}
}

/* What a state file of this run would name, the next start must take for ours. */
static void owned_only(const struct rig *r, const struct counting *c)
{
	unsigned n;
	const struct saved_reg *saved = counting_regs_saved(c, &n);

	for (unsigned i = 0; i < n; i++) {
		uint64_t owned = plan_owned(r->cpu, saved[i].r.reg),
			bits = saved[i].r.mask | saved[i].r.resume;

		if (!owned || (bits & ~owned))
			fail_msg("%s: 0x%llx of 0x%llx", reg_text(saved[i].r.reg).s,
				 (unsigned long long)bits, (unsigned long long)owned);
	}
}

int run_try_open(struct run *u, struct rig *r, const char *conf, const struct run *old,
		 struct err *err)
{
	struct counting_regs_options co;
	struct plan_input in = { .processor = r->cpu, .topo = r->topo };
	struct diags d = { 0 };
	int rc = 0;

	*u = (struct run){ .rig = r };
	if (conf_parse("test.conf", conf, strlen(conf), &u->conf, &d) < 0) {
		show(&d);
		fail();
	}
	in.conf = u->conf;
	if (plan_build(&in, &u->plan, &d) < 0) {
		show(&d);
		fail();
	}
	diags_done(&d);
	co = (struct counting_regs_options){ .takeover = u->conf->takeover };
	for (unsigned i = 0; i < r->n_sockets; i++) {
		struct run_socket *s = &u->s[i];

		s->layout = layout_of(&u->plan->sockets[i]);
		s->words = calloc(s->layout.n_words, sizeof(*s->words));
		s->mem = aligned_alloc(64, ring_bytes(s->layout.n_words));
		assert_true(s->words && s->mem);
		memset(s->mem, 0, ring_bytes(s->layout.n_words));
		ring_init(&s->ring, s->mem, s->layout.n_words);
		find_slots(u, i);
		if (rc == 0)
			rc = counting_regs_new(u->plan->sockets[i].program,
					       rig_io_new(r, i, u->plan->sockets[i].program), &co,
					       old ? old->s[i].engine : NULL, &s->engine, err);
		if (rc == 0)
			owned_only(r, s->engine);
	}
	return rc;
}

void run_open(struct run *u, struct rig *r, const char *conf, const struct run *old)
{
	struct err err = { "" };

	if (run_try_open(u, r, conf, old, &err) < 0) {
		print_error("%s\n", err.text);
		fail();
	}
}

struct sampler_options run_options(struct run *u, unsigned socket)
{
	struct run_socket *s = &u->s[socket];

	return (struct sampler_options){ .plan = u->plan, .socket = socket, .regs = s->engine,
					 .ring = &s->ring,
					 .clock = u->rig->clock, .freeze = u->conf->freeze,
					 .seed = u->rig->seed_of_turns };
}

void run_begin_truth(struct run *u)
{
	for (unsigned i = 0; i < u->rig->n_sockets; i++)
		for (unsigned k = 0; k < u->s[i].n_slots; k++)
			u->s[i].slots[k].truth0 = model_truth(u->rig->m, i, u->s[i].slots[k].data);
}

int run_try_start(struct run *u, struct err *err)
{
	int rc = 0;

	run_begin_truth(u);
	for (unsigned i = 0; i < u->rig->n_sockets && rc == 0; i++) {
		struct run_socket *s = &u->s[i];
		struct sampler_options o = run_options(u, i);

		rc = sampler_new(&o, &s->sampler, err);
		if (rc == 0 && u->before)
			sampler_inherit(s->sampler, u->before->s[i].sampler);
		if (rc == 0)
			rc = sampler_start(s->sampler, err);
	}
	run_read_words(u);
	return rc;
}

void run_start(struct run *u)
{
	struct err err = { "" };

	if (run_try_start(u, &err) < 0) {
		print_error("%s\n", err.text);
		fail();
	}
}

void run_read_words(struct run *u)
{
	for (unsigned i = 0; i < u->rig->n_sockets; i++)
		ring_read(&u->s[i].ring, u->s[i].words);
}

void run_tick(struct run *u)
{
	for (unsigned i = 0; i < u->rig->n_sockets; i++)
		sampler_tick(u->s[i].sampler);
	run_read_words(u);
}

void run_ticks(struct run *u, unsigned n, nsec step)
{
	for (unsigned k = 0; k < n; k++) {
		nsec by = step ? step : sampler_next(u->s[0].sampler) - model_now(u->rig->m);

		rig_advance(u->rig, by > 0 ? by : 0);
		run_tick(u);
	}
}

void run_stop(struct run *u)
{
	for (unsigned i = 0; i < u->rig->n_sockets; i++)
		if (u->s[i].sampler)
			sampler_stop(u->s[i].sampler);
	run_read_words(u);
}

void run_restore(struct run *u, const struct run *keep)
{
	struct diags left = { 0 };

	for (unsigned i = 0; i < u->rig->n_sockets; i++)
		assert_int_equal(counting_regs_restore(u->s[i].engine,
						       keep ? keep->s[i].engine : NULL, &left), 0);
	show(&left);
}

void run_close(struct run *u)
{
	for (unsigned i = 0; i < u->rig->n_sockets; i++) {
		struct run_socket *s = &u->s[i];

		sampler_free(s->sampler);
		if (s->engine)
			s->engine->ops->free(s->engine);
		free(s->mem);
		free(s->words);
		free(s->slots);
	}
	plan_free(u->plan);
	conf_free(u->conf);
}

/* ------------------------------------------------------------------ what came out */

struct slot *run_slot(struct run *u, unsigned socket, const char *identity)
{
	struct run_socket *s = &u->s[socket];

	for (unsigned i = 0; i < s->n_slots; i++)
		if (strcmp(s->slots[i].plan->identity, identity) == 0)
			return &s->slots[i];
	print_error("no slot %s\n", identity);
	fail();
	return NULL;
}

uint64_t slot_total(const struct run *u, unsigned socket, const struct slot *s)
{
	return u->s[socket].words[u->s[socket].layout.slot_total + s->word];
}

uint64_t counter_total(const struct run *u, unsigned socket, const struct slot *s)
{
	const struct run_socket *on = &u->s[socket];
	uint64_t sum = 0;

	for (unsigned i = 0; i < on->n_slots; i++) {
		bool first = reg_equal(on->slots[i].data, s->data);

		for (unsigned k = 0; first && k < i; k++)       /* a series counts once */
			first = on->slots[k].word != on->slots[i].word;
		if (first)
			sum += slot_total(u, socket, &on->slots[i]);
	}
	return sum;
}

enum reason slot_reason(const struct run *u, unsigned socket, const struct slot *s)
{
	return (enum reason)u->s[socket].words[u->s[socket].layout.slot_reason + s->word];
}

uint64_t slot_truth(const struct run *u, unsigned socket, const struct slot *s)
{
	return model_truth(u->rig->m, socket, s->data) - s->truth0;
}

void run_exact(struct run *u, int line, const char *const *skip)
{
	for (unsigned i = 0; i < u->rig->n_sockets; i++)
		for (unsigned k = 0; k < u->s[i].n_slots; k++) {
			const struct slot *s = &u->s[i].slots[k];
			bool skipped = false;

			for (unsigned j = 0; skip && skip[j]; j++)
				skipped |= strcmp(skip[j], s->plan->identity) == 0;
			if (skipped)
				continue;
			if (slot_reason(u, i, s)) {
				print_error("line %d: socket %u %s is flagged %s\n", line, i,
					    s->plan->identity,
					    reason_name(slot_reason(u, i, s)));
				fail();
			}
			same_u64(slot_total(u, i, s), slot_truth(u, i, s), s->plan->identity, line);
		}
}
