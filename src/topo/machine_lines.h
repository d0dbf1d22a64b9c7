/* SPDX-License-Identifier: MIT
 * The lines of a machine's text, while it is read.
 *
 * Owns:  what has been read so far, and where in the text. The kinds of lines have their files:
 *        machine_pmus.c (PMU and what is below it), machine_cpus.c (CPUs, processor), machine_pci.c
 *        (PCI functions), machine_text.c (machines that are like others, memory, the text itself).
 * Never: files; only machine_*.c of this room include it. Everything is in a run of m->arena.
 */
#ifndef TOPO_MACHINE_LINES_H
#define TOPO_MACHINE_LINES_H

#include "topo/machine_text.h"
#include "topo/topo.h"

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
	unsigned n_format, n_events;        /* files of these directories, so far */
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
	struct line cpus_line;      /* the last that named CPUs */
	struct instances pmu;
	unsigned text, n_texts;             /* the number of this one; how many were begun */
	unsigned pmu_text[TOPO_PMUS_MAX];   /* the one that names each of m->pmus */
	size_t held;                /* of MACHINE_FILES_MAX */
	bool over;                  /* there are mistakes enough: nothing more is read */
	struct said cpuinfo, cpus_said, release, curve;
	const char *vendor, *family, *model, *stepping, *model_name, *flags, *kernel;
	struct cpu *cpus;           /* TOPO_CPUS_MAX of them */
	const char *offline;
	bool msr;
	char *list;                 /* room for a list of them all */
	unsigned cores;             /* so far */
};

/* A mistake at the word that was taken last. Returns false. */
bool __attribute__((format(printf, 2, 3))) line_wrong(struct reading *rd, const char *fmt, ...);
bool line_is_blank(char c);
/* The next word of the line; NULL: there is none, and `word` is the end of the line. */
char *line_word(struct reading *rd);
/* What is left of the line, without the blank before it. */
char *line_rest(struct reading *rd);
/* Each of these says what is wrong where it returns false. */
bool line_done(struct reading *rd);
/* what: what it is, in the sentence */
bool line_unsigned(struct reading *rd, const char *what, uint64_t most, unsigned *ret);
bool line_decimal(struct reading *rd, const char *what, double *ret);
bool line_check_plain(struct reading *rd, const char *name, const char *what);
bool line_check_cpus(struct reading *rd, const char *list);
/* Letters, digits and some signs: part of a path, and never ".", ".." or hidden. */
bool line_is_plain(const char *name, size_t n);
/* May this text say it, or has one that matters more? The first of its depth begins anew. */
bool line_may_say(struct reading *rd, struct said *s, bool *ret_anew);
/* Is there room for so many files of n bytes, names with them? */
bool line_may_hold(struct reading *rd, size_t n, unsigned files);

void machine_put(struct reading *rd, const char *path, const char *bytes, size_t n, bool link);
/* A file with a newline after the text. */
void machine_put_text(struct reading *rd, const char *path, const char *text);
void machine_put_link(struct reading *rd, const char *path, const char *to);
/* 0 to 15; -1: no digit */
int machine_hex(char c);
/* \xHH in the text becomes a byte, in place. Returns how many bytes there are then. */
size_t machine_decode(char *text);

/* The kinds of lines; false after a mistake. */
bool machine_take_pmu(struct reading *rd);
bool machine_take_below_pmu(struct reading *rd);
bool machine_take_cpus(struct reading *rd);
bool machine_take_offline(struct reading *rd);
bool machine_take_msr(struct reading *rd);
bool machine_take_cpuinfo(struct reading *rd);
bool machine_take_model(struct reading *rd);
bool machine_take_flags(struct reading *rd);
bool machine_take_release(struct reading *rd);
bool machine_take_pci(struct reading *rd);
/* The directories of the instances; with a device they are below it, as the kernel shows them. */
void machine_begin_pmus(struct reading *rd);
void machine_put_cpus(struct reading *rd);
void machine_put_cpuinfo(struct reading *rd);

#endif
