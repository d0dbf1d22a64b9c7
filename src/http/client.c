/* SPDX-License-Identifier: MIT */
#include "http/client.h"

#include "base/printable.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ANSWER_S: uncored gives a request 10 s. */
enum { PATIENCE_S = 5, ANSWER_S = 12, ANSWER_MAX = 64 << 20, URL_MAX = 512 };

/* What comes, up to ANSWER_MAX bytes: chunks do not say how many there will be. */
struct answer {
	FILE *f;
	size_t n;
};

static size_t take_bytes(char *bytes, size_t size, size_t n, void *p)
{
	struct answer *a = p;

	a->n += size * n;
	return a->n > ANSWER_MAX ? 0 : fwrite(bytes, size, n, a->f) * size;
}

/* How libcurl is to ask, and for what. False: that is no address. */
static bool prepare(CURL *c, const struct http_server *s, const char *path, struct answer *answer)
{
	const bool file = strncmp(s->url, "unix:/", 6) == 0;
	const char *base = file ? "http://localhost" : s->url;
	size_t n = strlen(base);
	char url[URL_MAX];

	if (!file && strncmp(s->url, "http://", 7) != 0 && strncmp(s->url, "https://", 8) != 0)
		return false;
	if (file)
		curl_easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH, s->url + strlen("unix:"));
	snprintf(url, sizeof(url), "%.*s%s", (int)(n - (base[n - 1] == '/')), base, path);
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, answer);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)ANSWER_S);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)PATIENCE_S);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)PATIENCE_S);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
	if (s->cacert)
		curl_easy_setopt(c, CURLOPT_CAINFO, s->cacert);
	curl_easy_setopt(c, CURLOPT_SSLCERT, s->cert);
	curl_easy_setopt(c, CURLOPT_SSLKEY, s->key ? s->key : s->cert);
	return true;
}

/* Does TLS answer where it was asked without? Nothing is verified, and nothing is asked there. */
static bool speaks_tls(const struct http_server *s)
{
	CURL *c = curl_easy_init();
	char url[1024];
	bool does = false;

	if (c && snprintf(url, sizeof(url), "https%s", s->url + strlen("http")) <
	    (int)sizeof(url)) {
		curl_easy_setopt(c, CURLOPT_URL, url);
		curl_easy_setopt(c, CURLOPT_CONNECT_ONLY, 1L);
		curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 0L);
		curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)PATIENCE_S);
		curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
		curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
		does = curl_easy_perform(c) == CURLE_OK;
	}
	curl_easy_cleanup(c);
	return does;
}

/* The sentence for what libcurl says. */
static int failed(CURL *c, const struct http_server *s, CURLcode r, const char *why,
		  struct err *err)
{
	long code = 0;          /* of errno */
	char text[2 * CURL_ERROR_SIZE];         /* it may quote the server */

	curl_easy_getinfo(c, CURLINFO_OS_ERRNO, &code);
	printable_escape(*why ? why : curl_easy_strerror(r), text, sizeof(text));
	why = text;
	if (r == CURLE_COULDNT_CONNECT || r == CURLE_COULDNT_RESOLVE_HOST)
		return err_set(err, -EHOSTUNREACH, "%s cannot be reached: %s; start uncored, or "
			       "give another address with --url", s->url,
			       code ? strerror((int)code) : why);
	if (r == CURLE_OPERATION_TIMEDOUT)
		return err_set(err, -ETIMEDOUT, "%s has not answered in %d s; give uncored's "
			       "address with --url", s->url, ANSWER_S);
	if (r == CURLE_WRITE_ERROR)
		return err_set(err, -EFBIG, "%s answers with more than %d MB; give uncored's "
			       "address with --url", s->url, ANSWER_MAX >> 20);
	if (strncmp(s->url, "http:", 5) == 0 && speaks_tls(s))
		return err_set(err, -EPROTO, "%s answers with TLS, not with HTTP: give an address "
			       "with https:// to --url, and --cacert with its authorities", s->url);
	if (r == CURLE_OK || strncmp(s->url, "https:", 6) != 0)
		return err_set(err, -EPROTO, "%s does not answer like uncored; give uncored's "
			       "address with --url", s->url);
	return err_set(err, -EPROTO, "%s: %s; use --cacert to name the authorities to trust, and "
		       "--cert and --key if the server asks for a certificate", s->url, why);
}

static int ask(CURL *c, const struct http_server *s, const char *path, struct answer *answer,
	       struct err *err)
{
	char why[CURL_ERROR_SIZE] = "";
	long code = 0;
	CURLcode r;

	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, why);
	if (!prepare(c, s, path, answer))
		return err_set(err, -EINVAL, "'%s' is not a valid address; use one like "
			       "http://127.0.0.1:10062, https://HOST:10062 or "
			       "unix:/run/uncored/http", s->url);
	if ((s->cacert || s->cert || s->key) &&
	    (strncmp(s->url, "https:", 6) != 0 || (s->key && !s->cert)))
		return err_set(err, -EINVAL, "--cacert, --cert and --key need a URL that begins "
			       "with https, and --key needs --cert");
	r = curl_easy_perform(c);
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &code);
	return r == CURLE_OK && code == 200 ? 0 : failed(c, s, r, why, err);
}

int http_get(const struct http_server *s, const char *path, char **ret, struct err *err)
{
	CURL *c = curl_easy_init();
	size_t n = 0;
	FILE *answer;
	int r;

	*ret = NULL;
	answer = open_memstream(ret, &n);
	if (c && answer)
		r = ask(c, s, path, &(struct answer){ answer, 0 }, err);
	else
		r = err_set(err, -ENOMEM, "out of memory");
	curl_easy_cleanup(c);
	if (answer && fclose(answer) < 0)
		r = err_set(err, -ENOMEM, "out of memory");
	if (r < 0) {
		free(*ret);
		*ret = NULL;
	}
	return r;
}
