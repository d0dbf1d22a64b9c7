/* SPDX-License-Identifier: MIT
 * A reload and an end during which something fails, at any moment: an access to
 * a register, the start of a thread; once, or from then on. Every register comes back; or it is
 * said that not all did, and the state file is enough.
 * The daemon's own functions (daemon/generation.h, restore.h, once.h) with its threads, on the
 * register model in real time.
 */
#include "restored.h"

#include "daemon/generation.h"
#include "daemon/restore.h"
#include "daemon/run.h"
#include "planner/restoring.h"
#include "process/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* Registers that both have, or only one of them: controls, sub-controls, a match register behind
 * its switch; turns. */
#define BEFORE \
	"groups = (" \
	"{ name = \"a\"; events = [ \"bbox/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\", " \
	"\"rbox/FLITS_SENT,port=1\" ]; }," \
	"{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\", " \
	"\"sbox/TO_R_PROG_EV,match=0x80000000000\" ]; } );"
#define AFTER \
	"groups = (" \
	"{ name = \"a\"; events = [ \"bbox/IMT_INSERTS_RD\", \"cbox0/LLC_HITS:ALL\", " \
	"\"rbox/FLITS_SENT,port=1\", " \
	"\"rbox/FLITS_SENT,port=2\", \"sbox0/TO_R_PROG_EV,match=0x40000000000\" ]; } );"

/* ------------------------------------------------------------------ what fails */

enum what { ACCESS_EIO, ACCESS_GONE, WRITE_EPERM, THREAD, N_WHAT };

static struct {
	enum what what;
	bool for_ever;
	atomic_int left;                /* until it fails, 0: never */
	atomic_bool failed;
} plan;

/* One more of those that may fail. */
static bool is_the_one(void)
{
	bool now = atomic_load(&plan.left) > 0 && atomic_fetch_sub(&plan.left, 1) == 1;

	if (now)
		atomic_store(&plan.failed, true);
	return now || (plan.for_ever && atomic_load(&plan.failed));
}

static int access_fails(struct rig *r, bool write)
{
	(void)r;
	if (plan.what == THREAD || (plan.what == WRITE_EPERM && !write) || !is_the_one())
		return 0;
	if (plan.what == ACCESS_EIO)
		return -EIO;
	return plan.what == ACCESS_GONE ? -ENXIO : -EPERM;
}

int __real_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*f)(void *), void *p);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*f)(void *), void *p);

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*f)(void *), void *p)
{
	return plan.what == THREAD && is_the_one() ? EAGAIN : __real_pthread_create(t, attr, f, p);
}

static void arm(struct rig *r, enum what what, bool for_ever, int n)
{
	plan.what = what;
	plan.for_ever = for_ever;
	atomic_store(&plan.failed, false);
	atomic_store(&plan.left, n);
	r->fails = access_fails;
}

/* Everything works again. */
static bool disarm(struct rig *r)
{
	r->fails = NULL;
	plan.for_ever = false;
	atomic_store(&plan.left, 0);
	return atomic_load(&plan.failed);
}

/* ------------------------------------------------------------------ a generation */

static char dir[64];
static const struct options options = { .run = dir, .dev = "/dev", .format = EXPO_JSON };

