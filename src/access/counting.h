/* SPDX-License-Identifier: MIT
 * A counting engine on one socket: start a round, read it, check it, stop it.
 *
 * Owns:  executing lowered programs.
 * Never: catalog, event names, processor names; time.
 * new/restore/free: main thread. start/read/check/stop: the socket's sampler thread (or main while
 * that thread is not running). read and check allocate nothing and write no text.
 */
#ifndef ACCESS_COUNTING_H
#define ACCESS_COUNTING_H

#include "access/regio.h"
#include "base/cleanup.h"
#include "plan/program.h"

struct counting {
	const struct counting_ops *ops;
};

/* raw[] and reason[] are in the order of the round's slots of this engine; only entries that go
 * wrong are set. */
struct counting_ops {
	/* Program the round (stop, select), read the base of each slot while its counter is
	 * stopped, enable. A round that still runs is stopped first. If writes are refused and that
	 * round is the wanted one, it keeps running, from a new base. reason[i]:
	 * REASON_REFUSED: event, umask, filter or enable bits did not read back, or the register
	 *   alone faults (-EIO). Such a slot stays invalid, the others count.
	 * REASON_HIDDEN: a register that the slot needs could not be read at new().
	 * REASON_READ_ERROR: the base could not be read.
	 * REASON_FOREIGN: a check found the slot foreign, or another program took its counter
	 *   while another round ran. It is left alone until it is rearmed.
	 * Returns 0, or -errno with a sentence: nothing of this round counts, and what was written
	 * is undone. */
	int (*start)(struct counting *c, unsigned round, uint64_t *base, uint8_t *reason,
		     struct err *err);
	/* Read all slots of the running round; after stop(), their final counts. reason[i] =
	 * REASON_READ_ERROR or REASON_OFFLINE for those not read.
	 * Returns 0, or -errno if none could be read; -ENXIO: no CPU of the socket answers. 1: the
	 * hardware has stopped all counters, also those not read, until
	 * overflow_windows_restart(). */
	int (*read)(struct counting *c, uint64_t *raw, uint8_t *reason);
	/* Reads one slot of the running round once more, after read(). 0, or -errno. NULL: what
	 * read() says needs no second look. */
	int (*read_again)(struct counting *c, unsigned slot, uint64_t *raw);
	/* To be called after read(): a count is valid only if the check after its read passes. A
	 * check before the read would miss a foreign write between the two.
	 *
	 * Compares the registers with what they read back at start. REASON_FOREIGN where another
	 * program changed one, REASON_READ_ERROR where one cannot be read. Clears our overflow
	 * bits. Returns the number of slots with such a reason, or -errno (then no slot was
	 * checked). A slot that start() or a rearm gave a reason keeps it and does not count here.
	 * After stop() the check covers the time until the stop. */
	int (*check)(struct counting *c, uint8_t *reason);
	/* Stop the running round: clears our local and box enables; those of others and the global
	 * one stay. A counter that another program took keeps running. read() and check() after it
	 * are exact to the last count. -EPERM: writes are refused, nothing was changed, and the
	 * round keeps running. */
	int (*stop)(struct counting *c);
	/* Nanoseconds from start() to the last read in which the slot was enabled, and in which it
	 * counted. If it counted for less time, it had to share the hardware. NULL: an enabled slot
	 * always counts. */
	void (*times)(const struct counting *c, unsigned slot, uint64_t *ret_enabled,
		      uint64_t *ret_running);
	/* The CPU on which the running round counts or is read; the first one if there are several.
	 * -1: nothing of it is open, or no CPU is involved. */
	int (*cpu)(const struct counting *c);
	void (*free)(struct counting *c);    /* does not restore. NULL: embedded in what owns it */
};

struct counting_regs_options {
	bool takeover;
	bool leave;                 /* counters that others have enabled are left to them, and no
	                             * reason to refuse */
	const bool *late_driver;    /* the kernel's own driver has bound since uncored started:
	                             * restoring leaves on what it needs. Read when registers
	                             * are restored; NULL: it has not */
};

/* A row of the program's table, with the values that the register had before uncored and those that
 * uncored writes. The members down to `found` are in the state file. */
#define SAVED_VALUES 16
struct saved_reg {
	struct plan_reg r;
	uint64_t ours[SAVED_VALUES];    /* values that we write within mask: a register with one of
	                                 * them was not changed by others; more are not kept */
	uint8_t n_ours;
	uint64_t found;             /* value before our first write */
	uint64_t now;               /* as last read: at new(), or while it is restored */
	/* Another value of ours, if there is one. Written on the sampler's thread, while the engine
	 * of a reload reads it: atomically. The sampler also clears `restored`. */
	uint64_t readback;
	bool has_readback;
	bool owned;                 /* this engine restores it: some list writes it */
	bool restored;              /* is not restored again before the next start */
	/* Of the restoring under way: */
	bool excluded;              /* not to be restored now */
	bool skipped;               /* not written: excluded, unreadable or foreign */
	bool foreign;               /* it holds no value of ours */
	bool failed;                /* it could not be read or written */
};

