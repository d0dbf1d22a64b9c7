/* SPDX-License-Identifier: MIT
 * The perf engine on a made-up kernel: a socket of eight CPUs, and PMUs that have their masks in
 * files. A test begins with setup().
 */
#ifndef PERF_ENGINE_FIXTURE_H
#define PERF_ENGINE_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_perf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the sysfs */

static char dir[] = "/tmp/uncored-perf-XXXXXX";
static char masks[2][64];

static void put_mask(unsigned i, const char *text)
{
	int fd = open(masks[i], O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* ---- programs */

#define UNCORE(type_, config_, cpu_, perf_group_) \
	{ .type = (type_), .config = (config_), .cpu = (cpu_), .perf_group = (perf_group_), \
	  .mask = 0, .pmu = "uncore_imc_0", \
	  .text = "perf/uncore_imc_0/e" #config_ "/" }
#define ANYWHERE(config_, perf_group_) \
	{ .type = 9, .config = (config_), .perf_group = (perf_group_), .mask = -1, .pmu = "msr", .text = "perf/msr/e" #config_ "/" }

static unsigned socket_cpus[] = { 0, 1, 2, 3, 8, 9, 10, 11 };
/* For each of socket_cpus, the CPU that counts for it. */
static unsigned two_dies[] = { 0, 0, 0, 0, 8, 8, 8, 8 };
static struct plan_cpumask plan_masks[] = { { masks[0], two_dies }, { masks[1], two_dies } };

struct made {
	struct plan_perf_program prog;
	struct plan_perf_round round;
	struct counting *c;
	struct err err;
	int r;
	uint64_t raw[8];
	uint8_t reason[8];
};

static void make(struct made *m, struct plan_perf *e, unsigned n, bool may_lack)
{
	for (unsigned i = 0; i < n; i++)
		e[i].may_lack = may_lack;
	*m = (struct made){
		.prog = { .cpus = socket_cpus, .n_cpus = COUNT(socket_cpus),
			  .masks = plan_masks, .n_masks = 2,
			  .rounds = &m->round, .n_rounds = 1 },
		.round = { e, n },
	};
	m->r = counting_perf_new(&fake, &m->prog, &m->c, &m->err);
}

static void started(struct made *m, struct plan_perf *e, unsigned n)
{
	make(m, e, n, false);
	if (m->r < 0)
		fail_msg("%s", m->err.text);
	assert_int_equal(m->c->ops->start(m->c, 0, m->raw, m->reason, &m->err), 0);
}

/* One tick: read, then check. */
static void tick(struct made *m)
{
	memset(m->reason, 0, sizeof(m->reason));
	m->c->ops->read(m->c, m->raw, m->reason);
	assert_int_equal(m->c->ops->check(m->c, m->reason), 0);
}

static void freed(struct made *m)
{
	m->c->ops->free(m->c);
	assert_int_equal(k.open_now, 0);
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	for (unsigned i = 0; i < COUNT(socket_cpus); i++)
		k.online[socket_cpus[i]] = true;
	put_mask(0, "0,8\n");
	put_mask(1, "0\n");
	plan_masks[0].serving_cpu = two_dies;
	return 0;
}

/* ---- tests */

#define TEST(f) cmocka_unit_test_setup(f, setup)

/* Around all tests: the files of the masks. */
static int make_masks(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	for (unsigned i = 0; i < 2; i++)
		snprintf(masks[i], sizeof(masks[i]), "%s/cpumask%u", dir, i);
	return 0;
}

static int remove_masks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++)
		unlink(masks[i]);
	return rmdir(dir);
}

#endif
