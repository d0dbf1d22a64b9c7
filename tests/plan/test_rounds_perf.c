/* test_rounds_perf.c - groups of perf events that want more counters than a PMU has take turns.
 *
 * The counters are the drivers' (num_counters and fixed_ctr in Linux 6.12, arch/x86/events/intel/uncore_snbep.c).
 */
#include "config.h"

#include "plan_test.h"
#include "sysfs_tree.h"

/* "a: imc/1 imc/2; b: imc_0/3" as groups of a configuration: events of that number on that PMU. */
static void write_groups(const char *groups, char *text, size_t size)
{
	char copy[512], *group = NULL, *save = NULL;

	snprintf(copy, sizeof(copy), "%s", groups);
	snprintf(text, size, "groups = (");
	for (char *w = strtok_r(copy, " ;", &save); w; w = strtok_r(NULL, " ;", &save)) {
		size_t used = strlen(text);
		char *slash = strchr(w, '/');

		if (slash) {
			snprintf(text + used, size - used, "%s \"perf/%.*s/config=%s,name=e%s/\"", text[used - 1] == '[' ? "" : ",",
				 (int)(slash - w), w, slash + 1, slash + 1);
			continue;
		}
		w[strlen(w) - 1] = '\0';
		snprintf(text + used, size - used, "%s { name = \"%s\"; events = [", group ? " ]; }," : "", w);
		group = w;
	}
	strcat(text, " ]; } );");
}

static struct made make_on(const char *text, const char *groups)
{
	struct sysfs_tree tree;
	struct topo_pmus *pmus;
	struct conf *c = NULL;
	struct made m = { 0 };
	struct topo *topo;

	tree_make(&tree, text);
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	m.r = conf_parse("t.conf", groups, strlen(groups), &c, &m.d);
	if (m.r == 0) {
		struct plan_input in = { .conf = c, .topo = topo, .pmus = pmus, .perf_engine = true };

		m.r = plan_build(&in, &m.p, &m.d);
		conf_free(c);
	}
	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	topo_pmus_free(pmus);
	topo_free(topo);
	tree_drop(&tree);
	return m;
}

static void test_turns(void **state)
{
	static const struct { int line; const char *tree, *groups, *rounds; } rows[] = {
		/* four counters: 3 and 3 do not fit, 3 and 1 do; a group of another PMU goes along with the first */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4 imc/5 imc/6; c: pcu/1", "010" },
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4", "00" },
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4 imc/5; c: imc/6", "010" },
		/* what stands in both is counted once */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/2 imc/3 imc/4", "00" },
		/* each instance has its own */
		{ __LINE__, "skx.txt", "a: imc_0/1 imc_0/2 imc_0/3; b: imc_1/1 imc_1/2 imc_1/3", "00" },
		{ __LINE__, "skx.txt", "a: imc_0/1 imc_0/2 imc_0/3; b: imc/4 imc/5", "01" },
		/* the fixed counter is none of the four */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4 imc/0xff", "00" },
		/* a group too large for any round is for the kernel to refuse, with its own reason */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3 imc/4 imc/5", "0" },
		/* no table knows this PMU */
		{ __LINE__, "zen2.txt", "a: amd_iommu/1 amd_iommu/2 amd_iommu/3; b: amd_iommu/4 amd_iommu/5 amd_iommu/6", "00" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[2048];
		struct made m;

		write_groups(rows[i].groups, text, sizeof(text));
		m = make_on(rows[i].tree, text);
		for (unsigned s = 0; s < 2; s++)
			for (unsigned g = 0; rows[i].rounds[g]; g++)
				if (m.p->sockets[s].groups[g].round != (unsigned)(rows[i].rounds[g] - '0'))
					fail_msg("line %d: group %u is in round %u", rows[i].line, g, m.p->sockets[s].groups[g].round);
		assert_int_equal(m.p->sockets[0].perf.n_rounds, m.p->sockets[0].n_rounds);
		made_done(&m);
	}
}

static void test_says_why(void **state)
{
	char text[512];
	struct made m;

	write_groups("a: imc/1 imc/2 imc/3; b: imc/4 imc/5 imc/6", text, sizeof(text));
	m = make_on("skx.txt", text);
	(void)state;
	assert_int_equal(m.p->n_notes, 1);
	assert_string_equal(m.p->notes[0], "Group 'b' takes turns with 'a': 6 events want one of the 4 counters of the kernel's PMU "
			    "uncore_imc_0.");
	made_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_turns), cmocka_unit_test(test_says_why) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
