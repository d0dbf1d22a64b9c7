/* SPDX-License-Identifier: MIT
 * uncorectl search, and what describe answers where a name is not exact.
 * Owns:  which results come first, and the names that look most like one that nothing has.
 * Never: what a result means (describe).
 */
#include "ctl/ctl.h"

#include "base/name.h"
#include "base/query.h"
#include "base/words.h"

#include <stdio.h>
#include <string.h>

enum kind { BOX, GROUP, METRIC, EVENT, UMASK, KINDS };
static const char *const kind_names[] = { "box", "group", "metric", "event", "unit mask" };

/* The places of results, the best first: exact names; names that have all words, by how much they
 * differ from what is asked, at most MOST; descriptions that have some of them, by kind. */
enum { MOST = 63, EXACT = 0, BY_NAME, BY_TEXT = BY_NAME + MOST + 1, PLACES = BY_TEXT + KINDS };

enum { NEAREST = 3 };

struct search {
	struct query query;
	const char *asked;
	json_t *found;                      /* results, the best first */
	size_t end[PLACES];                 /* in them, behind those of each place */
	struct {
		char name[CTL_NAME_TEXT];   /* "": none */
		unsigned distance;
	} near[NEAREST];                    /* the nearest first */
};

/* Something that can be found. */
struct item {
	enum kind kind;
	const char *of;                     /* processor, or table of the kernel's PMUs */
	const char *name;                   /* what describe takes */
	const char *help;
	const char *other;                  /* another name: without box; NULL: none */
	const char *const *alias;           /* more of them, ended by NULL; NULL: none */
	const char *more;                   /* text that is searched, too, and not shown */
};

static void offer_nearest(struct search *s, const char *name, unsigned d)
{
	unsigned i = NEAREST;

	for (unsigned k = 0; k < NEAREST; k++)
		if (strcmp(s->near[k].name, name) == 0)
			return;
	for (; i && (!*s->near[i - 1].name || d < s->near[i - 1].distance); i--)
		if (i < NEAREST)
			s->near[i] = s->near[i - 1];
	if (i == NEAREST)
		return;
	snprintf(s->near[i].name, sizeof(s->near[i].name), "%s", name);
	s->near[i].distance = d;
}

static void add_result(struct search *s, unsigned place, const struct item *i)
{
	for (size_t k = place ? s->end[place - 1] : 0; k < s->end[place]; k++) {
		json_t *j = json_array_get(s->found, k), *of;

		if (strcmp(ctl_text(j, "name"), i->name) != 0 ||
		    strcmp(ctl_text(j, "help"), i->help) != 0)
			continue;
		of = json_object_get(j, "processors");
		if (strcmp(json_string_value(json_array_get(of, json_array_size(of) - 1)),
			   i->of) != 0)
			json_array_append_new(of, js_text(i->of));
		return;
	}
	json_array_insert_new(s->found, s->end[place], JS_OBJECT(
		{ "kind", js_text(kind_names[i->kind]) }, { "name", js_text(i->name) },
		{ "help", js_text(i->help) },
		{ "processors", JS_LIST(n, 1, js_text(i->of)) }));
	for (; place < PLACES; place++)
		s->end[place]++;
}

/* What one name of an item adds to what is known of it. */
struct match {
	bool exact;
	uint32_t words;                     /* of the query */
	unsigned distance;
};

/* Unit masks are not named where nothing is found: their event is. */
static void match_name(struct search *s, struct match *m, const struct item *i, const char *name)
{
	unsigned d;

	if (!name)
		return;
	d = name_distance(s->asked, name);
	m->exact |= query_is(&s->query, name);
	m->words |= query_found(&s->query, name);
	m->distance = d < m->distance ? d : m->distance;
	if (i->kind != UMASK && name_is_typo(s->asked, name))
		offer_nearest(s, i->name, d);
}

/* Is it a result? */
static bool offer(struct search *s, const struct item *i)
{
	struct match m = { .distance = MOST };
	uint32_t all = query_all(&s->query);
	unsigned place = EXACT;

	match_name(s, &m, i, i->name);
	match_name(s, &m, i, i->other);
	for (const char *const *a = i->alias; a && *a; a++)
		match_name(s, &m, i, *a);
	if (!m.exact && m.words == all) {
		place = BY_NAME + m.distance;
	} else if (!m.exact) {
		m.words |= query_found(&s->query, i->help) | query_found(&s->query, i->more);
		place = BY_TEXT + i->kind;
	}
	if (!m.exact && m.words != all)
		return false;
	add_result(s, place, i);
	return true;
}

