/* SPDX-License-Identifier: MIT
 * PMU and the lines below it: instances, their files, and what their hardware has.
 */
#include "topo/machine_lines.h"

#include "base/bits.h"
#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "bus/event_source/devices"

/* The directory of an instance's PMU. */
static const char *directory_of(struct reading *rd, unsigned i)
{
	const struct instances *p = &rd->pmu;

	return arena_printf(rd->m->arena, DEVICES "/%s%s", p->name, p->instance[i]);
}

/* The text with the instance's number for "{}". */
static char *filled(struct reading *rd, const char *text, unsigned i)
{
	const char *hole = strstr(text, "{}");

	if (!hole)
		return arena_text(rd->m->arena, text);
	return arena_printf(rd->m->arena, "%.*s%s%s", (int)(hole - text), text,
			    rd->pmu.instance[i], hole + 2);
}

/* A file of each instance; shared: of the first alone, to which the others point. */
static bool put_of_pmus(struct reading *rd, const char *file, const char *text, bool shared)
{
	if (shared && !line_may_hold(rd, strlen(file) + strlen(text), rd->pmu.n - 1))
		return false;
	for (unsigned i = 0; i < (shared ? 1 : rd->pmu.n) && !rd->over; i++) {
		const char *path = arena_printf(rd->m->arena, "%s/%s", directory_of(rd, i), file);
		char *content = arena_printf(rd->m->arena, "%s\n", filled(rd, text, i));

		machine_put(rd, path, content, machine_decode(content), false);
	}
	return !rd->over;
}

/* A file of format/ or events/, which has room for so many. */
static bool put_term(struct reading *rd, const char *file, const char *text)
{
	bool event = *file == 'e';
	unsigned *n = event ? &rd->pmu.n_events : &rd->pmu.n_format;

	if (*n == TOPO_TERMS_MAX)
		return line_wrong(rd,
				  "this is file %d of %s of the PMU, and uncored reads no PMU with "
				  "more than %d; remove some",
				  TOPO_TERMS_MAX + 1, event ? "events/" : "format/",
				  TOPO_TERMS_MAX);
	++*n;
	return put_of_pmus(rd, file, text, true);
}

/* ------------------------------------------------------------------ PMUs */

/* The directories of the instances; with a device they are below it, as the kernel shows them. */
void machine_begin_pmus(struct reading *rd)
{
	struct instances *p = &rd->pmu;
	struct arena *a = rd->m->arena;
	const char *up = p->device ? "../../../../" DEVICES : "..";

	if (p->made)
		return;
	p->made = true;
	for (unsigned i = 0; i < p->n; i++) {
		const char *path = directory_of(rd, i), *device = NULL;

		if (p->device) {
			device = filled(rd, p->device, i);
			machine_put_text(rd,
					 arena_printf(a, "devices/platform/%s/numa_node", device),
					 p->node);
			machine_put_text(rd,
					 arena_printf(a, "devices/platform/%s/%s%s/type", device,
						      p->name, p->instance[i]),
					 arena_printf(a, "%u", p->type + i));
			machine_put_link(rd, path,
					 arena_printf(a, "../../../devices/platform/%s/%s%s",
						      device, p->name, p->instance[i]));
		} else {
			machine_put_text(rd, arena_printf(a, "%s/type", path),
					 arena_printf(a, "%u", p->type + i));
		}
		if (p->mask)
			machine_put_text(rd, arena_printf(a, "%s/cpumask", path), p->mask);
		if (!i)
			continue;
		machine_put_link(rd, arena_printf(a, "%s/format", path),
				 arena_printf(a, "%s/%s%s/format", up, p->name, p->instance[0]));
		machine_put_link(rd, arena_printf(a, "%s/events", path),
				 arena_printf(a, "%s/%s%s/events", up, p->name, p->instance[0]));
	}
}

static unsigned family_of(struct machine_text *m, const char *name)
{
	size_t n = strlen(name);
	struct machine_family *f;

	n -= n > 1 && name[n - 1] == '_';
	for (unsigned i = 0; i < m->n_families; i++)
		if (strlen(m->families[i].name) == n && strncmp(m->families[i].name, name, n) == 0)
			return i;
	f = ARENA_ADD(m->arena, m->families, m->n_families);
	f->name = arena_text_n(m->arena, name, n);
	return m->n_families - 1;
}

