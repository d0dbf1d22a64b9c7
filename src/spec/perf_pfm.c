/* SPDX-License-Identifier: MIT
 * Events by the names of libpfm4: "skx_unc_imc0::UNC_M_CAS_COUNT:RD".
 * Owns:  libpfm4; which of the kernel's PMUs one of its PMUs is.
 * Never: files: libpfm4's own join with sysfs is not used, ours takes what topo/ read.
 * Main thread. Without the library perf_pfm_disabled.c is built instead.
 */
#include "spec/kernel.h"

#include "base/name.h"
#include "base/strb.h"
#include "base/words.h"
#include "catalog/cpu.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Bits that the hardware's control register has and the kernel sets itself: enable, interrupt. */
#define BITS_OF_KERNEL (BIT(22) | BIT(20))
#define LIST_MAX   ((size_t)16 << 20)
#define MASKS_TEXT 400
#define SPEC_TEXT  512              /* of a specification, at most */

/* Its tables are 2 MB in each process that is linked with it, and few configurations name an event
 * of it: loaded when one does. */
#define LIBRARY "libpfm.so.4"
static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
	__typeof__(pfm_get_event_next) *get_event_next;
	__typeof__(pfm_get_event_info) *get_event_info;
	__typeof__(pfm_get_event_attr_info) *get_event_attr_info;
	__typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
} pfm;

/* Its functions, or -ENOENT with a sentence. */
static int load(struct err *err)
{
	static const struct { const char *name; void *at; } functions[] = {
		{ "pfm_initialize", &pfm.initialize }, { "pfm_strerror", &pfm.strerror },
		{ "pfm_get_pmu_info", &pfm.get_pmu_info },
		{ "pfm_get_event_next", &pfm.get_event_next },
		{ "pfm_get_event_info", &pfm.get_event_info },
		{ "pfm_get_event_attr_info", &pfm.get_event_attr_info },
		{ "pfm_get_os_event_encoding", &pfm.get_os_event_encoding },
	};
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < COUNT(functions); i++) {
		void *f = dlsym(library, functions[i].name);

		if (!f)
			return err_set(err, -ENOENT, "libpfm4 cannot be used: %s", dlerror());
		memcpy(functions[i].at, &f, sizeof(f));
	}
	return library ? 0 : err_set(err, -ENOENT, "libpfm4 cannot be loaded: %s; install "
				     "the package libpfm4", dlerror());
}

/* Once in the life of the process; also for processors that this machine has not. */
static int pfm_ready(struct err *err)
{
	static bool ready;
	int r;

	if (ready)
		return 0;
	r = load(err);
	if (r < 0)
		return r;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 0);
	r = pfm.initialize();
	ready = r == PFM_SUCCESS;
	return ready ? 0 : err_set(err, -EINVAL, "libpfm4 cannot be used: %s", pfm.strerror(r));
}

void spec_pfm_load(void)
{
	pfm_ready(NULL);
}

/* What libpfm4 calls otherwise than the kernel, without the number of the instance. */
static const struct { const char *pfm, *kernel; } renamed[] = {
	{ "cbo", "uncore_cbox" }, { "sbo", "uncore_sbox" }, { "ubo", "uncore_ubox" },
	{ "imc_uclk", "uncore_mc_uclk" },
};
static const struct { const char *pfm, *kernel; } whole[] = {
	{ "nhm_unc", "uncore" }, { "wsm_unc", "uncore" }, { "rapl", "power" },
	{ "amd64_rapl", "power" }, { "amd64_fam15h_nb", "amd_nb" },
	{ "amd64_fam19h_zen3_l3", "amd_l3" },
};

/* "skx_unc_imc0" -> "uncore_imc_0", "skx_unc_imc" -> "uncore_imc". False: not an uncore PMU of the
 * kernel. */
static bool kernel_pmu(const char *name, char ret[PERF_NAME])
{
	const char *unc = strstr(name, "_unc_"), *box = unc ? unc + 5 : NULL,
		*digits = name + strlen(name);
	const char *kernel = NULL;
	size_t n;

	for (unsigned i = 0; i < COUNT(whole); i++)
		if (strcmp(name, whole[i].pfm) == 0) {
			snprintf(ret, PERF_NAME, "%s", whole[i].kernel);
			return true;
		}
	if (!box)
		return false;
	while (digits > box && isdigit((unsigned char)digits[-1]))
		digits--;
	n = (size_t)(digits - box);
	for (unsigned i = 0; i < COUNT(renamed); i++)
		if (strlen(renamed[i].pfm) == n && strncmp(renamed[i].pfm, box, n) == 0)
			kernel = renamed[i].kernel;
	if (kernel)
		snprintf(ret, PERF_NAME, *digits ? "%s_%s" : "%s%s", kernel, digits);
	else
		snprintf(ret, PERF_NAME, *digits ? "uncore_%.*s_%s" : "uncore_%.*s%s",
			 (int)n, box, digits);
	return true;
}

