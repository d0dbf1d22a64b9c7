/* desc_build.c - families, label sets and series as they are gathered; and the finished description.
 *
 * Owns:  metadata lines, escaping of labels and HELP, the order of everything in the description.
 * Never: which families there are (desc_rows.c).
 * Main thread; allocates.
 */
#include "config.h"

#include "expo/desc_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct node {                           /* a series, chained to the next one of its family */
	struct desc_series series;
	uint32_t next;                  /* 0: the last; numbers count from 1 */
};

struct family_node {
	struct desc_family family;      /* first: a node's number */
	uint32_t last;
};

/* ------------------------------------------------------------------ families */

/* What OpenMetrics' UNIT line says: base units and rates of them; "" for plain counts. */
static const char *unit_shown(const char *unit)
{
	static const char *const units[] = { "seconds", "bytes", "ratio", "hertz", "joules", "cycles", "bytes_per_second",
					     "joules_per_second", "events_per_second" };

	for (size_t i = 0; unit && i < COUNT(units); i++)
		if (strcmp(unit, units[i]) == 0)
			return unit;
	return "";
}

/* HELP text: backslash and line feed escaped, in OpenMetrics the quote too. */
static void add_help(struct strb *t, const char *help, bool openmetrics)
{
	const char *escaped = openmetrics ? "\\\n\"" : "\\\n";

	for (;;) {
		size_t plain = strcspn(help, escaped);

		strb_add_mem(t, help, plain);
		help += plain;
		if (!*help)
			return;
		strb_add_mem(t, (char[]){ '\\', *help == '\n' ? 'n' : *help }, 2);
		help++;
	}
}

static void add_line(struct strb *t, const char *what, const char *name, size_t n, const char *text)
{
	strb_add(t, what);
	strb_add_mem(t, name, n);
	strb_add_char(t, ' ');
	strb_add(t, text);
	strb_add_char(t, '\n');
}

/* A string that lies in the scratch buffer. */
static struct desc_str keep_text(struct builder *b)
{
	if (b->text.failed)
		b->strings.pool.failed = true;
	return strings_add(&b->strings, b->text.s ? b->text.s : "", b->text.n);
}

static struct desc_str head_text(struct builder *b, const char *name, const char *help, enum desc_type type)
{
	static const char *const types[DESC_TYPES] = { [DESC_COUNTER] = "counter", [DESC_GAUGE] = "gauge",
						       [DESC_INFO] = "gauge", [DESC_HISTOGRAM] = "histogram" };

	strb_clear(&b->text);
	strb_add(&b->text, "# HELP ");
	strb_add(&b->text, name);
	strb_add_char(&b->text, ' ');
	add_help(&b->text, help, false);
	strb_add_char(&b->text, '\n');
	add_line(&b->text, "# TYPE ", name, strlen(name), types[type]);
	return keep_text(b);
}

/* OpenMetrics names a family without the suffix that its type adds to the samples. */
static size_t base_length(const char *name, enum desc_type type)
{
	static const char *const suffixes[DESC_TYPES] = { [DESC_COUNTER] = "_total", [DESC_GAUGE] = "", [DESC_INFO] = "_info",
							  [DESC_HISTOGRAM] = "" };
	size_t n = strlen(name), len = strlen(suffixes[type]);

	return n > len && strcmp(name + n - len, suffixes[type]) == 0 ? n - len : n;
}

static struct desc_str head_openmetrics(struct builder *b, const char *name, const char *help, enum desc_type type,
					const char *unit)
{
	static const char *const types[DESC_TYPES] = { [DESC_COUNTER] = "counter", [DESC_GAUGE] = "gauge",
						       [DESC_INFO] = "info", [DESC_HISTOGRAM] = "histogram" };
	size_t n = base_length(name, type);

	strb_clear(&b->text);
	add_line(&b->text, "# TYPE ", name, n, types[type]);
	if (*unit)
		add_line(&b->text, "# UNIT ", name, n, unit);
	strb_add(&b->text, "# HELP ");
	strb_add_mem(&b->text, name, n);
	strb_add_char(&b->text, ' ');
	add_help(&b->text, help, true);
	strb_add_char(&b->text, '\n');
	return keep_text(b);
}

static struct family_node *family_find(struct builder *b, const struct build_family *f)
{
	struct family_node *all = (struct family_node *)b->families.bytes, new = { 0 };
	size_t n = b->families.n / sizeof(*all);
	struct desc_str name = strings_add_text(&b->strings, f->name);
	const char *unit, *help;
	struct strb marked;

	for (size_t i = n; i-- > 0;)            /* the last ones are asked for most */
		if (all[i].family.name.off == name.off)
			return &all[i];
	unit = unit_shown(f->unit);
	strb_init(&marked, BUILD_TEXT_MAX);
	strb_add(&marked, f->simulated ? "SIMULATED: " : "");
	strb_add(&marked, f->help);
	help = marked.failed ? f->help : marked.s;
	new.family.name = name;
	new.family.help = strings_add_text(&b->strings, help);
	new.family.unit = strings_add_text(&b->strings, unit);
	new.family.head[0] = head_text(b, f->name, help, f->type);
	new.family.head[1] = head_openmetrics(b, f->name, help, f->type, unit);
	new.family.type = f->type;
	strb_done(&marked);
	pool_add(&b->families, &new, sizeof(new));
	return b->families.failed ? NULL : (struct family_node *)b->families.bytes + n;
}

