/* SPDX-License-Identifier: MIT
 * The text of an event specification, taken apart.
 * Owns:  box[unit]/EVENT[:UMASK]...[,key[=value]]... and perf/PMU/TERMS/[,key[=value]]...; how a
 *        unit is written.
 * Never: whether box, event, unit mask or key exist.
 * Pure; any thread.
 */
#include "spec/spec.h"

#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
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
	bool alone;                 /* any event may be without a box */
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
		if (n == strlen("socket") && strncasecmp(name, "socket", n) == 0)
			return refuse(s, err, "there is no key \"socket\", because every socket is "
				      "counted; remove it, and select a socket where you read: "
				      "{socket=\"0\"} in PromQL");
		k = ARENA_ADD(a, s->keys, s->n_keys);
		k->name = lower(arena_text_n(a, name, n));
		k->value = value_n ? arena_text_n(a, p - value_n, value_n) : NULL;
	}
	return 0;
}

/* "3" or "0-7" in n characters. */
static int parse_units(struct spec *s, const char *text, size_t n, struct err *err)
{
	size_t digits = strspn(text, "0123456789"), more;
	unsigned long first = digits <= n ? strtoul(text, NULL, 10) : 0, last = first;

	if (!digits || digits > n)
		return refuse(s, err, "a unit is a number, for example cbox[3]/LLC_HITS:M");
	if (digits < n) {
		more = strspn(text + digits + 1, "0123456789");
		if (text[digits] != '-' || !more || digits + 1 + more != n)
			return refuse(s, err, "units are a number or two with \"-\" between, for "
				      "example cbox[0-7]/LLC_HITS:M");
		last = strtoul(text + digits + 1, NULL, 10);
	}
	if (first > UNIT_MAX || last > UNIT_MAX)
		return refuse(s, err, "unit %.*s is too large; unit numbers go up to %d", (int)n,
			      text, UNIT_MAX);
	if (last < first)
		return refuse(s, err, "the first of the units %.*s is above the last", (int)n,
			      text);
	s->unit = (int)first;
	s->last = (int)last;
	return 0;
}

/* "pciex16[8]", "pciex16[1-3]": takes the brackets off the n characters of a name. */
static int parse_brackets(struct spec *s, const char *text, size_t *n, struct err *err)
{
	const char *open = memchr(text, '[', *n);
	size_t inside;

	if (!open)
		return 0;
	inside = *n - (size_t)(open - text) - 1;
	if (!inside || text[*n - 1] != ']')
		return refuse(s, err, "a \"]\" is missing before the slash, for example "
			      "cbox[3]/LLC_HITS:M");
	*n = (size_t)(open - text);
	return parse_units(s, open + 1, inside - 1, err);
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
	size_t n;

	if (terms && memmem(pmu, (size_t)(terms - pmu), "::", 2))
		return parse_pfm(a, s, pmu, (size_t)(terms - pmu), err);
	end = terms ? strchr(terms + 1, '/') : NULL;
	if (!end || terms == pmu)
		return refuse(s, err, "expected perf/PMU/TERMS/ with the slash at the end, for "
			      "example perf/uncore_imc_0/cas_count_read/");
	n = (size_t)(terms - pmu);
	if (parse_brackets(s, pmu, &n, err) < 0)
		return -EINVAL;
	if (!n || name_span(pmu, ".:-") != n)
		return refuse(s, err, "\"%.*s\" is not the name of a PMU", (int)(terms - pmu), pmu);
	if (s->last > s->unit)
		return refuse(s, err, "one instance of a PMU or all of them: perf/PMU[3]/TERMS/ or "
			      "perf/PMU/TERMS/");
	s->instance = s->unit;
	s->unit = s->last = -1;
	s->perf = true;
	s->box = arena_text_n(a, pmu, n);
	s->terms = arena_text_n(a, terms + 1, (size_t)(end - terms - 1));
	if (check_terms(s, err) < 0)
		return -EINVAL;
	return parse_perf_keys(a, end + 1, s, err);
}

/* "r3qpi0" is unit 0 of r3qpi: digits at the end are a unit number, as are those after them in
 * "cbox0-7". A name that itself ends in a digit needs brackets. */
