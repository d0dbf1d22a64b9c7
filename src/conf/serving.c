/* SPDX-License-Identifier: MIT
 * Who may read what is served: the socket file, TLS.
 * Pure; parses bytes.
 */
#include "conf/read.h"

#include <stdlib.h>
#include <string.h>

static void read_mode(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);

	if (!text)
		return;
	if (strlen(text) == 4 && text[0] == '0' && strspn(text, "01234567") == 4)
		*(unsigned *)at = (unsigned)strtoul(text, NULL, 8);
	else
		read_bad(r, s, "mode = \"%.60s\": it must be four octal digits, the first of them "
			 "0, such as \"0660\"", text);
}

static const struct key socket_keys[] = {
	{ "owner", read_string, AT(conf_socket, owner), "owner = \"root\"", .most = 64, .where_at = AT(conf_socket, owner_where) },
	{ "group", read_string, AT(conf_socket, group), "group = \"prometheus\"", .most = 64, .where_at = AT(conf_socket, group_where) },
	{ "mode", read_mode, AT(conf_socket, permission.mode), "mode = \"0660\"", .def = "0660" },
};
const struct block conf_socket = { BLOCK("listen_socket", socket_keys) };

/* The names of Prometheus' exporters (exporter-toolkit, web-configuration.md). */
static const struct key tls_keys[] = {
	{ "cert_file", read_string, AT(conf_tls, path[CONF_TLS_CERT]), "cert_file = \"/etc/uncored/tls.crt\"", .required = true, .is_path = true, .where_at = AT(conf_tls, where[CONF_TLS_CERT]) },
	{ "key_file", read_string, AT(conf_tls, path[CONF_TLS_KEY]), "key_file = \"/etc/uncored/tls.key\"", .required = true, .is_path = true, .where_at = AT(conf_tls, where[CONF_TLS_KEY]) },
	{ "client_ca_file", read_string, AT(conf_tls, path[CONF_TLS_CA]), .example = "client_ca_file = \"/etc/uncored/clients.crt\"", .is_path = true, .where_at = AT(conf_tls, where[CONF_TLS_CA]) },
	{ "client_auth_type", read_choice, AT(conf_tls, client_auth), "client_auth_type = \"NoClientCert\"", "NoClientCert", .choices = { "NoClientCert", "RequireAndVerifyClientCert" } },
	{ "min_version", read_choice, AT(conf_tls, min_version), "min_version = \"TLS12\"", "TLS12", .choices = { "TLS12", "TLS13" } },
};
const struct block conf_tls = { BLOCK("tls_server_config", tls_keys), .what = "tls_server_config" };

void read_tls(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	struct conf_tls *t = at;

	read_nested(r, k, s, t);
	if (t->client_auth == CONF_TLS_VERIFY && !read_key(s, "client_ca_file"))
		read_bad(r, s, "client_auth_type = \"RequireAndVerifyClientCert\" needs "
			 "client_ca_file, the authorities whose client certificates are accepted");
	else if (t->client_auth != CONF_TLS_VERIFY && t->path[CONF_TLS_CA])
		read_bad(r, s, "client_ca_file has no effect without client_auth_type = "
			 "\"RequireAndVerifyClientCert\"");
}

void read_nested(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	if (!s || read_is_block(r, s, k->name, k->example))
		read_block(r, k->block, s, at);
}
