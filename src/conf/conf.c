/* SPDX-License-Identifier: MIT
 * The configuration file: settings and groups.
 *
 * Owns:  the keys of the file and of its groups, their defaults and bounds.
 * Never: whether an event exists, which machine this is.
 * Pure; any thread.
 */
#include "conf/read.h"

#include "base/address.h"
#include "base/name.h"
#include "base/num.h"
#include "base/strb.h"

#include <string.h>

#define NAME_MAX_CHARS 64
#define CPU_HIGHEST    8191
#define HOSTS_MAX      64
#define HOST_NAME      255          /* with a last dot and the end */
#define SOCKET_EXAMPLE "listen_socket = { group = \"prometheus\"; mode = \"0660\"; }"
#define TLS_EXAMPLE    "tls_server_config = { cert_file = \"...\"; key_file = \"...\"; }"
#define EVENTS_EXAMPLE "events = [ \"bbox/IMT_INSERTS_ALL\" ]"
#define METRICS_EXAMPLE "metrics = ( { name = \"imt_latency_cycles\"; ... } )"
#define GROUPS_EXAMPLE "groups = ( { name = \"memory\"; " EVENTS_EXAMPLE "; } )"

/* ---- settings */

static void read_engine(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);

	r->no_engine = !text || conf_engine_parse(text, at) < 0;
	if (text && r->no_engine)
		read_bad(r, s, "engine = \"%.60s\": expected auto, registers, "
			 "perf or model[:PROCESSOR[:WORKLOAD]]", text);
}

static void read_cpus(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);
	struct conf *c = at;
	unsigned n = 1, i = 0;
	char *left;
	uint64_t cpu;

	if (!text)
		return;
	for (const char *p = text; *p; p++)
		n += *p == ',';
	c->cpus = read_alloc(r, n, sizeof(*c->cpus));
	left = read_copy(r, text);
	while (i < n) {
		char *one = strsep(&left, ","), *end;

		one += strspn(one, " ");
		end = one + strcspn(one, " ");
		if (end[strspn(end, " ")])
			break;
		*end = '\0';
		if (num_parse_u64(one, &cpu) < 0 || cpu > CPU_HIGHEST)
			break;
		c->cpus[i++] = (unsigned)cpu;
	}
	if (i == n)
		c->n_cpus = n;
	else
		read_bad(r, s, "cpus = \"%.80s\": expected the number of a CPU of each socket, "
			 "separated by commas, such as \"0,8\"", text);
}

static void read_listen_one(struct reader *r, const struct key *k, const struct setting *s)
{
	struct conf *c = r->conf;
	const char *text = read_text(r, k, s, "an address of listen");
	const char *other = NULL;
	char host[64];
	uint16_t port;

	if (!text)
		return;
	for (unsigned i = 0; i < c->n_listen && !other; i++)
		other = address_clash(c->listen[i], text) ? c->listen[i] : NULL;
	if (address_parse(text, host, &port) < 0)
		read_bad(r, s, "listen: \"%.80s\" is not ADDR:PORT with a numeric address, such as "
			 "\"127.0.0.1:10062\", \"[::1]:10062\", or \":10062\" for all addresses, "
			 "nor \"unix:/PATH\" of at most 107 bytes", text);
	else if (other && strcmp(other, text) == 0)
		read_bad(r, s, "listen: \"%s\" is given twice", text);
	else if (other)
		read_bad(r, s, "listen: \"%s\" and \"%s\": one covers the other; remove one", text,
			 other);
	else
		c->listen[c->n_listen++] = read_copy(r, text);
}

static void read_listen(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf *c = at;
	unsigned n = s ? read_list(r, k, s) : 1;

	if (!n)
		return;
	c->n_listen = 0;
	c->listen = read_alloc(r, n, sizeof(*c->listen));
	c->listen_given = s;
	for (unsigned i = 0; i < n; i++)
		read_listen_one(r, k, s ? setting_element(s, i) : NULL);
}

/* Letters and digits as in RFC 1123, and "_", which names of containers have. */
static bool is_host_name(const char *text)
{
	return strlen(text) < HOST_NAME && !text[name_span(text, "-.")] && !strchr("-.", text[0]) &&
	       !strstr(text, "..") && text[strspn(text, "0123456789.")];
}

