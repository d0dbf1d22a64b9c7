/* blob.h - the shape of the blob: offsets, no pointers; inside expo/ only.
 *
 * Owns:  how names, labels, HELP texts and word numbers of a plan lie in memory.
 * Never: values.
 * Built by blob.c, mapped read-only by the http child. Offsets of arrays count from the blob's first byte, those of
 * strings from the pool's.
 */
#ifndef EXPO_BLOB_H
#define EXPO_BLOB_H

#include "base/err.h"
#include "base/nsec.h"
#include "expo/expo.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct blob_str {
	uint32_t off, len;          /* in the pool; a NUL follows the len bytes */
};

enum blob_type { BLOB_COUNTER, BLOB_GAUGE, BLOB_INFO, BLOB_HISTOGRAM, BLOB_TYPES };

/* How a series' value is made of its word. */
enum blob_kind {
	BLOB_U64,           /* word + carry */
	BLOB_NSEC,          /* (word + carry) ns, printed as seconds */
	BLOB_SCALED,        /* (word + carry) x scale */
	BLOB_DOUBLE,        /* the word is a double; one that is not finite is omitted */
	BLOB_CONST,         /* carry */
	BLOB_IS_ZERO,       /* 1 if the word is 0, else 0 */
	BLOB_REASON,        /* 1, with one more label: reason, named by the word */
	BLOB_CPU,           /* 1, with one more label: cpu, the word in decimal, "" for ~0 */
	BLOB_DISTRIBUTION,  /* a whole histogram: many words from this one on; carry: its shape (expo/distribution.h) */
	BLOB_KINDS,
};

/* When a series is shown. */
enum blob_when { BLOB_ALWAYS, BLOB_IF_EQUAL, BLOB_IF_DIFFERENT, BLOB_WHENS };

struct blob_series {
	struct blob_str labels;     /* "{a=\"b\"} " or " ": what stands between name and value; right behind the name of the
				     * samples in the pool, so that a line's beginning is one piece (blob_prefix) */
	struct blob_str key;        /* identity of a slot, else empty; two totals are one if family, labels, key agree */
	uint32_t word, test_word;
	uint32_t group;             /* its name's offset in the pool; 0: belongs to none */
	uint64_t carry;
	double scale;
	uint16_t socket;            /* index; n_sockets: the board */
	uint8_t kind;               /* enum blob_kind */
	uint8_t when;               /* enum blob_when, test_word against test_value */
	uint8_t test_value;
	uint8_t carries;            /*/* 1: goes on over a reload */
};

struct blob_family {
	struct blob_str name;       /* of the samples */
	struct blob_str help;
	struct blob_str unit;       /* "" or the suffix of the name */
	struct blob_str head[2];    /* metadata lines: [0] Prometheus text, [1] OpenMetrics */
	uint32_t first, n;          /* series */
	uint32_t type;              /* enum blob_type */
};

struct blob_shape {                 /* of distributions */
	struct plan_histogram histogram;
	struct blob_str le[PLAN_BOUNDS];        /* its bounds as values of the label `le` */
};

struct blob_group {
	struct blob_str name;
	uint32_t round;
	uint32_t seconds;           /* series: time in which it counted */
	uint32_t first, n;          /* members */
};

struct blob_slot {
	struct blob_str identity;
};

struct blob_metric {
	struct blob_str name;
	uint32_t group;             /* among the socket's */
	uint32_t family, series;
};

struct blob_socket {
	uint32_t id, n_words, n_rounds;
	struct layout layout;
	struct blob_str engine;
	uint32_t first_group, n_groups, first_slot, n_slots, first_metric, n_metrics;
};

#define BLOB_MAGIC "uncored blob 1"
struct blob {
	char magic[16];
	uint32_t len, n_sockets;
	uint32_t families, n_families, series, n_series, sockets;
	uint32_t groups, n_groups, slots, n_slots, metrics, n_metrics;
	uint32_t shapes, n_shapes;
	uint32_t members, n_members;         /* uint32_t slot numbers (of the socket) that groups hold */
	uint32_t pool, pool_len;
	nsec interval;
	struct blob_str version, revision, engine, note, processor, workload;
	struct blob_str kernel;     /* events of the kernel's PMUs, as they stand in the catalog */
};

static inline const void *blob_at(const struct blob *b, uint32_t off)
{
	return (const char *)b + off;
}

static inline const char *blob_text(const struct blob *b, struct blob_str s)
{
	return blob_at(b, b->pool + s.off);
}

static inline const struct blob_family *blob_families(const struct blob *b) { return blob_at(b, b->families); }
static inline const struct blob_series *blob_series(const struct blob *b) { return blob_at(b, b->series); }
static inline const struct blob_socket *blob_sockets(const struct blob *b) { return blob_at(b, b->sockets); }
static inline const struct blob_group *blob_groups(const struct blob *b) { return blob_at(b, b->groups); }
static inline const struct blob_slot *blob_slots(const struct blob *b) { return blob_at(b, b->slots); }
static inline const struct blob_metric *blob_metrics(const struct blob *b) { return blob_at(b, b->metrics); }
static inline const struct blob_shape *blob_shapes(const struct blob *b) { return blob_at(b, b->shapes); }
static inline const uint32_t *blob_members(const struct blob *b) { return blob_at(b, b->members); }

