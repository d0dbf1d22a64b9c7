/* SPDX-License-Identifier: MIT */
#include "topo/cpuinfo.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The value of `key` for the first CPU, without blanks around it: *ret_len bytes; none if the
 * line is absent or cut. */
static const char *value_of(const char *text, size_t n, const char *key, size_t *ret_len)
{
	const char *end = text + n, *p, *eol, *last;
	size_t len = strlen(key);

	*ret_len = 0;
	for (; text < end && *text != '\n'; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		if (!eol)
			return "";
		if ((size_t)(eol - text) <= len || memcmp(text, key, len) != 0)
			continue;
		for (p = text + len; is_blank(*p); p++)
			;
		if (*p != ':')
			continue;
		for (p++; is_blank(*p); p++)
			;
		for (last = eol; last > p && is_blank(last[-1]); last--)
			;
		*ret_len = (size_t)(last - p);
		return p;
	}
	return "";
}

size_t cpuinfo_text(const char *text, size_t n, const char *key, char *ret, size_t room)
{
	size_t len;
	const char *p = value_of(text, n, key, &len);

	for (size_t i = 0; i < len && i < room - 1; i++)
		ret[i] = isascii(p[i]) && isprint((unsigned char)p[i]) ? p[i] : '?';
	return len;
}

bool cpuinfo_has_flag(const char *text, size_t n, const char *flag)
{
	size_t len = strlen(flag), left;
	const char *p = value_of(text, n, "flags", &left), *end = p + left;

	for (const char *next; p < end; p = next + 1) {
		next = memchr(p, ' ', (size_t)(end - p)) ?: end;
		if ((size_t)(next - p) == len && memcmp(p, flag, len) == 0)
			return true;
	}
	return false;
}

static void take_number(const char *text, size_t n, const char *key, unsigned *ret)
{
	char digits[8] = "";
	size_t len = cpuinfo_text(text, n, key, digits, sizeof(digits));

	if (len > 0 && len <= 6 && strspn(digits, "0123456789") == len)
		*ret = (unsigned)strtoul(digits, NULL, 10);
}

void cpuinfo_parse(const char *text, size_t n, struct topo *t)
{
	cpuinfo_text(text, n, "vendor_id", t->vendor, sizeof(t->vendor));
	take_number(text, n, "cpu family", &t->family);
	take_number(text, n, "model", &t->model);
	take_number(text, n, "stepping", &t->stepping);
	t->hypervisor = cpuinfo_has_flag(text, n, "hypervisor");
}
