/* SPDX-License-Identifier: MIT */
#include "expo/daemon_help.h"

#include "base/bits.h"
#include "sample/daemon_metrics.h"

#include <stddef.h>
#include <string.h>

#define HELP_ROW(values, id, scope, kind, type, unit, name, help) { name, help },
static const struct {
	const char *name, *help;
} rows[] = { DAEMON_METRICS(HELP_ROW) };

const char *daemon_help(const char *name)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].help;
	return NULL;
}
