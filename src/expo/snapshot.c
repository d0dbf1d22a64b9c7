/* SPDX-License-Identifier: MIT
 * Every value with unit and validity as one line of JSON: --once, /api/v1/snapshot,
 * each message of the stream.
 * Owns:  the keys of the document (contrib/schema/snapshot.schema.json), written without a tree of
 *        objects, because a stream renders it at every publication. Whole numbers above 2^53 are
 *        texts.
 * http child, or main for --once.
 */
#include "expo/digits.h"
#include "expo/distribution.h"
#include "expo/json.h"

#include <stdlib.h>
#include <string.h>

#define SNAPSHOT_MAX (64u << 20)

static void add_member(struct strb *t, const char *key, const struct desc *d, struct desc_str s)
{
	strb_add(t, key);
	js_add_text(t, desc_text(d, s), s.len);
}

/* A whole number that a double does not hold is a text. */
static void add_exact(struct strb *t, const char *digits, size_t n)
{
	static const char most[] = "9007199254740992";
	bool whole = !memchr(digits, '.', n) && !memchr(digits, 'e', n);
	bool text = whole && (n > sizeof(most) - 1 ||
			      (n == sizeof(most) - 1 && memcmp(digits, most, n) > 0));

	if (text)
		strb_add_char(t, '"');
	strb_add_mem(t, digits, n);
	if (text)
		strb_add_char(t, '"');
}

static void add_u64(struct strb *t, uint64_t v)
{
	char digits[DIGITS_MAX];

	add_exact(t, digits, (size_t)(digits_u64(digits, v) - digits));
}

static void add_seconds(struct strb *t, uint64_t ns)
{
	char digits[DIGITS_MAX];

	strb_add_mem(t, digits, (size_t)(digits_seconds(digits, ns) - digits));
}

static void add_double(struct strb *t, double v)
{
	char digits[DIGITS_MAX];

	strb_add_mem(t, digits, (size_t)(digits_double(digits, v) - digits));
}

static void add_labels(struct strb *t, const struct expo_view *v, const struct desc_series *s)
{
	const struct desc_label *l = desc_labels(v->desc) + s->labels.first;
	char cpu[DIGITS_MAX];
	const char *value, *label = value_label(s->kind, view_word(v, s), cpu, &value);

	strb_add(t, "{\"labels\":{");
	for (uint32_t i = 0; i < s->labels.n; i++) {
		strb_addf(t, "%s\"%s\":", i ? "," : "", desc_text(v->desc, l[i].name));
		js_add_text(t, desc_text(v->desc, l[i].value), l[i].value.len);
	}
	if (label)
		strb_addf(t, "%s\"%s\":\"%s\"", s->labels.n ? "," : "", label, value);
	strb_add_char(t, '}');
}

/* {"buckets":[{"le":"0.25","count":3},...],"count":7,"sum":1.5,"created":...}, cumulative. */
static void add_distribution(struct strb *t, const struct expo_view *v, const struct desc_series *s)
{
	const struct desc_shape *shape = distribution_shape(v->desc, s);
	const uint64_t *words = distribution_words(v, s);
	unsigned n = shape->histogram.n_bounds;
	uint64_t sum = 0;

	strb_add(t, "{\"buckets\":[");
	for (unsigned i = 0; i <= n; i++) {
		sum += words[H_CLASSIC + i];
		strb_addf(t, "%s{\"le\":\"%s\",\"count\":", i ? "," : "",
			  i < n ? desc_text(v->desc, shape->le[i]) : "+Inf");
		add_u64(t, sum);
		strb_add_char(t, '}');
	}
	strb_add(t, "],\"count\":");
	add_u64(t, sum);
	strb_add(t, ",\"sum\":");
	add_double(t, word_double(words[H_SUM]));
	strb_add(t, ",\"created\":");
	add_seconds(t, words[H_CREATED]);
	strb_add_char(t, '}');
}

static void add_value(struct strb *t, const struct expo_view *v, uint32_t k)
{
	const struct desc_series *s = &desc_series(v->desc)[k];
	char digits[DIGITS_MAX];
	size_t n;

	if (s->kind == DESC_DISTRIBUTION) {
		add_distribution(t, v, s);
		return;
	}
	n = (size_t)(text_value(digits, v->rows[k], view_word(v, s), s) - digits);
	if (s->kind == DESC_DOUBLE)
		strb_add_mem(t, digits, n);
	else
		add_exact(t, digits, n);
}

/* The series of a family lie by socket and number. */
static int subject_compare(const void *a, const void *b)
{
	const struct desc_series *x = a, *y = b;
	int c = (x->socket > y->socket) - (x->socket < y->socket);

	return c ?: (x->item > y->item) - (x->item < y->item);
}

/* For how long a total was counted. times: the family that says it of totals of this origin; NULL:
 * none does. */
