/* SPDX-License-Identifier: MIT
 * The socket file in the run directory on which a pause is asked for.
 *
 * Owns:  the file, and who may use it: root, and the group that the configuration names.
 * Never: what is done about who connects (pause.h).
 * Main thread.
 */
#ifndef DAEMON_PAUSE_SOCKET_H
#define DAEMON_PAUSE_SOCKET_H

#include "children/listen.h"
#include "conf/conf.h"

struct pause_socket {
	int fd;                         /* -1: there is none */
	char path[LISTEN_TEXT_MAX];
	struct listener_file file;
	unsigned group;                 /* who should, beside root; -1: nobody */
	bool forbidden;
};

/* Listens in the run directory, unless the configuration forbids it. A file that cannot be given to
 * the group is root's alone, with a warning. Where there can be none there is no pause, which is
 * logged if the configuration has the key. Before privileges are reduced. */
void pause_socket_open(struct pause_socket *s, const char *run, const struct conf_pause *conf);
/* Does another configuration want another one? It stays as it is until a restart. */
bool pause_socket_differs(const struct pause_socket *s, const struct conf_pause *conf);
void pause_socket_close(struct pause_socket *s);

#endif
