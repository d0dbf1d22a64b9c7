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

static const char *const content_types[EXPO_FORMATS] = {
	[EXPO_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
	[EXPO_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[EXPO_PROTOBUF] = ("application/vnd.google.protobuf; "
			   "proto=io.prometheus.client.MetricFamily; encoding=delimited"),
	[EXPO_JSON] = "application/json",
	[EXPO_STATUS] = "application/json",
	[EXPO_CATALOG] = "application/json",
	[EXPO_EVENT] = "text/event-stream",
	[EXPO_PAGE] = "text/html; charset=utf-8",
};

const char *expo_content_type(enum expo_format f)
{
	return content_types[f];
}

enum { OF_VERSION, OF_PROTO, OF_ENCODING, PARAMETERS };
static const char *const parameters[PARAMETERS] = { "version", "proto", "encoding" };

/* A media range, as far as it concerns us; what it does not name is empty. */
struct range {
	struct span type, parameter[PARAMETERS];
	int q;
};

/*
 * What /metrics can answer with. Other parameters of a range than these are ignored, so also
 * `escaping`, with which Prometheus 3 says how names outside [a-zA-Z0-9_:] are to be spelled: there
 * are none.
 */
static const struct offer {
	const char *type, *prefix, *parameter[PARAMETERS];          /* NULL: no such parameter */
	int needed;         /* how specific a range must be; others mean text */
	enum expo_format format;
} offers[] = {
	{ "text/plain", "text/*", { [OF_VERSION] = "0.0.4" }, 0, EXPO_TEXT },
	{ "application/vnd.google.protobuf", "application/*",
	  { [OF_PROTO] = "io.prometheus.client.MetricFamily", [OF_ENCODING] = "delimited" }, 3,
	  EXPO_PROTOBUF },
	{ "application/openmetrics-text", "application/*", { [OF_VERSION] = "1.0.0" }, 2,
	  EXPO_OPENMETRICS },
};

/* How welcome an offer is, by the most specific range that fits it. */
struct match {
	int specific;       /* of that range: 3 parameters, 2 type, 1 prefix, 0 all; -1: none */
	int q;
};

/* How specific a range is that has the offer, without parameters; -1: it has not. */
static int match_type(const struct offer *o, const struct range *r)
{
	if (span_is(r->type, o->type))
		return 2;
	if (span_is(r->type, o->prefix))
		return 1;
	return span_is(r->type, "*/*") ? 0 : -1;
}

/* The most specific range decides, of equal ones the best. */
static void match_range(struct match *m, const struct offer *o, const struct range *r)
{
	int specific = match_type(o, r);
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
		*m = (struct match){ specific, r->q };
}

static int rank(const struct match *m, const struct offer *o)
{
	return m->specific >= o->needed ? m->specific : -1;
}

/* One media range with its parameters; returns where the next one begins. */
static const char *range_parse(const char *s, struct range *r)
{
	const char *end = skip_to(s, ",;");

	*r = (struct range){ .type = span_trim(s, end), .q = 1000 };
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
		for (unsigned i = 0; i < PARAMETERS; i++)
			if (span_is(key, parameters[i]))
				r->parameter[i] = val;
	}
	return *end ? end + 1 : end;
}

enum expo_format expo_negotiate(const char *accept)
{
	struct match matches[COUNT(offers)];
	unsigned best = 0;
	struct range range;

	for (unsigned i = 0; i < COUNT(offers); i++)
		matches[i] = (struct match){ .specific = -1 };
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
	return offers[best].format;
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
