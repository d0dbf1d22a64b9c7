// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * dmc620_counts.c - PMUs that answer the kernel's perf core as the driver of Arm's DMC-620 does
 * (drivers/perf of Linux), in a guest without the hardware.
 *
 * Every event moves to the one CPU that serves all of them, which is any; a perf group takes one;
 * eight counters count at half the clock and two at the clock. How the kernel shows them is told
 * when it is loaded: Linux 6.1 has neither cpumask nor parent, mainline has both.
 *
 * Owns:  the PMUs, their devices, the time that they count by: it stands until `ms` is written.
 * Never: registers.
 *
 * Loads in a guest of qemu only.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>

#define MAX_PMUS 8
#define HALF_CLOCK 8		/* counters of the half clock, before those of the clock */
#define COUNTERS 10

static char *name[MAX_PMUS];
static int node[MAX_PMUS], names, nodes;
static int cpu;
static bool cpumask, parent;
static unsigned long ms;
static uint refused;
module_param_array(name, charp, &names, 0444);
MODULE_PARM_DESC(name, "of each PMU");
module_param_array(node, int, &nodes, 0444);
MODULE_PARM_DESC(node, "of the device of each, -1: the firmware says none");
module_param(cpu, int, 0444);
MODULE_PARM_DESC(cpu, "that serves all of them");
module_param(cpumask, bool, 0444);
MODULE_PARM_DESC(cpumask, "whether they show it");
module_param(parent, bool, 0444);
MODULE_PARM_DESC(parent, "whether the device is the parent of its PMU");
module_param(ms, ulong, 0644);
MODULE_PARM_DESC(ms, "the time, in milliseconds");
module_param(refused, uint, 0444);
MODULE_PARM_DESC(refused, "second events of a perf group");

struct controller {
	struct pmu pmu;
	struct platform_device *device;
	unsigned int index;
	unsigned long used[BITS_TO_LONGS(COUNTERS)];
};

static struct controller controllers[MAX_PMUS];

static struct controller *controller_of(const struct perf_event *e)
{
	return container_of(e->pmu, struct controller, pmu);
}

/* ---- files */

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return cpumap_print_to_pagebuf(true, page, cpumask_of(cpu));
}

static DEVICE_ATTR_RO(cpumask);
PMU_FORMAT_ATTR(mask, "config:0-44");
PMU_FORMAT_ATTR(match, "config1:0-44");
PMU_FORMAT_ATTR(invert, "config2:0");
PMU_FORMAT_ATTR(incr, "config2:1-2");
PMU_FORMAT_ATTR(event, "config2:3-8");
PMU_FORMAT_ATTR(clkdiv2, "config2:9");
PMU_EVENT_ATTR_STRING(clkdiv2_cycle_count, half_clock, "event=0x0,clkdiv2=0x1\n");
PMU_EVENT_ATTR_STRING(clkdiv2_rdwr, commands, "event=0x12,clkdiv2=0x1\n");
PMU_EVENT_ATTR_STRING(clk_cycle_count, clock, "event=0x0,clkdiv2=0x0\n");
PMU_EVENT_ATTR_STRING(clk_request, requests, "event=0x1,clkdiv2=0x0\n");

static struct attribute *formats[] = {
	&format_attr_mask.attr, &format_attr_match.attr, &format_attr_invert.attr,
	&format_attr_incr.attr, &format_attr_event.attr, &format_attr_clkdiv2.attr, NULL,
};
static struct attribute *events[] = {
	&half_clock.attr.attr, &commands.attr.attr, &clock.attr.attr, &requests.attr.attr, NULL,
};
static struct attribute *masks[] = { &dev_attr_cpumask.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = formats };
static const struct attribute_group event_group = { .name = "events", .attrs = events };
static const struct attribute_group mask_group = { .attrs = masks };
static const struct attribute_group *without_mask[] = { &format_group, &event_group, NULL };
static const struct attribute_group *with_mask[] = { &format_group, &event_group, &mask_group,
						     NULL };

/* ---- events */

static bool at_half_clock(const struct perf_event *e)
{
	return e->attr.config2 >> 9 & 1;
}

/* arm64.py has the same. What is inverted, masked or widened counts at another rate. */
static u32 shown(const struct perf_event *e)
{
	u64 rate = (10000u << controller_of(e)->index) + 10 * (e->attr.config2 >> 3 & 0x3f) +
		   at_half_clock(e);

	if (e->attr.config || e->attr.config1 || (e->attr.config2 & 7))
		rate += 1000000;
	return rate * READ_ONCE(ms);
}