/* An event; where that is no result, its unit masks: theirs and its words together can be. */
static void offer_event(struct search *s, const char *of, const struct cat_box *b,
			const struct cat_event *e)
{
	char name[CTL_NAME_TEXT];
	struct item i = { EVENT, of, name, e->help, e->name, e->alias, e->note };

	snprintf(name, sizeof(name), "%s/%s", b->name, e->name);
	if (offer(s, &i))
		return;
	for (unsigned k = 0; k < e->n_umasks; k++) {
		const struct cat_umask *u = &e->umasks[k];

		snprintf(name, sizeof(name), "%s/%s:%s", b->name, e->name, u->name);
		offer(s, &(struct item){ UMASK, of, name, u->help ? u->help : e->help,
					 strchr(name, '/') + 1,
					 (const char *const[]){ u->alias, NULL }, e->help });
	}
}

static void offer_group(struct search *s, const char *of, const struct cat_group *g)
{
	char list[WORDS_TEXT], counts[sizeof(list) + 16];
	unsigned n = 0;

	while (g->specs[n])
		n++;
	snprintf(counts, sizeof(counts), "counts %s", words_join(list, sizeof(list), g->specs, n));
	offer(s, &(struct item){ GROUP, of, g->name, g->help ? g->help : counts, NULL, NULL,
				 counts });
}

static void offer_rows(struct search *s, const char *of, const struct cat_metric *metrics,
		       unsigned n_metrics, const struct cat_group *groups, unsigned n_groups)
{
	for (unsigned i = 0; i < n_metrics; i++)
		offer(s, &(struct item){ METRIC, of, metrics[i].name, .help = metrics[i].help });
	for (unsigned i = 0; i < n_groups; i++)
		offer_group(s, of, &groups[i]);
}

static void offer_processor(struct search *s, const struct cat_processor *p)
{
	for (unsigned i = 0; i < p->n_boxes; i++) {
		const struct cat_box *b = p->boxes[i];

		offer(s, &(struct item){ BOX, p->name, b->name, b->title, NULL, NULL, NULL });
		cat_each_event(e, b)
			offer_event(s, p->name, b, e);
	}
	offer_rows(s, p->name, p->metrics->v, p->metrics->n, p->groups, p->n_groups);
}

/* The metric, and the groups that yield it. */
static void offer_predefined(void *p, const struct plan_predefined *r)
{
	const struct cat_perf *t = r->table;

	if (r->absent)
		return;
	offer(p, &(struct item){ METRIC, t->name, r->metric->name, .help = r->metric->help });
	for (unsigned i = 0; i < t->n_groups; i++)
		if (cat_perf_yields(&t->groups[i], r->metric))
			offer_group(p, t->name, &t->groups[i]);
}

static void offer_kernel_events(struct search *s, const struct ctl *c)
{
	json_t *events = ctl_perf_list(c), *j;
	size_t i;

	json_array_foreach(events, i, j) {
		const char *help = ctl_text(j, "help"), *event = ctl_text(j, "event");

		offer(s, &(struct item){ EVENT, "this machine", ctl_text(j, "spec"),
					 help ? help : ctl_text(j, "terms"), event, NULL, NULL });
	}
	json_decref(events);
}

/* What is asked about, and where it has nothing, the other processors. Returns whether these were
 * searched. */
static bool search(struct search *s, const struct ctl *c)
{
	s->found = json_array();
	if (c->processor)
		offer_processor(s, c->processor);
	if (c->processor_given)
		return false;
	ctl_each_predefined(c, offer_predefined, s);
	offer_kernel_events(s, c);
	if (json_array_size(s->found))
		return false;
	for (unsigned i = 0; i < cat_n_processors; i++)
		offer_processor(s, cat_processors[i]);
	for (unsigned i = 0; i < cat_n_perfs; i++)
		offer_rows(s, cat_perfs[i]->name, cat_perfs[i]->metrics, cat_perfs[i]->n_metrics,
			   cat_perfs[i]->groups, cat_perfs[i]->n_groups);
	return true;
}

