/* SPDX-License-Identifier: MIT
 * What processors are called. The names expected here were looked up where the table's were not:
 * for Intel in mapfile.csv of intel/perfmon, commit 6dadedf3aa48 (its words in comments where they
 * differ); for AMD and Arm in tools/perf/pmu-events/arch/{x86,arm64}/mapfile.csv of Linux; Neoverse
 * V2 in libpfm4, which detects it. Of Zen 6 there is one source, the kernel's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/catalog.h"
#include "catalog/cpu.h"
#include "catalog/perf.h"

#include "base/bits.h"

#include <string.h>

static const char intel[] = "GenuineIntel", amd[] = "AuthenticAMD";

static const struct {
	int line;
	const char *vendor;
	unsigned family, model, stepping;
	const char *name;           /* NULL: no row */
} rows[] = {
	{ __LINE__, intel, 6, 0x1a, 5, "nehalem" },             /* NHM-EP */
	{ __LINE__, intel, 6, 0x1e, 5, "nehalem" },
	{ __LINE__, intel, 6, 0x1f, 1, "nehalem" },
	{ __LINE__, intel, 6, 0x25, 2, "westmere" },            /* WSM-EP-SP */
	{ __LINE__, intel, 6, 0x2c, 2, "westmere" },            /* WSM-EP-DP */
	{ __LINE__, intel, 6, 0x2e, 6, "nehalem-ex" },
	{ __LINE__, intel, 6, 0x2f, 2, "westmere-ex" },
	{ __LINE__, intel, 6, 0x2d, 7, "snbep" },               /* JKT */
	{ __LINE__, intel, 6, 0x3e, 4, "ivytown" },             /* IVT */
	{ __LINE__, intel, 6, 0x3f, 2, "hsx" },
	{ __LINE__, intel, 6, 0x4f, 1, "bdx" },
	{ __LINE__, intel, 6, 0x56, 3, "bdxde" },               /* BDW-DE */
	{ __LINE__, intel, 6, 0x55, 0, "skx" },                 /* 6-55-[01234] */
	{ __LINE__, intel, 6, 0x55, 4, "skx" },
	{ __LINE__, intel, 6, 0x55, 5, "clx" },                 /* 6-55-[56789ABCDEF] */
	{ __LINE__, intel, 6, 0x55, 7, "clx" },
	{ __LINE__, intel, 6, 0x55, 10, "cpx" },                /* QEMU: Cooperlake-v1 is 10, */
	{ __LINE__, intel, 6, 0x55, 11, "cpx" },                /* a Xeon 8380H is 11 */
	{ __LINE__, intel, 6, 0x6a, 6, "icx" },
	{ __LINE__, intel, 6, 0x6c, 1, "icx-d" },               /* ICX */
	{ __LINE__, intel, 6, 0x8f, 8, "spr" },
	{ __LINE__, intel, 6, 0xcf, 2, "emr" },
	{ __LINE__, intel, 6, 0xad, 1, "gnr" },
	{ __LINE__, intel, 6, 0xae, 1, "gnr-d" },               /* GNR */
	{ __LINE__, intel, 6, 0xaf, 3, "srf" },
	{ __LINE__, intel, 6, 0xdd, 0, "cwf" },
	/* clients have one name for each uncore: SNB, IVB, HSW, BDW, SKL, ICL, RKL */
	{ __LINE__, intel, 6, 0x2a, 7, "snb" },
	{ __LINE__, intel, 6, 0x3a, 9, "snb" },
	{ __LINE__, intel, 6, 0x3c, 3, "snb" },
	{ __LINE__, intel, 6, 0x45, 1, "snb" },
	{ __LINE__, intel, 6, 0x46, 1, "snb" },
	{ __LINE__, intel, 6, 0x3d, 4, "snb" },
	{ __LINE__, intel, 6, 0x47, 1, "snb" },
	{ __LINE__, intel, 6, 0x4e, 3, "snb" },
	{ __LINE__, intel, 6, 0x5e, 3, "snb" },
	{ __LINE__, intel, 6, 0x8e, 10, "snb" },
	{ __LINE__, intel, 6, 0x9e, 13, "snb" },
	{ __LINE__, intel, 6, 0xa5, 5, "snb" },
	{ __LINE__, intel, 6, 0xa6, 0, "snb" },
	{ __LINE__, intel, 6, 0x7d, 1, "snb" },
	{ __LINE__, intel, 6, 0x7e, 5, "snb" },
	{ __LINE__, intel, 6, 0xa7, 1, "snb" },
	{ __LINE__, intel, 6, 0x8c, 1, "tgl" },                 /* TGL, ADL */
	{ __LINE__, intel, 6, 0x8d, 1, "tgl" },
	{ __LINE__, intel, 6, 0x97, 2, "tgl" },
	{ __LINE__, intel, 6, 0x9a, 3, "tgl" },
	{ __LINE__, intel, 6, 0xb7, 1, "tgl" },
	{ __LINE__, intel, 6, 0xba, 2, "tgl" },
	{ __LINE__, intel, 6, 0xbe, 0, "tgl" },
	{ __LINE__, intel, 6, 0xbf, 2, "tgl" },
	{ __LINE__, intel, 6, 0xaa, 4, "mtl" },                 /* MTL, ARL */
	{ __LINE__, intel, 6, 0xac, 1, "mtl" },
	{ __LINE__, intel, 6, 0xb5, 0, "mtl" },
	{ __LINE__, intel, 6, 0xc5, 2, "mtl" },
	{ __LINE__, intel, 6, 0xc6, 2, "mtl" },
	{ __LINE__, intel, 6, 0xbd, 1, "lnl" },
	/* what uncored knows nothing of: Snow Ridge, Knights Landing, Panther Lake, Nova Lake */
	{ __LINE__, intel, 6, 0x86, 5, NULL },
	{ __LINE__, intel, 6, 0x57, 1, NULL },
	{ __LINE__, intel, 6, 0xcc, 1, NULL },
	{ __LINE__, intel, 18, 1, 0, NULL },
	/* 23-([12][0-9A-F]|[0-9A-F]), else Zen 2; 25-([245]x|x), else Zen 4; 26: Zen 5 */
	{ __LINE__, amd, 23, 0x01, 2, "zen1" },
	{ __LINE__, amd, 23, 0x08, 2, "zen1" },
	{ __LINE__, amd, 23, 0x11, 0, "zen1" },
	{ __LINE__, amd, 23, 0x18, 1, "zen1" },
	{ __LINE__, amd, 23, 0x20, 1, "zen1" },
	{ __LINE__, amd, 23, 0x31, 0, "zen2" },
	{ __LINE__, amd, 23, 0x60, 1, "zen2" },
	{ __LINE__, amd, 23, 0x68, 1, "zen2" },
	{ __LINE__, amd, 23, 0x71, 0, "zen2" },
	{ __LINE__, amd, 23, 0x90, 2, "zen2" },
	{ __LINE__, amd, 23, 0xa0, 0, "zen2" },
	{ __LINE__, amd, 25, 0x01, 1, "zen3" },
	{ __LINE__, amd, 25, 0x08, 2, "zen3" },
	{ __LINE__, amd, 25, 0x21, 0, "zen3" },
	{ __LINE__, amd, 25, 0x44, 1, "zen3" },
	{ __LINE__, amd, 25, 0x50, 0, "zen3" },
	{ __LINE__, amd, 25, 0x11, 1, "zen4" },
	{ __LINE__, amd, 25, 0x61, 2, "zen4" },
	{ __LINE__, amd, 25, 0x74, 1, "zen4" },
	{ __LINE__, amd, 25, 0xa0, 2, "zen4" },
	{ __LINE__, amd, 26, 0x02, 1, "zen5" },
	{ __LINE__, amd, 26, 0x11, 0, "zen5" },
	{ __LINE__, amd, 26, 0x24, 0, "zen5" },
	{ __LINE__, amd, 26, 0x44, 0, "zen5" },
	{ __LINE__, amd, 26, 0x70, 0, "zen5" },
	{ __LINE__, amd, 26, 0x50, 0, "zen6" },
	{ __LINE__, amd, 26, 0xa0, 0, "zen6" },
	{ __LINE__, amd, 26, 0xff, 0, NULL },
	{ __LINE__, amd, 21, 0x02, 0, NULL },
	/* vendors number families and models on their own */
	{ __LINE__, amd, 6, 0x55, 4, NULL },
	{ __LINE__, "HygonGenuine", 24, 1, 1, NULL },
	{ __LINE__, "CentaurHauls", 6, 0x1f, 0, NULL },
	{ __LINE__, "", 6, 0x55, 4, NULL },
	{ __LINE__, "", 0, 0, 0, NULL },
	/* bits 24 to 31 and 4 to 15 of the MIDR */
	{ __LINE__, "", 0x41, 0xd0c, 0, "neoverse-n1" },
	{ __LINE__, "", 0x41, 0xd40, 0, "neoverse-v1" },
	{ __LINE__, "", 0x41, 0xd49, 0, "neoverse-n2" },
	{ __LINE__, "", 0x41, 0xd4f, 0, "neoverse-v2" },
	{ __LINE__, "", 0x41, 0xd0b, 0, "cortex-a76" },
	{ __LINE__, "", 0x42, 0x516, 0, "thunderx2" },
	{ __LINE__, "", 0x43, 0x0af, 0, "thunderx2" },
	{ __LINE__, "", 0x46, 0x001, 0, "a64fx" },
	{ __LINE__, "", 0x48, 0xd01, 0, "tsv110" },             /* hip08 */
	{ __LINE__, "", 0x48, 0xd02, 0, "hip09" },              /* Linux cputype.h HISI_CPU_PART_HIP09 */
	{ __LINE__, "", 0x4e, 0x010, 0, "vera" },               /* Linux cputype.h NVIDIA_CPU_PART_OLYMPUS */
	{ __LINE__, "", 0xc0, 0xac3, 0, "ampereone" },
	{ __LINE__, "", 0xc0, 0xac4, 0, "ampereone" },          /* ampereonex */
	{ __LINE__, "", 0x43, 0xd0c, 0, NULL },
	{ __LINE__, "", 0x41, 0xfff, 0, NULL },
};

