/* SPDX-License-Identifier: MIT
 * Reads what may prevent counting: devices, settings of the kernel, capabilities, who else counts.
 * Owns:  which file below the roots says it.
 * Never: whether it matters here (machine/choose.h), what to do about it (uncorectl doctor).
 * Main thread; allocates.
 */
#include "topo/host.h"

#include "base/bits.h"
#include "base/cleanup.h"
#include "topo/cpuinfo.h"
#include "topo/sysfile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROCESSES_MAX 65536
#define FDS_MAX       (1u << 20)    /* of all processes together: a few seconds */
#define STATUS_MAX    16384
#define LOCKDOWN      "kernel/security/lockdown"                /* below sysfs */
#define ALLOW_WRITES  "module/msr/parameters/allow_writes"
#define PERF_EVENT    "anon_inode:[perf_event]"         /* where a descriptor's link leads to */

/* ---- kernel settings */

/* The file's only word, or with `bracket` the one in brackets: "none [integrity] ..." */
static struct host_text read_word(const char *root, const char *rest, bool bracket)
{
	char text[SYSFILE_MAX + 1];
	struct host_text w = { .r = sysfile_read(sysfile_path("%s/%s", root, rest).s, text, NULL) };
	const char *s = text;

	if (w.r < 0)
		return w;
	if (bracket) {
		s = strchr(text, '[');
		s = s ? s + 1 : "";
	}
	snprintf(w.v, sizeof(w.v), "%.*s", (int)strcspn(s, "] \t\n"), s);
	w.r = w.v[0] ? 0 : -EINVAL;
	return w;
}

static struct host_number read_number(const char *root, const char *rest)
{
	struct host_number n = { 0 };

	n.r = sysfile_number(sysfile_path("%s/%s", root, rest).s, INT_MIN, INT_MAX, &n.v, NULL);
	return n;
}

static bool has_msr_module(const char *sysfs)
{
	return access(sysfile_path("%s/module/msr", sysfs).s, F_OK) == 0;
}

/* There is no CPUID that would say so: what the firmware calls the machine. */
static bool is_arm_guest(const char *sysfs, const char *procfs)
{
	static const char *const files[] = { "sys_vendor", "product_name", "bios_vendor" };
	static const char *const words[] = {
		"QEMU", "KVM", "VMware", "Xen", "Bochs", "Parallels", "OpenStack", "Alibaba Cloud",
		"Google Compute Engine", "Virtual Machine", "Apple Virtualization",
	};
	char text[SYSFILE_MAX + 1], tree[SYSFILE_MAX + 1] = "";
	bool ec2 = false;

	for (unsigned i = 0; i < COUNT(files); i++) {
		if (sysfile_read(sysfile_path("%s/class/dmi/id/%s", sysfs, files[i]).s, text,
				 NULL) < 0)
			continue;
		for (unsigned k = 0; k < COUNT(words); k++)
			if (strstr(text, words[k]))
				return true;
		if (strcmp(files[i], "product_name") == 0 && ec2)
			return !strstr(text, ".metal");
		ec2 |= strcmp(text, "Amazon EC2") == 0;
	}
	return sysfile_head(sysfile_path("%s/device-tree/compatible", procfs).s, tree,
			    sizeof(tree) - 1, NULL) > 0 && strstr(tree, "dummy-virt");
}

static void read_cpuinfo(const char *sysfs, const char *procfs, struct host *h)
{
	char text[CPUINFO_MAX], implementer[8];
	int n = sysfile_head(sysfile_path("%s/cpuinfo", procfs).s, text, sizeof(text), NULL);
	size_t len = n < 0 ? 0 : (size_t)n;

	h->hypervisor = cpuinfo_has_flag(text, len, "hypervisor");
	if (cpuinfo_text(text, len, "CPU implementer", implementer, sizeof(implementer)))
		h->hypervisor |= is_arm_guest(sysfs, procfs);
}

static void read_line(const char *path, char *ret, size_t n)
{
	char text[SYSFILE_MAX + 1] = "";

	sysfile_read(path, text, NULL);
	snprintf(ret, n, "%.*s", (int)strcspn(text, "\n"), text);
}

void host_versions_read(const struct host_roots *roots, struct host_versions *ret)
{
	const char *const dmi = "%s/class/dmi/id/%s";
	char text[CPUINFO_MAX];
	int n = sysfile_head(sysfile_path("%s/cpuinfo", roots->procfs).s, text, sizeof(text), NULL);

	*ret = (struct host_versions){ 0 };
	cpuinfo_text(text, n < 0 ? 0 : (size_t)n, "microcode", ret->microcode,
		     sizeof(ret->microcode));
	read_line(sysfile_path("%s/sys/kernel/osrelease", roots->procfs).s, ret->kernel,
		  sizeof(ret->kernel));
	read_line(sysfile_path(dmi, roots->sysfs, "bios_version").s, ret->bios_version,
		  sizeof(ret->bios_version));
	read_line(sysfile_path(dmi, roots->sysfs, "bios_date").s, ret->bios_date,
		  sizeof(ret->bios_date));
}

