/* SPDX-License-Identifier: MIT
 * The listening sockets: bound before any register is touched, or passed by systemd.
 *
 * Owns:  these sockets and socket files, how they are made and made anew.
 * Never: who is answered on them; which configuration asks for them.
 * Main thread.
 */
#ifndef CHILDREN_LISTEN_H
#define CHILDREN_LISTEN_H

#include "base/err.h"
#include "process/wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define LISTEN_TEXT_MAX 120     /* a socket file's path has at most 107 bytes */

/* Mode and owner of socket files. */
struct listen_permission {
	unsigned mode;                  /* of chmod() */
	unsigned owner, group;          /* -1: those of this process */
};

/* What is asked for, by a configuration or by --listen. */
struct listen_wanted {
	const char *const *addresses;   /* address_parse() accepts them */
	unsigned n;
	bool given;                     /* false: these are the default, and sockets that systemd
	                                 * passes may be others */
	bool option;                    /* of --listen: in no file, and no reload changes them */
	bool tls;
	struct listen_permission permission;
	struct where where, permission_where;
};

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
	struct listen_permission permission;
	struct listener_file files[WIRE_LISTENERS_MAX];         /* of those that we made */
	struct sockaddr_storage at[WIRE_LISTENERS_MAX];         /* with the port really bound */
	socklen_t at_len[WIRE_LISTENERS_MAX];
	uint64_t options[WIRE_LISTENERS_MAX];                   /* socket_options() */
	/* "http://127.0.0.1:10062/" with the port really bound, or "unix:/PATH" */
	char urls[WIRE_LISTENERS_MAX][LISTEN_TEXT_MAX];
};

/* A listening socket file that is none of these: a descriptor, or -errno with a sentence. */
int listen_file_open(const char *path, const struct listen_permission *p,
		     struct listener_file *ret, struct err *err);
/* Removes a socket file, unless the name is another program's by now. */
void listen_file_remove(const char *path, const struct listener_file *file);
int listeners_open(const struct listen_wanted *wanted, struct listeners *ret, struct err *err);
/* Makes the URLs again: are addresses served with TLS? */
void listeners_urls(struct listeners *l, bool tls);
/* Do all of them still listen? */
bool listeners_alive(const struct listeners *l);
/* Before another http process gets them: makes anew each socket that does not listen any more, or
 * on which something was set. A compromised http process can do that for all that hold the socket,
 * where its filter does not. One that systemd passed listens again; what cannot be mended is
 * logged. Returns how many there were, or -errno with a sentence. */
int listeners_reopen(struct listeners *l, struct err *err);
/* The key, and its line, with which a configuration read later asks for other sockets; they stay as
 * they are until a restart. NULL: it asks for these. */
const char *listeners_differ(const struct listeners *l, const struct listen_wanted *wanted,
			     struct where *at);
/* Removes its socket files, too, but none that is another program's by now. */
void listeners_close(struct listeners *l);

#endif
