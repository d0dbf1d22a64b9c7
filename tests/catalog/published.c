/* SPDX-License-Identifier: MIT
 * What uncored makes of counts that a script gives, through a plan: its value of a metric before
 * anything rounds it.
 *
 * published MACHINE.txt < SCRIPT: the machine is one of src/topo/machines. Lines of the script:
 *     metric NAME                the plan of a configuration with one group, which is this metric
 *     forget                     no event has counted
 *     count PMU CONFIG CONFIG1 COUNT
 *                                the event with this config (hexadecimal) of one PMU,
 *                                "uncore_imc_3", of the first socket has counted so much
 *     window NANOSECONDS         in so long
 * Output, for published.py: after `metric` "refused SENTENCE" or "planned"; after `window` a line
 * "value X" (of a total: in a second) for each series that the first socket has of the metric, or
 * "none WHY", and a line "done".
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "plan_test.h"
#include "sysfs_tree.h"

#include "derive/derive.h"

#include <inttypes.h>
#include <stdio.h>

enum { COUNTS = 8192, SLOTS = 4096 };

static struct topo *topo;
static struct topo_pmus *pmus;
static struct made made;
static char metric[128];

static struct told {
	char pmu[64];
	uint64_t config, config1, count;
} told[COUNTS];
static unsigned n_told;

static void take_metric(void)
{
	char conf[256];

	made_done(&made);
	snprintf(conf, sizeof(conf), "groups = ( { name = \"g\"; metrics = [ \"%s\" ]; } );",
		 metric);
	made = make_for_kernel(conf, topo, pmus);
	if (made.r < 0)
		printf("refused %s\n", made.d.v[0]);
	else
		printf("planned\n");
}

static const struct told *told_of(const char *pmu, const struct plan_perf *e)
{
	for (const struct told *t = told; t < told + n_told; t++)
		if (strcmp(t->pmu, pmu) == 0 && t->config == e->config &&
		    t->config1 == e->config1 && e->config2 == 0)
			return t;
	return NULL;
}

/* False: of one of its events the script says nothing. */
static bool take_counts(const struct plan_socket *s, unsigned round, struct derive_input *in)
{
	const struct plan_round *r = &s->rounds[round];

	memset(in, 0, sizeof(*in) * SLOTS);
	assert_true(r->n_slots <= SLOTS);
	for (unsigned i = 0; i < r->n_slots; i++) {
		const struct plan_slot *slot = &r->slots[i];
		const struct plan_perf *e = &s->perf->rounds[round].events[slot->engine_slot];
		const struct told *t = told_of(slot->pmu, e);

		if (!t) {
			printf("none no published event is %s config 0x%" PRIx64 " config1 0x%"
			       PRIx64 "\n", slot->pmu, e->config, e->config1);
			return false;
		}
		in[i] = (struct derive_input){ .count = t->count, .usable = true };
	}
	return true;
}

static void print_value(const struct plan_socket *s, const struct plan_metric *m, nsec length)
{
	static struct derive_input in[SLOTS];
	struct derive_window window = { .length = length };
	enum derive_state state;
	double v = 0;

	if (!take_counts(s, m->round, in))
		return;
	if (m->counter)
		state = derive_rate(m, in, &window, &v);
	else
		state = derive_eval(m, in, &window, &v);
	if (state == DERIVE_VALID)
		printf("value %.17g\n", v);
	else
		printf("none state %d\n", (int)state);
}

static void take_window(nsec length)
{
	if (made.p) {
		const struct plan_socket *s = &made.p->sockets[0];

		for (unsigned i = 0; i < s->n_metrics; i++)
			if (strcmp(s->metrics[i].name, metric) == 0)
				print_value(s, &s->metrics[i], length);
	}
	printf("done\n");
}

static void obey(const char *line)
{
	struct told t;
	nsec length;

	if (sscanf(line, "metric %127s", metric) == 1) {
		take_metric();
	} else if (strcmp(line, "forget\n") == 0) {
		n_told = 0;
	} else if (sscanf(line, "count %63s %" SCNx64 " %" SCNx64 " %" SCNu64, t.pmu, &t.config,
			  &t.config1, &t.count) == 4) {
		assert_true(n_told < COUNTS);
		told[n_told++] = t;
	} else if (sscanf(line, "window %" SCNd64, &length) == 1) {
		take_window(length);
	} else {
		fail_msg("the script says: %s", line);
	}
}

int main(int argc, char **argv)
{
	struct sysfs_tree tree;
	char line[256];

	if (argc != 2)
		return 64;
	tree_make(&tree, argv[1]);
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	while (fgets(line, sizeof(line), stdin))
		obey(line);
	made_done(&made);
	topo_pmus_free(pmus);
	topo_free(topo);
	tree_drop(&tree);
	return 0;
}
