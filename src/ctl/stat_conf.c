/* SPDX-License-Identifier: MIT
 * What uncorectl stat counts where its options say it: a configuration for its uncored.
 * Owns:  the text of that; mistakes in it, by the option that has them.
 * Never: counting.
 */
#include "ctl/ctl.h"

#include "base/strb.h"

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

static void add_list(struct strb *b, const char *key, const struct ctl_texts *list)
{
	if (!list->n)
		return;
	strb_addf(b, "%s = [\n", key);
	for (unsigned i = 0; i < list->n; i++) {
		if (i)
			strb_add_char(b, ',');
		add_quoted(b, list->v[i], strlen(list->v[i]));
	}
	strb_add(b, "];");
}

/* Line 1 begins it; then each name of --groups has a line, the group begins, `events` and each of
 * --event, `metrics` and each of --metric. */
static char *text_of(const struct ctl *c, unsigned *ret_groups)
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
		add_list(&b, "events", &c->events);
		add_list(&b, "metrics", &c->metrics);
		strb_add(&b, "}");
	}
	strb_add(&b, ");\n");
	*ret_groups = n;
	return strb_take(&b);
}

/* The option that wrote this line, and what it has. */
static void print_option(const struct ctl *c, unsigned groups, unsigned line)
{
	const unsigned first_event = groups + 3;
	const unsigned first_metric = first_event + (c->events.n ? c->events.n + 1 : 0);
	const unsigned event = line - first_event, metric = line - first_metric;

	if (line < groups + 2)
		fputs("--groups: ", stderr);
	else if (line >= first_event && event < c->events.n)
		fprintf(stderr, "--event %s: ", c->events.v[event]);
	else if (line >= first_metric && metric < c->metrics.n)
		fprintf(stderr, "--metric %s: ", c->metrics.v[metric]);
	else
		fprintf(stderr, "--%s: ", c->events.n ? "event" : "metric");
}

/* "options:LINE: group 'stat': sentence" */
static void print_mistakes(const struct ctl *c, unsigned groups, struct diags *d)
{
	static const char place[] = NAME ":", group[] = "group '" GROUP "': ";

	for (size_t i = 0; i < d->n; i++) {
		char *text = d->v[i];

		fputs("uncorectl: ", stderr);
		if (strncmp(text, place, strlen(place)) == 0) {
			unsigned line = (unsigned)strtoul(text + strlen(place), &text, 10);

			print_option(c, groups, line);
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
	int r = c->engine ? conf_engine_parse(c->engine, &engine) : 0;

	conf_parse_apart(NAME, text, strlen(text), &conf, d);
	r = r < 0 ? r : machine_open(&asked, &engine, &m, NULL);
	if (r >= 0 && conf)
		machine_plan(&m, conf, 0, &plan, d);
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
	unsigned groups;
	char *text = text_of(c, &groups);

	if (!text)
		return ctl_fail(CTL_TEMPORARY, "there is no memory for the groups and events");
	check_names(c->groups, &d);
	if (!d.n)
		check(c, text, &d);
	if (d.n) {
		print_mistakes(c, groups, &d);
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
