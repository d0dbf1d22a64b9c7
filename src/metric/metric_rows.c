/* metric_rows.c - metric rows of the catalog and of the configuration, their inputs resolved.
 *
 * Owns:  which event, word or constant each addend of a row is; which rows there are, and which cannot be.
 * Never: groups and slots (metric_bind.c).
 * Pure; main thread.
 */
#include "config.h"

#include "metric/metric_rows.h"

#include "base/name.h"
#include "base/words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct term *row_add_term(const struct metric_rows *m, struct row *r, enum role role, double weight)
{
	struct term *t;

	r->terms = arena_grow(m->sc->work, r->terms, r->n_terms, sizeof(*r->terms));
	t = &r->terms[r->n_terms++];
	t->role = (uint8_t)role;
	t->weight = weight;
	return t;
}

static int input_resolve(const struct metric_rows *m, struct input *in, const struct spec *s, struct err *err)
{
	struct spec_perf p;

	if (!s->perf) {
		if (!m->sc->machine.processor)
			return spec_no_box(NULL, m->sc->machine.topo, s, err);
		return spec_resolve(m->sc->machine.processor, s, SPEC_PORT_OPEN, &in->s, err);
	}
	if (perf_resolve(m->sc->work, m->sc->machine.pmus, s, &p, err) < 0)
		return -EINVAL;
	in->perf = true;
	in->rest = p.rest;
	in->box = p.box;
	in->per_count = p.scale_given ? perf_base_scale(m->sc->work, &p, NULL) : 0;
	in->one_pmu = p.n == 1;
	in->pmu_type = p.v[0].type;
	return 0;
}

static struct input *input_new(struct metric_rows *m, const char *text)
{
	struct input *in = arena_alloc(m->sc->work, 1, sizeof(*in));

	in->text = text;
	in->next = m->inputs;
	m->inputs = in;
	return in;
}

/* A specification as input of t. text: as written, and living as long as m. */
static int input_add(struct metric_rows *m, struct term *t, const char *text,
		     const struct spec *s, struct err *err)
{
	struct input *in = input_new(m, text);
	int r = input_resolve(m, in, s, err);

	if (r < 0)
		m->inputs = in->next;           /* nobody's */
	else
		t->in = in;
	return r;
}

/* May the specification mean an event that some group counts? Of most rows nobody counts any. */
static bool may_be_counted(const struct metric_rows *m, const char *spec)
{
	const char *event = strchr(spec, '/') + 1;
	const struct cat_event *last = NULL;
	size_t n = strcspn(event, ":.,");
	char name[64];

	if (n >= sizeof(name) || !m->sc->machine.processor || strncmp(spec, "perf/", 5) == 0)
		return true;
	memcpy(name, event, n);
	name[n] = '\0';
	for (unsigned g = 0; g < m->sc->n_groups; g++)
		for (unsigned i = 0; i < m->sc->groups[g].n_items; i++) {
			const struct cat_choice *c = &m->sc->groups[g].items[i].s.choice;

			if (m->sc->groups[g].items[i].perf || c->event == last)
				continue;
			last = c->event;
			if (name_fold(*spec) == name_fold(*c->box->name) && cat_event_is_called(c->box, c->event, name))
				return true;
		}
	return false;
}

/* The same of the catalog's texts, of which the linker keeps one copy: most rows share theirs with the row before. */
static int input_of(struct metric_rows *m, struct term *t, const char *text, struct err *err)
{
	struct spec s;
	int r;

	for (t->in = m->inputs; t->in; t->in = t->in->next)
		if (t->in->text == text)
			return 0;
	if (!may_be_counted(m, text)) {
		t->in = input_new(m, text);
		return 0;
	}
	r = spec_parse(m->sc->work, text, &s, err);
	return r < 0 ? r : input_add(m, t, text, &s, err);
}

static const struct cat_constant *find_constant(const struct cat_processor *p, const char *name)
{
	for (unsigned i = 0; i < p->n_constants; i++)
		if (strcmp(p->constants[i].name, name) == 0)
			return &p->constants[i];
	return NULL;
}

