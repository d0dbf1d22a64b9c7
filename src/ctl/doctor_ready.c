/* doctor_ready.c - what uncorectl doctor says of ready-made metrics: which can be counted here, and
 * why not the others.
 *
 * Owns:  one finding for each table and each reason.
 * Never: what a reason says (plan/ready.c).
 */
#include "ctl/doctor.h"

#include "base/strb.h"
#include "plan/ready.h"

enum { LIST_MAX = 4096 };

struct found {
	struct doctor *d;
	const struct cat_perf *table;
	struct strb ready, asked;   /* of the table: counted, and what only a configuration's groups
	                             * count */
	json_t *absent;             /* of the table: names of metrics, by what they lack */
};

static void list_add(struct strb *s, const char *name)
{
	strb_addf(s, "%s%s", s->n ? ", " : "", name);
}

/* The table is done. One that is for every processor has rows that few of them have: one line, of
 * no weight. */
static void add_table(struct found *f)
{
	struct strb rare;
	const char *why;
	json_t *names;

	if (f->ready.n)
		doctor_ok(f->d, "ready metrics", "%s: %s", f->table->title, f->ready.s);
	if (f->asked.n)
		doctor_note(f->d, "ready metrics", "%s: %s: for a group of your own (uncorectl "
			    "describe METRIC names its events): no counters are left for it beside "
			    "the ready-made groups", f->table->title, f->asked.s);
	strb_init(&rare, LIST_MAX);
	json_object_foreach(f->absent, why, names) {
		if (f->table->vendor)
			doctor_note(f->d, "ready metrics", "%s: absent: %s",
				    json_string_value(names), why);
		else
			list_add(&rare, json_string_value(names));
	}
	if (rare.n)
		doctor_ok(f->d, "ready metrics", "%s: absent, as on most machines; uncorectl "
			  "describe tells what each of them needs", rare.s);
	strb_done(&rare);
	json_object_clear(f->absent);
	strb_clear(&f->ready);
	strb_clear(&f->asked);
}

static void add_ready(void *p, const struct plan_ready *r)
{
	struct found *f = p;
	const char *name = r->metric->name, *before;

	if (f->table && f->table != r->table)
		add_table(f);
	f->table = r->table;
	if (!r->absent) {
		list_add(r->by_default ? &f->ready : &f->asked, name);
		return;
	}
	before = ctl_text(f->absent, r->absent);
	json_object_set_new_nocheck(f->absent, r->absent, before ?
				    json_sprintf("%s, %s", before, name) : json_string(name));
}

void doctor_find_ready(struct doctor *d)
{
	struct found f = { .d = d, .absent = json_object() };

	strb_init(&f.ready, LIST_MAX);
	strb_init(&f.asked, LIST_MAX);
	if (d->m.pmus)
		plan_ready_each(d->m.topo, d->m.pmus, add_ready, &f);
	if (f.table)
		add_table(&f);
	strb_done(&f.ready);
	strb_done(&f.asked);
	json_decref(f.absent);
}
