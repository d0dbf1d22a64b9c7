/* SPDX-License-Identifier: MIT
 * An event specification as text: box[unit]/EVENT[:UMASK]...[,key[=value]]... or
 * perf/PMU/TERMS/
 *
 * Owns:  the grammar.
 * Never: whether box, event, unit mask, key or PMU exist (resolve.h, kernel.h).
 * Pure; any thread.
 */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

struct spec_key {
	char *name;                 /* lower case */
	char *value;                /* NULL: bare flag */
};

struct spec {
	struct where where;
	bool input_only;            /* of a ready-made group: its total is not shown */
	char *text;                 /* as written */
	bool perf;
	char *box;                  /* lower case, without the unit number; perf: the PMU as
				     * written, or a whole name of libpfm4 and no terms:
				     * "skx_unc_imc0::UNC_M_CAS_COUNT:RD" */
	int unit;                   /* -1: every unit */
	char *event;                /* as written, without unit masks; NULL: perf */
	char **umasks;              /* as written */
	unsigned n_umasks;
	struct spec_key *keys;
	unsigned n_keys;
	/* perf: the text between the slashes; keys after the last slash are in keys */
	char *terms;
};

/*
 * spec_parse - one specification.
 *
 * Returns 0, or -EINVAL with a sentence that says what is expected (no position: the caller has
 * it), or -ENOMEM. What ret points to is of the arena, in both cases.
 */
int spec_parse(struct arena *a, const char *text, struct spec *ret, struct err *err);
/* The same, or EVENT alone: then box is NULL. */
int spec_parse_name(struct arena *a, const char *text, struct spec *ret, struct err *err);

#endif
