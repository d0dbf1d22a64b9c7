/* SPDX-License-Identifier: MIT
 * Machines as texts: what their lines mean, and what is said of those that mean nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "base/bits.h"
#include "topo/machine_dir.h"
#include "topo/machine_text.h"
#include "topo/topo.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Two machines that are "installed". */
static const char *find(void *p, struct arena *a, const char *name, size_t *ret_n, struct err *err)
{
	static const struct { const char *name, *text; } known[] = {
		{ "base", "cpuinfo GenuineIntel 6 85 4\nrelease 6.1.0\ncpu 0-1 socket 0\n"
			  "curve 100 100 120\ncurve 50 80 140\n"
			  "PMU power type=9 cpumask=0\n  format event=config:0-7\n" },
		{ "loop", "like loop\n" },
		{ "plain", "cpu 0 socket 0\n" },
	};

	(void)p, (void)a;
	for (unsigned i = 0; i < COUNT(known); i++)
		if (strcmp(known[i].name, name) == 0) {
			*ret_n = strlen(known[i].text);
			return known[i].text;
		}
	err_set(err, 0, "no such text");
	return NULL;
}

static int read_n(const char *text, size_t n, struct machine_text **ret, struct diags *d)
{
	return machine_text_read("m.txt", text, n, find, NULL, ret, d);
}

static struct machine_text *good(const char *text)
{
	struct machine_text *m = NULL;
	struct diags d = { 0 };

	if (read_n(text, strlen(text), &m, &d) < 0)
		fail_msg("%s", d.v[0]);
	assert_int_equal(d.n, 0);
	return m;
}

/* The content of the last file of this path; NULL: there is none. */
static const char *content(const struct machine_text *m, const char *path)
{
	static char text[2048];
	const char *found = NULL;

	for (unsigned i = 0; i < m->n_files; i++)
		if (strcmp(m->files[i].path, path) == 0) {
			assert_true(m->files[i].n < sizeof(text));
			memcpy(text, m->files[i].bytes, m->files[i].n);
			text[m->files[i].n] = '\0';
			found = text;
		}
	return found;
}

static void assert_file(const struct machine_text *m, const char *path, const char *text)
{
	const char *is = content(m, path);

	if (!is)
		fail_msg("there is no %s", path);
	assert_string_equal(is, text);
}

#define PMU "bus/event_source/devices/"
#define CPU "devices/system/cpu/"

static void test_cpus(void **state)
{
	struct machine_text *m = good("cpuinfo AuthenticAMD 25 17 1\r\n"
		"model AMD EPYC 9654\nflags fpu hypervisor\n"
		"cpu 0-1,4-5 socket 0 die 2 core 7-8 node 1 llc 0-7 32768K\n"
		"cpu 2-3,6-7 socket 0 core 9,11 node 1 llc 0-7\n  \n# text\n  # more\n"
		"cpu 9 socket 36\noffline 8,10\n");

	(void)state;
	assert_file(m, "cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n"
		    "model\t\t: 17\nmodel name\t: AMD EPYC 9654\nstepping\t: 1\n"
		    "flags\t\t: fpu hypervisor\n\n");
	assert_file(m, CPU "online", "0-7,9\n");
	assert_file(m, CPU "present", "0-10\n");
	assert_file(m, CPU "cpu5/topology/core_id", "8\n");
	assert_file(m, CPU "cpu4/topology/core_id", "7\n");
	assert_file(m, CPU "cpu7/topology/core_id", "11\n");
	assert_file(m, CPU "cpu4/topology/die_id", "2\n");
	assert_null(content(m, CPU "cpu9/topology/die_id"));
	assert_file(m, CPU "cpu9/topology/physical_package_id", "36\n");
	assert_file(m, CPU "cpu0/topology/package_cpus_list", "0-7\n");
	assert_file(m, CPU "cpu9/topology/package_cpus_list", "9\n");
	assert_null(content(m, CPU "cpu2/topology/package_cpus_list"));
	assert_file(m, CPU "cpu0/topology/die_cpus_list", "0-1,4-5\n");
	assert_file(m, CPU "cpu0/cache/index3/size", "32768K\n");
	assert_file(m, CPU "cpu6/cache/index3/shared_cpu_list", "0-7\n");
	assert_null(content(m, CPU "cpu9/cache/index3/shared_cpu_list"));
	assert_file(m, "devices/system/node/node1/cpulist", "0-7\n");
	machine_text_free(m);
}

