/* SPDX-License-Identifier: MIT */
#include "daemon/listening.h"

#include "base/address.h"
#include "base/num.h"
#include "process/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* The number of an owner or a group from its file: the name service may wait for a network. NULL:
 * -1. */
static int id_of(const char *key, const char *file, const char *name, struct where at,
		 unsigned *ret, struct diags *d)
{
	FILE *f = name ? fopen(file, "re") : NULL;
	char line[4096], of[80];
	uint64_t id = UINT32_MAX;
	size_t n = name ? (size_t)snprintf(of, sizeof(of), "%s:", name) : 0;
	bool found = !name || num_parse_u64(name, &id) == 0;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strncmp(line, of, n) == 0 && strchr(line + n, ':') &&
			sscanf(strchr(line + n, ':'), ":%" SCNu64, &id) == 1;
	if (f)
		fclose(f);
	*ret = (unsigned)id;
	return found ? 0 : diags_add(d, at, "%s: \"%s\" is not in %s", key, name, file);
}

int listening_names(struct conf *c, struct diags *d)
{
	static const char users[] = "/etc/passwd", groups[] = "/etc/group", key[] = "listen_socket";
	struct conf_socket *s = &c->socket;
	struct conf_pause *p = &c->pause;
	int of_owner = id_of(key, users, s->owner, s->owner_where, &s->permission.owner, d),
	    of_group = id_of(key, groups, s->group, s->group_where, &s->permission.group, d),
	    of_pause = id_of("pause", groups, p->group, p->where, &p->group_number, d);

	return of_owner < 0 || of_group < 0 || of_pause < 0 ? -EINVAL : 0;
}

struct listen_wanted listening_wanted(const struct options *o, const struct conf *conf)
{
	const struct conf_permission *p = &conf->socket.permission;
	struct listen_wanted w = {
		.addresses = (const char *const *)conf->listen, .n = conf->n_listen,
		.given = conf->listen_given, .where = conf->listen_where,
		.permission = { .mode = p->mode, .owner = p->owner, .group = p->group },
		.permission_where = conf->socket_where,
		.tls = conf->tls.path[CONF_TLS_CERT] != NULL,
	};

	if (o->n_listen) {
		w.addresses = o->listen;
		w.n = o->n_listen;
		w.given = w.option = true;
		w.where = (struct where){ 0 };
	}
	return w;
}

void listening_log_missing(const struct conf *conf)
{
	const size_t prefix = strlen(ADDRESS_FILE_PREFIX);

	for (unsigned i = 0; i < conf->n_listen; i++) {
		char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
		const char *text = conf->listen[i];

		if (strncmp(text, ADDRESS_FILE_PREFIX, prefix) != 0 ||
		    strncmp(text + prefix, "/run/", 5) == 0)
			continue;
		snprintf(path, sizeof(path), "%s", text + prefix);
		strrchr(path, '/')[1] = '\0';
		if (access(path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
			log_msg(LOG_NOTICE, "%s:%u: listen: the directory of %s does not exist; "
				"create it before the start", conf->listen_where.file,
				conf->listen_where.line, text);
	}
}
