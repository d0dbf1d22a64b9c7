/* SPDX-License-Identifier: MIT
 * /proc/cpuinfo, whole or cut off. */
#include "fuzz.h"

#include "topo/cpuinfo.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct topo t = { 0 };

	cpuinfo_parse((const char *)data, n, &t);
	if (t.family > 999999 || t.model > 999999 || t.stepping > 999999 ||
	    !memchr(t.vendor, '\0', sizeof(t.vendor)))
		abort();
	return 0;
}
