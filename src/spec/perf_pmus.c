/* SPDX-License-Identifier: MIT
 * The names of the kernel's PMUs: boxes, instances, families.
 * Owns:  how a PMU's name splits into box and unit number; which PMUs a name means.
 * Never: what they count.
 * Pure; main thread.
 *
 * Drivers tell the instances of a PMU apart by numbers or, where the firmware gives none, by an
 * address in hex ("arm_dmc620_10008c000"). A number stands alone between separators
 * ("uncore_imc_3", "arm_ni_0_cd_1") or, as some drivers write it, ends a word ("hisi_sccl1_ddrc0");
 * what is left is the family: "uncore_imc", "arm_ni_cd", "hisi_sccl_ddrc". One number is the unit.
 * Instances with several, or with addresses, are units in their order.
 */
#include "spec/kernel.h"

#include "base/bits.h"
#include "base/name.h"
#include "base/words.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_DIGITS = 3, ADDRESS_DIGITS = 16, NUMBERS_MAX = 4 };

/* What the kernel calls a kind of box that it has no name for; the first number says which:
 * "uncore_type_5" is a box of its own, "uncore_type_7_0" an instance of another. */
static const char nameless[] = "uncore_type_";

/* Drivers whose numbers end words, and what the first of several is of. Elsewhere digits there are
 * of the word: pciex16, c2c0, armv8. */
static const struct driver { const char *begins, *part; } drivers[] = {
	{ "hisi_", "die" }, { "mac_iod", "die" }, { "pci_iod", "die" }, { "cxl_pmu_", "device" },
};

struct instance {
	struct perf_family family;
	enum { ALONE, NUMBERS, ADDRESS } by;
	uint64_t v[NUMBERS_MAX];    /* its numbers, or the address */
	unsigned n;
};

static const struct driver *driver_of(const char *pmu)
{
	for (unsigned i = 0; i < COUNT(drivers); i++)
		if (strncmp(pmu, drivers[i].begins, strlen(drivers[i].begins)) == 0)
			return &drivers[i];
	return NULL;
}

/* A word of a name: n letters, of which the last ones may be an instance's number. */
struct word {
	const char *s;
	size_t n, digits;
};

/* The first word of a name, or the next one at a separator. */
static struct word next_word(const char *at, bool first, bool ends_words)
{
	struct word w = { .s = first ? at : at + 1 };
	size_t digits = 0;

	w.n = strcspn(w.s, ends_words ? "_." : "_");
	while (digits < w.n && isdigit((unsigned char)w.s[w.n - digits - 1]))
		digits++;
	if (digits <= NUMBER_DIGITS && !first && (digits == w.n || ends_words))
		w.digits = digits;
	return w;
}

/* The address that ends a name: hex digits, more than a number has. */
static bool ends_in_address(const char *pmu, struct instance *ret)
{
	const char *at = strrchr(pmu, '_'), *s;
	bool digit = false;
	uint64_t v = 0;
	size_t n;

	if (!at || at == pmu)
		return false;
	for (s = at + 1; isdigit((unsigned char)*s) || (*s >= 'a' && *s <= 'f'); s++) {
		digit |= *s <= '9';
		v = v << 4 | (uint64_t)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
	}
	n = (size_t)(s - at - 1);
	if (*s || !digit || n <= NUMBER_DIGITS || n > ADDRESS_DIGITS)
		return false;
	*ret = (struct instance){ .by = ADDRESS, .v = { v }, .n = 1 };
	snprintf(ret->family.s, sizeof(ret->family.s), "%.*s", (int)(at - pmu), pmu);
	return true;
}

/* A name that tells no instance. */
static struct instance alone(const char *pmu)
{
	struct instance r = { .by = ALONE };
	size_t n = strlen(pmu);

	if (n >= sizeof(r.family.s))
		n = sizeof(r.family.s) - 1;
	memcpy(r.family.s, pmu, n);
	return r;
}

/* A name has numbers of an instance only if it ends in one. */
static struct instance split(const char *pmu)
{
	struct instance r = { .by = NUMBERS };
	bool ends_words = driver_of(pmu);
	bool is_nameless = strncmp(pmu, nameless, strlen(nameless)) == 0;
	const char *at = pmu;
	size_t used = 0;
	struct word w;

	if (ends_in_address(pmu, &r))
		return r;
	if (*pmu == '_')
		return alone(pmu);
	do {
		size_t kept;

		w = next_word(at, at == pmu, ends_words);
		if (is_nameless && w.s == pmu + strlen(nameless))
			w.digits = 0;
		kept = (size_t)(w.s - at) + w.n - w.digits;
		if (w.digits && w.digits == w.n)
			kept = 0;               /* nor the separator */
		if ((w.digits && r.n == NUMBERS_MAX) || used + kept >= sizeof(r.family.s))
			return alone(pmu);
		memcpy(r.family.s + used, at, kept);
		used += kept;
		if (w.digits)
			r.v[r.n++] = strtoull(w.s + w.n - w.digits, NULL, 10);
		at = w.s + w.n;
	} while (*at);
	return w.digits && used ? r : alone(pmu);
}

