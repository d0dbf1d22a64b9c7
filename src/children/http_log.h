/* SPDX-License-Identifier: MIT
 * What uncored-http writes to its standard output and error goes through a pipe, and becomes
 * messages of this process: marked as its, in ASCII, and not more than a reader can bear.
 *
 * Owns:  the pipe's end here; how much all http processes of this life may say.
 * Never: what they say.
 * Main thread.
 */
#ifndef CHILDREN_HTTP_LOG_H
#define CHILDREN_HTTP_LOG_H

#include "base/err.h"

enum {
	HTTP_LOG_LINES = 100,               /* at once; then one more each second */
	HTTP_LOG_LINE = 1024,               /* bytes; a longer line becomes several */
};

struct http_log {
	int fd;                             /* -1: there is none */
	unsigned n;
	char bytes[HTTP_LOG_LINE];          /* that were read, and not logged yet */
};
#define HTTP_LOG_NONE ((struct http_log){ .fd = -1 })

/* ret_writer: the other end, for the process; the caller's to close. -errno with a sentence. */
int http_log_open(struct http_log *ret, int *ret_writer, struct err *err);
/* Logs the lines that have been written, without waiting. What is too much stays in the pipe: its
 * writer waits, or leaves it out. */
void http_log_relay(struct http_log *l);
/* The same when the process has ended; then what is too much is left out, which is said. */
void http_log_close(struct http_log *l);

#endif
