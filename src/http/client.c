/* SPDX-License-Identifier: MIT
 * One GET and its answer, over a socket or GnuTLS; see client.h.
 * Owns:  the session and its files, how long each byte may take, the sentence for each failure.
 * Never: how a connection comes about (dial.c), the form of an answer (response.c).
 * Any thread.
 */
#include "http/client.h"

#include "base/bits.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "http/dial.h"
#include "http/response.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ANSWER_S: uncored gives a request 10 s. PATIENCE_S: to connect, and for one more byte. */
enum { PATIENCE_S = 5, ANSWER_S = 12, ANSWER_MAX = 64 << 20, READ_SIZE = 16384,
       OK = 200 };

/* One connection. */
struct line {
	int fd;
	nsec end;                       /* of all of it */
	gnutls_session_t tls;           /* NULL: without */
	gnutls_certificate_credentials_t files;
	char host[DIAL_URL_MAX];        /* whose certificate it has to be; GnuTLS has no copy */
	bool shaken;                    /* hands: its certificate is trusted */
	int tls_error;                  /* of GnuTLS; 0: what is wrong is nothing of TLS */
	const char *why;                /* it cannot be reached; NULL: something else */
};

static void line_close(struct line *l)
{
	if (l->tls)
		gnutls_deinit(l->tls);
	if (l->files)
		gnutls_certificate_free_credentials(l->files);
	cleanup_fd(&l->fd);
}

/* ---- bytes of a connection, both ways */

/* The next byte has to come within PATIENCE_S (else -ETIME), all of it before the end (else
 * -ETIMEDOUT). */
static int line_wait(const struct line *l, bool to_write)
{
	nsec soon = clock_read(CLOCK_MONOTONIC) + PATIENCE_S * NSEC_PER_SEC;
	bool last = soon >= l->end;
	int r = dial_wait(l->fd, to_write ? POLLOUT : POLLIN, last ? l->end : soon);

	return r == -ETIMEDOUT && !last ? -ETIME : r;
}

/* After a call of GnuTLS that returned r: 0, it is to be called again; else -errno. */
static int tls_again(struct line *l, ssize_t r)
{
	if (r == GNUTLS_E_AGAIN)
		return line_wait(l, gnutls_record_get_direction(l->tls));
	if (r == GNUTLS_E_INTERRUPTED)
		return 0;
	l->tls_error = (int)r;
	return r == GNUTLS_E_PREMATURE_TERMINATION ? -ECONNRESET : -EPROTO;
}

/* Of the bytes as they are on the wire: the same for send() and recv(). */
static int plain_again(const struct line *l, bool to_write)
{
	if (errno == EAGAIN)
		return line_wait(l, to_write);
	return errno == EINTR ? 0 : -errno;
}

