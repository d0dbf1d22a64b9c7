/* SPDX-License-Identifier: MIT
 * The rows of `metrics`: derived values that the user defines.
 * Owns:  the form of a row: scale x weighted sum / weighted sum, and which parts go together.
 * Never: whether its events exist and which group holds them.
 * Pure; any thread.
 */
#include "conf/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_CHARS 128
#define FACTOR_MAX     1048576         /* of a counter, from MiB to bytes: 64 bits last for days */
#define GUARD_EXAMPLE  "guard = { numerator = (...); denominator = (...); max = 0.05; }"
#define LOWER          "abcdefghijklmnopqrstuvwxyz"
#define SUM_EXAMPLE    "( \"bbox/IMT_INSERTS_ALL\", { event = \"seconds\"; weight = 2; } )"

static bool is_word(const char *s)
{
	return strchr(LOWER, *s) && *s && strspn(s, LOWER "0123456789_") == strlen(s);
}

/* ---- a weighted sum */

static void read_term_text(struct reader *r, const struct setting *s,
			   const char *text, struct cat_term *t)
{
	bool event = cat_is_event(text);
	struct spec spec;

	t->spec = read_copy(r, text);
	t->line = read_where(r, s).line;
	t->faulty = event ? !read_spec_text(r, s, text, &spec) : !is_word(text);
	if (t->faulty && !event)
		read_bad(r, s, "\"%.60s\" is not an event (box/EVENT) or the word \"seconds\"",
			 text);
}

/* Is the term an event? A text that could not be read counts as one. */
static bool is_event(const struct cat_term *t)
{
	return !*t->spec || cat_is_event(t->spec);
}

static void read_term_event(struct reader *r, const struct key *k, const struct setting *s,
			    void *at)
{
	const char *text = read_text(r, k, s, k->name);

	if (text)
		read_term_text(r, s, text, at);
}

static const struct key addend_keys[] = {
	{ "event", "event", "An event, or the word seconds",
	  read_term_event, "event = \"bbox/IMT_INSERTS_ALL\"", .required = true },
	{ "weight", "number", "What it is multiplied by", read_number, NULL, AT(cat_term, weight),
	  .def = "1", .not_zero = "a weight of 0 has no effect" },
};
static const struct block addend = { BLOCK("an addend", addend_keys), .what = "this block" };

static void read_sum(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	unsigned n = read_list(r, k, s);
	struct cat_term *v = n ? read_alloc(r, n + 1, sizeof(*v)) : NULL;

	*(const struct cat_term **)at = v;
	for (unsigned i = 0; i < n; i++) {
		const struct setting *e = setting_element(s, i);
		bool is_block = e->type == SETTING_BLOCK;
		const char *text = is_block ? NULL : read_text(r, k, e, k->name);

		v[i] = (struct cat_term){ .spec = "", .faulty = true };
		read_block(r, k->block, is_block ? e : NULL, &v[i]);
		if (text)
			read_term_text(r, e, text, &v[i]);
	}
}

/* ---- names */

static bool ends_in(const char *name, size_t n, const char *unit)
{
	size_t u = strlen(unit);

	return n > u + 1 && name[n - u - 1] == '_' && memcmp(name + n - u, unit, u) == 0;
}

/* "qpi_out_bytes_total" -> 13: the name without _total. */
static size_t stem_length(const char *name)
{
	size_t n = strlen(name);

	return ends_in(name, n, "total") ? n - strlen("_total") : n;
}

/* Where the unit begins in n bytes of name: the last word, or the one before "per"; 0: nowhere. */
static size_t unit_begin(const char *name, size_t n)
{
	const char *at = memrchr(name, '_', n), *before = NULL;

	if (at && at - name > 4 && memcmp(at - 4, "_per", 4) == 0)
		before = memrchr(name, '_', (size_t)(at - 4 - name));
	at = before ? before : at;
	return at ? (size_t)(at + 1 - name) : 0;
}

/* The name ends in the unit, so that it need not be given. */
static void check_unit(struct reader *r, const struct setting *s, struct cat_metric *m)
{
	const struct setting *at = setting_find(s, "unit");
	const char *unit = m->unit;
	size_t n = stem_length(m->name), begin = unit_begin(m->name, n);

	if (at && !unit)
		return;
	if (begin && begin < n && (!unit || ends_in(m->name, n, unit)))
		m->unit = arena_text_n(r->conf->arena, m->name + begin, n - begin);
	else
		m->unit = NULL;
	if (!m->unit)
		read_bad(r, at ? at : s, "metric \"%s\"%s: the name must end in its unit, in lower "
			 "case: WHAT_UNIT, or WHAT_UNIT_total for a counter", m->name,
			 unit ? arena_printf(r->conf->arena, " with unit \"%.60s\"", unit) : "");
}

