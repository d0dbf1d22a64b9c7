/* SPDX-License-Identifier: MIT
 * The configuration file: settings and groups.
 * Owns:  the keys of the file, their defaults and bounds; the life of struct conf.
 * Never: whether an event exists, which machine this is.
 * Pure; parses bytes.
 */
#include "conf/read.h"

#include "base/address.h"
#include "base/name.h"
#include "base/num.h"
#include "base/strb.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP_MAX       ((size_t)256 << 20)     /* memory; a file of CONF_MAX bytes takes less */
#define KEEP_BASE      ((size_t)1 << 20)       /* and a shorter file less than this, and so much */
#define KEEP_BYTE      240                     /* for each byte */
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

static void read_engine(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);

	r->no_engine = !text || conf_engine_parse(text, at) < 0;
	if (text && r->no_engine)
		read_bad(r, s, "engine = \"%.60s\": expected auto, registers, "
			 "perf or model[:PROCESSOR[:WORKLOAD]]", text);
}

static void read_cpus(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
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

static void read_listen_one(struct reader *r, const struct key *k, const config_setting_t *s)
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
	else if (other)
		read_bad(r, s, strcmp(other, text) == 0 ? "listen: \"%s\" is given twice" :
			 "listen: \"%s\" and \"%s\": one covers the other; remove one", text,
			 other);
	else
		c->listen[c->n_listen++] = read_copy(r, text);
}

static void read_listen(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	struct conf *c = at;
	unsigned n = s ? read_list(r, k, s) : 1;

	if (!n)
		return;
	c->n_listen = 0;
	c->listen = read_alloc(r, n, sizeof(*c->listen));
	c->listen_given = s;
	for (unsigned i = 0; i < n; i++)
		read_listen_one(r, k, s ? config_setting_get_elem(s, i) : NULL);
}

/* Letters and digits as in RFC 1123, and "_", which names of containers have. */
static bool is_host_name(const char *text)
{
	return strlen(text) < HOST_NAME && !text[name_span(text, "-.")] && !strchr("-.", text[0]) &&
	       !strstr(text, "..") && text[strspn(text, "0123456789.")];
}

