/* msrfs.c - uncore-msrfs: the register model as cpu/N/msr files and PCI config files, with a matching /sys and /proc,
 * through FUSE.
 *
 * Owns:  the file tree, the control file, the log of register writes. The only user of libfuse3.
 * Never: what a register does (model/).
 * One thread: FUSE runs single-threaded.
 */
#define FUSE_USE_VERSION 31
#include "config.h"

#include "base/num.h"
#include "base/strb.h"
#include "model/model.h"

#include <errno.h>
#include <fuse.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 64
#define LOG_MAX    (64u << 20)

enum kind {
	DIR_NODE, MSR, CONTROL, TRUTH, WRITES, VIOLATIONS, CPUINFO, CPUS_ONLINE, CPUS_ALL, CPU_ONLINE,
	PACKAGE_ID, CORE_ID, DIE_ID, SIBLINGS, PCI_CONFIG, PCI_VENDOR, PCI_DEVICE,
};

/* The tree; %u stands for a CPU. */
enum { ALWAYS, ONLINE_CPU, NOT_CPU0 };
static const struct entry {
	const char *path;
	enum kind kind;
	int when;
} entries[] = {
	{ "/", DIR_NODE, ALWAYS },
	{ "/control", CONTROL, ALWAYS },
	{ "/truth", TRUTH, ALWAYS },
	{ "/writes", WRITES, ALWAYS },
	{ "/violations", VIOLATIONS, ALWAYS },
	{ "/proc", DIR_NODE, ALWAYS },
	{ "/proc/cpuinfo", CPUINFO, ALWAYS },
	{ "/dev", DIR_NODE, ALWAYS },
	{ "/dev/cpu", DIR_NODE, ALWAYS },
	{ "/dev/cpu/%u", DIR_NODE, ONLINE_CPU },
	{ "/dev/cpu/%u/msr", MSR, ONLINE_CPU },
	{ "/sys", DIR_NODE, ALWAYS },
	{ "/sys/bus", DIR_NODE, ALWAYS },
	{ "/sys/bus/event_source", DIR_NODE, ALWAYS },
	{ "/sys/bus/event_source/devices", DIR_NODE, ALWAYS },
	{ "/sys/bus/pci", DIR_NODE, ALWAYS },
	{ "/sys/bus/pci/devices", DIR_NODE, ALWAYS },
	{ "/sys/devices", DIR_NODE, ALWAYS },
	{ "/sys/devices/system", DIR_NODE, ALWAYS },
	{ "/sys/devices/system/cpu", DIR_NODE, ALWAYS },
	{ "/sys/devices/system/cpu/online", CPUS_ONLINE, ALWAYS },
	{ "/sys/devices/system/cpu/possible", CPUS_ALL, ALWAYS },
	{ "/sys/devices/system/cpu/present", CPUS_ALL, ALWAYS },
	{ "/sys/devices/system/cpu/cpu%u", DIR_NODE, ALWAYS },
	{ "/sys/devices/system/cpu/cpu%u/online", CPU_ONLINE, NOT_CPU0 },
	{ "/sys/devices/system/cpu/cpu%u/topology", DIR_NODE, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", PACKAGE_ID, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/core_id", CORE_ID, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/die_id", DIE_ID, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", SIBLINGS, ONLINE_CPU },
	{ "/sys/devices/system/cpu/cpu%u/topology/core_cpus_list", SIBLINGS, ONLINE_CPU },
};

static struct {
	struct model *model;
	unsigned sockets, cores, cpus;
	const char *processor;
	bool virtual_time;
	struct strb log;
} fs;

/* An open file: its text as it was at open, the CPU of an msr file, or the function of a config file. */
struct handle {
	enum kind kind;
	unsigned cpu, socket;
	struct model_function fn;
	struct strb text;
};

static struct reg msr(uint64_t addr)
{
	return (struct reg){ .space = SPACE_MSR, .bytes = 8, .off = (uint32_t)addr };
}

