/* SPDX-License-Identifier: MIT
 * Who may read what is served: the socket file, TLS.
 * Pure; parses bytes.
 */
#include "conf/read.h"

#include <stdlib.h>
#include <string.h>

static void read_mode(struct reader *r, const struct key *k, const struct setting *s, void *at)
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
	{ "owner", "text", "The owner of a socket file: name or number of a user",
	  read_string, "owner = \"root\"", WHERE(conf_socket, owner), .most = 64 },
	{ "group", "text", "The group of a socket file: its name or number",
	  read_string, "group = \"prometheus\"", WHERE(conf_socket, group), .most = 64 },
	{ "mode", "text", "Who may connect: four octal digits, as chmod has them",
	  read_mode, "mode = \"0660\"", AT(conf_socket, permission.mode), .def = "0660" },
};
const struct block conf_socket = { BLOCK("listen_socket", socket_keys) };

/* The names of Prometheus' exporters (exporter-toolkit, web-configuration.md). */
#define PEM(file, key, path_, ...) [file] = { key, "path", __VA_ARGS__, .is_path = true, \
	.read = read_string, .example = key " = \"" path_ "\"", .at = AT(conf_tls, path[file]), \
	.where_at = AT(conf_tls, where[file]) }
static const struct key tls_keys[] = {
	PEM(CONF_TLS_CERT, "cert_file", "/etc/uncored/tls.crt",
	    "The certificate in PEM form, followed by those of its issuers", .required = true),
	PEM(CONF_TLS_KEY, "key_file", "/etc/uncored/tls.key",
	    "Its private key in PEM form, without a password", .required = true),
	PEM(CONF_TLS_CA, "client_ca_file", "/etc/uncored/clients.crt",
	    "Who may sign the certificates of clients, in PEM form"),
	{ "client_auth_type", CHOICE("NoClientCert", "RequireAndVerifyClientCert"),
	  "Whether clients have to show a certificate", read_choice,
	  "client_auth_type = \"NoClientCert\"", AT(conf_tls, client_auth), .def = "NoClientCert" },
	{ "min_version", CHOICE("TLS12", "TLS13"), "The oldest version of TLS that is accepted",
	  read_choice, "min_version = \"TLS12\"", AT(conf_tls, min_version), .def = "TLS12" },
};
const struct block conf_tls = { BLOCK("tls_server_config", tls_keys), .what = "tls_server_config" };

void read_tls(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf_tls *t = at;

	read_nested(r, k, s, t);
	if (t->client_auth == CONF_TLS_VERIFY && !setting_find(s, "client_ca_file"))
		read_bad(r, s, "client_auth_type = \"RequireAndVerifyClientCert\" needs "
			 "client_ca_file, the authorities whose client certificates are accepted");
	else if (t->client_auth != CONF_TLS_VERIFY && t->path[CONF_TLS_CA])
		read_bad(r, s, "client_ca_file has no effect without client_auth_type = "
			 "\"RequireAndVerifyClientCert\"");
}

void read_pause(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf_pause *p = at;

	if (!s)
		return;
	p->where = read_where(r, s);
	if (s->type == SETTING_BOOL)
		p->forbidden = !s->v.integer;
	else if (s->type == SETTING_TEXT)
		read_string(r, k, s, &p->group);
	else
		read_bad(r, s, "pause must be true, false or the name of a group: %s", k->example);
}

void read_nested(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	if (!s || read_is_block(r, s, k->name, k->example))
		read_block(r, k->block, s, at);
}
