/* SPDX-License-Identifier: MIT */
#include "process/exit_code.h"

#include <errno.h>

int exit_code_of(int r)
{
	switch (-r) {
	case 0:
		return 0;
	case EACCES: case EPERM:
		return EXIT_PERMISSION;
	case ENOMEM: case EAGAIN: case EMFILE: case ENFILE: case ENOSPC: case EDQUOT: case ENOBUFS:
	case EIO: case EINTR: case ETIMEDOUT: case EADDRINUSE: case EADDRNOTAVAIL:
		return EXIT_TEMPFAIL;
	case EBUSY: case ENOENT: case ENXIO: case ENODEV: case EOPNOTSUPP: case EROFS:
	case ENOTDIR: case EISDIR: case ELOOP: case EFBIG: case EUCLEAN:
		return EXIT_UNAVAILABLE;
	case EINVAL:
		return EXIT_CONFIG;
	default:
		return EXIT_INTERNAL;
	}
}
