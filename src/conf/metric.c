/* metric.c - the rows of `metrics`: derived values that the user defines.
 *
 * Owns:  the form of a row: scale x weighted sum / weighted sum, and which parts go together.
 * Never: whether its events exist and which group holds them.
 * Pure; any thread.
 */
#include "config.h"

#include "conf/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_CHARS 128
#define HELP_MAX_CHARS 1024
#define TERMS_MAX      64
#define FACTOR_MAX     1048576         /* of a counter, from MiB to bytes; its total has 64 bits, and should not pass their end within days */
#define LOWER          "abcdefghijklmnopqrstuvwxyz"
#define SUM_EXAMPLE    "( \"bbox/IMT_INSERTS_ALL\", { event = \"seconds\"; weight = 2; } )"

static bool is_word(const char *s)
{
	return strchr(LOWER, *s) && *s && strspn(s, LOWER "0123456789_") == strlen(s);
}

/* ---- a weighted sum */

static void read_term(struct reader *r, const config_setting_t *s, const char *what, struct conf_term *t)
{
	static const char *const known[] = { "event", "weight", NULL };
	const config_setting_t *at = s;
	const char *text;

	t->weight = 1;
	if (config_setting_type(s) == CONFIG_TYPE_GROUP) {
		read_known(r, s, "an addend", known);
		if (read_key_number(r, s, "weight", &t->weight) && t->weight == 0)
			read_bad(r, read_key(s, "weight"), "a weight of 0 has no effect");
		text = read_key_text(r, s, "event", true, "event = \"bbox/IMT_INSERTS_ALL\"");
		at = read_key(s, "event");
	} else {
		text = read_text(r, s, what, SUM_EXAMPLE);
	}
	if (!text)
		return;
	if (strchr(text, '/')) {
		read_spec(r, at, text, &t->spec);
		return;
	}
	t->word = true;
	t->spec.unit = -1;
	t->spec.where = read_where(r, at);
	if (is_word(text))
		t->spec.text = read_copy(r, text);
	else
		read_bad(r, at, "\"%.60s\" is neither an event (box/EVENT) nor the word seconds nor "
			 "the lower-case name of a constant", text);
}

/* A missing sum leaves *ret alone; the caller knows whether that is a mistake. */
static void read_sum(struct reader *r, const config_setting_t *block, const char *key, bool required,
		     struct conf_term **ret, unsigned *ret_n)
{
	const config_setting_t *s = read_key(block, key);
	unsigned n;

