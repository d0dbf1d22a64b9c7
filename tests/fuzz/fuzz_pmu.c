/* SPDX-License-Identifier: MIT
 * The files of a PMU in sysfs.
 * The input is the content of type, cpumask, format/event, events/e, events/e.scale and
 * events/e.unit, each ended by a byte 0xff. A good PMU beside it must be there whatever they say.
 */
#include "fuzz.h"

#include "topo/topo.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES "bus/event_source/devices"

static char root[] = "/tmp/uncored-fuzz-XXXXXX";

static void require(int ok)
{
	if (!ok)
		abort();
}

static void put(const char *name, const void *p, size_t n)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/" DEVICES "/%s", root, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	require(fd >= 0);
	require(write(fd, p, n) == (ssize_t)n);
	close(fd);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_tree(void)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_tree(void)
{
	static const char *const dirs[] = {
		"bus", "bus/event_source", DEVICES, DEVICES "/good", DEVICES "/odd",
		DEVICES "/odd/format", DEVICES "/odd/events",
	};
	char path[256];

	require(mkdtemp(root) != NULL);
	atexit(remove_tree);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		require(mkdir(path, 0755) == 0);
	}
	put("good/type", "8\n", 2);
}

static void check_term(const struct topo_term *t, bool event)
{
	require(t->name && t->text);
	require(t->bad ? strstr(t->bad, "/odd/") != NULL : *t->text && strlen(t->text) <= 4096);
	require(t->bad || !event || (t->scale && *t->scale && t->unit && *t->unit));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const files[] = {
		"odd/type", "odd/cpumask", "odd/format/event", "odd/events/e", "odd/events/e.scale",
		"odd/events/e.unit",
	};
	static bool made;
	const struct topo_pmu *odd;
	struct topo_pmus *p = NULL;
	struct err err = { "" };

	if (!made)
		make_tree();
	made = true;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const uint8_t *end = n ? memchr(data, 0xff, n) : NULL;
		size_t len = end ? (size_t)(end - data) : n;

		put(files[i], len ? (const char *)data : "", len);
		data += len + (end != NULL);
		n -= len + (end != NULL);
	}
	require(topo_pmus_read(root, &p, &err) == 0);
	require(topo_pmu_find(p, "good") != NULL);
	odd = topo_pmu_find(p, "odd");
	require(!err.text[0] || strstr(err.text, "/odd/") != NULL);
	require(odd ? !p->n_bad : p->n_bad == 1 && strstr(p->bad[0].why, "/odd/") != NULL);
	if (odd) {
		require(odd->cpumask && odd->n_format == 1 && odd->n_events == 1);
		check_term(&odd->format[0], false);
		check_term(&odd->events[0], true);
	}
	topo_pmus_free(p);
	return 0;
}
