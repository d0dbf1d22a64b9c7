/* SPDX-License-Identifier: MIT
 * What may prevent counting on this machine: devices, kernel settings, permissions, other
 * users.
 *
 * Owns:  reading them below injectable roots. Nothing is written and no register is read.
 * Never: what they mean for an engine (machine/choose.h), what to do about them.
 * Main thread; allocates.
 */
#ifndef TOPO_HOST_H
#define TOPO_HOST_H

#include "topo/sysfile.h"
#include "topo/topo.h"

#include <sys/types.h>

struct host_roots {
	const char *sysfs, *procfs, *dev;
	const char *run;            /* of uncored: /run/uncored */
	const char *state;          /* of uncored: /var/lib/uncored; NULL: of no machine that is */
	const char *locks;          /* where other tools keep their locks: /var/run */
	const char *systemd;        /* what administrators change: {/etc,/run}/systemd, a pattern */
	bool of_text;               /* sysfs, procfs and dev were made of a machine's text, which
	                             * says nothing of modules, permissions or who asks */
};

/* The content of one small file. r: 0, or -errno; -ENOENT: there is no such file. */
struct host_number {
	int r;
	long long v;
};
struct host_text {
	int r;
	char v[32];
};

/* What a processor's counts may depend on beside itself. "": not known. */
struct host_versions {
	char kernel[64];            /* its release */
	char microcode[32];         /* as cpuinfo says; Arm's does not */
	char bios_version[64], bios_date[32];   /* as DMI has them */
};

struct host_user {                  /* another process that may use the same counters */
	unsigned pid;
	unsigned perf_fds;          /* descriptors of perf events that it holds */
	char name[32];              /* of its comm file, at most 15 characters; "?": unreadable */
	const char *tool;           /* what it is known as, or NULL */
};

struct host {
	bool hypervisor;            /* this is a virtual machine and says so */
	bool msr_module;            /* loaded or built in */
	struct host_text lockdown;      /* "none", "integrity", "confidentiality" */
	struct host_text allow_writes;  /* of the msr module: "on", "off", "default" */
	struct host_number tainted, paranoid, nmi_watchdog;
	int caps_r;                 /* 0: caps holds the effective capabilities of this process */
	uint64_t caps;
	struct host_number lock;    /* a running uncored that holds its lock: v is its pid; -ENOENT:
	                             * none */
	int likwid_r;               /* 0: there is LIKWID's lock, which reserves the counters
	                             * for likwid_uid; -ENOENT: there is none */
	uid_t likwid_uid;
	char closed_by[SYSFILE_PATH];       /* a drop-in of uncored.service that keeps other
	                                     * machines away; "": none does, or systemd listens */
	struct host_user *users;    /* ascending pid */
	unsigned n_users;
	unsigned unseen;            /* processes whose descriptors may not be listed */
	bool hidden;                /* other processes are hidden altogether (hidepid) */
	bool cut;                   /* there are more processes or descriptors than were read */
};

void host_versions_read(const struct host_roots *roots, struct host_versions *ret);
/* Returns 0, or -ENOMEM with a sentence: whatever cannot be read is data. */
int host_read(const struct host_roots *roots, struct host **ret, struct err *err);
void host_free(struct host *h);

/*
 * host_device - can registers be written through `dev`/cpu/N/msr, N the first socket's reader CPU?
 *
 * Opens that file and closes it again; reads kernel lockdown and msr.allow_writes.
 * Returns 0, or -errno with a sentence that says what prevents it.
 */
int host_device(const struct host_roots *roots, const struct topo *t, struct err *err);

/* Opens the CPU's msr device for reading. Returns a descriptor that the caller closes, or a
 * negative number. The second function reads one of its registers. */
int host_msr_open(const struct host_roots *roots, int cpu);
bool host_msr_read(int fd, uint32_t address, uint64_t *ret);

#endif
