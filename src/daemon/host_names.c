/* SPDX-License-Identifier: MIT */
#include "daemon/host_names.h"

#include "base/name.h"
#include "base/strb.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX (64 * 1024)           /* of the configuration: 64 names, 16 kB */

static void add_hosts(struct strb *t, const char *node, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		const char *names;

		line[strcspn(line, "#\r\n")] = '\0';
		names = line + strcspn(line, " \t");
		if (name_listed(names, node, strlen(node)) && t->n + sizeof(line) < NAMES_MAX / 2)
			strb_add(t, names);
	}
	if (f)
		fclose(f);
}

char *host_names_new(const char *node, const char *hosts, const char *given, size_t *ret_len)
{
	struct strb t;

	strb_init(&t, NAMES_MAX);
	strb_addf(&t, "localhost %s %.*s", node, (int)strcspn(node, "."), node);
	add_hosts(&t, node, hosts);
	strb_add_mem(&t, "", 1);
	strb_add(&t, given ? given : "");
	*ret_len = t.n + 1;
	return strb_take(&t);
}
