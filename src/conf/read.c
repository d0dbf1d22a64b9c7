/* read.c - see read.h. */
#include "config.h"

#include "conf/read.h"

#include "base/name.h"
#include "base/num.h"

#include "conf/scan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPECS_MAX 4096

struct where read_where(const struct reader *r, const config_setting_t *s)
{
	return (struct where){ r->conf->file, config_setting_source_line(s) };
}

static const char *type_name(const config_setting_t *s)
{
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
	case CONFIG_TYPE_FLOAT:
		return "a number";
	case CONFIG_TYPE_STRING:
		return "text in quotes";
	case CONFIG_TYPE_BOOL:
		return "true or false";
	case CONFIG_TYPE_GROUP:
		return "a block { }";
	default:
		return "a list";
	}
}

/* ---- unknown keys */

/* The nearest of `known` (ended by NULL) to a mistyped word, or the one that is meant by another word. */
static const char *nearest(const char *word, const char *const *known)
{
	static const struct { const char *word, *key; } meant[] = { { "interval", "resolution" }, { "value", "numerator" } };
	const char *best = known[0];

	for (; *known; known++) {
		for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
			if (strcmp(meant[i].word, word) == 0 && strcmp(meant[i].key, *known) == 0)
				return *known;
		if (name_distance(word, *known) < name_distance(word, best))
			best = *known;
	}
	return best;
}

void read_known(struct reader *r, const config_setting_t *block, const char *what, const char *const *known)
{
	int n = config_setting_length(block);

	for (int i = 0; i < n; i++) {
		const config_setting_t *s = config_setting_get_elem(block, (unsigned)i);
		const char *name = config_setting_name(s);
		unsigned k = 0;

		while (known[k] && strcmp(known[k], name) != 0)
			k++;
		if (!known[k])
			read_bad(r, s, "%s has no key \"%.60s\"; the nearest known one is \"%s\"",
				  what, name, nearest(name, known));
	}
}

/* ---- values */

/* Length of the UTF-8 character at p, 0 if it is none (overlong, surrogate, above U+10FFFF, cut off). */
static size_t utf8_length(const unsigned char *p)
{
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	unsigned c = p[0];

	if (n == 1)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	c &= 0x3fu >> (n - 1);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : n;
}

static bool check_text(struct reader *r, const config_setting_t *s, const char *what, const char *text)
{
	size_t n;

	for (const unsigned char *p = (const unsigned char *)text; *p; p += n) {
		n = utf8_length(p);
		if (n == 0) {
			read_bad(r, s, "%s is not valid UTF-8", what);
			return false;
		}
		if (*p < ' ' || *p == 0x7f) {
			read_bad(r, s, "%s contains the control character 0x%02x", what, *p);
			return false;
		}
	}
	return true;
}

const char *read_text(struct reader *r, const config_setting_t *s, const char *what, const char *example)
{
	const char *text;

	if (config_setting_type(s) != CONFIG_TYPE_STRING) {
		read_bad(r, s, "%s is %s; text in quotes is expected: %s", what, type_name(s), example);
		return NULL;
	}
	text = config_setting_get_string(s);
	if (!text || !*text) {
		read_bad(r, s, "%s is empty; expected for example: %s", what, example);
		return NULL;
	}
	return check_text(r, s, what, text) ? text : NULL;
}

const char *read_key_text(struct reader *r, const config_setting_t *block, const char *key, bool required,
			  const char *example)
{
	const config_setting_t *s = read_key(block, key);

	if (!s) {
		if (required)
			read_bad(r, block, "key \"%s\" is missing in this block: %s", key, example);
		return NULL;
	}
	return read_text(r, s, key, example);
}

