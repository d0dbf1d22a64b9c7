/* SPDX-License-Identifier: MIT
 * Every event of the Xeon E5/E7 v2 is encoded as documented. */
#include "ivt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { E_BOX, E_EVENT, E_UMASK, E_CODE, E_VALUE, E_COUNTERS, E_FILTERS, E_OPEN };

/* What is intended to be otherwise than in the lists. */
static const struct {
	const char *box, *event;        /* events that begin so */
	unsigned column;
	const char *instead;
	const char *reason;
} differences[] = {
	{ "r3qpi", "UNC_R3_RING_", E_COUNTERS, "0x4",
	  "329468-002 p 173: ring events on counter 2 only; the event file lists 0 to 2" },
	{ "r2pcie", "UNC_R2_TxR_NACK_C", E_COUNTERS, "0x1",
	  "libpfm4 intel_ivbep_unc_r2pcie: counter 0 only; the event file lists 0 and 1" },
	{ "pcu", "UNC_P_DEMOTIONS_CORE", E_FILTERS, "-",
	  "only the event file names the filter's byte 0, which belongs to FREQ_BAND0_CYCLES" },
};

static const char *expected(const struct tsv_row *r, unsigned column)
{
	for (unsigned i = 0; i < COUNT(differences); i++)
		if (differences[i].column == column && !strcmp(differences[i].box, r->col[E_BOX]) &&
		    !strncmp(differences[i].event, r->col[E_EVENT], strlen(differences[i].event)))
			return differences[i].instead;
	return r->col[column];
}

static bool row_selection(const struct tsv_row *r, struct cat_selection *c)
{
	int u;

	*c = (struct cat_selection){ .box = box(r->col[E_BOX]) };
	c->event = cat_event_by_name(c->box, r->col[E_EVENT]);
	if (!c->event)
		return false;
	if (strcmp(r->col[E_UMASK], "-") != 0) {
		u = cat_umask_by_name(c->event, r->col[E_UMASK]);
		if (u < 0)
			return false;
		c->umasks = BIT(u);
	}
	give_required_keys(c);
	return true;
}

/* Register and mask of a filter "name=mask" of the box, both as the lists have them. */
static void filter_of(const struct tsv *regs, const struct tsv_row *r, char *text,
		      uint32_t *ret_off,
		      uint64_t *ret_mask)
{
	char *mask = text;

	strsep(&mask, "=");
	assert_non_null(mask);
	*ret_mask = tsv_number(regs, r, mask);
	for (unsigned i = 0; i < regs->n; i++) {
		const struct tsv_row *reg = &regs->rows[i];

		if (strcmp(reg->col[R_BOX], r->col[E_BOX]) || strcmp(reg->col[R_NAME], text) ||
		    strcmp(reg->col[R_UNIT], "0"))
			continue;
		*ret_off = (uint32_t)tsv_number(regs, reg, reg->col[R_OFFSET]);
		return;
	}
	fail_msg("no register %s", text);
}

/* The event owns exactly the filter bits that it is said to read. */
static unsigned compare_filters(const struct tsv *t, const struct tsv_row *r,
				const struct tsv *regs,
				const struct cat_field_value *w, unsigned n)
{
	char text[256], *rest = text, *one;
	unsigned bad = 0, wanted = 0;

	snprintf(text, sizeof(text), "%s", expected(r, E_FILTERS));
	if (strcmp(text, "-") == 0)
		return n ? tsv_wrong(t, r, "%u filter registers instead of none", n) : 0;
	while ((one = strsep(&rest, ";"))) {
		uint32_t off = 0;
		uint64_t mask;
		unsigned i;

		filter_of(regs, r, one, &off, &mask);
		wanted++;
		for (i = 0; i < n && w[i].reg.off != off; i++)
			;
		if (i == n)
			bad += tsv_wrong(t, r, "does not want %s", one);
		else if (w[i].mask != mask)
			bad += tsv_wrong(t, r, "%s: owns 0x%llx instead of 0x%llx", one,
					 (unsigned long long)w[i].mask,
					 (unsigned long long)mask);
		else if (w[i].value & ~mask)
			bad += tsv_wrong(t, r, "%s: value 0x%llx", one,
					 (unsigned long long)w[i].value);
	}
	if (n != wanted)
		bad += tsv_wrong(t, r, "%u filter registers instead of %u", n, wanted);
	return bad;
}

