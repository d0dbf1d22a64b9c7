/* SPDX-License-Identifier: MIT
 * What a Prometheus would scrape of uncored while something goes wrong, and what really
 * happened meanwhile.
 * Two machines, one with registers (the model) and one with perf events (a made-up kernel), each on
 * a clock of its own that only this program moves: 25 minutes take milliseconds. For each kind
 * of gap both start anew, and every 15 seconds of theirs the library's own renderer writes what it
 * would serve.
 *
 * Output, to be read by gaps.py: "# scrape GAP INSTANCE MS" and the samples of that scrape; no
 * samples if nothing answered. Series "truth" among them are events that happened in total since
 * the machine began, whether anybody counted them or not; "ran" is the time of the socket's clock.
 */
#include "rig.h"

#include "plan_test.h"
#include "sysfs_tree.h"

#include "fake_perf.h"

#include "machine/cpu_of.h"
#include "served.h"

#define SCRAPE      (15 * NSEC_PER_SEC)
#define END         (1500 * NSEC_PER_SEC)
#define SOCKETS     SERVED_SOCKETS
#define CHANNELS    6               /* of a socket of skx.txt: its uncore_imc_0 to 5 */
#define IMC_0       60              /* type of uncore_imc_0 */

/* ------------------------------------------------------------------ configurations */

#define REG_CONF(names) "interval = \"1s\"; rotation = \"4s\"; groups = (" names ");"
#define MEMORY "\"bbox/IMT_VALID_OCCUPANCY\", \"bbox/IMT_INSERTS_ALL\", \"bbox/CONFLICTS\""
#define COMMANDS "\"mbox/FVC_EV0:BBOX_CMDS_READS\""
#define CACHE "\"cbox/LLC_HITS:ALL\", \"cbox/LLC_MISSES:ALL\""
/* A port counts two events of this kind at once. */
#define LINKS "\"rbox/FLITS_SENT,port=0\", \"rbox/NULL_IDLE,port=0\", " \
	"\"rbox/NEW_PACKETS_RECV:ANY_DRS,port=1\""
#define CLOCK "\"wbox/CLOCKTICKS\""
#define GROUP(name, events) "{ name = \"" name "\"; events = [ " events " ]; }"

static const char reg_plain[] = REG_CONF(
	GROUP("memory", MEMORY ", " CLOCK) ", " GROUP("commands", COMMANDS) ", "
	GROUP("cache", CACHE) ", " GROUP("links", LINKS ", " CLOCK));
/* The same events under other names, in other groups, and some more. */
static const char reg_moved[] = REG_CONF(
	GROUP("ram", COMMANDS ", " CLOCK ", " MEMORY) ", "
	GROUP("all", CACHE ", " LINKS ", \"mbox/CYCLES\""));
/* B-Boxes count these inserts on the same counter: two rounds. What the first counts besides,
 * the second counts in part as well. */
static const char reg_turns[] = REG_CONF(
	GROUP("memory", MEMORY ", " CLOCK ", " COMMANDS) ", "
	GROUP("reads", "\"bbox/IMT_INSERTS_IOH\", \"bbox/CONFLICTS\", " CLOCK ", " CACHE) ", "
	GROUP("links", LINKS ", \"bbox/IMT_INSERTS_IOH\", " CLOCK));
/* The hardware freezes all counters after so many inserts, about half of each second. */
static const char reg_windows[] = REG_CONF(
	"{ name = \"memory\"; window = { event = \"bbox1/IMT_INSERTS_ALL\"; count = 80000000; };"
	"  events = [ " MEMORY ", " CLOCK ", " COMMANDS ", " CACHE ", " LINKS " ]; }");
/* Without the events that the others begin with. */
static const char reg_less[] = REG_CONF(GROUP("cache", CACHE));

#define PERF_CONF(names) "interval = \"1s\"; groups = (" names ");"
#define READS "\"perf/uncore_imc/cas_count_read/\""
#define WRITES "\"perf/uncore_imc/cas_count_write/\""
static const char perf_plain[] = PERF_CONF(GROUP("memory", READS ", " WRITES));
static const char perf_moved[] = PERF_CONF(GROUP("r", READS) ", " GROUP("w", WRITES));
static const char perf_less[] = PERF_CONF(GROUP("w", WRITES));

/* ------------------------------------------------------------------ a machine */

