/* SPDX-License-Identifier: MIT
 * The perf PMUs that sysfs describes.
 * Owns:  bus/event_source/devices: type, cpumask, the NUMA node of the device, the CPUs near it,
 *        the root buses of I/O stacks, format/, events/ with .scale, .unit and .snapshot.
 * Never: what a term means, which PMU is wanted.
 * Main thread (start, reload); allocates.
 */
#include "topo/topo.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/name.h"
#include "topo/sysfile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES "%s/bus/event_source/devices"   /* sysfs */
#define STACKS     "uncore_iio_"                /* PMUs of I/O stacks */
#define NAME_LENGTH 128             /* of a file that is not left out */
#define MEMORY_MAX ((size_t)256 << 20)

/* What runs out of memory goes on with NULL for a text: topo_pmus_read() asks once, at the end. */
struct names {
	char **v;
	unsigned n;
};

static int order_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Can the name be part of a path and of a message? */
static bool is_plain(const char *name)
{
	size_t n = 0;

	while (is_letter(name[n]) || (name[n] >= '0' && name[n] <= '9') ||
	       (name[n] && strchr("_.:-", name[n])))
		n++;
	return n > 0 && n <= NAME_LENGTH && !name[n];
}

/* False if anything could not be allocated until now. */
static bool has_memory(struct arena *a)
{
	return arena_alloc(a, 1, 1);
}

static int out_of_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

/* The plain names in a directory, sorted; an absent one is empty. left_out: gets a sentence about
 * the first name that is not plain, if it has none. */
static int names_read(struct arena *a, const struct sysfile_dir *dir, const char *name,
		      unsigned max, struct names *ret, struct err *left_out, struct err *err)
{
	struct arena_mark mark = arena_mark(a);
	struct dirent **v;
	int n = sysfile_names(dir, name, &v, err);

	if (n < 0)
		return n == -ENOENT ? 0 : n;
	ret->v = arena_alloc(a, (size_t)n, sizeof(*ret->v));
	for (int i = 0; i < n; i++) {
		if (!is_plain(v[i]->d_name) && !left_out->text[0])
			err_set(left_out, 0, "%s: a file with an odd name is left out",
				sysfile_shown(sysfile_path_in(dir, name).s).s);
		if (is_plain(v[i]->d_name) && ret->v)
			ret->v[ret->n++] = arena_text(a, v[i]->d_name);
		free(v[i]);
	}
	free(v);
	if (ret->n > max) {
		arena_release(a, mark);         /* of many PMUs it would be much */
		return err_set(err, -EFBIG, "%s: more than %u files",
			       sysfile_shown(sysfile_path_in(dir, name).s).s, max);
	}
	return has_memory(a) ? 0 : out_of_memory(err);
}

/* ---- one PMU */

/* A file of format/ or events/. */
struct term_file {
	char name[sizeof("events/") + NAME_LENGTH + sizeof(".snapshot")];
};

static struct term_file term_file(bool event, const char *name, const char *suffix)
{
	struct term_file f;

	stpcpy(stpcpy(stpcpy(f.name, event ? "events/" : "format/"), name), suffix);
	return f;
}

static int read_text(struct arena *a, const struct sysfile_dir *pmu, const char *name, char **ret,
		     struct err *err)
{
	char text[SYSFILE_MAX + 1];
	int r = sysfile_read_in(pmu, name, text, err);

	if (r < 0)
		return r;
	*ret = arena_text(a, text);
	return 0;
}

