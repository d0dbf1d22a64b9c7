/* SPDX-License-Identifier: MIT
 * The list of tables for the PMUs of Linux. */
#include "catalog/perf.h"

#include "catalog/tables/perf_tables.h"

#include <stdio.h>
#include <string.h>

const struct cat_perf *const cat_perfs[] = {
	&cat_perf_nhm, &cat_perf_nhmex,
	&cat_perf_snbep, &cat_perf_hsx, &cat_perf_skx, &cat_perf_icx, &cat_perf_spr, &cat_perf_gnr,
	&cat_perf_srf,
	&cat_perf_snb, &cat_perf_tgl, &cat_perf_mtl, &cat_perf_lnl,
	&cat_perf_zen2, &cat_perf_zen3, &cat_perf_zen4, &cat_perf_zen5, &cat_perf_zen6,
	&cat_perf_umc,
	&cat_perf_naples, &cat_perf_ryzen, &cat_perf_raphael, &cat_perf_epyc, &cat_perf_genoa,
	&cat_perf_turin, &cat_perf_zen6_df,
	&cat_perf_cmn, &cat_perf_cmn_hns, &cat_perf_cmn_both, &cat_perf_cmn_memory,
	&cat_perf_dmc620,
	&cat_perf_hip08, &cat_perf_hip09, &cat_perf_ampereone, &cat_perf_yitian, &cat_perf_cxl,
	&cat_perf_grace, &cat_perf_vera,
	&cat_perf_rapl, &cat_perf_cstate, &cat_perf_msr,
	&cat_perf_pmem, &cat_perf_hbm,
	&cat_perf_xeon_reads, &cat_perf_srf_reads, &cat_perf_xeon_home, &cat_perf_skx_latency,
	&cat_perf_icx_latency, &cat_perf_spr_latency, &cat_perf_spr_pmem, &cat_perf_xeon_io,
	&cat_perf_spr_socket, &cat_perf_xeon6_socket, &cat_perf_ep_home, &cat_perf_hsx_reads,
	&cat_perf_ep_pages, &cat_perf_snbep_pages, &cat_perf_icx_pages,
	&cat_perf_zen5_latency, &cat_perf_umc_commands, &cat_perf_genoa_sets, &cat_perf_turin_sets,
	&cat_perf_vera_links,
};
const unsigned cat_n_perfs = COUNT(cat_perfs);
_Static_assert(COUNT(cat_perfs) <= CAT_PERFS_MAX, "there is room for every table");

const char *cat_rests_on(const struct cat_perf *t, char ret[CAT_RESTS])
{
	if (!t)
		snprintf(ret, CAT_RESTS, "a model of the registers, by their manual");
	else if (t->listed)
		snprintf(ret, CAT_RESTS, "a listing of its PMUs alone: no test has counted them");
	else if (!t->executed)
		snprintf(ret, CAT_RESTS, "perf of a guest's kernel, on PMUs of known rates");
	else
		snprintf(ret, CAT_RESTS, "Linux's driver %s, executed in a guest on registers of "
			 "known rates", t->executed);
	return ret;
}

static const struct cat_perf_id *id_of(const struct cat_perf *t, const char *vendor,
				       unsigned family, unsigned model, unsigned stepping)
{
	if (t->vendor && strcmp(t->vendor, vendor) != 0)
		return NULL;
	for (unsigned i = 0; i < t->n_ids; i++)
		if (t->ids[i].family == family && t->ids[i].first <= model &&
		    model <= t->ids[i].last && t->ids[i].stepping <= stepping)
			return &t->ids[i];
	return NULL;
}

bool cat_perf_is_for(const struct cat_perf *t, const char *vendor, unsigned family, unsigned model,
		     unsigned stepping)
{
	if (t->n_ids)
		return id_of(t, vendor, family, model, stepping);
	return !t->vendor || strcmp(t->vendor, vendor) == 0;
}

