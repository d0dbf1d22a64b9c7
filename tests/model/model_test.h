/* SPDX-License-Identifier: MIT
 * What the tests of the register model share: short names, and the counters of every
 * unit with their enables and overflow bits, typed from 323535-001. Include after cmocka.h.
 */
#ifndef TESTS_MODEL_MODEL_TEST_H
#define TESTS_MODEL_MODEL_TEST_H

#include "base/bits.h"
#include "inspect.h"

#define EN_ALL  BIT(28)
#define RST_ALL BIT(29)
#define FRZ_ALL BIT(31)
#define TOP     BIT(48)
#define check(row, cond) \
	do { if (!(cond)) fail_msg("row of line %d: %s", (row)->line, #cond); } while (0)

static inline struct reg msr(unsigned addr)
{
	return (struct reg){ .space = SPACE_MSR, .bytes = 8, .off = addr };
}

static inline struct model *new_model(const char *workload, unsigned sockets, uint64_t seed)
{
	struct model_options o = { .processor = "nehalem-ex", .workload = workload,
				   .n_sockets = sockets, .cores = 8,
				   .seed = seed };
	struct model *m = NULL;
	struct err err;

	if (model_new(&o, &m, &err) < 0)
		fail_msg("%s", err.text);
	return m;
}

static inline void wr(struct model *m, unsigned addr, uint64_t value)
{
	int r = model_write(m, 0, msr(addr), value);

	if (r < 0)
		fail_msg("write 0x%x: %d", addr, r);
}

static inline uint64_t rd(struct model *m, unsigned addr)
{
	uint64_t v = 0;
	int r = model_read(m, 0, msr(addr), &v);

	if (r < 0)
		fail_msg("read 0x%x: %d", addr, r);
	return v;
}

static inline uint64_t truth(struct model *m, unsigned addr)
{
	return model_truth(m, 0, msr(addr));
}

static inline double rate(struct model *m, unsigned addr)
{
	return model_rate(m, 0, msr(addr));
}

static inline void no_violation(struct model *m)
{
	char text[160] = "";

	if (model_violations(m, text, sizeof(text)))
		fail_msg("violation: %s", text);
}

/* --- every counter: pair addresses, enables, overflow bits --- */

/* One unit of a box: first control, step 2; the bit enables counter 0; S summary bit and U bit of
 * its overflow. */
struct unit {
	int line;
	unsigned ctl, n, global, bit, status;
	unsigned summary, summary_bit, u_bit;
	uint64_t en;
};
static const struct unit units[] = {
	{ __LINE__, 0xc10, 1, 0xc00, 0, 0xc01, 0, 0, 0, BIT(22) },
	{ __LINE__, 0xd10, 6, 0xd00, 0, 0xd01, 0xc43, 2, 3, BIT(22) },     /* C0, C1: ov_c_l of S0 */
	{ __LINE__, 0xd90, 6, 0xd80, 0, 0xd81, 0xc43, 2, 3, BIT(22) },
	{ __LINE__, 0xd50, 6, 0xd40, 0, 0xd41, 0xc43, 0, 3, BIT(22) },     /* C2, C3: ov_c_r of S0 */
	{ __LINE__, 0xdd0, 6, 0xdc0, 0, 0xdc1, 0xc43, 0, 3, BIT(22) },
	{ __LINE__, 0xd30, 6, 0xd20, 0, 0xd21, 0xcc3, 2, 2, BIT(22) },     /* C4, C5: ov_c_l of S1 */
	{ __LINE__, 0xdb0, 6, 0xda0, 0, 0xda1, 0xcc3, 2, 2, BIT(22) },
	{ __LINE__, 0xd70, 6, 0xd60, 0, 0xd61, 0xcc3, 0, 2, BIT(22) },     /* C6, C7: ov_c_r of S1 */
	{ __LINE__, 0xdf0, 6, 0xde0, 0, 0xde1, 0xcc3, 0, 2, BIT(22) },
	{ __LINE__, 0xc30, 4, 0xc20, 0, 0xc21, 0xc43, 16, 3, BIT(0) },
	{ __LINE__, 0xc70, 4, 0xc60, 0, 0xc61, 0xcc3, 16, 2, BIT(0) },
	{ __LINE__, 0xc50, 4, 0xc40, 0, 0xc41, 0xc43, 18, 3, BIT(22) },
	{ __LINE__, 0xcd0, 4, 0xcc0, 0, 0xcc1, 0xcc3, 18, 2, BIT(22) },
	{ __LINE__, 0xe10, 8, 0xe00, 0, 0xe01, 0xc43, 19, 3, BIT(0) },
	{ __LINE__, 0xe30, 8, 0xe20, 0, 0xe21, 0xcc3, 19, 2, BIT(0) },
	{ __LINE__, 0xcb0, 6, 0xca0, 0, 0xca1, 0xc43, 16, 3, BIT(0) },
	{ __LINE__, 0xcf0, 6, 0xce0, 0, 0xce1, 0xcc3, 16, 2, BIT(0) },
	{ __LINE__, 0xc90, 4, 0xc80, 0, 0xc81, 0, 0, 1, BIT(22) },
	{ __LINE__, 0x395, 1, 0xc80, 31, 0xc81, 0, 0, 1, BIT(0) },         /* fixed: 394 counts, 395 controls */
};

static inline unsigned unit_ctr(const struct unit *u, unsigned i)
{
	return u->ctl == 0x395 ? 0x394 : u->ctl + 2 * i + 1;
}

/* A control value that makes the counter count something often, without its enable bit. */
static inline uint64_t busy_event(const struct unit *u, unsigned i)
{
	static const uint64_t bbox[4] = { 0x07 << 1, 0x07 << 1, 0x07 << 1, 0x17 << 1 };

	switch (u->ctl & 0xff0) {
	case 0xc10: return 0x51;                    /* U2B_REQUEST_CYCLES */
	case 0xc30: case 0xc70: return bbox[i];	/* IMT: occupancy, inserts, not empty; CONFLICTS */
	case 0xc50: case 0xcd0: return 0x62;        /* PKTS_SENT_SNP */
	case 0xe10: case 0xe30: return 0;           /* PORT0_IPERF0, PORT4_IPERF0 */
	case 0xcb0: case 0xcf0: return 0x3640;      /* CYCLES, wrap_mode */
	case 0xc90: return 0xff04;                  /* C_CYCLES_TURBO, all cores */
	case 0x390: return 0;
	default: return 0x0714;                     /* LLC_MISSES, all states */
	}
}

static inline void prepare(struct model *m, const struct unit *u, unsigned i)
{
	wr(m, 0xe04, BIT(31));                      /* FLITS_SENT */
	wr(m, 0xe08, BIT(31));
	wr(m, u->ctl + 2 * i, busy_event(u, i) | u->en);
	model_write(m, 0, msr(u->global), BIT(u->bit + i));
	wr(m, 0xc00, EN_ALL | (u->ctl == 0xc10));
}

#endif
