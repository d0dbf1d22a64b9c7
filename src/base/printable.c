/* SPDX-License-Identifier: MIT */
#include "base/printable.h"

#include <stdint.h>
#include <stdio.h>

size_t printable_char(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	static const struct { uint32_t first, last; } unseen[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xd800, 0xdfff },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *s < 0x80;
	uint32_t c;

	if (*s >> 5 == 6)
		n = 2;
	if (*s >> 4 == 14)
		n = 3;
	else if (*s >> 3 == 30)
		n = 4;
	if (!n)
		return 0;
	c = n == 1 ? *s : *s & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff)
		return 0;
	for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen); i++)
		if (c >= unseen[i].first && c <= unseen[i].last)
			return 0;
	return n;
}

bool printable(const char *s)
{
	size_t n;

	for (; *s; s += n) {
		n = printable_char(s);
		if (!n)
			return false;
	}
	return true;
}

size_t printable_escape(const char *s, char *ret, size_t size)
{
	size_t at = 0;

	if (size)
		*ret = '\0';
	while (*s) {
		size_t n = printable_char(s);
		char text[8];
		int len = n ? snprintf(text, sizeof(text), "%.*s", (int)n, s) :
			  snprintf(text, sizeof(text), "\\x%02x", (unsigned char)*s);

		if (size && at + (size_t)len < size)
			snprintf(ret + at, size - at, "%s", text);
		at += (size_t)len;
		s += n ? n : 1;
	}
	return at;
}
