/* SPDX-License-Identifier: MIT
 * A perf specification: its PMUs with the event's encoding, and what one count of it is.
 * Owns:  names of events, .scale and .unit, the identity of what was resolved.
 * Never: sockets; how names of PMUs and terms are read (perf_pmus.c, perf_terms.c, perf_pfm.c).
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include "base/bits.h"
#include "base/name.h"
#include "base/strb.h"
#include "base/words.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

static int check_name(const char *name, struct err *err)
{
	if (name[name_span(name, "-.:")])
		return err_set(err, -EINVAL, "name=%s: a name has letters, digits, '_', '-', '.' "
			       "and ':'", name);
	if (!name[strspn(name, "0123456789_-.:")])
		return err_set(err, -EINVAL, "name=%s: a name has at least one letter", name);
	return 0;
}

/* What one count is, for an event that has .unit, the same on all instances; without .scale it is
 * one of them. With other terms it is nobody knows what: cycles in which it happened, or a part. */
static int take_scale(const struct spec_pmu *v, const struct perf_terms *t, struct spec_perf *p,
		      struct err *err)
{
	const struct topo_term *alias = t->refined ? NULL : t->alias;
	const char *unit = alias ? alias->unit : NULL;
	double scale = unit ? 1 : 0;

	if (unit && alias->scale && perf_scale_parse(alias->scale, &scale) < 0)
		return err_set(err, -EINVAL, "PMU '%s' cannot count '%s': the kernel's file "
			       "%s/events/%s.scale says \"%.40s\", which is not a number from "
			       "1e-30 to 1e30", v->name, alias->name, spec_pmu_dir(v),
			       alias->name, alias->scale);
	if (v > p->v && (scale < p->scale || scale > p->scale ||
			 (unit && strcmp(unit, p->unit) != 0)))
		return err_set(err, -EINVAL, "one count of %s is not the same on PMU '%s' as on "
			       "'%s' (events/%s.scale and .unit): "
			       "write a specification for each instance", p->event, v->name,
			       p->v[0].name, alias ? alias->name : p->event);
	p->scale = scale;
	p->scale_given = unit && alias->scale;
	p->scale_file = alias && alias->scale;
	p->unit = unit;
	return 0;
}

/* The terms of an identity: the event of the PMU that has its name, if it has its numbers, too:
 * then it is what the kernel says of that event. */
static const char *terms_of(struct arena *a, const struct spec *s, const struct spec_pmu *v)
{
	struct perf_terms named, numbers;

	if (s->identity && perf_terms_resolve(a, v, s->event, &named, NULL) == 0 &&
	    perf_terms_resolve(a, v, s->terms, &numbers, NULL) == 0 &&
	    memcmp(named.config, numbers.config, sizeof(named.config)) == 0)
		return s->event;
	return s->terms;
}

/* What such terms are called; NULL: they are numbers alone. */
static const char *known_name(const struct perf_terms *t)
{
	if (t->name)
		return t->name;
	return t->alias ? t->alias->name : t->software;
}

static int resolve_instance(struct arena *a, const struct spec *s, struct spec_pmu *v,
			    struct spec_perf *p, struct err *err)
{
	struct perf_terms t;
	const char *known;
	int r = perf_terms_resolve(a, v, terms_of(a, s, v), &t, err);

	if (r < 0 && !s->ready_made)
		words_add_nearest(err, t.meant);
	if (r < 0)
		return r;
	known = known_name(&t);
	if (!p->event && !known)
		return err_set(err, -EINVAL, "%s: an event that is given by numbers needs a name: "
			       "perf/%s/%s,name=.../", s->text, s->box, s->terms);
	if (!p->event)
		p->event = arena_text(a, known);
	r = take_scale(v, &t, p, err);
	if (r < 0)
		return r;
	memcpy(v->config, t.config, sizeof(v->config));
	return check_name(p->event, err);
}

/* Do the same terms mean the same on both? Names of events are not compared. */
static bool same_meaning(const struct spec_pmu *v, const struct spec_pmu *other)
{
	return v->pmu && other->pmu && v->pmu->format == other->pmu->format &&
	       !v->pmu->n_events && !other->pmu->n_events &&
	       v->type != PERF_TYPE_SOFTWARE && other->type != PERF_TYPE_SOFTWARE;
}

/* Bits of config, config1 or config2 that the kernel describes; 0: it describes none. */
static uint64_t described(const struct topo_pmu *pmu, unsigned which)
{
	uint64_t mask = 0;

	for (unsigned i = 0; pmu && i < pmu->n_format; i++)
		mask |= perf_format_mask(&pmu->format[i], which);
	return mask;
}

