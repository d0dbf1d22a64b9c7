/* SPDX-License-Identifier: MIT
 * The bytes of a configuration file.
 * Owns:  what is refused before a byte of it is believed.
 * Never: what the bytes mean.
 * Main thread; never blocks on a FIFO, never reads a device.
 */
#include "conf/conf.h"

#include "base/bits.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int conf_file_read(const char *path, char **ret, size_t *ret_len, struct err *err)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	AUTO_FREE(fclose) FILE *file = NULL;
	AUTO_FREE(free) char *text = NULL;
	struct stat st;
	size_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(err, -errno, "%s: %m", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: this is not a regular file", path);
	if (st.st_mode & S_IWOTH)
		return err_set(err, -EINVAL, "%s: everybody can write to it; fix that with: "
			       "chmod o-w %s", path, path);
	file = fdopen(fd, "r");
	if (!file)
		return err_set(err, -errno, "%s: %m", path);
	fd = -1;                        /* it is the file's now */
	text = malloc(CONF_MAX + 1);
	if (!text)
		return err_set(err, -ENOMEM, "out of memory");
	n = fread(text, 1, CONF_MAX + 1, file);
	if (ferror(file))
		return err_set(err, -errno, "%s: %m", path);
	if (n > CONF_MAX)
		return err_set(err, -EINVAL, "%s: the file is larger than %u bytes", path,
			       CONF_MAX);
	*ret = TAKE(text);
	*ret_len = n;
	return 0;
}

uint64_t conf_hash(const char *text, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return (hash ^ hash >> 48) & (BIT(48) - 1);
}
