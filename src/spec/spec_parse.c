/* SPDX-License-Identifier: MIT
 * The text of an event specification, taken apart.
 * Owns:  box[unit]/EVENT[:UMASK]...[,key[=value]]... and perf/PMU/TERMS/[,key[=value]]...
 * Never: whether box, event, unit mask or key exist.
 * Pure; any thread.
 */
#include "spec/spec.h"

#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SPEC_MAX   512
#define UNIT_MAX   255

/* -EINVAL and the specification, followed by what is wrong with it. */
#define refuse(s, err, fmt, ...) err_set(err, -EINVAL, "\"%s\": " fmt, (s)->text, ##__VA_ARGS__)

static char *lower(char *text)
{
	for (char *p = text; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return text;
}

struct parse {                      /* arguments and result of spec_parse() */
	struct arena *a;
	const char *text;
	struct spec *spec;
	struct err *err;
	bool alone;                 /* an event may be without a box */
	int r;
};

/* ",edge,threshold=2": p is at a comma or at the end. */
static int parse_keys(struct arena *a, const char *p, struct spec *s, struct err *err)
{
	while (*p == ',') {
		const char *name = ++p;
		size_t n = name_span(name, ""), value_n = 0;
		struct spec_key *k;

		p += n;
		if (n == 0)
			return refuse(s, err, "a key (key or key=value) is missing after a comma");
		if (*p == '=') {
			value_n = name_span(++p, ".-");
			if (value_n == 0 && *p && *p != ',')
				return refuse(s, err, "\"%c\" is not allowed in the value of key "
					      "\"%.*s\"; numbers are decimal or 0x hex", *p, (int)n,
					      name);
			if (value_n == 0)
				return refuse(s, err, "key \"%.*s\" has no value after the \"=\"",
					      (int)n, name);
			p += value_n;
		}
		if (*p && *p != ',')
			return refuse(s, err, "\"%c\" in key \"%.*s\"; keys are written ,key or "
				      ",key=value", *p, (int)n, name);
		for (unsigned i = 0; i < s->n_keys; i++)
			if (strlen(s->keys[i].name) == n &&
			    strncasecmp(s->keys[i].name, name, n) == 0)
				return refuse(s, err, "key \"%s\" is given twice", s->keys[i].name);
		k = ARENA_ADD(a, s->keys, s->n_keys);
		k->name = lower(arena_text_n(a, name, n));
		k->value = value_n ? arena_text_n(a, p - value_n, value_n) : NULL;
	}
	return 0;
}

/* The text between the slashes: terms that commas separate, as perf writes them. */
static int check_terms(const struct spec *s, struct err *err)
{
	for (const char *p = s->terms;; p++) {
		size_t n = strcspn(p, ",");

		if (n == 0)
			return refuse(s, err, "an empty term between the slashes; expected "
				      "perf/PMU/TERMS/, for example perf/msr/tsc/");
		if (p[0] == '=' || p[n - 1] == '=')
			return refuse(s, err, "\"%.*s\" is not a term; expected term or term=value",
				      (int)n, p);
		p += n;
		if (!*p)
			return 0;
	}
}

/* What follows the last slash. */
static int parse_perf_keys(struct arena *a, const char *p, struct spec *s, struct err *err)
{
	if (*p && *p != ',')
		return refuse(s, err, "only ,key or ,key=value may follow the last slash (no "
			      "modifiers such as u or k: every privilege level is counted)");
	return parse_keys(a, p, s, err);
}

/* "perf/skx_unc_imc0::UNC_M_CAS_COUNT:RD/": the name of libpfm4 is the box; it has no terms. */
static int parse_pfm(struct arena *a, struct spec *s, const char *name, size_t n, struct err *err)
{
	if (name_span(name, ".:-=") < n || *name == ':')
		return refuse(s, err, "\"%.*s\" is not an event of libpfm4, such as "
			      "skx_unc_imc0::UNC_M_CAS_COUNT:RD", (int)n, name);
	s->perf = true;
	s->box = arena_text_n(a, name, n);
	s->terms = arena_text(a, "");
	return parse_perf_keys(a, name + n + 1, s, err);
}

static int parse_perf(struct arena *a, struct spec *s, struct err *err)
{
	const char *pmu = s->text + strlen("perf/"), *terms = strchr(pmu, '/'), *end;

	if (terms && memmem(pmu, (size_t)(terms - pmu), "::", 2))
		return parse_pfm(a, s, pmu, (size_t)(terms - pmu), err);
	end = terms ? strchr(terms + 1, '/') : NULL;
	if (!end || terms == pmu)
		return refuse(s, err, "expected perf/PMU/TERMS/ with the slash at the end, for "
			      "example perf/uncore_imc_0/cas_count_read/");
	if (pmu + name_span(pmu, ".:-") != terms)
		return refuse(s, err, "\"%.*s\" is not the name of a PMU", (int)(terms - pmu), pmu);
	s->perf = true;
	s->box = arena_text_n(a, pmu, (size_t)(terms - pmu));
	s->terms = arena_text_n(a, terms + 1, (size_t)(end - terms - 1));
	if (check_terms(s, err) < 0)
		return -EINVAL;
	return parse_perf_keys(a, end + 1, s, err);
}

/* "r3qpi0" is unit 0 of r3qpi: only digits at the end are a unit number. */
static int parse_box(struct arena *a, struct spec *s, size_t n, struct err *err)
{
	size_t name = n;
	unsigned long unit;

	while (name > 0 && isdigit((unsigned char)s->text[name - 1]))
		name--;
	if (name == 0 || name_span(s->text, "") < n || !isalpha((unsigned char)s->text[0]))
		return refuse(s, err, "a box name is letters and an optional unit number before "
			      "the slash, for example cbox3/LLC_HITS:M");
	s->box = lower(arena_text_n(a, s->text, name));
	if (name < n) {
		unit = strtoul(s->text + name, NULL, 10);
		if (unit > UNIT_MAX)
			return refuse(s, err, "unit %.*s is too large; unit numbers go up to %d",
				      (int)(n - name), s->text + name, UNIT_MAX);
		s->unit = (int)unit;
	}
	return 0;
}

/* EVENT[:UMASK]...[,key[=value]]..., or with a dot as in Intel's lists: UNC_C_LLC_LOOKUP.ANY */
static int parse_event(struct arena *a, struct spec *s, const char *p, struct err *err)
{
	for (bool first = true;; first = false) {
		size_t n = name_span(p, first ? "-" : ".-");
		const char *ends = first ? ".:," : ":,";

		if (n == 0 && (!*p || strchr(ends, *p)))
			return refuse(s, err, "%s is missing after %s", first ? "an event name" :
				      "a unit mask", first ? "the slash" : "a colon");
		if (p[n] == '/')
			return refuse(s, err, "\"/\" is not allowed in the name of an event or "
				      "unit mask; write an event of the kernel as perf/PMU/TERMS/: "
				      "\"perf/%.200s\"", s->text);
		if (p[n] && !strchr(ends, p[n]))
			return refuse(s, err, "\"%c\" is not allowed in the name of an event or "
				      "unit mask; expected box/EVENT[:UMASK]...[,key=value]...",
				      p[n]);
		if (first) {
			s->event = arena_text_n(a, p, n);
		} else {
			*ARENA_ADD(a, s->umasks, s->n_umasks) = arena_text_n(a, p, n);
		}
		p += n;
		if (*p != ':' && *p != '.')
			return parse_keys(a, p, s, err);
		p++;
	}
}

static int parse(struct arena *a, const char *text, bool alone, struct spec *ret, struct err *err)
{
	const char *slash = strchr(text, '/');
	int r;

	if (strnlen(text, SPEC_MAX + 1) > SPEC_MAX)
		return err_set(err, -EINVAL, "an event specification of more than %d characters: "
			       "\"%.40s...\"", SPEC_MAX, text);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return err_set(err, -EINVAL, "an event specification has no blanks and "
				       "only ASCII characters: \"%s\"", text);
	ret->text = arena_text(a, text);
	if (!slash && alone)
		return parse_event(a, ret, ret->text, err);
	if (!slash)
		return err_set(err, -EINVAL, "\"%s\" is not an event; expected "
			       "box/EVENT[:UMASK]...[,key=value]... or perf/PMU/TERMS/, for "
			       "example bbox/IMT_INSERTS_ALL", text);
	if (strncasecmp(text, "perf/", 5) == 0)
		return parse_perf(a, ret, err);
	r = parse_box(a, ret, (size_t)(slash - text), err);
	return r < 0 ? r : parse_event(a, ret, slash + 1, err);
}

static void run(void *p)
{
	struct parse *s = p;

	*s->spec = (struct spec){ .unit = -1 };
	s->r = parse(s->a, s->text, s->alone, s->spec, s->err);
}

static int try_parse(struct parse s)
{
	return arena_try(s.a, run, &s) ? s.r : err_set(s.err, -ENOMEM, "out of memory");
}

int spec_parse(struct arena *a, const char *text, struct spec *ret, struct err *err)
{
	return try_parse((struct parse){ a, text, ret, err, false, 0 });
}

int spec_parse_name(struct arena *a, const char *text, struct spec *ret, struct err *err)
{
	return try_parse((struct parse){ a, text, ret, err, true, 0 });
}
