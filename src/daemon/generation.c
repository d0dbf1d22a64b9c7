/* SPDX-License-Identifier: MIT
 *
 * Owns:  the way from bytes to samplers: read, parse, plan, open, share, launch, wait; and back:
 *        stop, restore, free. A swap and a pause are made of these (generation_swap.c).
 */
#include "daemon/generation.h"

#include "daemon/host_names.h"
#include "daemon/listening.h"
#include "daemon/measured.h"
#include "daemon/revision.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/strb.h"
#include "base/words.h"
#include "machine/there.h"
#include "process/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

/* Samplers tick at the multiples of their interval, half a millisecond late: at those of
 * CLOCK_MONOTONIC the kernel's own tick interrupts every CPU, and a sample waits for 20 us. */
#define CLOCK_BEHIND (500 * NSEC_PER_USEC)
/* Files of a plan beside those of its events: its values, and what describes them. */
#define FILES_SHARED 2
/* At most as many are open for a moment while a configuration is read and checked. */
#define FILES_TO_CHECK 8

static nsec clock_mono(void *p)
{
	(void)p;
	return clock_read(CLOCK_MONOTONIC) - CLOCK_BEHIND;
}

static nsec clock_wall(void *p)
{
	(void)p;
	return clock_read(CLOCK_REALTIME);
}

const struct sampler_clock generation_clock = { .mono = clock_mono, .wall = clock_wall,
						.offset = CLOCK_BEHIND };

static const char *conf_path(const struct options *o)
{
	return o->config ? o->config : UNCORED_DEFAULT_CONFIG;
}

int generation_read(const struct options *o, char **ret, size_t *ret_len)
{
	struct err err = { "" };
	int r;

	*ret = NULL;
	*ret_len = 0;
	r = conf_file_read(conf_path(o), ret, ret_len, &err);
	if (r == 0 || (r == -ENOENT && !o->config))
		return 0;
	log_msg(LOG_ERR, "%s", err.text);
	return exit_code_of(r) == EXIT_UNAVAILABLE ? -EINVAL : r;       /* no such file, no file */
}

/* Without memory the list of mistakes may be empty. Returns r. */
static int log_mistakes(struct diags *d, int r)
{
	if (r == -ENOMEM && !d->n)
		log_msg(LOG_ERR, "out of memory");
	else
		log_diags(LOG_ERR, d);
	diags_done(d);
	return r;
}

int generation_conf_tree(const struct options *o, const char *text, size_t len,
			 struct conf_tree **ret, size_t *ret_size)
{
	struct diags d = { 0 };

	return log_mistakes(&d, conf_tree_parse(conf_path(o), text, len, true, ret, ret_size, &d));
}

int generation_conf_read(const struct options *o, const struct conf_tree *tree, size_t size,
			 bool known, struct conf **ret)
{
	struct diags d = { 0 };
	int r = tree ? conf_read(conf_path(o), tree, size, ret, &d) : 0;

	if (!tree && !(*ret = conf_default()))
		r = -ENOMEM;
	if (known)
		diags_done(&d);
	/* the process that checks a reload has no files */
	if (*ret && !o->checks_reload && o->mode != MODE_ONCE &&
	    listening_names(*ret, &d) < 0 && !r)
		r = -EINVAL;
	return log_mistakes(&d, r);
}

int generation_conf(const struct options *o, const char *text, size_t len, struct conf **ret)
{
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	size_t size = 0;
	int r;

	*ret = NULL;
	r = text ? generation_conf_tree(o, text, len, &tree, &size) : 0;
	if (r < 0)
		return r;
	r = generation_conf_read(o, tree, size, false, ret);
	if (*ret)
		(*ret)->hash = conf_hash(text, len);
	return r;
}

int generation_try_plan(struct conf *conf, const struct options *o, const struct machine *m,
			struct generation **ret, struct diags *d)
{
	struct generation *g = calloc(1, sizeof(*g));
	int r;

