/* fuzz_cpulist.c - a list of CPUs: ascending, below the maximum, each once. */
#include "fuzz.h"

#include "base/num.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

static void add(void *p, unsigned cpu)
{
	unsigned *next = p;

	if (cpu < *next || cpu >= TOPO_CPUS_MAX)
		abort();
	*next = cpu + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);
	unsigned next = 0;

	if (!text)
		abort();
	memcpy(text, data, n);
	text[n] = '\0';
	num_parse_cpulist(text, TOPO_CPUS_MAX - 1, add, &next);
	free(text);
	return 0;
}