static void test_pmus(void **state)
{
	struct machine_text *m = good("cpu 0 socket 0\nPMU imc_{0-1,8c000} type=12 cpumask=0\n"
		"  counters 4 fixed 0x83-0x85:0x3 0x80/0xc0:0xe\n  filters 0x35:0xff00\n"
		"  counts 0xcf05 memory_read*1/64\n  counts 0x1,0x40,3 a b\n"
		"  counts 0x1,0x40,4 c\n"
		"  format event=config:0-7,32\n  events/e: event=1\n"
		"  alias: type_6_{}\\x0a!\\x5c\\q\nPMU odd type=7 cpumask=\n");
	const struct machine_family *f = machine_family_of(m, "imc_8c000");

	(void)state;
	assert_file(m, PMU "imc_8c000/type", "14\n");
	assert_file(m, PMU "imc_1/cpumask", "0\n");
	assert_file(m, PMU "imc_1/format", "../imc_0/format");
	assert_file(m, PMU "imc_0/format/event", "config:0-7,32\n");
	assert_file(m, PMU "imc_0/events/e", "event=1\n");
	assert_file(m, PMU "imc_1/alias", "type_6_1\n!\\\\q\n");
	assert_file(m, PMU "odd/cpumask", "\n");
	assert_non_null(f);
	assert_string_equal(f->name, "imc");
	assert_true(f->known && f->fixed && f->filtered && !f->free);
	assert_int_equal(f->counters, 4);
	assert_int_equal(f->n_counter, 2);
	assert_int_equal(f->counter[0].first, 0x83);
	assert_int_equal(f->counter[0].last, 0x85);
	assert_int_equal(f->counter[0].mask, 0xff);
	assert_int_equal(f->counter[1].mask, 0xc0);
	assert_int_equal(f->counter[1].value, 0xe);
	assert_int_equal(f->n_filter, 1);
	assert_int_equal(f->filter[0].value, 0xff00);
	assert_int_equal(f->n_counts, 3);
	assert_int_equal(f->counts[0].config, 0xcf05);
	assert_string_equal(f->counts[0].words, "memory_read*1/64");
	assert_int_equal(f->counts[1].config1, 0x40);
	assert_int_equal(f->counts[1].config2, 3);
	assert_string_equal(f->counts[1].words, "a b");
	assert_int_equal(f->counts[2].config2, 4);      /* another event */
	assert_true(machine_is_fixed(f, 0xff) && !machine_is_fixed(f, 0x1ff));
	assert_null(machine_family_of(m, "imc_2"));
	assert_false(machine_family_of(m, "odd")->known);
	assert_false(machine_is_fixed(machine_family_of(m, "odd"), 0xff));
	machine_text_free(m);
	m = good("cpu 0 socket 0\nPMU scf type=12 cpumask=0\n  counters 6 fixed=0x100000000\n");
	f = machine_family_of(m, "scf");
	assert_int_equal(f->counters, 6);
	assert_true(machine_is_fixed(f, UINT64_C(0x100000000)) && !machine_is_fixed(f, 0xff));
	machine_text_free(m);
}

/* What a text says itself holds, wherever its `like` stands. */
static void test_like(void **state)
{
	struct machine_text *m = good("release 6.6.1\ncpu 0-3 socket 1\nlike base\n"
				      "cpuinfo GenuineIntel 6 85 7\n");

	(void)state;
	assert_file(m, "sys/kernel/osrelease", "6.6.1\n");
	assert_file(m, CPU "online", "0-3\n");
	assert_file(m, CPU "cpu0/topology/physical_package_id", "1\n");
	assert_true(strstr(content(m, "cpuinfo"), "stepping\t: 7\n"));
	assert_file(m, PMU "power/type", "9\n");
	assert_int_equal(m->n_curve, 2);
	assert_null(m->curve_of);
	machine_text_free(m);
	m = good("like base\n");
	assert_true(strstr(content(m, "cpuinfo"), "stepping\t: 4\n"));
	machine_text_free(m);
}

static void test_curve(void **state)
{
	struct machine_text *m = good("curve 75 180.5 210\nlike base\n");

	(void)state;
	assert_int_equal(m->n_curve, 1);
	assert_true(m->curve[0].read_percent == 75 && m->curve[0].gbps == 180.5 &&
		    m->curve[0].ns == 210);
	machine_text_free(m);
	m = good("cpu 0 socket 0\ncurve like base\n");
	assert_int_equal(m->n_curve, 2);
	assert_true(m->curve[1].gbps == 80);
	assert_string_equal(m->curve_of, "base");
	assert_null(content(m, PMU "power/type"));      /* the curve alone */
	machine_text_free(m);
}

