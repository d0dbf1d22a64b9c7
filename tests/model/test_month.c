/* SPDX-License-Identifier: MIT
 * A month of virtual time on each family of registers, all its counters at once,
 * while faults come and go at random.
 * At every tick of a disturbance no total falls, and none has more than its counter counted. Once
 * the faults are gone all slots are valid again by themselves, within a minute; from then on each
 * total grows by what its counter counts, to the last count, until the next disturbance. make check
 * has three hours of it. The seed of a failure is printed; UNCORED_TEST_SEED=N runs that one again.
 */
#include "families.h"

#include <time.h>

enum { SOCKETS = 2, SLOTS = 256, DAY = 86400, MONTH = 31 * DAY, RECOVERY = 60 };

#define PATIENCE (600 * NSEC_PER_SEC)

static uint64_t seed, rnd;
static const struct family *family;
static struct rig r;
static struct run u;
static struct { uint64_t total, truth, last; } base[SOCKETS][SLOTS];
static nsec written_at[SOCKETS][SLOTS];         /* by somebody else */
static bool offline[SOCKETS], stopped[SOCKETS];
static unsigned n_faults[6], n_flagged;
static uint64_t n_wraps;

static unsigned pick(unsigned n)
{
	return (unsigned)(rig_random(&rnd) % n);
}

static void failed(unsigned socket, const struct slot *s, const char *what, uint64_t is,
		   uint64_t want)
{
	print_error("%s, seed %" PRIu64 ", second %" PRId64 ": socket %u %s: %s: %" PRIu64
		    ", not %" PRIu64 " (reason \"%s\")\n", family->name, seed,
		    (int64_t)(model_now(r.m) / NSEC_PER_SEC), socket, s->plan->identity, what, is,
		    want, reason_name(slot_reason(&u, socket, s)));
	fail();
}

/* f(socket, number, slot), for each slot. */
static void each_slot(void (*f)(unsigned socket, unsigned k, const struct slot *s))
{
	for (unsigned i = 0; i < SOCKETS; i++)
		for (unsigned k = 0; k < u.s[i].n_slots; k++)
			f(i, k, &u.s[i].slots[k]);
}

static void begin_account(unsigned socket, unsigned k, const struct slot *s)
{
	base[socket][k].total = base[socket][k].last = slot_total(&u, socket, s);
	base[socket][k].truth = model_truth(r.m, socket, s->data);
}

static void see_no_more(unsigned socket, unsigned k, const struct slot *s)
{
	uint64_t total = slot_total(&u, socket, s);
	uint64_t counted = model_truth(r.m, socket, s->data) - base[socket][k].truth;

	if (total < base[socket][k].last)
		failed(socket, s, "its total fell", total, base[socket][k].last);
	if (total - base[socket][k].total > counted)
		failed(socket, s, "more than was counted", total - base[socket][k].total, counted);
	base[socket][k].last = total;
	n_flagged += slot_reason(&u, socket, s) != REASON_NONE;
}

static void see_exact(unsigned socket, unsigned k, const struct slot *s)
{
	uint64_t is = slot_total(&u, socket, s) - base[socket][k].total;
	uint64_t counted = model_truth(r.m, socket, s->data) - base[socket][k].truth;

	if (is != counted)
		failed(socket, s, "while nothing disturbed it", is, counted);
	if (slot_reason(&u, socket, s) != REASON_NONE)
		failed(socket, s, "flagged for nothing", 1, 0);
}

static bool any_flagged;
static const struct slot *flagged;              /* the last of them */
static unsigned flagged_socket;

static void see_valid(unsigned socket, unsigned k, const struct slot *s)
{
	(void)k;
	if (slot_reason(&u, socket, s) == REASON_NONE)
		return;
	any_flagged = true;
	flagged = s;
	flagged_socket = socket;
}

/* ------------------------------------------------------------------ faults */

static void end_faults(unsigned socket)
{
	for (unsigned k = 0; k < u.s[socket].n_slots; k++) {
		model_fault(r.m, socket, MODEL_EIO, u.s[socket].slots[k].data, false);
		model_fault(r.m, socket, MODEL_EIO, u.s[socket].slots[k].ctl, false);
	}
	if (offline[socket])
		model_fault(r.m, socket, MODEL_OFFLINE, msr(0), false);
	if (stopped[socket])
		model_fault(r.m, socket, MODEL_STOP_CLOCK, msr(0), false);
	offline[socket] = stopped[socket] = false;
}

/* Somebody else's tool switches a counter off, not so often that it is left to him (three times in
 * ten minutes); a register that cannot be read; a socket that goes;
 * a clock that stands; the machine is suspended, or we are. */
