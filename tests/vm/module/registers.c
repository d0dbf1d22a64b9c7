// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * registers.c - counting registers, for the kernel's own drivers: those of a Skylake-SP for
 * intel-uncore, those of a Nehalem for that and for /dev/cpu/N/msr.
 *
 * Owns:  what stands in the registers of each made instance, on each socket; PCI buses with the
 *        devices that the driver probes; the drivers' reads and writes of MSRs.
 * Never: the kernel's PMUs: names, files and constraints are the driver's.
 *
 * What a counter counts follows from what stands in the control register, and in the filter where
 * the event has one: these are the bits of perf's config and config1 with this driver. A counter
 * counts while its enable bit is set, its box is not frozen, and the global control has its bit.
 *
 * The calls of intel-uncore for MSRs are bound to what pv_ops names when it is loaded: `registers
 * on` comes before that, and `registers off` after it, so that nobody else's calls come here. Those
 * of the msr driver are met where the kernel begins to serve them, by a kprobe.
 *
 * Addresses: Intel 336274, and Intel SDM volume 4 for Nehalem; Linux 6.1 arch/x86/events/intel,
 * uncore_snbep.c and uncore_snb.c.
 */
#include <linux/bits.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <asm/paravirt.h>

#include "counting.h"

#define CONTROL_RESET	BIT_ULL(17)	/* of the counter */
#define CONTROL_ENABLE	BIT_ULL(22)
#define BOX_RESET_CONTROL BIT_ULL(0)
#define BOX_RESET_COUNTERS BIT_ULL(1)
#define BOX_FREEZE	BIT_ULL(8)
#define WIDTH_MASK	(BIT_ULL(48) - 1)
#define COUNTERS	8

struct layout {
	const char *name;
	bool pci;
	unsigned int counters;
	u32 step;			/* MSRs from one instance to the next */
	u32 box, control, control_step, counter, filter, global;
};

static const struct layout layouts[] = {
	{ "ubox", false, 2, 0, 0, 0x705, 1, 0x709, 0 },
	{ "cha", false, 4, 0x10, 0xe00, 0xe01, 1, 0xe08, 0xe05 },
	{ "iio", false, 4, 0x20, 0xa40, 0xa48, 1, 0xa41, 0 },
	{ "irp", false, 2, 0x20, 0xa58, 0xa5b, 1, 0xa59, 0 },
	{ "pcu", false, 4, 0, 0x710, 0x711, 1, 0x717, 0 },
	{ "imc", true, 4, 0, 0xf4, 0xd8, 4, 0xa0, 0 },
	{ "m2m", true, 4, 0, 0x258, 0x228, 8, 0x200, 0 },
	{ "upi", true, 4, 0, 0x378, 0x350, 8, 0x318, 0 },
	{ "m2pcie", true, 4, 0, 0xf4, 0xd8, 4, 0xa0, 0 },
	{ "m3upi", true, 3, 0, 0xf4, 0xd8, 4, 0xa0, 0 },
	{ "uncore", false, 8, 0, 0, 0x3c0, 1, 0x3b0, 0, 0x391 },
};

struct side {			/* of an instance, on one socket */
	u64 box, filter, global, control[COUNTERS], value[COUNTERS];
	struct record *record[COUNTERS];
};

struct made {
	struct list_head node;
	const struct layout *layout;
	struct box *box;
	u64 since;		/* when the values were those */
	struct side side[MAX_DOMAINS];
};

static LIST_HEAD(made);

/* NAME INDEX: registers of that PMU of the driver, which counts as the family does. */
int do_made(char *words)
{
	struct made *m = kzalloc(sizeof(*m), GFP_KERNEL);
	const char *kind;

	if (!m)
		return -ENOMEM;
	m->box = box_described(words);
	if (IS_ERR(m->box))
		goto no;
	kind = strchr(m->box->pmu.name, '_');
	kind = kind ? kind + 1 : m->box->pmu.name;
	for (unsigned int i = 0; i < ARRAY_SIZE(layouts); i++) {
		size_t n = strlen(layouts[i].name);

		if (!strncmp(kind, layouts[i].name, n) && strchr("_", kind[n]))
			m->layout = &layouts[i];
	}
	if (!m->layout)
		goto no;
	list_add_tail(&m->node, &made);
	return 0;
no:
	kfree(m);
	return -EINVAL;
}