/* --- the tree --- */

static bool entry_exists(const struct entry *e, unsigned cpu)
{
	return e->when == ALWAYS || (e->when == ONLINE_CPU && model_cpu_is_online(fs.model, cpu)) ||
	       (e->when == NOT_CPU0 && cpu != 0);
}

/* The path of an entry for one CPU; the template comes from the table above only. */
static void entry_path(const struct entry *e, unsigned cpu, char *buf, size_t n)
{
	const char *hole = strstr(e->path, "%u");

	if (hole)
		snprintf(buf, n, "%.*s%u%s", (int)(hole - e->path), e->path, cpu, hole + 2);
	else
		snprintf(buf, n, "%s", e->path);
}

static const struct entry *entry_find(const char *path, unsigned *ret_cpu)
{
	char here[128];

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		unsigned n = strstr(entries[i].path, "%u") ? fs.cpus : 1;

		for (unsigned cpu = 0; cpu < n; cpu++) {
			entry_path(&entries[i], cpu, here, sizeof(here));
			if (strcmp(here, path) == 0) {
				*ret_cpu = cpu;
				return entry_exists(&entries[i], cpu) ? &entries[i] : NULL;
			}
		}
	}
	return NULL;
}

/* --- PCI functions: sys/bus/pci/devices/0000:BB:DD.F with three files --- */

#define PCI_DIR "/sys/bus/pci/devices/"
static const struct { const char *name; enum kind kind; } pci_files[] = {
	{ "", DIR_NODE }, { "/config", PCI_CONFIG }, { "/vendor", PCI_VENDOR }, { "/device", PCI_DEVICE },
};

static void pci_name(const struct model_function *f, char *buf, size_t n)
{
	snprintf(buf, n, "0000:%02x:%02x.%x", f->bus, f->dev, f->fn);
}

static bool pci_find(const char *path, struct handle *ret)
{
	struct model_function v[64];
	char here[64];

	if (strncmp(path, PCI_DIR, strlen(PCI_DIR)) != 0)
		return false;
	path += strlen(PCI_DIR);
	for (unsigned s = 0; s < fs.sockets; s++) {
		size_t n = model_functions(fs.model, s, v, sizeof(v) / sizeof(v[0]));

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < sizeof(pci_files) / sizeof(pci_files[0]); k++) {
				pci_name(&v[i], here, sizeof(here));
				if (strncmp(path, here, strlen(here)) == 0 && strcmp(path + strlen(here), pci_files[k].name) == 0) {
					*ret = (struct handle){ .kind = pci_files[k].kind, .socket = s, .fn = v[i] };
					return true;
				}
			}
	}
	return false;
}

static void pci_list(const char *path, void *buf, fuse_fill_dir_t fill)
{
	struct model_function v[64];
	struct handle h;
	char here[64];

	if (strcmp(path, "/sys/bus/pci/devices") == 0)
		for (unsigned s = 0; s < fs.sockets; s++) {
			size_t n = model_functions(fs.model, s, v, sizeof(v) / sizeof(v[0]));

			for (size_t i = 0; i < n; i++) {
				pci_name(&v[i], here, sizeof(here));
				fill(buf, here, NULL, 0, 0);
			}
		}
	else if (pci_find(path, &h) && h.kind == DIR_NODE)
		for (size_t k = 1; k < sizeof(pci_files) / sizeof(pci_files[0]); k++)
			fill(buf, pci_files[k].name + 1, NULL, 0, 0);
}

static struct reg pci_word(const struct handle *h, off_t off)
{
	return (struct reg){ .space = SPACE_PCI, .bytes = 4, .dev = h->fn.dev, .fn = h->fn.fn, .off = (uint32_t)off };
}