/* "skx_unc_imc0::UNC_M_CAS_COUNT:RD", the names of libpfm4. */
static int resolve_pfm(struct arena *a, const struct topo_pmus *pmus, const struct spec *s,
		       struct spec_perf *p, struct err *err)
{
	static const char *const words[] = { "config", "config1", "config2" };
	struct pfm_event e;

	if (pfm_resolve(s->box, &e, err) < 0 || perf_find_pmus(a, pmus, e.pmu, p, err) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < p->n; i++) {
		for (unsigned which = 0; which < 3; which++) {
			uint64_t odd = e.config[which] & ~described(p->v[i].pmu, which);

			if (odd)
				return err_set(err, -EINVAL, "%s: libpfm4 sets bits 0x%llx of %s, "
					       "which the kernel's PMU '%s' does not have", s->text,
					       (unsigned long long)odd, words[which], p->v[i].name);
		}
		memcpy(p->v[i].config, e.config, sizeof(e.config));
	}
	if (!p->event)
		p->event = arena_text(a, strstr(s->box, "::") + 2);
	return 0;
}

/* perf/PMU[3]/TERMS/: that one alone. */
static int pick_instance(struct arena *a, const struct spec *s, struct spec_perf *p,
			 struct err *err)
{
	const char *list = "";
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++) {
		int number = p->v[i].number < 0 ? 0 : p->v[i].number;

		list = arena_printf(a, "%s%s%d", list, *list ? ", " : "", number);
		if (s->instance < 0 || number == s->instance)
			p->v[n++] = p->v[i];
	}
	if (!n)
		return err_set(err, -EINVAL, "%s: the kernel's PMU '%s' has no instance %d; those "
			       "that it has are %s", s->text, s->box, s->instance, list);
	p->n = n;
	return 0;
}

/* perf_find_pmus(), and what may have been meant where there is none. */
static int find_named(struct arena *a, const struct topo_pmus *pmus, const struct spec *s,
		      const char *name, struct spec_perf *p, struct err *err)
{
	int r = perf_find_pmus(a, pmus, name, p, err);

	if (r < 0 && !s->ready_made)
		words_add_nearest(err, perf_pmu_meant(pmus, name));
	return r;
}

/* The PMUs that a specification names. Of an identity the digits before the slash may be of the
 * box's name where that ends in some: then it means every unit. */
static int find_pmus(struct arena *a, const struct topo_pmus *pmus, const struct spec *s,
		     struct spec_perf *p, struct err *err)
{
	size_t n = strcspn(s->text, "/");

	if (s->identity && s->ambiguous && perf_find_pmus(a, pmus, s->box, p, NULL) < 0) {
		*p = (struct spec_perf){ .first_unit = -1, .last_unit = -1 };
		return find_named(a, pmus, s, arena_text_n(a, s->text, n), p, err);
	}
	if (!p->n && find_named(a, pmus, s, s->box, p, err) < 0)
		return -EINVAL;
	return s->instance < 0 ? 0 : pick_instance(a, s, p, err);
}

static bool names(const struct spec_pmu *v, const char *event)
{
	return v->pmu && NAME_FIND(v->pmu->events, v->pmu->n_events, event);
}

/* Devices of one kind may count different things: of a CXL device one PMU its link, another one its
 * memory. Those that do not name an event that others name do not count it, and what all of them
 * count together has no value. */
static void leave_out(struct arena *a, const struct spec *s, struct spec_perf *p)
{
	unsigned n = 0, naming = 0;

	for (unsigned i = 0; i < p->n; i++)
		naming += names(&p->v[i], s->terms);
	if (!naming || naming == p->n || !perf_part(p->v[0].name).label)
		return;
	for (unsigned i = 0; i < p->n; i++) {
		if (names(&p->v[i], s->terms))
			p->v[n++] = p->v[i];
		else if (!p->other_events)
			p->other_events = arena_printf(a, "the kernel's PMU %s has no event %s",
						       p->v[i].name, s->terms);
	}
	p->n = n;
}

