/* SPDX-License-Identifier: MIT
 * What the CPUs of this machine have done, all of them and for this process.
 *
 * Owns:  which lines and columns of /proc say it.
 * Never: how much is too much.
 * Any thread.
 */
#ifndef VERIFY_CPU_TIME_H
#define VERIFY_CPU_TIME_H

struct cpu_time {
	double busy, all, own;          /* seconds of all CPUs, since the machine started */
};

/* procfs: the directory. All 0 where it has no line of CPUs that can be read. */
struct cpu_time cpu_time_read(const char *procfs);

#endif
