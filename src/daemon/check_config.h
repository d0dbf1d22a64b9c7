/* SPDX-License-Identifier: MIT
 * uncored --check-config: every mistake of a configuration, or what it would count.
 *
 * Owns:  what is looked at without counting.
 * Never: the check before a reload (reload_check.h); the sentence about a good one
 *        (check_summary.h).
 * Main thread.
 */
#ifndef DAEMON_CHECK_CONFIG_H
#define DAEMON_CHECK_CONFIG_H

#include "conf/conf.h"
#include "daemon/options.h"

/* Looks at the plan, too, where a processor is known. Takes conf; faulty: it has mistakes that are
 * logged already, and only more of them are looked for. Returns an exit code. */
int check_config(const struct options *o, struct conf *conf, bool faulty);

#endif
