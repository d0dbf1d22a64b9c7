/* SPDX-License-Identifier: MIT
 * Read and write one register of one socket.
 *
 * Owns:  how a register is reached: device file, model, transcript around another.
 * Never: what the register means.
 * Used by one sampler thread, or by main while that thread is not running.
 */
#ifndef ACCESS_REGIO_H
#define ACCESS_REGIO_H

#include "base/err.h"
#include "base/reg.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

struct regio {
	const struct regio_ops *ops;
	struct regio *inner;        /* the way that it hands accesses on to, and owns; NULL: none */
};

struct regio_ops {
	/* 0 or -errno; no text: this is the sampling path, nothing allocates. */
	int (*read)(struct regio *io, struct reg r, uint64_t *ret);
	int (*write)(struct regio *io, struct reg r, uint64_t value);
	/* The CPU it now goes through is gone: take another one of the socket. 0 or -ENXIO.
	 * Allocates nothing. NULL, as is cpu: that of `inner`, else no CPU is involved. */
	int (*move)(struct regio *io);
	int (*cpu)(const struct regio *io);      /* now used */
	void (*free)(struct regio *io);          /* without `inner`. NULL: free() does */
};

static inline int regio_read(struct regio *io, struct reg r,
			     uint64_t *ret) { return io->ops->read(io, r, ret); }
static inline int regio_write(struct regio *io, struct reg r,
			      uint64_t v) { return io->ops->write(io, r, v); }
int regio_move(struct regio *io);
int regio_cpu(const struct regio *io);           /* -1: no CPU is involved */
void regio_free(struct regio *io);               /* NULL allowed */

/* The access failed because its CPU went away, not because of the register. */
static inline bool regio_gone(int r) { return r == -ENXIO || r == -ENODEV || r == -ENOENT; }
/* As regio_read() and regio_write(), but if the CPU in use is gone they try another one of the
 * socket at once. */
int regio_read_any(struct regio *io, struct reg r, uint64_t *ret);
int regio_write_any(struct regio *io, struct reg r, uint64_t value);

/*
 * regio_msr_new - DIR/cpu/N/msr, read and written by pread and pwrite of 8 bytes at the register
 * number.
 *
 * dev    copied, as is cpus
 * cpus   in trying order; the first that opens is used. The file need not be a character device
 *        (FUSE).
 * -ENXIO, -ENODEV or -ENOENT from a read lead to regio_move() by the caller. It takes the first
 * other CPU of the list that answers, the present one last. Whoever pins the thread asks
 * regio_cpu() afterwards.
 * Errors carry what to do: missing module (-ENOENT), permission (-EACCES, -EPERM), lockdown.
 */
int regio_msr_new(const char *dev, const unsigned *cpus, unsigned n_cpus, struct regio **ret,
		  struct err *err);
struct topo_pci;
struct plan_device;
/*
 * regio_pci_new - DIR/bus/pci/devices/SSSS:BB:DD.F/config, read and written by pread and pwrite of
 * 4 bytes at the register's offset; a register of 8 bytes is a counter in two halves. Without
 * CAP_SYS_ADMIN when it was opened, a config file ends after 64 bytes: a short read is the only
 * sign.
 *
 * msr         reaches the MSRs; taken, also on failure. NULL: none is asked for
 * pci         NULL: only where there are no devices
 * devices     the functions wanted; one that the socket does not have (hidden by the BIOS) answers
 *             -EIO, as does one that is not wanted
 * ret_hidden  those, for one log line: "16:5 (8086:0eb5), ..."; free() it; NULL: none. ret_hidden
 *             may be NULL
 * Errors carry what to do.
 */
int regio_pci_new(struct regio *msr, const char *sysfs, const struct topo_pci *pci, unsigned socket,
		  const struct plan_device *devices,
		  unsigned n, char **ret_hidden, struct regio **ret, struct err *err);
/* Reads a running counter in two halves: high, low, high, until both highs are the same. Otherwise
 * a low half that wraps in between would make the value wrong by 2^32. */
int regio_pci_halves(int (*read)(void *p, uint32_t off, uint32_t *ret), void *p, uint32_t off,
		     uint64_t *ret);
struct model;
int regio_model_new(struct model *m, unsigned socket, struct regio **ret);
struct plan_program;
/* Each access as one line on `out`: "socket 0: W 0xc00 0x10000000 U_MSR_PMON_GLOBAL_CTL", on
 * failure "socket 0: R 0xd11 EIO". Takes `inner`, also on failure. program: names the registers
 * that it writes; borrowed, NULL: no names. */
int regio_trace_new(struct regio *inner, FILE *out, unsigned socket,
		    const struct plan_program *program, struct regio **ret);

#endif
