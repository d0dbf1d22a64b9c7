/* SPDX-License-Identifier: MIT
 * Which rows `list WHAT WORD` shows. */
#include "ctl/ctl.h"

#include "base/name.h"
#include "base/query.h"
#include "spec/kernel.h"

#include <stdio.h>
#include <string.h>

/* The words of the query in what a row is called, says, and is made of. */
static uint32_t found_in(const struct query *q, json_t *j)
{
	static const char keys[] = "name event box spec terms help title aliases numerator "
				   "denominator events others";
	uint32_t found = json_is_string(j) ? query_found(q, json_string_value(j)) : 0;
	const char *key;
	json_t *v;
	size_t i;

	json_array_foreach(j, i, v)
		found |= found_in(q, v);
	json_object_foreach(j, key, v)
		if (name_listed(keys, key, strlen(key)))
			found |= found_in(q, v);
	return found;
}

/* Is it an event of the box: bbox/EVENT, perf/uncore_imc/EVENT/ of imc? */
static bool is_of_box(const char *spec, const char *box)
{
	bool perf = strncmp(spec, "perf/", strlen("perf/")) == 0;
	char pmu[PERF_NAME], name[PERF_NAME];

	spec += perf ? strlen("perf/") : 0;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)strcspn(spec, "/"), spec);
	perf_pmu_box(pmu, name, sizeof(name), NULL);
	return name_same(name, box);
}

/* Does the metric use an event of the box: in its sums, as its clock, in its guard? */
static bool uses_box(json_t *metric, const char *box)
{
	const char *key;
	bool uses = false;
	json_t *v;
	size_t i;

	json_array_foreach(metric, i, v)
		uses |= uses_box(v, box);
	json_object_foreach(metric, key, v) {
		bool event = strcmp(key, "event") == 0 || strcmp(key, "cycles_of") == 0;

		uses |= event && json_is_string(v) ? is_of_box(json_string_value(v), box) :
			uses_box(v, box);
	}
	return uses;
}

/* If some of these are metrics with events of a box called like the word: keeps them alone. */
static bool keep_those_of_box(json_t *list, const char *word)
{
	json_auto_t *of = json_array();
	json_t *row;
	size_t i;

	json_array_foreach(list, i, row)
		if (json_object_get(row, "numerator") && uses_box(row, word))
			json_array_append(of, row);
	if (!json_array_size(of))
		return false;
	json_array_clear(list);
	json_array_extend(list, of);
	return true;
}

void ctl_filter(const struct ctl *c, json_t *list)
{
	const char *word = c->n_args > 1 ? c->args[1] : NULL;
	const struct cat_box *b = word && c->processor ? cat_box_by_name(c->processor, word) : NULL;
	struct query q = { .n = 0 };

	if (word && keep_those_of_box(list, word))
		return;
	if (word)
		query_add(&q, word);
	for (size_t i = json_array_size(list); word && i--;) {
		json_t *row = json_array_get(list, i);
		const char *box = ctl_text(row, "box");

		if (b && box ? strcmp(box, b->name) != 0 : found_in(&q, row) != query_all(&q))
			json_array_remove(list, i);
	}
}
