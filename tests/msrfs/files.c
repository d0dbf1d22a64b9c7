/* SPDX-License-Identifier: MIT
 * What is in the files.
 * Owns:  the texts, as they are when a file is opened; reading and writing registers as device
 *        files do, and the log of the writes.
 * Never: what a register does (model/), which files there are (tree.c).
 */
#include "msrfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct file {
	struct node node;
	struct strb text;
};

/* --- texts --- */

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
			strb_addf(b, "processor\t: %u\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
				  "model\t\t: %u\n"
				  "model name\t: Intel(R) Xeon(R) CPU %s\nstepping\t: 6\n"
				  "physical id\t: %u\n"
				  "siblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\n"
				  "flags\t\t: msr tsc\n\n",
				  cpu, cpus[which].model, cpus[which].name, cpu / fs.cores,
				  fs.cores, cpu % fs.cores, fs.cores);
}

/* Every counter that is enabled or has ever counted: SOCKET ADDR TRUTH RATE. */
static void text_truth(struct strb *b)
{
	struct reg v[256];
	size_t n = model_counters(fs.model, v, sizeof(v) / sizeof(v[0]));

	for (unsigned s = 0; s < fs.sockets; s++)
		for (size_t i = 0; i < n; i++) {
			uint64_t truth = model_truth(fs.model, s, v[i]);

			if (truth || model_counting(fs.model, s, v[i]))
				strb_addf(b, "%u %s %llu %.3f\n", s, reg_text(v[i]).s,
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

static void text_make(struct strb *b, const struct node *n)
{
	unsigned cpu = n->cpu;

	switch (n->kind) {
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
	case PCI_VENDOR: strb_add(b, "0x8086\n"); break;
	case PCI_DEVICE: strb_addf(b, "0x%04x\n", n->fn.id); break;
	default: break;                         /* registers and control have no text */
	}
}

/* --- MSRs: 8 bytes at the register's number --- */

struct reg msr_reg(uint64_t addr)
{
	return (struct reg){ .space = SPACE_MSR, .bytes = 8, .off = (uint32_t)addr };
}

static int msr_pread(unsigned cpu, char *buf, size_t size, off_t off)
{
	uint64_t v;
	int r;

	if (size != sizeof(v))
		return -EINVAL;
	r = model_cpu_read(fs.model, cpu, msr_reg((uint64_t)off), &v);
	if (r < 0)
		return r;
	memcpy(buf, &v, sizeof(v));
	return sizeof(v);
}

int msr_write(unsigned cpu, uint64_t addr, uint64_t value, const char *by)
{
	int r = model_cpu_write(fs.model, cpu, msr_reg(addr), value);

	if (r == 0)
		strb_addf(&fs.log, "%u %u 0x%llx 0x%llx%s\n", cpu / fs.cores, cpu,
			  (unsigned long long)addr,
			  (unsigned long long)value, by);
	return r;
}

static int msr_pwrite(unsigned cpu, const char *buf, size_t size, off_t off)
{
	uint64_t v;
	int r;

	if (size != sizeof(v))
		return -EINVAL;
	memcpy(&v, buf, sizeof(v));
	r = msr_write(cpu, (uint64_t)off, v, "");
	return r < 0 ? r : (int)size;
}

/* --- PCI configuration space: words of 4 bytes --- */

static struct reg pci_word(const struct node *n, off_t off)
{
	return (struct reg){ .space = SPACE_PCI, .bytes = 4, .dev = n->fn.dev, .fn = n->fn.fn,
			     .off = (uint32_t)off };
}

/* Whole words, as many as are asked for. */
static int pci_pread(const struct node *n, char *buf, size_t size, off_t off)
{
	size_t done = 0;

	if (off % 4 || size % 4)
		return -EINVAL;
	for (; done < size && off + (off_t)done < 4096; done += 4) {
		uint64_t v = 0;
		uint32_t word;
		int r = model_read(fs.model, n->socket, pci_word(n, off + (off_t)done), &v);

		if (r < 0 && size == 4 && off < 0x300)
			return r;
		word = (uint32_t)v;
		memcpy(buf + done, &word, sizeof(word));
	}
	return (int)done;
}

static int pci_pwrite(const struct node *n, const char *buf, size_t size, off_t off)
{
	uint32_t word;
	int r;

	if (off % 4 || size != 4)
		return -EINVAL;
	memcpy(&word, buf, sizeof(word));
	r = model_write(fs.model, n->socket, pci_word(n, off), word);
	if (r == 0)
		strb_addf(&fs.log, "%u - %u:%u+0x%llx 0x%x\n", n->socket, n->fn.dev, n->fn.fn,
			  (unsigned long long)off, word);
	return r < 0 ? r : 4;
}

/* --- open files --- */

int file_open(const struct node *n, struct file **ret)
{
	struct file *f;

	if (n->kind == DIR_NODE)
		return -EISDIR;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->node = *n;
	strb_init(&f->text, LOG_MAX);
	text_make(&f->text, n);
	*ret = f;
	return 0;
}

int file_read(const struct file *f, char *buf, size_t size, off_t off)
{
	if (f->node.kind == MSR)
		return msr_pread(f->node.cpu, buf, size, off);
	if (f->node.kind == PCI_CONFIG)
		return pci_pread(&f->node, buf, size, off);
	if (f->text.failed)
		return -ENOMEM;
	if ((uint64_t)off >= f->text.n)
		return 0;
	if (size > f->text.n - (size_t)off)
		size = f->text.n - (size_t)off;
	memcpy(buf, f->text.s + off, size);
	return (int)size;
}

int file_write(const struct file *f, const char *buf, size_t size, off_t off)
{
	switch (f->node.kind) {
	case CONTROL: return control_write(buf, size);
	case MSR: return msr_pwrite(f->node.cpu, buf, size, off);
	case PCI_CONFIG: return pci_pwrite(&f->node, buf, size, off);
	default: return -EACCES;
	}
}

void file_close(struct file *f)
{
	strb_done(&f->text);
	free(f);
}
