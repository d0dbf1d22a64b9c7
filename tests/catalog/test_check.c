/* SPDX-License-Identifier: MIT
 * Catalog_check() and spec_check() accept a good table and refuse each kind of bad
 * one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "check_tables.h"
#include "complaints.h"
#include "fake.h"

#include "spec/resolve.h"

static int check(const struct fake *f, struct diags *d)
{
	int r = catalog_check(&f->p, d);

	return r < 0 ? r : spec_check(&f->p, d);
}

static void test_good_table_passes(void **state)
{
	struct fake f;
	struct diags d = { 0 };

	(void)state;
	fake_init(&f);
	expect_complaint(check(&f, &d), &d, __LINE__, NULL);
}

static const struct cat_event nameless, uncounted = {
	.name = "PLAIN", .code = 0x10, .max_inc = 1, .dflt = -1, .counters = 0x4,
	.help = "Plain in another way", .source = "invented",
};
static const char *const third[] = { "SUMS", "TOTALS", "PLAIN", NULL },
	*const subs[] = { "SUBS", NULL };
static const char *const spaced[] = { "no name", NULL };
static const char *const absent[] = { "PLAIN", "MISSING", NULL },
	*const no_plain[] = { "PLAIN", NULL };

/* A constant in register 9 of the A-Box, which is 32 bits wide. */
static void set_constant(struct fake *f, uint8_t id, uint8_t hi, uint8_t lo,
			 double base, double step)
{
	static struct cat_constant c;

	c = (struct cat_constant){ .name = "link", .box = "abox", .id = id, .hi = hi, .lo = lo,
				   .base = base, .step = step,
				   .help = "What a link can carry", .source = "invented" };
	f->a_regs[0].role = CAT_OTHER;
	f->a_regs[0].id = 9;
	f->boxes[0].local_only = true;          /* that was its box control */
	f->p.constants = &c;
	f->p.n_constants = 1;
}

/* Counters of the A-Box whose overflow a socket-wide status shows. */
static struct cat_overflow *set_overflow(struct fake *f, uint8_t unit, uint8_t first, uint8_t count)
{
	static struct cat_overflow o;

	o = (struct cat_overflow){ .box = "abox", .unit = unit, .first = first, .count = count,
				   .global = 1, .source = "invented" };
	f->a_regs[0].role = CAT_GLOBAL_STATUS;
	f->a_regs[0].access = CAT_W1C;
	f->boxes[0].local_only = true;          /* that was its box control */
	f->boxes[0].ctl_overflow = BIT(22);
	f->overflows = (struct cat_overflows){ &o, 1 };
	f->p.overflows = &f->overflows;
	return &o;
}

enum { FIRST = __COUNTER__ + 1 };
#define FAULT(change, text) \
	case __COUNTER__ - FIRST: \
		*line = __LINE__; \
		change; \
		return text

/* Puts fault number n into a good table; returns the complaint it must cause, NULL: no such
 * fault. */
