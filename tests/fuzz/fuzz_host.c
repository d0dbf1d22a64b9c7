/* SPDX-License-Identifier: MIT
 * The header Host, the names of the configuration and /etc/hosts.
 * The input is the kernel's name of the machine, `hosts` of the configuration, the file and Host,
 * each but the last ended by a byte 0xff.
 */
#include "fuzz.h"

#include "daemon/host_names.h"
#include "http/host_field.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static char path[] = "/tmp/uncored-fuzz-XXXXXX";

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void remove_file(void)
{
	unlink(path);
}

static void write_file(const char *text, size_t n)
{
	static bool made;
	FILE *f;

	if (!made) {
		require(close(mkstemp(path)) == 0);
		atexit(remove_file);
	}
	made = true;
	f = fopen(path, "w");
	require(f && fwrite(text, 1, n, f) == n);
	fclose(f);
}

/* The next text, cut at a NUL; free() it. */
static char *next_text(const uint8_t **data, size_t *n)
{
	const uint8_t *end = *n ? memchr(*data, 0xff, *n) : NULL;
	size_t len = end ? (size_t)(end - *data) : *n;
	char *text = strndup(len ? (const char *)*data : "", len);

	require(text);
	*data += len + (end != NULL);
	*n -= len + (end != NULL);
	return text;
}

#define BETWEEN " \t,"

/* By another way: is host a word of the list, whatever its case? */
static bool is_word(const char *list, const char *host, size_t n)
{
	for (list += strspn(list, BETWEEN); *list; list += strspn(list, BETWEEN)) {
		size_t len = strcspn(list, BETWEEN);

		if (len == n && strncasecmp(list, host, n) == 0)
			return true;
		list += len;
	}
	return false;
}

/* Without blanks at the end, port and last dot. */
static size_t bare(const char *host)
{
	size_t n = strlen(host), at;

	while (n && strchr(" \t", host[n - 1]))
		n--;
	at = n;
	while (at && strchr("0123456789", host[at - 1]))
		at--;
	if (at && host[at - 1] == ':')
		n = at - 1;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *node = next_text(&data, &n), *given = next_text(&data, &n),
		*hosts = next_text(&data, &n), *host = next_text(&data, &n), *names;
	char address[64] = "";
	struct in6_addr ignored;
	size_t len = 0, name;
	bool allowed;

	write_file(hosts, strlen(hosts));
	names = host_names_new(node, path, given, &len);
	require(names && len >= 2 && !names[len - 1]);
	require(strlen(names) + 1 + strlen(names + strlen(names) + 1) + 1 == len);
	require(host_allowed("localhost", 9, names, ""));
	require(host_allowed("LocalHost.:10062", 16, names, ""));
	require(host_allowed("127.0.0.1:1", 11, "", "") && host_allowed("[::1]", 5, "", ""));
	require(!host_allowed("", 0, "", ""));
	allowed = host_allowed(host, strlen(host), names, names + strlen(names) + 1);
	name = bare(host);
	if (name < sizeof(address) && name)
		memcpy(address, host + (*host == '['), name - 2 * (*host == '[' && name > 2));
	if (allowed && inet_pton(AF_INET, address, &ignored) != 1 &&
	    inet_pton(AF_INET6, address, &ignored) != 1) {
		name -= name && host[name - 1] == '.';
		require(is_word(names, host, name) ||
			is_word(names + strlen(names) + 1, host, name));
	}
	free(names);
	free(host);
	free(hosts);
	free(given);
	free(node);
	return 0;
}
