/* lower_perf.c - perf/PMU/TERMS/: the terms of `perf stat -e` as perf_event_attr numbers, and the CPUs that serve.
 *
 * Owns:  format/ and events/ of sysfs as numbers; the box and unit names of PMUs.
 * Never: files, perf_event_open itself (access/).
 * Pure; main thread.
 */
#include "config.h"

#include "plan/build.h"

#include "base/num.h"
#include "base/strb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERF_TYPE_SOFTWARE 1

/* The software PMU has no events directory: linux/perf_event.h, enum perf_sw_ids. */
static const char *const software_events[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults",
	"major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};

/* ------------------------------------------------------------------ PMU names */

void perf_pmu_box(const char *pmu, char *box, size_t n, int *ret_number)
{
	const char *name = strncmp(pmu, "uncore_", 7) == 0 ? pmu + 7 : pmu, *end = name + strlen(name), *digits = end;

	while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	*ret_number = -1;
	if (*digits && end - digits < 7 && digits - name >= 2 && digits[-1] == '_') {
		*ret_number = atoi(digits);
		end = digits - 1;
	}
	snprintf(box, n, "%.*s", (int)(end - name), name);
}

/* Is `pmu` an instance of `family`: "uncore_imc_3" of "uncore_imc"? */
static bool is_instance(const char *pmu, const char *family)
{
	size_t n = strlen(family);

	if (strncmp(pmu, family, n) != 0 || pmu[n] != '_' || !pmu[n + 1])
		return false;
	return pmu[n + 1 + strspn(pmu + n + 1, "0123456789")] == '\0';
}

static int by_number(const void *a, const void *b)
{
	return ((const struct build_pmu *)a)->number - ((const struct build_pmu *)b)->number;
}

static void add_pmu(struct build_perf *p, const struct topo_pmu *pmu, uint32_t type)
{
	char box[64];
	struct build_pmu *v;

	p->v = plan_grow(p->v, p->n, sizeof(*p->v));
	v = &p->v[p->n++];
	v->pmu = pmu;
	v->type = type;
	v->number = -1;
	if (pmu)
		perf_pmu_box(pmu->name, box, sizeof(box), &v->number);
}

static int find_pmus(const struct topo_pmus *pmus, const char *name, struct build_perf *p, struct err *err)
{
	const struct topo_pmu *one = pmus ? topo_pmu_find(pmus, name) : NULL;
	const char **names, *nearest;
	bool family;

	if (one)
		add_pmu(p, one, one->type);
	else if (strcmp(name, "software") == 0)
		add_pmu(p, NULL, PERF_TYPE_SOFTWARE);
	family = !p->n && pmus;
	for (unsigned i = 0; family && i < pmus->n; i++)
		if (is_instance(pmus->v[i].name, name))
			add_pmu(p, &pmus->v[i], pmus->v[i].type);
	if (p->n) {
		qsort(p->v, p->n, sizeof(*p->v), by_number);
		return 0;
	}
	if (!pmus || !pmus->n)
		return err_set(err, -EINVAL, "this machine's kernel has no PMU '%s'", name);
	names = plan_alloc(pmus->n, sizeof(*names));
	for (unsigned i = 0; i < pmus->n; i++)
		names[i] = pmus->v[i].name;
	nearest = plan_nearest(name, names, pmus->n);
	free(names);
	return err_set(err, -EINVAL, "this machine's kernel has no PMU '%s'; the nearest is '%s'", name, nearest);
}

/* ------------------------------------------------------------------ terms */

static const struct topo_term *find_term(const struct topo_term *v, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			return &v[i];
	return NULL;
}

/* "config", "config1", "config2": 0..2, or -1. *ret_rest is what follows. */
static int config_word(const char *s, const char **ret_rest)
{
	if (strncmp(s, "config", 6) != 0)
		return -1;
	*ret_rest = s + 6;
	if (s[6] == '1' || s[6] == '2') {
		(*ret_rest)++;
		return s[6] - '0';
	}
	return 0;
}

/* Puts a value into the bits that a format file names ("config:0-7,32"), its lowest bit first. */
static int put_format(const char *format, uint64_t value, uint64_t config[3])
{
	const char *p;
	int which = config_word(format, &p);
	uint64_t *c;

	if (which < 0 || *p != ':')
		return -EINVAL;
	c = &config[which];
	do {
		char *end;
		unsigned long lo = strtoul(p + 1, &end, 10), hi = lo;

		if (end == p + 1)
			return -EINVAL;
		if (*end == '-')
			hi = strtoul(end + 1, &end, 10);
		if (lo > hi || hi > 63)
			return -EINVAL;
		*c = (*c & ~bits_mask((unsigned)hi, (unsigned)lo)) | bits_put(value, (unsigned)hi, (unsigned)lo);
		value = hi - lo == 63 ? 0 : value >> (hi - lo + 1);
		p = end;
	} while (*p == ',');
	if (*p && *p != '\n')
		return -EINVAL;
	return value ? -ERANGE : 0;
}

struct terms {
	const struct build_pmu *pmu;
	const char *pmu_name;
	uint64_t *config;
	const struct topo_term *alias;
	char **name;                /* of name= */
	const char *software;       /* event of the software PMU */
};

static int unknown_term(const struct terms *t, const char *name, struct err *err)
{
	const struct topo_pmu *pmu = t->pmu->pmu;
	unsigned n = 0, most = COUNT(software_events) + (pmu ? pmu->n_events + pmu->n_format : 0);
	const char **names = plan_alloc(most, sizeof(*names)), *nearest;

	for (unsigned i = 0; pmu && i < pmu->n_events; i++)
		names[n++] = pmu->events[i].name;
	for (unsigned i = 0; pmu && i < pmu->n_format; i++)
		names[n++] = pmu->format[i].name;
	for (unsigned i = 0; t->pmu->type == PERF_TYPE_SOFTWARE && i < COUNT(software_events); i++)
		names[n++] = software_events[i];
	nearest = plan_nearest(name, names, n);
	free(names);
	if (!nearest)
		return err_set(err, -EINVAL, "PMU '%s' has no event or term '%s'", t->pmu_name, name);
	return err_set(err, -EINVAL, "PMU '%s' has no event or term '%s'; the nearest is '%s'", t->pmu_name, name,
		       nearest);
}

static int apply_terms(struct terms *t, const char *text, bool in_alias, struct err *err);

/* One "name[=value]". */
static int apply_term(struct terms *t, char *name, bool in_alias, struct err *err)
{
	const struct topo_pmu *pmu = t->pmu->pmu;
	char *value = strchr(name, '=');
	const struct topo_term *term;
	const char *rest;
	uint64_t v = 1;
	int which, r;

	if (value)
		*value++ = '\0';
	if (strcmp(name, "name") == 0 && value && !in_alias) {
		free(*t->name);
		*t->name = plan_text("%s", value);
		return 0;
	}
	if (value && num_parse_u64(value, &v) < 0)
		return err_set(err, -EINVAL, "PMU '%s': %s=%s is not a number", t->pmu_name, name, value);
	which = config_word(name, &rest);
	if (which >= 0 && !*rest && value) {
		t->config[which] = v;
		return 0;
	}
	term = pmu ? find_term(pmu->format, pmu->n_format, name) : NULL;
	if (term) {
		r = put_format(term->text, v, t->config);
		if (r == -ERANGE)
			return err_set(err, -EINVAL, "PMU '%s': %s=%s does not fit into %s", t->pmu_name, name,
				       value ? value : "1", term->text);
		return r < 0 ? err_set(err, -EINVAL, "PMU '%s': the kernel's format of '%s' (%s) is not understood",
				       t->pmu_name, name, term->text) : 0;
	}
	term = pmu && !value && !in_alias ? find_term(pmu->events, pmu->n_events, name) : NULL;
	if (term) {
		t->alias = term;
		return apply_terms(t, term->text, true, err);
	}
	for (unsigned i = 0; t->pmu->type == PERF_TYPE_SOFTWARE && !value && i < COUNT(software_events); i++)
		if (strcmp(name, software_events[i]) == 0) {
			t->config[0] = i;
			t->software = software_events[i];
			return 0;
		}
	return unknown_term(t, name, err);
}

static int apply_terms(struct terms *t, const char *text, bool in_alias, struct err *err)
{
	char *copy = plan_text("%s", text), *save = NULL;
	int r = 0;

	for (char *w = strtok_r(copy, ", \t\n", &save); w && r == 0; w = strtok_r(NULL, ", \t\n", &save))
		r = apply_term(t, w, in_alias, err);
	free(copy);
	return r;
}

/* ------------------------------------------------------------------ a specification */

static int check_name(const char *name, struct err *err)
{
	bool letter = false;

	for (const char *s = name; *s; s++) {
		letter |= (*s | 0x20) >= 'a' && (*s | 0x20) <= 'z';
		if (!((*s | 0x20) >= 'a' && (*s | 0x20) <= 'z') && !(*s >= '0' && *s <= '9') && !strchr("_-.:", *s))
			return err_set(err, -EINVAL, "name=%s: a name has letters, digits, '_', '-', '.' and ':'", name);
	}
	return letter ? 0 : err_set(err, -EINVAL, "name=%s: a name has at least one letter", name);
}

static int resolve_instances(const struct conf_spec *s, struct build_perf *p, char **name, struct err *err)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct terms t = { .pmu = &p->v[i], .pmu_name = s->box, .config = p->v[i].config, .name = name };
		const char *known;

		if (apply_terms(&t, s->terms ? s->terms : "", false, err) < 0)
			return -EINVAL;
		known = t.alias ? t.alias->name : t.software;
		if (!*name && !known)
			return err_set(err, -EINVAL, "%s: an event that is given by numbers needs a name: "
				       "perf/%s/%s%sname=.../", s->text, s->box, s->terms ? s->terms : "",
				       s->terms && *s->terms ? "," : "");
		if (!*name)
			*name = plan_text("%s", known);
		if (t.alias && t.alias->unit && t.alias->scale) {
			p->unit = t.alias->unit;
			p->scale = strtod(t.alias->scale, NULL);
		}
	}
	return check_name(*name, err);
}

