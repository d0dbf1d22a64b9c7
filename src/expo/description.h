/* SPDX-License-Identifier: MIT
 * The shape of the description: offsets, no pointers; inside expo/ only.
 *
 * Owns:  how names, labels, HELP texts and value indexes of a plan lie in memory.
 * Never: values.
 * Built by description.c on the main thread, mapped read-only by the http child. Offsets of arrays
 * count from the description's first byte, those of strings from the pool's.
 */
#ifndef EXPO_DESC_H
#define EXPO_DESC_H

#include "base/err.h"
#include "base/nsec.h"
#include "expo/digits.h"
#include "expo/expo.h"
#include "expo/exported.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct desc_str {
	uint32_t off, len;          /* in the pool; a NUL follows the len bytes */
};

struct desc_label {
	struct desc_str name, value;
};

struct desc_labels {
	uint32_t first, n;          /* of the description's */
};

enum desc_type { DESC_COUNTER, DESC_GAUGE, DESC_INFO, DESC_HISTOGRAM, DESC_TYPES };
/* Their names, and what OpenMetrics lets the names of samples have behind that of the family. */
extern const char *const desc_type_names[DESC_TYPES], *const desc_type_suffixes[DESC_TYPES];

/* How a series' value is made of its word. */
enum desc_kind {
	DESC_U64,           /* word + offset */
	DESC_NSEC,          /* (word + offset) ns, a moment or a total in seconds */
	DESC_DURATION,      /* word ns, a gauge in seconds */
	DESC_SCALED,        /* (word + offset) x scale */
	DESC_DOUBLE,        /* the word is a double; one that is not finite is omitted */
	DESC_CONST,         /* constant */
	DESC_CONST_DOUBLE,  /* the constant is a double, finite */
	DESC_IS_ZERO,       /* 1 if the word is 0, else 0 */
	DESC_REASON,        /* 1, with one more label: reason, named by the word */
	DESC_CPU,           /* 1, with one more label: cpu, the word in decimal, "" for ~0 */
	/* a whole histogram: many words from this one on, of a shape (expo/distribution.h) */
	DESC_DISTRIBUTION,
	DESC_KINDS,
};

/* What a series is a value of. */
enum desc_origin {
	DESC_ORIGIN_DAEMON, DESC_ORIGIN_SLOT, DESC_ORIGIN_METRIC, DESC_ORIGIN_SAMPLES,
	DESC_ORIGINS,
};

/* What it is about, so that a filter finds what belongs to a group. */
enum desc_subject {
	DESC_SUBJECT_NOTHING, DESC_SUBJECT_GROUP, DESC_SUBJECT_SLOT, DESC_SUBJECT_METRIC,
	DESC_SUBJECTS,
};

/* What a reload does to a series: it restarts at 0, it continues from what the old description had,
 * or it continues and is shown from the start if it was shown before. */
enum desc_reload { RELOAD_RESTARTS, RELOAD_CONTINUES, RELOAD_STAYS };

/* When a series is shown. */
enum desc_when { DESC_ALWAYS, DESC_IF_EQUAL, DESC_IF_DIFFERENT, DESC_WHENS };

struct desc_series {
	struct desc_str prefix;     /* of its line, name and labels: "name{a=\"b\"} " or "name " */
	struct desc_str key;        /* identity of a slot, else empty; after a reload a total
	                             * continues where prefix and key are the same */
	struct desc_labels labels;  /* the same as in prefix */
	uint32_t index, test_index; /* value indexes: of its value, and of the one that decides
	                             * whether it is shown */
	uint32_t item;              /* number of its subject on its socket */
	uint32_t shape;             /* of a distribution */
	uint64_t offset;            /* what was counted before the last reload */
	/* of a counter: ns since 1970, when it was 0; of a counter of the daemon, the index of the
	 * value that is this time */
	uint64_t created;
	uint64_t constant;          /* a number, or the bits of a double */
	double scale;
	uint16_t socket;            /* index; n_sockets: the daemon */
	uint8_t kind;               /* enum desc_kind */
	uint8_t origin;             /* enum desc_origin */
	uint8_t when;               /* enum desc_when, test_index against test_value */
	uint8_t test_value;
	uint8_t subject;            /* enum desc_subject */
	uint8_t at_reload;          /* enum desc_reload */
};

