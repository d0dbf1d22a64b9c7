/* SPDX-License-Identifier: MIT
 * What serves: the http process, where it listens, its certificates, and the spawner.
 *
 * Owns:  the order in which these begin and end, and in which this process gives up what it needs
 *        for them.
 * Never: what is counted; how a process lives (children/).
 * Main thread.
 */
#ifndef DAEMON_FRONT_H
#define DAEMON_FRONT_H

#include "children/supervisor.h"
#include "daemon/certs.h"
#include "daemon/options.h"
#include "daemon/pause_socket.h"

struct front {
	struct listeners listeners;
	struct supervisor http;
	struct pause_socket pause;
	struct certs certs;             /* that are in use */
	int r;                          /* an error, to be logged after the mistakes of the
	                                 * configuration; */
	struct err err;                 /* its sentence */
};

/* Starts the http process, which loads its libraries while this one plans. Nothing, unless uncored
 * is to run. */
void front_start(struct front *f, const struct options *o);
/* Gives it certificates and listening sockets. Afterwards this process executes nothing. */
void front_open(struct front *f, const struct options *o, const struct conf *conf);
/* Other certificates, which it takes, are used in place of those before. */
void front_take_certs(struct front *f, struct certs *certs);
/* To be called once a second or more often: replaces an http process that hangs, or whose
 * certificate has changed. */
void front_check(struct front *f, const struct conf *conf);
void front_close(struct front *f);

#endif
