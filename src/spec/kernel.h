/* SPDX-License-Identifier: MIT
 * Perf/PMU/TERMS/ against the PMUs of the kernel, and what the catalog's tables say of
 * those.
 *
 * Owns:  names and instances of PMUs, the terms of perf and of libpfm4, what one count is by .scale
 *        and .unit.
 * Never: files (topo/), perf_event_open itself (access/).
 * Pure; main thread.
 */
#ifndef SPEC_KERNEL_H
#define SPEC_KERNEL_H

#include "base/arena.h"
#include "catalog/perf.h"
#include "spec/spec.h"
#include "topo/topo.h"

/* What specifications are resolved against. */
struct spec_machine {
	const struct cat_processor *processor;  /* NULL: only perf specifications are possible */
	const struct topo *topo;
	/* where perf events count: the machine beside a register model */
	const struct topo *perf_topo;
	const struct topo_pmus *pmus;           /* NULL: none */
	bool perf_engine;       /* boxes, too, count through the kernel's PMUs; false unless set */
	/* the catalog's tables that hold for the machine on which perf events count */
	const struct cat_perf *tables[CAT_PERFS_MAX + 1];       /* ended by NULL */
};
/* perf_topo  NULL: no table holds. All are borrowed. */
struct spec_machine spec_machine(const struct cat_processor *p, const struct topo *topo,
				 const struct topo *perf_topo, const struct topo_pmus *pmus);

/* Forgets the tables of sets, which have many rows: nobody means them. */
void spec_machine_without_sets(struct spec_machine *m);

/* ---- perf_pmus.c */

struct spec_pmu {                  /* one instance of a PMU with the event's encoding */
	const struct topo_pmu *pmu; /* NULL: the software PMU of a kernel that does not list it */
	const char *name;
	uint32_t type;
	/* 3 of "uncore_imc_3"; where an address or several numbers tell instances apart, its place
	 * among them; -1: none */
	int number;
	uint64_t config[3];
};
struct spec_perf {                 /* a perf specification, resolved */
	struct spec_pmu *v;
	unsigned n;
	char *box, *event, *terms;
	char *rest;                 /* identity after the unit: "cas_count_read,config=0x304" */
	double scale;               /* sysfs .scale; 1 if there is a unit alone, 0 without one */
	bool scale_given;           /* by the kernel, in words, with .unit */
	bool scale_file;            /* the kernel has a .scale, whatever it says */
	const char *unit;           /* sysfs .unit, borrowed from the PMUs, or NULL */
	int first_unit, last_unit;  /* only these; -1, -1: all */
	const char *left_out;       /* why an instance of it cannot be counted; NULL: all can */
	const char *other_events;   /* likewise of one that is as it should be, and has others */
};
/* Where sysfs describes the PMU, for messages; its name if nobody read it there. */
static inline const char *spec_pmu_dir(const struct spec_pmu *v)
{
	return v->pmu && v->pmu->shown ? v->pmu->shown : v->name;
}
#define PERF_NAME 136
/* The name without what tells instances apart: "uncore_imc" of "uncore_imc_3", "hisi_sccl_ddrc" of
 * "hisi_sccl1_ddrc0"; all of it where nothing does. */
struct perf_family { char s[PERF_NAME]; };
struct perf_family perf_family(const char *pmu);
/* Is the PMU one of the family of this name? */
bool perf_is_family(const char *family, const char *pmu);
/* Are both instances of one family? */
bool perf_same_family(const char *pmu, const char *other);
/* How many letters the names of all instances of a family have in common at least. */
size_t perf_family_prefix(const char *family);
/* Each PMU that may be of the family: perf_is_family() says which are. */
#define PERF_EACH_NEAR(pmu, pmus, family) \
	TOPO_EACH_PMU(pmu, pmus, family, perf_family_prefix(family))
/* Is it the first of its family? Others of the same are not always its neighbours. */
bool perf_is_first(const struct topo_pmus *pmus, const struct topo_pmu *pmu);
/* What the first of several numbers in a name is: die 1 of "hisi_sccl1_ddrc0", device 0 of
 * "cxl_pmu_mem0.1". label NULL: there are not several. */
struct perf_part {
	const char *label;          /* "die", "device" */
	unsigned number;
};
struct perf_part perf_part(const char *pmu);
/* The PMUs that `name` means, in the order of their numbers: that one, or every instance of a
 * family; "uncore_" may be left out. Fills v, n and left_out. */
int perf_find_pmus(struct arena *a, const struct topo_pmus *pmus, const char *name,
		   struct spec_perf *p, struct err *err);
/* The PMU that somebody may have meant who wrote the name of none; NULL: none is that like it. */
const char *perf_pmu_meant(const struct topo_pmus *pmus, const char *name);

/* ---- perf_terms.c: perf ORs two values of one field, so that cache-misses,umask=2 counts 0xb,
 * neither 9 nor 2, and lets event=0x1ff spill into the next range of its format. Both are refused
 * here. */

