/* SPDX-License-Identifier: MIT
 * Engine names.
 * Pure; any thread.
 */
#include "conf/conf.h"

#include "base/bits.h"
#include "base/name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WORD "A-Za-z0-9_"        /* of a name, for sscanf() */

const char *const conf_engine_names[] = {
	[CONF_AUTO] = "auto", [CONF_REGISTERS] = "registers", [CONF_PERF] = "perf",
	[CONF_MODEL] = "model",
};

int conf_engine_parse(const char *text, struct conf_engine_choice *ret)
{
	const char *const *known = NAME_FIND(conf_engine_names, COUNT(conf_engine_names), text);
	struct conf_engine_choice e = { .kind = CONF_MODEL };
	int processor = 0, workload = 0;        /* where they end */

	if (known) {
		*ret = (struct conf_engine_choice){ .kind = (unsigned)(known - conf_engine_names) };
		return 0;
	}
	sscanf(text, "model:%31[" WORD "-]%n:%31[" WORD ".,=-]%n", e.processor, &processor,
	       e.workload, &workload);
	if (!processor || text[workload ? workload : processor])
		return -EINVAL;
	*ret = e;
	return 0;
}
