/* SPDX-License-Identifier: MIT
 * What the files of uncore-msrfs share.
 *
 *   tree.c     which files there are: paths, access modes
 *   files.c    what is in them: texts, and registers as device files
 *   control.c  the commands of the control file: pokes, faults, CPUs, time
 *   msrfs.c    options, FUSE
 *
 * FUSE, not CUSE: that hands every read and write to the server with offset 0, while FUSE with
 * direct_io passes the offset, the register's number, on. So regio_msr.c does not insist on a
 * character device.
 *
 * A new file is a kind below, a row of tree.c's table, and a case in files.c. A new fault is a row
 * in control.c; what it does is the model's. Either has a line in usage(), msrfs.c.
 */
#ifndef MSRFS_H
#define MSRFS_H

#include "base/strb.h"
#include "../model/inspect.h"

#include <sys/types.h>

#define LOG_MAX (64u << 20)

/* What is served: set by main() before anybody looks, the log apart. */
extern struct served {
	struct model *model;
	unsigned sockets, cores, cpus;  /* cores: per socket; CPU = socket x cores + core */
	const char *processor;
	bool virtual_time;
	struct strb log;                /* of register writes, the text of `writes` */
} fs;

enum kind {
	DIR_NODE, MSR, CONTROL, TRUTH, WRITES, VIOLATIONS, CPUINFO, CPUS_ONLINE, CPUS_ALL,
		CPU_ONLINE,
	PACKAGE_ID, CORE_ID, DIE_ID, SIBLINGS, PCI_CONFIG, PCI_VENDOR, PCI_DEVICE,
};

/* A file or directory of the tree. */
struct node {
	enum kind kind;
	unsigned cpu;                   /* of a file that one CPU has */
	unsigned socket;                /* PCI_...: whose function, and which */
	struct model_function fn;
};

/* False: there is no such path now (CPUs come and go). */
bool tree_find(const char *path, struct node *ret);
/* Type and permissions, for st_mode. */
mode_t tree_mode(enum kind kind);
/* Calls fill with each name in the directory `path`, but "." and "..". */
void tree_list(const char *path, void (*fill)(void *p, const char *name), void *p);

struct file;
/* Texts are those of this moment. 0, -EISDIR or -ENOMEM; ret is file_close()d. */
int file_open(const struct node *n, struct file **ret);
/* As pread and pwrite: bytes or -errno. A register takes its own size only. */
int file_read(const struct file *f, char *buf, size_t size, off_t off);
int file_write(const struct file *f, const char *buf, size_t size, off_t off);
void file_close(struct file *f);

struct reg msr_reg(uint64_t addr);
/* msr_write - by a CPU, and into the log; by: a remark there, "" or " ...". 0 or -errno. */
int msr_write(unsigned cpu, uint64_t addr, uint64_t value, const char *by);

/* control_write - lines of commands: size, or -errno at the first bad one; the lines before it have
 * taken effect. */
int control_write(const char *buf, size_t size);

#endif