static void add_time(struct strb *t, const struct expo_view *v, const struct desc_series *s,
		     const struct desc_family *times)
{
	const struct desc_series *first = desc_series(v->desc),
		*of = times ? bsearch(s, first + times->first, times->n, sizeof(*s),
				      subject_compare) : NULL;

	if (of) {
		strb_add(t, ",\"active_seconds\":");
		add_seconds(t, view_word(v, of) + of->offset);
	}
}

/* Slots and metrics without a value say why; other series are left out then. */
static bool add_series(struct strb *t, const struct expo_view *v, uint32_t k, const char *before,
		       const struct desc_family *const times[])
{
	const struct desc_series *s = &desc_series(v->desc)[k];
	bool shown = view_shown(v, k);

	if (!shown && s->origin != DESC_ORIGIN_SLOT && s->origin != DESC_ORIGIN_METRIC)
		return false;
	strb_add(t, before);
	add_labels(t, v, s);
	if (shown) {
		strb_add(t, ",\"valid\":true,\"value\":");
		add_value(t, v, k);
		add_time(t, v, s, times[s->origin]);
		strb_add_char(t, '}');
	} else {
		strb_addf(t, ",\"valid\":false,\"reason\":\"%s\"}", reason_name(
			s->origin == DESC_ORIGIN_SLOT ? view_slot_reason(v, s->socket, s->item) :
			view_metric_reason(v, s->socket, s->item)));
	}
	return true;
}

static void add_family(struct strb *t, const struct expo_view *v, const struct desc_family *f,
		       const struct desc_family *const times[], const char **before)
{
	static const struct desc_family *const none[DESC_ORIGINS];
	const struct desc *d = v->desc;
	const char *more = "";
	size_t begun = t->n;

	strb_add(t, *before);
	add_member(t, "{\"name\":", d, f->name);
	strb_addf(t, ",\"type\":\"%s\"", desc_type_names[f->type]);
	add_member(t, ",\"unit\":", d, f->unit);
	add_member(t, ",\"help\":", d, f->help);
	strb_add(t, ",\"series\":[");
	for (uint32_t k = f->first; k < f->first + f->n; k++)
		if (add_series(t, v, k, more, f->type == DESC_COUNTER ? times : none))
			more = ",";
	if (*more && !t->failed) {
		strb_add(t, "]}");
		*before = ",";
	} else if (!t->failed) {
		t->n = begun;           /* nothing to show of it */
		t->s[begun] = '\0';
	}
}

static const struct desc_family *family_named(const struct desc *d, const char *name)
{
	const struct desc_family *f = desc_families(d), *end = f + d->families.n;

	while (f < end && strcmp(desc_text(d, f->name), name) != 0)
		f++;
	return f < end ? f : NULL;
}

/* What each socket published last. By its number a listener sees whether it missed one. */
static void add_sockets(struct strb *t, const struct expo_view *v)
{
	for (uint32_t i = 0; i < v->desc->sockets.n; i++) {
		strb_addf(t, "%s{\"socket\":%u,\"publication\":", i ? "," : "",
			  desc_sockets(v->desc)[i].id);
		add_u64(t, v->publications[i]);
		strb_add(t, ",\"timestamp_seconds\":");
		if (v->publications[i])
			add_seconds(t, v->words[i][W_NOW_WALL]);
		else
			strb_add(t, "null");
		strb_add_char(t, '}');
	}
}

char *snapshot_render(const struct expo_view *v, bool event, size_t *ret_n)
{
	const struct desc_family *const times[DESC_ORIGINS] = {
		[DESC_ORIGIN_SLOT] = family_named(v->desc, "uncored_slot_active_seconds_total"),
		[DESC_ORIGIN_METRIC] = family_named(v->desc, "uncored_metric_active_seconds_total"),
	};
	char *identity = json_identity_text(v->desc);
	const char *before = "";
	struct strb t;

	if (!identity)
		return NULL;
	strb_init(&t, SNAPSHOT_MAX);
	/* after a broken stream a browser asks again in 2000 ms */
	strb_add(&t, event ? "retry: 2000\nevent: snapshot\ndata: " : "");
	strb_add(&t, "{\"format\":\"uncored-snapshot-1\",");
	strb_add_mem(&t, identity + 1, strlen(identity) - 2);   /* without its braces */
	free(identity);
	strb_add(&t, ",\"sockets\":[");
	add_sockets(&t, v);
	strb_add(&t, "],\"metrics\":[");
	for (uint32_t f = 0; f < v->desc->families.n; f++)
		add_family(&t, v, &desc_families(v->desc)[f], times, &before);
	strb_add(&t, event ? "]}\n\n" : "]}\n");
	*ret_n = t.n;
	return strb_take(&t);
}
