/* SPDX-License-Identifier: MIT
 * What uncored serves of a simulated server whose memory does what a script says, on a clock
 * of its own: a week takes seconds.
 *
 * played MACHINE.txt [NAME...] < SCRIPT: the machine is a text as topo/machine_text.h has it, whose
 * curve the model follows; names of the families to print, all without them. Lines of the script:
 *     load SOCKET PERCENT GBPS   from now on the socket (0 or 1) moves this, PERCENT of it read
 *     cross GBPS                 of what is read, CPUs of the other socket ask for this; before
 *                                loads of both sockets that read more
 *     run SECONDS EVERY          uncored samples; what it serves is printed EVERY so many seconds
 *     rest SECONDS               uncored does not run, the machine does
 *     count SOCKET PMU CONFIG COUNT SECONDS
 *                                whatever the load, the event with this config counts so much in so
 *                                long: on one PMU, "uncore_imc_3", or on all of a name together,
 *                                "uncore_imc"
 *     state DIR                  the directory in which it finds a curve, from its next start on
 *     configure TEXT             its configuration, likewise
 *     silent SOCKET PMU          the PMU's counters of that socket stand still from now on
 * Output, for curves.py: "# scrape SECONDS" and the samples of that scrape.
 *
 * The load goes through the model's own account of a server (server.c), so that the latency is that
 * of the machine's curve; what uncored makes of it is the test's.
 */
#include "../model/kernel_fixture.h"

#include "../model/served.h"
#include "../unit/conf_parse.h"
#include "machine/curve.h"
#include "machine/machine.h"

#include <inttypes.h>
#include <time.h>

enum { SOCKETS = SERVED_SOCKETS, FDS = 4096 };

static char conf[1024] = "interval = \"15s\";";
static char state[256];                         /* "": none */
static struct modelled machine;
static const char *const *names;
static unsigned n_names;

/* ------------------------------------------------------------------ the load */

/* What each descriptor was opened for: the model's rates of an event are those of its opening. */
static struct { bool open; struct perf_event_attr attr; int cpu; } opened[FDS];
static const struct perf_sys *inner;
static const char *still[SOCKETS];              /* how the names of PMUs that stand still begin */

/* Events that count what the script says. */
static struct told {
	unsigned socket;
	char pmu[64];                           /* its name, or that of its family */
	uint64_t config;
	double per_ns;                          /* of all PMUs that are meant */
} told[64];
static unsigned n_told;

/* A socket that does this share of the most that its memory can; reads : writes is 2 - writes :
 * 1 + writes there (load_reads(), load_writes()). */
static struct server_flow flow_of_share(double percent, double share)
{
	struct workload w = { .n_phases = 1, .load = { {
		.activity = share / 2, .lookups = 0.04, .miss = 0.4, .inserts = 1,
		.writes = 2 - 3 * percent / 100, .reduction = { 1 - share },
	} } };
	struct server_flow flows[PHASES];

	server_flows(&w, machine.tree.text, 1, 0, flows);
	return flows[0];
}

static double crossing;                         /* GB/s */

static void set_load(unsigned socket, double percent, double gbps)
{
	struct server_flow full = flow_of_share(percent, 1);
	struct server_flow *now = &machine.k->flows[socket * PHASES];

	*now = flow_of_share(percent, gbps / (full.read + full.write));
	assert_true(now->read >= crossing);
	now->guest_read = now->remote_read = crossing;
}

static bool stands_still(const struct kernel_box *b)
{
	const char *begins = still[b->socket];

	return begins && strncmp(b->pmu->pmu->name, begins, strlen(begins)) == 0;
}

static unsigned siblings_of(const struct kernel_box *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < machine.k->n_boxes; i++)
		n += machine.k->boxes[i].socket == b->socket &&
			machine.k->boxes[i].pmu->family == b->pmu->family;
	return n;
}

