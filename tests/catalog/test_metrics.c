/* SPDX-License-Identifier: MIT
 * Every derived metric of the register families is the formula that its source gives.
 * metrics.tsv was typed from the manuals and from other tools, not from the tables under test: a
 * metric that it does not have fails, as does one of its lines that no table has. (What is
 * ready-made for PMUs of Linux: tests/plan/test_defaults_metrics.c.)
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/strb.h"
#include "catalog/catalog.h"
#include "tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF, NAME, PER, FORMULA, SOURCE };

static struct tsv expected;

static void add_sum(struct strb *s, const struct cat_term *t)
{
	const char *plus = "";

	for (; t->spec; t++, plus = " + ") {
		strb_addf(s, "%s", plus);
		if (t->weight != 0 && t->weight != 1)
			strb_addf(s, "%g ", t->weight);
		strb_addf(s, "%s", t->spec);
	}
}

/* A row in the words of metrics.tsv. */
static char *formula(const struct cat_metric *m)
{
	struct strb s;

	strb_init(&s, 1000);
	if (m->complement)
		strb_addf(&s, "1 - ");
	if (m->scale != 0 && m->scale != 1)
		strb_addf(&s, "%g * ", m->scale);
	add_sum(&s, m->num);
	if (m->den) {
		strb_addf(&s, " / ");
		add_sum(&s, m->den);
	}
	if (m->cycles_of)
		strb_addf(&s, " @ %s", m->cycles_of);
	if (m->guard) {
		strb_addf(&s, " ! ");
		add_sum(&s, m->guard->num);
		strb_addf(&s, " / ");
		add_sum(&s, m->guard->den);
		strb_addf(&s, " %g", m->guard->max);
	}
	return strb_take(&s);
}

static bool is_of(const struct tsv_row *r, const char *processor)
{
	size_t n = strlen(processor);

	for (const char *p = r->col[OF]; *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == n && memcmp(p, processor, n) == 0)
			return true;
	return false;
}

/* "link_drs_utilization_ratio/s2r": the name and, of rows that share one, the link. */
static void name_of(const struct cat_metric *m, char *buf, size_t n)
{
	snprintf(buf, n, "%s%s%s", m->name, m->link ? "/" : "", m->link ? m->link : "");
}

static unsigned check_metric(const struct cat_processor *p, const struct cat_metric *m,
			     bool *seen)
{
	const char *per = m->per == CAT_PER_SOCKET ? "socket" : "unit";
	char name[200], *is = formula(m);
	unsigned bad = 0, found = 0;

	name_of(m, name, sizeof(name));
	for (unsigned i = 0; i < expected.n; i++) {
		const struct tsv_row *r = &expected.rows[i];

		if (!is_of(r, p->name) || strcmp(r->col[NAME], name) != 0)
			continue;
		found++;
		seen[i] = true;
		if (strcmp(r->col[FORMULA], is) != 0)
			bad += tsv_wrong(&expected, r, "the table has %s", is);
		if (strcmp(r->col[PER], per) != 0)
			bad += tsv_wrong(&expected, r, "the table has it per %s", per);
	}
	if (found != 1) {
		print_error("tests/catalog/metrics.tsv has %u lines for %s of %s instead of one; "
			    "add one: %s<tab>%s<tab>%s<tab>the formula, as its source has it"
			    "<tab>the source\n", found, name, p->name, p->name, name, per);
		bad++;
	}
	free(is);
	return bad;
}

static void test_every_metric_is_its_formula(void **state)
{
	bool *seen;
	unsigned bad = 0;

	(void)state;
	tsv_read(&expected, "metrics.tsv");
	seen = calloc(expected.n, sizeof(*seen));
	assert_non_null(seen);
	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];

		for (unsigned k = 0; k < p->metrics->n; k++)
			bad += check_metric(p, &p->metrics->v[k], seen);
	}
	for (unsigned i = 0; i < expected.n; i++) {
		const struct tsv_row *r = &expected.rows[i];

		if (!seen[i])
			bad += tsv_wrong(&expected, r, "no table has it");
		if (strlen(r->col[SOURCE]) < 4)
			bad += tsv_wrong(&expected, r, "it has no source");
	}
	assert_int_equal(bad, 0);
	free(seen);
	tsv_done(&expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_metric_is_its_formula) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
