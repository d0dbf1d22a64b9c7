/* SPDX-License-Identifier: MIT
 * uncorectl stat: what was counted while a command ran, as perf stat says of a core.
 * Owns:  what its options mean together; the runs.
 * Never: counting; what a series means.
 */
#include "ctl/stat.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The option that says what to count, beside --config; NULL: none does. */
static const char *asked_by(const struct ctl *c)
{
	if (c->groups)
		return "groups";
	if (c->events.n)
		return "event";
	return c->metrics.n ? "metric" : NULL;
}

/* 0, or CTL_USAGE after a sentence. */
static int read_form(const struct ctl *c, struct stat_form *ret)
{
	const bool json = c->output && strcmp(c->output, "json") == 0;
	const bool csv = c->output && strcmp(c->output, "csv") == 0;

	ret->by = c->separator && strcmp(c->separator, "\\t") != 0 ? c->separator : "\t";
	if (!c->separator)
		ret->by = ",";
	ret->kind = STAT_TEXT;
	if (json)
		ret->kind = STAT_JSON;
	else if (csv || c->separator)
		ret->kind = STAT_CSV;
	if (c->output && !json && !csv)
		return ctl_fail(CTL_USAGE, "--output is json or csv, not %s; to write to a file: "
				"-o csv >%s", c->output, c->output);
	if (json && c->separator)
		return ctl_fail(CTL_USAGE, "--field-separator is of CSV, and --output asks for "
				"JSON: leave out one of them");
	if (!*ret->by || strpbrk(ret->by, "\"\n"))
		return ctl_fail(CTL_USAGE, "--field-separator needs text that is not empty, and "
				"has no quote or line feed in it");
	return 0;
}

static int check_options(const struct ctl *c, const char *what)
{
	if (c->config && asked_by(c))
		return ctl_fail(CTL_USAGE, "--%s and --config both say what to count: name "
				"one of them", asked_by(c));
	if (c->url_given && (what || c->engine))
		return ctl_fail(CTL_USAGE, "--url names a running uncored, which has its own "
				"groups; --%s starts another one: leave out one of them",
				what ?: "engine");
	if (c->machine && (!c->engine || strncmp(c->engine, "model", strlen("model")) != 0))
		return ctl_fail(CTL_USAGE, "what is a text cannot be counted, but simulated: add "
				"--engine model");
	if (c->repeat && !c->n_args)
		return ctl_fail(CTL_USAGE, "--repeat runs a command again, and there is none: "
				"write it after --");
	if (c->repeat && c->interval)
		return ctl_fail(CTL_USAGE, "--repeat has a mean of runs, --interval lines of one "
				"run: leave out one of them");
	return c->n_args ? ctl_child_find(c->args[0]) : 0;
}

static void run_all(struct stat_runs *s, int *code)
{
	for (int i = 0; i < s->runs; i++) {
		json_auto_t *before = NULL;

		*code = stat_count(s, &before);
		if (!s->about)
			return;
		stat_report_add(s, before);
	}
}

/* As whoever's reader has gone ends, after it has put everything back. */
static void end_unread(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

static int count_and_report(struct stat_runs *s)
{
	int code = 0, r = 0;

	run_all(s, &code);
	if (s->lines && stat_lines_failed(s->lines))
		return CTL_INTERNAL;            /* main() says it of standard output */
	if (s->lines && stat_lines_fd(s->lines) < 0)
		end_unread();
	/* the lines of an interval are the whole table; people want to know what they come to */
	if (s->about && (!s->lines || s->form.kind == STAT_TEXT))
		r = stat_report(s, code);
	return r ?: code;
}

/* Does one run already? */
static bool is_beside(const struct ctl *c)
{
	AUTO_FREE(free) char *there = NULL;

	return http_get(&c->server, "/api/v1/status", &there, NULL) == 0;
}

int ctl_stat(const struct ctl *c)
{
	struct stat_runs s = { .c = c, .groups = -1, .runs = c->repeat ?: 1 };
	const char *what = c->config ? "config" : asked_by(c);
	int r = read_form(c, &s.form);

	r = r ?: check_options(c, what);
	if (!r && what && !c->config)
		r = ctl_stat_conf(c, &s.groups);
	if (r)
		return r;
	s.beside = c->url_given || (!what && !c->engine && is_beside(c));
	s.gauges = !s.beside && !c->interval;
	s.rows = json_object();
	if (c->interval) {
		signal(SIGPIPE, SIG_IGN);       /* what was counted so far is put back first */
		s.lines = stat_lines_new(s.form);
		if (!s.lines)
			return ctl_fail(CTL_TEMPORARY, "there is no memory for lines");
	}
	if (!c->n_args && isatty(STDERR_FILENO))
		fputs("uncorectl: counting every socket; Ctrl-C ends it\n", stderr);
	r = count_and_report(&s);
	stat_lines_free(s.lines);
	json_decref(s.rows);
	json_decref(s.about);
	return r;
}
