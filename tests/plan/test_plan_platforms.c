/* SPDX-License-Identifier: MIT
 * The PMUs that the kernel's drivers make on real machines: boxes, units,
 * sockets, encodings.
 * The trees (src/topo/machines) say what the drivers put into sysfs. What is expected of them here
 * comes from elsewhere: the numbers of units from the processors' guides, values from their tables
 * of events or put together by hand. Every term of every PMU is also checked bit by bit with a
 * reading of format/ that is not ours.
 */
#include "plan_test.h"
#include "sysfs_tree.h"

#include "spec/kernel.h"

#include <stdlib.h>

static struct arena *arena;

#define COUNT_OF(v) (sizeof(v) / sizeof((v)[0]))

static struct sysfs_tree tree;
static struct topo *topo;
static struct topo_pmus *pmus;

static void open_tree(const char *text)
{
	tree_make(&tree, text);
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
}

static void close_tree(void)
{
	topo_pmus_free(pmus);
	topo_free(topo);
	tree_drop(&tree);
}

static struct made make_spec(int line, const char *spec)
{
	char text[512];
	struct made m;

	snprintf(text, sizeof(text), "groups = ( { name = \"g\"; events = [ \"%s\" ]; } );", spec);
	m = make_for_kernel(text, topo, pmus);
	if (m.r < 0)
		fail_msg("line %d: %s", line, m.d.v[0]);
	return m;
}

/* ------------------------------------------------------------------ boxes and units */

/* Units that a socket has; "a|b" where the sockets differ; none: one that has no number. */
#define SERVER "power cstate_core:0-3 cstate_pkg "
#define SKYLAKE \
	SERVER "ubox cha:0-27 iio:0-5 iio_free_running:0-5 irp:0-5 pcu imc:0-5 m2m:0-1 upi:0-2 " \
	       "m2pcie:0-3 m3upi:0-2"
#define SAPPHIRE "iio:0-11 irp:0-11 m2pcie:0-11 pcu type_5 imc:0-7 m2m:0-3 mdf:0-19 " \
		 "iio_free_running:0-11 upi:0-3 m3upi:0-3 imc_free_running:0-3"
#define CLIENT "power cstate_core:0-3 cstate_pkg "
#define ROME "power amd_df amd_l3:0-3 amd_iommu:0-3|"
#define GENOA "power amd_df amd_l3:0-5 amd_umc:0-11|12-23 amd_iommu:0-3|"

