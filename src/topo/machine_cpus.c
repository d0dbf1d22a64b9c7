/* SPDX-License-Identifier: MIT
 * CPUs, the processor and its kernel.
 */
#include "topo/machine_lines.h"

#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS        "devices/system/cpu"

/* What a line of CPUs says of all of them. */
struct cpu_line {
	const char *cpus, *cores, *llc, *llc_size;
	struct cpu cpu;
};

static bool is_size(const char *word)
{
	size_t n = strspn(word, "0123456789");

	return n && n < 10 && (word[n] == 'K' || word[n] == 'M') && !word[n + 1];
}

/* "llc", "llc 0-11", "llc 0-11 33792K": both may be left out, and another word may come. */
static char *take_llc(struct reading *rd, struct cpu_line *l)
{
	char *word = line_word(rd);

	l->llc = l->cpus;
	if (word && *word >= '0' && *word <= '9' && !is_size(word)) {
		if (!line_check_cpus(rd, word))
			return NULL;
		l->llc = word;
		word = line_word(rd);
	}
	if (word && is_size(word)) {
		l->llc_size = word;
		word = line_word(rd);
	}
	return word;
}

static struct cpu_range ranges_of(const char *list)
{
	return (struct cpu_range){ list, 0, 0 };
}

/* Core ids need not ascend: "0,4,1,5". As num_next_range(). */
static int next_ids(struct cpu_range *r)
{
	r->end = 0;
	return num_next_range(r, TOPO_CPUS_MAX - 1);
}

static bool check_cores(struct reading *rd, const char *list)
{
	struct cpu_range range = ranges_of(list);
	int r;

	do
		r = next_ids(&range);
	while (r > 0);
	return r == 0 || line_wrong(rd, "'%.60s' is no list of core ids below %d, such as 0-3,8 or "
				    "0,4,1,5", list, TOPO_CPUS_MAX);
}

static bool take_cpu_words(struct reading *rd, struct cpu_line *l)
{
	size_t before = diags_count(rd->d);
	char *word = line_word(rd);
	bool socket = false, good = true;

	while (word && good) {
		bool taken = false;

		if (strcmp(word, "socket") == 0) {
			good = line_unsigned(rd, "socket", INT32_MAX, &l->cpu.socket);
			socket = true;
		} else if (strcmp(word, "die") == 0) {
			good = line_unsigned(rd, "die", INT32_MAX, &l->cpu.die);
			l->cpu.has_die = true;
		} else if (strcmp(word, "node") == 0) {
			good = line_unsigned(rd, "node", MACHINE_NODES_MAX - 1, &l->cpu.node);
			l->cpu.has_node = true;
		} else if (strcmp(word, "core") == 0) {
			l->cores = line_word(rd);
			good = l->cores && check_cores(rd, l->cores);
		} else if (strcmp(word, "llc") == 0) {
			word = take_llc(rd, l);
			taken = true;
		} else {
			return line_wrong(rd,
					  "'%.60s' is nothing that a line of CPUs says: cpu 0-3 "
					  "socket 0 [die 1] [core 0-3] [node 1] [llc]",
					  word);
		}
		word = taken ? word : line_word(rd);
	}
	if (diags_count(rd->d) != before)
		return false;
	return socket || line_wrong(rd, "the line does not say the socket: cpu 0-3 socket 0");
}

/* The core ids of a line, one after the other, from the first again. */
struct core_ids {
	const char *list;
	struct cpu_range range;
	unsigned next;
};

static unsigned next_core(struct reading *rd, struct core_ids *c)
{
	if (!c->list)
		return rd->cores++;
	while (c->next >= c->range.end || !c->range.end) {
		if (next_ids(&c->range) <= 0) {
			c->range = ranges_of(c->list);
			next_ids(&c->range);
		}
		c->next = c->range.first;
	}
	return c->next++;
}

