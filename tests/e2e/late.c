/* SPDX-License-Identifier: MIT
 * Preloaded: the answer to the first request that uncored's spawner takes is late, and who sends it
 * says so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const char said[] = "late: answered\n";

ssize_t send(int sock, const void *bytes, size_t n, int flags)
{
	ssize_t (*real)(int, const void *, size_t, int) =
		(ssize_t (*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, __func__);
	const unsigned first = 1;       /* struct answer begins with the request's number */
	char name[16] = "";
	ssize_t r;

	prctl(PR_GET_NAME, name);
	if (strcmp(name, "uncored-spawner") != 0 || memcmp(bytes, &first, sizeof(first)) != 0)
		return real(sock, bytes, n, flags);
	poll(NULL, 0, 500);
	r = real(sock, bytes, n, flags);
	return write(STDERR_FILENO, said, sizeof(said) - 1) < 0 ? -1 : r;
}