static int line_send(struct line *l, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = l->tls ? gnutls_record_send(l->tls, text, left) :
			    send(l->fd, text, left, MSG_NOSIGNAL);
		int r = 0;

		if (n < 0)
			r = l->tls ? tls_again(l, n) : plain_again(l, true);
		if (r < 0)
			return r;
		if (n > 0) {
			text += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

/* How many bytes came, 0 at the end, or -errno. An end of TLS that TLS does not know of is an
 * error: anybody between may have cut it. */
static ssize_t line_receive(struct line *l, char *ret, size_t size)
{
	for (;;) {
		ssize_t n = l->tls ? gnutls_record_recv(l->tls, ret, size) :
			    recv(l->fd, ret, size, 0);
		int r;

		if (n >= 0)
			return n;
		r = l->tls ? tls_again(l, n) : plain_again(l, false);
		if (r < 0)
			return r;
	}
}

/* ---- TLS */

/* How many authorities; returns as GnuTLS does. cacert NULL: those of the system. */
static int load_trusted(struct line *l, const char *cacert)
{
	int r = gnutls_certificate_allocate_credentials(&l->files);

	if (r < 0)
		return r;
	if (cacert)
		return gnutls_certificate_set_x509_trust_file(l->files, cacert,
							      GNUTLS_X509_FMT_PEM);
	return gnutls_certificate_set_x509_system_trust(l->files);
}

/* Reads the files that were named, or what the system trusts. */
static int load_files(struct line *l, const struct http_server *s, struct err *err)
{
	const char *const named[] = { s->cacert, s->cert, s->key };
	const char *key = s->key ? s->key : s->cert;
	int r;

	for (unsigned i = 0; i < COUNT(named); i++)
		if (named[i] && access(named[i], R_OK) < 0)
			return err_set(err, -errno, "%s cannot be read: %s", named[i],
				       strerror(errno));
	r = load_trusted(l, s->cacert);
	if (r < 0 || (!r && s->cacert))
		return err_set(err, -EINVAL, "%s: no certificate in PEM form (%s); use --cacert to "
			       "name the authorities to trust", s->cacert ? s->cacert :
			       "what the system trusts", r ? gnutls_strerror(r) : "none");
	if (!s->cert)
		return 0;
	r = gnutls_certificate_set_x509_key_file(l->files, s->cert, key, GNUTLS_X509_FMT_PEM);
	return r >= 0 ? 0 :
	       err_set(err, -EINVAL, "%s and %s: %s; give --cert and --key if the server asks for "
		       "a certificate", s->cert, key, gnutls_strerror(r));
}

static bool is_literal(const char *host)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

/* A session for this host. Returns as GnuTLS does. */
static int make_session(struct line *l)
{
	static unsigned char http[] = "http/1.1";
	const gnutls_datum_t protocol = { http, sizeof(http) - 1 };
	int r = gnutls_init(&l->tls, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);

	if (r < 0)
		return r;
	r = gnutls_set_default_priority_append(l->tls, "-VERS-TLS1.1:-VERS-TLS1.0", NULL, 0);
	if (r < 0)
		return r;
	r = gnutls_credentials_set(l->tls, GNUTLS_CRD_CERTIFICATE, l->files);
	if (r < 0)
		return r;
	r = gnutls_alpn_set_protocols(l->tls, &protocol, 1, 0);
	if (r < 0 || is_literal(l->host))
		return r;
	return gnutls_server_name_set(l->tls, GNUTLS_NAME_DNS, l->host, strlen(l->host));
}

/* The session, ready to shake hands. verify: with this host only. */
static int tls_begin(struct line *l, const struct dial_address *a, bool verify)
{
	int r;

	snprintf(l->host, sizeof(l->host), "%.*s", (int)strcspn(a->host, "%"), a->host);
	r = make_session(l);
	if (r < 0) {
		l->tls_error = r;
		return -EPROTO;
	}
	if (verify)
		gnutls_session_set_verify_cert(l->tls, l->host, 0);
	gnutls_transport_set_int(l->tls, l->fd);
	return 0;
}

static int shake_hands(struct line *l)
{
	for (;;) {
		int r = gnutls_handshake(l->tls);

		l->shaken = r >= 0;
		if (l->shaken)
			return 0;
		r = tls_again(l, r);
		if (r < 0)
			return r;
	}
}

/* Does TLS answer where it was asked without? Nothing is verified, and nothing is asked there. */
static bool speaks_tls(const struct dial_address *a)
{
	nsec end = clock_read(CLOCK_MONOTONIC) + PATIENCE_S * NSEC_PER_SEC;
	const char *why;
	AUTO_DONE(line_close) struct line l = { .fd = dial_connect(a, end, &why), .end = end };

	return l.fd >= 0 && gnutls_certificate_allocate_credentials(&l.files) >= 0 &&
	       tls_begin(&l, a, false) >= 0 && shake_hands(&l) >= 0;
}

/* ---- one request */

static int line_open(struct line *l, const struct dial_address *a)
{
	nsec soon = clock_read(CLOCK_MONOTONIC) + PATIENCE_S * NSEC_PER_SEC;
	int r;

	l->fd = dial_connect(a, soon, &l->why);
	if (l->fd < 0)
		return l->fd;
	l->why = NULL;
	if (!a->tls)
		return 0;
	r = tls_begin(l, a, true);
	return r < 0 ? r : shake_hands(l);
}

static int line_request(struct line *l, const struct dial_address *a, const char *path)
{
	char text[4 * DIAL_URL_MAX];

	snprintf(text, sizeof(text), "GET %s%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n"
		 "%s%s%s\r\n", a->path, path, a->field, *a->user ? "Authorization: Basic " : "",
		 a->user, *a->user ? "\r\n" : "");
	return line_send(l, text);
}

/* Until the answer is whole. -ECONNRESET: it is a part. */
static int line_answer(struct line *l, struct response *answer)
{
	char buf[READ_SIZE];
	int r = 0;

	while (!r) {
		ssize_t n = line_receive(l, buf, sizeof(buf));

		if (n < 0)
			return (int)n;
		if (!n)
			return response_end(answer) < 0 ? -ECONNRESET : 0;
		r = response_take(answer, buf, (size_t)n);
		if (!r && clock_read(CLOCK_MONOTONIC) >= l->end)
			r = -ETIMEDOUT;
	}
	return r < 0 ? r : 0;
}

static int line_ask(struct line *l, const struct dial_address *a, const char *path,
		    struct response *answer)
{
	int r = line_open(l, a);

	if (r < 0)
		return r;
	r = line_request(l, a, path);
	if (r < 0 && r != -EPIPE && r != -ECONNRESET)   /* it may say why before it closes */
		return r;
	r = line_answer(l, answer);
	if (!r && l->tls)
		gnutls_bye(l->tls, GNUTLS_SHUT_WR);
	return r;
}

/* ---- what went wrong */

/* Why TLS failed, in the words of GnuTLS. */
static int tls_failed(const struct line *l, const char *url, struct err *err)
{
	gnutls_datum_t text = { NULL, 0 };
	const char *why = gnutls_strerror(l->tls_error);
	int n, r;

	if (l->tls_error == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR &&
	    gnutls_certificate_verification_status_print(
		    gnutls_session_get_verify_cert_status(l->tls), GNUTLS_CRT_X509, &text, 0) >= 0)
		why = (const char *)text.data;
	else if (l->tls_error == GNUTLS_E_FATAL_ALERT_RECEIVED &&
		 gnutls_alert_get_name(gnutls_alert_get(l->tls)))
		why = gnutls_alert_get_name(gnutls_alert_get(l->tls));
	else if (l->tls_error == GNUTLS_E_PUSH_ERROR || l->tls_error == GNUTLS_E_PULL_ERROR ||
		 l->tls_error == GNUTLS_E_PREMATURE_TERMINATION)
		why = "the server closed the connection";
	for (n = (int)strlen(why); n && strchr(". ", why[n - 1]); n--)
		;
	r = err_set(err, -EPROTO, "%s: %.*s; %s --cert and --key if the server asks for a "
		    "certificate", url, n, why, l->shaken ? "try again, with" :
		    "use --cacert to name the authorities to trust, and");
	gnutls_free(text.data);
	return r;
}

/* It answered, in HTTP, and not with 200. */
static int refused(const char *url, unsigned status, struct err *err)
{
	static const struct { unsigned status; const char *what; } known[] = {
		{ 401, "asks for a name and password: write them into the URL, as in "
		       "https://NAME:PASSWORD@HOST" },
		{ 403, "refuses to answer: if that is uncored, add this name of its host to hosts "
		       "in uncored.conf, or use its IP address" },
		{ 503, "is not ready or has too much to do: try again later" },
	};

	for (unsigned i = 0; i < COUNT(known); i++)
		if (known[i].status == status)
			return err_set(err, -EPROTO, "%s %s (status %u); or give uncored's address "
				       "with --url", url, known[i].what, status);
	return err_set(err, -EPROTO, "%s does not answer like uncored (status %u); give uncored's "
		       "address with --url", url, status);
}

/* The sentence for r; 0: its answer is whole and not the one. */
static int failed(const struct line *l, const struct dial_address *a, const char *url, int r,
		  const struct response *answer, struct err *err)
{
	if (l->why)
		return err_set(err, r, "%s cannot be reached: %s; start uncored, or give another "
			       "address with --url", url, l->why);
	if (r == -ETIMEDOUT || r == -ETIME)
		return err_set(err, r, "%s has not answered in %d s; give uncored's address with "
			       "--url", url, r == -ETIME ? PATIENCE_S : ANSWER_S);
	if (r == -EFBIG)
		return err_set(err, r, "%s answers with more than %d MB; give uncored's address "
			       "with --url", url, ANSWER_MAX >> 20);
	if (r == -ENOMEM)
		return err_set(err, r, "out of memory");
	if (!a->file && !a->tls && answer->status != OK && speaks_tls(a))
		return err_set(err, -EPROTO, "%s answers with TLS, not with HTTP: give an address "
			       "with https:// to --url, and --cacert with its authorities", url);
	if (answer->status && r == -ECONNRESET)
		return err_set(err, -EPROTO, "%s closed the connection in the middle of its "
			       "answer; try again, or give uncored's address with --url", url);
	if (l->tls_error)
		return tls_failed(l, url, err);
	if (!r && answer->status != OK)
		return refused(url, answer->status, err);
	return err_set(err, -EPROTO, "%s does not answer like uncored; give uncored's address with "
		       "--url", url);
}

/* Where it is, and with which files. */
static int check_server(const struct http_server *s, struct dial_address *ret, struct err *err)
{
	if (dial_parse(s->url, ret) < 0)
		return err_set(err, -EINVAL, "'%s' is not a valid address; use one like "
			       "http://127.0.0.1:10062, https://HOST:10062 or "
			       "unix:/run/uncored/http", s->url);
	if ((s->cacert || s->cert || s->key) && (!ret->tls || (s->key && !s->cert)))
		return err_set(err, -EINVAL, "--cacert, --cert and --key need a URL that begins "
			       "with https, and --key needs --cert");
	return 0;
}

int http_get(const struct http_server *s, const char *path, char **ret, struct err *err)
{
	AUTO_DONE(line_close) struct line l = { .fd = -1 };
	AUTO_DONE(response_done) struct response answer = { .status = 0 };
	struct dial_address a;
	int r;

	*ret = NULL;
	r = check_server(s, &a, err);
	if (r < 0)
		return r;
	if (a.tls) {
		r = load_files(&l, s, err);
		if (r < 0)
			return r;
	}
	response_init(&answer, ANSWER_MAX);
	strb_add(&answer.body, "");
	l.end = clock_read(CLOCK_MONOTONIC) + ANSWER_S * NSEC_PER_SEC;
	r = line_ask(&l, &a, path, &answer);
	/* a text that ends before its end would be taken for the whole */
	if (r < 0 || answer.status != OK || memchr(answer.body.s, '\0', answer.body.n))
		return failed(&l, &a, s->url, r, &answer, err);
	*ret = strb_take(&answer.body);
	return 0;
}
