/* test_ivytown.c - every event and register of the Xeon E5/E7 v2 is as documented.
 *
 * The expected values stand in ivytown_events.tsv and ivytown_registers.tsv (their heads name the sources)
 * and here, each with its page; none of them was read from the tables under test. Where the catalog is meant
 * to differ from the lists, a row of `differences` says why.
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "choice.h"
#include "tsv.h"

static const struct cat_processor *ivt(void)
{
	const struct cat_processor *p = cat_processor_by_name("ivytown");

	assert_non_null(p);
	return p;
}

static const struct cat_box *box(const char *name)
{
	const struct cat_box *b = cat_box_by_name(ivt(), name);

	if (!b)
		fail_msg("no box %s", name);
	return b;
}

static struct cat_choice choose(const char *boxname, const char *event, const char *umask)
{
	struct cat_choice c = { .box = box(boxname) };
	int u;

	c.event = cat_event_by_name(c.box, event);
	if (!c.event)
		fail_msg("no event %s/%s", boxname, event);
	u = umask ? cat_umask_by_name(c.event, umask) : -1;
	if (umask && u < 0)
		fail_msg("no unit mask %s/%s:%s", boxname, event, umask);
	if (umask)
		c.umasks = BIT(u);
	return c;
}

static const struct cat_unit *unit_of(const struct cat_place_of *at)
{
	return &at->box->units[at->unit];
}

/* ------------------------------------------------------------------ events */

enum { E_BOX, E_EVENT, E_UMASK, E_CODE, E_VALUE, E_COUNTERS, E_FILTERS, E_OPEN };
enum { R_BOX, R_UNIT, R_NAME, R_ROLE, R_INDEX, R_SPACE, R_DEV, R_FN, R_ID, R_OFFSET, R_WIDTH };

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

static bool row_choice(const struct tsv_row *r, struct cat_choice *c)
{
	int u;

	*c = (struct cat_choice){ .box = box(r->col[E_BOX]) };
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
static void filter_of(const struct tsv *regs, const struct tsv_row *r, char *text, uint32_t *ret_off,
		      uint64_t *ret_mask)
{
	char *mask = text;

	strsep(&mask, "=");
	assert_non_null(mask);
	*ret_mask = tsv_number(regs, r, mask);
	for (unsigned i = 0; i < regs->n; i++) {
		const struct tsv_row *reg = &regs->rows[i];

		if (strcmp(reg->col[R_BOX], r->col[E_BOX]) || strcmp(reg->col[R_NAME], text) || strcmp(reg->col[R_UNIT], "0"))
			continue;
		*ret_off = (uint32_t)tsv_number(regs, reg, reg->col[R_OFFSET]);
		return;
	}
	fail_msg("no register %s", text);
}

/* The event owns exactly the filter bits that it is said to read. */
static unsigned compare_filters(const struct tsv *t, const struct tsv_row *r, const struct tsv *regs,
				const struct cat_want *w, unsigned n)
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
			bad += tsv_wrong(t, r, "%s: owns 0x%llx instead of 0x%llx", one, (unsigned long long)w[i].mask,
					 (unsigned long long)mask);
		else if (w[i].value & ~mask)
			bad += tsv_wrong(t, r, "%s: value 0x%llx", one, (unsigned long long)w[i].value);
	}
	if (n != wanted)
		bad += tsv_wrong(t, r, "%u filter registers instead of %u", n, wanted);
	return bad;
}