static const char *spoil_box(struct fake *f, unsigned n, unsigned *line)
{
	struct cat_box *a = &f->boxes[0], *p = &f->boxes[1];

	switch (n) {
	/* the processor */
	FAULT(f->p.name = NULL, "processor \"\" is not a name");
	FAULT(f->boxes[1].name = NULL, "box \"\" is not a name");
	FAULT(f->p.name = "Fake One", "processor \"Fake One\" is not a name");
	FAULT(f->p.title = "", "no title");
	FAULT(f->p.source = NULL, "no source");
	FAULT(f->p.vendor = NULL, "no vendor");
	FAULT(f->p.n_ids = 0, "no CPU family and model");
	FAULT(f->p.cores = 0, "no number of cores");
	FAULT(f->global.enable = 0, "no socket-wide enable");
	FAULT(f->p.anchor.device = 0, "abox is in PCI space, but nothing says how to find the bus");
	FAULT(f->p.n_boxes = 0, "no boxes");
	/* boxes */
	FAULT(p->name = "abox", "two boxes have this name");
	FAULT(a->letter = "a", "letter \"a\" is not a name");
	FAULT(a->source = "", "fake abox: no source");
	FAULT(a->n_units = 0, "no units");
	FAULT(a->max_hz = 0, "no highest clock");
	FAULT(a->n_events = 0, "no events");
	FAULT(a->width = 0, "counters of 0 bits");
	FAULT(a->width = 65, "counters of 65 bits");
	FAULT(a->clock = "abox/PLAIN", "abox/PLAIN is no clock that always runs");
	FAULT(a->clock = "abox/CLOKC", "abox has no event 'CLOKC'; the nearest is CLOCK");
	FAULT(a->n_counters = 33, "33 counters; a mask holds 32");
	FAULT(a->n_counters = 0, "the box has no counter for it");
	FAULT(f->a_regs[1].count = 1, "counter 1 lacks its control or counter register");
	FAULT(f->a_regs[0].count = 1, "no box control register enables counter 1");
	FAULT(a->fixed_enable = 0, "the fixed counter lacks its registers or its enable bits");
	FAULT(f->a_regs[3].role = CAT_OTHER,
	      "the fixed counter lacks its registers or its enable bits");
	FAULT(a->global_also = true, "no global bit enables the box's counters");
	FAULT(a->box_freeze = 1; a->local_only = true,
	      "what stands between counter and global control is said twice");
	FAULT(a->fixed_width = 65, "a fixed counter of 65 bits");
	FAULT(p->fixed_width = 44, "a fixed counter of 44 bits");
	/* variants */
	FAULT(a->extra = &nameless; a->n_extra = 1, "an event has no name");
	FAULT(a->extra = &uncounted; a->n_extra = 1,
	      "abox/PLAIN: counts on a counter outside the box");
	FAULT(a->absent = absent, "MISSING, said to be absent, is not there anyway");
	FAULT(a->absent = no_plain, "abox has no event 'PLAIN'");
	/* constants */
	FAULT(set_constant(f, 1, 7, 0, 0, 1), "link: no register holds it");
	FAULT(set_constant(f, 9, 32, 0, 0, 1), "link: its field leaves the register");
	FAULT(set_constant(f, 9, 7, 0, 0, 0), "link: it is not a positive number");
	FAULT(set_constant(f, 9, 7, 0, -1, 2), "link: it is not a positive number");
	/* overflows */
	FAULT(a->ctl_overflow = BIT(20), "what sends an overflow on is no field of A%u_CTL%n");
	FAULT(a->fixed_overflow = BIT(20),
	      "what sends an overflow on is no field of A%u_FIXED_CTL");
	FAULT(set_overflow(f, 0, 0, 2); f->a_regs[0].role = CAT_OTHER,
	      "no socket-wide status shows and clears them");
	FAULT(set_overflow(f, 0, 0, 2); f->a_regs[0].access = CAT_RW,
	      "no socket-wide status shows and clears them");
	FAULT(set_overflow(f, 2, 0, 2), "an overflow is told of abox2, which has no such counters");
	FAULT(set_overflow(f, 0, 1, 2), "an overflow is told of abox0, which has no such counters");
	FAULT(set_overflow(f, 0, 0, 2)->global = 0,
	      "nothing says how an overflow of abox0 is sent on");
	FAULT(set_overflow(f, 0, 0, 0), "nothing says how an overflow of abox0 is sent on");
	FAULT(set_overflow(f, 0, 0, 2)->summary_box = "pbox",
	      "an overflow of abox0 is summarised in no register");
	FAULT(set_overflow(f, 0, 0, 2)->source = NULL, "no source");
	/* the control word */
	FAULT(a->event = (struct cat_bits)CAT_NONE, "the control word has no event field");
	FAULT(a->enable = (struct cat_bits)CAT_NONE, "the control word has no enable field");
	FAULT(a->threshold.hi = 64, "the threshold field leaves the control word");
	FAULT(a->invert.lo = 22, "the invert and enable fields of the control word overlap");
	FAULT(f->ctl_fields[2].kind = CAT_FIELD_RSV, "the unit mask field covers reserved bits");
	/* ports */
	FAULT(p->port_key = NULL, "ports need a key");
	FAULT(f->ports[0].counters = 0, "no counter serves port 0");
	FAULT(f->ports[1].counters = 0x30, "port 1 is served by a counter outside the box");
	/* registers */
	FAULT(f->a_regs[2].name = "", "a register has no name");
	FAULT(f->a_regs[2].source = NULL, "A%u_CTR%n: no source");
	FAULT(f->a_regs[2].bytes = 6, "has 6 bytes");
	FAULT(f->a_regs[2].step = 0, "covers several indexes with one address");
	FAULT(f->a_regs[2].name = "A%u_CTR", "its name has no %n");
	FAULT(f->a_regs[2].count = 0, "covers no index");
	FAULT(f->a_regs[2].bank = CAT_BANKS, "bank 3 does not exist");
	FAULT(f->a_regs[2].off = 0x24,
	      "registers A0_CTL1 and A0_CTR0 have the same address 16:4+0x124");
	FAULT(f->a_units[1].fn[0] = 4,
	      "registers A0_BOX and A1_BOX have the same address 16:4+0x110");
	FAULT(f->p_regs[4].step = 1,
	      "registers P_PORT1_MATCH and P_PORT0_MASK have the same address 0x542");
	FAULT(f->ctl_fields[2].hi = 17, "fields rst 17:17 and umask 17:8 overlap");
	FAULT(f->ctl_fields[0].lo = 17, "fields en 22:17 and rst 17:17 overlap");
	FAULT(f->ctl_fields[0].hi = 32, "field en 32:22 is not inside 32 bits");
	FAULT(f->ctl_fields[1].name = "", "a field has no name");
	}
	return NULL;
}

