/* SPDX-License-Identifier: MIT
 * What is set in a session of GnuTLS, and what is wrong with certificate and key; see tls.h.
 * Owns:  versions and ciphers, the sentence for each mistake in these files.
 * Never: where the files are (daemon/certs.c).
 * The http child's one thread.
 */
#include "http/tls.h"

#include "base/cleanup.h"

#include <gnutls/x509.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Forward secrecy and AEAD only. Without finite-field groups, whose handshakes cost most. */
#define PRIORITY(more) "NORMAL:-VERS-ALL:+VERS-TLS1.3" more ":-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:" \
	"-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM:+CHACHA20-POLY1305:-GROUP-ALL:+GROUP-X25519:" \
	"+GROUP-SECP256R1:+GROUP-SECP384R1:%SERVER_PRECEDENCE"

const char *tls_priority(const struct http_tls *t)
{
	return t->only_13 ? PRIORITY("") : PRIORITY(":+VERS-TLS1.2");
}

/*
 * gnutls_global_init - stands in the place of the library's own
 *
 * GnuTLS initialises itself as it is loaded, unless GNUTLS_NO_IMPLICIT_INIT is 1. So uncored starts
 * a process that serves without TLS (children/spawner.c): the self-tests of ciphers and the lists
 * behind them are half of what GnuTLS takes of memory. libmicrohttpd asks once more as it is
 * loaded, with TLS or without, and finds this one.
 */
int gnutls_global_init(void)
{
	return 0;
}

/* The client's Finished is the last message of a handshake. */
static int on_finished(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
		       const gnutls_datum_t *message)
{
	(void)type, (void)when, (void)message;
	if (incoming)
		*(bool *)gnutls_db_get_ptr(session) = false;
	return 0;
}

void tls_begin(const struct http_tls *t, struct MHD_Connection *mc, bool *shaking)
{
	static char purpose[] = GNUTLS_KP_TLS_WWW_CLIENT;
	static gnutls_typed_vdata_st client = { GNUTLS_DT_KEY_PURPOSE_OID,
						(unsigned char *)purpose, 0 };
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mc, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	gnutls_session_t session = info ? info->tls_session : NULL;

	if (!session)
		return;
	*shaking = true;
	gnutls_db_set_ptr(session, shaking);    /* there is no cache of sessions */
	gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST,
					   on_finished);
	if (!t->text[HTTP_TLS_CA])
		return;
	gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
	gnutls_session_set_verify_cert2(session, &client, 1, 0);
}

bool tls_send_last(struct MHD_Connection *mc, int fd, const char *bytes, size_t n)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mc, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	gnutls_session_t session = info ? info->tls_session : NULL;

	bool sent;

	if (session) {
		sent = gnutls_record_send(session, bytes, n) == (ssize_t)n;
		gnutls_bye(session, GNUTLS_SHUT_WR);
	} else {
		sent = send(fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n;
	}
	shutdown(fd, SHUT_WR);
	return sent;
}

/* ---- what is wrong with them */

static gnutls_datum_t pem_of(const struct http_tls *t, unsigned file)
{
	return (gnutls_datum_t){ (unsigned char *)(uintptr_t)t->text[file],
				 (unsigned)strlen(t->text[file]) };
}

/* A wrong clock must not stop the counting, so that dates are only warned of. */
static void check_dates(const char *name, gnutls_x509_crt_t cert, http_tls_say say)
{
	time_t now = time(NULL), from = gnutls_x509_crt_get_activation_time(cert),
		to = gnutls_x509_crt_get_expiration_time(cert);
	char text[120];
	struct tm tm;

	strftime(text, sizeof(text), to < now ?
		 "the certificate expired on %F and clients refuse it: renew it" :
		 "the certificate is not valid before %F and clients refuse it: renew it",
		 gmtime_r(to < now ? &to : &from, &tm));
	if (now < from || to < now)
		say(true, name, text);
}

struct certificates {
	gnutls_x509_crt_t *v;           /* NULL: none */
	unsigned n;
};

static void certificates_done(struct certificates *c)
{
	for (unsigned i = 0; c->v && i < c->n; i++)
		gnutls_x509_crt_deinit(c->v[i]);
	gnutls_free(c->v);
}

static int check_certificates(const char *name, const gnutls_datum_t *pem, http_tls_say say)
{
	AUTO_DONE(certificates_done) struct certificates all = { 0 };
	int r = gnutls_x509_crt_list_import2(&all.v, &all.n, pem, GNUTLS_X509_FMT_PEM, 0);

	if (r < 0) {
		all.n = 0;                      /* none of them was made */
		return r;
	}
	if (!all.n)
		return GNUTLS_E_NO_CERTIFICATE_FOUND;
	check_dates(name, all.v[0], say);
	return r;
}