/* ev_sel 7:0 with its extension 21, umask 15:8, en 22. */
static unsigned compare_event(const struct tsv *t, const struct tsv_row *r, const struct tsv *regs)
{
	bool fixed = strcmp(r->col[E_COUNTERS], "fixed") == 0, open;
	struct cat_want w[CAT_WANTS];
	struct cat_choice c;
	uint64_t ctl, want = BIT(22);
	unsigned bad = 0, n;

	if (!row_choice(r, &c))
		return tsv_wrong(t, r, "not in the catalog");
	if (c.event->fixed != fixed)
		return tsv_wrong(t, r, "on its own counter or not");
	n = cat_encode(&c, 0, fixed ? 0 : (unsigned)__builtin_ctz(cat_counters(&c)), &ctl, w);
	if (!fixed)
		want |= tsv_number(t, r, r->col[E_CODE]) | tsv_number(t, r, r->col[E_VALUE]) << 8;
	if (ctl != want)
		bad += tsv_wrong(t, r, "control word 0x%llx instead of 0x%llx", (unsigned long long)ctl,
				 (unsigned long long)want);
	if (!fixed && cat_counters(&c) != tsv_number(t, r, expected(r, E_COUNTERS)))
		bad += tsv_wrong(t, r, "counters 0x%x", cat_counters(&c));
	bad += compare_filters(t, r, regs, w, n);
	if (!c.umasks && c.event->n_umasks && c.event->dflt != CAT_OPTIONAL)
		bad += tsv_wrong(t, r, "wants a unit mask");
	open = c.event->disputed || (c.umasks && c.event->umasks[__builtin_ctzll(c.umasks)].disputed);
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
	/* 1074 of the event file, 5 of libpfm4 */
	assert_int_equal(t.n, 1074 + 5);
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
			n += expected(&t.rows[i], differences[d].column) == differences[d].instead &&
			     strcmp(t.rows[i].col[differences[d].column], differences[d].instead) != 0;
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
		    (umask ? additions[i].umask && !strcmp(additions[i].umask, umask) : !additions[i].umask))
			return true;
	return false;
}

static unsigned compare_backwards(const struct cat_choice *rows, unsigned n, const struct cat_box *b,
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
		print_error("%s/%s is in no list\n", b->name, e->name);
		bad++;
	}
	if (e->bare && !bare) {
		print_error("%s/%s is listed with unit masks only\n", b->name, e->name);
		bad++;
	}
	for (unsigned u = 0; u < e->n_umasks; u++)
		if (!(seen & BIT(u)) && !is_addition(b, e, e->umasks[u].name)) {
			print_error("%s/%s:%s is in no list\n", b->name, e->name, e->umasks[u].name);
			bad++;
		}
	return bad;
}

static void test_no_event_is_invented(void **state)
{
	static struct cat_choice rows[1100];
	unsigned bad = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "ivytown_events.tsv");
	assert_true(t.n <= COUNT(rows));
	for (unsigned i = 0; i < t.n; i++)
		if (!row_choice(&t.rows[i], &rows[i]))
			bad += tsv_wrong(&t, &t.rows[i], "not in the catalog");
	for (const struct cat_box *b = ivt()->boxes; b < ivt()->boxes + ivt()->n_boxes; b++)
		for (const struct cat_event *e = cat_event_next(b, NULL); e; e = cat_event_next(b, e))
			bad += compare_backwards(rows, t.n, b, e);
	assert_int_equal(bad, 0);
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
		struct cat_choice c = choose(worked[i].box, worked[i].event, worked[i].umask);
		struct cat_want w[CAT_WANTS];
		uint64_t ctl;

		cat_encode(&c, 0, worked[i].counters ? (unsigned)__builtin_ctz(worked[i].counters) : 0, &ctl, w);
		if (ctl != worked[i].ctl || cat_counters(&c) != worked[i].counters)
			fail_msg("line %u: 0x%llx on 0x%x", worked[i].line, (unsigned long long)ctl, cat_counters(&c));
	}
}

/* ------------------------------------------------------------------ filters */

static struct cat_choice give(struct cat_choice c, const char *key, uint64_t value)
{
	const struct cat_route *r = c.event->route;

	assert_non_null(r);
	for (unsigned i = 0; i < r->n_keys; i++)
		if (!strcmp(r->keys[i].name, key)) {
			c.key_given |= (uint8_t)BIT(i);
			cat_key_put(&r->keys[i], value, &c.keys);
			return c;
		}
	fail_msg("no key %s", key);
	return c;
}

static void expect_want(const struct cat_want *w, uint32_t off, uint64_t mask, uint64_t value)
{
	assert_int_equal(w->reg.off, off);
	assert_int_equal(w->mask, mask);
	assert_int_equal(w->value, value);
}