struct perf_terms {                 /* what the terms of one PMU instance come to */
	uint64_t config[3];
	const struct topo_term *alias;      /* the event of events/ that was named, or NULL */
	bool refined;               /* by other terms, which set bits that the event has not */
	uint64_t asked[3];          /* of the alias: fields whose value it leaves open */
	const char *software;       /* the event of the software PMU, or NULL */
	char *name;                 /* of name=; NULL: none */
	const char *meant;          /* where a word is no event or term: one that is like it; NULL:
	                             * none */
};
/* text: what stands between the slashes, "event=0x3,umask=1", by the formats and events of the PMU.
 * 0, or -EINVAL with a sentence; `meant` is set then, too. */
int perf_terms_resolve(struct arena *a, const struct spec_pmu *pmu, const char *text,
		       struct perf_terms *ret, struct err *err);
/* Bits of config (0), config1 or config2 that a format file names; 0 if it is not understood. */
uint64_t perf_format_mask(const struct topo_term *format, unsigned which);
/* A number of a .scale file: its product with any factor of a base unit, and with any count, is
 * finite and not 0. */
#define PERF_SCALE_MIN 1e-30
#define PERF_SCALE_MAX 1e30
/* -EINVAL: it is no such number. */
int perf_scale_parse(const char *text, double *ret);

/* ---- perf_pfm.c, or perf_pfm_disabled.c without libpfm4 */

struct pfm_event {                  /* "skx_unc_imc0::UNC_M_CAS_COUNT:RD" */
	/* the kernel's name, or of all its instances: "uncore_imc_0", "uncore_imc" */
	char pmu[PERF_NAME];
	uint64_t config[3];
};
/* The instance number may be left out: "skx_unc_imc::UNC_M_CAS_COUNT:RD" is all of them. */
int pfm_resolve(const char *text, struct pfm_event *ret, struct err *err);
/* The event of the processor of t that libpfm4 calls so, on the box of s or, where it gives none,
 * on any: "skx_unc_imc::UNC_M_CAS_COUNT:RD", of arena a. NULL: none is known, and *why is the end
 * of a sentence about it. */
char *pfm_of_name(struct arena *a, const struct topo *t, const struct spec *s, const char **why);

/* ---- perf_resolve.c */

/* A specification with perf/ set, on the PMUs of this machine. 0, or -EINVAL with a sentence. */
int perf_resolve(struct arena *a, const struct topo_pmus *pmus, const struct spec *s,
		 struct spec_perf *ret, struct err *err);
/* Is it this event of these PMUs? config: three words, of the first instance. */
bool spec_perf_is(const struct spec_perf *p, const char *box, const char *event,
		  const uint64_t *config);
/* What one count is in base units by .scale and .unit; 0: they are absent or say nothing. ret_unit
 * may be NULL. */
double perf_base_scale(struct arena *a, const struct spec_perf *p, const char **ret_unit);

/* ---- perf_places.c: on which socket an instance counts. One with a cpumask has a place for each
 * CPU that it names there; a core's PMU and software have one on each socket. What else there is
 * counts for a device: once, on the socket where the device is, whichever CPU serves it. */

/* How many places an instance has on the socket. ret_cpus: the CPU of each, perf_places_most() of
 * them; or NULL. pmu NULL: software. */
unsigned perf_places(const struct spec_machine *m, const struct topo_socket *t,
		     const struct topo_pmu *pmu, unsigned *ret_cpus);
/* As many places as an instance may have on one socket. */
unsigned perf_places_most(const struct topo_pmu *pmu);
/* The most places that any instance of the PMU's family has on the socket: unit = number x dies +
 * place, and no two units get one number. */
unsigned perf_dies(const struct spec_machine *m, const struct topo_socket *t, const char *pmu);
/* The most of these on any socket, at least 1: as many units an instance has. */
unsigned perf_units(const struct spec_machine *m, const char *pmu);
/* Do instances of the PMU's family differ in their part on any socket? Then the part is a label of
 * theirs. */
bool perf_parts_differ(const struct spec_machine *m, const struct topo_pmu *pmu);
/* Does the cpumask say where it counts, and where it goes on when a CPU goes offline? */
bool perf_by_mask(const struct spec_machine *m, const struct topo_pmu *pmu);
/* Does it count for a device of which nothing says on which of the sockets it is? */
bool perf_is_unplaced(const struct spec_machine *m, const struct topo_pmu *pmu);
/* Where that is so of one of these instances, a sentence about it; NULL: it is of none. */
const char *perf_unplaced(struct arena *a, const struct spec_machine *m, const struct spec_perf *p);
/* perf_resolve(), or -ENODEV and that sentence if it is so of all instances. Of an identity, which
 * names units, only the instances that these are. */
int perf_resolve_here(struct arena *a, const struct spec_machine *m, const struct spec *s,
		      struct spec_perf *ret, struct err *err);

/* The box name of a PMU: "uncore_imc_3" -> "imc", 3. *ret_number -1: it has none; -2: an address or
 * several numbers tell instances apart. ret_number may be NULL. */
