/* conf.c - the configuration file: settings and groups.
 *
 * Owns:  the keys of the file, their defaults and bounds; the life of struct conf.
 * Never: whether an event exists, which machine this is.
 * Pure; parses bytes.
 */
#include "config.h"

#include "conf/read.h"

#include "base/strb.h"
#include "conf/scan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define GROUPS_MAX     256
#define EVENTS_MAX     1024         /* in one group */
#define METRICS_MAX    256
#define LISTEN_MAX     64
#define NAME_MAX_CHARS 64
#define KEEP_MAX       ((size_t)256 << 20)     /* memory; a file of CONF_MAX bytes takes less */
#define DEFAULT_LISTEN "127.0.0.1:10062"
#define EVENTS_EXAMPLE "events = [ \"bbox/IMT_INSERTS_ALL\" ]"
#define HOSTS_MAX      64
#define HOST_NAME      255          /* with a last dot and the end */
#define HOSTS_EXAMPLE  "hosts = [ \"box.example.org\" ]"
#define LISTEN_EXAMPLE "listen = [ \"" DEFAULT_LISTEN "\" ]"

/* ---- settings */

static void read_engine(struct reader *r, const config_setting_t *root)
{
	const char *text = read_key_text(r, root, "engine", false, "engine = \"auto\"");

	r->no_engine = read_key(root, "engine") && (!text || conf_engine_parse(text, &r->conf->engine) < 0);
	if (text && r->no_engine)
		diags_add(r->d, r->conf->engine_where, "engine = \"%.60s\": expected auto, registers, "
			  "perf or model[:PROCESSOR[:WORKLOAD]]", text);
}

static bool listed(const struct conf *c, const char *addr)
{
	for (unsigned i = 0; i < c->n_listen; i++) {
		if (strcmp(c->listen[i], addr) == 0)
			return true;
	}
	return false;
}

static void read_listen_one(struct reader *r, const config_setting_t *s)
{
	struct conf *c = r->conf;
	const char *text = read_text(r, s, "an address of listen", LISTEN_EXAMPLE);
	char host[64];
	uint16_t port;

	if (!text)
		return;
	if (conf_listen_parse(text, host, &port) < 0)
		read_bad(r, s, "listen: \"%.80s\" is not ADDR:PORT with a numeric address, such as "
			 "\"127.0.0.1:10062\", \"[::1]:10062\", or \":10062\" for all addresses", text);
	else if (port && listed(c, text))       /* 0: a new one each time */
		read_bad(r, s, "listen: \"%s\" is given twice", text);
	else
		c->listen[c->n_listen++] = read_copy(r, text);
}

static void read_listen(struct reader *r, const config_setting_t *root)
{
	const config_setting_t *s = read_key(root, "listen");
	struct conf *c = r->conf;
	unsigned n;

	if (!s || !read_list(r, s, "listen", false, LISTEN_EXAMPLE))
		return;
	n = (unsigned)config_setting_length(s);
	if (n > LISTEN_MAX) {
		read_bad(r, s, "listen has more than %d addresses", LISTEN_MAX);
		return;
	}
	c->n_listen = 0;
	c->listen = read_alloc(r, n, sizeof(*c->listen));
	c->listen_given = true;
	for (unsigned i = 0; i < n; i++)
		read_listen_one(r, config_setting_get_elem(s, i));
}

/* Letters and digits as in RFC 1123, and "_", which names of containers have. */
static bool is_host_name(const char *text)
{
	static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";

	return strlen(text) < HOST_NAME && strspn(text, chars) == strlen(text) && !strchr("-.", text[0]) && !strstr(text, "..") &&
	       text[strspn(text, "0123456789.")];
}