bool read_key_bool(struct reader *r, const config_setting_t *block, const char *key, bool *ret)
{
	const config_setting_t *s = read_key(block, key);

	if (!s)
		return true;
	if (config_setting_type(s) != CONFIG_TYPE_BOOL) {
		read_bad(r, s, "%s is %s; write %s = true or %s = false, without quotes",
			  key, type_name(s), key, key);
		return false;
	}
	*ret = config_setting_get_bool(s);
	return true;
}

bool read_key_number(struct reader *r, const config_setting_t *block, const char *key, double *ret)
{
	const config_setting_t *s = read_key(block, key);

	return !s || read_number(r, s, key, ret);
}

static bool is_integer(const config_setting_t *s)
{
	return config_setting_type(s) == CONFIG_TYPE_INT || config_setting_type(s) == CONFIG_TYPE_INT64;
}

static bool read_integer(struct reader *r, const config_setting_t *s, const char *what, int64_t *ret)
{
	const struct scan_wide *wide;

	*ret = config_setting_get_int64(s);
	wide = scan_wide_find(r->scan, config_setting_source_line(s), *ret);
	if (wide)
		read_bad(r, s, "%s: the number is too large for the file format without an L "
			 "behind it: write %.*sL", what, wide->n, wide->text);
	return !wide;
}

bool read_number(struct reader *r, const config_setting_t *s, const char *what, double *ret)
{
	double value = 0;
	int64_t whole;

	if (is_integer(s)) {
		if (!read_integer(r, s, what, &whole))
			return false;
		value = (double)whole;
	} else if (config_setting_type(s) == CONFIG_TYPE_FLOAT) {
		value = config_setting_get_float(s);
	} else {
		read_bad(r, s, "%s is %s; a number is expected, without quotes, such as 1.5",
			  what, type_name(s));
		return false;
	}
	if (!isfinite(value)) {
		read_bad(r, s, "%s is too large for a floating-point number", what);
		return false;
	}
	*ret = value;
	return true;
}

bool read_key_count(struct reader *r, const config_setting_t *block, const char *key, uint64_t *ret)
{
	const config_setting_t *s = read_key(block, key);
	uint64_t value = 0;
	int64_t whole;

	if (!s) {
		read_bad(r, block, "key \"%s\" is missing in this block: %s = 1000000", key, key);
		return false;
	}
	if (is_integer(s)) {
		if (!read_integer(r, s, key, &whole))
			return false;
		value = whole > 0 ? (uint64_t)whole : 0;
	} else if (config_setting_type(s) != CONFIG_TYPE_STRING || num_parse_u64(config_setting_get_string(s), &value) < 0) {
		value = 0;
	}
	if (!value) {
		read_bad(r, s, "%s: a whole number of at least 1 is expected, in quotes if it is large: %s = \"5000000000\"",
			 key, key);
		return false;
	}
	*ret = value;
	return true;
}

const config_setting_t *read_list(struct reader *r, const config_setting_t *s, const char *what, bool required,
				  const char *example)
{
	if (config_setting_type(s) != CONFIG_TYPE_LIST && config_setting_type(s) != CONFIG_TYPE_ARRAY) {
		read_bad(r, s, "%s is %s; a list is expected: %s", what, type_name(s), example);
		return NULL;
	}
	if (config_setting_length(s) == 0) {
		read_bad(r, s, "%s is an empty list; %swrite for example: %s", what, required ? "" : "leave it out or ", example);
		return NULL;
	}
	return s;
}

/* ---- specifications */

bool read_spec(struct reader *r, const config_setting_t *s, const char *text, struct spec *ret)
{
	struct err err;

	if (++r->n_specs > SPECS_MAX) {
		if (r->n_specs == SPECS_MAX + 1)
			read_bad(r, s, "more than %d events in one file", SPECS_MAX);
		return false;
	}
	if (spec_parse(r->conf->arena, text, ret, &err) < 0) {
		read_bad(r, s, "%s", err.text);
		*ret = (struct spec){ .unit = -1 };
		return false;
	}
	ret->where = read_where(r, s);
	return true;
}
