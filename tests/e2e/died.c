/* SPDX-License-Identifier: MIT
 * Preloaded: uncorectl is killed on its way into the call that DIES names, or with a + behind the
 * name on the way back. What it starts has no such variable.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

static const char *dies = "";

__attribute__((constructor)) static void begin(void)
{
	if (getenv("DIES"))
		dies = strdup(getenv("DIES"));
	unsetenv("DIES");
}

static void here(const char *step)
{
	if (strcmp(dies, step) == 0)
		raise(SIGKILL);
}

#define CALL(name, parameters, ...) int name parameters \
{ \
	int r; \
	here(#name); \
	r = ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__); \
	here(#name "+"); \
	return r; \
}

CALL(connect, (int fd, const struct sockaddr *a, socklen_t n), fd, a, n)
CALL(poll, (struct pollfd *v, nfds_t n, int ms), v, n, ms)
CALL(posix_spawn, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		   const posix_spawnattr_t *attr, char *const *argv, char *const *env),
     pid, path, actions, attr, argv, env)
CALL(waitpid, (pid_t pid, int *status, int options), pid, status, options)
