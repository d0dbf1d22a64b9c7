/* SPDX-License-Identifier: MIT
 * What a function prints on standard output or standard error. After cmocka.h. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int captured_fd, captured_old = -1;
static FILE *captured;

/* Until capture_end() nothing of fd goes where it went. */
static inline void capture_begin(int fd)
{
	fflush(stdout);
	captured = tmpfile();
	assert_non_null(captured);
	captured_fd = fd;
	captured_old = dup(fd);
	assert_true(captured_old >= 0 && dup2(fileno(captured), fd) == fd);
}

/* What was printed since; good until the next call. */
static inline const char *capture_end(void)
{
	static char text[65536];
	size_t n;

	fflush(stdout);
	dup2(captured_old, captured_fd);
	close(captured_old);
	rewind(captured);
	n = fread(text, 1, sizeof(text) - 1, captured);
	fclose(captured);
	text[n] = '\0';
	return text;
}

#endif
