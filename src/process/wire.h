/* SPDX-License-Identifier: MIT
 * The socket pair between uncored and uncored-http: messages that carry descriptors.
 *
 * Owns:  how a message is put together; which descriptors the new process finds.
 * Never: what is in the memory behind a descriptor (shared.h).
 * Main thread of either process.
 */
#ifndef PROCESS_WIRE_H
#define PROCESS_WIRE_H

#include <stddef.h>

enum {
	WIRE_FD = 3,                        /* in uncored-http: its end of the pair */
	WIRE_LISTENERS_MAX = 16,
	WIRE_FDS_MAX = 1 + WIRE_LISTENERS_MAX,      /* in one message */
};

/* The first message has LAYOUT_HASH, and as descriptors the listening sockets, then a memory. In
 * the memory are texts, each with a NUL: the oldest version of TLS, "1.2" or "1.3"; then of
 * certificate, key, and those that sign the clients' certificates: its name in messages ("": there
 * is none), and the file. */

/* wire_seal - what the parts say, as memory that nobody can change any more. The name is for
 * /proc/PID/fd. A descriptor, or -errno. */
struct iovec;
int wire_seal(const char *name, const struct iovec *parts, int n);
/* wire_send - one message with n_fds descriptors, copied, without waiting. 0 or -errno; 0 also if
 * the other process has ended: its parent will see that. */
int wire_send(int sock, const void *bytes, size_t n, const int *fds, unsigned n_fds);
/*
 * wire_receive - the next message.
 *
 * n      bytes that it has to have
 * fds    gets its descriptors, close-on-exec, at most `max`
 * flags  of recvmsg: MSG_DONTWAIT or 0
 *
 * Returns how many descriptors came. -EAGAIN: nothing yet; -EPIPE: the other process has ended;
 * -EPROTO: another message than this program expects.
 */
int wire_receive(int sock, void *bytes, size_t n, int *fds, unsigned max, int flags);

#endif