/* filter0: tid 4:0 (with tid_en 19), link 8:5, state 22:17; filter1: nid 15:0, opc 28:20. C-Box 2 is at 0xd40. */
static void test_cbox_filters(void **state)
{
	struct cat_choice c = give(give(choose("cbox", "TOR_INSERTS", "NID_MISS_OPCODE"), "nid", 0x3), "opc", 0x182);
	struct cat_want w[CAT_WANTS];
	uint64_t ctl;

	(void)state;
	c.unit = 2;
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 1);
	assert_int_equal(ctl, 0x404335);
	expect_want(&w[0], 0xd5a, 0xfff0ffff, 0x18200003);
	c = give(choose("cbox", "RING_AD_USED", "UP"), "tid", 5);
	assert_int_equal(cat_encode(&c, 0, 2, &ctl, w), 1);
	assert_int_equal(ctl, 0x40331b | BIT(19));
	expect_want(&w[0], 0xd14, 0x1f, 5);
	c = choose("cbox", "LLC_LOOKUP", "ANY");
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 1);
	expect_want(&w[0], 0xd14, 0x7e0000, 0x7e0000);
	c = give(c, "state", 1);
	cat_encode(&c, 0, 0, &ctl, w);
	expect_want(&w[0], 0xd14, 0x7e0000, 0x20000);
}

/* Address 31:6 in the first register, 45:32 in the second; opcode 5:0 in the third. */
static void test_ha_filter(void **state)
{
	struct cat_choice c = give(give(choose("ha", "ADDR_OPC_MATCH", "FILT"), "address", 0x2abcdef01240), "opc", 0x2c);
	struct cat_want w[CAT_WANTS];
	uint64_t ctl;

	(void)state;
	c.unit = 1;
	assert_int_equal(cat_encode(&c, 0, 3, &ctl, w), 3);
	assert_int_equal(ctl, 0x400320);
	assert_int_equal(w[0].reg.dev, 28);
	expect_want(&w[0], 0x40, 0xffffffc0, 0xdef01240);
	expect_want(&w[1], 0x44, 0x3fff, 0x2abc);
	expect_want(&w[2], 0x48, 0x3f, 0x2c);
}

/* 329468-002 Tables 2-133, 2-134: class MC 12:9 (14 DRS), opcode 8:5 (0), data state RDS 19:16 (8 M). */
static void test_qpi_filter(void **state)
{
	struct cat_choice c = choose("qpi", "MESSAGE", "DRS.DataC_M");
	struct cat_want w[CAT_WANTS];
	uint64_t ctl;

	(void)state;
	c.unit = 1;
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 4);
	assert_int_equal(ctl, 0x600038);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(w[i].reg.dev, 9);
		assert_int_equal(w[i].reg.fn, 6);
	}
	expect_want(&w[0], 0x228, 0xffffffff, 14 << 9);
	expect_want(&w[1], 0x22c, 0xffffffff, 8 << 16);
	expect_want(&w[2], 0x238, 0xffffffff, 0xff << 5);
	expect_want(&w[3], 0x23c, 0xffffffff, 0xf << 16);
}

/* The same tables: what the name of a packet says is what its match compares. Bit 8 is the longer form. */
static const struct {
	unsigned line;
	const char *part;
	unsigned word;                  /* 0: match0, 1: match1 */
	uint64_t mask, value;
} parts[] = {
	{ __LINE__, "DRS.", 0, 0x1e00, 14 << 9 },
	{ __LINE__, "NCB.", 0, 0x1e00, 12 << 9 },
	{ __LINE__, "NCS.", 0, 0x1e00, 4 << 9 },
	{ __LINE__, "SNP.", 0, 0x1e00, 3 << 9 },
	{ __LINE__, "NDR.", 0, 0x1e00, 2 << 9 },
	{ __LINE__, "HOM.RESP", 0, 0x1e00, 1 << 9 },
	{ __LINE__, "HOM.ANYRESP", 0, 0x1e00, 1 << 9 },
	{ __LINE__, "HOM.ANYREQ", 0, 0x1e00, 0 << 9 },
	{ __LINE__, "9FLITS", 0, 0x100, 0 },
	{ __LINE__, "11FLITS", 0, 0x100, 0x100 },
	{ __LINE__, "1OR2FLITS", 0, 0x100, 0 },
	{ __LINE__, "3FLITS", 0, 0x100, 0x100 },
	{ __LINE__, "DATAC_M", 1, 0xf0000, 8 << 16 },
	{ __LINE__, "DATAC_E", 1, 0xf0000, 4 << 16 },
	{ __LINE__, "DATAC_F", 1, 0xf0000, 1 << 16 },
};

