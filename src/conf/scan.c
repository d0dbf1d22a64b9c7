/* SPDX-License-Identifier: MIT
 * Tokens, and the text that libconfig gets.
 *
 * Owns:  what libconfig may see.
 * Never: values (tree_make.c), keys (read.c).
 * Pure; any thread.
 *
 * libconfig cuts integers to 32 bits (1.5), takes 010 for octal (1.7) or 0xFFFFFFFFL for -1 (1.8),
 * drops \x00, swallows the rest of the file after an unclosed comment, follows @include, joins two
 * strings between which a comma is missing, gives a string in a list the line of the token behind
 * it, and stops (leaking) at the first syntax error with the words "syntax error". So the tokens
 * are looked at here first, and libconfig gets a text of its own: without comments, with integers
 * in decimal, and with each comma right behind its string. Only libconfig reads values and lines; a
 * syntax error that has no sentence here is reported in its words.
 */
#include "conf/scan.h"

#include "base/bits.h"
#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define VALUES_MAX 65536

/* A key of a block, where it is set. */
struct member {
	const char *s;
	size_t n;
	unsigned line;
};

/* A block, list or array that is not closed yet. */
struct bracket {
	char open;                  /* '{', '(', '[', or 0: the file itself */
	char kind;                  /* '[': of its first element */
	unsigned line;
	struct member members[SCAN_KEYS];
	unsigned n_members;
};

struct scanner {
	struct arena *a;
	const char *p;
	struct where at;
	struct diags *d;
	struct scan *found;
	char *out;                  /* the end of the text for libconfig */
	char *key;                  /* there, the last key */
	char *behind;               /* there, what follows the last token, a string; else NULL */
	struct bracket brackets[SCAN_DEPTH + 1];
	unsigned depth, n_values;
	char prev;                  /* the token before: 'v' a value or what closes one, 'k' a key,
	                             * else the character; 0: unknown, after a mistake */
	bool prev_string;
	bool stop;
};

#define scan_bad(s, ...) diags_add((s)->d, (s)->at, __VA_ARGS__)
/* The same where nothing sensible can be said about the rest of the file. */
#define scan_stop(s, ...) ((s)->stop = true, scan_bad(s, __VA_ARGS__))

static struct bracket *innermost(struct scanner *s)
{
	return &s->brackets[s->depth];
}

static bool in_list(struct scanner *s)
{
	return innermost(s)->open == '(' || innermost(s)->open == '[';
}

/* The next n characters are a token of libconfig's, too. */
static void pass(struct scanner *s, size_t n)
{
	s->out = mempcpy(s->out, s->p, n);
	s->p += n;
	s->behind = NULL;
}

/* A comma or bracket changes places with the blank behind a string: so both are on one line. */
static void pass_punctuation(struct scanner *s)
{
	char *at = s->behind ? s->behind : s->out, c;

	pass(s, 1);
	c = *at;
	*at = s->out[-1];
	s->out[-1] = c;
}

/* To the end of the line: nothing sensible can be said about the rest of it. */
static void skip_line(struct scanner *s)
{
	s->p += strcspn(s->p, "\n");
	s->prev = 0;
}

/* What may not follow what, in blocks and in lists. */
static const struct {
	char token;
	const char *after;          /* one of these; of all but these if it begins with '!' */
	enum { LIST = 1, BLOCK = 2, BOTH = 3 } in;
	const char *why;
} misplaced[] = {
	{ 'v', "v", LIST, "a comma is missing before this element of the list" },
	{ 'v', "!=", BLOCK, "this value has no key; write a setting as key = value;" },
	{ 'k', "k", BOTH, "the key before this has no value; write a setting as key = value;" },
	{ '=', "!k", BOTH, "there is no key before this \"=\"; in a list, put keys into blocks: { "
	 "key = value; }" },
	{ ';', "!", LIST, "a \";\" is not allowed in a list; separate its elements with commas" },
	{ ';', ";", BLOCK, "two of these in a row" },
	{ ',', ",", BOTH, "two of these in a row" },
	{ ';', "!v", BLOCK, "a value is missing before this" },
	{ ',', "!v", BOTH, "a value is missing before this" },
	{ '}', "k=", BOTH, "a value is missing before this" },
	{ ')', ",", BOTH, "the comma before this is one too many" },
	{ ']', ",", BOTH, "the comma before this is one too many" },
};

/* Why token `c` may not follow token `prev` where it stands; NULL: it may. */
static const char *why_misplaced(char c, char prev, unsigned in)
{
	for (unsigned i = 0; i < COUNT(misplaced); i++) {
		const char *after = misplaced[i].after;
		bool not = *after == '!';
		bool listed = strchr(after + not, prev);

		if (misplaced[i].token == c && misplaced[i].in & in && listed != not)
			return misplaced[i].why;
	}
	return NULL;
}

/* Note token `c`, which is complained of if it may not follow the one before. */
static void place_token(struct scanner *s, char c)
{
	unsigned in = in_list(s) ? LIST : BLOCK;
	const char *why = s->prev ? why_misplaced(c, s->prev, in) : NULL;

	if (why && isalpha(c))
		scan_bad(s, "%s", why);
	else if (why)
		scan_bad(s, "%s (\"%c\")", why, c);
	s->prev = c == ';' && in == LIST ? 0 : c;
	s->prev_string = false;
}

