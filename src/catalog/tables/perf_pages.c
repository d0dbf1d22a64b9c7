/* SPDX-License-Identifier: MIT
 * Pages of DRAM, which memory controllers open and close, through Linux: Sandy
 * Bridge-EP to Ice Lake-SP.
 *
 * A read or write (CAS) finds its page open (hit), no page of the bank open (empty), or another one
 * (miss), which is closed first (PRECHARGE). In the last two cases the page is opened (ACTIVATE):
 * hits are the CAS without an ACTIVATE. Of later processors no formula is published: search says
 * which of their events tell something.
 */
#include "catalog/tables/perf_intel.h"

#define IMC(terms_, name_) "perf/uncore_imc/" terms_ ",name=" name_ "/"
/* A bit each for reads, writes and the bypass. */
#define OPENED        IMC("event=0x01,umask=0x0b", "act_count")
#define MISSES        IMC("event=0x02,umask=0x01", "pre_count_page_miss")
#define SNBEP_OPENED  IMC("event=0x01", "act_count")
#define ICX_MISSES    IMC("event=0x02,umask=0x0c", "pre_count_page_miss")

#define UCEVENT "pmu-tools ucevent "
#define SHARE(name_, source_, num_, ...) \
	M("page_" name_ "_ratio", "ratio", UNIT, source_, num_, .bounded = true, \
	  .den = SUM(IN(CAS_READ), IN(CAS_WRITE)), __VA_ARGS__)
#define FOUND(what_) "Share of the memory channel's reads and writes that found " what_
/* archs_: of perfmon; lists_: of ucevent */
#define PAGES(opened_, misses_, archs_, lists_, ...) \
	PMUS({ "uncore_imc", 4, SNBEP_C "snbep_uncore_imc, ivbep_uncore_imc, hswep_uncore_imc, " \
		"bdx_uncore_imc, skx_uncore_imc, icx_uncore_imc" }), \
	EVENTS( \
		P(CAS_READ, "perfmon " archs_ " UNC_M_CAS_COUNT.RD", PUBLISHED_READ, .max_inc = 1, .cas = true), \
		P(CAS_WRITE, "perfmon " archs_ " UNC_M_CAS_COUNT.WR", PUBLISHED_WRITE, .max_inc = 1, .cas = true), \
		P(opened_, "perfmon " archs_ " UNC_M_ACT_COUNT"), \
		P(misses_, "perfmon " archs_ " UNC_M_PRE_COUNT.PAGE_MISS")), \
	GROUPS(G("pages", TEXTS(CAS_READ, CAS_WRITE, opened_, misses_), .metrics_only = true, .on_request = true, \
		 .help = "How often reads and writes of a memory channel find their page open, another one, or none")), \
	METRICS( \
		SHARE("hit", UCEVENT lists_ " iMC.PCT_REQUESTS_PAGE_HIT", \
		  SUM(IN(CAS_READ), IN(CAS_WRITE), TIMES(-1, opened_)), \
		  __VA_ARGS__ __VA_OPT__(,) .help = FOUND("their page open")), \
		SHARE("miss", UCEVENT lists_ " iMC.PCT_REQUESTS_PAGE_MISS", SUM(IN(misses_)), \
		  __VA_ARGS__ __VA_OPT__(,) .help = FOUND("another page of the bank open (a conflict)")), \
		SHARE("empty", UCEVENT lists_ " iMC.PCT_REQUESTS_PAGE_EMPTY", \
		  SUM(IN(opened_), TIMES(-1, misses_)), \
		  __VA_ARGS__ __VA_OPT__(,) .help = FOUND("no page of the bank open")))

const struct cat_perf cat_perf_ep_pages = {
	.name = "ep-pages", .title = "Intel Xeon from Ivy Bridge-EP to Cooper Lake, pages of memory",
	.vendor = INTEL, .sets = true, .max_hz = INTEL_MAX_HZ,
	IDS({ 6, 62, 62, 0 }, { 6, 63, 63, 0 }, { 6, 79, 79, 0 }, { 6, 86, 86, 0 }, { 6, 85, 85, 0 }),
	PAGES(OPENED, MISSES, "IVT, HSX, BDX, BDW-DE, SKX, CLX",
	  "ivt_uc.py, hsx_uc.py, bdx_uc.py, bdxde_uc.py, skx_uc.py"),
};

const struct cat_perf cat_perf_snbep_pages = {
	.name = "snbep-pages", .title = "Intel Xeon E5 (Sandy Bridge-EP), pages of memory",
	.vendor = INTEL, .sets = true, .max_hz = INTEL_MAX_HZ, IDS({ 6, 45, 45, 0 }),
	PAGES(SNBEP_OPENED, MISSES, "JKT", "jkt_uc.py"),
};

const struct cat_perf cat_perf_icx_pages = {
	.name = "icx-pages", .title = "Intel Xeon Scalable (Ice Lake-SP), pages of memory",
	.vendor = INTEL, .sets = true, .max_hz = INTEL_MAX_HZ, IDS({ 6, 106, 106, 0 }, { 6, 108, 108, 0 }),
	PAGES(OPENED, ICX_MISSES, "ICX", "skx_uc.py",
	  .disputed = "of ICX itself icx_uc.py has the formula of misses under the name of hits, and a difference of " \
	    "two counts for the empty ones"),
};
