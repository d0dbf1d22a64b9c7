/* SPDX-License-Identifier: MIT
 * Gathers families, label sets and series, and makes the description of them.
 * Owns:  metadata lines, escaping of labels and HELP, the order of everything in the description.
 * Never: which families there are (desc_rows.c).
 * Main thread; allocates.
 */
#include "expo/desc_build.h"
#include "expo/digits.h"

#include "base/name.h"
#include "base/populate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The unit as OpenMetrics' UNIT line has it: a base unit or its rate; "" for counts. */
static const char *unit_shown(const char *unit)
{
	static const char units[] = "seconds bytes ratio hertz joules watts cycles "
				    "bytes_per_second joules_per_second events_per_second";

	return unit && name_listed(units, unit, strlen(unit)) ? unit : "";
}

/* A text with a backslash before each of these characters; a line feed becomes \\n. */
static void add_escaped(struct strb *t, const char *text, const char *escaped)
{
	for (;;) {
		size_t plain = strcspn(text, escaped);

		strb_add_mem(t, text, plain);
		text += plain;
		if (!*text)
			return;
		strb_add_mem(t, (char[]){ '\\', *text == '\n' ? 'n' : *text }, 2);
		text++;
	}
}

/* A string that lies in the scratch buffer. */
static struct desc_str keep_text(struct builder *b)
{
	if (b->text.failed)
		b->pool.failed = true;
	return strings_add(&b->strings, b->text.s ? b->text.s : "", b->text.n);
}

/* OpenMetrics names a family without the suffix that its type adds to the samples. */
static size_t base_length(const char *name, enum desc_type type)
{
	const char *suffix = desc_type_suffixes[type];
	size_t n = strlen(name), len = strlen(suffix);

	return n > len && strcmp(name + n - len, suffix) == 0 ? n - len : n;
}

/* Metadata lines: HELP and TYPE, or as OpenMetrics wants them. */
static struct desc_str head_text(struct builder *b, const char *name, const char *help,
				 enum desc_type type, const char *unit, bool openmetrics)
{
	/* Prometheus text has no info */
	enum desc_type shown = type == DESC_INFO && !openmetrics ? DESC_GAUGE : type;
	int n = (int)(openmetrics ? base_length(name, type) : strlen(name));

	strb_clear(&b->text);
	if (openmetrics)
		strb_addf(&b->text, "# TYPE %.*s %s\n", n, name, desc_type_names[shown]);
	if (openmetrics && *unit)
		strb_addf(&b->text, "# UNIT %.*s %s\n", n, name, unit);
	strb_addf(&b->text, "# HELP %.*s ", n, name);
	add_escaped(&b->text, help, openmetrics ? "\\\n\"" : "\\\n");
	strb_add_char(&b->text, '\n');
	if (!openmetrics)
		strb_addf(&b->text, "# TYPE %s %s\n", name, desc_type_names[shown]);
	return keep_text(b);
}

/* The number of a family, which is added if there is none of its name. */
static uint32_t family_number(struct builder *b, const struct build_family *f)
{
	const struct desc_family *all = (const struct desc_family *)b->families.s;
	uint32_t n = (uint32_t)(b->families.n / sizeof(*all));
	struct desc_family new;
	struct desc_str name = strings_add_text(&b->strings, f->name);
	const char *unit = unit_shown(f->unit), *help;
	struct strb marked;

	for (uint32_t i = n; i-- > 0;)          /* mostly one of the last */
		if (all[i].name.off == name.off)
			return i;
	strb_init(&marked, BUILD_TEXT_MAX);
	strb_addf(&marked, "%s%s%s", f->note, *f->note ? " " : "", f->help);
	help = marked.failed ? f->help : marked.s;
	new = (struct desc_family){ .name = name, .type = f->type,
				    .base_n = (uint32_t)base_length(f->name, f->type),
				    .help = strings_add_text(&b->strings, help),
				    .unit = strings_add_text(&b->strings, unit),
				    .known_after = f->known_after };
	for (int om = 0; om < 2; om++)
		new.head[om] = head_text(b, f->name, help, f->type, unit, om);
	strb_done(&marked);
	strb_add_mem(&b->families, &new, sizeof(new));
	return n;
}

static uint32_t n_labels(const struct builder *b)
{
	return (uint32_t)(b->labels.n / sizeof(struct desc_label));
}

void build_labels(struct builder *b, unsigned socket)
{
	b->socket = socket;
	b->first_label = n_labels(b);
}

