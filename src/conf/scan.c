/* scan.c - see scan.h.
 *
 * libconfig cuts integers to 32 bits (1.5) or misreads them (1.7, 1.8), drops \x00, swallows the rest of the
 * file after an unclosed comment, follows @include, joins two strings between which a comma is missing, and stops
 * (leaking) at the first syntax error with the words "syntax error". Each of these is found here first, with its
 * line. Tokens and grammar are libconfig's own: what passes here, libconfig reads, as the same values but for integers,
 * whose values are taken from here.
 */
#include "config.h"

#include "conf/scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define VALUES_MAX 65536
#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_*"

struct key { const char *s; int n; unsigned line; };

struct block {
	char open;                  /* '{', '(', '[', or 0: the file itself */
	char kind;                  /* '[': of its first element */
	unsigned line;
	struct key keys[SCAN_KEYS];
	unsigned n_keys;
};

struct scanner {
	struct arena *a;
	const char *p;
	struct where at;
	struct diags *d;
	struct scan *out;
	struct block blocks[SCAN_DEPTH + 1];
	unsigned depth;
	char prev;                  /* the token before: 'v' a value or what closes one, 'k' a key, else the
	                             * character; 0: unknown, after a mistake */
	bool prev_string;
	bool stop;
};

static struct block *scan_block(struct scanner *s)
{
	return &s->blocks[s->depth];
}

static bool in_list(struct scanner *s)
{
	return scan_block(s)->open == '(' || scan_block(s)->open == '[';
}

/* To the end of the line: nothing sensible can be said about the rest of it. */
static void skip_line(struct scanner *s)
{
	s->p += strcspn(s->p, "\n");
	s->prev = 0;
}

/* What is wrong with token `c` after s->prev; NULL: nothing. */
static const char *misplaced(struct scanner *s, char c)
{
	char prev = s->prev;

	if (!prev)
		return NULL;
	switch (c) {
	case 'v':
		if (in_list(s))
			return prev == 'v' ? "a comma is missing before this element of the list" : NULL;
		return prev == '=' ? NULL
		       : "a value stands here without its key; settings are written key = value;";
	case 'k':
		return prev == 'k' ? "a \"=\" is missing between the key before this and its value" : NULL;
	case '=':
		return prev == 'k' ? NULL
		       : "there is no key before this \"=\"; in a list, keys stand in blocks { key = value; }";
	case ';':
		if (in_list(s))
			return "a \";\" cannot stand in a list; a comma separates elements";
		/* fallthrough */
	case ',':
		if (prev == 'v')
			return NULL;
		return prev == c ? "two of these in a row" : "a value is missing before this";
	case '}':
		return prev == 'k' || prev == '=' ? "a value is missing before this" : NULL;
	default:
		return prev == ',' ? "the comma before this is one too many" : NULL;
	}
}

/* Note token `c`: the rules of what may follow what. */
static void place_token(struct scanner *s, char c)
{
	const char *wrong = misplaced(s, c);

	if (wrong)
		diags_add(s->d, s->at, c == 'v' || c == 'k' ? "%s" : "%s (\"%c\")", wrong, c);
	s->prev = c == ';' && in_list(s) ? 0 : c;
	s->prev_string = false;
}

/* A value of one kind: 's'tring, 'b'oolean, 'i'nteger, 'l'ong integer, 'f'loat. */
static void add_value(struct scanner *s, char kind, struct scan_value value)
{
	struct block *b = scan_block(s);
	struct scan *o = s->out;

	place_token(s, 'v');
	s->prev_string = kind == 's';
	if (b->open == '[' && b->kind && b->kind != kind)
		diags_add(s->d, s->at, "an array [ ] holds values of one kind; a list ( ) may mix "
			  "them");
	b->kind = kind;
	if (o->n_values == VALUES_MAX) {
		diags_add(s->d, s->at, "more than %d values in one file", VALUES_MAX);
		s->stop = true;
		return;
	}
	o->values = arena_grow(s->a, o->values, o->n_values, sizeof(*o->values));
	o->values[o->n_values++] = value;
}

static void scan_comment(struct scanner *s)
{
	const char *end = strstr(s->p + 2, "*/");

	if (!end) {
		diags_add(s->d, s->at, "a comment begins here with /* and is never closed");
		s->stop = true;
		return;
	}
	for (; s->p < end + 2; s->p++)
		s->at.line += *s->p == '\n';
}