static void print_result(json_t *j, bool elsewhere)
{
	const char *before = " (";
	json_t *of;
	size_t k;

	printf("%-9s %-36s %s", ctl_text(j, "kind"), ctl_text(j, "name"), ctl_text(j, "help"));
	json_array_foreach(json_object_get(j, "processors"), k, of) {
		if (!elsewhere)
			break;
		printf("%s%s", before, json_string_value(of));
		before = ", ";
	}
	puts(elsewhere ? ")" : "");
}

static int nothing(const struct search *s, const struct ctl *c)
{
	const char *of = c->processor_given ? c->processor->name : "uncored";
	const char *names[NEAREST] = { NULL };
	char list[WORDS_TEXT];
	unsigned n = 0;

	for (; n < NEAREST && *s->near[n].name; n++)
		names[n] = s->near[n].name;
	words_join(list, sizeof(list), names, n);
	if (n)
		return ctl_fail(CTL_CONFIG, "%s has nothing called '%s'; the nearest %s %s", of,
				s->asked, n == 1 ? "is" : "are", list);
	return ctl_fail(CTL_CONFIG, "%s has nothing called '%s'; see: uncorectl list events%s%s",
			of, s->asked, c->processor ? " --processor " : "",
			c->processor ? c->processor->name : "");
}

int ctl_search_for(const struct ctl *c, const char *asked, bool of_describe)
{
	struct search s = { .asked = strncmp(asked, "uncore_", 7) == 0 ? asked + 7 : asked };
	bool elsewhere;
	json_t *j;
	size_t k;
	int r = 0;

	query_add(&s.query, s.asked);
	if (!s.query.n)
		return ctl_fail(CTL_USAGE, "no word to search for in '%s'", asked);
	elsewhere = search(&s, c);
	if (!json_array_size(s.found)) {
		json_decref(s.found);
		if (c->unread.text[0] && !*s.near[0].name)
			return ctl_fail(CTL_UNAVAILABLE, "%s", c->unread.text);
		return nothing(&s, c);
	}
	if (of_describe)
		fprintf(stderr, "uncorectl: there is no '%s'; these contain its words:\n", asked);
	if (c->json) {
		r = ctl_json(JS_OBJECT({ "search", js_text(asked) }, { "results", s.found }));
	} else {
		json_array_foreach(s.found, k, j)
			print_result(j, elsewhere);
		json_decref(s.found);
	}
	return of_describe && !r ? CTL_CONFIG : r;
}

int ctl_search_none(const struct ctl *c, const char *word)
{
	struct search s = { .asked = word };
	size_t n;

	query_add(&s.query, word);
	search(&s, c);
	n = json_array_size(s.found);
	json_decref(s.found);
	return !n ? nothing(&s, c) : ctl_fail(CTL_CONFIG, "none of them has '%s'; see: uncorectl "
					      "search '%s'", word, word);
}

/* What is called so is in the catalog, with or without its labels. */
static int search_series(const struct ctl *c, const char *text)
{
	struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	char family[CTL_NAME_TEXT];
	const char *help = NULL, *instead = family;
	int r = 0;

	snprintf(family, sizeof(family), "%.*s", (int)strcspn(text, "{"), text);
	if (a)
		instead = ctl_of_series(c, a, family, &help);
	if (help && c->json)
		r = ctl_json(JS_OBJECT({ "search", js_text(text) }, { "results", JS_LIST(i, 1,
			JS_OBJECT({ "kind", js_text("series") }, { "name", js_text(family) },
				  { "help", js_text(help) }, { "processors", json_array() })) }));
	else if (help)
		printf("%-9s %-36s %s\n", "series", family, help);
	else
		r = ctl_search_for(c, instead == family ? text : instead, false);
	arena_free(a);
	return r;
}

int ctl_search(const struct ctl *c)
{
	char words[QUERY_TEXT];
	size_t at = 0;

	for (int i = 0; i < c->n_args && at < sizeof(words); i++)
		at += (size_t)snprintf(words + at, sizeof(words) - at, "%s%s", i ? " " : "",
				       c->args[i]);
	if (c->n_args == 1 && (!strchr(words, ' ') || strchr(words, '{')))
		return search_series(c, words);
	return ctl_search_for(c, words, false);
}
