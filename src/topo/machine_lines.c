/* SPDX-License-Identifier: MIT
 * Words of a line, mistakes in it, and the files that come of it.
 */
#include "topo/machine_lines.h"

#include "base/name.h"
#include "base/num.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_ 128               /* letters of a name that is part of a path */
#define FILE_BYTES 128              /* that a file takes beside what is in it, about */

/* At the word that was taken last. Returns false. */
bool __attribute__((format(printf, 2, 3))) line_wrong(struct reading *rd, const char *fmt, ...)
{
	const struct line *l = &rd->line;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diags_add(rd->d, (struct where){ NULL, 0 }, "%s:%u:%u: %s", l->text, l->number,
		  (unsigned)(l->word - l->start) + 1, text);
	rd->over |= diags_count(rd->d) >= DIAGS_MAX;
	return false;
}

bool line_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word of the line; NULL: there is none, and `word` is the end of the line. */
char *line_word(struct reading *rd)
{
	struct line *l = &rd->line;

	while (l->at < l->end && line_is_blank(*l->at))
		l->at++;
	l->word = l->at;
	while (l->at < l->end && !line_is_blank(*l->at))
		l->at++;
	if (l->at == l->word)
		return NULL;
	return arena_text_n(rd->m->arena, l->word, (size_t)(l->at - l->word));
}

/* What is left of the line, without the blank before it. */
char *line_rest(struct reading *rd)
{
	struct line *l = &rd->line;

	while (l->at < l->end && line_is_blank(*l->at))
		l->at++;
	l->word = l->at;
	l->at = l->end;
	return arena_text_n(rd->m->arena, l->word, (size_t)(l->end - l->word));
}

bool line_done(struct reading *rd)
{
	const char *word = line_word(rd);

	return !word ||
	       line_wrong(rd, "'%.60s' is one word too many on this line; remove it", word);
}

/* A word that is a number; what: what it is, in the sentence. */
static bool line_number(struct reading *rd, const char *what, uint64_t most, uint64_t *ret)
{
	const char *word = line_word(rd);

	if (!word)
		return line_wrong(rd, "the line ends where %s is expected: a number to %llu", what,
				  (unsigned long long)most);
	if (num_parse_u64(word, ret) < 0 || *ret > most)
		return line_wrong(rd, "'%.60s' is no %s: it is a number from 0 to %llu", word, what,
				  (unsigned long long)most);
	return true;
}

bool line_unsigned(struct reading *rd, const char *what, uint64_t most, unsigned *ret)
{
	uint64_t v;

	if (!line_number(rd, what, most, &v))
		return false;
	*ret = (unsigned)v;
	return true;
}

/* "180.5": digits, and one point between them. */
static bool is_decimal(const char *s)
{
	size_t whole = strspn(s, "0123456789");

	if (!whole || whole > 9)
		return false;
	s += whole;
	if (!*s)
		return true;
	whole = strspn(s + 1, "0123456789");
	return *s == '.' && whole && whole <= 9 && !s[1 + whole];
}

bool line_decimal(struct reading *rd, const char *what, double *ret)
{
	const char *word = line_word(rd);

	if (!word)
		return line_wrong(rd, "the line ends where %s is expected, such as 180.5", what);
	if (!is_decimal(word))
		return line_wrong(rd, "'%.60s' is no %s: it is a number such as 180.5", word, what);
	*ret = strtod(word, NULL);
	return true;
}

/* Letters, digits and some signs: part of a path, and never ".", ".." or hidden. */
bool line_is_plain(const char *name, size_t n)
{
	if (!n || n > NAME_MAX_ || *name == '.')
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = name_fold(name[i]);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !strchr("_.:-", c))
			return false;
		if (!c)
			return false;
	}
	return true;
}

bool line_check_plain(struct reading *rd, const char *name, const char *what)
{
	return line_is_plain(name, strlen(name)) ||
	       line_wrong(rd,
			  "'%.60s' is no %s: up to %d letters, digits, '_', '-', ':' and '.', "
			  "which does not come first",
			  name, what, NAME_MAX_);
}

/* May this text say it, or has one that matters more? The first of its depth begins anew. */
bool line_may_say(struct reading *rd, struct said *s, bool *ret_anew)
{
	*ret_anew = !s->yes || s->depth > rd->depth;
	if (s->yes && s->depth < rd->depth)
		return false;
	*s = (struct said){ true, rd->depth };
	return true;
}

bool line_check_cpus(struct reading *rd, const char *list)
{
	struct cpu_range range = { list, 0, 0 };
	int r;

	do
		r = num_next_range(&range, TOPO_CPUS_MAX - 1);
	while (r > 0);
	return (r == 0 && range.end) ||
	       line_wrong(rd, "'%.60s' is no list of CPUs below %d, such as 0-3,8", list,
			  TOPO_CPUS_MAX);
}

/* ------------------------------------------------------------------ files */

bool line_may_hold(struct reading *rd, size_t n, unsigned files)
{
	size_t more;

	if (rd->over)
		return false;
	if (!__builtin_mul_overflow(n + FILE_BYTES, files, &more) &&
	    more <= MACHINE_FILES_MAX - rd->held) {
		rd->held += more;
		return true;
	}
	line_wrong(rd,
		   "with this the machine has more than %zu MiB of files, where those of a PMU "
		   "count for each of its instances; no machine has so many: remove CPUs, "
		   "instances or events",
		   MACHINE_FILES_MAX >> 20);
	rd->over = true;
	return false;
}

void machine_put(struct reading *rd, const char *path, const char *bytes, size_t n, bool link)
{
	struct machine_file *f;

	if (!line_may_hold(rd, strlen(path) + n, 1))
		return;
	f = ARENA_ADD(rd->m->arena, rd->m->files, rd->m->n_files);
	*f = (struct machine_file){ .path = arena_text(rd->m->arena, path),
				    .bytes = arena_copy(rd->m->arena, bytes, n, 1), .n = n,
				    .link = link };
}

/* A file with a newline after the text. */
void machine_put_text(struct reading *rd, const char *path, const char *text)
{
	char *line = arena_printf(rd->m->arena, "%s\n", text);

	machine_put(rd, path, line, strlen(line), false);
}

void machine_put_link(struct reading *rd, const char *path, const char *to)
{
	machine_put(rd, path, to, strlen(to), true);
}

int machine_hex(char c)
{
	c = name_fold(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \xHH in the text becomes a byte, in place. Returns how many bytes there are then. */
size_t machine_decode(char *text)
{
	char *to = text;

	for (const char *s = text; *s; to++) {
		bool byte = s[0] == '\\' && s[1] == 'x' && machine_hex(s[2]) >= 0 &&
			    machine_hex(s[3]) >= 0;

		*to = byte ? (char)(machine_hex(s[2]) << 4 | machine_hex(s[3])) : *s;
		s += byte ? 4 : 1;
	}
	return (size_t)(to - text);
}
