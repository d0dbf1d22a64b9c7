/* SPDX-License-Identifier: MIT
 * The daemon's inside on the register model: plan, register engine, samplers and rings,
 * without threads.
 *
 * Time is the model's: it moves when the test says so and, if `latency` is set, with each access to
 * a register. Every expectation is taken from the model's own account of what its counters counted
 * (model_truth).
 */
#ifndef TESTS_MODEL_RIG_H
#define TESTS_MODEL_RIG_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bits.h"
#include "inspect.h"
#include "planner/plan_build.h"
#include "sample/sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RIG_SOCKETS 8
#define TOP48 BIT(48)

/* The machine: what is there whether uncored runs or not. */
struct rig {
	struct model *m;
	struct topo *topo;
	const struct cat_processor *cpu;
	unsigned n_sockets;
	struct sampler_clock clock;
	FILE *trace;                /* transcript of uncored's accesses; NULL: none */
	nsec latency;               /* that an access of uncored takes */
	uint64_t seed_of_turns;     /* 0: in the order of the rounds */
	bool dead;                  /* uncored was killed: no access of it reaches the hardware */
	/* before each; NULL: none */
	void (*hook)(struct rig *r, unsigned socket, struct reg reg, bool write);
	void *hook_arg;
	/* of each: 0, or the -errno that it comes to; NULL: none; any thread */
	int (*fails)(struct rig *r, bool write);
};

/* One slot: where it counts, what it has. */
struct slot {
	unsigned word;              /* among the words of the socket's slots */
	unsigned round;
	const struct plan_slot *plan;
	const struct plan_reg_slot *regs;
	struct reg data, ctl;
	uint64_t truth0;            /* model_truth() when the run began */
};

struct run_socket {
	struct counting *engine;
	struct sampler *sampler;
	struct ring ring;
	void *mem;
	uint64_t *words;            /* last published, see run_read_words() */
	struct layout layout;
	struct slot *slots;
	unsigned n_slots;
};

/* One configuration at work. */
struct run {
	struct rig *rig;
	struct conf *conf;
	struct plan *plan;
	const struct run *before;   /* whose distributions go on when this one starts; NULL: none */
	struct run_socket s[RIG_SOCKETS];
};

struct reg msr(uint32_t off);
void rig_open(struct rig *r, unsigned n_sockets, const char *workload, uint64_t seed);
void rig_open_as(struct rig *r, const char *processor, unsigned n_sockets, const char *workload,
		 uint64_t seed);
void rig_open_real(struct rig *r, unsigned n_sockets);  /* time is the machine's: for threads */
void rig_close(struct rig *r);
void rig_advance(struct rig *r, nsec by);
/* What "the registers as found" means: all that PMON has but the counts, and what only tells of
 * overflows. */
#define RIG_REGS 0x2a2
void rig_peek_all(struct rig *r, unsigned socket, uint64_t values[RIG_REGS]);
void rig_same(const uint64_t a[RIG_REGS], const uint64_t b[RIG_REGS], int line);
void rig_no_violation(struct rig *r);

/* Plan and engines; writes nothing. old: the run whose registers go on, NULL. */
void run_open(struct run *u, struct rig *r, const char *conf, const struct run *old);
int run_try_open(struct run *u, struct rig *r, const char *conf, const struct run *old,
		 struct err *err);
int run_try_start(struct run *u, struct err *err);
void run_start(struct run *u);
struct sampler_options run_options(struct run *u, unsigned socket);
void run_begin_truth(struct run *u);            /* each slot's truth begins now */
/* Each socket's sampler ticks once, now. */
void run_tick(struct run *u);
/* Time moves to the samplers' next deadline (or `step` on), then they tick; n times. */
void run_ticks(struct run *u, unsigned n, nsec step);
void run_read_words(struct run *u);             /* words of every socket, from its ring */
void run_stop(struct run *u);
void run_restore(struct run *u, const struct run *keep);
void run_close(struct run *u);

/* of the first round that has it */
struct slot *run_slot(struct run *u, unsigned socket, const char *identity);
uint64_t slot_total(const struct run *u, unsigned socket, const struct slot *s);
/* The same, of all events that turns put onto the slot's counter. */
uint64_t counter_total(const struct run *u, unsigned socket, const struct slot *s);
enum reason slot_reason(const struct run *u, unsigned socket, const struct slot *s);
/* since the run began */
uint64_t slot_truth(const struct run *u, unsigned socket, const struct slot *s);
/* Every slot's published total is the truth, and no slot is flagged. skip: slots left out, by
 * identity, NULL ends. */
void run_exact(struct run *u, int line, const char *const *skip);

/* A configuration whose one group fills the 98 counters of each socket: RIG_ALL("interval = \"1s\";
 * "). */
#define RIG_ALL(settings) settings "groups = ( { name = \"all\"; events = [ " RIG_ALL_EVENTS \
	" ]; } );"
#define RIG_PORT(n) "\"rbox/FLITS_SENT,port=" #n "\", \"rbox/NULL_IDLE,port=" #n "\", "
#define RIG_ALL_EVENTS \
	"\"ubox/U2R_REQUESTS\", " \
	"\"cbox/LLC_HITS:M:E\", \"cbox/LLC_MISSES:ALL\", \"cbox/OCCUPANCY_IRQ\", " \
	"\"cbox/TRANS_IRQ\", " \
	"\"cbox/SINKS_P2C:BL\", \"cbox/MAF_ACK,threshold=1\", " \
	"\"bbox/IMT_VALID_OCCUPANCY\", \"bbox/IMT_INSERTS_ALL\", \"bbox/IMT_NE_CYCLES\", " \
	"\"bbox/CONFLICTS\", " \
	"\"sbox/TO_R_NDR_MSGQ_OCCUPANCY\", \"sbox/PKTS_SENT_HOM:RBOX\", " \
	"\"sbox/TO_R_PROG_EV,match=0x80000000000\", " \
	"\"sbox/REQ_TBL_OCCUPANCY\", " \
	RIG_PORT(0) RIG_PORT(1) RIG_PORT(2) RIG_PORT(3) \
	RIG_PORT(4) RIG_PORT(5) RIG_PORT(6) RIG_PORT(7) \
	"\"mbox/CYCLES\", \"mbox/PAGE_HIT\", \"mbox/PAGE_EMPTY\", " \
	"\"mbox/FVC_EV0:BBOX_CMDS_READS\", " \
	"\"mbox/FVC_EV1:BBOX_RSP_ACK\", \"mbox/BCMD_SCHEDQ_OCCUPANCY:ALL\", " \
	"\"wbox/CLOCKTICKS\", \"wbox/C_CYCLES_TURBO\", \"wbox/C_THROTTLE_TMP\", " \
	"\"wbox/PROCHOT\", \"wbox/TM1_ON\""

bool rig_long(void);                            /* UNCORED_TEST_LONG is set: make check-long */

uint64_t rig_random(uint64_t *state);           /* splitmix64 */
/* NULL: no names */
struct regio *rig_io_new(struct rig *r, unsigned socket, const struct plan_program *names);

/* A comparison that says which row failed, and both numbers. */
void same_u64(uint64_t is, uint64_t want, const char *what, int line);

#endif