/* One generation of the daemon: what a reload replaces. */
struct generation {
	struct run run;                         /* registers: what `served` shows is its own */
	struct served served;
};

static struct {
	const char *gap, *name;
	const char *machine;                    /* with what is ready for it; NULL: skx.txt */
	nsec end;
	uint64_t seed;                          /* not 0: what chance() picks happens */
	bool registers;
	struct generation *g;
	struct ring daemon;
	bool asleep, http_dead, dead;
	nsec resting;                           /* what the clocks of a socket did not run */
	bool clock_stopped;
	/* registers */
	struct rig rig, twin;                   /* the twin: nobody disturbs it */
	struct run twin_run;
	/* perf */
	nsec now;
} host;

static struct sysfs_tree tree;
static const char *processor = "made-up";       /* the tree's, once it is counted on */

static nsec perf_now(void *p)
{
	(void)p;
	return host.now;
}

static nsec now(void)
{
	return host.registers ? model_now(host.rig.m) : host.now;
}

static const struct perf_sys kernel = {
	.open = fake_open, .read = fake_read, .enable = fake_enable, .close = fake_close,
};

static void perf_open(struct generation *g, const char *conf)
{
	struct topo *topo = tree_topo(&tree);
	struct topo_pmus *pmus = tree_pmus(&tree);
	struct made m = make_for_kernel(conf, topo, pmus);
	const struct cat_cpu *cpu = cpu_of(topo, pmus);

	processor = cpu ? cpu->name : "other";

	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	diags_done(&m.d);
	topo_free(topo);
	topo_pmus_free(pmus);
	served_open(&g->served, m.p, &kernel,
		    (struct sampler_clock){ .mono = perf_now, .wall = perf_now });
}

static struct generation *generation_open(const char *conf, struct generation *old)
{
	struct generation *g = calloc(1, sizeof(*g));

	assert_non_null(g);
	if (!host.registers) {
		perf_open(g, conf);
		return g;
	}
	run_open(&g->run, &host.rig, conf, old ? &old->run : NULL);
	g->run.before = old ? &old->run : NULL;
	g->served.plan = g->run.plan;
	return g;
}

static void generation_start(struct generation *g, struct generation *old)
{
	if (host.registers) {
		if (old)
			run_restore(&old->run, &g->run);
		run_start(&g->run);
		for (unsigned i = 0; i < SOCKETS; i++)
			g->served.samplers[i] = g->run.s[i].sampler;
		return;
	}
	for (unsigned i = 0; old && i < SOCKETS; i++)
		sampler_inherit(g->served.samplers[i], old->served.samplers[i]);
	served_start(&g->served);
}

static void generation_show(struct generation *g, const struct expo_offsets *offsets)
{
	for (unsigned i = 0; host.registers && i < SOCKETS; i++)
		g->served.rings[i] = g->run.s[i].ring;
	served_show(&g->served, "registers", processor, &host.daemon, offsets);
}

static void generation_stop(struct generation *g)
{
	served_stop(&g->served);
}

static void generation_free(struct generation *g)
{
	if (host.registers) {
		served_unshow(&g->served);
		run_close(&g->run);
	} else {
		served_close(&g->served);
	}
	free(g);
}

static void daemon_start(const char *conf)
{
	host.g = generation_open(conf, NULL);
	generation_show(host.g, NULL);
	generation_start(host.g, NULL);
	host.dead = false;
}

/* kill -9, but for the registers, which a start after that puts right: nothing of the process is
 * left. */
static void daemon_kill(void)
{
	generation_stop(host.g);
	if (host.registers)
		run_restore(&host.g->run, NULL);
	generation_free(host.g);
	host.g = NULL;
	host.dead = true;
}

/* As daemon/generation.c: generation_swap(). */
static void reload(const char *conf)
{
	struct generation *old = host.g, *next = generation_open(conf, old);
	struct expo_offsets *offsets;

	generation_stop(old);
	offsets = expo_offsets_new(old->served.desc, old->served.desc_len,
				   old->served.rings);
	assert_non_null(offsets);
	generation_show(next, offsets);
	expo_offsets_free(offsets);
	generation_start(next, old);
	generation_free(old);
	host.g = next;
}

/* ------------------------------------------------------------------ what goes wrong */

static struct reg data_of(const char *identity)
{
	return run_slot(&host.g->run, 0, identity)->data;
}