static void read_hosts(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	unsigned n = read_list(r, k, s);
	struct strb t;

	strb_init(&t, HOSTS_MAX * (HOST_NAME + 1));
	for (unsigned i = 0; i < n; i++) {
		const config_setting_t *e = config_setting_get_elem(s, i);
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

static void read_group_name(struct reader *r, const struct key *k, const config_setting_t *s,
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

static void read_events(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	struct conf_group *g = at;
	unsigned n = read_list(r, k, s);

	g->specs = n ? read_alloc(r, n, sizeof(*g->specs)) : NULL;
	for (unsigned i = 0; i < n; i++) {
		const config_setting_t *e = config_setting_get_elem(s, i);
		const char *text = read_text(r, k, e, "an event");

		if (text && read_spec_text(r, e, text, &g->specs[g->n_specs]))
			g->n_specs++;
	}
}

#define NAMES_EXAMPLE "metrics = [ \"imt_latency_seconds\" ]"

/* "link_utilization_ratio,port=0": a metric's name, and which of its units are meant. */
static void read_names(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	struct conf_group *g = at;
	unsigned n = read_list(r, k, s);

	g->metrics = n ? read_alloc(r, n, sizeof(*g->metrics)) : NULL;
	for (unsigned i = 0; i < n; i++) {
		const config_setting_t *e = config_setting_get_elem(s, i);
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
	  read_spec, WINDOW_EXAMPLE, AT(conf_window, event), .required = true },
	{ "count", "whole number", "After how many counts of this event a window ends",
	  read_count, "count = 1000000", WHERE(conf_window, count), .required = true },
};
static const struct block window = { BLOCK("window", window_keys), .what = "this block" };

static void read_window(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	struct conf_group *g = at;
	struct conf_window *w = &g->window;

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

static void read_groups(struct reader *r, const struct key *k, const config_setting_t *s, void *at)
{
	struct conf *c = at;
	unsigned n = read_list(r, k, s);

	c->groups_given = true;
	c->groups = n ? read_alloc(r, n, sizeof(*c->groups)) : NULL;
	for (unsigned i = 0; i < n; i++) {
		const config_setting_t *e = config_setting_get_elem(s, i);
		struct conf_group *g = &c->groups[c->n_groups];
		size_t before = read_mistakes(r);

		*g = (struct conf_group){ .where = read_where(r, e), .resolution = c->resolution };
		if (config_setting_type(e) == CONFIG_TYPE_STRING) {
			g->ready_made = true;
			read_group_name(r, k, e, g);
		} else if (read_is_block(r, e, "a group", k->example)) {
			read_block(r, k->block, e, g);
			if (!read_key(e, "events") && !read_key(e, "metrics"))
				read_bad(r, e, "key \"events\" is missing in this group: %s, or %s",
					 EVENTS_EXAMPLE, NAMES_EXAMPLE);
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

struct parse {                      /* a file while it is read */
	struct arena *keep, *work;      /* the configuration's own; what ends with the reading */
	struct reader r;
	const char *name, *text;
	size_t len;
	config_t cfg;
	bool read;                      /* it was not malformed */
};

static struct conf *new_conf(struct parse *p)
{
	struct conf *c = arena_alloc(p->keep, 1, sizeof(*c));

	c->arena = p->keep;
	c->file = *p->name ? arena_text(p->keep, p->name) : NULL;
	return c;
}

static void parse_text(struct parse *p, const char *text)
{
	struct reader *r = &p->r;
	struct where at = { r->conf->file, 0 };
	struct scan scan;

	if (scan_text(p->work, r->conf->file, text, &scan, r->d) < 0)
		return;
	r->scan = &scan;
	p->read = config_read_string(&p->cfg, scan.text);
	at.line = (unsigned)config_error_line(&p->cfg);
	if (p->read)
		read_block(r, &conf_root, config_root_setting(&p->cfg), r->conf);
	else
		diags_add(r->d, at, "%s", config_error_text(&p->cfg));
}

/* White space as libconfig knows it, and nothing else. */
static bool is_blank(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && strchr(" \t\r\n\f\v", text[n]))
		n++;
	return n == len;
}

static void parse_file(void *v)
{
	struct parse *p = v;
	struct where at = { p->name, 1 };
	const char *nul;
	char *copy;

	/* the byte order mark of some editors */
	if (p->len >= 3 && memcmp(p->text, "\xef\xbb\xbf", 3) == 0) {
		p->text += 3;
		p->len -= 3;
	}
	p->r.conf = new_conf(p);
	nul = memchr(p->text, '\0', p->len);
	if (p->len > CONF_MAX) {
		diags_add(p->r.d, (struct where){ p->name, 0 }, "the file is larger than %u bytes",
			  CONF_MAX);
	} else if (nul) {
		for (const char *c = p->text; c < nul; c++)
			at.line += *c == '\n';
		diags_add(p->r.d, at, "a NUL byte: this is not a text file");
	} else if (is_blank(p->text, p->len)) {
		/* A full disk, or a program that writes in place, leaves such a file. Taken as a
		 * configuration it would replace the user's groups by the ready-made ones. */
		diags_add(p->r.d, at, "the file is empty, as an interrupted write leaves it; "
			  "write it again, or, to count what is ready-made, at least a comment: "
			  "# defaults");
	} else {
		copy = arena_alloc(p->work, p->len + 2, 1);
		memcpy(copy, p->text, p->len);
		copy[p->len] = '\n';    /* to libconfig, a comment without newline is an error */
		parse_text(p, copy);
	}
}

int conf_parse_into(struct arena *keep, const char *name, const char *text, size_t len,
		    struct conf **ret, struct diags *d)
{
	struct parse p = { .keep = keep, .r.d = d, .name = name, .text = text, .len = len };
	size_t before = read_mistakes(&p.r);
	bool complete;

	*ret = NULL;
	p.work = keep ? arena_new(KEEP_MAX, keep) : NULL;
	config_init(&p.cfg);
	complete = p.work && arena_try(keep, parse_file, &p);
	config_destroy(&p.cfg);
	arena_free(p.work);
	if (!complete) {
		diags_add(d, (struct where){ name, 0 }, "out of memory");
		return -ENOMEM;
	}
	if (p.read && !p.r.no_engine)
		*ret = p.r.conf;
	if (read_mistakes(&p.r) == before)
		return 0;
	if (*ret)
		(*ret)->faulty = true;
	return -EINVAL;
}

/* ---- in a process of its own */

struct reading {                    /* what that process leaves */
	bool over;
	int r;
	struct conf *conf;
	struct diags mistakes;      /* texts are in the same memory */
};

/* Where it fails libconfig may write a line, end by abort(), or have buffers written that are not
 * its own: none of that is to be seen, and no memory dumped.
 * The process shares our memory while we wait for it (vfork): of one that has a copy, both sides
 * copy each page that they write afterwards, about 90 at a start, and the samplers would wait for
 * theirs during a reload. What it leaves behind where it fails is lost; the arena is
 * mapped shared all the same, as ThreadSanitizer makes every vfork() a fork(). */
static _Noreturn __attribute__((noinline)) void
read_apart(struct reading *to, struct arena *keep, const char *name, const char *text, size_t len)
{
	struct diags d = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGABRT, _exit);
	signal(SIGSEGV, _exit);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	to->r = conf_parse_into(keep, name, text, len, &to->conf, &d);
	to->mistakes = d;
	for (size_t i = 0; i < d.n; i++)
		to->mistakes.v[i] = arena_text(keep, d.v[i]);
	diags_done(&d);                         /* our memory is that of who waits */
	to->over = true;
	_exit(0);
}

int conf_parse_apart(const char *name, const char *text, size_t len, struct conf **ret,
		     struct diags *d)
{
	struct arena *keep = arena_shared(KEEP_BASE + len * KEEP_BYTE);
	struct reading *got = keep ? arena_alloc(keep, 1, sizeof(*got)) : NULL;
	pid_t pid = got ? vfork() : -1;
	bool no_process = got && pid < 0;
	int r = -ENOMEM, e = errno;

	if (pid == 0)
		read_apart(got, keep, name, text, len);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	*ret = NULL;
	if (no_process) {
		r = -e;
		diags_add(d, (struct where){ name, 0 }, "cannot start the process that reads it: "
			  "%s (is TasksMax too small?)", strerror(e));
	} else if (!got || !got->over) {
		diags_add(d, (struct where){ name, 0 }, "%s", !got ? "out of memory" :
			  "libconfig ended the process that reads it, for want of memory or by a "
			  "defect of its own");
	} else {
		r = got->r;
		*ret = got->conf;
		for (size_t i = 0; i < got->mistakes.n && got->mistakes.v[i]; i++)
			diags_add(d, (struct where){ NULL, 0 }, "%s", got->mistakes.v[i]);
		d->dropped += got->mistakes.dropped;
	}
	if (!*ret)
		arena_free(keep);
	return r;
}

static void make_default(void *v)
{
	struct parse *p = v;

	p->r.conf = new_conf(p);
	read_block(&p->r, &conf_root, NULL, p->r.conf);
}

/* Without libconfig, which ends the process where memory is short. */
struct conf *conf_default(void)
{
	struct parse p = { .keep = arena_new(KEEP_MAX, NULL), .name = "" };

	if (p.keep && arena_try(p.keep, make_default, &p))
		return p.r.conf;
	arena_free(p.keep);
	return NULL;
}

void conf_free(struct conf *c)
{
	if (c)
		arena_free(c->arena);
}

const char *conf_library(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "libconfig %d.%d.%d", LIBCONFIG_VER_MAJOR, LIBCONFIG_VER_MINOR,
		 LIBCONFIG_VER_REVISION);
	return text;
}
