/* SPDX-License-Identifier: MIT */
#include "topo/machine_text.h"

#include "base/bits.h"
#include "base/name.h"
#include "base/num.h"
#include "base/printable.h"
#include "topo/topo.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES   "bus/event_source/devices"
#define CPUS      "devices/system/cpu"
#define NODES_MAX 1024
#define DEPTH_MAX 8                 /* machines that are like a machine that is like ... */
#define NAME_MAX_ 128               /* letters of a name that is part of a path */
#define CONFIG_OPEN 64              /* bytes of PCI configuration space that everybody can read */

struct cpu {
	bool known, has_die, has_node;
	unsigned socket, core, die, node;
	const char *llc, *llc_size; /* the CPUs that share it, as text; NULL: nothing is said */
};

/* A line of a text, and how far it was read. */
struct line {
	const char *text;           /* of the machine; its name in mistakes */
	unsigned number;
	const char *start, *at, *end;
	const char *word;           /* the last word taken: where a mistake is */
};

/* The PMU line that the lines below it belong to. */
struct instances {
	const char *name;           /* without the instances: "uncore_imc_" */
	const char **instance;      /* "0", or "10008c000"; one that is empty: it has no number */
	unsigned n;
	unsigned family;
	unsigned type;
	const char *mask;           /* NULL: no such file */
	bool made;                  /* its files were begun */
	const char *device, *node;  /* NULL: none */
};

/* How deep the text that said something is: what a machine says itself holds, and not what the
 * machine says that it is like. */
struct said {
	bool yes;
	unsigned depth;
};

struct reading {
	struct machine_text *m;
	struct diags *d;
	machine_find_fn *find;
	void *find_p;
	const char *bytes;          /* the first text */
	size_t n_bytes;
	bool curve_only;
	unsigned depth;             /* 0: of the first text */
	struct line line;
	struct instances pmu;
	struct said cpuinfo, cpus_said, release, curve;
	const char *vendor, *family, *model, *stepping, *model_name, *flags, *kernel;
	struct cpu *cpus;           /* TOPO_CPUS_MAX of them */
	const char *offline;
	bool msr;
	char *list;                 /* room for a list of them all */
	unsigned cores;             /* so far */
};

/* ------------------------------------------------------------------ mistakes, words */

/* At the word that was taken last. Returns false. */
static bool __attribute__((format(printf, 2, 3))) wrong(struct reading *rd, const char *fmt, ...)
{
	const struct line *l = &rd->line;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diags_add(rd->d, (struct where){ NULL, 0 }, "%s:%u:%u: %s", l->text, l->number,
		  (unsigned)(l->word - l->start) + 1, text);
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word of the line; NULL: there is none, and `word` is the end of the line. */
static char *take_word(struct reading *rd)
{
	struct line *l = &rd->line;

	while (l->at < l->end && is_blank(*l->at))
		l->at++;
	l->word = l->at;
	while (l->at < l->end && !is_blank(*l->at))
		l->at++;
	if (l->at == l->word)
		return NULL;
	return arena_text_n(rd->m->arena, l->word, (size_t)(l->at - l->word));
}

/* What is left of the line, without the blank before it. */
static char *take_rest(struct reading *rd)
{
	struct line *l = &rd->line;

	while (l->at < l->end && is_blank(*l->at))
		l->at++;
	l->word = l->at;
	l->at = l->end;
	return arena_text_n(rd->m->arena, l->word, (size_t)(l->end - l->word));
}

static bool nothing_more(struct reading *rd)
{
	const char *word = take_word(rd);

	return !word || wrong(rd, "'%.60s' is one word too many on this line; remove it", word);
}

/* A word that is a number; what: what it is, in the sentence. */
static bool take_number(struct reading *rd, const char *what, uint64_t most, uint64_t *ret)
{
	const char *word = take_word(rd);

	if (!word)
		return wrong(rd, "the line ends where %s is expected: a number to %llu", what,
			     (unsigned long long)most);
	if (num_parse_u64(word, ret) < 0 || *ret > most)
		return wrong(rd, "'%.60s' is no %s: it is a number from 0 to %llu", word, what,
			     (unsigned long long)most);
	return true;
}

static bool take_unsigned(struct reading *rd, const char *what, uint64_t most, unsigned *ret)
{
	uint64_t v;

	if (!take_number(rd, what, most, &v))
		return false;
	*ret = (unsigned)v;
	return true;
}

/* "180.5": digits, and one point between them. */
static bool is_decimal(const char *s)
{
	size_t whole = strspn(s, "0123456789");

	if (!whole || whole > 9)
		return false;
	s += whole;
	if (!*s)
		return true;
	whole = strspn(s + 1, "0123456789");
	return *s == '.' && whole && whole <= 9 && !s[1 + whole];
}

static bool take_decimal(struct reading *rd, const char *what, double *ret)
{
	const char *word = take_word(rd);

	if (!word)
		return wrong(rd, "the line ends where %s is expected, such as 180.5", what);
	if (!is_decimal(word))
		return wrong(rd, "'%.60s' is no %s: it is a number such as 180.5", word, what);
	*ret = strtod(word, NULL);
	return true;
}

/* Letters, digits and some signs: part of a path, and never ".", ".." or hidden. */
static bool is_plain(const char *name, size_t n)
{
	if (!n || n > NAME_MAX_ || *name == '.')
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = name_fold(name[i]);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !strchr("_.:-", c))
			return false;
		if (!c)
			return false;
	}
	return true;
}