/* blob_prefix - the beginning of a series' line, name and labels. */
static inline struct blob_str blob_prefix(const struct blob_family *f, const struct blob_series *s)
{
	return (struct blob_str){ s->labels.off - f->name.len, s->labels.len + f->name.len };
}

/* blob_check - every offset and word number inside its bounds; -EBADMSG with a sentence. */
int blob_check(const void *bytes, size_t len, struct err *err);

/* carry_find - what the old blob had counted for a total; 0: nothing, or c NULL. */
uint64_t carry_find(const struct expo_carry *c, const char *family, const char *labels, const char *key);

/* ---- blob and the words of one moment: what the formats read */

struct expo_filter {
	const struct blob *blob;
	bool by_family, *families;  /* per family; false: all of them */
	uint32_t *groups, n_groups; /* offsets of their names; 0: all series */
};

static inline bool filter_takes_family(const struct expo_filter *f, uint32_t family)
{
	return !f || !f->by_family || f->families[family];
}

static inline bool filter_takes(const struct expo_filter *f, const struct blob_series *s)
{
	bool takes = !f->n_groups;

	for (uint32_t i = 0; !takes && i < f->n_groups; i++)
		takes = f->groups[i] == s->group;
	return takes;
}

const struct blob *renderer_blob(const struct expo_renderer *r);

/* What is asked of each series for each body, side by side. */
struct view_row {
	uint64_t carry;
	uint32_t word, test;        /* in expo_view.all */
	uint32_t prefix, prefix_n;  /* of its line: in the pool */
	uint8_t kind, when, test_value;
};

struct expo_view {
	const struct blob *blob;
	const struct view_row *rows;            /* per series */
	const uint64_t *all;        /* every word */
	uint64_t **words;           /* the same per socket, then the board's */
	const uint64_t *numbers;    /* of the buffer each was read from; 0: nothing published yet */
	const struct expo_filter *filter;       /* NULL: everything */
};

static inline uint64_t view_word(const struct expo_view *v, const struct blob_series *s)
{
	return v->words[s->socket][s->word];
}

/* view_stalled - is none of its values shown, because its sampler does not tick? */
static inline bool view_stalled(const struct expo_view *v, uint32_t socket)
{
	return v->numbers[socket] && !v->words[socket][W_UP];
}

/* view_shown - does series k of the blob stand in the exposition now? */
static inline bool view_shown(const struct expo_view *v, uint32_t k)
{
	const struct view_row *r = &v->rows[k];

	if (r->when != BLOB_ALWAYS && (v->all[r->test] == r->test_value) != (r->when == BLOB_IF_EQUAL))
		return false;
	if (r->kind == BLOB_DOUBLE) {
		double real;

		memcpy(&real, &v->all[r->word], sizeof(real));
		return isfinite(real);
	}
	return true;
}

/* view_asked - is it shown, and does the filter take it? Every exposition format goes through the families that the filter takes
 * and their series in the blob's order, and writes those. */
static inline bool view_asked(const struct expo_view *v, uint32_t k)
{
	return view_shown(v, k) && (!v->filter || filter_takes(v->filter, &blob_series(v->blob)[k]));
}

/* view_number - the value as a double, the nearest one; exact values are the text formats' (digits.h). */
double view_number(const struct expo_view *v, const struct blob_series *s);

/* Of metrics and slots: why it is not shown, "" if it is. */
const char *view_metric_reason(const struct expo_view *v, uint32_t socket, uint32_t metric);
const char *view_slot_reason(const struct expo_view *v, uint32_t socket, uint32_t slot);

/*
 * labels_next - the labels of a finished text one by one, escapes undone.
 *
 * at      begins at the text of blob_series.labels, and moves on
 * name, value   cleared first
 * Returns false after the last one.
 */
bool labels_next(const char **at, struct strb *name, struct strb *value);

/* Bodies: malloc'ed; NULL: out of memory. */
size_t text_bound(const struct blob *b);      /* the most bytes that text_render() writes */
char *text_render(const struct expo_view *v, bool openmetrics, size_t bound, size_t *ret_n);

/* Protobuf: what is constant of a blob, encoded; NULL: out of memory. */
struct proto;
struct proto *proto_new(const struct blob *b);
void proto_free(struct proto *p);
char *proto_render(const struct proto *p, const struct expo_view *v, size_t *ret_n);

char *snapshot_render(const struct expo_view *v, size_t *ret_n);
char *snapshot_event(const struct expo_view *v, size_t *ret_n);
char *json_identity_text(const struct blob *b);         /* an object */
char *catalog_render(const char *processor, const char *kernel, size_t *ret_n);
/* The kernel's events as a JSON array; pmus NULL: none. To be freed; NULL: out of memory. */
char *catalog_kernel_text(const struct topo_pmus *pmus);
char *status_render(const struct expo_view *v, size_t *ret_n);
char *page_render(const struct expo_view *v, size_t *ret_n);
extern const char page_script[];

#endif
