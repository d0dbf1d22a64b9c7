/* SPDX-License-Identifier: MIT
 * What the tables of AMD's processors have in common; private to the room. */
#ifndef CATALOG_TABLES_PERF_AMD_H
#define CATALOG_TABLES_PERF_AMD_H

#include "catalog/tables/perf_tables.h"

#define UNCORE_C "Linux arch/x86/events/amd/uncore.c "
/* The kernel's die_id is no such part on Zen 4: it numbers core complexes. */
#define AMD_PACKAGE "and commit 57e11990f45f: topology_logical_package_id"
#define EVENTS_OF(zen_) "Linux tools/perf/pmu-events/arch/x86/amd" zen_
#define ZEN_JSON(zen_) EVENTS_OF(zen_) "/recommended.json "
/* Of Zen 4: why what the hardware samples is no time. */
#define NO_SAMPLED_TIME \
	"public sources disagree whether the events l3_xi_sampled_latency count tens of nanoseconds or of core cycles"
/* bsp_init_amd() in arch/x86/kernel/cpu/amd.c, with commit 847ebc447671. */
#define ZEN6_IDS IDS({ 26, 0x50, 0x5f, 0 }, { 26, 0x80, 0xaf, 0 }, { 26, 0xc0, 0xcf, 0 })

#endif