static void test_qpi_packets_match_what_they_are_called(void **state)
{
	const struct cat_event *e = cat_event_by_name(box("qpi"), "MESSAGE");
	unsigned n = 0;

	(void)state;
	assert_non_null(e);
	for (unsigned u = 0; u < e->n_umasks; u++) {
		struct cat_choice c = { .box = box("qpi"), .event = e, .umasks = BIT(u) };
		struct cat_want w[CAT_WANTS];
		uint64_t ctl;

		assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 4);
		/* What is not compared is not matched either. */
		assert_int_equal(w[0].value & ~w[2].value, 0);
		assert_int_equal(w[1].value & ~w[3].value, 0);
		for (unsigned i = 0; i < COUNT(parts); i++) {
			unsigned k = parts[i].word;

			if (!strstr(e->umasks[u].name, parts[i].part))
				continue;
			n++;
			if ((w[k].value & parts[i].mask) != parts[i].value ||
			    (w[k + 2].value & parts[i].mask) != parts[i].mask)
				fail_msg("line %u: %s", parts[i].line, e->umasks[u].name);
		}
	}
	/* 32 packets by class, 6 by length, 7 by state */
	assert_int_equal(n, 32 + 6 + 7);
}

/* Event 0x0b + k compares with byte k; any of the four may stand in for another, its own comes first. */
static void test_pcu_bands(void **state)
{
	static const char *const names[] = {
		"FREQ_BAND0_CYCLES", "FREQ_BAND1_CYCLES", "FREQ_BAND2_CYCLES", "FREQ_BAND3_CYCLES",
	};

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct cat_choice c = give(choose("pcu", names[k], NULL), "band", 12);
		unsigned seen = 0;

		assert_int_equal(cat_places(c.event), 4);
		for (unsigned place = 0; place < 4; place++) {
			struct cat_want w[CAT_WANTS];
			uint64_t ctl;
			unsigned band;

			assert_int_equal(cat_encode(&c, place, 0, &ctl, w), 1);
			band = (unsigned)(ctl & 0xff) - 0x0b;
			assert_in_range(band, 0, 3);
			if (!place)
				assert_int_equal(band, k);
			seen |= 1U << band;
			expect_want(&w[0], 0xc34, UINT64_C(0xff) << 8 * band, UINT64_C(12) << 8 * band);
		}
		assert_int_equal(seen, 0xf);
	}
}

/* ------------------------------------------------------------------ registers */

static const char *const roles[] = {
	[CAT_GLOBAL_CTL] = "global_ctl", [CAT_GLOBAL_STATUS] = "global_status", [CAT_BOX_CTL] = "box_ctl",
	[CAT_GLOBAL_OVF] = "global_ovf", [CAT_STATUS] = "status", [CAT_OVF_CTL] = "ovf_ctl", [CAT_SUMMARY] = "summary",
	[CAT_CTL] = "ctl", [CAT_CTR] = "ctr", [CAT_FIXED_CTL] = "fixed_ctl", [CAT_FIXED_CTR] = "fixed_ctr",
	[CAT_SUB] = "sub", [CAT_FILTER] = "filter", [CAT_OTHER] = "other",
};

static unsigned number_or_0(const struct tsv *t, const struct tsv_row *r, unsigned column)
{
	return strcmp(r->col[column], "-") ? (unsigned)tsv_number(t, r, r->col[column]) : 0;
}

static struct reg row_reg(const struct tsv *t, const struct tsv_row *r)
{
	bool pci = strcmp(r->col[R_SPACE], "pci") == 0;

