/* SPDX-License-Identifier: MIT
 * Const facts about processors: box > counter geometry > event > unit mask > filter.
 *
 * Owns:  the tables and their encoding rules. catalog_check() in tests/catalog checks the tables.
 * Never: files, fds, which machine this is, who asked.
 * Pure; any thread; everything here lives for ever.
 *
 * How an event reaches a counter, in one form for plain and hierarchical boxes:
 *
 *   event --(selector)--> encoding 0, encoding 1 ...
 *
 * Each encoding is a value of the control word's event field, and the fields of registers that hold
 * the values of the event, its unit masks and its keys if it is counted in that way.
 *
 * A plain event has no selector: its one encoding is its own code. An R-Box IPERF event has two
 * (IPERF_CFG0, IPERF_CFG1 of the port); an FVC event of the M-Box four. Two events of one unit fit
 * together if an encoding and a counter can be chosen for each so that no counter is used twice and
 * no register bit is wanted with two values. The planner searches exactly that and knows no box by
 * name.
 *
 * A new processor that varies another (Westmere-EX) has boxes of its own in the same files: they
 * point to the other's rows and add `extra`, `absent` and `relaid` ones. Boxes in PCI space say
 * device, function and id of each unit, and the `anchor` by which topo/pci.c finds the socket of a
 * bus. Overflow windows need to know what sends an overflow on (`ctl_overflow`), where it goes
 * (`cat_overflow`), and what that stops and interrupts (`cat_global`).
 */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include "base/bits.h"
#include "base/err.h"
#include "base/reg.h"
#include "catalog/metric_row.h"

/* ------------------------------------------------------------------ registers */

enum cat_role {
	CAT_GLOBAL_CTL,     /* socket-wide enable; cat_processor says which bits */
	CAT_GLOBAL_STATUS, CAT_GLOBAL_OVF,
	CAT_BOX_CTL,        /* one enable bit per counter: bit (counter - first) */
	CAT_STATUS,         /* overflow bits, same numbering */
	CAT_OVF_CTL,        /* write 1 to clear an overflow bit, same numbering */
	CAT_SUMMARY,        /* overflow chain */
	CAT_CTL, CAT_CTR,   /* index = counter */
	CAT_FIXED_CTL, CAT_FIXED_CTR,
	CAT_SUB,            /* sub-control: selects what a counter sees */
	CAT_FILTER,         /* match, mask and their switch */
	CAT_OTHER,          /* not a PMON control (time stamp) */
};

enum cat_access { CAT_RW, CAT_RO, CAT_WO, CAT_W1C };   /* the machine's view: Tables 2-1, 2-9 ... */

enum cat_field_kind {
	CAT_FIELD,          /* ours to write, reads back */
	CAT_FIELD_PULSE,    /* acts when written, need not read back: set in enabling writes, never
			     * compared */
	CAT_FIELD_RSV,      /* must be written as 0 */
};

struct cat_field {
	const char *name;   /* the manual's: "ev_sel" */
	uint8_t hi, lo;
	uint8_t kind;       /* enum cat_field_kind */
	const char *help;
};

/* A row covers the indexes first .. first+count-1 (counters for control and counter registers,
 * ports for port registers); several rows may share an id and cover different indexes. */
struct cat_reg {
	const char *name;   /* the manual's, with %u = unit and %n = index */
	uint8_t role;       /* enum cat_role */
	uint8_t access;     /* enum cat_access */
	uint8_t id;         /* box's own number, named by struct cat_reg_field; 0 where no register
			     * field needs it */
	uint8_t bank;       /* which base of the unit */
	uint8_t first, count;
	uint8_t bytes;      /* of the register: 4 or 8 (an MSR access is always 8) */
	uint8_t step;       /* address distance from one index to the next */
	uint32_t off;       /* of index `first`, from the unit's base */
	uint8_t n_fields;
	uint64_t write_enable; /* bits that must be 0 while the registers before it in this table
				* that share a selector with it are written (S-Box MM_CFG[63]);
				* 0: it is no write enable */
	const struct cat_field *fields;
	const char *source;
};

