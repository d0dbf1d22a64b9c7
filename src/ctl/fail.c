/* SPDX-License-Identifier: MIT
 * How a command says why it failed. */
#include "ctl/ctl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const char *command;

void ctl_fail_in(const char *name)
{
	command = name;
}

int ctl_fail(int code, const char *fmt, ...)
{
	va_list ap;

	fputs("uncorectl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (code == CTL_USAGE)
		fprintf(stderr, "Try 'uncorectl%s%s --help'.\n", command ? " " : "",
			command ?: "");
	return code;
}

int ctl_code(int r, int otherwise)
{
	switch (-r) {
	case EACCES: case EPERM:
		return CTL_PERMISSION;
	case ENOMEM: case EAGAIN: case EMFILE: case ENFILE:
		return CTL_TEMPORARY;
	default:
		return otherwise;
	}
}