/* Newlines between a key and its value move before the key, whose line libconfig reports. */
static void lift_newlines(struct scanner *s)
{
	char *to = s->key;

	for (char *at = s->key; at < s->out; at++) {
		if (*at == '\n') {
			memmove(to + 1, to, (size_t)(at - to));
			*to++ = '\n';
		}
	}
}

/* A value of one kind: 's'tring, 'b'oolean, 'i'nteger, 'l'ong integer, 'f'loat. */
static void add_value(struct scanner *s, char kind)
{
	struct bracket *b = innermost(s);

	if (s->prev == '=')
		lift_newlines(s);
	place_token(s, 'v');
	s->prev_string = kind == 's';
	if (b->open == '[' && b->kind && b->kind != kind)
		scan_bad(s, "an array [ ] holds values of one kind; use a list ( ) to mix them");
	b->kind = kind;
	if (s->n_values++ == VALUES_MAX)
		scan_stop(s, "more than %d values in one file", VALUES_MAX);
}

static void scan_comment(struct scanner *s)
{
	const char *end = strstr(s->p + 2, "*/");

	if (!end) {
		scan_stop(s, "the comment that begins here with /* is never closed");
		return;
	}
	*s->out++ = ' ';
	for (; s->p < end + 2; s->p++) {
		if (*s->p == '\n') {
			*s->out++ = '\n';
			s->at.line++;
		}
	}
}

static void scan_string(struct scanner *s)
{
	const char *p = s->p + 1;
	bool joined = s->prev == 'v' && s->prev_string && !in_list(s);

	for (; *p != '"'; p++) {
		if (*p == '\n') {
			scan_bad(s, "the string that begins here does not end on this line");
			skip_line(s);
			return;
		}
		if (strncasecmp(p, "\\x00", 4) == 0)
			scan_bad(s, "\\x00 is not allowed in a string");
		if (*p == '\\' && p[1] != '\n')
			p++;
	}
	if (!joined)
		add_value(s, 's');
	pass(s, (size_t)(p + 1 - s->p));
	s->behind = s->out;
}

/* The integer of n characters at p: [-+]digits or 0xdigits, and up to two L. Returns what is wrong
 * with it, "" if it is none. */
static const char *scan_integer(const char *p, size_t n, int64_t *ret)
{
	bool hex = p[0] == '0' && (p[1] | 0x20) == 'x', sign = p[0] == '-' || p[0] == '+';
	const char *end;
	size_t digits;

	errno = 0;
	*ret = strtoll(p, (char **)&end, hex ? 16 : 10);
	digits = (size_t)(end - p) - sign;
	for (int i = 0; i < 2 && *end == 'L'; i++)
		end++;
	if (end != p + n)
		return "";
	if (errno == ERANGE)
		return "is too large: the largest whole number is 9223372036854775807";
	if (!hex && digits > 1 && p[sign] == '0')
		return "begins with 0, as octal numbers do; leave it out, or put a text in quotes";
	return NULL;
}

static bool is_float(const char *p, size_t n)
{
	char *end;

	strtod(p, &end);
	return end == p + n && strspn(p, "+-.0123456789eE") >= n && strcspn(p, ".eE") < n;
}

/* An array holds integers of one size, so all are long ones to libconfig. */
static void scan_number(struct scanner *s)
{
	size_t n = strspn(s->p, SCAN_NAME "+.");
	int shown = n < 40 ? (int)n : 40;
	bool is_long = s->p[n - 1] == 'L';
	struct scan *f = s->found;
	const char *wrong;
	int64_t value;

	if (is_float(s->p, n)) {
		add_value(s, 'f');
		pass(s, n);
		return;
	}
	wrong = scan_integer(s->p, n, &value);
	if (wrong && !*wrong)
		scan_bad(s, "%.*s is not a number; if it is meant as text, write it in quotes: "
			 "\"%.*s\"", shown, s->p, shown, s->p);
	else if (wrong)
		scan_bad(s, "%.*s %s", shown, s->p, wrong);
	add_value(s, is_long ? 'l' : 'i');
	if (!is_long && (value > INT32_MAX || value < -INT32_MAX))
		*ARENA_ADD(s->a, f->wide, f->n_wide) =
			(struct scan_wide){ f->n_integers, s->p, n };
	f->n_integers++;
	s->out += sprintf(s->out, "%" PRId64 "L", value);
	s->p += n;
	s->behind = NULL;
}

static void scan_key(struct scanner *s, size_t n)
{
	struct bracket *b = innermost(s);

	place_token(s, 'k');
	s->key = s->out;
	for (unsigned i = 0; i < b->n_members; i++) {
		if (b->members[i].n == n && memcmp(b->members[i].s, s->p, n) == 0) {
			scan_bad(s, "\"%.*s\" is set twice; the first time is on line %u",
				 n < 60 ? (int)n : 60, s->p, b->members[i].line);
			return;
		}
	}
	if (b->n_members < SCAN_KEYS) {
		b->members[b->n_members++] = (struct member){ .s = s->p, .n = n,
							      .line = s->at.line };
	} else {
		scan_bad(s, "more than %d keys in one block", SCAN_KEYS);
	}
}