bool made_any(void)
{
	return !list_empty(&made);
}

static void count(struct made *m, unsigned int domain, u64 since, u64 until)
{
	struct side *s = &m->side[domain];

	for (unsigned int k = 0; k < m->layout->counters; k++) {
		u64 config[3] = { s->control[k] & ~CONTROL_ENABLE }, hertz, n;

		if (!(s->control[k] & CONTROL_ENABLE) || (s->box & BOX_FREEZE))
			continue;
		if (m->layout->global && !(s->global >> k & 1))
			continue;
		config[1] = heard(m->box->family, config[0], s->filter);
		hertz = hertz_of(m->box, domain, config);
		n = mul_u64_u64_div_u64(hertz, until, NSEC_PER_SEC) -
		    mul_u64_u64_div_u64(hertz, since, NSEC_PER_SEC);
		s->value[k] = (s->value[k] + n) & WIDTH_MASK;
		if (s->record[k])
			s->record[k]->count += n;
	}
}

static void control_written(struct made *m, unsigned int domain, unsigned int k, u64 v)
{
	struct side *s = &m->side[domain];

	if (v & CONTROL_RESET)
		s->value[k] = 0;
	if (s->record[k])
		s->record[k]->open = false;
	s->record[k] = NULL;
	s->control[k] = v & ~CONTROL_RESET;
	if (v & CONTROL_ENABLE) {
		s->record[k] = record_again(m->box, domain, s->control[k] & ~CONTROL_ENABLE,
					    s->filter, 0);
		clock_added();
	}
}

static void box_written(struct made *m, unsigned int domain, u64 v)
{
	struct side *s = &m->side[domain];

	for (unsigned int k = 0; k < m->layout->counters; k++) {
		if (v & BOX_RESET_CONTROL)
			control_written(m, domain, k, 0);
		if (v & BOX_RESET_COUNTERS)
			s->value[k] = 0;
	}
	s->box = v & ~(BOX_RESET_CONTROL | BOX_RESET_COUNTERS);
}

/* One register of an instance, by its address in the first one; false: it has none there. */
static bool access(struct made *m, unsigned int domain, u32 at, u64 *v, bool write)
{
	const struct layout *l = m->layout;
	struct side *s = &m->side[domain];
	u64 t = now();

	for (unsigned int d = 0; d < m->box->family->n_domains; d++)
		count(m, d, m->since, t);
	m->since = t;
	if (l->box && at == l->box) {
		if (write)
			box_written(m, domain, *v);
		*v = s->box;
		return true;
	}
	if (l->global && at == l->global) {
		if (write)
			s->global = *v;
		*v = s->global;
		return true;
	}
	if (l->filter && (at == l->filter || at == l->filter + 1)) {
		unsigned int shift = at == l->filter ? 0 : 32;

		if (write)
			s->filter = (s->filter & ~(0xffffffffULL << shift)) | (u64)(u32)*v << shift;
		*v = (u32)(s->filter >> shift);
		return true;
	}
	for (unsigned int k = 0; k < l->counters; k++) {
		u32 counter = l->counter + k * (l->pci ? 8 : 1);

		if (at == l->control + k * l->control_step) {
			if (write)
				control_written(m, domain, k, *v);
			*v = s->control[k];
			return true;
		}
		if (at != counter && !(l->pci && at == counter + 4))
			continue;
		if (at == counter && !write)
			clock_read();
		if (write && !l->pci)
			s->value[k] = *v & WIDTH_MASK;
		*v = at == counter ? s->value[k] : s->value[k] >> 32;
		return true;
	}
	return false;
}

/* MSRs */

static u64 (*other_read)(unsigned int msr);
static void (*other_write)(unsigned int msr, unsigned int low, unsigned int high);

