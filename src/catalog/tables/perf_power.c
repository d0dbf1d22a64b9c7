/* SPDX-License-Identifier: MIT
 * Energy and sleep states through Linux, on any processor that has the PMUs. */
#include "catalog/tables/perf_tables.h"

/* ------------------------------------------------------------------ energy (RAPL) */

#define RAPL_C "Linux arch/x86/events/rapl.c "

#define PKG "perf/power/energy-pkg/"
#define DRAM    "perf/power/energy-ram/"
#define CORES   "perf/power/energy-cores/"
#define GPU     "perf/power/energy-gpu/"
#define SYSTEM  "perf/power/energy-psys/"

/* Whatever has power takes some: what reads the counter runs on it. */
#define ENERGY(domain_) .never_still = "Intel SDM volume 3B, RAPL Interfaces, and volume 4: MSR_" \
		domain_ "_ENERGY_STATUS is updated about every millisecond with the energy used"
#define WATTS(stem_, energy_, text_) \
	M(stem_ "_power_watts", "watts", UNIT, RAPL_C "rapl_events, the kernel's .scale", SUM(IN(energy_)), \
	  .scaled = true, .den = SUM(IN("seconds")), \
	  .help = "Mean power of " text_)

const struct cat_perf cat_perf_rapl = {
	.name = "rapl", .title = "Energy by running average power limit (RAPL)",
	.beside = true,
	PMUS({ "power", 0, RAPL_C "rapl_msrs: an MSR for each domain" }),
	EVENTS(
		P(PKG, RAPL_C "rapl_pkg", ENERGY("PKG")),
		P(DRAM, RAPL_C "rapl_ram", ENERGY("DRAM")),
		P(CORES, RAPL_C "rapl_cores", ENERGY("PP0")),
		/* A graphics processor may be without power, and take none. */
		P(GPU, RAPL_C "rapl_gpu"),
		/* Linux lists it on Sapphire Rapids without looking (no_check), also in virtual
		 * machines and on packages that do not report it: there it stays 0. */
		P(SYSTEM, RAPL_C "rapl_psys", ENERGY("PLATFORM"))),
	GROUPS(G("power", TEXTS(PKG, DRAM, CORES, GPU, SYSTEM),
	  .help = "Power of the package and of its parts")),
	METRICS(
		WATTS("package", PKG, "the package: cores and uncore"),
		WATTS("dram", DRAM, "the memory behind the package"),
		WATTS("cores", CORES, "all cores of the package"),
		WATTS("gpu", GPU, "the graphics processor in the package"),
		WATTS("system", SYSTEM,
		  "the whole system on its chip's domain psys, as the board reports it")),
};

/* ------------------------------------------------------------------ package C-states */

#define CSTATE_C "Linux arch/x86/events/intel/cstate.c "
#define TSC "perf/msr/tsc/"
#define TSC_EVENT \
	P(TSC, "Linux arch/x86/events/msr.c attr_tsc", .clock = true, \
	  .never_still = "Intel SDM volume 3B, Invariant TSC: it runs at a constant rate in all ACPI P-, C- and T-states")
#define STATE(n_) "perf/cstate_pkg/c" n_ "-residency/"
#define STATE_EVENT(n_) P(STATE(n_), CSTATE_C "attr_cstate_pkg_c" n_)
#define STATE_METRIC(n_) \
	M("package_c" n_ "_ratio", "ratio", UNIT, \
	  "Intel SDM volume 4, MSR_PKG_C" n_ "_RESIDENCY: counts at the frequency of the TSC", SUM(IN(STATE(n_))), \
	  .clamp = true, .den = SUM(IN(TSC)), \
	  .help = "Share of time in which the package was in sleep state C" n_)

const struct cat_perf cat_perf_cstate = {
	.name = "cstate", .title = "Sleep states of an Intel package (C-states)",
	.part = CAT_PART_UNKNOWN, .beside = true,
	PMUS(
		{ "cstate_pkg", 0, CSTATE_C "pkg_msr: an MSR for each state" },
		{ "cstate_core", 0, CSTATE_C "core_msr: an MSR for each state" },
		{ "cstate_module", 0, CSTATE_C "module_msr: an MSR for each state" },
		{ "msr", 0, "Linux arch/x86/events/msr.c msr[]" }),
	EVENTS(
		TSC_EVENT,
		STATE_EVENT("2"), STATE_EVENT("3"), STATE_EVENT("6"), STATE_EVENT("7"), STATE_EVENT("8"),
		STATE_EVENT("9"),
		STATE_EVENT("10")),
	/* The time stamp counter is there to be divided by: without a state that the kernel counts
	 * there is no group. */
	GROUPS(
		G("cstates",
		  TEXTS(TSC, STATE("2"), STATE("3"), STATE("6"), STATE("7"), STATE("8"), STATE("9"), STATE("10")),
		  .metrics_only = true, .help = "Share of time that the package spends in each sleep state")),
	METRICS(
		STATE_METRIC("2"), STATE_METRIC("3"), STATE_METRIC("6"), STATE_METRIC("7"), STATE_METRIC("8"),
		STATE_METRIC("9"),
		STATE_METRIC("10")),
};

/* ------------------------------------------------------------------ what the CPUs count */

/* Nothing is ready-made of it: only what its clock is, where a configuration names it. */
const struct cat_perf cat_perf_msr = {
	.name = "msr", .title = "Registers of a CPU", .beside = true,
	PMUS({ "msr", 0, "Linux arch/x86/events/msr.c msr[]" }),
	EVENTS(TSC_EVENT),
};
