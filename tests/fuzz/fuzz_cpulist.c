/* SPDX-License-Identifier: MIT
 * A list of CPUs: ascending, below the maximum, each once. */
#include "fuzz.h"

#include "base/num.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);
	struct cpu_range range = { text, 0, 0 };
	unsigned next = 0;

	if (!text)
		abort();
	memcpy(text, data, n);
	text[n] = '\0';
	while (num_next_range(&range, TOPO_CPUS_MAX - 1) > 0) {
		if (range.first < next || range.end <= range.first || range.end > TOPO_CPUS_MAX)
			abort();
		next = range.end;
	}
	free(text);
	return 0;
}