int perf_resolve(const struct topo_pmus *pmus, const struct conf_spec *s, struct build_perf *ret, struct err *err)
{
	struct build_perf p = { 0 };
	char box[64], *name = NULL;
	struct strb b;
	int number;

	for (unsigned i = 0; i < s->n_keys; i++) {
		if (strcmp(s->keys[i].name, "name") != 0 || !s->keys[i].value)
			return err_set(err, -EINVAL, "%s: the only key after the last slash is 'name='; the others are "
				       "terms and stand between the slashes", s->text);
		free(name);
		name = plan_text("%s", s->keys[i].value);
	}
	if (find_pmus(pmus, s->box, &p, err) < 0 || resolve_instances(s, &p, &name, err) < 0) {
		free(name);
		perf_done(&p);
		return -EINVAL;
	}
	perf_pmu_box(s->box, box, sizeof(box), &number);
	p.box = plan_text("%s", box);
	p.event = name;
	p.terms = plan_text("%s", s->terms ? s->terms : "");
	strb_init(&b, 1024);
	strb_addf(&b, "%s,config=0x%llx", name, (unsigned long long)p.v[0].config[0]);
	for (unsigned i = 1; i < 3; i++)
		if (p.v[0].config[i])
			strb_addf(&b, ",config%u=0x%llx", i, (unsigned long long)p.v[0].config[i]);
	p.rest = strb_take(&b);
	*ret = p;
	return 0;
}

