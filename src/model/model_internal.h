/* SPDX-License-Identifier: MIT
 * What the files of model/ share; nobody outside model/ includes this.
 *
 * Owns:  the shape of a register, a counter, a socket, a family and a load.
 * Never: what a program outside may see of them (model.h).
 * With the model's lock held.
 */
#ifndef MODEL_MODEL_INTERNAL_H
#define MODEL_MODEL_INTERNAL_H

#include "base/arena.h"
#include "base/bits.h"
#include "base/traffic.h"
#include "model/model.h"

#include <pthread.h>

#define MASK48         (BIT(48) - 1)
#define MASK44         (BIT(44) - 1)
#define UNCORE_GHZ     2.4
#define MBOX_GHZ       (4.0 / 3)
/* Flits a ns of a QPI link of 6.4 GT/s: four transfers of 20 bits each. */
#define LINK_GHZ       1.6
/* One event in fixed point. The clocks are integers in this unit per ns. */
#define EVENT          (UINT64_C(15) << 44)
/* ns between an overflow and the freeze; the counters still count during this time */
#define FREEZE_LATENCY INT64_C(40)

enum box { BOX_U, BOX_C, BOX_B, BOX_S, BOX_R, BOX_M, BOX_W, BOX_CPU };

enum kind {
	KIND_NONE,           /* no such register: #GP */
	KIND_GLOBAL, KIND_STATUS, KIND_OVF, KIND_SUMMARY, KIND_CTL, KIND_CTR,
	KIND_MM_CFG, KIND_MATCH, KIND_MASK,
	KIND_IPERF0, KIND_IPERF1, KIND_QLX, KIND_XBR_CFG, KIND_XBR_MATCH, KIND_XBR_MASK,
	KIND_DSP, KIND_ISS, KIND_MAP, KIND_THR, KIND_PGT, KIND_PLD, KIND_FVC,
	KIND_STAMP, KIND_TSC,
	KIND_FAMILY,         /* the first of a family's own */
};

enum access { ACCESS_RW, ACCESS_RO, ACCESS_WO };

/* What software must not do. */
enum rule {
	RULE_WRITE_ONLY,     /* read a write-only register */
	RULE_READ_ONLY,      /* write a read-only one */
	RULE_RESERVED,       /* set reserved bits */
	RULE_LOCKED,         /* write a match or mask register while it is in use */
};
struct violation {
	unsigned socket;
	struct reg reg;
	enum rule rule;
	uint64_t bits;       /* RULE_RESERVED: which */
};

/* One register, the same on every socket. Each family has its own numbers for kind and box, except
 * KIND_NONE, KIND_CTL and KIND_CTR. R-Box: unit 0 is the left half (ports 0-3), unit 1 the right
 * half. */
struct reg_def {
	uint8_t kind, box, unit;
	uint8_t index;	/* CTL, CTR: counter of the unit; IPERF, QLX, XBR: port of the half, plus
			 * 4 for set 2 of XBR */
	uint8_t access;
	uint8_t counter;     /* CTL, CTR: index into socket->ctr */
	bool fixed;          /* CTL, CTR: of a fixed counter */
	uint64_t bits;       /* bits that exist; all others read 0 */
	uint64_t rsv;        /* writing 1 is a violation */
	uint64_t value;      /* what it holds at first */
};

/* Registers of one kind: n in each unit of a box. Register i of unit u has the number regno +
 * u * unit_step + i * step. */
struct reg_row {
	uint16_t regno;
	uint8_t units, unit_step;
	uint8_t n, step;     /* n: 0 means 1 */
	struct reg_def def;   /* of the first; its unit is 0 */
	uint64_t westmere;   /* additional bits on Westmere-EX */
};

/* The registers of a family, by number, while they are described. */
struct register_map {
	const struct family *family;
	struct reg_def *def;
	uint8_t n_counters;      /* until now */
};

/* Each family numbers its registers from 0 (regno): its ranges of MSRs one after the other, then
 * FUNCTION_REGS words of each PCI function, its first 256 bytes and 0x200-0x2ff. */
struct msr_range {
	uint16_t first, n;
};
struct pci_function {
	uint8_t box, unit, dev, fn;
	uint16_t id;
	uint8_t counters;        /* 0: no counters here */
	uint8_t global_bit;      /* of U_MSR_PMON_GLOBAL_STATUS, likwid's map; 32: none known */
};
#define FUNCTION_REGS 128u
#define FUNCTION_WORD(off) ((off) < 0x100 ? (off) / 4 : 64 + ((off) - 0x200) / 4)