/* ev_sel 7:0 with its extension 21, umask 15:8, en 22. */
static unsigned compare_event(const struct tsv *t, const struct tsv_row *r, const struct tsv *regs)
{
	bool fixed = strcmp(r->col[E_COUNTERS], "fixed") == 0, open;
	struct cat_field_value w[CAT_FIELD_VALUES];
	struct cat_selection c;
	uint64_t ctl, want = BIT(22);
	unsigned bad = 0, n;

	if (!row_selection(r, &c))
		return tsv_wrong(t, r, "not in the catalog");
	if (c.event->fixed != fixed)
		return tsv_wrong(t, r, "on its own counter or not");
	n = cat_encode(&c, 0, fixed ? 0 : (unsigned)__builtin_ctz(cat_counters(&c)), &ctl, w);
	if (!fixed)
		want |= tsv_number(t, r, r->col[E_CODE]) | tsv_number(t, r, r->col[E_VALUE]) << 8;
	if (ctl != want)
		bad += tsv_wrong(t, r, "control word 0x%llx instead of 0x%llx",
				 (unsigned long long)ctl,
				 (unsigned long long)want);
	if (!fixed && cat_counters(&c) != tsv_number(t, r, expected(r, E_COUNTERS)))
		bad += tsv_wrong(t, r, "counters 0x%x", cat_counters(&c));
	bad += compare_filters(t, r, regs, w, n);
	if (!c.umasks && c.event->n_umasks && c.event->dflt != CAT_OPTIONAL)
		bad += tsv_wrong(t, r, "wants a unit mask");
	open = c.event->disputed ||
		(c.umasks && c.event->umasks[__builtin_ctzll(c.umasks)].disputed);
	if (!open && r->col[E_OPEN][0] == '1')
		bad += tsv_wrong(t, r, "is open in the sources, but the row does not say so");
	return bad;
}

static void test_every_event_is_encoded_as_documented(void **state)
{
	struct tsv t, regs;
	unsigned bad = 0;

	(void)state;
	tsv_read(&t, "ivytown_events.tsv");
	tsv_read(&regs, "ivytown_registers.tsv");
	for (unsigned i = 0; i < t.n; i++)
		bad += compare_event(&t, &t.rows[i], &regs);
	assert_int_equal(bad, 0);
	tsv_done(&t);
	tsv_done(&regs);
}

/* A difference that no row needs any more must go. */
static void test_every_difference_is_one(void **state)
{
	struct tsv t;

	(void)state;
	tsv_read(&t, "ivytown_events.tsv");
	for (unsigned d = 0; d < COUNT(differences); d++) {
		unsigned n = 0;

		assert_non_null(differences[d].reason);
		for (unsigned i = 0; i < t.n; i++)
			n += expected(&t.rows[i], differences[d].column) ==
				differences[d].instead &&
			     strcmp(t.rows[i].col[differences[d].column], differences[d].instead) !=
			     0;
		if (!n)
			fail_msg("%s*", differences[d].event);
	}
	tsv_done(&t);
}

/* In the catalog and in neither list; each with where it comes from. */
static const struct {
	const char *box, *event, *umask, *source;
} additions[] = {
	{ "ubox", "UCLK", NULL, "329468-002 p 21: the fixed counter, which is no event of the lists" },
};

static bool is_addition(const struct cat_box *b, const struct cat_event *e, const char *umask)
{
	for (unsigned i = 0; i < COUNT(additions); i++)
		if (!strcmp(additions[i].box, b->name) && !strcmp(additions[i].event, e->name) &&
		    (umask ? additions[i].umask && !strcmp(additions[i].umask, umask)
		     : !additions[i].umask))
			return true;
	return false;
}

