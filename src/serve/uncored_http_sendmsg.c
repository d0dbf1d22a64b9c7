/* SPDX-License-Identifier: MIT
 * sendmsg() of uncored-http: libmicrohttpd and GnuTLS find this one before the C library's.
 *
 * Owns:  that this process hands no descriptor to anybody.
 *
 * Both libraries send the pieces of an answer with sendmsg(), whose control message could pass a
 * listening socket on to a client of a socket file. No filter sees a control message, so that
 * the filter refuses sendmsg() as a whole, and this one writes the pieces.
 *
 * Any thread.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* flags: MSG_NOSIGNAL, which says nothing new where SIGPIPE is ignored. */
ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (m->msg_name || m->msg_controllen || (flags & ~MSG_NOSIGNAL)) {
		errno = EPERM;
		return -1;
	}
	return writev(fd, m->msg_iov, (int)m->msg_iovlen);
}
