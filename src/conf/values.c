/* SPDX-License-Identifier: MIT
 * Engine names and listening addresses: the small texts.
 * Pure; any thread.
 */
#include "conf/conf.h"

#include "base/bits.h"
#include "base/name.h"
#include "base/num.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#define WORD            "A-Za-z0-9_"        /* of a name, for sscanf() */
#define SOCKET_PATH_MAX sizeof(((struct sockaddr_un *)0)->sun_path)

const char *const conf_engine_names[] = {
	[CONF_AUTO] = "auto", [CONF_REGISTERS] = "registers", [CONF_PERF] = "perf",
	[CONF_MODEL] = "model",
};

int conf_engine_parse(const char *text, struct conf_engine_choice *ret)
{
	const char *const *known = NAME_FIND(conf_engine_names, COUNT(conf_engine_names), text);
	struct conf_engine_choice e = { .kind = CONF_MODEL };
	int processor = 0, workload = 0;        /* where they end */

	if (known) {
		*ret = (struct conf_engine_choice){ .kind = (unsigned)(known - conf_engine_names) };
		return 0;
	}
	sscanf(text, "model:%31[" WORD "-]%n:%31[" WORD ".,=-]%n", e.processor, &processor,
	       e.workload, &workload);
	if (!processor || text[workload ? workload : processor])
		return -EINVAL;
	*ret = e;
	return 0;
}

int conf_listen_parse(const char *text, char host[64], uint16_t *ret_port)
{
	const char *colon = strrchr(text, ':');
	char name[64] = "";
	unsigned char addr[16];
	uint64_t port;
	size_t n = strlen(CONF_SOCKET_PREFIX);
	bool v6;

	if (strncmp(text, CONF_SOCKET_PREFIX, n) == 0)
		return text[n] == '/' && strlen(text + n) < SOCKET_PATH_MAX ? CONF_SOCKET_FILE :
		       -EINVAL;
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

bool conf_listen_clash(const char *a, const char *b)
{
	char host[64] = "", other[64];
	uint16_t port = 0, others = 0;

	if (conf_listen_parse(a, host, &port) != 0 || conf_listen_parse(b, other, &others) != 0)
		return strcmp(a, b) == 0;
	return port && port == others && (covers(host, other) || covers(other, host));
}
