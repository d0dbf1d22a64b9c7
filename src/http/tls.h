/* SPDX-License-Identifier: MIT
 * TLS, inside http/ only.
 *
 * Owns:  GnuTLS; versions and ciphers; who has to show a certificate.
 * Never: files (daemon/certs.h), what is asked on a connection.
 * The http child's one thread.
 */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include "http/http.h"

#include <microhttpd.h>

/* For MHD_OPTION_HTTPS_PRIORITIES. */
const char *tls_priority(const struct http_tls *t);
/* A connection begins: if it is encrypted *shaking is true until its handshake is over. */
void tls_begin(const struct http_tls *t, struct MHD_Connection *mc, bool *shaking);
/* Sends all of it at once, encrypted if the connection is, and nothing after it. false: it could
 * not be sent. */
bool tls_send_last(struct MHD_Connection *mc, int fd, const char *bytes, size_t n);

#endif