void perf_done(struct build_perf *p)
{
	free(p->v);
	free(p->box);
	free(p->event);
	free(p->terms);
	free(p->rest);
}

/* ------------------------------------------------------------------ slots */

static bool cpu_of_socket(const struct topo_socket *t, unsigned cpu)
{
	for (unsigned i = 0; i < t->n_cpus; i++)
		if (t->cpus[i].cpu == cpu)
			return true;
	return false;
}

/* What a family counts; the same sentence on every socket. */
static char *perf_help(const struct build *b, const struct build_perf *p, const char *pmu)
{
	const struct topo *topo = b->in->topo;
	char **cpus, *list, *what, *help;
	unsigned n = 0;

	if (p->v[0].pmu && p->v[0].pmu->cpumask) {
		what = plan_text("perf event %s of the PMU %s", p->event, pmu);
	} else {
		cpus = plan_alloc(topo->n_sockets, sizeof(*cpus));
		for (unsigned i = 0; i < topo->n_sockets; i++)
			if (topo_reader(&topo->sockets[i]) >= 0)
				cpus[n++] = plan_text("%d", topo_reader(&topo->sockets[i]));
		list = plan_join((const char *const *)cpus, n);
		what = plan_text("perf event %s of the PMU %s, counted on CPU%s %s alone", p->event, pmu,
				 n > 1 ? "s" : "", list);
		for (unsigned i = 0; i < n; i++)
			free(cpus[i]);
		free(cpus);
		free(list);
	}
	help = labels_help(what);
	free(what);
	return help;
}

