/* SPDX-License-Identifier: MIT
 * A format file, an event file and a .scale of the kernel, and the terms of a
 * specification.
 * The input is format/odd, events/e, events/e.scale and the terms between the slashes, each ended
 * by a byte 0xff.
 */
#include "fuzz.h"

#include "spec/kernel.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void require(int ok)
{
	if (!ok)
		abort();
}

static char *take(const uint8_t **data, size_t *n)
{
	const uint8_t *end = *n ? memchr(*data, 0xff, *n) : NULL;
	size_t len = end ? (size_t)(end - *data) : *n;
	char *text = malloc(len + 1);

	require(text != NULL);
	memcpy(text, len ? (const char *)*data : "", len);
	text[len] = '\0';
	*data += len + (end != NULL);
	*n -= len + (end != NULL);
	return text;
}

/* Does a term set config as a whole, config=NUMBER or rHEX, so that bits outside of format/ are
 * meant? */
static bool sets_config(const char *terms)
{
	for (const char *s = terms; *s; s += strcspn(s, ", \t\n")) {
		s += strspn(s, ", \t\n");
		if (strncmp(s, "config", 6) == 0 || (*s == 'r' && isxdigit((unsigned char)s[1])))
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *odd = take(&data, &n), *event = take(&data, &n), *scale = take(&data, &n),
		*terms = take(&data, &n);
	struct topo_term format[] = {
		{ .name = (char *)"event", .text = (char *)"config:0-7" },
		{ .name = (char *)"odd", .text = odd },
		{ .name = (char *)"broken", .text = (char *)"", .bad = (char *)"it is empty" },
	}, events[] = {
		{ .name = (char *)"e", .text = event },
		{ .name = (char *)"broken_event", .text = (char *)"", .bad = (char *)"it is empty" },
		{ .name = (char *)"level", .text = (char *)"event=1", .snapshot = true },
	};
	struct topo_pmu pmu = { .name = (char *)"uncore_imc_0", .format = format, .n_format = 3,
				.events = events, .n_events = 3 };
	const struct spec_pmu v = { .pmu = &pmu, .name = pmu.name },
		software = { .name = (char *)"software", .type = PERF_TYPE_SOFTWARE };
	struct arena *arena = arena_new((size_t)1 << 30, NULL);
	struct perf_terms t;
	struct err err = { "" };
	double x = 0;

	require(arena != NULL);
	if (perf_terms_resolve(arena, &v, terms, &t, &err) < 0)
		require(err.text[0] != 0);
	else if (!sets_config(terms) && !sets_config(event))
		require(!(t.config[0] & ~(perf_format_mask(&format[0], 0) |
					  perf_format_mask(&format[1], 0))));
	require(perf_terms_resolve(arena, &software, terms, &t, &err) == 0 || err.text[0]);
	arena_free(arena);
	if (perf_scale_parse(scale, &x) == 0)
		require(isfinite(x) && x > 0);
	free(odd);
	free(event);
	free(scale);
	free(terms);
	return 0;
}