static void read_hosts(struct reader *r, const config_setting_t *root)
{
	const config_setting_t *s = read_key(root, "hosts");
	unsigned n = s && read_list(r, s, "hosts", false, HOSTS_EXAMPLE) ? (unsigned)config_setting_length(s) : 0;
	struct strb t;

	if (n > HOSTS_MAX) {
		read_bad(r, s, "hosts has more than %d names", HOSTS_MAX);
		return;
	}
	strb_init(&t, HOSTS_MAX * (HOST_NAME + 1));
	for (unsigned i = 0; i < n; i++) {
		const config_setting_t *e = config_setting_get_elem(s, i);
		const char *text = read_text(r, e, "a name of hosts", HOSTS_EXAMPLE);

		if (text && !is_host_name(text))
			read_bad(r, e, "hosts: \"%.80s\" is no host name, such as \"box.example.org\": no port, no \"*\"; addresses "
				 "need not be given", text);
		else if (text)
			strb_addf(&t, " %.*s", (int)(strlen(text) - (text[strlen(text) - 1] == '.')), text);
	}
	if (n)
		r->conf->hosts = arena_take(r->conf->arena, strb_take(&t));
}

/* ---- groups */

static void read_group_name(struct reader *r, const config_setting_t *s, struct conf_group *g)
{
	static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
	const char *name = read_key_text(r, s, "name", true, "name = \"memory\"");
	const config_setting_t *at = read_key(s, "name");

	r->conf->unnamed |= !name;
	if (!name)
		return;
	if (strspn(name, chars) != strlen(name) || strlen(name) > NAME_MAX_CHARS) {
		read_bad(r, at, "group name \"%.80s\": expected at most %d letters, digits, \"_\", "
			 "\"-\" and \".\"", name, NAME_MAX_CHARS);
		r->conf->unnamed = true;
		return;
	}
	for (const struct conf_group *o = r->conf->groups; o < g; o++) {
		if (o->name && strcmp(o->name, name) == 0)
			read_bad(r, at, "there are two groups \"%s\"; the first is on line %u", name,
				 o->where.line);
	}
	g->name = read_copy(r, name);
}

#define WINDOW_EXAMPLE "window = { event = \"bbox0/IMT_INSERTS_ALL\"; count = 1000000; }"

static void read_window(struct reader *r, const config_setting_t *s, struct conf_group *g)
{
	static const char *const known[] = { "event", "count", NULL };
	const char *text;

	if (!s)
		return;
	g->window.where = read_where(r, s);
	if (config_setting_type(s) != CONFIG_TYPE_GROUP) {
		read_bad(r, s, "window is a block: " WINDOW_EXAMPLE);
		return;
	}
	read_known(r, s, "window", known);
	text = read_key_text(r, s, "event", true, WINDOW_EXAMPLE);
	g->has_window = read_key_count(r, s, "count", &g->window.count) && text &&
			read_spec(r, read_key(s, "event"), text, &g->window.event);
	if (g->has_window)
		g->window.count_where = read_where(r, read_key(s, "count"));
}

static void read_group(struct reader *r, const config_setting_t *s, struct conf_group *g)
{
	static const char *const known[] = { "name", "events", "resolution", "distribution", "window", NULL };
	const config_setting_t *list;
	unsigned n;

	read_known(r, s, "a group", known);
	read_group_name(r, s, g);
	conf_resolution_read(r, s, &g->resolution);
	conf_distribution_read(r, s, true, &g->distribution);
	read_window(r, read_key(s, "window"), g);
	list = read_key(s, "events");
	if (!list)
		diags_add(r->d, g->where, "key \"events\" is missing in this group: " EVENTS_EXAMPLE);
	if (!list || !read_list(r, list, "events", true, EVENTS_EXAMPLE))
		return;
	n = (unsigned)config_setting_length(list);
	if (n > EVENTS_MAX) {
		read_bad(r, list, "a group has more than %d events", EVENTS_MAX);
		return;
	}
	g->specs = read_alloc(r, n, sizeof(*g->specs));
	for (unsigned i = 0; i < n; i++) {
		const config_setting_t *e = config_setting_get_elem(list, i);
		const char *text = read_text(r, e, "an event", EVENTS_EXAMPLE);

		if (text && read_spec(r, e, text, &g->specs[g->n_specs]))
			g->n_specs++;
	}
}