static inline bool cat_reg_covers(const struct cat_reg *r, unsigned index)
{
	return index >= r->first && index - r->first < r->count;
}

#define CAT_BANKS 3
/* One instance. A PCI box may spread over several functions (an Ivytown QPI port counts in function
 * 2 and matches packets in function 6): each bank has its own. All are found on the socket's buses
 * by device id. */
struct cat_unit {
	uint32_t base[CAT_BANKS];
	uint8_t dev[CAT_BANKS], fn[CAT_BANKS];
	uint16_t id[CAT_BANKS];     /* PCI device id (vendor 8086); 0: dev and fn on the uncore bus
				     * say enough */
};

/* ------------------------------------------------------------------ events */

#define CAT_REG_FIELDS 8    /* as many as cat_values.has has bits */
/* A field of a register of the same unit (and, in boxes with ports, of the event's port). */
struct cat_reg_field {
	uint8_t id;		/* cat_reg.id; 0: this encoding does not use the register field */
	uint8_t hi, lo;
};

struct cat_encoding {
	uint8_t code;               /* control word's event field (added to the port's event_add) */
	struct cat_reg_field fields[CAT_REG_FIELDS];
};

/* A value of a key that has a name. */
struct cat_word {
	const char *name;           /* "opcode" */
	uint64_t value;
	const char *needs[2];       /* keys that must be given with it */
};

/* A key of an event specification that goes into a register field. */
struct cat_key {
	const char *name;           /* "match", "fvid", "flits" */
	uint8_t field, hi, lo;      /* bits inside the register field's value */
	uint8_t min;                /* smallest value allowed */
	bool hex;                   /* canonical form and label: 0x hex, else decimal */
	uint64_t dflt;              /* what holds without the key; an equal value is dropped from
				     * identity */
	bool required;              /* must be given, at whatever value */
	bool free;		/* what a metric's row says of the event holds at whatever value */
	uint8_t shift;              /* the value's low bits that the register does not hold: must be
				     * 0 */
	uint16_t umask_bits;        /* makes sense (and is required) only with a unit mask that has
				     * one of these value bits; 0: with any (C-Box opcode: bit 0) */
	uint8_t split;              /* bits of the register field's value from here up belong to
				     * split_field, from its bit 0 (HA address in two registers);
				     * 0: no split */
	uint8_t split_field;
	uint64_t ctl;               /* control-word bits set when the key is given (C-Box tid_en) */
	const struct cat_word *words;   /* the only values it can have; n_words 0: numbers */
	uint8_t n_words;
	const char *word;           /* another spelling ("any") ... */
	uint64_t word_bits;         /* ... with these bits of the register field instead */
	const char *needs;          /* another key that must be given too ("mask") */
	uint8_t also_field;        /* with this key, register field also_field takes also_value;
				    * only if also */
	uint64_t also_value;
	bool also;
	uint8_t owns;               /* one bit per register field: if this key is given, the event
				     * also needs these, at the default of their own key (the mask
				     * of an address filter) */
	const char *help;
};

struct cat_selector {
	const char *pin;            /* key that pins an encoding ("iperf"); NULL: none */
	uint8_t pin_base;           /* value that means encoding 0 (xbar=1|2: 1) */
	uint8_t n_encodings, n_keys;
	const struct cat_encoding *encodings;
	const struct cat_key *keys;
	const char *name;           /* for refusals: "IPERF sub-register" */
};

/* Values for a selector's register fields. Only bits of `has` are owned by the event. */
struct cat_values {
	uint8_t has;                /* bit i: register field i is wanted with v[i] */
	uint64_t v[CAT_REG_FIELDS];
};

struct cat_umask {
	const char *name;
	uint16_t value;             /* control word's umask field; for ordering only where the box
				     * has no such field, and with cat_event.named_values */
	uint8_t ports;              /* bit per port where it can occur at all, planner/ warns
				     * elsewhere; 0: any port */
	uint64_t ctl;               /* more control-word bits */
	const struct cat_values *values;  /* OR-ed over the event's, see cat_event.combine; NULL:
					   * none */
	const char *help;           /* NULL: nothing to add to the event's */
	const char *alias;
	const char *disputed;
};