/* "CapEff:\t000001ffffffffff" of this process. */
static void read_caps(const char *procfs, struct host *h)
{
	char text[STATUS_MAX], hex[32] = "", *end;
	int n = sysfile_head(sysfile_path("%s/self/status", procfs).s, text, sizeof(text), NULL);

	h->caps_r = n < 0 ? n : -EINVAL;
	if (n > 0 && cpuinfo_text(text, (size_t)n, "CapEff", hex, sizeof(hex)) == 16) {
		h->caps = strtoull(hex, &end, 16);
		h->caps_r = *end ? -EINVAL : 0;
	}
}

/* ---- other users */

static const struct {
	const char *name, *tool;    /* name: of comm, to its end or to '-', '_' or '.' */
} tools[] = {
	{ "pcm", "Intel PCM" },
	{ "likwid", "LIKWID" },
	{ "perf", "perf" },
	{ "vtune", "Intel VTune" },
	{ "amplxe", "Intel VTune" },
	{ "sep", "Intel VTune's sampling driver" },
	{ "emon", "Intel EMON" },
};

static const char *tool_of(const char *name)
{
	for (unsigned i = 0; i < COUNT(tools); i++) {
		size_t n = strlen(tools[i].name);

		if (strncmp(name, tools[i].name, n) == 0 && (!name[n] || strchr("-_.", name[n])))
			return tools[i].tool;
	}
	return NULL;
}

/* 0, or -ENOENT: no such process. */
static int read_name(const char *procfs, unsigned pid, char *buf, size_t n)
{
	char text[SYSFILE_MAX + 1] = "";
	int r = sysfile_read(sysfile_path("%s/%u/comm", procfs, pid).s, text, NULL);

	if (r == -ENOENT || r == -ESRCH)
		return -ENOENT;
	snprintf(buf, n, "%.*s", (int)n - 1, r < 0 ? "?" : text);
	return 0;
}

static unsigned count_perf_fds(const char *procfs, unsigned pid, unsigned *left, struct host *h)
{
	DIR *d = sysfile_opendir(sysfile_path("%s/%u/fd", procfs, pid).s);
	const struct dirent *e;
	unsigned found = 0;
	char target[64];

	if (!d) {
		h->unseen += errno != ENOENT && errno != ESRCH;
		return 0;
	}
	while (*left > 0 && (e = readdir(d))) {
		ssize_t n = isdigit((unsigned char)e->d_name[0]) ?
			    readlinkat(dirfd(d), e->d_name, target, sizeof(target)) : 0;

		*left -= n > 0;
		found += n == sizeof(PERF_EVENT) - 1 && memcmp(target, PERF_EVENT, (size_t)n) == 0;
	}
	closedir(d);
	return found;
}

