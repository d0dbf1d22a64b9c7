/* SPDX-License-Identifier: MIT
 * What events of the kernel's PMUs are called: by themselves, and in their makers' lists of events.
 * Owns:  Intel's "UNC_x_" of each PMU.
 * Never: codes; which PMUs a machine has.
 * Pure; any thread.
 */
#include "catalog/perf.h"

#include "base/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cat_perf_without_prefix(const char *pmu, const char *name)
{
	/* of the PMUs that Intel's lists of events know: github.com/intel/perfmon */
	static const struct { const char *pmu, *unit; } units[] = {
		{ "uncore_cha", "CHA" }, { "uncore_cbox", "C" }, { "uncore_cbox", "CBO" },
		{ "uncore_imc", "M" }, { "uncore_hbm", "MCHBM" }, { "uncore_upi", "UPI" },
		{ "uncore_qpi", "Q" }, { "uncore_iio", "IIO" }, { "uncore_irp", "I" },
		{ "uncore_pcu", "P" }, { "uncore_ubox", "U" }, { "uncore_ha", "H" },
		{ "uncore_m2m", "M2M" }, { "uncore_m2pcie", "M2P" }, { "uncore_m3upi", "M3UPI" },
		{ "uncore_b2cmi", "B2CMI" }, { "uncore_b2upi", "B2UPI" },
		{ "uncore_mdf", "MDF" }, { "uncore_sbox", "S" }, { "uncore_r2pcie", "R2" },
		{ "uncore_r3qpi", "R3" }, { "uncore_arb", "ARB" }, { "uncore_clock", "CLOCK" },
	};
	const char *rest = name_after(name, "UNC_"), *unit;

	for (unsigned i = 0; rest && i < COUNT(units); i++) {
		size_t n = strlen(units[i].pmu);

		if (strncmp(pmu, units[i].pmu, n) != 0 || (pmu[n] && pmu[n] != '/' &&
		    !(pmu[n] == '_' && isdigit((unsigned char)pmu[n + 1]))))
			continue;
		unit = name_after(rest, units[i].unit);
		if (unit && *unit == '_')
			return unit + 1;
	}
	return name;
}

char *cat_perf_event_name(const struct cat_perf_event *e, char ret[CAT_PERF_NAME])
{
	const char *name = strstr(e->spec, "name=");

	name = name ? name + strlen("name=") : strchr(e->spec + strlen("perf/"), '/') + 1;
	snprintf(ret, CAT_PERF_NAME, "%.*s", (int)strcspn(name, ",/"), name);
	return ret;
}

bool cat_perf_is_published(const char *published, const char *name)
{
	/* by another name that these lists have, too: "deprecated, refer to new event ..." */
	static const char was[] = "PAYLOAD_BYTES_IN", is[] = "DATA_REQ_OF_CPU";
	const char *old = name_after(name, was), *new = name_after(published, is);

	return name_same_marked(published, name) || (old && new && name_same_marked(new, old));
}

bool cat_perf_event_is_called(const struct cat_perf_event *e, const char *name)
{
	char own[CAT_PERF_NAME];

	name = cat_perf_without_prefix(e->spec + strlen("perf/"), name);
	return (e->published && cat_perf_is_published(e->published, name)) ||
	       name_same_marked(cat_perf_event_name(e, own), name);
}

#define ALL_PORTS "ALL_PARTS"

uint32_t cat_perf_ports(const struct cat_perf_event *e)
{
	const char *all = e->published ? strstr(e->published, ALL_PORTS) : NULL;
	const char *mask = strstr(e->spec, "ch_mask=");

	return all && mask ? (uint32_t)strtoul(mask + strlen("ch_mask="), NULL, 0) : 0;
}

char *cat_perf_port_name(const struct cat_perf_event *e, unsigned port, char ret[CAT_PERF_NAME])
{
	snprintf(ret, CAT_PERF_NAME, "%.*sPART%u",
		 (int)(strstr(e->published, ALL_PORTS) - e->published), e->published, port);
	return ret;
}