static void scan_string(struct scanner *s)
{
	const char *p = s->p + 1;
	bool joined = s->prev == 'v' && s->prev_string && !in_list(s);

	for (; *p != '"'; p++) {
		if (*p == '\n') {
			diags_add(s->d, s->at, "a string begins here and is not closed on its line");
			skip_line(s);
			return;
		}
		if (strncasecmp(p, "\\x00", 4) == 0)
			diags_add(s->d, s->at, "\\x00 cannot stand in a string");
		if (*p == '\\' && p[1] != '\n')
			p++;
	}
	if (!joined)
		add_value(s, 's', (struct scan_value){ .line = s->at.line });
	s->p = p + 1;
}

/*
 * The integer of n characters at p: [-+]digits or 0xdigits, and up to two L. It is read here because libconfig 1.5 cuts it
 * to 32 bits, 1.7 takes 010 for octal and 1.8 takes 0xFFFFFFFFL for -1. What is wrong with it; "": it is none; NULL: nothing.
 */
static const char *scan_integer(const char *p, size_t n, int64_t *ret)
{
	bool hex = p[0] == '0' && (p[1] | 0x20) == 'x', large = false;
	size_t digits = hex ? 2 : p[0] == '-' || p[0] == '+';
	uint64_t v = 0, base = hex ? 16 : 10;

	for (int i = 0; i < 2 && n > digits && p[n - 1] == 'L'; i++)
		n--;
	if (n == digits || strspn(p + digits, hex ? "0123456789abcdefABCDEF" : "0123456789") < n - digits)
		return "";
	for (size_t i = digits; i < n; i++) {
		unsigned c = (unsigned char)p[i];

		c = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
		large = large || v > (INT64_MAX - c) / base;
		v = v * base + c;
	}
	if (large)
		return "is too large: a whole number goes up to 9223372036854775807";
	if (!hex && n - digits > 1 && p[digits] == '0')
		return "begins with 0, which is octal elsewhere; write it without the 0";
	*ret = p[0] == '-' ? -(int64_t)v : (int64_t)v;
	return NULL;
}

/* [-+]digits[.digits][e[-+]digits], at least one digit in front of e and one of . and e */
static bool is_float(const char *p, size_t n)
{
	const char *end = p + n;
	unsigned digits = 0;
	bool point = false;

	if (*p == '-' || *p == '+')
		p++;
	for (; p < end && (isdigit((unsigned char)*p) || (*p == '.' && !point)); p++) {
		point = point || *p == '.';
		digits += *p != '.';
	}
	if (digits == 0 || p == end)
		return digits && point;
	if ((*p++ | 0x20) != 'e')
		return false;
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end)
		return false;
	while (p < end && isdigit((unsigned char)*p))
		p++;
	return p == end;
}

static void scan_number(struct scanner *s)
{
	size_t n = strspn(s->p, NAME_CHARS "+.");
	bool is_long = s->p[n - 1] == 'L', is_real = is_float(s->p, n);
	struct scan_value v = { .line = s->at.line };
	int shown = n < 40 ? (int)n : 40;
	const char *wrong = is_real ? NULL : scan_integer(s->p, n, &v.integer);

	if (wrong && !*wrong)
		diags_add(s->d, s->at, "%.*s is not a number; if it is meant as text, write it in quotes: \"%.*s\"",
			  shown, s->p, shown, s->p);
	else if (wrong)
		diags_add(s->d, s->at, "%.*s %s", shown, s->p, wrong);
	if (!is_long && (v.integer > INT32_MAX || v.integer < -INT32_MAX))
		v.doubt = "the number is too large for the file format without an L behind it";
	add_value(s, is_real ? 'f' : is_long ? 'l' : 'i', v);
	s->p += n;
}

static void scan_key(struct scanner *s, int n)
{
	struct block *b = scan_block(s);
	int shown = n < 60 ? n : 60;

	place_token(s, 'k');
	for (unsigned i = 0; i < b->n_keys; i++) {
		if (b->keys[i].n == n && memcmp(b->keys[i].s, s->p, (size_t)n) == 0) {
			diags_add(s->d, s->at, "\"%.*s\" is set twice, first on line %u", shown, s->p,
				  b->keys[i].line);
			return;
		}
	}
	if (b->n_keys < SCAN_KEYS)
		b->keys[b->n_keys++] = (struct key){ .s = s->p, .n = n, .line = s->at.line };
	else
		diags_add(s->d, s->at, "more than %d keys in one block", SCAN_KEYS);
}

