/* SPDX-License-Identifier: MIT
 * GET from a server on the network, in plain HTTP.
 *
 * Owns:  the connection, which ends with each answer.
 * Never: what an answer says.
 * Any thread.
 */
#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

#include "base/err.h"

/* http_get - the body at `path` below url, "http://HOST[:PORT]". The caller frees it. Returns 0,
 * or -errno with a sentence that names the URL. */
int http_get(const char *url, const char *path, char **ret, struct err *err);

#endif
