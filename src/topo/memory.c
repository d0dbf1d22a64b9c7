/* SPDX-License-Identifier: MIT
 * The memory and the caches of a socket.
 * Owns:  which nodes are a socket's.
 * Never: who uses them.
 * Any thread.
 */
#include "topo/topo.h"

#include "topo/sysfile.h"

#include <stdlib.h>
#include <string.h>

/* The system-level cache of a mesh is no CPU's, so the kernel lists none of level 3; AmpereOne's,
 * the largest of those, has 64 MB. */
enum { CACHE_UNKNOWN = 64 << 20 };

/* The number of KiB behind the key in a file, in bytes; 0: there is none. */
static size_t kib(struct sysfile_path path, const char *key)
{
	char text[SYSFILE_MAX + 1];
	const char *at = sysfile_read(path.s, text, NULL) < 0 ? NULL : strstr(text, key);

	return at ? strtoul(at + strlen(key), NULL, 10) << 10 : 0;
}

/* Of a node that is there for its CPUs alone. */
static bool has_none(struct sysfile_path path)
{
	char text[SYSFILE_MAX + 1];

	return sysfile_read(path.s, text, NULL) >= 0 && strstr(text, "MemTotal:") &&
	       kib(path, "MemTotal:") == 0;
}

struct topo_memory topo_memory(const char *sysfs, const char *procfs, const struct topo_socket *s)
{
	struct topo_memory m = { 0 };

	for (unsigned i = 0; i < s->n_cpus; i++) {
		const struct topo_cpu *c = &s->cpus[i];
		size_t largest = 0, size;

		/* below are those of levels 1 and 2 */
		for (unsigned k = 3; k <= 4 && c->online; k++) {
			size = kib(sysfile_path("%s/devices/system/cpu/cpu%u/cache/index%u/size",
						sysfs, c->cpu, k), "");
			largest = size > largest ? size : largest;
		}
		if (!m.caches || c->llc == c->cpu)      /* once for all CPUs that share it */
			m.caches += largest;
		for (unsigned n = 0; n < TOPO_NODES_MAX && c->online; n++) {
			struct sysfile_path path = sysfile_path(
				"%s/devices/system/cpu/cpu%u/node%u/meminfo", sysfs, c->cpu, n);

			size = kib(path, "MemFree:");
			if (size && !(m.nodes >> n & 1))
				m.unused += size;
			m.nodes |= (unsigned long)(size > 0) << n;
			m.none |= !size && has_none(path);
		}
	}
	m.none &= !m.nodes;
	if (!m.nodes && !m.none)
		m.unused = kib(sysfile_path("%s/meminfo", procfs), "MemFree:");
	m.caches = m.caches ? m.caches : CACHE_UNKNOWN;
	return m;
}