static bool check_plain(struct reading *rd, const char *name, const char *what)
{
	return is_plain(name, strlen(name)) ||
	       wrong(rd, "'%.60s' is no %s: up to %d letters, digits, '_', '-', ':' and '.', "
		     "which does not come first", name, what, NAME_MAX_);
}

/* ------------------------------------------------------------------ files */

static void put(struct reading *rd, const char *path, const char *bytes, size_t n, bool link)
{
	struct machine_file *f = ARENA_ADD(rd->m->arena, rd->m->files, rd->m->n_files);

	*f = (struct machine_file){ .path = arena_text(rd->m->arena, path),
				    .bytes = arena_copy(rd->m->arena, bytes, n, 1), .n = n,
				    .link = link };
}

/* A file with a newline after the text. */
static void put_text(struct reading *rd, const char *path, const char *text)
{
	char *line = arena_printf(rd->m->arena, "%s\n", text);

	put(rd, path, line, strlen(line), false);
}

static void put_link(struct reading *rd, const char *path, const char *to)
{
	put(rd, path, to, strlen(to), true);
}

static int hex_of(char c)
{
	c = name_fold(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \xHH in the text becomes a byte, in place. Returns how many bytes there are then. */
static size_t decode(char *text)
{
	char *to = text;

	for (const char *s = text; *s; to++) {
		bool byte = s[0] == '\\' && s[1] == 'x' && hex_of(s[2]) >= 0 && hex_of(s[3]) >= 0;

		*to = byte ? (char)(hex_of(s[2]) << 4 | hex_of(s[3])) : *s;
		s += byte ? 4 : 1;
	}
	return (size_t)(to - text);
}

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
static void put_of_pmus(struct reading *rd, const char *file, const char *text, bool shared)
{
	for (unsigned i = 0; i < (shared ? 1 : rd->pmu.n); i++) {
		const char *path = arena_printf(rd->m->arena, "%s/%s", directory_of(rd, i), file);
		char *content = arena_printf(rd->m->arena, "%s\n", filled(rd, text, i));

		put(rd, path, content, decode(content), false);
	}
}

/* ------------------------------------------------------------------ PMUs */

/* The directories of the instances; with a device they are below it, as the kernel shows them. */
static void begin_pmus(struct reading *rd)
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
			put_text(rd, arena_printf(a, "devices/platform/%s/numa_node", device),
				 p->node);
			put_text(rd, arena_printf(a, "devices/platform/%s/%s%s/type", device,
						  p->name, p->instance[i]),
				 arena_printf(a, "%u", p->type + i));
			put_link(rd, path, arena_printf(a, "../../../devices/platform/%s/%s%s",
							device, p->name, p->instance[i]));
		} else {
			put_text(rd, arena_printf(a, "%s/type", path),
				 arena_printf(a, "%u", p->type + i));
		}
		if (p->mask)
			put_text(rd, arena_printf(a, "%s/cpumask", path), p->mask);
		if (!i)
			continue;
		put_link(rd, arena_printf(a, "%s/format", path),
			 arena_printf(a, "%s/%s%s/format", up, p->name, p->instance[0]));
		put_link(rd, arena_printf(a, "%s/events", path),
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

static bool add_instance(struct reading *rd, const char *instance)
{
	struct instances *p = &rd->pmu;
	const char *name = arena_printf(rd->m->arena, "%s%s", p->name, instance);
	struct machine_pmu *pmu;

	if (!check_plain(rd, name, "name of a PMU"))
		return false;
	if (rd->m->n_pmus == MACHINE_PMUS_MAX)
		return wrong(rd, "there are more than %d PMUs, and uncored reads no more of a "
			     "machine; remove some", MACHINE_PMUS_MAX);
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
	return rd->pmu.n || wrong(rd, "there is no instance between { and }: write {0-3,5}");
}

/* "type=12" */
static char *value_of(struct reading *rd, const char *key)
{
	char *word = take_word(rd);
	size_t n = strlen(key);

	if (word && strncmp(word, key, n) == 0 && word[n] == '=')
		return word + n + 1;
	wrong(rd, "here %s= is expected: PMU uncore_imc_{0-1} type=12 cpumask=0,4", key);
	return NULL;
}

static bool check_cpus(struct reading *rd, const char *list)
{
	struct cpu_range range = { list, 0, 0 };
	int r;

	do
		r = num_next_range(&range, TOPO_CPUS_MAX - 1);
	while (r > 0);
	return (r == 0 && range.end) ||
	       wrong(rd, "'%.60s' is no list of CPUs below %d, such as 0-3,8", list,
		     TOPO_CPUS_MAX);
}

static bool take_pmu(struct reading *rd)
{
	struct instances *p = &rd->pmu;
	char *name = take_word(rd), *list = name ? strchr(name, '{') : NULL, *close, *type, *mask;
	uint64_t number;

	*p = (struct instances){ 0 };
	if (!name)
		return wrong(rd, "the name of a PMU is missing: PMU uncore_imc_{0-1} type=12 "
			     "cpumask=0,4");
	close = list ? strchr(list, '}') : NULL;
	if (list && (!close || close[1]))
		return wrong(rd, "the instances in '%.60s' do not end with a }, as in "
			     "uncore_imc_{0-1}", name);
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
		wrong(rd, "'%.60s' is no type of a PMU: it is a number of 32 bits, as those of its "
			  "other instances are, which follow", type);
		goto none;
	}
	p->type = (uint32_t)number;
	mask = value_of(rd, "cpumask");
	if (!mask)
		goto none;
	if (strcmp(mask, "-") != 0)
		p->mask = mask;
	if (p->mask && *p->mask && !check_cpus(rd, p->mask))
		goto none;
	return nothing_more(rd);
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
		return wrong(rd, "'%.60s' is no rule: 0x83-0x85/0xff:0x3 is one, for events from "
			     "0x83 to 0x85 by the bits 0xff of config", whole);
	if (filters)
		*ARENA_ADD(rd->m->arena, f->filter, f->n_filter) = r;
	else
		*ARENA_ADD(rd->m->arena, f->counter, f->n_counter) = r;
	return true;
}

static bool take_hardware(struct reading *rd, bool filters)
{
	struct machine_family *f = &rd->m->families[rd->pmu.family];
	uint64_t n;
	char *w;

	f->known = true;
	f->filtered |= filters;
	while ((w = take_word(rd))) {
		if (strchr(w, ':')) {
			if (!take_rule(rd, w, f, filters))
				return false;
		} else if (strcmp(w, "fixed") == 0) {
			f->fixed = true;
		} else if (strcmp(w, "free") == 0) {
			f->free = true;
		} else if (num_parse_u64(w, &n) == 0 && n <= 1024) {
			f->counters = (unsigned)n;
		} else if (strcmp(w, "+") != 0) {
			return wrong(rd, "'%.60s' says nothing of counters: a number of them, "
				     "fixed, free, or a rule such as 0x83-0x85:0x3", w);
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

static bool take_counts(struct reading *rd)
{
	struct machine_family *f = &rd->m->families[rd->pmu.family];
	struct machine_count count = { 0 };
	char *config = take_word(rd);

	if (!config || !read_configs(config, &count))
		return wrong(rd, "here an event is expected, as config, and config1 and config2 "
			     "after commas: counts 0xcf05 memory_read*1/64");
	count.words = take_word(rd);
	if (!count.words)
		return wrong(rd, "the line does not say what the event counts: counts 0xcf05 "
			     "memory_read*1/64");
	for (const char *w; (w = take_word(rd));)
		count.words = arena_printf(rd->m->arena, "%s %s", count.words, w);
	*ARENA_ADD(rd->m->arena, f->counts, f->n_counts) = count;
	return true;
}

/* ------------------------------------------------------------------ files of PMUs */

/* "format event=config:0-7 umask=config:8-15", and the same of events. */
static bool take_words(struct reading *rd, const char *dir)
{
	for (char *w; (w = take_word(rd));) {
		char *text = strchr(w, '=');

		if (!text)
			return wrong(rd, "'%.60s' has no '=': a name and what it stands for, such "
				     "as event=config:0-7", w);
		*text++ = '\0';
		if (!check_plain(rd, w, "name of a file"))
			return false;
		put_of_pmus(rd, arena_printf(rd->m->arena, "%s/%s", dir, w), text, true);
	}
	return true;
}

static bool take_device(struct reading *rd)
{
	const char *name = take_word(rd), *at = rd->line.word, *word, *node;
	uint64_t number;

	if (!name || !(word = take_word(rd)) || strcmp(word, "node") != 0 ||
	    !(node = take_word(rd)))
		return wrong(rd, "a device and its node are expected: device ARMHD620:{} node 1");
	if (strcmp(node, "-1") != 0 && (num_parse_u64(node, &number) < 0 || number >= NODES_MAX))
		return wrong(rd, "'%.60s' is no node: it is a number below %d, or -1", node,
			     NODES_MAX);
	if (rd->pmu.made)
		return wrong(rd, "the device comes after other files of the PMU; put it on the "
			     "line below PMU");
	if (!nothing_more(rd))
		return false;
	rd->line.word = at;
	for (unsigned i = 0; i < rd->pmu.n; i++)
		if (!check_plain(rd, filled(rd, name, i), "name of a device"))
			return false;
	rd->pmu.device = name;
	rd->pmu.node = node;
	return true;
}

/* "events/e.scale": up to three plain names. */
static bool is_path(const char *path)
{
	for (unsigned i = 0; i < 3; i++) {
		size_t n = strcspn(path, "/");

		if (!is_plain(path, n))
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
	const char *text = take_rest(rd);

	put_of_pmus(rd, file, text, shared);
	return true;
}

static bool take_below_pmu(struct reading *rd)
{
	char *word = take_word(rd);
	size_t n = word ? strlen(word) : 0;

	if (!word)
		return true;
	if (!rd->pmu.n)
		return wrong(rd, "'%.60s' is below no PMU; a line that is indented says something "
			     "of the PMU line above it", word);
	if (strcmp(word, "device") == 0)
		return take_device(rd);
	begin_pmus(rd);
	if (strcmp(word, "format") == 0 || strcmp(word, "events") == 0)
		return take_words(rd, word);
	if (strcmp(word, "counters") == 0 || strcmp(word, "filters") == 0)
		return take_hardware(rd, *word == 'f');
	if (strcmp(word, "counts") == 0)
		return take_counts(rd);
	if (word[n - 1] != ':')
		return wrong(rd, "'%.60s' is no file of a PMU: 'NAME: TEXT', or device, format, "
			     "events, counters, filters or counts", word);
	word[n - 1] = '\0';
	if (!is_path(word))
		return wrong(rd, "'%.60s' is no file of a PMU: up to three plain names with / "
			     "between them, none of which begins with a dot", word);
	return take_text(rd, word);
}

/* ------------------------------------------------------------------ CPUs */

/* May this text say it, or has one that matters more? The first of its depth begins anew. */
static bool may_say(struct reading *rd, struct said *s, bool *ret_anew)
{
	*ret_anew = !s->yes || s->depth > rd->depth;
	if (s->yes && s->depth < rd->depth)
		return false;
	*s = (struct said){ true, rd->depth };
	return true;
}

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
	char *word = take_word(rd);

	l->llc = l->cpus;
	if (word && *word >= '0' && *word <= '9' && !is_size(word)) {
		if (!check_cpus(rd, word))
			return NULL;
		l->llc = word;
		word = take_word(rd);
	}
	if (word && is_size(word)) {
		l->llc_size = word;
		word = take_word(rd);
	}
	return word;
}

static bool take_cpu_words(struct reading *rd, struct cpu_line *l)
{
	size_t before = diags_count(rd->d);
	char *word = take_word(rd);
	bool socket = false, good = true;

	while (word && good) {
		bool taken = false;

		if (strcmp(word, "socket") == 0) {
			good = take_unsigned(rd, "socket", INT32_MAX, &l->cpu.socket);
			socket = true;
		} else if (strcmp(word, "die") == 0) {
			good = take_unsigned(rd, "die", INT32_MAX, &l->cpu.die);
			l->cpu.has_die = true;
		} else if (strcmp(word, "node") == 0) {
			good = take_unsigned(rd, "node", NODES_MAX - 1, &l->cpu.node);
			l->cpu.has_node = true;
		} else if (strcmp(word, "core") == 0) {
			l->cores = take_word(rd);
			good = l->cores && check_cpus(rd, l->cores);
		} else if (strcmp(word, "llc") == 0) {
			word = take_llc(rd, l);
			taken = true;
		} else {
			return wrong(rd, "'%.60s' is nothing that a line of CPUs says: cpu 0-3 "
				     "socket 0 [die 1] [core 0-3] [node 1] [llc]", word);
		}
		word = taken ? word : take_word(rd);
	}
	if (diags_count(rd->d) != before)
		return false;
	return socket || wrong(rd, "the line does not say the socket: cpu 0-3 socket 0");
}

static struct cpu_range ranges_of(const char *list)
{
	return (struct cpu_range){ list, 0, 0 };
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
		if (num_next_range(&c->range, TOPO_CPUS_MAX - 1) <= 0) {
			c->range = ranges_of(c->list);
			num_next_range(&c->range, TOPO_CPUS_MAX - 1);
		}
		c->next = c->range.first;
	}
	return c->next++;
}

static bool take_cpus(struct reading *rd)
{
	struct cpu_line l = { .cpus = take_word(rd), .cpu.known = true };
	const char *at = rd->line.word;
	struct core_ids ids;
	struct cpu_range range;
	bool anew;

	if (!l.cpus)
		return wrong(rd, "here CPUs are expected: cpu 0-3 socket 0");
	if (!check_cpus(rd, l.cpus) || !take_cpu_words(rd, &l))
		return false;
	if (!may_say(rd, &rd->cpus_said, &anew))
		return true;
	if (anew) {
		memset(rd->cpus, 0, TOPO_CPUS_MAX * sizeof(*rd->cpus));
		rd->cores = 0;
	}
	l.cpu.llc = l.llc;
	l.cpu.llc_size = l.llc_size;
	ids = (struct core_ids){ .list = l.cores, .range = { l.cores, 0, 0 } };
	for (range = ranges_of(l.cpus); num_next_range(&range, TOPO_CPUS_MAX - 1) > 0;)
		for (unsigned i = range.first; i < range.end; i++) {
			rd->line.word = at;
			if (rd->cpus[i].known)
				return wrong(rd, "CPU %u has a line already; name it once", i);
			rd->cpus[i] = l.cpu;
			rd->cpus[i].core = next_core(rd, &ids);
		}
	return true;
}

static bool take_offline(struct reading *rd)
{
	const char *list = take_word(rd);

	if (!list)
		return wrong(rd, "here CPUs are expected: offline 12-15");
	if (!check_cpus(rd, list))
		return false;
	rd->offline = list;
	return nothing_more(rd);
}

static bool take_msr(struct reading *rd)
{
	rd->msr |= !rd->depth;
	return nothing_more(rd);
}

static void put_cpu_text(struct reading *rd, unsigned cpu, const char *file, const char *text)
{
	put_text(rd, arena_printf(rd->m->arena, CPUS "/cpu%u/%s", cpu, file), text);
}

static void put_cpu_number(struct reading *rd, unsigned cpu, const char *file, unsigned value)
{
	put_cpu_text(rd, cpu, file, arena_printf(rd->m->arena, "%u", value));
}

/* The CPUs of a node, or all of them, as a list: "0-3,8". */
static const char *list_of(struct reading *rd, bool all, unsigned node)
{
	char *text = rd->list, *end = text;

	for (unsigned i = 0, last; i < TOPO_CPUS_MAX; i = last + 1) {
		const struct cpu *c = &rd->cpus[i];

		last = i;
		if (!c->known || !(all || (c->has_node && c->node == node)))
			continue;
		while (last + 1 < TOPO_CPUS_MAX && c[last + 1 - i].known &&
		       (all || (c[last + 1 - i].has_node && c[last + 1 - i].node == node)))
			last++;
		end += sprintf(end, last > i ? "%s%u-%u" : "%s%u", end > text ? "," : "", i, last);
	}
	return text;
}

/* Numbers of CPUs are made into a text once; most CPUs have the cache of their neighbours. */
static void put_cpus(struct reading *rd)
{
	bool noted[NODES_MAX] = { false };
	struct arena *a = rd->m->arena;

	for (unsigned i = 0; i < TOPO_CPUS_MAX; i++) {
		const struct cpu *c = &rd->cpus[i];

		if (!c->known)
			continue;
		if (rd->msr)
			put(rd, arena_printf(a, "cpu/%u/msr", i), "", 0, false);
		put_cpu_number(rd, i, "topology/physical_package_id", c->socket);
		put_cpu_number(rd, i, "topology/core_id", c->core);
		if (c->has_die)
			put_cpu_number(rd, i, "topology/die_id", c->die);
		if (c->llc)
			put_cpu_text(rd, i, "cache/index3/shared_cpu_list", c->llc);
		if (c->llc_size)
			put_cpu_text(rd, i, "cache/index3/size", c->llc_size);
		if (c->has_node && !noted[c->node]) {
			noted[c->node] = true;
			put_text(rd, arena_printf(a, "devices/system/node/node%u/cpulist",
						  c->node), list_of(rd, false, c->node));
		}
	}
	put_text(rd, CPUS "/online", list_of(rd, true, 0));
	if (!rd->offline)
		return;
	for (struct cpu_range r = ranges_of(rd->offline);
	     num_next_range(&r, TOPO_CPUS_MAX - 1) > 0;)
		for (unsigned i = r.first; i < r.end; i++)
			rd->cpus[i].known = true;
	put_text(rd, CPUS "/present", list_of(rd, true, 0));
}

/* ------------------------------------------------------------------ the processor */

static bool take_cpuinfo(struct reading *rd)
{
	const char *vendor = take_word(rd), *a = take_word(rd), *b = take_word(rd);
	const char *stepping = b ? take_word(rd) : NULL;
	bool anew;

	if (!b)
		return wrong(rd, "vendor, family, model and stepping are expected: cpuinfo "
			     "GenuineIntel 6 143 8, or cpuinfo arm 0x41 0xd0c");
	if (!nothing_more(rd))
		return false;
	if (!may_say(rd, &rd->cpuinfo, &anew))
		return true;
	rd->vendor = vendor;
	rd->family = a;
	rd->model = b;
	rd->stepping = stepping ?: "0";
	return true;
}

/* Of the first text alone: names and flags are those of one machine. */
static bool take_model(struct reading *rd)
{
	const char *name = take_rest(rd);

	if (!*name)
		return wrong(rd, "here cpuinfo's model name is expected: model Intel(R) Xeon(R) "
			     "Gold 6148");
	if (!rd->depth)
		rd->model_name = name;
	return true;
}

static bool take_flags(struct reading *rd)
{
	for (const char *w; (w = take_word(rd));)
		if (!rd->depth)
			rd->flags = rd->flags ? arena_printf(rd->m->arena, "%s %s", rd->flags, w) :
				    w;
	return true;
}

static void put_cpuinfo(struct reading *rd)
{
	struct arena *a = rd->m->arena;
	const char *name = rd->model_name ? arena_printf(a, "model name\t: %s\n", rd->model_name) :
			   "";
	const char *flags = rd->flags ? arena_printf(a, "flags\t\t: %s\n", rd->flags) : "";

	if (!rd->vendor)
		put_text(rd, "cpuinfo", arena_printf(a, "processor\t: 0\n%s%s", name, flags));
	else if (strcmp(rd->vendor, "arm") == 0)
		put_text(rd, "cpuinfo", arena_printf(a, "processor\t: 0\n%s%sCPU implementer\t: "
						     "%s\nCPU architecture: 8\nCPU part\t: %s",
						     name, flags, rd->family, rd->model));
	else
		put_text(rd, "cpuinfo", arena_printf(a, "processor\t: 0\nvendor_id\t: %s\n"
						     "cpu family\t: %s\nmodel\t\t: %s\n%s"
						     "stepping\t: %s\n%s", rd->vendor, rd->family,
						     rd->model, name, rd->stepping, flags));
}

static bool take_release(struct reading *rd)
{
	const char *release = take_word(rd);
	bool anew;

	if (!release)
		return wrong(rd, "here the kernel's release is expected: release 6.12.0");
	if (may_say(rd, &rd->release, &anew))
		rd->kernel = release;
	return nothing_more(rd);
}

/* ------------------------------------------------------------------ PCI functions */

/* "0x40=0x1": 32 bits of the configuration space. */
static bool read_config_word(char *word, uint64_t *ret_offset, uint64_t *ret_value)
{
	char *value = strchr(word, '=');

	if (!value)
		return false;
	*value++ = '\0';
	return num_parse_u64(word, ret_offset) == 0 && num_parse_u64(value, ret_value) == 0 &&
	       *ret_offset <= 4092 && *ret_offset % 4 == 0 && *ret_value <= UINT32_MAX;
}

static bool is_function(const char *name)
{
	static const char form[] = "xxxx:xx:xx.x";

	if (strlen(name) != sizeof(form) - 1)
		return false;
	for (unsigned i = 0; form[i]; i++)
		if (form[i] == 'x' ? hex_of(name[i]) < 0 : name[i] != form[i])
			return false;
	return true;
}

static bool take_pci(struct reading *rd)
{
	const char *name = take_word(rd);
	unsigned char *config;
	size_t n = CONFIG_OPEN;

	if (!name || !is_function(name))
		return wrong(rd, "here a PCI function is expected: pci 0000:7f:08.2 "
			     "0x0=0x0e808086");
	config = arena_alloc(rd->m->arena, 4096, 1);
	for (char *w; (w = take_word(rd));) {
		const char *whole = arena_text(rd->m->arena, w);
		uint64_t offset, value;

		if (!read_config_word(w, &offset, &value))
			return wrong(rd, "'%.60s' is no word of configuration space: "
				     "OFFSET=VALUE, OFFSET a multiple of 4 below 4096, VALUE of 32 "
				     "bits", whole);
		for (unsigned i = 0; i < 4; i++)
			config[offset + i] = (unsigned char)(value >> 8 * i);
		if (offset >= CONFIG_OPEN && n < 256)
			n = 256;
		if (offset >= 256)
			n = 4096;
	}
	put(rd, arena_printf(rd->m->arena, "bus/pci/devices/%s/config", name), (char *)config, n,
	    false);
	return true;
}

/* ------------------------------------------------------------------ memory */

static void read_text(struct reading *rd, const char *name, const char *text, size_t n,
		      bool curve_only);

/* The text of an installed machine; NULL after a sentence. */
static const char *other_machine(struct reading *rd, const char **ret_name, size_t *ret_n)
{
	const char *name = take_word(rd), *at = rd->line.word, *text;
	struct err err = { "" };

	if (!name) {
		wrong(rd, "here an installed machine is expected: like skx");
		return NULL;
	}
	if (rd->depth == DEPTH_MAX) {
		wrong(rd, "'%.60s' is the %dth machine that one is like; one of them is like "
		      "itself", name, DEPTH_MAX + 1);
		return NULL;
	}
	if (!nothing_more(rd))
		return NULL;
	rd->line.word = at;
	text = is_plain(name, strlen(name)) ?
	       rd->find(rd->find_p, rd->m->arena, name, ret_n, &err) : NULL;
	if (!text) {
		wrong(rd, "there is no machine '%.60s'%s%s", name, err.text[0] ? ": " : "",
		      err.text);
		return NULL;
	}
	*ret_name = name;
	return text;
}

static bool take_like(struct reading *rd)
{
	const char *name, *text;
	size_t n;

	text = other_machine(rd, &name, &n);
	if (text)
		read_text(rd, name, text, n, rd->curve_only);
	return text;
}

static bool take_curve(struct reading *rd)
{
	const char *before = rd->line.at, *word = take_word(rd);
	struct machine_point point = { 0 };
	size_t n;
	bool anew;

	if (!may_say(rd, &rd->curve, &anew))
		return true;
	if (anew) {
		rd->m->n_curve = 0;
		rd->m->curve_of = NULL;
	}
	if (word && strcmp(word, "like") == 0) {
		const char *name, *text = other_machine(rd, &name, &n), *at = rd->line.word;

		if (!text)
			return false;
		rd->curve = (struct said){ .yes = false };
		read_text(rd, name, text, n, true);
		rd->curve = (struct said){ true, rd->depth };
		rd->m->curve_of = arena_text(rd->m->arena, name);
		rd->line.word = at;
		return rd->m->n_curve || wrong(rd, "'%.60s' has no curve of its own", name);
	}
	rd->line.at = before;
	if (!take_decimal(rd, "share of reads in percent", &point.read_percent) ||
	    !take_decimal(rd, "bandwidth in GB/s", &point.gbps) ||
	    !take_decimal(rd, "latency in ns", &point.ns))
		return false;
	if (point.read_percent > 100)
		return wrong(rd, "more than 100 percent of the bytes cannot be read");
	*ARENA_ADD(rd->m->arena, rd->m->curve, rd->m->n_curve) = point;
	return nothing_more(rd);
}

/* ------------------------------------------------------------------ a text */

static const struct {
	const char *word;
	bool (*take)(struct reading *rd);
	bool of_curve;              /* also where only the curve is wanted */
} lines[] = {
	{ "cpuinfo", take_cpuinfo, false }, { "model", take_model, false },
	{ "flags", take_flags, false }, { "cpu", take_cpus, false },
	{ "offline", take_offline, false }, { "release", take_release, false },
	{ "msr", take_msr, false }, { "pci", take_pci, false },
	{ "PMU", take_pmu, false }, { "curve", take_curve, true },
	{ "like", take_like, true },
};

static bool take_line(struct reading *rd)
{
	struct line *l = &rd->line;
	const char *word;

	for (l->word = l->at; l->word < l->end; l->word++)
		if ((*l->word < ' ' && *l->word != '\t') || *l->word > '~')
			return wrong(rd, "byte 0x%02x is no letter of these texts; write it as "
				     "\\x%02x", (unsigned char)*l->word,
				     (unsigned char)*l->word);
	if (l->at < l->end && is_blank(*l->at))
		return rd->curve_only || take_below_pmu(rd);
	word = take_word(rd);
	if (!word)
		return true;
	if (rd->pmu.n)
		begin_pmus(rd);
	rd->pmu = (struct instances){ 0 };
	for (unsigned i = 0; i < COUNT(lines); i++)
		if (strcmp(word, lines[i].word) == 0)
			return (rd->curve_only && !lines[i].of_curve) || lines[i].take(rd);
	return wrong(rd, "'%.60s' begins no line of a machine: cpuinfo, model, flags, cpu, "
		     "offline, release, like, msr, pci, PMU and curve do, and # a comment", word);
}

static bool is_comment(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at < end && *at == '#';
}

static void read_text(struct reading *rd, const char *name, const char *text, size_t n,
		      bool curve_only)
{
	struct line outer = rd->line;
	bool outer_only = rd->curve_only;
	const char *end = text + n;

	rd->line = (struct line){ .text = name };
	rd->curve_only = curve_only;
	rd->depth += name != rd->m->name;
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text)) ?: end;
		const char *last = eol > text && eol[-1] == '\r' ? eol - 1 : eol;

		rd->line.number++;
		rd->line.start = rd->line.at = text;
		rd->line.end = last;
		if (!is_comment(text, last))
			take_line(rd);
		text = eol + 1;
	}
	if (rd->pmu.n)
		begin_pmus(rd);
	rd->pmu = (struct instances){ 0 };
	rd->depth -= name != rd->m->name;
	rd->line = outer;
	rd->curve_only = outer_only;
}

