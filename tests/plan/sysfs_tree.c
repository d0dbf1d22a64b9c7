/* SPDX-License-Identifier: MIT */
#include "sysfs_tree.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES "bus/event_source/devices"
#define INSTANCES 256

struct reading {
	struct sysfs_tree *t;
	const char *file;
	unsigned line;
	bool like;                  /* of another text */
	char name[64];              /* of the PMU line without the instances: "uncore_imc_" */
	char instance[INSTANCES][20]; /* "0", or "10008c000"; one that is empty: it has no number */
	unsigned n;
	unsigned cores;             /* so far */
};

static void __attribute__((noreturn, format(printf, 2, 3))) wrong(const struct reading *rd,
	const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "tests/plan/sysfs/%s:%u: ", rd->file, rd->line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
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

/* ------------------------------------------------------------------ PMUs */

static void put_pmus(const struct reading *rd, const char *file, const char *text, bool shared)
{
	for (unsigned i = 0; i < (shared ? 1 : rd->n); i++) {
		char path[400], full[256];
		const char *hole = strstr(text, "{}");

		snprintf(path, sizeof(path), DEVICES "/%s%s/%s", rd->name, rd->instance[i], file);
		snprintf(full, sizeof(full), "%.*s%s%s", hole ? (int)(hole - text) : (int)
			 strlen(text), text,
			 hole ? rd->instance[i] : "", hole ? hole + 2 : "");
		tree_put(rd->t, path, full);
	}
}

/* Instances of a PMU have the same format/ and events/: the first has them, the others point
 * there, past `up` from their own directories. */
static void share(const struct reading *rd, const char *dir, const char *up)
{
	for (unsigned i = 1; i < rd->n; i++) {
		char path[512], to[256];

		snprintf(path, sizeof(path), "%s/" DEVICES "/%s%s/%s", rd->t->root, rd->name,
			 rd->instance[i], dir);
		snprintf(to, sizeof(to), "%s/%s%s/%s", up, rd->name, rd->instance[0], dir);
		unlink(path);
		if (symlink(to, path) < 0) {
			perror(path);
			abort();
		}
	}
}

/* "0-3,8", or addresses: "8c000,10008c000". */
static void take_instances(struct reading *rd, char *list)
{
	char *save = NULL;

	rd->n = 0;
	for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		unsigned first, last;

		if (sscanf(w, "%u-%u", &first, &last) != 2) {
			if (rd->n == INSTANCES)
				wrong(rd, "too many instances");
			snprintf(rd->instance[rd->n++], sizeof(rd->instance[0]), "%s", w);
			continue;
		}
		if (last < first || last - first >= INSTANCES - rd->n)
			wrong(rd, "too many instances");
		for (unsigned i = first; i <= last; i++)
			snprintf(rd->instance[rd->n++], sizeof(rd->instance[0]), "%u", i);
	}
}

static void take_pmu(struct reading *rd, char *line)
{
	char type[32], mask[128], *list;

	if (sscanf(line, "PMU %63s type=%31s cpumask=%127s", rd->name, type, mask) != 3)
		wrong(rd, "PMU NAME type=N cpumask=LIST");
	list = strchr(rd->name, '{');
	rd->instance[0][0] = '\0';
	rd->n = 1;
	if (list) {
		*list = '\0';
		list[strcspn(list + 1, "}") + 1] = '\0';
		take_instances(rd, list + 1);
	}
	for (unsigned i = 0; i < rd->n; i++) {
		char path[256], number[16];

		snprintf(path, sizeof(path), DEVICES "/%s%s/type", rd->name, rd->instance[i]);
		snprintf(number, sizeof(number), "%lu", strtoul(type, NULL, 10) + i);
		tree_put(rd->t, path, number);
	}
	if (strcmp(mask, "-") != 0)
		put_pmus(rd, "cpumask", mask, false);
	share(rd, "format", "..");
	share(rd, "events", "..");
}

/* ------------------------------------------------------------------ what the hardware has */

static struct tree_hw *hw_of(struct sysfs_tree *t, const char *name)
{
	size_t n = strlen(name);

	n -= n > 0 && name[n - 1] == '_';
	for (unsigned i = 0; i < t->n_hw; i++)
		if (strlen(t->hw[i].family) == n && strncmp(t->hw[i].family, name, n) == 0)
			return &t->hw[i];
	t->hw = realloc(t->hw, (t->n_hw + 1) * sizeof(*t->hw));
	if (!t->hw)
		abort();
	memset(&t->hw[t->n_hw], 0, sizeof(*t->hw));
	memcpy(t->hw[t->n_hw].family, name, n);
	return &t->hw[t->n_hw++];
}

