/* SPDX-License-Identifier: MIT
 * Registers through DIR/cpu/N/msr.
 * Owns:  the file of the CPU in use, the choice of another one.
 * Never: what the register means; S_ISCHR: a FUSE file serves as well.
 * One thread at a time.
 */
#include "access/regio.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct regio_msr {
	struct regio base;
	unsigned *cpus, n_cpus;     /* behind this struct, and behind them: */
	char *paths;                /* of each CPU, of `size` bytes: a move happens in the sampler's
	                             * tick, where nothing is formatted */
	size_t size;
	unsigned current;           /* index into cpus */
	int fd;
	off_t last;                 /* register last asked for: what a new CPU is tried with */
};

static int msr_pread(int fd, off_t off, uint64_t *ret)
{
	uint64_t v;
	ssize_t n = TEMP_FAILURE_RETRY(pread(fd, &v, sizeof(v), off));

	if (n < 0)
		return -errno;
	if (n != (ssize_t)sizeof(v))
		return -EIO;        /* half a value is none */
	*ret = v;
	return 0;
}

static int msr_read(struct regio *io, struct reg r, uint64_t *ret)
{
	struct regio_msr *m = (struct regio_msr *)io;

	if (r.space != SPACE_MSR)
		return -EOPNOTSUPP;
	m->last = (off_t)r.off;
	return msr_pread(m->fd, m->last, ret);
}

static int msr_write(struct regio *io, struct reg r, uint64_t value)
{
	struct regio_msr *m = (struct regio_msr *)io;
	ssize_t n;

	if (r.space != SPACE_MSR)
		return -EOPNOTSUPP;
	m->last = (off_t)r.off;
	n = TEMP_FAILURE_RETRY(pwrite(m->fd, &value, sizeof(value), m->last));
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(value) ? 0 : -EIO;
}

static char *msr_path(const struct regio_msr *m, unsigned i)
{
	return m->paths + i * m->size;
}

/* Returns the fd or -errno. */
static int msr_open(const struct regio_msr *m, unsigned i)
{
	int fd = TEMP_FAILURE_RETRY(open(msr_path(m, i), O_RDWR | O_CLOEXEC));

	return fd < 0 ? -errno : fd;
}

/* An offline CPU may still have its file: only a read that reaches the register counts. */
static bool msr_try(struct regio_msr *m, unsigned i)
{
	uint64_t v;
	int fd = msr_open(m, i);

	if (fd < 0)
		return false;
	if (regio_gone(msr_pread(fd, m->last, &v))) {
		close(fd);
		return false;
	}
	close(m->fd);
	m->fd = fd;
	m->current = i;
	return true;
}

static int msr_move(struct regio *io)
{
	struct regio_msr *m = (struct regio_msr *)io;
	unsigned gone = m->current;

	for (unsigned i = 0; i < m->n_cpus; i++)
		if (i != gone && msr_try(m, i))
			return 0;
	return msr_try(m, gone) ? 0 : -ENXIO;
}

static int msr_cpu(const struct regio *io)
{
	const struct regio_msr *m = (const struct regio_msr *)io;

	return (int)m->cpus[m->current];
}

static void msr_free(struct regio *io)
{
	struct regio_msr *m = (struct regio_msr *)io;

	close(m->fd);
	free(m);
}

static const struct regio_ops msr_ops = {
	.read = msr_read, .write = msr_write, .move = msr_move, .cpu = msr_cpu, .free = msr_free,
};

/* The file of an offline CPU goes; of a module that is not loaded there is none at all. */
static bool has_msr_files(const char *dev)
{
	glob_t found = { 0 };
	char *pattern;
	bool any;

	if (asprintf(&pattern, "%s/cpu/*/msr", dev) < 0)
		return false;
	any = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
	globfree(&found);
	free(pattern);
	return any;
}

static const char *advice_for(const char *dev, int r)
{
	if (r == -ENOENT && has_msr_files(dev))
		r = -ENXIO;
	switch (-r) {
	case ENOENT:
		return "the msr module is not loaded: `modprobe msr` (and list it in "
		       "modules-load.d), or use engine = \"perf\"";
	case EACCES: case EPERM:
		return "writing needs root or the file's group, CAP_SYS_RAWIO, no kernel lockdown "
		       "(Secure Boot) and, on some kernels, msr.allow_writes=on; under systemd "
		       "also DeviceAllow=char-202 rw";
	case ENXIO: case ENODEV:
		return "the CPU is offline, and so is every other one of the socket that uncored "
		       "may use";
	case EIO:
		return "the CPU has no model-specific registers";
	default:
		return "the device does not work; engine = \"perf\" does not need it";
	}
}

int regio_msr_new(const char *dev, const unsigned *cpus, unsigned n_cpus, struct regio **ret,
		  struct err *err)
{
	size_t size = strlen(dev) + sizeof("/cpu/4294967295/msr");
	struct regio_msr *m;
	int first = 0;

	if (n_cpus == 0)
		return err_set(err, -ENXIO, "the socket has no online CPU, so its registers cannot "
			       "be reached");
	m = calloc(1, sizeof(*m) + n_cpus * (sizeof(*m->cpus) + size));
	if (!m)
		return err_set(err, -ENOMEM, "out of memory");
	*m = (struct regio_msr){ .base.ops = &msr_ops, .n_cpus = n_cpus, .size = size, .fd = -1 };
	m->cpus = (unsigned *)(m + 1);
	m->paths = (char *)(m->cpus + n_cpus);
	for (unsigned i = 0; i < n_cpus; i++) {
		m->cpus[i] = cpus[i];
		snprintf(msr_path(m, i), m->size, "%s/cpu/%u/msr", dev, cpus[i]);
	}
	for (unsigned i = 0; i < n_cpus && m->fd < 0; i++) {
		m->fd = msr_open(m, i);
		m->current = i;
		if (first == 0 && m->fd < 0)
			first = m->fd;
	}
	if (m->fd < 0) {
		err_set(err, first, "%s: %s: %s", msr_path(m, 0), strerror(-first),
			advice_for(dev, first));
		free(m);
		return first;
	}
	*ret = &m->base;
	return 0;
}