	return (struct reg){
		.space = pci ? SPACE_PCI : SPACE_MSR, .bytes = 4, .off = number_or_0(t, r, R_OFFSET),
		.dev = (uint8_t)number_or_0(t, r, R_DEV), .fn = (uint8_t)number_or_0(t, r, R_FN),
	};
}

/* QPI ports 0 and 1 share their rate register: it is located at the first. */
static bool is_shared(const struct tsv_row *r)
{
	return strcmp(r->col[R_NAME], "rate_status") == 0 && strcmp(r->col[R_UNIT], "1") == 0;
}

static unsigned compare_counter(const struct tsv *t, const struct tsv_row *r, const struct cat_place_of *at)
{
	bool fixed = at->row->role == CAT_FIXED_CTR;
	unsigned bad = 0;

	if (cat_width(at->box, fixed) != tsv_number(t, r, r->col[R_WIDTH]))
		bad += tsv_wrong(t, r, "%u bits", cat_width(at->box, fixed));
	/* PCI: two halves of 32 bits, which one row stands for. */
	if (at->row->bytes != 8)
		bad += tsv_wrong(t, r, "%u bytes", at->row->bytes);
	return bad;
}

static unsigned compare_register(const struct tsv *t, const struct tsv_row *r)
{
	unsigned bad = 0, unit = (unsigned)tsv_number(t, r, r->col[R_UNIT]);
	struct cat_place_of at = { 0 };

	if (!cat_locate(ivt(), row_reg(t, r), &at) || !at.row)
		return tsv_wrong(t, r, "not in the catalog");
	if (strcmp(roles[at.row->role], r->col[R_ROLE]))
		bad += tsv_wrong(t, r, "role %s", roles[at.row->role]);
	/* The global control and only it has no box. */
	if (!at.box)
		return strcmp(r->col[R_ROLE], "global_ctl") ? bad + tsv_wrong(t, r, "has no box") : bad;
	if (strcmp(at.box->name, r->col[R_BOX]) || at.unit != (is_shared(r) ? 0 : unit))
		bad += tsv_wrong(t, r, "located in %s%u", at.box->name, at.unit);
	if (strcmp(r->col[R_INDEX], "-") && at.index != tsv_number(t, r, r->col[R_INDEX]))
		bad += tsv_wrong(t, r, "index %u", at.index);
	if (unit_of(&at)->id[at.row->bank] != number_or_0(t, r, R_ID))
		bad += tsv_wrong(t, r, "device id 0x%04x", unit_of(&at)->id[at.row->bank]);
	if (!reg_equal(cat_reg_address(at.box, at.row, unit, at.index), row_reg(t, r)))
		bad += tsv_wrong(t, r, "the unit's address is another");
	if (at.row->role == CAT_CTR || at.row->role == CAT_FIXED_CTR)
		bad += compare_counter(t, r, &at);
	return bad;
}

static void test_every_register_is_where_documented(void **state)
{
	const struct cat_processor *p = ivt();
	unsigned bad = 0, n = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "ivytown_registers.tsv");
	for (unsigned i = 0; i < t.n; i++)
		bad += compare_register(&t, &t.rows[i]);
	for (const struct cat_box *b = p->boxes; b < p->boxes + p->n_boxes; b++)
		for (unsigned i = 0; i < b->n_regs; i++)
			n += b->n_units * (b->regs[i].step ? b->regs[i].count : 1);
	assert_int_equal(n, t.n);
	assert_int_equal(bad, 0);
	tsv_done(&t);
}

static void test_registers_of_others_are_not_located(void **state)
{
	/* A C-Box 15, between the C-Boxes, Nehalem's global control; a fourth counter of R3QPI; IRP's second
	 * counter where other boxes have theirs; a function between those of the memory channels. */
	static const struct reg others[] = {
		{ SPACE_MSR, 4, 0, 0, 0xef0 }, { SPACE_MSR, 4, 0, 0, 0xd1b }, { SPACE_MSR, 4, 0, 0, 0x391 },
		{ SPACE_PCI, 4, 19, 5, 0xe4 }, { SPACE_PCI, 8, 5, 6, 0xa8 }, { SPACE_PCI, 4, 16, 2, 0xd8 },
	};
	struct cat_place_of at;

	(void)state;
	for (unsigned i = 0; i < COUNT(others); i++)
		if (cat_locate(ivt(), others[i], &at))
			fail_msg("0x%x is located", others[i].off);
}

