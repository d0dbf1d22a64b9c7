/* SPDX-License-Identifier: MIT
 * What uncorectl doctor saw on this machine, and its findings.
 *
 * Owns:  the shape of an examination.
 * Never: anything outside of uncorectl doctor.
 */
#ifndef CTL_DOCTOR_H
#define CTL_DOCTOR_H

#include "ctl/ctl.h"

#include "catalog/perf.h"
#include "machine/choose.h"
#include "machine/cpu_of.h"
#include "machine/machine.h"
#include "machine/perf_try.h"

enum { DOCTOR_CAP_SYS_RAWIO = 17, DOCTOR_CAP_SYS_ADMIN = 21, DOCTOR_CAP_PERFMON = 38 };

#define DOCTOR_NO_MEMORY "there is not enough memory for the findings; stop something else and " \
			 "try again"
enum { DOCTOR_NAMED = 8 };          /* a list names at most so many */

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,                /* information; does not prevent counting */
	DOCTOR_PROBLEM,             /* prevents counting */
	DOCTOR_UNSEEN,              /* could not be examined */
};

struct doctor_finding {
	enum doctor_level level;
	const char *topic;
	char *text;
	char *todo;                 /* what to do about it, or NULL */
};

/* Configuration space, where the processor has counters in it; doctor_registers.c. */
struct doctor_pci {
	bool wanted;                /* the plan has registers in it */
	int r;                      /* 0: every function that is there can be written; else see
	                             * err */
	struct err err;             /* with r 0: why functions could not be assigned to
	                             * sockets, or nothing */
	unsigned found;             /* functions of all sockets that the plan wants and that are
	                             * there */
	json_t *sockets;            /* of each its number, and the names of those that are not
	                             * there */
};

struct doctor {
	const char *config;         /* the file's name */
	bool config_absent;         /* the default one, and it does not exist: ready-made groups */
	struct host_roots roots;
	struct machine m;           /* topo NULL: it could not be read, see unread; why: of
	                             * --engine auto */
	struct err unread;
	struct host *host;
	struct conf *conf;          /* NULL: unreadable */
	int conf_r;                 /* < 0: its file could not be read, which is the only mistake */
	struct diags mistakes;      /* of the configuration and of its plan */
	struct plan *plan;          /* NULL: none */
	int model_r;                /* of engine model: what came of opening it, ... */
	struct err model;           /* ... and a sentence: what is simulated, or why it is not */
	unsigned model_series;
	struct doctor_pci pci;
	struct perf_try perf;       /* what came of opening one of its perf events ... */
	bool perf_elsewhere;        /* ... or, since the PMUs are not this kernel's, another one */
	struct perf_try perf_unit;  /* of a refusal that the systemd unit would get where this
	                             * process gets none; r 0: there is none */
	unsigned n_slots;
	bool nothing;               /* of the plan: there_is_nothing(), and its sentence; without
	                             * a plan of what is ready-made, and no sentence */
	struct err nothing_why;
	struct err verdict;         /* why nothing would be counted; "": something would */

	struct doctor_finding *v;
	unsigned n;
};

/* The PMUs of one box: "imc", 4 instances. */
struct doctor_pmus {
	char box[136];
	const struct topo_pmu *first;
	unsigned n, n_bad_terms;
	bool uncore;                /* counts for whole sockets, or a device that a table knows;
	                             * false: */
	bool beside;                /* it does, but energy or sleep states */
	unsigned *cpus, n_cpus;     /* that their cpumasks name, ascending; free() */
};

/* ---- doctor_finding.c */

/* One more finding, and what to do about the last one. */
void doctor_add(struct doctor *d, enum doctor_level level, const char *topic, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
#define doctor_ok(d, ...)      doctor_add(d, DOCTOR_OK, __VA_ARGS__)
#define doctor_note(d, ...)    doctor_add(d, DOCTOR_NOTE, __VA_ARGS__)
#define doctor_problem(d, ...) doctor_add(d, DOCTOR_PROBLEM, __VA_ARGS__)
#define doctor_unseen(d, ...)  doctor_add(d, DOCTOR_UNSEEN, __VA_ARGS__)
void doctor_todo(struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Has this process the capability? False also if that is unknown. */
bool doctor_has_cap(const struct doctor *d, unsigned cap);

/* ---- the others */

/* The box whose first instance is PMU number i; false, and nothing to free: another is. */
bool doctor_pmus_at(const struct doctor *d, unsigned i, struct doctor_pmus *ret);
/* Is there nothing that could ever count here, whatever is loaded or permitted? Then ./bootstrap
 * run simulates. doctor_pmus.c */
bool doctor_without_counters(const struct doctor *d);

/* Needs the plan. doctor_registers.c */
void doctor_probe_pci(struct doctor *d);
void doctor_find_pci(struct doctor *d);
json_t *doctor_pci_json(const struct doctor *d);

/* Fills v. doctor_find.c */
void doctor_find(struct doctor *d);
/* Does a socket of the plan count anything with the engine? */
bool doctor_plan_has(const struct doctor *d, enum plan_engine engine);
/* The uncore's clock. doctor_registers.c */
void doctor_find_clock(struct doctor *d);
/* The findings about PMUs and ready-made metrics. doctor_pmus.c */
void doctor_find_pmus(struct doctor *d);
/* Everything as JSON. doctor_json.c */
json_t *doctor_json(const struct doctor *d);

#endif
