/* SPDX-License-Identifier: MIT
 * Certificate and key of tls_server_config, and the certificates that clients are checked by.
 * The input is the three texts, each but the last ended by a byte 0xff; without a third there is no
 * client_ca_file. A text that begins with 0xfe is DER, which is put into PEM form here, so that a
 * changed byte is one of ASN.1 and not of Base64.
 *
 * The keys of the corpus are nobody's: tls_corpus.py made them for this test, and the certificates
 * expired in 2001, but for one that begins in 2400.
 *
 * GnuTLS signs with the key to see whether it belongs to the certificate. With RSA each doubling of
 * the modulus takes six times as long: an input of 2,048 bits 5 ms, of 4,096 bits 30 ms, of 8,192
 * bits 0.2 s. Hence LONGEST, although the daemon reads files of up to 1 MiB. Among 357,077 inputs
 * of at most 4,096 bytes a search found none that takes a second, and no leak in GnuTLS 3.7.
 */
#include "fuzz.h"

#include "http/http.h"

#include <gnutls/abstract.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 8192 };                /* of the texts together: as DER, RSA of 8,192 bits */

static const char *const names[HTTP_TLS_FILES] = { "f:1: cert_file", "f:2: key_file",
						   "f:3: client_ca_file" };
static unsigned errors, warnings;

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* What is said names one of the files, and is a sentence. */
static void say(bool warning, const char *name, const char *text)
{
	bool known = false;

	for (unsigned i = 0; i < HTTP_TLS_FILES; i++)
		known |= name == names[i];
	require(known && text && strchr(text, ' ') && !strchr(text, '\n'));
	*(warning ? &warnings : &errors) += 1;
}

static bool check(const struct http_tls *t)
{
	bool good;

	errors = warnings = 0;
	good = http_tls_check(t, say);
	require(good == !errors);
	return good;
}

static char *in_pem(const char *type, const uint8_t *der, size_t n)
{
	gnutls_datum_t in = { (unsigned char *)(uintptr_t)der, (unsigned)n }, out = { 0 };
	char *text;

	require(gnutls_pem_base64_encode2(type, &in, &out) == 0);
	text = strndup((char *)out.data, out.size);
	gnutls_free(out.data);
	return text;
}

/* The next text, cut at a NUL; free() it. NULL: there is none. */
static char *next_text(const char *type, const uint8_t **data, size_t *n)
{
	const uint8_t *from = *data, *end = *n ? memchr(from, 0xff, *n) : NULL;
	size_t len = end ? (size_t)(end - from) : *n;
	char *text;

	if (!*n)
		return NULL;
	text = *from == 0xfe ? in_pem(type, from + 1, len - 1) : strndup((const char *)from, len);
	require(text);
	*data += len + (end != NULL);
	*n -= len + (end != NULL);
	return text;
}

static gnutls_datum_t datum_of(const char *text)
{
	return (gnutls_datum_t){ (unsigned char *)(uintptr_t)text, (unsigned)strlen(text) };
}

/* What a handshake needs: the first certificate, read alone, verifies what the key signs. That the
 * public key in the private one's file is the certificate's is not needed, nor does GnuTLS ask. */
static void check_accepted(const struct http_tls *t)
{
	gnutls_datum_t cert_text = datum_of(t->text[HTTP_TLS_CERT]),
		key_text = datum_of(t->text[HTTP_TLS_KEY]), signature = { 0 };
	const gnutls_datum_t text = datum_of("signed");
	gnutls_digest_algorithm_t hash;
	gnutls_pcert_st cert;
	gnutls_privkey_t key;

	require(gnutls_pcert_import_x509_raw(&cert, &cert_text, GNUTLS_X509_FMT_PEM, 0) == 0);
	require(gnutls_privkey_init(&key) == 0);
	require(gnutls_privkey_import_x509_raw(key, &key_text, GNUTLS_X509_FMT_PEM, NULL, 0) == 0);
	require(gnutls_pubkey_get_preferred_hash_algorithm(cert.pubkey, &hash, NULL) == 0);
	require(gnutls_privkey_sign_data(key, hash, 0, &text, &signature) == 0);
	require(gnutls_pubkey_verify_data2(cert.pubkey, gnutls_pk_to_sign(
		(gnutls_pk_algorithm_t)gnutls_pubkey_get_pk_algorithm(cert.pubkey, NULL), hash),
		GNUTLS_VERIFY_ALLOW_BROKEN, &text, &signature) >= 0);
	gnutls_free(signature.data);
	gnutls_privkey_deinit(key);
	gnutls_pcert_deinit(&cert);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const types[HTTP_TLS_FILES] = { "CERTIFICATE", "PRIVATE KEY",
							   "CERTIFICATE" };
	char *texts[HTTP_TLS_FILES];
	struct http_tls t = { 0 };
	unsigned errors_before, warnings_before;
	bool good;

	if (n > LONGEST)
		return 0;
	for (unsigned i = 0; i < HTTP_TLS_FILES; i++) {
		texts[i] = next_text(types[i], &data, &n);
		t.text[i] = texts[i] || i == HTTP_TLS_CA ? texts[i] : "";
		t.name[i] = names[i];
	}
	good = check(&t);
	errors_before = errors;
	warnings_before = warnings;
	/* Nothing of the first time is left. */
	require(check(&t) == good && errors == errors_before && warnings == warnings_before);
	if (good)
		check_accepted(&t);
	for (unsigned i = 0; i < HTTP_TLS_FILES; i++)
		free(texts[i]);
	return 0;
}