void build_label(struct builder *b, const char *name, const char *value)
{
	struct desc_label label = { strings_add_text(&b->strings, name),
				    strings_add_text(&b->strings, value) };

	strb_add_mem(&b->labels, &label, sizeof(label));
}

void build_label_number(struct builder *b, const char *name, unsigned value)
{
	char text[DIGITS_MAX];

	*digits_u64(text, value) = '\0';
	build_label(b, name, text);
}

void build_label_all(struct builder *b, struct labels l)
{
	for (unsigned i = 0; i < l.n; i++)
		build_label(b, l.v[i].name, l.v[i].value);
}

static bool builder_failed(const struct builder *b)
{
	for (unsigned i = 0; i < DESC_PARTS; i++)
		if (b->parts[i].failed)
			return true;
	return b->family_of.failed;
}

uint32_t build_series(struct builder *b, const struct build_family *f, const struct desc_series *s)
{
	uint32_t family = family_number(b, f), number = (uint32_t)(b->series.n / sizeof(*s));
	struct desc_series series = *s;

	series.labels = (struct desc_labels){ b->first_label, n_labels(b) - b->first_label };
	series.socket = (uint16_t)b->socket;
	if (b->socket < b->plan->n_sockets)
		series.created = (uint64_t)b->id->began;
	strb_add_mem(&b->series, &series, sizeof(series));
	strb_add_mem(&b->family_of, &family, sizeof(family));
	return number;
}

void build_init(struct builder *b, const struct plan *plan, const struct expo_identity *id,
		const struct expo_offsets *offsets)
{
	*b = (struct builder){ .plan = plan, .id = id, .offsets = offsets };
	for (unsigned i = 0; i < DESC_PARTS; i++)
		strb_init(&b->parts[i], POOL_MAX);
	strb_init(&b->family_of, POOL_MAX);
	strings_init(&b->strings, &b->pool);
	strb_init(&b->text, BUILD_TEXT_MAX);
}

void build_done(struct builder *b)
{
	strings_done(&b->strings);
	for (unsigned i = 0; i < DESC_PARTS; i++)
		strb_done(&b->parts[i]);
	strb_done(&b->family_of);
	strb_done(&b->text);
}

/* A label value; it is short, and strcspn() would make a table for each. */
static char *put_escaped(char *p, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"' || *value == '\n')
			*p++ = '\\';
		*p++ = *value == '\n' ? 'n' : *value;
	}
	return p;
}

/* The beginning of a series' lines, at the end of the pool. */
static void prefix_add(struct builder *b, struct desc_str name, struct desc_series *s)
{
	const struct desc_total *found;
	const struct desc_label *l = (const struct desc_label *)b->labels.s + s->labels.first;
	size_t most = name.len + sizeof("{} ");
	char *begin, *p, *pool;

	for (uint32_t i = 0; i < s->labels.n; i++)
		most += l[i].name.len + 2 * l[i].value.len + sizeof("=\"\"");
	begin = strb_room(&b->pool, most);
	if (!begin)
		return;
	pool = b->pool.s;
	p = digits_text(begin, pool + name.off, name.len);
	for (uint32_t i = 0; i < s->labels.n; i++) {
		*p++ = i ? ',' : '{';
		p = digits_text(p, pool + l[i].name.off, l[i].name.len);
		p = digits_text(p, "=\"", 2);
		p = put_escaped(p, pool + l[i].value.off);
		*p++ = '"';
	}
	p = s->labels.n ? digits_text(p, "} ", 2) : digits_text(p, " ", 1);
	*p = '\0';
	s->prefix = (struct desc_str){ (uint32_t)(begin - pool), (uint32_t)(p - begin) };
	b->pool.n = (size_t)(p + 1 - pool);
	if (s->at_reload == RELOAD_RESTARTS || !b->offsets)
		return;
	found = offset_find(b->offsets, begin, pool + s->key.off);
	if (!found)
		return;
	s->offset = found->value;
	s->created = found->created;
	if (found->shown && s->at_reload == RELOAD_STAYS)
		s->when = DESC_ALWAYS;
}

/* Families, and their series one after the other; what names a series by its number so far gets its
 * place. false: out of memory. */
