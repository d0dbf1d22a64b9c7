/* SPDX-License-Identifier: MIT
 * How a command says why it failed. */
#include "ctl/ctl.h"

#include <stdarg.h>
#include <stdio.h>

int ctl_fail(int code, const char *fmt, ...)
{
	va_list ap;

	fputs("uncorectl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (code == CTL_USAGE)
		fputs("Try 'uncorectl --help'.\n", stderr);
	return code;
}