/* 329468-002 p 21 and p 173. */
static void test_geometry(void **state)
{
	const struct cat_box *u = box("ubox"), *r3 = box("r3qpi");

	(void)state;
	assert_int_equal(u->n_counters, 2);
	assert_int_equal(cat_width(u, false), 44);
	assert_true(u->has_fixed);
	assert_int_equal(cat_width(u, true), 48);
	assert_int_equal(cat_reg_address(u, cat_reg_find(u, CAT_CTR, 0, 1), 0, 1).off, 0xc17);
	assert_int_equal(cat_reg_address(u, cat_reg_find(u, CAT_FIXED_CTL, 0, 0), 0, 0).off, 0xc08);
	assert_int_equal(cat_reg_find(u, CAT_CTL, 0, 1)->bytes, 4);
	assert_int_equal(r3->n_counters, 3);
	assert_int_equal(cat_width(r3, false), 44);
	assert_false(r3->has_fixed);
}

/* 329468-002 Table 2-2, p 19: frz_all 31 and unfrz_all 29 act when written. Box control: frz 8. */
static void test_global_control(void **state)
{
	const struct cat_global *g = &ivt()->global;

	(void)state;
	assert_int_equal(g->ctl.off, 0xc00);
	assert_int_equal(g->enable, BIT(29));
	assert_int_equal(g->freeze, BIT(31));
	assert_true(g->pulse);
	for (const struct cat_box *b = ivt()->boxes; b < ivt()->boxes + ivt()->n_boxes; b++) {
		bool has_control = strcmp(b->name, "ubox") != 0;

		assert_int_equal(b->box_freeze, has_control ? BIT(8) : 0);
		/* p 133: bits 17:16 are to be written as 1; the driver's 0 works too. */
		assert_int_equal(b->box_always, has_control ? BIT(17) | BIT(16) : 0);
	}
	assert_true(box("ubox")->local_only);
}

/* ------------------------------------------------------------------ rules of the whole processor */

/* Rules 25 and 28: ov_en (20), rst (17), the queue reset (16) and what is the invert bit elsewhere (23) are 0
 * whatever is asked for. */
static unsigned compare_never(const struct cat_choice *choice)
{
	struct cat_choice c = *choice;
	unsigned bad = 0;

	for (unsigned place = 0; place < cat_places(c.event); place++)
		for (unsigned counter = 0; counter < c.box->n_counters; counter++)
			for (unsigned with = 0; with < 2; with++) {
				struct cat_want w[CAT_WANTS];
				uint64_t ctl;

				c.edge = with;
				c.threshold = with ? bits_mask((unsigned)(c.box->threshold.hi - c.box->threshold.lo), 0) : 0;
				cat_encode(&c, place, counter, &ctl, w);
				bad += (ctl & (BIT(23) | BIT(20) | BIT(17) | BIT(16))) != 0 || ctl >> 32 || !(ctl & BIT(22));
			}
	if (bad)
		print_error("%s/%s umasks 0x%llx\n", c.box->name, c.event->name, (unsigned long long)c.umasks);
	return bad;
}

/* Rule 26: each row has its bound, none above that of its box. */
static unsigned compare_bound(const struct cat_choice *c)
{
	unsigned most = cat_max_inc(c);

	if (c->box->max_inc && most >= 1 && most <= c->box->max_inc && c->event->max_inc <= c->box->max_inc)
		return 0;
	print_error("%s/%s: at most %u in a cycle, the box %u\n", c->box->name, c->event->name, most, c->box->max_inc);
	return 1;
}

