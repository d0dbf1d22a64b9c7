/* SPDX-License-Identifier: MIT
 * Random plans of every family: what was merged is what every event wants. */
#include "plan_test.h"
#include "planner/restoring.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 8192 };

static size_t more(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static size_t more(char *to, const char *format, ...)
{
	size_t n = strlen(to);
	va_list ap;

	va_start(ap, format);
	n += (size_t)vsnprintf(to + n, TEXT - n, format, ap);
	va_end(ap);
	assert_true(n < TEXT);
	return n;
}

static const struct cat_event *random_event(const struct cat_box *b)
{
	const struct cat_event *e = NULL;

	for (unsigned i = (unsigned)random() % cat_event_count(b) + 1; i; i--)
		e = cat_event_next(b, e);
	return e;
}

/* The keys that it must have, and now and then one that it may have. */
static void add_keys(char *to, const struct cat_event *e, const struct cat_umask *u)
{
	for (unsigned i = 0; e->selector && i < e->selector->n_keys; i++) {
		const struct cat_key *k = &e->selector->keys[i];

		if (!(k->required || random() % 8 == 0) ||
		    (k->umask_bits && !(u && u->value & k->umask_bits)))
			continue;
		if (k->n_words)
			more(to, ",%s=%s,%s=64", k->name, k->words[0].name, k->words[0].needs[0]);
		else if (!strstr(to, k->name))
			more(to, ",%s=%llu", k->name,
			     (unsigned long long)((k->min | (random() & 1)) << k->shift));
	}
}

static void add_spec(char *to, const struct cat_processor *p)
{
	const struct cat_box *b = p->boxes[random() % p->n_boxes];
	const struct cat_event *e = random_event(b);
	const struct cat_umask *u = e->n_umasks ? &e->umasks[random() % e->n_umasks] : NULL;
	char spec[TEXT] = "";

	more(spec, "%s", b->name);
	if (random() % 2)
		more(spec, "%u", (unsigned)random() % b->n_units);
	more(spec, "/%s%s%s", e->name, u ? ":" : "", u ? u->name : "");
	if (b->port_key)
		more(spec, ",%s=%u", b->port_key, (unsigned)random() % b->n_ports);
	add_keys(spec, e, u);
	more(to, "\"%s\"", spec);
}

static bool depends(const struct plan_reg_slot *s, const struct reg_write *w)
{
	for (unsigned i = 0; i < s->n_dep; i++)
		if (s->dep[i].write == w->index)
			return true;
	return false;
}

/* Every slot finds in the merged writes what its event wants, and depends on those writes; no
 * counter serves two. */
static void check_round(const struct plan *p, unsigned round)
{
	const struct plan_reg_round *r = &p->sockets[0].program->rounds[round];
	uint64_t seen[4] = { 0 };

	for (unsigned i = 0; i < r->n_slots; i++) {
		const struct plan_slot *s = &p->sockets[0].rounds[round].slots[i];
		unsigned counter = s->counter < 0 ? 0 : (unsigned)s->counter, n,
			c = r->slots[i].counter;
		struct cat_field_value wants[CAT_FIELD_VALUES];
		const struct plan_program *g = p->sockets[0].program;
		const struct plan_counter *pc = &g->counters[c];
		const struct reg_write *w;
		uint64_t ctl;

		assert_true(!(seen[c / 64] >> c % 64 & 1));
		seen[c / 64] |= UINT64_C(1) << c % 64;
		n = cat_encode(s->selection, s->encoding, counter, &ctl, wants);
		for (unsigned k = 0; k < n; k++) {
			w = write_at(p, round, PHASE_SELECT, wants[k].reg);
			assert_non_null(w);
			assert_int_equal(w->mask & wants[k].mask, wants[k].mask);
			assert_int_equal(w->value & wants[k].mask, wants[k].value);
			assert_true(depends(&r->slots[i], w));
		}
		w = write_at(p, round, PHASE_ENABLE_COUNTER, reg_at(g, pc->ctl));
		assert_int_equal(w->value, ctl);
		assert_int_equal(w->value & pc->ctl_enable, pc->ctl_enable);
		assert_true(depends(&r->slots[i], w));
		if (pc->box_enable)
			assert_true(write_at(p, round, PHASE_ENABLE_BOX,
					     reg_at(g, pc->box))->value & pc->box_enable);
		if (pc->box_freeze) {           /* let go */
			w = write_at(p, round, PHASE_ENABLE_BOX, reg_at(g, pc->box));
			assert_true((w->mask & pc->box_freeze) == pc->box_freeze &&
				    !(w->value & pc->box_freeze));
			assert_true(depends(&r->slots[i], w));
		}
	}
}

/* Registers go back only within these bits. */
static void check_owned(const struct cat_processor *cpu, const struct plan *p, unsigned round)
{
	for (unsigned i = 0; i < p->sockets[0].program->rounds[round].start.n; i++) {
		const struct reg_write *w = write_nth(p, round, i);
		uint64_t owned = plan_owned(cpu, w->reg);

		if (!owned || (w->mask & ~owned))
			fail_msg("%s: 0x%llx of 0x%llx", w->name, (unsigned long long)w->mask,
				 (unsigned long long)owned);
	}
}

static void random_plans(const struct cat_processor *p)
{
	unsigned planned = 0, turns = 0;

	for (unsigned i = 0; i < 60; i++) {
		char text[TEXT] = "groups = (";
		struct made m;

		for (unsigned g = 0; g < 3; g++) {
			more(text, "%s{ name = \"%u\"; events = [", g ? "," : "", g);
			for (unsigned e = 0; e < 5; e++) {
				more(text, "%s", e ? "," : "");
				add_spec(text, p);
			}
			more(text, "]; }");
		}
		more(text, ");");
		m = make(text, p->name, 1, NULL, false);
		for (size_t k = 0; k < m.d.n; k++)
			assert_memory_equal(m.d.v[k], "t.conf:1: ", 10);
		if (m.r == 0) {
			planned++;
			turns += m.p->sockets[0].n_rounds > 1;
			for (unsigned r = 0; r < m.p->sockets[0].n_rounds; r++) {
				check_round(m.p, r);
				check_owned(p, m.p, r);
			}
		}
		made_done(&m);
	}
	print_message("%s: %u of 60, %u in turns\n", p->name, planned, turns);
	assert_true(planned > 5 && turns > 0);
}

static void test_random_plans(void **state)
{
	const char *env = getenv("SEED");
	unsigned seed = env ? (unsigned)atoi(env) : (unsigned)time(NULL) ^ (unsigned)getpid();

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (unsigned i = 0; i < cat_n_processors; i++)
		random_plans(cat_processors[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