/* Instead of the model's rate, where the script says another. */
static void take_told(const struct kernel_box *b, uint64_t config, uint64_t *rate)
{
	for (const struct told *t = told; t < told + n_told; t++) {
		bool one = strcmp(t->pmu, b->pmu->pmu->name) == 0;

		if (t->socket == b->socket && t->config == config &&
		    (one || strcmp(t->pmu, b->pmu->family->name) == 0))
			*rate = (uint64_t)(t->per_ns / (one ? 1 : siblings_of(b)) * 0x1p32);
	}
}

static void tell(struct told what)
{
	struct told *t = told;

	while (t < told + n_told && (t->socket != what.socket || t->config != what.config ||
				     strcmp(t->pmu, what.pmu) != 0))
		t++;
	if (t == told + n_told)
		n_told++;
	assert_true(n_told <= COUNT(told));
	*t = what;
}

/* All that has happened is counted, then the rates of what is open are those of the flows of now.
 */
static void take_loads(void)
{
	nsec now = kernel_now(machine.k);

	for (int fd = 0; fd < FDS; fd++) {
		struct kernel_event *e, anew;
		uint64_t buf[512];

		if (!opened[fd].open)
			continue;
		assert_true(perf_kernel_read(machine.k, fd, buf, sizeof(buf)) > 0);
		assert_int_equal(kernel_event_init(machine.k, &opened[fd].attr, opened[fd].cpu,
						   &anew), 0);
		e = &machine.k->events[fd];
		memcpy(e->rate, anew.rate, sizeof(e->rate));
		take_told(&machine.k->boxes[e->box], opened[fd].attr.config, &e->rate[0]);
		if (stands_still(&machine.k->boxes[e->box]))
			memset(e->rate, 0, sizeof(e->rate));
		e->seen = kernel_truth(machine.k, e, now);
	}
}

static int played_open(const struct perf_sys *sys, const struct plan_perf *e, int cpu, int leader)
{
	int fd = inner->open(inner, e, cpu, leader);

	(void)sys;
	if (fd < 0)
		return fd;
	assert_true(fd < FDS);
	opened[fd].open = true;
	opened[fd].cpu = cpu;
	opened[fd].attr = perf_attr_of(e, leader < 0);
	return fd;
}

static ssize_t played_read(const struct perf_sys *sys, int fd, void *buf, size_t n)
{
	(void)sys;
	return inner->read(inner, fd, buf, n);
}

static int played_enable(const struct perf_sys *sys, int fd, bool on)
{
	(void)sys;
	return inner->enable(inner, fd, on);
}

static int played_close(const struct perf_sys *sys, int fd)
{
	(void)sys;
	opened[fd].open = false;
	return inner->close(inner, fd);
}

static const struct perf_sys played = {
	.open = played_open, .read = played_read, .enable = played_enable, .close = played_close,
};

/* ------------------------------------------------------------------ uncored */

static struct served uncored;                   /* its plan: NULL while it does not run */
static struct ring daemon_ring;

/* As machine/machine_plan.c, but for what only a whole machine has. */
static struct plan *plan_new(void)
{
	const struct machine m = {
		.asked.roots.state = state[0] ? state : NULL, .engine = CONF_MODEL,
		.topo = machine.topo, .pmus = machine.pmus,
	};
	AUTO_FREE(curve_knees_free) struct curve_knees *knees = curve_knees_new(&m, time(NULL));
	AUTO_FREE(conf_free) struct conf *c = NULL;
	AUTO_DONE(diags_done) struct diags d = { 0 };
	struct plan *plan = NULL;

	if (conf_parse("played.conf", conf, strlen(conf), &c, &d) == 0) {
		struct plan_input in = {
			.conf = c, .topo = machine.topo, .pmus = machine.pmus,
			.perf_engine = true, .knees = curve_knees_of(knees),
		};

		plan_build(&in, &plan, &d);
	}
	if (!plan)
		fail_msg("%s", d.v[0]);
	if (curve_knees_of(knees)->refused)
		fail_msg("%s", curve_knees_of(knees)->refused);
	return plan;
}