/* Somebody programs the counter of an event of socket 0 anew. */
static void take(const char *identity)
{
	struct reg ctl = run_slot(&host.g->run, 0, identity)->ctl;

	assert_int_equal(model_write(host.rig.m, 0, ctl,
				     model_peek(host.rig.m, 0, ctl) ^ 0x2), 0);
}

static void foreign_bbox(void)  { take("bbox0/IMT_INSERTS_ALL"); }
static void foreign_cbox(void)  { take("cbox3/LLC_HITS:ALL"); }
static void foreign_mbox(void)  { take("mbox1/FVC_EV0:BBOX_CMDS_READS"); }
static void foreign_rbox(void)  { take("rbox0/NULL_IDLE,port=0"); }
/* Somebody sets the count itself. */
static void set_bbox(void)      { model_poke(host.rig.m, 0, data_of("bbox0/IMT_INSERTS_ALL"), 0); }
static void set_mbox(void)
{
	model_poke(host.rig.m, 0, data_of("mbox1/FVC_EV0:BBOX_CMDS_READS"), 0);
}
/* A fault of a register of socket 0, there or gone. */
static void unreadable(const char *identity)
{
	static bool on;

	on = !on;
	model_fault(host.rig.m, 0, MODEL_EIO, data_of(identity), on);
}
static void unreadable_bbox(void) { unreadable("bbox0/IMT_INSERTS_ALL"); }
static void unreadable_cbox(void) { unreadable("cbox3/LLC_HITS:ALL"); }
static void unreadable_mbox(void) { unreadable("mbox1/FVC_EV0:BBOX_CMDS_READS"); }

/* Through which CPU the kernel counts for socket 0; the other socket has CPUs 4 to 7. */
static void count_through(int cpu)
{
	char file[80], text[8];

	snprintf(text, sizeof(text), "%d,4", cpu);
	for (unsigned i = 0; i < CHANNELS; i++) {
		snprintf(file, sizeof(file), "bus/event_source/devices/uncore_imc_%u/cpumask", i);
		tree_put(&tree, file, text);
	}
}

/* The CPU that reads socket 0 goes, and perf events with it until they are opened on the next. */
static void reader_gone(void)
{
	if (host.registers)
		model_fault(host.rig.m, 0, MODEL_OFFLINE, msr(0), true);
	else
		offline(0);
}
static void reader_next(void)
{
	if (host.registers)
		model_fault(host.rig.m, 0, MODEL_OFFLINE, msr(0), false);
	else
		count_through(1);
}
static void reader_back(void)
{
	k.online[0] = true;
	count_through(0);
}
static void socket_gone(void)
{
	reader_gone();
	for (int i = 1; i < 4; i++)
		offline(i);
}
static void socket_back(void)
{
	for (int i = 0; i < 4; i++)
		k.online[i] = true;
	if (host.registers)
		model_fault(host.rig.m, 0, MODEL_OFFLINE, msr(0), false);
}

static void reload_moved(void)  { reload(host.registers ? reg_moved : perf_moved); }
static void reload_turns(void)  { reload(host.registers ? reg_turns : perf_moved); }
static void reload_windows(void) { reload(reg_windows); }
static void reload_plain(void)  { reload(host.registers ? reg_plain : perf_plain); }
static void reload_less(void)   { reload(host.registers ? reg_less : perf_less); }
static void start_plain(void)   { daemon_start(host.registers ? reg_plain : perf_plain); }
static void http_gone(void)     { host.http_dead = true; }
static void http_back(void)     { host.http_dead = false; }
static void fall_asleep(void)   { host.asleep = true; }
static void wake_up(void)       { host.asleep = false; }

/* The clock of socket 0. */
static void clock_stops(void)
{
	host.clock_stopped = !host.clock_stopped;
	model_fault(host.rig.m, 0, MODEL_STOP_CLOCK, msr(0), host.clock_stopped);
	model_fault(host.twin.m, 0, MODEL_STOP_CLOCK, msr(0), host.clock_stopped);
}

/* Another tool wants the counters of the first channel, or of all: they are ours for this share of
 * the time. */
static void share_one(unsigned percent)
{
	k.busy_type = IMC_0;
	k.busy_percent = percent;
}
static void share_60(void)      { share_one(60); }
static void share_5(void)       { share_one(5); }
static void share_0(void)       { share_one(0); }
static void share_100(void)     { share_one(100); k.percent = 100; }
static void share_all_33(void)  { k.percent = 33; }

