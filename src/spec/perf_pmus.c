/* SPDX-License-Identifier: MIT
 * The names of the kernel's PMUs: boxes, instances, families.
 * Owns:  how a PMU's name splits into box and unit number; which PMUs a name means.
 * Never: what they count.
 * Pure; main thread.
 *
 * Drivers tell the instances of a PMU apart by a number ("uncore_imc_3", "amd_umc_11", "arm_cmn_0")
 * or, where the firmware gives none, by an address in hex ("arm_dmc620_10008c000"). Those are
 * numbered here in the order of their addresses.
 */
#include "spec/kernel.h"

#include "base/name.h"
#include "base/words.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_DIGITS = 3, ADDRESS_DIGITS = 16 };

/* What the kernel calls a kind of box that it has no name for; the first number says which:
 * "uncore_type_5" is a box of its own, "uncore_type_7_0" an instance of another. */
static const char nameless[] = "uncore_type";

/* What tells the instance from others: what follows the last '_', or nothing. */
struct instance {
	size_t family;              /* length of the name without it */
	enum { ALONE, NUMBER, ADDRESS } by;
	uint64_t value;
};

static struct instance split(const char *pmu)
{
	const char *at = strrchr(pmu, '_'), *s;
	const struct instance alone = { .family = strlen(pmu) };
	bool digit = false, letter = false;
	uint64_t v = 0, number = 0;     /* in hex, and in decimal */
	size_t n;

	if (!at || at == pmu || !at[1])
		return alone;
	for (s = at + 1; isdigit((unsigned char)*s) || (*s >= 'a' && *s <= 'f'); s++) {
		digit |= *s <= '9';
		letter |= *s > '9';
		v = v << 4 | (uint64_t)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
		number = number * 10 + (uint64_t)(*s - '0');
	}
	n = (size_t)(s - at - 1);
	if ((size_t)(at - pmu) == strlen(nameless) && strncmp(pmu, nameless, strlen(nameless)) == 0)
		return alone;
	if (*s || !digit || n > ADDRESS_DIGITS || (n <= NUMBER_DIGITS && letter))
		return alone;
	if (n > NUMBER_DIGITS)
		return (struct instance){ (size_t)(at - pmu), ADDRESS, v };
	return (struct instance){ (size_t)(at - pmu), NUMBER, number };
}

size_t perf_pmu_family(const char *pmu)
{
	return split(pmu).family;
}

bool perf_is_family(const char *name, const char *pmu)
{
	size_t n = perf_pmu_family(pmu);

	return strlen(name) == n && strncmp(name, pmu, n) == 0;
}

/* May all of a name that is left tell the instance from others? Most names differ before that. */
static bool may_be_instance(const char *rest)
{
	return !*rest || !strchr(rest + 1, '_');
}

bool perf_same_family(const char *pmu, const char *other)
{
	size_t n = 0;

	while (pmu[n] && pmu[n] == other[n])
		n++;
	return may_be_instance(pmu + n) && may_be_instance(other + n) &&
	       perf_pmu_family(pmu) <= n && perf_pmu_family(pmu) == perf_pmu_family(other);
}

void perf_pmu_box(const char *pmu, char *box, size_t n, int *ret_number)
{
	size_t prefix = strncmp(pmu, "uncore_", 7) == 0 ? 7 : 0;
	struct instance i = split(pmu);

	if (i.family <= prefix)
		i = (struct instance){ .family = strlen(pmu) };
	if (ret_number && i.by == ALONE)
		*ret_number = -1;
	else if (ret_number && i.by == ADDRESS)
		*ret_number = -2;
	else if (ret_number)
		*ret_number = (int)i.value;
	snprintf(box, n, "%.*s", (int)(i.family - prefix), pmu + prefix);
}

/* Is `pmu` an instance of the family of n letters: "uncore_imc_3" of "uncore_imc"? */
static bool is_instance(const char *pmu, const char *family, size_t n)
{
	return strncmp(pmu, family, n) == 0 && pmu[n] == '_' && split(pmu).family == n;
}

/* Every name of the kernel's, also of those that cannot be used: the others' numbers must not
 * depend on that. */
static const char *pmu_name(const struct topo_pmus *pmus, unsigned i)
{
	return i < pmus->n ? pmus->v[i].name : pmus->bad[i - pmus->n].name;
}

/* Does an address tell any instance of this family from the others? */
static bool has_addresses(const struct topo_pmus *pmus, const char *family, size_t n)
{
	for TOPO_EACH_PMU(pmu, pmus, family, n)
		if (is_instance(pmu->name, family, n) && split(pmu->name).by == ADDRESS)
			return true;
	for (unsigned i = 0; i < pmus->n_bad; i++)
		if (is_instance(pmus->bad[i].name, family, n) &&
		    split(pmus->bad[i].name).by == ADDRESS)
			return true;
	return false;
}

/* The place of an address among its siblings. A number beside addresses is taken for one. */
static int instance_number(const struct topo_pmus *pmus, const struct topo_pmu *pmu, bool addresses)
{
	struct instance at = split(pmu->name);
	int rank = 0;

	if (at.by == ALONE)
		return -1;
	if (!addresses)
		return (int)at.value;
	for (unsigned i = 0; i < pmus->n + pmus->n_bad; i++)
		rank += is_instance(pmu_name(pmus, i), pmu->name, at.family) &&
			split(pmu_name(pmus, i)).value < at.value;
	return rank;
}

static int by_number(const void *a, const void *b)
{
	return ((const struct spec_pmu *)a)->number - ((const struct spec_pmu *)b)->number;
}

static void add_pmu(struct arena *a, struct spec_perf *p, const struct topo_pmus *pmus,
		    const struct topo_pmu *pmu, bool addresses)
{
	struct spec_pmu *v = ARENA_ADD(a, p->v, p->n);

	v->pmu = pmu;
	v->name = pmu ? pmu->name : "software";
	v->type = pmu ? pmu->type : PERF_TYPE_SOFTWARE;
	v->number = pmu ? instance_number(pmus, pmu, addresses) : -1;
}

/* A PMU of exactly this name, or every instance of a family. A bad PMU of this name: its
 * sentence. */
static int match_pmus(struct arena *a, const struct topo_pmus *pmus, const char *name,
		      struct spec_perf *p, struct err *err)
{
	const struct topo_pmu *one = topo_pmu_find(pmus, name);
	bool addresses = has_addresses(pmus, name, one ? perf_pmu_family(name) : strlen(name));

	for (unsigned i = 0; i < pmus->n_bad; i++) {
		if (strcmp(pmus->bad[i].name, name) == 0)
			return err_set(err, -EINVAL, "the kernel's PMU '%s' cannot be used: %s",
				       name, pmus->bad[i].why);
		if (is_instance(pmus->bad[i].name, name, strlen(name)))
			p->left_out = pmus->bad[i].why;
	}
	if (one) {
		add_pmu(a, p, pmus, one, addresses);
		return 0;
	}
	for TOPO_EACH_PMU(pmu, pmus, name, strlen(name))
		if (is_instance(pmu->name, name, strlen(name)))
			add_pmu(a, p, pmus, pmu, addresses);
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