const struct tree_hw *tree_hw(const struct sysfs_tree *t, const char *pmu)
{
	for (unsigned i = 0; i < t->n_hw; i++) {
		size_t n = strlen(t->hw[i].family);

		if (strncmp(pmu, t->hw[i].family, n) == 0 &&
		    pmu[n + strspn(pmu + n, "_0123456789")] == '\0')
			return &t->hw[i];
	}
	return NULL;
}

/* "0x83-0x85/0xff:0x3" */
static void take_rule(const struct reading *rd, char *word, struct tree_rule *v, unsigned *n)
{
	struct tree_rule r = { .mask = 0xff };
	char *s;

	r.first = r.last = strtoull(word, &s, 0);
	if (*s == '-')
		r.last = strtoull(s + 1, &s, 0);
	if (*s == '/')
		r.mask = strtoull(s + 1, &s, 0);
	if (*s != ':' || *n == TREE_RULES)
		wrong(rd, "'%s' is no rule", word);
	r.value = strtoull(s + 1, &s, 0);
	if (*s)
		wrong(rd, "'%s' is no rule", word);
	v[(*n)++] = r;
}

static void take_hw(struct reading *rd, char *words)
{
	struct tree_hw *hw = hw_of(rd->t, rd->name);
	char *save = NULL, *w = strtok_r(words, " ", &save);
	bool filters = strcmp(w, "filters") == 0;

	hw->known = true;
	hw->filtered |= filters;
	while ((w = strtok_r(NULL, " ", &save))) {
		if (strchr(w, ':'))
			take_rule(rd, w, filters ? hw->filter : hw->counter,
				  filters ? &hw->n_filter : &hw->n_counter);
		else if (strcmp(w, "fixed") == 0)
			hw->fixed = true;
		else if (strcmp(w, "free") == 0)
			hw->free = true;
		else if (isdigit((unsigned char)*w))
			hw->counters = (unsigned)atoi(w);
		else if (strcmp(w, "+") != 0)
			wrong(rd, "'%s' says nothing of counters", w);
	}
}

/* ------------------------------------------------------------------ files of PMUs */

/* "format event=config:0-7 umask=config:8-15", and the same of events. */
static void take_words(const struct reading *rd, char *words)
{
	char *save = NULL, *dir = strtok_r(words, " ", &save);

	for (char *w; (w = strtok_r(NULL, " ", &save));) {
		char path[128], *text = strchr(w, '=');

		if (!text)
			wrong(rd, "'%s' has no '='", w);
		*text++ = '\0';
		snprintf(path, sizeof(path), "%s/%s", dir, w);
		put_pmus(rd, path, text, true);
	}
}

/* The directories of the instances move below their devices, as the kernel shows them. */
static void take_device(const struct reading *rd, const char *line)
{
	char name[64], node[16], path[512], from[512], to[512];

	if (sscanf(line, "device %63s node %15s", name, node) != 2)
		wrong(rd, "device NAME node N");
	for (unsigned i = 0; i < rd->n; i++) {
		const char *hole = strstr(name, "{}");
		char device[96];

		snprintf(device, sizeof(device), "%.*s%s%s", hole ? (int)(hole - name) : 63, name,
			 hole ? rd->instance[i] : "", hole ? hole + 2 : "");
		snprintf(path, sizeof(path), "devices/platform/%s/numa_node", device);
		tree_put(rd->t, path, node);
		snprintf(from, sizeof(from), "%s/" DEVICES "/%s%s", rd->t->root, rd->name,
			 rd->instance[i]);
		snprintf(path, sizeof(path), "%s/devices/platform/%s/%s%s", rd->t->root, device,
			 rd->name, rd->instance[i]);
		snprintf(to, sizeof(to), "../../../devices/platform/%s/%s%s", device, rd->name,
			 rd->instance[i]);
		if (rename(from, path) < 0 || symlink(to, from) < 0)
			wrong(rd, "%s: %s", path, strerror(errno));
	}
	share(rd, "format", "../../../../" DEVICES);
	share(rd, "events", "../../../../" DEVICES);
}

static void take_file(struct reading *rd, char *line)
{
	char *colon = strstr(line, ": ");

	if (strncmp(line, "device ", 7) == 0) {
		take_device(rd, line);
		return;
	}
	if (strncmp(line, "format ", 7) == 0 || strncmp(line, "events ", 7) == 0) {
		take_words(rd, line);
	} else if (strncmp(line, "counters ", 9) == 0 || strncmp(line, "filters ", 8) == 0) {
		take_hw(rd, line);
	} else if (colon) {
		*colon = '\0';
		put_pmus(rd, line, colon + 2, strncmp(line, "events/", 7) == 0);
	} else {
		wrong(rd, "'%s' is no file", line);
	}
}