static const struct platform {
	int line;
	const char *tree;
	unsigned family, model, sockets;
	const char *boxes;
} platforms[] = {
	{ __LINE__, "nehalem.txt", 6, 26, 2, "uncore" },
	{ __LINE__, "westmere.txt", 6, 44, 2, "uncore" },
	{ __LINE__, "nehalem_ex.txt", 6, 46, 2, "bbox:0-1 cbox:0-1 mbox:0-1 rbox:0-1 sbox:0-1 ubox wbox" },
	{ __LINE__, "snbep.txt", 6, 45, 2, SERVER "ubox cbox:0-7 pcu ha imc:0-3 qpi:0-1 r2pcie r3qpi:0-1" },
	{ __LINE__, "ivt.txt", 6, 62, 2, SERVER "ubox cbox:0-9 pcu ha:0 imc:0-3 irp qpi:0-1 r2pcie r3qpi:0" },
	{ __LINE__, "hsx.txt", 6, 63, 2, SERVER "ubox cbox:0-17 sbox:0-3 pcu ha:0-1 imc:0-1,4-5 irp qpi:0-1 r2pcie r3qpi:0-1" },
	{ __LINE__, "bdx.txt", 6, 79, 2, SERVER "ubox cbox:0-21 pcu sbox:0-3 ha:0-1 imc:0-1,4-5 irp qpi:0-1 r2pcie r3qpi:0-1" },
	{ __LINE__, "bdxde.txt", 6, 86, 1, SERVER "ubox cbox:0-7 pcu ha:0 imc:0-1 irp r2pcie" },
	{ __LINE__, "skx.txt", 6, 85, 2, SKYLAKE },
	{ __LINE__, "clx.txt", 6, 85, 2, SKYLAKE },
	/* six links, three of which the driver knows */
	{ __LINE__, "cpx.txt", 6, 85, 2, SKYLAKE },
	/* two dies: the units of one have even numbers */
	{ __LINE__, "clxap.txt", 6, 85,
	  2, "power:0-1 cstate_core:0-3 cstate_pkg:0-1 ubox:0-1 cha:0-55 iio:0-11 "
		"iio_free_running:0-11 irp:0-11 "
		"pcu:0-1 imc:0-11 m2m:0-3 upi:0-5 m2pcie:0-7 m3upi:0-5" },
	{ __LINE__, "icx.txt", 6, 106, 2,
	  SERVER "ubox cha:0-39 iio:0-5 irp:0-5 m2pcie:0-5 pcu iio_free_running:0-5 m2m:0-3 "
		"upi:0-2 m3upi:0-2 "
		"imc:0-11 imc_free_running:0-3" },
	{ __LINE__, "spr.txt", 6, 143, 2, SERVER "cha:0-55 " SAPPHIRE },
	{ __LINE__, "sprhbm.txt", 6, 143, 2, SERVER "cha:0-55 hbm:0-31 " SAPPHIRE },
	{ __LINE__, "emr.txt", 6, 207, 2, SERVER "cha:0-59 " SAPPHIRE },
	{ __LINE__, "gnr.txt", 6, 173, 2,
	  SERVER "cha:0-127 iio:0-15 irp:0-15 pcu:0-4 ubox imc:0-11 upi:0-5 b2hot:0-3 b2cmi:0-11 "
		"b2cxl:0-3 "
		"b2upi:0-5 mdf_sbo:0-95 pciex16:0-7 pciex8:0-3 iio_free_running:0-15" },
	{ __LINE__, "srf.txt", 6, 175, 2,
	  SERVER "cha:0-127 iio:0-15 irp:0-15 pcu:0-4 ubox imc:0-11 upi:0-5 b2hot:0-3 b2cmi:0-11 "
		"b2cxl:0-3 "
		"b2upi:0-5 mdf_sbo:0-95 pciex16:0-7 pciex8:0-3 iio_free_running:0-15" },
	{ __LINE__, "cwf.txt", 6, 221, 2,
	  SERVER "cha:0-127 iio:0-15 irp:0-15 pcu:0-4 ubox imc:0-11 upi:0-5 b2hot:0-3 b2cmi:0-11 "
		"b2cxl:0-3 "
		"b2upi:0-5 mdf_sbo:0-95 pciex16:0-7 pciex8:0-3 iio_free_running:0-15" },
	{ __LINE__, "skl.txt", 6, 94, 1, CLIENT "cbox:0-3 arb imc" },
	{ __LINE__, "tgl.txt", 6, 140, 1, CLIENT "cbox:0-3 arb clock imc_free_running:0-1" },
	{ __LINE__, "adl.txt", 6, 151, 1, CLIENT "cbox:0-9 arb:0-1 clock imc:0-1 imc_free_running:0-1" },
	{ __LINE__, "mtl.txt", 6, 170, 1, CLIENT "cbox:0-5 hac_arb:0-1 arb:0-1 hac_cbox:0-1 cncu sncu imc:0-1 imc_free_running:0-1" },
	{ __LINE__, "lnl.txt", 6, 189, 1, CLIENT "cbox:0-3 hbo:0-1 sncu imc:0-1 imc_free_running:0-1" },
	{ __LINE__, "zen1.txt", 23, 1, 2, "power amd_df:0-3 amd_l3:0-7 amd_iommu:0-3|" },
	{ __LINE__, "zen2.txt", 23, 49, 2, ROME },
	{ __LINE__, "zen3.txt", 25, 1, 2, ROME },
	{ __LINE__, "zen4.txt", 25, 17, 2, GENOA },
	{ __LINE__, "zen5.txt", 26, 2, 2, GENOA },
	{ __LINE__, "zen6.txt", 26, 80, 2, "power amd_df amd_l3:0-5 amd_umc:0-11|12-23" },
	{ __LINE__, "ryzen.txt", 23, 113, 1, "power amd_df amd_l3:0-3" },
	{ __LINE__, "raphael.txt", 25, 97, 1, "power amd_df amd_l3:0-1" },
	{ __LINE__, "cmn600.txt", 0, 0, 1, "arm_cmn:0 arm_dmc620:0-3 arm_dsu:0-3" },
	{ __LINE__, "cmn700.txt", 0, 0, 1, "arm_cmn:0-1" },
	{ __LINE__, "altra2.txt", 0, 0, 2, "arm_cmn:0|1 arm_dmc620:0-1|2-3" },
	{ __LINE__, "grace.txt", 0, 0, 2,
	  "nvidia_scf_pmu:0|1 nvidia_pcie_pmu:0|1 nvidia_nvlink_c2c0_pmu:0|1 "
		"nvidia_nvlink_c2c1_pmu:0|1 nvidia_cnvlink_pmu:0|1" },
	{ __LINE__, "vera.txt", 0, 0, 2,
	  "nvidia_ucf_pmu:0|1 nvidia_cmem_latency_pmu:0|1 nvidia_pcie_pmu_rc:0-5|6-11 "
		"nvidia_pcie_tgt_pmu_rc:0-5|6-11 nvidia_nvlink_c2c_pmu:0|1 "
		"nvidia_nvclink_pmu:0|1" },
	{ __LINE__, "cmns3.txt", 0, 0, 1, "arm_cmn:0-1 cxl_pmu_mem:0-3" },
	{ __LINE__, "kunpeng920.txt", 0, 0, 2,
	  "hisi_sccl_ddrc:0-7|8-15 hisi_sccl_hha:0-3|4-7 hisi_sccl_l3c:0-11|12-23" },
	{ __LINE__, "kunpeng930.txt", 0, 0, 1,
	  "hisi_sccl_ddrc:0-7 hisi_sccl_hha:0-3 hisi_sccl_l3c:0-7 hisi_sicl_pa:0-1" },
	{ __LINE__, "ampereone.txt", 0, 0, 1, "ampere_mcu_pmu:0-7" },
	{ __LINE__, "yitian710.txt", 0, 0, 1, "arm_cmn:0 ali_drw:0-7" },
};