	if (!g)
		return -ENOMEM;
	/* the process that checks a reload has no privileges */
	r = machine_plan(m, conf, o->checks_reload ? 0 : time(NULL), &g->plan, d);
	if (r < 0) {
		free(g);
		return r;
	}
	if (getrandom(&g->seed, sizeof(g->seed), GRND_NONBLOCK) != (ssize_t)sizeof(g->seed))
		g->seed = 0;
	g->seed += !g->seed;
	g->conf = conf;
	g->empty = there_is_nothing(m, g->plan, false, &g->empty_why);
	*ret = g;
	return 0;
}

/* A message has room for so much; of the groups for so many names. */
enum { TURNS_TEXT = 1900, TURNS_NAMES = 16, GROUP_NAME = 80 };

/* "memory and links in all 4 rounds; numa_reads, numa_home and 12 more in 1 of 4 rounds" */
static void add_turns(struct strb *t, const struct plan_socket *s)
{
	const char *names[TURNS_NAMES + 1];
	char list[COUNT(names) * GROUP_NAME], more[32];
	unsigned room = TURNS_NAMES;

	for (unsigned rounds = s->n_rounds; rounds > 0; rounds--) {
		unsigned n = 0, all = 0;

		for (unsigned g = 0; g < s->n_groups; g++)
			if (s->groups[g].n_rounds == rounds && all++ < room)
				names[n++] = s->groups[g].name;
		if (!all)
			continue;
		if (t->n > TURNS_TEXT - 200) {
			strb_add(t, "; others in fewer");
			return;
		}
		room -= n;
		snprintf(more, sizeof(more), n ? "%u more" : "%u groups", all - n);
		if (all > n)
			names[n++] = more;
		strb_addf(t, "%s%s in ", t->n ? "; " : "",
			  words_join(list, sizeof(list), names, n));
		if (rounds == s->n_rounds)
			strb_addf(t, "all %u rounds", rounds);
		else
			strb_addf(t, "%u of %u rounds", rounds, s->n_rounds);
	}
}

static void log_turns(const struct generation *g, const struct plan_socket *s)
{
	struct strb t;

	strb_init(&t, TURNS_TEXT);
	add_turns(&t, s);
	log_msg(LOG_INFO, "groups take turns in random order, seed 0x%016" PRIx64 ": %s "
		"(uncorectl plan shows which)", g->seed, t.s ?: "");
	strb_done(&t);
}

void generation_log(const struct generation *g, struct diags *d, int r)
{
	log_mistakes(d, r);
	if (!g)
		return;
	for (unsigned i = 0; i < g->plan->n_notes; i++)
		log_msg(LOG_NOTICE, "%s", g->plan->notes[i]);
	if (g->plan->n_sockets && g->plan->sockets[0].n_rounds > 1)
		log_turns(g, &g->plan->sockets[0]);
}

int generation_plan(struct conf *conf, const struct options *o, const struct machine *m,
		    struct generation **ret)
{
	struct diags d = { 0 };
	int r = generation_try_plan(conf, o, m, ret, &d);

	generation_log(r < 0 ? NULL : *ret, &d, r);
	return r;
}

/* The number of the socket with this id in the plan, -1: none, or g is NULL. */
static int find_socket(const struct generation *g, unsigned id)
{
	for (unsigned i = 0; g && i < g->plan->n_sockets; i++)
		if (g->plan->sockets[i].id == id)
			return (int)i;
	return -1;
}

struct counting *generation_regs(const struct generation *g, unsigned id)
{
	int i = find_socket(g, id);

	return i < 0 ? NULL : g->sockets[i].engines.regs;
}

void generation_look(struct generation *g, const struct machine *m)
{
	if (!g->empty)
		g->empty = there_is_nothing(m, g->plan, true, &g->empty_why);
}

/* Of the sockets, as far as they are open. */
static unsigned n_open(const struct generation *g)
{
	return g->sockets ? g->plan->n_sockets : 0;
}

bool generation_counts(const struct generation *g)
{
	return n_open(g) > 0;
}

bool generation_has_registers(const struct generation *g)
{
	for (unsigned i = 0; i < n_open(g); i++)
		if (g->sockets[i].engines.regs)
			return true;
	return false;
}