static bool msr_access(unsigned int cpu, unsigned int msr, u64 *v, bool write)
{
	unsigned long flags;
	bool found = false;
	struct made *m;

	raw_spin_lock_irqsave(&lock, flags);
	list_for_each_entry(m, &made, node) {
		int domain = domain_of(m->box->family, cpu);

		if (!found && !m->layout->pci && domain >= 0)
			found = access(m, domain, msr - m->box->index * m->layout->step, v, write);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return found;
}

static u64 msr_read(unsigned int msr)
{
	u64 v = 0;

	return msr_access(raw_smp_processor_id(), msr, &v, false) ? v : other_read(msr);
}

static void msr_write(unsigned int msr, unsigned int low, unsigned int high)
{
	u64 v = (u64)high << 32 | low;

	if (!msr_access(raw_smp_processor_id(), msr, &v, true))
		other_write(msr, low, high);
}

static noinline int done(void)
{
	return 0;
}

/* In place of the function that begins here. The stack stays: a kprobe that stands on a call of
 * ftrace cannot move it. */
static int leave(struct pt_regs *r)
{
	r->ip = (unsigned long)done;
	return 1;
}

/* rdmsr_safe_on_cpu(cpu, msr, low, high) */
static int on_read(struct kprobe *p, struct pt_regs *r)
{
	u64 v;

	if (!msr_access(r->di, r->si, &v, false))
		return 0;
	*(u32 *)r->dx = v;
	*(u32 *)r->cx = v >> 32;
	return leave(r);
}

/* wrmsr_safe_on_cpu(cpu, msr, low, high) */
static int on_write(struct kprobe *p, struct pt_regs *r)
{
	u64 v = r->cx << 32 | (u32)r->dx;

	return msr_access(r->di, r->si, &v, true) ? leave(r) : 0;
}

/* A kprobe that has one is allowed to leave. */
static void after(struct kprobe *p, struct pt_regs *r, unsigned long flags)
{
}

static struct kprobe probes[] = {
	{ .symbol_name = "rdmsr_safe_on_cpu", .pre_handler = on_read, .post_handler = after },
	{ .symbol_name = "wrmsr_safe_on_cpu", .pre_handler = on_write, .post_handler = after },
};

/* PCI: a bus for each socket, in a domain of its own, where no other bus is */

static const struct function {
	u16 id;
	u8 device, function;
	const char *kind;
	unsigned int index;
} functions[] = {
	{ 0x2014, 0, 0, "socket" }, { 0x2083, 30, 3, "capabilities" },
	{ 0x2066, 8, 0, "m2m", 0 }, { 0x2066, 9, 0, "m2m", 1 },
	{ 0x2042, 10, 2, "imc", 0 }, { 0x2046, 10, 6, "imc", 1 }, { 0x204a, 11, 2, "imc", 2 },
	{ 0x2042, 12, 2, "imc", 3 }, { 0x2046, 12, 6, "imc", 4 }, { 0x204a, 13, 2, "imc", 5 },
	{ 0x2058, 14, 0, "upi", 0 }, { 0x2058, 15, 0, "upi", 1 }, { 0x2058, 16, 0, "upi", 2 },
	{ 0x204d, 18, 1, "m3upi", 0 }, { 0x204e, 18, 2, "m3upi", 1 }, { 0x204d, 18, 5, "m3upi", 2 },
	{ 0x2088, 21, 1, "m2pcie", 0 }, { 0x2088, 22, 1, "m2pcie", 1 },
	{ 0x2088, 23, 1, "m2pcie", 2 }, { 0x2088, 21, 5, "m2pcie", 3 },
};
/* The first function of a device that has others. */
static const struct function placeholder = { 0x2040, 0, 0, "" };

struct socket {
	struct pci_sysdata sysdata;
	struct resource numbers;
	unsigned int domain;
};

static const struct function *function_at(unsigned int devfn)
{
	const struct function *f = NULL;

	for (unsigned int i = 0; i < ARRAY_SIZE(functions); i++) {
		if (functions[i].device != PCI_SLOT(devfn))
			continue;
		if (functions[i].function == PCI_FUNC(devfn))
			return &functions[i];
		f = PCI_FUNC(devfn) ? NULL : &placeholder;
	}
	return f;
}

static struct made *made_by(const struct function *f)
{
	struct made *m;

	list_for_each_entry(m, &made, node)
		if (!strcmp(m->layout->name, f->kind) && m->box->index == f->index)
			return m;
	return NULL;
}

static unsigned int chas(void)
{
	unsigned int n = 0;
	struct made *m;

	list_for_each_entry(m, &made, node)
		n += !strcmp(m->layout->name, "cha");
	return n;
}

/* The registers that say what it is, and of which socket. */
static u32 header(const struct function *f, const struct socket *s, int where)
{
	switch (where) {
	case PCI_VENDOR_ID:
		return (u32)f->id << 16 | PCI_VENDOR_ID_INTEL;
	case PCI_CLASS_REVISION:
		return PCI_CLASS_SYSTEM_OTHER << 16;
	case PCI_CACHE_LINE_SIZE:
		return PCI_HEADER_TYPE_NORMAL << 16 | 0x80 << 16;	/* several functions */
	case 0xc0:		/* CPUNODEID */
		return !strcmp(f->kind, "socket") ? s->domain : 0;
	case 0xd4:		/* GIDNIDMAP: node n is socket n */
		return !strcmp(f->kind, "socket") ? 1 << 3 : 0;
	case 0x9c:		/* CAPID6: a bit for each CHA */
		return !strcmp(f->kind, "capabilities") ? (1U << chas()) - 1 : 0;
	}
	return 0;
}

static u32 pci_access(struct pci_bus *bus, const struct function *f, int where, u64 v, bool write)
{
	const struct socket *s = container_of(bus->sysdata, struct socket, sysdata);
	struct made *m = made_by(f);
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&lock, flags);
	found = m && access(m, s->domain, where, &v, write);
	raw_spin_unlock_irqrestore(&lock, flags);
	return found ? v : header(f, s, where);
}