/* Is unit in "0-1,4"? */
static bool has_unit(const char *list, unsigned unit)
{
	for (const char *s = list; *s && *s != '|'; s += *s == ',') {
		char *end;
		unsigned long first = strtoul(s, &end, 10),
			last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (unit >= first && unit <= last)
			return true;
		s = end;
	}
	return false;
}

static unsigned n_units(const char *list)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 1024; i++)
		n += has_unit(list, i);
	return n;
}

static bool cpu_serves(const char *pmu, unsigned socket, int cpu)
{
	const struct topo_pmu *p = topo_pmu_find(pmus, pmu);
	bool in_mask = false, in_socket = false;

	for (unsigned i = 0; i < p->n_cpumask; i++)
		in_mask |= (int)p->cpumask[i] == cpu;
	for (unsigned i = 0; i < topo->sockets[socket].n_cpus; i++)
		in_socket |= (int)topo->sockets[socket].cpus[i].cpu == cpu;
	/* what a device of the socket counts may be served from another one */
	return in_mask && (in_socket || (p->has_home &&
					 p->home == topo->sockets[socket].cpus[0].cpu));
}

/* All instances of a box, each once on each socket, in order, where its cpumask says. */
static void check_box(const struct platform *p, const char *box, const char *list)
{
	char spec[128];
	struct made m;

	snprintf(spec, sizeof(spec), "perf/%s/config=1,name=x/", box);
	m = make_spec(p->line, spec);
	assert_int_equal(m.p->n_sockets, p->sockets);
	for (unsigned s = 0; s < p->sockets; s++) {
		const struct plan_round *r = &m.p->sockets[s].rounds[0];

		if (s && strchr(list, '|'))
			list = strchr(list, '|') + 1;
		if (r->n_slots != n_units(list))
			fail_msg("line %d: %s: %u units on socket %u, not %u", p->line, box,
				 r->n_slots, s, n_units(list));
		for (unsigned i = 0; i < r->n_slots; i++) {
			const struct plan_slot *slot = &r->slots[i];
			const struct plan_perf *e =
				&m.p->sockets[s].perf->rounds[0].events[slot->engine_slot];

			if (strcmp(slot->box_name, box) != 0 || !has_unit(list, slot->unit) ||
			    (i && slot->unit <= r->slots[i - 1].unit))
				fail_msg("line %d: %s: unit %u of %s is number %u", p->line, box,
					 slot->unit, slot->box_name, i);
			if (!cpu_serves(e->pmu, s, e->cpu) ||
			    topo_pmu_find(pmus, e->pmu)->type != e->type)
				fail_msg("line %d: %s%u: CPU %d, type %u", p->line, box, slot->unit,
					 e->cpu, e->type);
		}
	}
	made_done(&m);
}

static void check_boxes(const struct platform *p)
{
	char text[512], all[512], *save = NULL;

	assert_int_equal(topo->family, p->family);
	assert_int_equal(topo->model, p->model);
	snprintf(text, sizeof(text), "%s", p->boxes);
	snprintf(all, sizeof(all), " %s ", p->boxes);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *list = strchr(w, ':');

		if (list)
			*list++ = '\0';
		check_box(p, w, list ? list : "0");
	}
	for (unsigned k = 0; k < pmus->n; k++) {        /* and no box besides */
		char box[PERF_NAME], word[PERF_NAME + 2], units[PERF_NAME + 2];
		int number;

		perf_pmu_box(pmus->v[k].name, box, sizeof(box), &number);
		snprintf(word, sizeof(word), " %s ", box);
		snprintf(units, sizeof(units), " %s:", box);
		if (pmus->v[k].cpumask && !strstr(all, word) && !strstr(all, units))
			fail_msg("line %d: the box of %s is '%s'", p->line, pmus->v[k].name, box);
	}
}