static int parse_box(struct arena *a, struct spec *s, size_t n, bool kernel, struct err *err)
{
	const char *also = kernel ? ".:-" : "";
	size_t name = n, units;

	if (parse_brackets(s, s->text, &n, err) < 0)
		return -EINVAL;
	if (n < name) {
		name = n;
	} else {
		while (name > 0 && isdigit((unsigned char)s->text[name - 1]))
			name--;
		if (name > 1 && name < n && s->text[name - 1] == '-' &&
		    isdigit((unsigned char)s->text[name - 2]))
			name--;
		while (name > 0 && name < n && isdigit((unsigned char)s->text[name - 1]))
			name--;
		units = n - name;
		if (units && parse_units(s, s->text + name, units, err) < 0)
			return -EINVAL;
		s->ambiguous = units > 0;
	}
	if (name == 0 || name_span(s->text, also) < name || !isalpha((unsigned char)s->text[0]))
		return refuse(s, err, "a box name is letters and an optional unit number before "
			      "the slash, for example cbox3/LLC_HITS:M");
	s->box = arena_text_n(a, s->text, name);
	if (!kernel)
		lower(s->box);
	return 0;
}

char *spec_units_text(struct arena *a, const char *box, unsigned first, unsigned last)
{
	size_t n = strlen(box);
	/* "x16-" with 3 behind it would be units 16 to 3 of x */
	bool dash = n > 1 && box[n - 1] == '-';
	bool brackets = n && isdigit((unsigned char)box[n - 1 - dash]);
	char more[16] = "";

	if (last > first)
		snprintf(more, sizeof(more), "-%u", last);
	return arena_printf(a, "%s%s%u%s%s", box, brackets ? "[" : "", first, more,
			    brackets ? "]" : "");
}

char *spec_unit_text(struct arena *a, const char *box, unsigned unit)
{
	return spec_units_text(a, box, unit, unit);
}

static bool is_config(const char *key)
{
	return strcmp(key, "config") == 0 || strcmp(key, "config1") == 0 ||
	       strcmp(key, "config2") == 0;
}

/* "imc0/cas_count_read,config=0x304": what a plan prints of an event of the kernel. Its name ends
 * at the first comma, and may have what the name of a catalog's event has not. */