/* The EX parts: the block 0xc00-0xfff, then the three that lie elsewhere. */
#define BLOCK_FIRST 0xc00u
#define BLOCK_LAST  0xfffu
#define REGNO_FIXED_CTR (BLOCK_LAST - BLOCK_FIRST + 1)
#define REGNO_FIXED_CTL (REGNO_FIXED_CTR + 1)
#define REGNO_TSC       (REGNO_FIXED_CTR + 2)
#define NHMEX_REGS      (REGNO_FIXED_CTR + 3)
#define REGNO(addr)     ((addr) - BLOCK_FIRST)

/* A workload goes through phases; within a phase every rate is constant. */
enum { PHASES = 8 };
/* How fast its phases of traffic read and write the memory of a socket. */
#define TRAFFIC_BYTES_PER_NS 23.04

struct counter {
	uint8_t box, unit, index;
	bool fixed;
	unsigned ctl, ctr;       /* register numbers */
	bool active;             /* every enable above it is set */
	bool stopped;            /* M-Box with wrap_mode 0 that has overflowed */
	uint64_t mask;           /* 48 or 44 ones */
	uint64_t value;          /* what the register holds */
	uint64_t truth;          /* never wraps, never reset */
	uint64_t fraction;       /* of the next event, in 1/EVENT */
	uint64_t rate[PHASES];   /* per ns, in 1/EVENT */
	nsec counted_to;         /* the time up to which it has counted */
	nsec moved[TRAFFIC_KINDS];      /* of the socket's, what it has counted */
};

enum { FAULT_EIO = 1, FAULT_STUCK = 2, FAULT_HIDDEN = 4 };

struct socket {
	unsigned number;
	uint64_t online;         /* its CPUs, a bit each */
	uint64_t *reg;           /* by register number */
	uint8_t *fault;          /* the same */
	struct counter *ctr;
	unsigned n_counters;
	bool frozen;             /* Ivytown: frz_all was written, or an overflow was broadcast */
	bool may_freeze;         /* an overflow of some counter would freeze the socket */
	nsec freeze_at;          /* when the socket freezes; -1: no overflow has happened */
	bool stop_clock, offline, write_eperm, erratum;
	nsec moved[TRAFFIC_KINDS];      /* traffic until now: how long its phase would take */
};

/* What happens per cycle, in one phase. Rates are per uncore cycle and unit of the box. */
struct load {
	double activity;         /* 0..1, scales every event without a field below */
	double lookups, miss;    /* C-Box: LLC look-ups, share that misses */
	double remote;           /* share of the misses that another socket owns */
	double inserts;          /* B-Box: IMT inserts */
	double imt_cycles;       /* that an entry stays in the IMT */
	double conflicts;        /* per insert */
	double link;             /* share of a QPI port's flit slots that carry something */
	double writes;           /* -1..1: there are 1 + writes times as many writes as usual, and
				  * 1 - writes / 2 times as many reads: reads are twice as
				  * frequent, so the sum stays the same */
	double reduction[2];     /* 0..1: share that even and odd sockets do not do */
};

/* Part 0 and then part 1, repeated. */
struct stretch {
	unsigned times;
	struct { unsigned phase; nsec length; } part[2];
};

/* The stretches follow one another; after the last, the first begins again. */
struct workload {
	const char *name;
	unsigned n_phases;
	struct load load[PHASES];
	const struct stretch *stretches;
	size_t n_stretches;
	bool traffic;            /* phases 1 and 2 last as long as it takes to read and to write
				  * what a load moves in another process; phase 0 always goes on */
};

static inline double load_reads(const struct load *l)
{
	return 1 - l->writes / 2;
}

static inline double load_writes(const struct load *l)
{
	return 1 + l->writes;
}

/* The increment of an event in one cycle: binomial, 0..max, with this mean. */
struct dist {
	unsigned max;
	double mean;
};

/* The rows of a list of events, written in place, and their number. */
#define ROWS(...) { (const struct row[]){ __VA_ARGS__ }, \
		    COUNT(((const struct row[]){ __VA_ARGS__ })) }

/* What the registers of a family do. Callers hold the model's lock. "In sync": socket_sync() has
 * been called. */
