/* SPDX-License-Identifier: MIT
 * Preloaded: whoever has GnuTLS parse a certificate and a key says what it may do in that moment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int gnutls_certificate_set_x509_key_mem(void *to, const void *cert, const void *key, int type);

int gnutls_certificate_set_x509_key_mem(void *to, const void *cert, const void *key, int type)
{
	int (*real)(void *, const void *, const void *, int) =
		(int (*)(void *, const void *, const void *, int))dlsym(RTLD_NEXT, __func__);
	char said[128];
	int n = snprintf(said, sizeof(said), "parsing: a file is %s, a socket is %s\n",
			 open("/proc/self/status", O_RDONLY | O_CLOEXEC) < 0 ? "refused" : "opened",
			 socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ? "refused" : "opened");

	if (write(STDERR_FILENO, said, (size_t)n) != n)
		return -1;
	return real(to, cert, key, type);
}