static bool is_one_of(const char *p, int n, const char *const *words)
{
	for (; *words; words++) {
		if (strlen(*words) == (size_t)n && strncasecmp(p, *words, (size_t)n) == 0)
			return true;
	}
	return false;
}

/* A name is a key, or true or false, or text without its quotes. */
static void scan_name(struct scanner *s)
{
	static const char *const truths[] = { "true", "false", NULL };
	static const char *const others[] = { "yes", "no", "on", "off", NULL };
	int n = (int)strspn(s->p, NAME_CHARS);
	bool truth = is_one_of(s->p, n, truths);

	if (!truth && s->prev != '=' && !in_list(s)) {
		scan_key(s, n);
	} else {
		if (is_one_of(s->p, n, others))
			diags_add(s->d, s->at, "%.*s: write true or false", n, s->p);
		else if (!truth)
			diags_add(s->d, s->at, "%.*s stands without quotes; text is written in quotes",
				  n < 60 ? n : 60, s->p);
		add_value(s, 'b', (struct scan_value){ .line = s->at.line });
	}
	s->p += n;
}

static void scan_open(struct scanner *s)
{
	if (!s->depth && !scan_block(s)->n_keys && *s->p == '{') {
		diags_add(s->d, s->at, "JSON is not read: leave out the braces around the file, and the quotes around keys: "
			  "interval = \"1s\";");
		s->stop = true;
		return;
	}
	if (scan_block(s)->open == '[')
		diags_add(s->d, s->at, "an array [ ] holds plain values only; a list ( ) may hold "
			  "blocks and lists");
	place_token(s, 'v');
	if (s->depth == SCAN_DEPTH) {
		diags_add(s->d, s->at, "more than %d blocks and lists inside each other", SCAN_DEPTH);
		s->stop = true;
		return;
	}
	s->depth++;
	scan_block(s)->open = *s->p;
	scan_block(s)->kind = 0;
	scan_block(s)->line = s->at.line;
	scan_block(s)->n_keys = 0;
	s->prev = *s->p++;
}

static void scan_close(struct scanner *s)
{
	const struct block *b = scan_block(s);
	char open = *s->p == '}' ? '{' : *s->p == ')' ? '(' : '[';

	if (b->open != open) {
		if (b->open)
			diags_add(s->d, s->at, "\"%c\" does not close the \"%c\" of line %u", *s->p,
				  b->open, b->line);
		else
			diags_add(s->d, s->at, "\"%c\" closes nothing", *s->p);
		s->stop = true;
		return;
	}
	place_token(s, *s->p++);
	s->depth--;
	s->prev = 'v';
}

static void scan_other(struct scanner *s)
{
	unsigned char c = (unsigned char)*s->p;

	if (strncmp(s->p, "@include", 8) == 0)
		diags_add(s->d, s->at, "@include is not supported: a configuration is one file");
	else
		diags_add(s->d, s->at, c == '\'' ? "\"%c\" cannot stand here; text is written in double quotes"
			  : c > ' ' && c < 0x7f ? "\"%c\" cannot stand here"
			  : "the byte 0x%02x cannot stand outside of a string (quotes are plain \" only)", c);
	skip_line(s);
}

static void scan_token(struct scanner *s)
{
	unsigned char c = (unsigned char)*s->p;

	if (c == '\n') {
		s->at.line++;
		s->p++;
	} else if (strchr(" \t\r\f", c)) {
		s->p++;
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
		s->p++;
	} else {
		scan_other(s);
	}
}

int scan_text(struct arena *a, const char *file, const char *text, struct scan *ret, struct diags *d)
{
	size_t before = d->n + d->dropped;
	struct scanner *s = arena_alloc(a, 1, sizeof(*s));

	*ret = (struct scan){ 0 };
	s->a = a;
	s->p = text;
	s->at = (struct where){ file, 1 };
	s->d = d;
	s->out = ret;
	s->prev = ';';
	while (*s->p && !s->stop)
		scan_token(s);
	if (d->n + d->dropped == before && s->depth > 0) {
		s->at.line = scan_block(s)->line;
		diags_add(d, s->at, "the \"%c\" of this line is never closed", scan_block(s)->open);
	} else if ((s->prev == 'k' || s->prev == '=') && s->blocks[0].n_keys > 0) {
		s->at.line = s->blocks[0].keys[s->blocks[0].n_keys - 1].line;
		diags_add(d, s->at, "the file ends before the value of its last key");
	}
	return d->n + d->dropped == before ? 0 : -EINVAL;
}
