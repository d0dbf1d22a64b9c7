/* listen.h - the listening sockets: bound before any register is touched, or passed by systemd.
 *
 * Main thread, at start.
 */
#ifndef DAEMON_LISTEN_H
#define DAEMON_LISTEN_H

#include "conf/conf.h"
#include "daemon/options.h"

struct listeners {
	int fds[OPTIONS_LISTEN_MAX];
	unsigned n;
	char urls[OPTIONS_LISTEN_MAX][80];      /* "http://127.0.0.1:10062/" with the port really bound */
};

int listeners_open(const struct options *o, const struct conf *conf, struct listeners *ret, struct err *err);
void listeners_close(struct listeners *l);

#endif