static bool pmu_info(int pmu, pfm_pmu_info_t *ret)
{
	*ret = (pfm_pmu_info_t){ .size = sizeof(*ret) };
	return pfm.get_pmu_info((pfm_pmu_t)pmu, ret) == PFM_SUCCESS;
}

/* The PMU of this name, or the first instance of a family: "skx_unc_imc" -> "skx_unc_imc0". */
static int find_pmu(const char *name, pfm_pmu_info_t *ret, struct err *err)
{
	struct nearest near = { .wanted = name };
	char first[PERF_NAME + 1];
	bool found = false;

	snprintf(first, sizeof(first), "%s0", name);
	for (int i = 0; i < PFM_PMU_MAX && !found; i++) {
		if (!pmu_info(i, ret) || ret->type != PFM_PMU_TYPE_UNCORE)
			continue;
		found = name_same(ret->name, name) || name_same(ret->name, first);
		nearest_offer(&near, ret->name);
	}
	if (found)
		return 0;
	err_set(err, -EINVAL, "libpfm4 has no uncore PMU '%s'", name);
	words_add_nearest(err, near.name);
	return -EINVAL;
}

/* The place of an event in libpfm4's list; -1: none of this name, and *near has a similar one. */
static int find_event(const pfm_pmu_info_t *pmu, struct nearest *near)
{
	for (int i = pmu->first_event; i != -1; i = pfm.get_event_next(i)) {
		pfm_event_info_t e = { .size = sizeof(e) };

		if (pfm.get_event_info(i, PFM_OS_NONE, &e) != PFM_SUCCESS)
			continue;
		if (name_same(e.name, near->wanted))
			return i;
		nearest_offer(near, e.name);
	}
	return -1;
}

/* "; its unit masks: RD WR", not much longer than a sentence can be; or "". */
static char *masks_of(int event)
{
	pfm_event_info_t e = { .size = sizeof(e) };
	struct strb b;

	strb_init(&b, 2 * MASKS_TEXT);
	strb_add(&b, "");
	pfm.get_event_info(event, PFM_OS_NONE, &e);
	for (int i = 0; i < e.nattrs && b.n < MASKS_TEXT; i++) {
		pfm_event_attr_info_t a = { .size = sizeof(a) };

		if (pfm.get_event_attr_info(event, i, PFM_OS_NONE, &a) == PFM_SUCCESS &&
		    a.type == PFM_ATTR_UMASK)
			strb_addf(&b, "%s%s", b.n ? " " : "; its unit masks: ", a.name);
	}
	if (b.n >= MASKS_TEXT)
		strb_add(&b, " ...");
	return strb_take(&b);
}

/* The words of the control and filter registers, as the kernel's drivers take them. */
static void take_codes(const char *pmu, const pfm_pmu_encode_arg_t *a, struct pfm_event *ret)
{
	bool filters = strstr(pmu, "_cbo") || strstr(pmu, "_cha");

	ret->config[0] = a->codes[0] & ~BITS_OF_KERNEL;
	for (int i = 1; i < a->count && i < 3; i++)
		ret->config[i] = a->codes[i];
	if (filters && a->count > 2) {	/* both filter registers of a C-Box or CHA are in config1 */
		ret->config[1] |= a->codes[2] << 32;
		ret->config[2] = 0;
	}
	/* a UPI's match is the upper half of its control register: 336274, umask_ext */
	if (strstr(pmu, "_upi")) {
		ret->config[0] |= ret->config[1] << 32;
		ret->config[1] = 0;
	}
}

