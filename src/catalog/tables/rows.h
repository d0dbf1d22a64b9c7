/* SPDX-License-Identifier: MIT
 * How the rows of all tables are written: facts on one line, each sentence on a line below it, and
 * then the list that this row alone has. So a diff shows which of them changed. Private to the room.
 *
 * Owns:  a macro for each kind of row: what every row has, in its order, then what only some have,
 *        as .member = value; macros for lists, sums of metrics, register fields' values, a box's
 *        rows.
 * Never: facts.
 *
 * A pointer leads to what few rows have: where the loader puts an address it copies the page, in
 * both processes, and room in each row for all that a row can have would be mostly zeros that are
 * copied too: 143 pages, with twelve addends in a metric and eight targets in a unit mask. Values
 * of targets hold no address, so their pages stay shared.
 */
#ifndef CATALOG_TABLES_ROWS_H
#define CATALOG_TABLES_ROWS_H

#include "catalog/catalog.h"

/* ------------------------------------------------------------------ rows */

/* A member that is an array, and n_ with its name: the rows of the array are written in place, and
 * counted here. */
#define COUNTED(list_, type_, ...) .list_ = (const struct type_[]){ __VA_ARGS__ }, \
	.n_##list_ = COUNT(((const struct type_[]){ __VA_ARGS__ }))

/* Event: the manual's name; value of the event field; largest increment per cycle; source. Then
 * PLAIN, MASKS, SUMMED or ONE_OF, and other members of struct cat_event; on a line of its own .help,
 * a sentence: what it counts. */
#define E(name_, code_, max_inc_, source_, ...) \
	{ .name = name_, .code = code_, .max_inc = max_inc_, .source = source_, __VA_ARGS__ }
/* No unit masks; any of the list together; the same, and their increments add up; exactly one of
 * the list. d: index of the one that holds where none is given, -1 (one must be given), or
 * CAT_OPTIONAL. */
#define PLAIN           .dflt = -1
#define LIST(list, d)   .umasks = list, .n_umasks = COUNT(list), .dflt = d
#define MASKS(list, d)  LIST(list, d), .combine = CAT_UMASK_BITS
#define SUMMED(list, d) MASKS(list, d), .adds = CAT_ADDS
#define ONE_OF(list, d) LIST(list, d), .combine = CAT_UMASK_ONE
/* The same of a list that only one event has: its rows are written in place, and end the row. */
#define LIST_HERE(d, ...)   COUNTED(umasks, cat_umask, __VA_ARGS__), .dflt = d
#define MASKS_HERE(d, ...)  LIST_HERE(d, __VA_ARGS__), .combine = CAT_UMASK_BITS
#define SUMMED_HERE(d, ...) MASKS_HERE(d, __VA_ARGS__), .adds = CAT_ADDS
#define ONE_OF_HERE(d, ...) LIST_HERE(d, __VA_ARGS__), .combine = CAT_UMASK_ONE

/* Unit mask: name; value; what it lets the event count. */
#define U(name_, value_, help_, ...) { .name = name_, .value = value_, .help = help_, __VA_ARGS__ }

/* Register: the manual's name; role and access without CAT_; how many indexes; bytes; offset of the
 * first; source. Then FIELDS, and other members of struct cat_reg. */
#define R(name_, role_, access_, count_, bytes_, off_, source_, ...) \
	{ .name = name_, .role = CAT_##role_, .access = CAT_##access_, .count = count_, \
	  .bytes = bytes_, .off = off_, .source = source_, __VA_ARGS__ }
#define FIELDS(list) .fields = list, .n_fields = COUNT(list)
/* The same of a list that only one register has, written in place; it ends the row. */
#define FIELDS_HERE(...) COUNTED(fields, cat_field, __VA_ARGS__)

/* Field of a register: the manual's name; highest and lowest bit; what it does. PULSE acts when it
 * is written and need not read back; RSV must be 0. */
#define F(name, hi, lo, help)     { name, hi, lo, CAT_FIELD, help }
#define PULSE(name, hi, lo, help) { name, hi, lo, CAT_FIELD_PULSE, help }
#define RSV(hi, lo)               { "rsv", hi, lo, CAT_FIELD_RSV, NULL }

/* Key of a specification: name; register field; highest and lowest bit in it; what it does. */
#define K(name_, field_, hi_, lo_, help_, ...) \
	{ .name = name_, .field = field_, .hi = hi_, .lo = lo_, .help = help_, __VA_ARGS__ }

/* Encoding: value of the event field; its register fields: register, highest and lowest bit. */
#define ENCODING(code_, ...) { .code = code_, .fields = { __VA_ARGS__ } }

/* Of a selector: its encodings, which are written in place, like its keys, or in a list. */
#define ENCODINGS(...) COUNTED(encodings, cat_encoding, __VA_ARGS__)
#define KEYS_HERE(...) COUNTED(keys, cat_key, __VA_ARGS__)
#define KEYS(list)     .keys = list, .n_keys = COUNT(list)

/* Metric: name and unit; per UNIT or SOCKET; source; numerator, a SUM. Then other members of struct
 * cat_metric; on a line of its own .help, a sentence: what it is. */
