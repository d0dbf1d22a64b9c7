/* SPDX-License-Identifier: MIT */
#include "base/labels.h"

#include <string.h>

bool labels_same(struct labels a, struct labels b)
{
	bool same = a.n == b.n;

	for (unsigned i = 0; same && i < a.n; i++)
		same = strcmp(a.v[i].name, b.v[i].name) == 0 &&
		       strcmp(a.v[i].value, b.v[i].value) == 0;
	return same;
}

const char *labels_text(struct arena *a, struct labels l)
{
	const char *text = "";

	for (unsigned i = 0; i < l.n; i++)
		text = arena_printf(a, "%s,%s=\"%s\"", text, l.v[i].name, l.v[i].value);
	return text;
}