/* Whole words, as many as are asked for. */
static int pci_read(const struct handle *h, char *buf, size_t size, off_t off)
{
	size_t done = 0;

	if (off % 4 || size % 4)
		return -EINVAL;
	for (; done < size && off + (off_t)done < 4096; done += 4) {
		uint64_t v = 0;
		uint32_t word;
		int r = model_read(fs.model, h->socket, pci_word(h, off + (off_t)done), &v);

		if (r < 0 && size == 4 && off < 0x300)
			return r;
		word = (uint32_t)v;
		memcpy(buf + done, &word, sizeof(word));
	}
	return (int)done;
}

static int pci_write(const struct handle *h, const char *buf, size_t size, off_t off)
{
	uint32_t word;
	int r;

	if (off % 4 || size != 4)
		return -EINVAL;
	memcpy(&word, buf, sizeof(word));
	r = model_write(fs.model, h->socket, pci_word(h, off), word);
	if (r == 0)
		strb_addf(&fs.log, "%u - %u:%u+0x%llx 0x%x\n", h->socket, h->fn.dev, h->fn.fn, (unsigned long long)off, word);
	return r < 0 ? r : 4;
}

static int fs_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	unsigned cpu;
	const struct entry *e = entry_find(path, &cpu);
	struct handle pci = { .kind = DIR_NODE };

	(void)fi;
	if (!e && !pci_find(path, &pci))
		return -ENOENT;
	memset(st, 0, sizeof(*st));
	st->st_nlink = 1;
	switch (e ? e->kind : pci.kind) {
	case DIR_NODE: st->st_mode = S_IFDIR | 0755; break;
	case MSR: case PCI_CONFIG: st->st_mode = S_IFREG | 0600; break;
	case CONTROL: st->st_mode = S_IFREG | 0200; break;
	default: st->st_mode = S_IFREG | 0444; break;
	}
	return 0;
}

static int fs_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t off, struct fuse_file_info *fi,
		      enum fuse_readdir_flags flags)
{
	size_t len = strcmp(path, "/") == 0 ? 0 : strlen(path);
	char here[128];

	(void)off;
	(void)fi;
	(void)flags;
	fill(buf, ".", NULL, 0, 0);
	fill(buf, "..", NULL, 0, 0);
	for (size_t i = 1; i < sizeof(entries) / sizeof(entries[0]); i++) {
		unsigned n = strstr(entries[i].path, "%u") ? fs.cpus : 1;

		for (unsigned cpu = 0; cpu < n; cpu++) {
			entry_path(&entries[i], cpu, here, sizeof(here));
			if (strncmp(here, path, len) == 0 && here[len] == '/' && !strchr(here + len + 1, '/') &&
			    entry_exists(&entries[i], cpu))
				fill(buf, here + len + 1, NULL, 0, 0);
		}
	}
	pci_list(path, buf, fill);
	return 0;
}

/* --- what the files say --- */

static void text_cpus(struct strb *b, bool all)
{
	const char *comma = "";

	for (unsigned cpu = 0; cpu < fs.cpus; cpu++) {
		unsigned first = cpu;

		if (!all && !model_cpu_is_online(fs.model, cpu))
			continue;
		while (cpu + 1 < fs.cpus && (all || model_cpu_is_online(fs.model, cpu + 1)))
			cpu++;
		strb_addf(b, first == cpu ? "%s%u" : "%s%u-%u", comma, first, cpu);
		comma = ",";
	}
	strb_add_char(b, '\n');
}

/* CPUID model and a name; only the model matters. */
static const struct { const char *processor, *name; unsigned model; } cpus[] = {
	{ "nehalem-ex", "X7560  @ 2.27GHz", 46 }, { "westmere-ex", "E7- 4870  @ 2.40GHz", 47 },
	{ "nehalem", "X5570  @ 2.93GHz", 26 }, { "westmere", "X5680  @ 3.33GHz", 44 },
	{ "ivytown", "E5-2697 v2 @ 2.70GHz", 62 },
};

