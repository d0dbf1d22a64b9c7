/* SPDX-License-Identifier: MIT
 * See fake.h. All numbers are invented. */
#include "fake.h"

#include <string.h>

#define SRC .source = "invented"

static const struct fake good = {
	.ctl_fields = {
		{ "en", 22, 22, CAT_FIELD, NULL }, { "rst", 17, 17, CAT_FIELD_PULSE, NULL },
		{ "umask", 15, 8, CAT_FIELD, NULL }, { "rsv", 62, 61, CAT_FIELD_RSV, NULL },
	},
	.a_regs = {
		{ .name = "A%u_BOX", .role = CAT_BOX_CTL, .count = 2, .bytes = 4, .off = 0x10, SRC },
		{ .name = "A%u_CTL%n", .role = CAT_CTL, .count = 2, .bytes = 4, .step = 4, .off = 0x20, SRC },
		{ .name = "A%u_CTR%n", .role = CAT_CTR, .count = 2, .bytes = 8, .step = 8, .off = 0x40, SRC },
		{ .name = "A%u_FIXED_CTL", .role = CAT_FIXED_CTL, .count = 1, .bytes = 4, .bank = 1, .off = 0, SRC },
		{ .name = "A%u_FIXED_CTR", .role = CAT_FIXED_CTR, .count = 1, .bytes = 8, .bank = 1, .off = 8, SRC },
	},
	.p_regs = {
		{ .name = "P_BOX", .role = CAT_BOX_CTL, .count = 4, .bytes = 4, .off = 0, SRC },
		{ .name = "P_CTL%n", .role = CAT_CTL, .count = 4, .bytes = 8, .step = 2, .off = 0x10, SRC },
		{ .name = "P_CTR%n", .role = CAT_CTR, .count = 4, .bytes = 8, .step = 2, .off = 0x11, SRC },
		{ .name = "P_PORT%n_IPERF", .role = CAT_SUB, .id = 1, .count = 2, .bytes = 4, .step = 1, .off = 0x30, SRC },
		{ .name = "P_PORT%n_MATCH", .role = CAT_FILTER, .id = 2, .count = 2, .bytes = 8, .step = 4, .off = 0x41, SRC },
		{ .name = "P_PORT%n_MASK", .role = CAT_FILTER, .id = 3, .count = 2, .bytes = 8, .step = 4, .off = 0x42, SRC },
		{ .name = "P_PORT%n_MM", .role = CAT_FILTER, .id = 4, .count = 2, .bytes = 8,
		  .step = 4, .off = 0x40,
		  .write_enable = BIT(63), SRC },
	},
	.a_units = { { .base = { 0x100, 0x180 }, .dev = { 16, 16 }, .fn = { 4, 4 } },
		     { .base = { 0x100, 0x180 }, .dev = { 16, 16 }, .fn = { 5, 5 } } },
	.p_units = { { .base = { 0x500 } } },
	.bits = {
		{ .name = "LOW.A", .value = 0x01, .help = "The first of the sub-events" },
		{ .name = "LOW.B", .value = 0x02 },
		{ .name = "LOW.ALL", .value = 0x03, .alias = "ANY" },
		{ .name = "HIGH.A", .value = 0x81 },
	},
	.numbers = {
		{ .name = "ONE", .value = 1 },
		{ .name = "TWO", .value = 2 },
	},
	.number_sets = { { 1, { 0x10 } }, { 1, { 0x20 } } },
	.packets = {
		{ .name = "READ", .value = 1 },
		{ .name = "WRITE", .value = 2 },
	},
	.packet_sets = { { 7, { 0x10, 0xf0 } }, { 7, { 0x20, 0xf0 } } },
	.packets_set = { 0xf, { 0, 0, 1, 0 } },
	.ports = { { .event_add = 0, .counters = 0x3, .link = "left" },
		   { .event_add = 3, .counters = 0xc, .link = "right" } },
	.iperf_encodings = { { 0, { { 1, 7, 0 } } }, { 1, { { 1, 15, 8 } } } },
	.match_encodings =
	{ { 2, { { 2, 63, 0 }, { 3, 63, 0 }, { 4, 63, 63 }, { 4, 11, 8 }, { 4, 31, 16 } } } },
	.keys = {
		{ .name = "match", .field = 0, .hi = 63, .lo = 0, .hex = true, .needs = "mask", .help = "Bits to find" },
		{ .name = "mask", .field = 1, .hi = 63, .lo = 0, .hex = true, .help = "Bits to look at" },
		{ .name = "flit", .field = 3, .hi = 2, .lo = 0, .min = 1, .dflt = 1, .word = "any",
		  .word_bits = 8,
		  .help = "Which flit of a packet" },
		{ .name = "address", .field = 4, .hi = 14, .lo = 0, .also = true, .also_field = 4,
		  .also_value = 0x8000,
		  .help = "Only this address" },
	},
	.iperf = { .pin = "iperf", .n_encodings = 2, .name = "sub-register" },
	.match = { .n_encodings = 1, .n_keys = 4, .name = "match registers" },
	.a_events = {
		[A_CLOCK] = { .name = "CLOCK", .fixed = true, .always_runs = true,
			      .max_inc = 1, .dflt = -1,
			      .alias = (const char *const[]){ "TICKS", NULL },
			      .help = "Cycles of the clock", SRC },
		[A_PLAIN] = { .name = "PLAIN", .code = 0x10, .max_inc = 1, .dflt = -1,
			      .counters = 0x1,
			      .help = "Something plain happened", SRC },
		[A_BITS] = { .name = "SUBEVENTS", .code = 0x11, .max_inc = 1,
			     .combine = CAT_UMASK_BITS, .enum_bits = 0x80,
			     .dflt = 2, .n_umasks = 4,
			     .alias = (const char *const[]){ "SUBS", NULL },
			     .help = "Something with sub-events happened", SRC },
		[A_ADDS] = { .name = "ADDING", .code = 0x12, .max_inc = 1,
			     .combine = CAT_UMASK_BITS, .adds = CAT_ADDS,
			     .dflt = -1, .n_umasks = 3, .occupancy = true,
			     .help = "Sub-events that add up", SRC },
	},
	.p_events = {
		[P_IPERF] = { .name = "TRAFFIC", .max_inc = 1, .combine = CAT_UMASK_ONE, .dflt = -1,
			      .n_umasks = 2,
			      .help = "Traffic of one kind", SRC },
		[P_MATCH] = { .name = "PACKETS", .max_inc = 1, .combine = CAT_UMASK_ONE,
			      .dflt = CAT_OPTIONAL, .n_umasks = 2,
			      .help = "Packets that match", SRC },
	},
	.boxes = {
		{ .name = "abox", .letter = "A", .title = "A-Box: the plain one",
		  .space = SPACE_PCI, .n_counters = 2, .width = 48,
		  .has_fixed = true, .fixed_enable = 1, .event = { 7, 0 }, .umask = { 15, 8 },
		  .threshold = { 31, 24 },
		  .edge = { 18, 18 }, .invert = { 23, 23 }, .enable = { 22, 22 },
		  .occ_reset = { 17, 17 },
		  .n_units = 2, .n_regs = 5, .n_events = A_EVENTS, .clock = "abox/CLOCK",
		  .max_hz = 1000000000, SRC },
		{ .name = "pbox", .letter = "P", .title = "P-Box: the one with ports",
		  .space = SPACE_MSR, .n_counters = 4, .width = 48,
		  .event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE,
		  .invert = CAT_NONE,
		  .enable = { 0, 0 }, .occ_reset = CAT_NONE, .ctl_always = 0x40, .port_key = "port",
		  .n_ports = 2,
		  .n_units = 1, .n_regs = 7, .n_events = P_EVENTS, .max_hz = 1000000000, SRC },
	},
	.share_num = { { .spec = "pbox/TRAFFIC:ONE" } },
	.share_den = { { .spec = "pbox/TRAFFIC:TWO" },
		       { .spec = "pbox/PACKETS,match=0x10,mask=0xf0,flit=any" } },
	.bytes_num = { { .spec = "abox/PLAIN" } },
	.guard_num = { { .spec = "abox/PLAIN,threshold=2" } },
	.guard_den = { { .spec = "abox/SUBEVENTS" } },
	.guard = { .max = 0.5 },
	.metrics = {
		{ .name = "traffic_share_ratio", .unit = "ratio", .help = "Share of traffic of the first kind", SRC },
		{ .name = "plain_bytes_total", .unit = "bytes", .scale = 64, .help = "Bytes that were plain", SRC },
	},
	.specs = { "abox0/PLAIN", "pbox/TRAFFIC:ONE,port=1", "abox/SUBS:LOW_A:LOW.B" },
	.groups = { { .name = "first" }, { .name = "second" } },
	.id = { 6, 99 },
	.p = { .name = "fake", .title = "An invented processor", .vendor = "Maker",
	       .n_ids = 1, .n_boxes = 2,
	       .n_groups = 2, .cores = 2,
	       .anchor = { .vendor = 0x1234, .device = 0x5678, .node = 0x40, .map = 0x54 }, SRC },
	.global = { .ctl = { SPACE_MSR, 8, 0, 0, 0x600 }, .name = "GLOBAL", .enable = 1 },
};

