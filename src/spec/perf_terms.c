/* SPDX-License-Identifier: MIT
 * The terms of `perf stat -e PMU/TERMS/` as the numbers of perf_event_attr.
 * Owns:  format/ and events/ of sysfs as bits; what terms mean together.
 * Never: which PMU, which CPU; files.
 * Pure; main thread.
 *
 * Where perf would OR two values of one field without a word, this refuses: every specification
 * accepted here means the same to perf.
 */
#include "spec/kernel.h"

#include "base/name.h"
#include "base/num.h"
#include "base/words.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -EINVAL and the PMU, followed by what is wrong with its terms. */
#define refuse(t, err, fmt, ...) \
	err_set(err, -EINVAL, "PMU '%s'" fmt, (t)->pmu->name, ##__VA_ARGS__)

/* The software PMU has no events directory: linux/perf_event.h, enum perf_sw_ids. */
static const char *const software_events[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

/* Terms of perf itself: Linux tools/perf/util/parse-events.c, config_term_names. */
static const char *const sampling_terms[] = {
	"period", "freq", "branch_type", "time", "call-graph", "stack-size", "inherit",
	"no-inherit", "max-stack", "nr", "overwrite", "no-overwrite", "driver-config", "percore",
	"aux-output", "aux-action", "aux-sample-size", "metric-id",
};

struct field {                      /* "config1:0-3,8-11" */
	unsigned which;             /* config, config1, config2 */
	uint64_t mask;              /* takes a value's bits, the lowest into the lowest */
};

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

/* One or two digits below 64, or -1. */
static int bit_number(const char **p)
{
	int v = 0, n = 0;

	for (; isdigit((unsigned char)**p) && n < 3; n++)
		v = v * 10 + *(*p)++ - '0';
	return n > 0 && n < 3 && v < 64 ? v : -1;
}

/* Reads a format file; returns NULL, or what is wrong with it. */
static const char *field_parse(const char *text, struct field *ret)
{
	const char *p;
	int which = config_word(text, &p);

	if (which < 0 || *p != ':')
		return "it is not of config, config1 or config2";
	*ret = (struct field){ .which = (unsigned)which };
	do {
		int lo, hi;

		p++;
		lo = hi = bit_number(&p);
		if (lo >= 0 && *p == '-') {
			p++;
			hi = bit_number(&p);
		}
		if (lo < 0 || hi < 0)
			return "bits are numbers from 0 to 63";
		if (hi < lo)
			return "its bits run backwards";
		if (ret->mask & bits_mask((unsigned)hi, (unsigned)lo))
			return "it names a bit twice";
		ret->mask |= bits_mask((unsigned)hi, (unsigned)lo);
	} while (*p == ',');
	return *p ? "something follows its bits" : NULL;
}

/* -ERANGE: the value has more bits. -EEXIST: a bit that is set would have to be 0. */
static int field_put(const struct field *f, uint64_t value, uint64_t config[3])
{
	uint64_t bits = 0;

	for (uint64_t left = f->mask; left; left &= left - 1) {
		bits |= value & 1 ? left & -left : 0;
		value >>= 1;
	}
	if (value)
		return -ERANGE;
	if (config[f->which] & f->mask & ~bits)
		return -EEXIST;
	config[f->which] |= bits;
	return 0;
}

struct terms {
	struct arena *a;
	const struct spec_pmu *pmu;
	const char *text;           /* all that the specification gives */
	struct perf_terms *ret;
};

static const struct topo_term *find_term(const struct topo_term *v, unsigned n, const char *name)
{
	const struct topo_term *exact = NAME_FIND(v, n, name);

	if (exact)
		return exact;
	for (unsigned i = 0; i < n; i++)
		if (name_same(v[i].name, name))
			return &v[i];
	return NULL;
}

static int unknown_term(const struct terms *t, const char *name, struct err *err)
{
	const struct topo_pmu *pmu = t->pmu->pmu;
	struct nearest near = { .wanted = name };

	for (unsigned i = 0; pmu && i < pmu->n_events; i++)
		nearest_offer(&near, pmu->events[i].name);
	for (unsigned i = 0; pmu && i < pmu->n_format; i++)
		nearest_offer(&near, pmu->format[i].name);
	if (t->pmu->type == PERF_TYPE_SOFTWARE)
		for (unsigned i = 0; i < COUNT(software_events); i++)
			nearest_offer(&near, software_events[i]);
	t->ret->meant = near.name;
	return refuse(t, err, " has no event or term '%s'", name);
}

static int contradiction(const struct terms *t, const char *name, const char *value,
			 struct err *err)
{
	return refuse(t, err, ": %s=%s conflicts with bits that other terms%s%s%s set already "
		      "(perf would mix the two): give the whole event by numbers and name=", name,
		      value, t->ret->alias ? " or the event '" : "", t->ret->alias ?
		      t->ret->alias->name : "", t->ret->alias ? "'" : "");
}

static int apply_field(struct terms *t, const struct topo_term *format, uint64_t v,
		       const char *value, struct err *err)
{
	struct field f;
	const char *wrong;
	int r;

	if (format->bad)
		return refuse(t, err, " cannot use '%s': %s", format->name, format->bad);
	wrong = field_parse(format->text, &f);
	if (wrong)
		return refuse(t, err, " cannot use '%s': the kernel's file %s/format/%s says "
			      "\"%.60s\": %s", format->name, spec_pmu_dir(t->pmu), format->name,
			      format->text, wrong);
	r = field_put(&f, v, t->ret->config);
	if (r == -ERANGE)
		return refuse(t, err, ": %s=%s does not fit into %s", format->name, value,
			      format->text);
	return r < 0 ? contradiction(t, format->name, value, err) : 0;
}

/* Does the specification itself give this term? */
static bool is_given(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = text; s; s = strchr(s, ',')) {
		s += *s == ',';
		if (strncmp(s, name, n) == 0 && s[n] == '=')
			return true;
	}
	return false;
}

static int apply_terms(struct terms *t, const char *text, const struct topo_term *in,
		       struct err *err);

static int apply_alias(struct terms *t, const struct topo_term *alias, struct err *err)
{
	if (alias->bad)
		return refuse(t, err, " cannot count '%s': %s", alias->name, alias->bad);
	if (alias->snapshot)
		return refuse(t, err, ": '%s' is a level at an instant, not a count (the kernel's "
			      "file events/%s.snapshot says so): it cannot be counted", alias->name,
			      alias->name);
	if (t->ret->alias)
		return refuse(t, err, ": '%s' and '%s' are two events; write two specifications",
			      t->ret->alias->name, alias->name);
	t->ret->alias = alias;
	return apply_terms(t, alias->text, alias, err);
}

static int apply_software(struct terms *t, const char *name)
{
	const char *const *found = NAME_FIND(software_events, COUNT(software_events), name);

	if (!found || t->pmu->type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	t->ret->config[0] = (uint64_t)(found - software_events);
	t->ret->software = *found;
	return 0;
}

/* "r304" or "r0x304": the whole of config in hex. */
static bool raw_code(const char *name, uint64_t *ret)
{
	const char *digits = name + (strncmp(name, "r0x", 3) == 0 ? 3 : 1);
	char hex[24];

	return name[0] == 'r' && snprintf(hex, sizeof(hex), "0x%s", digits) < (int)sizeof(hex) &&
		num_parse_u64(hex, ret) == 0;
}

static int apply_config(struct terms *t, unsigned which, uint64_t v, const char *name,
			const char *value, struct err *err)
{
	if (t->ret->config[which] & ~v)
		return contradiction(t, name, value, err);
	t->ret->config[which] = v;
	return 0;
}

/* "name=value" or "name". in: the event of events/ whose text this is, or NULL. */
static int apply_value(struct terms *t, const char *name, const char *value,
		       const struct topo_term *in, struct err *err)
{
	const struct topo_pmu *pmu = t->pmu->pmu;
	const struct topo_term *term = pmu ? find_term(pmu->format, pmu->n_format, name) : NULL;
	const char *rest;
	uint64_t v = 1;
	int which;

	if (in && value && strcmp(value, "?") == 0) {
		for (which = 0; term && which < 3; which++)
			t->ret->asked[which] |= perf_format_mask(term, (unsigned)which);
		return is_given(t->text, name) ? 0 :
		       refuse(t, err, ": the event '%s' needs a value for '%s': write "
			      "perf/%s/%s,%s=VALUE/", in->name, name, t->pmu->name, in->name, name);
	}
	if (!in && !term && NAME_FIND(sampling_terms, COUNT(sampling_terms), name))
		return refuse(t, err, ": '%s' tells perf how to sample or what to print, but "
			      "uncored only counts: leave it out", name);
	if (value && num_parse_u64(value, &v) < 0)
		return refuse(t, err, ": %s=%s is not a number below 2^64", name, value);
	which = config_word(name, &rest);
	if (which >= 0 && !*rest && value)
		return apply_config(t, (unsigned)which, v, name, value, err);
	if (term)
		return apply_field(t, term, v, value ? value : "1", err);
	if (in)
		return refuse(t, err, " cannot count '%s': the kernel's file %s/events/%s says "
			      "\"%.60s\", and format/ has no '%s'", in->name,
			      spec_pmu_dir(t->pmu), in->name, in->text, name);
	term = pmu ? find_term(pmu->events, pmu->n_events, name) : NULL;
	if (term && v == 1)
		return apply_alias(t, term, err);
	if (term)
		return refuse(t, err, ": '%s' is an event and takes no value", name);
	if (!value && apply_software(t, name) == 0)
		return 0;
	if (!value && raw_code(name, &v))
		return apply_config(t, 0, v, "config", name, err);
	return unknown_term(t, name, err);
}

static int apply_terms(struct terms *t, const char *text, const struct topo_term *in,
		       struct err *err)
{
	char *copy = arena_text(t->a, text), *save = NULL;

	for (char *w = strtok_r(copy, ", \t\n", &save); w; w = strtok_r(NULL, ", \t\n", &save)) {
		char *value = strchr(w, '=');
		int r;

		if (value)
			*value++ = '\0';
		if (!in && value && strcmp(w, "name") == 0) {
			t->ret->name = value;
			continue;
		}
		r = apply_value(t, w, value, in, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Do other terms than the event's own set bits, so that less or something else is counted? */
static bool is_refined(const struct terms *t)
{
	struct perf_terms alone = { 0 };
	struct terms event = { .a = t->a, .pmu = t->pmu, .text = t->text, .ret = &alone };
	uint64_t more = 0;

	if (!t->ret->alias || apply_alias(&event, t->ret->alias, NULL) < 0)
		return false;
	for (unsigned i = 0; i < 3; i++)
		more |= t->ret->config[i] & ~(alone.config[i] | alone.asked[i]);
	return more;
}

int perf_terms_resolve(struct arena *a, const struct spec_pmu *pmu, const char *text,
		       struct perf_terms *ret, struct err *err)
{
	struct terms t = { .a = a, .pmu = pmu, .text = text, .ret = ret };
	int r;

	*ret = (struct perf_terms){ 0 };
	r = apply_terms(&t, text, NULL, err);
	ret->refined = r == 0 && is_refined(&t);
	return r;
}

uint64_t perf_format_mask(const struct topo_term *format, unsigned which)
{
	struct field f;

	return format->bad || field_parse(format->text, &f) || f.which != which ? 0 : f.mask;
}

int perf_scale_parse(const char *text, double *ret)
{
	char *end;
	double v;

	if (!*text || text[strspn(text, "0123456789.eE+-")])
		return -EINVAL;
	v = strtod(text, &end);
	if (*end || !(v >= PERF_SCALE_MIN && v <= PERF_SCALE_MAX))
		return -EINVAL;
	*ret = v;
	return 0;
}