const char *cat_perf_unnamed(const char *pmu)
{
	/* Linux arch/x86/events/intel/uncore_snbep.c, UNCORE_SPR_CHA and those after it */
	static const struct { const char *name, *type; } kinds[] = {
		{ "uncore_cha", "uncore_type_0" }, { "uncore_iio", "uncore_type_1" },
		{ "uncore_irp", "uncore_type_2" }, { "uncore_pcu", "uncore_type_4" },
		{ "uncore_imc", "uncore_type_6" }, { "uncore_m2m", "uncore_type_7" },
		{ "uncore_upi", "uncore_type_8" },
	};

	for (unsigned i = 0; i < COUNT(kinds); i++)
		if (strcmp(kinds[i].name, pmu) == 0)
			return kinds[i].type;
	return NULL;
}

bool cat_perf_is_instead_of(const struct cat_perf *t, const struct cat_perf *other)
{
	for (const char *const *name = t->instead_of; name && *name; name++)
		if (strcmp(*name, other->name) == 0)
			return true;
	return false;
}

bool cat_perf_is_beside(const char *pmu)
{
	for (unsigned i = 0; i < cat_n_perfs; i++) {
		const struct cat_perf *t = cat_perfs[i];

		if (!t->beside)
			continue;
		for (unsigned k = 0; k < t->n_pmus; k++)
			if (strcmp(t->pmus[k].name, pmu) == 0)
				return true;
	}
	return false;
}

static bool knows(const struct cat_perf *t, const struct cat_perf *sets, unsigned id)
{
	bool pmu = false;

	for (unsigned i = 0; i < t->n_pmus; i++)
		pmu |= strcmp(t->pmus[i].name, sets->pmus[0].name) == 0;
	return pmu && id_of(t, sets->vendor, sets->ids[id].family, sets->ids[id].first, UINT8_MAX);
}

bool cat_perf_adds_to(const struct cat_perf *sets, const struct cat_perf *t)
{
	for (unsigned id = 0; id < sets->n_ids; id++)
		for (unsigned i = 0; knows(t, sets, id); i++)
			if (!cat_perfs[i]->sets && knows(cat_perfs[i], sets, id)) {
				if (cat_perfs[i] == t)
					return true;
				break;
			}
	return false;
}

static unsigned since(const struct cat_perf *t, unsigned family, unsigned model)
{
	for (unsigned i = 0; i < t->n_since; i++)
		if (t->since[i].family == family && t->since[i].model == model)
			return t->since[i].release;
	return 0;
}

unsigned cat_perf_since(const struct cat_perf *t, const char *vendor, unsigned family,
			unsigned model, unsigned stepping)
{
	unsigned release = 0;

	if (!id_of(t, vendor, family, model, stepping))
		return 0;
	for (unsigned i = 0; t->sets && !release && i < cat_n_perfs; i++)
		if (!cat_perfs[i]->sets && cat_perf_adds_to(t, cat_perfs[i]))
			release = since(cat_perfs[i], family, model);
	return release ? release : since(t, family, model);
}

static bool holds(const struct cat_group *g, const char *spec)
{
	for (const char *const *s = g->specs; *s; s++)
		if (strcmp(*s, spec) == 0)
			return true;
	return !cat_is_event(spec);
}

static bool holds_sum(const struct cat_group *g, const struct cat_term *t)
{
	for (; t && t->spec; t++)
		if (!holds(g, t->spec))
			return false;
	return true;
}

static bool names(const struct cat_group *g, const struct cat_metric *m)
{
	for (const char *const *name = g->metrics; name && *name; name++)
		if (strcmp(*name, m->name) == 0)
			return true;
	return false;
}

bool cat_perf_yields(const struct cat_group *g, const struct cat_metric *m)
{
	return !m->absent && (!m->on_request || names(g, m)) && holds_sum(g, m->num) &&
		holds_sum(g, m->den) &&
		(!m->cycles_of || holds(g, m->cycles_of));
}
