/* SPDX-License-Identifier: MIT
 * Memory behind CXL through Linux, beside any processor: the PMU that CXL 3.0 defines, which counts
 * in the device. A device may have several, each with events of its own. */
#include "catalog/tables/perf_tables.h"

#define CXL_C "Linux drivers/perf/cxl_pmu.c "

#define RD      "perf/cxl_pmu_mem/m2s_req_memrd/"
#define RD_DATA "perf/cxl_pmu_mem/m2s_req_memrddata/"
#define WR      "perf/cxl_pmu_mem/m2s_rwd_memwr/"
#define WR_PART "perf/cxl_pmu_mem/m2s_rwd_memwrptl/"

const struct cat_perf cat_perf_cxl = {
	.name = "cxl", .title = "CXL memory devices",
	PMUS({ "cxl_pmu_mem", CAT_COUNTERS_UNKNOWN, CXL_C "CXL_PMU_CAP_NUM_COUNTERS_MSK" }),
	/* The driver takes the CPU on which it runs. */
	.served_anywhere = true,
	EVENTS(
		P(RD, CXL_C "m2s_req_memrd"),
		P(RD_DATA, CXL_C "m2s_req_memrddata"),
		P(WR, CXL_C "m2s_rwd_memwr"),
		P(WR_PART, CXL_C "m2s_rwd_memwrptl")),
	GROUPS(G("cxl", TEXTS(RD, RD_DATA, WR, WR_PART), .metrics_only = true,
	  .help = "Bytes read from memory behind CXL and written to it")),
	METRICS(
		M("cxl_read_bytes_total", "bytes", UNIT, "CXL 3.1 M2S Req opcodes, MemRd, MemRdData: 64 bytes",
		  SUM(IN(RD), IN(RD_DATA)),
		  .scale = 64, .help = "Bytes that the CXL memory device was asked to read, 64 for each request"),
		M("cxl_write_bytes_total", "bytes", UNIT, "CXL 3.1 M2S RwD opcodes, MemWr: a line of 64 bytes",
		  SUM(IN(WR)),
		  .scale = 64, .help = "Bytes of whole lines that were written to the CXL memory device; parts of "
			  "lines are cxl_partial_writes_total"),
		M("cxl_partial_writes_total", "writes", UNIT, "CXL 3.1 M2S RwD opcodes, MemWrPtl", SUM(IN(WR_PART)),
		  .help = "Writes of parts of a line to the CXL memory device")),
};