struct desc_family {
	struct desc_str name;       /* of the samples */
	struct desc_str help;
	struct desc_str unit;       /* "" or the suffix of the name */
	struct desc_str head[2];    /* metadata lines: [0] Prometheus text, [1] OpenMetrics */
	uint32_t base_n;            /* bytes of the name without the suffix of its type */
	uint32_t first, n;          /* series */
	uint32_t type;              /* enum desc_type */
	nsec known_after;           /* so long has to be counted before it has values; 0: they come
	                             * at once */
};

struct desc_shape {                 /* of distributions */
	struct plan_histogram histogram;
	struct desc_str le[PLAN_BOUNDS];        /* its bounds as values of the label `le` */
};

struct desc_group {
	struct desc_str name;
	uint32_t active_series;     /* series: time in which it counted */
	uint32_t first, n;          /* members: slots that it names ... */
	uint32_t first_metric, n_metrics;       /* ... metrics that have one of them as input ... */
	uint32_t first_round, n_rounds;         /* ... and rounds in which it counts */
};

struct desc_metric {
	struct desc_str name;
	struct desc_str rests;      /* what its values rest on, for people */
	uint32_t group;             /* among the socket's: the first that it is of */
	uint32_t family, series;
	uint32_t stack;             /* the I/O stack that it is of, and one more; 0: of none */
	uint32_t first_round, n_rounds;         /* members: rounds in which it is derived ... */
	/* ... and groups that have an input of it: those that count in these rounds alone, so that
	 * their time shows when it is derived; all, if each counts in others, too. */
	uint32_t first_group, n_groups;
};

struct desc_stack {                 /* an I/O stack */
	uint32_t socket;            /* index */
	uint32_t unit;
	struct desc_str pci_bus, names;     /* names: of its devices for people, or "" */
};

struct desc_socket {
	uint32_t id, n_words, n_rounds;
	struct layout layout;
	struct desc_str engine;
	uint32_t first_group, n_groups, first_slot, n_slots, first_metric, n_metrics;
};

/* The arrays that a description consists of; rows of them are named by their number. A slot is one
 * identity, whichever rounds count it. Members are numbers (uint32_t) of slots, metrics, groups and
 * rounds of the socket, the pool is bytes of strings. */
#define DESC_PARTS_OF(type) \
	union { \
		type parts[11]; \
		struct { \
			type families, series, sockets, groups, slots, metrics, shapes, labels; \
			type members, stacks, pool; \
		}; \
	}
struct desc_part { uint32_t off, n; };

#define DESC_MAGIC "uncored desc 7"
struct desc {
	char magic[16];
	DESC_PARTS_OF(struct desc_part);
	nsec interval;
	nsec rotation;              /* how long a turn lasts; 0: no socket takes turns */
	uint32_t with_created;      /* 1: OpenMetrics text says when each counter began */
	uint32_t len;
	struct desc_str version, revision, host, engine, note, no_counters_reason, uncounted;
	struct desc_str processor, model, machine, workload;
	struct desc_str kernel;     /* events of the kernel's PMUs, as /api/v1/catalog has them */
};
enum { DESC_PARTS = sizeof(((struct desc *)0)->parts) / sizeof(struct desc_part) };
extern const size_t desc_part_size[DESC_PARTS];         /* of a row */

static inline const void *desc_at(const struct desc *d, uint32_t off)
{
	return (const char *)d + off;
}

static inline const char *desc_text(const struct desc *d, struct desc_str s)
{
	return desc_at(d, d->pool.off + s.off);
}

/* desc_families() and so on: where the rows of a part begin. */
#define DESC_ROWS(part, type) \
	static inline const type *desc_##part(const struct desc *d) \
	{ \
		return desc_at(d, d->part.off); \
	}