struct perf_family perf_family(const char *pmu)
{
	return split(pmu).family;
}

size_t perf_family_prefix(const char *family)
{
	/* Intel's, which are many, have numbers at the end alone. */
	return strncmp(family, "uncore_", strlen("uncore_")) == 0 ? strlen(family) :
	       strcspn(family, "_");
}

/* How many letters both begin with. */
static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Most instances are told by one number after a name without digits: here that is all of the rest
 * of `pmu` behind that name. */
static bool is_plain(const char *family, const char *rest)
{
	size_t digits = *rest == '_' ? strspn(rest + 1, "0123456789") : 0;

	return digits && digits <= NUMBER_DIGITS && !rest[1 + digits] &&
	       !strpbrk(family, "0123456789") && strncmp(family, nameless, strlen(family)) != 0;
}

/* Where a name differs from its family's there is a number; most names differ before that. */
bool perf_is_family(const char *family, const char *pmu)
{
	size_t n = common(family, pmu);
	char c = pmu[n];

	if (c && c != '_' && c != '.' && !isdigit((unsigned char)c))
		return false;
	if (!family[n] && is_plain(family, pmu + n))
		return true;
	return strcmp(perf_family(pmu).s, family) == 0;
}

/* May a number be where two names differ? */
static bool may_be_number(char c)
{
	return !c || strchr("_.", c) || isxdigit((unsigned char)c);
}

bool perf_same_family(const char *pmu, const char *other)
{
	size_t n = common(pmu, other);

	if (!pmu[n] && !other[n])
		return true;
	return may_be_number(pmu[n]) && may_be_number(other[n]) &&
	       strcmp(perf_family(pmu).s, perf_family(other).s) == 0;
}

bool perf_is_first(const struct topo_pmus *pmus, const struct topo_pmu *pmu)
{
	const struct perf_family family = perf_family(pmu->name);

	for PERF_EACH_NEAR(other, pmus, family.s)
		if (other == pmu || perf_is_family(family.s, other->name))
			return other == pmu;
	return true;
}

struct perf_part perf_part(const char *pmu)
{
	const struct driver *driver = driver_of(pmu);
	struct instance i = split(pmu);

	if (i.by != NUMBERS || i.n < 2)
		return (struct perf_part){ .label = NULL };
	return (struct perf_part){ driver ? driver->part : "device", (unsigned)i.v[0] };
}

void perf_pmu_box(const char *pmu, char *box, size_t n, int *ret_number)
{
	size_t prefix = strncmp(pmu, "uncore_", 7) == 0 ? 7 : 0;
	struct instance i = split(pmu);
	bool alone = i.by == ALONE || strlen(i.family.s) <= prefix;

	if (ret_number && alone)
		*ret_number = -1;
	else if (ret_number && (i.by == ADDRESS || i.n > 1))
		*ret_number = -2;
	else if (ret_number)
		*ret_number = (int)i.v[0];
	snprintf(box, n, "%s", (alone ? pmu : i.family.s) + prefix);
}

/* Is `pmu` an instance of the family: "uncore_imc_3" of "uncore_imc"? */
static bool is_instance(const char *pmu, const char *family)
{
	return strcmp(pmu, family) != 0 && perf_is_family(family, pmu);
}

/* Every name of the kernel's, also of those that cannot be used: the others' numbers must not
 * depend on that. */
static const char *pmu_name(const struct topo_pmus *pmus, unsigned i)
{
	return i < pmus->n ? pmus->v[i].name : pmus->bad[i - pmus->n].name;
}

/* Is it an instance of this family that more than one number tells from the others? */
static bool has_several(const char *pmu, const char *family)
{
	struct instance at;

	if (!is_instance(pmu, family) || is_plain(family, pmu + common(pmu, family)))
		return false;
	at = split(pmu);
	return at.by == ADDRESS || at.n > 1;
}

static bool is_ranked(const struct topo_pmus *pmus, const char *family)
{
	for PERF_EACH_NEAR(pmu, pmus, family)
		if (has_several(pmu->name, family))
			return true;
	for (unsigned i = 0; i < pmus->n_bad; i++)
		if (has_several(pmus->bad[i].name, family))
			return true;
	return false;
}

static int order_numbers(const struct instance *a, const struct instance *b)
{
	for (unsigned i = 0; i < NUMBERS_MAX; i++)
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i] ? -1 : 1;
	return 0;
}

/* Its number, or its place among its siblings. A number beside addresses is taken for one. */
static int instance_number(const struct topo_pmus *pmus, const struct topo_pmu *pmu, bool ranked)
{
	struct instance at = split(pmu->name);
	int rank = 0;

	if (at.by == ALONE)
		return -1;
	if (!ranked)
		return (int)at.v[0];
	for (unsigned i = 0; i < pmus->n + pmus->n_bad; i++) {
		struct instance other;

		if (!is_instance(pmu_name(pmus, i), at.family.s))
			continue;
		other = split(pmu_name(pmus, i));
		rank += order_numbers(&other, &at) < 0;
	}
	return rank;
}