/* "cas_count_read.scale" belongs to the event before the dot. */
static bool is_attribute(const char *name)
{
	static const char *const suffixes[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	size_t n = strlen(name);

	for (unsigned i = 0; i < COUNT(suffixes); i++) {
		size_t m = strlen(suffixes[i]);

		if (n > m && strcmp(name + n - m, suffixes[i]) == 0)
			return true;
	}
	return false;
}

/* Opens only attributes that are in the directory's list: a server has thousands of events, most of
 * them without. */
static int read_attributes(struct arena *a, const struct sysfile_dir *pmu,
			   const struct names *list, struct topo_term *t, struct err *err)
{
	char *snapshot = NULL;
	const struct { const char *suffix; char **ret; } files[] = {
		{ ".scale", &t->scale }, { ".unit", &t->unit }, { ".snapshot", &snapshot },
	};

	for (unsigned i = 0; i < COUNT(files); i++) {
		const struct term_file f = term_file(true, t->name, files[i].suffix);
		const char *key = f.name + strlen("events/");
		int r;

		if (!bsearch(&key, list->v, list->n, sizeof(*list->v), order_name))
			continue;
		r = read_text(a, pmu, f.name, files[i].ret, err);
		if (r < 0 && r != -ENOENT)
			return r;
	}
	t->snapshot = snapshot && strcmp(snapshot, "0") != 0;
	return 0;
}

/* That is no fault of a file: a moment later it may be read. */
static bool is_short(int r)
{
	return r == -EMFILE || r == -ENFILE;
}

/* If the file cannot be used, only its term is left out. bad: gets the first sentence about one. */
static int read_term(struct arena *a, const struct sysfile_dir *pmu, const struct names *list,
		     bool event, struct topo_term *t, struct err *bad, struct err *err)
{
	int r = read_text(a, pmu, term_file(event, t->name, "").name, &t->text, err);

	if (r == 0 && event)
		r = read_attributes(a, pmu, list, t, err);
	if (r == 0 || is_short(r))
		return r;
	if (!bad->text[0])
		*bad = *err;
	t->bad = arena_text(a, err->text);
	if (!t->text)
		t->text = arena_text(a, "");
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_term(const struct topo_term *a, const struct topo_term *b)
{
	return a->text && !a->bad && !b->bad && a->snapshot == b->snapshot &&
	       same_text(a->name, b->name) && same_text(a->text, b->text) &&
	       same_text(a->scale, b->scale) && same_text(a->unit, b->unit);
}

static bool same_terms(const struct topo_term *v, unsigned n, const struct topo_term *other,
		       unsigned n_other)
{
	unsigned i = 0;

	while (i < n && n == n_other && same_term(&v[i], &other[i]))
		i++;
	return i == n && n == n_other;
}

/* Instances of a PMU mostly have the same: then it is one array, by whose address one sees it.
 * before: the one read before; all 0: there is none. */
static int read_terms(struct arena *a, const struct sysfile_dir *pmu,
		      const struct topo_pmu *before, struct topo_pmu *p, bool events,
		      struct err *bad, struct err *err)
{
	struct topo_term *v, *shared = events ? before->events : before->format;
	unsigned n = 0, n_shared = events ? before->n_events : before->n_format;
	struct arena_mark mark = arena_mark(a);
	struct names names = { 0 };
	int r = names_read(a, pmu, events ? "events" : "format", TOPO_TERMS_MAX, &names, bad, err);

	if (r < 0)
		return r;
	v = arena_alloc(a, names.n, sizeof(*v));
	if (!v)
		return out_of_memory(err);
	for (unsigned i = 0; i < names.n; i++) {
		if (events && is_attribute(names.v[i]))
			continue;
		v[n].name = names.v[i];
		r = read_term(a, pmu, &names, events, &v[n++], bad, err);
		if (r < 0)
			return r;
	}
	if (shared && same_terms(v, n, shared, n_shared)) {
		arena_release(a, mark);
		v = shared;
	}
	*(events ? &p->events : &p->format) = v;
	*(events ? &p->n_events : &p->n_format) = n;
	return 0;
}

/* An empty cpumask, or -1, as HiSilicon's drivers write the CPU that they do not have
 * (hisi_cpumask_sysfs_show): the PMU counts nowhere now. Without the file, cpumask stays NULL. */
static int read_cpumask(struct arena *a, const struct sysfile_dir *pmu, struct topo_pmu *p,
			struct err *err)
{
	AUTO_FREE(free) unsigned *cpus = NULL;
	int r = sysfile_cpulist_in(pmu, "cpumask", &cpus, &p->n_cpumask, err);
	long long none;

	if (r == -ENOENT)
		return 0;
	if (r < 0 && r != -ENODATA && sysfile_number_in(pmu, "cpumask", -1, -1, &none, NULL) < 0)
		return r;
	p->cpumask = arena_copy(a, cpus, p->n_cpumask, sizeof(*cpus));
	return 0;
}

/* Does what has no cpumask count on any CPU? Cores' PMUs have a file that says which CPUs are of
 * their kind; where there is but one kind, older kernels have none. */
static bool is_of_cpus(const struct sysfile_dir *pmu, const struct topo_pmu *p)
{
	static const char *const names[] = {
		"software", "tracepoint", "breakpoint", "kprobe", "uprobe", "msr", "ibs_fetch",
		"ibs_op", "intel_pt", "intel_bts",
	};
	static const char *const families[] = { "cpu", "armv", "apple_", "riscv" };

	for (unsigned i = 0; i < COUNT(names); i++)
		if (strcmp(p->name, names[i]) == 0)
			return true;
	for (unsigned i = 0; i < COUNT(families); i++)
		if (strncmp(p->name, families[i], strlen(families[i])) == 0)
			return true;
	return faccessat(pmu->fd, "cpus", F_OK, 0) == 0;
}

/* The kernel gives a PMU the device that it counts for as its parent from Linux 6.12 on, and a
 * device the NUMA node that the firmware gives for it. Of a CXL device the PCI function has it, two
 * levels above the parent. */
static void read_home(const char *sysfs, const struct sysfile_dir *pmu, struct topo_pmu *p)
{
	static const char *const places[] = {
		"../numa_node", "../../numa_node", "../../../numa_node",
	};
	AUTO_FREE(free) unsigned *cpus = NULL;
	unsigned n;
	long long node = -1;

	for (unsigned i = 0; i < COUNT(places) && node < 0; i++)
		if (sysfile_number_in(pmu, places[i], 0, INT_MAX, &node, NULL) < 0)
			node = -1;
	p->node = (int)node;
	if (node < 0 ||
	    sysfile_cpulist(sysfile_path("%s/devices/system/node/node%lld/cpulist", sysfs, node).s,
			    &cpus, &n, NULL) < 0)
		return;
	p->has_home = true;
	p->home = cpus[0];
}

/* An absent or odd file says nothing. */
static void read_near(struct arena *a, const struct sysfile_dir *pmu, struct topo_pmu *p)
{
	AUTO_FREE(free) unsigned *cpus = NULL;

	if (sysfile_cpulist_in(pmu, "associated_cpus", &cpus, &p->n_near_cpus, NULL) == 0)
		p->near_cpus = arena_copy(a, cpus, p->n_near_cpus, sizeof(*cpus));
}

/* "0000:5e" */
static bool parse_root(const char *text, unsigned *ret)
{
	unsigned segment, bus;
	int end = 0;

	if (sscanf(text, "%4x:%2x%n", &segment, &bus, &end) != 2 || text[end])
		return false;
	*ret = segment << 8 | bus;
	return true;
}

static int order_stack(const void *a, const void *b)
{
	const struct topo_stack *x = a, *y = b;

	return ORDER(x->die, y->die);
}

/* die0, die1 ...: the ABI that Linux documents as sysfs-devices-mapping. A file that is odd, or is
 * gone again, says nothing. */
static void read_stacks(struct arena *a, const struct sysfile_dir *pmu, struct topo_pmu *p)
{
	struct dirent **v;
	int n;

	if (strncmp(p->name, STACKS, strlen(STACKS)) != 0)
		return;
	n = sysfile_names(NULL, pmu->path.s, &v, NULL);
	p->stacks = n > 0 ? arena_alloc(a, (size_t)n, sizeof(*p->stacks)) : NULL;
	for (int i = 0; i < n; i++) {
		char text[SYSFILE_MAX + 1];
		struct topo_stack s;
		int end = 0;

		if (sscanf(v[i]->d_name, "die%4u%n", &s.die, &end) == 1 && !v[i]->d_name[end] &&
		    sysfile_read_in(pmu, v[i]->d_name, text, NULL) > 0 &&
		    parse_root(text, &s.root) && p->stacks)
			p->stacks[p->n_stacks++] = s;
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	if (p->n_stacks)
		qsort(p->stacks, p->n_stacks, sizeof(*p->stacks), order_stack);
}

/* bad: the first sentence about one of its files. */
static int read_files(struct arena *a, const char *sysfs, const struct sysfile_dir *pmu,
		      const struct topo_pmu *before, struct topo_pmu *p, struct err *bad,
		      struct err *err)
{
	long long type;
	int r = sysfile_number_in(pmu, "type", 0, UINT32_MAX, &type, err);

	if (r < 0)
		return r;
	p->type = (uint32_t)type;
	p->dir = arena_text(a, pmu->path.s);
	p->shown = arena_text(a, sysfile_shown(pmu->path.s).s);
	if (!p->dir || !p->shown)
		return out_of_memory(err);
	r = read_cpumask(a, pmu, p, err);
	if (r < 0)
		return r;
	p->of_cpus = !p->cpumask && is_of_cpus(pmu, p);
	read_home(sysfs, pmu, p);
	read_near(a, pmu, p);
	read_stacks(a, pmu, p);
	r = read_terms(a, pmu, before, p, false, bad, err);
	if (r < 0)
		return r;
	return read_terms(a, pmu, before, p, true, bad, err);
}

static int read_pmu(struct arena *a, const char *sysfs, const struct sysfile_dir *devices,
		    char *name, const struct topo_pmu *before, struct topo_pmu *p, struct err *bad,
		    struct err *err)
{
	AUTO_DONE(sysfile_dir_close) struct sysfile_dir pmu = { .fd = -1 };
	int r = sysfile_dir_open(devices, name, &pmu, err);

	*p = (struct topo_pmu){ .name = name };
	return r < 0 ? r : read_files(a, sysfs, &pmu, before, p, bad, err);
}

/* ---- all of them */

/* first: the first sentence about a file. */
static int read_pmus(struct topo_pmus *p, const char *sysfs, struct err *first, struct err *err)
{
	AUTO_DONE(sysfile_dir_close) struct sysfile_dir devices = { .fd = -1 };
	struct arena *a = p->arena;
	struct names names = { 0 };
	const struct topo_pmu none = { 0 };
	int r = sysfile_dir_open(NULL, sysfile_path(DEVICES, sysfs).s, &devices, err);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	r = names_read(a, NULL, devices.path.s, TOPO_PMUS_MAX, &names, first, err);
	if (r < 0)
		return r;
	p->v = arena_alloc(a, names.n, sizeof(*p->v));
	p->bad = arena_alloc(a, names.n, sizeof(*p->bad));
	for (unsigned i = 0; p->bad && i < names.n; i++) {
		struct err bad = { "" };

		r = read_pmu(a, sysfs, &devices, names.v[i], p->n ? &p->v[p->n - 1] : &none,
			     &p->v[p->n], &bad, err);
		if (is_short(r))
			return r;
		if (r < 0) {
			bad = *err;
			p->bad[p->n_bad++] = (struct topo_pmu_bad){ names.v[i],
								    arena_text(a, bad.text) };
		} else {
			p->n++;
		}
		if (!first->text[0])
			*first = bad;
	}
	return has_memory(a) ? 0 : out_of_memory(err);
}

int topo_pmus_read(const char *sysfs, struct topo_pmus **ret, struct err *err)
{
	struct arena *a = arena_new(MEMORY_MAX, NULL);
	struct topo_pmus *p = a ? arena_alloc(a, 1, sizeof(*p)) : NULL;
	struct err why = { "" }, first = { "" };
	int r;

	if (p)
		p->arena = a;
	r = p ? read_pmus(p, sysfs, &first, &why) : out_of_memory(&why);
	if (err)
		*err = r < 0 ? why : first;
	if (r < 0)
		arena_free(a);
	else
		*ret = p;
	return r;
}

void topo_pmus_free(struct topo_pmus *p)
{
	if (p)
		arena_free(p->arena);
}

unsigned topo_pmu_count(const char *sysfs, const char *prefix)
{
	DIR *d = sysfile_opendir(sysfile_path(DEVICES, sysfs).s);
	const struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.' && strncmp(e->d_name, prefix, strlen(prefix)) == 0;
	if (d)
		closedir(d);
	return n;
}

/* The first whose name is behind all names that are before these letters; with them: behind all
 * that begin with them, too. */
static const struct topo_pmu *first_behind(const struct topo_pmus *p, const char *prefix, size_t n,
					   bool with)
{
	const struct topo_pmu *v = p ? p->v : NULL;
	unsigned left = p ? p->n : 0;

	while (left) {
		unsigned half = left / 2;
		bool before = strncmp(v[half].name, prefix, n) < with;

		v = before ? v + half + 1 : v;
		left = before ? left - half - 1 : half;
	}
	return v;
}

const struct topo_pmu *topo_pmu_first(const struct topo_pmus *p, const char *prefix, size_t n)
{
	return first_behind(p, prefix, n, false);
}

const struct topo_pmu *topo_pmu_end(const struct topo_pmus *p, const char *prefix, size_t n)
{
	return first_behind(p, prefix, n, true);
}

const struct topo_pmu *topo_pmu_find(const struct topo_pmus *p, const char *name)
{
	for TOPO_EACH_PMU(pmu, p, name, strlen(name) + 1)
		return pmu;
	return NULL;
}
