/* SPDX-License-Identifier: MIT
 * Kernels that are too old for a processor: its counters are there, their PMUs are not, or have no
 * names.
 * Owns:  the sentence about it, with both releases.
 * Never: which metrics are absent for it.
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include <stdio.h>
#include <string.h>

/* As LINUX(5, 15); 0: not known. */
static unsigned release(const struct topo *m)
{
	unsigned major, minor;

	return sscanf(m->release, "%u.%u", &major, &minor) == 2 && major < 256 && minor < 256 ?
	       LINUX(major, minor) : 0;
}

/* Of the driver that reads the processor's own list of its counters (Linux 5.13), and names those
 * that it knows. */
static bool is_type(const char *pmu)
{
	return strncmp(pmu, "uncore_type_", strlen("uncore_type_")) == 0;
}

static bool has_uncore(const struct topo_pmus *pmus, bool types)
{
	for (unsigned i = 0; i < pmus->n; i++)
		if (strncmp(pmus->v[i].name, "uncore_", strlen("uncore_")) == 0 &&
		    is_type(pmus->v[i].name) == types)
			return true;
	return false;
}

bool perf_has_types(const struct topo_pmus *pmus)
{
	return has_uncore(pmus, true);
}

bool perf_unnamed(const struct topo *m, const struct topo_pmus *pmus, const struct cat_perf *t,
		  struct err *ret)
{
	unsigned since = cat_perf_since(t, m->vendor, topo_family(m), topo_part(m),
					m->stepping);
	bool old = release(m) && release(m) < since;
	char type[32] = "uncore_type_N_M", here[80] = "", box[64];
	const char *what = "this processor's counters";

	if (!since || !pmus || perf_has_any(pmus, t))
		return false;
	if (release(m))
		snprintf(here, sizeof(here), " (%s)", m->release);
	if (t->unnamed) {
		snprintf(box, sizeof(box), "the counters of %s", t->pmus[0].name);
		what = box;
		snprintf(type, sizeof(type), "uncore_type_%u", t->unnamed);
		if (!perf_has_pmu(pmus, type))
			return false;
	} else if (has_uncore(pmus, false)) {
		return false;
	} else if (!has_uncore(pmus, true)) {
		if (!old || m->hypervisor)
			return false;
		err_set(ret, 0, "this kernel%s has no driver for this processor's counters; Linux "
			"%u.%u has", here, since >> 8, since & 0xff);
		return true;
	}
	err_set(ret, 0, "this kernel%s gives %s no names (%s); %sLinux %u.%u does", here, what,
		type, !release(m) || old ? "" : "of those without changes ", since >> 8,
		since & 0xff);
	return true;
}

bool perf_too_old(const struct topo *m, const struct topo_pmus *pmus, struct err *ret)
{
	for (unsigned i = 0; i < cat_n_perfs; i++)
		if (perf_unnamed(m, pmus, cat_perfs[i], ret))
			return true;
	return false;
}

void perf_add_since(const struct spec_machine *m, const char *pmu, struct err *err)
{
	const struct cat_perf *t = perf_table_of(m, pmu, NULL);
	unsigned since = t ? t->pmus_since : 0;
	size_t n = err ? strlen(err->text) : 0;

	if (err && release(m->perf_topo) && release(m->perf_topo) < since &&
	    !m->perf_topo->hypervisor && !perf_has_pmu(m->pmus, pmu))
		snprintf(err->text + n, sizeof(err->text) - n, "; Linux %u.%u has it, and this is "
			 "%s", since >> 8, since & 0xff, m->perf_topo->release);
}
