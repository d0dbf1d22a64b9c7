/* cpuinfo.h - the processor's identity from the text of /proc/cpuinfo. Pure; any thread. */
#ifndef TOPO_CPUINFO_H
#define TOPO_CPUINFO_H

#include "topo/topo.h"

#include <stddef.h>

#define CPUINFO_MAX 16384           /* room for the first CPU's lines; flags alone may be 2 KB */

/* cpuinfo_value - what stands behind `key` for the first CPU in n bytes of text, which may be cut
 * off anywhere after it: *ret_len bytes of that text; NULL if the line is absent or cut. */
const char *cpuinfo_value(const char *text, size_t n, const char *key, size_t *ret_len);
/* Is it one of the n bytes' words, which single spaces part? "fpu vme ... hypervisor" */
bool cpuinfo_has_word(const char *text, size_t n, const char *word);
/* cpuinfo_parse - vendor, family, model, stepping and the flag `hypervisor` of the first CPU. What
 * is absent (other architectures) or absurd stays as it is. */
void cpuinfo_parse(const char *text, size_t n, struct topo *t);

#endif