static void read_groups(struct reader *r, const config_setting_t *root)
{
	const config_setting_t *s = read_key(root, "groups");
	struct conf *c = r->conf;
	unsigned n;

	c->groups_given = s;
	if (!s || !read_list(r, s, "groups", false, "groups = ( { name = \"memory\"; " EVENTS_EXAMPLE "; } )"))
		return;
	n = (unsigned)config_setting_length(s);
	if (n > GROUPS_MAX) {
		read_bad(r, s, "more than %d groups", GROUPS_MAX);
		return;
	}
	c->groups = read_alloc(r, n, sizeof(*c->groups));
	for (unsigned i = 0; i < n; i++) {
		const config_setting_t *e = config_setting_get_elem(s, i);
		struct conf_group *g = &c->groups[c->n_groups];
		size_t before = read_mistakes(r);

		if (config_setting_type(e) != CONFIG_TYPE_GROUP) {
			read_bad(r, e, "a group is a block: groups = ( { name = \"memory\"; " EVENTS_EXAMPLE "; } )");
			c->unnamed = true;
			continue;
		}
		*g = (struct conf_group){ .where = read_where(r, e), .resolution = c->resolution };
		read_group(r, e, g);
		g->faulty = read_mistakes(r) != before;
		c->n_groups++;
	}
}

/* ---- metrics */

static void read_metrics(struct reader *r, const config_setting_t *root)
{
	const config_setting_t *s = read_key(root, "metrics");
	struct conf *c = r->conf;
	unsigned n;

	if (!s || !read_list(r, s, "metrics", false, "metrics = ( { name = \"imt_latency_cycles\"; ... } )"))
		return;
	n = (unsigned)config_setting_length(s);
	if (n > METRICS_MAX) {
		read_bad(r, s, "more than %d metrics", METRICS_MAX);
		return;
	}
	c->metrics = read_alloc(r, n, sizeof(*c->metrics));
	for (c->n_metrics = 0; c->n_metrics < n; c->n_metrics++) {
		struct conf_metric *m = &c->metrics[c->n_metrics];

		conf_metric_read(r, config_setting_get_elem(s, c->n_metrics), m);
		for (const struct conf_metric *o = c->metrics; m->name && o < m; o++) {
			if (o->name && strcmp(o->name, m->name) == 0)
				diags_add(r->d, m->where, "there are two metrics \"%s\"; the first is "
					  "on line %u", m->name, o->where.line);
		}
	}
}

/* ---- the file */

static void read_root(struct reader *r, const config_setting_t *root)
{
	static const char *const known[] = {
		"interval", "resolution", "rotation", "peak_window", "freeze", "takeover", "listen", "hosts", "engine", "groups", "metrics",
		NULL,
	};
	struct conf *c = r->conf;
	const struct { const char *key; struct where *where; } places[] = {
		{ "interval", &c->interval_where },
		{ "engine", &c->engine_where },
		{ "listen", &c->listen_where },
	};

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const config_setting_t *s = read_key(root, places[i].key);

		*places[i].where = s ? read_where(r, s) : (struct where){ c->file, 0 };
	}
	read_known(r, root, "the configuration", known);
	conf_times_read(r, root);
	read_key_bool(r, root, "freeze", &c->freeze);
	read_key_bool(r, root, "takeover", &c->takeover);
	read_listen(r, root);
	read_hosts(r, root);
	read_engine(r, root);
	read_groups(r, root);
	read_metrics(r, root);
}

/* Messages quote names: what has none that could be read gets a mark. */
static void name_all(struct reader *r)
{
	struct conf *c = r->conf;

	for (unsigned i = 0; i < c->n_groups; i++)
		if (!c->groups[i].name)
			c->groups[i].name = read_copy(r, "?");
	for (unsigned i = 0; i < c->n_metrics; i++)
		if (!c->metrics[i].name)
			c->metrics[i].name = read_copy(r, "?");
}