/* ------------------------------------------------------------------ labels and series */

void build_labels(struct builder *b)
{
	strb_clear(&b->text);
	strb_add_char(&b->text, '{');
	b->group = 0;
}

static void label_name(struct builder *b, const char *name)
{
	if (b->text.n > 1)
		strb_add_char(&b->text, ',');
	strb_add(&b->text, name);
	strb_add(&b->text, "=\"");
}

void build_label(struct builder *b, const char *name, const char *value)
{
	label_name(b, name);
	while (value && *value) {
		size_t plain = strcspn(value, "\\\"\n");

		strb_add_mem(&b->text, value, plain);
		value += plain;
		if (*value == '\n')
			strb_add(&b->text, "\\n");
		else if (*value)
			strb_add_mem(&b->text, (char[]){ '\\', *value }, 2);
		value += *value != '\0';
	}
	strb_add_char(&b->text, '"');
}

void build_label_group(struct builder *b, const char *name)
{
	build_label(b, "group", name);
	b->group = strings_add_text(&b->strings, name).off;
}

void build_label_number(struct builder *b, const char *name, uint64_t value)
{
	label_name(b, name);
	strb_add_u64(&b->text, value);
	strb_add_char(&b->text, '"');
}

void build_label_all(struct builder *b, struct labels l)
{
	for (unsigned i = 0; i < l.n; i++)
		build_label(b, l.v[i].name, l.v[i].value);
}

struct desc_str build_labels_done(struct builder *b)
{
	struct desc_str labels = { 0, 0 };

	if (b->text.n == 1) {
		strb_clear(&b->text);
		strb_add_char(&b->text, ' ');
	} else {
		strb_add(&b->text, "} ");
	}
	if (b->text.failed)
		b->labels.failed = true;
	else
		labels = (struct desc_str){ pool_add(&b->labels, b->text.s, b->text.n + 1), (uint32_t)b->text.n };
	return labels;
}

uint32_t build_series(struct builder *b, const struct build_family *f, const struct desc_series *s)
{
	struct family_node *family = family_find(b, f);
	struct node node = { .series = *s }, *nodes;
	uint32_t number = (uint32_t)(b->nodes.n / sizeof(node)) + 1;

	node.series.group = b->group;
	if (s->carries && !b->strings.pool.failed && !b->labels.failed)
		node.series.carry = offset_find(b->carry, f->name, b->labels.bytes + s->labels.off,
					       b->strings.pool.bytes + s->key.off);
	pool_add(&b->nodes, &node, sizeof(node));
	if (!family || b->nodes.failed)
		return number;
	nodes = (struct node *)b->nodes.bytes;
	if (family->last)
		nodes[family->last - 1].next = number;
	else
		family->family.first = number;
	family->last = number;
	family->family.n++;
	return number;
}

/* ------------------------------------------------------------------ the finished description */

void build_init(struct builder *b, const struct plan *plan, const struct expo_identity *id,
		const struct expo_offsets *carry)
{
	*b = (struct builder){ .plan = plan, .id = id, .carry = carry };
	strings_init(&b->strings);
	strb_init(&b->text, BUILD_TEXT_MAX);
}

void build_done(struct builder *b)
{
	strings_done(&b->strings);
	pool_done(&b->labels);
	pool_done(&b->families);
	pool_done(&b->nodes);
	pool_done(&b->sockets);
	pool_done(&b->groups);
	pool_done(&b->slots);
	pool_done(&b->metrics);
	pool_done(&b->shapes);
	pool_done(&b->members);
	strb_done(&b->text);
}

static bool builder_failed(const struct builder *b)
{
	return b->strings.pool.failed || b->labels.failed || b->families.failed || b->nodes.failed || b->sockets.failed || b->groups.failed ||
	       b->slots.failed || b->metrics.failed || b->shapes.failed || b->members.failed;
}

/* Names and labels into the pool, line by line as they are going to be read. */
static void place_prefixes(struct builder *b)
{
	const struct family_node *families = (const struct family_node *)b->families.bytes;
	struct node *nodes = (struct node *)b->nodes.bytes;

	for (size_t f = 0; f < b->families.n / sizeof(*families) && !builder_failed(b); f++) {
		struct desc_str name = families[f].family.name;

		for (uint32_t k = families[f].family.first; k && !builder_failed(b); k = nodes[k - 1].next) {
			struct desc_str *labels = &nodes[k - 1].series.labels;

			strb_clear(&b->text);
			strb_add_mem(&b->text, b->strings.pool.bytes + name.off, name.len);
			strb_add_mem(&b->text, b->labels.bytes + labels->off, labels->len + 1UL);
			if (b->text.failed)
				b->strings.pool.failed = true;
			else
				labels->off = pool_add(&b->strings.pool, b->text.s, b->text.n) + name.len;
		}
	}
}