void perf_pmu_box(const char *pmu, char *box, size_t n, int *ret_number);

/* ---- perf_odd.c */

/*
 * perf_odd - why the counts of these instances on a socket are not the socket's, although every
 * one of them counts: nothing says where an instance is, it lacks the socket, or it counts it
 * twice.
 *
 * t  of the machine where perf events count
 *
 * Returns a sentence without its full stop, of arena a: then every metric of the socket that is
 * made from them is left out, with the reason hidden and this sentence in a note. NULL: they are,
 * as far as anybody can tell.
 */
const char *perf_odd(struct arena *a, const struct spec_machine *m, const struct topo_socket *t,
		     const struct spec_perf *p);

/* ---- spec_names.c */

/*
 * spec_of_name - what a specification means that has no box, or one of the kernel's PMUs:
 * UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE, cha3/TOR_INSERTS.IA_MISS_DRD_REMOTE.
 *
 * ret  of arena a and of s: perf/PMU/TERMS/ of a row of the tables, or box/EVENT; s itself where it
 *      is one of these already, or has a box that nothing here is called
 *
 * Returns 0, or with a sentence -EINVAL: nothing is called so; -EEXIST: more than one event is.
 */
int spec_of_name(struct arena *a, const struct spec_machine *m, const struct spec *s,
		 struct spec *ret, struct err *err);

/* ---- perf_instead.c */

/* -EINVAL and what to write instead of a box's event where perf counts; -ENODEV, without a
 * sentence: neither p, which may be NULL, nor the kernel has such a box. */
int perf_instead(struct arena *a, const struct cat_processor *p, const struct topo_pmus *pmus,
		 const struct spec *s, struct err *err);

/* ---- perf_tables.c */

#define PERF_EACH_TABLE(t, m) \
	(const struct cat_perf *const *t##_at = (m)->tables, *t = *t##_at; t; t = *++t##_at)
/* The events of those tables that this machine has, resolved. */
struct perf_rows {
	struct perf_row {
		const struct cat_perf_event *row;
		struct spec_pmu v;      /* on the first instance */
	} *v;
	unsigned n;
};
void perf_rows_resolve(struct arena *a, const struct spec_machine *m, struct perf_rows *ret);
/* What a table says of an event that was resolved, in whatever words, on one instance; NULL:
 * nothing. */
const struct cat_perf_event *perf_row(const struct perf_rows *rows, const struct spec_pmu *event);
/* Where the kernel has no name for the PMU of a ready-made event: the event as it is there. The
 * PMU's own format says whether it can be counted: a term that does not fit is refused, while the
 * kernel would mask it. false: there is nothing to replace. */
bool perf_unnamed_spec(struct arena *a, const struct spec_machine *m, const struct spec *s,
		       struct spec *ret);
/* The table that knows a PMU; NULL: none does. ret_pmu: its row there, unless NULL. */
const struct cat_perf *perf_table_of(const struct spec_machine *m, const char *pmu,
				     const struct cat_perf_pmu **ret_pmu);
/* Is it for processors as the machine's, by vendor, family, model and stepping? */
bool perf_table_is_for(const struct cat_perf *t, const struct topo *m);
/* Does the machine have one of the table's PMUs? */
bool perf_has_any(const struct topo_pmus *pmus, const struct cat_perf *t);
/* Does the machine have a PMU of this name, or instances of it? pmus may be NULL. */
bool perf_has_pmu(const struct topo_pmus *pmus, const char *name);

/* ---- perf_unnamed.c */

/* Why the table's PMUs are not there although their hardware is: the kernel is too old to name
 * them. A sentence without its full stop; false: that is not so. */
bool perf_unnamed(const struct topo *m, const struct topo_pmus *pmus, const struct cat_perf *t,
		  struct err *ret);
/* The same of any table. */
bool perf_too_old(const struct topo *m, const struct topo_pmus *pmus, struct err *ret);
/* Adds to the error that there is no such PMU, which Linux has it, where that is known. */
void perf_add_since(const struct spec_machine *m, const char *pmu, struct err *err);
/* Are there PMUs for which the kernel has no names, "uncore_type_5"? */
bool perf_has_types(const struct topo_pmus *pmus);

/* ---- lists */

/* spec_kernel_events - the events that these PMUs name and that can be counted, one row for all
 * instances of a PMU. */
struct spec_kernel_event {
	const char *spec, *pmu;     /* "perf/uncore_imc/cas_count_read/", "uncore_imc" */
	unsigned instances;
	const struct topo_term *term;
};
void spec_kernel_events(const struct topo_pmus *pmus,
			void (*each)(void *p, const struct spec_kernel_event *e), void *p);

/* spec_pfm_load - so that its names are known in an empty root directory, too. */
void spec_pfm_load(void);
/* spec_pfm_events - the events that libpfm4 knows of these PMUs, a specification and a sentence
 * each; none in a build without libpfm4. */
void spec_pfm_events(const struct topo_pmus *pmus,
		     void (*each)(void *p, const char *spec, const char *help), void *p);

#endif
