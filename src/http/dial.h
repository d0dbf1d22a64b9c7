/* SPDX-License-Identifier: MIT
 * From a URL to a connection, within a time.
 *
 * Owns:  the forms of a URL, the search of a name's addresses, the attempts to connect.
 * Never: what is said there.
 * Any thread.
 */
#ifndef HTTP_DIAL_H
#define HTTP_DIAL_H

#include "base/nsec.h"

#include <stdbool.h>

#define DIAL_URL_MAX 512

struct dial_address {
	bool file;                      /* "unix:PATH": path is a socket file, and that is all */
	bool tls;
	char host[DIAL_URL_MAX];        /* name, or literal address without brackets */
	char port[8];
	char field[DIAL_URL_MAX + 8];   /* for the field Host */
	char user[DIAL_URL_MAX];        /* "USER:PASSWORD" as it is sent: in base 64; "": none */
	char path[DIAL_URL_MAX];        /* without a slash at its end */
};

/* "http://[USER:PASSWORD@]HOST[:PORT][/PATH]", the same with https, "HOST:PORT" without http://, or
 * "unix:/PATH". The ports that are left out are 80 and 443. 0 or -EINVAL. */
int dial_parse(const char *url, struct dial_address *ret);

/* A connection that does not block, before `end` (CLOCK_MONOTONIC). Returns the descriptor, or
 * -errno and why. */
int dial_connect(const struct dial_address *a, nsec end, const char **ret_why);

/* Waits until the descriptor has one of the poll() events. 0, -ETIMEDOUT or -errno. */
int dial_wait(int fd, short events, nsec end);

#endif