DESC_ROWS(families, struct desc_family)
DESC_ROWS(series, struct desc_series)
DESC_ROWS(sockets, struct desc_socket)
DESC_ROWS(groups, struct desc_group)
DESC_ROWS(slots, struct desc_str)        /* their identities */
DESC_ROWS(metrics, struct desc_metric)
DESC_ROWS(shapes, struct desc_shape)
DESC_ROWS(labels, struct desc_label)
DESC_ROWS(members, uint32_t)
DESC_ROWS(stacks, struct desc_stack)

/* Is a number among these n members? */
static inline bool desc_has(const uint32_t *members, uint32_t n, uint64_t number)
{
	for (uint32_t i = 0; i < n; i++)
		if (members[i] == number)
			return true;
	return false;
}

/* desc_labels_text - the labels between name and value: "{a=\"b\"} " or " ". */
static inline const char *desc_labels_text(const struct desc *d, const struct desc_family *f,
					   const struct desc_series *s)
{
	return desc_text(d, s->prefix) + f->name.len;
}

/* desc_times - the family that says for how long totals of an origin were counted; NULL: none does.
 * desc_time_of - the series of that family that says it of this total, or DESC_NONE. */
#define DESC_NONE UINT32_MAX
const struct desc_family *desc_times(const struct desc *d, enum desc_origin origin);
uint32_t desc_time_of(const struct desc *d, const struct desc_series *s,
		      const struct desc_family *times);

/* desc_check - every offset and value index inside its bounds; -EBADMSG with a sentence. */
int desc_check(const void *bytes, size_t len, struct err *err);

/* A total of the old description. */
struct desc_total {
	const char *prefix, *key;
	uint64_t value, created;    /* its count, and as desc_series.created */
	bool shown;
};

/* offset_find - NULL: the old description had no such total. */
const struct desc_total *offset_find(const struct expo_offsets *o, const char *prefix,
				     const char *key);

/* ---- description and the values of one generation: what the formats read */

struct expo_filter {
	const struct desc *desc;
	bool by_family, *families;  /* per family; false: all of them */
	bool by_group, *series;     /* per series; false: all of them */
};

static inline bool filter_takes_family(const struct expo_filter *f, uint32_t family)
{
	return !f || !f->by_family || f->families[family];
}

static inline bool filter_takes(const struct expo_filter *f, uint32_t series)
{
	return !f->by_group || f->series[series];
}

const struct desc *renderer_desc(const struct expo_renderer *r);

/* A value index holds a number or the bits of a double. */
static inline double word_double(uint64_t word)
{
	double v;

	memcpy(&v, &word, sizeof(v));
	return v;
}

static inline bool kind_is_double(unsigned kind)
{
	return kind == DESC_NSEC || kind == DESC_DURATION || kind == DESC_DOUBLE;
}

/* value_double - the value of a series that is a double, as every format shows it. offset: what was
 * counted before the last reload, of a total. */
static inline double value_double(unsigned kind, uint64_t word, uint64_t offset)
{
	if (kind == DESC_NSEC)
		return exported_seconds(word + offset);
	return kind == DESC_DURATION ? exported_duration(word) : exported_gauge(word_double(word));
}

/* value_label - the label that a series has because of its value: returns its name and *value, or
 * NULL: it has none. cpu: DIGITS_MAX bytes in which *value may be made. */
static inline const char *value_label(unsigned kind, uint64_t word, char *cpu, const char **value)
{
	*value = kind == DESC_REASON ? reason_name((enum reason)word) : cpu;
	if (kind == DESC_REASON)
		return "reason";
	if (kind != DESC_CPU)
		return NULL;
	*((uint32_t)word == UINT32_MAX ? cpu : digits_u64(cpu, (uint32_t)word)) = '\0';
	return "cpu";
}

/* What each body needs of each series, close together in memory. */
struct view_row {
	uint64_t offset;
	uint32_t index, test;       /* in expo_view.values */
	uint32_t prefix, prefix_n;  /* of its line: in the pool */
	uint8_t kind, when, test_value;
};

/* In C a char may alias any object, so a loop that writes characters must load these pointers again
 * after each line. text.c copies the struct first, which saves a tenth of the time of a body. */
