/* SPDX-License-Identifier: MIT */
#include "base/command.h"

#include "base/cleanup.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL "/bin/sh"

/* ---- which file */

/* 0, or -errno. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || access(path, X_OK) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EACCES;
}

/* A file of this directory, whose name has n bytes. 0, or -errno. */
static int find_in(char *ret, const char *directory, size_t n, const char *name)
{
	if (n + strlen(name) + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	sprintf(ret, "%.*s/%s", (int)n, directory, name);
	return check_file(ret);
}

int command_find(const char *name, char *ret)
{
	const char *path = getenv("PATH");
	int why = -ENOENT;

	if (strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (strchr(name, '/')) {
		strcpy(ret, name);
		return check_file(ret);
	}
	if (!path)
		path = "/bin:/usr/bin";
	for (;;) {
		size_t n = strcspn(path, ":");
		int r = n ? find_in(ret, path, n, name) : find_in(ret, ".", 1, name);

		if (r == 0)
			return 0;
		if (r == -EACCES)       /* better known than none */
			why = r;
		if (!path[n])
			return why;
		path += n + 1;
	}
}

void command_find_ours(const char *name, const char *installed, char *ret)
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX);

	while (n > 0 && ret[n - 1] != '/')
		n--;
	if (n > 1 && n < PATH_MAX) {
		char here[PATH_MAX];

		memcpy(here, ret, (size_t)n);
		if (find_in(ret, here, (size_t)n - 1, name) == 0)
			return;
	}
	snprintf(ret, PATH_MAX, "%s/%s", installed, name);
}

/* ---- its process */

static int add_files(posix_spawn_file_actions_t *actions, const struct command_file *files,
		     unsigned n_files)
{
	for (unsigned i = 0; i < n_files; i++) {
		int r;

		if (files[i].here < 0)
			continue;
		r = posix_spawn_file_actions_adddup2(actions, files[i].here, files[i].there);
		if (r)
			return -r;
	}
	return 0;
}

static int spawn(const char *path, const char *const *argv, const struct command_file *files,
		 unsigned n_files, pid_t *ret)
{
	AUTO_DONE(posix_spawn_file_actions_destroy) posix_spawn_file_actions_t actions;
	AUTO_DONE(posix_spawnattr_destroy) posix_spawnattr_t attr;
	sigset_t none, all;
	int r;

	sigemptyset(&none);
	sigfillset(&all);
	sigdelset(&all, SIGHUP);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawn_file_actions_init(&actions);
	r = add_files(&actions, files, n_files);
	if (r < 0)
		return r;
	return -posix_spawn(ret, path, &actions, &attr, (char **)(uintptr_t)argv, environ);
}

static int spawn_script(const char *path, const char *const *argv,
			const struct command_file *files, unsigned n_files, pid_t *ret)
{
	AUTO_FREE(free) const char **with = NULL;
	unsigned n = 0;

	while (argv[n])
		n++;
	with = calloc(n + 2UL, sizeof(*with));
	if (!with)
		return -ENOMEM;
	with[0] = SHELL;
	with[1] = path;
	for (unsigned i = 1; i < n; i++)
		with[i + 1] = argv[i];
	return spawn(SHELL, with, files, n_files, ret);
}

int command_start(const char *const *argv, const struct command_file *files, unsigned n_files,
		  pid_t *ret)
{
	char path[PATH_MAX];
	pid_t pid;
	int r = command_find(argv[0], path);

	if (r < 0)
		return r;
	signal(SIGCHLD, SIG_DFL);
	r = spawn(path, argv, files, n_files, &pid);
	if (r == -ENOEXEC)
		r = spawn_script(path, argv, files, n_files, &pid);
	if (r < 0)
		return r;
	*ret = pid;
	return 0;
}

int command_code_of(int r)
{
	return r == -ENOENT || r == -ENOTDIR ? COMMAND_NOT_FOUND : COMMAND_NOT_EXECUTABLE;
}

/* ---- its end */

static int code_of_status(int status)
{
	return WIFSIGNALED(status) ? COMMAND_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

bool command_ended(pid_t pid, bool wait, int *ret)
{
	int status;
	pid_t r;

	do
		r = waitpid(pid, &status, wait ? 0 : WNOHANG);
	while (r < 0 && errno == EINTR);
	if (!r)
		return false;
	*ret = r < 0 ? COMMAND_NOT_FOUND : code_of_status(status);
	return true;
}