static void add_scaled(struct plan_slot *s, const struct build_perf *p)
{
	double factor;
	char *unit = p->unit && p->scale > 0 ? labels_base_unit(p->unit, &factor) : NULL;

	if (!unit)
		return;
	s->scale = p->scale * factor;
	s->scaled_family = plan_text("%.*s_%s_total", (int)(strlen(s->family) - strlen("_total")), s->family, unit);
	s->scaled_help = plan_text("The same events in %s: the raw count times %.17g", unit, s->scale);
	free(unit);
}

static void add_slot(struct build *b, struct build_item *item, const struct build_pmu *v, unsigned unit, int cpu,
		     struct plan_round *round, struct plan_perfround *perf, struct plan_group *group)
{
	const struct build_perf *p = &item->p;
	const char *pmu = v->pmu ? v->pmu->name : "software";
	char *identity = plan_text("%s%u/%s", p->box, unit, p->rest);
	struct plan_perf *e;
	struct plan_slot *s;

	item->n_slots++;
	for (unsigned i = 0; i < round->n_slots; i++)
		if (strcmp(round->slots[i].identity, identity) == 0) {
			plan_group_add(group, i);
			free(identity);
			return;
		}
	perf->events = plan_grow(perf->events, perf->n_events, sizeof(*perf->events));
	e = &perf->events[perf->n_events++];
	*e = (struct plan_perf){ .type = v->type, .config = v->config[0], .config1 = v->config[1],
				 .config2 = v->config[2], .cpu = cpu };
	snprintf(e->pmu, sizeof(e->pmu), "%s", pmu);
	snprintf(e->text, sizeof(e->text), "perf/%s/%s/", pmu, p->terms);

	round->slots = plan_grow(round->slots, round->n_slots, sizeof(*round->slots));
	s = &round->slots[round->n_slots];
	*s = (struct plan_slot){ .engine = PLAN_PERF, .engine_slot = round->n_perf++, .counter = -1, .unit = unit,
				 .width = 64, .max_inc = 1, .clock = -1, .port = -1, .identity = identity };
	s->box_name = plan_text("%s", p->box);
	s->event_name = plan_text("%s", p->event);
	s->family = labels_family(p->box, p->event);
	s->help = perf_help(b, p, item->spec->box);
	s->tail = plan_text("%s", "");
	s->umask = plan_text("%s", "");
	add_scaled(s, p);
	plan_group_add(group, round->n_slots++);
}

void lower_perf(struct build *b, const struct topo_socket *t, struct build_item *item, struct plan_round *round,
		struct plan_perfround *perf, struct plan_group *group)
{
	for (unsigned i = 0; i < item->p.n; i++) {
		const struct build_pmu *v = &item->p.v[i];
		unsigned n = 0, index = 0;

		if (!v->pmu || !v->pmu->cpumask) {
			int reader = topo_reader(t);

			add_slot(b, item, v, v->number < 0 ? 0 : (unsigned)v->number, reader >= 0 ? reader : 0, round,
				 perf, group);
			continue;
		}
		for (unsigned c = 0; c < v->pmu->n_cpumask; c++)
			n += cpu_of_socket(t, v->pmu->cpumask[c]);
		for (unsigned c = 0; c < v->pmu->n_cpumask; c++) {
			if (!cpu_of_socket(t, v->pmu->cpumask[c]))
				continue;
			add_slot(b, item, v, v->number < 0 ? index : (unsigned)v->number * n + index,
				 (int)v->pmu->cpumask[c], round, perf, group);
			index++;
		}
	}
}