enum cat_combine {
	CAT_NO_UMASK,               /* the event has none */
	CAT_UMASK_BITS,             /* a bit mask: several may be given */
	CAT_UMASK_ONE,              /* a number: exactly one */
};

#define CAT_OPTIONAL (-2)

/* several unit masks at once: how increments combine (rule 5) */
enum cat_adds { CAT_OR, CAT_ADDS };

struct cat_event {
	const char *name;           /* the manual's, upper case */
	uint16_t code;              /* event field; with a selector the encoding's code holds
				     * instead */
	uint16_t max_inc;           /* per cycle; where sources dispute, the larger */
	uint32_t counters;          /* allowed, bit per counter; 0: all of the box */
	uint8_t combine, adds;
	uint16_t enum_bits;         /* CAT_UMASK_BITS: bits of value that are a number and must
				     * agree */
	int8_t dflt;                /* index of the default unit mask, -1: none (then one must be
				     * given), CAT_OPTIONAL: none and none needed (keys say what is
				     * counted) */
	uint8_t n_umasks;
	const struct cat_umask *umasks;
	const struct cat_selector *selector;
	uint64_t ctl;               /* control-word bits beside the event field (flag_mode ...) */
	const struct cat_values *values;  /* of register fields, whatever the unit mask;
					   * NULL: none */
	uint16_t per;               /* counts overflows of a sub-counter of this size: true count =
				     * x per; 0: 1 */
	uint8_t invert_bit;         /* of the control word, where this event's is not the box's; 0:
				     * it is */
	bool cas;                   /* of a memory channel: as of cat_perf_event */
	bool fixed;                 /* lives on the box's fixed counter */
	/* A clock: once it has run it may be declared stopped. Its first zeros are values: no
	 * manual says that it runs while the package sleeps. 323535-001 2.1.2 (wbox/CLOCKTICKS),
	 * SDM 3B 18.17.2 (uncore/CLK_UNHALTED), 329468-002 p 21 (ubox/UCLK) and its memory
	 * controller (imc/DCLK) say "each clock"; the E7-8800 datasheet, volume 2, 9.2.2.5, gates
	 * clocks of the uncore in package C3, and memory refreshes itself there. */
	bool always_runs;
	bool occupancy;             /* needs the occupancy reset bit in every enabling write */
	bool bare;                  /* beside its unit masks it is listed without one too:
				     * CAT_OPTIONAL needs no keys, and without a unit mask the
				     * control word's field is 0 */
	bool one_umask;             /* a combination is "undefined" in the manual (rule 4) */
	bool named_values;          /* unit masks are only names for what their `values` put into
				     * the register fields; the control word's umask field stays
				     * 0 */
	bool raw;                   /* of no table: a specification gives it by numbers, and no
				     * pointer says which of two are the same */
	const char *const *alias;   /* more names, ended by NULL; NULL: none */
	const char *help;           /* our own sentence, with no final full stop */
	const char *note;           /* shown by describe */
	const char *disputed;       /* shown by describe: what is open, from conflicts */
	const char *source;         /* document and table */
};

/* ------------------------------------------------------------------ boxes */

/* A field of the control word; hi < lo: the box has none. */
struct cat_bits { int8_t hi, lo; };
#define CAT_NONE { -1, 0 }
static inline bool cat_has(struct cat_bits b) { return b.hi >= b.lo; }
static inline uint64_t cat_mask(struct cat_bits b)
{
	return cat_has(b) ? bits_mask((unsigned)b.hi, (unsigned)b.lo) : 0;
}

/* Boxes whose events name a port: what the port changes. */
struct cat_port {
	uint8_t event_add;          /* added to the encoding's code */
	uint32_t counters;          /* that can serve this port */
	const char *link;           /* label, NULL: not a link */
	const char *name;           /* "S-Box 0" ... for describe */
};

/* The register of a variant whose row is shared, but not its layout. */
struct cat_relaid {
	uint8_t id;                 /* cat_reg.id */
	uint8_t n_fields;
	const struct cat_field *fields;
};

