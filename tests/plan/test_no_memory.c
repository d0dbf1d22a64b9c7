/* SPDX-License-Identifier: MIT
 * Configurations and plans for which there is not enough memory, wherever it
 * ends.
 * Every piece of an arena is an allocation of its own here, and each of them fails once.
 * libconfig's own do not: it ends the process, and whoever counts tries a configuration in another
 * one first.
 */
#include "plan_test.h"
#include "sysfs_tree.h"

#define ARENA_CHUNK 1                   /* this arena is linked, and not the library's */
#include "base/arena.c"

#include <errno.h>

/* ---- the allocator, as the linker hands its calls to us (--wrap) */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
void __wrap_free(void *p);

static unsigned long calls, fails_at;   /* 0: never */
static bool fails_on;                   /* and so do all after it */
static long live;                       /* not freed yet */

static bool fails(void)
{
	calls++;
	return fails_at && (fails_on ? calls >= fails_at : calls == fails_at);
}

static void *counted(void *p)
{
	live += p != NULL;
	return p;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : counted(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
	if (fails())
		return NULL;
	return p ? __real_realloc(p, n) : counted(__real_realloc(p, n));
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : counted(__real_strdup(s));
}

void __wrap_free(void *p)
{
	live -= p != NULL;
	__real_free(p);
}

/* ---- every moment */

static const char *const texts[] = {
	/* what is counted, derived and sampled */
	"interval = \"1s\"; listen = [ \"127.0.0.1:0\", \"[::1]:9\" ]; hosts = [ \"a.example\", "
	"\"b\" ];\n"
	"groups = ( { name = \"memory\"; resolution = \"100ms\"; events = [ "
	"\"bbox/IMT_VALID_OCCUPANCY\", \"bbox/IMT_INSERTS_ALL\" ];\n"
	"    distribution = true; },\n"
	"  { name = \"links\"; events = [ \"rbox/FLITS_SENT,port=0\", \"wbox/CLOCKTICKS\" ]; } );\n"
	"metrics = ( { name = \"imt_latency_cycles\"; numerator = ( "
	"\"bbox/IMT_VALID_OCCUPANCY\" );\n"
	"    denominator = ( { event = \"bbox/IMT_INSERTS_ALL\"; weight = 2; } ); help = \"h\"; "
	"} );\n",
	/* groups that take turns, and a window */
	"groups = ( { name = \"a\"; events = [ \"bbox/IMT_FULL\" ]; }, { name = \"b\"; events = [ "
	"\"bbox/CONFLICTS\" ]; },\n"
	"  { name = \"c\"; events = [ \"bbox0/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\" ];\n"
	"    window = { event = \"bbox0/IMT_INSERTS_ALL\"; count = 1000; }; } );\n",
	/* mistakes of every kind of sentence */
	"groups = ( { name = \"a\"; events = [ \"bbox/IMT_FUL\", \"bbox/IMT_FULL:X\", \"nobox/X\", "
	"\"cbox/LLC_HITS\", \"ha/X\",\n"
	"    \"rbox/FLITS_SENT\", \"bbox/IMT_FULL,counter=0\", \"bbox/IMT_FULL,thresh=1\", "
	"\"perf/nopmu/x/\" ]; },\n"
	"  { name = \"b\"; events = [ \"bbox/IMT_FULL\", \"bbox/CONFLICTS\" ]; } );\n"
	"metrics = ( { name = \"x_ratio\"; numerator = ( \"bbox/IMT_FULL\" ); denominator = ( "
	"\"bbox/NO\" ); } );\n",
};

struct job {
	const char *text;               /* NULL: the default */
	const struct cat_processor *processor;
	const struct topo *topo;
	const struct topo_pmus *pmus;
	struct conf *conf;              /* NULL: the text is read, else planned */
};

/* Reads or plans with the Nth allocation failing. What it says, and what remains, is checked. */
static int try(const struct job *j, unsigned long n, bool on)
{
	struct plan_input in = { .conf = j->conf, .processor = j->processor, .topo = j->topo,
				 .pmus = j->pmus,
				 .perf_engine = !j->processor };
	struct conf *conf = NULL;
	struct plan *plan = NULL;
	struct diags d = { 0 };
	long before = live;
	int r;

	calls = 0;
	fails_at = n;
	fails_on = on;
	if (j->conf)
		r = plan_build(&in, &plan, &d);
	else if (j->text)
		r = conf_parse("t.conf", j->text, strlen(j->text), &conf, &d);
	else
		r = (conf = conf_default()) ? 0 : -ENOMEM;
	fails_at = 0;
	if (r < 0 && j->text && !d.n && !d.dropped)
		fail_msg("allocation %lu: no sentence", n);
	if (r < 0 && (plan || conf))
		fail_msg("allocation %lu: %d, and a result", n, r);
	plan_free(plan);
	conf_free(conf);
	diags_done(&d);
	if (live != before)
		fail_msg("allocation %lu: %ld not freed", n, live - before);
	return r;
}

static void every_moment(const struct job *j)
{
	int well = try(j, 0, false);
	unsigned long all = calls, step = 1 + all / 2000, failed = 0;

	assert_true(all > 3);
	for (unsigned long n = 1; n <= all; n += n < 100 ? 1 : step)
		for (unsigned on = 0; on < 2; on++) {
			int r = try(j, n, on);

			failed += r == -ENOMEM;
			if (r != -ENOMEM && r != well)
				fail_msg("allocation %lu of %lu: %d, well it is %d", n,
					 all, r, well);
		}
	assert_true(failed > 1);
	assert_int_equal(try(j, 0, false), well);
}

static void test_reading(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		every_moment(&(struct job){ .text = texts[i] });
	every_moment(&(struct job){ .text = "groups = ( { name = 7; evnts = [ \"x\", ]; } )" });
	every_moment(&(struct job){ .text = "groups = ( { name = 7; evnts = [ \"x\" ]; } )" });
	every_moment(&(struct job){ 0 });
}

static void plan_every(struct job j, bool mistakes)
{
	struct diags d = { 0 };

	if (j.text)
		assert_int_equal(conf_parse("t.conf", j.text, strlen(j.text), &j.conf, &d), 0);
	else
		j.conf = conf_default();
	assert_int_equal(try(&j, 0, false), mistakes ? -EINVAL : 0);
	every_moment(&j);
	conf_free(j.conf);
}

static void test_planning(void **state)
{
	struct topo *t = topo_model(6, 0x2e, 2, 8);

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		plan_every((struct job){ .text = texts[i], .topo = t,
					 .processor = cat_processor_by_name("nehalem-ex") },
					 i == 2);
	plan_every((struct job){ .topo = t, .processor = cat_processor_by_name("nehalem-ex") },
		   false);
	topo_free(t);
}

static void test_kernel(void **state)
{
	struct sysfs_tree tree;
	struct topo *t;
	struct topo_pmus *pmus;

	(void)state;
	tree_make(&tree, "skx.txt");
	t = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	plan_every((struct job){ .topo = t, .pmus = pmus }, false);
	plan_every((struct job){ .topo = t,
				 .pmus = pmus, .text = "groups = ( { name = \"a\"; events = [ "
				 "\"perf/imc/cas_count_read/\","
				 "\"perf/imc/nothing/\", \"perf/nopmu/x/\", \"bbox/IMT_FULL\", "
				 "\"cha/X\" ]; } );" }, true);
	topo_pmus_free(pmus);
	topo_free(t);
	tree_drop(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_planning),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