static struct conf *new_default(struct arena *a)
{
	struct conf *c = arena_alloc(a, 1, sizeof(*c));

	*c = (struct conf){ .arena = a, .interval = NSEC_PER_SEC, .rotation = NSEC_PER_SEC, .resolution.every = NSEC_PER_SEC,
			    .peak_window = 60 * NSEC_PER_SEC, .n_listen = 1, .listen = arena_alloc(a, 1, sizeof(*c->listen)) };
	c->listen[0] = arena_text(a, DEFAULT_LISTEN);
	return c;
}

struct parse {                      /* a file while it is read */
	struct arena *keep, *work;      /* the configuration's own; what ends with the reading */
	struct reader r;
	const char *name, *text;
	size_t len;
	config_t cfg;
	bool read;                      /* it was not malformed */
};

static void parse_text(struct parse *p, const char *text)
{
	struct reader *r = &p->r;
	struct scan scan;

	if (scan_text(p->work, r->conf->file, text, &scan, r->d) < 0)
		return;
	r->scan = &scan;
	p->read = config_read_string(&p->cfg, scan.text);
	if (!p->read) {
		diags_add(r->d, (struct where){ r->conf->file, (unsigned)config_error_line(&p->cfg) }, "%s",
			  config_error_text(&p->cfg));
		return;
	}
	read_root(r, config_root_setting(&p->cfg));
	name_all(r);
}

static void parse_file(void *v)
{
	struct parse *p = v;
	struct where at = { p->name, 1 };
	const char *nul;
	char *copy;

	if (p->len >= 3 && memcmp(p->text, "\xef\xbb\xbf", 3) == 0) {     /* the byte order mark of some editors */
		p->text += 3;
		p->len -= 3;
	}
	p->r.conf = new_default(p->keep);
	p->r.conf->file = arena_text(p->keep, p->name);
	nul = memchr(p->text, '\0', p->len);
	if (p->len > CONF_MAX) {
		diags_add(p->r.d, (struct where){ p->name, 0 }, "the file is larger than %u bytes", CONF_MAX);
	} else if (nul) {
		for (const char *c = p->text; c < nul; c++)
			at.line += *c == '\n';
		diags_add(p->r.d, at, "a NUL byte: this is no text file");
	} else {
		copy = arena_alloc(p->work, p->len + 2, 1);
		memcpy(copy, p->text, p->len);
		copy[p->len] = '\n';    /* to libconfig, a comment without newline is an error */
		parse_text(p, copy);
	}
}

int conf_parse_keep(const char *name, const char *text, size_t len, struct conf **ret, struct diags *d)
{
	struct parse p = { .keep = arena_new(KEEP_MAX, NULL), .r.d = d, .name = name, .text = text, .len = len };
	size_t before = read_mistakes(&p.r);
	bool whole;

	*ret = NULL;
	p.work = p.keep ? arena_new(KEEP_MAX, p.keep) : NULL;
	config_init(&p.cfg);
	whole = p.work && arena_try(p.keep, parse_file, &p);
	config_destroy(&p.cfg);
	arena_free(p.work);
	if (whole && p.read && !p.r.no_engine)
		*ret = p.r.conf;
	else
		arena_free(p.keep);
	if (!whole) {
		diags_add(d, (struct where){ name, 0 }, "out of memory");
		return -ENOMEM;
	}
	if (read_mistakes(&p.r) == before)
		return 0;
	if (*ret)
		(*ret)->faulty = true;
	return -EINVAL;
}

int conf_parse(const char *name, const char *text, size_t len, struct conf **ret, struct diags *d)
{
	struct conf *c;
	int r = conf_parse_keep(name, text, len, &c, d);

	if (r == 0)
		*ret = c;
	else
		conf_free(c);
	return r;
}

static void make_default(void *p)
{
	struct parse *d = p;

	d->r.conf = new_default(d->keep);
}

struct conf *conf_default(void)
{
	struct parse p = { .keep = arena_new(KEEP_MAX, NULL) };

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
