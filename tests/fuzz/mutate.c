/* SPDX-License-Identifier: MIT
 * For a search with libFuzzer: changes a configuration file word by word, beside what
 * libFuzzer does to its bytes.
 * A word is a text in quotes, a whole list or block, or what stands between blanks. It is left out,
 * doubled, moved, or replaced by one of another kind: what is read with the wrong type, or not at
 * all, is where mistakes hide that no byte shows.
 */
#include "fuzz.h"

#ifdef FUZZ_SEARCH

#include <stdbool.h>
#include <string.h>

#define WORDS_MAX 2048

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

static unsigned dice(unsigned *seed, unsigned sides)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % sides;
}

/* The end of the word that begins at `at`. */
static size_t word_end(const char *s, size_t n, size_t at, bool whole)
{
	const char *pair = strchr("([{", s[at]);
	size_t i = at + 1, depth = 1;

	if (s[at] == '"') {
		while (i < n && s[i] != '"')
			i += 1 + (s[i] == '\\');
		return i < n ? i + 1 : n;
	}
	if (s[at] && pair && whole) {
		for (; i < n && depth; i++) {
			depth += s[i] && strchr("([{", s[i]);
			depth -= s[i] && strchr(")]}", s[i]);
		}
		return i;
	}
	while (i < n && s[i] && !strchr(" \t\n\"()[]{}=;,:", s[i]) && !strchr("()[]{}=;,:", s[at]))
		i++;
	return i;
}

static size_t replace(char *s, size_t n, size_t max, size_t from, size_t to,
		      const char *by, size_t len)
{
	if (n - (to - from) + len > max)
		return n;
	memmove(s + from + len, s + to, n - to);
	memcpy(s + from, by, len);
	return n - (to - from) + len;
}

static size_t mutate(char *s, size_t n, size_t max, unsigned *seed)
{
	static const char *const others[] = { "1", "0", "-1", "1.5", "true", "\"x\"", "\"10ms\"",
					      "( )", "[ ]", "{ }", "[ 1 ]", "( \"x\" )",
					      "( { } )", "1e300", "0x10", "\"\"", ";", "," };
	struct { size_t from, to; } w[WORDS_MAX];
	unsigned k = 0, a, b, o;
	char word[512];
	size_t len;

	for (size_t i = 0; i < n && k < WORDS_MAX; i = word_end(s, n, i, false)) {
		while (i < n && s[i] && strchr(" \t\n", s[i]))
			i++;
		if (i >= n)
			break;
		w[k].from = i;
		w[k++].to = word_end(s, n, i, dice(seed, 2));
	}
	if (!k)
		return n;
	a = dice(seed, k);
	b = dice(seed, k);
	o = dice(seed, sizeof(others) / sizeof(others[0]));
	len = w[b].to - w[b].from;
	if (len > sizeof(word))
		return n;
	memcpy(word, s + w[b].from, len);
	switch (dice(seed, 4)) {
	case 0:
		return replace(s, n, max, w[a].from, w[a].to, "", 0);
	case 1:
		return replace(s, n, max, w[a].from, w[a].from, word, len);
	case 2:
		return replace(s, n, max, w[a].from, w[a].to, word, len);
	default:
		return replace(s, n, max, w[a].from, w[a].to, others[o], strlen(others[o]));
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	if (dice(&seed, 2))
		return LLVMFuzzerMutate(data, n, max);
	for (unsigned i = 1 + dice(&seed, 3); i && n; i--)
		n = mutate((char *)data, n, max, &seed);
	return n;
}

#endif
