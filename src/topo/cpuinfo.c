/* cpuinfo.c - see cpuinfo.h. */
#include "topo/cpuinfo.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

const char *cpuinfo_value(const char *text, size_t n, const char *key, size_t *ret_len)
{
	const char *end = text + n, *p, *eol;
	size_t len = strlen(key);

	for (; text < end && *text != '\n'; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		if (!eol)
			return NULL;
		if ((size_t)(eol - text) <= len || memcmp(text, key, len) != 0)
			continue;
		for (p = text + len; is_blank(*p); p++)
			;
		if (*p != ':')
			continue;
		for (p++; is_blank(*p); p++)
			;
		*ret_len = (size_t)(eol - p);
		return p;
	}
	return NULL;
}

static void take_number(const char *text, size_t n, const char *key, unsigned *ret)
{
	size_t len = 0, digits = 0;
	const char *p = cpuinfo_value(text, n, key, &len);
	unsigned v = 0;

	while (len > 0 && (is_blank(p[len - 1]) || p[len - 1] == '\r'))
		len--;
	for (; digits < len && isdigit((unsigned char)p[digits]) && digits < 7; digits++)
		v = v * 10 + (unsigned)(p[digits] - '0');
	if (digits > 0 && digits <= 6 && digits == len)
		*ret = v;
}

static void take_vendor(const char *text, size_t n, struct topo *t)
{
	size_t len = 0, used = 0;
	const char *p = cpuinfo_value(text, n, "vendor_id", &len);

	while (used < len && used < sizeof(t->vendor) - 1 && isgraph((unsigned char)p[used]))
		used++;
	if (used == 0)
		return;
	memcpy(t->vendor, p, used);
	t->vendor[used] = '\0';
}

bool cpuinfo_has_word(const char *text, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (const char *end = text + n, *p; text < end; text = p + 1) {
		p = memchr(text, ' ', (size_t)(end - text));
		if (!p)
			p = end;
		if ((size_t)(p - text) == len && memcmp(text, word, len) == 0)
			return true;
	}
	return false;
}

void cpuinfo_parse(const char *text, size_t n, struct topo *t)
{
	const char *flags;
	size_t len = 0;

	take_vendor(text, n, t);
	take_number(text, n, "cpu family", &t->family);
	take_number(text, n, "model", &t->model);
	take_number(text, n, "stepping", &t->stepping);
	flags = cpuinfo_value(text, n, "flags", &len);
	t->hypervisor = flags && cpuinfo_has_word(flags, len, "hypervisor");
}
