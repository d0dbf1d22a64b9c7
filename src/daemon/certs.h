/* SPDX-License-Identifier: MIT
 * Certificate and key of tls_server_config: read here, used by the http process alone.
 *
 * Owns:  reading them, the sealed memory in which they are handed over, whether the files changed.
 * Never: what is in them: a process without privileges says what is wrong (http_process_check()).
 * Main thread.
 */
#ifndef DAEMON_CERTS_H
#define DAEMON_CERTS_H

#include "children/http_process.h"
#include "conf/conf.h"

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* What is read, and from which files. */
struct certs_source {
	struct certs_file {
		dev_t dev;
		ino_t ino;
		struct timespec mtime, ctime;
	} files[CONF_TLS_FILES];        /* all zero: there is none */
	uint64_t min_version, tls;      /* tls: is there any */
	uint64_t asks;                  /* clients for a certificate */
};

struct certs {
	struct http_tls tls;            /* the memory is ours */
	struct certs_source read, seen; /* as they were read; at the last look */
	nsec changed_at;                /* when `seen` was new; 0: that was read */
};
#define CERTS_NONE ((struct certs){ .tls.fd = -1 })

/* Also of a configuration that has none. On failure *ret is CERTS_NONE, and every mistake is
 * logged. */
int certs_open(const struct conf_tls *conf, struct certs *ret);
void certs_close(struct certs *c);
/* To be called each second or more often: have the files changed, and then not for about a second?
 * Whoever writes two files is then done with both. True: others were read, see certs_open(). */
bool certs_renew(struct certs *c, const struct conf_tls *conf, struct certs *ret);

#endif
