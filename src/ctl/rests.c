/* SPDX-License-Identifier: MIT
 * What a metric's value rests on: published formulas, what a guest executed, what was measured.
 * Owns:  what of it is said of a metric; never more than there is.
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
	    verified_parse(text, n, time(NULL), ret, NULL) < 0 || machine_read(&m, NULL) < 0)
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
	char text[VERIFIED_TEXT];
	struct verified v;
	bool any = false;

	if (!is_measurable(metric))
		return;
	for (unsigned i = 0; read_verified(c, &v) && i < v.n; i++) {
		if (strcmp(v.v[i].name, metric) != 0)
			continue;
		json_array_append_new(list, js_text(verified_text(&v, &v.v[i], text)));
		any = true;
	}
	if (!any && !c->machine && !c->processor_given)
		json_array_append_new(list, js_text("not measured on this machine: uncorectl "
						    "verify does it"));
}

json_t *ctl_rests_on(const struct ctl *c, const struct cat_perf *t, const char *metric,
		     const char *formula)
{
	json_t *list = json_array();
	char executed[CAT_RESTS];

	json_array_append_new(list, js_text(formula));
	json_array_append_new(list, js_text(cat_rests_on(t, executed)));
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
