/* SPDX-License-Identifier: MIT
 * Blocks by their tables of keys, and the types of values that many keys have.
 *
 * Owns:  the words for what is missing, unknown, of another type, or out of bounds.
 * Never: which keys there are (conf.c, metric.c, sampling.c, serving.c).
 * Pure; any thread.
 */
#include "conf/read.h"

#include "base/name.h"
#include "base/num.h"
#include "base/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPECS_MAX 4096

struct where read_where(const struct reader *r, const struct setting *s)
{
	return (struct where){ r->conf->file, s->line };
}

static const char *const type_names[] = {
	[SETTING_INTEGER] = "a number", [SETTING_WIDE] = "a number",
	[SETTING_FLOAT] = "a number", [SETTING_TEXT] = "text in quotes",
	[SETTING_BOOL] = "true or false", [SETTING_BLOCK] = "a block { }",
	[SETTING_LIST] = "a list",
};

/* ---- blocks */

/* The key that is meant by a word; NULL: none that is known. */
static const char *nearest(const struct block *b, const char *word)
{
	struct nearest near = { .wanted = word };

	for (const struct key *k = b->keys; k < b->keys + b->n_keys; k++) {
		if (k->wrong_name && strcmp(k->wrong_name, word) == 0)
			return k->name;
		nearest_offer(&near, k->name);
	}
	return near.name;
}

static void read_unknown_key(struct reader *r, const struct block *b, const struct setting *e,
			     const char *name)
{
	const char *meant = nearest(b, name);

	if (meant && strcmp(meant, name) == 0)
		return;
	if (meant)
		read_bad(r, e, "%s has no key \"%.60s\"; the nearest known one is \"%s\"", b->name,
			 name, meant);
	else
		read_bad(r, e, "%s has no key \"%.60s\"; see: uncorectl list keys", b->name, name);
}

void read_block(struct reader *r, const struct block *b, const struct setting *s, void *into)
{
	for (unsigned i = 0; s && i < s->n; i++) {
		const struct setting *e = setting_element(s, i);
		const char *name = setting_name(e);

		if (b->former && strcmp(b->former, name) == 0)
			read_bad(r, e, "%s has no key \"%s\" any more: %s", b->name, name,
				 b->instead);
		else
			read_unknown_key(r, b, e, name);
	}
	for (const struct key *k = b->keys; k < b->keys + b->n_keys; k++) {
		const struct setting *v = setting_find(s, k->name);

		if (k->where_at)
			*(struct where *)((char *)into + k->where_at) =
				v ? read_where(r, v) : (struct where){ r->conf->file, 0 };
		if (k->def)
			k->read(r, k, NULL, (char *)into + k->at);
		if (v)
			k->read(r, k, v, (char *)into + k->at);
		else if (s && k->required && b->why)
			read_bad(r, s, "%s needs \"%s\"; %s", b->name, k->name, b->why);
		else if (s && k->required)
			read_bad(r, s, "key \"%s\" is missing in %s: %s", k->name, b->what,
				 k->example);
	}
}

bool read_is_block(struct reader *r, const struct setting *s,
		   const char *what, const char *example)
{
	bool is = s->type == SETTING_BLOCK;

	if (!is)
		read_bad(r, s, "%s must be a block: %s", what, example);
	return is;
}

/* ---- values */

/* How many bytes follow the first one of a character; -1: none begins so. */
static int bytes_behind(unsigned char first)
{
	if (first < 0x80)
		return 0;
	if (first < 0xc2)
		return -1;
	if (first < 0xe0)
		return 1;
	if (first < 0xf0)
		return 2;
	return first <= 0xf4 ? 3 : -1;
}

/* The character at *at, which moves behind it; -1: this is no UTF-8 (overlong, cut off, above
 * U+10FFFF, a surrogate). */
static int next_character(const unsigned char **at)
{
	static const int least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = *at;
	int more = bytes_behind(*p), c = *p++;

	if (more < 0)
		return -1;
	if (more)
		c &= 0x3f >> more;
	for (int i = 0; i < more; i++) {
		if ((*p & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (*p++ & 0x3f);
	}
	*at = p;
	return c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? -1 : c;
}

/* UTF-8, and no control character. */
static bool check_text(struct reader *r, const struct setting *s, const char *what,
		       const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		int c = next_character(&p);

		if (c < 0) {
			read_bad(r, s, "%s is not valid UTF-8", what);
			return false;
		}
		if (c < ' ' || c == 0x7f) {
			read_bad(r, s, "%s contains the control character 0x%02x", what,
				 (unsigned)c);
			return false;
		}
	}
	return true;
}

const char *read_text(struct reader *r, const struct key *k, const struct setting *s,
		      const char *what)
{
	const char *text;

	if (!s)
		return k->def;
	if (s->type != SETTING_TEXT) {
		read_bad(r, s, "%s is %s but must be text in quotes: %s", what,
			 type_names[s->type], k->example);
		return NULL;
	}
	text = setting_text(s);
	if (!*text) {
		read_bad(r, s, "%s is empty; write, for example: %s", what, k->example);
		return NULL;
	}
	return check_text(r, s, what, text) ? text : NULL;
}

void read_string(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);

	if (text && k->most && strlen(text) > k->most)
		read_bad(r, s, "%s is longer than %u bytes", k->name, k->most);
	else if (text && k->is_path && *text != '/')
		read_bad(r, s, "%s = \"%.80s\": the path must begin with /", k->name, text);
	else if (text)
		*(char **)at = read_copy(r, text);
}

