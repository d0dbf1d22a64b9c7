/* SPDX-License-Identifier: MIT */
#include "daemon/certs.h"

#include "base/bits.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "conf/key.h"
#include "process/log.h"
#include "process/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* How long nobody writes to files that are complete: a look at them each second, which may be late,
 * finds them so a second time. */
#define QUIET (900 * NSEC_PER_MSEC)

void certs_close(struct certs *c)
{
	if (c->tls.fd >= 0)
		close(c->tls.fd);
	*c = CERTS_NONE;
}

static struct certs_source certs_stat(const struct conf_tls *conf)
{
	struct certs_source s = { .min_version = conf->min_version,
				  .tls = conf->path[CONF_TLS_CERT] != NULL,
				  .asks = conf->client_auth == CONF_TLS_VERIFY };
	struct stat st;

	for (unsigned i = 0; i < CONF_TLS_FILES; i++)
		if (conf->path[i] && stat(conf->path[i], &st) == 0)
			s.files[i] = (struct certs_file){ st.st_dev, st.st_ino, st.st_mtim,
							  st.st_ctim };
	return s;
}

/* The bytes of each file of conf, and its name in messages. */
struct texts {
	/* "", NULL: there is none */
	char names[CONF_TLS_FILES][256], *bytes[CONF_TLS_FILES];
};

static void texts_done(struct texts *t)
{
	for (unsigned i = 0; i < CONF_TLS_FILES; i++) {
		if (t->bytes[i])
			explicit_bzero(t->bytes[i], strlen(t->bytes[i]));
		free(t->bytes[i]);
	}
}

/* A file that cannot be read is logged, and the others are looked at all the same: then -EINVAL. */
static int texts_read(const struct conf_tls *conf, struct texts *t)
{
	int r = 0;

	for (unsigned i = 0; i < CONF_TLS_FILES; i++) {
		char name[sizeof(t->names[i])];
		struct err unread;
		size_t n = 0;

		if (!conf->path[i])
			continue;
		snprintf(name, sizeof(name), "%s:%u: %s", conf->where[i].file, conf->where[i].line,
			 conf_tls.keys[i].name);
		if (conf_file_read(conf->path[i], &t->bytes[i], &n, &unread) < 0) {
			log_msg(LOG_ERR, "%s: %s", name, unread.text);
			r = -EINVAL;
			continue;
		}
		memcpy(t->names[i], name, sizeof(name));
		t->bytes[i][n] = '\0';
	}
	return r;
}

/* As the http process takes it, see wire.h. */
static int texts_seal(const struct conf_tls *conf, const struct texts *t)
{
	const char *version = conf->min_version == CONF_TLS13 ? "1.3" : "1.2";
	struct iovec parts[1 + 2 * CONF_TLS_FILES] = { { (void *)version, strlen(version) + 1 } };

	for (unsigned i = 0; i < CONF_TLS_FILES; i++) {
		const char *name = t->names[i], *bytes = t->bytes[i] ? t->bytes[i] : "";

		parts[1 + 2 * i] = (struct iovec){ (void *)name, strlen(name) + 1 };
		parts[2 + 2 * i] = (struct iovec){ (void *)bytes, strlen(bytes) + 1 };
	}
	return wire_seal("uncored-tls", parts, COUNT(parts));
}

static bool texts_any(const struct texts *t)
{
	for (unsigned i = 0; i < CONF_TLS_FILES; i++)
		if (t->bytes[i])
			return true;
	return false;
}

/* Sealed memory with them, which is good. Returns its descriptor, or -errno. */
static int seal_good(const struct conf_tls *conf, const struct texts *texts, struct err *err)
{
	AUTO_FD int fd = texts_seal(conf, texts);
	int r;

	if (fd < 0)
		return err_set(err, fd, "cannot create shared memory for the certificate and key: "
			       "%s", strerror(-fd));
	if (!texts_any(texts))
		return TAKE_FD(fd);
	r = http_process_check(fd, err);
	return r < 0 ? r : TAKE_FD(fd);
}

int certs_open(const struct conf_tls *conf, struct certs *ret)
{
	struct certs_source source = certs_stat(conf);
	AUTO_DONE(texts_done) struct texts texts = { 0 };
	int unread = texts_read(conf, &texts);
	struct err err = { "" };
	AUTO_FD int fd = seal_good(conf, &texts, &err);         /* also of those that could be
	                                                         * read */

	*ret = CERTS_NONE;
	if (err.text[0])
		log_msg(LOG_ERR, "%s", err.text);
	if (fd < 0)
		return fd;
	if (unread < 0)
		return unread;
	*ret = (struct certs){ .tls = { .fd = TAKE_FD(fd), .used = source.tls,
					.asks = source.asks },
			       .read = source, .seen = source };
	return 0;
}

bool certs_renew(struct certs *c, const struct conf_tls *conf, struct certs *ret)
{
	nsec now = clock_read(CLOCK_MONOTONIC);
	struct certs_source files = certs_stat(conf);
	int r;

	if (memcmp(&files, &c->seen, sizeof(files)) != 0) {
		c->seen = files;
		c->changed_at = now;
	}
	if (!c->changed_at || now - c->changed_at < QUIET)
		return false;
	c->changed_at = 0;
	r = certs_open(conf, ret);
	if (r < 0)
		log_msg(LOG_ERR, "the new certificate was refused; the old one stays in use");
	else
		log_msg(LOG_INFO, "the certificate was reloaded");
	return r == 0;
}
