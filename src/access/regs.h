/* SPDX-License-Identifier: MIT
 * What the files of the register engine share; nobody else includes it.
 *
 * Owns:  the engine's memory: all of it is allocated in counting_regs_new().
 * Threads as access/counting.h.
 */
#ifndef ACCESS_REGS_H
#define ACCESS_REGS_H

#include "access/counting.h"
#include "base/arena.h"

/* One distinct register of a round. */
struct regs_entry {
	struct reg reg;
	uint16_t row;               /* of the program's table */
	uint8_t kind;               /* enum reg_kind */
	uint64_t expected, check;   /* what its last write leaves in it; bits that are compared */
	uint16_t last;              /* index of the last write to it: after that it is read back */
	uint64_t ref;               /* what it read back, check()'s reference: not what was
	                             * written, as reserved bits read differently and pulses not
	                             * at all */
	uint64_t mismatch;          /* bits that did not read back as written */
	uint64_t changed_at_stop;   /* bits that had changed when the round was stopped */
	bool taken_at_stop;         /* REG_CONTROL: another program counted with it */
	uint64_t diff;              /* bits that differ in the check under way */
	bool unread;                /* ... which could not read it */
};

struct regs_slot {
	/* The members that every tick touches come first. */
	struct reg data;            /* the counter */
	uint8_t state;              /* enum reason: why it is not counting, from start() or
	                             * a rearm */
	bool wrapped;               /* went down since the last check */
	bool foreign;               /* found foreign: left alone, also by later starts, until
	                             * a rearm */
	bool to_program;            /* the programming under way is for it */
	uint64_t last;              /* last raw value */
	const struct plan_reg_slot *plan;
};

struct regs_round {
	const struct plan_reg_round *plan;
	struct regs_entry *entries;
	unsigned n_entries;
	uint16_t *entry_of;         /* of each write of the start, and of the stop */
	uint64_t *unclaimed_bits;   /* of each write of the start: bits that belong to no slot */
	uint64_t *write_mask;       /* the same: bits that the programming under way writes */
	struct regs_slot *slots;
};

struct regs_undo {
	struct reg reg;
	uint64_t before;
};

struct counting_regs {
	struct counting base;
	struct arena *arena;        /* owns it, and all that it points to but program and io */
	const struct plan_program *program;
	struct regio *io;
	const bool *late_driver;
	struct saved_reg *saved;    /* the program's table, then what the engine before us owns
	                             * besides */
	unsigned n_saved;
	struct plan_list restore;   /* by rows of `saved`: an end needs no memory */
	uint16_t *entry_at;         /* scratch of set-up: of each row of the program's table its
	                             * entry in a round */
	bool *needed;               /* of each counter of the program: some round uses it */
	struct regs_round *rounds;
	struct regs_round *current; /* last started; NULL: none */
	bool running;
	bool frozen;                /* all counters are stopped, and overflow_windows.c resumes
	                             * them: a rearm must not */
	struct regs_undo *undo;
	unsigned n_undo;
};

extern const struct counting_ops counting_regs_ops;

/* The engine behind the seam; asserts that it is one. */
struct counting_regs *regs_of(const struct counting *c);

/* ---- saved_regs.c */

/* Is `now` the value that was found, or one of those that we write, running or stopped? enable: the
 * local enable bit of a control. */
bool saved_is_ours(const struct saved_reg *s, uint64_t enable, uint64_t now);
/* The same register in the table of another program; NULL: it is not in there. */
struct saved_reg *saved_find(struct saved_reg *saved, unsigned n, struct reg r);
/* Is a counter enabled, by the values as found or, if `now`, by the present ones? with_shared: also
 * look at what it shares with other counters (global enable, freeze of the box). */
bool saved_enabled(const struct saved_reg *saved, bool now, const struct plan_counter *k,
		   bool with_shared);

#define NAME_TEXT 96
/* "bbox0 counter 3 (0xc36)", "B_MSR_... (0xc36)" or "0xc36"; returns buf. */
char *regs_name(const struct plan_program *p, const struct plan_reg *r, char *buf, size_t n);

/* ---- counting_regs.c: the parts of read() and check() */

/* The register that the slot's d-th dependence is about. */
static inline struct regs_entry *regs_dep(const struct regs_round *rd,
					  const struct plan_reg_slot *s, unsigned d)
{
	return &rd->entries[rd->entry_of[s->dep[d].write]];
}
/* The round cannot be read, for this reason. */
void regs_mark_unread(const struct regs_round *rd, uint8_t *reason, uint8_t why);
/* Compares all registers of the round, into diff and unread. -ENXIO: no CPU answers. */
int regs_compare(struct counting_regs *c, struct regs_round *rd);
/* Sets reason[] of the slots whose registers differ; acknowledges overflows of those that wrapped.
 * Returns how many slots have such a difference. */
int regs_judge(struct counting_regs *c, struct regs_round *rd, uint8_t *reason);

/* ---- counting_regs_program.c */

/* The writes of the start within write_mask[], for the slots marked `to_program`, and their base at
 * the one moment when all events are selected and nothing counts. keep_equal: shared registers that
 * hold the right bits stay unwritten. -errno: all that was written is undone. */
int regs_program(struct counting_regs *c, struct regs_round *rd, bool keep_equal, uint64_t *base,
		 uint8_t *reason, struct err *err);
/* One write of another list, whole; what acknowledges, or is a whole register, is not read
 * before. */
int regs_write(struct counting_regs *c, const struct plan_write *w);
/* The base of the slots marked `to_program`. -ENXIO: no CPU answers. */
int regs_read_base(struct counting_regs *c, struct regs_round *rd, uint64_t *base, uint8_t *reason,
		   struct err *err);
/* -EPERM, with the sentence for it. */
int regs_refused(const struct counting_regs *c, struct err *err);

/* ---- counting_regs_restore.c */

/* Restoring one socket, from an engine or from a state file. */
struct restore {
	struct regio *io;
	unsigned socket;
	struct saved_reg *saved;
	unsigned n_saved;
	const struct plan_counter *counters;    /* by rows of `saved` */
	const struct plan_list *list;           /* by the same; NULL: is made of them */
	unsigned n_counters;
	bool late_driver;           /* the kernel's driver: enables stay on for it */
	struct diags *left;
	int first;                  /* the first error so far */
};
/* Puts back what is in `saved`; what fails is tried twice, what cannot go back is a sentence in
 * `left`. Returns 0, or the first error: -errno. */
int restore_socket(struct restore *w);

#endif
