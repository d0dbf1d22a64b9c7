/* SPDX-License-Identifier: MIT
 * What uncorectl stat counts where its options say it: a configuration for its uncored.
 * Owns:  the text of that; mistakes in it, by the option that has them.
 * Never: counting.
 */
#include "ctl/ctl.h"

#include "base/name.h"
#include "base/strb.h"
#include "machine/perf_try.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME    "options"               /* of the text, in mistakes: "options:LINE: ..." */
#define GROUP   "stat"                  /* what --event and --metric make */

/* A line of the text; what it may not have in it is refused later. */
static void add_quoted(struct strb *b, const char *text, size_t n)
{
	strb_add_char(b, '"');
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"' || text[i] == '\\')
			strb_add_char(b, '\\');
		strb_add_char(b, text[i] == '\n' ? ' ' : text[i]);
	}
	strb_add(b, "\"\n");
}

/* Was it copied from /metrics? The alias uncore_clock was not. */
static bool is_series(const char *text)
{
	size_t n = strlen(text), total = strlen("_total");

	return name_after(text, "uncore_") && !strchr(text, '/') &&
	       (strchr(text, '{') || (n > total && strcmp(text + n - total, "_total") == 0));
}

/* Item i of a list of the group: `metrics` has what --metric says, then what --event says if it is
 * a series; `events` has the rest. NULL: there are not as many. */
static const char *item(const struct ctl *c, bool metrics, unsigned i, const char **ret_option)
{
	*ret_option = "--metric";
	if (metrics && i < c->metrics.n)
		return c->metrics.v[i];
	i -= metrics ? c->metrics.n : 0;
	*ret_option = "--event";
	for (unsigned k = 0; k < c->events.n; k++)
		if (is_series(c->events.v[k]) == metrics && i-- == 0)
			return c->events.v[k];
	return NULL;
}

/* Returns how many lines it takes. */
static unsigned add_list(struct strb *b, const struct ctl *c, bool metrics)
{
	const char *text, *option;
	unsigned n = 0;

	for (; (text = item(c, metrics, n, &option)); n++) {
		if (n)
			strb_add_char(b, ',');
		else
			strb_addf(b, "%s = [\n", metrics ? "metrics" : "events");
		add_quoted(b, text, strlen(text));
	}
	strb_add(b, n ? "];" : "");
	return n ? n + 1 : 0;
}

struct text {
	unsigned groups;                /* names of --groups, each of which has a line */
	unsigned events;                /* lines that `events` takes, its head and each item */
};

/* Line 1 begins it; then each name of --groups has a line, the group begins, `events` and each of
 * its items, `metrics` and each of its. */
static char *text_of(const struct ctl *c, struct text *ret)
{
	struct strb b;
	unsigned n = 0;

	strb_init(&b, CONF_MAX);
	strb_add(&b, "groups = (\n");
	for (const char *name = c->groups; name; n++) {
		size_t length = strcspn(name, ",");

		if (n)
			strb_add_char(&b, ',');
		add_quoted(&b, name, length);
		name = name[length] ? name + length + 1 : NULL;
	}
	if (c->events.n || c->metrics.n) {
		strb_addf(&b, "%s{ name = \"" GROUP "\";", n ? "," : "");
		ret->events = add_list(&b, c, false);
		add_list(&b, c, true);
		strb_add(&b, "}");
	}
	strb_add(&b, ");\n");
	ret->groups = n;
	return strb_take(&b);
}

/* The option that wrote this line, and what it has. */
static void print_option(const struct ctl *c, const struct text *t, unsigned line)
{
	const unsigned first = t->groups + 3;
	bool metrics = line >= first + t->events;
	const char *text, *option;

	if (line < t->groups + 2) {
		fputs("--groups: ", stderr);
		return;
	}
	text = item(c, metrics, line - first - (metrics ? t->events : 0), &option);
	if (line >= first && text)
		fprintf(stderr, "%s %s: ", option, text);
	else
		fprintf(stderr, "--%s: ", c->events.n ? "event" : "metric");
}

/* "options:LINE: group 'stat': sentence" */
static void print_mistakes(const struct ctl *c, const struct text *t, struct diags *d)
{
	static const char place[] = NAME ":", group[] = "group '" GROUP "': ";

	for (size_t i = 0; i < d->n; i++) {
		char *text = d->v[i];

		fputs("uncorectl: ", stderr);
		if (strncmp(text, place, strlen(place)) == 0) {
			unsigned line = (unsigned)strtoul(text + strlen(place), &text, 10);

			print_option(c, t, line);
			text += strspn(text, ": ");
		}
		if (strncmp(text, group, strlen(group)) == 0)
			text += strlen(group);
		fprintf(stderr, "%s\n", text);
	}
	diags_done(d);
}

/* What is told of a line that nobody wrote would not be understood. */
static void check_names(const char *groups, struct diags *d)
{
	static const struct where at = { "--groups", 0 };

	for (const char *name = groups; name;) {
		const size_t n = strcspn(name, ",");

		if (!n)
			diags_add(d, at, "a name is empty in '%s'", groups);
		for (const char *o = groups; n && o < name; o += strcspn(o, ",") + 1)
			if (strcspn(o, ",") == n && strncmp(o, name, n) == 0)
				diags_add(d, at, "'%.*s' is named twice", (int)n, name);
		name = name[n] ? name + n + 1 : NULL;
	}
}

/* Can --engine count that here? Of no engine that there is not: uncored says so when it starts. */
static void check(const struct ctl *c, const char *text, struct diags *d)
{
	const struct machine_options asked = { .roots = c->roots, .plan_only = true, .sockets = 1,
					       .machine = c->machine };
	struct conf_engine_choice engine = { .kind = CONF_AUTO };
	struct conf *conf = NULL;
	struct plan *plan = NULL;
	struct machine m = { 0 };
	struct perf_try tried;
	int r = c->engine ? conf_engine_parse(c->engine, &engine) : 0;

	conf_parse_apart(NAME, text, strlen(text), &conf, d);
	r = r < 0 ? r : machine_open(&asked, &engine, &m, NULL);
	if (r >= 0 && conf)
		machine_plan(&m, conf, 0, &plan, d);
	if (plan && m.kernel && perf_try(&m, plan, &tried) < 0)         /* a simulated one */
		diags_add(d, (struct where){ NULL, 0 }, "%s", tried.why.text);
	plan_free(plan);
	conf_free(conf);
	machine_close(&m);
}

/* In memory, at a descriptor above those of an uncored; -errno. */
static int file_of(const char *text)
{
	AUTO_FD int made = memfd_create("groups", MFD_CLOEXEC);
	int fd = fcntl(made, F_DUPFD_CLOEXEC, 9);

	if (fd < 0)
		return -errno;
	fchmod(fd, 0600);
	dprintf(fd, "%s", text);
	return fd;
}

int ctl_stat_conf(const struct ctl *c, int *ret_fd)
{
	struct diags d = { 0 };
	struct text t = { 0 };
	char *text = text_of(c, &t);

	if (!text)
		return ctl_fail(CTL_TEMPORARY, "there is no memory for the groups and events");
	check_names(c->groups, &d);
	if (!d.n)
		check(c, text, &d);
	if (d.n) {
		print_mistakes(c, &t, &d);
		free(text);
		return CTL_CONFIG;
	}
	*ret_fd = file_of(text);
	free(text);
	if (*ret_fd < 0)
		return ctl_fail(CTL_TEMPORARY, "there is no file for the groups and events: %s",
				strerror(-*ret_fd));
	return 0;
}