/* The name where the kernel has no PMU by which it would be another one. */
static const char *name_of(const char *vendor, unsigned family, unsigned model, unsigned stepping)
{
	const struct cat_cpu *c = NULL;

	while ((c = cat_cpu_next(c, vendor, family, model, stepping)))
		if (!c->pmu)
			return c->name;
	return NULL;
}

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *name = name_of(rows[i].vendor, rows[i].family, rows[i].model,
					   rows[i].stepping);

		if (!name != !rows[i].name || (name && strcmp(name, rows[i].name) != 0))
			fail_msg("line %d: %s", rows[i].line, name ? name : "no name");
	}
}

/* Grace has Neoverse V2 and NVIDIA's PMUs. */
static void test_by_a_pmu(void **state)
{
	const struct cat_cpu *c = cat_cpu_next(NULL, "", 0x41, 0xd4f, 0);

	(void)state;
	assert_string_equal(c->name, "grace");
	assert_non_null(strstr("nvidia_scf_pmu_0", c->pmu));
	assert_null(cat_cpu_next(cat_cpu_next(c, "", 0x41, 0xd4f, 0), "", 0x41, 0xd4f, 0));
}

/* As people type them. */
static void test_by_name(void **state)
{
	static const struct { int line; const char *typed, *name; } typed[] = {
		{ __LINE__, "spr", "spr" }, { __LINE__, "SPR", "spr" },
		{ __LINE__, "icxd", "icx-d" }, { __LINE__, "bdx-de", "bdxde" },
		{ __LINE__, "nehalem_ex", "nehalem-ex" },
		{ __LINE__, "neoverse-n1", "neoverse-n1" },
		{ __LINE__, "Neoverse_N1", "neoverse-n1" }, { __LINE__, "zen4-", "zen4" },
		{ __LINE__, "sp", NULL }, { __LINE__, "sprx", NULL }, { __LINE__, "", NULL },
		{ __LINE__, "-", NULL }, { __LINE__, "other", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(typed); i++) {
		const struct cat_cpu *c = cat_cpu_by_name(typed[i].typed);

		if (!c != !typed[i].name || (c && strcmp(c->name, typed[i].name) != 0))
			fail_msg("line %d: %s", typed[i].line, c ? c->name : "none");
	}
	for (unsigned i = 0; i < cat_n_cpus; i++)
		assert_string_equal(cat_cpu_by_name(cat_cpus[i].name)->name, cat_cpus[i].name);
}

/* Where registers are known, the processor has the name that its table has. */
static void test_processors_have_these_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];

		for (unsigned k = 0; k < p->n_ids; k++)
			assert_string_equal(p->name, name_of(p->vendor, p->ids[k].family,
							     p->ids[k].model, 0));
	}
}

