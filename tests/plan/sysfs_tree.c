/* SPDX-License-Identifier: MIT */
#include "sysfs_tree.h"

#include "topo/machine_dir.h"
#include "topo/machine_find.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void __attribute__((noreturn)) odd(struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		fprintf(stderr, "%s\n", d->v[i]);
	abort();
}

void tree_put(const struct sysfs_tree *t, const char *file, const char *text)
{
	char path[512] = "";
	int fd, n = snprintf(path, sizeof(path), "%s/%s", t->root, file);

	if (n >= (int)sizeof(path))
		abort();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	for (char *s = path + strlen(t->root) + 1; fd < 0 && (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		mkdir(path, 0755);
	}
	if (fd < 0)
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || dprintf(fd, "%s\n", text) < 0) {
		perror(path);
		abort();
	}
	close(fd);
}

const struct machine_family *tree_hw(const struct sysfs_tree *t, const char *pmu)
{
	const struct machine_family *f = machine_family_of(t->text, pmu);

	return f && f->known ? f : NULL;
}

static const char *find(void *p, struct arena *a, const char *name, size_t *ret_n, struct err *err)
{
	static const char *const folders[] = {
		"src/topo/machines", "src/topo/machines/common", "tests/plan/sysfs",
	};
	const char *src = getenv("top_srcdir"), *text = NULL;

	(void)p;
	for (unsigned i = 0; i < 3 && !text; i++) {
		char dir[512];

		snprintf(dir, sizeof(dir), "%s/%s", src ? src : ".", folders[i]);
		text = machine_find_in(dir, a, name, ret_n, err);
	}
	return text;
}

struct file { struct arena *arena; const char *name, *text; size_t n; };

/* In a run of the arena. A text of a test's own has an absolute path. */
static void read_file(void *p)
{
	struct file *f = p;
	struct err err = { "" };
	char dir[512], name[128];
	const char *slash = strrchr(f->name, '/');

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : f->name);
	*strstr(name, ".txt") = '\0';
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - f->name) : 0, f->name);
	f->text = slash ? machine_find_in(dir, f->arena, name, &f->n, &err) :
		  find(NULL, f->arena, name, &f->n, &err);
	if (!f->text) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

void tree_make_in(struct sysfs_tree *t, const char *dir, const char *text)
{
	struct file f = { arena_new(MACHINE_MEMORY_MAX, NULL), text, NULL, 0 };
	struct diags d = { 0 };
	struct err err = { "" };

	*t = (struct sysfs_tree){ 0 };
	snprintf(t->root, sizeof(t->root), "%s", dir);
	if (!f.arena || !arena_try(f.arena, read_file, &f))
		abort();
	if (machine_text_read(text, f.text, f.n, find, NULL, &t->text, &d) < 0)
		odd(&d);
	arena_free(f.arena);
	if (machine_dir_fill(t->text, dir, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* A test that fails does not come to its tree_drop: the last tree goes at the end. */
static char live[128];

static void remove_live(void)
{
	nftw(live, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void tree_make(struct sysfs_tree *t, const char *text)
{
	char shm[] = "/dev/shm/uncored-sysfs-XXXXXX", tmp[] = "/tmp/uncored-sysfs-XXXXXX";
	const char *dir = mkdtemp(shm);         /* thousands of small files */

	if (!dir)
		dir = mkdtemp(tmp);
	if (!dir) {
		perror(tmp);
		abort();
	}
	if (!live[0])
		atexit(remove_live);
	snprintf(live, sizeof(live), "%s", dir);
	tree_make_in(t, dir, text);
}

void tree_forget(struct sysfs_tree *t)
{
	machine_text_free(t->text);
	t->text = NULL;
}

void tree_drop(struct sysfs_tree *t)
{
	nftw(t->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	tree_forget(t);
}

struct topo *tree_topo(const struct sysfs_tree *t)
{
	struct topo *topo = NULL;
	struct err err = { "" };

	if (topo_read(t->root, t->root, NULL, &topo, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return topo;
}

struct topo_pmus *tree_pmus(const struct sysfs_tree *t)
{
	struct topo_pmus *pmus = NULL;
	struct err err = { "" };

	if (topo_pmus_read(t->root, &pmus, &err) < 0 || err.text[0]) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return pmus;
}
