/* SPDX-License-Identifier: MIT
 * A small processor with one of everything, in memory that a test may spoil.
 *
 *   abox   two counters and a fixed one, two units, PCI; a plain control word
 *   pbox   four counters, two ports, one unit; events reach them through sub-registers
 */
#ifndef TESTS_FAKE_H
#define TESTS_FAKE_H

#include "catalog/catalog.h"

enum { A_CLOCK, A_PLAIN, A_BITS, A_ADDS, A_EVENTS };
enum { P_IPERF, P_MATCH, P_EVENTS };

struct fake {
	struct cat_field ctl_fields[4];
	struct cat_reg a_regs[5], p_regs[7];
	struct cat_unit a_units[2], p_units[1];
	struct cat_values number_sets[2], packet_sets[2], packets_set;
	struct cat_umask bits[4], numbers[2], packets[2];
	struct cat_port ports[2];
	struct cat_encoding iperf_encodings[2], match_encodings[1];
	struct cat_key keys[4];
	struct cat_selector iperf, match;
	struct cat_event a_events[A_EVENTS], p_events[P_EVENTS];
	struct cat_box boxes[2];
	const struct cat_box *box_list[2];
	struct cat_term share_num[2], share_den[3], bytes_num[2], guard_num[2], guard_den[2];
	struct cat_guard guard;
	struct cat_metric metrics[2];
	struct cat_metrics metric_list;
	struct cat_global global;
	struct cat_overflows overflows;
	const char *specs[4];
	struct cat_group groups[2];
	struct cat_id id;
	struct cat_processor p;
};

/* The tables are linked to each other inside *f: do not copy it. */
void fake_init(struct fake *f);

#endif
