/* SPDX-License-Identifier: MIT */
#include "base/state_dir.h"

#include "base/cleanup.h"
#include "base/own_dir.h"

#include <errno.h>
#include <fcntl.h>

static struct own_dir state_dir(const char *dir)
{
	return (struct own_dir){ .path = dir, .option = "--path-state", .shown = true,
				 .harm = "say what nobody measured" };
}

int state_dir_read(const char *dir, const char *name, char **ret, size_t *ret_n, struct err *err)
{
	const struct own_dir d = state_dir(dir);

	return own_dir_read(&d, name, STATE_DIR_FILE_MAX, ret, ret_n, err);
}

int state_dir_make(const char *dir, struct err *err)
{
	const struct own_dir d = state_dir(dir);
	AUTO_FD int fd = -1;
	int r = own_dir_make(&d, err);

	if (r < 0)
		return r;
	fd = own_dir_open(&d, err);
	if (fd < 0)
		return fd;
	if (faccessat(fd, ".", W_OK, AT_EACCESS) < 0)
		return err_set(err, -errno, "%s: cannot be written to: %m; run this as root, or "
			       "choose another directory with --path-state", dir);
	return 0;
}

int state_dir_write(const char *dir, const char *name, const char *text, size_t n, struct err *err)
{
	const struct own_dir d = state_dir(dir);
	int r = own_dir_make(&d, err);

	if (r < 0)
		return r;
	if (n > STATE_DIR_FILE_MAX)
		return err_set(err, -EFBIG, "%s/%s: no more than %zu bytes can be kept", dir, name,
			       STATE_DIR_FILE_MAX);
	return own_dir_write(&d, name, text, n, err);
}
