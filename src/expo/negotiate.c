/* negotiate.c - which text format an Accept header asks for; see expo.h.
 *
 * Owns:  media ranges, parameters and q-values (RFC 9110 12.5.1), as far as two formats need them.
 * Pure; any thread; allocates nothing; one pass over the header.
 */
#include "config.h"

#include "expo/expo.h"

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

struct offer {
	const char *type, *prefix, *version;
	int specific;       /* of the best range so far; -1: none fits */
	int q;
};

/* A range fits the more, the more of it is named; the most specific one decides, of several equal ones the best. */
static void offer_match(struct offer *o, struct span type, struct span version, int q)
{
	int specific;

	if (span_is(type, o->type))
		specific = version.n ? 3 : 2;
	else if (span_is(type, o->prefix))
		specific = 1;
	else if (span_is(type, "*/*"))
		specific = 0;
	else
		return;
	if (version.n && !span_is(version, o->version))
		return;
	if (specific > o->specific || (specific == o->specific && q > o->q)) {
		o->specific = specific;
		o->q = q;
	}
}

/* One media range with its parameters; returns where the next one begins. */
static const char *range_parse(const char *s, struct offer *text, struct offer *openmetrics)
{
	const char *end = skip_to(s, ",;");
	struct span type = span_trim(s, end), version = { "", 0 };
	int q = 1000;

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
			q = quality(val);
		else if (span_is(key, "version"))
			version = val;
	}
	if (q >= 0) {
		offer_match(text, type, version, q);
		offer_match(openmetrics, type, version, q);
	}
	return *end ? end + 1 : end;
}

enum expo_format expo_negotiate(const char *accept)
{
	struct offer text = { "text/plain", "text/*", "0.0.4", -1, 0 };
	struct offer om = { "application/openmetrics-text", "application/*", "1.0.0", -1, 0 };

	while (accept && *accept)
		accept = range_parse(accept, &text, &om);
	/* Equally welcome: OpenMetrics only to those who named it. */
	if (om.q > text.q || (om.q && om.q == text.q && om.specific >= 2))
		return EXPO_OPENMETRICS;
	return EXPO_TEXT;
}

const char *expo_content_type(enum expo_format f)
{
	static const char *const types[EXPO_FORMATS] = {
		[EXPO_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[EXPO_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[EXPO_JSON] = "application/json",
		[EXPO_STATUS] = "application/json",
		[EXPO_PAGE] = "text/html; charset=utf-8",
	};

	return types[f];
}