static void test_pci(void **state)
{
	struct machine_text *m = good("cpu 0 socket 0\npci 0000:7f:08.2 0x0=0x0e808086 0x40=5\n"
				      "pci 0000:ff:08.2 0=0x0e808086\n");
	const struct machine_file *f = &m->files[0];

	(void)state;
	assert_string_equal(f->path, "bus/pci/devices/0000:7f:08.2/config");
	assert_int_equal(f->n, 256);
	assert_memory_equal(f->bytes, "\x86\x80\x80\x0e", 4);
	assert_memory_equal(f->bytes + 0x40, "\x05\0\0\0", 4);
	assert_int_equal(m->files[1].n, 64);
	machine_text_free(m);
}

/* A function behind a root bus lies below it, and the list of functions leads there. */
static void test_devices(void **state)
{
#define ICE "devices/pci0000:16/0000:17:00.0/"
	struct machine_text *m = good(
		"cpu 0 socket 0\n"
		"pci 0000:17:00.0 root 0000:16 class 0x020000 driver ice net eth0 net a\\x1bb "
		"node 1\n"
		"pci 0000:6a:01.0 root 0000:6a class 0x088000 driver idxd dsa dsa0 0x0=0x0b258086\n"
		"PMU uncore_iio_{0-2} type=5 cpumask=0\n"
		"  die 0 0000:16 - 0000:6a\n"
		"  die 1 - 0000:97 -\n");

	(void)state;
	assert_file(m, "bus/pci/devices/0000:17:00.0", "../../../devices/pci0000:16/0000:17:00.0");
	assert_file(m, ICE "class", "0x020000\n");
	assert_file(m, ICE "numa_node", "1\n");
	assert_file(m, ICE "driver", "../../../bus/pci/drivers/ice");
	assert_file(m, ICE "net/eth0/ifindex", "1\n");
	assert_file(m, ICE "net/a\033b/ifindex", "2\n");
	assert_null(content(m, ICE "config"));
	assert_non_null(content(m, "devices/pci0000:6a/0000:6a:01.0/dsa0/ifindex"));
	assert_non_null(content(m, "devices/pci0000:6a/0000:6a:01.0/config"));
	assert_file(m, PMU "uncore_iio_0/die0", "0000:16\n");
	assert_file(m, PMU "uncore_iio_2/die0", "0000:6a\n");
	assert_file(m, PMU "uncore_iio_1/die1", "0000:97\n");
	assert_null(content(m, PMU "uncore_iio_1/die0"));
	machine_text_free(m);
}

