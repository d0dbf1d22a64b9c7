/* SPDX-License-Identifier: MIT
 * Every event and unit mask of the Xeon 7500 is programmed as
 * documented.
 * The expected values stand in nehalem_ex_events.tsv (its head names the sources); none of them was
 * read from the tables under test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ex.h"
#include "tsv.h"

enum { E_BOX, E_EVENT, E_UMASK, E_PORT, E_COUNTERS, E_CONTROL, E_NAME, E_ADDRESS, E_MASK, E_VALUE,
       E_MAX, E_DISPUTED };

#define MAX_SUBS 4
struct subs {
	char text[4][256];              /* columns E_NAME .. E_VALUE, split */
	const char *v[4][MAX_SUBS];
	unsigned n;
	bool unknown;
};

/* "a;b" in four columns at once */
static void split_subs(const struct tsv_row *r, struct subs *s)
{
	memset(s, 0, sizeof(*s));
	if (!strcmp(r->col[E_NAME], "-"))
		return;
	s->unknown = !strcmp(r->col[E_ADDRESS], "?");
	for (unsigned k = 0; k < 4; k++) {
		char *rest = s->text[k];

		snprintf(s->text[k], sizeof(s->text[k]), "%s", r->col[E_NAME + k]);
		for (s->n = 0; rest && s->n < MAX_SUBS; s->n++)
			s->v[k][s->n] = strsep(&rest, ";");
	}
	if (s->unknown)
		s->n = 0;
}

static bool row_selection(const struct tsv_row *r, struct cat_selection *c)
{
	int u;

	*c = (struct cat_selection){ .box = cat_box_by_name(cpu(), r->col[E_BOX]) };
	c->event = c->box ? cat_event_by_name(c->box, r->col[E_EVENT]) : NULL;
	if (!c->event)
		return false;
	if (strcmp(r->col[E_PORT], "-"))
		c->port = (unsigned)(r->col[E_PORT][0] - '0');
	if (!strcmp(r->col[E_UMASK], "-"))
		return true;
	u = cat_umask_by_name(c->event, r->col[E_UMASK]);
	if (u >= 0)
		c->umasks = BIT(u);
	return u >= 0;
}

/* The encoding that gives the expected control word, else -1. */
static int find_encoding(const struct cat_selection *c, uint64_t control,
		      struct cat_field_value *wants, unsigned *n)
{
	for (unsigned p = 0; p < cat_encodings(c->event); p++) {
		uint64_t ctl;

		*n = cat_encode(c, p, c->event->fixed ? 0 : (unsigned)
				__builtin_ctz(cat_counters(c)), &ctl, wants);
		if (ctl == control)
			return (int)p;
	}
	return -1;
}

static unsigned compare_subs(const struct tsv *t, const struct tsv_row *r,
			     const struct cat_field_value *wants,
			     unsigned n)
{
	unsigned bad = 0;
	struct subs s;

	split_subs(r, &s);
	if (s.unknown)
		return 0;
	if (n != s.n)
		return tsv_wrong(t, r, "%u sub-registers instead of %u", n, s.n);
	for (unsigned i = 0; i < n; i++) {
		uint64_t mask = tsv_number(t, r, s.v[2][i]), value = tsv_number(t, r, s.v[3][i]);
		char name[CAT_NAME_TEXT];

		cat_reg_name(wants[i].row, 0, wants[i].index, name, sizeof(name));
		if (wants[i].reg.off != tsv_number(t, r, s.v[1][i]))
			bad += tsv_wrong(t, r, "sub-register 0x%x instead of %s",
					 wants[i].reg.off, s.v[1][i]);
		if (strcmp(r->col[E_BOX], "mbox") ? strcmp(name, s.v[0][i]) != 0
		    : !strstr(name, s.v[0][i]))
			bad += tsv_wrong(t, r, "sub-register %s instead of %s", name, s.v[0][i]);
		if ((wants[i].mask & mask) != mask)
			bad += tsv_wrong(t, r, "owns only 0x%llx",
					 (unsigned long long)wants[i].mask);
		if (wants[i].value != value)
			bad += tsv_wrong(t, r, "value 0x%llx instead of %s",
					 (unsigned long long)wants[i].value, s.v[3][i]);
	}
	return bad;
}

static unsigned compare_event(const struct tsv *t, const struct tsv_row *r)
{
	struct cat_field_value wants[CAT_FIELD_VALUES];
	struct cat_selection c;
	unsigned bad = 0, n = 0;
	bool disputed;

	if (!row_selection(r, &c))
		return tsv_wrong(t, r, "not in the catalog");
	if (find_encoding(&c, tsv_number(t, r, r->col[E_CONTROL]), wants, &n) < 0)
		return tsv_wrong(t, r, "no place gives control word %s", r->col[E_CONTROL]);
	bad += compare_subs(t, r, wants, n);
	if (!strcmp(r->col[E_COUNTERS], "fixed") ? !c.event->fixed :
	    cat_counters(&c) != tsv_number(t, r, r->col[E_COUNTERS]))
		bad += tsv_wrong(t, r, "counters 0x%x", cat_counters(&c));
	if (cat_max_inc(&c) != tsv_number(t, r, r->col[E_MAX]))
		bad += tsv_wrong(t, r, "maximum increment %u", cat_max_inc(&c));
	disputed = c.event->disputed ||
		(c.umasks && c.event->umasks[__builtin_ctzll(c.umasks)].disputed);
	if (!disputed && !strcmp(r->col[E_DISPUTED], "1"))
		bad += tsv_wrong(t, r, "is open in the sources, but the row does not say so");
	return bad;
}