static void text_cpuinfo(struct strb *b)
{
	unsigned which = 0;

	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		if (strcmp(cpus[i].processor, fs.processor) == 0)
			which = i;
	for (unsigned cpu = 0; cpu < fs.cpus; cpu++)
		if (model_cpu_is_online(fs.model, cpu))
			strb_addf(b, "processor\t: %u\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: %u\n"
				  "model name\t: Intel(R) Xeon(R) CPU %s\nstepping\t: 6\nphysical id\t: %u\n"
				  "siblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\nflags\t\t: msr tsc\n\n",
				  cpu, cpus[which].model, cpus[which].name, cpu / fs.cores, fs.cores, cpu % fs.cores, fs.cores);
}

/* Every counter that is enabled or has ever counted: SOCKET ADDR TRUTH RATE. */
static void text_truth(struct strb *b)
{
	struct reg v[256];
	size_t n = model_counters(fs.model, v, sizeof(v) / sizeof(v[0]));

	for (unsigned s = 0; s < fs.sockets; s++)
		for (size_t i = 0; i < n; i++) {
			uint64_t truth = model_truth(fs.model, s, v[i]);
			char addr[REG_TEXT];

			if (truth || model_counting(fs.model, s, v[i]))
				strb_addf(b, "%u %s %llu %.3f\n", s, reg_format(v[i], addr, sizeof(addr)),
					  (unsigned long long)truth, model_rate(fs.model, s, v[i]));
		}
}

static void text_violations(struct strb *b)
{
	char last[160] = "";
	unsigned n = model_violations(fs.model, last, sizeof(last));

	strb_addf(b, "%u\n", n);
	if (n)
		strb_addf(b, "%s\n", last);
}

static void text_make(struct strb *b, enum kind kind, unsigned cpu)
{
	switch (kind) {
	case TRUTH: text_truth(b); break;
	case WRITES: strb_add_mem(b, fs.log.s ? fs.log.s : "", fs.log.n); break;
	case VIOLATIONS: text_violations(b); break;
	case CPUINFO: text_cpuinfo(b); break;
	case CPUS_ONLINE: text_cpus(b, false); break;
	case CPUS_ALL: text_cpus(b, true); break;
	case CPU_ONLINE: strb_addf(b, "%d\n", model_cpu_is_online(fs.model, cpu)); break;
	case PACKAGE_ID: strb_addf(b, "%u\n", cpu / fs.cores); break;
	case CORE_ID: strb_addf(b, "%u\n", cpu % fs.cores); break;
	case DIE_ID: strb_add(b, "0\n"); break;
	case SIBLINGS: strb_addf(b, "%u\n", cpu); break;
	default: break;
	}
}

static int fs_open(const char *path, struct fuse_file_info *fi)
{
	unsigned cpu;
	const struct entry *e = entry_find(path, &cpu);
	struct handle pci = { .kind = DIR_NODE }, *h;

	if (!e && !pci_find(path, &pci))
		return -ENOENT;
	if ((e ? e->kind : pci.kind) == DIR_NODE)
		return -EISDIR;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	*h = pci;
	if (e) {
		h->kind = e->kind;
		h->cpu = cpu;
	}
	strb_init(&h->text, LOG_MAX);
	if (h->kind == PCI_VENDOR)
		strb_add(&h->text, "0x8086\n");
	else if (h->kind == PCI_DEVICE)
		strb_addf(&h->text, "0x%04x\n", h->fn.id);
	else
		text_make(&h->text, h->kind, cpu);
	fi->fh = (uintptr_t)h;
	fi->direct_io = 1;
	return 0;
}

static int fs_release(const char *path, struct fuse_file_info *fi)
{
	struct handle *h = (struct handle *)(uintptr_t)fi->fh;

	(void)path;
	strb_done(&h->text);
	free(h);
	return 0;
}

