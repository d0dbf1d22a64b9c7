/* pmu.c - the perf PMUs that sysfs describes.
 *
 * Owns:  bus/event_source/devices: type, cpumask, format/, events/ with .scale, .unit and
 *        .snapshot.
 * Never: what a term means, which PMU is wanted.
 * Main thread (start, reload); allocates.
 */
#include "config.h"

#include "topo/topo.h"

#include "base/bits.h"
#include "topo/sysfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PMUS_MAX  1024
#define TERMS_MAX 4096              /* files in one format/ or events/ */

struct names {
	char **v;
	unsigned n;
	struct err left_out;        /* about the first name that is no plain one; "": none */
};

static void names_done(struct names *l)
{
	for (unsigned i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}

static int order_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A name that can stand in a path and in a message. */
static bool is_plain(const char *name)
{
	size_t n = strspn(name,
			  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-");

	return name[0] != '.' && n > 0 && n <= 128 && !name[n];
}

static int names_add(struct names *l, unsigned max, const char *path, const char *name,
		     struct err *err)
{
	char **v;

	if (!is_plain(name)) {
		if (!l->left_out.text[0])
			err_set(&l->left_out, 0, "%s: a file with an odd name is left out", path);
		return 0;
	}
	if (l->n == max)
		return err_set(err, -EFBIG, "%s: more than %u files", path, max);
	v = realloc(l->v, (l->n + 1) * sizeof(*v));
	l->v = v ? v : l->v;
	if (!v || !(v[l->n] = strdup(name)))
		return err_set(err, -ENOMEM, "out of memory");
	l->n++;
	return 0;
}

/* The entries of a directory, sorted; an absent one is empty. On failure *ret holds some. */
static int names_read(const char *path, unsigned max, struct names *ret, struct err *err)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	int r = 0;

	if (!d)
		return errno == ENOENT ? 0 : err_set(err, -errno, "%s: %m", path);
	for (errno = 0; r == 0 && (e = readdir(d)); errno = 0) {
		if (e->d_name[0] != '.')
			r = names_add(ret, max, path, e->d_name, err);
	}
	if (r == 0 && errno)
		r = err_set(err, -errno, "%s: %m", path);
	closedir(d);
	if (ret->n > 1)
		qsort(ret->v, ret->n, sizeof(*ret->v), order_name);
	return r;
}

/* ---- one PMU */

/* The text of dir/name+suffix; -ENOENT without a sentence worth keeping if it is absent. */
static int read_text(const char *dir, const char *name, const char *suffix, char **ret,
		     struct err *err)
{
	char path[SYSFILE_PATH], text[SYSFILE_MAX + 1];
	int r = sysfile_path(path, err, "%s/%s%s", dir, name, suffix);

	if (r == 0)
		r = sysfile_read(path, text, err);
	if (r < 0)
		return r;
	*ret = strdup(text);
	return *ret ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* The same of a file that may be absent: the list says so without an open() for each of a server's
 * thousands of events. */
static int read_listed(const char *dir, const struct names *list, const char *name,
		       const char *suffix, char **ret, struct err *err)
{
	char whole[SYSFILE_PATH];
	const char *key = whole;
	int r = sysfile_path(whole, err, "%s%s", name, suffix);

	if (r < 0 || !bsearch(&key, list->v, list->n, sizeof(*list->v), order_name))
		return r;
	r = read_text(dir, name, suffix, ret, err);
	return r == -ENOENT ? 0 : r;
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

static int read_attributes(const char *dir, const struct names *list, const char *name,
			   struct topo_term *t, struct err *err)
{
	char *snapshot = NULL;
	int r = read_listed(dir, list, name, ".scale", &t->scale, err);

	if (r == 0)
		r = read_listed(dir, list, name, ".unit", &t->unit, err);
	if (r == 0)
		r = read_listed(dir, list, name, ".snapshot", &snapshot, err);
	t->snapshot = snapshot && strcmp(snapshot, "0") != 0;
	free(snapshot);
	return r;
}

/* A file that cannot be used costs its own term only. bad: the first sentence. */
static int read_term(const char *dir, const struct names *list, const char *name, bool event,
		     struct topo_term *t, struct err *bad)
{
	struct err err = { "" };
	int r = read_text(dir, name, "", &t->text, &err);

	if (r == 0 && event)
		r = read_attributes(dir, list, name, t, &err);
	if (r < 0 && r != -ENOMEM) {
		if (!bad->text[0])
			*bad = err;
		t->bad = strdup(err.text);
		if (!t->text)
			t->text = strdup("");
	}
	t->name = strdup(name);
	return r == -ENOMEM || !t->name || !t->text || (r < 0 && !t->bad) ? -ENOMEM : 0;
}

static int read_terms(const char *pmu, bool events, struct topo_pmu *p, struct err *bad,
		      struct err *err)
{
	struct topo_term **ret = events ? &p->events : &p->format;
	unsigned *ret_n = events ? &p->n_events : &p->n_format;
	struct names names = { 0 };
	char dir[SYSFILE_PATH];
	int r = sysfile_path(dir, err, "%s/%s", pmu, events ? "events" : "format");

	if (r == 0)
		r = names_read(dir, TERMS_MAX, &names, err);
	if (!bad->text[0])
		*bad = names.left_out;
	if (r == 0 && names.n > 0 && !(*ret = calloc(names.n, sizeof(**ret))))
		r = err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; r == 0 && i < names.n; i++) {
		if (events && is_attribute(names.v[i]))
			continue;
		r = read_term(dir, &names, names.v[i], events, &(*ret)[(*ret_n)++], bad);
		if (r < 0)
			err_set(err, r, "out of memory");
	}
	names_done(&names);
	return r;
}

/* An empty cpumask: the PMU counts nowhere now. Without the file, cpumask stays NULL. */
static int read_cpumask(const char *dir, struct topo_pmu *p, struct err *err)
{
	char path[SYSFILE_PATH], text[SYSFILE_MAX + 1];
	int r = sysfile_path(path, err, "%s/cpumask", dir);

	if (r == 0)
		r = sysfile_read(path, text, err);
	if (r == -ENOENT)
		return 0;
	if (r == -ENODATA) {
		p->cpumask = malloc(sizeof(*p->cpumask));
		return p->cpumask ? 0 : err_set(err, -ENOMEM, "out of memory");
	}
	return r < 0 ? r : sysfile_cpulist(path, &p->cpumask, &p->n_cpumask, err);
}

/* bad: the first sentence about one of its files. */
static int read_pmu(const char *devices, const char *name, struct topo_pmu *p, struct err *bad,
		    struct err *err)
{
	char dir[SYSFILE_PATH], type_path[SYSFILE_PATH];
	long long type;
	int r;

	if ((r = sysfile_path(dir, err, "%s/%s", devices, name)) < 0 ||
	    (r = sysfile_path(type_path, err, "%s/type", dir)) < 0 ||
	    (r = sysfile_number(type_path, 0, UINT32_MAX, &type, err)) < 0)
		return r;
	p->type = (uint32_t)type;
	r = read_cpumask(dir, p, err);
	if (r == 0)
		r = read_terms(dir, false, p, bad, err);
	if (r == 0)
		r = read_terms(dir, true, p, bad, err);
	if (r == 0 && (!(p->name = strdup(name)) || !(p->dir = strdup(dir))))
		r = err_set(err, -ENOMEM, "out of memory");
	return r;
}

static void terms_free(struct topo_term *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		free(v[i].name);
		free(v[i].text);
		free(v[i].scale);
		free(v[i].unit);
		free(v[i].bad);
	}
	free(v);
}

static void pmu_done(struct topo_pmu *p)
{
	free(p->name);
	free(p->dir);
	free(p->cpumask);
	terms_free(p->format, p->n_format);
	terms_free(p->events, p->n_events);
	*p = (struct topo_pmu){ 0 };
}

/* ---- all of them */

static int add_bad(struct topo_pmus *p, const char *name, const struct err *why)
{
	struct topo_pmu_bad *b = &p->bad[p->n_bad++];

	b->name = strdup(name);
	b->why = strdup(why->text);
	return b->name && b->why ? 0 : -ENOMEM;
}

/* first: the first sentence about a file. Returns -ENOMEM, or 0 whatever the files are. */
static int read_pmus(const char *devices, const struct names *names, struct topo_pmus *p,
		     struct err *first)
{
	p->v = calloc(names->n + 1UL, sizeof(*p->v));
	p->bad = calloc(names->n + 1UL, sizeof(*p->bad));
	if (!p->v || !p->bad)
		return -ENOMEM;
	*first = names->left_out;
	for (unsigned i = 0; i < names->n; i++) {
		struct err bad = { "" }, err;
		int r = read_pmu(devices, names->v[i], &p->v[p->n], &bad, &err);

		if (r == 0) {
			p->n++;
		} else {
			pmu_done(&p->v[p->n]);
			if (r == -ENOMEM || add_bad(p, names->v[i], &err) < 0)
				return -ENOMEM;
			bad = err;
		}
		if (!first->text[0])
			*first = bad;
	}
	return 0;
}

int topo_pmus_read(const char *sysfs, struct topo_pmus **ret, struct err *err)
{
	struct topo_pmus *p = calloc(1, sizeof(*p));
	struct names names = { 0 };
	char devices[SYSFILE_PATH];
	struct err bad = { "" }, first = { "" };
	int r = p ? 0 : err_set(&bad, -ENOMEM, "out of memory");

	if (r == 0)
		r = sysfile_path(devices, &bad, "%s/bus/event_source/devices", sysfs);
	if (r == 0)
		r = names_read(devices, PMUS_MAX, &names, &bad);
	if (r == 0 && read_pmus(devices, &names, p, &first) < 0)
		r = err_set(&bad, -ENOMEM, "out of memory");
	names_done(&names);
	if (err)
		*err = r < 0 ? bad : first;
	if (r < 0) {
		topo_pmus_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

void topo_pmus_free(struct topo_pmus *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->n; i++)
		pmu_done(&p->v[i]);
	for (unsigned i = 0; i < p->n_bad; i++) {
		free(p->bad[i].name);
		free(p->bad[i].why);
	}
	free(p->v);
	free(p->bad);
	free(p);
}

bool topo_pmu_any(const char *sysfs, const char *prefix)
{
	char path[SYSFILE_PATH];
	const struct dirent *e;
	bool found = false;
	DIR *d = sysfile_path(path, NULL, "%s/bus/event_source/devices", sysfs) < 0 ? NULL :
		 opendir(path);

	while (d && !found && (e = readdir(d)))
		found = strncmp(e->d_name, prefix, strlen(prefix)) == 0;
	if (d)
		closedir(d);
	return found;
}

const struct topo_pmu *topo_pmu_find(const struct topo_pmus *p, const char *name)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (strcmp(p->v[i].name, name) == 0)
			return &p->v[i];
	}
	return NULL;
}
