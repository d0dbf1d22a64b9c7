/* SPDX-License-Identifier: MIT
 * An event specification; the same bytes as engine name, listening address and
 * duration. */
#include "fuzz.h"

#include "base/address.h"
#include "base/num.h"
#include "conf/conf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* What spec.h says of its members. */
static void check_spec(const struct spec *s, const char *text)
{
	bool pfm = s->perf && !*s->terms;       /* a name of libpfm4 */

	require(strcmp(s->text, text) == 0);
	require(s->unit >= -1 && s->last >= s->unit && s->last <= 255 &&
		(s->unit >= 0 || s->last < 0));
	require(s->instance == -1 || (s->perf && s->instance >= 0 && s->instance <= 255));
	require(s->box ? *s->box : !s->perf && s->unit < 0);
	require(s->perf == (s->terms != NULL) && (!s->identity || s->perf) && !(s->raw && s->perf));
	require(s->perf && !s->identity ? !s->event : s->event && *s->event);
	require(!pfm || strstr(s->box, "::"));
	require(!s->part.name || (s->identity && s->part.value));
	require(!s->n_umasks || !s->perf);
	for (unsigned i = 0; i < s->n_umasks; i++)
		require(*s->umasks[i]);
	for (unsigned i = 0; i < s->n_keys; i++)
		for (unsigned k = 0; k < i; k++)
			require(strcmp(s->keys[i].name, s->keys[k].name) != 0);
}

/* How a unit of it is written is read as it. */
static void check_units(struct arena *a, const struct spec *s)
{
	char *box = s->unit < 0 ? NULL : spec_units_text(a, s->box, (unsigned)s->unit,
							 (unsigned)s->last);
	struct spec again;

	if (!box)
		return;
	require(spec_parse(a, arena_printf(a, "%s/X%s", box, s->perf ? ",config=1" : ""), &again,
			   NULL) == 0);
	require(strcmp(again.box, s->box) == 0 && again.unit == s->unit && again.last == s->last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1), host[64];
	struct conf_engine_choice engine;
	struct arena *arena = arena_new(1 << 20, NULL);
	struct spec spec;
	struct err err = { "" };
	uint16_t port;
	uint64_t v;
	nsec t;

	if (!text || !arena)
		abort();
	memcpy(text, data, n);
	text[n] = '\0';
	if (spec_parse(arena, text, &spec, &err) < 0) {
		require(err.text[0]);
	} else {
		check_spec(&spec, text);
		check_units(arena, &spec);
	}
	err.text[0] = '\0';
	if (spec_parse_name(arena, text, &spec, &err) < 0)
		require(err.text[0]);
	else if (!strchr(text, ' '))            /* those of a series are dropped */
		check_spec(&spec, text);
	arena_free(arena);
	conf_engine_parse(text, &engine);
	address_parse(text, host, &port);
	num_parse_u64(text, &v);
	if (nsec_parse(text, &t) == 0 && t < 0)
		abort();
	free(text);
	return 0;
}
