/* SPDX-License-Identifier: MIT
 *
 * An option that is younger than this program is seen, too: each number is asked for. One that
 * changes by itself must not be, or a listener would be made anew after every end of an http
 * process, and connections that wait would be lost.
 */
#include "children/socket_options.h"

#include "base/bits.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* In headers younger than Debian 12's. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* The highest number that is asked for at each level: some more than there are. */
static const struct { int level, last; } levels[] = {
	{ SOL_SOCKET, 96 }, { IPPROTO_IP, 56 }, { IPPROTO_IPV6, 80 }, { IPPROTO_TCP, 56 },
};

/* Of what happens and not of what was set; asking for SO_ERROR clears it, SO_PEERPIDFD makes a
 * descriptor, TCP_ZEROCOPY_RECEIVE maps memory. */
static const struct { int level, name; } not_set[] = {
	{ SOL_SOCKET, SO_ERROR }, { SOL_SOCKET, SO_INCOMING_CPU }, { SOL_SOCKET, SO_MEMINFO },
	{ SOL_SOCKET, SO_INCOMING_NAPI_ID }, { SOL_SOCKET, SO_PEERPIDFD },
	{ IPPROTO_TCP, TCP_INFO }, { IPPROTO_TCP, TCP_CC_INFO }, { IPPROTO_TCP, TCP_TIMESTAMP },
	{ IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE },
};

static bool is_set(int level, int name)
{
	for (size_t i = 0; i < COUNT(not_set); i++)
		if (not_set[i].level == level && not_set[i].name == name)
			return false;
	return true;
}

/* FNV-1a: it is to tell accidents and intruders who cannot choose the numbers freely. */
static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t mix_option(uint64_t h, int fd, int level, int name)
{
	unsigned char value[128] = { 0 };
	socklen_t n = sizeof(value);

	if (getsockopt(fd, level, name, value, &n) < 0)
		return h;
	h = mix(h, &level, sizeof(level));
	h = mix(h, &name, sizeof(name));
	return mix(h, value, n < sizeof(value) ? n : sizeof(value));
}

uint64_t socket_options(int fd)
{
	const int of_file[] = { fcntl(fd, F_GETFL), fcntl(fd, F_GETOWN), fcntl(fd, F_GETSIG) };
	uint64_t h = mix(UINT64_C(0xcbf29ce484222325), of_file, sizeof(of_file));

	for (size_t i = 0; i < COUNT(levels); i++)
		for (int name = 1; name <= levels[i].last; name++)
			if (is_set(levels[i].level, name))
				h = mix_option(h, fd, levels[i].level, name);
	return h;
}
