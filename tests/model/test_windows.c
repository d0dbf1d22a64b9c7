/* test_windows.c - exact windows (323535-001 2.1.1 to 2.1.4): totals are what the counters counted, each window holds N
 * and what came until the freeze, however late it is looked at, and nothing is left behind.
 *
 * Every expectation is taken from the model's own account: model_truth(), model_counting().
 */
#include "config.h"

#include "rig.h"

#define SECOND "interval = \"1s\"; "
#define EVENTS "\"wbox/CLOCKTICKS\", \"bbox/IMT_INSERTS_ALL\", \"bbox/IMT_VALID_OCCUPANCY\", \"cbox/LLC_HITS:ALL\""
#define GROUP(event, n, events) \
	"groups = ( { name = \"w\"; window = { event = \"" event "\"; count = " #n "; }; events = [ " events " ]; } );"

/* What is seen of the windows of a run from outside, at the moment when uncored preloads a counter. */
struct watch {
	struct run *u;
	unsigned socket;
	const struct slot *slot;    /* its counter ends the windows */
	uint64_t count;             /* N */
	uint64_t truth;             /* of the counter, when the window began */
	unsigned windows;           /* that ended */
	uint64_t rests;             /* what came after their Nth event */
};

static void watch_begin(struct watch *w, struct run *u, unsigned socket, const char *identity, uint64_t count)
{
	*w = (struct watch){ .u = u, .socket = socket, .slot = run_slot(u, socket, identity), .count = count };
	w->truth = model_truth(u->rig->m, socket, w->slot->data);
}

/* The register holds what came after the overflow: that and N is all that was counted, and nothing moves any more. */
static void window_ends(struct rig *r, struct watch *w)
{
	uint64_t truth = model_truth(r->m, w->socket, w->slot->data), rest = model_peek(r->m, w->socket, w->slot->data);

	for (unsigned k = 0; k < w->u->s[w->socket].n_slots; k++)
		assert_false(model_counting(r->m, w->socket, w->u->s[w->socket].slots[k].data));
	if (truth == w->truth)
		return;                 /* the first preload */
	same_u64(truth - w->truth, w->count + rest, w->slot->plan->identity, __LINE__);
	w->truth = truth;
	w->windows++;
	w->rests += rest;
}

static void watch_writes(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	struct watch *w = r->hook_arg;

	if (write && socket == w->socket && reg_equal(reg, w->slot->data))
		window_ends(r, w);
}

/* Until the next sample; between two samples the sampler may look at a clock. */
static void grid_ticks(struct run *u, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		do
			run_ticks(u, 1, 0);
		while (model_now(u->rig->m) % u->plan->interval);
}

/* One group, one window in each second: 1000000 inserts of B-Box 1. */
static void totals_and_windows_are_exact(void **state)
{
	const uint64_t *words;
	struct watch w;
	uint64_t clock;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 3);
	run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000, EVENTS), NULL);
	words = u.s[0].words;
	watch_begin(&w, &u, 0, "bbox1/IMT_INSERTS_ALL", 1000000);
	r.hook = watch_writes;
	r.hook_arg = &w;
	run_start(&u);
	for (unsigned k = 0; k < 300; k++) {
		grid_ticks(&u, 1);
		run_exact(&u, __LINE__, NULL);
		assert_int_equal(w.windows, k + 1);
	}
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	/* Time stands still during a tick here: what was active and what was frozen is all of it. */
	clock = slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS"));
	same_u64(words[W_FROZEN] + words[u.s[0].layout.group_active], 300 * NSEC_PER_SEC, "frozen and active", __LINE__);
	/* The uncore clock of 2.4 GHz ran in the active time only; each of the 300 windows is rounded to a ns. */
	assert_in_range(words[u.s[0].layout.group_active] * 24 / 10, clock - 720, clock + 720);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_windows_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
