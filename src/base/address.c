/* SPDX-License-Identifier: MIT */
#include "base/address.h"

#include "base/num.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/un.h>

#define FILE_PATH_MAX sizeof(((struct sockaddr_un *)0)->sun_path)

int address_parse(const char *text, char host[64], uint16_t *ret_port)
{
	const char *colon = strrchr(text, ':');
	char name[64] = "";
	unsigned char addr[16];
	uint64_t port;
	size_t n = strlen(ADDRESS_FILE_PREFIX);
	bool v6;

	if (strncmp(text, ADDRESS_FILE_PREFIX, n) == 0)
		return text[n] == '/' && strlen(text + n) < FILE_PATH_MAX ? ADDRESS_FILE : -EINVAL;
	if (!colon || strlen(colon + 1) > 5 || !isdigit((unsigned char)colon[1]) ||
	    strpbrk(colon, "xX") || num_parse_u64(colon + 1, &port) < 0 || port > UINT16_MAX)
		return -EINVAL;
	n = (size_t)(colon - text);
	if (n >= sizeof(name))
		return -EINVAL;
	v6 = n > 2 && text[0] == '[' && text[n - 1] == ']';
	if (n != 1 || text[0] != '*')
		memcpy(name, text + v6, n - 2 * v6);
	if (*name && inet_pton(v6 ? AF_INET6 : AF_INET, name, addr) != 1)
		return -EINVAL;
	memcpy(host, name, sizeof(name));
	*ret_port = (uint16_t)port;
	return 0;
}

/* Every address of both families, or of IPv4; or the same. */
static bool covers(const char *host, const char *other)
{
	return !*host || strcmp(host, "::") == 0 || strcmp(host, other) == 0 ||
	       (strcmp(host, "0.0.0.0") == 0 && !strchr(other, ':'));
}

bool address_clash(const char *a, const char *b)
{
	char host[64] = "", other[64];
	uint16_t port = 0, others = 0;

	if (address_parse(a, host, &port) != 0 || address_parse(b, other, &others) != 0)
		return strcmp(a, b) == 0;
	return port && port == others && (covers(host, other) || covers(other, host));
}