static void free_key(gnutls_x509_privkey_t *key)
{
	gnutls_x509_privkey_deinit(*key);
}

/* The variant with a password also tries an old form, and GnuTLS 3.7 reads behind its end then. */
static int check_key(const gnutls_datum_t *pem)
{
	AUTO_DONE(free_key) gnutls_x509_privkey_t key = NULL;
	int r = gnutls_x509_privkey_init(&key);

	return r < 0 ? r : gnutls_x509_privkey_import(key, pem, GNUTLS_X509_FMT_PEM);
}

/* With a file of which no key or certificate can be read. */
static const char *whats_wrong(const char *text, bool is_key)
{
	if (is_key && strstr(text, "ENCRYPTED"))
		return "the key is encrypted, and a service cannot ask for the password: decrypt "
		       "the file with openssl pkey";
	if (strstr(text, is_key ? "PRIVATE KEY-----" : "-----BEGIN CERTIFICATE-----"))
		return "the file is truncated or damaged: copy it again";
	if (is_key)
		return "the file contains no private key in PEM form (-----BEGIN PRIVATE "
		       "KEY-----)";
	return "the file contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)";
}

static bool check_file(const struct http_tls *t, unsigned file, http_tls_say say)
{
	const char *text = t->text[file];
	gnutls_datum_t pem = pem_of(t, file);
	bool is_key = file == HTTP_TLS_KEY;

	if ((is_key ? check_key(&pem) : check_certificates(t->name[file], &pem, say)) >= 0)
		return true;
	say(false, t->name[file], whats_wrong(text, is_key));
	return false;
}

/* GnuTLS 3.7 does not compare keys of EdDSA. */
static int check_pair(gnutls_certificate_credentials_t both)
{
	AUTO_DONE(certificates_done) struct certificates certs = { 0 };
	AUTO_DONE(free_key) gnutls_x509_privkey_t key = NULL;
	unsigned char public[32], private[32];      /* SHA-256 of each public key */
	size_t n = sizeof(public), m = sizeof(private);
	int r = gnutls_certificate_get_x509_key(both, 0, &key);

	if (r < 0)
		return r;
	r = gnutls_certificate_get_x509_crt(both, 0, &certs.v, &certs.n);
	if (r < 0)
		return r;
	r = gnutls_x509_privkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, private, &m);
	if (r < 0)
		return r;
	r = gnutls_x509_crt_get_key_id(certs.v[0], GNUTLS_KEYID_USE_SHA256, public, &n);
	if (r < 0)
		return r;
	return memcmp(public, private, sizeof(public)) ? GNUTLS_E_CERTIFICATE_KEY_MISMATCH : 0;
}

static void free_credentials(gnutls_certificate_credentials_t *c)
{
	if (*c)
		gnutls_certificate_free_credentials(*c);
}

/* As libmicrohttpd will give them to GnuTLS. */
static int check_pems(const gnutls_datum_t *cert, const gnutls_datum_t *key)
{
	AUTO_DONE(free_credentials) gnutls_certificate_credentials_t both = NULL;
	int r = gnutls_certificate_allocate_credentials(&both);

	if (r < 0)
		return r;
	r = gnutls_certificate_set_x509_key_mem(both, cert, key, GNUTLS_X509_FMT_PEM);
	return r < 0 ? r : check_pair(both);
}

static bool check_both(const struct http_tls *t, http_tls_say say)
{
	gnutls_datum_t cert = pem_of(t, HTTP_TLS_CERT), key = pem_of(t, HTTP_TLS_KEY);
	int r = check_pems(&cert, &key);

	if (r < 0)
		say(false, t->name[HTTP_TLS_KEY], r == GNUTLS_E_CERTIFICATE_KEY_MISMATCH ?
		    "the key does not belong to the certificate in cert_file" : gnutls_strerror(r));
	return r >= 0;
}

bool http_tls_check(const struct http_tls *t, http_tls_say say)
{
	bool good = MHD_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES;

	if (!good)
		say(false, t->name[HTTP_TLS_CERT], "this machine's libmicrohttpd was built without "
		    "TLS: install one with TLS, or use a proxy");
	for (unsigned i = 0; i < HTTP_TLS_FILES; i++)
		good &= !t->text[i] || check_file(t, i, say);
	return good && (!t->text[HTTP_TLS_CERT] || !t->text[HTTP_TLS_KEY] || check_both(t, say));
}
