/* SPDX-License-Identifier: MIT */
#include "http/host_field.h"

#include "base/name.h"

#include <arpa/inet.h>
#include <string.h>

/* The length without ":PORT". An IPv6 address is in brackets. */
static size_t host_length(const char *host, size_t n)
{
	size_t at = n;

	while (at && host[at - 1] >= '0' && host[at - 1] <= '9')
		at--;
	return at && host[at - 1] == ':' ? at - 1 : n;
}

static bool host_is_address(const char *host, size_t n)
{
	bool v6 = n > 2 && host[0] == '[' && host[n - 1] == ']';
	char text[INET6_ADDRSTRLEN] = "";
	struct in6_addr address;

	if (n - 2 * v6 >= sizeof(text))
		return false;
	memcpy(text, host + v6, n - 2 * v6);
	return inet_pton(v6 ? AF_INET6 : AF_INET, text, &address) == 1;
}

bool host_allowed(const char *host, size_t n, const char *own, const char *configured)
{
	while (n && (host[n - 1] == ' ' || host[n - 1] == '\t'))
		n--;
	n = host_length(host, n);
	if (host_is_address(host, n))
		return true;
	if (n && host[n - 1] == '.')
		n--;
	return name_listed(own, host, n) || name_listed(configured, host, n);
}
