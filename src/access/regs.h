/* regs.h - what the files of the register engine share; nobody else includes it.
 *
 * Owns:  the engine's memory: all of it is allocated in counting_regs_new().
 */
#ifndef ACCESS_REGS_H
#define ACCESS_REGS_H

#include "access/counting.h"

/* One distinct register of a round. */
struct regs_entry {
	struct reg reg;
	uint8_t kind;               /* enum saved_kind */
	int saved;                  /* index into saved, -1: hidden, never accessed again */
	uint64_t mask;              /* bits that this round writes ... */
	uint64_t want, check;       /* ... what its last write leaves in them, those that are compared */
	uint64_t enable;            /* SAVED_CTL: the local enable bit */
	uint16_t last;              /* index of the last write to it: after that it is read back */
	uint64_t ref;               /* what it read back: the reference of check() */
	uint64_t bad;               /* bits that did not read back as written */
	uint64_t wrong;             /* bits that had changed when the round was stopped */
	bool held;                  /* SAVED_CTL: somebody counted with it by then */
	uint64_t diff;              /* bits that differ in the check under way */
	bool unread;                /* ... which could not read it */
};

struct regs_dep {
	uint16_t entry;
	uint64_t mask;              /* a difference in these bits makes the slot invalid */
};

struct regs_slot {
	/* What every tick touches stands first. */
	struct reg data;            /* the counter */
	uint8_t state;              /* enum reason: why it is not counting, from start() or rearm() */
	bool wrapped;               /* went down since the last check */
	bool taken;                 /* found foreign: left alone, also by later starts, until rearm() */
	bool selected;              /* the programming under way is for it */
	uint64_t last;              /* last raw value */
	uint8_t n_dep;
	struct regs_dep dep[PLAN_DEPS];
};

struct regs_round {
	const struct plan_reground *plan;
	struct regs_entry *entries;
	unsigned n_entries;
	int *saved_of;              /* of each write: its register among the saved ones, -1: it cannot be read */
	uint16_t *entry_of;         /* of each write */
	uint64_t *free_bits;        /* of each write: bits that belong to no slot */
	uint64_t *limit;            /* of each write: bits that the programming under way writes */
	struct regs_slot *slots;
};

struct regs_undo {
	struct reg reg;
	uint64_t before;
};

struct counting_regs {
	struct counting base;
	const struct plan_program *program;
	struct regio *io;
	bool freeze;
	const bool *driver_came;
	struct saved_reg *saved;
	unsigned n_saved;
	uint64_t *present;          /* of each saved: value at new() */
	uint64_t *ref;              /* of each saved: last read-back of ours */
	bool *has_ref;
	bool *mine;                 /* of each saved: some round writes it */
	bool *done;                 /* of each saved: restored, not again before the next start */
	bool *kept;                 /* of each saved: none of this engine's to restore now */
	bool *needed;               /* of each counter of the program: some round uses it */
	struct regs_round *rounds;
	int round;                  /* last started, -1 none */
	bool running;
	bool over;                  /* the window was over at the last read */
	struct regs_undo *undo;
	unsigned n_undo;
};

extern const struct counting_ops counting_regs_ops;

/* The engine behind the seam; asserts that it is one. */
struct counting_regs *regs_of(const struct counting *c);
/* ---- counting_regs_program.c */

/* The writes of limit[] in their order, for the slots marked `selected`, and their base in the one moment when all is
 * selected and nothing counts. keep_equal: shared registers that hold the right bits stay unwritten. -errno: all that was
 * written is undone. */
int regs_program(struct counting_regs *c, struct regs_round *rd, bool keep_equal, uint64_t *base, uint8_t *reason,
		 struct err *err);

/* The base of the selected slots. -ENXIO: no CPU answers. */
int regs_read_base(struct counting_regs *c, struct regs_round *rd, uint64_t *base, uint8_t *reason, struct err *err);
/* -EPERM, with the sentence for it. */
int regs_refused(const struct counting_regs *c, struct err *err);

/* ---- counting_regs_window.c: rounds whose counters one of them stops */

static inline bool regs_windowed(const struct regs_round *rd)
{
	return rd->plan->window.n_seen > 0;
}
/* Has the window's counter overflowed? From the socket's status down: 1, 0, or -errno if that cannot be told. */
int window_seen(struct counting_regs *c, const struct regs_round *rd);
/* The same, and where it has, now or at an earlier read, all counters stand still for certain. */
int window_hold(struct counting_regs *c, const struct regs_round *rd);
/* Overflow bits of the window's counter go off, from its box up. */
int window_clear(struct counting_regs *c, const struct regs_round *rd);
/* The base that start() or rearm() read must be the preloaded value, else the slot is refused. */
void window_check_base(struct regs_round *rd, const uint64_t *base, uint8_t *reason);
/* The shared control as it was found, but going: after the round's own counters were stopped. */
int window_leave(struct counting_regs *c, struct regs_round *rd);
bool regs_over(const struct counting *base);
bool regs_look(struct counting *base, unsigned slot, uint64_t *ret);
int regs_again(struct counting *base, uint64_t *ret_base, uint8_t *ret_reason);

/* ---- counting_regs_found.c */

/* Reads every register that the program writes or that enables a counter, into saved and present; with what `old`, the engine
 * before (NULL at the first start), knew of them. Room was made. -errno: one that must be there cannot be read. */
int regs_look_around(struct counting_regs *c, const struct counting_regs *old, struct err *err);
/* Is the value found, or one of those that we write, running or stopped? */
bool saved_is_ours(const struct saved_reg *s, uint64_t enable, uint64_t now);
/* Index or -1. */
int saved_find(const struct saved_reg *saved, unsigned n, struct reg r);
/* Is a counter enabled, by the values given for each saved register (NULL: as found)? Without `with_shared`: would
 * it be, if what it shares with others (global enable, freeze of the box) let it. */
bool saved_enabled(const struct saved_reg *saved, unsigned n, const uint64_t *values, const struct plan_counter *k,
		   bool with_shared);

#define NAME_TEXT 96
/* "bbox0 counter 3 (0xc36)", "B_MSR_... (0xc36)" or "0xc36"; returns buf. */
char *regs_name(const struct plan_program *p, struct reg r, char *buf, size_t n);

/* ---- counting_regs_new.c */

/* Bits of its d-th write that slot `s` depends on: of shared enables only its own counter's. */
uint64_t regs_slot_bits(const struct counting_regs *c, const struct plan_reground *round, const struct plan_regslot *s,
			unsigned d);

/* ---- counting_regs_restore.c */

/* Restoring one socket, from an engine or from a state file. */
struct restore {
	struct regio *io;
	unsigned socket;
	const struct saved_reg *saved;
	unsigned n_saved;
	const struct plan_counter *counters;
	unsigned n_counters;
	const uint64_t *ref;        /* of each saved: a value also known to be ours, where has_ref; NULL: none */
	const bool *has_ref;
	const bool *skip;           /* of each saved: not to be touched; NULL: none */
	bool *done;                 /* of each saved: set where it went back, or was left alone; NULL, as is skip then */
	bool driver_came;           /* the kernel's driver: enables stay on for it */
	struct diags *left;
};
int restore_socket(const struct restore *in);

#endif
