/* SPDX-License-Identifier: MIT
 * uncorectl search, and what describe answers where a name is not exact.
 * Owns:  which results come first, and the names that look most like one that nothing has.
 * Never: what a result means (describe), what a word means (search_words.c).
 */
#include "ctl/ctl.h"

#include "base/bits.h"
#include "base/name.h"
#include "base/query.h"
#include "base/words.h"
#include "ctl/search_lacks.h"
#include "ctl/search_words.h"
#include "planner/defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { BOX, GROUP, METRIC, EVENT, UMASK, KINDS };
static const char *const kind_names[] = { "box", "group", "metric", "event", "unit mask" };

/* The places of results, the best first: answers to a question that is asked often; exact names;
 * what is next to such an answer; names that have all words, or words that mean the same, by how
 * much they differ from what is asked, at most MOST, and of words groups and metrics first;
 * descriptions that have some of them, by kind; names that have all words but one, by kind. */
enum { MOST = 63, ANSWER = 0, EXACT = ANSWER + SEARCH_ANSWERS, INSTEAD,
       BY_NAME = INSTEAD + COUNT(((struct search_question *)0)->instead),
       EVENT_BY_NAME = BY_NAME + MOST + 1,
       BY_TEXT = EVENT_BY_NAME + MOST + 1, BUT_ONE = BY_TEXT + KINDS, PLACES = BUT_ONE + KINDS };

enum { NEAREST = 3 };

