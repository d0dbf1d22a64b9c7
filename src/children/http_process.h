/* SPDX-License-Identifier: MIT
 * The http process, uncored-http, as its parent sees it.
 *
 * Owns:  its start and end, what it is given first.
 * Never: what it does (serve/), when it is started again (supervisor.h), how a program is executed
 *        (spawner.h).
 * Main thread.
 *
 * libmicrohttpd brings TLS along (nine libraries, half of the loader's time, 2 MiB), libsystemd
 * what reads journals (seven). Each program loads its own alone, and one is loaded while the other
 * plans: this one is spawned before the configuration is read, and gets its listening sockets
 * later. It goes to another CPU at once: both would share one until the kernel's next balance, up
 * to 4 ms of a start that takes 5.
 */
#ifndef CHILDREN_HTTP_PROCESS_H
#define CHILDREN_HTTP_PROCESS_H

#include "base/err.h"
#include "children/http_log.h"

#include <stdbool.h>
#include <sys/types.h>

struct http_process {
	pid_t pid;                  /* 0: there is none */
	int sock;                   /* our end of the socketpair, -1: none */
	struct http_log log;        /* what it says */
};
/* Certificate and key, as it gets them. */
struct http_tls {
	int fd;                     /* the memory, see wire.h; -1: not read yet */
	bool used;                  /* is there any */
	bool asks;                  /* clients for a certificate */
};

#define HTTP_PROCESS_NONE ((struct http_process){ 0, -1, HTTP_LOG_NONE })

/* tls: it will be sent a certificate. Otherwise it has not prepared for one, and none is used. */
int http_process_start(bool tls, struct http_process *ret, struct err *err);
/* Sends it, once, certificate and key (see wire.h) and the sockets on which it listens, 1 to
 * WIRE_LISTENERS_MAX; copied. It answers no request before it has a plan, too. If the process has
 * ended meanwhile that is no error here: supervisor.c notices it. */
int http_process_send_listeners(const struct http_process *child, int tls, const int *fds,
				unsigned n, struct err *err);
/* Starts one for nothing but to look at certificate and key, and waits for its end. -EINVAL: it has
 * logged what is wrong with them; else -errno with a sentence. */
int http_process_check(int tls, struct err *err);
/* Has its loop turned since the last call? It sends one byte a second for that, of any value. */
bool http_process_beats(const struct http_process *child);
/* It ends at EOF; waits for that. Returns its exit code as a shell has it. */
int http_process_end(struct http_process *c);

#endif