static int parse_identity(struct arena *a, struct spec *s, const char *p, struct err *err)
{
	size_t n = strcspn(p, ",");
	char *terms = arena_text(a, "");

	if (n == 0)
		return refuse(s, err, "an event name is missing after the slash");
	s->n_keys = 0;
	if (parse_keys(a, p + n, s, err) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < s->n_keys; i++) {
		const struct spec_key *k = &s->keys[i];
		bool part = strcmp(k->name, "die") == 0 || strcmp(k->name, "device") == 0;

		if (part && k->value && !s->part.name) {
			s->part = *k;
			continue;
		}
		if (!is_config(k->name) || !k->value)
			return refuse(s, err, "beside config= only config1= and config2=, and "
				      "die= or device=, are possible: an event of the "
				      "kernel as uncorectl plan prints it; the terms of its PMU "
				      "stand in perf/PMU/TERMS/");
		terms = arena_printf(a, "%s%s=%s,", terms, k->name, k->value);
	}
	s->perf = s->identity = true;
	s->event = arena_text_n(a, p, n);
	s->terms = arena_printf(a, "%sname=%s", terms, s->event);
	s->n_keys = s->n_umasks = 0;
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

/* "cbox/event=0x14,umask=0x3,name=x/": fields of registers by their values. */
static bool is_raw(const char *slash)
{
	size_t n = strlen(slash);

	return n > 2 && slash[n - 1] == '/' && !memchr(slash + 1, '/', n - 2) &&
	       strchr(slash, '=');
}

static int parse_raw(struct arena *a, struct spec *s, const char *slash, struct err *err)
{
	char *terms = arena_printf(a, ",%s", slash + 1);
	unsigned n = 0;

	terms[strlen(terms) - 1] = '\0';
	if (parse_keys(a, terms, s, err) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < s->n_keys; i++)
		if (strcmp(s->keys[i].name, "name") == 0)
			s->event = s->keys[i].value;
		else
			s->keys[n++] = s->keys[i];
	s->n_keys = n;
	s->raw = true;
	if (!s->event)
		return refuse(s, err, "an event that is given by numbers needs a name: add "
			      ",name=... before the last slash");
	if (s->event[name_span(s->event, "")] || !s->event[strspn(s->event, "0123456789_")])
		return refuse(s, err, "name=%s: a name has letters, digits and \"_\", and at least "
			      "one letter", s->event);
	return 0;
}

/* A series as a scrape shows it, without blanks: its family is the event, its labels are keys. */
static int parse_series(struct arena *a, struct spec *s, struct err *err)
{
	static const char prefix[] = "uncore_";
	const char *p = s->text;
	size_t n;

	if (strncmp(p, prefix, strlen(prefix)) == 0)
		p += strlen(prefix);
	n = name_span(p, "");
	if (!n || (p[n] && p[n] != '{'))
		return refuse(s, err, "the name of a series is letters, digits and \"_\"");
	s->event = arena_text_n(a, p, n);
	for (p += n; *p == '{' || *p == ',';) {
		struct spec_key *k;

		n = name_span(++p, "");
		if (*p == '}')
			break;
		if (!n || p[n] != '=' || !p[n + 1] || !strchr("\"'", p[n + 1]) ||
		    !strchr(p + n + 2, p[n + 1]))
			return refuse(s, err, "labels of a series are written "
				      "{name=\"value\",...}");
		for (unsigned i = 0; i < s->n_keys; i++)
			if (strlen(s->keys[i].name) == n && strncmp(s->keys[i].name, p, n) == 0)
				return refuse(s, err, "label \"%s\" is given twice",
					      s->keys[i].name);
		k = ARENA_ADD(a, s->keys, s->n_keys);
		k->name = arena_text_n(a, p, n);
		p += n + 2;
		n = (size_t)(strchr(p, p[-1]) - p);
		k->value = arena_text_n(a, p, n);
		p += n + 1;
	}
	if (*p && strcmp(p, "}") != 0)
		return refuse(s, err, "a \"}\" is missing at the end of the series");
	return 0;
}

static void drop_blanks(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != ' ')
			*to++ = *text;
	*to = '\0';
}

static int parse(struct arena *a, const char *text, bool alone, struct spec *ret, struct err *err)
{
	const char *slash = strchr(text, '/');
	bool kernel;
	int r;

	if (strnlen(text, SPEC_MAX + 1) > SPEC_MAX)
		return err_set(err, -EINVAL, "an event specification of more than %d characters: "
			       "\"%.40s...\"", SPEC_MAX, text);
	if (alone && (strchr(text, '{') || (!slash && strncmp(text, "uncore_", 7) == 0))) {
		ret->text = arena_text(a, text);
		drop_blanks(ret->text);
		return parse_series(a, ret, err);
	}
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return err_set(err, -EINVAL, "an event specification has no blanks and "
				       "only ASCII characters: \"%s\"", text);
	ret->text = arena_text(a, text);
	if (!slash && (alone || isalpha((unsigned char)*text)))
		return parse_event(a, ret, ret->text, err);
	if (!slash)
		return err_set(err, -EINVAL, "\"%s\"" SPEC_NO_EVENT, text);
	if (strncasecmp(text, "perf/", 5) == 0)
		return parse_perf(a, ret, err);
	kernel = strcasestr(slash, ",config=") || strcasestr(slash, ",config1=") ||
		 strcasestr(slash, ",config2=");
	r = parse_box(a, ret, (size_t)(slash - text), kernel, err);
	if (r < 0)
		return r;
	if (!kernel && is_raw(slash))
		return parse_raw(a, ret, slash, err);
	if (kernel)
		return parse_identity(a, ret, ret->text + (slash + 1 - text), err);
	return parse_event(a, ret, slash + 1, err);
}

static void run(void *p)
{
	struct parse *s = p;

	*s->spec = (struct spec){ .unit = -1, .last = -1, .instance = -1 };
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