enum { REGS = 1, PERF = 2, BOTH = 3 };
struct action {
	unsigned ms;                            /* since the machine began */
	void (*act)(void);
};
static const struct gap {
	const char *name;
	unsigned on;
	const char *conf;                       /* of the registers, all the time; NULL: plain */
	struct action v[16];
} gaps[] = {
	{ "none", BOTH, NULL, { { 0 } } },
	/* Twice between two scrapes: the second time a slot's own time is there already. After the
	 * fourth uncored leaves it alone. */
	{ "foreign write", REGS, NULL, {
		{ 307200, foreign_bbox }, { 407200, foreign_bbox },
		{ 487600, foreign_cbox }, { 547200, foreign_cbox },
		{ 577100, foreign_mbox }, { 637200, foreign_mbox },
		{ 640400, foreign_rbox }, { 697200, foreign_rbox },
		{ 812300, foreign_bbox }, { 822500, foreign_bbox },
		{ 1210100, reload_plain } } },
	{ "value set", REGS, NULL, {
		{ 307200, set_bbox }, { 452200, set_bbox }, { 602200, set_mbox },
		{ 767200, set_mbox } } },
	{ "read error", REGS, NULL, {
		{ 307200, unreadable_bbox }, { 310300, unreadable_bbox },
		{ 407700, unreadable_cbox }, { 451300, unreadable_cbox },
		{ 577200, unreadable_cbox }, { 580300, unreadable_cbox },
		{ 700400, unreadable_mbox }, { 721300, unreadable_mbox },
		{ 857200, unreadable_mbox }, { 859300, unreadable_mbox },
		{ 900400, unreadable_bbox }, { 961300, unreadable_bbox },
		{ 1207200, unreadable_bbox }, { 1209300, unreadable_bbox } } },
	{ "reader CPU goes", BOTH, NULL, {
		{ 307200, reader_gone }, { 308900, reader_next }, { 450500, reader_back },
		{ 611200, reader_gone }, { 612700, reader_next } } },
	{ "socket offline", BOTH, NULL, {
		{ 307200, socket_gone }, { 354300, socket_back },
		{ 811200, socket_gone }, { 814300, socket_back } } },
	{ "reload", BOTH, NULL, {
		{ 307200, reload_moved }, { 498300, reload_plain }, { 702500, reload_turns },
		{ 901100, reload_moved }, { 1002300, reload_less }, { 1048700, reload_plain } } },
	{ "rotation", REGS, reg_turns, { { 0 } } },
	{ "overflow windows", REGS, reg_windows, { { 0 } } },
	{ "reload into windows", REGS, NULL, {
		{ 407200, reload_windows }, { 598300, reload_plain }, { 702500, reload_windows },
		{ 901100, reload_turns }, { 1002300, reload_windows } } },
	{ "kill -9 of uncored", BOTH, NULL, {
		{ 307200, daemon_kill }, { 308700, start_plain },
		{ 811200, daemon_kill }, { 847300, start_plain } } },
	{ "kill -9 of uncored-http", BOTH, NULL, {
		{ 307200, http_gone }, { 344300, http_back },
		{ 811200, http_gone }, { 812300, http_back } } },
	{ "stopped clock", REGS, NULL, {
		{ 307200, clock_stops }, { 313300, clock_stops },
		{ 607200, clock_stops }, { 681300, clock_stops } } },
	{ "late tick", BOTH, NULL, {
		{ 314200, fall_asleep }, { 316700, wake_up },
		{ 607200, fall_asleep }, { 645300, wake_up } } },
	{ "another tool shares", PERF, NULL, {
		{ 307200, share_60 }, { 355300, share_100 }, { 502200, share_5 },
		{ 503900, share_100 }, { 640200, share_all_33 }, { 700100, share_100 },
		{ 902200, share_0 }, { 940400, share_100 }, { 1207300, share_60 } } },
};

/* ------------------------------------------------------------------ at random */