static int by_number(const void *a, const void *b)
{
	return ((const struct spec_pmu *)a)->number - ((const struct spec_pmu *)b)->number;
}

static void add_pmu(struct arena *a, struct spec_perf *p, const struct topo_pmus *pmus,
		    const struct topo_pmu *pmu, bool ranked)
{
	struct spec_pmu *v = ARENA_ADD(a, p->v, p->n);

	v->pmu = pmu;
	v->name = pmu ? pmu->name : "software";
	v->type = pmu ? pmu->type : PERF_TYPE_SOFTWARE;
	v->number = pmu ? instance_number(pmus, pmu, ranked) : -1;
}

/* A PMU of exactly this name, or every instance of a family. A bad PMU of this name: its
 * sentence. */
static int match_pmus(struct arena *a, const struct topo_pmus *pmus, const char *name,
		      struct spec_perf *p, struct err *err)
{
	const struct topo_pmu *one = topo_pmu_find(pmus, name);
	bool ranked = is_ranked(pmus, one ? perf_family(name).s : name);

	for (unsigned i = 0; i < pmus->n_bad; i++) {
		if (strcmp(pmus->bad[i].name, name) == 0)
			return err_set(err, -EINVAL, "the kernel's PMU '%s' cannot be used: %s",
				       name, pmus->bad[i].why);
		if (is_instance(pmus->bad[i].name, name))
			p->left_out = pmus->bad[i].why;
	}
	if (one) {
		add_pmu(a, p, pmus, one, ranked);
		return 0;
	}
	for PERF_EACH_NEAR(pmu, pmus, name)
		if (is_instance(pmu->name, name))
			add_pmu(a, p, pmus, pmu, ranked);
	if (!p->n && p->left_out)
		return err_set(err, -EINVAL, "no instance of the kernel's PMU '%s' can be used: %s",
			       name, p->left_out);
	if (p->n > 1)
		qsort(p->v, p->n, sizeof(*p->v), by_number);
	return 0;
}

int perf_find_pmus(struct arena *a, const struct topo_pmus *pmus, const char *name,
		   struct spec_perf *p, struct err *err)
{
	char longer[PERF_NAME];
	int n = snprintf(longer, sizeof(longer), "uncore_%s", name);
	int r = pmus ? match_pmus(a, pmus, name, p, err) : 0;

	if (r < 0)
		return r;
	if (!p->n && pmus && n < (int)sizeof(longer)) {
		r = match_pmus(a, pmus, longer, p, err);
		if (r < 0)
			return r;
	}
	if (!p->n && strcmp(name, "software") == 0)
		add_pmu(a, p, pmus, NULL, false);
	if (p->n)
		return 0;
	return err_set(err, -EINVAL, "this machine's kernel has no PMU '%s'", name);
}

/* Is it a box of the kernel's PMUs that the catalog knows, on this machine or on another? */
static bool is_known_box(const char *box)
{
	char other[PERF_NAME];

	for (unsigned i = 0; i < cat_n_perfs; i++)
		for (unsigned k = 0; k < cat_perfs[i]->n_pmus; k++) {
			perf_pmu_box(cat_perfs[i]->pmus[k].name, other, sizeof(other), NULL);
			if (name_same(box, other))
				return true;
		}
	return false;
}

/* PMUs have short names, of which many differ in the first letter alone (ubox, cbox; upi, qpi):
 * that one has to be right, or exchanged with the second. */
static bool begins_alike(const char *typed, const char *name)
{
	char a = name_fold(typed[0]), b = name_fold(name[0]);

	return a == b || (a && b && a == name_fold(name[1]) && b == name_fold(typed[1]));
}

const char *perf_pmu_meant(const struct topo_pmus *pmus, const char *name)
{
	char wanted[PERF_NAME], box[PERF_NAME];
	const char *meant = NULL;
	unsigned least = 0;

	perf_pmu_box(name, wanted, sizeof(wanted), NULL);
	if (is_known_box(wanted))
		return NULL;
	for (unsigned i = 0; pmus && i < pmus->n_bad; i++)
		if (strcmp(pmus->bad[i].name, name) == 0)
			return NULL;            /* it is there, and err says what is wrong */
	for (unsigned i = 0; pmus && i < pmus->n; i++) {
		unsigned d = name_distance(name, pmus->v[i].name);

		perf_pmu_box(pmus->v[i].name, box, sizeof(box), NULL);
		if (name_same(wanted, box) || !begins_alike(wanted, box) ||
		    !name_is_typo(wanted, box) || (meant && d >= least))
			continue;
		meant = pmus->v[i].name;        /* of its instances that with the same number */
		least = d;
	}
	return meant;
}