#define M(name_, unit_, per_, source_, num_, ...) \
	{ .name = name_, .unit = unit_, .per = CAT_PER_##per_, .source = source_, .num = num_, \
	  __VA_ARGS__ }

/* Event of a PMU of Linux: specification; source. */
#define P(spec_, source_, ...) { .spec = spec_, .source = source_, __VA_ARGS__ }

/* Ready-made group: name; specifications, TEXTS. */
#define G(name_, specs_, ...) { .name = name_, .specs = specs_, __VA_ARGS__ }

/* ------------------------------------------------------------------ what rows contain */

/* Names, specifications. */
#define TEXTS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* Values for a selector's register fields. */
#define VALUES(...) &(const struct cat_values){ __VA_ARGS__ }

/* The rows of a box: the arrays regs and events of its file; its units; what a variant has more.
 * Of a processor: families and models. */
#define ROWS     .regs = regs, .n_regs = COUNT(regs), .events = events, .n_events = COUNT(events)
#define UNITS(v) .units = v, .n_units = COUNT(v)
#define UNITS_HERE(...) COUNTED(units, cat_unit, __VA_ARGS__)
#define INTEL "GenuineIntel"
#define AMD "AuthenticAMD"
#define CPUIDS(...) COUNTED(ids, cat_id, __VA_ARGS__)
#define EXTRA(v) .extra = v, .n_extra = COUNT(v)

/* Of a metric: left out where num / den is above max. */
#define GUARD(num_, den_, max_) \
	.guard = &(const struct cat_guard){ .num = SUM(num_), .den = SUM(den_), .max = max_ }

/* Of a metric: where it does not hold although its table does. */
#define EXCEPT(...) .except = (const struct cat_except[]){ __VA_ARGS__, { .why = NULL } }

/* The use of memory channels, on what the table counts of their commands and their clock: numerator;
 * clock; what one command keeps busy, in counts of the clock; bytes that a channel moves in one;
 * source. Then the highest clock with which they hold, and exceptions. */
#define OF_NO_RUN "; no public source has commands and clock of one run"
#define CHANNEL_METRICS(cas_, clock_, busy_, bytes_, source_, ...) \
	M("memory_utilization_ratio", "ratio", SOCKET, source_ OF_NO_RUN, cas_, .scale = busy_, \
	  .den = SUM(clock_), \
	  .bounded = true, .with_memory = true, __VA_ARGS__, \
	  .help = "Share of what the socket's memory channels could move that they moved; channels without memory are left out"), \
	M("memory_channel_utilization_ratio", "ratio", UNIT, source_ OF_NO_RUN, cas_, .scale = busy_, \
	  .den = SUM(clock_), \
	  .bounded = true, .with_memory = true, .on_request = true, __VA_ARGS__, \
	  .help = "Share of what the memory channel could move that it moved; one without memory has no value"), \
	CAPACITY_METRIC(clock_, bytes_, source_, __VA_ARGS__)
#define CAPACITY_METRIC(clock_, bytes_, source_, ...) \
	M("memory_channel_capacity_bytes_total", "bytes", UNIT, source_, SUM(clock_), .scale = bytes_, \
	  .on_request = true, __VA_ARGS__, \
	  .help = "Bytes that the memory channel could have moved, " #bytes_ " in each count of its clock, whether there is memory behind it or not: " \
	    "its rate less that of the bytes moved is what is left")
/* Of rows with .knee: in words, the same on every machine. */
#define KNEE_SOURCE "measured on this machine by uncorectl verify --curve; for a mix of reads and " \
	"writes between two that it measured, a byte takes a time between theirs, by the share of reads; " \
	"where one of the two has no knee, its own is that at its most traffic"
#define KNEE_HELP "Traffic at which the latency of the socket's memory is 1.5 times the least, for the " \
	"present mix of reads and writes, as uncorectl verify --curve measured it on this machine"
#define HEADROOM_HELP "Share of the traffic at the memory's knee that is left, 1 less traffic / " \
	"memory_knee_bytes_per_second: 1 in idle memory, 0 at the knee, below 0 beyond it"
#define KNEE_METRICS(read_, write_, ...) \
	M("memory_knee_bytes_per_second", "bytes_per_second", SOCKET, KNEE_SOURCE, read_, .den = write_, \
	  .knee = CAT_KNEE, __VA_ARGS__, .help = KNEE_HELP), \
	M("memory_headroom_ratio", "ratio", SOCKET, KNEE_SOURCE, read_, .den = write_, \
	  .knee = CAT_HEADROOM, __VA_ARGS__, .help = HEADROOM_HELP)
#define CHANNEL_NAMES TEXTS("memory_utilization_ratio", "memory_channel_utilization_ratio", \
	"memory_channel_capacity_bytes_total")
#define CHANNELS_HELP "Use and capacity of each memory channel, by its own clock"

/* A metric's numerator or denominator. */
#define SUM(...) (const struct cat_term[]){ __VA_ARGS__, { .spec = NULL } }

#endif