/* By this text: what it says of a PMU of a machine that it is like is added to that. */
static bool is_named(const struct reading *rd, const char *name)
{
	for (unsigned i = 0; i < rd->m->n_pmus; i++)
		if (rd->pmu_text[i] == rd->text && strcmp(rd->m->pmus[i].name, name) == 0)
			return true;
	return false;
}

static bool add_instance(struct reading *rd, const char *instance)
{
	struct instances *p = &rd->pmu;
	const char *name = arena_printf(rd->m->arena, "%s%s", p->name, instance);
	struct machine_pmu *pmu;

	if (!line_check_plain(rd, name, "name of a PMU"))
		return false;
	if (rd->m->n_pmus == TOPO_PMUS_MAX)
		return line_wrong(rd,
				  "there are more than %d PMUs, and uncored reads no more of a "
				  "machine; remove some",
				  TOPO_PMUS_MAX);
	if (is_named(rd, name))
		return line_wrong(rd,
				  "the PMU '%.60s' has a line already; write its files below that "
				  "one", name);
	rd->pmu_text[rd->m->n_pmus] = rd->text;
	pmu = ARENA_ADD(rd->m->arena, rd->m->pmus, rd->m->n_pmus);
	*pmu = (struct machine_pmu){ .name = (char *)name, .family = p->family };
	p->instance = arena_grow(rd->m->arena, p->instance, p->n, sizeof(*p->instance));
	p->instance[p->n++] = instance;
	return true;
}

/* "0-3,8", or addresses: "8c000,10008c000". */
static bool add_instances(struct reading *rd, char *list)
{
	char *save = NULL;

	for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		struct cpu_range range = { w, 0, 0 };

		if (!strchr(w, '-') || num_next_range(&range, INT32_MAX - 1) <= 0) {
			if (!add_instance(rd, w))
				return false;
			continue;
		}
		for (unsigned i = range.first; i < range.end; i++)
			if (!add_instance(rd, arena_printf(rd->m->arena, "%u", i)))
				return false;
	}
	return rd->pmu.n || line_wrong(rd, "there is no instance between { and }: write {0-3,5}");
}

/* "type=12" */
static char *value_of(struct reading *rd, const char *key)
{
	char *word = line_word(rd);
	size_t n = strlen(key);

	if (word && strncmp(word, key, n) == 0 && word[n] == '=')
		return word + n + 1;
	line_wrong(rd, "here %s= is expected: PMU uncore_imc_{0-1} type=12 cpumask=0,4", key);
	return NULL;
}

bool machine_take_pmu(struct reading *rd)
{
	struct instances *p = &rd->pmu;
	char *name = line_word(rd), *list = name ? strchr(name, '{') : NULL, *close, *type, *mask;
	uint64_t number;

	*p = (struct instances){ 0 };
	if (!name)
		return line_wrong(rd, "the name of a PMU is missing: PMU uncore_imc_{0-1} type=12 "
				      "cpumask=0,4");
	close = list ? strchr(list, '}') : NULL;
	if (list && (!close || close[1]))
		return line_wrong(rd,
				  "the instances in '%.60s' do not end with a }, as in "
				  "uncore_imc_{0-1}",
				  name);
	if (list) {
		*list = '\0';
		*close = '\0';
	}
	p->name = name;
	p->family = family_of(rd->m, name);
	if (!(list ? add_instances(rd, list + 1) : add_instance(rd, "")))
		goto none;
	type = value_of(rd, "type");
	if (!type)
		goto none;
	if (num_parse_u64(type, &number) < 0 || number > UINT32_MAX - (p->n - 1)) {
		line_wrong(
			rd,
			"'%.60s' is no type of a PMU: it is a number of 32 bits, as those of its "
			"other instances are, which follow",
			type);
		goto none;
	}
	p->type = (uint32_t)number;
	mask = value_of(rd, "cpumask");
	if (!mask)
		goto none;
	if (strcmp(mask, "-") != 0)
		p->mask = mask;
	if (p->mask && *p->mask && !line_check_cpus(rd, p->mask))
		goto none;
	return line_done(rd);
none:
	p->n = 0;
	return false;
}

/* ------------------------------------------------------------------ what the hardware has */

