/* SPDX-License-Identifier: MIT
 * The listening sockets: bound before any register is touched, or passed by systemd.
 *
 * Main thread, at start.
 */
#ifndef DAEMON_LISTEN_H
#define DAEMON_LISTEN_H

#include "conf/conf.h"
#include "daemon/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define LISTEN_TEXT_MAX 120     /* a socket file's path has at most 107 bytes */

/* Which file a socket file is, whatever stands under its name. */
struct listener_file {
	dev_t dev;
	ino_t ino;
};

struct listeners {
	int fds[WIRE_LISTENERS_MAX];
	unsigned n;
	enum { LISTEN_CONFIGURED, LISTEN_OPTION, LISTEN_PASSED } from;
	/* as written; not of LISTEN_PASSED */
	char configured[WIRE_LISTENERS_MAX][LISTEN_TEXT_MAX];
	struct conf_permission permission;      /* of socket files */
	struct listener_file files[WIRE_LISTENERS_MAX];         /* of those that we made */
	struct sockaddr_storage at[WIRE_LISTENERS_MAX];         /* with the port really bound */
	socklen_t at_len[WIRE_LISTENERS_MAX];
	uint64_t options[WIRE_LISTENERS_MAX];                   /* socket_options() */
	/* "http://127.0.0.1:10062/" with the port really bound, or "unix:/PATH" */
	char urls[WIRE_LISTENERS_MAX][LISTEN_TEXT_MAX];
};

/* Finds the numbers of owner and group; each that this machine does not know is a mistake. */
int listeners_names(struct conf_socket *s, struct diags *d);
int listeners_open(const struct options *o, const struct conf *conf, struct listeners *ret,
		   struct err *err);
/* Makes the URLs again: are addresses served with TLS? */
void listeners_urls(struct listeners *l, bool tls);
/* Names each socket file whose directory is missing, except below /run, where systemd makes
 * directories at the boot and at the start. No mistake: others can be made until then, too. */
void listeners_log_missing(const struct conf *conf);
/* Do all of them still listen? */
bool listeners_alive(const struct listeners *l);
/* Before another http process gets them: makes anew each socket that does not listen any more, or
 * on which something was set. A compromised http process can do that for all that hold the socket,
 * where its filter does not. One that systemd passed listens again; what cannot be mended is
 * logged. Returns how many there were, or -errno with a sentence. */
int listeners_reopen(struct listeners *l, struct err *err);
/* The key, and its line, with which a configuration read later asks for other sockets; they stay as
 * they are until a restart. NULL: it asks for these. */
const char *listeners_differ(const struct listeners *l, const struct conf *conf, struct where *at);
/* Removes its socket files, too, but none that is another program's by now. */
void listeners_close(struct listeners *l);

#endif