/* ------------------------------------------------------------------ CPUs */

static void put_cpu(const struct reading *rd, unsigned cpu, const char *file, unsigned value)
{
	char path[128], number[16];

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%u/%s", cpu, file);
	snprintf(number, sizeof(number), "%u", value);
	tree_put(rd->t, path, number);
}

static void take_cpus(struct reading *rd, const char *line)
{
	unsigned first, last, socket, die, number;
	const char *at = strstr(line, " die "), *node = strstr(line, " node ");
	char text[64];

	if (sscanf(line, "cpu %u-%u socket %u", &first, &last, &socket) != 3)
		wrong(rd, "cpu FIRST-LAST socket N");
	for (unsigned i = first; i <= last; i++) {
		put_cpu(rd, i, "topology/physical_package_id", socket);
		put_cpu(rd, i, "topology/core_id", rd->cores++);
		if (at && sscanf(at, " die %u", &die) == 1)
			put_cpu(rd, i, "topology/die_id", die);
		if (node && sscanf(node, " node %u", &number) == 1) {
			char path[64];

			snprintf(path, sizeof(path), "devices/system/node/node%u/cpulist", number);
			snprintf(text, sizeof(text), "%u-%u", first, last);
			tree_put(rd->t, path, text);
		}
		if (strstr(line, " llc")) {
			char path[128];

			snprintf(path, sizeof(path),
				 "devices/system/cpu/cpu%u/cache/index3/shared_cpu_list", i);
			snprintf(text, sizeof(text), "%u-%u", first, last);
			tree_put(rd->t, path, text);
		}
	}
	snprintf(text, sizeof(text), "0-%u", last);     /* sockets stand in order */
	tree_put(rd->t, "devices/system/cpu/online", text);
}

static void take_cpuinfo(struct reading *rd, const char *line)
{
	char vendor[32], a[16], b[16], c[16] = "0", text[256];

	if (rd->like)
		return;
	if (sscanf(line, "cpuinfo %31s %15s %15s %15s", vendor, a, b, c) < 3)
		wrong(rd, "cpuinfo VENDOR FAMILY MODEL STEPPING");
	if (strcmp(vendor, "arm") == 0)
		snprintf(text, sizeof(text), "processor\t: 0\nCPU implementer\t: %s\n"
					     "CPU architecture: 8\nCPU part\t: %s", a, b);
	else
		snprintf(text, sizeof(text), "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %s\n"
					     "model\t\t: %s\nstepping\t: %s\n", vendor,
			 a, b, c);
	tree_put(rd->t, "cpuinfo", text);
}

/* ------------------------------------------------------------------ a text */

static void read_text(struct sysfs_tree *t, const char *text, bool like);

static void take_line(struct reading *rd, char *line)
{
	if (strncmp(line, "cpuinfo ", 8) == 0)
		take_cpuinfo(rd, line);
	else if (strncmp(line, "cpu ", 4) == 0)
		take_cpus(rd, line);
	else if (strncmp(line, "PMU ", 4) == 0)
		take_pmu(rd, line);
	else if (strncmp(line, "release ", 8) == 0)
		tree_put(rd->t, "sys/kernel/osrelease", line + 8);
	else if (strncmp(line, "like ", 5) == 0)
		read_text(rd->t, strcat(line + 5, ".txt"), true);
	else if (strncmp(line, "  ", 2) == 0 && rd->n)
		take_file(rd, line + 2);
	else if (*line && *line != '#')
		wrong(rd, "'%s' is not understood", line);
}

static void read_text(struct sysfs_tree *t, const char *text, bool like)
{
	const char *src = getenv("top_srcdir");
	struct reading rd = { .t = t, .file = text, .like = like };
	char path[512], line[512];
	FILE *f;

	if (*text == '/')       /* a text of a test's own */
		snprintf(path, sizeof(path), "%s", text);
	else
		snprintf(path, sizeof(path), "%s/tests/plan/sysfs/%s", src ? src : ".", text);
	f = fopen(path, "re");
	if (!f)
		wrong(&rd, "%s", strerror(errno));
	while (fgets(line, sizeof(line) - 8, f)) {
		rd.line++;
		line[strcspn(line, "\n")] = '\0';
		take_line(&rd, line);
	}
	fclose(f);
}

void tree_make_in(struct sysfs_tree *t, const char *dir, const char *text)
{
	*t = (struct sysfs_tree){ 0 };
	snprintf(t->root, sizeof(t->root), "%s", dir);
	tree_put(t, "cpuinfo", "processor\t: 0");
	read_text(t, text, false);
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
	free(t->hw);
	t->hw = NULL;
	t->n_hw = 0;
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