/* Has every processor for which there is something ready-made a name? Of a range the first model
 * that has one: tables end where nobody has said what comes next. */
static void test_tables_are_of_named_processors(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cat_n_perfs; i++) {
		const struct cat_perf *t = cat_perfs[i];

		for (unsigned k = 0; k < t->n_ids; k++) {
			const struct cat_perf_id *id = &t->ids[k];
			unsigned model = id->first;

			while (model <= id->last &&
			       !name_of(t->vendor, id->family, model, id->stepping))
				model++;
			if (model > id->last)
				fail_msg("%s: family %u models %u to %u have no name", t->name,
					 id->family, id->first, id->last);
		}
	}
}

/* Each row is the name of something: none stands behind one that holds for all of it. */
static void test_every_row_is_reached(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cat_n_cpus; i++) {
		const struct cat_cpu *c = &cat_cpus[i], *first;

		assert_true(c->first <= c->last);
		first = cat_cpu_next(NULL, c->vendor, c->family, c->first, c->stepping);
		if (first->pmu && !c->pmu)
			first = cat_cpu_next(first, c->vendor, c->family, c->first, c->stepping);
		if (first != c)
			fail_msg("%s, %s: %s comes first", c->name, c->title, first->title);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_by_a_pmu),
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_processors_have_these_names),
		cmocka_unit_test(test_tables_are_of_named_processors),
		cmocka_unit_test(test_every_row_is_reached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