/* Families and their series one after the other; rows of the page that name a node then name its place. */
static void place_series(struct builder *b, struct desc *desc, char *to, uint32_t *place)
{
	const struct family_node *from = (const struct family_node *)b->families.bytes;
	const struct node *nodes = (const struct node *)b->nodes.bytes;
	struct desc_family *families = (struct desc_family *)(to + desc->families);
	struct desc_series *series = (struct desc_series *)(to + desc->series);
	struct desc_group *groups = (struct desc_group *)(to + desc->groups);
	struct desc_metric *metrics = (struct desc_metric *)(to + desc->metrics);
	uint32_t n = 0;

	for (uint32_t f = 0; f < desc->n_families; f++) {
		families[f] = from[f].family;
		families[f].first = n;
		for (uint32_t k = from[f].family.first; k; k = nodes[k - 1].next) {
			place[k - 1] = n;
			series[n++] = nodes[k - 1].series;
		}
	}
	for (uint32_t g = 0; g < desc->n_groups; g++)
		groups[g].seconds = place[groups[g].seconds - 1];
	for (uint32_t m = 0; m < desc->n_metrics; m++) {
		metrics[m].series = place[metrics[m].series - 1];
		while (metrics[m].series >= families[metrics[m].family].first + families[metrics[m].family].n)
			metrics[m].family++;
	}
}

/* Room for n bytes at the end, aligned. */
static uint32_t section(struct desc *desc, size_t n)
{
	uint32_t off = desc->len;

	desc->len += (uint32_t)((n + 7) & ~(size_t)7);
	return off;
}

static void section_copy(char *to, const struct pool *from)
{
	if (from->n)
		memcpy(to, from->bytes, from->n);
}

int build_finish(struct builder *b, void **ret, size_t *ret_len, struct err *err)
{
	struct desc desc = { .magic = DESC_MAGIC, .len = (sizeof(desc) + 7) & ~7u, .interval = b->plan->interval,
			     .n_sockets = b->plan->n_sockets };
	const struct expo_identity *id = b->id;
	char *kernel = catalog_kernel_text(id->pmus);
	uint32_t *place;
	char *to;

	desc.version = strings_add_text(&b->strings, id->version);
	desc.revision = strings_add_text(&b->strings, id->revision);
	desc.engine = strings_add_text(&b->strings, id->engine);
	desc.note = strings_add_text(&b->strings, id->engine_note);
	desc.processor = strings_add_text(&b->strings, id->processor);
	desc.workload = strings_add_text(&b->strings, id->workload);
	desc.kernel = strings_add_text(&b->strings, kernel);
	b->strings.pool.failed |= !kernel;
	free(kernel);
	place_prefixes(b);
	desc.n_families = (uint32_t)(b->families.n / sizeof(struct family_node));
	desc.families = section(&desc, desc.n_families * sizeof(struct desc_family));
	desc.n_series = (uint32_t)(b->nodes.n / sizeof(struct node));
	desc.series = section(&desc, desc.n_series * sizeof(struct desc_series));
	desc.sockets = section(&desc, b->sockets.n);
	desc.n_groups = (uint32_t)(b->groups.n / sizeof(struct desc_group));
	desc.groups = section(&desc, b->groups.n);
	desc.n_slots = (uint32_t)(b->slots.n / sizeof(struct desc_slot));
	desc.slots = section(&desc, b->slots.n);
	desc.n_metrics = (uint32_t)(b->metrics.n / sizeof(struct desc_metric));
	desc.metrics = section(&desc, b->metrics.n);
	desc.n_shapes = (uint32_t)(b->shapes.n / sizeof(struct desc_shape));
	desc.shapes = section(&desc, b->shapes.n);
	desc.n_members = (uint32_t)(b->members.n / sizeof(uint32_t));
	desc.members = section(&desc, b->members.n);
	desc.pool_len = (uint32_t)b->strings.pool.n;
	desc.pool = section(&desc, b->strings.pool.n);

	to = calloc(1, desc.len);
	place = calloc(desc.n_series + 1, sizeof(*place));
	if (!to || !place || builder_failed(b)) {
		free(to);
		free(place);
		return err_set(err, -ENOMEM, "out of memory for the names and labels of %u series", desc.n_series);
	}
	memcpy(to, &desc, sizeof(desc));
	section_copy(to + desc.sockets, &b->sockets);
	section_copy(to + desc.groups, &b->groups);
	section_copy(to + desc.slots, &b->slots);
	section_copy(to + desc.metrics, &b->metrics);
	section_copy(to + desc.shapes, &b->shapes);
	section_copy(to + desc.members, &b->members);
	section_copy(to + desc.pool, &b->strings.pool);
	place_series(b, &desc, to, place);
	free(place);
	*ret = to;
	*ret_len = desc.len;
	return 0;
}
