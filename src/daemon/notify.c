/* SPDX-License-Identifier: MIT */
#include "daemon/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A path, or '@' and an abstract name. Returns the address's length, 0 if there is none. */
static socklen_t manager_address(struct sockaddr_un *ret)
{
	const char *name = getenv("NOTIFY_SOCKET");
	size_t n = name ? strlen(name) : 0;

	if (n < 2 || n >= sizeof(ret->sun_path) || (name[0] != '/' && name[0] != '@'))
		return 0;
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(ret->sun_path, name, n);
	if (name[0] == '@')
		ret->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
}

bool notify_expected(void)
{
	struct sockaddr_un to;

	return manager_address(&to) > 0;
}

bool notify_send(const char *fmt, ...)
{
	struct sockaddr_un to;
	socklen_t len = manager_address(&to);
	char text[512];
	bool full;
	va_list ap;
	int fd;

	if (!len)
		return true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	full = sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
		      len) < 0 && errno == EAGAIN;
	close(fd);
	return !full;
}