static void read_hosts(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	unsigned n = read_list(r, k, s);
	struct strb t;

	strb_init(&t, HOSTS_MAX * (HOST_NAME + 1));
	for (unsigned i = 0; i < n; i++) {
		const struct setting *e = setting_element(s, i);
		const char *text = read_text(r, k, e, "a name of hosts");

		if (text && !is_host_name(text))
			read_bad(r, e, "hosts: \"%.80s\" is not a host name, such as "
				 "\"box.example.org\": no port, no \"*\"; "
				 "addresses need not be given", text);
		else if (text)
			strb_addf(&t, " %.*s",
				  (int)(strlen(text) - (text[strlen(text) - 1] == '.')), text);
	}
	if (n)
		*(char **)at = arena_take(r->conf->arena, strb_take(&t));
}

/* ---- groups */

static void read_group_name(struct reader *r, const struct key *k, const struct setting *s,
			    void *at)
{
	const char *name = read_text(r, k, s, k->name);
	struct conf_group *g = at;

	if (!name)
		return;
	if (name[name_span(name, ".-")] || strlen(name) > NAME_MAX_CHARS) {
		read_bad(r, s, "group name \"%.80s\": expected at most %d letters, digits, \"_\", "
			 "\"-\" and \".\"", name, NAME_MAX_CHARS);
		return;
	}
	for (const struct conf_group *o = r->conf->groups; o < g; o++) {
		if (o->name && strcmp(o->name, name) == 0)
			read_bad(r, s, "there are two groups \"%s\"; the first is on line %u", name,
				 o->where.line);
	}
	g->name = read_copy(r, name);
}

static void read_events(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf_group *g = at;
	unsigned n = read_list(r, k, s);

	g->specs = n ? read_alloc(r, n, sizeof(*g->specs)) : NULL;
	for (unsigned i = 0; i < n; i++) {
		const struct setting *e = setting_element(s, i);
		const char *text = read_text(r, k, e, "an event");

		if (text && read_spec_text(r, e, text, &g->specs[g->n_specs]))
			g->n_specs++;
	}
}

#define NAMES_EXAMPLE "metrics = [ \"imt_latency_seconds\" ]"

/* "link_utilization_ratio,port=0": a metric's name, and which of its units are meant. */
static void read_names(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf_group *g = at;
	unsigned n = read_list(r, k, s);

	g->metrics = n ? read_alloc(r, n, sizeof(*g->metrics)) : NULL;
	for (unsigned i = 0; i < n; i++) {
		const struct setting *e = setting_element(s, i);
		const char *text = read_text(r, k, e, "a metric");
		struct spec *name = &g->metrics[g->n_metrics];
		struct err err;

		if (!text)
			continue;
		if (spec_parse_name(r->conf->arena, text, name, &err) < 0)
			read_bad(r, e, "%s", err.text);
		else if (name->perf || name->box || name->n_umasks)
			read_bad(r, e, "\"%s\" is an event; metrics are named here, such as "
				 "\"imt_latency_seconds\", and events stand in events = [ ... ]",
				 text);
		else
			g->metrics[g->n_metrics++].where = read_where(r, e);
	}
}

#define WINDOW_EXAMPLE "window = { event = \"bbox0/IMT_INSERTS_ALL\"; count = 1000000; }"

static const struct key window_keys[] = {
	{ "event", "event", "The event that ends a window: of the group, on one unit",
	  read_spec, WINDOW_EXAMPLE, AT(conf_overflow_window, event), .required = true },
	{ "count", "whole number", "After how many counts of this event a window ends",
	  read_count, "count = 1000000", WHERE(conf_overflow_window, count), .required = true },
};
static const struct block window = { BLOCK("window", window_keys), .what = "this block" };

static void read_window(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf_group *g = at;
	struct conf_overflow_window *w = &g->overflow_window;

	w->where = read_where(r, s);
	read_nested(r, k, s, w);
	g->has_overflow_window = w->event.text && w->count;
}

static const struct key group_keys[] = {
	{ "name", "text", "Its name, of letters, digits, underscores, hyphens and dots",
	  read_group_name, "name = \"memory\"", .required = true },
	{ "events", "list", "Events that are counted at the same time",
	  read_events, EVENTS_EXAMPLE, .most = 1024 },
	{ "metrics", "list", "Metrics that are counted, with all events that they need",
	  read_names, NAMES_EXAMPLE, .most = 1024 },
	{ "resolution", "duration", "How often this group is read within an interval",
	  read_resolution, "resolution = \"10ms\"", AT(conf_group, resolution),
	  .least = NSEC_PER_MSEC, .wrong_name = "interval" },
	{ "distribution", "true, false or block", "Whether its samples are shown as histograms",
	  DISTRIBUTION(conf_group) },
	{ "window", "block", "Count in windows, each of which ends with an event of the group",
	  read_window, WINDOW_EXAMPLE, .block = &window },
};
static const struct block group = { BLOCK("a group", group_keys), .what = "this group" };