bool machine_take_cpus(struct reading *rd)
{
	struct cpu_line l = { .cpus = line_word(rd), .cpu.known = true };
	const char *at = rd->line.word;
	struct core_ids ids;
	struct cpu_range range;
	bool anew;

	if (!l.cpus)
		return line_wrong(rd, "here CPUs are expected: cpu 0-3 socket 0");
	if (!line_check_cpus(rd, l.cpus) || !take_cpu_words(rd, &l))
		return false;
	if (!line_may_say(rd, &rd->cpus_said, &anew))
		return true;
	if (anew) {
		memset(rd->cpus, 0, TOPO_CPUS_MAX * sizeof(*rd->cpus));
		rd->cores = 0;
	}
	rd->cpus_line = rd->line;
	rd->cpus_line.word = at;
	l.cpu.llc = l.llc;
	l.cpu.llc_size = l.llc_size;
	ids = (struct core_ids){ .list = l.cores, .range = { l.cores, 0, 0 } };
	for (range = ranges_of(l.cpus); num_next_range(&range, TOPO_CPUS_MAX - 1) > 0;)
		for (unsigned i = range.first; i < range.end; i++) {
			rd->line.word = at;
			if (rd->cpus[i].known)
				return line_wrong(rd, "CPU %u has a line already; name it once", i);
			rd->cpus[i] = l.cpu;
			rd->cpus[i].core = next_core(rd, &ids);
		}
	return true;
}

bool machine_take_offline(struct reading *rd)
{
	const char *list = line_word(rd);

	if (!list)
		return line_wrong(rd, "here CPUs are expected: offline 12-15");
	if (!line_check_cpus(rd, list))
		return false;
	rd->offline = list;
	return line_done(rd);
}

bool machine_take_msr(struct reading *rd)
{
	rd->msr |= !rd->depth;
	return line_done(rd);
}

static void put_cpu_text(struct reading *rd, unsigned cpu, const char *file, const char *text)
{
	machine_put_text(rd, arena_printf(rd->m->arena, CPUS "/cpu%u/%s", cpu, file), text);
}

static void put_cpu_number(struct reading *rd, unsigned cpu, const char *file, unsigned value)
{
	put_cpu_text(rd, cpu, file, arena_printf(rd->m->arena, "%u", value));
}

typedef bool same_fn(const struct cpu *a, const struct cpu *b);

static bool same_machine(const struct cpu *a, const struct cpu *b)
{
	(void)a, (void)b;
	return true;
}

static bool same_node(const struct cpu *a, const struct cpu *b)
{
	return a->has_node && b->has_node && a->node == b->node;
}

static bool same_socket(const struct cpu *a, const struct cpu *b)
{
	return a->socket == b->socket;
}

static bool same_die(const struct cpu *a, const struct cpu *b)
{
	return same_socket(a, b) && a->has_die && b->has_die && a->die == b->die;
}

/* The CPUs that share something with c, as a list: "0-3,8". */
static const char *list_of(struct reading *rd, same_fn *same, const struct cpu *c)
{
	const struct cpu *v = rd->cpus;
	char *text = rd->list, *end = text;

	for (unsigned i = 0, last; i < TOPO_CPUS_MAX; i = last + 1) {
		last = i;
		if (!v[i].known || !same(&v[i], c))
			continue;
		while (last + 1 < TOPO_CPUS_MAX && v[last + 1].known && same(&v[last + 1], c))
			last++;
		end += sprintf(end, last > i ? "%s%u-%u" : "%s%u", end > text ? "," : "", i, last);
	}
	return text;
}

/* Linux has the list at each of these CPUs. Whoever has read the first one's needs no other. */
static void put_shared(struct reading *rd, unsigned cpu, const char *file, same_fn *same)
{
	for (unsigned i = 0; i < cpu; i++)
		if (rd->cpus[i].known && same(&rd->cpus[i], &rd->cpus[cpu]))
			return;
	put_cpu_text(rd, cpu, file, list_of(rd, same, &rd->cpus[cpu]));
}