bool generation_empty(const struct generation *g, struct err *err)
{
	if (g->empty)
		err_set(err, -ENODEV, "nothing to count: %s", g->empty_why.text);
	return g->empty;
}

int generation_check_sockets(const struct generation *g, struct err *err)
{
	unsigned n = g->plan->n_sockets;

	return n <= SHARED_SOCKETS_MAX ? 0 :
	       err_set(err, -ENODEV, "this machine has %u sockets; uncored supports at most "
		       "%u", n, SHARED_SOCKETS_MAX);
}

/* Can as many files be opened? *ret_open: how many are, *ret_limit: how many may be. */
static int check_room(const struct generation *g, unsigned more, unsigned *ret_open,
		      uint64_t *ret_limit, struct err *err)
{
	int next = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	struct rlimit files;

	if (next < 0)
		return err_set(err, -errno, "no file can be opened any more: %s; raise "
			       "LimitNOFILE= in the unit, or ulimit -n, to %u", strerror(errno),
			       plan_files_most(g->plan));
	close(next);
	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || more + (unsigned)next <= files.rlim_cur)
		return 0;
	*ret_open = (unsigned)next;
	*ret_limit = files.rlim_cur;
	return -EMFILE;
}

int generation_check_files(const struct generation *g, const struct machine *m, struct err *err)
{
	unsigned own = m->kernel ? 0 : plan_files(g->plan);     /* modelled events are no files */
	unsigned open = 0;
	uint64_t limit = 0;
	int r = check_room(g, own + FILES_SHARED, &open, &limit, err);

	if (!limit)
		return r;
	return err_set(err, r, "counting this keeps %u files open beside %u others, but uncored "
		       "may open %" PRIu64 " in all: raise LimitNOFILE= in the unit, or ulimit -n, "
		       "to %u, which is enough for a reload, too", own, open + FILES_SHARED, limit,
		       plan_files_most(g->plan));
}

int generation_check_reload(const struct generation *g, struct err *err)
{
	unsigned open = 0;
	uint64_t limit = 0;
	int r = check_room(g, FILES_TO_CHECK, &open, &limit, err);

	if (!limit)
		return r;
	return err_set(err, r, "reading a configuration opens files beside %u others, but uncored "
		       "may open %" PRIu64 " in all: raise LimitNOFILE= in the unit, or ulimit -n, "
		       "to %u", open, limit, plan_files_most(g->plan));
}

int generation_open(struct generation *g, const struct machine *m,
		    const struct generation *old, struct err *err)
{
	unsigned n = g->plan->n_sockets;
	int r;

	if (generation_empty(g, err))
		return -ENODEV;
	r = generation_check_sockets(g, err);
	if (r < 0)
		return r;
	r = generation_check_files(g, m, err);
	if (r < 0)
		return r;
	g->sockets = calloc(n, sizeof(*g->sockets));
	if (!g->sockets)
		return err_set(err, -ENOMEM, "out of memory");
	g->has_verified = measured_read(m, &g->verified);
	for (unsigned i = 0; i < n; i++) {
		const struct plan_socket *s = &g->plan->sockets[i];
		struct engines *e = &g->sockets[i].engines;
		char names[256];

		r = engines_open(m, g->conf, s, generation_regs(old, s->id), false, e, err);
		if (r < 0)
			return r;
		if (!old && e->regs && counting_regs_others_started(e->regs, names, sizeof(names)))
			log_socket(LOG_NOTICE, (int)s->id, "setting the global enable also started "
				   "counters that another program left configured: %s", names);
		if (!old && e->hidden)
			log_socket(LOG_NOTICE, (int)s->id, "PCI functions are missing (hidden by "
				   "the BIOS, or not in this processor model); their events are "
				   "left out with the reason hidden: %s", e->hidden);
		if (e->perf && counting_perf_left_out(e->perf))
			log_socket(LOG_NOTICE, (int)s->id, "not everything in the default groups "
				   "can be counted: %s", counting_perf_left_out(e->perf));
	}
	return 0;
}