struct expo_view {
	const struct desc *desc;
	struct view_row *rows;      /* per series */
	uint64_t *values;           /* all of them, by index */
	uint64_t **words;           /* the same: where each socket's begin, then the daemon's */
	uint64_t *publications;     /* number of the one each was read from; 0: none yet */
	const struct expo_filter *filter;       /* NULL: everything */
};

static inline uint64_t view_word(const struct expo_view *v, const struct desc_series *s)
{
	return v->words[s->socket][s->index];
}

/* view_created - when a counter was 0: ns since 1970. */
static inline uint64_t view_created(const struct expo_view *v, const struct desc_series *s)
{
	uint32_t daemon = v->desc->sockets.n;

	return s->socket < daemon ? s->created : v->words[daemon][s->created];
}

/* view_stalled - does the sampler of a socket not tick, so that none of its values is shown? */
static inline bool view_stalled(const struct expo_view *v, uint32_t socket)
{
	return v->publications[socket] && !v->words[socket][W_UP];
}

/* view_paused - are the counters left to other tools, so that nothing is counted? */
static inline bool view_paused(const struct expo_view *v)
{
	return v->words[v->desc->sockets.n][D_PAUSED];
}

/* view_shown - is series k of the description in the exposition now? */
static inline bool view_shown(const struct expo_view *v, uint32_t k)
{
	const struct view_row *r = &v->rows[k];

	if (r->when != DESC_ALWAYS &&
	    (v->values[r->test] == r->test_value) != (r->when == DESC_IF_EQUAL))
		return false;
	if (r->kind == DESC_DISTRIBUTION)
		return isfinite(word_double(v->values[r->index + H_SUM]));
	return r->kind != DESC_DOUBLE || isfinite(word_double(v->values[r->index]));
}

/* view_included - is it shown, and does the filter take it? Every exposition format goes through
 * the families that the filter takes and their series in the description's order, and writes those.
 */
static inline bool view_included(const struct expo_view *v, uint32_t k)
{
	return view_shown(v, k) &&
	       (!v->filter || filter_takes(v->filter, k));
}

/* view_number - the double nearest to the value; only the text formats have exact values. */
double view_number(const struct expo_view *v, const struct desc_series *s);

/* Why a metric or slot is not shown; REASON_NONE: it is. */
enum reason view_metric_reason(const struct expo_view *v, uint32_t socket, uint32_t metric);
enum reason view_slot_reason(const struct expo_view *v, uint32_t socket, uint32_t slot);

/* Bodies: malloc'ed; NULL: out of memory. */
/* text_value - the digits of a series, at most DIGITS_MAX: r is its row, word its value. Not of a
 * distribution. Only what few kinds need is taken from s, whose memory is cold. */
char *text_value(char *p, struct view_row r, uint64_t word, const struct desc_series *s);
#define TEXT_CREATED "_created"      /* of the line that says when a series began */
size_t text_bound(const struct desc *d);      /* the most bytes that text_render() writes */
char *text_render(const struct expo_view *v, bool openmetrics, size_t bound, size_t *ret_n);

/* Protobuf; new: the constant part of a description, encoded; NULL: out of memory. */
struct proto;
struct expo_encoder {
	struct proto *(*new)(const struct desc *d);
	void (*free)(struct proto *p);
	char *(*render)(const struct proto *p, const struct expo_view *v, size_t *ret_n);
};

/* The snapshot: the constant part of a description as JSON; NULL: out of memory. event: as a
 * message of the stream. */
struct snapshot;
struct snapshot *snapshot_new(const struct desc *d);
void snapshot_free(struct snapshot *n);
char *snapshot_render(const struct snapshot *n, const struct expo_view *v, bool event,
		      size_t *ret_n);
char *json_identity_text(const struct desc *d);         /* an object */
char *catalog_render(const char *processor, const char *kernel, size_t *ret_n);
/* The kernel's events as a JSON array; pmus NULL: none. To be freed; NULL: out of memory. */
char *catalog_kernel_text(const struct topo_pmus *pmus);
char *status_render(const struct expo_view *v, size_t *ret_n);
char *page_render(const struct expo_view *v, size_t *ret_n);

#endif