static void disturb(unsigned socket)
{
	unsigned k = pick(u.s[socket].n_slots), what = pick(6);
	const struct slot *s = &u.s[socket].slots[k];

	n_faults[what]++;
	switch (what) {
	case 0:
		if (offline[socket] || model_now(r.m) - written_at[socket][k] < PATIENCE)
			break;
		written_at[socket][k] = model_now(r.m);
		model_write(r.m, socket, s->ctl, 0);
		break;
	case 1:
		model_fault(r.m, socket, MODEL_EIO, pick(2) ? s->data : s->ctl, true);
		break;
	case 2:
		offline[socket] = !offline[socket];
		model_fault(r.m, socket, MODEL_OFFLINE, msr(0), offline[socket]);
		break;
	case 3:
		stopped[socket] = !stopped[socket];
		model_fault(r.m, socket, MODEL_STOP_CLOCK, msr(0), stopped[socket]);
		break;
	case 4:
		rig_advance(&r, (nsec)pick(1800) * NSEC_PER_SEC);
		break;
	default:
		end_faults(socket);
	}
}

static void disturbed(unsigned seconds)
{
	each_slot(begin_account);
	for (unsigned t = 0; t < seconds; t++) {
		if (pick(100) < 10)
			disturb(pick(SOCKETS));
		run_ticks(&u, 1, 0);
		run_read_words(&u);
		each_slot(see_no_more);
	}
	for (unsigned i = 0; i < SOCKETS; i++)
		end_faults(i);
	any_flagged = true;
	for (unsigned t = 0; t < RECOVERY && any_flagged; t++) {
		run_ticks(&u, 1, 0);
		run_read_words(&u);
		each_slot(see_no_more);
		any_flagged = false;
		each_slot(see_valid);
	}
	if (any_flagged)
		failed(flagged_socket, flagged, "still flagged a minute after the faults", 1, 0);
}

static struct reg doubtful;             /* the last register that was read as if it were wrong */
static nsec doubtful_at;
static bool read_twice;

/* The W-Box's erratum (323535-001 p 2-128): what looks like it is read again, and time passes
 * between two reads of one register. */
static void pass_time(struct rig *rig, unsigned socket, struct reg reg, bool write)
{
	for (unsigned k = 0; k < u.s[socket].n_slots && !write; k++) {
		const struct slot *s = &u.s[socket].slots[k];

		if (!reg_equal(s->data, reg) ||
		    !reg_doubtful(&s->plan->erratum, model_peek(rig->m, socket, reg)))
			continue;
		if (reg_equal(reg, doubtful) && model_now(rig->m) == doubtful_at) {
			model_advance(rig->m, 100);
			read_twice = true;
		}
		doubtful = reg;
		doubtful_at = model_now(rig->m);
	}
}

/* Up to a tick that has read all registers in one moment. */
static void run_to_one_moment(void)
{
	do {
		read_twice = false;
		run_ticks(&u, 1, 0);
	} while (read_twice);
}

static void quiet(unsigned seconds)
{
	run_to_one_moment();
	each_slot(begin_account);
	run_ticks(&u, seconds, 0);
	run_to_one_moment();
	each_slot(see_exact);
}

static void a_month(const struct family *f, unsigned seconds)
{
	family = f;
	rnd = seed;
	memset(written_at, 0, sizeof(written_at));
	rig_open_as(&r, f->name, SOCKETS, "day", seed);
	peek(&r, 0, before, REGS);
	run_open(&u, &r, all(f, "interval = \"1s\";"), NULL);
	assert_true(u.s[0].n_slots == f->counters && f->counters <= SLOTS);
	for (unsigned i = 0; i < SOCKETS; i++)          /* each wraps within minutes or days */
		for (unsigned k = 0; k < u.s[i].n_slots; k++)
			model_poke(r.m, i, u.s[i].slots[k].data,
				   BIT(u.s[i].slots[k].plan->width) - BIT(30 + pick(14)));
	run_start(&u);
	r.hook = pass_time;
	run_ticks(&u, 2, 0);
	while (model_now(r.m) < (nsec)seconds * NSEC_PER_SEC) {
		disturbed(1 + pick(600));
		quiet(1 + pick(6 * 3600));
	}
	for (unsigned i = 0; i < SOCKETS; i++)
		n_wraps += u.s[i].words[W_WRAPS];
	rig_no_violation(&r);
	run_stop(&u);
	run_restore(&u, NULL);
	same_as_before(&r, f->name);
	run_close(&u);
	rig_close(&r);
}

static void a_month_of_each_family(void **state)
{
	const char *given = getenv("UNCORED_TEST_SEED");

	(void)state;
	seed = rig_long() ? (uint64_t)time(NULL) : 1;
	if (given)
		seed = strtoull(given, NULL, 0);
	print_message("seed %" PRIu64 "\n", seed);
	for (unsigned i = 0; i < COUNT(families); i++)
		a_month(&families[i], rig_long() ? MONTH : DAY / 8);
	for (unsigned i = 0; i < COUNT(n_faults); i++)  /* they were not in vain */
		assert_true(n_faults[i] > 0);
	assert_true(n_flagged > 0 && n_wraps > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_month_of_each_family) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