struct cat_box {
	const char *name;           /* "cbox" */
	const char *letter;         /* of Intel's UNC_x_ prefix; "": the prefix is UNC_ */
	const char *title;          /* "C-Box: last-level cache slice" */
	uint8_t space;              /* enum space */
	uint8_t n_counters;         /* without the fixed one */
	uint8_t width;              /* bits */
	uint16_t max_inc;           /* largest increment per cycle of any event; an event whose own
				     * is not known carries this one. 0: each event's is known */
	uint8_t fixed_width;        /* of the fixed counter; 0: as width (Ivytown U-Box: 44 beside
				     * 48) */
	bool has_fixed;
	/* What is between local enable and global control: by default a CAT_BOX_CTL register
	 * with one enable bit per counter, (counter - first) and fixed_box_bit; or, if box_freeze,
	 * a CAT_BOX_CTL register whose box_freeze bits stop the whole box, fixed counter too:
	 * enabling clears them; or, if local_only, nothing. */
	uint64_t box_freeze;
	uint64_t box_always;        /* box control bits written as 1 in each write of ours, never
				     * compared */
	bool local_only;
	uint8_t fixed_box_bit;      /* fixed counter's bit in the box control */
	uint64_t fixed_enable;      /* control word that enables the fixed counter */
	bool global_also;           /* the box bit of its counters is in the global control (U-Box
				     * bit 0) */
	struct cat_bits event, umask, threshold, edge, invert, enable, occ_reset;
	uint64_t ctl_always;        /* control-word bits set in every write */
	/* Control-word bits that make an overflow of the counter known to the socket, which then
	 * can stop all its counters (pmi_en, ov_en); 0: none known, no overflow window ends by
	 * it. */
	uint64_t ctl_overflow, fixed_overflow;
	const char *port_key;       /* "port": required key; NULL: no ports */
	uint8_t n_ports, n_units, n_regs;
	uint16_t n_events;
	const struct cat_port *ports;
	const struct cat_unit *units;
	const char *const *links;   /* label `link` of each unit, NULL: units are no links (then see
				     * cat_port) */
	const struct cat_reg *regs;
	const struct cat_event *events;     /* loop over them with cat_each_event() */
	/* A variant of another processor's box: it points to the same rows, and here is what
	 * differs. An extra row replaces the row of its name, or is one more; absent names
	 * rows that do not exist. */
	const struct cat_event *extra;
	const char *const *absent;  /* ended by NULL, or NULL */
	const struct cat_relaid *relaid;    /* registers whose fields lie elsewhere */
	uint8_t n_relaid;
	uint16_t n_extra;
	struct reg_erratum erratum;
	const char *clock;          /* event spec of the clock these counters run under, NULL: none
				     * known */
	uint64_t max_hz;            /* highest clock of the box */
	const char *source;
};

/* The field that turns the threshold of this event round. */
static inline struct cat_bits cat_invert(const struct cat_box *b, const struct cat_event *e)
{
	return e->invert_bit ? (struct cat_bits){ (int8_t)e->invert_bit, (int8_t)e->invert_bit }
		: b->invert;
}

/* Is this increment the box's maximum, which holds where no source gives an event's own? */
static inline bool cat_bound_of_box(const struct cat_box *b, unsigned max_inc)
{
	return max_inc == b->max_inc;
}

/* ------------------------------------------------------------------ derived metrics */

struct cat_metrics { const struct cat_metric *v; unsigned n; };

/* Is it an exact counter (no denominator), and its name one of a total? */
bool cat_metric_is_total(const struct cat_metric *m);
/* Why it does not hold on a machine although its table does, a sentence; NULL: it does. model: of
 * CPUID; name: cpuinfo's. */
const char *cat_metric_excepted(const struct cat_metric *m, unsigned model, const char *name);

/* What a register of a unit says once, at start: a term of that name in a metric row is its value x
 * the seconds of the window (what a link could have carried). Per-unit metrics read their own
 * unit's register. */
struct cat_constant {
	const char *name;           /* "link_bytes" */
	const char *box;
	uint8_t id;                 /* cat_reg.id of a row with role CAT_OTHER */
	uint8_t hi, lo;
	double base, step;          /* per second: base + step x field */
	uint64_t unknown;           /* the field value that says nothing: then the metric is not
				     * offered */
	const char *help, *source;
};

