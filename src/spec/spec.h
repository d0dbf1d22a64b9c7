/* SPDX-License-Identifier: MIT
 * An event specification as text: box[unit]/EVENT[:UMASK]...[,key[=value]]... or
 * perf/PMU/TERMS/, or by numbers box[unit]/FIELD=value,...,name=NAME/; and as uncored prints one:
 * cbox[3]/... and cbox0-7/... of units, imc0/EVENT,config=N of the kernel's PMUs
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

struct cat_perf_event;

struct spec_key {
	char *name;                 /* lower case */
	char *value;                /* NULL: bare flag */
};

struct spec {
	struct where where;
	bool input_only;            /* of a ready-made group: its total is not shown */
	char *text;                 /* as written, or what a name means that was written */
	char *typed;                /* that name; NULL: text is as written */
	bool perf;
	char *box;                  /* lower case, without the unit number; perf: the PMU as
				     * written, or a whole name of libpfm4 and no terms:
				     * "skx_unc_imc0::UNC_M_CAS_COUNT:RD" */
	int unit, last;             /* units from unit to last; -1, -1: every unit. perf: of an
				     * identity */
	int instance;               /* perf/PMU[3]/...: of the PMU, by number; -1: all that the
				     * name means */
	bool identity;              /* perf: imc0/EVENT,config=N, as plans print it; terms says
				     * the same as perf/PMU/TERMS/ does */
	bool ambiguous;             /* the digits of `unit` may be of the box's name, as in pciex16
				     * and amd_l3 */
	struct spec_key part;       /* of an identity: die=1 or device=0 of its unit; name NULL: not
				     * given */
	char *event;                /* as written, without unit masks; perf: NULL, or the event of
				     * an identity */
	char **umasks;              /* as written */
	unsigned n_umasks;
	struct spec_key *keys;
	unsigned n_keys;
	/* perf: the text between the slashes; keys after the last slash are in keys */
	char *terms;
	bool raw;                   /* of a box, given by numbers: keys are fields of its registers,
				     * event is its name */
	bool ready_made;            /* of the catalog: what is not there is not misspelt */
	const struct cat_perf_event *row; /* that a name means, of spec_of_name(); NULL: none */
};

/* What follows a text that is no event. */
#define SPEC_NO_EVENT " is not an event; expected box/EVENT[:UMASK]...[,key=value]..., for " \
	"example bbox/IMT_INSERTS_ALL, or perf/PMU/TERMS/, for example " \
	"perf/uncore_imc/cas_count_read/; uncorectl search WORD finds them"

/*
 * spec_parse - one specification. An event's name alone, UNC_M_CAS_COUNT.RD, has box NULL:
 * spec_of_name() says what it means.
 *
 * Returns 0, or -EINVAL with a sentence that says what is expected (no position: the caller has
 * it), or -ENOMEM. What ret points to is of the arena, in both cases.
 */
int spec_parse(struct arena *a, const char *text, struct spec *ret, struct err *err);
/* "imc3", or "pciex16[3]" where the digits would not be read as they are meant by spec_parse(). */
char *spec_unit_text(struct arena *a, const char *box, unsigned unit);
/* The same of several units: "cbox0-7", "pciex16[1-3]". */
char *spec_units_text(struct arena *a, const char *box, unsigned first, unsigned last);
/* The same as spec_parse(), or any other name alone, or a series of /metrics, such as
 * uncore_cbox_llc_hits_total{socket="0",unit="3",umask="M"}: its family without "uncore_" is the
 * event, its labels are keys. Then box is NULL. */
int spec_parse_name(struct arena *a, const char *text, struct spec *ret, struct err *err);

#endif
