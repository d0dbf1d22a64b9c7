/* negotiate.c - which format Accept and Accept-Encoding ask for; see expo.h.
 *
 * Owns:  media ranges, parameters and q-values (RFC 9110 12.5), as far as our formats need them;
 *        content types.
 * Pure; any thread; allocates nothing; one pass over the header.
 */
#include "config.h"

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

/* ------------------------------------------------------------------ formats */

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
#define ESCAPED(t)  { t "; escaping=allow-utf-8", t "; escaping=allow-utf8", \
		      t "; escaping=underscores", t "; escaping=dots", t "; escaping=values" }

/* Media beyond the formats themselves: those that name an escaping. Text 1.0.0 always does. */
enum { ESCAPED_TEXT, ESCAPED_PROTO, ESCAPED_OM, ESCAPED_TYPES };
static const char *const escaped[ESCAPED_TYPES][COUNT(escapings)] = {
	ESCAPED(TYPE_TEXT_1), ESCAPED(TYPE_PROTO), ESCAPED(TYPE_OM),
};
_Static_assert(EXPO_MEDIA == EXPO_FORMATS + ESCAPED_TYPES * COUNT(escapings),
	       "expo.h counts otherwise");

const char *expo_content_type(unsigned media)
{
	static const char *const types[EXPO_FORMATS] = {
		[EXPO_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[EXPO_OPENMETRICS] = TYPE_OM,
		[EXPO_PROTOBUF] = TYPE_PROTO,
		[EXPO_JSON] = "application/json",
		[EXPO_STATUS] = "application/json",
		[EXPO_CATALOG] = "application/json",
		[EXPO_EVENT] = "text/event-stream",
		[EXPO_PAGE] = "text/html; charset=utf-8",
	};

	if (media < EXPO_FORMATS)
		return types[media];
	media -= EXPO_FORMATS;
	return escaped[media / COUNT(escapings)][media % COUNT(escapings)];
}

enum expo_format expo_media_format(unsigned media)
{
	static const enum expo_format formats[] = {
		[ESCAPED_TEXT] = EXPO_TEXT, [ESCAPED_OM] = EXPO_OPENMETRICS,
		[ESCAPED_PROTO] = EXPO_PROTOBUF,
	};

	return media < EXPO_FORMATS ? (enum expo_format)media :
	       formats[(media - EXPO_FORMATS) / COUNT(escapings)];
}

/* ------------------------------------------------------------------ Accept */

/* A media range, as far as it concerns us; what it does not name is empty. */
struct range {
	struct span type, version, proto, encoding;
	int q;
	int escaping;       /* -1: none that is known */
};

struct offer {
	const char *type, *prefix, *version, *proto, *encoding;     /* NULL: no such parameter */
	int needed;         /* how specific a range must be; others mean text 0.0.4 */
	int specific;       /* of the best range so far; -1: none fits */
	int q, escaping;
};

/* 1: the parameter names the offer, -1: another one, 0: neither. */
static int parameter_fits(struct span asked, const char *offered)
{
	return !asked.n || !offered ? 0 : span_is(asked, offered) ? 1 : -1;
}

/* The most specific range decides, of equal ones the best. */
static void offer_match(struct offer *o, const struct range *r)
{
	int version = parameter_fits(r->version, o->version);
	int proto = parameter_fits(r->proto, o->proto);
	int encoding = parameter_fits(r->encoding, o->encoding), specific;

	if (span_is(r->type, o->type))
		specific = version + proto + encoding > 0 ? 3 : 2;
	else if (span_is(r->type, o->prefix))
		specific = 1;
	else if (span_is(r->type, "*/*"))
		specific = 0;
	else
		return;
	if (version < 0 || proto < 0 || encoding < 0)
		return;
	if (specific > o->specific || (specific == o->specific && r->q > o->q)) {
		o->specific = specific;
		o->q = r->q;
		o->escaping = r->escaping;
	}
}

static int offer_rank(const struct offer *o)
{
	return o->specific >= o->needed ? o->specific : -1;
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
		else if (span_is(key, "version"))
			r->version = val;
		else if (span_is(key, "proto"))
			r->proto = val;
		else if (span_is(key, "encoding"))
			r->encoding = val;
		else if (span_is(key, "escaping"))
			r->escaping = escaping_number(val);
	}
	return *end ? end + 1 : end;
}

unsigned expo_negotiate(const char *accept)
{
	enum { TEXT, TEXT_1, PROTO, OM, OFFERS };       /* from TEXT_1 on as ESCAPED_TEXT ... */
	/* Of equally welcome ones that which was named best, then the last. */
	struct offer offers[OFFERS] = {
		[TEXT] = { "text/plain", "text/*", .version = "0.0.4", .specific = -1,
			   .escaping = -1 },
		[TEXT_1] = { "text/plain", "text/*", .version = "1.0.0", .needed = 3,
			     .specific = -1, .escaping = -1 },
		[PROTO] = { "application/vnd.google.protobuf", "application/*",
			    .proto = "io.prometheus.client.MetricFamily", .encoding = "delimited",
			    .needed = 3, .specific = -1, .escaping = -1 },
		[OM] = { "application/openmetrics-text", "application/*", .version = "1.0.0",
			 .needed = 2, .specific = -1, .escaping = -1 },
	};
	unsigned best = TEXT;
	struct range range;
	int escaping;

	while (accept && *accept) {
		accept = range_parse(accept, &range);
		for (unsigned i = 0; i < OFFERS && range.q >= 0; i++)
			offer_match(&offers[i], &range);
	}
	for (unsigned i = TEXT_1; i < OFFERS; i++)
		if (offers[i].q > offers[best].q ||
		    (offers[i].q && offers[i].q == offers[best].q &&
		     offer_rank(&offers[i]) >= offer_rank(&offers[best])))
			best = i;
	escaping = offers[best].escaping;
	if (best == TEXT)
		return EXPO_TEXT;
	if (escaping < 0 && best != TEXT_1)
		return best == OM ? EXPO_OPENMETRICS : EXPO_PROTOBUF;
	return EXPO_FORMATS + (best - TEXT_1) * (unsigned)COUNT(escapings) +
	       (escaping < 0 ? UNDERSCORES : (unsigned)escaping);
}

/* ------------------------------------------------------------------ Accept-Encoding */

bool expo_accepts_gzip(const char *accept_encoding)
{
	int gzip = -1, identity = -1, any = -1;         /* -1: not named */
	struct range range;

	while (accept_encoding && *accept_encoding) {
		accept_encoding = range_parse(accept_encoding, &range);
		if (range.q < 0)
			continue;
		if (span_is(range.type, "gzip") || span_is(range.type, "x-gzip"))
			gzip = range.q > gzip ? range.q : gzip;
		else if (span_is(range.type, "identity"))
			identity = range.q > identity ? range.q : identity;
		else if (span_is(range.type, "*"))
			any = range.q > any ? range.q : any;
	}
	if (gzip < 0)
		gzip = any;
	return gzip > 0 && gzip >= identity;
}