/* ------------------------------------------------------------------ processors */

/* The socket-wide enable; name NULL: there is none. */
struct cat_global {
	struct reg ctl;
	const char *name;
	uint64_t enable;            /* en_all */
	uint64_t reset;             /* rst_all, frz_all: cleared by the write that enables */
	bool pulse;                 /* enable and freeze act when written and do not read back
				     * (Ivytown) */
	uint64_t freeze;            /* stops all counters when written; 0: clearing `enable` does */
	uint64_t box_enable;        /* U-Box counter's enable, for boxes with global_also */
	/* Overflow windows: bits of ctl that let an overflow stop all counters, and those that
	 * would interrupt cores. */
	uint64_t overflow_stops, overflow_interrupts;
	uint64_t overflow_summary;  /* bits of the status that are set with any such overflow */
	uint64_t overflow_changed;  /* more of them, to be cleared with it */
	const struct cat_field *fields;
	uint8_t n_fields;
};

/* How an overflow of a unit's counters is summarised above its own status register. */
struct cat_overflow {
	const char *box;
	uint8_t unit;
	uint8_t first, count;       /* counters; 0: the fixed one */
	uint8_t summary_unit;       /* of summary_box */
	uint64_t global;            /* bits of the CAT_GLOBAL_STATUS register */
	const char *summary_box; /* whose CAT_SUMMARY register is in between; NULL: none is */
	uint64_t summary;           /* bits of that */
	const char *source;
};
struct cat_overflows { const struct cat_overflow *v; unsigned n; };

/* Optane memory takes counters of the memory controllers: where there is any, other groups find no
 * room beside it. */
enum cat_nvdimm { CAT_ANY_MEMORY, CAT_WITH_NVDIMM, CAT_WITHOUT_NVDIMM };

/* Groups that a configuration may name together: each fits one round, and they take turns. */
struct cat_set {
	const char *name;
	const char *help;           /* what they answer: a sentence without full stop */
};

struct cat_group {                  /* a ready-made group */
	const char *name;
	const char *const *specs;   /* ended by NULL */
	const char *help;           /* what it answers: a sentence without full stop */
	bool metrics_only;          /* its events are many, and only inputs of metrics */
	const char *const *inputs;  /* of a processor: those of specs that are only inputs of
				     * metrics, ended by NULL; NULL: none, or metrics_only */
	const char *const *metrics; /* it names these, too, ended by NULL; NULL: none */
	bool last;                  /* of the default: after all others have their series */
	uint8_t nvdimm;             /* enum cat_nvdimm: when it is part of the default */
	bool on_request;            /* no part of the default: it finds no counter beside it */
	const struct cat_set *set;  /* that it is of; NULL: none */
	const char *part;           /* of what the set answers, where it has this group: it follows
				     * the set's help; NULL: that says it */
	bool apart;                 /* of the kernel's PMUs: takes turns with other groups of them,
				     * because the driver alone knows whether they fit together */
};

/* A name that a manual uses for an event, and defines nowhere. */
struct cat_mention {
	const char *name, *box;
	const char *spec;           /* what counts what it is used for */
	const char *help;           /* what the manual does with it: a sentence without full stop */
	const char *source;
};

struct cat_id { uint16_t family, model; };

struct cat_processor {
	const char *name;           /* "nehalem-ex" */
	const char *title;          /* "Intel Xeon 7500 (Nehalem-EX)" */
	const char *vendor;         /* of CPUID, which numbers families and models on its own */
	const struct cat_id *ids;
	uint8_t n_ids, n_boxes, n_groups, n_constants;
	uint8_t cores;              /* most cores a socket has */
	uint8_t caches;             /* last-level caches of a package; 0: not known */
	struct pci_anchor anchor;   /* for boxes in PCI space */
	/* Where the firmware's ratio of the uncore's clock is: in the configuration space of
	 * the host bridge at device:function of the uncore's own buses; off 0: not known. For
	 * people: what counts is measured. */
	struct { uint8_t device, function; uint16_t off; } ratio;
	const struct cat_global *global;    /* cat_no_global: there is no socket-wide enable */
	const struct cat_box *const *boxes; /* n_boxes of them, in the order in which their
					     * registers are written */
	const struct cat_metrics *metrics;
	const struct cat_constant *constants;
	const struct cat_mention *mentions; /* ended by name == NULL; NULL: none */
	/* NULL: the counters cannot end an overflow window */
	const struct cat_overflows *overflows;
	const struct cat_group *groups;      /* used without a configuration: one round, <= 100
					      * series */
	const char *source;
};

