/* SPDX-License-Identifier: MIT
 * What the plan tests share: a plan from a piece of configuration.
 *
 * Owns:  building and looking into plans.
 * Never: expected values.
 */
#ifndef PLAN_TEST_H
#define PLAN_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/plan_build.h"

#include "../unit/conf_parse.h"

#include <stdio.h>
#include <string.h>

struct made {
	int r;
	struct plan *p;
	struct diags d;
};

/* A plan of `text`, a configuration file named t.conf; NULL: the defaults. */
static inline struct made make(const char *text, const char *processor, unsigned sockets,
			       const struct topo_pmus *pmus,
			       bool perf_engine)
{
	struct topo *t = topo_model(6, 0x2e, sockets, 8);
	struct made m = { 0 };
	struct conf *c = NULL;

	if (!text)
		c = conf_default();
	else
		m.r = conf_parse("t.conf", text, strlen(text), &c, &m.d);
	if (m.r == 0) {
		struct plan_input in = { .conf = c, .processor = processor
					 ? cat_processor_by_name(processor) : NULL, .topo = t,
					 .pmus = pmus, .perf_engine = perf_engine };

		m.r = plan_build(&in, &m.p, &m.d);
		conf_free(c);           /* the plan must not need them any more */
	}
	topo_free(t);
	return m;
}

/* A plan of `text`, NULL: the defaults, with all of `in` but the configuration. */
static inline struct made make_with(const char *text, struct plan_input in)
{
	struct conf *c = NULL;
	struct made m = { 0 };

	if (text)
		m.r = conf_parse("t.conf", text, strlen(text), &c, &m.d);
	else
		c = conf_default();
	if (m.r == 0) {
		in.conf = c;
		m.r = plan_build(&in, &m.p, &m.d);
		conf_free(c);
	}
	return m;
}

/* The same for the kernel's PMUs of a machine. */
static inline struct made make_for_kernel(const char *text, const struct topo *topo,
					  const struct topo_pmus *pmus)
{
	return make_with(text, (struct plan_input){ .topo = topo, .pmus = pmus,
						    .perf_engine = true });
}

/* Names of the groups of the first socket's rounds: "a b|a c". Until the next call. */
static inline const char *rounds_text(const struct plan *p)
{
	static char text[1024];
	const struct plan_socket *s = &p->sockets[0];

	text[0] = '\0';
	for (unsigned r = 0; r < s->n_rounds; r++) {
		const char *before = r ? "|" : "";

		for (unsigned i = 0; i < s->rounds[r].n_groups; i++) {
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", before,
				 s->groups[s->rounds[r].groups[i]].name);
			before = " ";
		}
	}
	return text;
}

static inline void add_inputs(const struct cat_term *t, char *list, size_t size)
{
	for (; t && t->spec; t++)
		if (strchr(t->spec, '/') && !strstr(list, t->spec))
			snprintf(list + strlen(list), size - strlen(list), "%s\"%s\"",
				 list[strlen(list) - 1] == '"' ? ", " : "",
				 t->spec);
}

/* A configuration with one group: the events that a metric is made of, each once. */
static inline const char *group_of_inputs(const struct cat_metric *m, char *buf, size_t size)
{
	snprintf(buf, size, "groups = ( { name = \"g\"; events = [ ");
	add_inputs(m->num, buf, size);
	add_inputs(m->den, buf, size);
	if (m->cycles_of)
		add_inputs((const struct cat_term[]){ { .spec = m->cycles_of }, { .spec = NULL } },
			   buf, size);
	snprintf(buf + strlen(buf), size - strlen(buf), " ]; } );");
	return buf;
}

static inline void made_done(struct made *m)
{
	plan_free(m->p);
	diags_done(&m->d);
}

static inline struct made make_nhmex(const char *text)
{
	struct made m = make(text, "nehalem-ex", 1, NULL, false);

	for (size_t i = 0; m.r < 0 && i < m.d.n; i++)
		print_message("%s\n", m.d.v[i]);
	assert_int_equal(m.r, 0);
	return m;
}

