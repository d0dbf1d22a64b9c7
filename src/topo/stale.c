/* SPDX-License-Identifier: MIT */
#include "topo/stale.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

#define NAME(id, name) name,
const char *const stale_names[STALE_REASONS] = { STALE_LIST(NAME) };

unsigned stale_versions(const struct host_versions *then, const struct host_versions *now)
{
	unsigned bits = 0;

	if (strcmp(then->kernel, now->kernel) != 0)
		bits |= BIT(STALE_KERNEL);
	if (strcmp(then->microcode, now->microcode) != 0)
		bits |= BIT(STALE_MICROCODE);
	if (strcmp(then->bios_version, now->bios_version) != 0 ||
	    strcmp(then->bios_date, now->bios_date) != 0)
		bits |= BIT(STALE_BIOS);
	return bits;
}

const char *stale_text(unsigned bits, char ret[STALE_TEXT])
{
	size_t n = 0;

	ret[0] = '\0';
	for (unsigned i = 0; i < STALE_REASONS; i++)
		if (bits & BIT(i))
			n += (size_t)snprintf(ret + n, STALE_TEXT - n, "%s%s", n ? ", " : "",
					      stale_names[i]);
	return ret;
}