/* ------------------------------------------------------------------ access */

extern const struct cat_processor *const cat_processors[];
extern const unsigned cat_n_processors;

extern const struct cat_global cat_no_global;

/* nehalem-ex, whichever way it is written: nehalem_ex, Nehalem-EX. NULL: unknown. */
const struct cat_processor *cat_processor_by_name(const char *name);
const struct cat_processor *cat_processor_by_id(const char *vendor, unsigned family,
						unsigned model);
/* Is the series of /metrics, without "uncore_" and labels, of this metric: its value, its peak, its
 * distribution? */
bool cat_metric_is(const struct cat_metric *m, const char *series);
const struct cat_box *cat_box_by_name(const struct cat_processor *p, const char *name);
/* Every box of p in their order: NULL begins and ends. */
const struct cat_box *cat_box_next(const struct cat_processor *p, const struct cat_box *b);
/* The place of a box of p in p->boxes. */
unsigned cat_box_index(const struct cat_processor *p, const struct cat_box *b);
/* Every event of the box, of a variant those that hold there: NULL begins and ends. */
const struct cat_event *cat_event_next(const struct cat_box *b, const struct cat_event *e);
/* Head of a loop over all events of box b. */
#define cat_each_event(e, b) \
	for (const struct cat_event *e = cat_event_next(b, NULL); e; e = cat_event_next(b, e))
/* How many cat_each_event() meets. */
unsigned cat_event_count(const struct cat_box *b);
/* Are they one event? Two that are given by numbers may be. NULL is none. */
bool cat_event_same(const struct cat_event *a, const struct cat_event *b);
/* Case-insensitive; aliases and "UNC_x_" accepted. */
const struct cat_event *cat_event_by_name(const struct cat_box *b, const char *name);
/* '.' and '_' are the same; case-insensitive; returns the index or -1. */
int cat_umask_by_name(const struct cat_event *e, const char *name);
/* Is this a name or alias of it? */
bool cat_event_is_called(const struct cat_event *e, const char *name);
bool cat_umask_is_called(const struct cat_umask *u, const char *name);
/* What may have been meant by a name that is not known; NULL: none is near. */
/* box NULL: of any. '.' and '_' are the same; NULL: the manual does not use the name so. */
const struct cat_mention *cat_mention_by_name(const struct cat_processor *p, const char *box,
					      const char *name);
const char *cat_nearest_event(const struct cat_box *b, const char *name);
const char *cat_nearest_processor(const char *name);

/* The register row of `role` that covers `index`; NULL: none. id 0: any id. */
const struct cat_reg *cat_reg_find(const struct cat_box *b, enum cat_role role, uint8_t id,
				   unsigned index);
/* The fields of a register of this box. */
const struct cat_field *cat_reg_fields(const struct cat_box *b, const struct cat_reg *r,
				       unsigned *ret_n);
/* The bits of those of n fields that are of these kinds (BIT(CAT_FIELD), ...). */
uint64_t cat_fields_mask(const struct cat_field *f, unsigned n, uint64_t kinds);
struct reg cat_reg_address(const struct cat_box *b, const struct cat_reg *r, unsigned unit,
			   unsigned index);
/* The manual's name with unit and index filled in; returns buf. */
char *cat_reg_name(const struct cat_reg *r, unsigned unit, unsigned index, char *buf, size_t n);
#define CAT_NAME_TEXT 64