static int add_user(const char *procfs, unsigned pid, unsigned *left, struct host *h)
{
	struct host_user u = { .pid = pid }, *v;

	if (read_name(procfs, pid, u.name, sizeof(u.name)) < 0)
		return 0;
	u.tool = tool_of(u.name);
	u.perf_fds = count_perf_fds(procfs, pid, left, h);
	if (!u.tool && !u.perf_fds)
		return 0;
	v = realloc(h->users, (h->n_users + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	h->users = v;
	v[h->n_users++] = u;
	return 0;
}

static int is_process(const struct dirent *e)
{
	size_t n = strspn(e->d_name, "0123456789");

	return n > 0 && n <= 9 && !e->d_name[n];
}

static int read_users(const char *procfs, struct host *h)
{
	unsigned fds = FDS_MAX;
	struct dirent **v = NULL;
	int n = scandir(procfs, &v, is_process, versionsort);
	int r = n < 0 && errno == ENOMEM ? -ENOMEM : 0;
	char init[32];

	for (int i = 0; i < n; i++) {
		if (r == 0 && i < PROCESSES_MAX && fds > 0)
			r = add_user(procfs, (unsigned)strtoul(v[i]->d_name, NULL, 10), &fds, h);
		free(v[i]);
	}
	free(v);
	h->cut = n > PROCESSES_MAX || fds == 0;
	h->hidden = read_name(procfs, 1, init, sizeof(init)) < 0;
	return r;
}

/* The file outlives its process, and pids come again: only an uncored holds it. */
static void read_uncored_lock(const struct host_roots *roots, struct host *h)
{
	char name[32];

	h->lock = read_number(roots->run, "uncored.lock");
	if (h->lock.r == -EUCLEAN)          /* empty: not yet written */
		h->lock.r = -ENOENT;
	if (h->lock.r == 0 &&
	    (read_name(roots->procfs, (unsigned)h->lock.v, name, sizeof(name)) < 0 ||
	     strcmp(name, "uncored") != 0))
		h->lock.r = -ENOENT;
}

static void read_likwid_lock(const struct host_roots *roots, struct host *h)
{
	struct stat st;

	h->likwid_r = stat(sysfile_path("%s/likwid.lock", roots->locks).s, &st) < 0 ? -errno : 0;
	if (h->likwid_r == 0)
		h->likwid_uid = st.st_uid;
}

static void read_drop_ins(const char *systemd, struct host *h)
{
	bool opened = false;
	glob_t g = { 0 };

	glob(sysfile_path("%s/system/uncored.service.d/*.conf", systemd).s, GLOB_BRACE, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		char text[SYSFILE_MAX + 1] = "";

		sysfile_head(g.gl_pathv[i], text, SYSFILE_MAX, NULL);
		opened |= strstr(text, "\nRequires=uncored.socket") ||
			  (strstr(text, "\nIPAddressAllow=") &&
			   !strstr(text, "\nIPAddressAllow=localhost\n"));
		if (strstr(text, "\nIPAddressDeny=any"))
			snprintf(h->closed_by, sizeof(h->closed_by), "%s", g.gl_pathv[i]);
	}
	globfree(&g);
	if (opened)
		h->closed_by[0] = '\0';
}

int host_read(const struct host_roots *roots, struct host **ret, struct err *err)
{
	struct host *h = calloc(1, sizeof(*h));

	if (!h)
		return err_set(err, -ENOMEM, "out of memory");
	read_cpuinfo(roots->sysfs, roots->procfs, h);
	h->msr_module = has_msr_module(roots->sysfs);
	h->lockdown = read_word(roots->sysfs, LOCKDOWN, true);
	h->allow_writes = read_word(roots->sysfs, ALLOW_WRITES, false);
	h->tainted = read_number(roots->procfs, "sys/kernel/tainted");
	h->paranoid = read_number(roots->procfs, "sys/kernel/perf_event_paranoid");
	h->nmi_watchdog = read_number(roots->procfs, "sys/kernel/nmi_watchdog");
	read_caps(roots->procfs, h);
	read_uncored_lock(roots, h);
	read_likwid_lock(roots, h);
	read_drop_ins(roots->systemd, h);
	if (read_users(roots->procfs, h) < 0) {
		host_free(h);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*ret = h;
	return 0;
}

void host_free(struct host *h)
{
	if (!h)
		return;
	free(h->users);
	free(h);
}

static const char *why_not_open(const char *sysfs, int e)
{
	switch (e) {
	case ENOENT:
		return has_msr_module(sysfs) ? "no such file, though the msr module is loaded" :
		       "the msr module is not loaded";
	case EACCES:
		return "this process may not write to it";
	case EPERM:
		return "this process lacks CAP_SYS_RAWIO, or its control group forbids the device";
	case ENXIO: case ENODEV:
		return "no msr driver serves it, or the CPU is offline";
	case EIO:
		return "the CPU has no model specific registers";
	default:
		return strerror(e);
	}
}

int host_device(const struct host_roots *roots, const struct topo *t, struct err *err)
{
	int cpu = t->n_sockets ? topo_reader_cpu(&t->sockets[0]) : -1;
	AUTO_FD int fd = -1;
	struct host_text locked = read_word(roots->sysfs, LOCKDOWN, true),
		writes = read_word(roots->sysfs, ALLOW_WRITES, false);
	struct sysfile_path path;

	if (cpu < 0)
		return err_set(err, -ENXIO, "no CPU of the first socket is online");
	path = sysfile_path("%s/cpu/%d/msr", roots->dev, cpu);
	fd = sysfile_open(path.s, O_RDWR, err);
	if (fd == -ENAMETOOLONG)
		return fd;
	if (fd == -ENOENT && roots->of_text)
		return err_set(err, fd, "no line 'msr' of its text says that registers can be "
			       "written");
	if (fd < 0)
		return err_set(err, fd, "%s cannot be opened: %s", sysfile_shown(path.s).s,
			       why_not_open(roots->sysfs, -fd));
	if (locked.r == 0 && strcmp(locked.v, "none") != 0)
		return err_set(err, -EPERM, "kernel lockdown (%s) forbids register writes",
			       locked.v);
	if (writes.r == 0 && strcmp(writes.v, "off") == 0)
		return err_set(err, -EPERM, "msr.allow_writes=off forbids register writes");
	return 0;
}

int host_msr_open(const struct host_roots *roots, int cpu)
{
	return cpu < 0 ? -1 :
	       sysfile_open(sysfile_path("%s/cpu/%d/msr", roots->dev, cpu).s, O_RDONLY, NULL);
}

bool host_msr_read(int fd, uint32_t address, uint64_t *ret)
{
	return pread(fd, ret, sizeof(*ret), (off_t)address) == (ssize_t)sizeof(*ret);
}
