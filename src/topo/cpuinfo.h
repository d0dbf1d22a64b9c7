/* cpuinfo.h - the processor's identity from the text of /proc/cpuinfo. Pure; any thread. */
#ifndef TOPO_CPUINFO_H
#define TOPO_CPUINFO_H

#include "topo/topo.h"

#include <stddef.h>

/* cpuinfo_parse - vendor, family, model and stepping of the first CPU in n bytes of text, which may be cut
 * off anywhere after it. What is absent (other architectures) or absurd stays as it is. */
void cpuinfo_parse(const char *text, size_t n, struct topo *t);

#endif