static bool sort_series(struct builder *b)
{
	struct desc_family *families = (struct desc_family *)b->families.s;
	struct desc_group *groups = (struct desc_group *)b->groups.s;
	struct desc_metric *metrics = (struct desc_metric *)b->metrics.s;
	const struct desc_series *series = (const struct desc_series *)b->series.s;
	const uint32_t *family_of = (const uint32_t *)b->family_of.s;
	size_t n = b->series.n / sizeof(*series);
	struct desc_series *sorted = calloc(n + 1, sizeof(*sorted));
	uint32_t *place = calloc(n + 1, sizeof(*place)), first = 0;

	if (!sorted || !place) {
		free(sorted);
		free(place);
		return false;
	}
	for (size_t k = 0; k < n; k++)
		families[family_of[k]].n++;
	for (size_t f = 0; f < b->families.n / sizeof(*families); f++) {
		families[f].first = first;
		first += families[f].n;
		families[f].n = 0;
	}
	for (size_t k = 0; k < n; k++) {
		struct desc_family *f = &families[family_of[k]];

		place[k] = f->first + f->n++;
		sorted[place[k]] = series[k];
	}
	for (size_t g = 0; g < b->groups.n / sizeof(*groups); g++)
		groups[g].active_series = place[groups[g].active_series];
	for (size_t m = 0; m < b->metrics.n / sizeof(*metrics); m++) {
		metrics[m].family = family_of[metrics[m].series];
		metrics[m].series = place[metrics[m].series];
	}
	free(place);
	free(b->series.s);
	b->series.s = (char *)sorted;
	return true;
}

/* Prefixes go into the pool in the order in which a body reads them. */
static void place_prefixes(struct builder *b)
{
	const struct desc_family *families = (const struct desc_family *)b->families.s;
	struct desc_series *series = (struct desc_series *)b->series.s;

	for (size_t f = 0; f < b->families.n / sizeof(*families); f++)
		for (uint32_t k = 0; k < families[f].n; k++)
			prefix_add(b, families[f].name, &series[families[f].first + k]);
}

/* Where each part is going to lie, and how long it is. */
static void place_parts(const struct builder *b, struct desc *desc)
{
	desc->len = (sizeof(*desc) + 7) & ~7u;
	for (unsigned i = 0; i < DESC_PARTS; i++) {
		desc->parts[i].off = desc->len;
		desc->parts[i].n = (uint32_t)(b->parts[i].n / desc_part_size[i]);
		desc->len += (uint32_t)((b->parts[i].n + 7) & ~(size_t)7);
	}
}

/* How long a turn lasts; 0: no socket takes turns. */
static nsec rotation_of(const struct plan *p)
{
	for (unsigned i = 0; i < p->n_sockets; i++)
		if (p->sockets[i].n_rounds > 1)
			return p->rotation;
	return 0;
}

int build_finish(struct builder *b, void **ret, size_t *ret_len, struct err *err)
{
	const struct expo_identity *id = b->id;
	struct desc desc = { .magic = DESC_MAGIC, .interval = b->plan->interval,
			     .rotation = rotation_of(b->plan),
			     .with_created = id->with_created }, *to;
	char *kernel = catalog_kernel_text(id->pmus);

	desc.version = strings_add_text(&b->strings, id->version);
	desc.revision = strings_add_text(&b->strings, id->revision);
	desc.host = strings_add_text(&b->strings, id->host);
	desc.engine = strings_add_text(&b->strings, id->engine);
	desc.note = strings_add_text(&b->strings, id->engine_note);
	desc.no_counters_reason = strings_add_text(&b->strings, id->no_counters_reason ?
						   id->no_counters_reason : "");
	desc.uncounted = strings_add_text(&b->strings, b->plan->uncounted ?: "");
	desc.processor = strings_add_text(&b->strings, id->processor);
	desc.model = strings_add_text(&b->strings, id->model);
	desc.machine = strings_add_text(&b->strings, id->machine);
	desc.workload = strings_add_text(&b->strings, id->workload);
	desc.kernel = strings_add_text(&b->strings, kernel);
	b->pool.failed |= !kernel;
	free(kernel);
	if (!builder_failed(b) && sort_series(b))
		place_prefixes(b);
	else
		b->pool.failed = true;
	place_parts(b, &desc);
	to = calloc(1, desc.len);
	if (!to || b->pool.failed) {
		free(to);
		return err_set(err, -ENOMEM, "out of memory for the names and labels of %u series",
			       desc.series.n);
	}
	populate(to, desc.len);
	*to = desc;
	for (unsigned i = 0; i < DESC_PARTS; i++)
		if (b->parts[i].n)
			memcpy((char *)to + desc.parts[i].off, b->parts[i].s, b->parts[i].n);
	*ret = to;
	*ret_len = desc.len;
	return 0;
}