/* What happens in a moment, or lasts until the second action. */
struct kind {
	unsigned on;
	const char *name;
	void (*begin)(void), (*end)(void);
	unsigned least;                         /* ms that it lasts */
};
static const struct kind kinds[] = {
	{ REGS, "foreign bbox", foreign_bbox, NULL, 0 },
	{ REGS, "foreign cbox", foreign_cbox, NULL, 0 },
	{ REGS, "foreign mbox", foreign_mbox, NULL, 0 },
	{ REGS, "foreign rbox", foreign_rbox, NULL, 0 },
	{ REGS, "set bbox", set_bbox, NULL, 0 },
	{ REGS, "set mbox", set_mbox, NULL, 0 },
	{ REGS, "unreadable bbox", unreadable_bbox, unreadable_bbox, 0 },
	{ REGS, "unreadable cbox", unreadable_cbox, unreadable_cbox, 0 },
	{ REGS, "unreadable mbox", unreadable_mbox, unreadable_mbox, 0 },
	{ REGS, "reader gone", reader_gone, reader_next, 0 },
	{ PERF, "reader gone", reader_gone, reader_back, 0 },
	{ BOTH, "socket gone", socket_gone, socket_back, 0 },
	{ BOTH, "reload moved", reload_moved, NULL, 0 },
	{ BOTH, "reload turns", reload_turns, NULL, 0 },
	{ BOTH, "reload plain", reload_plain, NULL, 0 },
	/* a total that begins anew between two scrapes is no longer that of its socket's time */
	{ BOTH, "reload less", reload_less, reload_plain, 16000 },
	{ BOTH, "daemon kill", daemon_kill, start_plain, 0 },
	{ BOTH, "http gone", http_gone, http_back, 0 },
	{ BOTH, "fall asleep", fall_asleep, wake_up, 0 },
	{ PERF, "share 60", share_60, share_100, 0 },
	{ PERF, "share 5", share_5, share_100, 0 },
	{ PERF, "share 0", share_0, share_100, 0 },
	{ PERF, "share all 33", share_all_33, share_100, 0 },
};
enum { CHANCES = 120 };

static unsigned below(uint64_t *random, unsigned n)
{
	return (unsigned)(rig_random(random) % n);
}

/* One after the other, from a tenth of a second to a minute each. */
static void chance(uint64_t seed, unsigned on, struct action v[CHANCES + 2])
{
	unsigned ms = 307000, n = 0;

	while (n < CHANCES && ms < 1300000) {
		const struct kind *what = &kinds[below(&seed, COUNT(kinds))];

		if (!(what->on & on))
			continue;
		v[n++] = (struct action){ ms, what->begin };
		printf("# %u.%u s: %s\n", ms / 1000, ms / 100 % 10, what->name);
		ms += what->least;
		ms += below(&seed, 2) ? 100 * below(&seed, 60) : 100 * below(&seed, 600);
		if (what->end) {
			v[n++] = (struct action){ ms, what->end };
			printf("#   until %u.%u s\n", ms / 1000, ms / 100 % 10);
		}
		ms += 100 + (below(&seed, 3) ? 100 * below(&seed, 400) : 100 * below(&seed, 2000));
	}
	v[n] = (struct action){ 0 };
}

/* ------------------------------------------------------------------ 25 minutes */

static void advance(nsec by)
{
	if (host.clock_stopped)
		host.resting += by;
	if (host.registers) {
		rig_advance(&host.rig, by);
		rig_advance(&host.twin, by);
		return;
	}
	host.now += by;
	for (; by > NSEC_PER_SEC; by -= NSEC_PER_SEC)   /* it counts ns in 32 bits */
		step(1000);
	step((unsigned)(by / NSEC_PER_MSEC));
}

static void put_truth(void)
{
	for (unsigned s = 0; s < SOCKETS; s++) {
		if (!host.registers)                       /* 1000 a millisecond */
			printf("truth{socket=\"%u\",identity=\"any\"} %.9f\n", s,
			       (double)now() / 1e3);
		printf("ran{socket=\"%u\"} %.9f\n", s,
		       (double)(now() - (s ? 0 : host.resting)) / 1e9);
		for (unsigned i = 0; host.registers && i < host.twin_run.s[s].n_slots; i++)
			printf("truth{socket=\"%u\",identity=\"%s\"} %" PRIu64 "\n", s,
			       host.twin_run.s[s].slots[i].plan->identity,
			       slot_truth(&host.twin_run, s, &host.twin_run.s[s].slots[i]));
	}
}

