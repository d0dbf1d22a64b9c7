/* SPDX-License-Identifier: MIT
 * A socket that is two in some way: more last-level caches than its processor has, or more CPUs
 * that count for it than it has parts. Its sums would hold something twice, and have no value.
 */
#include "plan_test.h"
#include "sysfs_tree.h"

#include "spec/kernel.h"

static struct topo *topo;
static struct topo_pmus *pmus;

/* Each CPU of socket 0 says that it has a last-level cache of its own; of socket 1, one for all. */
static void two_caches(struct topo *t)
{
	for (unsigned i = 0; i < t->n_cpus; i++) {
		t->cpus[i].has_llc = true;
		t->cpus[i].llc = t->cpus[i].socket ? t->sockets[1].cpus->cpu : t->cpus[i].cpu;
	}
	t->sockets[0].n_caches = t->sockets[0].n_cpus;
	t->sockets[1].n_caches = 1;
}

/* How many metrics of a socket have no value, whole ones in *ret_whole. */
static unsigned hidden_on(const struct plan *p, unsigned socket, unsigned *ret_whole)
{
	const struct plan_socket *s = &p->sockets[socket];
	unsigned hidden = 0;

	*ret_whole = 0;
	for (unsigned i = 0; i < s->n_metrics; i++) {
		hidden += s->metrics[i].hidden != NULL;
		*ret_whole += s->metrics[i].sum && !s->metrics[i].hidden;
	}
	return hidden;
}

/* Two packages with one number, on processors whose package has one cache, by either engine; a Zen
 * has many. */
static void test_caches(void **state)
{
	static const char *const names[] = { "nehalem", "westmere", "nehalem-ex", "westmere-ex",
					     "ivytown" };
	struct sysfs_tree tree;
	unsigned whole;
	struct made m;

	(void)state;
	for (unsigned i = 0; i < COUNT(names); i++) {
		const struct cat_processor *p = cat_processor_by_name(names[i]);
		struct conf *c = conf_default();
		struct plan_input in = { .conf = c, .processor = p };

		topo = topo_model(p->ids[0].family, p->ids[0].model, 2, 4);
		two_caches(topo);
		in.topo = topo;
		m = (struct made){ 0 };
		assert_int_equal(plan_build(&in, &m.p, &m.d), 0);
		assert_true(hidden_on(m.p, 0, &whole) > 0);
		assert_int_equal(whole, 0);
		assert_int_equal(hidden_on(m.p, 1, &whole), 0);
		assert_true(whole > 0);
		assert_int_equal(m.p->n_notes > 0, true);
		made_done(&m);
		conf_free(c);
		topo_free(topo);
	}
	for (unsigned zen = 0; zen < 2; zen++) {
		tree_make(&tree, zen ? "zen4.txt" : "nehalem.txt");
		topo = tree_topo(&tree);
		pmus = tree_pmus(&tree);
		if (!zen)
			two_caches(topo);
		m = make_for_kernel(NULL, topo, pmus);
		assert_int_equal(m.r, 0);
		assert_true(zen ? hidden_on(m.p, 0, &whole) == 0 : hidden_on(m.p, 0, &whole) > 0);
		assert_int_equal(hidden_on(m.p, 1, &whole), 0);
		assert_true(whole > 0);
		made_done(&m);
		topo_free(topo);
		topo_pmus_free(pmus);
		tree_drop(&tree);
	}
}

/* Each PMU of the family names a second CPU of socket 0: the mask that a kernel before 57e11990f45f
 * gives where each core complex has a die_id of its own. */
static void name_another(const char *family, unsigned cpus[2])
{
	for (unsigned i = 0; i < pmus->n; i++)
		if (perf_is_family(family, pmus->v[i].name) || strcmp(family, pmus->v[i].name) == 0)
			for (unsigned c = 0; c < pmus->v[i].n_cpumask; c++)
				if (pmus->v[i].cpumask[c] == cpus[0]) {
					pmus->v[i].cpumask = cpus;
					pmus->v[i].n_cpumask = 2;
					break;
				}
}

/* What has the socket as its part is counted twice by two CPUs, however many dies the kernel sees;
 * of a PMU of the uncore that no table knows a die is the part. */
static void test_more_cpus_than_parts(void **state)
{
	static const struct {
		const char *tree, *family, *conf, *metric;
		unsigned other;
		bool dies;
	} rows[] = {
		{ "zen4", "amd_umc", NULL, "uncore_memory_read_bytes_total", 2, true },
		{ "unnamed", "uncore_imc", "groups = ( { name = \"g\"; events = [ "
		  "\"perf/uncore_imc/event=5,name=reads/\" ]; } ); metrics = ( { name = "
		  "\"own_reads_total\"; "
		  "per = \"socket\"; numerator = ( \"perf/uncore_imc/event=5,name=reads/\" ); } );",
		  "uncore_own_reads_total", 2, false },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		unsigned cpus[2] = { 0, rows[i].other }, found = 0;
		struct sysfs_tree tree;
		char text[64];
		struct made m;

		snprintf(text, sizeof(text), "%s.txt", rows[i].tree);
		tree_make(&tree, text);
		topo = tree_topo(&tree);
		pmus = tree_pmus(&tree);
		for (unsigned n = 0; rows[i].dies && n < topo->sockets[0].n_cpus; n++)
			topo->sockets[0].cpus[n].die = topo->sockets[0].cpus[n].cpu / 2;
		if (rows[i].dies)
			topo->sockets[0].n_dies = topo->sockets[0].n_cpus / 2;
		name_another(rows[i].family, cpus);
		m = make_for_kernel(rows[i].conf, topo, pmus);
		if (m.r < 0)
			fail_msg("%s: %s", rows[i].tree, m.d.v[0]);
		for (unsigned n = 0; n < m.p->sockets[0].n_metrics; n++) {
			const struct plan_metric *metric = &m.p->sockets[0].metrics[n];

			if (strcmp(metric->family, rows[i].metric) != 0)
				continue;
			assert_non_null(metric->hidden);
			found++;
		}
		assert_int_equal(found, 1);
		made_done(&m);
		topo_free(topo);
		topo_pmus_free(pmus);
		tree_drop(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_more_cpus_than_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
