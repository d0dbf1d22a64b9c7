/* SPDX-License-Identifier: MIT */
#include "base/reg.h"

#include <stdio.h>

struct reg_text reg_text(struct reg r)
{
	struct reg_text t;

	if (r.space == SPACE_PCI)
		snprintf(t.s, sizeof(t.s), "%u:%u+0x%x", r.dev, r.fn, r.off);
	else
		snprintf(t.s, sizeof(t.s), "0x%x", r.off);
	return t;
}

static const char *const reason_names[REASON_COUNT] = {
	[REASON_NONE] = "",
	[REASON_FOREIGN] = "foreign", [REASON_RESET] = "reset", [REASON_LATE] = "late",
	[REASON_READ_ERROR] = "read_error", [REASON_REFUSED] = "refused",
	[REASON_STOPPED] = "stopped", [REASON_STALLED] = "stalled",
	[REASON_OFFLINE] = "offline", [REASON_HIDDEN] = "hidden",
	[REASON_CONFLICT] = "conflict", [REASON_NO_DATA] = "no_data",
	[REASON_PAUSED] = "paused",
};

const char *reason_name(enum reason r)
{
	return r < REASON_COUNT ? reason_names[r] : "";
}
