/* SPDX-License-Identifier: MIT
 * A machine as a text, of any bytes. Whatever it says, no file of it leaves the directory, and a
 * mistake says in which line and column it is. */
#include "fuzz.h"

#include "base/bits.h"
#include "topo/machine_text.h"
#include "topo/topo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void require(int ok)
{
	if (!ok)
		abort();
}

/* Two machines that a text may be like; one of them is like itself. */
static const char *find(void *p, struct arena *a, const char *name, size_t *ret_n, struct err *err)
{
	static const struct { const char *name, *text; } known[] = {
		{ "kernel", "cpuinfo GenuineIntel 6 85 4\nrelease 6.1.0\ncpu 0-1 socket 0\n"
			    "curve 100 100 120\nPMU power type=9 cpumask=0\n"
			    "  format event=config:0-7\n" },
		{ "loop", "cpu 0 socket 0\nlike loop\n" },
	};

	(void)p, (void)a, (void)err;
	for (unsigned i = 0; i < COUNT(known); i++)
		if (strcmp(known[i].name, name) == 0) {
			*ret_n = strlen(known[i].text);
			return known[i].text;
		}
	return NULL;
}

/* Does no part of the path lead up or to the root? */
static void check_path(const char *path)
{
	require(*path && *path != '/');
	for (const char *s = path; *s; s += *s == '/') {
		size_t n = strcspn(s, "/");

		require(n > 0 && *s != '.');
		s += n;
	}
}

/* A link stays inside: it goes up at most as far as it is deep. */
static void check_link(const struct machine_file *f)
{
	unsigned up = 0, deep = 0;
	const char *s = f->bytes;
	char *to = strndup(f->bytes, f->n);

	require(to && *s != '/');
	for (s = to; strncmp(s, "../", 3) == 0; s += 3)
		up++;
	check_path(s);
	for (s = f->path; (s = strchr(s, '/')); s++)
		deep++;
	require(up <= deep + 1);
	free(to);
}

static void check_machine(const struct machine_text *m)
{
	for (unsigned i = 0; i < m->n_files; i++) {
		check_path(m->files[i].path);
		if (m->files[i].link)
			check_link(&m->files[i]);
	}
	require(m->n_pmus <= TOPO_PMUS_MAX);
	for (unsigned i = 0; i < m->n_pmus; i++)
		require(machine_family_of(m, m->pmus[i].name) != NULL);
	for (unsigned i = 0; i < m->n_curve; i++)
		require(m->curve[i].read_percent <= 100 && m->curve[i].ns >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct machine_text *m = NULL;
	struct diags d = { 0 };
	int r = machine_text_read("m", (const char *)data, n, find, NULL, &m, &d);

	require(r == 0 ? m && !d.n : !m && d.n);
	require(r == 0 || r == -EINVAL || r == -ENOMEM);
	for (size_t i = 0; i < d.n; i++)
		require(strncmp(d.v[i], "m:", 2) == 0 || strncmp(d.v[i], "loop:", 5) == 0 ||
			strncmp(d.v[i], "kernel:", 7) == 0);
	if (m)
		check_machine(m);
	machine_text_free(m);
	diags_done(&d);
	return 0;
}