/* A term of the catalog: a specification, `seconds`, or a constant, which counts for each second. */
static int add_cat_term(struct metric_rows *m, struct row *r, enum role role, const struct cat_term *c,
			bool scaled, struct err *err)
{
	struct term *t = row_add_term(m, r, role, c->weight != 0 ? c->weight : 1);
	int ret;

	if (!strchr(c->spec, '/')) {
		t->constant = m->sc->machine.processor ? find_constant(m->sc->machine.processor, c->spec) : NULL;
		return t->constant || strcmp(c->spec, "seconds") == 0 ? 0 :
		       err_set(err, -EINVAL, "there is no constant '%s'", c->spec);
	}
	ret = input_of(m, t, c->spec, err);
	if (ret == 0 && scaled && role <= ROLE_DEN) {
		t->weight *= t->in->per_count;
		if (!(t->in->per_count > 0))
			ret = err_set(err, -EINVAL, "the kernel gives no .scale and .unit for %s", c->spec);
		else if (r->counter && t->weight != rint(t->weight))
			ret = err_set(err, -EINVAL, "a count of %s is %g and no whole number by the kernel's .scale", c->spec,
				      t->weight);
	}
	return ret;
}

static int add_cat_sum(struct metric_rows *m, struct row *r, enum role role, const struct cat_term *t,
		       bool scaled, struct err *err)
{
	int ret = 0;

	for (; ret == 0 && t && t->spec; t++)
		ret = add_cat_term(m, r, role, t, scaled, err);
	return ret;
}

static void row_add(struct metric_rows *m, const struct row *r)
{
	m->rows = arena_grow(m->sc->work, m->rows, m->n_rows, sizeof(*m->rows));
	m->rows[m->n_rows++] = *r;
}

static int cat_row(struct metric_rows *m, const struct cat_metric *c, struct row *ret, struct err *err)
{
	int r;

	if (c->absent)
		return err_set(err, -ENODATA, "%s", c->absent);
	*ret = (struct row){ .name = c->name, .help = c->help, .unit = c->unit, .link = c->link, .per_socket = c->per == CAT_PER_SOCKET,
			     .complement = c->complement, .clamp = c->clamp, .counter = !c->den,
			     .scale = c->scale != 0 ? c->scale : 1, .guard_max = c->guard ? c->guard->max : 0 };
	r = add_cat_sum(m, ret, ROLE_NUM, c->num, c->scaled, err);
	if (r == 0)
		r = add_cat_sum(m, ret, ROLE_DEN, c->den, c->scaled, err);
	if (r == 0 && c->guard)
		r = add_cat_sum(m, ret, ROLE_GUARD_NUM, c->guard->num, false, err);
	if (r == 0 && c->guard)
		r = add_cat_sum(m, ret, ROLE_GUARD_DEN, c->guard->den, false, err);
	if (r == 0 && c->cycles_of)
		r = add_cat_term(m, ret, ROLE_CYCLES, &(struct cat_term){ c->cycles_of, 1 }, false, err);
	return r;
}

int metric_check_row(struct schedule *sc, const struct cat_metric *c, struct err *err)
{
	struct arena_mark mark = arena_mark(sc->work);
	struct metric_rows m = { .sc = sc };
	struct row r;
	int ret = cat_row(&m, c, &r, err);

	arena_release(sc->work, mark);
	return ret;
}

static void add_cat_row(struct metric_rows *m, const struct cat_metric *c)
{
	struct row r;
	struct err err;

	if (cat_row(m, c, &r, &err) < 0)
		diags_add(m->sc->d, (struct where){ m->sc->machine.processor->name, 0 }, "metric %s: %s", c->name, err.text);
	else
		row_add(m, &r);
}

/* A row whose inputs this machine's kernel does not have is absent; `uncorectl doctor` says why. */
static void add_ready_row(struct metric_rows *m, const struct cat_metric *c)
{
	struct row r;
	struct err err;

	if (cat_row(m, c, &r, &err) == 0)
		row_add(m, &r);
}