static void read_groups(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf *c = at;
	unsigned n = read_list(r, k, s);

	c->groups_given = true;
	c->groups = n ? read_alloc(r, n, sizeof(*c->groups)) : NULL;
	for (unsigned i = 0; i < n; i++) {
		const struct setting *e = setting_element(s, i);
		struct conf_group *g = &c->groups[c->n_groups];
		size_t before = read_mistakes(r);

		*g = (struct conf_group){ .where = read_where(r, e), .resolution = c->resolution };
		if (e->type == SETTING_TEXT) {
			g->ready_made = true;
			read_group_name(r, k, e, g);
			c->group_name_unread |= !g->name;
			if (!g->name)
				continue;
		} else if (read_is_block(r, e, "a group", k->example)) {
			read_block(r, k->block, e, g);
			if (!setting_find(e, "events") && !setting_find(e, "metrics"))
				read_bad(r, e, "key \"events\" is missing in this group: events "
					 "= [ \"BOX/EVENT\" ], or metrics = [ \"NAME\" ]; see: "
					 "uncorectl list events, uncorectl list metrics");
		} else {
			c->group_name_unread = true;
			continue;
		}
		c->group_name_unread |= !g->name;
		g->name = g->name ? g->name : read_copy(r, "?");        /* messages quote it */
		g->faulty = read_mistakes(r) != before;
		c->n_groups++;
	}
}

/* ---- the file */

static const struct key root_keys[] = {
	{ "interval", "duration", "How often the counters are read",
	  read_interval, "interval = \"1s\"", WHERE(conf, interval), "1s", .least = NSEC_PER_MSEC },
	{ "resolution", "duration", "How often the counters are read within an interval",
	  read_resolution, "resolution = \"10ms\"", AT(conf, resolution), .least = NSEC_PER_MSEC },
	{ "rotation", "duration", "How long a turn lasts when groups do not fit together",
	  read_rotation, "rotation = \"1s\"", AT(conf, rotation), 0, "1s", .least = NSEC_PER_MSEC },
	{ "peak_window", "duration", "How far back a peak looks", read_duration,
	  "peak_window = \"60s\"", AT(conf, peak_window), .def = "60s", .least = NSEC_PER_SEC },
	{ BOOL("freeze", "Counters are stopped while they are read", AT(conf, freeze)) },
	{ BOOL("takeover", "Counters that others have enabled are used, too", AT(conf, takeover)) },
	{ BOOL("created", "OpenMetrics text says when totals began", AT(conf, with_created)) },
	{ "listen", "list", "Where to listen: numeric addresses with a port, or unix:/PATH",
	  read_listen, "listen = [ \"127.0.0.1:10062\" ]", .where_at = AT(conf, listen_where),
	  .def = "127.0.0.1:10062", .most = 64, .elements = "addresses" },
	{ "listen_socket", "block", "Who may use the socket files of listen",
	  read_nested, SOCKET_EXAMPLE, WHERE(conf, socket), .def = "", .block = &conf_socket },
	{ "tls_server_config", "block", "HTTPS at all addresses",
	  read_tls, TLS_EXAMPLE, AT(conf, tls), .block = &conf_tls },
	{ "pause", "true, false or text",
	  "Who may pause counting for other tools: root, nobody, or root and a group",
	  read_pause, "pause = \"perfmon\"", AT(conf, pause), .def = "true", .most = 64 },
	{ "hosts", "list", "More names of this host", read_hosts, "hosts = [ \"box.example.org\" ]",
	  AT(conf, hosts), .most = HOSTS_MAX, .elements = "names" },
	{ "engine", "text", "How to count: auto, registers, perf or model[:PROCESSOR[:WORKLOAD]]",
	  read_engine, "engine = \"auto\"", WHERE(conf, engine), .def = "auto" },
	{ "cpus", "text", "The CPUs that read the counters, one for each socket",
	  read_cpus, "cpus = \"0,8\"", .where_at = AT(conf, cpus_where) },
	{ "without_counters", CHOICE("serve", "exit"), "What to do where nothing can be counted",
	  read_choice, "without_counters = \"serve\"", AT(conf, without_counters) },
	{ "groups", "list", "What is counted, instead of the ready-made groups",
	  read_groups, GROUPS_EXAMPLE, .most = 256, .block = &group },
	{ "metrics", "list", "Derived values of your own",
	  read_metrics, METRICS_EXAMPLE, .most = 256, .block = &conf_metric },
};
const struct block conf_root = { BLOCK("the configuration", root_keys) };
