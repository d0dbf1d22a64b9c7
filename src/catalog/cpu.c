/* SPDX-License-Identifier: MIT
 * The table of what processors are called, and its look-ups.
 * Owns:  names, titles, and which models they are of.
 * Never: what can be counted on one.
 * Pure; any thread.
 */
#include "catalog/cpu.h"

#include "base/name.h"
#include "catalog/tables/rows.h"

#include <stddef.h>
#include <string.h>

/* Families. */
#define P6     .vendor = INTEL, .family = 6
#define ZEN_1  .vendor = AMD, .family = 0x17            /* Zen to Zen 2 */
#define ZEN_3  .vendor = AMD, .family = 0x19            /* Zen 3, Zen 4 */
#define ZEN_5  .vendor = AMD, .family = 0x1a            /* Zen 5, Zen 6 */
#define MIDR(implementer) .vendor = "", .family = (implementer)
#define ARM     MIDR(0x41)
#define MODEL(n) .first = (n), .last = (n)
#define PART(n)  .first = (n), .last = (n)
#define MODELS(first_, last_) .first = (first_), .last = (last_)

/* Models of Intel: arch/x86/include/asm/intel-family.h of Linux, which also says that Cascade Lake
 * is stepping 7 and Cooper Lake 11 of model 85; the first ones were 5 and 10. Models of AMD:
 * bsp_init_amd() in arch/x86/kernel/cpu/amd.c, with commit 847ebc447671. Parts of Arm:
 * arch/arm64/include/asm/cputype.h. A model that is not there has no row here. */
