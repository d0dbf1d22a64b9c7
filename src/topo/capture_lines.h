/* SPDX-License-Identifier: MIT
 * The lines of the text of a machine, while it is captured.
 *
 * Owns:  how words, lists and texts of files are written; which file writes which lines:
 *        capture_cpus.c (CPUs), capture_pmus.c (PMUs), capture_pci.c (PCI functions and devices),
 *        machine_capture.c (the processor, the text itself).
 * Never: what they mean (machine_text.h); only machine_capture.c and capture_*.c include it.
 */
#ifndef TOPO_CAPTURE_LINES_H
#define TOPO_CAPTURE_LINES_H

#include "topo/machine_capture.h"

/* A line of words that goes on in another one that begins the same. */
struct capture_words {
	struct strb *to;
	const char *begin;          /* "  format" */
	size_t column;              /* 0: no line is begun */
};

void capture_word(struct capture_words *w, const char *word);
void capture_words_end(struct capture_words *w);
/* A text of a file: what would mean something else, or end a word or the line, as \xHH. */
void capture_escaped(struct strb *to, const char *text, bool word);
/* Numbers, in their order: "0-3,8", "0,4,1,5". */
void capture_list(struct strb *to, const unsigned *v, unsigned n);

/* left_out: see machine_capture(). They return 0, or -errno with a sentence. */

/* CPUs, and those that are offline. */
int capture_cpus(const char *sysfs, const struct topo *t, struct strb *to, struct err *err);
int capture_pmus(const struct topo_pmus *pmus, struct strb *to, struct diags *left_out,
		 struct err *err);
/* The PCI functions that uncored knows. */
void capture_functions(const char *sysfs, const struct capture_pci *pci, struct strb *to,
		       struct diags *left_out);
/* Those behind the root buses of I/O stacks, by what is read of them: their class, driver and name,
 * and the node of the bus. */
int capture_devices(const char *sysfs, const struct topo_pmus *pmus, struct strb *to,
		    struct err *err);

#endif
