/* SPDX-License-Identifier: MIT
 * What uncorectl verify compares, and with what.
 *
 * Owns:  the metrics, a row each.
 * Never: how they are compared (cmd_verify.c).
 */
#ifndef CTL_VERIFY_ROWS_H
#define CTL_VERIFY_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/* A row with `chase` is a latency: no longer than a step of the load's chase, and it does not fall
 * while the load rises. One whose `most` is not 0 has no truth, but a range. */
struct verify_row {
	const char *name;               /* a pattern of fnmatch(), whose series are added up */
	const char *of;                 /* what it is compared with, in words; NULL: nothing */
	const char *label;              /* how to call it; NULL: its name without uncore_ */
	bool read, written;             /* that is: what the load moved */
	bool chase, alone;              /* alone: only samples in which nothing is written */
	unsigned than, times;           /* not 0: what these rows count, multiplied */
	double least, most;
};

/* Is it compared with what the load moved? */
static inline bool verify_row_measured(const struct verify_row *r)
{
	return r->of && !r->than && !r->chase && r->most <= 0;
}

/* Those that other rows name, or the code. */
enum { ROW_TIME, ROW_ACTIVE, ROW_ROUNDS, ROW_WRITE, ROW_SUM, ROW_INSERTS, ROW_LATENCY };

static const struct verify_row verify_rows[] = {
	[ROW_TIME] = { .name = "uncored_last_sample_timestamp_seconds" },
	[ROW_ACTIVE] = { .name = "uncored_active_seconds_total" },
	[ROW_ROUNDS] = { .name = "uncored_rounds" },
	[ROW_WRITE] = { "uncore_memory_write_bytes_total", "what was written", .written = true },
	[ROW_SUM] = { .name = "uncore_memory_@(read|write)_bytes_total" },
	[ROW_INSERTS] = { .name = "uncore_bbox_imt_inserts_all_total" },
	[ROW_LATENCY] = { "uncore_imt_latency_seconds", "a dependent read", .read = true,
			  .chase = true },
	{ "uncore_llc_data_read_miss_latency_seconds", "a dependent read", .read = true,
	  .chase = true },
	{ "uncore_llc_miss_latency_seconds", "a dependent read", .read = true, .chase = true },
	{ "uncore_memory_read_bytes_total", "what was read", .read = true },
	{ "uncore_memory_command_read_bytes_total", "what was read", .read = true,
	  .alone = true },              /* a write may read its line for ownership */
	{ "uncore_memory_command_write_bytes_total", "what was written", .written = true },
	{ "uncore_memory_bytes_total", "what was moved", .read = true, .written = true },
	{ "uncore_die_memory_bytes_total", "what was moved", .read = true, .written = true },
	{ "uncore_memory_channels_*_bytes_total", "what was moved", "memory_channels_bytes_total",
	  .read = true, .written = true },
	{ "uncore_memory_bytes_total", "what is read and written", .than = ROW_SUM },
	{ "uncore_memory_command_write_bytes_total", "memory_write_bytes_total",
	  .than = ROW_WRITE },
	{ "uncore_imt_occupancy_entries", "imt_latency_seconds times imt_inserts_all a second",
	  .than = ROW_INSERTS, .times = ROW_LATENCY },
	{ "uncore_*clock_hertz", "0.1 to 6 GHz", "clocks", .least = 1e8, .most = 6e9 },
	/* busy: the register model takes more traffic than hardware could, and is then above 1 */
	{ "uncore_!(imt_full|imt_busy|*per_request)_ratio", "0 to 1", "ratios", .least = 0,
	  .most = 1.001 },
};

#endif