int pfm_resolve(const char *text, struct pfm_event *ret, struct err *err)
{
	const char *event = strstr(text, "::");
	pfm_pmu_encode_arg_t a = { .size = sizeof(a) };
	char name[PERF_NAME], word[128], full[2 * SPEC_TEXT], *masks;
	struct nearest near = { .wanted = word };
	pfm_pmu_info_t pmu;
	int r, at;

	snprintf(name, sizeof(name), "%.*s", (int)(event - text), text);
	event += 2;
	if (pfm_ready(err) < 0 || find_pmu(name, &pmu, err) < 0)
		return -EINVAL;
	*ret = (struct pfm_event){ 0 };
	if (!kernel_pmu(name, ret->pmu))
		return err_set(err, -EINVAL, "%s: the kernel's name of that PMU is not known; "
					     "write perf/PMU/TERMS/", name);
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(event, ":"), event);
	at = find_event(&pmu, &near);
	if (at < 0) {
		err_set(err, -EINVAL, "libpfm4's PMU '%s' has no event '%s'", name, word);
		words_add_nearest(err, near.name);
		return -EINVAL;
	}
	snprintf(full, sizeof(full), "%s::%s", pmu.name, event);
	r = pfm.get_os_event_encoding(full, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &a);
	if (r == PFM_SUCCESS && a.count > 3)
		r = PFM_ERR_NOTSUPP;
	if (r == PFM_SUCCESS)
		take_codes(pmu.name, &a, ret);
	free(a.codes);
	if (r == PFM_SUCCESS)
		return 0;
	masks = masks_of(at);
	err_set(err, -EINVAL, "libpfm4 does not accept %s: %s%s", text, pfm.strerror(r),
		masks ? masks : "");
	free(masks);
	return -EINVAL;
}

/* "skx_unc_", with which the names of the processor's PMUs begin; false: nobody knows it. */
static bool prefix_of(const struct topo *t, char ret[PERF_NAME])
{
	/* libpfm4 calls the processor otherwise, or has one name for several */
	static const struct { const char *name, *pfm; } others[] = {
		{ "clx", "skx" }, { "cpx", "skx" }, { "hsx", "hswep" }, { "bdx-de", "bdx" },
		{ "ivytown", "ivbep" }, { "emr", "spr" }, { "icx-d", "icx" }, { "gnr-d", "gnr" },
	};
	const struct cat_cpu *cpu = cat_cpu_next(NULL, t->vendor, t->family, t->model, t->stepping);
	const char *name = cpu ? cpu->name : NULL;

	for (unsigned i = 0; name && i < COUNT(others); i++)
		if (strcmp(cpu->name, others[i].name) == 0)
			name = others[i].pfm;
	if (name)
		snprintf(ret, PERF_NAME, "%s_unc_", name);
	return name;
}

/* "TOR_INSERTS" of "UNC_C_TOR_INSERTS": libpfm4 has other letters for some PMUs than Intel. */
static const char *without_prefix(const char *name)
{
	const char *rest = name_after(name, "UNC_");

	return rest && strchr(rest, '_') ? strchr(rest, '_') + 1 : name;
}

/* The event of a PMU that Intel or libpfm4 calls so; NULL: none. */
static const char *event_called(const pfm_pmu_info_t *pmu, const char *kernel, const char *asked)
{
	const char *own = cat_perf_without_prefix(kernel, asked);

	for (int i = pmu->first_event; i != -1; i = pfm.get_event_next(i)) {
		pfm_event_info_t e = { .size = sizeof(e) };

		if (pfm.get_event_info(i, PFM_OS_NONE, &e) == PFM_SUCCESS &&
		    (name_same(e.name, asked) || name_same(without_prefix(e.name), own)))
			return e.name;
	}
	return NULL;
}

/* A name without the number at its end: a whole family. */
static int family_length(const char *name)
{
	size_t n = strlen(name);

	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	return (int)n;
}

static const char *const contradicted[] = {
#include "spec/pfm_contradicted.h"
};

static bool is_contradicted(const char *name)
{
	for (unsigned i = 0; i < COUNT(contradicted); i++)
		if (strcasecmp(contradicted[i], name) == 0)
			return true;
	return false;
}

/* MEM_WRITE.PART2 is MEM_WRITE_PART2 there. */
static char *mask_of(struct arena *a, const char *asked)
{
	char *mask = arena_text(a, asked);

	for (char *p = mask; *p; p++)
		*p = *p == '.' ? '_' : *p;
	return mask;
}

/* The event with the unit masks of s. *ret_other: Intel means something else by it. */
static char *with_masks(struct arena *a, char *event, const struct spec *s, bool *ret_other)
{
	char *text = event;

	*ret_other = is_contradicted(event);
	for (unsigned i = 0; i < s->n_umasks; i++) {
		const char *mask = mask_of(a, s->umasks[i]);

		*ret_other |= is_contradicted(arena_printf(a, "%s:%s", event, mask));
		text = arena_printf(a, "%s:%s", text, mask);
	}
	return text;
}

