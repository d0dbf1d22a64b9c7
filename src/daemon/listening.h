/* SPDX-License-Identifier: MIT
 * Where the configuration and the command line want to be served.
 *
 * Owns:  which of both holds; the numbers of the owners that the configuration names.
 * Never: a socket (children/listen.h).
 * Main thread.
 */
#ifndef DAEMON_LISTENING_H
#define DAEMON_LISTENING_H

#include "children/listen.h"
#include "conf/conf.h"
#include "daemon/options.h"

/* Finds the numbers of owner and groups; each that this machine does not know is a mistake:
 * -EINVAL. */
int listening_names(struct conf *c, struct diags *d);
/* What both ask for; borrows from both. */
struct listen_wanted listening_wanted(const struct options *o, const struct conf *conf);
/* Names each socket file whose directory is missing, except below /run, where systemd makes
 * directories at the boot and at the start. No mistake: others can be made until then, too. */
void listening_log_missing(const struct conf *conf);

#endif
