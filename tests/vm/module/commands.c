// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * commands.c - PMUs that count, in a guest without the hardware: described by text, registered
 * with the kernel's perf core.
 *
 * Owns:  /proc/counting_pmus. A line written to it is a command (the table below says which);
 *        reading it shows what every event has counted, open or closed. The life of the module.
 * Never: names of events or processors: what an encoding counts is told by `rate`.
 *
 * A counter stands at hertz x time, modulo 2^width, and hertz is that of the encoding in `rate`,
 * raised by a part that depends on encoding, instance and domain (hertz_of(), which live.py has as
 * well). An encoding without a rate counts at an odd rate of its own: a wrong code is a wrong
 * number, not 0. One of `moves` counts what a load in the guest moves, instead. Time is the real
 * one; or stands until `advance` moves it; or is each event's own running time, as the perf core
 * has it, so that counts and the times of a read are of one moment.
 *
 * A domain is a set of CPUs that share the counters of an instance: a package, a die, an L3 cache.
 * Events go to its first CPU, or to the next one when that goes offline, as in the kernel's
 * drivers.
 *
 * Loads in a guest of qemu only.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/dmi.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>

#include "counting.h"

static const struct { const char *name; int (*run)(char *words); } commands[] = {
	{ "family", do_family },	/* COUNTERS or -, fixed, free, filtered, any */
	{ "domain", do_domain },	/* CPUs */
	{ "format", do_format },	/* FILE TEXT */
	{ "event", do_event },		/* FILE TEXT */
	{ "counter", do_counter },	/* FIRST LAST MASK COUNTERS */
	{ "filter", do_filter },	/* FIRST LAST MASK BITS of config1 */
	{ "rate", do_rate },		/* CONFIG CONFIG1 CONFIG2 HERTZ */
	{ "traffic", do_traffic },	/* FILE that a load writes to */
	{ "moves", do_moves },		/* CONFIG CONFIG1 CONFIG2 KIND AMOUNT of that file */
	{ "others", do_others },	/* SOCKET BYTES by second, beside the load */
	{ "curve", do_curve },		/* PERCENT BYTES PICOSECONDS: the memory's, a point */
	{ "pmu", do_pmu },		/* NAME INDEX [FILE TEXT]: registers it */
	{ "device", do_device },	/* NAME DEVICE NODE: the parent of a PMU */
	{ "made", do_made },		/* NAME INDEX: registers of a PMU of the kernel's driver */
	{ "registers", do_registers },	/* on SOCKETS, off: the driver's calls come here */
	{ "refuse", do_refuse },	/* NAME ERRNO, 0: no longer */
	{ "steal", do_steal },		/* NAME COUNTERS that others use */
	{ "width", do_width },		/* NAME BITS */
	{ "jump", do_jump },		/* NAME COUNTS */
	{ "clock", do_clock },		/* real, manual or running */
	{ "advance", do_advance },	/* NS */
	{ "arm", do_arm },		/* AFTER NS */
	{ "forget", do_forget },	/* closed events */
	{ "reset", do_reset },
};

static int run(char *line)
{
	char *name = strsep(&line, " ");
	static char none[1];
	int r = -EINVAL;

	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			r = commands[i].run(line ? line : none);
	if (r)
		pr_err("'%s %s' is refused: %d\n", name, line ? line : "", r);
	return r;
}

/* A command may come in two pieces. */
static ssize_t proc_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	static char line[MAX_LINE];
	static size_t n;
	char *bytes = memdup_user_nul(from, size);
	int r = 0;

	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	mutex_lock(&configuration);
	for (size_t i = 0; i < size && !r; i++) {
		if (n == MAX_LINE - 1)
			r = -E2BIG;
		line[n++] = bytes[i];
		if (bytes[i] != '\n')
			continue;
		line[n - 1] = '\0';
		n = 0;
		if (*line)
			r = run(line);
	}
	n = r ? 0 : n;
	mutex_unlock(&configuration);
	kfree(bytes);
	return r ? r : size;
}

static int show(struct seq_file *s, void *p)
{
	mutex_lock(&configuration);
	records_show(s);
	mutex_unlock(&configuration);
	return 0;
}

static int proc_open(struct inode *inode, struct file *file)
{
	return single_open(file, show, NULL);
}

static const struct proc_ops proc = {
	.proc_open = proc_open, .proc_read = seq_read, .proc_lseek = seq_lseek,
	.proc_release = single_release, .proc_write = proc_write,
};

static int hotplug;

static int __init counting_pmus_init(void)
{
	const char *vendor = dmi_get_system_info(DMI_SYS_VENDOR);

	if (!vendor || strcmp(vendor, "QEMU")) {
		pr_err("this is no guest of qemu; it invents counts, and is not loaded\n");
		return -ENODEV;
	}
	clock_init();
	hotplug = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perf/counting_pmus:online",
					    cpu_comes, cpu_goes);
	if (hotplug < 0)
		return hotplug;
	if (!proc_create("counting_pmus", 0600, NULL, &proc)) {
		cpuhp_remove_state_nocalls(hotplug);
		return -ENOMEM;
	}
	return 0;
}

static void __exit counting_pmus_exit(void)
{
	static char none[1];

	remove_proc_entry("counting_pmus", NULL);
	cpuhp_remove_state_nocalls(hotplug);
	clock_exit();
	mutex_lock(&configuration);
	do_reset(none);
	mutex_unlock(&configuration);
}

module_init(counting_pmus_init);
module_exit(counting_pmus_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("PMUs that count as they are told, in a guest of qemu");
