/* SPDX-License-Identifier: MIT
 * Which rows `list WHAT WORD` shows. */
#include "ctl/ctl.h"

#include "base/name.h"
#include "base/query.h"

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

void ctl_filter(const struct ctl *c, json_t *list)
{
	const char *word = c->n_args > 1 ? c->args[1] : NULL;
	const struct cat_box *b = word && c->processor ? cat_box_by_name(c->processor, word) : NULL;
	struct query q = { .n = 0 };

	if (word)
		query_add(&q, word);
	for (size_t i = json_array_size(list); word && i--;) {
		json_t *row = json_array_get(list, i);
		const char *box = ctl_text(row, "box");

		if (b && box ? strcmp(box, b->name) != 0 : found_in(&q, row) != query_all(&q))
			json_array_remove(list, i);
	}
}
