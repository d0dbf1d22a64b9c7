/* SPDX-License-Identifier: MIT
 * What a metric's value rests on: published formulas, what a guest executed, what was measured.
 * Owns:  the words for it; never more than there is.
 * Never: the formula (list_metrics.c), how it is measured (cmd_verify.c).
 */
#include "ctl/ctl.h"
#include "ctl/verify_rows.h"

#include "base/state_dir.h"
#include "expo/verified.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SENTENCE 256

/* What verify left of this machine. false: nothing that holds. A text has none. */
static bool read_verified(const struct ctl *c, struct verified *ret)
{
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = c->roots };
	AUTO_FREE(free) char *text = NULL;
	char processor[MACHINE_MODEL];
	struct host_versions now;
	size_t n;

	if (c->machine || c->processor_given ||
	    state_dir_read(c->roots.state, VERIFIED_FILE, &text, &n, NULL) < 0 || !text ||
	    verified_parse(text, n, ret, NULL) < 0 || machine_read(&m, NULL) < 0)
		return false;
	host_versions_read(&c->roots, &now);
	verified_compare(ret, &now, machine_model_text(&m, processor), false);
	return !ret->stale;
}

/* Does verify compare it with the bytes of its load? */
static bool is_measurable(const char *metric)
{
	char family[SENTENCE];
	bool any = false;

	snprintf(family, sizeof(family), "uncore_%s", metric);
	for (unsigned k = 0; k < COUNT(verify_rows); k++)
		any |= verify_row_measured(&verify_rows[k]) &&
		       fnmatch(verify_rows[k].name, family, FNM_EXTMATCH) == 0;
	return any;
}

static void add_measured(const struct ctl *c, const char *metric, json_t *list)
{
	struct verified v;
	bool any = false;

	if (!is_measurable(metric))
		return;
	for (unsigned i = 0; read_verified(c, &v) && i < v.n; i++) {
		time_t when = (time_t)v.timestamp;
		char text[SENTENCE], day[16];
		struct tm utc;

		if (strcmp(v.v[i].name, metric) != 0)
			continue;
		strftime(day, sizeof(day), "%F", gmtime_r(&when, &utc));
		snprintf(text, sizeof(text), "measured on this machine on %s, socket %u: error "
			 "%.4f of what was moved", day, v.v[i].socket, v.v[i].error);
		json_array_append_new(list, js_text(text));
		any = true;
	}
	if (!any && !c->machine && !c->processor_given)
		json_array_append_new(list, js_text("not measured on this machine: uncorectl "
						    "verify does it"));
}

json_t *ctl_rests_on(const struct ctl *c, const struct cat_perf *t, const char *metric)
{
	json_t *list = json_array();

	json_array_append_new(list, js_text("the published formula of its source"));
	if (!t)
		json_array_append_new(list, js_text("a model of the registers, by their manual"));
	else if (t->executed)
		json_array_append_new(list, json_sprintf("Linux's driver %s, executed in a guest "
							 "on registers of known rates",
							 t->executed));
	else
		json_array_append_new(list, js_text("perf of a guest's kernel, on PMUs of known "
						    "rates"));
	add_measured(c, metric, list);
	return list;
}

void ctl_print_rests(json_t *list)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		printf("%s%s\n", i ? "          " : "rests on: ", json_string_value(one));
	json_decref(list);
}
