/* SPDX-License-Identifier: MIT
 * Registers in PCI configuration space, through sysfs, beside a way to the MSRs.
 * Owns:  one open config file for each function, the two halves of a counter.
 * Never: what a register means; which bus is whose (topo/).
 * One thread at a time.
 */
#include "access/regio.h"

#include "base/strb.h"
#include "plan/program.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <unistd.h>

struct pci_function {
	uint8_t dev, fn;
	int fd;                     /* negative: the socket has no such function */
};

struct regio_pci {
	struct regio base;
	unsigned n;
	struct pci_function v[];
};

/* No CPU is involved: whatever goes wrong is the register's fault. */
static int pci_fd(const struct regio_pci *p, struct reg r)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->v[i].dev == r.dev && p->v[i].fn == r.fn)
			return p->v[i].fd;
	return -1;
}

static int result(ssize_t n)
{
	if (n == sizeof(uint32_t))
		return 0;
	return n < 0 && (errno == EPERM || errno == EACCES) ? -errno : -EIO;
}

static int pci_pread(int fd, uint32_t off, uint32_t *ret)
{
	return result(TEMP_FAILURE_RETRY(pread(fd, ret, sizeof(*ret), (off_t)off)));
}

static int pci_pwrite(int fd, uint32_t off, uint32_t value)
{
	return result(TEMP_FAILURE_RETRY(pwrite(fd, &value, sizeof(value), (off_t)off)));
}

int regio_pci_halves(int (*read)(void *p, uint32_t off, uint32_t *ret), void *p, uint32_t off,
		     uint64_t *ret)
{
	uint32_t low, high, again = 0;
	int r = read(p, off + 4, &high);

	if (r < 0)
		return r;
	for (unsigned tries = 0; tries < 4; tries++) {
		r = read(p, off, &low);
		if (r < 0)
			return r;
		r = read(p, off + 4, &again);
		if (r < 0)
			return r;
		if (again == high) {
			*ret = (uint64_t)high << 32 | low;
			return 0;
		}
		high = again;
	}
	return -EIO;                /* no counter carries that often */
}

static int read_fd(void *p, uint32_t off, uint32_t *ret)
{
	return pci_pread(*(const int *)p, off, ret);
}

static int pci_read(struct regio *io, struct reg r, uint64_t *ret)
{
	int fd, e;
	uint32_t v;

	if (r.space == SPACE_MSR)
		return regio_read(io->inner, r, ret);
	fd = pci_fd((struct regio_pci *)io, r);
	if (fd < 0)
		return -EIO;
	if (r.bytes == 8)
		return regio_pci_halves(read_fd, &fd, r.off, ret);
	e = pci_pread(fd, r.off, &v);
	if (e == 0)
		*ret = v;
	return e;
}

static int pci_write(struct regio *io, struct reg r, uint64_t value)
{
	int fd, e;

	if (r.space == SPACE_MSR)
		return regio_write(io->inner, r, value);
	fd = pci_fd((struct regio_pci *)io, r);
	if (fd < 0)
		return -EIO;
	e = pci_pwrite(fd, r.off, (uint32_t)value);
	if (e == 0 && r.bytes == 8)
		e = pci_pwrite(fd, r.off + 4, (uint32_t)(value >> 32));
	return e;
}

static void pci_free(struct regio *io)
{
	struct regio_pci *p = (struct regio_pci *)io;

	for (unsigned i = 0; i < p->n; i++)
		if (p->v[i].fd >= 0)
			close(p->v[i].fd);
	free(p);
}

static const struct regio_ops pci_ops = {
	.read = pci_read, .write = pci_write, .free = pci_free,
};

static int open_all(struct regio_pci *p, const char *sysfs, const struct topo_pci *pci,
		    unsigned socket, const struct plan_device *devices, unsigned n,
		    struct strb *hidden, struct err *err)
{
	for (const struct plan_device *d = devices; d < devices + n; d++) {
		const struct topo_function *f = topo_pci_find(pci, socket, d->dev, d->fn, d->id);
		int fd = f ? topo_pci_open(sysfs, f, err) : -ENOENT;

		if (fd < 0 && fd != -ENOENT)
			return fd;
		p->v[p->n++] = (struct pci_function){ d->dev, d->fn, fd };
		if (fd < 0)
			strb_addf(hidden, "%s%u:%u (8086:%04x)", hidden->n ? ", " : "", d->dev,
				  d->fn, d->id);
	}
	return 0;
}

int regio_pci_new(struct regio *msr, const char *sysfs, const struct topo_pci *pci, unsigned socket,
		  const struct plan_device *devices, unsigned n, char **ret_hidden,
		  struct regio **ret, struct err *err)
{
	struct regio_pci *p = calloc(1, sizeof(*p) + n * sizeof(p->v[0]));
	AUTO_DONE(strb_done) struct strb hidden;
	int r;

	strb_init(&hidden, 4096);
	if (!p) {
		regio_free(msr);
		return err_set(err, -ENOMEM, "out of memory");
	}
	p->base = (struct regio){ &pci_ops, msr };
	r = open_all(p, sysfs, pci, socket, devices, n, &hidden, err);
	if (r < 0) {
		regio_free(&p->base);
		return r;
	}
	if (ret_hidden)
		*ret_hidden = hidden.n ? strb_take(&hidden) : NULL;
	*ret = &p->base;
	return 0;
}