/* "0x83-0x85/0xff:0x3" */
static bool read_rule(char *word, struct machine_rule *ret)
{
	char *value = strchr(word, ':'), *mask, *last;
	struct machine_rule r = { .mask = 0xff };

	if (!value)
		return false;
	*value++ = '\0';
	mask = strchr(word, '/');
	if (mask)
		*mask++ = '\0';
	last = strchr(word, '-');
	if (last)
		*last++ = '\0';
	if (num_parse_u64(word, &r.first) < 0 || num_parse_u64(value, &r.value) < 0)
		return false;
	r.last = r.first;
	if ((last && num_parse_u64(last, &r.last) < 0) ||
	    (mask && num_parse_u64(mask, &r.mask) < 0))
		return false;
	*ret = r;
	return true;
}

static bool take_rule(struct reading *rd, char *word, struct machine_family *f, bool filters)
{
	const char *whole = arena_text(rd->m->arena, word);
	struct machine_rule r;

	if (!read_rule(word, &r))
		return line_wrong(rd,
				  "'%.60s' is no rule: 0x83-0x85/0xff:0x3 is one, for events from "
				  "0x83 to 0x85 by the bits 0xff of config",
				  whole);
	if (filters)
		*ARENA_ADD(rd->m->arena, f->filter, f->n_filter) = r;
	else
		*ARENA_ADD(rd->m->arena, f->counter, f->n_counter) = r;
	return true;
}

/* "fixed", "fixed=0x100000000" */
static bool read_fixed(const char *word, uint64_t *ret)
{
	const char *const fixed = "fixed=";

	if (strcmp(word, "fixed") == 0) {
		*ret = 0xff;
		return true;
	}
	return strncmp(word, fixed, strlen(fixed)) == 0 &&
		num_parse_u64(word + strlen(fixed), ret) == 0;
}

static bool take_hardware(struct reading *rd, bool filters)
{
	struct machine_family *f = &rd->m->families[rd->pmu.family];
	uint64_t n;
	char *w;

	f->known = true;
	f->filtered |= filters;
	while ((w = line_word(rd))) {
		if (strchr(w, ':')) {
			if (!take_rule(rd, w, f, filters))
				return false;
		} else if (read_fixed(w, &f->fixed_event)) {
			f->fixed = true;
		} else if (strcmp(w, "free") == 0) {
			f->free = true;
		} else if (num_parse_u64(w, &n) == 0 && n <= MACHINE_COUNTERS_MAX) {
			f->counters = (unsigned)n;
		} else if (strcmp(w, "+") != 0) {
			return line_wrong(rd,
					  "'%.60s' says nothing of counters: up to %d of them, "
					  "fixed, free, or a rule such as 0x83-0x85:0x3",
					  w, MACHINE_COUNTERS_MAX);
		}
	}
	return true;
}

/* "0xcf05", "0x1,0x40433": config, config1, config2. */
static bool read_configs(char *word, struct machine_count *ret)
{
	uint64_t *const into[] = { &ret->config, &ret->config1, &ret->config2 };

	for (unsigned i = 0; i < COUNT(into) && word; i++) {
		char *text = strsep(&word, ",");

		if (num_parse_u64(text, into[i]) < 0)
			return false;
	}
	return !word;
}

static bool has_counts(const struct machine_family *f, const struct machine_count *count)
{
	for (unsigned i = 0; i < f->n_counts; i++)
		if (f->counts[i].config == count->config &&
		    f->counts[i].config1 == count->config1 &&
		    f->counts[i].config2 == count->config2)
			return true;
	return false;
}

static bool take_counts(struct reading *rd)
{
	struct machine_family *f = &rd->m->families[rd->pmu.family];
	struct machine_count count = { 0 };
	char *config = line_word(rd);
	const char *at = rd->line.word;

	if (!config || !read_configs(config, &count))
		return line_wrong(rd,
				  "here an event is expected, as config, and config1 and config2 "
				  "after commas: counts 0xcf05 memory_read*1/64");
	count.words = line_word(rd);
	if (!count.words)
		return line_wrong(rd, "the line does not say what the event counts: counts 0xcf05 "
				      "memory_read*1/64");
	for (const char *w; (w = line_word(rd));)
		count.words = arena_printf(rd->m->arena, "%s %s", count.words, w);
	if (has_counts(f, &count)) {
		rd->line.word = at;
		return line_wrong(rd, "a line says already what this event of %s counts; remove "
				  "one", f->name);
	}
	*ARENA_ADD(rd->m->arena, f->counts, f->n_counts) = count;
	return true;
}

/* ------------------------------------------------------------------ files of PMUs */

