/* SPDX-License-Identifier: MIT
 * What this machine's kernel counts of the ready-made groups, and what not.
 * Owns:  the sentence of a group that has lost a part of what it says.
 * Never: why a metric is absent (describe METRIC).
 */
#include "ctl/ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *add_to(json_t *parts, const char *name, const struct plan_predefined *r)
{
	json_t *part = json_object_get(parts, name);

	if (!part) {
		part = JS_OBJECT({ "yields", json_array() }, { "lacks", json_array() },
				 { "answers", json_array() });
		json_object_set_new(parts, name, part);
	}
	ctl_add_once(json_object_get(part, r->absent ? "lacks" : "yields"), r->metric->name);
	return part;
}

/* A set answers what its groups do that yield something here. */
static void add_to_set(json_t *parts, const struct cat_group *g, const struct plan_predefined *r)
{
	json_t *set = add_to(parts, g->set->name, r);

	if (g->part && !r->absent)
		ctl_add_once(json_object_get(set, "answers"), g->part);
}

/* Energy and sleep states are those that a processor has, whatever its kernel; a knee has to be
 * measured: no group speaks of it. */
static void add_row(void *p, const struct plan_predefined *r)
{
	if (r->table->beside || r->metric->knee)
		return;
	for (unsigned i = 0; i < r->table->n_groups; i++) {
		const struct cat_group *g = &r->table->groups[i];

		if (!cat_perf_yields(g, r->metric))
			continue;
		add_to(p, g->name, r);
		if (g->set)
			add_to_set(p, g, r);
	}
}

json_t *ctl_group_parts(const struct ctl *c)
{
	json_t *parts = json_object();

	ctl_each_predefined(c, add_row, parts);
	return parts;
}

json_t *ctl_group_lacks(const json_t *parts, const char *name)
{
	json_t *lacks = json_object_get(json_object_get(parts, name), "lacks");

	return lacks ? json_incref(lacks) : json_array();
}

char *ctl_group_help(const json_t *parts, const char *name, const char *help)
{
	json_t *part = json_object_get(parts, name), *one;
	size_t size, i;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs(help, f);
	json_array_foreach(json_object_get(part, "answers"), i, one)
		fprintf(f, "%s%s", i ? ", and " : ": ", json_string_value(one));
	if (json_array_size(json_object_get(part, "lacks"))) {
		fputs(" (here only ", f);
		json_array_foreach(json_object_get(part, "yields"), i, one)
			fprintf(f, "%s%s", i ? ", " : "", json_string_value(one));
		fprintf(f, "%s)", i ? "" : "its events, no metric of them");
	}
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}
