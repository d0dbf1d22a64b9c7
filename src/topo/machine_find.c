/* SPDX-License-Identifier: MIT
 *
 * Owns:  where installed machines lie, and what else they are called.
 */
#include "topo/machine_find.h"

#include "base/bits.h"
#include "base/name.h"
#include "base/printable.h"
#include "base/words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMON "common"             /* what several machines have in common, but no machine */

/* What people call them, too, and what uncored's tables are called that hold for them. */
static const struct { const char *name, *machine; } others[] = {
	{ "naples", "zen1" }, { "rome", "zen2" }, { "milan", "zen3" }, { "epyc", "zen3" },
	{ "genoa", "zen4" }, { "umc", "zen4" }, { "turin", "zen5" }, { "venice", "zen6" },
	{ "nehalem-ex", "nehalem_ex" },
	{ "nhmex", "nehalem_ex" }, { "nhm", "nehalem" }, { "snb", "skl" }, { "pmem", "clx" },
	{ "hbm", "sprhbm" }, { "rapl", "spr" }, { "cstate", "spr" }, { "msr", "spr" },
	{ "cmn", "cmn700" }, { "dmc620", "altra2" }, { "ivytown", "ivt" },
	{ "neoverse-n1", "cmn600" }, { "neoverse-v2", "cmn700" },
	{ "neoverse-v3", "cmns3" }, { "cmn-hns", "cmns3" }, { "cmn-both", "cmns3" },
	{ "cmn-memory", "cmn700" }, { "cxl", "cmns3" },
	{ "tsv110", "kunpeng920" }, { "hip08", "kunpeng920" }, { "hip09", "kunpeng930" },
	{ "neoverse-n2", "yitian710" },
	/* Code names without "-SP"; Skylake, Haswell and Broadwell are clients' as well. */
	{ "skylake-sp", "skx" }, { "cascadelake", "clx" }, { "cooperlake", "cpx" },
	{ "icelake", "icx" }, { "icelake-sp", "icx" }, { "sapphirerapids", "spr" },
	{ "emeraldrapids", "emr" }, { "graniterapids", "gnr" }, { "sierraforest", "srf" },
	{ "clearwaterforest", "cwf" }, { "bergamo", "zen4" }, { "haswell-ep", "hsx" },
	{ "sandybridge-ep", "snbep" }, { "ivybridge-ep", "ivt" }, { "broadwell-ep", "bdx" },
	{ "broadwell-de", "bdxde" }, { "alderlake", "adl" }, { "tigerlake", "tgl" },
	{ "meteorlake", "mtl" }, { "lunarlake", "lnl" },
};
enum { OTHERS_MAX = 6, TITLE_MAX = 120 };

/* ------------------------------------------------------------------ where they are */

/* Beside the program that runs, as in a build tree, else where they are installed. */
static void find_directory(char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - sizeof("machines"));

	while (n > 0 && ret[n - 1] != '/')
		n--;
	if (n > 0) {
		strcpy(ret + n, "machines");
		if (access(ret, X_OK) == 0)
			return;
	}
	snprintf(ret, PATH_MAX, "%s", UNCORED_MACHINES);
}

static bool path_in(const char *dir, const char *sub, const char *name, char ret[PATH_MAX])
{
	return snprintf(ret, PATH_MAX, "%s%s%s/%s.txt", dir, *sub ? "/" : "", sub, name) < PATH_MAX;
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *machine_of(const char *name)
{
	for (unsigned i = 0; i < COUNT(others); i++)
		if (name_same(others[i].name, name))
			return others[i].machine;
	return name;
}

static void other_names(const char *machine, const char *ret[OTHERS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < COUNT(others) && n < OTHERS_MAX - 1; i++)
		if (strcmp(others[i].machine, machine) == 0)
			ret[n++] = others[i].name;
	ret[n] = NULL;
}

/* The comment that a text begins with, to its colon. */
static void read_title(const char *path, char ret[TITLE_MAX])
{
	char head[TITLE_MAX + 2] = "";
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head) - 1);
	const char *at = n > 2 && head[0] == '#' ? head + 2 : "";

	snprintf(ret, TITLE_MAX, "%.*s", (int)strcspn(at, ":\n"), at);
}

/* A word without a slash or a dot, in lower case and without blanks: "Ice Lake" is icelake. */
static bool fold(const char *name, char ret[MACHINE_NAME])
{
	size_t n = strlen(name), used = 0;

	if (n >= MACHINE_NAME || name_span(name, "- ") != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] != ' ')
			ret[used++] = name_fold(name[i]);
	ret[used] = '\0';
	return used > 0;
}

static bool installed_path(const char *name, char ret[PATH_MAX])
{
	char dir[PATH_MAX], folded[MACHINE_NAME];

	find_directory(dir);
	return fold(name, folded) && path_in(dir, "", machine_of(folded), ret) && is_file(ret);
}

bool machine_names_same(const char *a, const char *b)
{
	char x[MACHINE_NAME], y[MACHINE_NAME];

	return strcmp(a, b) == 0 ||
	       (fold(a, x) && fold(b, y) && strcmp(machine_of(x), machine_of(y)) == 0);
}

bool machine_is_installed(const char *name)
{
	char path[PATH_MAX];

	return installed_path(name, path);
}

static int is_text(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && strcmp(e->d_name + n - 4, ".txt") == 0;
}

