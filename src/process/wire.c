/* SPDX-License-Identifier: MIT */
#include "process/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union fds_space {
	struct cmsghdr h;
	char space[CMSG_SPACE(WIRE_FDS_MAX * sizeof(int))];
};

int wire_seal(const char *name, const struct iovec *parts, int n)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), r;
	bool good = fd >= 0;

	if (good)
		errno = EFBIG;          /* at the limit a write is short, and no error */
	for (int i = 0; i < n && good; i++)
		good = write(fd, parts[i].iov_base, parts[i].iov_len) == (ssize_t)parts[i].iov_len;
	if (good && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE |
			  F_SEAL_SEAL) == 0)
		return fd;
	r = -errno;
	if (fd >= 0)
		close(fd);
	return r;
}

int wire_send(int sock, const void *bytes, size_t n, const int *fds, unsigned n_fds)
{
	struct iovec iov = { (void *)bytes, n };
	union fds_space control = { 0 };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
			    .msg_controllen = CMSG_SPACE(n_fds * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	if (sendmsg(sock, &h, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EPIPE &&
	    errno != ECONNRESET)
		return -errno;
	return 0;
}

int wire_receive(int sock, void *bytes, size_t n, int *fds, unsigned max, int flags)
{
	struct iovec iov = { bytes, n };
	union fds_space control = { 0 };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
			    .msg_controllen = CMSG_SPACE(max * sizeof(int)) };
	ssize_t got = recvmsg(sock, &h, flags | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c;
	size_t n_fds;

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : -EPIPE;
	if (got == 0)
		return -EPIPE;
	c = CMSG_FIRSTHDR(&h);
	n_fds = c && c->cmsg_type == SCM_RIGHTS ? (c->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
	if (n_fds)
		memcpy(fds, CMSG_DATA(c), n_fds * sizeof(int));
	if ((size_t)got == n && !(h.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) && n_fds)
		return (int)n_fds;
	while (n_fds)
		close(fds[--n_fds]);
	return -EPROTO;
}