static void test_mistakes(void **state)
{
	static const struct { unsigned line; const char *text, *says; } rows[] = {
		{ __LINE__, "",
		  "m.txt: no line says which CPUs there are; add one, such as: cpu 0-3 socket 0" },
		{ __LINE__, "cpu 0-3\n",
		  "m.txt:1:8: the line does not say the socket: cpu 0-3 socket 0" },
		{ __LINE__, "cpu 3-0 socket 0\n",
		  "m.txt:1:5: '3-0' is no list of CPUs below 8192, such as 0-3,8" },
		{ __LINE__, "cpu 0-9000 socket 0\n",
		  "m.txt:1:5: '0-9000' is no list of CPUs below 8192, such as 0-3,8" },
		{ __LINE__, "cpu 0 socket 0\ncpu 0 socket 1\n",
		  "m.txt:2:5: CPU 0 has a line already; name it once" },
		{ __LINE__, "cpu 0 socket x\n",
		  "m.txt:1:14: 'x' is no socket: it is a number from 0 to 2147483647" },
		{ __LINE__, "cpu 0 socket 0 colour 3\n",
		  "m.txt:1:16: 'colour' is nothing that a line of CPUs says: cpu 0-3 socket 0 "
		  "[die 1] [core 0-3] [node 1] [llc]" },
		{ __LINE__, "cpus 0\n",
		  "m.txt:1:1: 'cpus' begins no line of a machine: cpuinfo, model, flags, cpu, "
		  "offline, release, like, msr, pci, PMU and curve do, and # a comment" },
		{ __LINE__, "  format a=b\n",
		  "m.txt:1:3: 'format' is below no PMU; a line that is indented says something "
		  "of the PMU line above it" },
		{ __LINE__, "PMU ../x type=1 cpumask=-\n",
		  "m.txt:1:5: '../x' is no name of a PMU: up to 128 letters, digits, '_', '-', "
		  "':' and '.', which does not come first" },
		{ __LINE__, "PMU x type=1 cpumask=-\n  ../y: z\n",
		  "m.txt:2:3: '../y' is no file of a PMU: up to three plain names with / "
		  "between them, none of which begins with a dot" },
		{ __LINE__, "PMU x type=1 cpumask=-\n  /etc/passwd: z\n",
		  "m.txt:2:3: '/etc/passwd' is no file of a PMU: up to three plain names with "
		  "/ between them, none of which begins with a dot" },
		{ __LINE__, "PMU x type=1 cpumask=-\n  events ../a=1\n",
		  "m.txt:2:10: '../a' is no name of a file: up to 128 letters, digits, '_', "
		  "'-', ':' and '.', which does not come first" },
		{ __LINE__, "PMU x type=1 cpumask=-\n  device ../../x node 1\n",
		  "m.txt:2:10: '../../x' is no name of a device: up to 128 letters, digits, "
		  "'_', '-', ':' and '.', which does not come first" },
		{ __LINE__, "PMU x type=-1 cpumask=-\n",
		  "m.txt:1:7: '-1' is no type of a PMU: it is a number of 32 bits, as "
		  "those of its other instances are, which follow" },
		{ __LINE__, "PMU x_{0-2000} type=1 cpumask=-\n",
		  "m.txt:1:5: there are more than 1024 PMUs, and uncored reads no more of a "
		  "machine; remove some" },
		{ __LINE__, "PMU x_{0-3} type=1 cpumask=-\nPMU x_2 type=1 cpumask=-\n",
		  "m.txt:2:5: the PMU 'x_2' has a line already; write its files below that one" },
		{ __LINE__, "like loop\n",
		  "loop:1:6: 'loop' is the 9th machine that one is like; one of them is like "
		  "itself" },
		{ __LINE__, "like ../x\n",
		  "m.txt:1:6: there is no machine '../x'" },
		{ __LINE__, "like none\n",
		  "m.txt:1:6: there is no machine 'none': no such text" },
		{ __LINE__, "curve like plain\n",
		  "m.txt:1:12: 'plain' has no curve of its own" },
		{ __LINE__, "curve 101 1 1\n",
		  "m.txt:1:13: more than 100 percent of the bytes cannot be read" },
		{ __LINE__, "curve 50 1e9 1\n",
		  "m.txt:1:10: '1e9' is no bandwidth in GB/s: it is a number such as 180.5" },
		{ __LINE__, "pci 0000:7f:08.2 1=2\n",
		  "m.txt:1:18: '1=2' is no word of configuration space: OFFSET=VALUE, OFFSET a "
		  "multiple of 4 below 4096, VALUE of 32 bits" },
		{ __LINE__, "pci 0000:17:00.0 root ../..\n",
		  "m.txt:1:23: here a root bus is expected: pci 0000:17:00.0 root 0000:16" },
		{ __LINE__, "pci 0000:17:00.0 class 0x020000\n",
		  "m.txt:1:18: 'class' comes after the root bus that the function is behind: pci "
		  "0000:17:00.0 root 0000:16 class 0x020000" },
		{ __LINE__, "pci 0000:17:00.0 root 0000:16 class 2\n",
		  "m.txt:1:37: here the class of a PCI function is expected, up to 0xffffff: "
		  "class 0x020000" },
		{ __LINE__, "pci 0000:17:00.0 root 0000:16 net ../x\n",
		  "m.txt:1:35: here the name of the net is expected, of less than 64 letters "
		  "without '/': net eth0" },
		{ __LINE__, "pci 0000:17:00.0 root 0000:16 driver a\\x2fb\n",
		  "m.txt:1:38: here the name of the driver is expected, of less than 64 letters "
		  "without '/': net eth0" },
		{ __LINE__, "pci 0000:17:00.0 root 0000:16 serial 5\n",
		  "m.txt:1:31: 'serial' is nothing that a line of a PCI function says: root, "
		  "class, vendor, node, driver, net, infiniband, nvme, drm, accel, dsa, or a word "
		  "of configuration space such as 0x0=0x0e808086" },
		{ __LINE__, "PMU x_{0-1} type=1 cpumask=-\n  die 0 0000:16\n",
		  "m.txt:2:16: here the root bus of each of the 2 instances is expected, or -: "
		  "die 0 0000:16 0000:30 -" },
		{ __LINE__, "PMU x_{0-1} type=1 cpumask=-\n  die 0 - - -\n",
		  "m.txt:2:13: '-' is one word too many on this line; remove it" },
		{ __LINE__, "release a\033[31m\n",
		  "m.txt:1:10: byte 0x1b is no letter of these texts; write it as \\x1b" },
		{ __LINE__, "PMU x type=1 cpumask=-\n  counters 64\n",
		  "m.txt:2:12: '64' says nothing of counters: up to 63 of them, fixed, free, or "
		  "a rule such as 0x83-0x85:0x3" },
		{ __LINE__, "PMU x type=1 cpumask=-\n  counts 0xcf05\n",
		  "m.txt:2:16: the line does not say what the event counts: counts 0xcf05 "
		  "memory_read*1/64" },
		{ __LINE__, "PMU x_{0} type=1 cpumask=-\n  counts 1,2 a\n  counts 1 a\n"
		  "PMU x_{1} type=2 cpumask=-\n  counts 0x1,2 b\n",
		  "m.txt:5:10: a line says already what this event of x counts; remove one" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct machine_text *m = NULL;
		struct diags d = { 0 };

		assert_int_equal(read_n(rows[i].text, strlen(rows[i].text), &m, &d), -EINVAL);
		assert_null(m);
		if (!d.n || strcmp(d.v[0], rows[i].says) != 0)
			fail_msg("line %u: %s\nnot: %s", rows[i].line, d.n ? d.v[0] : "",
				 rows[i].says);
		diags_done(&d);
	}
}

static void assert_says(const struct diags *d, const char *words)
{
	if (!d->n || !strstr(d->v[0], words))
		fail_msg("%s\nhas not: %s", d->n ? d->v[0] : "", words);
}

/* PMUs with more files than are read of one, and with so many that all together are too many: of
 * format/ and events/, which instances share, of links, and of CPUs. */
static void test_files(void **state)
{
	static const struct {
		const char *head, *word, *end;
		unsigned n;
		const char *says;
	} rows[] = {
		{ "PMU p_{0-1} type=1 cpumask=-\n  events", " e", "=event=1", 4097,
		  "m.txt:3:56250: this is file 4097 of events/ of the PMU, and uncored reads no "
		  "PMU with more than 4096; remove some" },
		{ "PMU p type=1 cpumask=-\n  format", " e", "=config:0", 4097,
		  "m.txt:3:60346: this is file 4097 of format/ of the PMU" },
		{ "PMU p type=1 cpumask=-\n  events", " e", "=event=1", 4096, NULL },
		{ "PMU p_{0-1023} type=1 cpumask=-\n  events", " e", "=event=1", 4096,
		  "with this the machine has more than 16 MiB of files" },
		{ "PMU p_{0-1023} type=1 cpumask=-\n  events", " e", "=event=1", 80, NULL },
		{ "cpu 1-8191 socket 0 llc 1", ",", "", 4000,
		  "m.txt:2:5: what the text says up to here takes more than 32 MiB" },
		{ "cpu 1-8191 socket 0 die 1 node 1 llc 33792K\nmsr", "", "", 0, NULL },
	};
	char *text = malloc(MACHINE_TEXT_MAX);

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < COUNT(rows); i++) {
		AUTO_FREE(machine_text_free) struct machine_text *m = NULL;
		struct diags d = { 0 };
		char *end = stpcpy(stpcpy(text, "cpu 0 socket 0\n"), rows[i].head);
		int r;

		for (unsigned k = 0; k < rows[i].n; k++)
			end += sprintf(end, "%s%u%s", rows[i].word, k + 2, rows[i].end);
		end = stpcpy(end, "\n");
		r = read_n(text, (size_t)(end - text), &m, &d);
		assert_int_equal(r < 0, rows[i].says != NULL);
		if (rows[i].says)
			assert_says(&d, rows[i].says);
		diags_done(&d);
	}
	free(text);
}

