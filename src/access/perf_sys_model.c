/* SPDX-License-Identifier: MIT
 * The perf events of a modelled kernel.
 * Owns:  which of its kernels is meant.
 * Never: the kernel itself, which others use too.
 */
#include "access/perf_engine.h"

#include "model/perf_kernel.h"

#include <errno.h>
#include <stdlib.h>

struct perf_sys_model {
	struct perf_sys base;
	struct perf_kernel *kernel;     /* borrowed */
};

static struct perf_kernel *kernel_of(const struct perf_sys *sys)
{
	return ((const struct perf_sys_model *)sys)->kernel;
}

static int mdl_open(const struct perf_sys *sys, const struct plan_perf *e, int cpu, int leader)
{
	const struct perf_event_attr attr = perf_attr_of(e, leader < 0);

	return perf_kernel_open(kernel_of(sys), &attr, -1, cpu, leader);
}

static ssize_t mdl_read(const struct perf_sys *sys, int fd, void *buf, size_t n)
{
	return perf_kernel_read(kernel_of(sys), fd, buf, n);
}

static int mdl_enable(const struct perf_sys *sys, int fd, bool on)
{
	return perf_kernel_enable(kernel_of(sys), fd, on);
}

static int mdl_close(const struct perf_sys *sys, int fd)
{
	return perf_kernel_close(kernel_of(sys), fd);
}

int perf_sys_model_new(struct perf_kernel *k, const struct perf_sys **ret)
{
	struct perf_sys_model *sys = malloc(sizeof(*sys));

	if (!sys)
		return -ENOMEM;
	*sys = (struct perf_sys_model){
		.base = { .open = mdl_open, .read = mdl_read, .enable = mdl_enable,
			  .close = mdl_close,
			  .unknown = "no line `counts` of the simulated machine's text says "
				     "what it counts" },
		.kernel = k,
	};
	*ret = &sys->base;
	return 0;
}

void perf_sys_model_free(const struct perf_sys *sys)
{
	free((void *)sys);
}