static bool add_conf_sum(struct metric_rows *m, struct row *r, enum role role,
			 const struct conf_term *v, unsigned n)
{
	bool ok = true;

	for (unsigned i = 0; i < n; i++) {
		const struct spec *s = &v[i].spec;
		struct term *t = row_add_term(m, r, role, v[i].weight);
		struct err err;

		if (!s->text) {
			ok = false;
		} else if (v[i].word && strcmp(s->text, "seconds") != 0) {
			diags_add(m->sc->d, s->where, "metric '%s': '%s' is neither an event (box/EVENT) nor the word 'seconds'",
				  r->name, s->text);
			ok = false;
		} else if (!v[i].word && input_add(m, t, s->text, s, &err) < 0) {
			diags_add(m->sc->d, s->where, "metric '%s': %s", r->name, err.text);
			ok = false;
		}
	}
	return ok;
}

/* Does the name of its events begin with this word? */
static bool is_pmu_word(const char *pmu, const char *word)
{
	char box[64];
	int number;

	perf_pmu_box(pmu, box, sizeof(box), &number);
	box[strcspn(box, "_")] = '\0';
	return strcmp(word, box) == 0;
}

/* A box of any processor, not only of this one: a configuration is for a whole fleet. */
static bool is_box_word(const struct metric_rows *m, const char *word)
{
	/* PMUs that are not named after a box, and those of Linux 6.12 (arch/x86/events/intel/uncore_*.c) that no table has. */
	static const char *const words[] = { "msr", "software", "power", "arb", "b2cmi", "b2cxl", "b2hot", "b2upi", "cbo", "cxlcm",
					     "cxldp", "edc", "iio", "m2m", "m2pcie", "m3upi", "mdf", "upi" };
	const struct topo_pmus *pmus = m->sc->machine.pmus;

	for (unsigned i = 0; i < COUNT(words); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	for (unsigned i = 0; i < cat_n_processors; i++)
		if (cat_box_by_name(cat_processors[i], word))
			return true;
	for (unsigned i = 0; i < cat_n_perfs; i++)
		for (unsigned k = 0; k < cat_perfs[i]->n_pmus; k++)
			if (is_pmu_word(cat_perfs[i]->pmus[k].name, word))
				return true;
	for (unsigned i = 0; pmus && i < pmus->n; i++)
		if (is_pmu_word(pmus->v[i].name, word))
			return true;
	return false;
}

static bool has_name(const struct cat_metric *v, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			return true;
	return false;
}

/* One of uncored's own, which a row of the configuration replaces: clock_hertz, although a PMU is called uncore_clock. */
static bool is_ready_name(const char *name)
{
	for (unsigned i = 0; i < cat_n_processors; i++)
		if (has_name(cat_processors[i]->metrics->v, cat_processors[i]->metrics->n, name))
			return true;
	for (unsigned i = 0; i < cat_n_perfs; i++)
		if (has_name(cat_perfs[i]->metrics, cat_perfs[i]->n_metrics, name))
			return true;
	return false;
}

/* Names that would be taken for something else's. */
static bool check_conf_name(const struct metric_rows *m, const struct conf_metric *c)
{
	char word[128];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(c->name, "_"), c->name);
	if (!is_box_word(m, word) || is_ready_name(c->name))
		return true;
	diags_add(m->sc->d, c->where, "metric '%s': its first word '%s' is the name of a box or PMU and would look like a "
		  "count of it", c->name, word);
	return false;
}

static bool check_conf_group(const struct metric_rows *m, const struct conf_metric *c)
{
	struct nearest near = { .wanted = c->group };

	if (!c->group || !m->sc->n_groups || m->conf->unnamed)
		return true;
	for (unsigned i = 0; i < m->sc->n_groups; i++)
		if (strcmp(m->sc->groups[i].name, c->group) == 0)
			return true;
	for (unsigned i = 0; i < m->sc->n_groups; i++)
		nearest_offer(&near, m->sc->groups[i].name);
	diags_add(m->sc->d, c->where, "metric '%s': there is no group '%s'; the nearest is '%s'", c->name, c->group, near.name);
	return false;
}

