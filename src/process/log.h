/* SPDX-License-Identifier: MIT
 * Messages for the operator: the journal if stderr is the journal, else stderr.
 *
 * Owns:  where messages go and how loud; those that are lost.
 * Never: stdout, which carries data only; waiting for a reader who does not read.
 * Any thread; but for log_trace(), only the main thread has reason to.
 */
#ifndef PROCESS_LOG_H
#define PROCESS_LOG_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <syslog.h>

/* Once, before the first message: whether stderr is the journal, a terminal or a pipe, none of
 * which is waited for. */
void log_init(void);
/* Of uncored-http: lines are for its parent's log, which says whose they are: "<3>" or another
 * priority, and the text. */
void log_to_parent(void);
/* "err", "warning", "notice", "info" (default), "debug"; -EINVAL otherwise. */
int log_set_level(const char *name);
/* Would a message of this priority be seen? */
bool log_shows(int priority);
/* socket: physical package id, for "socket N: " before the text and for the field UNCORED_SOCKET;
 * -1: none. */
void log_socket(int priority, int socket, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define log_msg(priority, ...) log_socket(priority, -1, __VA_ARGS__)
/* For lines of register accesses: to standard error, also where messages go to the journal. NULL:
 * no memory. */
FILE *log_trace(void);
/* How many lines were lost because nobody read the log. */
uint64_t log_lost(void);
/* Logs how many lines were lost, once there is a reader again. */
void log_report_lost(void);
/* Each diagnostic as a line of its own. */
void log_diags(int priority, const struct diags *d);
/* An error that ends this process. Returns the exit code that r means. */
int log_exit(int r, const struct err *err);

#endif