static void scrape(nsec at)
{
	struct expo_body *body;

	printf("# scrape %s,%s,%" PRId64 "\n", host.gap, host.name, at / NSEC_PER_MSEC);
	put_truth();
	if (host.dead || host.http_dead) {
		printf("up 0\n");
		return;
	}
	printf("up 1\n");
	body = expo_render(host.g->served.renderer, EXPO_OPENMETRICS, now());
	assert_non_null(body);
	fwrite(body->bytes, 1, body->n, stdout);
	expo_body_unref(body);
}

static void play(const struct gap *gap)
{
	struct action random_actions[CHANCES + 2];
	const struct action *a = gap->v;
	nsec begin = now(), next = SCRAPE;
	uint64_t random = 7;

	if (host.seed) {
		chance(host.seed, host.registers ? REGS : PERF, random_actions);
		a = random_actions;
	}
	while (now() - begin < host.end) {
		nsec at = now() - begin, to = next, due = INT64_MAX;

		if (a->act && (nsec)a->ms * NSEC_PER_MSEC < to)
			to = (nsec)a->ms * NSEC_PER_MSEC;
		if (host.g && !host.asleep)
			due = served_next(&host.g->served) - begin;
		if (due < to)
			to = due;
		if (to > at)
			advance(to - at);
		if (due <= to)
			served_tick(&host.g->served, now());
		if (a->act && (nsec)a->ms * NSEC_PER_MSEC <= to)
			a++->act();
		if (next <= to) {
			scrape(next);
			next = (next / SCRAPE + 1) * SCRAPE +
				(nsec)(rig_random(&random) % 900) * NSEC_PER_MSEC;
		}
	}
}

static void registers_on(const struct gap *gap)
{
	host.registers = true;
	host.name = "registers";
	rig_open(&host.rig, SOCKETS, "stream", 21);
	rig_open(&host.twin, SOCKETS, "stream", 21);
	run_open(&host.twin_run, &host.twin, reg_plain, NULL);
	run_start(&host.twin_run);
	daemon_start(gap->conf ? gap->conf : reg_plain);
	play(gap);
	generation_stop(host.g);
	generation_free(host.g);
	run_stop(&host.twin_run);
	run_close(&host.twin_run);
	rig_no_violation(&host.rig);
	rig_close(&host.rig);
	rig_close(&host.twin);
}

static void perf_on(const struct gap *gap)
{
	host.registers = false;
	host.name = host.machine ? host.machine : "perf";
	fake_reset();
	k.counters = host.machine ? 64 : 8;      /* a described PMU has as many as it says */
	for (unsigned i = 0; i < COUNT(k.online); i++)
		k.online[i] = true;
	host.now = 1000 * NSEC_PER_SEC;
	if (!host.machine)
		count_through(0);
	daemon_start(host.machine ? NULL : perf_plain);
	play(gap);
	generation_stop(host.g);
	generation_free(host.g);
	assert_int_equal(k.open_now, 0);
}

static void machines(const struct gap *gap, const char *name, uint64_t seed)
{
	host.gap = name;
	host.seed = seed;
	host.asleep = host.http_dead = host.clock_stopped = false;
	host.resting = 0;
	if (gap->on & REGS)
		registers_on(gap);
	if (gap->on & PERF)
		perf_on(gap);
}

/* A machine as a tree of src/topo/machines describes it, and what is counted there without a
 * configuration. */
static void default_on(const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "%s.txt", name);
	tree_make(&tree, file);
	host.gap = "default";
	host.end = 300 * NSEC_PER_SEC;
	host.machine = name;
	perf_on(&(struct gap){ .on = PERF });
	tree_drop(&tree);
}

/* gaps [SEEDS]: each kind of gap, and so many times what chance picks; 3 by default.
 * gaps default TREE...: machines to which nothing happens. */
int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 3;
	uint64_t values[D_VALUES] = { 0 };
	void *mem = served_ring(&host.daemon, D_VALUES);

	ring_write(&host.daemon, values);
	host.end = END;
	if (argc > 2) {
		for (int i = 2; i < argc; i++)
			default_on(argv[i]);
		free(mem);
		return 0;
	}
	tree_make(&tree, "skx.txt");
	for (size_t i = 0; i < COUNT(gaps); i++)
		machines(&gaps[i], gaps[i].name, 0);
	for (unsigned seed = 1; seed <= seeds; seed++) {
		char name[32];

		snprintf(name, sizeof(name), "at random %u", seed);
		machines(&(struct gap){ .on = BOTH }, name, seed);
	}
	tree_drop(&tree);
	free(mem);
	return 0;
}
