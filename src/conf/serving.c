/* SPDX-License-Identifier: MIT
 * Who may read what is served: the socket file.
 * Pure; parses bytes.
 */
#include "conf/read.h"

#include <string.h>

static void read_mode(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);
	unsigned mode = 0;

	if (!text)
		return;
	for (const char *p = text; *p >= '0' && *p <= '7'; p++)
		mode = mode * 8 + (unsigned)(*p - '0');
	if (strlen(text) == 4 && text[0] == '0' && strspn(text, "01234567") == 4)
		*(unsigned *)at = mode;
	else
		read_bad(r, s, "mode = \"%.60s\": expected four octal digits, the first one 0, "
			 "such as \"0660\"", text);
}

static const struct key socket_keys[] = {
	{ "owner", read_string, AT(conf_socket, owner), "owner = \"root\"", .most = 64 },
	{ "group", read_string, AT(conf_socket, group), "group = \"prometheus\"", .most = 64 },
	{ "mode", read_mode, AT(conf_socket, mode), "mode = \"0660\"", .def = "0660" },
};
const struct block conf_socket = { BLOCK("listen_socket", socket_keys) };

void read_nested(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	if (!s || read_is_block(r, s, k->name, k->example))
		read_block(r, k->block, s, at);
}
