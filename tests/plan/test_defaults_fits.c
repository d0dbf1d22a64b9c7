/* SPDX-License-Identifier: MIT
 * What is ready fits onto the counters, constraints and filters that the
 * drivers have.
 * The trees (src/topo/machines) say what those are. The default groups of a machine count at the
 * same time, and are no more than 100 series of a socket; what no default group yields, in a group
 * of its own.
 */
#include "plan_test.h"
#include "sysfs_tree.h"

#include "planner/defaults.h"

#include <glob.h>

static const char *const trees[] = { SYSFS_TREES };

static struct sysfs_tree tree;

/* ------------------------------------------------------------------ events on counters */

/* Which general counters may count it: a bit for each; 0: it has a counter of its own. */
static uint64_t counters_for(const struct machine_family *hw, const struct plan_perf *e)
{
	uint64_t all = (UINT64_C(1) << hw->counters) - 1;

	if (hw->free || machine_is_fixed(hw, e->config))
		return 0;
	for (unsigned i = 0; i < hw->n_counter; i++) {
		const struct machine_rule *r = &hw->counter[i];

		if ((e->config & r->mask) >= r->first && (e->config & r->mask) <= r->last)
			all &= r->value;
	}
	return all;
}

/* A counter for each, from the i-th on. */
static bool place(const uint64_t *masks, unsigned n, uint64_t used)
{
	if (n == 0)
		return true;
	for (uint64_t rest = masks[0] & ~used; rest; rest &= rest - 1)
		if (place(masks + 1, n - 1, used | (rest & -rest)))
			return true;
	return false;
}

static void test_place(void **state)
{
	static const uint64_t both[] = { 3, 1 }, one[] = { 1, 1 },
		crowd[] = { 0xf, 0xf, 0xf, 0xf, 0xf }, ring[] = { 0xc, 0x3, 0x6, 0x8 };

	(void)state;
	assert_true(place(both, 2, 0));         /* not the first that comes */
	assert_false(place(one, 2, 0));
	assert_true(place(crowd, 4, 0));
	assert_false(place(crowd, 5, 0));
	assert_true(place(ring, 4, 0));
}

/* The bits of config1 that the driver hands to the hardware for this event. */
static uint64_t filter_of(const struct machine_family *hw, const struct plan_perf *e)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < hw->n_filter; i++)
		if ((e->config & hw->filter[i].mask) == hw->filter[i].first)
			bits |= hw->filter[i].value;
	return bits;
}

/* All events of one instance at once: counters for all, a filter that is heard, and not two values
 * of one filter. */
static void check_fits(const char *name, const struct plan_perf *v, unsigned n, unsigned first)
{
	const struct machine_family *hw = tree_hw(&tree, v[first].pmu);
	uint64_t masks[64];
	unsigned n_masks = 0;

	if (!hw)
		return;		/* cores' C-states, power: each event is a register of its own */
	for (unsigned i = first; i < n; i++) {
		if (v[i].type != v[first].type || v[i].cpu != v[first].cpu)
			continue;
		if (counters_for(hw, &v[i]))
			masks[n_masks++] = counters_for(hw, &v[i]);
		else if (!hw->free && !machine_is_fixed(hw, v[i].config))
			fail_msg("%s: no counter of the hardware takes %s", name, v[i].text);
		assert_true(n_masks < COUNT(masks));
		if (hw->filtered && (v[i].config1 & ~filter_of(hw, &v[i])))
			fail_msg("%s: the driver does not filter 0x%llx of %s", name,
				 (unsigned long long)(v[i].config1 & ~filter_of(hw, &v[i])),
				 v[i].text);
		for (unsigned k = first; hw->filtered && k < i; k++)
			if (v[k].type == v[i].type && v[k].cpu == v[i].cpu &&
			    ((v[k].config1 ^ v[i].config1) & filter_of(hw,
				    &v[k]) & filter_of(hw, &v[i])))
				fail_msg("%s: %s and %s want two values of one filter", name,
					 v[k].text, v[i].text);
	}
	if (!place(masks, n_masks, 0))
		fail_msg("%s: the %u events of %s do not fit its %u counters", name, n_masks,
			 v[first].pmu, hw->counters);
}

static void check_sockets(const char *name, const struct plan *p)
{
	for (unsigned s = 0; s < p->n_sockets; s++) {
		const struct plan_socket *socket = &p->sockets[s];

		if (socket->n_rounds > 1)
			fail_msg("%s: %u rounds", name, socket->n_rounds);
		for (unsigned i = 0; socket->n_rounds && i < socket->perf->rounds[0].n_events; i++)
			check_fits(name, socket->perf->rounds[0].events,
				   socket->perf->rounds[0].n_events, i);
	}
}

/* ------------------------------------------------------------------ a machine */

struct machine {
	const char *name;
	const struct topo *topo;
	const struct topo_pmus *pmus;
};

static void check_text(const struct machine *m, const char *text)
{
	struct made made = make_for_kernel(text, m->topo, m->pmus);

	if (made.r < 0)
		fail_msg("%s: %s: %s", m->name, text ? text : "the defaults", made.d.v[0]);
	check_sockets(m->name, made.p);
	for (unsigned i = 0; !text && i < made.p->n_sockets; i++)
		if (made.p->sockets[i].n_exported > 100)
			fail_msg("%s: %u series of socket %u", m->name,
				 made.p->sockets[i].n_exported, i);
	made_done(&made);
}

static void check_asked(void *p, const struct plan_predefined *r)
{
	char groups[4096];

	if (!r->absent && !r->by_default)
		check_text(p, group_of_inputs(r->metric, groups, sizeof(groups)));
}

static void test_machine(void **state)
{
	struct machine m = { .name = *state };
	struct topo_pmus *pmus;
	struct topo *topo;
	char text[64];

	snprintf(text, sizeof(text), "%s.txt", m.name);
	tree_make(&tree, text);
	m.topo = topo = tree_topo(&tree);
	m.pmus = pmus = tree_pmus(&tree);
	check_text(&m, NULL);
	plan_predefined_each(topo, pmus, NULL, check_asked, &m);
	topo_pmus_free(pmus);
	topo_free(topo);
	tree_drop(&tree);
}

/* The trees are all texts that are installed. */
static void test_no_machine_is_left_out(void **state)
{
	const char *src = getenv("top_srcdir");
	unsigned n = 0;
	char path[512];
	glob_t found;

	(void)state;
	snprintf(path, sizeof(path), "%s/src/topo/machines/*.txt", src ? src : ".");
	assert_int_equal(glob(path, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *file = strrchr(found.gl_pathv[i], '/') + 1;
		size_t length = strlen(file) - strlen(".txt");
		bool listed = false;

		for (size_t k = 0; k < COUNT(trees); k++)
			listed |= strlen(trees[k]) == length &&
				strncmp(trees[k], file, length) == 0;
		if (!listed)
			fail_msg("add %.*s to SYSFS_TREES", (int)length, file);
		n++;
	}
	assert_int_equal(n, COUNT(trees));
	globfree(&found);
}

int main(void)
{
	struct CMUnitTest tests[COUNT(trees) + 2] = {
		[COUNT(trees)] = cmocka_unit_test(test_place),
		[COUNT(trees) + 1] = cmocka_unit_test(test_no_machine_is_left_out),
	};

	for (size_t i = 0; i < COUNT(trees); i++)
		tests[i] = (struct CMUnitTest){ trees[i], test_machine, NULL, NULL,
						(void *)trees[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