/* Rule 27 and its like: what adds up entries each cycle has the counter that can. */
static unsigned compare_occupancy(const struct cat_choice *c)
{
	static const char *const boxes[] = { "cbox", "r2pcie", "r3qpi" };
	const char *name = c->event->name;
	size_t n = strlen(name);

	if (n < 9 || strcmp(name + n - 9, "OCCUPANCY") || !strcmp(name, "COUNTER0_OCCUPANCY"))
		return 0;
	for (unsigned i = 0; i < COUNT(boxes); i++)
		if (!strcmp(c->box->name, boxes[i]) && cat_counters(c) != 0x1) {
			print_error("%s/%s counts on 0x%x\n", c->box->name, name, cat_counters(c));
			return 1;
		}
	return 0;
}

static unsigned for_each_choice(unsigned (*f)(const struct cat_choice *))
{
	unsigned bad = 0;

	for (const struct cat_box *b = ivt()->boxes; b < ivt()->boxes + ivt()->n_boxes; b++)
		for (const struct cat_event *e = cat_event_next(b, NULL); e; e = cat_event_next(b, e)) {
			struct cat_choice c = { .box = b, .event = e };

			for (unsigned u = 0; u < (e->n_umasks ? e->n_umasks : 1); u++) {
				c.umasks = e->n_umasks ? BIT(u) : 0;
				give_required_keys(&c);
				bad += f(&c);
			}
		}
	return bad;
}

static void test_bits_that_are_never_set(void **state)
{
	(void)state;
	assert_int_equal(for_each_choice(compare_never), 0);
	for (const struct cat_box *b = ivt()->boxes; b < ivt()->boxes + ivt()->n_boxes; b++) {
		uint64_t pulse = cat_pulse_bits(cat_reg_find(b, CAT_CTL, 0, 0));

		assert_false(cat_has(b->invert));
		assert_false(cat_has(b->occ_reset));
		assert_int_equal(b->ctl_always, 0);
		/* Not compared: rst, and the home agent's queue reset. */
		assert_int_equal(pulse, strcmp(b->name, "ha") ? BIT(17) : BIT(17) | BIT(16));
	}
}

static void test_every_row_has_a_bound(void **state)
{
	(void)state;
	assert_int_equal(for_each_choice(compare_bound), 0);
	/* p 173: 8 bits per cycle; 44 bits wrap in 23 s at 3 GHz. */
	assert_int_equal(box("r3qpi")->max_inc, 255);
	assert_int_equal(BIT(44) / (255 * UINT64_C(3000000000)), 22);
}

static void test_occupancy_is_on_counter_0(void **state)
{
	struct cat_choice c = { .box = box("cbox") };

	(void)state;
	assert_int_equal(for_each_choice(compare_occupancy), 0);
	/* It looks at counter 0 from the others. */
	c.event = cat_event_by_name(c.box, "COUNTER0_OCCUPANCY");
	assert_non_null(c.event);
	assert_int_equal(cat_counters(&c), 0xe);
}

/* Rule 27: the links share one stop of the ring. */
static void test_no_metric_adds_ring_events_over_links(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ivt()->n_metrics; i++) {
		const struct cat_metric *m = &ivt()->metrics[i];

		for (unsigned k = 0; k < CAT_TERMS && m->num[k].spec; k++)
			if (!strncmp(m->num[k].spec, "r3qpi/RING_", 11) && m->per != CAT_PER_UNIT)
				fail_msg("%s", m->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_is_encoded_as_documented),
		cmocka_unit_test(test_every_difference_is_one),
		cmocka_unit_test(test_no_event_is_invented),
		cmocka_unit_test(test_worked_values),
		cmocka_unit_test(test_cbox_filters),
		cmocka_unit_test(test_ha_filter),
		cmocka_unit_test(test_qpi_filter),
		cmocka_unit_test(test_qpi_packets_match_what_they_are_called),
		cmocka_unit_test(test_pcu_bands),
		cmocka_unit_test(test_every_register_is_where_documented),
		cmocka_unit_test(test_registers_of_others_are_not_located),
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_global_control),
		cmocka_unit_test(test_bits_that_are_never_set),
		cmocka_unit_test(test_every_row_has_a_bound),
		cmocka_unit_test(test_occupancy_is_on_counter_0),
		cmocka_unit_test(test_no_metric_adds_ring_events_over_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