static const struct cat_word words[] = {
	{ .name = "one", .value = 1 }, { .name = "two", .value = 2 },
	{ .name = "also", .value = 2 },
	{ .name = "far", .value = 0x8000 }, { .name = "Near", .value = 3 },
};

enum { FIRST_EVENT = __COUNTER__ + 1 };
#undef FAULT
#define FAULT(change, text) \
	case __COUNTER__ - FIRST_EVENT: \
		*line = __LINE__; \
		change; \
		return text

static const char *spoil_event(struct fake *f, unsigned n, unsigned *line)
{
	struct cat_event *plain = &f->a_events[A_PLAIN], *bits = &f->a_events[A_BITS];
	struct cat_event *adds = &f->a_events[A_ADDS];

	switch (n) {
	/* names, texts */
	FAULT(plain->name = NULL, "an event has no name");
	FAULT(f->bits[1].name = "", "a unit mask of SUBEVENTS has no name");
	FAULT(plain->name = "plain", "event \"plain\" is not a name");
	FAULT(adds->name = "SUBEVENTS", "a name or alias is also SUBEVENTS's");
	FAULT(adds->name = "SUBS", "a name or alias is also SUBEVENTS's");
	FAULT(adds->alias = third, "a name or alias is also PLAIN's");
	FAULT(adds->alias = subs, "a name or alias is also SUBEVENTS's");
	FAULT(adds->alias = spaced, "alias \"no name\" is not a name");
	FAULT(plain->help = NULL, "fake abox/PLAIN: no help");
	FAULT(plain->help = "Plain", "the help is too short");
	FAULT(plain->help = "Something plain happened.", "the help ends in a full stop");
	FAULT(plain->help = "Something TBD happened", "the help says TBD");
	FAULT(plain->note = "TODO: look this up", "the note says TODO");
	FAULT(plain->disputed = "?", "the dispute is too short");
	FAULT(plain->help = adds->help, "the help is the same as PLAIN's");
	FAULT(plain->source = NULL, "fake abox/PLAIN: no source");
	/* counters, codes */
	FAULT(plain->counters = 0x4, "counts on a counter outside the box");
	FAULT(plain->max_inc = 0, "no maximum increment");
	FAULT(plain->code = 0x100, "code 0x100 does not fit the event field");
	FAULT(plain->ctl = BIT(18), "its other control bits cover a named field");
	FAULT(f->a_events[A_CLOCK].counters = 1,
	      "a fixed event has the box's fixed counter and nothing to choose");
	FAULT(f->boxes[0].has_fixed = false,
	      "a fixed event has the box's fixed counter and nothing to choose");
	FAULT(f->boxes[0].occ_reset = (struct cat_bits)CAT_NONE,
	      "the box has no occupancy reset bit");
	FAULT(adds->code = 0x11; adds->occupancy = false,
	      "LOW.A has the code of SUBEVENTS:LOW.A on the same counter, and neither is disputed");
	FAULT(f->bits[3].value = 0x02,
	      "HIGH.A has the code of SUBEVENTS:LOW.B on the same counter");
	FAULT(f->number_sets[1].v[0] = 0x10, "TWO has the code of TRAFFIC:ONE on the same counter");
	/* unit masks */
	FAULT(f->bits[1].name = "LOW_A", "two unit masks are called LOW_A");
	FAULT(f->bits[1].name = "any", "two unit masks are called LOW.ALL");
	FAULT(f->bits[1].alias = "low.all", "two unit masks are called LOW.ALL");
	FAULT(f->bits[1].name = "LOW B", "unit mask \"LOW B\" is not a name");
	FAULT(f->bits[1].help = f->bits[0].help, "unit masks LOW.A and LOW.B have the same help");
	FAULT(f->bits[1].disputed = "TBD by measuring", "the dispute of a unit mask says TBD");
	FAULT(f->bits[3].value = 0x181, "unit mask HIGH.A: value 0x181 does not fit the field");
	FAULT(f->bits[0].value = 0, "unit mask LOW.A selects nothing");
	FAULT(f->boxes[0].umask = (struct cat_bits)CAT_NONE,
	      "unit mask LOW.A: value 0x1 does not fit the field");
	FAULT(f->packets[0].ports = 0x4, "unit mask READ: a port that the box does not have");
	FAULT(f->packets[0].values = NULL, "unit mask READ sets no target");
	FAULT(f->packet_sets[0] = (struct cat_values){ 0 }, "READ has a set without targets");
	FAULT(bits->dflt = 4, "default unit mask 4 does not exist");
	FAULT(bits->dflt = -3, "default unit mask -3 does not exist");
	FAULT(bits->dflt = CAT_OPTIONAL, "default unit mask -2 does not exist");
	FAULT(bits->combine = CAT_NO_UMASK,
	      "how unit masks combine is said without unit masks, or not said");
	FAULT(plain->combine = CAT_UMASK_ONE,
	      "how unit masks combine is said without unit masks, or not said");
	FAULT(bits->combine = CAT_UMASK_ONE, "a number cannot add up or have bits that must agree");
	FAULT(adds->combine = CAT_UMASK_ONE, "a number cannot add up or have bits that must agree");
	FAULT(bits->enum_bits = 0xff, "no bits are left to combine");
	/* selectors */
	FAULT(f->match.n_encodings = 0, "its route has no place");
	FAULT(f->match_encodings[0].code = 29, "the code of place 0 does not fit the event field");
	FAULT(f->match_encodings[0].fields[1].id = 9,
	      "target 1 of place 0 has no register row for index 0");
	FAULT(f->p_regs[5].count = 1, "target 1 of place 0 has no register row for index 1");
	FAULT(f->match_encodings[0].fields[1].lo = 64, "target 1 of place 0 is no field: 63:64");
	FAULT(f->iperf_encodings[1].fields[0].hi = 32,
	      "target 0 of place 1 leaves register P_PORT%n_IPERF");
	FAULT(f->p_regs[5].role = CAT_STATUS, "target 1 of place 0 has no register row");
	FAULT(f->packets_set.has |= BIT(5),
	      "the event wants target 5, which its route does not have");
	FAULT(f->packets_set.v[2] = 2, "the event: 0x2 does not fit target 2");
	FAULT(f->packets_set.v[4] = 1, "the event gives target 4 a value but does not own it");
	FAULT(plain->values = &f->number_sets[0],
	      "the event wants target 0, which its route does not have");
	FAULT(f->number_sets[0].v[0] = 0x100, "ONE: 0x100 does not fit target 0");
	/* keys */
	FAULT(f->keys[0].name = "Match", "key \"Match\" is not a name");
	FAULT(f->keys[0].help = "x.", "the help of a key ends in a full stop");
	FAULT(f->keys[0].name = "port", "key port has a meaning of its own");
	FAULT(f->keys[0].name = "threshold", "key threshold has a meaning of its own");
	FAULT(f->keys[1].name = "match", "key match is there twice");
	FAULT(f->keys[0].needs = "maske", "key match needs key maske, which does not exist");
	FAULT(f->keys[0].field = 5, "key match uses target 5, which its route does not have");
	FAULT(f->keys[0].field = CAT_REG_FIELDS,
	      "key match uses target 8, which its route does not have");
	FAULT(f->keys[2].hi = 4, "key flit does not fit its target");
	FAULT(f->keys[2].dflt = 8, "the default or the minimum of key flit does not fit");
	FAULT(f->keys[2].min = 9, "the default or the minimum of key flit does not fit");
	FAULT(f->keys[2].word_bits = 16, "the word any of key flit does not fit");
	FAULT(f->keys[3].also_value = BIT(16), "what key address sets as well does not fit");
	FAULT(f->keys[3].owns = BIT(5), "key address owns target 5, which its route does not have");
	FAULT(f->keys[0].shift = 64, "a key of PACKETS leaves out all bits");
	FAULT(f->keys[0].split = 64, "key match does not fit its target");
	FAULT(f->keys[0].split = 32; f->keys[0].split_field = 5,
	      "key match does not fit its target");
	FAULT(f->keys[2].words = words; f->keys[2].n_words = 2, "key flit has words and a word");
	FAULT(f->keys[0].words = words; f->keys[0].n_words = 3,
	      "two words of key match have one name or value");
	FAULT(f->keys[3].words = words; f->keys[3].n_words = 4,
	      "the word far of key address does not fit");
	FAULT(f->keys[3].words = words + 4; f->keys[3].n_words = 1, "word \"Near\" is not a name");
	}
	return NULL;
}