/* In a run of the arena: owns nothing else. */
static void read_machine(void *p)
{
	struct reading *rd = p;

	rd->cpus = arena_alloc(rd->m->arena, TOPO_CPUS_MAX, sizeof(*rd->cpus));
	rd->list = arena_alloc(rd->m->arena, TOPO_CPUS_MAX, sizeof("8191"));
	read_text(rd, rd->m->name, rd->bytes, rd->n_bytes, false);
	if (!rd->cpus_said.yes) {
		diags_add(rd->d, (struct where){ NULL, 0 }, "%s: no line says which CPUs there "
			  "are; add one, such as: cpu 0-3 socket 0", rd->m->name);
		return;
	}
	put_cpuinfo(rd);
	put_cpus(rd);
	if (rd->kernel)
		put_text(rd, "sys/kernel/osrelease", rd->kernel);
}

int machine_text_read(const char *name, const char *text, size_t n, machine_find_fn *find, void *p,
		      struct machine_text **ret, struct diags *d)
{
	AUTO_FREE(machine_text_free) struct machine_text *m = calloc(1, sizeof(*m));
	struct reading rd = { .m = m, .d = d, .find = find, .find_p = p, .bytes = text,
			      .n_bytes = n };
	size_t before = diags_count(d);
	char shown[256];