/* Words that make Prometheus, or promtool, take a metric for something else. */
static const struct {
	const char *words, *why;
	enum { ANY, LAST, BEFORE_LAST } place;
} refused[] = {
	{ " s ms us ns sec b kb mb gb tb pb m h d ", "is an abbreviated unit; write it out", ANY },
	{ " nanoseconds microseconds milliseconds minutes hours days weeks ",
	  "is not a base unit; count in seconds", ANY },
	{ " bits kilobytes megabytes gigabytes terabytes ",
	  "is not a base unit; count in bytes", ANY },
	{ " kilohertz megahertz gigahertz ", "is not a base unit; count in hertz", ANY },
	{ " counter gauge histogram summary ", "is a type of metric; leave it out", ANY },
	{ " bucket sum count created info ",
	  "is an ending that other types of metrics use; use another unit", LAST },
	{ " peak distribution ",
	  "is a word that uncored itself puts before the unit; use another one", BEFORE_LAST },
};

static void check_words(struct reader *r, const struct setting *at, const char *name)
{
	size_t left = stem_length(name), n;

	for (unsigned place = LAST; left; place = place == LAST ? BEFORE_LAST : ANY) {
		char word[NAME_MAX_CHARS + 3];

		for (n = 0; n < left && name[left - n - 1] != '_'; n++)
			;
		snprintf(word, sizeof(word), " %.*s ", (int)n, name + left - n);
		for (size_t i = 0; n && i < COUNT(refused); i++) {
			if (strstr(refused[i].words, word) &&
			    (refused[i].place == ANY || refused[i].place == place))
				read_bad(r, at, "metric name \"%s\": \"%.*s\" %s", name, (int)n,
					 name + left - n, refused[i].why);
		}
		left -= n < left ? n + 1 : n;
	}
}

static void read_metric_name(struct reader *r, const struct key *k, const struct setting *s,
			     void *at)
{
	const char *name = read_text(r, k, s, k->name);

	if (!name)
		return;
	if (!is_word(name) || strlen(name) > NAME_MAX_CHARS) {
		read_bad(r, s, "metric name \"%.140s\": it must be a lower-case letter and then at "
			 "most %d lower-case letters, digits and underscores", name,
			 NAME_MAX_CHARS - 1);
		return;
	}
	check_words(r, s, name);
	*(char **)at = read_copy(r, name);
}

/* ---- the parts of a row */

static void read_clock(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct spec spec = { .text = NULL };

	read_spec(r, k, s, &spec);
	if (spec.text && !cat_is_event(spec.text))
		read_bad(r, s, "\"%s\" is no clock with its box, which cycles_of needs: box/EVENT, "
			 "for example wbox/CLOCKTICKS", spec.text);
	else
		*(const char **)at = spec.text;
}

#define SUM(key, help_, at_) key, "list", help_, read_sum, key " = " SUM_EXAMPLE, .at = at_, \
	.most = 64, .elements = "addends", .block = &addend
#define ROW(member) AT(conf_metric, row.member)

static const struct key guard_keys[] = {
	{ SUM("numerator", "What is added up", AT(cat_guard, num)), .required = true },
	{ SUM("denominator", "What it is divided by", AT(cat_guard, den)), .required = true },
	{ "max", "number", "The largest quotient allowed", read_number, NULL, AT(cat_guard, max),
	  .wrong_name = "maximum",
	  .required = true, .not_negative = "max of a guard must be 0 or more" },
};
static const struct block guard = {
	BLOCK("a guard", guard_keys),
	.why = "the metric has a value only while numerator / denominator <= max",
};

static void read_guard(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct cat_guard *g;

	if (!read_is_block(r, s, k->name, k->example))
		return;
	*(const struct cat_guard **)at = g = read_alloc(r, 1, sizeof(*g));
	read_block(r, k->block, s, g);
}

