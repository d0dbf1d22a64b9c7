/* SPDX-License-Identifier: MIT
 * Which format Accept and Accept-Encoding ask for; see expo.h.
 * Owns:  media ranges, parameters and q-values (RFC 9110 12.5), as far as our formats need them;
 *        content types.
 * Pure; any thread; allocates nothing; one pass over the header.
 */
#include "expo/expo.h"

#include "base/bits.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct span {
	const char *s;
	size_t n;
};

static bool span_is(struct span t, const char *word)
{
	return t.n == strlen(word) && strncasecmp(t.s, word, t.n) == 0;
}

static struct span span_trim(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	return (struct span){ s, (size_t)(end - s) };
}

/* The end of what runs up to one of `stops` outside of quotes. */
static const char *skip_to(const char *s, const char *stops)
{
	bool quoted = false;

	for (; *s; s++) {
		if (quoted && *s == '\\' && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && strchr(stops, *s))
			break;
	}
	return s;
}

/* q in thousandths: 0, 0.5, 1.000; -1: not a q-value, and the range is not taken. */
static int quality(struct span t)
{
	int q = 0, scale = 1000;

	if (!t.n || t.n > 5 || (t.s[0] != '0' && t.s[0] != '1') || (t.n > 1 && t.s[1] != '.'))
		return -1;
	q = (t.s[0] - '0') * 1000;
	for (size_t i = 2; i < t.n; i++) {
		if (!isdigit((unsigned char)t.s[i]))
			return -1;
		scale /= 10;
		q += (t.s[i] - '0') * scale;
	}
	return q <= 1000 ? q : -1;
}

/* How names outside [a-zA-Z0-9_:] are to be spelled. No name here is: every scheme yields the same
 * body, and the reply names the one that was asked for. The second is an older spelling of the
 * first. */
static const char *const escapings[] = {
	"allow-utf-8", "allow-utf8", "underscores", "dots", "values",
};
enum { UNDERSCORES = 2 };       /* where nothing was asked for */

#define TYPE_TEXT_1 "text/plain; version=1.0.0; charset=utf-8"
#define TYPE_OM     "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define TYPE_PROTO  "application/vnd.google.protobuf; " \
		    "proto=io.prometheus.client.MetricFamily; encoding=delimited"
#define ESCAPED(f, t) { f, t "; escaping=allow-utf-8" }, { f, t "; escaping=allow-utf8" }, \
		      { f, t "; escaping=underscores" }, { f, t "; escaping=dots" }, \
		      { f, t "; escaping=values" }

/* The formats themselves, then the types that name an escaping. Text 1.0.0 always does. */
static const struct content_type {
	enum expo_format format;
	const char *type;
} content_types[] = {
	[EXPO_TEXT] = { EXPO_TEXT, "text/plain; version=0.0.4; charset=utf-8" },
	[EXPO_OPENMETRICS] = { EXPO_OPENMETRICS, TYPE_OM },
	[EXPO_PROTOBUF] = { EXPO_PROTOBUF, TYPE_PROTO },
	[EXPO_JSON] = { EXPO_JSON, "application/json" },
	[EXPO_STATUS] = { EXPO_STATUS, "application/json" },
	[EXPO_CATALOG] = { EXPO_CATALOG, "application/json" },
	[EXPO_EVENT] = { EXPO_EVENT, "text/event-stream" },
	[EXPO_PAGE] = { EXPO_PAGE, "text/html; charset=utf-8" },
	[EXPO_FORMATS] = ESCAPED(EXPO_TEXT, TYPE_TEXT_1),
	ESCAPED(EXPO_PROTOBUF, TYPE_PROTO),
	ESCAPED(EXPO_OPENMETRICS, TYPE_OM),
};
enum { ESCAPED_TEXT = EXPO_FORMATS, ESCAPED_PROTO = ESCAPED_TEXT + COUNT(escapings),
       ESCAPED_OM = ESCAPED_PROTO + COUNT(escapings) };
_Static_assert(COUNT(content_types) == EXPO_CONTENT_TYPES, "expo.h counts otherwise");

const char *expo_content_type(unsigned content_type)
{
	return content_types[content_type].type;
}

enum expo_format expo_format_of(unsigned content_type)
{
	return content_types[content_type].format;
}

enum { OF_VERSION, OF_PROTO, OF_ENCODING, PARAMETERS };
static const char *const parameters[PARAMETERS] = { "version", "proto", "encoding" };

/* A media range, as far as it concerns us; what it does not name is empty. */
struct range {
	struct span type, parameter[PARAMETERS];
	int q;
	int escaping;       /* -1: none that is known */
};