/* One mistake, exactly this. */
static inline void refuse_on(const char *processor, const char *text, const char *sentence)
{
	struct made m = make(text, processor, 1, NULL, false);

	assert_int_not_equal(m.r, 0);
	assert_int_equal(m.d.n, 1);
	assert_string_equal(m.d.v[0], sentence);
	assert_null(m.p);
	made_done(&m);
}

static inline void refuse(const char *text, const char *sentence)
{
	refuse_on("nehalem-ex", text, sentence);
}

/* The slot with this identity; fails if there is none. */
static inline const struct plan_slot *slot_of(const struct plan *p, unsigned round,
					      const char *identity)
{
	const struct plan_round *r = &p->sockets[0].rounds[round];

	for (unsigned i = 0; i < r->n_slots; i++)
		if (strcmp(r->slots[i].identity, identity) == 0)
			return &r->slots[i];
	print_message("no slot %s\n", identity);
	for (unsigned i = 0; i < r->n_slots; i++)
		print_message("  %s\n", r->slots[i].identity);
	fail();
	return NULL;
}

/* A write of a start, and what its register's row says of it. */
struct reg_write {
	unsigned index;             /* in the start */
	struct reg reg;
	const char *name;
	unsigned phase;
	uint64_t value, mask;
	uint64_t check;             /* bits that are compared once all is written */
	uint64_t enable;            /* of a control */
};

/* The returned write stands until 32 more were asked for. */
static inline const struct reg_write *write_nth(const struct plan *p, unsigned round, unsigned i)
{
	static struct reg_write ring[32];
	static unsigned next;
	const struct plan_program *g = p->sockets[0].program;
	const struct plan_list *l = &g->rounds[round].start;
	const struct plan_reg *r = &g->regs[l->v[i].reg];
	struct reg_write *w = &ring[next++ % 32];

	*w = (struct reg_write){ .index = i, .reg = r->reg, .name = r->name, .phase = l->v[i].phase,
				 .value = l->v[i].value,
				 .mask = l->v[i].mask, .check = r->check & l->v[i].mask };
	if (r->kind == REG_CONTROL)
		w->enable = g->counters[r->counter].ctl_enable;
	for (unsigned k = i + 1; k < l->n; k++)
		w->check &= l->v[k].reg == l->v[i].reg ? ~l->v[k].mask : ~UINT64_C(0);
	return w;
}

/* The write to a register in a phase; NULL: none. */
static inline const struct reg_write *write_at(const struct plan *p, unsigned round,
					       enum plan_phase phase, struct reg reg)
{
	const struct plan_program *g = p->sockets[0].program;
	const struct plan_list *l = &g->rounds[round].start;

	for (unsigned i = 0; i < l->n; i++)
		if (l->v[i].phase == phase && reg_equal(g->regs[l->v[i].reg].reg, reg))
			return write_nth(p, round, i);
	return NULL;
}

/* The same of an MSR. */
static inline const struct reg_write *write_of(const struct plan *p, unsigned round,
					       enum plan_phase phase, uint32_t off)
{
	return write_at(p, round, phase,
			(struct reg){ .space = SPACE_MSR, .bytes = 8, .off = off });
}

/* A register by its row; of no counter: none. */
static inline struct reg reg_at(const struct plan_program *g, uint16_t row)
{
	return row == PLAN_NONE ? (struct reg){ 0 } : g->regs[row].reg;
}

/* How often a metric with these labels appears in socket 0; *ret (may be NULL) is the last. */
static inline unsigned metrics_of(const struct plan *p, const char *name, const char *labels,
				  const struct plan_metric **ret)
{
	const struct plan_socket *s = &p->sockets[0];
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_metrics; i++)
		if (strcmp(s->metrics[i].name, name) == 0 &&
		    (!labels || strcmp(labels_text(p->arena, s->metrics[i].labels), labels) == 0)) {
			if (ret)
				*ret = &s->metrics[i];
			n++;
		}
	return n;
}

#endif
