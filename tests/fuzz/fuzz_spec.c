/* SPDX-License-Identifier: MIT
 * An event specification; the same bytes as engine name, listening address and
 * duration. */
#include "fuzz.h"

#include "base/address.h"
#include "base/num.h"
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

static void check_spec(const struct spec *s, const char *text)
{
	if (strcmp(s->text, text) != 0 || s->unit < -1 || s->unit > 255)
		abort();
	if (s->box ? !*s->box : !s->event || !*s->event || !strpbrk(text, "_."))
		abort();
	if (!s->box)            /* an event's name alone */
		return;
	if (s->perf ? !s->terms || !*s->terms != !!strstr(s->box, "::") || s->event : !s->event ||
	    !*s->event || s->terms)
		abort();
	for (unsigned i = 0; i < s->n_umasks; i++) {
		if (!*s->umasks[i])
			abort();
	}
	for (unsigned i = 0; i < s->n_keys; i++)
		for (unsigned k = 0; k < i; k++)
			if (strcmp(s->keys[i].name, s->keys[k].name) == 0)
				abort();
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
	if (spec_parse(arena, text, &spec, &err) == 0)
		check_spec(&spec, text);
	else if (!err.text[0])
		abort();
	arena_free(arena);
	conf_engine_parse(text, &engine);
	address_parse(text, host, &port);
	num_parse_u64(text, &v);
	if (nsec_parse(text, &t) == 0 && t < 0)
		abort();
	free(text);
	return 0;
}
