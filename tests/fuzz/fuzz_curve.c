/* SPDX-License-Identifier: MIT
 * curve.json of the state directory, which uncored reads at its start and at a reload. */
#include "fuzz.h"

#include "machine/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void require_mix(struct curve_mix *m)
{
	require(m->reads >= 0 && m->reads <= 1 && m->asked >= 0 && m->asked <= 1);
	require(m->n <= CURVE_POINTS && m->knee >= 0 && isfinite(m->knee) && isfinite(m->most));
	for (unsigned i = 0; i < m->n; i++)
		require(isfinite(m->points[i].bytes_per_second) && isfinite(m->points[i].latency));
	curve_find_knee(m);
	require(m->knee >= 0 && m->knee <= m->most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct curve *c = NULL;
	struct err err = { "" };

	if (curve_parse((const char *)data, n, &c, &err) < 0) {
		require(!c && err.text[0]);
		return 0;
	}
	require(c->n_sockets <= CURVE_SOCKETS);
	require(memchr(c->processor, 0, sizeof(c->processor)));
	require(memchr(c->model, 0, sizeof(c->model)));
	for (unsigned i = 0; i < c->n_sockets; i++) {
		require(c->sockets[i].n <= KNEE_MIXES);
		for (unsigned k = 0; k < c->sockets[i].n; k++)
			require_mix(&c->sockets[i].mix[k]);
	}
	free(c);
	return 0;
}
