/* SPDX-License-Identifier: MIT
 * A sampler over perf events on a made-up kernel, in a made-up machine.
 *
 * A test's state is its scenario. Time passes in tick(); until then every event counts 1000 a
 * millisecond.
 */
#ifndef PERF_FIXTURE_H
#define PERF_FIXTURE_H

#include "plan_test.h"
#include "sysfs_tree.h"

#include "fake_perf.h"

#include "derive/derive.h"
#include "sample/sampler.h"

#include <stdlib.h>

static struct sysfs_tree tree;
static struct made m;
static struct counting *engine;
static struct sampler *s;
static struct layout lay;
static struct ring ring;
static void *mem;
static uint64_t words[4096];
static nsec now;

static nsec clock_now(void *p)
{
	(void)p;
	return now;
}

static unsigned slow;		/* ms until the next enabling returns, while the event counts */

static int enable(const struct perf_sys *sys, int fd, bool on)
{
	int r = fake.enable(sys, fd, on);

	if (on && slow) {
		step(slow);
		now += slow * NSEC_PER_MSEC;
		slow = 0;
	}
	return r;
}

/* A read that is held up takes its time. */
static ssize_t read_late(const struct perf_sys *sys, int fd, void *buf, size_t n)
{
	now += events[fd].on ? k.late * NSEC_PER_MSEC : 0;
	return fake.read(sys, fd, buf, n);
}

static const struct perf_sys kernel = {
	.open = fake_open, .read = read_late, .enable = enable, .close = fake_close,
};

struct scenario {
	const char *tree, *conf;        /* "nehalem.txt"; the configuration */
};

static int setup(void **state)
{
	struct sampler_options o = { .clock = { .mono = clock_now, .wall = clock_now } };
	struct topo_pmus *pmus;
	struct conf *c = NULL;
	struct topo *topo;
	struct err err;
	const struct scenario *sc = *state;

	fake_reset();
	k.counters = 8;                 /* as the driver has */
	for (unsigned i = 0; i < COUNT(k.online); i++)
		k.online[i] = true;
	now = 1000 * NSEC_PER_SEC;
	tree_make(&tree, sc->tree);
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	m = (struct made){ 0 };
	assert_int_equal(conf_parse("t.conf", sc->conf, strlen(sc->conf), &c, &m.d), 0);
	if (plan_build(&(struct plan_input){ .conf = c, .topo = topo, .pmus = pmus,
					     .perf_engine = true }, &m.p, &m.d) < 0)
		fail_msg("%s", m.d.v[0]);
	conf_free(c);
	topo_free(topo);
	topo_pmus_free(pmus);
	if (counting_perf_new(&kernel, m.p->sockets[0].perf, &engine, &err) < 0)
		fail_msg("%s", err.text);
	lay = layout_of(&m.p->sockets[0]);
	assert_true(lay.n_words <= COUNT(words));
	mem = calloc(1, ring_bytes(lay.n_words));
	ring_init(&ring, mem, lay.n_words);
	o.plan = m.p;
	o.perf = engine;
	o.ring = &ring;
	assert_int_equal(sampler_new(&o, &s, NULL), 0);
	assert_int_equal(sampler_start(s, NULL), 0);
	assert_true(ring_read(&ring, words) > 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sampler_stop(s);
	sampler_free(s);
	engine->ops->free(engine);
	assert_int_equal(k.open_now, 0);
	made_done(&m);
	free(mem);
	tree_drop(&tree);
	return 0;
}

/* The kernel counts until the next tick or look. */
static void tick(void)
{
	step((unsigned)((sampler_next(s) - now) / NSEC_PER_MSEC));
	now = sampler_next(s);
	sampler_tick(s);
	assert_true(ring_read(&ring, words) > 0);
}

static uint64_t total(unsigned slot) { return words[lay.slot_total + slot]; }
static enum reason reason(unsigned slot) { return (enum reason)words[lay.slot_reason + slot]; }
static inline uint64_t active_ms(unsigned group)
{
	return words[lay.group_active + group] / NSEC_PER_MSEC;
}

static inline unsigned metric_index(const char *name)
{
	unsigned i = 0;

	while (i < m.p->sockets[0].n_metrics && strcmp(m.p->sockets[0].metrics[i].name, name) != 0)
		i++;
	assert_true(i < m.p->sockets[0].n_metrics);
	return i;
}

static inline double metric(const char *name)
{
	unsigned i = metric_index(name);
	double v;

	assert_int_equal(words[lay.metric_reason + i], REASON_NONE);
	memcpy(&v, &words[lay.metric_value + i], sizeof(v));
	return v;
}

static inline void near(double v, double want)
{
	if (v < want * 0.999 || v > want * 1.001)
		fail_msg("%g, expected %g", v, want);
}

#endif
