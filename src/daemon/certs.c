/* SPDX-License-Identifier: MIT */
#include "daemon/certs.h"

#include "base/bits.h"
#include "conf/key.h"
#include "daemon/http_process.h"
#include "process/log.h"
#include "process/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

void certs_close(struct certs *c)
{
	if (c->fd >= 0)
		close(c->fd);
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

int certs_open(const struct conf_tls *conf, struct certs *ret)
{
	char names[CONF_TLS_FILES][256] = { "" }, *texts[CONF_TLS_FILES] = { NULL };
	struct iovec parts[1 + 2 * CONF_TLS_FILES] = {
		{ (void *)(conf->min_version == CONF_TLS13 ? "1.3" : "1.2"), 4 } };
	struct certs_source source = certs_stat(conf);
	struct certs c = { -1, source, source, false };
	struct err err = { "" }, unread;
	bool given = false;
	int r = 0, k;

	for (unsigned i = 0; i < CONF_TLS_FILES; i++) {
		const char *text = "", *path = conf->path[i];
		size_t n = 0;

		if (path)
			snprintf(names[i], sizeof(names[i]), "%s:%u: %s", conf->where[i].file,
				 conf->where[i].line, conf_tls.keys[i].name);
		if (path && conf_file_read(path, &texts[i], &n, &unread) < 0) {
			log_msg(LOG_ERR, "%s: %s", names[i], unread.text);
			names[i][0] = '\0';     /* the others are looked at all the same */
			r = -EINVAL;
		} else if (path) {
			given = true;
			texts[i][n] = '\0';
			text = texts[i];
		}
		parts[1 + 2 * i] = (struct iovec){ names[i], strlen(names[i]) + 1 };
		parts[2 + 2 * i] = (struct iovec){ (void *)text, strlen(text) + 1 };
	}
	c.fd = wire_seal("uncored-tls", parts, COUNT(parts));
	k = c.fd < 0 ? err_set(&err, c.fd, "cannot create shared memory for the certificate and "
			       "key: %s", strerror(-c.fd)) :
	    given ? http_process_check(c.fd, &err) : 0;
	r = r < 0 ? r : k;
	for (unsigned i = 0; i < CONF_TLS_FILES; i++) {
		if (texts[i])
			explicit_bzero(texts[i], strlen(texts[i]));
		free(texts[i]);
	}
	if (err.text[0])
		log_msg(LOG_ERR, "%s", err.text);
	if (r < 0)
		certs_close(&c);
	*ret = c;
	return r;
}

bool certs_renew(struct certs *c, const struct conf_tls *conf, struct certs *ret)
{
	struct certs_source now = certs_stat(conf);
	bool due = c->changes;
	int r;

	c->changes = memcmp(&now, &c->seen, sizeof(now)) != 0;
	c->seen = now;
	if (!due || c->changes)
		return false;
	r = certs_open(conf, ret);
	log_msg(r < 0 ? LOG_ERR : LOG_INFO, r < 0 ?
		"the new certificate was refused; the old one stays in use" :
		"the certificate was reloaded");
	return r == 0;
}
