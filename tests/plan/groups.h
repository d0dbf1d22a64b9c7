/* SPDX-License-Identifier: MIT
 * Pieces of a configuration for the tests of the Xeon 7500's plans. */
#ifndef PLAN_GROUPS_H
#define PLAN_GROUPS_H

#include "plan_test.h"

#define GROUP(name, events) "{ name = \"" name "\"; events = [ " events " ]; }"
#define GROUPS(list)        "groups = ( " list " );\n"
#define MEMORY "\"bbox/IMT_VALID_OCCUPANCY\", \"bbox/IMT_INSERTS_ALL\", \"bbox/IMT_NE_CYCLES\", " \
	       "\"bbox/CONFLICTS\""
#define FINE(name, resolution, more, events) \
	"{ name = \"" name "\"; resolution = \"" resolution "\"; " more " events = [ " events \
	" ]; }"

#endif