static int fs_read(const char *path, char *buf, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct handle *h = (const struct handle *)(uintptr_t)fi->fh;
	uint64_t v;
	int r;

	(void)path;
	if (h->kind == MSR) {
		if (size != sizeof(v))
			return -EINVAL;
		r = model_cpu_read(fs.model, h->cpu, msr((uint64_t)off), &v);
		if (r < 0)
			return r;
		memcpy(buf, &v, sizeof(v));
		return sizeof(v);
	}
	if (h->kind == PCI_CONFIG)
		return pci_read(h, buf, size, off);
	if (h->text.failed)
		return -ENOMEM;
	if ((uint64_t)off >= h->text.n)
		return 0;
	if (size > h->text.n - (size_t)off)
		size = h->text.n - (size_t)off;
	memcpy(buf, h->text.s + off, size);
	return (int)size;
}

/* --- writes and control --- */

static int write_register(unsigned cpu, uint64_t addr, uint64_t value, const char *by)
{
	int r = model_cpu_write(fs.model, cpu, msr(addr), value);

	if (r == 0)
		strb_addf(&fs.log, "%u %u 0x%llx 0x%llx%s\n", cpu / fs.cores, cpu, (unsigned long long)addr,
			  (unsigned long long)value, by);
	return r;
}

#define WORDS 5

/* "0xd10", or "16:4+0xd8" in PCI space, or "16:4" for a whole function. */
static bool parse_reg(const char *s, struct reg *ret)
{
	unsigned dev, fn, off = 0;
	uint64_t addr;
	int end = 0;

	if (sscanf(s, "%2u:%1u%n", &dev, &fn, &end) == 2 && end) {
		if (s[end] == '+' && sscanf(s + end + 1, "%i", (int *)&off) != 1)
			return false;
		*ret = (struct reg){ .space = SPACE_PCI, .bytes = 8, .dev = (uint8_t)dev, .fn = (uint8_t)fn, .off = off };
		return true;
	}
	if (num_parse_u64(s, &addr) < 0)
		return false;
	*ret = msr(addr);
	return true;
}

static int control_fault(char **w, unsigned n)
{
	static const struct { const char *name; enum model_fault fault; bool reg; } faults[] = {
		{ "eio", MODEL_EIO, true }, { "stuck", MODEL_STUCK, true }, { "stop_clock", MODEL_STOP_CLOCK, false },
		{ "offline", MODEL_OFFLINE, false }, { "write_eperm", MODEL_WRITE_EPERM, false },
		{ "erratum", MODEL_ERRATUM, false }, { "hidden", MODEL_HIDDEN, true },
	};
	struct reg reg = msr(0);
	uint64_t socket;
	bool on = strcmp(w[n - 1], "on") == 0;

	if (n < 4 || n > 5 || (!on && strcmp(w[n - 1], "off") != 0) || num_parse_u64(w[2], &socket) < 0 ||
	    socket >= fs.sockets || (n == 5 && !parse_reg(w[3], &reg)))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strcmp(faults[i].name, w[1]) == 0 && (n == 4 || faults[i].reg)) {
			model_fault(fs.model, (unsigned)socket, faults[i].fault, reg, on);
			return 0;
		}
	return -EINVAL;
}