struct family {
	const char *processor;
	unsigned n_regs;
	unsigned cboxes;         /* EX: number of C-Boxes */
	unsigned westmere;       /* 1: Westmere-EX or Westmere, which have more events; also the
				  * additional bits of fvid in the M-Box's FVC and MAP */
	/* The kinds of registers that, with the control register, select what the counters of
	 * their unit count. */
	uint8_t filter_first, filter_last;
	const double *ghz;       /* clock of each box */
	const struct msr_range *msrs;
	unsigned n_msrs, n_functions;
	const struct pci_function *functions;
	void (*map)(struct register_map *map);
	/* The access rules have been checked. */
	uint64_t (*read)(struct model *m, struct socket *s, unsigned regno);
	/* in sync; value: only bits that exist. False: #GP, RULE_LOCKED. */
	bool (*write)(struct model *m, struct socket *s, unsigned regno, uint64_t value);
	/* in sync */
	void (*store)(struct model *m, struct socket *s, unsigned regno, uint64_t value);
	/* Mean count per cycle of the box's clock. */
	double (*events_per_cycle)(const struct model *m, const struct socket *s,
				   const struct counter *c, const struct load *l);
	/* All enables of the counter are set. */
	bool (*enabled)(const struct socket *s, const struct counter *c);
	/* The next overflow of the counter freezes the socket. */
	bool (*overflow_freezes)(const struct socket *s, const struct counter *c);
	/* Sets the status bits. */
	void (*overflow)(struct socket *s, const struct counter *c);
	void (*freeze)(struct socket *s);
	bool (*wraps)(const struct socket *s, const struct counter *c);  /* NULL: all do */
};
extern const struct family family_nehalem_ex, family_westmere_ex, family_nehalem, family_westmere,
	family_ivytown;

struct model {
	struct arena *arena;     /* owns it, and all that it points to but traffic */
	pthread_mutex_t lock;
	const struct workload *workload;
	struct traffic *traffic; /* NULL: the workload has none */
	unsigned n_sockets, cores;
	bool real_time;
	uint64_t seed;
	nsec start, now;
	struct socket *sockets;
	const struct family *family;
	struct reg_def *def;      /* by register number */
	unsigned violations;
	struct violation violation;     /* the last one */
};

/* model.c */
/* Every public function begins with this: it takes the lock until the function returns, and updates
 * the time. */
#define LOCKED(m) \
	struct model *locked __attribute__((cleanup(model_unlock), unused)) = model_lock(m)
struct model *model_lock(struct model *m);
void model_unlock(struct model **m);
/* The number of the register at an address; -1: there is none. */
int register_number(const struct family *f, struct reg r);
/* Brings all counters up to now, and stops them at the time of a freeze. */
void socket_sync(struct model *m, struct socket *s);
/* Must follow every change of an enable: updates active and may_freeze. */
void socket_update_enables(struct model *m, struct socket *s);
/* The value of the counter now. */
uint64_t counter_read(struct model *m, struct socket *s, struct counter *c);
void map_put(struct register_map *map, unsigned regno, struct reg_def d);
void map_rows(struct register_map *map, const struct reg_row *rows, size_t n);
/* Adds the control register of one more counter, and its data register, whose bits are `mask`. d
 * describes the control register, without its kind and counter. */
void map_pair(struct register_map *map, unsigned ctl, unsigned ctr, struct reg_def d,
	      uint64_t mask);
/* What most registers do when they are read, and when they are written in sync. */
uint64_t register_read(struct model *m, struct socket *s, unsigned regno);
void register_store(struct model *m, struct socket *s, unsigned regno, uint64_t value);

/* nehalem_ex_events.c: from control bits to events per cycle. nehalem_ex_redirect.c: the same for
 * R- and M-Box. */
double nhmex_events_per_cycle(const struct model *m, const struct socket *s,
			      const struct counter *c, const struct load *l);
double nhmex_rbox(const struct model *m, const struct socket *s, const struct counter *c,
	       const struct load *l);
double nhmex_mbox(const struct model *m, const struct socket *s, const struct counter *c,
	       const struct load *l);

/* workload.c */
extern const struct workload workloads[];       /* the last has no name */
const struct workload *workload_find(const char *name);
struct load workload_load(const struct model *m, unsigned socket, unsigned unit, unsigned phase);
void workload_elapsed(const struct workload *w, nsec t, nsec ret[PHASES]);
double workload_hash(const struct model *m, uint64_t what);
double workload_filter(struct dist d, unsigned threshold, bool invert, bool edge);

#endif
