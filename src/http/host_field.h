/* host_field.h - whose name a request asks for; inside http/ only.
 *
 * Owns:  the form of Host (RFC 9110 7.2): a name or an address, and a port that means nothing here.
 * Never: which names there are.
 * Pure.
 *
 * A web site can have its own name lead to 127.0.0.1, and its pages in a browser of this machine
 * then read what is served there as if it came from the site (DNS rebinding). Such a request
 * carries the site's name in Host; nobody can make it carry another.
 */
#ifndef HTTP_HOST_FIELD_H
#define HTTP_HOST_FIELD_H

#include <stdbool.h>
#include <stddef.h>

/* The n characters of a Host: an IP address, or one of the names in either list (words)? */
bool host_welcome(const char *host, size_t n, const char *own, const char *given);

#endif