/*
 * counting_regs_new - reads the present value of every register that the program will write. It
 * writes nothing.
 *
 * old     engine of the previous plan on this socket, NULL at start: registers it owns keep its
 *         originals
 * Refuses with -EBUSY and a sentence naming the counter if one that we need is enabled by somebody
 * else and neither takeover nor leave is true, or if the program freezes or has overflow windows
 * while counters of others are enabled. program is borrowed and outlives the engine; io is taken,
 * also on failure.
 * A register that faults (-EIO) is never written: its slots are REASON_HIDDEN.
 */
int counting_regs_new(const struct plan_program *program, struct regio *io,
		      const struct counting_regs_options *o,
		      struct counting *old, struct counting **ret, struct err *err);
/* Program the marked slots of the running round again and read their base; the other slots count on
 * undisturbed, and their base and reason stay as they are. reason[i] as in start(). */
int counting_regs_rearm(struct counting *c, const uint8_t *slots, uint64_t *base, uint8_t *reason);
/* How many of the counters that were left to others these still have enabled. Main thread, also
 * while the sampler's thread runs. */
unsigned counting_regs_left(const struct counting *c);
/* The rows for the state file: complete before the first write, and fixed while the engine lives.
 * They include registers of `old` that the program does not write, with the values that old has. */
struct saved_reg *counting_regs_saved(const struct counting *c, unsigned *ret_n);
/* Counters that others left set up and that our global enable has started: their names go into
 * `names`, for one log line. Returns their number. */
unsigned counting_regs_others_started(const struct counting *c, char *names, size_t n);
/*
 * counting_regs_restore - writes back the values found, in the bits that we own. A write that fails
 * is tried twice.
 *
 * keep  engine that keeps using some of the registers (reload), or NULL. It restores these later.
 *       If it was made with c as `old`, it also restores those that could not be restored here
 * left  gets a message for each register that is not restored; may be NULL
 *
 * A global enable stays set where another program needs it now. Returns 0 or the first -errno; the
 * other registers are restored nevertheless. A restored register is not written again until
 * start().
 */
int counting_regs_restore(struct counting *c, struct counting *keep, struct diags *left);
/* How many registers hold again, in the bits that we own, what was found. *of: grows by how many it
 * restores. */
unsigned counting_regs_restored(const struct counting *c, unsigned *of);

/*
 * The register engine where overflow windows end: the hardware stops all counters when one of them
 * overflows. It wraps the engine, which it does not own: acknowledges old overflows before a start,
 * freezes the stopped counters before they are read, ignores in a check what the hardware itself
 * changed, and restores the shared control after a stop.
 */
struct overflow_windows {
	struct counting base;
	struct counting *regs;
	bool ended;                 /* a read or a stop has seen that a window ended: all counters
	                             * are stopped until restart */
};
/*
 * Only this engine sets pmi_en (ov_en) and frz_all, clears pmi_core_sel, and writes a counter. It
 * looks for an overflow in the socket's status first, then further down to the counter, and
 * acknowledges it in the other order after everything was read. The check does not clear that one
 * overflow bit: it is the only sign that the hardware, and no other program, cleared en_all. The
 * frozen state cannot be read on Ivytown, and on the Xeon 7500 it appears a moment after the status
 * bit. So this engine writes the freeze itself as soon as it sees the overflow.
 *
 * After a window has ended, the next one does not begin before all of its counters were read: the
 * preload would overwrite a count, and time in which counters are frozen would look like time with
 * a slow clock. If a status cannot be read, the window may have ended or not.
 */
/* The engine to use in place of `regs`: itself where its program has no overflow windows, or it is
 * NULL. */
struct counting *overflow_windows_init(struct overflow_windows *w, struct counting *regs);
/* Reads one slot of a running window. False: it could not be read, or after the read the window had
 * ended, or may have. */
bool overflow_windows_peek(struct overflow_windows *w, unsigned slot, uint64_t *ret);
/* Begins the next window: acknowledges the overflow from the counter's box up, preloads, resumes.
 * *base: the preloaded value.
 * *reason as start(), for the window's slot; the other slots count even if it has one.
 * -errno: no counter runs; the caller tries again. */
int overflow_windows_restart(struct overflow_windows *w, uint64_t *base, uint8_t *reason);
/* As counting_regs_rearm(), in a round with overflow windows or without. */
int overflow_windows_rearm(struct overflow_windows *w, const uint8_t *slots, uint64_t *base,
			   uint8_t *reason);

/* The kernel that counts perf events; NULL wherever one is asked for: this machine's. */
struct perf_sys;
/* That of a model, which is borrowed and outlives it. Returns 0 or -ENOMEM. */
struct perf_kernel;
int perf_sys_model_new(struct perf_kernel *k, const struct perf_sys **ret);
void perf_sys_model_free(const struct perf_sys *sys);