/* Numbers of CPUs are made into a text once; most CPUs have the cache of their neighbours. */
void machine_put_cpus(struct reading *rd)
{
	bool noted[MACHINE_NODES_MAX] = { false };
	struct arena *a = rd->m->arena;

	for (unsigned i = 0; i < TOPO_CPUS_MAX && !rd->over; i++) {
		const struct cpu *c = &rd->cpus[i];

		if (!c->known)
			continue;
		if (rd->msr)
			machine_put(rd, arena_printf(a, "cpu/%u/msr", i), "", 0, false);
		put_cpu_number(rd, i, "topology/physical_package_id", c->socket);
		put_shared(rd, i, "topology/package_cpus_list", same_socket);
		put_cpu_number(rd, i, "topology/core_id", c->core);
		if (c->has_die) {
			put_cpu_number(rd, i, "topology/die_id", c->die);
			put_shared(rd, i, "topology/die_cpus_list", same_die);
		}
		if (c->llc)
			put_cpu_text(rd, i, "cache/index3/shared_cpu_list", c->llc);
		if (c->llc_size)
			put_cpu_text(rd, i, "cache/index3/size", c->llc_size);
		if (c->has_node && !noted[c->node]) {
			noted[c->node] = true;
			machine_put_text(
				rd, arena_printf(a, "devices/system/node/node%u/cpulist", c->node),
				list_of(rd, same_node, c));
		}
	}
	machine_put_text(rd, CPUS "/online", list_of(rd, same_machine, NULL));
	if (!rd->offline)
		return;
	for (struct cpu_range r = ranges_of(rd->offline);
	     num_next_range(&r, TOPO_CPUS_MAX - 1) > 0;)
		for (unsigned i = r.first; i < r.end; i++)
			rd->cpus[i].known = true;
	machine_put_text(rd, CPUS "/present", list_of(rd, same_machine, NULL));
}

/* ------------------------------------------------------------------ the processor */

bool machine_take_cpuinfo(struct reading *rd)
{
	const char *vendor = line_word(rd), *a = line_word(rd), *b = line_word(rd);
	const char *stepping = b ? line_word(rd) : NULL;
	bool anew;

	if (!b)
		return line_wrong(rd, "vendor, family, model and stepping are expected: cpuinfo "
				      "GenuineIntel 6 143 8, or cpuinfo arm 0x41 0xd0c");
	if (!line_done(rd))
		return false;
	if (!line_may_say(rd, &rd->cpuinfo, &anew))
		return true;
	rd->vendor = vendor;
	rd->family = a;
	rd->model = b;
	rd->stepping = stepping ?: "0";
	return true;
}

/* Of the first text alone: names and flags are those of one machine. */
bool machine_take_model(struct reading *rd)
{
	const char *name = line_rest(rd);

	if (!*name)
		return line_wrong(rd,
				  "here cpuinfo's model name is expected: model Intel(R) Xeon(R) "
				  "Gold 6148");
	if (!rd->depth)
		rd->model_name = name;
	return true;
}

bool machine_take_flags(struct reading *rd)
{
	for (const char *w; (w = line_word(rd));)
		if (!rd->depth)
			rd->flags = rd->flags ? arena_printf(rd->m->arena, "%s %s", rd->flags, w) :
				    w;
	return true;
}

void machine_put_cpuinfo(struct reading *rd)
{
	struct arena *a = rd->m->arena;
	const char *name = rd->model_name ? arena_printf(a, "model name\t: %s\n", rd->model_name) :
			   "";
	const char *flags = rd->flags ? arena_printf(a, "flags\t\t: %s\n", rd->flags) : "";

	if (!rd->vendor)
		machine_put_text(rd, "cpuinfo",
				 arena_printf(a, "processor\t: 0\n%s%s", name, flags));
	else if (strcmp(rd->vendor, "arm") == 0)
		machine_put_text(rd, "cpuinfo",
				 arena_printf(a,
					      "processor\t: 0\n%s%sCPU implementer\t: "
					      "%s\nCPU architecture: 8\nCPU part\t: %s",
					      name, flags, rd->family, rd->model));
	else
		machine_put_text(rd, "cpuinfo",
				 arena_printf(a,
					      "processor\t: 0\nvendor_id\t: %s\n"
					      "cpu family\t: %s\nmodel\t\t: %s\n%s"
					      "stepping\t: %s\n%s",
					      rd->vendor, rd->family, rd->model, name, rd->stepping,
					      flags));
}

bool machine_take_release(struct reading *rd)
{
	const char *release = line_word(rd);
	bool anew;

	if (!release)
		return line_wrong(rd, "here the kernel's release is expected: release 6.12.0");
	if (line_may_say(rd, &rd->release, &anew))
		rd->kernel = release;
	return line_done(rd);
}