/* ---------------------------------------------------------- every term of every PMU, bit by bit */

/* "config1:0-3,8" as a list of bit numbers, lowest of the value first. Returns how many. */
static unsigned bits_of(const char *text, unsigned *ret_word, unsigned bits[64])
{
	const char *s = strchr(text, ':');
	unsigned n = 0;

	assert_non_null(s);
	*ret_word = s[-1] == '1' || s[-1] == '2' ? (unsigned)(s[-1] - '0') : 0;
	for (char *end; *s; s = end) {
		unsigned long first = strtoul(s + 1, &end, 10),
			last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		for (unsigned long b = first; b <= last; b++)
			bits[n++] = (unsigned)b;
	}
	return n;
}

static void deal_out(const char *format, uint64_t value, uint64_t config[3])
{
	unsigned word, bits[64], n = bits_of(format, &word, bits);

	for (unsigned i = 0; i < n; i++)
		if (value >> i & 1)
			config[word] |= UINT64_C(1) << bits[i];
}

static const char *format_of(const struct topo_pmu *p, const char *name)
{
	for (unsigned i = 0; i < p->n_format; i++)
		if (strcmp(p->format[i].name, name) == 0)
			return p->format[i].text;
	/* perf's own term */
	return strcmp(name, "config") == 0 ? "config:0-63" : NULL;
}

static void check_encoded(const char *where, const char *spec, const uint64_t want[3],
			  const char *refusal)
{
	struct spec s = { 0 };
	struct spec_perf p = { 0 };
	struct err err = { "" };
	int r = spec_parse(arena, spec, &s, &err);

	if (r == 0)
		r = perf_resolve(arena, pmus, &s, &p, &err);
	if (refusal ? r == 0 || !strstr(err.text, refusal) : r < 0)
		fail_msg("%s: %s: %s", where, spec, err.text[0] ? err.text : "accepted");
	for (unsigned i = 0; r == 0 && i < p.n; i++)
		if (memcmp(p.v[i].config, want, sizeof(p.v[i].config)) != 0)
			fail_msg("%s: %s: 0x%llx 0x%llx 0x%llx", where, spec,
				 (unsigned long long)p.v[i].config[0],
				 (unsigned long long)p.v[i].config[1],
				 (unsigned long long)p.v[i].config[2]);
}

/* Lowest bit, highest bit, a pattern, all of it; and a value of one bit too many. */
static void check_term(const char *where, const struct topo_pmu *p, const struct topo_term *f)
{
	unsigned word, bits[64], n = bits_of(f->text, &word, bits);
	uint64_t all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1,
		values[] = { 1, UINT64_C(1) << (n - 1), all & 0xa5a5a5a5a5a5a5a5, all };
	char spec[256];

	for (unsigned i = 0; i < COUNT_OF(values); i++) {
		uint64_t want[3] = { 0 };

		deal_out(f->text, values[i], want);
		snprintf(spec, sizeof(spec), "perf/%s/%s=0x%llx,name=x/", p->name, f->name,
			 (unsigned long long)values[i]);
		check_encoded(where, spec, want, NULL);
	}
	snprintf(spec, sizeof(spec), "perf/%s/%s=0x%llx,name=x/", p->name, f->name,
		 (unsigned long long)all + 1);
	if (n < 64)
		check_encoded(where, spec, NULL, "does not fit");
}