int generation_new_rings(struct generation *g, struct err *err)
{
	unsigned words[SHARED_SOCKETS_MAX], n = g->plan->n_sockets;

	for (unsigned i = 0; i < n; i++)
		words[i] = layout_of(&g->plan->sockets[i]).n_words;
	shared_free(g->shared);
	g->shared = NULL;
	g->began = generation_clock.wall(NULL);
	return shared_new(words, n, D_VALUES, &g->shared, err);
}

int generation_describe(struct generation *g, const struct machine *m,
			const struct expo_offsets *offsets, struct err *err)
{
	char node[HOST_NAME_MAX + 1] = "", text[MACHINE_TEXT], *names;
	const struct machine_cpu cpu = machine_cpu(m);
	struct expo_identity id = { .version = PACKAGE_VERSION, .revision = UNCORED_REVISION,
				    .host = node,
				    .engine = machine_engine_name(m),
				    .engine_note = m->engine == CONF_MODEL ? m->why.text : "",
				    .simulated_perf = m->simulated,
				    .no_counters_reason = g->no_counters_reason,
				    .processor = cpu.name, .model = cpu.model,
				    .machine = machine_text(m, text),
				    .verified = g->has_verified ? &g->verified : NULL,
				    .workload = m->workload, .pmus = m->pmus,
				    .began = g->began, .with_created = g->conf->with_created };
	size_t len, names_len;
	void *desc;
	int r;

	gethostname(node, sizeof(node) - 1);
	r = expo_describe(g->plan, &id, offsets, &desc, &len, err);
	if (r < 0)
		return r;
	names = host_names_new(node, "/etc/hosts", g->conf->hosts, &names_len);
	r = names ? shared_describe(g->shared, desc, len, names, names_len, err) :
	    err_set(err, -ENOMEM, "out of memory");
	free(names);
	free(desc);
	return r;
}

int generation_sampler(struct generation *g, unsigned i, const struct generation *before,
		       struct err *err)
{
	int old = find_socket(before, g->plan->sockets[i].id);
	struct generation_socket *to = &g->sockets[i];
	struct sampler *s;
	int r;

	to->options = (struct sampler_options){
		.plan = g->plan, .socket = i, .regs = to->engines.regs,
		.perf = to->engines.perf, .ring = &g->shared->rings[i],
		.clock = generation_clock, .freeze = g->conf->freeze, .seed = g->seed };
	r = sampler_new(&to->options, &s, err);
	if (r < 0)
		return r;
	if (old >= 0 && before->sockets[old].sampler)
		sampler_inherit(s, before->sockets[old].sampler);
	sampler_free(to->sampler);
	to->sampler = s;
	return 0;
}

/* One line for all sockets. Without SCHED_FIFO more ticks are late, and these are counted. */
static void log_scheduling(const struct generation *g)
{
	for (unsigned i = 0; i < n_open(g); i++) {
		int r = sampler_thread_realtime(g->sockets[i].thread);

		if (r >= 0)
			continue;
		log_msg(LOG_NOTICE, "samplers run without real-time priority (SCHED_FIFO: "
			"%s), so ticks below 100 ms may be late; to permit it, use LimitRTPRIO=1 "
			"(see contrib/systemd/realtime.conf)", strerror(-r));
		return;
	}
}

void generation_log_pins(struct generation *g)
{
	for (unsigned i = 0; i < n_open(g) && !g->pins_logged; i++) {
		int r = g->sockets[i].thread ? sampler_thread_pinned(g->sockets[i].thread) : 0;

		if (r >= 0)
			continue;
		g->pins_logged = true;
		log_socket(LOG_INFO, (int)g->plan->sockets[i].id, "cannot bind its sampler to the "
			   "CPU that it reads from: %s; counting works, but reads take longer "
			   "(%s)", strerror(-r), r == -EPERM ?
			   "systemd/bound.conf permits it, for a resolution below 100 ms" :
			   "see AllowedCPUs= and CPUAffinity=");
	}
}

static int launch_socket(struct generation *g, unsigned i, const struct generation *before,
			 bool pin, struct err *err)
{
	struct generation_socket *s = &g->sockets[i];
	int r = generation_sampler(g, i, before, err);

	return r < 0 ? r : sampler_thread_start(s->sampler, &s->options, pin, &s->thread, err);
}