static void test_every_event_is_encoded_as_documented(void **state)
{
	unsigned bad = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "nehalem_ex_events.tsv");
	for (unsigned i = 0; i < t.n; i++)
		bad += compare_event(&t, &t.rows[i]);
	assert_int_equal(bad, 0);
	tsv_done(&t);
}

/* What of an event's unit masks the rows name; *ret_any: any row at all. */
static uint64_t umasks_in(const struct cat_selection *rows, unsigned n, const struct cat_event *e,
			  bool *ret_any)
{
	uint64_t seen = 0;

	*ret_any = false;
	for (unsigned i = 0; i < n; i++)
		if (rows[i].event == e) {
			*ret_any = true;
			seen |= rows[i].umasks;
		}
	return seen;
}

/* And the other way round: the catalog holds nothing that the event lists do not. */
static void test_no_event_is_invented(void **state)
{
	struct cat_selection *rows;
	unsigned bad = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "nehalem_ex_events.tsv");
	rows = calloc(t.n, sizeof(*rows));
	assert_non_null(rows);
	for (unsigned i = 0; i < t.n; i++)
		assert_true(row_selection(&t.rows[i], &rows[i]));
	for (const struct cat_box *b = cat_box_next(cpu(), NULL); b; b = cat_box_next(cpu(), b))
		for (const struct cat_event *e = b->events; e < b->events + b->n_events; e++) {
			bool any;
			uint64_t seen = umasks_in(rows, t.n, e, &any);

			if (any && seen == (e->n_umasks ? BIT(e->n_umasks) - 1 : 0))
				continue;
			print_error("tests/catalog/nehalem_ex_events.tsv: add %s/%s, or a unit "
				    "mask of it, as the manual lists it\n", b->name, e->name);
			bad++;
		}
	assert_int_equal(bad, 0);
	free(rows);
	tsv_done(&t);
}

/* --------------------------------------------------------------- R-Box: every port and encoding */

/* The register of the same kind that belongs to another port and encoding: PORT1 -> PORTn,
 * CFG0 -> CFG1, SET1 -> SET2; the QLX register holds both encodings. */
static struct reg other_register(const struct tsv *regs, const char *name, unsigned port,
				 unsigned encoding)
{
	char wanted[CAT_NAME_TEXT], *s;

	snprintf(wanted, sizeof(wanted), "%s", name);
	s = strstr(wanted, "PORT1");
	assert_non_null(s);
	s[4] = (char)('0' + port);
	s = strstr(wanted, "IPERF_CFG0");
	if (s)
		s[9] = (char)('0' + encoding);
	s = strstr(wanted, "SET1");
	if (s)
		s[3] = (char)('1' + encoding);
	for (unsigned i = 0; i < regs->n; i++)
		if (!strcmp(regs->rows[i].col[7], wanted))
			return msr((uint32_t)
				   tsv_number(regs, &regs->rows[i], regs->rows[i].col[0]));
	fail_msg("no register %s", wanted);
	return msr(0);
}

/* Table 2-45, 2-46: ev_sel = 6 x (port mod 4) + 0, 1 IPERF; 2, 3 QLX; 4, 5 XBAR. Ports 0-3 are
 * served by counters 0-7, ports 4-7 by counters 8-15 (2.6.2). */
static void compare_ports(const struct tsv *t, const struct tsv_row *r, const struct tsv *regs)
{
	uint64_t slot = (tsv_number(t, r, r->col[E_CONTROL]) >> 1) - 6;
	struct cat_selection c;
	struct subs s;

	assert_true(row_selection(r, &c));
	split_subs(r, &s);
	assert_int_equal(cat_encodings(c.event), 2);
	for (c.port = 0; c.port < 8; c.port++)
		for (unsigned encoding = 0; encoding < 2; encoding++) {
			unsigned shift = slot == 2 ? 8 * encoding : 0, n,
				 counter = c.port < 4 ? 0 : 8;
			struct cat_field_value w[CAT_FIELD_VALUES];
			uint64_t ctl;

			assert_int_equal(cat_counters(&c), 0xffU << counter);
			n = cat_encode(&c, encoding, counter, &ctl, w);
			assert_int_equal(ctl, (6 * (c.port % 4) + slot + encoding) << 1 | 1);
			assert_int_equal(n, s.n);
			for (unsigned i = 0; i < n; i++) {
				uint64_t mask = tsv_number(t, r, s.v[2][i]) << shift;

				assert_int_equal(w[i].reg.off, other_register(regs, s.v[0][i],
					c.port, encoding).off);
				assert_int_equal(w[i].mask & mask, mask);
				assert_int_equal(w[i].value, tsv_number(t, r, s.v[3][i]) << shift);
				/* The partner's field in QLX must stay free. */
				if (slot == 2)
					assert_int_equal(w[i].mask, mask);
			}
		}
}

static void test_rbox_on_every_port_and_encoding(void **state)
{
	struct tsv t, regs;
	unsigned n = 0;

	(void)state;
	tsv_read(&t, "nehalem_ex_events.tsv");
	tsv_read(&regs, "nehalem_ex_registers.tsv");
	for (unsigned i = 0; i < t.n; i++)
		if (!strcmp(t.rows[i].col[E_BOX], "rbox")) {
			compare_ports(&t, &t.rows[i], &regs);
			n++;
		}
	assert_true(n > 0);
	tsv_done(&t);
	tsv_done(&regs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_is_encoded_as_documented),
		cmocka_unit_test(test_no_event_is_invented),
		cmocka_unit_test(test_rbox_on_every_port_and_encoding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