void machine_each_installed(void (*each)(void *p, const struct machine_installed *m), void *p)
{
	struct dirent **v = NULL;
	char dir[PATH_MAX];
	int n;

	find_directory(dir);
	n = scandir(dir, &v, is_text, alphasort);
	for (int i = 0; i < n; i++) {
		const char *also[OTHERS_MAX];
		char path[PATH_MAX], title[TITLE_MAX] = "";

		v[i]->d_name[strlen(v[i]->d_name) - 4] = '\0';
		if (path_in(dir, "", v[i]->d_name, path))
			read_title(path, title);
		other_names(v[i]->d_name, also);
		each(p, &(struct machine_installed){ v[i]->d_name, also, title });
		free(v[i]);
	}
	free(v);
}

/* ------------------------------------------------------------------ their texts */

/* Opens nothing before there is memory: a run of the arena may end there. */
const char *machine_find_in(const char *dir, struct arena *a, const char *name, size_t *ret_n,
			    struct err *err)
{
	char path[PATH_MAX];
	struct stat st;
	char *text;
	ssize_t n;
	int fd;

	if (!path_in(dir, "", name, path) || stat(path, &st) < 0) {
		err_set(err, -errno, "%s: %m", path);
		return NULL;
	}
	if (st.st_size < 0 || (size_t)st.st_size > MACHINE_TEXT_MAX) {
		err_set(err, -EFBIG, "%s: more than %zu bytes", path, MACHINE_TEXT_MAX);
		return NULL;
	}
	text = arena_alloc(a, (size_t)st.st_size + 1, 1);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, (size_t)st.st_size);
	if (n < 0)
		err_set(err, -errno, "%s: %m", path);
	if (fd >= 0)
		close(fd);
	*ret_n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? NULL : text;
}

static const char *find_installed(void *p, struct arena *a, const char *name, size_t *ret_n,
				  struct err *err)
{
	char dir[PATH_MAX], common[PATH_MAX];
	const char *text;

	(void)p;
	find_directory(dir);
	text = machine_find_in(dir, a, machine_of(name), ret_n, err);
	if (text || snprintf(common, sizeof(common), "%s/%s", dir, COMMON) >= PATH_MAX)
		return text;
	return machine_find_in(common, a, name, ret_n, err);
}

/* All of a file, or as much of it as tells that it is too long. Returns how many bytes, or
 * -errno. */
static ssize_t read_file(const char *path, char *ret, size_t room)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t total = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, ret + total, room - total);
		total += n > 0 ? (size_t)n : 0;
	} while (n > 0 && total < room);
	return n < 0 ? -errno : (ssize_t)total;
}

struct near {
	const char *wanted;
	unsigned distance;
	char *ret;                  /* "": none so far */
};

static void offer_one(struct near *n, const char *name)
{
	unsigned distance = name_distance(n->wanted, name);

	if (!name_is_typo(n->wanted, name) || (*n->ret && distance >= n->distance))
		return;
	n->distance = distance;
	snprintf(n->ret, MACHINE_NAME, "%s", name);
}

static void offer(void *p, const struct machine_installed *m)
{
	offer_one(p, m->name);
	for (unsigned i = 0; m->others[i]; i++)
		offer_one(p, m->others[i]);
}

const char *machine_nearest(const char *name, char ret[MACHINE_NAME])
{
	struct near n = { .wanted = name, .ret = ret };

	*ret = '\0';
	machine_each_installed(offer, &n);
	return *ret ? ret : NULL;
}

/* Does it name a file, and no machine? The names of those have no slash, and no dot. */
static bool names_file(const char *what)
{
	size_t n = strlen(what);

	return strchr(what, '/') || (n > 4 && strcmp(what + n - 4, ".txt") == 0);
}

static int none(const char *what, int r, struct diags *d)
{
	char shown[256], name[MACHINE_NAME];
	struct err err;

	printable_escape(what, shown, sizeof(shown));
	if (r != -ENOENT || names_file(what)) {
		diags_add(d, (struct where){ NULL, 0 }, "the file '%.200s' cannot be read: %s; "
			  "name one that uncorectl capture has written, or an installed machine "
			  "(see: uncorectl list machines)", shown, strerror(-r));
		return r;
	}
	err_set(&err, 0, "there is no file '%.200s' and no installed machine of this name (see: "
		"uncorectl list machines)", shown);
	words_add_nearest(&err, machine_nearest(what, name));
	diags_add(d, (struct where){ NULL, 0 }, "%s", err.text);
	return r;
}

int machine_find(const char *what, struct machine_text **ret, struct diags *d)
{
	const size_t room = MACHINE_TEXT_MAX + 1;
	AUTO_FREE(free) char *text = malloc(room);
	char path[PATH_MAX];
	ssize_t n;

	if (!text) {
		diags_add(d, (struct where){ NULL, 0 }, "out of memory");
		return -ENOMEM;
	}
	if (!installed_path(what, path))
		snprintf(path, sizeof(path), "%s", what);
	n = read_file(path, text, room);
	if (n < 0)
		return none(what, (int)n, d);
	return machine_text_read(what, text, (size_t)n, find_installed, NULL, ret, d);
}

int machine_text_check(const char *text, size_t n, struct machine_text **ret, struct diags *d)
{
	return machine_text_read("this machine", text, n, find_installed, NULL, ret, d);
}