void fake_init(struct fake *f)
{
	memcpy(f, &good, sizeof(*f));
	f->a_regs[1].fields = f->ctl_fields;
	f->a_regs[1].n_fields = 3;      /* the fourth does not fit 4 bytes: for tests of 8 */
	f->iperf.encodings = f->iperf_encodings;
	f->match.encodings = f->match_encodings;
	f->match.keys = f->keys;
	f->a_events[A_BITS].umasks = f->bits;
	f->a_events[A_ADDS].umasks = f->bits;
	for (unsigned i = 0; i < 2; i++) {
		f->numbers[i].values = &f->number_sets[i];
		f->packets[i].values = &f->packet_sets[i];
	}
	f->p_events[P_MATCH].values = &f->packets_set;
	f->p_events[P_IPERF].umasks = f->numbers;
	f->p_events[P_IPERF].selector = &f->iperf;
	f->p_events[P_MATCH].umasks = f->packets;
	f->p_events[P_MATCH].selector = &f->match;
	f->boxes[0].units = f->a_units;
	f->boxes[0].regs = f->a_regs;
	f->boxes[0].events = f->a_events;
	f->boxes[1].units = f->p_units;
	f->boxes[1].regs = f->p_regs;
	f->boxes[1].events = f->p_events;
	f->boxes[1].ports = f->ports;
	f->guard.num = f->guard_num;
	f->guard.den = f->guard_den;
	f->metrics[0].num = f->share_num;
	f->metrics[0].den = f->share_den;
	f->metrics[0].guard = &f->guard;
	f->metrics[1].num = f->bytes_num;
	f->groups[0].specs = f->specs;
	f->groups[1].specs = f->specs;
	f->p.ids = &f->id;
	for (unsigned i = 0; i < 2; i++)
		f->box_list[i] = &f->boxes[i];
	f->p.boxes = f->box_list;
	f->p.global = &f->global;
	f->metric_list = (struct cat_metrics){ f->metrics, 2 };
	f->p.metrics = &f->metric_list;
	f->p.groups = f->groups;
}