#define ADD "tests/catalog/ivytown_events.tsv: add, as the lists have it, "
static unsigned compare_backwards(const struct cat_selection *rows, unsigned n,
				  const struct cat_box *b,
				  const struct cat_event *e)
{
	bool any = false, bare = false;
	unsigned bad = 0;
	uint64_t seen = 0;

	for (unsigned i = 0; i < n; i++)
		if (rows[i].event == e) {
			any = true;
			bare |= !rows[i].umasks;
			seen |= rows[i].umasks;
		}
	if (!any && !is_addition(b, e, NULL)) {
		print_error(ADD "%s/%s\n", b->name, e->name);
		bad++;
	}
	if (e->bare && !bare) {
		print_error(ADD "%s/%s without a unit mask\n", b->name, e->name);
		bad++;
	}
	for (unsigned u = 0; u < e->n_umasks; u++)
		if (!(seen & BIT(u)) && !is_addition(b, e, e->umasks[u].name)) {
			print_error(ADD "%s/%s:%s\n", b->name, e->name, e->umasks[u].name);
			bad++;
		}
	return bad;
}

static void test_no_event_is_invented(void **state)
{
	struct cat_selection *rows;
	unsigned bad = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "ivytown_events.tsv");
	rows = calloc(t.n, sizeof(*rows));
	assert_non_null(rows);
	for (unsigned i = 0; i < t.n; i++)
		if (!row_selection(&t.rows[i], &rows[i]))
			bad += tsv_wrong(&t, &t.rows[i], "not in the catalog");
	for (const struct cat_box *b = cat_box_next(cpu(), NULL); b; b = cat_box_next(cpu(), b))
		for (const struct cat_event *e = cat_event_next(b, NULL); e;
		     e = cat_event_next(b, e))
			bad += compare_backwards(rows, t.n, b, e);
	assert_int_equal(bad, 0);
	free(rows);
	tsv_done(&t);
}

/* By hand: ev_sel 7:0, umask 15:8, ev_sel_ext 21, en 22; p 173 for the counters of R3QPI. */
static const struct {
	unsigned line;
	const char *box, *event, *umask;
	uint64_t ctl;
	uint32_t counters;
} worked[] = {
	{ __LINE__, "r3qpi", "RING_AD_USED", "CW", 0x403307, 0x4 },
	{ __LINE__, "r3qpi", "RXR_OCCUPANCY", "DRS", 0x400813, 0x1 },
	{ __LINE__, "ubox", "EVENT_MSG", "DOORBELL_RCVD", 0x400842, 0x3 },
	{ __LINE__, "ubox", "UCLK", NULL, 0x400000, 0 },
	{ __LINE__, "imc", "CAS_COUNT", "RD", 0x400304, 0xf },
	{ __LINE__, "qpi", "RXL_FLITS_G1", "DRS_DATA", 0x600802, 0xf },
	{ __LINE__, "pcu", "POWER_STATE_OCCUPANCY", "CORES_C6", 0x40c080, 0xf },
	{ __LINE__, "cbox", "TOR_OCCUPANCY", "MISS_ALL", 0x400a36, 0x1 },
};

static void test_worked_values(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(worked); i++) {
		struct cat_selection c = choose(worked[i].box, worked[i].event, worked[i].umask);
		struct cat_field_value w[CAT_FIELD_VALUES];
		uint64_t ctl;

		cat_encode(&c, 0, worked[i].counters ? (unsigned)
			   __builtin_ctz(worked[i].counters) : 0, &ctl, w);
		if (ctl != worked[i].ctl || cat_counters(&c) != worked[i].counters)
			fail_msg("line %u: 0x%llx on 0x%x", worked[i].line, (unsigned long long)ctl,
				 cat_counters(&c));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_is_encoded_as_documented),
		cmocka_unit_test(test_every_difference_is_one),
		cmocka_unit_test(test_no_event_is_invented),
		cmocka_unit_test(test_worked_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
