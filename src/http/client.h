/* SPDX-License-Identifier: MIT
 * GET from a running uncored: over the network, encrypted or not, or through a socket file.
 *
 * Owns:  the connection, which ends with each answer.
 * Never: what an answer says.
 * Any thread.
 */
#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

#include "base/err.h"

/* Where it is, and the PEM files for https; NULL: authorities that the system trusts, no
 * certificate of our own. */
struct http_server {
	const char *url;                /* "[http://]HOST:PORT", "https://HOST[:PORT]",
	                                 * "unix:PATH" */
	const char *cacert, *cert, *key;
};

/* http_get - the body at `path`, which is whatever somebody at that address answers: up to 64 MB,
 * in 12 s at most, ended by a NUL. The caller frees it. Returns 0, or -errno with a sentence that
 * names the URL and what to do. */
int http_get(const struct http_server *s, const char *path, char **ret, struct err *err);

#endif