static int make_dir(void **state)
{
	(void)state;
	log_set_level("err");
	/* in memory, if there is such a place: thousands of state files are synced */
	snprintf(dir, sizeof(dir), "%s/uncored-moment-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

struct life {
	struct run u;
	struct generation g;
};

static void life_open(struct life *l, struct rig *r, const char *groups, const char *interval,
		      struct life *old)
{
	unsigned n = r->n_sockets;
	char conf[1024];

	snprintf(conf, sizeof(conf), "interval = \"%s\"; rotation = \"%s\"; %s", interval,
		 interval, groups);
	run_open(&l->u, r, conf, old ? &old->u : NULL);
	l->g = (struct generation){ .plan = l->u.plan, .conf = l->u.conf };
	l->g.sockets = calloc(n, sizeof(*l->g.sockets));
	for (unsigned i = 0; i < n; i++)
		l->g.sockets[i].engines.regs = l->u.s[i].engine;
}

static void life_close(struct life *l)
{
	for (unsigned i = 0; i < l->u.rig->n_sockets; i++)
		sampler_free(l->g.sockets[i].sampler);
	shared_free(l->g.shared);
	free(l->g.sockets);
	run_close(&l->u);
}

static struct machine machine_of(struct rig *r)
{
	return (struct machine){ .engine = CONF_MODEL, .processor = r->cpu, .topo = r->topo,
				 .model = r->m };
}

/* By the state file alone, if there is one. */
static bool restored_by_file(struct rig *r)
{
	struct plan_program of;
	struct state *st = NULL;

	assert_int_equal(state_read(dir, &st, NULL), 0);
	if (!st)
		return false;
	assert_int_equal(plan_program_begin(r->cpu, &of), 0);
	for (unsigned i = 0; i < st->n_sockets; i++) {
		struct regio *io = rig_io_new(r, st->sockets[i].socket, NULL);

		assert_int_equal(state_restore_socket(st, i, &of, io, NULL), 0);
		regio_free(io);
	}
	plan_program_done(&of);
	state_free(st);
	assert_int_equal(state_remove(dir), 0);
	return true;
}

/* ------------------------------------------------------------------ a reload, and the end */

/* Of each socket. */
static uint64_t counting[RIG_SOCKETS][RIG_REGS];

static void remember_counting(struct rig *r)
{
	for (unsigned i = 0; i < r->n_sockets; i++)
		rig_peek_all(r, i, counting[i]);
}

static void counts_as_remembered(struct rig *r, int line)
{
	for (unsigned i = 0; i < r->n_sockets; i++) {
		rig_peek_all(r, i, after);
		rig_same(counting[i], after, line);
	}
}

/* As loop.c does it. Returns whether it failed at all. */
static bool reload_failing(enum what what, bool for_ever, int n)
{
	struct life old, next, *now = &old, *failed = NULL;
	struct machine m;
	struct rig r;
	bool all = true, hit;
	int back = 0, rc;

	rig_open_real(&r, 2);
	litter(&r, 7);
	remember(&r);
	m = machine_of(&r);
	life_open(&old, &r, BEFORE, "10s", NULL);       /* its first turn outlasts the test */
	assert_int_equal(restore_save(&options, &m, &old.g, NULL, NULL), 0);
	assert_int_equal(generation_new_rings(&old.g, NULL), 0);
	assert_int_equal(generation_describe(&old.g, &m, NULL, NULL), 0);
	assert_int_equal(generation_start(&old.g, NULL, false, NULL), 0);
	life_open(&next, &r, AFTER, "1s", &old);
	assert_int_equal(restore_save(&options, &m, &next.g, &old.g, NULL), 0);
	remember_counting(&r);
	arm(&r, what, for_ever, n);
	rc = generation_swap(&old.g, &next.g, &m, false, &back);
	if (rc < 0 && !for_ever)        /* not a register shows that there was another */
		counts_as_remembered(&r, __LINE__);
	if (!rc)
		assert_int_equal(restore_save(&options, &m, &next.g, NULL, NULL), 0);
	if (!rc)
		now = &next;
	else if (back < 0)
		failed = &next;
	assert_true(for_ever || back == 0);             /* one error never ends it */
	generation_stop(&now->g, 0);
	if (failed)
		all = generation_restore(&failed->g, NULL);
	all &= generation_restore(&now->g, NULL);
	hit = disarm(&r);
	if (!for_ever && !all)
		fail_msg("one error (%u) at access %d was not tried again", what, n);
	if (all)
		assert_int_equal(state_remove(dir), 0);
	else
		assert_true(restored_by_file(&r));
	/* a switch that could not be written is a violation, and no wonder */
	values_as_remembered(&r, __LINE__);
	life_close(&old);
	life_close(&next);
	rig_close(&r);
	return hit;
}

static void all_moments(bool (*failing)(enum what what, bool for_ever, int n))
{
	for (enum what what = 0; what < N_WHAT; what++)
		for (unsigned for_ever = 0; for_ever < 2; for_ever++) {
			int n = 1;

			while (failing(what, for_ever, n))
				n += rig_long() ? 1 : 1 + n % 11;
			print_message("%u, %s: %d moments\n", what,
				      for_ever ? "from then on" : "once", n - 1);
			assert_true(n > 4 || what == THREAD);
		}
}

static void a_reload_at_any_moment(void **state)
{
	(void)state;
	all_moments(reload_failing);
}

/* ------------------------------------------------------------------ uncored --once */

static bool once_failing(enum what what, bool for_ever, int n)
{
	int out = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY), code;
	struct options o = options;
	struct loop once = { .o = &o, .now = life_of(LIFE_WAITING), .lock = -1,
			     .state_file = true };
	struct life l;
	struct rig r;
	bool hit;

	rig_open_real(&r, 1);
	litter(&r, 8);
	remember(&r);
	life_open(&l, &r, BEFORE, "10ms", NULL);
	o.mode = MODE_ONCE;
	once.machine = machine_of(&r);
	once.g = &l.g;
	arm(&r, what, for_ever, n);
	fflush(stdout);
	dup2(null, STDOUT_FILENO);
	code = run_opened(&once);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	hit = disarm(&r);
	if (restored_by_file(&r) && (code == 0 || !for_ever))
		fail_msg("error %u at access %d: exit code %d, and the state file is there",
			 what, n, code);
	/* a switch that could not be written is a violation, and no wonder */
	values_as_remembered(&r, __LINE__);
	close(out);
	close(null);
	life_close(&l);
	rig_close(&r);
	return hit;
}

static void once_at_any_moment(void **state)
{
	(void)state;
	all_moments(once_failing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_reload_at_any_moment, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(once_at_any_moment, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
