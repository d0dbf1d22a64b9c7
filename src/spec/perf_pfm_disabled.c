/* SPDX-License-Identifier: MIT
 * What perf_pfm.c offers, in a build without libpfm4.
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include <errno.h>

int pfm_resolve(const char *text, struct pfm_event *ret, struct err *err)
{
	(void)ret;
	return err_set(err, -EINVAL, "%s is a name of libpfm4, which this uncored was built "
				     "without: write perf/PMU/TERMS/", text);
}

char *pfm_of_name(struct arena *a, const struct topo *t, const struct spec *s, const char **why)
{
	(void)a, (void)t, (void)s;
	*why = "; libpfm4, without which this uncored was built, knows more names";
	return NULL;
}

void spec_pfm_load(void)
{
}

void spec_pfm_events(const struct topo_pmus *pmus,
		     void (*each)(void *p, const char *spec, const char *help), void *p)
{
	(void)pmus, (void)each, (void)p;
}