/* "format event=config:0-7 umask=config:8-15", and the same of events. */
static bool take_words(struct reading *rd, const char *dir)
{
	for (char *w; (w = line_word(rd));) {
		char *text = strchr(w, '=');

		if (!text)
			return line_wrong(rd,
					  "'%.60s' has no '=': a name and what it stands for, such "
					  "as event=config:0-7",
					  w);
		*text++ = '\0';
		if (!line_check_plain(rd, w, "name of a file"))
			return false;
		if (!put_term(rd, arena_printf(rd->m->arena, "%s/%s", dir, w), text))
			return false;
	}
	return true;
}

static bool take_device(struct reading *rd)
{
	const char *name = line_word(rd), *at = rd->line.word, *word, *node;
	uint64_t number;

	if (!name || !(word = line_word(rd)) || strcmp(word, "node") != 0 ||
	    !(node = line_word(rd)))
		return line_wrong(rd,
				  "a device and its node are expected: device ARMHD620:{} node 1");
	if (strcmp(node, "-1") != 0 &&
	    (num_parse_u64(node, &number) < 0 || number >= MACHINE_NODES_MAX))
		return line_wrong(rd, "'%.60s' is no node: it is a number below %d, or -1", node,
				  MACHINE_NODES_MAX);
	if (rd->pmu.made)
		return line_wrong(rd,
				  "the device comes after other files of the PMU; put it on the "
				  "line below PMU");
	if (!line_done(rd))
		return false;
	rd->line.word = at;
	for (unsigned i = 0; i < rd->pmu.n; i++)
		if (!line_check_plain(rd, filled(rd, name, i), "name of a device"))
			return false;
	rd->pmu.device = name;
	rd->pmu.node = node;
	return true;
}

/* A root bus for each instance, in their order: "0000:16", or "-" for one without a file. */
static bool take_die(struct reading *rd)
{
	struct arena *a = rd->m->arena;
	unsigned die;

	if (!line_unsigned(rd, "die", 9999, &die))
		return false;
	for (unsigned i = 0; i < rd->pmu.n; i++) {
		const char *root = line_word(rd);

		if (!root || !line_is_plain(root, strlen(root)) || strlen(root) > 7)
			return line_wrong(rd, "here the root bus of each of the %u instances is "
					  "expected, or -: die 0 0000:16 0000:30 -", rd->pmu.n);
		if (strcmp(root, "-") != 0)
			machine_put_text(rd, arena_printf(a, "%s/die%u", directory_of(rd, i), die),
					 root);
	}
	return line_done(rd);
}

/* "events/e.scale": up to three plain names. */
static bool is_path(const char *path)
{
	for (unsigned i = 0; i < 3; i++) {
		size_t n = strcspn(path, "/");

		if (!line_is_plain(path, n))
			return false;
		if (!path[n])
			return true;
		path += n + 1;
	}
	return false;
}

/* "alias: uncore_type_6_{}". What the line before it says stands in type and cpumask. */
static bool take_text(struct reading *rd, const char *file)
{
	bool shared = strncmp(file, "events/", 7) == 0 || strncmp(file, "format/", 7) == 0;
	const char *text = line_rest(rd);

	return shared ? put_term(rd, file, text) : put_of_pmus(rd, file, text, false);
}

bool machine_take_below_pmu(struct reading *rd)
{
	char *word = line_word(rd);
	size_t n = word ? strlen(word) : 0;

	if (!word)
		return true;
	if (!rd->pmu.n)
		return line_wrong(rd,
				  "'%.60s' is below no PMU; a line that is indented says something "
				  "of the PMU line above it",
				  word);
	if (strcmp(word, "device") == 0)
		return take_device(rd);
	machine_begin_pmus(rd);
	if (strcmp(word, "die") == 0)
		return take_die(rd);
	if (strcmp(word, "format") == 0 || strcmp(word, "events") == 0)
		return take_words(rd, word);
	if (strcmp(word, "counters") == 0 || strcmp(word, "filters") == 0)
		return take_hardware(rd, *word == 'f');
	if (strcmp(word, "counts") == 0)
		return take_counts(rd);
	if (word[n - 1] != ':')
		return line_wrong(rd,
				  "'%.60s' is no file of a PMU: 'NAME: TEXT', or device, die, "
				  "format, events, counters, filters or counts",
				  word);
	word[n - 1] = '\0';
	if (!is_path(word))
		return line_wrong(rd,
				  "'%.60s' is no file of a PMU: up to three plain names with / "
				  "between them, none of which begins with a dot",
				  word);
	return take_text(rd, word);
}
