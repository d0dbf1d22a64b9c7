/* SPDX-License-Identifier: MIT
 * The bytes of a configuration file.
 * Owns:  what is refused before a byte of it is believed.
 * Never: what the bytes mean.
 * Main thread; never blocks on a FIFO, never reads a device.
 */
#include "conf/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int conf_file_read(const char *path, char **ret, size_t *ret_len, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r = 0;
	struct stat st;
	char *text;
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, -EINVAL, "%s: not a regular file", path);
	}
	if (st.st_mode & S_IWOTH)
		r = err_set(err, -EINVAL, "%s: everybody may write to it; chmod o-w %s", path,
			    path);
	text = malloc(CONF_MAX + 1);
	if (!text)
		r = err_set(err, -ENOMEM, "out of memory");
	while (!r && n <= CONF_MAX && (got = read(fd, text + n, CONF_MAX + 1 - n)) != 0) {
		if (got < 0)
			r = err_set(err, -errno, "%s: %s", path, strerror(errno));
		else
			n += (size_t)got;
	}
	close(fd);
	if (!r && n > CONF_MAX)
		r = err_set(err, -EINVAL, "%s: larger than %u bytes", path, CONF_MAX);
	if (r < 0) {
		free(text);
		return r;
	}
	*ret = text;
	*ret_len = n;
	return 0;
}