static int pci_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *ret)
{
	const struct function *f = function_at(devfn);

	*ret = f ? pci_access(bus, f, where & ~3, 0, false) >> 8 * (where & 3) : ~0U;
	if (size < 4)
		*ret &= (1U << 8 * size) - 1;
	return f ? PCIBIOS_SUCCESSFUL : PCIBIOS_DEVICE_NOT_FOUND;
}

static int pci_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 v)
{
	const struct function *f = function_at(devfn);

	if (f && size == 4)
		pci_access(bus, f, where, v, true);
	return f ? PCIBIOS_SUCCESSFUL : PCIBIOS_DEVICE_NOT_FOUND;
}

static struct pci_ops pci_ops = { .read = pci_read, .write = pci_write };

static int bus_new(unsigned int domain)
{
	struct socket *s = kzalloc(sizeof(*s), GFP_KERNEL);
	LIST_HEAD(resources);
	struct pci_bus *bus;

	if (!s)
		return -ENOMEM;
	s->sysdata.domain = 1;
	s->sysdata.node = NUMA_NO_NODE;
	s->domain = domain;
	s->numbers = (struct resource){
		.name = "made up", .flags = IORESOURCE_BUS,
		.start = 0x20 * (domain + 1), .end = 0x20 * (domain + 1) + 0x1f,
	};
	pci_add_resource(&resources, &s->numbers);
	bus = pci_scan_root_bus(NULL, s->numbers.start, &pci_ops, &s->sysdata, &resources);
	if (!bus)
		return -EIO;
	pci_bus_add_devices(bus);
	return 0;
}

/* on SOCKETS with PCI devices, or off: for drivers that are loaded from then on. The module stays
 * for as long as calls may come here. */
int do_registers(char *words)
{
	unsigned int sockets;
	int r = 0;

	if (!strcmp(words, "off") && other_read) {
		pv_ops.cpu.read_msr = other_read;
		pv_ops.cpu.write_msr = other_write;
		return 0;
	}
	if (sscanf(words, "on %u", &sockets) != 1 || other_read || sockets > MAX_DOMAINS)
		return -EINVAL;
	__module_get(THIS_MODULE);
	for (unsigned int d = 0; d < sockets && !r; d++)
		r = bus_new(d);
	for (unsigned int i = 0; i < ARRAY_SIZE(probes) && !r; i++)
		r = register_kprobe(&probes[i]);
	other_read = pv_ops.cpu.read_msr;
	other_write = pv_ops.cpu.write_msr;
	pv_ops.cpu.read_msr = msr_read;
	pv_ops.cpu.write_msr = msr_write;
	return r;
}