const struct cat_cpu cat_cpus[] = {
	/* Intel, servers */
	{ "nehalem", "Nehalem-EP", P6, MODEL(0x1a) },
	{ "nehalem", "Nehalem", P6, MODELS(0x1e, 0x1f) },
	{ "westmere", "Westmere", P6, MODEL(0x25) },
	{ "westmere", "Westmere-EP", P6, MODEL(0x2c) },
	{ "nehalem-ex", "Nehalem-EX", P6, MODEL(0x2e) },
	{ "westmere-ex", "Westmere-EX", P6, MODEL(0x2f) },
	{ "snbep", "Sandy Bridge-EP", P6, MODEL(0x2d) },
	{ "ivytown", "Ivy Bridge-EP", P6, MODEL(0x3e) },
	{ "hsx", "Haswell-EP", P6, MODEL(0x3f) },
	{ "bdx", "Broadwell-EP", P6, MODEL(0x4f) },
	{ "bdxde", "Broadwell-DE", P6, MODEL(0x56) },
	{ "cpx", "Cooper Lake", P6, MODEL(0x55), .stepping = 10 },
	{ "clx", "Cascade Lake", P6, MODEL(0x55), .stepping = 5 },
	{ "skx", "Skylake-SP", P6, MODEL(0x55) },
	{ "icx", "Ice Lake-SP", P6, MODEL(0x6a) },
	{ "icx-d", "Ice Lake-D", P6, MODEL(0x6c) },
	{ "spr", "Sapphire Rapids", P6, MODEL(0x8f) },
	{ "emr", "Emerald Rapids", P6, MODEL(0xcf) },
	{ "gnr", "Granite Rapids", P6, MODEL(0xad) },
	{ "gnr-d", "Granite Rapids-D", P6, MODEL(0xae) },
	{ "srf", "Sierra Forest", P6, MODEL(0xaf) },
	{ "cwf", "Clearwater Forest", P6, MODEL(0xdd) },
	/* Intel, clients */
	{ "snb", "Sandy Bridge", P6, MODEL(0x2a) },
	{ "snb", "Ivy Bridge", P6, MODEL(0x3a) },
	{ "snb", "Haswell", P6, MODEL(0x3c) },
	{ "snb", "Haswell", P6, MODELS(0x45, 0x46) },
	{ "snb", "Broadwell", P6, MODEL(0x3d) },
	{ "snb", "Broadwell", P6, MODEL(0x47) },
	{ "snb", "Skylake", P6, MODEL(0x4e) },
	{ "snb", "Skylake", P6, MODEL(0x5e) },
	{ "snb", "Kaby Lake or Coffee Lake", P6, MODEL(0x8e) },
	{ "snb", "Kaby Lake or Coffee Lake", P6, MODEL(0x9e) },
	{ "snb", "Comet Lake", P6, MODELS(0xa5, 0xa6) },
	{ "snb", "Ice Lake", P6, MODELS(0x7d, 0x7e) },
	{ "snb", "Ice Lake NNP-I", P6, MODEL(0x9d) },
	{ "snb", "Rocket Lake", P6, MODEL(0xa7) },
	{ "tgl", "Tiger Lake", P6, MODELS(0x8c, 0x8d) },
	{ "tgl", "Alder Lake", P6, MODEL(0x97) },
	{ "tgl", "Alder Lake", P6, MODEL(0x9a) },
	{ "tgl", "Alder Lake-N", P6, MODEL(0xbe) },
	{ "tgl", "Raptor Lake", P6, MODEL(0xb7) },
	{ "tgl", "Raptor Lake", P6, MODEL(0xba) },
	{ "tgl", "Raptor Lake", P6, MODEL(0xbf) },
	{ "mtl", "Meteor Lake", P6, MODEL(0xaa) },
	{ "mtl", "Meteor Lake", P6, MODEL(0xac) },
	{ "mtl", "Arrow Lake", P6, MODEL(0xb5) },
	{ "mtl", "Arrow Lake", P6, MODELS(0xc5, 0xc6) },
	{ "lnl", "Lunar Lake", P6, MODEL(0xbd) },
	/* AMD */
	{ "zen1", "AMD Zen or Zen+", ZEN_1, MODELS(0x00, 0x2f) },
	{ "zen1", "AMD Zen or Zen+", ZEN_1, MODELS(0x50, 0x5f) },
	{ "zen2", "AMD Zen 2", ZEN_1, MODELS(0x30, 0x4f) },
	{ "zen2", "AMD Zen 2", ZEN_1, MODELS(0x60, 0x7f) },
	{ "zen2", "AMD Zen 2", ZEN_1, MODELS(0x90, 0x91) },
	{ "zen2", "AMD Zen 2", ZEN_1, MODELS(0xa0, 0xaf) },
	{ "zen3", "AMD Zen 3", ZEN_3, MODELS(0x00, 0x0f) },
	{ "zen3", "AMD Zen 3", ZEN_3, MODELS(0x20, 0x5f) },
	{ "zen4", "AMD Zen 4", ZEN_3, MODELS(0x10, 0x1f) },
	{ "zen4", "AMD Zen 4", ZEN_3, MODELS(0x60, 0xaf) },
	{ "zen5", "AMD Zen 5", ZEN_5, MODELS(0x00, 0x2f) },
	{ "zen5", "AMD Zen 5", ZEN_5, MODELS(0x40, 0x4f) },
	{ "zen5", "AMD Zen 5", ZEN_5, MODELS(0x60, 0x7f) },
	{ "zen6", "AMD Zen 6", ZEN_5, MODELS(0x50, 0x5f) },
	{ "zen6", "AMD Zen 6", ZEN_5, MODELS(0x80, 0xaf) },
	{ "zen6", "AMD Zen 6", ZEN_5, MODELS(0xc0, 0xcf) },
	/* Arm: servers, and what they are simulated on */
	{ "grace", "NVIDIA Grace", ARM, PART(0xd4f), .pmu = "nvidia_" },
	{ "neoverse-n1", "Arm Neoverse-N1", ARM, PART(0xd0c) },
	{ "neoverse-v1", "Arm Neoverse-V1", ARM, PART(0xd40) },
	{ "neoverse-n2", "Arm Neoverse-N2", ARM, PART(0xd49) },
	{ "neoverse-e1", "Arm Neoverse-E1", ARM, PART(0xd4a) },
	{ "neoverse-v2", "Arm Neoverse-V2", ARM, PART(0xd4f) },
	{ "neoverse-v3ae", "Arm Neoverse-V3AE", ARM, PART(0xd83) },
	{ "neoverse-v3", "Arm Neoverse-V3", ARM, PART(0xd84) },
	{ "neoverse-n3", "Arm Neoverse-N3", ARM, PART(0xd8e) },
	{ "cortex-a53", "Arm Cortex-A53", ARM, PART(0xd03) },
	{ "cortex-a57", "Arm Cortex-A57", ARM, PART(0xd07) },
	{ "cortex-a72", "Arm Cortex-A72", ARM, PART(0xd08) },
	{ "cortex-a76", "Arm Cortex-A76", ARM, PART(0xd0b) },
	{ "thunderx", "Cavium ThunderX", MIDR(0x43), PART(0x0a1) },
	{ "thunderx2", "Cavium ThunderX2", MIDR(0x42), PART(0x516) },
	{ "thunderx2", "Cavium ThunderX2", MIDR(0x43), PART(0x0af) },
	{ "a64fx", "Fujitsu A64FX", MIDR(0x46), PART(0x001) },
	{ "tsv110", "HiSilicon TSV110 (Kunpeng 920)", MIDR(0x48), PART(0xd01) },
	{ "hip09", "HiSilicon hip09 (Kunpeng)", MIDR(0x48), PART(0xd02) },
	{ "carmel", "NVIDIA Carmel", MIDR(0x4e), PART(0x004) },
	{ "vera", "NVIDIA Vera", MIDR(0x4e), PART(0x010) },
	{ "falkor", "Qualcomm Falkor", MIDR(0x51), PART(0xc00) },
	{ "cobalt100", "Microsoft Azure Cobalt 100", MIDR(0x6d), PART(0xd49) },
	{ "ampereone", "Ampere-1 (AmpereOne)", MIDR(0xc0), PART(0xac3) },
	{ "ampereone", "Ampere-1A (AmpereOne)", MIDR(0xc0), PART(0xac4) },
};
const unsigned cat_n_cpus = COUNT(cat_cpus);

const struct cat_cpu *cat_cpu_next(const struct cat_cpu *c, const char *vendor, unsigned family,
				   unsigned model, unsigned stepping)
{
	for (c = c ? c + 1 : cat_cpus; c < cat_cpus + cat_n_cpus; c++)
		if (c->family == family && c->first <= model && model <= c->last &&
		    c->stepping <= stepping && strcmp(c->vendor, vendor) == 0)
			return c;
	return NULL;
}

const struct cat_cpu *cat_cpu_by_name(const char *name)
{
	for (unsigned i = 0; i < cat_n_cpus; i++)
		if (name_same_unmarked(cat_cpus[i].name, name))
			return &cat_cpus[i];
	return NULL;
}
