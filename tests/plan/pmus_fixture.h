/* SPDX-License-Identifier: MIT
 * Plans for the PMUs of one sysfs tree at a time.
 *
 * Never: expected values.
 */
#ifndef PMUS_FIXTURE_H
#define PMUS_FIXTURE_H

#include "plan_test.h"
#include "sysfs_tree.h"

#include <unistd.h>

#define ONE(spec) "groups = ( { name = \"g\"; events = [ " spec " ]; } );"

static struct sysfs_tree tree;

/* A plan of a whole configuration; NULL: the defaults. */
static inline struct made make_on(const struct sysfs_tree *t, const char *text)
{
	struct topo_pmus *pmus = NULL;
	struct topo *topo = tree_topo(t);
	struct made m;
	struct err err;

	assert_int_equal(topo_pmus_read(t->root, &pmus, &err), 0);
	m = make_for_kernel(text, topo, pmus);
	topo_pmus_free(pmus);
	topo_free(topo);
	return m;
}

/* A file of `tree`. */
static inline void tree_take_away(const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", tree.root, file);
	assert_int_equal(unlink(path), 0);
}

/* line: of the row, for the message; spec: the one event of the one group. */
static inline struct made make_good(int line, const char *spec)
{
	char text[512];
	struct made m;

	snprintf(text, sizeof(text), ONE("\"%s\""), spec);
	m = make_on(&tree, text);
	if (m.r < 0)
		fail_msg("line %d: %s", line, m.d.v[0]);
	return m;
}

/* One mistake, and its sentence has `part` in it. */
static inline void refused(int line, const char *spec, const char *part)
{
	char text[512];
	struct made m;

	snprintf(text, sizeof(text), ONE("\"%s\""), spec);
	m = make_on(&tree, text);
	if (m.r == 0 || m.d.n != 1 || !strstr(m.d.v[0], part))
		fail_msg("line %d: %zu: %s", line, m.d.n, m.d.n ? m.d.v[0] : "accepted");
	made_done(&m);
}

#endif
