/* SPDX-License-Identifier: MIT
 * A whole configuration file. What is accepted keeps its promises; what is not has a
 * reason. */
#include "fuzz.h"

#include "../unit/conf_parse.h"
#include "conf/scan.h"

#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void require(int ok)
{
	if (!ok)
		abort();
}

static void check_terms(const struct cat_term *t)
{
	require(t && t->spec);
	for (; t->spec; t++)
		require(*t->spec && t->line > 0 && !t->faulty && isfinite(t->weight) &&
			t->weight != 0);
}

static void check_conf(const struct conf *c)
{
	require(c->interval >= NSEC_PER_MSEC && c->rotation >= c->interval &&
		c->rotation % c->interval == 0);
	require(c->n_listen > 0);
	require(c->groups_given == (c->n_groups > 0));
	for (unsigned i = 0; i < c->n_groups; i++)
		require(c->groups[i].name && c->groups[i].where.line > 0 &&
			(c->groups[i].n_specs || c->groups[i].n_metrics ||
			 c->groups[i].ready_made));
	for (unsigned i = 0; i < c->n_metrics; i++) {
		const struct cat_metric *m = &c->metrics[i].row;

		require(m->name && m->unit && isfinite(m->scale) && m->scale != 0);
		check_terms(m->num);
		if (m->den)
			check_terms(m->den);
		if (!m->guard)
			continue;
		require(m->guard->max >= 0);
		check_terms(m->guard->num);
		check_terms(m->guard->den);
	}
}

/* The lines on which settings begin, or the tokens behind them, are the text's own. */
static void check_lines(const config_setting_t *s, unsigned lines)
{
	require(config_setting_source_line(s) <= lines);
	for (int i = 0; config_setting_is_aggregate(s) && i < config_setting_length(s); i++)
		check_lines(config_setting_get_elem(s, (unsigned)i), lines);
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* What the scan has no complaint about, libconfig reads, in as many lines. */
static void check_scan(const uint8_t *data, size_t n)
{
	struct arena *a = arena_new((size_t)1 << 30, NULL);
	char *text = malloc(n + 2);
	struct diags d = { 0 };
	struct scan scan;
	config_t cfg;

	require(a && text);
	memcpy(text, data, n);
	memcpy(text + n, "\n", 2);
	if (scan_text(a, "f", text, &scan, &d) == 0) {
		require(count_lines(scan.text) == count_lines(text));
		config_init(&cfg);
		require(config_read_string(&cfg, scan.text));
		check_lines(config_root_setting(&cfg), count_lines(text));
		config_destroy(&cfg);
	}
	arena_free(a);
	diags_done(&d);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct diags d = { 0 };
	struct conf *c = NULL;

	if (conf_parse("f", (const char *)data, n, &c, &d) == 0) {
		require(d.n == 0);
		check_conf(c);
		conf_free(c);
	} else {
		require(d.n > 0 && !c);
		for (size_t i = 0; i < d.n; i++)
			require(strncmp(d.v[i], "f:", 2) == 0);
	}
	diags_done(&d);
	if (!memchr(data, '\0', n))
		check_scan(data, n);
	return 0;
}