char *pfm_of_name(struct arena *a, const struct topo *t, const struct spec *s, const char **why)
{
	char prefix[PERF_NAME], kernel[PERF_NAME], box[PERF_NAME], *text = NULL;
	bool other = false;
	struct err err;

	*why = "; libpfm4 does not know it for this machine";
	if (pfm_ready(&err) < 0)
		*why = arena_printf(a, "; %s", err.text);
	if (pfm_ready(NULL) < 0 || !prefix_of(t, prefix))
		return NULL;
	/* several of its PMUs have a CLOCKTICKS */
	if (!s->box && !name_after(s->event, "UNC_"))
		return NULL;
	for (int i = 0; i < PFM_PMU_MAX && !text; i++) {
		const char *event;
		pfm_pmu_info_t pmu;

		if (!pmu_info(i, &pmu) || strncmp(pmu.name, prefix, strlen(prefix)) != 0 ||
		    !kernel_pmu(pmu.name, kernel))
			continue;
		perf_pmu_box(kernel, box, sizeof(box), NULL);
		if (s->box && !name_same(s->box, box) && !perf_is_family(s->box, kernel))
			continue;
		event = event_called(&pmu, kernel, s->event);
		if (event)
			text = arena_printf(a, "%.*s::%s", family_length(pmu.name), pmu.name,
					    event);
	}
	if (text)
		text = with_masks(a, text, s, &other);
	if (!other)
		return text;
	*why = arena_printf(a, "; libpfm4 has it with another code than Intel's list of events, or "
			    "another filter: perf/%s/ counts what libpfm4 means", text);
	return NULL;
}

static void list_masks(const char *pmu, const pfm_event_info_t *e,
		       void (*each)(void *, const char *, const char *), void *p)
{
	char spec[2 * SPEC_TEXT];
	bool any = false;

	for (int i = 0; i < e->nattrs; i++) {
		pfm_event_attr_info_t a = { .size = sizeof(a) };

		if (pfm.get_event_attr_info(e->idx, i, PFM_OS_NONE, &a) != PFM_SUCCESS ||
		    a.type != PFM_ATTR_UMASK)
			continue;
		any = true;
		snprintf(spec, sizeof(spec), "perf/%s::%s:%s/", pmu, e->name, a.name);
		each(p, spec, a.desc);
	}
	if (!any) {
		snprintf(spec, sizeof(spec), "perf/%s::%s/", pmu, e->name);
		each(p, spec, e->desc);
	}
}

struct listing {
	struct arena *a;
	const struct topo_pmus *pmus;
	void (*each)(void *p, const char *spec, const char *help);
	void *p;
};

static void list_events(void *p)
{
	const struct listing *l = p;
	char last[PERF_NAME] = "";

	for (int i = 0; i < PFM_PMU_MAX; i++) {
		char kernel[PERF_NAME], family[PERF_NAME];
		struct spec_perf found = { 0 };
		pfm_pmu_info_t pmu;
		size_t n;

		if (!pmu_info(i, &pmu) || pmu.type != PFM_PMU_TYPE_UNCORE || !pmu.is_present ||
		    !kernel_pmu(pmu.name, kernel))
			continue;
		for (n = strlen(pmu.name); n > 0 && isdigit((unsigned char)pmu.name[n - 1]); n--)
			;
		snprintf(family, sizeof(family), "%.*s", (int)n, pmu.name);
		if (strcmp(family, last) == 0 ||
		    perf_find_pmus(l->a, l->pmus, kernel, &found, NULL) < 0)
			continue;
		snprintf(last, sizeof(last), "%s", family);
		for (int k = pmu.first_event; k != -1; k = pfm.get_event_next(k)) {
			pfm_event_info_t e = { .size = sizeof(e) };

			if (pfm.get_event_info(k, PFM_OS_NONE, &e) == PFM_SUCCESS)
				list_masks(family, &e, l->each, l->p);
		}
	}
}

void spec_pfm_events(const struct topo_pmus *pmus,
		     void (*each)(void *p, const char *spec, const char *help), void *p)
{
	struct listing l = { .pmus = pmus, .each = each, .p = p };

	if (!pmus || pfm_ready(NULL) < 0)
		return;
	l.a = arena_new(LIST_MAX, NULL);
	if (l.a)
		arena_try(l.a, list_events, &l);
	arena_free(l.a);
}