/* A text that would need more memory than there may be, and one that is too long. */
static void test_bounds(void **state)
{
	static const char line[] = "like base\n";
	size_t n = MACHINE_TEXT_MAX / 2, used = 0;
	struct machine_text *m = NULL;
	struct diags d = { 0 };
	char *text = malloc(MACHINE_TEXT_MAX + 2);

	(void)state;
	assert_non_null(text);
	/* in memory once, and a file of each of 901: no gaps of AddressSanitizer come first */
	memcpy(text, "PMU p_{0-900} type=1 cpumask=-\n  events/e: ", 43);
	memset(text + 43, 'b', 20000);
	used = 20043;
	assert_int_equal(read_n(text, used, &m, &d), -EINVAL);
	assert_int_equal(d.n, 1);
	assert_says(&d, "with this the machine has more than 16 MiB of files, where those of a PMU "
		    "count for each of its instances");
	diags_done(&d);
	/* words of one letter */
	memcpy(text, "cpu 0 socket 0\nflags", 20);
	for (used = 20; used + 2 < MACHINE_TEXT_MAX; used += 2)
		memcpy(text + used, " a", 2);
	assert_int_equal(read_n(text, used, &m, &d), -ENOMEM);
	assert_int_equal(strncmp(d.v[0], "m.txt:2:", 8), 0);
	assert_says(&d, "what the text says up to here takes more than 32 MiB of memory");
	diags_done(&d);
	/* more mistakes than are kept */
	for (used = 0; used + 2 < n; used += 2)
		memcpy(text + used, "x\n", 2);
	assert_int_equal(read_n(text, used, &m, &d), -EINVAL);
	assert_int_equal(diags_count(&d), DIAGS_MAX);
	diags_done(&d);
	for (used = 0; used + sizeof(line) < 3000; used += sizeof(line) - 1)
		memcpy(text + used, line, sizeof(line) - 1);
	/* 300 times the same PMU: too many */
	assert_int_equal(read_n(text, used, &m, &d), -EINVAL);
	diags_done(&d);
	memset(text, '#', MACHINE_TEXT_MAX + 1);
	assert_int_equal(read_n(text, MACHINE_TEXT_MAX + 1, &m, &d), -EINVAL);
	assert_string_equal(d.v[0], "m.txt: the text has more than 1048576 bytes; that is no "
			    "machine");
	diags_done(&d);
	assert_null(m);
	free(text);
}