/* The text of an event, term by term. */
static void check_event(const char *where, const struct topo_pmu *p, const struct topo_term *e)
{
	uint64_t want[3] = { 0 };
	char spec[256], text[256], *save = NULL;

	snprintf(text, sizeof(text), "%s", e->text);
	for (char *w = strtok_r(text, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		char *value = strchr(w, '=');

		if (value)
			*value++ = '\0';
		if (value && strcmp(value, "?") == 0)
			return;
		assert_non_null(format_of(p, w));
		deal_out(format_of(p, w), value ? strtoull(value, NULL, 0) : 1, want);
	}
	snprintf(spec, sizeof(spec), "perf/%s/%s/", p->name, e->name);
	check_encoded(where, spec, want, e->snapshot ? "a level at an instant, not a count" : NULL);
}

static void check_terms(const struct platform *p)
{
	for (unsigned k = 0; k < pmus->n; k++) {
		const struct topo_pmu *pmu = &pmus->v[k];

		if (!perf_is_first(pmus, pmu))
			continue;       /* instances have the same files */
		for (unsigned f = 0; f < pmu->n_format; f++)
			check_term(p->tree, pmu, &pmu->format[f]);
		for (unsigned e = 0; e < pmu->n_events; e++)
			check_event(p->tree, pmu, &pmu->events[e]);
	}
}

/* ------------------------------------------------------------------ values from elsewhere */

struct row {
	int line;
	const char *tree, *spec;
	unsigned unit;              /* one that must be there, on one socket at least */
	uint64_t config, config1, config2;
};

static void check_row(const struct row *v)
{
	struct made m = make_spec(v->line, v->spec);
	unsigned seen = 0;

	for (unsigned s = 0; s < m.p->n_sockets; s++)
		for (unsigned i = 0; m.p->sockets[s].n_rounds &&
		     i < m.p->sockets[s].rounds[0].n_slots; i++) {
			const struct plan_slot *slot = &m.p->sockets[s].rounds[0].slots[i];
			const struct plan_perf *e =
				&m.p->sockets[s].perf->rounds[0].events[slot->engine_slot];

			if (e->config != v->config || e->config1 != v->config1 ||
			    e->config2 != v->config2)
				fail_msg("line %d: 0x%llx 0x%llx 0x%llx", v->line,
					 (unsigned long long)e->config,
					 (unsigned long long)e->config1,
					 (unsigned long long)e->config2);
			seen += slot->unit == v->unit;
		}
	if (!seen)
		fail_msg("line %d: no unit %u", v->line, v->unit);
	made_done(&m);
}

/* Event, unit mask and filter by Intel's event lists (github.com/intel/perfmon), by those of AMD
 * and Arm in Linux 6.12, tools/perf/pmu-events, and by the drivers; their bits by hand. */
static const struct row rows[] = {
	/* UNC_M_CAS_COUNT.RD, .WR and the fixed clock */
	{ __LINE__, "snbep.txt", "perf/uncore_imc/cas_count_read/", 3, 0x304, 0, 0 },
	{ __LINE__, "snbep.txt", "perf/uncore_imc/cas_count_write/", 0, 0xc04, 0, 0 },
	{ __LINE__, "snbep.txt", "perf/uncore_imc/clockticks/", 1, 0xff, 0, 0 },
	/* TOR_INSERTS.MISS_OPCODE of demand reads (0x182), filter bits 31:23 */
	{ __LINE__, "snbep.txt", "perf/uncore_cbox/event=0x35,umask=3,filter_opc=0x182,name=x/", 7, 0x335, 0xc1000000, 0 },
	{ __LINE__, "snbep.txt", "perf/uncore_cbox/event=0x34,umask=0x11,filter_state=0x1f,filter_nid=1,name=x/", 0, 0x1134, 0x7c0400, 0 },
	/* UNC_Q_RxL_FLITS_G1.DRS_DATA: the bit 8 of the event is bit 21 of the control register */
	{ __LINE__, "snbep.txt", "perf/uncore_qpi/event=0x102,umask=8,name=x/", 1, 0x200802, 0, 0 },
	{ __LINE__, "snbep.txt", "perf/uncore_qpi/drs_data/", 0, 0x200802, 0, 0 },
	{ __LINE__, "snbep.txt", "perf/uncore_pcu/event=0xb,filter_band0=10,filter_band3=0xff,name=x/", 0, 0xb, 0xff00000a, 0 },
	{ __LINE__, "ivt.txt", "perf/uncore_cbox/event=0x36,umask=3,filter_opc=0x182,filter_nid=3,name=x/", 9, 0x336, UINT64_C(0x1820000300000000), 0 },
	{ __LINE__, "ivt.txt", "perf/uncore_cbox/event=0x35,umask=1,filter_isoc,filter_c6=1,"
			       "filter_nc=0,filter_link=0xf,name=x/", 2, 0x135,
	  UINT64_C(0xa0000000000001e0), 0 },
	{ __LINE__, "ivt.txt", "perf/uncore_qpi/event=0x38,match_mc=0xf,match_opc=1,mask0=0x1fff,name=x/", 0, 0x38, 0x1e20, 0x1fff },
	{ __LINE__, "hsx.txt", "perf/uncore_imc/cas_count_read/", 5, 0x304, 0, 0 },
	{ __LINE__, "hsx.txt", "perf/uncore_cbox/event=0x34,umask=3,filter_state=0x1,name=x/", 17, 0x334, 0x20000, 0 },
	{ __LINE__, "hsx.txt", "perf/uncore_sbox/event=0x0,name=clock/", 3, 0, 0, 0 },
	{ __LINE__, "bdx.txt", "perf/uncore_cbox/event=0x36,umask=3,filter_opc=0x182,name=x/", 21, 0x336, UINT64_C(0x1820000000000000), 0 },
	{ __LINE__, "bdx.txt", "perf/uncore_qpi/event=0x0,umask=2,name=x/", 1, 0x200, 0, 0 },
	/* UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD: event 0x36, umask 0x21, filter 0x40433 in bits
	 * 63:32 */
	{ __LINE__, "skx.txt", "perf/uncore_cha/event=0x36,umask=0x21,config1=0x4043300000000,name=x/", 27, 0x2136, UINT64_C(0x4043300000000), 0 },
	{ __LINE__, "skx.txt", "perf/uncore_cha/event=0x36,umask=0x21,filter_opc0=0x202,filter_rem,"
			       "filter_loc,filter_nm,filter_not_nm,name=x/", 27,
	  0x2136, UINT64_C(0x40433) << 32, 0 },
	/* UNC_CHA_LLC_LOOKUP.DATA_READ with every state: filter 0x1e20000 */
	{ __LINE__, "skx.txt", "perf/uncore_cha/event=0x34,umask=3,filter_state=0xf1,name=x/", 0, 0x334, 0x1e20000, 0 },
	/* UNC_UPI_TxL_FLITS.ALL_DATA */
	{ __LINE__, "skx.txt", "perf/uncore_upi/event=2,umask=0xf,name=x/", 2, 0xf02, 0, 0 },
	/* UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0 */
	{ __LINE__, "skx.txt", "perf/uncore_iio/event=0x83,umask=4,ch_mask=1,fc_mask=7,name=x/", 5, UINT64_C(0x701000000483), 0, 0 },
	{ __LINE__, "skx.txt", "perf/uncore_iio_free_running/bw_in_port0/", 5, 0x20ff, 0, 0 },
	{ __LINE__, "skx.txt", "perf/uncore_iio_free_running/util_out_port3/", 5, 0x37ff, 0, 0 },
	{ __LINE__, "clx.txt", "perf/uncore_imc/event=0xe3,name=pmm_read/", 5, 0xe3, 0, 0 },
	/* ICX: the filter is the upper half of the unit mask. UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD:
	 * 0x36, 0x01, 0xC817FE */
	{ __LINE__, "icx.txt", "perf/uncore_cha/event=0x36,umask=0xc817fe01,name=x/", 39, UINT64_C(0x00c817fe00000136), 0, 0 },
	{ __LINE__, "icx.txt", "perf/uncore_imc/cas_count_read/", 11, 0xf04, 0, 0 },
	{ __LINE__, "icx.txt", "perf/uncore_imc/cas_count_write/", 0, 0x3004, 0, 0 },
	{ __LINE__, "icx.txt", "perf/uncore_imc_free_running/read/", 3, 0x20ff, 0, 0 },
	{ __LINE__, "icx.txt", "perf/uncore_imc_free_running/ddrt_write/", 3, 0x31ff, 0, 0 },
	{ __LINE__, "icx.txt", "perf/uncore_iio_free_running/bw_in_port7/", 5, 0x27ff, 0, 0 },
	/* UNC_IIO_DATA_REQ_OF_CPU.MEM_WRITE.ALL_PARTS: ports 0-7 */
	{ __LINE__, "icx.txt", "perf/uncore_iio/event=0x83,umask=1,ch_mask=0xff,fc_mask=7,name=x/", 5, UINT64_C(0x70ff000000183), 0, 0 },
	{ __LINE__, "icx.txt", "perf/uncore_upi/event=3,umask=0xf,name=x/", 2, 0xf03, 0, 0 },
	/* SPR: UNC_CHA_TOR_INSERTS.IA_MISS_DRD_LOCAL: 0x35, 0x01, 0xC816FE */
	{ __LINE__, "spr.txt", "perf/uncore_cha/event=0x35,umask=0xc816fe01,name=x/", 55, UINT64_C(0x00c816fe00000135), 0, 0 },
	{ __LINE__, "spr.txt", "perf/uncore_cha/event=0x35,umask=0x8000000000,name=x/", 55, UINT64_C(0x8000000000000035), 0, 0 },
	{ __LINE__, "spr.txt", "perf/uncore_imc/cas_count_read/", 7, 0xcf05, 0, 0 },
	{ __LINE__, "spr.txt", "perf/uncore_imc/cas_count_write/", 7, 0xf005, 0, 0 },
	{ __LINE__, "spr.txt", "perf/uncore_imc/clockticks/", 7, 1, 0, 0 },
	{ __LINE__, "spr.txt", "perf/uncore_iio/event=0x83,umask=4,ch_mask=0x80,fc_mask=7,name=x/", 11, UINT64_C(0x7080000000483), 0, 0 },
	{ __LINE__, "spr.txt", "perf/uncore_imc_free_running/dclk/", 3, 0x10ff, 0, 0 },
	/* UNC_MCHBM_CAS_COUNT.RD */
	{ __LINE__, "sprhbm.txt", "perf/uncore_hbm/event=5,umask=0xcf,name=x/", 31, 0xcf05, 0, 0 },
	/* UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_OPT: 0x36, 0x01, 0xC827FE */
	{ __LINE__, "srf.txt", "perf/uncore_cha/event=0x36,umask=0xc827fe01,name=x/", 127, UINT64_C(0x00c827fe00000136), 0, 0 },
	{ __LINE__, "mtl.txt", "perf/uncore_cncu/clockticks/", 0, 0xff, 0, 0 },
	{ __LINE__, "emr.txt", "perf/uncore_cha/event=0x36,umask=0xc817fe01,name=x/", 59, UINT64_C(0x00c817fe00000136), 0, 0 },
	{ __LINE__, "cwf.txt", "perf/uncore_imc/cas_count_read_sch1/", 11, 0xcf06, 0, 0 },
	{ __LINE__, "cwf.txt", "perf/uncore_imc/cas_count_write_sch0/", 0, 0xf005, 0, 0 },
	{ __LINE__, "gnr.txt", "perf/uncore_mdf_sbo/event=0xff,umask=0xff,name=x/", 95, 0xffff, 0, 0 },
	{ __LINE__, "skl.txt", "perf/uncore_imc/data_reads/", 0, 1, 0, 0 },
	{ __LINE__, "skl.txt", "perf/uncore_imc/io_requests/", 0, 5, 0, 0 },
	{ __LINE__, "skl.txt", "perf/uncore_cbox/clockticks/", 3, 0xff, 0, 0 },
	{ __LINE__, "skl.txt", "perf/uncore_arb/event=0x80,umask=1,cmask=31,name=x/", 0, 0x1f000180, 0, 0 },
	{ __LINE__, "tgl.txt", "perf/uncore_imc_free_running/data_read/", 1, 0x20ff, 0, 0 },
	{ __LINE__, "tgl.txt", "perf/uncore_clock/clockticks/", 0, 0xff, 0, 0 },
	{ __LINE__, "adl.txt", "perf/uncore_imc/event=1,chmask=3,edge,name=x/", 1, 0x40301, 0, 0 },
	{ __LINE__, "adl.txt", "perf/uncore_cbox/event=0x34,umask=0x88,threshold=63,name=x/", 9, 0x3f008834, 0, 0 },
	/* dram_channel_data_controller_1, on the last die */
	{ __LINE__, "zen1.txt", "perf/amd_df/event=0x47,umask=0x38,name=x/", 3, 0x3847, 0, 0 },
	/* remote_outbound_data_controller_3: an event of 12 bits; 14 are possible */
	{ __LINE__, "zen2.txt", "perf/amd_df/event=0x887,umask=2,name=x/", 0, UINT64_C(0x800000287), 0, 0 },
	{ __LINE__, "zen2.txt", "perf/amd_df/event=0x3887,umask=2,name=x/", 0, UINT64_C(0x1800000800000287), 0, 0 },
	{ __LINE__, "zen2.txt", "perf/amd_df/event=0x107,umask=0x38,name=dram_channel_data_controller_4/", 0, UINT64_C(0x100003807), 0, 0 },
	{ __LINE__, "zen2.txt", "perf/amd_l3/event=4,umask=0xff,slicemask=0xf,threadmask=0xff,name=x/", 3, UINT64_C(0xff0f00000000ff04), 0, 0 },
	{ __LINE__, "zen3.txt", "perf/amd_df/event=0x7c7,umask=2,name=remote_outbound_data_controller_0/", 0, UINT64_C(0x7000002c7), 0, 0 },
	{ __LINE__, "zen3.txt", "perf/amd_l3/event=0x9a,umask=0xff,name=xi_ccx_sdp_req1/", 3, 0xff9a, 0, 0 },
	/* local_socket_upstream_read_beats_iom3, local_socket_outbound_data_beats_link7 */
	{ __LINE__, "zen4.txt", "perf/amd_df/event=0x8df,umask=0x7fe,name=x/", 0, UINT64_C(0x80700fedf), 0, 0 },
	{ __LINE__, "zen4.txt", "perf/amd_df/event=0xd1f,umask=0xf3e,name=x/", 0, UINT64_C(0xd0f003e1f), 0, 0 },
	/* l3_xi_sampled_latency.all */
	{ __LINE__, "zen4.txt",
	  "perf/amd_l3/event=0xac,umask=0x3f,enallcores,enallslices,sliceid=3,threadmask=3,name=x/",
	  5,
	  UINT64_C(0x0303c00000003fac), 0, 0 },
	{ __LINE__, "zen4.txt", "perf/amd_umc/event=0xa,rdwrmask=1,name=umc_cas_cmd.rd/", 0, 0x10a, 0, 0 },
	{ __LINE__, "zen5.txt", "perf/amd_umc/event=0xa,rdwrmask=2,name=umc_cas_cmd.wr/", 23, 0x20a, 0, 0 },
	/* l3_xi_sampled_latency_requests.dram_far */
	{ __LINE__, "zen6.txt",
	  "perf/amd_l3/event=0xad,umask=2,enallcores,enallslices,sliceid=3,threadmask=3,name=x/", 0,
	  UINT64_C(0x0303c000000002ad), 0, 0 },
	{ __LINE__, "zen5.txt",
	  "perf/amd_iommu/mem_iommu_tlb_pte_hit,devid=0xffff,devid_mask=0xffff,pasid_mask=1/", 3,
	  0xffff06,
	  UINT64_C(0x10000ffff), 0 },
	{ __LINE__, "cmn600.txt", "perf/arm_cmn/hnf_cache_miss/", 0, 0x10005, 0, 0 },
	{ __LINE__, "cmn600.txt", "perf/arm_cmn/hnf_mc_reqs,bynodeid,nodeid=0x24/", 0, UINT64_C(0x24800d0005), 0, 0 },
	{ __LINE__, "cmn600.txt", "perf/arm_cmn/rnid_rxdat_flits/", 0, 0x4000a, 0, 0 },
	{ __LINE__, "cmn600.txt", "perf/arm_cmn/mxp_n_dat_txflit_valid/", 0, 0x690006, 0, 0 },
	{ __LINE__, "cmn600.txt", "perf/arm_cmn/hnf_qos_pocq_occupancy_read/", 0, 0x80f0005, 0, 0 },
	{ __LINE__, "cmn600.txt", "perf/arm_cmn/watchpoint_up,wp_dev_sel=1,wp_chn_sel=2,wp_grp=1,"
				  "wp_val=0x5,wp_mask=0xfffffffffffffff0/", 0,
	  UINT64_C(0x0111000000007770), 5, UINT64_C(0xfffffffffffffff0) },
	{ __LINE__, "cmn600.txt", "perf/arm_dmc620/clkdiv2_rdwr/", 3, 0, 0, 0x290 },
	{ __LINE__, "cmn600.txt", "perf/arm_dmc620/clkdiv2_rdwr,invert,incr=3,mask=0x1fffffffffff,match=1/", 3, UINT64_C(0x1fffffffffff), 1, 0x297 },
	{ __LINE__, "cmn600.txt", "perf/arm_dsu/l3d_cache_refill/", 3, 0x2a, 0, 0 },
	{ __LINE__, "cmn700.txt", "perf/arm_cmn/hnf_class_mc_reqs_class3/", 1, 0x18280005, 0, 0 },
	{ __LINE__, "nehalem.txt", "perf/uncore/qmc_writes_full_any/", 0, 0xf2f, 0, 0 },
	{ __LINE__, "nehalem_ex.txt", "perf/uncore_rbox/qpi1_filt_send/", 1, 0xc, 0x80000000, 0 },
	{ __LINE__, "nehalem_ex.txt", "perf/uncore_mbox/bbox_cmds_write/", 1, 0x1a00, 0x2820, 0 },
};

/* ------------------------------------------------------------------ a platform */

static int setup(void **state)
{
	const struct platform *p = *state;

	open_tree(p->tree);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close_tree();
	return 0;
}

static void test_platform(void **state)
{
	const struct platform *p = *state;

	check_boxes(p);
	check_terms(p);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (strcmp(rows[i].tree, p->tree) == 0)
			check_row(&rows[i]);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(platforms)];
	int r;

	for (size_t i = 0; i < COUNT_OF(platforms); i++)
		tests[i] = (struct CMUnitTest){ platforms[i].tree, test_platform, setup, teardown,
						(void *)&platforms[i] };
	arena = arena_new((size_t)1 << 30, NULL);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return r;
}
