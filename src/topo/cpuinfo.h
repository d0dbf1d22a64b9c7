/* SPDX-License-Identifier: MIT
 * The processor's identity from the text of /proc/cpuinfo. Pure; any thread. */
#ifndef TOPO_CPUINFO_H
#define TOPO_CPUINFO_H

#include "topo/topo.h"

#include <stddef.h>

#define CPUINFO_MAX 16384           /* room for the first CPU's lines; flags alone may be 2 KB */

/* cpuinfo_text - the value of `key` for the first CPU in n bytes of text, which may be cut
 * off anywhere after it: as far as there is room, and with '?' for every byte that is no part of a
 * character which printable() accepts. Returns its whole length; 0: the line is absent or cut, and
 * ret stays as it is. */
size_t cpuinfo_text(const char *text, size_t n, const char *key, char *ret, size_t room);
bool cpuinfo_has_flag(const char *text, size_t n, const char *flag);
/* cpuinfo_parse - of the first CPU: vendor, family, model, stepping, name of the model and the flag
 * `hypervisor`; implementer and part of an Arm core. What is absent (other architectures) or absurd
 * stays as it is. */
void cpuinfo_parse(const char *text, size_t n, struct topo *t);

#endif