static int count;

static int count_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)st, (void)type, (void)ftw;
	count++;
	return 0;
}

static int files_below(const char *path)
{
	count = 0;
	nftw(path, count_one, 8, FTW_PHYS);
	return count;
}

/* The directory is read as a machine, and goes: when it is freed, and with its process. */
static void test_directory(void **state)
{
	struct machine_text *m = good("cpuinfo GenuineIntel 6 85 4\ncpu 0-1 socket 0\n"
		"cpu 2-3 socket 1 node 1\nPMU imc_{0-1} type=12 cpumask=0,2\n  device X:{} node 1\n"
		"  format event=config:0-7\n  events e=event=1\nPMU ubox type=14 cpumask=0,2\n");
	struct machine_dir *dir = NULL;
	struct topo_pmus *pmus = NULL;
	struct topo *topo = NULL;
	struct err err = { "" };
	pid_t pid;

	(void)state;
	assert_int_equal(machine_dir_make(m, root, &dir, &err), 0);
	assert_memory_equal(machine_dir_path(dir), root, strlen(root));
	assert_int_equal(topo_read(machine_dir_path(dir), machine_dir_path(dir), NULL, &topo, &err),
			 0);
	assert_int_equal(topo->n_sockets, 2);
	assert_int_equal(topo_pmus_read(machine_dir_path(dir), &pmus, &err), 0);
	assert_string_equal(err.text, "");
	assert_int_equal(pmus->n, 3);
	assert_int_equal(topo_pmu_find(pmus, "imc_1")->n_events, 1);
	assert_true(topo_pmu_find(pmus, "imc_1")->has_home);
	assert_int_equal(topo_pmu_find(pmus, "imc_1")->home, 2);
	topo_pmus_free(pmus);
	topo_free(topo);
	machine_dir_free(dir);
	assert_int_equal(files_below(root), 1);
	/* somebody who does not ask why */
	assert_int_equal(machine_dir_make(m, root, &dir, NULL), 0);
	machine_dir_free(dir);
	pid = fork();
	if (pid == 0) {
		machine_dir_make(m, root, &dir, &err);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 1000 && files_below(root) > 1; i++)
		usleep(10000);
	assert_int_equal(files_below(root), 1);
	machine_text_free(m);
}

static int setup(void **state)
{
	(void)state;
	return temp_make("machine");
}

static int teardown(void **state)
{
	(void)state;
	return drop("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus), cmocka_unit_test(test_pmus),
		cmocka_unit_test(test_like), cmocka_unit_test(test_curve),
		cmocka_unit_test(test_pci), cmocka_unit_test(test_devices),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test_setup_teardown(test_directory, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