/* What an event specification chose, names resolved; filled by spec/. */
struct cat_selection {
	const struct cat_box *box;
	const struct cat_event *event;
	unsigned unit, port;
	uint64_t umasks;            /* bit per index into event->umasks */
	uint64_t threshold;
	bool edge, invert;
	struct cat_values keys;     /* values of keys, already shifted into the register fields;
				     * cat_encode() adds defaults of keys that were not given, and
				     * `also` and `owns` */
	uint8_t key_given;          /* bit per index into selector->keys: the user wrote it */
};

/* Bits of one register that a selection needs, and what they must hold. */
struct cat_field_value {
	struct reg reg;
	const struct cat_reg *row;
	uint8_t index;              /* port or counter, for the name */
	uint64_t mask, value;       /* value within mask */
};
#define CAT_FIELD_VALUES (CAT_REG_FIELDS + 2)

/*
 * cat_encode - a selection on one encoding and counter, as register contents.
 *
 * encoding 0 .. cat_encodings(event) - 1
 * counter  0 .. n_counters - 1; ignored for a fixed counter
 * ret_ctl  the control word with its enable bit (cat_ctl_enable())
 * values   sub-control and filter fields in the order of the box's register table; one entry a
 *          register
 *
 * Returns the number of values. Cannot fail for a selection that planner/ accepted.
 */
unsigned cat_encode(const struct cat_selection *c, unsigned encoding, unsigned counter,
		    uint64_t *ret_ctl, struct cat_field_value values[CAT_FIELD_VALUES]);
unsigned cat_encodings(const struct cat_event *e);
/* What event and unit masks alone put into the selector's register fields. */
struct cat_values cat_values_of(const struct cat_selection *c);
/* Do the event's unit masks go into the control word's umask field? */
static inline bool cat_umask_in_ctl(const struct cat_box *b, const struct cat_event *e)
{
	return !e->named_values && (cat_has(b->umask) || !e->selector);
}
/* Does the key make sense with these unit masks? */
bool cat_key_applies(const struct cat_selection *c, const struct cat_key *k);
/* The word that a key has for this value; NULL: none. */
const struct cat_word *cat_key_word(const struct cat_key *k, uint64_t value);
/* Must the key of this name be given with the word? */
bool cat_word_needs(const struct cat_word *w, const char *key);
/* What else a key sets by being given. */
void cat_key_also(const struct cat_key *k, struct cat_values *s);
/* The event field of an encoding, and all values of the unit masks together. */
unsigned cat_event_code(const struct cat_selection *c, unsigned encoding);
uint64_t cat_umask_value(const struct cat_selection *c);
/* A key's value, as the user writes it, into its register fields (without `also`), and back. */
void cat_key_put(const struct cat_key *k, uint64_t value, struct cat_values *s);
uint64_t cat_key_get(const struct cat_key *k, const struct cat_values *s);
/* allowed: event and port; 0: the fixed one */
uint32_t cat_counters(const struct cat_selection *c);
uint64_t cat_ctl_enable(const struct cat_box *b, bool fixed);
unsigned cat_width(const struct cat_box *b, bool fixed);
unsigned cat_max_inc(const struct cat_selection *c);     /* rule 5 */

/* Which register is this? false: not one of this processor's. */
struct cat_location {
	const struct cat_box *box;      /* NULL: the global control */
	const struct cat_reg *row;
	unsigned unit, index;
};
bool cat_locate(const struct cat_processor *p, struct reg r, struct cat_location *ret);

/*
 * cat_decode - the event that register contents select: the inverse of cat_encode.
 *
 * regs, values, n   control word first or anywhere; sub-controls that are missing read as 0, of
 *                   one that occurs twice the last counts; of several control words the first is
 *                   decoded
 * ret_choices       at most max candidates, the exact unit mask before a combination, none of the
 *                   keys before some; only keys that differ from their default are given
 * ret_counter       n_counters: the fixed one
 * ret_unsaid        bits of the control word that no specification of an event can say, while the
 *                   rest of it is one: what they make of the event has no name, so it is none of
 *                   the candidates
 * Returns how many; 0: no event (or no control register among them).
 */
unsigned cat_decode(const struct cat_processor *p, const struct reg *regs, const uint64_t *values,
		    unsigned n, struct cat_selection *ret_selections, unsigned max,
		    unsigned *ret_counter, uint64_t *ret_unsaid);

#endif