static int control_line(char *line)
{
	char *w[WORDS + 1], *save = NULL;
	unsigned n = 0;
	uint64_t v[3] = { 0, 0, 0 };
	struct reg reg;

	for (char *p = strtok_r(line, " \t", &save); p && n <= WORDS; p = strtok_r(NULL, " \t", &save))
		w[n++] = p;
	if (n == 0)
		return 0;
	if (strcmp(w[0], "fault") == 0)
		return control_fault(w, n);
	if (strcmp(w[0], "poke") == 0 && n == 4 && strchr(w[2], ':')) {
		if (num_parse_u64(w[1], &v[0]) < 0 || v[0] >= fs.sockets || !parse_reg(w[2], &reg) || num_parse_u64(w[3], &v[2]) < 0)
			return -EINVAL;
		model_poke(fs.model, (unsigned)v[0], reg, v[2]);
		return 0;
	}
	for (unsigned i = 1; i < n; i++)
		if (i > 3 || num_parse_u64(w[i], &v[i - 1]) < 0)
			return -EINVAL;
	if (strcmp(w[0], "write") == 0 && n == 4 && v[0] < fs.cpus)
		return write_register((unsigned)v[0], v[1], v[2], " control");
	if (strcmp(w[0], "poke") == 0 && n == 4 && v[0] < fs.sockets) {
		model_poke(fs.model, (unsigned)v[0], msr(v[1]), v[2]);
		return 0;
	}
	if (strcmp(w[0], "online") == 0 && n == 3 && v[0] < fs.cpus && v[1] <= 1) {
		model_cpu_online(fs.model, (unsigned)v[0], v[1] == 1);
		return 0;
	}
	if (strcmp(w[0], "advance") == 0 && n == 2 && fs.virtual_time && v[0] <= INT64_MAX) {
		model_advance(fs.model, (nsec)v[0]);
		return 0;
	}
	return -EINVAL;
}

/* The lines before a bad one have taken effect. */
static int control_write(const char *buf, size_t size)
{
	char *text = strndup(buf, size), *save = NULL;
	int r = text ? 0 : -ENOMEM;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && r == 0; line = strtok_r(NULL, "\n", &save))
		r = control_line(line);
	free(text);
	return r < 0 ? r : (int)size;
}

static int fs_write(const char *path, const char *buf, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct handle *h = (const struct handle *)(uintptr_t)fi->fh;
	uint64_t v;
	int r;

	(void)path;
	if (h->kind == CONTROL)
		return control_write(buf, size);
	if (h->kind == PCI_CONFIG)
		return pci_write(h, buf, size, off);
	if (h->kind != MSR)
		return -EACCES;
	if (size != sizeof(v))
		return -EINVAL;
	memcpy(&v, buf, sizeof(v));
	r = write_register(h->cpu, (uint64_t)off, v, "");
	return r < 0 ? r : (int)size;
}

static int fs_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	(void)size;
	(void)fi;
	return strcmp(path, "/control") == 0 ? 0 : -EACCES;     /* a shell's > opens with O_TRUNC */
}

/* CPUs come and go: nothing may be remembered by the kernel. */
static void *fs_init(struct fuse_conn_info *conn, struct fuse_config *cfg)
{
	(void)conn;
	cfg->entry_timeout = cfg->attr_timeout = cfg->negative_timeout = 0;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = fs_init, .getattr = fs_getattr, .readdir = fs_readdir, .open = fs_open, .release = fs_release,
	.read = fs_read, .write = fs_write, .truncate = fs_truncate,
};

/* Mount, say so, serve until SIGINT or SIGTERM, unmount. */
static int serve(char *name, const char *mountpoint)
{
	char *argv[] = { name, (char[]){ "-o" }, (char[]){ "fsname=uncore-msrfs" }, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);
	struct fuse *fuse = fuse_new(&args, &operations, sizeof(operations), NULL);
	int r = EXIT_FAILURE;

	fuse_opt_free_args(&args);
	if (!fuse)
		return r;
	if (fuse_mount(fuse, mountpoint) == 0) {
		if (fuse_set_signal_handlers(fuse_get_session(fuse)) == 0) {
			puts("ready");
			fflush(stdout);
			r = fuse_loop(fuse) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
			fuse_remove_signal_handlers(fuse_get_session(fuse));
		}
		fuse_unmount(fuse);
	}
	fuse_destroy(fuse);
	return r;
}