	if (!s || !read_list(r, s, key, required, SUM_EXAMPLE))
		return;
	n = (unsigned)config_setting_length(s);
	if (n > TERMS_MAX) {
		read_bad(r, s, "%s has more than %d addends", key, TERMS_MAX);
		return;
	}
	*ret = read_alloc(r, n, sizeof(**ret));
	for (*ret_n = 0; *ret_n < n; ++*ret_n)
		read_term(r, config_setting_get_elem(s, *ret_n), key, &(*ret)[*ret_n]);
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

/* Where the unit begins in a name of n bytes: with its last word, or with the one before "per"; 0: nowhere. */
static size_t unit_begin(const char *name, size_t n)
{
	const char *at = memrchr(name, '_', n), *before = NULL;

	if (at && at - name > 4 && memcmp(at - 4, "_per", 4) == 0)
		before = memrchr(name, '_', (size_t)(at - 4 - name));
	at = before ? before : at;
	return at ? (size_t)(at + 1 - name) : 0;
}

/* The name ends in the unit, so that it need not be given. */
static void read_unit(struct reader *r, const config_setting_t *s, struct conf_metric *m)
{
	const config_setting_t *at = read_key(s, "unit");
	const char *unit = read_key_text(r, s, "unit", false, "unit = \"seconds\"");
	size_t n = stem_length(m->name), begin = unit_begin(m->name, n);

	if (at && !unit)
		return;
	if (begin && begin < n && (!unit || ends_in(m->name, n, unit))) {
		m->unit = arena_text_n(r->conf->arena, m->name + begin, n - begin);
		return;
	}
	read_bad(r, at ? at : s, "metric \"%s\"%s%.60s%s: the name ends in its unit, in lower case: "
		 "WHAT_UNIT, or WHAT_UNIT_total for a counter", m->name,
		 unit ? " with unit \"" : "", unit ? unit : "", unit ? "\"" : "");
}

/* Words that make Prometheus, or promtool, take a metric for something else. */
static const struct {
	const char *words, *why;
	enum { ANYWHERE, LAST, BEFORE_LAST } place;
} refused[] = {
	{ " s ms us ns sec b kb mb gb tb pb m h d ", "is an abbreviated unit; write it out", ANYWHERE },
	{ " nanoseconds microseconds milliseconds minutes hours days weeks ", "is no base unit; count in seconds", ANYWHERE },
	{ " bits kilobytes megabytes gigabytes terabytes ", "is no base unit; count in bytes", ANYWHERE },
	{ " kilohertz megahertz gigahertz ", "is no base unit; count in hertz", ANYWHERE },
	{ " counter gauge histogram summary ", "names a type of metrics; leave it out", ANYWHERE },
	{ " bucket sum count created info ", "ends the names of other types of metrics; use another unit", LAST },
	{ " peak distribution ", "is what uncored itself puts before the unit; use another word", BEFORE_LAST },
};

static void check_words(struct reader *r, const config_setting_t *at, const char *name)
{
	size_t left = stem_length(name), n;

	for (unsigned place = LAST; left; place = place == LAST ? BEFORE_LAST : ANYWHERE) {
		char word[NAME_MAX_CHARS + 3];

		for (n = 0; n < left && name[left - n - 1] != '_'; n++)
			;
		snprintf(word, sizeof(word), " %.*s ", (int)n, name + left - n);
		for (size_t i = 0; n && i < sizeof(refused) / sizeof(refused[0]); i++) {
			if (strstr(refused[i].words, word) &&
			    (refused[i].place == ANYWHERE || refused[i].place == place))
				read_bad(r, at, "metric name \"%s\": \"%.*s\" %s", name, (int)n,
					 name + left - n, refused[i].why);
		}
		left -= n < left ? n + 1 : n;
	}
}

static void read_names(struct reader *r, const config_setting_t *s, struct conf_metric *m)
{
	const char *name = read_key_text(r, s, "name", true, "name = \"imt_latency_cycles\"");
	const char *help = read_key_text(r, s, "help", false, "help = \"What the number means\"");
	const char *group = read_key_text(r, s, "group", false, "group = \"memory\"");
	const char *per = read_key_text(r, s, "per", false, "per = \"socket\"");

	if (name && (!is_word(name) || strlen(name) > NAME_MAX_CHARS))
		read_bad(r, read_key(s, "name"), "metric name \"%.140s\": expected a lower-case "
			 "letter, then at most %d lower-case letters, digits and underscores", name,
			 NAME_MAX_CHARS - 1);
	else if (name) {
		m->name = read_copy(r, name);
		read_unit(r, s, m);
		check_words(r, read_key(s, "name"), name);
	}
	if (help && strlen(help) > HELP_MAX_CHARS)
		read_bad(r, read_key(s, "help"), "help has more than %d bytes", HELP_MAX_CHARS);
	else if (help)
		m->help = read_copy(r, help);
	if (group)
		m->group = read_copy(r, group);
	if (per && strcmp(per, "unit") != 0 && strcmp(per, "socket") != 0)
		read_bad(r, read_key(s, "per"), "per = \"%.60s\": expected \"unit\" or \"socket\"",
			 per);
	m->per_socket = per && strcmp(per, "socket") == 0;
}

/* ---- the parts of a row */

static void read_guard(struct reader *r, const config_setting_t *row, struct conf_metric *m)
{
	static const char *const known[] = { "numerator", "denominator", "max", NULL };
	const config_setting_t *s = read_key(row, "guard");

	if (!s)
		return;
	if (config_setting_type(s) != CONFIG_TYPE_GROUP) {
		read_bad(r, s, "guard is a block: guard = { numerator = (...); denominator = (...); "
			 "max = 0.05; }");
		return;
	}
	m->has_guard = true;
	m->guard_max = -1;
	read_known(r, s, "a guard", known);
	read_sum(r, s, "numerator", true, &m->guard_num, &m->n_guard_num);
	read_sum(r, s, "denominator", true, &m->guard_den, &m->n_guard_den);
	for (const char *const *k = known; *k; k++) {
		if (!read_key(s, *k))
			read_bad(r, s, "a guard needs %s; the value is given while numerator / "
				 "denominator <= max", *k);
	}
	if (read_key(s, "max") && read_key_number(r, s, "max", &m->guard_max) && m->guard_max < 0)
		read_bad(r, read_key(s, "max"), "max of a guard is 0 or more");
}

static void read_cycles_of(struct reader *r, const config_setting_t *s, struct conf_metric *m)
{
	const char *text = read_key_text(r, s, "cycles_of", false, "cycles_of = \"wbox/CLOCKTICKS\"");

	m->has_cycles_of = text && read_spec(r, read_key(s, "cycles_of"), text, &m->cycles_of);
}

/* A row without denominator is a total that is added up window by window, exactly: whole factors,
 * nothing else. */
static void check_counter(struct reader *r, const config_setting_t *s, const struct conf_metric *m)
{
	static const char *const gauge_only[] = { "cycles_of", "complement", "clamp", "guard", NULL };
	bool whole = m->scale > 0 && m->scale == floor(m->scale);
	double most = m->scale;

	for (const char *const *k = gauge_only; *k; k++) {
		if (read_key(s, *k))
			read_bad(r, read_key(s, *k), "%s needs a denominator; without one the metric "
				 "is a counter", *k);
	}
	for (unsigned i = 0; i < m->n_num; i++) {
		whole = whole && m->num[i].weight > 0 && m->num[i].weight == floor(m->num[i].weight);
		most = fmax(most, m->scale * m->num[i].weight);
		if (m->num[i].word)
			diags_add(r->d, m->num[i].spec.where, "a metric without denominator is an "
				  "exact counter: it adds events only");
	}
	if (!whole)
		read_bad(r, s, "a metric without denominator is an exact counter: scale and weights "
			 "are whole numbers above 0");
	else if (most > FACTOR_MAX)
		read_bad(r, s, "a metric without denominator is an exact counter: scale x weight is at most %d, or its "
			 "64 bits would soon be full", FACTOR_MAX);
	if (m->name && stem_length(m->name) == strlen(m->name))
		read_bad(r, s, "a metric without denominator is a counter: its name ends in _total");
}

/* A quotient of words alone is a number that nobody counted. */
static void check_quotient(struct reader *r, const config_setting_t *s, const struct conf_metric *m)
{
	bool events = !m->n_num && !m->n_den;

	for (unsigned i = 0; i < m->n_num; i++)
		events |= !m->num[i].word;
	for (unsigned i = 0; i < m->n_den; i++)
		events |= !m->den[i].word;
	if (!events)
		read_bad(r, s, "neither numerator nor denominator names an event (box/EVENT)");
	if (m->name && stem_length(m->name) != strlen(m->name))
		read_bad(r, s, "a metric with a denominator is no counter: its name does not end in _total");
}

void conf_metric_read(struct reader *r, const config_setting_t *s, struct conf_metric *m)
{
	static const char *const known[] = {
		"name", "unit", "per", "group", "scale", "numerator", "denominator", "cycles_of",
		"complement", "clamp", "help", "guard", "distribution", NULL,
	};

	size_t before = read_mistakes(r);

	m->scale = 1;
	m->where = read_where(r, s);
	if (config_setting_type(s) != CONFIG_TYPE_GROUP) {
		diags_add(r->d, m->where, "a metric is a block: { name = \"...\"; numerator = (...); "
			  "denominator = (...); }");
		m->faulty = true;
		return;
	}
	read_known(r, s, "a metric", known);
	read_names(r, s, m);
	if (read_key_number(r, s, "scale", &m->scale) && m->scale == 0)
		read_bad(r, read_key(s, "scale"), "a scale of 0 makes every value 0");
	read_sum(r, s, "numerator", true, &m->num, &m->n_num);
	read_sum(r, s, "denominator", false, &m->den, &m->n_den);
	read_cycles_of(r, s, m);
	read_key_bool(r, s, "complement", &m->complement);
	read_key_bool(r, s, "clamp", &m->clamp);
	read_guard(r, s, m);
	conf_distribution_read(r, s, false, &m->distribution);
	if (!read_key(s, "numerator"))
		diags_add(r->d, m->where,
			  "key \"numerator\" is missing in this metric: numerator = " SUM_EXAMPLE);
	if (!read_key(s, "denominator"))
		check_counter(r, s, m);
	else
		check_quotient(r, s, m);
	m->faulty = read_mistakes(r) != before;
}
