/* SPDX-License-Identifier: MIT */
#include "daemon/pause_socket.h"

#include "access/counting.h"
#include "base/pausing.h"
#include "process/log.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Who may connect is a matter of the file: root may always. */
static struct listen_permission permission_of(const struct conf_pause *conf)
{
	return (struct listen_permission){ .mode = conf->group ? 0660 : 0600, .owner = -1U,
					   .group = conf->group_number };
}

/* 0, or a negative errno after a sentence. */
static int open_file(struct pause_socket *s, const char *run,
		     const struct listen_permission *permission, struct err *err)
{
	int dir = rundir_make(run, err);

	if (dir < 0)
		return dir;
	close(dir);
	if (snprintf(s->path, sizeof(s->path), "%s/" PAUSE_FILE, run) >= (int)sizeof(s->path))
		return err_set(err, -ENAMETOOLONG, "the run directory's name is too long for a "
			       "socket file");
	s->fd = listen_file_open(s->path, permission, &s->file, err);
	return s->fd < 0 ? s->fd : 0;
}

void pause_socket_open(struct pause_socket *s, const char *run, const struct conf_pause *conf)
{
	const struct listen_permission permission = permission_of(conf);
	const struct listen_permission roots = { .mode = 0600, .owner = -1U, .group = -1U };
	struct err err = { "" }, ignored = { "" };
	int r;

	*s = (struct pause_socket){ .fd = -1, .group = permission.group,
				    .forbidden = conf->forbidden };
	if (conf->forbidden)
		return;
	r = open_file(s, run, &permission, &err);
	if (r < 0 && conf->group && open_file(s, run, &roots, &ignored) == 0)
		log_msg(LOG_WARNING, "only root can pause uncored, not the group that the key "
			"`pause` names: %s", err.text);
	else if (r < 0)         /* in use: `uncorectl pause` finds another uncored alone */
		log_msg(conf->where.file || r == -EADDRINUSE ? LOG_WARNING : LOG_DEBUG,
			"counting cannot be paused for other tools: %s", err.text);
}

void pause_socket_close(struct pause_socket *s)
{
	if (s->fd < 0)
		return;
	listen_file_remove(s->path, &s->file);
	close(s->fd);
	s->fd = -1;
}

bool pause_socket_differs(const struct pause_socket *s, const struct conf_pause *conf)
{
	return conf->forbidden != s->forbidden || conf->group_number != s->group;
}
