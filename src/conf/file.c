/* SPDX-License-Identifier: MIT
 * The bytes of a configuration file.
 * Owns:  what is refused before a byte of it is believed.
 * Never: what the bytes mean.
 * Main thread; never blocks on a FIFO, never reads a device.
 */
#include "conf/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int conf_file_read(const char *path, char **ret, size_t *ret_len, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r = 0;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	struct stat st;
	char *text;
	size_t n = 0;

	if (!file) {
		r = err_set(err, -errno, "%s: %m", path);
		close(fd);
		return r;
	}
	text = malloc(CONF_MAX + 1);
	if (fstat(fd, &st) < 0)
		r = err_set(err, -errno, "%s: %m", path);
	else if (!S_ISREG(st.st_mode))
		r = err_set(err, -EINVAL, "%s: this is not a regular file", path);
	else if (st.st_mode & S_IWOTH)
		r = err_set(err, -EINVAL, "%s: everybody can write to it; fix that with: chmod o-w "
			    "%s", path, path);
	else if (!text)
		r = err_set(err, -ENOMEM, "out of memory");
	else
		n = fread(text, 1, CONF_MAX + 1, file);
	if (!r && ferror(file))
		r = err_set(err, -errno, "%s: %m", path);
	else if (n > CONF_MAX)
		r = err_set(err, -EINVAL, "%s: the file is larger than %u bytes", path, CONF_MAX);
	fclose(file);
	if (r < 0) {
		free(text);
		return r;
	}
	*ret = text;
	*ret_len = n;
	return 0;
}