void read_choice(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);
	bool second = text && strcmp(text, k->choices[1]) == 0;

	if (second || (text && strcmp(text, k->choices[0]) == 0))
		*(unsigned *)at = 1 + second;
	else if (text)
		read_bad(r, s, "%s = \"%.60s\": it must be \"%s\" or \"%s\"", k->name, text,
			 k->choices[0], k->choices[1]);
}

void read_bool(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	if (!s)
		*(bool *)at = *k->def == 't';
	else if (s->type != SETTING_BOOL)
		read_bad(r, s, "%s is %s; write %s = true or %s = false, without quotes", k->name,
			 type_names[s->type], k->name, k->name);
	else
		*(bool *)at = s->v.integer;
}

static bool is_integer(const struct setting *s)
{
	return s->type == SETTING_INTEGER || s->type == SETTING_WIDE;
}

/* Of an integer: false if it is complained of. */
static bool read_integer(struct reader *r, const struct setting *s,
			 const char *what, int64_t *ret)
{
	if (s->type == SETTING_WIDE) {
		read_bad(r, s, "%s: a number this large needs an L after it: write %sL", what,
			 setting_text(s));
		return false;
	}
	*ret = s->v.integer;
	return true;
}

bool read_double(struct reader *r, const struct setting *s, const char *what, double *ret)
{
	double value = 0;
	int64_t whole;

	if (is_integer(s)) {
		if (!read_integer(r, s, what, &whole))
			return false;
		value = (double)whole;
	} else if (s->type == SETTING_FLOAT) {
		value = s->v.number;
	} else {
		read_bad(r, s, "%s is %s but must be a number without quotes, such as 1.5", what,
			 type_names[s->type]);
		return false;
	}
	if (!isfinite(value)) {
		read_bad(r, s, "%s is too large for a floating-point number", what);
		return false;
	}
	*ret = value;
	return true;
}

void read_number(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	double *v = at;

	if (!s)
		*v = strtod(k->def, NULL);
	else if (read_double(r, s, k->name, v) &&
		 ((k->not_zero && *v == 0) || (k->not_negative && *v < 0)))
		read_bad(r, s, "%s", k->not_zero ?: k->not_negative);
}

/* A whole number of at least 1, plain or, if it is large, in quotes. */
void read_count(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	uint64_t value = 0;
	int64_t whole;

	if (!s) {
		num_parse_u64(k->def, &value);
	} else if (is_integer(s)) {
		if (!read_integer(r, s, k->name, &whole))
			return;
		value = whole > 0 ? (uint64_t)whole : 0;
	} else if (s->type == SETTING_TEXT) {
		num_parse_u64(setting_text(s), &value);    /* else it stays 0 */
	}
	if (value)
		*(uint64_t *)at = value;
	else
		read_bad(r, s, "%s must be a whole number of at least 1, in quotes if it is large: "
			 "%s = \"5000000000\"", k->name, k->name);
}

unsigned read_list(struct reader *r, const struct key *k, const struct setting *s)
{
	unsigned n = s->n;

	if (s->type != SETTING_LIST)
		read_bad(r, s, "%s is %s but must be a list: %s", k->name,
			 type_names[s->type], k->example);
	else if (n == 0)
		read_bad(r, s, "%s is an empty list; %swrite, for example: %s", k->name,
			 k->required ? "" : "leave it out or ", k->example);
	else if (n > k->most)
		read_bad(r, s, "%s%smore than %u %s; remove %u", k->elements ? k->name : "",
			 k->elements ? " has " : "", k->most, k->elements ?: k->name,
			 n - k->most);
	else
		return n;
	return 0;
}

/* ---- specifications */

bool read_spec_text(struct reader *r, const struct setting *s, const char *text, struct spec *ret)
{
	struct err err;

	if (++r->n_specs > SPECS_MAX) {
		if (r->n_specs == SPECS_MAX + 1)
			read_bad(r, s, "more than %d events in one file; remove some", SPECS_MAX);
		return false;
	}
	if (spec_parse(r->conf->arena, text, ret, &err) < 0) {
		read_bad(r, s, "%s", err.text);
		*ret = (struct spec){ .unit = -1, .last = -1, .instance = -1 };
		return false;
	}
	ret->where = read_where(r, s);
	return true;
}

void read_spec(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);

	struct spec *spec = at;

	if (text && read_spec_text(r, s, text, spec) && spec->last > spec->unit)
		read_bad(r, s, "\"%s\" is of several units; one is meant here", text);
}
