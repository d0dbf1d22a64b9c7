/* SPDX-License-Identifier: MIT
 * Memory controllers and clock of Intel's client processors, and of Xeon E3 and E, through Linux.
 * All these counters are fixed to their event, and the kernel names them.
 */
#include "catalog/tables/perf_tables.h"

#define SNB_C "Linux arch/x86/events/intel/uncore_snb.c "
#define MEMORY(read_, write_, source_) \
	M("memory_read_bytes_total", "bytes", SOCKET, source_, SUM(IN(read_)), .scaled = true, \
	  .help = "Bytes that the memory controllers read, by the kernel's scale"), \
	M("memory_write_bytes_total", "bytes", SOCKET, source_, SUM(IN(write_)), .scaled = true, \
	  .help = "Bytes that the memory controllers wrote, by the kernel's scale")

#define CLOCKS BUS_USE("a clock that this processor's PMUs count")
#define NO_USE(source_) \
	NO_MEMORY_USE(CLOCKS, CLOCKS, source_)

#define CLOCK_HERTZ(clock_, source_) \
	M("clock_hertz", "hertz", SOCKET, source_, SUM(IN(clock_)), .den = SUM(IN("seconds")), \
	  .help = "Measured frequency of the uncore clock")

/* Bytes, and beside them the clock. */
#define WITH_CLOCK(read_, write_, source_, clock_, clock_source_) \
	EVENTS(P(read_, source_), P(write_, source_), P(clock_, clock_source_, .clock = true)), \
	GROUPS( \
		G("memory", TEXTS(read_, write_), .help = MEMORY_HELP), \
		G("clock", TEXTS(clock_), .metrics_only = true, .help = "Frequency of the uncore's clock")), \
	METRICS(MEMORY(read_, write_, source_), CLOCK_HERTZ(clock_, clock_source_), NO_USE(source_))

/* ------------------------------------------------------------------ Sandy Bridge to Rocket Lake */

#define CBOX_CLOCK "perf/uncore_cbox_0/clockticks/"
#define CBOX_SOURCE SNB_C "snb_uncore_events; single_fixed: only the first C-Box has the counter"

#define READS  "perf/uncore_imc/data_reads/"
#define WRITES "perf/uncore_imc/data_writes/"
#define SNB_SOURCE SNB_C "snb_uncore_imc_events"

const struct cat_perf cat_perf_snb = {
	.name = "snb", .title = "Intel Core, Xeon E3 and E (Sandy Bridge to Rocket Lake)",
	.vendor = INTEL, .max_hz = INTEL_MAX_HZ,
	/* Linux asm/intel-family.h: SANDYBRIDGE, IVYBRIDGE, HASWELL, _L, _G, BROADWELL, _G,
	 * SKYLAKE_L, SKYLAKE, KABYLAKE_L, KABYLAKE, COMETLAKE, _L, ICELAKE, _L, _NNPI, ROCKETLAKE;
	 * intel/uncore.c intel_uncore_match. */
	IDS({ 6, 42, 42, 0 }, { 6, 58, 58, 0 }, { 6, 60, 60, 0 },
	    { 6, 69, 70, 0 }, { 6, 61, 61, 0 }, { 6, 71, 71, 0 },
	    { 6, 78, 78, 0 }, { 6, 94, 94, 0 }, { 6, 142, 142, 0 },
	    { 6, 158, 158, 0 }, { 6, 165, 166, 0 }, { 6, 125, 126, 0 },
	    { 6, 157, 157, 0 }, { 6, 167, 167, 0 }),
	PMUS(
		{ "uncore_imc", 0, SNB_C "snb_uncore_imc_freerunning" },
		{ "uncore_cbox", 0, SNB_C "snb_uncore_cbox: the fixed counter" }),
	WITH_CLOCK(READS, WRITES, SNB_SOURCE, CBOX_CLOCK, CBOX_SOURCE),
};

/* ------------------------------------------------------------------ Tiger Lake to Raptor Lake */

#define READ  "perf/uncore_imc_free_running/data_read/"
#define WRITE "perf/uncore_imc_free_running/data_write/"
#define CLOCK "perf/uncore_clock/clockticks/"
#define CLOCK_SOURCE SNB_C "icl_uncore_clockbox"
#define TGL_SOURCE SNB_C "tgl_uncore_imc_events"

const struct cat_perf cat_perf_tgl = {
	.name = "tgl", .title = "Intel Core and Xeon E (Tiger Lake to Raptor Lake)",
	.vendor = INTEL, .max_hz = INTEL_MAX_HZ,
	/* TIGERLAKE_L, TIGERLAKE, ALDERLAKE, _L, RAPTORLAKE, ALDERLAKE_N, RAPTORLAKE_P, _S. */
	IDS({ 6, 140, 141, 0 }, { 6, 151, 151, 0 }, { 6, 154, 154, 0 },
	    { 6, 183, 183, 0 }, { 6, 190, 190, 0 }, { 6, 186, 186, 0 },
	    { 6, 191, 191, 0 }),
	PMUS(
		{ "uncore_imc_free_running", 0, SNB_C "tgl_uncore_imc_free_running, adl_uncore_imc_free_running" },
		{ "uncore_clock", 0, SNB_C "icl_uncore_clockbox, adl_uncore_clockbox: the fixed counter" }),
	WITH_CLOCK(READ, WRITE, TGL_SOURCE, CLOCK, CLOCK_SOURCE),
};

/* ------------------------------------------ Meteor Lake, Arrow Lake: the clock is another PMU's */

#define MTL_CLOCK "perf/uncore_cncu/clockticks/"
#define MTL_CLOCK_SOURCE SNB_C "mtl_uncore_cncu"

/* METEORLAKE_L, METEORLAKE, ARROWLAKE_U, ARROWLAKE_H, ARROWLAKE. */
const struct cat_perf cat_perf_mtl = {
	.name = "mtl", .title = "Intel Core Ultra (Meteor Lake, Arrow Lake)", .vendor = INTEL,
	IDS({ 6, 170, 170, 0 }, { 6, 172, 172, 0 }, { 6, 181, 181, 0 },
	    { 6, 197, 198, 0 }),
	.max_hz = INTEL_MAX_HZ,
	PMUS(
		{ "uncore_imc_free_running", 0, SNB_C "adl_uncore_imc_free_running" },
		{ "uncore_cncu", 0, SNB_C "mtl_uncore_cncu: the fixed counter" }),
	WITH_CLOCK(READ, WRITE, TGL_SOURCE, MTL_CLOCK, MTL_CLOCK_SOURCE),
};

/* ------------------------------------------------------------------ Lunar Lake */

const struct cat_perf cat_perf_lnl = {
	.name = "lnl", .title = "Intel Core Ultra (Lunar Lake)", .vendor = INTEL,
	IDS({ 6, 189, 189, 0 }),
	PMUS({ "uncore_imc_free_running", 0, SNB_C "adl_uncore_imc_free_running" }),
	EVENTS(P(READ, TGL_SOURCE), P(WRITE, TGL_SOURCE)),
	GROUPS(G("memory", TEXTS(READ, WRITE), .help = MEMORY_HELP)),
	METRICS(
		MEMORY(READ, WRITE, TGL_SOURCE),
		NO_USE(TGL_SOURCE),
		ABSENT("clock_hertz", "hertz", "the kernel has no PMU that counts this processor's uncore clock",
		  SNB_C "lnl_msr_uncores", "Measured frequency of the uncore clock")),
};