static void start(void)
{
	served_open(&uncored, plan_new(), &played, (struct sampler_clock){
		.mono = modelled_now, .wall = modelled_now, .p = &machine });
	served_show(&uncored, "model", "other", &daemon_ring, NULL);
	served_start(&uncored);
	take_loads();
}

static void stop(void)
{
	served_stop(&uncored);
	served_close(&uncored);
}

static bool is_wanted(const char *line, size_t n)
{
	size_t name = strcspn(line, "{ \n");

	if (n_names == 0)
		return true;
	for (unsigned i = 0; i < n_names && *line != '#'; i++)
		if (strlen(names[i]) == name && strncmp(names[i], line, name) == 0)
			return name < n;
	return false;
}

static void print_lines(const char *text, size_t n)
{
	const char *end = text + n;

	while (text < end) {
		const char *next = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((next ? next + 1 : end) - text);

		if (is_wanted(text, length))
			fwrite(text, 1, length, stdout);
		text += length;
	}
}

static void scrape(void)
{
	struct expo_body *body = expo_render(uncored.renderer, EXPO_TEXT, machine.now);

	assert_non_null(body);
	printf("# scrape %" PRId64 "\n", machine.now / NSEC_PER_SEC);
	print_lines(body->bytes, body->n);
	expo_body_unref(body);
}

static void tick_until(nsec end)
{
	do {
		nsec due = served_next(&uncored);

		machine.now = due < end ? due : end;
		served_tick(&uncored, machine.now);
	} while (machine.now < end);
}

/* ------------------------------------------------------------------ the script */

static void run(nsec seconds, nsec every)
{
	nsec end = machine.now + seconds * NSEC_PER_SEC;

	if (!uncored.plan)
		start();
	while (machine.now < end) {
		tick_until(machine.now + every * NSEC_PER_SEC);
		scrape();
	}
}

static void obey(const char *line)
{
	static char pmu[SOCKETS][64];
	unsigned socket;
	double percent, gbps, count, in;
	struct told what;
	long seconds, every;
	char name[64];

	if (sscanf(line, "load %u %lf %lf", &socket, &percent, &gbps) == 3 && socket < SOCKETS) {
		set_load(socket, percent, gbps);
		take_loads();
	} else if (sscanf(line, "cross %lf", &crossing) == 1) {
		return;
	} else if (sscanf(line, "run %ld %ld", &seconds, &every) == 2) {
		run(seconds, every);
	} else if (sscanf(line, "rest %ld", &seconds) == 1) {
		if (uncored.plan)
			stop();
		machine.now += seconds * NSEC_PER_SEC;
	} else if (sscanf(line, "state %255s", state) == 1 ||
		   sscanf(line, "configure %1023[^\n]", conf) == 1) {
		return;
	} else if (sscanf(line, "count %u %63s %" SCNx64 " %lf %lf", &what.socket, what.pmu,
			  &what.config, &count, &in) == 5 && what.socket < SOCKETS) {
		what.per_ns = count / in / NSEC_PER_SEC;
		tell(what);
		take_loads();
	} else if (sscanf(line, "silent %u %63s", &socket, name) == 2 && socket < SOCKETS) {
		snprintf(pmu[socket], sizeof(pmu[socket]), "%s", name);
		still[socket] = pmu[socket];
		take_loads();
	} else {
		fail_msg("the script says: %s", line);
	}
}

int main(int argc, char **argv)
{
	uint64_t values[D_VALUES] = { 0 };
	void *mem = served_ring(&daemon_ring, D_VALUES);
	char line[256];

	if (argc < 2)
		return 64;
	names = (const char *const *)argv + 2;
	n_names = (unsigned)argc - 2;
	ring_write(&daemon_ring, values);
	modelled_make(&machine, argv[1], "idle");
	machine.now = 1700006400 * NSEC_PER_SEC;
	assert_int_equal(perf_sys_model_new(machine.k, &inner), 0);
	while (fgets(line, sizeof(line), stdin))
		obey(line);
	if (uncored.plan)
		stop();
	perf_sys_model_free(inner);
	modelled_drop(&machine);
	free(mem);
	return 0;
}