/* A name is a key, or true or false, or text without its quotes. */
static void scan_name(struct scanner *s)
{
	size_t n = strspn(s->p, SCAN_NAME);
	bool truth = name_listed("true false", s->p, n);
	int shown = n < 60 ? (int)n : 60;

	if (!truth && s->prev != '=' && !in_list(s)) {
		scan_key(s, n);
	} else {
		if (name_listed("yes no on off", s->p, n))
			scan_bad(s, "%.*s: write true or false", shown, s->p);
		else if (!truth)
			scan_bad(s, "%.*s has no quotes; write text in double quotes", shown, s->p);
		add_value(s, 'b');
	}
	pass(s, n);
}

static void scan_open(struct scanner *s)
{
	struct bracket *b = innermost(s);

	if (!s->depth && !b->n_members && *s->p == '{') {
		scan_stop(s, "this looks like JSON, which is not supported: remove the braces "
			  "around the file and the quotes around keys: interval = \"1s\";");
		return;
	}
	if (b->open == '[')
		scan_bad(s, "an array [ ] holds only plain values; use a list ( ) for blocks and "
			 "lists");
	place_token(s, 'v');
	if (s->depth == SCAN_DEPTH) {
		scan_stop(s, "more than %d levels of nested blocks and lists", SCAN_DEPTH);
		return;
	}
	b = &s->brackets[++s->depth];
	*b = (struct bracket){ .open = *s->p, .line = s->at.line };
	s->prev = *s->p;
	pass(s, 1);
}

static char opening(char closing)
{
	switch (closing) {
	case '}':
		return '{';
	case ')':
		return '(';
	default:
		return '[';
	}
}

static void scan_close(struct scanner *s)
{
	const struct bracket *b = innermost(s);
	char open = opening(*s->p);

	if (!b->open) {
		scan_stop(s, "there is no opening bracket for this \"%c\"", *s->p);
		return;
	}
	if (b->open != open) {
		scan_stop(s, "\"%c\" does not close the \"%c\" on line %u", *s->p, b->open,
			  b->line);
		return;
	}
	place_token(s, *s->p);
	pass_punctuation(s);
	s->depth--;
	s->prev = 'v';
}

static void scan_other(struct scanner *s)
{
	unsigned char c = (unsigned char)*s->p;

	if (strncmp(s->p, "@include", 8) == 0)
		scan_bad(s, "@include is not supported: a configuration is one file");
	else if (c == '\'')
		scan_bad(s, "\"%c\" is not allowed here; write text in double quotes", c);
	else if (c > ' ' && c < 0x7f)
		scan_bad(s, "\"%c\" is not allowed here", c);
	else
		scan_bad(s, "the byte 0x%02x is only allowed in a string (and strings need plain "
			 "quotes: \")", c);
	skip_line(s);
}

static void scan_token(struct scanner *s)
{
	unsigned char c = (unsigned char)*s->p;

	if (strchr(" \t\r\f\n", c)) {
		s->at.line += c == '\n';
		*s->out++ = *s->p++;
	} else if (c == '#' || (c == '/' && s->p[1] == '/')) {
		s->p += strcspn(s->p, "\n");
	} else if (c == '/' && s->p[1] == '*') {
		scan_comment(s);
	} else if (c == '"') {
		scan_string(s);
	} else if (isdigit(c) || strchr("+-.", c)) {
		scan_number(s);
	} else if (isalpha(c) || c == '*') {
		scan_name(s);
	} else if (strchr("{([", c)) {
		scan_open(s);
	} else if (strchr("})]", c)) {
		scan_close(s);
	} else if (strchr("=:;,", c)) {
		place_token(s, c == ':' ? '=' : (char)c);
		pass_punctuation(s);
	} else {
		scan_other(s);
	}
}

int scan_text(struct arena *a, const char *file, const char *text, struct scan *ret,
	      struct diags *d)
{
	size_t before = d->n + d->dropped;
	struct scanner *s = arena_alloc(a, 1, sizeof(*s));
	char *out = arena_alloc(a, 2 * strlen(text) + 1, 1);    /* 1 becomes 1L */

	*ret = (struct scan){ .text = out };
	*s = (struct scanner){ .a = a, .p = text, .at = { file, 1 }, .d = d, .found = ret,
			       .out = out, .key = out, .prev = ';' };
	while (*s->p && !s->stop)
		scan_token(s);
	if (d->n + d->dropped == before && s->depth > 0) {
		s->at.line = innermost(s)->line;
		diags_add(d, s->at, "the \"%c\" on this line is never closed", innermost(s)->open);
	} else if ((s->prev == 'k' || s->prev == '=') && s->brackets[0].n_members > 0) {
		s->at.line = s->brackets[0].members[s->brackets[0].n_members - 1].line;
		diags_add(d, s->at, "the file ends before its last key gets a value");
	}
	return d->n + d->dropped == before ? 0 : -EINVAL;
}
