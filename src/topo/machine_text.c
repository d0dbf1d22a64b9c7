/* SPDX-License-Identifier: MIT
 * The text: its lines, machines that it is like, and memory.
 */
#include "topo/machine_lines.h"

#include "base/bits.h"
#include "base/printable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8                 /* machines that are like a machine that is like ... */

/* ------------------------------------------------------------------ memory */

static void read_text(struct reading *rd, const char *name, const char *text, size_t n,
		      bool curve_only);

/* The text of an installed machine; NULL after a sentence. */
static const char *other_machine(struct reading *rd, const char **ret_name, size_t *ret_n)
{
	const char *name = line_word(rd), *at = rd->line.word, *text;
	struct err err = { "" };

	if (!name) {
		line_wrong(rd, "here an installed machine is expected: like skx");
		return NULL;
	}
	if (rd->depth == DEPTH_MAX) {
		line_wrong(rd,
			   "'%.60s' is the %dth machine that one is like; one of them is like "
			   "itself",
			   name, DEPTH_MAX + 1);
		return NULL;
	}
	if (!line_done(rd))
		return NULL;
	rd->line.word = at;
	text = line_is_plain(name, strlen(name))
		       ? rd->find(rd->find_p, rd->m->arena, name, ret_n, &err)
		       : NULL;
	if (!text) {
		line_wrong(rd, "there is no machine '%.60s'%s%s", name, err.text[0] ? ": " : "",
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
	const char *before = rd->line.at, *word = line_word(rd);
	struct machine_point point = { 0 };
	size_t n;
	bool anew;

	if (!line_may_say(rd, &rd->curve, &anew))
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
		return rd->m->n_curve || line_wrong(rd, "'%.60s' has no curve of its own", name);
	}
	rd->line.at = before;
	if (!line_decimal(rd, "share of reads in percent", &point.read_percent) ||
	    !line_decimal(rd, "bandwidth in GB/s", &point.gbps) ||
	    !line_decimal(rd, "latency in ns", &point.ns))
		return false;
	if (point.read_percent > 100)
		return line_wrong(rd, "more than 100 percent of the bytes cannot be read");
	*ARENA_ADD(rd->m->arena, rd->m->curve, rd->m->n_curve) = point;
	return line_done(rd);
}

/* ------------------------------------------------------------------ a text */

static const struct {
	const char *word;
	bool (*take)(struct reading *rd);
	bool of_curve;              /* also where only the curve is wanted */
} lines[] = {
	{ "cpuinfo", machine_take_cpuinfo, false }, { "model", machine_take_model, false },
	{ "flags", machine_take_flags, false }, { "cpu", machine_take_cpus, false },
	{ "offline", machine_take_offline, false }, { "release", machine_take_release, false },
	{ "msr", machine_take_msr, false }, { "pci", machine_take_pci, false },
	{ "PMU", machine_take_pmu, false }, { "curve", take_curve, true },
	{ "like", take_like, true },
};

static bool take_line(struct reading *rd)
{
	struct line *l = &rd->line;
	const char *word;

	for (l->word = l->at; l->word < l->end; l->word++)
		if ((*l->word < ' ' && *l->word != '\t') || *l->word > '~')
			return line_wrong(rd,
					  "byte 0x%02x is no letter of these texts; write it as "
					  "\\x%02x",
					  (unsigned char)*l->word, (unsigned char)*l->word);
	if (l->at < l->end && line_is_blank(*l->at))
		return rd->curve_only || machine_take_below_pmu(rd);
	word = line_word(rd);
	if (!word)
		return true;
	if (rd->pmu.n)
		machine_begin_pmus(rd);
	rd->pmu = (struct instances){ 0 };
	for (unsigned i = 0; i < COUNT(lines); i++)
		if (strcmp(word, lines[i].word) == 0)
			return (rd->curve_only && !lines[i].of_curve) || lines[i].take(rd);
	return line_wrong(rd,
			  "'%.60s' begins no line of a machine: cpuinfo, model, flags, cpu, "
			  "offline, release, like, msr, pci, PMU and curve do, and # a comment",
			  word);
}

static bool is_comment(const char *at, const char *end)
{
	while (at < end && line_is_blank(*at))
		at++;
	return at < end && *at == '#';
}

static void read_text(struct reading *rd, const char *name, const char *text, size_t n,
		      bool curve_only)
{
	struct line outer = rd->line;
	unsigned outer_text = rd->text;
	bool outer_only = rd->curve_only;
	const char *end = text + n;

	rd->line = (struct line){ .text = name };
	rd->curve_only = curve_only;
	rd->text = rd->n_texts++;
	rd->depth += name != rd->m->name;
	while (text < end && !rd->over) {
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
		machine_begin_pmus(rd);
	rd->pmu = (struct instances){ 0 };
	rd->depth -= name != rd->m->name;
	rd->line = outer;
	rd->text = outer_text;
	rd->curve_only = outer_only;
}

/* In a run of the arena: owns nothing else. */
static void read_machine(void *p)
{
	struct reading *rd = p;

	rd->cpus = arena_alloc(rd->m->arena, TOPO_CPUS_MAX, sizeof(*rd->cpus));
	rd->list = arena_alloc(rd->m->arena, TOPO_CPUS_MAX, sizeof("8191"));
	read_text(rd, rd->m->name, rd->bytes, rd->n_bytes, false);
	if (rd->over)
		return;
	if (!rd->cpus_said.yes) {
		diags_add(rd->d, (struct where){ NULL, 0 }, "%s: no line says which CPUs there "
			  "are; add one, such as: cpu 0-3 socket 0", rd->m->name);
		return;
	}
	rd->line = rd->cpus_line;       /* whose files these are: where there is no room for them */
	machine_put_cpuinfo(rd);
	machine_put_cpus(rd);
	if (rd->kernel)
		machine_put_text(rd, "sys/kernel/osrelease", rd->kernel);
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
		if (!rd.line.text)
			rd.line = (struct line){ .text = shown };
		line_wrong(&rd, "what the text says up to here takes more than %zu MiB of memory, "
			   "or there is no memory; remove CPUs, PMUs or events",
			   MACHINE_MEMORY_MAX >> 20);
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
