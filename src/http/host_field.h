/* SPDX-License-Identifier: MIT
 * Is the Host of a request a name of this machine? inside http/ only.
 *
 * Owns:  the form of Host (RFC 9110 7.2): a name or an address, and a port that means nothing here.
 * Never: which names there are.
 * Pure.
 *
 * A web site can let its own name resolve to 127.0.0.1. Its pages, in a browser on this machine,
 * can then read what is served there as if it came from the site (DNS rebinding). Such a request
 * has the site's name in Host, and the site cannot change that.
 */
#ifndef HTTP_HOST_FIELD_H
#define HTTP_HOST_FIELD_H

#include <stdbool.h>
#include <stddef.h>

/* host_allowed - are the n characters of a Host an IP address, or a name in one of the two lists
 * (texts of words)? */
bool host_allowed(const char *host, size_t n, const char *own, const char *configured);

#endif