int generation_launch(struct generation *g, const struct generation *before, bool pin,
		      struct err *err)
{
	g->began = generation_clock.wall(NULL);
	for (unsigned i = 0; i < n_open(g); i++) {
		int r = launch_socket(g, i, before, pin, err);

		if (r < 0) {
			generation_stop(g, 0);
			return r;
		}
	}
	return 0;
}

/* Has a signal come that will end the loop? */
static bool end_is_pending(void)
{
	sigset_t set;

	return sigpending(&set) == 0 && (sigismember(&set, SIGTERM) || sigismember(&set, SIGINT));
}

int generation_wait(struct generation *g, bool heed_signals, struct err *err)
{
	for (unsigned i = 0; i < n_open(g); i++) {
		int r;

		do
			r = sampler_thread_wait(g->sockets[i].thread, heed_signals ?
						clock_read(CLOCK_MONOTONIC) + NSEC_PER_SEC / 4 : 0,
						err);
		while (r == -EINPROGRESS && !end_is_pending());
		if (r == -EINPROGRESS)
			r = err_set(err, -EINTR, "stopped before socket %u had its first sample",
				    g->plan->sockets[i].id);
		if (r < 0) {
			generation_stop(g, r == -EINTR ? GENERATION_PATIENCE : 0);
			return r;
		}
	}
	log_scheduling(g);
	generation_log_pins(g);
	return 0;
}

int generation_start(struct generation *g, const struct generation *before, bool pin,
		     struct err *err)
{
	int r = generation_launch(g, before, pin, err);

	return r < 0 ? r : generation_wait(g, false, err);
}

void generation_stop(struct generation *g, nsec patience)
{
	nsec until = patience ? clock_read(CLOCK_MONOTONIC) + patience : 0;

	if (g->hangs)                   /* waited for already */
		return;
	for (unsigned i = 0; i < n_open(g); i++)
		if (g->sockets[i].thread)
			sampler_thread_end(g->sockets[i].thread);
	for (unsigned i = 0; i < n_open(g); i++) {
		if (sampler_thread_stop(g->sockets[i].thread, until))
			g->sockets[i].thread = NULL;
		else
			g->hangs = true;
	}
}

bool generation_restore(struct generation *g, const struct generation *next)
{
	struct diags left = { 0 };
	unsigned restored = 0, of = 0;
	bool all = true, hangs = false;

	g->owes = false;
	for (unsigned i = 0; i < n_open(g); i++) {
		struct counting *regs = g->sockets[i].engines.regs, *kept;
		unsigned id = g->plan->sockets[i].id;
		int r;

		if (regs && g->sockets[i].thread) {
			all = false;
			hangs = true;
			log_socket(LOG_ERR, (int)id, "its sampler hangs in a read, so its "
				   "registers were not restored; run uncored --restore once they "
				   "can be read");
			continue;
		}
		if (!regs)
			continue;
		kept = generation_regs(next, id);
		r = counting_regs_restore(regs, kept, &left);
		restored += counting_regs_restored(regs, &of);
		if (r >= 0)
			continue;
		all = false;
		g->owes |= !kept;
		log_socket(LOG_WARNING, (int)id, "not every register could be restored; %s",
			   kept ? "uncored tries again when it stops" :
			   "run uncored --restore after it has stopped");
	}
	log_diags(LOG_WARNING, &left);
	diags_done(&left);
	if (of && !next && (g->said_restored != restored || g->said_of != of)) {
		log_msg(LOG_INFO, "%u of %u registers%s hold again what was found in them",
			restored, of, hangs ? " of the other sockets" : "");
		g->said_restored = restored;
		g->said_of = of;
	}
	return all;
}

void generation_free(struct generation *g)
{
	if (!g || g->hangs)             /* then the process ends */
		return;
	generation_stop(g, 0);
	for (unsigned i = 0; i < n_open(g); i++) {
		engines_close(&g->sockets[i].engines);
		sampler_free(g->sockets[i].sampler);
	}
	free(g->sockets);
	shared_free(g->shared);
	plan_free(g->plan);
	conf_free(g->conf);
	free(g);
}
