/* SPDX-License-Identifier: MIT
 * Engine names and listening addresses: the small texts.
 * Pure; any thread.
 */
#include "conf/conf.h"

#include "base/name.h"
#include "base/num.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/un.h>

#define SOCKET_PATH_MAX sizeof(((struct sockaddr_un *)0)->sun_path)

const char *const conf_engine_names[] = {
	[CONF_AUTO] = "auto", [CONF_REGISTERS] = "registers", [CONF_PERF] = "perf",
	[CONF_MODEL] = "model",
};

int conf_engine_parse(const char *text, struct conf_engine_choice *ret)
{
	struct conf_engine_choice e = { .kind = CONF_MODEL };
	const char *processor, *workload;
	size_t n;

	for (unsigned i = CONF_AUTO; i <= CONF_MODEL; i++) {
		if (strcmp(text, conf_engine_names[i]) == 0) {
			*ret = (struct conf_engine_choice){ .kind = i };
			return 0;
		}
	}
	if (strncmp(text, "model:", 6) != 0)
		return -EINVAL;
	processor = text + 6;
	n = name_span(processor, "-");
	if (n == 0 || n >= sizeof(e.processor))
		return -EINVAL;
	memcpy(e.processor, processor, n);
	if (processor[n] == ':') {
		workload = processor + n + 1;
		n = name_span(workload, "-.,=");
		if (n == 0 || n >= sizeof(e.workload) || workload[n])
			return -EINVAL;
		memcpy(e.workload, workload, n);
	} else if (processor[n]) {
		return -EINVAL;
	}
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

	if (strncmp(text, CONF_SOCKET_PREFIX, n) == 0)
		return text[n] == '/' && strlen(text + n) < SOCKET_PATH_MAX ? CONF_SOCKET_FILE :
		       -EINVAL;
	if (!colon || strlen(colon + 1) > 5 || !isdigit((unsigned char)colon[1]) ||
	    strpbrk(colon, "xX") || num_parse_u64(colon + 1, &port) < 0 || port > UINT16_MAX)
		return -EINVAL;
	n = (size_t)(colon - text);
	if (n >= sizeof(name))
		return -EINVAL;
	if (n > 2 && text[0] == '[' && text[n - 1] == ']') {
		memcpy(name, text + 1, n - 2);
		if (inet_pton(AF_INET6, name, addr) != 1)
			return -EINVAL;
	} else if (n > 0 && !(n == 1 && text[0] == '*')) {
		memcpy(name, text, n);
		if (inet_pton(AF_INET, name, addr) != 1)
			return -EINVAL;
	}
	memcpy(host, name, sizeof(name));
	*ret_port = (uint16_t)port;
	return 0;
}