static void usage(FILE *out)
{
	fputs("usage: uncore-msrfs [--processor NAME] [--workload NAME] [--sockets N] [--cores N] [--seed N]\n"
	      "                    [--virtual] MOUNTPOINT\n"
	      "Serves the uncore register model as files until SIGINT or SIGTERM; prints \"ready\" when mounted.\n"
	      "  --processor NAME  nehalem-ex (the default), westmere-ex, nehalem, westmere, ivytown\n"
	      "  --workload NAME   idle, stream (the default), remote, bursty\n"
	      "  --sockets N       default 2\n"
	      "  --cores N         per socket, default 8; CPU = socket x cores + core\n"
	      "  --virtual         time stands still but for \"advance\"\n"
	      "Below MOUNTPOINT:\n"
	      "  dev/cpu/N/msr     8 bytes at offset = register number\n"
	      "  sys, proc         CPU topology, PCI configuration space and cpuinfo, for --path-sysfs and\n"
	      "                    --path-procfs\n"
	      "  control           write lines: write CPU ADDR VALUE | poke SOCKET ADDR VALUE | online CPU 0|1 |\n"
	      "                    advance NSEC | fault NAME SOCKET [ADDR] on|off, where NAME is eio, stuck (of ADDR,\n"
	      "                    or of all registers), stop_clock, offline, write_eperm, erratum, or hidden (the PCI\n"
	      "                    function ADDR). ADDR in PCI space: DEVICE:FUNCTION+OFFSET\n"
	      "  truth             SOCKET ADDR TRUTH RATE of each counter that counts or ever did: what it has counted\n"
	      "                    in all, and events per second of what it selects now\n"
	      "  writes            SOCKET CPU ADDR VALUE of each register write, in order (CPU - in PCI space);\n"
	      "                    \"control\" marks those\n"
	      "                    made through control\n"
	      "  violations        how many; the last one\n", out);
}

static bool option_number(const char *s, unsigned max, unsigned *ret)
{
	uint64_t v;

	if (num_parse_u64(s, &v) < 0 || v > max)
		return false;
	*ret = (unsigned)v;
	return true;
}

int main(int argc, char **argv)
{
	enum { PROCESSOR = 256, WORKLOAD, SOCKETS, CORES, SEED, VIRTUAL, HELP };
	static const struct option options[] = {
		{ "processor", required_argument, NULL, PROCESSOR }, { "workload", required_argument, NULL, WORKLOAD },
		{ "sockets", required_argument, NULL, SOCKETS }, { "cores", required_argument, NULL, CORES },
		{ "seed", required_argument, NULL, SEED }, { "virtual", no_argument, NULL, VIRTUAL },
		{ "help", no_argument, NULL, HELP }, { NULL, 0, NULL, 0 },
	};
	struct model_options o = { .processor = "nehalem-ex", .n_sockets = 2, .cores = 8, .real_time = true, .seed = 1 };
	struct err err;
	bool good = true;
	int c, r;

	while (good && (c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case PROCESSOR: o.processor = optarg; break;
		case WORKLOAD: o.workload = optarg; break;
		case SOCKETS: good = option_number(optarg, 64, &o.n_sockets); break;
		case CORES: good = option_number(optarg, 64, &o.cores); break;
		case SEED: good = num_parse_u64(optarg, &o.seed) == 0; break;
		case VIRTUAL: o.real_time = false; break;
		case HELP: usage(stdout); return EXIT_SUCCESS;
		default: good = false; break;
		}
	if (!good || optind + 1 != argc) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (model_new(&o, &fs.model, &err) < 0) {
		fprintf(stderr, "uncore-msrfs: %s\n", err.text);
		return EXIT_USAGE;
	}
	fs.processor = o.processor;
	fs.sockets = o.n_sockets;
	fs.cores = o.cores;
	fs.cpus = o.n_sockets * o.cores;
	fs.virtual_time = !o.real_time;
	strb_init(&fs.log, LOG_MAX);
	r = serve(argv[0], argv[optind]);
	strb_done(&fs.log);
	model_free(fs.model);
	return r;
}
