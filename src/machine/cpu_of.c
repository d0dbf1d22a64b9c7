/* SPDX-License-Identifier: MIT */
#include "machine/cpu_of.h"

#include <string.h>

static bool has_pmu(const struct topo_pmus *pmus, const char *begin)
{
	for (unsigned i = 0; pmus && i < pmus->n; i++)
		if (strncmp(pmus->v[i].name, begin, strlen(begin)) == 0)
			return true;
	return false;
}

const struct cat_cpu *cpu_of(const struct topo *t, const struct topo_pmus *pmus)
{
	const struct cat_cpu *c = NULL;

	while ((c = cat_cpu_next(c, t->vendor, topo_family(t), topo_part(t), t->stepping)))
		if (!c->pmu || has_pmu(pmus, c->pmu))
			return c;
	return NULL;
}