/* Units of two boxes are a pair only if there are as many of both: B-Box 1 and M-Box 1, but no B-Box and C-Box. */
static bool check_conf_units(const struct metric_rows *m, const struct row *r)
{
	const struct cat_box *first = NULL;

	for (unsigned i = 0; i < r->n_terms && !r->per_socket; i++) {
		const struct input *in = r->terms[i].in;
		const struct cat_box *box = in && !in->perf && in->s.every_unit ? in->s.choice.box : NULL;

		if (!box || box->n_units < 2)
			continue;
		if (first && first->n_units != box->n_units) {
			diags_add(m->sc->d, r->conf->where, "metric '%s': a value for each unit, but a socket has %u units of %s and %u of %s; "
				  "name one of them (%s0/...), or sum up: per = \"socket\"", r->name, first->n_units, first->name,
				  box->n_units, box->name, box->name);
			return false;
		}
		first = box;
	}
	return true;
}

/* Seconds per count of anything else would be no time. Of the kernel's events nobody knows which are clocks. */
static bool check_conf_clock(const struct metric_rows *m, const struct conf_metric *c, const struct input *in)
{
	const char *clock;

	if (in->perf || in->s.choice.event->always_runs)
		return true;
	clock = in->s.choice.box->clock;
	diags_add(m->sc->d, c->where, "metric '%s': %s is no clock that always runs, as cycles_of wants%s%s", c->name, c->cycles_of.text,
		  clock ? "; the clock of its box is " : "", clock ? clock : "");
	return false;
}

static void add_conf_row(struct metric_rows *m, const struct conf_metric *c)
{
	struct row r = { .name = c->name, .help = c->help ? c->help : "Defined in the configuration", .group = c->group,
			 .unit = c->unit, .conf = c, .per_socket = c->per_socket, .complement = c->complement, .clamp = c->clamp,
			 .counter = !c->n_den, .scale = c->scale, .guard_max = c->guard_max };
	bool ok = !c->faulty && check_conf_name(m, c);
	struct term *cycles;
	struct err err;

	ok &= check_conf_group(m, c);
	ok &= add_conf_sum(m, &r, ROLE_NUM, c->num, c->n_num);
	ok &= add_conf_sum(m, &r, ROLE_DEN, c->den, c->n_den);
	ok &= add_conf_sum(m, &r, ROLE_GUARD_NUM, c->guard_num, c->n_guard_num);
	ok &= add_conf_sum(m, &r, ROLE_GUARD_DEN, c->guard_den, c->n_guard_den);
	if (c->has_cycles_of) {
		cycles = row_add_term(m, &r, ROLE_CYCLES, 1);
		if (input_add(m, cycles, c->cycles_of.text, &c->cycles_of, &err) < 0) {
			diags_add(m->sc->d, c->where, "metric '%s': %s", c->name, err.text);
			ok = false;
		} else {
			ok &= check_conf_clock(m, c, cycles->in);
			if (c->unit && strcmp(c->unit, "seconds") != 0)
				schedule_note(m->sc, arena_printf(m->sc->keep, "%s:%u: metric '%s' is in seconds, as cycles_of makes it, but "
							  "its name says %s.", c->where.file, c->where.line, c->name, c->unit));
		}
	}
	if (ok && check_conf_units(m, &r))
		row_add(m, &r);
}

/* A row of the configuration stands in for the processor's rows of the same name. */
static bool is_replaced(const struct metric_rows *m, const char *name)
{
	for (unsigned i = 0; i < m->conf->n_metrics; i++)
		if (strcmp(m->conf->metrics[i].name, name) == 0)
			return true;
	return false;
}

struct metric_rows *metric_rows_new(struct schedule *sc, const struct conf *conf, const struct plan_constants *constants)
{
	struct metric_rows *m = arena_alloc(sc->work, 1, sizeof(*m));
	const struct cat_processor *p = sc->machine.processor;

	*m = (struct metric_rows){ .sc = sc, .conf = conf, .constants = constants };
	for (unsigned i = 0; p && i < p->metrics->n; i++)
		if (!is_replaced(m, p->metrics->v[i].name))
			add_cat_row(m, &p->metrics->v[i]);
	for (const struct cat_perf *t = perf_table_next(&sc->machine, NULL); t; t = perf_table_next(&sc->machine, t))
		for (unsigned i = 0; i < t->n_metrics; i++)
			if (!is_replaced(m, t->metrics[i].name))
				add_ready_row(m, &t->metrics[i]);
	for (unsigned i = 0; i < conf->n_metrics; i++)
		add_conf_row(m, &conf->metrics[i]);
	return m;
}