	printable_escape(name, shown, sizeof(shown));
	if (m)
		m->arena = arena_new(MACHINE_MEMORY_MAX, NULL);
	if (m)
		m->name = strdup(shown);
	if (!m || !m->arena || !m->name) {
		diags_add(d, (struct where){ NULL, 0 }, "%s: out of memory", shown);
		return -ENOMEM;
	}
	if (n > MACHINE_TEXT_MAX)
		return diags_add(d, (struct where){ NULL, 0 }, "%s: the text has more than %zu "
				 "bytes; that is no machine", shown, MACHINE_TEXT_MAX);
	if (!arena_try(m->arena, read_machine, &rd)) {
		diags_add(d, (struct where){ NULL, 0 }, "%s: what the text says takes more than "
			  "%zu MiB of memory, or there is "
			  "no memory", shown, MACHINE_MEMORY_MAX >> 20);
		return -ENOMEM;
	}
	if (diags_count(d) > before)
		return -EINVAL;
	*ret = TAKE(m);
	return 0;
}

void machine_text_free(struct machine_text *m)
{
	if (!m)
		return;
	arena_free(m->arena);
	free(m->name);
	free(m);
}

const struct machine_family *machine_family_of(const struct machine_text *m, const char *pmu)
{
	for (unsigned i = 0; i < m->n_pmus; i++)
		if (strcmp(m->pmus[i].name, pmu) == 0)
			return &m->families[m->pmus[i].family];
	return NULL;
}
