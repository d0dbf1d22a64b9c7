/* SPDX-License-Identifier: MIT
 * /metrics?group[]=...&name[]=...: the series that are asked for; see expo.h.
 * Owns:  which arguments there are, what their values name.
 * http child.
 */
#include "expo/description.h"

#include "base/bits.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct expo_filter *expo_filter_new(const struct expo_renderer *r)
{
	const struct desc *d = renderer_desc(r);
	struct expo_filter *f = calloc(1, sizeof(*f) + d->families.n + d->series.n);

	if (f) {
		f->desc = d;
		f->families = (bool *)(f + 1);
		f->series = f->families + d->families.n;
	}
	return f;
}

void expo_filter_free(struct expo_filter *f)
{
	free(f);
}

/* What a client sent, for a sentence of ours: n - 1 bytes at most, printable. */
static const char *quotable(const char *value, char *to, size_t n)
{
	size_t i = 0;

	for (; i < n - 1 && value[i]; i++)
		to[i] = isprint((unsigned char)value[i]) ? value[i] : '?';
	to[i] = '\0';
	return to;
}

/* The names of groups, each once, as far as they fit. */
static void list_groups(const struct desc *d, struct err *err)
{
	size_t at = strlen(err->text);

	for (uint32_t i = 0; i < d->groups.n; i++) {
		struct desc_str name = desc_groups(d)[i].name;
		bool seen = false;

		for (uint32_t k = 0; k < i; k++)
			seen = seen || desc_groups(d)[k].name.off == name.off;
		if (seen || at + name.len + sizeof(", ") >= sizeof(err->text))
			continue;
		at += (size_t)snprintf(err->text + at, sizeof(err->text) - at, "%s%s",
				       i ? ", " : " ", desc_text(d, name));
	}
}

/* Is the series about group number `group` of its socket, about a slot or metric that the group
 * names, or about a metric that has an input in it? */
static bool is_of_group(const struct desc *b, const struct desc_series *s, uint32_t group)
{
	uint32_t row = desc_sockets(b)[s->socket].first_group + group;
	const struct desc_group *g = &desc_groups(b)[row];
	const uint32_t *members = desc_members(b) +
		(s->subject == DESC_SUBJECT_SLOT ? g->first : g->first_metric);
	uint32_t n = s->subject == DESC_SUBJECT_SLOT ? g->n : g->n_metrics;

	if (s->subject == DESC_SUBJECT_GROUP)
		return s->item == group;
	for (uint32_t i = 0; i < n; i++)
		if (members[i] == s->item)
			return true;
	return false;
}

static int add_group(struct expo_filter *f, const char *value, struct err *err)
{
	const struct desc *b = f->desc;
	bool found = false;
	char quote[64];
	int r;

	for (uint32_t i = 0; i < b->sockets.n; i++)
		for (uint32_t g = 0; g < desc_sockets(b)[i].n_groups; g++) {
			uint32_t row = desc_sockets(b)[i].first_group + g;

			if (strcmp(desc_text(b, desc_groups(b)[row].name), value) != 0)
				continue;
			found = f->by_group = true;
			for (uint32_t k = 0; k < b->series.n; k++)
				if (desc_series(b)[k].subject && desc_series(b)[k].socket == i)
					f->series[k] |= is_of_group(b, &desc_series(b)[k], g);
		}
	if (found)
		return 0;
	r = err_set(err, -ENOENT, "There is no group \"%s\" here; there are:",
		    quotable(value, quote, sizeof(quote)));
	if (err)
		list_groups(f->desc, err);
	return r;
}

/* Is it the family's name, in text or (without _total, _info) in OpenMetrics? Any sample of a
 * counter or a distribution names all of it. */
static bool family_is(const struct desc *d, const struct desc_family *f, const char *value,
		      size_t n)
{
	static const char *const parts[] = { TEXT_CREATED, "_bucket", "_sum", "_count" };
	static const size_t n_parts[DESC_TYPES] = { [DESC_COUNTER] = 1,
						    [DESC_HISTOGRAM] = COUNT(parts) };
	const char *name = desc_text(d, f->name);

	for (size_t i = 0; i < n_parts[f->type] && n > f->base_n; i++)
		if (memcmp(name, value, f->base_n) == 0 && strcmp(value + f->base_n, parts[i]) == 0)
			return true;
	return n <= f->name.len && memcmp(name, value, n) == 0 &&
	       (!name[n] || strcmp(name + n, desc_type_suffixes[f->type]) == 0);
}

static int add_family(struct expo_filter *f, const char *value, struct err *err)
{
	size_t n = strlen(value);
	bool found = false;
	char quote[64];

	for (uint32_t i = 0; i < f->desc->families.n; i++)
		if (family_is(f->desc, &desc_families(f->desc)[i], value, n))
			f->families[i] = f->by_family = found = true;
	if (!found)
		return err_set(err, -ENOENT,
			       "There is no family \"%s\" here; the lines \"# TYPE\" of /metrics "
			       "name them all", quotable(value, quote, sizeof(quote)));
	return 0;
}

int expo_filter_add(struct expo_filter *f, const char *argument, const char *value, struct err *err)
{
	if (strcmp(argument, "group[]") == 0)
		return add_group(f, value, err);
	return strcmp(argument, "name[]") == 0 ? add_family(f, value, err) : 0;
}

bool expo_filter_empty(const struct expo_filter *f)
{
	return !f->by_family && !f->by_group;
}
