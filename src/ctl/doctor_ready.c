/* doctor_ready.c - what uncorectl doctor says of ready-made metrics: which can be counted here, and
 * why not the others.
 *
 * Owns:  one finding for each table and each reason.
 * Never: what a reason says (plan/ready.c).
 */
#include "ctl/doctor.h"

#include "base/strb.h"
#include "plan/ready.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 4096 };

struct absent {                     /* metrics that lack the same */
	char *why;
	struct strb names;
};

struct found {
	struct doctor *d;
	const struct cat_perf *table;
	struct strb ready, asked;   /* of the table: counted, and what only a configuration's groups
	                             * count */
	struct absent *v;
	unsigned n;
};

static void list_add(struct strb *s, const char *name)
{
	strb_addf(s, "%s%s", s->n ? ", " : "", name);
}

static struct absent *find_absent(struct found *f, const char *why)
{
	struct absent *v;

	for (unsigned i = 0; i < f->n; i++)
		if (strcmp(f->v[i].why, why) == 0)
			return &f->v[i];
	v = realloc(f->v, (f->n + 1) * sizeof(*v));
	if (!v)
		return NULL;
	f->v = v;
	v[f->n].why = strdup(why);
	strb_init(&v[f->n].names, LIST_MAX);
	return v[f->n].why ? &v[f->n++] : NULL;
}

/* A table that is for every processor has rows that few of them have: one line, of no weight. */
static void add_rare(struct found *f)
{
	struct strb names;

	strb_init(&names, LIST_MAX);
	for (unsigned i = 0; i < f->n; i++)
		list_add(&names, f->v[i].names.s);
	if (names.n)
		doctor_ok(f->d, "ready metrics", "%s: absent, as on most machines; uncorectl "
			  "describe tells what each of them needs", names.s);
	strb_done(&names);
}

/* The table is done. */
static void add_table(struct found *f)
{
	if (f->ready.n)
		doctor_ok(f->d, "ready metrics", "%s: %s", f->table->title, f->ready.s);
	if (f->asked.n)
		doctor_note(f->d, "ready metrics", "%s: %s: for a group of your own (uncorectl "
			    "describe METRIC names its events): no counters are left for it beside "
			    "the ready-made groups", f->table->title, f->asked.s);
	if (!f->table->vendor)
		add_rare(f);
	for (unsigned i = 0; i < f->n; i++) {
		if (f->table->vendor)
			doctor_note(f->d, "ready metrics", "%s: absent: %s", f->v[i].names.s,
				    f->v[i].why);
		free(f->v[i].why);
		strb_done(&f->v[i].names);
	}
	free(f->v);
	f->v = NULL;
	f->n = 0;
	strb_done(&f->ready);
	strb_done(&f->asked);
	strb_init(&f->ready, LIST_MAX);
	strb_init(&f->asked, LIST_MAX);
}

static void add_ready(void *p, const struct plan_ready *r)
{
	struct found *f = p;
	struct absent *reason;

	if (f->table && f->table != r->table)
		add_table(f);
	f->table = r->table;
	reason = r->absent ? find_absent(f, r->absent) : NULL;
	if (reason)
		list_add(&reason->names, r->metric->name);
	else if (!r->absent)
		list_add(r->by_default ? &f->ready : &f->asked, r->metric->name);
}

void doctor_find_ready(struct doctor *d)
{
	struct found f = { .d = d };

	if (!d->m.pmus)
		return;
	strb_init(&f.ready, LIST_MAX);
	strb_init(&f.asked, LIST_MAX);
	plan_ready_each(d->m.topo, d->m.pmus, add_ready, &f);
	if (f.table)
		add_table(&f);
	strb_done(&f.ready);
	strb_done(&f.asked);
}
