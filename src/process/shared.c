/* SPDX-License-Identifier: MIT
 * The memory and the socket pair of two processes; see shared.h.
 * Owns:  how they are made, sealed, sent and mapped.
 * Never: what is in that memory.
 */
#include "process/shared.h"

#include "process/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

struct message {
	uint64_t desc_len, names_len, mem_len;
};

void shared_free(struct shared *s)
{
	if (!s)
		return;
	if (s->desc && s->desc != MAP_FAILED)
		munmap(s->desc, s->desc_len + s->names_len);
	if (s->mem && s->mem != MAP_FAILED)
		munmap(s->mem, s->mem_len);
	if (s->desc_fd >= 0)
		close(s->desc_fd);
	if (s->ring_fd >= 0)
		close(s->ring_fd);
	free(s);
}

/* Places the rings one after the other, the daemon's last. Returns their bytes. */
static size_t shared_place(struct shared *s, const unsigned *words, unsigned n,
			   unsigned daemon_values)
{
	size_t at = 0;

	s->n_rings = n;
	for (unsigned i = 0; i <= n; i++) {
		unsigned w = i < n ? words[i] : daemon_values;

		if (s->mem)
			ring_init(i < n ? &s->rings[i] : &s->daemon, (char *)s->mem + at, w);
		at += ring_bytes(w);
	}
	return at;
}

static int shared_failed(int e, struct err *err)
{
	return err_set(err, e == EINVAL ? -EOPNOTSUPP : -e, "cannot create shared memory: %s%s",
		       strerror(e), e != EFBIG ? "" :
		       ": raise the limit (ulimit -f, or LimitFSIZE= in the unit)");
}

int shared_new(const unsigned *words, unsigned n, unsigned daemon_values, struct shared **ret,
	       struct err *err)
{
	struct shared *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->desc_fd = -1;
	s->ring_fd = memfd_create("uncored-rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	s->mem_len = shared_place(s, words, n, daemon_values);
	if (s->ring_fd < 0 || ftruncate(s->ring_fd, (off_t)s->mem_len) < 0)
		goto fail;
	s->mem = mmap(NULL, s->mem_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		      s->ring_fd, 0);
	/* From here on nobody else can map the rings writable. */
	if (s->mem == MAP_FAILED || fcntl(s->ring_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW |
					  F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) < 0)
		goto fail;
	shared_place(s, words, n, daemon_values);
	*ret = s;
	return 0;
fail:
	r = shared_failed(errno, err);
	shared_free(s);
	return r;
}

static void shared_map(struct shared *s)
{
	s->desc = mmap(NULL, s->desc_len + s->names_len, PROT_READ, MAP_SHARED, s->desc_fd, 0);
	s->names = (const char *)s->desc + s->desc_len;
}

int shared_describe(struct shared *s, const void *desc, size_t len, const char *names,
		    size_t names_len, struct err *err)
{
	const struct iovec parts[] = { { (void *)desc, len }, { (void *)names, names_len } };

	s->desc_fd = wire_seal("uncored-description", parts, 2);
	s->desc_len = len;
	s->names_len = names_len;
	if (s->desc_fd < 0)
		return shared_failed(-s->desc_fd, err);
	shared_map(s);
	return s->desc == MAP_FAILED ? shared_failed(errno, err) : 0;
}

int shared_send(const struct shared *s, int sock)
{
	const struct message m = { s->desc_len, s->names_len, s->mem_len };

	return wire_send(sock, &m, sizeof(m), (const int[]){ s->desc_fd, s->ring_fd }, 2);
}

int shared_receive(int sock, unsigned (*words)(const void *, unsigned),
		   unsigned (*count)(const void *), unsigned daemon_values, struct shared **ret)
{
	unsigned w[SHARED_SOCKETS_MAX], n;
	struct message m;
	struct shared *s;
	int fds[2], got = wire_receive(sock, &m, sizeof(m), fds, 2, MSG_DONTWAIT);

	if (got != 2)
		return got == -EAGAIN ? got : -EPIPE;
	s = calloc(1, sizeof(*s));
	if (!s) {
		close(fds[0]);
		close(fds[1]);
		return -ENOMEM;
	}
	*s = (struct shared){ .desc_fd = fds[0], .ring_fd = fds[1], .desc_len = m.desc_len,
			      .names_len = m.names_len, .mem_len = m.mem_len };
	shared_map(s);
	s->mem = mmap(NULL, s->mem_len, PROT_READ, MAP_SHARED, s->ring_fd, 0);
	if (s->desc == MAP_FAILED || s->mem == MAP_FAILED) {
		shared_free(s);
		return -ENOMEM;
	}
	n = count(s->desc);
	for (unsigned i = 0; i < n && i < SHARED_SOCKETS_MAX; i++)
		w[i] = words(s->desc, i);
	if (n > SHARED_SOCKETS_MAX || shared_place(s, w, n, daemon_values) > s->mem_len) {
		shared_free(s);
		return -EPIPE;
	}
	*ret = s;
	return 0;
}