struct search {
	struct query typed, query;          /* as it was, and what it means */
	struct search_words words;
	struct search_lacks lacks;
	bool but_one;                       /* all words but one are enough */
	bool words_typed;                   /* words, not what is perhaps a name */
	const char *asked;
	json_t *parts;                      /* ctl_group_parts() */
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
	const char *of;                     /* processor, or table of the kernel's PMUs, as -p
					     * takes it; what is asked about, of its kernel */
	const char *name;                   /* what describe takes */
	const char *help;
	const char *other;                  /* another name: without box; NULL: none */
	const char *const *alias;           /* more of them, ended by NULL; NULL: none */
	const char *more;                   /* text that is searched, too, and not shown */
	const char *unit, *group;           /* of a metric; NULL: none */
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

/* Of several machines one line, although they may describe it in other words. */
static bool is_result(json_t *j, const struct item *i)
{
	return strcmp(ctl_text(j, "name"), i->name) == 0 &&
	       strcmp(ctl_text(j, "kind"), kind_names[i->kind]) == 0;
}

static bool same_group(json_t *j, const char *group)
{
	const char *has = ctl_text(j, "group");

	return has && group ? strcmp(has, group) == 0 : has == group;
}

static void take_result(struct search *s, size_t k)
{
	json_array_remove(s->found, k);
	for (unsigned place = 0; place < PLACES; place++)
		if (s->end[place] > k)
			s->end[place]--;
}

/* The result that is there already, and its index; NULL: there is none. */
static json_t *find_result(const struct search *s, const struct item *i, size_t *ret_k)
{
	json_t *j;
	size_t k;

	json_array_foreach(s->found, k, j)
		if (is_result(j, i)) {
			*ret_k = k;
			return j;
		}
	return NULL;
}

/* One that is there already moves to the better place. */
static void add_result(struct search *s, unsigned place, const struct item *i)
{
	size_t k = 0;
	json_t *of, *j = find_result(s, i, &k);

	if (j && k < s->end[place]) {
		if (i->of)
			ctl_add_once(json_object_get(j, "processors"), i->of);
		if (i->kind == METRIC && !same_group(j, i->group))
			json_object_del(j, "group");    /* that of one of them */
		return;
	}
	of = json_array();
	if (j) {
		json_array_extend(of, json_object_get(j, "processors"));
		take_result(s, k);
	}
	if (i->of)
		ctl_add_once(of, i->of);
	json_array_insert_new(s->found, s->end[place], JS_OBJECT(
		{ "kind", js_text(kind_names[i->kind]) }, { "name", js_text(i->name) },
		{ "help", js_text(i->help) }, { "unit", i->unit ? js_text(i->unit) : NULL },
		{ "group", i->group ? js_text(i->group) : NULL },
		{ "processors", of }));
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
	m->exact |= query_is(&s->typed, name);
	m->words |= search_words_found(&s->words, name);
	m->distance = d < m->distance ? d : m->distance;
	if (i->kind != UMASK && name_is_typo(s->asked, name))
		offer_nearest(s, i->name, d);
}

/* "perf/arm_cmn/EVENT/", where the only instance that the kernel has is arm_cmn_0. */
static bool is_event_of(const struct item *i, const char *name)
{
	const char *pmu = name_after(name, "perf/"), *of = name_after(i->name, "perf/");
	size_t n = pmu ? strcspn(pmu, "/") : 0;

	if (!pmu || !of || strncmp(pmu, of, n) != 0 || of[n] != '_')
		return false;
	of += n + 1;
	return strcmp(of + strspn(of, "0123456789"), pmu + n) == 0;
}

/* By its name, or as "TABLE NAME". */
static bool is_called(const struct item *i, const char *name)
{
	const char *blank = strchr(name, ' ');
	size_t table = blank ? (size_t)(blank - name) : 0;

	if (is_event_of(i, name))
		return true;

	if (blank && (!i->of || strlen(i->of) != table || strncmp(name, i->of, table) != 0))
		return false;
	return strcmp(blank ? blank + 1 : name, i->name) == 0;
}

/* Its place among a question's names; n: it is none of them. */
static unsigned among(const char *const *names, unsigned n, const struct item *i)
{
	for (unsigned k = 0; k < n && names[k] && i->kind != BOX; k++)
		if (is_called(i, names[k]))
			return k;
	return n;
}

/* Where a name is found that the question has; PLACES: it has it not. */
static unsigned place_of_answer(const struct search *s, const struct item *i)
{
	const struct search_question *q = s->lacks.question;
	unsigned k;

	if (!q)
		return PLACES;
	k = among(q->names, COUNT(q->names), i);
	if (k < COUNT(q->names))
		return ANSWER + k;
	k = among(q->instead, COUNT(q->instead), i);
	return k < COUNT(q->instead) ? INSTEAD + k : PLACES;
}

/* The place by the words that it has; PLACES: it is no result. */
static unsigned place_of_words(const struct search *s, const struct match *m, const struct item *i)
{
	uint32_t all = query_all(&s->query), text;

	if (m->exact)
		return EXACT;
	if (m->words == all)
		return (s->words_typed && i->kind != GROUP && i->kind != METRIC ?
			EVENT_BY_NAME : BY_NAME) + m->distance;
	text = m->words | search_words_found(&s->words, i->help) |
	       search_words_found(&s->words, i->more);
	if (text == all)
		return BY_TEXT + i->kind;
	if (s->but_one && i->kind != UMASK && m->words && __builtin_popcount(all & ~m->words) == 1)
		return BUT_ONE + i->kind;
	return PLACES;
}

/* Is it a result that has all words? */
static bool offer(struct search *s, const struct item *i)
{
	struct match m = { .distance = MOST };
	unsigned place = place_of_answer(s, i);

	match_name(s, &m, i, i->name);
	match_name(s, &m, i, i->other);
	for (const char *const *a = i->alias; a && *a; a++)
		match_name(s, &m, i, *a);
	if (place == PLACES)
		place = place_of_words(s, &m, i);
	if (place == PLACES)
		return false;
	add_result(s, place, i);
	return place < BUT_ONE;
}

/* An event; where that is no result, its unit masks: theirs and its words together can be. */
static void offer_event(struct search *s, const char *of, const struct cat_box *b,
			const struct cat_event *e)
{
	char name[CTL_NAME_TEXT];
	struct item i = { EVENT, of, name, e->help, e->name, e->alias, e->note, NULL, NULL };

	snprintf(name, sizeof(name), "%s/%s", b->name, e->name);
	if (offer(s, &i))
		return;
	for (unsigned k = 0; k < e->n_umasks; k++) {
		const struct cat_umask *u = &e->umasks[k];

		snprintf(name, sizeof(name), "%s/%s:%s", b->name, e->name, u->name);
		offer(s, &(struct item){ UMASK, of, name, u->help ? u->help : e->help,
					 strchr(name, '/') + 1,
					 (const char *const[]){ u->alias, NULL }, e->help,
					 NULL, NULL });
	}
}

/* other: another name of it; NULL: none. counts: what it is made of; NULL: of other groups. */
static void offer_group_of(struct search *s, const char *of, const char *name, const char *other,
			   const char *help, const char *counts)
{
	char *here = ctl_group_help(s->parts, name, help);

	offer(s, &(struct item){ GROUP, of, name, here ?: help, other, NULL, counts, NULL, NULL });
	free(here);
}

static void offer_group(struct search *s, const char *of, const struct cat_group *g)
{
	char list[WORDS_TEXT], counts[sizeof(list) + 16];
	unsigned n = 0;

	while (g->specs[n])
		n++;
	snprintf(counts, sizeof(counts), "counts %s", words_join(list, sizeof(list), g->specs, n));
	offer_group_of(s, of, g->name, plan_ready_other(g), g->help, counts);
	if (g->set)
		offer_group_of(s, of, g->set->name, NULL, g->set->help, NULL);
}

static void offer_metric(struct search *s, const char *of, const struct cat_metric *m,
			 const struct cat_group *groups, unsigned n_groups)
{
	const char *group = NULL;

	for (unsigned i = 0; i < n_groups && !group; i++)
		if (cat_perf_yields(&groups[i], m))
			group = groups[i].name;
	offer(s, &(struct item){ METRIC, of, m->name, .help = m->help, .unit = m->unit,
				 .group = group });
}

static void offer_rows(struct search *s, const char *of, const struct cat_metric *metrics,
		       unsigned n_metrics, const struct cat_group *groups, unsigned n_groups)
{
	for (unsigned i = 0; i < n_metrics; i++)
		if (!metrics[i].absent)
			offer_metric(s, of, &metrics[i], groups, n_groups);
	for (unsigned i = 0; i < n_groups; i++)
		offer_group(s, of, &groups[i]);
}

static void offer_processor(struct search *s, const struct cat_processor *p)
{
	for (unsigned i = 0; i < p->n_boxes; i++) {
		const struct cat_box *b = p->boxes[i];

		offer(s, &(struct item){ .kind = BOX, .of = p->name, .name = b->name,
					 .help = b->title });
		cat_each_event(e, b)
			offer_event(s, p->name, b, e);
	}
	for (const struct cat_mention *m = p->mentions; m && m->name; m++)
		offer(s, &(struct item){ .kind = EVENT, .of = p->name, .name = m->name,
					 .help = m->help });
	offer_rows(s, p->name, p->metrics->v, p->metrics->n, p->groups, p->n_groups);
}

/* The rows of a table, and those of sets for the same processors, which have no name of theirs. */
static void offer_table(struct search *s, const struct cat_perf *t)
{
	offer_rows(s, t->name, t->metrics, t->n_metrics, t->groups, t->n_groups);
	for (unsigned i = 0; i < cat_n_perfs; i++) {
		const struct cat_perf *o = cat_perfs[i];

		if (o->sets && cat_perf_adds_to(o, t))
			offer_rows(s, t->name, o->metrics, o->n_metrics, o->groups, o->n_groups);
	}
}

/* The metric, and the groups that yield it. */
static void offer_predefined(void *p, const struct plan_predefined *r)
{
	const struct cat_perf *t = r->table;
	const char *of = r->of->name;
	struct search *s = p;

	if (!s->lacks.numbers)
		s->lacks.numbers = search_numbers_of(s->lacks.question, of);
	s->lacks.reason = search_reason_of(s->lacks.question, of, s->lacks.reason);
	if (r->absent) {
		const struct item i = { .kind = METRIC, .of = of, .name = r->metric->name };

		if ((place_of_answer(s, &i) < EXACT ||
		     search_words_found(&s->words, i.name) == query_all(&s->query)) &&
		    !s->lacks.absent.text[0])
			err_set(&s->lacks.absent, 0, "%s", r->absent);
		if (place_of_answer(s, &i) < EXACT && r->metric->knee &&
		    strstr(r->absent, "verify --curve"))
			err_set(&s->lacks.unmeasured, 0, "%s needs a measurement: %s", i.name,
				r->absent);
		return;
	}
	offer_metric(s, of, r->metric, t->groups, t->n_groups);
	for (unsigned i = 0; i < t->n_groups; i++)
		if (cat_perf_yields(&t->groups[i], r->metric))
			offer_group(s, of, &t->groups[i]);
}

static void offer_kernel_events(struct search *s, const struct ctl *c)
{
	json_t *events = ctl_perf_list(c), *j;
	size_t i;

	json_array_foreach(events, i, j) {
		const char *help = ctl_text(j, "help"), *event = ctl_text(j, "event");

		offer(s, &(struct item){ EVENT, search_whose(c), ctl_text(j, "spec"),
					 help ? help : ctl_text(j, "terms"), event, NULL, NULL,
					 NULL, NULL });
	}
	json_decref(events);
}

/* What is asked about, and where it has nothing, the other processors. Returns whether these were
 * searched. */
static bool search(struct search *s, const struct ctl *c)
{
	s->found = json_array();
	search_words_of(&s->query, &s->words);
	if (c->processor)
		offer_processor(s, c->processor);
	if (c->processor_given)
		return false;
	s->parts = ctl_group_parts(c);
	ctl_each_predefined(c, offer_predefined, s);
	json_decref(s->parts);
	s->parts = NULL;
	offer_kernel_events(s, c);
	if (s->end[BUT_ONE - 1])
		return false;
	s->but_one = false;
	for (unsigned i = 0; i < cat_n_processors; i++)
		offer_processor(s, cat_processors[i]);
	for (unsigned i = 0; i < cat_n_perfs; i++)
		if (!cat_perfs[i]->sets)
			offer_table(s, cat_perfs[i]);
	return true;
}

static void offer_word(void *p, const char *word)
{
	struct search *s = p;

	offer_nearest(s, word, name_distance(s->asked, word));
}

/* list_name: which list shows all that could be meant. */
static int nothing(struct search *s, const struct ctl *c, const char *list_name)
{
	const char *of = c->processor_given ? c->processor->name : "uncored";
	const char *names[NEAREST] = { NULL };
	char list[WORDS_TEXT];
	unsigned n = 0;

	search_words_near(s->asked, offer_word, s);
	for (; n < NEAREST && *s->near[n].name; n++)
		names[n] = s->near[n].name;
	words_join(list, sizeof(list), names, n);
	if (n)
		return ctl_fail(CTL_CONFIG, "%s has nothing called '%s'; the nearest %s %s", of,
				s->asked, n == 1 ? "is" : "are", list);
	return ctl_fail(CTL_CONFIG, "%s has nothing called '%s'; see: uncorectl list %s%s%s",
			of, s->asked, list_name, c->processor ? " --processor " : "",
			c->processor ? c->processor->name : "");
}

/* The first result has this very name, and is of other processors. */
static void say_where(const struct search *s, const struct ctl *c)
{
	json_t *of = json_object_get(json_array_get(s->found, 0), "processors");
	size_t n = json_array_size(of);

	fprintf(stderr, "uncorectl: %s has no '%s'; processors that have it are in parentheses, as "
		"in: uncorectl describe %s --processor %s\n", search_whose(c), s->asked, s->asked,
		n ? json_string_value(json_array_get(of, n - 1)) : "NAME");
}

int ctl_search_for(const struct ctl *c, const char *asked, bool of_describe)
{
	struct search s = { .asked = strncmp(asked, "uncore_", 7) == 0 ? asked + 7 : asked };
	bool elsewhere, said = false;
	size_t k;
	json_t *j;
	int r = 0;

	query_add(&s.typed, s.asked);
	search_words_meant(s.asked, &s.query);
	if (!s.query.n)
		return ctl_fail(CTL_USAGE, "no word to search for in '%s'", asked);
	s.lacks.question = of_describe ? NULL : search_question_of(&s.query);
	s.but_one = !of_describe && s.query.n > 1;
	s.words_typed = !of_describe && !strpbrk(asked, "_/.:");
	elsewhere = search(&s, c);
	if (elsewhere || (s.lacks.question && !s.end[INSTEAD - 1]))
		said = search_lacks_say(&s.lacks, c, s.asked);
	else if (s.lacks.unmeasured.text[0])
		ctl_fail(0, "%s", s.lacks.unmeasured.text);
	if (!json_array_size(s.found)) {
		json_decref(s.found);
		if (said)
			return CTL_CONFIG;
		if (c->unread.text[0] && !*s.near[0].name)
			return ctl_fail(c->unread_code, "%s", c->unread.text);
		return nothing(&s, c, "events");
	}
	if (of_describe && c->unread.text[0]) {         /* nobody knows what this machine has */
		json_decref(s.found);
		return ctl_fail(c->unread_code, "%s", c->unread.text);
	}
	if (of_describe && elsewhere && s.end[EXACT] > s.end[EXACT - 1])
		say_where(&s, c);
	else if (of_describe)
		fprintf(stderr, "uncorectl: there is no '%s'; these contain its words:\n", asked);
	else if (elsewhere && !said && s.end[BUT_ONE - 1] && c->unread.text[0])
		fprintf(stderr, "uncorectl: %s; processors that have '%s' are in parentheses\n",
			c->unread.text, asked);
	else if (elsewhere && !said && s.end[BUT_ONE - 1])
		fprintf(stderr, "uncorectl: %s has nothing of '%s'; processors that have it are "
			"in parentheses\n", search_whose(c), asked);
	else if (!s.end[BUT_ONE - 1])
		fprintf(stderr, "uncorectl: nothing has all words of '%s'; these have all "
			"words but one:\n", asked);
	if (c->json) {
		r = ctl_json(JS_OBJECT({ "search", js_text(asked) }, { "results", s.found }));
	} else {
		json_array_foreach(s.found, k, j)
			ctl_result_print(j, elsewhere);
		json_decref(s.found);
	}
	return of_describe && !r ? CTL_CONFIG : r;
}

int ctl_search_none(const struct ctl *c, const char *list_name)
{
	const char *word = c->args[1];
	struct search s = { .asked = word };
	size_t n;

	query_add(&s.typed, word);
	search_words_meant(word, &s.query);
	search(&s, c);
	n = json_array_size(s.found);
	json_decref(s.found);
	if (!n)
		return nothing(&s, c, list_name);
	return ctl_fail(CTL_CONFIG, "none of them has '%s'; see: uncorectl search '%s'", word,
			word);
}

/* What is called so is in the catalog, with or without its labels. */
static int search_series(const struct ctl *c, const char *text)
{
	struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	char family[CTL_NAME_TEXT];
	const char *help = NULL, *instead = family, *series;
	int r = 0;

	series = name_after(text, "sum(") ?: text;
	snprintf(family, sizeof(family), "%.*s", (int)strcspn(series, "{)"), series);
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
