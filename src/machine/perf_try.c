/* SPDX-License-Identifier: MIT */
#include "machine/perf_try.h"

#include "access/counting.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void take(const struct counting_perf_tried *t, struct perf_try *ret)
{
	*ret = (struct perf_try){ .r = t->r, .cpu = t->cpu, .why = t->why, .todo = t->todo };
	snprintf(ret->event, sizeof(ret->event), "%s", t->event);
}

int perf_try(const struct machine *m, const struct plan *plan, struct perf_try *ret)
{
	struct counting_perf_tried tried = { 0 };

	for (unsigned i = 0; plan && i < plan->n_sockets && tried.r == 0; i++)
		if (plan->sockets[i].has_perf)
			counting_perf_try(m->kernel, plan->sockets[i].perf, &tried);
	if (!tried.event[0])
		counting_perf_try(m->kernel, NULL, &tried);
	take(&tried, ret);
	return ret->r;
}

int perf_try_as_unit(const struct machine *m, const struct plan *plan, struct perf_try *ret)
{
	const unsigned at = CAP_TO_INDEX(CAP_PERFMON), perfmon = CAP_TO_MASK(CAP_PERFMON);
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct ours[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	struct __user_cap_data_struct alone[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, ours) < 0 || !(ours[at].permitted & perfmon))
		return perf_try(m, plan, ret);
	memcpy(alone, ours, sizeof(alone));
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		alone[i].effective = i == at ? perfmon : 0;
	/* what stays permitted is taken back */
	if (syscall(SYS_capset, &header, alone) < 0)
		return perf_try(m, plan, ret);
	perf_try(m, plan, ret);
	syscall(SYS_capset, &header, ours);
	return ret->r;
}
