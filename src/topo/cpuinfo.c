/* SPDX-License-Identifier: MIT */
#include "topo/cpuinfo.h"

#include "base/printable.h"

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

	for (size_t i = 0, bytes; i < len; i += bytes) {
		size_t seen = printable_char(p + i);    /* ends with the line at the latest */

		bytes = seen ? seen : 1;
		if (i + bytes >= room)
			break;
		memcpy(ret + i, seen ? p + i : "?", bytes);
		ret[i + bytes] = '\0';
	}
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

/* "0x41" */
static void take_hex(const char *text, size_t n, const char *key, unsigned *ret)
{
	char hex[8] = "";
	size_t len = cpuinfo_text(text, n, key, hex, sizeof(hex));

	if (len > 2 && len <= 6 && strncmp(hex, "0x", 2) == 0 &&
	    strspn(hex + 2, "0123456789abcdefABCDEF") == len - 2)
		*ret = (unsigned)strtoul(hex, NULL, 16);
}

/* The kernel writes "unknown" where CPUID has no name. */
static void take_model_name(const char *text, size_t n, struct topo *t)
{
	cpuinfo_text(text, n, "model name", t->model_name, sizeof(t->model_name));
	if (t->implementer || strcmp(t->model_name, "unknown") == 0)
		t->model_name[0] = '\0';
}

void cpuinfo_parse(const char *text, size_t n, struct topo *t)
{
	cpuinfo_text(text, n, "vendor_id", t->vendor, sizeof(t->vendor));
	take_number(text, n, "cpu family", &t->family);
	take_number(text, n, "model", &t->model);
	take_number(text, n, "stepping", &t->stepping);
	t->hypervisor = cpuinfo_has_flag(text, n, "hypervisor");
	take_hex(text, n, "CPU implementer", &t->implementer);
	take_hex(text, n, "CPU part", &t->part);
	take_model_name(text, n, t);
}
