/* SPDX-License-Identifier: MIT */
#include "topo/capture_lines.h"

#include <string.h>

enum { COLUMNS = 100 };

void capture_word(struct capture_words *w, const char *word)
{
	size_t n = strlen(word);

	if (w->column && w->column + 1 + n > COLUMNS) {
		strb_add_char(w->to, '\n');
		w->column = 0;
	}
	if (!w->column) {
		strb_add(w->to, w->begin);
		w->column = strlen(w->begin);
	}
	strb_add_char(w->to, ' ');
	strb_add(w->to, word);
	w->column += 1 + n;
}

void capture_words_end(struct capture_words *w)
{
	if (w->column)
		strb_add_char(w->to, '\n');
	w->column = 0;
}

void capture_escaped(struct strb *to, const char *text, bool word)
{
	for (const char *s = text; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < ' ' || c > '~' || strchr("\\{", c) || (c == ' ' && (word || s == text)))
			strb_addf(to, "\\x%02x", c);
		else
			strb_add_char(to, *s);
	}
}

void capture_list(struct strb *to, const unsigned *v, unsigned n)
{
	for (unsigned i = 0, last; i < n; i = last + 1) {
		last = i;
		while (last + 1 < n && v[last + 1] == v[last] + 1)
			last++;
		strb_addf(to, last > i ? "%s%u-%u" : "%s%u", i ? "," : "", v[i], v[last]);
	}
}