static const struct key metric_keys[] = {
	{ "name", "text", "Its name in lower case, which ends in its unit",
	  read_metric_name, "name = \"imt_latency_cycles\"", ROW(name), .required = true },
	{ "unit", "text", "The unit, where it is not just the last word of the name",
	  read_string, "unit = \"seconds\"", .at = ROW(unit) },
	{ "per", CHOICE("unit", "socket"), "What has one value: each unit, or the whole socket",
	  read_choice, "per = \"socket\"", AT(conf_metric, per), .def = "unit" },
	{ "scale", "number", "What the value is multiplied by",
	  read_number, NULL, ROW(scale), 0, "1", .not_zero = "a scale of 0 makes every value 0" },
	{ SUM("numerator", "What is added up", ROW(num)), .required = true, .wrong_name = "value" },
	{ SUM("denominator", "What it is divided by", ROW(den)) },
	{ "cycles_of", "event", "The clock whose cycles the value is in; they become seconds",
	  read_clock, "cycles_of = \"wbox/CLOCKTICKS\"", ROW(cycles_of), .of_quotient = true },
	{ BOOL("complement", "Take 1 minus the quotient", ROW(complement)), .of_quotient = true },
	{ BOOL("clamp", "Keep the value within 0 and 1", ROW(clamp)), .of_quotient = true },
	{ "help", "text", "What the metric means, for people who find it in Prometheus",
	  read_string, "help = \"What the number means\"", ROW(help), .most = 1024 },
	{ "guard", "block", "When the value cannot be trusted and is left out",
	  read_guard, GUARD_EXAMPLE, ROW(guard), .block = &guard, .of_quotient = true },
	{ "distribution", "true, false or block", "Whether its samples are shown as a histogram",
	  DISTRIBUTION(conf_metric) },
};
const struct block conf_metric = {
	BLOCK("a metric", metric_keys), .what = "this metric", .former = "group",
	.instead = "it is evaluated wherever its events are counted at the same time; to tie it to "
		   "a group, name it there: { name = \"memory\"; metrics = [ \"...\" ]; }",
};

/* A row without denominator adds up window by window, exactly: its factors are whole numbers. */
static void check_counter(struct reader *r, const struct setting *s, const struct cat_metric *m)
{
	bool whole = m->scale > 0 && m->scale == floor(m->scale);
	double most = m->scale;

	for (const struct key *k = metric_keys; k < metric_keys + COUNT(metric_keys); k++) {
		const struct setting *at = k->of_quotient ? setting_find(s, k->name) : NULL;

		if (at)
			read_bad(r, at, "%s needs a denominator; without one the metric is a "
				 "counter", k->name);
	}
	for (const struct cat_term *t = m->num; t && t->spec; t++) {
		whole = whole && t->weight > 0 && t->weight == floor(t->weight);
		if (m->scale * t->weight > most)
			most = m->scale * t->weight;
		if (!is_event(t))
			diags_add(r->d, (struct where){ r->conf->file, t->line },
				  "a metric without a denominator is an exact counter, which can "
				  "only add events");
	}
	if (!whole)
		read_bad(r, s, "a metric without a denominator is an exact counter: its scale and "
			 "weights must be whole numbers above 0");
	else if (most > FACTOR_MAX)
		read_bad(r, s, "a metric without a denominator is an exact counter: scale x weight "
			 "must not exceed %d, or its 64 bits would soon overflow", FACTOR_MAX);
	if (m->name && stem_length(m->name) == strlen(m->name))
		read_bad(r, s, "a metric without a denominator is a counter: its name must end in "
			 "_total");
}

static bool has_event(const struct cat_term *t)
{
	while (t && t->spec && !is_event(t))
		t++;
	return t && t->spec;
}

/* A quotient without an event counts nothing. */
static void check_quotient(struct reader *r, const struct setting *s, const struct cat_metric *m)
{
	if ((m->num || m->den) && !has_event(m->num) && !has_event(m->den))
		read_bad(r, s, "the numerator or the denominator must name an event (box/EVENT)");
	if (m->name && stem_length(m->name) != strlen(m->name))
		read_bad(r, s, "a metric with a denominator is not a counter: its name must not "
			 "end in _total");
}

static void read_metric(struct reader *r, const struct setting *s, struct conf_metric *m)
{
	size_t before = read_mistakes(r);
	bool is_block = read_is_block(r, s, "a metric", "{ name = \"...\"; numerator = (...); "
				      "denominator = (...); }");

	m->where = read_where(r, s);
	read_block(r, &conf_metric, is_block ? s : NULL, m);
	m->row.per = m->per == CONF_PER_SOCKET ? CAT_PER_SOCKET : CAT_PER_UNIT;
	if (is_block) {
		if (m->row.name)
			check_unit(r, s, &m->row);
		if (!setting_find(s, "denominator"))
			check_counter(r, s, &m->row);
		else
			check_quotient(r, s, &m->row);
	}
	m->faulty = read_mistakes(r) != before;
}

void read_metrics(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf *c = at;
	unsigned n = read_list(r, k, s);

	c->metrics = n ? read_alloc(r, n, sizeof(*c->metrics)) : NULL;
	for (c->n_metrics = 0; c->n_metrics < n; c->n_metrics++) {
		struct conf_metric *m = &c->metrics[c->n_metrics];

		read_metric(r, setting_element(s, c->n_metrics), m);
		for (const struct conf_metric *o = c->metrics; m->row.name && o < m; o++) {
			if (strcmp(o->row.name, m->row.name) == 0)
				diags_add(r->d, m->where, "there are two metrics \"%s\"; the first "
					  "is on line %u", m->row.name, o->where.line);
		}
		if (!m->row.name)               /* messages quote it */
			m->row.name = read_copy(r, "?");
	}
}