/* What /metrics can answer with. */
static const struct offer {
	const char *type, *prefix, *parameter[PARAMETERS];          /* NULL: no such parameter */
	int needed;         /* how specific a range must be; others mean text 0.0.4 */
	unsigned content_type;  /* where no escaping is asked for */
	unsigned escaped;   /* the first of those that name one; 0: none does */
} offers[] = {
	{ "text/plain", "text/*", { [OF_VERSION] = "0.0.4" }, 0, EXPO_TEXT, 0 },
	{ "text/plain", "text/*", { [OF_VERSION] = "1.0.0" }, 3,
	  ESCAPED_TEXT + UNDERSCORES, ESCAPED_TEXT },
	{ "application/vnd.google.protobuf", "application/*",
	  { [OF_PROTO] = "io.prometheus.client.MetricFamily", [OF_ENCODING] = "delimited" }, 3,
	  EXPO_PROTOBUF, ESCAPED_PROTO },
	{ "application/openmetrics-text", "application/*", { [OF_VERSION] = "1.0.0" }, 2,
	  EXPO_OPENMETRICS, ESCAPED_OM },
};

/* How welcome an offer is, by the most specific range that fits it. */
struct match {
	int specific;       /* of that range: 3 parameters, 2 type, 1 prefix, 0 all; -1: none */
	int q, escaping;
};

/* The most specific range decides, of equal ones the best. */
static void match_range(struct match *m, const struct offer *o, const struct range *r)
{
	int specific = span_is(r->type, o->type) ? 2 : span_is(r->type, o->prefix) ? 1 :
		       span_is(r->type, "*/*") ? 0 : -1;
	bool named = false;

	for (unsigned i = 0; i < PARAMETERS; i++) {
		if (!r->parameter[i].n || !o->parameter[i])
			continue;
		if (!span_is(r->parameter[i], o->parameter[i]))
			return;
		named = true;
	}
	specific += specific == 2 && named;
	if (specific > m->specific || (specific >= 0 && specific == m->specific && r->q > m->q))
		*m = (struct match){ specific, r->q, r->escaping };
}

static int rank(const struct match *m, const struct offer *o)
{
	return m->specific >= o->needed ? m->specific : -1;
}

static int escaping_number(struct span t)
{
	for (size_t i = 0; i < COUNT(escapings); i++)
		if (span_is(t, escapings[i]))
			return (int)i;
	return -1;
}

/* One media range with its parameters; returns where the next one begins. */
static const char *range_parse(const char *s, struct range *r)
{
	const char *end = skip_to(s, ",;");

	*r = (struct range){ .type = span_trim(s, end), .q = 1000, .escaping = -1 };
	while (*end == ';') {
		const char *name = end + 1, *value;
		struct span key, val;

		end = skip_to(name, ",;");
		value = memchr(name, '=', (size_t)(end - name));
		if (!value)
			continue;
		key = span_trim(name, value);
		val = span_trim(value + 1, end);
		if (val.n >= 2 && val.s[0] == '"' && val.s[val.n - 1] == '"')
			val = (struct span){ val.s + 1, val.n - 2 };
		if (span_is(key, "q"))
			r->q = quality(val);
		else if (span_is(key, "escaping"))
			r->escaping = escaping_number(val);
		for (unsigned i = 0; i < PARAMETERS; i++)
			if (span_is(key, parameters[i]))
				r->parameter[i] = val;
	}
	return *end ? end + 1 : end;
}

unsigned expo_negotiate(const char *accept)
{
	struct match matches[COUNT(offers)];
	unsigned best = 0;
	struct range range;

	for (unsigned i = 0; i < COUNT(offers); i++)
		matches[i] = (struct match){ .specific = -1, .escaping = -1 };
	while (accept && *accept) {
		accept = range_parse(accept, &range);
		for (unsigned i = 0; i < COUNT(offers) && range.q >= 0; i++)
			match_range(&matches[i], &offers[i], &range);
	}
	/* Of equally welcome ones that which was named best, then the last. */
	for (unsigned i = 1; i < COUNT(offers); i++)
		if (matches[i].q > matches[best].q ||
		    (matches[i].q && matches[i].q == matches[best].q &&
		     rank(&matches[i], &offers[i]) >= rank(&matches[best], &offers[best])))
			best = i;
	if (!offers[best].escaped || matches[best].escaping < 0)
		return offers[best].content_type;
	return offers[best].escaped + (unsigned)matches[best].escaping;
}

bool expo_accepts_gzip(const char *accept_encoding)
{
	static const char *const codings[] = { "gzip", "x-gzip", "identity", "*" };
	int q[COUNT(codings)] = { -1, -1, -1, -1 }, gzip;       /* -1: not named */
	struct range range;

	while (accept_encoding && *accept_encoding) {
		accept_encoding = range_parse(accept_encoding, &range);
		for (size_t i = 0; i < COUNT(codings); i++)
			if (span_is(range.type, codings[i]) && range.q > q[i])
				q[i] = range.q;
	}
	gzip = q[0] > q[1] ? q[0] : q[1];
	if (gzip < 0)
		gzip = q[3];
	return gzip > 0 && gzip >= q[2];
}