static int resolve(struct arena *a, const struct topo_pmus *pmus, const struct spec *s,
		   struct spec_perf *p, struct err *err)
{
	for (unsigned i = 0; i < s->n_keys; i++) {
		if (strcmp(s->keys[i].name, "name") != 0 || !s->keys[i].value)
			return err_set(err, -EINVAL, "%s: the only key after the last slash is "
				       "'name='; the others are "
				       "terms and stand between the slashes", s->text);
		p->event = arena_text(a, s->keys[i].value);
	}
	p->first_unit = s->unit;
	p->last_unit = s->last;
	if (strstr(s->box, "::"))
		return resolve_pfm(a, pmus, s, p, err);
	if (find_pmus(a, pmus, s, p, err) < 0)
		return -EINVAL;
	leave_out(a, s, p);
	for (unsigned i = 0; i < p->n; i++) {
		struct spec_pmu *v = &p->v[i];

		if (i && same_meaning(v, v - 1))
			memcpy(v->config, v[-1].config, sizeof(v->config));
		else if (resolve_instance(a, s, v, p, err) < 0)
			return -EINVAL;
	}
	return 0;
}

int perf_resolve(struct arena *a, const struct topo_pmus *pmus, const struct spec *s,
		 struct spec_perf *ret, struct err *err)
{
	struct spec_perf p = { .first_unit = -1, .last_unit = -1 };
	char box[PERF_NAME];

	if (resolve(a, pmus, s, &p, err) < 0)
		return -EINVAL;
	perf_pmu_box(p.v[0].name, box, sizeof(box), NULL);
	p.box = arena_text(a, box);
	p.terms = arena_text(a, s->terms);
	if (s->n_keys)
		p.terms = arena_printf(a, "%s,name=%s", s->terms, p.event);
	p.rest = arena_printf(a, "%s,config=0x%llx", p.event, (unsigned long long)p.v[0].config[0]);
	for (unsigned i = 1; i < 3; i++)
		if (p.v[0].config[i])
			p.rest = arena_printf(a, "%s,config%u=0x%llx", p.rest, i,
					      (unsigned long long)p.v[0].config[i]);
	*ret = p;
	return 0;
}

bool spec_perf_is(const struct spec_perf *p, const char *box, const char *event,
		  const uint64_t *config)
{
	return memcmp(p->v[0].config, config, sizeof(p->v[0].config)) == 0 &&
	       strcmp(p->event, event) == 0 && strcmp(p->box, box) == 0;
}

/* The kernel's .unit files and what Prometheus calls the same. */
static const struct {
	const char *unit, *base;
	double factor;
} base_units[] = {
	{ "Joules", "joules", 1 },
	{ "KiB", "bytes", 1024.0 }, { "MiB", "bytes", 1048576.0 }, { "GiB", "bytes", 1073741824.0 },
	{ "KB", "bytes", 1e3 }, { "MB", "bytes", 1e6 }, { "GB", "bytes", 1e9 },
	{ "Bytes", "bytes", 1 }, { "B", "bytes", 1 },
	{ "msec", "seconds", 1e-3 }, { "ms", "seconds", 1e-3 }, { "usec", "seconds", 1e-6 },
	{ "us", "seconds", 1e-6 },
	{ "ns", "seconds", 1e-9 }, { "s", "seconds", 1 }, { "sec", "seconds", 1 },
	{ "Hz", "hertz", 1 }, { "MHz", "hertz", 1e6 }, { "C", "celsius", 1 },
};

static const char *base_unit(struct arena *a, const char *unit, double *ret_factor)
{
	struct strb b;

	*ret_factor = 1;
	for (unsigned i = 0; i < COUNT(base_units); i++)
		if (name_same(unit, base_units[i].unit)) {
			*ret_factor = base_units[i].factor;
			return base_units[i].base;
		}
	strb_init(&b, PERF_NAME);
	for (; *unit; unit++)
		if (name_metric_char(*unit) != '_' || (b.n && b.s[b.n - 1] != '_'))
			strb_add_char(&b, name_metric_char(*unit));
	if (!b.n || b.s[b.n - 1] == '_') {
		strb_done(&b);
		return NULL;
	}
	return arena_take(a, strb_take(&b));
}

/* The kernel gives 4 bytes as "3.814697266e-6" MiB: what is nearly a whole number was one. */
static double unrounded(double scale)
{
	double whole = floor(scale + 0.5);

	return whole >= 1 && fabs(scale - whole) < 1e-8 * whole ? whole : scale;
}

double perf_base_scale(struct arena *a, const struct spec_perf *p, const char **ret_unit)
{
	double factor = 0;
	const char *unit = p->unit && p->scale > 0 ? base_unit(a, p->unit, &factor) : NULL;

	if (ret_unit)
		*ret_unit = unit;
	return unit ? unrounded(p->scale * factor) : 0;
}
