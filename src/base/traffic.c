/* SPDX-License-Identifier: MIT */
#include "base/traffic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int traffic_map(struct traffic **ret, struct err *err)
{
	const char *path = getenv(TRAFFIC_FILE);
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1, r = 0;
	void *p = MAP_FAILED;

	if (!path || (fd >= 0 && ftruncate(fd, sizeof(**ret)) == 0))
		p = mmap(NULL, sizeof(**ret), PROT_READ | PROT_WRITE,
			 path ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (p == MAP_FAILED)
		r = err_set(err, -errno, "%s, which %s names, cannot be shared: %s",
			    path ? path : "memory", TRAFFIC_FILE, strerror(errno));
	else
		*ret = p;
	if (fd >= 0)
		close(fd);
	return r;
}

void traffic_free(struct traffic *t)
{
	if (t)
		munmap(t, sizeof(*t));
}
