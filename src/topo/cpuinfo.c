/* cpuinfo.c - see cpuinfo.h. */
#include "config.h"

#include "topo/cpuinfo.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The value of line "key<blanks>: value" if its key is the wanted one, else NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) != 0)
		return NULL;
	line += n + strspn(line + n, " \t");
	return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

static void take_number(const char *line, const char *key, unsigned *ret)
{
	const char *p = value_of(line, key);
	unsigned v = 0;
	size_t digits = p ? strspn(p, "0123456789") : 0;

	if (digits == 0 || digits > 6 || p[digits + strspn(p + digits, " \t\r")])
		return;
	for (size_t i = 0; i < digits; i++)
		v = v * 10 + (unsigned)(p[i] - '0');
	*ret = v;
}

static void take_vendor(const char *line, struct topo *t)
{
	const char *p = value_of(line, "vendor_id");
	size_t n = 0;

	while (p && n < sizeof(t->vendor) - 1 && isgraph((unsigned char)p[n]))
		n++;
	if (n == 0)
		return;
	memcpy(t->vendor, p, n);
	t->vendor[n] = '\0';
}

void cpuinfo_parse(const char *text, size_t n, struct topo *t)
{
	const char *end = text + n;
	char line[128];

	for (const char *eol; text < end && *text != '\n'; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		if (!eol)
			return;
		snprintf(line, sizeof(line), "%.*s", (int)(eol - text < 127 ? eol - text : 127), text);
		take_vendor(line, t);
		take_number(line, "cpu family", &t->family);
		take_number(line, "model", &t->model);
		take_number(line, "stepping", &t->stepping);
	}
}