enum { FIRST_METRIC = __COUNTER__ + 1 };
#undef FAULT
#define FAULT(change, text) \
	case __COUNTER__ - FIRST_METRIC: \
		*line = __LINE__; \
		change; \
		return text

static const char *spoil_metric(struct fake *f, unsigned n, unsigned *line)
{
	static const char *const not_there[] = { "pbox/NOT_THERE", NULL };
	struct cat_metric *share = &f->metrics[0], *bytes = &f->metrics[1];

	switch (n) {
	FAULT(share->name = "Share_ratio", "metric \"Share_ratio\" is not a name");
	FAULT(share->name = "traffic_share", "the name does not end in _ratio");
	FAULT(bytes->name = "plain_bytes", "the name does not end in _bytes_total");
	FAULT(share->name = "cbox_share_ratio", "the name begins like an event's of a box");
	FAULT(share->name = "uncore_share_ratio", "the name begins like an event's of a box");
	FAULT(share->name = "pbox_share_ratio", "the name begins like an event's of a box");
	FAULT(share->name = "r3qpi_share_ratio", "the name begins like an event's of a box");
	FAULT(share->unit = "seconds", "the name does not end in _seconds");
	FAULT(share->unit = NULL, "it has no unit");
	FAULT(share->den = NULL, "a ratio or frequency needs a denominator");
	FAULT(bytes->den = f->share_den; bytes->unit = "bytes_total", "a count has no denominator");
	FAULT(bytes->help = share->help; bytes->name = share->name; bytes->unit = "ratio",
	      "two metrics have this name and link");
	FAULT(bytes->name = share->name; bytes->unit = "ratio", "one family has two help texts");
	FAULT(share->help = NULL, "traffic_share_ratio: no help");
	FAULT(share->source = NULL, "traffic_share_ratio: no source");
	FAULT(share->disputed = "PCM says so", "the dispute is too short");
	FAULT(share->num = NULL, "no numerator");
	FAULT(f->share_num[0].spec = NULL, "a sum of nothing");
	FAULT(f->share_den[0].spec = NULL, "a sum of nothing");
	FAULT(f->share_num[0].spec = "Seconds", "there is no constant Seconds");
	FAULT(f->share_num[0].spec = "pbox0/TRAFFIC:ONE",
	      "\"pbox0/TRAFFIC:ONE\" names one unit, and a row is of them all");
	FAULT(f->share_num[0].spec = "qbox/TRAFFIC:ONE", "fake has no box 'qbox'");
	FAULT(f->share_num[0].spec = "pbox/TRAFIC:ONE",
	      "pbox has no event 'TRAFIC'; the nearest is TRAFFIC");
	FAULT(f->share_num[0].spec = "perf/pbox/traffic/",
	      "\"perf/pbox/traffic/\" is an event of the kernel's");
	FAULT(f->share_num[0].spec = "pbox/TRAFFIC", "TRAFFIC needs a unit mask");
	FAULT(f->share_num[0].spec = "pbox/TRAFFIC:THREE", "pbox/TRAFFIC has no unit mask 'THREE'");
	FAULT(f->share_num[0].spec = "pbox/TRAFFIC:ONE:TWO",
	      "pbox/TRAFFIC takes one unit mask");
	FAULT(f->share_num[0].spec = "pbox/TRAFFIC:ONE,colour=1",
	      "pbox/TRAFFIC has no key 'colour'");
	FAULT(f->share_num[0].spec = "pbox/TRAFFIC:ONE,threshold=1",
	      "pbox has no 'threshold'");
	FAULT(f->share_num[0].spec = "pbox/TRAFFIC:ONE,port=2", "pbox has no port 2: 0 to 1");
	FAULT(f->share_num[0].spec = "pbox/PACKETS,flit=8",
	      "pbox/PACKETS: flit=8 does not fit: 1 to 7");
	FAULT(f->share_num[0].spec = "pbox/PACKETS,flit=0",
	      "pbox/PACKETS: flit=0 does not fit: 1 to 7");
	FAULT(f->share_num[0].spec = "pbox/PACKETS,flit=all",
	      "pbox/PACKETS: flit=all is not a number");
	FAULT(f->share_num[0].spec = "abox/PLAIN,threshold",
	      "abox/PLAIN: 'threshold' needs a value");
	FAULT(f->share_num[0].spec = "abox/PLAIN,edge=2",
	      "abox/PLAIN: 'edge' is a flag: bare, =0 or =1");
	FAULT(f->share_num[0].spec = "abox/PLAIN,invert=2",
	      "abox/PLAIN: 'invert' is a flag: bare, =0 or =1");
	FAULT(share->cycles_of = "abox/PLAIN", "abox/PLAIN is no clock that always runs");
	FAULT(f->guard.max = 0, "the guard is not whole");
	FAULT(f->guard.num = NULL, "the guard is not whole");
	FAULT(f->guard.den = NULL, "the guard is not whole");
	FAULT(f->guard_den[0].spec = NULL, "a sum of nothing");
	FAULT(f->guard_num[0].spec = "abox/SIMPLE", "abox has no event 'SIMPLE'");
	/* groups */
	FAULT(f->groups[1].name = "first", "two groups have this name");
	FAULT(f->groups[0].inputs = not_there,
	      "pbox/NOT_THERE is an input, but none of its events");
	FAULT(f->groups[0].name = "The First", "group \"The First\" is not a name");
	FAULT(f->specs[0] = NULL, "fake first: no events");
	FAULT(f->specs[0] = "abox/PLAN", "abox has no event 'PLAN'; the nearest is PLAIN");
	FAULT(f->specs[0] = "PLAIN", "\"PLAIN\" is not an event");
	FAULT(f->specs[0] = "perf/msr/tsc/",
	      "counts through perf_event and has no register encoding");
	FAULT(f->specs[1] = "pbox/TRAFFIC:ONE",
	      "pbox/TRAFFIC: 'port' is required: port=0 to port=1");
	FAULT(f->specs[0] = f->specs[1], "pbox/TRAFFIC:ONE,port=1 is there twice");
	}
	return NULL;
}