/*
 * counting_perf_new - opens every event of every round, disabled. Events that the plan wants
 * together form one kernel group: they count at the same time or not at all. EACCES, EBUSY, ENOSPC,
 * EMFILE, EINVAL, ENOENT and the others get their own sentence: PMU, event, CPU, why, what to do.
 * Of ready-made groups (may_lack) what cannot be opened is left out instead, its slots are
 * REASON_REFUSED, and this fails only if nothing is left.
 *
 * A group whose CPU goes offline is opened again on the CPU that its PMU's cpumask names now, or on
 * the socket's next one: by the next check. Its slots are REASON_OFFLINE meanwhile; raw values
 * never fall. The kernel reports no error for it (Linux 6.1): a read of a group returns its leader
 * alone, the time of a single event no longer advances, read() fails for neither, and neither comes
 * back with the CPU. Uncore PMUs first move their events to another CPU of the die; they are lost
 * with the last one.
 *
 * Two events of one PMU may exclude each other although counters are free (the reads and writes
 * that Linux names for the Xeon 7500's M-Box share a command field). The only way to find out is to
 * open them in one group. sys and program are borrowed and outlive the engine.
 */
int counting_perf_new(const struct perf_sys *sys, const struct plan_perf_program *program,
		      struct counting **ret, struct err *err);
/* Why something of a program of default groups was left out, the first sentence; NULL: nothing
 * was. */
const char *counting_perf_left_out(const struct counting *c);

/* What came of opening an event, which is closed again. */
struct counting_perf_tried {
	int r;                      /* 0: it was opened; else -errno */
	char event[160];            /* as a configuration names it; "": there was none to open */
	int cpu;
	struct err why;             /* what counting_perf_new() would say */
	struct err todo;            /* after a refusal (-EACCES, -EPERM): what to do about it, which
	                             * why does not repeat; else "" */
};
/*
 * counting_perf_try - opens events one by one, as counting_perf_new() would, and closes them, until
 * one of them decides: in a program of default groups the first that is opened, else the first that
 * is not.
 *
 * program  NULL: the software event cpu-clock on the first CPU that this process may use. It takes
 *          the same permission as any event of a whole CPU
 */
int counting_perf_try(const struct perf_sys *sys, const struct plan_perf_program *program,
		      struct counting_perf_tried *ret);
/* counting_perf_rise - opens all events of these programs, each alone, reads them, waits one
 * second, reads them again and closes them. Returns 1: one has counted. 0: none has. -errno: none
 * could be opened and read, so that nothing is known; then it need not have waited. */
int counting_perf_rise(const struct perf_sys *sys,
		       const struct plan_perf_program *const *programs, unsigned n);

/* ---- lock and state file (registers engine only) */

struct state_socket {
	unsigned socket;
	unsigned *cpus;             /* to reach the socket again */
	unsigned n_cpus;
	struct saved_reg *regs;
	unsigned n_regs;            /* those of REG_HIDDEN are not written into the file */
};
struct state {
	struct arena *arena;        /* of state_read and state_parse: owns all of it */
	char boot_id[40];           /* "" if unreadable */
	char *device;               /* --path-dev */
	bool driver;                /* the kernel's own driver had bound when it was written */
	bool late_driver;           /* it has bound since then; set by the caller, not in the
	                             * file */
	struct state_socket *sockets;
	unsigned n_sockets;
};

/* The run directory, and files in it, by the rules of base/own_dir.h: a program that can write into
 * it could make uncored write any value into the registers of its state file. */
int rundir_open(const char *run, struct err *err);
/* The same, made where it is not there. */
int rundir_make(const char *run, struct err *err);
int rundir_file(const char *run, const char *name, int flags, struct err *err);
int rundir_write(const char *run, const char *name, const void *bytes, size_t n, struct err *err);
/* lock_take - RUN/uncored.lock with our pid; -EWOULDBLOCK with a sentence naming the holder. fd >=
 * 0. */
int lock_take(const char *run, struct err *err);
/* atomically, fsync */
int state_write(const char *run, const struct state *s, struct err *err);
/* 0 and *ret; 0 and NULL: no file; -EBADMSG: not a whole state file (any truncation, any flipped
 * bit). */
int state_read(const char *run, struct state **ret, struct err *err);
/* The same from bytes, whose address need not be aligned. */
int state_parse(const void *bytes, size_t n, struct state **ret);
int state_remove(const char *run);
void state_free(struct state *s);         /* of state_read and state_parse only */
CLEANUP_POINTER(state_free, struct state);
/* Same rules as counting_regs_restore, from a file. of: the processor's counters; the file's
 * registers were judged by them (plan_owned()). */
int state_restore_socket(const struct state *s, unsigned i, const struct plan_program *of,
			 struct regio *io, struct diags *left);

#endif