static int event_init(struct perf_event *e)
{
	struct perf_event *sibling;

	if (e->attr.type != e->pmu->type)
		return -ENOENT;
	if (is_sampling_event(e) || e->attach_state & PERF_ATTACH_TASK)
		return -EOPNOTSUPP;
	e->cpu = cpu;
	if (e->group_leader != e && !is_software_event(e->group_leader))
		goto second;
	for_each_sibling_event(sibling, e->group_leader)
		if (sibling != e && !is_software_event(sibling))
			goto second;
	e->hw.idx = -1;
	return 0;
second:
	refused++;
	return -EINVAL;
}

static void event_read(struct perf_event *e)
{
	u32 now = shown(e), before = local64_xchg(&e->hw.prev_count, now);

	local64_add((u32)(now - before), &e->count);
}

static void event_start(struct perf_event *e, int how)
{
	e->hw.state = 0;
	local64_set(&e->hw.prev_count, shown(e));
}

static void event_stop(struct perf_event *e, int how)
{
	if (e->hw.state & PERF_HES_STOPPED)
		return;
	event_read(e);
	e->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int event_add(struct perf_event *e, int how)
{
	struct controller *c = controller_of(e);
	int i = at_half_clock(e) ? 0 : HALF_CLOCK, end = at_half_clock(e) ? HALF_CLOCK : COUNTERS;

	while (i < end && test_and_set_bit(i, c->used))
		i++;
	if (i == end)
		return -EAGAIN;
	e->hw.idx = i;
	e->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (how & PERF_EF_START)
		event_start(e, PERF_EF_RELOAD);
	return 0;
}

static void event_del(struct perf_event *e, int how)
{
	event_stop(e, PERF_EF_UPDATE);
	clear_bit(e->hw.idx, controller_of(e)->used);
}

/* ---- the machine */

/* Another CPU serves them, of whichever socket. */
static int cpu_goes(unsigned int gone)
{
	unsigned int next = cpumask_any_but(cpu_online_mask, gone);

	if (gone != cpu || next >= nr_cpu_ids)
		return 0;
	for (int i = 0; i < names; i++)
		perf_pmu_migrate_context(&controllers[i].pmu, gone, next);
	cpu = next;
	return 0;
}

static void controller_free(struct controller *c)
{
	perf_pmu_unregister(&c->pmu);
	platform_device_unregister(c->device);
}

/* The perf core of Linux 6.1 does not know a PMU's parent: the device of the PMU moves there. */
static int controller_make(struct controller *c, unsigned int index)
{
	char at[16];
	int r;

	snprintf(at, sizeof(at), "ARMHD620:%02x", index);
	c->index = index;
	c->device = platform_device_alloc(at, PLATFORM_DEVID_NONE);
	if (!c->device)
		return -ENOMEM;
	set_dev_node(&c->device->dev, node[index]);
	r = platform_device_add(c->device);
	if (r) {
		platform_device_put(c->device);
		return r;
	}
	c->pmu = (struct pmu) {
		.module = THIS_MODULE, .task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE, .event_init = event_init,
		.add = event_add, .del = event_del, .start = event_start, .stop = event_stop,
		.read = event_read, .attr_groups = cpumask ? with_mask : without_mask,
	};
	r = perf_pmu_register(&c->pmu, name[index], -1);
	if (r) {
		platform_device_unregister(c->device);
		return r;
	}
	if (parent)
		r = device_move(c->pmu.dev, &c->device->dev, DPM_ORDER_NONE);
	if (r)
		controller_free(c);
	return r;
}

static int hotplug;

static int __init dmc620_counts_init(void)
{
	int r = 0, n;

	if (!of_machine_is_compatible("linux,dummy-virt")) {
		pr_err("this is no guest of qemu; it invents counts, and is not loaded\n");
		return -ENODEV;
	}
	if (nodes != names || !cpu_online(cpu))
		return -EINVAL;
	for (n = 0; n < names && !r; n++)
		r = controller_make(&controllers[n], n);
	if (r)
		n--;
	else
		r = hotplug = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perf/dmc620:online",
							NULL, cpu_goes);
	while (r < 0 && n > 0)
		controller_free(&controllers[--n]);
	return r < 0 ? r : 0;
}

static void __exit dmc620_counts_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug);
	for (int i = 0; i < names; i++)
		controller_free(&controllers[i]);
}

module_init(dmc620_counts_init);
module_exit(dmc620_counts_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Memory controllers that count as they are told, in a guest of qemu");