typedef const char *spoiler(struct fake *f, unsigned n, unsigned *line);

/* Exactly the complaint that belongs to the fault is among the complaints. */
static void refuse_all(spoiler *spoil, unsigned at_least)
{
	unsigned n, line = 0;

	for (n = 0;; n++) {
		struct fake f;
		struct diags d = { 0 };
		const char *expected;

		fake_init(&f);
		expected = spoil(&f, n, &line);
		if (!expected)
			break;
		expect_complaint(check(&f, &d), &d, line, expected);
	}
	assert_true(n >= at_least);
}

static void test_bad_boxes_are_refused(void **state)
{
	(void)state;
	refuse_all(spoil_box, 40);
}

static void test_bad_events_are_refused(void **state)
{
	(void)state;
	refuse_all(spoil_event, 60);
}

static void test_bad_metrics_are_refused(void **state)
{
	(void)state;
	refuse_all(spoil_metric, 40);
}

/* Two events with one code are allowed where the sources leave it open. */
static void test_disputed_codes_may_be_equal(void **state)
{
	struct fake f;
	struct diags d = { 0 };

	(void)state;
	fake_init(&f);
	f.number_sets[1].v[0] = 0x10;
	f.numbers[1].disputed = "The sources give both the same number";
	assert_int_equal(check(&f, &d), 0);
	diags_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_table_passes),
		cmocka_unit_test(test_bad_boxes_are_refused),
		cmocka_unit_test(test_bad_events_are_refused),
		cmocka_unit_test(test_bad_metrics_are_refused),
		cmocka_unit_test(test_disputed_codes_may_be_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
