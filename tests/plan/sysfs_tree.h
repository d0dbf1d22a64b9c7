/* sysfs_tree.h - a sysfs with CPUs and PMUs in a temporary directory, from a text of tests/plan/sysfs.
 *
 * Owns:  the little language of those texts:
 *            cpu 0-3 socket 0                            CPUs, each a core of its own
 *            PMU uncore_imc_{0-5} type=12 cpumask=0,4    instances take the next types; "cpumask=-": no such file
 *              format/event: config:0-7                  a file of all PMUs of the line above
 *            # a comment
 * Never: expected values.
 */
#ifndef SYSFS_TREE_H
#define SYSFS_TREE_H

#include "topo/topo.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sysfs_tree {
	char root[64];
	char name[128];             /* of the PMU line: "uncore_imc_" */
	unsigned first, last;       /* instances; last < first: none */
	bool any;
};

static inline void tree_put(const struct sysfs_tree *t, const char *file, const char *text)
{
	char path[512] = "";
	FILE *f;

	strcat(strcat(strcpy(path, t->root), "/"), file);
	f = fopen(path, "w");
	if (!f)         /* the first of its folder */
		for (char *s = path + strlen(t->root) + 1; (s = strchr(s, '/')); *s++ = '/') {
			*s = '\0';
			mkdir(path, 0755);
		}
	if (!f)
		f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static inline void tree_put_pmu(const struct sysfs_tree *t, const char *file, const char *text, unsigned add)
{
	for (unsigned i = t->first; i <= t->last; i++) {
		char path[400], number[32];

		snprintf(path, sizeof(path), t->any ? "bus/event_source/devices/%s%u/%s" : "bus/event_source/devices/%s%.0u/%s",
			 t->name, t->any ? i : 0, file);
		snprintf(number, sizeof(number), "%lu", strtoul(text, NULL, 10) + (add ? i - t->first : 0));
		tree_put(t, path, add ? number : text);
	}
}

static inline void tree_line(struct sysfs_tree *t, char *line)
{
	unsigned first, last, socket;
	char type[32], mask[128], *colon;

	if (sscanf(line, "cpu %u-%u socket %u", &first, &last, &socket) == 3) {
		for (unsigned i = first; i <= last; i++) {
			char path[128], number[16];

			snprintf(path, sizeof(path), "devices/system/cpu/cpu%u/topology/physical_package_id", i);
			snprintf(number, sizeof(number), "%u", socket);
			tree_put(t, path, number);
			snprintf(path, sizeof(path), "devices/system/cpu/cpu%u/topology/core_id", i);
			snprintf(number, sizeof(number), "%u", i - first);
			tree_put(t, path, number);
		}
		snprintf(mask, sizeof(mask), "0-%u", last);     /* sockets stand in order */
		tree_put(t, "devices/system/cpu/online", mask);
	} else if (strncmp(line, "PMU ", 4) == 0) {
		t->first = t->last = 0;
		mask[0] = '\0';
		assert_true(sscanf(line, "PMU %127s type=%31s cpumask=%127s", t->name, type, mask) >= 2);
		t->any = strchr(t->name, '{');
		if (t->any) {
			assert_int_equal(sscanf(strchr(t->name, '{'), "{%u-%u}", &t->first, &t->last), 2);
			*strchr(t->name, '{') = '\0';
		}
		tree_put_pmu(t, "type", type, 1);
		if (strcmp(mask, "-") != 0)
			tree_put_pmu(t, "cpumask", mask, 0);
	} else if (line[0] == ' ') {
		line += strspn(line, " ");
		colon = strstr(line, ": ");
		assert_non_null(colon);
		*colon = '\0';
		tree_put_pmu(t, line, colon + 2, 0);
	} else {
		assert_true(line[0] == '#' || !line[0]);
	}
}

static inline void tree_make(struct sysfs_tree *t, const char *text)
{
	char path[512], line[512];
	const char *src = getenv("top_srcdir");
	FILE *f;

	/* Thousands of small files: in memory, where there is such a file system. */
	*t = (struct sysfs_tree){ .root = "/tmp/uncored-sysfs-XXXXXX" };
	if (access("/dev/shm", W_OK) == 0)
		strcpy(t->root, "/dev/shm/uncored-sysfs-XXXXXX");
	assert_non_null(mkdtemp(t->root));
	tree_put(t, "cpuinfo", "processor\t: 0");
	snprintf(path, sizeof(path), "%s/tests/plan/sysfs/%s", src ? src : ".", text);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s cannot be read", path);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		tree_line(t, line);
	}
	fclose(f);
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void tree_drop(const struct sysfs_tree *t)
{
	nftw(t->root, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline struct topo *tree_topo(const struct sysfs_tree *t)
{
	struct topo *topo = NULL;
	struct err err = { "" };

	if (topo_read(t->root, t->root, NULL, &topo, &err) < 0)
		fail_msg("%s", err.text);
	return topo;
}

static inline struct topo_pmus *tree_pmus(const struct sysfs_tree *t)
{
	struct topo_pmus *pmus = NULL;
	struct err err = { "" };

	assert_int_equal(topo_pmus_read(t->root, &pmus, &err), 0);
	if (err.text[0])
		fail_msg("%s", err.text);
	return pmus;
}

#endif
